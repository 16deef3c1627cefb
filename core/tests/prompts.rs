//! Getting prompts: `server/prompts`.
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
    error::SendError,
    session::{Catalog, ServerConfig},
};
use serde_json::{Value, json};

fn config() -> ServerConfig {
    let prompts = json!({"prompts": [
        {"name": "plain"},
        {"name": "review", "arguments": [
            {"name": "code", "required": true}, {"name": "style"}, {"name": "for", "required": true},
            {"name": "tone", "required": false}
        ]}
    ]});
    let catalog = Catalog::from_json(prompts.to_string().as_bytes()).unwrap();
    ServerConfig::new("server", "1").catalog(Arc::new(catalog))
}

fn get(revision: &str, params: Value) -> Value {
    ask_in(revision, "prompts/get", params)
}

/// `server/prompts`, error handling: an unknown prompt is -32602, and so is a required argument that is missing, by name.
///
/// R-PRM-007, R-PRM-008
#[test]
fn prompts_and_arguments_are_checked_first() {
    for (mut host, revision) in everywhere(config) {
        for (params, message) in [
            (json!({"name": "nobody"}), "Unknown prompt: nobody"),
            (json!({"name": "Plain"}), "Unknown prompt: Plain"),
            (json!({"name": "review"}), "The argument `code` is missing"),
            (json!({"name": "review", "arguments": {"code": "x"}}), "The argument `for` is missing"),
            (
                json!({"name": "review", "arguments": {"code": "x", "for": 1}}),
                "`arguments.for` must be a string",
            ),
            (json!({"name": "plain", "arguments": {"a": null}}), "`arguments.a` must be a string"),
            (json!({"name": "plain", "arguments": []}), "`arguments` must be an object"),
            (json!({"name": 1}), "`name` must be a string"),
        ] {
            let answer = host.ask(&get(revision, params));
            assert_eq!(answer["error"], json!({"code": -32602, "message": message}), "{revision}");
        }
        assert!(host.events().is_empty());
    }
}

/// `server/prompts`: arguments are strings, delivered as they are; what was not declared passes.
///
/// R-PRM-002
#[test]
fn prompts_are_delivered_with_their_arguments() {
    for (mut host, revision) in everywhere(config) {
        for params in [
            json!({"name": "plain"}),
            json!({"name": "plain", "arguments": {"more": ""}}),
            json!({"name": "review", "arguments": {"for": "", "code": "x", "other": "y"}}),
        ] {
            host.tell(&get(revision, params.clone()));
            let request = host.request();
            assert_eq!(request.name().unwrap(), params["name"].as_str().unwrap());
            let arguments = request.arguments().map(|arguments| arguments.decode::<Value>().unwrap());
            assert_eq!(arguments.as_ref(), params.get("arguments"), "{revision}");
        }
    }
}

/// Without prompts in the catalog every one is the application's, whose arguments are strings all the same.
#[test]
fn without_prompts_the_application_gets_them() {
    let mut host = serve(ServerConfig::new("s", "1").capabilities(br#"{"prompts":{}}"#).unwrap());
    host.tell(&get(MODERN, json!({"name": "any"})));
    assert_eq!(host.request().name().unwrap(), "any");
    assert_eq!(
        host.ask(&get(MODERN, json!({"name": "any", "arguments": {"n": 1}})))["error"]["code"],
        -32602
    );
}

/// `server/prompts`, data types: each message is one block from the user or the assistant; an embedded resource has a URI, a
/// media type, and text or base64. What isn't so is refused, and the request stays open.
///
/// R-PRM-003, R-PRM-005
#[test]
fn messages_of_a_prompt_are_whole() {
    let message = |content: Value| json!({"messages": [{"role": "user", "content": content}]});
    let embedded = |resource: Value| message(json!({"type": "resource", "resource": resource}));
    let text = json!({"type": "text", "text": "t"});
    let good = [
        json!({"messages": []}),
        message(text.clone()),
        json!({"messages": [{"role": "assistant", "content": {"type": "text", "text": "", "x": 1}}]}),
        embedded(json!({"uri": "test://a", "mimeType": "text/plain", "text": ""})),
        embedded(json!({"uri": "test://a", "mimeType": "image/png", "blob": "Zg=="})),
    ];
    let wrong = [
        json!({}),
        json!({"messages": {}}),
        json!({"messages": [1]}),
        json!({"messages": [{"content": text}]}),
        json!({"messages": [{"role": "system", "content": text}]}),
        json!({"messages": [{"role": "user"}]}),
        message(json!([text])),
        message(json!("t")),
        message(json!({"text": "t"})),
        embedded(json!({"mimeType": "text/plain", "text": ""})),
        embedded(json!({"uri": "no uri", "mimeType": "text/plain", "text": ""})),
        embedded(json!({"uri": "test://a", "text": ""})),
        embedded(json!({"uri": "test://a", "mimeType": "text", "text": ""})),
        embedded(json!({"uri": "test://a", "mimeType": "text/plain"})),
        embedded(json!({"uri": "test://a", "mimeType": "image/png", "blob": "Zg"})),
        message(json!({"type": "resource"})),
    ];
    for (mut host, revision) in everywhere(config) {
        for given in &good {
            host.tell(&get(revision, json!({"name": "plain"})));
            let handle = host.request().handle();
            for broken in &wrong {
                let refused = host.machine.respond(host.now, handle, result(&broken.to_string()));
                assert!(matches!(refused, Err(SendError::Invalid(_))), "{revision} {broken}");
            }
            host.silent();
            host.respond(handle, &given.to_string());
            assert_eq!(host.one()["result"]["messages"], given["messages"], "{revision}");
        }
    }
}
