//! The trace: whatever happens to a machine, the same happens again to a fresh one that is given its trace; and a redacted
//! one holds no payload.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use common::*;
use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle, Seed,
    event::{Action, CacheHint, Event, Outcome, Question, Target},
    session::{
        CallOptions, Catalog, Change, Client, ClientConfig, LogLevel, ReplayError, Server, ServerConfig,
        SubscriptionFilter, TaskOptions, first_difference, replay,
    },
    stdio::Connection,
    time::{Instant, WallClock},
    trace::{NotARecord, TraceKind, TraceRecord, Tracing, redact_uri},
};

/// Numbers that depend on the seed alone.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound
    }
    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
    fn handle(&mut self, given: &[u64]) -> u64 {
        if given.is_empty() { 7 } else { given[self.below(given.len())] }
    }
}

const SEED: [u8; 32] = [3; 32];
const CLOCK: WallClock = WallClock { at: Instant::from_nanos(0), unix_millis: 1_700_000_000_000 };
const TOOLS: &str = r#"{"tools":[{"name":"slow","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}},
    {"name":"rare","inputSchema":{"type":"object"}}],"resources":[{"uri":"a:b","name":"b"}],
    "visible_to":{"tools":{"rare":["z","a"]}}}"#;
const OTHERS: &str = r#"{"tools":[{"name":"slow","inputSchema":{"type":"object"}},{"name":"more",
    "inputSchema":{"type":"object"}}],"resources":[],"visible_to":{"tools":{"more":["a"]}}}"#;

fn tight() -> mcp_sansio::limits::Limits {
    limits(|limits| {
        limits.message_bytes = 3000;
        limits.output_bytes = 1200;
        limits.session_bytes = 60_000;
        limits.events = 8;
        limits.call_silence = seconds(3);
        limits.handler = Some(seconds(6));
        limits.input_timeout = seconds(9);
        limits.ping_interval = Some(seconds(4));
        limits.trace = usize::MAX;
    })
}

fn a_server(tracing: Tracing) -> Server {
    let capabilities = br#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},
        "logging":{},"completions":{},"tasks":{"requests":{"tools":{"call":{}}},"cancel":{},"list":{}}}"#;
    let config = ServerConfig::new("s", "1")
        .catalog(Arc::new(Catalog::from_json(TOOLS.as_bytes()).unwrap()))
        .capabilities(capabilities)
        .unwrap()
        .page_size(1)
        .limits(tight())
        .unknown_methods(true)
        .trace(tracing);
    Server::new(Arc::new(config), Seed(SEED))
        .with_principal("me")
        .unwrap()
        .with_groups(["a"])
        .with_clock(CLOCK)
}

fn a_client(revision: &str, tracing: Tracing) -> Client {
    let capabilities = br#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{}}}"#;
    let revision = mcp_sansio::revision::Revision::from_name(revision).unwrap();
    let config = ClientConfig::new("c", "1")
        .capabilities(capabilities)
        .unwrap()
        .revisions(&[revision])
        .unwrap()
        .limits(tight())
        .trace(tracing);
    Client::new(Arc::new(config), Seed(SEED)).with_clock(CLOCK)
}

