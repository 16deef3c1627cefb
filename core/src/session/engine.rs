//! What both roles share: limits, output, time, the tables of requests and calls.
use alloc::{boxed::Box, format, string::String};
use core::time::Duration;

use super::{
    batches::Batches,
    calls::{Call, Purpose, Wires},
    client::{cache::Cache, elicitations::Elicitations},
    outbox::Outbox,
    principal::Principal,
    rates::Meter,
    requests::Requests,
    stats::Stats,
    table::Table,
    tasks::Tasks,
    timers::{Arming, Timer, Timers},
    watches::Watched,
};
use crate::{
    audit::Audit,
    error::{CloseReason, Fault, RpcError, SendError},
    event::{Action, Event, Outgoing, OverReason, Related},
    json::{Json, Payload},
    jsonrpc::{
        code,
        id::is_integral,
        write::{self, ErrorId},
    },
    limits::Limits,
    method::{RateClass, Side},
    revision::Revision,
    time::{Instant, WallClock},
    trace::{Trace, facts},
};

/// Where the answer to a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    /// A message of its own.
    Message,
    /// A member of the batch with this number.
    Batch(u64),
}

/// Why no new work is taken.
#[derive(Debug, Clone, Copy)]
struct Ending {
    reason: CloseReason,
    timer: Arming,
}

pub(crate) struct Engine {
    pub(crate) side: Side,
    pub(crate) limits: Limits,
    pub(crate) now: Instant,
    pub(crate) outbox: Outbox,
    pub(crate) timers: Timers,
    pub(crate) requests: Requests,
    pub(crate) calls: Table<Call>,
    pub(crate) wires: Wires,
    /// Questions that came in results, and the calls that ask.
    pub(crate) inputs: Table<u64>,
    /// When the first of the requests that are open came.
    pub(crate) asked_since: Instant,
    /// Bytes kept of calls that may be made again.
    pub(crate) kept_bytes: usize,
    pub(crate) stats: Stats,
    /// Rarely there.
    pub(crate) trace: Option<Box<Trace>>,
    pub(crate) audit: Option<Box<Audit>>,
    /// Arming of the client's probe or handshake.
    pub(crate) opening: Arming,
    pub(crate) ping: Arming,
    pub(crate) batches: Batches,
    pub(crate) tasks: Tasks,
    pub(crate) elicitations: Elicitations,
    /// Without one nothing is dated, and what needs a date is refused.
    pub(crate) clock: Option<WallClock>,
    /// A client's.
    pub(crate) cache: Cache,
    pub(crate) watched: Watched,
    meter: Meter,
    /// Some notices wait for room in the output.
    pub(crate) holds_notices: bool,
    /// Place in the output of the last answer.
    last_answer: u64,
    last_handle: u64,
    ending: Option<Ending>,
    ended: bool,
    blocked: bool,
    said: Option<Instant>,
    window: Instant,
    in_window: usize,
}

/// Facts about the wire that a message is written for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wire {
    /// What the message is read as, for the trace.
    pub(crate) revision: Option<Revision>,
}

impl Engine {
    pub(crate) fn new(side: Side, limits: Limits, trace: Option<Box<Trace>>) -> Self {
        Self {
            side,
            now: Instant::default(),
            outbox: Outbox::default(),
            timers: Timers::default(),
            requests: Requests::default(),
            calls: Table::default(),
            wires: Wires::default(),
            inputs: Table::default(),
            asked_since: Instant::default(),
            kept_bytes: 0,
            stats: Stats::default(),
            trace,
            audit: None,
            opening: 0,
            ping: 0,
            batches: Batches::default(),
            tasks: Tasks::default(),
            elicitations: Elicitations::default(),
            clock: None,
            cache: Cache::new(limits.cache_bytes),
            watched: Watched::default(),
            meter: Meter::default(),
            holds_notices: false,
            last_answer: 0,
            last_handle: 0,
            ending: None,
            ended: false,
            blocked: false,
            said: None,
            window: Instant::default(),
            in_window: 0,
            limits,
        }
    }

    // Time and life.

