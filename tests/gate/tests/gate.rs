//! What the gate lets through and what not. Without `MCP_SPEC_DIR` nothing is known of the schemas, and nothing is tested.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]
use mcp_sansio::method::Side;
use mcp_sansio_gate::Gate;
use serde_json::{Value, json};

const MODERN: &str = "2026-07-28";

fn known() -> bool {
    std::env::var("MCP_SPEC_DIR").is_ok_and(|named| named != "none")
}

/// A conversation in which this end has this side, after the handshake if the revision has one.
fn talking(side: Side, revision: &str) -> Gate {
    let mut gate = Gate::uncounted(side);
    if revision != MODERN {
        let initialize = json!({"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}});
        let answer = json!({"jsonrpc": "2.0", "id": "open", "result": {
            "protocolVersion": revision, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}});
        let (first, second) = (initialize.to_string(), answer.to_string());
        if side == Side::Client {
            gate.sent(&first).expect("a good request");
            gate.received(second.as_bytes());
        } else {
            gate.received(first.as_bytes());
            gate.sent(&second).expect("a good answer");
        }
    }
    gate
}

fn request(revision: &str, id: u64, method: &str, mut params: Value) -> Value {
    if let Some(params) = params.as_object_mut().filter(|_| revision == MODERN) {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {}});
        params.insert("_meta".into(), meta);
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn result(id: u64, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

#[test]
fn a_result_is_judged_by_its_request_and_revision() {
    if !known() {
        return;
    }
    let complete = json!({"resultType": "complete", "content": []});
    let asks = json!({"resultType": "input_required", "inputRequests": {"q": {"method": "roots/list"}}});
    let malformed = json!({"resultType": "input_required", "inputRequests": {"q": {"method": "no/such"}}});
    for (revision, method, params, good, bad) in [
        ("2024-11-05", "tools/call", json!({"name": "t"}), json!({"content": []}), json!({})),
        ("2025-03-26", "ping", json!({}), json!({}), json!([])),
        ("2025-06-18", "tools/list", json!({}), json!({"tools": []}), json!({"content": []})),
        (
            "2025-11-25",
            "resources/read",
            json!({"uri": "a:b"}),
            json!({"contents": []}),
            json!({"contents": [1]}),
        ),
        (MODERN, "tools/call", json!({"name": "t"}), complete.clone(), json!({"content": []})),
        (MODERN, "tools/call", json!({"name": "t"}), asks.clone(), malformed),
        (
            MODERN,
            "tools/list",
            json!({}),
            json!({"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private"}),
            asks,
        ),
    ] {
        let mut gate = talking(Side::Server, revision);
        gate.received(request(revision, 1, method, params).to_string().as_bytes());
        assert!(gate.sent(&result(1, &bad)).is_err(), "{revision} {method} {bad}");
        assert_eq!(gate.sent(&result(1, &good)), Ok(()), "{revision} {method} {good}");
        assert!(gate.sent(&result(1, &good)).is_err(), "{revision} {method}: it has its answer");
    }
}

#[test]
fn requests_and_notices_are_judged_by_their_method() {
    if !known() {
        return;
    }
    let mut client = talking(Side::Client, "2025-06-18");
    assert!(client.sent(&request("", 1, "tools/call", json!({"arguments": {}})).to_string()).is_err());
    assert_eq!(client.sent(&request("", 1, "tools/call", json!({"name": "t"})).to_string()), Ok(()));
    assert!(client.sent(&request("", 2, "sampling/createMessage", json!({})).to_string()).is_err());
    assert_eq!(client.sent(&request("", 2, "no/such", json!({})).to_string()), Ok(()), "nobody knows it");
    assert!(client.sent(&request("", 3, "server/discover", json!({})).to_string()).is_err(), "too new");
    let progress = |token: Value| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1}});
    assert_eq!(client.sent(&progress(json!("t")).to_string()), Ok(()));
    assert!(client.sent(&progress(json!(null)).to_string()).is_err());
    let mut modern = talking(Side::Client, MODERN);
    assert!(
        modern.sent(&request("", 1, "tools/list", json!({})).to_string()).is_err(),
        "no `_meta`, no session"
    );
    assert_eq!(modern.sent(&request(MODERN, 1, "tools/list", json!({})).to_string()), Ok(()));
}

