//! A blocking stdio server on `std` threads: one reads, one thread a running tool, and the main thread owns the engine.
//!
//! Run it under any MCP client as `cargo run --example stdio_server`.
#![allow(clippy::indexing_slicing, reason = "indexing a `Value` gives null where there is none")]
use std::{
    collections::HashMap,
    io::{Read, Write},
    sync::{Arc, mpsc},
    thread::{self, Scope},
    time::{Duration, Instant as Clock},
};

use mcp_sansio::{
    RequestHandle, Seed,
    event::{Event, Outcome, Request},
    json::Json,
    limits::Limits,
    session::{Catalog, Server, ServerConfig},
    stdio::Connection,
    time::Instant,
};
use serde_json::{Value, json};

/// What other threads tell the one that owns the engine.
enum Input {
    Data(Vec<u8>),
    Eof,
    Progress(RequestHandle, f64, f64),
    Done(RequestHandle, Result<String, String>),
}

const TOOLS: &str = r#"[
  {"name":"echo","description":"Gives the text back","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
  {"name":"fail","description":"Always fails","inputSchema":{"type":"object"}},
  {"name":"count","description":"Counts to n, reporting progress","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},
  {"name":"wait","description":"Runs until it is cancelled","inputSchema":{"type":"object"}}
]"#;

/// A running tool hears of its cancellation when the other end of this is dropped.
type Cancelled = mpsc::Receiver<()>;

fn run(
    name: &str,
    arguments: &Value,
    progress: impl Fn(f64, f64),
    cancelled: &Cancelled,
) -> Result<String, String> {
    match name {
        "echo" => {
            let text = arguments.get("text").and_then(Value::as_str);
            text.map(String::from).ok_or_else(|| "`text` must be a string".into())
        }
        "count" => {
            let n = arguments.get("n").and_then(Value::as_u64).ok_or("`n` must be a whole number")?;
            let n = u32::try_from(n).map_err(|_| "`n` is too large")?;
            for i in 1..=n {
                progress(f64::from(i), f64::from(n));
            }
            Ok(format!("counted to {n}"))
        }
        "wait" => {
            let _ = cancelled.recv();
            eprintln!("cancelled wait");
            Err("cancelled".into())
        }
        _ => Err("this tool always fails".into()),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools: Vec<&serde_json::value::RawValue> = serde_json::from_str(TOOLS)?;
    let catalog = Catalog::new().tools(tools)?;
    // Clients wait two seconds for the exit, so what still runs at the end of input has less.
    let mut limits = Limits::default();
    limits.drain = Duration::from_millis(1300);
    let config = ServerConfig::new("stdio-server", "0.1.0").catalog(Arc::new(catalog)).limits(limits);
    let mut seed = [0; 32];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut seed)?;
    let mut connection = Connection::new(Server::new(Arc::new(config), Seed(seed)));

    let origin = Clock::now();
    let now = || Instant::from_nanos(u64::try_from(origin.elapsed().as_nanos()).unwrap_or(u64::MAX));
    let (inputs, received) = mpsc::channel();
    let from_stdin = inputs.clone();
    thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut stdin = std::io::stdin().lock();
        while let Ok(read @ 1..) = stdin.read(&mut buffer) {
            let _ = from_stdin.send(Input::Data(buffer[..read].to_vec()));
        }
        let _ = from_stdin.send(Input::Eof);
    });

    let mut stdout = std::io::stdout().lock();
    // The scope ends when every tool has, so that one cancelled last still has its say.
    thread::scope(|tools| {
        let mut running: HashMap<RequestHandle, mpsc::Sender<()>> = HashMap::new();
        let mut out = Vec::new();
        while !connection.is_over() {
            let wait = connection.next_timeout().map_or(Duration::from_secs(3600), |at| at.since(now()));
            let first = received.recv_timeout(wait);
            for input in first.into_iter().chain(received.try_iter()) {
                match input {
                    Input::Data(data) => connection.handle_data(now(), &data),
                    Input::Eof => connection.handle_eof(now()),
                    Input::Progress(request, progress, total) => {
                        // A request that is over, or a full pipe: progress may be lost.
                        let _ = connection.progress(now(), request, progress, Some(total), None);
                    }
                    Input::Done(request, outcome) => {
                        running.remove(&request);
                        // A request that was cancelled meanwhile is over, which is no failure.
                        let _ = match outcome {
                            Ok(text) => {
                                let result = json!({"content": [{"type": "text", "text": text}]}).to_string();
                                let result = Json::parse(result.as_bytes())?;
                                connection.respond(now(), request, Outcome::Result { result, cache: None })
                            }
                            Err(text) => connection.respond_tool_error(now(), request, &text),
                        };
                    }
                }
            }
            connection.handle_timeout(now());
            while let Some(event) = connection.poll_event() {
                match event {
                    Event::Request(request) => {
                        running.insert(request.handle(), start(tools, request, inputs.clone()));
                    }
                    Event::Over { request, .. } => drop(running.remove(&request)),
                    Event::Fault(fault) => eprintln!("{}: {}", fault.code, fault.detail),
                    _ => {}
                }
            }
            loop {
                out.clear();
                let left = connection.write_to(&mut out, 64 << 10);
                if stdout.write_all(&out).and_then(|()| stdout.flush()).is_err() {
                    connection.handle_closed(now());
                }
                if left == 0 {
                    break;
                }
            }
        }
        Ok(())
    })
}

/// Runs a tool; dropping what is returned cancels it. Tools that never wait run at once.
fn start<'a>(tools: &'a Scope<'a, '_>, request: Request, done: mpsc::Sender<Input>) -> mpsc::Sender<()> {
    let (alive, cancelled) = mpsc::channel();
    let handle = request.handle();
    let name = request.name().unwrap_or_default().into_owned();
    let work = move || {
        let arguments = request.arguments().and_then(|text| text.decode::<Value>().ok()).unwrap_or_default();
        let report = |progress, total| drop(done.send(Input::Progress(handle, progress, total)));
        let outcome = run(request.name().as_deref().unwrap_or_default(), &arguments, report, &cancelled);
        let _ = done.send(Input::Done(handle, outcome));
    };
    if name == "wait" {
        tools.spawn(work);
    } else {
        work();
    }
    alive
}
