//! The modern era: `basic/index`, `basic/versioning` and `server/discover` of 2026-07-28, and both eras on one stream.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use common::*;
use mcp_sansio::{
    error::{CallError, SendError},
    event::{CacheHint, Event, Target},
    revision::{Era, Revision, RevisionSet},
    session::{CallOptions, LogLevel},
};
use serde_json::{Value, json};

/// The modern revisions of this build, newest first.
fn spoken() -> Vec<&'static str> {
    RevisionSet::of(Era::Modern).newest_first().map(Revision::name).collect()
}

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// `server/discover`: versions of the modern era, capabilities, identity, hints for caches.
/// R-VER-003 R-DIS-002 R-DIS-004
#[test]
fn discovery_lists_modern_versions_only() {
    let mut host =
        serve(server_config().instructions("Be kind.").list_cache(CacheHint { ttl_ms: 9, public: true }));
    let answer = host.ask(&modern("d", "server/discover", json!({})));
    assert_eq!(
        answer,
        json!({"jsonrpc": "2.0", "id": "d", "result": {
            "resultType": "complete", "supportedVersions": spoken(), "capabilities": {"tools": {"listChanged": true}},
            "instructions": "Be kind.", "ttlMs": 9, "cacheScope": "public",
            "_meta": {SERVER_INFO: {"name": "server", "version": "1"}}
        }})
    );
}

/// `basic/index`, per-request fields: both members are required and have a shape.
/// R-MET-007 R-MET-009 R-LOG-010
#[test]
fn malformed_meta_is_refused() {
    let mut host = serve(server_config());
    for (meta, wrong) in [
        (json!({VERSION: MODERN}), CAPABILITIES),
        (json!({VERSION: MODERN, CAPABILITIES: []}), CAPABILITIES),
        (json!({VERSION: 3, CAPABILITIES: {}}), VERSION),
        (json!({VERSION: null, CAPABILITIES: {}}), VERSION),
        (json!({VERSION: MODERN, CAPABILITIES: {}, CLIENT_INFO: "x"}), CLIENT_INFO),
        (json!({VERSION: MODERN, CAPABILITIES: {}, LOG_LEVEL: "loud"}), LOG_LEVEL),
    ] {
        let refused = host.ask(&request(1, "tools/list", json!({"_meta": meta})));
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32602)), "{meta}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(wrong), "{refused}");
        assert_eq!(host.fault_codes(), ["fault.meta"]);
    }
}

/// `basic/versioning`: a version that is not spoken is refused with those that are; legacy ones are not named.
/// R-VER-001
#[test]
fn an_unsupported_version_is_refused_with_the_list() {
    let mut host = serve(server_config());
    for asked in ["1900-01-01", "2027-12-31", NEWEST, ""] {
        for method in ["tools/list", "server/discover", "no/such"] {
            let refused = host.ask(&request(1, method, json!({"_meta": {VERSION: asked, CAPABILITIES: {}}})));
            assert_eq!(refused["error"]["code"], -32022, "{asked}");
            assert_eq!(refused["error"]["data"], json!({"supported": spoken(), "requested": asked}));
        }
    }
}

