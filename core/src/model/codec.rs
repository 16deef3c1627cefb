//! How typed payloads are read and written: one trait, and what it means for text, lists, maps and absent members.
use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

use super::raw::Raw;
use crate::{
    json::{Json, unescape},
    jsonrpc::write,
};

/// JSON, or a value for it, that does not fit the type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Where: members by their names in the schema, elements and entries of maps by their position (`content[2].data`).
    /// Empty for the value as a whole. It holds no text of the peer.
    pub path: String,
    /// What is wrong there.
    pub problem: Cow<'static, str>,
}

impl Misfit {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "model.misfit"
    }
    pub(crate) fn new(problem: impl Into<Cow<'static, str>>) -> Self {
        Self { path: String::new(), problem: problem.into() }
    }
    pub(super) fn within(mut self, part: &str) -> Self {
        let joint = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{part}{joint}{}", self.path);
        self
    }
    fn in_entry(self, index: usize) -> Self {
        self.within(&format!("[{index}]"))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.path, self.problem)
        }
    }
}

impl core::error::Error for Misfit {}

/// The paths of what a value has beyond the five revisions.
#[derive(Debug, Default)]
pub struct Unknown {
    path: String,
    found: Vec<String>,
}

impl Unknown {
    /// Walks on with `part` (a member's name, or `[n]`) added to the path.
    pub fn within(&mut self, part: &str, walk: impl FnOnce(&mut Self)) {
        let end = self.path.len();
        if end > 0 && !part.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(part);
        walk(self);
        self.path.truncate(end);
    }
    /// The value at the path is one.
    pub fn report(&mut self) {
        self.found.push(self.path.clone());
    }
}

/// A typed payload, or a part of one.
///
/// What is read borrows from the JSON wherever its text has no escapes. `null` reads as absent where the schema has no null;
/// a member that is repeated counts as it comes last; a lone surrogate escape reads as U+FFFD. What is absent is not
/// written. Members that no revision names are kept and written after the others, in their order.
pub trait Model<'a>: Sized {
    /// The same type, borrowing nothing.
    type Owned: Model<'static>;

    /// Reads it from checked JSON.
    fn read(json: Json<'a>) -> Result<Self, Misfit>;
    /// Appends it as JSON.
    fn write(&self, out: &mut String);
    /// Copies what is borrowed.
    fn into_owned(self) -> Self::Owned;
    /// Reports members, words and kinds that none of the five revisions has.
    fn find_unknown(&self, unknown: &mut Unknown);

    /// Reads a member, present or not.
    fn read_member(json: Option<Json<'a>>) -> Result<Self, Misfit> {
        json.ok_or_else(|| Misfit::new("missing")).and_then(Self::read)
    }
    /// Reads a member that is present and may be left out.
    fn read_optional(json: Json<'a>) -> Result<Option<Self>, Misfit> {
        if json.get().trim_ascii() == "null" { Ok(None) } else { Self::read(json).map(Some) }
    }
    /// Whether a member of this value is left out.
    fn is_absent(&self) -> bool {
        false
    }

    /// It as JSON text.
    fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
    /// It as checked JSON, for a command of a machine: `raw.as_json()`.
    fn to_raw(&self) -> Raw<'static> {
        Raw::from_written(self.to_json())
    }
    /// The paths of members, words (an unknown role) and kinds (a content type) that none of the five revisions has.
    fn unknown(&self) -> Vec<String> {
        let mut unknown = Unknown::default();
        self.find_unknown(&mut unknown);
        unknown.found
    }
}

/// Reads the member `key`.
pub(super) fn member<'a, T: Model<'a>>(key: &str, json: Option<Json<'a>>) -> Result<T, Misfit> {
    T::read_member(json).map_err(|misfit| misfit.within(key))
}

/// The members of an object, each with its decoded key.
pub(super) fn members(json: Json<'_>) -> Result<impl Iterator<Item = (Cow<'_, str>, Json<'_>)>, Misfit> {
    if !json.is_object() {
        return Err(Misfit::new("expected an object"));
    }
    Ok(json.members().map(|(key, value)| (unescape(key).unwrap_or_default(), value)))
}

