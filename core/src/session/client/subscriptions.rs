//! What a client is told of changes, in both eras: `basic/patterns/subscriptions` of 2026-07-28 and
//! `resources/subscribe` of the revisions before.
use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

use super::{Client, Plan, cache::is_within};
use crate::{
    CallHandle,
    error::{CallError, SendError},
    event::{Completion, Event, Method, Subscribed},
    json::{Json, Payload},
    jsonrpc::write,
    method::{self, Handling, MethodId, MethodRow, Side},
    revision::Revision,
    session::{
        CallOptions,
        calls::{Call, NewCall, Purpose},
        role::Role,
        traced::traced,
    },
    time::Instant,
};

const PAGE: &str = "basic/patterns/subscriptions";
/// The longest wait between two attempts, as a multiple of the first.
const LONGEST: u32 = 64;

/// What a client wants to be told of.
#[derive(Debug, Clone, Copy, Default)]
pub struct SubscriptionFilter<'a> {
    /// Changes of the list of tools.
    pub tools: bool,
    /// Changes of the list of prompts.
    pub prompts: bool,
    /// Changes of the list of resources.
    pub resources: bool,
    /// The URIs of resources whose changes are wanted.
    pub uris: &'a [&'a str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The server was asked (legacy: for the URI in this place).
    Asking(usize),
    /// It holds.
    InForce,
    /// The server ended it; it is asked again in a while.
    Waiting,
}

/// A subscription of this client. It outlives its stream.
#[derive(Debug)]
pub(crate) struct Subscription {
    revision: Revision,
    /// Notices of whole lists, and whether the server sends them.
    lists: Vec<(MethodId, bool)>,
    /// Resources, and whether the server tells of them.
    uris: Vec<(Box<str>, bool)>,
    state: State,
    /// It held before.
    held: bool,
    since: Instant,
    /// Attempts in a row that did not last.
    attempts: u32,
}

impl Subscription {
    fn wants(&self, notice: &MethodRow, uri: Option<&str>) -> bool {
        if notice.name_field.is_none() {
            return self.lists.iter().any(|(list, _)| list.row() == notice);
        }
        // What a part of a resource is, is for its server to say; elsewhere than on a stream it can only be guessed.
        let told = |own: &str| self.revision.features().listen || uri.is_some_and(|uri| is_within(uri, own));
        notice.filter.is_some() && self.uris.iter().any(|(own, _)| told(own))
    }
    /// The part of the filter that is honoured, or that is not.
    fn part(&self, honoured: bool) -> String {
        self.filter(|is_honoured| is_honoured == honoured)
    }
    fn filter(&self, which: impl Fn(bool) -> bool) -> String {
        let mut out = String::from("{");
        let key = |out: &mut String, row: &MethodRow| {
            out.push_str(if out.len() > 1 { "," } else { "" });
            write::string(out, row.filter.unwrap_or_default());
            out.push(':');
        };
        for (list, _) in self.lists.iter().filter(|(_, honoured)| which(*honoured)) {
            key(&mut out, list.row());
            out.push_str("true");
        }
        let mut uris = self.uris.iter().filter(|(_, honoured)| which(*honoured)).peekable();
        let row = method::with_handling(Handling::ResourceUpdated, Side::Server, self.revision);
        if let (Some(row), Some(_)) = (row, uris.peek()) {
            key(&mut out, row.row());
            out.push('[');
            for (place, (uri, _)) in uris.enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                write::string(&mut out, uri);
            }
            out.push(']');
        }
        out.push('}');
        out
    }
    /// Notes what an acknowledgement has. False: it has more than was asked for.
    fn acknowledge(&mut self, filter: Json<'_>) -> bool {
        for (list, honoured) in &mut self.lists {
            let name = list.row().filter.unwrap_or_default();
            *honoured = filter.member(name).is_some_and(|value| value.get() == "true");
        }
        for (_, honoured) in &mut self.uris {
            *honoured = false;
        }
        let mut more = false;
        for row in notices(self.revision) {
            let Some(value) = row.row().filter.and_then(|name| filter.member(name)) else { continue };
            if row.row().name_field.is_none() {
                more |= value.get() == "true" && !self.lists.iter().any(|(list, _)| *list == row);
                continue;
            }
            for uri in value.elements().filter_map(Json::as_str) {
                let mut asked = self.uris.iter_mut().filter(|(own, _)| **own == *uri).peekable();
                more |= asked.peek().is_none();
                for (_, honoured) in asked {
                    *honoured = true;
                }
            }
        }
        !more
    }
}

/// The notices that a subscription may be about.
fn notices(revision: Revision) -> impl Iterator<Item = MethodId> {
    [Handling::ToolsChanged, Handling::PromptsChanged, Handling::ResourcesChanged, Handling::ResourceUpdated]
        .into_iter()
        .filter_map(move |handling| method::with_handling(handling, Side::Server, revision))
}

