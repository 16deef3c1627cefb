//! Tokens that come back from the peer and must be ours: HMAC-SHA-256, cut to 8 bytes for cursors and to 16 for state.
use alloc::{boxed::Box, string::String, vec::Vec};

use base64ct::{Base64UrlUnpadded, Encoding};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::principal::Principal;
use crate::{SealKeys, Seed};

const TAG: usize = 8;
/// First byte of every sealed cursor.
const FORMAT: u8 = 1;

/// Whose cursor it is, where a list differs from session to session: it is good for no other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub principal: Principal,
    pub groups: &'a [Box<str>],
}

/// Where a list goes on: `server/utilities/pagination`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The list it was made for.
    pub fingerprint: [u8; 8],
    /// Items before it.
    pub offset: u32,
    /// The last item before it.
    pub after: String,
}

#[derive(Clone)]
pub(crate) struct Sealer {
    pub(super) keys: SealKeys,
    /// Whether other machines have the keys too.
    pub(super) shared: bool,
}

impl Sealer {
    /// Without shared keys one is derived from the seed: what is sealed is good for this machine alone.
    pub(crate) fn new(keys: Option<&SealKeys>, seed: &Seed) -> Self {
        match keys {
            Some(keys) if !keys.0.is_empty() => Self { keys: keys.clone(), shared: true },
            _ => {
                let mut digest = Sha256::new();
                digest.update(b"mcp-sansio seal");
                digest.update(seed.0);
                Self { keys: SealKeys([digest.finalize().into()].into()), shared: false }
            }
        }
    }
    fn mac(key: &[u8; 32], list: u8, scope: Option<Scope<'_>>, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).ok()?;
        mac.update(b"cursor");
        mac.update(&[list, scope.is_some().into()]);
        if let Some(Scope { principal, groups }) = scope {
            mac.update(&principal.0);
            mac.update(&(groups.len() as u64).to_be_bytes());
            for group in groups {
                mac.update(&(group.len() as u64).to_be_bytes());
                mac.update(group.as_bytes());
            }
        }
        mac.update(body);
        Some(mac)
    }
    /// `list` is the number of the list that it goes on with.
    pub(crate) fn seal_cursor(&self, list: u8, scope: Option<Scope<'_>>, cursor: &Cursor) -> Option<String> {
        let mut body = Vec::with_capacity(1 + 8 + 4 + cursor.after.len() + TAG);
        body.push(FORMAT);
        body.extend_from_slice(&cursor.fingerprint);
        body.extend_from_slice(&cursor.offset.to_be_bytes());
        body.extend_from_slice(cursor.after.as_bytes());
        let tag = Self::mac(self.keys.0.first()?, list, scope, &body)?.finalize().into_bytes();
        body.extend_from_slice(tag.get(..TAG)?);
        Some(Base64UrlUnpadded::encode_string(&body))
    }
    /// `None`: not one of ours.
    pub(crate) fn open_cursor(&self, list: u8, scope: Option<Scope<'_>>, text: &str) -> Option<Cursor> {
        let bytes = Base64UrlUnpadded::decode_vec(text).ok()?;
        let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG)?)?;
        let ours = self.keys.0.iter().any(|key| {
            Self::mac(key, list, scope, body).is_some_and(|mac| mac.verify_truncated_left(tag).is_ok())
        });
        let (format, rest) = body.split_first()?;
        if !ours || *format != FORMAT {
            return None;
        }
        let (fingerprint, rest) = rest.split_at_checked(8)?;
        let (offset, after) = rest.split_at_checked(4)?;
        Some(Cursor {
            fingerprint: fingerprint.try_into().ok()?,
            offset: u32::from_be_bytes(offset.try_into().ok()?),
            after: String::from(core::str::from_utf8(after).ok()?),
        })
    }
}
