//! JSON Schema: 2020-12, and draft-07 where a schema declares it (`basic/index`, "JSON Schema Usage", of 2025-11-25 and
//! 2026-07-28).
//!
//! A schema is compiled once, and values are checked against it:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use mcp_sansio::{json::Json, schema::Validator};
//!
//! let schema = br#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
//! let validator = Validator::compile(Json::parse(schema)?)?;
//! assert!(validator.check(Json::parse(br#"{"n":1.0}"#)?).is_ok());
//! let violations = validator.check(Json::parse(br#"{"n":"x"}"#)?).unwrap_err();
//! assert_eq!(violations.first().path, "/n");
//! # Ok(())
//! # }
//! ```
//!
//! Nothing is ever fetched: a `$ref` leads into its own document, or the schema is refused. `format`, `contentEncoding`
//! and `contentMediaType` are annotations, as 2020-12 has it. A pattern is an ECMA-262 expression, matched in linear time;
//! one with look-around or back-references in a bounded number of steps. Both the schema and what a check can cost are
//! bounded; a value that would cost more is refused.
mod graph;

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::{self, Write};

use jsonschema::{Draft, PatternOptions, ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use crate::{
    error::{Violation, Violations},
    json::{Json, unescape},
};
use graph::{Cost, Graph};

/// Most bytes of one schema.
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// Most violations that one check reports.
pub const MAX_VIOLATIONS: usize = 8;
/// Most subschemas within one another in a check: a value nested deeper than this allows is refused.
pub const MAX_LEVELS: u32 = 1024;
/// Most steps to find out why a value does not fit; beyond, it is only said that it does not.
const EXPLAIN: u64 = 100_000;
/// Bytes of one compiled pattern.
const PATTERN_BYTES: usize = 256 << 10;
/// Steps back in one match of a pattern with look-around or back-references.
const BACKTRACKS: usize = 10_000;
/// Bytes of the text of one violation.
const TEXT_BYTES: usize = 240;
/// Alternatives that a violation says something of.
const ALTERNATIVES: usize = 4;

/// A schema that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct SchemaError {
    /// Where in the schema: a JSON pointer, empty for all of it.
    pub path: String,
    /// What is wrong there and what to do.
    pub reason: String,
}

impl SchemaError {
    fn new(path: &str, reason: impl Into<String>) -> Self {
        Self { path: String::from(path), reason: reason.into() }
    }
    fn of(error: &ValidationError<'_>) -> Self {
        let mut path = error.instance_path().to_string();
        let mut reason = text_of(error);
        if let ValidationErrorKind::Format { format } = error.kind()
            && format == "regex"
        {
            reason = String::from("is no ECMA-262 pattern, too large, or has a back-reference by name");
        }
        if let ValidationErrorKind::Referencing(_) = error.kind() {
            path = error.schema_path().to_string();
        }
        Self { path, reason }
    }
}

/// A compiled schema. Immutable; one serves any number of checks at a time.
#[derive(Debug)]
pub struct Validator(Kind);

#[derive(Debug)]
enum Kind {
    /// Any object fits.
    AnyObject,
    Compiled {
        inner: Box<jsonschema::Validator>,
        costs: Box<[Cost]>,
        source: Box<str>,
    },
}

impl Validator {
    /// A schema that says the same: of one that any object fits a short one.
    pub(crate) fn source(&self) -> &str {
        match &self.0 {
            Kind::AnyObject => "{\"type\":\"object\"}",
            Kind::Compiled { source, .. } => source,
        }
    }
    /// Compiles a schema: an object or a boolean, at most [`MAX_SCHEMA_BYTES`] long. The dialect is 2020-12, or draft-07
    /// if `$schema` at its top says so.
    ///
    /// Fails on another dialect, on what that dialect does not allow, on a `$ref` that leads out of the document or
    /// nowhere or back to itself without an end, on a pattern that is out of bounds, and on a schema that is too large,
    /// too deep, or holds one value against too many subschemas.
    pub fn compile(schema: Json<'_>) -> Result<Self, SchemaError> {
        if schema.get().len() > MAX_SCHEMA_BYTES {
            return Err(SchemaError::new("", format!("is longer than {MAX_SCHEMA_BYTES} bytes")));
        }
        let mut value = value_of(schema);
        if !value.is_object() && !value.is_boolean() {
            return Err(SchemaError::new("", "must be an object or a boolean"));
        }
        let draft = dialect(&value)?;
        if let Value::Object(keywords) = &mut value {
            keywords.remove("$schema");
        }
        if is_any_object(&value) {
            return Ok(Self(Kind::AnyObject));
        }
        // Only what the linear engine can't match is left to the other one.
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS).size_limit(PATTERN_BYTES);
        let options = jsonschema::options()
            .with_draft(draft)
            .offline()
            .with_pattern_options(patterns)
            .should_validate_formats(false)
            .without_content_encoding_support("base64")
            .without_content_media_type_support("application/json");
        let costs = Graph::of(&value, draft)?.costs(Json::MAX_DEPTH)?;
        let inner = options.build(&value).map_err(|error| SchemaError::of(&error))?;
        let source = schema.get().into();
        Ok(Self(Kind::Compiled { inner: Box::new(inner), costs: costs.into(), source }))
    }

    /// Checks a value. At most [`MAX_VIOLATIONS`] are reported, in the order of the schema's keywords.
    pub fn check(&self, value: Json<'_>) -> Result<(), Violations> {
        let (inner, costs) = match &self.0 {
            Kind::AnyObject if value.is_object() => return Ok(()),
            Kind::AnyObject => return Err(Violations::one("", "is not of type \"object\"")),
            Kind::Compiled { inner, costs, .. } => (inner, costs),
        };
        let value = value_of(value);
        let (parts, depth) = measure(&value);
        let last = Cost { visits: u32::MAX, levels: u32::MAX };
        let cost = costs.get(depth).or(costs.last()).copied().unwrap_or(last);
        if cost.levels > MAX_LEVELS || depth > Json::MAX_DEPTH {
            return Err(Violations::one("", "is nested too deep to be checked"));
        }
        if inner.is_valid(&value) {
            return Ok(());
        }
        if u64::from(cost.visits) * parts > EXPLAIN {
            return Err(Violations::one("", "does not fit the schema, and is too large to say where"));
        }
        let errors = inner.iter_errors(&value).take(MAX_VIOLATIONS);
        let all = errors.map(|error| Violation::new(error.instance_path().to_string(), text_of(&error)));
        Err(Violations::from_all(all).unwrap_or_else(|| Violations::one("", "does not fit the schema")))
    }

    /// Checks a result of `tools/call` whose tool declares this schema as its `outputSchema`: its `structuredContent` is
    /// there and fits, unless the result says `isError` (`server/tools`). Paths begin in the result.
    pub fn check_result(&self, result: Json<'_>) -> Result<(), Violations> {
        if result.member("isError").is_some_and(|failed| failed.get() == "true") {
            return Ok(());
        }
        match result.member("structuredContent") {
            Some(content) => self.check(content).map_err(|violations| violations.under("/structuredContent")),
            None => Err(Violations::one("/structuredContent", "is missing")),
        }
    }
}

