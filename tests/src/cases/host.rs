//! The application on top of the machine under test. Its tools, what it serves and its settings are data, the same for
//! every case.
use mcp_sansio::uri;

use super::{
    pattern::{Captures, Matcher, fill, unknown_operator},
    value::Value,
};

/// An application: how its machines are configured, its tools, and what it does about other requests and questions.
#[derive(Clone)]
pub struct Host {
    server: Value,
    client: Value,
    tools: Vec<Value>,
    rules: Vec<Value>,
}

/// What an application does, each so many milliseconds after it was asked: an object whose first member says what.
pub type Acts = Vec<(u64, Value)>;

impl Host {
    /// Reads an application: members `server`, `client`, `tools` and `serve`.
    pub fn read(text: &str) -> Result<Self, String> {
        let description = Value::parse(text).map_err(|error| error.to_string())?;
        let nothing = Self { server: empty(), client: empty(), tools: Vec::new(), rules: Vec::new() };
        Ok(nothing.with(&description))
    }
    /// The same with these members in the place of its own; its rules come after these.
    #[must_use]
    pub fn with(&self, members: &Value) -> Self {
        let mut host = self.clone();
        for (key, value) in members.members() {
            match key.as_str() {
                "server" => overlay(&mut host.server, value),
                "client" => overlay(&mut host.client, value),
                "serve" => drop(host.rules.splice(0..0, value.elements().iter().cloned())),
                "tools" => {
                    for tool in value.elements() {
                        host.tools.retain(|known| name_of(known) != name_of(tool));
                        host.tools.push(tool.clone());
                    }
                }
                _ => {}
            }
        }
        host
    }
    /// The configuration of a server.
    pub fn server_config(&self, capabilities: Option<&Value>) -> Value {
        let mut config = self.server.clone();
        let definitions = self.tools.iter().filter_map(|tool| tool.get("definition").cloned());
        config.set("tools", Value::Array(definitions.collect()));
        if let Some(capabilities) = capabilities {
            config.set("capabilities", capabilities.clone());
        }
        config
    }
    /// The first operator of its rules that no pattern may have.
    pub fn unknown_operator(&self) -> Option<&str> {
        self.rules.iter().filter_map(|rule| rule.get("when")).find_map(unknown_operator)
    }
    /// The configuration of a client. `legacy`: the one revision that it speaks, opening with `initialize`, unless the
    /// application says itself whether it probes.
    pub fn client_config(&self, capabilities: &Value, legacy: Option<&str>) -> Value {
        let mut config = self.client.clone();
        config.set("capabilities", capabilities.clone());
        if let Some(revision) = legacy.filter(|_| config.get("probe").is_none()) {
            config.set("revisions", Value::Array(vec![Value::string(revision)]));
            config.set("probe", Value::Bool(false));
        }
        config
    }
    /// What it does about a request or a question: what the first rule says whose pattern the event matches, or what the
    /// tool does that is called. `None`: there is neither.
    pub fn serve(&self, event: &Value, captures: &mut Captures, modern: bool) -> Option<Acts> {
        let text = event.to_string();
        let matches = |rule: &Value| {
            let pattern = rule.get("when")?;
            let kept = &mut captures.clone();
            (Matcher { captures: kept, modern }).message(pattern, event, &text).ok()?;
            if let Some(files) = rule.get("files") {
                kept.insert("FILE".into(), file(files, event)?);
            }
            Some(kept.clone())
        };
        let found = self.rules.iter().find_map(|rule| Some((rule, matches(rule)?)));
        let Some((rule, kept)) = found else {
            let tool = event.get("name").and_then(Value::as_str)?;
            return self.run(tool, event.get("arguments").unwrap_or(&empty()));
        };
        *captures = kept;
        let after = |act: &Value| act.get("after_ms").and_then(Value::as_u64).unwrap_or(0);
        let acts = rule.get("do").map(Value::elements).unwrap_or_default();
        Some(acts.iter().map(|act| (after(act), fill(act, captures))).collect())
    }
    fn run(&self, tool: &str, arguments: &Value) -> Option<Acts> {
        let tool = self.tools.iter().find(|known| name_of(known) == Some(tool))?;
        let argument = |key: &str| tool.get(key).and_then(Value::as_str).and_then(|name| arguments.get(name));
        let mut acts = Vec::new();
        let mut at = tool.get("after_ms").and_then(Value::as_u64).unwrap_or(0);
        let mut report = |value: Value, total: Option<u64>| {
            at += 1;
            let total = total.map(|total| ("total", Value::number(total)));
            let progress = Value::object([("value", value)].into_iter().chain(total));
            acts.push((at, Value::object([("progress", progress)])));
        };
        if let Some(steps) = argument("progress_to").and_then(Value::as_u64) {
            (1..=steps).for_each(|step| report(Value::number(step), Some(steps)));
        }
        if let Some(values) = argument("progress_values") {
            values.elements().iter().for_each(|value| report(value.clone(), None));
        }
        let content = |text: &str| {
            Value::Array(vec![Value::object([
                ("type", Value::string("text")),
                ("text", Value::string(text)),
            ])])
        };
        let reply = match tool.get("reply").and_then(Value::as_str) {
            Some("argument") => Some(("result", Value::object([("content", content(&said(arguments)))]))),
            Some("structured") => {
                let value = argument("structured").cloned().unwrap_or(Value::Null);
                let result = [("content", content(&value.to_string())), ("structuredContent", value)];
                Some(("result", Value::object(result)))
            }
            Some("tool_error") => Some(("tool_error", Value::string(said(arguments)))),
            _ => None,
        };
        acts.extend(reply.map(|act| (at, Value::object([act]))));
        Some(acts)
    }
}

