//! What a server offers at one moment.
mod definitions;
mod groups;
mod headers;
mod lint;
mod list;
mod shape;
mod templates;

use alloc::{boxed::Box, collections::BTreeMap, format, string::String, vec::Vec};

use serde::Deserialize;
use serde_json::value::RawValue;

pub(crate) use definitions::{Prompt, Resource, Template, Tool};
pub(crate) use groups::View;
pub use lint::Lint;
pub(crate) use list::{ListKind, Pages};

use crate::{
    error::ConfigError,
    json::Json,
    jsonrpc::write,
    revision::Revision,
    session::{
        Change,
        config::{Taken, fields},
    },
};
use groups::Groups;
use list::List;

/// Tools, resources, resource templates and prompts of one moment, their definitions serialized once. Immutable and
/// shared: a change is a new catalog.
///
/// The engine answers for each kind that was given, even with an empty list: it lists, refuses what does not exist, and
/// delivers the rest. Of a kind that was not given every request goes to the application. Resources and templates are
/// one kind in this: where either was given, the list of the other is empty.
///
/// A list is served in the order given (`server/tools` of 2026-07-28 asks for a deterministic one) and in pages whose
/// cursors name the list, so that a client that pages while the catalog is replaced goes on after the last item it saw.
/// Each client sees what its revision has: an `outputSchema` whose `type` is not `object` is of 2026-07-28 alone,
/// `execution` of 2025-11-25, and a tool that runs only as a task does not exist where there are no tasks.
///
/// ```
/// use mcp_sansio::{
///     json::Json,
///     session::{Catalog, Definition},
/// };
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let no_more = r#""inputSchema":{"type":"object","additionalProperties":false}"#;
/// let look = format!(r#"{{"name":"look","description":"Looks",{no_more}}}"#);
/// let drop = format!(r#"{{"name":"drop","description":"Drops",{no_more}}}"#);
/// let (look, drop) = (Json::parse(look.as_bytes())?, Json::parse(drop.as_bytes())?);
/// let notes = Json::parse(br#"{"uriTemplate":"note:{id}","name":"note","description":"A note"}"#)?;
/// let catalog = Catalog::new()
///     .tools([Definition::new(look), Definition::new(drop).visible_to(["admin"])])?
///     .templates([notes])?;
/// assert_eq!(catalog.lint().count(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Catalog {
    tools: Option<List<Tool>>,
    resources: Option<List<Resource>>,
    templates: Option<List<Template>>,
    prompts: Option<List<Prompt>>,
    groups: Groups,
    /// The results of some tool are checked.
    has_output: bool,
}

/// One entry of a catalog: what is on the wire, and who sees it.
#[derive(Debug, Clone)]
pub struct Definition<'a> {
    json: Json<'a>,
    visible_to: Option<Vec<&'a str>>,
}

impl<'a> Definition<'a> {
    /// The definition as the spec has it, a JSON object; everyone sees it.
    pub const fn new(json: Json<'a>) -> Self {
        Self { json, visible_to: None }
    }
    /// Only sessions with one of these groups ([`Server::with_groups`](super::Server::with_groups)) see it; for the
    /// others it does not exist. Without any group nobody sees it. A catalog knows at most 63 groups.
    #[must_use]
    pub fn visible_to(mut self, groups: impl IntoIterator<Item = &'a str>) -> Self {
        self.visible_to = Some(groups.into_iter().collect());
        self
    }
}

impl<'a> From<Json<'a>> for Definition<'a> {
    fn from(json: Json<'a>) -> Self {
        Self::new(json)
    }
}

impl<'a> From<&'a RawValue> for Definition<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self::new(raw.into())
    }
}

/// The JSON form of a catalog.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CatalogFields<'a> {
    #[serde(borrow)]
    pub tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub resources: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub resource_templates: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub prompts: Option<Vec<&'a RawValue>>,
    #[serde(rename = "visible_to")]
    pub visible_to: Option<VisibleTo>,
}

/// Groups by the key of an entry, by kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct VisibleTo {
    tools: BTreeMap<String, Vec<String>>,
    resources: BTreeMap<String, Vec<String>>,
    resource_templates: BTreeMap<String, Vec<String>>,
    prompts: BTreeMap<String, Vec<String>>,
}

