//! The engine as a Node addon: two classes over [`mcp_sansio::embed`], with the methods of the `Engine` interface that
//! every JavaScript runtime shares. What crosses is numbers, strings, and one typed array a drain.
#![expect(clippy::needless_pass_by_value, reason = "a string of Node-API arrives owned")]

use mcp_sansio::embed::{self, Batch, Channel, EmbedError, Options, Record, Task};
use napi::Env;
use napi::bindgen_prelude::Float64ArraySlice;
use napi_derive::napi;

/// An error whose `code` in JavaScript is the engine's.
type Result<T> = napi::Result<T, &'static str>;

fn refused(error: EmbedError) -> napi::Error<&'static str> {
    napi::Error::new(error.code, error.message)
}

/// A time or a handle. What is negative or no number is 0, which is no handle.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, as it should"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

/// Handles are below 2^53; a time beyond it loses nanoseconds that no timer of JavaScript has.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn number(whole: u64) -> f64 {
    whole as f64
}

/// What came out of one drain.
#[napi(object, object_from_js = false)]
pub struct Drained<'env> {
    /// All texts, one after the other.
    pub text: String,
    /// Twenty numbers a record: code, number, handle, related, and eight ranges of `text` in UTF-16 code units.
    pub records: Float64ArraySlice<'env>,
    /// The next deadline after it, in nanoseconds.
    pub timeout: Option<f64>,
    /// Stopped at the bound: drain again.
    pub more: bool,
}

#[expect(clippy::cast_precision_loss, reason = "the numbers of a record are below 2^53")]
fn numbers(record: &Record) -> impl Iterator<Item = f64> {
    let head = [f64::from(record.code), record.number as f64, number(record.handle), number(record.related)];
    let ranges = record.texts.into_iter().flat_map(|(start, end)| [f64::from(start), f64::from(end)]);
    head.into_iter().chain(ranges)
}

fn drained(env: &Env, mut batch: Batch) -> Result<Drained<'_>> {
    batch.to_utf16();
    let flat: Vec<f64> = batch.records.iter().flat_map(numbers).collect();
    let records = Float64ArraySlice::copy_from(env, flat)
        .map_err(|error| napi::Error::new("engine.failed", error.reason.clone()))?;
    let timeout = batch.timeout.map(|at| number(at.as_nanos()));
    Ok(Drained { text: batch.text, records, timeout, more: batch.more })
}

/// Options of one call.
#[napi(object, object_to_js = false)]
pub struct CallOptions {
    /// Milliseconds without a sign of life.
    pub silence_ms: Option<f64>,
    /// Milliseconds in all.
    pub total_ms: Option<f64>,
    /// Ask for progress.
    pub progress: Option<bool>,
    /// The wanted log level of a modern call (`debug`…).
    pub log_level: Option<String>,
    /// Members for `_meta`: a JSON object.
    pub meta: Option<String>,
    /// Send it as a task.
    pub task: Option<TaskOptions>,
    /// Ask the server, whatever the cache has.
    pub fresh: Option<bool>,
}

/// How a call is sent as a task.
#[napi(object, object_to_js = false)]
pub struct TaskOptions {
    /// Milliseconds that the peer is asked to keep it.
    pub ttl_ms: Option<f64>,
    /// Complete the call as soon as the task is made, instead of following the task to its outcome.
    pub detached: Option<bool>,
}

impl TaskOptions {
    fn view(&self) -> Task {
        Task { ttl_ms: self.ttl_ms.map(whole), detached: self.detached.unwrap_or(false) }
    }
}

impl CallOptions {
    fn view(&self) -> Options<'_> {
        Options {
            silence_ms: self.silence_ms.map(whole),
            total_ms: self.total_ms.map(whole),
            progress: self.progress.unwrap_or(false),
            log_level: self.log_level.as_deref(),
            meta: self.meta.as_deref().map(str::as_bytes),
            task: self.task.as_ref().map(TaskOptions::view),
            fresh: self.fresh.unwrap_or(false),
            ..Options::default()
        }
    }
}

fn bytes(json: Option<&String>) -> Option<&[u8]> {
    json.map(String::as_bytes)
}

fn channel(messages: bool) -> Channel {
    if messages { Channel::Messages } else { Channel::Stream }
}

fn seed(bytes: &[u8]) -> Result<[u8; 32]> {
    bytes.try_into().map_err(|_| napi::Error::new("config.invalid", "seed: needs 32 bytes".to_owned()))
}

