//! What bindings map from: one crossing for a batch, numbers and text instead of enums, one error type.
//!
//! A binding holds a [`ServerConnection`] or a [`ClientConnection`], gives it the facts and commands of its host, and
//! after each of them takes [`drain`](ServerConnection::drain). Every entry is wrapped: a panic in the engine is a bug,
//! is caught here (feature `std`), and poisons the connection, so that every later entry says `engine.failed`.
use alloc::{string::String, vec::Vec};

use crate::time::Instant;

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
    /// Answer it with `respond`. `handle`: the request; `number`: the round; `related`: a sum of [`UNCHECKED`] and
    /// [`TOOL_CALL`]. Texts: method, revision, name, params, arguments, `_meta`.
    Request = 11,
    /// A request is over. `handle`: the request. Texts: the reason (`over.cancelled`…).
    Over = 12,
    /// The outcome of a call. `handle`: the call; `number`: 1 if it came from the cache. Texts: the result, raw.
    Completed = 13,
    /// The outcome of a call that failed. `handle`: the call; `number`: the peer's error code for `call.rpc`.
    /// Texts: the code (`call.timeout`…), a message for a person, `data` (raw JSON, `call.rpc`).
    /// `related`: for `call.closed`, 1 if the peer may have seen the call.
    Failed = 14,
    /// Progress of a call. `handle`: the call. Texts: the notice's params.
    Progress = 15,
    /// A question for the client's application. `handle`: the input; `related`: the call, or 0. Texts: method, params.
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
    /// A message of the trace. `number`: 0 received, 1 sent; `handle`: nanoseconds. Texts: the message, its revision.
    Trace = 30,
}

/// In `related` of a [`Code::Request`]: the arguments were not checked against a schema that the tool has.
pub const UNCHECKED: u64 = 1;
/// In `related` of a [`Code::Request`]: it calls a tool, so hosts need not know the method's name.
pub const TOOL_CALL: u64 = 2;

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
    pub texts: [(u32, u32); 6],
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

impl Batch {
    /// The same ranges counted in UTF-16 code units, as JavaScript counts.
    pub fn to_utf16(&mut self) {
        todo!()
    }
    /// The text of a range.
    pub fn text(&self, range: (u32, u32)) -> Option<&str> {
        let _ = range;
        todo!()
    }
}

/// Why an entry was refused: the code and text of a `SendError` or `ConfigError`, or `engine.failed`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbedError {
    /// The stable code.
    pub code: &'static str,
    /// For a person.
    pub message: String,
}

/// How a binding's host carries messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// A byte stream, one message a line: `handle_data` in, [`Code::Output`] out.
    Stream,
    /// Whole messages: `handle_message` in, [`Code::Send`] out.
    Messages,
}

/// A server on one channel, for a binding.
pub struct ServerConnection(());

/// A client on one channel, for a binding.
pub struct ClientConnection(());

/// Options of one call, in the units of every host language.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Milliseconds without a sign of life.
    pub silence_ms: Option<u64>,
    /// Milliseconds in all.
    pub total_ms: Option<u64>,
    /// Ask for progress.
    pub progress: bool,
    /// Modern: the wanted log level (`debug`…).
    pub log_level: Option<&'a str>,
    /// Members for `_meta`: a JSON object.
    pub meta: Option<&'a [u8]>,
}

type Answer<T = ()> = Result<T, EmbedError>;

