//! The tables against the schemas that the protocol publishes, both ways.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod spec;

use std::collections::BTreeSet;

use mcp_sansio::{
    method::{self, MethodKind, MethodRow, Side},
    revision::{Era, Revision, RevisionSet},
};
use serde_json::Value;
use spec::reference;

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Who sends it and how, its name, and the required members of its params.
type Message = (&'static str, String, BTreeSet<String>);

const CLIENT_REQUEST: &str = "request of the client";
const CLIENT_NOTIFICATION: &str = "notification of the client";
const SERVER_REQUEST: &str = "request of the server";
const SERVER_NOTIFICATION: &str = "notification of the server";
const QUESTION: &str = "question in a result";

/// The definitions of one `schema.json`.
struct Schema(Value);

impl Schema {
    /// `None` if there is said to be none.
    fn read(folder: &str) -> Option<Self> {
        spec::definitions(folder).map(Self)
    }

    fn has(&self, definition: &str) -> bool {
        self.0.get(definition).is_some()
    }

    fn definition(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or_else(|| panic!("the schema lacks `{name}`"))
    }

    fn target<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match reference(schema) {
            Some(name) => self.target(self.definition(name)),
            None => schema,
        }
    }

    fn parts<'a>(
        &'a self,
        schema: &'a Value,
        key: &str,
    ) -> impl DoubleEndedIterator<Item = &'a Value> + use<'a> {
        self.target(schema)[key].as_array().into_iter().flatten()
    }

    /// The property of this name, in whichever part of the schema it is: the last part is the most particular.
    fn property<'a>(&'a self, schema: &'a Value, name: &str) -> Option<&'a Value> {
        self.target(schema)["properties"].get(name).or_else(|| {
            let mut parts = self.parts(schema, "anyOf").chain(self.parts(schema, "allOf")).rev();
            parts.find_map(|part| self.property(part, name))
        })
    }

    /// The members that a value has, whichever alternative it is.
    fn required(&self, schema: &Value) -> BTreeSet<String> {
        let own = self.parts(schema, "required").filter_map(Value::as_str).map(String::from);
        let of_all = self.parts(schema, "allOf").flat_map(|part| self.required(part));
        let of_any = self
            .parts(schema, "anyOf")
            .map(|part| self.required(part))
            .reduce(|left, right| &left & &right)
            .unwrap_or_default();
        own.chain(of_all).chain(of_any).collect()
    }

    fn method<'a>(&'a self, message: &'a Value) -> Option<&'a str> {
        self.property(message, "method")?["const"].as_str()
    }

    fn message(&self, way: &'static str, message: &Value) -> Message {
        let method = self.method(message).expect("a message has a method");
        let params = self.property(message, "params").expect("a message declares its params");
        let mut required = self.required(params);
        required.remove("_meta");
        (way, method.into(), required)
    }

    /// The members of a union; a union of one is that one's definition.
    fn union(&self, name: &str) -> Vec<&Value> {
        match self.0.get(name) {
            Some(union) => match union["anyOf"].as_array() {
                Some(members) => members.iter().collect(),
                None => vec![union],
            },
            None => Vec::new(),
        }
    }

    fn messages(&self) -> BTreeSet<Message> {
        let ways = [
            ("ClientRequest", CLIENT_REQUEST),
            ("ClientNotification", CLIENT_NOTIFICATION),
            ("ServerRequest", SERVER_REQUEST),
            ("ServerNotification", SERVER_NOTIFICATION),
            ("InputRequest", QUESTION),
        ];
        ways.into_iter()
            .flat_map(|(union, way)| {
                self.union(union).into_iter().map(move |member| self.message(way, member))
            })
            .collect()
    }

    /// Method and stem of the type of each request of the client: `tools/list` and `ListTools`.
    fn client_requests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.union("ClientRequest").into_iter().map(|member| {
            let name = reference(member).expect("the union refers to its members");
            let method = self.method(member).expect("a request has a method");
            (method, name.strip_suffix("Request").expect("the types of requests are named so"))
        })
    }
}

/// The revisions that have a schema.
fn released() -> impl Iterator<Item = Revision> {
    let released = RevisionSet::range(Revision::V2024_11_05, Revision::V2026_07_28);
    Revision::all().filter(move |revision| released.contains(*revision))
}

fn senders(row: &MethodRow) -> impl Iterator<Item = Side> {
    [Side::Client, Side::Server].into_iter().filter(|side| row.senders.include(*side))
}

