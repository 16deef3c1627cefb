//! A server whose handlers ask and a client whose application answers, in any order of what can happen: every call has
//! one outcome, every request and every question one end, and what comes again is what was asked.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

use common::*;
use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle, SealKeys,
    error::{CallError, SendError},
    event::{Event, Outcome, Question, Request},
    session::{CallOptions, Client, Server},
    time::WallClock,
};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

const ALL: &str = r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}"#;
const METHODS: [&str; 3] = ["elicitation/create", "sampling/createMessage", "roots/list"];

#[derive(Debug, Clone)]
enum Op {
    Call,
    /// So many messages arrive at the server, or at the client.
    ToServer(usize),
    ToClient(usize),
    Respond(Index, Reply),
    Answer(Index, bool),
    Cancel(Index),
    Pass(u64),
}

#[derive(Debug, Clone, Copy)]
enum Reply {
    Result,
    Error,
    /// So many questions.
    Ask(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let reply = prop_oneof![
        2 => Just(Reply::Result),
        1 => Just(Reply::Error),
        6 => (0..4_usize).prop_map(Reply::Ask),
    ];
    prop_oneof![
        4 => Just(Op::Call),
        8 => (1..3_usize).prop_map(Op::ToServer),
        8 => (1..3_usize).prop_map(Op::ToClient),
        8 => (any::<Index>(), reply).prop_map(|(pick, reply)| Op::Respond(pick, reply)),
        10 => (any::<Index>(), prop::bool::weighted(0.9)).prop_map(|(pick, good)| Op::Answer(pick, good)),
        1 => any::<Index>().prop_map(Op::Cancel),
        4 => (0..2000_u64).prop_map(Op::Pass),
    ]
}

/// What was asked with one state.
struct Asked {
    number: u64,
    round: u8,
    by: RequestHandle,
    questions: Vec<(String, &'static str)>,
}

struct Pair {
    server: Host<Server>,
    client: Host<Client>,
    legacy: bool,
    to_server: VecDeque<Value>,
    to_client: VecDeque<Value>,
    calls: BTreeMap<u64, u64>,
    given: Vec<CallHandle>,
    requests: Vec<(RequestHandle, u64, u8)>,
    asking: BTreeSet<u64>,
    asked: Vec<Asked>,
    inputs: Vec<(InputHandle, &'static str, Option<String>)>,
    numbers: u64,
    rounds: u64,
}

/// The answer to a question, which says what was asked.
fn answer_to(method: &str, marker: Option<&str>) -> Value {
    match method {
        "elicitation/create" => json!({"action": "accept", "content": {"to": marker}}),
        "sampling/createMessage" => {
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": marker}})
        }
        _ => json!({"roots": []}),
    }
}

impl Pair {
    fn new(revision: &str) -> Self {
        let bounds = limits(|limits| {
            limits.input_timeout = seconds(5);
            limits.call_silence = seconds(8);
            limits.call_total = seconds(30);
        });
        let mut server = serve(server_config().limits(bounds.clone()).seal_keys(SealKeys(vec![[3; 32]])));
        server.machine.set_wall_clock(WallClock { at: server.now, unix_millis: 1_700_000_000_000 });
        let revision = mcp_sansio::revision::Revision::from_name(revision).unwrap();
        let config = client_config().limits(bounds).capabilities(ALL.as_bytes()).unwrap();
        let client = start(config.revisions(&[revision]).unwrap().probe(true));
        let mut pair = Self {
            server,
            client,
            legacy: revision.features().server_requests,
            to_server: VecDeque::new(),
            to_client: VecDeque::new(),
            calls: BTreeMap::new(),
            given: Vec::new(),
            requests: Vec::new(),
            asking: BTreeSet::new(),
            asked: Vec::new(),
            inputs: Vec::new(),
            numbers: 0,
            rounds: 0,
        };
        pair.take();
        while pair.client.machine.revision().is_none() {
            pair.deliver(true, 10);
            pair.deliver(false, 10);
        }
        pair.deliver(true, 10);
        pair
    }

