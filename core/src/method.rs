//! The one table of methods: who may send what in which revision, and what the engine does with it.
//!
#![doc = include_str!("../METHODS.md")]
use crate::revision::{Era, Revision, RevisionSet};

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

impl Senders {
    /// Whether `side` is among them.
    pub const fn include(self, side: Side) -> bool {
        matches!((self, side), (Self::Both, _) | (Self::Client, Side::Client) | (Self::Server, Side::Server))
    }
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
    /// A page of the resources.
    ListResources,
    /// A page of the resource templates.
    ListTemplates,
    /// A page of the prompts.
    ListPrompts,
    /// Is delivered if the tool exists.
    CallTool,
    /// Is delivered if the resource exists or a template matches.
    ReadResource,
    /// Is delivered if the prompt exists and has its arguments.
    GetPrompt,
    /// Is delivered if what is to be completed exists.
    Complete,
    /// Sets the level of log notices of a legacy session.
    SetLevel,
    /// Opens a subscription stream.
    Listen,
    /// Says which subscriptions a stream has; goes to the application.
    Acknowledged,
    /// Subscribes the session to a resource.
    Subscribe,
    /// Takes that back.
    Unsubscribe,
    /// Says that the tools changed; goes to the application.
    ToolsChanged,
    /// Says that the prompts changed; goes to the application.
    PromptsChanged,
    /// Says that the list of resources changed; goes to the application.
    ResourcesChanged,
    /// Says that one resource changed; goes to the application.
    ResourceUpdated,
    /// Says that what an elicitation's URL is for is done; goes to the application if it is about one that is known.
    ElicitationComplete,
    /// Is a log notice; goes to the application.
    Log,
    /// Tells the state of a task.
    TaskGet,
    /// Is answered with the outcome of a task, once it has one.
    TaskResult,
    /// Takes a task back.
    TaskCancel,
    /// A page of the tasks.
    TaskList,
    /// Says that the state of a task changed: of one that a call became, or else it goes to the application.
    TaskStatus,
    /// Asks the user: a question for the client's application.
    Elicit,
    /// Asks the model: a question for the client's application.
    Sample,
    /// Asks which folders matter: a question for the client's application.
    ListRoots,
    /// Goes to the application as it is.
    Deliver,
}

impl Handling {
    /// Whether it is a question that a server asks in the course of a request.
    pub const fn is_question(self) -> bool {
        matches!(self, Self::Elicit | Self::Sample | Self::ListRoots)
    }
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

/// What a received message counts as where rates are limited. Answers, cancellations and what opens a connection count as
/// nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RateClass {
    /// Has something done: tool calls, and methods that no revision knows.
    Calls,
    /// Reads what is there.
    Reads,
    /// Completes what is being typed.
    Completion,
    /// Asks the client's application, and perhaps a person.
    Questions,
    /// A notice of the peer that may be dropped: progress, log, the state of a task.
    NoticesIn,
    /// The same of ours.
    NoticesOut,
}

impl RateClass {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Calls, Self::Reads, Self::Completion, Self::Questions, Self::NoticesIn, Self::NoticesOut];
    /// The member of [`Rates`](crate::limits::Rates) that limits it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Reads => "reads",
            Self::Completion => "completion",
            Self::Questions => "questions",
            Self::NoticesIn => "notices_in",
            Self::NoticesOut => "notices_out",
        }
    }
}

