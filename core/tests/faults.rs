//! What is told of a rule that the peer broke: which one, on which page, and what the engine did.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;
mod spec;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use common::*;
use mcp_sansio::{
    error::{CallError, Fault},
    event::{Event, Outcome, Question},
    session::{CallOptions, SubscriptionFilter, TaskOptions},
};
use serde_json::json;

/// Texts of all source files below a folder, without their tests.
fn sources(folder: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else {
            let text = fs::read_to_string(path).unwrap();
            all.push(text.split("#[cfg(test)]").next().unwrap().to_owned());
        }
    }
}

/// String literals of the sources that begin so.
fn literals(begin: &str) -> BTreeSet<String> {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    let begin = format!("\"{begin}");
    let mut found = BTreeSet::new();
    for text in all {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            for (at, _) in line.match_indices(&begin) {
                let rest = &line[at + 1..];
                found.insert(rest[..rest.find('"').unwrap()].to_owned());
            }
        }
    }
    found
}

/// The pages that faults name exist in some revision of the protocol.
#[test]
fn pages_exist() {
    let pages: Vec<String> = ["basic/", "server/", "client/"].into_iter().flat_map(literals).collect();
    assert!(pages.len() >= 7, "{pages:?}");
    let Some(folder) = spec::folder() else { return };
    for page in pages {
        let exists =
            LEGACY.iter().chain([&MODERN]).any(|of| folder.join(of).join(format!("{page}.mdx")).exists());
        assert!(exists, "{page}");
    }
}

/// The fault of a call that failed for one.
fn of_call(events: Vec<Event>) -> Vec<Fault> {
    let faults = events.into_iter().filter_map(|event| match event {
        Event::Fault(fault) => Some(*fault),
        Event::Completed { outcome: Err(error), .. } => match *error {
            CallError::InvalidResult(fault) => Some(*fault),
            _ => None,
        },
        _ => None,
    });
    faults.collect()
}

fn to_session(message: &str) -> Vec<Fault> {
    let mut host =
        session(server_config().limits(limits(|limits| limits.message_bytes = 900)), NEWEST, &json!({}));
    host.tell(&call(1, "slow"));
    host.events();
    host.tell_text(message);
    host.faults()
}

fn to_modern(params: serde_json::Value) -> Vec<Fault> {
    let mut host = serve(server_config());
    host.tell(&request(1, "tools/call", params));
    host.faults()
}

