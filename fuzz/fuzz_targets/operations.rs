//! Operations on a server and a client that share a wire: `operations` says what they are and what must hold.
#![no_main]
use libfuzzer_sys::fuzz_target;
use mcp_sansio_fuzz::operations::{Program, check};

fuzz_target!(|program: Program| {
    check(&program);
});
