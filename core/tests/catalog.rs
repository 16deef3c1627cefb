//! Lists and calls of tools: `server/tools`, `server/utilities/pagination` and list changes of every revision.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::sync::Arc;

use common::*;
use mcp_sansio::{
    SealKeys, Seed,
    error::SendError,
    event::{Action, Event, Outgoing, Related},
    json::Json,
    session::{CallOptions, Catalog, Server, ServerConfig},
};
use serde_json::{Value, json};

fn tools(names: &[&str]) -> ServerConfig {
    ServerConfig::new("server", "1").catalog(catalog(names)).page_size(2)
}

fn page(host: &mut Host<Server>, cursor: Option<&Value>) -> Value {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    host.ask(&modern(1, "tools/list", params))
}

fn names(page: &Value) -> Vec<&str> {
    page["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// `server/tools`: definitions are listed as they were given, in their order.
#[test]
fn definitions_are_listed_as_they_were_given() {
    let definition =
        r#"{"name":"t","inputSchema":{"type":"object","x":1e400,"big":9007199254740993},"z":1,"a":[ 2 ]}"#;
    let catalog = Catalog::new().tools([json(definition)]).unwrap();
    let mut server = serve(ServerConfig::new("s", "1").catalog(Arc::new(catalog))).machine;
    server.handle_message(
        mcp_sansio::time::Instant::from_nanos(1),
        modern(1, "tools/list", json!({})).to_string().as_bytes(),
    );
    let Some(mcp_sansio::event::Action::Send(sent)) = server.poll_action() else { panic!("no answer") };
    assert!(sent.message.replace("[2]", "[ 2 ]").contains(definition), "{}", sent.message);
}

/// `server/utilities/pagination`: pages follow one another to the end.
#[test]
fn pages_follow_one_another() {
    let all = ["e", "d", "c", "b", "a"];
    let mut host = serve(tools(&all));
    let mut seen: Vec<String> = Vec::new();
    let mut cursor = None;
    loop {
        let page = page(&mut host, cursor.as_ref());
        assert!(names(&page).len() <= 2);
        seen.extend(names(&page).into_iter().map(String::from));
        match page["result"].get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let mut empty = serve(tools(&[]));
    let page = page(&mut empty, None);
    assert_eq!((names(&page).len(), page["result"].get("nextCursor")), (0, None));
}

/// A page ends before it is too large for a message, whatever its size in items.
#[test]
fn a_page_fits_into_a_message() {
    let names: Vec<String> = (0..40).map(|place| format!("{place:0>100}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let config = ServerConfig::new("server", "1").catalog(catalog(&names));
    let mut host = serve(config.limits(limits(|limits| limits.message_bytes = 2000)));
    let (mut seen, mut cursor) = (0, None);
    loop {
        let page = page(&mut host, cursor.as_ref());
        seen += self::names(&page).len();
        match page["result"].get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    assert_eq!(seen, names.len());
}

/// `server/utilities/pagination`: cursors are opaque to clients; one that is not ours is -32602. A null is none.
/// R-PAG-003
#[test]
fn cursors_that_are_not_ours_are_refused() {
    let mut host = serve(tools(&["a", "b", "c"]));
    let ours = page(&mut host, None)["result"]["nextCursor"].as_str().unwrap().to_owned();
    let mut tampered = ours.clone().into_bytes();
    tampered[5] ^= 1;
    let stranger = {
        let mut other = Host::new(Server::new(Arc::new(tools(&["a", "b", "c"])), Seed([77; 32])));
        page(&mut other, None)["result"]["nextCursor"].clone()
    };
    let tampered = String::from_utf8_lossy(&tampered).into_owned();
    for wrong in [
        json!(""),
        json!("x"),
        json!(tampered),
        json!(&ours[1..]),
        json!(format!("{ours}A")),
        json!(1),
        json!({}),
        stranger,
    ] {
        let refused = page(&mut host, Some(&wrong));
        assert_eq!(refused["error"]["code"], -32602, "{wrong}");
    }
    assert_eq!(names(&page(&mut host, Some(&json!(ours)))), ["c"]);
    assert_eq!(names(&page(&mut host, Some(&Value::Null))), ["a", "b"]);
}

/// Instances of one service share the keys, so that a list goes on at another instance.
/// R-STA-003
#[test]
fn shared_keys_open_each_others_cursors() {
    let instance = |keys: &[[u8; 32]], seed| {
        Host::new(Server::new(
            Arc::new(tools(&["a", "b", "c"]).seal_keys(SealKeys(keys.to_vec()))),
            Seed([seed; 32]),
        ))
    };
    let (old, new) = ([1; 32], [2; 32]);
    let cursor = page(&mut instance(&[old], 5), None)["result"]["nextCursor"].clone();
    assert_eq!(names(&page(&mut instance(&[old], 6), Some(&cursor))), ["c"]);
    assert_eq!(
        names(&page(&mut instance(&[new, old], 7), Some(&cursor))),
        ["c"],
        "rotated: the old key still opens"
    );
    assert_eq!(page(&mut instance(&[new], 8), Some(&cursor))["error"]["code"], -32602);
}

/// A catalog that is replaced while its list is read: the list goes on after the last item that was given.
/// R-PAG-002
#[test]
fn a_list_goes_on_after_its_catalog_was_replaced() {
    let mut host = serve(tools(&["a", "b", "c", "d"]));
    let cursor = page(&mut host, None)["result"]["nextCursor"].clone();
    for (now, rest) in [
        (&["x", "a", "b", "y", "c", "d"][..], &["y", "c"][..]),
        (&["b", "z"], &["z"]),
        (&["c", "d", "b"], &[]),
    ] {
        host.machine.set_catalog(host.now, catalog(now));
        assert_eq!(names(&page(&mut host, Some(&cursor))), rest, "{now:?}");
    }
    host.machine.set_catalog(host.now, catalog(&["a", "c"]));
    assert_eq!(page(&mut host, Some(&cursor))["error"]["code"], -32602, "its place is gone");
    assert_eq!(names(&page(&mut host, None)), ["a", "c"]);
    host.tell(&modern(2, "tools/call", json!({"name": "b"})));
    assert_eq!(host.one()["error"]["code"], -32602);
}

/// `server/tools`, list changed: a legacy session is told, once while the notice waits, and only of a change.
/// R-SUB-022
#[test]
fn a_legacy_session_is_told_of_a_change() {
    let changed = notice("notifications/tools/list_changed", Value::Null);
    let is_changed = |message: &Value| message["method"] == changed["method"];
    let mut host = session(tools(&["a"]), NEWEST, &json!({}));
    host.machine.set_catalog(host.now, catalog(&["a"]));
    host.silent();
    host.machine.set_catalog(host.now, catalog(&["a", "b"]));
    host.machine.set_catalog(host.now, catalog(&["c"]));
    assert!(is_changed(&host.one()));
    host.machine.set_catalog(host.now, catalog(&["d"]));
    assert!(is_changed(&host.one()));

    // What changes before `initialized` is told after it; without the capability nothing is.
    let mut early = serve(tools(&["a"]));
    early.ask(&initialize(1, NEWEST, &json!({})));
    early.machine.set_catalog(early.now, catalog(&["b"]));
    early.silent();
    early.tell(&initialized());
    assert!(is_changed(&early.one()));
    let mut quiet = session(tools(&["a"]).capabilities(br#"{"tools":{}}"#).unwrap(), NEWEST, &json!({}));
    quiet.machine.set_catalog(quiet.now, catalog(&["b"]));
    quiet.silent();
}

/// `basic/patterns/subscriptions` of 2026-07-28: acknowledged first, tagged with the id of the request in its JSON type,
/// and only what was asked for.
/// R-SUB-002 R-SUB-003 R-SUB-004 R-SUB-006 R-SUB-008 R-SUB-013 R-SUB-017 R-MET-016 R-CAN-003
#[test]
fn a_modern_subscription_is_told_of_a_change() {
    const ID: &str = "io.modelcontextprotocol/subscriptionId";
    let mut host = serve(tools(&["a"]));
    let listen =
        |id: Value, filter: Value| modern(id, "subscriptions/listen", json!({"notifications": filter}));
    let acknowledged =
        host.ask(&listen(json!("s"), json!({"toolsListChanged": true, "promptsListChanged": true})));
    assert_eq!(
        acknowledged,
        notice(
            "notifications/subscriptions/acknowledged",
            json!({"_meta": {ID: "s"}, "notifications": {"toolsListChanged": true}})
        )
    );
    host.ask(&listen(json!(5), json!({"toolsListChanged": true})));
    host.ask(&listen(json!(6), json!({})));
    assert!(host.events().is_empty(), "the engine serves them");
    host.machine.set_catalog(host.now, catalog(&["b"]));
    let told: Vec<Value> = host.sent();
    assert_eq!(
        told.iter().map(|message| message["params"]["_meta"][ID].clone()).collect::<Vec<_>>(),
        [json!("s"), json!(5)]
    );
    host.tell(&cancelled("s"));
    host.machine.set_catalog(host.now, catalog(&["c"]));
    assert_eq!(host.one()["params"]["_meta"][ID], 5);
    assert_eq!(host.ask(&modern(7, "subscriptions/listen", json!({})))["error"]["code"], -32602);
    // The server ends what is left with the notice that one page wants and the result that another wants.
    host.machine.close(host.now, seconds(1));
    let ended = host.sent();
    let ends: Vec<_> =
        ended.iter().map(|message| (message["method"].clone(), message["id"].clone())).collect();
    assert_eq!(
        ends,
        [
            (json!("notifications/cancelled"), Value::Null),
            (Value::Null, json!(5)),
            (json!("notifications/cancelled"), Value::Null),
            (Value::Null, json!(6))
        ]
    );
    assert_eq!(ended[1]["result"]["_meta"][ID], 5);
}

/// `server/utilities/caching` of 2026-07-28: a notice makes stale what was answered before it. A list that was answered
/// while a notice waited is so only by another one.
#[test]
fn a_change_is_told_after_the_lists_it_makes_stale() {
    let mut host = serve(tools(&["a"]));
    host.tell(&modern(1, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})));
    host.tell(&initialize(2, NEWEST, &json!({})));
    host.tell(&initialized());
    host.sent();
    for tool in ["b", "c"] {
        host.machine.set_catalog(host.now, catalog(&[tool]));
        host.machine.set_catalog(host.now, catalog(&[tool, "more"]));
        let list = modern(3, "tools/list", json!({}));
        host.hear(&list.to_string());
    }
    host.machine.set_catalog(host.now, catalog(&["d"]));
    let kinds: Vec<_> = host.sent().iter().map(|message| message["method"].is_string()).collect();
    assert_eq!(kinds, [true, true, false, true, true, false, true, true]);
}

/// A subscription is the engine's: what an application does to its handle has no effect.
#[test]
fn a_subscription_is_no_request_of_the_application() {
    let mut host = serve(tools(&["a"]));
    let listen = json!({"_meta": {"progressToken": 1}, "notifications": {"toolsListChanged": true}});
    host.hear(&modern(1, "subscriptions/listen", listen).to_string());
    let Some(Action::Send(Outgoing { related: Related::Request(handle), .. })) = host.machine.poll_action()
    else {
        panic!("an acknowledgement");
    };
    assert_eq!(host.machine.progress(host.now, handle, 1.0, None, None), Err(SendError::Over));
    assert_eq!(host.machine.respond(host.now, handle, result("{}")), Err(SendError::Over));
    host.silent();
    host.machine.set_catalog(host.now, catalog(&["b"]));
    host.one();
}

/// `server/tools`, error handling: an unknown tool is -32602, and so are params that are no tool call.
/// R-TOL-006
#[test]
fn calls_that_name_no_tool_are_refused() {
    for revision in LEGACY {
        let mut host = session(tools(&["a"]), revision, &json!({}));
        for params in [
            json!({"name": "nobody"}),
            json!({}),
            json!({"name": 1}),
            json!({"name": ""}),
            json!({"name": "a", "arguments": []}),
            json!({"name": "a", "arguments": "x"}),
        ] {
            assert_eq!(
                host.ask(&request(1, "tools/call", params.clone()))["error"]["code"],
                -32602,
                "{params}"
            );
        }
        assert!(host.events().is_empty(), "the application is not asked");
    }
}

/// Arguments are delivered as they were written.
#[test]
fn arguments_are_delivered_raw() {
    let mut host = serve(tools(&["a"]));
    let text = modern(1, "tools/call", json!({"name": "a", "arguments": "HERE"})).to_string();
    let arguments = r#"{"n":1.0,"big":18446744073709551616,"z":1,"a":"\u00e9\ud83d"}"#;
    host.tell_text(&text.replace("\"HERE\"", arguments));
    let request = host.request();
    assert_eq!(request.arguments().unwrap().as_str(), arguments);
    assert_eq!(request.name().unwrap(), "a");
    assert_eq!(request.unchecked(), !cfg!(feature = "schema"), "somebody compares them with the schema");
    host.tell(&modern(2, "tools/call", json!({"name": "a"})));
    assert!(host.request().arguments().is_none());
}

/// `server/tools`, error handling: what fails in a tool is a result; arguments that do not fit are one from 2025-11-25 on.
/// R-TOL-007 R-TOL-008 R-TOL-009
#[test]
fn failures_of_a_tool_are_results() {
    for (revision, are_results) in
        [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", false), (NEWEST, true), (MODERN, true)]
    {
        let mut host = session(tools(&["a"]), if revision == MODERN { NEWEST } else { revision }, &json!({}));
        let begin = |host: &mut Host<Server>| {
            host.tell(&if revision == MODERN {
                modern(1, "tools/call", json!({"name": "a"}))
            } else {
                call(1, "a")
            });
            host.request().handle()
        };
        let failed = begin(&mut host);
        host.machine.respond_tool_error(host.now, failed, "it \"broke\"").unwrap();
        let answer = host.one();
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": "it \"broke\""}]));
        let unfit = begin(&mut host);
        host.machine.respond_invalid_arguments(host.now, unfit, "n is missing").unwrap();
        let answer = host.one();
        if are_results {
            assert_eq!(answer["result"]["isError"], true, "{revision}");
            assert_eq!(answer["result"]["content"][0]["text"], "n is missing");
        } else {
            assert_eq!(answer["error"], json!({"code": -32602, "message": "n is missing"}), "{revision}");
        }
    }
}

/// A catalog that can't work is refused when it is made.
/// R-TOL-002
#[test]
fn a_broken_catalog_is_refused() {
    for wrong in [
        r#"[{"inputSchema":{"type":"object"}}]"#,
        r#"[{"name":"","inputSchema":{"type":"object"}}]"#,
        r#"[{"name":"a"}]"#,
        r#"[{"name":"a","inputSchema":true}]"#,
        r#"[{"name":"a","inputSchema":{}}]"#,
        r#"[{"name":"a","inputSchema":{"n":{"type":"string"}}}]"#,
        r#"[{"name":"a","inputSchema":{"type":"string"}}]"#,
        r#"[{"name":"a","inputSchema":{"type":"object"},"outputSchema":1}]"#,
        r#"[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]"#,
        "[1]",
    ] {
        assert!(Catalog::new().tools(json(wrong).elements()).is_err(), "{wrong}");
    }
}

/// Without a catalog every list and every call goes to the application.
#[test]
fn without_a_catalog_the_application_answers() {
    let mut host = serve(ServerConfig::new("s", "1").capabilities(br#"{"tools":{}}"#).unwrap());
    host.tell(&modern(1, "tools/list", json!({})));
    let request = host.request();
    assert_eq!(request.method().name(), "tools/list");
    host.machine
        .respond(
            host.now,
            request.handle(),
            mcp_sansio::event::Outcome::Result {
                result: json(r#"{"tools":[]}"#),
                cache: Some(mcp_sansio::event::CacheHint { ttl_ms: 5, public: true }),
            },
        )
        .unwrap();
    let answer = host.one();
    assert_eq!((&answer["result"]["ttlMs"], &answer["result"]["cacheScope"]), (&json!(5), &json!("public")));
    host.tell(&modern(2, "tools/call", json!({"name": "any"})));
    assert!(!host.request().unchecked());
    assert!(!host.events().iter().any(|event| matches!(event, Event::Fault(_))));
    assert!(Json::parse(b"{}").is_ok());
}

/// `server/tools` of 2026-07-28: `x-mcp-header` is about HTTP. On any other channel such a tool is listed as it was given,
/// and called with its arguments alone.
/// R-HDR-014
#[test]
fn header_annotations_mean_nothing_on_a_channel() {
    let schema =
        json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
    let tool = json!({"name": "a", "inputSchema": schema}).to_string();
    let catalog = Arc::new(Catalog::new().tools([json(&tool)]).unwrap());
    for (mut host, revision) in everywhere(|| ServerConfig::new("s", "1").catalog(Arc::clone(&catalog))) {
        let listed = host.ask(&ask_in(revision, "tools/list", json!({})));
        assert_eq!(listed["result"]["tools"][0]["inputSchema"], schema, "{revision}");
        host.tell(&ask_in(revision, "tools/call", json!({"name": "a", "arguments": {"region": "eu"}})));
        assert_eq!(host.request().arguments().unwrap().as_str(), r#"{"region":"eu"}"#, "{revision}");
    }
    let mut host = modern_client(client_config());
    let (call, sent) = host.call("tools/list");
    let list = json!({"resultType": "complete", "tools": [{"name": "a", "inputSchema": schema}]});
    host.tell(&answer(&sent, &list));
    assert_eq!(host.outcome(call).unwrap()["tools"], list["tools"]);
    let params = json(r#"{"name":"a","arguments":{"region":"eu"}}"#);
    host.machine.call(host.now, "tools/call", Some(params), CallOptions::new()).unwrap();
    assert_eq!(host.one()["params"]["arguments"], json!({"region": "eu"}));
}
