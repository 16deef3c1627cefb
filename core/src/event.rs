//! What a machine tells the application, and how the application answers. One type for both roles.
use alloc::{borrow::Cow, boxed::Box, sync::Arc, vec::Vec};

use crate::{
    CallHandle, InputHandle, RequestHandle,
    error::{CallError, CloseReason, Fault, RpcError},
    json::{Json, Payload},
    jsonrpc::envelope::Span,
    method::MethodId,
    revision::Revision,
    time::Instant,
};

/// What is wanted of the host.
#[derive(Debug)]
#[non_exhaustive]
pub enum Action<'a> {
    /// Write this message. Borrowed from the machine's output buffer: copy it once, to where it goes.
    Send(Outgoing<'a>),
    /// Tell the application.
    Deliver(Event),
    /// Arm the timer, or disarm it. Last of a drain, and only if it changed since it was last said. Same as `next_timeout`.
    Timeout(Option<Instant>),
}

/// One JSON-RPC message (or one batch answer of 2025-03-26) without raw newlines and without a terminator.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outgoing<'a> {
    /// UTF-8 JSON.
    pub message: &'a str,
    /// What it belongs to; fixed when it was queued, so it stays right after the handle is over.
    pub related: Related,
}

/// What a message belongs to. Transports with one stream for each request route by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Related {
    /// To a request of the peer: its answer, progress, log, notices of a subscription, questions asked for it.
    Request(RequestHandle),
    /// To a call of ours: the request itself, its cancellation.
    Call(CallHandle),
    /// To none.
    Session,
}

/// Something for the application. 88 bytes at most, `Send`, owns what it holds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// The peer is known; calls may be made. A server never needs to wait for it: it is sent only after `initialize`. A
    /// client is told again if what it remembered of its server had to be found out anew.
    Ready(Box<Ready>),
    /// Answer it with `respond`, exactly once.
    Request(Request),
    /// A request will not be answered any more: the client cancelled, left, or ended its session. `respond` is harmless
    /// and has no effect. Of a request that waits for input it names the handle that was answered with
    /// [`Outcome::InputRequired`].
    Over {
        /// Which.
        request: RequestHandle,
        /// Why.
        reason: OverReason,
    },
    /// The one outcome of a call.
    Completed {
        /// Which.
        call: CallHandle,
        /// Its result, whole, or why there is none.
        outcome: Result<Completion, Box<CallError>>,
    },
    /// Progress of a call, in order, never after `Completed`.
    Progress {
        /// Which.
        call: CallHandle,
        /// The notice's params.
        params: Payload,
    },
    /// A call that was sent as a task became one, or the state of its task changed. `Completed` follows when the outcome
    /// is there.
    Task {
        /// Which.
        call: CallHandle,
        /// The `Task` object: `taskId`, `status`, `statusMessage`…
        task: Payload,
        /// A text that the model may be given at once, a JSON string, raw: `io.modelcontextprotocol/model-immediate-response`.
        immediate: Option<Payload>,
    },
    /// A question for the client's application: answer it with `answer`, exactly once.
    Input(Input),
    /// A question is over without an answer: its call ended, or the server took it back.
    InputOver {
        /// Which.
        input: InputHandle,
    },
    /// A subscription is in force.
    Subscribed(Box<Subscribed>),
    /// A notice that the engine does not consume itself.
    Notification {
        /// The call it belongs to: a subscription, a logging request.
        call: Option<CallHandle>,
        /// Method.
        method: Method,
        /// Params.
        params: Option<Payload>,
    },
    /// The first subscriber of a resource came, or the last one went. What nobody watches needn't be published.
    Watched {
        /// Its URI.
        uri: Box<str>,
        /// Watched from now on, or no longer.
        wanted: bool,
    },
    /// The peer broke a rule; the engine has dealt with it.
    Fault(Box<Fault>),
    /// There is room again after `Blocked`.
    Writable,
    /// The end.
    Closed(CloseReason),
}

const _: () = assert!(size_of::<Event>() <= 88, "events stay small");

