//! What the application of the server does.
use mcp_sansio::{
    CallHandle, RequestHandle,
    event::{CacheHint, Event, Outcome, Question as Asking, Request, Target},
    revision::Era,
    session::{Change, LogLevel},
};

use super::{
    Published, Question, Response, ServerOperation, To,
    books::text,
    pair::Pair,
    setup::{self, EXTENSION, json, level, uri},
    wire::SECOND,
};

/// What a client is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sampling,
    Elicitation,
    Roots,
}

impl Kind {
    pub fn of(method: &str) -> Self {
        match method {
            "sampling/createMessage" => Self::Sampling,
            "elicitation/create" => Self::Elicitation,
            "roots/list" => Self::Roots,
            other => panic!("no question: {other}"),
        }
    }
    const fn method(self) -> &'static str {
        match self {
            Self::Sampling => "sampling/createMessage",
            Self::Elicitation => "elicitation/create",
            Self::Roots => "roots/list",
        }
    }
    /// Params that say this.
    fn params(self, marker: &str, padding: &str) -> String {
        match self {
            Self::Sampling => format!(
                r#"{{"messages":[],"maxTokens":5,"systemPrompt":"{marker}","metadata":{{"x":"{padding}"}}}}"#
            ),
            Self::Elicitation => format!(
                r#"{{"message":"{marker}","requestedSchema":{{"type":"object","properties":{{"to":{{"type":"string"}}}}}}}}"#
            ),
            Self::Roots => String::from("{}"),
        }
    }
}

/// A request of the client.
#[derive(Debug)]
pub struct Asked {
    method: String,
    /// What names it, which its result says again.
    token: String,
    modern: bool,
    progress: bool,
    level: Option<String>,
    /// How many questions it was answered with, and whether with state.
    questions: usize,
    with_state: bool,
}

