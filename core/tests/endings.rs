//! How a machine ends: the end of input, a broken channel, `close`. Each request and call has its end before `Closed`.
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
    error::{CallError, CloseReason, SendError},
    event::{Action, Event, OverReason, Target},
    session::{CallOptions, Server},
    stdio::Connection,
};
use serde_json::json;

fn with_a_request(limits: mcp_sansio::limits::Limits) -> (Host<Server>, mcp_sansio::RequestHandle) {
    let mut host = session(server_config().limits(limits), NEWEST, &json!({"sampling": {}}));
    host.tell(&call(1, "slow"));
    let handle = host.request().handle();
    (host, handle)
}

/// `basic/transports/stdio`, shutdown: what was received before the end of input is still answered.
#[test]
fn what_runs_at_the_end_of_input_is_still_answered() {
    let (mut host, handle) = with_a_request(limits(|_| ()));
    let ours = host.machine.call(host.now, Target::Channel, "ping", None, CallOptions::new()).unwrap();
    host.one();
    host.eof();
    let event = host.event();
    assert!(
        matches!(&event, Event::Completed { call, outcome: Err(error) } if *call == ours && matches!(**error, CallError::Closed { delivered: true })),
        "no answer can come: {event:?}"
    );
    assert_eq!(host.machine.progress(host.now, handle, 1.0, None, None), Ok(false));
    host.respond(handle, DONE);
    assert_eq!(host.one()["id"], 1);
    assert_eq!(host.closed(), Some(CloseReason::Peer));
    assert_eq!(host.machine.next_timeout(), None);
}

/// …but not for ever.
#[test]
fn the_end_of_input_waits_no_longer_than_the_drain() {
    let (mut host, handle) = with_a_request(limits(|limits| limits.drain = seconds(2)));
    host.eof();
    host.eof();
    host.wait(std::time::Duration::from_millis(1999));
    assert!(host.events().is_empty());
    host.wait(std::time::Duration::from_millis(1));
    let events = host.events();
    assert!(
        matches!(&events[..], [over, Event::Closed(CloseReason::Peer)] if common::over(over) == Some((handle, OverReason::Closed))),
        "{events:?}"
    );
    assert_eq!(host.machine.respond(host.now, handle, result("{}")), Err(SendError::Over));
    host.silent();
}

