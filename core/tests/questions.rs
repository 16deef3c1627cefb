//! What a server asks a client for: one event and one answer in both eras, whether it comes as a request or in a result.
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
    CallHandle, InputHandle,
    error::{CallError, SendError, TimeLimit},
    event::{Event, Input, Outcome},
    limits::Limits,
    session::{CallOptions, Client, ClientConfig},
};
use serde_json::{Value, json};

const ALL: &str = r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}"#;

fn config() -> ClientConfig {
    client_config().capabilities(ALL.as_bytes()).unwrap()
}

fn form() -> Value {
    json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {"n": {"type": "string"}}}})
}

fn sample() -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": "q"}}], "maxTokens": 10})
}

fn sampled() -> Value {
    json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "a"}})
}

fn elicitation() -> Value {
    json!({"method": "elicitation/create", "params": form()})
}

fn accept() -> Value {
    json!({"action": "accept", "content": {"n": "x"}})
}

fn input_required(sent: &Value, mut parts: Value) -> Value {
    parts["resultType"] = json!("input_required");
    answer(sent, &parts)
}

fn call_tool(host: &mut Host<Client>, arguments: &str, options: CallOptions<'_>) -> (CallHandle, Value) {
    let params = format!("{{\"name\":\"x\",\"arguments\":{arguments}}}");
    let call = host.machine.call(host.now, "tools/call", Some(json(&params)), options).unwrap();
    (call, host.one())
}

fn inputs(host: &mut Host<Client>) -> Vec<Input> {
    let inputs = host.events().into_iter().map(|event| match event {
        Event::Input(input) => input,
        other => panic!("a question, not {other:?}"),
    });
    inputs.collect()
}

fn give(host: &mut Host<Client>, input: InputHandle, answer: &Value) -> Result<(), SendError> {
    let text = answer.to_string();
    host.machine.answer(host.now, input, result(&text))
}

const REFUSED: Outcome<'static> = Outcome::Error { code: -1, message: "no", data: None };

/// A call that was answered with these questions, and them.
fn asked(host: &mut Host<Client>, requests: &Value) -> (CallHandle, Vec<Input>) {
    let (call, sent) = call_tool(host, "{}", CallOptions::new());
    host.tell(&input_required(&sent, json!({"inputRequests": requests, "requestState": "s"})));
    host.silent();
    (call, inputs(host))
}

