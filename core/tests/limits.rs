//! Every bound of a machine, reached: what it says then, and that it goes on.
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
    error::{CloseReason, SendError},
    event::{Event, Target},
    limits::Limits,
    session::CallOptions,
    stdio::Connection,
    time::Instant,
};
use serde_json::json;

fn bounded(change: impl FnOnce(&mut Limits)) -> Host<mcp_sansio::session::Server> {
    session(server_config().limits(limits(change)), NEWEST, &json!({"sampling": {}}))
}

fn listing(id: u32, padding: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{"x":"{}"}}}}"#,
        "a".repeat(padding)
    )
}

/// `message_bytes`, in: exactly the limit passes, one more is refused without an id.
#[test]
fn messages_in_are_bounded() {
    let mut host = bounded(|limits| limits.message_bytes = 1000);
    let empty = listing(1, 0).len();
    host.tell_text(&listing(1, 1000 - empty));
    assert_eq!(host.one()["id"], 1);
    host.tell_text(&listing(2, 1001 - empty));
    let refused = host.one();
    assert_eq!(refused["error"]["code"], -32600);
    assert!(refused.get("id").is_none(), "{refused}");
    assert_eq!(host.fault_codes(), ["fault.too_large"]);
    assert!(host.ask(&request(3, "ping", json!({})))["result"].is_object());
}

/// `message_bytes`, out: a call that is too large is refused; an answer that is too large is replaced by an error.
#[test]
fn messages_out_are_bounded() {
    let mut host = bounded(|limits| limits.message_bytes = 1000);
    let large = format!(r#"{{"x":"{}"}}"#, "a".repeat(1000));
    host.tell(&call(7, "slow"));
    let handle = host.request().handle();
    assert_eq!(host.machine.respond(host.now, handle, result(&large)), Err(SendError::TooLarge));
    let replaced = host.one();
    assert_eq!((&replaced["id"], &replaced["error"]["code"]), (&json!(7), &json!(-32603)));
    assert_eq!(
        host.machine.respond(host.now, handle, result("{}")),
        Err(SendError::Over),
        "the request is over"
    );

    let large = json!({"messages": [], "maxTokens": 1, "a": large}).to_string();
    let params = Some(json(&large));
    let asked =
        host.machine.call(host.now, Target::Channel, "sampling/createMessage", params, CallOptions::new());
    assert_eq!(asked, Err(SendError::TooLarge));
    assert_eq!(host.machine.notify(host.now, Target::Channel, "no/such", params), Err(SendError::TooLarge));
    host.silent();
    assert!(host.events().is_empty());
}

/// `depth`
#[test]
fn nesting_is_bounded() {
    let mut host = bounded(|limits| limits.depth = 20);
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"x":{open}{close}}}}}"#)
    };
    host.tell_text(&nested(18));
    assert!(host.one()["result"].is_object());
    host.tell_text(&nested(19));
    assert_eq!(host.one()["error"]["code"], -32700);
    assert_eq!(host.fault_codes(), ["fault.parse"]);
}

/// `id_bytes`: of ids and of progress tokens.
#[test]
fn ids_and_tokens_are_bounded() {
    let mut host = bounded(|limits| limits.id_bytes = 10);
    assert_eq!(host.ask(&request("0123456789", "ping", json!({})))["id"], "0123456789");
    let refused = host.ask(&request("0123456789a", "ping", json!({})));
    assert_eq!(refused["error"]["code"], -32600);
    assert!(refused.get("id").is_none(), "it is not sent back: {refused}");
    assert_eq!(host.fault_codes(), ["fault.id"]);
    let with_token =
        |token: &str| request(1, "tools/call", json!({"name": "slow", "_meta": {"progressToken": token}}));
    assert_eq!(host.ask(&with_token("0123456789a"))["error"]["code"], -32600);
    host.tell(&with_token("0123456789"));
    host.request();
}

