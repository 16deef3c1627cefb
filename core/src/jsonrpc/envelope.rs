//! One message, scanned once: what it is and where its parts lie. Nothing is copied.
use alloc::borrow::Cow;

use crate::error::NotJson;

/// A range of bytes of a message. `(0, 0)` is "absent": no value starts at byte 0 of an object.
pub type Span = (u32, u32);

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

/// Checks one message, whole: UTF-8, grammar, at most `depth` levels of nesting. Whitespace around it is allowed.
pub fn parse(bytes: &[u8], depth: usize) -> Result<Message<'_>, NotJson> {
    let _ = (bytes, depth);
    todo!()
}

/// The elements of a checked array, each as its own text; [`parse`] takes them.
pub fn elements(batch: &str) -> impl Iterator<Item = &str> {
    let _ = batch;
    core::iter::empty()
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
    /// Where a member lies; `(0, 0)` if it is absent. A member that is there with the value `null` has a span.
    pub fn span(&self, field: Field) -> Span {
        let _ = field;
        todo!()
    }
    /// The raw JSON text of a member.
    pub fn raw(&self, field: Field) -> Option<&'a str> {
        let _ = field;
        todo!()
    }
    /// The id token as the peer wrote it, if it is a string or a number.
    pub fn id(&self) -> Option<&'a str> {
        todo!()
    }
    /// The method, unescaped.
    pub fn method(&self) -> Option<Cow<'a, str>> {
        todo!()
    }
}
