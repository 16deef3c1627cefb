//! Who is told of changes: the one legacy session, and the `subscriptions/listen` streams of the modern era.
use alloc::string::String;

use crate::json::Json;

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
}

/// Everything that can change as a whole.
pub(crate) const CHANGES: [Change; 3] = [Change::Tools, Change::Prompts, Change::Resources];

impl Change {
    /// The notice that says so.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
        }
    }
    /// The capability under which it is said.
    pub(crate) const fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools.listChanged",
            Self::Prompts => "prompts.listChanged",
            Self::Resources => "resources.listChanged",
        }
    }
    /// The member of a filter that asks for it: `basic/patterns/subscriptions`.
    const fn filter(self) -> &'static str {
        match self {
            Self::Tools => "toolsListChanged",
            Self::Prompts => "promptsListChanged",
            Self::Resources => "resourcesListChanged",
        }
    }
    const fn place(self) -> usize {
        self as usize
    }
}

/// Notices that were queued, by their place in the output, so that one that still waits is not queued again.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Notices([u64; CHANGES.len()]);

impl Notices {
    pub(crate) const NONE: Self = Self([0; CHANGES.len()]);

    pub(crate) fn order(&self, change: Change) -> u64 {
        self.0.get(change.place()).copied().unwrap_or_default()
    }
    pub(crate) fn queued(&mut self, change: Change, order: u64) {
        if let Some(place) = self.0.get_mut(change.place()) {
            *place = order;
        }
    }
}

/// What a stream is told of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Filter {
    wanted: [bool; CHANGES.len()],
    pub(crate) notices: Notices,
}

impl Filter {
    /// Of what a client asks, what this server says at all.
    pub(crate) fn accept(asked: Json<'_>, offered: impl Fn(Change) -> bool) -> Self {
        let mut filter = Self::default();
        for (change, wanted) in CHANGES.into_iter().zip(&mut filter.wanted) {
            *wanted =
                offered(change) && asked.member(change.filter()).is_some_and(|value| value.get() == "true");
        }
        filter
    }
    pub(crate) fn wants(&self, change: Change) -> bool {
        self.wanted.get(change.place()).copied().unwrap_or_default()
    }
    /// The members of the acknowledged filter.
    pub(crate) fn write(&self, out: &mut String) {
        out.push('{');
        for change in CHANGES.into_iter().filter(|change| self.wants(*change)) {
            let comma = if out.ends_with('{') { "" } else { "," };
            out.push_str(comma);
            out.push('"');
            out.push_str(change.filter());
            out.push_str("\":true");
        }
        out.push('}');
    }
}
