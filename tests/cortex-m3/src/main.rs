//! A server without `std` in the memory of a microcontroller: a scripted client talks to it in both eras, and the
//! program fails on an answer that differs, on an allocation that fails, and on memory that does not come back.
#![no_std]
#![no_main]
extern crate alloc;

mod host;
mod memory;
mod scenario;

use core::panic::PanicInfo;

use cortex_m as _;
use cortex_m_rt::entry;
use cortex_m_semihosting::{
    debug::{self, EXIT_FAILURE, EXIT_SUCCESS},
    hprintln,
};
use host::Host;
use memory::{HEAP_BYTES, Image};
use scenario::Era;

/// Bytes that everything static but the heap may take.
const STATICS: usize = 2 << 10;

#[entry]
fn main() -> ! {
    memory::start_heap();
    let free_at_start = memory::heap_free();
    let spoken = converse();
    let free_at_end = memory::heap_free();
    let image = Image::of_this_program();
    hprintln!("heap           {HEAP_BYTES} bytes, {} at its peak", memory::heap_peak());
    hprintln!("heap left      {free_at_end} bytes at the end, {free_at_start} at the start");
    hprintln!("other statics  {} bytes of {STATICS}", image.statics);
    hprintln!("stack          {} bytes, {} at its deepest", image.stack, image.stack_peak);
    hprintln!("code           {} bytes, and {} of constants", image.text, image.constants);
    let checks = [
        ("the conversation is as expected", spoken),
        ("no allocation failed", !memory::heap_failed()),
        ("the heap left at the end is that of the start", free_at_end == free_at_start),
        ("other statics are within their bound", image.statics <= STATICS),
        ("the stack did not run over", image.stack_peak < image.stack),
    ];
    let failed = checks.iter().filter(|(_, holds)| !holds);
    failed.clone().for_each(|(check, _)| hprintln!("FAILED: {check}"));
    let failed = failed.count();
    hprintln!("{} passed, {failed} failed", checks.len() - failed);
    exit(failed == 0)
}

/// Both eras on one stream, then its end.
fn converse() -> bool {
    let Some(mut host) = Host::new() else {
        hprintln!("the server could not be built");
        return false;
    };
    for (name, era) in [("2026-07-28", Era::Modern), ("2025-11-25", Era::Legacy)] {
        if let Err(mismatch) = scenario::run(&mut host, era) {
            hprintln!("{name}, {}: expected {}", mismatch.step, mismatch.wanted);
            return false;
        }
    }
    let silent = host.eof().is_empty();
    silent && host.closed
}

fn exit(success: bool) -> ! {
    loop {
        debug::exit(if success { EXIT_SUCCESS } else { EXIT_FAILURE });
    }
}

#[panic_handler]
fn panicked(info: &PanicInfo<'_>) -> ! {
    hprintln!("{info}");
    exit(false)
}
