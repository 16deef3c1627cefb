//! How each row is played, by what the engine does with it.
use std::time::Duration;

use mcp_sansio::{
    CallHandle,
    event::{Event, Outcome, OverReason, Question, Target},
    method::{self, Handling, MethodKind, MethodRow, Side},
    revision::{Era, Revision},
    session::{CallOptions, Change, LogLevel, SubscriptionFilter, TaskOptions},
};
use serde_json::{Value, json};

use super::pair::{Asked, Pair, raw};

/// Something that a member of `params` may be.
fn sample(field: &str) -> Value {
    match field {
        "name" => json!("echo"),
        "uri" => json!("test://a"),
        "ref" => json!({"type": "ref/prompt", "name": "echo"}),
        "argument" => json!({"name": "text", "value": "a"}),
        "level" => json!("info"),
        "data" | "message" => json!("text"),
        "notifications" => json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["test://a"],
        }),
        "messages" => json!([]),
        "requestedSchema" => json!({"type": "object", "properties": {}}),
        "requestId" | "progressToken" | "progress" | "maxTokens" | "ttl" | "ttlMs" => json!(1),
        "taskId" | "elicitationId" => json!("one"),
        "status" => json!("working"),
        "createdAt" | "lastUpdatedAt" => json!("2026-01-01T00:00:00Z"),
        "inputResponses" | "capabilities" => json!({}),
        "protocolVersion" => json!("2025-11-25"),
        "clientInfo" => json!({"name": "peer", "version": "1"}),
        other => panic!("say what `{other}` may be"),
    }
}

/// Params with all that the row requires.
pub fn params(row: &MethodRow) -> Value {
    // A form has a schema, which not all that is elicited has.
    let of_form = (row.handling == Handling::Elicit).then_some("requestedSchema");
    row.required.iter().copied().chain(of_form).map(|field| (field.to_owned(), sample(field))).collect()
}

/// A result of the application.
fn result(row: &MethodRow) -> Value {
    match row.handling {
        Handling::CallTool => json!({"content": []}),
        Handling::ReadResource => json!({"contents": [{"uri": "test://a", "text": "a"}]}),
        Handling::GetPrompt => json!({"messages": []}),
        Handling::Complete => json!({"completion": {"values": ["a"]}}),
        Handling::Sample => {
            json!({"role": "assistant", "content": {"type": "text", "text": "yes"}, "model": "m"})
        }
        Handling::Elicit => json!({"action": "decline"}),
        Handling::ListRoots => json!({"roots": [{"uri": "file:///a"}]}),
        Handling::Deliver => json!({"any": "thing"}),
        other => panic!("say what {other:?} is answered with"),
    }
}

/// What is sent in `revision` for this to be done.
fn named(handling: Handling, sender: Side, revision: Revision) -> &'static MethodRow {
    method::with_handling(handling, sender, revision).expect("a method for it").row()
}

