//! Our client and our server on one message channel, on virtual time: each message takes a millisecond.
use std::{sync::Arc, time::Duration};

use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle, Seed,
    error::SendError,
    event::{Action, Event, Outcome, Target},
    json::Json,
    method::{self, MethodKind, MethodRow, Side},
    revision::{Era, Revision},
    session::{CallOptions, Client, ClientConfig, Server, ServerConfig},
    time::{Instant, WallClock},
};
use mcp_sansio_gate::Gate;
use serde_json::{Value, json};

pub fn raw(value: &str) -> Json<'_> {
    Json::parse(value.as_bytes()).unwrap()
}

/// Who declares the capability of a row that `sender` sends.
pub fn declarer(row: &MethodRow, sender: Side) -> Side {
    if row.kind == MethodKind::Request { sender.peer() } else { sender }
}

/// Whether a path leads to `lacking` or below it.
fn is_within(path: &str, lacking: Option<&str>) -> bool {
    lacking.is_some_and(|lacking| {
        path.strip_prefix(lacking).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Declares all that the table has for this side, but for one capability or extension.
fn capabilities(side: Side, lacking: Option<&str>) -> Value {
    let mut all = json!({});
    for row in method::rows() {
        let declares = [Side::Client, Side::Server]
            .into_iter()
            .any(|sender| row.senders.include(sender) && declarer(row, sender) == side);
        for path in row.capability.into_iter().chain(row.task) {
            if !declares || is_within(path, lacking) {
                continue;
            }
            let is_flag = path.contains('.') && !path.starts_with("tasks");
            let mut place = &mut all;
            for step in path.split('.') {
                place = place.as_object_mut().unwrap().entry(step).or_insert(json!({}));
            }
            if is_flag {
                *place = json!(true);
            }
        }
        if let Some(extension) = row.extension.filter(|name| Some(*name) != lacking) {
            all["extensions"][extension] = json!({});
        }
    }
    all
}

/// What an application was asked, and has to answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    Server(RequestHandle),
    Client(InputHandle),
}

pub struct Pair {
    pub revision: Revision,
    pub server: Server,
    pub client: Client,
    pub now: Instant,
    /// What each side said, as long as nobody has looked at it.
    said: Vec<(Side, Value)>,
    events: Vec<(Side, Event)>,
    last_raw: u64,
    gates: [Gate; 2],
}

impl Pair {
    /// A conversation in this revision that is open, in which everything is declared but `lacking`.
    pub fn open(revision: Revision, lacking: Option<&str>) -> Self {
        let server = json!({
            "info": {"name": "server", "version": "1"},
            "capabilities": capabilities(Side::Server, lacking),
            "tools": [{"name": "echo", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}],
            "resources": [{"name": "a", "uri": "test://a"}],
            "resourceTemplates": [{"name": "t", "uriTemplate": "test://t/{text}"}],
            "prompts": [{"name": "echo", "arguments": [{"name": "text"}]}],
        });
        let client = json!({
            "info": {"name": "client", "version": "1"},
            "capabilities": capabilities(Side::Client, lacking),
            "revisions": [revision.name()],
        });
        let server = ServerConfig::from_json(server.to_string().as_bytes()).unwrap();
        let client = ClientConfig::from_json(client.to_string().as_bytes()).unwrap();
        let now = Instant::from_nanos(1_000_000_000);
        let clock = WallClock { at: now, unix_millis: 1_764_066_600_000 };
        let mut pair = Self {
            revision,
            server: Server::new(Arc::new(server), Seed([1; 32])).with_clock(clock),
            client: Client::new(Arc::new(client), Seed([2; 32])).with_clock(clock),
            now,
            said: Vec::new(),
            events: Vec::new(),
            last_raw: 0,
            gates: [Side::Client, Side::Server].map(Gate::new),
        };
        pair.client.start(pair.now, None);
        pair.flow();
        assert_eq!(pair.client.revision(), Some(revision), "{:?}", pair.events);
        pair
    }

    /// Takes what one side has to say.
    fn drain(&mut self, side: Side) -> Vec<String> {
        let mut messages = Vec::new();
        loop {
            let action = match side {
                Side::Client => self.client.poll_action(),
                Side::Server => self.server.poll_action(),
            };
            match action {
                Some(Action::Send(outgoing)) => {
                    let checked = self.gates[side as usize].sent(outgoing.message);
                    checked.unwrap_or_else(|broken| panic!("{broken}"));
                    messages.push(outgoing.message.to_owned());
                }
                Some(Action::Deliver(event)) => self.events.push((side, event)),
                Some(_) => {}
                None => return messages,
            }
        }
    }
    fn tell(&mut self, side: Side, message: &str) {
        self.gates[side as usize].received(message.as_bytes());
        match side {
            Side::Client => self.client.handle_message(self.now, message.as_bytes()),
            Side::Server => self.server.handle_message(self.now, message.as_bytes()),
        }
    }
    /// Lets everything arrive that is on its way.
    pub fn flow(&mut self) {
        loop {
            let mut quiet = true;
            for side in [Side::Client, Side::Server] {
                for message in self.drain(side) {
                    quiet = false;
                    self.now = self.now.after(Duration::from_millis(1));
                    self.said.push((side, serde_json::from_str(&message).unwrap()));
                    self.tell(side.peer(), &message);
                }
            }
            if quiet {
                return;
            }
        }
    }

    /// The first message that `by` said and that is such.
    fn find(&mut self, by: Side, is_wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        let place = self.said.iter().position(|(side, message)| *side == by && is_wanted(message))?;
        Some(self.said.remove(place).1)
    }
    /// The message of this method that `by` said.
    pub fn said(&mut self, by: Side, row: &MethodRow) -> Value {
        let found = self.find(by, |message| message["method"] == row.name);
        found.unwrap_or_else(|| panic!("{by:?} did not send {}: {:?}", row.name, self.said))
    }
    /// The request of this method that `by` said, and the result that it was answered with.
    pub fn exchange(&mut self, by: Side, row: &MethodRow) -> Value {
        let request = self.said(by, row);
        let is_answer = |message: &Value| message.get("method").is_none() && message["id"] == request["id"];
        let answer = self.find(by.peer(), is_answer).expect("an answer");
        answer.get("result").unwrap_or_else(|| panic!("{} was answered with {answer}", row.name)).clone()
    }
    /// Nobody said anything that was not looked at.
    pub fn is_silent(&self) -> bool {
        self.said.is_empty()
    }
    /// Forgets what was said and told.
    pub fn forget(&mut self) {
        self.said.clear();
        self.events.clear();
    }
    /// The first event of this side that is such.
    pub fn event<T>(&mut self, side: Side, wanted: impl Fn(&Event) -> Option<T>) -> T {
        let found = self.events.iter().position(|(of, event)| *of == side && wanted(event).is_some());
        let Some(place) = found else { panic!("{side:?} has only these events: {:?}", self.events) };
        wanted(&self.events.remove(place).1).unwrap()
    }
    /// Events of this side that nobody looked at.
    pub fn events(&self, side: Side) -> Vec<&Event> {
        self.events.iter().filter(|(of, _)| *of == side).map(|(_, event)| event).collect()
    }
    /// The outcome of a call that `by` made: its result, or the code of its failure.
    pub fn outcome(&mut self, by: Side, wanted: CallHandle) -> Result<Value, &'static str> {
        self.event(by, |event| match event {
            Event::Completed { call, outcome } if *call == wanted => Some(match outcome {
                Ok(completion) => Ok(completion.result.decode().unwrap()),
                Err(error) => Err(error.code()),
            }),
            _ => None,
        })
    }

    pub fn call(&mut self, by: Side, method: &str, params: &Value) -> Result<CallHandle, SendError> {
        self.call_with(by, method, params, CallOptions::new())
    }
    pub fn call_with(
        &mut self,
        by: Side,
        method: &str,
        params: &Value,
        options: CallOptions<'_>,
    ) -> Result<CallHandle, SendError> {
        let params = params.to_string();
        match by {
            Side::Client => self.client.call(self.now, method, Some(raw(&params)), options),
            Side::Server => self.server.call(self.now, Target::Channel, method, Some(raw(&params)), options),
        }
    }
    pub fn notify(&mut self, by: Side, method: &str, params: &Value) -> Result<(), SendError> {
        let params = params.to_string();
        match by {
            Side::Client => self.client.notify(self.now, method, Some(raw(&params))),
            Side::Server => self.server.notify(self.now, Target::Channel, method, Some(raw(&params))),
        }
    }
    /// The application of a side answers what it was asked.
    pub fn respond(&mut self, asked: Asked, result: &Value) {
        let result = result.to_string();
        let outcome = Outcome::Result { result: raw(&result), cache: None };
        match asked {
            Asked::Server(request) => self.server.respond(self.now, request, outcome).unwrap(),
            Asked::Client(input) => self.client.answer(self.now, input, outcome).unwrap(),
        }
    }

    /// A side receives this message that its peer's engine would not send; what it says to it.
    pub fn receive(&mut self, side: Side, kind: MethodKind, method: &str, params: &Value) -> Option<Value> {
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if kind == MethodKind::Request {
            self.last_raw += 1;
            message["id"] = json!(format!("raw-{}", self.last_raw));
            if side == Side::Server && self.revision.era() == Era::Modern {
                message["params"]["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": self.revision.name(),
                    "io.modelcontextprotocol/clientCapabilities": capabilities(Side::Client, None),
                });
            }
        }
        self.tell(side, &message.to_string());
        let said = self.drain(side);
        assert!(said.len() <= 1, "{said:?}");
        said.first().map(|message| serde_json::from_str(message).unwrap())
    }
    /// How many notices a side has dropped.
    pub fn ignored(&self, side: Side) -> u64 {
        match side {
            Side::Client => self.client.stats().ignored,
            Side::Server => self.server.stats().ignored,
        }
    }
}