macro_rules! both_roles {
    ($($connection:ident),*) => { $(
        #[napi]
        impl $connection {
            /// Bytes of a stream. `now` is in nanoseconds, here and below.
            #[napi]
            pub fn handle_data(&mut self, now: f64, data: &[u8]) -> Result<()> {
                self.0.handle_data(whole(now), data).map_err(refused)
            }
            /// One message of a message channel.
            #[napi]
            pub fn handle_message(&mut self, now: f64, message: String) -> Result<()> {
                self.0.handle_message(whole(now), message.as_bytes()).map_err(refused)
            }
            /// The peer says no more, but still reads.
            #[napi]
            pub fn handle_eof(&mut self, now: f64) -> Result<()> {
                self.0.handle_eof(whole(now)).map_err(refused)
            }
            /// Nothing can be written any more.
            #[napi]
            pub fn handle_closed(&mut self, now: f64) -> Result<()> {
                self.0.handle_closed(whole(now)).map_err(refused)
            }
            /// Fires what is due.
            #[napi]
            pub fn handle_timeout(&mut self, now: f64) -> Result<()> {
                self.0.handle_timeout(whole(now)).map_err(refused)
            }
            /// The next deadline.
            #[napi]
            pub fn next_timeout(&self) -> Option<f64> {
                self.0.next_timeout().map(number)
            }
            /// False while more input should stay in the pipe.
            #[napi]
            pub fn wants_read(&self) -> bool {
                self.0.wants_read()
            }
            /// Everything was taken and `Closed` was delivered.
            #[napi]
            pub fn is_over(&self) -> bool {
                self.0.is_over()
            }
            /// Takes what is to be done, at most about `max_bytes` of text.
            #[napi]
            pub fn drain<'env>(&mut self, env: &'env Env, max_bytes: u32) -> Result<Drained<'env>> {
                let mut batch = Batch::default();
                self.0.drain(max_bytes as usize, &mut batch).map_err(refused)?;
                drained(env, batch)
            }
            /// As `drain`, but leaves the output of a stream queued: for a pipe that has no room now.
            #[napi]
            pub fn drain_events<'env>(&mut self, env: &'env Env, max_bytes: u32) -> Result<Drained<'env>> {
                let mut batch = Batch::default();
                self.0.drain_events(max_bytes as usize, &mut batch).map_err(refused)?;
                drained(env, batch)
            }
            /// Starts a request to the peer and returns its handle. `params`: a JSON object.
            #[napi]
            pub fn call(&mut self, now: f64, method: String, params: Option<String>, options: CallOptions) -> Result<f64> {
                self.0.call(whole(now), &method, bytes(params.as_ref()), options.view()).map(number).map_err(refused)
            }
            /// Takes a call back.
            #[napi]
            pub fn cancel(&mut self, now: f64, call: f64, reason: Option<String>) -> Result<()> {
                self.0.cancel(whole(now), whole(call), reason.as_deref()).map_err(refused)
            }
            /// Sends a notice that belongs to no request.
            #[napi]
            pub fn notify(&mut self, now: f64, method: String, params: Option<String>) -> Result<()> {
                self.0.notify(whole(now), &method, bytes(params.as_ref())).map_err(refused)
            }
            /// Refuses new work, lets what runs finish for `drain_ms`, then ends.
            #[napi]
            pub fn close(&mut self, now: f64, drain_ms: f64) -> Result<()> {
                self.0.close(whole(now), whole(drain_ms)).map_err(refused)
            }
            /// The wall clock: that it is so many milliseconds since 1970 now.
            #[napi]
            pub fn set_wall_clock(&mut self, now: f64, unix_millis: f64) -> Result<()> {
                self.0.set_wall_clock(whole(now), whole(unix_millis)).map_err(refused)
            }
            /// The id of the task that a live request or question runs as.
            #[napi]
            pub fn task_of(&self, handle: f64) -> Option<String> {
                self.0.task_of(whole(handle)).map(str::to_owned)
            }
            /// Says how the task that a request or question runs as is getting on, for a person to read.
            #[napi]
            pub fn task_status(&mut self, now: f64, handle: f64, message: String) -> Result<()> {
                self.0.task_status(whole(now), whole(handle), &message).map_err(refused)
            }
            /// Counters, as a JSON object.
            #[napi]
            pub fn stats(&self) -> String {
                self.0.stats()
            }
        }
    )* };
}

/// A server on one channel.
#[napi]
pub struct ServerConnection(embed::ServerConnection);

/// A client on one channel.
#[napi]
pub struct ClientConnection(embed::ClientConnection);

both_roles!(ServerConnection, ClientConnection);

