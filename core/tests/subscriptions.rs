//! Who is told of which change: `server/resources` of the legacy revisions, `basic/patterns/subscriptions` of 2026-07-28.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use common::*;
use mcp_sansio::{
    error::SendError,
    event::{Event, Outcome, Target},
    session::{Catalog, Change, Server, ServerConfig},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

fn config() -> ServerConfig {
    ServerConfig::new("server", "1")
        .capabilities(br#"{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}"#)
        .unwrap()
}

fn updated(host: &mut Host<Server>, uri: &str) -> Vec<Value> {
    host.machine.publish(host.now, Change::Resource { uri, concerns: None });
    host.sent()
}

/// A legacy session, subscribed to this.
fn subscribed(uris: &[&str]) -> Host<Server> {
    let mut host = session(config(), NEWEST, &json!({}));
    for uri in uris {
        host.tell(&request(*uri, "resources/subscribe", json!({"uri": uri})));
        let asked = host.request().handle();
        host.respond(asked, "{}");
        assert_eq!(host.one()["result"], json!({}));
        watched(&mut host);
    }
    host
}

/// What the application is told of what anyone watches.
fn watched(host: &mut Host<Server>) -> Vec<(String, bool)> {
    let events = host.events().into_iter();
    let told = events.map(|event| match event {
        Event::Watched { uri, wanted } => (uri.into(), wanted),
        other => panic!("a watched resource, not {other:?}"),
    });
    told.collect()
}

#[allow(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
fn listen(id: impl Into<Value>, filter: Value) -> Value {
    modern(id, "subscriptions/listen", json!({"notifications": filter}))
}

/// Opens a stream that the application lets be opened as it was asked for.
fn open(host: &mut Host<Server>, id: impl Into<Value>, uris: &[&str]) -> Value {
    host.tell(&listen(id, json!({"resourceSubscriptions": uris})));
    let asked = host.request().handle();
    host.respond(asked, "{}");
    host.one()
}

/// The application decides who may subscribe; who may is told of that URI and no other, until it unsubscribes.
/// R-SUB-019, R-SUB-020, R-SUB-021.
#[test]
fn a_legacy_session_is_told_of_what_it_subscribed_to() {
    for revision in LEGACY {
        let mut host = session(config(), revision, &json!({}));
        assert_eq!(updated(&mut host, "file:///a"), [] as [Value; 0], "nobody asked");
        host.tell(&request(1, "resources/subscribe", json!({"uri": "file:///a"})));
        let asked = host.request();
        assert_eq!(
            (asked.method().name(), asked.name()),
            ("resources/subscribe".into(), Some("file:///a".into()))
        );
        assert_eq!(updated(&mut host, "file:///a"), [] as [Value; 0], "not yet allowed");
        host.respond(asked.handle(), "{}");
        assert_eq!(host.one()["result"], json!({}));
        assert_eq!(watched(&mut host), [("file:///a".into(), true)]);

        let told = notice("notifications/resources/updated", json!({"uri": "file:///a"}));
        assert_eq!(updated(&mut host, "file:///a"), [told]);
        for other in ["file:///A", "file:///a/", "file:///", "file:///a/b", "file:///%61"] {
            assert_eq!(updated(&mut host, other), [] as [Value; 0], "{other}");
        }
        // A part of what was subscribed to is named as it is.
        let change = Change::Resource { uri: "file:///a/b", concerns: Some("file:///a") };
        host.machine.publish(host.now, change);
        assert_eq!(host.one()["params"], json!({"uri": "file:///a/b"}));

        assert_eq!(
            host.ask(&request(2, "resources/unsubscribe", json!({"uri": "file:///a"})))["result"],
            json!({})
        );
        assert_eq!(watched(&mut host), [("file:///a".into(), false)]);
        assert_eq!(updated(&mut host, "file:///a"), [] as [Value; 0]);
        // What was never subscribed to can be unsubscribed from.
        assert_eq!(
            host.ask(&request(3, "resources/unsubscribe", json!({"uri": "file:///x"})))["result"],
            json!({})
        );
        assert_eq!(watched(&mut host), []);
    }
}

/// What the catalog shows to everyone needs no approval; with principals the application decides about all.
#[test]
fn what_the_catalog_shows_may_be_watched() {
    let catalog = || {
        let catalog = Catalog::new().resources([common::json(r#"{"uri":"file:///a","name":"a"}"#)]).unwrap();
        catalog.templates([common::json(r#"{"uriTemplate":"file:///t/{name}","name":"t"}"#)]).unwrap()
    };
    let config = || config().catalog(Arc::new(catalog()));
    let mut host = session(config(), NEWEST, &json!({}));
    for (id, uri) in ["file:///a", "file:///t/x"].into_iter().enumerate() {
        assert_eq!(host.ask(&request(id, "resources/subscribe", json!({"uri": uri})))["result"], json!({}));
        assert_eq!(watched(&mut host), [(uri.into(), true)]);
    }
    host.tell(&request(5, "resources/subscribe", json!({"uri": "file:///other"})));
    host.request();
    let both = listen(6, json!({"resourceSubscriptions": ["file:///a", "file:///t/y"]}));
    assert_eq!(host.ask(&both)["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(watched(&mut host), [("file:///t/y".into(), true)]);

    let server = Server::new(Arc::new(config()), mcp_sansio::Seed([1; 32])).with_principal("alice").unwrap();
    let mut host = Host::new(server);
    host.tell(&both);
    assert_eq!(host.request().method().name(), "subscriptions/listen");
    host.silent();
}

/// A refusal of the application is the answer, and nothing is told.
#[test]
fn the_application_may_refuse() {
    let error = Outcome::Error { code: -32002, message: "Resource not found", data: None };
    let mut host = session(config(), NEWEST, &json!({}));
    host.tell(&request(1, "resources/subscribe", json!({"uri": "file:///secret"})));
    let asked = host.request().handle();
    host.machine.respond(host.now, asked, error).unwrap();
    assert_eq!(host.one()["error"]["code"], -32002);
    assert_eq!(updated(&mut host, "file:///secret"), [] as [Value; 0]);
    host.tell(&listen(2, json!({"resourceSubscriptions": ["file:///secret"]})));
    let asked = host.request().handle();
    host.machine.respond(host.now, asked, error).unwrap();
    assert_eq!(host.one()["error"]["code"], -32602, "the code of that revision");
    assert_eq!(updated(&mut host, "file:///secret"), [] as [Value; 0]);
    assert_eq!(watched(&mut host), []);
}

/// The acknowledgement comes first and lists what is honoured; every message of a subscription carries its id, several
/// stand side by side, and each ends alone. R-SUB-001, R-SUB-002, R-SUB-003, R-SUB-004, R-SUB-005, R-SUB-006, R-SUB-008,
/// R-SUB-016, R-SUB-018.
#[test]
fn a_stream_is_told_of_what_the_application_lets_it() {
    let mut host = serve(config());
    host.tell(&listen(
        "s",
        json!({"toolsListChanged": true, "resourceSubscriptions": ["file:///a", "file:///b"]}),
    ));
    let asked = host.request().handle();
    assert_eq!(updated(&mut host, "file:///a"), [] as [Value; 0], "not before the acknowledgement");
    host.respond(asked, r#"{"notifications":{"resourceSubscriptions":["file:///b","file:///c"]}}"#);
    assert_eq!(
        host.one(),
        notice(
            "notifications/subscriptions/acknowledged",
            json!({"_meta": {ID: "s"}, "notifications": {"resourceSubscriptions": ["file:///b"]}})
        )
    );
    assert_eq!(watched(&mut host), [("file:///b".into(), true)]);
    assert_eq!(updated(&mut host, "file:///a"), [] as [Value; 0]);
    assert_eq!(updated(&mut host, "file:///c"), [] as [Value; 0], "never asked for");
    host.machine.publish(host.now, Change::Tools);
    host.silent();
    let told =
        |id: Value| notice("notifications/resources/updated", json!({"_meta": {ID: id}, "uri": "file:///b"}));
    assert_eq!(updated(&mut host, "file:///b"), [told(json!("s"))]);

    open(&mut host, 7, &["file:///b"]);
    assert_eq!(watched(&mut host), [], "it was watched already");
    assert_eq!(updated(&mut host, "file:///b"), [told(json!("s")), told(json!(7))]);
    host.tell(&cancelled("s"));
    assert_eq!(watched(&mut host), [], "another one watches it");
    assert_eq!(updated(&mut host, "file:///b"), [told(json!(7))]);
    host.tell(&cancelled(7));
    assert_eq!(watched(&mut host), [("file:///b".into(), false)]);
    assert_eq!(updated(&mut host, "file:///b"), [] as [Value; 0]);
}

/// A part of a subscribed resource is told on streams too.
#[test]
fn a_part_of_a_resource_concerns_who_watches_the_whole() {
    let mut host = serve(config());
    open(&mut host, 1, &["file:///a"]);
    let part = Change::Resource { uri: "file:///a/b", concerns: Some("file:///a") };
    host.machine.publish(host.now, part);
    assert_eq!(host.one()["params"], json!({"_meta": {ID: 1}, "uri": "file:///a/b"}));
}

/// When the server ends them, each stream has its end; the legacy session just ends. R-SUB-012, R-SUB-013.
#[test]
fn a_server_ends_subscriptions_in_order() {
    let mut host = subscribed(&["file:///legacy"]);
    open(&mut host, "s", &["file:///a"]);
    watched(&mut host);
    host.machine.close(host.now, seconds(1));
    let sent = host.sent();
    assert_eq!(sent[0], notice("notifications/cancelled", json!({"requestId": "s", "_meta": {ID: "s"}})));
    assert_eq!((&sent[1]["id"], &sent[1]["result"]["_meta"][ID]), (&json!("s"), &json!("s")));
    let mut events = host.events();
    assert!(matches!(events.pop(), Some(Event::Closed(_))));
    let gone: Vec<_> = events
        .iter()
        .map(|event| match event {
            Event::Watched { uri, wanted: false } => &**uri,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(gone, ["file:///a", "file:///legacy"]);
}

/// Without the capability there is nothing to subscribe to: `server/resources`, capabilities. R-SUB-006, R-SUB-017.
#[test]
fn only_what_was_declared_is_told() {
    let quiet = || ServerConfig::new("server", "1").capabilities(br#"{"resources":{}}"#).unwrap();
    let mut host = session(quiet(), NEWEST, &json!({}));
    assert_eq!(
        host.ask(&request(1, "resources/subscribe", json!({"uri": "file:///a"})))["error"]["code"],
        -32601
    );
    let acknowledged =
        host.ask(&listen(2, json!({"resourcesListChanged": true, "resourceSubscriptions": ["file:///a"]})));
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({}),
        "nothing is honoured, and nobody is asked"
    );
    host.machine.publish(host.now, Change::Resources);
    assert_eq!(updated(&mut host, "file:///a"), [] as [Value; 0]);
}

/// The notices of one revision are no part of the other: `resources/subscribe` is gone, and what the engine tells can't be
/// sent by hand. R-RES-020.
#[test]
fn each_era_has_its_own_way() {
    let mut host = serve(config());
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let answer = host.ask(&modern(1, method, json!({"uri": "file:///a"})));
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
    let mut host = subscribed(&["file:///a"]);
    assert_eq!(
        host.ask(&request(1, "subscriptions/listen", json!({"notifications": {}})))["error"]["code"],
        -32601
    );
    let by_hand = host.machine.notify(
        host.now,
        Target::Channel,
        "notifications/resources/updated",
        Some(common::json(r#"{"uri":"file:///a"}"#)),
    );
    assert!(matches!(by_hand, Err(SendError::Invalid(_))));
}

/// A filter of the wrong shape is -32602, before anyone is asked.
#[test]
fn a_malformed_filter_is_refused() {
    let mut host = serve(config());
    for filter in [
        json!({"resourceSubscriptions": "file:///a"}),
        json!({"resourceSubscriptions": [1]}),
        json!({"resourceSubscriptions": null}),
        json!({"toolsListChanged": "yes"}),
        json!({"promptsListChanged": null}),
        json!([]),
        json!(null),
    ] {
        assert_eq!(host.ask(&listen(1, filter.clone()))["error"]["code"], -32602, "{filter}");
    }
    assert!(host.events().is_empty());
    // A member that no revision knows is none of ours.
    let acknowledged = host.ask(&listen(2, json!({"dreamsChanged": true})));
    assert_eq!(acknowledged["params"]["notifications"], json!({}));
}

/// `Limits::subscriptions` bounds both eras together, and what goes makes room.
#[test]
fn subscriptions_are_bounded() {
    let config = config().limits(limits(|limits| limits.subscriptions = 2));
    let mut host = session(config, NEWEST, &json!({}));
    let subscribe = |uri: &str| request(uri, "resources/subscribe", json!({"uri": uri}));
    for uri in ["a:1", "a:2"] {
        host.tell(&subscribe(uri));
        let asked = host.request().handle();
        host.respond(asked, "{}");
        assert_eq!(host.one()["result"], json!({}));
        watched(&mut host);
    }
    let refused = host.ask(&subscribe("a:3"));
    assert_eq!(refused["error"]["code"], -32603);
    assert_eq!(refused["error"]["data"], json!({"reason": "subscriptions", "limit": 2}));
    let refused = host.ask(&listen(9, json!({"resourceSubscriptions": ["a:1"]})));
    assert_eq!(refused["error"]["data"]["reason"], "subscriptions");
    // Once more to the same is no more.
    assert_eq!(host.ask(&subscribe("a:1"))["result"], json!({}));
    assert!(host.events().is_empty());
    host.ask(&request(5, "resources/unsubscribe", json!({"uri": "a:1"})));
    host.events();
    open(&mut host, 10, &["a:3"]);
    // Two that wait for the application can't both have the last place.
    host.ask(&request(6, "resources/unsubscribe", json!({"uri": "a:2"})));
    host.events();
    host.tell(&subscribe("a:4"));
    let first = host.request().handle();
    host.tell(&subscribe("a:5"));
    let second = host.request().handle();
    host.respond(first, "{}");
    assert!(matches!(host.machine.respond(host.now, second, result("{}")), Err(SendError::Invalid(_))));
    let error = Outcome::Error { code: -32603, message: "Too many", data: None };
    host.machine.respond(host.now, second, error).unwrap();
}

/// A notice that still waits is not said twice, unless an answer that may be older than the change comes between.
#[test]
fn notices_that_wait_are_said_once() {
    let mut host = subscribed(&["file:///a"]);
    let change = Change::Resource { uri: "file:///a", concerns: None };
    for _ in 0..1000 {
        host.machine.publish(host.now, change);
    }
    assert_eq!(host.sent().len(), 1);
    host.machine.publish(host.now, change);
    assert_eq!(host.sent().len(), 1, "the last one was taken");
}

/// Where the output is full nothing is lost and nothing grows: each resource that changed is told when there is room.
#[test]
fn a_slow_reader_is_told_later() {
    let uris: Vec<String> =
        (0..50).map(|number| format!("file:///{number:02}/{}", "x".repeat(100))).collect();
    let names: Vec<&str> = uris.iter().map(String::as_str).collect();
    let config = config().limits(limits(|limits| limits.output_bytes = 1000));
    let mut host = serve(config);
    host.tell(&listen(1, json!({"resourceSubscriptions": names})));
    let asked = host.request().handle();
    host.respond(asked, "{}");
    host.one();
    host.events();
    for _ in 0..100 {
        for uri in &names {
            let part = format!("{uri}/part");
            host.machine.publish(host.now, Change::Resource { uri, concerns: None });
            host.machine.publish(host.now, Change::Resource { uri: &part, concerns: Some(uri) });
        }
    }
    let mut told = BTreeSet::new();
    let sent = host.sent();
    assert!(sent.len() <= 60, "{}: about one each", sent.len());
    for message in &sent {
        let uri = message["params"]["uri"].as_str().unwrap();
        told.insert(uri.strip_suffix("/part").unwrap_or(uri).to_owned());
    }
    assert_eq!(told, uris.iter().cloned().collect());
}

/// What changes before the handshake is complete is told after it.
#[test]
fn an_early_change_waits_for_the_handshake() {
    let mut host = serve(config());
    host.ask(&initialize(1, NEWEST, &json!({})));
    host.events();
    host.tell(&request(2, "resources/subscribe", json!({"uri": "file:///a"})));
    let asked = host.request().handle();
    host.respond(asked, "{}");
    host.one();
    assert_eq!(updated(&mut host, "file:///a"), [] as [Value; 0]);
    host.tell(&initialized());
    assert_eq!(host.one()["params"], json!({"uri": "file:///a"}));
    host.silent();
}

#[derive(Debug, Clone)]
enum Step {
    Subscribe(usize),
    Unsubscribe(usize),
    Listen(usize, Vec<usize>),
    Cancel(usize),
    Publish(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let uri = 0..4usize;
    let step = prop_oneof![
        uri.clone().prop_map(Step::Subscribe),
        uri.clone().prop_map(Step::Unsubscribe),
        (0..4usize, prop::collection::vec(uri.clone(), 0..4)).prop_map(|(id, uris)| Step::Listen(id, uris)),
        (0..4usize).prop_map(Step::Cancel),
        uri.prop_map(Step::Publish),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    /// `publish` reaches exactly those who asked, in both eras at once, and the application knows what is watched.
    /// R-SUB-002, R-SUB-010, R-SUB-020.
    #[test]
    fn exactly_those_who_asked_are_told(steps in steps()) {
        let uris = ["a:0", "a:1", "a:2", "a:3"];
        let mut host = session(config(), NEWEST, &json!({}));
        let mut legacy: BTreeSet<usize> = BTreeSet::new();
        let mut streams: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for step in steps {
            match step {
                Step::Subscribe(uri) => {
                    legacy.insert(uri);
                    host.tell(&request("subscribe", "resources/subscribe", json!({"uri": uris[uri]})));
                }
                Step::Unsubscribe(uri) => {
                    legacy.remove(&uri);
                    host.tell(&request("unsubscribe", "resources/unsubscribe", json!({"uri": uris[uri]})));
                }
                Step::Listen(id, asked) if !streams.contains_key(&id) => {
                    let names: Vec<_> = asked.iter().map(|uri| uris[*uri]).collect();
                    streams.insert(id, asked.into_iter().collect());
                    host.tell(&listen(id, json!({"resourceSubscriptions": names})));
                }
                Step::Listen(..) => {}
                Step::Cancel(id) => {
                    streams.remove(&id);
                    host.tell(&cancelled(id));
                }
                Step::Publish(uri) => {
                    let told: Vec<Value> = updated(&mut host, uris[uri])
                        .into_iter()
                        .map(|message| message["params"]["_meta"][ID].clone())
                        .collect();
                    let session = legacy.contains(&uri).then_some(Value::Null);
                    let mut wanted: Vec<Value> = session.into_iter().collect();
                    wanted.extend(streams.iter().filter(|(_, asked)| asked.contains(&uri)).map(|(id, _)| json!(id)));
                    let sorted = |mut all: Vec<Value>| {
                        all.sort_by_key(Value::to_string);
                        all
                    };
                    prop_assert_eq!(sorted(told), sorted(wanted));
                }
            }
            let mut events = host.events();
            if let Some(Event::Request(request)) = events.first() {
                let asked = request.handle();
                host.respond(asked, "{}");
                events.extend(host.events());
            }
            host.sent();
            for event in events {
                match event {
                    Event::Watched { uri, wanted: true } => prop_assert!(seen.insert(uri.into())),
                    Event::Watched { uri, wanted: false } => prop_assert!(seen.remove(&*uri)),
                    _ => {}
                }
            }
            let now: BTreeSet<String> =
                legacy.iter().chain(streams.values().flatten()).map(|uri| uris[*uri].to_owned()).collect();
            prop_assert_eq!(&seen, &now);
        }
    }
}