/// One method in those revisions in which it is the same.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodRow {
    /// Its name on the wire.
    pub name: &'static str,
    /// Request or notification.
    pub kind: MethodKind,
    /// Who may send it, or, where it is embedded, ask it.
    pub senders: Senders,
    /// Where it is a message.
    pub revisions: RevisionSet,
    /// Where it is no message but a question carried in a result: `basic/patterns/mrtr` of 2026-07-28.
    pub embedded: RevisionSet,
    /// The extension it belongs to, which both sides declare; `None`: the core protocol.
    pub extension: Option<&'static str>,
    /// The capability that its receiver (for notifications: its sender) declares, where one is needed. A dot leads to a
    /// member: `resources.subscribe` is declared by `{"resources":{"subscribe":true}}`, `tasks.list` by
    /// `{"tasks":{"list":{}}}`.
    pub capability: Option<&'static str>,
    /// Where it needs no capability although the row names one.
    pub ungated: RevisionSet,
    /// The member of `params` that names what is asked for: `name`, `uri`, `taskId`.
    pub name_field: Option<&'static str>,
    /// Members that `params` has in each of its forms, besides `_meta`.
    pub required: &'static [&'static str],
    /// The member of its result that is a list: of a page of the items, or, of a question, of the roots.
    pub items: Option<&'static str>,
    /// Where its result carries cache hints.
    pub cacheable: RevisionSet,
    /// The notice after which a kept result is stale.
    pub outdated_by: Option<Handling>,
    /// The member of a subscription's filter that asks for this notice: `basic/patterns/subscriptions` of 2026-07-28.
    pub filter: Option<&'static str>,
    /// Whether it may be answered with questions.
    pub may_ask: bool,
    /// The capability with which its receiver takes it as a task, in the revisions that have
    /// [`tasks`](crate::revision::Features::tasks).
    pub task: Option<&'static str>,
    /// How long a call of it may be silent.
    pub timeout: TimeoutClass,
    /// What it counts as where rates are limited; `None`: nothing.
    pub rate: Option<RateClass>,
    /// What the engine does with it.
    pub handling: Handling,
}

impl MethodRow {
    fn is_sent(&self, sender: Side, revision: Revision) -> bool {
        self.revisions.contains(revision) && self.senders.include(sender)
    }
}

/// The row of the core method that `sender` may send in `revision`.
pub fn find(name: &str, kind: MethodKind, sender: Side, revision: Revision) -> Option<MethodId> {
    named(name)
        .find(|(_, row)| row.extension.is_none() && row.kind == kind && row.is_sent(sender, revision))
        .map(|(id, _)| id)
}

/// The row of the method that `sender` may send in `revision` if both sides declared the extension that the row names.
pub fn find_extension(name: &str, kind: MethodKind, sender: Side, revision: Revision) -> Option<MethodId> {
    named(name)
        .find(|(_, row)| row.extension.is_some() && row.kind == kind && row.is_sent(sender, revision))
        .map(|(id, _)| id)
}

/// The row of a question that a result may carry in `revision`.
pub fn find_embedded(name: &str, revision: Revision) -> Option<MethodId> {
    named(name).find(|(_, row)| row.embedded.contains(revision)).map(|(id, _)| id)
}

/// The row of a question of the server in `revision`, as a message or carried in a result.
pub fn find_question(name: &str, revision: Revision) -> Option<MethodId> {
    named(name)
        .find(|(_, row)| row.handling.is_question() && row.revisions.union(row.embedded).contains(revision))
        .map(|(id, _)| id)
}

/// A row of the question of this name, of whatever revision.
pub fn any_question(name: &str) -> Option<MethodId> {
    named(name).find(|(_, row)| row.handling.is_question()).map(|(id, _)| id)
}

/// Whether any revision or extension has a method of this name, for any sender.
pub fn is_known(name: &str) -> bool {
    named(name).next().is_some()
}

/// The member of `params` that names what is asked for, in any revision or extension that has the method.
pub(crate) fn named_by(name: &str, kind: MethodKind, sender: Side) -> Option<&'static str> {
    let sent = named(name).find(|(_, row)| row.kind == kind && row.senders.include(sender));
    sent.and_then(|(_, row)| row.name_field)
}

/// The row of the one core method that `sender` sends in `revision` to have this done, if there is one. Of the several
/// methods that are [`Handling::Deliver`] it is the first.
pub fn with_handling(handling: Handling, sender: Side, revision: Revision) -> Option<MethodId> {
    (0..)
        .map(MethodId)
        .zip(ROWS)
        .find(|(_, row)| row.handling == handling && row.extension.is_none() && row.is_sent(sender, revision))
        .map(|(id, _)| id)
}

/// An extension of the protocol that defines kinds of results of its own.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extension {
    /// Its identifier, which both sides declare in `capabilities.extensions`.
    pub name: &'static str,
    /// The values of `resultType` that it defines.
    pub result_types: &'static [&'static str],
}