/// A last line without its end is a line.
#[test]
fn the_last_line_counts_without_its_end() {
    let mut connection = Connection::new(serve(server_config()).machine);
    let now = mcp_sansio::time::Instant::from_nanos(9);
    connection.handle_data(now, modern(5, "tools/call", json!({"name": "slow"})).to_string().as_bytes());
    assert!(connection.poll_event().is_none());
    connection.handle_eof(now);
    let Some(Event::Request(request)) = connection.poll_event() else { panic!("no request") };
    assert!(!connection.is_over());
    connection.respond(now, request.handle(), result(DONE)).unwrap();
    assert!(matches!(connection.poll_event(), Some(Event::Closed(CloseReason::Peer))));
    assert!(!connection.is_over(), "the answer waits to be written");
    let mut out = Vec::new();
    assert_eq!(connection.write_to(&mut out, 1), 0);
    assert!(connection.is_over());
    assert!(String::from_utf8(out).unwrap().starts_with(r#"{"jsonrpc":"2.0","id":5,"#));
}

/// A broken channel: nothing can be written, so nothing is.
#[test]
fn a_broken_channel_ends_everything_at_once() {
    let (mut host, handle) = with_a_request(limits(|_| ()));
    let ours = host.machine.call(host.now, Target::Channel, "ping", None, CallOptions::new()).unwrap();
    host.machine.handle_closed(host.now);
    let events = host.events();
    assert!(
        matches!(&events[..], [Event::Completed { call, outcome: Err(error) }, over, Event::Closed(CloseReason::Peer)]
            if *call == ours && matches!(**error, CallError::Closed { delivered: false }) && common::over(over) == Some((handle, OverReason::Closed))),
        "{events:?}"
    );
    host.silent();
    host.close_channel();
    assert!(host.events().is_empty());

    let mut client = modern_client(client_config());
    let (call, _) = client.call("tools/list");
    client.close_channel();
    let events = client.events();
    assert!(
        matches!(&events[..], [Event::Completed { call: of, outcome: Err(error) }, Event::Closed(CloseReason::Peer)]
            if *of == call && matches!(**error, CallError::Closed { delivered: true })),
        "{events:?}"
    );
}

/// A client's server is gone: no answer can come.
#[test]
fn a_clients_calls_fail_at_the_end_of_input() {
    let mut client = legacy_client(client_config().capabilities(br#"{"roots":{}}"#).unwrap());
    let (call, _) = client.call("tools/list");
    client.tell(&request("q", "roots/list", json!({})));
    let Event::Input(input) = client.event() else { panic!("no question") };
    client.eof();
    let events = client.events();
    assert!(
        matches!(&events[..], [Event::Completed { call: of, .. }, Event::InputOver { input: over }, Event::Closed(CloseReason::Peer)]
            if *of == call && *over == input.input),
        "{events:?}"
    );
}

/// `close`: new work is refused, what runs is answered, then the end.
#[test]
fn a_server_that_closes_finishes_what_runs() {
    let (mut host, handle) = with_a_request(limits(|_| ()));
    host.machine.close(host.now, seconds(10));
    let refused = host.ask(&call(2, "slow"));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["reason"]),
        (&json!(-32603), &json!("closing"))
    );
    assert_eq!(
        host.machine.call(host.now, Target::Channel, "ping", None, CallOptions::new()),
        Err(SendError::Closed)
    );
    host.respond(handle, DONE);
    assert_eq!(host.one()["id"], 1);
    assert_eq!(host.closed(), Some(CloseReason::Local));

    let (mut host, handle) = with_a_request(limits(|_| ()));
    host.machine.close(host.now, seconds(10));
    host.wait(seconds(10));
    let events = host.events();
    assert!(
        matches!(&events[..], [over, Event::Closed(CloseReason::DrainTimeout)] if common::over(over) == Some((handle, OverReason::Closed))),
        "{events:?}"
    );
}

/// A client that closes waits for what runs and then takes it back.
#[test]
fn a_client_that_closes_cancels_what_does_not_finish() {
    let mut client = modern_client(client_config());
    let (finishes, sent) = client.call("tools/list");
    let (hangs, unanswered) = client.call("tools/list");
    client.machine.close(client.now, seconds(2));
    assert_eq!(
        client.machine.call(client.now, "tools/list", None, CallOptions::new()),
        Err(SendError::Closed)
    );
    client.tell(&answer(&sent, &json!({})));
    assert!(client.outcome(finishes).is_ok());
    client.wait(seconds(2));
    let notice = client.one();
    assert_eq!(
        (&notice["method"], &notice["params"]["requestId"]),
        (&json!("notifications/cancelled"), &unanswered["id"])
    );
    let events = client.events();
    assert!(
        matches!(&events[..], [Event::Completed { call, outcome: Err(error) }, Event::Closed(CloseReason::DrainTimeout)]
            if *call == hangs && matches!(**error, CallError::Cancelled)),
        "{events:?}"
    );
}

/// The end of input after `close`: calls of ours can't be answered any more, so they are not waited for.
#[test]
fn the_end_of_input_ends_calls_of_a_server_that_is_closing() {
    let mut host = session(server_config(), NEWEST, &json!({"sampling": {}}));
    let ours = host.machine.call(host.now, Target::Channel, "ping", None, CallOptions::new()).unwrap();
    host.one();
    host.machine.close(host.now, seconds(10));
    host.eof();
    let events = host.events();
    assert!(
        matches!(&events[..], [Event::Completed { call, .. }, Event::Closed(_)] if *call == ours),
        "{events:?}"
    );
}

/// After the end the machine is inert: nothing it is told has an effect, and every command says why.
#[test]
fn after_the_end_nothing_happens() {
    let (mut host, handle) = with_a_request(limits(|limits| limits.ping_interval = Some(seconds(1))));
    host.close_channel();
    host.events();
    for message in
        [initialize(9, NEWEST, &json!({})), call(2, "slow"), modern(3, "tools/list", json!({})), cancelled(1)]
    {
        host.tell(&message);
    }
    host.tell_text("garbage");
    host.eof();
    host.wait(seconds(100));
    host.machine.close(host.now, seconds(1));
    host.machine.set_catalog(host.now, catalog(&["other"]));
    let now = host.now;
    assert_eq!(host.machine.respond(now, handle, result("{}")), Err(SendError::Over));
    assert_eq!(
        host.machine.call(now, Target::Channel, "ping", None, CallOptions::new()),
        Err(SendError::Closed)
    );
    assert_eq!(host.machine.notify(now, Target::Channel, "no/such", None), Err(SendError::Closed));
    host.silent();
    assert!(host.events().is_empty());
    assert_eq!(host.machine.next_timeout(), None);
}

/// Actions come in the order of their causes; the timer is last, said once, and only when it changed.
#[test]
fn actions_come_in_the_order_of_their_causes() {
    let mut server = session(server_config(), NEWEST, &json!({})).machine;
    while server.poll_action().is_some() {}
    let now = mcp_sansio::time::Instant::from_nanos(2_000_000_000);
    for message in
        [request(1, "ping", json!({})), call(2, "slow"), request(3, "ping", json!({})), call(3, "slow")]
    {
        server.handle_message(now, message.to_string().as_bytes());
    }
    server.close(now, seconds(3));
    let mut seen = Vec::new();
    while let Some(action) = server.poll_action() {
        seen.push(match action {
            Action::Send(outgoing) => {
                serde_json::from_str::<serde_json::Value>(outgoing.message).unwrap()["id"].to_string()
            }
            Action::Deliver(Event::Request(_)) => "request".into(),
            Action::Deliver(other) => format!("{other:?}"),
            Action::Timeout(at) => format!("{:?}", at.map(|at| at.since(now))),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(seen, ["1", "request", "3", "request", "Some(3s)"]);
    assert!(server.poll_action().is_none());
}

/// Time does not run back, and a deadline does not fire early.
#[test]
fn a_clock_that_jumps_back_fires_nothing_early() {
    let mut client = modern_client(client_config());
    let (call, _) = client.call_with("tools/list", CallOptions::new().timeouts(Some(seconds(3)), None));
    let began = client.now;
    client.machine.handle_timeout(began.after(seconds(2)));
    client.machine.handle_timeout(mcp_sansio::time::Instant::from_nanos(0));
    assert!(client.events().is_empty());
    let (_, _) = client.call_with("tools/list", CallOptions::new().timeouts(Some(seconds(3)), None));
    assert_eq!(client.machine.next_timeout(), Some(began.after(seconds(3))));
    client.machine.handle_timeout(began.after(seconds(3)));
    assert!(matches!(client.outcome(call), Err(CallError::Timeout { .. })));
    assert_eq!(
        client.machine.next_timeout(),
        Some(began.after(seconds(5))),
        "the second call began at two seconds"
    );
}
