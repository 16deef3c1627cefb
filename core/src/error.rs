//! What can go wrong, sorted by whose fault it is. The `code()` strings are unique over all types, prefixed by their
//! type, and are never changed or reused.
use alloc::{boxed::Box, string::String, vec::Vec};

use crate::{json::Payload, time::Instant};

/// Bytes that are not one JSON value, or nested too deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not JSON at byte {offset}")]
pub struct NotJson {
    /// Offset of the first byte that does not fit.
    pub offset: usize,
}

/// Text that is not what it should be: a URI template, an escaped value, the URI of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason}, at byte {offset}")]
pub struct UriError {
    /// Offset in the text of what is wrong, in bytes.
    pub offset: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl UriError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "uri.invalid"
    }
    pub(crate) const fn new(offset: usize, reason: &'static str) -> Self {
        Self { offset, reason }
    }
}

/// A configuration that can't work, found when the machine is built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct ConfigError {
    /// Which member.
    pub field: String,
    /// What is wrong with it and what to do.
    pub reason: String,
}

impl ConfigError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "config.invalid"
    }
    pub(crate) fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { field: field.into(), reason: reason.into() }
    }
}

/// One place where a value does not fit a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Where in the value: a JSON pointer, empty for all of it.
    pub path: String,
    /// What is wrong there, without the value.
    pub text: String,
}

impl Violation {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }
}

/// Where a value does not fit a schema: at least one place, and not more than were looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations {
    first: Violation,
    more: Vec<Violation>,
}

impl Violations {
    pub(crate) fn one(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { first: Violation::new(path, text), more: Vec::new() }
    }
    pub(crate) fn from_all(all: impl IntoIterator<Item = Violation>) -> Option<Self> {
        let mut all = all.into_iter();
        all.next().map(|first| Self { first, more: all.collect() })
    }
    /// The same, of a part of a larger value.
    #[must_use]
    pub fn under(mut self, path: &str) -> Self {
        for violation in core::iter::once(&mut self.first).chain(&mut self.more) {
            violation.path.insert_str(0, path);
        }
        self
    }
    /// The first.
    pub fn first(&self) -> &Violation {
        &self.first
    }
    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Violation> {
        core::iter::once(&self.first).chain(&self.more)
    }
}

impl core::fmt::Display for Violations {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (place, violation) in self.iter().enumerate() {
            let (comma, colon) =
                (if place > 0 { "; " } else { "" }, if violation.path.is_empty() { "" } else { ": " });
            write!(f, "{comma}{}{colon}{}", violation.path, violation.text)?;
        }
        Ok(())
    }
}

impl core::error::Error for Violations {}

/// A command that was refused. Nothing was sent and nothing changed, but for [`SendError::TooLarge`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// No room in the output. `Event::Writable` follows, once, even if there is room again before the next poll.
    #[error("the output is full; wait for `Writable`")]
    Blocked,
    /// The machine has ended or is ending.
    #[error("the connection has ended or is ending")]
    Closed,
    /// Before `Event::Ready`.
    #[error("the handshake is not complete; wait for `Ready`")]
    NotReady,
    /// The revision of this request or session does not have it.
    #[error("the revision of this request or session does not have it")]
    NotInRevision,
    /// This capability was not declared by the side that needs it: the receiver of a request, the sender of a notice.
    #[error("the capability `{0}` was not declared")]
    MissingCapability(&'static str),
    /// The handle was live once: answered, cancelled, timed out or closed. Harmless, the race is normal.
    #[error("already over")]
    Over,
    /// Never given out by this machine: a bug in the caller.
    #[error("this handle was never given out by this machine")]
    UnknownHandle,
    /// Larger than `Limits::message_bytes`. An answer that is too large is *replaced* by error -32603: its request is over.
    #[error("larger than `message_bytes`")]
    TooLarge,
    /// Not allowed on this method or in this state; the text says why.
    #[error("not valid here: {0}")]
    Invalid(&'static str),
    /// A tool's result does not fit the `outputSchema` that the tool declares; the text says where and why. The request
    /// still awaits its answer.
    #[error("the result does not fit the tool's `outputSchema`: {0}")]
    OutputMismatch(Box<str>),
    /// What a user entered does not fit the `requestedSchema` of the question; the text says where and why. The question
    /// still awaits its answer.
    #[error("the answer does not fit the question's `requestedSchema`: {0}")]
    FormMismatch(Box<str>),
}

impl SendError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Blocked => "send.blocked",
            Self::Closed => "send.closed",
            Self::NotReady => "send.not_ready",
            Self::NotInRevision => "send.not_in_revision",
            Self::MissingCapability(_) => "send.missing_capability",
            Self::Over => "send.over",
            Self::UnknownHandle => "send.unknown_handle",
            Self::TooLarge => "send.too_large",
            Self::Invalid(_) => "send.invalid",
            Self::OutputMismatch(_) => "send.output_mismatch",
            Self::FormMismatch(_) => "send.form_mismatch",
        }
    }
}

