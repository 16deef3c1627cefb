//! What a client is told of changes: `basic/patterns/subscriptions` of 2026-07-28, `server/resources` before.
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
    CallHandle,
    error::{CallError, CloseReason, SendError},
    event::{Event, Subscribed},
    session::{CallOptions, Client, ClientConfig, SubscriptionFilter},
};
use serde_json::{Value, json};

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TOOLS: &str = "notifications/tools/list_changed";
const UPDATED: &str = "notifications/resources/updated";

const EVERYTHING: SubscriptionFilter<'static> =
    SubscriptionFilter { tools: true, prompts: true, resources: true, uris: &["file:///a", "file:///b"] };
const TOOLS_ALONE: SubscriptionFilter<'static> =
    SubscriptionFilter { tools: true, prompts: false, resources: false, uris: &[] };

fn legacy_host(config: ClientConfig, capabilities: Value) -> Host<Client> {
    let mut host = start(config.probe(false));
    let opening = host.one();
    let mut result = initialize_result(opening["params"]["protocolVersion"].as_str().unwrap());
    result["capabilities"] = capabilities;
    host.tell(&answer(&opening, &result));
    host.sent();
    host.event();
    host
}

fn subscribe(host: &mut Host<Client>, filter: SubscriptionFilter<'_>) -> CallHandle {
    host.machine.subscribe(host.now, filter).unwrap()
}

fn on(id: &Value, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
    notice(method, params)
}

#[allow(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
fn acknowledge(host: &mut Host<Client>, listen: &Value, filter: Value) {
    host.tell(&on(&listen["id"], ACKNOWLEDGED, json!({"notifications": filter})));
}

fn subscribed(host: &mut Host<Client>, wanted: CallHandle) -> (Value, Value, bool) {
    match host.event() {
        Event::Subscribed(event) => {
            let Subscribed { call, filter, missing, again, .. } = *event;
            assert_eq!(call, wanted);
            (filter.decode().unwrap(), missing.decode().unwrap(), again)
        }
        other => panic!("in force, not {other:?}"),
    }
}

/// The subscriptions that were told, each with the method.
fn told(host: &mut Host<Client>) -> Vec<(Option<CallHandle>, String)> {
    let events = host.events().into_iter().map(|event| match event {
        Event::Notification { call, method, .. } => (call, method.name().into_owned()),
        other => panic!("a notice, not {other:?}"),
    });
    events.collect()
}

/// Subscribes to changes of the tools, and has that acknowledged.
fn in_force(host: &mut Host<Client>) -> (CallHandle, Value) {
    let call = subscribe(host, TOOLS_ALONE);
    let listen = host.one();
    acknowledge(host, &listen, json!({"toolsListChanged": true}));
    subscribed(host, call);
    (call, listen)
}

