//! A stream gives the same lines wherever it is cut. The first byte is the limit, the next four say where to cut.
#![no_main]
use libfuzzer_sys::fuzz_target;
use mcp_sansio_fuzz::reference::check_lines;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[limit, ref cuts @ ..], stream)) = bytes.split_first_chunk::<5>() else { return };
    check_lines(stream, limit.into(), &cuts.map(usize::from));
});
