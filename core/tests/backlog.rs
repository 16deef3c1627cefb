//! A byte stream that brings more at once than the queues hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use std::{sync::Arc, time::Duration};

use mcp_sansio::{
    Seed,
    error::{CallError, CloseReason},
    event::Event,
    limits::Limits,
    session::{CallOptions, Client, ClientConfig, Server, ServerConfig},
    stdio::Connection,
    time::Instant,
};

const NOW: Instant = Instant::from_nanos(0);

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.events = 8;
    limits
}

/// `basic/transports/stdio`: a stray line is a fault, however many come in one read; the connection stays.
/// R-STD-018
#[test]
fn one_piece_may_hold_more_lines_than_the_queue() {
    let config = ClientConfig::new("test", "1").limits(limits());
    let mut client = Connection::new(Client::new(Arc::new(config), Seed([0; 32])));
    client.start(NOW, None);
    client.handle_data(NOW, "log\n".repeat(100).as_bytes());
    assert!(!client.wants_read());
    let mut faults = 0;
    while let Some(event) = client.poll_event() {
        assert!(matches!(event, Event::Fault(_)), "{event:?}");
        faults += 1;
    }
    assert_eq!(faults, 100);
    assert!(client.wants_read());
}

/// What came before the end of input is read before the end takes effect.
#[test]
fn the_end_of_input_waits_for_what_came_before_it() {
    let config = ServerConfig::new("test", "1").limits(limits());
    let mut server = Connection::new(Server::new(Arc::new(config), Seed([0; 32])));
    let mut input = "log\n".repeat(100);
    input.push_str(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    server.handle_data(NOW, input.as_bytes());
    server.handle_eof(NOW);
    let mut events = Vec::new();
    while let Some(event) = server.poll_event() {
        events.push(event);
    }
    assert_eq!(events.len(), 101);
    assert!(matches!(events.last(), Some(Event::Closed(CloseReason::Peer))), "{events:?}");
    let mut out = Vec::new();
    while server.write_to(&mut out, usize::MAX) > 0 {}
    assert!(String::from_utf8(out).unwrap().contains(r#""id":1,"result":{}"#));
    assert!(server.is_over());
}

/// The end of input is where it was said, also behind a backlog: what comes after it belongs to no line.
#[test]
fn nothing_comes_after_the_end_of_input() {
    for lines in [0, 100] {
        let config = ServerConfig::new("test", "1").limits(limits());
        let mut server = Connection::new(Server::new(Arc::new(config), Seed([0; 32])));
        server.handle_data(NOW, "log\n".repeat(lines).as_bytes());
        server.handle_data(NOW, br#"{"jsonrpc":"2.0","id":1,"met"#);
        server.handle_eof(NOW);
        server.handle_data(NOW, br#"hod":"ping"}"#);
        server.handle_eof(NOW);
        let mut events = Vec::new();
        while let Some(event) = server.poll_event() {
            events.push(event);
        }
        assert_eq!(events.len(), lines + 2, "a fault for the cut line, and the end");
        let mut out = Vec::new();
        while server.write_to(&mut out, usize::MAX) > 0 {}
        assert!(!String::from_utf8(out).unwrap().contains("result"));
    }
}

/// A host that feeds on although nothing is wanted is bounded too.
#[test]
fn a_backlog_has_a_bound() {
    let mut small = limits();
    small.session_bytes = 1000;
    let config = ServerConfig::new("test", "1").limits(small);
    let mut server = Connection::new(Server::new(Arc::new(config), Seed([0; 32])));
    for _ in 0..10 {
        server.handle_data(NOW, "log\n".repeat(100).as_bytes());
    }
    let mut last = None;
    while let Some(event) = server.poll_event() {
        last = Some(event);
    }
    assert!(matches!(last, Some(Event::Closed(CloseReason::Overrun))), "{last:?}");
}

/// An answer that waits in the backlog is in time for the timer that fires while it waits, and for the end of the channel.
#[test]
fn an_answer_in_the_backlog_is_in_time() {
    for closed in [false, true] {
        let config = ClientConfig::new("test", "1").limits(limits()).probe(false);
        let mut client = Connection::new(Client::new(Arc::new(config), Seed([0; 32])));
        client.start(NOW, None);
        client.handle_data(
            NOW,
            br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
"#,
        );
        assert!(matches!(client.poll_event(), Some(Event::Ready(_))));
        client.call(NOW, "ping", None, CallOptions::new()).unwrap();
        // The queue is full until events are taken; then there is room, and time has passed.
        let mut input = "log\n".repeat(9);
        input.push_str("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
        client.handle_data(NOW, input.as_bytes());
        assert!(!client.wants_read());
        let mut events = Vec::new();
        for _ in 0..2 {
            events.extend(client.poll_event());
        }
        let later = NOW.after(Duration::from_secs(3600));
        if closed {
            client.handle_closed(later);
        } else {
            client.handle_timeout(later);
        }
        while let Some(event) = client.poll_event() {
            events.push(event);
        }
        let outcomes: Vec<bool> = events
            .iter()
            .filter_map(|event| match event {
                Event::Completed { outcome, .. } => Some(outcome.is_ok()),
                _ => None,
            })
            .collect();
        assert_eq!(outcomes, [true], "{events:?}");
    }
}

/// An answer that is too large ends its call at once, wherever in it the id stands, and disturbs no other.
#[test]
fn an_answer_that_is_too_large_ends_its_call() {
    let long = "x".repeat(2000);
    for (answer, told) in [
        (format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"text":"{long}"}}}}"#), true),
        (format!(r#"{{"result":{{"text":"{long}"}},"jsonrpc":"2.0","id":2}}"#), true),
        (format!(r#"{{"jsonrpc":"2.0","id":2,"error":{{"code":1,"message":"{long}"}}}}"#), true),
        (format!(r#"{{"method":"ping","params":{{"text":"{long}"}},"jsonrpc":"2.0","id":2}}"#), false),
        (format!(r#"{{"result":{{"text":"{long}"}},"jsonrpc":"2.0","id":3}}"#), false),
    ] {
        for size in [1, 64, 5000] {
            let mut small = limits();
            small.message_bytes = 1000;
            let config = ClientConfig::new("test", "1").limits(small).probe(false);
            let mut client = Connection::new(Client::new(Arc::new(config), Seed([0; 32])));
            client.start(NOW, None);
            client.handle_data(
                NOW,
                br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
"#,
            );
            assert!(matches!(client.poll_event(), Some(Event::Ready(_))));
            let wanted = client.call(NOW, "ping", None, CallOptions::new()).unwrap();
            let line = format!("{answer}\n");
            for piece in line.as_bytes().chunks(size) {
                client.handle_data(NOW, piece);
            }
            let mut seen = false;
            while let Some(event) = client.poll_event() {
                match event {
                    Event::Completed { call, outcome: Err(error) } => {
                        assert_eq!(call, wanted);
                        let CallError::InvalidResult(fault) = *error else { panic!("{error:?}") };
                        assert_eq!(fault.code, "fault.too_large");
                        assert!(fault.detail.contains("`message_bytes`, 1000"));
                        seen = true;
                    }
                    Event::Fault(fault) => assert_eq!(fault.code, "fault.too_large"),
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(seen, told, "{size} {}", &answer[..60]);
            client.handle_data(NOW, b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
            assert_eq!(client.poll_event().is_some(), !told, "it was over");
        }
    }
}
