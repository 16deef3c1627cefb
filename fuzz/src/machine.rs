//! A program for a machine, in bytes: text goes in as it is, in the manner of a stream, and each control character but
//! tab, LF and CR is something else that happens. The first byte chooses the configuration.
//!
//! Whatever happens: no panic, one outcome for each call, one end for each request, `Closed` last and once, every line
//! sent is one message, no id is answered more often than it came, and a stream that comes byte by byte does the same as
//! one that comes in large pieces.
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
    time::Duration,
};

use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle, Seed,
    error::SendError,
    event::{Event, Outcome, Question, Target},
    json::Json,
    jsonrpc::envelope::{self, Kind, Message},
    limits::Limits,
    session::{CallOptions, Catalog, Change, Client, ClientConfig, LogLevel, STATS, Server, ServerConfig},
    stdio::Connection,
    time::Instant,
};

use crate::{
    host::{Channel, Handles},
    reference::lines,
};

/// Runs a program for a server.
pub fn check_server(program: &[u8]) {
    check(program, |choice| Connection::new(server(choice)), operate_server);
}

/// Runs a program for a client.
pub fn check_client(program: &[u8]) {
    let made = |choice| {
        let mut connection = Connection::new(client(choice));
        connection
            .start(Instant::from_nanos(0), [None, Some("2025-06-18"), None, None][usize::from(choice % 4)]);
        connection
    };
    check(program, made, operate_client);
}

fn check<C: Channel>(program: &[u8], make: impl Fn(u8) -> C, operate: impl Fn(&mut Host<C>, u8)) {
    let Some((&choice, program)) = program.split_first() else { return };
    let asked = ids(program, limits(choice).message_bytes);
    let run = |piece: usize| {
        let mut host = Host::new(make(choice));
        let mut obeys = true;
        for part in program.chunk_by(|&a, &b| !is_operation(a) && !is_operation(b)) {
            match part {
                &[operation] if is_operation(operation) => operate(&mut host, operation),
                stream => {
                    for piece in stream.chunks(piece) {
                        host.connection.data(host.now, piece);
                        obeys &= host.connection.wants_read();
                    }
                }
            }
            host.settle();
        }
        let (answers, seen) = host.end();
        for (id, answers) in answers {
            assert!(asked.get(&id).is_some_and(|&asked| answers <= asked), "{id} was answered too often");
        }
        (seen, obeys)
    };
    let ((whole, obeyed), (bytes, obeys)) = (run(usize::MAX), run(1));
    // A host that feeds on though nothing is wanted is treated by how much it feeds at once.
    assert!(whole == bytes || !(obeyed && obeys), "byte by byte:\n{whole}\n{bytes}");
}

/// How often each id came, token for token. The end of input ends a line.
fn ids(program: &[u8], limit: usize) -> BTreeMap<String, usize> {
    let stream = program.iter().map(|&byte| if byte == END_OF_INPUT { b'\n' } else { byte });
    let stream: Vec<u8> = stream.filter(|&byte| !is_operation(byte)).collect();
    let mut ids = BTreeMap::new();
    for line in lines(&stream, limit).into_iter().flatten() {
        count(&line, &mut ids, |_| true);
    }
    ids
}

fn count(message: &[u8], ids: &mut BTreeMap<String, usize>, wanted: fn(Kind) -> bool) {
    match envelope::parse(message, usize::MAX) {
        Ok(Message::Single(message)) => {
            if let Some(id) = message.id().filter(|_| wanted(message.kind())) {
                *ids.entry(id.into()).or_default() += 1;
            }
        }
        Ok(Message::Batch(batch)) => {
            envelope::elements(batch).for_each(|message| count(message.as_bytes(), ids, wanted));
        }
        Err(_) => {}
    }
}

const END_OF_INPUT: u8 = 0x01;

const fn is_operation(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}

fn limits(choice: u8) -> Limits {
    if choice & 4 != 0 {
        return Limits::default();
    }
    let mut limits = Limits::small();
    limits.message_bytes = 600;
    limits.depth = 12;
    limits.batch = 3;
    limits.requests = 3;
    limits.calls = 2;
    limits.events = 6;
    limits.output_bytes = 1500;
    limits.session_bytes = 4000;
    limits.error_replies = 2;
    limits.handler = Some(Duration::from_secs(20));
    limits.ping_interval = (choice & 8 != 0).then_some(Duration::from_secs(7));
    limits.ping_failures = 2;
    limits
}

