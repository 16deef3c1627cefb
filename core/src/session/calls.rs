//! Requests that we sent and that await the peer's answer.
use alloc::{string::String, vec::Vec};
use core::time::Duration;

use super::{
    engine::{Engine, Wire},
    meta,
    timers::{Arming, Timer},
};
use crate::{
    CallHandle,
    error::{SendError, TimeLimit},
    event::Related,
    json::Json,
    jsonrpc::write,
    method::{Handling, MethodId, TimeoutClass},
    revision::Revision,
    session::LogLevel,
    time::Instant,
};

/// Who wants the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The application.
    Application,
    /// The era probe.
    Probe,
    /// The handshake.
    Initialize,
    /// Keep-alive.
    Ping,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) wire: u64,
    pub(crate) purpose: Purpose,
    pub(crate) row: Option<MethodId>,
    pub(crate) revision: Revision,
    pub(crate) began: Instant,
    pub(crate) silence: Duration,
    pub(crate) silence_until: Instant,
    pub(crate) total_until: Instant,
    pub(crate) progress: bool,
    pub(crate) last_progress: f64,
    pub(crate) timer: Arming,
    /// Its place in the output.
    pub(crate) order: u64,
}

impl Call {
    pub(crate) fn deadline(&self) -> Instant {
        self.silence_until.min(self.total_until)
    }
    pub(crate) fn is_subscription(&self) -> bool {
        self.row.is_some_and(|id| id.row().handling == Handling::Listen)
    }
    /// The limit that the deadline is of.
    pub(crate) fn limit(&self) -> TimeLimit {
        if self.total_until <= self.silence_until { TimeLimit::Total } else { TimeLimit::Silence }
    }
}

/// Which call each wire id in flight belongs to. Ids and progress tokens are serial numbers, so one that was used
/// before is known by its size alone.
#[derive(Debug, Default)]
pub(crate) struct Wires {
    live: Vec<(u64, u64)>,
    last: u64,
}

impl Wires {
    fn add(&mut self, handle: u64) -> u64 {
        self.last += 1;
        self.live.push((self.last, handle));
        self.last
    }
    fn place(&self, wire: u64) -> Option<usize> {
        self.live.binary_search_by_key(&wire, |entry| entry.0).ok()
    }
    pub(crate) fn handle(&self, wire: u64) -> Option<u64> {
        self.place(wire).and_then(|place| self.live.get(place)).map(|entry| entry.1)
    }
    pub(crate) fn remove(&mut self, wire: u64) {
        if let Some(place) = self.place(wire) {
            self.live.remove(place);
        }
    }
    pub(crate) fn was_used(&self, wire: u64) -> bool {
        (1..=self.last).contains(&wire)
    }
}

/// Options of one call. `Default`: the limits of the configuration.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct CallOptions<'a> {
    /// Without a sign of life; progress restarts it.
    pub silence: Option<Duration>,
    /// In all, whatever the progress.
    pub total: Option<Duration>,
    /// Ask for progress.
    pub progress: bool,
    /// Modern: the wanted level of log notices.
    pub log_level: Option<LogLevel>,
    /// Members for `_meta`: an object. They replace those of the params; the engine's own keys are refused.
    pub meta: Option<Json<'a>>,
}

impl CallOptions<'_> {
    /// The limits of the configuration.
    pub const fn new() -> Self {
        Self { silence: None, total: None, progress: false, log_level: None, meta: None }
    }
    /// Ask for progress.
    #[must_use]
    pub const fn progress(mut self, wanted: bool) -> Self {
        self.progress = wanted;
        self
    }
    /// Bounds of its own.
    #[must_use]
    pub const fn timeouts(mut self, silence: Option<Duration>, total: Option<Duration>) -> Self {
        self.silence = silence;
        self.total = total;
        self
    }
    /// The wanted level of log notices.
    #[must_use]
    pub const fn log_level(mut self, level: Option<LogLevel>) -> Self {
        self.log_level = level;
        self
    }
}

impl<'a> CallOptions<'a> {
    /// Members for `_meta`.
    #[must_use]
    pub const fn meta(mut self, meta: Option<Json<'a>>) -> Self {
        self.meta = meta;
        self
    }
}

/// What a call is, apart from its options.
pub(crate) struct NewCall<'a> {
    pub(crate) purpose: Purpose,
    pub(crate) method: &'a str,
    /// Its row, if the table has it.
    pub(crate) row: Option<MethodId>,
    pub(crate) revision: Revision,
    pub(crate) params: Option<Json<'a>>,
    /// Members that the engine puts into `_meta`, without braces.
    pub(crate) meta: &'a str,
}

