//! A role over a byte stream: one message a line (`basic/transports/stdio`).
use alloc::vec::Vec;
use core::time::Duration;

use crate::{
    CallHandle, InputHandle, RequestHandle,
    audit::AuditRecord,
    error::SendError,
    event::{Action, Event, Outcome, Target},
    framing::line::{Line, LineDecoder},
    json::Json,
    session::{
        CallOptions, Catalog, Change, Client, LogLevel, Server, Stats, SubscriptionFilter, role::Role,
    },
    time::{Instant, WallClock},
    trace::TraceRecord,
};

/// A role over a byte stream. Events and bytes are two queues, each in order; between them there is no order.
pub struct Connection<R> {
    role: R,
    lines: LineDecoder,
    /// What came in one piece with more than the queues take at once, read on from `read` as they are emptied.
    backlog: Vec<u8>,
    read: usize,
    /// The input ended, perhaps behind the backlog.
    ended: bool,
    closed: bool,
}

#[allow(private_bounds, reason = "the roles of this crate are the only ones")]
impl<R: Role> Connection<R> {
    /// Wraps a role that was used for nothing yet.
    pub fn new(mut role: R) -> Self {
        let limit = role.engine().limits.message_bytes;
        let lines = LineDecoder::new(limit);
        Self { role, lines, backlog: Vec::new(), read: 0, ended: false, closed: false }
    }
    /// Any piece of the stream. Complete lines are parsed where they lie; only an unfinished tail is copied, and it is
    /// bounded. Of a piece with more messages than `wants_read` allows the rest is kept until there is room.
    pub fn handle_data(&mut self, now: Instant, data: &[u8]) {
        if self.ended || !self.role.engine().begin(now) {
            return;
        }
        if self.is_behind() {
            if self.read > self.backlog.len() / 2 {
                self.backlog.drain(..self.read);
                self.read = 0;
            }
            self.backlog.extend_from_slice(data);
            self.catch_up();
        } else {
            // A host that feeds on regardless is held to the bound of the queues.
            let regardless = !self.role.engine_ref().wants_read();
            let rest = self.feed(now, data, regardless);
            self.backlog.extend_from_slice(rest);
        }
        if self.backlog.len() - self.read > self.role.engine().limits.session_bytes.saturating_mul(2) {
            self.role.overrun(now);
            self.backlog = Vec::new();
            self.read = 0;
        }
    }
    /// Reads lines while they are wanted, or all of them; returns what is left.
    fn feed<'d>(&mut self, now: Instant, data: &'d [u8], regardless: bool) -> &'d [u8] {
        let mut rest = data;
        while regardless || self.role.engine_ref().wants_read() {
            match self.lines.next(&mut rest) {
                Some(Line::Whole(message)) => self.role.handle_message(now, message),
                Some(Line::TooLong(head)) => self.role.handle_too_long(now, head),
                Some(Line::Ended(head, tail)) => self.role.handle_dropped(now, head, tail),
                None => break,
            }
        }
        rest
    }
    fn is_behind(&self) -> bool {
        self.read < self.backlog.len()
    }
    /// Reads on in the backlog, as far as there is room, and ends the input behind it.
    fn catch_up(&mut self) {
        self.role.say_held();
        if !self.is_behind() {
            return;
        }
        let now = self.role.engine_ref().now;
        let backlog = core::mem::take(&mut self.backlog);
        let rest = self.feed(now, backlog.get(self.read..).unwrap_or_default(), false).len();
        if rest > 0 {
            self.read = backlog.len() - rest;
            self.backlog = backlog;
            return;
        }
        self.read = 0;
        if self.ended {
            self.finish(now);
        }
    }
    /// End of input: data that is handed in after it is ignored. A last line without an end counts as a line. Then as
    /// the role's.
    pub fn handle_eof(&mut self, now: Instant) {
        self.role.engine().begin(now);
        if !core::mem::replace(&mut self.ended, true) && !self.is_behind() {
            self.finish(now);
        }
    }
    fn finish(&mut self, now: Instant) {
        match self.lines.finish() {
            Some(Line::Whole(message)) => self.role.handle_message(now, message),
            Some(Line::TooLong(head)) => self.role.handle_too_long(now, head),
            Some(Line::Ended(head, tail)) => self.role.handle_dropped(now, head, tail),
            None => {}
        }
        self.role.input_ended(now);
    }
    /// Writing failed, or the process is gone. What was handed in before counts, as far as the queues take it.
    pub fn handle_closed(&mut self, now: Instant) {
        self.role.engine().begin(now);
        self.catch_up();
        self.backlog = Vec::new();
        self.read = 0;
        self.role.handle_closed(now);
    }
    /// Fires what is due. What was handed in before comes first, as far as the queues take it: an answer that waits there
    /// is in time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.role.engine().begin(now);
        self.catch_up();
        self.role.handle_timeout(now);
    }
    /// The next deadline, after everything so far.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.role.engine_ref().timers.next()
    }
    /// False while more input should stay in the pipe. Fed on regardless, the machine ends with `Overrun`.
    pub fn wants_read(&self) -> bool {
        !self.is_behind() && self.role.engine_ref().wants_read()
    }
    /// The next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.catch_up();
        let event = self.role.engine().poll_event()?;
        self.closed |= matches!(event, Event::Closed(_));
        Some(event)
    }
    /// The next record of the message trace.
    pub fn poll_trace(&mut self) -> Option<TraceRecord> {
        self.role.engine().poll_trace()
    }
    /// The next record of the audit.
    pub fn poll_audit(&mut self) -> Option<AuditRecord> {
        self.role.engine().poll_audit()
    }
    /// Appends whole lines to `out` until it holds `max` bytes or more (at least one line, if there is one); returns how
    /// many bytes remain queued. Call it only while `out` is below `max`: what is in `out` is the host's, and no limit of
    /// ours counts it. **Taking and writing is one critical section**: two threads that take and write concurrently
    /// reorder the stream.
    pub fn write_to(&mut self, out: &mut Vec<u8>, max: usize) -> usize {
        let room = max.saturating_sub(out.len());
        self.role.engine().take_lines(room, |lines| out.extend_from_slice(lines.as_bytes()));
        self.catch_up();
        self.role.engine_ref().outbox.bytes()
    }
    /// Whether an event or a record of the trace or the audit waits to be taken.
    pub(crate) fn has_events(&mut self) -> bool {
        self.catch_up();
        let engine = self.role.engine();
        engine.has_events() || engine.has_trace() || engine.has_audit()
    }
    pub(crate) fn has_output(&self) -> bool {
        self.role.engine_ref().outbox.has_sends()
    }
    /// True when the host may close the output and go: everything was taken and `Closed` was delivered.
    pub fn is_over(&self) -> bool {
        self.closed && !self.has_output()
    }
    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.role.engine_ref().stats
    }
    pub(crate) fn role_mut(&mut self) -> &mut R {
        &mut self.role
    }
    /// As [`Connection::poll_event`] and [`Connection::write_to`] together, message by message in one order.
    pub(crate) fn poll_action(&mut self) -> Option<Action<'_>> {
        self.role.say_held();
        let action = self.role.engine().poll_action()?;
        self.closed |= matches!(action, Action::Deliver(Event::Closed(_)));
        Some(action)
    }
    /// The role.
    pub const fn role(&self) -> &R {
        &self.role
    }
}