const OLD: &[&str] = &["echo", "fail"];
const NEW: &[&str] = &["echo", "fail", "search"];

fn catalog(names: &[&str]) -> Arc<Catalog> {
    let tools: Vec<_> = names
        .iter()
        .map(|name| format!("{{\"name\":\"{name}\",\"inputSchema\":{{\"type\":\"object\"}}}}"))
        .collect();
    Arc::new(Catalog::new().tools(tools.iter().map(|tool| json(tool))).expect("tools"))
}

fn server(choice: u8) -> Server {
    let capabilities = br#"{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}}"#;
    let mut config = ServerConfig::new("fuzz", "1").limits(limits(choice)).page_size(1);
    if choice & 1 != 0 {
        config = config.catalog(catalog(OLD));
    }
    if choice & 2 != 0 {
        config = config.capabilities(capabilities).expect("capabilities");
    }
    Server::new(Arc::new(config.trace(choice & 16 != 0)), Seed([7; 32]))
}

fn client(choice: u8) -> Client {
    let capabilities = br#"{"sampling":{},"elicitation":{},"roots":{"listChanged":true}}"#;
    let config = ClientConfig::new("fuzz", "1").limits(limits(choice)).probe(choice & 3 != 3);
    let config = config.capabilities(capabilities).expect("capabilities").trace(choice & 16 != 0);
    Client::new(Arc::new(config), Seed([7; 32]))
}

fn json(text: &str) -> Json<'_> {
    Json::parse(text.as_bytes()).expect("JSON")
}

/// A host that may be slow, and that keeps the books.
struct Host<C> {
    connection: C,
    now: Instant,
    /// Requests of the peer, or questions to the client.
    asked: Handles,
    /// Requests that were answered with questions.
    waiting: BTreeSet<u64>,
    calls: Handles,
    polls: bool,
    writes: bool,
    closed: bool,
    answers: BTreeMap<String, usize>,
    steps: u32,
    seen: String,
}

