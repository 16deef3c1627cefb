//! Requests that we sent and that await the peer's answer.
use alloc::{boxed::Box, string::String, vec::Vec};
#[cfg(feature = "schema")]
use alloc::{format, sync::Arc};
use core::time::Duration;

use smallvec::SmallVec;

use super::{
    client::Plan,
    engine::{Engine, Wire},
    meta,
    rounds::Rounds,
    tasks::follow::{AsTask, TaskOptions},
    timers::{Arming, Timer},
};
use crate::{
    CallHandle, RequestHandle,
    error::{CallError, SendError, TimeLimit},
    event::{Completion, Event, Related},
    json::{Json, Payload, unescape},
    jsonrpc::{id, write},
    method::{self, Handling, MethodId, Side, TimeoutClass},
    revision::Revision,
    session::LogLevel,
    time::Instant,
};
#[cfg(feature = "schema")]
use crate::{error::Fault, schema::Validator};

/// The page on tools.
#[cfg(feature = "schema")]
const TOOLS: &str = "server/tools";

/// Who wants the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The application.
    Application,
    /// The era probe.
    Probe,
    /// The handshake.
    Initialize,
    /// Keep-alive.
    Ping,
    /// What became of the task of this call.
    Task(u64),
    /// Nobody any more: if it became a task, that is cancelled.
    Withdrawn,
    /// Taking a subscription back.
    Unsubscribe,
    /// A handler's question, in the course of the request with this handle.
    Question(u64),
}

