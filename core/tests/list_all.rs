//! Whole lists, page by page: `server/utilities/pagination`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::time::Duration;

use common::*;
use mcp_sansio::{
    CallHandle,
    error::{CallError, SendError, TimeLimit},
    event::Event,
    session::{CallOptions, Client, ClientConfig},
};
use serde_json::{Value, json};

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

fn capabilities() -> Value {
    json!({"tools": {}, "prompts": {}, "resources": {}, "tasks": {"list": {}}})
}

fn modern_host(config: ClientConfig) -> Host<Client> {
    let mut host = start(config);
    let probe = host.one();
    let mut described = discover_result(&[MODERN]);
    described["capabilities"] = capabilities();
    host.tell(&answer(&probe, &described));
    host.event();
    host
}

fn legacy_host(config: ClientConfig) -> Host<Client> {
    let mut host = start(config.probe(false));
    let opening = host.one();
    let mut result = initialize_result(opening["params"]["protocolVersion"].as_str().unwrap());
    result["capabilities"] = capabilities();
    host.tell(&answer(&opening, &result));
    host.sent();
    host.event();
    host
}

fn list_all(host: &mut Host<Client>, method: &str) -> (CallHandle, Value) {
    let call = host.machine.list_all(host.now, method, None, CallOptions::new()).unwrap();
    (call, host.one())
}

fn page(member: &str, items: &[&str], next: Option<&str>) -> Value {
    let mut page = json!({"resultType": "complete", member: items, "ttlMs": 0, "cacheScope": "private"});
    if let Some(next) = next {
        page["nextCursor"] = next.into();
    }
    page
}

fn detail(outcome: Result<Value, CallError>) -> String {
    match outcome {
        Err(CallError::InvalidResult(fault)) => {
            assert_eq!((fault.code, fault.page), ("fault.list", "server/utilities/pagination"));
            fault.detail
        }
        other => panic!("an invalid result, not {other:?}"),
    }
}

/// R-PAG-001, R-PAG-004, R-PAG-005, R-PAG-007, R-PAG-008: cursors are followed as they came, whatever they are, to the
/// page without one; pages may have any number of items.
#[test]
fn cursors_are_followed_to_the_end() {
    for (mut host, lists) in [
        (modern_host(client_config()), &LISTS[..]),
        (legacy_host(client_config()), &[LISTS[0], LISTS[1], LISTS[2], LISTS[3], ("tasks/list", "tasks")]),
    ] {
        for (method, member) in lists {
            let (call, mut sent) = list_all(&mut host, method);
            assert_eq!(sent["method"], *method);
            assert!(sent["params"].get("cursor").is_none());
            for (items, next) in [(&["a", "b"][..], "p 2"), (&[], ""), (&["c"], "\u{e9}\n\"")] {
                host.tell(&answer(&sent, &page(member, items, Some(next))));
                assert!(host.events().is_empty());
                let asked = host.one();
                assert_eq!(asked["params"]["cursor"], next);
                assert_ne!(asked["id"], sent["id"]);
                assert_eq!(asked["params"]["_meta"], sent["params"]["_meta"]);
                sent = asked;
            }
            host.tell(&answer(&sent, &page(member, &["d"], None)));
            assert_eq!(
                host.outcome(call).unwrap(),
                json!({"resultType": "complete", *member: ["a", "b", "c", "d"]})
            );
            host.silent();

            let (call, sent) = list_all(&mut host, method);
            host.tell(&answer(&sent, &page(member, &[], None)));
            assert_eq!(host.outcome(call).unwrap()[member], json!([]), "a server without pages");
        }
    }
}

/// R-PAG-004: a `nextCursor` of null is none.
#[test]
fn a_null_cursor_is_the_end() {
    let mut host = modern_host(client_config());
    let (call, sent) = list_all(&mut host, "tools/list");
    host.tell(&answer(&sent, &json!({"resultType": "complete", "tools": ["a"], "nextCursor": null})));
    assert_eq!(host.outcome(call).unwrap()["tools"], json!(["a"]));
}

/// R-MET-019: items come as they are: unknown members, values and spellings survive, and one that is broken hides no
/// other.
/// R-TOL-042
#[test]
fn items_come_as_they_are() {
    let mut host = modern_host(client_config());
    let call = host.machine.list_all(host.now, "tools/list", None, CallOptions::new()).unwrap();
    let sent = host.one();
    let first = r#"{"name":"a","inputSchema":{"type":"object"},"x-new":1.50, "_meta":{"com.example/k":true}} , {"name":7,"inputSchema":"broken"}"#;
    let second = r#"{ "name" : "b" , "annotations" : { "audience" : [ "someone-new" ] } , "execution" : { "taskSupport" : "sometimes" } }, null"#;
    host.tell_text(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"complete","_meta":{{"k":1}},"tools":[ {first} ],"nextCursor":"2","new":[1e2]}}}}"#,
        sent["id"]
    ));
    let sent = host.one();
    host.tell_text(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{second}],"new":2}}}}"#,
        sent["id"]
    ));
    let Event::Completed { call: of, outcome: Ok(completion) } = host.event() else { panic!("no result") };
    assert_eq!(of, call);
    let whole =
        format!(r#"{{"resultType":"complete","_meta":{{"k":1}},"new":[1e2],"tools":[{first},{second}]}}"#);
    assert_eq!(completion.result.as_str(), whole);
}