impl<C: Channel> Host<C> {
    fn new(connection: C) -> Self {
        Self {
            connection,
            now: Instant::from_nanos(0),
            asked: Handles::default(),
            waiting: BTreeSet::new(),
            calls: Handles::default(),
            polls: true,
            writes: true,
            closed: false,
            answers: BTreeMap::new(),
            steps: 0,
            seen: String::new(),
        }
    }
    /// What happens to both roles.
    fn happen(&mut self, operation: u8) {
        let now = self.now;
        match operation {
            END_OF_INPUT => self.connection.eof(now),
            0x02 => self.connection.closed(now),
            0x03 => self.connection.close(now, Duration::from_secs(3)),
            0x04 => self.polls = !self.polls,
            0x05 => self.writes = !self.writes,
            0x06 => {
                self.now = now.after(Duration::from_millis(900));
                self.connection.timeout(self.now);
            }
            0x07 => {
                // Time may be said to run back; it does not.
                self.now = self.connection.deadline().unwrap_or(Instant::from_nanos(0));
                self.connection.timeout(self.now);
            }
            _ => {}
        }
    }
    fn settle(&mut self) {
        if self.polls {
            self.poll();
        }
        if self.writes {
            self.write();
        }
    }
    fn poll(&mut self) {
        while let Some(event) = self.connection.event() {
            assert!(!self.closed, "{event:?} after `Closed`");
            let _ = writeln!(self.seen, "{event:?}");
            match event {
                Event::Request(request) => {
                    self.asked.begin(request.handle().as_u64());
                    if let Some(previous) = request.input().and_then(|input| input.previous) {
                        assert!(self.waiting.remove(&previous.as_u64()), "{previous:?} came again unasked");
                    }
                }
                Event::Over { request, .. } => {
                    if !self.waiting.remove(&request.as_u64()) {
                        self.asked.end(request.as_u64());
                    }
                }
                Event::Input(input) => self.asked.begin(input.input.as_u64()),
                Event::InputOver { input } => self.asked.end(input.as_u64()),
                Event::Completed { call, .. } => self.calls.end(call.as_u64()),
                Event::Progress { call, .. } => {
                    assert_eq!(self.calls.0.get(&call.as_u64()), Some(&true), "progress of what is over");
                }
                Event::Closed(_) => {
                    self.closed = true;
                    assert_eq!(self.asked.oldest(), None, "a request had no end");
                    assert_eq!(self.calls.oldest(), None, "a call had no outcome");
                }
                _ => {}
            }
        }
        while self.connection.trace() {}
    }
    fn write(&mut self) {
        let mut out = Vec::new();
        loop {
            let start = out.len();
            let rest = self.connection.output(&mut out, start + 100);
            if out.len() == start {
                assert_eq!(rest, 0, "nothing was taken, but something is left");
                break;
            }
        }
        let out = String::from_utf8(out).expect("UTF-8");
        assert!(out.is_empty() || out.ends_with('\n'), "a line without its end");
        for line in out.lines() {
            match envelope::parse(line.as_bytes(), usize::MAX) {
                Ok(Message::Single(message)) => assert_ne!(message.kind(), Kind::Invalid, "{line}"),
                Ok(Message::Batch(_)) => {}
                Err(error) => panic!("{error}: {line}"),
            }
            count(line.as_bytes(), &mut self.answers, |kind| kind == Kind::Response);
        }
        self.seen.push_str(&out);
    }
    /// The books after an answer.
    fn answered(&mut self, handle: u64, outcome: Result<(), SendError>) {
        let live = self.asked.0.get(&handle).copied();
        match (live, outcome) {
            (Some(true), Ok(()) | Err(SendError::TooLarge)) => self.asked.end(handle),
            // Its end waits in the queue.
            (Some(true), Err(SendError::Over)) => assert!(!self.closed),
            (Some(true), Err(SendError::Invalid(_))) | (Some(false), Err(SendError::Over)) => {}
            (None, Err(SendError::UnknownHandle)) => {}
            (live, outcome) => panic!("{outcome:?} for the handle {handle}, live: {live:?}"),
        }
    }
    fn called(&mut self, call: Result<CallHandle, SendError>) {
        if let Ok(call) = call {
            self.calls.begin(call.as_u64());
        }
    }
    /// An answer that is never the same.
    fn result(&mut self) -> String {
        self.steps += 1;
        match self.steps % 4 {
            0 => "{\"messages\":[]}".into(),
            1 => format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}", self.steps),
            2 => format!("{{\"_meta\":{{\"a\":1}},\n\"content\":[],\"text\":\"{}\"}}", "x".repeat(700)),
            _ => "{\"resultType\":\"complete\",\"contents\":[]}".into(),
        }
    }
    fn end(mut self) -> (BTreeMap<String, usize>, String) {
        self.connection.closed(self.now);
        self.poll();
        self.write();
        assert!(self.closed, "no `Closed`");
        assert!(self.connection.is_over());
        assert_eq!(self.connection.deadline(), None, "a timer outlived the machine");
        let counters = self.connection.counters();
        for (name, value) in STATS.iter().zip(counters.values().map(|(_, value)| value)) {
            assert!(!name.ends_with("_now") || value == 0, "{name} is {value}");
        }
        // Inert from here on.
        self.connection.data(self.now, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        self.connection.eof(self.now);
        self.connection.timeout(self.now.after(Duration::from_secs(1 << 30)));
        self.poll();
        let _ = writeln!(self.seen, "{counters:?}");
        (self.answers, self.seen)
    }
}

