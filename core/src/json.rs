//! JSON that is moved, not parsed: [`Json`] is checked text going in, [`Payload`] a part of a received message coming out.
use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    string::String,
    sync::Arc,
};
use core::fmt;

use serde_json::value::RawValue;

use crate::{
    error::NotJson,
    scan::{self, CodePoints, Items, Source},
};

/// A range of bytes of a message. `(0, 0)` is "absent": no value starts at byte 0 of an object.
pub type Span = (u32, u32);

/// One JSON value, checked once: UTF-8, grammar, depth. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    text: &'a str,
    /// Absent from text that was checked as a part of a larger one and not looked into yet.
    flags: Option<Flags>,
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
    /// It has `structuredContent` at its top.
    pub(crate) const STRUCTURED: Self = Self(32);
    /// It has an array as `content` at its top.
    pub(crate) const CONTENT: Self = Self(64);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// Before any member has been seen.
    fn of(text: &str, object: bool) -> Self {
        let flags = if object { Self::OBJECT.with(Self::EMPTY) } else { Self(0) };
        match memchr::memchr2(b'\n', b'\r', text.as_bytes()) {
            Some(_) => flags.with(Self::NEWLINE),
            None => flags,
        }
    }
    /// `key` is without its quotes; `first` begins the value.
    fn with_member(self, key: &[u8], first: u8) -> Self {
        let told = scan::known(key, |key| match key {
            b"resultType" | b"ttlMs" | b"cacheScope" => Some(Self::STEERING),
            b"_meta" => Some(Self::META),
            b"structuredContent" => Some(Self::STRUCTURED),
            b"content" if first == b'[' => Some(Self::CONTENT),
            _ => None,
        });
        Self(self.0 & !Self::EMPTY.0).with(told.unwrap_or_default())
    }
    /// Of text that is checked already.
    fn of_checked(text: &str) -> Self {
        let mut members = Items::of_object(text);
        let mut flags = Self::of(text, members.right_kind());
        while let Some((key, (start, _))) = members.member() {
            let first = text.as_bytes().get(start).copied().unwrap_or_default();
            flags = flags.with_member(key.get(1..key.len() - 1).unwrap_or_default().as_bytes(), first);
        }
        flags
    }
}

impl<'a> Json<'a> {
    /// Nesting allowed by [`Json::parse`].
    pub const MAX_DEPTH: usize = scan::MAX_DEPTH;
    /// `{}`.
    pub const EMPTY_OBJECT: Json<'static> = Json { text: "{}", flags: Some(Flags(1 | 2)) };

    /// `""`.
    pub(crate) const EMPTY_STRING: Json<'static> = Json { text: "\"\"", flags: Some(Flags(0)) };

