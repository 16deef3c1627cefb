//! What a case written for the legacy era becomes on a modern revision: the substitutions R1 to R6 of the format.
use serde_json::value::RawValue;

use super::{
    case::{Side, Step},
    pattern::{Captures, fill},
    value::{Members, Value},
};

/// The substitutions of one run. On a legacy revision, and without a list in the case, there are none.
#[derive(Clone)]
pub struct Adaptation {
    revision: String,
    side: Side,
    handshake: bool,
    input: bool,
    subscribe: bool,
    lists: bool,
}

/// One change of a text.
struct Edit {
    at: usize,
    remove: usize,
    insert: String,
}

const PREFIX: &str = "io.modelcontextprotocol/";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
const ASKING: &[&str] = &["elicitation/create", "sampling/createMessage", "roots/list"];

/// Notices of the legacy era that the modern one sends only to a subscription.
const SUBSCRIBED: &[&str] = &[
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
];

impl Adaptation {
    /// For a run of a case that lists these rules. `R1` brings `R2` with it: what lacks the handshake lacks `ping` too.
    /// `R5` changes nothing on a stream.
    pub fn new(rules: &[String], revision: &str, side: Side) -> Self {
        let modern = is_modern(revision);
        let listed = |rule: &str| modern && rules.iter().any(|listed| listed == rule);
        Self {
            revision: revision.to_owned(),
            side,
            handshake: listed("R1"),
            input: listed("R3"),
            subscribe: listed("R4"),
            lists: listed("R6"),
        }
    }
    /// R1: the prelude is dropped.
    pub const fn drops_handshake(&self) -> bool {
        self.handshake
    }
    /// R2: the liveness probe is another method.
    pub const fn replaces_ping(&self) -> bool {
        self.handshake
    }
    /// R6: whether the steps need a subscription to be open.
    pub fn needs_subscription(&self, steps: &[Step]) -> bool {
        self.lists
            && steps.iter().any(|step| match step {
                Step::Tx(message) | Step::Rx { pattern: message, .. } => is_subscribed(message),
                Step::ForEach { steps, .. }
                | Step::Together(steps)
                | Step::As(_, steps)
                | Step::Only(_, steps) => self.needs_subscription(steps),
                _ => false,
            })
    }
    /// The filter of that subscription.
    pub fn subscription_filter() -> Value {
        let yes = || Value::Bool(true);
        Value::object([(
            "notifications",
            Value::object([
                ("toolsListChanged", yes()),
                ("promptsListChanged", yes()),
                ("resourcesListChanged", yes()),
            ]),
        )])
    }
    /// R3: the question that a server's request becomes; `None` for anything else.
    pub fn question(&self, message: &Value) -> Option<Question> {
        let method = message.get("method")?.as_str()?;
        let asks = self.input && self.side == Side::Client && ASKING.contains(&method);
        let id = message.get("id").filter(|_| asks)?;
        let key = format!("question-{id}").replace('"', "");
        let mut request = Value::object([("method", Value::string(method))]);
        if let Some(params) = message.get("params") {
            request.set("params", params.clone());
        }
        let result = Value::object([
            ("resultType", Value::string("input_required")),
            ("inputRequests", Value::object([(key.clone(), request)])),
            ("requestState", Value::string(format!("state-{key}"))),
        ]);
        Some(Question { id: id.clone(), key, result })
    }
    /// Bytes as the harness sends them, with the places where they are cut into reads.
    pub fn bytes(
        &self,
        bytes: &[u8],
        cuts: &[usize],
        capabilities: &Value,
        first: bool,
    ) -> (Vec<u8>, Vec<usize>) {
        if !self.handshake || self.side != Side::Server {
            return (bytes.to_vec(), cuts.to_vec());
        }
        let mut edits = Vec::new();
        let mut start = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if let Ok(text) = std::str::from_utf8(line) {
                self.edit(text, start, capabilities, first && start == 0, &mut edits);
            }
            start += line.len();
        }
        let mut adapted = bytes.to_vec();
        let mut cuts = cuts.to_vec();
        edits.sort_by_key(|edit| edit.at);
        for edit in edits.iter().rev() {
            adapted.splice(edit.at..edit.at + edit.remove, edit.insert.bytes());
            for cut in cuts.iter_mut().filter(|cut| **cut > edit.at) {
                *cut = (*cut + edit.insert.len()).saturating_sub(edit.remove).max(edit.at);
            }
        }
        (adapted, cuts)
    }

    /// R1, R2 and R4 on a request in one line: text is changed, so that number spelling and repeated members stay.
    fn edit(&self, line: &str, start: usize, capabilities: &Value, first: bool, edits: &mut Vec<Edit>) {
        let text = line.trim_start_matches('\u{feff}').trim();
        let Some(Members(members)) = Members::read(text) else { return };
        let named = |name: &str| members.iter().rev().find(|(key, _)| key == name).map(|(_, raw)| *raw);
        let place = |raw: &RawValue| raw.get().as_ptr() as usize - line.as_ptr() as usize + start;
        let (Some(_), Some(method)) = (named("id"), named("method")) else { return };
        let mut replace = |raw: &RawValue, insert: String| {
            edits.push(Edit { at: place(raw), remove: raw.get().len(), insert });
        };
        let params = named("params");
        let meta = self.meta(capabilities);
        match method.get() {
            "\"ping\"" => replace(method, "\"server/discover\"".into()),
            "\"initialize\"" if first => {
                replace(method, "\"server/discover\"".into());
                if let Some(params) = params {
                    replace(params, format!("{{\"_meta\":{meta}}}"));
                    return;
                }
            }
            "\"resources/subscribe\"" if self.subscribe => {
                let uri = params
                    .and_then(|raw| Value::parse(raw.get()).ok())
                    .and_then(|params| params.get("uri").cloned());
                let filter =
                    Value::object([("resourceSubscriptions", Value::Array(uri.into_iter().collect()))]);
                replace(method, "\"subscriptions/listen\"".into());
                if let Some(params) = params {
                    replace(params, format!("{{\"notifications\":{filter},\"_meta\":{meta}}}"));
                    return;
                }
            }
            _ => {}
        }
        let brace = text.as_ptr() as usize - line.as_ptr() as usize + start + 1;
        let Some(params) = params else {
            edits.push(Edit { at: brace, remove: 0, insert: format!("\"params\":{{\"_meta\":{meta}}},") });
            return;
        };
        let Some(Members(inner)) = Members::read(params.get()) else { return };
        match inner.iter().rev().find(|(key, _)| key == "_meta") {
            None => {
                let comma = if inner.is_empty() { "" } else { "," };
                edits.push(Edit {
                    at: place(params) + 1,
                    remove: 0,
                    insert: format!("\"_meta\":{meta}{comma}"),
                });
            }
            Some((_, given)) => {
                let Some(Members(given_members)) = Members::read(given.get()) else { return };
                let missing = meta
                    .members()
                    .iter()
                    .filter(|(key, _)| given_members.iter().all(|(given, _)| given != key));
                let missing = Value::object(missing.cloned()).to_string();
                let missing =
                    missing.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
                let comma = if given_members.is_empty() || missing.is_empty() { "" } else { "," };
                edits.push(Edit { at: place(given) + 1, remove: 0, insert: format!("{missing}{comma}") });
            }
        }
    }

    /// A complete `_meta` of the revision of the run.
    pub fn meta(&self, capabilities: &Value) -> Value {
        Value::object([
            (format!("{PREFIX}protocolVersion"), Value::string(&*self.revision)),
            (
                format!("{PREFIX}clientInfo"),
                Value::object([("name", Value::string("harness")), ("version", Value::string("1"))]),
            ),
            (format!("{PREFIX}clientCapabilities"), capabilities.clone()),
        ])
    }

    /// What the harness, as a server, answers to a request of this method: results get what the revision requires.
    pub fn answer(&self, method: &str, message: &Value) -> Value {
        let mut message = message.clone();
        let Some(result @ Value::Object(_)) =
            message.get("result").filter(|_| self.handshake && self.side == Side::Client)
        else {
            return message;
        };
        let discovers = method == "server/discover" && result.get("resultType").is_none();
        let mut result = if discovers { self.discovery(result) } else { result.clone() };
        if method == "tools/list" && result.get("tools").is_none() {
            result.set("tools", Value::Array(Vec::new()));
        }
        if result.get("resultType").is_none() {
            result.set("resultType", Value::string("complete"));
        }
        message.set("result", result);
        message
    }

    /// The result of `server/discover` that says what one of `initialize` does.
    pub fn discovery(&self, initialized: &Value) -> Value {
        let info = initialized.get("serverInfo").cloned();
        let meta = info.into_iter().map(|info| (format!("{PREFIX}serverInfo"), info));
        Value::object([
            ("resultType", Value::string("complete")),
            ("supportedVersions", Value::Array(vec![Value::string(&*self.revision)])),
            ("capabilities", initialized.get("capabilities").cloned().unwrap_or(Value::Object(Vec::new()))),
            ("ttlMs", Value::number(0)),
            ("cacheScope", Value::string("private")),
            ("_meta", Value::object(meta)),
        ])
    }

    /// What is wanted instead of this pattern.
    pub fn expectation(&self, pattern: &Value, captures: &Captures, asked: &[Question]) -> Expectation {
        if !self.handshake {
            return Expectation::Message(pattern.clone());
        }
        let method = pattern.get("method").and_then(Value::as_str);
        let renamed = match (self.side, method) {
            (Side::Client, Some("initialize")) => Some("server/discover"),
            (Side::Client, Some("ping")) => Some("tools/list"),
            (Side::Client, Some("notifications/initialized")) => return Expectation::Nothing,
            _ => None,
        };
        let mut wanted = pattern.clone();
        if let Some(method) = renamed {
            wanted.set("method", Value::string(method));
        }
        let id = pattern.get("id").map(|id| fill(id, captures));
        if let Some(question) = asked.iter().find(|question| Some(&question.id) == id.as_ref()) {
            return match pattern.get("result") {
                Some(result) => Expectation::Message(question.retry(result)),
                None => Expectation::LocalFailure,
            };
        }
        if self.lists && self.side == Side::Server && is_subscribed(pattern) {
            let mut params = pattern.get("params").cloned().unwrap_or(Value::Object(Vec::new()));
            params
                .set("_meta", Value::object([(SUBSCRIPTION, Value::object([("$any", Value::Bool(true))]))]));
            wanted.set("params", params);
        }
        if let Some(mut result) =
            pattern.get("result").filter(|result| result.get("protocolVersion").is_some()).cloned()
        {
            if let Value::Object(members) = &mut result {
                members.retain(|(key, _)| key != "protocolVersion" && key != "serverInfo");
            }
            result.set("supportedVersions", Value::object([("$contains", Value::string(&*self.revision))]));
            wanted.set("result", result);
        }
        Expectation::Message(wanted)
    }

    /// R4: what a request about a subscription becomes, besides its text: the answer that is wanted instead.
    pub fn subscription_answer(&self, method: &str, id: &Value) -> Option<Expectation> {
        if !self.subscribe || self.side != Side::Server {
            return None;
        }
        match method {
            "resources/subscribe" => Some(Expectation::Message(Value::object([
                ("method", Value::string("notifications/subscriptions/acknowledged")),
                ("params", Value::object([("_meta", Value::object([(SUBSCRIPTION, id.clone())]))])),
            ]))),
            "resources/unsubscribe" => Some(Expectation::Nothing),
            _ => None,
        }
    }

    /// R6: a notice to a client belongs to its subscription.
    pub fn tag(&self, message: &Value, subscription: &Value) -> Value {
        let mut message = message.clone();
        if self.lists && self.side == Side::Client && is_subscribed(&message) {
            let mut params = message.get("params").cloned().unwrap_or(Value::Object(Vec::new()));
            params.set("_meta", Value::object([(SUBSCRIPTION, subscription.clone())]));
            message.set("params", params);
        }
        message
    }
}

