//! Completion of arguments: `server/utilities/completion`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::sync::Arc;

use common::*;
use mcp_sansio::{
    error::CallError,
    session::{CallOptions, Catalog, Client, ServerConfig},
};
use serde_json::{Value, json};

fn config() -> ServerConfig {
    let given = json!({
        "prompts": [{"name": "plain"}, {"name": "review", "arguments": [{"name": "language"}]}],
        "resourceTemplates": [{"uriTemplate": "file:///{path}{?page}", "name": "f"}],
        "resources": [{"uri": "t:one", "name": "one"}]
    });
    let catalog = Catalog::from_json(given.to_string().as_bytes()).unwrap();
    ServerConfig::new("server", "1").catalog(Arc::new(catalog)).completions(true)
}

fn complete(revision: &str, params: Value) -> Value {
    ask_in(revision, "completion/complete", params)
}

fn prompt(name: &str, argument: &str) -> Value {
    json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": argument, "value": "py"}})
}

/// `server/utilities/completion`, error handling: a prompt or an argument that isn't there is -32602.
///
/// R-CMP-004
#[test]
fn what_can_not_be_completed_is_refused() {
    for (mut host, revision) in everywhere(config) {
        let text = |what: &str| format!("`{what}` must be a string");
        for (params, message) in [
            (prompt("nobody", "language"), "Unknown prompt: nobody".to_owned()),
            (prompt("review", "other"), "Unknown argument: other".to_owned()),
            (prompt("plain", "language"), "Unknown argument: language".to_owned()),
            (
                json!({"ref": {"type": "ref/tool"}, "argument": {"name": "a", "value": ""}}),
                "`ref.type` must be `ref/prompt` or `ref/resource`".to_owned(),
            ),
            (json!({"ref": {}, "argument": {"name": "a", "value": ""}}), text("ref.type")),
            (json!({"ref": "x", "argument": {"name": "a", "value": ""}}), text("ref.type")),
            (
                json!({"ref": {"type": "ref/prompt", "uri": "x"}, "argument": {"name": "a", "value": ""}}),
                text("ref.name"),
            ),
            (
                json!({"ref": {"type": "ref/resource", "name": "x"}, "argument": {"name": "a", "value": ""}}),
                text("ref.uri"),
            ),
            (
                json!({"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"value": ""}}),
                text("argument.name"),
            ),
            (
                json!({"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "language"}}),
                text("argument.value"),
            ),
            (json!({"ref": {"type": "ref/prompt", "name": "review"}}), "`argument` is missing".to_owned()),
        ] {
            let answer = host.ask(&complete(revision, params));
            assert_eq!(answer["error"], json!({"code": -32602, "message": message}), "{revision}");
        }
        assert!(host.events().is_empty());
    }
}

/// `server/utilities/completion`: `ref.uri` is a template of the catalog, or a URI that one describes.
///
/// R-CMP-001, R-CMP-004
#[test]
fn variables_of_templates_are_completed() {
    let of = |uri: &str, argument: &str| json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": argument, "value": ""}});
    for (mut host, revision) in everywhere(config) {
        for (uri, argument) in [
            ("file:///{path}{?page}", "path"),
            ("file:///{path}{?page}", "page"),
            ("file:///a?page=1", "path"),
        ] {
            host.tell(&complete(revision, of(uri, argument)));
            assert_eq!(host.request().method().name(), "completion/complete", "{revision} {uri}");
        }
        for (uri, argument, message) in [
            ("file:///{path}{?page}", "other", "Unknown argument: other"),
            ("t:one", "path", "Unknown argument: path"),
            ("file:///{path}", "path", "Unknown resource template: file:///{path}"),
            ("u:two", "path", "Unknown resource template: u:two"),
        ] {
            let answer = host.ask(&complete(revision, of(uri, argument)));
            assert_eq!(answer["error"], json!({"code": -32602, "message": message}), "{revision}");
        }
    }
}

/// `server/utilities/completion`: what can be completed goes to the application, with all that the client said.
///
/// R-CMP-001
#[test]
fn what_can_be_completed_is_delivered() {
    for (mut host, revision) in everywhere(config) {
        host.tell(&complete(revision, prompt("review", "language")));
        let request = host.request();
        assert_eq!(request.method().name(), "completion/complete");
        let params: Value = request.params().unwrap().decode().unwrap();
        assert_eq!(params["argument"], json!({"name": "language", "value": "py"}), "{revision}");
    }
}

/// `server/utilities/completion` from 2025-06-18: values chosen before are strings by name. Before, `context` is a member
/// that means nothing.
///
/// R-CMP-002
#[test]
fn context_is_checked_where_there_is_one() {
    for (mut host, revision) in everywhere(config) {
        let mut params = prompt("review", "language");
        for arguments in [json!({"framework": "flask"}), json!({})] {
            params["context"] = json!({"arguments": arguments});
            host.tell(&complete(revision, params.clone()));
            let delivered: Value = host.request().params().unwrap().decode().unwrap();
            assert_eq!(delivered["context"], params["context"]);
        }
        for wrong in [json!({"framework": 1}), json!([]), Value::Null] {
            params["context"] = json!({"arguments": wrong});
            host.tell(&complete(revision, params.clone()));
            let knows = matches!(revision, "2025-06-18" | "2025-11-25" | "2026-07-28");
            match host.sent().first() {
                Some(answer) => assert!(knows && answer["error"]["code"] == -32602, "{revision}"),
                None => assert!(!knows && host.events().len() == 1, "{revision}"),
            }
        }
    }
}

/// `server/utilities/completion`: at most 100 values. More are cut off, which the answer says.
///
/// R-CMP-003
#[test]
fn an_answer_has_at_most_100_values() {
    let values = |count: usize| (0..count).map(|place| format!("v{place}")).collect::<Vec<_>>();
    for (mut host, revision) in everywhere(config) {
        for (given, expected) in [
            (json!({"values": values(100)}), json!({"values": values(100)})),
            (json!({"values": []}), json!({"values": []})),
            (json!({"values": values(101)}), json!({"values": values(100), "hasMore": true})),
            (
                json!({"hasMore": false, "values": values(250), "total": 300, "x": {"y": 1}}),
                json!({"hasMore": true, "values": values(100), "total": 300, "x": {"y": 1}}),
            ),
        ] {
            host.tell(&complete(revision, prompt("review", "language")));
            let request = host.request().handle();
            host.respond(request, &json!({"completion": given, "_meta": {"com.example/k": 1}}).to_string());
            let result = host.one()["result"].clone();
            assert_eq!(result["completion"], expected, "{revision}");
            assert_eq!(result["_meta"]["com.example/k"], 1);
            assert_eq!(result.get("resultType").is_some(), revision == MODERN);
        }
    }
}

/// `server/utilities/completion`: without the capability it is -32601; 2024-11-05 has none.
///
/// R-CMP-004
#[test]
fn completion_has_to_be_declared() {
    for revision in LEGACY {
        let mut host = session(config().completions(false), revision, &json!({}));
        host.tell(&complete(revision, prompt("review", "language")));
        match host.sent().first() {
            Some(answer) => {
                assert_eq!((&answer["error"]["code"], revision != "2024-11-05"), (&json!(-32601), true));
            }
            None => assert_eq!(revision, "2024-11-05"),
        }
    }
}

/// `server/utilities/completion`: a client takes an answer without values, without the optional members, or cut short, and an
/// error, each as it is.
///
/// R-CMP-008
#[test]
fn a_client_takes_partial_answers() {
    let mut host = start(client_config());
    let probe = host.one();
    let mut described = discover_result(&[MODERN]);
    described["capabilities"] = json!({"completions": {}});
    host.tell(&answer(&probe, &described));
    host.event();
    let params = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "v"}});
    let params = params.to_string();
    let complete = |host: &mut Host<Client>| {
        let options = CallOptions::new();
        let call = host.machine.call(host.now, "completion/complete", Some(json(&params)), options).unwrap();
        (call, host.one())
    };
    for partial in [
        json!({"values": []}),
        json!({"values": ["a"], "hasMore": true}),
        json!({"values": ["a"], "total": 7}),
        json!({}),
    ] {
        let (call, sent) = complete(&mut host);
        host.tell(&answer(&sent, &json!({"resultType": "complete", "completion": partial})));
        assert_eq!(host.outcome(call).unwrap()["completion"], partial);
    }
    let (call, sent) = complete(&mut host);
    host.tell(&failure(&sent, -32601));
    assert!(matches!(host.outcome(call), Err(CallError::Rpc(error)) if error.code == -32601));
}