/// The application sees the same question and answers it in the same way, however it came. R-MRT-015, R-MRT-017,
/// R-MRT-018, R-MRT-019, R-MRT-021: `basic/patterns/mrtr`. R-ELI-001, R-SAM-001, R-ROO-003.
#[test]
fn one_event_and_one_answer_in_both_eras() {
    let questions = [
        ("elicitation/create", Some(form()), accept()),
        ("sampling/createMessage", Some(sample()), sampled()),
        ("roots/list", None, json!({"roots": [{"uri": "file:///a"}]})),
    ];
    for (method, params, given) in questions {
        let mut host = legacy_client(config());
        let mut question = json!({"jsonrpc": "2.0", "id": "q", "method": method});
        if let Some(params) = &params {
            question["params"] = params.clone();
        }
        host.tell(&question);
        let legacy = inputs(&mut host).remove(0);
        give(&mut host, legacy.input, &given).unwrap();
        assert_eq!(host.one(), json!({"jsonrpc": "2.0", "id": "q", "result": given}));

        let mut host = modern_client(config());
        let (call, sent) = call_tool(&mut host, r#"{"k":1.50}"#, CallOptions::new().progress(true));
        let mut request = json!({"method": method});
        if let Some(params) = &params {
            request["params"] = params.clone();
        }
        let progress = |token: &Value, value: f64| {
            notice("notifications/progress", json!({"progressToken": token, "progress": value}))
        };
        host.tell(&progress(&sent["id"], 0.9));
        assert!(matches!(host.event(), Event::Progress { .. }));
        host.tell(&input_required(&sent, json!({"inputRequests": {"key": request}, "requestState": "s"})));
        let modern = inputs(&mut host).remove(0);
        assert_eq!(modern.method, legacy.method);
        let decoded = |input: &Input| input.params.as_ref().map(|params| params.decode::<Value>().unwrap());
        assert_eq!(decoded(&modern), decoded(&legacy));
        assert_eq!(decoded(&modern), params);
        assert_eq!((modern.call, legacy.call), (Some(call), None));
        give(&mut host, modern.input, &given).unwrap();
        let retry = host.one();
        assert_ne!(retry["id"], sent["id"]);
        assert_eq!(retry["params"]["_meta"]["progressToken"], retry["id"]);
        let mut expected = sent.clone();
        expected["id"] = retry["id"].clone();
        expected["params"]["_meta"]["progressToken"] = retry["id"].clone();
        expected["params"]["inputResponses"] = json!({"key": given});
        expected["params"]["requestState"] = json!("s");
        assert_eq!(retry, expected);
        assert_eq!(give(&mut host, modern.input, &given), Err(SendError::Over));
        // Progress of the new request begins anew.
        host.tell(&progress(&retry["id"], 0.5));
        assert!(matches!(host.event(), Event::Progress { call: of, .. } if of == call));
        host.tell(&progress(&sent["id"], 0.7));
        assert!(host.events().is_empty());
        host.tell(&answer(&retry, &json!({"resultType": "complete", "content": []})));
        assert_eq!(host.outcome(call).unwrap()["content"], json!([]));
    }
}

/// All questions are answered before the call is made again, in any order; keys are opaque. R-MRT-015.
#[test]
fn answers_come_in_any_order() {
    let mut host = modern_client(config());
    let requests = json!({"": elicitation(), "a/b": {"method": "roots/list"}, "__proto__": elicitation(), "\u{e9}\n": elicitation()});
    let (_, inputs) = asked(&mut host, &requests);
    assert_eq!(inputs.len(), 4);
    for input in inputs.iter().rev() {
        host.silent();
        let given = if input.method == "roots/list" { json!({"roots": []}) } else { accept() };
        give(&mut host, input.input, &given).unwrap();
    }
    let responses = host.one()["params"]["inputResponses"].clone();
    assert_eq!(
        responses,
        json!({"": accept(), "a/b": {"roots": []}, "__proto__": accept(), "\u{e9}\n": accept()})
    );
}

/// The state goes back byte for byte, and only then. R-MRT-017, R-MRT-018.
#[test]
fn the_state_is_echoed() {
    for state in [
        r#""""#,
        r#""0""#,
        r#""{\"a\": 1}""#,
        r#""\u00e9\u0000\u2028\ud83d\ude00""#,
        r#"" lead""#,
        r#""null""#,
    ] {
        let mut host = modern_client(config());
        let (_, sent) = call_tool(&mut host, "{}", CallOptions::new());
        let question = elicitation();
        host.tell_text(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","inputRequests":{{"a":{question}}},"requestState" : {state} }}}}"#,
            sent["id"]
        ));
        let input = inputs(&mut host).remove(0).input;
        let text = accept().to_string();
        host.machine.answer(host.now, input, result(&text)).unwrap();
        let raw = loop {
            match host.machine.poll_action() {
                Some(mcp_sansio::event::Action::Send(message)) => break message.message.to_owned(),
                Some(_) => {}
                None => panic!("no retry"),
            }
        };
        assert!(raw.ends_with(&format!("\"requestState\":{state}}}}}")), "{raw}");
        // The next round has none.
        let retry: Value = serde_json::from_str(&raw).unwrap();
        host.tell(&input_required(
            &retry,
            json!({"inputRequests": {"a": elicitation()}, "requestState": null}),
        ));
        let input = inputs(&mut host).remove(0).input;
        give(&mut host, input, &accept()).unwrap();
        let third = host.one();
        assert!(third["params"].get("requestState").is_none());
        assert_eq!(third["params"]["inputResponses"], json!({"a": accept()}));
    }
}

/// State alone is sent again after a while, each time a longer one, until the limits of the call. R-MRT-016.
#[test]
fn state_alone_is_retried() {
    let mut host = modern_client(config());
    let (call, mut sent) = call_tool(&mut host, r#"{"k":1}"#, CallOptions::new());
    for round in 0..8u32 {
        host.tell(&input_required(&sent, json!({"inputRequests": {}, "requestState": "s1"})));
        host.silent();
        host.wait(Duration::from_millis((100 << round) - 1));
        host.silent();
        host.wait(Duration::from_millis(1));
        let retry = host.one();
        assert_ne!(retry["id"], sent["id"]);
        assert_eq!(retry["params"]["requestState"], "s1");
        assert_eq!(retry["params"]["arguments"], json!({"k": 1}));
        assert!(retry["params"].get("inputResponses").is_none());
        sent = retry;
    }
    host.tell(&input_required(&sent, json!({"requestState": "s1"})));
    host.silent();
    let mut events = host.events();
    assert!(matches!(&events[0], Event::Fault(fault) if fault.code == "fault.input_required"));
    assert!(matches!(events.remove(1), Event::Completed { call: of, outcome: Err(error) }
        if of == call && matches!(*error, CallError::Input { key: None })));

    let mut host = modern_client(config());
    let total = CallOptions::new().timeouts(None, Some(Duration::from_millis(50)));
    let (call, sent) = call_tool(&mut host, "{}", total);
    host.tell(&input_required(&sent, json!({"requestState": "s"})));
    host.wait(Duration::from_millis(50));
    host.silent();
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Total, .. })));
}

