//! The revisions of the protocol and what differs between them, as features, so that no other code asks for a date.

/// A released revision of the protocol: an index into the table of revisions.
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
    /// An error whose id could not be read is written without an `id` member; elsewhere with `"id":null`.
    pub errors_omit_id: bool,
    /// The server may send requests.
    pub server_requests: bool,
    /// Arguments that do not fit a tool's schema are a tool result with `isError`; elsewhere -32602.
    pub argument_errors_are_results: bool,
    /// Change notices are sent only on a `subscriptions/listen` stream.
    pub listen: bool,
    /// Progress notices may carry `message`.
    pub progress_message: bool,
    /// The code for a resource that does not exist.
    pub resource_not_found: i32,
}

/// A set of revisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RevisionSet(u16);

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

    /// All revisions of this build, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..0).map(Self)
    }
    /// The revision of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let _ = name;
        todo!()
    }
    /// `2025-11-25`…
    pub const fn name(self) -> &'static str {
        todo!()
    }
    /// What it has.
    pub const fn features(self) -> &'static Features {
        todo!()
    }
    /// Short for the era of its features.
    pub const fn era(self) -> Era {
        self.features().era
    }
    pub(crate) const fn index(self) -> u8 {
        self.0
    }
    /// Back from `index`, which the engine stored.
    pub(crate) const fn from_index(index: u8) -> Self {
        Self(index)
    }
}

impl RevisionSet {
    /// None.
    pub const EMPTY: Self = Self(0);
    /// All of this build.
    pub const fn all() -> Self {
        todo!()
    }
    /// Those of one era.
    pub const fn of(era: Era) -> Self {
        let _ = era;
        todo!()
    }
    /// From the first to the last, both included.
    pub const fn range(first: Revision, last: Revision) -> Self {
        let _ = (first, last);
        todo!()
    }
    /// From this one on.
    pub const fn since(first: Revision) -> Self {
        let _ = first;
        todo!()
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
