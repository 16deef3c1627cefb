//! What bindings map from: one crossing for a batch, numbers and text instead of enums, one error type.
//!
//! A binding holds a [`ServerConnection`] or a [`ClientConnection`], gives it the facts and commands of its host, and
//! after each of them takes [`drain`](ServerConnection::drain). Every entry is wrapped: a panic in the engine is a bug,
//! is caught here (feature `std`), and poisons the connection, so that every later entry says `engine.failed`.
mod batch;

use alloc::{format, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

pub use batch::{Batch, Code, Record, TASK, TOOL_CALL, UNCHECKED};

#[cfg(feature = "schema")]
use crate::schema::Validator;
use crate::{
    CallHandle, InputHandle, RequestHandle, Seed,
    error::{ConfigError, SendError},
    event::{Action, CacheHint, Outcome, Question, Target},
    json::Json,
    jsonrpc::{code, write},
    method::{self, Handling, Side},
    session::{
        CallOptions, Catalog, Change, Client, ClientConfig, LogLevel, Server, ServerConfig,
        SubscriptionFilter, TaskOptions, role::Role,
    },
    stdio::Connection,
    time::{Instant, WallClock},
};

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

impl From<SendError> for EmbedError {
    fn from(error: SendError) -> Self {
        Self { code: error.code(), message: format!("{error}") }
    }
}

impl From<ConfigError> for EmbedError {
    fn from(error: ConfigError) -> Self {
        Self { code: error.code(), message: format!("{error}") }
    }
}

impl EmbedError {
    fn failed() -> Self {
        Self {
            code: "engine.failed",
            message: String::from("the engine failed, and this connection with it"),
        }
    }
    fn wrong_channel(entry: &str) -> Self {
        Self { code: "send.invalid", message: format!("`{entry}` is for the other kind of channel") }
    }
}

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
    /// Send it as a task.
    pub task: Option<Task>,
    /// Ask the server, whatever the cache has.
    pub fresh: bool,
    /// The `outputSchema` of the tool that is called, a JSON object: a result that does not fit it ends the call with
    /// `call.invalid_result`. Without the feature `schema` it is not looked at.
    pub output_schema: Option<&'a [u8]>,
}

/// How a call is sent as a task: [`TaskOptions`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Task {
    /// Milliseconds that the peer is asked to keep it.
    pub ttl_ms: Option<u64>,
    /// Complete the call with the `CreateTaskResult`, instead of following the task to its outcome.
    pub detached: bool,
}

impl<'a> Options<'a> {
    fn parse(&self) -> Answer<CallOptions<'a>> {
        let level = match self.log_level {
            Some(name) => Some(self::level(name)?),
            None => None,
        };
        let duration = |millis: Option<u64>| millis.map(Duration::from_millis);
        let task = |task: Task| TaskOptions::new().ttl(duration(task.ttl_ms)).wait(!task.detached);
        Ok(CallOptions::new()
            .task(self.task.map(task))
            .timeouts(duration(self.silence_ms), duration(self.total_ms))
            .progress(self.progress)
            .log_level(level)
            .fresh(self.fresh)
            .meta(self.meta.map(|meta| json("meta", meta)).transpose()?))
    }
}

#[cfg(feature = "schema")]
impl Options<'_> {
    fn output(&self) -> Answer<Option<Arc<Validator>>> {
        let Some(schema) = self.output_schema else { return Ok(None) };
        let compiled = Validator::compile(json("output_schema", schema)?);
        compiled
            .map(|validator| Some(Arc::new(validator)))
            .map_err(|error| EmbedError { code: "send.invalid", message: format!("output_schema: {error}") })
    }
}

/// An error of a command that names a method, with the name where the error is about the method.
fn about(method: &str, error: SendError) -> EmbedError {
    let names_it = matches!(error, SendError::NotInRevision | SendError::MissingCapability(_));
    let plain = EmbedError::from(error);
    if names_it { EmbedError { message: format!("`{method}`: {}", plain.message), ..plain } } else { plain }
}

type Answer<T = ()> = Result<T, EmbedError>;

