//! Who is told of changes: the one legacy session, and the `subscriptions/listen` streams of the modern era.
use alloc::{boxed::Box, format, string::String, sync::Arc};

use smallvec::SmallVec;

use super::{
    Server,
    commands::stamp,
    engine::{Engine, Reply, Wire},
    meta,
    role::Role,
    server::Found,
    service::Service,
    watches::{HELD, Watches},
};
use crate::{
    RequestHandle,
    error::SendError,
    event::{Event, Related},
    json::{Json, unescape},
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
pub enum Change<'a> {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources, or of their templates.
    Resources,
    /// The content of a resource.
    Resource {
        /// Its URI. Who subscribed to this very text is told.
        uri: &'a str,
        /// A resource that it is a part of: who subscribed to that one is told too.
        concerns: Option<&'a str>,
    },
}

/// Everything that can change as a whole.
pub(crate) const CHANGES: [Change<'static>; 3] = [Change::Tools, Change::Prompts, Change::Resources];

impl Change<'_> {
    /// What the notice that says so is handled as.
    pub(crate) const fn handling(self) -> Handling {
        match self {
            Self::Tools => Handling::ToolsChanged,
            Self::Prompts => Handling::PromptsChanged,
            Self::Resources => Handling::ResourcesChanged,
            Self::Resource { .. } => Handling::ResourceUpdated,
        }
    }
    /// The notice that says so.
    fn row(self, revision: Revision) -> Option<MethodId> {
        method::with_handling(self.handling(), Side::Server, revision)
    }
    /// The member of a filter that asks for it: `basic/patterns/subscriptions`.
    const fn filter(self) -> &'static str {
        match self {
            Self::Tools => "toolsListChanged",
            Self::Prompts => "promptsListChanged",
            Self::Resources => "resourcesListChanged",
            Self::Resource { .. } => "resourceSubscriptions",
        }
    }
    const fn place(self) -> usize {
        match self {
            Self::Tools => 0,
            Self::Prompts => 1,
            Self::Resources | Self::Resource { .. } => 2,
        }
    }
}

/// Notices that were queued, by their place in the output, so that one that still waits is not queued again.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Notices([u64; CHANGES.len()]);

impl Notices {
    pub(crate) const NONE: Self = Self([0; CHANGES.len()]);

    pub(crate) fn order(&self, change: Change<'_>) -> u64 {
        self.0.get(change.place()).copied().unwrap_or_default()
    }
    pub(crate) fn queued(&mut self, change: Change<'_>, order: u64) {
        if let Some(place) = self.0.get_mut(change.place()) {
            *place = order;
        }
    }
}

/// What a stream is told of.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    wanted: [bool; CHANGES.len()],
    notices: Notices,
    pub(crate) resources: Watches,
}

