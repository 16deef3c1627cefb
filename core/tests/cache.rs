//! Results that a client keeps: `server/utilities/caching` of 2026-07-28.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{collections::BTreeMap, time::Duration};

use common::*;
use mcp_sansio::{
    CallHandle,
    error::SendError,
    event::{Completion, Event},
    session::{CallOptions, Client, ClientConfig},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const ALL: &str = r#"{"tools":{},"resources":{},"prompts":{}}"#;

fn client(config: ClientConfig) -> Host<Client> {
    let mut host = start(config);
    let probe = host.one();
    let mut described = discover_result(&[MODERN]);
    described["capabilities"] = serde_json::from_str(ALL).unwrap();
    host.tell(&answer(&probe, &described));
    assert!(matches!(host.event(), Event::Ready(_)));
    host
}

fn hinted(ttl: impl Into<Value>, scope: &str, mut result: Value) -> Value {
    result["resultType"] = "complete".into();
    result["ttlMs"] = ttl.into();
    result["cacheScope"] = scope.into();
    result
}

fn tools(ttl: impl Into<Value>, name: &str) -> Value {
    hinted(ttl, "private", json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}]}))
}

fn start_call(host: &mut Host<Client>, method: &str, params: &Value) -> CallHandle {
    let params = params.to_string();
    host.machine.call(host.now, method, Some(json(&params)), CallOptions::new()).unwrap()
}

fn completion(host: &mut Host<Client>, wanted: CallHandle) -> Completion {
    match host.event() {
        Event::Completed { call, outcome: Ok(completion) } if call == wanted => completion,
        other => panic!("the result of {wanted:?}, not {other:?}"),
    }
}

/// Calls, has the server answer, and returns what was sent.
fn fetch(host: &mut Host<Client>, method: &str, params: &Value, result: &Value) -> Value {
    let call = start_call(host, method, params);
    let sent = host.one();
    host.tell(&answer(&sent, result));
    assert!(!completion(host, call).cached);
    sent
}

/// Calls, and returns what the cache has.
fn look(host: &mut Host<Client>, method: &str, params: &Value) -> Option<Value> {
    let call = start_call(host, method, params);
    let sent = host.sent();
    if sent.is_empty() {
        let completion = completion(host, call);
        assert!(completion.cached);
        return Some(completion.result.decode().unwrap());
    }
    host.machine.cancel(host.now, call, None).unwrap();
    host.drain();
    host.sent();
    host.events();
    None
}

/// R-CCH-005, R-CCH-008: fresh for `ttlMs` from its receipt, for the same method and parameters alone; what does not
/// steer the result (`_meta`) does not count.
#[test]
fn a_result_is_served_while_it_is_fresh() {
    let mut host = client(client_config());
    let page = json!({"cursor": "2"});
    fetch(&mut host, "tools/list", &json!({}), &tools(1000, "a"));
    fetch(&mut host, "tools/list", &page, &tools(3000, "b"));
    assert_eq!(look(&mut host, "tools/list", &json!({"_meta": {"x": 1}})).unwrap()["tools"][0]["name"], "a");
    assert_eq!(look(&mut host, "tools/list", &page).unwrap()["tools"][0]["name"], "b");
    assert!(look(&mut host, "tools/list", &json!({"cursor": "3"})).is_none());
    assert!(look(&mut host, "prompts/list", &json!({})).is_none());
    host.wait(Duration::from_millis(999));
    assert!(look(&mut host, "tools/list", &json!({})).is_some());
    host.wait(Duration::from_millis(1));
    assert!(look(&mut host, "tools/list", &json!({})).is_none());
    assert!(look(&mut host, "tools/list", &page).is_some());
    assert_eq!(host.machine.stat("cached"), 4);
    assert_eq!(host.machine.stat("calls_now"), 0);
    host.eof();
    assert_eq!(host.machine.stat("cache_bytes_now"), 0);
}

/// R-CCH-007, R-CCH-009: nothing, zero, less than zero and what is no whole number is stale at once; and nothing is
/// fetched unless it is asked for.
#[test]
fn what_is_stale_at_once_is_not_kept() {
    let mut host = client(client_config());
    for ttl in [json!(0), json!(-5), json!(null), json!("60000"), json!(1.5)] {
        fetch(&mut host, "tools/list", &json!({}), &tools(ttl.clone(), "a"));
        assert!(look(&mut host, "tools/list", &json!({})).is_none(), "{ttl}");
    }
    fetch(&mut host, "tools/list", &json!({}), &json!({"resultType": "complete", "tools": []}));
    assert!(look(&mut host, "tools/list", &json!({})).is_none());
    assert_eq!(host.machine.stat("cache_bytes_now"), 0);

    for (ttl, millis) in [(json!(50.0), 50), (json!(6e2), 600)] {
        fetch(&mut host, "tools/list", &json!({}), &tools(ttl, "a"));
        host.wait(Duration::from_millis(millis - 1));
        assert!(look(&mut host, "tools/list", &json!({})).is_some());
        host.wait(Duration::from_millis(1));
        host.silent();
        assert!(look(&mut host, "tools/list", &json!({})).is_none());
    }
}

