//! What waits to leave: messages in one buffer, events in a queue, and one order over both.
use alloc::{collections::VecDeque, string::String};

use crate::{
    event::{Event, Related},
    revision::Revision,
};

#[derive(Debug, Clone, Copy)]
struct Queued {
    order: u64,
    bytes: usize,
    related: Related,
    own: bool,
    /// What the message is written for, for the trace.
    revision: Option<Revision>,
}

/// Capacity that an empty buffer keeps.
const KEPT: usize = 64 << 10;

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// Messages back to back, each followed by LF.
    text: String,
    taken: usize,
    sends: VecDeque<Queued>,
    /// Each with its place in the order, and the bytes of its payload.
    events: VecDeque<(u64, usize, Event)>,
    order: u64,
    last_taken: u64,
    own_bytes: usize,
    event_bytes: usize,
}

impl Outbox {
    /// Bytes of output not yet taken.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() - self.taken
    }
    /// Of these, the engine's own replies.
    pub(crate) fn own_bytes(&self) -> usize {
        self.own_bytes
    }
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }
    /// Bytes of payload in the events not yet taken.
    pub(crate) fn event_bytes(&self) -> usize {
        self.event_bytes
    }
    pub(crate) fn has_sends(&self) -> bool {
        !self.sends.is_empty()
    }
    /// Queues what `write` appends. More than `limit` bytes are taken back: `None`. Otherwise its place in the order.
    pub(crate) fn send(
        &mut self,
        related: Related,
        own: bool,
        revision: Option<Revision>,
        limit: usize,
        write: impl FnOnce(&mut String),
    ) -> Option<u64> {
        if self.sends.is_empty() {
            self.text.clear();
            self.text.shrink_to(KEPT);
            self.taken = 0;
        } else if self.taken > KEPT && self.taken > self.text.len() / 2 {
            self.text.drain(..self.taken);
            self.taken = 0;
        }
        let start = self.text.len();
        write(&mut self.text);
        let bytes = self.text.len() - start;
        if bytes > limit {
            self.text.truncate(start);
            return None;
        }
        self.text.push('\n');
        self.order += 1;
        self.sends.push_back(Queued { order: self.order, bytes: bytes + 1, related, own, revision });
        if own {
            self.own_bytes += bytes + 1;
        }
        Some(self.order)
    }
    /// The text that was queued last.
    pub(crate) fn last_sent(&self) -> &str {
        self.sends
            .back()
            .and_then(|queued| self.text.get(self.text.len() - queued.bytes..self.text.len() - 1))
            .unwrap_or_default()
    }
    pub(crate) fn deliver(&mut self, event: Event) {
        self.order += 1;
        let bytes = event.bytes();
        self.event_bytes += bytes;
        self.events.push_back((self.order, bytes, event));
    }
    /// Whether the send with this place was taken.
    pub(crate) fn was_taken(&self, order: u64) -> bool {
        order <= self.last_taken
    }
    /// Whether a message is what comes next.
    pub(crate) fn send_is_next(&self) -> bool {
        match (self.sends.front(), self.events.front()) {
            (Some(send), Some((event, ..))) => send.order < *event,
            (send, _) => send.is_some(),
        }
    }
    fn pop(&mut self) -> Option<(usize, Queued)> {
        let queued = self.sends.pop_front()?;
        let start = self.taken;
        self.taken += queued.bytes;
        self.last_taken = queued.order;
        if queued.own {
            self.own_bytes = self.own_bytes.saturating_sub(queued.bytes);
        }
        Some((start, queued))
    }
    /// Takes the next message, without its LF.
    pub(crate) fn take_send(&mut self) -> Option<(&str, Related)> {
        let (start, queued) = self.pop()?;
        Some((self.text.get(start..start + queued.bytes - 1).unwrap_or_default(), queued.related))
    }
    pub(crate) fn take_event(&mut self) -> Option<Event> {
        let (_, bytes, event) = self.events.pop_front()?;
        self.event_bytes = self.event_bytes.saturating_sub(bytes);
        if self.events.is_empty() && self.events.capacity() > 1024 {
            self.events = VecDeque::new();
        }
        Some(event)
    }
    /// Takes whole lines until there are so many bytes: at least one, if there is one. Fewer bytes mean that none is left.
    pub(crate) fn take_lines(&mut self, bytes: usize, mut out: impl FnMut(&str)) {
        let start = self.taken;
        let mut end = start;
        while let Some((at, queued)) = self.pop() {
            end = at + queued.bytes;
            if end - start >= bytes {
                break;
            }
        }
        out(self.text.get(start..end).unwrap_or_default());
    }
    /// The messages that `take_lines` would take, each without its LF.
    pub(crate) fn lines(&self, bytes: usize) -> impl Iterator<Item = (&str, Related, Option<Revision>)> {
        let mut at = self.taken;
        let mut first = true;
        let mut lines = self.sends.iter();
        core::iter::from_fn(move || {
            if !first && at - self.taken >= bytes {
                return None;
            }
            first = false;
            let queued = lines.next()?;
            let start = at;
            at += queued.bytes;
            let message = self.text.get(start..at - 1).unwrap_or_default();
            Some((message, queued.related, queued.revision))
        })
    }
    /// Nothing can be written any more.
    pub(crate) fn discard_sends(&mut self) {
        self.sends.clear();
        self.text = String::new();
        self.taken = 0;
        self.own_bytes = 0;
    }
}
