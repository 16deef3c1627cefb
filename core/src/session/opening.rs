//! How a server is opened: the era of a request, the handshake of the legacy one, the discovery of the modern one.
use alloc::{boxed::Box, format};

use super::{
    LogLevel, Server,
    config::Allowed,
    engine::Reply,
    role::Role,
    tasks::{NEEDS_CLOCK, TASKS},
};
use crate::{
    event::{Event, Ready},
    json::{Json, Payload, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
    },
    method::{self, Handling, MethodKind, MethodRow, Side},
    revision::{Era, Revision},
};

/// What is wrong with a request's `_meta`, or the revision it asks for.
pub(super) enum Opening {
    Revision(Revision),
    Unsupported,
    Malformed(&'static str),
}

impl Server {
    pub(super) fn opening(&self, envelope: &Envelope<'_>, version: &str) -> Opening {
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

    pub(super) fn unsupported(&mut self, reply: Reply, id: &str, requested: &str) {
        let requested = if requested.len() <= 66 { requested } else { "\"\"" };
        let data = format!("{{\"supported\":{},\"requested\":{requested}}}", self.service.modern);
        let error = code::UNSUPPORTED_PROTOCOL_VERSION;
        self.refuse(reply, id, error, "Unsupported protocol version", Some(&data));
    }

    /// A legacy request before `initialize`.
    pub(super) fn unopened(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply) {
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
                let opens = |row: &MethodRow| {
                    row.handling == Handling::Initialize
                        && envelope.method().is_some_and(|name| name == row.name)
                };
                let error = if method::rows().iter().any(opens) {
                    code::UNSUPPORTED_PROTOCOL_VERSION
                } else {
                    code::INVALID_PARAMS
                };
                self.refuse(reply, id, error, &message, Some(&data));
            }
            _ => {
                let message = if self.service.config.speaks(Era::Modern) {
                    "Not initialized: send `initialize` first, or `_meta` with \
                     `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities`"
                } else {
                    "Not initialized: send `initialize` first"
                };
                self.refuse(reply, id, code::INVALID_PARAMS, message, None);
            }
        }
    }

    pub(super) fn initialize(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply, newest: Revision) {
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
        if self.service.allowed.takes_tasks(revision) && self.service.engine.clock.is_none() {
            self.refuse(reply, id, code::INTERNAL_ERROR, "The server is not ready for this revision", None);
            let (error, detail) =
                (Some(code::INTERNAL_ERROR), format!("`initialize` refused: {NEEDS_CLOCK}"));
            return self.service.engine.fault("fault.no_clock", TASKS, error, detail);
        }
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

    pub(super) fn discover(&mut self, id: &str, reply: Reply, revision: Revision) {
        let mut body = format!("\"supportedVersions\":{},", self.service.modern);
        self.service.describe(&mut body);
        let cache = Some(self.service.config.list_cache);
        self.service.reply(reply, id, revision, cache, |out| out.push_str(&body));
    }
}
