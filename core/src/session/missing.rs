//! What the peer is told of something that does not exist.
use alloc::{format, string::String};

use crate::{json::unescape, jsonrpc::code, method::Handling, revision::Revision};

/// Bytes of a URI that an error names, and characters of a name.
const LONGEST_URI: usize = 2048;
const LONGEST_NAME: usize = 128;

/// An error.
pub(super) struct Missing {
    pub(super) code: i32,
    pub(super) message: String,
    /// JSON.
    pub(super) data: Option<String>,
}

impl Missing {
    /// `name`: a raw JSON string.
    pub(super) fn of(handling: Option<Handling>, revision: Revision, name: &str) -> Self {
        let what = match handling {
            Some(Handling::ReadResource) => {
                return Self {
                    code: revision.features().resource_not_found,
                    message: String::from("Resource not found"),
                    data: (name.len() <= LONGEST_URI).then(|| format!("{{\"uri\":{name}}}")),
                };
            }
            Some(Handling::CallTool) => "tool",
            Some(Handling::GetPrompt | Handling::Complete) => "prompt",
            _ => "name",
        };
        let shown: String = unescape(name).unwrap_or_default().chars().take(LONGEST_NAME).collect();
        Self { code: code::INVALID_PARAMS, message: format!("Unknown {what}: {shown}"), data: None }
    }
}
