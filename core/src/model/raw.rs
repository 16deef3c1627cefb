//! The parts of payloads that stay JSON: any value, any object, and numbers as they are spelled.
use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
};
use core::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::codec::{Misfit, Model, Unknown};
use crate::{error::NotJson, json::Json, jsonrpc::id};

/// Any JSON value, kept as its text. `null` is one of them, wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw<'a>(Cow<'a, str>);

impl<'a> Raw<'a> {
    /// Checks `text`.
    pub fn parse(text: impl Into<Cow<'a, str>>) -> Result<Self, NotJson> {
        let text = text.into();
        Json::parse(text.as_bytes())?;
        Ok(Self(text))
    }
    /// What `serde` makes of `value`.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Result<Raw<'static>, serde_json::Error> {
        serde_json::to_string(value).map(Raw::from_written)
    }
    /// Text that was made as JSON.
    pub(super) const fn from_written(text: String) -> Raw<'static> {
        Raw(Cow::Owned(text))
    }
    /// The text as it came.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// Checked already.
    pub fn as_json(&self) -> Json<'_> {
        Json::from_checked(&self.0)
    }
    /// Decodes it; `T` may borrow from it.
    pub fn decode<'d, T: Deserialize<'d>>(&'d self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl<'a> From<Json<'a>> for Raw<'a> {
    fn from(json: Json<'a>) -> Self {
        Self(Cow::Borrowed(json.get()))
    }
}

impl<'a> From<Object<'a>> for Raw<'a> {
    fn from(object: Object<'a>) -> Self {
        object.0
    }
}

impl<'a> Model<'a> for Raw<'a> {
    type Owned = Raw<'static>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        Ok(json.into())
    }
    fn write(&self, out: &mut String) {
        out.push_str(&self.0);
    }
    fn into_owned(self) -> Self::Owned {
        Raw(Cow::Owned(self.0.into_owned()))
    }
    fn find_unknown(&self, _: &mut Unknown) {}
    fn read_optional(json: Json<'a>) -> Result<Option<Self>, Misfit> {
        Ok(Some(json.into()))
    }
}

serde_by_model!(Raw);

/// Any JSON object, kept as its text: arguments, a JSON Schema, an extension's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object<'a>(Raw<'a>);

impl<'a> Object<'a> {
    /// Checks `text`.
    pub fn parse(text: impl Into<Cow<'a, str>>) -> Result<Self, Misfit> {
        Raw::parse(text).map_err(|error| Misfit::new(error.to_string()))?.try_into()
    }
    /// What `serde` makes of `value`.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Result<Object<'static>, Misfit> {
        Raw::of(value).map_err(|error| Misfit::new(error.to_string()))?.try_into()
    }
    /// The text as it came.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
    /// Checked already.
    pub fn as_json(&self) -> Json<'_> {
        self.0.as_json()
    }
    /// Decodes it; `T` may borrow from it.
    pub fn decode<'d, T: Deserialize<'d>>(&'d self) -> Result<T, serde_json::Error> {
        self.0.decode()
    }
}

/// `{}`.
impl Default for Object<'_> {
    fn default() -> Self {
        Self(Raw(Cow::Borrowed("{}")))
    }
}

impl<'a> TryFrom<Raw<'a>> for Object<'a> {
    type Error = Misfit;
    fn try_from(raw: Raw<'a>) -> Result<Self, Misfit> {
        if raw.as_json().is_object() { Ok(Self(raw)) } else { Err(Misfit::new("expected an object")) }
    }
}

impl<'a> Model<'a> for Object<'a> {
    type Owned = Object<'static>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        Raw::from(json).try_into()
    }
    fn write(&self, out: &mut String) {
        self.0.write(out);
    }
    fn into_owned(self) -> Self::Owned {
        Object(self.0.into_owned())
    }
    fn find_unknown(&self, _: &mut Unknown) {}
}

serde_by_model!(Object);

/// A number, kept as its text. Two are equal if their values are: `1.0` is `1`, 2^53+1 is not 2^53.
#[derive(Clone, Debug)]
pub struct Number<'a>(Cow<'a, str>);

impl Number<'_> {
    /// `None` for infinities and what is no number, which JSON has not.
    pub fn from_f64(number: f64) -> Option<Number<'static>> {
        number.is_finite().then(|| Number(Cow::Owned(number.to_string())))
    }
    /// The text as it came.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// The nearest `f64`; an infinity beyond its range.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
    /// The value of a whole number, however it is spelled (`3.0`, `1e3`).
    pub fn as_u64(&self) -> Option<u64> {
        id::as_u64(&self.0)
    }
    /// The value of a whole number, however it is spelled.
    pub fn as_i64(&self) -> Option<i64> {
        match self.0.strip_prefix('-') {
            Some(magnitude) => {
                id::as_u64(magnitude).and_then(|magnitude| 0i64.checked_sub_unsigned(magnitude))
            }
            None => self.as_u64()?.try_into().ok(),
        }
    }
}

impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        id::compare(&self.0, &other.0) == Ordering::Equal
    }
}

impl Eq for Number<'_> {}

macro_rules! number_from {
    ($($integer:ty)*) => { $(
        impl From<$integer> for Number<'_> {
            fn from(number: $integer) -> Self {
                Self(Cow::Owned(format!("{number}")))
            }
        }
    )* };
}
number_from!(u8 u16 u32 u64 i32 i64);

impl<'a> Model<'a> for Number<'a> {
    type Owned = Number<'static>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        let text = json.get().trim_ascii();
        if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            Ok(Self(Cow::Borrowed(text)))
        } else {
            Err(Misfit::new("expected a number"))
        }
    }
    fn write(&self, out: &mut String) {
        out.push_str(&self.0);
    }
    fn into_owned(self) -> Self::Owned {
        Number(Cow::Owned(self.0.into_owned()))
    }
    fn find_unknown(&self, _: &mut Unknown) {}
}

serde_by_model!(Number);
