//! What becomes of what a peer's revision does not have.
//!
//! An application speaks of the newest revision; what an older one can't say is said as well as it can be:
//!
//! | what | lacking in | what becomes of it |
//! |---|---|---|
//! | audio content of results and messages | 2024-11-05 | a text that says what was left out |
//! | resource links | 2024-11-05, 2025-03-26 | a text with title and URI |
//! | `structuredContent` | 2024-11-05, 2025-03-26 | left out; its JSON is a text, if `content` has none |
//! | `structuredContent` that is no object | 2025-06-18, 2025-11-25 | the same |
//! | an enum of an elicitation with titles | 2025-06-18 | `enum` with `enumNames` |
//! | defaults of an elicitation, but a boolean's | 2025-06-18 | left out |
//! | `mode` of an elicitation by form | 2025-06-18 | left out |
//! | an elicitation with a choice of several, or by URL | 2025-06-18 | can't be asked: counts as a capability that is missing |
//! | several contents of one sampling message | up to 2025-06-18 | so many messages |
//! | uses of tools in sampling | up to 2025-06-18 | can't be asked: counts as a capability that is missing |
//! | several contents of a sampling result | up to 2025-06-18 | can't be answered: `SendError::Invalid` |
//! | `context` of a completion | 2024-11-05, 2025-03-26 | left out |
//! | `outputSchema` whose type is not `object`, `execution` | others than the one that has them | left out of lists |
//! | `message` of progress | 2024-11-05 | left out |
//! | the code of a missing resource | up to 2025-11-25 | -32002, later -32602 |
//!
//! Content of a type that no revision knows, and members that only some know, pass as they are: peers ignore them.
use alloc::{borrow::Cow, format, string::String};

use crate::{
    json::{Flags, Json, unescape},
    jsonrpc::write,
    revision::{Features, Revision, Structured},
};

/// A question that can't be put in a revision: it counts as one for a capability that the client lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CannotAsk;

/// Writes an object with some members in another way: `change` writes the value and says so, or leaves out or keeps.
fn rewritten(
    out: &mut String,
    object: Json<'_>,
    mut change: impl FnMut(&str, Json<'_>, &mut String) -> Change,
) {
    out.push('{');
    for (key, value) in object.members() {
        let before = out.len();
        if !out.ends_with('{') {
            out.push(',');
        }
        out.push_str(key);
        out.push(':');
        match change(&unescape(key).unwrap_or_default(), value, out) {
            Change::Keep => write::json(out, value),
            Change::Written => {}
            Change::LeaveOut => out.truncate(before),
        }
    }
    out.push('}');
}

enum Change {
    Keep,
    Written,
    LeaveOut,
}

fn array<'a>(
    out: &mut String,
    elements: impl Iterator<Item = Json<'a>>,
    mut each: impl FnMut(&mut String, Json<'a>),
) {
    out.push('[');
    for element in elements {
        if !out.ends_with('[') {
            out.push(',');
        }
        each(out, element);
    }
    out.push(']');
}

fn is_type(value: Json<'_>, name: &str) -> bool {
    value.member("type").and_then(Json::as_str).is_some_and(|kind| kind == name)
}

fn text_of<'a>(value: Json<'a>, key: &str) -> Option<Cow<'a, str>> {
    value.member(key).and_then(Json::as_str)
}

fn text_block(out: &mut String, text: &str) {
    out.push_str("{\"type\":\"text\",\"text\":");
    write::string(out, text);
    out.push('}');
}

/// Whether a block of content is of a type that the revision lacks.
fn is_lacking(block: Json<'_>, features: &Features) -> bool {
    !features.audio && is_type(block, "audio") || !features.resource_links && is_type(block, "resource_link")
}

/// A block of content.
fn content(out: &mut String, block: Json<'_>, features: &Features) {
    if !is_lacking(block, features) {
        return write::json(out, block);
    }
    if is_type(block, "audio") {
        let media = text_of(block, "mimeType").unwrap_or(Cow::Borrowed("unknown type"));
        return text_block(out, &format!("[Audio ({media}) was left out: this client can't receive audio]"));
    }
    let uri = text_of(block, "uri").unwrap_or_default();
    let name = text_of(block, "title").or_else(|| text_of(block, "name")).unwrap_or_default();
    text_block(
        out,
        &if name.is_empty() { format!("Resource: {uri}") } else { format!("Resource: {name}, {uri}") },
    );
}

