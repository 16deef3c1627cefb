//! What both ends may say on the wire, by what the other has asked for.
use std::collections::{BTreeMap, BTreeSet};

use mcp_sansio::jsonrpc::envelope::{self, Kind, Message};
use serde_json::Value;

use super::books::Reached;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
/// Ids and tokens of the second client begin so.
pub const SECOND: &str = "x-";
const LISTS: [(&str, &str); 3] = [
    ("notifications/tools/list_changed", "toolsListChanged"),
    ("notifications/prompts/list_changed", "promptsListChanged"),
    ("notifications/resources/list_changed", "resourcesListChanged"),
];
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Requests of one end that await an answer, by id, and their progress so far, by token.
#[derive(Default)]
struct Exchange {
    requests: BTreeMap<String, Value>,
    tokens: BTreeMap<String, f64>,
}

impl Exchange {
    fn asks(&mut self, message: &Value) {
        let id = message["id"].to_string();
        let token = &message["params"]["_meta"]["progressToken"];
        if !token.is_null() {
            self.tokens.insert(token.to_string(), f64::NEG_INFINITY);
        }
        assert!(self.requests.insert(id, message.clone()).is_none(), "an id in use: {message}");
    }
    /// The request that an answer is to.
    fn answers(&mut self, message: &Value) -> Option<Value> {
        if message["id"].is_null() {
            return None;
        }
        let request = self.requests.remove(&message["id"].to_string());
        let request = request.unwrap_or_else(|| panic!("an answer to nothing: {message}"));
        if message["result"]["task"].is_null() {
            self.tokens.remove(&request["params"]["_meta"]["progressToken"].to_string());
        }
        Some(request)
    }
    fn progresses(&mut self, message: &Value) {
        let token = self.tokens.get_mut(&message["params"]["progressToken"].to_string());
        let last = token.unwrap_or_else(|| panic!("progress unasked: {message}"));
        let progress = message["params"]["progress"].as_f64().expect("a number");
        assert!(progress > *last, "progress does not rise: {message}");
        *last = progress;
    }
}

/// What a stream of the modern era is told of.
#[derive(Default)]
struct Stream {
    lists: BTreeSet<&'static str>,
    uris: BTreeSet<String>,
}

/// Reads along. Its rules hold while nobody tampers with the wire.
#[derive(Default)]
pub struct Observer {
    of_client: Exchange,
    of_server: Exchange,
    /// A legacy session is open.
    session: bool,
    initialized: bool,
    level: usize,
    subscribed: BTreeSet<String>,
    streams: BTreeMap<String, Stream>,
    /// Resources that were said to be a part of others.
    parts: BTreeSet<(String, String)>,
    tasks: BTreeSet<String>,
}

/// A line is one message, or one batch of answers.
pub fn parse(line: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(line);
    match envelope::parse(line, usize::MAX) {
        Ok(Message::Single(message)) => assert_ne!(message.kind(), Kind::Invalid, "{text}"),
        Ok(Message::Batch(_)) => {}
        Err(error) => panic!("{error}: {text}"),
    }
    match serde_json::from_slice(line).expect("JSON") {
        Value::Array(members) => members,
        single => vec![single],
    }
}

fn is_second(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(SECOND))
}

