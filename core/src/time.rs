//! Time is an argument: the host reads its clock and says what it read.
use core::time::Duration;

/// Nanoseconds since an origin that the host chose and keeps for the life of the machine. Never written to a
/// snapshot or to the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Instant(u64);

impl Instant {
    /// The end of time.
    pub(crate) const NEVER: Self = Self(u64::MAX);

    /// From nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }
    /// To nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// `duration` later. Saturating: a deadline beyond the end of time never fires.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
    /// How long ago `earlier` was; zero if it was not.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Which wall-clock time an [`Instant`] was. What crosses machines (sealed state, snapshots, tasks, tokens) is dated
/// with it. Give it at construction and again when the system clock jumps.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// The instant.
    pub at: Instant,
    /// Its wall time in milliseconds since 1970.
    pub unix_millis: u64,
}

impl WallClock {
    /// The wall time of `now`, in milliseconds since 1970.
    pub fn unix_millis(self, now: Instant) -> u64 {
        let elapsed = u64::try_from(now.since(self.at).as_millis()).unwrap_or(u64::MAX);
        self.unix_millis.saturating_add(elapsed)
    }
}
