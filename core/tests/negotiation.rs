//! What the two sides agreed on holds: capabilities, versions, identities, extensions (`basic/lifecycle`,
//! `basic/versioning`, `basic/index`).
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
    error::{CloseReason, SendError},
    event::{Event, Ready, Target},
    revision::Revision,
    session::{CallOptions, Catalog, Client, Server, ServerConfig},
};
use serde_json::{Value, json};

const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

fn declaring(capabilities: &Value) -> ServerConfig {
    server_config().capabilities(capabilities.to_string().as_bytes()).unwrap()
}

fn ready<M: Machine>(host: &mut Host<M>) -> Ready {
    match host.event() {
        Event::Ready(ready) => *ready,
        other => panic!("ready, not {other:?}"),
    }
}

/// A client in a session with a server that said this.
fn opened(initialized: &Value) -> (Host<Client>, Ready) {
    let mut host = start(client_config().probe(false));
    let opening = host.one();
    host.tell(&answer(&opening, initialized));
    host.one();
    let ready = ready(&mut host);
    (host, ready)
}

/// What was negotiated is kept to: neither a method of another revision nor one whose capability the client lacks is sent.
/// R-LIF-014 R-LIF-015 R-CAP-006 R-SEC-004
#[test]
fn a_session_keeps_to_what_was_negotiated() {
    for revision in LEGACY {
        let elicits = revision >= "2025-06-18";
        for declared in [json!({}), json!({"sampling": {}, "roots": {}, "elicitation": {}})] {
            let mut host = session(server_config(), revision, &declared);
            let mut ask = |method| {
                let params = json(
                    r#"{"messages":[],"maxTokens":1,"message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
                );
                let asked =
                    host.machine.call(host.now, Target::Channel, method, Some(params), CallOptions::new());
                host.sent();
                asked.map(drop)
            };
            let has = |capability| {
                if declared.get(capability).is_some() {
                    Ok(())
                } else {
                    Err(SendError::MissingCapability(capability))
                }
            };
            assert_eq!(ask("sampling/createMessage"), has("sampling"), "{revision}");
            assert_eq!(ask("roots/list"), has("roots"), "{revision}");
            let elicited = if elicits { has("elicitation") } else { Err(SendError::NotInRevision) };
            assert_eq!(ask("elicitation/create"), elicited, "{revision}");
        }
        let mut host = session(server_config(), revision, &json!({}));
        host.tell(&call(1, "slow"));
        assert_eq!(host.request().revision().name(), revision);
    }
}

/// What was not declared is not served, and is not asked for.
/// R-CAP-001 R-CAP-006 R-CAP-007 R-SEC-004
#[test]
fn what_was_not_declared_is_refused() {
    let undeclared = [
        ("prompts/list", "prompts", json!({})),
        ("prompts/get", "prompts", json!({"name": "p"})),
        ("resources/list", "resources", json!({})),
        ("resources/templates/list", "resources", json!({})),
        ("resources/read", "resources", json!({"uri": "test://a"})),
    ];
    for (method, capability, params) in undeclared {
        for revision in LEGACY {
            let mut host = session(server_config(), revision, &json!({}));
            let refused = host.ask(&request(1, method, params.clone()));
            assert_eq!(refused["error"]["code"], -32601, "{revision} {method}");
            let mut host = session(declaring(&json!({capability: {}})), revision, &json!({}));
            host.tell(&request(1, method, params.clone()));
            assert_eq!(host.request().method().name(), method, "{revision}");
        }
        let mut host = serve(server_config());
        assert_eq!(host.ask(&modern(1, method, params.clone()))["error"]["code"], -32601, "{method}");
        for mut client in [legacy_client(client_config()), modern_client(client_config())] {
            let text = params.to_string();
            let asked = client.machine.call(client.now, method, Some(json(&text)), CallOptions::new());
            assert_eq!(asked, Err(SendError::MissingCapability(capability)), "{method}");
            client.silent();
        }
    }
}

