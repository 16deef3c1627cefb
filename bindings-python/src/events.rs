//! What a connection tells its application, as small frozen classes.
use mcp_sansio::embed::{Batch, Code, Record, TASK, TOOL_CALL, UNCHECKED};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyString, PyTuple},
};

use crate::errors;

/// How a field looks in `repr`. Payloads do not show: they are large and may be private.
trait Shown {
    fn shown(&self) -> Option<String>;
}
impl Shown for u64 {
    fn shown(&self) -> Option<String> {
        Some(self.to_string())
    }
}
impl Shown for i64 {
    fn shown(&self) -> Option<String> {
        Some(self.to_string())
    }
}
impl Shown for bool {
    fn shown(&self) -> Option<String> {
        Some(if *self { "True" } else { "False" }.into())
    }
}
impl Shown for String {
    fn shown(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
}
impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> Option<String> {
        self.as_ref().map_or_else(|| Some("None".into()), Shown::shown)
    }
}
impl<T> Shown for Py<T> {
    fn shown(&self) -> Option<String> {
        None
    }
}

macro_rules! event {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "mcp_sansio.events")]
        pub struct $name { $($(#[$field_doc])* #[pyo3(get)] $field: $kind,)* }

        #[pymethods]
        impl $name {
            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
                let fields: [&str; event!(@count $($field)*)] = [$(stringify!($field),)*];
                PyTuple::new(py, fields)
            }
            fn __repr__(&self) -> String {
                let fields: [Option<(&str, String)>; event!(@count $($field)*)] =
                    [$(self.$field.shown().map(|value| (stringify!($field), value)),)*];
                let shown: Vec<_> = fields.into_iter().flatten().map(|(name, value)| format!("{name}={value}")).collect();
                format!("{}({})", stringify!($name), shown.join(", "))
            }
        }
    };
    (@count $($field:ident)*) => { 0 $(+ event!(@one $field))* };
    (@one $field:ident) => { 1 };
}

event! {
    /// The peer is known; calls may be made. A server never needs to wait for it.
    Ready {
        /// The revision of the protocol.
        revision: String,
        /// The peer's description of itself, JSON.
        peer: Option<Py<PyString>>,
        /// The peer's capabilities, JSON.
        capabilities: Option<Py<PyString>>,
        /// The server's instructions, a JSON string.
        instructions: Option<Py<PyString>>,
    }
}
event! {
    /// A request of the peer: answer it exactly once.
    Request {
        /// Whom to answer.
        handle: u64,
        /// Its method.
        method: String,
        /// The revision of this request.
        revision: String,
        /// The name of what is asked for: a tool's, for one.
        name: Option<String>,
        /// Its params, JSON.
        params: Option<Py<PyString>>,
        /// Its arguments, JSON.
        arguments: Option<Py<PyString>>,
        /// The `_meta` of its params, JSON.
        meta: Option<Py<PyString>>,
        /// The resource template that the URI matches.
        template: Option<String>,
        /// What the template's variables stand for, JSON; percent-encoding is kept.
        variables: Option<Py<PyString>>,
        /// 0 the first time; n after n rounds of questions.
        round: i64,
        /// The id of the task that it runs as.
        task: Option<String>,
        /// Whether it calls a tool.
        is_tool_call: bool,
        /// Whether the arguments are still to be checked against the tool's schema.
        unchecked: bool,
        /// The client's answers to the questions of the round before, a JSON object by key.
        answers: Option<Py<PyString>>,
        /// The state that was given with the questions.
        state: Option<Py<PyBytes>>,
        /// The keys without an answer for good, a JSON object.
        failed: Option<Py<PyString>>,
        /// The request of the round before, where it is known.
        previous: Option<u64>,
        /// Names the round whose state came back, in hexadecimal.
        nonce: Option<String>,
        /// The `elicitationId`s of questions that sent the user to a URL, a JSON object by key.
        elicitations: Option<Py<PyString>>,
    }
}
event! {
    /// A request that needs no answer any more.
    Over {
        /// Which.
        request: u64,
        /// `over.cancelled`, `over.closed`, `over.expired`, `over.input` or `over.handler_timeout`.
        reason: String,
    }
}
event! {
    /// The result of a call.
    Completed {
        /// Which call.
        call: u64,
        /// The result, JSON.
        result: Py<PyString>,
        /// Whether it was answered from the cache.
        cached: bool,
        /// Its `resultType`, where that is one of an extension.
        kind: Option<String>,
    }
}
event! {
    /// A call that has no result.
    Failed {
        /// Which call.
        call: u64,
        /// Why: a `CallError`, to be raised.
        error: Py<PyAny>,
    }
}
event! {
    /// Progress of a call; never after its outcome.
    Progress {
        /// Which call.
        call: u64,
        /// The notice's params, JSON.
        params: Py<PyString>,
    }
}
event! {
    /// A call became a task, or the state of its task changed.
    Task {
        /// Which call.
        call: u64,
        /// The `Task` object, JSON.
        state: Py<PyString>,
        /// A text that the model may be given at once, a JSON string.
        immediate: Option<Py<PyString>>,
    }
}
event! {
    /// A subscription is in force.
    Subscribed {
        /// Which call.
        call: u64,
        /// The filter that the server honours, JSON.
        filter: Py<PyString>,
        /// What was asked for beyond it, JSON.
        missing: Py<PyString>,
        /// Whether it was interrupted, so that changes may have been missed.
        again: bool,
    }
}
event! {
    /// A question to the client's application: answer it exactly once.
    Input {
        /// Whom to answer.
        handle: u64,
        /// The call that asks, where the wire tells.
        call: Option<u64>,
        /// Its method.
        method: String,
        /// Its params, JSON.
        params: Option<Py<PyString>>,
        /// The id of the task that it runs as.
        task: Option<String>,
    }
}
event! {
    /// A question that needs no answer any more.
    InputOver {
        /// Which.
        input: u64,
    }
}
event! {
    /// A notice of the peer that is not the engine's to handle.
    Notification {
        /// The call it belongs to.
        call: Option<u64>,
        /// Its method.
        method: String,
        /// Its params, JSON.
        params: Option<Py<PyString>>,
    }
}
event! {
    /// The first subscriber of a resource came, or the last one went.
    Watched {
        /// The resource.
        uri: String,
        /// Whether anyone listens from now on.
        wanted: bool,
    }
}
event! {
    /// What became of a request, or of a question to this application, without its payload; for a connection made with
    /// `audit`.
    Audit {
        /// `request` or `input`.
        kind: String,
        /// Its method.
        method: String,
        /// The tool, prompt, URI or task that it names.
        name: Option<String>,
        /// `ok`, `error:-32602`, `over.cancelled`…
        outcome: String,
        /// A digest of whom it was done for.
        principal: Option<String>,
        /// The revision that it was read in.
        revision: Option<String>,
        /// Rounds of input before it.
        round: i64,
        /// When it ended, in nanoseconds.
        at: u64,
        /// How long it took, in nanoseconds.
        duration: u64,
    }
}
event! {
    /// The peer broke a rule; the engine has dealt with it.
    Fault {
        /// A stable code, `fault.…`.
        code: String,
        /// The page of the specification whose rule it is.
        page: String,
        /// What to tell a developer.
        detail: String,
        /// The error code that was sent as answer.
        replied: Option<i64>,
    }
}
event! {
    /// There is room again after a command was `Blocked`.
    Writable {}
}
event! {
    /// The end; nothing follows.
    Closed {
        /// `close.local`, `close.peer`, `close.probe_closed`….
        reason: String,
    }
}
event! {
    /// A message of the conversation, for a connection made with `trace`.
    Trace {
        /// Sent by us, or received.
        sent: bool,
        /// When, in nanoseconds.
        at: u64,
        /// The message, JSON.
        message: Py<PyString>,
        /// Its revision, as far as known.
        revision: Option<String>,
    }
}

