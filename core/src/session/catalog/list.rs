//! The entries of one kind, in order, by key, and in pages.
use alloc::{boxed::Box, collections::BTreeSet, format, string::String, vec::Vec};
use core::ops::Range;

use sha2::{Digest, Sha256};

use super::{
    Definition,
    definitions::{Entry, key},
    groups::{Audience, Groups, View},
    shape::Shape,
};
use crate::{error::ConfigError, json::Json, jsonrpc::write, method::Handling, session::seal::Cursor};

/// The lists of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ListKind {
    Tools = 1,
    Resources = 2,
    Templates = 3,
    Prompts = 4,
}

impl ListKind {
    pub(crate) const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];

    /// The list that a method asks for.
    pub(crate) const fn of(handling: Handling) -> Option<Self> {
        match handling {
            Handling::ListTools => Some(Self::Tools),
            Handling::ListResources => Some(Self::Resources),
            Handling::ListTemplates => Some(Self::Templates),
            Handling::ListPrompts => Some(Self::Prompts),
            _ => None,
        }
    }
    /// The member of a result that it is in, and of a configuration.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
    /// The member of a definition that names it.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::Templates => "uriTemplate",
        }
    }
}

/// Entries of one kind.
#[derive(Debug)]
pub(super) struct List<T> {
    pub(super) pages: Pages,
    entries: Vec<T>,
}

/// What is listed of them.
#[derive(Debug)]
pub(crate) struct Pages {
    keys: Vec<(Box<str>, Audience)>,
    /// Places in `keys`, by key.
    by_key: Vec<u32>,
    /// The definitions as they were given.
    given: Text,
    /// In the shapes in which they differ.
    shaped: Vec<(Shape, Text)>,
    /// Whether some entries are not for everyone.
    restricted: bool,
    fingerprint: [u8; 8],
}

/// Definitions in order, separated by commas. One that a shape lacks has an empty range.
#[derive(Debug)]
struct Text {
    text: String,
    ranges: Vec<Range<usize>>,
}

impl Text {
    const EMPTY: Self = Self { text: String::new(), ranges: Vec::new() };

    fn push(&mut self, write: impl FnOnce(&mut String)) {
        let before = self.text.len();
        if !self.text.is_empty() {
            self.text.push(',');
        }
        let start = self.text.len();
        write(&mut self.text);
        if self.text.len() == start {
            self.text.truncate(before);
            self.ranges.push(before..before);
        } else {
            self.ranges.push(start..self.text.len());
        }
    }
}

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    list: &'a Pages,
    view: View,
    places: Range<usize>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

impl<T: Entry> List<T> {
    pub(super) fn new<'a>(
        definitions: impl Iterator<Item = Definition<'a>>,
        groups: &mut Groups,
    ) -> Result<Self, ConfigError> {
        let member = T::KIND.member();
        let mut list = Self { pages: Pages::new(), entries: Vec::new() };
        let pages = &mut list.pages;
        let shapes = Shape::all();
        let mut seen_by = Sha256::new();
        let mut shaped: Vec<(Text, bool)> = shapes.iter().map(|_| (Text::EMPTY, false)).collect();
        for (place, Definition { json, visible_to }) in definitions.enumerate() {
            let wrong = |(path, reason): (String, String)| {
                let dot = if path.is_empty() { "" } else { "." };
                ConfigError::new(format!("{member}[{place}]{dot}{path}"), reason)
            };
            // A `RawValue` may be nested without bound.
            let json = Json::parse(json.get().as_bytes()).map_err(|error| {
                wrong((String::new(), format!("{error}, or nested deeper than 128 levels")))
            })?;
            let key = key(json, T::KIND).map_err(wrong)?;
            let entry = T::read(json, &key).map_err(wrong)?;
            let audience = groups.audience(visible_to.as_deref())?;
            if let Some(names) = visible_to {
                pages.restricted = true;
                seen_by.update((place as u64).to_be_bytes());
                for name in BTreeSet::from_iter(names) {
                    seen_by.update(name.as_bytes());
                    seen_by.update([0]);
                }
            }
            pages.keys.push((key, audience));
            pages.given.push(|out| write::json(out, json));
            for (shape, (text, differs)) in shapes.iter().zip(&mut shaped) {
                let is_in = entry.is_in(|| *shape);
                *differs |= !is_in;
                text.push(|out| {
                    if is_in {
                        *differs |= T::write(out, json, *shape);
                    }
                });
            }
            list.entries.push(entry);
        }
        let differing = shapes.into_iter().zip(shaped).filter(|(_, (_, differs))| *differs);
        pages.shaped = differing.map(|(shape, (text, _))| (shape, text)).collect();
        pages.index(seen_by).map_err(|double| {
            ConfigError::new(member, format!("the {} `{double}` is there twice", T::KIND.key()))
        })?;
        Ok(list)
    }
    /// The entry with this key, if it can be seen.
    pub(super) fn find(&self, key: &str, view: View) -> Option<&T> {
        let place = self.pages.place(key)?;
        self.entries.get(place).filter(|entry| self.sees(place, entry, view))
    }
    fn sees(&self, place: usize, entry: &T, view: View) -> bool {
        self.pages.keys.get(place).is_some_and(|(_, audience)| view.includes(*audience))
            && entry.is_in(|| view.shape())
    }
    /// All there are, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        self.entries.iter()
    }
    /// All that can be seen, in order, each with its key.
    pub(super) fn iter(&self, view: View) -> impl Iterator<Item = (&str, &T)> {
        let keys = self.pages.keys.iter().map(|(key, _)| &**key);
        let all = keys.zip(&self.entries).enumerate();
        all.filter(move |(place, (_, entry))| self.sees(*place, entry, view)).map(|(_, entry)| entry)
    }
}

