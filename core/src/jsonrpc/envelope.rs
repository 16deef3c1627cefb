//! One message, scanned once: what it is and where its parts lie. Nothing is copied.
use alloc::borrow::Cow;

pub use crate::json::Span;
use crate::{
    error::NotJson,
    json,
    scan::{self, Items, Next, Source},
};

/// What the bytes are.
#[derive(Debug)]
pub enum Message<'a> {
    /// One object.
    Single(Envelope<'a>),
    /// An array: a batch of 2025-03-26, to be taken apart by [`elements`].
    Batch(&'a str),
}

/// What an object is, told by the keys it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `method` and a usable `id`.
    Request,
    /// `method` and no `id`.
    Notification,
    /// No `method`, and exactly one of `result` (an object) and `error` (an object).
    Response,
    /// Anything else; see [`Envelope::problem`].
    Invalid,
}

/// What is wrong with an object that is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// Not an object.
    NotObject,
    /// `jsonrpc` is absent or not `"2.0"`.
    Version,
    /// A member that steers is there twice.
    Duplicate,
    /// `id` is null, or neither a string nor a number.
    Id,
    /// `method` is not a string.
    Method,
    /// `params` is there and not an object.
    Params,
    /// A response with both `result` and `error`, with neither, or with one that is not an object.
    Response,
}

/// Where the parts of one message lie.
#[derive(Debug)]
pub struct Envelope<'a> {
    text: &'a str,
    kind: Kind,
    problem: Option<Problem>,
    spans: [Span; Field::COUNT],
}

/// The members that steer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Field {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    /// `params.name`
    Name,
    /// `params.uri`
    Uri,
    /// `params.arguments`
    Arguments,
    /// `params.inputResponses`
    InputResponses,
    /// `params.requestState`
    RequestState,
    /// `params._meta`
    Meta,
    /// `params._meta.progressToken`
    ProgressToken,
    /// `params._meta["io.modelcontextprotocol/protocolVersion"]`
    ProtocolVersion,
    /// `params._meta["io.modelcontextprotocol/clientCapabilities"]`
    ClientCapabilities,
    /// `params._meta["io.modelcontextprotocol/clientInfo"]`
    ClientInfo,
    /// `params._meta["io.modelcontextprotocol/logLevel"]`
    LogLevel,
    /// `params._meta["io.modelcontextprotocol/subscriptionId"]`
    SubscriptionId,
    /// `result.resultType`
    ResultType,
}

impl Field {
    /// How many there are.
    pub const COUNT: usize = Self::ResultType as usize + 1;
}

type Known = fn(&[u8]) -> Option<Field>;

fn top(key: &[u8]) -> Option<Field> {
    Some(match key {
        b"jsonrpc" => Field::Jsonrpc,
        b"id" => Field::Id,
        b"method" => Field::Method,
        b"params" => Field::Params,
        b"result" => Field::Result,
        b"error" => Field::Error,
        _ => return None,
    })
}

fn in_params(key: &[u8]) -> Option<Field> {
    Some(match key {
        b"name" => Field::Name,
        b"uri" => Field::Uri,
        b"arguments" => Field::Arguments,
        b"inputResponses" => Field::InputResponses,
        b"requestState" => Field::RequestState,
        b"_meta" => Field::Meta,
        _ => return None,
    })
}

fn in_meta(key: &[u8]) -> Option<Field> {
    if key == b"progressToken" {
        return Some(Field::ProgressToken);
    }
    Some(match key.strip_prefix(b"io.modelcontextprotocol/")? {
        b"protocolVersion" => Field::ProtocolVersion,
        b"clientCapabilities" => Field::ClientCapabilities,
        b"clientInfo" => Field::ClientInfo,
        b"logLevel" => Field::LogLevel,
        b"subscriptionId" => Field::SubscriptionId,
        _ => return None,
    })
}

fn in_result(key: &[u8]) -> Option<Field> {
    (key == b"resultType").then_some(Field::ResultType)
}