impl Observer {
    pub fn is_legacy(&self) -> bool {
        self.session
    }
    pub fn is_part(&mut self, part: &str, whole: &str) {
        self.parts.insert((part.into(), whole.into()));
    }
    pub fn client_says(&mut self, message: &Value) {
        match (message["method"].as_str(), message.get("id")) {
            (Some(_), Some(_)) => self.of_client.asks(message),
            (Some("notifications/progress"), None) => self.of_server.progresses(message),
            (Some(_), None) => {}
            (None, _) => drop(self.of_server.answers(message)),
        }
    }
    pub fn reached_server(&mut self, message: &Value) {
        self.initialized |= message["method"] == "notifications/initialized";
    }
    /// Whether it is for the second client.
    pub fn server_says(&mut self, message: &Value, reached: &mut Reached) -> bool {
        let (params, subscription) = (&message["params"], &message["params"]["_meta"][SUBSCRIPTION]);
        let Some(method) = message["method"].as_str() else {
            self.server_answers(message, reached);
            return is_second(&message["id"]);
        };
        if message.get("id").is_some() {
            assert!(self.session, "a request that this era lacks: {message}");
            self.of_server.asks(message);
            return false;
        }
        match method {
            "notifications/progress" => self.of_client.progresses(message),
            "notifications/message" if params["data"]["legacy"] == true => {
                let level = LEVELS.iter().position(|name| params["level"] == *name).expect("a level");
                assert!(level >= self.level, "a log notice unasked: {message}");
                reached.note("log heard");
            }
            "notifications/subscriptions/acknowledged" => {
                let asked = &self.of_client.requests[&subscription.to_string()]["params"]["notifications"];
                let stream = stream(&params["notifications"]);
                let wanted = self::stream(asked);
                assert!(stream.lists.is_subset(&wanted.lists) && stream.uris.is_subset(&wanted.uris));
                self.streams.insert(subscription.to_string(), stream);
            }
            "notifications/resources/updated" => {
                let uri = params["uri"].as_str().expect("a URI");
                let subscribed = match subscription {
                    Value::Null => Some(&self.subscribed),
                    id => self.streams.get(&id.to_string()).map(|stream| &stream.uris),
                };
                let is_told = subscribed.is_some_and(|uris| {
                    uris.contains(uri)
                        || uris.iter().any(|own| self.parts.contains(&(uri.into(), own.clone())))
                });
                assert!(is_told, "an update unasked: {message}");
                assert!(self.initialized || !subscription.is_null(), "before the handshake: {message}");
                reached.note("update heard");
            }
            "notifications/cancelled" => {
                self.streams.remove(&params["requestId"].to_string());
            }
            "notifications/tasks/status" => {
                let id = params["taskId"].as_str().expect("an id");
                assert!(self.tasks.contains(id), "a task of nobody: {message}");
                reached.note("task status heard");
            }
            _ => {
                if let Some((list, _)) = LISTS.iter().find(|(list, _)| *list == method) {
                    self.list_changed(list, message);
                    reached.note("list change heard");
                }
            }
        }
        [subscription, &params["progressToken"], &params["requestId"], &params["data"]["for"]]
            .into_iter()
            .any(is_second)
    }
    fn list_changed(&self, list: &'static str, message: &Value) {
        assert_ne!(list, LISTS[2].0, "not declared: {message}");
        match &message["params"]["_meta"][SUBSCRIPTION] {
            Value::Null => assert!(self.session && self.initialized, "a change unasked: {message}"),
            id => {
                let stream = self.streams.get(&id.to_string());
                assert!(
                    stream.is_some_and(|stream| stream.lists.contains(list)),
                    "a change unasked: {message}"
                );
            }
        }
    }
    fn server_answers(&mut self, message: &Value, reached: &mut Reached) {
        self.streams.remove(&message["id"].to_string());
        let Some(request) = self.of_client.answers(message) else { return };
        let (params, result) = (&request["params"], &message["result"]);
        if let Some(task) = result["task"]["taskId"].as_str() {
            self.tasks.insert(task.into());
        }
        if result.is_null() {
            return;
        }
        let uri = || params["uri"].as_str().expect("a URI").to_owned();
        match request["method"].as_str().expect("a method") {
            "initialize" => self.session = true,
            "logging/setLevel" => {
                self.level = LEVELS.iter().position(|name| params["level"] == *name).expect("a level");
            }
            "resources/subscribe" => drop(self.subscribed.insert(uri())),
            "resources/unsubscribe" => drop(self.subscribed.remove(&uri())),
            _ => {}
        }
        if is_second(&message["id"]) {
            reached.note("second client answered");
            let (said, own) = (&result["n"], &params["arguments"]["n"]);
            assert!(said.is_null() || own.is_null() || said == own, "an answer of another: {message}");
        }
    }
}

fn stream(filter: &Value) -> Stream {
    let lists = LISTS.iter().filter(|(_, member)| filter[member] == true).map(|(list, _)| *list);
    let uris = filter["resourceSubscriptions"].as_array().into_iter().flatten();
    Stream { lists: lists.collect(), uris: uris.filter_map(Value::as_str).map(String::from).collect() }
}
