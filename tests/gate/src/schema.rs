//! The schemas of the protocol, and which of their definitions a message has to fit.
use std::{
    collections::HashMap,
    env, fs,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jsonschema::Validator;
use mcp_sansio::{
    method::{MethodKind, Side},
    revision::Revision,
};
use serde_json::{Map, Value};

use crate::{counts::say, released};

/// One `schema.json`.
pub(crate) struct Schema {
    /// `definitions` or `$defs`.
    keyword: &'static str,
    whole: Map<String, Value>,
    /// By the union that it is in and its method, the definition of a message.
    messages: HashMap<(&'static str, String), String>,
    /// The codes that have an error of their own.
    errors: HashMap<i64, String>,
    /// The envelope of a result.
    pub(crate) response: &'static str,
    error: &'static str,
    pub(crate) errors_need_an_id: bool,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

type Schemas = HashMap<Revision, Schema>;

/// All of them; `None` if there are said to be none.
pub(crate) fn schemas() -> Option<&'static Schemas> {
    static SCHEMAS: OnceLock<Option<Schemas>> = OnceLock::new();
    SCHEMAS.get_or_init(read_all).as_ref()
}

/// That of a revision; the made-up one has none.
pub(crate) fn schema(revision: Revision) -> Option<&'static Schema> {
    schemas()?.get(&revision)
}

fn read_all() -> Option<Schemas> {
    let named = env::var("MCP_SPEC_DIR").unwrap_or_else(|_| "none".into());
    if named == "none" {
        say("MCP_SPEC_DIR names no folder: messages were NOT checked against the schemas");
        return None;
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(named);
    let read = |revision: Revision| {
        let path = folder.join(revision.name()).join("schema.json");
        let text = fs::read(&path).unwrap_or_else(|error| {
            panic!(
                "{}: {error}; set MCP_SPEC_DIR to the folder of the protocol's schemas, or to `none`",
                path.display()
            )
        });
        (revision, Schema::new(serde_json::from_slice(&text).expect("a schema is an object")))
    };
    Some(released().map(read).collect())
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

impl Schema {
    fn new(whole: Map<String, Value>) -> Self {
        let keyword = if whole.contains_key("$defs") { "$defs" } else { "definitions" };
        let definitions = whole[keyword].as_object().expect("a schema has definitions");
        let has = |name| definitions.contains_key(name);
        let mut messages = HashMap::new();
        for union in ["ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"] {
            let Some(members) = definitions.get(union) else { continue };
            let alternatives = members["anyOf"].as_array();
            let names = alternatives.into_iter().flatten().filter_map(reference).chain(reference(members));
            let names: Vec<&str> = names.collect();
            // A union of one is that one's definition.
            let names = if names.is_empty() { vec![union] } else { names };
            for name in names {
                let method = definitions[name]["properties"]["method"]["const"].as_str();
                messages.insert((union, method.expect("a message has a method").into()), name.into());
            }
        }
        let code = |definition: &Value| {
            let parts = definition["properties"]["error"]["allOf"].as_array()?;
            parts.iter().find_map(|part| part["properties"]["code"]["const"].as_i64())
        };
        let errors =
            definitions.iter().filter_map(|(name, definition)| Some((code(definition)?, name.clone())));
        let errors = errors.collect();
        let pick = |new, old| if has(new) { new } else { old };
        let error = pick("JSONRPCErrorResponse", "JSONRPCError");
        let required = definitions[error]["required"].as_array().expect("an envelope requires members");
        Self {
            messages,
            errors,
            response: pick("JSONRPCResultResponse", "JSONRPCResponse"),
            error,
            errors_need_an_id: required.iter().any(|member| member == "id"),
            keyword,
            whole,
            validators: Mutex::default(),
        }
    }

    fn definition(&self, name: &str) -> Option<&Value> {
        self.whole.get(self.keyword)?.get(name)
    }

    /// The definition of a message of this method.
    pub(crate) fn message(&self, kind: MethodKind, sender: Side, method: &str) -> Option<&str> {
        let union = match (sender, kind) {
            (Side::Client, MethodKind::Request) => "ClientRequest",
            (Side::Server, MethodKind::Request) => "ServerRequest",
            (Side::Client, MethodKind::Notification) => "ClientNotification",
            (Side::Server, MethodKind::Notification) => "ServerNotification",
        };
        self.messages.get(&(union, method.to_owned())).map(String::as_str)
    }

    /// The definition of this result of a request of this method, from either side.
    pub(crate) fn result(&self, method: &str, task: bool, result: &Value) -> Option<String> {
        let sent = |side| self.message(MethodKind::Request, side, method);
        let request = sent(Side::Client).or_else(|| sent(Side::Server))?;
        let stem = request.strip_suffix("Request").expect("the types of requests are named so");
        let own = format!("{stem}Result");
        match result["resultType"].as_str().filter(|_| self.definition("InputRequiredResult").is_some()) {
            Some("input_required") => self.may_ask(stem).then(|| "InputRequiredResult".into()),
            // A receiver that takes no tasks answers as if none had been asked for.
            Some("complete") | None
                if task && result.get("task").is_some() && self.definition("CreateTaskResult").is_some() =>
            {
                Some("CreateTaskResult".into())
            }
            Some("complete") | None => {
                Some(if self.definition(&own).is_some() { own } else { "EmptyResult".into() })
            }
            Some(_) => None,
        }
    }

    fn may_ask(&self, stem: &str) -> bool {
        let response = self.definition(&format!("{stem}ResultResponse"));
        let result = response.map(|response| &response["properties"]["result"]["anyOf"]);
        let alternatives = result.and_then(Value::as_array).into_iter().flatten();
        alternatives.filter_map(reference).any(|name| name == "InputRequiredResult")
    }

    /// Whether an error fits, as any and as one of its code.
    pub(crate) fn check_error(&self, message: &Value) -> Result<(), String> {
        self.check(self.error, message)?;
        let own = message["error"]["code"].as_i64().and_then(|code| self.errors.get(&code));
        own.map_or(Ok(()), |own| self.check(own, message))
    }

    /// Whether a value fits a definition. `Err` says where it does not.
    pub(crate) fn check(&self, definition: &str, value: &Value) -> Result<(), String> {
        let validator = self.validator(definition);
        match validator.validate(value) {
            Ok(()) => Ok(()),
            Err(error) => Err(format!("no {definition}: {error} at `{}`", error.instance_path())),
        }
    }

    fn validator(&self, definition: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let made = validators.entry(definition.to_owned()).or_insert_with(|| {
            let mut whole = self.whole.clone();
            whole.insert("$ref".into(), format!("#/{}/{definition}", self.keyword).into());
            let validator = jsonschema::validator_for(&whole.into());
            Arc::new(validator.unwrap_or_else(|error| panic!("the schema of {definition}: {error}")))
        });
        Arc::clone(made)
    }
}
