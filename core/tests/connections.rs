//! What holds from one connection to another, and what ends with each: `basic/index` (statelessness),
//! `basic/transports/stdio` of 2026-07-28, `server/utilities/pagination`, `basic/utilities/tasks` of 2025-11-25.
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
    CallHandle, Seed,
    error::CallError,
    event::Event,
    session::{CallOptions, Client, ClientConfig, Server, ServerConfig, SubscriptionFilter},
    time::WallClock,
};
use serde_json::{Value, json};

/// A connection to a server whose revision is remembered.
fn connect(config: &Arc<ClientConfig>, revision: &str) -> Host<Client> {
    let mut host = Host::new(Client::new(Arc::clone(config), Seed([7; 32])));
    host.machine.start(host.now, Some(revision));
    if revision != MODERN {
        let opening = host.one();
        host.tell(&answer(&opening, &initialize_result(revision)));
        host.sent();
    }
    assert!(matches!(host.event(), Event::Ready(_)));
    host
}

fn subscribe(host: &mut Host<Client>) -> (CallHandle, Value) {
    let filter = SubscriptionFilter { tools: true, ..SubscriptionFilter::default() };
    (host.machine.subscribe(host.now, filter).unwrap(), host.one())
}

/// A server that goes away takes what was in flight with it, which is said of each call; on the next connection it may be
/// asked again, and subscriptions are opened again.
/// R-STD-012 R-SUB-015
#[test]
fn what_was_in_flight_is_lost_and_may_be_asked_again() {
    let config = Arc::new(client_config());
    let mut host = connect(&config, MODERN);
    let (call, first) = host.call("tools/list");
    let (subscription, listen) = subscribe(&mut host);
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    let acknowledged = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
    host.tell(&notice("notifications/subscriptions/acknowledged", acknowledged.clone()));
    assert!(matches!(host.event(), Event::Subscribed(_)));
    host.close_channel();
    let mut lost = Vec::new();
    for event in host.events() {
        if let Event::Completed { call, outcome: Err(error) } = event {
            assert!(matches!(*error, CallError::Closed { delivered: true }), "{error:?}");
            lost.push(call);
        }
    }
    assert_eq!(lost, [call, subscription]);

    let mut host = connect(&config, MODERN);
    let (call, again) = host.call("tools/list");
    assert_eq!(again["method"], first["method"]);
    host.tell(&answer(&again, &json!({"resultType": "complete", "tools": []})));
    host.outcome(call).unwrap();
    let (subscription, again) = subscribe(&mut host);
    assert_eq!(again["method"], "subscriptions/listen");
    assert_eq!(again["params"]["notifications"], listen["params"]["notifications"]);
    let meta = json!({"io.modelcontextprotocol/subscriptionId": again["id"]});
    let acknowledged = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
    host.tell(&notice("notifications/subscriptions/acknowledged", acknowledged));
    assert!(matches!(host.event(), Event::Subscribed(event) if event.call == subscription));
}

/// A cursor ends with its session: a list that was interrupted begins again without one.
/// R-PAG-006
#[test]
fn cursors_end_with_their_session() {
    let config = Arc::new(client_config());
    for revision in LEGACY {
        let list = |host: &mut Host<Client>| {
            let call = host.machine.list_all(host.now, "tools/list", None, CallOptions::new()).unwrap();
            (call, host.one())
        };
        let mut host = connect(&config, revision);
        let (call, sent) = list(&mut host);
        host.tell(&answer(&sent, &json!({"tools": [], "nextCursor": "c"})));
        assert_eq!(host.one()["params"]["cursor"], "c");
        host.close_channel();
        assert!(matches!(&host.events()[0], Event::Completed { call: of, outcome: Err(_) } if *of == call));

        let mut host = connect(&config, revision);
        let (_, sent) = list(&mut host);
        assert_eq!(sent["params"].get("cursor"), None, "{revision}");
    }
}

