//! A digest of JSON values that is the same for every spelling of a value: whitespace, escapes, the order of keys and the
//! spelling of numbers do not count.
use alloc::{borrow::Cow, vec::Vec};

use sha2::{Digest, Sha256};

use crate::{
    json::{Json, unescape},
    jsonrpc::id,
    scan::CodePoints,
};

/// What is still to be taken in, the next one last: without recursion, for stacks are small.
enum Step<'a> {
    Value(Json<'a>),
    Key(&'a str),
    Mark(u8),
}

pub(super) fn update(digest: &mut Sha256, value: Json<'_>) {
    let mut steps: Vec<Step<'_>> = Vec::from([Step::Value(value)]);
    while let Some(step) = steps.pop() {
        match step {
            Step::Mark(mark) => digest.update([mark]),
            Step::Key(token) => string(digest, token),
            Step::Value(value) => {
                let text = value.get().trim_matches([' ', '\t', '\n', '\r']);
                match text.as_bytes().first() {
                    Some(b'{') => {
                        let mut members: Vec<(Cow<'_, str>, &str, Json<'_>)> = value
                            .members()
                            .map(|(token, member)| (unescape(token).unwrap_or_default(), token, member))
                            .collect();
                        members.sort_by(|left, right| left.0.cmp(&right.0));
                        digest.update(b"{");
                        steps.push(Step::Mark(b'}'));
                        for (_, token, member) in members.into_iter().rev() {
                            steps.extend([Step::Value(member), Step::Key(token)]);
                        }
                    }
                    Some(b'[') => {
                        digest.update(b"[");
                        steps.push(Step::Mark(b']'));
                        let first = steps.len();
                        steps.extend(value.elements().map(Step::Value));
                        if let Some(elements) = steps.get_mut(first..) {
                            elements.reverse();
                        }
                    }
                    Some(b'"') => string(digest, text),
                    Some(b'-' | b'0'..=b'9') => id::canonical(text, |part| digest.update(part)),
                    _ => digest.update(text),
                }
            }
        }
    }
}

/// The decoded text between bytes that no text has. A lone half of a surrogate pair stays what it is.
fn string(digest: &mut Sha256, token: &str) {
    let body = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
    digest.update([0xfe]);
    if body.contains('\\') {
        for point in CodePoints::new(body) {
            if let Some(char) = char::from_u32(point) {
                digest.update(char.encode_utf8(&mut [0; 4]));
            } else {
                digest.update([0xfc]);
                digest.update(point.to_be_bytes());
            }
        }
    } else {
        digest.update(body);
    }
    digest.update([0xff]);
}
