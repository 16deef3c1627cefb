//! The two connections, each behind a lock that is held for one call of the engine.
use std::sync::{Mutex, PoisonError};

use mcp_sansio::embed::{self, Batch, Channel, Code, EmbedError, Options, Record, TASK, Task};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    sync::MutexExt,
    types::{PyBytes, PyString},
};

use crate::{errors, events};

/// Text of one drain: bounds what is copied while the lock is held.
const DRAIN_BYTES: usize = 1 << 20;

/// JSON in a `str` or in `bytes`.
#[derive(Clone, Copy)]
pub struct Json<'a>(&'a [u8]);

impl<'a, 'py> FromPyObject<'a, 'py> for Json<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = <&'a str>::extract(object) {
            return Ok(Self(text.as_bytes()));
        }
        <&'a [u8]>::extract(object)
            .map(Self)
            .map_err(|_| PyTypeError::new_err("JSON comes as `str` or `bytes`"))
    }
}

fn as_bytes(json: Option<Json<'_>>) -> Option<&[u8]> {
    json.map(|json| json.0)
}

fn channel(messages: bool) -> Channel {
    if messages { Channel::Messages } else { Channel::Stream }
}

/// How a call is sent as a task.
fn task(how: Option<&str>, ttl_ms: Option<u64>) -> PyResult<Option<Task>> {
    match (how, ttl_ms) {
        (Some("followed"), _) => Ok(Some(Task { ttl_ms, detached: false })),
        (Some("detached"), _) => Ok(Some(Task { ttl_ms, detached: true })),
        (Some(_), _) => Err(PyValueError::new_err("`task` is \"followed\" or \"detached\"")),
        (None, Some(_)) => Err(PyValueError::new_err("`task_ttl_ms` goes with `task`")),
        (None, None) => Ok(None),
    }
}

/// The given seed, or fresh entropy of the operating system.
fn seed(py: Python<'_>, given: Option<&[u8]>) -> PyResult<[u8; 32]> {
    match given {
        Some(bytes) => bytes.try_into().map_err(|_| PyValueError::new_err("`seed` has 32 bytes")),
        None => py.import("os")?.call_method1("urandom", (32,))?.extract(),
    }
}

fn runs_as_task(record: &Record) -> bool {
    record.code == Code::Request as u32 && record.related & TASK != 0
}