/// Sends the row's message from `sender` by the public API and sees it arrive, be answered, and the answer arrive.
pub fn play(mut pair: Pair, row: &'static MethodRow, sender: Side) {
    let revision = pair.revision;
    match row.handling {
        _ if row.embedded.contains(revision) => ask_in_result(&mut pair, row, sender),
        Handling::Initialize => {
            assert_eq!(pair.exchange(sender, row)["protocolVersion"], revision.name());
            for side in [Side::Client, Side::Server] {
                pair.event(side, |event| matches!(event, Event::Ready(_)).then_some(()));
            }
        }
        Handling::Initialized => {
            pair.said(sender, row);
            let ping = named(Handling::Ping, sender.peer(), revision);
            let call = pair.call(sender.peer(), ping.name, &json!({})).unwrap();
            pair.flow();
            assert_eq!(pair.outcome(sender.peer(), call), Ok(json!({})));
        }
        Handling::Discover => {
            assert!(is_among(revision.name(), &pair.exchange(sender, row)["supportedVersions"]));
            pair.event(sender, |event| matches!(event, Event::Ready(_)).then_some(()));
            let answer = ask_engine(&mut pair, row, sender);
            assert!(is_among(revision.name(), &answer["supportedVersions"]));
        }
        Handling::Ping | Handling::SetLevel | Handling::Unsubscribe => {
            ask_engine(&mut pair, row, sender);
        }
        Handling::ListTools => assert_eq!(ask_engine(&mut pair, row, sender)["tools"][0]["name"], "echo"),
        Handling::ListPrompts => assert_eq!(ask_engine(&mut pair, row, sender)["prompts"][0]["name"], "echo"),
        Handling::ListResources => {
            assert_eq!(ask_engine(&mut pair, row, sender)["resources"][0]["uri"], "test://a");
        }
        Handling::ListTemplates => {
            assert_eq!(ask_engine(&mut pair, row, sender)["resourceTemplates"][0]["name"], "t");
        }
        Handling::Subscribe => {
            ask_engine(&mut pair, row, sender);
            pair.event(sender.peer(), |event| {
                matches!(event, Event::Watched { wanted: true, .. }).then_some(())
            });
        }
        Handling::CallTool
        | Handling::ReadResource
        | Handling::GetPrompt
        | Handling::Complete
        | Handling::Sample
        | Handling::Elicit
        | Handling::ListRoots => ask_application(&mut pair, row, sender),
        Handling::Deliver if row.kind == MethodKind::Request => ask_application(&mut pair, row, sender),
        Handling::Deliver => {
            pair.notify(sender, row.name, &params(row)).unwrap();
            pair.flow();
            pair.said(sender, row);
            assert_eq!(notice(&mut pair, row, sender), params(row));
        }
        Handling::Cancelled => cancel(&mut pair, row, sender),
        Handling::Progress => progress(&mut pair, row, sender),
        Handling::Log => log(&mut pair, row, sender),
        Handling::ToolsChanged => change(&mut pair, row, sender, Change::Tools),
        Handling::PromptsChanged => change(&mut pair, row, sender, Change::Prompts),
        Handling::ResourcesChanged => change(&mut pair, row, sender, Change::Resources),
        Handling::ResourceUpdated => {
            change(&mut pair, row, sender, Change::Resource { uri: "test://a", concerns: None });
        }
        Handling::Listen => {
            let listening = listen(&mut pair);
            pair.server.close(pair.now, Duration::from_secs(1));
            pair.flow();
            assert!(pair.exchange(sender, row).is_object());
            assert!(pair.outcome(sender, listening).is_ok());
        }
        Handling::Acknowledged => {
            listen(&mut pair);
            pair.said(sender, row);
            assert_eq!(notice(&mut pair, row, sender)["notifications"], sample("notifications"));
            let uris = &["test://a"];
            let filter = SubscriptionFilter { tools: true, prompts: true, resources: true, uris };
            let subscription = pair.client.subscribe(pair.now, filter).unwrap();
            pair.flow();
            pair.said(sender, row);
            let honoured: Value = pair.event(sender.peer(), |event| match event {
                Event::Subscribed(subscribed) if subscribed.call == subscription => {
                    Some(subscribed.filter.decode().unwrap())
                }
                _ => None,
            });
            assert_eq!(honoured, sample("notifications"));
        }
        Handling::TaskGet => {
            let task = start_task(&mut pair, sender);
            assert_eq!(about_task(&mut pair, row, sender, &task)["status"], "working");
        }
        Handling::TaskList => {
            let task = start_task(&mut pair, sender);
            assert_eq!(about_task(&mut pair, row, sender, &task)["tasks"][0]["taskId"], *task.id);
        }
        Handling::TaskCancel => {
            let task = start_task(&mut pair, sender);
            assert_eq!(about_task(&mut pair, row, sender, &task)["status"], "cancelled");
            is_over(&mut pair, sender.peer(), task.pending.asked);
        }
        Handling::TaskResult => {
            let task = start_task(&mut pair, sender);
            let call = pair.call(sender, row.name, &json!({"taskId": task.id})).unwrap();
            pair.flow();
            let of = task.pending.row;
            pair.respond(task.pending.asked, &result(of));
            pair.flow();
            let answered = pair.exchange(sender, row);
            assert_eq!(pair.outcome(sender, call), Ok(answered.clone()));
            assert_has(&answered, &result(of));
        }
        Handling::TaskStatus => {
            let task = start_task(&mut pair, sender.peer());
            pair.respond(task.pending.asked, &result(task.pending.row));
            pair.flow();
            pair.said(sender, row);
            let seen = notice(&mut pair, row, sender);
            assert_eq!((&seen["taskId"], &seen["status"]), (&json!(task.id), &json!("completed")));
        }
        other => panic!("say how {other:?} is played"),
    }
}