/// The official ones. Others are named in a configuration.
pub const EXTENSIONS: &[Extension] = &[Extension { name: TASKS_NAME, result_types: &["task"] }];

/// All rows, in an order that does not change within a build.
pub fn rows() -> &'static [MethodRow] {
    ROWS
}

impl MethodId {
    /// Its row.
    pub fn row(self) -> &'static MethodRow {
        ROWS.get(usize::from(self.0)).unwrap_or(&INITIALIZE)
    }
    pub(crate) const fn index(self) -> u16 {
        self.0
    }
}

/// Places of the rows, those with the shortest names first. Few names have the same length, so a name finds its rows
/// with hardly a comparison of text.
struct ByLength {
    order: [u16; ROWS.len()],
    /// Where each length begins in `order`; the one after the longest is the end.
    starts: [u16; Self::LONGEST + 2],
}

impl ByLength {
    #[expect(clippy::indexing_slicing, reason = "runs in the compiler")]
    const LONGEST: usize = {
        let mut longest = 0;
        let mut place = 0;
        while place < ROWS.len() {
            if ROWS[place].name.len() > longest {
                longest = ROWS[place].name.len();
            }
            place += 1;
        }
        longest
    };

    #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "runs in the compiler")]
    const fn new() -> Self {
        let mut order = [0; ROWS.len()];
        let mut starts = [0; Self::LONGEST + 2];
        let mut filled = 0;
        let mut length = 0;
        while length <= Self::LONGEST {
            starts[length] = filled as u16;
            let mut place = 0;
            while place < ROWS.len() {
                if ROWS[place].name.len() == length {
                    order[filled] = place as u16;
                    filled += 1;
                }
                place += 1;
            }
            length += 1;
        }
        starts[length] = filled as u16;
        Self { order, starts }
    }
}

static BY_LENGTH: ByLength = ByLength::new();

/// The rows of this name.
fn named(name: &str) -> impl Iterator<Item = (MethodId, &'static MethodRow)> {
    let places = match BY_LENGTH.starts.get(name.len()..) {
        Some([start, end, ..]) => BY_LENGTH.order.get(usize::from(*start)..usize::from(*end)),
        _ => None,
    };
    places
        .unwrap_or_default()
        .iter()
        .map(|place| (MethodId(*place), MethodId(*place).row()))
        .filter(move |(_, row)| row.name == name)
}

/// `io.modelcontextprotocol/tasks`.
const TASKS: Option<&str> = Some(TASKS_NAME);
const TASKS_NAME: &str = "io.modelcontextprotocol/tasks";

const ALL: RevisionSet = RevisionSet::all();
const LEGACY: RevisionSet = RevisionSet::of(Era::Legacy);
const MODERN: RevisionSet = RevisionSet::of(Era::Modern);
const CACHE_HINTS: RevisionSet = RevisionSet::with_cache_hints();
/// The one in which tasks are part of the core protocol.
const CORE_TASKS: RevisionSet = RevisionSet::one(Revision::V2025_11_25);

/// A request of the client that most rows are like.
const REQUEST: MethodRow = MethodRow {
    name: "",
    kind: MethodKind::Request,
    senders: Senders::Client,
    revisions: ALL,
    embedded: RevisionSet::EMPTY,
    extension: None,
    capability: None,
    ungated: RevisionSet::EMPTY,
    name_field: None,
    required: &[],
    items: None,
    cacheable: RevisionSet::EMPTY,
    outdated_by: None,
    filter: None,
    may_ask: false,
    task: None,
    timeout: TimeoutClass::Machine,
    rate: Some(RateClass::Reads),
    handling: Handling::Deliver,
};

/// A notification of the server that most rows are like.
const NOTICE: MethodRow = MethodRow {
    kind: MethodKind::Notification,
    senders: Senders::Server,
    timeout: TimeoutClass::None,
    rate: None,
    ..REQUEST
};

const QUESTION: MethodRow = MethodRow {
    senders: Senders::Server,
    revisions: LEGACY,
    embedded: MODERN,
    timeout: TimeoutClass::Human,
    rate: Some(RateClass::Questions),
    ..REQUEST
};

