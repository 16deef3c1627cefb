//! One handler for both eras: a request is answered with questions, and comes again with the answers. One test for each
//! row of the table that says how the legacy era lowers it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{sync::Arc, time::Duration};

use common::*;
use mcp_sansio::{
    RequestHandle, Seed,
    error::{CallError, SendError},
    event::{Event, Outcome, OverReason, Question, Request, Target},
    session::{CallOptions, Server, ServerConfig},
    time::{Instant, WallClock},
};
use serde_json::{Value, json};

const ALL: &str = r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#;

/// A result that fits every method here.
const FITTING: &str = r#"{"content":[],"messages":[],"contents":[],"tools":[],"completion":{"values":[]}}"#;

fn all() -> Value {
    serde_json::from_str(ALL).unwrap()
}

fn form() -> Value {
    json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}})
}

fn sample() -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": "q"}}], "maxTokens": 10})
}

fn accept() -> Value {
    json!({"action": "accept", "content": {"name": "Ada"}})
}

type Asked<'a> = (&'a str, &'a str, Option<Value>);

fn ask(
    host: &mut Host<Server>,
    request: RequestHandle,
    questions: &[Asked<'_>],
    state: Option<&[u8]>,
) -> Result<(), SendError> {
    let texts: Vec<Option<String>> =
        questions.iter().map(|(_, _, params)| params.as_ref().map(Value::to_string)).collect();
    let questions: Vec<Question<'_>> = questions
        .iter()
        .zip(&texts)
        .map(|((key, method, _), text)| Question { key, method, params: text.as_deref().map(json) })
        .collect();
    host.machine.respond(host.now, request, Outcome::InputRequired { questions: &questions, state })
}

fn elicit(host: &mut Host<Server>, request: RequestHandle, state: Option<&[u8]>) {
    ask(host, request, &[("who", "elicitation/create", Some(form()))], state).unwrap();
}

/// A modern request of a client with these capabilities.
fn modern_with(id: impl Into<Value>, method: &str, mut params: Value, capabilities: &Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": capabilities});
    modern(id, method, params)
}

fn modern_call(id: impl Into<Value>, more: &Value) -> Value {
    let mut params = json!({"name": "echo", "arguments": {"k": 1}});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    modern_with(id, "tools/call", params, &all())
}

/// Round, answers, keys that failed, state.
type Seen = (u8, Vec<(String, Value)>, Vec<String>, Option<Vec<u8>>);

/// What a handler sees of the answers.
fn seen(request: &Request) -> Seen {
    let input = request.input().unwrap();
    (
        request.round(),
        input.answers.iter().map(|(key, answer)| (key.to_string(), answer.decode().unwrap())).collect(),
        input.failed.iter().map(|(key, _)| key.to_string()).collect(),
        input.state.as_ref().map(|state| state.to_vec()),
    )
}

fn legacy() -> Host<Server> {
    session(server_config(), NEWEST, &all())
}

/// A legacy request that has asked, and the question.
fn asking(host: &mut Host<Server>) -> (RequestHandle, Value) {
    host.tell(&call(1, "echo"));
    let first = host.request().handle();
    elicit(host, first, Some(b"s"));
    (first, host.one())
}

/// Row 1: the handle is over; the wire request stays in flight, or is answered with the questions and the state. R-MRT-001,
/// R-MRT-002, R-MRT-005, R-MRT-006: `basic/patterns/mrtr`. R-MRT-027.
#[test]
fn a_request_is_answered_with_questions() {
    let mut host = legacy();
    let (first, question) = asking(&mut host);
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"], form());
    assert!(question["id"].is_number());
    assert_eq!(host.machine.respond(host.now, first, result("{}")), Err(SendError::Over));
    host.silent();

    host.tell(&modern_call(2, &json!({})));
    let first = host.request().handle();
    let questions: [Asked<'_>; 3] = [
        ("who", "elicitation/create", Some(form())),
        ("what", "sampling/createMessage", Some(sample())),
        ("where", "roots/list", None),
    ];
    ask(&mut host, first, &questions, Some(b"s")).unwrap();
    let answer = host.one();
    assert_eq!(answer["id"], 2);
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required");
    assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    assert!(result.get("ttlMs").is_none());
    assert_eq!(
        result["inputRequests"],
        json!({
            "who": {"method": "elicitation/create", "params": form()},
            "what": {"method": "sampling/createMessage", "params": sample()},
            "where": {"method": "roots/list"},
        })
    );
    assert!(result["requestState"].is_string());
    assert_eq!(host.machine.respond(host.now, first, common::result("{}")), Err(SendError::Over));
    assert!(host.events().is_empty(), "the handle is over, and nothing is said of it");
}

/// Row 2, legacy: with all answers the same request comes again under a new handle; its answer has the first id.
/// R-MRT-027.
#[test]
fn a_legacy_request_comes_again_with_the_answers() {
    let mut host = legacy();
    host.tell(&json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call",
        "params": {"name": "echo", "arguments": {"k": 1.50}, "_meta": {"progressToken": "p"}}}));
    let first = host.request();
    assert!(host.machine.progress(host.now, first.handle(), 1.0, None, None).unwrap());
    host.one();
    let questions: [Asked<'_>; 2] = [("b", "elicitation/create", Some(form())), ("a", "roots/list", None)];
    ask(&mut host, first.handle(), &questions, Some(b"\x00\xffs")).unwrap();
    let asked = host.sent();
    assert_eq!(asked.len(), 2);
    assert_eq!(host.machine.progress(host.now, first.handle(), 2.0, None, None), Err(SendError::Over));
    // In any order; they come in the order of the questions.
    let roots = json!({"roots": [{"uri": "file:///a"}]});
    host.tell(&answer(&asked[1], &roots));
    assert!(host.events().is_empty());
    host.tell(&answer(&asked[0], &accept()));
    let again = host.request();
    assert_ne!(again.handle(), first.handle());
    assert_eq!(
        seen(&again),
        (1, vec![("b".into(), accept()), ("a".into(), roots)], vec![], Some(b"\x00\xffs".to_vec()))
    );
    assert_eq!(again.input().unwrap().previous, Some(first.handle()));
    assert_eq!(again.input().unwrap().nonce, None);
    assert_eq!(again.name().unwrap(), "echo");
    assert_eq!(again.arguments().unwrap().as_str(), r#"{"k":1.5}"#);
    assert!(!again.unchecked(), "its arguments were checked before");
    assert!(!host.machine.progress(host.now, again.handle(), 1.0, None, None).unwrap(), "progress rises");
    assert!(host.machine.progress(host.now, again.handle(), 2.0, None, None).unwrap());
    assert_eq!(host.one()["params"]["progressToken"], "p");
    host.respond(again.handle(), r#"{"content":[]}"#);
    assert_eq!(host.one(), json!({"jsonrpc": "2.0", "id": "x", "result": {"content": []}}));
    assert_eq!(host.machine.stat("requests_now"), 0);
}

/// Row 2, modern: the client's retry is a request of its own. R-MRT-014, R-STA-005.
#[test]
fn a_modern_retry_brings_the_answers_and_the_state() {
    let mut host = serve(server_config());
    host.tell(&modern_call(1, &json!({})));
    let first = host.request();
    assert_eq!((first.round(), first.input().is_none()), (0, true));
    let questions: [Asked<'_>; 2] = [("b", "elicitation/create", Some(form())), ("a", "roots/list", None)];
    ask(&mut host, first.handle(), &questions, Some(b"\x00\xffs")).unwrap();
    let state = host.one()["result"]["requestState"].clone();
    let roots = json!({"roots": []});
    let responses = json!({"a": roots, "b": accept(), "c": {"not": "asked"}});
    let retry = modern_call(2, &json!({"inputResponses": responses, "requestState": state}));
    host.tell(&retry);
    let again = host.request();
    let answers = vec![("b".into(), accept()), ("a".into(), roots)];
    assert_eq!(seen(&again), (1, answers, vec![], Some(b"\x00\xffs".to_vec())));
    assert_eq!(again.input().unwrap().previous, None);
    let nonce = again.input().unwrap().nonce.unwrap();
    host.respond(again.handle(), r#"{"content":[]}"#);
    assert_eq!(host.one()["id"], 2);
    // It is good again until it expires; the nonce tells.
    let mut replay = retry;
    replay["id"] = json!(3);
    host.tell(&replay);
    assert_eq!(host.request().input().unwrap().nonce, Some(nonce));
}

/// Row 3, legacy: an error or silence fails its key, and the others are waited for. R-MRT-027.
#[test]
fn a_question_may_fail() {
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let first = host.request().handle();
    let questions: [Asked<'_>; 4] = [
        ("error", "sampling/createMessage", Some(sample())),
        ("silence", "elicitation/create", Some(form())),
        ("unfit", "elicitation/create", Some(form())),
        ("fine", "roots/list", None),
    ];
    ask(&mut host, first, &questions, None).unwrap();
    let asked = host.sent();
    host.tell(&failure(&asked[0], -1));
    host.tell(&answer(&asked[2], &json!({"action": "maybe"})));
    host.tell(&answer(&asked[3], &json!({"roots": []})));
    host.wait(seconds(599));
    assert!(host.events().is_empty());
    host.wait(seconds(1));
    assert_eq!(
        host.one(),
        notice("notifications/cancelled", json!({"requestId": asked[1]["id"], "reason": "timeout"}))
    );
    let again = host.request();
    let (round, answers, failed, state) = seen(&again);
    assert_eq!((round, answers, state), (1, vec![("fine".into(), json!({"roots": []}))], None));
    assert_eq!(failed, ["error", "silence", "unfit"]);
    let errors: Vec<_> = again.input().unwrap().failed.iter().map(|(_, error)| error.code()).collect();
    assert_eq!(errors, ["call.rpc", "call.timeout", "call.invalid_result"]);
    assert!(matches!(&again.input().unwrap().failed[0].1, CallError::Rpc(error) if error.code == -1));
    host.tell(&answer(&asked[1], &accept()));
    assert_eq!(host.machine.stat("late"), 1);
}

/// Row 3, modern: what the client leaves out is missing, and the handler asks again. R-MRT-026.
#[test]
fn a_missing_answer_is_asked_for_again() {
    let mut host = serve(server_config());
    host.tell(&modern_call(1, &json!({})));
    let first = host.request().handle();
    elicit(&mut host, first, None);
    let state = host.one()["result"]["requestState"].clone();
    for (id, more) in [
        (2, json!({"requestState": state, "inputResponses": {"other": {}}})),
        (3, json!({"requestState": state})),
    ] {
        host.tell(&modern_call(id, &more));
        let again = host.request();
        assert_eq!(seen(&again), (1, vec![], vec![], None));
        elicit(&mut host, again.handle(), None);
        assert_eq!(host.one()["result"]["resultType"], "input_required");
    }
}

/// Answers without any state are the handler's to judge: nobody knows what was asked. R-MRT-025.
#[test]
fn answers_without_state_are_delivered_as_they_are() {
    let mut host = serve(server_config());
    host.tell(&modern_call(1, &json!({"inputResponses": {"who": accept(), "x": {}}})));
    let request = host.request();
    assert_eq!(seen(&request), (0, vec![("who".into(), accept()), ("x".into(), json!({}))], vec![], None));
    assert_eq!(request.input().unwrap().nonce, None);
}

/// `basic/patterns/mrtr`, error handling: what is no answer is refused. R-MRT-023, R-MRT-024.
#[test]
fn malformed_answers_are_refused() {
    let mut host = serve(server_config());
    host.tell(&modern_call(1, &json!({})));
    let first = host.request().handle();
    let questions: [Asked<'_>; 3] = [
        ("who", "elicitation/create", Some(form())),
        ("what", "sampling/createMessage", Some(sample())),
        ("where", "roots/list", None),
    ];
    ask(&mut host, first, &questions, None).unwrap();
    let state = host.one()["result"]["requestState"].clone();
    for wrong in [
        json!({"inputResponses": null}),
        json!({"inputResponses": []}),
        json!({"inputResponses": {"who": 12345}}),
        json!({"inputResponses": {"who": {"action": "maybe"}}, "requestState": state}),
        json!({"inputResponses": {"who": {"action": "accept", "content": 1}}, "requestState": state}),
        json!({"inputResponses": {"what": {"role": "assistant", "model": "m"}}, "requestState": state}),
        json!({"inputResponses": {"where": {"roots": {}}}, "requestState": state}),
        json!({"inputResponses": {}, "requestState": 5}),
        json!({"inputResponses": {}, "requestState": null}),
        json!({"inputResponses": {}, "requestState": ""}),
    ] {
        let answer = host.ask(&modern_call(2, &wrong));
        assert_eq!(answer["error"]["code"], -32602, "{wrong}");
        assert_eq!(answer["id"], 2);
    }
    host.events();
    // A page that knows nothing of input takes the members as any other.
    let mut host = legacy();
    host.tell(&request(1, "tools/call", json!({"name": "echo", "inputResponses": 1, "requestState": 2})));
    assert!(host.request().input().is_none());
}

/// Row 4: nothing is asked of a client that lacks a capability for any question. R-MRT-007, R-ELI-006, R-SAM-003,
/// R-ROO-010, R-CAP-010, R-CAP-012: `basic/patterns/mrtr`, `client/elicitation`, `client/sampling`. Questions carry no hints
/// for caches: R-CCH-003, `server/utilities/caching`.
#[test]
fn a_capability_that_is_missing() {
    let url = json!({"mode": "url", "message": "m", "url": "https://a.test/x", "elicitationId": "e"});
    let with = |mut params: Value, key: &str, value: Value| {
        params[key] = value;
        Some(params)
    };
    let elicitation = "elicitation/create";
    let sampling = "sampling/createMessage";
    let cases: Vec<(Value, Asked<'_>, Option<Value>)> = vec![
        (json!({}), ("q", elicitation, Some(form())), Some(json!({"elicitation": {"form": {}}}))),
        (json!({"elicitation": {}}), ("q", elicitation, Some(form())), None),
        (json!({"elicitation": {"form": {}}}), ("q", elicitation, with(form(), "mode", json!("form"))), None),
        (
            json!({"elicitation": {"url": {}}}),
            ("q", elicitation, Some(form())),
            Some(json!({"elicitation": {"form": {}}})),
        ),
        (
            json!({"elicitation": {}}),
            ("q", elicitation, Some(url.clone())),
            Some(json!({"elicitation": {"url": {}}})),
        ),
        (json!({"elicitation": {"url": {}}}), ("q", elicitation, Some(url.clone())), None),
        (json!({}), ("q", sampling, Some(sample())), Some(json!({"sampling": {}}))),
        (json!({"sampling": {}}), ("q", sampling, Some(sample())), None),
        (
            json!({"sampling": {}}),
            ("q", sampling, with(sample(), "tools", json!([]))),
            Some(json!({"sampling": {"tools": {}}})),
        ),
        (
            json!({"sampling": {}}),
            ("q", sampling, with(sample(), "toolChoice", json!({}))),
            Some(json!({"sampling": {"tools": {}}})),
        ),
        (json!({"sampling": {"tools": {}}}), ("q", sampling, with(sample(), "tools", json!([]))), None),
        (json!({"sampling": {}}), ("q", sampling, with(sample(), "includeContext", json!("none"))), None),
        (
            json!({"sampling": {}}),
            ("q", sampling, with(sample(), "includeContext", json!("thisServer"))),
            Some(json!({"sampling": {"context": {}}})),
        ),
        (json!({}), ("q", "roots/list", None), Some(json!({"roots": {}}))),
        (json!({"roots": {}}), ("q", "roots/list", None), None),
    ];
    let offers = br#"{"tools":{},"prompts":{},"resources":{}}"#;
    for (declared, question, missing) in cases {
        for (method, params) in [
            ("tools/call", json!({"name": "echo"})),
            ("prompts/get", json!({"name": "p"})),
            ("resources/read", json!({"uri": "test://r"})),
        ] {
            let what = format!("{method} {declared} {question:?}");
            let config = server_config().capabilities(offers).unwrap();
            let mut host = session(config, NEWEST, &declared);
            host.tell(&modern_with(1, method, params.clone(), &declared));
            let modern_request = host.request().handle();
            ask(&mut host, modern_request, std::slice::from_ref(&question), None).unwrap();
            let answer = host.one();
            match &missing {
                None => {
                    assert_eq!(answer["result"]["inputRequests"]["q"]["method"], question.1, "{what}");
                    let hints = ["ttlMs", "cacheScope"].map(|hint| answer["result"].get(hint));
                    assert_eq!(hints, [None, None], "{what}");
                }
                Some(missing) => {
                    assert_eq!(answer["error"]["code"], -32021, "{what}");
                    assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": missing}), "{what}");
                    assert_eq!(over(&host.event()), Some((modern_request, OverReason::Input)));
                }
            }

            host.tell(&request(2, method, params));
            let legacy_request = host.request().handle();
            ask(&mut host, legacy_request, std::slice::from_ref(&question), None).unwrap();
            let answer = host.one();
            match &missing {
                None => assert_eq!(answer["method"], question.1, "{what}"),
                Some(_) if method == "tools/call" => {
                    assert_eq!(answer["result"]["isError"], true, "{what}");
                    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
                    assert!(text.contains(question.1.split(['/', '.']).next().unwrap()), "{text}");
                }
                Some(missing) => {
                    assert_eq!(answer["error"]["code"], -32602, "{what}");
                    assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": missing}), "{what}");
                }
            }
            if missing.is_some() {
                assert_eq!(over(&host.event()), Some((legacy_request, OverReason::Input)));
            }
        }
    }
    // One that is missing is enough.
    let mut host = session(server_config(), NEWEST, &json!({"roots": {}}));
    host.tell(&call(1, "echo"));
    let first = host.request().handle();
    let questions: [Asked<'_>; 2] = [("a", "roots/list", None), ("b", sampling, Some(sample()))];
    ask(&mut host, first, &questions, None).unwrap();
    assert_eq!(host.one()["result"]["isError"], true);
}

/// What a revision lacks its clients lack: questions, modes, tools for the model. R-ELI-006, R-SAM-003.
#[test]
fn what_the_revision_lacks_is_missing() {
    let url = json!({"mode": "url", "message": "m", "url": "https://a.test/x"});
    let mut tools = sample();
    tools["tools"] = json!([]);
    let mut several = form();
    several["requestedSchema"]["properties"]["name"] =
        json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}});
    for (revision, method, params, asked) in [
        ("2024-11-05", "elicitation/create", form(), false),
        ("2025-03-26", "elicitation/create", form(), false),
        ("2025-06-18", "elicitation/create", form(), true),
        ("2025-06-18", "elicitation/create", url.clone(), false),
        ("2025-11-25", "elicitation/create", url, true),
        ("2025-06-18", "sampling/createMessage", tools.clone(), false),
        ("2025-11-25", "sampling/createMessage", tools, true),
        ("2025-06-18", "elicitation/create", several.clone(), false),
        ("2025-11-25", "elicitation/create", several, true),
    ] {
        let mut host = session(server_config(), revision, &all());
        host.tell(&call(1, "echo"));
        let first = host.request().handle();
        ask(&mut host, first, &[("q", method, Some(params.clone()))], None).unwrap();
        let sent = host.one();
        assert_eq!(sent["method"] == method, asked, "{revision} {sent}");
        assert_eq!(sent["result"]["isError"] == true, !asked, "{revision} {sent}");
    }
}

/// A question is said as the revision can. R-ELI-011.
#[test]
fn a_question_is_said_as_the_revision_can() {
    let mut new = form();
    new["mode"] = json!("form");
    new["requestedSchema"]["properties"]["name"] = json!({"type": "string", "default": "x"});
    for (revision, said) in [("2025-06-18", form()), ("2025-11-25", new.clone())] {
        let mut host = session(server_config(), revision, &all());
        host.tell(&call(1, "echo"));
        let first = host.request().handle();
        ask(&mut host, first, &[("q", "elicitation/create", Some(new.clone()))], None).unwrap();
        assert_eq!(host.one()["params"], said, "{revision}");
        let text = new.to_string();
        let params = Some(json(&text));
        let target = Target::Channel;
        host.machine.call(host.now, target, "elicitation/create", params, CallOptions::new()).unwrap();
        assert_eq!(host.one()["params"], said, "{revision}");
    }
}

/// Row 5: a cancelled request takes its questions back, and says so of the handle that asked.
/// `basic/utilities/cancellation`.
#[test]
fn a_cancelled_request_takes_its_questions_back() {
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let first = host.request().handle();
    let questions: [Asked<'_>; 2] = [("a", "roots/list", None), ("b", "elicitation/create", Some(form()))];
    ask(&mut host, first, &questions, None).unwrap();
    let asked = host.sent();
    host.tell(&answer(&asked[0], &json!({"roots": []})));
    host.tell(&cancelled(1));
    assert_eq!(host.one(), cancelled(asked[1]["id"].clone()), "only what is open is taken back");
    assert_eq!(over(&host.event()), Some((first, OverReason::Cancelled)));
    host.tell(&answer(&asked[1], &accept()));
    host.silent();
    assert!(host.events().is_empty());
    assert_eq!(host.machine.stat("late"), 1);
    assert_eq!(host.machine.next_timeout(), None);
}

/// Row 6: the end of the channel, and the end of input, after which the client still reads.
#[test]
fn the_end_ends_what_was_asked() {
    let mut host = legacy();
    let (first, _) = asking(&mut host);
    host.close_channel();
    host.silent();
    let events = host.events();
    assert_eq!(over(&events[0]), Some((first, OverReason::Closed)));
    assert!(matches!(events[1], Event::Closed(_)) && events.len() == 2);

    let mut host = legacy();
    let (first, _) = asking(&mut host);
    host.eof();
    let answer = host.one();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32603)));
    assert_eq!(over(&host.events()[0]), Some((first, OverReason::Closed)));

    // Nor is anything asked after it.
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let first = host.request().handle();
    host.eof();
    elicit(&mut host, first, None);
    assert_eq!(host.one()["error"]["code"], -32603);
    assert_eq!(over(&host.events()[0]), Some((first, OverReason::Closed)));
}

