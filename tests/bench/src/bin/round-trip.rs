//! The floor and our machine, to be timed or run under callgrind.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    mcp_sansio_bench::round_trip::main(mcp_sansio_bench::subject, None)
}
