//! What bindings see of a client's lists, subscriptions, cache and extensions.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by a panic")]

use mcp_sansio::embed::{Batch, Channel, ClientConnection, Code, Options};
use serde_json::{Value, json};

const CONFIG: &[u8] = br#"{"info":{"name":"c","version":"1"},"cache":true,
    "capabilities":{"extensions":{"com.example/streams":{}}},
    "result_types":{"com.example/streams":["stream"]}}"#;

/// Code, number, handle and the first two texts.
type Seen = (u32, i64, u64, Option<String>, Option<String>);

struct Host(ClientConnection);

impl Host {
    fn drain(&mut self) -> (Vec<Value>, Vec<Seen>) {
        let mut batch = Batch::default();
        self.0.drain(usize::MAX, &mut batch).unwrap();
        let (mut sent, mut seen) = (Vec::new(), Vec::new());
        for record in &batch.records {
            let text = |place: usize| batch.text(record.texts[place]).map(String::from);
            if record.code == Code::Send as u32 {
                sent.push(serde_json::from_str(&text(0).unwrap()).unwrap());
            } else {
                seen.push((record.code, record.number, record.handle, text(0), text(1)));
            }
        }
        (sent, seen)
    }
    fn sent(&mut self) -> Value {
        self.drain().0.pop().unwrap()
    }
    #[allow(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
    fn answer(&mut self, to: &Value, result: Value) -> Vec<Seen> {
        let message = json!({"jsonrpc": "2.0", "id": to["id"], "result": result}).to_string();
        self.0.handle_message(1, message.as_bytes()).unwrap();
        self.drain().1
    }
}

fn host() -> Host {
    let mut host = Host(ClientConnection::new(CONFIG, [1; 32], Channel::Messages).unwrap());
    host.0.start(1, None).unwrap();
    let probe = host.sent();
    let seen = host.answer(
        &probe,
        json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
            "capabilities": {"tools": {}, "extensions": {"com.example/streams": {}}}
        }),
    );
    assert_eq!(seen[0].0, Code::Ready as u32);
    host
}