impl Purpose {
    /// What the messages of a call belong to.
    fn related(self, handle: u64) -> Related {
        match self {
            Self::Question(request) => Related::Request(RequestHandle::from_u64(request)),
            _ => Related::Call(CallHandle(handle)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Call {
    /// The id of its request in flight; 0 while there is none.
    pub(crate) wire: u64,
    pub(crate) purpose: Purpose,
    pub(crate) row: Option<MethodId>,
    pub(crate) revision: Revision,
    pub(crate) began: Instant,
    pub(crate) silence: Duration,
    pub(crate) silence_until: Instant,
    pub(crate) total_until: Instant,
    pub(crate) progress: bool,
    pub(crate) last_progress: f64,
    pub(crate) timer: Arming,
    /// Its place in the output.
    pub(crate) order: u64,
    /// It was sent as a task.
    pub(crate) task: Option<Box<AsTask>>,
    /// The request whose task needs its answer, or 0.
    pub(crate) asked_for: u64,
    /// What becomes of an answer that is not handed over as it is.
    pub(crate) plan: Option<Box<Plan>>,
    /// What the structured content of a tool's result fits.
    #[cfg(feature = "schema")]
    output: Option<Arc<Validator>>,
    /// The request as it was sent first, where it may be answered with questions and is then made again.
    pub(super) kept: Option<Box<str>>,
    /// Once it was answered with questions.
    pub(super) rounds: Option<Box<Rounds>>,
}

impl Call {
    pub(crate) fn deadline(&self) -> Instant {
        match self.rounds.as_ref().and_then(|rounds| rounds.deadline()) {
            // Both limits pause while the application is asked; waiting with state alone takes its time.
            Some((until, true)) => until,
            Some((until, false)) => until.min(self.total_until),
            None => self.silence_until.min(self.total_until),
        }
    }
    /// Whether a question that came as a request may be of it.
    fn may_ask(&self) -> bool {
        self.row.is_some_and(|id| id.row().may_ask) && self.revision.features().server_requests
    }
    pub(crate) fn is_subscription(&self) -> bool {
        self.row.is_some_and(|id| id.row().handling == Handling::Listen)
    }
    /// The limit that the deadline is of.
    pub(crate) fn limit(&self) -> TimeLimit {
        if self.total_until <= self.silence_until { TimeLimit::Total } else { TimeLimit::Silence }
    }
}

#[cfg(feature = "schema")]
impl Call {
    /// The result, if it fits what the tool declares.
    fn fitting(&self, completion: Completion) -> Result<Completion, CallError> {
        // One that says that the call became a task is no tool's result.
        let is_tool_result = completion.kind.is_none() && self.task.as_ref().is_none_or(|task| task.waits());
        let Some(output) = self.output.as_ref().filter(|_| is_tool_result) else { return Ok(completion) };
        match output.check_result(completion.result.as_json()) {
            Ok(()) => Ok(completion),
            Err(violations) => {
                let detail = format!(
                    "the result does not fit the tool's `outputSchema`, so its call failed: {violations}"
                );
                Err(CallError::InvalidResult(Box::new(Fault::new("fault.output", TOOLS, detail))))
            }
        }
    }
}

/// Which call each wire id in flight belongs to. Ids and progress tokens are serial numbers, so one that was used
/// before is known by its size alone.
#[derive(Debug, Default)]
pub(crate) struct Wires {
    live: Vec<(u64, u64)>,
    last: u64,
}

impl Wires {
    pub(super) fn add(&mut self, handle: u64) -> u64 {
        self.last += 1;
        self.live.push((self.last, handle));
        self.last
    }
    fn place(&self, wire: u64) -> Option<usize> {
        self.live.binary_search_by_key(&wire, |entry| entry.0).ok()
    }
    pub(crate) fn handle(&self, wire: u64) -> Option<u64> {
        self.place(wire).and_then(|place| self.live.get(place)).map(|entry| entry.1)
    }
    pub(crate) fn remove(&mut self, wire: u64) {
        if let Some(place) = self.place(wire) {
            self.live.remove(place);
        }
    }
    pub(crate) fn was_used(&self, wire: u64) -> bool {
        (1..=self.last).contains(&wire)
    }
}

/// Options of one call. `Default`: the limits of the configuration.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct CallOptions<'a> {
    /// Without a sign of life; progress restarts it.
    pub silence: Option<Duration>,
    /// In all, whatever the progress.
    pub total: Option<Duration>,
    /// Ask for progress.
    pub progress: bool,
    /// Modern: the wanted level of log notices.
    pub log_level: Option<LogLevel>,
    /// Members for `_meta`: an object. They replace those of the params. Refused are the engine's own keys, others with a
    /// prefix that the protocol reserves, keys of another form than `basic/index` has, and a malformed `traceparent`.
    pub meta: Option<Json<'a>>,
    /// Send it as a task, where the revision and the peer have them: `basic/utilities/tasks` of 2025-11-25.
    pub task: Option<TaskOptions>,
    /// Ask the server, whatever the cache has.
    pub fresh: bool,
    /// The `outputSchema` of the tool that is called: a result that does not fit it is no outcome (`server/tools`).
    #[cfg(feature = "schema")]
    pub output: Option<&'a Arc<Validator>>,
}

impl CallOptions<'_> {
    /// The limits of the configuration.
    pub const fn new() -> Self {
        Self {
            silence: None,
            total: None,
            progress: false,
            log_level: None,
            meta: None,
            task: None,
            fresh: false,
            #[cfg(feature = "schema")]
            output: None,
        }
    }
    /// Ask for progress.
    #[must_use]
    pub const fn progress(mut self, wanted: bool) -> Self {
        self.progress = wanted;
        self
    }
    /// Ask the server, whatever the cache has.
    #[must_use]
    pub const fn fresh(mut self, fresh: bool) -> Self {
        self.fresh = fresh;
        self
    }
    /// Bounds of its own.
    #[must_use]
    pub const fn timeouts(mut self, silence: Option<Duration>, total: Option<Duration>) -> Self {
        self.silence = silence;
        self.total = total;
        self
    }
    /// The wanted level of log notices.
    #[must_use]
    pub const fn log_level(mut self, level: Option<LogLevel>) -> Self {
        self.log_level = level;
        self
    }
}

impl CallOptions<'_> {
    /// Send it as a task.
    #[must_use]
    pub const fn task(mut self, task: Option<TaskOptions>) -> Self {
        self.task = task;
        self
    }
}

impl<'a> CallOptions<'a> {
    /// The `outputSchema` of the tool that is called: a result that does not fit it ends the call with
    /// [`CallError::InvalidResult`].
    #[cfg(feature = "schema")]
    #[must_use]
    pub const fn output(mut self, schema: Option<&'a Arc<Validator>>) -> Self {
        self.output = schema;
        self
    }
    /// Members for `_meta`.
    #[must_use]
    pub const fn meta(mut self, meta: Option<Json<'a>>) -> Self {
        self.meta = meta;
        self
    }
}

/// What a call is, apart from its options.
pub(crate) struct NewCall<'a> {
    pub(crate) purpose: Purpose,
    pub(crate) method: &'a str,
    /// Its row, if the table has it.
    pub(crate) row: Option<MethodId>,
    pub(crate) revision: Revision,
    pub(crate) params: Option<Json<'a>>,
    /// Members that the engine puts into `_meta`, without braces.
    pub(crate) meta: &'a str,
}