/// A value of the application.
fn json<'a>(what: &str, bytes: &'a [u8]) -> Answer<Json<'a>> {
    Json::parse(bytes)
        .map_err(|error| EmbedError { code: "send.invalid", message: format!("{what}: {error}") })
}

fn level(name: &str) -> Answer<LogLevel> {
    LogLevel::from_name(name).ok_or_else(|| EmbedError {
        code: "send.invalid",
        message: format!(
            "`{name}` is no log level: debug, info, notice, warning, error, critical, alert, emergency"
        ),
    })
}

/// A connection, until the engine fails in it.
struct Held<R> {
    connection: Connection<R>,
    channel: Channel,
    failed: bool,
}

impl<R: Role> Held<R> {
    fn new(role: R, channel: Channel) -> Self {
        Self { connection: Connection::new(role), channel, failed: false }
    }
    fn guard<T>(&mut self, entry: impl FnOnce(&mut Connection<R>) -> Answer<T>) -> Answer<T> {
        if self.failed {
            return Err(EmbedError::failed());
        }
        #[cfg(feature = "std")]
        {
            extern crate std;
            let connection = &mut self.connection;
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| entry(connection)));
            outcome.unwrap_or_else(|_| {
                self.failed = true;
                Err(EmbedError::failed())
            })
        }
        #[cfg(not(feature = "std"))]
        entry(&mut self.connection)
    }
    /// Fills the batch; without `output` what is to be sent stays queued.
    fn drain(&mut self, max_bytes: usize, output: bool, batch: &mut Batch) -> Answer {
        batch.clear();
        let (bytes, messages) =
            (output && self.channel == Channel::Stream, output && self.channel == Channel::Messages);
        self.guard(|connection| {
            if bytes {
                let engine = connection.role_mut().engine();
                batch.output(|out| engine.take_lines(max_bytes, |lines| out.push_str(lines)));
            }
            while (batch.text.len() < max_bytes || batch.records.is_empty())
                && Self::take_one(connection, messages, batch)
            {}
            batch.more = connection.has_events() || output && connection.has_output();
            batch.timeout = connection.next_timeout();
            Ok(())
        })
    }
    /// Takes one action or event, then records of the trace, then of the audit; false if there is nothing.
    fn take_one(connection: &mut Connection<R>, messages: bool, batch: &mut Batch) -> bool {
        let action =
            if messages { connection.poll_action() } else { connection.poll_event().map(Action::Deliver) };
        if let Some(action) = action {
            match action {
                Action::Send(message) => batch.send(message.message, message.related),
                Action::Deliver(event) => batch.event(&event),
                Action::Timeout(_) => {}
            }
            return true;
        }
        if let Some(record) = connection.poll_trace() {
            batch.trace(&record);
            return true;
        }
        let record = connection.poll_audit();
        record.inspect(|record| batch.audit(record)).is_some()
    }
}

/// A server on one channel, for a binding.
pub struct ServerConnection(Held<Server>);

/// A client on one channel, for a binding.
pub struct ClientConnection(Held<Client>);