#[test]
fn lists_hits_and_kinds_have_their_records() {
    let mut host = host();
    let whole = host.0.list_all(1, "tools/list", None, Options::default()).unwrap();
    let sent = host.sent();
    let page = json!({"tools": [1], "nextCursor": "n", "ttlMs": 1000, "cacheScope": "public"});
    assert!(host.answer(&sent, page).is_empty());
    let result = r#"{"tools":[1,2]}"#.to_owned();
    let done = |call, cached| (Code::Completed as u32, cached, call, Some(result.clone()), None);
    // The second page was asked for while the first was drained.
    let last = json!({"id": 3});
    assert_eq!(
        host.answer(&last, json!({"tools": [2], "ttlMs": 1000, "cacheScope": "public"})),
        [done(whole, 0)]
    );
    let hit = host.0.list_all(1, "tools/list", None, Options::default()).unwrap();
    assert_eq!(host.drain(), (vec![], vec![done(hit, 1)]));
    host.0.list_all(1, "tools/list", None, Options { fresh: true, ..Options::default() }).unwrap();
    assert_eq!(host.sent()["method"], "tools/list");

    let call = host.0.call_tool(1, "t", None, Options::default()).unwrap();
    let sent = host.sent();
    let seen = host.answer(&sent, json!({"resultType": "stream"}));
    let kind = Some(String::from("stream"));
    assert_eq!(seen, [(Code::Completed as u32, 0, call, Some(r#"{"resultType":"stream"}"#.into()), kind)]);
    let life = host.0.probe(1).unwrap();
    let sent = host.sent();
    assert_eq!((&sent["method"], host.answer(&sent, json!({}))[0].2), (&json!("server/discover"), life));
    host.0.set_principal(Some("alice")).unwrap();
    assert_eq!(host.0.set_principal(Some(&"a".repeat(300))).unwrap_err().code, "config.invalid");
}

#[test]
fn a_subscription_has_its_record() {
    let mut host = host();
    let call = host.0.subscribe(1, true, false, false, &["file:///a"]).unwrap();
    let sent = host.sent();
    let acknowledged = json!({
        "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "_meta": {"io.modelcontextprotocol/subscriptionId": sent["id"]}, "notifications": {"toolsListChanged": true}
        }
    });
    host.0.handle_message(1, acknowledged.to_string().as_bytes()).unwrap();
    let (filter, missing) = (r#"{"toolsListChanged":true}"#, r#"{"resourceSubscriptions":["file:///a"]}"#);
    assert_eq!(
        host.drain().1,
        [(Code::Subscribed as u32, 0, call, Some(filter.into()), Some(missing.into()))]
    );
    host.0.cancel(1, call, None).unwrap();
    assert_eq!(host.drain().1[0].0, Code::Failed as u32);
    assert_eq!(host.0.subscribe(1, false, false, false, &[]).unwrap_err().code, "send.invalid");
}

/// An error about a method names it.
#[test]
fn errors_about_a_method_name_it() {
    let mut host = host();
    let mut refused = |method: &str| {
        let error = host.0.call(1, method, None, Options::default()).unwrap_err();
        (error.code, error.message)
    };
    assert_eq!(
        refused("prompts/list"),
        ("send.missing_capability", "`prompts/list`: the capability `prompts` was not declared".into())
    );
    assert_eq!(
        refused("resources/subscribe"),
        (
            "send.not_in_revision",
            "`resources/subscribe`: the revision of this request or session does not have it".into()
        )
    );
    let error = host.0.list_all(1, "prompts/list", None, Options::default()).unwrap_err();
    assert!(error.message.starts_with("`prompts/list`: "));
    let error = host.0.notify(1, "notifications/roots/list_changed", None).unwrap_err();
    assert!(error.message.starts_with("`notifications/roots/list_changed`: "));
}

/// Bindings name no method: they say what it is for.
#[test]
fn methods_are_named_by_their_purpose() {
    let host = host();
    for (purpose, method) in [
        ("list_tools", "tools/list"),
        ("list_resources", "resources/list"),
        ("list_templates", "resources/templates/list"),
        ("list_prompts", "prompts/list"),
        ("read_resource", "resources/read"),
        ("get_prompt", "prompts/get"),
        ("complete", "completion/complete"),
    ] {
        assert_eq!(host.0.method_for(purpose), Ok(method));
    }
    assert_eq!(host.0.method_for("fly").unwrap_err().code, "send.invalid");
    let fresh = ClientConnection::new(CONFIG, [1; 32], Channel::Messages).unwrap();
    assert_eq!(fresh.method_for("complete").unwrap_err().code, "send.not_ready");
}

/// A question that asked for progress gets it, while it rises.
#[test]
fn a_question_has_progress() {
    let config = br#"{"info":{"name":"c","version":"1"},"capabilities":{"roots":{}},"probe":false}"#;
    let mut host = Host(ClientConnection::new(config, [1; 32], Channel::Messages).unwrap());
    host.0.start(1, None).unwrap();
    let opening = host.sent();
    let info = json!({"name": "s", "version": "1"});
    host.answer(&opening, json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}));
    let question =
        json!({"jsonrpc": "2.0", "id": 7, "method": "roots/list", "params": {"_meta": {"progressToken": 1}}});
    host.0.handle_message(1, question.to_string().as_bytes()).unwrap();
    let (code, _, input, ..) = host.drain().1.remove(0);
    assert_eq!(code, Code::Input as u32);
    let sent = [1.0, 1.0, 2.0].map(|value| host.0.progress(1, input, value, None, Some("on")).unwrap());
    assert_eq!(sent, [true, false, true]);
    let notices: Vec<_> = host.drain().0.iter().map(|notice| notice["params"]["progress"].clone()).collect();
    assert_eq!(notices, [json!(1), json!(2)]);
}
