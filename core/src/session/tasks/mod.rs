//! Tasks that requests of the peer became: `basic/utilities/tasks` of 2025-11-25. The same for both roles.
pub(super) mod follow;
pub(super) mod receive;

use alloc::{boxed::Box, collections::BTreeMap, string::String};

use base64ct::{Base64UrlUnpadded, Encoding};

use super::{
    engine::{Engine, Wire},
    meta,
    principal::Principal,
    requests::Received,
    table::Table,
    timers::{Arming, Timer},
};
use crate::{
    error::SendError,
    event::{OverReason, Related, TaskId},
    json::Json,
    jsonrpc::{
        code,
        write::{self, ErrorId, Stamp},
    },
    method::{self, Handling, MethodKind, RateClass},
    revision::Revision,
    time,
};

/// The page on tasks.
pub(crate) const TASKS: &str = "basic/utilities/tasks";
/// What a role that takes tasks and was given no clock says.
pub(crate) const NEEDS_CLOCK: &str =
    "tasks are dated, so the capability `tasks.requests` needs the wall clock; give it with `with_clock`";

/// Bytes of a `statusMessage`.
const LONGEST_MESSAGE: usize = 1024;

impl TaskId {
    pub(crate) fn new(drawn: [u8; 16]) -> Self {
        let mut text = [b'A'; 22];
        // 16 bytes fit into 22 digits.
        let _ = Base64UrlUnpadded::encode(&drawn, &mut text);
        Self(text)
    }
    fn from_text(text: &str) -> Option<Self> {
        text.as_bytes().try_into().ok().map(Self)
    }
}

/// What a request of the peer has to do with a task.
#[derive(Debug)]
pub(crate) enum Part {
    /// Its outcome is that of a task of ours.
    Runs(TaskId),
    /// It is answered when a task of ours has ended.
    Awaits(TaskId),
    /// It is asked for a task of the peer, whose id is this JSON string.
    Serves(Box<str>),
}

impl Part {
    /// The member of `_meta` that every message about a task has.
    pub(crate) fn related(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Runs(id) | Self::Awaits(id) => related(&mut out, |out| write::string(out, id.as_str())),
            Self::Serves(id) => related(&mut out, |out| out.push_str(id)),
        }
        out
    }
}

