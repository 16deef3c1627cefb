//! The schema gate: what a machine sends is checked against the schema of its own revision.
//!
//! `MCP_SPEC_DIR` names the folder with one folder a revision, each with its `schema.json`; a relative path begins at the
//! root of the workspace. Without it, or with `none`, nothing is checked, and that is said once.
//!
//! Two departures from the schemas are allowed, because the pages of the protocol ask for them: an error whose id could not
//! be read has none before 2025-11-25 too, and numbers in the content of an answered form may be fractions.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic, and JSON gives null for what it lacks"
)]
mod counts;
mod schema;

use std::collections::HashMap;

use mcp_sansio::{
    method::{self, MethodKind, Side},
    revision::{Era, Revision, RevisionSet},
};
use serde_json::{Value, json};

pub use counts::{Counts, folder};
use schema::{Schema, schema, schemas};

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// The revisions that have a schema.
pub fn released() -> impl Iterator<Item = Revision> {
    let released = RevisionSet::range(Revision::V2024_11_05, Revision::V2026_07_28);
    Revision::all().filter(move |revision| released.contains(*revision))
}

/// One conversation as one of its ends has it: what the peer says is remembered, what this end says is checked.
pub struct Gate {
    side: Side,
    /// Of the legacy session; until that is agreed, the one asked for.
    session: Option<Revision>,
    /// Of the last modern request.
    modern: Option<Revision>,
    /// Requests without an answer by who sent them (`true`: this end) and their id. Ids may be used twice by a peer that
    /// breaks the rules.
    requests: HashMap<(bool, String), Vec<Request>>,
    /// Results that the peer gave before it can have seen the request, by the id: what a machine sends may be taken late.
    early: HashMap<String, Value>,
    counts: Counts,
    counted: bool,
}

/// What has to be known of a request to check its answer.
struct Request {
    method: String,
    revision: Revision,
    /// It asked to be a task.
    task: bool,
    /// Of its progress, as JSON.
    token: Option<String>,
}

impl Gate {
    /// Of a conversation in which this end has this side.
    pub fn new(side: Side) -> Self {
        Self {
            side,
            session: None,
            modern: None,
            requests: HashMap::new(),
            early: HashMap::new(),
            counts: Counts::default(),
            counted: true,
        }
    }

    /// The same of an end that is not ours: it is not counted.
    pub fn uncounted(side: Side) -> Self {
        let mut gate = Self::new(side);
        gate.counted = false;
        gate
    }

    /// The peer says this. What is no message is no matter.
    pub fn received(&mut self, message: &[u8]) {
        if schemas().is_none() {
            return;
        }
        if let Ok(message) = read(message) {
            for message in parts(&message) {
                self.note(message, false);
            }
        }
    }

    /// This end says this. `Err` says what its schema has against it.
    pub fn sent(&mut self, text: &str) -> Result<(), String> {
        if schemas().is_none() {
            return Ok(());
        }
        let broken = |problem: String| format!("{problem}, in {}", text.get(..2000).unwrap_or(text));
        let whole = read(text.as_bytes()).map_err(|error| broken(error.to_string()))?;
        if let Value::Array(elements) = &whole {
            let batching = self.session.is_some_and(|revision| revision.features().batches);
            if !batching || elements.is_empty() {
                return Err(broken("no batch is allowed here".into()));
            }
            let of = Revision::V2025_03_26;
            let answers = elements.iter().all(|element| element.get("method").is_none());
            let kind = if answers { "JSONRPCBatchResponse" } else { "JSONRPCBatchRequest" };
            let excused: Vec<Value> = elements.iter().map(with_an_id).collect();
            schema(of).map_or(Ok(()), |schema| schema.check(kind, &excused.into())).map_err(broken)?;
        }
        for message in parts(&whole) {
            self.check(message).map_err(broken)?;
            self.note(message, true);
        }
        Ok(())
    }

    /// Keeps what later messages are judged by.
    fn note(&mut self, message: &Value, ours: bool) {
        let method = message["method"].as_str();
        match (method, id(message)) {
            (Some(method), Some(id)) => {
                let sender = if ours { self.side } else { self.side.peer() };
                let revision = self.revision_of_request(message, sender);
                match revision.era() {
                    Era::Modern => self.modern = Some(revision),
                    Era::Legacy if method == "initialize" => {
                        self.session.get_or_insert(revision);
                    }
                    Era::Legacy => {}
                }
                let task = message["params"].get("task").is_some();
                let token = message["params"]["_meta"].get("progressToken").map(Value::to_string);
                let request = Request { method: method.into(), revision, task, token };
                self.requests.entry((ours, id.to_string())).or_default().push(request);
                if ours && let Some(early) = self.early.remove(&id.to_string()) {
                    self.note(&early, false);
                }
            }
            (None, Some(id)) => {
                let key = (!ours, id.to_string());
                let Some(requests) = self.requests.get_mut(&key) else {
                    if !ours {
                        self.early.entry(key.1).or_insert_with(|| message.clone());
                    }
                    return;
                };
                // Of several with one id, an error does not say which it is about.
                if message.get("error").is_none() || requests.len() == 1 {
                    let fits = |request: &Request| !ours || check_answer(request, message).is_ok();
                    let place = requests.iter().position(fits).unwrap_or_default();
                    let request = requests.remove(place);
                    let agreed = message["result"]["protocolVersion"].as_str();
                    if let Some(agreed) = agreed.filter(|_| request.method == "initialize") {
                        self.session = Revision::from_name(agreed);
                    }
                }
                if requests.is_empty() {
                    self.requests.remove(&key);
                }
            }
            _ => {}
        }
    }

