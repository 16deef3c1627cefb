//! A host on virtual time for one machine on a message channel, and the messages of its peer.
#![allow(dead_code, reason = "no test needs all of it")]
#![allow(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
pub mod strict;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use mcp_sansio::{
    CallHandle, RequestHandle, Seed,
    error::{CallError, CloseReason, Fault},
    event::{Action, Event, Outcome, OverReason, Request},
    json::Json,
    limits::Limits,
    method::Side,
    session::{CallOptions, Catalog, Client, ClientConfig, Server, ServerConfig},
    time::Instant,
};
use mcp_sansio_gate::Gate;
use serde_json::{Value, json};

pub const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
pub const NEWEST: &str = "2025-11-25";
pub const MODERN: &str = "2026-07-28";

/// The least result of a tool.
pub const DONE: &str = r#"{"content":[]}"#;

/// What the two roles have in common.
pub trait Machine {
    const SIDE: Side;
    fn message(&mut self, now: Instant, message: &[u8]);
    fn timeout(&mut self, now: Instant);
    fn eof(&mut self, now: Instant);
    fn closed(&mut self, now: Instant);
    fn poll(&mut self) -> Option<Action<'_>>;
    fn deadline(&self) -> Option<Instant>;
    fn stat(&self, name: &str) -> u64;
}

macro_rules! machine {
    ($($role:ident),*) => { $( impl Machine for $role {
        const SIDE: Side = Side::$role;
        fn message(&mut self, now: Instant, message: &[u8]) {
            self.handle_message(now, message);
        }
        fn timeout(&mut self, now: Instant) {
            self.handle_timeout(now);
        }
        fn eof(&mut self, now: Instant) {
            self.handle_eof(now);
        }
        fn closed(&mut self, now: Instant) {
            self.handle_closed(now);
        }
        fn poll(&mut self) -> Option<Action<'_>> {
            self.poll_action()
        }
        fn deadline(&self) -> Option<Instant> {
            self.next_timeout()
        }
        fn stat(&self, name: &str) -> u64 {
            self.stats().values().find(|(key, _)| *key == name).map(|(_, value)| value).unwrap()
        }
    } )* };
}
machine!(Server, Client);

/// A machine, the time, and what was seen of it and not yet looked at.
pub struct Host<M> {
    pub machine: M,
    pub now: Instant,
    sent: Vec<Value>,
    events: Vec<Event>,
    gate: Gate,
}

impl<M: Machine> Host<M> {
    pub fn new(machine: M) -> Self {
        Self {
            machine,
            now: Instant::from_nanos(1_000_000_000),
            sent: Vec::new(),
            events: Vec::new(),
            gate: Gate::new(M::SIDE),
        }
    }
    /// Takes all there is.
    pub fn drain(&mut self) {
        while let Some(action) = self.machine.poll() {
            match action {
                Action::Send(outgoing) => {
                    self.sent.push(strict::message(outgoing.message));
                    self.gate.sent(outgoing.message).unwrap_or_else(|broken| panic!("{broken}"));
                }
                Action::Deliver(event) => self.events.push(event),
                _ => {}
            }
        }
    }
    /// The peer sends this.
    pub fn tell(&mut self, message: &Value) {
        self.tell_text(&message.to_string());
    }
    pub fn tell_text(&mut self, message: &str) {
        self.hear(message);
        self.drain();
    }
    /// The same, without taking what comes of it.
    pub fn hear(&mut self, message: &str) {
        self.gate.received(message.as_bytes());
        self.machine.message(self.now, message.as_bytes());
    }
    /// The peer sends this, and there is one answer.
    pub fn ask(&mut self, message: &Value) -> Value {
        self.tell(message);
        self.one()
    }
    /// Time passes; what falls due on the way fires at its time.
    pub fn wait(&mut self, duration: Duration) {
        let until = self.now.after(duration);
        while let Some(at) = self.machine.deadline().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.machine.timeout(self.now);
            self.drain();
        }
        self.now = until;
    }
    /// The messages since the last look.
    pub fn sent(&mut self) -> Vec<Value> {
        self.drain();
        std::mem::take(&mut self.sent)
    }
    /// The one message since the last look.
    pub fn one(&mut self) -> Value {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "one message, not {sent:?}");
        sent.remove(0)
    }
    /// Nothing was sent since the last look.
    pub fn silent(&mut self) {
        assert_eq!(self.sent(), Vec::<Value>::new());
    }
    /// The events since the last look.
    pub fn events(&mut self) -> Vec<Event> {
        self.drain();
        std::mem::take(&mut self.events)
    }
    pub fn faults(&mut self) -> Vec<Fault> {
        let faults = self.events().into_iter().filter_map(|event| match event {
            Event::Fault(fault) => Some(*fault),
            _ => None,
        });
        faults.collect()
    }
    pub fn fault_codes(&mut self) -> Vec<&'static str> {
        self.faults().into_iter().map(|fault| fault.code).collect()
    }
    /// The one event since the last look.
    pub fn event(&mut self) -> Event {
        let mut events = self.events();
        assert_eq!(events.len(), 1, "one event, not {events:?}");
        events.remove(0)
    }
    /// The reason of the end, which is the last event.
    pub fn closed(&mut self) -> Option<CloseReason> {
        match self.events().pop() {
            Some(Event::Closed(reason)) => Some(reason),
            _ => None,
        }
    }
    pub fn eof(&mut self) {
        self.machine.eof(self.now);
        self.drain();
    }
    pub fn close_channel(&mut self) {
        self.machine.closed(self.now);
        self.drain();
    }
}

