//! Requests of the peer that await our answer.
use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};

use super::{
    engine::{Engine, Reply, Wire, too_long},
    role::PROGRESS,
    table::Table,
    timers::{Arming, Timer},
};
use crate::{
    jsonrpc::{
        code,
        envelope::{Envelope, Field, Span},
        id,
    },
    method::MethodId,
    revision::Revision,
    session::{LogLevel, subscriptions::Filter},
};

#[derive(Debug)]
pub(crate) struct Received {
    /// The whole message.
    pub(crate) buf: Arc<str>,
    pub(crate) id: Span,
    /// Its progress token.
    pub(crate) token: Span,
    pub(crate) method: Option<MethodId>,
    pub(crate) revision: Revision,
    pub(crate) reply: Reply,
    /// The value of the last progress notice.
    pub(crate) progress: f64,
    /// The wanted level of log notices, where the request says it.
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) timer: Arming,
    /// Of a subscription stream, which the engine answers itself.
    pub(crate) filter: Option<Box<Filter>>,
}

impl Received {
    /// The id token as the peer wrote it.
    pub(crate) fn id(&self) -> &str {
        self.buf.get(self.id.0 as usize..self.id.1 as usize).unwrap_or_default()
    }
    /// Whether the application never saw it.
    pub(crate) fn engine_owned(&self) -> bool {
        self.filter.is_some()
    }
}

/// The table of them: found by handle, and by id in logarithmic time whatever ids a peer chooses.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    table: Table<Received>,
    /// Handles in the order of their ids.
    by_id: Vec<u64>,
    bytes: usize,
}

impl Requests {
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
    /// Bytes of the messages held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
    pub(crate) fn first(&self) -> Option<u64> {
        self.table.first()
    }
    pub(crate) fn get(&self, handle: u64) -> Option<&Received> {
        self.table.get(handle)
    }
    pub(crate) fn get_mut(&mut self, handle: u64) -> Option<&mut Received> {
        self.table.get_mut(handle)
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Received)> {
        self.table.iter()
    }
    fn place(&self, token: &str) -> Result<usize, usize> {
        self.by_id
            .binary_search_by(|handle| id::compare(self.table.get(*handle).map_or("", Received::id), token))
    }
    /// The one with this id.
    pub(crate) fn find(&self, token: &str) -> Option<u64> {
        self.place(token).ok().and_then(|place| self.by_id.get(place)).copied()
    }
    /// Its id is not in the table.
    pub(crate) fn push(&mut self, handle: u64, request: Received) {
        if let Err(place) = self.place(request.id()) {
            self.bytes += request.buf.len();
            self.table.push(handle, request);
            self.by_id.insert(place, handle);
        }
    }
    pub(crate) fn remove(&mut self, handle: u64) -> Option<Received> {
        let token = self.table.get(handle)?.id();
        if let Ok(place) = self.place(token) {
            self.by_id.remove(place);
        }
        let request = self.table.remove(handle)?;
        self.bytes = self.bytes.saturating_sub(request.buf.len());
        Some(request)
    }
}

impl Engine {
    /// Takes a request into the table, or answers why not. `filter`: it is a subscription, which the application does not
    /// see.
    pub(crate) fn admit(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: Option<MethodId>,
        filter: Option<Box<Filter>>,
    ) -> Option<(u64, Arc<str>)> {
        let wire = Wire { revision: Some(revision) };
        let token = envelope.raw(Field::ProgressToken);
        if token.is_some_and(|token| too_long(token, self.limits.id_bytes)) {
            self.error(reply, id, wire, code::INVALID_REQUEST, "The progress token is too long", None);
            return None;
        }
        if let Some(refusal) = self.refusal(envelope.text().len()) {
            self.refuse(reply, id, wire, refusal);
            return None;
        }
        let usable = token.is_none_or(|token| token.starts_with('"') || id::is_integral(token));
        if !usable {
            let detail = "a progress token that is neither a string nor a whole number; no progress is sent";
            self.fault("fault.progress", PROGRESS, None, String::from(detail));
        }
        let handle = self.next_handle();
        let buf: Arc<str> = Arc::from(envelope.text());
        let handler = self.limits.handler.filter(|_| filter.is_none());
        let request = Received {
            buf: Arc::clone(&buf),
            id: envelope.span(Field::Id),
            token: if usable { envelope.span(Field::ProgressToken) } else { (0, 0) },
            method: row,
            revision,
            reply,
            progress: f64::NEG_INFINITY,
            log_level: envelope.raw(Field::LogLevel).and_then(LogLevel::from_json),
            timer: handler.map_or(0, |limit| self.timers.arm(self.now.after(limit), Timer::Request(handle))),
            filter,
        };
        self.stats.requests += u64::from(!request.engine_owned());
        self.requests.push(handle, request);
        self.stats.requests_now = self.requests.len() as u64;
        Some((handle, buf))
    }
}
