//! How a legacy session opens: `basic/lifecycle` and `basic/utilities/ping` of 2024-11-05 to 2025-11-25.
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
    error::{CloseReason, SendError},
    event::{Event, Target},
    limits::Limits,
    revision::Revision,
    session::CallOptions,
};
use serde_json::{Value, json};

fn revision(name: &str) -> Revision {
    Revision::from_name(name).unwrap()
}

/// `basic/lifecycle`: a version that the server speaks is answered with itself, any other with one that it speaks.
/// R-LIF-003 R-LIF-009 R-LIF-010 R-LIF-011 R-LIF-023
#[test]
fn a_server_answers_the_version_that_was_asked_for() {
    for (asked, answered) in LEGACY.map(|name| (name, name)).into_iter().chain([
        (MODERN, NEWEST),
        ("1999-01-01", NEWEST),
        ("", NEWEST),
    ]) {
        let mut host = serve(server_config().instructions("Be kind."));
        let answer = host.ask(&initialize("i", asked, &json!({"roots": {}})));
        assert_eq!(answer["id"], "i");
        assert_eq!(
            answer["result"],
            json!({
                "protocolVersion": answered, "serverInfo": {"name": "server", "version": "1"},
                "capabilities": {"tools": {"listChanged": true}}, "instructions": "Be kind."
            })
        );
        let Event::Ready(ready) = host.event() else { panic!("not ready") };
        assert_eq!(ready.revision, answered);
        assert_eq!(ready.capabilities.unwrap().as_str(), r#"{"roots":{}}"#);
    }
}

/// `basic/lifecycle`: what `initialize` must carry.
#[test]
fn a_server_refuses_params_of_initialize_that_are_not_whole() {
    let whole = initialize(1, NEWEST, &json!({}));
    for broken in ["protocolVersion", "capabilities", "clientInfo"] {
        for value in [None, Some(json!(7)), Some(Value::Null)] {
            let mut message = whole.clone();
            let params = message["params"].as_object_mut().unwrap();
            match value {
                Some(value) => params.insert(broken.into(), value),
                None => params.remove(broken),
            };
            let mut host = serve(server_config());
            let answer = host.ask(&message);
            assert_eq!(answer["error"]["code"], -32602, "{message}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(broken), "{answer}");
            assert!(host.ask(&whole)["result"].is_object(), "the client may try again");
        }
    }
}

/// `basic/versioning` of 2026-07-28: a server of both eras says both ways in.
/// R-LIF-017
#[test]
fn a_request_before_initialize_is_refused_with_both_ways_in() {
    let mut host = serve(server_config());
    let refused = host.ask(&request(5, "tools/list", json!({})));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32602)));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("initialize") && message.contains("io.modelcontextprotocol/protocolVersion"),
        "{message}"
    );
    assert!(host.ask(&initialize(6, NEWEST, &json!({})))["result"].is_object());
}

/// `basic/versioning` of 2026-07-28: a server of the modern era alone names its versions to a legacy client.
/// R-VER-014
#[test]
fn a_modern_server_names_its_versions_to_a_legacy_client() {
    let mut host = serve(server_config().revisions(&[revision(MODERN)]).unwrap());
    let refused = host.ask(&initialize(0, NEWEST, &json!({})));
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(refused["error"]["data"], json!({"supported": [MODERN], "requested": NEWEST}));
    assert!(refused["error"]["message"].as_str().unwrap().contains(MODERN));
}

/// `basic/lifecycle`: initialization happens once.
/// R-LIF-016
#[test]
fn a_second_initialize_is_refused() {
    let mut host = session(server_config(), "2025-06-18", &json!({}));
    assert_eq!(host.ask(&initialize(1, "2024-11-05", &json!({})))["error"]["code"], -32600);
    host.tell(&call(2, "echo"));
    assert_eq!(host.request().revision(), revision("2025-06-18"));
}

