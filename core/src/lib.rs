//! The Model Context Protocol as state machines without I/O.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
extern crate alloc;

pub mod embed;
pub mod error;
pub mod event;
pub mod framing;
pub mod json;
pub mod jsonrpc;
pub mod limits;
pub mod method;
pub mod revision;
mod scan;
pub mod session;
pub mod stdio;
pub mod time;
pub mod trace;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u64);
        impl $name {
            /// The handle as a plain number below 2^53, for bindings.
            pub const fn as_u64(self) -> u64 {
                self.0
            }
            /// Back from `as_u64`. A number the machine never gave out is answered with `UnknownHandle`, never with a panic.
            pub const fn from_u64(number: u64) -> Self {
                Self(number)
            }
        }
    )* };
}
handles! {
    /// A request that the peer sent to us and that awaits our answer.
    RequestHandle,
    /// A request that we sent. It is not its id on the wire.
    CallHandle,
    /// One question to the client application.
    InputHandle,
}

/// 32 bytes of fresh entropy. **Never reuse one**: two machines with one seed mint the same secrets. Tests may fix it.
#[derive(Clone)]
pub struct Seed(pub [u8; 32]);

/// Keys that seal `requestState` and cursors, shared by all instances of one service. The first seals, all of them open.
#[derive(Clone)]
pub struct SealKeys(pub alloc::vec::Vec<[u8; 32]>);
