//! A byte stream that brings more at once than the queues hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use std::sync::Arc;

use mcp_sansio::{
    Seed,
    error::CloseReason,
    event::Event,
    limits::Limits,
    session::{Client, ClientConfig, Server, ServerConfig},
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
