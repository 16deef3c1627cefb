//! Deadlines: what fires, in which order, and what the host is told to wait for.
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
    event::{Event, Target},
    session::{CallOptions, Client},
};
use serde_json::json;

fn call(host: &mut Host<Client>, silence: u64) -> (CallHandle, serde_json::Value) {
    host.call_with("tools/list", CallOptions::new().progress(true).timeouts(Some(seconds(silence)), None))
}

fn progress(host: &mut Host<Client>, call: &serde_json::Value) {
    let token = call["params"]["_meta"]["progressToken"].clone();
    host.tell(&notice("notifications/progress", json!({"progressToken": token, "progress": 1})));
}

fn completed(host: &mut Host<Client>) -> Vec<CallHandle> {
    let calls = host.events().into_iter().filter_map(|event| match event {
        Event::Completed { call, .. } => Some(call),
        _ => None,
    });
    calls.collect()
}

/// `basic/utilities/progress`: progress puts a deadline off, and what was put off fires at its new place.
#[test]
fn what_is_due_fires_in_the_order_of_deadlines() {
    let mut host = legacy_client(client_config());
    let (put_off, sent) = call(&mut host, 10);
    let (second, _) = call(&mut host, 12);
    let (first, _) = call(&mut host, 11);
    host.now = host.now.after(seconds(5));
    progress(&mut host, &sent);
    host.machine.handle_timeout(host.now.after(seconds(60)));
    assert_eq!(completed(&mut host), [first, second, put_off]);
}

/// A deadline that was put off uncovers none that is gone.
#[test]
fn the_next_deadline_is_one_that_holds() {
    let mut host = legacy_client(client_config());
    let began = host.now;
    let (put_off, sent) = call(&mut host, 10);
    let (gone, _) = call(&mut host, 12);
    host.machine.cancel(host.now, gone, None).unwrap();
    host.now = began.after(seconds(5));
    progress(&mut host, &sent);
    host.machine.handle_timeout(began.after(seconds(10)));
    assert_eq!(host.machine.next_timeout(), Some(began.after(seconds(15))));
    host.events();
    host.machine.handle_timeout(began.after(seconds(15)));
    assert_eq!(completed(&mut host), [put_off]);
    assert_eq!(host.machine.next_timeout(), None);
}

/// A duration that ends beyond the end of time is no deadline.
#[test]
fn what_takes_for_ever_has_no_deadline() {
    let for_ever = limits(|limits| {
        limits.handler = Some(Duration::MAX);
        limits.ping_interval = Some(Duration::MAX);
    });
    let mut server = session(server_config().limits(for_ever), NEWEST, &json!({"sampling": {}}));
    server.tell(&common::call(1, "slow"));
    let options = CallOptions::new().timeouts(Some(Duration::MAX), Some(Duration::MAX));
    let params = Some(common::json(r#"{"messages":[],"maxTokens":1}"#));
    server.machine.call(server.now, Target::Channel, "sampling/createMessage", params, options).unwrap();
    server.machine.close(server.now, Duration::MAX);
    assert_eq!(server.machine.next_timeout(), None);

    let for_ever = limits(|limits| {
        limits.probe = Duration::MAX;
        limits.handshake = Duration::MAX;
    });
    for probe in [true, false] {
        assert_eq!(start(client_config().limits(for_ever.clone()).probe(probe)).machine.next_timeout(), None);
    }
}

/// The end of input is not silence: what runs then has the whole drain, and is not asked for signs of life.
#[test]
fn nobody_is_pinged_after_the_end_of_input() {
    let limits = limits(|limits| {
        limits.ping_interval = Some(seconds(1));
        limits.ping_timeout = seconds(1);
        limits.ping_failures = 1;
        limits.drain = seconds(10);
    });
    let mut server = session(server_config().limits(limits), NEWEST, &json!({}));
    server.tell(&common::call(1, "slow"));
    let handle = server.request().handle();
    server.eof();
    server.wait(seconds(9));
    server.silent();
    server.respond(handle, DONE);
    assert_eq!(server.one()["id"], 1);
}
