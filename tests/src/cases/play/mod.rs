//! One run of one case: the harness on one side, the machine under test and its application on the other, virtual time
//! between them.
mod harness;
mod judge;
mod observe;

use std::collections::{BTreeMap, VecDeque};

use mcp_sansio::embed::Channel;

use super::{
    adapt::{Adaptation, Expectation, Question},
    case::{Side, Step},
    host::Host,
    machine::Machine,
    pattern::{Captures, brief, fill, interpolate},
    process::Programs,
    unit,
    value::Value,
};

/// What `api` may name: calls whose params are its `args`…
const CALLS: &[(&str, &str)] = &[
    ("list_tools", "tools/list"),
    ("list_resources", "resources/list"),
    ("list_resource_templates", "resources/templates/list"),
    ("read_resource", "resources/read"),
    ("list_prompts", "prompts/list"),
    ("get_prompt", "prompts/get"),
    ("complete", "completion/complete"),
    ("create_message", "sampling/createMessage"),
    ("elicit", "elicitation/create"),
    ("list_roots", "roots/list"),
    ("ping", "ping"),
];

/// …and what else an application does.
const COMMANDS: &[&str] = &[
    "connect",
    "call",
    "call_tool",
    "list_all",
    "probe",
    "subscribe",
    "notify",
    "publish",
    "log",
    "set_principal",
    "cancel",
    "cancel_last",
    "close",
];

/// Whether the application can do this.
pub fn is_api(name: &str) -> bool {
    COMMANDS.contains(&name) || CALLS.iter().any(|(api, _)| *api == name)
}

/// A failure: at which step and why.
pub type Failure = String;

const NANOS_PER_MS: u64 = 1_000_000;

/// What a run is about.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The revision.
    pub revision: &'a str,
    /// The side of the machine under test.
    pub side: Side,
    /// A stream, or whole messages.
    pub channel: Channel,
    /// The application.
    pub host: &'a Host,
    /// R1…
    pub rules: &'a [String],
    /// Bytes that the process holds now, where they are counted.
    pub memory: Option<fn() -> usize>,
    /// Programs for cases about processes.
    pub programs: Option<&'a Programs>,
    /// Which way of cutting a `TxEverySplit` step.
    pub cut: usize,
}

/// What a run came to.
pub struct Played {
    /// Patterns, silences and assertions that held.
    pub assertions: usize,
    /// How many ways there are to cut a `TxEverySplit` step; 0: there is no such step.
    pub cuts: usize,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// Plays a case once.
pub fn play(steps: &[Step], setting: Setting<'_>) -> Played {
    let adaptation = Adaptation::new(setting.rules, setting.revision, setting.side);
    let mut run = Run {
        subscribes: adaptation.needs_subscription(steps),
        adaptation,
        setting,
        now: 0,
        captures: Captures::from([("REVISION".into(), Value::string(setting.revision))]),
        link: None,
        assertions: 0,
        cuts: 0,
        held_before: None,
        peak: 0,
    };
    let failure = run.steps(steps).err();
    Played { assertions: run.assertions, cuts: run.cuts, failure }
}

pub(super) struct Run<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) adaptation: Adaptation,
    pub(super) subscribes: bool,
    pub(super) now: u64,
    pub(super) captures: Captures,
    pub(super) link: Option<Link>,
    pub(super) assertions: usize,
    pub(super) cuts: usize,
    pub(super) held_before: Option<usize>,
    pub(super) peak: usize,
}

/// One machine and what was seen of it.
pub(super) struct Link {
    pub(super) machine: Machine,
    /// What the client declares.
    pub(super) capabilities: Value,
    pub(super) sent: Vec<Sent>,
    pub(super) events: Vec<Value>,
    pub(super) happened: Vec<Happening>,
    pub(super) calls: Vec<Call>,
    pub(super) requests: BTreeMap<u64, Value>,
    /// What came of questions, for the request that follows.
    pub(super) input: Option<Value>,
    pub(super) tasks: BTreeMap<(u64, u64), Task>,
    pub(super) task_count: u64,
    pub(super) reactions: Vec<Reaction>,
    pub(super) waiting: VecDeque<(String, Value, String)>,
    pub(super) started: bool,
    pub(super) ready: bool,
    pub(super) opened: bool,
    pub(super) answers: Vec<(Value, Expectation)>,
    pub(super) asked: Vec<Question>,
    pub(super) subscription: Option<Value>,
    pub(super) liveness: Option<Value>,
    pub(super) unfinished: String,
    pub(super) written: Written,
}

#[derive(Default)]
pub(super) struct Written {
    pub(super) bytes: usize,
    pub(super) lines: usize,
    pub(super) carriage_returns: usize,
}

pub(super) struct Sent {
    pub(super) message: Value,
    pub(super) raw: String,
    pub(super) matched: bool,
}

pub(super) enum Happening {
    Sent(usize),
    Event(usize),
}

