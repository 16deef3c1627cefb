//! Tasks of a requestor: calls that become tasks of the peer. `basic/utilities/tasks` of 2025-11-25.
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
    embed::{Batch, Channel, ClientConnection, Code, Options, Record, ServerConnection, TASK, Task},
    error::{CallError, CloseReason, SendError, TimeLimit},
    event::{Event, Target},
    limits::Limits,
    session::{CallOptions, Client, Server, TaskOptions},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const RELATED: &str = "io.modelcontextprotocol/related-task";

fn all() -> Value {
    json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}})
}

fn client_of(revision: &str, capabilities: &Value, limits: Limits) -> Host<Client> {
    let config = client_config().capabilities(br#"{"roots":{}}"#).unwrap().limits(limits);
    let mut host = start(config.probe(false));
    let opening = host.one();
    let mut described = initialize_result(revision);
    described["capabilities"] = capabilities.clone();
    host.tell(&answer(&opening, &described));
    host.sent();
    host.events();
    host
}

fn client() -> Host<Client> {
    client_of(NEWEST, &all(), Limits::default())
}

fn as_task() -> CallOptions<'static> {
    CallOptions::new().task(Some(TaskOptions::new()))
}

fn task(status: &str) -> Value {
    json!({
        "taskId": "t1", "status": status, "createdAt": "2025-11-25T10:30:00Z", "lastUpdatedAt": "2025-11-25T10:30:00Z",
        "ttl": 60000, "pollInterval": 5000
    })
}

