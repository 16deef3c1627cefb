//! The typed payloads against the schemas and the examples that the protocol publishes: see `spec`.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]
mod spec;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use mcp_sansio::{
    json::Json,
    model::{self, Model},
    revision::{Revision, RevisionSet},
};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};
use spec::reference;

/// What a value is written as, and what of it is unknown.
type Trip = fn(&'static str) -> Result<(String, Vec<String>), model::Misfit>;

fn trip<T: Model<'static>>(text: &'static str) -> Result<(String, Vec<String>), model::Misfit> {
    let value = T::read(Json::parse(text.as_bytes()).expect("what is tried is JSON"))?;
    let unknown = value.unknown();
    let written = value.to_json();
    assert_eq!(value.into_owned().to_json(), written, "a copy is the same");
    Ok((written, unknown))
}

macro_rules! types {
    ($($name:ident $(= $of:ty)?,)*) => {
        &[$( (stringify!($name), types!(@ $name $($of)?)), )*]
    };
    (@ $name:ident) => { trip::<model::$name<'static>> as Trip };
    (@ $name:ident $of:ty) => { trip::<$of> as Trip };
}

/// The type for each definition, by its name.
const TYPES: &[(&str, Trip)] = types![
    Annotated,
    Annotations,
    AudioContent,
    BaseMetadata,
    BlobResourceContents,
    BooleanSchema,
    CacheableResult,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    CallToolResultResponse,
    CancelTaskRequest,
    CancelTaskResult,
    CancelledNotification,
    CancelledNotificationParams,
    ClientCapabilities,
    ClientNotification,
    ClientRequest,
    CompleteRequest,
    CompleteRequestParams,
    CompleteResult,
    CompleteResultResponse,
    ContentBlock,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateTaskResult,
    Cursor,
    DiscoverRequest,
    DiscoverResult,
    DiscoverResultResponse,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    ElicitationCompleteNotification,
    EmbeddedResource,
    EmptyResult,
    EnumSchema,
    Error,
    GetPromptRequest,
    GetPromptRequestParams,
    GetPromptResult,
    GetPromptResultResponse,
    GetTaskPayloadRequest,
    GetTaskPayloadResult,
    GetTaskRequest,
    GetTaskResult,
    HeaderMismatchError,
    Icon,
    Icons,
    ImageContent,
    Implementation,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
    InitializedNotification,
    InputRequest,
    InputRequests,
    InputRequiredResult,
    InputResponse,
    InputResponseRequestParams,
    InputResponses,
    InternalError,
    InvalidParamsError,
    InvalidRequestError,
    JSONArray = Vec<model::Raw<'static>>,
    JSONObject = model::Object<'static>,
    JSONRPCBatchRequest,
    JSONRPCBatchResponse,
    JSONRPCError,
    JSONRPCErrorResponse,
    JSONRPCMessage = model::OneOrMany<model::JSONRPCMessage<'static>>,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    JSONRPCResultResponse,
    JSONValue = model::Raw<'static>,
    LegacyTitledEnumSchema,
    ListPromptsRequest,
    ListPromptsResult,
    ListPromptsResultResponse,
    ListResourceTemplatesRequest,
    ListResourceTemplatesResult,
    ListResourceTemplatesResultResponse,
    ListResourcesRequest,
    ListResourcesResult,
    ListResourcesResultResponse,
    ListRootsRequest,
    ListRootsResult,
    ListTasksRequest,
    ListTasksResult,
    ListToolsRequest,
    ListToolsResult,
    ListToolsResultResponse,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    MetaObject,
    MethodNotFoundError,
    MissingRequiredClientCapabilityError,
    ModelHint,
    ModelPreferences,
    MultiSelectEnumSchema,
    Notification = model::JSONRPCNotification<'static>,
    NotificationMetaObject,
    NotificationParams,
    NumberSchema,
    PaginatedRequest,
    PaginatedRequestParams,
    PaginatedResult,
    ParseError,
    PingRequest,
    PrimitiveSchemaDefinition,
    ProgressNotification,
    ProgressNotificationParams,
    ProgressToken,
    Prompt,
    PromptArgument,
    PromptListChangedNotification,
    PromptMessage,
    PromptReference,
    ReadResourceRequest,
    ReadResourceRequestParams,
    ReadResourceResult,
    ReadResourceResultResponse,
    RelatedTaskMetadata,
    Request = model::JSONRPCRequest<'static>,
    RequestId,
    RequestMetaObject,
    RequestParams,
    Resource,
    ResourceContents,
    ResourceLink,
    ResourceListChangedNotification,
    ResourceReference,
    ResourceRequestParams,
    ResourceTemplate,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    Result = model::EmptyResult<'static>,
    ResultMetaObject,
    ResultType,
    Role,
    Root,
    RootsListChangedNotification,
    SamplingMessage,
    SamplingMessageContentBlock,
    ServerCapabilities,
    ServerNotification,
    ServerRequest,
    SetLevelRequest,
    SetLevelRequestParams,
    SingleSelectEnumSchema,
    StringSchema,
    SubscribeRequest,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequest,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    SubscriptionsListenResultMetaObject,
    SubscriptionsListenResultResponse,
    Task,
    TaskAugmentedRequestParams,
    TaskMetadata,
    TaskStatus,
    TaskStatusNotification,
    TaskStatusNotificationParams,
    TextContent,
    TextResourceContents,
    TitledMultiSelectEnumSchema,
    TitledSingleSelectEnumSchema,
    Tool,
    ToolAnnotations,
    ToolChoice,
    ToolExecution,
    ToolListChangedNotification,
    ToolResultContent,
    ToolUseContent,
    URLElicitationRequiredError,
    UnsubscribeRequest,
    UnsubscribeRequestParams,
    UnsupportedProtocolVersionError,
    UntitledMultiSelectEnumSchema,
    UntitledSingleSelectEnumSchema,
];

/// Results of any method: nothing in one says of which, so that it is read as the result of the request. They are unions
/// of definitions that have their types.
const ANY_RESULT: [&str; 2] = ["ClientResult", "ServerResult"];

fn type_of(name: &str) -> Trip {
    TYPES.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no type for `{name}`")).1
}

/// JSON without spaces and with sorted keys, so that equal values are equal texts; numbers keep theirs.
fn canonical(text: &str) -> String {
    let text = text.trim();
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).expect("an object");
            let members = members.iter().map(|(key, raw)| format!("{key:?}:{}", canonical(raw.get())));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).expect("an array");
            let elements: Vec<_> = elements.iter().map(|raw| canonical(raw.get())).collect();
            format!("[{}]", elements.join(","))
        }
        Some(b'"') => format!("{:?}", serde_json::from_str::<String>(text).expect("a string")),
        _ => text.into(),
    }
}

