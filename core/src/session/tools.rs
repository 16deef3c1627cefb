//! Calls of tools: `server/tools`.
use alloc::{format, string::String};

use super::{Server, engine::Reply, role::Role, server::Found, tasks::receive::task_of};
use crate::{
    error::SendError,
    json::{Json, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
        write,
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
        let mut unchecked = false;
        if let Some(catalog) = self.service.catalog.as_deref().filter(|catalog| catalog.has_tools()) {
            let name = envelope.raw(Field::Name).unwrap_or_default();
            let view = self.view(catalog, revision);
            let Some(tool) = unescape(name).and_then(|name| catalog.tool(&name, view)) else {
                return self.missing(reply, id, revision, row, name);
            };
            let takes_task = self.service.allowed.takes_task(row, revision);
            let as_task = takes_task && task_of(envelope).is_some();
            if let Some(objection) = tool.tasks.objection(as_task).filter(|_| takes_task) {
                return self.refuse(reply, id, code::METHOD_NOT_FOUND, objection, None);
            }
            let arguments = envelope.raw(Field::Arguments).map(Json::from_checked);
            if let Some(misfit) = tool.schemas.misfit(arguments) {
                return self.refuse_arguments(id, reply, revision, as_task, &misfit);
            }
            unchecked = tool.schemas.unchecked();
        }
        self.deliver(envelope, id, reply, revision, Some(row), Found { unchecked, ..Found::default() });
    }

    /// Says that the arguments of a call do not fit: `server/tools`, error handling. Where a task was asked for there is
    /// none whose result could say so.
    fn refuse_arguments(&mut self, id: &str, reply: Reply, revision: Revision, as_task: bool, misfit: &str) {
        if revision.features().argument_errors_are_results && !as_task {
            self.service.reply(reply, id, revision, None, |out| write_tool_error(out, misfit));
        } else {
            self.refuse(reply, id, code::INVALID_PARAMS, misfit, None);
        }
    }

    /// Whether a result of the application for a `tools/call` fits the tool's `outputSchema`.
    pub(super) fn check_output(&self, request: u64, result: Json<'_>) -> Result<(), SendError> {
        let catalog = self.service.catalog.as_deref().filter(|catalog| catalog.has_output());
        let (Some(catalog), Some(request)) = (catalog, self.service.engine.requests.get(request)) else {
            return Ok(());
        };
        let params = Json::from_checked(&request.buf).member("params");
        let name = params.and_then(|params| params.member("name")).and_then(Json::as_str);
        let tool = name.and_then(|name| catalog.tool(&name, self.view(catalog, request.revision)));
        tool.map_or(Ok(()), |tool| tool.schemas.check_result(result))
            .map_err(|violations| SendError::OutputMismatch(format!("{violations}").into()))
    }
}

/// The members of a tool's result that is an error for the model.
pub(super) fn write_tool_error(out: &mut String, text: &str) {
    out.push_str("\"content\":[{\"type\":\"text\",\"text\":");
    write::string(out, text);
    out.push_str("}],\"isError\":true");
}
