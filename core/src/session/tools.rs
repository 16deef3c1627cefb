//! Calls of tools: `server/tools`.
use super::{Server, engine::Reply, role::Role, server::Found};
use crate::{
    json::unescape,
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
    },
    method::MethodId,
    revision::Revision,
};

impl Server {
    pub(super) fn call_tool(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: MethodId,
    ) {
        if envelope.raw(Field::Arguments).is_some_and(|arguments| !arguments.starts_with('{')) {
            return self.refuse(reply, id, code::INVALID_PARAMS, "`arguments` must be an object", None);
        }
        let catalog = self.service.catalog.as_deref().filter(|catalog| catalog.has_tools());
        let unchecked = catalog.is_some();
        if let Some(catalog) = catalog {
            let name = envelope.raw(Field::Name).unwrap_or_default();
            let known = unescape(name).and_then(|name| catalog.tool(&name, self.view(catalog, revision)));
            if known.is_none() {
                return self.missing(reply, id, revision, row, name);
            }
        }
        // A tool of the catalog has a schema, which is not checked here.
        self.deliver(envelope, id, reply, revision, Some(row), Found { unchecked, ..Found::default() });
    }
}