/// What it is asked for one call goes to no other. R-MRT-020.
#[test]
fn other_calls_are_not_touched() {
    let mut host = modern_client(config());
    let (first, sent) = call_tool(&mut host, r#"{"k":1}"#, CallOptions::new());
    let (second, other) = call_tool(&mut host, r#"{"k":2}"#, CallOptions::new());
    host.tell(&input_required(&sent, json!({"inputRequests": {"a": elicitation()}, "requestState": "s1"})));
    let input = inputs(&mut host).remove(0);
    assert_eq!(input.call, Some(first));
    let (_, list) = host.call("tools/list");
    let (_, third) = call_tool(&mut host, r#"{"k":1}"#, CallOptions::new());
    for message in [list, third] {
        assert!(
            !message.to_string().contains("requestState") && !message.to_string().contains("inputResponses")
        );
    }
    host.tell(&answer(&other, &json!({"resultType": "complete", "content": []})));
    assert!(host.outcome(second).is_ok());
    give(&mut host, input.input, &accept()).unwrap();
    assert_eq!(host.one()["params"]["arguments"], json!({"k": 1}));
}

/// A question that is not answered ends the call, and nothing more is sent for it. R-MRT-022.
#[test]
fn a_refusal_ends_the_call() {
    let mut host = modern_client(config());
    let (call, inputs) =
        asked(&mut host, &json!({"a": elicitation(), "b": {"method": "roots/list"}, "c": elicitation()}));
    give(&mut host, inputs[0].input, &accept()).unwrap();
    host.machine.answer(host.now, inputs[1].input, REFUSED).unwrap();
    host.silent();
    let events = host.events();
    assert!(matches!(events[0], Event::InputOver { input } if input == inputs[2].input));
    assert!(matches!(&events[1], Event::Completed { call: of, outcome: Err(error) }
        if *of == call && matches!(&**error, CallError::Input { key: Some(key) } if key == "b")));
    assert_eq!(events.len(), 2);
    assert_eq!(give(&mut host, inputs[2].input, &accept()), Err(SendError::Over));
    // In the legacy era the server is told.
    let mut host = legacy_client(config());
    host.tell(&request(1, "roots/list", json!({})));
    let Event::Input(input) = host.event() else { panic!("a question") };
    host.machine.answer(host.now, input.input, REFUSED).unwrap();
    assert_eq!(host.one()["error"]["code"], -1);
}

/// `decline` and `cancel` are answers like others. R-ELI-015, R-ELI-018.
#[test]
fn a_decline_is_an_answer() {
    for action in ["decline", "cancel"] {
        let mut host = modern_client(config());
        let (_, inputs) = asked(&mut host, &json!({"a": elicitation()}));
        give(&mut host, inputs[0].input, &json!({"action": action})).unwrap();
        assert_eq!(host.one()["params"]["inputResponses"], json!({"a": {"action": action}}));
    }
}

/// The end of the call ends its questions: cancellation, the end of the channel, time. Nothing is in flight then, so there
/// is nothing to cancel on the wire.
#[test]
fn the_end_of_a_call_ends_its_questions() {
    let requests = json!({"a": elicitation(), "b": elicitation()});
    for end in ["cancel", "eof", "close"] {
        let mut host = modern_client(config());
        let (call, inputs) = asked(&mut host, &requests);
        give(&mut host, inputs[0].input, &accept()).unwrap();
        match end {
            "cancel" => host.machine.cancel(host.now, call, None).unwrap(),
            "eof" => host.eof(),
            _ => {
                host.machine.close(host.now, seconds(1));
                host.wait(seconds(1));
            }
        }
        host.silent();
        let events = host.events();
        assert!(matches!(events[0], Event::InputOver { input } if input == inputs[1].input), "{end}");
        assert!(matches!(&events[1], Event::Completed { call: of, .. } if *of == call), "{end}");
        assert_eq!(give(&mut host, inputs[1].input, &accept()), Err(SendError::Over));
        assert_eq!(host.machine.stat("calls_now"), 0);
    }
}

/// Both limits of a call pause while a question is open; another bounds the answer.
#[test]
fn the_limits_of_a_call_pause() {
    let mut host = modern_client(config());
    let options = CallOptions::new().timeouts(Some(seconds(10)), Some(seconds(30)));
    let (call, sent) = call_tool(&mut host, "{}", options);
    host.wait(seconds(5));
    host.tell(&input_required(&sent, json!({"inputRequests": {"a": elicitation()}})));
    let input = inputs(&mut host).remove(0);
    host.wait(seconds(599));
    assert!(host.events().is_empty());
    give(&mut host, input.input, &accept()).unwrap();
    let retry = host.one();
    host.wait(seconds(9));
    assert!(host.events().is_empty());
    host.tell(&input_required(&retry, json!({"inputRequests": {"a": elicitation()}})));
    let input = inputs(&mut host).remove(0);
    host.wait(seconds(1));
    give(&mut host, input.input, &accept()).unwrap();
    let retry = host.one();
    host.wait(seconds(10));
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));
    assert_eq!(host.one()["params"]["requestId"], retry["id"], "the request in flight is taken back");

    // 5 + 9 + 9 of 30 seconds are used up.
    let (call, sent) = call_tool(&mut host, "{}", options);
    host.wait(seconds(9));
    host.tell(&input_required(&sent, json!({"inputRequests": {"a": elicitation()}})));
    let input = inputs(&mut host).remove(0);
    host.wait(seconds(100));
    give(&mut host, input.input, &accept()).unwrap();
    let token = host.one()["id"].clone();
    host.wait(seconds(9));
    host.tell(&input_required(&json!({"id": token}), json!({"inputRequests": {"a": elicitation()}})));
    let input = inputs(&mut host).remove(0);
    give(&mut host, input.input, &accept()).unwrap();
    let token = host.one()["id"].clone();
    host.wait(seconds(9));
    host.tell(&input_required(&json!({"id": token}), json!({"inputRequests": {"a": elicitation()}})));
    let input = inputs(&mut host).remove(0);
    give(&mut host, input.input, &accept()).unwrap();
    host.one();
    host.wait(seconds(3));
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Total, .. })));

    let mut host = modern_client(config());
    let (call, inputs) = asked(&mut host, &json!({"a": elicitation(), "b": elicitation()}));
    give(&mut host, inputs[0].input, &accept()).unwrap();
    host.wait(seconds(600));
    host.silent();
    let events = host.events();
    assert!(matches!(events[0], Event::InputOver { input } if input == inputs[1].input));
    assert!(matches!(&events[1], Event::Completed { call: of, outcome: Err(error) }
        if *of == call && matches!(&**error, CallError::Input { key: Some(key) } if key == "b")));
}

