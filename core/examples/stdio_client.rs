//! A blocking stdio client on `std` threads. It starts a server, runs the steps of a script, and prints a line of JSON for
//! each: `stdio_client [--revision R] [--legacy] SCRIPT -- SERVER ARGS…`, where SCRIPT is a JSON file or JSON itself:
//!
//! ```json
//! {"echo": {"name": "echo", "arguments": {"text": "hi"}}, "fail": {"name": "fail"}}
//! ```
//!
//! `more` is a list of further steps, `{"call": METHOD, "params": …, "log": LEVEL}`, `{"subscribe": [URI]}` and
//! `{"wait": METHOD}`, which waits for a notice. `answers` says what questions of the server are answered with, by their
//! method, and `capabilities` what is declared.
#![allow(clippy::indexing_slicing, reason = "indexing a `Value` gives null where there is none")]
use std::{
    io::{Read, Write},
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant as Clock},
};

use mcp_sansio::{
    CallHandle, Seed,
    error::{CallError, CloseReason},
    event::{Completion, Event, Outcome as Reply},
    json::Json,
    revision::Revision,
    session::{CallOptions, Client, ClientConfig, LogLevel, SubscriptionFilter},
    stdio::Connection,
    time::Instant,
};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;
type Outcome = Result<Completion, Box<CallError>>;

/// How long a server may take to exit after its input ended, and again after it was told to.
const EXIT: Duration = Duration::from_secs(2);

/// A server process and the engine that talks to it.
struct Session {
    connection: Connection<Client>,
    child: Child,
    stdin: Option<ChildStdin>,
    received: mpsc::Receiver<Vec<u8>>,
    origin: Clock,
    revision: &'static str,
    progress: Vec<f64>,
    /// What questions are answered with.
    answers: Value,
    /// The methods of the questions that were answered.
    asked: Vec<&'static str>,
    /// Methods and params of notices that nobody waited for yet.
    notices: Vec<(String, Value)>,
}