/// What the host takes: the messages, and what it saw of everything.
#[derive(Default)]
struct Seen {
    messages: VecDeque<String>,
    requests: Vec<u64>,
    inputs: Vec<(u64, &'static str)>,
    calls: Vec<u64>,
    /// For the comparison: how the events look.
    events: Vec<String>,
    sent: Vec<String>,
}

impl Seen {
    fn event(&mut self, event: &Event) {
        self.events.push(format!("{event:?}"));
        match event {
            Event::Request(request) => self.requests.push(request.handle().as_u64()),
            Event::Input(input) => self.inputs.push((input.input.as_u64(), input.method)),
            _ => {}
        }
    }
    fn sent(&mut self, message: &str) {
        self.sent.push(message.into());
        self.messages.push_back(message.into());
    }
    /// Takes so many actions.
    fn drain(&mut self, machine: &mut impl Machine, most: usize) {
        for _ in 0..most {
            match machine.poll() {
                Some(Action::Send(outgoing)) => self.sent(outgoing.message),
                Some(Action::Deliver(event)) => self.event(&event),
                Some(_) => {}
                None => break,
            }
        }
    }
}

const IDS: [&str; 5] = ["1", "2", "3", "\"x\"", "1.5"];
const META: &str = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                    \"io.modelcontextprotocol/clientCapabilities\":{},\"progressToken\":1}";

/// What no well-behaved peer sends, or does at another time.
fn noise(dice: &mut Dice) -> Vec<u8> {
    let id = dice.of(&IDS);
    let text = match dice.below(8) {
        0 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"),
        1 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"),
        2 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"slow\",{META}}}}}"
        ),
        3 => format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}"
        ),
        4 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-1,\"message\":\"\"}}}}"),
        5 => format!("{{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{{\"a\":\"{}\"}}}}", "x".repeat(4000)),
        6 => return b"{\"a\":\"\xff\xfe".to_vec(),
        _ => String::from("[]\n"),
    };
    text.into_bytes()
}

fn answer_for(method: &str) -> &'static str {
    match method {
        "roots/list" => r#"{"roots":[{"uri":"file:///a"}]}"#,
        "elicitation/create" => "{\"action\":\"accept\",\r\n\"content\":{\"n\":1}}",
        _ => r#"{"role":"assistant","model":"m","content":{"type":"text","text":"t"}}"#,
    }
}

const ELICIT: &str = r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}"#;

fn serve_once(dice: &mut Dice, server: &mut Server, seen: &mut Seen, now: Instant) {
    let request = RequestHandle::from_u64(dice.handle(&seen.requests));
    let target = if dice.below(2) == 0 { Target::Channel } else { Target::Request(request) };
    match dice.below(18) {
        0..=2 => {
            let cache = (dice.below(2) == 0).then_some(CacheHint { ttl_ms: 5, public: true });
            let result = json(" {\"content\":[],\n\"contents\":[]} ");
            drop(server.respond(now, request, Outcome::Result { result, cache }));
        }
        3 => {
            let error = Outcome::Error { code: 7, message: "\u{1}é", data: Some(json("[null ]")) };
            drop(server.respond(now, request, error));
        }
        4 | 5 => {
            let question = Question { key: "k", method: "elicitation/create", params: Some(json(ELICIT)) };
            let questions = [question];
            let asked = Outcome::InputRequired { questions: &questions, state: Some(&[0, 255]) };
            drop(server.respond(now, request, asked));
        }
        6 => drop(server.respond_tool_error(now, request, "bad")),
        7 => drop(server.respond_invalid_arguments(now, request, "bad")),
        8 => drop(server.respond_not_found(now, request)),
        9 => {
            let progress = [0.5, 1e300, f64::NAN, 2.0][dice.below(4)];
            let _ = server.progress(now, request, progress, Some(1.5), Some("p"));
        }
        10 => {
            let _ = server.log(now, target, LogLevel::Error, Some("l"), json("\"said\""));
        }
        11 => drop(server.notify(now, target, "x/y", Some(json("{\"a\":1}")))),
        12 => {
            let method = dice.of(&["roots/list", "ping", "x/y"]);
            let options = CallOptions::new().timeouts(Some(seconds(2)), None).progress(true);
            if let Ok(call) = server.call(now, target, method, Some(json("{}")), options) {
                seen.calls.push(call.as_u64());
            }
        }
        13 => drop(server.cancel(now, CallHandle::from_u64(dice.handle(&seen.calls)), Some("why"))),
        14 => server.publish(now, Change::Resource { uri: "a:b", concerns: Some("a:") }),
        15 => {
            let catalog = dice.of(&[TOOLS, OTHERS]);
            server.set_catalog(now, Arc::new(Catalog::from_json(catalog.as_bytes()).unwrap()));
        }
        16 => drop(server.task_status(now, request, "busy")),
        _ if dice.below(60) == 0 => server.close(now, seconds(1)),
        _ => server.set_wall_clock(WallClock { at: now, unix_millis: 1_800_000_000_000 }),
    }
}