macro_rules! connection {
    ($(#[$doc:meta])* $name:ident { $($own:tt)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "mcp_sansio")]
        pub struct $name {
            engine: Mutex<embed::$name>,
        }

        impl $name {
            fn holding(py: Python<'_>, engine: Result<embed::$name, EmbedError>) -> PyResult<Self> {
                let engine = engine.map_err(|error| errors::refused(py, &error))?;
                Ok(Self { engine: Mutex::new(engine) })
            }
            /// Runs one entry of the engine under the lock, and makes no Python object before the lock is free again.
            fn run<T>(
                &self,
                py: Python<'_>,
                entry: impl FnOnce(&mut embed::$name) -> Result<T, EmbedError>,
            ) -> PyResult<T> {
                let answer = {
                    let mut engine = self.engine.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
                    entry(&mut engine)
                };
                answer.map_err(|error| errors::refused(py, &error))
            }
            fn output(&self, py: Python<'_>, max_bytes: usize) -> PyResult<Vec<u8>> {
                let mut output = Vec::new();
                self.run(py, |engine| engine.take_output(max_bytes, &mut output))?;
                Ok(output)
            }
        }

        #[pymethods]
        impl $name {
            /// Takes in a piece of the peer's byte stream.
            fn receive_data(&self, py: Python<'_>, data: &[u8], now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.handle_data(now, data))
            }
            /// Takes in one message of a connection made with `messages=True`.
            fn receive_message(&self, py: Python<'_>, message: Json<'_>, now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.handle_message(now, message.0))
            }
            /// The peer says no more, but still reads.
            fn receive_eof(&self, py: Python<'_>, now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.handle_eof(now))
            }
            /// Nothing can be read or written any more.
            fn connection_lost(&self, py: Python<'_>, now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.handle_closed(now))
            }
            /// Fires what is due.
            fn handle_timeout(&self, py: Python<'_>, now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.handle_timeout(now))
            }
            /// When `handle_timeout` is to be called, or `None`.
            fn next_timeout(&self, py: Python<'_>) -> PyResult<Option<u64>> {
                self.run(py, |engine| Ok(engine.next_timeout()))
            }
            /// False while more input should stay in the pipe.
            #[getter]
            fn wants_read(&self, py: Python<'_>) -> PyResult<bool> {
                self.run(py, |engine| Ok(engine.wants_read()))
            }
            /// Everything was taken and `Closed` was delivered.
            #[getter]
            fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
                self.run(py, |engine| Ok(engine.is_over()))
            }
            /// Takes bytes to write, whole lines: about `max_bytes`, or all.
            #[pyo3(signature = (max_bytes=None))]
            fn data_to_send<'py>(&self, py: Python<'py>, max_bytes: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
                let output = self.output(py, max_bytes.unwrap_or(usize::MAX))?;
                Ok(PyBytes::new(py, &output))
            }
            /// Takes the messages to send of a connection made with `messages=True`.
            fn messages_to_send<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
                let output = self.output(py, usize::MAX)?;
                let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                lines.map(|line| PyString::from_bytes(py, line)).collect()
            }
            /// Takes what happened, in order.
            fn events_received(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
                let mut events = Vec::new();
                loop {
                    let mut batch = Batch::default();
                    let tasks = self.run(py, |engine| {
                        engine.drain_events(DRAIN_BYTES, &mut batch)?;
                        let of = |request: &Record| engine.task_of(request.handle).map(String::from);
                        Ok(batch.records.iter().filter(|record| runs_as_task(record)).map(of).collect::<Vec<_>>())
                    })?;
                    events::append(py, &batch, tasks, &mut events)?;
                    if !batch.more {
                        return Ok(events);
                    }
                }
            }
            /// Starts a request to the peer and returns the call's handle.
            #[pyo3(signature = (method, params, now, *, silence_ms=None, total_ms=None, progress=false, log_level=None, meta=None, task=None, task_ttl_ms=None, fresh=false))]
            #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
            fn call(
                &self,
                py: Python<'_>,
                method: &str,
                params: Option<Json<'_>>,
                now: u64,
                silence_ms: Option<u64>,
                total_ms: Option<u64>,
                progress: bool,
                log_level: Option<&str>,
                meta: Option<Json<'_>>,
                task: Option<&str>,
                task_ttl_ms: Option<u64>,
                fresh: bool,
            ) -> PyResult<u64> {
                let (meta, task) = (as_bytes(meta), self::task(task, task_ttl_ms)?);
                let options = Options { silence_ms, total_ms, progress, log_level, meta, task, fresh };
                self.run(py, |engine| engine.call(now, method, as_bytes(params), options))
            }
            /// Sends progress of a live request or question; false if it was not sent.
            #[pyo3(signature = (handle, progress, now, *, total=None, message=None))]
            fn progress(
                &self,
                py: Python<'_>,
                handle: u64,
                progress: f64,
                now: u64,
                total: Option<f64>,
                message: Option<&str>,
            ) -> PyResult<bool> {
                self.run(py, |engine| engine.progress(now, handle, progress, total, message))
            }
            /// Says how the task that a request or question runs as is getting on.
            fn task_status(&self, py: Python<'_>, handle: u64, message: &str, now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.task_status(now, handle, message))
            }
            /// Says which wall-clock time it is.
            fn set_wall_clock(&self, py: Python<'_>, unix_millis: u64, now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.set_wall_clock(now, unix_millis))
            }
            /// Takes a call back.
            #[pyo3(signature = (call, now, *, reason=None))]
            fn cancel(&self, py: Python<'_>, call: u64, now: u64, reason: Option<&str>) -> PyResult<()> {
                self.run(py, |engine| engine.cancel(now, call, reason))
            }
            /// Sends a notice that belongs to no request.
            fn notify(&self, py: Python<'_>, method: &str, params: Option<Json<'_>>, now: u64) -> PyResult<()> {
                self.run(py, |engine| engine.notify(now, method, as_bytes(params)))
            }
            /// Refuses new work, lets what runs finish for `drain_ms`, then ends.
            #[pyo3(signature = (now, *, drain_ms=0))]
            fn close(&self, py: Python<'_>, now: u64, drain_ms: u64) -> PyResult<()> {
                self.run(py, |engine| engine.close(now, drain_ms))
            }
            /// Counters, as a JSON object.
            fn stats(&self, py: Python<'_>) -> PyResult<String> {
                self.run(py, |engine| Ok(engine.stats()))
            }
            $($own)*
        }
    };
}

