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
    event::{Event, Outcome},
    session::{Catalog, Server, ServerConfig},
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

fn templates(templates: &[&str]) -> ServerConfig {
    let list: Vec<Value> =
        templates.iter().map(|template| json!({"uriTemplate": template, "name": "t"})).collect();
    config(&json!({"resources": [{"uri": "t://x/listed", "name": "r"}], "resourceTemplates": list}))
}

/// Which template a URI was read by, and what its variables stand for; `None`: it was not found.
fn matched(host: &mut Host<Server>, uri: &str) -> Option<(String, Value)> {
    host.tell(&read(MODERN, uri));
    if let Some(answer) = host.sent().first() {
        assert_eq!(answer["error"]["code"], -32602);
        assert_eq!(answer["error"]["data"]["uri"], uri);
        return None;
    }
    let request = host.request();
    let variables = request.variables().map(|text| serde_json::from_str(text.get()).unwrap());
    request.template().map(String::from).zip(variables)
}

/// `server/resources`: a URI that a template describes is read, and the application is told by which, and for what its
/// variables stand. The more specific template wins, of equals the first, and what is listed itself before all.
///
/// R-RES-003
#[test]
fn the_most_specific_template_that_matches_is_read() {
    let all = [
        "t://{+rest}",
        "t://x/{name}",
        "t://x/{other}",
        "t://x/a{name}",
        "t://x/{name}{?page,limit}",
        "u:{a}/{b*}",
    ];
    let mut host = serve(templates(&all));
    for (uri, template, variables) in [
        ("t://x/b", "t://x/{name}", json!({"name": "b"})),
        ("t://x/ab", "t://x/a{name}", json!({"name": "b"})),
        ("t://x/b/c", "t://{+rest}", json!({"rest": "x/b/c"})),
        ("t://x/b?page=2", "t://x/{name}{?page,limit}", json!({"name": "b", "page": "2"})),
        ("u:1/2,3", "u:{a}/{b*}", json!({"a": "1", "b": ["2", "3"]})),
    ] {
        assert_eq!(matched(&mut host, uri), Some((template.to_owned(), variables)), "{uri}");
    }
    host.tell(&read(MODERN, "t://x/listed"));
    let request = host.request();
    assert_eq!((request.template(), request.variables().map(|_| ())), (None, None));
    for uri in ["v:1", "u:1", ""] {
        assert_eq!(matched(&mut host, uri), None, "{uri}");
    }
    let mut reversed = all;
    reversed.reverse();
    assert_eq!(matched(&mut serve(templates(&reversed)), "t://x/b").unwrap().0, "t://x/{other}");
}

/// RFC 6570: an escaped slash stays escaped and passes for none; literals are no patterns; what is absent is missing.
///
/// R-RES-021
#[test]
fn escapes_are_kept_and_literals_are_no_patterns() {
    let mut host = serve(templates(&[
        "file://docs/{name}",
        "weather://a.b/{city}",
        "items://x{?page,limit}",
        "doc://caf\u{e9}/{x}",
    ]));
    for (uri, variables) in [
        ("file://docs/..%2F..%2Fetc%2Fpasswd", Some(json!({"name": "..%2F..%2Fetc%2Fpasswd"}))),
        ("file://docs/a/b", None),
        ("weather://aXb/paris", None),
        ("weather://a.b/paris", Some(json!({"city": "paris"}))),
        ("items://x", Some(json!({}))),
        ("items://x?limit=5&page=2", Some(json!({"page": "2", "limit": "5"}))),
        ("items://x?limit=", Some(json!({"limit": ""}))),
        ("doc://caf%C3%A9/a", Some(json!({"x": "a"}))),
        ("doc://caf\u{e9}/a", Some(json!({"x": "a"}))),
    ] {
        assert_eq!(matched(&mut host, uri).map(|(_, variables)| variables), variables, "{uri}");
    }
}

/// Which template a session may not see can't be read by.
#[test]
fn a_template_for_a_group_reads_for_it_alone() {
    let given = json!({
        "resourceTemplates": [{"uriTemplate": "t:{+all}", "name": "a"}, {"uriTemplate": "t:secret/{x}", "name": "s"}],
        "visible_to": {"resourceTemplates": {"t:secret/{x}": ["admin"]}}
    });
    let stranger = &mut serve(config(&given));
    assert_eq!(matched(stranger, "t:secret/1").unwrap().0, "t:{+all}");
    let admin = Server::new(Arc::new(config(&given)), mcp_sansio::Seed([1; 32])).with_groups(["admin"]);
    assert_eq!(matched(&mut Host::new(admin), "t:secret/1").unwrap().0, "t:secret/{x}");
}