/// Row 7: state alone comes back after a while, each time a longer one, never in the same drain; the modern client sees it
/// as it is. R-MRT-002.
#[test]
fn state_alone_comes_back_after_a_while() {
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let mut handle = host.request().handle();
    for (round, wait) in [(1, 100), (2, 200), (3, 400)] {
        ask(&mut host, handle, &[], Some(&[round])).unwrap();
        host.wait(Duration::from_millis(wait - 1));
        host.silent();
        assert!(host.events().is_empty());
        host.wait(Duration::from_millis(1));
        let again = host.request();
        assert_eq!(seen(&again), (round, vec![], vec![], Some(vec![round])));
        handle = again.handle();
    }

    host.tell(&modern_call(2, &json!({})));
    let handle = host.request().handle();
    ask(&mut host, handle, &[], Some(b"")).unwrap();
    let answer = host.one();
    assert!(answer["result"].get("inputRequests").is_none());
    let state = answer["result"]["requestState"].clone();
    host.tell(&modern_call(3, &json!({"requestState": state})));
    assert_eq!(seen(&host.request()), (1, vec![], vec![], Some(vec![])));
}

/// Row 8: rounds are bounded, in the modern era by the count in the state; a loop of tool uses is rounds too. R-SAM-009.
#[test]
fn rounds_are_bounded() {
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let mut request = host.request();
    for round in 0..8 {
        assert_eq!(request.round(), round);
        elicit(&mut host, request.handle(), None);
        let question = host.one();
        host.tell(&answer(&question, &accept()));
        request = host.request();
    }
    elicit(&mut host, request.handle(), None);
    assert_eq!(host.one()["error"]["code"], -32603);
    assert_eq!(over(&host.event()), Some((request.handle(), OverReason::Input)));

    let tools = json!({"sampling": {"tools": {}}});
    let mut turn = sample();
    turn["tools"] = json!([{"name": "t", "inputSchema": {"type": "object"}}]);
    let turn = ("q", "sampling/createMessage", Some(turn));
    let mut host = session(server_config(), NEWEST, &tools);
    host.tell(&call(1, "echo"));
    let mut request = host.request();
    for _ in 0..8 {
        ask(&mut host, request.handle(), std::slice::from_ref(&turn), None).unwrap();
        let question = host.one();
        let used = json!({"type": "tool_use", "id": "u", "name": "t", "input": {}});
        host.tell(&answer(&question, &json!({"role": "assistant", "model": "m", "content": [used]})));
        request = host.request();
    }
    ask(&mut host, request.handle(), std::slice::from_ref(&turn), None).unwrap();
    assert_eq!(host.one()["error"]["code"], -32603);

    let mut host = legacy();
    host.tell(&modern_call(1, &json!({})));
    let mut request = host.request();
    for round in 0..8 {
        assert_eq!(request.round(), round);
        elicit(&mut host, request.handle(), None);
        let state = host.one()["result"]["requestState"].clone();
        host.tell(&modern_call(round, &json!({"requestState": state})));
        request = host.request();
    }
    elicit(&mut host, request.handle(), None);
    assert_eq!(host.one()["error"]["code"], -32603);
    assert_eq!(over(&host.event()), Some((request.handle(), OverReason::Input)));
}

