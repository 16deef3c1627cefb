//! Who sees an entry.
use alloc::{boxed::Box, format, vec::Vec};

use super::shape::Shape;
use crate::{error::ConfigError, revision::Revision};

/// The groups that a catalog names; each has a bit.
#[derive(Debug, Default)]
pub(super) struct Groups(Vec<Box<str>>);

/// Who sees an entry: groups, or everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Audience(u64);

/// What a session sees of a catalog in one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    granted: u64,
    revision: Revision,
}

impl Groups {
    /// One bit less than there are, so that no set of groups looks like everyone.
    const MOST: usize = 63;

    pub(super) fn audience(&mut self, names: Option<&[&str]>) -> Result<Audience, ConfigError> {
        let Some(names) = names else { return Ok(Audience::EVERYONE) };
        let mut bits = 0;
        for name in names {
            let place = self.0.iter().position(|known| **known == **name).unwrap_or_else(|| {
                self.0.push(Box::from(*name));
                self.0.len() - 1
            });
            if place >= Self::MOST {
                return Err(ConfigError::new("visible_to", format!("names more than {} groups", Self::MOST)));
            }
            bits |= 1 << place;
        }
        Ok(Audience(bits))
    }
}

impl Audience {
    pub(super) const EVERYONE: Self = Self(u64::MAX);
}

impl Groups {
    /// The names of the groups of an audience, in no order of their own; `None`: everyone.
    pub(super) fn names(&self, audience: Audience) -> Option<impl Iterator<Item = &str>> {
        let has = move |place: usize| audience.0 >> place & 1 != 0;
        let names = self.0.iter().enumerate().filter(move |(place, _)| has(*place));
        (audience != Audience::EVERYONE).then(|| names.map(|(_, name)| &**name))
    }
}

impl View {
    pub(super) fn new(known: &Groups, groups: &[Box<str>], revision: Revision) -> Self {
        let granted = (known.0.iter().enumerate())
            .filter(|(_, name)| groups.binary_search(name).is_ok())
            .fold(0, |granted, (place, _)| granted | 1 << place);
        Self { granted, revision }
    }
    pub(super) const fn shape(self) -> Shape {
        Shape::of(self.revision)
    }
    pub(super) const fn includes(self, audience: Audience) -> bool {
        audience.0 == u64::MAX || audience.0 & self.granted != 0
    }
}
