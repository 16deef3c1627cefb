//! Extensions of the protocol, which count when both sides declare them: `basic/versioning` of 2026-07-28.
use alloc::{boxed::Box, format, vec::Vec};

use super::meta;
use crate::{
    error::ConfigError,
    json::{Json, unescape},
    method::EXTENSIONS,
};

/// The kinds of results that extensions define beyond those that the table of methods knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResultTypes(Vec<(Box<str>, Box<str>)>);

impl ResultTypes {
    pub(crate) fn add(&mut self, extension: &str, result_types: &[&str]) -> Result<(), ConfigError> {
        check_identifier("result_types", extension)?;
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

/// An extension is named by a key as of `_meta`, with a prefix.
fn check_identifier(field: &str, name: &str) -> Result<(), ConfigError> {
    let reason = match meta::prefix_of(name) {
        Ok(Some(_)) => return Ok(()),
        Ok(None) => "it has a prefix, as in `com.example/name`",
        Err(reason) => reason,
    };
    Err(ConfigError::new(field, format!("`{name}` is no identifier of an extension: {reason}")))
}

/// Whether what a capabilities object says of extensions is well-formed: to each identifier its settings, an object.
pub(crate) fn check_extensions(capabilities: Json<'_>) -> Result<(), ConfigError> {
    const FIELD: &str = "capabilities.extensions";
    let Some(extensions) = capabilities.member("extensions") else { return Ok(()) };
    if !extensions.is_object() {
        return Err(ConfigError::new(FIELD, "must be a JSON object"));
    }
    for (key, settings) in extensions.members() {
        let name = unescape(key).unwrap_or_default();
        check_identifier(FIELD, &name)?;
        if !settings.is_object() {
            let reason = format!("the settings of `{name}` must be a JSON object; `{{}}` if it has none");
            return Err(ConfigError::new(FIELD, reason));
        }
    }
    Ok(())
}

/// Whether a capabilities object has this extension.
pub(crate) fn declares_extension(capabilities: Json<'_>, name: &str) -> bool {
    let extensions = capabilities.member("extensions");
    extensions.and_then(|extensions| extensions.member(name)).is_some_and(Json::is_object)
}
