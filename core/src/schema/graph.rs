//! The subschemas of a schema and how they lead to one another: what they refer to, and what a check can cost.
use alloc::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec,
    vec::Vec,
};

use jsonschema::{Draft, Uri, uri};
use serde_json::{Map, Value};

use super::SchemaError;

/// Most subschemas in one schema.
const SUBSCHEMAS: usize = 4096;
/// Most levels of nesting in the text of a schema.
const NESTING: usize = 64;
/// Most subschemas that one place in a value can be held against, each way to it counted.
const VISITS: u32 = 1024;
/// Most subschemas in a row that are held against one place in a value.
const IN_A_ROW: u32 = 128;
/// The base of a schema without an `$id`.
const NO_BASE: &str = "json-schema:///";

/// Where a schema has its subschemas.
enum Place {
    /// It applies to the same value.
    Same,
    /// It applies to members or elements that others may apply to as well.
    Parts,
}

/// A keyword whose value is a schema.
fn schema_keyword(keyword: &str) -> Option<Place> {
    match keyword {
        "not" | "if" | "then" | "else" => Some(Place::Same),
        "items"
        | "additionalItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "propertyNames" => Some(Place::Parts),
        _ => None,
    }
}

#[derive(Default)]
struct Node<'s> {
    path: String,
    base: usize,
    refers: Vec<(&'static str, &'s str)>,
    same: Vec<usize>,
    parts: Vec<usize>,
    /// Of these at most one applies to each part.
    named: Vec<usize>,
}

/// What checks of one value can cost, by its nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// Subschemas that one part of the value can be held against, each way to it counted.
    pub(super) visits: u32,
    /// Subschemas within one another on the way to the deepest part.
    pub(super) levels: u32,
}

pub(super) struct Graph<'s> {
    draft: Draft,
    root: &'s Value,
    nodes: Vec<Node<'s>>,
    by_path: BTreeMap<String, usize>,
    /// Absolute URIs of the document and of the schemas in it that have an `$id`, and where these are.
    bases: Vec<(Uri<String>, String)>,
    anchors: BTreeMap<(usize, &'s str), usize>,
    dynamic: BTreeMap<&'s str, BTreeSet<usize>>,
}

impl<'s> Graph<'s> {
    /// Reads a schema. Fails on references that lead out of it, and where a bound is passed.
    pub(super) fn of(root: &'s Value, draft: Draft) -> Result<Self, SchemaError> {
        let base = uri::from_str(NO_BASE).map_err(|error| SchemaError::new("", format!("{error}")))?;
        let mut graph = Self {
            draft,
            root,
            nodes: Vec::new(),
            by_path: BTreeMap::new(),
            bases: vec![(base, String::new())],
            anchors: BTreeMap::new(),
            dynamic: BTreeMap::new(),
        };
        graph.visit(root, String::new(), 0, 0)?;
        let mut next = 0;
        while let Some(node) = graph.nodes.get_mut(next) {
            let (base, path) = (node.base, node.path.clone());
            for (keyword, target) in core::mem::take(&mut node.refers) {
                let wrong = |error: String| SchemaError::new(&format!("{path}/{keyword}"), error);
                let found = graph.resolve(base, target).map_err(wrong)?;
                let mut targets = BTreeSet::from([found]);
                if keyword == "$dynamicRef"
                    && let Some((_, name)) = target.split_once('#')
                {
                    targets.extend(graph.dynamic.get(name).into_iter().flatten());
                }
                if let Some(node) = graph.nodes.get_mut(next) {
                    node.same.extend(targets);
                }
            }
            next += 1;
        }
        Ok(graph)
    }

