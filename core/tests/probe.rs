//! How a client finds out the era of a server: `basic/transports/stdio` of 2026-07-28, backward compatibility.
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
    error::CloseReason,
    event::Event,
    revision::Revision,
    session::{CallOptions, Client},
};
use serde_json::{Value, json};

fn probing() -> (Host<Client>, Value) {
    let spoken: Vec<Revision> = Revision::all().rev().filter(|revision| revision.name() <= MODERN).collect();
    let mut host = start(client_config().revisions(&spoken).unwrap());
    let probe = host.one();
    assert_eq!(probe["method"], "server/discover");
    assert_eq!(probe["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], MODERN);
    (host, probe)
}

fn ready(host: &mut Host<Client>) -> &'static str {
    match host.event() {
        Event::Ready(ready) => ready.revision,
        other => panic!("ready, not {other:?}"),
    }
}

fn unsupported(request: &Value, supported: &[&str]) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "error": {
        "code": -32022, "message": "no", "data": {"supported": supported, "requested": MODERN}
    }})
}

/// R-STD-013 R-STD-014 R-DIS-003
#[test]
fn a_discover_result_proves_the_modern_era() {
    for versions in [&[MODERN][..], &["2030-01-01", NEWEST, MODERN]] {
        let (mut host, probe) = probing();
        host.tell(&answer(&probe, &discover_result(versions)));
        let Event::Ready(described) = host.event() else { panic!("not ready") };
        assert_eq!(described.revision, MODERN);
        assert_eq!(described.peer.unwrap().as_str(), r#"{"name":"peer","version":"1"}"#);
        host.silent();
    }
}

/// Only modern versions of the list count, whatever else the client speaks.
/// R-STD-014
#[test]
fn a_discover_result_without_a_common_modern_version_ends_it() {
    for versions in [&["2030-01-01"][..], &[NEWEST], &[]] {
        let (mut host, probe) = probing();
        host.tell(&answer(&probe, &discover_result(versions)));
        host.silent();
        assert_eq!(host.closed(), Some(CloseReason::Handshake), "{versions:?}");
    }
}

/// The fallback does not hang on one code.
/// R-STD-016 R-STD-017
#[test]
fn any_other_error_means_legacy() {
    for code in [-32601, -32602, -32600, -32000, -32001, 0, 1] {
        let (mut host, probe) = probing();
        host.tell(&failure(&probe, code));
        let opening = host.one();
        assert_eq!(
            (&opening["method"], &opening["params"]["protocolVersion"]),
            (&json!("initialize"), &json!(NEWEST))
        );
        host.tell(&answer(&opening, &initialize_result("2025-06-18")));
        assert_eq!(host.one(), initialized());
        assert_eq!(ready(&mut host), "2025-06-18", "code {code}");
    }
    let odd = [
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "no"}}),
        json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}}),
    ];
    for message in odd {
        let (mut host, _) = probing();
        host.tell(&message);
        assert_eq!(host.one()["method"], "initialize", "{message}");
    }
    for nonsense in [json!({}), json!({"supportedVersions": "2026-07-28"})] {
        let (mut host, probe) = probing();
        host.tell(&answer(&probe, &nonsense));
        assert_eq!(host.one()["method"], "initialize", "a result that is no discovery: {nonsense}");
    }
}

/// No answer within the time of the probe, five seconds, means legacy; a probe is not cancelled.
/// R-STD-016
#[test]
fn silence_means_legacy() {
    let (mut host, _) = probing();
    host.wait(std::time::Duration::from_millis(4999));
    host.silent();
    host.wait(std::time::Duration::from_millis(1));
    let opening = host.one();
    assert_eq!(opening["method"], "initialize");
    host.tell(&answer(&opening, &initialize_result(NEWEST)));
    assert_eq!(host.one(), initialized());
    assert_eq!(ready(&mut host), NEWEST);
    host.wait(seconds(600));
    host.silent();
}

