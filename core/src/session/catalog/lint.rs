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
    /// `lint.template`, `lint.annotations`, `lint.size`.
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
    /// that earlier revisions do not have or that takes any arguments without naming one, annotations and sizes that mean
    /// nothing (`server/resources`), and templates that match the same URIs, so that the later one is never read.
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
                        annotations(&mut lints, &at, definition);
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
            // Whatever else it says may be what it takes.
            let says_nothing = schema.members().all(|(key, value)| match unescape(key).as_deref() {
                Some("type" | "$schema" | "title" | "description") => true,
                Some("properties") => value.members().next().is_none(),
                _ => false,
            });
            if says_nothing {
                let text = "names no parameter and takes any: add `\"additionalProperties\":false`, or true if \
                            that is meant";
                lints.add("lint.schema", format!("{at}.inputSchema"), text);
            }
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
    annotations(lints, at, definition);
    let size = definition.member("size");
    if size.is_some_and(|size| size.get().parse::<u64>().is_err()) {
        lints.add("lint.size", format!("{at}.size"), "is no number of bytes");
    }
}

fn annotations(lints: &mut Lints, at: &str, definition: Json<'_>) {
    let Some(annotations) = definition.member("annotations") else { return };
    let mut check = |key: &str, is_right: &dyn Fn(Json<'_>) -> bool, text: &str| {
        if annotations.member(key).is_some_and(|value| !is_right(value)) {
            lints.add("lint.annotations", format!("{at}.annotations.{key}"), text);
        }
    };
    let is_role = |role: Json<'_>| matches!(role.as_str().as_deref(), Some("user" | "assistant"));
    check(
        "audience",
        &|roles| roles.get().starts_with('[') && roles.elements().all(is_role),
        "is an array of `user` and `assistant`",
    );
    check("priority", &|value| value.is_share(), "is a number from 0 to 1");
    let is_moment = |text: &str| syntax::is_date(text) || syntax::is_date_time(text);
    check(
        "lastModified",
        &|value| value.as_str().is_some_and(|text| is_moment(&text)),
        "is a date, or a date and time with its offset, in ISO 8601",
    );
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