impl Filter {
    /// Of what a client asks, what this server says at all; or what is wrong with it.
    fn accept(asked: Json<'_>, offered: impl Fn(Change<'_>) -> bool) -> Result<Self, &'static str> {
        let mut filter = Self::default();
        for (change, wanted) in CHANGES.into_iter().zip(&mut filter.wanted) {
            *wanted = match asked.member(change.filter()).map(Json::get) {
                None | Some("false") => false,
                Some("true") => offered(change),
                Some(_) => {
                    return Err("a member of `notifications` that ends in `ListChanged` must be a boolean");
                }
            };
        }
        let one = Change::Resource { uri: "", concerns: None };
        if let Some(uris) = asked.member(one.filter()) {
            let wrong = "`notifications.resourceSubscriptions` must be an array of URIs";
            if !uris.get().starts_with('[') {
                return Err(wrong);
            }
            let offered = offered(one);
            for uri in uris.elements() {
                let uri = uri.as_str().ok_or(wrong)?;
                if offered {
                    filter.resources.add(&uri);
                }
            }
        }
        Ok(filter)
    }
    /// Drops what the other does not have.
    fn limit_to(&mut self, accepted: &Self) {
        for (wanted, accepted) in self.wanted.iter_mut().zip(accepted.wanted) {
            *wanted &= accepted;
        }
        self.resources.retain(|uri| accepted.resources.has(uri));
    }
    fn wants(&self, change: Change<'_>) -> bool {
        self.wanted.get(change.place()).copied().unwrap_or_default()
    }
    /// The members of the acknowledged filter.
    fn write(&self, out: &mut String) {
        out.push('{');
        for change in CHANGES.into_iter().filter(|change| self.wants(*change)) {
            let comma = if out.ends_with('{') { "" } else { "," };
            out.push_str(comma);
            out.push('"');
            out.push_str(change.filter());
            out.push_str("\":true");
        }
        if !self.resources.is_empty() {
            out.push_str(if out.ends_with('{') { "\"" } else { ",\"" });
            out.push_str(Change::Resource { uri: "", concerns: None }.filter());
            out.push_str("\":[");
            for (place, uri) in self.resources.uris().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write::string(out, uri);
            }
            out.push(']');
        }
        out.push('}');
    }
}

/// Who is told: the legacy session, or a stream by the handle of its request.
#[derive(Debug, Clone, Copy)]
enum Subscriber {
    Session,
    Stream(u64),
}

impl Engine {
    /// Counts the resources of a subscriber, and says which are watched from now on.
    fn watch<'u>(&mut self, uris: impl Iterator<Item = &'u str>) {
        for uri in uris {
            if self.watched.add(uri) {
                self.outbox.deliver(Event::Watched { uri: uri.into(), wanted: true });
            }
        }
    }
    /// The same when they go.
    pub(crate) fn unwatch<'u>(&mut self, uris: impl Iterator<Item = &'u str>) {
        for uri in uris {
            if self.watched.remove(uri) {
                self.outbox.deliver(Event::Watched { uri: uri.into(), wanted: false });
            }
        }
    }
    /// Nobody watches anything any more.
    pub(crate) fn unwatch_all(&mut self) {
        while let Some(uri) = self.watched.pop() {
            self.outbox.deliver(Event::Watched { uri, wanted: false });
        }
    }
    fn has_room_to_watch(&self, more: usize) -> bool {
        self.watched.len() + more <= self.limits.subscriptions
    }
    /// Answers that there is no room for another subscription.
    fn refuse_to_watch(&mut self, reply: Reply, id: &str, revision: Revision) {
        let limit = Some(self.limits.subscriptions);
        self.refuse(reply, id, Wire { revision: Some(revision) }, ("subscriptions", limit));
    }
}