impl Event {
    /// Bytes of the messages and parts of messages that it keeps alive.
    pub(crate) fn bytes(&self) -> usize {
        let of = |payload: &Option<Payload>| payload.as_ref().map_or(0, Payload::held);
        match self {
            Self::Request(request) => {
                request.buf.len() + request.input.as_ref().map_or(0, |input| input.bytes())
            }
            Self::Input(input) => of(&input.params),
            Self::Completed { outcome: Ok(completion), .. } => completion.result.held(),
            Self::Completed { outcome: Err(error), .. } => of_call_error(error),
            Self::Progress { params, .. } => params.held(),
            Self::Task { task, immediate, .. } => task.held() + of(immediate),
            Self::Subscribed(subscribed) => subscribed.filter.held() + subscribed.missing.held(),
            Self::Notification { method: Method::Other(name), params, .. } => name.held() + of(params),
            Self::Notification { params, .. } => of(params),
            Self::Watched { uri, .. } => uri.len(),
            Self::Fault(fault) => fault.cause.as_ref().map_or(0, of_rpc_error),
            _ => 0,
        }
    }
}

fn of_rpc_error(error: &RpcError) -> usize {
    error.message.held() + error.data.as_ref().map_or(0, Payload::held)
}

fn of_call_error(error: &CallError) -> usize {
    match error {
        CallError::Rpc(error) => of_rpc_error(error),
        _ => 0,
    }
}

/// A known method, or the text of an unknown one.
#[derive(Debug, Clone)]
pub enum Method {
    /// Row of the method table.
    Known(&'static str),
    /// As the peer wrote it: a JSON string, raw.
    Other(Payload),
}

impl Method {
    /// Its name.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Known(name) => Cow::Borrowed(name),
            Self::Other(raw) => raw.as_json().as_str().unwrap_or_default(),
        }
    }
}

/// Why a request is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverReason {
    /// `notifications/cancelled`, or the modern response stream was closed.
    Cancelled,
    /// The connection, session or machine ended.
    Closed,
    /// The client lacks what its questions need, or they were asked too often: the engine has answered the request.
    Input,
    /// `Limits::handler`; the engine has answered -32603.
    HandlerTimeout,
    /// The task that it ran was kept for as long as was promised.
    Expired,
}

impl OverReason {
    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Cancelled => "over.cancelled",
            Self::Closed => "over.closed",
            Self::Input => "over.input",
            Self::HandlerTimeout => "over.handler_timeout",
            Self::Expired => "over.expired",
        }
    }
}

/// A result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Completion {
    /// The `result` member, whole; of `list_all` one object with the items of all pages.
    pub result: Payload,
    /// Answered from the cache: no message was sent.
    pub cached: bool,
    /// The `resultType`, where it is one that a negotiated extension defines (`task`…). `None`: the result is complete.
    pub kind: Option<Box<str>>,
}

impl Completion {
    pub(crate) fn new(result: Payload) -> Self {
        Self { result, cached: false, kind: None }
    }
}

/// What a subscription is told of from now on: `basic/patterns/subscriptions` of 2026-07-28. Filters are objects with the
/// members `toolsListChanged`, `promptsListChanged`, `resourcesListChanged` (`true`) and `resourceSubscriptions` (URIs),
/// each left out where there is nothing of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Subscribed {
    /// The subscription.
    pub call: CallHandle,
    /// The filter that the server honours.
    pub filter: Payload,
    /// What was asked for beyond it and will not be told; `{}` if nothing.
    pub missing: Payload,
    /// It was in force before and was interrupted. What changed meanwhile is not told: read again what it is about.
    pub again: bool,
}

/// A handshake's or a discovery's outcome.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ready {
    /// The revision of the session (legacy), or that the client's calls carry (modern).
    pub revision: &'static str,
    /// `clientInfo` or `serverInfo`, raw.
    pub peer: Option<Payload>,
    /// The peer's capabilities, raw.
    pub capabilities: Option<Payload>,
    /// The server's instructions, a JSON string, raw.
    pub instructions: Option<Payload>,
}

/// A question for the client's application.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Input {
    /// Whom to answer.
    pub input: InputHandle,
    /// The call that asks, where the wire tells (modern: always; legacy HTTP: by its stream; legacy stdio: unknown).
    pub call: Option<CallHandle>,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'static str,
    /// Its params.
    pub params: Option<Payload>,
    pub(crate) task: Option<Box<TaskId>>,
}