/// An error object of the peer.
#[derive(Debug, Clone)]
pub struct RpcError {
    /// JSON-RPC code.
    pub code: i64,
    /// Its `message`, a JSON string, raw.
    pub message: Payload,
    /// Its `data`, raw.
    pub data: Option<Payload>,
}

/// Why a call has no result. Shown as text it says nothing that the peer sent: an error's own message is in
/// [`Rpc`](Self::Rpc).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    #[error("the peer answered with error {}", .0.code)]
    Rpc(RpcError),
    /// No answer in time; a cancellation was sent where the revision has one.
    #[error("no answer in time: the limit on {}", limit.name())]
    Timeout {
        /// Which limit ended it.
        limit: TimeLimit,
        /// When the call began.
        began: Instant,
    },
    /// `cancel` was called.
    #[error("cancelled")]
    Cancelled,
    /// The connection, exchange or session ended without the answer.
    #[error("the connection ended without the answer")]
    Closed {
        /// Whether the peer may have seen it. False only if no byte of it left the machine: then a repeat is safe.
        delivered: bool,
    },
    /// The peer answered with something the revision does not allow.
    #[error("the answer is not valid: {}", .0.detail)]
    InvalidResult(Box<Fault>),
    /// Input was refused, unsupported or asked too often.
    #[error("the server asked for input that was not given")]
    Input {
        /// Which question.
        key: Option<String>,
    },
    /// The peer wants credentials.
    #[error("the peer wants credentials")]
    AuthRequired,
}

impl CallError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Rpc(_) => "call.rpc",
            Self::Timeout { .. } => "call.timeout",
            Self::Cancelled => "call.cancelled",
            Self::Closed { .. } => "call.closed",
            Self::InvalidResult(_) => "call.invalid_result",
            Self::Input { .. } => "call.input",
            Self::AuthRequired => "call.auth_required",
        }
    }
}

/// Which of the time limits of a call ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLimit {
    /// Since the last sign of life.
    Silence,
    /// Since its beginning, paused while the client's application is asked.
    Total,
}

impl TimeLimit {
    /// `silence` or `total`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Silence => "silence",
            Self::Total => "total",
        }
    }
}

/// The peer broke a rule; the engine has dealt with it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fault {
    /// Stable code, `fault.*`.
    pub code: &'static str,
    /// The page of the spec whose rule it is.
    pub page: &'static str,
    /// The JSON-RPC error code, if one was queued as answer.
    pub replied: Option<i32>,
    /// The HTTP status to use, if it matters.
    pub status: Option<u16>,
    /// What to tell a developer; no payload in it.
    pub detail: String,
    /// The peer's own error, where the fault is one that it reported.
    pub cause: Option<RpcError>,
}

impl Fault {
    /// One that nothing was replied to.
    pub(crate) fn new(code: &'static str, page: &'static str, detail: impl Into<String>) -> Self {
        Self { code, page, replied: None, status: None, detail: detail.into(), cause: None }
    }
}

/// Why a session or machine ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// `close` was called and everything was answered.
    Local,
    /// The drain deadline passed with work unanswered.
    DrainTimeout,
    /// `handle_eof` or `handle_closed`.
    Peer,
    /// No common revision, or the handshake timed out or was refused.
    Handshake,
    /// The server went away during the era probe, or before it answered the `initialize` after it: some servers die of
    /// a method they do not know. Start it once more and open with `initialize`.
    ProbeClosed,
    /// Keep-alive unanswered.
    KeepAlive,
    /// The host went on feeding a machine whose `wants_read` was false until the hard bound was reached.
    Overrun,
    /// An idle session expired (HTTP).
    Idle,
}

impl core::fmt::Display for CloseReason {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.code())
    }
}

impl CloseReason {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Local => "close.local",
            Self::DrainTimeout => "close.drain_timeout",
            Self::Peer => "close.peer",
            Self::Handshake => "close.handshake",
            Self::ProbeClosed => "close.probe_closed",
            Self::KeepAlive => "close.keep_alive",
            Self::Overrun => "close.overrun",
            Self::Idle => "close.idle",
        }
    }
}