/// `basic/index`: results say what they are, and who answered; `server/utilities/caching`: lists say how long they hold.
/// R-RTY-001 R-RTY-005 R-MET-011
#[test]
fn modern_results_carry_members_that_legacy_ones_lack() {
    let mut host = session(server_config(), NEWEST, &json!({}));
    let modern_list = host.ask(&modern(1, "tools/list", json!({})))["result"].clone();
    assert_eq!(modern_list["resultType"], "complete");
    assert_eq!((&modern_list["ttlMs"], &modern_list["cacheScope"]), (&json!(0), &json!("private")));
    assert_eq!(modern_list["_meta"][SERVER_INFO]["name"], "server");
    let legacy_list = host.ask(&request(2, "tools/list", json!({})))["result"].clone();
    assert_eq!(legacy_list.as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"]);
    assert_eq!(legacy_list["tools"], modern_list["tools"]);

    for (message, modern) in
        [(call(3, "echo"), false), (modern(4, "tools/call", json!({"name": "echo"})), true)]
    {
        host.tell(&message);
        let handle = host.request().handle();
        host.respond(handle, r#"{"content":[],"_meta":{"com.example/x":1}}"#);
        let result = host.one()["result"].clone();
        assert_eq!(result.get("resultType"), modern.then_some(&json!("complete")));
        assert_eq!(result["_meta"].get(SERVER_INFO).is_some(), modern);
        assert_eq!(result["_meta"]["com.example/x"], 1, "what the application says stays");
        assert_eq!(result.get("ttlMs"), None, "a call is not cacheable");
    }
}

/// `basic/versioning`: a server of both eras goes by each message, and may serve both on one stream.
/// R-VER-009 R-VER-010 R-PIN-008 R-STA-002
#[test]
fn both_eras_live_side_by_side_on_one_stream() {
    let mut host = serve(server_config());
    host.tell(&modern(1, "tools/call", json!({"name": "slow"})));
    let first = host.request();
    assert_eq!(first.revision(), Revision::V2026_07_28);
    host.ask(&initialize(2, "2025-03-26", &json!({})));
    host.tell(&initialized());
    host.events();
    host.tell(&call(3, "slow"));
    let second = host.request();
    assert_eq!(second.revision(), Revision::V2025_03_26);
    host.tell(&modern(4, "tools/call", json!({"name": "slow"})));
    let third = host.request();
    assert_eq!(third.revision(), Revision::V2026_07_28);
    for (request, id, modern) in [(third, 4, true), (second, 3, false), (first, 1, true)] {
        host.respond(request.handle(), r#"{"content":[]}"#);
        let answer = host.one();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"].get("resultType").is_some(), modern);
    }
    assert_eq!(host.ask(&modern(5, "ping", json!({})))["error"]["code"], -32601, "`ping` is legacy");
    assert_eq!(host.ask(&modern(6, "initialize", json!({})))["error"]["code"], -32601, "so is `initialize`");
    assert_eq!(
        host.ask(&request(7, "server/discover", json!({})))["error"]["code"],
        -32601,
        "discovery is modern"
    );
}

/// `basic/index`, statelessness: what one request says does not hold for the next.
/// R-STA-001 R-LOG-007 R-LOG-008
#[test]
fn nothing_is_inherited_from_an_earlier_request() {
    let mut host = serve(server_config().capabilities(br#"{"tools":{},"logging":{}}"#).unwrap());
    let slow = |id: u32, meta: Value| modern(id, "tools/call", json!({"name": "slow", "_meta": meta}));
    host.tell(&slow(1, json!({LOG_LEVEL: "info"})));
    let loud = host.request().handle();
    host.tell(&slow(2, json!({})));
    let quiet = host.request().handle();
    let log = |host: &mut common::Host<mcp_sansio::session::Server>, request, level| {
        host.machine.log(host.now, Target::Request(request), level, Some("l"), json("1")).unwrap()
    };
    assert!(log(&mut host, loud, LogLevel::Error));
    assert_eq!(
        host.one(),
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "logger": "l", "data": 1}})
    );
    assert!(!log(&mut host, loud, LogLevel::Debug), "below the level of its request");
    assert!(!log(&mut host, quiet, LogLevel::Emergency), "not asked for");
    host.silent();
    // The request before it does not make one without `_meta` modern.
    assert_eq!(host.ask(&request(3, "tools/list", json!({})))["error"]["code"], -32602);
}

/// `basic/patterns/index`: only clients send requests; a client writes no responses.
/// R-TRN-007
#[test]
fn there_are_no_requests_from_server_to_client() {
    let mut server = serve(server_config());
    server.tell(&modern(1, "tools/call", json!({"name": "slow"})));
    let request_handle = server.request().handle();
    for target in [Target::Request(request_handle), Target::Channel] {
        let asked = server.machine.call(server.now, target, "roots/list", None, CallOptions::new());
        assert_eq!(asked, Err(SendError::NotInRevision));
    }
    let mut client = modern_client(client_config());
    client.tell(&request("s", "roots/list", json!({})));
    client.silent();
    assert_eq!(client.fault_codes(), ["fault.server_request"]);
}

/// `basic/index`, per-request fields: on every request; an application's own members stay beside them.
/// R-MET-006 R-MET-010 R-CAP-005
#[test]
fn every_request_of_a_client_carries_its_meta() {
    let mut host = modern_client(client_config().capabilities(br#"{"elicitation":{}}"#).unwrap());
    let options =
        CallOptions::new().log_level(Some(LogLevel::Warning)).meta(Some(json(r#"{"com.example/x":1}"#)));
    let params = json(r#"{"name":"t","_meta":{"com.example/y":2}}"#);
    let now = host.now;
    host.machine.call(now, "tools/call", Some(params), options).unwrap();
    assert_eq!(
        host.one()["params"],
        json!({"name": "t", "_meta": {
            VERSION: MODERN, CAPABILITIES: {"elicitation": {}}, CLIENT_INFO: {"name": "client", "version": "1"},
            LOG_LEVEL: "warning", "com.example/x": 1, "com.example/y": 2
        }})
    );
    let reserved = CallOptions::new().meta(Some(json(r#"{"io.modelcontextprotocol/protocolVersion":"1"}"#)));
    assert!(matches!(host.machine.call(now, "tools/list", None, reserved), Err(SendError::Invalid(_))));
    assert_eq!(host.machine.call(now, "ping", None, CallOptions::new()), Err(SendError::NotInRevision));
    host.silent();
}

/// `basic/index`, `resultType`: absent is complete, unknown is invalid.
/// R-RTY-003 R-RTY-004
#[test]
fn results_are_told_apart_by_their_type() {
    let mut host = modern_client(client_config());
    for (kind, outcome) in [
        (None, Ok(())),
        (Some(json!("complete")), Ok(())),
        (Some(json!("other")), Err("call.invalid_result")),
        (Some(json!(1)), Err("call.invalid_result")),
    ] {
        let (call, sent) = host.call("tools/list");
        let mut result = json!({"tools": []});
        if let Some(kind) = &kind {
            result["resultType"] = kind.clone();
        }
        host.tell(&answer(&sent, &result));
        assert_eq!(host.outcome(call).map(drop).map_err(|error| error.code()), outcome, "{kind:?}");
    }
    // In the legacy era the member means nothing.
    let mut host = legacy_client(client_config());
    let (call, sent) = host.call("tools/list");
    host.tell(&answer(&sent, &json!({"resultType": "other"})));
    assert!(host.outcome(call).is_ok());
    assert!(!matches!(host.events().pop(), Some(Event::Fault(_))));
}

/// `basic/patterns/cancellation`: a server takes back a subscription, and nothing else. That is its graceful end, with
/// the result of `basic/patterns/subscriptions` or without.
#[test]
fn a_server_ends_a_subscription_only() {
    let mut host = modern_client(client_config());
    let (listing, list) = host.call("tools/list");
    let (_, other) = host.call("server/discover");
    let params = Some(json(r#"{"notifications":{"toolsListChanged":true}}"#));
    let listening = host.machine.call(host.now, "subscriptions/listen", params, CallOptions::new()).unwrap();
    let listen = host.one();
    for call in [&list, &other] {
        host.tell(&cancelled(call["id"].clone()));
    }
    assert!(host.events().is_empty());
    host.tell(&cancelled(listen["id"].clone()));
    assert_eq!(host.outcome(listening).unwrap(), json!({}));
    host.tell(&answer(&listen, &json!({"resultType": "complete"})));
    assert_eq!(host.machine.stat("late"), 1);
    host.tell(&answer(&list, &json!({"resultType": "complete", "tools": []})));
    assert!(host.outcome(listing).is_ok());
    host.silent();
}

/// `basic/patterns/subscriptions`: notices belong to the request that they name; one that is over has none any more.
/// R-SUB-009
#[test]
fn notices_end_with_their_subscription() {
    let mut host = modern_client(client_config());
    let params = Some(json(r#"{"notifications":{"toolsListChanged":true}}"#));
    let listening = host.machine.call(host.now, "subscriptions/listen", params, CallOptions::new()).unwrap();
    let id = host.one()["id"].clone();
    let changed = |id: &Value| {
        let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
        notice("notifications/tools/list_changed", json!({"_meta": meta}))
    };
    let of = |event| match event {
        Event::Notification { call, .. } => call,
        other => panic!("a notice, not {other:?}"),
    };
    host.tell(&changed(&id));
    assert_eq!(of(host.event()), Some(listening));
    for other in [json!("1"), json!([1]), json!(99)] {
        host.tell(&changed(&other));
        assert_eq!(of(host.event()), None, "{other}");
    }
    host.machine.cancel(host.now, listening, None).unwrap();
    assert!(matches!(host.outcome(listening), Err(CallError::Cancelled)));
    host.tell(&changed(&id));
    assert!(host.events().is_empty());
    assert_eq!(host.machine.stat("late"), 1);
}

/// `basic/transports/stdio`: a client writes no responses, whatever it is sent.
/// R-TRN-008
#[test]
fn a_client_writes_no_responses() {
    let mut host = modern_client(client_config().capabilities(br#"{"roots":{},"sampling":{}}"#).unwrap());
    for message in [
        request(1, "ping", json!({})),
        request(2, "roots/list", json!({})),
        request(3, "no/such", json!({})),
        json!({"jsonrpc": "2.0", "id": 4, "method": 1}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "ping", "params": []}),
        json!({"jsonrpc": "1.0", "id": 6, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 7}),
        json!([]),
        json!([{"jsonrpc": "2.0", "id": 8, "method": "ping"}]),
    ] {
        host.tell(&message);
        host.silent();
        assert_eq!(host.faults().len(), 1, "{message}");
    }
}

/// `basic/patterns/subscriptions`: what a client did not ask for is not sent, nor in the course of another request; a
/// change is told by `publish` alone.
#[test]
fn a_resource_is_told_of_on_a_subscription_alone() {
    let config = server_config().capabilities(br#"{"tools":{},"resources":{"subscribe":true}}"#).unwrap();
    let mut host = session(config, NEWEST, &json!({}));
    let updated = "notifications/resources/updated";
    let params = Some(json(r#"{"uri":"test://a"}"#));
    host.tell(&modern(1, "tools/call", json!({"name": "slow"})));
    for target in [Target::Request(host.request().handle()), Target::Channel] {
        assert!(matches!(host.machine.notify(host.now, target, updated, params), Err(SendError::Invalid(_))));
    }
    host.silent();
}