/// Checks a member that says what kind of object it is.
pub(super) fn expect_tag(key: &str, expected: &'static str, json: Option<Json<'_>>) -> Result<(), Misfit> {
    match json {
        Some(json) if json.as_str().as_deref() == Some(expected) => Ok(()),
        Some(_) => Err(Misfit::new(format!("expected \"{expected}\"")).within(key)),
        None => Err(Misfit::new("missing").within(key)),
    }
}

/// Writes an object, member by member.
pub(super) struct ObjectWriter<'o> {
    out: &'o mut String,
    start: usize,
}

impl<'o> ObjectWriter<'o> {
    pub(super) fn new(out: &'o mut String) -> Self {
        out.push('{');
        Self { start: out.len(), out }
    }
    fn key(&mut self, key: &str) {
        if self.out.len() > self.start {
            self.out.push(',');
        }
        write::string(self.out, key);
        self.out.push(':');
    }
    pub(super) fn tag(&mut self, key: &str, value: &str) {
        self.key(key);
        write::string(self.out, value);
    }
    pub(super) fn member<'a>(&mut self, key: &str, value: &impl Model<'a>) {
        if !value.is_absent() {
            self.key(key);
            value.write(self.out);
        }
    }
    /// Those of `extra` that have none of the `named` keys.
    pub(super) fn extra(&mut self, extra: &Map<'_, Raw<'_>>, named: &[&str]) {
        for (key, value) in &extra.0 {
            if !named.contains(&&**key) {
                self.member(key, value);
            }
        }
    }
    pub(super) fn end(self) {
        self.out.push('}');
    }
}

/// `Deserialize` by [`Model::read`], from JSON text (a string or a slice).
pub(super) fn deserialize<'de: 'a, 'a, T: Model<'a>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(Json::from(<&RawValue>::deserialize(from)?)).map_err(de::Error::custom)
}

/// `Serialize` by [`Model::write`], to JSON.
pub(super) fn serialize<'a, S: Serializer>(model: &impl Model<'a>, to: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(model.to_json()).map_err(ser::Error::custom)?.serialize(to)
}

impl<'a> Model<'a> for Cow<'a, str> {
    type Owned = Cow<'static, str>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        json.as_str().ok_or_else(|| Misfit::new("expected a string"))
    }
    fn write(&self, out: &mut String) {
        write::string(out, self);
    }
    fn into_owned(self) -> <Self as Model<'a>>::Owned {
        Cow::Owned(self.into_owned())
    }
    fn find_unknown(&self, _: &mut Unknown) {}
}

impl Model<'_> for bool {
    type Owned = Self;
    fn read(json: Json<'_>) -> Result<Self, Misfit> {
        json.get().trim_ascii().parse().map_err(|_| Misfit::new("expected true or false"))
    }
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
    fn into_owned(self) -> Self::Owned {
        self
    }
    fn find_unknown(&self, _: &mut Unknown) {}
}

/// `None` is an absent member.
impl<'a, T: Model<'a>> Model<'a> for Option<T> {
    type Owned = Option<T::Owned>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        T::read_optional(json)
    }
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
    fn into_owned(self) -> Self::Owned {
        self.map(T::into_owned)
    }
    fn find_unknown(&self, unknown: &mut Unknown) {
        if let Some(value) = self {
            value.find_unknown(unknown);
        }
    }
    fn read_member(json: Option<Json<'a>>) -> Result<Self, Misfit> {
        json.map_or(Ok(None), T::read_optional)
    }
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<'a, T: Model<'a>> Model<'a> for Vec<T> {
    type Owned = Vec<T::Owned>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        if !is_array(json) {
            return Err(Misfit::new("expected an array"));
        }
        let read = |(index, json)| T::read(json).map_err(|misfit| misfit.in_entry(index));
        json.elements().enumerate().map(read).collect()
    }
    fn write(&self, out: &mut String) {
        out.push('[');
        for (index, value) in self.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            value.write(out);
        }
        out.push(']');
    }
    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(T::into_owned).collect()
    }
    fn find_unknown(&self, unknown: &mut Unknown) {
        for (index, value) in self.iter().enumerate() {
            unknown.within(&format!("[{index}]"), |unknown| value.find_unknown(unknown));
        }
    }
}