/// The result of a tool, if it is not the same for this revision.
#[inline]
pub(crate) fn tool_result(result: Json<'_>, revision: Revision) -> Option<String> {
    let features = revision.features();
    let plain = !result.flags().has(Flags::STRUCTURED);
    if plain && features.audio && features.resource_links {
        None
    } else {
        other_tool_result(result, features)
    }
}

fn other_tool_result(result: Json<'_>, features: &Features) -> Option<String> {
    let structured = match features.structured {
        // The scan of the result saw whether it is there.
        _ if !result.flags().has(Flags::STRUCTURED) => None,
        Structured::Any => None,
        Structured::Object => result.member("structuredContent").filter(|value| !value.is_object()),
        Structured::None => result.member("structuredContent"),
    };
    if structured.is_none() && features.audio && features.resource_links {
        return None;
    }
    let blocks = result.member("content");
    let lacks = blocks.into_iter().flat_map(Json::elements).any(|block| is_lacking(block, features));
    if structured.is_none() && !lacks {
        return None;
    }
    let has_text = blocks.into_iter().flat_map(Json::elements).any(|block| is_type(block, "text"));
    let spelled = structured.filter(|_| !has_text).map(Json::get);
    let mut out = String::with_capacity(result.get().len());
    rewritten(&mut out, result, |key, value, out| match key {
        "structuredContent" if structured.is_some() => Change::LeaveOut,
        "content" => {
            array(out, value.elements(), |out, block| content(out, block, features));
            if let Some(spelled) = spelled {
                out.pop();
                if !out.ends_with('[') {
                    out.push(',');
                }
                text_block(out, spelled);
                out.push(']');
            }
            Change::Written
        }
        _ => Change::Keep,
    });
    Some(out)
}

/// A prompt, if it is not the same for this revision.
pub(crate) fn prompt(result: Json<'_>, revision: Revision) -> Option<String> {
    let features = revision.features();
    if features.audio && features.resource_links {
        return None;
    }
    let messages = result.member("messages");
    let lacking =
        |message: Json<'_>| message.member("content").is_some_and(|block| is_lacking(block, features));
    if !messages.into_iter().flat_map(Json::elements).any(lacking) {
        return None;
    }
    let mut out = String::with_capacity(result.get().len());
    rewritten(&mut out, result, |key, value, out| {
        if key != "messages" {
            return Change::Keep;
        }
        array(out, value.elements(), |out, message| {
            rewritten(out, message, |key, value, out| {
                if key != "content" {
                    return Change::Keep;
                }
                content(out, value, features);
                Change::Written
            });
        });
        Change::Written
    });
    Some(out)
}

/// The params of `elicitation/create`, if they are not the same for this revision.
pub(crate) fn elicitation(params: Json<'_>, revision: Revision) -> Result<Option<String>, CannotAsk> {
    if revision.features().elicitation_modes {
        return Ok(None);
    }
    if text_of(params, "mode").is_some_and(|mode| mode != "form") {
        return Err(CannotAsk);
    }
    let fields = || {
        let schema = params.member("requestedSchema").and_then(|schema| schema.member("properties"));
        schema.into_iter().flat_map(Json::members).map(|(_, field)| field)
    };
    if fields().any(|field| is_type(field, "array")) {
        return Err(CannotAsk);
    }
    let is_new = |field: Json<'_>| {
        field.member("oneOf").is_some() || field.member("default").is_some() && !is_type(field, "boolean")
    };
    if params.member("mode").is_none() && !fields().any(is_new) {
        return Ok(None);
    }
    let mut out = String::with_capacity(params.get().len());
    rewritten(&mut out, params, |key, schema, out| match key {
        "mode" => Change::LeaveOut,
        "requestedSchema" => {
            rewritten(out, schema, |key, properties, out| {
                if key != "properties" {
                    return Change::Keep;
                }
                rewritten(out, properties, |_, field, out| {
                    old_field(out, field);
                    Change::Written
                });
                Change::Written
            });
            Change::Written
        }
        _ => Change::Keep,
    });
    Ok(Some(out))
}

