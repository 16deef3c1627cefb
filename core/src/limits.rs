//! What bounds a machine. Bytes first, then counts; every default is finite.
use alloc::format;
use core::time::Duration;

use serde::{Deserialize, Deserializer};

use crate::{error::ConfigError, method::RateClass};

fn millis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}
fn optional_millis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    Option::<u64>::deserialize(deserializer).map(|value| value.map(Duration::from_millis))
}

/// So many at once, and so many a second in the long run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Tokens that a bucket gets a second; 0 counts as 1.
    pub per_second: u32,
    /// Tokens that it holds; 0 lets nothing pass.
    pub burst: u32,
}

/// How often one principal may have something done, for each class of message: `server/tools` and others ask for limits.
/// `None`: as often as it likes. Cancellations and answers are never limited, nor are `initialize` and `ping`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Rates {
    /// Tool calls, and requests that no revision knows. One more is answered with -32603 and a hint when to try again.
    pub calls: Option<Rate>,
    /// Every other request of a client, but for completion.
    pub reads: Option<Rate>,
    /// Completion.
    pub completion: Option<Rate>,
    /// What a server asks a client: sampling, elicitation, roots.
    pub questions: Option<Rate>,
    /// Notices of progress, of logs and of the state of tasks of the peer. One more is dropped.
    pub notices_in: Option<Rate>,
    /// Notices of progress, of logs and of the state of tasks of ours. One more is not sent, and the command, if there is one
    /// for it alone, says so.
    pub notices_out: Option<Rate>,
}

impl Default for Rates {
    fn default() -> Self {
        let rate = |per_second, burst| Some(Rate { per_second, burst });
        Self {
            calls: rate(1000, 10_000),
            reads: rate(1000, 10_000),
            completion: rate(200, 1000),
            questions: rate(50, 500),
            notices_in: rate(2000, 20_000),
            notices_out: rate(2000, 20_000),
        }
    }
}

impl Rates {
    /// No limits: for a peer that is trusted, and for measurements.
    pub const fn unlimited() -> Self {
        Self {
            calls: None,
            reads: None,
            completion: None,
            questions: None,
            notices_in: None,
            notices_out: None,
        }
    }
    pub(crate) const fn of(&self, class: RateClass) -> Option<Rate> {
        match class {
            RateClass::Calls => self.calls,
            RateClass::Reads => self.reads,
            RateClass::Completion => self.completion,
            RateClass::Questions => self.questions,
            RateClass::NoticesIn => self.notices_in,
            RateClass::NoticesOut => self.notices_out,
        }
    }
}

