//! JSON Schema: `basic/index` ("JSON Schema Usage") and `server/tools` of 2025-11-25 and 2026-07-28.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::time::Instant;

use common::*;
use mcp_sansio::schema::{MAX_SCHEMA_BYTES, MAX_VIOLATIONS, Validator};
use serde_json::{Value, json};

const CORPUS: &str = include_str!("../../tests/schemas/corpus.jsonl");

fn compile(schema: &Value) -> Validator {
    Validator::compile(json(&schema.to_string())).unwrap()
}

/// A case names one path, or each of those that the specification allows.
fn is_among(path: &str, allowed: &Value) -> bool {
    allowed == path || allowed.as_array().is_some_and(|all| all.iter().any(|one| one == path))
}

/// Verdict and place of every case of the corpus, which the TypeScript validator is held to as well.
///
/// R-SCH-001, R-SCH-003, R-SCH-004, R-SCH-005, R-SCH-006, R-SCH-007, R-SCH-008
#[test]
fn the_corpus_is_judged_right() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CORPUS.lines() {
        count += 1;
        let case: Value = serde_json::from_str(line).unwrap();
        // The text of the file: numbers keep their spelling.
        let text = json(line);
        let compiled = Validator::compile(text.member("schema").unwrap());
        let name = &case["name"];
        let verdict = match (compiled, case.get("refused")) {
            (Err(error), Some(allowed)) if is_among(&error.path, allowed) => continue,
            (Err(error), _) => format!("refused at {error}"),
            (Ok(_), Some(_)) => String::from("compiled"),
            (Ok(validator), None) => match validator.check(text.member("value").unwrap()) {
                Ok(()) if case["valid"] == true => continue,
                Err(violations)
                    if case["valid"] == false && is_among(&violations.first().path, &case["path"]) =>
                {
                    continue;
                }
                Ok(()) => String::from("fits"),
                Err(violations) => format!("does not fit: {violations}"),
            },
        };
        wrong.push(format!("{name}: {verdict}"));
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 120);
}

/// A value that nests so deep, of objects with one member.
fn nested(name: &str, levels: usize, inside: Value) -> Value {
    (0..levels).fold(inside, |value, _| json!({ name: value }))
}

/// "Composition-Keyword Resource Use": alternatives that refer to themselves cost no more than their text, whether the
/// value fits or not, and what is said of it stays short.
///
/// R-SCH-008
#[test]
fn alternatives_within_alternatives_are_cheap() {
    let branch = |title: &str| json!({"title": title, "properties": {"left": {"$ref": "#/$defs/e"}}});
    for alternatives in ["anyOf", "oneOf"] {
        let validator = compile(&json!({
            "$ref": "#/$defs/e",
            "$defs": {"e": {"type": "object", alternatives: [branch("a"), branch("b"), branch("c"), branch("d")]}},
        }));
        let began = Instant::now();
        for levels in [2, 20, 120] {
            let value = nested("left", levels, json!("no object")).to_string();
            let violations = validator.check(json(&value)).unwrap_err();
            assert_eq!(violations.first().path, "");
            assert!(violations.to_string().len() < 1000);
        }
        assert!(began.elapsed().as_secs() < 20, "not one step for each way through the alternatives");
    }
}

/// A schema and a value at the bound are checked on the stack of an ordinary thread; beyond it the value is refused.
///
/// R-SCH-008
#[test]
fn what_a_check_nests_is_bounded() {
    let chain = |links: usize| {
        let mut defs = serde_json::Map::new();
        for link in 0..links {
            defs.insert(format!("d{link}"), json!({"allOf": [{"$ref": format!("#/$defs/d{}", link + 1)}]}));
        }
        defs.insert(
            format!("d{links}"),
            json!({"additionalProperties": {"$ref": "#/$defs/d0"}, "type": ["object", "null"]}),
        );
        compile(&json!({"$ref": "#/$defs/d0", "$defs": defs}))
    };
    let check = |links, levels, inside| chain(links).check(json(&nested("a", levels, inside).to_string()));
    assert!(check(2, 120, Value::Null).is_ok());
    assert!(check(2, 120, json!(1)).is_err());
    let refused = check(30, 120, Value::Null).unwrap_err();
    assert!(refused.first().text.contains("too deep"), "{refused}");
    assert!(check(30, 3, Value::Null).is_ok(), "shallow values are checked");
}