/// Each round gives another state. R-MRT-013 leaves single use to the service, which can tell the rounds apart.
#[test]
fn each_round_has_a_nonce_of_its_own() {
    let mut host = serve(server_config());
    let mut nonces = Vec::new();
    for id in 0..3 {
        host.tell(&modern_call(id, &json!({})));
        let request = host.request().handle();
        ask(&mut host, request, &[], Some(b"same")).unwrap();
        let state = host.one()["result"]["requestState"].clone();
        host.tell(&modern_call(id + 10, &json!({"requestState": state})));
        nonces.push(host.request().input().unwrap().nonce.unwrap());
    }
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!(nonces.len(), 3);
}

/// What an application may not ask, whatever the era; nothing changes then. R-MRT-002, R-MRT-003, R-MRT-004, R-MRT-005,
/// R-SAM-005, R-SAM-006, R-ELI-007, R-ELI-019.
#[test]
fn what_may_not_be_asked() {
    let tool_use =
        json!({"role": "assistant", "content": {"type": "tool_use", "id": "c", "name": "n", "input": {}}});
    let unanswered = json!({"messages": [tool_use], "maxTokens": 1, "tools": []});
    let elicitation = "elicitation/create";
    let many: Vec<String> = (0..17).map(|key| key.to_string()).collect();
    let many: Vec<Asked<'_>> = many.iter().map(|key| (key.as_str(), "roots/list", None)).collect();
    let wrong: Vec<Vec<Asked<'_>>> = vec![
        vec![],
        vec![("a", "roots/list", None), ("a", "roots/list", None)],
        many,
        vec![("a", "tools/call", Some(json!({"name": "x"})))],
        vec![("a", "no/such", None)],
        vec![("a", "roots/list", Some(json!([])))],
        vec![("a", "roots/list", Some(json!({"_meta": {"progressToken": 1}})))],
        vec![("a", elicitation, None)],
        vec![("a", elicitation, Some(json!({"requestedSchema": {}})))],
        vec![("a", elicitation, Some(json!({"message": "m"})))],
        vec![("a", elicitation, Some(json!({"message": "m", "mode": "fax", "requestedSchema": {}})))],
        vec![("a", elicitation, Some(json!({"message": "m", "mode": "url"})))],
        vec![("a", elicitation, Some(json!({"message": "m", "mode": "url", "url": "javascript:alert(1)"})))],
        vec![("a", "sampling/createMessage", Some(json!({"messages": []})))],
        vec![("a", "sampling/createMessage", Some(unanswered))],
    ];
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let legacy_request = host.request().handle();
    host.tell(&modern_call(2, &json!({})));
    let modern_request = host.request().handle();
    for request in [legacy_request, modern_request] {
        for questions in &wrong {
            let refused = ask(&mut host, request, questions, None);
            assert!(matches!(refused, Err(SendError::Invalid(_))), "{questions:?} {refused:?}");
        }
        let long = vec![0; (64 << 10) + 1];
        assert!(matches!(ask(&mut host, request, &[], Some(&long)), Err(SendError::Invalid(_))));
        host.silent();
        elicit(&mut host, request, Some(&long[1..]));
        host.one();
    }
    // Other methods may not be answered so.
    let config = ServerConfig::new("server", "1").capabilities(br#"{"tools":{},"completions":{}}"#).unwrap();
    let mut host = session(config, NEWEST, &all());
    let reference =
        json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}});
    for message in [
        request(1, "tools/list", json!({})),
        modern_with(2, "tools/list", json!({}), &all()),
        modern_with(3, "completion/complete", reference, &all()),
    ] {
        host.tell(&message);
        let handle = host.request().handle();
        let refused = ask(&mut host, handle, &[("a", "roots/list", None)], None);
        assert!(matches!(refused, Err(SendError::Invalid(_))), "{message}");
        host.respond(handle, FITTING);
        host.one();
    }
}

