//! The roles on one ordered channel of messages.
mod audited;
mod batches;
mod calls;
mod canonical;
mod catalog;
mod client;
mod commands;
mod completion;
mod config;
mod engine;
mod extensions;
mod input;
mod lists;
mod meta;
mod mint;
mod missing;
mod opening;
mod outbox;
mod principal;
mod prompts;
mod questions;
mod rates;
mod replay;
mod replayed;
mod requests;
mod resources;
pub(crate) mod role;
mod rounds;
mod schemas;
mod seal;
mod sealed_state;
mod server;
mod service;
mod state;
mod stats;
mod subscriptions;
mod table;
mod tasks;
mod timers;
mod tools;
mod traced;
mod watches;

use crate::json::unescape;

pub use calls::CallOptions;
pub use catalog::{Catalog, Definition, Lint};
pub use client::{Client, SubscriptionFilter};
pub use config::{ClientConfig, ServerConfig};
pub(crate) use principal::Principal;
pub use replay::{Difference, ReplayError, first_difference, replay};
pub use server::Server;
pub use stats::{STATS, Stats};
pub use subscriptions::Change;
pub use tasks::follow::TaskOptions;

/// The eight levels of RFC 5424, as `server/utilities/logging` has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];
    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
    /// The level that a JSON string names.
    pub(crate) fn from_json(token: &str) -> Option<Self> {
        unescape(token).and_then(|name| Self::from_name(&name))
    }
    /// `debug`…
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}