/// R-SUB-001, R-SUB-007: the filter goes out as it was given, and the application is told what of it is honoured.
#[test]
fn the_acknowledged_filter_is_compared() {
    let mut host = modern_client(client_config());
    let call = subscribe(&mut host, EVERYTHING);
    let listen = host.one();
    assert_eq!(listen["method"], "subscriptions/listen");
    assert_eq!(
        listen["params"]["notifications"],
        json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["file:///a", "file:///b"]
        })
    );
    assert!(listen["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].is_object());
    acknowledge(
        &mut host,
        &listen,
        json!({
            "toolsListChanged": true, "promptsListChanged": false, "resourceSubscriptions": ["file:///b"]
        }),
    );
    let (filter, missing, again) = subscribed(&mut host, call);
    assert_eq!(filter, json!({"toolsListChanged": true, "resourceSubscriptions": ["file:///b"]}));
    let left = json!({
        "promptsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": ["file:///a"]
    });
    assert_eq!(missing, left);
    assert!(!again);
    host.wait(seconds(3600));
    host.silent();
    assert!(host.events().is_empty(), "it lasts");

    let empty = SubscriptionFilter::default();
    assert!(matches!(host.machine.subscribe(host.now, empty), Err(SendError::Invalid(_))));
}

/// What was not asked for is no part of a subscription; the server is wrong to say so.
#[test]
fn a_wrong_acknowledgement_is_a_fault() {
    for more in [
        json!({"toolsListChanged": true, "promptsListChanged": true}),
        json!({"toolsListChanged": true, "resourceSubscriptions": ["file:///x"]}),
    ] {
        let mut host = modern_client(client_config());
        subscribe(&mut host, TOOLS_ALONE);
        let listen = host.one();
        acknowledge(&mut host, &listen, more);
        let events = host.events();
        let [Event::Fault(fault), Event::Subscribed(event)] = &events[..] else { panic!("{events:?}") };
        assert_eq!((fault.code, fault.page), ("fault.subscription", "basic/patterns/subscriptions"));
        assert_eq!(event.filter.as_str(), r#"{"toolsListChanged":true}"#);
        acknowledge(&mut host, &listen, json!({}));
        assert_eq!(host.fault_codes(), ["fault.subscription"], "twice");
    }
}

/// R-SUB-009, R-SUB-010: notices belong to the subscription whose id they carry, in its own JSON type, and to no other.
#[test]
fn notices_are_matched_by_their_subscription() {
    let mut host = modern_client(client_config());
    let (first, one) = in_force(&mut host);
    let second = subscribe(&mut host, EVERYTHING);
    let two = host.one();
    acknowledge(&mut host, &two, two["params"]["notifications"].clone());
    subscribed(&mut host, second);
    host.tell(&on(&two["id"], UPDATED, json!({"uri": "file:///a/part"})));
    host.tell(&on(&one["id"], TOOLS, json!({})));
    host.tell(&on(&two["id"], TOOLS, json!({})));
    assert_eq!(
        told(&mut host),
        [(Some(second), UPDATED.into()), (Some(first), TOOLS.into()), (Some(second), TOOLS.into())]
    );
    let text = json!(two["id"].to_string());
    host.tell(&on(&text, TOOLS, json!({})));
    assert_eq!(told(&mut host), [(None, TOOLS.into())], "a string is no number");

    host.tell(&on(&one["id"], UPDATED, json!({"uri": "file:///a"})));
    assert_eq!(host.fault_codes(), ["fault.subscription"], "not asked for");
    subscribe(&mut host, TOOLS_ALONE);
    let early = host.one();
    host.tell(&on(&early["id"], TOOLS, json!({})));
    let events = host.events();
    assert!(matches!(&events[..], [Event::Fault(_), Event::Notification { .. }]), "{events:?}");
}

/// R-SUB-011: cancelling sends one notice that names the listen request; the outcome is told at once, and what comes later
/// is not news.
#[test]
fn a_subscription_ends_by_its_application() {
    let mut host = modern_client(client_config());
    let (call, listen) = in_force(&mut host);
    host.machine.cancel(host.now, call, None).unwrap();
    assert_eq!(host.one(), notice("notifications/cancelled", json!({"requestId": listen["id"]})));
    assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
    host.tell(&on(&listen["id"], TOOLS, json!({})));
    host.tell(&answer(&listen, &json!({"resultType": "complete"})));
    host.wait(seconds(3600));
    host.silent();
    assert!(host.events().is_empty());
    assert_eq!(host.machine.stat("calls_now"), 0);
}

/// R-SUB-014: a stream that the server ends, by notice, result or both, is asked for again under another id; what may have
/// been missed is said.
#[test]
fn a_subscription_outlives_its_stream() {
    let result = |listen: &Value| {
        answer(
            listen,
            &json!({
                "resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]}
            }),
        )
    };
    let end =
        |listen: &Value| on(&listen["id"], "notifications/cancelled", json!({"requestId": listen["id"]}));
    for (by_notice, by_result) in [(true, true), (true, false), (false, true)] {
        let mut host = modern_client(client_config());
        let (call, listen) = in_force(&mut host);
        if by_notice {
            host.tell(&end(&listen));
        }
        if by_result {
            host.tell(&result(&listen));
        }
        host.silent();
        assert!(host.events().is_empty());
        host.wait(Duration::from_millis(499));
        host.silent();
        host.wait(Duration::from_millis(501));
        let again = host.one();
        assert_eq!(again["params"]["notifications"], listen["params"]["notifications"]);
        assert_ne!(again["id"], listen["id"]);
        host.tell(&on(&listen["id"], TOOLS, json!({})));
        assert!(host.events().is_empty(), "of the stream before");
        acknowledge(&mut host, &again, json!({"toolsListChanged": true}));
        assert_eq!(subscribed(&mut host, call), (json!({"toolsListChanged": true}), json!({}), true));
        host.tell(&on(&again["id"], TOOLS, json!({})));
        assert_eq!(told(&mut host), [(Some(call), TOOLS.into())]);
    }
}

/// Attempts are ever further apart, by chance not at the same time as others', and come to an end.
#[test]
fn attempts_back_off_and_end() {
    let waits = |seed: u8| {
        let config = client_config().limits(limits(|limits| limits.listen_attempts = 4));
        let mut host = Host::new(Client::new(std::sync::Arc::new(config), mcp_sansio::Seed([seed; 32])));
        host.machine.start(host.now, None);
        let probe = host.one();
        host.tell(&answer(&probe, &discover_result(&[MODERN])));
        host.event();
        let (call, mut listen) = in_force(&mut host);
        let mut waits = Vec::new();
        for attempt in 0..4 {
            host.tell(&failure(&listen, -32603));
            let from = host.now;
            let at = host.machine.next_timeout().unwrap();
            let waited = at.since(from);
            let longest = Duration::from_secs(1 << attempt);
            assert!(waited >= longest / 2 && waited < longest, "{waited:?} of {longest:?}");
            waits.push(waited);
            host.wait(waited);
            listen = host.one();
            assert!(host.events().is_empty());
        }
        host.tell(&failure(&listen, -32603));
        assert!(matches!(host.outcome(call), Err(CallError::Rpc(error)) if error.code == -32603));
        host.wait(seconds(3600));
        host.silent();
        waits
    };
    assert_eq!(waits(1), waits(1));
    assert_ne!(waits(1), waits(2));
}

/// One that lasted begins to count anew.
#[test]
fn a_stream_that_lasted_begins_anew() {
    let mut host = modern_client(client_config().limits(limits(|limits| limits.listen_attempts = 1)));
    let (call, mut listen) = in_force(&mut host);
    for _ in 0..3 {
        host.wait(seconds(64));
        host.tell(&answer(&listen, &json!({"resultType": "complete"})));
        host.wait(seconds(1));
        listen = host.one();
        acknowledge(&mut host, &listen, json!({"toolsListChanged": true}));
        assert!(subscribed(&mut host, call).2);
    }
    host.wait(seconds(63));
    host.tell(&answer(&listen, &json!({"resultType": "complete"})));
    assert_eq!(host.outcome(call).unwrap(), json!({"resultType": "complete"}));
}

/// A server that refuses at once is believed; one that says nothing is asked again.
#[test]
fn a_refusal_and_silence() {
    let mut host = modern_client(client_config());
    let call = subscribe(&mut host, TOOLS_ALONE);
    let listen = host.one();
    host.tell(&failure(&listen, -32601));
    assert!(matches!(host.outcome(call), Err(CallError::Rpc(_))));
    host.wait(seconds(3600));
    host.silent();

    let mut host = modern_client(client_config().limits(limits(|limits| limits.listen_attempts = 1)));
    let call = subscribe(&mut host, TOOLS_ALONE);
    let listen = host.one();
    host.wait(seconds(60));
    assert_eq!(host.one()["params"]["requestId"], listen["id"]);
    host.wait(seconds(1));
    assert_eq!(host.one()["method"], "subscriptions/listen");
    host.wait(seconds(60));
    host.one();
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { .. })));
}

