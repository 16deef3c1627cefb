//! One run of one case: the harness on one side, the machine under test and its application on the other, virtual time
//! between them.
use std::collections::{BTreeMap, VecDeque};

use mcp_sansio::embed::{Channel, Code, Options};

use super::{
    adapt::{Adaptation, Expectation, Question, is_modern},
    case::{Assertion, Side, Step},
    host::{Act, Host},
    machine::{Event, Machine, Output},
    pattern::{Captures, Matcher, brief, fill, interpolate},
    process::Programs,
    value::Value,
};

/// What `api` may name: calls whose params are its `args`…
const CALLS: &[(&str, &str)] = &[
    ("list_tools", "tools/list"),
    ("list_resources", "resources/list"),
    ("read_resource", "resources/read"),
    ("list_prompts", "prompts/list"),
    ("get_prompt", "prompts/get"),
    ("create_message", "sampling/createMessage"),
    ("elicit", "elicitation/create"),
    ("list_roots", "roots/list"),
    ("ping", "ping"),
];

/// …and what else an application does.
const COMMANDS: &[&str] = &["connect", "call", "call_tool", "notify", "cancel_last", "close"];

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

struct Run<'a> {
    setting: Setting<'a>,
    adaptation: Adaptation,
    subscribes: bool,
    now: u64,
    captures: Captures,
    link: Option<Link>,
    assertions: usize,
    cuts: usize,
    held_before: Option<usize>,
    peak: usize,
}

/// One machine and what was seen of it.
struct Link {
    machine: Machine,
    /// What the client declares.
    capabilities: Value,
    sent: Vec<Sent>,
    events: Vec<Value>,
    happened: Vec<Happening>,
    calls: Vec<Call>,
    requests: BTreeMap<u64, Value>,
    tasks: BTreeMap<(u64, u64), Task>,
    task_count: u64,
    reactions: Vec<Reaction>,
    waiting: VecDeque<(String, Value, String)>,
    started: bool,
    ready: bool,
    opened: bool,
    answers: Vec<(Value, Expectation)>,
    asked: Vec<Question>,
    subscription: Option<Value>,
    liveness: Option<Value>,
    unfinished: String,
    written: Written,
}

#[derive(Default)]
struct Written {
    bytes: usize,
    lines: usize,
    carriage_returns: usize,
}

struct Sent {
    message: Value,
    raw: String,
    matched: bool,
}

enum Happening {
    Sent(usize),
    Event(usize),
}

struct Call {
    label: String,
    handle: Option<u64>,
    outcome: Option<Value>,
}

struct Task {
    request: u64,
    act: Act,
}

struct Reaction {
    pattern: Value,
    steps: Vec<Step>,
    left: u64,
}