connection! {
    /// A server on one channel.
    ///
    /// `config` is a JSON object with `info` (`name`, `version`…) and, if wanted, `instructions`, `capabilities`, `tools`,
    /// `resources`, `resourceTemplates` and `prompts` (arrays of definitions), `visible_to` (the groups of entries that not
    /// everyone sees), `completions` (whether arguments are completed), `page_size`, `list_cache` (`ttl_ms`,
    /// `public`), `revisions`, `limits`, `seal_keys` (32 bytes each, base64), `result_types`, `unknown_methods` (deliver
    /// them), `task_notices` and `trace`. `seed` is fresh entropy, never used twice, that tests may fix.
    ServerConnection {
        #[new]
        #[pyo3(signature = (config, *, messages=false, seed=None, principal=None, groups=Vec::new()))]
        #[expect(clippy::needless_pass_by_value, reason = "made for this call")]
        fn new(
            py: Python<'_>,
            config: Json<'_>,
            messages: bool,
            seed: Option<&[u8]>,
            principal: Option<&str>,
            groups: Vec<String>,
        ) -> PyResult<Self> {
            let (seed, channel) = (self::seed(py, seed)?, channel(messages));
            let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
            Self::holding(py, embed::ServerConnection::new_for(config.0, seed, channel, principal, &groups))
        }
        /// Answers with a result, a JSON object.
        #[pyo3(signature = (request, result, now, *, ttl_ms=0, public=false))]
        fn respond(
            &self,
            py: Python<'_>,
            request: u64,
            result: Json<'_>,
            now: u64,
            ttl_ms: u32,
            public: bool,
        ) -> PyResult<()> {
            self.run(py, |engine| engine.respond(now, request, result.0, ttl_ms, public))
        }
        /// Answers with questions, a JSON object, and with state that the handler wants to see again.
        #[pyo3(signature = (request, questions, now, *, state=None))]
        fn respond_input_required(
            &self,
            py: Python<'_>,
            request: u64,
            questions: Json<'_>,
            now: u64,
            state: Option<&[u8]>,
        ) -> PyResult<()> {
            self.run(py, |engine| engine.respond_input_required(now, request, questions.0, state))
        }
        /// Answers with a result of a kind that an extension defines.
        fn respond_extension(
            &self,
            py: Python<'_>,
            request: u64,
            result_type: &str,
            result: Json<'_>,
            now: u64,
        ) -> PyResult<()> {
            self.run(py, |engine| engine.respond_extension(now, request, result_type, result.0))
        }
        /// Answers with an error of the application's own.
        #[pyo3(signature = (request, code, message, now, *, data=None))]
        fn respond_error(
            &self,
            py: Python<'_>,
            request: u64,
            code: i32,
            message: &str,
            now: u64,
            data: Option<Json<'_>>,
        ) -> PyResult<()> {
            self.run(py, |engine| engine.respond_error(now, request, code, message, as_bytes(data)))
        }
        /// Answers that the tool failed, with a text for the model.
        fn respond_tool_error(&self, py: Python<'_>, request: u64, text: &str, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.respond_tool_error(now, request, text))
        }
        /// Answers that the arguments do not fit, as the request's revision wants.
        fn respond_invalid_arguments(&self, py: Python<'_>, request: u64, text: &str, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.respond_invalid_arguments(now, request, text))
        }
        /// Answers that what the request names does not exist: a resource, a prompt, a tool.
        fn respond_not_found(&self, py: Python<'_>, request: u64, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.respond_not_found(now, request))
        }
        /// Answers for a failure that the peer need not know.
        fn respond_internal_error(&self, py: Python<'_>, request: u64, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.respond_internal_error(now, request))
        }
        /// Answers that the application does not offer what was asked for.
        fn respond_unsupported(&self, py: Python<'_>, request: u64, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.respond_unsupported(now, request))
        }
        /// Sends a log notice; false if it was not sent.
        #[pyo3(signature = (request, level, data, now, *, logger=None))]
        fn log(
            &self,
            py: Python<'_>,
            request: Option<u64>,
            level: &str,
            data: Json<'_>,
            now: u64,
            logger: Option<&str>,
        ) -> PyResult<bool> {
            self.run(py, |engine| engine.log(now, request.unwrap_or(0), level, logger, data.0))
        }
        /// Tells those who asked that something changed.
        #[pyo3(signature = (what, now, *, uri=None, concerns=None))]
        fn publish(
            &self,
            py: Python<'_>,
            what: &str,
            now: u64,
            uri: Option<&str>,
            concerns: Option<&str>,
        ) -> PyResult<()> {
            self.run(py, |engine| engine.publish(now, what, uri, concerns))
        }
        /// Remarks on the catalog, a JSON array of objects with `code`, `place` and `text`.
        fn lint(&self, py: Python<'_>) -> PyResult<String> {
            self.run(py, |engine| Ok(engine.lint()))
        }
        /// Replaces the catalog: a JSON object with any of `tools`, `resources`, `resourceTemplates`, `prompts` and
        /// `visible_to`.
        fn set_catalog(&self, py: Python<'_>, catalog: Json<'_>, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.set_catalog(now, catalog.0))
        }
    }
}

