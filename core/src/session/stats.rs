//! Counters.

/// What a machine has counted since it was made. Plain numbers that only rise, but for those named `*_now`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Messages received, whole or not; members of a batch count one each.
    pub messages_in: u64,
    /// Bytes of them.
    pub bytes_in: u64,
    /// Messages queued to be sent.
    pub messages_out: u64,
    /// Bytes of them.
    pub bytes_out: u64,
    /// Requests delivered to the application.
    pub requests: u64,
    /// Requests that await an answer.
    pub requests_now: u64,
    /// Calls started by the application.
    pub calls: u64,
    /// Calls that await an answer.
    pub calls_now: u64,
    /// Tasks made of requests of the peer.
    pub tasks: u64,
    /// Of these, those that run or whose outcome is kept.
    pub tasks_now: u64,
    /// Calls that were answered from the cache.
    pub cached: u64,
    /// Bytes of results that are kept.
    pub cache_bytes_now: u64,
    /// Requests refused because a limit was reached.
    pub refused: u64,
    /// Requests refused and notices dropped because their principal had too many.
    pub rate_limited: u64,
    /// Requests and calls that were cancelled.
    pub cancelled: u64,
    /// Calls and handlers that ran out of time.
    pub timeouts: u64,
    /// Answers and progress that came for something already over.
    pub late: u64,
    /// Notices that were dropped: unknown, or out of place.
    pub ignored: u64,
    /// Rules that the peer broke.
    pub faults: u64,
    /// Records of the trace that were dropped because nobody took them.
    pub trace_dropped: u64,
    /// Records of the audit that were dropped because nobody took them.
    pub audit_dropped: u64,
}

macro_rules! each {
    ($($field:ident),* $(,)?) => {
        /// The names of the counters, in the order of [`Stats::values`].
        pub const STATS: &[&str] = &[$(stringify!($field)),*];
        impl Stats {
            /// Every counter, in the order of [`STATS`].
            pub fn values(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($field), self.$field)),*].into_iter()
            }
        }
    };
}
each!(
    messages_in,
    bytes_in,
    messages_out,
    bytes_out,
    requests,
    requests_now,
    calls,
    calls_now,
    tasks,
    tasks_now,
    cached,
    cache_bytes_now,
    refused,
    rate_limited,
    cancelled,
    timeouts,
    late,
    ignored,
    faults,
    trace_dropped,
    audit_dropped,
);