impl Session {
    /// Starts the server and opens the conversation; once more with `initialize`, if it dies of the probe.
    fn open(
        command: &[String],
        config: impl Fn(bool) -> ClientConfig,
        answers: &Value,
    ) -> Result<Self, Failure> {
        for probe in [true, false] {
            let mut session = Self::start(command, config(probe))?;
            session.answers = answers.clone();
            let now = session.now();
            session.connection.start(now, None);
            loop {
                match session.next_event()? {
                    Event::Ready(ready) => {
                        session.revision = ready.revision;
                        return Ok(session);
                    }
                    Event::Closed(CloseReason::ProbeClosed) if probe => {
                        session.child.wait()?;
                        break;
                    }
                    Event::Closed(reason) => return Err(reason.code().into()),
                    Event::Fault(fault) => eprintln!("{}: {}", fault.code, fault.detail),
                    _ => {}
                }
            }
        }
        Err(CloseReason::ProbeClosed.code().into())
    }
    fn start(command: &[String], config: ClientConfig) -> Result<Self, Failure> {
        let (program, args) = command.split_first().ok_or("no server command")?;
        let mut child =
            Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut stdout = child.stdout.take().ok_or("no stdout")?;
        let stdin = child.stdin.take();
        let (data, received) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(read @ 1..) = stdout.read(&mut buffer) {
                if data.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut seed = [0; 32];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut seed)?;
        let connection = Connection::new(Client::new(Arc::new(config), Seed(seed)));
        let origin = Clock::now();
        Ok(Self {
            connection,
            child,
            stdin,
            received,
            origin,
            revision: "",
            progress: Vec::new(),
            answers: Value::Null,
            asked: Vec::new(),
            notices: Vec::new(),
        })
    }
    fn now(&self) -> Instant {
        Instant::from_nanos(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
    /// The next event, waiting for it.
    fn next_event(&mut self) -> Result<Event, Failure> {
        loop {
            let mut out = Vec::new();
            while self.connection.write_to(&mut out, usize::MAX) > 0 {}
            let now = self.now();
            if let Some(stdin) = self.stdin.as_mut().filter(|_| !out.is_empty())
                && stdin.write_all(&out).and_then(|()| stdin.flush()).is_err()
            {
                // The server reads no more; what it wrote before is still to be read.
                self.stdin = None;
            }
            if let Some(event) = self.connection.poll_event() {
                self.serve(&event)?;
                return Ok(event);
            }
            if self.connection.is_over() {
                return Err("the connection is over".into());
            }
            let wait = self.connection.next_timeout().map_or(Duration::from_secs(3600), |at| at.since(now));
            match self.received.recv_timeout(wait) {
                Ok(data) => self.connection.handle_data(self.now(), &data),
                Err(mpsc::RecvTimeoutError::Timeout) => self.connection.handle_timeout(self.now()),
                Err(mpsc::RecvTimeoutError::Disconnected) => self.connection.handle_eof(self.now()),
            }
        }
    }
    /// Answers a question, and keeps a notice.
    fn serve(&mut self, event: &Event) -> Result<(), Failure> {
        match event {
            Event::Input(input) => {
                let answer = self.answers[input.method].to_string();
                let now = self.now();
                let result = Json::parse(answer.as_bytes())?;
                self.connection.answer(now, input.input, Reply::Result { result, cache: None })?;
                self.asked.push(input.method);
            }
            Event::Notification { method, params, .. } => {
                let params = params.as_ref().map(mcp_sansio::json::Payload::decode).transpose()?;
                self.notices.push((method.name().into_owned(), params.unwrap_or_default()));
            }
            _ => {}
        }
        Ok(())
    }
    /// The params of the next notice of this method.
    fn wait(&mut self, wanted: &str) -> Result<Value, Failure> {
        loop {
            if let Some(place) = self.notices.iter().position(|(method, _)| method == wanted) {
                return Ok(self.notices.remove(place).1);
            }
            if let Event::Closed(reason) = self.next_event()? {
                return Err(reason.code().into());
            }
        }
    }
    /// Subscribes, and returns the filter that the server honours.
    fn subscribe(&mut self, uris: &Value) -> Result<Value, Failure> {
        let uris: Vec<&str> = uris.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let now = self.now();
        let filter = SubscriptionFilter { uris: &uris, ..SubscriptionFilter::default() };
        let wanted = self.connection.subscribe(now, filter)?;
        loop {
            match self.next_event()? {
                Event::Subscribed(subscribed) if subscribed.call == wanted => {
                    return Ok(subscribed.filter.decode()?);
                }
                Event::Completed { outcome: Err(error), .. } => return Err(error.code().into()),
                _ => {}
            }
        }
    }
    /// One step of `more`.
    fn step(&mut self, step: &Value) -> Result<Value, Failure> {
        if let Some(method) = step["call"].as_str() {
            let params = step.get("params").cloned().unwrap_or_else(|| json!({}));
            let level = step["log"].as_str().and_then(LogLevel::from_name);
            let call = self.send(method, &params, CallOptions::new().log_level(level))?;
            return match self.outcome(call, false)? {
                Ok(completion) => Ok(completion.result.decode()?),
                Err(error) => Err(format!("{method}: {}: {error}", error.code()).into()),
            };
        }
        match step["wait"].as_str() {
            Some(method) => self.wait(method),
            None => self.subscribe(&step["subscribe"]),
        }
    }
    fn send(
        &mut self,
        method: &str,
        params: &Value,
        options: CallOptions<'_>,
    ) -> Result<CallHandle, Failure> {
        let params = params.to_string();
        let now = self.now();
        Ok(self.connection.call(now, method, Some(Json::parse(params.as_bytes())?), options)?)
    }
    fn outcome(&mut self, wanted: CallHandle, cancel_at_progress: bool) -> Result<Outcome, Failure> {
        self.progress.clear();
        loop {
            match self.next_event()? {
                Event::Completed { call, outcome } if call == wanted => return Ok(outcome),
                Event::Progress { call, params } if call == wanted => {
                    let params: Value = params.decode()?;
                    self.progress.extend(params["progress"].as_f64());
                    if cancel_at_progress {
                        let now = self.now();
                        self.connection.cancel(now, call, Some("enough"))?;
                    }
                }
                Event::Fault(fault) => eprintln!("{}: {}", fault.code, fault.detail),
                Event::Closed(reason) => return Err(reason.code().into()),
                _ => {}
            }
        }
    }
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        let call = self.send(method, params, CallOptions::new().progress(true))?;
        match self.outcome(call, false)? {
            Ok(completion) => Ok(completion.result.decode()?),
            Err(error) => Err(format!("{}: {error}", error.code()).into()),
        }
    }
    fn list(&mut self) -> Result<Vec<Value>, Failure> {
        let (mut tools, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.call("tools/list", &params)?;
            tools.extend(page["tools"].as_array().into_iter().flatten().map(|tool| tool["name"].clone()));
            match &page["nextCursor"] {
                Value::String(cursor) => params = json!({"cursor": cursor}),
                _ => return Ok(tools),
            }
        }
    }
    /// Ends the server's input and waits for its exit.
    fn close(mut self) -> Result<Option<i32>, Failure> {
        let now = self.now();
        self.connection.close(now, Duration::ZERO);
        while self.next_event().is_ok() {}
        drop(self.stdin.take());
        let asked = Clock::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.code());
            }
            if asked.elapsed() > EXIT {
                self.child.kill()?;
            }
            // Its output ends when it exits, unless a grandchild holds it.
            let _ = self.received.recv_timeout(Duration::from_millis(5));
        }
    }
}

