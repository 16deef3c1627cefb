//! JSON that is moved, not parsed: [`Json`] is checked text going in, [`Payload`] a part of a received message coming out.
use alloc::{borrow::Cow, boxed::Box, sync::Arc};

use serde_json::value::RawValue;

use crate::error::NotJson;

/// One JSON value, checked once: UTF-8, grammar, depth. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    text: &'a str,
    flags: Flags,
}

/// What the scan that checked a value saw of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u8);

impl Flags {
    /// It is an object.
    pub(crate) const OBJECT: Self = Self(1);
    /// It is an object without members.
    pub(crate) const EMPTY: Self = Self(2);
    /// It holds CR or LF between tokens: the writer compacts it.
    pub(crate) const NEWLINE: Self = Self(4);
    /// It has `resultType`, `ttlMs` or `cacheScope` at its top.
    pub(crate) const STEERING: Self = Self(8);
    /// It has `_meta` at its top.
    pub(crate) const META: Self = Self(16);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl<'a> Json<'a> {
    /// Nesting allowed by [`Json::parse`].
    pub const MAX_DEPTH: usize = 128;
    /// `{}`.
    pub const EMPTY_OBJECT: Json<'static> = Json { text: "{}", flags: Flags(1 | 2) };

    /// Checks `bytes`, whole. The only way in for bytes of an application or a binding.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, NotJson> {
        let _ = bytes;
        todo!()
    }
    /// The text as it came.
    pub const fn get(self) -> &'a str {
        self.text
    }
    /// Whether it is an object.
    pub const fn is_object(self) -> bool {
        self.flags.has(Flags::OBJECT)
    }
    pub(crate) const fn flags(self) -> Flags {
        self.flags
    }
    /// The value of the member `key` at the top of an object: the last one, if it is repeated. `None` on other values.
    pub fn member(self, key: &str) -> Option<Json<'a>> {
        let _ = key;
        todo!()
    }
    /// The decoded text of a string value; `None` on other values. A lone surrogate escape becomes U+FFFD.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        todo!()
    }
}

impl<'a> From<&'a RawValue> for Json<'a> {
    fn from(_: &'a RawValue) -> Self {
        todo!()
    }
}

/// A part of a received message: shares its buffer, so it is cheap to clone, `Send`, `'static`, and never copied for a
/// redelivery, a fan-out or a replay. Holding one keeps the whole message alive.
#[derive(Clone, Debug)]
pub struct Payload {
    buf: Arc<str>,
    start: u32,
    end: u32,
}

impl Payload {
    pub(crate) fn new(buf: Arc<str>, span: (u32, u32)) -> Self {
        Self { buf, start: span.0, end: span.1 }
    }
    /// The text as it came, whitespace and number spelling included.
    pub fn as_str(&self) -> &str {
        self.buf.get(self.start as usize..self.end as usize).unwrap_or("null")
    }
    /// Borrowed, already checked.
    pub fn as_json(&self) -> Json<'_> {
        todo!()
    }
    /// Decodes it; `T` may borrow from it.
    pub fn decode<'d, T: serde::Deserialize<'d>>(&'d self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
    /// For hosts built on `serde_json`; scans and copies.
    pub fn to_raw_value(&self) -> Box<RawValue> {
        todo!()
    }
}

/// The decoded text of a raw string token (with its quotes); `None` if it is no string. A lone surrogate escape becomes
/// U+FFFD, so that the text is always valid.
pub(crate) fn unescape(token: &str) -> Option<Cow<'_, str>> {
    let _ = token;
    todo!()
}