/// 2024-11-05 has no capability for completion, so nothing gates it there.
/// R-CAP-002 R-CAP-003
#[test]
fn completion_is_gated_where_it_has_a_capability() {
    let complete = || {
        request(
            1,
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
        )
    };
    for revision in LEGACY {
        let mut host = session(server_config(), revision, &json!({}));
        host.tell(&complete());
        if revision == "2024-11-05" {
            assert_eq!(host.request().method().name(), "completion/complete");
        } else {
            assert_eq!(host.one()["error"]["code"], -32601, "{revision}");
            let mut host = session(declaring(&json!({"completions": {}})), revision, &json!({}));
            host.tell(&complete());
            assert_eq!(host.request().method().name(), "completion/complete", "{revision}");
        }
    }
}

/// R-CAP-004
#[test]
fn a_client_declares_what_it_has_in_initialize() {
    let declared = json!({"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}});
    for revision in LEGACY {
        let config =
            client_config().probe(false).revisions(&[Revision::from_name(revision).unwrap()]).unwrap();
        let mut host = start(config.capabilities(declared.to_string().as_bytes()).unwrap());
        assert_eq!(host.one()["params"]["capabilities"], declared, "{revision}");
    }
}

/// Notices that a server did not announce do no harm.
/// R-CAP-008
#[test]
fn undeclared_notices_are_tolerated() {
    for mut host in [legacy_client(client_config()), modern_client(client_config())] {
        for method in ["prompts/list_changed", "resources/list_changed", "tools/list_changed", "message"] {
            let params = json!({"level": "info", "data": 1});
            host.tell(&notice(&format!("notifications/{method}"), params));
            host.silent();
        }
        assert!(host.fault_codes().is_empty());
        host.call("tools/list");
    }
    let mut host = session(server_config(), NEWEST, &json!({}));
    host.tell(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    host.silent();
    assert!(host.fault_codes().is_empty());
    assert!(host.ask(&request(1, "ping", json!({})))["result"].is_object());
}

/// What nobody here knows of is handed on as it was written, in both directions.
/// R-CAP-009
#[test]
fn experimental_capabilities_pass_through() {
    let own = json!({"tools": {}, "experimental": {"com.example/x": {"a": [1, null]}, "y": {}}});
    for revision in LEGACY {
        let mut host = serve(declaring(&own));
        let answer = host.ask(&initialize(0, revision, &own));
        assert_eq!(answer["result"]["capabilities"]["experimental"], own["experimental"], "{revision}");
        let seen: Value = ready(&mut host).capabilities.unwrap().decode().unwrap();
        assert_eq!(seen, own);
    }
    let mut initialized = initialize_result(NEWEST);
    initialized["capabilities"] = own.clone();
    let (_, ready) = opened(&initialized);
    assert_eq!(ready.capabilities.unwrap().decode::<Value>().unwrap(), own);
}

/// R-LIF-020
#[test]
fn instructions_reach_the_application() {
    let mut initialized = initialize_result(NEWEST);
    initialized["instructions"] = json!("Be \"kind\".\n");
    let (_, ready) = opened(&initialized);
    assert_eq!(ready.instructions.unwrap().decode::<String>().unwrap(), "Be \"kind\".\n");
    let (_, silent) = opened(&initialize_result(NEWEST));
    assert!(silent.instructions.is_none());
    let mut host = serve(server_config().instructions("Be \"kind\".\n"));
    assert_eq!(host.ask(&initialize(1, NEWEST, &json!({})))["result"]["instructions"], "Be \"kind\".\n");
}

/// Whatever else an identity says is sent and handed on as it is.
/// R-LIF-022
#[test]
fn identities_are_whole() {
    let info = json!({
        "name": "n", "version": "1", "title": "T", "description": "D", "websiteUrl": "https://example.com",
        "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"]}]
    });
    let mut host = serve(server_config().info(info.to_string().as_bytes()).unwrap());
    let mut opening = initialize(0, NEWEST, &json!({}));
    opening["params"]["clientInfo"] = info.clone();
    assert_eq!(host.ask(&opening)["result"]["serverInfo"], info);
    assert_eq!(ready(&mut host).peer.unwrap().decode::<Value>().unwrap(), info);

    let mut client = start(client_config().probe(false).info(info.to_string().as_bytes()).unwrap());
    assert_eq!(client.one()["params"]["clientInfo"], info);
    let mut initialized = initialize_result(NEWEST);
    initialized["serverInfo"] = info.clone();
    let (_, ready) = opened(&initialized);
    assert_eq!(ready.peer.unwrap().decode::<Value>().unwrap(), info);
}

