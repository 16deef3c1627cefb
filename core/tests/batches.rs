//! Batches: `basic/index` of 2025-03-26, and of no other revision.
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
    error::SendError,
    event::{Event, OverReason},
    session::Server,
};
use serde_json::{Value, json};

fn batching() -> Host<Server> {
    session(server_config(), "2025-03-26", &json!({}))
}

fn ping(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "ping"})
}

fn handles(host: &mut Host<Server>) -> Vec<mcp_sansio::RequestHandle> {
    let requests = host.events().into_iter().filter_map(|event| match event {
        Event::Request(request) => Some(request.handle()),
        _ => None,
    });
    requests.collect()
}

fn ids(answer: &Value) -> Vec<Value> {
    answer.as_array().unwrap().iter().map(|member| member["id"].clone()).collect()
}

/// Answers are gathered, whoever gives them, in whatever order.
/// R-BAT-001 R-BAT-003
#[test]
fn the_answers_of_a_batch_come_together() {
    let mut host = batching();
    let before = host.machine.stat("messages_in");
    host.tell(&json!([call("a", "slow"), ping(1), initialized(), call("b", "slow"), {"jsonrpc": "2.0", "id": 9, "result": {}}]));
    host.silent();
    assert_eq!(host.machine.stat("messages_in"), before + 5);
    let handles = handles(&mut host);
    host.respond(handles[1], DONE);
    host.silent();
    host.respond(handles[0], DONE);
    let answer = host.one();
    let mut answered = ids(&answer);
    answered.sort_by_key(ToString::to_string);
    assert_eq!(answered, [json!("a"), json!("b"), json!(1)]);
}

/// Nothing is answered to notices and responses.
/// R-BAT-003
#[test]
fn a_batch_without_requests_has_no_answer() {
    let mut host = batching();
    host.tell(&json!([initialized(), cancelled(4)]));
    host.silent();
}

/// R-BAT-004
#[test]
fn each_member_is_judged_by_itself() {
    let mut host = batching();
    let answer = host.ask(&json!([1, ping(8), {"foo": "bar"}, [], request(9, "no/such", json!({}))]));
    let members = answer.as_array().unwrap();
    assert_eq!(members.len(), 5);
    let codes: Vec<_> = members.iter().map(|member| member["error"]["code"].clone()).collect();
    assert_eq!(codes.iter().filter(|code| **code == -32600).count(), 3);
    assert_eq!(codes.iter().filter(|code| **code == -32601).count(), 1);
    assert!(members.iter().any(|member| *member == json!({"jsonrpc": "2.0", "id": 8, "result": {}})));
}

/// What was answered goes out at the end, though other members never were.
#[test]
fn the_end_sends_what_was_gathered() {
    let mut host = batching();
    host.tell(&json!([ping(1), call(2, "slow"), ping(3)]));
    host.events();
    host.silent();
    host.eof();
    host.wait(seconds(60));
    let answers = host.one();
    assert_eq!(ids(&answers), [json!(1), json!(3)]);
    assert!(matches!(host.events()[..], [Event::Over { .. }, Event::Closed(_)]));
}

/// `Limits::session_bytes`: of what is gathered too.
#[test]
fn gathered_answers_are_bounded() {
    let limits = limits(|limits| limits.session_bytes = 20_000);
    let mut host = session(server_config().limits(limits), "2025-03-26", &json!({}));
    let mut held = Vec::new();
    for batch in 0..20 {
        let lists = (0..40).map(|id| request(format!("{batch}-{id}"), "tools/list", json!({})));
        host.tell(&Value::Array(std::iter::once(call(batch, "slow")).chain(lists).collect()));
        held.extend(handles(&mut host));
    }
    assert!((1..5).contains(&held.len()), "{} batches of 5 kB are gathered", held.len());
    let refused = host.sent().into_iter().find(|answers| answers[0]["id"] == 19).unwrap();
    assert_eq!(refused[0]["error"]["data"]["reason"], "session_bytes");
    for handle in held {
        host.respond(handle, DONE);
        host.sent();
    }
    host.tell(&json!([call("again", "slow")]));
    assert_eq!(handles(&mut host).len(), 1, "there is room again");
}

