//! The application on top of the machine under test. Its tools and settings are data, the same for every case.
use super::value::Value;

/// An application: how its machines are configured, its tools, and what it answers to questions.
#[derive(Clone)]
pub struct Host {
    server: Value,
    client: Value,
    tools: Vec<Value>,
    answers: Value,
}

/// One thing that a tool does.
#[derive(Debug, PartialEq)]
pub enum Act {
    /// Reports progress.
    Progress {
        /// How far it is.
        value: f64,
        /// Of how much.
        total: Option<f64>,
    },
    /// Answers.
    Result(Value),
    /// Answers that the tool failed.
    ToolError(String),
}

impl Host {
    /// Reads an application: members `server`, `client`, `tools` and `answers`.
    pub fn read(text: &str) -> Result<Self, String> {
        let description = Value::parse(text).map_err(|error| error.to_string())?;
        let nothing = Self { server: empty(), client: empty(), tools: Vec::new(), answers: empty() };
        Ok(nothing.with(&description))
    }
    /// The same with these members in the place of its own.
    #[must_use]
    pub fn with(&self, members: &Value) -> Self {
        let mut host = self.clone();
        for (key, value) in members.members() {
            match key.as_str() {
                "server" => overlay(&mut host.server, value),
                "client" => overlay(&mut host.client, value),
                "answers" => overlay(&mut host.answers, value),
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
    /// The configuration of a client. `legacy`: the one revision that it speaks, opening with `initialize`.
    pub fn client_config(&self, capabilities: &Value, legacy: Option<&str>) -> Value {
        let mut config = self.client.clone();
        config.set("capabilities", capabilities.clone());
        if let Some(revision) = legacy {
            config.set("revisions", Value::Array(vec![Value::string(revision)]));
            config.set("probe", Value::Bool(false));
        }
        config
    }
    /// What it answers to a question of this method.
    pub fn answer(&self, method: &str) -> Option<&Value> {
        self.answers.get(method)
    }
    /// What a tool does, and after how many milliseconds each. `None`: there is no such tool.
    pub fn run(&self, tool: &str, arguments: &Value) -> Option<Vec<(u64, Act)>> {
        let tool = self.tools.iter().find(|known| name_of(known) == Some(tool))?;
        let argument = |key: &str| tool.get(key).and_then(Value::as_str).and_then(|name| arguments.get(name));
        let mut acts = Vec::new();
        let mut at = tool.get("after_ms").and_then(Value::as_u64).unwrap_or(0);
        let mut report = |value: Option<f64>, total: Option<f64>| {
            at += 1;
            acts.push((at, Act::Progress { value: value.unwrap_or(f64::NAN), total }));
        };
        if let Some(steps) = argument("progress_to").and_then(Value::as_u64) {
            let total = Value::number(steps).as_f64();
            (1..=steps).for_each(|step| report(Value::number(step).as_f64(), total));
        }
        if let Some(values) = argument("progress_values") {
            values.elements().iter().for_each(|value| report(value.as_f64(), None));
        }
        let content = |text: &str| {
            Value::Array(vec![Value::object([
                ("type", Value::string("text")),
                ("text", Value::string(text)),
            ])])
        };
        let reply = match tool.get("reply").and_then(Value::as_str) {
            Some("argument") => Some(Act::Result(Value::object([("content", content(&said(arguments)))]))),
            Some("structured") => {
                let value = argument("structured").cloned().unwrap_or(Value::Null);
                Some(Act::Result(Value::object([
                    ("content", content(&value.to_string())),
                    ("structuredContent", value),
                ])))
            }
            Some("tool_error") => Some(Act::ToolError(said(arguments))),
            _ => None,
        };
        acts.extend(reply.map(|reply| (at, reply)));
        Some(acts)
    }
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
        let acts = host.run("t", &value(r#"{"n":2,"s":"x"}"#)).unwrap_or_default();
        assert_eq!(acts.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [6, 7, 7]);
        assert_eq!(acts.first().map(|(_, act)| act), Some(&Act::Progress { value: 1.0, total: Some(2.0) }));
        assert_eq!(
            acts.last().map(|(_, act)| act),
            Some(&Act::Result(value(r#"{"content":[{"type":"text","text":"x"}]}"#)))
        );
        assert!(host.run("other", &value("{}")).is_none());
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