#[napi]
impl ServerConnection {
    /// `config`: JSON. `seed`: 32 bytes of fresh entropy. `messages`: whole messages instead of a byte stream. `principal`:
    /// to whom the channel belongs, and `groups`: which they are in.
    #[napi(constructor)]
    pub fn new(
        config: String,
        seed_bytes: &[u8],
        messages: bool,
        principal: Option<String>,
        groups: Option<Vec<String>>,
    ) -> Result<Self> {
        let groups = groups.unwrap_or_default();
        let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
        let (config, seed) = (config.as_bytes(), seed(seed_bytes)?);
        embed::ServerConnection::new_for(config, seed, channel(messages), principal.as_deref(), &groups)
            .map(Self)
            .map_err(refused)
    }
    /// Answers with a result of a kind that a negotiated extension defines: its `resultType`, and an object without it.
    #[napi]
    pub fn respond_extension(
        &mut self,
        now: f64,
        request: f64,
        result_type: String,
        result: String,
    ) -> Result<()> {
        self.0.respond_extension(whole(now), whole(request), &result_type, result.as_bytes()).map_err(refused)
    }
    /// Answers with a result, a JSON object. `ttl_ms` and `public` are the cache hint of cacheable methods.
    #[napi]
    pub fn respond(
        &mut self,
        now: f64,
        request: f64,
        result: String,
        ttl_ms: u32,
        public: bool,
    ) -> Result<()> {
        self.0.respond(whole(now), whole(request), result.as_bytes(), ttl_ms, public).map_err(refused)
    }
    /// Answers with questions, the members of a JSON object, and with state that the handler wants to see again.
    #[napi]
    pub fn respond_input_required(
        &mut self,
        now: f64,
        request: f64,
        questions: String,
        state: Option<&[u8]>,
    ) -> Result<()> {
        self.0
            .respond_input_required(whole(now), whole(request), questions.as_bytes(), state)
            .map_err(refused)
    }
    /// Answers with an error. `data`: any JSON value.
    #[napi]
    pub fn respond_error(
        &mut self,
        now: f64,
        request: f64,
        code: i32,
        message: String,
        data: Option<String>,
    ) -> Result<()> {
        self.0
            .respond_error(whole(now), whole(request), code, &message, bytes(data.as_ref()))
            .map_err(refused)
    }
    /// Answers a `tools/call` whose handler failed: a tool result with `isError` and this text.
    #[napi]
    pub fn respond_tool_error(&mut self, now: f64, request: f64, text: String) -> Result<()> {
        self.0.respond_tool_error(whole(now), whole(request), &text).map_err(refused)
    }
    /// Answers that the arguments do not fit, as the request's revision wants.
    #[napi]
    pub fn respond_invalid_arguments(&mut self, now: f64, request: f64, text: String) -> Result<()> {
        self.0.respond_invalid_arguments(whole(now), whole(request), &text).map_err(refused)
    }
    /// Answers that what the request names does not exist: a resource, a prompt, a tool.
    #[napi]
    pub fn respond_not_found(&mut self, now: f64, request: f64) -> Result<()> {
        self.0.respond_not_found(whole(now), whole(request)).map_err(refused)
    }
    /// Answers for a handler that failed in a way the peer need not know.
    #[napi]
    pub fn respond_internal_error(&mut self, now: f64, request: f64) -> Result<()> {
        self.0.respond_internal_error(whole(now), whole(request)).map_err(refused)
    }
    /// Answers that the application does not offer what was asked for.
    #[napi]
    pub fn respond_unsupported(&mut self, now: f64, request: f64) -> Result<()> {
        self.0.respond_unsupported(whole(now), whole(request)).map_err(refused)
    }
    /// Progress of a live request. False: not sent (no token, or the value did not rise).
    #[napi]
    pub fn progress(
        &mut self,
        now: f64,
        request: f64,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Result<bool> {
        self.0.progress(whole(now), whole(request), progress, total, message.as_deref()).map_err(refused)
    }
    /// A log notice for a live request, or for the session if `request` is 0. `data`: any JSON value. False: not sent.
    #[napi]
    pub fn log(
        &mut self,
        now: f64,
        request: f64,
        level: String,
        logger: Option<String>,
        data: String,
    ) -> Result<bool> {
        self.0.log(whole(now), whole(request), &level, logger.as_deref(), data.as_bytes()).map_err(refused)
    }
    /// Tells those who asked that something changed. `what`: `tools`, `prompts`, `resources` or, with its `uri`, `resource`.
    #[napi]
    pub fn publish(
        &mut self,
        now: f64,
        what: String,
        uri: Option<String>,
        concerns: Option<String>,
    ) -> Result<()> {
        self.0.publish(whole(now), &what, uri.as_deref(), concerns.as_deref()).map_err(refused)
    }
    /// Remarks on the catalog: a JSON array of objects with `code`, `place` and `text`.
    #[napi]
    pub fn lint(&self) -> String {
        self.0.lint()
    }
    /// Replaces the catalog: a JSON object with any of `tools`, `resources`, `resourceTemplates`, `prompts`, `visible_to`.
    #[napi]
    pub fn set_catalog(&mut self, now: f64, catalog: String) -> Result<()> {
        self.0.set_catalog(whole(now), catalog.as_bytes()).map_err(refused)
    }
}

#[napi]
impl ClientConnection {
    /// `config`: JSON. `seed`: 32 bytes of fresh entropy. `messages`: whole messages instead of a byte stream.
    #[napi(constructor)]
    pub fn new(config: String, seed_bytes: &[u8], messages: bool) -> Result<Self> {
        embed::ClientConnection::new(config.as_bytes(), seed(seed_bytes)?, channel(messages))
            .map(Self)
            .map_err(refused)
    }
    /// Progress of a question. False: not sent (no token, or the value did not rise).
    #[napi]
    pub fn progress(
        &mut self,
        now: f64,
        input: f64,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Result<bool> {
        self.0.progress(whole(now), whole(input), progress, total, message.as_deref()).map_err(refused)
    }
    /// Begins. `remembered`: the revision of an earlier `Ready`.
    #[napi]
    pub fn start(&mut self, now: f64, remembered: Option<String>) -> Result<()> {
        self.0.start(whole(now), remembered.as_deref()).map_err(refused)
    }
    /// Asks for the first page of the tools, or for the one that the `nextCursor` of a page names.
    #[napi]
    pub fn list_tools(&mut self, now: f64, cursor: Option<String>, options: CallOptions) -> Result<f64> {
        self.0.list_tools(whole(now), cursor.as_deref(), options.view()).map(number).map_err(refused)
    }
    /// Calls a tool. `args`: a JSON object.
    #[napi]
    pub fn call_tool(
        &mut self,
        now: f64,
        name: String,
        args: Option<String>,
        options: CallOptions,
    ) -> Result<f64> {
        self.0.call_tool(whole(now), &name, bytes(args.as_ref()), options.view()).map(number).map_err(refused)
    }
    /// Starts a request for each page of a list, until it is whole. `params`: a JSON object without `cursor`.
    #[napi]
    pub fn list_all(
        &mut self,
        now: f64,
        method: String,
        params: Option<String>,
        options: CallOptions,
    ) -> Result<f64> {
        self.0
            .list_all(whole(now), &method, bytes(params.as_ref()), options.view())
            .map(number)
            .map_err(refused)
    }
    /// The name that the revision in use has for a purpose: `list_tools`, `read_resource`…
    #[napi]
    pub fn method_for(&self, purpose: String) -> Result<&'static str> {
        self.0.method_for(&purpose).map_err(refused)
    }
    /// Asks whether the server lives.
    #[napi]
    pub fn probe(&mut self, now: f64) -> Result<f64> {
        self.0.probe(whole(now)).map(number).map_err(refused)
    }
    /// Subscribes to changes of the lists and of the resources of these URIs.
    #[napi]
    pub fn subscribe(
        &mut self,
        now: f64,
        tools: bool,
        prompts: bool,
        resources: bool,
        uris: Vec<String>,
    ) -> Result<f64> {
        let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
        self.0.subscribe(whole(now), tools, prompts, resources, &uris).map(number).map_err(refused)
    }
    /// Whom calls are made for from now on; without one, nobody in particular.
    #[napi]
    pub fn set_principal(&mut self, principal: Option<String>) -> Result<()> {
        self.0.set_principal(principal.as_deref()).map_err(refused)
    }
    /// Answers a question with a result, a JSON object.
    #[napi]
    pub fn answer(&mut self, now: f64, input: f64, result: String) -> Result<()> {
        self.0.answer(whole(now), whole(input), result.as_bytes()).map_err(refused)
    }
    /// Answers a question with an error: the application can't or won't.
    #[napi]
    pub fn answer_error(&mut self, now: f64, input: f64, code: i32, message: String) -> Result<()> {
        self.0.answer_error(whole(now), whole(input), code, &message).map_err(refused)
    }
    /// Answers a question that the application has no answer for.
    #[napi]
    pub fn answer_unsupported(&mut self, now: f64, input: f64) -> Result<()> {
        self.0.answer_unsupported(whole(now), whole(input)).map_err(refused)
    }
    /// Answers for an application that failed in a way the server need not know.
    #[napi]
    pub fn answer_internal_error(&mut self, now: f64, input: f64) -> Result<()> {
        self.0.answer_internal_error(whole(now), whole(input)).map_err(refused)
    }
}
