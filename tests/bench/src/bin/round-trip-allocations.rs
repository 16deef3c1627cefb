//! The floor and our machine with an allocator that counts.
use std::{alloc::System, error::Error};

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> Result<(), Box<dyn Error>> {
    mcp_sansio_bench::round_trip::main(mcp_sansio_bench::subject, Some(ALLOCATOR))
}
