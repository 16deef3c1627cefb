//! Lists and calls of tools: `server/tools`.
use alloc::{format, string::String};

use super::{Server, catalog::cursor_of, engine::Reply, role::Role, seal::ListKind, tasks::receive::task_of};
use crate::{
    json::{Json, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
    },
    method::MethodId,
    revision::Revision,
};

impl Server {
    pub(super) fn list_tools(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply, revision: Revision) {
        let Some(catalog) = self.service.catalog.clone() else { return };
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        // Half a message leaves room for what surrounds the items.
        let (size, bytes) = (self.service.config.page_size, self.service.engine.limits.message_bytes / 2);
        let page = cursor_of(params, &self.service.sealer, ListKind::Tools)
            .ok()
            .and_then(|cursor| catalog.page(cursor.as_ref(), size, bytes));
        let Some(page) = page else {
            let message = "Invalid cursor; begin the list again without one";
            return self.refuse(reply, id, code::INVALID_PARAMS, message, None);
        };
        let next = page.next.and_then(|cursor| self.service.sealer.seal_cursor(ListKind::Tools, &cursor));
        let cache = Some(self.service.config.list_cache);
        self.service.reply(reply, id, revision, cache, |out| {
            out.push_str("\"tools\":[");
            out.push_str(page.items);
            out.push(']');
            if let Some(next) = next {
                out.push_str(",\"nextCursor\":\"");
                out.push_str(&next);
                out.push('"');
            }
        });
    }

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
        let name = envelope.raw(Field::Name).and_then(unescape).unwrap_or_default();
        let catalog = self.service.catalog.as_ref();
        if catalog.is_some_and(|catalog| !catalog.has(&name)) {
            let shown: String = name.chars().take(128).collect();
            let message = format!("Unknown tool: {shown}");
            return self.refuse(reply, id, code::INVALID_PARAMS, &message, None);
        }
        if self.service.allowed.takes_task(row, revision)
            && let Some(catalog) = catalog
            && let Some(objection) = catalog.task_support(&name).objection(task_of(envelope).is_some())
        {
            return self.refuse(reply, id, code::METHOD_NOT_FOUND, objection, None);
        }
        // A tool of the catalog has a schema, which is not checked here.
        let unchecked = catalog.is_some();
        self.deliver(envelope, id, reply, revision, Some(row), unchecked);
    }
}