impl Pair {
    pub fn operate_server(&mut self, operation: ServerOperation) {
        let now = self.now;
        match operation {
            ServerOperation::Respond(_, Response::Late) => {
                let over = self.server.asked.over().unwrap_or_default();
                if over == 0 || self.waiting.contains_key(&over) {
                    return;
                }
                let outcome = Outcome::Result { result: json("{}"), cache: None };
                let done = self.server.machine.respond(now, RequestHandle::from_u64(over), outcome);
                self.server.answered(over, &done, &mut self.reached);
            }
            ServerOperation::Finish(pick) => {
                if let Some(request) = self.server.pick(pick) {
                    self.respond(request, Response::Result);
                }
            }
            ServerOperation::Respond(pick, response) => {
                if let Some(request) = self.server.pick(pick) {
                    self.respond(request, response);
                }
            }
            ServerOperation::Progress(pick, progress) => {
                let Some(request) = self.server.pick(pick) else { return };
                let handle = RequestHandle::from_u64(request);
                let done =
                    self.server.machine.progress(now, handle, progress.into(), Some(300.0), Some("on"));
                if self.server.did(done, &mut self.reached) == Some(true) {
                    assert!(self.requests[&request].progress, "progress unasked");
                    self.reached.note("progress");
                }
            }
            ServerOperation::Log(to, number) => self.log(to, level(number)),
            ServerOperation::Notify(to, notice) => {
                let Some(target) = self.target(to) else { return };
                let (method, params) = notice.say();
                let done = self.server.machine.notify(now, target, method, Some(json(&params)));
                if self.server.did(done, &mut self.reached).is_some() {
                    self.reached.note("server notice");
                }
            }
            ServerOperation::Publish(published) => self.publish(published),
            ServerOperation::Ask(to, question, options) => {
                let Some(target) = self.target(to) else { return };
                let kind = match question {
                    Question::Sampling => Some(Kind::Sampling),
                    Question::Elicitation => Some(Kind::Elicitation),
                    Question::Roots => Some(Kind::Roots),
                    Question::Ping => None,
                };
                let token = self.name();
                let params = kind.map(|kind| kind.params(&token, &options.padding()));
                let method = kind.map_or("ping", Kind::method);
                let params = params.as_deref().map(json);
                let done = self.server.machine.call(now, target, method, params, options.options());
                if let Some(call) = self.server.did(done, &mut self.reached) {
                    assert!(self.observer.is_legacy() || !self.strict || !self.server.writes);
                    self.reached.note(method);
                    self.server.begin(call, Some(token), options, false);
                }
            }
            ServerOperation::Cancel(pick) => {
                let Some(call) = self.server.pick_call(pick) else { return };
                let done = self.server.machine.cancel(now, CallHandle::from_u64(call), None);
                if self.server.did(done, &mut self.reached).is_some() {
                    self.reached.note("server cancel");
                }
            }
            ServerOperation::TaskStatus(pick, length) => {
                let Some(request) = self.server.pick(pick) else { return };
                let text = "on".repeat(usize::from(length) * 3);
                let handle = RequestHandle::from_u64(request);
                let done = self.server.machine.task_status(now, handle, &text);
                if self.server.did(done, &mut self.reached).is_some() {
                    self.reached.note("task status");
                }
            }
            ServerOperation::Catalog(offer) => {
                if let Some(catalog) = setup::catalog(offer) {
                    self.server.machine.set_catalog(now, catalog);
                    self.reached.note("catalog");
                }
            }
        }
    }
    fn target(&self, to: To) -> Option<Target> {
        match to {
            To::Channel => Some(Target::Channel),
            To::Request(pick) => {
                self.server.pick(pick).map(|request| Target::Request(RequestHandle::from_u64(request)))
            }
        }
    }
    fn log(&mut self, to: To, level: LogLevel) {
        let Some(target) = self.target(to) else { return };
        let request = match target {
            Target::Request(request) => self.requests.get(&request.as_u64()),
            _ => None,
        };
        let modern = request.is_some_and(|request| request.modern);
        let token = request.map_or("", |request| &request.token);
        let data = format!(r#"{{"legacy":{},"for":"{token}"}}"#, !modern);
        let wanted = request.and_then(|request| request.level.clone());
        let done = self.server.machine.log(self.now, target, level, None, json(&data));
        if self.server.did(done, &mut self.reached) == Some(true) {
            if modern {
                let wanted = wanted.as_deref().and_then(LogLevel::from_name);
                assert!(wanted.is_some_and(|wanted| level >= wanted), "a log notice unasked");
                self.reached.note("log of the modern era");
            } else {
                self.reached.note("log");
            }
        }
    }
    fn publish(&mut self, published: Published) {
        let (now, part) = (self.now, String::from("file:///r/part"));
        let whole = match published {
            Published::Resource(number) | Published::Part(number) => uri(number),
            _ => String::new(),
        };
        let change = match published {
            Published::Tools => Change::Tools,
            Published::Prompts => Change::Prompts,
            Published::Resources => Change::Resources,
            Published::Resource(_) => Change::Resource { uri: &whole, concerns: None },
            Published::Part(_) => {
                self.observer.is_part(&part, &whole);
                Change::Resource { uri: &part, concerns: Some(&whole) }
            }
        };
        self.server.machine.publish(now, change);
    }

    pub fn respond(&mut self, request: u64, response: Response) {
        let (now, handle) = (self.now, RequestHandle::from_u64(request));
        let Asked { method, token, modern, .. } = &self.requests[&request];
        let (token, modern) = (token.clone(), *modern);
        let (plain, padded) = (result_of(method, &token, ""), result_of(method, &token, &"x".repeat(3000)));
        let message = token.clone();
        let machine = &mut self.server.machine;
        let mut with = |outcome| machine.respond(now, handle, outcome);
        let done = match response {
            Response::Result | Response::Late => with(Outcome::Result { result: json(&plain), cache: None }),
            Response::Kept => {
                let cache = Some(CacheHint { ttl_ms: 5000, public: true });
                with(Outcome::Result { result: json(&plain), cache })
            }
            Response::Large => with(Outcome::Result { result: json(&padded), cache: None }),
            Response::Error(number) => {
                let code = [-32000, -1, -32603, -32602, -32042, -32050, 7][usize::from(number) % 7];
                with(Outcome::Error { code, message: &message, data: None })
            }
            Response::Extension => {
                with(Outcome::Extension { result_type: EXTENSION.1, result: json(&plain) })
            }
            Response::ToolError => machine.respond_tool_error(now, handle, &message),
            Response::InvalidArguments => machine.respond_invalid_arguments(now, handle, &message),
            Response::NotFound => machine.respond_not_found(now, handle),
            Response::Ask(count, state) => {
                let kinds = [Kind::Elicitation, Kind::Sampling, Kind::Roots];
                let keys: Vec<(String, Kind)> = (0..usize::from(count) % 5)
                    .map(|place| (format!("{token}/{place}"), kinds[(place + usize::from(count)) % 3]))
                    .collect();
                let params: Vec<String> = keys.iter().map(|(key, kind)| kind.params(key, "")).collect();
                let questions: Vec<Asking<'_>> = keys
                    .iter()
                    .zip(&params)
                    .map(|((key, kind), params)| Asking {
                        key,
                        method: kind.method(),
                        params: Some(json(params)),
                    })
                    .collect();
                let state = state.then_some(token.as_bytes());
                let done = with(Outcome::InputRequired { questions: &questions, state });
                if done.is_ok() {
                    self.reached.note(if modern { "asked in a result" } else { "asked in requests" });
                    self.waiting.insert(request, !modern);
                    if let Some(asked) = self.requests.get_mut(&request) {
                        (asked.questions, asked.with_state) = (keys.len(), state.is_some());
                    }
                }
                done
            }
        };
        self.server.answered(request, &done, &mut self.reached);
        if done.is_ok() {
            self.reached.note(match response {
                Response::Result | Response::Late => "respond",
                Response::Kept => "respond, to keep",
                Response::Large => "respond, large",
                Response::ToolError => "respond, tool error",
                Response::InvalidArguments => "respond, invalid arguments",
                Response::NotFound => "respond, not found",
                Response::Error(_) => "respond, error",
                Response::Ask(..) => "respond, questions",
                Response::Extension => "respond, extension",
            });
        }
    }
    pub fn server_event(&mut self, event: Event) {
        match event {
            Event::Request(request) => self.request(&request),
            Event::Over { request, reason } => {
                self.reached.note(reason.code());
                if self.waiting.remove(&request.as_u64()).is_none() {
                    self.server.asked.end(request.as_u64());
                }
            }
            Event::Watched { uri, wanted } => {
                let changed =
                    if wanted { self.watched.insert(uri.to_string()) } else { self.watched.remove(&*uri) };
                assert!(changed, "{uri} is watched already, or was not: {wanted}");
                self.reached.note("watched");
            }
            Event::Input(_) | Event::InputOver { .. } | Event::Subscribed(_) => {
                panic!("a server: {event:?}")
            }
            Event::Closed(reason) => self.reached.note(reason.code()),
            _ => {}
        }
    }
    fn request(&mut self, request: &Request) {
        let handle = request.handle().as_u64();
        self.server.asked.begin(handle);
        let method = request.method().name().into_owned();
        let params = request.params();
        let path: &[&str] = match method.as_str() {
            "tools/call" | "prompts/get" => &["arguments", "n"],
            "completion/complete" => &["argument", "value"],
            "resources/read" => &["uri"],
            _ => &["n"],
        };
        let token = text(params.as_ref(), path).unwrap_or_default();
        self.reached.note(if request.task().is_some() { "request as a task" } else { "request" });
        if token.starts_with(SECOND) {
            self.reached.note("request of the second client");
        }
        if let Some(input) = request.input() {
            self.reached.note("input came");
            if let Some(previous) = input.previous {
                assert!(self.waiting.remove(&previous.as_u64()).is_some(), "{previous:?} came again unasked");
                let asked = &self.requests[&previous.as_u64()];
                assert_eq!((&asked.method, &asked.token), (&method, &token));
                assert_eq!(
                    input.answers.len() + input.failed.len(),
                    asked.questions,
                    "questions without an end"
                );
                assert_eq!(input.state.is_some(), asked.with_state);
            }
            assert!(
                input.state.as_ref().is_none_or(|state| **state == *token.as_bytes()),
                "state of another"
            );
            let own = |key: &str| key.rsplit_once('/').is_some_and(|(name, _)| name == token);
            for (key, answer) in &input.answers {
                assert!(!self.strict || own(key), "an answer of another: {key} for {token}");
                let answer = answer.as_json();
                let said = answer.member("model").or_else(|| answer.member("content")?.member("to"));
                let said = said.and_then(mcp_sansio::json::Json::as_str);
                assert!(!self.strict || said.is_none_or(|said| said == **key), "an answer to another");
            }
            assert!(!self.strict || input.failed.iter().all(|(key, _)| own(key)));
        }
        let meta = request.meta();
        let asked = Asked {
            method,
            token,
            modern: request.revision().era() == Era::Modern,
            progress: meta.as_ref().is_some_and(|meta| meta.as_json().member("progressToken").is_some()),
            level: text(meta.as_ref(), &["io.modelcontextprotocol/logLevel"]),
            questions: 0,
            with_state: false,
        };
        self.requests.insert(handle, asked);
    }
}

/// A result of a request that says its name.
fn result_of(method: &str, token: &str, padding: &str) -> String {
    let own = match method {
        "tools/call" => r#""content":[]"#,
        "prompts/get" => r#""messages":[]"#,
        "resources/read" => r#""contents":[]"#,
        "completion/complete" => r#""completion":{"values":[]}"#,
        "tools/list" => r#""tools":[]"#,
        "prompts/list" => r#""prompts":[]"#,
        "resources/list" => r#""resources":[]"#,
        "resources/templates/list" => r#""resourceTemplates":[]"#,
        "subscriptions/listen" if padding.is_empty() => return String::from("{}"),
        _ => r#""a":1"#,
    };
    let padding = if padding.is_empty() { String::new() } else { format!(r#","_meta":{{"x":"{padding}"}}"#) };
    if token.is_empty() {
        format!("{{{own}{padding}}}")
    } else {
        format!(r#"{{{own},"n":"{token}"{padding}}}"#)
    }
}