fn is_there(row: &MethodRow, revision: Revision) -> bool {
    row.revisions.union(row.embedded).contains(revision)
}

/// What the row says about a revision.
fn messages_of(row: &MethodRow, revision: Revision) -> impl Iterator<Item = Message> {
    let sent =
        senders(row).filter(move |_| row.revisions.contains(revision)).map(|side| match (side, row.kind) {
            (Side::Client, MethodKind::Request) => CLIENT_REQUEST,
            (Side::Client, MethodKind::Notification) => CLIENT_NOTIFICATION,
            (Side::Server, MethodKind::Request) => SERVER_REQUEST,
            (Side::Server, MethodKind::Notification) => SERVER_NOTIFICATION,
        });
    let asked = row.embedded.contains(revision).then_some(QUESTION);
    sent.chain(asked)
        .map(|way| (way, row.name.into(), row.required.iter().copied().map(String::from).collect()))
}

fn assert_same(what: &str, schema: &BTreeSet<Message>, table: &BTreeSet<Message>) {
    let (missing, invented) = (schema - table, table - schema);
    assert!(
        missing.is_empty() && invented.is_empty(),
        "{what}: the schema alone has {missing:#?}, the table alone has {invented:#?}"
    );
}

#[test]
fn messages() {
    for revision in released() {
        let Some(schema) = Schema::read(revision.name()) else { return };
        let core = method::rows().iter().filter(|row| row.extension.is_none());
        let table: BTreeSet<Message> = core.flat_map(|row| messages_of(row, revision)).collect();
        assert!(!table.is_empty());
        assert_same(revision.name(), &schema.messages(), &table);
    }
}

#[test]
fn messages_of_the_tasks_extension() {
    let Some(schema) = Schema::read("ext-tasks") else { return };
    let definitions = schema.0.as_object().expect("definitions are an object").values();
    let published: BTreeSet<Message> = definitions
        .filter_map(|definition| match definition["allOf"].get(0).and_then(reference)? {
            "JSONRPCRequest" => Some(schema.message(CLIENT_REQUEST, definition)),
            "JSONRPCNotification" => Some(schema.message(SERVER_NOTIFICATION, definition)),
            _ => None,
        })
        .collect();
    let tasks = method::rows().iter().filter(|row| row.extension == Some(TASKS));
    let table: BTreeSet<Message> = tasks.flat_map(|row| messages_of(row, Revision::V2026_07_28)).collect();
    assert!(!table.is_empty());
    assert_same("ext-tasks", &published, &table);
}

#[test]
fn the_member_that_names_is_required() {
    for row in method::rows() {
        if let Some(field) = row.name_field {
            assert!(row.required.contains(&field), "{}: {field}", row.name);
        }
    }
}

#[test]
fn capabilities() {
    for revision in released() {
        let Some(schema) = Schema::read(revision.name()) else { return };
        let exists = |side: Side, path: &str| {
            let all = schema.definition(match side {
                Side::Client => "ClientCapabilities",
                Side::Server => "ServerCapabilities",
            });
            path.split('.').try_fold(all, |parent, member| schema.property(parent, member)).is_some()
        };
        for row in method::rows().iter().filter(|row| is_there(row, revision)) {
            let Some(capability) = row.capability else { continue };
            for sender in senders(row) {
                let declarer = match row.kind {
                    MethodKind::Request => sender.peer(),
                    MethodKind::Notification => sender,
                };
                assert_eq!(
                    exists(declarer, capability),
                    !row.ungated.contains(revision),
                    "{} {}: `{capability}` of the {declarer:?}",
                    revision.name(),
                    row.name
                );
            }
        }
    }
}

#[test]
fn cache_hints_and_questions() {
    for revision in released() {
        let Some(schema) = Schema::read(revision.name()) else { return };
        for (name, stem) in schema.client_requests() {
            let row = method::find(name, MethodKind::Request, Side::Client, revision)
                .unwrap_or_else(|| panic!("{} lacks {name}", revision.name()))
                .row();
            let result = schema.0.get(format!("{stem}Result"));
            let hinted = result.is_some_and(|result| schema.property(result, "ttlMs").is_some());
            assert_eq!(row.cacheable.contains(revision), hinted, "{} {name}", revision.name());

            if revision.features().result_type {
                let response = schema.definition(&format!("{stem}ResultResponse"));
                let result = schema.property(response, "result").expect("a response has a result");
                let asks = schema
                    .parts(result, "anyOf")
                    .filter_map(reference)
                    .any(|part| part == "InputRequiredResult");
                assert_eq!(row.may_ask, asks, "{} {name}", revision.name());
            }
        }
    }
}

