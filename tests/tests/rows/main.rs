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

use std::{
    collections::{BTreeMap, BTreeSet},
    panic,
};

use mcp_sansio::{
    error::SendError,
    event::Event,
    method::{self, MethodKind, MethodRow, Side},
    revision::Revision,
};
use mcp_sansio_tests::{methods::page, say};
use pair::{Pair, declarer};

/// Notices of extensions for which the engine has no command yet: these go to who subscribed to a task.
const UNSENT: [&str; 1] = ["notifications/tasks"];

const SIDES: [Side; 2] = [Side::Client, Side::Server];

/// Something to play, and the revision that it is played in.
type Play<T> = (String, Revision, T);

/// Plays all of them, so that one failure does not hide the others, and says how many there were in each revision.
fn each<T>(what: &str, all: Vec<Play<T>>, play: impl Fn(T)) {
    let mut counts: BTreeMap<&str, usize> = Revision::all().map(|one| (one.name(), 0)).collect();
    let mut failed = Vec::new();
    for (name, revision, one) in all {
        *counts.entry(revision.name()).or_default() += 1;
        if panic::catch_unwind(panic::AssertUnwindSafe(|| play(one))).is_err() {
            failed.push(name);
        }
    }
    let sum: usize = counts.values().sum();
    assert!(failed.is_empty(), "{} of {sum} {what} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(counts.values().all(|count| *count > 0), "{what} in each revision: {counts:?}");
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    say(&format!("{sum} {what} ({})", counts.join(", ")));
}

/// Every (row, revision, sender) of the table, but for what is not sent yet.
fn all() -> impl Iterator<Item = (&'static MethodRow, Revision, Side)> {
    let of_row = |row: &'static MethodRow| {
        let revisions = Revision::all().filter(|one| row.revisions.union(row.embedded).contains(*one));
        revisions.flat_map(move |revision| {
            let senders = SIDES.into_iter().filter(|side| row.senders.include(*side));
            senders.map(move |sender| (row, revision, sender))
        })
    };
    method::rows().iter().filter(|row| !UNSENT.contains(&row.name)).flat_map(of_row)
}

fn label(row: &MethodRow, revision: Revision, sender: Side) -> String {
    format!("{} {} {sender:?}", row.name, revision.name())
}

#[test]
fn what_the_table_has_is_sent_and_arrives() {
    let plays = all().map(|one| (label(one.0, one.1, one.2), one.1, one)).collect();
    each("rows played", plays, |(row, revision, sender)| {
        play::play(Pair::open(revision, None), row, sender);
    });
}

/// What a revision does not have, or not for this side, or not of this kind.
///
/// R-BAS-017, R-PIN-008, R-TRN-007
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
                    let name = format!("{} as a {kind:?}", label(row, revision, sender));
                    absent.push((name, revision, (row, kind, revision, sender)));
                }
            }
        }
    }
    each("messages refused that the table lacks", absent, |(row, kind, revision, sender)| {
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

/// What needs a capability that was not declared. Notices of a peer that did not declare them are taken all the same.
///
/// R-CAP-003, R-CAP-006, R-CAP-007, R-CAP-008, R-CMP-004, R-ROO-006, R-ROO-010, R-SUB-020
#[test]
fn what_is_not_declared_is_neither_sent_nor_served() {
    let gated = all().filter_map(|(row, revision, sender)| {
        let lacking = row.extension.or(row.capability)?;
        Some((label(row, revision, sender), revision, (row, revision, sender, lacking)))
    });
    each("rows that nobody declares", gated.collect(), |(row, revision, sender, lacking)| {
        let mut pair = Pair::open(revision, Some(lacking));
        if row.ungated.contains(revision) {
            return play::play(pair, row, sender);
        }
        if row.embedded.contains(revision) {
            return play::ask_undeclared(&mut pair, row, sender);
        }
        let params = play::params(row);
        if row.kind == MethodKind::Notification {
            assert_eq!(play::send_undeclared(&mut pair, row, sender), "send.missing_capability");
            let mut pair = Pair::open(revision, Some(lacking));
            assert_eq!(pair.receive(sender.peer(), row.kind, row.name, &params), None);
            assert!(!pair.events(sender.peer()).iter().any(|event| matches!(event, Event::Fault(_))));
            return;
        }
        assert_eq!(pair.call(sender, row.name, &params), Err(SendError::MissingCapability(lacking)));
        let answer = pair.receive(declarer(row, sender), row.kind, row.name, &params);
        assert_eq!(answer.unwrap()["error"]["code"], -32601);
    });
}

#[test]
fn what_is_not_sent_yet_is_refused() {
    for name in UNSENT {
        let row = method::rows().iter().find(|row| row.name == name).unwrap();
        for revision in Revision::all().filter(|revision| row.revisions.contains(*revision)) {
            let mut pair = Pair::open(revision, None);
            let refused = pair.notify(Side::Server, name, &play::params(row));
            assert_eq!(refused, Err(SendError::NotInRevision), "{name} can be sent: play it");
        }
    }
}

#[test]
fn the_page_is_what_the_table_makes() {
    let written = include_str!("../../../core/METHODS.md");
    assert!(written == page(), "run `cargo run -p mcp-sansio-tests --bin methods`");
}
