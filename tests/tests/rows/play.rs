//! How each row is played, by what the engine does with it.
use std::time::Duration;

use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle,
    event::{Event, Outcome, OverReason, Target},
    method::{self, Handling, MethodKind, MethodRow, Side},
    revision::{Era, Revision},
    session::{CallOptions, Change, LogLevel},
};
use serde_json::{Value, json};

use super::pair::{Pair, raw};

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
    row.required.iter().map(|field| ((*field).to_owned(), sample(field))).collect()
}

/// A result of the application.
fn result(row: &MethodRow) -> Value {
    match row.handling {
        Handling::CallTool => json!({"content": []}),
        Handling::ReadResource => json!({"contents": [{"uri": "test://a", "text": "a"}]}),
        Handling::GetPrompt => json!({"messages": []}),
        Handling::Complete => json!({"completion": {"values": ["a"]}}),
        Handling::Input | Handling::Deliver => json!({"any": "thing"}),
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
        _ if row.embedded.contains(revision) => panic!("questions in results"),
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
        | Handling::Input => ask_application(&mut pair, row, sender),
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

/// The request that arrived at the application of a server.
fn request(pair: &mut Pair, row: &MethodRow) -> RequestHandle {
    let revision = pair.revision;
    pair.event(Side::Server, |event| match event {
        Event::Request(request) if request.method().name() == row.name => {
            assert_eq!(request.revision(), revision);
            Some(request.handle())
        }
        _ => None,
    })
}

/// The question that arrived at the application of a client.
fn question(pair: &mut Pair, row: &MethodRow) -> InputHandle {
    pair.event(Side::Client, |event| match event {
        Event::Input(input) if input.method == row.name => Some(input.input),
        _ => None,
    })
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
    match sender {
        Side::Client => {
            let request = request(pair, row);
            pair.respond(request, &result(row));
        }
        Side::Server => {
            let input = question(pair, row);
            let result = result(row).to_string();
            let outcome = Outcome::Result { result: raw(&result), cache: None };
            pair.client.answer(pair.now, input, outcome).unwrap();
        }
    }
    pair.flow();
    let answered = pair.exchange(sender, row);
    assert_eq!(pair.outcome(sender, call), Ok(answered.clone()));
    for (key, value) in result(row).as_object().unwrap() {
        assert_eq!(answered[key], *value);
    }
}

/// A call that the application of the other side has not answered: by a client of a tool, by a server a question.
fn call_something(pair: &mut Pair, by: Side, options: CallOptions<'_>) -> (CallHandle, &'static MethodRow) {
    let handling = if by == Side::Client { Handling::CallTool } else { Handling::Input };
    let row = named(handling, by, pair.revision);
    let call = pair.call_with(by, row.name, &params(row), options).unwrap();
    pair.flow();
    (call, row)
}

/// A client subscribes to everything.
fn listen(pair: &mut Pair) -> CallHandle {
    let row = named(Handling::Listen, Side::Client, pair.revision);
    let call = pair.call(Side::Client, row.name, &params(row)).unwrap();
    pair.flow();
    call
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
    let (call, of) = call_something(pair, sender, CallOptions::new());
    match sender {
        Side::Client => {
            let handle = request(pair, of);
            pair.client.cancel(pair.now, call, Some("enough")).unwrap();
            pair.flow();
            let reason = pair.event(Side::Server, |event| match event {
                Event::Over { request, reason } if *request == handle => Some(*reason),
                _ => None,
            });
            assert_eq!(reason, OverReason::Cancelled);
        }
        Side::Server => {
            let handle = question(pair, of);
            pair.server.cancel(pair.now, call, Some("enough")).unwrap();
            pair.flow();
            pair.event(Side::Client, |event| match event {
                Event::InputOver { input } if *input == handle => Some(()),
                _ => None,
            });
        }
    }
    let id = pair.said(sender, of)["id"].clone();
    let said = pair.said(sender, row);
    assert_eq!((&said["params"]["requestId"], &said["params"]["reason"]), (&id, &json!("enough")));
    assert_eq!(pair.outcome(sender, call), Err("call.cancelled"));
}

fn progress(pair: &mut Pair, row: &'static MethodRow, sender: Side) {
    let caller = sender.peer();
    let (wanted, of) = call_something(pair, caller, CallOptions::new().progress(true));
    let now = pair.now;
    let sent = match sender {
        Side::Server => {
            let handle = request(pair, of);
            pair.server.progress(now, handle, 1.0, Some(2.0), None)
        }
        Side::Client => {
            let handle = question(pair, of);
            pair.client.progress(now, handle, 1.0, Some(2.0), None)
        }
    };
    assert_eq!(sent, Ok(true));
    pair.flow();
    pair.said(sender, row);
    let seen: Value = pair.event(caller, |event| match event {
        Event::Progress { call, params } if *call == wanted => Some(params.decode().unwrap()),
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
            let (_, of) = call_something(pair, Side::Client, options);
            Target::Request(request(pair, of))
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