    /// Checks `bytes`, whole. The only way in for bytes of an application or a binding.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, NotJson> {
        Self::parse_within(bytes, Self::MAX_DEPTH)
    }
    /// The same with another bound on nesting.
    pub(crate) fn parse_within(bytes: &'a [u8], depth: usize) -> Result<Self, NotJson> {
        let text = scan::text(bytes, depth)?;
        let source = Source(bytes);
        let start = source.space(0);
        let object = source.byte(start) == b'{';
        let mut flags = Flags::of(text, object);
        let passed = if object {
            source.object(start, depth, |key, at, depth| {
                flags = flags.with_member(key, source.byte(at));
                source.value(at, depth)
            })
        } else {
            source.value(start, depth)
        };
        match passed.and_then(|at| source.end(at)) {
            Ok(_) => Ok(Self { text, flags: Some(flags) }),
            Err(offset) => Err(NotJson { offset }),
        }
    }
    /// Text that is checked already, of any depth.
    pub(crate) const fn from_checked(text: &'a str) -> Self {
        Self { text, flags: None }
    }
    /// The text as it came.
    pub const fn get(self) -> &'a str {
        self.text
    }
    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        Items::of_object(self.text).right_kind()
    }
    /// Whether it is a number from 0 to 1, as priorities are.
    pub(crate) fn is_share(self) -> bool {
        self.text.parse().is_ok_and(|value: f64| (0.0..=1.0).contains(&value))
    }
    pub(crate) fn flags(self) -> Flags {
        self.flags.unwrap_or_else(|| Flags::of_checked(self.text))
    }
    /// Whether it holds CR or LF between tokens.
    pub(crate) fn has_newline(self) -> bool {
        match self.flags {
            Some(flags) => flags.has(Flags::NEWLINE),
            // A string of checked text holds none.
            None => memchr::memchr2(b'\n', b'\r', self.text.as_bytes()).is_some(),
        }
    }
    /// The value of the member `key` at the top of an object: the last one, if it is repeated. `None` on other values.
    pub fn member(self, key: &str) -> Option<Json<'a>> {
        let (start, end) = self.find(key)?;
        self.text.get(start..end).map(Self::from_checked)
    }
    /// Where that value lies in the text.
    pub(crate) fn member_span(self, key: &str) -> Option<Span> {
        let (start, end) = self.find(key)?;
        Some((u32::try_from(start).ok()?, u32::try_from(end).ok()?))
    }
    fn find(self, key: &str) -> Option<(usize, usize)> {
        let mut items = Items::of_object(self.text);
        let mut found = None;
        while let Some((token, span)) = items.member() {
            if unescape(token).is_some_and(|name| name == key) {
                found = Some(span);
            }
        }
        found
    }
    /// The members of an object in their order, each key as its raw token; of another value, none.
    pub(crate) fn members(self) -> impl Iterator<Item = (&'a str, Json<'a>)> {
        let mut items = Items::of_object(self.text);
        core::iter::from_fn(move || {
            let (key, (start, end)) = items.member()?;
            Some((key, Self::from_checked(self.text.get(start..end)?)))
        })
    }
    /// The elements of an array in their order; of another value, none.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        let mut items = Items::of_array(self.text);
        core::iter::from_fn(move || {
            let (start, end) = items.element()?;
            self.text.get(start..end).map(Self::from_checked)
        })
    }
    /// The decoded text of a string value; `None` on other values. A lone surrogate escape becomes U+FFFD.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        unescape(self.text.trim_matches([' ', '\t', '\n', '\r']))
    }
}

/// A `RawValue` is taken as it is: valid, but of any depth.
impl<'a> From<&'a RawValue> for Json<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self::from_checked(raw.get())
    }
}

/// A part of a received message: shares its buffer, so it is cheap to clone, `Send`, `'static`, and never copied for a
/// redelivery, a fan-out or a replay. Holding one keeps the whole message alive.
#[derive(Clone)]
pub struct Payload {
    buf: Arc<str>,
    start: u32,
    end: u32,
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Payload").field(&self.as_str()).finish()
    }
}

impl Payload {
    pub(crate) fn new(buf: Arc<str>, span: (u32, u32)) -> Self {
        Self { buf, start: span.0, end: span.1 }
    }
    /// A copy of checked text.
    pub(crate) fn from_json(json: Json<'_>) -> Self {
        let buf: Arc<str> = Arc::from(json.get());
        let end = u32::try_from(buf.len()).unwrap_or(u32::MAX);
        Self { buf, start: 0, end }
    }
    /// The text as it came, whitespace and number spelling included.
    pub fn as_str(&self) -> &str {
        self.buf.get(self.start as usize..self.end as usize).unwrap_or("null")
    }
    /// Bytes of the buffer that it keeps alive.
    pub(crate) fn held(&self) -> usize {
        self.buf.len()
    }
    /// Borrowed, already checked.
    pub fn as_json(&self) -> Json<'_> {
        Json::from_checked(self.as_str())
    }
    /// Decodes it; `T` may borrow from it.
    pub fn decode<'d, T: serde::Deserialize<'d>>(&'d self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
    /// For hosts built on `serde_json`; scans and copies.
    pub fn to_raw_value(&self) -> Box<RawValue> {
        RawValue::from_string(self.as_str().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }
}

/// The decoded text of a raw string token (with its quotes); `None` if it is no string. A lone surrogate escape becomes
/// U+FFFD, so that the text is always valid.
pub(crate) fn unescape(token: &str) -> Option<Cow<'_, str>> {
    let body = token.strip_prefix('"')?.strip_suffix('"')?;
    if !body.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(body));
    }
    let mut text = String::with_capacity(body.len());
    text.extend(
        CodePoints::new(body).map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)),
    );
    Some(Cow::Owned(text))
}

