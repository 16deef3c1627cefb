//! The error codes of all revisions: `basic/index` of each.

/// The input is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// Not a valid message, or one that is not allowed now.
pub const INVALID_REQUEST: i32 = -32600;
/// No such method in this revision, or its capability was not declared.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The params do not fit the method.
pub const INVALID_PARAMS: i32 = -32602;
/// The server failed, or is at a limit.
pub const INTERNAL_ERROR: i32 = -32603;
/// A resource that does not exist, up to 2025-11-25.
pub const RESOURCE_NOT_FOUND: i32 = -32002;
/// A URL must be visited first; 2025-11-25 alone.
pub const URL_ELICITATION_REQUIRED: i32 = -32042;
/// HTTP headers and body differ, from 2026-07-28.
pub const HEADER_MISMATCH: i32 = -32020;
/// The client lacks a capability that is needed, from 2026-07-28.
pub const MISSING_CLIENT_CAPABILITY: i32 = -32021;
/// The version of the request is not spoken here, from 2026-07-28.
pub const UNSUPPORTED_PROTOCOL_VERSION: i32 = -32022;

/// Whether a code proves that its sender speaks a modern revision: `basic/transports/stdio` of 2026-07-28.
pub const fn is_modern(code: i64) -> bool {
    matches!(code, -32022..=-32020)
}
