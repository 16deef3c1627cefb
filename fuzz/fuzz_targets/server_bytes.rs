//! Bytes and operations for a server: `machine` says how they are written and what must hold.
#![no_main]
use libfuzzer_sys::fuzz_target;
use mcp_sansio_fuzz::machine::check_server;

fuzz_target!(|program: &[u8]| check_server(program));
