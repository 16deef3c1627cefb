//! Messages as such: `basic/index` of every revision.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::collections::BTreeSet;

use common::*;
use mcp_sansio::{
    error::{CallError, SendError},
    event::{Event, Outcome},
    session::{CallOptions, Server},
};
use serde_json::{Value, json};

/// A server in each revision: a legacy session, or none.
fn servers() -> impl Iterator<Item = (&'static str, Host<Server>)> {
    let legacy = LEGACY.map(|revision| (revision, session(server_config(), revision, &json!({}))));
    legacy.into_iter().chain([(MODERN, serve(server_config()))])
}

fn of(revision: &str, id: impl Into<Value>, method: &str, params: Value) -> Value {
    if revision == MODERN { modern(id, method, params) } else { request(id, method, params) }
}

/// An id is a string or an integer. What is neither is refused, and is in no answer.
/// R-BAS-002 R-BAS-003
#[test]
fn a_request_id_is_a_string_or_an_integer() {
    for (revision, mut host) in servers() {
        for id in [json!(null), json!(true), json!(0.5), json!(-1.5e-3), json!([1]), json!({})] {
            let refused = host.ask(&of(revision, id.clone(), "tools/list", json!({})));
            assert_eq!(refused["error"]["code"], -32600, "{revision} {id}");
            assert!(refused.get("id").is_none_or(Value::is_null), "{refused}");
            host.wait(seconds(1));
        }
        for id in [json!(0), json!(-7), json!(""), json!("x"), json!(9_007_199_254_740_993_u64)] {
            assert_eq!(host.ask(&of(revision, id.clone(), "tools/list", json!({})))["id"], id);
        }
    }
}

/// Requests of ours have ids that are integers, and none has one that was used before, answered or not.
/// R-BAS-002 R-BAS-003 R-BAS-004 R-BAS-013
#[test]
fn no_id_is_used_twice() {
    let bounds = limits(|limits| limits.ping_interval = Some(seconds(20)));
    let mut host = legacy_client(client_config().limits(bounds));
    // `initialize` had one too.
    let mut seen = BTreeSet::from([1]);
    let mut fresh = |message: &Value| assert!(seen.insert(message["id"].as_u64().unwrap()), "{message}");
    for round in 0..5 {
        let (call, sent) = host.call("tools/list");
        fresh(&sent);
        if round % 2 == 0 {
            host.tell(&answer(&sent, &json!({"tools": []})));
            assert!(host.outcome(call).is_ok());
        } else {
            host.machine.cancel(host.now, call, None).unwrap();
            let notice = host.one();
            assert_eq!(notice["params"]["requestId"], sent["id"]);
            assert!(notice.get("id").is_none(), "a notice has no id");
            host.event();
        }
        host.wait(seconds(20));
        let ping = host.one();
        fresh(&ping);
        host.tell(&answer(&ping, &json!({})));
    }
}

/// Either a result, which is an object, or an error with an integer and a text.
/// R-BAS-007 R-BAS-008 R-BAS-009 R-BAS-010
#[test]
fn a_response_is_a_result_or_an_error() {
    let good = json!({"code": 1, "message": "m"});
    for mut host in [legacy_client(client_config()), modern_client(client_config())] {
        for wrong in [
            json!({}),
            json!({"result": {"tools": []}, "error": good}),
            json!({"result": null}),
            json!({"result": []}),
            json!({"result": "text"}),
            json!({"error": null}),
            json!({"error": "text"}),
            json!({"error": {"message": "m"}}),
            json!({"error": {"code": 1}}),
            json!({"error": {"code": "1", "message": "m"}}),
            json!({"error": {"code": 1.5, "message": "m"}}),
            json!({"error": {"code": 1, "message": 2}}),
        ] {
            let (call, sent) = host.call("tools/list");
            let mut message = wrong.clone();
            message["jsonrpc"] = json!("2.0");
            message["id"] = sent["id"].clone();
            host.tell(&message);
            let outcome = host.outcome(call);
            assert!(matches!(outcome, Err(CallError::InvalidResult(_))), "{wrong}: {outcome:?}");
            host.silent();
        }
        let (call, sent) = host.call("tools/list");
        host.tell(&failure(&sent, -32001));
        assert!(matches!(host.outcome(call), Err(CallError::Rpc(error)) if error.code == -32001));
    }
}

