//! Who is told of changes: the one legacy session, and the `subscriptions/listen` streams of the modern era.
use alloc::{boxed::Box, format, string::String, sync::Arc};

use super::{
    Server,
    commands::stamp,
    engine::{Reply, Wire},
    meta,
    requests::Received,
    role::Role,
    service::Service,
};
use crate::{
    RequestHandle,
    event::Related,
    json::Json,
    jsonrpc::{
        code,
        envelope::{Envelope, Field, Span},
        write,
    },
    method::{self, Handling, MethodId, Side},
    revision::Revision,
};

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
}

/// Everything that can change as a whole.
pub(crate) const CHANGES: [Change; 3] = [Change::Tools, Change::Prompts, Change::Resources];

impl Change {
    /// The notice that says so.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
        }
    }
    /// The capability under which it is said.
    pub(crate) const fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools.listChanged",
            Self::Prompts => "prompts.listChanged",
            Self::Resources => "resources.listChanged",
        }
    }
    /// The member of a filter that asks for it: `basic/patterns/subscriptions`.
    const fn filter(self) -> &'static str {
        match self {
            Self::Tools => "toolsListChanged",
            Self::Prompts => "promptsListChanged",
            Self::Resources => "resourcesListChanged",
        }
    }
    const fn place(self) -> usize {
        self as usize
    }
}

/// Notices that were queued, by their place in the output, so that one that still waits is not queued again.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Notices([u64; CHANGES.len()]);

impl Notices {
    pub(crate) const NONE: Self = Self([0; CHANGES.len()]);

    pub(crate) fn order(&self, change: Change) -> u64 {
        self.0.get(change.place()).copied().unwrap_or_default()
    }
    pub(crate) fn queued(&mut self, change: Change, order: u64) {
        if let Some(place) = self.0.get_mut(change.place()) {
            *place = order;
        }
    }
}

/// What a stream is told of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Filter {
    wanted: [bool; CHANGES.len()],
    pub(crate) notices: Notices,
}

impl Filter {
    /// Of what a client asks, what this server says at all.
    pub(crate) fn accept(asked: Json<'_>, offered: impl Fn(Change) -> bool) -> Self {
        let mut filter = Self::default();
        for (change, wanted) in CHANGES.into_iter().zip(&mut filter.wanted) {
            *wanted =
                offered(change) && asked.member(change.filter()).is_some_and(|value| value.get() == "true");
        }
        filter
    }
    pub(crate) fn wants(&self, change: Change) -> bool {
        self.wanted.get(change.place()).copied().unwrap_or_default()
    }
    /// The members of the acknowledged filter.
    pub(crate) fn write(&self, out: &mut String) {
        out.push('{');
        for change in CHANGES.into_iter().filter(|change| self.wants(*change)) {
            let comma = if out.ends_with('{') { "" } else { "," };
            out.push_str(comma);
            out.push('"');
            out.push_str(change.filter());
            out.push_str("\":true");
        }
        out.push('}');
    }
}

impl Server {
    pub(super) fn listen(&mut self, envelope: &Envelope<'_>, id: &str, revision: Revision, row: MethodId) {
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

    pub(super) fn tell_session(&mut self, change: Change) {
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

    pub(super) fn tell_listeners(&mut self, change: Change) {
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
    pub(super) fn end_subscriptions(&mut self) {
        let Service { engine, result_meta, .. } = &mut self.service;
        let handles: smallvec::SmallVec<[u64; 4]> = engine
            .requests
            .iter()
            .filter_map(|(handle, request)| request.filter.is_some().then_some(handle))
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
