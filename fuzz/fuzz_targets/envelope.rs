//! The envelope beside serde_json: what a message is and where its members lie. The first byte is the depth that is allowed.
#![no_main]
use libfuzzer_sys::fuzz_target;
use mcp_sansio_fuzz::reference::check_envelope;

fuzz_target!(|bytes: &[u8]| {
    if let Some((&depth, message)) = bytes.split_first() {
        let _ = check_envelope(message, depth.into());
    }
});
