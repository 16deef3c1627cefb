//! The trace: what crossed the border of a machine, with its time, to be logged or replayed. Off by default, because it
//! holds payloads.
//!
//! **Inputs** are the messages of the peer and what the host and the application told the machine to do; **outputs** are
//! the messages and events that were taken, and the deadline. Between two equal traces nothing can differ: a machine made
//! with the same configuration, seed, principal, groups and clock does the same when it is given the same inputs, which
//! [`session::replay`](crate::session::replay()) shows.
//!
//! # As text
//!
//! [`TraceRecord::to_json`] writes a record as a JSON object on one line, without what is empty:
//!
//! ```json
//! {"serial":7,"at":1000000000,"kind":"command","name":"respond","outcome":"ok","text":"{\"request\":1,\"outcome\":{…}}"}
//! ```
//!
//! | member | of | what |
//! |---|---|---|
//! | `serial` | all | 1, 2, 3…: where one is missing, records were dropped |
//! | `at` | all | nanoseconds, the machine's time |
//! | `kind` | all | `received`, `command`, `sent`, `event`, `timer` |
//! | `name` | `command` | the method of `Server` or `Client` (`respond`, `handle_timeout`…), or what a poll or a byte stream led to: `say_held` (notices that had waited), `writable`, `handle_too_long`, `handle_dropped`, `overrun` |
//! | | `sent` | what the message belongs to: `request`, `call`, `session` |
//! | | `event` | `ready`, `request`, `completed`… |
//! | | `timer` | `at`, or `none` |
//! | `handle` | `command` | the call that it began; 1 where it answered `true` |
//! | | `sent`, `event` | the request, call or question that it is about |
//! | | `timer` | the deadline in nanoseconds |
//! | `outcome` | `command` | `ok`, or the code of its error (`send.blocked`…) |
//! | | `event` | a code, where the event has one (`over.cancelled`, `call.timeout`, `fault.parse`…) |
//! | `revision` | `received`, `sent` | what it is read or written in, as far as it was known |
//! | `text` | `received`, `sent` | the message |
//! | | `command` | the arguments, a JSON object with the names of the method's |
//! | | `event` | the payload, a JSON object |
//! | `base64` | `received` | the bytes of a message that is not UTF-8; `text` shows them with U+FFFD |
//! | `redacted` | all | `true`: payloads were replaced |
//!
//! # Redacted
//!
//! With [`Tracing::Redacted`] only what is known to be harmless stays: ids, methods, names of tools and prompts, versions,
//! levels, numbers of progress and errors, URIs without user information, query and fragment. Every other value (arguments,
//! results, texts, `requestState`, cursors…) is replaced by `"<5 bytes, 0123456789abcdef>"`: its length and the head of a
//! digest under a key that is made from the machine's seed. Equal values have equal digests in the trace of one machine;
//! nobody can guess a value and compare. Such a trace can't be replayed.
pub(crate) mod arguments;
mod events;
mod redact;

use alloc::{
    borrow::Cow,
    boxed::Box,
    collections::VecDeque,
    format,
    string::{String, ToString},
};

use base64ct::{Base64, Encoding};
use serde::Deserialize;

pub use redact::redact_uri;
pub(crate) use redact::{Key, shorten};

use crate::{Seed, event::Related, jsonrpc::write, revision::Revision, time::Instant};
pub(crate) use events::facts;

/// Whether a trace is kept, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tracing {
    /// None.
    #[default]
    Off,
    /// Everything: arguments, results, tokens in URLs.
    Full,
    /// Without payloads; it can't be replayed.
    Redacted,
}

impl From<bool> for Tracing {
    fn from(on: bool) -> Self {
        if on { Self::Full } else { Self::Off }
    }
}

impl<'de> Deserialize<'de> for Tracing {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said<'a> {
            On(bool),
            Name(#[serde(borrow)] Cow<'a, str>),
        }
        let wrong = "`trace` is true, false, \"full\" or \"redacted\"";
        match Said::deserialize(from).map_err(|_| serde::de::Error::custom(wrong))? {
            Said::On(on) => Ok(on.into()),
            Said::Name(name) if name == "full" => Ok(Self::Full),
            Said::Name(name) if name == "redacted" => Ok(Self::Redacted),
            Said::Name(_) => Err(serde::de::Error::custom(wrong)),
        }
    }
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceKind {
    /// Input: a message of the peer.
    Received,
    /// Input: what the host or the application wanted.
    Command,
    /// Output: a message that the host took.
    Sent,
    /// Output: an event that the application took.
    Event,
    /// Output: the deadline changed.
    Timer,
}