/// What is wanted of the machine in the place of a pattern.
#[derive(Debug)]
pub enum Expectation {
    /// A message like this.
    Message(Value),
    /// Nothing: the era does not have it.
    Nothing,
    /// The call that was asked ends with an error of its own, without a retry.
    LocalFailure,
}

/// A server's request as a question in the answer to a call.
#[derive(Clone)]
pub struct Question {
    /// The id that the request has in the case.
    pub id: Value,
    /// Its key.
    pub key: String,
    /// The answer that asks it.
    pub result: Value,
}

impl Question {
    /// The retry that answers it.
    fn retry(&self, answer: &Value) -> Value {
        let state = self.result.get("requestState").cloned().unwrap_or(Value::Null);
        let responses = Value::object([(self.key.clone(), answer.clone())]);
        Value::object([
            ("method", Value::string("tools/call")),
            ("params", Value::object([("inputResponses", responses), ("requestState", state)])),
        ])
    }
}

/// Whether the engine's table says that this revision is of the modern era.
pub fn is_modern(revision: &str) -> bool {
    use mcp_sansio::revision::{Era, Revision};
    Revision::from_name(revision).is_some_and(|revision| revision.era() == Era::Modern)
}

fn is_subscribed(message: &Value) -> bool {
    message.get("method").and_then(Value::as_str).is_some_and(|method| SUBSCRIBED.contains(&method))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODERN: &str = "2026-07-28";

    fn value(text: &str) -> Value {
        Value::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }
    fn rules(side: Side) -> Adaptation {
        Adaptation::new(&["R1", "R3", "R4", "R6"].map(str::to_owned), MODERN, side)
    }
    fn sent(text: &str, first: bool) -> String {
        let (bytes, _) = rules(Side::Server).bytes(text.as_bytes(), &[], &value("{}"), first);
        String::from_utf8(bytes).unwrap_or_else(|error| panic!("{error}"))
    }
    fn meta() -> String {
        rules(Side::Server).meta(&value("{}")).to_string()
    }

    #[test]
    fn requests_get_a_complete_meta_and_keep_their_text() {
        let meta = meta();
        for (text, wanted) in [
            (
                r#"{"id":1.0,"method":"a"}"#,
                format!(r#"{{"params":{{"_meta":{meta}}},"id":1.0,"method":"a"}}"#),
            ),
            (
                r#"{"id":1,"method":"a","params":{}}"#,
                format!(r#"{{"id":1,"method":"a","params":{{"_meta":{meta}}}}}"#),
            ),
            (
                r#"{"id":1,"method":"a","params":{"x":1e400}}"#,
                format!(r#"{{"id":1,"method":"a","params":{{"_meta":{meta},"x":1e400}}}}"#),
            ),
            (r#"{"id":1,"method":"a","params":[]}"#, r#"{"id":1,"method":"a","params":[]}"#.into()),
            (r#"{"method":"a"}"#, r#"{"method":"a"}"#.into()),
            (r#"{"id":1,"result":{}}"#, r#"{"id":1,"result":{}}"#.into()),
            (r#"[{"id":1,"method":"a"}]"#, r#"[{"id":1,"method":"a"}]"#.into()),
        ] {
            assert_eq!(sent(text, false), wanted);
        }
        let partial = sent(r#"{"id":1,"method":"a","params":{"_meta":{"progressToken":0}}}"#, false);
        let mut wanted = value(&meta);
        wanted.set("progressToken", Value::number(0));
        assert_eq!(value(&partial).at(&["params", "_meta"]), Some(&wanted));
        let complete = format!(r#"{{"id":1,"method":"a","params":{{"_meta":{meta}}}}}"#);
        assert_eq!(sent(&complete, false), complete);
    }

    #[test]
    fn ping_and_the_first_initialize_become_discovery() {
        let probe = value(&sent(r#"{"id":1,"method":"ping"}"#, false));
        assert_eq!(probe.get("method"), Some(&Value::string("server/discover")));
        let open = r#"{"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
        let opened = value(&sent(open, true));
        assert_eq!(opened.get("method"), Some(&Value::string("server/discover")));
        assert_eq!(opened.at(&["params", "protocolVersion"]), None);
        assert_eq!(value(&sent(open, false)).get("method"), Some(&Value::string("initialize")));
    }

    #[test]
    fn cuts_stay_where_they_were() {
        let text = b"\xef\xbb\xbf{\"id\":1,\"method\":\"a\"}\r\n";
        let (bytes, cuts) = rules(Side::Server).bytes(text, &[1, text.len() - 1], &value("{}"), false);
        assert_eq!(cuts, [1, bytes.len() - 1]);
        assert_eq!(bytes.get(..4), Some(b"\xef\xbb\xbf{".as_slice()));
    }

    #[test]
    fn nothing_changes_on_a_legacy_revision_or_without_rules() {
        let text = r#"{"id":1,"method":"ping"}"#;
        for adaptation in [
            Adaptation::new(&["R1".into()], "2025-11-25", Side::Server),
            Adaptation::new(&[], MODERN, Side::Server),
        ] {
            assert_eq!(adaptation.bytes(text.as_bytes(), &[], &value("{}"), true).0, text.as_bytes());
        }
    }

    #[test]
    fn a_server_request_becomes_a_question_and_its_answer_a_retry() {
        let rules = rules(Side::Client);
        let question = rules
            .question(&value(r#"{"id":1,"method":"roots/list"}"#))
            .unwrap_or_else(|| panic!("no question"));
        assert_eq!(
            question.result,
            value(
                r#"{"resultType":"input_required","inputRequests":{"question-1":{"method":"roots/list"}},"requestState":"state-question-1"}"#
            )
        );
        let asked = [question];
        let wanted = rules.expectation(&value(r#"{"id":1,"result":{"roots":[]}}"#), &Captures::new(), &asked);
        assert!(
            matches!(&wanted, Expectation::Message(retry) if *retry == value(
                r#"{"method":"tools/call","params":{"inputResponses":{"question-1":{"roots":[]}},"requestState":"state-question-1"}}"#
            )),
            "{wanted:?}"
        );
        let refused =
            rules.expectation(&value(r#"{"id":1,"error":{"code":-32602}}"#), &Captures::new(), &asked);
        assert!(matches!(refused, Expectation::LocalFailure));
    }

    #[test]
    fn subscriptions_replace_subscribe_and_carry_list_changes() {
        let listen =
            value(&sent(r#"{"id":"s","method":"resources/subscribe","params":{"uri":"test://a"}}"#, false));
        assert_eq!(listen.get("method"), Some(&Value::string("subscriptions/listen")));
        assert_eq!(
            listen.at(&["params", "notifications"]),
            Some(&value(r#"{"resourceSubscriptions":["test://a"]}"#))
        );
        let acknowledged =
            rules(Side::Server).subscription_answer("resources/subscribe", &Value::string("s"));
        assert!(matches!(acknowledged, Some(Expectation::Message(_))));
        let notice = value(r#"{"method":"notifications/tools/list_changed"}"#);
        let tagged = rules(Side::Client).tag(&notice, &Value::number(3));
        assert_eq!(tagged.at(&["params", "_meta", SUBSCRIPTION]), Some(&Value::number(3)));
        assert!(matches!(
            rules(Side::Server).expectation(&notice, &Captures::new(), &[]),
            Expectation::Message(wanted) if wanted.at(&["params", "_meta", SUBSCRIPTION]).is_some()
        ));
    }

    #[test]
    fn a_client_is_answered_as_the_revision_requires() {
        let rules = rules(Side::Client);
        let initialized = value(
            r#"{"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
        );
        let discovered = rules.answer("server/discover", &initialized);
        assert_eq!(discovered.at(&["result", "supportedVersions"]), Some(&value(r#"["2026-07-28"]"#)));
        let listed = rules.answer("tools/list", &value(r#"{"id":1,"result":{}}"#));
        assert_eq!(listed.get("result"), Some(&value(r#"{"tools":[],"resultType":"complete"}"#)));
        let null = value(r#"{"id":1,"result":null}"#);
        assert_eq!(rules.answer("tools/list", &null), null);
    }
}
