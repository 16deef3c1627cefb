//! Programs whose output, or whose execution, is a measurement.
use std::{error::Error, ffi::OsStr, path::Path, process::Command};

use mcp_sansio_bench::round_trip::ROUNDS;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What one subject of a round trip costs.
pub struct RoundTrip {
    /// Machine instructions, counted by callgrind.
    pub instructions: f64,
    /// Allocations, growth of what was allocated included.
    pub allocations: f64,
    /// Wall time of the fastest series.
    pub nanoseconds: f64,
}

impl RoundTrip {
    /// Runs `program` and `program`-allocations, whose arguments are those of [`mcp_sansio_bench::round_trip::main`].
    pub fn measure(program: &Path, subject: &str, era: &str) -> Result<Self> {
        let counting = program
            .with_file_name(format!("{}-allocations", program.file_name().unwrap_or_default().display()));
        Ok(Self {
            instructions: instructions(program, subject, era)?,
            allocations: number(&counting, [subject, era, "allocations"])?,
            nanoseconds: number(program, [subject, era, "time"])?,
        })
    }
}

/// Instructions of one round below [`mcp_sansio_bench::round_trip::measured`].
fn instructions(program: &Path, subject: &str, era: &str) -> Result<f64> {
    let run = Command::new("setarch")
        .args(["-R", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", "--toggle-collect=*round_trip::measured"])
        .arg(program)
        .args([subject, era, "instructions"])
        .output()?;
    let log = String::from_utf8_lossy(&run.stderr);
    let count = log
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .map(|(_, count)| count.trim().parse::<f64>());
    match count {
        Some(Ok(count)) if run.status.success() && count > 0.0 => Ok(count / f64::from(ROUNDS)),
        _ => Err(format!("callgrind counted nothing in {}: {log}", program.display()).into()),
    }
}

/// The number that a program prints.
fn number(program: &Path, arguments: [&str; 3]) -> Result<f64> {
    Ok(String::from_utf8(output(program, arguments)?)?.trim().parse()?)
}

/// Runs a program and returns its standard output.
pub fn output<A: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = A>,
) -> Result<Vec<u8>> {
    let program = program.as_ref();
    let run = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !run.status.success() {
        return Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&run.stderr)).into());
    }
    Ok(run.stdout)
}
