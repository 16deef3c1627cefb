//! The one writer: every message that leaves is built here, free of raw CR and LF.
use alloc::string::String;
use core::fmt::Write as _;

use crate::json::{Flags, Json, compact, unescape};

/// The members that the protocol adds to a result.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stamp<'a> {
    /// `resultType`, in the revisions that have it.
    pub result_type: Option<&'a str>,
    /// `ttlMs`, and whether `cacheScope` is public.
    pub cache: Option<(u32, bool)>,
    /// Members for `_meta`, without braces.
    pub meta: Option<&'a str>,
}

impl Stamp<'_> {
    /// Whether any member is added.
    pub(crate) const fn is_empty(&self) -> bool {
        self.result_type.is_none() && self.cache.is_none() && self.meta.is_none()
    }
}

/// A JSON value as it came, without newlines between its tokens.
pub(crate) fn json(out: &mut String, value: Json<'_>) {
    if value.has_newline() { compact(value.get(), out) } else { out.push_str(value.get()) }
}

/// A JSON string.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}

/// A whole number.
pub(crate) fn integer(out: &mut String, number: u64) {
    let mut digits = [0u8; 20];
    let mut rest = number;
    let mut used = 0;
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        used += 1;
        if rest == 0 {
            break;
        }
    }
    if let Some(text) = digits.get(digits.len() - used..).and_then(|tail| core::str::from_utf8(tail).ok()) {
        out.push_str(text);
    }
}

/// A finite number; whole ones without a fraction.
pub(crate) fn number(out: &mut String, number: f64) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::float_cmp)]
    if number.abs() < 9e15 && (number as i64) as f64 == number {
        let _ = write!(out, "{}", number as i64);
    } else if (1e-6..1e17).contains(&number.abs()) {
        let _ = write!(out, "{number}");
    } else {
        // Without the exponent this would be a long run of zeros.
        let _ = write!(out, "{number:e}");
    }
}

fn head(out: &mut String, id: &str) {
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    out.push_str(id);
}

/// A success. `id` is a token as the peer wrote it, `result` an object.
pub(crate) fn result(out: &mut String, id: &str, result: Json<'_>, stamp: &Stamp<'_>) {
    head(out, id);
    out.push_str(",\"result\":");
    if stamp.is_empty() {
        json(out, result);
    } else {
        stamped(out, result, stamp);
    }
    out.push('}');
}

/// A success whose result is written by `body`: the members of an object, each preceded by a comma but the first.
pub(crate) fn result_with(out: &mut String, id: &str, stamp: &Stamp<'_>, body: impl FnOnce(&mut String)) {
    head(out, id);
    out.push_str(",\"result\":{");
    let start = out.len();
    stamp_members(out, stamp, true);
    if out.len() > start {
        out.push(',');
    }
    let before = out.len();
    body(out);
    if out.len() == before && out.ends_with(',') {
        out.pop();
    }
    out.push_str("}}");
}

fn stamp_members(out: &mut String, stamp: &Stamp<'_>, with_meta: bool) {
    let start = out.len();
    let comma = |out: &mut String| {
        if out.len() > start {
            out.push(',');
        }
    };
    if let Some(kind) = stamp.result_type {
        out.push_str("\"resultType\":");
        string(out, kind);
    }
    if let Some((ttl_ms, public)) = stamp.cache {
        comma(out);
        out.push_str("\"ttlMs\":");
        integer(out, u64::from(ttl_ms));
        out.push_str(if public { ",\"cacheScope\":\"public\"" } else { ",\"cacheScope\":\"private\"" });
    }
    if let (true, Some(meta)) = (with_meta, stamp.meta) {
        comma(out);
        out.push_str("\"_meta\":{");
        out.push_str(meta);
        out.push('}');
    }
}

/// The object with the stamp's members in front, merged into its `_meta` if it has one. Steering members that it has
/// itself were compared by the caller and are dropped here, so that none is there twice.
fn stamped(out: &mut String, value: Json<'_>, stamp: &Stamp<'_>) {
    let flags = value.flags();
    let own_meta = flags.has(Flags::META) && stamp.meta.is_some();
    out.push('{');
    let start = out.len();
    stamp_members(out, stamp, !own_meta);
    if !own_meta && !flags.has(Flags::STEERING) {
        if flags.has(Flags::EMPTY) {
            out.push('}');
            return;
        }
        if out.len() > start {
            out.push(',');
        }
        let text = value.get();
        let inside = text.find('{').and_then(|open| text.get(open + 1..)).unwrap_or("}");
        if flags.has(Flags::NEWLINE) {
            compact(inside, out);
        } else {
            out.push_str(inside);
        }
        return;
    }
    for (key, member) in value.members() {
        // A key may be spelled with escapes.
        let name = unescape(key).unwrap_or_default();
        if steers(&name, stamp) {
            continue;
        }
        if out.len() > start {
            out.push(',');
        }
        out.push_str(key);
        out.push(':');
        match stamp.meta {
            Some(meta) if name == "_meta" => {
                out.push('{');
                out.push_str(meta);
                for (key, member) in member.members() {
                    out.push(',');
                    out.push_str(key);
                    out.push(':');
                    json(out, member);
                }
                out.push('}');
            }
            _ => json(out, member),
        }
    }
    out.push('}');
}

/// An object with these members of `_meta` in it.
pub(crate) fn with_meta(out: &mut String, value: Json<'_>, meta: &str) {
    stamped(out, value, &Stamp { meta: Some(meta), ..Stamp::default() });
}

fn steers(name: &str, stamp: &Stamp<'_>) -> bool {
    match name {
        "resultType" => stamp.result_type.is_some(),
        "ttlMs" | "cacheScope" => stamp.cache.is_some(),
        _ => false,
    }
}

/// How an error names the request.
#[derive(Clone, Copy)]
pub(crate) enum ErrorId<'a> {
    /// Its id token.
    Id(&'a str),
    /// It could not be read: `"id":null`.
    Null,
    /// It could not be read, and the revision leaves the member out.
    Absent,
}

/// An error.
pub(crate) fn error(out: &mut String, id: ErrorId<'_>, code: i32, message: &str, data: Option<Json<'_>>) {
    match id {
        ErrorId::Id(id) => head(out, id),
        ErrorId::Null => head(out, "null"),
        ErrorId::Absent => out.push_str("{\"jsonrpc\":\"2.0\""),
    }
    let _ = write!(out, ",\"error\":{{\"code\":{code},\"message\":");
    string(out, message);
    if let Some(data) = data {
        out.push_str(",\"data\":");
        json(out, data);
    }
    out.push_str("}}");
}

/// A request up to its params, which the caller writes, followed by `}`.
pub(crate) fn request_head(out: &mut String, id: u64, method: &str) {
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    integer(out, id);
    out.push_str(",\"method\":");
    string(out, method);
}

/// A notice.
pub(crate) fn notification(out: &mut String, method: &str, params: Option<Json<'_>>) {
    notification_with(out, method, params.map(|params| move |out: &mut String| json(out, params)));
}

/// A notice whose params are written by `params`.
pub(crate) fn notification_with<F: FnOnce(&mut String)>(out: &mut String, method: &str, params: Option<F>) {
    out.push_str("{\"jsonrpc\":\"2.0\",\"method\":");
    string(out, method);
    if let Some(params) = params {
        out.push_str(",\"params\":");
        params(out);
    }
    out.push('}');
}