/// Checks the `_meta` members of an application.
pub(crate) fn check_meta(members: Option<Json<'_>>, progress: bool) -> Result<(), SendError> {
    let Some(members) = members else { return Ok(()) };
    if !members.is_object() {
        return Err(SendError::Invalid("`_meta` must be an object"));
    }
    for (key, value) in members.members() {
        let key = unescape(key).unwrap_or_default();
        if key == meta::PROGRESS_TOKEN && !progress {
            return Err(SendError::Invalid("ask for progress by the option, not by a `progressToken`"));
        }
        if meta::is_engine_key(&key) {
            return Err(SendError::Invalid("this `_meta` key belongs to the engine"));
        }
        meta::check(&key, value).map_err(SendError::Invalid)?;
    }
    Ok(())
}

/// Writes the members but for those that are written from elsewhere: the progress token, and what `others` has.
fn meta_members(out: &mut String, members: Option<Json<'_>>, others: Option<Json<'_>>) {
    for (key, value) in members.into_iter().flat_map(Json::members) {
        let name = unescape(key).unwrap_or_default();
        if name == meta::PROGRESS_TOKEN || others.is_some_and(|others| others.member(&name).is_some()) {
            continue;
        }
        member(out, key, value);
    }
}

/// One more member of the object that is being written.
fn member(out: &mut String, key: &str, value: Json<'_>) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push_str(key);
    out.push(':');
    write::json(out, value);
}