fn text(result: &Value) -> &Value {
    &result["content"][0]["text"]
}

fn main() -> Result<ExitCode, Failure> {
    let mut args = std::env::args().skip(1);
    let (mut pinned, mut legacy, mut script) = (None, false, String::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--revision" => pinned = args.next(),
            "--legacy" => legacy = true,
            "--" => break,
            _ => script = arg,
        }
    }
    let command: Vec<String> = args.collect();
    let script = if script.starts_with('{') { script } else { std::fs::read_to_string(script)? };
    let script: Value = serde_json::from_str(&script)?;
    let pinned = match pinned {
        Some(name) => Some(Revision::from_name(&name).ok_or("no such revision")?),
        None => None,
    };
    let capabilities = script.get("capabilities").map_or_else(|| "{}".into(), Value::to_string);
    ClientConfig::new("", "").capabilities(capabilities.as_bytes())?;
    let config = |probe| {
        let config = ClientConfig::new("stdio-client", "0.1.0").probe(probe && !legacy);
        // They were taken just before.
        let config =
            config.capabilities(capabilities.as_bytes()).unwrap_or_else(|_| ClientConfig::new("", ""));
        match pinned {
            // One revision is a list that is not empty.
            Some(revision) => config.revisions(&[revision]).unwrap_or_else(|_| ClientConfig::new("", "")),
            None => config,
        }
    };

    let mut session = Session::open(&command, config, &script["answers"])?;
    println!("{}", json!({"step": "connect", "revision": session.revision}));
    println!("{}", json!({"step": "list", "tools": session.list()?}));
    if script.get("echo").is_some() {
        let result = session.call("tools/call", &target(&script["echo"]))?;
        println!("{}", json!({"step": "echo", "text": text(&result)}));
    }
    if script.get("fail").is_some() {
        let result = session.call("tools/call", &target(&script["fail"]))?;
        println!("{}", json!({"step": "fail", "isError": result["isError"]}));
    }
    if script.get("progress").is_some() {
        session.call("tools/call", &target(&script["progress"]))?;
        println!("{}", json!({"step": "progress", "values": session.progress}));
    }
    if let Some(cancel) = script.get("cancel") {
        let at_progress = cancel["after"] == "first-progress";
        let call = session.send("tools/call", &target(cancel), CallOptions::new().progress(true))?;
        if !at_progress {
            let now = session.now();
            session.connection.cancel(now, call, Some("enough"))?;
        }
        let outcome = match session.outcome(call, at_progress)? {
            Ok(_) => "completed",
            Err(error) => error.code(),
        };
        println!("{}", json!({"step": "cancel", "outcome": outcome}));
        let result = session.call("tools/call", &target(&script["echo"]))?;
        println!("{}", json!({"step": "after_cancel", "text": text(&result)}));
    }
    for step in script["more"].as_array().into_iter().flatten() {
        println!("{}", json!({"step": "more", "result": session.step(step)?}));
    }
    if script.get("more").is_some() {
        println!("{}", json!({"step": "asked", "methods": session.asked}));
    }
    let exit = session.close()?;
    println!("{}", json!({"step": "close", "server_exit": exit}));
    Ok(ExitCode::SUCCESS)
}

/// Name and arguments of a step, as the params of a call.
fn target(step: &Value) -> Value {
    json!({"name": step["name"], "arguments": step.get("arguments").cloned().unwrap_or_else(|| json!({}))})
}
