//! The audit: who asked for what, when, and what came of it, without payload. Off by default, apart from the trace.
//!
//! A machine makes one record for each request that it receives (those that it answers or refuses itself too) and, in a
//! client, for each question that its application is asked, when it is over. Several make none twice: a question that came
//! as a request is one record, a request that is delivered again with the answers of a round as well. In the modern era
//! each round is a request of its own.
use alloc::{borrow::Cow, boxed::Box, collections::BTreeMap, collections::VecDeque, format, string::String};
use core::{fmt::Write as _, time::Duration};

use crate::{
    error::ConfigError,
    json::{Json, unescape},
    jsonrpc::envelope::{Envelope, Field},
    method::{self, MethodKind, Side},
    revision::Revision,
    session::Principal,
    time::Instant,
    trace::{redact_uri, shorten},
};

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditKind {
    /// A request of the peer.
    Request,
    /// A question that the client's application was asked.
    Input,
}

impl AuditKind {
    /// `request` or `input`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Input => "input",
        }
    }
}

/// A request or question that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditRecord {
    /// When it ended.
    pub at: Instant,
    /// How long it took from its arrival.
    pub duration: Duration,
    /// Whom the session belongs to, as [`principal_digest`] writes it: the host, which has the names, makes the digests of
    /// those it wants to find. `None`: nobody; in a client always, because the server need not say who it is.
    pub principal: Option<Box<str>>,
    /// What it is.
    pub kind: AuditKind,
    /// The role of this machine, which was asked.
    pub side: Side,
    /// The revision it was read in, where one was found.
    pub revision: Option<Revision>,
    /// The method, at most 256 bytes.
    pub method: Box<str>,
    /// What the request names: a tool, a prompt, a URI without user information, query and fragment, the beginning of the
    /// id of a task. At most 256 bytes; `None` where its method names nothing.
    pub name: Option<Box<str>>,
    /// A stable code:
    ///
    /// | outcome | it was |
    /// |---|---|
    /// | `ok` | answered with a result |
    /// | `tool_error` | answered with a result that has `isError` |
    /// | `input_required` | answered with questions (modern) |
    /// | `task` | answered with the task that it became |
    /// | `error:-32602`… | answered with an error |
    /// | `refused.rate_limit`, `refused.too_many_requests`, `refused.session_bytes`, `refused.open_questions`, `refused.too_many_tasks`, `refused.closing` | answered with an error, because of a limit |
    /// | `refused.id`, `refused.duplicate_id` | not read, because of its id |
    /// | `over.cancelled`, `over.closed`, `over.input`, `over.handler_timeout` | ended as [`OverReason`](crate::event::OverReason) says |
    /// | `over.call` | a question of a call that ended before it was answered |
    /// | `dropped` | not answered, because the peer may not send it |
    pub outcome: Cow<'static, str>,
    /// Rounds of input before it, as far as they are known.
    pub round: u8,
}

/// The `principal` of a record, of the name that was given to `with_principal`: 32 hexadecimal digits. Fails as
/// `with_principal` does.
pub fn principal_digest(name: &str) -> Result<Box<str>, ConfigError> {
    Principal::named(name).map(digits)
}

