//! Lists and calls of tools: `server/tools`.
use alloc::{format, string::String};

use super::{Server, catalog::cursor_of, engine::Reply, role::Role, seal::ListKind};
use crate::{
    error::SendError,
    event::Outcome,
    json::{Json, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
        write,
    },
    method::{Handling, MethodId},
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
        let mut unchecked = false;
        if let Some(catalog) = &self.service.catalog {
            let Some(schemas) = catalog.schemas(&name) else {
                let shown: String = name.chars().take(128).collect();
                let message = format!("Unknown tool: {shown}");
                return self.refuse(reply, id, code::INVALID_PARAMS, &message, None);
            };
            let arguments = envelope.raw(Field::Arguments).map(Json::from_checked);
            if let Some(misfit) = schemas.misfit(arguments) {
                return self.refuse_arguments(id, reply, revision, &misfit);
            }
            unchecked = schemas.unchecked();
        }
        self.deliver(envelope, id, reply, revision, Some(row), unchecked);
    }

    /// Says that the arguments of a call do not fit: `server/tools`, error handling.
    fn refuse_arguments(&mut self, id: &str, reply: Reply, revision: Revision, misfit: &str) {
        if revision.features().argument_errors_are_results {
            self.service.reply(reply, id, revision, None, |out| write_tool_error(out, misfit));
        } else {
            self.refuse(reply, id, code::INVALID_PARAMS, misfit, None);
        }
    }

    /// Whether what the application answers a `tools/call` with fits the tool's `outputSchema`.
    pub(super) fn check_output(&self, request: u64, outcome: &Outcome<'_>) -> Result<(), SendError> {
        let catalog = self.service.catalog.as_ref().filter(|catalog| catalog.has_output());
        let (Some(catalog), Outcome::Result { result, .. }) = (catalog, outcome) else { return Ok(()) };
        let is_call = |method: MethodId| method.row().handling == Handling::CallTool;
        let requests = &self.service.engine.requests;
        let request = requests.get(request).filter(|request| request.method.is_some_and(is_call));
        let params = request.and_then(|request| Json::from_checked(&request.buf).member("params"));
        let name = params.and_then(|params| params.member("name")).and_then(Json::as_str);
        let schemas = name.and_then(|name| catalog.schemas(&name));
        schemas
            .map_or(Ok(()), |schemas| schemas.check_result(*result))
            .map_err(|violations| SendError::OutputMismatch(format!("{violations}").into()))
    }
}

/// The members of a tool's result that is an error for the model.
pub(super) fn write_tool_error(out: &mut String, text: &str) {
    out.push_str("\"content\":[{\"type\":\"text\",\"text\":");
    write::string(out, text);
    out.push_str("}],\"isError\":true");
}
