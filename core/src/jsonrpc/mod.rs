//! JSON-RPC 2.0 as MCP uses it: the borrowed envelope, ids, error codes, batches, the one writer.
pub mod code;
pub(crate) mod cut;
pub mod envelope;
pub mod id;
pub(crate) mod write;
