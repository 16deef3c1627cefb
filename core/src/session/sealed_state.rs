//! `requestState`: what a modern client carries from one round to the next, sealed so that it is ours, of this principal
//! and for this request alone: `basic/patterns/mrtr`.
//!
//! ```text
//! format 1 · key number 1 · expiry 8 · round 1 · nonce 16 · principal 16 · request 16
//! · questions 2 · (key length 4 · key · method length 1 · method)… · has state 1 · state · tag 16
//! ```
//! as base64url. Numbers are big-endian; the tag is HMAC-SHA-256 of all before it, cut to 16 bytes.
use alloc::{boxed::Box, string::String, vec::Vec};

use base64ct::{Base64UrlUnpadded, Encoding};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::{canonical, principal::Principal, seal::Sealer};
use crate::json::Json;

const FORMAT: u8 = 1;
const TAG: usize = 16;

/// What is sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SealedState {
    /// Milliseconds since 1970; of the machine's own timeline where no other machine has the keys.
    pub(super) expires: u64,
    /// Rounds of input with this one.
    pub(super) round: u8,
    pub(super) nonce: [u8; 16],
    pub(super) principal: Principal,
    pub(super) request: [u8; 16],
    /// Key and method.
    pub(super) questions: Vec<(Box<str>, Box<str>)>,
    pub(super) state: Option<Box<[u8]>>,
}

/// What a request is, whatever its spelling: method, decoded name, arguments.
pub(super) fn request_digest(method: &str, name: &str, arguments: Option<Json<'_>>) -> [u8; 16] {
    let mut digest = Sha256::new();
    for text in [method, name] {
        digest.update(text);
        digest.update([0xff]);
    }
    // A call without arguments is one with none.
    canonical::update(&mut digest, arguments.unwrap_or(Json::EMPTY_OBJECT));
    first(&digest.finalize())
}

fn first(bytes: &[u8]) -> [u8; 16] {
    let mut cut = [0; 16];
    cut.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    cut
}

/// Tells keys apart, so that after a rotation the right one is tried.
fn number(key: &[u8; 32]) -> u8 {
    let mut digest = Sha256::new();
    digest.update(b"mcp-sansio key number");
    digest.update(key);
    digest.finalize().first().copied().unwrap_or_default()
}

fn mac(key: &[u8; 32], body: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).ok()?;
    mac.update(b"state");
    mac.update(body);
    Some(mac)
}

impl Sealer {
    /// `None` only for what no limit lets through.
    pub(super) fn seal_state(&self, sealed: &SealedState) -> Option<String> {
        let key = self.keys.0.first()?;
        let mut body = Vec::from([FORMAT, number(key)]);
        body.extend_from_slice(&sealed.expires.to_be_bytes());
        body.push(sealed.round);
        body.extend_from_slice(&sealed.nonce);
        body.extend_from_slice(&sealed.principal.0);
        body.extend_from_slice(&sealed.request);
        body.extend_from_slice(&u16::try_from(sealed.questions.len()).ok()?.to_be_bytes());
        for (key, method) in &sealed.questions {
            body.extend_from_slice(&u32::try_from(key.len()).ok()?.to_be_bytes());
            body.extend_from_slice(key.as_bytes());
            body.push(u8::try_from(method.len()).ok()?);
            body.extend_from_slice(method.as_bytes());
        }
        body.push(u8::from(sealed.state.is_some()));
        body.extend_from_slice(sealed.state.as_deref().unwrap_or_default());
        let tag = mac(key, &body)?.finalize().into_bytes();
        body.extend_from_slice(tag.get(..TAG)?);
        Some(Base64UrlUnpadded::encode_string(&body))
    }
    /// `None`: not one of ours.
    pub(super) fn open_state(&self, text: &str) -> Option<SealedState> {
        let bytes = Base64UrlUnpadded::decode_vec(text).ok()?;
        let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG)?)?;
        let [FORMAT, sealed_by, ..] = body else { return None };
        let mut candidates = self.keys.0.iter().filter(|key| number(key) == *sealed_by);
        let is_ours =
            |key| mac(key, body).is_some_and(|mac: Hmac<Sha256>| mac.verify_truncated_left(tag).is_ok());
        if !candidates.any(is_ours) {
            return None;
        }
        let mut rest = Reader(body.get(2..)?);
        let expires = u64::from_be_bytes(rest.array()?);
        let [round] = rest.array()?;
        let (nonce, principal, request) = (rest.array()?, Principal(rest.array()?), rest.array()?);
        let mut questions = Vec::new();
        for _ in 0..u16::from_be_bytes(rest.array()?) {
            let length = u32::from_be_bytes(rest.array()?);
            let key = rest.text(length as usize)?;
            let [length] = rest.array()?;
            questions.push((key, rest.text(usize::from(length))?));
        }
        let state = match rest.array()? {
            [0] => None,
            _ => Some(rest.0.into()),
        };
        Some(SealedState { expires, round, nonce, principal, request, questions, state })
    }
}

/// What is left of a body.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }
    fn text(&mut self, length: usize) -> Option<Box<str>> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        core::str::from_utf8(taken).ok().map(Into::into)
    }
}
