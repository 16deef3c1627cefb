//! What a server offers at one moment, serialized once.
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::ops::Range;

use sha2::{Digest, Sha256};

use super::{
    seal::{Cursor, ListKind, Sealer},
    tasks::receive::TaskSupport,
};
use crate::{error::ConfigError, json::Json, jsonrpc::write};

#[derive(Debug)]
struct Item {
    name: Box<str>,
    range: Range<usize>,
    task: TaskSupport,
}

/// Tools of one moment, their definitions serialized once. Immutable and shared: a change is a new catalog.
///
/// A list is served in the order given (`server/tools` of 2026-07-28 asks for a deterministic one) and in pages whose
/// cursors name the list, so that a client that pages while the catalog is replaced goes on after the last item it saw.
#[derive(Debug)]
pub struct Catalog {
    /// Definitions in order, separated by commas.
    text: String,
    items: Vec<Item>,
    /// Places in `items`, by name.
    by_name: Vec<u32>,
    fingerprint: [u8; 8],
}

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    /// Definitions, separated by commas.
    pub items: &'a str,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

impl Catalog {
    /// Tools, each as its definition: an object with at least `name` and `inputSchema` (an object whose `type` is
    /// `object`). Fails on a tool without them, on one whose `outputSchema` is no object, and on a name that is there
    /// twice.
    pub fn from_tools<'a>(tools: impl IntoIterator<Item = Json<'a>>) -> Result<Self, ConfigError> {
        let mut catalog =
            Self { text: String::new(), items: Vec::new(), by_name: Vec::new(), fingerprint: [0; 8] };
        for (place, tool) in tools.into_iter().enumerate() {
            let wrong = |reason: &str| ConfigError::new(format!("tools[{place}]"), reason);
            let name = tool
                .member("name")
                .and_then(Json::as_str)
                .filter(|name| !name.is_empty())
                .ok_or_else(|| wrong("needs a `name`, a string that is not empty"))?;
            // Clients that check the list refuse all of it for one schema of another type.
            let takes =
                tool.member("inputSchema").and_then(|schema| schema.member("type")).and_then(Json::as_str);
            if takes.as_deref() != Some("object") {
                return Err(wrong(
                    "needs an `inputSchema` whose `type` is `object`; `{\"type\":\"object\"}` takes anything",
                ));
            }
            if tool.member("outputSchema").is_some_and(|schema| !schema.is_object()) {
                return Err(wrong("`outputSchema` must be an object"));
            }
            let task = TaskSupport::of_tool(tool)
                .map_err(|error| wrong(&format!("`{}` {}", error.field, error.reason)))?;
            if !catalog.text.is_empty() {
                catalog.text.push(',');
            }
            let start = catalog.text.len();
            write::json(&mut catalog.text, tool);
            let range = start..catalog.text.len();
            catalog.items.push(Item { name: name.into(), range, task });
        }
        let items = &catalog.items;
        catalog.by_name = (0..u32::try_from(items.len()).unwrap_or(u32::MAX)).collect();
        let name = |place: &u32| items.get(*place as usize).map_or("", |item| &*item.name);
        catalog.by_name.sort_by(|a, b| name(a).cmp(name(b)));
        if let Some(double) = catalog.by_name.windows(2).find_map(|pair| match pair {
            [a, b] if name(a) == name(b) => Some(name(a)),
            _ => None,
        }) {
            return Err(ConfigError::new("tools", format!("the name `{double}` is there twice")));
        }
        let digest = Sha256::digest(catalog.text.as_bytes());
        for (to, from) in catalog.fingerprint.iter_mut().zip(digest) {
            *to = from;
        }
        Ok(catalog)
    }
    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    pub(crate) fn fingerprint(&self) -> [u8; 8] {
        self.fingerprint
    }
    fn place(&self, name: &str) -> Option<usize> {
        let found = self.by_name.binary_search_by(|place| {
            self.items.get(*place as usize).map_or("", |item| &*item.name).cmp(name)
        });
        found.ok().and_then(|at| self.by_name.get(at)).map(|place| *place as usize)
    }
    /// Whether there is a tool of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }
    /// Whether the tool of this name is called as a task.
    pub(crate) fn task_support(&self, name: &str) -> TaskSupport {
        self.place(name).and_then(|place| self.items.get(place)).map(|item| item.task).unwrap_or_default()
    }
    /// The page that begins at `cursor`, of at most so many items and bytes but at least one item; `None` if its place in
    /// the list is gone.
    pub(crate) fn page(&self, cursor: Option<&Cursor>, size: usize, bytes: usize) -> Option<Page<'_>> {
        let start = match cursor {
            None => 0,
            Some(cursor) if cursor.fingerprint == self.fingerprint => cursor.offset as usize,
            Some(cursor) => self.place(&cursor.after)? + 1,
        };
        let page = self.items.get(start..)?;
        let begin = page.first().map_or(0, |first| first.range.start);
        let fits = page.iter().take(size).take_while(|item| item.range.end - begin <= bytes).count();
        let page = page.get(..fits.max(1)).unwrap_or(page);
        let text = match (page.first(), page.last()) {
            (Some(first), Some(last)) => self.text.get(first.range.start..last.range.end)?,
            _ => "",
        };
        let end = start + page.len();
        let next = page.last().filter(|_| end < self.items.len()).map(|last| Cursor {
            fingerprint: self.fingerprint,
            offset: u32::try_from(end).unwrap_or(u32::MAX),
            after: String::from(&*last.name),
        });
        Some(Page { items: text, next })
    }
}

/// The cursor of a request's params; `Err`: there is one that is not ours.
pub(crate) fn cursor_of(
    params: Option<Json<'_>>,
    sealer: &Sealer,
    kind: ListKind,
) -> Result<Option<Cursor>, ()> {
    // A null is what some clients write for none.
    match params.and_then(|params| params.member("cursor")).filter(|cursor| cursor.get() != "null") {
        None => Ok(None),
        Some(cursor) => cursor.as_str().and_then(|text| sealer.open_cursor(kind, &text)).map(Some).ok_or(()),
    }
}
