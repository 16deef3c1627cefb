//! Without arguments: says how many messages were checked since the counts were last cleared, and fails if a revision has
//! none. `mcp-sansio-gate client|server FILE…` checks what taps of the interop matrix kept, where that side is ours: a line
//! `ours: …` for each message of ours that does not fit its schema, `peer: …` for each of the other side.
use std::{env, fs, process::ExitCode};

use mcp_sansio::{method::Side, revision::Revision};
use mcp_sansio_gate::{Counts, Gate, folder, released};
use serde_json::Value;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.split_first() {
        None => sum(),
        Some((side, files)) if side == "client" => taps(Side::Client, files),
        Some((side, files)) if side == "server" => taps(Side::Server, files),
        Some(_) => {
            eprintln!("usage: mcp-sansio-gate [client|server FILE...]");
            ExitCode::from(2)
        }
    }
}

fn sum() -> ExitCode {
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

fn taps(ours: Side, files: &[String]) -> ExitCode {
    let mut good = true;
    for file in files {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(2);
            }
        };
        let (mut own, mut others) = (Gate::new(ours), Gate::uncounted(ours.peer()));
        for record in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let sender = match record.get("kind").and_then(Value::as_str) {
                Some("client") => Side::Client,
                Some("server") => Side::Server,
                _ => continue,
            };
            let line = record.get("line").and_then(Value::as_str).unwrap_or_default();
            let (who, sending, hearing) = if sender == ours {
                ("ours", &mut own, &mut others)
            } else {
                ("peer", &mut others, &mut own)
            };
            if let Err(broken) = sending.sent(line) {
                println!("{who}: {broken}");
                good &= sender != ours;
            }
            hearing.received(line.as_bytes());
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