fn ask_once(dice: &mut Dice, client: &mut Client, seen: &mut Seen, now: Instant) {
    let options = CallOptions::new()
        .progress(dice.below(2) == 0)
        .log_level((dice.below(3) == 0).then_some(LogLevel::Debug))
        .meta((dice.below(3) == 0).then(|| json("{\"com.example/a\":1}")))
        .task((dice.below(5) == 0).then(|| TaskOptions::new().ttl(Some(seconds(50)))))
        .fresh(dice.below(4) == 0);
    let began = match dice.below(16) {
        0..=4 => client.call(now, "tools/call", Some(json(r#"{"name":"slow","arguments":{}}"#)), options),
        5 => client.call(now, "resources/read", Some(json(r#"{"uri":"a:b"}"#)), options),
        6 => client.list_all(now, "tools/list", None, options),
        7 => client.probe(now),
        8 => client.subscribe(now, SubscriptionFilter { tools: true, uris: &["a:b"], ..Default::default() }),
        9 => {
            let call = CallHandle::from_u64(dice.handle(&seen.calls));
            return drop(client.cancel(now, call, None));
        }
        10..=12 => {
            let (input, method) = seen.inputs.last().copied().unwrap_or((7, ""));
            let input = InputHandle::from_u64(input);
            let outcome = match dice.below(5) {
                0 => Outcome::Error { code: -1, message: "no", data: None },
                1 => {
                    let _ = client.progress(now, input, 1.0, None, None);
                    return;
                }
                _ => result(answer_for(method)),
            };
            return drop(client.answer(now, input, outcome));
        }
        13 => return drop(client.notify(now, "notifications/roots/list_changed", None)),
        14 => return drop(client.set_principal(dice.of(&[&None, &Some("you")]).to_owned())),
        _ if dice.below(40) == 0 => return client.close(now, Duration::from_nanos(5)),
        _ => return drop(client.task_status(now, InputHandle::from_u64(8), "busy")),
    };
    if let Ok(call) = began {
        seen.calls.push(call.as_u64());
    }
}

/// Two machines that talk, with noise between them.
struct Pair {
    server: Server,
    client: Client,
    of_server: Seen,
    of_client: Seen,
}

impl Pair {
    fn converse(seed: u64, revision: &str, tracing: Tracing) -> Self {
        let mut dice = Dice(seed);
        let mut pair = Self {
            server: a_server(tracing),
            client: a_client(revision, tracing),
            of_server: Seen::default(),
            of_client: Seen::default(),
        };
        let Self { server, client, of_server, of_client } = &mut pair;
        let lazy = dice.below(3) == 0;
        let mut now = Instant::from_nanos(1_000_000_000);
        client.start(now, None);
        for _ in 0..160 {
            match dice.below(16) {
                0 => now = now.after(Duration::from_millis(700)),
                1 => server.handle_timeout(now),
                2 => client.handle_timeout(now),
                3 if dice.below(3) == 0 => server.handle_message(now, &noise(&mut dice)),
                3 if dice.below(2) == 0 => client.handle_message(now, &noise(&mut dice)),
                4..=6 => serve_once(&mut dice, server, of_server, now),
                7..=8 => ask_once(&mut dice, client, of_client, now),
                9 if dice.below(90) == 0 => server.handle_eof(now),
                9 if dice.below(90) == 0 => client.handle_closed(now),
                _ if lazy && dice.below(8) > 0 => {}
                _ => {
                    let most = [1, 2, 50][dice.below(3)];
                    of_server.drain(server, most);
                    of_client.drain(client, most);
                    for _ in 0..dice.below(4) {
                        if let Some(message) = of_client.messages.pop_front() {
                            server.handle_message(now, message.as_bytes());
                        }
                        if let Some(message) = of_server.messages.pop_front() {
                            client.handle_message(now, message.as_bytes());
                        }
                    }
                }
            }
        }
        server.handle_eof(now);
        of_server.drain(server, 1000);
        of_client.drain(client, 1000);
        pair
    }
}

/// The trace so far, written and read again.
fn records(mut next: impl FnMut() -> Option<TraceRecord>) -> Vec<TraceRecord> {
    let mut all = Vec::new();
    while let Some(record) = next() {
        let line = record.to_json();
        assert!(!line.contains('\n'));
        assert_eq!(TraceRecord::from_json(line.as_bytes()).as_ref(), Ok(&record), "{line}");
        all.push(record);
    }
    all
}

fn same(recorded: &[TraceRecord], replayed: &[TraceRecord]) {
    if let Some(difference) = first_difference(recorded, replayed) {
        panic!("{difference}");
    }
}

/// What a trace says was sent, or told.
fn texts(records: &[TraceRecord], kind: TraceKind) -> Vec<&str> {
    records.iter().filter(|record| record.kind == kind).map(|record| &*record.text).collect()
}

#[test]
fn a_replay_does_the_same() {
    let mut commands = BTreeMap::<(String, String), u64>::new();
    let mut events = BTreeSet::new();
    for seed in 1..120_u64 {
        for revision in ["2025-03-26", NEWEST, MODERN] {
            let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut pair = Pair::converse(seed, revision, Tracing::Full);
            let served = records(|| pair.server.poll_trace());
            let asked = records(|| pair.client.poll_trace());
            same(&served, &replay(&served, &mut a_server(Tracing::Off)).unwrap());
            same(&asked, &replay(&asked, &mut a_client(revision, Tracing::Off)).unwrap());
            for (seen, records) in [(&pair.of_server, &served), (&pair.of_client, &asked)] {
                assert_eq!(seen.sent, texts(records, TraceKind::Sent));
                assert_eq!(seen.events.len(), texts(records, TraceKind::Event).len());
                for record in records {
                    match record.kind {
                        TraceKind::Command => {
                            let outcome = if record.outcome == "ok" { "ok" } else { "refused" };
                            *commands.entry((record.name.to_string(), outcome.into())).or_default() += 1;
                        }
                        TraceKind::Event => drop(events.insert(record.name.to_string())),
                        _ => {}
                    }
                }
            }
            // Tracing changes nothing.
            let untraced = Pair::converse(seed, revision, Tracing::Off);
            assert_eq!(untraced.of_server.sent, pair.of_server.sent);
            assert_eq!(untraced.of_server.events, pair.of_server.events);
            assert_eq!(untraced.of_client.events, pair.of_client.events);
        }
    }
    println!("{commands:?} {events:?}");
    for (name, outcome) in [
        ("start", "ok"),
        ("call", "ok"),
        ("call", "refused"),
        ("list_all", "ok"),
        ("probe", "ok"),
        ("subscribe", "ok"),
        ("cancel", "ok"),
        ("answer", "ok"),
        ("progress", "ok"),
        ("notify", "ok"),
        ("set_principal", "ok"),
        ("respond", "ok"),
        ("respond", "refused"),
        ("respond_tool_error", "ok"),
        ("respond_invalid_arguments", "ok"),
        ("respond_not_found", "ok"),
        ("log", "ok"),
        ("publish", "ok"),
        ("set_catalog", "ok"),
        ("task_status", "ok"),
        ("close", "ok"),
        ("set_wall_clock", "ok"),
        ("handle_timeout", "ok"),
        ("handle_eof", "ok"),
        ("handle_closed", "ok"),
        ("writable", "ok"),
    ] {
        assert!(commands.contains_key(&(name.into(), outcome.into())), "{name} {outcome}");
    }
    for name in [
        "ready",
        "request",
        "over",
        "completed",
        "progress",
        "task",
        "input",
        "input_over",
        "subscribed",
        "notification",
        "watched",
        "fault",
        "writable",
        "closed",
    ] {
        assert!(events.contains(name), "{name}");
    }
}

/// Over a byte stream too, cut anywhere, with lines that are too long and a backlog.
#[test]
fn a_replay_of_a_stream_does_the_same() {
    let mut names = BTreeSet::new();
    for seed in 1..150_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut server = Connection::new(a_server(Tracing::Full));
        let mut now = Instant::from_nanos(5);
        let mut out = Vec::new();
        let opening = initialize(0, NEWEST, &serde_json::json!({})).to_string() + "\n";
        server.handle_data(now, opening.as_bytes());
        server.handle_data(now, format!("{}\n", initialized()).as_bytes());
        let mut requests = Vec::new();
        for _ in 0..80 {
            match dice.below(8) {
                0..=2 => {
                    let mut piece = Vec::new();
                    for _ in 0..dice.below(6) {
                        piece.extend_from_slice(&noise(&mut dice));
                        piece.push(b'\n');
                    }
                    let (head, tail) = piece.split_at(dice.below(piece.len() + 1));
                    server.handle_data(now, head);
                    server.handle_data(now, tail);
                }
                3 => {
                    now = now.after(seconds(1));
                    server.handle_timeout(now);
                }
                4 => {
                    let request = RequestHandle::from_u64(dice.handle(&requests));
                    drop(server.respond(now, request, result(DONE)));
                }
                5 => drop(server.write_to(&mut out, 700)),
                _ => {
                    if let Some(Event::Request(request)) = server.poll_event() {
                        requests.push(request.handle().as_u64());
                    }
                    out.clear();
                }
            }
        }
        if dice.below(8) == 0 {
            server.handle_data(now, &b"[]\n".repeat(50_000));
        }
        server.handle_closed(now);
        while server.poll_event().is_some() {}
        let recorded = records(|| server.poll_trace());
        same(&recorded, &replay(&recorded, &mut a_server(Tracing::Off)).unwrap());
        names.extend(recorded.iter().map(|record| record.name.to_string()));
    }
    for name in ["handle_too_long", "handle_dropped", "handle_closed", "respond", "overrun"] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
}

/// The schema of a call's result is in the trace.
#[cfg(feature = "schema")]
#[test]
fn checks_of_results_are_replayed() {
    use mcp_sansio::schema::Validator;
    let schema = Arc::new(Validator::compile(json(r#"{"type":"object","required":["a"]}"#)).unwrap());
    let mut host = Host::new(a_client(NEWEST, Tracing::Full));
    host.machine.start(host.now, None);
    let opening = host.one();
    host.tell(&answer(&opening, &initialize_result(NEWEST)));
    host.sent();
    let options = CallOptions::new().output(Some(&schema));
    host.machine.call(host.now, "tools/call", Some(json(r#"{"name":"a"}"#)), options).unwrap();
    let sent = host.one();
    host.tell(&answer(&sent, &serde_json::json!({"content": [], "structuredContent": {}})));
    let recorded = records(|| host.machine.poll_trace());
    assert!(recorded.iter().any(|record| record.outcome == "call.invalid_result"));
    same(&recorded, &replay(&recorded, &mut a_client(NEWEST, Tracing::Off)).unwrap());
}

/// Every method that is told the time is recorded, so that no command is missing in a trace.
#[test]
fn every_command_is_recorded() {
    let mut commands = 0;
    for file in ["server.rs", "client.rs", "client/lists.rs", "client/subscriptions.rs"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/session").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        for (at, _) in text.match_indices("    pub fn ") {
            let function = &text[at + 11..];
            let name = &function[..function.find(['(', '<']).unwrap()];
            let (head, body) = function.split_once("{\n").unwrap();
            let delegated = body.trim_start().starts_with("Role::");
            if head.contains("now: Instant") && !delegated {
                assert!(
                    body.trim_start().starts_with(&format!("traced!(self, now, {name}(")),
                    "{file} {name}"
                );
                commands += 1;
            }
        }
    }
    assert!(commands > 20, "{commands}");
}

/// What waits for room is told by a poll, which is an input then.
#[test]
fn changes_that_waited_are_replayed() {
    let mut host = Host::new(a_server(Tracing::Full));
    host.ask(&initialize(0, NEWEST, &serde_json::json!({})));
    host.tell(&initialized());
    host.events();
    host.tell(&request(1, "resources/subscribe", serde_json::json!({"uri": "a:b"})));
    let wanted = host.request();
    host.respond(wanted.handle(), "{}");
    host.one();
    let filler = "x".repeat(300);
    let params = format!("{{\"a\":\"{filler}\"}}");
    while host.machine.notify(host.now, Target::Channel, "x/y", Some(json(&params))).is_ok() {}
    host.machine.publish(host.now, Change::Resource { uri: "a:b", concerns: None });
    let sent = host.sent();
    assert_eq!(sent.last().unwrap()["method"], "notifications/resources/updated", "{sent:?}");
    let recorded = records(|| host.machine.poll_trace());
    let held = recorded.iter().filter(|record| record.name == "say_held").count();
    assert_eq!(held, 1);
    same(&recorded, &replay(&recorded, &mut a_server(Tracing::Off)).unwrap());
}

fn traced(tracing: Tracing) -> Vec<TraceRecord> {
    let mut pair = Pair::converse(5, NEWEST, tracing);
    records(|| pair.server.poll_trace())
}

#[test]
fn a_planted_difference_is_found() {
    let recorded = traced(Tracing::Full);
    let fresh = || a_server(Tracing::Off);
    assert_eq!(first_difference(&recorded, &replay(&recorded, &mut fresh()).unwrap()), None);
    let mut outputs = 0;
    for place in 0..recorded.len() {
        let mut planted = recorded.clone();
        let record = &mut planted[place];
        match record.kind {
            TraceKind::Sent | TraceKind::Event => record.text = format!("{} ", record.text).into(),
            TraceKind::Timer => record.handle += 1,
            TraceKind::Command => record.outcome = "send.planted".into(),
            _ => continue,
        }
        outputs += 1;
        let difference = first_difference(&planted, &replay(&planted, &mut fresh()).unwrap()).unwrap();
        assert_eq!(difference.recorded.as_deref(), Some(&planted[place]));
        assert_eq!(difference.replayed.as_deref(), Some(&recorded[place]));
    }
    assert!(outputs > 50, "{outputs}");
    // Another configuration is another machine.
    let mut other = serve(server_config()).machine;
    assert!(first_difference(&recorded, &replay(&recorded, &mut other).unwrap()).is_some());
}

#[test]
fn what_can_not_be_replayed_says_why() {
    let recorded = traced(Tracing::Full);
    let tried = |records: &[TraceRecord]| replay(records, &mut a_server(Tracing::Off)).unwrap_err();
    assert_eq!(tried(&recorded[1..]), ReplayError::Missing { serial: 2 });
    let mut unknown = recorded.clone();
    let place = unknown.iter().position(|record| record.name == "respond").unwrap();
    let serial = unknown[place].serial;
    for (name, text) in
        [("dance", "{}"), ("respond", "{}"), ("respond", "{\"request\":1"), ("respond", "\u{7f}")]
    {
        (unknown[place].name, unknown[place].text) = (name.into(), text.into());
        assert_eq!(tried(&unknown), ReplayError::Unknown { serial, name: name.into() });
    }
    assert_eq!(tried(&traced(Tracing::Redacted)), ReplayError::Redacted { serial: 1 });
    for line in [
        "",
        "{}",
        "[]",
        r#"{"serial":1,"at":1,"kind":"x"}"#,
        r#"{"serial":1,"at":1,"kind":"sent","base64":"%"}"#,
        r#"{"serial":1,"at":1,"kind":"sent","revision":"1999-01-01"}"#,
        r#"{"serial":1,"at":1,"kind":"sent","more":1}"#,
    ] {
        assert!(matches!(TraceRecord::from_json(line.as_bytes()), Err(NotARecord { .. })), "{line}");
    }
}

/// No argument, result, text, cursor or state is in it, but ids, methods and names are.
#[test]
fn a_redacted_trace_has_no_payload() {
    for (revision, era) in [(NEWEST, "legacy"), (MODERN, "modern")] {
        let config = server_config().trace(Tracing::Redacted);
        let mut host =
            if era == "modern" { serve(config) } else { session(config, revision, &serde_json::json!({})) };
        let params = serde_json::json!({"name": "slow", "arguments": {"password": "hunter2"}, 
            "cursor": "curs0r", "input": "hunter2", "detail": "hunter2", "outcome": {"input": "hunter2"}, "hunter2 €": 1});
        host.tell(&ask_in(revision, "tools/call", params));
        for event in host.events() {
            if let Event::Request(request) = event {
                host.respond(request.handle(), r#"{"content":[{"type":"text","text":"hunter2"}]}"#);
            }
        }
        let again = serde_json::json!({"name": "slow", "requestState": "st4te"});
        host.tell(&ask_in(revision, "tools/call", again));
        let uri = "https://u:hunter2@example.com/a?t0ken=hunter2#hunter2";
        host.tell(&ask_in(revision, "resources/read", serde_json::json!({"uri": uri})));
        host.tell_text("hunter2");
        host.tell(&notice(
            "notifications/progress",
            serde_json::json!({"progressToken": 1, "message": "hunter2"}),
        ));
        host.machine.handle_message(host.now, b"\xffhunter2");
        host.sent();
        let all = records(|| host.machine.poll_trace());
        let text: String = all.iter().map(TraceRecord::to_json).collect();
        for secret in ["hunter2", "st4te", "curs0r", "t0ken"] {
            assert!(!text.contains(secret), "{secret} {text}");
        }
        for shown in [
            "tools/call",
            "\\\"slow\\\"",
            "https://…@example.com/a?…",
            "resources/read",
            "respond",
            "bytes, ",
        ] {
            assert!(text.contains(shown), "{shown} {text}");
        }
        assert!(all.iter().all(|record| record.redacted));
    }
}

#[test]
fn uris_are_shown_without_secrets() {
    for (uri, shown) in [
        ("https://a.b/c", "https://a.b/c"),
        ("https://a.b", "https://a.b"),
        ("https://u@a.b/c@d", "https://…@a.b/c@d"),
        ("https://a.b/c#d?e", "https://a.b/c#…"),
        ("note:1?x", "note:1?…"),
        ("DATA:text/plain,x", "data:…"),
        ("", ""),
    ] {
        assert_eq!(&*redact_uri(uri), shown);
    }
    assert_eq!(redact_uri(&"é".repeat(200)).len(), 256);
    assert_eq!(redact_uri(&format!("a{}", "é".repeat(200))).len(), 255);
}

/// In JSON the configuration says `true`, `"full"` or `"redacted"`.
#[test]
fn the_configuration_says_which() {
    for (said, records, redacted) in [
        ("true", true, false),
        ("\"full\"", true, false),
        ("\"redacted\"", true, true),
        ("false", false, false),
    ] {
        let text = format!(r#"{{"info":{{"name":"n","version":"1"}},"trace":{said}}}"#);
        let config = ServerConfig::from_json(text.as_bytes()).unwrap();
        let mut server = Server::new(Arc::new(config), Seed(SEED));
        server.handle_timeout(Instant::from_nanos(1));
        let record = server.poll_trace();
        assert_eq!(record.is_some(), records, "{said}");
        assert_eq!(record.is_some_and(|record| record.redacted), redacted, "{said}");
    }
    let wrong = br#"{"info":{"name":"n","version":"1"},"trace":"some"}"#;
    for error in [ServerConfig::from_json(wrong).err(), ClientConfig::from_json(wrong).err()] {
        assert!(error.unwrap().to_string().contains("\"redacted\""));
    }
}
