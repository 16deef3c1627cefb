//! The flat form of what a machine wants: one text, and records that point into it.
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::fmt::Write as _;

use base64ct::{Base64, Encoding};

use crate::{
    RequestHandle,
    audit::AuditRecord,
    error::{CallError, Fault},
    event::{Event, InputAnswers, Related, Request},
    json::Payload,
    jsonrpc::{envelope::Span, write},
    method::Handling,
    time::Instant,
    trace::{TraceKind, TraceRecord},
};

/// What a [`Record`] is. The numbers and names are stable and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum Code {
    /// Message channels only: one message to send. Texts: the message. `handle`: the request or call it belongs to,
    /// `number`: 0 none, 1 a request, 2 a call.
    Send = 1,
    /// Byte streams only: bytes to write, whole lines. Texts: the bytes.
    Output = 2,
    /// The peer is known. Texts: revision, peer's info, its capabilities, instructions (raw JSON).
    Ready = 10,
    /// Answer it with `respond`. `handle`: the request; `related`: a sum of [`UNCHECKED`], [`TOOL_CALL`] and [`TASK`].
    /// Texts: method, revision, name, params, arguments, `_meta`; of a `resources/read` whose URI a template matches, the
    /// template and what its variables stand for, a JSON object in which percent-encoding is kept.
    Request = 11,
    /// A request is over. `handle`: the request. Texts: the reason (`over.cancelled`…).
    Over = 12,
    /// The outcome of a call. `handle`: the call; `number`: 1 if it came from the cache. Texts: the result, raw;
    /// its `resultType`, where that is an extension's.
    Completed = 13,
    /// The outcome of a call that failed. `handle`: the call; `number`: the peer's error code for `call.rpc`.
    /// Texts: the code (`call.timeout`…), a message for a person, `data` (raw JSON, `call.rpc`).
    /// `related`: for `call.closed`, 1 if the peer may have seen the call.
    Failed = 14,
    /// Progress of a call. `handle`: the call. Texts: the notice's params.
    Progress = 15,
    /// A question for the client's application. `handle`: the input; `related`: the call, or 0. Texts: method, params, the id of the
    /// task that it runs as.
    Input = 16,
    /// A question is over. `handle`: the input.
    InputOver = 17,
    /// A notice. `related`: the call, or 0. Texts: method, params.
    Notification = 18,
    /// The peer broke a rule. `number`: the error code that was replied, or 0. Texts: code, page of the spec, detail.
    Fault = 19,
    /// There is room again.
    Writable = 20,
    /// The end. Texts: the reason (`close.peer`…).
    Closed = 21,
    /// The first subscriber of a resource came, or the last one went. `number`: 1 watched from now on, 0 no longer. Texts:
    /// the URI.
    Watched = 22,
    /// A call became a task, or the state of its task changed. `handle`: the call. Texts: the `Task` object, a text for the
    /// model (a JSON string), both raw.
    Task = 23,
    /// A subscription is in force. `handle`: the call; `number`: 1 if it was interrupted and changes may have been missed.
    /// Texts: the filter that is honoured, the part of it that is not (raw JSON).
    Subscribed = 24,
    /// What the client answered to `respond_input_required`; comes right before the [`Code::Request`] that it belongs to.
    /// `handle`: the request; `number`: the round; `related`: the request of the round before, or 0. Texts: the answers (a
    /// JSON object by key), the state (base64), the keys without an answer for good (a JSON object by key, each with
    /// `code`, and `error` as the client sent it), the nonce of the state (hexadecimal), the `elicitationId`s (a JSON
    /// object by key).
    Answers = 25,
    /// A record of the trace ([`crate::trace`]). `number`: 0 a message received, 1 one sent, 2 a command, 3 an event, 4 the
    /// deadline; `handle`: nanoseconds; `related`: what it is about. Texts: the message (arguments of a command, payload of
    /// an event), its revision, the name, the outcome, the whole record as one line of JSON.
    Trace = 30,
    /// A record of the audit ([`crate::audit`]). `number`: the round; `handle`: nanoseconds, when it ended; `related`:
    /// nanoseconds that it took. Texts: `request` or `input`, method, name, outcome, principal, revision.
    Audit = 31,
}

