//! What a client and a server can do (`basic/lifecycle` up to 2025-11-25, `basic/versioning` from 2026-07-28).
use super::{Map, Object};

objects! {
    /// The client's roots.
    RootsCapability {} optional {
        /// It says when they change; up to 2025-11-25.
        "listChanged" => list_changed: bool,
    }

    /// The client's model.
    SamplingCapability {} optional {
        /// It adds the context of servers when asked to; from 2025-11-25.
        "context" => context: Object<'a>,
        /// It lets the model use tools; from 2025-11-25.
        "tools" => tools: Object<'a>,
    }

    /// The client's user. One that is empty can fill in forms.
    ElicitationCapability {} optional {
        /// Forms; from 2025-11-25.
        "form" => form: Object<'a>,
        /// Pages; from 2025-11-25.
        "url" => url: Object<'a>,
    }

    /// Which question to the user may be a task.
    ElicitationTasks {} optional {
        /// `elicitation/create`.
        "create" => create: Object<'a>,
    }

    /// Which request to the client's model may be a task.
    SamplingTasks {} optional {
        /// `sampling/createMessage`.
        "createMessage" => create_message: Object<'a>,
    }

    /// Which requests to a client may be tasks.
    ClientTaskRequests {} optional {
        /// Those to the user.
        "elicitation" => elicitation: ElicitationTasks<'a>,
        /// Those to the model.
        "sampling" => sampling: SamplingTasks<'a>,
    }

    /// The client's tasks; 2025-11-25 alone.
    ClientTasksCapability {} optional {
        /// They can be listed.
        "list" => list: Object<'a>,
        /// They can be cancelled.
        "cancel" => cancel: Object<'a>,
        /// What may be one.
        "requests" => requests: ClientTaskRequests<'a>,
    }

    /// What a client can do.
    ClientCapabilities {} optional {
        /// Roots.
        "roots" => roots: RootsCapability<'a>,
        /// A model.
        "sampling" => sampling: SamplingCapability<'a>,
        /// A user; from 2025-06-18.
        "elicitation" => elicitation: ElicitationCapability<'a>,
        /// Tasks; 2025-11-25 alone.
        "tasks" => tasks: ClientTasksCapability<'a>,
        /// What is not of the protocol, by its name.
        "experimental" => experimental: Map<'a, Object<'a>>,
        /// Extensions of the protocol by their identifiers, with their settings; from 2026-07-28.
        "extensions" => extensions: Map<'a, Object<'a>>,
    }

    /// Lists that may change.
    ListChangedCapability {} optional {
        /// The server says when they do.
        "listChanged" => list_changed: bool,
    }

    /// The server's resources.
    ResourcesCapability {} optional {
        /// It says when a resource changes.
        "subscribe" => subscribe: bool,
        /// It says when their list changes.
        "listChanged" => list_changed: bool,
    }

    /// Which calls of tools may be tasks.
    ToolsTasks {} optional {
        /// `tools/call`.
        "call" => call: Object<'a>,
    }

    /// Which requests to a server may be tasks.
    ServerTaskRequests {} optional {
        /// Those to its tools.
        "tools" => tools: ToolsTasks<'a>,
    }

    /// The server's tasks; 2025-11-25 alone.
    ServerTasksCapability {} optional {
        /// They can be listed.
        "list" => list: Object<'a>,
        /// They can be cancelled.
        "cancel" => cancel: Object<'a>,
        /// What may be one.
        "requests" => requests: ServerTaskRequests<'a>,
    }

    /// What a server can do.
    ServerCapabilities {} optional {
        /// Tools.
        "tools" => tools: ListChangedCapability<'a>,
        /// Resources.
        "resources" => resources: ResourcesCapability<'a>,
        /// Prompts.
        "prompts" => prompts: ListChangedCapability<'a>,
        /// It completes arguments; from 2025-03-26.
        "completions" => completions: Object<'a>,
        /// It sends its log.
        "logging" => logging: Object<'a>,
        /// Tasks; 2025-11-25 alone.
        "tasks" => tasks: ServerTasksCapability<'a>,
        /// What is not of the protocol, by its name.
        "experimental" => experimental: Map<'a, Object<'a>>,
        /// Extensions of the protocol by their identifiers, with their settings; from 2026-07-28.
        "extensions" => extensions: Map<'a, Object<'a>>,
    }
}
