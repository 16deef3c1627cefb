//! JSON as the player sees it: numbers keep their text, so that ids above 2^53 and `1e400` are told apart.
use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// One JSON value.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A decoded string. One with a lone surrogate, which no Rust string holds, keeps its escapes.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// The members of an object in their order, repeated ones included.
    Object(Vec<(String, Value)>),
}

/// The members of one object, their values unread.
pub struct Members<'a>(pub Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Of a text that is an object.
    pub fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

impl Value {
    /// Reads one JSON text.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        match text.as_bytes().first() {
            Some(b'{') => {
                let Members(members) = serde_json::from_str(text)?;
                members
                    .into_iter()
                    .map(|(key, raw)| Ok((key, Self::parse(raw.get())?)))
                    .collect::<Result<_, _>>()
                    .map(Self::Object)
            }
            Some(b'[') => {
                let elements: Vec<&RawValue> = serde_json::from_str(text)?;
                elements
                    .into_iter()
                    .map(|raw| Self::parse(raw.get()))
                    .collect::<Result<_, _>>()
                    .map(Self::Array)
            }
            Some(b'"') => {
                let raw: &RawValue = serde_json::from_str(text)?;
                let undecoded = || raw.get().trim_matches('"').to_owned();
                Ok(Self::String(serde_json::from_str(raw.get()).unwrap_or_else(|_| undecoded())))
            }
            Some(b't' | b'f') => serde_json::from_str(text).map(Self::Bool),
            Some(b'n') => serde_json::from_str::<()>(text).map(|()| Self::Null),
            _ => serde_json::from_str::<&RawValue>(text).map(|raw| Self::Number(raw.get().to_owned())),
        }
    }
    /// A number.
    pub fn number(number: impl fmt::Display) -> Self {
        Self::Number(number.to_string())
    }
    /// A string.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }
    /// An object of these members.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
    /// The last member of this name.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }
    /// The value at the end of a path of members.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }
    /// The members of an object; none for other values.
    pub fn members(&self) -> &[(String, Self)] {
        if let Self::Object(members) = self { members } else { &[] }
    }
    /// The elements of an array; none for other values.
    pub fn elements(&self) -> &[Self] {
        if let Self::Array(elements) = self { elements } else { &[] }
    }
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }
    /// A number that is whole, not negative and fits.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(text) = self { text.parse().ok() } else { None }
    }
    /// A number, rounded.
    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(text) = self { text.parse().ok() } else { None }
    }
    /// Puts a member in the place of the one of this name, or at the end. Other values than objects stay.
    pub fn set(&mut self, key: &str, value: Self) {
        if let Self::Object(members) = self {
            match members.iter_mut().find(|(name, _)| name == key) {
                Some((_, old)) => *old = value,
                None => members.push((key.to_owned(), value)),
            }
        }
    }
    /// Whether it is a whole number, however it is written.
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Number(text) if decimal(text).is_some_and(|number| number.exponent >= 0))
    }
}

/// Equal as JSON values: members in any order, numbers by value.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => {
                a == b || matches!((decimal(a), decimal(b)), (Some(a), Some(b)) if a == b)
            }
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, value)| other.get(key) == Some(value))
            }
            _ => false,
        }
    }
}

/// A number as sign, digits without zeros at either end, and the power of ten of the last digit.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// `None` only for an exponent beyond 64 bits.
fn decimal(text: &str) -> Option<Decimal> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(Decimal { negative: false, digits: String::new(), exponent: 0 });
    }
    let exponent: i64 = exponent.parse().ok()?;
    let shift = i64::try_from(digits.len() - significant.len()).ok()? - i64::try_from(fraction.len()).ok()?;
    Some(Decimal {
        negative: whole.starts_with('-'),
        digits: significant.to_owned(),
        exponent: exponent.checked_add(shift)?,
    })
}

/// Compact JSON.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::to_string(text).map_err(|_| fmt::Error);
        let separated =
            |f: &mut fmt::Formatter<'_>, index: usize| if index > 0 { f.write_str(",") } else { Ok(()) };
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(text) => f.write_str(text),
            Self::String(text) => f.write_str(&quoted(text)?),
            Self::Array(elements) => {
                f.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    separated(f, index)?;
                    element.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    separated(f, index)?;
                    write!(f, "{}:{value}", quoted(key)?)?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    fn parse(text: &str) -> Value {
        Value::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn numbers_are_equal_by_value_and_keep_their_text() {
        for (a, b, same) in [
            ("1", "1.0", true),
            ("100", "1e2", true),
            ("-0", "0.00", true),
            ("9007199254740992", "9007199254740993", false),
            ("1e400", "1e401", false),
            ("-5", "5", false),
            ("0.5", "5e-1", true),
        ] {
            assert_eq!(parse(a) == parse(b), same, "{a} and {b}");
        }
        assert_eq!(parse("[1e400,18446744073709551616]").to_string(), "[1e400,18446744073709551616]");
        assert!(parse("1e3").is_integer() && parse("1.0").is_integer() && !parse("1.5").is_integer());
        assert_ne!(parse("1"), parse("\"1\""));
    }

    #[test]
    fn objects_are_equal_in_any_order() {
        assert_eq!(parse(r#"{"a":1,"b":[null]}"#), parse(r#"{ "b" : [ null ], "a" : 1.0 }"#));
        assert_ne!(parse(r#"{"a":1}"#), parse(r#"{"a":1,"b":2}"#));
    }

    #[test]
    fn a_lone_surrogate_is_kept_escaped() {
        assert_eq!(parse(r#""\ud83d""#).as_str(), Some(r"\ud83d"));
        assert!(Value::parse("{\"a\":\"\u{0}\"}").is_err());
        assert!(Value::parse("{} {}").is_err());
    }
}