/// Checks the `_meta` members of an application.
fn check_meta(members: Option<Json<'_>>, progress: bool) -> Result<(), SendError> {
    let Some(members) = members else { return Ok(()) };
    if !members.is_object() {
        return Err(SendError::Invalid("`_meta` must be an object"));
    }
    for (key, _) in members.members() {
        let key = crate::json::unescape(key).unwrap_or_default();
        if key == meta::PROGRESS_TOKEN && !progress {
            return Err(SendError::Invalid("ask for progress by the option, not by a `progressToken`"));
        }
        if meta::is_engine_key(&key) {
            return Err(SendError::Invalid("this `_meta` key belongs to the engine"));
        }
    }
    Ok(())
}

/// Writes the members but for those that are written from elsewhere: the progress token, and what `others` has.
fn meta_members(out: &mut String, members: Option<Json<'_>>, others: Option<Json<'_>>) {
    for (key, value) in members.into_iter().flat_map(Json::members) {
        let name = crate::json::unescape(key).unwrap_or_default();
        if name == meta::PROGRESS_TOKEN || others.is_some_and(|others| others.member(&name).is_some()) {
            continue;
        }
        if !out.ends_with('{') {
            out.push(',');
        }
        out.push_str(key);
        out.push(':');
        write::json(out, value);
    }
}

impl Engine {
    /// Sends a request. `own`: one of the engine, for which there is always room.
    pub(crate) fn start_call(
        &mut self,
        call: &NewCall<'_>,
        options: &CallOptions<'_>,
    ) -> Result<u64, SendError> {
        let application = call.purpose == Purpose::Application;
        if call.params.is_some_and(|params| !params.is_object()) {
            return Err(SendError::Invalid("params must be an object"));
        }
        let own_meta = call.params.and_then(|params| params.member("_meta"));
        check_meta(own_meta, options.progress)?;
        check_meta(options.meta, options.progress)?;
        if application {
            self.room_for_call()?;
        }
        let handle = self.next_handle();
        let wire_id = self.wires.add(handle);
        let has_meta =
            options.progress || !call.meta.is_empty() || own_meta.is_some() || options.meta.is_some();
        let write = |out: &mut String| {
            write::request_head(out, wire_id, call.method);
            if has_meta || call.params.is_some() {
                out.push_str(",\"params\":{");
                if has_meta {
                    out.push_str("\"_meta\":{");
                    out.push_str(call.meta);
                    if options.progress {
                        if !out.ends_with('{') {
                            out.push(',');
                        }
                        out.push_str("\"progressToken\":");
                        write::integer(out, wire_id);
                    }
                    meta_members(out, own_meta, options.meta);
                    meta_members(out, options.meta, None);
                    out.push('}');
                }
                for (key, value) in call.params.into_iter().flat_map(Json::members) {
                    if crate::json::unescape(key).is_some_and(|key| key == "_meta") {
                        continue;
                    }
                    if !out.ends_with('{') {
                        out.push(',');
                    }
                    out.push_str(key);
                    out.push(':');
                    write::json(out, value);
                }
                out.push('}');
            }
            out.push('}');
        };
        let related = Related::Call(CallHandle(handle));
        let wire = Wire { revision: Some(call.revision) };
        let order = match self.send(related, !application, wire, write) {
            Ok(order) => order,
            Err(error) => {
                self.wires.remove(wire_id);
                return Err(error);
            }
        };
        let class = call.row.map_or(TimeoutClass::Machine, |row| row.row().timeout);
        let (silence, total) = match class {
            TimeoutClass::None => (options.silence, options.total),
            TimeoutClass::Human => (options.silence, options.total.or(Some(self.limits.call_total))),
            TimeoutClass::Machine => (
                options.silence.or(Some(self.limits.call_silence)),
                options.total.or(Some(self.limits.call_total)),
            ),
        };
        let silence = silence.unwrap_or(Duration::MAX);
        let mut entry = Call {
            wire: wire_id,
            purpose: call.purpose,
            row: call.row,
            revision: call.revision,
            began: self.now,
            silence,
            silence_until: self.now.after(silence),
            total_until: self.now.after(total.unwrap_or(Duration::MAX)),
            progress: options.progress,
            last_progress: f64::NEG_INFINITY,
            timer: 0,
            order,
        };
        if !matches!(call.purpose, Purpose::Probe | Purpose::Initialize) {
            entry.timer = self.timers.arm(entry.deadline(), Timer::Call(handle));
        }
        self.calls.push(handle, entry);
        if application {
            self.stats.calls += 1;
            self.stats.calls_now += 1;
        }
        Ok(handle)
    }
}