fn call_with(host: &mut Host<Client>, options: CallOptions<'_>) -> (CallHandle, Value) {
    let params = json(r#"{"name":"long"}"#);
    let call = host.machine.call(host.now, "tools/call", Some(params), options).unwrap();
    (call, host.one())
}

/// A call that the server has made a task of.
fn created(host: &mut Host<Client>, options: CallOptions<'_>) -> (CallHandle, Value) {
    let (call, sent) = call_with(host, options);
    host.tell(&answer(&sent, &json!({"task": task("working")})));
    host.silent();
    assert_eq!(told(&host.event()), (call, task("working")));
    (call, sent)
}

fn told(event: &Event) -> (CallHandle, Value) {
    match event {
        Event::Task { call, task, .. } => (*call, task.decode().unwrap()),
        other => panic!("the state of a task, not {other:?}"),
    }
}

/// The peer answers the one message that was sent.
fn reply<M: Machine>(host: &mut Host<M>, result: &Value) {
    let sent = host.one();
    host.tell(&answer(&sent, result));
}

fn refuse<M: Machine>(host: &mut Host<M>, code: i64) {
    let sent = host.one();
    host.tell(&failure(&sent, code));
}

fn asks(message: &Value, method: &str) {
    assert_eq!((&message["method"], &message["params"]), (&json!(method), &json!({"taskId": "t1"})));
}

/// The state is asked for as often as the server says, then the outcome.
///
/// R-TSK-014, R-TSK-019, R-TSK-023
#[test]
fn a_task_is_followed_to_its_outcome() {
    let mut host = client();
    let options = CallOptions::new().task(Some(TaskOptions::new().ttl(Some(seconds(60)))));
    let (call, sent) = created(&mut host, options);
    assert_eq!(sent["params"], json!({"name": "long", "task": {"ttl": 60000}}));
    for _ in 0..2 {
        host.wait(Duration::from_millis(4999));
        host.silent();
        host.wait(Duration::from_millis(1));
        let poll = host.one();
        asks(&poll, "tasks/get");
        host.tell(&answer(&poll, &task("working")));
        assert!(host.events().is_empty(), "nothing new");
    }
    host.wait(seconds(5));
    let poll = host.one();
    let mut busy = task("working");
    busy["statusMessage"] = json!("half of it");
    busy["pollInterval"] = json!(2000);
    host.tell(&answer(&poll, &busy));
    assert_eq!(told(&host.event()), (call, busy));
    host.wait(seconds(2));
    reply(&mut host, &task("completed"));
    assert_eq!(told(&host.event()), (call, task("completed")));
    let fetch = host.one();
    asks(&fetch, "tasks/result");
    let outcome = json!({"content": [], "_meta": {RELATED: {"taskId": "t1"}}});
    host.tell(&answer(&fetch, &outcome));
    assert_eq!(host.outcome(call).unwrap(), outcome);
    host.silent();
    assert_eq!(host.machine.next_timeout(), None);
    assert_eq!(host.machine.stats().calls_now, 0);
}

/// Failed tasks end as the request would have, by an error or a result.
///
/// R-TSK-022
#[test]
fn a_failed_task_ends_with_its_error() {
    let mut host = client();
    let (call, _) = created(&mut host, as_task());
    host.wait(seconds(5));
    reply(&mut host, &task("failed"));
    host.events();
    refuse(&mut host, -32000);
    assert!(matches!(host.outcome(call), Err(CallError::Rpc(error)) if error.code == -32000));
}

/// A task may be over before it was asked for, or gone when it is.
#[test]
fn a_task_may_be_short() {
    let mut host = client();
    let (call, sent) = call_with(&mut host, as_task());
    host.tell(&answer(&sent, &json!({"task": task("completed")})));
    host.events();
    let fetch = host.one();
    asks(&fetch, "tasks/result");
    host.tell(&answer(&fetch, &json!({"content": []})));
    assert_eq!(host.outcome(call).unwrap(), json!({"content": []}));

    let (call, _) = created(&mut host, as_task());
    host.wait(seconds(5));
    refuse(&mut host, -32602);
    assert!(matches!(host.outcome(call), Err(CallError::Rpc(error)) if error.code == -32602));
    host.wait(seconds(60));
    host.silent();
}

/// One that needs input is asked for its outcome, because its questions may come only with it; they belong to the call.
///
/// R-TSK-013, R-TSK-019, R-TSK-020
#[test]
fn a_task_that_needs_input_is_asked_for_its_result() {
    let mut host = client();
    let (call, _) = created(&mut host, as_task());
    host.wait(seconds(5));
    reply(&mut host, &task("input_required"));
    host.events();
    let fetch = host.one();
    asks(&fetch, "tasks/result");
    host.tell(&request(1, "roots/list", json!({"_meta": {RELATED: {"taskId": "t1"}}})));
    let Event::Input(input) = host.event() else { panic!("a question") };
    assert_eq!(input.call, Some(call));
    host.machine.answer(host.now, input.input, result(r#"{"roots":[]}"#)).unwrap();
    assert_eq!(host.one()["result"]["_meta"], json!({RELATED: {"taskId": "t1"}}));
    // However long it takes.
    host.wait(seconds(400));
    host.silent();
    host.tell(&answer(&fetch, &json!({"content": []})));
    assert_eq!(host.outcome(call).unwrap(), json!({"content": []}));
}

/// A notice that comes is as good as an answer, and spares the wait; one about another task is the application's.
///
/// R-TSK-023
#[test]
fn status_notices_are_used() {
    let mut host = client();
    let (call, _) = created(&mut host, as_task());
    let mut other = task("completed");
    other["taskId"] = json!("t2");
    host.tell(&notice("notifications/tasks/status", other));
    assert!(matches!(host.event(), Event::Notification { call: None, .. }));
    host.silent();
    host.tell(&notice("notifications/tasks/status", task("completed")));
    assert_eq!(told(&host.event()), (call, task("completed")));
    let fetch = host.one();
    asks(&fetch, "tasks/result");
    host.tell(&notice("notifications/tasks/status", task("completed")));
    host.silent();
    assert!(host.events().is_empty());
    host.tell(&answer(&fetch, &json!({"content": []})));
    assert!(host.outcome(call).is_ok());
    host.tell(&notice("notifications/tasks/status", task("completed")));
    assert!(matches!(host.event(), Event::Notification { call: None, .. }));
}

/// `basic/utilities/progress`: the token stays good. `basic/utilities/cancellation`: a task is cancelled as such.
/// R-CAN-005 R-PRG-010
#[test]
fn progress_goes_on_and_a_cancellation_is_of_the_task() {
    let mut host = client();
    let (call, sent) = created(&mut host, as_task().progress(true));
    let token = &sent["params"]["_meta"]["progressToken"];
    host.wait(seconds(50));
    let polls = host.sent();
    assert_eq!(polls.len(), 1, "one question at a time");
    host.tell(&answer(&polls[0], &task("working")));
    host.tell(&notice("notifications/progress", json!({"progressToken": token, "progress": 1})));
    assert!(matches!(host.event(), Event::Progress { call: of, .. } if of == call));
    host.machine.cancel(host.now, call, None).unwrap();
    let cancel = host.one();
    asks(&cancel, "tasks/cancel");
    assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
    host.tell(&answer(&cancel, &task("cancelled")));
    host.wait(seconds(600));
    host.silent();
    assert!(host.events().is_empty());
    assert_eq!(host.machine.next_timeout(), None);
}

/// What is taken back before the server has said which task it is, is cancelled when it says so.
#[test]
fn a_task_is_cancelled_as_soon_as_it_is_known() {
    for wait in [true, false] {
        let mut host = client();
        let options = CallOptions::new().task(Some(TaskOptions::new().wait(wait)));
        let (call, sent) = call_with(&mut host, options);
        host.machine.cancel(host.now, call, None).unwrap();
        host.silent();
        assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
        assert_eq!(host.machine.cancel(host.now, call, None), Err(SendError::Over));
        host.tell(&answer(&sent, &json!({"task": task("working")})));
        let cancel = host.one();
        asks(&cancel, "tasks/cancel");
        host.tell(&failure(&cancel, -32602));
        assert!(host.events().is_empty());
        assert_eq!(host.machine.next_timeout(), None);
    }
    // Also if it took too long, and if it never says.
    let mut host = client();
    let (call, sent) = call_with(&mut host, as_task().timeouts(Some(seconds(1)), None));
    host.wait(seconds(1));
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));
    host.silent();
    host.tell(&answer(&sent, &json!({"task": task("working")})));
    asks(&host.one(), "tasks/cancel");
    let (call, sent) = call_with(&mut host, as_task());
    host.machine.cancel(host.now, call, None).unwrap();
    assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
    host.wait(seconds(60));
    assert_eq!(host.machine.next_timeout(), None);
    host.tell(&answer(&sent, &json!({"task": task("working")})));
    host.silent();
}

/// `basic/utilities/progress`: it stops when the call is over, also where the task of the call is still to be cancelled.
#[test]
fn a_call_that_was_taken_back_has_no_progress() {
    let mut host = client();
    let (call, sent) = call_with(&mut host, as_task().progress(true));
    host.machine.cancel(host.now, call, None).unwrap();
    assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
    let token = &sent["params"]["_meta"]["progressToken"];
    host.tell(&notice("notifications/progress", json!({"progressToken": token, "progress": 1})));
    assert!(host.events().is_empty());
    assert_eq!(host.machine.stat("late"), 1);
}

/// No request for a list can be a task, whether one page is asked for or all.
#[test]
fn a_list_is_no_task() {
    let mut host = client();
    let one = host.machine.call(host.now, "tools/list", None, as_task());
    let all = host.machine.list_all(host.now, "tools/list", None, as_task());
    assert!(matches!(one, Err(SendError::Invalid(_))));
    assert_eq!(one, all);
    host.silent();
}

/// R-TSK-003
#[test]
fn cancellation_is_sent_only_where_it_is_declared() {
    let capabilities = json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}});
    let mut host = client_of(NEWEST, &capabilities, Limits::default());
    let (call, _) = created(&mut host, as_task());
    host.machine.cancel(host.now, call, None).unwrap();
    host.silent();
    assert!(matches!(host.outcome(call), Err(CallError::Cancelled)));
    for method in ["tasks/cancel", "tasks/list"] {
        let params = Some(json(r#"{"taskId":"t1"}"#));
        let refused = host.machine.call(host.now, method, params, CallOptions::new());
        assert_eq!(
            refused,
            Err(SendError::MissingCapability(if method == "tasks/list" {
                "tasks.list"
            } else {
                "tasks.cancel"
            }))
        );
    }
}

/// Only a question that stays unanswered is silence; the limit on the whole holds throughout.
#[test]
fn time_limits_of_a_task() {
    let mut host = client();
    let (call, _) = created(&mut host, as_task().timeouts(Some(seconds(2)), Some(seconds(60))));
    host.wait(seconds(6));
    asks(&host.one(), "tasks/get");
    host.wait(seconds(1));
    asks(&host.one(), "tasks/cancel");
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));

    let mut host = client();
    let (call, _) = created(&mut host, as_task().timeouts(None, Some(seconds(12))));
    for _ in 0..2 {
        host.wait(seconds(5));
        reply(&mut host, &task("working"));
    }
    host.wait(seconds(2));
    asks(&host.one(), "tasks/cancel");
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Total, .. })));
}