/// One error for what is no batch at all.
/// R-BAT-004
#[test]
fn an_empty_batch_is_an_error() {
    let mut host = batching();
    let refused = host.ask(&json!([]));
    assert_eq!(refused["error"]["code"], -32600);
}

/// A member that is cancelled is left out; the others are still answered.
#[test]
fn a_cancelled_member_is_left_out() {
    let mut host = batching();
    host.tell(&json!([call(1, "slow"), call(2, "slow")]));
    let handles = handles(&mut host);
    host.respond(handles[0], DONE);
    host.tell(&cancelled(2));
    assert_eq!(ids(&host.one()), [1]);
    assert_eq!(over(&host.event()), Some((handles[1], OverReason::Cancelled)));
    host.tell(&json!([call(3, "slow")]));
    host.events();
    host.tell(&cancelled(3));
    host.silent();
}

/// A duplicate of a request in flight is refused in its place.
#[test]
fn a_duplicate_id_in_a_batch_is_refused() {
    let mut host = batching();
    host.tell(&json!([call(1, "slow"), call(1, "slow")]));
    let handles = handles(&mut host);
    assert_eq!(handles.len(), 1);
    host.respond(handles[0], DONE);
    let answer = host.one();
    assert_eq!(answer.as_array().unwrap().len(), 2);
    assert_eq!(answer[0]["error"]["code"], -32600);
    assert_eq!(answer[1]["id"], 1);
}

/// Answers that together pass the bound of a message come in several; one that passes it alone is replaced by an error.
#[test]
fn answers_that_do_not_fit_together_still_come() {
    let mut host = session(
        server_config().limits(limits(|limits| limits.message_bytes = 600)),
        "2025-03-26",
        &json!({}),
    );
    host.tell(&json!([call(1, "slow"), call(2, "slow"), call(3, "slow")]));
    let now = host.now;
    let answers = handles(&mut host).into_iter().zip([467, 467, 587]).map(|(handle, length)| {
        let text = format!(r#"{{"content":[],"x":"{}"}}"#, "a".repeat(length));
        host.machine.respond(now, handle, result(&text))
    });
    assert_eq!(answers.collect::<Vec<_>>(), [Ok(()), Ok(()), Err(SendError::TooLarge)]);
    let sent = host.sent();
    assert_eq!(sent.iter().map(ids).collect::<Vec<_>>(), [vec![json!(1)], vec![json!(2)], vec![json!(3)]]);
    assert_eq!(sent[2][0]["error"]["code"], -32603);
}

/// Where a revision has no batches, one is refused whole, and nothing in it is served.
/// R-BAT-005
#[test]
fn other_revisions_have_no_batches() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut host = session(server_config(), revision, &json!({}));
        let refused = host.ask(&json!([ping(1), call(2, "slow")]));
        assert_eq!(refused["error"]["code"], -32600, "{revision}");
        assert!(refused.get("id").is_none_or(Value::is_null));
        assert_eq!(host.fault_codes(), ["fault.batch"]);
    }
    let mut host = serve(server_config());
    host.ask(&modern(1, "tools/list", json!({})));
    assert_eq!(host.ask(&json!([modern(2, "tools/list", json!({}))]))["error"]["code"], -32600);
}

/// A client reads batches too, and writes none.
/// R-BAT-001 R-BAT-002
#[test]
fn a_client_reads_a_batch() {
    let mut host = start(
        client_config().probe(false).revisions(&[mcp_sansio::revision::Revision::V2025_03_26]).unwrap(),
    );
    let opening = host.one();
    host.tell(&answer(&opening, &initialize_result("2025-03-26")));
    host.one();
    host.event();
    let (first, one) = host.call("tools/list");
    let (second, two) = host.call("tools/list");
    assert!(one.is_object() && two.is_object());
    host.tell(&json!([answer(&two, &json!({"n": 2})), ping("s"), answer(&one, &json!({"n": 1}))]));
    let completed: Vec<_> = host
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Completed { call, outcome: Ok(_) } => Some(call),
            _ => None,
        })
        .collect();
    assert_eq!(completed, [second, first]);
    let answered = host.one();
    let answered = answered.as_array().map_or(&answered, |members| &members[0]);
    assert_eq!(*answered, json!({"jsonrpc": "2.0", "id": "s", "result": {}}));
}
