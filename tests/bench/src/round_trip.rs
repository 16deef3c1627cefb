//! How a round trip is run and measured.
use std::{alloc::System, env, error::Error, hint::black_box, time::Instant};

use stats_alloc::{Region, StatsAlloc};

use crate::message::{Era, echoed};

/// A server as bytes in and bytes out, within one thread. Without more it is one of the tool `echo`.
pub trait RoundTrip {
    /// Takes one message, which ends with LF, and appends the answer, which may.
    fn run(&mut self, line: &[u8], answer: &mut Vec<u8>);
    /// What it is asked.
    fn question(&self, era: Era) -> String {
        era.call(7, "hello world")
    }
    /// Whether it does what it should.
    fn works(&mut self, era: Era) -> bool {
        ["one text", "another text"].into_iter().all(|text| {
            let mut answer = Vec::new();
            self.run(era.call(8, text).as_bytes(), &mut answer);
            echoed(&answer) == Some((8, text.to_owned()))
        })
    }
}

/// What callgrind counts: everything below this function, and nothing else.
#[inline(never)]
pub fn measured(subject: &mut dyn RoundTrip, line: &[u8], answer: &mut Vec<u8>) {
    subject.run(black_box(line), answer);
}

/// How a program of subjects is used.
pub const USAGE: &str = "usage: SUBJECT ERA (instructions | time | allocations)";
/// Calls that are measured as one.
pub const ROUNDS: u32 = 1_000;

/// The program that runs the subject of the first argument as the others say. An `allocator` that counts costs
/// instructions and time, so a program has one for `allocations` alone.
pub fn main(
    subject: impl Fn(&str, Era) -> Option<Box<dyn RoundTrip>>,
    allocator: Option<&StatsAlloc<System>>,
) -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [name, era, mode] = args.as_slice() else { return Err(USAGE.into()) };
    let era = Era::named(era).ok_or(USAGE)?;
    let subject = &mut *subject(name, era).ok_or(USAGE)?;
    if !subject.works(era) {
        return Err(format!("{name} gives a wrong answer").into());
    }
    let line = subject.question(era);
    let mut answer = Vec::with_capacity(256 << 10);
    let mut series = || {
        for _ in 0..ROUNDS {
            answer.clear();
            measured(subject, line.as_bytes(), &mut answer);
        }
    };
    match (mode.as_str(), allocator) {
        ("instructions", None) => series(),
        ("time", None) => println!("{}", fastest(series)),
        ("allocations", Some(allocator)) => {
            series();
            let region = Region::new(allocator);
            series();
            let change = region.change();
            println!("{}", (change.allocations + change.reallocations) as f64 / f64::from(ROUNDS));
        }
        _ => return Err(USAGE.into()),
    }
    if subject.works(era) { Ok(()) } else { Err(format!("{name} no longer gives the right answer").into()) }
}

/// Nanoseconds a round in the fastest of many series.
fn fastest(mut series: impl FnMut()) -> f64 {
    (0..100)
        .map(|_| {
            let began = Instant::now();
            series();
            began.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS)
        })
        .fold(f64::INFINITY, f64::min)
}
