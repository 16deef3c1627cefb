//! What the engine knows of an entry of each kind, and what a definition must have.
use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use super::{list::ListKind, shape::Shape};
use crate::{json::Json, jsonrpc::write, session::schemas::ToolSchemas, syntax::is_uri, uri};

/// Which member is wrong (a path from the definition), and how.
pub(super) type Wrong = (String, String);

fn wrong(member: impl Into<String>, reason: impl Into<String>) -> Wrong {
    (member.into(), reason.into())
}

/// The text of a member that must be a string with something in it.
fn text(definition: Json<'_>, path: &str, member: &str) -> Result<Box<str>, Wrong> {
    definition
        .member(member)
        .and_then(Json::as_str)
        .filter(|text| !text.is_empty())
        .map(Into::into)
        .ok_or_else(|| wrong(format!("{path}{member}"), "must be a string that is not empty"))
}

/// An entry of a list.
pub(super) trait Entry: Sized {
    /// Of which list.
    const KIND: ListKind;
    /// Checks a definition, but for the key, which is not empty.
    fn read(definition: Json<'_>, key: &str) -> Result<Self, Wrong>;
    /// Whether a peer with this shape sees it.
    fn is_in(&self, _: impl FnOnce() -> Shape) -> bool {
        true
    }
    /// Appends the definition in this shape; false if it is the same in it.
    fn write(out: &mut String, definition: Json<'_>, _: Shape) -> bool {
        write::json(out, definition);
        false
    }
}

/// Whether a tool runs as a task: `basic/utilities/tasks` of 2025-11-25.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskSupport {
    Forbidden,
    Optional,
    Required,
}

impl TaskSupport {
    /// Why a tool is not called so.
    pub(crate) const fn objection(self, as_task: bool) -> Option<&'static str> {
        match (self, as_task) {
            (Self::Forbidden, true) => Some("This tool can't be called as a task"),
            (Self::Required, false) => Some("This tool is called as a task only: add `task` to the params"),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) tasks: TaskSupport,
    pub(crate) schemas: ToolSchemas,
}

impl Entry for Tool {
    const KIND: ListKind = ListKind::Tools;

    fn read(definition: Json<'_>, _: &str) -> Result<Self, Wrong> {
        // Clients that check the list refuse all of it for one schema of another type.
        let takes =
            definition.member("inputSchema").and_then(|schema| schema.member("type")).and_then(Json::as_str);
        if takes.as_deref() != Some("object") {
            let reason = "must be an object whose `type` is `object`; `{\"type\":\"object\"}` takes anything";
            return Err(wrong("inputSchema", reason));
        }
        if definition.member("outputSchema").is_some_and(|schema| !schema.is_object()) {
            return Err(wrong("outputSchema", "must be an object"));
        }
        let schemas = ToolSchemas::compile(definition)?;
        let execution = definition.member("execution");
        if execution.is_some_and(|execution| !execution.is_object()) {
            return Err(wrong("execution", "must be an object"));
        }
        let tasks = match execution.and_then(|execution| execution.member("taskSupport")) {
            None => TaskSupport::Forbidden,
            Some(support) => match support.as_str().as_deref() {
                Some("forbidden") => TaskSupport::Forbidden,
                Some("optional") => TaskSupport::Optional,
                Some("required") => TaskSupport::Required,
                _ => {
                    let reason = "must be `forbidden`, `optional` or `required`";
                    return Err(wrong("execution.taskSupport", reason));
                }
            },
        };
        Ok(Self { tasks, schemas })
    }
    fn is_in(&self, shape: impl FnOnce() -> Shape) -> bool {
        self.tasks != TaskSupport::Required || shape().has_tasks()
    }
    fn write(out: &mut String, definition: Json<'_>, shape: Shape) -> bool {
        shape.write_tool(out, definition)
    }
}

#[derive(Debug)]
pub(crate) struct Resource;

impl Entry for Resource {
    const KIND: ListKind = ListKind::Resources;

    fn read(definition: Json<'_>, uri: &str) -> Result<Self, Wrong> {
        text(definition, "", "name")?;
        if !(is_uri(uri) && uri.is_ascii()) {
            let reason = "must be a URI: a scheme, a colon, and nothing that is not ASCII or percent-encoded";
            return Err(wrong("uri", reason));
        }
        Ok(Self)
    }
}

#[derive(Debug)]
pub(crate) struct Template {
    pub(super) template: uri::Template,
    pub(super) specificity: uri::Specificity,
}

impl Entry for Template {
    const KIND: ListKind = ListKind::Templates;

    fn read(definition: Json<'_>, key: &str) -> Result<Self, Wrong> {
        text(definition, "", "name")?;
        let template = uri::Template::parse(key).map_err(|error| wrong("uriTemplate", format!("{error}")))?;
        Ok(Self { specificity: template.specificity(), template })
    }
}

/// An argument of a prompt.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: Box<str>,
    pub(crate) required: bool,
}

#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) arguments: Vec<Argument>,
}

impl Entry for Prompt {
    const KIND: ListKind = ListKind::Prompts;

    fn read(definition: Json<'_>, _: &str) -> Result<Self, Wrong> {
        let Some(list) = definition.member("arguments") else { return Ok(Self { arguments: Vec::new() }) };
        if !list.get().starts_with('[') {
            return Err(wrong("arguments", "must be an array"));
        }
        let mut arguments: Vec<Argument> = Vec::new();
        for (place, argument) in list.elements().enumerate() {
            let path = format!("arguments[{place}].");
            let name = text(argument, &path, "name")?;
            if arguments.iter().any(|other| other.name == name) {
                return Err(wrong(path + "name", format!("`{name}` is there twice")));
            }
            let required = match argument.member("required").map(Json::get) {
                None | Some("false") => false,
                Some("true") => true,
                Some(_) => return Err(wrong(path + "required", "must be true or false")),
            };
            arguments.push(Argument { name, required });
        }
        Ok(Self { arguments })
    }
}

/// The key of a definition, by which it is called, read or got.
pub(super) fn key(definition: Json<'_>, kind: ListKind) -> Result<Box<str>, Wrong> {
    if definition.is_object() {
        text(definition, "", kind.key())
    } else {
        Err((String::new(), "must be an object".to_owned()))
    }
}
