//! Tasks of a receiver: requests that run as tasks, and requests about them. `basic/utilities/tasks` of 2025-11-25.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{collections::BTreeSet, sync::Arc};

use common::*;
use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle, Seed,
    error::{CloseReason, SendError},
    event::{Event, Input, Outcome, OverReason, Target},
    limits::Limits,
    session::{CallOptions, Catalog, Client, ClientConfig, Definition, LogLevel, Server, ServerConfig},
    time::{Instant, WallClock},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const RELATED: &str = "io.modelcontextprotocol/related-task";
/// The result of a tool that has nothing to say.
const DONE: &str = r#"{"content":[]}"#;
const NOT_FOUND: &str = "Task not found: there is none of this id, or it has expired";

/// At the first second of the virtual time it is 2025-11-25T10:30:00Z.
fn clock() -> WallClock {
    WallClock { at: Instant::from_nanos(1_000_000_000), unix_millis: 1_764_066_600_000 }
}

fn capabilities() -> Value {
    json!({"tools": {}, "logging": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}})
}

fn tools() -> Arc<Catalog> {
    let tools = [
        ("plain", Value::Null),
        ("either", json!("optional")),
        ("never", json!("forbidden")),
        ("only", json!("required")),
    ]
    .map(|(name, support)| {
        let mut tool = json!({"name": name, "inputSchema": {"type": "object"}});
        if !support.is_null() {
            tool["execution"] = json!({"taskSupport": support});
        }
        tool.to_string()
    });
    Arc::new(Catalog::new().tools(tools.iter().map(|tool| Definition::new(json(tool)))).unwrap())
}

fn config_with(capabilities: &Value) -> ServerConfig {
    ServerConfig::new("server", "1")
        .catalog(tools())
        .task_notices(false)
        .capabilities(capabilities.to_string().as_bytes())
        .unwrap()
}

fn config() -> ServerConfig {
    config_with(&capabilities())
}

fn open_in(config: ServerConfig, revision: &str, client: &Value) -> Host<Server> {
    let mut host = Host::new(Server::new(Arc::new(config), Seed([1; 32])).with_clock(clock()));
    host.ask(&initialize(0, revision, client));
    host.tell(&initialized());
    assert!(matches!(host.event(), Event::Ready(_)));
    host
}

fn open(config: ServerConfig) -> Host<Server> {
    open_in(config, NEWEST, &json!({}))
}

#[allow(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
fn as_task(id: impl Into<Value>, tool: &str, task: Value) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": {}, "task": task}))
}

fn about(id: impl Into<Value>, method: &str, task: &str) -> Value {
    request(id, method, json!({"taskId": task}))
}

/// A request that runs as a task: its id, and whom to answer.
fn created(host: &mut Host<Server>, id: u64) -> (String, RequestHandle) {
    let answer = host.ask(&as_task(id, "either", json!({})));
    let task = answer["result"]["task"]["taskId"].as_str().unwrap().to_owned();
    let request = host.request();
    assert_eq!(request.task(), Some(task.as_str()));
    (task, request.handle())
}

fn state(host: &mut Host<Server>, task: &str) -> Value {
    host.ask(&about("state", "tasks/get", task))["result"].clone()
}

fn error_of(answer: &Value) -> (i64, &str) {
    (answer["error"]["code"].as_i64().unwrap(), answer["error"]["message"].as_str().unwrap())
}

/// An accepted request is answered at once with its task, which has every member, dated and with the time it is kept.
///
/// R-TSK-008, R-TSK-009, R-TSK-016, R-TSK-017
#[test]
fn a_request_becomes_a_task() {
    let mut host = open(config());
    let answer = host.ask(&as_task(7, "either", json!({"ttl": 60000})));
    assert_eq!(answer["id"], 7);
    let task = &answer["result"]["task"];
    let id = task["taskId"].as_str().unwrap();
    assert_eq!(
        *task,
        json!({
            "taskId": id, "status": "working", "createdAt": "2025-11-25T10:30:00.000Z",
            "lastUpdatedAt": "2025-11-25T10:30:00.000Z", "ttl": 60000, "pollInterval": 1000
        })
    );
    let request = host.request();
    assert_eq!(request.name().as_deref(), Some("either"));
    host.wait(seconds(5));
    let id = id.to_owned();
    host.respond(request.handle(), DONE);
    host.silent();
    let now = state(&mut host, &id);
    assert_eq!(now["status"], "completed");
    assert_eq!(now["createdAt"], "2025-11-25T10:30:00.000Z");
    assert_eq!(now["lastUpdatedAt"], "2025-11-25T10:30:05.000Z");
    assert_eq!(now["ttl"], 60000);
}

