//! What holds for every input: how a stream is cut does not matter, nothing panics, every call and request ends once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle, Seed,
    error::{CallError, SendError},
    event::{Action, Event, Outcome, OverReason, Question, Target},
    json::Json,
    limits::Limits,
    method::Side,
    session::{CallOptions, Catalog, Change, Client, ClientConfig, LogLevel, Server, ServerConfig},
    stdio::Connection,
    time::Instant,
};
use mcp_sansio_gate::Gate;
use mcp_sansio_tests::{say, wire};
use proptest::{
    collection,
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner},
};

const SEED: [u8; 32] = [9; 32];
const QUESTIONS: [Question<'static>; 2] = [
    Question { key: "a", method: "roots/list", params: None },
    Question { key: "b", method: "roots/list", params: Some(Json::EMPTY_OBJECT) },
];
const TOOL: &str = r#"{"name":"echo","inputSchema":{"type":"object"}}"#;

fn catalog(tools: usize) -> Arc<Catalog> {
    let tools: Vec<String> =
        (0..tools).map(|n| TOOL.replace("echo", &format!("tool-{n}"))).chain([TOOL.into()]).collect();
    Arc::new(Catalog::new().tools(tools.iter().map(|tool| Json::parse(tool.as_bytes()).unwrap())).unwrap())
}

/// Bounds that generated input reaches.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.message_bytes = 2000;
    limits.depth = 32;
    limits.requests = 4;
    limits.calls = 3;
    limits.batch = 4;
    limits.output_bytes = 4000;
    limits.session_bytes = 6000;
    limits.handler = Some(Duration::from_secs(3));
    limits.call_silence = Duration::from_secs(2);
    limits.call_total = Duration::from_secs(5);
    limits
}