/// Tool results that are in balance pass: `client/sampling`. R-SAM-005, R-SAM-006.
#[test]
fn balanced_tool_results_pass() {
    let mut host = legacy();
    let uses = |ids: &[&str]| -> Value {
        let uses = ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "n", "input": {}}));
        json!({"role": "assistant", "content": uses.collect::<Vec<_>>()})
    };
    let results = |ids: &[&str]| -> Value {
        let results = ids.iter().map(|id| json!({"type": "tool_result", "toolUseId": id, "content": []}));
        json!({"role": "user", "content": results.collect::<Vec<_>>()})
    };
    let text = json!({"role": "user", "content": {"type": "text", "text": "t"}});
    let mut mixed = results(&["a"]);
    mixed["content"].as_array_mut().unwrap().push(json!({"type": "text", "text": "t"}));
    let mut said = results(&["a"]);
    said["role"] = json!("assistant");
    for (messages, good) in [
        (vec![text.clone(), uses(&["a", "b"]), results(&["b", "a"]), text.clone()], true),
        (vec![uses(&["a"]), results(&["a"]), uses(&["b"]), results(&["b"])], true),
        (vec![uses(&["a", "b"]), results(&["a"])], false),
        (vec![uses(&["a"]), text.clone(), results(&["a"])], false),
        (vec![uses(&["a"]), results(&["a", "b"])], false),
        (vec![results(&["a"])], false),
        (vec![uses(&["a"]), mixed], false),
        (vec![uses(&["a"]), said], false),
        (vec![text, uses(&["a"])], false),
    ] {
        host.tell(&call(1, "echo"));
        let handle = host.request().handle();
        let params = json!({"messages": messages, "maxTokens": 1, "tools": []});
        let asked = ask(&mut host, handle, &[("q", "sampling/createMessage", Some(params))], None);
        assert_eq!(asked.is_ok(), good, "{messages:?}");
        host.tell(&cancelled(1));
        host.sent();
        host.events();
    }
}

