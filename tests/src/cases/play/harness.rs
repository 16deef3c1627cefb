//! What the harness does: it opens connections, sends, and plays the application's part.
use std::collections::{BTreeMap, VecDeque};

use mcp_sansio::embed::{Channel, EmbedError, Options, Task};

use super::{
    CALLS, Call, Failure, Link, Reaction, Run, Sent, Setting, Written, command, info, notice, request,
};
use crate::cases::{
    adapt::{Adaptation, Expectation, Question, is_modern},
    case::{Side, Step},
    machine::Machine,
    pattern::{fill, interpolate},
    value::Value,
};

impl Run<'_> {
    /// A new machine; `identity` has the `seed` and the `principal` of a server. A client of a legacy revision speaks only that, a modern one probes.
    pub(super) fn connect(
        &mut self,
        capabilities: &Value,
        server_capabilities: Option<&Value>,
        identity: &Value,
    ) -> Result<(), Failure> {
        let Setting { side, revision, channel, host, .. } = self.setting;
        let legacy = (!is_modern(revision)).then_some(revision);
        let config = match side {
            Side::Server => host.server_config(server_capabilities),
            Side::Client => host.client_config(capabilities, legacy),
        };
        let text = |member: &str| identity.get(member).and_then(Value::as_str);
        let seed = identity.get("seed").and_then(Value::as_u64).and_then(|seed| u8::try_from(seed).ok());
        let machine = Machine::new(side, &config, channel, seed.unwrap_or(7), text("principal"))
            .map_err(|error| format!("{}: {error}", error.code))?;
        self.link = Some(Link {
            machine,
            capabilities: capabilities.clone(),
            sent: Vec::new(),
            events: Vec::new(),
            happened: Vec::new(),
            calls: Vec::new(),
            requests: BTreeMap::new(),
            input: None,
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
    pub(super) fn prelude(&mut self, server_capabilities: Option<&Value>) -> Result<(), Failure> {
        let wrong = |failure| format!("prelude: {failure}");
        match (self.setting.side, self.adaptation.drops_handshake()) {
            (Side::Server, true) => {}
            (Side::Server, false) => self.open_server().map_err(wrong)?,
            (Side::Client, _) => self.open_client(server_capabilities).map_err(wrong)?,
        }
        if self.subscribes { self.subscribe().map_err(wrong) } else { Ok(()) }
    }

    pub(super) fn open_server(&mut self) -> Result<(), Failure> {
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

    pub(super) fn open_client(&mut self, server_capabilities: Option<&Value>) -> Result<(), Failure> {
        self.start(None)?;
        let revision = self.setting.revision;
        let modern = is_modern(revision);
        let method = if modern { "server/discover" } else { "initialize" };
        let opening = self.take(&Value::object([("method", Value::string(method))]), 2000)?;
        let everything =
            ["tools", "prompts", "resources", "logging"].map(|name| (name, Value::Object(Vec::new())));
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

    pub(super) fn subscribe(&mut self) -> Result<(), Failure> {
        let filter = Adaptation::subscription_filter();
        let id = match self.setting.side {
            Side::Server => {
                let listen = request("harness-listen", "subscriptions/listen", filter);
                self.send_line(&listen)?;
                let acknowledged =
                    Value::object([("method", Value::string("notifications/subscriptions/acknowledged"))]);
                self.take(&acknowledged, 2000)?;
                Value::string("harness-listen")
            }
            Side::Client => {
                self.call("subscriptions/listen", Some(&filter), Options::default(), "subscription")?;
                let listen =
                    self.take(&Value::object([("method", Value::string("subscriptions/listen"))]), 2000)?;
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
    pub(super) fn act(&mut self, step: &Step) -> Result<(), Failure> {
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
                let texts = messages
                    .iter()
                    .map(|message| self.outgoing(message).map(|message| format!("{message}\n")));
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
                Step::Rx { .. } | Step::RxNone { .. } | Step::Clock { .. } | Step::Assert(_) => {
                    self.step(step)
                }
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
    pub(super) fn message(&mut self, message: &Value) -> Result<(), Failure> {
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
    pub(super) fn ask(&mut self, question: Question) -> Result<(), Failure> {
        let params =
            Value::object([("name", Value::string("ask")), ("arguments", Value::Object(Vec::new()))]);
        self.call("tools/call", Some(&params), Options::default(), "asked")?;
        let call = self.take(&Value::object([("method", Value::string("tools/call"))]), 2000)?;
        let id = call.get("id").cloned().unwrap_or(Value::Null);
        let answer = Value::object([
            ("jsonrpc", Value::string("2.0")),
            ("id", id),
            ("result", question.result.clone()),
        ]);
        self.link()?.asked.push(question);
        self.put_line(&answer)
    }

    pub(super) fn outgoing(&mut self, message: &Value) -> Result<Value, Failure> {
        let filled = fill(message, &self.captures);
        let link = self.link()?;
        let asked =
            |sent: &&Sent| sent.message.get("method").is_some() && sent.message.get("id") == filled.get("id");
        let method =
            link.sent.iter().find(asked).and_then(|sent| sent.message.get("method")).and_then(Value::as_str);
        let method = method.unwrap_or_default().to_owned();
        let subscription = link.subscription.clone().unwrap_or(Value::Null);
        Ok(self.adaptation.tag(&self.adaptation.answer(&method, &filled), &subscription))
    }

    /// One message of the harness itself, which the era does not change.
    pub(super) fn put_line(&mut self, message: &Value) -> Result<(), Failure> {
        self.put(format!("{message}\n").as_bytes(), &[])
    }

    /// One message of the case, as the era has it.
    pub(super) fn send_line(&mut self, message: &Value) -> Result<(), Failure> {
        self.send(format!("{message}\n").as_bytes(), &[])
    }

    /// Bytes of the case, as the era has them.
    pub(super) fn send(&mut self, bytes: &[u8], cuts: &[usize]) -> Result<(), Failure> {
        let link = self.link.as_ref().ok_or("no machine")?;
        let (bytes, cuts) = self.adaptation.bytes(bytes, cuts, &link.capabilities, !link.opened);
        self.put(&bytes, &cuts)
    }

    /// Bytes as they are, one read from each cut to the next.
    pub(super) fn put(&mut self, bytes: &[u8], cuts: &[usize]) -> Result<(), Failure> {
        let now = self.now;
        let stream = self.setting.channel == Channel::Stream;
        let link = self.link()?;
        link.opened = true;
        if !stream {
            let mut messages =
                bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
            return messages
                .try_for_each(|message| link.machine.handle_message(now, message))
                .map_err(command);
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

    pub(super) fn split(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let link = self.link.as_ref().ok_or("no machine")?;
        let (bytes, _) = self.adaptation.bytes(bytes, &[], &link.capabilities, !link.opened);
        self.cuts = bytes.len();
        let everywhere = (1..bytes.len()).collect::<Vec<_>>();
        let cut = self.setting.cut;
        let cuts = if cut == 0 { &everywhere[..] } else { std::slice::from_ref(&cut) };
        self.put(&bytes, cuts)
    }

    pub(super) fn repeat(&mut self, unit: &[u8], times: &Value) -> Result<(), Failure> {
        const READ: usize = 4096;
        let times = fill(times, &self.captures);
        let times = times
            .as_u64()
            .and_then(|times| usize::try_from(times).ok())
            .ok_or_else(|| format!("times is {times}"))?;
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

    /// Begins, at the revision that is remembered from an earlier connection.
    pub(super) fn start(&mut self, remembered: Option<&str>) -> Result<(), Failure> {
        let now = self.now;
        let link = self.link()?;
        if !link.started {
            link.started = true;
            if let Some(client) = link.machine.client() {
                client.start(now, remembered).map_err(command)?;
            }
        }
        Ok(())
    }

    /// Before the machine is ready, the application keeps its calls.
    pub(super) fn api(&mut self, name: &str, args: &Value, label: &str) -> Result<(), Failure> {
        if name == "connect" && self.setting.side == Side::Server {
            let capabilities = self.link()?.capabilities.clone();
            return self.connect(&capabilities, None, args);
        }
        self.start(args.get("remembered").and_then(Value::as_str))?;
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
        let meta = args.get("meta").map(Value::to_string);
        let schema = args.get("output_schema").map(Value::to_string);
        let is = |member: &str| args.get(member) == Some(&Value::Bool(true));
        let options = Options {
            silence_ms: number("timeout_ms"),
            total_ms: number("total_ms"),
            progress: is("on_progress"),
            meta: meta.as_deref().map(str::as_bytes),
            task: is("task").then(Task::default),
            log_level: text("log_level"),
            fresh: is("fresh"),
            output_schema: schema.as_deref().map(str::as_bytes),
        };
        match name {
            "ping" if self.adaptation.replaces_ping() => self.prove_liveness(label),
            "call_tool" => {
                let mut params = Value::object([("name", Value::string(text("name").unwrap_or("tool")))]);
                params.set("arguments", args.get("arguments").cloned().unwrap_or(Value::Object(Vec::new())));
                self.call("tools/call", Some(&params), options, label)
            }
            "call" => self.call(text("method").unwrap_or_default(), args.get("params"), options, label),
            "list_all" => {
                let called = self.link()?.machine.list_all(now, text("method").unwrap_or_default(), options);
                self.called(label, called)
            }
            "probe" => {
                let called = self.link()?.machine.probe(now);
                self.called(label, called)
            }
            "subscribe" => {
                let called = self.link()?.machine.subscribe(now, args);
                self.called(label, called)
            }
            "publish" => {
                let machine = &mut self.link()?.machine;
                machine.publish(now, text("what").unwrap_or_default(), text("uri")).map_err(command)
            }
            "log" => {
                let link = self.link()?;
                if let Err(refused) = link.machine.log(now, 0, args) {
                    link.refused(refused.code);
                }
                Ok(())
            }
            "set_principal" => self.link()?.machine.set_principal(text("principal")).map_err(command),
            "cancel" => {
                let link = self.link()?;
                let named = |call: &&Call| Some(call.label.as_str()) == text("call");
                let call = link.calls.iter().rev().find(named).and_then(|call| call.handle);
                let call = call.ok_or("there is no such call")?;
                link.machine.cancel(now, call, text("reason")).map_err(command)
            }
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
    pub(super) fn prove_liveness(&mut self, label: &str) -> Result<(), Failure> {
        if self.setting.side == Side::Client {
            return self.call("tools/list", None, Options::default(), label);
        }
        let id = "harness-liveness";
        self.link()?.liveness = Some(Value::string(id));
        let probe = Value::object([
            ("jsonrpc", Value::string("2.0")),
            ("id", Value::string(id)),
            ("method", Value::string("ping")),
        ]);
        self.send_line(&probe)
    }

    pub(super) fn call(
        &mut self,
        method: &str,
        params: Option<&Value>,
        options: Options<'_>,
        label: &str,
    ) -> Result<(), Failure> {
        let now = self.now;
        let link = self.link()?;
        let params = params.map(Value::to_string);
        let called = link.machine.call(now, method, params.as_deref().map(str::as_bytes), options);
        self.called(label, called)
    }

    /// What came of the command that starts a call.
    fn called(&mut self, label: &str, called: Result<u64, EmbedError>) -> Result<(), Failure> {
        let link = self.link()?;
        let (handle, outcome) = match called {
            Ok(handle) => (Some(handle), None),
            Err(refused) => (
                None,
                Some(Value::object([
                    ("event", Value::string("refused")),
                    ("code", Value::string(refused.code)),
                ])),
            ),
        };
        link.calls.push(Call { label: label.to_owned(), handle, outcome });
        Ok(())
    }
}
