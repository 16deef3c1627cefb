//! A server: serves modern requests statelessly and one legacy session, side by side.
use alloc::{boxed::Box, format, string::String, sync::Arc};
use core::time::Duration;

use super::{
    CallOptions, Catalog, Change, LogLevel, ServerConfig, Stats,
    calls::{NewCall, Purpose},
    catalog::cursor_of,
    config::{Allowed, declares},
    engine::{Engine, Reply, Wire, may_send},
    meta,
    requests::Received,
    role::{Answer, BASE, PROGRESS, Role},
    seal::{ListKind, Sealer},
    state::SessionState,
    subscriptions::{CHANGES, Filter},
};
use crate::{
    CallHandle, RequestHandle, Seed,
    error::{CloseReason, Fault, RpcError, SendError},
    event::{Action, CacheHint, Event, Method, Outcome, Ready, Related, Request, Target},
    json::{Flags, Json, Payload, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field, Span},
        write::{self, ErrorId, Stamp},
    },
    method::{self, Handling, MethodId, MethodKind, Side},
    revision::{Era, Revision},
    time::Instant,
    trace::TraceRecord,
};

/// What serves all sessions of one endpoint.
struct Service {
    engine: Engine,
    config: Arc<ServerConfig>,
    catalog: Option<Arc<Catalog>>,
    sealer: Sealer,
    /// Methods whose capability is declared.
    allowed: Allowed,
    /// `_meta` members of results, where a revision has them.
    result_meta: String,
    /// The modern revisions, as JSON.
    modern: String,
}

/// A server on one ordered message channel.
///
/// It goes by each message: a request with modern `_meta` is served statelessly, `initialize` opens the legacy session,
/// and both may be interleaved (`basic/versioning` of 2026-07-28).
pub struct Server {
    service: Service,
    state: SessionState,
    /// Of the last request that carried its own, for errors that name no request.
    last_modern: Option<Revision>,
}

impl Service {
    /// The answer to a request, by the engine.
    fn reply(
        &mut self,
        reply: Reply,
        id: &str,
        revision: Revision,
        cache: Option<CacheHint>,
        body: impl FnOnce(&mut String),
    ) {
        let stamp = stamp(revision, cache, &self.result_meta);
        let wire = Wire { revision: Some(revision) };
        let _ = self.engine.answer(reply, Related::Session, true, wire, id, |out| {
            write::result_with(out, id, &stamp, body);
        });
    }
    fn is_declared(&self, capability: &str) -> bool {
        Json::parse(self.config.declared().as_bytes()).is_ok_and(|declared| declares(declared, capability))
    }
    /// Members that both openings describe the server with.
    fn describe(&self, out: &mut String) {
        out.push_str("\"capabilities\":");
        out.push_str(self.config.declared());
        if let Some(instructions) = &self.config.instructions {
            out.push_str(",\"instructions\":");
            write::string(out, instructions);
        }
    }
}

fn stamp(revision: Revision, cache: Option<CacheHint>, result_meta: &str) -> Stamp<'_> {
    let features = revision.features();
    Stamp {
        result_type: features.result_type.then_some("complete"),
        cache: cache.filter(|_| features.cache_hints),
        meta: features.server_info.then_some(result_meta),
    }
}

