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
    bytes: usize,
    bytes_limit: usize,
}

impl Trace {
    pub(crate) fn new(limit: usize, bytes_limit: usize) -> Self {
        Self { records: VecDeque::new(), limit, bytes: 0, bytes_limit }
    }
    /// Keeps it, and says how many older ones had to go.
    pub(crate) fn push(&mut self, record: TraceRecord) -> u64 {
        self.bytes += record.message.len();
        self.records.push_back(record);
        let mut dropped = 0;
        while self.records.len() > 1
            && (self.records.len() > self.limit || self.bytes > self.bytes_limit)
            && self.pop().is_some()
        {
            dropped += 1;
        }
        dropped
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
    pub(crate) fn pop(&mut self) -> Option<TraceRecord> {
        let record = self.records.pop_front()?;
        self.bytes = self.bytes.saturating_sub(record.message.len());
        Some(record)
    }
}
