//! Lists of operations for a server and a client on one wire, drawn from one seed: what the fuzz target `operations` runs.
//!
//! `OPERATIONS_SEED=n` draws others than 1, `OPERATIONS_LISTS=n` another number than 4000.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test fails by a panic"
)]
#[allow(dead_code, reason = "the other targets need more of it")]
#[path = "../../fuzz/src/host.rs"]
mod host;
#[path = "../../fuzz/src/operations/mod.rs"]
mod operations;

use std::cell::RefCell;

use arbitrary::{Arbitrary, Unstructured};
use mcp_sansio_tests::say;
use operations::{Program, Reached, check};
use proptest::{
    collection::vec,
    prelude::any,
    test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner},
};

/// Each of these has to happen, or a rule is checked on nothing.
const EFFECTS: &[&str] = &["answer checked"];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// One outcome a call, one end a request and a question, bounded memory, no answer that crosses, nothing told unasked.
#[test]
fn whatever_both_ends_do() {
    let (seed, lists) = (number("OPERATIONS_SEED", 1), number("OPERATIONS_LISTS", 4000));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: u32::try_from(lists).unwrap(),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let reached = RefCell::new(Reached::default());
    let program =
        |bytes: &[u8]| Program::arbitrary_take_rest(Unstructured::new(bytes)).expect("bytes make a program");
    let ran = runner.run(&vec(any::<u8>(), 200..2500), |bytes| {
        reached.borrow_mut().add(&check(&program(&bytes)));
        Ok(())
    });
    match ran {
        Ok(()) => {}
        Err(TestError::Fail(reason, bytes)) => {
            panic!("OPERATIONS_SEED={seed}: {reason}\nfor {:#?}", program(&bytes));
        }
        Err(abort) => panic!("OPERATIONS_SEED={seed}: {abort}"),
    }
    let reached = reached.into_inner().0;
    let counts: Vec<String> = reached.iter().map(|(what, count)| format!("{count} {what}")).collect();
    say(&format!("{lists} lists of operations: {}", counts.join(", ")));
    for effect in EFFECTS {
        assert!(reached.contains_key(effect), "never: {effect}");
    }
}