fn is_among(name: &str, names: &Value) -> bool {
    names.as_array().is_some_and(|names| names.iter().any(|other| other == name))
}

/// Calls, and sees the engine of the other side answer without its application.
fn ask_engine(pair: &mut Pair, row: &'static MethodRow, sender: Side) -> Value {
    pair.forget();
    let call = pair.call(sender, row.name, &params(row)).unwrap();
    pair.flow();
    let result = pair.exchange(sender, row);
    assert_eq!(pair.outcome(sender, call), Ok(result.clone()));
    let is_asked = |event: &&Event| matches!(event, Event::Request(_) | Event::Input(_));
    assert!(!pair.events(sender.peer()).iter().any(is_asked));
    result
}

/// What arrived at the application of this side.
fn asked(pair: &mut Pair, side: Side, row: &MethodRow) -> Asked {
    let revision = pair.revision;
    pair.event(side, |event| match event {
        Event::Request(request) if request.method().name() == row.name => {
            assert_eq!(request.revision(), revision);
            Some(Asked::Server(request.handle()))
        }
        Event::Input(input) if input.method == row.name => Some(Asked::Client(input.input)),
        _ => None,
    })
}

/// What was asked is over without an answer.
fn is_over(pair: &mut Pair, side: Side, asked: Asked) {
    pair.event(side, |event| match event {
        Event::Over { request, reason: OverReason::Cancelled } if Asked::Server(*request) == asked => {
            Some(())
        }
        Event::InputOver { input } if Asked::Client(*input) == asked => Some(()),
        _ => None,
    });
}

/// The params of the notice that arrived at the application of the other side.
fn notice(pair: &mut Pair, row: &MethodRow, sender: Side) -> Value {
    pair.event(sender.peer(), |event| match event {
        Event::Notification { method, params, .. } if method.name() == row.name => {
            Some(params.as_ref().map_or(Value::Null, |params| params.decode().unwrap()))
        }
        _ => None,
    })
}

/// Calls, sees the application of the other side answer, and the answer arrive.
fn ask_application(pair: &mut Pair, row: &'static MethodRow, sender: Side) {
    let call = pair.call(sender, row.name, &params(row)).unwrap();
    pair.flow();
    let asked = asked(pair, sender.peer(), row);
    pair.respond(asked, &result(row));
    pair.flow();
    let answered = pair.exchange(sender, row);
    assert_eq!(pair.outcome(sender, call), Ok(answered.clone()));
    assert_has(&answered, &result(row));
}

/// A client calls a tool, whose handler has a question first.
fn question_first(pair: &mut Pair, row: &'static MethodRow) -> Pending {
    let pending = call_something(pair, Side::Client, CallOptions::new());
    let Asked::Server(request) = pending.asked else { panic!("a client asked a client") };
    let params = params(row).to_string();
    let question = Question { key: "first", method: row.name, params: Some(raw(&params)) };
    let outcome = Outcome::InputRequired { questions: &[question], state: Some(b"state") };
    pair.server.respond(pair.now, request, outcome).unwrap();
    pair.flow();
    pending
}

/// Asks in the result of a call, sees the client's application answer, and the answer arrive with the call made again.
fn ask_in_result(pair: &mut Pair, row: &'static MethodRow, sender: Side) {
    let pending = question_first(pair, row);
    let carried = &pair.exchange(sender.peer(), pending.row)["inputRequests"]["first"];
    assert_eq!((&carried["method"], &carried["params"]), (&json!(row.name), &params(row)));
    let asked_client = asked(pair, sender.peer(), row);
    pair.respond(asked_client, &result(row));
    pair.flow();
    let (again, state, answer) = pair.event(sender, |event| match event {
        Event::Request(request) => {
            let input = request.input().expect("what the client answered");
            let [(key, answer)] = &input.answers[..] else { panic!("one answer, not {:?}", input.answers) };
            assert_eq!((&**key, request.round()), ("first", 1));
            let state = input.state.as_deref().map(<[u8]>::to_vec);
            Some((Asked::Server(request.handle()), state, answer.decode::<Value>().unwrap()))
        }
        _ => None,
    });
    assert_eq!((state.as_deref(), answer), (Some(&b"state"[..]), result(row)));
    pair.respond(again, &result(pending.row));
    pair.flow();
    assert_has(&pair.outcome(sender.peer(), pending.call).unwrap(), &result(pending.row));
}

