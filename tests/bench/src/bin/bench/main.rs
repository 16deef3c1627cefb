//! Measures this project beside what others do and beside the least that can be done, all in one run: `bench ROOT`.
mod load;
mod programs;
mod report;

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use mcp_sansio_bench::message::Era;
use programs::{RoundTrip, output};
use report::Report;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let root = PathBuf::from(env::args_os().nth(1).ok_or("usage: bench ROOT")?).canonicalize()?;
    let programs = env::current_exe()?.parent().ok_or("no folder of programs")?.to_owned();
    let mut report = Report::default();
    round_trips(&mut report, &programs)?;
    servers(&mut report, &root, &programs)?;
    sizes(&mut report, &root)?;
    let failed = report.finish(&root.join("target/bench.json"))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One `tools/call`, bytes to bytes, in one thread.
fn round_trips(report: &mut Report, programs: &Path) -> Result {
    /// What the floor took where the limits were set. A floor that differs measures something else.
    const FLOOR: [(Era, f64); 2] = [(Era::Legacy, 4_376.0), (Era::Modern, 10_088.0)];
    const SUBJECTS: [(&str, &str); 4] = [
        ("floor", "round-trip"),
        ("machine", "round-trip"),
        ("stream", "round-trip"),
        ("rmcp", "rmcp-round-trip"),
    ];
    for (era, known_floor) in FLOOR {
        let mut rows = Vec::new();
        let mut floor = f64::NAN;
        for (subject, program) in SUBJECTS {
            let cost = RoundTrip::measure(&programs.join(program), subject, era.name())?;
            if subject == "floor" {
                floor = cost.instructions;
                report.at_most("floor, distance from the known one", (floor / known_floor - 1.0).abs(), 0.1);
            }
            let ratio = cost.instructions / floor;
            if matches!(subject, "machine" | "stream") {
                report.at_most(&format!("{subject} {}, instructions to the floor's", era.name()), ratio, 1.6);
                report.at_most(&format!("{subject} {}, allocations", era.name()), cost.allocations, 3.0);
            }
            let values = [cost.instructions, ratio, cost.allocations, cost.nanoseconds];
            rows.push((subject.to_owned(), values.map(Some).to_vec()));
        }
        let columns = ["instructions", "to the floor", "allocations", "ns"];
        report.table(&format!("one tools/call, {}", era.name()), &columns, &rows);
    }
    Ok(())
}

struct Program {
    name: &'static str,
    command: Vec<OsString>,
    eras: &'static [Era],
    handshake: bool,
}

/// Server processes on pipes.
fn servers(report: &mut Report, root: &Path, programs: &Path) -> Result {
    const REPEATS: usize = 3;
    let mut times: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    let table = server_table(root, programs);
    for _ in 0..REPEATS {
        for program in &table {
            for era in program.eras {
                let time = load::cpu_micros(&program.command, *era, program.handshake)
                    .map_err(|error| format!("{} {}: {error}", program.name, era.name()))?;
                times.entry((program.name, era.name())).or_default().push(time);
            }
        }
    }
    let median = |name: &str, era: Era| {
        let mut times = times.get(&(name, era.name()))?.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    };
    let row = |name: &str| (name.to_owned(), Era::ALL.map(|era| median(name, era)).to_vec());
    let rows: Vec<_> = table.iter().map(|program| row(program.name)).collect();
    let title = format!("server CPU a call in µs, {} in flight", load::IN_FLIGHT);
    report.table(&title, &Era::ALL.map(Era::name), &rows);
    for (ours, theirs, limit) in [
        ("Rust, ours", "Rust, rmcp 3.11.0", 1.0 / 2.0),
        ("Python, ours", "Python, mcp 2.3.0", 1.0 / 15.0),
        ("Node, ours", "Node, sdk 1.32.2", 1.0 / 2.0),
    ] {
        for era in Era::ALL {
            if let (Some(our), Some(their)) = (median(ours, era), median(theirs, era)) {
                report.at_most(&format!("{ours} {}, to {theirs}", era.name()), our / their, limit);
            }
        }
    }
    Ok(())
}

fn server_table(root: &Path, programs: &Path) -> Vec<Program> {
    let mut table = Vec::new();
    let mut add = |name, program: PathBuf, arguments: &[&Path], eras, handshake| {
        let arguments = arguments.iter().map(|argument| argument.as_os_str().to_owned());
        let command = [program.into_os_string()].into_iter().chain(arguments).collect();
        table.push(Program { name, command, eras, handshake });
    };
    let both: &[Era] = &Era::ALL;
    let here = root.join("tests/bench/servers");
    let threads = Path::new("threads");
    add("Rust, ours", root.join("target/release/examples/stdio_server"), &[], both, true);
    add("Rust, rmcp 3.11.0", programs.join("rmcp-stdio"), &[], both, true);
    add("Rust, rmcp 3.11.0, pool of threads", programs.join("rmcp-stdio"), &[threads], both, true);
    add("Rust, bare loop", programs.join("bare-loop"), &[], both, false);
    let python = root.join(".venv/bin/python");
    let peer = root.join("tests/interop/.venvs/mcp-2.3.0/bin/python");
    add("Python, ours", python.clone(), &[&root.join("bindings-python/examples/server.py")], both, true);
    add("Python, mcp 2.3.0", peer, &[&here.join("mcp_2_3_0.py")], both, true);
    add("Python, bare loop", python, &[&here.join("loop.py")], both, false);
    let node = PathBuf::from("node");
    add("Node, ours", node.clone(), &[&root.join("bindings-node/examples/server.mjs")], both, true);
    add("Node, sdk 1.32.2", node.clone(), &[&here.join("sdk_1_32_2.mjs")], &[Era::Legacy], true);
    add("Node, server 2.4.0", node.clone(), &[&here.join("server_2_4_0.mjs")], both, true);
    add("Node, bare loop", node, &[&here.join("loop.mjs")], both, false);
    table
}

/// What is shipped.
fn sizes(report: &mut Report, root: &Path) -> Result {
    let wasm = root.join("bindings-wasm/pkg/mcp_sansio_wasm_bg.wasm");
    let server = root.join("target/release/examples/stdio_server");
    let packed = output("gzip", ["-9".as_ref(), "-c".as_ref(), wasm.as_os_str()])?.len();
    let loaded = output("size", [server.as_os_str()])?;
    let loaded = String::from_utf8(loaded)?;
    let sections: Vec<f64> = loaded
        .lines()
        .nth(1)
        .map(|line| line.split_whitespace().map_while(|size| size.parse().ok()).collect())
        .ok_or("size printed no sizes")?;
    let [text, data, bss, ..] = sections.as_slice() else { return Err("size printed no sizes".into()) };
    let rows = [
        ("wasm module", wasm.metadata()?.len() as f64),
        ("wasm module, gzip -9", packed as f64),
        ("Rust stdio server, file", server.metadata()?.len() as f64),
        ("Rust stdio server, text", *text),
        ("Rust stdio server, data and bss", data + bss),
    ];
    report.table("size", &["bytes"], &rows.map(|(name, size)| (name.to_owned(), vec![Some(size)])));
    Ok(())
}