    fn revision_of_request(&self, request: &Value, sender: Side) -> Revision {
        let named = |value: &Value| value.as_str().and_then(Revision::from_name);
        let modern = named(&request["params"]["_meta"][PROTOCOL_VERSION]);
        if let Some(modern) =
            modern.filter(|revision| sender == Side::Client && revision.era() == Era::Modern)
        {
            return modern;
        }
        let asked =
            named(&request["params"]["protocolVersion"]).filter(|_| request["method"] == "initialize");
        asked.or(self.session).unwrap_or(Revision::V2025_11_25)
    }

    fn by_default(&self) -> Revision {
        self.session.or(self.modern).unwrap_or(Revision::V2025_11_25)
    }

    /// That of the request it is about, if it is about one.
    fn revision_of_notice(&self, params: &Value) -> Revision {
        let with_token = |token: &Value| self.of_id(token, true).or_else(|| self.of_id(token, false));
        let about = [&params["requestId"], &params["_meta"][SUBSCRIPTION]].into_iter().find_map(with_token);
        let reported = params.get("progressToken").map(Value::to_string);
        let reports = |(_, request): &(_, &Request)| reported.is_some() && request.token == reported;
        let in_flight =
            self.requests.iter().flat_map(|((ours, _), all)| all.iter().map(move |one| (*ours, one)));
        let progressing =
            in_flight.filter(|(ours, _)| !ours).find(reports).map(|(_, request)| request.revision);
        about.or(progressing).unwrap_or_else(|| self.by_default())
    }

    fn of_id(&self, id: &Value, ours: bool) -> Option<Revision> {
        self.requests.get(&(ours, id.to_string()))?.first().map(|request| request.revision)
    }

    fn check(&mut self, message: &Value) -> Result<(), String> {
        if let Some(name) = message["method"].as_str() {
            let kind =
                if message.get("id").is_some() { MethodKind::Request } else { MethodKind::Notification };
            let revision = match kind {
                MethodKind::Request => self.revision_of_request(message, self.side),
                MethodKind::Notification => self.revision_of_notice(&message["params"]),
            };
            let opens = matches!(name, "initialize" | "ping") || revision.era() == Era::Modern;
            if (self.side, kind) == (Side::Client, MethodKind::Request) && self.session.is_none() && !opens {
                return Err(format!("{name} without a session and without `_meta`"));
            }
            let Some(schema) = schema(revision) else { return Ok(()) };
            let envelope = if kind == MethodKind::Request { "JSONRPCRequest" } else { "JSONRPCNotification" };
            schema.check(envelope, message)?;
            match schema.message(kind, self.side, name) {
                Some(definition) => schema.check(definition, &with_whole_numbers(message))?,
                None => self.unlisted(name, kind, revision)?,
            }
            self.counts.one(revision);
            return Ok(());
        }
        if message.get("error").is_some() {
            let about = id(message).and_then(|id| self.of_id(id, false));
            let revision = about.unwrap_or_else(|| self.by_default());
            let Some(schema) = schema(revision) else { return Ok(()) };
            let excused = if schema.errors_need_an_id { with_an_id(message) } else { message.clone() };
            schema.check_error(&excused)?;
            self.counts.one(revision);
            return Ok(());
        }
        let known = id(message).and_then(|id| self.requests.get(&(false, id.to_string())));
        let mut last = Err("an answer to nothing that was asked".to_owned());
        for request in known.into_iter().flatten() {
            last = check_answer(request, message);
            match &last {
                Ok(Answer::Checked(revision)) => {
                    self.counts.one(*revision);
                    return Ok(());
                }
                Ok(Answer::Unlisted(what, revision)) => {
                    self.counts.one(*revision);
                    self.counts.unlisted(what, *revision);
                    return Ok(());
                }
                Ok(Answer::WithoutSchema) => return Ok(()),
                Err(_) => {}
            }
        }
        last.map(drop)
    }

