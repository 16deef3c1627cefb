//! Expansion of templates: RFC 6570, section 3.2.1.
use alloc::string::String;

use super::{
    chars::{RESERVED, UNRESERVED, escape, escaped, percent_encode},
    template::{Field, Modifier, Operator, Part, Template, Value},
};
use crate::error::UriError;

impl Template {
    /// The URI for these values. A variable that has none, or an empty list, is absent; a name that stands twice counts the
    /// first time; names the template does not have are ignored.
    ///
    /// Values are plain text and are percent-encoded. In literals, and in values of `{+x}` and `{#x}`, escapes that are already
    /// there are kept.
    ///
    /// # Errors
    /// A prefix modifier on a list or pairs (section 2.4.1).
    pub fn expand<N: AsRef<str>>(&self, values: &[(N, Value<'_>)]) -> Result<String, UriError> {
        let mut out = String::with_capacity(self.as_str().len());
        for part in &self.parts {
            match part {
                Part::Literal { text, .. } => encode(text, true, &mut out),
                Part::Expression { operator, fields } => {
                    let mut is_first = true;
                    for field in fields {
                        let given = values.iter().find(|(name, _)| name.as_ref() == field.name);
                        let Some((_, value)) = given.filter(|(_, value)| !value.is_absent()) else {
                            continue;
                        };
                        let mark = if is_first { operator.first() } else { Some(operator.separator()) };
                        out.extend(mark);
                        is_first = false;
                        write_value(field, value, &mut out)?;
                    }
                }
            }
        }
        Ok(out)
    }
}

fn write_value(field: &Field, value: &Value<'_>, out: &mut String) -> Result<(), UriError> {
    let Field { name, operator, modifier, offset } = field;
    let keeps = operator.keeps_reserved();
    let explodes = *modifier == Modifier::Explode;
    let separator = if explodes { operator.separator() } else { ',' };
    if let (Modifier::Prefix(_), Value::List(_) | Value::Pairs(_)) = (modifier, value) {
        return Err(UriError::new(*offset, "a prefix of a value that is not one string"));
    }
    if operator.is_named() && (!explodes || matches!(value, Value::Text(_))) {
        let is_empty = match value {
            Value::Text(text) => text.is_empty(),
            Value::List(items) => matches!(items.as_slice(), [item] if item.is_empty()),
            Value::Pairs(_) => false,
        };
        out.push_str(name);
        equals(*operator, is_empty, out);
    }
    match value {
        Value::Text(text) => {
            let text = match modifier {
                Modifier::Prefix(length) => prefix(text, (*length).into(), keeps),
                Modifier::None | Modifier::Explode => text,
            };
            encode(text, keeps, out);
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                out.extend((index > 0).then_some(separator));
                if operator.is_named() && explodes {
                    out.push_str(name);
                    equals(*operator, item.is_empty(), out);
                }
                encode(item, keeps, out);
            }
        }
        Value::Pairs(pairs) => {
            for (index, (key, item)) in pairs.iter().enumerate() {
                out.extend((index > 0).then_some(separator));
                encode(key, keeps, out);
                if !explodes {
                    out.push(',');
                } else if operator.is_named() {
                    equals(*operator, item.is_empty(), out);
                } else {
                    out.push('=');
                }
                encode(item, keeps, out);
            }
        }
    }
    Ok(())
}

/// What stands between a name and its value: a path parameter that is empty is its name alone.
fn equals(operator: Operator, is_empty: bool, out: &mut String) {
    if !(is_empty && operator == Operator::Parameters) {
        out.push('=');
    }
}

/// The first characters of a value; escapes that are kept count as the character that they stand for.
fn prefix(text: &str, length: usize, keeps: bool) -> &str {
    let mut at = 0;
    for _ in 0..length {
        let Some(rest) = text.get(at..) else { break };
        let kept = if keeps { escaped(rest.as_bytes()) } else { None };
        let Some(length) = kept.map(|(_, length)| length).or(rest.chars().next().map(char::len_utf8)) else {
            break;
        };
        at += length;
    }
    text.get(..at).unwrap_or(text)
}

/// Appends text encoded; reserved characters and escapes stay as they are where they may.
fn encode(text: &str, keeps: bool, out: &mut String) {
    if !keeps {
        return percent_encode(text, UNRESERVED, out);
    }
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at(at);
        percent_encode(before, UNRESERVED.and(RESERVED), out);
        let length = if escape(from.as_bytes()).is_some() { 3 } else { 1 };
        let (sign, after) = from.split_at(length);
        if length == 3 {
            out.push_str(sign);
        } else {
            percent_encode(sign, UNRESERVED, out);
        }
        rest = after;
    }
    percent_encode(rest, UNRESERVED.and(RESERVED), out);
}
