//! Calls that become tasks of the peer.
//!
//! Their state is polled, and the outcome fetched once it is there or input is wanted. Only one answer that is held back
//! for as long as the task takes would be cheaper, but it tells nothing on the way, and every proxy on it may cut it.
use alloc::{boxed::Box, format, string::String};
use core::time::Duration;

use super::{TASKS, millis};
use crate::{
    CallHandle,
    error::{CallError, Fault, SendError},
    event::{Completion, Event},
    json::{Json, Payload, unescape},
    jsonrpc::{
        envelope::{Envelope, Field},
        write,
    },
    method::{self, Handling, MethodId, Side},
    revision::Revision,
    session::{
        CallOptions,
        calls::{Call, NewCall, Purpose},
        config::Allowed,
        engine::{Engine, Wire},
        role::Answer,
        timers::{Arming, Timer},
    },
    time::Instant,
};

/// The shortest time between two questions about a task, however often the peer wants to be asked.
const LEAST_POLL: Duration = Duration::from_millis(100);
/// The `_meta` key of a text for the model.
const IMMEDIATE: &str = "io.modelcontextprotocol/model-immediate-response";

/// How a call is sent as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskOptions {
    /// How long the peer is asked to keep the task, from its creation; whole milliseconds. It may decide otherwise.
    pub ttl: Option<Duration>,
    /// Whether the call goes on until the outcome is there: the engine asks for it, [`Event::Task`] tells of the task, and
    /// `cancel` cancels it. Otherwise `Completed` brings the `CreateTaskResult`, and the rest is done by calls of
    /// `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`.
    pub wait: bool,
    /// The peer takes tasks back.
    cancellable: bool,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl TaskOptions {
    /// Kept for as long as the peer likes; the call goes on until the outcome is there.
    pub const fn new() -> Self {
        Self { ttl: None, wait: true, cancellable: false }
    }
    /// How long the task is to be kept.
    #[must_use]
    pub const fn ttl(mut self, ttl: Option<Duration>) -> Self {
        self.ttl = ttl;
        self
    }
    /// Whether the call goes on until the outcome is there.
    #[must_use]
    pub const fn wait(mut self, wait: bool) -> Self {
        self.wait = wait;
        self
    }
    /// Writes the last member of params.
    pub(crate) fn write(&self, out: &mut String) {
        if !out.ends_with('{') {
            out.push(',');
        }
        out.push_str("\"task\":{");
        if let Some(ttl) = self.ttl {
            out.push_str("\"ttl\":");
            // A larger number is none that every peer reads.
            write::integer(out, millis(ttl).min((1 << 53) - 1));
        }
        out.push('}');
    }
}

/// The options of a call, checked against what the peer declared.
pub(crate) fn checked(
    mut options: CallOptions<'_>,
    side: Side,
    row: Option<MethodId>,
    revision: Revision,
    peer: Allowed,
) -> Result<CallOptions<'_>, SendError> {
    let Some(task) = &mut options.task else { return Ok(options) };
    if !revision.features().tasks {
        return Err(SendError::NotInRevision);
    }
    let Some((row, capability)) = row.and_then(|row| row.row().task.map(|capability| (row, capability)))
    else {
        return Err(SendError::Invalid("no request of this method can be a task"));
    };
    if !peer.takes_task(row, revision) {
        return Err(SendError::MissingCapability(capability));
    }
    let cancel = method::with_handling(Handling::TaskCancel, side, revision);
    task.cancellable = cancel.is_some_and(|cancel| peer.has(cancel, revision));
    Ok(options)
}

/// What is known of the task that a call is sent as.
#[derive(Debug)]
pub(crate) struct AsTask {
    options: TaskOptions,
    /// Its id, a JSON string, once the peer has made one.
    id: Option<Box<str>>,
    /// Status and message that the application knows.
    told: String,
    /// Between two questions about it.
    interval: Duration,
    poll: Arming,
    /// The call that asks about it, or 0.
    asking: u64,
}

impl AsTask {
    /// Whether the call completes with the outcome of the task.
    #[cfg(feature = "schema")]
    pub(crate) fn waits(&self) -> bool {
        self.options.wait
    }
    pub(crate) fn new(options: TaskOptions) -> Self {
        let told = String::new();
        Self { options, id: None, told, interval: Duration::ZERO, poll: 0, asking: 0 }
    }
    pub(crate) fn is_armed(&self, arming: Arming) -> bool {
        self.poll == arming
    }
    pub(crate) fn is_known(&self) -> bool {
        self.id.is_some()
    }
    fn is(&self, id: &str) -> bool {
        let known = self.id.as_deref().and_then(unescape);
        known.is_some_and(|known| unescape(id).is_some_and(|id| id == known))
    }
}

/// Whether an answer to a call brought a task.
pub(crate) enum Created<'a> {
    No(Answer<'a>),
    Followed,
}