    /// The schema lacks this method: fine if the table says so too, or that it is an extension's.
    fn unlisted(&mut self, name: &str, kind: MethodKind, revision: Revision) -> Result<(), String> {
        if method::is_known(name) && !is_of_an_extension(name, kind, self.side, revision) {
            return Err(format!("{:?} sends no {name} in {}", self.side, revision.name()));
        }
        self.counts.unlisted(name, revision);
        Ok(())
    }
}

fn is_of_an_extension(name: &str, kind: MethodKind, sender: Side, revision: Revision) -> bool {
    method::find_extension(name, kind, sender, revision).is_some()
}

enum Answer {
    Checked(Revision),
    Unlisted(String, Revision),
    WithoutSchema,
}

fn check_answer(request: &Request, message: &Value) -> Result<Answer, String> {
    let result = &message["result"];
    // The answer to `initialize` is of the revision that it names.
    let named = result["protocolVersion"].as_str().filter(|_| request.method == "initialize");
    let revision = named.and_then(Revision::from_name).unwrap_or(request.revision);
    let Some(schema) = schema(revision) else { return Ok(Answer::WithoutSchema) };
    schema.check(schema.response, message)?;
    check_result(schema, revision, request, result)
}

fn check_result(
    schema: &Schema,
    revision: Revision,
    request: &Request,
    result: &Value,
) -> Result<Answer, String> {
    let Some(definition) = schema.result(&request.method, request.task, result) else {
        let kind = result["resultType"].as_str().filter(|_| revision.features().result_type);
        let of_an_extension = kind.is_some_and(|kind| !matches!(kind, "complete" | "input_required"))
            || [Side::Client, Side::Server]
                .into_iter()
                .any(|side| is_of_an_extension(&request.method, MethodKind::Request, side, revision));
        if method::is_known(&request.method) && !of_an_extension {
            return Err(format!("{} has no such result in {}", request.method, revision.name()));
        }
        return Ok(Answer::Unlisted(format!("result of {}", request.method), revision));
    };
    let excused = if definition == "ElicitResult" { with_whole_content(result) } else { result.clone() };
    schema.check(&definition, &excused)?;
    Ok(Answer::Checked(revision))
}

/// The id of a message, if it is one.
fn id(message: &Value) -> Option<&Value> {
    message.get("id").filter(|id| id.is_string() || id.is_number())
}

/// A message. JSON allows what this reader can't hold: half of a surrogate pair and numbers beyond a double are others then.
fn read(message: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(message).or_else(|error| {
        let text = String::from_utf8_lossy(message);
        let tamed: Vec<String> = text.split('"').map(tamed).collect();
        serde_json::from_str(&tamed.join("\"")).map_err(|_| error)
    })
}

/// A piece between two quotes, of a string or of what is around strings.
fn tamed(piece: &str) -> String {
    let halves = ["\\ud8", "\\ud9", "\\uda", "\\udb", "\\udc", "\\udd", "\\ude", "\\udf"];
    let piece = halves.iter().fold(piece.to_owned(), |piece, half| piece.replace(half, "\\u00"));
    let of_a_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let words = piece.split_inclusive(|c| !of_a_number(c)).map(|word| {
        let number = word.trim_end_matches(|c| !of_a_number(c));
        match number.parse::<f64>() {
            Ok(beyond) if beyond.is_infinite() => word.replace(number, "1e300"),
            _ => word.to_owned(),
        }
    });
    words.collect()
}

/// The messages of a batch, or the message.
fn parts(whole: &Value) -> &[Value] {
    whole.as_array().map_or(std::slice::from_ref(whole), Vec::as_slice)
}

/// An error without an id, with one.
fn with_an_id(message: &Value) -> Value {
    let mut message = message.clone();
    if message.get("error").is_some() && message["id"].is_null() {
        message["id"] = json!(0);
    }
    message
}

/// The content of an answered form without fractions.
fn with_whole_content(result: &Value) -> Value {
    let mut result = result.clone();
    let content = result.get_mut("content").and_then(Value::as_object_mut);
    for value in content.into_iter().flat_map(|content| content.values_mut()) {
        if value.is_f64() {
            *value = json!(0);
        }
    }
    result
}

/// The same in the answers that a modern request carries.
fn with_whole_numbers(message: &Value) -> Value {
    let mut message = message.clone();
    let answers = message.get_mut("params").and_then(|params| params.get_mut("inputResponses"));
    for answer in answers.and_then(Value::as_object_mut).into_iter().flat_map(|answers| answers.values_mut())
    {
        if answer.get("action").is_some() {
            *answer = with_whole_content(answer);
        }
    }
    message
}

impl Drop for Gate {
    fn drop(&mut self) {
        if self.counted {
            self.counts.keep();
        }
    }
}