/// Checks one message, whole: UTF-8, grammar, at most `depth` levels of nesting (and never more than
/// [`Json::MAX_DEPTH`](crate::json::Json::MAX_DEPTH)). Whitespace around it is allowed.
pub fn parse(bytes: &[u8], depth: usize) -> Result<Message<'_>, NotJson> {
    let text = scan::text(bytes, depth)?;
    let source = Source(bytes);
    let mut envelope = Envelope { text, kind: Kind::Invalid, problem: None, spans: [(0, 0); Field::COUNT] };
    let start = source.space(0);
    let first = source.byte(start);
    let passed = if first == b'{' { envelope.read(source, start, depth) } else { source.value(start, depth) };
    if let Err(offset) = passed.and_then(|at| source.end(at)) {
        return Err(NotJson { offset });
    }
    if first == b'[' {
        return Ok(Message::Batch(text));
    }
    if first != b'{' {
        envelope.problem = Some(Problem::NotObject);
    } else if envelope.problem.is_none() {
        match envelope.classify() {
            Ok(kind) => envelope.kind = kind,
            Err(problem) => envelope.problem = Some(problem),
        }
    }
    Ok(Message::Single(envelope))
}

/// The elements of a checked array, each as its own text; [`parse`] takes them.
pub fn elements(batch: &str) -> impl Iterator<Item = &str> {
    let mut items = Items::of_array(batch);
    core::iter::from_fn(move || {
        let (start, end) = items.element()?;
        batch.get(start..end)
    })
}

