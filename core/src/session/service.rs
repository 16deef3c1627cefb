//! What serves all sessions of one endpoint.
use alloc::{string::String, sync::Arc};

use super::{
    Catalog, ServerConfig,
    commands::stamp,
    config::Allowed,
    engine::{Engine, Reply, Wire},
    mint::Mint,
    seal::Sealer,
};
use crate::{
    event::{CacheHint, Related},
    jsonrpc::write,
    revision::Revision,
};

/// Engine, configuration and catalog.
pub(super) struct Service {
    pub(super) engine: Engine,
    pub(super) config: Arc<ServerConfig>,
    pub(super) catalog: Option<Arc<Catalog>>,
    pub(super) sealer: Sealer,
    pub(super) mint: Mint,
    /// The capabilities that are declared, as JSON.
    pub(super) declared: String,
    /// Methods whose capability is declared.
    pub(super) allowed: Allowed,
    /// `_meta` members of results, where a revision has them.
    pub(super) result_meta: String,
    /// The modern revisions, as JSON.
    pub(super) modern: String,
}

impl Service {
    /// The answer to a request, by the engine.
    pub(super) fn reply(
        &mut self,
        reply: Reply,
        id: &str,
        revision: Revision,
        cache: Option<CacheHint>,
        body: impl FnOnce(&mut String),
    ) {
        let stamp = stamp(revision, cache, &self.result_meta);
        let wire = Wire { revision: Some(revision) };
        let _ = self.engine.answer(reply, Related::Session, true, wire, id, |out| {
            write::result_with(out, id, &stamp, body);
        });
    }
    /// Members that both openings describe the server with.
    pub(super) fn describe(&self, out: &mut String) {
        out.push_str("\"capabilities\":");
        out.push_str(&self.declared);
        if let Some(instructions) = &self.config.instructions {
            out.push_str(",\"instructions\":");
            write::string(out, instructions);
        }
    }
}
