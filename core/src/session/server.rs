//! A server: serves modern requests statelessly and one legacy session, side by side.
mod receiving;

use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

use super::{
    CallOptions, Catalog, Change, LogLevel, ServerConfig, Stats,
    calls::{NewCall, Purpose, check_meta},
    catalog::View,
    commands::{check_notice, respond},
    config::{Allowed, Need},
    engine::{Engine, Wire},
    extensions::declares_extension,
    meta,
    mint::Mint,
    missing::Missing,
    principal::Principal,
    questions::{check_own_question, is_url, lacking, said},
    requests::Received,
    role::Role,
    seal::Sealer,
    service::Service,
    state::SessionState,
    tasks::follow,
    tools::write_tool_error,
    traced::traced,
};
use crate::{
    CallHandle, RequestHandle, Seed,
    audit::{Audit, AuditRecord},
    error::{CloseReason, ConfigError, SendError},
    event::{Action, Outcome, Related, Target},
    json::Json,
    jsonrpc::{
        code,
        envelope::{self, Message},
        write,
    },
    method::{self, Handling, MethodKind, RateClass, Side},
    revision::{Era, Revision},
    time::{Instant, WallClock},
    trace::{Trace, TraceRecord},
};

use receiving::capabilities;
pub(super) use receiving::{Found, param, request_of};

/// A server on one ordered message channel.
///
/// It goes by each message: a request with modern `_meta` is served statelessly, `initialize` opens the legacy session,
/// and both may be interleaved (`basic/versioning` of 2026-07-28).
pub struct Server {
    pub(super) service: Service,
    pub(super) state: SessionState,
    /// Of the last request that carried its own, for errors that name no request.
    last_modern: Option<Revision>,
}

