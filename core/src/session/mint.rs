//! Numbers that nobody else can guess, drawn from the machine's seed.
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Seed;

/// Draws 16 bytes at a time: HMAC-SHA-256 of a counter under the seed.
#[derive(Clone)]
pub(crate) struct Mint {
    seed: [u8; 32],
    drawn: u64,
}

impl Mint {
    pub(crate) const fn new(seed: &Seed) -> Self {
        Self { seed: seed.0, drawn: 0 }
    }
    pub(crate) fn draw(&mut self) -> [u8; 16] {
        self.drawn += 1;
        let mut number = [0; 16];
        if let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.seed) {
            mac.update(b"mcp-sansio mint");
            mac.update(&self.drawn.to_be_bytes());
            for (to, from) in number.iter_mut().zip(mac.finalize().into_bytes()) {
                *to = from;
            }
        }
        number
    }
}