impl Input {
    /// The id of the task that it runs as, if the server asked for one: it has been answered with the task, and its own
    /// answer is kept for the server to fetch.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref().map(TaskId::as_str)
    }
}

/// A request of the peer. One buffer, several views into it: reading one allocates nothing.
#[derive(Debug)]
pub struct Request {
    pub(crate) buf: Arc<str>,
    pub(crate) params: Span,
    /// What the method's row calls the name; of a method that the table lacks, the method.
    pub(crate) name: Span,
    pub(crate) arguments: Span,
    pub(crate) meta: Span,
    pub(crate) handle: RequestHandle,
    pub(crate) method: Option<MethodId>,
    pub(crate) revision: Revision,
    pub(crate) unchecked: bool,
    pub(crate) round: u8,
    pub(crate) input: Option<Box<InputAnswers>>,
    pub(crate) template: Option<Arc<TemplateMatch>>,
    pub(crate) task: Option<Box<TaskId>>,
}

/// The template of the catalog that the URI of a request matches.
#[derive(Debug)]
pub(crate) struct TemplateMatch {
    /// As the catalog has it.
    pub(crate) template: Box<str>,
    /// What its variables stand for, a JSON object.
    pub(crate) variables: Box<str>,
}

impl Request {
    fn part(&self, span: Span) -> Option<Payload> {
        (span != (0, 0)).then(|| Payload::new(Arc::clone(&self.buf), span))
    }
    /// Whom to answer.
    pub const fn handle(&self) -> RequestHandle {
        self.handle
    }
    /// `tools/call`…
    pub fn method(&self) -> Method {
        match self.method {
            Some(id) => Method::Known(id.row().name),
            None => Method::Other(Payload::new(Arc::clone(&self.buf), self.name)),
        }
    }
    /// The revision **of this request**; on a dual-era stream two requests can differ.
    pub const fn revision(&self) -> Revision {
        self.revision
    }
    /// All of `params`.
    pub fn params(&self) -> Option<Payload> {
        self.part(self.params)
    }
    /// `params.name`, `params.uri`…: what the method's row calls the name, decoded.
    pub fn name(&self) -> Option<Cow<'_, str>> {
        self.method?;
        let (start, end) = self.name;
        let raw = self.buf.get(start as usize..end as usize)?;
        crate::json::unescape(raw)
    }
    /// `params.arguments`, raw.
    pub fn arguments(&self) -> Option<Payload> {
        self.part(self.arguments)
    }
    /// The resource template of the catalog that the URI of a `resources/read` matches, as it was given. `None` for a
    /// resource that is listed itself, and where the catalog has no resources.
    pub fn template(&self) -> Option<&str> {
        self.template.as_ref().map(|found| &*found.template)
    }
    /// What the variables of that template stand for: an object of strings, of arrays of strings for lists, and of
    /// objects of strings for names with values. **Percent-encoding is kept**, so that no escape passes for a slash:
    /// [`percent_decode`](crate::uri::percent_decode) each once. Variables that are absent are missing.
    pub fn variables(&self) -> Option<Json<'_>> {
        self.template.as_ref().map(|found| Json::from_checked(&found.variables))
    }
    /// `params._meta`, raw.
    pub fn meta(&self) -> Option<Payload> {
        self.part(self.meta)
    }
    /// The id of the task that it runs as, if the client asked for one: it has been answered with the task, and the answer
    /// of `respond` is kept for the client to fetch (`basic/utilities/tasks` of 2025-11-25).
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref().map(TaskId::as_str)
    }
    /// Whether the tool has an input schema that this build does not check: the layer above checks the arguments before
    /// it calls the handler.
    pub const fn unchecked(&self) -> bool {
        self.unchecked
    }
    /// 0 the first time; n after n rounds of input. In the modern era only as far as the sealed state tells.
    pub const fn round(&self) -> u8 {
        self.round
    }
    /// What the client answered to the questions of the round before.
    pub fn input(&self) -> Option<&InputAnswers> {
        self.input.as_deref()
    }
}