/// The texts of one record, in order.
struct Texts<'a> {
    batch: &'a Batch,
    ranges: std::array::IntoIter<(u32, u32), 8>,
}

impl<'a> Texts<'a> {
    fn new(batch: &'a Batch, record: &Record) -> Self {
        Self { batch, ranges: record.texts.into_iter() }
    }
    fn next(&mut self) -> Option<&'a str> {
        let range = self.ranges.next().filter(|range| *range != (0, 0))?;
        self.batch.text(range)
    }
    fn name(&mut self) -> Option<String> {
        self.next().map(Into::into)
    }
    fn code(&mut self) -> String {
        self.name().unwrap_or_default()
    }
    fn payload(&mut self, py: Python<'_>) -> Option<Py<PyString>> {
        self.next().map(|text| PyString::new(py, text).unbind())
    }
    fn required(&mut self, py: Python<'_>) -> Py<PyString> {
        PyString::new(py, self.next().unwrap_or_default()).unbind()
    }
}

/// What comes before the record of a request that was answered with questions.
#[derive(Default)]
struct Answered {
    round: i64,
    answers: Option<Py<PyString>>,
    state: Option<Py<PyBytes>>,
    failed: Option<Py<PyString>>,
    previous: Option<u64>,
    nonce: Option<String>,
    elicitations: Option<Py<PyString>>,
}

impl Answered {
    fn new(py: Python<'_>, batch: &Batch, record: &Record) -> PyResult<Self> {
        let mut texts = Texts::new(batch, record);
        let answers = texts.payload(py);
        let decode = |text: &str| -> PyResult<Py<PyBytes>> {
            Ok(py.import("base64")?.call_method1("b64decode", (text,))?.cast_into()?.unbind())
        };
        Ok(Self {
            round: record.number,
            answers,
            state: texts.next().map(decode).transpose()?,
            failed: texts.payload(py),
            previous: (record.related != 0).then_some(record.related),
            nonce: texts.name(),
            elicitations: texts.payload(py),
        })
    }
}

/// What records before and the engine say of those requests that need it.
struct OfRequests {
    answered: Option<Answered>,
    /// The tasks of those that run as one.
    tasks: std::vec::IntoIter<Option<String>>,
}

