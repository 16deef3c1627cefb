//! What becomes of what a peer's revision does not have, a test a row of the table in `degrade`.
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
    event::{Event, Outcome, Question, Target},
    session::{CallOptions, Server, ServerConfig},
};
use serde_json::{Value, json};

const ALL: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

fn server(revision: &str) -> Host<Server> {
    let config = ServerConfig::new("server", "1").capabilities(br#"{"tools":{},"prompts":{}}"#).unwrap();
    if revision == MODERN { serve(config) } else { session(config, revision, &json!({})) }
}

/// What a client of this revision gets when the application answers so.
fn told(revision: &str, method: &str, result: &Value) -> Value {
    let mut host = server(revision);
    let params = json!({"name": "any"});
    host.tell(&if revision == MODERN { modern(1, method, params) } else { request(1, method, params) });
    let asked = host.request().handle();
    host.respond(asked, &result.to_string());
    let mut answer = host.one()["result"].take();
    for engine in ["resultType", "_meta"] {
        answer.as_object_mut().unwrap().remove(engine);
    }
    answer
}

fn audio() -> Value {
    json!({"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav", "annotations": {"priority": 1}})
}
fn link() -> Value {
    json!({"type": "resource_link", "uri": "file:///a.txt", "name": "a", "title": "The \"A\""})
}
fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn audio_for(revision: &str) -> Value {
    if revision == "2024-11-05" {
        text("[Audio (audio/wav) was left out: this client can't receive audio]")
    } else {
        audio()
    }
}
fn link_for(revision: &str) -> Value {
    if revision < "2025-06-18" { text("Resource: The \"A\", file:///a.txt") } else { link() }
}

/// `server/tools`, `server/prompts`: audio is content since 2025-03-26, a resource link since 2025-06-18. What every
/// revision has stays as it is. R-TOL-012, R-PRM-006.
#[test]
fn content_that_a_revision_lacks_is_said_in_text() {
    let others = [
        text("t"),
        json!({"type": "image", "data": "", "mimeType": "image/png", "n": 1.0}),
        json!({"type": "resource", "resource": {"uri": "a:b", "text": ""}}),
    ];
    for revision in ALL {
        let mut content = others.to_vec();
        let mut wanted = others.to_vec();
        content.extend([audio(), link()]);
        wanted.extend([audio_for(revision), link_for(revision)]);
        assert_eq!(
            told(revision, "tools/call", &json!({"content": content, "isError": true, "more": {}})),
            json!({"content": wanted, "isError": true, "more": {}}),
            "{revision}"
        );
        let message = |content: Value| json!({"role": "user", "content": content, "x": 1});
        assert_eq!(
            told(
                revision,
                "prompts/get",
                &json!({"description": "d", "messages": content.iter().cloned().map(message).collect::<Vec<_>>()})
            ),
            json!({"description": "d", "messages": wanted.iter().cloned().map(message).collect::<Vec<_>>()}),
            "{revision}"
        );
    }
    assert_eq!(
        told(
            "2024-11-05",
            "tools/call",
            &json!({"content": [{"type": "audio"}, {"type": "resource_link", "uri": "a:b"}]})
        ),
        json!({"content": [
            text("[Audio (unknown type) was left out: this client can't receive audio]"), text("Resource: a:b")
        ]})
    );
}

/// `server/tools`, structured content: an object since 2025-06-18, any value since 2026-07-28. Where it is left out and
/// nothing says it in text, its JSON does. R-TOL-015, R-TOL-016.
#[test]
fn structured_content_that_a_revision_lacks_is_said_in_text() {
    for (value, since) in [
        (json!({"n": 1}), "2025-06-18"),
        (json!([1, "a"]), MODERN),
        (json!(7), MODERN),
        (json!(null), MODERN),
    ] {
        for revision in ALL {
            let said =
                told(revision, "tools/call", &json!({"content": [text("t")], "structuredContent": value}));
            let bare = told(revision, "tools/call", &json!({"content": [], "structuredContent": value}));
            let beside =
                told(revision, "tools/call", &json!({"content": [audio()], "structuredContent": value}));
            if revision < since {
                assert_eq!(said, json!({"content": [text("t")]}), "{revision} {value}");
                assert_eq!(bare, json!({"content": [text(&value.to_string())]}), "{revision} {value}");
                let both = json!({"content": [audio_for(revision), text(&value.to_string())]});
                assert_eq!(beside, both, "{revision} {value}");
            } else {
                assert_eq!(said, json!({"content": [text("t")], "structuredContent": value}), "{revision}");
                assert_eq!(bare, json!({"content": [], "structuredContent": value}), "{revision}");
            }
        }
    }
}

/// Text that is not touched keeps its spelling, and what is rewritten keeps the rest of it.
#[test]
fn what_is_kept_keeps_its_spelling() {
    let mut host = server("2024-11-05");
    host.tell(&request(1, "tools/call", json!({"name": "any"})));
    let asked = host.request().handle();
    let result = "{ \"n\": 1.50e1,\n\"content\": [ {\"type\":\"image\",\"n\":2.0}, {\"type\":\"audio\"} ] }";
    host.machine.respond(host.now, asked, common::result(result)).unwrap();
    let mcp_sansio::event::Action::Send(sent) = host.machine.poll_action().unwrap() else {
        panic!("an answer")
    };
    assert!(sent.message.contains("\"n\":1.50e1"), "{}", sent.message);
    assert!(sent.message.contains("{\"type\":\"image\",\"n\":2.0}"), "{}", sent.message);
    assert!(!sent.message.contains('\n'));
}

/// `server/utilities/completion`: the arguments that are known already are sent since 2025-06-18.
#[test]
fn a_completion_has_context_where_the_revision_has() {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "v"},
        "context": {"arguments": {"b": "c"}}
    });
    for revision in ALL {
        let capabilities = json!({"completions": {}});
        let config = client_config();
        let mut host = if revision == MODERN {
            let mut host = start(config);
            let probe = host.one();
            let mut described = discover_result(&[MODERN]);
            described["capabilities"] = capabilities;
            host.tell(&answer(&probe, &described));
            host
        } else {
            let mut host = start(config.probe(false));
            let opening = host.one();
            let mut described = initialize_result(revision);
            described["capabilities"] = capabilities;
            host.tell(&answer(&opening, &described));
            host.one();
            host
        };
        host.events();
        let text = params.to_string();
        let options = mcp_sansio::session::CallOptions::new();
        host.machine.call(host.now, "completion/complete", Some(json(&text)), options).unwrap();
        let mut sent = host.one()["params"].take();
        sent.as_object_mut().unwrap().remove("_meta");
        let mut wanted = params.clone();
        if revision < "2025-06-18" {
            wanted.as_object_mut().unwrap().remove("context");
        }
        assert_eq!(sent, wanted, "{revision}");
    }
}