/// The task of a `CreateTaskResult`, and its id.
fn created<'a>(answer: &Answer<'a>, limit: usize) -> Option<(Json<'a>, &'a str)> {
    let Answer::Result { result, .. } = answer else { return None };
    let task = result.member("task")?;
    let id = task.member("taskId")?.get();
    (id.starts_with('"') && id.len() <= limit).then_some((task, id))
}

impl Engine {
    fn as_task(&mut self, call: u64) -> Option<&mut AsTask> {
        self.calls.get_mut(call)?.task.as_deref_mut()
    }

    /// Takes the answer to a call that was sent as a task and is to be followed.
    pub(crate) fn created<'a>(&mut self, handle: u64, answer: Answer<'a>) -> Created<'a> {
        let limit = self.limits.id_bytes;
        let Some(task) = self.as_task(handle).filter(|task| task.options.wait) else {
            return Created::No(answer);
        };
        if task.is_known() {
            self.stats.late += 1;
            return Created::Followed;
        }
        let Some((state, id)) = created(&answer, limit) else {
            if let Answer::Result { .. } = answer {
                let detail = "a request that was sent as a task was answered at once, though the peer declared tasks; \
                              taken as its outcome";
                self.fault("fault.task", TASKS, None, String::from(detail));
            }
            return Created::No(answer);
        };
        task.id = Some(id.into());
        if let Some(call) = self.calls.get_mut(handle) {
            // From now on each question about the task has its own.
            call.silence_until = Instant::NEVER;
        }
        let immediate = match &answer {
            Answer::Result { result, .. } => result
                .member("_meta")
                .and_then(|meta| meta.member(IMMEDIATE))
                .filter(|text| text.as_str().is_some()),
            _ => None,
        };
        self.task_state(handle, state, immediate);
        Created::Followed
    }

    /// What the peer says of the task of a call.
    fn task_state(&mut self, handle: u64, state: Json<'_>, immediate: Option<Json<'_>>) {
        let default = self.limits.task_poll;
        let Some(task) = self.as_task(handle) else { return };
        let Some(status) = state.member("status").and_then(Json::as_str) else {
            let fault = Fault::new("fault.task", TASKS, "a task without a `status`; its call failed");
            return self.complete(handle, Err(CallError::InvalidResult(fault.into())));
        };
        let asked = state.member("pollInterval").and_then(|value| value.get().parse::<f64>().ok());
        let asked = asked.and_then(|millis| Duration::try_from_secs_f64(millis / 1_000.0).ok());
        task.interval = asked.unwrap_or(default).max(LEAST_POLL);
        let message = state.member("statusMessage").map_or("", Json::get);
        let told = format!("{status}{message}");
        let is_news = told != task.told;
        task.told = told;
        if is_news {
            self.outbox.deliver(Event::Task {
                call: CallHandle(handle),
                task: Payload::from_json(state),
                immediate: immediate.map(Payload::from_json),
            });
        }
        // On some transports the questions of a task that needs input come only to who asks for its outcome.
        let ask = matches!(&*status, "completed" | "failed" | "cancelled" | "input_required");
        if ask {
            self.ask_task(handle, Handling::TaskResult);
        } else {
            self.arm_poll(handle);
        }
    }
    fn arm_poll(&mut self, handle: u64) {
        let now = self.now;
        let Some(task) = self.as_task(handle).filter(|task| task.asking == 0) else { return };
        let (previous, at) = (task.poll, now.after(task.interval));
        let arming = self.timers.arm(at, Timer::Poll(handle));
        if let Some(task) = self.as_task(handle) {
            task.poll = arming;
        }
        self.disarm(previous);
    }
    /// It is time to ask again.
    pub(crate) fn poll_task(&mut self, handle: u64) {
        let Some(task) = self.as_task(handle) else { return };
        task.poll = 0;
        self.ask_task(handle, Handling::TaskGet);
    }
    /// Asks about a task, unless its outcome is asked for already.
    fn ask_task(&mut self, handle: u64, handling: Handling) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        let (revision, silence) = (call.revision, call.silence);
        let Some(task) = call.task.as_deref_mut() else { return };
        let (poll, asking) = (core::mem::take(&mut task.poll), core::mem::take(&mut task.asking));
        let Some(id) = task.id.clone() else { return };
        self.disarm(poll);
        let asks_result =
            |call: &Call| call.row.is_some_and(|row| row.row().handling == Handling::TaskResult);
        if self.calls.get(asking).is_some_and(asks_result) {
            if let Some(task) = self.as_task(handle) {
                task.asking = asking;
            }
            return;
        }
        // The state that was asked for is known.
        self.complete(asking, Err(CallError::Cancelled));
        let silence = Some(silence).filter(|_| handling == Handling::TaskGet);
        let call = self.say_of_task(Purpose::Task(handle), handling, revision, &id, silence);
        match (call, self.as_task(handle)) {
            (Some(call), Some(task)) => task.asking = call,
            _ => self.complete(handle, Err(CallError::Closed { delivered: true })),
        }
    }
    /// Sends a request about a task; only one that is too large is not sent.
    fn say_of_task(
        &mut self,
        purpose: Purpose,
        handling: Handling,
        revision: Revision,
        id: &str,
        silence: Option<Duration>,
    ) -> Option<u64> {
        let row = method::with_handling(handling, self.side, revision)?;
        let params = format!("{{\"taskId\":{id}}}");
        let params = Some(Json::from_checked(&params));
        let call = NewCall { purpose, method: row.row().name, row: Some(row), revision, params, meta: "" };
        // The time of the whole is that of the call that became the task.
        let options = CallOptions::new().timeouts(silence, Some(Duration::MAX));
        self.start_call(&call, &options).ok()
    }

    /// An answer to a question about a task, or to a call whose outcome nobody wants any more.
    pub(crate) fn task_answered(&mut self, handle: u64, answer: Answer<'_>) {
        let Some(call) = self.calls.get(handle) else { return };
        let (purpose, revision, row) = (call.purpose, call.revision, call.row);
        let cancellable = call.task.as_ref().is_some_and(|task| task.options.cancellable);
        self.complete(handle, Err(CallError::Cancelled));
        let Purpose::Task(parent) = purpose else {
            if let Some((_, id)) = created(&answer, self.limits.id_bytes)
                && cancellable
            {
                self.say_of_task(Purpose::Task(0), Handling::TaskCancel, revision, id, None);
            }
            return;
        };
        let Some(task) = self.as_task(parent) else { return };
        task.asking = 0;
        match answer {
            Answer::Error(error) => self.complete(parent, Err(CallError::Rpc(error))),
            Answer::Invalid(fault) => self.complete(parent, Err(CallError::InvalidResult(fault.into()))),
            Answer::Result { result, .. }
                if row.is_some_and(|row| row.row().handling == Handling::TaskGet) =>
            {
                self.task_state(parent, result, None);
            }
            Answer::Result { result, .. } => {
                self.complete(parent, Ok(Completion::new(Payload::from_json(result))));
            }
        }
    }
    /// No answer came to a question about a task, or to a call whose outcome nobody wants any more.
    pub(crate) fn task_unanswered(&mut self, handle: u64, wire: Wire) {
        let Some(call) = self.calls.get(handle) else { return };
        let (purpose, limit) = (call.purpose, call.limit());
        self.complete(handle, Err(CallError::Cancelled));
        if let Purpose::Task(parent) = purpose
            && let Some(began) = self.calls.get(parent).map(|call| call.began)
        {
            self.withdraw(parent, Some("timeout"), wire, CallError::Timeout { limit, began });
        }
    }

    /// `notifications/tasks/status`: whether it is of a task that a call became.
    pub(crate) fn task_told(&mut self, envelope: &Envelope<'_>) -> bool {
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        let Some(params) = params else { return false };
        let Some(call) = params.member("taskId").and_then(|id| self.following(id.get())) else {
            return false;
        };
        self.task_state(call, params, None);
        true
    }
    /// The call that became the task of this id, a JSON string.
    pub(super) fn following(&self, id: &str) -> Option<u64> {
        let follows = |call: &Call| call.task.as_ref().is_some_and(|task| task.is(id));
        self.calls.iter().find(|(_, call)| follows(call)).map(|(handle, _)| handle)
    }

    /// Ends a call before its outcome is there, and tells the peer. A task is cancelled as such; one that is not known yet,
    /// as soon as it is (`basic/utilities/cancellation` of 2025-11-25).
    pub(crate) fn withdraw(&mut self, handle: u64, reason: Option<&str>, wire: Wire, error: CallError) {
        let limit = self.limits.call_silence;
        let now = self.now;
        let Some(call) = self.calls.get_mut(handle) else { return };
        let revision = call.revision;
        match call.task.as_deref_mut() {
            None => self.send_cancelled(handle, reason, wire),
            Some(AsTask { id: None, .. }) => {
                call.purpose = Purpose::Withdrawn;
                (call.silence_until, call.total_until) = (now.after(limit), Instant::NEVER);
                let (previous, at) = (call.timer, call.deadline());
                let timer = self.timers.arm(at, Timer::Call(handle));
                if let Some(call) = self.calls.get_mut(handle) {
                    call.timer = timer;
                }
                self.disarm(previous);
                return self.completed(handle, Err(error));
            }
            Some(AsTask { id: Some(id), options, .. }) => {
                let (id, cancellable) = (id.clone(), options.cancellable);
                if cancellable {
                    self.say_of_task(Purpose::Task(0), Handling::TaskCancel, revision, &id, None);
                }
            }
        }
        self.complete(handle, Err(error));
    }
    /// A call is over: what was to be asked about its task is not asked any more.
    pub(crate) fn unfollow(&mut self, task: &AsTask) {
        self.disarm(task.poll);
        self.complete(task.asking, Err(CallError::Cancelled));
    }
}