fn related(out: &mut String, id: impl FnOnce(&mut String)) {
    out.push('"');
    out.push_str(meta::RELATED_TASK);
    out.push_str("\":{\"taskId\":");
    id(out);
    out.push('}');
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

impl Status {
    const fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
    const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

fn kept(value: Json<'_>) -> Box<str> {
    let mut text = String::new();
    write::json(&mut text, value);
    text.into()
}

/// The outcome of a request, kept until its task expires.
#[derive(Debug)]
pub(crate) enum Kept {
    Result(Box<str>),
    Error { code: i32, message: Box<str>, data: Option<Box<str>> },
}

impl Kept {
    pub(crate) fn result(result: Json<'_>) -> Self {
        Self::Result(kept(result))
    }
    pub(crate) fn error_with(code: i32, message: &str, data: Option<Json<'_>>) -> Self {
        Self::Error { code, message: message.into(), data: data.map(kept) }
    }
    pub(crate) fn error(code: i32, message: &str) -> Self {
        Self::error_with(code, message, None)
    }
    /// The answer to the request itself.
    pub(crate) fn write_plain(&self, out: &mut String, id: &str) {
        match self {
            Self::Result(text) => write::result(out, id, Json::from_checked(text), &Stamp::default()),
            Self::Error { code, message, data } => {
                let data = data.as_deref().map(Json::from_checked);
                write::error(out, ErrorId::Id(id), *code, message, data);
            }
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Self::Result(text) => text.len(),
            Self::Error { message, data, .. } => message.len() + data.as_ref().map_or(0, |data| data.len()),
        }
    }
    /// What it makes of the task, and why, where it failed.
    fn verdict(&self, is_tool: bool) -> (Status, Option<Box<str>>) {
        match self {
            Self::Error { message, .. } => (Status::Failed, bounded(message)),
            Self::Result(text) => {
                let result = Json::from_checked(text);
                if !is_tool || result.member("isError").is_none_or(|flag| flag.get() != "true") {
                    return (Status::Completed, None);
                }
                let mut blocks = result.member("content").into_iter().flat_map(Json::elements);
                let why = blocks.find_map(|block| block.member("text").and_then(Json::as_str));
                (Status::Failed, why.and_then(|why| bounded(&why)))
            }
        }
    }
    /// The answer to `tasks/result`: what the request itself would have been answered with.
    fn write(&self, out: &mut String, id: &str, task: &TaskId) {
        match self {
            Self::Result(text) => {
                let meta = Part::Runs(*task).related();
                let stamp = Stamp { meta: Some(&meta), ..Stamp::default() };
                write::result(out, id, Json::from_checked(text), &stamp);
            }
            Self::Error { code, message, data } => {
                let data = data.as_deref().map(Json::from_checked);
                write::error(out, ErrorId::Id(id), *code, message, data);
            }
        }
    }
}

/// The message, cut where it is too long; none if it is empty.
fn bounded(message: &str) -> Option<Box<str>> {
    let mut end = message.len().min(LONGEST_MESSAGE);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message.get(..end).filter(|message| !message.is_empty()).map(Into::into)
}

#[derive(Debug)]
struct Task {
    id: TaskId,
    owner: Principal,
    revision: Revision,
    /// The request whose outcome it is, until it has one.
    request: u64,
    status: Status,
    message: Option<Box<str>>,
    /// Milliseconds since 1970.
    created: u64,
    updated: u64,
    /// Milliseconds.
    ttl: u64,
    timer: Arming,
    outcome: Option<Kept>,
}

impl Task {
    fn bytes(&self) -> usize {
        self.outcome.as_ref().map_or(0, Kept::bytes) + self.message.as_ref().map_or(0, |text| text.len())
    }
    /// The members of a `Task`.
    fn write(&self, out: &mut String, poll_millis: u64) {
        out.push_str("\"taskId\":\"");
        out.push_str(self.id.as_str());
        out.push_str("\",\"status\":\"");
        out.push_str(self.status.name());
        out.push('"');
        if let Some(message) = &self.message {
            out.push_str(",\"statusMessage\":");
            write::string(out, message);
        }
        out.push_str(",\"createdAt\":\"");
        time::date(out, self.created);
        out.push_str("\",\"lastUpdatedAt\":\"");
        time::date(out, self.updated);
        out.push_str("\",\"ttl\":");
        write::integer(out, self.ttl);
        out.push_str(",\"pollInterval\":");
        write::integer(out, poll_millis);
    }
}

/// The table of them: found by serial number, and by id.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    table: Table<Task>,
    by_id: BTreeMap<TaskId, u64>,
    last: u64,
    bytes: usize,
    /// Whether the peer is told when a state changes.
    pub(crate) notices: bool,
}

impl Tasks {
    /// Bytes of what is kept.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
    pub(crate) fn is_armed(&self, serial: u64, arming: Arming) -> bool {
        self.table.get(serial).is_some_and(|task| task.timer == arming)
    }
    pub(crate) fn clear(&mut self) {
        *self = Self { notices: self.notices, last: self.last, ..Self::default() };
    }
    fn push(&mut self, task: Task) -> u64 {
        self.last += 1;
        self.by_id.insert(task.id, self.last);
        self.table.push(self.last, task);
        self.last
    }
    fn remove(&mut self, serial: u64) -> Option<Task> {
        let task = self.table.remove(serial)?;
        self.by_id.remove(&task.id);
        self.bytes = self.bytes.saturating_sub(task.bytes());
        Some(task)
    }
    /// Changes one and counts what it keeps.
    fn change(&mut self, serial: u64, change: impl FnOnce(&mut Task)) {
        let Some(task) = self.table.get_mut(serial) else { return };
        let before = task.bytes();
        change(task);
        self.bytes = (self.bytes + task.bytes()).saturating_sub(before);
    }
    fn serial(&self, id: &TaskId) -> Option<u64> {
        self.by_id.get(id).copied()
    }
    /// The task that a requestor names: another's is as unknown as one that never was.
    fn find(&self, id: &str, owner: Principal) -> Option<(u64, &Task)> {
        let serial = self.serial(&TaskId::from_text(id)?)?;
        self.table.get(serial).filter(|task| task.owner == owner).map(|task| (serial, task))
    }
}

impl Engine {
    /// Milliseconds since 1970, as far as the host said.
    pub(crate) fn unix_millis(&self) -> Option<u64> {
        self.clock.map(|clock| clock.unix_millis(self.now))
    }
    fn poll_millis(&self) -> u64 {
        millis(self.limits.task_poll)
    }
    /// The task that a live request runs.
    pub(crate) fn run_by(&self, request: u64) -> Option<u64> {
        match self.requests.get(request)?.part.as_deref()? {
            Part::Runs(id) => self.tasks.serial(id),
            _ => None,
        }
    }
    /// The id of the task that a live request runs.
    pub(crate) fn task_of(&self, request: u64) -> Option<&str> {
        match self.requests.get(request)?.part.as_deref()? {
            Part::Runs(id) => Some(id.as_str()),
            _ => None,
        }
    }
    /// The `_meta` member of messages that belong to this request; empty where no task has to do with it.
    pub(crate) fn related_task(&self, request: u64) -> String {
        let part = self.requests.get(request).and_then(|request| request.part.as_deref());
        part.map(Part::related).unwrap_or_default()
    }

    /// Makes a task of a request that was just admitted. `ttl` in milliseconds.
    fn create_task(
        &mut self,
        (request, revision): (u64, Revision),
        id: TaskId,
        owner: Principal,
        ttl: Option<u64>,
        now: u64,
    ) -> u64 {
        let most = millis(self.limits.task_ttl);
        let ttl = ttl.map_or(most, |ttl| ttl.min(most));
        self.part_in(request, Part::Runs(id));
        let serial = self.tasks.push(Task {
            id,
            owner,
            revision,
            request,
            status: Status::Working,
            message: None,
            created: now,
            updated: now,
            ttl,
            timer: 0,
            outcome: None,
        });
        let expiry = self.now.after(core::time::Duration::from_millis(ttl));
        let timer = self.timers.arm(expiry, Timer::Task(serial));
        self.tasks.change(serial, |task| task.timer = timer);
        self.stats.tasks += 1;
        self.stats.tasks_now += 1;
        serial
    }
    /// The outcome of a request that runs as a task, by the application.
    pub(crate) fn finish_task(&mut self, request: u64, kept: Kept) -> Result<(), SendError> {
        let Some(serial) = self.run_by(request) else { return Err(self.gone(request)) };
        let Some(request) = self.take_request(request) else { return Err(SendError::Over) };
        let fits = kept.bytes() <= self.limits.message_bytes
            && self.retained() + kept.bytes() <= self.limits.session_bytes;
        let kept =
            if fits { kept } else { Kept::error(code::INTERNAL_ERROR, "The result is too large to keep") };
        self.end_task_of(&request, serial, kept);
        if fits { Ok(()) } else { Err(SendError::TooLarge) }
    }
    /// The same of one that was taken out already.
    pub(crate) fn end_task_of(&mut self, request: &Received, serial: u64, kept: Kept) {
        let is_tool = request.method.is_some_and(|id| id.row().handling == Handling::CallTool);
        let (status, message) = kept.verdict(is_tool);
        self.end_task(serial, status, message, kept);
    }
    /// A request that runs as a task is delivered again, under another handle. The id of the task.
    pub(crate) fn run_again(&mut self, serial: u64, handle: u64) -> Option<TaskId> {
        self.tasks.change(serial, |task| task.request = handle);
        self.tasks.table.get(serial).map(|task| task.id)
    }
    /// Takes a task back for the peer.
    fn cancel_task(&mut self, serial: u64) {
        let Some(request) = self.tasks.table.get(serial).map(|task| task.request) else { return };
        let kept = Kept::error(code::INVALID_PARAMS, "The task was cancelled");
        self.end_task(serial, Status::Cancelled, None, kept);
        self.stats.cancelled += 1;
        self.over(request, OverReason::Cancelled);
    }
    fn end_task(&mut self, serial: u64, status: Status, message: Option<Box<str>>, kept: Kept) {
        self.move_task(serial, status, message);
        let Some(id) = self.tasks.table.get(serial).map(|task| task.id) else { return };
        self.answer_waiting(&id, &kept);
        self.tasks.change(serial, |task| task.outcome = Some(kept));
    }
    /// Answers the requests that wait for the outcome of a task. What they ask for, and how often, is the peer's doing.
    fn answer_waiting(&mut self, id: &TaskId, kept: &Kept) {
        let awaits =
            |request: &Received| matches!(request.part.as_deref(), Some(Part::Awaits(of)) if of == id);
        let waiting: smallvec::SmallVec<[u64; 4]> =
            self.requests.iter().filter_map(|(handle, request)| awaits(request).then_some(handle)).collect();
        for handle in waiting {
            let related = self.related(handle);
            let Some(request) = self.take_request(handle) else { continue };
            let wire = Wire { revision: Some(request.revision) };
            let token = request.id();
            let _ = self.answer(request.reply, related, true, wire, token, |out| kept.write(out, token, id));
        }
    }
    /// Another status or message; what has ended stays as it is.
    fn move_task(&mut self, serial: u64, status: Status, message: Option<Box<str>>) {
        let now = self.unix_millis();
        let Some(task) = self.tasks.table.get(serial) else { return };
        if task.status.is_terminal() || task.status == status && task.message == message {
            return;
        }
        self.tasks.change(serial, |task| {
            task.status = status;
            task.message = message;
            // The clock may have been set back.
            task.updated = now.unwrap_or_default().max(task.updated);
        });
        self.tell_status(serial);
    }
    /// Says the state of a task if there is room: nobody may rely on it.
    fn tell_status(&mut self, serial: u64) {
        if !self.tasks.notices || self.outbox.bytes() >= self.limits.output_bytes {
            return;
        }
        let Some(owner) = self.tasks.table.get(serial).map(|task| task.owner) else { return };
        if self.meter(owner, RateClass::NoticesOut).is_err() {
            return;
        }
        let poll = self.poll_millis();
        let Some(task) = self.tasks.table.get(serial) else { return };
        let wire = Wire { revision: Some(task.revision) };
        let row = method::with_handling(Handling::TaskStatus, self.side, task.revision);
        let Some(row) = row.filter(|row| row.row().kind == MethodKind::Notification) else { return };
        let mut params = String::from("{");
        task.write(&mut params, poll);
        params.push('}');
        let _ = self.send(Related::Session, false, wire, |out| {
            write::notification(out, row.row().name, Some(Json::from_checked(&params)));
        });
    }
    /// What the application says about a task that runs.
    pub(crate) fn say_task(&mut self, request: u64, message: &str) -> Result<(), SendError> {
        let live = self.requests.get(request).filter(|request| !request.engine_owned());
        if live.is_none() {
            return Err(self.gone(request));
        }
        let Some((serial, task)) =
            self.run_by(request).and_then(|serial| self.tasks.table.get(serial).map(|task| (serial, task)))
        else {
            return Err(SendError::Invalid("this request is no task"));
        };
        self.move_task(serial, task.status, bounded(message));
        Ok(())
    }
    /// `call` is a question for the task that `request` runs, if it runs one: until it is answered the task needs input.
    pub(crate) fn ask_for(&mut self, request: u64, call: u64) {
        if let Some(serial) = self.run_by(request)
            && let Some(call) = self.calls.get_mut(call)
        {
            call.asked_for = request;
            self.task_input(serial, true);
        }
    }
    /// A question for what `request` runs is over.
    pub(crate) fn asked(&mut self, request: u64) {
        let open = self.calls.iter().any(|(_, call)| call.asked_for == request);
        if let Some(serial) = self.run_by(request) {
            self.task_input(serial, open);
        }
    }
    fn task_input(&mut self, serial: u64, required: bool) {
        let status = if required { Status::InputRequired } else { Status::Working };
        let message = self.tasks.table.get(serial).and_then(|task| task.message.clone());
        self.move_task(serial, status, message);
    }
    fn drop_task(&mut self, serial: u64) -> Option<Task> {
        let task = self.tasks.remove(serial)?;
        self.stats.tasks_now = self.stats.tasks_now.saturating_sub(1);
        self.disarm(task.timer);
        Some(task)
    }
    /// A task has been kept long enough.
    pub(crate) fn expire_task(&mut self, serial: u64) {
        self.tasks.change(serial, |task| task.timer = 0);
        let Some(task) = self.drop_task(serial) else { return };
        if !task.status.is_terminal() {
            self.answer_waiting(&task.id, &Kept::error(code::INVALID_PARAMS, receive::NOT_FOUND));
            self.over(task.request, OverReason::Expired);
        }
    }
    /// Nobody can ask for outcomes any more: what nobody waits for already is over.
    pub(crate) fn abandon_tasks(&mut self) {
        let awaited = |id: &TaskId| {
            let of =
                |request: &Received| matches!(request.part.as_deref(), Some(Part::Awaits(of)) if of == id);
            self.requests.iter().any(|(_, request)| of(request))
        };
        let alone = self.tasks.table.iter().filter(|(_, task)| !awaited(&task.id));
        let serials: smallvec::SmallVec<[u64; 4]> = alone.map(|(serial, _)| serial).collect();
        for serial in serials {
            let Some(task) = self.drop_task(serial) else { continue };
            if !task.status.is_terminal() {
                self.over(task.request, OverReason::Closed);
            }
        }
    }
}

fn millis(duration: core::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn another_principal_finds_nothing() {
        let (ada, bob) = (Principal::named("ada").unwrap(), Principal::named("bob").unwrap());
        let id = TaskId::new([7; 16]);
        let mut tasks = Tasks::default();
        let serial = tasks.push(Task {
            id,
            owner: ada,
            revision: Revision::V2025_11_25,
            request: 1,
            status: Status::Working,
            message: None,
            created: 0,
            updated: 0,
            ttl: 0,
            timer: 0,
            outcome: None,
        });
        assert_eq!(tasks.find(id.as_str(), ada).map(|(serial, _)| serial), Some(serial));
        assert!(tasks.find(id.as_str(), bob).is_none());
        assert!(tasks.find(id.as_str(), Principal::default()).is_none());
    }
}