/// `client/elicitation` of 2025-11-25: a question with a URL has an id of the engine's, or the application's own; elsewhere
/// there is none. R-ELI-020, R-ELI-022, R-ELI-024.
#[test]
fn a_url_has_an_id_where_the_revision_has_them() {
    let url = |id: Option<&str>| {
        let mut params = json!({"mode": "url", "message": "m", "url": "https://a.test/x"});
        if let Some(id) = id {
            params["elicitationId"] = json!(id);
        }
        Some(params)
    };
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let first = host.request().handle();
    let method = "elicitation/create";
    let questions: [Asked<'_>; 4] = [
        ("a", method, url(None)),
        ("b", method, url(None)),
        ("c", method, url(Some("mine"))),
        ("d", method, Some(form())),
    ];
    ask(&mut host, first, &questions, None).unwrap();
    let asked = host.sent();
    let ids: Vec<&str> =
        asked[..3].iter().map(|question| question["params"]["elicitationId"].as_str().unwrap()).collect();
    assert_ne!(ids[0], ids[1]);
    assert!(ids[0].len() >= 16);
    assert_eq!(ids[2], "mine");
    assert!(asked[3]["params"].get("elicitationId").is_none());
    for question in &asked {
        host.tell(&answer(question, &json!({"action": "accept"})));
    }
    let again = host.request();
    let known: Vec<(&str, &str)> =
        again.input().unwrap().elicitations.iter().map(|(key, id)| (&**key, &**id)).collect();
    assert_eq!(known, [("a", ids[0]), ("b", ids[1]), ("c", "mine")]);
    let done = json!({"elicitationId": ids[0]});
    let complete = "notifications/elicitation/complete";
    let text = done.to_string();
    host.machine.notify(host.now, Target::Request(again.handle()), complete, Some(json(&text))).unwrap();
    assert_eq!(host.one(), notice(complete, done));

    host.tell(&modern_call(2, &json!({})));
    let modern_request = host.request().handle();
    ask(&mut host, modern_request, &questions, None).unwrap();
    let requests = host.one()["result"]["inputRequests"].clone();
    for key in ["a", "b", "c"] {
        assert_eq!(requests[key]["params"], url(None).unwrap());
    }
    host.tell(&modern_call(3, &json!({})));
    let target = Target::Request(host.request().handle());
    assert_eq!(
        host.machine.notify(host.now, target, complete, Some(json(&text))),
        Err(SendError::NotInRevision)
    );
}