/// The Python object of a record; `None` for one that is no event.
fn event(
    py: Python<'_>,
    batch: &Batch,
    record: &Record,
    known: &mut OfRequests,
) -> PyResult<Option<Py<PyAny>>> {
    let mut texts = Texts::new(batch, record);
    let (subject, related) = (record.handle, record.related);
    let owner = (related != 0).then_some(related);
    let object = match record.code {
        code if code == Code::Ready as u32 => Py::new(
            py,
            Ready {
                revision: texts.code(),
                peer: texts.payload(py),
                capabilities: texts.payload(py),
                instructions: texts.payload(py),
            },
        )?
        .into_any(),
        code if code == Code::Answers as u32 => {
            known.answered = Some(Answered::new(py, batch, record)?);
            return Ok(None);
        }
        code if code == Code::Request as u32 => {
            let answered = known.answered.take().unwrap_or_default();
            let request = Request {
                handle: subject,
                method: texts.code(),
                revision: texts.code(),
                name: texts.name(),
                params: texts.payload(py),
                arguments: texts.payload(py),
                meta: texts.payload(py),
                template: texts.name(),
                variables: texts.payload(py),
                round: answered.round,
                task: if related & TASK == 0 { None } else { known.tasks.next().flatten() },
                is_tool_call: related & TOOL_CALL != 0,
                unchecked: related & UNCHECKED != 0,
                answers: answered.answers,
                state: answered.state,
                failed: answered.failed,
                previous: answered.previous,
                nonce: answered.nonce,
                elicitations: answered.elicitations,
            };
            Py::new(py, request)?.into_any()
        }
        code if code == Code::Over as u32 => {
            Py::new(py, Over { request: subject, reason: texts.code() })?.into_any()
        }
        code if code == Code::Completed as u32 => {
            let (result, kind) = (texts.required(py), texts.name());
            Py::new(py, Completed { call: subject, result, cached: record.number == 1, kind })?.into_any()
        }
        code if code == Code::Failed as u32 => {
            let (reason, message, data) =
                (texts.next().unwrap_or_default(), texts.next().unwrap_or_default(), texts.next());
            let error = errors::outcome(py, reason, message, record.number, data, related == 1)?;
            Py::new(py, Failed { call: subject, error })?.into_any()
        }
        code if code == Code::Progress as u32 => {
            Py::new(py, Progress { call: subject, params: texts.required(py) })?.into_any()
        }
        code if code == Code::Task as u32 => {
            let (state, immediate) = (texts.required(py), texts.payload(py));
            Py::new(py, Task { call: subject, state, immediate })?.into_any()
        }
        code if code == Code::Subscribed as u32 => {
            let (filter, missing) = (texts.required(py), texts.required(py));
            let again = record.number == 1;
            Py::new(py, Subscribed { call: subject, filter, missing, again })?.into_any()
        }
        code if code == Code::Watched as u32 => {
            Py::new(py, Watched { uri: texts.code(), wanted: record.number == 1 })?.into_any()
        }
        code if code == Code::Audit as u32 => {
            let audit = Audit {
                kind: texts.code(),
                method: texts.code(),
                name: texts.name(),
                outcome: texts.code(),
                principal: texts.name(),
                revision: texts.name(),
                round: record.number,
                at: subject,
                duration: related,
            };
            Py::new(py, audit)?.into_any()
        }
        code if code == Code::Input as u32 => {
            let (method, params, task) = (texts.code(), texts.payload(py), texts.name());
            let input = Input { handle: subject, call: owner, method, params, task };
            Py::new(py, input)?.into_any()
        }
        code if code == Code::InputOver as u32 => Py::new(py, InputOver { input: subject })?.into_any(),
        code if code == Code::Notification as u32 => {
            Py::new(py, Notification { call: owner, method: texts.code(), params: texts.payload(py) })?
                .into_any()
        }
        code if code == Code::Fault as u32 => {
            let replied = (record.number != 0).then_some(record.number);
            let fault = Fault { code: texts.code(), page: texts.code(), detail: texts.code(), replied };
            Py::new(py, fault)?.into_any()
        }
        code if code == Code::Writable as u32 => Py::new(py, Writable {})?.into_any(),
        code if code == Code::Closed as u32 => Py::new(py, Closed { reason: texts.code() })?.into_any(),
        // The class is for messages: commands, events and the deadline have none.
        code if code == Code::Trace as u32 && record.number <= 1 => {
            let (message, revision) = (texts.required(py), texts.name());
            Py::new(py, Trace { sent: record.number == 1, at: subject, message, revision })?.into_any()
        }
        _ => return Ok(None),
    };
    Ok(Some(object))
}

/// Appends the events of a batch, in order. `tasks` are the ids of those requests that run as tasks.
pub fn append(
    py: Python<'_>,
    batch: &Batch,
    tasks: Vec<Option<String>>,
    events: &mut Vec<Py<PyAny>>,
) -> PyResult<()> {
    let mut known = OfRequests { answered: None, tasks: tasks.into_iter() };
    for record in &batch.records {
        events.extend(event(py, batch, record, &mut known)?);
    }
    Ok(())
}