/// A method whose params have a `cursor` gives a list, in the one required array of its result.
#[test]
fn lists() {
    for revision in released() {
        let Some(schema) = Schema::read(revision.name()) else { return };
        for (name, stem) in schema.client_requests() {
            let row = method::find(name, MethodKind::Request, Side::Client, revision).expect("a row").row();
            let request = schema.definition(&format!("{stem}Request"));
            let params = schema.property(request, "params").expect("a request declares its params");
            let paged = schema.property(params, "cursor").is_some();
            assert_eq!(row.items.is_some(), paged, "{} {name}", revision.name());
            let Some(items) = row.items else { continue };
            let result = schema.definition(&format!("{stem}Result"));
            let list = schema.property(result, items).expect("the result has its list");
            assert_eq!(list["type"], "array", "{} {name}", revision.name());
            assert!(schema.required(result).contains(items), "{} {name}", revision.name());
        }
    }
}

#[test]
fn filters_of_subscriptions() {
    for revision in released().filter(|revision| revision.features().listen) {
        let Some(schema) = Schema::read(revision.name()) else { return };
        let published = schema.definition("SubscriptionFilter")["properties"].as_object().expect("members");
        let published: BTreeSet<&str> = published.keys().map(String::as_str).collect();
        let rows = method::rows().iter().filter(|row| row.revisions.contains(revision));
        let table: BTreeSet<&str> = rows.filter_map(|row| row.filter).collect();
        assert_eq!(table, published, "{}", revision.name());
    }
}

/// What a notice makes stale can be kept, and the notice can be asked for.
#[test]
fn what_makes_stale_is_a_notice() {
    for row in method::rows() {
        let Some(handling) = row.outdated_by else { continue };
        assert!(!row.cacheable.is_empty(), "{}", row.name);
        let mut notices = method::rows().iter().filter(|notice| notice.handling == handling);
        assert!(notices.all(|notice| notice.filter.is_some() && notice.kind == MethodKind::Notification));
    }
}

#[test]
fn features() {
    for revision in released() {
        let Some(schema) = Schema::read(revision.name()) else { return };
        let features = revision.features();
        let check = |what: &str, table: bool, published: bool| {
            assert_eq!(table, published, "{} {what}", revision.name());
        };
        let client_sends = |name| schema.client_requests().any(|(method, _)| method == name);
        let declares = |definition: &str, name| {
            schema.has(definition) && schema.property(schema.definition(definition), name).is_some()
        };
        let requires = |definition: &str, name| schema.required(schema.definition(definition)).contains(name);
        let error = if schema.has("JSONRPCErrorResponse") { "JSONRPCErrorResponse" } else { "JSONRPCError" };
        let progress = schema
            .property(schema.definition("ProgressNotification"), "params")
            .expect("a progress notice has params");

        check("era", features.era == Era::Legacy, client_sends("initialize"));
        check("batches", features.batches, schema.has("JSONRPCBatchRequest"));
        check("result_type", features.result_type, requires("Result", "resultType"));
        check("cache_hints", features.cache_hints, schema.has("CacheableResult"));
        check(
            "server_info",
            features.server_info,
            declares("ResultMetaObject", "io.modelcontextprotocol/serverInfo"),
        );
        check("errors_omit_id", features.errors_omit_id, !requires(error, "id"));
        check("server_requests", features.server_requests, schema.has("ServerRequest"));
        check("listen", features.listen, client_sends("subscriptions/listen"));
        check("progress_message", features.progress_message, schema.property(progress, "message").is_some());
        check("extensions", features.extensions, declares("ClientCapabilities", "extensions"));
        check("elicitation_modes", features.elicitation_modes, schema.has("ElicitRequestURLParams"));
        check("elicitation_id", features.elicitation_id, declares("ElicitRequestURLParams", "elicitationId"));
        let sampling = schema.has("ClientCapabilities").then(|| schema.definition("ClientCapabilities"));
        let sampling = sampling.and_then(|all| schema.property(all, "sampling"));
        let tools = sampling.is_some_and(|sampling| schema.property(sampling, "tools").is_some());
        check("sampling_tools", features.sampling_tools, tools);
    }
}
