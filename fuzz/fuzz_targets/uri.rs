//! Templates, URIs and roots. The first line is a template and a root, the rest a URI and a path.
#![no_main]
use libfuzzer_sys::fuzz_target;
use mcp_sansio_fuzz::{
    root::check_root,
    uri::{check_decoding, check_match},
};

fuzz_target!(|text: &str| {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let _ = check_match(first, rest);
    let _ = check_root(first, rest);
    check_decoding(rest);
});
