//! How many messages were checked. Each process keeps a file of its own, and a step at the end adds them up.
use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError},
};

use mcp_sansio::revision::Revision;
use serde_json::Value;

/// By revision, how many messages were checked, and by revision and method, how many of them the schema has no type for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Counts {
    checked: BTreeMap<String, u64>,
    unlisted: BTreeMap<String, u64>,
}

/// Where the files are.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/schema-gate")
}

impl Counts {
    pub(crate) fn one(&mut self, revision: Revision) {
        *self.checked.entry(revision.name().into()).or_default() += 1;
    }

    pub(crate) fn unlisted(&mut self, what: &str, revision: Revision) {
        // Tests play names of any length and number.
        let what: String = what.chars().take(60).collect();
        if self.unlisted.len() < 1000 {
            *self.unlisted.entry(format!("{} {what}", revision.name())).or_default() += 1;
        }
    }

    /// How many messages of a revision were checked.
    pub fn checked(&self, revision: Revision) -> u64 {
        self.checked.get(revision.name()).copied().unwrap_or_default()
    }

    /// What the schemas have no type for: `REVISION METHOD` and how often.
    pub fn without_a_type(&self) -> impl Iterator<Item = (&str, u64)> {
        self.unlisted.iter().map(|(what, count)| (what.as_str(), *count))
    }

    fn add(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.checked, &other.checked), (&mut self.unlisted, &other.unlisted)] {
            for (what, count) in theirs {
                *mine.entry(what.clone()).or_default() += count;
            }
        }
    }

    /// The sum of all files in a folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut all = Self::default();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let file: Value = serde_json::from_slice(&fs::read(&path)?)?;
            let numbers = |member: &str| {
                let members = file[member].as_object().into_iter().flatten();
                members.map(|(what, count)| (what.clone(), count.as_u64().unwrap_or_default())).collect()
            };
            all.add(&Self { checked: numbers("checked"), unlisted: numbers("unlisted") });
        }
        Ok(all)
    }

    /// Adds these to the file of this process.
    pub(crate) fn keep(&self) {
        static ALL: Mutex<Counts> =
            Mutex::new(Counts { checked: BTreeMap::new(), unlisted: BTreeMap::new() });
        if self.checked.is_empty() {
            return;
        }
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.add(self);
        let text = serde_json::json!({"checked": all.checked, "unlisted": all.unlisted}).to_string();
        let program = env::current_exe().ok();
        let name =
            program.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let file = folder().join(format!("{name}-{}.json", process::id()));
        let written = fs::create_dir_all(folder()).and_then(|()| fs::write(&file, text));
        written.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

/// Past the capture of the test harness.
pub(crate) fn say(text: &str) {
    // Where nobody listens there is nothing to do about it.
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}
