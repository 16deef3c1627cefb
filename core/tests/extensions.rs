//! Extensions, which count when both sides declare them, and what stays raw: `basic/versioning`, `basic/index` (`_meta`),
//! `client/roots`.
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
    error::{CallError, SendError},
    event::{Event, Outcome},
    method,
    session::{CallOptions, Client, ClientConfig, ServerConfig},
};
use serde_json::{Value, json};

const TASKS: &str = "io.modelcontextprotocol/tasks";
const OWN: &str = "com.example/streams";

fn declaring(extensions: &[&str]) -> Value {
    let all: serde_json::Map<String, Value> =
        extensions.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    json!({"tools": {}, "extensions": all})
}

fn client_of(config: ClientConfig, server: &Value) -> Host<Client> {
    let mut host = start(config);
    let probe = host.one();
    let mut described = discover_result(&[MODERN]);
    described["capabilities"] = server.clone();
    host.tell(&answer(&probe, &described));
    host.event();
    host
}

fn config(extensions: &[&str]) -> ClientConfig {
    let declared = declaring(extensions).to_string();
    client_config()
        .capabilities(declared.as_bytes())
        .unwrap()
        .result_types(OWN, &["stream", "chunk"])
        .unwrap()
}

/// `basic/versioning`: a method of an extension is for those who both declare it.
/// R-VER-006 R-VER-007
#[test]
fn a_client_calls_what_both_declare() {
    let both = [TASKS];
    let mut host = client_of(config(&both), &declaring(&both));
    let params = json(r#"{"taskId":"1"}"#);
    host.machine.call(host.now, "tasks/get", Some(params), CallOptions::new()).unwrap();
    assert_eq!(host.one()["params"]["taskId"], "1");
    for (ours, theirs) in [(&both[..], &[][..]), (&[], &both), (&[], &[]), (&[OWN], &both)] {
        let mut host = client_of(config(ours), &declaring(theirs));
        let refused = host.machine.call(host.now, "tasks/get", Some(params), CallOptions::new());
        assert_eq!(refused, Err(SendError::MissingCapability(TASKS)), "{ours:?} {theirs:?}");
        host.silent();
    }
}

/// `basic/index`: the kinds of results are those of the protocol and of the extensions that both declare; a kind is told
/// by `resultType` alone and comes with the result.
#[test]
fn a_client_takes_kinds_that_both_declare() {
    let cases = [
        (&[TASKS, OWN][..], &[TASKS, OWN][..], "task", true),
        (&[TASKS, OWN], &[TASKS, OWN], "chunk", true),
        (&[OWN], &[TASKS, OWN], "task", false),
        (&[TASKS, OWN], &[OWN], "task", false),
        (&[TASKS], &[TASKS], "stream", false),
        (&[TASKS, OWN], &[TASKS, OWN], "other", false),
        (&[], &[], "complete", true),
    ];
    for (ours, theirs, kind, taken) in cases {
        let mut host = client_of(config(ours), &declaring(theirs));
        let params = json(r#"{"name":"t"}"#);
        let call = host.machine.call(host.now, "tools/call", Some(params), CallOptions::new()).unwrap();
        let sent = host.one();
        host.tell(&answer(&sent, &json!({"resultType": kind, "content": [], "taskId": "1"})));
        let Event::Completed { call: of, outcome } = host.event() else { panic!("no outcome") };
        assert_eq!(of, call);
        match outcome {
            Ok(completion) => {
                assert!(taken, "{ours:?} {theirs:?} {kind}");
                assert_eq!(completion.kind.as_deref(), (kind != "complete").then_some(kind));
                assert_eq!(completion.result.decode::<Value>().unwrap()["taskId"], "1");
            }
            Err(error) => {
                assert!(!taken, "{ours:?} {theirs:?} {kind}");
                assert!(
                    matches!(*error, CallError::InvalidResult(fault) if fault.code == "fault.result_type")
                );
            }
        }
    }
    let bad = client_config().result_types(OWN, &["input_required"]).err().unwrap();
    assert_eq!(bad.field, "result_types");
}

/// The legacy era has neither extensions nor kinds.
#[test]
fn the_legacy_era_has_no_extensions() {
    let mut host = legacy_client(config(&[TASKS]));
    let params = json(r#"{"name":"t"}"#);
    let call = host.machine.call(host.now, "tools/call", Some(params), CallOptions::new()).unwrap();
    let sent = host.one();
    host.tell(&answer(&sent, &json!({"resultType": "task", "content": []})));
    let Event::Completed { call: of, outcome: Ok(completion) } = host.event() else { panic!("no result") };
    assert_eq!((of, completion.kind), (call, None), "a member like any other");
}

fn server_of(extensions: &[&str]) -> ServerConfig {
    let declared = declaring(extensions).to_string();
    ServerConfig::new("server", "1")
        .capabilities(declared.as_bytes())
        .unwrap()
        .result_types(OWN, &["stream"])
        .unwrap()
}

fn asked(id: u64, method: &str, params: Value, extensions: &[&str]) -> Value {
    let mut message = modern(id, method, params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = declaring(extensions);
    message
}

/// R-CAP-007, R-MET-013, R-MET-014: a method of an extension reaches the application if this server and this very request
/// declare it.
/// R-VER-007
#[test]
fn a_server_serves_what_both_declare() {
    let params = json!({"taskId": "1"});
    let mut host = serve(server_of(&[TASKS]));
    host.tell(&asked(1, "tasks/get", params.clone(), &[TASKS]));
    let request = host.request();
    assert_eq!((&*request.method().name(), request.name().as_deref()), ("tasks/get", Some("1")));
    host.respond(request.handle(), r#"{"status":"working"}"#);
    assert_eq!(host.one()["result"]["status"], "working");
    let refused = host.ask(&asked(2, "tasks/get", params.clone(), &[OWN]));
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(refused["error"]["data"], json!({"requiredCapabilities": {"extensions": {TASKS: {}}}}));
    let refused = host.ask(&asked(3, "tasks/get", json!({}), &[TASKS]));
    assert_eq!(refused["error"]["code"], -32602);

    let mut host = serve(server_of(&[OWN]).unknown_methods(true));
    assert_eq!(host.ask(&asked(1, "tasks/get", params, &[TASKS]))["error"]["code"], -32601);
    host.tell(&asked(2, "streams/open", json!({}), &[OWN]));
    assert_eq!(host.request().method().name(), "streams/open", "of an extension that the table lacks");
}

/// R-MET-013: a kind of result that an extension defines is sent to those who declare it in the request that it answers.
/// R-RTY-002
#[test]
fn a_server_answers_with_kinds_that_both_declare() {
    let respond = |server: &[&str], client: &[&str], result_type: &str| {
        let mut host = serve(server_of(server));
        host.tell(&asked(1, "tools/call", json!({"name": "t"}), client));
        let handle = host.request().handle();
        let outcome = Outcome::Extension { result_type, result: json(r#"{"taskId":"1"}"#) };
        let answered = host.machine.respond(host.now, handle, outcome);
        if answered.is_err() {
            host.silent();
            host.respond(handle, r#"{"content":[]}"#);
        }
        answered.map(|()| host.one()["result"].clone())
    };
    let sent = respond(&[TASKS], &[TASKS], "task").unwrap();
    assert_eq!((&sent["resultType"], &sent["taskId"]), (&json!("task"), &json!("1")));
    assert!(sent["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    assert_eq!(respond(&[OWN], &[TASKS, OWN], "stream").unwrap()["resultType"], "stream");
    let missing = Err(SendError::MissingCapability("extensions"));
    assert_eq!(respond(&[TASKS], &[], "task"), missing);
    assert_eq!(respond(&[], &[TASKS], "task"), missing);
    assert!(matches!(respond(&[TASKS], &[TASKS], "no-such"), Err(SendError::Invalid(_))));
    assert!(matches!(respond(&[TASKS], &[TASKS], "complete"), Err(SendError::Invalid(_))));

    let mut host = session(server_config(), NEWEST, &declaring(&[TASKS]));
    host.tell(&call(1, "echo"));
    let handle = host.request().handle();
    let outcome = Outcome::Extension { result_type: "task", result: json("{}") };
    assert_eq!(host.machine.respond(host.now, handle, outcome), Err(SendError::NotInRevision));
    assert_eq!(
        host.machine.respond(host.now, mcp_sansio::RequestHandle::from_u64(99), outcome),
        Err(SendError::UnknownHandle)
    );
}

/// R-CAP-009: `experimental` passes through in both directions, and decides nothing.
#[test]
fn experimental_capabilities_pass_through() {
    let experimental = json!({"experimental": {"x": {"y": 1}}});
    let declared = experimental.to_string();
    let mut host = start(client_config().capabilities(declared.as_bytes()).unwrap());
    let probe = host.one();
    let meta = &probe["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], experimental);
    let mut described = discover_result(&[MODERN]);
    described["capabilities"] = experimental.clone();
    host.tell(&answer(&probe, &described));
    let Event::Ready(ready) = host.event() else { panic!("not ready") };
    assert_eq!(ready.capabilities.unwrap().decode::<Value>().unwrap(), experimental);
}

/// The official extensions are those whose methods the table has.
#[test]
fn the_table_knows_the_extensions_of_its_rows() {
    for row in method::rows() {
        let known = |name| method::EXTENSIONS.iter().any(|extension| extension.name == name);
        assert!(row.extension.is_none_or(known), "{}", row.name);
    }
}

/// A `ping` in the legacy era, `server/discover` in the modern one, and never from the cache.
#[test]
fn a_probe_shows_life() {
    let mut host = modern_client(client_config());
    for _ in 0..2 {
        let call = host.machine.probe(host.now).unwrap();
        let sent = host.one();
        assert_eq!(sent["method"], "server/discover");
        let mut described = discover_result(&[MODERN]);
        described["ttlMs"] = 60_000.into();
        host.tell(&answer(&sent, &described));
        assert_eq!(host.outcome(call).unwrap()["supportedVersions"], json!([MODERN]));
    }
    let mut host = legacy_client(client_config());
    let call = host.machine.probe(host.now).unwrap();
    let sent = host.one();
    assert_eq!((&sent["method"], sent.get("params")), (&json!("ping"), None));
    host.tell(&answer(&sent, &json!({})));
    assert_eq!(host.outcome(call).unwrap(), json!({}));
    let call = host.machine.probe(host.now).unwrap();
    host.wait(seconds(10));
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { .. })));
    let mut idle = Host::new(Client::new(std::sync::Arc::new(client_config()), mcp_sansio::Seed([0; 32])));
    assert_eq!(idle.machine.probe(idle.now), Err(SendError::NotReady));
}

/// R-ROO-002, R-ROO-003: each root has a `file://` URI; other answers are refused and may be given again.
#[test]
fn roots_are_files() {
    let roots = client_config().capabilities(br#"{"roots":{}}"#).unwrap();
    let mut host = legacy_client(roots);
    host.tell(&request(7, "roots/list", json!({})));
    let Event::Input(input) = host.event() else { panic!("no question") };
    let mut give = |text: &str| host.machine.answer(host.now, input.input, result(text));
    for wrong in [
        r#"{"roots":[{"uri":"file:///a"},{"uri":"https://example.com/"}]}"#,
        r#"{"roots":[{"name":"a"}]}"#,
        r#"{"roots":[{"uri":7}]}"#,
        r#"{"roots":["file:///a"]}"#,
        r#"{"roots":[{"uri":"file:a"}]}"#,
    ] {
        assert!(matches!(give(wrong), Err(SendError::Invalid(_))), "{wrong}");
    }
    give(r#"{"roots":[{"uri":"file:///a","name":"A"},{"uri":"FILE://host/b","_meta":{"k":1}}]}"#).unwrap();
    let sent = host.one();
    assert_eq!(sent["id"], 7);
    assert_eq!(sent["result"]["roots"][1]["_meta"], json!({"k": 1}));

    host.tell(&request(8, "roots/list", json!({})));
    let Event::Input(input) = host.event() else { panic!("no question") };
    let kind = Outcome::Extension { result_type: "task", result: json("{}") };
    assert!(matches!(host.machine.answer(host.now, input.input, kind), Err(SendError::Invalid(_))));
    host.machine.answer(host.now, input.input, result(r#"{"roots":[]}"#)).unwrap();
    assert_eq!(host.one()["result"], json!({"roots": []}));
}

/// R-ROO-001, R-ROO-004, R-ROO-005, R-ROO-006: a change of the roots is told where `roots.listChanged` was declared, and
/// in the legacy era alone; without `roots` a server is told that there are none to ask for.
#[test]
fn a_change_of_the_roots_is_told_where_declared() {
    let changed = "notifications/roots/list_changed";
    let with = |capabilities: &str| client_config().capabilities(capabilities.as_bytes()).unwrap();
    let mut host = legacy_client(with(r#"{"roots":{"listChanged":true}}"#));
    host.machine.notify(host.now, changed, None).unwrap();
    assert_eq!(host.one()["method"], changed);
    for capabilities in [r#"{"roots":{}}"#, r#"{"roots":{"listChanged":false}}"#, "{}"] {
        let mut host = legacy_client(with(capabilities));
        let refused = host.machine.notify(host.now, changed, None);
        assert_eq!(refused, Err(SendError::MissingCapability("roots.listChanged")));
        host.silent();
    }
    let mut host = modern_client(with(r#"{"roots":{"listChanged":true}}"#));
    assert_eq!(host.machine.notify(host.now, changed, None), Err(SendError::NotInRevision));
    host.silent();
    let mut host = legacy_client(client_config());
    assert_eq!(host.ask(&request(1, "roots/list", json!({})))["error"]["code"], -32601);
}

/// R-MET-017, R-MET-018: trace context and other keys of an application go out as they are, in both eras, beside those of
/// the engine, and reach the other application.
#[test]
fn trace_context_is_handed_through() {
    let meta = json!({
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01", "tracestate": "vendor=1",
        "baggage": "user=1", "com.example/key": [1.50], "com.example.mcp/key": 1, "": 0
    });
    let text = meta.to_string();
    for mut host in [modern_client(client_config()), legacy_client(client_config())] {
        let options = CallOptions::new().progress(true).meta(Some(json(&text)));
        let (_, sent) = host.call_with("tools/list", options);
        let written = sent["params"]["_meta"].as_object().unwrap();
        for (key, value) in meta.as_object().unwrap() {
            assert_eq!(written.get(key), Some(value), "{key}");
        }
        assert_eq!(written["progressToken"], sent["id"]);
    }
    let mut host = serve(server_config());
    host.tell(&modern(1, "tools/call", json!({"name": "echo", "_meta": meta.clone()})));
    let request = host.request();
    let got: Value = request.meta().unwrap().decode().unwrap();
    assert_eq!(got["traceparent"], meta["traceparent"]);
    host.respond(
        request.handle(),
        &json!({"content": [], "_meta": {"traceparent": meta["traceparent"]}}).to_string(),
    );
    assert_eq!(host.one()["result"]["_meta"]["traceparent"], meta["traceparent"]);
}

/// R-MET-002, R-MET-003, R-MET-005, R-MET-017: keys have the form of `basic/index`; reserved prefixes, by the rule of any
/// revision, are not an application's, and a trace context has its own form.
#[test]
fn malformed_and_reserved_keys_are_refused() {
    let mut host = modern_client(client_config());
    let mut refused = |key: &str, value: &Value| {
        let meta = json!({key: value}).to_string();
        let options = CallOptions::new().meta(Some(json(&meta)));
        let in_options = host.machine.call(host.now, "tools/list", None, options);
        let params = json!({"_meta": {key: value}}).to_string();
        let in_params = host.machine.call(host.now, "tools/list", Some(json(&params)), CallOptions::new());
        assert_eq!(in_options.is_err(), in_params.is_err(), "{key}");
        assert!(in_options.err().is_none_or(|error| matches!(error, SendError::Invalid(_))));
        in_params.is_err()
    };
    for key in [
        "io.modelcontextprotocol/x",
        "dev.mcp/x",
        "org.modelcontextprotocol.api/x",
        "com.mcp.tools/x",
        "mcp.dev/x",
        "modelcontextprotocol.io/",
        "tools.mcp.com/x",
        "io.modelcontextprotocol/protocolVersion",
        "1com.example/x",
        "com.example-/x",
        "com..example/x",
        "/x",
        "com_x.example/x",
        "-x",
        "x-",
        "a b",
        "x/y/z",
        "com.example/_x",
    ] {
        assert!(refused(key, &json!(1)), "{key}");
    }
    for key in ["x", "a.b-c_d", "com.example/", "com.example/x", "com.example.mcp/x", "mcp/x", "e/x"] {
        assert!(!refused(key, &json!(1)), "{key}");
    }
    let parent = "0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7";
    for (value, wrong) in [
        (json!(format!("00-{parent}-01")), false),
        (json!(format!("01-{parent}-01-more")), false),
        (json!(format!("00-{parent}-01-more")), true),
        (json!(format!("ff-{parent}-01")), true),
        (json!(format!("00-{}-01", parent.to_uppercase())), true),
        (json!("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), true),
        (json!("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"), true),
        (json!(""), true),
        (json!(7), true),
    ] {
        assert_eq!(refused("traceparent", &value), wrong, "{value}");
    }
    for (key, value, good) in [
        ("tracestate", "", true),
        ("tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", true),
        ("tracestate", "fw529a3039@dt=FfAAAD , a=1", true),
        ("tracestate", "Rojo=1", false),
        ("tracestate", "rojo", false),
        ("tracestate", "rojo=", false),
        ("tracestate", "rojo=a=b", false),
        ("tracestate", "rojo=\u{e9}", false),
        ("baggage", "userId=alice,serverNode=DF%2028;p;q=1 , isProduction=false", true),
        ("baggage", "", false),
        ("baggage", "userId", false),
        ("baggage", "user id=1", false),
        ("baggage", "userId=a b", false),
        ("baggage", "userId=\u{e9}", false),
    ] {
        assert_eq!(refused(key, &json!(value)), !good, "{key}: {value}");
    }
    let many = vec!["a=1"; 33].join(",");
    assert!(refused("tracestate", &json!(many)) && !refused("tracestate", &json!(many[4..])));
    assert!(refused("baggage", &json!(1)) && refused("tracestate", &json!(null)));
}

/// R-LOG-006, R-MET-019: what a later server may say that this build does not know comes as it is.
#[test]
fn unknown_values_survive() {
    let mut host = modern_client(client_config());
    let params =
        json!({"level": "shouting", "data": {"n": 1.5}, "extra": [1], "_meta": {"com.example/k": 1}});
    host.tell(&notice("notifications/message", params.clone()));
    let Event::Notification { call: None, params: Some(got), .. } = host.event() else { panic!("no notice") };
    assert_eq!(got.decode::<Value>().unwrap(), params);
    let (call, sent) = host.call("tools/list");
    let raw = r#"{"resultType":"complete","tools":[],"content":[{"type":"hologram","size":1e3}],"_meta":{"a":null}}"#;
    host.tell_text(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{raw}}}"#, sent["id"]));
    let Event::Completed { call: of, outcome: Ok(completion) } = host.event() else { panic!("no result") };
    assert_eq!((of, completion.result.as_str()), (call, raw));
}

/// R-VER-005: identifiers of extensions are keys as of `_meta`, with a prefix; settings are objects.
#[test]
fn identifiers_of_extensions_have_a_prefix() {
    let declared = |name: &str, settings: Value| json!({"extensions": {name: settings}}).to_string();
    for good in [TASKS, OWN, "a.b-c1/x.y_z-1", "com.example/"] {
        let text = declared(good, json!({"any": 1}));
        assert!(client_config().capabilities(text.as_bytes()).is_ok(), "{good}");
        assert!(server_config().capabilities(text.as_bytes()).is_ok(), "{good}");
        assert!(server_config().result_types(good, &["k"]).is_ok(), "{good}");
    }
    for wrong in ["", "tasks", "/tasks", "1a/b", "a-/b", "a..b/c", "a/-b", "a/b/c", "a b/c", "\u{e9}/a"] {
        let text = declared(wrong, json!({}));
        for refused in [
            client_config().capabilities(text.as_bytes()).err().unwrap(),
            server_config().capabilities(text.as_bytes()).err().unwrap(),
        ] {
            assert_eq!(refused.field, "capabilities.extensions", "{wrong}");
            assert!(refused.reason.contains(&format!("`{wrong}`")), "{}", refused.reason);
        }
        assert_eq!(
            client_config().result_types(wrong, &["k"]).err().unwrap().field,
            "result_types",
            "{wrong}"
        );
    }
    for settings in [json!(true), json!(null), json!([])] {
        assert!(server_config().capabilities(declared(OWN, settings).as_bytes()).is_err());
    }
    assert!(server_config().capabilities(br#"{"extensions":[]}"#).is_err());
}
