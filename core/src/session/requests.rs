//! Requests of the peer that await our answer.
use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

use super::{
    engine::{Engine, Reply, Wire, too_long},
    input::Asking,
    meta,
    principal::Principal,
    role::PROGRESS,
    table::Table,
    tasks::{Kept, Part},
    timers::{Arming, Timer},
};
use crate::{
    InputHandle, RequestHandle,
    error::SendError,
    event::{Event, OverReason, Related, TemplateMatch},
    json::Json,
    jsonrpc::{
        code,
        envelope::{Envelope, Field, Span},
        id,
        write::{self, ErrorId},
    },
    method::{self, Handling, MethodId, RateClass, Side},
    revision::Revision,
    session::{LogLevel, subscriptions::Filter},
};

#[derive(Debug)]
pub(crate) struct Received {
    /// The whole message.
    pub(crate) buf: Arc<str>,
    pub(crate) id: Span,
    /// Its progress token.
    pub(crate) token: Span,
    pub(crate) method: Option<MethodId>,
    pub(crate) revision: Revision,
    pub(crate) reply: Reply,
    /// The value of the last progress notice.
    pub(crate) progress: f64,
    /// The wanted level of log notices, where the request says it.
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) timer: Arming,
    /// Of an open subscription stream, which the engine ends itself.
    pub(crate) filter: Option<Box<Filter>>,
    /// What it has to do with a task.
    pub(crate) part: Option<Box<Part>>,
    /// Rounds of input before it.
    pub(crate) round: u8,
    /// It waits for the client, and will be delivered again.
    pub(crate) asking: Option<Box<Asking>>,
    /// The template that it was delivered with.
    pub(crate) template: Option<Arc<TemplateMatch>>,
}

impl Received {
    /// The id token as the peer wrote it.
    pub(crate) fn id(&self) -> &str {
        self.buf.get(self.id.0 as usize..self.id.1 as usize).unwrap_or_default()
    }
    /// What is done with it, if the application is to answer it.
    pub(crate) fn handling(&self) -> Option<Handling> {
        self.method.filter(|_| !self.engine_owned()).map(|id| id.row().handling)
    }
    /// Its params.
    pub(crate) fn params(&self) -> Option<Json<'_>> {
        Json::from_checked(&self.buf).member("params")
    }
    /// Whether it is not the application's to answer.
    pub(crate) fn engine_owned(&self) -> bool {
        self.filter.is_some() || matches!(self.part.as_deref(), Some(Part::Awaits(_)))
    }
    /// Whether the application is to answer it now.
    pub(crate) fn is_answerable(&self) -> bool {
        !self.engine_owned() && self.asking.is_none()
    }
    fn held(&self) -> usize {
        self.buf.len() + self.asking.as_ref().map_or(0, |asking| asking.bytes)
    }
}

/// Requests in flight that are not searched by halves.
const FEW: usize = 16;

/// The table of them: found by handle, and by id in logarithmic time whatever ids a peer chooses.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    table: Table<Received>,
    /// Handles in the order of their ids.
    by_id: Vec<u64>,
    bytes: usize,
}

impl Requests {
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
    /// Bytes of the messages held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
    pub(crate) fn first(&self) -> Option<u64> {
        self.table.first()
    }
    pub(crate) fn get(&self, handle: u64) -> Option<&Received> {
        self.table.get(handle)
    }
    pub(crate) fn get_mut(&mut self, handle: u64) -> Option<&mut Received> {
        self.table.get_mut(handle)
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Received)> {
        self.table.iter()
    }
    fn place(&self, token: &str) -> Result<usize, usize> {
        self.by_id
            .binary_search_by(|handle| id::compare(self.table.get(*handle).map_or("", Received::id), token))
    }
    /// The one with this id.
    pub(crate) fn find(&self, token: &str) -> Option<u64> {
        self.place(token).ok().and_then(|place| self.by_id.get(place)).copied()
    }
    /// Its id is not in the table, or is free already because it runs as a task.
    pub(crate) fn push(&mut self, handle: u64, request: Received) {
        let place = match request.part.as_deref() {
            Some(Part::Runs(_)) => None,
            _ => match self.place(request.id()) {
                Err(place) => Some(place),
                Ok(_) => return,
            },
        };
        self.bytes += request.held();
        self.table.push(handle, request);
        if let Some(place) = place {
            self.by_id.insert(place, handle);
        }
    }
    /// Its id is not in flight any more.
    fn detach(&mut self, handle: u64) {
        // A few are looked through faster than their ids are compared.
        let place = if self.by_id.len() <= FEW {
            self.by_id.iter().position(|other| *other == handle)
        } else {
            let token = self.table.get(handle).map_or("", Received::id);
            self.place(token).ok().filter(|place| self.by_id.get(*place) == Some(&handle))
        };
        if let Some(place) = place {
            self.by_id.remove(place);
        }
    }
    pub(crate) fn remove(&mut self, handle: u64) -> Option<Received> {
        self.detach(handle);
        let request = self.table.remove(handle)?;
        self.bytes = self.bytes.saturating_sub(request.held());
        Some(request)
    }
    /// It waits for the client. What waits on its timer is another thing from now on.
    pub(crate) fn ask(&mut self, handle: u64, timer: Arming, asking: Asking) {
        if let Some(request) = self.table.get_mut(handle) {
            self.bytes += asking.bytes;
            request.timer = timer;
            request.asking = Some(Box::new(asking));
        }
    }
    /// So many bytes more are kept for one that waits.
    pub(crate) fn hold(&mut self, handle: u64, bytes: usize) {
        if let Some(asking) = self.table.get_mut(handle).and_then(|request| request.asking.as_mut()) {
            asking.bytes += bytes;
            self.bytes += bytes;
        }
    }
}

