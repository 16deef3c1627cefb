//! What the schemas of a tool say of its calls and their results.
use alloc::string::String;
#[cfg(feature = "schema")]
use alloc::{boxed::Box, format};

#[cfg(feature = "schema")]
use crate::schema::Validator;
use crate::{
    error::{ConfigError, Violations},
    json::Json,
};

/// The compiled schemas of one tool.
#[cfg(feature = "schema")]
#[derive(Debug)]
pub(crate) struct ToolSchemas {
    input: Validator,
    output: Option<Box<Validator>>,
}

#[cfg(feature = "schema")]
impl ToolSchemas {
    /// A build that has it leaves no arguments unchecked.
    pub(crate) const UNCHECKED: bool = false;

    /// `field` names the tool in errors.
    pub(crate) fn compile(tool: Json<'_>, field: &str) -> Result<Self, ConfigError> {
        let schema = |member: &str| {
            let compiled = tool.member(member).map(Validator::compile).transpose();
            compiled
                .map_err(|error| ConfigError::new(format!("{field}.{member}{}", error.path), error.reason))
        };
        let Some(input) = schema("inputSchema")? else {
            return Err(ConfigError::new(field, "needs an `inputSchema`"));
        };
        Ok(Self { input, output: schema("outputSchema")?.map(Box::new) })
    }
    /// What does not fit in the arguments of a call, for the model; absent ones are empty.
    pub(crate) fn misfit(&self, arguments: Option<Json<'_>>) -> Option<String> {
        let arguments = arguments.unwrap_or(Json::EMPTY_OBJECT);
        self.input.check(arguments).err().map(|violations| format!("{}", violations.under("arguments")))
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

/// Nothing: the layer above checks.
#[cfg(not(feature = "schema"))]
#[derive(Debug)]
pub(crate) struct ToolSchemas;

#[cfg(not(feature = "schema"))]
impl ToolSchemas {
    pub(crate) const UNCHECKED: bool = true;

    pub(crate) fn compile(_: Json<'_>, _: &str) -> Result<Self, ConfigError> {
        Ok(Self)
    }
    pub(crate) fn misfit(&self, _: Option<Json<'_>>) -> Option<String> {
        None
    }
    pub(crate) fn has_output(&self) -> bool {
        false
    }
    pub(crate) fn check_result(&self, _: Json<'_>) -> Result<(), Violations> {
        Ok(())
    }
}
