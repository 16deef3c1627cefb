//! Who a session belongs to.
use sha2::{Digest, Sha256};

use crate::error::ConfigError;

/// Bytes of a principal's name.
const LONGEST: usize = 256;

/// The digest of the host's name for an authenticated subject; the default is "nobody", which is distinct from every
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Principal(pub(crate) [u8; 16]);

impl Principal {
    pub(crate) fn named(name: &str) -> Result<Self, ConfigError> {
        if name.len() > LONGEST {
            return Err(ConfigError::new("principal", "must have at most 256 bytes"));
        }
        let mut digest = Sha256::new();
        digest.update(b"mcp-sansio principal");
        digest.update(name.as_bytes());
        let mut principal = [0; 16];
        for (to, from) in principal.iter_mut().zip(digest.finalize()) {
            *to = from;
        }
        Ok(Self(principal))
    }
    pub(crate) fn is_nobody(self) -> bool {
        self == Self::default()
    }
}