    /// Takes what both machines want.
    fn take(&mut self) {
        self.to_client.extend(self.server.sent());
        self.to_server.extend(self.client.sent());
        for event in self.server.events() {
            match event {
                Event::Request(request) => self.request(&request),
                Event::Over { request, .. } => {
                    let open = self.requests.iter().position(|(handle, ..)| *handle == request);
                    match open {
                        Some(place) => drop(self.requests.remove(place)),
                        None => assert!(self.asking.remove(&request.as_u64()), "{request:?} ended twice"),
                    }
                }
                Event::Ready(_) => {}
                Event::Closed(_) => {
                    assert!(self.requests.is_empty() && (!self.legacy || self.asking.is_empty()));
                }
                other => panic!("the server: {other:?}"),
            }
        }
        for event in self.client.events() {
            match event {
                Event::Input(input) => {
                    let params: Option<Value> = input.params.map(|params| params.decode().unwrap());
                    let marker = params.and_then(|params| {
                        params["message"].as_str().or(params["systemPrompt"].as_str()).map(Into::into)
                    });
                    self.inputs.push((input.input, input.method, marker));
                }
                Event::InputOver { input } => {
                    let place = self.inputs.iter().position(|(handle, ..)| *handle == input);
                    self.inputs.remove(place.expect("a question ended twice"));
                }
                Event::Completed { call, outcome } => {
                    let number = self.calls.remove(&call.as_u64()).expect("a call has two outcomes");
                    match outcome {
                        Ok(completion) => {
                            let result: Value = completion.result.decode().unwrap();
                            assert_eq!(result["n"], number, "the answer of another call");
                        }
                        Err(error) => assert!(
                            matches!(
                                *error,
                                CallError::Rpc(_)
                                    | CallError::Cancelled
                                    | CallError::Timeout { .. }
                                    | CallError::Input { .. }
                                    | CallError::Closed { .. }
                            ),
                            "{error:?}"
                        ),
                    }
                }
                Event::Ready(_) | Event::Closed(_) => {}
                // The rounds of a call are bounded on both sides.
                Event::Fault(fault) if fault.code == "fault.input_required" => {}
                other => panic!("the client: {other:?}"),
            }
        }
    }

    fn request(&mut self, request: &Request) {
        let arguments: Value = request.arguments().unwrap().decode().unwrap();
        let number = arguments["n"].as_u64().unwrap();
        self.requests.push((request.handle(), number, request.round()));
        let Some(input) = request.input() else {
            assert_eq!(request.round(), 0);
            return;
        };
        self.rounds += 1;
        let state = u64::from_be_bytes(input.state.as_deref().unwrap().try_into().unwrap());
        let asked = &self.asked[usize::try_from(state).unwrap()];
        assert_eq!((number, request.round()), (asked.number, asked.round + 1));
        assert_eq!(input.previous, self.legacy.then_some(asked.by));
        if self.legacy {
            assert!(self.asking.remove(&asked.by.as_u64()));
            assert_eq!(input.answers.len() + input.failed.len(), asked.questions.len());
        } else {
            assert_eq!((input.answers.len(), input.failed.len()), (asked.questions.len(), 0));
        }
        let mut questions = asked.questions.iter();
        for (key, answer) in &input.answers {
            let (_, method) =
                questions.find(|(known, _)| **known == **key).expect("in the order of the questions");
            let expected = answer_to(method, (*method != "roots/list").then_some(key));
            assert_eq!(answer.decode::<Value>().unwrap(), expected);
        }
    }

    fn deliver(&mut self, to_server: bool, most: usize) {
        for _ in 0..most {
            let queue = if to_server { &mut self.to_server } else { &mut self.to_client };
            let Some(message) = queue.pop_front() else { break };
            if to_server {
                self.server.tell(&message);
            } else {
                self.client.tell(&message);
            }
            self.take();
        }
    }

    fn respond(&mut self, place: usize, reply: Reply) {
        let (handle, number, round) = self.requests.remove(place);
        let text = json!({"content": [], "n": number}).to_string();
        let state = (self.asked.len() as u64).to_be_bytes();
        let keys: Vec<(String, &str)> = match reply {
            Reply::Ask(count) => (0..count)
                .map(|place| {
                    (format!("{}-{place}", self.asked.len()), METHODS[(place + self.asked.len()) % 3])
                })
                .collect(),
            _ => Vec::new(),
        };
        let params: Vec<Option<String>> = keys
            .iter()
            .map(|(key, method)| match *method {
                "elicitation/create" => Some(
                    json!({"message": key, "requestedSchema": {"type": "object", "properties": {}}})
                        .to_string(),
                ),
                "sampling/createMessage" => {
                    Some(json!({"messages": [], "maxTokens": 1, "systemPrompt": key}).to_string())
                }
                _ => None,
            })
            .collect();
        let questions: Vec<Question<'_>> = keys
            .iter()
            .zip(&params)
            .map(|((key, method), params)| Question { key, method, params: params.as_deref().map(json) })
            .collect();
        let outcome = match reply {
            Reply::Result => result(&text),
            Reply::Error => Outcome::Error { code: 1, message: "failed", data: None },
            Reply::Ask(_) => Outcome::InputRequired { questions: &questions, state: Some(&state) },
        };
        self.server.machine.respond(self.server.now, handle, outcome).unwrap();
        if matches!(reply, Reply::Ask(_)) {
            self.asking.insert(handle.as_u64());
            self.asked.push(Asked { number, round, by: handle, questions: keys });
        }
        self.take();
    }