/// What becomes of a question of the application for a legacy client of this revision that declared everything: the
/// params as they were sent; or `None`, where it counts as a capability that is missing.
fn asked(revision: &str, method: &str, params: &Value) -> Option<Value> {
    let capabilities =
        json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}});
    let mut host = session(server_config(), revision, &capabilities);
    host.tell(&call(1, "echo"));
    let handler = host.request().handle();
    let text = params.to_string();
    let questions = [Question { key: "q", method, params: Some(json(&text)) }];
    host.machine
        .respond(host.now, handler, Outcome::InputRequired { questions: &questions, state: None })
        .unwrap();
    let mut sent = host.one();
    if sent["method"] == method {
        return Some(sent["params"].take());
    }
    assert_eq!(sent["result"]["isError"], true, "{sent}");
    assert!(sent["result"]["content"][0]["text"].as_str().unwrap().contains("capability"), "{sent}");
    // The same by hand, outside a request's questions.
    let by_hand = host.machine.call(host.now, Target::Channel, method, Some(json(&text)), CallOptions::new());
    assert!(matches!(by_hand, Err(SendError::MissingCapability(_))), "{by_hand:?}");
    None
}

fn form_of(fields: &Value) -> Value {
    json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": fields, "required": ["b"]}})
}

/// `client/elicitation`: titles of an enum, defaults and modes are of 2025-11-25; before it they are said in the old way or
/// left out. R-ELI-011, R-ELI-012.
#[test]
fn a_form_is_said_as_the_revision_can() {
    let fields = json!({
        "b": {"type": "boolean", "default": true},
        "s": {"type": "string", "title": "S", "default": "x", "maxLength": 9},
        "n": {"type": "number", "default": 1.5, "minimum": 0},
        "e": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}], "default": "r"},
        "u": {"type": "string", "enum": ["a", "b"], "default": "a"}
    });
    let old = json!({
        "b": {"type": "boolean", "default": true},
        "s": {"type": "string", "title": "S", "maxLength": 9},
        "n": {"type": "number", "minimum": 0},
        "e": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
        "u": {"type": "string", "enum": ["a", "b"]}
    });
    let form = form_of(&fields);
    assert_eq!(asked("2025-11-25", "elicitation/create", &form), Some(form.clone()));
    let mut wanted = form_of(&old);
    wanted.as_object_mut().unwrap().remove("mode");
    assert_eq!(asked("2025-06-18", "elicitation/create", &form), Some(wanted));
    // What that revision has too stays as it is.
    let plain = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {"b": {"type": "boolean"}}}});
    assert_eq!(asked("2025-06-18", "elicitation/create", &plain), Some(plain.clone()));
    // Before elicitation there is nothing to degrade to.
    for revision in ["2024-11-05", "2025-03-26"] {
        let mut host = session(server_config(), revision, &json!({"elicitation": {}}));
        host.tell(&call(1, "echo"));
        let handler = host.request().handle();
        let text = plain.to_string();
        let questions = [Question { key: "q", method: "elicitation/create", params: Some(json(&text)) }];
        let outcome = Outcome::InputRequired { questions: &questions, state: None };
        host.machine.respond(host.now, handler, outcome).unwrap();
        assert_eq!(host.one()["result"]["isError"], true, "{revision}");
    }
}

