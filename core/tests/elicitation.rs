//! Forms and the answers to them: `client/elicitation` of 2025-06-18, 2025-11-25 and 2026-07-28.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use common::json;
use mcp_sansio::{
    elicitation::{check, check_form, with_defaults},
    revision::Revision,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn form(fields: &Value) -> Value {
    json!({"type": "object", "properties": fields})
}

/// Where an answer does not fit.
fn misfit(form: &Value, content: &Value) -> Option<String> {
    let found = check(json(&form.to_string()), Some(json(&content.to_string()))).err();
    found.map(|violations| violations.first().path.clone())
}

/// Where a revision can't ask with a form.
fn refused(form: &Value, revision: Revision) -> Option<String> {
    check_form(json(&form.to_string()), revision).err().map(|violations| violations.first().path.clone())
}

fn fits(field: &Value, value: &Value) -> bool {
    misfit(&form(&json!({"f": field})), &json!({"f": value})).is_none()
}

/// "Requested Schema": each kind of field and what fits it. Numbers may be fractions, and lengths count characters.
///
/// R-ELI-010, R-ELI-014, R-ELI-016, R-ELI-017, R-ELI-043
#[test]
fn answers_fit_the_kind_of_their_field() {
    let text = json!({"type": "string", "minLength": 2, "maxLength": 3});
    let number = json!({"type": "number", "minimum": 0, "maximum": 100});
    let integer = json!({"type": "integer"});
    let boolean = json!({"type": "boolean"});
    for (field, good, bad) in [
        (
            &text,
            vec![json!("ab"), json!("💩💩")],
            vec![json!("a"), json!("abcd"), json!(1), json!(null), json!({"x": 1})],
        ),
        (
            &number,
            vec![json!(95.5), json!(0), json!(100)],
            vec![json!(-0.5), json!(100.5), json!("1"), json!(true)],
        ),
        (&integer, vec![json!(3), json!(-3), json!(3.0)], vec![json!(3.5), json!("3"), json!([3])]),
        (&boolean, vec![json!(true), json!(false)], vec![json!(0), json!("true"), json!(null)]),
    ] {
        for value in good {
            assert!(fits(field, &value), "{value} in {field}");
        }
        for value in bad {
            assert!(!fits(field, &value), "{value} in {field}");
        }
    }
}

/// R-ELI-010
#[test]
fn formats_are_those_of_rfc_3339_and_3986() {
    for (format, good, bad) in [
        (
            "date",
            vec!["2026-07-28", "2024-02-29"],
            vec![
                "2026-7-28",
                "2023-02-29",
                "2026-13-01",
                "2026-00-10",
                "2026-07-28 ",
                "20260728",
                "2026-07-2é",
            ],
        ),
        (
            "date-time",
            vec!["2026-07-28T10:00:00Z", "2026-07-28t10:00:60.125z", "2026-07-28T10:00:00+05:30"],
            vec![
                "2026-07-28",
                "2026-07-28T10:00:00",
                "2026-07-28 10:00:00Z",
                "2026-07-28T24:00:00Z",
                "2026-07-28T10:00:00.Z",
                "2026-07-28T10:00:00+25:00",
                "2026-07-28T1é:00:00Z",
            ],
        ),
        (
            "email",
            vec!["a@example.com", "\"x@y\"@example.com"],
            vec!["example.com", "@example.com", "a@", "a b@example.com"],
        ),
        (
            "uri",
            vec!["https://example.com/a?b#c", "urn:x:y", "mailto:a@b"],
            vec!["example.com", "/path", "https://a b", "1a:b", "https:"],
        ),
    ] {
        let field = json!({"type": "string", "format": format});
        for text in good {
            assert!(fits(&field, &json!(text)), "{text} is a {format}");
        }
        for text in bad {
            assert!(!fits(&field, &json!(text)), "{text} is no {format}");
        }
    }
}

/// The five spellings of choices: their values count, their titles are for people.
///
/// R-ELI-012
#[test]
fn choices_are_told_by_their_values() {
    let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    for one in [
        json!({"type": "string", "enum": ["a", "b"]}),
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]}),
        json!({"type": "string", "oneOf": titled}),
    ] {
        assert!(fits(&one, &json!("a")) && fits(&one, &json!("b")), "{one}");
        for wrong in [json!("A"), json!("z"), json!(["a"]), json!(1)] {
            assert!(!fits(&one, &wrong), "{wrong} in {one}");
        }
        assert_eq!(refused(&form(&json!({"f": one})), Revision::V2026_07_28), None);
    }
    for several in [
        json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 2}),
        json!({"type": "array", "items": {"anyOf": titled}, "minItems": 1, "maxItems": 2}),
    ] {
        assert!(fits(&several, &json!(["a"])) && fits(&several, &json!(["b", "a"])), "{several}");
        for wrong in
            [json!([]), json!(["A"]), json!(["a", "z"]), json!("a"), json!(["a", "b", "a"]), json!([1])]
        {
            assert!(!fits(&several, &wrong), "{wrong} in {several}");
        }
        assert_eq!(misfit(&form(&json!({"f": several})), &json!({"f": ["a", "z"]})).unwrap(), "/f/1");
        assert_eq!(refused(&form(&json!({"f": several})), Revision::V2025_11_25), None);
    }
}