/// An error lacks the id only where none could be read.
/// R-BAS-011 R-BAS-018
#[test]
fn what_is_no_message_is_refused() {
    for (revision, mut host) in servers() {
        for (text, code) in [("{", -32700), ("\"a\u{1}\"", -32700), ("{\"jsonrpc\":\"2.0\",}", -32700)] {
            host.tell_text(text);
            let refused = host.one();
            assert_eq!(refused["error"]["code"], code, "{revision} {text}");
            assert!(refused.get("id").is_none_or(Value::is_null), "{refused}");
            host.wait(seconds(1));
        }
        for message in [json!(1), json!("text"), json!(null), json!({}), json!({"jsonrpc": "2.0"})] {
            let refused = host.ask(&message);
            assert_eq!(refused["error"]["code"], -32600, "{revision} {message}");
            assert!(refused.get("id").is_none_or(Value::is_null), "{refused}");
            host.wait(seconds(1));
        }
        for message in [
            json!({"jsonrpc": "2.0", "id": 5, "method": 1}),
            json!({"jsonrpc": "1.0", "id": 5, "method": "ping"}),
            json!({"id": 5, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 5}),
        ] {
            let refused = host.ask(&message);
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32600)), "{message}");
        }
    }
}

/// Params are an object, where there are any.
/// R-BAS-015
#[test]
fn params_are_an_object() {
    for (revision, mut host) in servers() {
        for params in [json!([]), json!([1]), json!("text"), json!(1), json!(null)] {
            let refused = host.ask(&request(1, "tools/list", params.clone()));
            assert_eq!(
                (&refused["id"], &refused["error"]["code"]),
                (&json!(1), &json!(-32602)),
                "{revision}"
            );
            host.tell(&notice("notifications/initialized", params));
            host.silent();
        }
    }
}

/// A notice is never answered, whatever is wrong with it; one that nobody knows is no fault of anyone.
/// R-BAS-014 R-BAS-016
#[test]
fn notices_are_never_answered() {
    let unknown = notice("notifications/no/such", json!({"a": 1}));
    let invalid = [
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}),
        json!({"jsonrpc": "1.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "method": "initialize", "params": {}}),
    ];
    for (_, mut host) in servers() {
        host.tell(&unknown);
        assert!(host.events().is_empty());
        for message in &invalid {
            host.tell(message);
            host.silent();
        }
        assert!(host.closed().is_none());
    }
    for mut host in [legacy_client(client_config()), modern_client(client_config())] {
        host.tell(&unknown);
        assert!(host.fault_codes().is_empty());
        for message in &invalid {
            host.tell(message);
            host.silent();
        }
        assert!(host.closed().is_none());
    }
}

/// Members that nobody knows change nothing.
/// R-BAS-016
#[test]
fn unknown_members_are_ignored() {
    for (revision, mut host) in servers() {
        let plain = host.ask(&of(revision, 1, "tools/list", json!({})));
        let mut message = of(revision, 1, "tools/list", json!({"x": {"y": 1}}));
        message["extra"] = json!([1]);
        assert_eq!(host.ask(&message), plain, "{revision}");
        assert!(host.fault_codes().is_empty());
    }
}

/// R-BAS-017
#[test]
fn an_unknown_method_is_refused_as_such() {
    for (revision, mut host) in servers() {
        for method in ["no/such", "", "tools/List", "notifications/initialized"] {
            let refused = host.ask(&of(revision, "i", method, json!({})));
            assert_eq!(
                (&refused["id"], &refused["error"]["code"]),
                (&json!("i"), &json!(-32601)),
                "{revision} {method}"
            );
        }
        assert!(host.events().is_empty());
    }
    let mut client = legacy_client(client_config());
    assert_eq!(client.ask(&request("i", "no/such", json!({})))["error"]["code"], -32601);
}