/// A choice of several, and a URL, can't be asked of a client of 2025-06-18.
#[test]
fn what_a_form_can_not_say_counts_as_missing() {
    let several = form_of(&json!({"b": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}}));
    let url = json!({"mode": "url", "message": "m", "url": "https://a.test/", "elicitationId": "e"});
    for question in [several, url] {
        assert_eq!(asked("2025-06-18", "elicitation/create", &question), None, "{question}");
        assert_eq!(asked("2025-11-25", "elicitation/create", &question), Some(question));
    }
}

/// `client/sampling`: several contents of a message are of 2025-11-25; before it each is a message. R-SAM-002.
#[test]
fn a_sampling_message_of_several_contents_becomes_several() {
    let params = json!({"messages": [
        {"role": "user", "content": [text("a"), audio(), text("b")]},
        {"role": "assistant", "content": text("c")},
        {"role": "user", "content": [text("d")]}
    ], "maxTokens": 5});
    for revision in LEGACY {
        let wanted = if revision == "2025-11-25" {
            params.clone()
        } else {
            let user = |content: Value| json!({"role": "user", "content": content});
            json!({"messages": [
                user(text("a")), user(audio_for(revision)), user(text("b")),
                {"role": "assistant", "content": text("c")},
                user(text("d"))
            ], "maxTokens": 5})
        };
        assert_eq!(asked(revision, "sampling/createMessage", &params), Some(wanted), "{revision}");
    }
}

/// Uses of tools can't be asked of a client before 2025-11-25. R-SAM-002.
#[test]
fn tools_in_sampling_count_as_missing() {
    let offered = json!({"messages": [{"role": "user", "content": text("q")}], "maxTokens": 5, "tools": []});
    let used = json!({"messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "t", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "toolUseId": "1", "content": []}]}
    ], "maxTokens": 5});
    for question in [offered, used] {
        for revision in LEGACY {
            let sent = asked(revision, "sampling/createMessage", &question);
            assert_eq!(sent, (revision == "2025-11-25").then(|| question.clone()), "{revision} {question}");
        }
    }
}

/// A client's answer with several contents can't be said before 2025-11-25; one content in an array can.
#[test]
fn a_sampling_result_is_said_as_the_revision_can() {
    let result_of = |content: Value| json!({"role": "assistant", "model": "m", "content": content});
    for revision in LEGACY {
        let newest = revision == "2025-11-25";
        let mut host =
            start(client_config().probe(false).capabilities(br#"{"sampling":{"tools":{}}}"#).unwrap());
        let opening = host.one();
        host.tell(&answer(&opening, &initialize_result(revision)));
        host.sent();
        host.events();
        host.tell(&request(
            1,
            "sampling/createMessage",
            json!({"messages": [{"role": "user", "content": text("q")}], "maxTokens": 5}),
        ));
        let Event::Input(question) = host.event() else { panic!("a question") };
        for content in [
            json!([text("a"), text("b")]),
            json!([{"type": "tool_use", "id": "1", "name": "t", "input": {}}]),
        ] {
            if newest {
                continue;
            }
            let said = result_of(content).to_string();
            let refused = host.machine.answer(host.now, question.input, common::result(&said));
            assert!(matches!(refused, Err(SendError::Invalid(_))), "{revision}: {refused:?}");
        }
        let one = result_of(json!([text("a")]));
        host.machine.answer(host.now, question.input, common::result(&one.to_string())).unwrap();
        let wanted = if newest { one } else { result_of(text("a")) };
        assert_eq!(host.one()["result"], wanted, "{revision}");
    }
}
