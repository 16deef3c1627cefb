//! jsonrpc/write