/// The text of the file that a variable of the event names below a root: members `root`, `variable` and `texts`.
fn file(files: &Value, event: &Value) -> Option<Value> {
    let text = |member: &str| files.get(member).and_then(Value::as_str);
    let name = event.get("variables")?.get(text("variable")?)?.as_str()?;
    let name = uri::percent_decode(name).ok()?;
    let path = uri::Root::new(text("root")?).ok()?.resolve(&name).ok()?;
    files.get("texts")?.get(&path).cloned()
}

/// The first string among the arguments, or all of them as JSON.
fn said(arguments: &Value) -> String {
    let first = arguments.members().iter().find_map(|(_, value)| value.as_str());
    first.map_or_else(|| arguments.to_string(), str::to_owned)
}

fn empty() -> Value {
    Value::Object(Vec::new())
}

fn name_of(tool: &Value) -> Option<&str> {
    tool.at(&["definition", "name"]).and_then(Value::as_str)
}

fn overlay(base: &mut Value, members: &Value) {
    members.members().iter().for_each(|(key, value)| base.set(key, value.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn tools_are_data() {
        let host = Host::read(
            r#"{"tools":[{"definition":{"name":"t"},"after_ms":5,"progress_to":"n","reply":"argument"}]}"#,
        )
        .unwrap_or_else(|error| panic!("{error}"));
        let serve = |event| host.serve(&value(event), &mut Captures::new(), false);
        let acts = serve(r#"{"name":"t","arguments":{"n":2,"s":"x"}}"#).unwrap_or_default();
        assert_eq!(acts.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [6, 7, 7]);
        let act = |place: usize| acts.get(place).map(|(_, act)| act.clone());
        assert_eq!(act(0), Some(value(r#"{"progress":{"value":1,"total":2}}"#)));
        assert_eq!(act(2), Some(value(r#"{"result":{"content":[{"type":"text","text":"x"}]}}"#)));
        assert!(serve(r#"{"name":"other"}"#).is_none());
    }

    #[test]
    fn the_first_rule_that_matches_is_followed() {
        let host = Host::read(
            r#"{"serve":[{"when":{"method":"a","n":{"$save":"N"}},"do":[{"result":{"n":"${N}"},"after_ms":3}]},
                         {"when":{"method":"a"},"do":[]}]}"#,
        )
        .unwrap_or_else(|error| panic!("{error}"));
        let serve = |event| host.serve(&value(event), &mut Captures::new(), false);
        let acts = serve(r#"{"method":"a","n":7}"#);
        assert_eq!(acts, Some(vec![(3, value(r#"{"result":{"n":7},"after_ms":3}"#))]));
        assert_eq!(serve(r#"{"method":"a"}"#), Some(Vec::new()));
        assert_eq!(serve(r#"{"method":"b"}"#), None);
    }

    #[test]
    fn a_case_may_replace_members() {
        let host = Host::read(r#"{"server":{"info":1,"limits":2},"tools":[{"definition":{"name":"t"}}]}"#)
            .unwrap_or_else(|error| panic!("{error}"))
            .with(&value(
                r#"{"server":{"limits":{"depth":3}},"tools":[{"definition":{"name":"t","title":"T"}}]}"#,
            ));
        assert_eq!(
            host.server_config(None),
            value(r#"{"info":1,"limits":{"depth":3},"tools":[{"name":"t","title":"T"}]}"#)
        );
        assert_eq!(
            host.client_config(&value("{}"), Some("2025-11-25")),
            value(r#"{"capabilities":{},"revisions":["2025-11-25"],"probe":false}"#)
        );
    }
}