impl Server {
    /// Whether this server says in `revision` that such a thing changed.
    fn tells(&self, change: Change<'_>, revision: Revision) -> bool {
        change.row(revision).is_some_and(|row| self.service.allowed.has(row, revision))
    }
    /// Whether the engine lets this client watch a resource without asking the application: it is one of the catalog, and
    /// there is nobody to keep it from.
    fn may_watch(&self, uri: &str, revision: Revision) -> bool {
        let catalog = self.service.catalog.as_deref().filter(|_| self.state.principal.is_nobody());
        catalog.is_some_and(|catalog| catalog.has(uri, self.view(catalog, revision)))
    }
    pub(super) fn listen(&mut self, envelope: &Envelope<'_>, id: &str, revision: Revision, row: MethodId) {
        let filter = envelope
            .raw(Field::Params)
            .map(Json::from_checked)
            .and_then(|params| params.member("notifications"))
            .filter(|filter| filter.is_object())
            .ok_or("`notifications` must be an object")
            .and_then(|asked| Filter::accept(asked, |change| self.tells(change, revision)));
        let filter = match filter {
            Ok(filter) => filter,
            Err(wrong) => return self.refuse(Reply::Message, id, code::INVALID_PARAMS, wrong, None),
        };
        if !self.service.engine.has_room_to_watch(filter.resources.uris().count()) {
            return self.service.engine.refuse_to_watch(Reply::Message, id, revision);
        }
        if !filter.resources.uris().all(|uri| self.may_watch(uri, revision)) {
            return self.deliver(envelope, id, Reply::Message, revision, Some(row), Found::default());
        }
        let engine = &mut self.service.engine;
        let admitted = engine.admit(envelope, id, Reply::Message, revision, Some(row), true);
        if let Some((handle, _)) = admitted {
            self.open_stream(handle, filter);
        }
    }
    /// The application lets a stream be opened, for what it names of what was asked.
    pub(super) fn accept_stream(&mut self, handle: u64, accepted: Json<'_>) -> Result<(), SendError> {
        let engine = &self.service.engine;
        let Some(request) = engine.requests.get(handle) else { return Err(engine.gone(handle)) };
        let revision = request.revision;
        let asked = request.params().and_then(|params| params.member("notifications"));
        let mut filter =
            Filter::accept(asked.unwrap_or(Json::EMPTY_OBJECT), |change| self.tells(change, revision))
                .unwrap_or_default();
        if let Some(accepted) = accepted.member("notifications") {
            let accepted = Filter::accept(accepted, |_| true).map_err(SendError::Invalid)?;
            filter.limit_to(&accepted);
        }
        if !self.service.engine.has_room_to_watch(filter.resources.uris().count()) {
            return Err(SendError::Invalid("the limit `subscriptions` is reached: answer with an error"));
        }
        self.open_stream(handle, filter);
        Ok(())
    }
    fn open_stream(&mut self, handle: u64, filter: Filter) {
        let engine = &mut self.service.engine;
        let Some(request) = engine.requests.get_mut(handle) else { return };
        let (revision, timer) = (request.revision, core::mem::take(&mut request.timer));
        let buf = Arc::clone(&request.buf);
        let id = part(&buf, request.id);
        engine.disarm(timer);
        let Some(acknowledged) = method::with_handling(Handling::Acknowledged, Side::Server, revision) else {
            return;
        };
        let params = |out: &mut String| {
            subscription(out, id);
            out.push_str(",\"notifications\":");
            filter.write(out);
            out.push('}');
        };
        let related = Related::Request(RequestHandle::from_u64(handle));
        let wire = Wire { revision: Some(revision) };
        let _ = engine.send(related, true, wire, |out| {
            write::notification_with(out, acknowledged.row().name, Some(params));
        });
        engine.watch(filter.resources.uris());
        if let Some(request) = engine.requests.get_mut(handle) {
            request.filter = Some(Box::new(filter));
        }
    }

    /// `resources/subscribe`, and its opposite.
    pub(super) fn subscribe(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: MethodId,
    ) {
        let uri = envelope.raw(Field::Uri).and_then(unescape).unwrap_or_default();
        if row.row().handling == Handling::Unsubscribe {
            if let Some(watches) = self.state.watches.as_deref_mut()
                && watches.remove(&uri)
            {
                self.service.engine.unwatch(core::iter::once(&*uri));
            }
            self.state.watches.take_if(|watches| watches.is_empty());
            return self.service.reply(reply, id, revision, None, |_| ());
        }
        let has = self.state.watches.as_ref().is_some_and(|watches| watches.has(&uri));
        if !has && !self.service.engine.has_room_to_watch(1) {
            return self.service.engine.refuse_to_watch(reply, id, revision);
        }
        if !has && !self.may_watch(&uri, revision) {
            return self.deliver(envelope, id, reply, revision, Some(row), Found::default());
        }
        self.watch_for_session(&uri);
        self.service.reply(reply, id, revision, None, |_| ());
    }
    /// The application lets the session subscribe.
    pub(super) fn accept_subscription(&mut self, handle: u64) -> Result<(), SendError> {
        let engine = &self.service.engine;
        let Some(request) = engine.requests.get(handle) else { return Err(engine.gone(handle)) };
        if !engine.has_room_to_watch(1) {
            return Err(SendError::Invalid("the limit `subscriptions` is reached: answer with an error"));
        }
        let uri = request.params().and_then(|params| params.member("uri")).and_then(Json::as_str);
        let uri = String::from(uri.unwrap_or_default());
        self.watch_for_session(&uri);
        Ok(())
    }
    fn watch_for_session(&mut self, uri: &str) {
        if self.state.watches.get_or_insert_default().add(uri) {
            self.service.engine.watch(core::iter::once(uri));
        }
    }