macro_rules! both_roles {
    ($($name:ident),*) => { $( impl $name {
        /// Bytes of a [`Channel::Stream`]. `now` is in nanoseconds, here and below.
        pub fn handle_data(&mut self, now: u64, data: &[u8]) -> Answer {
            if self.0.channel != Channel::Stream {
                return Err(EmbedError::wrong_channel("handle_data"));
            }
            self.0.guard(|connection| {
                connection.handle_data(Instant::from_nanos(now), data);
                Ok(())
            })
        }
        /// One message of a [`Channel::Messages`].
        pub fn handle_message(&mut self, now: u64, message: &[u8]) -> Answer {
            if self.0.channel != Channel::Messages {
                return Err(EmbedError::wrong_channel("handle_message"));
            }
            self.0.guard(|connection| {
                connection.role_mut().handle_message(Instant::from_nanos(now), message);
                Ok(())
            })
        }
        /// The peer says no more, but still reads.
        pub fn handle_eof(&mut self, now: u64) -> Answer {
            self.0.guard(|connection| {
                connection.handle_eof(Instant::from_nanos(now));
                Ok(())
            })
        }
        /// Nothing can be written any more.
        pub fn handle_closed(&mut self, now: u64) -> Answer {
            self.0.guard(|connection| {
                connection.handle_closed(Instant::from_nanos(now));
                Ok(())
            })
        }
        /// Fires what is due.
        pub fn handle_timeout(&mut self, now: u64) -> Answer {
            self.0.guard(|connection| {
                connection.handle_timeout(Instant::from_nanos(now));
                Ok(())
            })
        }
        /// The next deadline in nanoseconds.
        pub fn next_timeout(&self) -> Option<u64> {
            self.0.connection.next_timeout().map(Instant::as_nanos)
        }
        /// False while more input should stay in the pipe.
        pub fn wants_read(&self) -> bool {
            self.0.connection.wants_read()
        }
        /// Everything was taken and `Closed` was delivered: the host may close the channel and go.
        pub fn is_over(&self) -> bool {
            self.0.failed || self.0.connection.is_over()
        }
        /// Takes what is to be done: at most about `max_bytes` of text (at least one record, if there is one). Output
        /// of a stream comes as one [`Code::Output`] record, first.
        pub fn drain(&mut self, max_bytes: usize, batch: &mut Batch) -> Answer {
            self.0.drain(max_bytes, true, batch)
        }
        /// As `drain`, but leaves what is to be sent queued, where the limits count it: for hosts that take it only while
        /// their pipe has room.
        pub fn drain_events(&mut self, max_bytes: usize, batch: &mut Batch) -> Answer {
            self.0.drain(max_bytes, false, batch)
        }
        /// Appends whole lines, one for each message, on either kind of channel, to `out` until it holds `max_bytes` (at
        /// least one, if there is one), and returns how many bytes remain queued. Taking and writing is one critical
        /// section of the host.
        pub fn take_output(&mut self, max_bytes: usize, out: &mut Vec<u8>) -> Answer<usize> {
            self.0.guard(|connection| Ok(connection.write_to(out, max_bytes)))
        }
        /// The wall clock: that it is so many milliseconds since 1970 now. Tasks need it before the conversation begins.
        pub fn set_wall_clock(&mut self, now: u64, unix_millis: u64) -> Answer {
            self.0.guard(|connection| {
                connection.role_mut().set_wall_clock(WallClock { at: Instant::from_nanos(now), unix_millis });
                Ok(())
            })
        }
        /// The id of the task that a live request or question runs as.
        pub fn task_of(&self, handle: u64) -> Option<&str> {
            self.0.connection.role().engine_ref().task_of(handle)
        }
        /// Takes a call back.
        pub fn cancel(&mut self, now: u64, call: u64, reason: Option<&str>) -> Answer {
            self.0.guard(|connection| {
                Ok(connection.cancel(Instant::from_nanos(now), CallHandle::from_u64(call), reason)?)
            })
        }
        /// Refuses new work, lets what runs finish for `drain_ms`, then ends.
        pub fn close(&mut self, now: u64, drain_ms: u64) -> Answer {
            self.0.guard(|connection| {
                connection.close(Instant::from_nanos(now), Duration::from_millis(drain_ms));
                Ok(())
            })
        }
        /// Counters, as a JSON object.
        pub fn stats(&self) -> String {
            let mut out = String::from("{");
            for (name, value) in self.0.connection.stats().values() {
                let comma = if out.len() > 1 { "," } else { "" };
                out.push_str(&format!("{comma}\"{name}\":{value}"));
            }
            out.push('}');
            out
        }
    } )* };
}
both_roles!(ServerConnection, ClientConnection);

