//! A client: finds out the server's era, then calls.
pub(crate) mod cache;
pub(crate) mod elicitations;
pub(crate) mod lists;
mod opening;
pub(crate) mod subscriptions;

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

use cache::Key;
use lists::List;
use opening::STDIO;
use subscriptions::Subscription;

use super::{
    CallOptions, ClientConfig, Stats,
    calls::{Call, NewCall, Purpose},
    commands::{check_notice, respond},
    config::Allowed,
    engine::{Engine, Reply, Wire},
    meta,
    mint::Mint,
    principal::Principal,
    questions::{check_entered, check_own_answer, check_question},
    role::{Answer, PROGRESS, Role},
    rounds::beyond,
    seal::Sealer,
    tasks::{self, follow},
    traced::traced,
};
use crate::{
    CallHandle, InputHandle, RequestHandle, Seed,
    audit::{Audit, AuditRecord},
    degrade,
    error::{CallError, CloseReason, ConfigError, RpcError, SendError},
    event::{Action, Completion, Event, Input, Outcome, Related},
    json::{Json, Payload},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
        write,
    },
    method::{self, Handling, MethodId, MethodKind, Side},
    revision::{Era, Revision},
    time::{Instant, WallClock},
    trace::{Trace, TraceRecord, arguments::Arguments},
};

pub use subscriptions::SubscriptionFilter;

/// What becomes of the answer to a call, where it is not handed over as it is.
#[derive(Debug)]
pub(crate) enum Plan {
    /// It is kept too, for whom it was asked.
    Keep(Key, Principal),
    /// It is a page of a list.
    List(Box<List>),
    /// It is about a subscription.
    Subscription(Box<Subscription>),
}

/// How far the client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    /// `start` was not called.
    Idle,
    /// `server/discover` is out.
    Probing {
        /// The revision it carries.
        revision: Revision,
        /// Whether it was sent again, because the server listed the version that it refused.
        again: bool,
    },
    /// `initialize` is out.
    Handshaking {
        /// The revision asked for.
        revision: Revision,
        /// Whether a probe came before it, so that the server may yet prove to be modern.
        probed: bool,
    },
    /// Calls may be made.
    Ready(Revision),
}

/// A client on one ordered message channel.
///
/// It probes with `server/discover` and falls back to `initialize` on any answer that no modern server gives, or on
/// silence (`basic/transports/stdio` of 2026-07-28).
pub struct Client {
    engine: Engine,
    config: Arc<ClientConfig>,
    life: Life,
    /// `_meta` members of requests, where a revision has them.
    meta: Arc<str>,
    /// Methods that the server offers.
    offered: Allowed,
    /// Methods that this client serves.
    served: Allowed,
    /// Kinds of results that negotiated extensions define.
    extension_results: Vec<Box<str>>,
    /// The revision is remembered, and no answer has shown yet that the server is still of its era.
    unproven: bool,
    /// Elicitations by URL whose end the server may tell.
    /// Whom the calls are made for.
    principal: Principal,
    mint: Mint,
    pings_missed: u32,
    sealer: Sealer,
}

