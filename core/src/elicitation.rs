//! The forms of `elicitation/create`: the restricted schemas that a server may ask with, and the answers to them
//! (`client/elicitation`, form mode).
//!
//! A form is a flat object. Each field is a text, a number, a boolean, a choice, or several choices. A server checks with
//! [`check_form`] before it asks and with [`check`] when it is answered; a client checks with [`check`] before it answers,
//! and fills in what the person left out with [`with_defaults`].
use alloc::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec::Vec,
};

use crate::{
    error::{Violation, Violations},
    json::{Json, unescape},
    jsonrpc::{id, write},
    revision::Revision,
    syntax::{is_date, is_date_time},
};

/// Most violations that one check reports.
const MAX_VIOLATIONS: usize = 8;
/// Keywords that a field of a kind may not have, because they would make it more than a primitive.
const COMPOSED: [&str; 7] = ["properties", "allOf", "not", "if", "$ref", "prefixItems", "patternProperties"];
const OBJECT: &str = "is not of type \"object\"";

/// What a field asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Integer,
    Boolean,
    Choices,
}

/// Whether a revision can ask with this form: an object whose `properties` are primitives. Several choices, titled choices
/// and defaults other than a boolean's exist from 2025-11-25 on. Paths begin in the form.
///
/// ```
/// use mcp_sansio::{elicitation, json::Json, revision::Revision};
///
/// let form = br#"{"type":"object","properties":{"size":{"type":"string","enum":["S","M"]}},"required":["size"]}"#;
/// let form = Json::parse(form).unwrap();
/// assert!(elicitation::check_form(form, Revision::V2025_06_18).is_ok());
/// assert!(elicitation::check(form, Some(Json::parse(br#"{"size":"M"}"#).unwrap())).is_ok());
/// ```
pub fn check_form(requested: Json<'_>, revision: Revision) -> Result<(), Violations> {
    let mut found = Vec::new();
    let mut wrong = |path: &str, text: &str| found.push(Violation::new(path, text));
    if requested.member("type").and_then(Json::as_str).as_deref() != Some("object") {
        wrong("/type", "must be \"object\"");
    }
    let properties = requested.member("properties").filter(|properties| properties.is_object());
    if properties.is_none() {
        wrong("/properties", "must be an object");
    }
    if let Some(required) = requested.member("required")
        && !is_list_of_texts(required)
    {
        wrong("/required", "must be an array of names");
    }
    for (name, field) in fields(requested) {
        if let Err((below, text)) = check_field(field, revision) {
            wrong(&format!("/properties/{}{below}", pointer(&name)), &text);
        }
    }
    found.truncate(MAX_VIOLATIONS);
    Violations::from_all(found).map_or(Ok(()), Err)
}

/// Whether the content of an accepted answer fits the form; absent content is empty. Numbers may be fractions. Members that
/// the form does not ask for must still be texts, numbers, booleans or arrays of texts. Content of an answer that declines
/// or cancels means nothing and is not checked.
pub fn check(requested: Json<'_>, content: Option<Json<'_>>) -> Result<(), Violations> {
    let content = content.unwrap_or(Json::EMPTY_OBJECT);
    if !content.is_object() {
        return Err(Violations::one("", OBJECT));
    }
    let fields: BTreeMap<_, _> = fields(requested).collect();
    let given: BTreeSet<_> = names(content).collect();
    let mut found = Vec::new();
    let required = requested.member("required").into_iter().flat_map(Json::elements);
    for name in required.filter_map(Json::as_str) {
        if !given.contains(&name) {
            found.push(Violation::new("", format!("\"{name}\" is a required property")));
        }
        if found.len() >= MAX_VIOLATIONS {
            break;
        }
    }
    for (key, value) in content.members() {
        if found.len() >= MAX_VIOLATIONS {
            break;
        }
        let name = unescape(key).unwrap_or_default();
        let checked = match fields.get(&*name) {
            Some(field) => check_value(*field, value),
            None if is_primitive(value) => Ok(()),
            None => Err((String::new(), String::from("is neither a primitive nor an array of strings"))),
        };
        if let Err((below, text)) = checked {
            found.push(Violation::new(format!("/{}{below}", pointer(&name)), text));
        }
    }
    Violations::from_all(found).map_or(Ok(()), Err)
}

