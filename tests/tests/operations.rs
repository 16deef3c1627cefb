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
const EFFECTS: &[&str] = &[
    "answer checked",
    "asked in a result",
    "call.cancelled",
    "call.closed",
    "call.rpc",
    "call.timeout",
    "cancel",
    "catalog",
    "client notice",
    "client progress",
    "close",
    "close.keep_alive",
    "close.local",
    "close.peer",
    "closed",
    "completion/complete",
    "cut",
    "elicitation/create",
    "end of input",
    "fault",
    "list change heard",
    "list_all",
    "log",
    "log heard",
    "logging/setLevel",
    "made/up",
    "not wanted",
    "notice of a call",
    "over.cancelled",
    "over.closed",
    "over.expired",
    "over.handler_timeout",
    "over.input",
    "ping",
    "probe",
    "progress",
    "progress arrived",
    "prompts/get",
    "prompts/list",
    "question",
    "question answered",
    "question as a task",
    "question over",
    "raw",
    "request",
    "request as a task",
    "request of the second client",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "respond",
    "respond, extension",
    "respond, invalid arguments",
    "respond, large",
    "respond, not found",
    "respond, questions",
    "respond, to keep",
    "respond, tool error",
    "result",
    "roots/list",
    "sampling/createMessage",
    "second client answered",
    "send.blocked",
    "send.closed",
    "send.invalid",
    "send.missing_capability",
    "send.not_in_revision",
    "send.not_ready",
    "send.over",
    "send.too_large",
    "server cancel",
    "server notice",
    "subscribe",
    "subscribed",
    "tampered",
    "task status",
    "task status heard",
    "task told",
    "tools/call",
    "tools/list",
    "update heard",
    "watched",
    "writable again",
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Bytes for each operation of its own, so that a list that fails shrinks by them.
fn program((setup, operations): &(Vec<u8>, Vec<Vec<u8>>)) -> Program {
    fn make<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> T {
        T::arbitrary(&mut Unstructured::new(bytes)).expect("bytes make anything")
    }
    Program { setup: make(setup), operations: operations.iter().map(|bytes| make(bytes)).collect() }
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
    let lists_of = (vec(any::<u8>(), 40), vec(vec(any::<u8>(), 40), 10..150));
    let ran = runner.run(&lists_of, |input| {
        reached.borrow_mut().add(&check(&program(&input)));
        Ok(())
    });
    match ran {
        Ok(()) => {}
        Err(TestError::Fail(reason, input)) => {
            panic!("OPERATIONS_SEED={seed}: {reason}\nfor {:?}", program(&input));
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
