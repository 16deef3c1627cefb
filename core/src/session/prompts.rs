//! Prompts: `server/prompts`.
use alloc::{borrow::Cow, format, string::String};

use super::{Server, engine::Reply, role::Role, server::Found};
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
    pub(super) fn get_prompt(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: MethodId,
    ) {
        let arguments = envelope.raw(Field::Arguments).map_or(Json::EMPTY_OBJECT, Json::from_checked);
        if let Err(message) = check_strings("arguments", arguments) {
            return self.refuse(reply, id, code::INVALID_PARAMS, &message, None);
        }
        let catalog = self.service.catalog.clone();
        if let Some(catalog) = catalog.as_ref().filter(|catalog| catalog.has_prompts()) {
            let name = envelope.raw(Field::Name).unwrap_or_default();
            let view = self.view(catalog, revision);
            let Some(prompt) = unescape(name).and_then(|name| catalog.prompt(&name, view)) else {
                return self.missing(reply, id, revision, row, name);
            };
            let mut required = prompt.arguments.iter().filter(|argument| argument.required);
            if let Some(missing) = required.find(|argument| arguments.member(&argument.name).is_none()) {
                let message = format!("The argument `{}` is missing", missing.name);
                return self.refuse(reply, id, code::INVALID_PARAMS, &message, None);
            }
        }
        self.deliver(envelope, id, reply, revision, Some(row), Found::default());
    }
}

/// Whether a member of the params is an object of strings; otherwise what to say.
pub(super) fn check_strings(path: &str, value: Json<'_>) -> Result<(), Cow<'static, str>> {
    if !value.is_object() {
        return Err(format!("`{path}` must be an object").into());
    }
    match value.members().find(|(_, value)| value.as_str().is_none()) {
        None => Ok(()),
        Some((key, _)) => {
            let key = unescape(key).unwrap_or_default();
            let shown: String = key.chars().take(128).collect();
            Err(format!("`{path}.{shown}` must be a string").into())
        }
    }
}
