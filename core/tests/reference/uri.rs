//! What holds for every template and URI, whatever they are. Shared with `fuzz/`.
use std::collections::BTreeSet;

use mcp_sansio::uri::{MAX_URI_BYTES, Template, Value, percent_decode};

/// What came of a template and a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// It is no template.
    NoTemplate,
    /// The URI is none of it.
    NoMatch,
    /// It is, but its values can't be decoded or stand in several places.
    Matched,
    /// It is, and the values were expanded and found again.
    Again,
}

/// The values as `expand` takes them: decoded, but for those whose escapes expansion keeps.
fn values<'a>(template: &'a Template, uri: &str) -> Option<Vec<(&'a str, Value<'static>)>> {
    let keeps = |name: &str| {
        ["{+", "{#"].iter().any(|start| {
            template.as_str().split(start).skip(1).any(|rest| {
                let list = rest.split('}').next().unwrap_or_default();
                list.split(',').any(|spec| spec.split([':', '*']).next() == Some(name))
            })
        })
    };
    let own = |value: &Value<'_>| match value {
        Value::Text(text) => Value::from(text.to_string()),
        Value::List(items) => Value::List(items.iter().map(|item| item.to_string().into()).collect()),
        Value::Pairs(pairs) => Value::Pairs(
            pairs.iter().map(|(name, value)| (name.to_string().into(), value.to_string().into())).collect(),
        ),
    };
    let found = template.matches(uri)?;
    found
        .iter()
        .map(|(name, value)| {
            let decoded = value.decode().ok()?;
            Some((*name, if keeps(name) { own(value) } else { decoded }))
        })
        .collect()
}

/// Text with the spellings that mean the same made one.
fn normal(uri: &str) -> String {
    Template::parse("{+uri}")
        .expect("a template")
        .expand(&[("uri", Value::from(unreserved(uri)))])
        .expect("a string")
}

/// Text in which escaped unreserved characters are themselves and hexadecimal digits are upper case.
fn unreserved(uri: &str) -> String {
    let mut parts = uri.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        let byte = u8::from_str_radix(digits, 16).expect("an escape");
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            out = out + "%" + &digits.to_uppercase();
        }
        out += rest;
    }
    out
}

/// A template and a URI.
pub fn check_match(source: &str, uri: &str) -> Reached {
    let template = match Template::parse(source) {
        Ok(template) => template,
        Err(error) => {
            assert!(error.offset <= source.len(), "{error} in {source:?}");
            return Reached::NoTemplate;
        }
    };
    let names: Vec<&str> = template.variables().collect();
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{source:?}");
    let Some(found) = template.matches(uri) else { return Reached::NoMatch };
    assert!(uri.len() <= MAX_URI_BYTES);
    let mut order = names.iter();
    for (name, value) in &found {
        assert!(order.any(|next| next == name), "{name} is not in its place in {source:?}");
        let texts = match value {
            Value::Text(text) => vec![text],
            Value::List(items) => items.iter().collect(),
            Value::Pairs(pairs) => pairs.iter().flat_map(|(name, value)| [name, value]).collect(),
        };
        assert!(texts.iter().all(|text| uri.contains(&***text)), "{value:?} is not from {uri:?}");
    }
    // Where names are exploded, what is adjacent may be read as part of them.
    let explodes = |list: &str| list.starts_with([';', '?', '&']) && list.contains('*');
    let is_loose = source.split('{').skip(1).any(|rest| rest.split('}').next().is_some_and(explodes));
    let occurrences =
        source.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or_default().split(',').count());
    let Some(given) =
        values(&template, uri).filter(|_| !is_loose && occurrences.sum::<usize>() == names.len())
    else {
        return Reached::Matched;
    };
    let expanded = template.expand(&given).expect("a prefix is taken of strings alone");
    if expanded.len() > MAX_URI_BYTES {
        return Reached::Matched;
    }
    let again = values(&template, &expanded);
    let again =
        again.unwrap_or_else(|| panic!("{source:?} gave {expanded:?} for {given:?}, and does not match it"));
    let twice = template.expand(&again).expect("a prefix is taken of strings alone");
    assert_eq!(normal(&twice), normal(&expanded), "{source:?} with {given:?} and then {again:?}");
    Reached::Again
}

/// Decoding never goes further than once, and takes back what encoding does.
pub fn check_decoding(text: &str) {
    let _ = percent_decode(text);
    let encoded =
        Template::parse("{x}").expect("a template").expand(&[("x", Value::from(text))]).expect("a string");
    assert_eq!(percent_decode(&encoded).as_deref(), Ok(text));
}