/// What is wrong with a request's `_meta`, or the revision it asks for.
enum Opening {
    Revision(Revision),
    Unsupported,
    Malformed(&'static str),
}

impl Server {
    /// Pure: says nothing yet. `seed` is fresh entropy, never used twice.
    #[allow(clippy::needless_pass_by_value, reason = "a seed is used up")]
    pub fn new(config: Arc<ServerConfig>, seed: Seed) -> Self {
        let declared = Json::parse(config.declared().as_bytes()).unwrap_or(Json::EMPTY_OBJECT);
        Self {
            service: Service {
                engine: Engine::new(Side::Server, config.limits.clone(), config.trace),
                catalog: config.catalog.clone(),
                sealer: Sealer::new(config.keys.as_ref(), &seed),
                allowed: Allowed::by(declared),
                result_meta: config.result_meta(),
                modern: config.versions(Era::Modern),
                config,
            },
            state: SessionState::new(),
            last_modern: None,
        }
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
        if !self.service.engine.begin(now) {
            return;
        }
        self.service.engine.close_calls();
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
        self.service.engine.poll_action()
    }
    /// The next record of the message trace.
    pub fn poll_trace(&mut self) -> Option<TraceRecord> {
        self.service.engine.trace.as_mut()?.pop()
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
    pub fn respond(
        &mut self,
        now: Instant,
        request: RequestHandle,
        outcome: Outcome<'_>,
    ) -> Result<(), SendError> {
        let Service { engine, result_meta, .. } = &mut self.service;
        engine.begin(now);
        let answered = respond(engine, request.as_u64(), outcome, result_meta);
        engine.end_if_idle();
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
        let mut result = String::from("{\"content\":[{\"type\":\"text\",\"text\":");
        write::string(&mut result, text);
        result.push_str("}],\"isError\":true}");
        let result = Json::from_checked(&result);
        self.respond(now, request, Outcome::Result { result, cache: None })
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
        Role::progress(self, now, request, progress, total, message)
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
        self.service.engine.begin(now);
        let (revision, wanted, related) = self.target(target)?;
        if !self.service.is_declared("logging") {
            return Err(SendError::Invalid("declare the capability `logging` first"));
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
        let Some(row) = method::with_handling(Handling::Log, Side::Server, revision) else {
            return Err(SendError::NotInRevision);
        };
        let params = |out: &mut String| {
            out.push_str("{\"level\":\"");
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
        engine.send(related, false, wire, |out| write::notification(out, method, params)).map(drop)
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
        if let Some(row) = row.filter(|row| !self.state.peer.has(*row, revision)) {
            return Err(SendError::MissingCapability(row.row().capability.unwrap_or_default()));
        }
        let call = NewCall { purpose: Purpose::Application, method, row, revision, params, meta: "" };
        self.service.engine.start_call(&call, &options).map(CallHandle)
    }
    /// Takes a call back. `Completed(Cancelled)` follows; an answer that comes later is swallowed.
    pub fn cancel(&mut self, now: Instant, call: CallHandle, reason: Option<&str>) -> Result<(), SendError> {
        self.service.engine.begin(now);
        let wire = self.wire();
        self.service.engine.cancel(call.as_u64(), reason, wire)
    }
    /// A list changed: those who asked are told. Of a kind at most one notice waits between two answers, so it is never
    /// `Blocked`.
    pub fn publish(&mut self, now: Instant, change: Change) {
        if self.service.engine.begin(now) && self.service.is_declared(change.capability()) {
            self.tell_session(change);
            self.tell_listeners(change);
        }
    }
    /// Puts another catalog in place and publishes what differs. Lists that are being paged go on after the last item
    /// they gave, if it is still there.
    pub fn set_catalog(&mut self, now: Instant, catalog: Arc<Catalog>) {
        let fingerprint = catalog.fingerprint();
        let before = self.service.catalog.replace(catalog);
        if before.is_none_or(|before| before.fingerprint() != fingerprint) {
            self.publish(now, Change::Tools);
        }
    }
    /// Refuses new work (-32603), lets what runs finish until `drain` has passed, ends subscriptions, then `Closed(Local)`.
    pub fn close(&mut self, now: Instant, drain: Duration) {
        if self.service.engine.begin(now) {
            self.end_subscriptions();
            self.service.engine.end_after(drain, CloseReason::Local);
        }
    }
    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.service.engine.stats
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
                    .filter(|request| !request.engine_owned())
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

    fn opening(&self, envelope: &Envelope<'_>, version: &str) -> Opening {
        let Some(name) = unescape(version) else {
            return Opening::Malformed("`_meta` needs `io.modelcontextprotocol/protocolVersion`, a string");
        };
        let revision = Revision::from_name(&name)
            .filter(|revision| revision.era() == Era::Modern)
            .filter(|revision| self.service.config.revisions.contains(*revision));
        let Some(revision) = revision else { return Opening::Unsupported };
        let is_object = |field| envelope.raw(field).is_some_and(|raw| raw.starts_with('{'));
        if !is_object(Field::ClientCapabilities) {
            return Opening::Malformed(
                "`_meta` needs `io.modelcontextprotocol/clientCapabilities`, an object",
            );
        }
        if envelope.raw(Field::ClientInfo).is_some() && !is_object(Field::ClientInfo) {
            return Opening::Malformed("`io.modelcontextprotocol/clientInfo` must be an object");
        }
        let level = envelope.raw(Field::LogLevel);
        if level.is_some_and(|level| LogLevel::from_json(level).is_none()) {
            return Opening::Malformed("`io.modelcontextprotocol/logLevel` must be one of the eight levels");
        }
        Opening::Revision(revision)
    }

    fn unsupported(&mut self, reply: Reply, id: &str, requested: &str) {
        let requested = if requested.len() <= 66 { requested } else { "\"\"" };
        let data = format!("{{\"supported\":{},\"requested\":{requested}}}", self.service.modern);
        let error = code::UNSUPPORTED_PROTOCOL_VERSION;
        self.refuse(reply, id, error, "Unsupported protocol version", Some(&data));
    }

    /// A legacy request before `initialize`.
    fn unopened(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply) {
        let legacy = self.service.config.preferred_legacy();
        let row = legacy.and_then(|revision| {
            let name = envelope.method()?;
            method::find(&name, MethodKind::Request, Side::Client, revision).map(|row| (row, revision))
        });
        match row.map(|(row, revision)| (row.row().handling, revision)) {
            Some((Handling::Initialize, revision)) => self.initialize(envelope, id, reply, revision),
            Some((Handling::Ping, revision)) => self.service.reply(reply, id, revision, None, |_| ()),
            _ if legacy.is_none() => {
                // A legacy client can't go forward, so this may be all that its user sees.
                let versions = self.service.modern.clone();
                let message = format!("This server speaks only {versions}, by `_meta` on each request");
                let requested = envelope
                    .raw(Field::Params)
                    .map(Json::from_checked)
                    .and_then(|params| params.member("protocolVersion"))
                    .filter(|version| version.as_str().is_some() && version.get().len() <= 66)
                    .map_or("\"\"", Json::get);
                let data = format!("{{\"supported\":{versions},\"requested\":{requested}}}");
                let error = if envelope.method().as_deref() == Some("initialize") {
                    code::UNSUPPORTED_PROTOCOL_VERSION
                } else {
                    code::INVALID_PARAMS
                };
                self.refuse(reply, id, error, &message, Some(&data));
            }
            _ => {
                let message = if self.service.modern == "[]" {
                    "Not initialized: send `initialize` first"
                } else {
                    "Not initialized: send `initialize` first, or `_meta` with \
                     `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities`"
                };
                self.refuse(reply, id, code::INVALID_PARAMS, message, None);
            }
        }
    }

    fn initialize(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply, newest: Revision) {
        if reply != Reply::Message {
            return self.refuse(reply, id, code::INVALID_REQUEST, "`initialize` can't be in a batch", None);
        }
        let params = envelope.raw(Field::Params).map_or(Json::EMPTY_OBJECT, Json::from_checked);
        let text = |value: Option<Json<'_>>| value.and_then(Json::as_str).is_some();
        let info = params.member("clientInfo").filter(|info| info.is_object());
        let capabilities = params.member("capabilities").filter(|capabilities| capabilities.is_object());
        let missing = if !text(params.member("protocolVersion")) {
            Some("`protocolVersion` must be a string")
        } else if capabilities.is_none() {
            Some("`capabilities` must be an object")
        } else if !text(info.and_then(|info| info.member("name"))) {
            Some("`clientInfo.name` must be a string")
        } else if !text(info.and_then(|info| info.member("version"))) {
            Some("`clientInfo.version` must be a string")
        } else {
            None
        };
        if let Some(missing) = missing {
            return self.refuse(reply, id, code::INVALID_PARAMS, missing, None);
        }
        if !self.service.engine.is_open() {
            let wire = self.wire();
            return self.service.engine.refuse(reply, id, wire, ("closing", None));
        }
        let asked = params.member("protocolVersion").and_then(Json::as_str).unwrap_or_default();
        let revision = Revision::from_name(&asked)
            .filter(|revision| revision.era() == Era::Legacy)
            .filter(|revision| self.service.config.revisions.contains(*revision))
            .unwrap_or(newest);
        let capabilities = capabilities.unwrap_or(Json::EMPTY_OBJECT);
        self.state.revision = Some(revision);
        self.state.peer = Allowed::by(capabilities);
        let service = &mut self.service;
        let mut body =
            format!("\"protocolVersion\":\"{}\",\"serverInfo\":{},", revision.name(), service.config.info);
        service.describe(&mut body);
        service.reply(reply, id, revision, None, |out| out.push_str(&body));
        service.engine.outbox.deliver(Event::Ready(Box::new(Ready {
            revision: revision.name(),
            peer: info.map(Payload::from_json),
            capabilities: Some(Payload::from_json(capabilities)),
            instructions: None,
        })));
        if let Some(interval) = service.engine.limits.ping_interval {
            service.engine.arm_ping(interval);
        }
    }

    fn discover(&mut self, id: &str, reply: Reply, revision: Revision) {
        let mut body = format!("\"supportedVersions\":{},", self.service.modern);
        self.service.describe(&mut body);
        let cache = Some(self.service.config.list_cache);
        self.service.reply(reply, id, revision, cache, |out| out.push_str(&body));
    }

    fn list_tools(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply, revision: Revision) {
        let Some(catalog) = self.service.catalog.clone() else { return };
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        let page = cursor_of(params, &self.service.sealer, ListKind::Tools)
            .ok()
            .and_then(|cursor| catalog.page(cursor.as_ref(), self.service.config.page_size));
        let Some(page) = page else {
            let message = "Invalid cursor; begin the list again without one";
            return self.refuse(reply, id, code::INVALID_PARAMS, message, None);
        };
        let next = page.next.and_then(|cursor| self.service.sealer.seal_cursor(ListKind::Tools, &cursor));
        let cache = Some(self.service.config.list_cache);
        self.service.reply(reply, id, revision, cache, |out| {
            out.push_str("\"tools\":[");
            out.push_str(page.items);
            out.push(']');
            if let Some(next) = next {
                out.push_str(",\"nextCursor\":\"");
                out.push_str(&next);
                out.push('"');
            }
        });
    }

    fn set_level(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply, revision: Revision) {
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        if let Some(level) = params
            .and_then(|params| params.member("level"))
            .and_then(|level| LogLevel::from_json(level.get()))
        {
            self.state.log_level = Some(level);
            self.service.reply(reply, id, revision, None, |_| ());
        } else {
            let message =
                "`level` must be one of debug, info, notice, warning, error, critical, alert, emergency";
            self.refuse(reply, id, code::INVALID_PARAMS, message, None);
        }
    }

    fn listen(&mut self, envelope: &Envelope<'_>, id: &str, revision: Revision, row: MethodId) {
        let asked = envelope
            .raw(Field::Params)
            .map(Json::from_checked)
            .and_then(|params| params.member("notifications"))
            .filter(|filter| filter.is_object());
        let Some(asked) = asked else {
            let message = "`notifications` must be an object";
            return self.refuse(Reply::Message, id, code::INVALID_PARAMS, message, None);
        };
        let filter = Filter::accept(asked, |change| self.service.is_declared(change.capability()));
        let Some(acknowledged) = method::with_handling(Handling::Acknowledged, Side::Server, revision) else {
            return;
        };
        let engine = &mut self.service.engine;
        let admitted =
            engine.admit(envelope, id, Reply::Message, revision, Some(row), Some(Box::new(filter)));
        let Some((handle, _)) = admitted else { return };
        let params = |out: &mut String| {
            subscription(out, id);
            out.push_str(",\"notifications\":");
            filter.write(out);
            out.push('}');
        };
        let wire = Wire { revision: Some(revision) };
        let related = Related::Request(RequestHandle::from_u64(handle));
        let _ = engine.send(related, true, wire, |out| {
            write::notification_with(out, acknowledged.row().name, Some(params));
        });
    }

    fn tell_session(&mut self, change: Change) {
        let Some(revision) = self.state.revision.filter(|revision| !revision.features().listen) else {
            return;
        };
        let engine = &mut self.service.engine;
        let waiting = self.state.notices.order(change);
        if !self.state.initialized {
            // Told when the handshake is complete.
            self.state.notices.queued(change, u64::MAX);
        } else if !engine.still_tells(waiting) {
            let wire = Wire { revision: Some(revision) };
            let sent = engine
                .send(Related::Session, false, wire, |out| write::notification(out, change.method(), None));
            self.state.notices.queued(change, sent.unwrap_or_default());
        }
    }

    fn tell_listeners(&mut self, change: Change) {
        let engine = &mut self.service.engine;
        let to_tell = |request: &Received| {
            let filter = request.filter.as_deref();
            filter.is_some_and(|filter| {
                filter.wants(change) && !engine.still_tells(filter.notices.order(change))
            })
        };
        let handles: smallvec::SmallVec<[u64; 4]> = engine
            .requests
            .iter()
            .filter_map(|(handle, request)| to_tell(request).then_some(handle))
            .collect();
        for handle in handles {
            let Some(request) = engine.requests.get(handle) else { continue };
            let (buf, id) = (Arc::clone(&request.buf), request.id);
            let wire = Wire { revision: Some(request.revision) };
            let params = |out: &mut String| {
                subscription(out, part(&buf, id));
                out.push('}');
            };
            let related = Related::Request(RequestHandle::from_u64(handle));
            let sent = engine.send(related, false, wire, |out| {
                write::notification_with(out, change.method(), Some(params));
            });
            if let Some(filter) = engine.requests.get_mut(handle).and_then(|request| request.filter.as_mut())
            {
                filter.notices.queued(change, sent.unwrap_or_default());
            }
        }
    }

    /// Ends every subscription with the notice that one page of the spec wants and the result that the other wants.
    fn end_subscriptions(&mut self) {
        let Service { engine, result_meta, .. } = &mut self.service;
        let handles: smallvec::SmallVec<[u64; 4]> = engine
            .requests
            .iter()
            .filter_map(|(handle, request)| request.engine_owned().then_some(handle))
            .collect();
        for handle in handles {
            let Some(request) = engine.take_request(handle) else { continue };
            let id = request.id();
            let wire = Wire { revision: Some(request.revision) };
            let related = Related::Request(RequestHandle::from_u64(handle));
            let params = |out: &mut String| {
                out.push_str("{\"requestId\":");
                out.push_str(id);
                out.push_str(",\"_meta\":");
                subscription_meta(out, id);
                out.push('}');
            };
            let _ = engine.send(related, false, wire, |out| {
                write::notification_with(out, "notifications/cancelled", Some(params));
            });
            let meta = format!("\"{}\":{id},{result_meta}", meta::SUBSCRIPTION_ID);
            let stamp = stamp(request.revision, None, &meta);
            let _ = engine.answer(Reply::Message, related, false, wire, id, |out| {
                write::result_with(out, id, &stamp, |_| ());
            });
        }
    }

    fn deliver(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: Option<MethodId>,
        unchecked: bool,
    ) {
        let engine = &mut self.service.engine;
        let Some((handle, buf)) = engine.admit(envelope, id, reply, revision, row, None) else { return };
        let request = Request {
            buf,
            params: envelope.span(Field::Params),
            name: row.and_then(|row| row.row().name_field).map_or((0, 0), |field| param(envelope, field)),
            arguments: envelope.span(Field::Arguments),
            meta: envelope.span(Field::Meta),
            handle: RequestHandle::from_u64(handle),
            method: row,
            method_span: envelope.span(Field::Method),
            revision,
            unchecked,
        };
        engine.outbox.deliver(Event::Request(request));
    }

    fn call_tool(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: MethodId,
    ) {
        if envelope.raw(Field::Arguments).is_some_and(|arguments| !arguments.starts_with('{')) {
            return self.refuse(reply, id, code::INVALID_PARAMS, "`arguments` must be an object", None);
        }
        let name = envelope.raw(Field::Name).and_then(unescape).unwrap_or_default();
        let has_schema = match &self.service.catalog {
            None => false,
            Some(catalog) => {
                if let Some(has_schema) = catalog.tool(&name) {
                    has_schema
                } else {
                    let shown: String = name.chars().take(128).collect();
                    let message = format!("Unknown tool: {shown}");
                    return self.refuse(reply, id, code::INVALID_PARAMS, &message, None);
                }
            }
        };
        self.deliver(envelope, id, reply, revision, Some(row), has_schema);
    }
}

/// `{"_meta":{…subscriptionId…}`, left open.
fn subscription(out: &mut String, id: &str) {
    out.push_str("{\"_meta\":");
    subscription_meta(out, id);
}

fn subscription_meta(out: &mut String, id: &str) {
    out.push_str("{\"");
    out.push_str(meta::SUBSCRIPTION_ID);
    out.push_str("\":");
    out.push_str(id);
    out.push('}');
}

fn part(buf: &str, span: Span) -> &str {
    buf.get(span.0 as usize..span.1 as usize).unwrap_or_default()
}

/// Where a member of `params` lies in the message.
fn param(envelope: &Envelope<'_>, field: &str) -> Span {
    match field {
        "name" => envelope.span(Field::Name),
        "uri" => envelope.span(Field::Uri),
        _ => {
            let (start, _) = envelope.span(Field::Params);
            let params = envelope.raw(Field::Params).map(Json::from_checked);
            params
                .and_then(|params| params.member_span(field))
                .map_or((0, 0), |(from, to)| (start + from, start + to))
        }
    }
}

/// Whether an application may send this notice.
pub(super) fn check_notice(
    row: Option<MethodId>,
    method: &str,
    params: Option<Json<'_>>,
) -> Result<(), SendError> {
    if params.is_some_and(|params| !params.is_object()) {
        return Err(SendError::Invalid("params must be an object"));
    }
    match row.map(|row| row.row().handling) {
        None if method::is_known(method) => Err(SendError::NotInRevision),
        Some(Handling::Cancelled) => Err(SendError::Invalid("a call is taken back with `cancel`")),
        Some(Handling::Progress) => Err(SendError::Invalid("progress is sent with `progress`")),
        Some(Handling::Log) => Err(SendError::Invalid("a log notice is sent with `log`")),
        Some(Handling::Initialized | Handling::Acknowledged) => {
            Err(SendError::Invalid("the engine sends this notice itself"))
        }
        _ if CHANGES.iter().any(|change| change.method() == method) => {
            Err(SendError::Invalid("a change is told with `publish`"))
        }
        _ => Ok(()),
    }
}

/// Answers a request of the peer for the application.
pub(super) fn respond(
    engine: &mut Engine,
    handle: u64,
    outcome: Outcome<'_>,
    result_meta: &str,
) -> Result<(), SendError> {
    let request = engine.requests.get(handle).filter(|request| !request.engine_owned());
    let Some(request) = request else { return Err(engine.gone(handle)) };
    let (revision, features) = (request.revision, request.revision.features());
    let cacheable = request.method.is_some_and(|row| row.row().cacheable.contains(revision));
    match outcome {
        Outcome::Result { result, cache } => {
            let cache = cacheable.then(|| cache.unwrap_or_default());
            check_result(result, revision, cache)?;
            let related = engine.related(handle);
            let Some(request) = engine.take_request(handle) else { return Err(SendError::Over) };
            let id = request.id();
            let stamp = stamp(revision, cache, result_meta);
            let wire = Wire { revision: Some(revision) };
            engine
                .answer(request.reply, related, false, wire, id, |out| write::result(out, id, result, &stamp))
        }
        Outcome::Error { code, message, data } => {
            if !may_send(code, revision) {
                return Err(SendError::Invalid("the protocol reserves this error code"));
            }
            let code = if code == code::RESOURCE_NOT_FOUND { features.resource_not_found } else { code };
            let related = engine.related(handle);
            let Some(request) = engine.take_request(handle) else { return Err(SendError::Over) };
            let id = request.id();
            let wire = Wire { revision: Some(revision) };
            engine.answer(request.reply, related, false, wire, id, |out| {
                write::error(out, ErrorId::Id(id), code, message, data);
            })
        }
    }
}

/// Whether the members that the engine writes are absent from a result, or have the value that it would write.
fn check_result(result: Json<'_>, revision: Revision, cache: Option<CacheHint>) -> Result<(), SendError> {
    if !result.is_object() {
        return Err(SendError::Invalid("a result is an object"));
    }
    let (features, flags) = (revision.features(), result.flags());
    if flags.has(Flags::STEERING) {
        let text = |key| result.member(key).map(Json::get);
        let kind = text("resultType").is_none_or(|kind| features.result_type && kind == "\"complete\"");
        let hint = cache.filter(|_| features.cache_hints);
        let ttl = text("ttlMs").is_none_or(|ttl| hint.is_some_and(|hint| ttl.parse() == Ok(hint.ttl_ms)));
        let scope = text("cacheScope").is_none_or(|scope| {
            hint.is_some_and(|hint| scope == if hint.public { "\"public\"" } else { "\"private\"" })
        });
        if !(kind && ttl && scope) {
            return Err(SendError::Invalid(
                "`resultType`, `ttlMs` and `cacheScope` are written by the engine",
            ));
        }
    }
    if features.server_info && flags.has(Flags::META) {
        let mut metas = result.members().filter(|(key, _)| unescape(key).is_some_and(|key| key == "_meta"));
        let (Some((_, own)), None) = (metas.next().filter(|(_, own)| own.is_object()), metas.next()) else {
            return Err(SendError::Invalid("`_meta` must be one object"));
        };
        if own.members().any(|(key, _)| unescape(key).is_some_and(|key| meta::is_engine_key(&key))) {
            return Err(SendError::Invalid("this `_meta` key belongs to the engine"));
        }
    }
    Ok(())
}

impl Role for Server {
    fn engine(&mut self) -> &mut Engine {
        &mut self.service.engine
    }
    fn engine_ref(&self) -> &Engine {
        &self.service.engine
    }
    fn revision(&self) -> Option<Revision> {
        self.state.revision.or(self.last_modern)
    }
    fn request(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply) {
        // A server of the legacy era alone knows nothing of such a member, and must not look modern.
        let version = envelope.raw(Field::ProtocolVersion).filter(|_| self.service.modern != "[]");
        let revision = match version {
            Some(version) => match self.opening(envelope, version) {
                Opening::Revision(revision) => {
                    self.last_modern = Some(revision);
                    revision
                }
                Opening::Unsupported => return self.unsupported(reply, id, version),
                Opening::Malformed(message) => {
                    self.refuse(reply, id, code::INVALID_PARAMS, message, None);
                    let detail = format!("malformed `_meta`: {message}");
                    return self.service.engine.fault("fault.meta", BASE, Some(code::INVALID_PARAMS), detail);
                }
            },
            None => match self.state.revision {
                Some(revision) => revision,
                None => return self.unopened(envelope, id, reply),
            },
        };
        if reply != Reply::Message && !revision.features().batches {
            let message = "Batches are not part of this revision";
            return self.refuse(reply, id, code::INVALID_REQUEST, message, None);
        }
        let name = envelope.method().unwrap_or_default();
        let Some(row) = method::find(&name, MethodKind::Request, Side::Client, revision) else {
            if self.service.config.unknown_methods && !method::is_known(&name) {
                return self.deliver(envelope, id, reply, revision, None, false);
            }
            return self.refuse(reply, id, code::METHOD_NOT_FOUND, "Method not found", None);
        };
        if !self.service.allowed.has(row, revision) {
            return self.refuse(
                reply,
                id,
                code::METHOD_NOT_FOUND,
                "Method not found: its capability is not declared",
                None,
            );
        }
        let missing = row.row().required.iter().find(|field| param(envelope, field) == (0, 0));
        let unnamed = row.row().name_field.filter(|field| {
            let (start, _) = param(envelope, field);
            start != 0 && envelope.text().as_bytes().get(start as usize) != Some(&b'"')
        });
        if row.row().handling != Handling::Initialize
            && let Some(field) = missing
        {
            return self.refuse(reply, id, code::INVALID_PARAMS, &format!("`{field}` is missing"), None);
        }
        if let Some(field) = unnamed {
            return self.refuse(
                reply,
                id,
                code::INVALID_PARAMS,
                &format!("`{field}` must be a string"),
                None,
            );
        }
        match row.row().handling {
            Handling::Initialize => {
                self.refuse(reply, id, code::INVALID_REQUEST, "The session is initialized already", None);
            }
            Handling::Discover => self.discover(id, reply, revision),
            Handling::Ping => self.service.reply(reply, id, revision, None, |_| ()),
            Handling::SetLevel => self.set_level(envelope, id, reply, revision),
            Handling::ListTools if self.service.catalog.is_some() => {
                self.list_tools(envelope, id, reply, revision);
            }
            Handling::CallTool => self.call_tool(envelope, id, reply, revision, row),
            Handling::Listen => self.listen(envelope, id, revision, row),
            _ => self.deliver(envelope, id, reply, revision, Some(row), false),
        }
    }
    fn notification(&mut self, envelope: &Envelope<'_>) {
        let tagged = envelope
            .raw(Field::ProtocolVersion)
            .and_then(unescape)
            .and_then(|name| Revision::from_name(&name))
            .filter(|revision| self.service.config.revisions.contains(*revision));
        let name = envelope.method().unwrap_or_default();
        // A cancellation takes the revision of the request that it names.
        let newest = self.service.config.revisions.newest_first().next();
        let revision = tagged.or(self.state.revision).or(self.last_modern).or(newest);
        let row = revision
            .and_then(|revision| method::find(&name, MethodKind::Notification, Side::Client, revision));
        match row.map(|row| row.row().handling) {
            Some(Handling::Cancelled) => self.cancelled(envelope),
            Some(Handling::Initialized) if self.state.revision.is_some() => {
                self.state.initialized = true;
                for change in CHANGES {
                    if self.state.notices.order(change) == u64::MAX {
                        self.state.notices.queued(change, 0);
                        self.tell_session(change);
                    }
                }
            }
            Some(Handling::Progress) => {
                if let Some(params) = envelope.raw(Field::Params).map(Json::from_checked) {
                    let token = params.member("progressToken").map_or("null", Json::get);
                    self.service.engine.progressed(token, params, PROGRESS);
                }
            }
            Some(Handling::Initialized) => self.service.engine.stats.ignored += 1,
            Some(_) if self.state.revision.is_some() || tagged.is_some() => {
                let method = row.map_or("", |row| row.row().name);
                let params = envelope.raw(Field::Params).map(Json::from_checked).map(Payload::from_json);
                self.deliver_notice(Event::Notification {
                    call: None,
                    method: Method::Known(method),
                    params,
                });
            }
            None if self.service.config.unknown_methods && !method::is_known(&name) => {
                let raw = envelope.raw(Field::Method).map_or(Json::EMPTY_OBJECT, Json::from_checked);
                let method = Method::Other(Payload::from_json(raw));
                let params = envelope.raw(Field::Params).map(Json::from_checked).map(Payload::from_json);
                self.deliver_notice(Event::Notification { call: None, method, params });
            }
            _ => self.service.engine.stats.ignored += 1,
        }
    }
    fn answered(&mut self, handle: u64, _: Purpose, _: Answer<'_>) {
        // Only keep-alive pings are sent for the engine here, and any answer shows life.
        self.state.pings_missed = 0;
        self.service.engine.complete(handle, Ok(Payload::from_json(Json::EMPTY_OBJECT)));
    }
    fn peer_error(&mut self, error: RpcError) {
        let detail = format!("the client reported error {} without naming a request", error.code);
        self.service.engine.fault_with(Fault {
            code: "fault.peer_error",
            page: BASE,
            replied: None,
            status: None,
            detail,
            cause: Some(error),
        });
    }
    fn opening_due(&mut self) {}
    fn ping_due(&mut self) {
        if let Some(revision) = self.state.revision {
            self.service.engine.send_ping(revision);
        }
    }
    fn ping_missed(&mut self) {
        self.state.pings_missed += 1;
        if self.state.pings_missed >= self.service.engine.limits.ping_failures {
            self.service.engine.end(CloseReason::KeepAlive);
        }
    }
    fn input_ended(&mut self, now: Instant) {
        self.handle_eof(now);
    }
    fn channel_end(&self) -> CloseReason {
        CloseReason::Peer
    }
    fn drained(&mut self) {
        self.service.engine.drained();
    }
}