/// The outcome is exactly what the request would have been answered with, and names its task; whoever asks before it is
/// there waits for it.
///
/// R-TSK-013, R-TSK-015, R-TSK-021, R-TSK-022
#[test]
fn the_result_is_that_of_the_request() {
    let mut host = open(config());
    let (task, handle) = created(&mut host, 1);
    for id in ["first", "second"] {
        host.tell(&about(id, "tasks/result", &task));
        host.silent();
    }
    host.tell(&cancelled("second"));
    host.silent();
    assert!(host.events().is_empty(), "nobody but the engine knew of it");
    assert_eq!(state(&mut host, &task)["status"], "working");
    host.respond(handle, r#"{"content":[{"type":"text","text":"x"}],"n":1.50,"_meta":{"own":1}}"#);
    let expected = json!({
        "content": [{"type": "text", "text": "x"}], "n": 1.5, "_meta": {RELATED: {"taskId": task}, "own": 1}
    });
    assert_eq!(host.one(), json!({"jsonrpc": "2.0", "id": "first", "result": expected}));
    assert_eq!(host.ask(&about("later", "tasks/result", &task))["result"], expected);
    assert_eq!(host.ask(&about("again", "tasks/result", &task))["result"], expected);
}

/// An error is given as it was; the state says why the task failed.
///
/// R-TSK-022, R-TSK-033
#[test]
fn the_error_is_that_of_the_request() {
    let mut host = open(config());
    let (task, handle) = created(&mut host, 1);
    let data = json(r#"{"limit":3}"#);
    let error = Outcome::Error { code: -32000, message: "the quota is used up", data: Some(data) };
    host.machine.respond(host.now, handle, error).unwrap();
    let now = state(&mut host, &task);
    assert_eq!((&now["status"], &now["statusMessage"]), (&json!("failed"), &json!("the quota is used up")));
    let answer = host.ask(&about(2, "tasks/result", &task));
    assert_eq!(
        answer["error"],
        json!({"code": -32000, "message": "the quota is used up", "data": {"limit": 3}})
    );
}

/// R-TSK-027, R-TSK-033
#[test]
fn a_tool_result_that_is_an_error_fails_the_task() {
    let mut host = open(config());
    let (task, handle) = created(&mut host, 1);
    host.machine.respond_tool_error(host.now, handle, "no such city").unwrap();
    let now = state(&mut host, &task);
    assert_eq!((&now["status"], &now["statusMessage"]), (&json!("failed"), &json!("no such city")));
    let answer = host.ask(&about(2, "tasks/result", &task));
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["_meta"][RELATED]["taskId"], *task);
}

/// The tool decides, where the server takes tasks at all.
///
/// R-TSK-005, R-TSK-006
#[test]
fn tools_say_whether_they_are_called_as_tasks() {
    let mut host = open(config());
    for tool in ["plain", "never"] {
        let answer = host.ask(&as_task(1, tool, json!({})));
        assert_eq!(error_of(&answer), (-32601, "This tool can't be called as a task"));
        host.tell(&call(2, tool));
        let request = host.request();
        assert_eq!(request.task(), None);
        host.respond(request.handle(), DONE);
        assert_eq!(host.one()["result"], json!({"content": []}));
    }
    let answer = host.ask(&call(3, "only"));
    assert_eq!(error_of(&answer).0, -32601);
    host.ask(&as_task(4, "only", json!({})));
    assert!(host.request().task().is_some());
    host.tell(&call(5, "either"));
    assert!(host.request().task().is_none());
}

/// Without the capability, and in revisions without tasks, the member is ignored, whatever the tool says; and there is
/// nothing to ask about tasks.
///
/// R-TSK-001, R-TSK-003, R-TSK-007
#[test]
fn where_there_are_no_tasks_the_member_is_ignored() {
    let without = [json!({"tools": {}}), json!({"tools": {}, "tasks": {"list": {}, "requests": {}}})];
    let hosts = without.iter().map(|without| open(config_with(without)));
    let earlier = LEGACY[..3].iter().map(|revision| open_in(config(), revision, &json!({})));
    for mut host in hosts.chain(earlier) {
        for tool in ["plain", "never", "either"] {
            host.tell(&as_task(1, tool, json!({"ttl": 1})));
            let request = host.request();
            assert_eq!(request.task(), None);
            host.respond(request.handle(), DONE);
            assert_eq!(host.one()["result"], json!({"content": []}));
            host.tell(&call(2, tool));
            let plain = host.request().handle();
            host.respond(plain, DONE);
            host.one();
        }
        assert_eq!(error_of(&host.ask(&about(3, "tasks/cancel", "x"))).0, -32601);
    }
    let mut host = open(config_with(&without[0]));
    host.tell(&call(1, "only"));
    assert_eq!(host.request().task(), None);
    let mut host = serve(config());
    let mut params = modern(1, "tools/call", json!({"name": "never", "task": {}}));
    host.tell(&params);
    assert_eq!(host.request().task(), None);
    params["method"] = json!("tasks/list");
    assert_eq!(error_of(&host.ask(&params)).0, -32600, "the id is in use");
}

/// A list or a cancellation that was not declared is no method.
///
/// R-TSK-003
#[test]
fn lists_and_cancellations_are_declared() {
    let mut host = open(config_with(&json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}})));
    let (task, _) = created(&mut host, 1);
    assert_eq!(state(&mut host, &task)["status"], "working");
    assert_eq!(error_of(&host.ask(&request(2, "tasks/list", json!({})))).0, -32601);
    assert_eq!(error_of(&host.ask(&about(3, "tasks/cancel", &task))).0, -32601);
}

