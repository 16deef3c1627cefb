//! Extensions of the protocol, which count when both sides declare them: `basic/versioning` of 2026-07-28.
use alloc::{boxed::Box, format, vec::Vec};

use crate::{error::ConfigError, json::Json, method::EXTENSIONS};

/// The kinds of results that extensions define beyond those that the table of methods knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResultTypes(Vec<(Box<str>, Box<str>)>);

impl ResultTypes {
    pub(crate) fn add(&mut self, extension: &str, result_types: &[&str]) -> Result<(), ConfigError> {
        for result_type in result_types {
            if matches!(*result_type, "complete" | "input_required" | "") {
                let reason = format!("`{result_type}` of `{extension}` is a kind of the protocol itself");
                return Err(ConfigError::new("result_types", reason));
            }
            self.0.push((extension.into(), (*result_type).into()));
        }
        Ok(())
    }
    /// Each extension with a kind of result that it defines.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let official = EXTENSIONS
            .iter()
            .flat_map(|extension| extension.result_types.iter().map(|kind| (extension.name, *kind)));
        official.chain(self.0.iter().map(|(extension, kind)| (&**extension, &**kind)))
    }
}

/// Whether a capabilities object has this extension.
pub(crate) fn declares_extension(capabilities: Json<'_>, name: &str) -> bool {
    let extensions = capabilities.member("extensions");
    extensions.and_then(|extensions| extensions.member(name)).is_some_and(Json::is_object)
}