impl Engine {
    /// Takes a request into the table, or answers why not. `own`: the application does not see it.
    pub(crate) fn admit(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: Option<MethodId>,
        own: bool,
    ) -> Option<(u64, Arc<str>)> {
        let wire = Wire { revision: Some(revision) };
        let token = envelope.raw(Field::ProgressToken);
        if token.is_some_and(|token| too_long(token, self.limits.id_bytes)) {
            self.error(reply, id, wire, code::INVALID_REQUEST, "The progress token is too long", None);
            return None;
        }
        if let Some(refusal) = self.refusal(envelope.text().len()) {
            self.refuse(reply, id, wire, refusal);
            return None;
        }
        let usable = token.is_none_or(|token| token.starts_with('"') || id::is_integral(token));
        if !usable {
            let detail = "a progress token that is neither a string nor a whole number; no progress is sent";
            self.fault("fault.progress", PROGRESS, None, String::from(detail));
        }
        let handle = self.next_handle();
        let buf: Arc<str> = Arc::from(envelope.text());
        let handler = self.handler_limit().filter(|_| !own);
        if self.requests.is_empty() {
            self.asked_since = self.now;
        }
        let request = Received {
            buf: Arc::clone(&buf),
            id: envelope.span(Field::Id),
            token: if usable { envelope.span(Field::ProgressToken) } else { (0, 0) },
            method: row,
            revision,
            reply,
            progress: f64::NEG_INFINITY,
            log_level: envelope.raw(Field::LogLevel).and_then(LogLevel::from_json),
            timer: handler.map_or(0, |limit| self.timers.arm(self.now.after(limit), Timer::Request(handle))),
            filter: None,
            part: None,
            round: 0,
            asking: None,
            template: None,
        };
        self.stats.requests += u64::from(!own);
        if !own && self.audit.is_some() {
            self.audit_delivered(id);
        }
        self.requests.push(handle, request);
        self.stats.requests_now = self.requests.len() as u64;
        Some((handle, buf))
    }
    /// Says what a request has to do with a task. One that runs as a task was answered with it: its id is free, and the
    /// time of its handler is that of the task.
    pub(crate) fn part_in(&mut self, handle: u64, part: Part) {
        let runs = matches!(part, Part::Runs(_));
        let Some(request) = self.requests.get_mut(handle) else { return };
        request.part = Some(Box::new(part));
        if runs {
            request.reply = Reply::Message;
            let timer = core::mem::take(&mut request.timer);
            self.disarm(timer);
            self.requests.detach(handle);
        }
    }
    /// The end of a request that the application will not answer.
    pub(crate) fn over(&mut self, handle: u64, reason: OverReason) -> Option<Received> {
        let request = self.say_over(handle, reason)?;
        if let (Reply::Batch(number), OverReason::Cancelled | OverReason::Closed) = (request.reply, reason) {
            self.member_over(number, Wire { revision: Some(request.revision) });
        }
        Some(request)
    }
    /// The same for one that the engine answers, or whose task it ends.
    pub(crate) fn end_request(&mut self, handle: u64, reason: OverReason, outcome: Kept) {
        let related = self.related(handle);
        let task = self.run_by(handle);
        let Some(request) = self.say_over(handle, reason) else { return };
        if let Some(task) = task {
            return self.end_task_of(&request, task, outcome);
        }
        let (id, wire) = (request.id(), Wire { revision: Some(request.revision) });
        let _ = self.answer(request.reply, related, true, wire, id, |out| outcome.write_plain(out, id));
    }
    /// The same with an error.
    pub(crate) fn fail(&mut self, handle: u64, reason: OverReason, code: i32, message: &str) {
        self.end_request(handle, reason, Kept::error(code, message));
    }
    fn say_over(&mut self, handle: u64, reason: OverReason) -> Option<Received> {
        let mut request = self.take_request(handle)?;
        self.audit_over(&request, reason);
        if let Some(asking) = request.asking.take() {
            self.take_back(&asking, request.revision);
        }
        let event = if request.engine_owned() {
            None
        } else if self.side == Side::Client {
            Some(Event::InputOver { input: InputHandle(handle) })
        } else {
            Some(Event::Over { request: RequestHandle(handle), reason })
        };
        if let Some(event) = event {
            self.outbox.deliver(event);
        }
        Some(request)
    }
    /// Bytes held for the peer, which count against `session_bytes`.
    pub(crate) fn retained(&self) -> usize {
        self.requests.bytes()
            + self.watched.bytes()
            + self.batches.bytes()
            + self.tasks.bytes()
            + self.outbox.bytes()
    }
    /// The same, and what undelivered events hold.
    pub(crate) fn held_bytes(&self) -> usize {
        self.retained() + self.outbox.event_bytes()
    }
    /// Why a request can't be taken now, as a machine-readable reason and the bound.
    pub(crate) fn refusal(&self, bytes: usize) -> Option<(&'static str, Option<usize>)> {
        let retained = self.retained() + bytes;
        if !self.is_open() {
            Some(("closing", None))
        } else if self.requests.len() >= self.limits.requests {
            Some(("too_many_requests", Some(self.limits.requests)))
        } else if retained > self.limits.session_bytes {
            Some(("session_bytes", Some(self.limits.session_bytes)))
        } else {
            None
        }
    }
    /// The error that says so.
    pub(crate) fn refuse(
        &mut self,
        reply: Reply,
        id: &str,
        wire: Wire,
        (reason, limit): (&'static str, Option<usize>),
    ) {
        self.stats.refused += 1;
        let data = match limit {
            Some(limit) => format!("{{\"reason\":\"{reason}\",\"limit\":{limit}}}"),
            None => format!("{{\"reason\":\"{reason}\"}}"),
        };
        let message = if limit.is_some() { "Too much is in progress; try again" } else { "Closing" };
        self.error(reply, id, wire, code::INTERNAL_ERROR, message, Some(&data));
    }
    /// Answers a request with an error of the engine. `data` is JSON.
    pub(crate) fn error(
        &mut self,
        reply: Reply,
        id: &str,
        wire: Wire,
        code: i32,
        message: &str,
        data: Option<&str>,
    ) {
        let data = data.and_then(|data| Json::parse(data.as_bytes()).ok());
        let _ = self.answer(reply, Related::Session, true, wire, id, |out| {
            write::error(out, ErrorId::Id(id), code, message, data);
        });
    }
    /// Progress of a request of the peer.
    pub(crate) fn progress(
        &mut self,
        handle: u64,
        principal: Principal,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<bool, SendError> {
        let request = self.requests.get(handle).filter(|request| request.is_answerable());
        let Some(request) = request else { return Err(self.gone(handle)) };
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(SendError::Invalid("progress and total are finite numbers"));
        }
        if request.token == (0, 0) || progress <= request.progress {
            return Ok(false);
        }
        let revision = request.revision;
        let Some(row) = method::with_handling(Handling::Progress, self.side, revision) else {
            return Err(SendError::NotInRevision);
        };
        self.room()?;
        if self.meter(principal, RateClass::NoticesOut).is_err() {
            return Ok(false);
        }
        let Some(request) = self.requests.get_mut(handle) else { return Ok(false) };
        let previous = core::mem::replace(&mut request.progress, progress);
        let buf = Arc::clone(&request.buf);
        let token = request.token;
        let token = buf.get(token.0 as usize..token.1 as usize).unwrap_or_default();
        let related_task = self.related_task(handle);
        let params = |out: &mut String| {
            out.push('{');
            meta::prefix(out, &related_task);
            out.push_str("\"progressToken\":");
            out.push_str(token);
            out.push_str(",\"progress\":");
            write::number(out, progress);
            if let Some(total) = total {
                out.push_str(",\"total\":");
                write::number(out, total);
            }
            if let Some(message) = message.filter(|_| revision.features().progress_message) {
                out.push_str(",\"message\":");
                write::string(out, message);
            }
            out.push('}');
        };
        let related = self.related(handle);
        let wire = Wire { revision: Some(revision) };
        let sent = self.send(related, false, wire, |out| {
            write::notification_with(out, row.row().name, Some(params));
        });
        if sent.is_err()
            && let Some(request) = self.requests.get_mut(handle)
        {
            request.progress = previous;
        }
        sent.map(|_| true)
    }
    /// What a message for a request of the peer belongs to.
    pub(crate) fn related(&self, handle: u64) -> Related {
        if self.side == Side::Server { Related::Request(RequestHandle(handle)) } else { Related::Session }
    }
    /// How long the application may take to answer: one of a client is asked, and answers for itself.
    fn handler_limit(&self) -> Option<Duration> {
        match self.side {
            Side::Server => self.limits.handler,
            Side::Client => Some(self.limits.input_timeout.min(self.limits.handler.unwrap_or(Duration::MAX))),
        }
    }
    /// Takes a request out that is answered now.
    pub(crate) fn take_request(&mut self, handle: u64) -> Option<Received> {
        let request = self.requests.remove(handle)?;
        if self.audit.is_some() {
            self.audit_taken(&request);
        }
        self.disarm(request.timer);
        if self.requests.is_empty() {
            self.resume_calls();
        }
        self.stats.requests_now = self.requests.len() as u64;
        self.unwatch_of(&request);
        Some(request)
    }
    fn unwatch_of(&mut self, request: &Received) {
        if let Some(filter) = &request.filter {
            self.unwatch(filter.resources.uris());
        }
    }
}