/// In `related` of a [`Code::Request`]: the arguments were not checked against a schema that the tool has.
pub const UNCHECKED: u64 = 1;
/// In `related` of a [`Code::Request`]: it calls a tool, so hosts need not know the method's name.
pub const TOOL_CALL: u64 = 2;
/// In `related` of a [`Code::Request`]: it runs as a task, whose id `task_of` tells.
pub const TASK: u64 = 4;

/// One record. Which fields and texts it uses is said at its [`Code`]. A text that is absent is `(0, 0)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Record {
    /// A [`Code`].
    pub code: u32,
    /// A small number.
    pub number: i64,
    /// What it is about.
    pub handle: u64,
    /// What that belongs to; 0 = none.
    pub related: u64,
    /// Ranges of [`Batch::text`].
    pub texts: [(u32, u32); 8],
}

/// What came out of one drain.
#[derive(Debug, Default)]
pub struct Batch {
    /// UTF-8. Its first byte is a space that belongs to no text.
    pub text: String,
    /// In order.
    pub records: Vec<Record>,
    /// The next deadline after it.
    pub timeout: Option<Instant>,
    /// Stopped at the bound: drain again.
    pub more: bool,
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl Batch {
    /// Empties it for another drain; its capacity stays.
    pub fn clear(&mut self) {
        self.text.clear();
        self.text.push(' ');
        self.records.clear();
        self.timeout = None;
        self.more = false;
    }
    /// Counts the ranges in UTF-16 code units, as JavaScript does. After it they no longer fit [`text`](Self::text).
    pub fn to_utf16(&mut self) {
        if self.text.is_ascii() {
            return;
        }
        let mut ends: Vec<&mut u32> = self
            .records
            .iter_mut()
            .flat_map(|record| &mut record.texts)
            .flat_map(|(start, end)| [start, end])
            .collect();
        ends.sort_unstable_by_key(|end| **end);
        let mut ends = ends.into_iter().peekable();
        let (mut bytes, mut units) = (0, 0);
        for character in self.text.chars() {
            while let Some(end) = ends.next_if(|end| **end <= bytes) {
                *end = units;
            }
            bytes += offset(character.len_utf8());
            units += offset(character.len_utf16());
        }
        for end in ends {
            *end = units;
        }
    }
    /// The text of a range; `None` for one that is absent.
    pub fn text(&self, (start, end): (u32, u32)) -> Option<&str> {
        if start == 0 { None } else { self.text.get(start as usize..end as usize) }
    }

    fn put(&mut self, text: &str) -> (u32, u32) {
        let start = self.text.len();
        self.text.push_str(text);
        (offset(start), offset(self.text.len()))
    }
    fn put_some(&mut self, payload: Option<&Payload>) -> (u32, u32) {
        payload.map_or((0, 0), |payload| self.put(payload.as_str()))
    }
    fn push<const N: usize>(&mut self, code: Code, handle: u64, texts: [(u32, u32); N]) {
        self.push_more(code, 0, handle, 0, texts);
    }
    fn push_more<const N: usize>(
        &mut self,
        code: Code,
        number: i64,
        handle: u64,
        related: u64,
        texts: [(u32, u32); N],
    ) {
        let mut record = Record { code: code as u32, number, handle, related, ..Record::default() };
        for (to, from) in record.texts.iter_mut().zip(texts) {
            *to = from;
        }
        self.records.push(record);
    }

    pub(super) fn send(&mut self, message: &str, related: Related) {
        let (number, handle) = match related {
            Related::Session => (0, 0),
            Related::Request(request) => (1, request.as_u64()),
            Related::Call(call) => (2, call.as_u64()),
        };
        let text = self.put(message);
        self.push_more(Code::Send, number, handle, 0, [text]);
    }
    pub(super) fn output(&mut self, lines: impl FnOnce(&mut String)) {
        let start = self.text.len();
        lines(&mut self.text);
        let end = self.text.len();
        if end > start {
            self.push(Code::Output, 0, [(offset(start), offset(end))]);
        }
    }
    pub(super) fn trace(&mut self, record: &TraceRecord) {
        let number = match record.kind {
            TraceKind::Received => 0,
            TraceKind::Sent => 1,
            TraceKind::Command => 2,
            TraceKind::Event => 3,
            TraceKind::Timer => 4,
        };
        let revision = record.revision.map_or((0, 0), |revision| self.put(revision.name()));
        let mut said = |text: &str| if text.is_empty() { (0, 0) } else { self.put(text) };
        let texts = [
            said(&record.text),
            revision,
            said(&record.name),
            said(&record.outcome),
            said(&record.to_json()),
        ];
        self.push_more(Code::Trace, number, record.at.as_nanos(), record.handle, texts);
    }
    pub(super) fn audit(&mut self, record: &AuditRecord) {
        let texts = [
            self.put(record.kind.name()),
            self.put(&record.method),
            record.name.as_ref().map_or((0, 0), |name| self.put(name)),
            self.put(&record.outcome),
            record.principal.as_ref().map_or((0, 0), |principal| self.put(principal)),
            record.revision.map_or((0, 0), |revision| self.put(revision.name())),
        ];
        let duration = u64::try_from(record.duration.as_nanos()).unwrap_or(u64::MAX);
        self.push_more(Code::Audit, i64::from(record.round), record.at.as_nanos(), duration, texts);
    }
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::Ready(ready) => {
                let texts = [
                    self.put(ready.revision),
                    self.put_some(ready.peer.as_ref()),
                    self.put_some(ready.capabilities.as_ref()),
                    self.put_some(ready.instructions.as_ref()),
                ];
                self.push(Code::Ready, 0, texts);
            }
            Event::Request(request) => {
                if let Some(input) = request.input() {
                    self.answers(request, input);
                }
                self.request(request);
            }
            Event::Over { request, reason } => {
                let reason = self.put(reason.code());
                self.push(Code::Over, request.as_u64(), [reason]);
            }
            Event::Completed { call, outcome: Ok(completion) } => {
                let result = self.put(completion.result.as_str());
                let kind = completion.kind.as_deref().map_or((0, 0), |kind| self.put(kind));
                let cached = i64::from(completion.cached);
                self.push_more(Code::Completed, cached, call.as_u64(), 0, [result, kind]);
            }
            Event::Completed { call, outcome: Err(error) } => self.failed(call.as_u64(), error),
            Event::Subscribed(subscribed) => {
                let texts = [self.put(subscribed.filter.as_str()), self.put(subscribed.missing.as_str())];
                let again = i64::from(subscribed.again);
                self.push_more(Code::Subscribed, again, subscribed.call.as_u64(), 0, texts);
            }
            Event::Progress { call, params } => {
                let params = self.put(params.as_str());
                self.push(Code::Progress, call.as_u64(), [params]);
            }
            Event::Input(input) => {
                let task = input.task().map_or((0, 0), |task| self.put(task));
                let texts = [self.put(input.method), self.put_some(input.params.as_ref()), task];
                let call = input.call.map_or(0, super::super::CallHandle::as_u64);
                self.push_more(Code::Input, 0, input.input.as_u64(), call, texts);
            }
            Event::Task { call, task, immediate } => {
                let texts = [self.put(task.as_str()), self.put_some(immediate.as_ref())];
                self.push(Code::Task, call.as_u64(), texts);
            }
            Event::InputOver { input } => self.push(Code::InputOver, input.as_u64(), []),
            Event::Notification { call, method, params } => {
                let texts = [self.put(&method.name()), self.put_some(params.as_ref())];
                let call = call.map_or(0, super::super::CallHandle::as_u64);
                self.push_more(Code::Notification, 0, 0, call, texts);
            }
            Event::Watched { uri, wanted } => {
                let uri = self.put(uri);
                self.push_more(Code::Watched, i64::from(*wanted), 0, 0, [uri]);
            }
            Event::Fault(fault) => self.fault(fault),
            Event::Writable => self.push(Code::Writable, 0, []),
            Event::Closed(reason) => {
                let reason = self.put(reason.code());
                self.push(Code::Closed, 0, [reason]);
            }
        }
    }
    fn request(&mut self, request: &Request) {
        let method = self.put(&request.method().name());
        let revision = self.put(request.revision().name());
        let name = request.name().map_or((0, 0), |name| self.put(&name));
        let params = self.put_some(request.params().as_ref());
        // Arguments and `_meta` lie in the params, which are here already.
        let within = |span: Span| {
            let shift = |at: u32| at.checked_sub(request.params.0).map(|at| params.0.saturating_add(at));
            match (span, shift(span.0), shift(span.1)) {
                ((0, 0), ..) | (_, None, _) | (.., None) => (0, 0),
                (_, Some(start), Some(end)) => (start, end),
            }
        };
        let (arguments, meta) = (within(request.arguments), within(request.meta));
        let template = request.template().map_or((0, 0), |template| self.put(template));
        let variables = request.variables().map_or((0, 0), |variables| self.put(variables.get()));
        let texts = [method, revision, name, params, arguments, meta, template, variables];
        let calls_tool = request.method.is_some_and(|id| id.row().handling == Handling::CallTool);
        let flags = if request.unchecked() { UNCHECKED } else { 0 }
            + if calls_tool { TOOL_CALL } else { 0 }
            + if request.task().is_some() { TASK } else { 0 };
        self.push_more(Code::Request, 0, request.handle().as_u64(), flags, texts);
    }
    fn answers(&mut self, request: &Request, input: &InputAnswers) {
        let answers = self.object(&input.answers, |out, answer| write::json(out, answer.as_json()));
        let state = input.state.as_ref().map_or((0, 0), |state| self.put(&Base64::encode_string(state)));
        let failed = self.object(&input.failed, |out, error| {
            out.push_str("{\"code\":");
            write::string(out, error.code());
            if let CallError::Rpc(error) = error {
                let _ = write!(out, ",\"error\":{{\"code\":{},\"message\":", error.code);
                write::json(out, error.message.as_json());
                if let Some(data) = &error.data {
                    out.push_str(",\"data\":");
                    write::json(out, data.as_json());
                }
                out.push('}');
            }
            out.push('}');
        });
        let nonce = input.nonce.map(|nonce| format!("{:032x}", u128::from_be_bytes(nonce)));
        let nonce = nonce.map_or((0, 0), |nonce| self.put(&nonce));
        let elicitations = self.object(&input.elicitations, |out, id| write::string(out, id));
        let (round, previous) = (i64::from(request.round()), input.previous.map_or(0, RequestHandle::as_u64));
        let texts = [answers, state, failed, nonce, elicitations];
        self.push_more(Code::Answers, round, request.handle().as_u64(), previous, texts);
    }
    /// A JSON object of these members.
    fn object<T>(&mut self, members: &[(Box<str>, T)], value: impl Fn(&mut String, &T)) -> (u32, u32) {
        let start = self.text.len();
        self.text.push('{');
        for (key, member) in members {
            if !self.text.ends_with('{') {
                self.text.push(',');
            }
            write::string(&mut self.text, key);
            self.text.push(':');
            value(&mut self.text, member);
        }
        self.text.push('}');
        (offset(start), offset(self.text.len()))
    }
    fn failed(&mut self, call: u64, error: &CallError) {
        let code = self.put(error.code());
        let (number, related) = match error {
            CallError::Rpc(error) => (error.code, 0),
            CallError::Closed { delivered } => (0, u64::from(*delivered)),
            _ => (0, 0),
        };
        let (message, data) = match error {
            CallError::Rpc(error) => {
                let message = self.put(&error.message.as_json().as_str().unwrap_or_default());
                (message, self.put_some(error.data.as_ref()))
            }
            error => (self.put(&alloc::format!("{error}")), (0, 0)),
        };
        self.push_more(Code::Failed, number, call, related, [code, message, data]);
    }
    fn fault(&mut self, fault: &Fault) {
        let texts = [self.put(fault.code), self.put(fault.page), self.put(&fault.detail)];
        self.push_more(Code::Fault, fault.replied.map_or(0, i64::from), 0, 0, texts);
    }
}
