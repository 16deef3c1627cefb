//! Slow and simple second opinions on JSON, messages and lines, and what must agree with them. Shared with `fuzz/`.
use std::{borrow::Cow, collections::BTreeMap, fmt};

use mcp_sansio::{
    framing::line::{Line, LineDecoder},
    json::Json,
    jsonrpc::envelope::{self, Field, Kind, Message, Problem, Span},
};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// JSON.
    Json,
    /// JSON with more levels than are allowed.
    TooDeep,
    /// Text that is not JSON.
    NotJson,
    /// Not UTF-8.
    NotUtf8,
}

/// `serde_json`'s verdict; the levels are counted here, since it has no bound that could be compared.
pub fn verdict(bytes: &[u8], depth: usize) -> Verdict {
    let Ok(text) = std::str::from_utf8(bytes) else { return Verdict::NotUtf8 };
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        Verdict::NotJson
    } else if levels(text) > depth {
        Verdict::TooDeep
    } else {
        Verdict::Json
    }
}

fn levels(json: &str) -> usize {
    let (mut open, mut most, mut string, mut escaped) = (0, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => string = !string,
            b'{' | b'[' if !string => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !string => open -= 1,
            _ => {}
        }
    }
    most
}

/// The members of an object in their order.
struct Members<'a>(Vec<(Key<'a>, &'a RawValue)>);

/// A key, decoded to bytes, since a lone surrogate is no text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a>(Cow<'a, [u8]>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(bytes)))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(bytes.to_vec())))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
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
        deserializer.deserialize_map(Entries)
    }
}

fn members(json: &str) -> Vec<(Key<'_>, &str)> {
    let members: Members = serde_json::from_str(json).expect("an object");
    members.0.into_iter().map(|(key, value)| (key, value.get())).collect()
}

fn is_object(json: &str) -> bool {
    json.trim_start().starts_with('{')
}

/// `Json::parse` agrees, in its verdict and in where the parts lie.
pub fn check_scanner(bytes: &[u8]) -> Verdict {
    let verdict = verdict(bytes, Json::MAX_DEPTH);
    match Json::parse(bytes) {
        Ok(json) => {
            assert_eq!(verdict, Verdict::Json);
            assert_eq!(json.get().as_bytes(), bytes);
            check_parts(json);
        }
        Err(refusal) => {
            assert_ne!(verdict, Verdict::Json, "refused at {}", refusal.offset);
            let up_to = |end: usize| &bytes[..end.min(bytes.len())];
            assert!(refusal.offset <= bytes.len());
            let again = Json::parse(up_to(refusal.offset + 1)).expect_err("its misfit is still there");
            assert_eq!(again, refusal, "what follows the misfit has no say");
            if let Err(shorter) = Json::parse(up_to(refusal.offset)) {
                assert_eq!(shorter, refusal, "nothing before the misfit is one");
            }
        }
    }
    verdict
}

fn check_parts(json: Json<'_>) {
    assert_eq!(json.is_object(), is_object(json.get()));
    let mut elements = Vec::new();
    if json.is_object() {
        let last: BTreeMap<_, _> = members(json.get()).into_iter().collect();
        for (Key(key), value) in &last {
            if let Ok(key) = std::str::from_utf8(key) {
                // A lone surrogate reads as U+FFFD, so it can stand in for such a key.
                if !key.contains('\u{fffd}') {
                    assert_eq!(json.member(key).map(Json::get), Some(*value), "{key:?}");
                }
            }
        }
        assert!(json.member("no such member").is_none() || last.contains_key(&Key(b"no such member".into())));
    } else if json.get().trim_start().starts_with('[') {
        elements = serde_json::from_str::<Vec<&RawValue>>(json.get()).expect("an array");
    }
    assert!(json.elements().map(Json::get).eq(elements.into_iter().map(RawValue::get)));
    if let Ok(text) = serde_json::from_str::<String>(json.get()) {
        assert_eq!(json.as_str().as_deref(), Some(text.as_str()));
    }
}