/// -32042 names the URLs, in the revision that has it alone, to a client that can go there. R-ELI-028, R-ELI-029.
#[test]
fn the_url_elicitation_error_lists_elicitations() {
    let item = json!({"mode": "url", "message": "m", "url": "https://a.test/x", "elicitationId": "e"});
    let mut form = item.clone();
    form["mode"] = json!("form");
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let handle = host.request().handle();
    for (data, good) in [
        (None, false),
        (Some(json!({"elicitations": []})), false),
        (Some(json!({"elicitations": [item, form]})), false),
        (Some(json!({"elicitations": [item]})), true),
    ] {
        let text = data.as_ref().map(Value::to_string);
        let outcome = Outcome::Error { code: -32042, message: "m", data: text.as_deref().map(json) };
        assert_eq!(host.machine.respond(host.now, handle, outcome).is_ok(), good, "{data:?}");
        if good {
            assert_eq!(host.one()["error"]["data"], data.unwrap());
        }
    }
    let mut forms = session(server_config(), NEWEST, &json!({"elicitation": {}}));
    forms.tell(&call(1, "echo"));
    let handle = forms.request().handle();
    let text = json!({"elicitations": [item]}).to_string();
    let outcome = Outcome::Error { code: -32042, message: "m", data: Some(json(&text)) };
    let refused = forms.machine.respond(forms.now, handle, outcome);
    assert_eq!(refused, Err(SendError::MissingCapability("elicitation.url")));
    forms.respond(handle, FITTING);

    host.tell(&modern_call(2, &json!({})));
    let handle = host.request().handle();
    let data = json!({"elicitations": [item]}).to_string();
    let outcome = Outcome::Error { code: -32042, message: "m", data: Some(json(&data)) };
    assert!(matches!(host.machine.respond(host.now, handle, outcome), Err(SendError::Invalid(_))));
}

/// Before `initialized` the client is asked nothing: the questions wait, bounded, then the capability counts as missing.
/// `basic/lifecycle`.
#[test]
fn questions_wait_for_the_handshake() {
    for completes in [true, false] {
        let mut host = serve(server_config());
        host.ask(&initialize(0, NEWEST, &all()));
        host.events();
        host.tell(&call(1, "echo"));
        let first = host.request().handle();
        elicit(&mut host, first, None);
        host.wait(seconds(29));
        host.silent();
        if completes {
            host.tell(&initialized());
            let question = host.one();
            host.wait(seconds(2));
            host.tell(&answer(&question, &accept()));
            assert_eq!(host.request().round(), 1);
        } else {
            host.wait(seconds(1));
            assert_eq!(host.one()["result"]["isError"], true);
            assert_eq!(over(&host.event()), Some((first, OverReason::Input)));
        }
    }
}