/// The same of a client that did not declare it: the call fails, and its application is not asked.
pub fn ask_undeclared(pair: &mut Pair, row: &'static MethodRow, sender: Side) {
    let pending = question_first(pair, row);
    assert_eq!(pair.outcome(sender.peer(), pending.call), Err("call.rpc"));
    assert!(!pair.events(sender.peer()).iter().any(|event| matches!(event, Event::Input(_))));
    pair.event(sender, |event| matches!(event, Event::Over { reason: OverReason::Input, .. }).then_some(()));
}

/// What the application said is there, whatever the engine added.
fn assert_has(answered: &Value, result: &Value) {
    for (key, value) in result.as_object().unwrap() {
        assert_eq!(answered[key], *value, "{answered}");
    }
}

/// A call that the application of the other side has not answered.
struct Pending {
    call: CallHandle,
    row: &'static MethodRow,
    asked: Asked,
}

/// What a side asks the other's application: a client calls a tool, a server asks the model.
fn something(by: Side, revision: Revision) -> &'static MethodRow {
    let handling = if by == Side::Client { Handling::CallTool } else { Handling::Sample };
    named(handling, by, revision)
}

fn call_something(pair: &mut Pair, by: Side, options: CallOptions<'_>) -> Pending {
    let row = something(by, pair.revision);
    let call = pair.call_with(by, row.name, &params(row), options).unwrap();
    pair.flow();
    Pending { call, row, asked: asked(pair, by.peer(), row) }
}

/// A client subscribes to everything.
fn listen(pair: &mut Pair) -> CallHandle {
    let row = named(Handling::Listen, Side::Client, pair.revision);
    let call = pair.call(Side::Client, row.name, &params(row)).unwrap();
    pair.flow();
    call
}

/// A call that runs as a task of the other side.
struct Task {
    id: String,
    pending: Pending,
}

fn start_task(pair: &mut Pair, by: Side) -> Task {
    let options = CallOptions::new().task(Some(TaskOptions::new().wait(false)));
    let pending = call_something(pair, by, options);
    let created = pair.outcome(by, pending.call).unwrap();
    let id = created["task"]["taskId"].as_str().expect("the id of a task").to_owned();
    pair.forget();
    Task { id, pending }
}

/// Asks about a task, and sees the engine of the other side answer.
fn about_task(pair: &mut Pair, row: &'static MethodRow, sender: Side, task: &Task) -> Value {
    let params = if row.name_field.is_some() { json!({"taskId": task.id}) } else { json!({}) };
    let call = pair.call(sender, row.name, &params).unwrap();
    pair.flow();
    let answered = pair.exchange(sender, row);
    assert_eq!(pair.outcome(sender, call), Ok(answered.clone()));
    answered
}

fn cancel(pair: &mut Pair, row: &'static MethodRow, sender: Side) {
    if sender == Side::Server && !pair.revision.features().server_requests {
        // It takes back nothing but subscriptions.
        let listening = listen(pair);
        pair.server.close(pair.now, Duration::from_secs(1));
        pair.flow();
        pair.said(sender, row);
        assert!(pair.outcome(Side::Client, listening).is_ok());
        return;
    }
    let pending = call_something(pair, sender, CallOptions::new());
    match sender {
        Side::Client => pair.client.cancel(pair.now, pending.call, Some("enough")).unwrap(),
        Side::Server => pair.server.cancel(pair.now, pending.call, Some("enough")).unwrap(),
    }
    pair.flow();
    is_over(pair, sender.peer(), pending.asked);
    let id = pair.said(sender, pending.row)["id"].clone();
    let said = pair.said(sender, row);
    assert_eq!((&said["params"]["requestId"], &said["params"]["reason"]), (&id, &json!("enough")));
    assert_eq!(pair.outcome(sender, pending.call), Err("call.cancelled"));
}