/// `requests`: one too many is answered, and says that it may be tried again.
#[test]
fn requests_in_flight_are_bounded() {
    let mut host = bounded(|limits| limits.requests = 2);
    host.tell(&call(1, "slow"));
    let first = host.request().handle();
    host.tell(&call(2, "slow"));
    host.request();
    let refused = host.ask(&call(3, "slow"));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(3), &json!(-32603)));
    assert_eq!(refused["error"]["data"], json!({"reason": "too_many_requests", "limit": 2}));
    assert!(host.machine.wants_read(), "answers and cancellations come by the same pipe");
    assert!(
        host.ask(&request(4, "tools/list", json!({})))["result"].is_object(),
        "what the engine answers has room"
    );
    host.respond(first, DONE);
    host.one();
    host.tell(&call(5, "slow"));
    host.request();
}

/// `session_bytes`: of requests in flight, events and output together.
#[test]
fn bytes_of_a_session_are_bounded() {
    let mut host = bounded(|limits| limits.session_bytes = 2000);
    let large =
        |id: u32| request(id, "tools/call", json!({"name": "slow", "arguments": {"x": "a".repeat(1200)}}));
    host.tell(&large(1));
    let first = host.request().handle();
    let refused = host.ask(&large(2));
    assert_eq!(refused["error"]["data"], json!({"reason": "session_bytes", "limit": 2000}));
    host.respond(first, DONE);
    host.one();
    host.tell(&large(3));
    host.request();
}

/// `calls`: one too many is `Blocked`, and `Writable` follows once.
#[test]
fn calls_in_flight_are_bounded() {
    let mut host = modern_client(client_config().limits(limits(|limits| limits.calls = 2)));
    let (first, sent) = host.call("tools/list");
    host.call("tools/list");
    for _ in 0..2 {
        assert_eq!(
            host.machine.call(host.now, "tools/list", None, CallOptions::new()),
            Err(SendError::Blocked)
        );
    }
    assert!(host.events().is_empty());
    host.tell(&answer(&sent, &json!({})));
    let events = host.events();
    assert!(
        matches!(&events[..], [Event::Completed { call, .. }, Event::Writable] if *call == first),
        "{events:?}"
    );
    host.call("tools/list");
}

/// `output_bytes`: what starts something is `Blocked`; what ends something never is.
#[test]
fn output_is_bounded_for_what_starts_something() {
    let mut host = bounded(|limits| limits.output_bytes = 3000);
    host.tell(&request(1, "tools/call", json!({"name": "slow", "_meta": {"progressToken": 1}})));
    host.tell(&call(2, "slow"));
    let handles: Vec<_> = host
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Request(request) => Some(request.handle()),
            _ => None,
        })
        .collect();
    let ours = host.machine.call(host.now, Target::Channel, "ping", None, CallOptions::new()).unwrap();
    let params = format!(r#"{{"x":"{}"}}"#, "a".repeat(1000));
    let mut notices = 0;
    while host.machine.notify(host.now, Target::Channel, "no/such", Some(json(&params))).is_ok() {
        notices += 1;
    }
    assert_eq!(notices, 3);
    let now = host.now;
    assert_eq!(host.machine.notify(now, Target::Channel, "no/such", None), Err(SendError::Blocked));
    assert_eq!(host.machine.progress(now, handles[0], 1.0, None, None), Err(SendError::Blocked));
    assert_eq!(
        host.machine.call(now, Target::Channel, "ping", None, CallOptions::new()),
        Err(SendError::Blocked)
    );
    assert!(host.machine.wants_read(), "these are not the engine's own replies");
    host.respond_quietly(handles[0]);
    host.machine.cancel(now, ours, None).unwrap();
    host.machine.close(now, seconds(1));
    host.respond_quietly(handles[1]);
    let methods: Vec<_> = host
        .sent()
        .iter()
        .map(|message| message.get("method").map_or("answer".into(), ToString::to_string))
        .collect();
    assert_eq!(methods[methods.len() - 3..], ["answer", "\"notifications/cancelled\"", "answer"]);
    assert_eq!(host.closed(), Some(CloseReason::Local));
}

impl Host<mcp_sansio::session::Server> {
    /// Answers without taking what is queued.
    fn respond_quietly(&mut self, request: mcp_sansio::RequestHandle) {
        self.machine.respond(self.now, request, result(DONE)).unwrap();
    }
}

