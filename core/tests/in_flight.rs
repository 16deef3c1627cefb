//! What goes with a request while it is in flight, and no longer: progress, cancellation, timeouts.
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
    error::SendError,
    event::{Event, OverReason, Target},
    session::{CallOptions, LogLevel},
    trace::TraceKind,
};
use serde_json::{Value, json};

fn slow(id: u32, modern_era: bool) -> Value {
    let meta = json!({"progressToken": id, "io.modelcontextprotocol/logLevel": "debug"});
    let params = json!({"name": "slow", "_meta": meta});
    if modern_era { modern(id, "tools/call", params) } else { request(id, "tools/call", params) }
}

/// R-PRG-002
#[test]
fn tokens_of_calls_in_flight_differ() {
    for mut host in [legacy_client(client_config()), modern_client(client_config())] {
        let mut tokens = BTreeSet::new();
        for _ in 0..10 {
            let (_, sent) = host.call_with("tools/list", CallOptions::new().progress(true));
            assert!(tokens.insert(sent["params"]["_meta"]["progressToken"].as_u64().unwrap()));
        }
    }
}

/// Progress goes out before the answer that it precedes, and none after it.
/// R-PRG-007 R-PRG-013
#[test]
fn progress_comes_before_the_answer() {
    for modern_era in [false, true] {
        let mut host = session(server_config(), NEWEST, &json!({}));
        host.tell(&slow(1, modern_era));
        let handle = host.request().handle();
        for value in [1.0, 2.0] {
            assert_eq!(host.machine.progress(host.now, handle, value, None, None), Ok(true));
        }
        host.respond(handle, DONE);
        assert_eq!(host.machine.progress(host.now, handle, 3.0, None, None), Err(SendError::Over));
        let seen: Vec<_> = host.sent().iter().map(|message| message["params"]["progress"].as_f64()).collect();
        assert_eq!(seen, [Some(1.0), Some(2.0), None]);
    }
}

/// In the modern era only a server reports progress: what a client sends is no one's.
/// R-PRG-012
#[test]
fn a_modern_client_reports_no_progress() {
    let mut host = serve(server_config());
    host.tell(&slow(1, true));
    host.request();
    host.tell(&notice("notifications/progress", json!({"progressToken": 1, "progress": 1})));
    host.silent();
    assert!(!host.events().iter().any(|event| matches!(event, Event::Progress { .. })));
    let mut client = modern_client(client_config());
    let params = json(r#"{"progressToken":1,"progress":1}"#);
    let sent = client.machine.notify(client.now, "notifications/progress", Some(params));
    assert_eq!(sent, Err(SendError::NotInRevision));
}

/// Nothing more is sent for a request that was cancelled.
/// R-CAN-007 R-CAN-015
#[test]
fn nothing_is_sent_for_a_cancelled_request() {
    for modern_era in [false, true] {
        let config = server_config().capabilities(br#"{"tools":{},"logging":{}}"#).unwrap();
        let mut host = session(config, NEWEST, &json!({}));
        host.tell(&slow(1, modern_era));
        let handle = host.request().handle();
        host.tell(&cancelled(1));
        assert_eq!(over(&host.event()), Some((handle, OverReason::Cancelled)));
        let now = host.now;
        assert_eq!(host.machine.progress(now, handle, 1.0, None, None), Err(SendError::Over));
        let logged = host.machine.log(now, Target::Request(handle), LogLevel::Emergency, None, json("1"));
        assert_eq!(logged, Err(SendError::Over));
        assert_eq!(host.machine.respond_tool_error(now, handle, "too late"), Err(SendError::Over));
        host.wait(seconds(1000));
        host.silent();
    }
}

/// A server of the modern era takes nothing back: it asks nothing, and an application can't say it itself.
/// R-CAN-004
#[test]
fn a_modern_server_cancels_nothing() {
    let mut host = serve(server_config().limits(limits(|limits| limits.handler = Some(seconds(1)))));
    host.tell(&slow(1, true));
    let handle = host.request().handle();
    let params = Some(json(r#"{"requestId":1}"#));
    for target in [Target::Request(handle), Target::Channel] {
        let sent = host.machine.notify(host.now, target, "notifications/cancelled", params);
        assert!(matches!(sent, Err(SendError::Invalid(_) | SendError::NotInRevision)), "{sent:?}");
    }
    host.silent();
    host.wait(seconds(1));
    assert_eq!(host.one()["error"]["code"], -32603, "what took too long is answered, not taken back");
}

/// The trace has the reasons of both sides.
/// R-CAN-012
#[test]
fn the_reason_of_a_cancellation_is_in_the_trace() {
    let mut host = session(server_config().trace(true), NEWEST, &json!({"sampling": {}}));
    host.tell(&call(1, "slow"));
    host.tell(&notice("notifications/cancelled", json!({"requestId": 1, "reason": "their reason"})));
    let params = Some(json(r#"{"messages":[],"maxTokens":1}"#));
    let asked =
        host.machine.call(host.now, Target::Channel, "sampling/createMessage", params, CallOptions::new());
    host.machine.cancel(host.now, asked.unwrap(), Some("our reason")).unwrap();
    host.sent();
    let records: Vec<_> = std::iter::from_fn(|| host.machine.poll_trace())
        .map(|record| (record.kind, record.text.to_string()))
        .collect();
    for (kind, reason) in [(TraceKind::Received, "their reason"), (TraceKind::Sent, "our reason")] {
        assert!(records.iter().any(|(way, text)| *way == kind && text.contains(reason)), "{reason}");
    }
}

/// A subscription is open for as long as its stream, however silent it is.
/// R-TMO-007
#[test]
fn a_subscription_has_no_timeout() {
    let mut host = modern_client(client_config());
    let filter = Some(json(r#"{"notifications":{"toolsListChanged":true}}"#));
    let listening = host.machine.call(host.now, "subscriptions/listen", filter, CallOptions::new()).unwrap();
    let id = host.one()["id"].clone();
    host.wait(seconds(1_000_000));
    host.silent();
    assert!(host.events().is_empty());
    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
    host.tell(&notice("notifications/tools/list_changed", json!({"_meta": meta})));
    assert!(matches!(host.event(), Event::Notification { call: Some(call), .. } if call == listening));
}

/// `server/tools`, security: the trace has each call of a tool with its arguments, and what came of it.
/// R-TOL-037
#[test]
fn the_use_of_a_tool_is_in_the_trace() {
    let mut host = modern_client(client_config().trace(true));
    while host.machine.poll_trace().is_some() {}
    let params = json(r#"{"name":"t","arguments":{"a":1}}"#);
    host.machine.call(host.now, "tools/call", Some(params), CallOptions::new()).unwrap();
    let sent = host.one();
    host.tell(&answer(&sent, &json!({"resultType": "complete", "content": []})));
    let records: Vec<(bool, Value)> = std::iter::from_fn(|| host.machine.poll_trace())
        .filter(|record| matches!(record.kind, TraceKind::Received | TraceKind::Sent))
        .map(|record| {
            (record.kind == TraceKind::Received, serde_json::from_str(record.text.as_ref()).unwrap())
        })
        .collect();
    let [(false, asked), (true, answered)] = &records[..] else { panic!("a call and its answer") };
    assert_eq!(asked["params"]["arguments"], json!({"a": 1}));
    assert_eq!((&asked["id"], &answered["result"]["content"]), (&answered["id"], &json!([])));
}