pub(super) struct Call {
    pub(super) label: String,
    pub(super) handle: Option<u64>,
    pub(super) outcome: Option<Value>,
}

/// What the application does later about a request or a question.
pub(super) struct Task {
    pub(super) about: u64,
    pub(super) act: Value,
}

pub(super) struct Reaction {
    pub(super) pattern: Value,
    pub(super) steps: Vec<Step>,
    pub(super) left: u64,
}

impl Run<'_> {
    pub(super) fn steps(&mut self, steps: &[Step]) -> Result<(), Failure> {
        for (index, step) in steps.iter().enumerate() {
            self.step(step).map_err(|failure| format!("step {}: {failure}", index + 1))?;
        }
        Ok(())
    }

    pub(super) fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::As(side, steps) => {
                return if *side == self.setting.side { self.steps(steps) } else { Ok(()) };
            }
            Step::Only(revisions, steps) => {
                let here = revisions.iter().any(|revision| revision == self.setting.revision);
                return if here { self.steps(steps) } else { Ok(()) };
            }
            Step::ForEach { rows, steps, fresh } => return self.rows(rows, steps, *fresh),
            Step::Process { example, args, script, input, expect } => {
                return self.process(example, args, script, input, expect);
            }
            Step::Unit { name, args, expect } => {
                let seen = unit::run(name, &fill(args, &self.captures))?;
                self.compare(name, expect, &seen)?;
                self.assertions += 1;
                return Ok(());
            }
            Step::Stderr { .. } => return Err("only the peer of a process has a stderr".into()),
            Step::Prelude { client_capabilities, server_capabilities } => {
                self.connect(client_capabilities, server_capabilities.as_ref(), &Value::Null)?;
                return self.prelude(server_capabilities.as_ref());
            }
            _ => {}
        }
        if self.link.is_none() {
            self.connect(&Value::Object(Vec::new()), None, &Value::Null)?;
        }
        match step {
            Step::Rx { pattern, within_ms } => self.receive(pattern, *within_ms),
            Step::RxNone { ms } => self.silence(*ms),
            Step::Clock { ms } => self.pass(*ms),
            Step::Assert(assertion) => self.assert(assertion),
            action => {
                self.act(action)?;
                self.read()
            }
        }
    }

    pub(super) fn rows(&mut self, rows: &[Value], steps: &[Step], fresh: bool) -> Result<(), Failure> {
        for row in rows {
            if fresh {
                self.link = None;
            }
            let row = fill(row, &self.captures);
            self.captures.insert("V".into(), row.clone());
            self.steps(steps).map_err(|failure| format!("for {}: {failure}", brief(&row)))?;
        }
        Ok(())
    }

    pub(super) fn process(
        &mut self,
        example: &str,
        args: &[String],
        script: &Value,
        input: &str,
        expect: &Value,
    ) -> Result<(), Failure> {
        let programs = self.setting.programs.ok_or("programs are not known here")?;
        let args: Vec<String> = args.iter().map(|arg| interpolate(arg, &self.captures)).collect();
        let ended = programs.run(example, &args, script, &interpolate(input, &self.captures))?;
        self.compare(example, expect, &ended)?;
        self.assertions += 1;
        Ok(())
    }

    pub(super) fn link(&mut self) -> Result<&mut Link, Failure> {
        self.link.as_mut().ok_or_else(|| "no machine".into())
    }
}

impl Link {
    /// Something that the application did was refused.
    pub(super) fn refused(&mut self, code: &str) {
        let refusal = [("event", Value::string("refused")), ("code", Value::string(code))];
        self.happened.push(Happening::Event(self.events.len()));
        self.events.push(Value::object(refusal));
    }
    /// Faults and the end, which explain why something is missing.
    pub(super) fn complaints(&self) -> String {
        let telling =
            |event: &&Value| matches!(event.get("event").and_then(Value::as_str), Some("fault" | "closed"));
        let events = self.events.iter().filter(telling).map(brief).collect::<Vec<_>>();
        if events.is_empty() { String::new() } else { format!("; events {}", events.join(" | ")) }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it so")]
pub(super) fn command(error: mcp_sansio::embed::EmbedError) -> Failure {
    format!("the machine refused: {} ({error})", error.code)
}

pub(super) fn info(name: &str) -> Value {
    Value::object([("name", Value::string(name)), ("version", Value::string("1"))])
}

pub(super) fn request(id: &str, method: &str, params: Value) -> Value {
    Value::object([
        ("jsonrpc", Value::string("2.0")),
        ("id", Value::string(id)),
        ("method", Value::string(method)),
        ("params", params),
    ])
}

pub(super) fn notice(method: &str, params: Option<Value>) -> Value {
    let mut notice = Value::object([("jsonrpc", Value::string("2.0")), ("method", Value::string(method))]);
    if let Some(params) = params {
        notice.set("params", params);
    }
    notice
}