impl ServerConnection {
    /// `config`: the JSON form of [`ServerConfig`]. `seed`: fresh entropy, never used twice.
    pub fn new(config: &[u8], seed: [u8; 32], channel: Channel) -> Answer<Self> {
        Self::new_for(config, seed, channel, None, &[])
    }
    /// As `new`, for a channel that belongs to a principal ([`Server::with_principal`]) and to one who is in these groups
    /// ([`Server::with_groups`]).
    pub fn new_for(
        config: &[u8],
        seed: [u8; 32],
        channel: Channel,
        principal: Option<&str>,
        groups: &[&str],
    ) -> Answer<Self> {
        let mut server = Server::new(Arc::new(ServerConfig::from_json(config)?), Seed(seed));
        if let Some(principal) = principal {
            server = server.with_principal(principal)?;
        }
        Ok(Self(Held::new(server.with_groups(groups.iter().copied()), channel)))
    }
    fn answer(&mut self, now: u64, request: u64, outcome: Outcome<'_>) -> Answer {
        self.0.guard(|connection| {
            Ok(connection.respond(Instant::from_nanos(now), RequestHandle::from_u64(request), outcome)?)
        })
    }
    /// Answers with a result, a JSON object. `ttl_ms` and `public` are the cache hint of cacheable methods.
    pub fn respond(&mut self, now: u64, request: u64, result: &[u8], ttl_ms: u32, public: bool) -> Answer {
        let result = json("result", result)?;
        self.answer(now, request, Outcome::Result { result, cache: Some(CacheHint { ttl_ms, public }) })
    }
    /// Answers with a result of a kind that a negotiated extension defines: its `resultType`, and an object without it.
    pub fn respond_extension(&mut self, now: u64, request: u64, result_type: &str, result: &[u8]) -> Answer {
        let result = json("result", result)?;
        self.answer(now, request, Outcome::Extension { result_type, result })
    }
    /// Answers with questions, the members of a JSON object `{"key": {"method": …, "params": …}}`, and with state that the
    /// handler wants to see again. The same request comes again, after a [`Code::Answers`].
    pub fn respond_input_required(
        &mut self,
        now: u64,
        request: u64,
        questions: &[u8],
        state: Option<&[u8]>,
    ) -> Answer {
        let asked = json("questions", questions)?;
        if !asked.is_object() {
            return Err(SendError::Invalid("questions are the members of a JSON object").into());
        }
        let parts: Vec<_> = asked
            .members()
            .map(|(key, question)| {
                let method = question.member("method").and_then(Json::as_str).unwrap_or_default();
                (Json::from_checked(key).as_str().unwrap_or_default(), method, question.member("params"))
            })
            .collect();
        let questions: Vec<_> =
            parts.iter().map(|(key, method, params)| Question { key, method, params: *params }).collect();
        self.answer(now, request, Outcome::InputRequired { questions: &questions, state })
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
        let data = data.map(|data| json("data", data)).transpose()?;
        self.answer(now, request, Outcome::Error { code, message, data })
    }
    /// Answers a `tools/call` whose handler failed: a tool result with `isError` and this text.
    pub fn respond_tool_error(&mut self, now: u64, request: u64, text: &str) -> Answer {
        self.0.guard(|connection| {
            let request = RequestHandle::from_u64(request);
            Ok(connection.respond_tool_error(Instant::from_nanos(now), request, text)?)
        })
    }
    /// Answers that the arguments do not fit, as the request's revision wants: a tool result with `isError`, or -32602.
    pub fn respond_invalid_arguments(&mut self, now: u64, request: u64, text: &str) -> Answer {
        self.0.guard(|connection| {
            let request = RequestHandle::from_u64(request);
            Ok(connection.respond_invalid_arguments(Instant::from_nanos(now), request, text)?)
        })
    }
    /// Answers that what the request names does not exist: a resource, a prompt, a tool.
    pub fn respond_not_found(&mut self, now: u64, request: u64) -> Answer {
        self.0.guard(|connection| {
            let request = RequestHandle::from_u64(request);
            Ok(connection.respond_not_found(Instant::from_nanos(now), request)?)
        })
    }
    /// Answers for a handler that failed in a way the peer need not know: -32603 with a neutral text.
    pub fn respond_internal_error(&mut self, now: u64, request: u64) -> Answer {
        self.answer(now, request, INTERNAL_ERROR)
    }
    /// Answers that the application does not offer what was asked for: -32601.
    pub fn respond_unsupported(&mut self, now: u64, request: u64) -> Answer {
        self.answer(now, request, UNSUPPORTED)
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
        self.0.guard(|connection| {
            let request = RequestHandle::from_u64(request);
            Ok(connection.progress(Instant::from_nanos(now), request, progress, total, message)?)
        })
    }
    /// Says how the task that a request runs as is getting on, for a person to read.
    pub fn task_status(&mut self, now: u64, request: u64, message: &str) -> Answer {
        self.0.guard(|connection| {
            let request = RequestHandle::from_u64(request);
            Ok(connection.task_status(Instant::from_nanos(now), request, message)?)
        })
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
        let level = self::level(level)?;
        let data = json("data", data)?;
        let target =
            if request == 0 { Target::Channel } else { Target::Request(RequestHandle::from_u64(request)) };
        self.0
            .guard(|connection| Ok(connection.log(Instant::from_nanos(now), target, level, logger, data)?))
    }
    /// Starts a request to the client, in the revisions where a server sends them. `params`: a JSON object.
    pub fn call(
        &mut self,
        now: u64,
        method: &str,
        params: Option<&[u8]>,
        options: Options<'_>,
    ) -> Answer<u64> {
        let params = params.map(|params| json("params", params)).transpose()?;
        let options = options.parse()?;
        self.0.guard(|connection| {
            let now = Instant::from_nanos(now);
            let call = connection.call(now, Target::Channel, method, params, options);
            Ok(call.map_err(|error| about(method, error))?.as_u64())
        })
    }
    /// Sends a notice that belongs to no request.
    pub fn notify(&mut self, now: u64, method: &str, params: Option<&[u8]>) -> Answer {
        let params = params.map(|params| json("params", params)).transpose()?;
        self.0.guard(|connection| {
            let sent = connection.notify(Instant::from_nanos(now), Target::Channel, method, params);
            sent.map_err(|error| about(method, error))
        })
    }
    /// Tells those who asked that something changed. `what`: `tools`, `prompts`, `resources` (the list) or `resource` (the
    /// content of `uri`, a part of `concerns` if that is given).
    pub fn publish(&mut self, now: u64, what: &str, uri: Option<&str>, concerns: Option<&str>) -> Answer {
        let change = match (what, uri) {
            ("tools", _) => Change::Tools,
            ("prompts", _) => Change::Prompts,
            ("resources", _) => Change::Resources,
            ("resource", Some(uri)) => Change::Resource { uri, concerns },
            _ => {
                let message =
                    String::from("a change is of `tools`, `prompts`, `resources`, or `resource` with a URI");
                return Err(EmbedError { code: "send.invalid", message });
            }
        };
        self.0.guard(|connection| {
            connection.publish(Instant::from_nanos(now), change);
            Ok(())
        })
    }
    /// Remarks on the catalog, a JSON array of objects with `code`, `place` and `text`: [`Catalog::lint`].
    pub fn lint(&self) -> String {
        let mut out = String::from("[");
        for lint in self.0.connection.role().catalog().into_iter().flat_map(|catalog| catalog.lint()) {
            for (opening, text) in
                [("{\"code\":", lint.code), (",\"place\":", &lint.place), (",\"text\":", &lint.text)]
            {
                if opening.starts_with('{') && out.len() > 1 {
                    out.push(',');
                }
                out.push_str(opening);
                write::string(&mut out, text);
            }
            out.push('}');
        }
        out.push(']');
        out
    }
    /// Replaces the catalog. `catalog`: its JSON form, [`Catalog::from_json`].
    pub fn set_catalog(&mut self, now: u64, catalog: &[u8]) -> Answer {
        let catalog = Arc::new(Catalog::from_json(catalog)?);
        self.0.guard(|connection| {
            connection.set_catalog(Instant::from_nanos(now), catalog);
            Ok(())
        })
    }
}

