//! A client: finds out the server's era, then calls.
use alloc::{boxed::Box, format, string::String, sync::Arc};
use core::time::Duration;

use super::{
    CallOptions, ClientConfig, Stats,
    calls::{Call, NewCall, Purpose},
    commands::{check_notice, respond},
    config::Allowed,
    engine::{Engine, Reply, Wire},
    meta,
    principal::Principal,
    role::{Answer, PROGRESS, Role},
    timers::Timer,
};
use crate::{
    CallHandle, InputHandle, RequestHandle, Seed, degrade,
    error::{CallError, CloseReason, Fault, RpcError, SendError},
    event::{Action, Event, Input, Method, Outcome, Ready, Related},
    json::{Json, Payload},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
        write,
    },
    method::{self, Handling, MethodKind, Side},
    revision::{Era, Revision},
    time::Instant,
    trace::TraceRecord,
};

/// The page on finding the era.
const STDIO: &str = "basic/transports/stdio";
/// The page on the handshake.
const LIFECYCLE: &str = "basic/lifecycle";

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
    meta: String,
    /// Methods that the server offers.
    offered: Allowed,
    /// Methods that this client serves.
    served: Allowed,
    pings_missed: u32,
}

impl Client {
    /// Pure: says nothing yet. `seed` is fresh entropy, never used twice.
    #[allow(clippy::needless_pass_by_value, reason = "a seed is used up")]
    pub fn new(config: Arc<ClientConfig>, seed: Seed) -> Self {
        // A client on a message channel has nothing to draw by lot.
        let Seed(_) = seed;
        let capabilities = Json::parse(config.capabilities.as_bytes()).unwrap_or(Json::EMPTY_OBJECT);
        Self {
            engine: Engine::new(Side::Client, config.limits.clone(), config.trace),
            life: Life::Idle,
            meta: String::new(),
            offered: Allowed::ALL,
            served: Allowed::by(capabilities),
            pings_missed: 0,
            config,
        }
    }
    /// Begins: probe, handshake, or nothing if the revision is remembered from an earlier `Ready` of this server.
    /// `Ready` or `Closed` follows. A second `start` does nothing.
    pub fn start(&mut self, now: Instant, remembered: Option<&str>) {
        if !self.engine.begin(now) || self.life != Life::Idle {
            return;
        }
        let remembered = remembered
            .and_then(Revision::from_name)
            .filter(|revision| self.config.revisions.contains(revision));
        let (modern, legacy) = (self.config.preferred(Era::Modern), self.config.preferred(Era::Legacy));
        match (remembered, modern, legacy) {
            (Some(revision), ..) if revision.era() == Era::Modern => self.adopt(revision, None),
            (Some(revision), ..) => self.initialize(revision, false),
            (None, Some(modern), _) if self.config.probe => self.probe(modern, false),
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
    /// The next record of the message trace.
    pub fn poll_trace(&mut self) -> Option<TraceRecord> {
        self.engine.trace.as_mut()?.pop()
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
    /// adds them, and merges with a `_meta` that is there. `Completed` follows, exactly once.
    pub fn call(
        &mut self,
        now: Instant,
        method: &str,
        params: Option<Json<'_>>,
        options: CallOptions<'_>,
    ) -> Result<CallHandle, SendError> {
        self.engine.begin(now);
        if !self.engine.is_open() {
            return Err(SendError::Closed);
        }
        let Life::Ready(revision) = self.life else { return Err(SendError::NotReady) };
        let row = method::find(method, MethodKind::Request, Side::Client, revision);
        match row.map(|row| row.row().handling) {
            None if method::is_known(method) => return Err(SendError::NotInRevision),
            Some(Handling::Initialize) => {
                return Err(SendError::Invalid("the engine sends `initialize` itself"));
            }
            _ => {}
        }
        if let Some(row) = row.filter(|row| !self.offered.has(*row, revision)) {
            return Err(SendError::MissingCapability(row.row().capability.unwrap_or_default()));
        }
        let completes = row.is_some_and(|row| row.row().handling == Handling::Complete);
        let said = params.filter(|_| completes).and_then(|params| degrade::completion(params, revision));
        let params = said.as_deref().map(Json::from_checked).or(params);
        let modern = revision.era() == Era::Modern;
        let mut level_meta = String::new();
        let meta = match options.log_level.filter(|_| modern) {
            Some(level) => {
                level_meta = format!("{},\"{}\":\"{}\"", self.meta, meta::LOG_LEVEL, level.name());
                &level_meta
            }
            None => &self.meta,
        };
        let call = NewCall { purpose: Purpose::Application, method, row, revision, params, meta };
        let handle = self.engine.start_call(&call, &options);
        drop(level_meta);
        handle.map(CallHandle)
    }
    /// Takes a call back. `Completed(Cancelled)` follows; an answer that comes later is swallowed.
    pub fn cancel(&mut self, now: Instant, call: CallHandle, reason: Option<&str>) -> Result<(), SendError> {
        self.engine.begin(now);
        let wire = self.wire();
        self.engine.cancel(call.as_u64(), reason, wire)
    }
    /// Answers a question. Never `Blocked`.
    pub fn answer(
        &mut self,
        now: Instant,
        input: InputHandle,
        outcome: Outcome<'_>,
    ) -> Result<(), SendError> {
        self.engine.begin(now);
        let answered = respond(&mut self.engine, input.as_u64(), outcome, "");
        self.engine.end_if_idle();
        answered
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
        Role::progress(self, now, RequestHandle::from_u64(input.as_u64()), progress, total, message)
    }
    /// Any other notice (roots changed…). Those that the engine sends itself are refused.
    pub fn notify(&mut self, now: Instant, method: &str, params: Option<Json<'_>>) -> Result<(), SendError> {
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
    /// Takes no new calls, lets those that run finish until `drain` has passed, cancels the rest, then `Closed(Local)`,
    /// or `Closed(DrainTimeout)` where some were.
    pub fn close(&mut self, now: Instant, drain: Duration) {
        if !self.engine.begin(now) {
            return;
        }
        if matches!(self.life, Life::Ready(_)) {
            self.engine.end_after(drain, CloseReason::Local);
        } else {
            self.engine.end(CloseReason::Local);
        }
    }
    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.engine.stats
    }

    fn request_meta(&self, revision: Revision) -> String {
        match revision.era() {
            Era::Legacy => String::new(),
            Era::Modern => format!(
                "\"{}\":\"{}\",\"{}\":{},\"{}\":{}",
                meta::PROTOCOL_VERSION,
                revision.name(),
                meta::CLIENT_INFO,
                self.config.info,
                meta::CLIENT_CAPABILITIES,
                self.config.capabilities,
            ),
        }
    }

    fn arm_opening(&mut self, limit: Duration) {
        let previous = self.engine.opening;
        self.engine.opening = self.engine.timers.arm(self.engine.now.after(limit), Timer::Opening);
        self.engine.disarm(previous);
    }

    /// Sends what opens the conversation; one that does not fit the limits ends the machine.
    fn open(
        &mut self,
        handling: Handling,
        purpose: Purpose,
        revision: Revision,
        params: Option<Json<'_>>,
        meta: &str,
    ) {
        let row = method::with_handling(handling, Side::Client, revision);
        let call =
            NewCall { purpose, method: row.map_or("", |row| row.row().name), row, revision, params, meta };
        if row.is_none() || self.engine.start_call(&call, &CallOptions::new()).is_err() {
            let detail = String::from("the opening request is larger than `message_bytes`");
            self.engine.fault("fault.handshake", LIFECYCLE, None, detail);
            self.engine.end(CloseReason::Handshake);
        }
    }

    fn probe(&mut self, revision: Revision, again: bool) {
        self.life = Life::Probing { revision, again };
        self.arm_opening(self.engine.limits.probe);
        let meta = self.request_meta(revision);
        self.open(Handling::Discover, Purpose::Probe, revision, None, &meta);
    }

    fn initialize(&mut self, revision: Revision, probed: bool) {
        self.life = Life::Handshaking { revision, probed };
        self.arm_opening(self.engine.limits.handshake);
        let params = format!(
            "{{\"protocolVersion\":\"{}\",\"capabilities\":{},\"clientInfo\":{}}}",
            revision.name(),
            self.config.capabilities,
            self.config.info,
        );
        let params = Json::from_checked(&params);
        self.open(Handling::Initialize, Purpose::Initialize, revision, Some(params), "");
    }

    /// The server is legacy, or says nothing.
    fn fall_back(&mut self, cause: Option<RpcError>) {
        match self.config.preferred(Era::Legacy) {
            Some(legacy) => self.initialize(legacy, true),
            None => self
                .fail(cause, "the server does not speak a modern revision, and this client speaks no other"),
        }
    }

    fn fail(&mut self, cause: Option<RpcError>, detail: &str) {
        let detail = match &cause {
            Some(error) => format!("{detail}; it answered with error {}", error.code),
            None => String::from(detail),
        };
        let page = if matches!(self.life, Life::Probing { .. }) { STDIO } else { LIFECYCLE };
        self.engine.fault_with(Fault { cause, ..Fault::new("fault.handshake", page, detail) });
        self.engine.end(CloseReason::Handshake);
    }

    /// What opened the conversation is over; its answers are late from now on.
    fn opened(&mut self, revision: Revision) {
        while let Some(handle) = self.engine.calls.first() {
            self.engine.complete(handle, Err(CallError::Cancelled));
        }
        let opening = core::mem::take(&mut self.engine.opening);
        self.engine.disarm(opening);
        self.life = Life::Ready(revision);
        self.meta = self.request_meta(revision);
    }

    fn ready(&mut self, revision: Revision, described: Option<Json<'_>>, peer: Option<Json<'_>>) {
        let part = |key| described.and_then(|described| described.member(key));
        let capabilities = part("capabilities").filter(|capabilities| capabilities.is_object());
        // A server whose capabilities were not heard is asked, and says itself what it lacks.
        self.offered = match (capabilities, described) {
            (Some(capabilities), _) => Allowed::by(capabilities),
            (None, Some(_)) => Allowed::by(Json::EMPTY_OBJECT),
            (None, None) => Allowed::ALL,
        };
        self.engine.outbox.deliver(Event::Ready(Box::new(Ready {
            revision: revision.name(),
            peer: peer.map(Payload::from_json),
            capabilities: capabilities.map(Payload::from_json),
            instructions: part("instructions").filter(|text| text.as_str().is_some()).map(Payload::from_json),
        })));
    }

    fn adopt(&mut self, revision: Revision, discovered: Option<Json<'_>>) {
        self.opened(revision);
        let info = discovered
            .and_then(|result| result.member("_meta"))
            .and_then(|meta| meta.member(meta::SERVER_INFO))
            .filter(|info| info.is_object());
        self.ready(revision, discovered, info);
    }

    /// An answer to `server/discover`, whenever it comes.
    fn discovered(&mut self, answer: Answer<'_>) {
        let probing = match self.life {
            Life::Probing { revision, again } => Some((revision, again)),
            _ => None,
        };
        match answer {
            Answer::Result { result, .. } => {
                let versions = result.member("supportedVersions").filter(|list| list.get().starts_with('['));
                match versions.map(|versions| self.config.mutual(Era::Modern, versions)) {
                    Some(Some(revision)) => self.adopt(revision, Some(result)),
                    Some(None) if probing.is_some() => {
                        self.fail(None, "the server lists no modern version that this client speaks");
                    }
                    None if probing.is_some() => self.fall_back(None),
                    _ => {}
                }
            }
            Answer::Error(error) if code::is_modern(error.code) => self.refused(error, probing),
            Answer::Error(error) if probing.is_some() => self.fall_back(Some(error)),
            Answer::Invalid(_) if probing.is_some() => self.fall_back(None),
            _ => {}
        }
    }

    /// An error that only a modern server gives.
    fn refused(&mut self, error: RpcError, probing: Option<(Revision, bool)>) {
        let supported = error.data.as_ref().and_then(|data| data.as_json().member("supported"));
        let mutual = supported.and_then(|names| self.config.mutual(Era::Modern, names));
        let unsupported = error.code == i64::from(code::UNSUPPORTED_PROTOCOL_VERSION);
        match (mutual.filter(|_| unsupported), probing) {
            // It lists the very version that it refused: asked once more, then believed.
            (Some(revision), Some((asked, false))) if revision == asked => self.probe(revision, true),
            (Some(revision), Some((asked, true))) if revision == asked => {
                self.fail(Some(error), "the server refuses the version that it lists");
            }
            (Some(revision), _) => self.adopt(revision, None),
            (None, _) => self.fail(Some(error), "the server is modern and speaks no version of this client"),
        }
    }

    fn initialized(&mut self, answer: Answer<'_>) {
        match answer {
            Answer::Result { result, .. } => {
                let version = result.member("protocolVersion").and_then(Json::as_str);
                let revision = version
                    .and_then(|name| Revision::from_name(&name))
                    .filter(|revision| revision.era() == Era::Legacy)
                    .filter(|revision| self.config.revisions.contains(revision));
                let Some(revision) = revision else {
                    return self
                        .fail(None, "the server answered with a version that this client does not speak");
                };
                self.opened(revision);
                let wire = Wire { revision: Some(revision) };
                if let Some(row) = method::with_handling(Handling::Initialized, Side::Client, revision) {
                    let _ = self.engine.send(Related::Session, true, wire, |out| {
                        write::notification(out, row.row().name, None);
                    });
                }
                self.ready(revision, Some(result), result.member("serverInfo"));
                if let Some(interval) = self.engine.limits.ping_interval {
                    self.engine.arm_ping(interval);
                }
            }
            Answer::Error(error) if error.code == i64::from(code::UNSUPPORTED_PROTOCOL_VERSION) => {
                self.refused(error, None);
            }
            Answer::Error(error) => self.fail(Some(error), "the server refused `initialize`"),
            Answer::Invalid(_) => self.fail(None, "the server's answer to `initialize` is no valid response"),
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
        let admitted = self.engine.admit(envelope, id, reply, revision, Some(row), false);
        let Some((handle, buf)) = admitted else { return };
        let params = envelope.span(Field::Params);
        self.engine.outbox.deliver(Event::Input(Input {
            input: InputHandle(handle),
            call: None,
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
        match row.map(|row| row.row().handling) {
            Some(Handling::Cancelled) => {
                let token = params.and_then(|params| params.member("requestId")).map_or("null", Json::get);
                match self.engine.call_of(token) {
                    // No other call is ended so. The notice or the result may come, or both: either is the end that
                    // the server wanted, unlike a cancellation of ours.
                    Ok(handle) if self.engine.calls.get(handle).is_some_and(Call::is_subscription) => {
                        self.engine.complete(handle, Ok(Payload::from_json(Json::EMPTY_OBJECT)));
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
            Some(_) => {
                let call = match envelope.raw(Field::SubscriptionId).map(|token| self.engine.call_of(token)) {
                    // The subscription is over; what was on its way is not news.
                    Some(Err(true)) => {
                        self.engine.stats.late += 1;
                        return;
                    }
                    Some(Ok(call)) => Some(CallHandle(call)),
                    None | Some(Err(false)) => None,
                };
                let method = Method::Known(row.map_or("", |row| row.row().name));
                let params = params.map(Payload::from_json);
                self.deliver_notice(Event::Notification { call, method, params });
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
            Purpose::Application => {}
        }
    }
    fn peer_error(&mut self, error: RpcError) {
        match self.engine.calls.first() {
            Some(probe) if matches!(self.life, Life::Probing { .. }) => {
                self.answered(probe, Purpose::Probe, Answer::Error(error));
            }
            _ => self.report(error),
        }
    }
    fn opening_due(&mut self) {
        self.engine.opening = 0;
        match self.life {
            // The probe stays known: an answer that comes late still proves the era.
            Life::Probing { .. } => self.fall_back(None),
            Life::Handshaking { .. } => self.fail(None, "no answer to `initialize` in time"),
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
}