impl TraceKind {
    const ALL: [Self; 5] = [Self::Received, Self::Command, Self::Sent, Self::Event, Self::Timer];

    /// `received`…
    pub const fn name(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Command => "command",
            Self::Sent => "sent",
            Self::Event => "event",
            Self::Timer => "timer",
        }
    }
    /// Whether the machine was told it; otherwise it said it.
    pub const fn is_input(self) -> bool {
        matches!(self, Self::Received | Self::Command)
    }
}

/// Something that crossed the border of a machine. Which fields are used for which kind is said [above](self).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceRecord {
    /// 1 for the first of a machine.
    pub serial: u64,
    /// When, by the machine's time: of an output, that of the input before it.
    pub at: Instant,
    /// What it is.
    pub kind: TraceKind,
    /// Of which sort.
    pub name: Cow<'static, str>,
    /// What it is about; 0: nothing.
    pub handle: u64,
    /// The stable code of what came of it.
    pub outcome: Cow<'static, str>,
    /// The revision it was read or written in, where it was known by then.
    pub revision: Option<Revision>,
    /// The message, the arguments, the payload. Bytes that are not UTF-8 appear as U+FFFD.
    pub text: Box<str>,
    /// The bytes of a message that is not UTF-8.
    pub bytes: Option<Box<[u8]>>,
    /// Payloads were replaced.
    pub redacted: bool,
}

/// A line that is no record of a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no record of a trace: {reason}")]
pub struct NotARecord {
    /// What is wrong with it.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    serial: u64,
    at: u64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    handle: u64,
    #[serde(default)]
    outcome: String,
    #[serde(borrow)]
    revision: Option<Cow<'a, str>>,
    #[serde(default)]
    text: Box<str>,
    #[serde(borrow)]
    base64: Option<Cow<'a, str>>,
    #[serde(default)]
    redacted: bool,
}

impl TraceRecord {
    pub(crate) fn new(at: Instant, kind: TraceKind, name: &'static str) -> Self {
        Self {
            serial: 0,
            at,
            kind,
            name: Cow::Borrowed(name),
            handle: 0,
            outcome: Cow::Borrowed(""),
            revision: None,
            text: Box::default(),
            bytes: None,
            redacted: false,
        }
    }
    pub(crate) fn received(at: Instant, message: &[u8], revision: Option<Revision>) -> Self {
        let text = String::from_utf8_lossy(message);
        let bytes = matches!(text, Cow::Owned(_)).then(|| message.into());
        Self { revision, text: text.into(), bytes, ..Self::new(at, TraceKind::Received, "") }
    }
    pub(crate) fn sent(at: Instant, message: &str, related: Related, revision: Option<Revision>) -> Self {
        let (name, handle) = match related {
            Related::Request(request) => ("request", request.as_u64()),
            Related::Call(call) => ("call", call.as_u64()),
            Related::Session => ("session", 0),
        };
        Self { handle, revision, text: message.into(), ..Self::new(at, TraceKind::Sent, name) }
    }
    pub(crate) fn timer(at: Instant, deadline: Option<Instant>) -> Self {
        let name = if deadline.is_some() { "at" } else { "none" };
        let handle = deadline.map_or(0, Instant::as_nanos);
        Self { handle, ..Self::new(at, TraceKind::Timer, name) }
    }
    /// The message as it came.
    pub(crate) fn message(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.text.as_bytes())
    }
    fn held(&self) -> usize {
        self.text.len() + self.bytes.as_ref().map_or(0, |bytes| bytes.len()) + self.name.len()
    }
    /// One line of JSON, without an end of line: its form is said [above](self).
    pub fn to_json(&self) -> String {
        let mut out = format!(
            "{{\"serial\":{},\"at\":{},\"kind\":\"{}\"",
            self.serial,
            self.at.as_nanos(),
            self.kind.name()
        );
        let revision = self.revision.map_or("", Revision::name);
        let base64 = self.bytes.as_ref().map_or_else(String::new, |bytes| Base64::encode_string(bytes));
        if self.handle != 0 {
            out.push_str(",\"handle\":");
            write::integer(&mut out, self.handle);
        }
        for (key, value) in [
            ("name", &*self.name),
            ("outcome", &self.outcome),
            ("revision", revision),
            ("text", &self.text),
            ("base64", &base64),
        ] {
            if !value.is_empty() {
                out.push_str(",\"");
                out.push_str(key);
                out.push_str("\":");
                write::string(&mut out, value);
            }
        }
        if self.redacted {
            out.push_str(",\"redacted\":true");
        }
        out.push('}');
        out
    }
    /// What `to_json` wrote.
    pub fn from_json(line: &[u8]) -> Result<Self, NotARecord> {
        let wrong = |reason: String| NotARecord { reason };
        let fields: Fields<'_> = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        let kind = TraceKind::ALL.into_iter().find(|kind| kind.name() == fields.kind);
        let kind = kind.ok_or_else(|| wrong(format!("`{}` is no kind of record", fields.kind)))?;
        let revision = fields.revision.map(|name| {
            Revision::from_name(&name)
                .ok_or_else(|| wrong(format!("`{name}` is no revision of the protocol")))
        });
        let bytes = fields
            .base64
            .map(|text| Base64::decode_vec(&text).map_err(|_| wrong(String::from("`base64` is not base64"))));
        Ok(Self {
            serial: fields.serial,
            at: Instant::from_nanos(fields.at),
            kind,
            name: fields.name.into(),
            handle: fields.handle,
            outcome: fields.outcome.into(),
            revision: revision.transpose()?,
            text: fields.text,
            bytes: bytes.transpose()?.map(Into::into),
            redacted: fields.redacted,
        })
    }
}

