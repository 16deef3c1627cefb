//! Remarks on a catalog: what works, but serves clients badly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

use mcp_sansio::{
    embed::{Channel, ServerConnection},
    session::Catalog,
};
use serde_json::{Value, json};

/// Code and place of each remark.
fn lint(catalog: &Value) -> Vec<(&'static str, String)> {
    let catalog = Catalog::from_json(catalog.to_string().as_bytes()).unwrap();
    catalog.lint().map(|lint| (lint.code, lint.place)).collect()
}

fn tool(name: &str, input: &Value) -> Value {
    json!({"tools": [{"name": name, "description": "d", "inputSchema": input}]})
}

#[test]
fn a_good_catalog_has_no_remarks() {
    let good = json!({
        "tools": [{
            "name": "a.b-c_D1", "description": "d",
            "inputSchema": {"type": "object", "properties": {"x": {"type": "string", "x-mcp-header": "X"}}},
            "icons": [{"src": "https://example.com/i.png"}, {"src": "data:image/png;base64,AAAA"}]
        }],
        "resources": [{"uri": "t:a", "name": "a", "description": "d", "mimeType": "text/plain; charset=utf-8"}],
        "resourceTemplates": [
            {"uriTemplate": "t:{a}", "name": "a", "description": "d"},
            {"uriTemplate": "t:{+a}", "name": "a", "description": "d"},
            {"uriTemplate": "t:{a:3}", "name": "a", "description": "d"},
            {"uriTemplate": "t:{?a}", "name": "a", "description": "d"},
            {"uriTemplate": "t:{?b}", "name": "a", "description": "d", "mimeType": "image/png"}
        ],
        "prompts": [{"name": "any name", "description": "d"}]
    });
    assert_eq!(lint(&good), []);
}

/// `server/tools`: names of 1 to 128 of certain characters. A name that isn't is a remark, not an error.
///
/// R-TOL-025
#[test]
fn odd_names_of_tools_are_remarked() {
    let long = "x".repeat(129);
    for (name, odd) in [("a/b", true), ("a b", true), ("\u{e9}", true), (&long, true), (&long[1..], false)] {
        let expected: &[_] = if odd { &[("lint.name", "tools[0].name".to_owned())] } else { &[] };
        assert_eq!(
            lint(&tool(name, &json!({"type": "object", "additionalProperties": false}))),
            expected,
            "{name}"
        );
    }
}

#[test]
fn what_a_reader_misses_is_remarked() {
    let poor = json!({
        "tools": [{"name": "a", "inputSchema": {"type": "object", "additionalProperties": false}}],
        "resources": [
            {"uri": "t:a", "name": "a", "description": " "},
            {"uri": "t:b", "name": "b", "description": "b", "mimeType": "text"}
        ],
        "resourceTemplates": [
            {"uriTemplate": "t:{a}/{?q}", "name": "a", "description": "d"},
            {"uriTemplate": "t:{b}/{?q}", "name": "b", "description": "d", "mimeType": 1}
        ],
        "prompts": [{"name": "p", "description": "d", "icons": [{"src": "http://example.com/i.png"}, {}]}]
    });
    let found = lint(&poor);
    let found: Vec<(&str, &str)> = found.iter().map(|(code, place)| (*code, place.as_str())).collect();
    assert_eq!(
        found,
        [
            ("lint.description", "tools[0].description"),
            ("lint.description", "resources[0].description"),
            ("lint.mime_type", "resources[0].mimeType"),
            ("lint.mime_type", "resources[1].mimeType"),
            ("lint.template", "resourceTemplates[1].uriTemplate"),
            ("lint.mime_type", "resourceTemplates[1].mimeType"),
            ("lint.icon", "prompts[0].icons[0].src"),
            ("lint.icon", "prompts[0].icons[1].src"),
        ]
    );
}