/// Keys of members that a schema allows without naming them.
const FREE: &str = "free";

/// What is wrong with a value of the type for `name`, which knows all of it.
fn misfit(name: &str, text: String) -> Option<String> {
    // As long as the test, which is short.
    let text: &'static str = Box::leak(text.into_boxed_str());
    let named = |path: &String| !path.rsplit('.').next().is_some_and(|key| key.starts_with(FREE));
    match type_of(name)(text) {
        Err(error) => Some(format!("{error} in {text}")),
        Ok((_, unknown)) if unknown.iter().any(named) => Some(format!("{unknown:?} unknown in {text}")),
        Ok((written, _)) if canonical(&written) != canonical(text) => {
            Some(format!("{text} became {written}"))
        }
        Ok(_) => None,
    }
}

/// Values for schemas.
struct Maker<'s> {
    definitions: &'s Value,
    /// Inside of another definition, whose own values are enough to have each of its words and alternatives once.
    inner: bool,
}

impl<'s> Maker<'s> {
    fn new(definitions: &'s Value) -> Self {
        Self { definitions, inner: false }
    }

    /// So many values that each property, each alternative and each word is in one of them, all as JSON text; the last
    /// one of an object has what is required alone.
    fn of(&self, name: &str) -> Vec<String> {
        match name {
            // These contain themselves.
            "JSONValue" => any(),
            "JSONObject" => vec![r#"{"z":1.50,"a":[null]}"#.into()],
            "JSONArray" => vec!["[1.50,null]".into()],
            "ResultType" => vec![r#""complete""#.into()],
            _ => self.values(&self.definitions[name]),
        }
    }

    fn values(&self, schema: &Value) -> Vec<String> {
        if let Some(name) = reference(schema) {
            return Maker { definitions: self.definitions, inner: true }.of(name);
        }
        if let Some(parts) = schema["anyOf"].as_array() {
            return parts.iter().flat_map(|part| self.values(part)).collect();
        }
        if let Some(value) = schema.get("const") {
            return vec![value.to_string()];
        }
        if let Some(words) = schema["enum"].as_array() {
            return words.iter().map(Value::to_string).collect();
        }
        let whole = self.merged(schema);
        let kinds = match &whole["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            Value::String(kind) => vec![kind.as_str()],
            _ if whole.get("properties").is_some() => vec!["object"],
            _ => return any(),
        };
        kinds.into_iter().flat_map(|kind| self.of_kind(kind, &whole)).collect()
    }

    fn of_kind(&self, kind: &str, schema: &Value) -> Vec<String> {
        match kind {
            "string" => vec![r#""a b""#.into()],
            "integer" => vec!["7".into()],
            "number" => vec!["0.50".into()],
            "boolean" => vec!["true".into(), "false".into()],
            "null" => vec!["null".into()],
            "array" => vec![format!("[{}]", self.values(&schema["items"]).join(",")), "[]".into()],
            "object" => self.objects(schema),
            other => panic!("no values of the type `{other}`"),
        }
    }

    fn objects(&self, schema: &Value) -> Vec<String> {
        let none = serde_json::Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        if properties.is_empty() {
            let (key, entries) = match &schema["additionalProperties"] {
                entries @ Value::Object(typed) if !typed.is_empty() => ("key", self.values(entries)),
                _ => (FREE, any()),
            };
            let entries: Vec<_> =
                entries.iter().enumerate().map(|(n, value)| format!("\"{key}{n}\":{value}")).collect();
            return vec![format!("{{{}}}", entries.join(","))];
        }
        let required: BTreeSet<_> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        // Words that the schemas tell in prose alone.
        let word = |key: &str| match key {
            "resultType" if properties.contains_key("inputRequests") => Some("input_required"),
            "resultType" => Some("complete"),
            "stopReason" => Some("endTurn"),
            _ => None,
        };
        let values = |key: &str, schema| {
            word(key).map_or_else(|| self.values(schema), |word| vec![format!("\"{word}\"")])
        };
        let values: Vec<_> = properties.iter().map(|(key, schema)| (key, values(key, schema))).collect();
        let most =
            if self.inner { 1 } else { values.iter().map(|(_, values)| values.len()).max().unwrap_or(0) };
        let object = |n: usize, minimal: bool| {
            let members: Vec<_> = values
                .iter()
                .filter(|(key, _)| !minimal || required.contains(key.as_str()))
                .map(|(key, values)| format!("{key:?}:{}", values[n % values.len()]))
                .collect();
            format!("{{{}}}", members.join(","))
        };
        (0..most).map(|n| object(n, false)).chain([object(0, true)]).collect()
    }

    /// An object that is made of parts, in one. A later part is more particular.
    fn merged(&self, schema: &Value) -> Value {
        let Some(parts) = schema["allOf"].as_array() else { return schema.clone() };
        let mut whole = json!({"type": "object", "properties": {}, "required": []});
        for part in parts {
            let part = match reference(part) {
                Some(name) => self.merged(&self.definitions[name]),
                None => part.clone(),
            };
            for (key, property) in part["properties"].as_object().into_iter().flatten() {
                whole["properties"][key] = property.clone();
            }
            let required = part["required"].as_array().cloned().unwrap_or_default();
            whole["required"].as_array_mut().expect("made above").extend(required);
        }
        whole
    }
}

fn any() -> Vec<String> {
    vec![r#"{"z":1.50,"a":[null]}"#.into(), "12345678901234567890.0".into(), r#"["a b"]"#.into()]
}

/// The definitions of each revision that has a schema.
fn schemas() -> impl Iterator<Item = (Revision, Value)> {
    let released = RevisionSet::range(Revision::V2024_11_05, Revision::V2026_07_28);
    Revision::all()
        .filter(move |revision| released.contains(*revision))
        .map_while(|revision| Some((revision, spec::definitions(revision.name())?)))
}

#[test]
fn each_definition_has_a_type_that_knows_all_of_it() {
    for (revision, definitions) in schemas() {
        let maker = Maker::new(&definitions);
        let names = definitions.as_object().expect("definitions are an object").keys();
        let mut misfits = Vec::new();
        for name in names.filter(|name| !ANY_RESULT.contains(&name.as_str())) {
            let values = maker.of(name);
            assert!(!values.is_empty(), "{name}");
            misfits.extend(
                values.into_iter().find_map(|value| misfit(name, value)).map(|misfit| (name, misfit)),
            );
        }
        assert!(misfits.is_empty(), "{}: {misfits:#?}", revision.name());
    }
}

/// The test above finds a member that a type lacks, wherever the schema has one.
#[test]
fn a_member_without_a_field_is_found() {
    for (_, mut definitions) in schemas() {
        let names: Vec<String> = definitions.as_object().expect("an object").keys().cloned().collect();
        for name in &names {
            let definition = &mut definitions[name];
            let free = definition.get("additionalProperties").is_some();
            if !free && let Some(properties) = definition["properties"].as_object_mut() {
                properties.insert("added".into(), json!({"type": "string"}));
            }
        }
        let maker = Maker::new(&definitions);
        let mut found = 0;
        for name in names.iter().filter(|name| definitions[name]["properties"].get("added").is_some()) {
            let values = maker.of(name);
            let misfit = values.into_iter().find_map(|value| misfit(name, value));
            assert!(misfit.is_some_and(|misfit| misfit.contains("added")), "{name}");
            found += 1;
        }
        assert!(found > 50);
    }
}

#[test]
fn each_type_is_of_a_definition() {
    let mut defined = BTreeSet::new();
    for (_, definitions) in schemas() {
        defined.extend(definitions.as_object().expect("an object").keys().cloned());
    }
    if !defined.is_empty() {
        let invented: Vec<_> =
            TYPES.iter().map(|(name, _)| *name).filter(|name| !defined.contains(*name)).collect();
        assert_eq!(invented, [""; 0]);
    }
}

/// The folder of an example names its type.
#[test]
fn the_published_examples_come_back_as_they_were() {
    let Some(folder) = spec::folder() else { return };
    let entries = |path| fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut read = 0;
    for folder in entries(folder.join(Revision::V2026_07_28.name()).join("examples")) {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        for file in entries(folder) {
            let text = fs::read_to_string(&file).expect("an example");
            assert_eq!(misfit(&name, text), None, "{}", file.display());
            read += 1;
        }
    }
    assert!(read > 50, "{read} examples");
}

#[test]
fn canonical_texts_are_equal_for_equal_values_alone() {
    let same = |a: &str, b: &str| canonical(a) == canonical(b);
    assert!(same(r#"{"a":1,"b":["é"]}"#, r#" { "b" : [ "\u00e9" ], "a":1 } "#));
    assert!(!same("1.0", "1"));
    assert!(!same(r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#));
    assert!(!same(r#"{"a":null}"#, "{}"));
    assert_eq!(canonical(to_raw_value(&json!({"b": 1, "a": 2})).expect("JSON").get()), r#"{"a":2,"b":1}"#);
}