impl Client {
    /// Pure: says nothing yet. `seed` is fresh entropy, never used twice.
    #[allow(clippy::needless_pass_by_value, reason = "a seed is used up")]
    pub fn new(config: Arc<ClientConfig>, seed: Seed) -> Self {
        let capabilities = Json::parse(config.capabilities.as_bytes()).unwrap_or(Json::EMPTY_OBJECT);
        let limits = config.limits.clone();
        let trace = Trace::new(config.trace, &seed, limits.trace, limits.session_bytes);
        let mut engine = Engine::new(Side::Client, limits, trace);
        engine.audit = config.audit.then(|| Box::new(Audit::new(Side::Client, config.limits.trace)));
        engine.tasks.notices = config.task_notices;
        Self {
            engine,
            life: Life::Idle,
            meta: Arc::default(),
            offered: Allowed::ALL,
            served: Allowed::by(capabilities),
            extension_results: Vec::new(),
            unproven: false,
            principal: Principal::default(),
            mint: Mint::new(&seed),
            pings_missed: 0,
            sealer: Sealer::new(None, &seed),
            config,
        }
    }
    /// Which wall-clock time it is. Tasks of the server are dated with it: a client that takes them needs it before
    /// `start`.
    #[must_use]
    pub fn with_clock(mut self, clock: WallClock) -> Self {
        self.set_wall_clock(clock);
        self
    }
    /// The wall clock jumped, or became known.
    pub fn set_wall_clock(&mut self, clock: WallClock) {
        Role::set_wall_clock(self, clock);
    }
    /// Whom the calls are made for: the host's own stable name for the subject of its credentials, at most 256 bytes,
    /// never a token. Results that are private are kept for this one alone.
    pub fn with_principal(mut self, principal: &str) -> Result<Self, ConfigError> {
        self.principal = Principal::named(principal)?;
        Ok(self)
    }
    /// From now on calls are made for another; `None`: for nobody in particular.
    pub fn set_principal(&mut self, principal: Option<&str>) -> Result<(), ConfigError> {
        let now = self.engine.now;
        traced!(self, now, in set_principal(principal));
        self.principal = principal.map(Principal::named).transpose()?.unwrap_or_default();
        Ok(())
    }
    /// Begins: probe, handshake, or nothing if the revision is remembered from an earlier `Ready` of this server.
    /// `Ready` or `Closed` follows. A second `start` does nothing. Where an answer of the server, or its silence, leaves
    /// doubt that it is still of the remembered era, it is probed after all (`basic/versioning` of 2026-07-28): until the
    /// next `Ready`, calls are refused as not ready.
    pub fn start(&mut self, now: Instant, remembered: Option<&str>) {
        traced!(self, now, start(remembered));
        if !self.engine.begin(now) || self.life != Life::Idle {
            return;
        }
        let remembered = remembered
            .and_then(Revision::from_name)
            .filter(|revision| self.config.revisions.contains(revision));
        let (modern, legacy) = (self.config.preferred(Era::Modern), self.config.preferred(Era::Legacy));
        match (remembered, modern, legacy) {
            (Some(revision), ..) => {
                match revision.era() {
                    Era::Modern => self.adopt(revision, None),
                    Era::Legacy => self.initialize(revision, false),
                }
                self.unproven = self.config.probe;
            }
            (None, Some(modern), _) if self.config.probe => self.ask_era(modern, false),
            (None, _, Some(legacy)) => self.initialize(legacy, false),
            (None, Some(modern), None) => self.adopt(modern, None),
            (None, None, None) => self.engine.end(CloseReason::Handshake),
        }
    }
    /// One complete message, without its terminator.
    pub fn handle_message(&mut self, now: Instant, message: &[u8]) {
        Role::handle_message(self, now, message);
    }
    /// Fires what is due.
    pub fn handle_timeout(&mut self, now: Instant) {
        Role::handle_timeout(self, now);
    }
    /// The server will send nothing more: every call completes with `Closed`, then `Closed(Peer)`, or
    /// `Closed(ProbeClosed)` if it left before the era was known. Idempotent.
    pub fn handle_eof(&mut self, now: Instant) {
        traced!(self, now, handle_eof());
        if self.engine.begin(now) {
            let reason = self.channel_end();
            self.engine.end(reason);
        }
    }
    /// Nothing can be written any more either: as `handle_eof`, and queued messages are discarded.
    pub fn handle_closed(&mut self, now: Instant) {
        Role::handle_closed(self, now);
    }
    /// The next thing to do, or `None`. May be called at any time and stopped at any time.
    pub fn poll_action(&mut self) -> Option<Action<'_>> {
        self.engine.poll_action()
    }
    /// The next record of the trace ([`crate::trace`]).
    pub fn poll_trace(&mut self) -> Option<TraceRecord> {
        self.engine.poll_trace()
    }
    /// The next record of the audit ([`crate::audit`]).
    pub fn poll_audit(&mut self) -> Option<AuditRecord> {
        self.engine.poll_audit()
    }
    /// The next deadline, after everything so far. Constant time.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.engine.timers.next()
    }
    /// False while more input should stay in the pipe. Fed on regardless, the machine ends with `Overrun`.
    pub fn wants_read(&self) -> bool {
        self.engine.wants_read()
    }
    /// The revision that calls are made in, once it is known.
    pub fn revision(&self) -> Option<Revision> {
        match self.life {
            Life::Ready(revision) => Some(revision),
            _ => None,
        }
    }

    /// Sends a request. `params` is an object *without* the modern `_meta` members and the progress token: the engine
    /// adds them, and merges with a `_meta` that is there. `Completed` follows, exactly once: at once and `cached`, if an
    /// earlier result is fresh by the word of its server and `CallOptions::fresh` does not ask for another.
    pub fn call(
        &mut self,
        now: Instant,
        method: &str,
        params: Option<Json<'_>>,
        options: CallOptions<'_>,
    ) -> Result<CallHandle, SendError> {
        traced!(self, now, call(method, params, options));
        self.engine.begin(now);
        let (row, revision) = self.callable(method)?;
        let options = follow::checked(options, Side::Client, row, revision, self.offered)?;
        let completes = row.is_some_and(|row| row.row().handling == Handling::Complete);
        let said = params.filter(|_| completes).and_then(|params| degrade::completion(params, revision));
        let params = said.as_deref().map(Json::from_checked).or(params);
        let meta = self.meta_of(&options, revision);
        let call = NewCall { purpose: Purpose::Application, method, row, revision, params, meta: &meta };
        let key = row.filter(|row| self.may_keep(*row, revision)).and_then(|row| Key::new(row, params));
        let Some(key) = key else { return self.engine.start_call(&call, &options).map(CallHandle) };
        Engine::check_call(&call, &options)?;
        if let Some(result) = self.kept(&key, self.principal).filter(|_| !options.fresh) {
            return self.engine.answer_from_cache(result);
        }
        let handle = self.engine.start_call(&call, &options)?;
        self.plan(handle, Plan::Keep(key, self.principal));
        Ok(CallHandle(handle))
    }
    /// Whether the server lives: `ping`, or `server/discover` in the revisions that lack it. Its `Completed` says so, after
    /// `Limits::ping_timeout` at the latest.
    pub fn probe(&mut self, now: Instant) -> Result<CallHandle, SendError> {
        traced!(self, now, probe());
        self.engine.begin(now);
        let revision = self.may_call()?;
        let row = method::with_handling(Handling::Ping, Side::Client, revision)
            .or_else(|| method::with_handling(Handling::Discover, Side::Client, revision))
            .ok_or(SendError::NotInRevision)?;
        let (method, limit) = (row.row().name, Some(self.engine.limits.ping_timeout));
        let call = NewCall {
            purpose: Purpose::Application,
            method,
            row: Some(row),
            revision,
            params: None,
            meta: &self.meta,
        };
        let options = CallOptions::new().timeouts(limit, limit);
        self.engine.start_call(&call, &options).map(CallHandle)
    }
    /// Takes a call back. `Completed(Cancelled)` follows; an answer that comes later is swallowed.
    pub fn cancel(&mut self, now: Instant, call: CallHandle, reason: Option<&str>) -> Result<(), SendError> {
        traced!(self, now, cancel(call, reason));
        self.engine.begin(now);
        let wire = self.wire();
        self.unsubscribe(call.as_u64());
        self.engine.cancel(call.as_u64(), reason, wire)
    }
    /// Answers a question. Never `Blocked`. In which revision it was asked does not matter: the answer goes out by itself,
    /// or with the others when its call is made again. An error says that it is not answered: the server is told, or the
    /// call that asks ends with [`CallError::Input`]. `Invalid`: no answer to this question, and it stays open. Of roots
    /// each needs a `file://` URI (`client/roots`).
    pub fn answer(
        &mut self,
        now: Instant,
        input: InputHandle,
        outcome: Outcome<'_>,
    ) -> Result<(), SendError> {
        traced!(self, now, answer(input, outcome));
        self.engine.begin(now);
        let answered = match self.engine.answer_input(input.as_u64(), &outcome) {
            Some(answered) => answered,
            None => self.answer_request(input.as_u64(), outcome),
        };
        self.engine.end_if_idle();
        answered
    }
    /// Answers a question that came as a request.
    fn answer_request(&mut self, input: u64, outcome: Outcome<'_>) -> Result<(), SendError> {
        let request = self.engine.requests.get(input);
        let asked = request.and_then(|request| request.method.map(|row| (request, row)));
        if matches!(outcome, Outcome::Extension { .. }) {
            return Err(SendError::Invalid("a result of an extension answers a request of the client"));
        }
        let (Some((request, row)), Outcome::Result { result, cache }) = (asked, outcome) else {
            return respond(&mut self.engine, input, outcome, "");
        };
        let params = Json::from_checked(&request.buf).member("params");
        check_own_answer(row, params, result).map_err(SendError::Invalid)?;
        check_entered(row, params, result)
            .map_err(|violations| SendError::FormMismatch(format!("{violations}").into()))?;
        let said = match row.row().handling {
            Handling::Sample => degrade::sampling_result(result, request.revision),
            _ => Ok(None),
        };
        let said = said
            .map_err(|_| SendError::Invalid("this revision can't say several contents, or uses of tools"))?;
        let result = said.as_deref().map_or(result, Json::from_checked);
        respond(&mut self.engine, input, Outcome::Result { result, cache }, "")
    }
    /// Progress of a question that asked for it. `Ok(false)`: not sent, because no token was given or the value didn't rise.
    pub fn progress(
        &mut self,
        now: Instant,
        input: InputHandle,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<bool, SendError> {
        traced!(self, now, progress(input, progress, total, message));
        if self.engine.inputs.get(input.as_u64()).is_some() {
            // What came in a result has no token.
            return Ok(false);
        }
        Role::progress(self, now, RequestHandle::from_u64(input.as_u64()), progress, total, message)
    }
    /// Says how a task of the server is getting on, for a person to read: its `statusMessage`, cut after 1,024 bytes; an
    /// empty text takes it back. `Invalid` on a question that is no task.
    pub fn task_status(&mut self, now: Instant, input: InputHandle, message: &str) -> Result<(), SendError> {
        traced!(self, now, task_status(input, message));
        self.engine.begin(now);
        self.engine.say_task(input.as_u64(), message)
    }
    /// Any other notice (roots changed…). Those that the engine sends itself are refused.
    pub fn notify(&mut self, now: Instant, method: &str, params: Option<Json<'_>>) -> Result<(), SendError> {
        traced!(self, now, notify(method, params));
        self.engine.begin(now);
        if !self.engine.is_open() {
            return Err(SendError::Closed);
        }
        let Life::Ready(revision) = self.life else { return Err(SendError::NotReady) };
        let row = method::find(method, MethodKind::Notification, Side::Client, revision);
        check_notice(row, method, params)?;
        if let Some(row) = row.filter(|row| !self.served.has(*row, revision)) {
            return Err(SendError::MissingCapability(row.row().capability.unwrap_or_default()));
        }
        self.engine.room()?;
        let wire = self.wire();
        self.engine
            .send(Related::Session, false, wire, |out| write::notification(out, method, params))
            .map(drop)
    }
    /// Takes no new calls, ends subscriptions, lets calls that run finish until `drain` has passed, cancels the rest, then `Closed(Local)`,
    /// or `Closed(DrainTimeout)` where some were.
    pub fn close(&mut self, now: Instant, drain: Duration) {
        traced!(self, now, close(drain));
        if !self.engine.begin(now) {
            return;
        }
        if matches!(self.life, Life::Ready(_)) {
            for subscription in self.subscriptions() {
                let _ = self.cancel(now, CallHandle(subscription), Some("closing"));
            }
            self.engine.end_after(drain, CloseReason::Local);
        } else {
            self.engine.end(CloseReason::Local);
        }
    }
    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.engine.stats
    }
    /// Bytes held for the peer: requests that await an answer, subscriptions, batches, tasks, queued output and undelivered
    /// events. `Limits::session_bytes` says how many there may be.
    pub fn held_bytes(&self) -> usize {
        self.engine.held_bytes()
    }

    /// The revision that a call is made in, if calls may be made now.
    fn may_call(&self) -> Result<Revision, SendError> {
        match self.life {
            _ if !self.engine.is_open() => Err(SendError::Closed),
            Life::Ready(revision) => Ok(revision),
            _ => Err(SendError::NotReady),
        }
    }
    /// The row of a method that may be called now, if the table has one, and the revision.
    fn callable(&self, method: &str) -> Result<(Option<MethodId>, Revision), SendError> {
        let revision = self.may_call()?;
        let row = method::find(method, MethodKind::Request, Side::Client, revision)
            .or_else(|| method::find_extension(method, MethodKind::Request, Side::Client, revision));
        let Some(id) = row else {
            let known = method::is_known(method);
            return if known { Err(SendError::NotInRevision) } else { Ok((None, revision)) };
        };
        let row = id.row();
        if row.handling == Handling::Initialize {
            return Err(SendError::Invalid("the engine sends `initialize` itself"));
        }
        // An extension takes both sides.
        let both = row.extension.is_none() || self.served.has(id, revision);
        if !both || !self.offered.has(id, revision) {
            let missing = row.extension.or(row.capability);
            return Err(SendError::MissingCapability(missing.unwrap_or_default()));
        }
        Ok((Some(id), revision))
    }
    /// The engine's `_meta` members of a call.
    fn meta_of(&self, options: &CallOptions<'_>, revision: Revision) -> Arc<str> {
        match options.log_level.filter(|_| revision.era() == Era::Modern) {
            Some(level) => format!("{},\"{}\":\"{}\"", self.meta, meta::LOG_LEVEL, level.name()).into(),
            None => Arc::clone(&self.meta),
        }
    }
    fn plan(&mut self, handle: u64, plan: Plan) {
        if let Some(call) = self.engine.calls.get_mut(handle) {
            call.plan = Some(Box::new(plan));
        }
    }
    /// The revision that messages of the server are read in.
    fn reading(&self) -> Option<Revision> {
        match self.life {
            Life::Ready(revision) | Life::Handshaking { revision, .. } => Some(revision),
            Life::Idle | Life::Probing { .. } => self.config.preferred(Era::Legacy),
        }
    }
}