#[test]
fn a_task_that_is_none_is_refused() {
    let mut host = open(config());
    for task in [json!(true), json!([]), json!({"ttl": -1}), json!({"ttl": "1"}), json!({"ttl": {}})] {
        assert_eq!(error_of(&host.ask(&as_task(1, "either", task))).0, -32602);
    }
    host.tell(&as_task(2, "either", Value::Null));
    assert_eq!(host.request().task(), None);
}

/// A task that was cancelled stays so, whatever comes of it, and its outcome is that it was cancelled.
///
/// R-TSK-011, R-TSK-025
#[test]
fn a_cancelled_task_stays_cancelled() {
    let mut host = open(config());
    let (task, handle) = created(&mut host, 1);
    host.tell(&about("waiting", "tasks/result", &task));
    host.tell(&about(2, "tasks/cancel", &task));
    let sent = host.sent();
    assert_eq!((&sent[0]["id"], error_of(&sent[0])), (&json!("waiting"), (-32602, "The task was cancelled")));
    assert_eq!((&sent[1]["id"], &sent[1]["result"]["status"]), (&json!(2), &json!("cancelled")));
    assert_eq!(sent[1]["result"]["taskId"], *task);
    assert_eq!(over(&host.event()), Some((handle, OverReason::Cancelled)));
    assert_eq!(host.machine.respond(host.now, handle, result(DONE)), Err(SendError::Over));
    assert_eq!(host.machine.progress(host.now, handle, 1.0, None, None), Err(SendError::Over));
    assert_eq!(state(&mut host, &task)["status"], "cancelled");
    assert_eq!(error_of(&host.ask(&about(3, "tasks/result", &task))), (-32602, "The task was cancelled"));
}

/// R-TSK-025
#[test]
fn what_has_ended_is_not_cancelled() {
    let mut host = open(config());
    let (task, handle) = created(&mut host, 1);
    host.respond(handle, DONE);
    let answer = host.ask(&about(2, "tasks/cancel", &task));
    assert_eq!(error_of(&answer), (-32602, "Cannot cancel task: already in terminal status 'completed'"));
    assert_eq!(state(&mut host, &task)["status"], "completed");
    host.ask(&about(3, "tasks/result", &task));
    let (task, _) = created(&mut host, 4);
    host.ask(&about(5, "tasks/cancel", &task));
    assert_eq!(error_of(&host.ask(&about(6, "tasks/cancel", &task))).0, -32602);
}

/// `basic/utilities/cancellation`: a task is cancelled as such. The id of its request is free once it was answered.
#[test]
fn a_notice_does_not_cancel_a_task() {
    let mut host = open(config());
    let (first, handle) = created(&mut host, 1);
    host.tell(&cancelled(1));
    assert!(host.events().is_empty());
    assert_eq!(state(&mut host, &first)["status"], "working");
    let (second, other) = created(&mut host, 1);
    assert_ne!(first, second);
    host.tell(&call(1, "plain"));
    let plain = host.request().handle();
    host.tell(&cancelled(1));
    assert_eq!(over(&host.event()), Some((plain, OverReason::Cancelled)));
    host.respond(handle, DONE);
    host.respond(other, DONE);
}

/// R-TSK-026
#[test]
fn what_is_unknown_is_not_found() {
    let mut host = open(config());
    let (task, _) = created(&mut host, 1);
    let mut almost = task.clone();
    almost.pop();
    for id in ["", "x", &almost, &format!("{task} "), "786512e2-9e0d-44bd-8f29-789f320fe840"] {
        for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
            assert_eq!(error_of(&host.ask(&about(2, method, id))), (-32602, NOT_FOUND), "{method} {id}");
        }
    }
    for params in [json!({}), json!({"taskId": 7})] {
        assert_eq!(error_of(&host.ask(&request(3, "tasks/get", params))).0, -32602);
    }
    for cursor in ["", "x", "AQAAAAAAAAAAAAAAAAAAAAAAAA"] {
        let answer = host.ask(&request(4, "tasks/list", json!({"cursor": cursor})));
        assert_eq!(error_of(&answer).0, -32602);
    }
}

/// The parameter names the task, whatever the metadata says; answers about tasks carry none.
///
/// R-TSK-013, R-TSK-014
#[test]
fn the_parameter_names_the_task() {
    let mut host = open(config());
    let (task, _) = created(&mut host, 1);
    let (other, _) = created(&mut host, 2);
    for method in ["tasks/get", "tasks/cancel"] {
        let params = json!({"taskId": task, "_meta": {RELATED: {"taskId": other}}});
        let result = &host.ask(&request(3, method, params))["result"];
        assert_eq!(result["taskId"], *task);
        assert!(result.get("_meta").is_none());
    }
    assert_eq!(state(&mut host, &other)["status"], "working");
    assert!(host.ask(&request(4, "tasks/list", json!({})))["result"].get("_meta").is_none());
}

