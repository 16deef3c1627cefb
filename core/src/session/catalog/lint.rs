//! What works but serves its readers badly.
use alloc::{format, string::String, vec::Vec};

use super::{Catalog, headers, list::ListKind};
use crate::{
    json::{Json, unescape},
    syntax,
};

/// A remark on an entry of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// Stable: `lint.description`, `lint.name`, `lint.mime_type`, `lint.icon`, `lint.header`, `lint.schema`,
    /// `lint.template`.
    pub code: &'static str,
    /// Which member of the catalog: `tools[3].description`.
    pub place: String,
    /// What is wrong, and what it costs.
    pub text: String,
}

#[derive(Default)]
struct Lints(Vec<Lint>);

impl Lints {
    fn add(&mut self, code: &'static str, place: String, text: impl Into<String>) {
        self.0.push(Lint { code, place, text: text.into() });
    }
}

impl Catalog {
    /// Remarks on what works but serves clients badly, in the order of the entries: an entry without a description, a tool
    /// whose name some clients refuse (`server/tools`), a resource without a media type, an icon that no client may fetch
    /// (`basic/index`), `x-mcp-header` where it makes clients leave the tool out (`server/tools` of 2026-07-28), a schema
    /// that earlier revisions do not have, and templates that match the same URIs, so that the later one is never read.
    pub fn lint(&self) -> impl Iterator<Item = Lint> {
        let mut lints = Lints::default();
        for kind in ListKind::ALL {
            let mut forms: Vec<String> = Vec::new();
            for (place, (key, definition)) in
                self.list(kind).into_iter().flat_map(super::Pages::definitions).enumerate()
            {
                let at = format!("{}[{place}]", kind.member());
                common(&mut lints, &at, definition);
                match kind {
                    ListKind::Tools => tool(&mut lints, &at, key, definition),
                    ListKind::Resources => resource(&mut lints, &at, definition),
                    ListKind::Templates => {
                        let form = form(key);
                        if let Some(other) = forms.iter().position(|other| *other == form) {
                            let text = format!(
                                "matches the URIs of resourceTemplates[{other}], which is taken first"
                            );
                            lints.add("lint.template", format!("{at}.uriTemplate"), text);
                        }
                        forms.push(form);
                        media_type(&mut lints, &at, definition);
                    }
                    ListKind::Prompts => {}
                }
            }
        }
        lints.0.into_iter()
    }
}

fn common(lints: &mut Lints, at: &str, definition: Json<'_>) {
    let description = definition.member("description").and_then(Json::as_str);
    if description.is_none_or(|text| text.trim().is_empty()) {
        let text = "is missing: models and people choose by it";
        lints.add("lint.description", format!("{at}.description"), text);
    }
    for (place, icon) in definition.member("icons").into_iter().flat_map(Json::elements).enumerate() {
        let src = icon.member("src").and_then(Json::as_str);
        if !src.is_some_and(|src| syntax::icon_may_be_fetched(&src)) {
            let text = "no client may fetch it: an https URI, or a data URI of an image";
            lints.add("lint.icon", format!("{at}.icons[{place}].src"), text);
        }
    }
}

fn tool(lints: &mut Lints, at: &str, name: &str, definition: Json<'_>) {
    if !syntax::is_tool_name(name) {
        let text = "some clients refuse it: 1 to 128 of the characters A-Z, a-z, 0-9, _, - and .";
        lints.add("lint.name", format!("{at}.name"), text);
    }
    for kind in ["inputSchema", "outputSchema"] {
        let Some(schema) = definition.member(kind) else { continue };
        let properties = schema.member("properties").into_iter().flat_map(Json::members);
        for (property, _) in properties.filter(|(_, schema)| !schema.is_object()) {
            let property = unescape(property).unwrap_or_default();
            let text = "clients of revisions before 2026-07-28 refuse the list: write `{}` for true, \
                        `{\"not\":{}}` for false";
            lints.add("lint.schema", format!("{at}.{kind}.properties.{property}"), text);
        }
        if kind == "inputSchema" {
            for fault in headers::faults(schema) {
                let text = format!("`x-mcp-header` {}; clients over HTTP leave the tool out", fault.reason);
                lints.add("lint.header", format!("{at}.{}", fault.path), text);
            }
        }
    }
}

fn resource(lints: &mut Lints, at: &str, definition: Json<'_>) {
    if definition.member("mimeType").is_none() {
        let text = "is missing: clients have to guess how to show it";
        lints.add("lint.mime_type", format!("{at}.mimeType"), text);
    }
    media_type(lints, at, definition);
}

fn media_type(lints: &mut Lints, at: &str, definition: Json<'_>) {
    let Some(media_type) = definition.member("mimeType") else { return };
    if !media_type.as_str().is_some_and(|text| syntax::is_media_type(&text)) {
        lints.add("lint.mime_type", format!("{at}.mimeType"), "is no media type, such as `text/plain`");
    }
}

/// A template without the names of its variables.
fn form(template: &str) -> String {
    let mut form = String::new();
    for (place, part) in template.split('{').enumerate() {
        let (expression, literal) = part.split_once('}').filter(|_| place > 0).unwrap_or(("", part));
        if place > 0 {
            form.push('{');
            form.push_str(expression.get(..1).filter(|first| "+#./;?&".contains(first)).unwrap_or_default());
            for variable in expression.split(',') {
                // Names of queries are what they are matched by.
                let named = expression.starts_with([';', '?', '&']);
                let modifier =
                    variable.find([':', '*']).and_then(|at| variable.get(at..)).unwrap_or_default();
                form.push_str(if named { variable.trim_start_matches([';', '?', '&']) } else { modifier });
                form.push(',');
            }
            form.push('}');
        }
        form.push_str(literal);
    }
    form
}