/// While nothing tells what changed, what is kept cannot be relied on.
#[test]
fn an_interruption_makes_stale_what_it_was_about() {
    let mut host = modern_client(client_config());
    let (_, listen) = in_force(&mut host);
    let (call, sent) = host.call("tools/list");
    let kept = json!({"resultType": "complete", "tools": [], "ttlMs": 600_000, "cacheScope": "public"});
    host.tell(&answer(&sent, &kept));
    host.outcome(call).unwrap();
    host.machine.call(host.now, "tools/list", None, CallOptions::new()).unwrap();
    host.silent();
    host.events();
    host.tell(&answer(&listen, &json!({"resultType": "complete"})));
    host.call("tools/list");
}

/// R-SUB-016: with the connection all is over; a client that closes ends its subscriptions first.
#[test]
fn a_subscription_ends_with_the_connection() {
    let mut host = modern_client(client_config());
    let (call, listen) = in_force(&mut host);
    host.tell(&answer(&listen, &json!({"resultType": "complete"})));
    host.eof();
    let events = host.events();
    assert!(matches!(
        &events[..],
        [Event::Completed { call: of, outcome: Err(error) }, Event::Closed(CloseReason::Peer)]
            if *of == call && matches!(**error, CallError::Closed { .. })
    ));

    let mut host = modern_client(client_config());
    let (call, listen) = in_force(&mut host);
    host.machine.close(host.now, seconds(5));
    assert_eq!(host.one()["params"]["requestId"], listen["id"]);
    let events = host.events();
    assert!(
        matches!(&events[..], [Event::Completed { call: of, .. }, Event::Closed(CloseReason::Local)] if *of == call),
        "{events:?}"
    );
}

