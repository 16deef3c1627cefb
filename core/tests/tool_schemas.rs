//! What a server makes of the schemas of its tools: `server/tools` of every revision.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::sync::Arc;

use common::*;
use mcp_sansio::{
    error::{CallError, ConfigError, SendError},
    schema::Validator,
    session::{CallOptions, Catalog, Client, Server, ServerConfig},
};
use serde_json::{Value, json};

const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST, MODERN];

fn forecast() -> Value {
    json!({
        "name": "forecast",
        "inputSchema": {
            "type": "object", "properties": {"days": {"type": "integer", "minimum": 1}}, "required": ["days"]
        },
        "outputSchema": {
            "type": "object", "properties": {"celsius": {"type": "number"}}, "required": ["celsius"]
        },
    })
}

fn catalog_of(tools: &[Value]) -> Result<Catalog, ConfigError> {
    let tools = json!(tools).to_string();
    Catalog::new().tools(json(&tools).elements())
}

fn server(revision: &str, tools: &[Value]) -> Host<Server> {
    let config = ServerConfig::new("s", "1").catalog(Arc::new(catalog_of(tools).unwrap()));
    if revision == MODERN { serve(config) } else { session(config, revision, &json!({})) }
}

fn call_with(revision: &str, tool: &str, arguments: Option<Value>) -> Value {
    let mut params = json!({"name": tool});
    if let Some(arguments) = arguments {
        params["arguments"] = arguments;
    }
    if revision == MODERN { modern(1, "tools/call", params) } else { request(1, "tools/call", params) }
}

/// "Error Handling": arguments that do not fit never reach the application. From 2025-11-25 on the answer is a result with
/// `isError` that the model reads, before that a protocol error; both name the place. Absent arguments are empty ones.
///
/// R-TOL-005, R-TOL-007, R-TOL-008, R-TOL-030
#[test]
fn arguments_that_do_not_fit_are_answered() {
    for revision in REVISIONS {
        let mut host = server(revision, &[forecast()]);
        for (arguments, place) in [
            (Some(json!({"days": 0})), "arguments/days: "),
            (Some(json!({"days": "many"})), "arguments/days: "),
            (Some(json!({})), "\"days\""),
            (None, "\"days\""),
        ] {
            let answer = host.ask(&call_with(revision, "forecast", arguments));
            let text = if revision == NEWEST || revision == MODERN {
                assert_eq!(answer["result"]["isError"], true, "{revision}");
                assert_eq!(answer["result"]["content"][0]["type"], "text");
                assert_eq!(answer["result"].get("resultType").is_some(), revision == MODERN);
                answer["result"]["content"][0]["text"].as_str().unwrap()
            } else {
                assert_eq!(answer["error"]["code"], -32602, "{revision}");
                answer["error"]["message"].as_str().unwrap()
            };
            assert!(text.contains(place), "{text}");
            assert!(!text.contains("many"), "no payload");
            assert!(host.events().is_empty(), "the application is not asked");
        }
        host.tell(&call_with(revision, "forecast", Some(json!({"days": 2.0}))));
        assert!(!host.request().unchecked());
    }
}

