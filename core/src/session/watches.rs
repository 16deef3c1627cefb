//! Which resources are subscribed to, by whom, and by anyone at all.
use alloc::{boxed::Box, collections::BTreeMap, vec::Vec};

/// A resource that one subscriber is told of.
#[derive(Debug)]
struct Watch {
    uri: Box<str>,
    /// Place in the output of the last notice that named this very URI; [`HELD`] when one is owed.
    order: u64,
}

/// A notice that waits for room in the output.
pub(crate) const HELD: u64 = u64::MAX;

/// The resources of one subscriber, in the order of their URIs.
#[derive(Debug, Default)]
pub(crate) struct Watches(Vec<Watch>);

impl Watches {
    fn place(&self, uri: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|watch| (*watch.uri).cmp(uri))
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub(crate) fn has(&self, uri: &str) -> bool {
        self.place(uri).is_ok()
    }
    /// False: it was there already.
    pub(crate) fn add(&mut self, uri: &str) -> bool {
        let Err(place) = self.place(uri) else { return false };
        self.0.insert(place, Watch { uri: uri.into(), order: 0 });
        true
    }
    /// False: it was not there.
    pub(crate) fn remove(&mut self, uri: &str) -> bool {
        let Ok(place) = self.place(uri) else { return false };
        self.0.remove(place);
        true
    }
    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|watch| keep(&watch.uri));
    }
    pub(crate) fn uris(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|watch| &*watch.uri)
    }
    /// The place in the output of the last notice of this URI, if it is there.
    pub(crate) fn order(&self, uri: &str) -> Option<u64> {
        self.place(uri).ok().and_then(|place| self.0.get(place)).map(|watch| watch.order)
    }
    pub(crate) fn queued(&mut self, uri: &str, order: u64) {
        if let Some(watch) = self.place(uri).ok().and_then(|place| self.0.get_mut(place)) {
            watch.order = order;
        }
    }
    /// A URI whose notice waits for room.
    pub(crate) fn held(&self) -> Option<&str> {
        self.0.iter().find(|watch| watch.order == HELD).map(|watch| &*watch.uri)
    }
}

/// How many subscribers each resource has on this machine.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    counts: BTreeMap<Box<str>, u32>,
    len: usize,
    bytes: usize,
}

impl Watched {
    /// Subscriptions to resources in all.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    /// Bytes of their URIs.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
    /// True: it is the first subscriber of this resource.
    pub(crate) fn add(&mut self, uri: &str) -> bool {
        self.len += 1;
        self.bytes += uri.len();
        if let Some(count) = self.counts.get_mut(uri) {
            *count += 1;
            return false;
        }
        self.counts.insert(uri.into(), 1);
        true
    }
    /// True: it was the last subscriber of this resource.
    pub(crate) fn remove(&mut self, uri: &str) -> bool {
        let Some(count) = self.counts.get_mut(uri) else { return false };
        *count -= 1;
        let last = *count == 0;
        self.len = self.len.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(uri.len());
        if last {
            self.counts.remove(uri);
        }
        last
    }
    /// The first resource of those that anyone watches.
    pub(crate) fn pop(&mut self) -> Option<Box<str>> {
        let (uri, _) = self.counts.pop_first()?;
        if self.counts.is_empty() {
            (self.len, self.bytes) = (0, 0);
        }
        Some(uri)
    }
}