macro_rules! commands {
    ($role:ty: $($(#[$doc:meta])* $name:ident($($arg:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        impl Connection<$role> {
            $( $(#[$doc])* pub fn $name(&mut self, now: Instant, $($arg: $kind),*) $(-> $result)? {
                self.role.$name(now, $($arg),*)
            } )*
            /// The wall clock jumped, or became known.
            pub fn set_wall_clock(&mut self, clock: WallClock) {
                self.role.set_wall_clock(clock);
            }
        }
    };
}
commands! { Server:
    /// As [`Server::respond`].
    respond(request: RequestHandle, outcome: Outcome<'_>) -> Result<(), SendError>;
    /// As [`Server::respond_tool_error`].
    respond_tool_error(request: RequestHandle, text: &str) -> Result<(), SendError>;
    /// As [`Server::respond_invalid_arguments`].
    respond_invalid_arguments(request: RequestHandle, text: &str) -> Result<(), SendError>;
    /// As [`Server::respond_not_found`].
    respond_not_found(request: RequestHandle) -> Result<(), SendError>;
    /// As [`Server::progress`].
    progress(request: RequestHandle, progress: f64, total: Option<f64>, message: Option<&str>) -> Result<bool, SendError>;
    /// As [`Server::task_status`].
    task_status(request: RequestHandle, message: &str) -> Result<(), SendError>;
    /// As [`Server::log`].
    log(target: Target, level: LogLevel, logger: Option<&str>, data: Json<'_>) -> Result<bool, SendError>;
    /// As [`Server::notify`].
    notify(target: Target, method: &str, params: Option<Json<'_>>) -> Result<(), SendError>;
    /// As [`Server::call`].
    call(target: Target, method: &str, params: Option<Json<'_>>, options: CallOptions<'_>) -> Result<CallHandle, SendError>;
    /// As [`Server::cancel`].
    cancel(call: CallHandle, reason: Option<&str>) -> Result<(), SendError>;
    /// As [`Server::publish`].
    publish(change: Change<'_>);
    /// As [`Server::set_catalog`].
    set_catalog(catalog: alloc::sync::Arc<Catalog>);
    /// As [`Server::close`].
    close(drain: Duration);
}
commands! { Client:
    /// As [`Client::start`].
    start(remembered: Option<&str>);
    /// As [`Client::call`].
    call(method: &str, params: Option<Json<'_>>, options: CallOptions<'_>) -> Result<CallHandle, SendError>;
    /// As [`Client::list_all`].
    list_all(method: &str, params: Option<Json<'_>>, options: CallOptions<'_>) -> Result<CallHandle, SendError>;
    /// As [`Client::probe`].
    probe() -> Result<CallHandle, SendError>;
    /// As [`Client::subscribe`].
    subscribe(filter: SubscriptionFilter<'_>) -> Result<CallHandle, SendError>;
    /// As [`Client::cancel`].
    cancel(call: CallHandle, reason: Option<&str>) -> Result<(), SendError>;
    /// As [`Client::answer`].
    answer(input: InputHandle, outcome: Outcome<'_>) -> Result<(), SendError>;
    /// As [`Client::progress`].
    progress(input: InputHandle, progress: f64, total: Option<f64>, message: Option<&str>) -> Result<bool, SendError>;
    /// As [`Client::task_status`].
    task_status(input: InputHandle, message: &str) -> Result<(), SendError>;
    /// As [`Client::notify`].
    notify(method: &str, params: Option<Json<'_>>) -> Result<(), SendError>;
    /// As [`Client::close`].
    close(drain: Duration);
}