/// The content with the form's defaults for the members that it lacks. A default that does not fit its own field is left
/// out; content that is no object is taken as empty.
pub fn with_defaults(requested: Json<'_>, content: Option<Json<'_>>) -> String {
    let content = content.filter(|content| content.is_object()).unwrap_or(Json::EMPTY_OBJECT);
    let mut filled = String::from("{");
    let mut add = |name: &str, value: Json<'_>| {
        if filled.len() > 1 {
            filled.push(',');
        }
        write::string(&mut filled, name);
        filled.push(':');
        write::json(&mut filled, value);
    };
    for (key, value) in content.members() {
        add(&unescape(key).unwrap_or_default(), value);
    }
    let given: BTreeSet<_> = names(content).collect();
    for (name, field) in fields(requested) {
        let default = field.member("default").filter(|default| check_value(field, *default).is_ok());
        if let Some(default) = default.filter(|_| !given.contains(&*name)) {
            add(&name, default);
        }
    }
    filled.push('}');
    filled
}

/// Where below a field, and what is wrong there.
type Misfit = (String, String);

fn misfit<T>(below: &str, text: impl Into<String>) -> Result<T, Misfit> {
    Err((String::from(below), text.into()))
}

fn names(object: Json<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    object.members().map(|(key, _)| unescape(key).unwrap_or_default())
}

fn fields(requested: Json<'_>) -> impl Iterator<Item = (String, Json<'_>)> {
    let members = requested.member("properties").into_iter().flat_map(Json::members);
    members.map(|(key, field)| (unescape(key).unwrap_or_default().into_owned(), field))
}

fn pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn is_list_of_texts(value: Json<'_>) -> bool {
    value.get().starts_with('[') && value.elements().all(|element| element.as_str().is_some())
}

fn is_primitive(value: Json<'_>) -> bool {
    number(value).is_some()
        || matches!(value.get(), "true" | "false")
        || value.as_str().is_some()
        || is_list_of_texts(value)
}

/// The values that a field offers: those of `enum`, or of the `const` members of titled ones.
fn choices<'a>(schema: Json<'a>, titled: &str) -> Option<impl Iterator<Item = Option<String>> + 'a> {
    let (list, titled) = match (schema.member("enum"), schema.member(titled)) {
        (Some(list), _) => (list, false),
        (None, Some(list)) => (list, true),
        (None, None) => return None,
    };
    Some(list.elements().map(move |choice| {
        let choice = if titled { choice.member("const")? } else { choice };
        choice.as_str().map(Cow::into_owned)
    }))
}

fn kind_of(field: Json<'_>) -> Result<Kind, Misfit> {
    match field.member("type").and_then(Json::as_str).as_deref() {
        Some("string") => Ok(Kind::Text),
        Some("number") => Ok(Kind::Number),
        Some("integer") => Ok(Kind::Integer),
        Some("boolean") => Ok(Kind::Boolean),
        Some("array") => Ok(Kind::Choices),
        _ => misfit("/type", "must be string, number, integer, boolean or, for several choices, array"),
    }
}

fn check_field(field: Json<'_>, revision: Revision) -> Result<(), Misfit> {
    let kind = kind_of(field)?;
    // Several and titled choices, and defaults of every kind, came with the modes.
    let choices_of_revision = revision.features().elicitation_modes;
    if let Some(keyword) = COMPOSED.iter().find(|keyword| field.member(keyword).is_some()) {
        return misfit(&format!("/{keyword}"), "is not allowed: fields of a form are primitives");
    }
    if kind == Kind::Choices {
        if !choices_of_revision {
            return misfit("/type", "the revision of this peer has no field for several choices");
        }
        let items = field.member("items");
        let Some(mut offered) = items.and_then(|items| choices(items, "anyOf")) else {
            return misfit("/items", "must offer strings, by `enum` or by `anyOf` with titles");
        };
        if offered.any(|choice| choice.is_none()) {
            return misfit("/items", "must offer strings");
        }
    }
    if kind == Kind::Text {
        if field.member("oneOf").is_some() && !choices_of_revision {
            return misfit(
                "/oneOf",
                "the revision of this peer has no titled choices; use `enum` and `enumNames`",
            );
        }
        if choices(field, "oneOf").is_some_and(|mut offered| offered.any(|choice| choice.is_none())) {
            return misfit("", "must offer strings");
        }
        let format = field.member("format").and_then(Json::as_str);
        if format.is_some_and(|format| !matches!(&*format, "email" | "uri" | "date" | "date-time")) {
            return misfit("/format", "must be email, uri, date or date-time");
        }
    }
    match field.member("default") {
        Some(_) if !choices_of_revision && kind != Kind::Boolean => {
            misfit("/default", "the revision of this peer has defaults of booleans alone")
        }
        Some(default) => check_value(field, default).or_else(|(_, text)| misfit("/default", text)),
        None => Ok(()),
    }
}

