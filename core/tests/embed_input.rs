//! Questions and answers as a binding sees them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use mcp_sansio::embed::{Batch, Channel, Code, Record, ServerConnection};
use serde_json::{Value, json};

const CONFIG: &str = r#"{"info":{"name":"s","version":"1"},"capabilities":{"tools":{}}}"#;

struct Server(ServerConnection);

impl Server {
    fn new() -> Self {
        Self(ServerConnection::new(CONFIG.as_bytes(), [1; 32], Channel::Messages).unwrap())
    }
    fn tell(&mut self, message: &Value) -> Vec<(Record, Vec<Option<String>>)> {
        self.0.handle_message(0, message.to_string().as_bytes()).unwrap();
        self.records()
    }
    fn records(&mut self) -> Vec<(Record, Vec<Option<String>>)> {
        let mut batch = Batch::default();
        self.0.drain(1 << 20, &mut batch).unwrap();
        let texts = |record: &Record| {
            record.texts.iter().map(|range| batch.text(*range).map(str::to_owned)).collect()
        };
        batch.records.iter().map(|record| (*record, texts(record))).collect()
    }
}

fn parsed(text: Option<&String>) -> Value {
    serde_json::from_str(text.unwrap()).unwrap()
}

#[test]
fn a_modern_round() {
    let mut server = Server::new();
    let call = |id: u64, more: Value| {
        let mut params = json!({"name": "x", "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
        }});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let (request, _) = server.tell(&call(1, json!({}))).remove(0);
    assert_eq!(request.code, Code::Request as u32);
    for wrong in [&b"[]"[..], b"{", b"{\"a\":{}}", b"{\"a\":1}"] {
        let refused = server.0.respond_input_required(0, request.handle, wrong, None).unwrap_err();
        assert_eq!(refused.code, "send.invalid");
    }
    let questions = br#"{"\u0061":{"method":"roots/list"},"b":{"method":"roots/list","params":{}}}"#;
    server.0.respond_input_required(0, request.handle, questions, Some(b"\x00\xff")).unwrap();
    let sent = parsed(server.records()[0].1[0].as_ref());
    assert_eq!(sent["result"]["inputRequests"]["a"], json!({"method": "roots/list"}));
    let more =
        json!({"requestState": sent["result"]["requestState"], "inputResponses": {"b": {"roots": []}}});
    let records = server.tell(&call(2, more));
    let (answers, texts) = &records[0];
    assert_eq!((answers.code, answers.number, answers.related), (Code::Answers as u32, 1, 0));
    assert_eq!((records[1].0.code, records[1].0.handle), (Code::Request as u32, answers.handle));
    assert_eq!(parsed(texts[0].as_ref()), json!({"b": {"roots": []}}));
    assert_eq!(texts[1].as_deref(), Some("AP8="));
    assert_eq!(parsed(texts[2].as_ref()), json!({}));
    assert_eq!(texts[3].as_ref().unwrap().len(), 32);
    assert_eq!(parsed(texts[4].as_ref()), json!({}));
}

#[test]
fn a_legacy_round() {
    let mut server = Server::new();
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {}, "elicitation": {"url": {}}},
        "clientInfo": {"name": "c", "version": "1"}});
    server.tell(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
    server.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}});
    let (request, _) = server.tell(&call).remove(0);
    let questions = json!({"r": {"method": "roots/list"}, "u": {"method": "elicitation/create",
        "params": {"mode": "url", "message": "m", "url": "https://a.test/"}}});
    server.0.respond_input_required(0, request.handle, questions.to_string().as_bytes(), None).unwrap();
    let asked: Vec<Value> = server.records().iter().map(|(_, texts)| parsed(texts[0].as_ref())).collect();
    server.tell(&json!({"jsonrpc": "2.0", "id": asked[0]["id"],
        "error": {"code": -1, "message": "n\u{1}", "data": [1]}}));
    let records =
        server.tell(&json!({"jsonrpc": "2.0", "id": asked[1]["id"], "result": {"action": "accept"}}));
    let (answers, texts) = &records[0];
    assert_eq!((answers.code, answers.number, answers.related), (Code::Answers as u32, 1, request.handle));
    assert_eq!(parsed(texts[0].as_ref()), json!({"u": {"action": "accept"}}));
    assert_eq!(texts[1], None);
    let failed = json!({"r": {"code": "call.rpc", "error": {"code": -1, "message": "n\u{1}", "data": [1]}}});
    assert_eq!(parsed(texts[2].as_ref()), failed);
    assert_eq!(texts[3], None);
    assert_eq!(parsed(texts[4].as_ref()), json!({"u": asked[1]["params"]["elicitationId"]}));
}
