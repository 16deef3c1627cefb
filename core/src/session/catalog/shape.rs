//! What a peer of an older or newer revision sees of a definition.
use alloc::{string::String, vec::Vec};

use crate::{
    json::{Json, unescape},
    jsonrpc::write,
    revision::{Revision, Structured},
};

/// The features of a revision that change an item of a list. Members that a revision does not know and that do no harm
/// stay: no schema of a definition forbids them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// An output schema is of any type.
    any_output: bool,
    /// Tools say whether they run as tasks.
    execution: bool,
    /// A tool that runs only as a task can be called.
    tasks: bool,
}

impl Shape {
    pub(super) const fn of(revision: Revision) -> Self {
        let features = revision.features();
        Self {
            any_output: matches!(features.structured, Structured::Any),
            execution: features.tool_execution,
            tasks: features.tool_execution || features.extensions,
        }
    }
    /// Each that some revision has.
    pub(super) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for shape in Revision::all().map(Self::of) {
            if !all.contains(&shape) {
                all.push(shape);
            }
        }
        all
    }
    /// Whether a tool that runs only as a task can be called.
    pub(super) const fn has_tasks(self) -> bool {
        self.tasks
    }
    /// Whether a member of a tool's definition is left out.
    fn drops(self, key: &str, value: Json<'_>) -> bool {
        match key {
            "outputSchema" => {
                !self.any_output && value.member("type").and_then(Json::as_str).as_deref() != Some("object")
            }
            "execution" => !self.execution,
            _ => false,
        }
    }
    /// Appends a tool as it is in this shape; false if it is the same.
    pub(super) fn write_tool(self, out: &mut String, tool: Json<'_>) -> bool {
        let dropped = |key: &str, value| unescape(key).is_some_and(|key| self.drops(&key, value));
        if !tool.members().any(|(key, value)| dropped(key, value)) {
            write::json(out, tool);
            return false;
        }
        out.push('{');
        let start = out.len();
        for (key, value) in tool.members().filter(|(key, value)| !dropped(key, *value)) {
            if out.len() > start {
                out.push(',');
            }
            out.push_str(key);
            out.push(':');
            write::json(out, value);
        }
        out.push('}');
        true
    }
}
