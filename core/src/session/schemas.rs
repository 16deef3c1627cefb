//! What the schemas of a tool say of its calls and their results.
use alloc::{boxed::Box, format, string::String};

#[cfg(feature = "schema")]
use crate::schema::Validator;
use crate::{error::Violations, json::Json};

/// A build without the feature has none: the layer above checks.
#[cfg(not(feature = "schema"))]
#[derive(Debug)]
enum Validator {}

#[cfg(not(feature = "schema"))]
impl Validator {
    fn check(&self, _: Json<'_>) -> Result<(), Violations> {
        match *self {}
    }
    fn check_result(&self, _: Json<'_>) -> Result<(), Violations> {
        match *self {}
    }
}

#[cfg(not(feature = "schema"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn compile(_: Json<'_>, _: &str) -> Result<Option<Box<Validator>>, (String, String)> {
    Ok(None)
}

#[cfg(feature = "schema")]
fn compile(tool: Json<'_>, member: &str) -> Result<Option<Box<Validator>>, (String, String)> {
    let compiled = tool.member(member).map(Validator::compile).transpose();
    compiled
        .map(|validator| validator.map(Box::new))
        .map_err(|error| (format!("{member}{}", error.path), error.reason))
}

/// The compiled schemas of one tool.
#[derive(Debug)]
pub(crate) struct ToolSchemas {
    input: Option<Box<Validator>>,
    output: Option<Box<Validator>>,
}

impl ToolSchemas {
    /// Fails with the place in the definition and the reason.
    pub(crate) fn compile(tool: Json<'_>) -> Result<Self, (String, String)> {
        Ok(Self { input: compile(tool, "inputSchema")?, output: compile(tool, "outputSchema")? })
    }
    /// Whether the layer above has to check.
    pub(crate) fn unchecked(&self) -> bool {
        self.input.is_none()
    }
    /// What does not fit in the arguments of a call, for the model; absent ones are empty.
    pub(crate) fn misfit(&self, arguments: Option<Json<'_>>) -> Option<String> {
        let checked = self.input.as_ref()?.check(arguments.unwrap_or(Json::EMPTY_OBJECT));
        checked.err().map(|violations| format!("{}", violations.under("arguments")))
    }
    /// Whether there is anything to check in a result.
    pub(crate) fn has_output(&self) -> bool {
        self.output.is_some()
    }
    /// What does not fit in a result.
    pub(crate) fn check_result(&self, result: Json<'_>) -> Result<(), Violations> {
        self.output.as_ref().map_or(Ok(()), |output| output.check_result(result))
    }
}
