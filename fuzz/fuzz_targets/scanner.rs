//! `Json` beside serde_json: the verdict on all bytes, and where the parts lie.
#![no_main]
use libfuzzer_sys::fuzz_target;
use mcp_sansio_fuzz::reference::check_scanner;

fuzz_target!(|bytes: &[u8]| {
    check_scanner(bytes);
});
