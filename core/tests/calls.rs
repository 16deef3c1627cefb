//! Calls and requests between their beginning and their end: answers, cancellation, progress, timeouts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::time::Duration;

use common::*;
use mcp_sansio::{
    CallHandle, RequestHandle,
    error::{CallError, SendError, TimeLimit},
    event::{Event, Outcome, OverReason, Target},
    session::CallOptions,
};
use serde_json::{Value, json};

fn progress_of(token: &Value, value: f64) -> Value {
    notice("notifications/progress", json!({"progressToken": token, "progress": value}))
}

/// `basic/index` of every revision: an answer belongs to the request whose id it has, in whatever order.
/// R-BAS-006
#[test]
fn answers_come_in_any_order() {
    let mut client = modern_client(client_config());
    let calls: Vec<_> = (0..3).map(|_| client.call("tools/list")).collect();
    for (call, sent) in calls.iter().rev() {
        client.tell(&answer(sent, &json!({"of": sent["id"]})));
        assert_eq!(client.outcome(*call).unwrap()["of"], sent["id"]);
    }

    let mut server = session(server_config(), NEWEST, &json!({}));
    let handles: Vec<_> = [json!("a"), json!(1), json!("1")]
        .into_iter()
        .map(|id| {
            server.tell(&call(id.clone(), "slow"));
            (id, server.request().handle())
        })
        .collect();
    for (id, handle) in handles.into_iter().rev() {
        server.respond(handle, DONE);
        assert_eq!(server.one(), json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}));
    }
}

/// Unknown, repeated and late answers harm nothing: `basic/utilities/cancellation`.
#[test]
fn unknown_and_late_answers_are_harmless() {
    let mut client = modern_client(client_config());
    let (call, sent) = client.call("tools/list");
    client.tell(&json!({"jsonrpc": "2.0", "id": 99, "result": {}}));
    assert_eq!(client.fault_codes(), ["fault.unknown_response"]);
    client.tell(&answer(&sent, &json!({"first": true})));
    assert_eq!(client.outcome(call).unwrap()["first"], true);
    client.tell(&answer(&sent, &json!({"second": true})));
    client.silent();
    assert!(client.events().is_empty());
    assert_eq!(client.machine.stat("late"), 1);
}

/// `basic/index`: an id in flight is not used again; the first request is not disturbed.
/// R-BAS-005
#[test]
fn a_duplicate_id_is_refused_and_disturbs_nothing() {
    for modern_era in [true, false] {
        let mut server = session(server_config(), NEWEST, &json!({}));
        let slow = |id: Value| {
            if modern_era { modern(id, "tools/call", json!({"name": "slow"})) } else { call(id, "slow") }
        };
        server.tell(&slow(json!(7)));
        let first = server.request().handle();
        for same in [json!(7), json!(7.0)] {
            let refused = server.ask(&slow(same));
            assert_eq!(refused["error"]["code"], -32600);
            assert!(refused.get("id").is_none_or(Value::is_null), "the id is the first one's: {refused}");
            assert_eq!(server.fault_codes(), ["fault.duplicate_id"]);
        }
        server.tell(&slow(json!("7")));
        let other = server.request().handle();
        server.respond(other, DONE);
        assert_eq!(server.one()["id"], "7");
        server.respond(first, DONE);
        assert_eq!(server.one()["id"], 7);
        server.tell(&slow(json!(7)));
        server.request();
    }
}

/// `basic/utilities/cancellation`: the answer to a cancelled request is not sent; what is over stays over.
/// R-CAN-006 R-CAN-007 R-CAN-008 R-CAN-010 R-CAN-011 R-CAN-014
#[test]
fn a_request_is_cancelled_by_its_client() {
    let mut server = session(server_config(), NEWEST, &json!({}));
    for message in [cancelled(404), notice("notifications/cancelled", json!({})), cancelled("1")] {
        server.tell(&message);
    }
    server.tell(&call(1, "slow"));
    let handle = server.request().handle();
    server.tell(&cancelled("1"));
    assert!(server.events().is_empty(), "\"1\" is not 1");
    server.tell(&cancelled(1));
    assert_eq!(over(&server.event()), Some((handle, OverReason::Cancelled)));
    server.tell(&cancelled(1));
    let now = server.now;
    assert_eq!(server.machine.respond(now, handle, result("{}")), Err(SendError::Over));
    assert_eq!(server.machine.progress(now, handle, 1.0, None, None), Err(SendError::Over));
    server.silent();
    assert!(server.events().is_empty());

    server.tell(&call(2, "slow"));
    let answered = server.request().handle();
    server.respond(answered, DONE);
    server.one();
    server.tell(&cancelled(2));
    assert!(server.events().is_empty(), "the race is lost");
}