/// Required members are there; content that is missing is empty; members that nobody asked for are primitives too.
///
/// R-ELI-014
#[test]
fn answers_are_flat_and_whole() {
    let asked = json!({"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]});
    assert_eq!(misfit(&asked, &json!({"n": "x", "more": 1, "list": ["a"]})), None);
    assert_eq!(misfit(&asked, &json!({})), Some(String::new()));
    assert_eq!(misfit(&asked, &json!([])), Some(String::new()));
    assert_eq!(misfit(&asked, &json!({"n": "x", "a/b": {"c": 1}})), Some("/a~1b".into()));
    assert_eq!(misfit(&asked, &json!({"n": "x", "m": null})), Some("/m".into()));
    assert!(check(json(&asked.to_string()), None).is_err());
    assert!(check(json(&form(&json!({})).to_string()), None).is_ok());
}

/// A form is a flat object of primitives.
///
/// R-ELI-009
#[test]
fn forms_are_flat() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
        for (wrong, place) in [
            (json!({"type": "object"}), "/properties"),
            (json!({"type": "array", "properties": {}}), "/type"),
            (json!({"type": "object", "properties": {}, "required": [1]}), "/required"),
            (form(&json!({"o": {"type": "object", "properties": {}}})), "/properties/o/type"),
            (form(&json!({"o": {"properties": {}}})), "/properties/o/type"),
            (form(&json!({"o": {"type": "string", "$ref": "#"}})), "/properties/o/$ref"),
            (form(&json!({"a/b": {"type": "null"}})), "/properties/a~1b/type"),
            (form(&json!({"o": {"type": "string", "format": "regex"}})), "/properties/o/format"),
            (form(&json!({"o": {"type": "string", "enum": [1]}})), "/properties/o"),
        ] {
            assert_eq!(refused(&wrong, revision).as_deref(), Some(place), "{wrong}");
        }
        let good = form(
            &json!({"a": {"type": "string", "format": "date"}, "b": {"type": "boolean", "default": true}}),
        );
        assert_eq!(refused(&good, revision), None);
    }
    for wrong in [
        json!({"type": "object"}),
        json!({"type": "string"}),
        json!({"enum": [1]}),
        json!({"type": "string", "enum": [1]}),
    ] {
        let several = form(&json!({"o": {"type": "array", "items": wrong}}));
        assert_eq!(refused(&several, Revision::V2026_07_28).as_deref(), Some("/properties/o/items"));
    }
}

/// 2025-06-18 has plain choices and defaults of booleans alone.
///
/// R-ELI-011, R-ELI-012
#[test]
fn what_a_revision_can_ask() {
    for (field, place) in [
        (json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}), "/type"),
        (json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}), "/oneOf"),
        (json!({"type": "string", "default": "x"}), "/default"),
        (json!({"type": "number", "default": 1}), "/default"),
        (json!({"type": "string", "enum": ["a"], "default": "a"}), "/default"),
    ] {
        let asked = form(&json!({"f": field}));
        assert_eq!(refused(&asked, Revision::V2025_06_18), Some(format!("/properties/f{place}")));
        assert_eq!(refused(&asked, Revision::V2025_11_25), None);
        assert_eq!(refused(&asked, Revision::V2026_07_28), None);
    }
    let wrong = form(&json!({"f": {"type": "integer", "default": "x"}}));
    assert_eq!(refused(&wrong, Revision::V2026_07_28).as_deref(), Some("/properties/f/default"));
}

/// "All primitive types support optional default values": what was left out is filled in, what was given stays.
///
/// R-ELI-013
#[test]
fn defaults_are_filled_in() {
    let asked = form(&json!({
        "s": {"type": "string", "default": "x"}, "n": {"type": "number", "default": 95.5},
        "b": {"type": "boolean", "default": false}, "l": {"type": "array", "items": {"enum": ["a"]}, "default": ["a"]},
        "none": {"type": "string"}, "bad": {"type": "integer", "default": "x"},
    }));
    let fill = |content: Option<&str>| -> Value {
        serde_json::from_str(&with_defaults(json(&asked.to_string()), content.map(json))).unwrap()
    };
    let all = json!({"s": "x", "n": 95.5, "b": false, "l": ["a"]});
    assert_eq!(fill(None), all);
    assert_eq!(fill(Some("{}")), all);
    assert_eq!(fill(Some("null")), all);
    assert_eq!(
        fill(Some(r#"{"\u0073":"y","b":true,"more":1}"#)),
        json!({"s": "y", "n": 95.5, "b": true, "l": ["a"], "more": 1})
    );
}

proptest! {
    /// Filled content fits whatever form a revision can ask with, and filling it again changes nothing.
    #[test]
    fn filled_content_stays_as_it_is(
        fields in prop::collection::btree_map("[a-c/~\"]{0,3}", prop_oneof![
            (0..20i32).prop_map(|number| json!({"type": "integer", "minimum": 5, "default": number})),
            "[a-z]{0,4}".prop_map(|text| json!({"type": "string", "minLength": 2, "default": text})),
            any::<bool>().prop_map(|yes| json!({"type": "boolean", "default": yes})),
        ], 0..6)
    ) {
        let asked = json!({"type": "object", "properties": fields}).to_string();
        let asked = json(&asked);
        let filled = with_defaults(asked, None);
        prop_assert!(check(asked, Some(json(&filled))).is_ok());
        prop_assert_eq!(&with_defaults(asked, Some(json(&filled))), &filled);
        if check_form(asked, Revision::V2026_07_28).is_ok() {
            let filled: Value = serde_json::from_str(&filled).unwrap();
            prop_assert_eq!(filled.as_object().unwrap().len(), fields.len());
        }
    }
}