/// The outcome of a call that was answered so, with nothing asked and nothing sent.
fn refused(config: ClientConfig, parts: &Value) -> (CallError, Vec<&'static str>) {
    let mut host = modern_client(config);
    let (call, sent) = call_tool(&mut host, "{}", CallOptions::new());
    host.tell(&input_required(&sent, parts.clone()));
    host.silent();
    let mut error = None;
    let mut faults = Vec::new();
    for event in host.events() {
        match event {
            Event::Completed { call: of, outcome: Err(outcome) } if of == call => error = Some(*outcome),
            Event::Fault(fault) => faults.push(fault.code),
            other => panic!("{parts}: {other:?}"),
        }
    }
    assert_eq!(host.machine.stat("calls_now"), 0);
    (error.unwrap(), faults)
}

/// What is no round of input ends the call: nothing is asked. R-MRT-002, R-MRT-004, R-MRT-005; R-SAM-005, R-SAM-006.
#[test]
fn malformed_rounds_are_refused() {
    let use_alone =
        json!({"role": "assistant", "content": {"type": "tool_use", "id": "c", "name": "n", "input": {}}});
    let mut unbalanced = sample();
    unbalanced["messages"].as_array_mut().unwrap().push(use_alone);
    let question = |method: &str, params: Value| json!({"inputRequests": {"a": elicitation(), "b": {"method": method, "params": params}}});
    let many: serde_json::Map<String, Value> = (0..17).map(|key| (key.to_string(), elicitation())).collect();
    for parts in [
        json!({}),
        json!({"inputRequests": {}}),
        json!({"inputRequests": null, "requestState": null}),
        json!({"inputRequests": []}),
        json!({"requestState": 5}),
        json!({"inputRequests": {"a": elicitation()}, "requestState": 5}),
        json!({"inputRequests": {"a": 1}}),
        json!({"inputRequests": many}),
        question("tools/call", json!({})),
        question("ping", json!({})),
        question("elicitation/create", json!({})),
        question("elicitation/create", json!({"message": "m", "mode": "fax"})),
        question("elicitation/create", json!({"message": "m", "mode": "url", "url": "file:///etc/passwd"})),
        question("sampling/createMessage", json!({"messages": []})),
        question("sampling/createMessage", unbalanced),
    ] {
        let (error, _) = refused(config(), &parts);
        assert!(
            matches!(&error, CallError::InvalidResult(fault) if fault.code == "fault.input_required"),
            "{parts} {error:?}"
        );
    }
}

