//! A revision that differs in the name of one method and in one feature takes edits of the tables alone.

use std::collections::BTreeSet;

use mcp_sansio::{
    method::{self, Handling, MethodKind, MethodRow, Side},
    revision::{Features, Revision, RevisionSet},
};

const MADE_UP: Revision = Revision::V2099_01_01;
const BEFORE: Revision = Revision::V2026_07_28;

#[test]
fn it_is_the_newest() {
    assert_eq!(MADE_UP.name(), "2099-01-01");
    assert_eq!(Revision::from_name("2099-01-01"), Some(MADE_UP));
    assert_eq!(RevisionSet::all().newest_first().next(), Some(MADE_UP));
}

#[test]
fn one_feature_is_off() {
    let mut expected: Features = *BEFORE.features();
    assert!(expected.cache_hints);
    expected.cache_hints = false;
    assert_eq!(*MADE_UP.features(), expected);
    assert!(method::rows().iter().all(|row| !row.cacheable.contains(MADE_UP)));
}

#[test]
fn one_method_is_renamed() {
    let names = |revision| -> BTreeSet<&str> {
        let is_there = |row: &&MethodRow| row.revisions.union(row.embedded).contains(revision);
        method::rows().iter().filter(is_there).map(|row| row.name).collect()
    };
    let mut expected = names(BEFORE);
    assert!(expected.remove("tools/call"));
    assert!(expected.insert("tools/invoke"));
    assert_eq!(names(MADE_UP), expected);
}

#[test]
fn each_revision_finds_its_own_name() {
    for revision in Revision::all() {
        let (own, other) =
            if revision == MADE_UP { ("tools/invoke", "tools/call") } else { ("tools/call", "tools/invoke") };
        let find = |name| method::find(name, MethodKind::Request, Side::Client, revision);
        let found = find(own);
        assert_eq!(found.map(|id| id.row().handling), Some(Handling::CallTool), "{}", revision.name());
        assert_eq!(method::with_handling(Handling::CallTool, Side::Client, revision), found);
        assert_eq!(find(other), None, "{}", revision.name());
        assert!(method::is_known(other));
    }
}