impl Role for Client {
    fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }
    fn engine_ref(&self) -> &Engine {
        &self.engine
    }
    /// There is one server, which need not say who it is.
    fn principal(&self) -> Principal {
        Principal::default()
    }
    fn revision(&self) -> Option<Revision> {
        Client::revision(self)
    }
    fn request(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply) {
        let revision = self.reading().filter(|revision| revision.features().server_requests);
        let Some(revision) = revision else {
            // Nothing is answered: a client of these revisions writes no responses.
            let detail =
                String::from("a request from the server, which has no place in this revision; dropped");
            return self.engine.fault("fault.server_request", STDIO, None, detail);
        };
        let name = envelope.method().unwrap_or_default();
        let row = method::find(&name, MethodKind::Request, Side::Server, revision);
        let wire = Wire { revision: Some(revision) };
        let Some(row) = row.filter(|row| self.served.has(*row, revision)) else {
            return self.refuse(reply, id, code::METHOD_NOT_FOUND, "Method not found", None);
        };
        if row.row().handling == Handling::Ping {
            let _ = self.engine.answer(reply, Related::Session, true, wire, id, |out| {
                write::result(out, id, Json::EMPTY_OBJECT, &write::Stamp::default());
            });
            return;
        }
        if !matches!(self.life, Life::Ready(_)) {
            return self.refuse(reply, id, code::INVALID_REQUEST, "Not initialized", None);
        }
        if self.is_limited(id, reply, revision, row.row().rate) {
            return;
        }
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        let missing =
            row.row().required.iter().find(|field| params.and_then(|params| params.member(field)).is_none());
        if let Some(field) = missing {
            return self.refuse(reply, id, code::INVALID_PARAMS, &format!("`{field}` is missing"), None);
        }
        if matches!(
            row.row().handling,
            Handling::TaskGet | Handling::TaskResult | Handling::TaskCancel | Handling::TaskList
        ) {
            return tasks::receive::serve(self, envelope, id, reply, revision, row);
        }
        let features = revision.features();
        if let Err(what) = check_question(row, features.elicitation_modes, params) {
            return self.refuse(reply, id, code::INVALID_PARAMS, what, None);
        }
        if let Some(why) = beyond(row, revision, params, self.served, &self.engine.limits) {
            return self.refuse(reply, id, code::INVALID_PARAMS, &format!("Not answered: {why}"), None);
        }
        let limit = self.engine.limits.open_questions;
        if self.engine.open_questions() >= limit {
            return self.engine.refuse(reply, id, wire, ("open_questions", Some(limit)));
        }
        let admitted = tasks::receive::admit(self, envelope, id, reply, revision, Some(row));
        let Some((handle, buf, task)) = admitted else { return };
        if let Some(params) = params.filter(|_| row.row().handling == Handling::Elicit) {
            self.engine.elicitations.asked(params);
        }
        let params = envelope.span(Field::Params);
        let call = match task {
            None => self.engine.serve_task(handle, envelope, revision).map(CallHandle),
            Some(_) => None,
        };
        self.engine.outbox.deliver(Event::Input(Input {
            input: InputHandle(handle),
            call,
            task,
            method: row.row().name,
            params: (params != (0, 0)).then(|| Payload::new(buf, params)),
        }));
    }
    fn notification(&mut self, envelope: &Envelope<'_>) {
        let name = envelope.method().unwrap_or_default();
        let row = self
            .reading()
            .and_then(|revision| method::find(&name, MethodKind::Notification, Side::Server, revision));
        if self.is_dropped(row) {
            return;
        }
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        let row = row.map(MethodId::row);
        match row.map(|row| row.handling) {
            Some(Handling::Cancelled) => {
                let token = params.and_then(|params| params.member("requestId")).map_or("null", Json::get);
                match self.engine.call_of(token) {
                    // No other call is ended so. The notice or the result may come, or both: either is the end that
                    // the server wanted, unlike a cancellation of ours.
                    Ok(handle) if self.engine.calls.get(handle).is_some_and(Call::is_subscription) => {
                        let end = Ok(Completion::new(Payload::from_json(Json::EMPTY_OBJECT)));
                        if self.engine.calls.get(handle).is_some_and(|call| call.plan.is_some()) {
                            self.stream_ended(handle, end);
                        } else {
                            self.engine.complete(handle, end);
                        }
                    }
                    _ => self.cancelled(envelope),
                }
            }
            Some(Handling::Progress) => {
                if let Some(params) = params {
                    let token = params.member("progressToken").map_or("null", Json::get);
                    self.engine.progressed(token, params, PROGRESS);
                }
            }
            Some(Handling::TaskStatus) if self.engine.task_told(envelope) => {}
            Some(Handling::ElicitationComplete) if !self.engine.elicitations.complete(params) => {
                self.engine.stats.ignored += 1;
            }
            Some(_) => {
                let Some(row) = row else { return };
                let named = match envelope.raw(Field::SubscriptionId).map(|token| self.engine.call_of(token))
                {
                    // The subscription is over; what was on its way is not news.
                    Some(Err(true)) => {
                        self.engine.stats.late += 1;
                        return;
                    }
                    Some(Ok(call)) => Some(call),
                    None | Some(Err(false)) => None,
                };
                let uri = row.name_field.and_then(|field| params?.member(field)?.as_str());
                self.outdate(row, uri.as_deref());
                let acknowledges = row.handling == Handling::Acknowledged;
                if !(acknowledges && named.is_some_and(|handle| self.acknowledged(handle, params))) {
                    self.deliver_change(row, params, named);
                }
            }
            None => self.engine.stats.ignored += 1,
        }
    }
    fn answered(&mut self, handle: u64, purpose: Purpose, answer: Answer<'_>) {
        self.engine.complete(handle, Err(CallError::Cancelled));
        match purpose {
            Purpose::Probe => self.discovered(answer),
            Purpose::Initialize => self.initialized(answer),
            Purpose::Ping => self.pings_missed = 0,
            Purpose::Application
            | Purpose::Question(_)
            | Purpose::Task(_)
            | Purpose::Withdrawn
            | Purpose::Unsubscribe => {}
        }
    }
    fn asked(&mut self, handle: u64) {
        if let Some(call) = self.engine.calls.get_mut(handle) {
            call.plan.take_if(|plan| matches!(**plan, Plan::Keep(..)));
        }
    }
    fn planned(&mut self, handle: u64, outcome: Result<Completion, CallError>) {
        let Some(call) = self.engine.calls.get_mut(handle) else { return };
        match call.plan.take_if(|plan| !matches!(**plan, Plan::Subscription(_))).map(|plan| *plan) {
            Some(Plan::Keep(key, principal)) => {
                match &outcome {
                    Ok(Completion { result, kind: None, .. }) => self.keep(key, principal, result),
                    Err(CallError::Rpc(error)) if error.code == i64::from(code::INVALID_PARAMS) => {
                        self.engine.cache.refused(&key);
                    }
                    _ => {}
                }
                self.engine.complete(handle, outcome);
            }
            Some(Plan::List(list)) => self.list_answered(handle, list, outcome),
            _ => self.subscription_answered(handle, outcome),
        }
    }
    fn planned_due(&mut self, handle: u64) -> bool {
        self.subscription_due(handle)
    }
    fn is_extension_result(&self, kind: &str) -> bool {
        self.extension_results.iter().any(|own| **own == *kind)
    }
    fn peer_error(&mut self, error: RpcError) {
        let probe = self.opening_call().filter(|_| matches!(self.life, Life::Probing { .. }));
        match probe {
            Some(probe) => {
                self.answered(probe, Purpose::Probe, Answer::Error(error));
            }
            None => self.report(error),
        }
    }
    fn heard(&mut self, answer: Option<&Answer<'_>>) {
        let is_proof = match answer {
            Some(Answer::Result { kind, .. }) => kind.is_some(),
            Some(Answer::Error(error)) => code::is_modern(error.code),
            Some(Answer::Invalid(_)) | None => false,
        };
        if is_proof {
            self.unproven = false;
        } else if let (Life::Ready(_), Some(modern)) = (self.life, self.doubted()) {
            self.ask_era(modern, false);
        }
    }
    fn input_required(&mut self, handle: u64, result: Json<'_>) {
        self.engine.input_required(handle, result, self.served);
    }
    fn opening_due(&mut self) {
        self.engine.opening = 0;
        match self.life {
            // The probe stays known: an answer that comes late still proves the era.
            Life::Probing { .. } => self.fall_back(None),
            Life::Handshaking { .. } => match self.doubted() {
                Some(modern) => self.ask_era(modern, false),
                None => self.fail(None, "no answer to `initialize` in time"),
            },
            Life::Idle | Life::Ready(_) => {}
        }
    }
    fn pings_missed(&mut self) -> &mut u32 {
        &mut self.pings_missed
    }
    fn input_ended(&mut self, now: Instant) {
        self.handle_eof(now);
    }
    fn channel_end(&self) -> CloseReason {
        match self.life {
            Life::Probing { .. } | Life::Handshaking { probed: true, .. } => CloseReason::ProbeClosed,
            _ => CloseReason::Peer,
        }
    }
    fn drained(&mut self) {
        self.engine.run_out();
        let wire = self.wire();
        while let Some(handle) = self.engine.calls.first() {
            if self.engine.cancel(handle, Some("closing"), wire).is_err() {
                self.engine.complete(handle, Err(CallError::Cancelled));
            }
        }
        self.engine.drained();
    }
    fn cancel(&mut self, now: Instant, call: CallHandle, reason: Option<&str>) -> Result<(), SendError> {
        Client::cancel(self, now, call, reason)
    }
    fn command(&mut self, now: Instant, name: &str, arguments: Arguments<'_>) -> Option<()> {
        self.replayed(now, name, arguments)
    }
    fn takes_task(&self, row: MethodId, revision: Revision) -> bool {
        self.served.takes_task(row, revision)
    }
    fn draw(&mut self) -> [u8; 16] {
        self.mint.draw()
    }
    fn sealer(&self) -> &Sealer {
        &self.sealer
    }
    fn page_size(&self) -> usize {
        100
    }
}