/// A binding is told the same, in two more texts of the record.
#[test]
fn bindings_are_told_the_template() {
    use mcp_sansio::embed::{Batch, Channel, Code, ServerConnection};
    let config = json!({
        "info": {"name": "s", "version": "1"},
        "resourceTemplates": [{"uriTemplate": "t:{x}", "name": "t"}],
        "resources": [{"uri": "u:1", "name": "u"}]
    });
    let mut server =
        ServerConnection::new(config.to_string().as_bytes(), [1; 32], Channel::Messages).unwrap();
    let mut ask = |uri: &str| {
        server.handle_message(1, read(MODERN, uri).to_string().as_bytes()).unwrap();
        let mut batch = Batch::default();
        server.drain(usize::MAX, &mut batch).unwrap();
        let [record] = batch.records.as_slice() else { panic!("one record") };
        assert_eq!(record.code, Code::Request as u32);
        [6, 7].map(|place: usize| batch.text(record.texts[place]).map(String::from))
    };
    assert_eq!(ask("t:%2F"), [Some("t:{x}".into()), Some(r#"{"x":"%2F"}"#.into())]);
    assert_eq!(ask("u:1"), [None, None]);
}

/// `server/resources`, subscriptions: what is in the catalog may be watched without asking the application, as long as there is
/// nobody to keep it from. What isn't, and what a principal wants to watch, is the application's to allow.
#[test]
fn what_is_in_the_catalog_may_be_watched() {
    let given = json!({
        "resources": [{"uri": "t:a", "name": "a"}, {"uri": "t:hidden", "name": "h"}],
        "resourceTemplates": [{"uriTemplate": "u:{x}", "name": "u"}],
        "visible_to": {"resources": {"t:hidden": ["admin"]}}
    });
    let server = || {
        let config = config(&given).capabilities(br#"{"resources":{"subscribe":true}}"#).unwrap();
        Server::new(Arc::new(config), mcp_sansio::Seed([1; 32]))
    };
    let listen = |uri: &str| {
        let filter = json!({"notifications": {"resourceSubscriptions": [uri]}});
        ask_in(MODERN, "subscriptions/listen", filter)
    };
    let subscribe = |uri: &str| ask_in(NEWEST, "resources/subscribe", json!({"uri": uri}));
    let ada = || server().with_principal("ada").unwrap();
    for (uri, server, asked) in [
        ("t:a", server(), false),
        ("u:1", server(), false),
        ("t:hidden", server(), true),
        ("t:hidden", server().with_groups(["admin"]), false),
        ("t:b", server(), true),
        ("t:a", ada(), true),
    ] {
        let mut host = Host::new(server);
        host.ask(&initialize(0, NEWEST, &json!({})));
        host.tell(&initialized());
        host.events();
        for wish in [subscribe(uri), listen(uri)] {
            host.tell(&wish);
            let delivered = host.events().iter().any(|event| matches!(event, Event::Request(_)));
            assert_eq!((delivered, host.sent().is_empty()), (asked, asked), "{uri}");
        }
    }
}

/// `server/resources`, error handling: what fails inside is -32603, and says nothing of the inside.
///
/// R-RES-014
#[test]
fn what_fails_inside_is_an_internal_error() {
    let slow = |limits: &mut mcp_sansio::limits::Limits| limits.handler = Some(seconds(10));
    for (mut host, revision) in everywhere(|| resources(&["test://a"]).limits(limits(slow))) {
        host.tell(&ask_in(revision, "resources/read", json!({"uri": "test://a"})));
        host.request();
        host.wait(seconds(10));
        assert_eq!(host.one()["error"]["code"], -32603, "{revision}");
        host.events();
        host.tell(&ask_in(revision, "resources/read", json!({"uri": "test://a"})));
        let handle = host.request().handle();
        let failed = Outcome::Error { code: -32603, message: "Could not be read", data: None };
        host.machine.respond(host.now, handle, failed).unwrap();
        assert_eq!(host.one()["error"], json!({"code": -32603, "message": "Could not be read"}));
    }
}
