//! The syntax of what the constructors take.
use base64ct::{Base64, Encoding};

/// Base64 of the standard alphabet with its padding (RFC 4648, section 4).
pub(super) fn is_base64(text: &str) -> bool {
    Base64::decode_vec(text).is_ok()
}

/// `type/subtype` of restricted names (RFC 6838, section 4.2), with or without parameters.
pub(super) fn is_media_type(text: &str) -> bool {
    let (essence, parameters) = match text.split_once(';') {
        Some((essence, parameters)) => (essence.trim_end_matches(' '), parameters),
        None => (text, "x"),
    };
    let restricted = |name: &str| {
        name.len() <= 127
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    essence.split_once('/').is_some_and(|(kind, subtype)| restricted(kind) && restricted(subtype))
        && !parameters.trim_ascii().is_empty()
        && parameters.bytes().all(printable)
}

/// `any`, or a width and a height in pixels.
pub(super) fn is_icon_size(text: &str) -> bool {
    let pixels = |side: &str| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit());
    text == "any" || text.split_once('x').is_some_and(|(width, height)| pixels(width) && pixels(height))
}

/// Whether a client may load an icon from there: by `https:`, or out of a `data:` URI (`basic/index`, icons).
pub(super) fn is_icon_source(uri: &str) -> bool {
    let starts =
        |scheme: &str| uri.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    starts("https://") || starts("data:")
}