/// While the client is asked, its handler is not late; each delivery has the whole limit.
#[test]
fn the_handler_is_not_late_while_the_client_is_asked() {
    let limits = limits(|limits| limits.handler = Some(seconds(5)));
    let mut host = session(server_config().limits(limits), NEWEST, &all());
    let (_, question) = asking(&mut host);
    host.wait(seconds(60));
    assert!(host.events().is_empty());
    host.tell(&answer(&question, &accept()));
    let again = host.request().handle();
    host.wait(seconds(5));
    assert_eq!(over(&host.event()), Some((again, OverReason::HandlerTimeout)));
    assert_eq!(host.one()["error"]["code"], -32603);
}

/// What a request keeps between two deliveries counts, and is given back.
#[test]
fn what_is_kept_counts() {
    let limits = limits(|limits| limits.session_bytes = 20 << 10);
    let mut host = session(server_config().limits(limits), NEWEST, &all());
    host.tell(&call(1, "echo"));
    let first = host.request().handle();
    elicit(&mut host, first, Some(&vec![0; 19 << 10]));
    let question = host.one();
    let refused =
        host.ask(&request(2, "tools/call", json!({"name": "echo", "arguments": {"x": "y".repeat(2000)}})));
    assert_eq!(refused["error"]["data"]["reason"], "session_bytes");
    let large = json!({"action": "accept", "content": {"name": "n".repeat(2000)}});
    host.tell(&answer(&question, &large));
    let again = host.request();
    assert_eq!(seen(&again).2, ["who"], "an answer that can't be kept fails");
    // Those that are kept count too.
    let questions: [Asked<'_>; 2] =
        [("a", "elicitation/create", Some(form())), ("b", "elicitation/create", Some(form()))];
    ask(&mut host, again.handle(), &questions, Some(&vec![0; 16 << 10])).unwrap();
    let asked = host.sent();
    host.tell(&answer(&asked[0], &large));
    let refused =
        host.ask(&request(2, "tools/call", json!({"name": "echo", "arguments": {"x": "y".repeat(2000)}})));
    assert_eq!(refused["error"]["data"]["reason"], "session_bytes");
    host.tell(&answer(&asked[1], &accept()));
    let again = host.request();
    assert_eq!(seen(&again).1.len(), 2);
    host.respond(again.handle(), FITTING);
    host.one();
    host.tell(&request(3, "tools/call", json!({"name": "echo", "arguments": {"x": "y".repeat(2000)}})));
    host.request();
}

/// More than a message can hold is answered with an error, and the request is over.
#[test]
fn questions_that_are_too_large() {
    let limits = limits(|limits| limits.message_bytes = 2000);
    let mut host = session(server_config().limits(limits), NEWEST, &all());
    let mut large = form();
    large["message"] = json!("m".repeat(2000));
    for message in [call(1, "echo"), modern_call(2, &json!({}))] {
        host.tell(&message);
        let handle = host.request().handle();
        let asked = ask(&mut host, handle, &[("a", "elicitation/create", Some(large.clone()))], None);
        assert_eq!(asked, Err(SendError::TooLarge));
        assert_eq!(host.one()["error"]["code"], -32603);
        assert_eq!(host.machine.respond(host.now, handle, result("{}")), Err(SendError::Over));
        assert!(host.events().is_empty(), "the caller knows");
    }
}

/// `basic/index` of 2025-03-26: the answer of a member that asked goes where its batch goes.
#[test]
fn a_member_of_a_batch_may_ask() {
    let mut host = session(server_config(), "2025-03-26", &json!({"roots": {}}));
    host.tell(&json!([call(1, "echo"), call(2, "slow")]));
    let handles: Vec<RequestHandle> = host
        .events()
        .into_iter()
        .filter_map(|event| if let Event::Request(request) = event { Some(request.handle()) } else { None })
        .collect();
    ask(&mut host, handles[0], &[("r", "roots/list", None)], None).unwrap();
    let question = host.one();
    host.respond(handles[1], FITTING);
    host.silent();
    host.tell(&answer(&question, &json!({"roots": []})));
    let again = host.request().handle();
    host.respond(again, FITTING);
    let ids: Vec<Value> = host.one().as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!(2), json!(1)]);
}

/// Calls outside a request need the same: `client/elicitation`, `client/sampling`. R-SAM-003, R-ELI-006.
#[test]
fn a_call_outside_a_request_needs_the_capability_too() {
    let mut host = session(server_config(), NEWEST, &json!({"sampling": {}, "elicitation": {}}));
    let mut with_tools = sample();
    with_tools["tools"] = json!([]);
    let url = json!({"mode": "url", "message": "m", "url": "https://a.test/x", "elicitationId": "e"});
    let mut ask = |method: &str, params: &Value| {
        let text = params.to_string();
        let params = Some(json(&text));
        host.machine.call(host.now, Target::Channel, method, params, CallOptions::new())
    };
    assert_eq!(
        ask("sampling/createMessage", &with_tools),
        Err(SendError::MissingCapability("sampling.tools"))
    );
    assert_eq!(ask("elicitation/create", &url), Err(SendError::MissingCapability("elicitation.url")));
    assert_eq!(ask("roots/list", &json!({})), Err(SendError::MissingCapability("roots")));
    ask("sampling/createMessage", &sample()).unwrap();
    ask("elicitation/create", &form()).unwrap();
}

