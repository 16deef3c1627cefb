//! Conversations of our client with our server over links that delay, cut, reorder and lose.
//!
//! `PAIR_SEED=n` runs one of them, `PAIR_SEEDS=n` another number than 400.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use mcp_sansio_tests::{
    pair::{Counts, run},
    say,
};

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// On whole messages and on a stream, in both eras, with cancellations that cross answers.
/// R-TRN-003 R-TRN-004 R-TRN-006 R-CAN-010
#[test]
fn a_client_and_a_server_agree_over_bad_links() {
    let one = number("PAIR_SEED");
    let seeds = one.map_or(0..number("PAIR_SEEDS").unwrap_or(400), |seed| seed..seed + 1);
    let how_many = seeds.end - seeds.start;
    let mut counts = Counts::default();
    for seed in seeds {
        match run(seed) {
            Ok(ran) => counts.add(&ran),
            Err(problem) => panic!("PAIR_SEED={seed}: {problem}"),
        }
    }
    let Counts { delays, splits, reorderings, losses, results, failures, questions, changes, refusals } =
        counts;
    say(&format!(
        "{how_many} conversations: {delays} delays, {splits} splits, {reorderings} reorderings, {losses} losses; \
         {results} results, {failures} failures, {questions} questions, {changes} changes, {refusals} refusals"
    ));
    if one.is_none() {
        for (what, count) in [
            ("delays", delays),
            ("splits", splits),
            ("reorderings", reorderings),
            ("losses", losses),
            ("results", results),
            ("failures", failures),
            ("questions", questions),
            ("changes", changes),
            ("refusals", refusals),
        ] {
            assert!(count > 0, "no {what}");
        }
    }
}