fn operate_server(host: &mut Host<Connection<Server>>, operation: u8) {
    let now = host.now;
    let oldest = host.asked.oldest().unwrap_or(u64::from(operation) << 20);
    let request = RequestHandle::from_u64(oldest);
    let target = if host.steps.is_multiple_of(2) { Target::Channel } else { Target::Request(request) };
    match operation {
        0x08 => {
            let result = host.result();
            let outcome = Outcome::Result { result: json(&result), cache: None };
            let answer = host.connection.respond(now, request, outcome);
            host.answered(oldest, answer);
        }
        0x0b => {
            let outcome = Outcome::Error { code: 1, message: "no\n", data: Some(Json::EMPTY_OBJECT) };
            let answer = host.connection.respond(now, request, outcome);
            host.answered(oldest, answer);
        }
        0x0c => {
            let answer = host.connection.respond_tool_error(now, request, "it failed");
            host.answered(oldest, answer);
        }
        0x0e => {
            let answer = host.connection.respond_invalid_arguments(now, request, "no such file");
            host.answered(oldest, answer);
        }
        0x0f => {
            let over = host.asked.over().unwrap_or(u64::MAX);
            let outcome = Outcome::Result { result: Json::EMPTY_OBJECT, cache: None };
            let answer = host.connection.respond(now, RequestHandle::from_u64(over), outcome);
            host.answered(over, answer);
        }
        0x10 => {
            host.steps += 1;
            let _ = host.connection.progress(now, request, f64::from(host.steps), Some(f64::NAN), Some("on"));
        }
        0x11 => {
            host.steps += 1;
            let _ = host.connection.log(now, target, LogLevel::Error, Some("x"), json("[\n]"));
        }
        0x12 => {
            host.steps += 1;
            let method = ["elicitation/create", "sampling/createMessage", "ping", "roots/list"];
            let method = method[host.steps as usize % method.len()];
            let options = CallOptions::new().progress(true).timeouts(Some(Duration::from_secs(5)), None);
            let call = host.connection.call(now, target, method, Some(Json::EMPTY_OBJECT), options);
            host.called(call);
        }
        0x13 => {
            let call = host.calls.oldest().unwrap_or(u64::MAX);
            let _ = host.connection.cancel(now, CallHandle::from_u64(call), Some("enough"));
        }
        0x14 => host.connection.publish(now, Change::Prompts),
        0x15 => host.connection.set_catalog(now, catalog(NEW)),
        0x16 => host.connection.set_catalog(now, catalog(OLD)),
        0x17 => {
            host.steps += 1;
            let params = json("{\"uri\":\"file:///a\"}");
            let _ = host.connection.notify(now, target, "notifications/resources/updated", Some(params));
        }
        0x18 | 0x19 => {
            let questions = [
                Question { key: "a", method: "roots/list", params: None },
                Question { key: "b\n", method: "sampling/createMessage", params: Some(json(SAMPLE)) },
            ];
            let questions = if operation == 0x18 { &questions[..] } else { &[] };
            let answer = host.connection.respond(
                now,
                request,
                Outcome::InputRequired { questions, state: Some(b"s") },
            );
            if answer.is_ok() {
                host.waiting.insert(oldest);
            }
            host.answered(oldest, answer);
        }
        other => host.happen(other),
    }
}

/// A question for the model.
const SAMPLE: &str = "{\"messages\":[],\n\"maxTokens\":1}";
/// An answer of the model that is one of folders too.
const FITTING: &str = "{\"roots\":[],\"role\":\"assistant\",\"model\":\"m\",\"content\":{}}";

fn operate_client(host: &mut Host<Connection<Client>>, operation: u8) {
    let now = host.now;
    let oldest = host.asked.oldest().unwrap_or(u64::from(operation) << 20);
    let input = InputHandle::from_u64(oldest);
    match operation {
        0x08 => {
            let result = host.result();
            let result = match host.steps % 4 {
                0 => json(&result),
                1 => json("{\"action\":\"decline\"}"),
                _ => json(FITTING),
            };
            let outcome = Outcome::Result { result, cache: None };
            let answer = host.connection.answer(now, input, outcome);
            host.answered(oldest, answer);
        }
        0x0b => {
            let outcome = Outcome::Error { code: -1, message: "declined", data: None };
            let answer = host.connection.answer(now, input, outcome);
            host.answered(oldest, answer);
        }
        0x0f => {
            let over = host.asked.over().unwrap_or(u64::MAX);
            let outcome = Outcome::Result { result: Json::EMPTY_OBJECT, cache: None };
            let answer = host.connection.answer(now, InputHandle::from_u64(over), outcome);
            host.answered(over, answer);
        }
        0x10 => {
            host.steps += 1;
            let _ = host.connection.progress(now, input, f64::from(host.steps), None, None);
        }
        0x11 => {
            let params = json("{\"name\":\"echo\",\"arguments\":{},\"_meta\":{\"a\":1}}");
            let options = CallOptions::new().progress(true);
            let call = host.connection.call(now, "tools/call", Some(params), options);
            host.called(call);
        }
        0x12 => {
            host.steps += 1;
            let method = ["tools/list", "ping", "resources/read", "subscriptions/listen", "made/up"];
            let method = method[host.steps as usize % method.len()];
            let options = CallOptions::new().timeouts(None, Some(Duration::from_secs(2)));
            let call = host.connection.call(now, method, None, options);
            host.called(call);
        }
        0x13 => {
            let call = host.calls.oldest().unwrap_or(u64::MAX);
            let _ = host.connection.cancel(now, CallHandle::from_u64(call), None);
        }
        0x14 => {
            let _ = host.connection.notify(now, "notifications/roots/list_changed", None);
        }
        0x15 => {
            let params = format!("{{\"name\":\"echo\",\"arguments\":{{\"text\":\"{}\"}}}}", "x".repeat(600));
            let call = host.connection.call(now, "tools/call", Some(json(&params)), CallOptions::new());
            host.called(call);
        }
        other => host.happen(other),
    }
}