/// A cursor that repeats would go on for ever; so would pages without end.
#[test]
fn a_list_without_end_is_given_up() {
    let mut host = modern_host(client_config());
    let (call, mut sent) = list_all(&mut host, "tools/list");
    for cursor in ["a", "b"] {
        host.tell(&answer(&sent, &page("tools", &["x"], Some(cursor))));
        sent = host.one();
    }
    host.tell(&answer(&sent, &page("tools", &["x"], Some("a"))));
    assert!(detail(host.outcome(call)).contains("given before"));
    host.silent();

    let mut host = modern_host(client_config().limits(limits(|limits| limits.list_pages = 3)));
    let (call, mut sent) = list_all(&mut host, "tools/list");
    for cursor in ["1", "2"] {
        host.tell(&answer(&sent, &page("tools", &["x"], Some(cursor))));
        sent = host.one();
    }
    host.tell(&answer(&sent, &page("tools", &["x"], Some("3"))));
    assert!(detail(host.outcome(call)).contains("`list_pages`, 3"));
}

/// The bytes of all lists together are bounded.
#[test]
fn lists_are_bounded_together() {
    let mut host = modern_host(client_config().limits(limits(|limits| limits.list_bytes = 1000)));
    let long = "x".repeat(600);
    let (first, sent_first) = list_all(&mut host, "tools/list");
    let (second, sent_second) = list_all(&mut host, "prompts/list");
    host.tell(&answer(&sent_first, &page("tools", &[&long], Some("2"))));
    let sent_first = host.one();
    host.tell(&answer(&sent_second, &page("prompts", &[&long], Some("2"))));
    assert!(detail(host.outcome(second)).contains("`list_bytes`"));
    host.tell(&answer(&sent_first, &page("tools", &["end"], None)));
    assert_eq!(host.outcome(first).unwrap()["tools"].as_array().unwrap().len(), 2);
}

/// What is no page ends it: the method that was asked decides, never the shape.
#[test]
fn what_is_no_page_ends_it() {
    for (result, says) in [
        (json!({"resultType": "complete", "resources": []}), "`tools` is no array"),
        (json!({"resultType": "complete", "tools": {}}), "`tools` is no array"),
        (json!({"resultType": "complete", "tools": [], "nextCursor": 5}), "no string"),
    ] {
        let mut host = modern_host(client_config());
        let (call, sent) = list_all(&mut host, "tools/list");
        host.tell(&answer(&sent, &result));
        assert!(detail(host.outcome(call)).contains(says), "{result}");
    }
    let mut host = modern_host(client_config().limits(limits(|limits| limits.message_bytes = 2000)));
    let (call, sent) = list_all(&mut host, "tools/list");
    host.tell(&answer(&sent, &page("tools", &[], Some(&"c".repeat(1800)))));
    assert!(detail(host.outcome(call)).contains("`message_bytes`"));
}

/// R-CCH-015: a cursor that the server takes back begins the list again, once, without what was kept of it.
#[test]
fn a_cursor_taken_back_begins_again_once() {
    let mut host = modern_host(client_config());
    let (call, sent) = list_all(&mut host, "tools/list");
    let mut first = page("tools", &["old"], Some("2"));
    first["ttlMs"] = 60_000.into();
    host.tell(&answer(&sent, &first));
    let sent = host.one();
    host.tell(&failure(&sent, -32602));
    let again = host.one();
    assert!(again["params"].get("cursor").is_none());
    host.tell(&answer(&again, &page("tools", &["new"], Some("2"))));
    let sent = host.one();
    host.tell(&answer(&sent, &page("tools", &["end"], None)));
    assert_eq!(host.outcome(call).unwrap()["tools"], json!(["new", "end"]));

    let (call, sent) = list_all(&mut host, "tools/list");
    host.tell(&answer(&sent, &page("tools", &["a"], Some("2"))));
    let sent = host.one();
    host.tell(&failure(&sent, -32602));
    let sent = host.one();
    host.tell(&answer(&sent, &page("tools", &["a"], Some("2"))));
    let sent = host.one();
    host.tell(&failure(&sent, -32602));
    assert!(matches!(host.outcome(call), Err(CallError::Rpc(error)) if error.code == -32602));

    for code in [-32602, -32603] {
        let (call, sent) = list_all(&mut host, "tools/list");
        host.tell(&failure(&sent, code));
        assert!(matches!(host.outcome(call), Err(CallError::Rpc(_))), "the first page has no cursor");
        host.silent();
    }
}

