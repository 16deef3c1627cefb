//! Completion of arguments: `server/utilities/completion`.
use alloc::{borrow::Cow, format, string::String};

use super::{
    Catalog, Server, catalog::View, engine::Reply, prompts::check_strings, role::Role, server::Found,
};
use crate::{
    json::{Json, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
        write,
    },
    method::MethodId,
    revision::Revision,
};

/// Values of one answer.
const MOST: usize = 100;

impl Server {
    pub(super) fn complete(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: MethodId,
    ) {
        let params = envelope.raw(Field::Params).map_or(Json::EMPTY_OBJECT, Json::from_checked);
        let catalog = self.service.catalog.as_deref();
        let catalog = catalog.map(|catalog| (catalog, self.view(catalog, revision)));
        match check(params, catalog, revision) {
            Ok(()) => self.deliver(envelope, id, reply, revision, Some(row), Found::default()),
            Err(message) => self.refuse(reply, id, code::INVALID_PARAMS, &message, None),
        }
    }
}

fn check(
    params: Json<'_>,
    catalog: Option<(&Catalog, View)>,
    revision: Revision,
) -> Result<(), Cow<'static, str>> {
    let text = |of: &str, member: &str| {
        let value = params.member(of).and_then(|of| of.member(member)).and_then(Json::as_str);
        value.ok_or_else(|| Cow::from(format!("`{of}.{member}` must be a string")))
    };
    let kind = text("ref", "type")?;
    let name = text("argument", "name")?;
    text("argument", "value")?;
    if revision.features().completion_context
        && let Some(arguments) = params.member("context").and_then(|context| context.member("arguments"))
    {
        check_strings("context.arguments", arguments)?;
    }
    let of = match &*kind {
        "ref/prompt" => text("ref", "name")?,
        "ref/resource" => text("ref", "uri")?,
        _ => return Err("`ref.type` must be `ref/prompt` or `ref/resource`".into()),
    };
    let Some((catalog, view)) = catalog else { return Ok(()) };
    let has = match &*kind {
        "ref/prompt" if catalog.has_prompts() => catalog
            .prompt(&of, view)
            .map(|prompt| prompt.arguments.iter().any(|argument| *argument.name == *name)),
        "ref/resource" if catalog.has_resources() => catalog.template_has(&of, &name, view),
        _ => Some(true),
    };
    let shown = |text: &str| -> String { text.chars().take(128).collect() };
    match has {
        Some(true) => Ok(()),
        Some(false) => Err(format!("Unknown argument: {}", shown(&name)).into()),
        None if *kind == *"ref/prompt" => Err(format!("Unknown prompt: {}", shown(&of)).into()),
        None => Err(format!("Unknown resource template: {}", shown(&of)).into()),
    }
}

/// A result with the values that it may have; `None`: it has no more than these.
pub(super) fn cut(result: Json<'_>) -> Option<String> {
    let completion = result.member("completion")?;
    completion.member("values")?.elements().nth(MOST)?;
    let mut out = String::from("{");
    members(&mut out, result, |out, key, value| {
        if key != "completion" {
            return write::json(out, value);
        }
        out.push('{');
        members(out, value, |out, key, value| match key {
            "values" => {
                out.push('[');
                for (place, value) in value.elements().take(MOST).enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    write::json(out, value);
                }
                out.push(']');
            }
            "hasMore" => out.push_str("true"),
            _ => write::json(out, value),
        });
        if completion.member("hasMore").is_none() {
            out.push_str(",\"hasMore\":true");
        }
        out.push('}');
    });
    out.push('}');
    Some(out)
}

fn members(out: &mut String, object: Json<'_>, mut value: impl FnMut(&mut String, &str, Json<'_>)) {
    for (place, (key, member)) in object.members().enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(key);
        out.push(':');
        value(out, &unescape(key).unwrap_or_default(), member);
    }
}
