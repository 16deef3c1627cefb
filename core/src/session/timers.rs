//! One heap of deadlines, lazily deleted.
use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use crate::time::Instant;

/// What a deadline is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// A call's silence or total.
    Call(u64),
    /// A handler.
    Request(u64),
    /// A task of the peer is kept no longer.
    Task(u64),
    /// The state of the task that a call became is asked for again.
    Poll(u64),
    /// The probe or the handshake of a client.
    Opening,
    /// The next keep-alive ping.
    Ping,
    /// What is still running is cut off.
    Drain,
}

/// Names one arming. Zero is none.
pub(crate) type Arming = u64;

#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Instant, Arming, Timer)>>,
    last: Arming,
    stale: usize,
}

impl Timers {
    pub(crate) fn arm(&mut self, at: Instant, timer: Timer) -> Arming {
        if at == Instant::NEVER {
            return 0;
        }
        self.last += 1;
        self.heap.push(Reverse((at, self.last, timer)));
        self.last
    }
    /// Notes that an arming will not be wanted. `live` tells which are, when it is time to sweep.
    pub(crate) fn disarm(&mut self, arming: Arming, live: impl Fn(Timer, Arming) -> bool) {
        if arming == 0 {
            return;
        }
        self.stale += 1;
        if self.stale > 16 && self.stale * 2 > self.heap.len() {
            self.heap.retain(|Reverse((_, arming, timer))| live(*timer, *arming));
            self.stale = 0;
        }
        self.settle(live);
    }
    /// Drops what is not live from the top, so that [`Timers::next`] is a deadline that holds.
    pub(crate) fn settle(&mut self, live: impl Fn(Timer, Arming) -> bool) {
        while let Some(Reverse((_, arming, timer))) = self.heap.peek() {
            if live(*timer, *arming) {
                break;
            }
            self.heap.pop();
            self.stale = self.stale.saturating_sub(1);
        }
    }
    pub(crate) fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }
    /// The next one that is due, live or not, and for when it was armed.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<(Instant, Timer, Arming)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((at, arming, timer))| (at, timer, arming))
    }
    /// An arming that was popped and was not live.
    pub(crate) fn was_stale(&mut self) {
        self.stale = self.stale.saturating_sub(1);
    }
    pub(crate) fn clear(&mut self) {
        self.heap = BinaryHeap::new();
        self.stale = 0;
    }
}
