//! A trace fed to a fresh machine.
use alloc::{boxed::Box, string::String, vec::Vec};

use super::role::Role;
use crate::{
    json::Json,
    trace::{Trace, TraceKind, TraceRecord, arguments::Arguments},
};

/// Why a trace can't be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// Its payloads were replaced: trace with [`Tracing::Full`](crate::trace::Tracing::Full).
    #[error("record {serial} is redacted, and can't be replayed: trace in full")]
    Redacted {
        /// Its serial number.
        serial: u64,
    },
    /// Records are missing before this one: they were dropped (`Stats::trace_dropped`), because nobody took them in time.
    #[error("records are missing before record {serial}: take them more often, or raise `limits.trace`")]
    Missing {
        /// Its serial number.
        serial: u64,
    },
    /// A command that no machine of this role has, or arguments that are not its own.
    #[error(
        "record {serial}: `{name}` is no command of this role, or its arguments are not as they were recorded"
    )]
    Unknown {
        /// Its serial number.
        serial: u64,
        /// The command.
        name: String,
    },
}

/// Gives the inputs of a trace to a machine, each at its time, takes what the trace says that the host took, and returns
/// the trace of this machine: the same, if the machine does the same ([`first_difference`]).
///
/// `machine` is a fresh [`Server`](crate::session::Server) or [`Client`](crate::session::Client), made with the
/// configuration, seed, principal, groups and clock of the one that was traced. `records` are all of its records, from the
/// first on, perhaps without the last ones.
///
/// ```
/// use std::sync::Arc;
///
/// use mcp_sansio::{
///     Seed,
///     session::{Server, ServerConfig, first_difference, replay},
///     time::Instant,
///     trace::TraceRecord,
/// };
///
/// let config = Arc::new(ServerConfig::new("quiet", "1").trace(true));
/// let mut server = Server::new(Arc::clone(&config), Seed([7; 32]));
/// server.handle_message(Instant::from_nanos(5), br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
/// while server.poll_action().is_some() {}
/// let log: Vec<String> =
///     std::iter::from_fn(|| server.poll_trace()).map(|record| record.to_json()).collect();
///
/// let records: Vec<TraceRecord> =
///     log.iter().map(|line| TraceRecord::from_json(line.as_bytes()).unwrap()).collect();
/// let replayed = replay(&records, &mut Server::new(config, Seed([7; 32]))).unwrap();
/// assert_eq!(first_difference(&records, &replayed), None);
/// ```
#[allow(private_bounds, reason = "the roles of this crate are the only ones")]
pub fn replay<R: Role>(records: &[TraceRecord], machine: &mut R) -> Result<Vec<TraceRecord>, ReplayError> {
    machine.engine().trace = Some(Box::new(Trace::unbounded()));
    let mut replayed = Vec::with_capacity(records.len());
    for (record, place) in records.iter().zip(1..) {
        let serial = record.serial;
        if record.redacted {
            return Err(ReplayError::Redacted { serial });
        }
        if serial != place {
            return Err(ReplayError::Missing { serial });
        }
        machine.engine().begin(record.at);
        match record.kind {
            TraceKind::Received => machine.handle_message(record.at, record.message()),
            TraceKind::Command => command(record, machine)
                .ok_or_else(|| ReplayError::Unknown { serial, name: record.name.clone().into_owned() })?,
            TraceKind::Sent => {
                machine.engine().record_sends(0);
                machine.engine().outbox.take_send();
            }
            TraceKind::Event => drop(machine.engine().poll_event()),
            TraceKind::Timer => machine.engine().record_timer(),
        }
        replayed.extend(core::iter::from_fn(|| machine.engine().poll_trace()));
    }
    Ok(replayed)
}

/// `None`: there is no such command.
fn command(record: &TraceRecord, machine: &mut impl Role) -> Option<()> {
    let text = if record.text.is_empty() { "{}" } else { &record.text };
    // Their values may be as deep as any of an application, and lie a little deeper here.
    let arguments = Arguments(Json::parse_within(text.as_bytes(), Json::MAX_DEPTH + 8).ok()?);
    let now = record.at;
    match &*record.name {
        "handle_timeout" => machine.handle_timeout(now),
        "handle_eof" => machine.input_ended(now),
        "handle_closed" => machine.handle_closed(now),
        "handle_too_long" => machine.handle_too_long(now, &arguments.bytes("head")?),
        "handle_dropped" => {
            machine.handle_dropped(now, &arguments.bytes("head")?, &arguments.bytes("tail")?);
        }
        "overrun" => machine.overrun(now),
        "writable" => machine.engine().unblock(),
        "say_held" => machine.say_held(),
        "cancel" => drop(machine.cancel(now, arguments.call()?, arguments.text("reason").as_deref())),
        "set_wall_clock" => machine.set_wall_clock(arguments.clock()?),
        name => return machine.command(now, name, arguments),
    }
    Some(())
}

/// Where a replay went another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What was recorded; `None`: nothing, there.
    pub recorded: Option<Box<TraceRecord>>,
    /// What was done; `None`: nothing.
    pub replayed: Option<Box<TraceRecord>>,
}

impl core::fmt::Display for Difference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let said = |record: &Option<Box<TraceRecord>>| {
            record.as_ref().map_or_else(|| String::from("nothing"), |record| record.to_json())
        };
        write!(f, "recorded {}, replayed {}", said(&self.recorded), said(&self.replayed))
    }
}

/// The first place in which two traces differ.
pub fn first_difference(recorded: &[TraceRecord], replayed: &[TraceRecord]) -> Option<Difference> {
    let longest = recorded.len().max(replayed.len());
    (0..longest).map(|place| (recorded.get(place), replayed.get(place))).find(|(was, is)| was != is).map(
        |(was, is)| {
            let own = |record: &TraceRecord| Box::new(record.clone());
            Difference { recorded: was.map(own), replayed: is.map(own) }
        },
    )
}
