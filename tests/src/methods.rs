//! The table of methods as a page of the documentation: `core/METHODS.md`.
use std::fmt::Write as _;

use mcp_sansio::{
    method::{self, Handling, MethodKind, MethodRow, Senders, TimeoutClass},
    revision::{Revision, RevisionSet},
};
use mcp_sansio_gate::released;

/// The page, of the released revisions.
pub fn page() -> String {
    let revisions: Vec<Revision> = released().collect();
    let shown = revisions.iter().fold(RevisionSet::EMPTY, |set, one| set.union(RevisionSet::one(*one)));
    let rows = || {
        let is_shown =
            move |row: &&MethodRow| !row.revisions.union(row.embedded).intersection(shown).is_empty();
        method::rows().iter().filter(is_shown)
    };
    let mut features: Vec<&str> = Vec::new();
    for row in rows() {
        if !features.contains(&feature(row)) {
            features.push(feature(row));
        }
    }
    let mut page = String::from(HEAD);
    for of in features {
        let _ = write!(page, "\n## {of}\n\n| method | from |");
        for revision in &revisions {
            let _ = write!(page, " {} |", revision.name());
        }
        page.push_str(" capability | asks | cacheable | silence | rate | what the engine does |\n|---|---|");
        page.push_str(&"---|".repeat(revisions.len() + 6));
        page.push('\n');
        for row in rows().filter(|row| feature(row) == of) {
            line(&mut page, row, &revisions, shown);
        }
    }
    page
}

const HEAD: &str = "\
# The methods of the protocol

Made from the table in `src/method.rs` by `cargo run -p mcp-sansio-tests --bin methods`; edit the table, not this page.

* **from**: who sends it, or asks it. It goes to the other side.
* **2024-11-05**…: *request* or *notice* where it is a message of that revision, *question* where it is carried in a
  result instead (`basic/patterns/mrtr`), — where the revision does not have it: then the engine refuses to send it
  (`send.not_in_revision`), and one that arrives is refused with -32601, or dropped if it is a notice or reaches a client
  of the modern era, which writes no responses.
* **capability**: what the receiver of a request, or the sender of a notice, declares in order that it may be sent. What
  stands under the name of an extension needs that both sides declare it.
* **asks**: whether it may be answered with questions.
* **cacheable**: where its result carries cache hints.
* **silence**: how long a call may be without a sign of life: `call_silence`; for ever, because a *person* is asked; or
  for ever, because it is a *stream*.
* **rate**: the member of `Limits::rates` that it counts against.
";

fn line(page: &mut String, row: &MethodRow, revisions: &[Revision], shown: RevisionSet) {
    let from = match row.senders {
        Senders::Client => "client",
        Senders::Server => "server",
        Senders::Both => "both",
    };
    let _ = write!(page, "| `{}` | {from} |", row.name);
    for revision in revisions {
        let cell = match row.kind {
            _ if row.embedded.contains(*revision) => "question",
            _ if !row.revisions.contains(*revision) => "—",
            MethodKind::Request => "request",
            MethodKind::Notification => "notice",
        };
        let _ = write!(page, " {cell} |");
    }
    let mut capability = match (row.capability, names(row.ungated.intersection(shown))) {
        (None, _) => String::from("—"),
        (Some(path), without) if without.is_empty() => format!("`{path}`"),
        (Some(path), without) => format!("`{path}`, but not in {without}"),
    };
    if let Some(path) = row.task {
        let _ = write!(capability, "; as a task `{path}`");
    }
    let cacheable = names(row.cacheable.intersection(shown));
    let silence = match (row.kind, row.timeout) {
        (MethodKind::Notification, _) => "—",
        (_, TimeoutClass::None) => "stream",
        (_, TimeoutClass::Machine) => "`call_silence`",
        (_, TimeoutClass::Human) => "person",
    };
    let _ = writeln!(
        page,
        " {capability} | {} | {} | {silence} | {} | {} |",
        if row.may_ask { "yes" } else { "—" },
        if cacheable.is_empty() { "—" } else { &cacheable },
        row.rate.map_or("—".into(), |class| format!("`{}`", class.name())),
        about(row.handling),
    );
}

fn names(revisions: RevisionSet) -> String {
    let mut names: Vec<&str> = revisions.newest_first().map(Revision::name).collect();
    names.reverse();
    names.join(", ")
}

/// The heading that a row stands under.
fn feature(row: &MethodRow) -> &'static str {
    if let Some(extension) = row.extension {
        return extension;
    }
    let mut words = row.name.trim_start_matches("notifications/").split('/');
    match (row.capability, words.next(), words.next()) {
        (Some(capability), ..) => capability.split('.').next().unwrap_or_default(),
        (None, Some(first), Some(_)) if first != "server" => first,
        _ => "The conversation",
    }
}

/// What the engine does with it: the first sentence that the source says of it.
fn about(handling: Handling) -> &'static str {
    let source = include_str!("../../core/src/method.rs");
    let of_enum = source.split("pub enum Handling {").nth(1).and_then(|rest| rest.split('}').next());
    let variant = format!("\n    {handling:?},\n");
    let above = of_enum.and_then(|text| text.split(&variant).next()).unwrap_or_default();
    above.rsplit("/// ").next().unwrap_or_default().trim()
}
