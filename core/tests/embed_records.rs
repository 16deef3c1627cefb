//! The trace and the audit as a binding takes them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use mcp_sansio::{
    embed::{Batch, Channel, Code, ServerConnection},
    trace::TraceRecord,
};

const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// Code, number, handle, related, texts.
type Seen = (u32, i64, u64, u64, Vec<Option<String>>);

fn taken(config: &str) -> Vec<Seen> {
    let config = format!(
        r#"{{"info":{{"name":"s","version":"1"}},"tools":[{{"name":"t","inputSchema":{{"type":"object"}}}}],{config}}}"#
    );
    let mut server = ServerConnection::new(config.as_bytes(), [1; 32], Channel::Messages).unwrap();
    server.handle_message(5, CALL).unwrap();
    server.respond(8, 1, br#"{"content":[]}"#, 0, false).unwrap();
    let (mut batch, mut all) = (Batch::default(), Vec::new());
    loop {
        server.drain(1 << 20, &mut batch).unwrap();
        all.extend(batch.records.iter().map(|record| {
            let texts = record.texts.iter().map(|range| batch.text(*range).map(Into::into)).collect();
            (record.code, record.number, record.handle, record.related, texts)
        }));
        if !batch.more {
            return all;
        }
    }
}

#[test]
fn a_record_of_the_audit_has_its_texts() {
    let records = taken(r#""audit":true"#);
    let audit: Vec<_> = records.iter().filter(|record| record.0 == Code::Audit as u32).collect();
    let [(_, 0, 8, 3, texts)] = audit.as_slice() else { panic!("{audit:?}") };
    let texts: Vec<_> = texts.iter().map(Option::as_deref).collect();
    let expected = [Some("request"), Some("tools/call"), Some("t"), Some("ok"), None, Some("2026-07-28")];
    assert_eq!(texts[..6], expected);
}

#[test]
fn a_record_of_the_trace_has_its_texts_and_its_line() {
    let records = taken(r#""trace":true"#);
    let trace: Vec<_> = records.iter().filter(|record| record.0 == Code::Trace as u32).collect();
    let kinds: Vec<_> = trace.iter().map(|record| (record.1, record.2)).collect();
    assert_eq!(kinds, [(0, 5), (2, 8), (3, 8), (1, 8)]);
    for (_, _, at, related, texts) in trace {
        let line = TraceRecord::from_json(texts[4].as_deref().unwrap().as_bytes()).unwrap();
        assert_eq!((line.at.as_nanos(), line.handle), (*at, *related));
        assert_eq!(texts[0].as_deref(), Some(&*line.text));
        assert_eq!(texts[2].as_deref().unwrap_or_default(), line.name);
        assert_eq!(texts[3].as_deref().unwrap_or_default(), line.outcome);
    }
    assert!(taken(r#""trace":false"#).iter().all(|record| record.0 != Code::Trace as u32));
}