impl Engine {
    /// Whether the parts of a call that an application gives are such that it may be sent.
    pub(crate) fn check_call(call: &NewCall<'_>, options: &CallOptions<'_>) -> Result<(), SendError> {
        if call.params.is_some_and(|params| !params.is_object()) {
            return Err(SendError::Invalid("params must be an object"));
        }
        check_meta(call.params.and_then(|params| params.member("_meta")), options.progress)?;
        check_meta(options.meta, options.progress)
    }
    /// Sends a request. For one of the engine there is always room.
    pub(crate) fn start_call(
        &mut self,
        call: &NewCall<'_>,
        options: &CallOptions<'_>,
    ) -> Result<u64, SendError> {
        Self::check_call(call, options)?;
        let application = call.purpose == Purpose::Application;
        if options.task.is_some() && call.params.is_some_and(|params| params.member("task").is_some()) {
            return Err(SendError::Invalid("ask for a task by the option or by the params, not by both"));
        }
        if application {
            self.room_for_call()?;
        }
        let handle = self.next_handle();
        let (wire, order) = self.send_request(handle, call, options, !application)?;
        self.enter(handle, call, options, wire, order);
        Ok(handle)
    }
    /// Sends the next request of a call that goes on. Its handle and the limit on its total stay, its wire id is new. For
    /// it there is always room: an answer or a timer is its cause.
    pub(crate) fn send_again(
        &mut self,
        handle: u64,
        call: &NewCall<'_>,
        options: &CallOptions<'_>,
    ) -> Result<(), SendError> {
        let (wire, order) = self.send_request(handle, call, options, true)?;
        self.take_off_wire(handle);
        let now = self.now;
        if let Some(entry) = self.calls.get_mut(handle) {
            entry.wire = wire;
            entry.order = order;
            entry.last_progress = f64::NEG_INFINITY;
            entry.silence_until = now.after(entry.silence);
        }
        Ok(())
    }
    /// The request in flight of a call is over, and the call goes on.
    pub(crate) fn take_off_wire(&mut self, handle: u64) {
        if let Some(call) = self.calls.get_mut(handle) {
            self.wires.remove(core::mem::take(&mut call.wire));
        }
    }
    /// Arms the timer of a call that has no limits but the one given now; `None`: none at all.
    pub(crate) fn wait_for(&mut self, handle: u64, limit: Option<Duration>) {
        let until = self.now.after(limit.unwrap_or(Duration::MAX));
        let arming = self.timers.arm(until, Timer::Call(handle));
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.silence_until = until;
        let before = core::mem::replace(&mut call.timer, arming);
        self.disarm(before);
    }
    /// Writes a request under a new wire id, and returns that and its place in the output.
    fn send_request(
        &mut self,
        handle: u64,
        call: &NewCall<'_>,
        options: &CallOptions<'_>,
        own: bool,
    ) -> Result<(u64, u64), SendError> {
        let wire_id = self.wires.add(handle);
        let own_meta = call.params.and_then(|params| params.member("_meta"));
        let has_meta =
            options.progress || !call.meta.is_empty() || own_meta.is_some() || options.meta.is_some();
        let write = |out: &mut String| {
            write::request_head(out, wire_id, call.method);
            if has_meta || call.params.is_some() || options.task.is_some() {
                out.push_str(",\"params\":{");
                if has_meta {
                    out.push_str("\"_meta\":{");
                    out.push_str(call.meta);
                    if options.progress {
                        if !out.ends_with('{') {
                            out.push(',');
                        }
                        out.push_str("\"progressToken\":");
                        write::integer(out, wire_id);
                    }
                    meta_members(out, own_meta, options.meta);
                    meta_members(out, options.meta, None);
                    out.push('}');
                }
                for (key, value) in call.params.into_iter().flat_map(Json::members) {
                    if unescape(key).is_none_or(|key| key != "_meta") {
                        member(out, key, value);
                    }
                }
                if let Some(task) = &options.task {
                    task.write(out);
                }
                out.push('}');
            }
            out.push('}');
        };
        let wire = Wire { revision: Some(call.revision) };
        let related = call.purpose.related(handle);
        let sent = self.send(related, own, wire, write);
        if sent.is_err() {
            self.wires.remove(wire_id);
        }
        sent.map(|order| (wire_id, order))
    }
    /// Takes a call into the table. A `wire` of 0: none of its requests is in flight.
    pub(crate) fn enter(
        &mut self,
        handle: u64,
        call: &NewCall<'_>,
        options: &CallOptions<'_>,
        wire: u64,
        order: u64,
    ) {
        let class = call.row.map_or(TimeoutClass::Machine, |row| row.row().timeout);
        let (silence, total) = match class {
            TimeoutClass::None => (options.silence, options.total),
            TimeoutClass::Human => (options.silence, options.total.or(Some(self.limits.call_total))),
            TimeoutClass::Machine => (
                options.silence.or(Some(self.limits.call_silence)),
                options.total.or(Some(self.limits.call_total)),
            ),
        };
        let silence = silence.unwrap_or(Duration::MAX);
        let mut entry = Call {
            wire,
            purpose: call.purpose,
            row: call.row,
            revision: call.revision,
            began: self.now,
            silence,
            silence_until: self.now.after(silence),
            total_until: self.now.after(total.unwrap_or(Duration::MAX)),
            progress: options.progress,
            last_progress: f64::NEG_INFINITY,
            timer: 0,
            order,
            task: options.task.map(|task| Box::new(AsTask::new(task))),
            asked_for: 0,
            plan: None,
            #[cfg(feature = "schema")]
            output: options.output.cloned(),
            kept: None,
            rounds: None,
        };
        let may_be_asked = call.row.is_some_and(|row| row.row().may_ask);
        if call.purpose == Purpose::Application && may_be_asked && !call.revision.features().server_requests {
            let message = self.outbox.last_sent();
            self.kept_bytes += message.len();
            entry.kept = Some(message.into());
        }
        if !matches!(call.purpose, Purpose::Probe | Purpose::Initialize) {
            entry.timer = self.timers.arm(entry.deadline(), Timer::Call(handle));
        }
        self.calls.push(handle, entry);
        if call.purpose == Purpose::Application {
            self.stats.calls += 1;
            self.stats.calls_now += 1;
        }
    }
    /// A call that is answered without a message.
    pub(crate) fn answer_from_cache(&mut self, result: Payload) -> Result<CallHandle, SendError> {
        self.room_for_call()?;
        let call = CallHandle(self.next_handle());
        self.stats.calls += 1;
        self.stats.cached += 1;
        let completion = Completion { cached: true, ..Completion::new(result) };
        self.outbox.deliver(Event::Completed { call, outcome: Ok(completion) });
        Ok(call)
    }
    /// No answer can come any more.
    pub(crate) fn close_calls(&mut self) {
        while let Some(handle) = self.calls.first() {
            let delivered = self.calls.get(handle).is_some_and(|call| self.outbox.was_taken(call.order));
            self.complete(handle, Err(CallError::Closed { delivered }));
        }
    }
    /// Whether progress has moved the deadline of a call since its timer was armed. If so it is armed again.
    pub(crate) fn is_put_off(&mut self, at: Instant, timer: Timer) -> bool {
        let Timer::Call(handle) = timer else { return false };
        let (now, paused) = (self.now, self.paused_since());
        let Some(call) = self.calls.get_mut(handle) else { return false };
        // As long as a question is open the deadline moves on.
        let pause = paused
            .filter(|_| call.may_ask())
            .map_or(Duration::ZERO, |since| now.since(since.max(call.began)));
        let deadline = call.deadline().after(pause);
        let is_later = deadline > if pause.is_zero() { at } else { now };
        if is_later {
            call.timer = self.timers.arm(deadline, timer);
        }
        is_later
    }
    /// Since when the application of a client is asked by requests, which do not say for which call.
    fn paused_since(&self) -> Option<Instant> {
        (self.side == Side::Client && !self.requests.is_empty()).then_some(self.asked_since)
    }
    /// No question is open any more: the limits of the calls that may have asked go on.
    pub(crate) fn resume_calls(&mut self) {
        if self.side == Side::Server {
            return;
        }
        let asking = self.calls.iter().filter(|(_, call)| call.may_ask()).map(|(handle, _)| handle);
        let asking: SmallVec<[u64; 8]> = asking.collect();
        for handle in asking {
            let (now, since) = (self.now, self.asked_since);
            let Some(call) = self.calls.get_mut(handle) else { continue };
            let pause = now.since(since.max(call.began));
            call.silence_until = call.silence_until.after(pause);
            call.total_until = call.total_until.after(pause);
        }
    }
    /// The outcome of a call.
    pub(crate) fn complete(&mut self, handle: u64, outcome: Result<Completion, CallError>) {
        let Some(call) = self.calls.remove(handle) else { return };
        self.disarm(call.timer);
        self.wires.remove(call.wire);
        self.end_rounds(&call);
        if let Some(task) = &call.task {
            self.unfollow(task);
        }
        if call.asked_for != 0 {
            self.asked(call.asked_for);
        }
        if call.purpose == Purpose::Application {
            #[cfg(feature = "schema")]
            let outcome = outcome.and_then(|completion| call.fitting(completion));
            self.completed(handle, outcome);
        }
    }
    /// Tells the application.
    pub(crate) fn completed(&mut self, handle: u64, outcome: Result<Completion, CallError>) {
        self.stats.calls_now = self.stats.calls_now.saturating_sub(1);
        if let Err(CallError::Rpc(error)) = &outcome {
            self.elicitations.listed(error);
        }
        let outcome = outcome.map_err(Box::new);
        self.outbox.deliver(Event::Completed { call: CallHandle(handle), outcome });
    }
    /// Tells the peer that an answer is not wanted any more.
    pub(crate) fn send_cancelled(&mut self, handle: u64, reason: Option<&str>, wire: Wire) {
        let Some(call) = self.calls.get(handle) else { return };
        if call.wire == 0 || call.is_waiting() {
            return;
        }
        let (wire_id, related) = (call.wire, call.purpose.related(handle));
        let Some(method) = self.cancelled_method() else { return };
        let params = |out: &mut String| {
            out.push_str("{\"requestId\":");
            write::integer(out, wire_id);
            if let Some(reason) = reason {
                out.push_str(",\"reason\":");
                write::string(out, reason);
            }
            out.push('}');
        };
        // A reason beyond the limit of a message is left out.
        if self.send(related, false, wire, |out| write::notification_with(out, method, Some(params))).is_err()
            && reason.is_some()
        {
            self.send_cancelled(handle, None, wire);
        }
    }
    fn cancelled_method(&self) -> Option<&'static str> {
        method::rows()
            .iter()
            .find(|row| row.handling == Handling::Cancelled && row.senders.include(self.side))
            .map(|row| row.name)
    }
    /// Takes a call back for the application.
    pub(crate) fn cancel(&mut self, handle: u64, reason: Option<&str>, wire: Wire) -> Result<(), SendError> {
        let live = self.calls.get(handle).is_some_and(|call| call.purpose == Purpose::Application);
        if !live {
            return Err(self.gone(handle));
        }
        self.stats.cancelled += 1;
        self.withdraw(handle, reason, wire, CallError::Cancelled);
        self.end_if_idle();
        Ok(())
    }
    /// Arms the next keep-alive ping.
    pub(crate) fn arm_ping(&mut self, interval: Duration) {
        // An interval of nothing would fire for ever at one instant.
        let interval = interval.max(Duration::from_millis(1));
        self.ping = self.timers.arm(self.now.after(interval), Timer::Ping);
    }
    /// Sends a keep-alive ping, unless one is unanswered, and arms the next.
    pub(crate) fn send_ping(&mut self, revision: Revision) {
        // The peer of a machine that is ending may have nothing to say any more.
        let Some(interval) = self.limits.ping_interval.filter(|_| self.is_open()) else { return };
        self.arm_ping(interval);
        let waiting = self.calls.iter().any(|(_, call)| call.purpose == Purpose::Ping);
        let row = method::with_handling(Handling::Ping, self.side, revision);
        if let Some(row) = row.filter(|_| !waiting) {
            let method = row.row().name;
            let call =
                NewCall { purpose: Purpose::Ping, method, row: Some(row), revision, params: None, meta: "" };
            let timeout = self.limits.ping_timeout;
            let options = CallOptions::new().timeouts(Some(timeout), Some(timeout));
            // A ping has no payload, so it fits any limit that lets a session begin.
            let _ = self.start_call(&call, &options);
        }
    }
    /// The call whose wire id a token names, if it is live. `Err`: whether it is one that was live once.
    pub(crate) fn call_of(&self, token: &str) -> Result<u64, bool> {
        let wire = id::as_u64(token);
        match wire.and_then(|wire| self.wires.handle(wire)) {
            Some(handle) => Ok(handle),
            None => Err(wire.is_some_and(|wire| self.wires.was_used(wire))),
        }
    }
    /// Progress of one of our calls.
    pub(crate) fn progressed(&mut self, token: &str, params: Json<'_>, page: &'static str) {
        let progress = params.member("progress").and_then(|value| value.get().parse::<f64>().ok());
        let (now, complaint) = (self.now, |engine: &mut Self, detail: &str| {
            engine.fault("fault.progress", page, None, String::from(detail));
        });
        let handle = match self.call_of(token) {
            Ok(handle) => handle,
            Err(true) => {
                self.stats.late += 1;
                return;
            }
            Err(false) => return complaint(self, "progress with a token that was never given out; dropped"),
        };
        let Some(call) = self.calls.get_mut(handle) else { return };
        if call.purpose == Purpose::Withdrawn {
            self.stats.late += 1;
            return;
        }
        if !call.progress {
            return complaint(self, "progress for a call that did not ask for it; dropped");
        }
        let Some(progress) = progress else {
            return complaint(self, "`progress` is not a number; dropped");
        };
        if progress <= call.last_progress {
            return complaint(self, "`progress` did not rise; dropped");
        }
        call.last_progress = progress;
        // Between two questions about a task there is nothing to wait for.
        if !call.task.as_ref().is_some_and(|task| task.is_known()) {
            call.silence_until = now.after(call.silence);
        }
        let params = Payload::from_json(params);
        self.outbox.deliver(Event::Progress { call: CallHandle(handle), params });
    }
}