impl CatalogFields<'_> {
    /// The catalog; `None` if no kind was given.
    pub(super) fn build(self) -> Result<Option<Catalog>, ConfigError> {
        let visible_to = self.visible_to.unwrap_or_default();
        let mut catalog = None;
        let build = |catalog: &mut Option<Catalog>| catalog.take().unwrap_or_default();
        for (kind, definitions, groups) in [
            (ListKind::Tools, self.tools, &visible_to.tools),
            (ListKind::Resources, self.resources, &visible_to.resources),
            (ListKind::Templates, self.resource_templates, &visible_to.resource_templates),
            (ListKind::Prompts, self.prompts, &visible_to.prompts),
        ] {
            // A misspelt name would show to all what few may see.
            let mut unused: Vec<&str> = groups.keys().map(String::as_str).collect();
            if let Some(definitions) = definitions {
                let definitions = definitions.into_iter().map(|raw| {
                    let definition = Definition::from(raw);
                    let key = definition.json.member(kind.key()).and_then(Json::as_str).unwrap_or_default();
                    unused.retain(|name| *name != key);
                    match groups.get(&*key) {
                        Some(groups) => definition.visible_to(groups.iter().map(String::as_str)),
                        None => definition,
                    }
                });
                let before = build(&mut catalog);
                catalog = Some(match kind {
                    ListKind::Tools => before.tools(definitions)?,
                    ListKind::Resources => before.resources(definitions)?,
                    ListKind::Templates => before.templates(definitions)?,
                    ListKind::Prompts => before.prompts(definitions)?,
                });
            }
            if let Some(name) = unused.first() {
                let field = format!("visible_to.{}", kind.member());
                return Err(ConfigError::new(field, format!("`{name}` is not in the list")));
            }
        }
        Ok(catalog)
    }
}

