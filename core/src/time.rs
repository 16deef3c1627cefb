//! Time is an argument: the host reads its clock and says what it read.
use alloc::string::String;
use core::{fmt::Write as _, time::Duration};

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

/// Milliseconds since 1970 as RFC 3339 writes them: `2025-11-25T10:30:00.000Z`. What lies after the year 9999 is its end.
pub(crate) fn date(out: &mut String, unix_millis: u64) {
    let millis = unix_millis.min(253_402_300_799_999);
    let (days, time) = (millis / 86_400_000, millis % 86_400_000);
    // Counted from a first of March, so that the leap day is the last of a year, and in eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (hours, minutes) = (time / 3_600_000, time / 60_000 % 60);
    let (seconds, millis) = (time / 1_000 % 60, time % 1_000);
    let year = 400 * era + year + later;
    let _ = write!(out, "{year:04}-{month:02}-{date:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dated(unix_millis: u64) -> String {
        let mut out = String::new();
        date(&mut out, unix_millis);
        out
    }

    /// Seconds as `date -u -d` tells them.
    #[test]
    fn dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (68_169_599, "1972-02-28T23:59:59.000Z"),
            (68_169_600, "1972-02-29T00:00:00.000Z"),
            (951_868_799, "2000-02-29T23:59:59.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_764_066_600, "2025-11-25T10:30:00.000Z"),
            (1_767_225_599, "2025-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(dated(seconds * 1_000), text);
        }
        assert_eq!(dated(1), "1970-01-01T00:00:00.001Z");
        assert_eq!(dated(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