impl Server {
    /// Pure: says nothing yet. `seed` is fresh entropy, never used twice.
    #[allow(clippy::needless_pass_by_value, reason = "a seed is used up")]
    pub fn new(config: Arc<ServerConfig>, seed: Seed) -> Self {
        let declared = config.declared();
        let limits = config.limits.clone();
        let trace = Trace::new(config.trace, &seed, limits.trace, limits.session_bytes);
        let mut engine = Engine::new(Side::Server, limits, trace);
        engine.audit = config.audit.then(|| Box::new(Audit::new(Side::Server, config.limits.trace)));
        engine.tasks.notices = config.task_notices;
        Self {
            service: Service {
                engine,
                catalog: config.catalog.clone(),
                sealer: Sealer::new(config.keys.as_ref(), &seed),
                mint: Mint::new(&seed),
                allowed: Allowed::by(Json::from_checked(&declared)),
                declared,
                result_meta: config.result_meta(),
                modern: config.versions(Era::Modern),
                config,
            },
            state: SessionState::new(),
            last_modern: None,
        }
    }
    /// Whom the channel belongs to: the host's name for an authenticated subject, stable over token refreshes, never the
    /// token, at most 256 bytes. Without this it is nobody, who has no protection from other nobodies: what is sealed for
    /// one is good for all. State and tasks of one principal are unknown to every other.
    pub fn with_principal(mut self, principal: &str) -> Result<Self, ConfigError> {
        self.state.principal = Principal::named(principal)?;
        Ok(self)
    }
    /// The groups of whom the channel belongs to, which decide what it sees of a catalog whose entries are not for
    /// everyone ([`Definition::visible_to`](super::Definition::visible_to)). Without this, none.
    #[must_use]
    pub fn with_groups<'a>(mut self, groups: impl IntoIterator<Item = &'a str>) -> Self {
        let mut groups: Vec<Box<str>> = groups.into_iter().map(Box::from).collect();
        groups.sort_unstable();
        groups.dedup();
        self.state.groups = (!groups.is_empty()).then(|| groups.into());
        self
    }
    /// Which wall-clock time it is. What leaves the process with a date (sealed state, tasks) needs it.
    #[must_use]
    pub fn with_clock(mut self, clock: WallClock) -> Self {
        self.set_wall_clock(clock);
        self
    }
    /// The wall clock jumped, or became known.
    pub fn set_wall_clock(&mut self, clock: WallClock) {
        Role::set_wall_clock(self, clock);
    }

    /// One complete message, without its terminator. Copied (once) only if the application is to see it.
    pub fn handle_message(&mut self, now: Instant, message: &[u8]) {
        Role::handle_message(self, now, message);
    }
    /// Fires what is due.
    pub fn handle_timeout(&mut self, now: Instant) {
        Role::handle_timeout(self, now);
    }
    /// The peer will send nothing more, but can still read: requests in flight may be answered until all are, or
    /// `Limits::drain` has passed; calls of ours fail at once, because no answer can come. Then `Closed(Peer)`. Idempotent.
    pub fn handle_eof(&mut self, now: Instant) {
        traced!(self, now, handle_eof());
        if !self.service.engine.begin(now) {
            return;
        }
        self.service.engine.close_calls();
        self.service.engine.abandon_tasks();
        self.service.engine.end_asking();
        self.end_subscriptions();
        if self.service.engine.is_open() {
            let drain = self.service.engine.limits.drain;
            self.service.engine.end_after(drain, CloseReason::Peer);
        }
        self.service.engine.end_if_idle();
    }
    /// Nothing can be read or written any more. Queued messages are discarded; the outcomes, then `Closed(Peer)`. Idempotent.
    pub fn handle_closed(&mut self, now: Instant) {
        Role::handle_closed(self, now);
    }
    /// The next thing to do, or `None`. May be called at any time and stopped at any time.
    pub fn poll_action(&mut self) -> Option<Action<'_>> {
        self.say_held();
        self.service.engine.poll_action()
    }
    /// The next record of the trace ([`crate::trace`]).
    pub fn poll_trace(&mut self) -> Option<TraceRecord> {
        self.service.engine.poll_trace()
    }
    /// The next record of the audit ([`crate::audit`]).
    pub fn poll_audit(&mut self) -> Option<AuditRecord> {
        self.service.engine.poll_audit()
    }
    /// The next deadline, after everything so far. Constant time.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.service.engine.timers.next()
    }
    /// False while more input should stay in the pipe: the event queue is full, or the engine's own replies wait to be
    /// written. It never depends on the number of requests in flight, whose answers and cancellations come over the
    /// same pipe. Fed on regardless, the machine ends with `Overrun`.
    pub fn wants_read(&self) -> bool {
        self.service.engine.wants_read()
    }

    /// Answers. `Over` if the request was cancelled or closed meanwhile: normal, ignore it. Never `Blocked`.
    ///
    /// With the feature `schema`, the result of a tool that declares an `outputSchema` is held against it
    /// (`server/tools`): `OutputMismatch`, and the request still awaits its answer.
    pub fn respond(
        &mut self,
        now: Instant,
        request: RequestHandle,
        outcome: Outcome<'_>,
    ) -> Result<(), SendError> {
        traced!(self, now, respond(request, outcome));
        self.service.engine.begin(now);
        if let Outcome::Extension { result_type, .. } = outcome {
            self.check_extension(request.as_u64(), result_type)?;
        }
        if let Outcome::Error { code: code::URL_ELICITATION_REQUIRED, .. } = outcome
            && let Some(received) = self.service.engine.requests.get(request.as_u64())
            && received.revision.features().elicitation_id
            && !self.state.peer.covers(Need::Url)
        {
            return Err(SendError::MissingCapability(Need::Url.path()));
        }
        let mut watch = None;
        if let Outcome::Result { result, .. } = outcome {
            let handle = request.as_u64();
            match self.service.engine.requests.get(handle).and_then(Received::handling) {
                Some(Handling::Listen) => return self.accept_stream(handle, result),
                Some(Handling::Subscribe) => watch = Some(self.accept_subscription(handle)?),
                Some(Handling::CallTool) => self.check_output(handle, result)?,
                _ => {}
            }
        }
        let Service { engine, result_meta, .. } = &mut self.service;
        engine.begin(now);
        let answered = match outcome {
            Outcome::InputRequired { questions, state } => self.ask(request.as_u64(), questions, state),
            outcome => respond(engine, request.as_u64(), outcome, result_meta),
        };
        if let (Ok(()), Some(uri)) = (&answered, watch) {
            self.watch_for_session(&uri);
        }
        self.service.engine.end_if_idle();
        answered
    }
    /// Answers a request whose arguments do not fit, as its revision wants: a tool result with `isError`, or -32602
    /// (`server/tools`). `text` says what does not fit, for the model.
    pub fn respond_invalid_arguments(
        &mut self,
        now: Instant,
        request: RequestHandle,
        text: &str,
    ) -> Result<(), SendError> {
        traced!(self, now, respond_invalid_arguments(request, text));
        let engine = &self.service.engine;
        let Some(received) = engine.requests.get(request.as_u64()) else {
            return Err(engine.gone(request.as_u64()));
        };
        let is_tool = received.method.is_some_and(|id| id.row().handling == Handling::CallTool);
        if is_tool && received.revision.features().argument_errors_are_results {
            self.respond_tool_error(now, request, text)
        } else {
            self.respond(
                now,
                request,
                Outcome::Error { code: code::INVALID_PARAMS, message: text, data: None },
            )
        }
    }
    /// Answers a `tools/call` whose handler failed: a result with `isError` and this text, for the model.
    pub fn respond_tool_error(
        &mut self,
        now: Instant,
        request: RequestHandle,
        text: &str,
    ) -> Result<(), SendError> {
        traced!(self, now, respond_tool_error(request, text));
        let mut result = String::from("{");
        write_tool_error(&mut result, text);
        result.push('}');
        let result = Json::from_checked(&result);
        self.respond(now, request, Outcome::Result { result, cache: None })
    }
    /// Answers that what the request names does not exist, as its revision wants: for a resource -32002 or -32602, with
    /// its URI in `data` (`server/resources`), otherwise -32602.
    pub fn respond_not_found(&mut self, now: Instant, request: RequestHandle) -> Result<(), SendError> {
        traced!(self, now, respond_not_found(request));
        let engine = &self.service.engine;
        let received = engine.requests.get(request.as_u64());
        let Some(received) = received.filter(|received| !received.engine_owned()) else {
            return Err(engine.gone(request.as_u64()));
        };
        let (row, revision) = (received.method, received.revision);
        let buf = Arc::clone(&received.buf);
        let params = Json::from_checked(&buf).member("params");
        let name = row
            .and_then(|row| row.row().name_field)
            .and_then(|field| params?.member(field))
            .map_or("\"\"", Json::get);
        let missing = Missing::of(row.map(|row| row.row().handling), revision, name);
        let data = missing.data.as_deref().map(Json::from_checked);
        let message = &missing.message;
        self.respond(now, request, Outcome::Error { code: missing.code, message, data })
    }
    /// Progress of a live request. `Ok(false)`: not sent, because no token was given or the value didn't rise
    /// (`basic/utilities/progress`).
    pub fn progress(
        &mut self,
        now: Instant,
        request: RequestHandle,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<bool, SendError> {
        traced!(self, now, progress(request, progress, total, message));
        Role::progress(self, now, request, progress, total, message)
    }
    /// Says how a task is getting on, for a person to read: its `statusMessage`, cut after 1,024 bytes; an empty text
    /// takes it back. `Invalid` on a request that is no task (`basic/utilities/tasks` of 2025-11-25).
    pub fn task_status(
        &mut self,
        now: Instant,
        request: RequestHandle,
        message: &str,
    ) -> Result<(), SendError> {
        traced!(self, now, task_status(request, message));
        self.service.engine.begin(now);
        self.service.engine.say_task(request.as_u64(), message)
    }
    /// A log notice of a live request, or of the legacy session. `Ok(false)`: below the level, or not asked for
    /// (`server/utilities/logging`). Needs the capability `logging`.
    pub fn log(
        &mut self,
        now: Instant,
        target: Target,
        level: LogLevel,
        logger: Option<&str>,
        data: Json<'_>,
    ) -> Result<bool, SendError> {
        traced!(self, now, log(target, level, logger, data));
        self.service.engine.begin(now);
        let (revision, wanted, related) = self.target(target)?;
        let Some(row) = method::with_handling(Handling::Log, Side::Server, revision) else {
            return Err(SendError::NotInRevision);
        };
        if !self.service.allowed.has(row, revision) {
            return Err(SendError::MissingCapability(row.row().capability.unwrap_or_default()));
        }
        let silent = match (revision.era(), wanted) {
            (Era::Modern, None) => true,
            (_, wanted) => wanted.is_some_and(|wanted| level < wanted),
        };
        if silent {
            return Ok(false);
        }
        let engine = &mut self.service.engine;
        engine.room()?;
        if engine.meter(self.state.principal, RateClass::NoticesOut).is_err() {
            return Ok(false);
        }
        let related_task = related_task(engine, target);
        let params = |out: &mut String| {
            out.push('{');
            meta::prefix(out, &related_task);
            out.push_str("\"level\":\"");
            out.push_str(level.name());
            out.push('"');
            if let Some(logger) = logger {
                out.push_str(",\"logger\":");
                write::string(out, logger);
            }
            out.push_str(",\"data\":");
            write::json(out, data);
            out.push('}');
        };
        let wire = Wire { revision: Some(revision) };
        engine
            .send(related, false, wire, |out| write::notification_with(out, row.row().name, Some(params)))?;
        Ok(true)
    }
    /// Any other notice. Those that the engine sends itself (progress, log, cancellation, list changes) are refused.
    pub fn notify(
        &mut self,
        now: Instant,
        target: Target,
        method: &str,
        params: Option<Json<'_>>,
    ) -> Result<(), SendError> {
        traced!(self, now, notify(target, method, params));
        self.service.engine.begin(now);
        let (revision, _, related) = self.target(target)?;
        let row = method::find(method, MethodKind::Notification, Side::Server, revision);
        check_notice(row, method, params)?;
        if row.is_some() && revision.features().listen {
            return Err(SendError::Invalid("this notice is sent on a subscription alone"));
        }
        if let Some(row) = row.filter(|row| !self.service.allowed.has(*row, revision)) {
            return Err(SendError::MissingCapability(row.row().capability.unwrap_or_default()));
        }
        let engine = &mut self.service.engine;
        engine.room()?;
        let wire = Wire { revision: Some(revision) };
        let related_task = related_task(engine, target);
        if related_task.is_empty() {
            return engine
                .send(related, false, wire, |out| write::notification(out, method, params))
                .map(drop);
        }
        check_meta(params.and_then(|params| params.member("_meta")), false)?;
        let params = |out: &mut String| {
            write::with_meta(out, params.unwrap_or(Json::EMPTY_OBJECT), &related_task);
        };
        engine.send(related, false, wire, |out| write::notification_with(out, method, Some(params))).map(drop)
    }
    /// A request to the client, in the revisions where a server sends them (`NotInRevision` otherwise). `Completed` follows.
    pub fn call(
        &mut self,
        now: Instant,
        target: Target,
        method: &str,
        params: Option<Json<'_>>,
        options: CallOptions<'_>,
    ) -> Result<CallHandle, SendError> {
        traced!(self, now, call(target, method, params, options));
        self.service.engine.begin(now);
        if !self.service.engine.is_open() {
            return Err(SendError::Closed);
        }
        let (revision, ..) = self.target(target)?;
        if !revision.features().server_requests {
            return Err(SendError::NotInRevision);
        }
        let row = method::find(method, MethodKind::Request, Side::Server, revision);
        if row.is_none() && method::is_known(method) {
            return Err(SendError::NotInRevision);
        }
        let is_ping = row.is_some_and(|row| row.row().handling == Handling::Ping);
        if !self.state.initialized && !is_ping {
            return Err(SendError::NotReady);
        }
        let missing = row.map(|row| lacking(row, revision, params, self.state.peer)).unwrap_or_default();
        if let Some(missing) = missing.first() {
            return Err(SendError::MissingCapability(missing));
        }
        if let Some(row) = row.filter(|row| row.row().handling.is_question()) {
            let features = revision.features();
            check_own_question(row, features.elicitation_modes, params).map_err(SendError::Invalid)?;
            let id = params.and_then(|params| params.member("elicitationId"));
            if features.elicitation_id && is_url(params) && id.is_none() {
                return Err(SendError::Invalid("a question with a URL needs an `elicitationId`"));
            }
        }
        let older = row.map_or(Ok(None), |row| {
            let capability = row.row().capability.unwrap_or_default();
            said(row, revision, params).map_err(|_| SendError::MissingCapability(capability))
        })?;
        let params = older.as_deref().map(Json::from_checked).or(params);
        let options = follow::checked(options, Side::Server, row, revision, self.state.peer)?;
        let engine = &mut self.service.engine;
        let related_task = related_task(engine, target);
        let call =
            NewCall { purpose: Purpose::Application, method, row, revision, params, meta: &related_task };
        let call = engine.start_call(&call, &options)?;
        if let Target::Request(request) = target
            && row.is_some_and(|row| row.row().handling.is_question())
        {
            engine.ask_for(request.as_u64(), call);
        }
        Ok(CallHandle(call))
    }
    /// Takes a call back. `Completed(Cancelled)` follows; an answer that comes later is swallowed.
    pub fn cancel(&mut self, now: Instant, call: CallHandle, reason: Option<&str>) -> Result<(), SendError> {
        traced!(self, now, cancel(call, reason));
        self.service.engine.begin(now);
        let wire = self.wire();
        self.service.engine.cancel(call.as_u64(), reason, wire)
    }
    /// Something changed: those who asked are told (`server/resources`, and `basic/patterns/subscriptions` of
    /// 2026-07-28). Of a list, or of one resource, at most one notice to each subscriber waits between two answers, and what
    /// finds the output full is told when there is room, so it is never `Blocked`.
    pub fn publish(&mut self, now: Instant, change: Change<'_>) {
        traced!(self, now, publish(change));
        if self.service.engine.begin(now) {
            self.tell(change);
        }
    }
    /// Puts another catalog in place and publishes which kinds differ (templates count as resources). Lists that are being
    /// paged go on after the last item they gave, if it is still there. What is declared stays as it was: a kind that
    /// comes later needs its capability from the beginning.
    pub fn set_catalog(&mut self, now: Instant, catalog: Arc<Catalog>) {
        traced!(self, now, set_catalog(catalog));
        let changes = catalog.changes(self.service.catalog.as_deref());
        self.service.catalog = Some(catalog);
        for change in changes {
            self.publish(now, change);
        }
    }
    /// Refuses new work (-32603), lets what runs finish until `drain` has passed, ends subscriptions, then `Closed(Local)`.
    pub fn close(&mut self, now: Instant, drain: Duration) {
        traced!(self, now, close(drain));
        if self.service.engine.begin(now) {
            self.end_subscriptions();
            self.service.engine.end_after(drain, CloseReason::Local);
        }
    }
    /// What is offered now.
    pub fn catalog(&self) -> Option<&Arc<Catalog>> {
        self.service.catalog.as_ref()
    }
    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.service.engine.stats
    }
    /// Bytes held for the peer: requests that await an answer, subscriptions, batches, tasks, queued output and undelivered
    /// events. `Limits::session_bytes` says how many there may be.
    pub fn held_bytes(&self) -> usize {
        self.service.engine.held_bytes()
    }

    /// What the peer sees of the catalog.
    pub(super) fn view(&self, catalog: &Catalog, revision: Revision) -> View {
        catalog.view(self.state.groups(), revision)
    }

    /// Revision, log level and route of what an application starts.
    fn target(&self, target: Target) -> Result<(Revision, Option<LogLevel>, Related), SendError> {
        let engine = &self.service.engine;
        match target {
            Target::Request(handle) => {
                let number = handle.as_u64();
                let request = engine
                    .requests
                    .get(number)
                    .filter(|request| request.is_answerable())
                    .ok_or_else(|| engine.gone(number))?;
                let level = match request.revision.era() {
                    Era::Modern => request.log_level,
                    Era::Legacy => self.state.log_level,
                };
                Ok((request.revision, level, Related::Request(handle)))
            }
            Target::Channel if engine.has_ended() => Err(SendError::Closed),
            Target::Channel => match self.state.revision {
                Some(revision) => Ok((revision, self.state.log_level, Related::Session)),
                None if self.last_modern.is_some() => Err(SendError::NotInRevision),
                None => Err(SendError::NotReady),
            },
        }
    }

    /// Whether an extension that defines this kind of result was declared by both sides for a request.
    fn check_extension(&self, handle: u64, result_type: &str) -> Result<(), SendError> {
        let engine = &self.service.engine;
        let request = engine.requests.get(handle).ok_or_else(|| engine.gone(handle))?;
        if !request.revision.features().extensions {
            return Err(SendError::NotInRevision);
        }
        let Ok(Message::Single(envelope)) = envelope::parse(request.buf.as_bytes(), Json::MAX_DEPTH) else {
            return Err(SendError::Over);
        };
        let theirs = capabilities(&envelope);
        let config = &self.service.config;
        let mut defining = config.result_types.iter().filter(|(_, kind)| *kind == result_type).peekable();
        if defining.peek().is_none() {
            return Err(SendError::Invalid(
                "no extension defines this `resultType`: name it by `result_types`",
            ));
        }
        let declared = config.declared();
        let ours = Json::from_checked(&declared);
        if defining.any(|(name, _)| declares_extension(ours, name) && declares_extension(theirs, name)) {
            Ok(())
        } else {
            Err(SendError::MissingCapability("extensions"))
        }
    }
}

/// The `_meta` member of what an application starts in the course of a task; empty elsewhere.
fn related_task(engine: &Engine, target: Target) -> String {
    match target {
        Target::Request(request) => engine.related_task(request.as_u64()),
        Target::Channel => String::new(),
    }
}
