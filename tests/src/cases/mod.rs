//! The cases player: runs cases of the format that `tests/cases/README.md` describes against the engine, on virtual time.
//!
//! It knows no case by its id and no sentence by its text.
pub mod adapt;
pub mod case;
pub mod host;
pub mod machine;
pub mod pattern;
pub mod play;
pub mod process;
pub mod unit;
pub mod value;

use std::{collections::BTreeMap, fmt};

use mcp_sansio::{embed::Channel, revision::Revision};

use case::{Case, Script, Skip};
use host::Host;
use play::{Setting, play};
use process::Programs;

/// The application that the cases of this project name.
pub const HOST: &str = include_str!("../../cases/host.json");

/// What a case came to on one revision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything held, and something was asked.
    Passed {
        /// How much was asked.
        assertions: usize,
    },
    /// Something did not hold.
    Failed {
        /// How much held before.
        assertions: usize,
        /// What was seen, one for each run that failed.
        seen: Vec<String>,
    },
    /// It was not played.
    Skipped(Skip),
}

/// Plays cases and counts.
pub struct Player {
    host: Host,
    memory: Option<fn() -> usize>,
    programs: Option<Programs>,
}

/// What the cases of one or more files came to.
#[derive(Default)]
pub struct Report {
    cases: Vec<(String, Vec<(String, Verdict)>)>,
}

impl Player {
    /// With the application of `HOST`. `memory` says how many bytes the process holds; `programs` are for cases about
    /// processes. A case that needs what is not given fails.
    pub fn new(memory: Option<fn() -> usize>, programs: Option<Programs>) -> Result<Self, String> {
        Ok(Self { host: Host::read(HOST)?, memory, programs })
    }
    /// Plays every case of a file: one a line.
    pub fn play(&self, file: &str, report: &mut Report) -> Result<(), String> {
        for line in file.lines().filter(|line| !line.trim().is_empty()) {
            let case = Case::read(line)?;
            let verdicts =
                case.revisions.iter().map(|revision| (revision.clone(), self.verdict(&case, revision)));
            report.cases.push((case.id.clone(), verdicts.collect()));
        }
        Ok(())
    }

    fn verdict(&self, case: &Case, revision: &str) -> Verdict {
        let script = match &case.script {
            Ok(script) => script,
            Err(skip) => return Verdict::Skipped(skip.clone()),
        };
        let Some(known) = Revision::from_name(revision) else {
            return Verdict::Skipped(Skip(format!("revision {revision}")));
        };
        let host = case.host.as_ref().map_or_else(|| self.host.clone(), |members| self.host.with(members));
        if let Some(operator) = host.unknown_operator() {
            return Verdict::Skipped(Skip(format!("pattern {operator}")));
        }
        let (assertions, seen) = self.runs(case, script, known, &host);
        match (seen.is_empty(), assertions) {
            (false, _) => Verdict::Failed { assertions, seen },
            (true, 0) => Verdict::Skipped(Skip("nothing is asserted".into())),
            (true, _) => Verdict::Passed { assertions },
        }
    }

    /// Every side, on every channel, cut in every way.
    fn runs(&self, case: &Case, script: &Script, revision: Revision, host: &Host) -> (usize, Vec<String>) {
        let mut assertions = 0;
        let mut seen = Vec::new();
        let asks = case.adapt.iter().any(|rule| rule == "R3");
        for side in script.sides(revision, asks) {
            for channel in script.channels {
                let mut cut = 0;
                loop {
                    let setting = Setting {
                        revision: revision.name(),
                        side,
                        channel: *channel,
                        host,
                        rules: &case.adapt,
                        memory: self.memory,
                        programs: self.programs.as_ref(),
                        cut,
                    };
                    let played = play(&script.steps, setting);
                    assertions += played.assertions;
                    let carried = if *channel == Channel::Stream { "a stream" } else { "messages" };
                    seen.extend(
                        played.failure.map(|failure| format!("as {} over {carried}, {failure}", side.name())),
                    );
                    cut += 1;
                    if cut >= played.cuts || !seen.is_empty() {
                        break;
                    }
                }
            }
        }
        (assertions, seen)
    }
}

impl Report {
    fn count(&self, wanted: impl Fn(&[(String, Verdict)]) -> bool) -> usize {
        self.cases.iter().filter(|(_, verdicts)| wanted(verdicts)).count()
    }
    /// Cases that failed on some revision.
    pub fn failed(&self) -> usize {
        self.count(|verdicts| verdicts.iter().any(|(_, verdict)| matches!(verdict, Verdict::Failed { .. })))
    }
    /// Cases that passed on each of their revisions.
    pub fn passed(&self) -> usize {
        self.count(|verdicts| verdicts.iter().all(|(_, verdict)| matches!(verdict, Verdict::Passed { .. })))
    }
    /// The others: not played on some revision.
    pub fn skipped(&self) -> usize {
        self.cases.len() - self.passed() - self.failed()
    }
    /// Those of them that a session over messages or a stream could play.
    pub fn missing(&self) -> usize {
        self.count(|verdicts| {
            let missing =
                |verdict: &Verdict| matches!(verdict, Verdict::Skipped(skip) if !skip.is_elsewhere());
            verdicts.iter().any(|(_, verdict)| missing(verdict))
        })
    }
    /// What a case came to.
    pub fn verdicts(&self, id: &str) -> Option<&[(String, Verdict)]> {
        self.cases.iter().find(|(known, _)| known == id).map(|(_, verdicts)| verdicts.as_slice())
    }
}

/// Each case that failed or was skipped with what was seen, the totals of each revision, the totals of all.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut skipped: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (id, verdicts) in &self.cases {
            for (revision, verdict) in verdicts {
                match verdict {
                    Verdict::Failed { seen, .. } => {
                        seen.iter().try_for_each(|seen| writeln!(f, "{id} failed on {revision}: {seen}"))?;
                    }
                    Verdict::Skipped(Skip(reason)) => {
                        let ids = skipped.entry(reason).or_default();
                        if ids.last() != Some(&id.as_str()) {
                            ids.push(id);
                        }
                    }
                    Verdict::Passed { .. } => {}
                }
            }
        }
        for (reason, ids) in skipped {
            writeln!(f, "skipped, {reason}: {}: {}", ids.len(), ids.join(" "))?;
        }
        writeln!(f, "{:<12}{:>8}{:>8}{:>9}{:>12}", "revision", "passed", "failed", "skipped", "assertions")?;
        let mut revisions: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
        for (revision, verdict) in self.cases.iter().flat_map(|(_, verdicts)| verdicts) {
            let [passed, failed, skipped, asserted] = revisions.entry(revision).or_default();
            match verdict {
                Verdict::Passed { assertions } => (*passed += 1, *asserted += assertions),
                Verdict::Failed { assertions, .. } => (*failed += 1, *asserted += assertions),
                Verdict::Skipped(_) => (*skipped += 1, ()),
            };
        }
        for (revision, [passed, failed, skipped, asserted]) in revisions {
            writeln!(f, "{revision:<12}{passed:>8}{failed:>8}{skipped:>9}{asserted:>12}")?;
        }
        write!(f, "{} passed, {} failed, {} skipped", self.passed(), self.failed(), self.skipped())
    }
}
