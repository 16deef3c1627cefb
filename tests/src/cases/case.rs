//! The case format, read: what can be played becomes [`Step`]s, anything else a reason to skip the case.
use mcp_sansio::{
    embed::Channel,
    method::{MethodKind, Senders, rows},
    revision::Revision,
};

use super::{pattern::unknown_operator, value::Value};

/// One case of a file.
pub struct Case {
    /// `ENV-001`…
    pub id: String,
    /// The revisions that it is to be run on.
    pub revisions: Vec<String>,
    /// `R1`…: what is substituted on a modern revision.
    pub adapt: Vec<String>,
    /// Members that replace those of the host application.
    pub host: Option<Value>,
    /// Which sides the machine under test takes, and what is done; or why the case can't be played.
    pub script: Result<Script, Skip>,
}

/// What can be played of a case.
pub struct Script {
    sides: Vec<Side>,
    /// Whether a side is left out where its peer can't send what the case does.
    either: bool,
    /// How its messages are carried, one run each.
    pub channels: &'static [Channel],
    /// In order.
    pub steps: Vec<Step>,
}

/// A side of the conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Offers the tools.
    Server,
    /// Calls them.
    Client,
}

impl Side {
    /// `server` or `client`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

/// Why a case is not played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skip(pub String);

impl Skip {
    /// A sentence without a machine form.
    fn prose() -> Self {
        Self("prose".into())
    }
    /// What a session over messages or a stream does not have.
    fn elsewhere(what: &str) -> Self {
        Self(format!("needs {what}"))
    }
    /// Whether it can't be played in a session over messages or a stream, whatever the player can do.
    pub fn is_elsewhere(&self) -> bool {
        self.0.starts_with("needs ")
    }
}

/// One thing that the harness does or wants.
#[derive(Clone, Debug)]
pub enum Step {
    /// The handshake, at the revision of the run.
    Prelude {
        /// What the client declares.
        client_capabilities: Value,
        /// What the server declares; `None`: what the host application has.
        server_capabilities: Option<Value>,
    },
    /// Sends one message.
    Tx(Value),
    /// Sends text as it is.
    TxRaw(String),
    /// Sends bytes, one read each.
    TxReads(Vec<Vec<u8>>),
    /// Sends bytes in two reads cut anywhere, or byte by byte: each way is a run of its own.
    TxEverySplit(Vec<u8>),
    /// Sends messages in one read.
    TxOneRead(Vec<Value>),
    /// Sends these bytes over and over.
    TxRepeat {
        /// What.
        unit: Vec<u8>,
        /// How often: a number, or a text that a capture makes one.
        times: Value,
    },
    /// A message that matches has to come.
    Rx {
        /// What.
        pattern: Value,
        /// How soon, in virtual time.
        within_ms: u64,
    },
    /// Nothing may come.
    RxNone {
        /// For so long, in virtual time.
        ms: u64,
    },
    /// The application does something.
    Api {
        /// What.
        name: String,
        /// With what.
        args: Value,
        /// The name of the call in assertions.
        label: String,
    },
    /// The end of input.
    Eof,
    /// The channel breaks.
    Closed,
    /// Time passes.
    Clock {
        /// So much.
        ms: u64,
    },
    /// Once for each row, which is `V`.
    ForEach {
        /// The rows.
        rows: Vec<Value>,
        /// What.
        steps: Vec<Step>,
        /// Whether each row begins with a new machine.
        fresh: bool,
    },
    /// At the same moment: nothing the machine sends is read between them.
    Together(Vec<Step>),
    /// Only where the machine under test takes this side.
    As(Side, Vec<Step>),
    /// Only on these revisions.
    Only(Vec<String>, Vec<Step>),
    /// What the harness does as soon as the machine sends a message that matches, before it reads anything else.
    On {
        /// What it waits for.
        pattern: Value,
        /// What it does.
        steps: Vec<Step>,
        /// How often at most.
        times: u64,
    },
    /// What has to hold now.
    Assert(Assertion),
    /// An example program of the core runs to its end.
    Process {
        /// Which.
        example: String,
        /// Its arguments; `$peer` is the command of a server that follows `script`.
        args: Vec<String>,
        /// What its server does.
        script: Value,
        /// Its standard input.
        input: String,
        /// What came of it: `status`, `stdout` (lines), `stdout_bytes`, `stderr_bytes`.
        expect: Value,
    },
    /// A function of the library alone.
    Unit {
        /// Which.
        name: String,
        /// With what.
        args: Value,
        /// What came of it.
        expect: Value,
    },
    /// A server of a `Process` writes so much to its stderr.
    Stderr {
        /// So much.
        bytes: u64,
    },
}

/// One assertion: a subject and its members.
#[derive(Clone, Debug)]
pub enum Assertion {
    /// How many messages the machine sent that match.
    Sent {
        /// What.
        pattern: Value,
        /// How many.
        count: Value,
    },
    /// How many events the machine delivered that match.
    Event {
        /// What.
        pattern: Value,
        /// How many.
        count: Value,
    },
    /// These happened one after the other: each `{"sent": …}` or `{"event": …}`.
    Order(Vec<Value>),
    /// The outcome of a call; `None`: it has none yet.
    Call {
        /// Which.
        label: String,
        /// What it has to look like.
        outcome: Option<Value>,
        /// How soon.
        within_ms: u64,
    },
    /// The machine's counters.
    Stats(Value),
    /// What was written, as a stream: `bytes`, `lines`, `unfinished`, `carriage_returns`.
    Output(Value),
    /// Bytes that the process holds beyond those before the first `TxRepeat`: `peak`, `held`.
    Memory(Value),
    /// Whether everything was taken and the end was delivered: the host may go.
    Over(bool),
}

/// Steps whose value is a sentence; `assert` is the machine form of the first, `peer` that of the others.
const SENTENCES: &[&str] = &["check", "harness", "hook", "wait_until", "api_or_tx", "tx_generated"];

/// Members that explain or go with another member.
const COMPANIONS: &[&str] = &[
    "within_ms",
    "args",
    "label",
    "note",
    "version",
    "client_capabilities",
    "server_capabilities",
    "do",
    "steps",
    "fresh_connection",
    "times",
    "only",
    "input",
    "expect",
    "N",
];

const DEFAULT_WITHIN_MS: u64 = 2000;

impl Case {
    /// Reads one line of a file.
    pub fn read(line: &str) -> Result<Self, String> {
        let case = Value::parse(line).map_err(|error| error.to_string())?;
        let text = |key: &str| case.get(key).and_then(Value::as_str).map(str::to_owned);
        let list = |key: &str| {
            let elements = case.get(key).map(Value::elements).unwrap_or_default();
            elements.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let id = text("id").ok_or("a case without `id`")?;
        let input = case.get("input").ok_or_else(|| format!("{id}: no `input`"))?;
        let revisions = list("revisions");
        if revisions.is_empty() {
            return Err(format!("{id}: no `revisions`"));
        }
        Ok(Self {
            script: read_script(&text("role").unwrap_or_default(), input),
            host: input.get("host").cloned(),
            adapt: list("adapt_2026"),
            id,
            revisions,
        })
    }
}

fn read_script(role: &str, input: &Value) -> Result<Script, Skip> {
    let transport = input.get("transport").and_then(Value::as_str);
    let channels: &[Channel] = match transport {
        _ if role == "auth" => return Err(Skip::elsewhere("authorization")),
        Some("http" | "sse") => return Err(Skip::elsewhere("HTTP")),
        Some("any") => &[Channel::Stream, Channel::Messages],
        Some("stdio") => &[Channel::Stream],
        Some("unit") => &[Channel::Messages],
        Some(other) => return Err(Skip(format!("{other} transport"))),
        None => return Err(Skip("no transport".into())),
    };
    let steps = input.get("steps").map(Value::elements).unwrap_or_default();
    if has_bare_sentence(steps) || input.get("setup").is_some() && input.get("host").is_none() {
        return Err(Skip::prose());
    }
    let steps = read_steps(steps)?;
    let mut sides = match role {
        "server" | "framing" => vec![Side::Server],
        "client" => vec![Side::Client],
        "both" => vec![Side::Server, Side::Client],
        other => return Err(Skip(format!("role {other}"))),
    };
    for side in named_sides(&steps) {
        if !sides.contains(&side) {
            sides.push(side);
        }
    }
    Ok(Script { sides, either: role == "both", channels, steps })
}

impl Script {
    /// Sides that the machine under test takes on a revision, one run each. `asks`: requests to a client become questions.
    pub fn sides(&self, revision: Revision, asks: bool) -> impl Iterator<Item = Side> {
        self.sides
            .iter()
            .copied()
            .filter(move |side| !self.either || takes(*side, &self.steps, revision, asks))
    }
}

/// The sides that `as` steps name, however deep.
fn named_sides(steps: &[Step]) -> Vec<Side> {
    let named = |step: &Step| match step {
        Step::As(side, _) => vec![*side],
        Step::ForEach { steps, .. } | Step::Together(steps) | Step::Only(_, steps) => named_sides(steps),
        _ => Vec::new(),
    };
    steps.iter().flat_map(named).collect()
}

/// Whether every request that the case sends to this side is one that its peer may send.
fn takes(side: Side, steps: &[Step], revision: Revision, asks: bool) -> bool {
    let peer_sends = |senders: Senders| match side {
        Side::Server => senders != Senders::Server,
        Side::Client => senders != Senders::Client,
    };
    let may_send = |message: &Value| {
        let named = message.get("id").and(message.get("method")).and_then(Value::as_str);
        let Some(method) = named else { return true };
        let mut known =
            rows().iter().filter(|row| row.name == method && row.kind == MethodKind::Request).peekable();
        let fits = known.peek().is_none() || known.any(|row| peer_sends(row.senders));
        fits && (side == Side::Server || asks || revision.features().server_requests)
    };
    steps.iter().all(|step| match step {
        Step::Tx(message) => may_send(message),
        Step::ForEach { steps, .. } | Step::Together(steps) | Step::Only(_, steps) => {
            takes(side, steps, revision, asks)
        }
        _ => true,
    })
}

/// Whether a step, however deep, is a sentence that has no machine form beside it.
fn has_bare_sentence(steps: &[Value]) -> bool {
    steps.iter().any(|step| {
        let nested = |key: &str| match step.get(key) {
            Some(Value::Array(steps)) => has_bare_sentence(steps),
            Some(step @ Value::Object(_)) => has_bare_sentence(std::slice::from_ref(step)),
            _ => false,
        };
        let bare = SENTENCES.iter().any(|sentence| {
            let form = if *sentence == "check" { "assert" } else { "peer" };
            step.get(sentence).is_some() && step.get(form).is_none_or(|form| form.elements().is_empty())
        });
        bare || ["do", "steps", "parallel", "async", "peer"].into_iter().any(nested)
    })
}

fn read_steps(steps: &[Value]) -> Result<Vec<Step>, Skip> {
    let read = steps.iter().map(read_step).collect::<Result<Vec<_>, _>>()?;
    Ok(read.into_iter().flatten().collect())
}

/// One step of the format; its `peer` comes first, its `assert` last.
fn read_step(step: &Value) -> Result<Vec<Step>, Skip> {
    let member = |key: &str| step.get(key).map(Value::elements).unwrap_or_default();
    let mut read = read_steps(member("peer"))?;
    for (key, value) in step.members() {
        let known = SENTENCES.contains(&key.as_str())
            || COMPANIONS.contains(&key.as_str())
            || key == "peer"
            || key == "assert";
        if !known {
            read.push(read_action(key, value, step)?);
        }
    }
    for assertion in member("assert") {
        read.push(Step::Assert(read_assertion(assertion)?));
    }
    if let Some(revisions) = step.get("only") {
        let revisions = revisions.elements().iter().filter_map(Value::as_str).map(str::to_owned);
        read = vec![Step::Only(revisions.collect(), read)];
    }
    Ok(read)
}

/// The steps of a process that plays the peer.
pub fn read_peer(script: &Value) -> Result<Vec<Step>, Skip> {
    read_steps(script.elements())
}

/// A string as it is; other values as JSON.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn read_action(key: &str, value: &Value, step: &Value) -> Result<Step, Skip> {
    let malformed = || Skip(format!("step {key}: {value}"));
    let text = || value.as_str().map(str::to_owned).ok_or_else(malformed);
    let number = |value: &Value| value.as_u64().ok_or_else(malformed);
    let bytes = |value: &Value| value.as_str().and_then(unhex).ok_or_else(malformed);
    let nested = |key: &str| read_steps(step.get(key).map(Value::elements).unwrap_or_default());
    Ok(match key {
        "prelude" if value.as_str() == Some("legacy-init") => Step::Prelude {
            client_capabilities: step.get("client_capabilities").cloned().unwrap_or(Value::Object(vec![])),
            server_capabilities: step.get("server_capabilities").cloned(),
        },
        "tx" => Step::Tx(value.clone()),
        "tx_raw" => Step::TxRaw(text()?),
        "tx_hex" => Step::TxReads(vec![bytes(value)?]),
        "tx_chunks_hex" => Step::TxReads(value.elements().iter().map(bytes).collect::<Result<_, _>>()?),
        "tx_every_split_hex" => Step::TxEverySplit(bytes(value)?),
        "tx_one_read" => Step::TxOneRead(value.elements().to_vec()),
        "tx_repeat_hex" => {
            Step::TxRepeat { unit: bytes(value)?, times: step.get("times").cloned().ok_or_else(malformed)? }
        }
        "rx" => Step::Rx {
            pattern: known_pattern(value)?,
            within_ms: step.get("within_ms").map_or(Ok(DEFAULT_WITHIN_MS), number)?,
        },
        "rx_none_ms" => Step::RxNone { ms: number(value)? },
        "api" => {
            let name = text()?;
            if !super::play::is_api(&name) {
                return Err(Skip(format!("api {name}")));
            }
            Step::Api {
                args: step.get("args").cloned().unwrap_or(Value::Object(vec![])),
                label: step.get("label").and_then(Value::as_str).unwrap_or(&name).to_owned(),
                name,
            }
        }
        "eof" => Step::Eof,
        "closed" => Step::Closed,
        "clock_ms" => Step::Clock { ms: number(value)? },
        "for_each" => Step::ForEach {
            rows: value.elements().to_vec(),
            steps: nested("do")?,
            fresh: step.get("fresh_connection") == Some(&Value::Bool(true)),
        },
        "repeat" => Step::ForEach {
            rows: (0..number(value)?).map(Value::number).collect(),
            steps: nested("do")?,
            fresh: false,
        },
        "parallel" => Step::Together(read_steps(value.elements())?),
        "async" => Step::Together(read_steps(std::slice::from_ref(value))?),
        "as" => Step::As(
            match value.as_str() {
                Some("server") => Side::Server,
                Some("client") => Side::Client,
                _ => return Err(malformed()),
            },
            nested("steps")?,
        ),
        "process" => Step::Process {
            example: text()?,
            args: step.get("args").map(Value::elements).unwrap_or_default().iter().map(as_text).collect(),
            script: step.get("do").cloned().unwrap_or(Value::Array(Vec::new())),
            input: step.get("input").and_then(Value::as_str).unwrap_or_default().to_owned(),
            expect: known_pattern(step.get("expect").ok_or_else(malformed)?)?,
        },
        "unit" => {
            let name = text()?;
            if !super::unit::FUNCTIONS.contains(&name.as_str()) {
                return Err(Skip(format!("unit {name}")));
            }
            Step::Unit {
                name,
                args: step.get("args").cloned().unwrap_or(Value::Object(vec![])),
                expect: known_pattern(step.get("expect").ok_or_else(malformed)?)?,
            }
        }
        "stderr_bytes" => Step::Stderr { bytes: number(value)? },
        "on" => Step::On {
            pattern: known_pattern(value)?,
            steps: nested("do")?,
            times: step.get("times").map_or(Ok(1), number)?,
        },
        http if http.starts_with("http_") => return Err(Skip::elsewhere("HTTP")),
        other => return Err(Skip(format!("step {other}"))),
    })
}

fn read_assertion(assertion: &Value) -> Result<Assertion, Skip> {
    let malformed = || Skip(format!("assert {assertion}"));
    let Some((subject, value)) = assertion.members().first() else { return Err(malformed()) };
    let companions: &[&str] = match subject.as_str() {
        "sent" | "event" => &["count"],
        "call" => &["outcome", "within_ms"],
        _ => &[],
    };
    if assertion.members().iter().skip(1).any(|(key, _)| !companions.contains(&key.as_str())) {
        return Err(malformed());
    }
    let count = || assertion.get("count").cloned().unwrap_or(Value::object([("$min", Value::number(1))]));
    Ok(match subject.as_str() {
        "sent" => Assertion::Sent { pattern: known_pattern(value)?, count: known_pattern(&count())? },
        "event" => Assertion::Event { pattern: known_pattern(value)?, count: known_pattern(&count())? },
        "order" => {
            let single = |happening: &Value| {
                matches!(happening.members(), [(key, _)] if key == "sent" || key == "event")
                    .then_some(())
                    .ok_or_else(malformed)
            };
            value.elements().iter().try_for_each(single)?;
            Assertion::Order(known_pattern(value)?.elements().to_vec())
        }
        "call" => Assertion::Call {
            label: value.as_str().ok_or_else(malformed)?.to_owned(),
            outcome: match assertion.get("outcome") {
                Some(Value::String(pending)) if pending == "pending" => None,
                Some(pattern @ Value::Object(_)) => Some(known_pattern(pattern)?),
                _ => return Err(malformed()),
            },
            within_ms: assertion.get("within_ms").map_or(Ok(0), |ms| ms.as_u64().ok_or_else(malformed))?,
        },
        "stats" => Assertion::Stats(known_pattern(value)?),
        "output" => Assertion::Output(known_pattern(value)?),
        "memory" => Assertion::Memory(known_pattern(value)?),
        "over" => Assertion::Over(*value == Value::Bool(true)),
        _ => return Err(malformed()),
    })
}

fn known_pattern(pattern: &Value) -> Result<Value, Skip> {
    match unknown_operator(pattern) {
        Some(operator) => Err(Skip(format!("pattern {operator}"))),
        None => Ok(pattern.clone()),
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = |index: usize| text.get(index..index + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    text.len().is_multiple_of(2).then(|| (0..text.len()).step_by(2).map(digits).collect()).flatten()
}
