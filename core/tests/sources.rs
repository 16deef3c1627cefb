//! What the sources hold. Codes that programs go by are never changed and never used again: every one that the sources
//! have stands in `codes.txt`, and every one that stands there is still in the sources. Dates and names of methods stand
//! in the tables, and in the types of the messages, alone.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use std::{collections::BTreeSet, fs, path::Path};

use mcp_sansio::{method, revision::Revision};

/// What codes begin with.
const KINDS: [&str; 10] =
    ["call", "close", "config", "engine", "escape", "fault", "lint", "over", "send", "uri"];

/// The sources, with their paths.
fn sources() -> Vec<(String, String)> {
    fn read(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, found);
            } else {
                found.push((path.display().to_string(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found
}

/// Whether a text is a code: `send.blocked`.
fn is_code(text: &str) -> bool {
    let word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    text.split_once('.').is_some_and(|(kind, name)| KINDS.contains(&kind) && word(name))
}

/// The string literals of a line that is no comment.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    let line = if line.trim_start().starts_with("//") { "" } else { line };
    line.split('"').skip(1).step_by(2)
}

/// The names and numbers of the records of `embed`.
fn records(source: &str) -> impl Iterator<Item = String> {
    let from = source.find("pub enum Code {");
    let of_enum = from.and_then(|from| source[from..].split('}').next()).unwrap_or_default();
    of_enum.lines().filter_map(|line| {
        let (name, number) = line.trim().strip_suffix(',')?.split_once(" = ")?;
        number.parse::<u32>().ok()?;
        Some(format!("record {number} {name}"))
    })
}

#[test]
fn no_stable_code_changed_or_went_away() {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for (_, text) in &sources() {
        found.extend(text.lines().flat_map(literals).filter(|text| is_code(text)).map(str::to_owned));
        found.extend(records(text));
    }
    let listed: BTreeSet<String> = include_str!("codes.txt").lines().map(str::to_owned).collect();
    for kind in KINDS.into_iter().chain(["record"]) {
        assert!(listed.iter().any(|code| code.starts_with(kind)), "no code of the kind {kind} is listed");
    }
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "codes are for ever, put these back: {gone:?}");
    let new: Vec<_> = found.difference(&listed).collect();
    assert!(new.is_empty(), "write these into core/tests/codes.txt: {new:?}");
}

#[test]
fn dates_and_names_of_methods_stand_in_the_tables_alone() {
    let is_of_a_table = |text: &str| {
        method::rows().iter().any(|row| row.name == text) || Revision::all().any(|one| one.name() == text)
    };
    let (tables, others): (Vec<_>, Vec<_>) = sources()
        .into_iter()
        .partition(|(path, _)| ["method.rs", "revision.rs"].iter().any(|table| path.ends_with(table)));
    let found = |(path, text): &(String, String)| -> Vec<String> {
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.filter(|line| line.contains("Revision::V2") || literals(line).any(is_of_a_table))
            .map(|line| format!("{path}: {}", line.trim()))
            .collect()
    };
    assert!(tables.iter().all(|table| !found(table).is_empty()), "what is looked for is found in the tables");
    // Types of messages are named as the messages are; what is done is not decided there.
    let deciding = others.iter().filter(|(path, _)| !path.contains("/src/model/"));
    let outside: Vec<String> = deciding.flat_map(found).collect();
    assert!(outside.is_empty(), "a feature of the revision or a handling instead:\n{}", outside.join("\n"));
}