    /// Takes the time of an input; false if the machine has ended.
    pub(crate) fn begin(&mut self, now: Instant) -> bool {
        self.now = self.now.max(now);
        !self.ended
    }
    pub(crate) fn is_open(&self) -> bool {
        !self.ended && self.ending.is_none()
    }
    /// Whether the peer sends no more.
    pub(crate) fn peer_left(&self) -> bool {
        self.ended || self.ending.is_some_and(|ending| ending.reason == CloseReason::Peer)
    }
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }
    pub(crate) fn next_handle(&mut self) -> u64 {
        self.last_handle += 1;
        self.last_handle
    }
    /// What a handle that is not live is: over, or never given out.
    pub(crate) fn gone(&self, handle: u64) -> SendError {
        if (1..=self.last_handle).contains(&handle) { SendError::Over } else { SendError::UnknownHandle }
    }
    fn is_live(&self) -> impl Fn(Timer, Arming) -> bool {
        |timer, arming| match timer {
            Timer::Call(handle) => self.calls.get(handle).is_some_and(|call| call.timer == arming),
            Timer::Request(handle) => {
                self.requests.get(handle).is_some_and(|request| request.timer == arming)
            }
            Timer::Task(serial) => self.tasks.is_armed(serial, arming),
            Timer::Poll(handle) => {
                let task = self.calls.get(handle).and_then(|call| call.task.as_deref());
                task.is_some_and(|task| task.is_armed(arming))
            }
            Timer::Opening => self.opening == arming,
            Timer::Ping => self.ping == arming,
            Timer::Drain => self.ending.is_some_and(|ending| ending.timer == arming),
        }
    }
    pub(crate) fn disarm(&mut self, arming: Arming) {
        let mut timers = core::mem::take(&mut self.timers);
        timers.disarm(arming, self.is_live());
        self.timers = timers;
    }
    /// The next live timer that is due.
    pub(crate) fn pop_due(&mut self) -> Option<Timer> {
        while let Some((at, timer, arming)) = self.timers.pop_due(self.now) {
            if !self.is_live()(timer, arming) {
                self.timers.was_stale();
            } else if !self.is_put_off(at, timer) {
                return Some(timer);
            }
        }
        let mut timers = core::mem::take(&mut self.timers);
        timers.settle(self.is_live());
        self.timers = timers;
        None
    }
    /// Takes no new work and ends when what runs is over, or after `drain`.
    pub(crate) fn end_after(&mut self, drain: Duration, reason: CloseReason) {
        if self.ended {
            return;
        }
        if let Some(ending) = self.ending.take() {
            self.disarm(ending.timer);
        }
        let timer = self.timers.arm(self.now.after(drain), Timer::Drain);
        self.ending = Some(Ending { reason, timer });
        self.end_if_idle();
    }
    /// Ends if it is to and nothing runs any more.
    pub(crate) fn end_if_idle(&mut self) {
        if let Some(ending) = self.ending {
            let calling = self.calls.iter().any(|(_, call)| call.purpose == Purpose::Application);
            if self.requests.is_empty() && !calling {
                self.end(ending.reason);
            }
        }
    }
    /// The time for what was running is over: what it ends with says so.
    pub(crate) fn run_out(&mut self) {
        if let Some(ending) = self.ending.as_mut().filter(|ending| ending.reason == CloseReason::Local) {
            ending.reason = CloseReason::DrainTimeout;
        }
    }
    /// Cuts off what still runs.
    pub(crate) fn drained(&mut self) {
        self.run_out();
        self.end(self.ending.map_or(CloseReason::DrainTimeout, |ending| ending.reason));
    }
    /// Every call and every request has its end, then `Closed`.
    pub(crate) fn end(&mut self, reason: CloseReason) {
        if core::mem::replace(&mut self.ended, true) {
            return;
        }
        self.ending = None;
        self.close_calls();
        while let Some(handle) = self.requests.first() {
            self.over(handle, OverReason::Closed);
        }
        self.tasks.clear();
        self.stats.tasks_now = 0;
        self.unwatch_all();
        self.timers.clear();
        self.cache.clear();
        self.stats.cache_bytes_now = 0;
        self.outbox.deliver(Event::Closed(reason));
    }

    // Input.

    /// Counts a message, and ends a machine that is fed past its bounds. False: it is not to be read.
    pub(crate) fn receive(&mut self, now: Instant, message: &[u8]) -> bool {
        if !self.begin(now) {
            return false;
        }
        self.stats.messages_in += 1;
        self.stats.bytes_in += message.len() as u64;
        let overrun = self.is_beyond(2);
        if overrun {
            self.end(CloseReason::Overrun);
        }
        !overrun
    }
    pub(crate) fn wants_read(&self) -> bool {
        !self.is_beyond(1)
    }
    /// Whether what the peer made us hold has reached so many times its limit.
    fn is_beyond(&self, times: usize) -> bool {
        self.outbox.events() >= self.limits.events.saturating_mul(times)
            || self.outbox.event_bytes() >= self.limits.session_bytes.saturating_mul(times)
            || self.outbox.own_bytes() >= self.limits.output_bytes.saturating_mul(times)
    }

    // Output.

    /// Queues a message; `Err` if it is larger than the limit.
    pub(crate) fn send(
        &mut self,
        related: Related,
        own: bool,
        wire: Wire,
        message: impl FnOnce(&mut String),
    ) -> Result<u64, SendError> {
        self.send_within(self.limits.message_bytes, related, own, wire, message)
    }
    fn send_within(
        &mut self,
        limit: usize,
        related: Related,
        own: bool,
        wire: Wire,
        message: impl FnOnce(&mut String),
    ) -> Result<u64, SendError> {
        let queued = self.outbox.send(related, own, wire.revision, limit, message);
        let order = queued.ok_or(SendError::TooLarge)?;
        self.stats.messages_out += 1;
        self.stats.bytes_out += self.outbox.last_sent().len() as u64;
        Ok(order)
    }
    /// Queues an answer, as a message or as a member of a batch. One that is too large is replaced by an error, which
    /// goes out whatever the limit: no request stays without an answer.
    pub(crate) fn answer(
        &mut self,
        reply: Reply,
        related: Related,
        own: bool,
        wire: Wire,
        id: &str,
        message: impl FnOnce(&mut String),
    ) -> Result<(), SendError> {
        let too_large = |out: &mut String| {
            write::error(out, ErrorId::Id(id), code::INTERNAL_ERROR, "The answer is too large", None);
        };
        let Reply::Batch(number) = reply else {
            let sent = self.send(related, own, wire, message);
            match sent {
                Ok(order) => self.last_answer = order,
                Err(_) => drop(self.send_within(usize::MAX, related, own, wire, too_large)),
            }
            if self.audit.is_some() {
                let answer = String::from(self.outbox.last_sent());
                self.audit_answered(id, &answer, own, wire.revision);
            }
            return sent.map(drop);
        };
        let limit = self.limits.message_bytes;
        let mut member = String::new();
        message(&mut member);
        let fits = member.len() + "[]".len() <= limit;
        if !fits {
            member.clear();
            too_large(&mut member);
        }
        self.audit_answered(id, &member, own, wire.revision);
        if let Some(full) = self.batches.gather(number, limit, &member) {
            self.send_gathered(&full, wire);
        }
        self.member_over(number, wire);
        if fits { Ok(()) } else { Err(SendError::TooLarge) }
    }
    /// A member of a batch was answered, or never will be. The last one sends what was gathered.
    pub(crate) fn member_over(&mut self, number: u64, wire: Wire) {
        if let Some(answers) = self.batches.member_over(number) {
            self.send_gathered(&answers, wire);
        }
    }
    fn send_gathered(&mut self, answers: &str, wire: Wire) {
        let sent = self.send_within(usize::MAX, Related::Session, true, wire, |out| out.push_str(answers));
        self.last_answer = sent.unwrap_or(self.last_answer);
    }
    /// Whether a notice of a change that was queued in this place tells of one now too: it waits, and no answer behind it
    /// may be older than the change, which a client that keeps answers would then believe.
    pub(crate) fn still_tells(&self, order: u64) -> bool {
        !self.outbox.was_taken(order) && order > self.last_answer
    }
    /// Whether there is room for a message that starts something.
    pub(crate) fn room(&mut self) -> Result<(), SendError> {
        if self.is_full() {
            self.blocked = true;
            return Err(SendError::Blocked);
        }
        Ok(())
    }
    /// Whether the output has reached its limit.
    pub(crate) fn is_full(&self) -> bool {
        self.outbox.bytes() >= self.limits.output_bytes
    }
    /// Whether there is room for one more call and its outcome.
    pub(crate) fn room_for_call(&mut self) -> Result<(), SendError> {
        if self.has_room_for_call() {
            return Ok(());
        }
        self.blocked = true;
        Err(SendError::Blocked)
    }
    fn has_room_for_call(&self) -> bool {
        !self.is_full()
            && self.outbox.events() < self.limits.events
            && self.calls.len() < self.limits.calls
            && self.kept_bytes < self.limits.session_bytes
    }
    pub(crate) fn unblock(&mut self) {
        if self.blocked && !self.ended && self.has_room_for_call() {
            let command = self.begin_command(self.now, "writable");
            self.blocked = false;
            self.outbox.deliver(Event::Writable);
            self.end_command(command, &());
        }
    }
    pub(crate) fn poll_action(&mut self) -> Option<Action<'_>> {
        self.unblock();
        if self.outbox.send_is_next() {
            if self.trace.is_some() {
                self.record_sends(0);
            }
            return self
                .outbox
                .take_send()
                .map(|(message, related)| Action::Send(Outgoing { message, related }));
        }
        if let Some(event) = self.take_event() {
            return Some(Action::Deliver(event));
        }
        if self.trace.is_some() {
            self.record_timer();
        }
        let next = self.timers.next();
        (next != core::mem::replace(&mut self.said, next)).then_some(Action::Timeout(next))
    }
    pub(crate) fn poll_event(&mut self) -> Option<Event> {
        self.unblock();
        self.take_event()
    }
    fn take_event(&mut self) -> Option<Event> {
        let event = self.outbox.take_event()?;
        if self.trace.is_some() {
            self.record(facts(self.now, &event));
        }
        Some(event)
    }
    /// Takes whole lines until there are so many bytes: at least one, if there is one.
    pub(crate) fn take_lines(&mut self, bytes: usize, out: impl FnMut(&str)) {
        if self.trace.is_some() {
            self.record_sends(bytes);
        }
        self.outbox.take_lines(bytes, out);
    }
    /// Whether an event waits to be taken.
    pub(crate) fn has_events(&mut self) -> bool {
        self.unblock();
        self.outbox.events() > 0
    }

    /// Counts what a principal has done, or says how long it is to wait.
    pub(crate) fn meter(&mut self, principal: Principal, class: RateClass) -> Result<(), Duration> {
        let taken = self.meter.take(&self.limits.rates, principal, class, self.now);
        self.stats.rate_limited += u64::from(taken.is_err());
        taken
    }
    /// Answers a request that came too soon.
    pub(crate) fn refuse_rate(
        &mut self,
        reply: Reply,
        id: &str,
        wire: Wire,
        class: RateClass,
        wait: Duration,
    ) {
        let millis = wait.as_nanos().div_ceil(1_000_000);
        let name = class.name();
        let data = format!("{{\"reason\":\"rate_limit\",\"class\":\"{name}\",\"retryAfterMs\":{millis}}}");
        let message = format!("Too many requests of this kind; try again in {millis} ms");
        self.error(reply, id, wire, code::INTERNAL_ERROR, &message, Some(&data));
    }

    // Faults.

    /// Reports that the peer broke a rule.
    pub(crate) fn fault(
        &mut self,
        code: &'static str,
        page: &'static str,
        replied: Option<i32>,
        detail: String,
    ) {
        self.fault_with(Fault { code, page, replied, status: None, detail, cause: None });
    }
    pub(crate) fn fault_with(&mut self, fault: Fault) {
        self.stats.faults += 1;
        self.outbox.deliver(Event::Fault(Box::new(fault)));
    }
    /// Whether one more error may be sent for something without a usable id: a few a second.
    pub(crate) fn may_complain(&mut self) -> bool {
        if self.now.since(self.window).as_secs() >= 1 {
            self.window = self.now;
            self.in_window = 0;
        }
        let may = self.in_window < self.limits.error_replies;
        self.in_window += usize::from(may);
        may
    }
}

/// An error object of a response, or `None` if it is none.
pub(crate) fn rpc_error(error: Json<'_>) -> Option<RpcError> {
    let code = error.member("code")?.get();
    let code = is_integral(code).then_some(code)?.parse::<f64>().ok()?;
    let message = error.member("message").filter(|message| message.as_str().is_some())?;
    #[allow(clippy::cast_possible_truncation)]
    let code = code as i64;
    Some(RpcError {
        code,
        message: Payload::from_json(message),
        data: error.member("data").map(Payload::from_json),
    })
}

/// Tokens of one message that are longer than allowed.
pub(crate) fn too_long(token: &str, limit: usize) -> bool {
    token.len() > limit.saturating_add(2)
}