/// What the client answered to [`Outcome::InputRequired`], in both eras.
#[derive(Debug)]
#[non_exhaustive]
pub struct InputAnswers {
    /// As it was given with the questions: made by this service, for this principal, method and arguments, and not
    /// expired. `None` if none was given.
    pub state: Option<Box<[u8]>>,
    /// Key and the client's *result*, in the order of the questions. A key that was not answered is missing: ask again.
    /// Keys that were not asked are left out, but for a modern client that sends answers without any state, whose questions
    /// nobody knows.
    pub answers: Vec<(Box<str>, Payload)>,
    /// Legacy: keys whose question ended in an error or in silence. Empty in the modern era, where such a key is missing.
    pub failed: Vec<(Box<str>, CallError)>,
    /// Legacy: the handle of the round before. `None` in the modern era.
    pub previous: Option<RequestHandle>,
    /// Modern: names the round whose state came back, once for each `InputRequired`. State can be presented more than once
    /// until it expires; a service that must take it only once keeps the nonces it has seen for `Limits::state_ttl`.
    pub nonce: Option<[u8; 16]>,
    /// 2025-11-25: key and `elicitationId` of the questions that sent the user to a URL, for
    /// `notifications/elicitation/complete`.
    pub elicitations: Vec<(Box<str>, Box<str>)>,
}

impl InputAnswers {
    /// Bytes that it keeps alive besides the request.
    fn bytes(&self) -> usize {
        let own = |payload: &Payload| if self.previous.is_some() { payload.held() } else { 0 };
        let answers = self.answers.iter().map(|(key, answer)| key.len() + own(answer));
        let failed = self.failed.iter().map(|(key, error)| key.len() + of_call_error(error));
        self.state.as_ref().map_or(0, |state| state.len()) + answers.chain(failed).sum::<usize>()
    }
}

/// A question to the client in the course of a request: `basic/patterns/mrtr`.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Its name within the request; answers have it again.
    pub key: &'a str,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'a str,
    /// Its params, an object.
    pub params: Option<Json<'a>>,
}

/// The name of one of our tasks: 16 bytes that nobody can guess, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId(pub(crate) [u8; 22]);

impl TaskId {
    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// What a message that an application starts is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// In the course of this request: goes where its answer will go.
    Request(RequestHandle),
    /// The one session of a message channel.
    Channel,
}

/// How a request is answered.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// Success. `result` is an object *without* `resultType`, `ttlMs`, `cacheScope`: the engine writes those as the
    /// revision wants, and refuses (`Invalid`) a result that already has them with other values.
    Result {
        /// The object.
        result: Json<'a>,
        /// For cacheable methods; else ignored. `None` = 0, private.
        cache: Option<CacheHint>,
    },
    /// A kind of result that an extension defines, which both sides declared: this server, and the client in this very
    /// request.
    Extension {
        /// Its `resultType`.
        result_type: &'a str,
        /// An object without `resultType`.
        result: Json<'a>,
    },
    /// Questions first: allowed on `tools/call`, `prompts/get` and `resources/read`, with at least one of the two members.
    /// The handle is over. The same request comes again as a new [`Event::Request`] with the answers in
    /// [`Request::input`], as often as `Limits::input_rounds` allows; or never, if a modern client does not retry. What the
    /// client can't be asked is answered by the engine, and [`Event::Over`] with [`OverReason::Input`] follows.
    InputRequired {
        /// At most `Limits::input_questions`, with different keys.
        questions: &'a [Question<'a>],
        /// Anything that the handler wants to see again, at most `Limits::state_bytes`. It passes through a modern client:
        /// it can't be changed there, nor used for another request or principal or after `Limits::state_ttl`, but it is
        /// **not encrypted** and can be presented more than once.
        state: Option<&'a [u8]>,
    },
    /// Failure. An application's own codes lie outside -32768…-32000; of those only the ones that the revision defines for
    /// it are taken: JSON-RPC's, -32002, -32042 with `elicitations` and -32021 with `requiredCapabilities` in its data, and up to 2025-11-25
    /// -32019…-32000. Codes of other revisions are mapped.
    Error {
        /// Code.
        code: i32,
        /// Message.
        message: &'a str,
        /// Data.
        data: Option<Json<'a>>,
    },
}

/// How long and by whom a result may be kept: `server/utilities/caching` of 2026-07-28.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheHint {
    /// Milliseconds.
    pub ttl_ms: u32,
    /// For everyone, or for this authorization context only.
    #[serde(default)]
    pub public: bool,
}
