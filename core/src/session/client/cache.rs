//! Results that a client keeps for as long as their server allows: `server/utilities/caching` of 2026-07-28.
use alloc::{boxed::Box, collections::BTreeMap, string::String};
use core::time::Duration;

use super::{Client, Plan};
use crate::{
    json::{Json, Payload, unescape},
    jsonrpc::{id, write},
    method::{self, MethodId, MethodRow},
    revision::Revision,
    session::principal::Principal,
    time::Instant,
};

/// What a result answers. The capabilities that a client declares are the same for all of its calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    row: u16,
    /// An object: the params without `_meta`.
    params: Box<str>,
}

impl Key {
    /// `None`: what is asked for must not be kept, because it depends on answers that are no part of a key.
    pub(super) fn new(row: MethodId, params: Option<Json<'_>>) -> Option<Self> {
        let mut text = String::from("{");
        for (key, value) in params.into_iter().flat_map(Json::members) {
            match unescape(key).as_deref() {
                Some("_meta") => continue,
                Some("inputResponses" | "requestState") => return None,
                _ => {}
            }
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(key);
            text.push(':');
            write::json(&mut text, value);
        }
        text.push('}');
        Some(Self { row: row.index(), params: text.into() })
    }
    /// Whether it is about another page than the first.
    fn has_cursor(&self) -> bool {
        Json::from_checked(&self.params).member("cursor").is_some()
    }
    fn row(&self) -> Option<&'static MethodRow> {
        method::rows().get(usize::from(self.row))
    }
    /// Whether a notice of this kind, about this URI, says that the result is stale.
    pub(super) fn is_outdated_by(&self, notice: &MethodRow, uri: Option<&str>) -> bool {
        let Some(row) = self.row().filter(|row| row.outdated_by == Some(notice.handling)) else {
            return false;
        };
        let own = row.name_field.and_then(|field| Json::from_checked(&self.params).member(field));
        match (own.and_then(Json::as_str), uri) {
            (Some(own), Some(uri)) => is_within(&own, uri) || is_within(uri, &own),
            _ => true,
        }
    }
}

/// Whether the resource at `uri` is the one at `base` or a part of it.
pub(super) fn is_within(uri: &str, base: &str) -> bool {
    uri.strip_prefix(base)
        .is_some_and(|rest| rest.is_empty() || base.ends_with('/') || rest.starts_with(['/', '?', '#']))
}

#[derive(Debug)]
struct Entry {
    result: Payload,
    fresh_until: Instant,
    /// Whom it is for; `None`: anyone.
    owner: Option<Principal>,
    /// Rises from entry to entry.
    serial: u64,
}

/// The results, and their bytes.
#[derive(Debug)]
pub(crate) struct Cache {
    entries: BTreeMap<Key, Entry>,
    bytes: usize,
    limit: usize,
    serial: u64,
}

fn cost(key: &Key, entry: &Entry) -> usize {
    key.params.len() + entry.result.held() + size_of::<(Key, Entry)>()
}

/// How long a result is fresh; what is absent, negative or no whole number is nothing.
fn ttl(result: Json<'_>) -> Duration {
    let millis = result.member("ttlMs").and_then(|ttl| id::as_u64(ttl.get()));
    Duration::from_millis(millis.unwrap_or_default())
}

impl Cache {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { entries: BTreeMap::new(), bytes: 0, limit, serial: 0 }
    }
    /// The fresh result for whom it may be given to.
    pub(super) fn get(&mut self, key: &Key, principal: Principal, now: Instant) -> Option<Payload> {
        let entry = self.entries.get(key)?;
        if now >= entry.fresh_until {
            self.remove(key);
            return None;
        }
        entry.owner.is_none_or(|owner| owner == principal).then(|| entry.result.clone())
    }
    /// Keeps a complete result, if its server allows it and there is room for it.
    pub(super) fn put(&mut self, key: Key, result: &Payload, principal: Principal, now: Instant) {
        self.remove(&key);
        let ttl = ttl(result.as_json());
        if ttl.is_zero() {
            return;
        }
        let scope = result.as_json().member("cacheScope").and_then(Json::as_str);
        self.serial += 1;
        let entry = Entry {
            result: result.clone(),
            fresh_until: now.after(ttl),
            owner: (scope.as_deref() != Some("public")).then_some(principal),
            serial: self.serial,
        };
        let cost = cost(&key, &entry);
        if cost > self.limit {
            return;
        }
        if self.bytes + cost > self.limit {
            self.retain(|_, entry| now < entry.fresh_until);
        }
        while self.bytes + cost > self.limit {
            let Some((oldest, _)) = self.entries.iter().min_by_key(|(_, entry)| entry.serial) else { break };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
        self.bytes += cost;
        self.entries.insert(key, entry);
    }
    /// Drops what a notice says is stale.
    pub(super) fn outdate(&mut self, notice: &MethodRow, uri: Option<&str>) {
        self.retain(|key, _| !key.is_outdated_by(notice, uri));
    }
    /// Drops all results of one method: a cursor that was good is not any more.
    pub(super) fn forget(&mut self, row: MethodId) {
        self.retain(|key, _| key.row != row.index());
    }
    /// What was asked for is refused: if it was a page, the other pages are as old as its cursor.
    pub(super) fn refused(&mut self, key: &Key) {
        if key.has_cursor() {
            self.retain(|other, _| other.row != key.row);
        }
    }
    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes = self.bytes.saturating_sub(cost(key, &entry));
        }
    }
    fn retain(&mut self, keep: impl Fn(&Key, &Entry) -> bool) {
        let bytes = &mut self.bytes;
        self.entries.retain(|key, entry| {
            let kept = keep(key, entry);
            if !kept {
                *bytes = bytes.saturating_sub(cost(key, entry));
            }
            kept
        });
    }
    pub(crate) fn clear(&mut self) {
        self.entries = BTreeMap::new();
        self.bytes = 0;
    }
    /// Bytes of what it holds.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Client {
    pub(super) fn may_keep(&self, row: MethodId, revision: Revision) -> bool {
        self.config.cache && row.row().cacheable.contains(revision)
    }
    pub(super) fn kept(&mut self, key: &Key, principal: Principal) -> Option<Payload> {
        let kept = self.engine.cache.get(key, principal, self.engine.now);
        self.count_cache();
        kept
    }
    pub(super) fn keep(&mut self, key: Key, principal: Principal, result: &Payload) {
        if self.config.cache {
            self.engine.cache.put(key, result, principal, self.engine.now);
        }
        self.count_cache();
    }
    pub(super) fn count_cache(&mut self) {
        self.engine.stats.cache_bytes_now = self.engine.cache.bytes() as u64;
    }
    /// A notice says that results are stale: those that are kept, and those on their way.
    pub(super) fn outdate(&mut self, notice: &MethodRow, uri: Option<&str>) {
        self.engine.cache.outdate(notice, uri);
        self.count_cache();
        for call in self.engine.calls.values_mut() {
            match call.plan.as_deref_mut() {
                Some(Plan::Keep(key, _)) if key.is_outdated_by(notice, uri) => call.plan = None,
                Some(Plan::List(list)) => {
                    list.outdated |= list.waits_for().is_some_and(|key| key.is_outdated_by(notice, uri));
                }
                _ => {}
            }
        }
    }
}
