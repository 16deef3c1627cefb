//! The counters: each is moved by what its documentation says, and by so much.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::*;
use mcp_sansio::{
    Seed,
    event::Event,
    limits::{Limits, Rate},
    session::{CallOptions, Catalog, STATS, Server},
    time::{Instant, WallClock},
};
use serde_json::json;

fn counters(machine: &impl Machine) -> BTreeMap<&'static str, u64> {
    STATS.iter().map(|name| (*name, machine.stat(name))).collect()
}

/// What differs.
fn moved(before: &BTreeMap<&'static str, u64>, machine: &impl Machine) -> BTreeMap<&'static str, i64> {
    let by = |name| i64::try_from(machine.stat(name)).unwrap() - i64::try_from(before[name]).unwrap();
    STATS.iter().map(|name| (*name, by(name))).filter(|(_, by)| *by != 0).collect()
}

fn server(change: impl FnOnce(&mut Limits)) -> Host<Server> {
    let capabilities = br#"{"tools":{},"tasks":{"requests":{"tools":{"call":{}}},"cancel":{}}}"#;
    let tools = br#"{"tools":[{"name":"slow","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}]}"#;
    let config = server_config()
        .catalog(Catalog::from_json(tools).unwrap().into())
        .capabilities(capabilities)
        .unwrap()
        .trace(true)
        .audit(true)
        .limits(limits(change));
    let clock = WallClock { at: Instant::from_nanos(0), unix_millis: 0 };
    let mut host = Host::new(Server::new(config.into(), Seed([1; 32])).with_clock(clock));
    host.ask(&initialize(0, NEWEST, &json!({"roots": {}})));
    host.tell(&initialized());
    host.events();
    host
}

type Step = fn(&mut Host<Server>);
type Change = fn(&mut Limits);
/// What happens, under which limits, and by how much counters move.
type Case = (&'static str, Change, Step, &'static [(&'static str, i64)]);

#[test]
fn every_counter_of_a_server_moves() {
    let plain: Change = |_| ();
    let cases: [Case; 11] = [
        (
            "a request",
            plain,
            |host| host.tell(&call(1, "slow")),
            &[("messages_in", 1), ("requests", 1), ("requests_now", 1)],
        ),
        (
            "its answer",
            plain,
            |host| {
                host.tell(&call(1, "slow"));
                let request = host.request().handle();
                host.respond(request, DONE);
            },
            &[("messages_in", 1), ("messages_out", 1), ("requests", 1)],
        ),
        (
            "a cancellation",
            plain,
            |host| {
                host.tell(&call(1, "slow"));
                host.tell(&cancelled(1));
            },
            &[("messages_in", 2), ("requests", 1), ("cancelled", 1)],
        ),
        (
            "a timeout",
            |limits| limits.handler = Some(seconds(1)),
            |host| {
                host.tell(&call(1, "slow"));
                host.wait(seconds(2));
            },
            &[("messages_in", 1), ("messages_out", 1), ("requests", 1), ("timeouts", 1)],
        ),
        (
            "a limit",
            |limits| limits.requests = 1,
            |host| {
                host.tell(&call(1, "slow"));
                host.tell(&call(2, "slow"));
            },
            &[("messages_in", 2), ("messages_out", 1), ("requests", 1), ("requests_now", 1), ("refused", 1)],
        ),
        (
            "a rate",
            |limits| limits.rates.calls = Some(Rate { per_second: 1, burst: 1 }),
            |host| {
                host.tell(&call(1, "slow"));
                host.tell(&call(2, "slow"));
            },
            &[
                ("messages_in", 2),
                ("messages_out", 1),
                ("requests", 1),
                ("requests_now", 1),
                ("rate_limited", 1),
            ],
        ),
        (
            "a task",
            plain,
            |host| {
                let mut request = call(1, "slow");
                request["params"]["task"] = json!({});
                host.tell(&request);
            },
            &[
                ("messages_in", 1),
                ("messages_out", 1),
                ("requests", 1),
                ("requests_now", 1),
                ("tasks", 1),
                ("tasks_now", 1),
            ],
        ),
        (
            "a call, and an answer too many",
            plain,
            |host| {
                let target = mcp_sansio::event::Target::Channel;
                host.machine.call(host.now, target, "roots/list", None, CallOptions::new()).unwrap();
                let sent = host.one();
                host.tell(&answer(&sent, &json!({"roots": []})));
                host.tell(&answer(&sent, &json!({"roots": []})));
            },
            &[("messages_in", 2), ("messages_out", 1), ("calls", 1), ("late", 1)],
        ),
        (
            "a call",
            plain,
            |host| {
                let target = mcp_sansio::event::Target::Channel;
                host.machine.call(host.now, target, "roots/list", None, CallOptions::new()).unwrap();
            },
            &[("messages_out", 1), ("calls", 1), ("calls_now", 1)],
        ),
        (
            "a notice that nobody knows",
            plain,
            |host| host.tell(&notice("x/y", json!({}))),
            &[("messages_in", 1), ("ignored", 1)],
        ),
        (
            "no message",
            plain,
            |host| host.tell_text("no"),
            &[("messages_in", 1), ("messages_out", 1), ("faults", 1)],
        ),
    ];
    // Those of the other tests.
    let mut seen: BTreeSet<&str> =
        ["bytes_in", "bytes_out", "cached", "cache_bytes_now", "trace_dropped", "audit_dropped"].into();
    for (what, change, step, expected) in cases {
        seen.extend(expected.iter().map(|(name, _)| name));
        let mut host = server(change);
        let before = counters(&host.machine);
        step(&mut host);
        let mut moved = moved(&before, &host.machine);
        let (read, written) = (moved.remove("bytes_in"), moved.remove("bytes_out"));
        assert_eq!(moved, expected.iter().copied().collect(), "{what}");
        assert_eq!(
            (read.is_some(), written.is_some()),
            (moved.contains_key("messages_in"), moved.contains_key("messages_out"))
        );
    }
    assert_eq!(seen, STATS.iter().copied().collect());
}

#[test]
fn bytes_are_those_of_the_messages() {
    let mut host = server(|_| ());
    let before = counters(&host.machine);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    host.tell_text(ping);
    let pong = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let moved = moved(&before, &host.machine);
    assert_eq!(moved["bytes_in"], i64::try_from(ping.len()).unwrap());
    assert_eq!(moved["bytes_out"], i64::try_from(pong.len()).unwrap());
}

#[test]
fn what_nobody_takes_is_counted() {
    let mut host = server(|limits| limits.trace = 2);
    for id in 1..6 {
        host.ask(&request(id, "ping", json!({})));
    }
    // Six requests of which two are kept.
    assert_eq!(host.machine.stat("audit_dropped"), 4);
    let kept = std::iter::from_fn(|| host.machine.poll_trace()).last().unwrap();
    assert_eq!(host.machine.stat("trace_dropped"), kept.serial - 2);
}

#[test]
fn the_cache_of_a_client_is_counted() {
    let mut host = modern_client(client_config());
    let before = counters(&host.machine);
    let (_, sent) = host.call("tools/list");
    let page = json!({"resultType": "complete", "tools": [], "ttlMs": 60000, "cacheScope": "public"});
    host.tell(&answer(&sent, &page));
    host.events();
    assert!(host.machine.stat("cache_bytes_now") > 0);
    host.machine.call(host.now, "tools/list", None, CallOptions::new()).unwrap();
    assert!(matches!(host.event(), Event::Completed { .. }));
    assert_eq!(moved(&before, &host.machine)["cached"], 1);
    host.eof();
    assert_eq!(host.machine.stat("cache_bytes_now"), 0);
}