/// Says nothing of what went wrong inside.
const INTERNAL_ERROR: Outcome<'static> =
    Outcome::Error { code: code::INTERNAL_ERROR, message: "Internal error", data: None };
const UNSUPPORTED: Outcome<'static> =
    Outcome::Error { code: code::METHOD_NOT_FOUND, message: "Not offered here", data: None };

impl ClientConnection {
    /// `config`: the JSON form of [`ClientConfig`]. `seed`: fresh entropy, never used twice.
    pub fn new(config: &[u8], seed: [u8; 32], channel: Channel) -> Answer<Self> {
        let client = Client::new(Arc::new(ClientConfig::from_json(config)?), Seed(seed));
        Ok(Self(Held::new(client, channel)))
    }
    /// Begins: probe, handshake, or nothing if the revision is remembered from an earlier `Ready`. [`Code::Ready`] or
    /// [`Code::Closed`] follows.
    pub fn start(&mut self, now: u64, remembered: Option<&str>) -> Answer {
        self.0.guard(|connection| {
            connection.start(Instant::from_nanos(now), remembered);
            Ok(())
        })
    }
    fn reply(&mut self, now: u64, input: u64, outcome: Outcome<'_>) -> Answer {
        self.0.guard(|connection| {
            Ok(connection.answer(Instant::from_nanos(now), InputHandle::from_u64(input), outcome)?)
        })
    }
    /// Answers a question with a result, a JSON object.
    pub fn answer(&mut self, now: u64, input: u64, result: &[u8]) -> Answer {
        let result = json("result", result)?;
        self.reply(now, input, Outcome::Result { result, cache: None })
    }
    /// Answers a question with an error: the application can't or won't.
    pub fn answer_error(&mut self, now: u64, input: u64, code: i32, message: &str) -> Answer {
        self.reply(now, input, Outcome::Error { code, message, data: None })
    }
    /// Answers a question that the application has no answer for: -32601.
    pub fn answer_unsupported(&mut self, now: u64, input: u64) -> Answer {
        self.reply(now, input, UNSUPPORTED)
    }
    /// Answers a question for an application that failed in a way the server need not know: -32603 with a neutral text.
    pub fn answer_internal_error(&mut self, now: u64, input: u64) -> Answer {
        self.reply(now, input, INTERNAL_ERROR)
    }
    /// Progress of a question. False: not sent (no token, or the value did not rise).
    pub fn progress(
        &mut self,
        now: u64,
        input: u64,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Answer<bool> {
        self.0.guard(|connection| {
            let input = InputHandle::from_u64(input);
            Ok(connection.progress(Instant::from_nanos(now), input, progress, total, message)?)
        })
    }
    /// Says how the task that a question runs as is getting on, for a person to read.
    pub fn task_status(&mut self, now: u64, input: u64, message: &str) -> Answer {
        self.0.guard(|connection| {
            let input = InputHandle::from_u64(input);
            Ok(connection.task_status(Instant::from_nanos(now), input, message)?)
        })
    }
    /// Starts a request to the server. `params`: a JSON object.
    pub fn call(
        &mut self,
        now: u64,
        method: &str,
        params: Option<&[u8]>,
        options: Options<'_>,
    ) -> Answer<u64> {
        let params = params.map(|params| json("params", params)).transpose()?;
        #[cfg(feature = "schema")]
        let output = options.output()?;
        let options = options.parse()?;
        #[cfg(feature = "schema")]
        let options = options.output(output.as_ref());
        self.0.guard(|connection| {
            let call = connection.call(Instant::from_nanos(now), method, params, options);
            Ok(call.map_err(|error| about(method, error))?.as_u64())
        })
    }
    /// Starts a request for each page of a list, until it is whole. `params`: a JSON object without `cursor`.
    pub fn list_all(
        &mut self,
        now: u64,
        method: &str,
        params: Option<&[u8]>,
        options: Options<'_>,
    ) -> Answer<u64> {
        let params = params.map(|params| json("params", params)).transpose()?;
        let options = options.parse()?;
        self.0.guard(|connection| {
            let call = connection.list_all(Instant::from_nanos(now), method, params, options);
            Ok(call.map_err(|error| about(method, error))?.as_u64())
        })
    }
    /// Asks whether the server lives.
    pub fn probe(&mut self, now: u64) -> Answer<u64> {
        self.0.guard(|connection| Ok(connection.probe(Instant::from_nanos(now))?.as_u64()))
    }
    /// Subscribes to changes of the lists (`tools`, `prompts`, `resources`) and of the resources of these URIs.
    /// [`Code::Subscribed`] follows, and [`Code::Completed`] or [`Code::Failed`] when it is over for good.
    pub fn subscribe(
        &mut self,
        now: u64,
        tools: bool,
        prompts: bool,
        resources: bool,
        uris: &[&str],
    ) -> Answer<u64> {
        let filter = SubscriptionFilter { tools, prompts, resources, uris };
        self.0.guard(|connection| Ok(connection.subscribe(Instant::from_nanos(now), filter)?.as_u64()))
    }
    /// Whom calls are made for from now on; `None`: nobody in particular. Private results in the cache are another's.
    pub fn set_principal(&mut self, principal: Option<&str>) -> Answer {
        self.0.guard(|connection| Ok(connection.role_mut().set_principal(principal)?))
    }
    /// Sends a notice.
    pub fn notify(&mut self, now: u64, method: &str, params: Option<&[u8]>) -> Answer {
        let params = params.map(|params| json("params", params)).transpose()?;
        self.0.guard(|connection| {
            let sent = connection.notify(Instant::from_nanos(now), method, params);
            sent.map_err(|error| about(method, error))
        })
    }
    /// The name that the revision in use has for a purpose, so that bindings need not know it. `purpose`: `list_tools`,
    /// `list_resources`, `list_templates`, `list_prompts`, `read_resource`, `get_prompt` or `complete`.
    pub fn method_for(&self, purpose: &str) -> Answer<&'static str> {
        let handling = match purpose {
            "list_tools" => Handling::ListTools,
            "list_resources" => Handling::ListResources,
            "list_templates" => Handling::ListTemplates,
            "list_prompts" => Handling::ListPrompts,
            "read_resource" => Handling::ReadResource,
            "get_prompt" => Handling::GetPrompt,
            "complete" => Handling::Complete,
            _ => {
                let message = format!("`{purpose}` is no purpose of a request");
                return Err(EmbedError { code: "send.invalid", message });
            }
        };
        self.method(handling)
    }
    fn method(&self, handling: Handling) -> Answer<&'static str> {
        let revision = self.0.connection.role().revision().ok_or(SendError::NotReady)?;
        let id = method::with_handling(handling, Side::Client, revision).ok_or(SendError::NotInRevision)?;
        Ok(id.row().name)
    }
    /// Calls a tool, by the method that the revision has for it. `arguments`: a JSON object.
    pub fn call_tool(
        &mut self,
        now: u64,
        name: &str,
        arguments: Option<&[u8]>,
        options: Options<'_>,
    ) -> Answer<u64> {
        let method = self.method(Handling::CallTool)?;
        let mut params = String::from("{\"name\":");
        write::string(&mut params, name);
        if let Some(arguments) = arguments {
            let arguments = json("arguments", arguments)?;
            if !arguments.is_object() {
                return Err(SendError::Invalid("arguments must be a JSON object").into());
            }
            params.push_str(",\"arguments\":");
            params.push_str(arguments.get());
        }
        params.push('}');
        self.call(now, method, Some(params.as_bytes()), options)
    }
    /// Asks for the first page of the tools, or for the one that the `nextCursor` of a page names.
    pub fn list_tools(&mut self, now: u64, cursor: Option<&str>, options: Options<'_>) -> Answer<u64> {
        let method = self.method(Handling::ListTools)?;
        let params = cursor.map(|cursor| {
            let mut params = String::from("{\"cursor\":");
            write::string(&mut params, cursor);
            params.push('}');
            params
        });
        self.call(now, method, params.as_deref().map(str::as_bytes), options)
    }
}