    /// Tells everyone who asked.
    pub(super) fn tell(&mut self, change: Change<'_>) {
        self.tell_session(change);
        let interested = |filter: &Filter| match change {
            Change::Resource { uri, concerns } => {
                filter.resources.has(uri) || concerns.is_some_and(|whole| filter.resources.has(whole))
            }
            _ => filter.wants(change),
        };
        let streams: SmallVec<[u64; 4]> = self
            .service
            .engine
            .requests
            .iter()
            .filter_map(|(handle, request)| {
                request.filter.as_deref().is_some_and(interested).then_some(handle)
            })
            .collect();
        for handle in streams {
            match change {
                Change::Resource { uri, concerns } => {
                    self.tell_resource(Subscriber::Stream(handle), uri, concerns);
                }
                _ => self.tell_stream(handle, change),
            }
        }
    }
    pub(super) fn tell_session(&mut self, change: Change<'_>) {
        let Some(revision) = self.state.revision.filter(|revision| !revision.features().listen) else {
            return;
        };
        if let Change::Resource { uri, concerns } = change {
            return self.tell_resource(Subscriber::Session, uri, concerns);
        }
        let Some(row) = change.row(revision).filter(|row| self.service.allowed.has(*row, revision)) else {
            return;
        };
        let engine = &mut self.service.engine;
        let waiting = self.state.notices.order(change);
        if !self.state.initialized {
            // Told when the handshake is complete.
            self.state.notices.queued(change, HELD);
        } else if !engine.still_tells(waiting) {
            let wire = Wire { revision: Some(revision) };
            let sent = engine
                .send(Related::Session, false, wire, |out| write::notification(out, row.row().name, None));
            self.state.notices.queued(change, sent.unwrap_or_default());
        }
    }
    /// What was held back until the handshake was complete.
    pub(super) fn tell_held_changes(&mut self) {
        for change in CHANGES {
            if self.state.notices.order(change) == HELD {
                self.state.notices.queued(change, 0);
                self.tell_session(change);
            }
        }
        self.tell_held();
    }
    fn tell_stream(&mut self, handle: u64, change: Change<'_>) {
        let engine = &mut self.service.engine;
        let Some(request) = engine.requests.get(handle) else { return };
        let Some(row) = change.row(request.revision) else { return };
        let waiting = request.filter.as_ref().map_or(0, |filter| filter.notices.order(change));
        if engine.still_tells(waiting) {
            return;
        }
        let (buf, id) = (Arc::clone(&request.buf), request.id);
        let wire = Wire { revision: Some(request.revision) };
        let params = |out: &mut String| {
            subscription(out, part(&buf, id));
            out.push('}');
        };
        let related = Related::Request(RequestHandle::from_u64(handle));
        let sent = engine
            .send(related, false, wire, |out| write::notification_with(out, row.row().name, Some(params)));
        if let Some(filter) = engine.requests.get_mut(handle).and_then(|request| request.filter.as_mut()) {
            filter.notices.queued(change, sent.unwrap_or_default());
        }
    }