const FIELDS: [(Field, &[&str]); Field::COUNT] = [
    (Field::Jsonrpc, &["jsonrpc"]),
    (Field::Id, &["id"]),
    (Field::Method, &["method"]),
    (Field::Params, &["params"]),
    (Field::Result, &["result"]),
    (Field::Error, &["error"]),
    (Field::Name, &["params", "name"]),
    (Field::Uri, &["params", "uri"]),
    (Field::Arguments, &["params", "arguments"]),
    (Field::InputResponses, &["params", "inputResponses"]),
    (Field::RequestState, &["params", "requestState"]),
    (Field::Meta, &["params", "_meta"]),
    (Field::ProgressToken, &["params", "_meta", "progressToken"]),
    (Field::ProtocolVersion, &["params", "_meta", "io.modelcontextprotocol/protocolVersion"]),
    (Field::ClientCapabilities, &["params", "_meta", "io.modelcontextprotocol/clientCapabilities"]),
    (Field::ClientInfo, &["params", "_meta", "io.modelcontextprotocol/clientInfo"]),
    (Field::LogLevel, &["params", "_meta", "io.modelcontextprotocol/logLevel"]),
    (Field::SubscriptionId, &["params", "_meta", "io.modelcontextprotocol/subscriptionId"]),
    (Field::ResultType, &["result", "resultType"]),
];

/// All values at a path, through all that repeat on the way, in their order.
fn values<'a>(json: &'a str, path: &[&str]) -> Vec<&'a str> {
    let Some((first, rest)) = path.split_first() else { return vec![json] };
    if !is_object(json) {
        return Vec::new();
    }
    let here = members(json).into_iter().filter(|(key, _)| key.0 == first.as_bytes());
    here.flat_map(|(_, value)| values(value, rest)).collect()
}

fn expected(text: &str) -> (Kind, Option<Problem>, [Span; Field::COUNT]) {
    let mut spans = [(0, 0); Field::COUNT];
    if !is_object(text) {
        return (Kind::Invalid, Some(Problem::NotObject), spans);
    }
    let mut repeated = false;
    for (field, path) in FIELDS {
        let all = values(text, path);
        repeated |= all.len() > 1;
        if let Some(value) = all.last() {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            spans[field as usize] = (start as u32, (start + value.len()) as u32);
        }
    }
    let kind_of = |field: Field| {
        let (start, end) = spans[field as usize];
        match &text.as_bytes()[start as usize..end as usize] {
            [] => "absent",
            [b'"', ..] => "string",
            [b'{', ..] => "object",
            [b'n', ..] => "null",
            [b'-' | b'0'..=b'9', ..] => "number",
            _ => "other",
        }
    };
    let version = spans[Field::Jsonrpc as usize];
    let version = serde_json::from_str::<String>(&text[version.0 as usize..version.1 as usize]);
    let verdict = match (kind_of(Field::Method), kind_of(Field::Id)) {
        _ if repeated => Err(Problem::Duplicate),
        _ if version.ok().as_deref() != Some("2.0") => Err(Problem::Version),
        (_, "object" | "other") => Err(Problem::Id),
        ("absent", id) => match (kind_of(Field::Result), kind_of(Field::Error), id) {
            ("absent", "object", _) | ("object", "absent", "string" | "number") => Ok(Kind::Response),
            (_, _, "null") => Err(Problem::Id),
            _ => Err(Problem::Response),
        },
        (_, "null") => Err(Problem::Id),
        ("string", id) => match (kind_of(Field::Params), id) {
            ("absent" | "object", "absent") => Ok(Kind::Notification),
            ("absent" | "object", _) => Ok(Kind::Request),
            _ => Err(Problem::Params),
        },
        _ => Err(Problem::Method),
    };
    match verdict {
        Ok(kind) => (kind, None, spans),
        Err(problem) => (Kind::Invalid, Some(problem), spans),
    }
}

