//! Plays case files against the engine: `cases [--all] FILE…`. With `--all`, a case that is skipped is a failure,
//! unless it needs HTTP or authorization.
//! `cases --peer SCRIPT` is the scripted server of cases about processes.
use std::{alloc::System, fs, process::ExitCode};

use mcp_sansio_tests::cases::{
    Player, Report,
    process::{Programs, serve},
};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn held() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

fn main() -> ExitCode {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let all = files.first().is_some_and(|first| first == "--all");
    if all {
        files.remove(0);
    }
    if let [flag, script] = &files[..]
        && flag == "--peer"
    {
        return match serve(script) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("{problem}");
                ExitCode::FAILURE
            }
        };
    }
    if files.is_empty() {
        eprintln!("usage: cases [--all] FILE...");
        return ExitCode::from(2);
    }
    match play(&files) {
        Ok(report) => {
            println!("{report}");
            let good = report.failed() == 0 && !(all && report.missing() > 0);
            if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn play(files: &[String]) -> Result<Report, String> {
    let peer = std::env::current_exe().map_err(|error| error.to_string())?;
    let examples = peer.parent().map(|folder| folder.join("examples"));
    let player = Player::new(Some(held), examples.map(|examples| Programs { examples, peer: peer.clone() }))?;
    let mut report = Report::default();
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        player.play(&text, &mut report).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(report)
}