/// R-CCH-006: what answers a retry is not kept; nor is what is no complete result, or belongs to a method that is not
/// cacheable.
#[test]
fn retries_and_other_results_are_not_kept() {
    let mut host = client(client_config());
    let read = json!({"uri": "file:///a"});
    let contents = hinted(60_000, "public", json!({"contents": []}));
    for steering in ["inputResponses", "requestState"] {
        let mut retry = read.clone();
        retry[steering] = if steering == "requestState" { json!("s") } else { json!({}) };
        fetch(&mut host, "resources/read", &retry, &contents);
        assert!(look(&mut host, "resources/read", &retry).is_none());
        assert!(look(&mut host, "resources/read", &read).is_none());
    }
    fetch(
        &mut host,
        "prompts/get",
        &json!({"name": "p"}),
        &hinted(60_000, "public", json!({"messages": []})),
    );
    assert!(look(&mut host, "prompts/get", &json!({"name": "p"})).is_none());
    fetch(&mut host, "resources/read", &read, &contents);
    assert!(look(&mut host, "resources/read", &read).is_some());

    let failed = start_call(&mut host, "resources/read", &json!({"uri": "file:///b"}));
    let sent = host.one();
    host.tell(&failure(&sent, -32603));
    assert!(host.outcome(failed).is_err());
    assert!(look(&mut host, "resources/read", &json!({"uri": "file:///b"})).is_none());
}

/// R-CCH-011: a caller that doubts a result asks again, and the answer takes the place of the old one.
#[test]
fn a_caller_may_ask_afresh() {
    let mut host = client(client_config());
    fetch(&mut host, "tools/list", &json!({}), &tools(60_000, "old"));
    let (call, sent) = host.call_with("tools/list", CallOptions::new().fresh(true));
    host.tell(&answer(&sent, &tools(60_000, "new")));
    assert!(!completion(&mut host, call).cached);
    assert_eq!(look(&mut host, "tools/list", &json!({})).unwrap()["tools"][0]["name"], "new");

    let mut off = client(client_config().cache(false));
    fetch(&mut off, "tools/list", &json!({}), &tools(60_000, "a"));
    assert!(look(&mut off, "tools/list", &json!({})).is_none());
}

/// R-CCH-012: what is private is for whom it was fetched, what is public for all; without a scope it is private.
#[test]
fn private_results_are_for_one_principal() {
    let mut host = client(client_config());
    host.machine.set_principal(Some("alice")).unwrap();
    fetch(&mut host, "tools/list", &json!({}), &tools(60_000, "private"));
    fetch(&mut host, "prompts/list", &json!({}), &hinted(60_000, "public", json!({"prompts": []})));
    let unscoped = json!({"resultType": "complete", "ttlMs": 60_000, "resources": []});
    fetch(&mut host, "resources/list", &json!({}), &unscoped);
    for other in [Some("bob"), None] {
        host.machine.set_principal(other).unwrap();
        assert!(look(&mut host, "tools/list", &json!({})).is_none(), "{other:?}");
        assert!(look(&mut host, "resources/list", &json!({})).is_none(), "{other:?}");
        assert!(look(&mut host, "prompts/list", &json!({})).is_some(), "{other:?}");
    }
    host.machine.set_principal(Some("alice")).unwrap();
    assert!(look(&mut host, "tools/list", &json!({})).is_some());
    assert_eq!(host.machine.set_principal(Some(&"p".repeat(257))).unwrap_err().field, "principal");
}

/// The answer to a call is for whom the call was made, whoever is next.
#[test]
fn an_answer_is_for_whom_it_was_asked() {
    let mut host = client(client_config());
    host.machine.set_principal(Some("alice")).unwrap();
    let (call, sent) = host.call("tools/list");
    host.machine.set_principal(Some("bob")).unwrap();
    host.tell(&answer(&sent, &tools(60_000, "alice's")));
    assert!(!completion(&mut host, call).cached);
    assert!(look(&mut host, "tools/list", &json!({})).is_none());
}

