//! The revisions of the protocol and what differs between them, as features, so that no other code asks for a date.

/// A released revision of the protocol. Later ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Revision(u8);

/// How a conversation carries its version. The words are the spec's: `basic/versioning` of 2026-07-28.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Era {
    /// An `initialize` handshake opens a session.
    Legacy,
    /// Each request carries version and capabilities in its `_meta`.
    Modern,
}

/// What a tool may give besides its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Structured {
    /// Nothing.
    None,
    /// An object.
    Object,
    /// Any value.
    Any,
}

/// What a revision has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Features {
    /// Whether `initialize` opens it or each request carries `_meta`.
    pub era: Era,
    /// JSON-RPC batches are read and written (`basic/index` of 2025-03-26).
    pub batches: bool,
    /// Results carry `resultType`.
    pub result_type: bool,
    /// Results of cacheable methods carry `ttlMs` and `cacheScope`.
    pub cache_hints: bool,
    /// Results carry `serverInfo` in their `_meta`.
    pub server_info: bool,
    /// An error whose id could not be read is written without an `id` member, as it is where no revision is agreed;
    /// elsewhere with `"id":null`.
    pub errors_omit_id: bool,
    /// The server may send requests; elsewhere its questions travel in results.
    pub server_requests: bool,
    /// Arguments that do not fit a tool's schema are a tool result with `isError`; elsewhere -32602.
    pub argument_errors_are_results: bool,
    /// Change notices are sent only on a `subscriptions/listen` stream.
    pub listen: bool,
    /// Progress notices may carry `message`.
    pub progress_message: bool,
    /// Capabilities may have `extensions`.
    pub extensions: bool,
    /// Elicitation has the modes `form` and `url`, which a client declares; one whose `elicitation` is empty has `form`.
    /// Elsewhere a form is all there is.
    pub elicitation_modes: bool,
    /// A question in `url` mode carries an `elicitationId`.
    pub elicitation_id: bool,
    /// A request may be sent as a task (`basic/utilities/tasks` of 2025-11-25).
    pub tasks: bool,
    /// Content may be audio.
    pub audio: bool,
    /// Content may be a link to a resource.
    pub resource_links: bool,
    /// What `structuredContent` of a tool's result, and its `outputSchema`, may be.
    pub structured: Structured,
    /// A sampling message, or result, may have several contents.
    pub sampling_arrays: bool,
    /// Sampling may use tools, and ask for context, where the client declares `sampling.tools` and `sampling.context`.
    pub sampling_tools: bool,
    /// Tools carry `execution`, which says whether they run as tasks.
    pub tool_execution: bool,
    /// `completion/complete` carries `context`.
    pub completion_context: bool,
    /// The code for a resource that does not exist.
    pub resource_not_found: i32,
}

/// A set of revisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RevisionSet(u16);

struct Row {
    name: &'static str,
    features: Features,
}

const FIRST_LEGACY: Row = Row {
    name: "2024-11-05",
    features: Features {
        era: Era::Legacy,
        batches: false,
        result_type: false,
        cache_hints: false,
        server_info: false,
        errors_omit_id: false,
        server_requests: true,
        argument_errors_are_results: false,
        listen: false,
        progress_message: false,
        extensions: false,
        elicitation_modes: false,
        elicitation_id: false,
        tasks: false,
        audio: false,
        resource_links: false,
        structured: Structured::None,
        sampling_arrays: false,
        sampling_tools: false,
        tool_execution: false,
        completion_context: false,
        resource_not_found: -32002,
    },
};

const FIRST_MODERN: Row = Row {
    name: "2026-07-28",
    features: Features {
        era: Era::Modern,
        batches: false,
        result_type: true,
        cache_hints: true,
        server_info: true,
        errors_omit_id: true,
        server_requests: false,
        argument_errors_are_results: true,
        listen: true,
        progress_message: true,
        extensions: true,
        elicitation_modes: true,
        elicitation_id: false,
        tasks: false,
        audio: true,
        resource_links: true,
        structured: Structured::Any,
        sampling_arrays: true,
        sampling_tools: true,
        tool_execution: false,
        completion_context: true,
        resource_not_found: -32602,
    },
};

/// Oldest first.
static TABLE: &[Row] = &[
    FIRST_LEGACY,
    Row {
        name: "2025-03-26",
        features: Features { batches: true, progress_message: true, audio: true, ..FIRST_LEGACY.features },
    },
    Row {
        name: "2025-06-18",
        features: Features {
            progress_message: true,
            audio: true,
            resource_links: true,
            structured: Structured::Object,
            completion_context: true,
            ..FIRST_LEGACY.features
        },
    },
    Row {
        name: "2025-11-25",
        features: Features {
            errors_omit_id: true,
            argument_errors_are_results: true,
            progress_message: true,
            elicitation_modes: true,
            elicitation_id: true,
            tasks: true,
            audio: true,
            resource_links: true,
            structured: Structured::Object,
            sampling_arrays: true,
            sampling_tools: true,
            tool_execution: true,
            completion_context: true,
            ..FIRST_LEGACY.features
        },
    },
    FIRST_MODERN,
    #[cfg(feature = "made-up-revision")]
    Row { name: "2099-01-01", features: Features { cache_hints: false, ..FIRST_MODERN.features } },
];

