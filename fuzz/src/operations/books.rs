//! What a host knows of what is in flight at its end.
use std::collections::BTreeMap;

use mcp_sansio::{
    error::{CallError, SendError},
    event::{Completion, Event},
    time::Instant,
};
use serde_json::Value;

use super::setup::json;
use crate::host::{Channel, Handles};

/// What had an effect, and how often.
#[derive(Debug, Default, Clone)]
pub struct Reached(pub BTreeMap<&'static str, u64>);

impl Reached {
    pub fn note(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
    pub fn add(&mut self, other: &Self) {
        for (what, count) in &other.0 {
            *self.0.entry(what).or_default() += count;
        }
    }
}

/// A call that an end made.
#[derive(Debug)]
pub struct Made {
    /// What its result says again.
    pub token: Option<String>,
    pub progress: bool,
    pub last: f64,
    pub as_task: bool,
    pub subscription: bool,
    /// Its progress begins anew with each page.
    pub pages: bool,
}

/// One end: its machine, and what its application has to do with it.
pub struct Host<C> {
    pub machine: C,
    pub calls: Handles,
    pub made: BTreeMap<u64, Made>,
    /// Requests, or questions.
    pub asked: Handles,
    pub polls: bool,
    pub writes: bool,
    pub ready: bool,
    pub closed: bool,
    /// Nothing arrives any more.
    pub deaf: bool,
    blocked: bool,
}

impl<C: Channel> Host<C> {
    pub fn new(machine: C) -> Self {
        Self {
            machine,
            calls: Handles::default(),
            made: BTreeMap::new(),
            asked: Handles::default(),
            polls: true,
            writes: true,
            ready: false,
            closed: false,
            deaf: false,
            blocked: false,
        }
    }
    pub fn timeout(&mut self, now: Instant) {
        self.machine.timeout(now);
        let next = self.machine.deadline();
        assert!(next.is_none_or(|at| at > now), "at {now:?} what is due stays due: {next:?}");
    }
    /// The next event, after what holds for those of both roles.
    pub fn event(&mut self, strict: bool, reached: &mut Reached) -> Option<Event> {
        let event = self.machine.event()?;
        assert!(!self.closed, "{event:?} after `Closed`");
        match &event {
            Event::Ready(_) => {
                assert!(!self.ready, "`Ready` twice");
                self.ready = true;
            }
            Event::Completed { call, outcome } => {
                self.calls.end(call.as_u64());
                let made = self.made.remove(&call.as_u64()).expect("a call that was made");
                Self::completed(&made, outcome, strict, reached);
            }
            Event::Progress { call, params } => {
                reached.note("progress arrived");
                let made = self.made.get_mut(&call.as_u64());
                let made = made.unwrap_or_else(|| panic!("{call:?} is over: {}", params.as_str()));
                assert!(made.progress, "progress unasked");
                let progress = params.as_json().member("progress").and_then(|n| n.get().parse().ok());
                let progress: f64 = progress.expect("a number");
                assert!(!strict || made.pages || progress > made.last, "progress fell to {progress}");
                made.last = progress;
            }
            Event::Task { call, .. } => {
                reached.note("task told");
                let made = self.made.get(&call.as_u64()).expect("a task of a live call");
                assert!(made.as_task, "a task unasked");
            }
            Event::Writable => {
                assert!(self.blocked, "`Writable` without `Blocked`");
                self.blocked = false;
                reached.note("writable again");
            }
            Event::Fault(_) => reached.note("fault"),
            Event::Closed(_) => {
                self.closed = true;
                assert_eq!(self.asked.oldest(), None, "a request had no end");
                assert_eq!(self.calls.oldest(), None, "a call had no outcome");
            }
            _ => {}
        }
        Some(event)
    }
    fn completed(
        made: &Made,
        outcome: &Result<Completion, Box<CallError>>,
        strict: bool,
        reached: &mut Reached,
    ) {
        let said = match outcome {
            Ok(completion) => {
                reached.note(if completion.cached { "result kept" } else { "result" });
                if completion.kind.is_some() {
                    reached.note("extension arrived");
                }
                let result: Value = completion.result.decode().expect("JSON");
                ["n", "model"].iter().find_map(|key| result[*key].as_str().map(String::from)).or_else(|| {
                    let text = result["content"]["to"].as_str().or(result["content"][0]["text"].as_str());
                    text.filter(|text| text.starts_with("n:")).map(String::from)
                })
            }
            Err(error) => {
                reached.note(error.code());
                match &**error {
                    CallError::Rpc(error) => {
                        let message = error.message.as_json().as_str().unwrap_or_default();
                        message.starts_with("n:").then(|| message.into_owned())
                    }
                    CallError::InvalidResult(fault) if strict && fault.code != "fault.list" => {
                        panic!("our own answer is not valid: {}", fault.detail)
                    }
                    _ => None,
                }
            }
        };
        if let (Some(said), Some(token), true) = (said, &made.token, strict) {
            assert_eq!(said, *token, "the answer of another call");
            reached.note("answer checked");
        }
    }
    /// The books after a command that starts something.
    pub fn did<T>(&mut self, done: Result<T, SendError>, reached: &mut Reached) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(error) => {
                reached.note(error.code());
                self.blocked |= error == SendError::Blocked;
                assert_ne!(error, SendError::UnknownHandle);
                None
            }
        }
    }
    /// The books after an answer.
    pub fn answered(&mut self, handle: u64, outcome: &Result<(), SendError>, reached: &mut Reached) {
        let live = self.asked.0.get(&handle).copied();
        if let Err(error) = outcome {
            reached.note(error.code());
        }
        match (live, outcome) {
            (Some(true), Ok(()) | Err(SendError::TooLarge)) => self.asked.end(handle),
            // Its end waits in the queue.
            (Some(true), Err(SendError::Over)) => assert!(!self.closed),
            (
                Some(true),
                Err(
                    SendError::Invalid(_)
                    | SendError::NotInRevision
                    | SendError::MissingCapability(_)
                    | SendError::OutputMismatch(_),
                ),
            )
            | (Some(false), Err(SendError::Over | SendError::Invalid(_) | SendError::NotInRevision)) => {}
            (live, outcome) => panic!("{outcome:?} for the handle {handle}, live: {live:?}"),
        }
    }
    /// One of those that are live.
    pub fn pick(&self, number: u8) -> Option<u64> {
        pick(&self.asked, number)
    }
    pub fn pick_call(&self, number: u8) -> Option<u64> {
        pick(&self.calls, number)
    }
    /// At the end nothing is left, and nothing happens any more.
    pub fn end(&mut self, now: Instant) {
        assert!(self.closed, "no `Closed`");
        assert_eq!(self.machine.deadline(), None, "a timer outlived the machine");
        for (name, value) in self.machine.counters().values() {
            assert!(!name.ends_with("_now") || value == 0, "{name} is {value}");
        }
        self.machine.data(now, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        self.machine.eof(now);
        self.machine.timeout(now);
        assert!(self.machine.event().is_none());
        assert_eq!(self.machine.held(), 0, "bytes outlived the machine");
        assert!(self.machine.is_over());
    }
}

fn pick(handles: &Handles, number: u8) -> Option<u64> {
    let live: Vec<u64> = handles.0.iter().filter(|(_, live)| **live).map(|(&handle, _)| handle).collect();
    (!live.is_empty()).then(|| live[usize::from(number) % live.len()])
}

/// The text of a member of an object in an object of a message.
pub fn text(params: Option<&mcp_sansio::json::Payload>, path: &[&str]) -> Option<String> {
    let params = params.map_or(json("{}"), mcp_sansio::json::Payload::as_json);
    path.iter().try_fold(params, |value, key| value.member(key))?.as_str().map(std::borrow::Cow::into_owned)
}