    /// Enters a schema and those in it.
    fn visit(
        &mut self,
        schema: &'s Value,
        path: String,
        base: usize,
        nesting: usize,
    ) -> Result<usize, SchemaError> {
        if let Some(known) = self.by_path.get(&path) {
            return Ok(*known);
        }
        if nesting > NESTING {
            return Err(SchemaError::new(&path, format!("is nested in more than {NESTING} levels")));
        }
        if self.nodes.len() >= SUBSCHEMAS {
            return Err(SchemaError::new(&path, format!("is one of more than {SUBSCHEMAS} subschemas")));
        }
        let number = self.nodes.len();
        self.by_path.insert(path.clone(), number);
        self.nodes.push(Node { path: path.clone(), base, ..Node::default() });
        let Value::Object(keywords) = schema else { return Ok(number) };
        let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
        let draft_7 = self.draft == Draft::Draft7;
        let mut node = Node { path, base, ..Node::default() };
        // There a reference hides everything beside it, which is read all the same.
        let hidden = draft_7 && text("$ref").is_some();
        if !node.path.is_empty() && keywords.contains_key("$schema") {
            let reason = "a dialect is declared at the top of a schema alone";
            return Err(SchemaError::new(&format!("{}/$schema", node.path), reason));
        }
        match text("$id") {
            Some(name) if draft_7 && name.starts_with('#') => {
                self.anchors.insert((base, name.get(1..).unwrap_or_default()), number);
            }
            Some(id) if !hidden => node.base = self.enter(id, base, &node.path)?,
            _ => {}
        }
        if !draft_7 {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = text(keyword) {
                    self.anchors.insert((node.base, name), number);
                }
            }
            if let Some(name) = text("$dynamicAnchor") {
                self.dynamic.entry(name).or_default().insert(number);
            }
            node.refers.extend(text("$dynamicRef").map(|target| ("$dynamicRef", target)));
        }
        node.refers.extend(text("$ref").map(|target| ("$ref", target)));
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$defs" | "definitions", _) => drop(self.visit_map(keywords, keyword, &node, nesting)?),
                ("properties", _) => {
                    let members = self.visit_map(keywords, keyword, &node, nesting)?;
                    node.named.extend(members);
                }
                ("patternProperties", _) => {
                    let members = self.visit_map(keywords, keyword, &node, nesting)?;
                    node.parts.extend(members);
                }
                ("dependentSchemas" | "dependencies", _) => {
                    let members = self.visit_map(keywords, keyword, &node, nesting)?;
                    node.same.extend(members);
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(list)) => {
                    for (place, schema) in list.iter().enumerate() {
                        let path = format!("{}/{keyword}/{place}", node.path);
                        let entry = self.visit(schema, path, node.base, nesting + 1)?;
                        if matches!(keyword.as_str(), "prefixItems" | "items") {
                            node.named.push(entry);
                        } else {
                            node.same.push(entry);
                        }
                    }
                }
                (keyword, value) => {
                    if let Some(place) = schema_keyword(keyword) {
                        let path = format!("{}/{keyword}", node.path);
                        let entry = self.visit(value, path, node.base, nesting + 1)?;
                        match place {
                            Place::Same => node.same.push(entry),
                            Place::Parts => node.parts.push(entry),
                        }
                    }
                }
            }
        }
        if hidden {
            (node.same, node.parts, node.named) = (Vec::new(), Vec::new(), Vec::new());
        }
        if let Some(kept) = self.nodes.get_mut(number) {
            *kept = node;
        }
        Ok(number)
    }
    /// Enters the schemas that are the members of a keyword.
    fn visit_map(
        &mut self,
        keywords: &'s Map<String, Value>,
        keyword: &str,
        node: &Node<'s>,
        nesting: usize,
    ) -> Result<Vec<usize>, SchemaError> {
        let mut entries = Vec::new();
        let members = keywords.get(keyword).and_then(Value::as_object);
        for (name, schema) in members.into_iter().flatten() {
            // The other kind of dependency is a list of names.
            if schema.is_object() || schema.is_boolean() {
                let path = format!("{}/{keyword}/{}", node.path, escape(name));
                entries.push(self.visit(schema, path, node.base, nesting + 1)?);
            }
        }
        Ok(entries)
    }
    /// Enters a schema's own URI.
    fn enter(&mut self, id: &str, base: usize, path: &str) -> Result<usize, SchemaError> {
        let at = || format!("{path}/$id");
        let (own, _) = self.absolute(base, id).map_err(|error| SchemaError::new(&at(), error))?;
        if path.is_empty() {
            self.bases = vec![(own, String::new())];
            return Ok(0);
        }
        if self.bases.iter().any(|(known, _)| *known == own) {
            return Err(SchemaError::new(&at(), format!("`{id}` is there twice")));
        }
        self.bases.push((own, String::from(path)));
        Ok(self.bases.len() - 1)
    }
    /// A reference made absolute, and its fragment.
    fn absolute(&self, base: usize, reference: &str) -> Result<(Uri<String>, String), String> {
        let base = self.bases.get(base).map_or_else(|| uri::from_str(NO_BASE), |(base, _)| Ok(base.clone()));
        let whole = base
            .and_then(|base| uri::resolve_against(&base.borrow(), reference))
            .map_err(|_| format!("`{reference}` is no URI reference"))?;
        let fragment = whole.fragment().map_or("", |fragment| fragment.as_str());
        let fragment = percent_decoded(fragment).into_owned();
        Ok((whole.strip_fragment().to_owned(), fragment))
    }
    /// The schema that a reference leads to.
    fn resolve(&mut self, base: usize, reference: &str) -> Result<usize, String> {
        let (document, fragment) = self.absolute(base, reference)?;
        let Some(at) = self.bases.iter().position(|(known, _)| *known == document) else {
            return Err(format!(
                "`{reference}` is not in this schema, and nothing is fetched: put what it names under `$defs`"
            ));
        };
        let nowhere = || format!("`{reference}` leads nowhere");
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.anchors.get(&(at, &*fragment)).copied().ok_or_else(nowhere);
        }
        let path = self.bases.get(at).map(|(_, path)| format!("{path}{fragment}")).unwrap_or_default();
        if let Some(known) = self.by_path.get(&path) {
            return Ok(*known);
        }
        let schema = self.root.pointer(&path).ok_or_else(nowhere)?;
        let nesting = path.matches('/').count();
        self.visit(schema, path, at, nesting).map_err(|error| format!("{error}"))
    }

    /// All schemas, each after those that it applies to the same value.
    fn inside_out(&self) -> Result<Vec<usize>, SchemaError> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Entered,
            Done,
        }
        let mut states = vec![State::New; self.nodes.len()];
        let mut order = Vec::new();
        for start in 0..self.nodes.len() {
            let mut way = vec![start];
            while let Some(at) = way.last().copied() {
                let (Some(state), Some(node)) = (states.get_mut(at), self.nodes.get(at)) else { break };
                match *state {
                    State::New => {
                        *state = State::Entered;
                        for next in &node.same {
                            if states.get(*next) == Some(&State::Entered) {
                                let reason = "leads back to itself without an end";
                                return Err(SchemaError::new(&node.path, reason));
                            }
                            way.push(*next);
                        }
                    }
                    State::Entered => {
                        *state = State::Done;
                        order.push(at);
                        way.pop();
                    }
                    State::Done => drop(way.pop()),
                }
            }
        }
        Ok(order)
    }

    /// What a check costs, for values of 0, 1, 2… levels of nesting, up to `depth`; beyond the last one it stays the
    /// same.
    pub(super) fn costs(&self, depth: usize) -> Result<Vec<Cost>, SchemaError> {
        const NONE: Cost = Cost { visits: 0, levels: 0 };
        let order = self.inside_out()?;
        let mut costs = Vec::new();
        let mut before = vec![NONE; self.nodes.len()];
        for level in 0..=depth {
            let mut now = vec![NONE; self.nodes.len()];
            for &at in &order {
                let Some(node) = self.nodes.get(at) else { continue };
                let cost = |costs: &[Cost], at: &usize| costs.get(*at).copied().unwrap_or(NONE);
                let mut sum = Cost { visits: 1, levels: 0 };
                let same = node.same.iter().map(|at| cost(&now, at));
                let parts = node.parts.iter().map(|at| cost(&before, at));
                let named = node.named.iter().map(|at| cost(&before, at));
                let named = named.reduce(|one, other| Cost {
                    visits: one.visits.max(other.visits),
                    levels: one.levels.max(other.levels),
                });
                for cost in same.chain(parts).chain(named) {
                    sum.visits = sum.visits.saturating_add(cost.visits);
                    sum.levels = sum.levels.max(cost.levels);
                }
                if level == 0 && (sum.visits > VISITS || sum.levels >= IN_A_ROW) {
                    let reason = format!(
                        "holds more than {VISITS} subschemas against one value, or {IN_A_ROW} in a row"
                    );
                    return Err(SchemaError::new(&node.path, reason));
                }
                if let Some(place) = now.get_mut(at) {
                    *place = Cost { visits: sum.visits, levels: sum.levels + 1 };
                }
            }
            costs.extend(now.first());
            if now == before {
                break;
            }
            before = now;
        }
        Ok(costs)
    }
}

/// A name as a part of a JSON pointer.
fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

/// A fragment with its escapes resolved; as it is, if these are no UTF-8.
fn percent_decoded(text: &str) -> Cow<'_, str> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (bytes, mut decoded, mut at) = (text.as_bytes(), Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let escaped = (*byte == b'%').then(|| (digit(bytes.get(at + 1)), digit(bytes.get(at + 2))));
        if let Some((Some(high), Some(low))) = escaped {
            decoded.extend(u8::try_from(high * 16 + low));
            at += 3;
        } else {
            decoded.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned)
}
