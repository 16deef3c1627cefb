//! Tests that go across the parts of the project: the cases player, properties of the machines, the virtual-time pair.
use std::io::Write as _;

pub mod cases;
pub mod methods;
pub mod pair;
pub mod wire;

/// Says what a run came to even where it passed: past the capture of the test harness.
pub fn say(text: &str) {
    // Where nobody listens there is nothing to do about it.
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}
