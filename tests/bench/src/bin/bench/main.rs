//! Measures this project beside what others do and beside the least that can be done, all in one run. What it runs has
//! been built by `make bench`.
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

use mcp_sansio_bench::{list::TOOLS, message::Era};
use programs::{RoundTrip, output};
use report::Report;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let programs = env::current_exe()?.parent().ok_or("no folder of programs")?.to_owned();
    let mut report = Report::default();
    round_trips(&mut report, &programs)?;
    lists(&mut report, &programs)?;
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
        let mut costs = Vec::new();
        for (subject, program) in SUBJECTS {
            costs.push((subject, RoundTrip::measure(&programs.join(program), subject, era.name())?));
        }
        let of = |name| {
            costs.iter().find(|(subject, _)| *subject == name).map_or(f64::NAN, |(_, cost)| cost.instructions)
        };
        let (floor, rmcp) = (of("floor"), of("rmcp"));
        let distance = (floor / known_floor - 1.0).abs();
        report.at_most(&format!("floor {}, distance from the known one", era.name()), distance, 0.1);
        for (subject, cost) in costs.iter().filter(|(subject, _)| matches!(*subject, "machine" | "stream")) {
            let what = format!("{subject} {}", era.name());
            report.at_most(&format!("{what}, instructions to the floor's"), cost.instructions / floor, 1.6);
            report.at_most(&format!("{what}, allocations"), cost.allocations, 3.0);
        }
        let row = |(subject, cost): &(&str, RoundTrip)| {
            let ratios = [cost.instructions / floor, cost.instructions / rmcp];
            let values = [cost.instructions, ratios[0], ratios[1], cost.allocations, cost.nanoseconds];
            ((*subject).to_owned(), values.map(Some).to_vec())
        };
        let rows: Vec<_> = costs.iter().map(row).collect();
        let columns = ["instructions", "to the floor", "to rmcp", "allocations", "ns"];
        report.table(&format!("one tools/call, {}", era.name()), &columns, &rows);
    }
    Ok(())
}

/// One `tools/list` of many tools, bytes to bytes, in one thread.
fn lists(report: &mut Report, programs: &Path) -> Result {
    for era in Era::ALL {
        let cost = |subject| RoundTrip::measure(&programs.join("round-trip"), subject, era.name());
        let (list, copy) = (cost("list")?, cost("copy")?);
        let what = format!("tools/list {}", era.name());
        let micros = (list.nanoseconds - copy.nanoseconds) / 1000.0;
        report.at_most(&format!("{what}, µs above copying its bytes"), micros, 2.0);
        let allocations = list.allocations - copy.allocations;
        report.at_most(&format!("{what}, allocations above copying its bytes"), allocations, 3.0);
        let row = |name: &str, cost: &RoundTrip| {
            let values = [cost.instructions, cost.allocations, cost.nanoseconds];
            (name.to_owned(), values.map(Some).to_vec())
        };
        let title = format!("one tools/list of {TOOLS}, {}", era.name());
        report.table(
            &title,
            &["instructions", "allocations", "ns"],
            &[row("list", &list), row("copy", &copy)],
        );
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
    let columns = ["2025-11-25", "2026-07-28", "2025, to loop", "2026, to loop"];
    let row = |program: &Program| {
        let language = program.name.split_once(',').map_or(program.name, |(language, _)| language);
        let times = Era::ALL.map(|era| median(program.name, era));
        let floor = Era::ALL.map(|era| median(&format!("{language}, bare loop"), era));
        let ratios = times.into_iter().zip(floor).map(|(time, floor)| Some(time? / floor?));
        (program.name.to_owned(), times.into_iter().chain(ratios).collect())
    };
    let rows: Vec<_> = table.iter().map(row).collect();
    report.table(&format!("server CPU a call in µs, {} in flight", load::IN_FLIGHT), &columns, &rows);
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