fn uri_params(uri: &str) -> String {
    let mut params = String::from("{\"uri\":");
    write::string(&mut params, uri);
    params.push('}');
    params
}

impl Client {
    /// Subscribes to changes, in either era, until the handle is cancelled. `Event::Subscribed` follows when it is in
    /// force and says what the server honours; each change is an `Event::Notification` with this handle. If the server
    /// ends it, the engine asks again, after `Limits::listen_backoff` and ever later; `Event::Subscribed` then says
    /// `again`. The one `Completed` comes when the handle is cancelled, when the server refuses the first time, when
    /// `Limits::listen_attempts` in a row failed, or with the connection.
    ///
    /// The modern era has `subscriptions/listen` for it. In the legacy era the resources are subscribed to one by one,
    /// and list changes are told by each server that declares so, asked or not.
    pub fn subscribe(
        &mut self,
        now: Instant,
        filter: SubscriptionFilter<'_>,
    ) -> Result<CallHandle, SendError> {
        traced!(self, now, subscribe(filter));
        self.engine.begin(now);
        let revision = self.may_call()?;
        let lists = [
            (filter.tools, Handling::ToolsChanged),
            (filter.prompts, Handling::PromptsChanged),
            (filter.resources, Handling::ResourcesChanged),
        ];
        let lists = lists.into_iter().filter(|(wanted, _)| *wanted);
        let subscription = Subscription {
            revision,
            lists: lists
                .filter_map(|(_, handling)| method::with_handling(handling, Side::Server, revision))
                .map(|row| (row, false))
                .collect(),
            uris: filter.uris.iter().map(|uri| (Box::from(*uri), false)).collect(),
            state: State::Asking(0),
            held: false,
            since: now,
            attempts: 0,
        };
        if subscription.lists.is_empty() && subscription.uris.is_empty() {
            return Err(SendError::Invalid("the filter asks for nothing"));
        }
        let mut subscription = Box::new(subscription);
        let handle = if revision.features().listen {
            let row = method::with_handling(Handling::Listen, Side::Client, revision);
            let row = row.ok_or(SendError::NotInRevision)?;
            let params = format!("{{\"notifications\":{}}}", subscription.filter(|_| true));
            let params = Some(Json::from_checked(&params));
            let meta = &self.meta;
            let name = row.row().name;
            let call = NewCall {
                purpose: Purpose::Application,
                method: name,
                row: Some(row),
                revision,
                params,
                meta,
            };
            let limit = self.engine.limits.call_silence;
            self.engine.start_call(&call, &CallOptions::new().timeouts(Some(limit), None))?
        } else {
            self.engine.room_for_call()?;
            let row = method::with_handling(Handling::Subscribe, Side::Client, revision);
            let call = NewCall {
                purpose: Purpose::Application,
                method: row.map_or("", |row| row.row().name),
                row,
                revision,
                params: None,
                meta: "",
            };
            for (list, honoured) in &mut subscription.lists {
                *honoured = self.offered.has(*list, revision);
            }
            let handle = self.engine.next_handle();
            let options = CallOptions::new().timeouts(Some(Duration::MAX), Some(Duration::MAX));
            // Until its first message is queued nothing of it has left.
            self.engine.enter(handle, &call, &options, 0, u64::MAX);
            handle
        };
        let listens = revision.features().listen;
        self.plan(handle, Plan::Subscription(subscription));
        if !listens {
            self.subscribe_next(handle);
        }
        Ok(CallHandle(handle))
    }
    fn subscription(&mut self, handle: u64) -> Option<&mut Subscription> {
        match self.engine.calls.get_mut(handle)?.plan.as_deref_mut() {
            Some(Plan::Subscription(subscription)) => Some(subscription),
            _ => None,
        }
    }
    /// Legacy: asks for the next resource; after the last it is in force.
    fn subscribe_next(&mut self, handle: u64) {
        self.engine.take_off_wire(handle);
        let Some(subscription) = self.subscription(handle) else { return };
        let State::Asking(place) = subscription.state else { return };
        let revision = subscription.revision;
        let params = subscription.uris.get(place).map(|(uri, _)| uri_params(uri));
        let row = method::with_handling(Handling::Subscribe, Side::Client, revision)
            .filter(|row| self.offered.has(*row, revision));
        let (Some(params), Some(row)) = (params, row) else { return self.in_force(handle) };
        let call = NewCall {
            purpose: Purpose::Application,
            method: row.row().name,
            row: Some(row),
            revision,
            params: Some(Json::from_checked(&params)),
            meta: "",
        };
        if self.engine.send_again(handle, &call, &CallOptions::new()).is_ok() {
            let limit = self.engine.limits.call_silence;
            self.engine.wait_for(handle, Some(limit));
        } else {
            self.subscribed_to(handle, false);
        }
    }
    /// Legacy: a resource was granted or refused.
    fn subscribed_to(&mut self, handle: u64, granted: bool) {
        if let Some(subscription) = self.subscription(handle)
            && let State::Asking(place) = &mut subscription.state
        {
            let at = *place;
            *place += 1;
            if let Some((_, honoured)) = subscription.uris.get_mut(at) {
                *honoured = granted;
            }
        }
        self.subscribe_next(handle);
    }
    fn in_force(&mut self, handle: u64) {
        self.engine.wait_for(handle, None);
        let now = self.engine.now;
        let Some(subscription) = self.subscription(handle) else { return };
        subscription.state = State::InForce;
        subscription.since = now;
        let again = core::mem::replace(&mut subscription.held, true);
        let text = |part: String| Payload::from_json(Json::from_checked(&part));
        let event = Subscribed {
            call: CallHandle(handle),
            filter: text(subscription.part(true)),
            missing: text(subscription.part(false)),
            again,
        };
        self.engine.outbox.deliver(Event::Subscribed(Box::new(event)));
    }
    fn subscription_fault(&mut self, detail: &str) {
        self.engine.fault("fault.subscription", PAGE, None, String::from(detail));
    }
    /// `notifications/subscriptions/acknowledged` for a subscription of ours. False: it is none.
    pub(super) fn acknowledged(&mut self, handle: u64, params: Option<Json<'_>>) -> bool {
        let Some(subscription) = self.subscription(handle) else { return false };
        if !matches!(subscription.state, State::Asking(_)) {
            self.subscription_fault("a subscription is acknowledged twice; ignored");
            return true;
        }
        let filter = params.and_then(|params| params.member("notifications")).unwrap_or(Json::EMPTY_OBJECT);
        if !subscription.acknowledge(filter) {
            self.subscription_fault(
                "a subscription is acknowledged for more than was asked; the rest is ignored",
            );
        }
        self.in_force(handle);
        true
    }
    /// What the server answered to a request of a subscription.
    pub(super) fn subscription_answered(&mut self, handle: u64, outcome: Result<Completion, CallError>) {
        let Some(subscription) = self.subscription(handle) else {
            return self.engine.complete(handle, outcome);
        };
        if !subscription.revision.features().listen {
            return self.subscribed_to(handle, outcome.is_ok());
        }
        if outcome.is_err() && !subscription.held {
            return self.engine.complete(handle, outcome);
        }
        self.stream_ended(handle, outcome);
    }
    /// The server is asked again in a while, or it is over.
    pub(super) fn stream_ended(&mut self, handle: u64, outcome: Result<Completion, CallError>) {
        let (now, first) = (self.engine.now, self.engine.limits.listen_backoff);
        let limit = self.engine.limits.listen_attempts;
        self.engine.take_off_wire(handle);
        let Some(subscription) = self.subscription(handle) else { return };
        let lasted = subscription.state == State::InForce
            && now.since(subscription.since) >= first.saturating_mul(LONGEST);
        subscription.attempts = if lasted { 1 } else { subscription.attempts.saturating_add(1) };
        subscription.state = State::Waiting;
        let attempts = subscription.attempts;
        let lists: Vec<MethodId> = subscription.lists.iter().map(|(list, _)| *list).collect();
        let uris: Vec<Box<str>> = subscription.uris.iter().map(|(uri, _)| uri.clone()).collect();
        let revision = subscription.revision;
        // Nothing tells any more that these are stale.
        for list in lists {
            self.outdate(list.row(), None);
        }
        if let Some(row) = method::with_handling(Handling::ResourceUpdated, Side::Server, revision) {
            for uri in uris {
                self.outdate(row.row(), Some(&uri));
            }
        }
        if attempts > limit || !self.engine.is_open() {
            return self.engine.complete(handle, outcome);
        }
        let doubled = first.saturating_mul(1_u32.checked_shl(attempts - 1).unwrap_or(LONGEST).min(LONGEST));
        let half = u64::try_from(doubled.as_nanos()).unwrap_or(u64::MAX) / 2;
        let [a, b, c, d, ..] = self.mint.draw();
        let chance = u128::from(u32::from_be_bytes([a, b, c, d]));
        let more = u64::try_from((u128::from(half) * chance) >> 32).unwrap_or_default();
        self.engine.wait_for(handle, Some(Duration::from_nanos(half.saturating_add(more))));
    }
    /// The timer of a subscription fired. False: it is none.
    pub(super) fn subscription_due(&mut self, handle: u64) -> bool {
        let Some(subscription) = self.subscription(handle) else { return false };
        let (state, revision) = (subscription.state, subscription.revision);
        match state {
            State::Waiting => self.listen_again(handle),
            State::Asking(_) => {
                self.engine.stats.timeouts += 1;
                let wire = self.wire();
                self.engine.send_cancelled(handle, Some("timeout"), wire);
                if revision.features().listen {
                    let call = self.engine.calls.get(handle);
                    let began = call.map_or(self.engine.now, |call| call.began);
                    let limit = crate::error::TimeLimit::Silence;
                    self.stream_ended(handle, Err(CallError::Timeout { limit, began }));
                } else {
                    self.subscribed_to(handle, false);
                }
            }
            State::InForce => {}
        }
        true
    }
    fn listen_again(&mut self, handle: u64) {
        let Some(subscription) = self.subscription(handle) else { return };
        let revision = subscription.revision;
        subscription.state = State::Asking(0);
        let params = format!("{{\"notifications\":{}}}", subscription.filter(|_| true));
        let row = method::with_handling(Handling::Listen, Side::Client, revision);
        let Some(row) = row else { return };
        let meta = Arc::clone(&self.meta);
        let call = NewCall {
            purpose: Purpose::Application,
            method: row.row().name,
            row: Some(row),
            revision,
            params: Some(Json::from_checked(&params)),
            meta: &meta,
        };
        match self.engine.send_again(handle, &call, &CallOptions::new()) {
            Ok(()) => {
                let limit = self.engine.limits.call_silence;
                self.engine.wait_for(handle, Some(limit));
            }
            Err(_) => self.engine.complete(handle, Err(CallError::Cancelled)),
        }
    }
    /// Takes what the server watches for a subscription back, before it is over.
    pub(super) fn unsubscribe(&mut self, handle: u64) {
        let Some(subscription) = self.subscription(handle) else { return };
        let revision = subscription.revision;
        if revision.features().listen {
            return;
        }
        let asked = match subscription.state {
            State::Asking(place) => subscription.uris.get(place).map(|(uri, _)| uri.clone()),
            _ => None,
        };
        let granted = subscription.uris.iter().filter(|(_, honoured)| *honoured).map(|(uri, _)| uri.clone());
        let uris: Vec<Box<str>> = granted.chain(asked).collect();
        let Some(row) = method::with_handling(Handling::Unsubscribe, Side::Client, revision) else { return };
        for uri in uris {
            let shared = self.engine.calls.iter().any(|(other, call)| {
                other != handle
                    && subscription_of(call).is_some_and(|other| {
                        other.uris.iter().any(|(own, honoured)| *honoured && *own == uri)
                    })
            });
            if shared {
                continue;
            }
            let params = uri_params(&uri);
            let call = NewCall {
                purpose: Purpose::Unsubscribe,
                method: row.row().name,
                row: Some(row),
                revision,
                params: Some(Json::from_checked(&params)),
                meta: "",
            };
            let _ = self.engine.start_call(&call, &CallOptions::new());
        }
    }
    /// The handles of the subscriptions.
    pub(super) fn subscriptions(&self) -> Vec<u64> {
        let calls = self.engine.calls.iter();
        calls.filter(|(_, call)| subscription_of(call).is_some()).map(|(handle, _)| handle).collect()
    }
    /// Delivers a notice that may belong to subscriptions. `named`: the call that it names.
    pub(super) fn deliver_change(
        &mut self,
        row: &'static MethodRow,
        params: Option<Json<'_>>,
        named: Option<u64>,
    ) {
        let uri = params.and_then(|params| params.member("uri")).and_then(Json::as_str);
        let payload = params.map(Payload::from_json);
        let event = |call: Option<u64>| Event::Notification {
            call: call.map(CallHandle),
            method: Method::Known(row.name),
            params: payload.clone(),
        };
        if let Some(handle) = named
            && let Some(subscription) = self.engine.calls.get(handle).and_then(subscription_of)
        {
            let early = matches!(subscription.state, State::Asking(_));
            if row.filter.is_some() && !subscription.wants(row, uri.as_deref()) {
                return self.subscription_fault("a notice that its subscription did not ask for; dropped");
            }
            if early && row.filter.is_some() {
                self.subscription_fault("a notice before the acknowledgement of its subscription; delivered");
            }
        }
        let mut told = Vec::new();
        if named.is_none() && row.filter.is_some() {
            let calls = self.engine.calls.iter();
            let wants = |call: &Call| {
                subscription_of(call)
                    .is_some_and(|own| !own.revision.features().listen && own.wants(row, uri.as_deref()))
            };
            told.extend(calls.filter(|(_, call)| wants(call)).map(|(handle, _)| handle));
        }
        if told.is_empty() {
            self.engine.outbox.deliver(event(named));
        }
        for handle in told {
            self.engine.outbox.deliver(event(Some(handle)));
        }
    }
}

fn subscription_of(call: &Call) -> Option<&Subscription> {
    match call.plan.as_deref() {
        Some(Plan::Subscription(subscription)) => Some(subscription),
        _ => None,
    }
}
