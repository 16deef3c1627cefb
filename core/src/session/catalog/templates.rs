//! Which template describes a URI.
use alloc::string::String;

use super::{Catalog, Template, View};
use crate::{event::TemplateMatch, jsonrpc::write, uri::Value};

impl Catalog {
    /// The most specific template that matches a URI, of equals the first.
    pub(crate) fn matching(&self, uri: &str, view: View) -> Option<TemplateMatch> {
        let mut best: Option<(&Template, _)> = None;
        for (_, entry) in self.templates.iter().flat_map(|list| list.iter(view)) {
            if best.as_ref().is_none_or(|(best, _)| best.specificity < entry.specificity)
                && let Some(variables) = entry.template.matches(uri)
            {
                best = Some((entry, variables));
            }
        }
        let (entry, variables) = best?;
        Some(TemplateMatch { template: entry.template.as_str().into(), variables: object(&variables).into() })
    }
    /// Whether the template that this text is, or that describes the URI that it is, has a variable of this name; `None`
    /// if there is no such template and no such resource.
    pub(crate) fn template_has(&self, text: &str, variable: &str, view: View) -> Option<bool> {
        let exact = self.templates.as_ref().and_then(|list| list.find(text, view));
        if let Some(entry) = exact {
            return Some(entry.template.variables().any(|name| name == variable));
        }
        match self.matching(text, view) {
            Some(found) => {
                let entry = self.templates.as_ref().and_then(|list| list.find(&found.template, view))?;
                Some(entry.template.variables().any(|name| name == variable))
            }
            // A resource has nothing to complete.
            None => self.has_resource(text, view).then_some(false),
        }
    }
}

/// `{"name":"text","list":["a","b"],"pairs":{"k":"v"}}`
fn object(variables: &[(&str, Value<'_>)]) -> String {
    let mut out = String::from("{");
    for (name, value) in variables {
        member(&mut out, name);
        match value {
            Value::Text(text) => write::string(&mut out, text),
            Value::List(items) => {
                out.push('[');
                for item in items {
                    if !out.ends_with('[') {
                        out.push(',');
                    }
                    write::string(&mut out, item);
                }
                out.push(']');
            }
            Value::Pairs(pairs) => {
                out.push('{');
                for (place, (name, value)) in pairs.iter().enumerate() {
                    // Of a name that is there twice the first counts.
                    if pairs.iter().take(place).all(|(other, _)| other != name) {
                        member(&mut out, name);
                        write::string(&mut out, value);
                    }
                }
                out.push('}');
            }
        }
    }
    out.push('}');
    out
}

fn member(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    write::string(out, name);
    out.push(':');
}