pub fn json(text: &str) -> Json<'_> {
    Json::parse(text.as_bytes()).unwrap()
}

pub fn catalog(names: &[&str]) -> Arc<Catalog> {
    let tools: Vec<String> = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}).to_string())
        .collect();
    Arc::new(Catalog::new().tools(tools.iter().map(|tool| json(tool))).unwrap())
}

/// A server with the tools `echo` and `slow`.
pub fn server_config() -> ServerConfig {
    ServerConfig::new("server", "1").catalog(catalog(&["echo", "slow"]))
}

pub fn serve(config: ServerConfig) -> Host<Server> {
    Host::new(Server::new(Arc::new(config), Seed([1; 32])))
}

/// A server in a legacy session.
pub fn session(config: ServerConfig, revision: &str, capabilities: &Value) -> Host<Server> {
    let mut host = serve(config);
    let answer = host.ask(&initialize(0, revision, capabilities));
    assert_eq!(answer["result"]["protocolVersion"], revision);
    host.tell(&initialized());
    assert!(matches!(host.event(), Event::Ready(_)));
    host
}

/// A client that was started.
pub fn start(config: ClientConfig) -> Host<Client> {
    let mut host = Host::new(Client::new(Arc::new(config), Seed([2; 32])));
    host.machine.start(host.now, None);
    host
}

pub fn client_config() -> ClientConfig {
    ClientConfig::new("client", "1")
}

/// A client in a legacy session.
pub fn legacy_client(config: ClientConfig) -> Host<Client> {
    let mut host = start(config.probe(false));
    let opening = host.one();
    host.tell(&answer(&opening, &initialize_result(opening["params"]["protocolVersion"].as_str().unwrap())));
    assert_eq!(host.one()["method"], "notifications/initialized");
    assert!(matches!(host.event(), Event::Ready(_)));
    host
}

/// A client of a modern server.
pub fn modern_client(config: ClientConfig) -> Host<Client> {
    let mut host = start(config);
    let probe = host.one();
    host.tell(&answer(&probe, &discover_result(&[MODERN])));
    assert!(matches!(host.event(), Event::Ready(_)));
    host
}

pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub fn notice(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

pub fn answer(request: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

pub fn failure(request: &Value, code: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": "no"}})
}

pub fn initialize(id: impl Into<Value>, revision: &str, capabilities: &Value) -> Value {
    let params = json!({
        "protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "peer", "version": "1"}
    });
    request(id, "initialize", params)
}

pub fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

pub fn initialize_result(revision: &str) -> Value {
    json!({
        "protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": {"name": "peer", "version": "1"}
    })
}

pub fn discover_result(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete", "supportedVersions": versions, "capabilities": {"tools": {}}, "ttlMs": 0,
        "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "peer", "version": "1"}}
    })
}

/// A complete modern `_meta`.
pub fn meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}})
}

pub fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = match params.get("_meta") {
        Some(Value::Object(own)) => {
            let mut all = meta();
            all.as_object_mut().unwrap().extend(own.clone());
            all
        }
        _ => meta(),
    };
    request(id, method, params)
}

/// A request of this revision, whose id no other request of the test program has.
pub fn ask_in(revision: &str, method: &str, params: Value) -> Value {
    static LAST: AtomicU64 = AtomicU64::new(1000);
    let id = LAST.fetch_add(1, Ordering::Relaxed);
    if revision == MODERN { modern(id, method, params) } else { request(id, method, params) }
}

/// A server that has been opened for each revision.
pub fn everywhere(config: impl Fn() -> ServerConfig) -> Vec<(Host<Server>, &'static str)> {
    let legacy = LEGACY.map(|revision| (session(config(), revision, &json!({})), revision));
    legacy.into_iter().chain([(serve(config()), MODERN)]).collect()
}

pub fn call(id: impl Into<Value>, tool: &str) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": {}}))
}

pub fn cancelled(id: impl Into<Value>) -> Value {
    notice("notifications/cancelled", json!({"requestId": id.into()}))
}

pub fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub fn limits(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

pub fn result(text: &str) -> Outcome<'_> {
    Outcome::Result { result: json(text), cache: None }
}

impl Host<Server> {
    /// The one request that the application got since the last look.
    pub fn request(&mut self) -> Request {
        match self.event() {
            Event::Request(request) => request,
            other => panic!("a request, not {other:?}"),
        }
    }
    pub fn respond(&mut self, request: RequestHandle, text: &str) {
        self.machine.respond(self.now, request, result(text)).unwrap();
    }
}

impl Host<Client> {
    pub fn call(&mut self, method: &str) -> (CallHandle, Value) {
        self.call_with(method, CallOptions::new())
    }
    pub fn call_with(&mut self, method: &str, options: CallOptions<'_>) -> (CallHandle, Value) {
        let call = self.machine.call(self.now, method, None, options).unwrap();
        (call, self.one())
    }
    /// The outcome of this call, which is the one event since the last look.
    pub fn outcome(&mut self, wanted: CallHandle) -> Result<Value, CallError> {
        match self.event() {
            Event::Completed { call, outcome } if call == wanted => match outcome {
                Ok(completion) => Ok(completion.result.decode().unwrap()),
                Err(error) => Err(*error),
            },
            other => panic!("the outcome of {wanted:?}, not {other:?}"),
        }
    }
}

/// The request and the reason, of an event that says that a request is over.
pub fn over(event: &Event) -> Option<(RequestHandle, OverReason)> {
    match event {
        Event::Over { request, reason } => Some((*request, *reason)),
        _ => None,
    }
}