/// `basic/utilities/cancellation`: the sender says so once, and waits no longer.
/// R-CAN-002 R-CAN-009 R-CAN-010 R-STD-007
#[test]
fn a_call_is_cancelled_by_its_application() {
    for mut client in [modern_client(client_config()), legacy_client(client_config())] {
        let (call, sent) = client.call("tools/list");
        let now = client.now;
        client.machine.cancel(now, call, Some("enough")).unwrap();
        assert_eq!(
            client.one(),
            notice("notifications/cancelled", json!({"requestId": sent["id"], "reason": "enough"}))
        );
        assert!(matches!(client.outcome(call), Err(CallError::Cancelled)));
        assert_eq!(client.machine.cancel(now, call, None), Err(SendError::Over));
        client.tell(&answer(&sent, &json!({})));
        client.tell(&progress_of(&sent["id"], 1.0));
        client.silent();
        assert!(client.events().is_empty());
        assert_eq!(
            client.machine.cancel(now, CallHandle::from_u64(1 << 40), None),
            Err(SendError::UnknownHandle)
        );
    }
}

/// `basic/utilities/cancellation`: either side cancels what it asked for; ids of the two directions are apart.
/// R-CAN-001
#[test]
fn a_servers_request_is_cancelled_too() {
    let mut server = session(server_config(), NEWEST, &json!({"sampling": {}}));
    let now = server.now;
    let params = json(r#"{"messages":[],"maxTokens":1}"#);
    let asked = server
        .machine
        .call(now, Target::Channel, "sampling/createMessage", Some(params), CallOptions::new())
        .unwrap();
    let sent = server.one();
    server.tell(&call(sent["id"].clone(), "slow"));
    let request = server.request().handle();
    server.machine.cancel(now, asked, None).unwrap();
    assert_eq!(server.one(), notice("notifications/cancelled", json!({"requestId": sent["id"]})));
    assert!(matches!(server.event(), Event::Completed { call, .. } if call == asked));
    server.respond(request, DONE);
    assert_eq!(server.one()["id"], sent["id"]);

    let mut client = legacy_client(client_config().capabilities(br#"{"sampling":{}}"#).unwrap());
    client.tell(&common::request("q", "sampling/createMessage", json!({"messages": [], "maxTokens": 1})));
    let Event::Input(input) = client.event() else { panic!("no question") };
    client.tell(&cancelled("q"));
    assert!(matches!(client.event(), Event::InputOver { input: over } if over == input.input));
    assert_eq!(client.machine.answer(client.now, input.input, result("{}")), Err(SendError::Over));
    client.silent();
}

/// `basic/utilities/progress`: tokens are strings or integers, and come back as they were; 0 and "" are tokens.
/// R-PRG-001 R-PRG-004
#[test]
fn progress_goes_under_the_token_that_was_given() {
    let mut server = session(server_config(), NEWEST, &json!({}));
    for (id, token) in
        [json!(0), json!(""), json!(42), json!("42"), json!(-1), json!(9_007_199_254_740_993_u64)]
            .into_iter()
            .enumerate()
    {
        for modern_era in [false, true] {
            let params = json!({"name": "slow", "_meta": {"progressToken": token}});
            let message = if modern_era {
                modern(id, "tools/call", params)
            } else {
                common::request(id, "tools/call", params)
            };
            server.tell(&message);
            let handle = server.request().handle();
            assert_eq!(server.machine.progress(server.now, handle, 0.5, Some(2.5), Some("half")), Ok(true));
            assert_eq!(
                server.one(),
                notice(
                    "notifications/progress",
                    json!({"progressToken": token, "progress": 0.5, "total": 2.5, "message": "half"})
                )
            );
            server.respond(handle, DONE);
            server.one();
        }
    }
    // Before 2025-03-26 there is no `message`.
    let mut old = session(server_config(), "2024-11-05", &json!({}));
    old.tell(&common::request(1, "tools/call", json!({"name": "slow", "_meta": {"progressToken": 1}})));
    let handle = old.request().handle();
    old.machine.progress(old.now, handle, 1.0, None, Some("one")).unwrap();
    assert_eq!(old.one()["params"], json!({"progressToken": 1, "progress": 1}));
}

/// `basic/utilities/progress`: none without a token, and only values that rise.
/// R-PRG-003
#[test]
fn progress_rises_or_is_not_sent() {
    let mut server = session(server_config(), NEWEST, &json!({}));
    server.tell(&call(1, "slow"));
    let without = server.request().handle();
    assert_eq!(server.machine.progress(server.now, without, 1.0, None, None), Ok(false));
    server.tell(&common::request(2, "tools/call", json!({"name": "slow", "_meta": {"progressToken": "t"}})));
    let handle = server.request().handle();
    let sent: Vec<bool> = [-1.0, 0.0, 5.0, 5.0, 4.0, 5.5]
        .map(|value| server.machine.progress(server.now, handle, value, None, None).unwrap())
        .to_vec();
    assert_eq!(sent, [true, true, true, false, false, true]);
    for value in [f64::NAN, f64::INFINITY] {
        assert!(matches!(
            server.machine.progress(server.now, handle, value, None, None),
            Err(SendError::Invalid(_))
        ));
    }
    let values: Vec<f64> =
        server.sent().iter().map(|message| message["params"]["progress"].as_f64().unwrap()).collect();
    assert_eq!(values, [-1.0, 0.0, 5.0, 5.5]);
    for token in [json!(1.5), json!(true), json!(null), json!({}), json!([1, 2])] {
        server.tell(&common::request(
            3,
            "tools/call",
            json!({"name": "slow", "_meta": {"progressToken": token}}),
        ));
        let handle = server.events().into_iter().find_map(|event| match event {
            Event::Request(request) => Some(request.handle()),
            _ => None,
        });
        if let Some(handle) = handle {
            assert_eq!(
                server.machine.progress(server.now, handle, 1.0, None, None),
                Ok(false),
                "{token} is no token"
            );
            server.respond(handle, DONE);
        }
        server.sent();
    }
}

/// `basic/utilities/progress`, receiving: for a call that asked, under its token, rising.
/// R-PRG-006 R-PRG-007 R-PRG-008
#[test]
fn progress_that_breaks_a_rule_is_not_delivered() {
    let mut client = modern_client(client_config());
    let (call, sent) = client.call_with("tools/list", CallOptions::new().progress(true));
    let token = &sent["params"]["_meta"]["progressToken"];
    client.tell(&progress_of(token, 1.0));
    assert!(matches!(client.event(), Event::Progress { call: of, .. } if of == call));
    for wrong in [
        progress_of(token, 1.0),
        progress_of(token, 0.5),
        progress_of(&json!(token.to_string()), 2.0),
        progress_of(&json!(77), 2.0),
        progress_of(&json!([1, 2]), 2.0),
        progress_of(&json!({"a": 1}), 2.0),
        progress_of(&json!(null), 2.0),
        notice("notifications/progress", json!({"progressToken": token, "progress": "3"})),
    ] {
        client.tell(&wrong);
        assert_eq!(client.fault_codes(), ["fault.progress"], "{wrong}");
    }
    let (quiet, other) = client.call("tools/list");
    client.tell(&progress_of(&other["id"], 1.0));
    assert_eq!(client.fault_codes(), ["fault.progress"], "nobody asked for it");
    client.tell(&answer(&other, &json!({})));
    assert!(client.outcome(quiet).is_ok());
    client.tell(&progress_of(token, 2.0));
    assert!(matches!(client.event(), Event::Progress { .. }));
    client.tell(&answer(&sent, &json!({})));
    assert!(client.outcome(call).is_ok());
    client.tell(&progress_of(token, 3.0));
    assert!(client.events().is_empty(), "never after the outcome");
}

/// `basic/lifecycle`, timeouts: the sender stops waiting and says so.
/// R-TMO-002 R-TMO-003 R-TMO-004
#[test]
fn silence_ends_a_call_and_cancels_it() {
    for mut client in [modern_client(client_config()), legacy_client(client_config())] {
        let (call, sent) =
            client.call_with("tools/list", CallOptions::new().timeouts(Some(seconds(3)), None));
        client.wait(Duration::from_millis(2999));
        client.silent();
        client.wait(Duration::from_millis(1));
        let notice = client.one();
        assert_eq!(
            (&notice["method"], &notice["params"]["requestId"]),
            (&json!("notifications/cancelled"), &sent["id"])
        );
        assert!(matches!(client.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));
        client.tell(&answer(&sent, &json!({})));
        client.wait(seconds(1000));
        client.silent();
        assert!(client.events().is_empty());
    }
}

/// `basic/lifecycle`, timeouts: progress may restart the clock, but a maximum holds regardless.
/// R-TMO-005 R-TMO-006
#[test]
fn progress_extends_a_call_up_to_its_maximum() {
    let mut client = modern_client(client_config());
    let options = CallOptions::new().progress(true).timeouts(Some(seconds(3)), Some(seconds(10)));
    let (call, sent) = client.call_with("tools/list", options);
    let token = &sent["params"]["_meta"]["progressToken"];
    for value in [1.0, 2.0, 3.0, 4.0] {
        client.wait(Duration::from_millis(2400));
        client.tell(&progress_of(token, value));
        assert!(matches!(client.event(), Event::Progress { .. }));
    }
    client.wait(Duration::from_millis(399));
    client.silent();
    client.wait(Duration::from_millis(1));
    assert_eq!(client.one()["method"], "notifications/cancelled");
    assert!(matches!(client.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Total, .. })));

    // Progress that does not rise is no sign of life.
    let (call, sent) = client.call_with("tools/list", options);
    let token = &sent["params"]["_meta"]["progressToken"];
    client.tell(&progress_of(token, 1.0));
    client.wait(seconds(2));
    client.tell(&progress_of(token, 1.0));
    client.events();
    client.wait(seconds(1));
    assert!(matches!(client.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));
}

/// `basic/lifecycle`, timeouts: every request has one; the defaults are a minute of silence and ten in all.
/// R-TMO-001 R-TMO-008 R-TOL-036
#[test]
fn a_call_has_a_timeout_by_default() {
    let mut client = modern_client(client_config());
    for (method, params) in [("tools/list", None), ("tools/call", Some(json(r#"{"name":"t"}"#)))] {
        let call = client.machine.call(client.now, method, params, CallOptions::new()).unwrap();
        client.sent();
        client.wait(seconds(60));
        assert!(matches!(client.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));
        client.sent();
    }
    // People take their time: only the total counts.
    let mut server = session(server_config(), NEWEST, &json!({"elicitation": {}}));
    let params = json(r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#);
    server
        .machine
        .call(server.now, Target::Channel, "elicitation/create", Some(params), CallOptions::new())
        .unwrap();
    server.one();
    server.wait(seconds(599));
    server.silent();
    server.wait(seconds(1));
    assert_eq!(server.one()["method"], "notifications/cancelled");
}

/// A handler that takes too long: the engine answers in its place.
#[test]
fn a_handler_that_takes_too_long_is_answered_for() {
    let mut server = session(
        server_config().limits(limits(|limits| limits.handler = Some(seconds(4)))),
        NEWEST,
        &json!({}),
    );
    server.tell(&call("h", "slow"));
    let handle = server.request().handle();
    server.wait(seconds(4));
    let refused = server.one();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("h"), &json!(-32603)));
    assert_eq!(over(&server.event()), Some((handle, OverReason::HandlerTimeout)));
    assert_eq!(server.machine.respond(server.now, handle, result("{}")), Err(SendError::Over));
    server.silent();
}

/// Handles: a number that was never given out is not one that is over.
#[test]
fn handles_that_are_not_live_are_told_apart() {
    let mut server = session(server_config(), NEWEST, &json!({}));
    server.tell(&call(1, "echo"));
    let handle = server.request().handle();
    server.respond(handle, DONE);
    assert_eq!(server.machine.respond(server.now, handle, result("{}")), Err(SendError::Over));
    for never in [0, 1 << 40, u64::MAX] {
        let never = RequestHandle::from_u64(never);
        assert_eq!(server.machine.respond(server.now, never, result("{}")), Err(SendError::UnknownHandle));
    }
}

/// `basic/index` of 2026-07-28, error codes: what the protocol reserves is not an application's; -32002 is of its revisions.
/// R-BAS-020 R-BAS-021 R-BAS-023 R-BAS-024 R-BAS-025 R-BAS-029
#[test]
fn error_codes_are_those_of_the_revision() {
    let mut server =
        session(server_config().capabilities(br#"{"tools":{},"resources":{}}"#).unwrap(), NEWEST, &json!({}));
    let error = |code| Outcome::Error { code, message: "m", data: Some(json(r#"{"d":1}"#)) };
    for modern_era in [false, true] {
        let read = |id: i32| {
            let params = json!({"uri": "test://a"});
            if modern_era {
                modern(id, "resources/read", params)
            } else {
                common::request(id, "resources/read", params)
            }
        };
        let not_found = if modern_era { -32602 } else { -32002 };
        for (given, sent) in
            [(-32002, not_found), (5, 5), (-1, -1), (-31999, -31999), (-32769, -32769), (-32603, -32603)]
        {
            server.tell(&read(given));
            let handle = server.request().handle();
            server.machine.respond(server.now, handle, error(given)).unwrap();
            assert_eq!(server.one()["error"], json!({"code": sent, "message": "m", "data": {"d": 1}}));
        }
        server.tell(&read(1));
        let handle = server.request().handle();
        for reserved in [-32050, -32099, -32023, -32020, -32021, -32022, -32100, -32604, -32768] {
            assert!(matches!(
                server.machine.respond(server.now, handle, error(reserved)),
                Err(SendError::Invalid(_))
            ));
        }
        // Codes of other implementations are as old as the era that has them.
        for foreign in [-32019, -32001, -32000] {
            if modern_era {
                let refused = server.machine.respond(server.now, handle, error(foreign));
                assert!(matches!(refused, Err(SendError::Invalid(_))), "{foreign}");
            }
        }
        if modern_era {
            server.silent();
            let data = json(r#"{"requiredCapabilities":{"sampling":{}}}"#);
            let lacking = Outcome::Error { code: -32021, message: "m", data: Some(data) };
            server.machine.respond(server.now, handle, lacking).unwrap();
            let sent = server.one();
            assert_eq!(sent["error"]["code"], -32021);
            assert_eq!(sent["error"]["data"], json!({"requiredCapabilities": {"sampling": {}}}));
        } else {
            server.machine.respond(server.now, handle, error(-32000)).unwrap();
            assert_eq!(server.one()["error"]["code"], -32000);
        }
    }
}

/// A result is an object, and the members that the engine writes are the engine's.
/// R-BAS-009
#[test]
fn results_that_contradict_the_engine_are_refused() {
    let mut server = session(server_config(), NEWEST, &json!({}));
    server.tell(&modern(1, "tools/call", json!({"name": "slow"})));
    let handle = server.request().handle();
    for wrong in [
        "[]",
        "null",
        r#"{"resultType":"other"}"#,
        r#"{"ttlMs":1}"#,
        r#"{"_meta":{"io.modelcontextprotocol/serverInfo":{}}}"#,
        r#"{"_meta":1}"#,
        r#"{"_meta":{},"_meta":{}}"#,
    ] {
        assert!(
            matches!(server.machine.respond(server.now, handle, result(wrong)), Err(SendError::Invalid(_))),
            "{wrong}"
        );
    }
    server.silent();
    server.machine.respond(server.now, handle, result(r#"{"resultType":"complete","content":[]}"#)).unwrap();
    assert_eq!(server.one()["result"]["resultType"], "complete");
}

/// RFC 8259 §4: the names in an object are unique, and a name is the same however it is spelled.
#[test]
fn members_of_the_engine_are_there_once() {
    let mut server = session(server_config(), NEWEST, &json!({}));
    for own in [
        r#"{"content":[],"result\u0054ype":"complete","a":1}"#,
        r#"{"content":[],"a":1,"\u005fmeta":{"b":2}}"#,
        r#"{"content":[],"_met\u0061":{"b":2},"resultType":"complete"}"#,
    ] {
        server.tell(&modern(1, "tools/call", json!({"name": "slow"})));
        let handle = server.request().handle();
        server.respond(handle, own);
        let result = server.one()["result"].clone();
        assert_eq!(result["resultType"], "complete");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "server");
        assert_eq!(result["_meta"].get("b").is_some(), own.contains("\"b\""));
    }
}

/// The same of `_meta` in a call: members of the options replace those of the params.
/// R-MET-018
#[test]
fn meta_of_a_call_is_merged() {
    for (mut client, engines) in [(legacy_client(client_config()), 1), (modern_client(client_config()), 4)] {
        let params = json(r#"{"a":0,"_meta":{"x":1,"\u0079":1,"progressToken":9}}"#);
        let options = CallOptions::new().progress(true).meta(Some(json(r#"{"y":2,"z":3}"#)));
        client.machine.call(client.now, "tools/list", Some(params), options).unwrap();
        let sent = client.one();
        let meta = sent["params"]["_meta"].as_object().unwrap();
        assert_eq!((&meta["x"], &meta["y"], &meta["z"]), (&json!(1), &json!(2), &json!(3)));
        assert_eq!(meta["progressToken"], sent["id"]);
        assert_eq!((meta.len(), &sent["params"]["a"]), (3 + engines, &json!(0)));
    }
}

/// `basic/utilities/progress`: a token is a string or an integer, on either side; any other is left alone.
/// R-PRG-001
#[test]
fn no_progress_goes_under_a_token_of_another_type() {
    let config = client_config().capabilities(br#"{"roots":{}}"#).unwrap();
    let mut client = legacy_client(config.limits(limits(|limits| limits.id_bytes = 10)));
    let mut server = session(server_config(), NEWEST, &json!({}));
    for token in [json!(null), json!(true), json!({}), json!([1]), json!(0.5)] {
        let meta = json!({"progressToken": token});
        client.tell(&common::request(1, "roots/list", json!({"_meta": meta})));
        let [Event::Fault(fault), Event::Input(input)] = &client.events()[..] else {
            panic!("a fault and an input")
        };
        assert_eq!(fault.code, "fault.progress");
        assert_eq!(client.machine.progress(client.now, input.input, 1.0, None, None), Ok(false));
        client.machine.answer(client.now, input.input, result(r#"{"roots":[]}"#)).unwrap();
        assert_eq!(client.one()["id"], 1);

        server.tell(&common::request(1, "tools/call", json!({"name": "slow", "_meta": meta})));
        let [Event::Fault(_), Event::Request(request)] = &server.events()[..] else {
            panic!("a fault and a request")
        };
        assert_eq!(server.machine.progress(server.now, request.handle(), 1.0, None, None), Ok(false));
        server.machine.respond(server.now, request.handle(), result(DONE)).unwrap();
        assert_eq!(server.one()["id"], 1);
    }
    let refused =
        client.ask(&common::request(1, "roots/list", json!({"_meta": {"progressToken": "0123456789a"}})));
    assert_eq!(refused["error"]["code"], -32600);
}

/// `server/resources`, error handling: a resource that does not exist, by the code of any revision.
/// R-BAS-027
#[test]
fn a_missing_resource_is_told_by_the_code_of_any_revision() {
    for (code, data, missing) in [
        (-32002, json!(null), true),
        (-32002, json!({"uri": "test://a"}), true),
        (-32602, json!({"uri": "test://a"}), true),
        (-32602, json!({"other": 1}), false),
        (-32602, json!(null), false),
        (-32603, json!({"uri": "test://a"}), false),
    ] {
        let mut opened = start(client_config());
        let probe = opened.one();
        let mut described = discover_result(&[MODERN]);
        described["capabilities"] = json!({"resources": {}});
        opened.tell(&answer(&probe, &described));
        opened.event();
        let params = Some(json(r#"{"uri":"test://a"}"#));
        let call = opened.machine.call(opened.now, "resources/read", params, CallOptions::new()).unwrap();
        let sent = opened.one();
        let mut refused = failure(&sent, code);
        refused["error"]["data"] = data;
        opened.tell(&refused);
        match opened.outcome(call) {
            Err(CallError::Rpc(error)) => {
                assert_eq!(error.is_resource_not_found(), missing, "{refused}");
            }
            other => panic!("an error, not {other:?}"),
        }
    }
}