connection! {
    /// A client on one channel.
    ///
    /// `config` is a JSON object with `info` (`name`, `version`…) and, if wanted, `capabilities`, `revisions` (the best
    /// first), `probe` (ask for the era before the handshake), `cache` (keep results), `limits`, `result_types`,
    /// `task_notices` and `trace`. `seed` is fresh entropy, never used twice, that tests may fix.
    ClientConnection {
        #[new]
        #[pyo3(signature = (config, *, messages=false, seed=None, principal=None))]
        fn new(
            py: Python<'_>,
            config: Json<'_>,
            messages: bool,
            seed: Option<&[u8]>,
            principal: Option<&str>,
        ) -> PyResult<Self> {
            let seed = self::seed(py, seed)?;
            let engine = embed::ClientConnection::new(config.0, seed, channel(messages)).and_then(|mut engine| {
                engine.set_principal(principal)?;
                Ok(engine)
            });
            Self::holding(py, engine)
        }
        /// Begins; `Ready` or `Closed` follows.
        #[pyo3(signature = (now, *, remembered=None))]
        fn start(&self, py: Python<'_>, now: u64, remembered: Option<&str>) -> PyResult<()> {
            self.run(py, |engine| engine.start(now, remembered))
        }
        /// Calls a tool and returns the call's handle.
        #[pyo3(signature = (name, arguments, now, *, silence_ms=None, total_ms=None, progress=false, log_level=None, meta=None, task=None, task_ttl_ms=None))]
        #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
        fn call_tool(
            &self,
            py: Python<'_>,
            name: &str,
            arguments: Option<Json<'_>>,
            now: u64,
            silence_ms: Option<u64>,
            total_ms: Option<u64>,
            progress: bool,
            log_level: Option<&str>,
            meta: Option<Json<'_>>,
            task: Option<&str>,
            task_ttl_ms: Option<u64>,
        ) -> PyResult<u64> {
            let (meta, task) = (as_bytes(meta), self::task(task, task_ttl_ms)?);
            let options = Options { silence_ms, total_ms, progress, log_level, meta, task, fresh: false };
            self.run(py, |engine| engine.call_tool(now, name, as_bytes(arguments), options))
        }
        /// Asks for a page of the tools and returns the call's handle.
        #[pyo3(signature = (now, *, cursor=None, silence_ms=None, total_ms=None, fresh=false))]
        fn list_tools(
            &self,
            py: Python<'_>,
            now: u64,
            cursor: Option<&str>,
            silence_ms: Option<u64>,
            total_ms: Option<u64>,
            fresh: bool,
        ) -> PyResult<u64> {
            let options = Options { silence_ms, total_ms, fresh, ..Options::default() };
            self.run(py, |engine| engine.list_tools(now, cursor, options))
        }
        /// Asks for each page of a list, and returns the call's handle.
        #[pyo3(signature = (method, params, now, *, silence_ms=None, total_ms=None, meta=None, fresh=false))]
        #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
        fn list_all(
            &self,
            py: Python<'_>,
            method: &str,
            params: Option<Json<'_>>,
            now: u64,
            silence_ms: Option<u64>,
            total_ms: Option<u64>,
            meta: Option<Json<'_>>,
            fresh: bool,
        ) -> PyResult<u64> {
            let options = Options { silence_ms, total_ms, meta: as_bytes(meta), fresh, ..Options::default() };
            self.run(py, |engine| engine.list_all(now, method, as_bytes(params), options))
        }
        /// Asks whether the server lives, and returns the call's handle.
        fn probe(&self, py: Python<'_>, now: u64) -> PyResult<u64> {
            self.run(py, |engine| engine.probe(now))
        }
        /// Subscribes to changes, and returns the call's handle.
        #[pyo3(signature = (now, *, tools=false, prompts=false, resources=false, uris=Vec::new()))]
        #[expect(clippy::needless_pass_by_value, reason = "made for this call")]
        fn subscribe(
            &self,
            py: Python<'_>,
            now: u64,
            tools: bool,
            prompts: bool,
            resources: bool,
            uris: Vec<String>,
        ) -> PyResult<u64> {
            let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
            self.run(py, |engine| engine.subscribe(now, tools, prompts, resources, &uris))
        }
        /// The name that the revision in use has for a purpose.
        fn method_for(&self, py: Python<'_>, purpose: &str) -> PyResult<&'static str> {
            self.run(py, |engine| engine.method_for(purpose))
        }
        /// Whom calls are made for from now on.
        fn set_principal(&self, py: Python<'_>, principal: Option<&str>) -> PyResult<()> {
            self.run(py, |engine| engine.set_principal(principal))
        }
        /// Answers a question with a result, a JSON object.
        fn answer(&self, py: Python<'_>, input: u64, result: Json<'_>, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.answer(now, input, result.0))
        }
        /// Answers a question with an error of the application's own.
        fn answer_error(&self, py: Python<'_>, input: u64, code: i32, message: &str, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.answer_error(now, input, code, message))
        }
        /// Answers that the application has no answer.
        fn answer_unsupported(&self, py: Python<'_>, input: u64, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.answer_unsupported(now, input))
        }
        /// Answers for a failure that the server need not know.
        fn answer_internal_error(&self, py: Python<'_>, input: u64, now: u64) -> PyResult<()> {
            self.run(py, |engine| engine.answer_internal_error(now, input))
        }
    }
}
