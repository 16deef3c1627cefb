//! The `_meta` keys of the protocol: `basic/index` of 2026-07-28.
use alloc::string::String;

use crate::{json::Json, syntax::is_token};

/// The version of a request.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Name and version of the client.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do for this request.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The least level of log notices for this request.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Name and version of the server.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The subscription that a message belongs to.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The task that a message belongs to: `basic/utilities/tasks` of 2025-11-25.
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The trace that a message is a part of.
const TRACE_PARENT: &str = "traceparent";
/// What the systems on the way say of that trace.
const TRACE_STATE: &str = "tracestate";
/// What applications say of it.
const BAGGAGE: &str = "baggage";
/// Asks for progress, and names it.
pub(crate) const PROGRESS_TOKEN: &str = "progressToken";

/// Writes `_meta` with these members as the first member of an object, if there are any.
pub(crate) fn prefix(out: &mut String, members: &str) {
    if !members.is_empty() {
        out.push_str("\"_meta\":{");
        out.push_str(members);
        out.push_str("},");
    }
}

/// Whether only the engine may write this key.
pub(crate) fn is_engine_key(key: &str) -> bool {
    matches!(
        key,
        PROTOCOL_VERSION
            | CLIENT_INFO
            | CLIENT_CAPABILITIES
            | LOG_LEVEL
            | SERVER_INFO
            | SUBSCRIPTION_ID
            | RELATED_TASK
    )
}

/// The prefix of a key, if it has one; `Err` says why it is none: `basic/index` of 2025-06-18 and later.
pub(crate) fn prefix_of(key: &str) -> Result<Option<&str>, &'static str> {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    if !prefix.is_none_or(|prefix| prefix.split('.').all(is_label)) {
        return Err(
            "the prefix of a `_meta` key is labels of letters, digits and hyphens, with dots between them",
        );
    }
    if !is_name(name) {
        return Err("the name in a `_meta` key is letters, digits, hyphens, underscores and dots");
    }
    Ok(prefix)
}

/// Whether an application may set this key, which is none of the engine's, to this value; `Err` says why not.
pub(crate) fn check(key: &str, value: Json<'_>) -> Result<(), &'static str> {
    if prefix_of(key)?.is_some_and(is_reserved) {
        return Err("the protocol reserves the prefix of this `_meta` key");
    }
    let is = |right: fn(&str) -> bool| value.as_str().is_some_and(|text| right(&text));
    match key {
        TRACE_PARENT if !is(|text| is_trace_parent(text.as_bytes())) => {
            Err("`traceparent` is not as W3C Trace Context has it")
        }
        TRACE_STATE if !is(is_trace_state) => Err("`tracestate` is not as W3C Trace Context has it"),
        BAGGAGE if !is(is_baggage) => Err("`baggage` is not as W3C Baggage has it"),
        _ => Ok(()),
    }
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    ends.into_iter().flatten().all(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// 2025-06-18 reserves prefixes with such a label before the last one, later revisions those where it is the second.
fn is_reserved(prefix: &str) -> bool {
    let ours = |label: &str| matches!(label, "mcp" | "modelcontextprotocol");
    let mut labels = prefix.split('.').enumerate().peekable();
    let mut reserved = false;
    while let Some((place, label)) = labels.next() {
        reserved |= ours(label) && (place == 1 || labels.peek().is_some());
    }
    reserved
}

/// `00-` trace id `-` parent id `-` flags, in small hexadecimal digits, neither id of zeros alone.
fn is_trace_parent(text: &[u8]) -> bool {
    let hex = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut parts = text.split(|byte| *byte == b'-');
    let mut part = |length: usize| parts.next().filter(|part| part.len() == length && hex(part));
    let (version, trace, parent, flags) = (part(2), part(32), part(16), part(2));
    let some = |id: Option<&[u8]>| id.is_some_and(|id| id.iter().any(|byte| *byte != b'0'));
    let later = version.is_some_and(|version| version != b"00");
    version.is_some_and(|version| version != b"ff")
        && some(trace)
        && some(parent)
        && flags.is_some()
        && (later || parts.next().is_none())
}

const BLANK: [char; 2] = [' ', '\t'];

/// At most 32 members with commas between them: a key in small letters, `=`, and a value of what can be printed.
fn is_trace_state(text: &str) -> bool {
    let is_key = |key: &str| {
        (1..=256).contains(&key.len())
            && key.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && key
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-*/@".contains(&byte))
    };
    let is_value = |value: &str| {
        (1..=256).contains(&value.len())
            && value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'=')
    };
    let is_member =
        |member: &str| member.split_once('=').is_some_and(|(key, value)| is_key(key) && is_value(value));
    let mut members = text.split(',').map(|member| member.trim_matches(BLANK));
    text.split(',').count() <= 32 && members.all(|member| member.is_empty() || is_member(member))
}

/// Members with commas between them: a token, `=`, a value, and properties after semicolons, with or without a value.
fn is_baggage(text: &str) -> bool {
    let is_value =
        |value: &str| value.bytes().all(|byte| matches!(byte, b'!'..=b'~') && !b"\",;\\".contains(&byte));
    let is_pair = |text: &str, alone: bool| match text.split_once('=') {
        Some((key, value)) => is_token(key.trim_matches(BLANK)) && is_value(value.trim_matches(BLANK)),
        None => alone && is_token(text.trim_matches(BLANK)),
    };
    text.split(',').all(|member| {
        let mut parts = member.split(';');
        parts.next().is_some_and(|pair| is_pair(pair, false)) && parts.all(|property| is_pair(property, true))
    })
}