/// The dialect of a schema.
fn dialect(schema: &Value) -> Result<Draft, SchemaError> {
    let named = match schema.get("$schema") {
        None => return Ok(Draft::Draft202012),
        Some(named) => named.as_str().unwrap_or_default(),
    };
    let name = named.strip_suffix('#').unwrap_or(named);
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or_default();
    match name {
        "json-schema.org/draft/2020-12/schema" => Ok(Draft::Draft202012),
        "json-schema.org/draft-07/schema" => Ok(Draft::Draft7),
        _ => Err(SchemaError::new(
            "/$schema",
            "this dialect is not supported: 2020-12 (`https://json-schema.org/draft/2020-12/schema`) and \
             draft-07 (`http://json-schema.org/draft-07/schema#`) are",
        )),
    }
}

/// Whether a schema asks for an object and nothing else, which needs no look at its members.
fn is_any_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
        && schema.as_object().is_some_and(|keywords| {
            keywords.iter().all(|(keyword, value)| match keyword.as_str() {
                "type" => true,
                "title" | "description" | "$comment" => value.is_string(),
                _ => false,
            })
        })
}

/// The value that a text is.
fn value_of(json: Json<'_>) -> Value {
    serde_json::from_str(json.get()).unwrap_or_else(|_| spelled_out(json))
}

/// As `value_of`, for what serde does not take: lone surrogates, which are read as U+FFFD, and numbers that are larger than
/// the largest double, which are read as that.
fn spelled_out(json: Json<'_>) -> Value {
    let text = json.get().trim_matches([' ', '\t', '\n', '\r']);
    match text.as_bytes().first() {
        Some(b'{') => {
            let member = |(key, value)| Some((unescape(key)?.into_owned(), spelled_out(value)));
            Value::Object(json.members().filter_map(member).collect())
        }
        Some(b'[') => Value::Array(json.elements().map(spelled_out).collect()),
        Some(b'"') => json.as_str().map_or(Value::Null, |text| Value::String(text.into_owned())),
        _ => serde_json::from_str(text).unwrap_or_else(|_| {
            let largest = if text.starts_with('-') { f64::MIN } else { f64::MAX };
            Value::from(largest)
        }),
    }
}

/// How many values there are in a value, itself included, and in how many levels.
fn measure(value: &Value) -> (u64, usize) {
    let all = |parts: &mut dyn Iterator<Item = &Value>| {
        parts
            .map(measure)
            .fold((1, 0), |(count, depth), (parts, below)| (count + parts, depth.max(below + 1)))
    };
    match value {
        Value::Array(elements) => all(&mut elements.iter()),
        Value::Object(members) => all(&mut members.values()),
        _ => (1, 0),
    }
}

/// What an error says, without the value.
fn text_of(error: &ValidationError<'_>) -> String {
    let mut text = Cut(String::new());
    let _ = match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            alternatives(&mut text, error, context)
        }
        _ => write!(text, "{}", error.masked_with("")),
    };
    let text = text.0;
    String::from(text.trim_start())
}

/// What is wrong with each alternative.
fn alternatives(
    text: &mut Cut,
    error: &ValidationError<'_>,
    context: &[Vec<ValidationError<'_>>],
) -> fmt::Result {
    let above = error.instance_path().as_str();
    text.write_str("fits none of the alternatives")?;
    for (place, errors) in context.iter().take(ALTERNATIVES).enumerate() {
        let Some(first) = errors.first() else { continue };
        let path = first.instance_path().as_str();
        let path = path.strip_prefix(above).unwrap_or(path);
        let comma = if place == 0 { ": " } else { "; or " };
        write!(text, "{comma}{path} {}", first.masked_with("").to_string().trim_start())?;
    }
    Ok(())
}

/// Text that ends where it gets too long.
struct Cut(String);

impl Write for Cut {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = TEXT_BYTES - self.0.len();
        if more.len() <= room {
            self.0.push_str(more);
            return Ok(());
        }
        self.0.extend(
            more.char_indices().take_while(|(at, next)| at + next.len_utf8() <= room).map(|(_, next)| next),
        );
        self.0.push('…');
        Err(fmt::Error)
    }
}
