//! How often a peer may have something done. Every revision asks for limits on tool calls (`server/tools`), completion
//! (`server/utilities/completion`), log notices (`server/utilities/logging`), progress (`basic/utilities/progress`) and, of
//! clients, sampling and elicitation (`client/sampling`, `client/elicitation`).
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
    event::{Event, Target},
    limits::{Limits, Rate, Rates},
    session::{CallOptions, LogLevel, Server, ServerConfig},
};
use proptest::prelude::*;
use serde_json::{Value, json};

#[allow(clippy::unnecessary_wraps, reason = "as the members are")]
fn rate(per_second: u32, burst: u32) -> Option<Rate> {
    Some(Rate { per_second, burst })
}

fn rates(change: impl FnOnce(&mut Rates)) -> Limits {
    limits(|limits| change(&mut limits.rates))
}

fn server(limits: Limits) -> Host<Server> {
    let config = ServerConfig::new("server", "1")
        .capabilities(br#"{"tools":{},"resources":{},"completions":{},"logging":{}}"#)
        .unwrap();
    session(config.limits(limits), NEWEST, &json!({"sampling": {}}))
}

/// Answers what was asked of the application; whether it was.
fn passes(host: &mut Host<Server>, message: &Value) -> bool {
    host.tell(message);
    let asked = host.events().into_iter().find_map(|event| match event {
        Event::Request(request) => Some(request.handle()),
        _ => None,
    });
    if let Some(asked) = asked {
        // A result of each of the methods that are asked here.
        host.respond(asked, r#"{"content":[],"contents":[],"completion":{"values":[]}}"#);
        host.sent();
    }
    asked.is_some()
}

/// One too many is told what it ran into and when to come back; then it passes. R-TOL-031.
#[test]
fn a_call_too_many_is_told_when_to_come_back() {
    let mut host = server(rates(|rates| rates.calls = rate(4, 2)));
    assert!(passes(&mut host, &call(1, "any")));
    assert!(passes(&mut host, &call(2, "any")));
    let refused = host.ask(&call(3, "any"));
    assert_eq!(refused["error"]["code"], -32603);
    assert_eq!(
        refused["error"]["data"],
        json!({"reason": "rate_limit", "class": "calls", "retryAfterMs": 250})
    );
    assert!(host.events().is_empty());
    host.wait(Duration::from_millis(249));
    assert!(!passes(&mut host, &call(4, "any")));
    host.sent();
    host.wait(Duration::from_millis(1));
    assert!(passes(&mut host, &call(5, "any")));
    assert!(!passes(&mut host, &call(6, "any")));
    host.sent();
    host.wait(seconds(60));
    assert!(
        passes(&mut host, &call(7, "any")) && passes(&mut host, &call(8, "any")),
        "never more than the burst"
    );
    assert!(!passes(&mut host, &call(9, "any")));
}

/// Each class has its own bucket, and one of the modern era is the same as one of the session. R-CMP-006.
#[test]
fn classes_do_not_disturb_each_other() {
    let mut host = server(rates(|rates| {
        rates.calls = rate(1, 1);
        rates.reads = rate(1, 1);
        rates.completion = rate(1, 1);
    }));
    let read = request(1, "resources/read", json!({"uri": "a:b"}));
    let complete = request(
        1,
        "completion/complete",
        json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
    );
    for message in [call(1, "any"), read, complete] {
        assert!(passes(&mut host, &message), "{message}");
        assert!(!passes(&mut host, &message), "{message}");
    }
    host.sent();
    assert_eq!(host.ask(&modern(2, "tools/call", json!({"name": "any"})))["error"]["data"]["class"], "calls");
}

/// Cancellations, answers, the handshake and pings are never limited.
#[test]
fn what_ends_things_is_never_limited() {
    let none = rate(1, 0);
    let mut host = server(rates(|rates| {
        (rates.reads, rates.completion, rates.questions) = (none, none, none);
        (rates.notices_in, rates.notices_out) = (none, none);
    }));
    for id in 0..3 {
        host.tell(&call(id, "any"));
        let running = host.request().handle();
        host.tell(&cancelled(id));
        assert_eq!(over(&host.event()).map(|(handle, _)| handle), Some(running));
        assert_eq!(host.ask(&request(10, "ping", json!({})))["result"], json!({}));
    }
    for _ in 0..3 {
        let params = Some(json(r#"{"messages":[],"maxTokens":1}"#));
        let asked = host
            .machine
            .call(host.now, Target::Channel, "sampling/createMessage", params, CallOptions::new())
            .unwrap();
        let question = host.one();
        host.tell(&answer(&question, &json!({})));
        assert!(matches!(host.event(), Event::Completed { call, outcome: Ok(_) } if call == asked));
    }
}

/// Log and progress notices beyond the rate are not sent, and the command says so. R-LOG-011, R-PRG-009.
#[test]
fn notices_are_limited() {
    let mut host = server(rates(|rates| rates.notices_out = rate(10, 3)));
    let log = |host: &mut Host<Server>| {
        host.machine.log(host.now, Target::Channel, LogLevel::Error, None, json("1")).unwrap()
    };
    assert!(!log(&mut host) || host.sent().len() == 1);
    host.ask(&request(1, "logging/setLevel", json!({"level": "debug"})));
    host.wait(seconds(1));
    assert_eq!((0..5).filter(|_| log(&mut host)).count(), 3);
    assert_eq!(host.sent().len(), 3);
    host.tell(&request(2, "tools/call", json!({"name": "any", "_meta": {"progressToken": 1}})));
    let running = host.request().handle();
    host.wait(Duration::from_millis(100));
    let mut sent = 0;
    for step in 0..5 {
        let now = host.now;
        sent += usize::from(host.machine.progress(now, running, f64::from(step), None, None).unwrap());
    }
    assert_eq!((sent, host.sent().len()), (1, 1));
    host.respond(running, DONE);
    assert_eq!(host.sent().len(), 1, "an answer is no notice");

    let config = client_config().limits(rates(|rates| rates.notices_in = rate(10, 3)));
    let mut client = legacy_client(config);
    for number in 0..5 {
        client.tell(&notice("notifications/message", json!({"level": "info", "data": number})));
    }
    assert_eq!(client.events().len(), 3);
    client.tell(&notice("notifications/tools/list_changed", json!({})));
    assert_eq!(client.events().len(), 1, "a change is never dropped");
}

/// A client bounds what a server asks of its user. R-ELI-042, R-SAM-018.
#[test]
fn questions_are_limited() {
    let config = client_config()
        .capabilities(br#"{"sampling":{},"elicitation":{}}"#)
        .unwrap()
        .limits(rates(|rates| rates.questions = rate(1, 2)));
    let mut client = legacy_client(config);
    let question = |id| {
        request(id, "elicitation/create", json!({"message": "?", "requestedSchema": {"type": "object"}}))
    };
    for id in [1, 2] {
        client.tell(&question(id));
        assert!(matches!(client.event(), Event::Input(_)));
    }
    let refused = client.ask(&question(3));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["class"]),
        (&json!(-32603), &json!("questions"))
    );
}

/// The defaults let a busy host work.
#[test]
fn the_defaults_are_generous() {
    let mut host = server(Limits::default());
    for id in 0..5000 {
        assert!(passes(&mut host, &call(id, "any")));
    }
    let defaults = Rates::default();
    assert!(defaults.calls.is_some() && defaults.completion.is_some(), "there is a limit all the same");
    let mut free = server(rates(|rates| *rates = Rates::unlimited()));
    for id in 0..15_000 {
        assert!(passes(&mut free, &call(id, "any")));
    }
}

proptest! {
    /// In any stretch of time no more pass than the burst and what the rate adds, and one that was told to wait passes
    /// after it.
    #[test]
    fn a_bucket_never_gives_more_than_it_has(
        per_second in 1..50u32, burst in 1..20u32, gaps in prop::collection::vec(0..400u64, 1..80),
    ) {
        let mut host = server(rates(|rates| rates.calls = rate(per_second, burst)));
        let mut passed: Vec<Duration> = Vec::new();
        let mut clock = Duration::ZERO;
        let mut wait_until = None;
        for (id, gap) in gaps.into_iter().enumerate() {
            host.wait(Duration::from_millis(gap));
            clock += Duration::from_millis(gap);
            host.tell(&call(id, "any"));
            let mut events = host.events();
            if let Some(Event::Request(request)) = events.pop() {
                host.respond(request.handle(), DONE);
                host.sent();
                passed.push(clock);
                wait_until = None;
            } else {
                let hint = host.one()["error"]["data"]["retryAfterMs"].as_u64().unwrap();
                prop_assert!(hint > 0 && hint <= 1000);
                if let Some(until) = wait_until {
                    prop_assert!(clock < until, "waited as told, and refused");
                }
                wait_until = Some(clock + Duration::from_millis(hint));
            }
        }
        for (first, from) in passed.iter().enumerate() {
            for (count, to) in (1u32..).zip(&passed[first..]) {
                let most = f64::from(burst) + to.abs_diff(*from).as_secs_f64() * f64::from(per_second);
                prop_assert!(f64::from(count) <= most + 1e-6);
            }
        }
    }
}