impl Catalog {
    /// One of no kind, to which the following methods give a kind each. Given twice, the later list counts.
    pub fn new() -> Self {
        Self::default()
    }
    /// From JSON: an object with any of `tools`, `resources`, `resourceTemplates` and `prompts`, each an array of
    /// definitions, and `visible_to`, which maps each of these names to an object of keys of entries and their groups:
    /// `{"tools":{"drop_table":["admin"]}}`.
    pub fn from_json(text: &[u8]) -> Result<Self, ConfigError> {
        let taken: Taken = |text| serde_json::from_str::<CatalogFields<'_>>(text).map(drop);
        let fields: CatalogFields<'_> = fields(text, taken)?;
        fields.build().map(Option::unwrap_or_default)
    }
    /// The same, with the definitions as they were given but for whitespace.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        let mut visible = String::new();
        for kind in ListKind::ALL {
            let Some(list) = self.list(kind) else { continue };
            out.push_str(if out.len() > 1 { "," } else { "" });
            write::string(&mut out, kind.member());
            out.push_str(":[");
            for (place, (_, definition)) in list.definitions().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                out.push_str(definition.get());
            }
            out.push(']');
            let mut restricted = list.restricted().peekable();
            if restricted.peek().is_none() {
                continue;
            }
            visible.push_str(if visible.is_empty() { "" } else { "," });
            write::string(&mut visible, kind.member());
            visible.push_str(":{");
            for (place, (key, audience)) in restricted.enumerate() {
                visible.push_str(if place > 0 { "," } else { "" });
                write::string(&mut visible, key);
                visible.push_str(":[");
                for (place, name) in self.groups.names(audience).into_iter().flatten().enumerate() {
                    visible.push_str(if place > 0 { "," } else { "" });
                    write::string(&mut visible, name);
                }
                visible.push(']');
            }
            visible.push('}');
        }
        if !visible.is_empty() {
            out.push_str(if out.len() > 1 { "," } else { "" });
            out.push_str("\"visible_to\":{");
            out.push_str(&visible);
            out.push('}');
        }
        out.push('}');
        out
    }
    /// Tools: `name`, `inputSchema` (an object whose `type` is `object`) and, where they are there, `outputSchema` (an
    /// object) and `execution.taskSupport` are checked, and that no name is there twice (`server/tools`). With the
    /// feature `schema`, both schemas are compiled, and fail here if they can't be used.
    pub fn tools<'a, D: Into<Definition<'a>>>(
        mut self,
        tools: impl IntoIterator<Item = D>,
    ) -> Result<Self, ConfigError> {
        let list: List<Tool> = List::new(tools.into_iter().map(Into::into), &mut self.groups)?;
        self.has_output = list.all().any(|tool| tool.schemas.has_output());
        self.tools = Some(list);
        Ok(self)
    }
    /// Resources: `uri` (a URI) and `name` are checked, and that no URI is there twice (`server/resources`).
    pub fn resources<'a, D: Into<Definition<'a>>>(
        mut self,
        resources: impl IntoIterator<Item = D>,
    ) -> Result<Self, ConfigError> {
        self.resources = Some(List::new(resources.into_iter().map(Into::into), &mut self.groups)?);
        Ok(self)
    }
    /// Resource templates: `uriTemplate` (RFC 6570) and `name` are checked, and that no template is there twice. Of
    /// several that match a URI the most specific is taken, and of equals the first.
    pub fn templates<'a, D: Into<Definition<'a>>>(
        mut self,
        templates: impl IntoIterator<Item = D>,
    ) -> Result<Self, ConfigError> {
        self.templates = Some(List::new(templates.into_iter().map(Into::into), &mut self.groups)?);
        Ok(self)
    }
    /// Prompts: `name` and the `name` of each of `arguments` are checked, and that none is there twice
    /// (`server/prompts`).
    pub fn prompts<'a, D: Into<Definition<'a>>>(
        mut self,
        prompts: impl IntoIterator<Item = D>,
    ) -> Result<Self, ConfigError> {
        self.prompts = Some(List::new(prompts.into_iter().map(Into::into), &mut self.groups)?);
        Ok(self)
    }
    /// How many entries of all kinds there are.
    pub fn len(&self) -> usize {
        ListKind::ALL.into_iter().filter_map(|kind| self.list(kind)).map(Pages::len).sum()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn list(&self, kind: ListKind) -> Option<&Pages> {
        match kind {
            ListKind::Tools => self.tools.as_ref().map(|list| &list.pages),
            ListKind::Resources => self.resources.as_ref().map(|list| &list.pages),
            ListKind::Templates => self.templates.as_ref().map(|list| &list.pages),
            ListKind::Prompts => self.prompts.as_ref().map(|list| &list.pages),
        }
    }
    /// The list that the engine answers with; `None`: this kind is the application's.
    pub(crate) fn pages(&self, kind: ListKind) -> Option<&Pages> {
        let other = match kind {
            ListKind::Resources => self.list(ListKind::Templates),
            ListKind::Templates => self.list(ListKind::Resources),
            ListKind::Tools | ListKind::Prompts => None,
        };
        self.list(kind).or_else(|| other.map(|_| Pages::EMPTY))
    }
    /// What a session with these groups sees of it in a request of a revision.
    pub(crate) fn view(&self, groups: &[Box<str>], revision: Revision) -> View {
        View::new(&self.groups, groups, revision)
    }
    /// Whether it lists and calls tools.
    pub(crate) fn has_tools(&self) -> bool {
        self.tools.is_some()
    }
    /// The tool of this name.
    pub(crate) fn tool(&self, name: &str, view: View) -> Option<&Tool> {
        self.tools.as_ref()?.find(name, view)
    }
    /// Whether the results of some tool are checked.
    pub(crate) fn has_output(&self) -> bool {
        self.has_output
    }
    /// Whether it lists and gets prompts.
    pub(crate) fn has_prompts(&self) -> bool {
        self.prompts.is_some()
    }
    /// The prompt of this name.
    pub(crate) fn prompt(&self, name: &str, view: View) -> Option<&Prompt> {
        self.prompts.as_ref()?.find(name, view)
    }
    /// Whether it lists and reads resources.
    pub(crate) fn has_resources(&self) -> bool {
        self.resources.is_some() || self.templates.is_some()
    }
    /// Whether this is the URI of a listed resource.
    pub(crate) fn has_resource(&self, uri: &str, view: View) -> bool {
        self.resources.as_ref().is_some_and(|list| list.find(uri, view).is_some())
    }
    /// Whether it is the URI of a resource, listed or described by a template.
    pub(crate) fn has(&self, uri: &str, view: View) -> bool {
        self.has_resource(uri, view) || self.matching(uri, view).is_some()
    }
    /// The capabilities that its kinds need, as members of an object.
    pub(crate) fn capabilities(&self) -> impl Iterator<Item = &'static str> {
        let kinds = [
            (self.has_tools(), "\"tools\":{\"listChanged\":true}"),
            (self.has_resources(), "\"resources\":{\"listChanged\":true}"),
            (self.has_prompts(), "\"prompts\":{\"listChanged\":true}"),
        ];
        kinds.into_iter().filter_map(|(has, members)| has.then_some(members))
    }
    /// What differs from the catalog before it.
    pub(crate) fn changes(&self, before: Option<&Self>) -> impl Iterator<Item = Change<'static>> + use<> {
        let differs = |kind: ListKind| {
            let print = |catalog: &Self| catalog.list(kind).map(Pages::fingerprint);
            print(self) != before.and_then(print)
        };
        let kinds = [
            (Change::Tools, differs(ListKind::Tools)),
            (Change::Prompts, differs(ListKind::Prompts)),
            (Change::Resources, differs(ListKind::Resources) || differs(ListKind::Templates)),
        ];
        kinds.into_iter().filter_map(|(change, differs)| differs.then_some(change))
    }
}
