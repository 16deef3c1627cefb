//! The characters of a URI: which may stand in it, which are written as `%` and two hexadecimal digits, and which of the two
//! spellings mean the same.
use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::error::UriError;

/// A set of ASCII characters, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Set(u128);

impl Set {
    pub const fn of(ascii: &[u8]) -> Self {
        let (mut bits, mut rest) = (0, ascii);
        while let [first, others @ ..] = rest {
            bits |= 1_u128 << (*first & 127);
            rest = others;
        }
        Self(bits)
    }
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    pub const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }
}

/// RFC 3986, section 2.3.
pub(crate) const UNRESERVED: Set =
    Set::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");
/// RFC 3986, section 2.2: those that mean something only inside a part.
pub(crate) const SUB_DELIMS: Set = Set::of(b"!$&'()*+,;=");
/// RFC 3986, section 2.2: these, and those that divide the parts.
pub(crate) const RESERVED: Set = SUB_DELIMS.and(Set::of(b":/?#[]@"));

/// Whether a character may stand in a URI, or in the IRI that it is written as, without being escaped.
fn is_plain(c: char) -> bool {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => UNRESERVED.and(RESERVED).has(byte),
        _ => !c.is_control(),
    }
}

/// What one character of a URI is, with the spellings that mean the same made one: an escaped unreserved character is that
/// character (RFC 3986, section 6.2.2.2), and so is an escaped one outside ASCII (RFC 3987, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Plain(char),
    /// An escaped ASCII character that is not unreserved, or an escaped byte that is not part of a UTF-8 character.
    Escaped(u8),
}

impl Symbol {
    /// Whether it may stand where only `set`, escapes and characters outside ASCII may.
    pub fn is_in(self, set: Set) -> bool {
        match self {
            Self::Plain(c) => u8::try_from(c).map_or(true, |byte| !byte.is_ascii() || set.has(byte)),
            Self::Escaped(_) => true,
        }
    }
}

/// The characters of `text`, each with the offset of its first byte. The first error is the last item.
pub(crate) fn symbols(text: &str) -> impl Iterator<Item = Result<(Symbol, usize), UriError>> {
    let mut at = Some(0);
    core::iter::from_fn(move || {
        let begin = at?;
        let first = text.get(begin..)?.chars().next()?;
        let symbol = match first {
            '%' => escaped(text.as_bytes().get(begin..)?).ok_or("`%` without two hexadecimal digits"),
            _ if is_plain(first) => Ok((Symbol::Plain(first), first.len_utf8())),
            _ => Err("a character that no URI has"),
        };
        at = symbol.ok().map(|(_, length)| begin + length);
        Some(symbol.map(|(symbol, _)| (symbol, begin)).map_err(|reason| UriError::new(begin, reason)))
    })
}

/// The character that the escapes at the beginning of `text` stand for, and their length.
pub(crate) fn escaped(text: &[u8]) -> Option<(Symbol, usize)> {
    let first = escape(text)?;
    if UNRESERVED.has(first) {
        return Some((Symbol::Plain(first.into()), 3));
    }
    let mut bytes = [0; 4];
    for (index, slot) in bytes.iter_mut().enumerate() {
        *slot = text.get(3 * index..).and_then(escape).filter(|byte| !byte.is_ascii()).unwrap_or_default();
    }
    let chunk = bytes.utf8_chunks().next()?;
    let decoded = chunk.valid().chars().next().filter(|c| !c.is_ascii());
    Some(decoded.map_or((Symbol::Escaped(first), 3), |c| (Symbol::Plain(c), 3 * c.len_utf8())))
}

/// The byte that `%` and two digits at the beginning of `text` stand for.
pub(crate) fn escape(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

/// Text as it was before it was percent-encoded, decoded once: `%252e` becomes `%2e`. A `+` stays a `+`.
///
/// # Errors
/// `%` without two hexadecimal digits, and bytes that are not UTF-8; the offset is that of the escape.
pub fn percent_decode(text: &str) -> Result<Cow<'_, str>, UriError> {
    let Some(first) = text.find('%') else { return Ok(Cow::Borrowed(text)) };
    let (mut bytes, mut at) = (Vec::with_capacity(text.len()), first);
    let mut origins = Vec::new();
    bytes.extend_from_slice(text.as_bytes().get(..first).unwrap_or_default());
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        if let [b'%', ..] = rest {
            let byte = escape(rest).ok_or(UriError::new(at, "`%` without two hexadecimal digits"))?;
            origins.push((bytes.len(), at));
            bytes.push(byte);
            at += 3;
        } else {
            bytes.extend(rest.first());
            at += 1;
        }
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let origin = origins.iter().find(|(byte, _)| *byte >= valid).map_or(0, |(_, origin)| *origin);
        UriError::new(origin, "escaped bytes that are not UTF-8")
    })
}

/// Appends `text`, with all but `kept` escaped as UTF-8.
pub(crate) fn percent_encode(text: &str, kept: Set, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if kept.has(byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for nibble in [byte >> 4, byte & 15] {
                out.extend(DIGITS.get(usize::from(nibble)).map(|digit| char::from(*digit)));
            }
        }
    }
}
