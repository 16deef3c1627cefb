//! Reading resources: `server/resources`.
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

fn config(catalog: &Value) -> ServerConfig {
    let catalog = Catalog::from_json(catalog.to_string().as_bytes()).unwrap();
    ServerConfig::new("server", "1").catalog(Arc::new(catalog))
}

fn resources(uris: &[&str]) -> ServerConfig {
    let list: Vec<Value> = uris.iter().map(|uri| json!({"uri": uri, "name": "r"})).collect();
    config(&json!({"resources": list}))
}

fn read(revision: &str, uri: &str) -> Value {
    ask_in(revision, "resources/read", json!({"uri": uri}))
}

const fn not_found(revision: &str) -> i32 {
    // `server/resources`: -32002 up to 2025-11-25, -32602 in 2026-07-28.
    if matches!(revision.as_bytes(), b"2026-07-28") { -32602 } else { -32002 }
}

/// `server/resources`, error handling: what isn't there is -32002, in 2026-07-28 -32602, with the URI in `data`. URIs are
/// compared as they are.
///
/// R-RES-010, R-RES-011, R-RES-012
#[test]
fn a_resource_that_is_not_there_is_not_found() {
    for (mut host, revision) in everywhere(|| resources(&["t://a", "t://a%20b", "t://\u{41}/b"])) {
        for uri in ["t://a", "t://a%20b", "t://A/b"] {
            host.tell(&read(revision, uri));
            let request = host.request();
            assert_eq!(request.name().unwrap(), uri);
        }
        for uri in ["t://b", "t://a/", "t://a b", "t://a%20B", "T://a", "", "t://\u{e9}", "\"\n"] {
            let answer = host.ask(&read(revision, uri));
            let expected =
                json!({"code": not_found(revision), "message": "Resource not found", "data": {"uri": uri}});
            assert_eq!(answer["error"], expected, "{revision}");
        }
        let long = format!("t://{}", "a".repeat(5000));
        let answer = host.ask(&read(revision, &long));
        assert_eq!(answer["error"], json!({"code": not_found(revision), "message": "Resource not found"}));
        for params in [json!({}), json!({"uri": 1}), json!({"uri": null})] {
            let mut wrong = read(revision, "t://a");
            wrong["params"]["uri"] = params["uri"].clone();
            if params == json!({}) {
                wrong["params"].as_object_mut().unwrap().remove("uri");
            }
            assert_eq!(host.ask(&wrong)["error"]["code"], -32602);
        }
        assert!(host.events().is_empty());
    }
}

/// `server/resources`: the same for what only the application knows not to be there, never an empty result for it.
///
/// R-RES-010, R-RES-011, R-RES-012, R-RES-013
#[test]
fn an_application_says_that_a_resource_is_gone() {
    for (mut host, revision) in everywhere(|| resources(&["t://\u{41}"])) {
        host.tell(&read(revision, "t://A"));
        let request = host.request();
        host.machine.respond_not_found(host.now, request.handle()).unwrap();
        assert_eq!(
            host.one()["error"],
            json!({"code": not_found(revision), "message": "Resource not found", "data": {"uri": "t://A"}})
        );
        assert_eq!(host.machine.respond_not_found(host.now, request.handle()), Err(SendError::Over));
    }
}

/// A call or a prompt that turns out not to exist is -32602.
#[test]
fn other_names_that_are_gone_are_invalid_params() {
    let capabilities = br#"{"tools":{},"prompts":{}}"#;
    let mut host = serve(ServerConfig::new("s", "1").capabilities(capabilities).unwrap());
    for (method, message) in [("tools/call", "Unknown tool: x\""), ("prompts/get", "Unknown prompt: x\"")] {
        host.tell(&ask_in(MODERN, method, json!({"name": "x\""})));
        let request = host.request().handle();
        host.machine.respond_not_found(host.now, request).unwrap();
        assert_eq!(host.one()["error"], json!({"code": -32602, "message": message}));
    }
}

/// `server/resources`: a result goes out as it is, with several contents if there are, in 2026-07-28 with cache hints.
///
/// R-RES-002, R-RES-004, R-CCH-001
#[test]
fn contents_go_out_as_they_are() {
    let contents = json!([
        {"uri": "t://a", "mimeType": "text/plain", "text": "x"},
        {"uri": "t://a/b", "blob": "AAE="}
    ]);
    for (mut host, revision) in everywhere(|| resources(&["t://a"])) {
        host.tell(&read(revision, "t://a"));
        let request = host.request().handle();
        host.respond(request, &json!({"contents": contents}).to_string());
        let result = host.one()["result"].clone();
        assert_eq!(result["contents"], contents);
        assert_eq!(result.get("ttlMs").is_some(), revision == MODERN);
    }
}

/// Without resources in the catalog every read is the application's.
#[test]
fn without_resources_the_application_reads() {
    let config = config(&json!({"tools": []})).capabilities(br#"{"resources":{}}"#).unwrap();
    let mut host = serve(config);
    host.tell(&read(MODERN, "any:thing"));
    assert_eq!(host.request().name().unwrap(), "any:thing");
}
