//! What a legacy session keeps, in at most 160 bytes.
use alloc::boxed::Box;

use super::{LogLevel, config::Allowed, principal::Principal, subscriptions::Notices, watches::Watches};
use crate::revision::Revision;

#[derive(Debug)]
pub(crate) struct SessionState {
    /// Whom it belongs to; modern requests on the same channel too.
    pub(crate) principal: Principal,
    /// Its groups, sorted, for catalogs whose entries are not for everyone.
    pub(crate) groups: Option<Box<[Box<str>]>>,
    /// What its client may be asked.
    pub(crate) peer: Allowed,
    pub(crate) notices: Notices,
    /// The resources that it subscribed to.
    pub(crate) watches: Option<Box<Watches>>,
    /// Negotiated by `initialize`.
    pub(crate) revision: Option<Revision>,
    /// `notifications/initialized` came.
    pub(crate) initialized: bool,
    /// Set by `logging/setLevel`.
    pub(crate) log_level: Option<LogLevel>,
    /// Keep-alive pings in a row without an answer.
    pub(crate) pings_missed: u32,
}

const _: () = assert!(size_of::<SessionState>() <= 160, "a session stays small");

impl SessionState {
    pub(crate) fn groups(&self) -> &[Box<str>] {
        self.groups.as_deref().unwrap_or_default()
    }
    pub(crate) const fn new() -> Self {
        Self {
            principal: Principal([0; 16]),
            groups: None,
            peer: Allowed::NONE,
            notices: Notices::NONE,
            watches: None,
            revision: None,
            initialized: false,
            log_level: None,
            pings_missed: 0,
        }
    }
}