/// R-SUB-019: in the legacy era each resource is subscribed to and unsubscribed from by its URI; lists need no request.
#[test]
fn the_legacy_era_subscribes_one_by_one() {
    let all = json!({
        "tools": {"listChanged": true}, "prompts": {}, "resources": {"subscribe": true, "listChanged": true}
    });
    for revision in LEGACY {
        let config = client_config()
            .revisions(&[mcp_sansio::revision::Revision::from_name(revision).unwrap()])
            .unwrap();
        let mut host = legacy_host(config, all.clone());
        let call = subscribe(&mut host, EVERYTHING);
        for (uri, granted) in [("file:///a", true), ("file:///b", false)] {
            let sent = host.one();
            assert_eq!(
                (&sent["method"], &sent["params"]),
                (&json!("resources/subscribe"), &json!({"uri": uri}))
            );
            host.tell(&if granted { answer(&sent, &json!({})) } else { failure(&sent, -32002) });
        }
        let (filter, missing, again) = subscribed(&mut host, call);
        assert_eq!(
            filter,
            json!({
                "toolsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": ["file:///a"]
            })
        );
        assert_eq!(missing, json!({"promptsListChanged": true, "resourceSubscriptions": ["file:///b"]}));
        assert!(!again);
        host.wait(seconds(3600));
        host.machine.cancel(host.now, call, None).unwrap();
        let sent = host.one();
        assert_eq!(sent["method"], "resources/unsubscribe");
        assert_eq!(sent["params"], json!({"uri": "file:///a"}));
        assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
        host.tell(&answer(&sent, &json!({})));
        assert!(host.events().is_empty());
        assert_eq!(host.machine.stat("late"), 0);
    }
}

