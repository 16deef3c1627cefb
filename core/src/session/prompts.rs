//! Prompts: `server/prompts`.
use alloc::{borrow::Cow, format, string::String};

use super::{Server, engine::Reply, role::Role, server::Found};
use crate::{
    error::SendError,
    json::{Json, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
    },
    method::MethodId,
    revision::Revision,
    syntax::{is_base64, is_media_type, is_uri},
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

fn text<'a>(value: Json<'a>, key: &str) -> Option<Cow<'a, str>> {
    value.member(key).and_then(Json::as_str)
}

/// Whether each message of a prompt is one block of content from a known role, and what it embeds is whole:
/// `server/prompts`, data types.
pub(super) fn check_prompt(result: Json<'_>) -> Result<(), SendError> {
    let Some(messages) = result.member("messages").filter(|messages| messages.get().starts_with('[')) else {
        return Err(SendError::Invalid("a prompt has `messages`, an array"));
    };
    for message in messages.elements() {
        if !text(message, "role").is_some_and(|role| matches!(&*role, "user" | "assistant")) {
            return Err(SendError::Invalid("the `role` of a prompt's message is `user` or `assistant`"));
        }
        let block = message.member("content").and_then(|block| Some((block, text(block, "type")?)));
        let Some((block, kind)) = block else {
            return Err(SendError::Invalid("the `content` of a prompt's message is one block with a `type`"));
        };
        if kind != "resource" {
            continue;
        }
        let resource = block.member("resource").unwrap_or(Json::EMPTY_OBJECT);
        let blob = text(resource, "blob");
        let whole = text(resource, "uri").is_some_and(|uri| is_uri(&uri))
            && text(resource, "mimeType").is_some_and(|kind| is_media_type(&kind))
            && blob.map_or_else(|| text(resource, "text").is_some(), |blob| is_base64(&blob));
        if !whole {
            return Err(SendError::Invalid(
                "a resource in a prompt has a `uri`, a `mimeType`, and `text` or base64 as `blob`",
            ));
        }
    }
    Ok(())
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