fn is_array(json: Json<'_>) -> bool {
    json.get().trim_ascii_start().starts_with('[')
}

/// An object with free keys, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<'a, T>(pub Vec<(Cow<'a, str>, T)>);

impl<T> Default for Map<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, T> Map<'a, T> {
    /// The value under `key`: the last, if it is repeated.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }
    /// Puts `value` under `key`, in the place of what was there.
    pub fn insert(&mut self, key: impl Into<Cow<'a, str>>, value: T) {
        let key = key.into();
        match self.0.iter_mut().rev().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }
    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The entries in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }
}

impl<'a, T, K: Into<Cow<'a, str>>> FromIterator<(K, T)> for Map<'a, T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl<'a, T: Model<'a>> Model<'a> for Map<'a, T> {
    type Owned = Map<'static, T::Owned>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        let read = |(index, (key, json))| match T::read(json) {
            Ok(value) => Ok((key, value)),
            Err(misfit) => Err(Misfit::in_entry(misfit, index)),
        };
        members(json)?.enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }
    fn write(&self, out: &mut String) {
        let mut object = ObjectWriter::new(out);
        for (key, value) in &self.0 {
            object.member(key, value);
        }
        object.end();
    }
    fn into_owned(self) -> Self::Owned {
        Map(self
            .0
            .into_iter()
            .map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned()))
            .collect())
    }
    fn find_unknown(&self, unknown: &mut Unknown) {
        for (key, value) in &self.0 {
            unknown.within(key, |unknown| value.find_unknown(unknown));
        }
    }
}

/// One, or an array of any number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneOrMany<T> {
    /// Written by itself.
    One(T),
    /// Written as an array.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// All of them.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => core::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl<'a, T: Model<'a>> Model<'a> for OneOrMany<T> {
    type Owned = OneOrMany<T::Owned>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        if is_array(json) { Vec::read(json).map(Self::Many) } else { T::read(json).map(Self::One) }
    }
    fn write(&self, out: &mut String) {
        match self {
            Self::One(one) => one.write(out),
            Self::Many(many) => many.write(out),
        }
    }
    fn into_owned(self) -> Self::Owned {
        match self {
            Self::One(one) => OneOrMany::One(one.into_owned()),
            Self::Many(many) => OneOrMany::Many(many.into_owned()),
        }
    }
    fn find_unknown(&self, unknown: &mut Unknown) {
        match self {
            Self::One(one) => one.find_unknown(unknown),
            Self::Many(many) => many.find_unknown(unknown),
        }
    }
}

/// A value, or the `null` that the schema has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nullable<T> {
    /// Written as `null`.
    Null,
    /// Any other value.
    Value(T),
}

impl<'a, T: Model<'a>> Model<'a> for Nullable<T> {
    type Owned = Nullable<T::Owned>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        Ok(T::read_optional(json)?.map_or(Self::Null, Self::Value))
    }
    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Value(value) => value.write(out),
        }
    }
    fn into_owned(self) -> Self::Owned {
        match self {
            Self::Null => Nullable::Null,
            Self::Value(value) => Nullable::Value(value.into_owned()),
        }
    }
    fn find_unknown(&self, unknown: &mut Unknown) {
        if let Self::Value(value) = self {
            value.find_unknown(unknown);
        }
    }
}

/// What a member says, to tell the kinds of a union apart.
pub(super) fn tagged(key: &'static str) -> impl Fn(Json<'_>) -> Option<Cow<'_, str>> {
    move |json| json.member(key)?.as_str()
}

/// The first of `keys` that an object has.
pub(super) fn having(keys: &'static [&'static str]) -> impl Fn(Json<'_>) -> Option<Cow<'_, str>> {
    move |json| keys.iter().find(|key| json.member(key).is_some()).map(|&key| key.into())
}