macro_rules! both_roles {
    ($($name:ident),*) => { $( impl $name {
        /// Bytes of a [`Channel::Stream`]. `now` is in nanoseconds, here and below.
        pub fn handle_data(&mut self, now: u64, data: &[u8]) -> Answer { let _ = (now, data); todo!() }
        /// One message of a [`Channel::Messages`].
        pub fn handle_message(&mut self, now: u64, message: &[u8]) -> Answer { let _ = (now, message); todo!() }
        /// The peer says no more, but still reads.
        pub fn handle_eof(&mut self, now: u64) -> Answer { let _ = now; todo!() }
        /// Nothing can be written any more.
        pub fn handle_closed(&mut self, now: u64) -> Answer { let _ = now; todo!() }
        /// Fires what is due.
        pub fn handle_timeout(&mut self, now: u64) -> Answer { let _ = now; todo!() }
        /// The next deadline in nanoseconds.
        pub fn next_timeout(&self) -> Option<u64> { todo!() }
        /// False while more input should stay in the pipe.
        pub fn wants_read(&self) -> bool { todo!() }
        /// Everything was taken and `Closed` was delivered: the host may close the channel and go.
        pub fn is_over(&self) -> bool { todo!() }
        /// Takes what is to be done: at most about `max_bytes` of text (at least one record, if there is one). Output
        /// of a stream comes as one [`Code::Output`] record, first.
        pub fn drain(&mut self, max_bytes: usize, batch: &mut Batch) -> Answer { let _ = (max_bytes, batch); todo!() }
        /// As `drain`, but leaves what is to be sent queued, where the limits count it: for hosts that take it only while
        /// their pipe has room.
        pub fn drain_events(&mut self, max_bytes: usize, batch: &mut Batch) -> Answer { let _ = (max_bytes, batch); todo!() }
        /// Appends whole lines, one for each message, on either kind of channel, to `out` until it holds `max_bytes` (at
        /// least one, if there is one), and returns how many bytes remain queued. Taking and writing is one critical
        /// section of the host.
        pub fn take_output(&mut self, max_bytes: usize, out: &mut Vec<u8>) -> Answer<usize> { let _ = (max_bytes, out); todo!() }
        /// Starts a request to the peer. `params`: a JSON object.
        pub fn call(&mut self, now: u64, method: &str, params: Option<&[u8]>, options: Options<'_>) -> Answer<u64> { let _ = (now, method, params, options); todo!() }
        /// Takes a call back.
        pub fn cancel(&mut self, now: u64, call: u64, reason: Option<&str>) -> Answer { let _ = (now, call, reason); todo!() }
        /// Sends a notice that belongs to no request.
        pub fn notify(&mut self, now: u64, method: &str, params: Option<&[u8]>) -> Answer { let _ = (now, method, params); todo!() }
        /// Refuses new work, lets what runs finish for `drain_ms`, then ends.
        pub fn close(&mut self, now: u64, drain_ms: u64) -> Answer { let _ = (now, drain_ms); todo!() }
        /// Counters, as a JSON object.
        pub fn stats(&self) -> String { todo!() }
    } )* };
}
both_roles!(ServerConnection, ClientConnection);

impl ServerConnection {
    /// `config`: the JSON form of [`ServerConfig`](crate::session::ServerConfig).
    pub fn new(config: &[u8], seed: [u8; 32], channel: Channel) -> Answer<Self> {
        let _ = (config, seed, channel);
        todo!()
    }
    /// Answers with a result, a JSON object. `ttl_ms` and `public` are the cache hint of cacheable methods.
    pub fn respond(&mut self, now: u64, request: u64, result: &[u8], ttl_ms: u32, public: bool) -> Answer {
        let _ = (now, request, result, ttl_ms, public);
        todo!()
    }
    /// Answers with an error. `data`: any JSON value.
    pub fn respond_error(
        &mut self,
        now: u64,
        request: u64,
        code: i32,
        message: &str,
        data: Option<&[u8]>,
    ) -> Answer {
        let _ = (now, request, code, message, data);
        todo!()
    }
    /// Answers a `tools/call` whose handler failed: a tool result with `isError` and this text.
    pub fn respond_tool_error(&mut self, now: u64, request: u64, text: &str) -> Answer {
        let _ = (now, request, text);
        todo!()
    }
    /// Answers that the arguments do not fit, as the request's revision wants: a tool result with `isError`, or -32602.
    pub fn respond_invalid_arguments(&mut self, now: u64, request: u64, text: &str) -> Answer {
        let _ = (now, request, text);
        todo!()
    }
    /// Answers for a handler that failed in a way the peer need not know: -32603 with a neutral text.
    pub fn respond_internal_error(&mut self, now: u64, request: u64) -> Answer {
        let _ = (now, request);
        todo!()
    }
    /// Answers that the application does not offer what was asked for: -32601.
    pub fn respond_unsupported(&mut self, now: u64, request: u64) -> Answer {
        let _ = (now, request);
        todo!()
    }
    /// Progress of a live request. False: not sent (no token, or the value did not rise).
    pub fn progress(
        &mut self,
        now: u64,
        request: u64,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Answer<bool> {
        let _ = (now, request, progress, total, message);
        todo!()
    }
    /// A log notice for a live request, or for the session if `request` is 0. `data`: any JSON value. False: not sent.
    pub fn log(
        &mut self,
        now: u64,
        request: u64,
        level: &str,
        logger: Option<&str>,
        data: &[u8],
    ) -> Answer<bool> {
        let _ = (now, request, level, logger, data);
        todo!()
    }
    /// Replaces the catalog. `tools`: a JSON array of tool definitions.
    pub fn set_tools(&mut self, now: u64, tools: &[u8]) -> Answer {
        let _ = (now, tools);
        todo!()
    }
}

impl ClientConnection {
    /// `config`: the JSON form of [`ClientConfig`](crate::session::ClientConfig).
    pub fn new(config: &[u8], seed: [u8; 32], channel: Channel) -> Answer<Self> {
        let _ = (config, seed, channel);
        todo!()
    }
    /// Begins: probe, handshake, or nothing if the revision is remembered from an earlier `Ready`. [`Code::Ready`] or
    /// [`Code::Closed`] follows.
    pub fn start(&mut self, now: u64, remembered: Option<&str>) -> Answer {
        let _ = (now, remembered);
        todo!()
    }
    /// Answers a question with a result, a JSON object.
    pub fn answer(&mut self, now: u64, input: u64, result: &[u8]) -> Answer {
        let _ = (now, input, result);
        todo!()
    }
    /// Answers a question with an error: the application can't or won't.
    pub fn answer_error(&mut self, now: u64, input: u64, code: i32, message: &str) -> Answer {
        let _ = (now, input, code, message);
        todo!()
    }
    /// Answers a question that the application has no answer for: -32601.
    pub fn answer_unsupported(&mut self, now: u64, input: u64) -> Answer {
        let _ = (now, input);
        todo!()
    }
    /// Answers a question for an application that failed in a way the server need not know: -32603 with a neutral text.
    pub fn answer_internal_error(&mut self, now: u64, input: u64) -> Answer {
        let _ = (now, input);
        todo!()
    }
    /// Calls a tool, by the method that the revision has for it. `arguments`: a JSON object.
    pub fn call_tool(&mut self, now: u64, name: &str, arguments: Option<&[u8]>, options: Options<'_>) -> Answer<u64> {
        let _ = (now, name, arguments, options);
        todo!()
    }
    /// Asks for the first page of the tools, or for the one that the `nextCursor` of a page names.
    pub fn list_tools(&mut self, now: u64, cursor: Option<&str>, options: Options<'_>) -> Answer<u64> {
        let _ = (now, cursor, options);
        todo!()
    }
}
