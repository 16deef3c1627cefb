//! `x-mcp-header` in the input schema of a tool: `server/tools` of 2026-07-28.
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    json::{Json, unescape},
    syntax::is_token,
};

const ANNOTATION: &str = "x-mcp-header";

/// An annotation for which clients over HTTP leave the tool out.
pub(super) struct HeaderFault {
    /// Where the annotated schema is, from the input schema.
    pub(super) path: String,
    pub(super) reason: String,
}

/// What is wrong with the annotations of an input schema.
pub(super) fn faults(schema: Json<'_>) -> Vec<HeaderFault> {
    let mut walk = Walk::default();
    walk.schema(schema, &Path { name: "inputSchema", before: None }, Reach::Root);
    walk.faults
}

/// How a schema is reached from the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Root,
    /// By a chain of `properties` alone.
    Properties,
    Other,
}

struct Path<'a> {
    name: &'a str,
    before: Option<&'a Path<'a>>,
}

impl<'a> Path<'a> {
    const fn then(&'a self, name: &'a str) -> Self {
        Self { name, before: Some(self) }
    }
}

impl core::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.before {
            Some(before) => write!(f, "{before}.{}", self.name),
            None => f.write_str(self.name),
        }
    }
}

#[derive(Default)]
struct Walk {
    /// In lower case.
    names: Vec<String>,
    faults: Vec<HeaderFault>,
}

impl Walk {
    /// A definition was parsed, so its depth is bounded.
    fn schema(&mut self, schema: Json<'_>, path: &Path<'_>, reach: Reach) {
        for element in schema.elements() {
            self.schema(element, path, Reach::Other);
        }
        for (key, value) in schema.members() {
            let key = unescape(key).unwrap_or_default();
            let path = path.then(&key);
            match &*key {
                ANNOTATION => self.annotation(schema, value, path.before.unwrap_or(&path), reach),
                "properties" if reach != Reach::Other => self.schemas(value, &path, Reach::Properties),
                // Here keys are names.
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
                    self.schemas(value, &path, Reach::Other);
                }
                // Here are values.
                "const" | "enum" | "default" | "examples" => {}
                _ => self.schema(value, &path, Reach::Other),
            }
        }
    }
    fn schemas(&mut self, schemas: Json<'_>, path: &Path<'_>, reach: Reach) {
        for (name, schema) in schemas.members() {
            self.schema(schema, &path.then(&unescape(name).unwrap_or_default()), reach);
        }
    }
    fn annotation(&mut self, schema: Json<'_>, name: Json<'_>, path: &Path<'_>, reach: Reach) {
        let mut fault = |reason: String| {
            self.faults.push(HeaderFault { path: path.to_string(), reason });
        };
        if reach != Reach::Properties {
            fault("stands where no chain of `properties` alone leads".into());
        }
        let kind = schema.member("type").and_then(Json::as_str);
        if !matches!(kind.as_deref(), Some("string" | "integer" | "boolean")) {
            fault("stands on a parameter that is no string, integer or boolean".into());
        }
        match name.as_str().filter(|name| is_token(name)) {
            None => {
                fault("is not the name of a header: one or more letters, digits or !#$%&'*+-.^_`|~".into());
            }
            Some(name) => {
                let lower = name.to_ascii_lowercase();
                if self.names.contains(&lower) {
                    fault(format!("names the header `{name}` twice"));
                }
                self.names.push(lower);
            }
        }
    }
}