fn check_value(field: Json<'_>, value: Json<'_>) -> Result<(), Misfit> {
    let bound = |keyword: &str| field.member(keyword).and_then(number);
    let outside = |size: f64, low: &str, high: &str| {
        bound(low).is_some_and(|low| size < low) || bound(high).is_some_and(|high| size > high)
    };
    match kind_of(field).or_else(|(_, text)| misfit("", text))? {
        Kind::Boolean if matches!(value.get(), "true" | "false") => Ok(()),
        Kind::Boolean => misfit("", "is not of type \"boolean\""),
        kind @ (Kind::Number | Kind::Integer) => {
            let Some(size) = number(value) else { return misfit("", "is not of type \"number\"") };
            if kind == Kind::Integer && !id::is_integral(value.get()) {
                return misfit("", "is not of type \"integer\"");
            }
            if outside(size, "minimum", "maximum") {
                return misfit("", "is not between its minimum and its maximum");
            }
            Ok(())
        }
        Kind::Text => {
            let Some(text) = value.as_str() else { return misfit("", "is not of type \"string\"") };
            if let Some(mut offered) = choices(field, "oneOf") {
                let known = offered.any(|choice| choice.as_deref() == Some(&*text));
                return if known { Ok(()) } else { misfit("", "is none of the choices") };
            }
            if outside(length(text.chars().count()), "minLength", "maxLength") {
                return misfit("", "is shorter than its minLength or longer than its maxLength");
            }
            match field.member("format").and_then(Json::as_str) {
                Some(format) if !has_format(&text, &format) => misfit("", format!("is not a valid {format}")),
                _ => Ok(()),
            }
        }
        Kind::Choices => {
            if !value.get().starts_with('[') {
                return misfit("", "is not of type \"array\"");
            }
            if outside(length(value.elements().count()), "minItems", "maxItems") {
                return misfit("", "has fewer items than its minItems or more than its maxItems");
            }
            for (place, chosen) in value.elements().enumerate() {
                let chosen = chosen.as_str();
                let offered = field.member("items").and_then(|items| choices(items, "anyOf"));
                if !offered
                    .into_iter()
                    .flatten()
                    .any(|choice| choice.is_some() && choice.as_deref() == chosen.as_deref())
                {
                    return misfit(&format!("/{place}"), "is none of the choices");
                }
            }
            Ok(())
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "messages are not that long")]
fn length(count: usize) -> f64 {
    count as f64
}

fn number(value: Json<'_>) -> Option<f64> {
    let text = value.get();
    let starts = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    text.parse().ok().filter(|_| starts)
}

/// The four formats of a text. Of addresses and URIs only what no valid one lacks is asked for.
fn has_format(text: &str, format: &str) -> bool {
    match format {
        "email" => text.rsplit_once('@').is_some_and(|(user, host)| {
            let spaced = text.contains(|symbol: char| symbol.is_whitespace() || symbol.is_control());
            !user.is_empty() && !host.is_empty() && !spaced
        }),
        "uri" => text.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "+-.".contains(symbol))
                && !rest.is_empty()
                && !text.contains(|symbol: char| {
                    symbol.is_whitespace() || symbol.is_control() || "<>\"{}|\\^`".contains(symbol)
                })
        }),
        "date" => is_date(text),
        "date-time" => is_date_time(text),
        _ => true,
    }
}