/// Bounds in bytes, counts and time. In a configuration given as JSON the durations are whole milliseconds.
///
/// At a limit the engine says so: a command is [`SendError::Blocked`](crate::error::SendError::Blocked), a request too
/// many is answered, `wants_read` turns false. At twice an input limit the machine ends with `Closed(Overrun)`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message, in and out. A longer line is dropped while it arrives. Worst case: one message held.
    pub message_bytes: usize,
    /// Levels of nesting of one message. Costs stack bits, not memory.
    pub depth: usize,
    /// Bytes of a request id or a progress token of the peer.
    pub id_bytes: usize,
    /// Members of one batch of 2025-03-26.
    pub batch: usize,
    /// Requests of the peer that await our answer. One more is answered with -32603.
    pub requests: usize,
    /// Resources that a client may be subscribed to, counted once for each subscription. One more is answered with
    /// -32603. Their URIs count in `session_bytes`.
    pub subscriptions: usize,
    /// Calls of ours that await the peer's answer. One more is `Blocked`.
    pub calls: usize,
    /// Events not yet polled, after which `wants_read` is false and `call` is `Blocked`. At `session_bytes` of payload in
    /// them `wants_read` is false too. At twice either the machine ends.
    pub events: usize,
    /// Bytes of output not yet taken, after which `call`, `notify`, `progress` and `log` are `Blocked` and `wants_read`
    /// is false. At twice this, by the engine's own replies, the machine ends.
    pub output_bytes: usize,
    /// Bytes of the requests that await our answer, of answers gathered for batches and of queued output together. A
    /// request beyond it is answered with -32603. Of payload in undelivered events the same again. Worst case: three
    /// times this plus two messages.
    pub session_bytes: usize,
    /// Bytes of the results that a client keeps for as long as their server allows; the oldest go first.
    pub cache_bytes: usize,
    /// Pages of one list that a client gathers.
    pub list_pages: usize,
    /// Bytes of all the lists that a client is gathering.
    pub list_bytes: usize,
    /// How often in a row a client asks again for a subscription that its server ended.
    pub listen_attempts: u32,
    /// The wait before the first of these; it doubles up to 64 times this, and half of it is left to chance.
    #[serde(deserialize_with = "millis")]
    pub listen_backoff: Duration,
    /// Error replies without an id (unparseable input, duplicate ids) a second; more are only reported.
    pub error_replies: usize,
    /// How long a call waits for a sign of life (its answer, or progress).
    #[serde(deserialize_with = "millis")]
    pub call_silence: Duration,
    /// How long a call may take in all, whatever its progress.
    #[serde(deserialize_with = "millis")]
    pub call_total: Duration,
    /// How long a client waits for the answer to `server/discover` before it falls back to `initialize`.
    #[serde(deserialize_with = "millis")]
    pub probe: Duration,
    /// How long a client waits for the answer to `initialize`.
    #[serde(deserialize_with = "millis")]
    pub handshake: Duration,
    /// After which the engine answers -32603 for a handler that does not. `None`: never.
    #[serde(deserialize_with = "optional_millis")]
    pub handler: Option<Duration>,
    /// How long an answer to a question may take: of a client to a server's question, of its application to a client.
    #[serde(deserialize_with = "millis")]
    pub input_timeout: Duration,
    /// How often one request may be answered with questions, or one call asked them.
    pub input_rounds: u8,
    /// Questions of one round.
    pub input_questions: usize,
    /// Bytes of the state that a handler keeps between two rounds.
    pub state_bytes: usize,
    /// How long sealed state is good, by the wall clock.
    #[serde(deserialize_with = "millis")]
    pub state_ttl: Duration,
    /// Questions that a client's application has not answered. One more is refused.
    pub open_questions: usize,
    /// The largest `maxTokens` that a client's application is asked for.
    pub sampling_tokens: u64,
    /// Bytes of the params of a question for the model.
    pub sampling_bytes: usize,
    /// How long requests may still be answered after the end of input.
    #[serde(deserialize_with = "millis")]
    pub drain: Duration,
    /// Interval of keep-alive pings in the legacy era. `None`: none are sent.
    #[serde(deserialize_with = "optional_millis")]
    pub ping_interval: Option<Duration>,
    /// How long a keep-alive ping waits for its answer.
    #[serde(deserialize_with = "millis")]
    pub ping_timeout: Duration,
    /// Unanswered keep-alive pings in a row after which the machine ends with `Closed(KeepAlive)`.
    pub ping_failures: u32,
    /// Tasks of the peer that run or whose outcome is kept. One more is answered with -32603. One that runs is one of
    /// `requests` too; outcomes that are kept are among `session_bytes`, and one that would go beyond is replaced by
    /// error -32603.
    pub tasks: usize,
    /// How long a task of the peer is kept at most, from its creation, whether it has ended or not. One that asks for
    /// nothing gets this.
    #[serde(deserialize_with = "millis")]
    pub task_ttl: Duration,
    /// How often the peer is told to ask for the state of a task, and how often we ask where it tells nothing.
    #[serde(deserialize_with = "millis")]
    pub task_poll: Duration,
    /// How often one principal may have something done.
    pub rates: Rates,
    /// Records of the trace not yet taken, and of the audit; the oldest go first.
    pub trace: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            depth: 128,
            id_bytes: 256,
            batch: 50,
            requests: 256,
            subscriptions: 1024,
            calls: 1024,
            events: 1024,
            output_bytes: 8 << 20,
            session_bytes: 16 << 20,
            cache_bytes: 4 << 20,
            list_pages: 1000,
            list_bytes: 16 << 20,
            listen_attempts: 8,
            listen_backoff: Duration::from_secs(1),
            error_replies: 5,
            call_silence: Duration::from_secs(60),
            call_total: Duration::from_secs(600),
            probe: Duration::from_secs(5),
            handshake: Duration::from_secs(30),
            handler: None,
            input_timeout: Duration::from_secs(600),
            input_rounds: 8,
            input_questions: 16,
            state_bytes: 64 << 10,
            state_ttl: Duration::from_secs(3600),
            open_questions: 64,
            sampling_tokens: 1_000_000,
            sampling_bytes: 4 << 20,
            drain: Duration::from_secs(5),
            ping_interval: None,
            ping_timeout: Duration::from_secs(10),
            ping_failures: 3,
            tasks: 128,
            task_ttl: Duration::from_secs(3600),
            task_poll: Duration::from_secs(1),
            rates: Rates::default(),
            trace: 1024,
        }
    }
}

impl Limits {
    /// Fails where nothing at all could pass.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let bounds = [
            ("message_bytes", self.message_bytes),
            ("depth", self.depth),
            ("events", self.events),
            ("output_bytes", self.output_bytes),
            ("session_bytes", self.session_bytes),
        ];
        match bounds.into_iter().find(|(_, bound)| *bound == 0) {
            Some((name, _)) => Err(ConfigError::new(format!("limits.{name}"), "must be at least 1")),
            None => Ok(()),
        }
    }
    /// For a microcontroller: messages of 4 KiB, eight requests in flight, 16 KiB a session.
    pub fn small() -> Self {
        Self {
            message_bytes: 4 << 10,
            depth: 32,
            id_bytes: 64,
            batch: 8,
            requests: 8,
            subscriptions: 8,
            calls: 8,
            events: 16,
            output_bytes: 8 << 10,
            session_bytes: 16 << 10,
            tasks: 4,
            task_ttl: Duration::from_secs(300),
            cache_bytes: 8 << 10,
            list_pages: 16,
            list_bytes: 16 << 10,
            input_questions: 4,
            state_bytes: 1 << 10,
            open_questions: 8,
            sampling_bytes: 4 << 10,
            trace: 16,
            ..Self::default()
        }
    }
}