const CALL_TOOL: MethodRow = MethodRow {
    name: "tools/call",
    revisions: RevisionSet::range(Revision::V2024_11_05, Revision::V2026_07_28),
    capability: Some("tools"),
    name_field: Some("name"),
    required: &["name"],
    may_ask: true,
    task: Some("tasks.requests.tools.call"),
    rate: Some(RateClass::Calls),
    handling: Handling::CallTool,
    ..REQUEST
};

const CANCELLED: MethodRow = MethodRow {
    name: "notifications/cancelled",
    senders: Senders::Both,
    revisions: RevisionSet::range(Revision::V2024_11_05, Revision::V2025_06_18).union(MODERN),
    required: &["requestId"],
    handling: Handling::Cancelled,
    ..NOTICE
};

const PROGRESS: MethodRow = MethodRow {
    name: "notifications/progress",
    required: &["progressToken", "progress"],
    rate: Some(RateClass::NoticesIn),
    handling: Handling::Progress,
    ..NOTICE
};

const TASK: MethodRow = MethodRow {
    senders: Senders::Both,
    revisions: CORE_TASKS,
    capability: Some("tasks"),
    name_field: Some("taskId"),
    required: &["taskId"],
    ..REQUEST
};

const EXTENSION_TASK: MethodRow = MethodRow {
    revisions: MODERN,
    extension: TASKS,
    name_field: Some("taskId"),
    required: &["taskId"],
    ..REQUEST
};

const INITIALIZE: MethodRow = MethodRow {
    name: "initialize",
    revisions: LEGACY,
    required: &["protocolVersion", "capabilities", "clientInfo"],
    rate: None,
    handling: Handling::Initialize,
    ..REQUEST
};