impl Run<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), Failure> {
        for (index, step) in steps.iter().enumerate() {
            self.step(step).map_err(|failure| format!("step {}: {failure}", index + 1))?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::As(side, steps) => return if *side == self.setting.side { self.steps(steps) } else { Ok(()) },
            Step::Only(revisions, steps) => {
                let here = revisions.iter().any(|revision| revision == self.setting.revision);
                return if here { self.steps(steps) } else { Ok(()) };
            }
            Step::ForEach { rows, steps, fresh } => return self.rows(rows, steps, *fresh),
            Step::Process { example, args, script, input, expect } => {
                return self.process(example, args, script, input, expect);
            }
            Step::Stderr { .. } => return Err("only the peer of a process has a stderr".into()),
            Step::Prelude { client_capabilities, server_capabilities } => {
                self.connect(client_capabilities, server_capabilities.as_ref())?;
                return self.prelude(server_capabilities.as_ref());
            }
            _ => {}
        }
        if self.link.is_none() {
            self.connect(&Value::Object(Vec::new()), None)?;
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

    fn rows(&mut self, rows: &[Value], steps: &[Step], fresh: bool) -> Result<(), Failure> {
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

    fn process(
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

    fn link(&mut self) -> Result<&mut Link, Failure> {
        self.link.as_mut().ok_or_else(|| "no machine".into())
    }

    /// A new machine. A client of a legacy revision speaks only that, a modern one probes.
    fn connect(&mut self, capabilities: &Value, server_capabilities: Option<&Value>) -> Result<(), Failure> {
        let Setting { side, revision, channel, host, .. } = self.setting;
        let legacy = (!is_modern(revision)).then_some(revision);
        let config = match side {
            Side::Server => host.server_config(server_capabilities),
            Side::Client => host.client_config(capabilities, legacy),
        };
        let machine = Machine::new(side, &config, channel).map_err(|error| format!("{}: {error}", error.code))?;
        self.link = Some(Link {
            machine,
            capabilities: capabilities.clone(),
            sent: Vec::new(),
            events: Vec::new(),
            happened: Vec::new(),
            calls: Vec::new(),
            requests: BTreeMap::new(),
            tasks: BTreeMap::new(),
            task_count: 0,
            reactions: Vec::new(),
            waiting: VecDeque::new(),
            started: side == Side::Server,
            ready: side == Side::Server,
            opened: false,
            answers: Vec::new(),
            asked: Vec::new(),
            subscription: None,
            liveness: None,
            unfinished: String::new(),
            written: Written::default(),
        });
        Ok(())
    }

    /// The handshake of a legacy revision; on a modern one a client's probe is answered, and a subscription opened where
    /// the case needs it.
    fn prelude(&mut self, server_capabilities: Option<&Value>) -> Result<(), Failure> {
        let wrong = |failure| format!("prelude: {failure}");
        match (self.setting.side, self.adaptation.drops_handshake()) {
            (Side::Server, true) => {}
            (Side::Server, false) => self.open_server().map_err(wrong)?,
            (Side::Client, _) => self.open_client(server_capabilities).map_err(wrong)?,
        }
        if self.subscribes { self.subscribe().map_err(wrong) } else { Ok(()) }
    }

    fn open_server(&mut self) -> Result<(), Failure> {
        let revision = self.setting.revision;
        let capabilities = self.link()?.capabilities.clone();
        let initialize = request(
            "harness-initialize",
            "initialize",
            Value::object([
                ("protocolVersion", Value::string(revision)),
                ("capabilities", capabilities),
                ("clientInfo", info("harness")),
            ]),
        );
        self.put_line(&initialize)?;
        let wanted = Value::object([
            ("id", Value::string("harness-initialize")),
            ("result", Value::object([("protocolVersion", Value::string(revision))])),
        ]);
        self.take(&wanted, 2000)?;
        self.put_line(&notice("notifications/initialized", None))?;
        self.read()
    }

    fn open_client(&mut self, server_capabilities: Option<&Value>) -> Result<(), Failure> {
        self.start()?;
        let revision = self.setting.revision;
        let modern = is_modern(revision);
        let method = if modern { "server/discover" } else { "initialize" };
        let opening = self.take(&Value::object([("method", Value::string(method))]), 2000)?;
        let everything = ["tools", "prompts", "resources", "logging"].map(|name| (name, Value::Object(Vec::new())));
        let initialized = Value::object([
            ("protocolVersion", Value::string(revision)),
            ("capabilities", server_capabilities.cloned().unwrap_or(Value::object(everything))),
            ("serverInfo", info("harness")),
        ]);
        let result = if modern { self.adaptation.discovery(&initialized) } else { initialized };
        let id = opening.get("id").cloned().unwrap_or(Value::Null);
        let answer = Value::object([("jsonrpc", Value::string("2.0")), ("id", id), ("result", result)]);
        self.put_line(&answer)?;
        if !modern {
            self.take(&Value::object([("method", Value::string("notifications/initialized"))]), 2000)?;
        }
        self.read()?;
        if self.link()?.ready { Ok(()) } else { Err("the client did not become ready".into()) }
    }

    fn subscribe(&mut self) -> Result<(), Failure> {
        let filter = Adaptation::subscription_filter();
        let id = match self.setting.side {
            Side::Server => {
                let listen = request("harness-listen", "subscriptions/listen", filter);
                self.send_line(&listen)?;
                let acknowledged = Value::object([("method", Value::string("notifications/subscriptions/acknowledged"))]);
                self.take(&acknowledged, 2000)?;
                Value::string("harness-listen")
            }
            Side::Client => {
                self.call("subscriptions/listen", Some(&filter), Options::default(), "subscription")?;
                let listen = self.take(&Value::object([("method", Value::string("subscriptions/listen"))]), 2000)?;
                let id = listen.get("id").cloned().unwrap_or(Value::Null);
                let mut params = filter;
                params.set("_meta", Value::object([("io.modelcontextprotocol/subscriptionId", id.clone())]));
                let acknowledged = notice("notifications/subscriptions/acknowledged", Some(params));
                self.put_line(&acknowledged)?;
                self.read()?;
                id
            }
        };
        self.link()?.subscription = Some(id);
        Ok(())
    }

    /// Does something without reading what the machine sends.
    fn act(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::Tx(message) => self.message(message),
            Step::TxRaw(text) => {
                let text = interpolate(text, &self.captures);
                self.send(text.as_bytes(), &[])
            }
            Step::TxReads(reads) => {
                let cuts = reads.iter().scan(0, |end, read| {
                    *end += read.len();
                    Some(*end)
                });
                self.send(&reads.concat(), &cuts.collect::<Vec<_>>())
            }
            Step::TxEverySplit(bytes) => self.split(bytes),
            Step::TxOneRead(messages) => {
                let texts = messages.iter().map(|message| self.outgoing(message).map(|message| format!("{message}\n")));
                let text = texts.collect::<Result<String, _>>()?;
                self.send(text.as_bytes(), &[])
            }
            Step::TxRepeat { unit, times } => self.repeat(unit, times),
            Step::Api { name, args, label } => {
                let args = fill(args, &self.captures);
                self.api(name, &args, label)
            }
            Step::Eof => {
                let now = self.now;
                self.link()?.machine.handle_eof(now).map_err(command)
            }
            Step::Closed => {
                let now = self.now;
                self.link()?.machine.handle_closed(now).map_err(command)
            }
            Step::Together(steps) => steps.iter().try_for_each(|step| match step {
                Step::Rx { .. } | Step::RxNone { .. } | Step::Clock { .. } | Step::Assert(_) => self.step(step),
                action => self.act(action),
            }),
            Step::On { pattern, steps, times } => {
                let reaction = Reaction { pattern: pattern.clone(), steps: steps.clone(), left: *times };
                self.link()?.reactions.push(reaction);
                Ok(())
            }
            other => self.step(other),
        }
    }

    /// A message of the case: what the era makes of it.
    fn message(&mut self, message: &Value) -> Result<(), Failure> {
        let filled = fill(message, &self.captures);
        if let Some(question) = self.adaptation.question(&filled) {
            return self.ask(question);
        }
        let method = filled.get("method").and_then(Value::as_str).unwrap_or_default();
        if let (Some(id), true) = (filled.get("id"), self.setting.side == Side::Server)
            && let Some(expectation) = self.adaptation.subscription_answer(method, id)
        {
            let ends = matches!(expectation, Expectation::Nothing);
            let id = id.clone();
            let link = self.link()?;
            link.answers.push((id.clone(), expectation));
            if ends {
                let subscription = link.subscription.take().unwrap_or(Value::Null);
                let params = Value::object([("requestId", subscription)]);
                return self.put_line(&notice("notifications/cancelled", Some(params)));
            }
            link.subscription = Some(id);
        }
        let message = self.outgoing(message)?;
        self.send_line(&message)
    }

    /// R3: the question goes into the answer to a call.
    fn ask(&mut self, question: Question) -> Result<(), Failure> {
        let params = Value::object([("name", Value::string("ask")), ("arguments", Value::Object(Vec::new()))]);
        self.call("tools/call", Some(&params), Options::default(), "asked")?;
        let call = self.take(&Value::object([("method", Value::string("tools/call"))]), 2000)?;
        let id = call.get("id").cloned().unwrap_or(Value::Null);
        let answer = Value::object([("jsonrpc", Value::string("2.0")), ("id", id), ("result", question.result.clone())]);
        self.link()?.asked.push(question);
        self.put_line(&answer)
    }

    fn outgoing(&mut self, message: &Value) -> Result<Value, Failure> {
        let filled = fill(message, &self.captures);
        let link = self.link()?;
        let asked = |sent: &&Sent| sent.message.get("method").is_some() && sent.message.get("id") == filled.get("id");
        let method = link.sent.iter().find(asked).and_then(|sent| sent.message.get("method")).and_then(Value::as_str);
        let method = method.unwrap_or_default().to_owned();
        let subscription = link.subscription.clone().unwrap_or(Value::Null);
        Ok(self.adaptation.tag(&self.adaptation.answer(&method, &filled), &subscription))
    }

    /// One message of the harness itself, which the era does not change.
    fn put_line(&mut self, message: &Value) -> Result<(), Failure> {
        self.put(format!("{message}\n").as_bytes(), &[])
    }

    /// One message of the case, as the era has it.
    fn send_line(&mut self, message: &Value) -> Result<(), Failure> {
        self.send(format!("{message}\n").as_bytes(), &[])
    }

    /// Bytes of the case, as the era has them.
    fn send(&mut self, bytes: &[u8], cuts: &[usize]) -> Result<(), Failure> {
        let link = self.link.as_ref().ok_or("no machine")?;
        let (bytes, cuts) = self.adaptation.bytes(bytes, cuts, &link.capabilities, !link.opened);
        self.put(&bytes, &cuts)
    }

    /// Bytes as they are, one read from each cut to the next.
    fn put(&mut self, bytes: &[u8], cuts: &[usize]) -> Result<(), Failure> {
        let now = self.now;
        let stream = self.setting.channel == Channel::Stream;
        let link = self.link()?;
        link.opened = true;
        if !stream {
            let mut messages = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
            return messages.try_for_each(|message| link.machine.handle_message(now, message)).map_err(command);
        }
        let mut start = 0;
        for end in cuts.iter().copied().chain([bytes.len()]) {
            if let Some(read) = bytes.get(start..end).filter(|read| !read.is_empty()) {
                link.machine.handle_data(now, read).map_err(command)?;
            }
            start = end;
        }
        Ok(())
    }

    fn split(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let link = self.link.as_ref().ok_or("no machine")?;
        let (bytes, _) = self.adaptation.bytes(bytes, &[], &link.capabilities, !link.opened);
        self.cuts = bytes.len();
        let everywhere = (1..bytes.len()).collect::<Vec<_>>();
        let cut = self.setting.cut;
        let cuts = if cut == 0 { &everywhere[..] } else { std::slice::from_ref(&cut) };
        self.put(&bytes, cuts)
    }

    fn repeat(&mut self, unit: &[u8], times: &Value) -> Result<(), Failure> {
        const READ: usize = 4096;
        let times = fill(times, &self.captures);
        let times = times.as_u64().and_then(|times| usize::try_from(times).ok()).ok_or_else(|| format!("times is {times}"))?;
        let mut left = unit.len() * times;
        let read: Vec<u8> = unit.iter().copied().cycle().take(READ - READ % unit.len().max(1)).collect();
        let memory = self.setting.memory;
        let held = || memory.map_or(0, |memory| memory());
        let before = *self.held_before.get_or_insert_with(held);
        let now = self.now;
        while left > 0 {
            let piece = read.get(..left.min(read.len())).unwrap_or_default();
            left -= piece.len();
            self.link()?.machine.handle_data(now, piece).map_err(command)?;
            self.peak = self.peak.max(held().saturating_sub(before));
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), Failure> {
        let now = self.now;
        let link = self.link()?;
        if !link.started {
            link.started = true;
            if let Some(client) = link.machine.client() {
                client.start(now, None).map_err(command)?;
            }
        }
        Ok(())
    }

    /// Before the machine is ready, the application keeps its calls.
    fn api(&mut self, name: &str, args: &Value, label: &str) -> Result<(), Failure> {
        self.start()?;
        let link = self.link()?;
        if name == "connect" {
            return Ok(());
        }
        if !link.ready {
            link.waiting.push_back((name.to_owned(), args.clone(), label.to_owned()));
            return Ok(());
        }
        let now = self.now;
        let text = |member: &str| args.get(member).and_then(Value::as_str);
        let number = |member: &str| args.get(member).and_then(Value::as_u64);
        match name {
            "ping" if self.adaptation.replaces_ping() => self.prove_liveness(label),
            "call_tool" => {
                let mut params = Value::object([("name", Value::string(text("name").unwrap_or("tool")))]);
                params.set("arguments", args.get("arguments").cloned().unwrap_or(Value::Object(Vec::new())));
                let meta = args.get("meta").map(Value::to_string);
                let options = Options {
                    silence_ms: number("timeout_ms"),
                    total_ms: number("total_ms"),
                    progress: args.get("on_progress") == Some(&Value::Bool(true)),
                    meta: meta.as_deref().map(str::as_bytes),
                    ..Options::default()
                };
                self.call("tools/call", Some(&params), options, label)
            }
            "call" => self.call(text("method").unwrap_or_default(), args.get("params"), Options::default(), label),
            "notify" => {
                let params = args.get("params").map(Value::to_string);
                let params = params.as_deref().map(str::as_bytes);
                self.link()?.machine.notify(now, text("method").unwrap_or_default(), params).map_err(command)
            }
            "cancel_last" => {
                let link = self.link()?;
                let last = link.calls.iter().rev().find_map(|call| call.handle).ok_or("there is no call")?;
                link.machine.cancel(now, last, text("reason")).map_err(command)
            }
            "close" => self.link()?.machine.close(now, number("drain_ms").unwrap_or(0)).map_err(command),
            _ => {
                let method = CALLS.iter().find(|(api, _)| *api == name).map_or(name, |(_, method)| *method);
                let params = (!args.members().is_empty()).then_some(args);
                self.call(method, params, Options::default(), label)
            }
        }
    }

    /// R2 where the application pings: a client lists its tools; a server is asked instead, as it can't ask.
    fn prove_liveness(&mut self, label: &str) -> Result<(), Failure> {
        if self.setting.side == Side::Client {
            return self.call("tools/list", None, Options::default(), label);
        }
        let id = "harness-liveness";
        self.link()?.liveness = Some(Value::string(id));
        let probe = Value::object([("jsonrpc", Value::string("2.0")), ("id", Value::string(id)), ("method", Value::string("ping"))]);
        self.send_line(&probe)
    }

    fn call(&mut self, method: &str, params: Option<&Value>, options: Options<'_>, label: &str) -> Result<(), Failure> {
        let now = self.now;
        let link = self.link()?;
        let params = params.map(Value::to_string);
        let called = link.machine.call(now, method, params.as_deref().map(str::as_bytes), options);
        let (handle, outcome) = match called {
            Ok(handle) => (Some(handle), None),
            Err(refused) => (None, Some(Value::object([("event", Value::string("refused")), ("code", Value::string(refused.code))]))),
        };
        link.calls.push(Call { label: label.to_owned(), handle, outcome });
        Ok(())
    }

    /// Takes all that the machine has to say. Reactions come before anything that it said after.
    fn read(&mut self) -> Result<(), Failure> {
        loop {
            let outputs = self.link()?.machine.take().map_err(command)?;
            if outputs.is_empty() {
                return Ok(());
            }
            for output in outputs {
                match output {
                    Output::Bytes(bytes) => self.written(&bytes)?,
                    Output::Message { text, .. } => self.sent(&text)?,
                    Output::Event(event) => self.event(event)?,
                }
            }
        }
    }

    fn written(&mut self, bytes: &str) -> Result<(), Failure> {
        let link = self.link()?;
        link.written.bytes += bytes.len();
        link.written.carriage_returns += bytes.matches('\r').count();
        link.unfinished.push_str(bytes);
        while let Some((line, rest)) = self.link()?.unfinished.split_once('\n') {
            let (line, rest) = (line.to_owned(), rest.to_owned());
            let link = self.link()?;
            link.unfinished = rest;
            link.written.lines += 1;
            self.sent(&line)?;
        }
        Ok(())
    }

    fn sent(&mut self, raw: &str) -> Result<(), Failure> {
        let message = Value::parse(raw).map_err(|error| format!("the machine sent what is not JSON ({error}): {raw}"))?;
        let modern = is_modern(self.setting.revision);
        let link = self.link.as_mut().ok_or("no machine")?;
        link.happened.push(Happening::Sent(link.sent.len()));
        let mut matcher = Matcher { captures: &mut self.captures, modern };
        let due = link
            .reactions
            .iter_mut()
            .find(|reaction| reaction.left > 0 && matcher.message(&reaction.pattern, &message, raw).is_ok());
        let steps = due.map(|reaction| {
            reaction.left -= 1;
            reaction.steps.clone()
        });
        link.sent.push(Sent { message, raw: raw.to_owned(), matched: false });
        steps.unwrap_or_default().iter().try_for_each(|step| self.act(step))
    }

    fn event(&mut self, event: Event) -> Result<(), Failure> {
        let Event { code, handle, mut description } = event;
        let now = self.now;
        let link = self.link.as_mut().ok_or("no machine")?;
        let known = link.calls.iter().position(|call| call.handle == Some(handle));
        if let Some(call) = known.and_then(|index| link.calls.get_mut(index))
            && [Code::Completed, Code::Failed, Code::Progress].into_iter().any(|about| about as u32 == code)
        {
            description.set("call", Value::string(&*call.label));
            if code != Code::Progress as u32 {
                if call.outcome.is_some() {
                    return Err(format!("a second outcome of {}: {description}", call.label));
                }
                call.outcome = Some(description.clone());
            }
        }
        if code == Code::Over as u32 {
            if let Some(request) = link.requests.remove(&handle) {
                for member in ["method", "name"] {
                    request.get(member).into_iter().for_each(|value| description.set(member, value.clone()));
                }
            }
            link.tasks.retain(|_, task| task.request != handle);
        }
        link.happened.push(Happening::Event(link.events.len()));
        link.events.push(description.clone());
        if code == Code::Request as u32 {
            self.serve(now, handle, &description)?;
        } else if code == Code::Input as u32 {
            self.answer(now, handle, &description)?;
        } else if code == Code::Ready as u32 {
            link.ready = true;
            while let Some((name, args, label)) = self.link()?.waiting.pop_front() {
                self.api(&name, &args, &label)?;
            }
        }
        Ok(())
    }

    /// The application gets a request.
    fn serve(&mut self, now: u64, handle: u64, request: &Value) -> Result<(), Failure> {
        let host = self.setting.host;
        let link = self.link.as_mut().ok_or("no machine")?;
        link.requests.insert(handle, request.clone());
        let nothing = Value::Object(Vec::new());
        let tool = request.get("name").and_then(Value::as_str).unwrap_or_default();
        match host.run(tool, request.get("arguments").unwrap_or(&nothing)) {
            Some(acts) => {
                for (after_ms, act) in acts {
                    link.task_count += 1;
                    link.tasks.insert((now + after_ms * NANOS_PER_MS, link.task_count), Task { request: handle, act });
                }
                Ok(())
            }
            None => {
                let server = link.machine.server().ok_or("a client was asked for a tool")?;
                server.respond_error(now, handle, -32601, "not served here", None).map_err(command)
            }
        }
    }

    /// The application is asked.
    fn answer(&mut self, now: u64, handle: u64, input: &Value) -> Result<(), Failure> {
        let method = input.get("method").and_then(Value::as_str).unwrap_or_default();
        let answer = self.setting.host.answer(method).map(Value::to_string);
        let client = self.link()?.machine.client().ok_or("a server was asked")?;
        match answer {
            Some(result) => client.answer(now, handle, result.as_bytes()).map_err(command),
            None => client.answer_error(now, handle, -32603, "nobody to ask").map_err(command),
        }
    }

    /// When the application or the machine has something to do next.
    fn next_due(&self) -> Option<u64> {
        let link = self.link.as_ref()?;
        let task = link.tasks.keys().next().map(|(due, _)| *due);
        [task, link.machine.next_timeout()].into_iter().flatten().min()
    }

    /// Goes on to the next thing that is due, at most until `until`. False: there is none.
    fn advance(&mut self, until: u64) -> Result<bool, Failure> {
        let Some(due) = self.next_due().filter(|due| *due <= until) else {
            self.now = until;
            return Ok(false);
        };
        self.now = self.now.max(due);
        let now = self.now;
        let link = self.link()?;
        if link.machine.next_timeout().is_some_and(|deadline| deadline <= now) {
            link.machine.handle_timeout(now).map_err(command)?;
            if link.machine.next_timeout().is_some_and(|deadline| deadline <= now) {
                return Err("a deadline is still due after handle_timeout".into());
            }
        }
        self.read()?;
        let link = self.link()?;
        if let Some(entry) = link.tasks.first_entry().filter(|entry| entry.key().0 <= now) {
            let Task { request, act } = entry.remove();
            let server = link.machine.server().ok_or("a client has no tools")?;
            match act {
                Act::Progress { value, total } => server.progress(now, request, value, total, None).map(drop),
                Act::Result(result) => server.respond(now, request, result.to_string().as_bytes(), 0, false),
                Act::ToolError(text) => server.respond_tool_error(now, request, &text),
            }
            .unwrap_or_else(|refused| {
                let refusal = [("event", Value::string("refused")), ("code", Value::string(refused.code))];
                link.happened.push(Happening::Event(link.events.len()));
                link.events.push(Value::object(refusal));
            });
        }
        self.read()?;
        Ok(true)
    }

    fn pass(&mut self, ms: u64) -> Result<(), Failure> {
        let until = self.now + ms * NANOS_PER_MS;
        while self.advance(until)? {}
        Ok(())
    }

    /// `rx`
    fn receive(&mut self, pattern: &Value, within_ms: u64) -> Result<(), Failure> {
        let link = self.link.as_ref().ok_or("no machine")?;
        let id = pattern.get("id").map(|id| fill(id, &self.captures));
        let about_ping = pattern.get("method").and_then(Value::as_str) == Some("ping");
        let expectation = match &link.liveness {
            Some(liveness) if about_ping => Expectation::Message(Value::object([
                ("id", liveness.clone()),
                ("result", Value::object([("$any", Value::Bool(true))])),
            ])),
            _ => match link.answers.iter().find(|(answered, _)| Some(answered) == id.as_ref()) {
                Some((_, Expectation::Message(wanted))) => Expectation::Message(wanted.clone()),
                Some(_) => Expectation::Nothing,
                None => self.adaptation.expectation(pattern, &self.captures, &link.asked),
            },
        };
        match expectation {
            Expectation::Nothing => return Ok(()),
            Expectation::LocalFailure => self.local_failure(within_ms)?,
            Expectation::Message(wanted) => match wanted.get("$set").map(Value::elements) {
                Some(patterns) => self.take_set(patterns, within_ms)?,
                None => self.take(&wanted, within_ms).map(drop)?,
            },
        }
        self.assertions += 1;
        Ok(())
    }

    /// The first message not matched yet that matches.
    fn take(&mut self, pattern: &Value, within_ms: u64) -> Result<Value, Failure> {
        let until = self.now + within_ms * NANOS_PER_MS;
        self.read()?;
        loop {
            let modern = is_modern(self.setting.revision);
            let link = self.link.as_mut().ok_or("no machine")?;
            let mut matcher = Matcher { captures: &mut self.captures, modern };
            let mut unmatched = link.sent.iter_mut().filter(|sent| !sent.matched);
            if let Some(sent) = unmatched.find(|sent| matcher.message(pattern, &sent.message, &sent.raw).is_ok()) {
                sent.matched = true;
                return Ok(sent.message.clone());
            }
            if !self.advance(until)? {
                return Err(self.missed(pattern, within_ms));
            }
        }
    }

    /// As many messages as there are patterns, in any order, whether they come one by one or in arrays.
    fn take_set(&mut self, patterns: &[Value], within_ms: u64) -> Result<(), Failure> {
        let until = self.now + within_ms * NANOS_PER_MS;
        self.read()?;
        loop {
            let modern = is_modern(self.setting.revision);
            let link = self.link.as_mut().ok_or("no machine")?;
            let unmatched = link.sent.iter().filter(|sent| !sent.matched);
            let members = unmatched.flat_map(|sent| match &sent.message {
                Value::Array(elements) => elements.clone(),
                single => vec![single.clone()],
            });
            let members = members.collect::<Vec<_>>();
            let mut matcher = Matcher { captures: &mut self.captures, modern };
            if matcher.set(patterns, &members).is_ok() {
                link.sent.iter_mut().for_each(|sent| sent.matched = true);
                return Ok(());
            }
            if !self.advance(until)? {
                return Err(self.missed(&Value::Array(patterns.to_vec()), within_ms));
            }
        }
    }

    fn missed(&mut self, pattern: &Value, within_ms: u64) -> Failure {
        let modern = is_modern(self.setting.revision);
        let Some(link) = &self.link else { return "no machine".into() };
        let wanted = brief(&fill(pattern, &self.captures));
        let mut matcher = Matcher { captures: &mut self.captures, modern };
        let unmatched = link.sent.iter().filter(|sent| !sent.matched);
        let seen = unmatched.map(|sent| match matcher.message(pattern, &sent.message, &sent.raw) {
            Ok(()) => brief(&sent.message),
            Err(mismatch) => format!("{} ({mismatch})", brief(&sent.message)),
        });
        let seen = seen.collect::<Vec<_>>();
        let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(" | ") };
        format!("wanted {wanted} within {within_ms} ms, saw {seen}{}", link.complaints())
    }

    /// R3: the call that asked ends by itself.
    fn local_failure(&mut self, within_ms: u64) -> Result<(), Failure> {
        let wanted = Value::object([("event", Value::string("failed")), ("code", Value::object([("$starts", Value::string("call."))]))]);
        self.outcome("asked", Some(&wanted), within_ms)?;
        let retry = Value::object([("method", Value::string("tools/call"))]);
        let link = self.link()?;
        let retried = link.sent.iter().any(|sent| !sent.matched && sent.message.get("method") == retry.get("method"));
        if retried { Err("the call was repeated although its question was refused".into()) } else { Ok(()) }
    }

    /// `rx_none_ms`
    fn silence(&mut self, ms: u64) -> Result<(), Failure> {
        self.read()?;
        self.pass(ms)?;
        let link = self.link()?;
        if let Some(sent) = link.sent.iter().find(|sent| !sent.matched) {
            return Err(format!("wanted silence for {ms} ms, saw {}", brief(&sent.message)));
        }
        self.assertions += 1;
        Ok(())
    }

    fn assert(&mut self, assertion: &Assertion) -> Result<(), Failure> {
        self.read()?;
        match assertion {
            Assertion::Call { label, outcome, within_ms } => self.outcome(label, outcome.as_ref(), *within_ms)?,
            Assertion::Sent { pattern, count } => self.counted("sent", pattern, count)?,
            Assertion::Event { pattern, count } => self.counted("event", pattern, count)?,
            Assertion::Order(happenings) => self.ordered(happenings)?,
            Assertion::Stats(pattern) => {
                let stats = self.link()?.machine.stats();
                let stats = Value::parse(&stats).map_err(|error| format!("stats: {error}"))?;
                self.compare("stats", pattern, &stats)?;
            }
            Assertion::Output(pattern) => {
                let link = self.link()?;
                let output = Value::object([
                    ("bytes", Value::number(link.written.bytes)),
                    ("lines", Value::number(link.written.lines)),
                    ("carriage_returns", Value::number(link.written.carriage_returns)),
                    ("unfinished", Value::number(link.unfinished.len())),
                ]);
                self.compare("output", pattern, &output)?;
            }
            Assertion::Memory(pattern) => {
                let memory = self.setting.memory.ok_or("memory is not counted here")?;
                let before = self.held_before.ok_or("nothing was repeated yet")?;
                let held = memory().saturating_sub(before);
                let seen = Value::object([("peak", Value::number(self.peak)), ("held", Value::number(held))]);
                self.compare("memory", pattern, &seen)?;
            }
            Assertion::Over(wanted) => {
                let over = self.link()?.machine.is_over();
                if over != *wanted {
                    return Err(format!("over is {over}, wanted {wanted}"));
                }
            }
        }
        self.assertions += 1;
        Ok(())
    }

    fn compare(&mut self, subject: &str, pattern: &Value, seen: &Value) -> Result<(), Failure> {
        let modern = is_modern(self.setting.revision);
        let mut matcher = Matcher { captures: &mut self.captures, modern };
        matcher.message(pattern, seen, &seen.to_string()).map_err(|mismatch| format!("{subject}{mismatch}; saw {}", brief(seen)))
    }

    fn outcome(&mut self, label: &str, wanted: Option<&Value>, within_ms: u64) -> Result<(), Failure> {
        let until = self.now + within_ms * NANOS_PER_MS;
        self.read()?;
        loop {
            let call = self.link()?.calls.iter().rev().find(|call| call.label == label);
            let outcome = call.ok_or_else(|| format!("there is no call {label}"))?.outcome.clone();
            match (outcome, wanted) {
                (None, None) => return Ok(()),
                (Some(outcome), None) => return Err(format!("call {label} is not pending: {}", brief(&outcome))),
                (Some(outcome), Some(wanted)) => return self.compare(&format!("call {label}: "), wanted, &outcome),
                (None, Some(wanted)) => {
                    if !self.advance(until)? {
                        let complaints = self.link()?.complaints();
                        return Err(format!("call {label} is pending after {within_ms} ms, wanted {}{complaints}", brief(wanted)));
                    }
                }
            }
        }
    }

    fn matches(&mut self, kind: &str, pattern: &Value) -> Result<Vec<usize>, Failure> {
        let modern = is_modern(self.setting.revision);
        let link = self.link.as_ref().ok_or("no machine")?;
        let mut places = Vec::new();
        for (place, happening) in link.happened.iter().enumerate() {
            let (value, raw) = match (happening, kind) {
                (Happening::Sent(index), "sent") => match link.sent.get(*index) {
                    Some(sent) => (&sent.message, sent.raw.clone()),
                    None => continue,
                },
                (Happening::Event(index), "event") => match link.events.get(*index) {
                    Some(event) => (event, event.to_string()),
                    None => continue,
                },
                _ => continue,
            };
            let mut captures = self.captures.clone();
            if (Matcher { captures: &mut captures, modern }).message(pattern, value, &raw).is_ok() {
                places.push(place);
            }
        }
        Ok(places)
    }

    fn counted(&mut self, kind: &str, pattern: &Value, count: &Value) -> Result<(), Failure> {
        let found = Value::number(self.matches(kind, pattern)?.len());
        let complaints = self.link()?.complaints();
        let subject = format!("{kind} {}: the count", brief(&fill(pattern, &self.captures)));
        self.compare(&subject, count, &found).map_err(|failure| failure + &complaints)
    }

    fn ordered(&mut self, happenings: &[Value]) -> Result<(), Failure> {
        let mut after = None;
        for happening in happenings {
            let Some((kind, pattern)) = happening.members().first() else { continue };
            let places = self.matches(kind, pattern)?;
            after = places.into_iter().find(|place| after.is_none_or(|after| *place > after));
            if after.is_none() {
                return Err(format!("{} did not happen in this order", brief(&fill(happening, &self.captures))));
            }
        }
        Ok(())
    }
}

impl Link {
    /// Faults and the end, which explain why something is missing.
    fn complaints(&self) -> String {
        let telling = |event: &&Value| matches!(event.get("event").and_then(Value::as_str), Some("fault" | "closed"));
        let events = self.events.iter().filter(telling).map(brief).collect::<Vec<_>>();
        if events.is_empty() { String::new() } else { format!("; events {}", events.join(" | ")) }
    }
}

fn command(error: mcp_sansio::embed::EmbedError) -> Failure {
    format!("the machine refused: {} ({error})", error.code)
}

fn info(name: &str) -> Value {
    Value::object([("name", Value::string(name)), ("version", Value::string("1"))])
}

fn request(id: &str, method: &str, params: Value) -> Value {
    Value::object([
        ("jsonrpc", Value::string("2.0")),
        ("id", Value::string(id)),
        ("method", Value::string(method)),
        ("params", params),
    ])
}

fn notice(method: &str, params: Option<Value>) -> Value {
    let mut notice = Value::object([("jsonrpc", Value::string("2.0")), ("method", Value::string(method))]);
    if let Some(params) = params {
        notice.set("params", params);
    }
    notice
}