fn server(limits: Limits) -> Server {
    let config = ServerConfig::new("s", "1").catalog(catalog(3)).page_size(2).limits(limits);
    let config = config.capabilities(br#"{"tools":{"listChanged":true},"logging":{}}"#).unwrap();
    Server::new(Arc::new(config), Seed(SEED))
}

fn client(limits: Limits) -> Client {
    let config =
        ClientConfig::new("c", "1").limits(limits).capabilities(br#"{"sampling":{},"roots":{}}"#).unwrap();
    Client::new(Arc::new(config), Seed(SEED))
}

/// How often the inputs of a run reached what they are for.
#[derive(Default)]
struct Reached {
    inputs: Cell<u64>,
    dispatch: Cell<u64>,
    duplicate: Cell<u64>,
    limit: Cell<u64>,
    cancel: Cell<u64>,
}

fn count(counter: &Cell<u64>) {
    counter.set(counter.get() + 1);
}

impl Reached {
    fn note(&self, event: &Event) {
        match event {
            Event::Request(_) | Event::Input(_) => count(&self.dispatch),
            Event::Over { reason: OverReason::Cancelled, .. } => count(&self.cancel),
            Event::Completed { outcome: Err(error), .. } if matches!(**error, CallError::Cancelled) => {
                count(&self.cancel);
            }
            Event::Fault(fault) if fault.code == "fault.duplicate_id" => count(&self.duplicate),
            Event::Fault(fault) if fault.code == "fault.too_large" => count(&self.limit),
            _ => {}
        }
    }
    /// Says what was reached, and fails at zero.
    fn report(&self, what: &str) {
        let [inputs, dispatch, duplicate, limit, cancel] =
            [&self.inputs, &self.dispatch, &self.duplicate, &self.limit, &self.cancel].map(Cell::get);
        say(&format!(
            "{what}: {inputs} inputs; {dispatch} reached dispatch, {duplicate} a duplicate id, {limit} a limit, {cancel} a cancel"
        ));
        assert!(
            dispatch > 0 && duplicate > 0 && limit > 0 && cancel > 0,
            "{what}: something was never reached"
        );
    }
}

/// Runs a property on inputs that depend on the seed alone: `PROPTEST_SEED`, or one that is fixed.
fn check<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: Clone + std::fmt::Debug,
{
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
    };
    let seed = number("PROPTEST_SEED", 1);
    let cases = u32::try_from(number("PROPTEST_CASES", 600)).unwrap();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    match runner.run(&strategy, property) {
        Ok(()) => {}
        Err(TestError::Fail(reason, input)) => panic!("PROPTEST_SEED={seed}: {reason}\nfor {input:#?}"),
        Err(abort) => panic!("PROPTEST_SEED={seed}: {abort}"),
    }
}

/// A machine over a stream, whichever its role.
trait Stream {
    fn data(&mut self, now: Instant, data: &[u8]);
    fn eof(&mut self, now: Instant);
    fn timeout(&mut self, now: Instant);
    fn next_timeout(&self) -> Option<Instant>;
    fn event(&mut self) -> Option<Event>;
    fn write(&mut self, out: &mut Vec<u8>);
    fn over(&self) -> bool;
}

macro_rules! stream {
    ($role:ty) => {
        impl Stream for Connection<$role> {
            fn data(&mut self, now: Instant, data: &[u8]) {
                self.handle_data(now, data);
            }
            fn eof(&mut self, now: Instant) {
                self.handle_eof(now);
            }
            fn timeout(&mut self, now: Instant) {
                self.handle_timeout(now);
            }
            fn next_timeout(&self) -> Option<Instant> {
                Connection::next_timeout(self)
            }
            fn event(&mut self) -> Option<Event> {
                self.poll_event()
            }
            fn write(&mut self, out: &mut Vec<u8>) {
                while self.write_to(out, usize::MAX) > 0 {}
            }
            fn over(&self) -> bool {
                self.is_over()
            }
        }
    };
}
stream!(Server);
stream!(Client);

fn machine(side: Side, limits: Limits) -> Box<dyn Stream> {
    match side {
        Side::Server => Box::new(Connection::new(server(limits))),
        Side::Client => {
            let mut connection = Connection::new(client(limits));
            connection.start(Instant::from_nanos(0), None);
            Box::new(connection)
        }
    }
}

/// All that a machine says to these pieces: its events and its bytes.
fn said(
    side: Side,
    limits: Limits,
    pieces: &[&[u8]],
    often: bool,
    reached: &Reached,
) -> (Vec<String>, Vec<u8>) {
    let mut machine = machine(side, limits);
    let (mut events, mut bytes) = (Vec::new(), Vec::new());
    let mut drain = |machine: &mut dyn Stream| {
        machine.write(&mut bytes);
        while let Some(event) = machine.event() {
            reached.note(&event);
            events.push(format!("{event:?}"));
        }
    };
    let mut now = Instant::from_nanos(1);
    for piece in pieces {
        machine.data(now, piece);
        if often {
            drain(&mut *machine);
        }
    }
    machine.eof(now);
    drain(&mut *machine);
    while let Some(next) = machine.next_timeout() {
        assert!(next >= now, "a deadline in the past after everything was fired");
        now = next.after(Duration::from_nanos(1));
        machine.timeout(now);
        drain(&mut *machine);
    }
    drain(&mut *machine);
    assert!(machine.over(), "the end of input, and every deadline passed, but the machine goes on");
    (events, bytes)
}

fn sides() -> impl Strategy<Value = Side> {
    select(vec![Side::Server, Side::Client])
}

/// R-STD-018
#[test]
fn how_a_stream_is_cut_does_not_matter() {
    let reached = Reached::default();
    let inputs = sides().prop_flat_map(|side| {
        (Just(side), wire::stream(side), collection::vec(any::<prop::sample::Index>(), 0..8))
    });
    check(inputs, |(side, stream, cuts)| {
        count(&reached.inputs);
        let whole = said(side, limits(), &[&stream], false, &reached);
        let unseen = Reached::default();
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        prop_assert_eq!(&said(side, limits(), &bytes, false, &unseen), &whole, "byte by byte");
        let places: BTreeSet<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in places.into_iter().chain([stream.len()]) {
            pieces.push(&stream[start..end]);
            start = end;
        }
        prop_assert_eq!(&said(side, limits(), &pieces, false, &unseen), &whole, "cut");
        // A host that reads and writes in between sees the same, unless the bounds of what waits were met.
        let mut roomy = limits();
        roomy.output_bytes = 1 << 20;
        roomy.session_bytes = 1 << 20;
        let whole = said(side, roomy.clone(), &[&stream], false, &unseen);
        prop_assert_eq!(&said(side, roomy, &pieces, true, &unseen), &whole, "cut and drained");
        Ok(())
    });
    reached.report("cutting streams");
}

#[test]
fn no_bytes_panic() {
    let inputs = (sides(), collection::vec(collection::vec(any::<u8>(), 0..200), 0..20));
    check(inputs, |(side, pieces)| {
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        said(side, limits(), &pieces, true, &Reached::default());
        Ok(())
    });
}

/// One thing that happens to a machine.
#[derive(Debug, Clone)]
enum Op {
    Message(Vec<u8>),
    Wait(u64),
    Timeout,
    Poll(usize),
    Eof,
    Closed,
    Close(u64),
    Call(&'static str, bool),
    Cancel(Pick),
    Respond(Pick, Reply),
    Progress(Pick, i8),
    Log(Option<Pick>),
    Notify(&'static str),
    SetCatalog(usize),
    Publish,
}

/// One of the handles given out so far, or a number that was never given out.
#[derive(Debug, Clone)]
enum Pick {
    Given(prop::sample::Index),
    Never(u64),
}

#[derive(Debug, Clone, Copy)]
enum Reply {
    Result,
    Large,
    Reserved,
    Error,
    Ask,
    Wait,
}

fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![9 => any::<prop::sample::Index>().prop_map(Pick::Given), 1 => (1 << 40..u64::MAX).prop_map(Pick::Never)]
}

fn op(side: Side) -> impl Strategy<Value = Op> {
    let calls = vec![
        "ping",
        "tools/list",
        "tools/call",
        "sampling/createMessage",
        "roots/list",
        "no/such",
        "initialize",
    ];
    let notices = vec![
        "notifications/roots/list_changed",
        "notifications/progress",
        "no/such",
        "notifications/initialized",
    ];
    prop_oneof![
        30 => wire::line(side).prop_map(Op::Message),
        3 => (0..3000_u64).prop_map(Op::Wait),
        5 => Just(Op::Timeout),
        20 => (1..6_usize).prop_map(Op::Poll),
        1 => Just(Op::Eof),
        1 => Just(Op::Closed),
        1 => (0..4000_u64).prop_map(Op::Close),
        8 => (select(calls), any::<bool>()).prop_map(|(method, progress)| Op::Call(method, progress)),
        4 => pick().prop_map(Op::Cancel),
        16 => (pick(), select(vec![Reply::Result, Reply::Result, Reply::Error, Reply::Large, Reply::Reserved, Reply::Ask, Reply::Ask, Reply::Wait]))
            .prop_map(|(pick, reply)| Op::Respond(pick, reply)),
        4 => (pick(), any::<i8>()).prop_map(|(pick, value)| Op::Progress(pick, value)),
        2 => proptest::option::of(pick()).prop_map(Op::Log),
        2 => select(notices).prop_map(Op::Notify),
        1 => (0..4_usize).prop_map(Op::SetCatalog),
        1 => Just(Op::Publish),
    ]
}

enum Role {
    Server(Box<Server>),
    Client(Box<Client>),
}

macro_rules! both {
    ($role:expr, $machine:ident => $body:expr) => {
        match $role {
            Role::Server($machine) => $body,
            Role::Client($machine) => $body,
        }
    };
}

/// A machine and what its application knows.
struct Watched<'a> {
    role: Role,
    now: u64,
    reached: &'a Reached,
    /// Requests and questions that were delivered, until their end.
    open_requests: BTreeSet<u64>,
    /// Those whose end the machine knows, and its application not yet.
    ending: BTreeSet<u64>,
    given_requests: Vec<u64>,
    /// Those that were answered with questions, and whether they come again, or end, by themselves.
    asking: BTreeMap<u64, bool>,
    /// Requests that stay in flight while their questions are asked.
    lowered: BTreeSet<u64>,
    /// Calls, until their outcome.
    open_calls: BTreeSet<u64>,
    given_calls: Vec<u64>,
    progress: BTreeMap<u64, f64>,
    handles: BTreeSet<u64>,
    closed: bool,
    armed: Option<Instant>,
    gate: Gate,
}

impl<'a> Watched<'a> {
    fn new(side: Side, reached: &'a Reached) -> Self {
        let role = match side {
            Side::Server => Role::Server(Box::new(server(limits()))),
            Side::Client => {
                let mut client = client(limits());
                client.start(Instant::from_nanos(0), None);
                Role::Client(Box::new(client))
            }
        };
        Self {
            role,
            now: 0,
            reached,
            open_requests: BTreeSet::new(),
            ending: BTreeSet::new(),
            given_requests: Vec::new(),
            asking: BTreeMap::new(),
            lowered: BTreeSet::new(),
            open_calls: BTreeSet::new(),
            given_calls: Vec::new(),
            progress: BTreeMap::new(),
            handles: BTreeSet::new(),
            closed: false,
            armed: None,
            gate: Gate::new(side),
        }
    }

    fn fresh(&mut self, handle: u64) {
        assert!(handle < 1 << 53, "a handle beyond 2^53");
        assert!(self.handles.insert(handle), "handle {handle} was given out twice");
    }

    fn request(&mut self, handle: u64) {
        self.fresh(handle);
        self.open_requests.insert(handle);
        self.given_requests.push(handle);
    }

    fn over(&mut self, handle: u64) {
        assert!(self.open_requests.remove(&handle), "request {handle} ended twice, or was never delivered");
        self.ending.remove(&handle);
    }

    /// The machine says that a request is over, of which it may be the second end: the first was an answer with questions.
    fn said_over(&mut self, handle: u64) {
        if self.asking.remove(&handle).is_none() {
            self.over(handle);
        }
    }

    /// Takes at most so many actions; true if there are no more.
    fn poll(&mut self, most: usize) -> bool {
        for _ in 0..most {
            let was_closed = self.closed;
            let action = both!(&mut self.role, machine => machine.poll_action().map(|action| match action {
                Action::Send(outgoing) => {
                    let message = outgoing.message;
                    assert!(!message.contains('\n'), "a newline in {message}");
                    self.gate.sent(message).unwrap_or_else(|broken| panic!("{broken}"));
                    assert!(message.len() <= 2000, "longer than `message_bytes`: {message}");
                    None
                }
                Action::Deliver(event) => Some(Ok(event)),
                Action::Timeout(at) => Some(Err(at)),
                other => panic!("an action that nobody knows: {other:?}"),
            }));
            let Some(action) = action else {
                let next = both!(&self.role, machine => machine.next_timeout());
                assert_eq!(self.armed, next, "the timer is not what was said last");
                return true;
            };
            match action {
                Some(Err(at)) => {
                    assert!(!was_closed || at.is_none(), "a timer after the end");
                    self.armed = at;
                }
                _ if was_closed => panic!("an action after `Closed`: {action:?}"),
                Some(Ok(event)) => self.event(event),
                None => {}
            }
        }
        false
    }

    fn event(&mut self, event: Event) {
        self.reached.note(&event);
        match event {
            Event::Request(request) => {
                self.request(request.handle().as_u64());
                if request.revision().features().server_requests {
                    self.lowered.insert(request.handle().as_u64());
                }
                let previous = request.input().and_then(|input| input.previous);
                if let Some(previous) = previous {
                    let waited = self.asking.remove(&previous.as_u64());
                    assert_eq!(waited, Some(true), "{previous:?} came again and did not wait");
                }
            }
            Event::Input(input) => self.request(input.input.as_u64()),
            Event::Over { request, .. } => self.said_over(request.as_u64()),
            Event::InputOver { input } => self.over(input.as_u64()),
            Event::Completed { call, .. } => {
                let call = call.as_u64();
                assert!(self.open_calls.remove(&call), "call {call} has two outcomes, or was never made");
            }
            Event::Progress { call, params } => {
                let call = call.as_u64();
                assert!(self.open_calls.contains(&call), "progress of call {call}, which has its outcome");
                let params: serde_json::Value = params.decode().unwrap();
                let value = params["progress"].as_f64().unwrap();
                let before = self.progress.insert(call, value);
                assert!(before.is_none_or(|before| before < value), "progress of call {call} did not rise");
            }
            Event::Closed(_) => {
                assert_eq!(self.open_requests, BTreeSet::new(), "requests without an end at `Closed`");
                assert!(
                    !self.asking.values().any(|waits| *waits),
                    "requests without an end: {:?}",
                    self.asking
                );
                assert_eq!(self.open_calls, BTreeSet::new(), "calls without an outcome at `Closed`");
                self.closed = true;
            }
            _ => {}
        }
    }

    fn instant(&self) -> Instant {
        Instant::from_nanos(self.now)
    }

    fn picked(given: &[u64], pick: &Pick) -> u64 {
        match pick {
            Pick::Given(index) if !given.is_empty() => given[index.index(given.len())],
            Pick::Given(_) => 1 << 50,
            Pick::Never(number) => *number,
        }
    }

    /// What a command on a request may come to, by what the application knows of it.
    fn check_request<T: std::fmt::Debug>(&mut self, handle: u64, result: &Result<T, SendError>) {
        match result {
            Err(SendError::UnknownHandle) => {
                assert!(!self.handles.contains(&handle), "request {handle} is not known");
            }
            Err(SendError::Over) => {
                assert!(self.handles.contains(&handle), "request {handle} is over but was never given out");
                if self.open_requests.contains(&handle) {
                    self.ending.insert(handle);
                }
            }
            _ => {
                assert!(
                    self.open_requests.contains(&handle),
                    "{result:?} for request {handle}, which is over"
                );
                assert!(
                    !self.ending.contains(&handle),
                    "{result:?} for request {handle}, which the machine called over"
                );
            }
        }
    }

    fn respond(&mut self, handle: u64, reply: Reply) {
        // Fits whatever was asked.
        let whole = match &self.role {
            Role::Server(_) => r#"{"content":[]}"#,
            Role::Client(_) => {
                r#"{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","roots":[],"action":"cancel"}"#
            }
        };
        let large = whole.replacen('{', &format!("{{\"text\":\"{}\",", "x".repeat(3000)), 1);
        let outcome = match reply {
            Reply::Result => Outcome::Result { result: Json::parse(whole.as_bytes()).unwrap(), cache: None },
            Reply::Large => Outcome::Result { result: Json::parse(large.as_bytes()).unwrap(), cache: None },
            Reply::Reserved => Outcome::Error { code: -32050, message: "reserved", data: None },
            Reply::Error => Outcome::Error { code: -32603, message: "failed", data: None },
            Reply::Ask => Outcome::InputRequired { questions: &QUESTIONS, state: Some(b"state") },
            Reply::Wait => Outcome::InputRequired { questions: &[], state: Some(b"") },
        };
        let now = self.instant();
        let result = match &mut self.role {
            Role::Server(server) => server.respond(now, RequestHandle::from_u64(handle), outcome),
            Role::Client(client) => client.answer(now, InputHandle::from_u64(handle), outcome),
        };
        assert_ne!(result, Err(SendError::Blocked), "an answer was blocked");
        self.check_request(handle, &result);
        match (reply, result) {
            (Reply::Reserved, Ok(())) => panic!("a reserved code was taken"),
            (_, Ok(())) => {
                self.over(handle);
                if matches!(reply, Reply::Ask | Reply::Wait) {
                    self.asking.insert(handle, self.lowered.contains(&handle));
                }
            }
            (_, Err(SendError::TooLarge)) => {
                count(&self.reached.limit);
                self.over(handle);
            }
            _ => {}
        }
    }

    fn apply(&mut self, op: &Op) {
        let now = self.instant();
        match op {
            Op::Message(message) => {
                self.gate.received(message);
                both!(&mut self.role, machine => machine.handle_message(now, message));
            }
            Op::Wait(ms) => self.now += ms * 1_000_000,
            Op::Timeout => both!(&mut self.role, machine => machine.handle_timeout(now)),
            Op::Poll(most) => drop(self.poll(*most)),
            Op::Eof => both!(&mut self.role, machine => machine.handle_eof(now)),
            Op::Closed => both!(&mut self.role, machine => machine.handle_closed(now)),
            Op::Close(ms) => both!(&mut self.role, machine => machine.close(now, Duration::from_millis(*ms))),
            Op::Call(method, progress) => {
                let options = CallOptions::new().progress(*progress);
                let params = Json::parse(br#"{"name":"echo","messages":[],"maxTokens":1}"#).ok();
                let called = match &mut self.role {
                    Role::Server(server) => server.call(now, Target::Channel, method, params, options),
                    Role::Client(client) => client.call(now, method, params, options),
                };
                match called {
                    Ok(call) => {
                        self.fresh(call.as_u64());
                        self.open_calls.insert(call.as_u64());
                        self.given_calls.push(call.as_u64());
                    }
                    Err(SendError::Blocked) => count(&self.reached.limit),
                    Err(SendError::Over | SendError::UnknownHandle) => {
                        panic!("a call that names no handle: {called:?}")
                    }
                    Err(_) => {}
                }
            }
            Op::Cancel(pick) => {
                let handle = Self::picked(&self.given_calls, pick);
                let call = CallHandle::from_u64(handle);
                let cancelled = both!(&mut self.role, machine => machine.cancel(now, call, Some("enough")));
                match cancelled {
                    Ok(()) => assert!(
                        self.open_calls.contains(&handle),
                        "call {handle} was cancelled after its outcome"
                    ),
                    Err(SendError::Over) => assert!(self.handles.contains(&handle)),
                    Err(SendError::UnknownHandle) => assert!(!self.handles.contains(&handle)),
                    Err(other) => panic!("cancel: {other:?}"),
                }
            }
            Op::Respond(pick, reply) => self.respond(Self::picked(&self.given_requests, pick), *reply),
            Op::Progress(pick, value) => {
                let handle = Self::picked(&self.given_requests, pick);
                let value = f64::from(*value);
                let sent = match &mut self.role {
                    Role::Server(server) => {
                        server.progress(now, RequestHandle::from_u64(handle), value, None, Some("m"))
                    }
                    Role::Client(client) => {
                        client.progress(now, InputHandle::from_u64(handle), value, None, None)
                    }
                };
                self.check_request(handle, &sent);
            }
            Op::Log(pick) => {
                let Role::Server(server) = &mut self.role else { return };
                let handle = pick.as_ref().map(|pick| Self::picked(&self.given_requests, pick));
                let target =
                    handle.map_or(Target::Channel, |handle| Target::Request(RequestHandle::from_u64(handle)));
                let sent = server.log(now, target, LogLevel::Error, None, Json::EMPTY_OBJECT);
                if let Some(handle) = handle {
                    self.check_request(handle, &sent);
                }
            }
            Op::Notify(method) => {
                let sent = match &mut self.role {
                    Role::Server(server) => server.notify(now, Target::Channel, method, None),
                    Role::Client(client) => client.notify(now, method, None),
                };
                assert!(
                    !matches!(sent, Err(SendError::Over | SendError::UnknownHandle)),
                    "a notice names no handle"
                );
            }
            Op::SetCatalog(tools) => {
                if let Role::Server(server) = &mut self.role {
                    server.set_catalog(now, catalog(*tools));
                }
            }
            Op::Publish => {
                if let Role::Server(server) = &mut self.role {
                    server.publish(now, Change::Tools);
                }
            }
        }
    }

    fn stat(&self, name: &str) -> u64 {
        let stats = both!(&self.role, machine => machine.stats());
        stats.values().find(|(key, _)| *key == name).map_or(0, |(_, value)| value)
    }
}

#[test]
fn every_call_and_every_request_ends_once() {
    let reached = Reached::default();
    let inputs = sides().prop_flat_map(|side| {
        (Just(side), wire::opening(side), collection::vec(op(side), 1..60), wire::line(side))
    });
    check(inputs, |(side, opening, ops, late)| {
        count(&reached.inputs);
        let ops: Vec<Op> = opening.into_iter().map(Op::Message).chain(ops).collect();
        let mut watched = Watched::new(side, &reached);
        for op in &ops {
            watched.apply(op);
        }
        if watched.stat("refused") > 0 {
            count(&reached.limit);
        }
        watched.apply(&Op::Closed);
        while !watched.poll(100) {}
        assert!(watched.closed, "`handle_closed` is the end");
        assert_eq!(watched.ending, BTreeSet::new());
        // After the end the machine is inert.
        for op in ops.iter().chain([&Op::Message(late), &Op::Timeout, &Op::Eof, &Op::Closed, &Op::Close(0)]) {
            if matches!(op, Op::Message(_) | Op::Timeout | Op::Eof | Op::Closed | Op::Close(_)) {
                watched.apply(op);
            }
        }
        assert!(watched.poll(1), "an action after the end");
        Ok(())
    });
    reached.report("operations");
}

/// A generator that stops making what it is for would make the properties above hold of nothing.
#[test]
fn generated_messages_are_of_every_kind() {
    let mut runner = TestRunner::deterministic();
    let kinds = RefCell::new(BTreeSet::new());
    for side in [Side::Server, Side::Client] {
        for _ in 0..600 {
            let line = wire::line(side).new_tree(&mut runner).unwrap().current();
            let parsed = serde_json::from_slice::<serde_json::Value>(&line);
            let kind = match &parsed {
                Err(_) => "unparseable",
                Ok(serde_json::Value::Array(_)) => "batch",
                Ok(message) if message["method"].is_string() && message.get("id").is_some() => "request",
                Ok(message) if message["method"].is_string() => "notification",
                Ok(message) if message.get("result").is_some() || message.get("error").is_some() => {
                    "response"
                }
                Ok(_) => "nonsense",
            };
            kinds.borrow_mut().insert(kind);
        }
    }
    let all = ["batch", "nonsense", "notification", "request", "response", "unparseable"];
    assert_eq!(kinds.into_inner(), BTreeSet::from(all));
}