/// A tool call that runs as a task may ask: the questions are about the task, which needs input meanwhile, and the same
/// task goes on with the answers; one that can't be asked fails it. R-TSK-013: `basic/utilities/tasks` of 2025-11-25.
#[test]
fn a_task_asks_like_any_request() {
    const TASK: &str = "io.modelcontextprotocol/related-task";
    let capabilities = br#"{"tools":{},"tasks":{"cancel":{},"list":{},"requests":{"tools":{"call":{}}}}}"#;
    let start = |declared: &Value| {
        let config = ServerConfig::new("server", "1").capabilities(capabilities).unwrap();
        let clock = WallClock { at: Instant::from_nanos(0), unix_millis: 1_700_000_000_000 };
        let mut host = Host::new(Server::new(Arc::new(config), Seed([1; 32])).with_clock(clock));
        host.ask(&initialize(0, NEWEST, declared));
        host.tell(&initialized());
        host.events();
        let created = host.ask(&request(1, "tools/call", json!({"name": "any", "task": {}})));
        let task = created["result"]["task"]["taskId"].clone();
        let asked = host.request();
        assert_eq!(asked.task(), task.as_str());
        (host, task, asked.handle())
    };
    let status = |host: &mut Host<Server>, task: &Value| {
        host.sent();
        host.ask(&request(9, "tasks/get", json!({"taskId": task})))["result"]["status"].clone()
    };
    let questions: [Asked<'_>; 1] = [("q", "elicitation/create", Some(form()))];

    let (mut host, task, first) = start(&json!({"elicitation": {}}));
    // Its id is free: another request may have it, also while the task is delivered again.
    host.tell(&request(1, "tools/call", json!({"name": "other"})));
    let other = host.request().handle();
    ask(&mut host, first, &questions, Some(b"s")).unwrap();
    let sent = host.sent();
    let question = sent.iter().find(|message| message["method"] == "elicitation/create").unwrap().clone();
    assert_eq!(question["params"]["_meta"][TASK], json!({"taskId": task}));
    assert_eq!(status(&mut host, &task), "input_required");
    host.tell(&answer(&question, &json!({"action": "accept", "content": {}})));
    let again = host.request();
    assert_eq!((again.task(), again.round()), (task.as_str(), 1));
    assert_eq!(again.input().unwrap().state.as_deref(), Some(&b"s"[..]));
    assert_eq!(status(&mut host, &task), "working");
    host.respond(again.handle(), DONE);
    assert_eq!(status(&mut host, &task), "completed");
    assert_eq!(
        host.ask(&request(2, "tasks/result", json!({"taskId": task})))["result"]["content"],
        json!([])
    );
    host.respond(other, DONE);
    assert_eq!(host.one()["id"], 1);

    let (mut host, task, first) = start(&json!({}));
    ask(&mut host, first, &questions, None).unwrap();
    assert_eq!(over(&host.event()), Some((first, OverReason::Input)));
    assert_eq!(status(&mut host, &task), "failed");

    let (mut host, task, first) = start(&json!({"elicitation": {}}));
    ask(&mut host, first, &questions, None).unwrap();
    host.sent();
    host.tell(&request(3, "tasks/cancel", json!({"taskId": task})));
    let cancelled = host.sent();
    assert!(cancelled.iter().any(|message| message["method"] == "notifications/cancelled"), "{cancelled:?}");
    assert_eq!(over(&host.event()), Some((first, OverReason::Cancelled)));
    assert_eq!(status(&mut host, &task), "cancelled");
}

/// A question that is no flat form is refused before it is sent, and an answer with what no form asks for is none.
/// R-ELI-009: `client/elicitation`.
#[test]
fn forms_are_flat() {
    let nested = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {"o": {"type": "object"}}}});
    let mut host = legacy();
    host.tell(&call(1, "echo"));
    let request = host.request().handle();
    let refused = ask(&mut host, request, &[("who", "elicitation/create", Some(nested.clone()))], None);
    assert!(matches!(refused, Err(SendError::Invalid(_))), "{refused:?}");
    let text = nested.to_string();
    let direct = host.machine.call(
        host.now,
        Target::Request(request),
        "elicitation/create",
        Some(json(&text)),
        CallOptions::new(),
    );
    assert!(matches!(direct, Err(SendError::Invalid(_))), "{direct:?}");
    host.silent();
    for (value, fits) in [
        (json!("x"), true),
        (json!(1.5), true),
        (json!(true), true),
        (json!(["a", "b"]), true),
        (json!({"x": 1}), false),
        (json!([1]), false),
        (json!([["a"]]), false),
    ] {
        let mut host = legacy();
        host.tell(&call(1, "echo"));
        let request = host.request().handle();
        elicit(&mut host, request, None);
        let question = host.one();
        host.tell(&answer(&question, &json!({"action": "accept", "content": {"name": "x", "more": value}})));
        let again = host.request();
        assert_eq!(again.input().unwrap().failed.is_empty(), fits, "{value}");
    }
}
/// `client/sampling`, model preferences: priorities lie between 0 and 1. R-SAM-013.
#[test]
fn priorities_lie_between_0_and_1() {
    for (value, good) in [
        (json!(0), true),
        (json!(1), true),
        (json!(0.5), true),
        (json!(1.1), false),
        (json!(-1), false),
        (json!("1"), false),
        (json!(null), false),
    ] {
        for key in ["costPriority", "speedPriority", "intelligencePriority"] {
            let mut params = sample();
            params["modelPreferences"] = json!({key: value, "hints": [{"name": "m"}]});
            let mut host = legacy();
            host.tell(&modern_call(1, &json!({})));
            let handle = host.request().handle();
            let asked =
                ask(&mut host, handle, &[("q", "sampling/createMessage", Some(params.clone()))], None);
            assert_eq!(asked.is_ok(), good, "{key} {value}");
            let text = params.to_string();
            let asked = host.machine.call(
                host.now,
                Target::Channel,
                "sampling/createMessage",
                Some(json(&text)),
                CallOptions::new(),
            );
            assert_eq!(asked.is_ok(), good, "{key} {value}");
        }
    }
}

/// `client/elicitation` of 2025-11-25: the end of a visit is told to the client that was asked, by the id of the visit.
/// R-ELI-025.
#[test]
fn the_end_of_a_visit_is_told_to_who_was_asked() {
    let (mut asked, mut other) = (legacy(), legacy());
    let params = r#"{"mode":"url","message":"m","url":"https://a.test/x","elicitationId":"e"}"#;
    let options = CallOptions::new();
    asked
        .machine
        .call(asked.now, Target::Channel, "elicitation/create", Some(json(params)), options)
        .unwrap();
    let question = asked.one();
    asked.tell(&answer(&question, &json!({"action": "accept"})));
    asked.events();
    let complete = "notifications/elicitation/complete";
    for nameless in [None, Some("{}")] {
        let refused = asked.machine.notify(asked.now, Target::Channel, complete, nameless.map(json));
        assert!(matches!(refused, Err(SendError::Invalid(_))));
    }
    let named = Some(json(r#"{"elicitationId":"e"}"#));
    asked.machine.notify(asked.now, Target::Channel, complete, named).unwrap();
    assert_eq!(asked.one()["params"]["elicitationId"], question["params"]["elicitationId"]);
    other.silent();
}