/// No message ends a session: only its transport does.
/// R-LIF-021
#[test]
fn no_message_ends_a_session() {
    let mut host = session(server_config(), NEWEST, &json!({}));
    for method in ["shutdown", "exit", "close", "notifications/cancelled"] {
        host.ask(&request(1, method, json!({})));
        host.tell(&notice(method, json!({})));
    }
    host.tell(&initialized());
    host.tell_text("garbage");
    host.sent();
    assert!(host.closed().is_none());
    assert!(host.ask(&request(2, "ping", json!({})))["result"].is_object());
    host.eof();
    assert_eq!(host.closed(), Some(CloseReason::Peer));
}

/// Version mismatch, a missing capability, and the timeouts of the handshake and of the shutdown.
/// R-LIF-019
#[test]
fn what_the_lifecycle_may_fail_with_is_told_apart() {
    let mut host = start(client_config().probe(false));
    let opening = host.one();
    host.tell(&answer(&opening, &initialize_result("1999-01-01")));
    assert_eq!(host.closed(), Some(CloseReason::Handshake));

    let mut host = start(client_config().probe(false).limits(limits(|limits| limits.handshake = seconds(3))));
    host.one();
    host.wait(seconds(3));
    assert_eq!(host.closed(), Some(CloseReason::Handshake));

    let mut host = legacy_client(client_config());
    let asked = host.machine.call(host.now, "prompts/list", None, CallOptions::new());
    assert_eq!(asked, Err(SendError::MissingCapability("prompts")));
    host.call("tools/list");
    host.machine.close(host.now, seconds(2));
    host.wait(seconds(2));
    assert_eq!(host.closed(), Some(CloseReason::DrainTimeout));
}

/// `initialize` stands alone, also in the revision that has batches.
/// R-LIF-013
#[test]
fn initialize_is_in_no_batch() {
    let config = client_config().probe(false).revisions(&[Revision::V2025_03_26]).unwrap();
    assert!(start(config).one().is_object());
    let mut host = serve(server_config());
    let refused = host.ask(&json!([initialize(0, "2025-03-26", &json!({})), request(1, "ping", json!({}))]));
    let first = refused.as_array().map_or(&refused, |members| &members[0]);
    assert_eq!(first["error"]["code"], -32600);
    assert!(host.ask(&initialize(2, "2025-03-26", &json!({})))["result"].is_object());
}

/// The probe says nothing but what every request says.
/// R-DIS-001
#[test]
fn a_probe_has_no_params_but_meta() {
    let mut host = start(client_config());
    let probe = host.one();
    assert_eq!(probe["method"], "server/discover");
    assert_eq!(probe["params"].as_object().unwrap().keys().collect::<Vec<_>>(), ["_meta"]);
}

/// Who the client says that it is decides nothing.
/// R-MET-012
#[test]
fn identity_changes_no_answer() {
    let ask = |host: &mut Host<Server>, info: Option<Value>| {
        let mut message = modern(1, "tools/list", json!({}));
        if let Some(info) = info {
            message["params"]["_meta"][CLIENT_INFO] = info;
        }
        host.ask(&message)
    };
    let mut host = serve(server_config());
    let anonymous = ask(&mut host, None);
    for name in ["peer", "", "admin"] {
        assert_eq!(ask(&mut host, Some(json!({"name": name, "version": "0"}))), anonymous);
    }
}

