//! What the application of the client does.
use std::time::Duration;

use mcp_sansio::{
    CallHandle, InputHandle,
    event::{Event, Outcome},
    session::{CallOptions, SubscriptionFilter, TaskOptions},
};

use super::{
    Answer, ClientOperation, List, Method, Notice, Options, TaskMethod,
    books::{Made, text},
    pair::Pair,
    server::Kind,
    setup::{json, level, uri},
};

impl List {
    pub const fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }
}

impl Options {
    pub fn options(self) -> CallOptions<'static> {
        let seconds = |number: u8| (number < 24).then(|| Duration::from_secs(number.into()));
        let task = self.task.map(|wait| TaskOptions::new().wait(wait).ttl(seconds(self.large)));
        CallOptions::new()
            .progress(self.progress)
            .fresh(self.fresh)
            .timeouts(seconds(self.silence), seconds(self.total))
            .log_level((self.level < 8).then(|| level(self.level)))
            .task(task)
    }
    /// Something that takes room.
    pub fn padding(self) -> String {
        match self.large {
            250.. => "x".repeat(3000),
            200..250 => "x".repeat(1400),
            _ => String::new(),
        }
    }
}

impl Pair {
    pub fn operate_client(&mut self, operation: ClientOperation) {
        let now = self.now;
        match operation {
            ClientOperation::Tool(options) => self.call(Method::Tool, options),
            ClientOperation::Call(method, options) => self.call(method, options),
            ClientOperation::ListAll(list, options) => {
                let done = self.client.machine.list_all(now, list.method(), None, options.options());
                self.made("list_all", done.clone(), None, options, false);
                if let Ok(call) = done {
                    self.client.made.entry(call.as_u64()).and_modify(|made| made.pages = true);
                }
            }
            ClientOperation::Subscribe(lists, resources) => {
                let uris: Vec<String> = (0..4).filter(|bit| resources >> bit & 1 != 0).map(uri).collect();
                let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
                let filter = SubscriptionFilter {
                    tools: lists & 1 != 0,
                    prompts: lists & 2 != 0,
                    resources: lists & 4 != 0,
                    uris: &uris,
                };
                let done = self.client.machine.subscribe(now, filter);
                self.made("subscribe", done, None, Options::PLAIN, true);
            }
            ClientOperation::Probe => {
                let done = self.client.machine.probe(now);
                self.made("probe", done, None, Options::PLAIN, false);
            }
            ClientOperation::Cancel(pick) => {
                if let Some(call) = self.client.pick_call(pick) {
                    self.cancel_call(call);
                }
            }
            ClientOperation::Answer(pick, answer) => {
                if let Some(question) = self.client.pick(pick) {
                    self.answer(question, answer);
                }
            }
            ClientOperation::Progress(pick, progress) => {
                let Some(question) = self.client.pick(pick) else { return };
                let input = InputHandle::from_u64(question);
                let done = self.client.machine.progress(now, input, progress.into(), None, None);
                if self.client.did(done, &mut self.reached) == Some(true) {
                    self.reached.note("client progress");
                }
            }
            ClientOperation::TaskStatus(pick) => {
                let Some(question) = self.client.pick(pick) else { return };
                let done = self.client.machine.task_status(now, InputHandle::from_u64(question), "on");
                if self.client.did(done, &mut self.reached).is_some() {
                    self.reached.note("client task status");
                }
            }
            ClientOperation::Notify(notice) => {
                let (method, params) = notice.say();
                let done = self.client.machine.notify(now, method, Some(json(&params)));
                if self.client.did(done, &mut self.reached).is_some() {
                    self.reached.note("client notice");
                }
            }
        }
    }
    fn call(&mut self, method: Method, options: Options) {
        let token = match method {
            Method::Read(number) => uri(number),
            _ => self.name(),
        };
        let padding = options.padding();
        let arguments = format!(r#""arguments":{{"n":"{token}","x":"{padding}"}}"#);
        let task = |pair: &Self, number: u8| {
            let ids = &pair.tasks;
            let id = ids.get(usize::from(number) % ids.len().max(1)).map_or("nobody's", String::as_str);
            format!(r#"{{"taskId":"{id}"}}"#)
        };
        let (name, said, params) = match method {
            Method::Tool => ("tools/call", true, format!(r#"{{"name":"echo",{arguments}}}"#)),
            Method::TaskTool => ("tools/call", true, format!(r#"{{"name":"long",{arguments}}}"#)),
            Method::Prompt => {
                ("prompts/get", true, format!(r#"{{"name":"p-0","arguments":{{"n":"{token}"}}}}"#))
            }
            Method::Read(_) => ("resources/read", true, format!(r#"{{"uri":"{token}"}}"#)),
            Method::Complete => (
                "completion/complete",
                true,
                format!(
                    r#"{{"ref":{{"type":"ref/prompt","name":"p-0"}},"argument":{{"name":"n","value":"{token}"}}}}"#
                ),
            ),
            Method::List(list) => (list.method(), false, String::from("{}")),
            Method::SetLevel(number) => {
                ("logging/setLevel", false, format!(r#"{{"level":"{}"}}"#, level(number).name()))
            }
            Method::Subscribe(number) => {
                ("resources/subscribe", false, format!(r#"{{"uri":"{}"}}"#, uri(number)))
            }
            Method::Unsubscribe(number) => {
                ("resources/unsubscribe", false, format!(r#"{{"uri":"{}"}}"#, uri(number)))
            }
            Method::Task(TaskMethod::Get(number)) => ("tasks/get", false, task(self, number)),
            Method::Task(TaskMethod::Result(number)) => ("tasks/result", false, task(self, number)),
            Method::Task(TaskMethod::Cancel(number)) => ("tasks/cancel", false, task(self, number)),
            Method::Task(TaskMethod::List) => ("tasks/list", false, String::from("{}")),
            Method::Ping => ("ping", false, String::from("{}")),
            Method::MadeUp => ("made/up", true, format!(r#"{{"n":"{token}","x":"{padding}"}}"#)),
        };
        let done = self.client.machine.call(self.now, name, Some(json(&params)), options.options());
        self.made(name, done, said.then_some(token), options, false);
    }
    fn made(
        &mut self,
        what: &'static str,
        done: Result<CallHandle, mcp_sansio::error::SendError>,
        token: Option<String>,
        options: Options,
        subscription: bool,
    ) {
        let Some(call) = self.client.did(done, &mut self.reached) else { return };
        self.reached.note(what);
        self.client.begin(call, token, options, subscription);
    }
    pub fn cancel_call(&mut self, call: u64) {
        let done = self.client.machine.cancel(self.now, CallHandle::from_u64(call), Some("enough"));
        if self.client.did(done, &mut self.reached).is_some() {
            self.reached.note("cancel");
        }
    }
    pub fn answer(&mut self, question: u64, answer: Answer) {
        let (kind, marker) = &self.questions[&question];
        let large = "x".repeat(3000);
        let result = match (answer, kind) {
            (Answer::Malformed, _) => String::from(r#"{"action":"perhaps","roots":1}"#),
            (_, Kind::Elicitation) => format!(r#"{{"action":"accept","content":{{"to":"{marker}"}}}}"#),
            (_, Kind::Sampling) => {
                let text = if answer == Answer::Large { &large } else { "" };
                format!(
                    r#"{{"role":"assistant","model":"{marker}","content":{{"type":"text","text":"{text}"}}}}"#
                )
            }
            (_, Kind::Roots) => String::from(r#"{"roots":[{"uri":"file:///a"}]}"#),
        };
        let outcome = match answer {
            Answer::Error => Outcome::Error { code: -1, message: "no", data: None },
            _ => Outcome::Result { result: json(&result), cache: None },
        };
        let input = InputHandle::from_u64(question);
        let mut done = self.client.machine.answer(self.now, input, outcome);
        if matches!(done, Err(mcp_sansio::error::SendError::Invalid(_))) {
            self.client.answered(question, &done, &mut self.reached);
            let outcome = Outcome::Error { code: -1, message: "no", data: None };
            done = self.client.machine.answer(self.now, input, outcome);
        }
        self.client.answered(question, &done, &mut self.reached);
        self.reached.note("question answered");
    }
    pub fn client_event(&mut self, event: Event) {
        match event {
            Event::Input(input) => {
                self.client.asked.begin(input.input.as_u64());
                let kind = Kind::of(input.method);
                let marker = match kind {
                    Kind::Elicitation => text(input.params.as_ref(), &["message"]),
                    Kind::Sampling => text(input.params.as_ref(), &["systemPrompt"]),
                    Kind::Roots => None,
                };
                self.questions.insert(input.input.as_u64(), (kind, marker.unwrap_or_default()));
                self.reached.note(if input.task().is_some() { "question as a task" } else { "question" });
            }
            Event::InputOver { input } => {
                self.client.asked.end(input.as_u64());
                self.reached.note("question over");
            }
            Event::Completed { outcome: Ok(completion), .. } => {
                let result = completion.result.as_json();
                let id = result.member("task").and_then(|task| task.member("taskId")?.as_str());
                self.tasks.extend(id.map(String::from));
            }
            Event::Task { task, .. } => {
                let id = task.as_json().member("taskId").and_then(mcp_sansio::json::Json::as_str);
                self.tasks.extend(id.map(String::from));
            }
            Event::Subscribed(subscribed) => {
                let made = self.client.made.get(&subscribed.call.as_u64());
                assert!(made.is_some_and(|made| made.subscription), "subscribed unasked");
                self.reached.note("subscribed");
            }
            Event::Notification { call: Some(call), .. } => {
                assert_eq!(self.client.calls.0.get(&call.as_u64()), Some(&true), "a notice of what is over");
                self.reached.note("notice of a call");
            }
            Event::Request(_) | Event::Over { .. } | Event::Watched { .. } => panic!("a client: {event:?}"),
            _ => {}
        }
    }
}

impl Options {
    pub const PLAIN: Self = Self {
        progress: false,
        fresh: false,
        silence: u8::MAX,
        total: u8::MAX,
        level: u8::MAX,
        task: None,
        large: 0,
    };
}

impl<C: crate::host::Channel> super::books::Host<C> {
    pub fn begin(&mut self, call: CallHandle, token: Option<String>, options: Options, subscription: bool) {
        self.calls.begin(call.as_u64());
        let made = Made {
            token,
            progress: options.progress,
            last: f64::NEG_INFINITY,
            as_task: options.task.is_some(),
            subscription,
            pages: false,
        };
        self.made.insert(call.as_u64(), made);
    }
}

impl Notice {
    pub fn say(self) -> (&'static str, String) {
        match self {
            Self::RootsChanged => ("notifications/roots/list_changed", "{}".into()),
            Self::ElicitationComplete => {
                ("notifications/elicitation/complete", r#"{"elicitationId":"e"}"#.into())
            }
            Self::MadeUp => ("notifications/made/up", r#"{"a":1}"#.into()),
            Self::Updated => ("notifications/resources/updated", r#"{"uri":"file:///r/0"}"#.into()),
            Self::Large => ("notifications/made/up", format!(r#"{{"x":"{}"}}"#, "x".repeat(1900))),
        }
    }
}