/// Errors that the engine makes are one sentence, and have codes that JSON-RPC or the protocol defines.
/// R-BAS-012 R-BAS-020 R-BAS-021
#[test]
fn errors_of_the_engine_are_short_and_defined() {
    for (revision, mut host) in servers() {
        let mut refusals = vec![
            host.ask(&of(revision, 1, "no/such", json!({}))),
            host.ask(&of(revision, 1, "resources/list", json!({}))),
            host.ask(&of(revision, 1, "tools/call", json!({}))),
            host.ask(&of(revision, 1, "tools/call", json!({"name": "nobody"}))),
            host.ask(&of(revision, 1, "tools/list", json!({"cursor": "x"}))),
            host.ask(&of(revision, Value::Null, "tools/list", json!({}))),
            host.ask(&json!([])),
            host.ask(&request(1, "tools/list", json!([]))),
            host.ask(&request(
                1,
                "tools/list",
                json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "x"}}),
            )),
        ];
        host.tell(&of(revision, 1, "tools/call", json!({"name": "slow"})));
        refusals.push(host.ask(&of(revision, 1, "tools/call", json!({"name": "slow"}))));
        for refused in refusals {
            let code = refused["error"]["code"].as_i64().unwrap();
            let message = refused["error"]["message"].as_str().unwrap();
            assert!(!message.is_empty() && message.len() < 200, "{message}");
            assert!(!message.contains(['\n', '\r']) && !message.contains(". "), "{message}");
            let defined = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022];
            assert!(defined.contains(&code), "{refused}");
        }
    }
}

/// Codes of -32000…-32019 mean nothing by themselves: they come to the application as they are.
/// R-BAS-022 R-BAS-028
#[test]
fn received_codes_are_handed_on_and_told_from_failures_of_our_own() {
    let mut host = modern_client(client_config());
    for code in [-32000, -32001, -32019, -32603, 7] {
        let (call, sent) = host.call("tools/list");
        host.tell(&failure(&sent, code));
        let Err(error) = host.outcome(call) else { panic!("an error") };
        assert_eq!(error.code(), "call.rpc");
        assert!(matches!(error, CallError::Rpc(error) if error.code == code));
        host.silent();
    }
    let (call, _) = host.call_with("tools/list", CallOptions::new().timeouts(Some(seconds(1)), None));
    host.wait(seconds(1));
    host.one();
    assert_eq!(host.outcome(call).map_err(|error| error.code()), Err("call.timeout"));
    let (call, _) = host.call("tools/list");
    host.close_channel();
    let events = host.events();
    assert!(
        matches!(&events[0], Event::Completed { call: of, outcome: Err(error) } if *of == call && error.code() == "call.closed")
    );
}

/// What the protocol reserves or has given up is not an application's to send.
/// R-BAS-023 R-BAS-026
#[test]
fn an_application_sends_no_reserved_code() {
    let mut host = serve(server_config());
    host.tell(&modern(1, "tools/call", json!({"name": "slow"})));
    let handle = host.request().handle();
    for code in [-32023, -32042, -32099] {
        let outcome = Outcome::Error { code, message: "m", data: None };
        let sent = host.machine.respond(host.now, handle, outcome);
        assert!(matches!(sent, Err(SendError::Invalid(_))), "{code}: {sent:?}");
    }
    host.silent();
    host.respond(handle, DONE);
}

/// Bytes that are no UTF-8 are no message; what follows is served.
/// R-TRN-001
#[test]
fn messages_are_utf_8() {
    let mut host = session(server_config(), NEWEST, &json!({}));
    host.machine.handle_message(host.now, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xffing\"}");
    assert_eq!(host.one()["error"]["code"], -32700);
    assert_eq!(host.fault_codes(), ["fault.parse"]);
    assert!(host.ask(&request(2, "ping", json!({})))["result"].is_object());
}
