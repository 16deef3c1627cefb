//! A blocking stdio server on `std` threads: one reads, one thread a running tool, and the main thread owns the engine.
//!
//! Run it under any MCP client as `cargo run --example stdio_server`. With a folder as its argument it serves the files in
//! that as resources, too.
#![allow(clippy::indexing_slicing, reason = "indexing a `Value` gives null where there is none")]
use std::{
    collections::HashMap,
    io::{Read, Write},
    path::PathBuf,
    sync::{Arc, mpsc},
    thread::{self, Scope},
    time::{Duration, Instant as Clock},
};

use mcp_sansio::{
    RequestHandle, Seed,
    event::{Event, Outcome, Question, Request, Target},
    json::Json,
    limits::Limits,
    model::Base64,
    session::{Catalog, Change, LogLevel, Server, ServerConfig},
    stdio::Connection,
    time::Instant,
    uri::{Root, percent_decode},
};
use serde_json::{Value, json};

/// What other threads tell the one that owns the engine.
enum Input {
    Data(Vec<u8>),
    Eof,
    Progress(RequestHandle, f64, f64),
    Done(RequestHandle, Reply),
}

/// What becomes of a request.
enum Reply {
    /// A tool's text.
    Text(String),
    /// A tool failed.
    Failed(String),
    /// The whole result.
    Result(Value),
    /// A question to the client first: its method and params.
    Ask(&'static str, Value),
    /// What the request names does not exist.
    Missing,
}

const TOOLS: &str = r#"[
  {"name":"echo","description":"Gives the text back","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
  {"name":"fail","description":"Always fails","inputSchema":{"type":"object"}},
  {"name":"count","description":"Counts to n, reporting progress","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},
  {"name":"wait","description":"Runs until it is cancelled","inputSchema":{"type":"object"}},
  {"name":"ask","description":"Asks the user for a name","inputSchema":{"type":"object"}},
  {"name":"sample","description":"Asks the client's model for a word","inputSchema":{"type":"object"}},
  {"name":"roots","description":"Asks for the client's first root","inputSchema":{"type":"object"}},
  {"name":"log","description":"Logs at two levels","inputSchema":{"type":"object"}},
  {"name":"touch","description":"Says that test://text changed","inputSchema":{"type":"object"}}
]"#;

const RESOURCES: &str = r#"[
  {"uri":"test://text","name":"text","mimeType":"text/plain"},
  {"uri":"test://blob","name":"blob","mimeType":"application/octet-stream"}
]"#;

const ITEM: &str = r#"{"uriTemplate":"test://item/{number}","name":"item","mimeType":"text/plain"}"#;
const FILE: &str = r#"{"uriTemplate":"file:///{+path}","name":"file","mimeType":"text/plain"}"#;

const PROMPTS: &str = r#"[
  {"name":"greet","description":"Greets somebody","arguments":[{"name":"who","required":true}]}
]"#;

const CAPABILITIES: &[u8] =
    br#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},
  "prompts":{"listChanged":true},"completions":{},"logging":{}}"#;

/// A folder whose files are served.
struct Files {
    root: Root,
    folder: PathBuf,
}

impl Files {
    fn new(folder: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let folder = std::fs::canonicalize(folder)?;
        Ok(Self { root: Root::new(&folder.to_string_lossy())?, folder })
    }
    /// The bytes of a file that lies in the folder, by its name and behind its links.
    fn read(&self, uri: &str) -> Option<Vec<u8>> {
        let path = std::fs::canonicalize(self.root.contains(uri).ok()?).ok()?;
        path.starts_with(&self.folder).then(|| std::fs::read(path).ok()).flatten()
    }
}

/// The contents of a resource.
fn read(request: &Request, files: Option<&Files>) -> Reply {
    let uri = request.name().unwrap_or_default();
    let bytes =
        match (&*uri, request.variables().and_then(|json| serde_json::from_str::<Value>(json.get()).ok())) {
            ("test://text", _) => Some("héé 漢 🦀".into()),
            ("test://blob", _) => Some(vec![0xfb, 0xff, 0xbf, 0xfe, 0xff]),
            (_, Some(variables)) if variables["number"].is_string() => {
                let number = percent_decode(variables["number"].as_str().unwrap_or_default());
                number.ok().map(|number| format!("item {number}").into_bytes())
            }
            _ => files.and_then(|files| files.read(&uri)),
        };
    let Some(bytes) = bytes else { return Reply::Missing };
    let content = match String::from_utf8(bytes) {
        Ok(text) => json!({"uri": uri, "text": text}),
        Err(bytes) => json!({"uri": uri, "blob": Base64::encode(bytes.as_bytes()).as_str()}),
    };
    Reply::Result(json!({"contents": [content]}))
}

fn params(request: &Request) -> Value {
    request.params().and_then(|params| params.decode().ok()).unwrap_or_default()
}

/// A tool that asks one question, and says what it was answered.
fn ask(request: &Request, method: &'static str, question: Value, answered: &str) -> Reply {
    let Some(input) = request.input() else { return Reply::Ask(method, question) };
    let answer = input.answers.first().and_then(|(_, answer)| answer.decode::<Value>().ok());
    match answer.as_ref().and_then(|answer| answer.pointer(answered)).and_then(Value::as_str) {
        Some(text) => Reply::Text(format!("got {text}")),
        None => Reply::Failed("it was not answered".into()),
    }
}