/// `basic/utilities/ping`: it is answered at any moment, with an empty object.
/// R-PIN-001 R-PIN-002
#[test]
fn ping_is_answered_at_any_moment() {
    let pong = |host: &mut common::Host<mcp_sansio::session::Server>, id: u32| {
        let answer = host.ask(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    };
    let mut server = serve(server_config());
    pong(&mut server, 1);
    server.ask(&initialize(2, NEWEST, &json!({})));
    pong(&mut server, 3);
    server.tell(&initialized());
    pong(&mut server, 4);
    server.tell(&call(5, "slow"));
    pong(&mut server, 6);

    let mut client = start(client_config().probe(false));
    client.one();
    for _ in 0..2 {
        let answer = client.ask(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}));
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
        client.tell(&json!({"jsonrpc": "2.0", "id": 1, "result": initialize_result(NEWEST)}));
        client.sent();
    }
}

/// `basic/lifecycle`: a server asks nothing but `ping` before `initialized`, and only what the client declared.
/// R-LIF-006 R-CAP-006
#[test]
fn a_servers_calls_wait_for_initialized_and_need_a_capability() {
    let mut host = serve(server_config());
    let ask = |host: &mut common::Host<mcp_sansio::session::Server>, method| {
        host.machine.call(host.now, Target::Channel, method, Some(json("{}")), CallOptions::new())
    };
    assert_eq!(ask(&mut host, "roots/list"), Err(SendError::NotReady));
    host.ask(&initialize(0, NEWEST, &json!({"roots": {}})));
    assert_eq!(ask(&mut host, "roots/list"), Err(SendError::NotReady));
    assert!(ask(&mut host, "ping").is_ok());
    host.tell(&initialized());
    assert!(ask(&mut host, "roots/list").is_ok());
    assert_eq!(ask(&mut host, "sampling/createMessage"), Err(SendError::MissingCapability("sampling")));
    assert_eq!(ask(&mut host, "tools/list"), Err(SendError::NotInRevision));
}