/// What becomes of this answer to a call of a modern server.
fn answered(result: &serde_json::Value) -> Vec<Fault> {
    let mut host = modern_client(client_config());
    let params = Some(json_text(r#"{"name":"a"}"#));
    host.machine.call(host.now, "tools/call", params, CallOptions::new()).unwrap();
    let sent = host.one();
    host.tell(&answer(&sent, result));
    of_call(host.events())
}

fn json_text(text: &str) -> mcp_sansio::json::Json<'_> {
    common::json(text)
}

fn listed() -> Vec<Fault> {
    let mut host = modern_client(client_config());
    host.machine.list_all(host.now, "tools/list", None, CallOptions::new()).unwrap();
    let sent = host.one();
    host.tell(&answer(&sent, &json!({"resultType": "complete", "tools": 1})));
    of_call(host.events())
}

fn refused_handshake() -> Vec<Fault> {
    let mut host = start(client_config().probe(false));
    let opening = host.one();
    host.tell(&failure(&opening, -1));
    host.faults()
}

fn answered_at_once() -> Vec<Fault> {
    let mut host = start(client_config().probe(false));
    let opening = host.one();
    let mut described = initialize_result(NEWEST);
    described["capabilities"] = json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}});
    host.tell(&answer(&opening, &described));
    host.sent();
    host.events();
    let options = CallOptions::new().task(Some(TaskOptions::new()));
    host.machine.call(host.now, "tools/call", Some(json_text(r#"{"name":"a"}"#)), options).unwrap();
    let sent = host.one();
    host.tell(&answer(&sent, &json!({"content": []})));
    of_call(host.events())
}

fn acknowledged_twice() -> Vec<Fault> {
    let mut host = modern_client(client_config());
    let filter = SubscriptionFilter { tools: true, ..SubscriptionFilter::default() };
    host.machine.subscribe(host.now, filter).unwrap();
    let id = host.one()["id"].clone();
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": {"io.modelcontextprotocol/subscriptionId": id}});
    for _ in 0..2 {
        host.tell(&notice("notifications/subscriptions/acknowledged", params.clone()));
    }
    host.faults()
}

fn without_a_clock() -> Vec<Fault> {
    let capabilities = br#"{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}"#;
    let mut host = serve(server_config().capabilities(capabilities).unwrap());
    host.tell(&initialize(1, NEWEST, &json!({})));
    host.faults()
}

fn a_missed_ping() -> Vec<Fault> {
    let limits = limits(|limits| {
        limits.ping_interval = Some(seconds(20));
        limits.ping_timeout = seconds(5);
    });
    let mut host = session(server_config().limits(limits), NEWEST, &json!({}));
    host.wait(seconds(25));
    host.faults()
}

fn a_request_of_a_server() -> Vec<Fault> {
    let mut host = modern_client(client_config());
    host.tell(&request(1, "roots/list", json!({})));
    host.faults()
}

/// A bad answer to a question that a handler asked.
fn badly_answered() -> Vec<Fault> {
    let mut host = session(server_config(), NEWEST, &json!({"roots": {}}));
    host.tell(&call(1, "slow"));
    let handle = host.request().handle();
    let questions = [Question { key: "k", method: "roots/list", params: None }];
    let asked = Outcome::InputRequired { questions: &questions, state: None };
    host.machine.respond(host.now, handle, asked).unwrap();
    let question = host.one();
    host.tell(&answer(&question, &json!({"roots": 1})));
    let again = host.request();
    let failed = &again.input().unwrap().failed;
    match &failed[0].1 {
        CallError::InvalidResult(fault) => vec![(**fault).clone()],
        other => panic!("{other:?}"),
    }
}

/// Each code that there is, with its page, and a detail that ends with what was done.
#[test]
fn every_fault_says_what_was_done() {
    let message = |text: &str| to_session(text);
    let modern_meta = |key: &str, value| {
        let mut params = json!({"name": "slow", "_meta": meta()});
        params[key] = value;
        params
    };
    let cases = [
        ("fault.parse", "basic/index", message("no")),
        ("fault.too_large", "basic/index", message(&" ".repeat(901))),
        ("fault.batch", "basic/index", message("[1]")),
        ("fault.invalid", "basic/index", message(r#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#)),
        ("fault.invalid", "basic/index", message(r#"{"jsonrpc":"1.0","method":"ping"}"#)),
        ("fault.invalid", "basic/index", message("1")),
        ("fault.invalid", "basic/index", message(r#"{"jsonrpc":"2.0","error":1}"#)),
        ("fault.id", "basic/index", message(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#)),
        ("fault.duplicate_id", "basic/index", message(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)),
        ("fault.unknown_response", "basic/index", message(r#"{"jsonrpc":"2.0","id":70,"result":{}}"#)),
        ("fault.peer_error", "basic/index", message(r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#)),
        (
            "fault.progress",
            "basic/utilities/progress",
            message(
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":70,"progress":1}}"#,
            ),
        ),
        (
            "fault.meta",
            "basic/index",
            to_modern(json!({"name": "slow", "_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}})),
        ),
        ("fault.request_state", "basic/patterns/mrtr", to_modern(modern_meta("requestState", json!("x")))),
        ("fault.no_clock", "basic/utilities/tasks", without_a_clock()),
        ("fault.ping", "basic/utilities/ping", a_missed_ping()),
        ("fault.server_request", "basic/transports/stdio", a_request_of_a_server()),
        ("fault.handshake", "basic/lifecycle", refused_handshake()),
        ("fault.result_type", "basic/index", answered(&json!({"resultType": "x"}))),
        (
            "fault.input_required",
            "basic/patterns/mrtr",
            answered(&json!({"resultType": "input_required", "inputRequests": {"k": {"method": "no"}}})),
        ),
        (
            "fault.input_required",
            "basic/patterns/mrtr",
            answered(
                &json!({"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}}),
            ),
        ),
        ("fault.input", "basic/patterns/mrtr", badly_answered()),
        ("fault.list", "server/utilities/pagination", listed()),
        ("fault.task", "basic/utilities/tasks", answered_at_once()),
        ("fault.subscription", "basic/patterns/subscriptions", acknowledged_twice()),
    ];
    let done = [
        "dropped",
        "refused",
        "failed",
        "ignored",
        "closed",
        "given up",
        "goes on",
        "nothing was done",
        "taken as",
    ];
    let mut codes = BTreeMap::new();
    for (code, page, faults) in cases {
        assert_eq!(faults.len(), 1, "{code}: {faults:?}");
        let fault = &faults[0];
        assert_eq!((fault.code, fault.page), (code, page), "{fault:?}");
        assert!(done.iter().any(|done| fault.detail.contains(done)), "{code}: {}", fault.detail);
        codes.insert(code.to_owned(), page);
    }
    // Needs the feature `schema`: `tool_schemas` has it.
    let mut all = literals("fault.");
    assert!(all.remove("fault.output"));
    assert_eq!(codes.into_keys().collect::<BTreeSet<_>>(), all);
}
