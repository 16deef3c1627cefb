//! Says how many messages the gate checked since the counts were last cleared, and fails if a revision has none.
use std::process::ExitCode;

use mcp_sansio::revision::Revision;
use mcp_sansio_gate::{Counts, folder, released};

fn main() -> ExitCode {
    let counts = match Counts::read(&folder()) {
        Ok(counts) => counts,
        Err(error) => {
            eprintln!("{}: {error}; run the tests with MCP_SPEC_DIR first", folder().display());
            return ExitCode::FAILURE;
        }
    };
    for (what, count) in counts.without_a_type() {
        println!("not in the schema: {what} ({count})");
    }
    for revision in released() {
        println!("{} {:>8} messages checked", revision.name(), counts.checked(revision));
    }
    let missing: Vec<&str> =
        released().filter(|revision| counts.checked(*revision) == 0).map(Revision::name).collect();
    if missing.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("no message was checked of {}", missing.join(", "));
    ExitCode::FAILURE
}