/// A tool whose schema takes any object takes absent arguments, and a batch of 2025-03-26 is answered whole.
///
/// R-TOL-005
#[test]
fn any_object_is_taken_and_batches_are_answered_whole() {
    let mut host =
        server("2025-03-26", &[forecast(), json!({"name": "any", "inputSchema": {"type": "object"}})]);
    let batch = json!([
        request(1, "tools/call", json!({"name": "forecast", "arguments": {"days": 0}})),
        request(2, "tools/call", json!({"name": "any"})),
    ]);
    host.tell(&batch);
    let waiting = host.request();
    assert!(!waiting.unchecked());
    host.respond(waiting.handle(), r#"{"content":[]}"#);
    let answers = host.one();
    assert_eq!(answers.as_array().unwrap().len(), 2);
    assert!(answers.as_array().unwrap().iter().any(|answer| answer["error"]["code"] == -32602));
}

/// "Output Schema": what a server sends as the result of a tool with an `outputSchema` conforms to it. One that does not is
/// refused with its place and the request stays open; nothing of it is sent. A result with `isError` is not checked. A tool
/// keeps its word to peers of older revisions too.
///
/// R-TOL-018
#[test]
fn results_that_do_not_conform_are_not_sent() {
    for revision in REVISIONS {
        let mut host = server(revision, &[forecast()]);
        let begin = |host: &mut Host<Server>| {
            host.tell(&call_with(revision, "forecast", Some(json!({"days": 1}))));
            host.request().handle()
        };
        let handle = begin(&mut host);
        for (wrong, place) in [
            (r#"{"content":[]}"#, "/structuredContent: is missing"),
            (r#"{"content":[],"structuredContent":null}"#, "/structuredContent: "),
            (r#"{"content":[],"structuredContent":{}}"#, "\"celsius\""),
            (r#"{"content":[],"structuredContent":{"celsius":"hot"}}"#, "/structuredContent/celsius: "),
            (r#"{"content":[],"structuredContent":{"celsius":"hot"},"isError":false}"#, "/celsius: "),
        ] {
            let error = host.machine.respond(host.now, handle, result(wrong)).unwrap_err();
            assert_eq!(error.code(), "send.output_mismatch", "{revision}");
            assert!(error.to_string().contains(place) && !error.to_string().contains("hot"), "{error}");
            host.silent();
        }
        host.respond(handle, r#"{"content":[],"structuredContent":{"celsius":-3.5}}"#);
        let sent = host.one();
        // Older revisions have no such member.
        let structured = (revision > "2025-03-26").then(|| json!({"celsius": -3.5}));
        assert_eq!(sent["result"].get("structuredContent"), structured.as_ref(), "{revision}");
        let gone = host.machine.respond(host.now, handle, result(r#"{"content":[]}"#));
        assert_eq!(gone, Err(SendError::Over));

        let failing = begin(&mut host);
        host.respond(failing, r#"{"content":[],"isError":true}"#);
        assert_eq!(host.one()["result"]["isError"], true);
        let failing = begin(&mut host);
        host.machine.respond_tool_error(host.now, failing, "no forecast").unwrap();
        assert_eq!(host.one()["result"]["content"][0]["text"], "no forecast");
    }
}

/// "Structured Content": any JSON value may conform in 2026-07-28; absent is not null.
///
/// R-TOL-016
#[test]
fn any_value_may_be_structured_content() {
    for value in [json!(null), json!(false), json!(0), json!(""), json!([]), json!([1]), json!({"a": null})] {
        let tool =
            json!({"name": "ret", "inputSchema": {"type": "object"}, "outputSchema": {"enum": [value]}});
        let mut host = server(MODERN, &[tool]);
        host.tell(&call_with(MODERN, "ret", None));
        let handle = host.request().handle();
        let missing = host.machine.respond(host.now, handle, result(r#"{"content":[]}"#)).unwrap_err();
        assert_eq!(missing.code(), "send.output_mismatch");
        host.respond(handle, &json!({"content": [], "structuredContent": value}).to_string());
        assert_eq!(host.one()["result"]["structuredContent"], value);
    }
}

/// "Schema Validation": a schema that can't be used is refused when the catalog is made, with its place.
///
/// R-SCH-004, R-SCH-005, R-SCH-006, R-SCH-007
#[test]
fn a_catalog_names_the_schema_that_does_not_compile() {
    let good = json!({"type": "object"});
    for (input, output, field, reason) in [
        (
            json!({"type": "object", "properties": {"a": {"type": "text"}}}),
            None,
            ".inputSchema/properties/a/type",
            "",
        ),
        (
            json!({"type": "object", "$ref": "https://example.com/x"}),
            None,
            ".inputSchema/$ref",
            "nothing is fetched",
        ),
        (
            json!({"type": "object", "$schema": "http://json-schema.org/draft-04/schema#"}),
            None,
            ".inputSchema/$schema",
            "2020-12",
        ),
        (
            json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
            None,
            ".inputSchema/properties/a/pattern",
            "ECMA-262",
        ),
        (good.clone(), Some(json!({"required": "x"})), ".outputSchema/required", ""),
    ] {
        let mut tool = json!({"name": "b", "inputSchema": input});
        if let Some(output) = output {
            tool["outputSchema"] = output;
        }
        let error = catalog_of(&[json!({"name": "a", "inputSchema": good}), tool]).unwrap_err();
        assert_eq!(error.field, format!("tools[1]{field}"));
        assert!(error.reason.contains(reason), "{error}");
    }
}

/// Schemas are listed as they were written, with what no dialect knows.
///
/// R-SCH-009
#[test]
fn schemas_are_listed_untouched() {
    let definition = r##"{"name":"t","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:x","type":"object","$defs":{"P":{"type":"string","x-ui":1}},"properties":{"p":{"$ref":"#/$defs/P"}},"unevaluatedProperties":false,"x-vendor":[1.50,10000000000000000000]}}"##;
    let catalog = Catalog::new().tools([json(definition)]).unwrap();
    let mut server = serve(ServerConfig::new("s", "1").catalog(Arc::new(catalog))).machine;
    let list = modern(1, "tools/list", json!({})).to_string();
    server.handle_message(mcp_sansio::time::Instant::from_nanos(1), list.as_bytes());
    let Some(mcp_sansio::event::Action::Send(sent)) = server.poll_action() else { panic!("no answer") };
    assert!(sent.message.contains(definition), "{}", sent.message);
}

/// "Output Schema", for clients: a result is held against the schema that the server listed.
///
/// R-TOL-011, R-TOL-019
#[test]
fn a_client_checks_results() {
    let schema = forecast()["outputSchema"].to_string();
    let validator = Validator::compile(json(&schema)).unwrap();
    let check = |result: Value| validator.check_result(json(&result.to_string()));
    assert!(check(json!({"content": [], "structuredContent": {"celsius": 1}})).is_ok());
    assert!(check(json!({"content": [], "structuredContent": {"celsius": "x"}, "isError": true})).is_ok());
    let misfit = check(json!({"content": [], "structuredContent": {"celsius": "x"}})).unwrap_err();
    assert_eq!(misfit.first().path, "/structuredContent/celsius");
    assert_eq!(check(json!({"content": []})).unwrap_err().first().path, "/structuredContent");
}

/// A client that knows a tool's `outputSchema` takes no result that does not fit it. R-TOL-019: `server/tools`, output
/// schema.
#[test]
fn a_client_checks_structured_results() {
    let schema = json(r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);
    let schema = Arc::new(Validator::compile(schema).unwrap());
    let ask = |host: &mut Host<Client>| {
        let options = CallOptions::new().output(Some(&schema));
        let params = Some(json(r#"{"name":"sum"}"#));
        (host.machine.call(host.now, "tools/call", params, options).unwrap(), host.one())
    };
    let result = |structured: Value| {
        let mut result = json!({"content": [], "structuredContent": structured});
        if result["structuredContent"].is_null() {
            result.as_object_mut().unwrap().remove("structuredContent");
        }
        result
    };
    for mut host in [legacy_client(client_config()), modern_client(client_config())] {
        for wrong in [json!({"n": "1"}), json!({}), json!([1]), Value::Null] {
            let (call, sent) = ask(&mut host);
            host.tell(&answer(&sent, &result(wrong.clone())));
            let Err(CallError::InvalidResult(fault)) = host.outcome(call) else { panic!("{wrong} fits") };
            assert_eq!((fault.code, fault.page), ("fault.output", "server/tools"));
            assert!(fault.detail.contains("/structuredContent"), "{}", fault.detail);
        }
        let fitting = result(json!({"n": 1, "more": true}));
        let failed = json!({"content": [], "isError": true});
        for right in [fitting, failed] {
            let (call, sent) = ask(&mut host);
            host.tell(&answer(&sent, &right));
            assert_eq!(host.outcome(call).unwrap(), right);
        }
    }
}