/// What proves the modern era late is believed: a `DiscoverResult`, or -32022 in answer to `initialize`.
#[test]
fn late_proof_of_the_modern_era_is_adopted() {
    let (mut host, probe) = probing();
    host.wait(seconds(5));
    let opening = host.one();
    host.tell(&answer(&probe, &discover_result(&[MODERN])));
    assert_eq!(ready(&mut host), MODERN);
    host.tell(&failure(&opening, -32601));
    host.tell(&answer(&opening, &initialize_result(NEWEST)));
    host.silent();
    assert!(host.events().is_empty(), "the answers to `initialize` are late");
    let (_, sent) = host.call("tools/list");
    assert_eq!(sent["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], MODERN);

    let (mut host, _) = probing();
    host.wait(seconds(5));
    let opening = host.one();
    host.tell(&unsupported(&opening, &[MODERN]));
    assert_eq!(ready(&mut host), MODERN);
    host.silent();
}

/// A legacy server that answers the probe after the session is open changes nothing.
#[test]
fn an_answer_to_the_probe_after_the_handshake_is_late() {
    let (mut host, probe) = probing();
    host.wait(seconds(5));
    let opening = host.one();
    host.tell(&answer(&opening, &initialize_result(NEWEST)));
    host.one();
    assert_eq!(ready(&mut host), NEWEST);
    host.tell(&failure(&probe, -32601));
    host.silent();
    assert!(host.events().is_empty());
}

/// A modern error means modern: the client goes on with a version that is listed, and does not fall back.
/// R-VER-011
#[test]
fn a_modern_error_is_no_reason_to_fall_back() {
    let (mut host, probe) = probing();
    host.tell(&unsupported(&probe, &["2030-01-01"]));
    host.silent();
    assert_eq!(host.closed(), Some(CloseReason::Handshake));

    for code in [-32020, -32021] {
        let (mut host, probe) = probing();
        host.tell(&failure(&probe, code));
        host.silent();
        assert_eq!(host.closed(), Some(CloseReason::Handshake));
    }
}

/// A server that lists the version that it refuses is asked once more, not for ever.
/// R-STD-015 R-VER-002
#[test]
fn a_server_that_refuses_what_it_lists_is_asked_once_more() {
    let (mut host, probe) = probing();
    host.tell(&unsupported(&probe, &[MODERN]));
    let again = host.one();
    assert_eq!(again["method"], "server/discover");
    assert_ne!(again["id"], probe["id"]);
    host.tell(&unsupported(&again, &[MODERN]));
    host.silent();
    assert_eq!(host.closed(), Some(CloseReason::Handshake));

    let (mut host, probe) = probing();
    host.tell(&unsupported(&probe, &[MODERN]));
    let again = host.one();
    host.tell(&answer(&again, &discover_result(&[MODERN])));
    assert_eq!(ready(&mut host), MODERN);
}

/// A server that dies of the probe, or of the `initialize` after it, is to be started once more.
#[test]
fn a_server_that_dies_of_the_probe_is_told_apart() {
    let (mut host, _) = probing();
    host.eof();
    assert_eq!(host.closed(), Some(CloseReason::ProbeClosed));

    let (mut host, probe) = probing();
    host.tell(&failure(&probe, -32601));
    host.close_channel();
    assert_eq!(host.closed(), Some(CloseReason::ProbeClosed));

    let mut plain = start(client_config().probe(false));
    plain.eof();
    assert_eq!(plain.closed(), Some(CloseReason::Peer));

    let mut opened = modern_client(client_config());
    opened.eof();
    assert_eq!(opened.closed(), Some(CloseReason::Peer));
}

/// The era is a property of the server, so it may be remembered.
/// R-VER-004 R-VER-012
#[test]
fn what_is_remembered_is_not_probed() {
    let remembering = |name: &str| {
        let mut host = Host::new(Client::new(client_config().into(), mcp_sansio::Seed([3; 32])));
        host.machine.start(host.now, Some(name));
        host
    };
    let mut host = remembering(MODERN);
    assert_eq!(ready(&mut host), MODERN);
    host.silent();
    assert!(host.machine.call(host.now, "tools/list", None, CallOptions::new()).is_ok());

    let mut host = remembering("2025-06-18");
    assert_eq!(host.one()["params"]["protocolVersion"], "2025-06-18");
    let mut host = remembering("1999-01-01");
    assert_eq!(host.one()["method"], "server/discover", "what is not spoken is not remembered");
}

/// One modern revision alone: a legacy server is no fallback.
/// R-VER-015
#[test]
fn a_modern_client_ends_at_a_legacy_server() {
    let mut host = start(client_config().revisions(&[Revision::V2026_07_28]).unwrap());
    let probe = host.one();
    assert_eq!(probe["method"], "server/discover");
    host.tell(&failure(&probe, -32601));
    host.silent();
    assert_eq!(host.closed(), Some(CloseReason::Handshake));
}