/// Keys of `_meta` that nobody here knows are no fault, reserved or not, and come to the application with the others.
/// R-MET-001 R-MET-017
#[test]
fn unknown_keys_of_meta_are_kept() {
    let others = json!({
        "io.modelcontextprotocol/later": {"a": 1}, "com.example/x": null, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "tracestate": "vendor=1", "baggage": "a=1"
    });
    let mut host = serve(server_config());
    host.tell(&modern(1, "tools/call", json!({"name": "slow", "_meta": others})));
    let request = host.request();
    let meta: Value = request.meta().unwrap().decode().unwrap();
    for (key, value) in others.as_object().unwrap() {
        assert_eq!(&meta[key], value);
    }
    assert_eq!(meta[VERSION], MODERN);

    let mut client = modern_client(client_config());
    let own = r#"{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","tracestate":"vendor=1","baggage":"a=1"}"#;
    let (_, sent) = client.call_with("tools/list", CallOptions::new().meta(Some(json(own))));
    for (key, value) in serde_json::from_str::<Value>(own).unwrap().as_object().unwrap() {
        assert_eq!(&sent["params"]["_meta"][key], value);
    }
}

/// `_meta` of results, notices, definitions, roots and content is kept.
/// R-MET-019
#[test]
fn meta_is_kept_wherever_it_stands() {
    let own = json!({"com.example/x": {"a": [1]}});
    for mut client in [legacy_client(client_config()), modern_client(client_config())] {
        let (call, sent) = client.call("tools/list");
        let tools = json!({
            "tools": [{"name": "t", "inputSchema": {"type": "object"}, "_meta": own}], "_meta": own,
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private"
        });
        client.tell(&answer(&sent, &tools));
        assert_eq!(client.outcome(call).unwrap(), tools);
        client.tell(&notice("notifications/tools/list_changed", json!({"_meta": own})));
        let Event::Notification { params, .. } = client.event() else { panic!("a notice") };
        assert_eq!(params.unwrap().decode::<Value>().unwrap()["_meta"], own);
    }
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "_meta": own}).to_string();
    let catalog = Arc::new(Catalog::new().tools([json(&tool)]).unwrap());
    for revision in LEGACY {
        let mut host = session(server_config().catalog(Arc::clone(&catalog)), revision, &json!({}));
        assert_eq!(host.ask(&request(1, "tools/list", json!({})))["result"]["tools"][0]["_meta"], own);
        host.tell(&call(2, "t"));
        let handle = host.request().handle();
        // Audio is said in text where there is none; what is beside it stays.
        let text = json!({"type": "text", "text": "t", "_meta": own});
        let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
        host.respond(handle, &json!({"content": [text, audio], "_meta": own}).to_string());
        let result = host.one()["result"].take();
        assert_eq!(result["_meta"], own, "{revision}");
        assert_eq!(result["content"][0], text, "{revision}");

        let of = mcp_sansio::revision::Revision::from_name(revision).unwrap();
        let config = client_config().revisions(&[of]).unwrap().capabilities(br#"{"roots":{}}"#).unwrap();
        let mut client = legacy_client(config);
        client.tell(&request(1, "roots/list", json!({})));
        let Event::Input(input) = client.event() else { panic!("a question") };
        let roots = json!({"roots": [{"uri": "file:///a", "_meta": own}]});
        let text = roots.to_string();
        client.machine.answer(client.now, input.input, common::result(&text)).unwrap();
        assert_eq!(client.one()["result"], roots, "{revision}");
    }
}

/// A method of an extension that was not agreed on is no method.
/// R-VER-008
#[test]
fn an_extension_is_used_only_where_both_declared_it() {
    let mut host = serve(server_config());
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let refused = host.ask(&modern(1, method, json!({"taskId": "t", "inputResponses": {}})));
        assert_eq!(refused["error"]["code"], -32601, "{method}");
    }
    let mut client = modern_client(client_config());
    let asked =
        client.machine.call(client.now, "tasks/get", Some(json(r#"{"taskId":"t"}"#)), CallOptions::new());
    assert!(asked.is_err(), "{asked:?}");
    client.silent();
}