/// R-CCH-014: each page is kept by itself; one that expired is fetched by its cursor.
#[test]
fn pages_are_kept_one_by_one() {
    let mut host = modern_host(client_config());
    let kept = |items: &[&str], next, ttl: u64| {
        let mut page = page("tools", items, next);
        page["ttlMs"] = ttl.into();
        page
    };
    let (call, sent) = list_all(&mut host, "tools/list");
    host.tell(&answer(&sent, &kept(&["a"], Some("2"), 60_000)));
    let sent = host.one();
    host.tell(&answer(&sent, &kept(&["b"], Some("3"), 1000)));
    let sent = host.one();
    host.tell(&answer(&sent, &kept(&["c"], None, 60_000)));
    host.outcome(call).unwrap();

    let whole = host.machine.list_all(host.now, "tools/list", None, CallOptions::new()).unwrap();
    host.silent();
    let Event::Completed { call, outcome: Ok(completion) } = host.event() else { panic!("no result") };
    assert_eq!((call, completion.cached), (whole, true));
    assert_eq!(completion.result.decode::<Value>().unwrap()["tools"], json!(["a", "b", "c"]));

    host.wait(seconds(1));
    let (call, sent) = list_all(&mut host, "tools/list");
    assert_eq!(sent["params"]["cursor"], "2", "the page that expired");
    host.tell(&answer(&sent, &kept(&["B"], Some("3"), 1000)));
    assert_eq!(host.outcome(call).unwrap()["tools"], json!(["a", "B", "c"]));

    let fresh = CallOptions::new().fresh(true);
    host.machine.list_all(host.now, "tools/list", None, fresh).unwrap();
    assert!(host.one()["params"].get("cursor").is_none());
    host.tell(&notice("notifications/tools/list_changed", json!({})));
    host.events();
    let (_, sent) = list_all(&mut host, "tools/list");
    assert!(sent["params"].get("cursor").is_none(), "the notice made them stale");
}

/// One handle and one set of limits for all pages: each page is a sign of life, the total goes on.
#[test]
fn limits_are_of_the_whole() {
    let mut host = modern_host(client_config());
    let options = CallOptions::new().timeouts(Some(seconds(10)), Some(seconds(25))).progress(true);
    let call = host.machine.list_all(host.now, "tools/list", None, options).unwrap();
    let mut sent = host.one();
    for cursor in ["1", "2"] {
        host.wait(seconds(9));
        assert_eq!(sent["params"]["_meta"]["progressToken"], sent["id"]);
        host.tell(&notice("notifications/progress", json!({"progressToken": sent["id"], "progress": 1})));
        assert!(matches!(host.event(), Event::Progress { call: of, .. } if of == call));
        host.tell(&answer(&sent, &page("tools", &["a"], Some(cursor))));
        sent = host.one();
    }
    host.wait(seconds(6));
    assert!(host.events().is_empty());
    host.wait(Duration::from_secs(1));
    assert_eq!(host.one()["params"]["requestId"], sent["id"]);
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Total, .. })));

    let (call, first) = list_all(&mut host, "tools/list");
    host.tell(&answer(&first, &page("tools", &["a"], Some("1"))));
    let second = host.one();
    host.machine.cancel(host.now, call, None).unwrap();
    assert_eq!(host.one()["params"]["requestId"], second["id"]);
    assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
    host.tell(&answer(&second, &page("tools", &["b"], None)));
    assert!(host.events().is_empty());

    let (call, _) = list_all(&mut host, "tools/list");
    host.eof();
    assert!(matches!(
        &host.events()[..],
        [Event::Completed { call: of, outcome: Err(error) }, Event::Closed(_)]
            if *of == call && matches!(**error, CallError::Closed { delivered: true })
    ));
}

/// Parameters of the application go with each page; those of the engine are refused.
#[test]
fn parameters_go_with_each_page() {
    let mut host = modern_host(client_config());
    let params = json("{ \"filter\" : { \"a\" : 1 } , \"_meta\" : { \"k\" : 1 } }");
    let meta = json(r#"{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"}"#);
    let options = CallOptions::new().meta(Some(meta));
    let call = host.machine.list_all(host.now, "tools/list", Some(params), options).unwrap();
    let sent = host.one();
    host.tell(&answer(&sent, &page("tools", &["a"], Some("1"))));
    let second = host.one();
    for sent in [&sent, &second] {
        assert_eq!(sent["params"]["filter"], json!({"a": 1}));
        assert_eq!(sent["params"]["_meta"]["k"], 1);
        assert!(sent["params"]["_meta"]["traceparent"].is_string());
    }
    assert_eq!(second["params"]["cursor"], "1");
    host.machine.cancel(host.now, call, None).unwrap();

    let mut list = |method: &str, params: &str| {
        host.machine.list_all(host.now, method, Some(json(params)), CallOptions::new()).unwrap_err()
    };
    assert!(matches!(list("tools/list", r#"{"cursor":"x"}"#), SendError::Invalid(_)));
    assert!(matches!(list("tools/list", "[]"), SendError::Invalid(_)));
    assert!(matches!(list("tools/call", r#"{"name":"x"}"#), SendError::Invalid(_)));
    assert!(matches!(list("no/such", "{}"), SendError::Invalid(_)));
    assert_eq!(list("tasks/list", "{}"), SendError::NotInRevision);
}
