//! A revision that differs in the name of one method and in one feature takes edits of the tables alone.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

mod common;

use std::collections::BTreeSet;

use common::*;
use mcp_sansio::{
    error::SendError,
    event::Event,
    method::{self, Handling, MethodKind, MethodRow, Side},
    revision::{Features, Revision, RevisionSet},
    session::{CallOptions, Client, Server},
};
use serde_json::{Value, json};

const MADE_UP: Revision = Revision::V2099_01_01;
const BEFORE: Revision = Revision::V2026_07_28;

#[test]
fn it_is_the_newest() {
    assert_eq!(MADE_UP.name(), "2099-01-01");
    assert_eq!(Revision::from_name("2099-01-01"), Some(MADE_UP));
    assert_eq!(RevisionSet::all().newest_first().next(), Some(MADE_UP));
}

#[test]
fn one_feature_is_off() {
    let mut expected: Features = *BEFORE.features();
    assert!(expected.cache_hints);
    expected.cache_hints = false;
    assert_eq!(*MADE_UP.features(), expected);
    assert!(method::rows().iter().all(|row| !row.cacheable.contains(MADE_UP)));
}

#[test]
fn one_method_is_renamed() {
    let names = |revision| -> BTreeSet<&str> {
        let is_there = |row: &&MethodRow| row.revisions.union(row.embedded).contains(revision);
        method::rows().iter().filter(is_there).map(|row| row.name).collect()
    };
    let mut expected = names(BEFORE);
    assert!(expected.remove("tools/call"));
    assert!(expected.insert("tools/invoke"));
    assert_eq!(names(MADE_UP), expected);
}

#[test]
fn each_revision_finds_its_own_name() {
    for revision in Revision::all() {
        let (own, other) =
            if revision == MADE_UP { ("tools/invoke", "tools/call") } else { ("tools/call", "tools/invoke") };
        let find = |name| method::find(name, MethodKind::Request, Side::Client, revision);
        let found = find(own);
        assert_eq!(found.map(|id| id.row().handling), Some(Handling::CallTool), "{}", revision.name());
        assert_eq!(method::with_handling(Handling::CallTool, Side::Client, revision), found);
        assert_eq!(find(other), None, "{}", revision.name());
        assert!(method::is_known(other));
    }
}

/// Messages of one machine, as they are told to the other.
fn shuttle(client: &mut Host<Client>, server: &mut Host<Server>) -> Vec<Value> {
    let mut messages = Vec::new();
    loop {
        let (up, down) = (client.sent(), server.sent());
        if up.is_empty() && down.is_empty() {
            return messages;
        }
        for message in &up {
            server.tell(message);
        }
        for message in &down {
            client.tell(message);
        }
        messages.extend(up.into_iter().chain(down));
    }
}

#[test]
fn a_client_and_a_server_speak_it() {
    let mut server = serve(server_config());
    let mut client = start(client_config());
    let opening = shuttle(&mut client, &mut server);
    assert_eq!(opening[0]["method"], "server/discover");
    assert_eq!(opening[0]["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2099-01-01");
    assert_eq!(opening[1]["result"]["supportedVersions"], json!(["2099-01-01", "2026-07-28"]));
    assert_eq!(opening[1]["result"].get("ttlMs"), None, "no cache hints");
    let Event::Ready(ready) = client.event() else { panic!("not ready") };
    assert_eq!(ready.revision, "2099-01-01");

    let (list, listing) = client.call("tools/list");
    server.tell(&listing);
    let listed = shuttle(&mut client, &mut server);
    assert_eq!(listed[0]["result"].get("ttlMs"), None);
    assert_eq!(listed[0]["result"]["resultType"], "complete");
    assert_eq!(client.outcome(list).unwrap()["tools"][0]["name"], "echo");

    let now = client.now;
    let old = client.machine.call(now, "tools/call", None, CallOptions::new());
    assert_eq!(old, Err(SendError::NotInRevision));
    let params = json(r#"{"name":"echo","arguments":{"text":"hi"}}"#);
    let call =
        client.machine.call(now, "tools/invoke", Some(params), CallOptions::new().progress(true)).unwrap();
    shuttle(&mut client, &mut server);
    let request = server.request();
    assert_eq!((request.revision(), &*request.method().name()), (MADE_UP, "tools/invoke"));
    assert_eq!(request.arguments().unwrap().as_str(), r#"{"text":"hi"}"#);
    assert_eq!(server.machine.progress(server.now, request.handle(), 1.0, None, None), Ok(true));
    server.respond(request.handle(), r#"{"content":[]}"#);
    shuttle(&mut client, &mut server);
    let events = client.events();
    assert!(
        matches!(&events[..], [Event::Progress { .. }, Event::Completed { call: of, outcome: Ok(_) }] if *of == call),
        "{events:?}"
    );

    // The revision before it goes on to have its own.
    server.tell(&modern(1, "tools/call", json!({"name": "echo"})));
    assert_eq!(server.request().revision(), BEFORE);
    assert_eq!(server.ask(&modern(2, "tools/invoke", json!({"name": "echo"})))["error"]["code"], -32601);
    assert_eq!(server.ask(&modern(3, "tools/list", json!({})))["result"]["ttlMs"], 0);
}
