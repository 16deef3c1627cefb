//! The one table of methods: who may send what in which revision, and what the engine does with it.
use crate::revision::{Revision, RevisionSet};

/// A row of the table, by its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodId(u16);

/// Request or notification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MethodKind {
    /// Is answered.
    Request,
    /// Is not.
    Notification,
}

/// A role of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The host's side.
    Client,
    /// The side that offers tools, resources and prompts.
    Server,
}

impl Side {
    /// The other one.
    #[must_use]
    pub const fn peer(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// Who may send it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Senders {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either.
    Both,
}

/// What the engine does with a received message of this method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Handling {
    /// Opens a legacy session.
    Initialize,
    /// Completes the handshake.
    Initialized,
    /// Describes the server.
    Discover,
    /// Is answered at once with an empty result.
    Ping,
    /// Takes a request back.
    Cancelled,
    /// Progress of a call.
    Progress,
    /// A page of the tools.
    ListTools,
    /// Is delivered if the tool exists.
    CallTool,
    /// Sets the level of log notices of a legacy session.
    SetLevel,
    /// Opens a subscription stream.
    Listen,
    /// A question for the client's application.
    Input,
    /// Goes to the application as it is.
    Deliver,
}

/// How long a call of this method may be silent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeoutClass {
    /// For ever: it lives as long as its stream.
    None,
    /// `Limits::call_silence`.
    Machine,
    /// A person is asked: only `Limits::call_total`.
    Human,
}

/// One method in those revisions in which it is the same.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodRow {
    /// Its name on the wire.
    pub name: &'static str,
    /// Request or notification.
    pub kind: MethodKind,
    /// Who may send it.
    pub senders: Senders,
    /// Where it exists.
    pub revisions: RevisionSet,
    /// The extension it belongs to; `None`: the core protocol.
    pub extension: Option<&'static str>,
    /// The capability that its receiver declares (for notifications: its sender), where one is needed. The last revisions
    /// that lack the capability are named by `ungated`.
    pub capability: Option<&'static str>,
    /// Revisions in which it needs no capability although the row names one.
    pub ungated: RevisionSet,
    /// The member of `params` that names what is asked for: `name`, `uri`, `taskId`.
    pub name_field: Option<&'static str>,
    /// Required members of `params`, besides `_meta`.
    pub required: &'static [&'static str],
    /// Where its result carries cache hints.
    pub cacheable: RevisionSet,
    /// Where it may be answered with questions.
    pub may_ask: bool,
    /// How long a call of it may be silent.
    pub timeout: TimeoutClass,
    /// What the engine does with it.
    pub handling: Handling,
}

/// The row of a method that `sender` may send in `revision`, among the core methods and those of the given extensions.
pub fn find(name: &str, kind: MethodKind, sender: Side, revision: Revision) -> Option<MethodId> {
    let _ = (name, kind, sender, revision);
    todo!()
}

/// Whether any revision has a method of this name, for any sender.
pub fn is_known(name: &str) -> bool {
    let _ = name;
    todo!()
}

/// The row of the one core method that `sender` sends in `revision` to have this done, if there is one.
pub fn with_handling(handling: Handling, sender: Side, revision: Revision) -> Option<MethodId> {
    let _ = (handling, sender, revision);
    todo!()
}

/// All rows, in an order that does not change within a build.
pub fn rows() -> &'static [MethodRow] {
    todo!()
}

impl MethodId {
    /// Its row.
    pub fn row(self) -> &'static MethodRow {
        todo!()
    }
    pub(crate) const fn index(self) -> u16 {
        self.0
    }
    pub(crate) const fn from_index(index: u16) -> Self {
        Self(index)
    }
}