fn digits(principal: Principal) -> Box<str> {
    principal
        .0
        .iter()
        .fold(String::new(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
        .into()
}

/// Records not yet taken, the oldest dropped first, and those of what is not over.
pub(crate) struct Audit {
    records: VecDeque<AuditRecord>,
    limit: usize,
    side: Side,
    /// By id. Not more than there are requests.
    requests: BTreeMap<Box<str>, AuditRecord>,
    /// By handle. Not more than there are questions.
    inputs: BTreeMap<u64, AuditRecord>,
}

impl Audit {
    pub(crate) fn new(side: Side, limit: usize) -> Self {
        let (requests, inputs) = (BTreeMap::new(), BTreeMap::new());
        Self { records: VecDeque::new(), limit, side, requests, inputs }
    }
    fn open(&self, now: Instant, kind: AuditKind, principal: Principal, method: &str) -> AuditRecord {
        let mut method = String::from(method);
        shorten(&mut method);
        AuditRecord {
            at: now,
            duration: Duration::ZERO,
            principal: (!principal.is_nobody()).then(|| digits(principal)),
            kind,
            side: self.side,
            revision: None,
            method: method.into(),
            name: None,
            outcome: Cow::Borrowed("dropped"),
            round: 0,
        }
    }
    /// What is known of a request when it comes.
    pub(crate) fn request(&self, now: Instant, principal: Principal, envelope: &Envelope<'_>) -> AuditRecord {
        let method = envelope.method().unwrap_or_default();
        let mut record = self.open(now, AuditKind::Request, principal, &method);
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        let sender = match self.side {
            Side::Server => Side::Client,
            Side::Client => Side::Server,
        };
        record.name = method::named_by(&method, MethodKind::Request, sender)
            .and_then(|field| Some((field, params?.member(field)?.as_str()?)))
            .map(|(field, name)| shown(field, &name));
        record
    }
    pub(crate) fn begin_request(&mut self, id: &str, record: AuditRecord) {
        self.requests.insert(id.into(), record);
    }
    pub(crate) fn begin_input(
        &mut self,
        now: Instant,
        input: u64,
        method: &str,
        revision: Revision,
        round: u8,
    ) {
        let record = self.open(now, AuditKind::Input, Principal::default(), method);
        self.inputs.insert(input, AuditRecord { revision: Some(revision), round, ..record });
    }
    /// The record of a request that is not over.
    pub(crate) fn of(&mut self, id: &str) -> Option<&mut AuditRecord> {
        self.requests.get_mut(id)
    }
    pub(crate) fn take_request(&mut self, id: &str) -> Option<AuditRecord> {
        self.requests.remove(id)
    }
    pub(crate) fn take_input(&mut self, input: u64) -> Option<AuditRecord> {
        self.inputs.remove(&input)
    }
    /// Keeps the record of what is over, and says how many older ones had to go.
    pub(crate) fn push(&mut self, now: Instant, record: AuditRecord) -> u64 {
        self.records.push_back(AuditRecord { duration: now.since(record.at), at: now, ..record });
        let mut dropped = 0;
        while self.records.len() > self.limit.max(1) && self.records.pop_front().is_some() {
            dropped += 1;
        }
        dropped
    }
    pub(crate) fn pop(&mut self) -> Option<AuditRecord> {
        self.records.pop_front()
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// What is said of a name.
fn shown(field: &str, name: &str) -> Box<str> {
    match field {
        "uri" => redact_uri(name),
        // Who knows all of it can fetch the outcome.
        "taskId" => {
            let head: String = name.chars().take(8).collect();
            format!("{head}…").into()
        }
        _ => {
            let mut name = String::from(name);
            shorten(&mut name);
            name.into()
        }
    }
}

/// The reasons with which the engine refuses for a limit, and what is said of them.
const REFUSED: [(&str, &str); 6] = [
    ("rate_limit", "refused.rate_limit"),
    ("too_many_requests", "refused.too_many_requests"),
    ("session_bytes", "refused.session_bytes"),
    ("open_questions", "refused.open_questions"),
    ("too_many_tasks", "refused.too_many_tasks"),
    ("closing", "refused.closing"),
];

/// What an answer comes to. `own`: the engine wrote it.
pub(crate) fn outcome_of(answer: &str, own: bool) -> Cow<'static, str> {
    let answer = Json::from_checked(answer);
    if let Some(error) = answer.member("error") {
        let reason = error.member("data").and_then(|data| data.member("reason")).filter(|_| own);
        let reason = reason.and_then(|reason| unescape(reason.get()));
        let refused = REFUSED.iter().find(|(known, _)| reason.as_deref() == Some(known));
        return match refused {
            Some((_, refused)) => Cow::Borrowed(refused),
            None => format!("error:{}", error.member("code").map_or("0", Json::get)).into(),
        };
    }
    let result = answer.member("result").unwrap_or(Json::EMPTY_OBJECT);
    let has = |key, value| result.member(key).is_some_and(|member| member.get() == value);
    Cow::Borrowed(if has("isError", "true") {
        "tool_error"
    } else if has("resultType", "\"input_required\"") {
        "input_required"
    } else if has("resultType", "\"task\"") || own && result.member("task").is_some_and(Json::is_object) {
        "task"
    } else {
        "ok"
    })
}
