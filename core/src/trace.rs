//! The message trace: each message with its time, for a person or a log. Off by default, because it holds payloads.
use alloc::{boxed::Box, collections::VecDeque};

use crate::{revision::Revision, time::Instant};

/// One message that came or went.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TraceRecord {
    /// When.
    pub at: Instant,
    /// Whether the peer sent it; otherwise we did.
    pub received: bool,
    /// The message. Bytes that are not UTF-8 appear as U+FFFD.
    pub message: Box<str>,
    /// The revision it was read or written in, where it was known by then.
    pub revision: Option<Revision>,
}

/// Records not yet taken, the oldest dropped first.
#[derive(Debug)]
pub(crate) struct Trace {
    records: VecDeque<TraceRecord>,
    limit: usize,
}

impl Trace {
    pub(crate) fn new(limit: usize) -> Self {
        Self { records: VecDeque::new(), limit }
    }
    /// Keeps it; true if an older one had to go.
    pub(crate) fn push(&mut self, record: TraceRecord) -> bool {
        let full = self.records.len() >= self.limit.max(1);
        if full {
            self.records.pop_front();
        }
        self.records.push_back(record);
        full
    }
    pub(crate) fn pop(&mut self) -> Option<TraceRecord> {
        self.records.pop_front()
    }
}