/// `envelope::parse` agrees, in its verdict, in what the message is and in where its members lie. Says how the message was
/// classified; an empty string for a batch, whose elements are messages of their own, and `Err` if it is no JSON.
pub fn check_envelope(bytes: &[u8], depth: usize) -> Result<String, Verdict> {
    let verdict = verdict(bytes, depth.min(Json::MAX_DEPTH));
    let Ok(message) = envelope::parse(bytes, depth) else {
        assert_ne!(verdict, Verdict::Json);
        return Err(verdict);
    };
    assert_eq!(verdict, Verdict::Json);
    let text = std::str::from_utf8(bytes).expect("checked");
    match message {
        Message::Single(envelope) => {
            let (kind, problem, spans) = expected(text);
            assert_eq!((envelope.kind(), envelope.problem()), (kind, problem));
            for (field, path) in FIELDS {
                assert_eq!(envelope.span(field), spans[field as usize], "{path:?}");
            }
            let id = envelope.raw(Field::Id).filter(|id| id.parse::<f64>().is_ok() || id.starts_with('"'));
            assert_eq!(envelope.id(), id);
            if let Some(Ok(method)) = envelope.raw(Field::Method).map(serde_json::from_str::<String>) {
                assert_eq!(envelope.method().as_deref(), Some(method.as_str()));
            }
            Ok(problem.map_or_else(|| format!("{kind:?}"), |problem| format!("{problem:?}")))
        }
        Message::Batch(batch) => {
            let elements = serde_json::from_str::<Vec<&RawValue>>(batch).expect("an array");
            assert!(envelope::elements(batch).eq(elements.iter().map(|element| element.get())));
            for element in envelope::elements(batch) {
                assert!(check_envelope(element.as_bytes(), depth).is_ok());
            }
            Ok(String::new())
        }
    }
}

/// A line, owned; `None` is one that was too long.
pub type OwnedLine = Option<Vec<u8>>;

/// The lines of a stream, by looking at all of it at once.
pub fn lines(stream: &[u8], limit: usize) -> Vec<OwnedLine> {
    let mut lines = Vec::new();
    for line in stream.split(|&byte| byte == b'\n') {
        let mut line = line.strip_suffix(b"\r").unwrap_or(line);
        while let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf") {
            line = rest;
        }
        if line.len() > limit {
            lines.push(None);
        } else if !line.iter().all(|byte| b" \t\r".contains(byte)) {
            lines.push(Some(line.to_vec()));
        }
    }
    lines
}

/// The lines of a stream that comes in pieces. What the decoder holds is checked after each.
pub fn decoded<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Vec<OwnedLine> {
    let own = |line: Line<'_>| match line {
        Line::Whole(line) => Some(Some(line.to_vec())),
        Line::TooLong(_) => Some(None),
        Line::Ended(..) => None,
    };
    let mut decoder = LineDecoder::new(limit);
    let mut lines = Vec::new();
    for mut piece in pieces {
        while let Some(line) = decoder.next(&mut piece) {
            lines.extend(own(line));
        }
        assert!(piece.is_empty());
        assert!(decoder.held() <= limit + 2, "{} bytes are held", decoder.held());
    }
    lines.extend(decoder.finish().and_then(own));
    assert_eq!(decoder.finish(), None);
    lines
}

/// A stream gives the same lines whole, byte by byte and cut at `cuts`, and they are the right ones.
pub fn check_lines(stream: &[u8], limit: usize, cuts: &[usize]) -> Vec<OwnedLine> {
    let expected = lines(stream, limit);
    assert_eq!(decoded([stream], limit), expected, "whole");
    assert_eq!(decoded(stream.chunks(1), limit), expected, "byte by byte");
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
    cuts.sort_unstable();
    let ends = cuts.iter().copied().chain([stream.len()]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let pieces = starts.zip(ends).map(|(start, end)| &stream[start..end]);
    assert_eq!(decoded(pieces, limit), expected, "cut at {cuts:?}");
    expected
}