    fn watches(&mut self, subscriber: Subscriber) -> Option<&mut Watches> {
        match subscriber {
            Subscriber::Session => self.state.watches.as_deref_mut(),
            Subscriber::Stream(handle) => self
                .service
                .engine
                .requests
                .get_mut(handle)
                .and_then(|request| request.filter.as_mut())
                .map(|filter| &mut filter.resources),
        }
    }
    /// Tells one subscriber of a resource, or of a part of one. Where there is no room, it is told later, of the one that
    /// it subscribed to.
    fn tell_resource(&mut self, subscriber: Subscriber, uri: &str, concerns: Option<&str>) {
        let early = matches!(subscriber, Subscriber::Session) && !self.state.initialized;
        let Some(watches) = self.watches(subscriber) else { return };
        let subscribed = [Some(uri), concerns].into_iter().flatten().find(|uri| watches.has(uri));
        let Some(subscribed) = subscribed else { return };
        let waiting = watches.order(subscribed).unwrap_or_default();
        if waiting == HELD {
            return;
        }
        if early || self.service.engine.is_full() {
            self.service.engine.holds_notices = true;
            if let Some(watches) = self.watches(subscriber) {
                watches.queued(subscribed, HELD);
            }
        } else if subscribed != uri || !self.service.engine.still_tells(waiting) {
            self.send_updated(subscriber, uri);
        }
    }
    fn send_updated(&mut self, subscriber: Subscriber, uri: &str) {
        let engine = &mut self.service.engine;
        let change = Change::Resource { uri, concerns: None };
        let (revision, stream, related) = match subscriber {
            Subscriber::Session => (self.state.revision, None, Related::Session),
            Subscriber::Stream(handle) => {
                let Some(request) = engine.requests.get(handle) else { return };
                let related = Related::Request(RequestHandle::from_u64(handle));
                (Some(request.revision), Some((Arc::clone(&request.buf), request.id)), related)
            }
        };
        let Some(row) = revision.and_then(|revision| change.row(revision)) else { return };
        let params = |out: &mut String| {
            match &stream {
                Some((buf, id)) => {
                    subscription(out, part(buf, *id));
                    out.push_str(",\"uri\":");
                }
                None => out.push_str("{\"uri\":"),
            }
            write::string(out, uri);
            out.push('}');
        };
        let sent = engine.send(related, false, Wire { revision }, |out| {
            write::notification_with(out, row.row().name, Some(params));
        });
        if let Some(watches) = self.watches(subscriber) {
            watches.queued(uri, sent.unwrap_or_default());
        }
    }
    /// What was held back for want of room.
    pub(super) fn tell_held(&mut self) {
        if self.service.engine.is_full() {
            return;
        }
        let streams = self.service.engine.requests.iter().filter(|(_, request)| request.filter.is_some());
        let streams: SmallVec<[Subscriber; 4]> =
            streams.map(|(handle, _)| Subscriber::Stream(handle)).collect();
        let session = self.state.initialized.then_some(Subscriber::Session);
        for subscriber in session.into_iter().chain(streams) {
            while let Some(uri) =
                self.watches(subscriber).and_then(|watches| watches.held()).map(String::from)
            {
                if self.service.engine.is_full() {
                    return;
                }
                self.send_updated(subscriber, &uri);
            }
        }
        self.service.engine.holds_notices = !self.state.initialized && self.state.watches.is_some();
    }

    /// Ends every subscription with the notice that one page of the spec wants and the result that the other wants.
    pub(super) fn end_subscriptions(&mut self) {
        let Service { engine, result_meta, .. } = &mut self.service;
        let streams = engine.requests.iter().filter(|(_, request)| request.filter.is_some());
        let streams: SmallVec<[u64; 4]> = streams.map(|(handle, _)| handle).collect();
        for handle in streams {
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
            let cancelled = method::with_handling(Handling::Cancelled, Side::Server, request.revision);
            if let Some(row) = cancelled {
                let _ = engine.send(related, false, wire, |out| {
                    write::notification_with(out, row.row().name, Some(params));
                });
            }
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