/// Appends checked text without the whitespace between its tokens.
pub(crate) fn compact(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let (mut kept, mut pos) = (0, 0);
    while let Some(byte) = bytes.get(pos) {
        match byte {
            b'"' => pos = scan::string_end(text, pos),
            b' ' | b'\t' | b'\n' | b'\r' => {
                out.push_str(text.get(kept..pos).unwrap_or_default());
                pos += 1;
                kept = pos;
            }
            _ => pos += 1,
        }
    }
    out.push_str(text.get(kept..).unwrap_or_default());
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use alloc::{format, string::ToString, vec, vec::Vec};

    use super::*;

    fn parse(text: &str) -> Json<'_> {
        Json::parse(text.as_bytes()).unwrap()
    }
    fn refused(bytes: &[u8]) -> usize {
        Json::parse(bytes).unwrap_err().offset
    }

    #[test]
    fn a_misfit_is_reported_where_it_is() {
        for (text, offset) in [
            ("", 0),
            (" ", 1),
            ("{\"a\":1,}", 7),
            ("[1,]", 3),
            ("[1 2]", 3),
            ("{\"a\" 1}", 5),
            ("{a:1}", 1),
            ("01", 1),
            ("-", 1),
            ("1.", 2),
            ("1.e1", 2),
            ("1e+", 3),
            ("+1", 0),
            ("tru", 3),
            ("nulL", 3),
            ("\"\\x\"", 2),
            ("\"\\u12g4\"", 5),
            ("\"a\u{1}\"", 2),
            ("\"0123456789\n\"", 11),
            ("\"open", 5),
            ("1 2", 2),
            ("{} {}", 3),
            ("[}", 1),
            ("{\"a\":1]", 6),
            ("\u{feff}{}", 0),
            ("\0", 0),
        ] {
            assert_eq!(refused(text.as_bytes()), offset, "{text:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_refused() {
        assert_eq!(refused(b"\"ab\xff\""), 3);
        assert_eq!(refused(b"\"\xed\xa0\x80\""), 1);
        assert_eq!(refused(b"[1,}\xff"), 3, "an earlier misfit comes first");
        assert_eq!(refused(b"[]\xff"), 2);
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(parse(&nested(128)).get().len(), 256);
        assert_eq!(refused(nested(129).as_bytes()), 128);
        let objects = format!("{}1{}", "{\"a\":".repeat(129), "}".repeat(129));
        assert_eq!(refused(objects.as_bytes()), 128 * 5);
    }

    #[test]
    fn flags_tell_what_the_scan_saw() {
        let object = Flags::OBJECT;
        let with = |flags: &[Flags]| flags.iter().fold(object, |all, &flag| all.with(flag));
        for (text, flags) in [
            ("[]", Flags::default()),
            (" {} ", with(&[Flags::EMPTY])),
            ("{\"a\":{\"_meta\":1,\"ttlMs\":2}}", object),
            ("{\"a\":\n1}", with(&[Flags::NEWLINE])),
            ("{\"a\":\"\\n\"}", object),
            ("{}\r", with(&[Flags::EMPTY, Flags::NEWLINE])),
            ("{\"ttlMs\":1}", with(&[Flags::STEERING])),
            ("{\"result\\u0054ype\":1}", with(&[Flags::STEERING])),
            ("{\"cacheScope\":1,\"_meta\":{}}", with(&[Flags::STEERING, Flags::META])),
        ] {
            assert_eq!(parse(text).flags(), flags, "{text}");
            assert_eq!(Json::from_checked(text).flags(), flags, "{text}");
        }
        assert_eq!(Json::EMPTY_OBJECT.flags(), parse("{}").flags());
    }

    #[test]
    fn the_last_of_repeated_members_counts() {
        let json = parse(" { \"a\" : 1 , \"b\" : [ {\"a\":2} ] , \"\\u0061\" : 3 }");
        assert_eq!(json.member("a").unwrap().get(), "3");
        assert_eq!(json.member("b").unwrap().get(), "[ {\"a\":2} ]");
        assert!(json.member("c").is_none());
        let (start, end) = json.member_span("b").unwrap();
        assert_eq!(&json.get()[start as usize..end as usize], "[ {\"a\":2} ]");
        assert!(parse("[1]").member("a").is_none());
        let members: Vec<_> = json.members().map(|(key, value)| (key, value.get())).collect();
        assert_eq!(members, [("\"a\"", "1"), ("\"b\"", "[ {\"a\":2} ]"), ("\"\\u0061\"", "3")]);
    }

    #[test]
    fn elements_come_in_order() {
        let all = |text| parse(text).elements().map(|json| json.get().to_string()).collect::<Vec<_>>();
        assert_eq!(all("[ 1 ,\"a]\", [2,[3]],{\"x\":[]} ]"), ["1", "\"a]\"", "[2,[3]]", "{\"x\":[]}"]);
        assert_eq!(all("[]"), Vec::<String>::new());
        assert_eq!(all("{}"), Vec::<String>::new());
        assert_eq!(all("7"), Vec::<String>::new());
    }

    #[test]
    fn strings_are_decoded() {
        for (token, text) in [
            (r#""""#, Some("")),
            (r#""plain é""#, Some("plain é")),
            (r#""\"\\\/\b\f\n\r\tA""#, Some("\"\\/\u{8}\u{c}\n\r\tA")),
            (r#""\ud83d\ude00""#, Some("😀")),
            (r#""\ud83d\ud83d\ude00""#, Some("\u{fffd}😀")),
            (r#""\ude00\ud83dx""#, Some("\u{fffd}\u{fffd}x")),
            (r#""\ud83d\u0041""#, Some("\u{fffd}A")),
            ("7", None),
            ("\"", None),
        ] {
            assert_eq!(unescape(token).as_deref(), text, "{token}");
        }
        assert!(matches!(unescape("\"plain\""), Some(Cow::Borrowed("plain"))));
        assert_eq!(parse(" \"a\" ").as_str().as_deref(), Some("a"));
        assert_eq!(parse("{}").as_str(), None);
    }

    #[test]
    fn compaction_removes_whitespace_between_tokens_alone() {
        let mut out = String::from("x");
        compact(" { \"a b\\\" \" :\t[ 1.0 ,\r\n\"\u{e9} \" ] }\n", &mut out);
        assert_eq!(out, "x{\"a b\\\" \":[1.0,\"\u{e9} \"]}");
    }

    #[test]
    fn payloads_share_their_buffer() {
        let payload = Payload::new(Arc::from("{\"a\": {\"_meta\":{}} }"), (6, 18));
        assert_eq!(payload.as_str(), "{\"_meta\":{}}");
        assert!(payload.as_json().flags().has(Flags::META));
        assert_eq!(payload.to_raw_value().get(), payload.as_str());
        assert_eq!(payload.decode::<serde_json::Value>().unwrap(), serde_json::json!({"_meta": {}}));
        assert_eq!(Payload::new(Arc::from("{}"), (1, 9)).as_str(), "null");
    }

    #[test]
    fn raw_values_may_nest_deeper() {
        let deep = format!("[{}{}]", "[".repeat(5000), "]".repeat(5000));
        let raw: &RawValue = serde_json::from_str(&deep).unwrap();
        assert_eq!(Json::from(raw).elements().map(Json::get).collect::<Vec<_>>(), vec![&deep[1..10001]]);
    }

    #[test]
    fn walking_unchecked_text_ends() {
        for text in ["[", "[,", "[\u{1}", "[:", "{\"a\"", "{\"a\":", "{,", "{1:2", "[\"", "[]]", "[\0"] {
            let json = Json::from_checked(text);
            assert!(json.elements().count() + json.members().count() < 4, "{text:?}");
            compact(text, &mut String::new());
        }
    }
}
