//! A record without payloads.
use alloc::{boxed::Box, format, string::String};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::{TraceKind, TraceRecord};
use crate::{
    Seed,
    json::{Json, unescape},
    jsonrpc::write,
};

/// What stays of an object: members that are looked into, and values that are shown. Every other value is replaced.
struct Rule {
    opened: &'static [&'static str],
    shown: &'static [&'static str],
}

/// Of a message: what tells how the protocol ran, and nothing of what was said.
const MESSAGE: Rule = Rule {
    opened: &["params", "result", "error", "_meta"],
    shown: &[
        "jsonrpc",
        "id",
        "method",
        "name",
        "protocolVersion",
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/logLevel",
        "io.modelcontextprotocol/subscriptionId",
        "progressToken",
        "requestId",
        "progress",
        "total",
        "level",
        "code",
        "resultType",
        "isError",
        "ttlMs",
        "cacheScope",
    ],
};
/// Of the arguments of a command and of what is said of an event.
const OWN: Rule = Rule {
    opened: &["outcome", "options", "target"],
    shown: &[
        "method",
        "code",
        "level",
        "log_level",
        "progress",
        "total",
        "cache",
        "result_type",
        "kind",
        "page",
        "detail",
        "replied",
        "round",
        "previous",
        "cached",
        "again",
        "call",
        "request",
        "input",
        "silence",
        "fresh",
        "drain",
        "at",
        "unix_millis",
    ],
};

/// What digests are made with.
pub(crate) struct Key([u8; 32]);

impl Key {
    pub(crate) fn new(seed: &Seed) -> Self {
        let digest = Sha256::new().chain_update(b"mcp-sansio trace").chain_update(seed.0);
        Self(digest.finalize().into())
    }
    /// Replaces what may be a payload.
    pub(super) fn redact(&self, record: &mut TraceRecord) {
        record.redacted = true;
        let bytes = record.bytes.take();
        if record.text.is_empty() {
            return;
        }
        let text = match Json::parse(record.text.as_bytes()) {
            Ok(json) if bytes.is_none() => {
                let message = matches!(record.kind, TraceKind::Received | TraceKind::Sent);
                self.value(json, Some(if message { &MESSAGE } else { &OWN }))
            }
            _ => self.replaced(bytes.as_deref().unwrap_or(record.text.as_bytes())),
        };
        record.text = text.into();
    }
    fn value(&self, json: Json<'_>, rule: Option<&Rule>) -> String {
        let text = json.get().trim_matches([' ', '\t', '\n', '\r']);
        let Some(rule) = rule.filter(|_| text.starts_with(['{', '['])) else {
            return self.replaced(text.as_bytes());
        };
        let mut out = String::new();
        if text.starts_with('[') {
            // A batch: its elements are messages.
            for element in json.elements() {
                out.push_str(if out.is_empty() { "[" } else { "," });
                out.push_str(&self.value(element, element.is_object().then_some(rule)));
            }
            out.push_str(if out.is_empty() { "[]" } else { "]" });
            return out;
        }
        for (token, value) in json.members() {
            out.push_str(if out.is_empty() { "{" } else { "," });
            let key = &*unescape(token).unwrap_or_default();
            let within = if OWN.opened.contains(&key) { Some(&OWN) } else { Some(&MESSAGE) };
            let within = within.filter(|_| {
                value.is_object() && (MESSAGE.opened.contains(&key) || rule.opened.contains(&key))
            });
            let short = value.get().len() <= LONGEST && !value.get().starts_with(['{', '[']);
            let shown = short && rule.shown.contains(&key);
            // A name that a peer made up may be payload as well.
            if key.len() <= LONGEST && key.bytes().all(is_plain) {
                write::string(&mut out, key);
            } else {
                out.push_str(&self.replaced(key.as_bytes()));
            }
            out.push(':');
            match key {
                "uri" | "url" if value.as_str().is_some() => {
                    write::string(&mut out, &redact_uri(&value.as_str().unwrap_or_default()));
                }
                _ if shown => write::json(&mut out, value),
                _ => out.push_str(&self.value(value, within)),
            }
        }
        out.push_str(if out.is_empty() { "{}" } else { "}" });
        out
    }
    /// Length and digest, as a JSON string.
    fn replaced(&self, bytes: &[u8]) -> String {
        let mut head = [0; 8];
        if let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0) {
            mac.update(bytes);
            for (to, from) in head.iter_mut().zip(mac.finalize().into_bytes()) {
                *to = from;
            }
        }
        format!("\"<{} bytes, {:016x}>\"", bytes.len(), u64::from_be_bytes(head))
    }
}

/// Bytes of a value or a name that is shown.
const LONGEST: usize = 256;

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
}

/// A URI without what may be secret in it: user information, query and fragment are replaced by `…`, and so is
/// the content of a `data:` URI. At most 256 bytes.
///
/// ```
/// use mcp_sansio::trace::redact_uri;
///
/// assert_eq!(&*redact_uri("https://me:pass@example.com/a?token=1#b"), "https://…@example.com/a?…");
/// assert_eq!(&*redact_uri("file:///etc/hosts"), "file:///etc/hosts");
/// ```
pub fn redact_uri(uri: &str) -> Box<str> {
    if uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) {
        return "data:…".into();
    }
    let end = uri.find(['?', '#']);
    let shown = end.map_or(uri, |end| uri.get(..end).unwrap_or_default());
    let mut out = String::new();
    match shown.split_once("//") {
        Some((scheme, rest)) => {
            let host = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at_checked(host).unwrap_or((rest, ""));
            out.push_str(scheme);
            out.push_str("//");
            match authority.rsplit_once('@') {
                Some((_, host)) => {
                    out.push_str("…@");
                    out.push_str(host);
                }
                None => out.push_str(authority),
            }
            out.push_str(path);
        }
        None => out.push_str(shown),
    }
    if let Some(end) = end {
        out.push_str(if uri.as_bytes().get(end) == Some(&b'?') { "?…" } else { "#…" });
    }
    shorten(&mut out);
    out.into()
}

/// Cuts a text after 256 bytes.
pub(crate) fn shorten(text: &mut String) {
    let mut end = LONGEST.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}