impl Pages {
    /// A list without entries.
    pub(super) const EMPTY: &'static Self = &Self::new();

    const fn new() -> Self {
        Self {
            keys: Vec::new(),
            by_key: Vec::new(),
            given: Text::EMPTY,
            shaped: Vec::new(),
            restricted: false,
            fingerprint: [0; 8],
        }
    }
    /// Sorts what was pushed; `Err`: a key that is there twice.
    fn index(&mut self, seen_by: Sha256) -> Result<(), Box<str>> {
        let keys = &self.keys;
        let key = |place: &u32| keys.get(*place as usize).map_or("", |(key, _)| key);
        let mut by_key: Vec<u32> = (0..u32::try_from(keys.len()).unwrap_or(u32::MAX)).collect();
        by_key.sort_by(|a, b| key(a).cmp(key(b)));
        if let Some(double) = by_key.windows(2).find_map(|pair| match pair {
            [a, b] if key(a) == key(b) => Some(key(a)),
            _ => None,
        }) {
            return Err(double.into());
        }
        self.by_key = by_key;
        let digest = seen_by.chain_update(self.given.text.as_bytes()).finalize();
        for (to, from) in self.fingerprint.iter_mut().zip(digest) {
            *to = from;
        }
        Ok(())
    }
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }
    pub(super) fn fingerprint(&self) -> [u8; 8] {
        self.fingerprint
    }
    /// Whether it differs from session to session.
    pub(crate) fn is_restricted(&self) -> bool {
        self.restricted
    }
    /// All definitions as they were given, each with its key.
    pub(super) fn definitions(&self) -> impl Iterator<Item = (&str, Json<'_>)> {
        self.keys.iter().zip(&self.given.ranges).filter_map(|((key, _), range)| {
            self.given.text.get(range.clone()).map(|text| (&**key, Json::from_checked(text)))
        })
    }
    /// The keys of entries that are not for everyone, each with who sees it.
    pub(super) fn restricted(&self) -> impl Iterator<Item = (&str, Audience)> {
        let restricted = self.keys.iter().filter(|(_, audience)| *audience != Audience::EVERYONE);
        restricted.map(|(key, audience)| (&**key, *audience))
    }
    fn place(&self, key: &str) -> Option<usize> {
        let found = self
            .by_key
            .binary_search_by(|place| self.keys.get(*place as usize).map_or("", |(key, _)| key).cmp(key));
        found.ok().and_then(|at| self.by_key.get(at)).map(|place| *place as usize)
    }
    fn text(&self, shape: Shape) -> &Text {
        self.shaped.iter().find(|(other, _)| *other == shape).map_or(&self.given, |(_, text)| text)
    }
    /// Places and ranges of what can be seen in a range of places.
    fn seen(&self, view: View, places: Range<usize>) -> impl Iterator<Item = (usize, &Range<usize>)> {
        let entries = self.keys.iter().zip(&self.text(view.shape()).ranges).enumerate();
        entries
            .take(places.end)
            .skip(places.start)
            .filter(move |(_, ((_, audience), range))| !range.is_empty() && view.includes(*audience))
            .map(|(place, (_, range))| (place, range))
    }
    /// The page that begins at `cursor`, of at most so many items and bytes but at least one item; `None` if its place in
    /// the list is gone.
    pub(crate) fn page(
        &self,
        view: View,
        cursor: Option<&Cursor>,
        size: usize,
        bytes: usize,
    ) -> Option<Page<'_>> {
        let start = match cursor {
            None => 0,
            Some(cursor) if cursor.fingerprint == self.fingerprint => cursor.offset as usize,
            Some(cursor) => self.place(&cursor.after)? + 1,
        };
        let (mut items, mut length, mut end) = (0, 0, start);
        let mut next = None;
        for (place, range) in self.seen(view, start..self.keys.len()) {
            length += range.len() + 1;
            if items > 0 && (items >= size || length > bytes) {
                next = end.checked_sub(1).and_then(|last| self.keys.get(last)).map(|(last, _)| Cursor {
                    fingerprint: self.fingerprint,
                    offset: u32::try_from(end).unwrap_or(u32::MAX),
                    after: String::from(&**last),
                });
                break;
            }
            items += 1;
            end = place + 1;
        }
        Some(Page { list: self, view, places: start..end, next })
    }
}

impl Page<'_> {
    /// Appends its definitions, separated by commas. Neighbours in the text are copied together.
    pub(crate) fn write(&self, out: &mut String) {
        let text = &self.list.text(self.view.shape()).text;
        let mut run = 0..0;
        let mut copy = |run: &Range<usize>| {
            out.push_str(text.get(run.clone()).unwrap_or_default());
        };
        for (_, range) in self.list.seen(self.view, self.places.clone()) {
            // One comma lies between neighbours.
            if !run.is_empty() && range.start == run.end + 1 {
                run.end = range.end;
                continue;
            }
            copy(&run);
            // The comma before the first of a later run is copied with it.
            let first = run.is_empty();
            run = if first { range.clone() } else { range.start - 1..range.end };
        }
        copy(&run);
    }
}