/// R-CCH-013: a notice makes stale what it is about, exactly, and what is on its way.
#[test]
fn a_notice_makes_stale_what_it_is_about() {
    let list = |name: &str| hinted(60_000, "public", json!({name: []}));
    let read = |uri: &str| json!({"uri": uri});
    let fill = |host: &mut Host<Client>| {
        for (method, member) in [
            ("tools/list", "tools"),
            ("prompts/list", "prompts"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
        ] {
            fetch(host, method, &json!({}), &list(member));
        }
        for uri in ["file:///d", "file:///d/a", "file:///da"] {
            fetch(host, "resources/read", &read(uri), &list("contents"));
        }
    };
    let kept = |host: &mut Host<Client>| {
        let lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
        let mut kept: Vec<String> = lists
            .into_iter()
            .filter(|method| look(host, method, &json!({})).is_some())
            .map(String::from)
            .collect();
        let uris = ["file:///d", "file:///d/a", "file:///da"];
        kept.extend(
            uris.iter()
                .filter(|uri| look(host, "resources/read", &read(uri)).is_some())
                .map(ToString::to_string),
        );
        kept
    };
    let all = [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "file:///d",
        "file:///d/a",
        "file:///da",
    ];
    let updated = |uri: &str| notice("notifications/resources/updated", read(uri));
    for (message, stale) in [
        (notice("notifications/tools/list_changed", json!({})), &["tools/list"][..]),
        (notice("notifications/prompts/list_changed", json!({})), &["prompts/list"]),
        (
            notice("notifications/resources/list_changed", json!({})),
            &["resources/list", "resources/templates/list"],
        ),
        (updated("file:///d"), &["file:///d", "file:///d/a"]),
        (updated("file:///d/a"), &["file:///d", "file:///d/a"]),
        (updated("file:///da"), &["file:///da"]),
        (updated("file:///other"), &[]),
        (notice("notifications/resources/updated", json!({})), &["file:///d", "file:///d/a", "file:///da"]),
        (notice("notifications/message", json!({"level": "info", "data": 1})), &[]),
    ] {
        let mut host = client(client_config());
        fill(&mut host);
        assert_eq!(kept(&mut host), all);
        host.tell(&message);
        host.events();
        let left: Vec<&str> = all.into_iter().filter(|name| !stale.contains(name)).collect();
        assert_eq!(kept(&mut host), left, "{message}");
    }
}

/// R-CCH-013: an answer that was on its way when the notice came may be older than the change, and is not kept.
#[test]
fn what_was_on_its_way_is_not_kept() {
    let mut host = client(client_config());
    let (call, sent) = host.call("tools/list");
    host.tell(&notice("notifications/prompts/list_changed", json!({})));
    host.tell(&notice("notifications/tools/list_changed", json!({})));
    host.events();
    host.tell(&answer(&sent, &tools(60_000, "old")));
    assert_eq!(completion(&mut host, call).result.decode::<Value>().unwrap()["tools"][0]["name"], "old");
    assert!(look(&mut host, "tools/list", &json!({})).is_none());
}

/// Hits need room for their outcome as every call does, and a bad call is refused whatever is kept.
#[test]
fn a_hit_is_a_call_like_any_other() {
    let mut host = client(client_config().limits(limits(|limits| limits.events = 2)));
    fetch(&mut host, "tools/list", &json!({}), &tools(60_000, "a"));
    let bad = CallOptions::new().meta(Some(json(r#"{"io.modelcontextprotocol/logLevel":1}"#)));
    assert!(matches!(host.machine.call(host.now, "tools/list", None, bad), Err(SendError::Invalid(_))));
    let call = |host: &mut Host<Client>| host.machine.call(host.now, "tools/list", None, CallOptions::new());
    call(&mut host).unwrap();
    let second = call(&mut host).unwrap();
    assert_eq!(call(&mut host), Err(SendError::Blocked));
    assert_eq!(host.machine.cancel(host.now, second, None), Err(SendError::Over));
    let events = host.events();
    assert!(matches!(events.last(), Some(Event::Writable)), "{events:?}");
    assert_eq!(events.len(), 3);
}

/// The legacy era has no hints, so nothing is kept there whatever a server writes.
#[test]
fn the_legacy_era_keeps_nothing() {
    let mut host = legacy_client(client_config());
    let (call, sent) = host.call("tools/list");
    host.tell(&answer(&sent, &tools(60_000, "a")));
    completion(&mut host, call);
    host.call("tools/list");
}

#[derive(Debug, Clone)]
enum Step {
    Fetch { uri: u8, ttl: u16, public: bool, size: u16 },
    Look { uri: u8 },
    Updated { uri: u8 },
    Wait(u16),
    As(u8),
    Overtaken { uri: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..6u8, 0..2000u16, any::<bool>(), 0..1500u16)
            .prop_map(|(uri, ttl, public, size)| Step::Fetch { uri, ttl, public, size }),
        4 => (0..6u8).prop_map(|uri| Step::Look { uri }),
        1 => (0..6u8).prop_map(|uri| Step::Updated { uri }),
        2 => (0..900u16).prop_map(Step::Wait),
        1 => (0..2u8).prop_map(Step::As),
        1 => (0..6u8).prop_map(|uri| Step::Overtaken { uri }),
    ]
}

proptest! {
    /// R-CCH-005, R-CCH-008, R-CCH-012, R-CCH-013: whatever happens in whatever order, what comes from the cache is the
    /// last result of that request, fresh, not outdated and for this principal; and it is never too large.
    #[test]
    fn the_cache_is_never_wrong_and_never_too_large(steps in prop::collection::vec(step(), 1..60)) {
        let mut host = client(client_config().limits(limits(|limits| limits.cache_bytes = 4000)));
        let params = |uri: u8| json!({"uri": format!("file:///{uri}")});
        // Per URI: the text, until when in milliseconds, and for whom.
        let mut model: BTreeMap<u8, (String, u64, Option<u8>)> = BTreeMap::new();
        let (mut clock, mut who, mut serial) = (0_u64, 0_u8, 0_u32);
        host.machine.set_principal(Some("0")).unwrap();
        for step in steps {
            match step {
                Step::Fetch { uri, ttl, public, size } => {
                    serial += 1;
                    let text = format!("{serial} {}", "x".repeat(size.into()));
                    let scope = if public { "public" } else { "private" };
                    let result = hinted(ttl, scope, json!({"contents": [{"text": text}]}));
                    let given = params(uri).to_string();
                    let options = CallOptions::new().fresh(true);
                    let call = host.machine.call(host.now, "resources/read", Some(json(&given)), options).unwrap();
                    let sent = host.one();
                    host.tell(&answer(&sent, &result));
                    completion(&mut host, call);
                    model.insert(uri, (text, clock + u64::from(ttl), (!public).then_some(who)));
                }
                Step::Look { uri } => {
                    if let Some(found) = look(&mut host, "resources/read", &params(uri)) {
                        let (text, until, owner) = model.get(&uri).expect("what was never fetched is not there");
                        prop_assert_eq!(&found["contents"][0]["text"], text);
                        prop_assert!(clock < *until);
                        prop_assert!(owner.is_none_or(|owner| owner == who));
                    }
                }
                Step::Updated { uri } => {
                    host.tell(&notice("notifications/resources/updated", params(uri)));
                    host.events();
                    model.remove(&uri);
                }
                Step::Wait(millis) => {
                    host.wait(Duration::from_millis(millis.into()));
                    clock += u64::from(millis);
                }
                Step::As(principal) => {
                    who = principal;
                    host.machine.set_principal(Some(&principal.to_string())).unwrap();
                }
                Step::Overtaken { uri } => {
                    let given = params(uri).to_string();
                    let options = CallOptions::new().fresh(true);
                    let call = host.machine.call(host.now, "resources/read", Some(json(&given)), options).unwrap();
                    let sent = host.one();
                    host.tell(&notice("notifications/resources/updated", params(uri)));
                    host.events();
                    host.tell(&answer(&sent, &hinted(60_000, "public", json!({"contents": []}))));
                    completion(&mut host, call);
                    model.remove(&uri);
                }
            }
            prop_assert!(host.machine.stat("cache_bytes_now") <= 4000);
        }
    }
}

/// A cursor that the server refuses is as old as the other pages: they go, and those of other lists stay.
#[test]
fn a_refused_cursor_drops_the_pages() {
    let mut host = client(client_config());
    let page = json!({"cursor": "2"});
    for code in [-32603, -32602] {
        fetch(&mut host, "tools/list", &json!({}), &tools(60_000, "a"));
        fetch(&mut host, "prompts/list", &json!({}), &hinted(60_000, "private", json!({"prompts": []})));
        start_call(&mut host, "tools/list", &page);
        let sent = host.one();
        host.tell(&failure(&sent, code));
        host.events();
        assert_eq!(look(&mut host, "tools/list", &json!({})).is_some(), code == -32603);
        assert!(look(&mut host, "prompts/list", &json!({})).is_some());
        host.tell(&notice("notifications/tools/list_changed", json!({})));
        host.tell(&notice("notifications/prompts/list_changed", json!({})));
        host.events();
    }
}