#[expect(clippy::cast_possible_truncation, reason = "a set has room for 16")]
const COUNT: u8 = TABLE.len() as u8;
const _: () = assert!(COUNT > 0 && COUNT <= 16, "a set has room for 16");

impl Revision {
    /// 2024-11-05.
    pub const V2024_11_05: Self = Self(0);
    /// 2025-03-26.
    pub const V2025_03_26: Self = Self(1);
    /// 2025-06-18.
    pub const V2025_06_18: Self = Self(2);
    /// 2025-11-25.
    pub const V2025_11_25: Self = Self(3);
    /// 2026-07-28.
    pub const V2026_07_28: Self = Self(4);
    /// 2099-01-01, which does not exist.
    #[cfg(feature = "made-up-revision")]
    pub const V2099_01_01: Self = Self(5);

    /// All revisions of this build, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..COUNT).map(Self)
    }
    /// The revision of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|revision| revision.name() == name)
    }
    /// `2025-11-25`…
    pub const fn name(self) -> &'static str {
        self.row().name
    }
    /// What it has.
    pub const fn features(self) -> &'static Features {
        &self.row().features
    }
    /// Short for the era of its features.
    pub const fn era(self) -> Era {
        self.features().era
    }
    const fn row(self) -> &'static Row {
        match TABLE.split_at_checked(self.0 as usize) {
            Some((_, [row, ..])) => row,
            _ => &FIRST_MODERN,
        }
    }
}

impl RevisionSet {
    /// None.
    pub const EMPTY: Self = Self(0);

    /// All of this build.
    pub const fn all() -> Self {
        Self::since(Revision(0))
    }
    /// Those of one era.
    pub const fn of(era: Era) -> Self {
        let mut set = Self::EMPTY;
        let mut index = 0;
        while index < COUNT {
            if Revision(index).era() as u8 == era as u8 {
                set = set.union(Self::one(Revision(index)));
            }
            index += 1;
        }
        set
    }
    /// Those whose results carry cache hints.
    pub const fn with_cache_hints() -> Self {
        let mut set = Self::EMPTY;
        let mut index = 0;
        while index < COUNT {
            if Revision(index).features().cache_hints {
                set = set.union(Self::one(Revision(index)));
            }
            index += 1;
        }
        set
    }
    /// From the first to the last, both included.
    pub const fn range(first: Revision, last: Revision) -> Self {
        let mut set = Self::EMPTY;
        let mut index = first.0;
        while index <= last.0 {
            set = set.union(Self::one(Revision(index)));
            index += 1;
        }
        set
    }
    /// From this one on.
    pub const fn since(first: Revision) -> Self {
        Self::range(first, Revision(COUNT - 1))
    }
    /// One.
    pub const fn one(revision: Revision) -> Self {
        Self(1 << revision.0)
    }
    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// What both have.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    /// Whether it has this revision.
    pub const fn contains(self, revision: Revision) -> bool {
        self.0 & (1 << revision.0) != 0
    }
    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Its members, newest first.
    pub fn newest_first(self) -> impl Iterator<Item = Revision> {
        Revision::all().rev().filter(move |revision| self.contains(*revision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_dates_in_order() {
        assert!(TABLE.is_sorted_by(|left, right| left.name < right.name));
        for revision in Revision::all() {
            assert_eq!(Revision::from_name(revision.name()), Some(revision));
        }
        assert_eq!(Revision::from_name("2025-11-26"), None);
        assert_eq!(Revision::from_name(""), None);
        assert_eq!(Revision::V2024_11_05.name(), "2024-11-05");
        assert_eq!(Revision::V2025_03_26.name(), "2025-03-26");
        assert_eq!(Revision::V2025_06_18.name(), "2025-06-18");
        assert_eq!(Revision::V2025_11_25.name(), "2025-11-25");
        assert_eq!(Revision::V2026_07_28.name(), "2026-07-28");
    }

    #[test]
    fn sets_hold_what_they_say() {
        let dates = |set: RevisionSet| set.newest_first().map(Revision::name);
        assert!(dates(RevisionSet::EMPTY).next().is_none());
        assert!(dates(RevisionSet::all()).eq(Revision::all().rev().map(Revision::name)));
        assert!(dates(RevisionSet::of(Era::Legacy)).eq([
            "2025-11-25",
            "2025-06-18",
            "2025-03-26",
            "2024-11-05"
        ]));
        assert!(
            dates(RevisionSet::range(Revision::V2025_03_26, Revision::V2025_06_18))
                .eq(["2025-06-18", "2025-03-26"])
        );
        assert!(RevisionSet::range(Revision::V2025_06_18, Revision::V2025_03_26).is_empty());
        assert!(dates(RevisionSet::with_cache_hints()).eq(["2026-07-28"]));
        assert_eq!(RevisionSet::of(Era::Legacy).union(RevisionSet::of(Era::Modern)), RevisionSet::all());
        assert!(RevisionSet::of(Era::Legacy).intersection(RevisionSet::of(Era::Modern)).is_empty());
    }
}