/// `basic/lifecycle`: a client asks for its newest version, takes any that it speaks, and leaves otherwise.
/// R-LIF-001 R-LIF-002 R-LIF-004 R-LIF-005 R-LIF-007 R-LIF-008 R-LIF-012
#[test]
fn a_client_takes_a_version_that_it_speaks() {
    for answered in LEGACY {
        let mut host = start(client_config().probe(false));
        let opening = host.one();
        assert_eq!(opening["method"], "initialize");
        assert_eq!(
            opening["params"],
            json!({"protocolVersion": NEWEST, "capabilities": {}, "clientInfo": {"name": "client", "version": "1"}})
        );
        assert_eq!(
            host.machine.call(host.now, "tools/list", None, CallOptions::new()),
            Err(SendError::NotReady)
        );
        host.tell(&answer(&opening, &initialize_result(answered)));
        assert_eq!(host.one(), initialized());
        let Event::Ready(ready) = host.event() else { panic!("not ready") };
        assert_eq!(ready.revision, answered);
        assert_eq!(ready.peer.unwrap().as_str(), r#"{"name":"peer","version":"1"}"#);
    }
    for answered in ["1999-01-01", MODERN, ""] {
        let mut host = start(client_config().probe(false));
        let opening = host.one();
        host.tell(&answer(&opening, &initialize_result(answered)));
        host.silent();
        assert_eq!(host.closed(), Some(CloseReason::Handshake), "{answered}");
    }
    let mut pinned = start(client_config().revisions(&[revision("2024-11-05")]).unwrap());
    let opening = pinned.one();
    assert_eq!(opening["params"]["protocolVersion"], "2024-11-05");
    pinned.tell(&answer(&opening, &initialize_result(NEWEST)));
    assert_eq!(pinned.closed(), Some(CloseReason::Handshake));
}

/// `basic/lifecycle`: timeouts apply to every request; `basic/utilities/cancellation`: `initialize` is not cancelled.
/// R-LIF-018
#[test]
fn a_handshake_that_takes_too_long_ends_without_a_cancellation() {
    let mut host = start(client_config().probe(false));
    host.one();
    host.wait(seconds(30));
    host.silent();
    let faults = host.events();
    assert!(
        matches!(&faults[..], [Event::Fault(fault), Event::Closed(CloseReason::Handshake)] if fault.code == "fault.handshake")
    );

    let mut host = start(client_config().probe(false));
    host.one();
    host.machine.close(host.now, Duration::ZERO);
    host.silent();
    assert_eq!(host.closed(), Some(CloseReason::Local));

    let mut server = serve(server_config());
    server.ask(&initialize(1, NEWEST, &json!({})));
    server.tell(&cancelled(1));
    server.tell(&initialized());
    server.tell(&call(2, "echo"));
    assert!(server.events().iter().any(|event| matches!(event, Event::Request(_))));
}

fn outlives_one_missed_ping<M: Machine>(host: &mut Host<M>) {
    host.wait(seconds(20));
    let ping = host.one();
    assert_eq!(ping["method"], "ping");
    host.tell(&answer(&ping, &json!({})));
    host.wait(seconds(20));
    assert_eq!(host.one()["method"], "ping");
    host.wait(seconds(4));
    assert!(host.events().is_empty());
    host.wait(seconds(16));
    assert_eq!(host.fault_codes(), ["fault.ping"], "that one was missed is said");
    let second = host.one();
    assert_eq!(second["method"], "ping");
    // One answer in time starts the count again.
    host.tell(&answer(&second, &json!({})));
    host.wait(seconds(44));
    assert_eq!(host.sent().len(), 2);
    assert_eq!(host.fault_codes(), ["fault.ping"]);
    host.wait(seconds(1));
    let events = host.events();
    assert!(
        matches!(&events[..], [Event::Fault(fault), Event::Closed(CloseReason::KeepAlive)] if fault.code == "fault.ping")
    );
    host.silent();
}

/// `basic/utilities/ping`: pings at intervals, and the connection is stale after several without an answer.
/// R-PIN-003 R-PIN-004 R-PIN-005 R-PIN-006 R-PIN-007
#[test]
fn keep_alive_pings_end_a_dead_session() {
    let bounds = || {
        limits(|limits: &mut Limits| {
            limits.ping_interval = Some(seconds(20));
            limits.ping_timeout = seconds(5);
            limits.ping_failures = 2;
        })
    };
    outlives_one_missed_ping(&mut session(server_config().limits(bounds()), NEWEST, &json!({})));
    outlives_one_missed_ping(&mut legacy_client(client_config().limits(bounds())));
}

/// `basic/index`: the base protocol and the lifecycle are there in every revision and both roles, whatever else is offered.
/// R-BAS-030
#[test]
fn the_base_protocol_is_whole_without_anything_offered() {
    for revision in LEGACY {
        let mut host = session(mcp_sansio::session::ServerConfig::new("s", "1"), revision, &json!({}));
        assert_eq!(host.ask(&request(1, "ping", json!({})))["result"], json!({}), "{revision}");
        assert_eq!(host.ask(&request(2, "tools/list", json!({})))["error"]["code"], -32601, "{revision}");
        assert_eq!(host.ask(&json!({"jsonrpc": "2.0", "id": 3}))["error"]["code"], -32600, "{revision}");
        host.tell_text("{");
        assert_eq!(host.one()["error"]["code"], -32700, "{revision}");
        for ignored in ["cancelled", "progress", "unknown"] {
            host.tell(&notice(&format!("notifications/{ignored}"), json!({"requestId": 9})));
            host.silent();
        }
        host.eof();
        host.events();

        let of = mcp_sansio::revision::Revision::from_name(revision).unwrap();
        let mut host = legacy_client(client_config().revisions(&[of]).unwrap());
        assert_eq!(host.ask(&request(1, "ping", json!({})))["result"], json!({}), "{revision}");
        assert_eq!(host.ask(&request(2, "roots/list", json!({})))["error"]["code"], -32601, "{revision}");
        let (call, sent) = host.call("ping");
        host.tell(&answer(&sent, &json!({})));
        host.outcome(call).unwrap();
        let (call, sent) = host.call("ping");
        host.machine.cancel(host.now, call, None).unwrap();
        assert_eq!(host.one()["params"]["requestId"], sent["id"], "{revision}");
    }

    let mut host = serve(mcp_sansio::session::ServerConfig::new("s", "1"));
    let described = host.ask(&modern(1, "server/discover", json!({})));
    assert!(described["result"]["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)));
    let mut other = modern(2, "server/discover", json!({}));
    other["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    assert_eq!(host.ask(&other)["error"]["code"], -32022);
    assert_eq!(host.ask(&modern(3, "tools/list", json!({})))["error"]["code"], -32601);
    let mut host = modern_client(client_config());
    let (call, sent) = host.call("server/discover");
    host.tell(&answer(&sent, &discover_result(&[MODERN])));
    host.outcome(call).unwrap();
}