/// `output_bytes`, after which there is room again.
#[test]
fn writable_follows_blocked_once() {
    let mut host = bounded(|limits| limits.output_bytes = 100);
    let notify = |host: &mut Host<mcp_sansio::session::Server>| {
        host.machine.notify(
            host.now,
            Target::Channel,
            "no/such",
            Some(json(r#"{"x":"0123456789012345678901234567890123456789012345678901234567890123456789"}"#)),
        )
    };
    assert!(notify(&mut host).is_ok());
    assert_eq!(notify(&mut host), Err(SendError::Blocked));
    assert_eq!(notify(&mut host), Err(SendError::Blocked));
    assert_eq!(host.sent().len(), 1);
    assert!(matches!(host.event(), Event::Writable));
    assert!(notify(&mut host).is_ok());
    host.sent();
    assert!(host.events().is_empty());
}

/// `output_bytes` of the engine's own replies: reading stops, and a host that reads on is ended at twice the bound.
#[test]
fn own_replies_that_nobody_takes_stop_the_reading() {
    let mut connection =
        Connection::new(serve(server_config().limits(limits(|limits| limits.output_bytes = 1000))).machine);
    let now = Instant::from_nanos(5);
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let feed = |connection: &mut Connection<_>| {
        connection.handle_data(now, ping);
        connection.handle_data(now, b"\n");
    };
    let mut fed = 0;
    while connection.wants_read() {
        feed(&mut connection);
        fed += 1;
    }
    assert!((20..40).contains(&fed), "{fed} answers of 36 bytes");
    let mut out = Vec::new();
    while connection.write_to(&mut out, usize::MAX) > 0 {}
    assert!(connection.wants_read(), "there is room again");
    for _ in 0..200 {
        feed(&mut connection);
    }
    let mut last = None;
    while let Some(event) = connection.poll_event() {
        last = Some(event);
    }
    assert!(matches!(last, Some(Event::Closed(CloseReason::Overrun))), "{last:?}");
    out.clear();
    connection.write_to(&mut out, usize::MAX);
    assert!(out.len() <= 2100, "{} bytes", out.len());
}

/// `events` that nobody takes: reading stops, and a host that reads on is ended at twice the bound.
#[test]
fn events_that_nobody_takes_stop_the_reading() {
    let mut connection =
        Connection::new(serve(server_config().limits(limits(|limits| limits.events = 10))).machine);
    let now = Instant::from_nanos(5);
    let mut fed = 0;
    while connection.wants_read() {
        connection.handle_data(now, b"garbage\n");
        fed += 1;
    }
    assert_eq!(fed, 10);
    for _ in 0..50 {
        connection.handle_data(now, b"garbage\n");
    }
    let mut events = Vec::new();
    while let Some(event) = connection.poll_event() {
        events.push(event);
    }
    assert_eq!(events.len(), 21);
    assert!(matches!(events.last(), Some(Event::Closed(CloseReason::Overrun))));
}

/// `events`: of the outcomes of calls too, which come without a word of the peer.
#[test]
fn outcomes_that_nobody_takes_block_calls() {
    let config = client_config().limits(limits(|limits| limits.events = 10));
    let mut connection = Connection::new(modern_client(config).machine);
    let now = Instant::from_nanos(5);
    let mut call = || {
        let call = connection.call(now, "tools/list", None, CallOptions::new())?;
        connection.cancel(now, call, None).unwrap();
        connection.write_to(&mut Vec::new(), usize::MAX);
        Ok(())
    };
    assert_eq!((0..100).map_while(|_| call().ok()).count(), 10);
    assert_eq!(call(), Err(SendError::Blocked));
    let events: Vec<_> = std::iter::from_fn(|| connection.poll_event()).collect();
    assert_eq!(events.len(), 11);
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Writable)).count(), 1);
    connection.call(now, "tools/list", None, CallOptions::new()).unwrap();
}