/// Each server has a client machine of its own: what one server says is nothing to the others.
/// R-SEC-003
#[test]
fn clients_of_one_configuration_share_nothing() {
    let config = Arc::new(client_config());
    let (mut one, mut other) = (connect(&config, MODERN), connect(&config, MODERN));
    let (call, sent) = one.call("tools/list");
    let (waiting, same) = other.call("tools/list");
    assert_eq!(sent["id"], same["id"], "ids count for one connection");
    let list = json!({"resultType": "complete", "tools": [], "ttlMs": 60_000, "cacheScope": "public"});
    one.tell(&answer(&sent, &list));
    one.outcome(call).unwrap();
    assert!(other.events().is_empty(), "the answer of one is none of the other");
    let cached = one.machine.call(one.now, "tools/list", None, CallOptions::new()).unwrap();
    one.silent();
    one.outcome(cached).unwrap();
    other.call("tools/list");
    one.close_channel();
    other.tell(&answer(&same, &list));
    other.outcome(waiting).unwrap();
}

/// Lists are the same on each connection, whatever was asked before and whoever asks; only an audience differs.
/// R-STA-006
#[test]
fn lists_differ_by_authorization_alone() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let catalog = json!({"tools": [tool("a"), tool("b"), tool("secret")], "visible_to": {"tools": {"secret": ["admin"]}}});
    let catalog = Arc::new(mcp_sansio::session::Catalog::from_json(catalog.to_string().as_bytes()).unwrap());
    let service = Arc::new(ServerConfig::new("s", "1").catalog(catalog));
    let connection = |seed| Server::new(Arc::clone(&service), Seed([seed; 32]));
    let list = |host: &mut Host<Server>| {
        let mut asked = modern(1, "tools/list", json!({}));
        asked["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] =
            json!({"name": "any", "version": "2"});
        host.ask(&asked)["result"]["tools"].clone()
    };
    let mut fresh = Host::new(connection(1));
    let first = list(&mut fresh);
    assert_eq!(first, json!([tool("a"), tool("b")]));
    let mut used = Host::new(connection(2));
    used.tell(&modern(2, "tools/call", json!({"name": "a"})));
    let handle = used.request().handle();
    used.respond(handle, DONE);
    used.sent();
    used.ask(&modern(3, "tools/call", json!({"name": "none"})));
    used.ask(&modern(4, "resources/list", json!({})));
    used.sent();
    for _ in 0..2 {
        assert_eq!(list(&mut used), first);
    }
    let mut admin = Host::new(connection(3).with_principal("p").unwrap().with_groups(["admin"]));
    assert_eq!(list(&mut admin), json!([tool("a"), tool("b"), tool("secret")]));
}

/// A task is its session's: for anyone else it does not exist, and no list has it. So each requestor's list may be declared.
/// R-TSK-028 R-TSK-029
#[test]
fn tasks_are_their_sessions() {
    let capabilities = json!({
        "tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    });
    let tool =
        json!({"name": "t", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}});
    let tool = tool.to_string();
    let catalog = mcp_sansio::session::Catalog::new().tools([json(&tool)]).unwrap();
    let config = ServerConfig::new("s", "1")
        .capabilities(capabilities.to_string().as_bytes())
        .unwrap()
        .catalog(Arc::new(catalog));
    let service = Arc::new(config);
    let connection = |seed, principal: &str| {
        let machine = Server::new(Arc::clone(&service), Seed([seed; 32]))
            .with_clock(WallClock {
                at: mcp_sansio::time::Instant::from_nanos(0),
                unix_millis: 1_764_066_600_000,
            })
            .with_principal(principal)
            .unwrap();
        let mut host = Host::new(machine);
        host.ask(&initialize(0, NEWEST, &json!({})));
        host.tell(&initialized());
        host.events();
        host
    };
    let mut owner = connection(1, "one");
    let created = owner.ask(&request(1, "tools/call", json!({"name": "t", "task": {}})));
    let id = &created["result"]["task"]["taskId"];
    let of_owner = owner.ask(&request(2, "tasks/list", json!({})));
    assert_eq!(&of_owner["result"]["tasks"][0]["taskId"], id);
    for principal in ["one", "other"] {
        let mut stranger = connection(2, principal);
        for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
            let refused = stranger.ask(&request(3, method, json!({"taskId": id})));
            assert_eq!(refused["error"]["code"], -32602, "{method}");
        }
        assert_eq!(stranger.ask(&request(4, "tasks/list", json!({})))["result"]["tasks"], json!([]));
    }
    assert_eq!(owner.ask(&request(5, "tasks/get", json!({"taskId": id})))["result"]["status"], "working");
}