/// Only `tools/call`, `prompts/get` and `resources/read` are answered so, in the modern era. R-MRT-003.
#[test]
fn other_methods_may_not_be_answered_so() {
    let offers = json!({"tools": {}, "prompts": {}, "resources": {}, "completions": {}});
    let mut described = discover_result(&[MODERN]);
    described["capabilities"] = offers;
    let mut host = start(config());
    let probe = host.one();
    host.tell(&answer(&probe, &described));
    host.events();
    for (method, params, allowed) in [
        ("tools/call", json!({"name": "x"}), true),
        ("prompts/get", json!({"name": "x"}), true),
        ("resources/read", json!({"uri": "test://x"}), true),
        ("tools/list", json!({}), false),
        ("resources/list", json!({}), false),
        ("server/discover", json!({}), false),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            false,
        ),
        ("no/such", json!({}), false),
    ] {
        let text = params.to_string();
        let call = host.machine.call(host.now, method, Some(json(&text)), CallOptions::new()).unwrap();
        let sent = host.one();
        host.tell(&input_required(
            &sent,
            json!({"inputRequests": {"a": elicitation()}, "requestState": "s"}),
        ));
        if allowed {
            let input = inputs(&mut host).remove(0);
            give(&mut host, input.input, &accept()).unwrap();
            assert_eq!(host.one()["method"], method);
        } else {
            assert!(matches!(host.outcome(call), Err(CallError::InvalidResult(_))), "{method}");
            host.silent();
        }
    }
    // A legacy result of this form is a result.
    let mut host = legacy_client(config());
    let (call, sent) = call_tool(&mut host, "{}", CallOptions::new());
    host.tell(&input_required(&sent, json!({"requestState": "s", "content": []})));
    assert_eq!(host.outcome(call).unwrap()["content"], json!([]));
    host.silent();
}

