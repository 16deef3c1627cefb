//! Writes `core/METHODS.md`.
use mcp_sansio_tests::methods::page;

fn main() -> std::io::Result<()> {
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/METHODS.md"), page())
}