/// What is answered at once; `None`: a tool has to run.
fn serve(request: &Request, files: Option<&Files>) -> Option<Reply> {
    let name = request.name().unwrap_or_default();
    Some(match (&*request.method().name(), &*name) {
        ("resources/read", _) => read(request, files),
        ("prompts/get", _) => {
            let text = format!("Hello {}", params(request)["arguments"]["who"].as_str().unwrap_or_default());
            Reply::Result(json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}))
        }
        ("completion/complete", _) => {
            let typed = params(request)["argument"]["value"].as_str().unwrap_or_default().to_owned();
            let names: Vec<_> =
                ["Ada", "Alan", "Grace"].into_iter().filter(|name| name.starts_with(&typed)).collect();
            Reply::Result(json!({"completion": {"values": names}}))
        }
        (_, "ask") => {
            let form =
                json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
            let question = json!({"message": "Who?", "requestedSchema": form});
            ask(request, "elicitation/create", question, "/content/name")
        }
        (_, "sample") => {
            let message = json!({"role": "user", "content": {"type": "text", "text": "Say a word"}});
            let question = json!({"messages": [message], "maxTokens": 10});
            ask(request, "sampling/createMessage", question, "/content/text")
        }
        (_, "roots") => ask(request, "roots/list", json!({}), "/roots/0/uri"),
        (_, "log") => Reply::Text("logged".into()),
        (_, "touch") => Reply::Text("touched".into()),
        _ => return None,
    })
}

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
    let files = std::env::args().nth(1).map(|folder| Files::new(&folder)).transpose()?;
    let templates = [ITEM].into_iter().chain(files.as_ref().map(|_| FILE));
    let templates: Vec<&serde_json::value::RawValue> =
        templates.map(serde_json::from_str).collect::<Result<_, _>>()?;
    let resources: Vec<&serde_json::value::RawValue> = serde_json::from_str(RESOURCES)?;
    let prompts: Vec<&serde_json::value::RawValue> = serde_json::from_str(PROMPTS)?;
    let catalog =
        Catalog::new().tools(tools)?.resources(resources)?.templates(templates)?.prompts(prompts)?;
    // Clients wait two seconds for the exit, so what still runs at the end of input has less.
    let mut limits = Limits::default();
    limits.drain = Duration::from_millis(1300);
    let config = ServerConfig::new("stdio-server", "0.1.0")
        .catalog(Arc::new(catalog))
        .capabilities(CAPABILITIES)?
        .limits(limits);
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
                    Input::Done(request, reply) => {
                        running.remove(&request);
                        answer(&mut connection, now(), request, reply)?;
                    }
                }
            }
            connection.handle_timeout(now());
            while let Some(event) = connection.poll_event() {
                match event {
                    Event::Request(request) => match serve(&request, files.as_ref()) {
                        Some(reply) => {
                            tell(&mut connection, now(), &request)?;
                            answer(&mut connection, now(), request.handle(), reply)?;
                        }
                        None => {
                            running.insert(request.handle(), start(tools, request, inputs.clone()));
                        }
                    },
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

/// The notices of the tools that give some.
fn tell(
    connection: &mut Connection<Server>,
    now: Instant,
    request: &Request,
) -> Result<(), Box<dyn std::error::Error>> {
    match request.name().as_deref() {
        Some("log") => {
            let target = Target::Request(request.handle());
            for (level, text) in [(LogLevel::Debug, "\"quiet\""), (LogLevel::Warning, "\"loud\"")] {
                connection.log(now, target, level, None, Json::parse(text.as_bytes())?)?;
            }
        }
        Some("touch") => connection.publish(now, Change::Resource { uri: "test://text", concerns: None }),
        _ => {}
    }
    Ok(())
}

/// Answers a request. One that was cancelled meanwhile is over, which is no failure.
fn answer(
    connection: &mut Connection<Server>,
    now: Instant,
    request: RequestHandle,
    reply: Reply,
) -> Result<(), Box<dyn std::error::Error>> {
    let result = match reply {
        Reply::Text(text) => json!({"content": [{"type": "text", "text": text}]}).to_string(),
        Reply::Result(result) => result.to_string(),
        Reply::Failed(text) => {
            let _ = connection.respond_tool_error(now, request, &text);
            return Ok(());
        }
        Reply::Missing => {
            let _ = connection.respond_not_found(now, request);
            return Ok(());
        }
        Reply::Ask(method, params) => {
            let params = params.to_string();
            let params = Some(Json::parse(params.as_bytes())?);
            let questions = &[Question { key: "q", method, params }];
            let _ = connection.respond(now, request, Outcome::InputRequired { questions, state: None });
            return Ok(());
        }
    };
    let result = Json::parse(result.as_bytes())?;
    let _ = connection.respond(now, request, Outcome::Result { result, cache: None });
    Ok(())
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
        let reply = outcome.map_or_else(Reply::Failed, Reply::Text);
        let _ = done.send(Input::Done(handle, reply));
    };
    if name == "wait" {
        tools.spawn(work);
    } else {
        work();
    }
    alive
}