impl<'a> Envelope<'a> {
    /// The whole message.
    pub const fn text(&self) -> &'a str {
        self.text
    }
    /// What it is.
    pub const fn kind(&self) -> Kind {
        self.kind
    }
    /// Why it is [`Kind::Invalid`]; `None` otherwise.
    pub const fn problem(&self) -> Option<Problem> {
        self.problem
    }
    /// Where a member lies; `(0, 0)` if it is absent. A member that is there with the value `null` has a span. Of a member
    /// that is there twice it is the last one.
    #[inline]
    pub fn span(&self, field: Field) -> Span {
        self.spans.get(field as usize).copied().unwrap_or_default()
    }
    /// The raw JSON text of a member.
    #[inline]
    pub fn raw(&self, field: Field) -> Option<&'a str> {
        match self.span(field) {
            (0, 0) => None,
            (start, end) => self.text.get(start as usize..end as usize),
        }
    }
    /// The id token as the peer wrote it, if it is a string or a number.
    pub fn id(&self) -> Option<&'a str> {
        self.raw(Field::Id).filter(|_| matches!(self.first(Field::Id), b'"' | b'-' | b'0'..=b'9'))
    }
    /// The method, unescaped.
    pub fn method(&self) -> Option<Cow<'a, str>> {
        self.raw(Field::Method).and_then(json::unescape)
    }
    /// The first byte of a member, which tells its type; 0 if it is absent.
    #[inline]
    fn first(&self, field: Field) -> u8 {
        match self.span(field) {
            (0, 0) => 0,
            (start, _) => self.text.as_bytes().get(start as usize).copied().unwrap_or(0),
        }
    }
    /// Past the message, noting where its members lie.
    fn read(&mut self, source: Source, at: usize, depth: usize) -> Next {
        self.level(source, at, depth, top, |envelope, field, at, depth| match (field, source.byte(at)) {
            (Field::Params, b'{') => {
                envelope.level(source, at, depth, in_params, |envelope, field, at, depth| {
                    match (field, source.byte(at)) {
                        (Field::Meta, b'{') => envelope.leaves(source, at, depth, in_meta),
                        _ => source.value(at, depth),
                    }
                })
            }
            (Field::Result, b'{') => envelope.leaves(source, at, depth, in_result),
            _ => source.value(at, depth),
        })
    }
    fn leaves(&mut self, source: Source, at: usize, depth: usize, known: Known) -> Next {
        self.level(source, at, depth, known, |_, _, at, depth| source.value(at, depth))
    }
    /// Past one object; `value` passes the values of its known members.
    #[inline]
    fn level(
        &mut self,
        source: Source,
        at: usize,
        depth: usize,
        known: Known,
        mut value: impl FnMut(&mut Self, Field, usize, usize) -> Next,
    ) -> Next {
        source.object(at, depth, |key, at, depth| match scan::known(key, known) {
            Some(field) => {
                let end = value(self, field, at, depth)?;
                self.keep(field, at, end);
                Ok(end)
            }
            None => source.value(at, depth),
        })
    }
    // `scan::text` has checked that offsets fit.
    #[allow(clippy::cast_possible_truncation)]
    #[inline]
    fn keep(&mut self, field: Field, start: usize, end: usize) {
        if let Some(span) = self.spans.get_mut(field as usize) {
            if *span != (0, 0) {
                self.problem = Some(Problem::Duplicate);
            }
            *span = (start as u32, end as u32);
        }
    }
    fn classify(&self) -> Result<Kind, Problem> {
        let version = self.raw(Field::Jsonrpc).ok_or(Problem::Version)?;
        if version != "\"2.0\"" && json::unescape(version).is_none_or(|version| version != "2.0") {
            return Err(Problem::Version);
        }
        let id = self.first(Field::Id);
        let usable = matches!(id, b'"' | b'-' | b'0'..=b'9');
        let error = self.first(Field::Error);
        let method = self.first(Field::Method);
        if method == 0 {
            return match (self.first(Field::Result), error) {
                _ if !matches!(id, 0 | b'n') && !usable => Err(Problem::Id),
                (0, b'{') => Ok(Kind::Response),
                _ if id == b'n' => Err(Problem::Id),
                (b'{', 0) if usable => Ok(Kind::Response),
                _ => Err(Problem::Response),
            };
        }
        if id != 0 && !usable {
            return Err(Problem::Id);
        }
        if method != b'"' {
            return Err(Problem::Method);
        }
        if !matches!(self.first(Field::Params), 0 | b'{') {
            return Err(Problem::Params);
        }
        Ok(if id == 0 { Kind::Notification } else { Kind::Request })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use alloc::{format, vec::Vec};

    use super::*;

    fn single(text: &str) -> Envelope<'_> {
        match parse(text.as_bytes(), 128).unwrap() {
            Message::Single(envelope) => envelope,
            Message::Batch(batch) => panic!("a batch: {batch}"),
        }
    }
    /// The members of a message, its `jsonrpc` member aside.
    fn kind(members: &str) -> (Kind, Option<Problem>, Option<alloc::string::String>) {
        let text = format!("{{\"jsonrpc\":\"2.0\",{members}}}");
        let envelope = single(&text);
        (envelope.kind(), envelope.problem(), envelope.id().map(Into::into))
    }

    #[test]
    fn messages_are_told_apart_by_their_keys() {
        for (members, expected, id) in [
            (r#""id":7,"method":"ping""#, Kind::Request, Some("7")),
            (r#""id":"","method":"ping","params":{}"#, Kind::Request, Some("\"\"")),
            (r#""id":-1.5e3,"method":"ping","result":{}"#, Kind::Request, Some("-1.5e3")),
            (r#""method":"notifications/initialized""#, Kind::Notification, None),
            (r#""id":"a","result":{}"#, Kind::Response, Some("\"a\"")),
            (r#""id":0,"error":{"code":1,"message":""}"#, Kind::Response, Some("0")),
            (r#""id":null,"error":{}"#, Kind::Response, None),
            (r#""error":{}"#, Kind::Response, None),
        ] {
            assert_eq!(kind(members), (expected, None, id.map(Into::into)), "{members}");
        }
    }

    #[test]
    fn what_is_no_message_says_why() {
        for (members, problem, id) in [
            (r#""id":null,"method":"ping""#, Problem::Id, None),
            (r#""id":true,"method":"ping""#, Problem::Id, None),
            (r#""id":[1],"method":1"#, Problem::Id, None),
            (r#""id":1,"method":1,"params":[]"#, Problem::Method, Some("1")),
            (r#""id":1,"method":null"#, Problem::Method, Some("1")),
            (r#""id":1,"method":"m","params":[]"#, Problem::Params, Some("1")),
            (r#""method":"m","params":null"#, Problem::Params, None),
            (r#""id":5"#, Problem::Response, Some("5")),
            (r#""id":5,"result":{},"error":{}"#, Problem::Response, Some("5")),
            (r#""id":5,"result":{},"error":null"#, Problem::Response, Some("5")),
            (r#""id":5,"result":null"#, Problem::Response, Some("5")),
            (r#""id":5,"result":[]"#, Problem::Response, Some("5")),
            (r#""id":5,"error":"no""#, Problem::Response, Some("5")),
            (r#""result":{}"#, Problem::Response, None),
            (r#""id":null,"result":{}"#, Problem::Id, None),
            (r#""id":{},"error":{}"#, Problem::Id, None),
            (r#""x":1"#, Problem::Response, None),
            (r#""id":1,"id":1,"method":"m""#, Problem::Duplicate, Some("1")),
            (r#""id":1,"\u0069d":2,"method":1"#, Problem::Duplicate, Some("2")),
            (r#""jsonrpc":"2.0","method":"m""#, Problem::Duplicate, None),
            (r#""id":1,"method":"m","params":{"name":1,"name":1}"#, Problem::Duplicate, Some("1")),
            (
                r#""id":1,"method":"m","params":{"_meta":{"progressToken":1,"progressToken":1}}"#,
                Problem::Duplicate,
                Some("1"),
            ),
            (r#""id":1,"result":{"resultType":"a","resultType":"a"}"#, Problem::Duplicate, Some("1")),
        ] {
            assert_eq!(kind(members), (Kind::Invalid, Some(problem), id.map(Into::into)), "{members}");
        }
    }

    #[test]
    fn other_members_may_be_repeated() {
        assert_eq!(
            kind(r#""x":1,"x":1,"method":"m","params":{"id":1,"id":1,"arguments":{"name":1,"name":1}}"#).1,
            None
        );
        assert_eq!(kind(r#""id":1,"result":{"_meta":{"progressToken":1,"progressToken":1}}"#).1, None);
    }

    #[test]
    fn the_version_is_a_string() {
        for (text, problem) in [
            (r#"{"foo":"bar"}"#, Some(Problem::Version)),
            ("{}", Some(Problem::Version)),
            (r#"{"jsonrpc":2.0,"method":"m"}"#, Some(Problem::Version)),
            (r#"{"jsonrpc":"2.00","id":null,"method":"m"}"#, Some(Problem::Version)),
            (r#"{"jsonrpc":"\u0032.0","method":"m"}"#, None),
            (r#"{"j\u0073onrpc":"2.0","meth\u006fd":"m"}"#, None),
            ("5", Some(Problem::NotObject)),
            (" \"jsonrpc\" ", Some(Problem::NotObject)),
            ("null", Some(Problem::NotObject)),
        ] {
            assert_eq!(single(text).problem(), problem, "{text}");
            assert_eq!(single(text).text(), text);
        }
        assert_eq!(single("5").raw(Field::Id), None);
    }

    #[test]
    fn members_are_found_where_they_are() {
        let envelope = single(concat!(
            r#" {"jsonrpc":"2.0","id":7,"method":"tools\/call","params":{"na\u006de":"echo","uri":null,"#,
            r#""arguments":{"name":1},"_meta":{"progressToken":"t","#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/client\u0049nfo":{"name":"dry"},"#,
            r#""io.modelcontextprotocol/clientCapabilities": { } ,"#,
            r#""io.modelcontextprotocol/logLevel":"info","#,
            r#""io.modelcontextprotocol/subscriptionId":9}}}"#,
        ));
        for (field, raw) in [
            (Field::Jsonrpc, Some("\"2.0\"")),
            (Field::Id, Some("7")),
            (Field::Method, Some(r#""tools\/call""#)),
            (Field::Result, None),
            (Field::Error, None),
            (Field::Name, Some("\"echo\"")),
            (Field::Uri, Some("null")),
            (Field::Arguments, Some("{\"name\":1}")),
            (Field::ProgressToken, Some("\"t\"")),
            (Field::ProtocolVersion, Some("\"2026-07-28\"")),
            (Field::ClientInfo, Some("{\"name\":\"dry\"}")),
            (Field::ClientCapabilities, Some("{ }")),
            (Field::LogLevel, Some("\"info\"")),
            (Field::SubscriptionId, Some("9")),
            (Field::ResultType, None),
        ] {
            assert_eq!(envelope.raw(field), raw, "{field:?}");
        }
        assert_eq!(envelope.method().as_deref(), Some("tools/call"));
        assert_eq!(envelope.span(Field::Result), (0, 0));
        let result = single(r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{},"resultType":"complete"}}"#);
        assert_eq!(result.raw(Field::ResultType), Some("\"complete\""));
        assert_eq!(result.raw(Field::Meta), None);
    }

    #[test]
    fn depth_counts_every_level() {
        let text = br#"{"jsonrpc":"2.0","method":"m","params":{"_meta":{"progressToken":[{}]}}}"#;
        assert!(parse(text, 5).is_ok());
        for depth in 0..5 {
            assert!(parse(text, depth).is_err(), "{depth}");
        }
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(nested(128).as_bytes(), usize::MAX).is_ok());
        assert_eq!(parse(nested(129).as_bytes(), usize::MAX).unwrap_err().offset, 128);
    }

    #[test]
    fn a_batch_is_taken_apart() {
        let text = "[ {\"jsonrpc\":\"2.0\"} , 5,[]\n]";
        let Message::Batch(batch) = parse(text.as_bytes(), 128).unwrap() else { panic!("no batch") };
        assert_eq!(elements(batch).collect::<Vec<_>>(), ["{\"jsonrpc\":\"2.0\"}", "5", "[]"]);
        assert_eq!(elements("[]").count(), 0);
    }
}