/// The schemas of revisions before 2026-07-28 have no `true` or `false` as the schema of a property.
#[test]
fn schemas_that_older_clients_refuse_are_remarked() {
    let schema = json!({"type": "object", "properties": {"a": true, "b": {}}});
    let places = |place: &str| [("lint.schema", place.to_owned())];
    assert_eq!(lint(&tool("a", &schema)), places("tools[0].inputSchema.properties.a"));
    let mut output = tool("a", &json!({"type": "object", "additionalProperties": false}));
    output["tools"][0]["outputSchema"] = schema;
    assert_eq!(lint(&output), places("tools[0].outputSchema.properties.a"));
}

/// `server/tools` and `basic/transports/streamable-http` of 2026-07-28: what an annotation must be and where it may stand.
/// Nested properties are reachable; names of properties and values of `const` are no annotations.
///
/// R-HDR-005, R-HDR-006, R-HDR-007, R-HDR-008, R-HDR-009, R-HDR-011
#[test]
fn header_annotations_are_checked() {
    let header = |kind: &str, name: Value| json!({"type": kind, "x-mcp-header": name});
    let good = header("string", json!("Region"));
    for (schema, at) in [
        (json!({"properties": {"a": good}}), &[][..]),
        (
            json!({"properties": {"a": header("integer", json!("A")), "b": header("boolean", json!("B"))}}),
            &[],
        ),
        (json!({"properties": {"a": {"type": "object", "properties": {"b": good}}}}), &[]),
        (json!({"properties": {"x-mcp-header": {"type": "number"}}}), &[]),
        (json!({"properties": {"a": {"const": {"x-mcp-header": 1}, "default": {"x-mcp-header": 1}}}}), &[]),
        (json!({"$defs": {"x-mcp-header": {"type": "number"}}}), &[]),
        (json!({"properties": {"a": header("string", json!(""))}}), &["properties.a"]),
        (json!({"properties": {"a": header("string", json!("a b"))}}), &["properties.a"]),
        (json!({"properties": {"a": header("string", json!("a\r\nb"))}}), &["properties.a"]),
        (json!({"properties": {"a": header("string", json!("a:"))}}), &["properties.a"]),
        (json!({"properties": {"a": header("string", json!("\u{e9}"))}}), &["properties.a"]),
        (json!({"properties": {"a": header("string", json!(1))}}), &["properties.a"]),
        (json!({"properties": {"a": header("number", json!("A"))}}), &["properties.a"]),
        (json!({"properties": {"a": header("object", json!("A"))}}), &["properties.a"]),
        (json!({"properties": {"a": {"x-mcp-header": "A"}}}), &["properties.a"]),
        (
            json!({"properties": {"a": good, "b": {"properties": {"c": header("string", json!("rEGION"))}}}}),
            &["properties.b.properties.c"],
        ),
        (json!({"properties": {"a": {"items": good}}}), &["properties.a.items"]),
        (json!({"properties": {"a": {"prefixItems": [good]}}}), &["properties.a.prefixItems"]),
        (json!({"allOf": [{"properties": {"a": good}}]}), &["allOf.properties.a"]),
        (json!({"oneOf": [{}, {"properties": {"a": good}}]}), &["oneOf.properties.a"]),
        (json!({"if": {"properties": {"a": good}}}), &["if.properties.a"]),
        (json!({"not": good}), &["not"]),
        (json!({"$defs": {"d": good}, "properties": {"a": {"$ref": "#/$defs/d"}}}), &["$defs.d"]),
        (json!({"patternProperties": {"^x": good}}), &["patternProperties.^x"]),
        (json!({"additionalProperties": good}), &["additionalProperties"]),
    ] {
        let mut schema = schema;
        schema["type"] = json!("object");
        let found = lint(&tool("a", &schema));
        let expected: Vec<_> =
            at.iter().map(|path| ("lint.header", format!("tools[0].inputSchema.{path}"))).collect();
        assert_eq!(found, expected, "{schema}");
    }
}