/// However often a server wants to be asked, it is not asked without a pause.
#[test]
fn polling_is_bounded() {
    for asked in [json!(0), json!(-5), json!(1), json!("x"), Value::Null, json!(1e300), json!(1e9)] {
        let mut host = client();
        let (_, sent) = call_with(&mut host, as_task());
        let mut state = task("working");
        state["pollInterval"] = asked.clone();
        host.tell(&answer(&sent, &json!({"task": state})));
        host.wait(Duration::from_millis(99));
        assert!(host.sent().is_empty(), "{asked}");
        host.wait(seconds(1));
        let polled = usize::from(asked != json!(1e9));
        assert_eq!(host.sent().len(), polled, "{asked}");
    }
}

/// R-TSK-001, R-TSK-002, R-TSK-004
#[test]
fn only_what_is_declared_is_sent_as_a_task() {
    let params = || Some(json(r#"{"name":"long"}"#));
    let mut host = client_of(NEWEST, &json!({"tools": {}, "tasks": {"list": {}}}), Limits::default());
    let refused = host.machine.call(host.now, "tools/call", params(), as_task());
    assert_eq!(refused, Err(SendError::MissingCapability("tasks.requests.tools.call")));
    let mut host = client();
    let refused = host.machine.call(host.now, "tools/list", None, as_task());
    assert!(matches!(refused, Err(SendError::Invalid(_))));
    let both = Some(json(r#"{"name":"long","task":{}}"#));
    let refused = host.machine.call(host.now, "tools/call", both, as_task());
    assert!(matches!(refused, Err(SendError::Invalid(_))));
    for revision in &LEGACY[..3] {
        let mut host = client_of(revision, &all(), Limits::default());
        let refused = host.machine.call(host.now, "tools/call", params(), as_task());
        assert_eq!(refused, Err(SendError::NotInRevision));
    }
    let mut host = modern_client(client_config());
    let refused = host.machine.call(host.now, "tools/call", params(), as_task());
    assert_eq!(refused, Err(SendError::NotInRevision));
    host.silent();
}

/// An application may go about its tasks by itself.
///
/// R-TSK-032
#[test]
fn a_call_may_end_with_the_task() {
    const IMMEDIATE: &str = "io.modelcontextprotocol/model-immediate-response";
    let mut host = client();
    let options = CallOptions::new().task(Some(TaskOptions::new().wait(false)));
    let (call, sent) = call_with(&mut host, options);
    let created = json!({"task": task("working"), "_meta": {IMMEDIATE: "under way"}});
    host.tell(&answer(&sent, &created));
    assert_eq!(host.outcome(call).unwrap(), created);
    let params = json(r#"{"taskId":"t1"}"#);
    let call = host.machine.call(host.now, "tasks/get", Some(params), CallOptions::new()).unwrap();
    reply(&mut host, &task("completed"));
    assert_eq!(host.outcome(call).unwrap(), task("completed"));

    let (_, sent) = call_with(&mut host, as_task());
    host.tell(&answer(&sent, &created));
    match host.event() {
        Event::Task { immediate: Some(text), .. } => assert_eq!(text.as_str(), "\"under way\""),
        other => panic!("a text for the model, not {other:?}"),
    }
}

/// Answers that are no task: an outcome at once, an error, something broken.
#[test]
fn answers_that_are_no_task() {
    let mut host = client();
    let (call, sent) = call_with(&mut host, as_task());
    host.tell(&answer(
        &sent,
        &json!({"content": [], "structuredContent": {"taskId": "x", "status": "working"}}),
    ));
    let mut events = host.events();
    assert!(matches!(events.pop(), Some(Event::Completed { call: of, outcome: Ok(_) }) if of == call));
    assert!(matches!(&events[..], [Event::Fault(fault)] if fault.code == "fault.task"));

    let (call, sent) = call_with(&mut host, as_task());
    host.tell(&failure(&sent, -32601));
    assert!(matches!(host.outcome(call), Err(CallError::Rpc(error)) if error.code == -32601));

    let (call, sent) = call_with(&mut host, as_task());
    host.tell(&answer(&sent, &json!({"task": {"taskId": "t1"}})));
    assert!(matches!(host.outcome(call), Err(CallError::InvalidResult(fault)) if fault.code == "fault.task"));

    let (call, sent) = created(&mut host, as_task());
    host.tell(&answer(&sent, &json!({"task": task("completed")})));
    host.silent();
    assert!(host.events().is_empty(), "an answer that comes twice");
    host.machine.cancel(host.now, call, None).unwrap();
}

/// R-TSK-019 does not hold beyond the connection.
#[test]
fn a_followed_call_ends_with_the_connection() {
    let mut host = client();
    let (call, _) = created(&mut host, as_task());
    host.wait(seconds(5));
    host.eof();
    let events = host.events();
    assert!(matches!(&events[0], Event::Completed { call: of, outcome: Err(_) } if *of == call));
    assert!(matches!(&events[1..], [Event::Closed(CloseReason::Peer)]));
    assert_eq!(host.machine.next_timeout(), None);

    let mut host = client();
    let (call, _) = created(&mut host, as_task());
    let (early, _) = call_with(&mut host, as_task());
    host.machine.close(host.now, seconds(3));
    host.wait(seconds(3));
    asks(&host.one(), "tasks/cancel");
    let events = host.events();
    let ended = |event: &Event| match event {
        Event::Completed { call, outcome: Err(error) } => Some((*call, error.code())),
        _ => None,
    };
    assert_eq!(ended(&events[0]), Some((call, "call.cancelled")));
    assert_eq!(ended(&events[1]), Some((early, "call.cancelled")));
    assert!(matches!(&events[2..], [Event::Closed(CloseReason::DrainTimeout)]));
}

/// A server is a requestor like a client.
///
/// R-TSK-001, R-TSK-002, R-TSK-019
#[test]
fn a_servers_question_becomes_a_task() {
    let capabilities = json!({
        "sampling": {}, "elicitation": {}, "tasks": {"cancel": {}, "requests": {"sampling": {"createMessage": {}}}}
    });
    let mut host: Host<Server> = session(server_config(), NEWEST, &capabilities);
    let ask = |host: &mut Host<Server>, method: &str| {
        let params = r#"{"messages":[],"maxTokens":1,"message":"?","requestedSchema":{"type":"object","properties":{}}}"#;
        host.machine.call(host.now, Target::Channel, method, Some(json(params)), as_task())
    };
    let refused = ask(&mut host, "elicitation/create");
    assert_eq!(refused, Err(SendError::MissingCapability("tasks.requests.elicitation.create")));
    let call = ask(&mut host, "sampling/createMessage").unwrap();
    let sent = host.one();
    assert_eq!(sent["params"]["task"], json!({}));
    host.tell(&answer(&sent, &json!({"task": task("working")})));
    assert_eq!(told(&host.event()), (call, task("working")));
    host.wait(seconds(5));
    let poll = host.one();
    asks(&poll, "tasks/get");
    host.tell(&answer(&poll, &task("completed")));
    host.events();
    let fetch = host.one();
    asks(&fetch, "tasks/result");
    host.tell(&answer(&fetch, &json!({"model": "m"})));
    assert!(matches!(host.event(), Event::Completed { call: of, outcome: Ok(_) } if of == call));
    assert_eq!(host.machine.next_timeout(), None);
}

#[derive(Debug, Clone)]
enum Step {
    Call { wait: bool },
    Answer { which: usize, status: usize },
    Fail { which: usize },
    Tell { status: usize },
    Cancel { which: usize },
    Pass { seconds: u8 },
}

const STATUS: [&str; 5] = ["working", "input_required", "completed", "failed", "cancelled"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<bool>().prop_map(|wait| Step::Call { wait }),
        6 => (0..8_usize, 0..8_usize).prop_map(|(which, status)| Step::Answer { which, status }),
        1 => (0..8_usize).prop_map(|which| Step::Fail { which }),
        1 => (0..5_usize).prop_map(|status| Step::Tell { status }),
        1 => (0..8_usize).prop_map(|which| Step::Cancel { which }),
        3 => (0..20_u8).prop_map(|seconds| Step::Pass { seconds }),
    ]
}

proptest! {
    /// Whatever the peer answers and whenever: a call has one outcome, nothing about it comes after it, and nothing is left.
    #[test]
    fn any_order(steps in proptest::collection::vec(step(), 1..60)) {
        let mut host = client();
        let mut open: Vec<Value> = Vec::new();
        let mut calls: Vec<(CallHandle, bool)> = Vec::new();
        for step in steps {
            match step {
                Step::Call { wait } => {
                    let options = CallOptions::new().task(Some(TaskOptions::new().wait(wait)));
                    let params = json(r#"{"name":"long"}"#);
                    let call = host.machine.call(host.now, "tools/call", Some(params), options).unwrap();
                    calls.push((call, false));
                }
                Step::Answer { which, status } if !open.is_empty() => {
                    let asked = open.remove(which % open.len());
                    let state = task(STATUS.get(status).copied().unwrap_or("working"));
                    let result = match asked["method"].as_str().unwrap() {
                        "tools/call" => json!({"task": state}),
                        "tasks/result" => json!({"content": []}),
                        _ => state,
                    };
                    host.tell(&answer(&asked, &result));
                }
                Step::Fail { which } if !open.is_empty() => {
                    let asked = open.remove(which % open.len());
                    host.tell(&failure(&asked, -32602));
                }
                Step::Tell { status } => host.tell(&notice("notifications/tasks/status", task(STATUS[status]))),
                Step::Cancel { which } => if let Some((call, over)) = calls.get(which % calls.len().max(1)) {
                    let cancelled = host.machine.cancel(host.now, *call, None);
                    prop_assert_eq!(cancelled, if *over { Err(SendError::Over) } else { Ok(()) });
                },
                Step::Pass { seconds } => host.wait(common::seconds(seconds.into())),
                Step::Answer { .. } | Step::Fail { .. } => {}
            }
            open.extend(host.sent());
            prop_assert!(open.iter().all(|sent| sent["method"] != "notifications/cancelled"));
            for event in host.events() {
                let (call, ends) = match event {
                    Event::Task { call, .. } => (call, false),
                    Event::Completed { call, .. } => (call, true),
                    Event::Notification { .. } => continue,
                    other => panic!("{other:?}"),
                };
                let (_, over) = calls.iter_mut().find(|(known, _)| *known == call).unwrap();
                prop_assert!(!*over);
                *over = ends;
            }
        }
        host.wait(seconds(2000));
        for event in host.events() {
            if let Event::Completed { call, .. } = event {
                let (_, over) = calls.iter_mut().find(|(known, _)| *known == call).unwrap();
                prop_assert!(!std::mem::replace(over, true));
            }
        }
        prop_assert!(calls.iter().all(|(_, over)| *over));
        prop_assert_eq!(host.machine.next_timeout(), None);
        prop_assert_eq!(host.machine.stats().calls_now, 0);
    }
}

fn records(drain: impl FnOnce(&mut Batch)) -> Vec<(Record, Vec<Option<String>>)> {
    let mut batch = Batch::default();
    drain(&mut batch);
    let texts = |record: &Record| {
        record.texts.iter().map(|range| batch.text(*range).map(Into::into)).collect::<Vec<Option<String>>>()
    };
    batch.records.iter().map(|record| (*record, texts(record))).collect()
}

fn find(records: &[(Record, Vec<Option<String>>)], code: Code) -> &(Record, Vec<Option<String>>) {
    records.iter().find(|(record, _)| record.code == code as u32).unwrap()
}

/// A binding's view of both sides of a task.
#[test]
fn tasks_of_a_binding() {
    const MILLIS: u64 = 1_764_066_600_000;
    let tools = json!([{"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}]);
    let config = json!({
        "info": {"name": "s", "version": "1"}, "tools": tools, "capabilities": all(), "task_notices": false
    });
    let mut server =
        ServerConnection::new(config.to_string().as_bytes(), [1; 32], Channel::Messages).unwrap();
    server.set_wall_clock(0, MILLIS).unwrap();
    let capabilities = json!({"sampling": {}, "tasks": {"requests": {"sampling": {"createMessage": {}}}}});
    let config = json!({"info": {"name": "c", "version": "1"}, "capabilities": capabilities, "probe": false});
    let mut client =
        ClientConnection::new(config.to_string().as_bytes(), [2; 32], Channel::Messages).unwrap();
    client.set_wall_clock(0, MILLIS).unwrap();
    client.start(0, None).unwrap();

    // What either says goes to the other, until both are silent.
    let exchange = |now: u64, server: &mut ServerConnection, client: &mut ClientConnection| {
        let (mut of_server, mut of_client) = (Vec::new(), Vec::new());
        loop {
            let from_client = records(|batch| client.drain(1 << 20, batch).unwrap());
            let from_server = records(|batch| server.drain(1 << 20, batch).unwrap());
            if from_client.is_empty() && from_server.is_empty() {
                return (of_server, of_client);
            }
            for (record, texts) in from_client {
                match &texts[0] {
                    Some(message) if record.code == Code::Send as u32 => {
                        server.handle_message(now, message.as_bytes()).unwrap();
                    }
                    _ => of_client.push((record, texts)),
                }
            }
            for (record, texts) in from_server {
                match &texts[0] {
                    Some(message) if record.code == Code::Send as u32 => {
                        client.handle_message(now, message.as_bytes()).unwrap();
                    }
                    _ => of_server.push((record, texts)),
                }
            }
        }
    };
    exchange(0, &mut server, &mut client);
    let options =
        Options { task: Some(Task { ttl_ms: Some(60_000), detached: false }), ..Options::default() };
    let call = client.call_tool(0, "long", None, options).unwrap();
    let (of_server, of_client) = exchange(0, &mut server, &mut client);
    let (request, _) = find(&of_server, Code::Request);
    assert_eq!(request.related & TASK, TASK);
    let (told, texts) = find(&of_client, Code::Task);
    assert_eq!(told.handle, call);
    let state: Value = serde_json::from_str(texts[0].as_deref().unwrap()).unwrap();
    assert_eq!(state["taskId"], server.task_of(request.handle).unwrap());
    assert_eq!((&state["status"], &state["ttl"], &texts[1]), (&json!("working"), &json!(60_000), &None));
    server.task_status(0, request.handle, "half of it").unwrap();
    server.respond(0, request.handle, br#"{"content":[]}"#, 0, false).unwrap();
    let at = client.next_timeout().unwrap();
    client.handle_timeout(at).unwrap();
    let (_, of_client) = exchange(at, &mut server, &mut client);
    let texts = &find(&of_client, Code::Task).1;
    assert!(texts[0].as_deref().unwrap().contains("\"status\":\"completed\""));
    assert_eq!(find(&of_client, Code::Completed).0.handle, call);
    assert_eq!(server.task_of(request.handle), None);

    let params = br#"{"messages":[],"maxTokens":1}"#;
    let options = Options { task: Some(Task { ttl_ms: None, detached: true }), ..Options::default() };
    let call = server.call(0, "sampling/createMessage", Some(params), options).unwrap();
    let (of_server, of_client) = exchange(0, &mut server, &mut client);
    let (completed, texts) = find(&of_server, Code::Completed);
    assert_eq!(completed.handle, call);
    let created: Value = serde_json::from_str(texts[0].as_deref().unwrap()).unwrap();
    let (input, texts) = find(&of_client, Code::Input);
    assert_eq!(created["task"]["taskId"], *texts[2].as_deref().unwrap());
    client.task_status(0, input.handle, "asking").unwrap();
}