/// Records not yet taken, the oldest dropped first.
pub(crate) struct Trace {
    records: VecDeque<TraceRecord>,
    limit: usize,
    bytes: usize,
    bytes_limit: usize,
    serial: u64,
    /// Payloads are replaced, with digests under this key.
    redact: Option<Key>,
    /// A command runs: what it calls is no command of its own.
    pub(crate) within: bool,
    /// The last deadline that was recorded.
    pub(crate) timer: Option<Instant>,
    /// The last record is `say_held`: another one tells nothing.
    held: bool,
}

impl Trace {
    pub(crate) fn new(tracing: Tracing, seed: &Seed, limit: usize, bytes_limit: usize) -> Option<Box<Self>> {
        let redact = match tracing {
            Tracing::Off => return None,
            Tracing::Full => None,
            Tracing::Redacted => Some(Key::new(seed)),
        };
        Some(Box::new(Self::keeping(redact, limit, bytes_limit)))
    }
    /// Everything is kept until it is taken, as it was.
    pub(crate) fn unbounded() -> Self {
        Self::keeping(None, usize::MAX, usize::MAX)
    }
    fn keeping(redact: Option<Key>, limit: usize, bytes_limit: usize) -> Self {
        Self {
            records: VecDeque::new(),
            limit,
            bytes: 0,
            bytes_limit,
            serial: 0,
            redact,
            within: false,
            timer: None,
            held: false,
        }
    }
    /// Keeps it, and says how many older ones had to go.
    pub(crate) fn push(&mut self, mut record: TraceRecord) -> u64 {
        let held = record.name == SAY_HELD;
        if core::mem::replace(&mut self.held, held) && held {
            return 0;
        }
        self.serial += 1;
        record.serial = self.serial;
        if let Some(key) = &self.redact {
            key.redact(&mut record);
        }
        self.bytes += record.held();
        self.records.push_back(record);
        let mut dropped = 0;
        while self.records.len() > 1
            && (self.records.len() > self.limit || self.bytes > self.bytes_limit)
            && self.pop().is_some()
        {
            dropped += 1;
        }
        dropped
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
    pub(crate) fn pop(&mut self) -> Option<TraceRecord> {
        let record = self.records.pop_front()?;
        self.bytes = self.bytes.saturating_sub(record.held());
        Some(record)
    }
}

/// The command of a poll that told of changes which had waited for room.
const SAY_HELD: &str = "say_held";
