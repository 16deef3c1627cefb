//! What a string has to look like where the protocol names a syntax. Nothing here allocates.
use crate::uri::symbols;

/// Whether text is base64 as `blob` and `data` must be: the standard alphabet, padded, without line breaks, its unused
/// bits zero (RFC 4648, section 4; server/resources, "Binary Content"). Empty text is.
pub fn is_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    let data = text.trim_end_matches('=').as_bytes();
    let value = |byte: &u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let unused = match bytes.len() - data.len() {
        0 => 0,
        1 => 0b11,
        2 => 0b1111,
        _ => return false,
    };
    bytes.len().is_multiple_of(4)
        && data.iter().all(|byte| value(byte).is_some())
        && data.last().and_then(value).is_none_or(|last| last & unused == 0)
}

const BLANK: [char; 2] = [' ', '\t'];

/// Whether text is a media type: `type/subtype`, with or without parameters (RFC 9110, section 8.3.1). What `mimeType` is.
pub fn is_media_type(text: &str) -> bool {
    let Some((kind, rest)) = text.split_once('/') else { return false };
    let (subtype, mut rest) = take_token(rest);
    if !is_token(kind) || subtype.is_empty() {
        return false;
    }
    loop {
        if rest.is_empty() {
            return true;
        }
        let Some(parameter) = rest.trim_start_matches(BLANK).strip_prefix(';') else { return false };
        let (name, after) = take_token(parameter.trim_start_matches(BLANK));
        if name.is_empty() {
            // Between semicolons there may be nothing.
            rest = after;
            continue;
        }
        let Some(value) = after.strip_prefix('=') else { return false };
        let end = if value.starts_with('"') { quoted(value) } else { Some(take_token(value).0.len()) };
        let Some(end) = end.filter(|end| *end > 0) else { return false };
        rest = value.get(end..).unwrap_or_default();
    }
}

/// Whether a tool's name is as the pages ask from 2025-11-25 on: 1 to 128 of the characters `A-Z a-z 0-9 _ - .`
/// (server/tools, "Tool Names"). They SHOULD: others work, but not with every peer.
pub fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// Whether text is a URI with a scheme, or an IRI (RFC 3986, sections 3 and 3.1): only characters that may stand in one, whole
/// escapes, and no more than one `#`. What `uri` of a resource is, with whatever scheme (server/resources).
pub fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        && symbols(rest).all(|symbol| symbol.is_ok())
        && rest.matches('#').count() <= 1
}

/// Whether text is a date: `full-date` of RFC 3339, such as `2025-11-25`.
pub fn is_date(text: &str) -> bool {
    let part = |from, to| digits(text.get(from..to));
    let (Some(year), Some(month), Some(day)) = (part(0, 4), part(5, 7), part(8, 10)) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    text.len() == 10
        && text.get(4..5) == Some("-")
        && text.get(7..8) == Some("-")
        && (1..=days).contains(&day)
}

/// Whether text is a date with a time and its offset: `date-time` of RFC 3339, such as `2025-11-25T10:30:00Z`.
pub fn is_date_time(text: &str) -> bool {
    text.get(..10).is_some_and(is_date) && text.get(10..).is_some_and(is_time)
}

/// Whether a client may fetch or show the `src` of an icon: an `https` URI with a host, or a `data` URI of an image (basic,
/// "Icons"; the schema's mention of `http` is overruled there).
///
/// A client that fetches also checks that the icon is of the server's own origin ([`is_same_origin`]), sends no
/// credentials, follows no redirect to another scheme or origin, and treats the bytes as hostile: an SVG may hold scripts.
pub fn icon_may_be_fetched(src: &str) -> bool {
    if let Some(data) = strip_scheme(src, "data:") {
        let Some((media_type, _)) = data.split_once(',') else { return false };
        let media_type = media_type.strip_suffix(";base64").unwrap_or(media_type);
        return is_uri(src) && is_media_type(media_type) && strip_scheme(media_type, "image/").is_some();
    }
    origin(src).is_some_and(|origin| origin.is_https)
}

/// Whether two `http` or `https` URIs have the same scheme, host and port (RFC 6454, section 5). Anything else has no origin
/// that could be the same.
pub fn is_same_origin(one: &str, other: &str) -> bool {
    match (origin(one), origin(other)) {
        (Some(one), Some(other)) => {
            one.is_https == other.is_https
                && one.port == other.port
                && one.host.eq_ignore_ascii_case(other.host)
        }
        _ => false,
    }
}

struct Origin<'a> {
    is_https: bool,
    host: &'a str,
    port: u16,
}

/// The origin of an `http` or `https` URI without user information.
fn origin(uri: &str) -> Option<Origin<'_>> {
    let https = strip_scheme(uri, "https://");
    let (is_https, rest) = (https.is_some(), https.or_else(|| strip_scheme(uri, "http://"))?);
    let authority = rest.split(['/', '?', '#']).next()?;
    let in_brackets = authority.starts_with('[').then(|| authority.find(']').map(|end| end + 1));
    let end = in_brackets.unwrap_or_else(|| Some(authority.find(':').unwrap_or(authority.len())))?;
    let (host, port) = (authority.get(..end)?, authority.get(end..)?);
    let port = match port.strip_prefix(':').filter(|port| !port.is_empty()) {
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
        Some(_) => return None,
        None if is_https => 443,
        None => 80,
    };
    (is_uri(uri) && !host.is_empty() && !host.contains('@')).then_some(Origin { is_https, host, port })
}

/// What follows a scheme, in whatever case it is written.
fn strip_scheme<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// RFC 9110, section 5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether text may be the name of a header.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

fn take_token(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !is_token_byte(byte)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The length of the quoted string that text begins with (RFC 9110, section 5.6.4).
fn quoted(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        let c = match c {
            '"' => return Some(at + 1),
            '\\' => chars.next()?.1,
            c => c,
        };
        if c.is_ascii_control() && c != '\t' {
            return None;
        }
    }
    None
}

/// Digits and nothing else.
fn digits(text: Option<&str>) -> Option<u32> {
    text.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

/// `T` and `full-time` of RFC 3339.
fn is_time(text: &str) -> bool {
    let part = |text: &str, from, to| digits(text.get(from..to));
    let colon = |text: &str, at| text.get(at..at + 1) == Some(":");
    let (Some(hour), Some(minute), Some(second)) = (part(text, 1, 3), part(text, 4, 6), part(text, 7, 9))
    else {
        return false;
    };
    let clock = text.starts_with(['T', 't']) && colon(text, 3) && colon(text, 6);
    let mut rest = text.get(9..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
        if rest.len() == fraction.len() {
            return false;
        }
    }
    let offset = matches!(rest, "Z" | "z")
        || rest.len() == 6
            && rest.starts_with(['+', '-'])
            && colon(rest, 3)
            && part(rest, 1, 3).is_some_and(|hour| hour < 24)
            && part(rest, 4, 6).is_some_and(|minute| minute < 60);
    clock && offset && hour < 24 && minute < 60 && second <= 60
}
