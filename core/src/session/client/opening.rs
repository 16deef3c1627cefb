//! How a client finds out the era of its server, and opens the conversation.
use alloc::{boxed::Box, format, string::String};
use core::time::Duration;

use super::{Client, Life};
use crate::{
    error::{CallError, CloseReason, Fault, RpcError},
    event::{Event, Ready, Related},
    json::{Json, Payload},
    jsonrpc::{code, write},
    method::{self, Handling, Side},
    revision::{Era, Revision},
    session::{
        CallOptions,
        calls::{NewCall, Purpose},
        config::Allowed,
        engine::Wire,
        extensions::declares_extension,
        meta,
        role::Answer,
        tasks::NEEDS_CLOCK,
        timers::Timer,
    },
};

/// The page on finding the era.
pub(super) const STDIO: &str = "basic/transports/stdio";
/// The page on the handshake.
const LIFECYCLE: &str = "basic/lifecycle";

impl Client {
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
            let detail = String::from("the opening request is larger than `message_bytes`; closed");
            self.engine.fault("fault.handshake", LIFECYCLE, None, detail);
            self.engine.end(CloseReason::Handshake);
        }
    }

    /// The call that opens the conversation, while it has no answer.
    pub(super) fn opening_call(&self) -> Option<u64> {
        let opens = |purpose| matches!(purpose, Purpose::Probe | Purpose::Initialize);
        self.engine.calls.iter().find(|(_, call)| opens(call.purpose)).map(|(handle, _)| handle)
    }

    /// The revision to probe with, if the server's era is remembered and not shown yet.
    pub(super) fn doubted(&self) -> Option<Revision> {
        self.config.preferred(Era::Modern).filter(|_| self.unproven)
    }

    pub(super) fn ask_era(&mut self, revision: Revision, again: bool) {
        self.unproven = false;
        self.life = Life::Probing { revision, again };
        self.arm_opening(self.engine.limits.probe);
        let meta = self.request_meta(revision);
        self.open(Handling::Discover, Purpose::Probe, revision, None, &meta);
    }

    pub(super) fn initialize(&mut self, revision: Revision, probed: bool) {
        self.life = Life::Handshaking { revision, probed };
        if self.served.takes_tasks(revision) && self.engine.clock.is_none() {
            return self.fail(None, NEEDS_CLOCK);
        }
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

    /// The kinds of results that extensions define which both sides declare. A server whose capabilities were not heard
    /// may have any.
    fn negotiate(&mut self, revision: Revision, server: Option<Json<'_>>) {
        let ours = Json::from_checked(&self.config.capabilities);
        let both = |name: &str| {
            declares_extension(ours, name) && server.is_none_or(|server| declares_extension(server, name))
        };
        let kinds = self.config.result_types.iter().filter(|_| revision.features().extensions);
        self.extension_results = kinds.filter(|(name, _)| both(name)).map(|(_, kind)| kind.into()).collect();
    }

    /// The server is legacy, or says nothing.
    pub(super) fn fall_back(&mut self, cause: Option<RpcError>) {
        match self.config.preferred(Era::Legacy) {
            Some(legacy) => self.initialize(legacy, true),
            None => self
                .fail(cause, "the server does not speak a modern revision, and this client speaks no other"),
        }
    }

    pub(super) fn fail(&mut self, cause: Option<RpcError>, detail: &str) {
        let detail = match &cause {
            Some(error) => format!("{detail}: error {}; closed", error.code),
            None => format!("{detail}; closed"),
        };
        let page = if matches!(self.life, Life::Probing { .. }) { STDIO } else { LIFECYCLE };
        self.engine.fault_with(Fault { cause, ..Fault::new("fault.handshake", page, detail) });
        self.engine.end(CloseReason::Handshake);
    }

    /// What opened the conversation is over; its answers are late from now on.
    fn opened(&mut self, revision: Revision) {
        while let Some(handle) = self.opening_call() {
            self.engine.complete(handle, Err(CallError::Cancelled));
        }
        let opening = core::mem::take(&mut self.engine.opening);
        self.engine.disarm(opening);
        self.life = Life::Ready(revision);
        self.unproven = false;
        self.meta = self.request_meta(revision).into();
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
        self.negotiate(revision, capabilities);
        self.engine.outbox.deliver(Event::Ready(Box::new(Ready {
            revision: revision.name(),
            peer: peer.map(Payload::from_json),
            capabilities: capabilities.map(Payload::from_json),
            instructions: part("instructions").filter(|text| text.as_str().is_some()).map(Payload::from_json),
        })));
    }

    pub(super) fn adopt(&mut self, revision: Revision, discovered: Option<Json<'_>>) {
        self.opened(revision);
        let info = discovered
            .and_then(|result| result.member("_meta"))
            .and_then(|meta| meta.member(meta::SERVER_INFO))
            .filter(|info| info.is_object());
        self.ready(revision, discovered, info);
    }

    /// An answer to `server/discover`, whenever it comes.
    pub(super) fn discovered(&mut self, answer: Answer<'_>) {
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
            (Some(revision), Some((asked, false))) if revision == asked => self.ask_era(revision, true),
            (Some(revision), Some((asked, true))) if revision == asked => {
                self.fail(Some(error), "the server refuses the version that it lists");
            }
            (Some(revision), _) => self.adopt(revision, None),
            (None, _) => self.fail(Some(error), "the server is modern and speaks no version of this client"),
        }
    }

    pub(super) fn initialized(&mut self, answer: Answer<'_>) {
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
            Answer::Error(error) => match self.doubted() {
                Some(modern) => self.ask_era(modern, false),
                None => self.fail(Some(error), "the server refused `initialize`"),
            },
            Answer::Invalid(_) => self.fail(None, "the server's answer to `initialize` is no valid response"),
        }
    }
}
