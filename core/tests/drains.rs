//! What bindings drain: every record once and in order, whatever the bound, and ranges that fit the text.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use common::*;
use mcp_sansio::embed::{Batch, Channel, ClientConnection, Code, Options, Record, ServerConnection};
use serde_json::{Value, json};

const CONFIG: &[u8] =
    br#"{"info":{"name":"s","version":"1"},"tools":[{"name":"slow","inputSchema":{"type":"object"}}],"trace":true}"#;

/// Texts that take one, two, three and four bytes a character, and none.
const TEXTS: [&str; 5] = ["", "plain", "é", "€uro", "a😀b"];

fn conversation() -> Vec<Value> {
    let mut messages = vec![initialize(0, NEWEST, &json!({})), initialized(), json!("no message")];
    for (id, text) in (1..).zip(TEXTS) {
        messages.push(request(
            id,
            "tools/call",
            json!({"name": "slow", "arguments": {"x": text}, "_meta": {"y": text}}),
        ));
        messages.push(request(text, "ping", json!({})));
    }
    messages.push(json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": "slow"}}));
    messages
}

fn server(channel: Channel) -> ServerConnection {
    let mut server = ServerConnection::new(CONFIG, [1; 32], channel).unwrap();
    for message in conversation() {
        match channel {
            Channel::Stream => server.handle_data(1, format!("{message}\n").as_bytes()).unwrap(),
            Channel::Messages => server.handle_message(1, message.to_string().as_bytes()).unwrap(),
        }
    }
    server
}

/// A record and its texts, of which bytes of a stream are one text however they are cut.
type Seen = (u32, i64, u64, u64, Vec<Option<String>>);

fn seen(batch: &Batch, record: &Record) -> Seen {
    let texts = record.texts.iter().map(|range| batch.text(*range).map(Into::into)).collect();
    (record.code, record.number, record.handle, record.related, texts)
}

fn drained(max_bytes: usize, mut drain: impl FnMut(usize, &mut Batch)) -> (String, Vec<Seen>) {
    let (mut bytes, mut records) = (String::new(), Vec::new());
    let mut batch = Batch::default();
    // Each drain takes at least one record, so this is more than enough.
    for _ in 0..200 {
        drain(max_bytes, &mut batch);
        for record in &batch.records {
            if record.code == Code::Output as u32 {
                bytes.push_str(batch.text(record.texts[0]).unwrap());
            } else {
                records.push(seen(&batch, record));
            }
        }
        if !batch.more {
            return (bytes, records);
        }
    }
    panic!("drained 200 times, and there is more");
}

#[test]
fn a_small_bound_loses_and_reorders_nothing() {
    for channel in [Channel::Stream, Channel::Messages] {
        let mut whole = server(channel);
        let (bytes, records) = drained(usize::MAX, |max, batch| whole.drain(max, batch).unwrap());
        assert_eq!(bytes.is_empty(), channel == Channel::Messages);
        let has = |code: Code| records.iter().any(|record| record.0 == code as u32);
        assert!(has(Code::Request) && has(Code::Fault) && has(Code::Trace));
        for bound in [0, 1, 2, 50, 300, 1000] {
            let mut server = server(channel);
            let cut = drained(bound, |max, batch| server.drain(max, batch).unwrap());
            assert_eq!(cut, (bytes.clone(), records.clone()), "{channel:?}, {bound}");
        }
        let mut server = server(channel);
        let (none, events) = drained(1, |max, batch| server.drain_events(max, batch).unwrap());
        // A message that is not taken is not in the trace either.
        let unsent = |records: &[Seen]| -> Vec<Seen> {
            let codes = [Code::Send as u32, Code::Trace as u32];
            records.iter().filter(|record| !codes.contains(&record.0)).cloned().collect()
        };
        assert_eq!((none.as_str(), unsent(&events)), ("", unsent(&records)));
        let sent = |records: &[Seen]| {
            records.iter().filter(|record| (record.0, record.1) == (Code::Trace as u32, 1)).count()
        };
        assert_eq!((sent(&events), sent(&records)), (0, 1 + TEXTS.len() + 1));
        let mut output = Vec::new();
        while server.take_output(1, &mut output).unwrap() > 0 {}
        assert_eq!(String::from_utf8(output).unwrap().lines().count(), 1 + TEXTS.len() + 1);
    }
}

/// `Writable` waits behind the bound like any other record.
#[test]
fn writable_is_more() {
    let config =
        br#"{"info":{"name":"c","version":"1"},"revisions":["2026-07-28"],"limits":{"output_bytes":200}}"#;
    let mut client = ClientConnection::new(config, [1; 32], Channel::Stream).unwrap();
    client.start(1, Some(MODERN)).unwrap();
    while client.call(1, "tools/list", None, Options::default()).is_ok() {}
    let (_, records) = drained(1, |max, batch| client.drain(max, batch).unwrap());
    let codes: Vec<_> = records.iter().map(|record| record.0).collect();
    assert_eq!(codes, [Code::Ready as u32, Code::Writable as u32]);
}

#[test]
fn ranges_are_counted_as_javascript_counts() {
    for bound in [1, 100, usize::MAX] {
        let (mut one, mut other) = (server(Channel::Messages), server(Channel::Messages));
        let (mut bytes, mut units) = (Batch::default(), Batch::default());
        loop {
            one.drain(bound, &mut bytes).unwrap();
            other.drain(bound, &mut units).unwrap();
            units.to_utf16();
            let text: Vec<u16> = units.text.encode_utf16().collect();
            for (in_bytes, in_units) in bytes.records.iter().zip(&units.records) {
                for (range, (start, end)) in in_bytes.texts.iter().zip(in_units.texts) {
                    let cut = String::from_utf16(&text[start as usize..end as usize]).unwrap();
                    assert_eq!(bytes.text(*range), (start != 0).then_some(cut.as_str()));
                }
            }
            if !bytes.more {
                break;
            }
        }
    }
}

/// An empty text is not an absent one.
#[test]
fn absent_texts_are_told_from_empty_ones() {
    let mut server = server(Channel::Messages);
    let (_, records) = drained(usize::MAX, |max, batch| server.drain(max, batch).unwrap());
    let requests: Vec<_> = records.iter().filter(|record| record.0 == Code::Request as u32).collect();
    let (first, last) = (&requests[0].4, &requests[requests.len() - 1].4);
    assert_eq!(first[4..6], [Some(r#"{"x":""}"#.into()), Some(r#"{"y":""}"#.into())]);
    assert_eq!(last[4..6], [None, None]);
}