    fn answer(&mut self, place: usize, good: bool) {
        let (input, method, marker) = self.inputs.remove(place);
        let text = answer_to(method, marker.as_deref()).to_string();
        let outcome =
            if good { result(&text) } else { Outcome::Error { code: -1, message: "no", data: None } };
        self.client.machine.answer(self.client.now, input, outcome).unwrap();
        assert_eq!(self.client.machine.answer(self.client.now, input, outcome), Err(SendError::Over));
        self.take();
    }

    fn pass(&mut self, millis: u64) {
        self.server.wait(Duration::from_millis(millis));
        self.client.wait(Duration::from_millis(millis));
        self.take();
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Call => {
                self.numbers += 1;
                let params = json!({"name": "echo", "arguments": {"n": self.numbers}}).to_string();
                let now = self.client.now;
                let call = self
                    .client
                    .machine
                    .call(now, "tools/call", Some(json(&params)), CallOptions::new())
                    .unwrap();
                self.calls.insert(call.as_u64(), self.numbers);
                self.given.push(call);
                self.take();
            }
            Op::ToServer(most) => self.deliver(true, *most),
            Op::ToClient(most) => self.deliver(false, *most),
            Op::Respond(pick, reply) if !self.requests.is_empty() => {
                self.respond(pick.index(self.requests.len()), *reply);
            }
            Op::Answer(pick, good) if !self.inputs.is_empty() => {
                self.answer(pick.index(self.inputs.len()), *good);
            }
            Op::Cancel(pick) if !self.given.is_empty() => {
                let call = self.given[pick.index(self.given.len())];
                let cancelled = self.client.machine.cancel(self.client.now, call, None);
                assert!(matches!(cancelled, Ok(()) | Err(SendError::Over)));
                self.take();
            }
            Op::Pass(millis) => self.pass(*millis),
            Op::Respond(..) | Op::Answer(..) | Op::Cancel(_) => {}
        }
    }

    /// Everybody does what is to be done, and then nothing is left.
    fn settle(&mut self) {
        for _ in 0..200 {
            self.deliver(true, 100);
            self.deliver(false, 100);
            while !self.requests.is_empty() {
                self.respond(0, Reply::Result);
            }
            while !self.inputs.is_empty() {
                self.answer(0, true);
            }
            if self.calls.is_empty() && self.to_server.is_empty() && self.to_client.is_empty() {
                break;
            }
            self.pass(100);
        }
        assert_eq!(self.calls, BTreeMap::new(), "calls without an outcome");
        assert!(self.requests.is_empty() && self.inputs.is_empty());
        if self.legacy {
            // A cancelled request may still wait for its pause.
            self.pass(60_000);
            self.settle_requests();
            assert_eq!(self.asking, BTreeSet::new(), "requests that never come again");
        }
        assert_eq!(self.server.machine.stat("requests_now"), 0);
        assert_eq!(self.client.machine.stat("calls_now"), 0);
        assert_eq!(self.client.machine.stat("requests_now"), 0);
        assert_eq!(self.server.machine.next_timeout(), None);
        assert_eq!(self.client.machine.next_timeout(), None);
    }

    fn settle_requests(&mut self) {
        while !self.requests.is_empty() {
            self.respond(0, Reply::Result);
        }
        self.deliver(false, 100);
    }
}

fn run(revision: &str, ops: &[Op], cut: bool) -> u64 {
    let mut pair = Pair::new(revision);
    for op in ops {
        pair.apply(op);
    }
    if cut {
        pair.client.close_channel();
        pair.server.close_channel();
        pair.take();
        assert!(pair.calls.is_empty() && pair.inputs.is_empty() && pair.requests.is_empty());
        assert!(!pair.legacy || pair.asking.is_empty());
    } else {
        pair.settle();
    }
    pair.rounds
}

#[test]
fn one_end_for_everything_in_both_eras() {
    let rounds = Cell::new([0u64; 2]);
    let revisions = ["2025-11-25", MODERN];
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(era in 0..2_usize, ops in prop::collection::vec(op(), 1..120), cut in prop::bool::weighted(0.2))| {
        let mut counts = rounds.get();
        counts[era] += run(revisions[era], &ops, cut);
        rounds.set(counts);
    });
    assert!(rounds.get().iter().all(|rounds| *rounds > 100), "too few rounds of input: {rounds:?}");
}