#[test]
fn bindings_get_the_remarks_as_json() {
    let server = |catalog: Value| {
        let mut config = catalog;
        config["info"] = json!({"name": "s", "version": "1"});
        ServerConnection::new(config.to_string().as_bytes(), [1; 32], Channel::Messages).unwrap().lint()
    };
    assert_eq!(server(json!({})), "[]");
    let remarks: Value = serde_json::from_str(&server(tool(
        "a \"b\"",
        &json!({"type": "object", "additionalProperties": false}),
    )))
    .unwrap();
    assert_eq!((&remarks[0]["code"], &remarks[0]["place"]), (&json!("lint.name"), &json!("tools[0].name")));
    assert!(remarks[0]["text"].is_string() && remarks.as_array().unwrap().len() == 1);
}

/// `server/tools`, data types: a tool without parameters says so.
///
/// R-TOL-004
#[test]
fn a_tool_that_takes_anything_is_remarked() {
    let empty = json!({"type": "object", "properties": {}, "title": "t", "$schema": "https://json-schema.org/draft/2020-12/schema"});
    for (schema, odd) in [
        (json!({"type": "object"}), true),
        (empty, true),
        (json!({"type": "object", "additionalProperties": false}), false),
        (json!({"type": "object", "additionalProperties": true}), false),
        (json!({"type": "object", "properties": {"a": {}}}), false),
        (json!({"type": "object", "minProperties": 1}), false),
    ] {
        let expected: &[_] = if odd { &[("lint.schema", "tools[0].inputSchema".to_owned())] } else { &[] };
        assert_eq!(lint(&tool("a", &schema)), expected, "{schema}");
    }
}

/// `server/resources`, annotations: whom it is for, from 0 to 1 how much it matters, and when it was changed.
///
/// R-RES-017
#[test]
fn annotations_that_mean_nothing_are_remarked() {
    for (key, value, odd) in [
        ("audience", json!([]), false),
        ("audience", json!(["user", "assistant"]), false),
        ("audience", json!("user"), true),
        ("audience", json!(["user", "system"]), true),
        ("priority", json!(0), false),
        ("priority", json!(1.0), false),
        ("priority", json!(0.5), false),
        ("priority", json!(1.01), true),
        ("priority", json!(-0.1), true),
        ("priority", json!("1"), true),
        ("lastModified", json!("2025-01-12T15:00:58Z"), false),
        ("lastModified", json!("2025-01-12T15:00:58.25+02:00"), false),
        ("lastModified", json!("2025-01-12"), false),
        ("lastModified", json!("2025-02-30T15:00:58Z"), true),
        ("lastModified", json!("12 January 2025"), true),
        ("lastModified", json!(1_736_694_058), true),
        ("other", json!("x"), false),
    ] {
        for (member, at) in [("resources", "uri"), ("resourceTemplates", "uriTemplate")] {
            let definition = json!({
                at: "t:a", "name": "a", "description": "d", "mimeType": "text/plain", "annotations": {key: value}
            });
            let expected = format!("{member}[0].annotations.{key}");
            let expected: &[_] = if odd { &[("lint.annotations", expected)] } else { &[] };
            assert_eq!(lint(&json!({member: [definition]})), expected, "{key} {value}");
        }
    }
}

/// The schemas: a size is a number of bytes.
#[test]
fn sizes_that_mean_nothing_are_remarked() {
    for (size, odd) in
        [(json!(0), false), (json!(1_u64 << 40), false), (json!(-1), true), (json!("1 kB"), true)]
    {
        let resource =
            json!({"uri": "t:a", "name": "a", "description": "d", "mimeType": "text/plain", "size": size});
        let expected: &[_] = if odd { &[("lint.size", "resources[0].size".to_owned())] } else { &[] };
        assert_eq!(lint(&json!({"resources": [resource]})), expected, "{size}");
    }
}