/// Time grows with the length of the text, not with the ways to match it; where it would, the match is given up.
///
/// R-SCH-008
#[test]
fn patterns_end() {
    let validator = compile(&json!({"pattern": "^(a+)+$"}));
    let text = format!("\"{}!\"", "a".repeat(20_000));
    assert_eq!(validator.check(json(&text)).unwrap_err().first().path, "");
    let looking = compile(&json!({"items": {"pattern": "^(?=a)(a|aa)+$"}}));
    let list = format!("[{}]", vec![text; 200].join(","));
    assert!(looking.check(json(&list)).is_err(), "in a bounded number of steps");
    assert!(looking.check(json(r#"["aaa"]"#)).is_ok());
    let huge = Validator::compile(json(r#"{"pattern":"^((a{100}){100}){100}$"}"#)).unwrap_err();
    assert_eq!(huge.path, "/pattern");
}

/// R-SCH-008
#[test]
fn the_size_of_a_schema_is_bounded() {
    let text = |length: usize| {
        json!({"type": "object", "properties": {"a": {"description": "x".repeat(length)}}}).to_string()
    };
    assert!(Validator::compile(json(&text(MAX_SCHEMA_BYTES - 1000))).is_ok());
    assert!(Validator::compile(json(&text(MAX_SCHEMA_BYTES))).unwrap_err().reason.contains("bytes"));
    let many: serde_json::Map<_, _> = (0..5000).map(|place| (place.to_string(), json!({}))).collect();
    assert!(
        Validator::compile(json(&json!({"properties": many}).to_string()))
            .unwrap_err()
            .reason
            .contains("subschemas")
    );
}

/// What is reported is bounded, and says nothing of the value but the names of its members.
#[test]
fn violations_are_few_short_and_without_payload() {
    let validator = compile(&json!({
        "properties": {"a": {"type": "integer"}, "b": {"enum": ["x"]}, "c": {"pattern": "^x$"}, "d": {"const": 1}},
        "additionalProperties": {"anyOf": [{"type": "integer"}, {"maxLength": 1}]},
    }));
    let mut value = json!({"a": "SECRET", "b": "SECRET", "c": "SECRET", "d": "SECRET"});
    for place in 0..100 {
        value[format!("m{place}")] = json!("SECRET");
    }
    let violations = validator.check(json(&value.to_string())).unwrap_err();
    assert_eq!(violations.iter().count(), MAX_VIOLATIONS);
    assert!(!violations.to_string().contains("SECRET"), "{violations}");
    let members: serde_json::Map<_, _> = (0..10_000).map(|place| (place.to_string(), json!(1))).collect();
    let closed = compile(&json!({"additionalProperties": false}));
    let violations = closed.check(json(&json!(members).to_string())).unwrap_err();
    assert!(violations.to_string().len() < 300, "{violations}");
}

/// A number that no double holds is as the largest that one holds; half of a pair of escapes is a character like any other.
#[test]
fn values_that_are_no_plain_json_are_judged() {
    let numbers = compile(&json!({"items": {"type": "integer"}, "contains": {"maximum": 1}}));
    assert!(numbers.check(json("[1e400,18446744073709551616,-1e400]")).is_ok());
    assert_eq!(numbers.check(json("[1e400]")).unwrap_err().first().path, "");
    assert!(Validator::compile(json(r#"{"type":"object","x-limit":1e400}"#)).is_ok());
    let text = compile(&json!({"properties": {"a": {"maxLength": 2}}}));
    assert!(text.check(json(r#"{"a":"\ud83d\ude00\ud83d"}"#)).is_ok());
    assert_eq!(text.check(json(r#"{"a":"\ud83d\ud83dab"}"#)).unwrap_err().first().path, "/a");
}