/// A task is kept for what was asked, or less, from its creation; then it is gone, also one that still runs.
///
/// R-TSK-018, R-TSK-026
#[test]
fn tasks_expire() {
    let limits = limits(|limits| limits.task_ttl = seconds(100));
    let mut host = open(config().limits(limits));
    let mut ttl = |task: Value| {
        let answer = host.ask(&as_task(1, "either", task));
        host.events();
        answer["result"]["task"]["ttl"].clone()
    };
    assert_eq!(ttl(json!({})), 100_000, "the most that there is");
    assert_eq!(ttl(json!({"ttl": null})), 100_000);
    assert_eq!(ttl(json!({"ttl": 1e300})), 100_000);
    assert_eq!(ttl(json!({"ttl": 2500.7})), 2500);
    host.wait(seconds(100));
    host.sent();
    assert_eq!(host.events().len(), 4);

    let answer = host.ask(&as_task(1, "either", json!({"ttl": 10000})));
    let task = answer["result"]["task"]["taskId"].as_str().unwrap().to_owned();
    let running = host.request().handle();
    host.wait(seconds(4));
    let (kept, handle) = created(&mut host, 2);
    host.respond(handle, DONE);
    host.tell(&about("waiting", "tasks/result", &task));
    host.wait(seconds(5));
    host.silent();
    host.wait(seconds(1));
    assert_eq!(over(&host.event()), Some((running, OverReason::Expired)));
    assert_eq!(error_of(&host.one()), (-32602, NOT_FOUND));
    assert_eq!(error_of(&host.ask(&about(3, "tasks/get", &task))), (-32602, NOT_FOUND));
    assert_eq!(host.machine.respond(host.now, running, result(DONE)), Err(SendError::Over));
    assert_eq!(state(&mut host, &kept)["status"], "completed");
    host.wait(seconds(94));
    assert_eq!(error_of(&host.ask(&about(3, "tasks/get", &kept))), (-32602, NOT_FOUND));
    assert_eq!(host.machine.deadline(), None);
    assert_eq!(host.machine.stat("tasks"), 6);
    assert_eq!(host.machine.stat("tasks_now"), 0);
}

/// A handler's limit is not one of a task, which has its own.
#[test]
fn a_task_has_the_time_that_was_promised() {
    let mut host = open(config().limits(limits(|limits| limits.handler = Some(seconds(1)))));
    let (task, handle) = created(&mut host, 1);
    host.tell(&about("waiting", "tasks/result", &task));
    host.wait(seconds(60));
    assert!(host.events().is_empty());
    host.silent();
    host.respond(handle, DONE);
    assert_eq!(host.one()["id"], "waiting");
}

/// Every task that is found is listed, page by page, the oldest first.
///
/// R-TSK-024
#[test]
fn tasks_are_listed_in_pages() {
    let mut host = open(config().page_size(2));
    let tasks: Vec<String> = (0..5).map(|id| created(&mut host, id).0).collect();
    host.ask(&about(9, "tasks/cancel", &tasks[3]));
    let mut listed = Vec::new();
    let mut params = json!({});
    for pages in 1.. {
        let result = host.ask(&request(9, "tasks/list", params))["result"].clone();
        for task in result["tasks"].as_array().unwrap() {
            let id = task["taskId"].as_str().unwrap();
            assert_eq!(*task, state(&mut host, id));
            listed.push(id.to_owned());
        }
        let Some(cursor) = result.get("nextCursor") else {
            assert_eq!(pages, 3);
            break;
        };
        params = json!({"cursor": cursor});
    }
    assert_eq!(listed, tasks);
}

/// A list goes on behind a task that is gone meanwhile.
///
/// R-TSK-024
#[test]
fn a_list_goes_on_when_tasks_are_gone() {
    let mut host = open(config().page_size(1));
    let short = host.ask(&as_task(1, "either", json!({"ttl": 1000})));
    let (long, _) = {
        host.events();
        created(&mut host, 2)
    };
    let first = host.ask(&request(3, "tasks/list", json!({})));
    assert_eq!(first["result"]["tasks"][0]["taskId"], short["result"]["task"]["taskId"]);
    host.wait(seconds(1));
    let params = json!({"cursor": first["result"]["nextCursor"]});
    let second = host.ask(&request(3, "tasks/list", params));
    assert_eq!(second["result"]["tasks"][0]["taskId"], *long);
    assert!(second["result"].get("nextCursor").is_none());
}

