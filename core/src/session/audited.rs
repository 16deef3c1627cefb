//! Where requests and questions begin and end for the audit.
use alloc::borrow::Cow;

use super::{engine::Engine, principal::Principal, requests::Received, tasks::Part};
use crate::{
    audit::{AuditKind, AuditRecord, outcome_of},
    event::{Outcome, OverReason},
    jsonrpc::envelope::Envelope,
    method::Side,
    revision::Revision,
};

impl Engine {
    /// The next record of the audit.
    pub(crate) fn poll_audit(&mut self) -> Option<AuditRecord> {
        self.audit.as_mut()?.pop()
    }
    /// Whether one waits to be taken.
    pub(crate) fn has_audit(&self) -> bool {
        self.audit.as_ref().is_some_and(|audit| !audit.is_empty())
    }
    fn audited(&mut self, record: AuditRecord) {
        let now = self.now;
        self.stats.audit_dropped += self.audit.as_mut().map_or(0, |audit| audit.push(now, record));
    }
    /// A request came whose id can't be used.
    pub(crate) fn audit_refused(
        &mut self,
        principal: Principal,
        envelope: &Envelope<'_>,
        outcome: &'static str,
    ) {
        let Some(audit) = &self.audit else { return };
        let record = audit.request(self.now, principal, envelope);
        self.audited(AuditRecord { outcome: Cow::Borrowed(outcome), ..record });
    }
    /// A request came.
    pub(crate) fn audit_request(&mut self, principal: Principal, envelope: &Envelope<'_>, id: &str) {
        let Some(audit) = &mut self.audit else { return };
        let record = audit.request(self.now, principal, envelope);
        audit.begin_request(id, record);
    }
    /// It was looked at: one that is neither answered nor in the table never will be.
    pub(crate) fn audit_looked_at(&mut self, id: &str) {
        if self.audit.is_none() || self.requests.find(id).is_some() {
            return;
        }
        if let Some(record) = self.audit.as_mut().and_then(|audit| audit.take_request(id)) {
            self.audited(record);
        }
    }
    /// It is for the application, which in a client is asked a question.
    pub(crate) fn audit_delivered(&mut self, id: &str) {
        let asked = self.side == Side::Client;
        let record = self.audit.as_mut().filter(|_| asked).and_then(|audit| audit.of(id));
        if let Some(record) = record {
            record.kind = AuditKind::Input;
        }
    }
    /// It is out of the table.
    pub(crate) fn audit_taken(&mut self, request: &Received) {
        let record =
            self.audit.as_mut().filter(|_| is_open(request)).and_then(|audit| audit.of(request.id()));
        if let Some(record) = record {
            record.round = request.round;
        }
    }
    /// It was answered, with this.
    pub(crate) fn audit_answered(&mut self, id: &str, answer: &str, own: bool, revision: Option<Revision>) {
        if let Some(record) = self.audit.as_mut().and_then(|audit| audit.take_request(id)) {
            self.audited(AuditRecord { outcome: outcome_of(answer, own), revision, ..record });
        }
    }
    /// The application will not answer it.
    pub(crate) fn audit_over(&mut self, request: &Received, reason: OverReason) {
        let record = self
            .audit
            .as_mut()
            .filter(|_| is_open(request))
            .and_then(|audit| audit.take_request(request.id()));
        if let Some(record) = record {
            let (outcome, revision) = (Cow::Borrowed(reason.code()), Some(request.revision));
            self.audited(AuditRecord { revision, outcome, ..record });
        }
    }
    /// A question that came in a result is put to the application.
    pub(crate) fn audit_input(&mut self, input: u64, method: &str, revision: Revision, round: u8) {
        let now = self.now;
        if let Some(audit) = &mut self.audit {
            audit.begin_input(now, input, method, revision, round);
        }
    }
    /// It is answered; `None`: its call is over.
    pub(crate) fn audit_input_over(&mut self, input: u64, answer: Option<&Outcome<'_>>) {
        let Some(record) = self.audit.as_mut().and_then(|audit| audit.take_input(input)) else { return };
        let outcome = match answer {
            None => Cow::Borrowed("over.call"),
            Some(Outcome::Error { code, .. }) => alloc::format!("error:{code}").into(),
            Some(_) => Cow::Borrowed("ok"),
        };
        self.audited(AuditRecord { outcome, ..record });
    }
}

/// Whether it awaits its answer: one that runs as a task has it, and another may have its id.
fn is_open(request: &Received) -> bool {
    !matches!(request.part.as_deref(), Some(Part::Runs(_)))
}
