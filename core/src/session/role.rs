//! What a role makes of a message, and all that is the same for both.
use alloc::{boxed::Box, format, string::String};

use super::engine::{Engine, Reply, Wire, too_long};
use super::{
    calls::Purpose, principal::Principal, questions::MRTR, seal::Sealer, tasks::follow::Created,
    timers::Timer, traced::traced,
};
use crate::{
    CallHandle, RequestHandle,
    error::{CallError, CloseReason, Fault, RpcError, SendError},
    event::{Completion, Event, OverReason, Related},
    json::{Json, Payload, unescape},
    jsonrpc::{
        code, cut,
        envelope::{self, Envelope, Field, Kind, Message, Problem},
        id::is_integral,
        write::{self, ErrorId},
    },
    method::{MethodId, RateClass, Side},
    revision::Revision,
    time::{Instant, WallClock},
    trace::arguments::Arguments,
};

/// The page on messages.
pub(crate) const BASE: &str = "basic/index";
/// The page on progress.
/// The page on keep-alive.
const PING: &str = "basic/utilities/ping";
pub(crate) const PROGRESS: &str = "basic/utilities/progress";

pub(crate) trait Role {
    fn engine(&mut self) -> &mut Engine;
    fn engine_ref(&self) -> &Engine;
    /// Whom the peer acts for: rates are counted for it, and its tasks are its own.
    fn principal(&self) -> Principal;
    /// The revision that untagged messages are read in, as far as it is known.
    fn revision(&self) -> Option<Revision>;
    /// A well-formed request whose id is not in flight.
    fn request(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply);
    /// A well-formed notice.
    fn notification(&mut self, envelope: &Envelope<'_>);
    /// The outcome of a call of the engine, or of one of the application that succeeded.
    fn answered(&mut self, handle: u64, purpose: Purpose, answer: Answer<'_>);
    /// The probe or the handshake took too long.
    fn opening_due(&mut self);
    /// Keep-alive pings in a row without an answer.
    fn pings_missed(&mut self) -> &mut u32;
    /// The peer sends no more, but still reads.
    fn input_ended(&mut self, now: Instant);
    /// The reason to close with when the channel ends now.
    fn channel_end(&self) -> CloseReason;
    /// What is still running is cut off.
    fn drained(&mut self);
    /// Whether a request of this method may be a task.
    fn takes_task(&self, row: MethodId, revision: Revision) -> bool;
    /// Bytes that nobody can guess.
    fn draw(&mut self) -> [u8; 16];
    /// What cursors are sealed with.
    fn sealer(&self) -> &Sealer;
    /// Items of a page.
    fn page_size(&self) -> usize;

    /// Says what waited for room in the output.
    fn say_held(&mut self) {}

    /// An error of the peer that names no request.
    fn peer_error(&mut self, error: RpcError) {
        self.report(error);
    }
    fn report(&mut self, error: RpcError) {
        let code = error.code;
        let detail = format!("the peer reported error {code} without naming a request; nothing was done");
        let fault = Fault::new("fault.peer_error", BASE, detail);
        self.engine().fault_with(Fault { cause: Some(error), ..fault });
    }
    /// A call was answered with questions.
    fn input_required(&mut self, handle: u64, _result: Json<'_>) {
        let detail = "an answer of the client that asks questions; its call failed";
        let fault = Fault::new("fault.input_required", MRTR, detail);
        self.engine().complete(handle, Err(CallError::InvalidResult(fault.into())));
    }
    /// A request that waits for the client has waited long enough.
    fn waited(&mut self, _request: u64) {}
    /// A keep-alive ping is due.
    fn ping_due(&mut self) {
        if let Some(revision) = self.revision() {
            self.engine().send_ping(revision);
        }
    }
    /// A keep-alive ping was not answered.
    fn ping_missed(&mut self) {
        *self.pings_missed() += 1;
        let missed = *self.pings_missed();
        let gone = missed >= self.engine().limits.ping_failures;
        let done = if gone { "closed" } else { "the connection goes on" };
        let detail = format!("{missed} pings in a row without an answer; {done}");
        self.engine().fault("fault.ping", PING, None, detail);
        if gone {
            self.engine().end(CloseReason::KeepAlive);
        }
    }

    fn wire(&self) -> Wire {
        Wire { revision: self.revision() }
    }

    /// Whether a request comes too soon, which it is answered then.
    fn is_limited(&mut self, id: &str, reply: Reply, revision: Revision, class: Option<RateClass>) -> bool {
        let Some(class) = class else { return false };
        let principal = self.principal();
        let Err(wait) = self.engine().meter(principal, class) else { return false };
        self.engine().refuse_rate(reply, id, Wire { revision: Some(revision) }, class, wait);
        true
    }
    /// Whether a notice comes too soon.
    fn is_dropped(&mut self, row: Option<MethodId>) -> bool {
        let principal = self.principal();
        let class = row.and_then(|row| row.row().rate);
        class.is_some_and(|class| self.engine().meter(principal, class).is_err())
    }

    fn handle_message(&mut self, now: Instant, message: &[u8]) {
        if self.engine().trace.is_none() {
            return self.read(now, message);
        }
        let wire = self.wire();
        let record = self.engine().hear(now, message, wire);
        self.read(now, message);
        if let Some(record) = record {
            self.engine().heard(record);
        }
    }
    #[inline]
    fn read(&mut self, now: Instant, message: &[u8]) {
        if !self.engine().receive(now, message) {
            return;
        }
        let (limit, depth) = (self.engine().limits.message_bytes, self.engine().limits.depth);
        if message.len() > limit {
            self.too_large(message, message);
        } else {
            match envelope::parse(message, depth) {
                Ok(Message::Single(envelope)) => self.single(&envelope, Reply::Message),
                Ok(Message::Batch(text)) => self.batch(text),
                Err(error) => self.complain(
                    code::PARSE_ERROR,
                    "Parse error",
                    "fault.parse",
                    format!("{error}, of {} bytes; dropped", message.len()),
                ),
            }
        }
        self.engine().end_if_idle();
    }

    /// A line that is longer than a message may be, and begins with this; the rest is dropped.
    fn handle_too_long(&mut self, now: Instant, head: &[u8]) {
        traced!(self, now, handle_too_long(head));
        if self.engine().receive(now, b"") {
            self.too_large(head, b"");
            self.engine().end_if_idle();
        }
    }
    /// The end of that line. Where the beginning did not tell which call it answers, the end may.
    fn handle_dropped(&mut self, now: Instant, head: &[u8], tail: &[u8]) {
        traced!(self, now, handle_dropped(head, tail));
        if self.engine().begin(now) {
            self.answered_too_large(head, tail);
            self.engine().end_if_idle();
        }
    }
    fn too_large(&mut self, head: &[u8], tail: &[u8]) {
        if !self.answered_too_large(head, tail) {
            self.complain_too_large();
        }
    }
    /// Completes the call that a message answers which is too large. False: none is known.
    fn answered_too_large(&mut self, head: &[u8], tail: &[u8]) -> bool {
        let Some(Ok(handle)) = cut::response_id(head, tail).map(|id| self.engine().call_of(id)) else {
            return false;
        };
        let limit = self.engine().limits.message_bytes;
        let detail = format!("an answer longer than `message_bytes`, {limit}; dropped");
        self.answer_call(handle, Answer::Invalid(Fault::new("fault.too_large", BASE, detail)));
        true
    }

    fn complain_too_large(&mut self) {
        let limit = self.engine().limits.message_bytes;
        let detail = format!("a message longer than `message_bytes`, {limit}; dropped");
        self.complain(code::INVALID_REQUEST, "The message is too large", "fault.too_large", detail);
    }

    /// Input that names no request is bad: a server says so, a few times a second; a client only reports it.
    fn complain(&mut self, error: i32, message: &str, fault: &'static str, detail: String) {
        let wire = self.wire();
        // Before a revision is agreed, what the newer ones want: the older have no form for it.
        let omit = wire.revision.is_none_or(|revision| revision.features().errors_omit_id);
        let id = if omit { ErrorId::Absent } else { ErrorId::Null };
        let engine = self.engine();
        let replied = (engine.side == Side::Server && engine.may_complain()).then_some(error);
        if replied.is_some() {
            let _ =
                engine.send(Related::Session, true, wire, |out| write::error(out, id, error, message, None));
        }
        engine.fault(fault, BASE, replied, detail);
    }

    /// The same in a batch, where each element has its answer.
    fn complain_in(&mut self, reply: Reply, error: i32, message: &str, fault: &'static str, detail: String) {
        match reply {
            Reply::Batch(number) if self.engine().side == Side::Server => {
                let wire = self.wire();
                let engine = self.engine();
                engine.batches.add_member(number);
                let _ = engine.answer(reply, Related::Session, true, wire, "null", |out| {
                    write::error(out, ErrorId::Null, error, message, None);
                });
                engine.fault(fault, BASE, Some(error), detail);
            }
            _ => self.complain(error, message, fault, detail),
        }
    }

    /// Answers a request with an error.
    fn refuse(&mut self, reply: Reply, id: &str, error: i32, message: &str, data: Option<&str>) {
        let wire = self.wire();
        self.engine().error(reply, id, wire, error, message, data);
    }

    fn batch(&mut self, text: &str) {
        let wire = self.wire();
        let limit = self.engine().limits.batch;
        let depth = self.engine().limits.depth;
        let count = envelope::elements(text).count();
        let wrong = if !wire.revision.is_some_and(|revision| revision.features().batches) {
            Some((
                "Batches are not part of this revision",
                String::from("a batch outside 2025-03-26; refused"),
            ))
        } else if count == 0 {
            Some(("An empty batch", String::from("an empty batch; refused")))
        } else if count > limit {
            Some((
                "Too many messages in a batch",
                format!("a batch of {count}, more than `batch`, {limit}; refused"),
            ))
        } else {
            None
        };
        if let Some((message, detail)) = wrong {
            return self.complain(code::INVALID_REQUEST, message, "fault.batch", detail);
        }
        self.engine().stats.messages_in += count as u64 - 1;
        let number = self.engine().batches.open();
        let reply = Reply::Batch(number);
        for element in envelope::elements(text) {
            match envelope::parse(element.as_bytes(), depth) {
                Ok(Message::Single(envelope)) => self.single(&envelope, reply),
                _ => self.complain_in(
                    reply,
                    code::INVALID_REQUEST,
                    "Invalid Request",
                    "fault.invalid",
                    String::from("a member of a batch that is no message; refused"),
                ),
            }
        }
        let wire = self.wire();
        self.engine().member_over(number, wire);
    }

    fn single(&mut self, envelope: &Envelope<'_>, reply: Reply) {
        let limit = self.engine().limits.id_bytes;
        let id = envelope.id().filter(|id| !too_long(id, limit));
        // No schema allows an answer under a fraction; a response under one answers nothing anyway.
        let fraction = id.is_some_and(|id| !id.starts_with('"') && !is_integral(id));
        let usable = id.filter(|_| !fraction);
        match (envelope.kind(), usable) {
            (Kind::Request, None) => {
                let (message, detail) = if fraction {
                    ("The id is no whole number", String::from("a request id with a fraction; refused"))
                } else {
                    ("The id is too long", format!("a request id longer than `id_bytes`, {limit}; refused"))
                };
                let principal = self.principal();
                self.engine().audit_refused(principal, envelope, "refused.id");
                self.complain_in(reply, code::INVALID_REQUEST, message, "fault.id", detail);
            }
            (Kind::Request, Some(id)) if self.engine().requests.find(id).is_some() => {
                let principal = self.principal();
                self.engine().audit_refused(principal, envelope, "refused.duplicate_id");
                self.complain_in(
                    reply,
                    code::INVALID_REQUEST,
                    "The id is in use",
                    "fault.duplicate_id",
                    String::from("a request with the id of one in flight; refused, and the first goes on"),
                );
            }
            (Kind::Request, Some(id)) => {
                if let Reply::Batch(number) = reply {
                    self.engine().batches.add_member(number);
                }
                if self.engine().audit.is_none() {
                    return self.request(envelope, id, reply);
                }
                let principal = self.principal();
                self.engine().audit_request(principal, envelope, id);
                self.request(envelope, id, reply);
                self.engine().audit_looked_at(id);
            }
            (Kind::Notification, _) => self.notification(envelope),
            (Kind::Response, _) => self.response(envelope, id),
            (Kind::Invalid, id) => self.invalid(envelope, id, reply),
        }
    }

    fn invalid(&mut self, envelope: &Envelope<'_>, id: Option<&str>, reply: Reply) {
        let problem = envelope.problem().unwrap_or(Problem::NotObject);
        let what = match problem {
            Problem::NotObject => "a message that is no object",
            Problem::Version => "a message without `\"jsonrpc\":\"2.0\"`",
            Problem::Duplicate => "a message with a member twice",
            Problem::Id => "a request id that is neither a string nor a number",
            Problem::Method => "a method that is no string",
            Problem::Params => "params that are no object",
            Problem::Response => "a response without exactly one of `result` and `error`",
        };
        let has = |field| envelope.raw(field).is_some();
        let is_response = !has(Field::Method) && (has(Field::Result) || has(Field::Error));
        let readable = id.filter(|_| problem != Problem::Duplicate);
        if !has(Field::Method) {
            let call = readable.and_then(|id| self.engine().call_of(id).ok());
            if let Some(handle) = call {
                let detail = format!("{what}; its call failed");
                return self.answer_call(handle, Answer::Invalid(Fault::new("fault.invalid", BASE, detail)));
            }
        }
        let in_flight = readable.is_some_and(|id| self.engine().requests.find(id).is_some());
        // A client answers only where servers send requests, and only what looks like one.
        let answers = self.engine().side == Side::Server
            || has(Field::Method)
                && self.revision().is_some_and(|revision| revision.features().server_requests);
        match readable {
            Some(id) if !is_response && !in_flight && answers => {
                let error =
                    if problem == Problem::Params { code::INVALID_PARAMS } else { code::INVALID_REQUEST };
                if let Reply::Batch(number) = reply {
                    self.engine().batches.add_member(number);
                }
                self.refuse(reply, id, error, "Invalid Request", None);
                self.engine().fault("fault.invalid", BASE, Some(error), format!("{what}; refused"));
            }
            // What looks like a notice or a response is never answered.
            _ if is_response || (has(Field::Method) && !has(Field::Id)) => {
                self.engine().fault("fault.invalid", BASE, None, format!("{what}; dropped"));
            }
            _ => {
                let detail = format!("{what}; dropped");
                self.complain_in(reply, code::INVALID_REQUEST, "Invalid Request", "fault.invalid", detail);
            }
        }
    }

    fn response(&mut self, envelope: &Envelope<'_>, id: Option<&str>) {
        let error = envelope.raw(Field::Error).map(Json::from_checked);
        let Some(id) = id else {
            if let Some(error) = error.and_then(super::engine::rpc_error) {
                self.peer_error(error);
            } else {
                let detail = String::from("an error response that names no request; dropped");
                self.engine().fault("fault.invalid", BASE, None, detail);
            }
            return;
        };
        match self.engine().call_of(id) {
            Err(true) => self.engine().stats.late += 1,
            Err(false) => {
                let detail = String::from("a response to a request that was never sent; dropped");
                self.engine().fault("fault.unknown_response", BASE, None, detail);
            }
            Ok(handle) => {
                let answer = match (error, envelope.raw(Field::Result).map(Json::from_checked)) {
                    (Some(error), _) => match super::engine::rpc_error(error) {
                        Some(error) => Answer::Error(error),
                        None => Answer::Invalid(Fault::new(
                            "fault.invalid",
                            BASE,
                            "an error without `code` and `message`; its call failed",
                        )),
                    },
                    (None, result) => Answer::Result {
                        result: result.unwrap_or(Json::EMPTY_OBJECT),
                        kind: envelope.raw(Field::ResultType),
                    },
                };
                self.answer_call(handle, answer);
            }
        }
    }

    fn answer_call(&mut self, handle: u64, answer: Answer<'_>) {
        let call = self.engine().calls.get(handle);
        let Some((purpose, revision, planned)) =
            call.map(|call| (call.purpose, call.revision, call.plan.is_some()))
        else {
            return;
        };
        self.heard(Some(&answer));
        match purpose {
            Purpose::Application => {}
            Purpose::Task(_) | Purpose::Withdrawn => return self.engine().task_answered(handle, answer),
            _ => return self.answered(handle, purpose, answer),
        }
        let answer = match self.engine().created(handle, answer) {
            Created::No(answer) => answer,
            Created::Followed => return,
        };
        let outcome = match answer {
            Answer::Error(error) => Err(CallError::Rpc(error)),
            Answer::Invalid(fault) => Err(CallError::InvalidResult(fault.into())),
            Answer::Result { result, kind } => match self.result_kind(kind, revision) {
                ResultKind::Complete => Ok(Completion::new(Payload::from_json(result))),
                ResultKind::Extension(kind) => {
                    Ok(Completion { kind: Some(kind), ..Completion::new(Payload::from_json(result)) })
                }
                ResultKind::InputRequired => {
                    self.asked(handle);
                    return self.input_required(handle, result);
                }
                ResultKind::Unknown => {
                    let detail =
                        "a `resultType` that neither the protocol nor an extension defines; its call failed";
                    Err(CallError::InvalidResult(Fault::new("fault.result_type", BASE, detail).into()))
                }
            },
        };
        if planned { self.planned(handle, outcome) } else { self.engine().complete(handle, outcome) }
    }
    /// A call was answered, or with silence.
    fn heard(&mut self, _: Option<&Answer<'_>>) {}
    /// A call was answered with questions: what it comes to depends on their answers.
    fn asked(&mut self, _: u64) {}
    /// The answer to a call that has a plan for it.
    fn planned(&mut self, handle: u64, outcome: Result<Completion, CallError>) {
        self.engine().complete(handle, outcome);
    }
    /// The timer of a call that has a plan. False: it is over.
    fn planned_due(&mut self, _: u64) -> bool {
        false
    }
    /// Whether a negotiated extension defines this `resultType`.
    fn is_extension_result(&self, _: &str) -> bool {
        false
    }
    /// Told by `resultType` alone, in the revisions that have it; one that is absent means complete.
    fn result_kind(&self, kind: Option<&str>, revision: Revision) -> ResultKind {
        let Some(kind) = kind.filter(|_| revision.features().result_type) else {
            return ResultKind::Complete;
        };
        match unescape(kind).as_deref() {
            Some("complete") => ResultKind::Complete,
            Some("input_required") => ResultKind::InputRequired,
            Some(kind) if self.is_extension_result(kind) => ResultKind::Extension(kind.into()),
            _ => ResultKind::Unknown,
        }
    }

    /// `notifications/cancelled`.
    fn cancelled(&mut self, envelope: &Envelope<'_>) {
        let token =
            envelope.raw(Field::Params).map(Json::from_checked).and_then(|params| params.member("requestId"));
        let found = token.and_then(|token| self.engine().requests.find(token.get()));
        let Some(handle) = found else {
            self.engine().stats.ignored += 1;
            return;
        };
        self.engine().stats.cancelled += 1;
        self.engine().over(handle, OverReason::Cancelled);
    }

    fn handle_timeout(&mut self, now: Instant) {
        traced!(self, now, handle_timeout());
        if !self.engine().begin(now) {
            return;
        }
        while let Some(timer) = self.engine().pop_due() {
            match timer {
                Timer::Call(handle) => self.call_due(handle),
                Timer::Request(handle) => self.request_due(handle),
                Timer::Task(serial) => self.engine().expire_task(serial),
                Timer::Poll(handle) => self.engine().poll_task(handle),
                Timer::Opening => self.opening_due(),
                Timer::Ping => self.ping_due(),
                Timer::Drain => self.drained(),
            }
        }
        self.engine().end_if_idle();
    }

    fn call_due(&mut self, handle: u64) {
        if self.engine().calls.get(handle).is_some_and(super::calls::Call::is_waiting) {
            return self.engine().input_due(handle);
        }
        let call = self.engine().calls.get(handle).map(|call| (call.purpose, call.limit(), call.began));
        let Some((purpose, limit, began)) = call else { return };
        if self.planned_due(handle) {
            return;
        }
        self.engine().stats.timeouts += 1;
        let wire = self.wire();
        let error = CallError::Timeout { limit, began };
        match purpose {
            Purpose::Ping => {
                self.engine().complete(handle, Err(error));
                self.ping_missed();
            }
            Purpose::Question(request) => {
                self.engine().send_cancelled(handle, Some("timeout"), wire);
                let over = CallError::Timeout { limit, began };
                self.engine().complete(handle, Err(error));
                self.engine().question_over(request, handle, Err(over));
            }
            Purpose::Task(_) | Purpose::Withdrawn => self.engine().task_unanswered(handle, wire),
            _ => {
                self.engine().withdraw(handle, Some("timeout"), wire, error);
                self.heard(None);
            }
        }
    }

    fn request_due(&mut self, handle: u64) {
        let engine = self.engine();
        if engine.requests.get(handle).is_some_and(|request| request.asking.is_some()) {
            return self.waited(handle);
        }
        engine.stats.timeouts += 1;
        engine.fail(handle, OverReason::HandlerTimeout, code::INTERNAL_ERROR, "No answer in time");
    }

    fn handle_closed(&mut self, now: Instant) {
        traced!(self, now, handle_closed());
        if self.engine().begin(now) {
            let reason = self.channel_end();
            self.engine().end(reason);
        }
        self.engine().outbox.discard_sends();
    }

    /// The host went on feeding.
    fn overrun(&mut self, now: Instant) {
        traced!(self, now, overrun());
        self.engine().begin(now);
        self.engine().end(CloseReason::Overrun);
    }
    /// Takes a call back.
    fn cancel(&mut self, now: Instant, call: CallHandle, reason: Option<&str>) -> Result<(), SendError>;
    fn set_wall_clock(&mut self, clock: WallClock) {
        let now = self.engine().now;
        traced!(self, now, in set_wall_clock(clock));
        self.engine().clock = Some(clock);
    }
    /// Does what a trace says that the application wanted. `None`: there is no such command.
    fn command(&mut self, now: Instant, name: &str, arguments: Arguments<'_>) -> Option<()>;

    /// Progress of a request that the peer sent.
    fn progress(
        &mut self,
        now: Instant,
        handle: RequestHandle,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<bool, SendError> {
        self.engine().begin(now);
        let principal = self.principal();
        self.engine().progress(handle.as_u64(), principal, progress, total, message)
    }

    /// A notice of the peer for the application.
    fn deliver_notice(&mut self, event: Event) {
        self.engine().outbox.deliver(event);
    }
}

/// What the peer answered.
pub(crate) enum Answer<'a> {
    Result { result: Json<'a>, kind: Option<&'a str> },
    Error(RpcError),
    Invalid(Fault),
}

pub(crate) enum ResultKind {
    Complete,
    InputRequired,
    /// As a negotiated extension calls it.
    Extension(Box<str>),
    Unknown,
}