/// Errors: without an id only where it could not be read, and of a code with a type of its own as that type says.
#[test]
fn errors_are_judged_by_their_code() {
    if !known() {
        return;
    }
    let error = |id: Option<Value>, error: Value| {
        let mut message = json!({"jsonrpc": "2.0", "error": error});
        if let (Some(id), Some(message)) = (id, message.as_object_mut()) {
            message.insert("id".into(), id);
        }
        message.to_string()
    };
    let plain = json!({"code": -32600, "message": "m"});
    for (revision, null) in [("2024-11-05", true), ("2025-06-18", true), ("2025-11-25", false)] {
        let mut gate = talking(Side::Server, revision);
        assert_eq!(gate.sent(&error(None, plain.clone())), Ok(()), "{revision}");
        assert_eq!(gate.sent(&error(Some(Value::Null), plain.clone())).is_ok(), null, "{revision}");
        assert!(gate.sent(&error(Some(json!(1)), json!({"code": "x", "message": "m"}))).is_err());
        assert!(gate.sent(&error(Some(json!(0.5)), plain.clone())).is_err());
    }
    let mut gate = talking(Side::Server, MODERN);
    gate.received(request(MODERN, 1, "tools/call", json!({"name": "t"})).to_string().as_bytes());
    let missing = |data: Value| error(Some(json!(1)), json!({"code": -32021, "message": "m", "data": data}));
    assert!(gate.sent(&missing(json!({}))).is_err());
    assert_eq!(gate.sent(&missing(json!({"requiredCapabilities": {"roots": {}}}))), Ok(()));
}

#[test]
fn batches_are_of_one_revision() {
    if !known() {
        return;
    }
    let ping = |id: u64| request("", id, "ping", json!({}));
    let answers = json!([{"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "m"}}]);
    for (revision, allowed) in [("2025-03-26", true), ("2025-06-18", false)] {
        let mut gate = talking(Side::Server, revision);
        gate.received(json!([ping(1)]).to_string().as_bytes());
        assert_eq!(gate.sent(&answers.to_string()).is_ok(), allowed, "{revision}");
        assert!(gate.sent("[]").is_err());
    }
}

/// `client/elicitation`: numbers may be fractions, which the schemas forget.
#[test]
fn fractions_in_a_form_are_allowed_and_nothing_else() {
    if !known() {
        return;
    }
    let form = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {}}});
    let mut client = talking(Side::Client, "2025-06-18");
    client.received(request("", 1, "elicitation/create", form).to_string().as_bytes());
    assert!(client.sent(&result(1, &json!({"action": "accept", "content": {"n": {}}}))).is_err());
    assert_eq!(client.sent(&result(1, &json!({"action": "accept", "content": {"n": 1.5}}))), Ok(()));
    let mut modern = talking(Side::Client, MODERN);
    for (answer, good) in [
        (json!({"action": "accept", "content": {"n": 1.5}}), true),
        (json!({"action": "accept", "content": {"n": null}}), false),
    ] {
        let retry = request(MODERN, 1, "tools/call", json!({"name": "t", "inputResponses": {"q": answer}}));
        assert_eq!(modern.sent(&retry.to_string()).is_ok(), good, "{retry}");
    }
}

/// What JSON allows and this reader can't hold is still read: halves of pairs, numbers beyond a double.
#[test]
fn awkward_json_is_read() {
    if !known() {
        return;
    }
    let mut gate = talking(Side::Server, "2025-06-18");
    gate.received(br#"{"jsonrpc":"2.0","id":1e400,"method":"ping","params":{"x":"\ud83d"}}"#);
    assert_eq!(gate.sent(r#"{"jsonrpc":"2.0","id":1e400,"result":{}}"#), Ok(()));
}