static ROWS: &[MethodRow] = &[
    INITIALIZE,
    MethodRow {
        name: "notifications/initialized",
        senders: Senders::Client,
        revisions: LEGACY,
        handling: Handling::Initialized,
        ..NOTICE
    },
    MethodRow {
        name: "server/discover",
        revisions: MODERN,
        cacheable: CACHE_HINTS,
        handling: Handling::Discover,
        ..REQUEST
    },
    MethodRow {
        name: "ping",
        senders: Senders::Both,
        revisions: LEGACY,
        rate: None,
        handling: Handling::Ping,
        ..REQUEST
    },
    CANCELLED,
    // That schema alone makes the id optional; without it the notice takes nothing back.
    MethodRow { revisions: CORE_TASKS, required: &[], ..CANCELLED },
    MethodRow { senders: Senders::Both, revisions: LEGACY, ..PROGRESS },
    MethodRow { revisions: MODERN, ..PROGRESS },
    MethodRow {
        name: "tools/list",
        capability: Some("tools"),
        items: Some("tools"),
        cacheable: CACHE_HINTS,
        outdated_by: Some(Handling::ToolsChanged),
        handling: Handling::ListTools,
        ..REQUEST
    },
    CALL_TOOL,
    #[cfg(feature = "made-up-revision")]
    MethodRow { name: "tools/invoke", revisions: RevisionSet::one(Revision::V2099_01_01), ..CALL_TOOL },
    MethodRow {
        name: "notifications/tools/list_changed",
        capability: Some("tools.listChanged"),
        filter: Some("toolsListChanged"),
        handling: Handling::ToolsChanged,
        ..NOTICE
    },
    MethodRow {
        name: "resources/list",
        capability: Some("resources"),
        items: Some("resources"),
        cacheable: CACHE_HINTS,
        outdated_by: Some(Handling::ResourcesChanged),
        handling: Handling::ListResources,
        ..REQUEST
    },
    MethodRow {
        name: "resources/templates/list",
        capability: Some("resources"),
        items: Some("resourceTemplates"),
        cacheable: CACHE_HINTS,
        outdated_by: Some(Handling::ResourcesChanged),
        handling: Handling::ListTemplates,
        ..REQUEST
    },
    MethodRow {
        name: "resources/read",
        capability: Some("resources"),
        name_field: Some("uri"),
        required: &["uri"],
        cacheable: CACHE_HINTS,
        outdated_by: Some(Handling::ResourceUpdated),
        may_ask: true,
        handling: Handling::ReadResource,
        ..REQUEST
    },
    MethodRow {
        name: "resources/subscribe",
        revisions: LEGACY,
        capability: Some("resources.subscribe"),
        name_field: Some("uri"),
        required: &["uri"],
        handling: Handling::Subscribe,
        ..REQUEST
    },
    MethodRow {
        name: "resources/unsubscribe",
        revisions: LEGACY,
        capability: Some("resources.subscribe"),
        name_field: Some("uri"),
        required: &["uri"],
        handling: Handling::Unsubscribe,
        ..REQUEST
    },
    MethodRow {
        name: "notifications/resources/list_changed",
        capability: Some("resources.listChanged"),
        filter: Some("resourcesListChanged"),
        handling: Handling::ResourcesChanged,
        ..NOTICE
    },
    MethodRow {
        name: "notifications/resources/updated",
        capability: Some("resources.subscribe"),
        name_field: Some("uri"),
        required: &["uri"],
        filter: Some("resourceSubscriptions"),
        handling: Handling::ResourceUpdated,
        ..NOTICE
    },
    MethodRow {
        name: "prompts/list",
        capability: Some("prompts"),
        items: Some("prompts"),
        cacheable: CACHE_HINTS,
        outdated_by: Some(Handling::PromptsChanged),
        handling: Handling::ListPrompts,
        ..REQUEST
    },
    MethodRow {
        name: "prompts/get",
        capability: Some("prompts"),
        name_field: Some("name"),
        required: &["name"],
        may_ask: true,
        handling: Handling::GetPrompt,
        ..REQUEST
    },
    MethodRow {
        name: "notifications/prompts/list_changed",
        capability: Some("prompts.listChanged"),
        filter: Some("promptsListChanged"),
        handling: Handling::PromptsChanged,
        ..NOTICE
    },
    MethodRow {
        name: "completion/complete",
        capability: Some("completions"),
        ungated: RevisionSet::one(Revision::V2024_11_05),
        required: &["ref", "argument"],
        rate: Some(RateClass::Completion),
        handling: Handling::Complete,
        ..REQUEST
    },
    MethodRow {
        name: "logging/setLevel",
        revisions: LEGACY,
        capability: Some("logging"),
        required: &["level"],
        handling: Handling::SetLevel,
        ..REQUEST
    },
    MethodRow {
        name: "notifications/message",
        capability: Some("logging"),
        required: &["level", "data"],
        rate: Some(RateClass::NoticesIn),
        handling: Handling::Log,
        ..NOTICE
    },
    MethodRow {
        name: "subscriptions/listen",
        revisions: MODERN,
        required: &["notifications"],
        timeout: TimeoutClass::None,
        handling: Handling::Listen,
        ..REQUEST
    },
    MethodRow {
        name: "notifications/subscriptions/acknowledged",
        revisions: MODERN,
        required: &["notifications"],
        handling: Handling::Acknowledged,
        ..NOTICE
    },
    MethodRow {
        name: "sampling/createMessage",
        capability: Some("sampling"),
        required: &["messages", "maxTokens"],
        task: Some("tasks.requests.sampling.createMessage"),
        handling: Handling::Sample,
        ..QUESTION
    },
    MethodRow {
        name: "elicitation/create",
        revisions: RevisionSet::one(Revision::V2025_06_18),
        embedded: RevisionSet::EMPTY,
        capability: Some("elicitation"),
        required: &["message", "requestedSchema"],
        handling: Handling::Elicit,
        ..QUESTION
    },
    MethodRow {
        name: "elicitation/create",
        revisions: RevisionSet::one(Revision::V2025_11_25),
        capability: Some("elicitation"),
        required: &["message"],
        task: Some("tasks.requests.elicitation.create"),
        handling: Handling::Elicit,
        ..QUESTION
    },
    MethodRow {
        name: "notifications/elicitation/complete",
        revisions: RevisionSet::one(Revision::V2025_11_25),
        required: &["elicitationId"],
        handling: Handling::ElicitationComplete,
        ..NOTICE
    },
    MethodRow {
        name: "roots/list",
        capability: Some("roots"),
        items: Some("roots"),
        timeout: TimeoutClass::Machine,
        handling: Handling::ListRoots,
        ..QUESTION
    },
    MethodRow {
        name: "notifications/roots/list_changed",
        senders: Senders::Client,
        revisions: LEGACY,
        capability: Some("roots.listChanged"),
        ..NOTICE
    },
    MethodRow { name: "tasks/get", handling: Handling::TaskGet, ..TASK },
    // It is answered only when the task has ended, and a task may wait for a person.
    MethodRow { name: "tasks/result", timeout: TimeoutClass::Human, handling: Handling::TaskResult, ..TASK },
    MethodRow {
        name: "tasks/cancel",
        capability: Some("tasks.cancel"),
        handling: Handling::TaskCancel,
        ..TASK
    },
    MethodRow {
        name: "tasks/list",
        capability: Some("tasks.list"),
        name_field: None,
        required: &[],
        items: Some("tasks"),
        handling: Handling::TaskList,
        ..TASK
    },
    MethodRow {
        name: "notifications/tasks/status",
        senders: Senders::Both,
        revisions: CORE_TASKS,
        capability: Some("tasks"),
        name_field: Some("taskId"),
        required: &["taskId", "status", "createdAt", "lastUpdatedAt", "ttl"],
        rate: Some(RateClass::NoticesIn),
        handling: Handling::TaskStatus,
        ..NOTICE
    },
    MethodRow { name: "tasks/get", ..EXTENSION_TASK },
    MethodRow { name: "tasks/update", required: &["taskId", "inputResponses"], ..EXTENSION_TASK },
    MethodRow { name: "tasks/cancel", ..EXTENSION_TASK },
    MethodRow {
        name: "notifications/tasks",
        revisions: MODERN,
        extension: TASKS,
        name_field: Some("taskId"),
        required: &["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"],
        ..NOTICE
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn senders(row: &MethodRow) -> impl Iterator<Item = Side> {
        [Side::Client, Side::Server].into_iter().filter(|side| row.senders.include(*side))
    }

    #[test]
    fn each_row_is_found_where_it_is_and_nowhere_else() {
        for (place, row) in (0..).zip(ROWS) {
            let find = if row.extension.is_some() { find_extension } else { find };
            for side in [Side::Client, Side::Server] {
                for revision in Revision::all() {
                    let found = find(row.name, row.kind, side, revision) == Some(MethodId(place));
                    assert_eq!(found, row.is_sent(side, revision), "{} {side:?} {revision:?}", row.name);
                }
            }
            for revision in Revision::all() {
                let found = find_embedded(row.name, revision) == Some(MethodId(place));
                assert_eq!(found, row.embedded.contains(revision), "{} {revision:?}", row.name);
            }
            assert!(is_known(row.name));
        }
    }

    #[test]
    fn other_names_are_not_found() {
        let longer = "n".repeat(ByLength::LONGEST + 1);
        for name in ["", "pong", "Ping", "tools/cal", "tools/call ", "tools/calls", longer.as_str()] {
            assert!(!is_known(name), "{name}");
            for revision in Revision::all() {
                assert_eq!(find(name, MethodKind::Request, Side::Client, revision), None, "{name}");
            }
        }
    }

    #[test]
    fn only_deliveries_share_a_handling() {
        let alone = |row: &&MethodRow| row.extension.is_none() && row.handling != Handling::Deliver;
        for row in ROWS.iter().filter(alone) {
            for side in senders(row) {
                for revision in Revision::all().filter(|revision| row.revisions.contains(*revision)) {
                    assert_eq!(with_handling(row.handling, side, revision).map(MethodId::row), Some(row));
                }
            }
        }
    }

    #[test]
    fn a_method_is_a_message_or_a_question() {
        for row in ROWS {
            assert!(row.revisions.intersection(row.embedded).is_empty(), "{}", row.name);
            assert!(!row.revisions.union(row.embedded).is_empty(), "{}", row.name);
        }
    }
}
