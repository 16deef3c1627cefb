//! What a binding says of a server's channel and answers for an extension.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use mcp_sansio::embed::{Batch, Channel, Code, ServerConnection};
use serde_json::{Value, json};

const CONFIG: &[u8] = br#"{"info":{"name":"s","version":"1"},"page_size":1,
    "tools":[{"name":"all","inputSchema":{"type":"object"}},{"name":"some","inputSchema":{"type":"object"}},
        {"name":"last","inputSchema":{"type":"object"}}],
    "visible_to":{"tools":{"some":["staff"]}},
    "seal_keys":["AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="],
    "capabilities":{"tools":{},"extensions":{"com.example/streams":{}}},
    "result_types":{"com.example/streams":["stream"]}}"#;

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"com.example/streams": {}}},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// The answers, and the handles of the requests that were delivered.
fn told(server: &mut ServerConnection) -> (Vec<Value>, Vec<u64>) {
    let mut batch = Batch::default();
    server.drain(usize::MAX, &mut batch).unwrap();
    let (mut sent, mut asked) = (Vec::new(), Vec::new());
    for record in &batch.records {
        if record.code == Code::Send as u32 {
            sent.push(serde_json::from_str(batch.text(record.texts[0]).unwrap()).unwrap());
        } else if record.code == Code::Request as u32 {
            asked.push(record.handle);
        }
    }
    (sent, asked)
}

fn listed(principal: &str, groups: &[&str], seed: u8, cursor: Option<&Value>) -> Value {
    let channel = Channel::Messages;
    let mut server = ServerConnection::new_for(CONFIG, [seed; 32], channel, Some(principal), groups).unwrap();
    let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
    server.handle_message(0, modern("tools/list", params).to_string().as_bytes()).unwrap();
    told(&mut server).0.remove(0)
}

/// The channel's principal and groups decide what is seen and whose cursors are good; shared keys make them good for
/// another instance of the service.
#[test]
fn a_channel_belongs_to_someone() {
    let first = listed("ada", &["staff"], 1, None);
    let cursor = &first["result"]["nextCursor"];
    assert_eq!(listed("ada", &["staff"], 2, Some(cursor))["result"]["tools"][0]["name"], "some");
    assert!(listed("bob", &["staff"], 2, Some(cursor))["error"].is_object());
    let first = listed("ada", &[], 1, None);
    assert_eq!(
        listed("ada", &[], 2, first["result"].get("nextCursor"))["result"]["tools"][0]["name"],
        "last"
    );
    let long = "x".repeat(257);
    let refused =
        ServerConnection::new_for(CONFIG, [1; 32], Channel::Stream, Some(&long), &[]).err().unwrap();
    assert_eq!(refused.code, "config.invalid");
}

/// A kind of result that an extension defines is written with its `resultType`.
#[test]
fn an_extension_answers_with_its_kind() {
    let mut server = ServerConnection::new(CONFIG, [1; 32], Channel::Messages).unwrap();
    server.handle_message(0, modern("tools/call", json!({"name": "all"})).to_string().as_bytes()).unwrap();
    let request = told(&mut server).1[0];
    assert_eq!(server.respond_extension(0, request, "stream", b"{").unwrap_err().code, "send.invalid");
    assert!(server.respond_extension(0, request, "other", b"{}").is_err());
    server.respond_extension(0, request, "stream", br#"{"at":1}"#).unwrap();
    let answer = &told(&mut server).0[0]["result"];
    assert_eq!((&answer["resultType"], &answer["at"]), (&json!("stream"), &json!(1)));
}
