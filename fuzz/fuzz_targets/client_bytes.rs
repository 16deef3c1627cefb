//! Bytes and operations for a client: `machine` says how they are written and what must hold.
#![no_main]
use libfuzzer_sys::fuzz_target;
use mcp_sansio_fuzz::machine::check_client;

fuzz_target!(|program: &[u8]| check_client(program));
