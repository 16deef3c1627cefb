//! The engine as a WebAssembly module: two classes over [`mcp_sansio::embed`], with the methods of the `Engine`
//! interface in `src-ts/engine.ts`. What crosses is numbers, strings, and one typed array a drain.
#![expect(clippy::needless_pass_by_value, reason = "a string of JavaScript arrives owned")]
use js_sys::{Error, Float64Array, Object};
use mcp_sansio::embed::{self, Batch, Channel, EmbedError, Options, Record, Task};
use wasm_bindgen::prelude::{JsCast, JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// An error with the engine's stable code.
    #[wasm_bindgen(extends = Error)]
    type CodedError;
    #[wasm_bindgen(method, setter)]
    fn set_code(this: &CodedError, code: &str);

    /// What came out of one drain.
    #[wasm_bindgen(extends = Object, typescript_type = "Batch")]
    pub type JsBatch;
    #[wasm_bindgen(method, setter)]
    fn set_text(this: &JsBatch, text: &str);
    #[wasm_bindgen(method, setter)]
    fn set_records(this: &JsBatch, records: Float64Array);
    #[wasm_bindgen(method, setter)]
    fn set_timeout(this: &JsBatch, nanos: Option<f64>);
    #[wasm_bindgen(method, setter)]
    fn set_more(this: &JsBatch, more: bool);

    /// Options of one call.
    #[wasm_bindgen(typescript_type = "CallOptions")]
    pub type JsCallOptions;
    #[wasm_bindgen(method, getter, catch, js_name = silenceMs)]
    fn silence_ms(this: &JsCallOptions) -> Result<Option<f64>, JsValue>;
    #[wasm_bindgen(method, getter, catch, js_name = totalMs)]
    fn total_ms(this: &JsCallOptions) -> Result<Option<f64>, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn progress(this: &JsCallOptions) -> Result<Option<bool>, JsValue>;
    #[wasm_bindgen(method, getter, catch, js_name = logLevel)]
    fn log_level(this: &JsCallOptions) -> Result<Option<String>, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn meta(this: &JsCallOptions) -> Result<Option<String>, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn task(this: &JsCallOptions) -> Result<Option<JsTask>, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn fresh(this: &JsCallOptions) -> Result<Option<bool>, JsValue>;

    /// How a call is sent as a task.
    pub type JsTask;
    #[wasm_bindgen(method, getter, catch, js_name = ttlMs)]
    fn ttl_ms(this: &JsTask) -> Result<Option<f64>, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn detached(this: &JsTask) -> Result<Option<bool>, JsValue>;
}

/// The types that the generated declarations refer to.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"import type { Batch, CallOptions } from "../src-ts/engine.js";"#;

/// Errors in JavaScript are an `Error` with a `code`.
type Answer<T = ()> = Result<T, JsValue>;