/// What was not declared is not answered: a modern call ends, a legacy question gets an error. R-ELI-008, R-ELI-031,
/// R-SAM-004, R-ROO-006: `client/elicitation`, `client/sampling`.
#[test]
fn what_was_not_declared_is_not_answered() {
    let url = json!({"mode": "url", "message": "m", "url": "https://a.test/", "elicitationId": "e"});
    let mut no_mode = form();
    no_mode.as_object_mut().unwrap().remove("mode");
    let mut tools = sample();
    tools["tools"] = json!([]);
    let mut choice = sample();
    choice["toolChoice"] = json!({"mode": "none"});
    let mut context = sample();
    context["includeContext"] = json!("allServers");
    for (declared, method, params, code) in [
        ("{}", "elicitation/create", form(), Some(-32601)),
        ("{}", "sampling/createMessage", sample(), Some(-32601)),
        ("{}", "roots/list", json!({}), Some(-32601)),
        (r#"{"elicitation":{}}"#, "elicitation/create", no_mode.clone(), None),
        (r#"{"elicitation":{}}"#, "elicitation/create", form(), None),
        (r#"{"elicitation":{}}"#, "elicitation/create", url.clone(), Some(-32602)),
        (r#"{"elicitation":{"url":{}}}"#, "elicitation/create", url, None),
        (r#"{"elicitation":{"url":{}}}"#, "elicitation/create", no_mode, Some(-32602)),
        (r#"{"sampling":{}}"#, "sampling/createMessage", tools.clone(), Some(-32602)),
        (r#"{"sampling":{}}"#, "sampling/createMessage", choice, Some(-32602)),
        (r#"{"sampling":{"tools":{}}}"#, "sampling/createMessage", tools, None),
        (r#"{"sampling":{}}"#, "sampling/createMessage", context, None),
    ] {
        let config = || client_config().capabilities(declared.as_bytes()).unwrap();
        let mut host = legacy_client(config());
        host.tell(&request("q", method, params.clone()));
        match code {
            None => assert_eq!(inputs(&mut host).len(), 1, "{declared} {params}"),
            Some(code) => {
                assert_eq!(host.one()["error"]["code"], code, "{declared} {params}");
                assert!(host.events().is_empty());
            }
        }
        let requests = json!({"inputRequests": {"k": {"method": method, "params": params}}});
        if code.is_some() {
            let (error, faults) = refused(config(), &requests);
            assert!(
                matches!(error, CallError::Input { key: Some(key) } if key == "k"),
                "{declared} {requests}"
            );
            assert_eq!(faults, ["fault.input_required"]);
        } else {
            let mut host = modern_client(config());
            assert_eq!(asked(&mut host, &requests["inputRequests"]).1.len(), 1);
        }
    }
}

/// Legacy questions that break a rule are -32602. R-SAM-007, R-ELI-031, R-ELI-040.
#[test]
fn malformed_legacy_questions_are_refused() {
    let use_alone =
        json!({"role": "assistant", "content": {"type": "tool_use", "id": "c", "name": "n", "input": {}}});
    let mixed = json!({"role": "user", "content": [
        {"type": "text", "text": "here"}, {"type": "tool_result", "toolUseId": "c", "content": []}]});
    let text = json!({"role": "user", "content": {"type": "text", "text": "t"}});
    let elicit = |mode: &str, url: &str| {
        ("elicitation/create", json!({"mode": mode, "message": "m", "url": url, "elicitationId": "e"}))
    };
    let sampling = |messages: Value| {
        ("sampling/createMessage", json!({"messages": messages, "maxTokens": 10, "tools": []}))
    };
    let mut host = legacy_client(config());
    for (method, params) in [
        elicit("fax", "https://a.test/"),
        elicit("url", "javascript:alert(1)"),
        elicit("url", "file:///etc/passwd"),
        elicit("url", "data:text/html,x"),
        elicit("url", "ms-settings:"),
        elicit("url", "https://"),
        elicit("form", "https://a.test/"),
        sampling(json!([text, use_alone, mixed])),
        sampling(json!([text, use_alone, text])),
        sampling(json!([use_alone])),
        ("sampling/createMessage", json!({"messages": {}, "maxTokens": 10})),
        ("sampling/createMessage", json!({"messages": [], "maxTokens": "10"})),
    ] {
        let refused = host.ask(&request(1, method, params.clone()));
        assert_eq!(refused["error"]["code"], -32602, "{params}");
        assert!(host.events().is_empty());
    }
    host.tell(&request(1, "elicitation/create", elicit("url", "https://a.test:8443/x?y#z").1));
    assert_eq!(inputs(&mut host).len(), 1);
}

/// Guards of the model: tokens, bytes, and how much is asked at a time. R-SAM-014, R-SAM-018, R-SAM-019, R-ELI-042.
#[test]
fn the_model_is_guarded() {
    let guarded = |change: fn(&mut Limits)| config().limits(limits(change));
    let guards: [fn(&mut Limits); 2] =
        [|limits| limits.sampling_tokens = 9, |limits| limits.sampling_bytes = 50];
    let requests = json!({"inputRequests": {"k": {"method": "sampling/createMessage", "params": sample()}}});
    for guard in guards {
        let mut host = legacy_client(guarded(guard));
        assert_eq!(host.ask(&request(1, "sampling/createMessage", sample()))["error"]["code"], -32602);
        assert!(host.events().is_empty());
        let (error, faults) = refused(guarded(guard), &requests);
        assert!(matches!(error, CallError::Input { key: Some(key) } if key == "k"));
        assert_eq!(faults, ["fault.input_required"]);
    }
    let few: fn(&mut Limits) = |limits| limits.open_questions = 2;
    let mut host = legacy_client(guarded(few));
    for id in 1..=2 {
        host.tell(&request(id, "sampling/createMessage", sample()));
    }
    let open = inputs(&mut host);
    assert_eq!(open.len(), 2);
    let refused_third = host.ask(&request(3, "sampling/createMessage", sample()));
    assert_eq!(refused_third["error"]["data"], json!({"reason": "open_questions", "limit": 2}));
    give(&mut host, open[0].input, &sampled()).unwrap();
    host.one();
    host.tell(&request(4, "sampling/createMessage", sample()));
    assert_eq!(inputs(&mut host).len(), 1);

    let mut host = modern_client(guarded(few));
    let (_, open) = asked(&mut host, &json!({"a": elicitation(), "b": elicitation()}));
    let (call, sent) = call_tool(&mut host, "{}", CallOptions::new());
    host.tell(&input_required(&sent, json!({"inputRequests": {"a": elicitation()}})));
    let events = host.events();
    assert!(
        matches!(&events[1], Event::Completed { call: of, outcome: Err(error) }
        if *of == call && matches!(&**error, CallError::Input { .. })),
        "{events:?}"
    );
    for input in open {
        give(&mut host, input.input, &accept()).unwrap();
    }
    host.one();
    assert_eq!(asked(&mut host, &json!({"a": elicitation()})).1.len(), 1);
}

/// An application that gives no answer is told so, and the question stays open. R-ELI-014, R-ELI-015, R-ELI-016,
/// R-ELI-023, R-ROO-002, R-SAM-002.
#[test]
fn what_is_no_answer_is_refused_before_it_is_sent() {
    let url = json!({"mode": "url", "message": "m", "url": "https://a.test/", "elicitationId": "e"});
    let cases = [
        (
            "elicitation/create",
            form(),
            vec![
                json!({}),
                json!({"action": "maybe"}),
                json!({"action": "accept"}),
                json!({"action": "accept", "content": null}),
                json!({"action": "accept", "content": []}),
                json!({"action": "decline", "content": {}}),
                json!({"action": "cancel", "content": null}),
            ],
            accept(),
        ),
        ("elicitation/create", url, vec![accept()], json!({"action": "accept"})),
        (
            "sampling/createMessage",
            sample(),
            vec![
                json!({}),
                json!({"role": "system", "model": "m", "content": {}}),
                json!({"role": "assistant", "content": {}}),
                json!({"role": "assistant", "model": "m", "content": "t"}),
            ],
            json!({"role": "assistant", "model": "m", "content": [{"type": "text", "text": "t"}]}),
        ),
        (
            "roots/list",
            json!({}),
            vec![
                json!({}),
                json!({"roots": {}}),
                json!({"roots": [{"uri": "https://a"}]}),
                json!({"roots": [{"name": "a"}]}),
            ],
            json!({"roots": [{"uri": "file:///a", "name": "a"}]}),
        ),
    ];
    for (method, params, wrong, right) in cases {
        let mut legacy = legacy_client(config());
        legacy.tell(&request(1, method, params.clone()));
        let mut modern = modern_client(config());
        let question = inputs(&mut legacy).remove(0).input;
        let (_, asked) = asked(&mut modern, &json!({"k": {"method": method, "params": params}}));
        for (host, input) in [(&mut legacy, question), (&mut modern, asked[0].input)] {
            for answer in &wrong {
                let refused = give(host, input, answer);
                assert!(matches!(refused, Err(SendError::Invalid(_))), "{answer}");
            }
            host.silent();
            give(host, input, &right).unwrap();
            host.one();
        }
    }
    // Arrays of blocks came with tools for the model; elsewhere one block is said alone.
    let text = json!({"type": "text", "text": "t"});
    let answer = |content: Value| json!({"role": "assistant", "model": "m", "content": content});
    for revision in LEGACY {
        let pinned =
            config().revisions(&[mcp_sansio::revision::Revision::from_name(revision).unwrap()]).unwrap();
        let mut host = legacy_client(pinned);
        for (id, blocks) in [(1, json!([text])), (2, json!([text, text]))] {
            host.tell(&request(id, "sampling/createMessage", sample()));
            let input = inputs(&mut host).remove(0).input;
            let given = give(&mut host, input, &answer(blocks.clone()));
            match (revision, id) {
                (NEWEST, _) => assert_eq!(host.one()["result"], answer(blocks)),
                (_, 1) => assert_eq!(host.one()["result"], answer(text.clone()), "{revision}"),
                _ => assert!(matches!(given, Err(SendError::Invalid(_))), "{revision}"),
            }
        }
    }
}

/// What is kept to make a call again is bounded, and given back.
#[test]
fn what_is_kept_is_bounded() {
    let small = limits(|limits| limits.session_bytes = 4000);
    let mut host = modern_client(config().limits(small));
    let arguments = json!({"x": "y".repeat(2000)}).to_string();
    let params = format!("{{\"name\":\"x\",\"arguments\":{arguments}}}");
    let mut sent = Vec::new();
    let refused = loop {
        match host.machine.call(host.now, "tools/call", Some(json(&params)), CallOptions::new()) {
            Ok(call) => sent.push((call, host.one())),
            Err(error) => break error,
        }
    };
    assert_eq!((refused, sent.len()), (SendError::Blocked, 2));
    let (call, request) = sent.remove(0);
    // No room for its questions.
    host.tell(&input_required(&request, json!({"inputRequests": {"a": elicitation()}})));
    assert!(
        host.events().iter().any(|event| matches!(event, Event::Completed { call: of, .. } if *of == call))
    );
    host.machine.call(host.now, "tools/call", Some(json(&params)), CallOptions::new()).unwrap();
}

/// An answer that does not fit into a message ends the call.
#[test]
fn a_retry_that_is_too_large() {
    let small = limits(|limits| limits.message_bytes = 2000);
    let mut host = modern_client(config().limits(small));
    let (call, inputs) = asked(&mut host, &json!({"a": elicitation(), "b": elicitation()}));
    let large = json!({"action": "accept", "content": {"n": "x".repeat(1200)}});
    give(&mut host, inputs[0].input, &large).unwrap();
    assert_eq!(give(&mut host, inputs[1].input, &large), Err(SendError::TooLarge));
    host.silent();
    assert!(matches!(host.outcome(call), Err(CallError::Input { .. })));
    let (call, inputs) = asked(&mut host, &json!({"a": elicitation()}));
    let large = json!({"action": "accept", "content": {"n": "x".repeat(1800)}});
    assert_eq!(give(&mut host, inputs[0].input, &large), Err(SendError::TooLarge));
    assert!(matches!(host.outcome(call), Err(CallError::Input { .. })));
}

/// A legacy question does not say for which call it is: the limits of each that may have asked pause, and others go on.
/// Like a modern one it is bounded itself.
#[test]
fn the_limits_of_calls_pause_in_the_legacy_era_too() {
    let mut host = legacy_client(config());
    let options = CallOptions::new().timeouts(Some(seconds(10)), Some(seconds(30)));
    let (call, sent) = call_tool(&mut host, "{}", options);
    host.wait(seconds(5));
    host.tell(&request(1, "roots/list", json!({})));
    let first = inputs(&mut host).remove(0).input;
    host.wait(seconds(2));
    host.tell(&request(2, "elicitation/create", form()));
    let second = inputs(&mut host).remove(0).input;
    let (list, _) = host.call_with("tools/list", options);
    host.wait(seconds(8));
    give(&mut host, first, &json!({"roots": []})).unwrap();
    host.one();
    host.wait(seconds(2));
    assert!(matches!(host.outcome(list), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));
    assert_eq!(host.one()["method"], "notifications/cancelled");
    host.wait(seconds(500));
    give(&mut host, second, &accept()).unwrap();
    host.one();
    host.wait(seconds(4));
    assert!(host.events().is_empty());
    host.wait(seconds(1));
    assert!(matches!(host.outcome(call), Err(CallError::Timeout { limit: TimeLimit::Silence, .. })));
    assert_eq!(host.one()["params"]["requestId"], sent["id"]);

    host.tell(&request(3, "elicitation/create", form()));
    let input = inputs(&mut host).remove(0).input;
    host.wait(seconds(600));
    assert_eq!(host.one()["error"]["code"], -32603);
    assert!(matches!(host.event(), Event::InputOver { input: over } if over == input));
    assert_eq!(host.machine.next_timeout(), None);
}

/// What a user entered is compared with the form before it is sent, in both eras, and may be given again.
/// R-ELI-014, R-ELI-016: `client/elicitation`.
#[test]
fn what_was_entered_fits_the_form() {
    let wrong = [json!({"n": 5}), json!({"n": ["a"]}), json!({"n": {"deep": 1}}), json!([])];
    let mut modern = modern_client(config());
    let (_, questions) = asked(&mut modern, &json!({"q": elicitation()}));
    let mut legacy = legacy_client(config());
    legacy.tell(&request(7, "elicitation/create", form()));
    let [question] = &inputs(&mut legacy)[..] else { panic!("one question") };
    let legacy_question = question.input;
    for content in wrong {
        for (host, question) in [(&mut modern, questions[0].input), (&mut legacy, legacy_question)] {
            let refused = give(host, question, &json!({"action": "accept", "content": content}));
            assert!(
                matches!(refused, Err(SendError::FormMismatch(_) | SendError::Invalid(_))),
                "{content}: {refused:?}"
            );
            host.silent();
        }
    }
    let refused = give(&mut legacy, legacy_question, &json!({"action": "accept", "content": {"n": 5}}));
    let Err(SendError::FormMismatch(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("/n"), "{why} names the field");
    give(&mut legacy, legacy_question, &accept()).unwrap();
    assert_eq!(legacy.one()["result"], accept());
    give(&mut modern, questions[0].input, &accept()).unwrap();
    assert_eq!(modern.one()["params"]["inputResponses"]["q"], accept());
}
