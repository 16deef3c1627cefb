//! Where inputs and outputs of a machine become records of its trace.
use super::engine::{Engine, Wire};
use crate::{
    time::Instant,
    trace::{
        TraceRecord,
        arguments::{Command, Done},
    },
};

/// Records a command of a host or an application, with what came of it: calls the method once more from within.
macro_rules! traced {
    ($self:ident, $now:ident, $name:ident($($argument:ident),*)) => {
        traced!($self, $now, $name($($argument),*), $self.$name($now, $($argument),*))
    };
    // One that is told no time.
    ($self:ident, $now:ident, in $name:ident($($argument:ident),*)) => {
        traced!($self, $now, $name($($argument),*), $self.$name($($argument),*))
    };
    ($self:ident, $now:ident, $name:ident($($argument:ident),*), $again:expr) => {
        #[allow(unused_mut, clippy::let_unit_value, reason = "some have no arguments, and some no result")]
        if $self.engine().trace.is_some()
            && let Some(mut command) = $self.engine().begin_command($now, stringify!($name)) {
            $( command.argument(stringify!($argument), &$argument); )*
            let done = $again;
            $self.engine().end_command(Some(command), &done);
            return done;
        }
    };
}
pub(super) use traced;

impl Engine {
    /// Whether a record of the trace waits to be taken.
    pub(crate) fn has_trace(&self) -> bool {
        self.trace.as_ref().is_some_and(|trace| !trace.is_empty())
    }
    pub(crate) fn poll_trace(&mut self) -> Option<TraceRecord> {
        self.trace.as_mut()?.pop()
    }
    pub(super) fn record(&mut self, record: TraceRecord) {
        self.stats.trace_dropped += self.trace.as_mut().map_or(0, |trace| trace.push(record));
    }
    /// Records the deadline, if it changed.
    #[inline]
    pub(crate) fn record_timer(&mut self) {
        let Some(trace) = &mut self.trace else { return };
        let next = self.timers.next();
        if core::mem::replace(&mut trace.timer, next) != next {
            self.record(TraceRecord::timer(self.now, next));
        }
    }
    /// Records the messages that `take_lines` is about to take.
    pub(crate) fn record_sends(&mut self, bytes: usize) {
        let Some(trace) = &mut self.trace else { return };
        for (message, related, revision) in self.outbox.lines(bytes) {
            self.stats.trace_dropped += trace.push(TraceRecord::sent(self.now, message, related, revision));
        }
    }
    /// A command begins. `None`: none is to be recorded, because nothing is, or because a recorded one makes it.
    pub(crate) fn begin_command(&mut self, now: Instant, name: &'static str) -> Option<Command> {
        if self.trace.as_ref().is_none_or(|trace| trace.within) {
            return None;
        }
        self.record_timer();
        self.begin(now);
        if let Some(trace) = &mut self.trace {
            trace.within = true;
        }
        Some(Command::new(name))
    }
    /// It is done.
    pub(crate) fn end_command(&mut self, command: Option<Command>, done: &impl Done) {
        let (Some(trace), Some(command)) = (&mut self.trace, command) else { return };
        trace.within = false;
        self.record(command.done(self.now, done.outcome()));
    }
    /// A message comes; as `begin_command`.
    pub(crate) fn hear(&mut self, now: Instant, message: &[u8], wire: Wire) -> Option<TraceRecord> {
        self.begin_command(now, "")?;
        Some(TraceRecord::received(self.now, message, wire.revision))
    }
    /// It was dealt with.
    pub(crate) fn heard(&mut self, record: TraceRecord) {
        if let Some(trace) = &mut self.trace {
            trace.within = false;
        }
        self.record(record);
    }
}