/// A field of a form as 2025-06-18 has it.
fn old_field(out: &mut String, field: Json<'_>) {
    rewritten(out, field, |key, value, out| match key {
        "default" if !is_type(field, "boolean") => Change::LeaveOut,
        "oneOf" => {
            // The key was written already; the options become two members.
            let key = out.len() - "\"oneOf\":".len();
            out.truncate(key);
            for (name, from) in [("\"enum\":", "const"), (",\"enumNames\":", "title")] {
                out.push_str(name);
                array(out, value.elements(), |out, option| {
                    let option = option.member(from).or_else(|| option.member("const"));
                    write::json(out, option.unwrap_or(Json::EMPTY_STRING));
                });
            }
            Change::Written
        }
        _ => Change::Keep,
    });
}

/// The blocks of a sampling message: one, or each of an array.
fn blocks(message: Json<'_>) -> impl Iterator<Item = Json<'_>> {
    let content = message.member("content");
    let single = content.filter(|content| content.is_object());
    single.into_iter().chain(content.into_iter().flat_map(Json::elements))
}

fn uses_tool(block: Json<'_>) -> bool {
    is_type(block, "tool_use") || is_type(block, "tool_result")
}

/// The params of `sampling/createMessage`, if they are not the same for this revision.
pub(crate) fn sampling(params: Json<'_>, revision: Revision) -> Result<Option<String>, CannotAsk> {
    let features = revision.features();
    let messages = params.member("messages");
    let messages = || messages.into_iter().flat_map(Json::elements);
    if !features.sampling_tools {
        let wants = params.member("tools").is_some() || params.member("toolChoice").is_some();
        if wants || messages().flat_map(blocks).any(uses_tool) {
            return Err(CannotAsk);
        }
    }
    let split = |message: Json<'_>| {
        !features.sampling_arrays && message.member("content").is_some_and(|content| !content.is_object())
    };
    let changes =
        |message: Json<'_>| split(message) || blocks(message).any(|block| is_lacking(block, features));
    if !messages().any(changes) {
        return Ok(None);
    }
    let mut out = String::with_capacity(params.get().len());
    let message = |out: &mut String, message: Json<'_>, content: &dyn Fn(&mut String)| {
        rewritten(out, message, |key, _, out| {
            if key != "content" {
                return Change::Keep;
            }
            content(out);
            Change::Written
        });
    };
    rewritten(&mut out, params, |key, _, out| {
        if key != "messages" {
            return Change::Keep;
        }
        array(out, messages(), |out, whole| {
            if split(whole) {
                for (place, block) in blocks(whole).enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    message(out, whole, &|out| content(out, block, features));
                }
            } else if whole.member("content").is_some_and(Json::is_object) {
                message(out, whole, &|out| blocks(whole).for_each(|block| content(out, block, features)));
            } else {
                message(out, whole, &|out| {
                    array(out, blocks(whole), |out, block| content(out, block, features));
                });
            }
        });
        Change::Written
    });
    Ok(Some(out))
}

/// Whether a sampling result can be said in a revision. One block in an array is that block.
pub(crate) fn sampling_result(result: Json<'_>, revision: Revision) -> Result<Option<String>, CannotAsk> {
    let features = revision.features();
    let blocks = || blocks(result);
    if !features.sampling_tools && blocks().any(uses_tool) {
        return Err(CannotAsk);
    }
    if features.sampling_arrays || result.member("content").is_none_or(Json::is_object) {
        return Ok(None);
    }
    if blocks().count() != 1 {
        return Err(CannotAsk);
    }
    let mut out = String::with_capacity(result.get().len());
    rewritten(&mut out, result, |key, _, out| {
        if key != "content" {
            return Change::Keep;
        }
        blocks().for_each(|block| content(out, block, features));
        Change::Written
    });
    Ok(Some(out))
}

/// The params of `completion/complete`, if they are not the same for this revision.
pub(crate) fn completion(params: Json<'_>, revision: Revision) -> Option<String> {
    if revision.features().completion_context || params.member("context").is_none() {
        return None;
    }
    let mut out = String::with_capacity(params.get().len());
    rewritten(&mut out, params, |key, _, _| if key == "context" { Change::LeaveOut } else { Change::Keep });
    Some(out)
}
