//! Each row of the table of methods, in each revision, by each sender, between our client and our server: where the
//! table has it, it is sent, arrives and is answered; where it does not, it is neither sent nor served.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod pair;
mod play;

use std::{collections::BTreeSet, panic};

use mcp_sansio::{
    error::SendError,
    event::Event,
    method::{self, MethodKind, MethodRow, Side},
    revision::Revision,
};
use mcp_sansio_tests::{
    methods::{page, released},
    say,
};
use pair::{Pair, declarer};

const SIDES: [Side; 2] = [Side::Client, Side::Server];

/// Plays all of them, so that one failure does not hide the others.
fn each<T: Copy>(what: &str, all: Vec<(String, T)>, play: impl Fn(T) + panic::RefUnwindSafe) {
    let count = all.len();
    let mut failed = Vec::new();
    for (name, one) in all {
        if panic::catch_unwind(panic::AssertUnwindSafe(|| play(one))).is_err() {
            failed.push(name);
        }
    }
    assert!(count > 0, "no {what}");
    assert!(failed.is_empty(), "{} of {count} {what} failed:\n{}", failed.len(), failed.join("\n"));
    say(&format!("{count} {what}"));
}

/// Every (row, revision, sender) of the table.
fn all() -> impl Iterator<Item = (&'static MethodRow, Revision, Side)> {
    let of_row = |row: &'static MethodRow| {
        let revisions = Revision::all().filter(|one| row.revisions.union(row.embedded).contains(*one));
        revisions.flat_map(move |revision| {
            let senders = SIDES.into_iter().filter(|side| row.senders.include(*side));
            senders.map(move |sender| (row, revision, sender))
        })
    };
    method::rows().iter().flat_map(of_row)
}

fn label((row, revision, sender): (&MethodRow, Revision, Side)) -> String {
    format!("{} {} {sender:?}", row.name, revision.name())
}

#[test]
fn what_the_table_has_is_sent_and_arrives() {
    let plays = all().map(|one| (label(one), one)).collect();
    each("(row, revision, sender) played", plays, |(row, revision, sender)| {
        play::play(row, revision, sender);
    });
}

#[test]
fn what_the_table_lacks_is_neither_sent_nor_served() {
    let mut absent = Vec::new();
    let mut seen = BTreeSet::new();
    for row in method::rows().iter().filter(|row| seen.insert(row.name)) {
        for kind in [MethodKind::Request, MethodKind::Notification] {
            for sender in SIDES {
                let is_there = |revision: Revision| {
                    let named = method::rows().iter().filter(|other| other.name == row.name);
                    named.into_iter().any(|other| {
                        other.kind == kind
                            && other.senders.include(sender)
                            && other.revisions.contains(revision)
                    })
                };
                for revision in Revision::all().filter(|revision| !is_there(*revision)) {
                    let name = format!("{} as a {kind:?}", label((row, revision, sender)));
                    absent.push((name, (row, kind, revision, sender)));
                }
            }
        }
    }
    each("(method, kind, revision, sender) refused", absent, |(row, kind, revision, sender)| {
        let mut pair = Pair::open(revision, None);
        let params = play::params(row);
        let refused = match kind {
            MethodKind::Request => pair.call(sender, row.name, &params).map(drop),
            MethodKind::Notification => pair.notify(sender, row.name, &params),
        };
        assert_eq!(refused, Err(SendError::NotInRevision));
        pair.forget();
        let (receiver, ignored) = (sender.peer(), pair.ignored(sender.peer()));
        let answer = pair.receive(receiver, kind, row.name, &params);
        let events = pair.events(receiver);
        if kind == MethodKind::Notification {
            assert_eq!((answer, events.len(), pair.ignored(receiver)), (None, 0, ignored + 1));
        } else if receiver == Side::Server || revision.features().server_requests {
            assert_eq!(answer.unwrap()["error"]["code"], -32601);
            assert!(events.is_empty(), "{events:?}");
        } else {
            // Such a client writes no responses.
            assert_eq!(answer, None);
            assert!(matches!(events[..], [Event::Fault(fault)] if fault.code == "fault.server_request"));
        }
    });
}

#[test]
fn what_is_not_declared_is_neither_sent_nor_served() {
    let is_gated = |(row, revision, _): &(&MethodRow, Revision, Side)| {
        row.revisions.contains(*revision)
            && (row.extension.is_some() || row.capability.is_some() && !row.ungated.contains(*revision))
    };
    let gated = all().filter(is_gated).map(|one| (label(one), one)).collect();
    each("(row, revision, sender) undeclared", gated, |(row, revision, sender)| {
        let lacking = row.extension.or(row.capability).unwrap();
        let mut pair = Pair::open(revision, Some(lacking));
        if row.kind == MethodKind::Notification {
            assert_eq!(play::send_undeclared(&mut pair, row, sender), "send.missing_capability");
            return;
        }
        let params = play::params(row);
        assert_eq!(pair.call(sender, row.name, &params), Err(SendError::MissingCapability(lacking)));
        let answer = pair.receive(declarer(row, sender), row.kind, row.name, &params);
        assert_eq!(answer.unwrap()["error"]["code"], -32601);
    });
}

#[test]
fn the_page_is_what_the_table_makes() {
    let written = include_str!("../../../core/METHODS.md");
    assert!(written == page(&released()), "run `cargo run -p mcp-sansio-tests --bin methods`");
}