fn progress(pair: &mut Pair, row: &'static MethodRow, sender: Side) {
    let caller = sender.peer();
    let pending = call_something(pair, caller, CallOptions::new().progress(true));
    let sent = match pending.asked {
        Asked::Server(request) => pair.server.progress(pair.now, request, 1.0, Some(2.0), None),
        Asked::Client(input) => pair.client.progress(pair.now, input, 1.0, Some(2.0), None),
    };
    assert_eq!(sent, Ok(true));
    pair.flow();
    pair.said(sender, row);
    let seen: Value = pair.event(caller, |event| match event {
        Event::Progress { call, params } if *call == pending.call => Some(params.decode().unwrap()),
        _ => None,
    });
    assert_eq!((&seen["progress"], &seen["total"]), (&json!(1), &json!(2)));
}

/// Where a log notice goes: in the course of a request where those carry the level, else to the session.
fn log_target(pair: &mut Pair) -> Target {
    match pair.revision.era() {
        Era::Legacy => Target::Channel,
        Era::Modern => {
            let options = CallOptions::new().log_level(Some(LogLevel::Debug));
            match call_something(pair, Side::Client, options).asked {
                Asked::Server(request) => Target::Request(request),
                Asked::Client(_) => panic!("a client asked a client"),
            }
        }
    }
}

fn log(pair: &mut Pair, row: &'static MethodRow, sender: Side) {
    let target = log_target(pair);
    assert_eq!(pair.server.log(pair.now, target, LogLevel::Error, None, raw("1")), Ok(true));
    pair.flow();
    pair.said(sender, row);
    let seen = notice(pair, row, sender);
    assert_eq!((&seen["level"], &seen["data"]), (&json!("error"), &json!(1)));
}

/// A client asks to be told of everything, as far as the server offers it.
fn follow(pair: &mut Pair) {
    if pair.revision.features().listen {
        listen(pair);
        return;
    }
    let row = named(Handling::Subscribe, Side::Client, pair.revision);
    // Refused where the capability is not declared.
    let _ = pair.call(Side::Client, row.name, &params(row));
    pair.flow();
}

fn change(pair: &mut Pair, row: &'static MethodRow, sender: Side, change: Change<'_>) {
    follow(pair);
    pair.server.publish(pair.now, change);
    pair.flow();
    pair.said(sender, row);
    let seen = notice(pair, row, sender);
    for field in row.required {
        assert_eq!(seen[field], sample(field));
    }
}

/// Tries to send a notice whose capability this side did not declare; the code of the refusal, or of silence.
pub fn send_undeclared(pair: &mut Pair, row: &'static MethodRow, sender: Side) -> &'static str {
    let published = match row.handling {
        Handling::ToolsChanged => Change::Tools,
        Handling::PromptsChanged => Change::Prompts,
        Handling::ResourcesChanged => Change::Resources,
        Handling::ResourceUpdated => Change::Resource { uri: "test://a", concerns: None },
        Handling::Log => {
            let target = log_target(pair);
            let sent = pair.server.log(pair.now, target, LogLevel::Error, None, raw("1"));
            return sent.map_or_else(|error| error.code(), |_| "sent");
        }
        Handling::TaskStatus => {
            // It is about a task, which the other side can't have started.
            let of = something(sender.peer(), pair.revision);
            let options = CallOptions::new().task(Some(TaskOptions::new()));
            let sent = pair.call_with(sender.peer(), of.name, &params(of), options);
            return sent.map_or_else(|error| error.code(), |_| "sent");
        }
        _ => {
            let sent = pair.notify(sender, row.name, &params(row));
            return sent.map_or_else(|error| error.code(), |()| "sent");
        }
    };
    follow(pair);
    pair.forget();
    pair.server.publish(pair.now, published);
    pair.flow();
    if pair.is_silent() { "send.missing_capability" } else { "sent" }
}
