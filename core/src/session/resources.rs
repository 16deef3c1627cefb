//! Resources: `server/resources`.
use alloc::sync::Arc;

use super::{Server, engine::Reply, server::Found};
use crate::{
    json::unescape,
    jsonrpc::envelope::{Envelope, Field},
    method::MethodId,
    revision::Revision,
};

impl Server {
    pub(super) fn read_resource(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: MethodId,
    ) {
        let mut template = None;
        let catalog = self.service.catalog.clone();
        if let Some(catalog) = catalog.as_ref().filter(|catalog| catalog.has_resources()) {
            let raw = envelope.raw(Field::Uri).unwrap_or_default();
            let uri = unescape(raw).unwrap_or_default();
            let view = self.view(catalog, revision);
            if !catalog.has_resource(&uri, view) {
                template = catalog.matching(&uri, view);
                if template.is_none() {
                    return self.missing(reply, id, revision, row, raw);
                }
            }
        }
        self.deliver(
            envelope,
            id,
            reply,
            revision,
            Some(row),
            Found { template: template.map(Arc::new), ..Found::default() },
        );
    }
}
