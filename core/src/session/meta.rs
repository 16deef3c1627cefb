//! The `_meta` keys of the protocol: `basic/index` of 2026-07-28.
use alloc::string::String;

/// The version of a request.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Name and version of the client.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do for this request.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The least level of log notices for this request.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Name and version of the server.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The subscription that a message belongs to.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The task that a message belongs to: `basic/utilities/tasks` of 2025-11-25.
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// Asks for progress, and names it.
pub(crate) const PROGRESS_TOKEN: &str = "progressToken";

/// Writes `_meta` with these members as the first member of an object, if there are any.
pub(crate) fn prefix(out: &mut String, members: &str) {
    if !members.is_empty() {
        out.push_str("\"_meta\":{");
        out.push_str(members);
        out.push_str("},");
    }
}

/// Whether only the engine may write this key.
pub(crate) fn is_engine_key(key: &str) -> bool {
    matches!(
        key,
        PROTOCOL_VERSION
            | CLIENT_INFO
            | CLIENT_CAPABILITIES
            | LOG_LEVEL
            | SERVER_INFO
            | SUBSCRIPTION_ID
            | RELATED_TASK
    )
}