fn coded(code: &str, message: &str) -> JsValue {
    let error: CodedError = Error::new(message).unchecked_into();
    error.set_code(code);
    error.into()
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn refused(error: EmbedError) -> JsValue {
    coded(error.code, &error.message)
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

#[expect(clippy::cast_precision_loss, reason = "the numbers of a record are below 2^53")]
fn numbers(record: &Record) -> impl Iterator<Item = f64> {
    let head = [f64::from(record.code), record.number as f64, number(record.handle), number(record.related)];
    let ranges = record.texts.into_iter().flat_map(|(start, end)| [f64::from(start), f64::from(end)]);
    head.into_iter().chain(ranges)
}

fn drained(mut batch: Batch) -> JsBatch {
    batch.to_utf16();
    let flat: Vec<f64> = batch.records.iter().flat_map(numbers).collect();
    let drained: JsBatch = Object::new().unchecked_into();
    drained.set_text(&batch.text);
    drained.set_records(Float64Array::from(flat.as_slice()));
    drained.set_timeout(batch.timeout.map(|at| number(at.as_nanos())));
    drained.set_more(batch.more);
    drained
}

/// The options of a call, read once.
struct Given {
    silence_ms: Option<f64>,
    total_ms: Option<f64>,
    progress: bool,
    log_level: Option<String>,
    meta: Option<String>,
    task: Option<Task>,
    fresh: bool,
}

impl Given {
    fn read(options: &JsCallOptions) -> Answer<Self> {
        Ok(Self {
            silence_ms: options.silence_ms()?,
            total_ms: options.total_ms()?,
            progress: options.progress()?.unwrap_or(false),
            log_level: options.log_level()?,
            meta: options.meta()?,
            task: options.task()?.as_ref().map(task).transpose()?,
            fresh: options.fresh()?.unwrap_or(false),
        })
    }
    fn view(&self) -> Options<'_> {
        Options {
            silence_ms: self.silence_ms.map(whole),
            total_ms: self.total_ms.map(whole),
            progress: self.progress,
            log_level: self.log_level.as_deref(),
            meta: bytes(self.meta.as_ref()),
            task: self.task,
            fresh: self.fresh,
            ..Options::default()
        }
    }
}

fn task(options: &JsTask) -> Answer<Task> {
    Ok(Task { ttl_ms: options.ttl_ms()?.map(whole), detached: options.detached()?.unwrap_or(false) })
}

fn bytes(json: Option<&String>) -> Option<&[u8]> {
    json.map(String::as_bytes)
}

fn seed(bytes: &[u8]) -> Answer<[u8; 32]> {
    bytes.try_into().map_err(|_| coded("config.invalid", "seed: needs 32 bytes"))
}

fn channel(messages: bool) -> Channel {
    if messages { Channel::Messages } else { Channel::Stream }
}

macro_rules! both_roles {
    ($($connection:ident),*) => { $(
        #[wasm_bindgen]
        impl $connection {
            /// Bytes of a stream. `now` is in nanoseconds, here and below.
            #[wasm_bindgen(js_name = handleData)]
            pub fn handle_data(&mut self, now: f64, data: &[u8]) -> Answer {
                self.0.handle_data(whole(now), data).map_err(refused)
            }
            /// One message of a message channel.
            #[wasm_bindgen(js_name = handleMessage)]
            pub fn handle_message(&mut self, now: f64, message: &str) -> Answer {
                self.0.handle_message(whole(now), message.as_bytes()).map_err(refused)
            }
            /// The peer says no more, but still reads.
            #[wasm_bindgen(js_name = handleEof)]
            pub fn handle_eof(&mut self, now: f64) -> Answer {
                self.0.handle_eof(whole(now)).map_err(refused)
            }
            /// Nothing can be written any more.
            #[wasm_bindgen(js_name = handleClosed)]
            pub fn handle_closed(&mut self, now: f64) -> Answer {
                self.0.handle_closed(whole(now)).map_err(refused)
            }
            /// Fires what is due.
            #[wasm_bindgen(js_name = handleTimeout)]
            pub fn handle_timeout(&mut self, now: f64) -> Answer {
                self.0.handle_timeout(whole(now)).map_err(refused)
            }
            /// The next deadline.
            #[wasm_bindgen(js_name = nextTimeout)]
            pub fn next_timeout(&self) -> Option<f64> {
                self.0.next_timeout().map(number)
            }
            /// False while more input should stay in the pipe.
            #[wasm_bindgen(js_name = wantsRead)]
            pub fn wants_read(&self) -> bool {
                self.0.wants_read()
            }
            /// Everything was taken and `Closed` was delivered.
            #[wasm_bindgen(js_name = isOver)]
            pub fn is_over(&self) -> bool {
                self.0.is_over()
            }
            /// Takes what is to be done, at most about `max_bytes` of text.
            pub fn drain(&mut self, #[wasm_bindgen(js_name = maxBytes)] max_bytes: u32) -> Answer<JsBatch> {
                let mut batch = Batch::default();
                self.0.drain(max_bytes as usize, &mut batch).map_err(refused)?;
                Ok(drained(batch))
            }
            /// As `drain`, but leaves what is to be sent queued.
            #[wasm_bindgen(js_name = drainEvents)]
            pub fn drain_events(&mut self, #[wasm_bindgen(js_name = maxBytes)] max_bytes: u32) -> Answer<JsBatch> {
                let mut batch = Batch::default();
                self.0.drain_events(max_bytes as usize, &mut batch).map_err(refused)?;
                Ok(drained(batch))
            }
            /// Starts a request to the peer and returns its handle. `params`: a JSON object.
            pub fn call(&mut self, now: f64, method: &str, params: Option<String>, options: &JsCallOptions) -> Answer<f64> {
                let given = Given::read(options)?;
                self.0.call(whole(now), method, bytes(params.as_ref()), given.view()).map(number).map_err(refused)
            }
            /// Takes a call back.
            pub fn cancel(&mut self, now: f64, call: f64, reason: Option<String>) -> Answer {
                self.0.cancel(whole(now), whole(call), reason.as_deref()).map_err(refused)
            }
            /// Sends a notice that belongs to no request.
            pub fn notify(&mut self, now: f64, method: &str, params: Option<String>) -> Answer {
                self.0.notify(whole(now), method, bytes(params.as_ref())).map_err(refused)
            }
            /// Refuses new work, lets what runs finish for `drain_ms`, then ends.
            pub fn close(&mut self, now: f64, #[wasm_bindgen(js_name = drainMs)] drain_ms: f64) -> Answer {
                self.0.close(whole(now), whole(drain_ms)).map_err(refused)
            }
            /// The wall clock: that it is so many milliseconds since 1970 now.
            #[wasm_bindgen(js_name = setWallClock)]
            pub fn set_wall_clock(&mut self, now: f64, #[wasm_bindgen(js_name = unixMillis)] unix_millis: f64) -> Answer {
                self.0.set_wall_clock(whole(now), whole(unix_millis)).map_err(refused)
            }
            /// The id of the task that a live request or question runs as.
            #[wasm_bindgen(js_name = taskOf)]
            pub fn task_of(&self, handle: f64) -> Option<String> {
                self.0.task_of(whole(handle)).map(str::to_owned)
            }
            /// Says how the task that a request or question runs as is getting on, for a person to read.
            #[wasm_bindgen(js_name = taskStatus)]
            pub fn task_status(&mut self, now: f64, handle: f64, message: &str) -> Answer {
                self.0.task_status(whole(now), whole(handle), message).map_err(refused)
            }
            /// Counters, as a JSON object.
            pub fn stats(&self) -> String {
                self.0.stats()
            }
        }
    )* };
}

/// A server on one channel.
#[wasm_bindgen]
pub struct ServerConnection(embed::ServerConnection);

/// A client on one channel.
#[wasm_bindgen]
pub struct ClientConnection(embed::ClientConnection);

both_roles!(ServerConnection, ClientConnection);

#[wasm_bindgen]
impl ServerConnection {
    /// `config`: JSON. `seed`: 32 bytes of fresh entropy. `messages`: whole messages instead of a byte stream. `principal`:
    /// to whom the channel belongs, and `groups`: which they are in.
    #[wasm_bindgen(constructor)]
    pub fn new(
        config: &str,
        #[wasm_bindgen(js_name = seed)] entropy: &[u8],
        messages: bool,
        principal: Option<String>,
        groups: Option<Vec<String>>,
    ) -> Answer<Self> {
        let groups = groups.unwrap_or_default();
        let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
        let (config, seed) = (config.as_bytes(), seed(entropy)?);
        embed::ServerConnection::new_for(config, seed, channel(messages), principal.as_deref(), &groups)
            .map(Self)
            .map_err(refused)
    }
    /// Answers with a result of a kind that a negotiated extension defines: its `resultType`, and an object without it.
    #[wasm_bindgen(js_name = respondExtension)]
    pub fn respond_extension(
        &mut self,
        now: f64,
        request: f64,
        #[wasm_bindgen(js_name = resultType)] result_type: &str,
        result: &str,
    ) -> Answer {
        self.0.respond_extension(whole(now), whole(request), result_type, result.as_bytes()).map_err(refused)
    }
    /// Answers with a result, a JSON object. `ttl_ms` and `shared` are the cache hint of cacheable methods.
    pub fn respond(
        &mut self,
        now: f64,
        request: f64,
        result: &str,
        #[wasm_bindgen(js_name = ttlMs)] ttl_ms: u32,
        shared: bool,
    ) -> Answer {
        self.0.respond(whole(now), whole(request), result.as_bytes(), ttl_ms, shared).map_err(refused)
    }
    /// Answers with questions, the members of a JSON object, and with state that the handler wants to see again.
    #[wasm_bindgen(js_name = respondInputRequired)]
    pub fn respond_input_required(
        &mut self,
        now: f64,
        request: f64,
        questions: &str,
        state: Option<Vec<u8>>,
    ) -> Answer {
        self.0
            .respond_input_required(whole(now), whole(request), questions.as_bytes(), state.as_deref())
            .map_err(refused)
    }
    /// Answers with an error. `data`: any JSON value.
    #[wasm_bindgen(js_name = respondError)]
    pub fn respond_error(
        &mut self,
        now: f64,
        request: f64,
        code: i32,
        message: &str,
        data: Option<String>,
    ) -> Answer {
        self.0.respond_error(whole(now), whole(request), code, message, bytes(data.as_ref())).map_err(refused)
    }
    /// Answers a `tools/call` whose handler failed: a tool result with `isError` and this text.
    #[wasm_bindgen(js_name = respondToolError)]
    pub fn respond_tool_error(&mut self, now: f64, request: f64, text: &str) -> Answer {
        self.0.respond_tool_error(whole(now), whole(request), text).map_err(refused)
    }
    /// Answers that the arguments do not fit, as the request's revision wants.
    #[wasm_bindgen(js_name = respondInvalidArguments)]
    pub fn respond_invalid_arguments(&mut self, now: f64, request: f64, text: &str) -> Answer {
        self.0.respond_invalid_arguments(whole(now), whole(request), text).map_err(refused)
    }
    /// Answers that what the request names does not exist: a resource, a prompt, a tool.
    #[wasm_bindgen(js_name = respondNotFound)]
    pub fn respond_not_found(&mut self, now: f64, request: f64) -> Answer {
        self.0.respond_not_found(whole(now), whole(request)).map_err(refused)
    }
    /// Answers for a handler that failed in a way the peer need not know.
    #[wasm_bindgen(js_name = respondInternalError)]
    pub fn respond_internal_error(&mut self, now: f64, request: f64) -> Answer {
        self.0.respond_internal_error(whole(now), whole(request)).map_err(refused)
    }
    /// Answers that the application does not offer what was asked for.
    #[wasm_bindgen(js_name = respondUnsupported)]
    pub fn respond_unsupported(&mut self, now: f64, request: f64) -> Answer {
        self.0.respond_unsupported(whole(now), whole(request)).map_err(refused)
    }
    /// Progress of a live request. False: not sent (no token, or the value did not rise).
    pub fn progress(
        &mut self,
        now: f64,
        request: f64,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Answer<bool> {
        self.0.progress(whole(now), whole(request), progress, total, message.as_deref()).map_err(refused)
    }
    /// A log notice for a live request, or for the session if `request` is 0. `data`: any JSON value. False: not sent.
    pub fn log(
        &mut self,
        now: f64,
        request: f64,
        level: &str,
        logger: Option<String>,
        data: &str,
    ) -> Answer<bool> {
        self.0.log(whole(now), whole(request), level, logger.as_deref(), data.as_bytes()).map_err(refused)
    }
    /// Tells those who asked that something changed. `what`: `tools`, `prompts`, `resources` or, with its `uri`, `resource`.
    pub fn publish(&mut self, now: f64, what: &str, uri: Option<String>, concerns: Option<String>) -> Answer {
        self.0.publish(whole(now), what, uri.as_deref(), concerns.as_deref()).map_err(refused)
    }
    /// Remarks on the catalog: a JSON array of objects with `code`, `place` and `text`.
    pub fn lint(&self) -> String {
        self.0.lint()
    }
    /// Replaces the catalog: a JSON object with any of `tools`, `resources`, `resourceTemplates`, `prompts`, `visible_to`.
    #[wasm_bindgen(js_name = setCatalog)]
    pub fn set_catalog(&mut self, now: f64, catalog: &str) -> Answer {
        self.0.set_catalog(whole(now), catalog.as_bytes()).map_err(refused)
    }
}

#[wasm_bindgen]
impl ClientConnection {
    /// `config`: JSON. `seed`: 32 bytes of fresh entropy. `messages`: whole messages instead of a byte stream.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str, #[wasm_bindgen(js_name = seed)] entropy: &[u8], messages: bool) -> Answer<Self> {
        embed::ClientConnection::new(config.as_bytes(), seed(entropy)?, channel(messages))
            .map(Self)
            .map_err(refused)
    }
    /// Progress of a question. False: not sent (no token, or the value did not rise).
    pub fn progress(
        &mut self,
        now: f64,
        input: f64,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Answer<bool> {
        self.0.progress(whole(now), whole(input), progress, total, message.as_deref()).map_err(refused)
    }
    /// Begins. `remembered`: the revision of an earlier `Ready`.
    pub fn start(&mut self, now: f64, remembered: Option<String>) -> Answer {
        self.0.start(whole(now), remembered.as_deref()).map_err(refused)
    }
    /// Asks for the first page of the tools, or for the one that the `nextCursor` of a page names.
    #[wasm_bindgen(js_name = listTools)]
    pub fn list_tools(&mut self, now: f64, cursor: Option<String>, options: &JsCallOptions) -> Answer<f64> {
        let given = Given::read(options)?;
        self.0.list_tools(whole(now), cursor.as_deref(), given.view()).map(number).map_err(refused)
    }
    /// Calls a tool. `args`: a JSON object.
    #[wasm_bindgen(js_name = callTool)]
    pub fn call_tool(
        &mut self,
        now: f64,
        name: &str,
        args: Option<String>,
        options: &JsCallOptions,
    ) -> Answer<f64> {
        let given = Given::read(options)?;
        self.0.call_tool(whole(now), name, bytes(args.as_ref()), given.view()).map(number).map_err(refused)
    }
    /// Starts a request for each page of a list, until it is whole. `params`: a JSON object without `cursor`.
    #[wasm_bindgen(js_name = listAll)]
    pub fn list_all(
        &mut self,
        now: f64,
        method: &str,
        params: Option<String>,
        options: &JsCallOptions,
    ) -> Answer<f64> {
        let given = Given::read(options)?;
        self.0.list_all(whole(now), method, bytes(params.as_ref()), given.view()).map(number).map_err(refused)
    }
    /// The name that the revision in use has for a purpose: `list_tools`, `read_resource`…
    #[wasm_bindgen(js_name = methodFor)]
    pub fn method_for(&self, purpose: &str) -> Answer<String> {
        self.0.method_for(purpose).map(str::to_owned).map_err(refused)
    }
    /// Asks whether the server lives.
    pub fn probe(&mut self, now: f64) -> Answer<f64> {
        self.0.probe(whole(now)).map(number).map_err(refused)
    }
    /// Subscribes to changes of the lists and of the resources of these URIs.
    pub fn subscribe(
        &mut self,
        now: f64,
        tools: bool,
        prompts: bool,
        resources: bool,
        uris: Vec<String>,
    ) -> Answer<f64> {
        let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
        self.0.subscribe(whole(now), tools, prompts, resources, &uris).map(number).map_err(refused)
    }
    /// Whom calls are made for from now on; without one, nobody in particular.
    #[wasm_bindgen(js_name = setPrincipal)]
    pub fn set_principal(&mut self, principal: Option<String>) -> Answer {
        self.0.set_principal(principal.as_deref()).map_err(refused)
    }
    /// Answers a question with a result, a JSON object.
    pub fn answer(&mut self, now: f64, input: f64, result: &str) -> Answer {
        self.0.answer(whole(now), whole(input), result.as_bytes()).map_err(refused)
    }
    /// Answers a question with an error: the application can't or won't.
    #[wasm_bindgen(js_name = answerError)]
    pub fn answer_error(&mut self, now: f64, input: f64, code: i32, message: &str) -> Answer {
        self.0.answer_error(whole(now), whole(input), code, message).map_err(refused)
    }
    /// Answers a question that the application has no answer for.
    #[wasm_bindgen(js_name = answerUnsupported)]
    pub fn answer_unsupported(&mut self, now: f64, input: f64) -> Answer {
        self.0.answer_unsupported(whole(now), whole(input)).map_err(refused)
    }
    /// Answers for an application that failed in a way the server need not know.
    #[wasm_bindgen(js_name = answerInternalError)]
    pub fn answer_internal_error(&mut self, now: f64, input: f64) -> Answer {
        self.0.answer_internal_error(whole(now), whole(input)).map_err(refused)
    }
}