/// Nobody can guess an id: another seed makes others.
///
/// R-TSK-009, R-TSK-010
#[test]
fn ids_are_drawn_from_the_seed() {
    let ids = |seed: u8| {
        let server = Server::new(Arc::new(config()), Seed([seed; 32])).with_clock(clock());
        let mut host = Host::new(server);
        host.ask(&initialize(0, NEWEST, &json!({})));
        host.events();
        (0..20).map(|id| created(&mut host, id).0).collect::<BTreeSet<_>>()
    };
    let (one, other) = (ids(1), ids(2));
    assert_eq!((one.len(), other.len()), (20, 20));
    assert!(one.is_disjoint(&other));
    assert!(one.iter().all(|id| id.len() == 22));
}

/// `basic/utilities/progress`: the token is good for as long as the task runs. What is said on the way names the task.
///
/// R-TSK-013
#[test]
fn what_is_said_on_the_way_names_the_task() {
    let mut host = open(config());
    let params = json!({"name": "either", "task": {}, "_meta": {"progressToken": "p"}});
    let answer = host.ask(&request(1, "tools/call", params));
    let meta = json!({RELATED: {"taskId": answer["result"]["task"]["taskId"]}});
    let handle = host.request().handle();
    host.machine.progress(host.now, handle, 1.0, Some(2.0), None).unwrap();
    let expected = json!({"_meta": meta, "progressToken": "p", "progress": 1, "total": 2});
    assert_eq!(host.one(), notice("notifications/progress", expected));
    let ask = request(2, "logging/setLevel", json!({"level": "debug"}));
    host.ask(&ask);
    let target = Target::Request(handle);
    host.machine.log(host.now, target, LogLevel::Info, None, json("1")).unwrap();
    let expected = json!({"_meta": meta, "level": "info", "data": 1});
    assert_eq!(host.one(), notice("notifications/message", expected));
    let params = json(r#"{"elicitationId":"e","_meta":{"own":1}}"#);
    host.machine.notify(host.now, target, "notifications/elicitation/complete", Some(params)).unwrap();
    let sent = host.one();
    assert_eq!(sent["params"]["elicitationId"], "e");
    assert_eq!(sent["params"]["_meta"], json!({RELATED: meta[RELATED], "own": 1}));
    let own = format!(r#"{{"elicitationId":"e","_meta":{{"{RELATED}":{{}}}}}}"#);
    let refused =
        host.machine.notify(host.now, target, "notifications/elicitation/complete", Some(json(&own)));
    assert!(matches!(refused, Err(SendError::Invalid(_))));
    let own = format!(r#"{{"content":[],"_meta":{{"{RELATED}":{{}}}}}}"#);
    assert!(matches!(host.machine.respond(host.now, handle, result(&own)), Err(SendError::Invalid(_))));
    host.respond(handle, DONE);
    assert_eq!(host.machine.progress(host.now, handle, 2.0, None, None), Err(SendError::Over));
}

/// A question for a task names it, and the task needs input until all of them are answered.
///
/// R-TSK-011, R-TSK-012, R-TSK-013
#[test]
fn a_task_that_asks_needs_input() {
    let mut host = open_in(config(), NEWEST, &json!({"roots": {}, "sampling": {}}));
    let (task, handle) = created(&mut host, 1);
    let ask = |host: &mut Host<Server>| -> (CallHandle, Value) {
        let target = Target::Request(handle);
        let call = host.machine.call(host.now, target, "roots/list", None, CallOptions::new()).unwrap();
        (call, host.one())
    };
    let (first, question) = ask(&mut host);
    assert_eq!(question["params"]["_meta"][RELATED]["taskId"], *task);
    assert_eq!(state(&mut host, &task)["status"], "input_required");
    let (second, _) = ask(&mut host);
    host.tell(&answer(&question, &json!({"roots": []})));
    assert!(matches!(host.event(), Event::Completed { call, .. } if call == first));
    assert_eq!(state(&mut host, &task)["status"], "input_required");
    host.machine.cancel(host.now, second, None).unwrap();
    host.sent();
    assert_eq!(state(&mut host, &task)["status"], "working");
    let (_, question) = ask(&mut host);
    host.respond(handle, DONE);
    host.tell(&answer(&question, &json!({"roots": []})));
    assert_eq!(state(&mut host, &task)["status"], "completed");
}

/// The application says how a task is getting on; it is told if the configuration does not forbid it.
///
/// R-TSK-014
#[test]
fn changes_are_told() {
    let mut host = open(config().task_notices(true));
    let (task, handle) = created(&mut host, 1);
    host.wait(seconds(1));
    host.machine.task_status(host.now, handle, "half of it").unwrap();
    let told = host.one();
    assert_eq!(told["method"], "notifications/tasks/status");
    assert_eq!(
        told["params"],
        json!({
            "taskId": task, "status": "working", "statusMessage": "half of it", "ttl": 3_600_000,
            "createdAt": "2025-11-25T10:30:00.000Z", "lastUpdatedAt": "2025-11-25T10:30:01.000Z", "pollInterval": 1000
        })
    );
    host.machine.task_status(host.now, handle, "half of it").unwrap();
    host.silent();
    host.machine.task_status(host.now, handle, &"é".repeat(1000)).unwrap();
    assert_eq!(host.one()["params"]["statusMessage"], "é".repeat(512));
    host.machine.task_status(host.now, handle, "").unwrap();
    assert!(host.one()["params"].get("statusMessage").is_none());
    host.respond(handle, DONE);
    assert_eq!(host.one()["params"]["status"], "completed");
    assert_eq!(host.machine.task_status(host.now, handle, "x"), Err(SendError::Over));
    let never = RequestHandle::from_u64(9999);
    assert_eq!(host.machine.task_status(host.now, never, "x"), Err(SendError::UnknownHandle));
    host.tell(&call(2, "plain"));
    let plain = host.request().handle();
    assert!(matches!(host.machine.task_status(host.now, plain, "x"), Err(SendError::Invalid(_))));
    let own = host.machine.notify(host.now, Target::Channel, "notifications/tasks/status", Some(json("{}")));
    assert!(matches!(own, Err(SendError::Invalid(_))));
}

/// R-TSK-030
#[test]
fn tasks_are_bounded() {
    let mut host = open(config().limits(limits(|limits| limits.tasks = 2)));
    let (first, handle) = created(&mut host, 1);
    host.respond(handle, DONE);
    created(&mut host, 2);
    let answer = host.ask(&as_task(3, "either", json!({})));
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(answer["error"]["data"], json!({"reason": "too_many_tasks", "limit": 2}));
    assert!(host.events().is_empty());
    assert_eq!(state(&mut host, &first)["status"], "completed");
    host.wait(seconds(3600));
    host.events();
    created(&mut host, 4);
}

/// What is kept is bounded in bytes; an outcome beyond fails its task.
///
/// R-TSK-030
#[test]
fn outcomes_are_bounded() {
    let limits = limits(|limits| limits.session_bytes = 10_000);
    let mut host = open(config().limits(limits));
    let tasks: Vec<_> = (0..3).map(|id| created(&mut host, id)).collect();
    let large = json!({"content": [], "large": "x".repeat(4_000)}).to_string();
    host.respond(tasks[0].1, &large);
    host.respond(tasks[1].1, &large);
    let third = host.machine.respond(host.now, tasks[2].1, result(&large));
    assert_eq!(third, Err(SendError::TooLarge));
    assert_eq!(state(&mut host, &tasks[1].0)["status"], "completed");
    assert_eq!(state(&mut host, &tasks[2].0)["status"], "failed");
    let answer = host.ask(&about(9, "tasks/result", &tasks[2].0));
    assert_eq!(error_of(&answer), (-32603, "The result is too large to keep"));
    let large =
        request(10, "tools/call", json!({"name": "plain", "arguments": {"large": "x".repeat(3_000)}}));
    assert_eq!(host.ask(&large)["error"]["data"]["reason"], "session_bytes");
    host.wait(seconds(3600));
    host.tell(&large);
    host.request();
}

/// A task belongs to its session: it ends with it. Whoever waits at the end of input is still answered.
#[test]
fn tasks_end_with_the_session() {
    let mut host = open(config());
    let (_, alone) = created(&mut host, 1);
    let (awaited, handle) = created(&mut host, 2);
    host.tell(&about("waiting", "tasks/result", &awaited));
    host.eof();
    assert_eq!(over(&host.event()), Some((alone, OverReason::Closed)));
    host.respond(handle, DONE);
    assert_eq!(host.one()["id"], "waiting");
    assert_eq!(host.closed(), Some(CloseReason::Peer));

    let mut host = open(config());
    let (_, running) = created(&mut host, 1);
    host.close_channel();
    let events = host.events();
    assert_eq!(over(&events[0]), Some((running, OverReason::Closed)));
    assert!(matches!(events[1], Event::Closed(CloseReason::Peer)));
    assert_eq!(host.machine.deadline(), None);

    let mut host = open(config());
    let (_, running) = created(&mut host, 1);
    host.machine.close(host.now, seconds(5));
    assert!(host.events().is_empty(), "what runs may finish");
    host.respond(running, DONE);
    assert_eq!(host.closed(), Some(CloseReason::Local));
}

/// Tasks are dated: without a clock a server that takes them refuses the revisions that have them, and says why.
#[test]
fn tasks_need_the_clock() {
    let mut host = serve(config());
    let answer = host.ask(&initialize(0, NEWEST, &json!({})));
    assert_eq!(answer["error"]["code"], -32603);
    let faults = host.faults();
    assert_eq!((faults[0].code, faults[0].replied), ("fault.no_clock", Some(-32603)));
    assert!(faults[0].detail.contains("with_clock"));
    host.machine.set_wall_clock(clock());
    assert!(host.ask(&initialize(1, NEWEST, &json!({})))["result"].is_object());
    for revision in &LEGACY[..3] {
        session(config(), revision, &json!({}));
    }

    let mut host = start(client_config_with_tasks().probe(false));
    host.silent();
    let events = host.events();
    assert!(matches!(&events[0], Event::Fault(fault) if fault.detail.contains("with_clock")));
    assert!(matches!(events[1], Event::Closed(CloseReason::Handshake)));
}

fn client_config_with_tasks() -> ClientConfig {
    let capabilities = json!({
        "sampling": {}, "elicitation": {}, "roots": {},
        "tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}}}
    });
    client_config().task_notices(false).capabilities(capabilities.to_string().as_bytes()).unwrap()
}

fn client() -> Host<Client> {
    let config = client_config_with_tasks().probe(false);
    let mut host = Host::new(Client::new(Arc::new(config), Seed([2; 32])).with_clock(clock()));
    host.machine.start(host.now, None);
    let opening = host.one();
    host.tell(&answer(&opening, &initialize_result(NEWEST)));
    host.sent();
    host.events();
    host
}

fn input(host: &mut Host<Client>) -> Input {
    match host.event() {
        Event::Input(input) => input,
        other => panic!("a question, not {other:?}"),
    }
}

/// A client is a receiver like a server.
///
/// R-TSK-001, R-TSK-007, R-TSK-008, R-TSK-015, R-TSK-024, R-TSK-025
#[test]
fn questions_become_tasks() {
    let mut host = client();
    let params = json!({"messages": [], "maxTokens": 1, "task": {"ttl": 1000}});
    let answer = host.ask(&request(1, "sampling/createMessage", params.clone()));
    let task = answer["result"]["task"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(answer["result"]["task"]["ttl"], 1000);
    let question = input(&mut host);
    assert_eq!(question.task(), Some(task.as_str()));
    host.machine.task_status(host.now, question.input, "asking the model").unwrap();
    let now = host.ask(&about(2, "tasks/get", &task))["result"].clone();
    assert_eq!((&now["status"], &now["statusMessage"]), (&json!("working"), &json!("asking the model")));
    host.tell(&about(3, "tasks/result", &task));
    host.silent();
    host.machine
        .answer(
            host.now,
            question.input,
            result(r#"{"model":"m","role":"assistant","content":{"type":"text","text":"x"}}"#),
        )
        .unwrap();
    let sent = host.one();
    assert_eq!(
        sent["result"],
        json!({
            "model": "m", "role": "assistant", "content": {"type": "text", "text": "x"}, "_meta": {RELATED: {"taskId": task}}
        })
    );
    let listed = host.ask(&request(4, "tasks/list", json!({})));
    assert_eq!(listed["result"]["tasks"][0]["taskId"], *task);
    assert_eq!(error_of(&host.ask(&about(5, "tasks/cancel", &task))).0, -32602);

    host.ask(&request(6, "sampling/createMessage", params));
    let question = input(&mut host);
    let answer = host.ask(&about(7, "tasks/cancel", question.task().unwrap()));
    assert_eq!(answer["result"]["status"], "cancelled");
    assert!(matches!(host.event(), Event::InputOver { input } if input == question.input));

    // Not declared as a task.
    host.tell(&request(8, "elicitation/create", json!({"message": "?", "requestedSchema": {}, "task": {}})));
    let question = input(&mut host);
    assert_eq!(question.task(), None);
    host.machine.answer(host.now, question.input, result(r#"{"action":"decline"}"#)).unwrap();
    assert_eq!(host.one()["result"], json!({"action": "decline"}));
}

/// An answer to a question that is asked for a task of the server names it too.
///
/// R-TSK-013
#[test]
fn answers_to_related_questions_name_the_task() {
    let mut host = client();
    let params = json!({"_meta": {RELATED: {"taskId": "t\"1"}}});
    host.tell(&request(1, "roots/list", params));
    let question = input(&mut host);
    assert_eq!((question.call, question.task()), (None, None));
    host.machine.answer(host.now, question.input, result(r#"{"roots":[]}"#)).unwrap();
    assert_eq!(host.one()["result"], json!({"roots": [], "_meta": {RELATED: {"taskId": "t\"1"}}}));
    assert_eq!(
        host.machine.task_status(host.now, InputHandle::from_u64(9999), "x"),
        Err(SendError::UnknownHandle)
    );
}

#[derive(Debug, Clone)]
enum Step {
    Create { ttl: u16 },
    Respond { which: usize, failed: bool },
    Cancel { which: usize },
    Wait { which: usize },
    Unwait { which: usize },
    Say { which: usize },
    List,
    Pass { seconds: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..8_usize;
    prop_oneof![
        4 => (0..40_000_u16).prop_map(|ttl| Step::Create { ttl }),
        3 => (which.clone(), any::<bool>()).prop_map(|(which, failed)| Step::Respond { which, failed }),
        2 => which.clone().prop_map(|which| Step::Cancel { which }),
        3 => which.clone().prop_map(|which| Step::Wait { which }),
        1 => which.clone().prop_map(|which| Step::Unwait { which }),
        1 => which.prop_map(|which| Step::Say { which }),
        2 => Just(Step::List),
        2 => (0..10_u8).prop_map(|seconds| Step::Pass { seconds }),
    ]
}

struct Known {
    id: String,
    handle: RequestHandle,
    over: bool,
    terminal: Option<Value>,
    waiting: BTreeSet<u64>,
}

proptest! {
    /// In whatever order things happen: a request has one end, a terminal status is final and every question about the
    /// outcome has one answer; in the end nothing is left.
    ///
    /// R-TSK-009, R-TSK-011, R-TSK-021, R-TSK-024
    #[test]
    fn any_order(steps in proptest::collection::vec(step(), 1..60)) {
        let mut host = open(config().page_size(3).limits(limits(|limits| limits.tasks = 6)));
        let mut known: Vec<Known> = Vec::new();
        let mut ids = 100;
        for step in steps {
            ids += 1;
            let count = known.len().max(1);
            match step {
                Step::Create { ttl } => {
                    host.tell(&as_task(ids, "either", json!({"ttl": ttl})));
                    let answer = host.sent().remove(0);
                    if let Some(id) = answer["result"]["task"]["taskId"].as_str() {
                        prop_assert!(known.iter().all(|task| task.id != id));
                        let handle = host.request().handle();
                        let (id, waiting) = (id.to_owned(), BTreeSet::new());
                        known.push(Known { id, handle, over: false, terminal: None, waiting });
                    }
                }
                Step::Respond { which, failed } => if let Some(task) = known.get_mut(which % count) {
                    let outcome = if failed {
                        Outcome::Error { code: 1, message: "no", data: None }
                    } else {
                        result(DONE)
                    };
                    let answered = host.machine.respond(host.now, task.handle, outcome);
                    prop_assert_eq!(answered, if task.over { Err(SendError::Over) } else { Ok(()) });
                    task.over = true;
                },
                Step::Cancel { which } => if let Some(task) = known.get(which % count) {
                    host.tell(&about(ids, "tasks/cancel", &task.id));
                },
                Step::Wait { which } => if let Some(task) = known.get_mut(which % count) {
                    task.waiting.insert(ids);
                    host.tell(&about(ids, "tasks/result", &task.id));
                },
                Step::Unwait { which } => {
                    if let Some(id) = known.get_mut(which % count).and_then(|task| task.waiting.pop_first()) {
                        host.tell(&cancelled(id));
                    }
                }
                Step::Say { which } => if let Some(task) = known.get(which % count) {
                    let said = host.machine.task_status(host.now, task.handle, "hm");
                    prop_assert_eq!(said, if task.over { Err(SendError::Over) } else { Ok(()) });
                },
                Step::List => {
                    let mut listed = Vec::new();
                    let mut params = json!({});
                    loop {
                        host.tell(&request("list", "tasks/list", params));
                        let mut sent = host.sent();
                        let page = sent.pop().unwrap()["result"].clone();
                        listed.extend(page["tasks"].as_array().unwrap().clone());
                        let Some(cursor) = page.get("nextCursor") else { break };
                        params = json!({"cursor": cursor});
                    }
                    let mut found = Vec::new();
                    for task in &mut known {
                        let now = state(&mut host, &task.id);
                        if now.is_null() {
                            continue;
                        }
                        let terminal = ["completed", "failed", "cancelled"].contains(&now["status"].as_str().unwrap());
                        prop_assert_eq!(terminal, task.over);
                        if let Some(before) = &task.terminal {
                            prop_assert_eq!(before, &now);
                        }
                        task.terminal = terminal.then(|| now.clone());
                        found.push(now);
                    }
                    prop_assert_eq!(listed, found);
                }
                Step::Pass { seconds } => host.wait(common::seconds(seconds.into())),
            }
            for event in host.events() {
                let (handle, _) = over(&event).expect("nothing but the end of a request");
                let task = known.iter_mut().find(|task| task.handle == handle).unwrap();
                prop_assert!(!std::mem::replace(&mut task.over, true));
            }
            for answer in host.sent() {
                let id = answer["id"].as_u64().unwrap();
                let of = known.iter_mut().find(|task| task.waiting.contains(&id));
                if let Some(task) = of {
                    prop_assert!(task.over);
                    task.waiting.remove(&id);
                }
            }
            for task in &known {
                prop_assert!(!task.over || task.waiting.is_empty());
            }
        }
        host.wait(seconds(60));
        host.events();
        prop_assert_eq!(host.machine.stat("tasks_now"), 0);
        prop_assert_eq!(host.machine.stat("requests_now"), 0);
        prop_assert_eq!(host.machine.deadline(), None);
    }
}

#[test]
fn a_small_machine_takes_tasks() {
    let mut host = open(config().limits(Limits::small()));
    let tasks: Vec<_> = (0..4).map(|id| created(&mut host, id)).collect();
    let listed = host.ask(&request(9, "tasks/list", json!({})));
    assert_eq!(listed["result"]["tasks"].as_array().unwrap().len(), tasks.len());
}
