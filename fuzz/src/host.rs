//! What the hosts of machines have in common.
use std::{collections::BTreeMap, time::Duration};

use mcp_sansio::{
    event::Event,
    session::{Client, Server, Stats},
    stdio::Connection,
    time::Instant,
};

/// What both connections have.
pub trait Channel {
    fn data(&mut self, now: Instant, data: &[u8]);
    fn eof(&mut self, now: Instant);
    fn closed(&mut self, now: Instant);
    fn close(&mut self, now: Instant, drain: Duration);
    fn timeout(&mut self, now: Instant);
    fn deadline(&self) -> Option<Instant>;
    fn event(&mut self) -> Option<Event>;
    fn output(&mut self, out: &mut Vec<u8>, max: usize) -> usize;
    fn trace(&mut self) -> bool;
    fn wants_read(&self) -> bool;
    fn is_over(&self) -> bool;
    fn counters(&self) -> Stats;
    fn held(&self) -> usize;
}

macro_rules! channel {
    ($($role:ty),*) => { $(
        impl Channel for Connection<$role> {
            fn data(&mut self, now: Instant, data: &[u8]) {
                self.handle_data(now, data);
            }
            fn eof(&mut self, now: Instant) {
                self.handle_eof(now);
            }
            fn closed(&mut self, now: Instant) {
                self.handle_closed(now);
            }
            fn close(&mut self, now: Instant, drain: Duration) {
                Self::close(self, now, drain);
            }
            fn timeout(&mut self, now: Instant) {
                self.handle_timeout(now);
            }
            fn deadline(&self) -> Option<Instant> {
                self.next_timeout()
            }
            fn event(&mut self) -> Option<Event> {
                self.poll_event()
            }
            fn output(&mut self, out: &mut Vec<u8>, max: usize) -> usize {
                self.write_to(out, max)
            }
            fn trace(&mut self) -> bool {
                self.poll_trace().is_some()
            }
            fn wants_read(&self) -> bool {
                Self::wants_read(self)
            }
            fn is_over(&self) -> bool {
                Self::is_over(self)
            }
            fn counters(&self) -> Stats {
                *self.stats()
            }
            fn held(&self) -> usize {
                self.role().held_bytes()
            }
        }
    )* };
}
channel!(Server, Client);

/// Handles of one kind, and whether each is still live. None may begin or end twice.
#[derive(Default)]
pub struct Handles(pub BTreeMap<u64, bool>);

impl Handles {
    pub fn begin(&mut self, handle: u64) {
        assert!(self.0.insert(handle, true).is_none(), "the handle {handle} was given twice");
    }
    pub fn end(&mut self, handle: u64) {
        assert_eq!(self.0.insert(handle, false), Some(true), "the handle {handle} ended and was not live");
    }
    pub fn oldest(&self) -> Option<u64> {
        self.0.iter().find(|(_, live)| **live).map(|(&handle, _)| handle)
    }
    pub fn over(&self) -> Option<u64> {
        self.0.iter().rfind(|(_, live)| !**live).map(|(&handle, _)| handle)
    }
}