/// `session_bytes`: of what events keep alive, whatever becomes of their requests and calls.
#[test]
fn payloads_that_nobody_takes_stop_the_reading() {
    let large = "a".repeat(1000);
    let bound = || limits(|limits| limits.session_bytes = 10_000);
    let until_full = |told: &mut dyn FnMut(i32) -> bool| (0..100).take_while(|id| told(*id)).count();

    let config = || server_config().unknown_methods(true).limits(bound());
    let mut host = session(config(), NEWEST, &json!({}));
    let cancelled_requests = until_full(&mut |id| {
        let params = json!({"name": "slow", "arguments": {"x": large}});
        host.hear(&request(id, "tools/call", params).to_string());
        host.hear(&cancelled(id).to_string());
        host.machine.wants_read()
    });
    let mut host = session(config(), NEWEST, &json!({}));
    let notices = until_full(&mut |_| {
        host.hear(&notice(&large, json!({})).to_string());
        host.machine.wants_read()
    });
    let mut host = legacy_client(client_config().limits(bound()));
    let calls: Vec<_> = (0..100).map(|_| host.call("tools/list").1).collect();
    let refused_calls = until_full(&mut |id| {
        let mut refusal = failure(&calls[usize::try_from(id).unwrap()], -1);
        refusal["error"]["data"] = json!(large);
        host.hear(&refusal.to_string());
        host.machine.wants_read()
    });
    let mut host = legacy_client(client_config().limits(bound()));
    let errors = until_full(&mut |_| {
        let error = json!({"jsonrpc": "2.0", "error": {"code": 1, "message": large}});
        host.hear(&error.to_string());
        host.machine.wants_read()
    });
    let config = client_config().capabilities(br#"{"roots":{}}"#).unwrap().limits(bound());
    let mut host = legacy_client(config);
    let cancelled_questions = until_full(&mut |id| {
        let mut question = request(id, "roots/list", json!({}));
        question["x"] = json!(large);
        host.hear(&question.to_string());
        host.hear(&cancelled(id).to_string());
        host.machine.wants_read()
    });
    for (what, count) in [
        ("cancelled requests", cancelled_requests),
        ("cancelled questions", cancelled_questions),
        ("notices", notices),
        ("refused calls", refused_calls),
        ("errors", errors),
    ] {
        assert!((8..10).contains(&count), "{count} {what} of 1 kB");
    }
}

/// `error_replies`: garbage is answered a few times a second, and reported every time.
/// R-BAS-019
#[test]
fn error_replies_are_bounded() {
    let mut host = bounded(|limits| limits.error_replies = 3);
    for _ in 0..10 {
        host.tell_text("garbage");
    }
    assert_eq!(host.sent().len(), 3);
    assert_eq!(host.faults().iter().filter(|fault| fault.replied.is_some()).count(), 3);
    assert_eq!(host.machine.stat("faults"), 10);
    host.wait(seconds(1));
    host.tell_text("garbage");
    assert_eq!(host.one()["error"]["code"], -32700);
    // A client never answers garbage.
    let mut client = modern_client(client_config());
    client.tell_text("garbage");
    client.silent();
    assert_eq!(client.fault_codes(), ["fault.parse"]);
}

/// `batch`: members of one batch of 2025-03-26.
#[test]
fn batches_are_bounded() {
    let mut host =
        session(server_config().limits(limits(|limits| limits.batch = 2)), "2025-03-26", &json!({}));
    let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    assert_eq!(host.ask(&json!([ping(1), ping(2)])).as_array().unwrap().len(), 2);
    assert_eq!(host.ask(&json!([ping(1), ping(2), ping(3)]))["error"]["code"], -32600);
    assert_eq!(host.fault_codes(), ["fault.batch"]);
}

/// `trace`: the oldest records go first, and are counted.
#[test]
fn the_trace_is_bounded() {
    let config = server_config().trace(true).limits(limits(|limits| limits.trace = 4));
    let mut host = session(config, NEWEST, &json!({}));
    for id in 0..4 {
        host.ask(&request(id, "ping", json!({})));
    }
    let kept: Vec<_> = std::iter::from_fn(|| host.machine.poll_trace())
        .map(|record| (record.kind.is_input(), record.text.to_string()))
        .collect();
    assert_eq!(kept.len(), 4);
    assert!(kept[0].0 && kept[0].1.contains("\"id\":2"), "{kept:?}");
    assert!(!kept[3].0 && kept[3].1.contains("\"id\":3"));
    assert!(host.machine.stat("trace_dropped") > 0);
}