/// One model for both eras: each subscription that wants a change is told, and what nobody subscribed to still comes.
#[test]
fn legacy_notices_go_to_who_wants_them() {
    let mut host = legacy_host(
        client_config(),
        json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}}),
    );
    host.tell(&notice(TOOLS, json!({})));
    assert_eq!(told(&mut host), [(None, TOOLS.into())]);
    let tools = subscribe(&mut host, TOOLS_ALONE);
    subscribed(&mut host, tools);
    host.silent();
    let uris = ["file:///d"];
    let filter = SubscriptionFilter { tools: true, uris: &uris, ..SubscriptionFilter::default() };
    let both = subscribe(&mut host, filter);
    let sent = host.one();
    host.tell(&answer(&sent, &json!({})));
    subscribed(&mut host, both);
    host.tell(&notice(TOOLS, json!({})));
    assert_eq!(told(&mut host), [(Some(tools), TOOLS.into()), (Some(both), TOOLS.into())]);
    for (uri, of) in [("file:///d", Some(both)), ("file:///d/part", Some(both)), ("file:///dd", None)] {
        host.tell(&notice(UPDATED, json!({"uri": uri})));
        assert_eq!(told(&mut host), [(of, UPDATED.into())], "{uri}");
    }

    let other = subscribe(&mut host, filter);
    let sent = host.one();
    host.tell(&answer(&sent, &json!({})));
    subscribed(&mut host, other);
    host.machine.cancel(host.now, both, None).unwrap();
    host.silent();
    host.outcome(both).unwrap_err();
    host.machine.cancel(host.now, other, None).unwrap();
    assert_eq!(host.one()["method"], "resources/unsubscribe", "the last one who watches it");
}

/// R-CAP-006: what the server does not declare is not asked of it; what it does not answer is not honoured.
#[test]
fn legacy_subscriptions_keep_to_what_is_declared() {
    let mut host = legacy_host(client_config(), json!({"resources": {}}));
    let call = subscribe(&mut host, EVERYTHING);
    host.silent();
    let (filter, missing, _) = subscribed(&mut host, call);
    assert_eq!(filter, json!({}));
    assert_eq!(missing.as_object().unwrap().len(), 4);

    let mut host = legacy_host(client_config(), json!({"resources": {"subscribe": true}}));
    let uris = ["file:///slow", "file:///a"];
    let filter = SubscriptionFilter { uris: &uris, ..SubscriptionFilter::default() };
    let call = subscribe(&mut host, filter);
    let slow = host.one();
    host.wait(seconds(60));
    let [cancelled, next] = &host.sent()[..] else { panic!("two messages") };
    assert_eq!(cancelled["params"]["requestId"], slow["id"]);
    host.tell(&answer(next, &json!({})));
    assert_eq!(subscribed(&mut host, call).1, json!({"resourceSubscriptions": ["file:///slow"]}));
    let uri = ["file:///c"];
    let asking = subscribe(&mut host, SubscriptionFilter { uris: &uri, ..SubscriptionFilter::default() });
    let sent = host.one();
    host.machine.cancel(host.now, asking, None).unwrap();
    let [unsubscribe, cancelled] = &host.sent()[..] else { panic!("two messages") };
    assert_eq!(unsubscribe["params"]["uri"], "file:///c");
    assert_eq!(cancelled["params"]["requestId"], sent["id"]);
}

/// Requests that an application makes by itself go on as they were.
#[test]
fn raw_requests_stay_possible() {
    let mut host = modern_client(client_config());
    let params = json(r#"{"notifications":{"toolsListChanged":true}}"#);
    let call = host.machine.call(host.now, "subscriptions/listen", Some(params), CallOptions::new()).unwrap();
    let listen = host.one();
    acknowledge(&mut host, &listen, json!({"toolsListChanged": true}));
    assert_eq!(told(&mut host), [(Some(call), ACKNOWLEDGED.into())]);
    host.tell(&answer(&listen, &json!({"resultType": "complete"})));
    host.outcome(call).unwrap();
    host.wait(seconds(3600));
    host.silent();
}
