//! What is the same for all sessions of one service, checked once.
use alloc::{boxed::Box, collections::BTreeMap, format, string::String, sync::Arc, vec::Vec};
use core::fmt::Write as _;

use base64ct::{Base64, Encoding};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    catalog::{Catalog, CatalogFields, VisibleTo},
    extensions::{ResultTypes, check_extensions, declares_extension},
};
use crate::{
    SealKeys,
    error::ConfigError,
    event::CacheHint,
    json::{Json, unescape},
    jsonrpc::write,
    limits::Limits,
    method::{self, MethodId},
    revision::{Era, Revision, RevisionSet},
    trace::Tracing,
};

/// The methods that declared capabilities allow, by place in the table, and from the other end what more a question may
/// need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowed {
    methods: u128,
    /// Those that are taken as tasks.
    tasks: u128,
}

impl Allowed {
    pub(crate) const ALL: Self = Self { methods: u128::MAX, tasks: u128::MAX };
    pub(crate) const NONE: Self = Self { methods: 0, tasks: 0 };

    /// Rows whose capability is declared by `capabilities`, an object.
    pub(crate) fn by(capabilities: Json<'_>) -> Self {
        let mut allowed = Self::NONE;
        for (place, row) in method::rows().iter().enumerate().take(124) {
            let extended = row.extension.is_none_or(|name| declares_extension(capabilities, name));
            if extended && row.capability.is_none_or(|path| declares(capabilities, path)) {
                allowed.methods |= 1 << place;
            }
            if row.task.is_some_and(|path| declares(capabilities, path)) {
                allowed.tasks |= 1 << place;
            }
        }
        for need in Need::ALL {
            let declared = declares(capabilities, need.path())
                || need == Need::Form
                    && declares(capabilities, "elicitation")
                    && !declares(capabilities, Need::Url.path());
            allowed.methods |= if declared { need.bit() } else { 0 };
        }
        allowed
    }
    /// Whether more than a question's own capability is declared.
    pub(crate) fn covers(self, need: Need) -> bool {
        self.methods & need.bit() != 0
    }
    pub(crate) fn has(self, id: MethodId, revision: Revision) -> bool {
        self.methods >> id.index() & 1 != 0 || id.row().ungated.contains(revision)
    }
    /// Whether a request of this method may be a task.
    pub(crate) fn takes_task(self, id: MethodId, revision: Revision) -> bool {
        self.tasks >> id.index() & 1 != 0 && revision.features().tasks
    }
    /// Whether a request of any method may be one.
    pub(crate) fn takes_tasks(self, revision: Revision) -> bool {
        self.tasks != 0 && revision.features().tasks
    }
}

/// What a question may need besides the capability of its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A form to fill in; what declares neither mode declares this one.
    Form,
    /// A URL to visit.
    Url,
    /// Tools for the model.
    Tools,
    /// Context for the model.
    Context,
}

impl Need {
    const ALL: [Self; 4] = [Self::Form, Self::Url, Self::Tools, Self::Context];

    const fn bit(self) -> u128 {
        1 << (127 - self as u32)
    }
    /// The capability that says so.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Form => "elicitation.form",
            Self::Url => "elicitation.url",
            Self::Tools => "sampling.tools",
            Self::Context => "sampling.context",
        }
    }
}

/// Whether a capabilities object has what a dotted path names: an object, or `true`.
pub(crate) fn declares(capabilities: Json<'_>, path: &str) -> bool {
    path.split('.')
        .try_fold(capabilities, Json::member)
        .is_some_and(|value| value.is_object() || value.get() == "true")
}

fn object(field: &str, text: &[u8]) -> Result<Box<str>, ConfigError> {
    let value = Json::parse(text).map_err(|error| ConfigError::new(field, format!("{error}")))?;
    if !value.is_object() {
        return Err(ConfigError::new(field, "must be a JSON object"));
    }
    let mut compacted = String::new();
    write::json(&mut compacted, value);
    Ok(compacted.into())
}

fn declared(capabilities: &[u8]) -> Result<Box<str>, ConfigError> {
    let capabilities = object("capabilities", capabilities)?;
    check_extensions(Json::from_checked(&capabilities))?;
    Ok(capabilities)
}

fn implementation(text: &[u8]) -> Result<Box<str>, ConfigError> {
    let info = object("info", text)?;
    let value = Json::parse(info.as_bytes()).map_err(|error| ConfigError::new("info", format!("{error}")))?;
    for key in ["name", "version"] {
        if value.member(key).and_then(Json::as_str).is_none() {
            return Err(ConfigError::new(format!("info.{key}"), "must be a string"));
        }
    }
    Ok(info)
}

fn named(name: &str, version: &str) -> Box<str> {
    let mut info = String::from("{\"name\":");
    write::string(&mut info, name);
    info.push_str(",\"version\":");
    write::string(&mut info, version);
    info.push('}');
    info.into()
}

/// A service: limits, capabilities, its name, what it offers. Shared by its sessions, never copied.
pub struct ServerConfig {
    pub(crate) info: Box<str>,
    pub(crate) instructions: Option<Box<str>>,
    capabilities: Option<Box<str>>,
    completions: bool,
    pub(crate) catalog: Option<Arc<Catalog>>,
    pub(crate) page_size: usize,
    pub(crate) list_cache: CacheHint,
    pub(crate) revisions: RevisionSet,
    pub(crate) limits: Limits,
    pub(crate) keys: Option<SealKeys>,
    pub(crate) result_types: ResultTypes,
    pub(crate) unknown_methods: bool,
    pub(crate) trace: Tracing,
    pub(crate) audit: bool,
    pub(crate) task_notices: bool,
    server_info: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerFields<'a> {
    #[serde(borrow)]
    info: Option<&'a RawValue>,
    instructions: Option<String>,
    #[serde(borrow)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    resources: Option<Vec<&'a RawValue>>,
    #[serde(borrow, rename = "resourceTemplates")]
    resource_templates: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    prompts: Option<Vec<&'a RawValue>>,
    visible_to: Option<VisibleTo>,
    #[serde(default)]
    completions: bool,
    page_size: Option<usize>,
    list_cache: Option<CacheHint>,
    revisions: Option<Vec<String>>,
    limits: Option<Limits>,
    seal_keys: Option<Vec<String>>,
    #[serde(default)]
    result_types: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    unknown_methods: bool,
    #[serde(default)]
    trace: Tracing,
    #[serde(default)]
    audit: bool,
    task_notices: Option<bool>,
    server_info: Option<bool>,
}

/// Whether a configuration of one member is taken.
pub(super) type Taken = fn(&str) -> Result<(), serde_json::Error>;

/// The members of a configuration.
pub(super) fn fields<'a, T: Deserialize<'a>>(text: &'a [u8], taken: Taken) -> Result<T, ConfigError> {
    serde_json::from_slice(text).map_err(|error| blame(text, &error, taken))
}

/// Says which member is to blame, instead of a place in text that a binding wrote.
fn blame(text: &[u8], error: &serde_json::Error, taken: Taken) -> ConfigError {
    let members = Json::parse(text).ok().into_iter().flat_map(Json::members);
    let (field, reason) = culprit("", members, taken).unwrap_or_default();
    match field.as_str() {
        "" => ConfigError::new("configuration", reason_of(error)),
        "limits" => {
            let limits = Json::parse(text).ok().and_then(|text| text.member("limits"));
            let taken: Taken = |text| serde_json::from_str::<Limits>(text).map(drop);
            let limit = culprit("limits.", limits.into_iter().flat_map(Json::members), taken);
            limit.map_or_else(
                || ConfigError::new("limits", reason),
                |(field, reason)| ConfigError::new(field, reason),
            )
        }
        _ => ConfigError::new(field, reason),
    }
}

/// The first member that is not taken, and why.
fn culprit<'a>(
    path: &str,
    mut members: impl Iterator<Item = (&'a str, Json<'a>)>,
    taken: Taken,
) -> Option<(String, String)> {
    members.find_map(|(key, value)| {
        let error = taken(&format!("{{{key}:{}}}", value.get())).err()?;
        let name = unescape(key).unwrap_or_default();
        Some((format!("{path}{name}"), reason_of(&error)))
    })
}

fn reason_of(error: &serde_json::Error) -> String {
    let mut reason = format!("{error}");
    reason.truncate(reason.find(" at line ").unwrap_or(reason.len()));
    reason
}

fn result_types(named: &BTreeMap<String, Vec<String>>) -> Result<ResultTypes, ConfigError> {
    let mut types = ResultTypes::default();
    for (extension, kinds) in named {
        types.add(extension, &kinds.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    Ok(types)
}

fn seal_keys(encoded: &[String]) -> Result<SealKeys, ConfigError> {
    let decode = |text: &String| {
        let mut key = [0; 32];
        let length = Base64::decode(text, &mut key).map_or(0, <[u8]>::len);
        let refusal = || ConfigError::new("seal_keys", "must be 32 bytes each, in base64");
        (length == key.len()).then_some(key).ok_or_else(refusal)
    };
    encoded.iter().map(decode).collect::<Result<_, _>>().map(SealKeys)
}

fn revisions(names: &[String]) -> Result<Vec<Revision>, ConfigError> {
    let parse = |name: &String| {
        Revision::from_name(name)
            .ok_or_else(|| ConfigError::new("revisions", format!("`{name}` is no revision of the protocol")))
    };
    names.iter().map(parse).collect()
}

impl ServerConfig {
    /// A service of this name and version that speaks every revision and offers nothing yet.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            info: named(name, version),
            instructions: None,
            capabilities: None,
            completions: false,
            catalog: None,
            page_size: 1000,
            list_cache: CacheHint::default(),
            revisions: RevisionSet::all(),
            limits: Limits::default(),
            keys: None,
            result_types: ResultTypes::default(),
            unknown_methods: false,
            trace: Tracing::Off,
            audit: false,
            task_notices: true,
            server_info: true,
        }
    }
    /// From JSON, with the names of the methods below; `info` is required, durations in `limits` are milliseconds, keys are
    /// base64.
    pub fn from_json(text: &[u8]) -> Result<Self, ConfigError> {
        let taken: Taken = |text| serde_json::from_str::<ServerFields<'_>>(text).map(drop);
        let fields: ServerFields<'_> = fields(text, taken)?;
        let mut config = Self::new("", "");
        config.info = implementation(fields.info.map_or("null", RawValue::get).as_bytes())?;
        config.instructions = fields.instructions.map(Into::into);
        if let Some(capabilities) = fields.capabilities {
            config = config.capabilities(capabilities.get().as_bytes())?;
        }
        let catalog = CatalogFields {
            tools: fields.tools,
            resources: fields.resources,
            resource_templates: fields.resource_templates,
            prompts: fields.prompts,
            visible_to: fields.visible_to,
        };
        config.catalog = catalog.build()?.map(Arc::new);
        config.completions = fields.completions;
        config.page_size = fields.page_size.unwrap_or(config.page_size);
        config.list_cache = fields.list_cache.unwrap_or_default();
        if let Some(names) = fields.revisions {
            config = config.revisions(&revisions(&names)?)?;
        }
        config.limits = fields.limits.unwrap_or_default();
        config.limits.check()?;
        config.keys = fields.seal_keys.as_deref().map(seal_keys).transpose()?;
        config.result_types = result_types(&fields.result_types)?;
        config.unknown_methods = fields.unknown_methods;
        config.trace = fields.trace;
        config.audit = fields.audit;
        config.task_notices = fields.task_notices.unwrap_or(true);
        config.server_info = fields.server_info.unwrap_or(true);
        Ok(config)
    }
    /// The whole `serverInfo` object: name, version, and what else the revisions allow (title, icons, `websiteUrl`).
    pub fn info(mut self, info: &[u8]) -> Result<Self, ConfigError> {
        self.info = implementation(info)?;
        Ok(self)
    }
    /// Guidance for the model on how to use this server.
    #[must_use]
    pub fn instructions(mut self, text: &str) -> Self {
        self.instructions = Some(text.into());
        self
    }
    /// The capabilities to declare. Without this, what the catalog needs (`tools`, `resources` and `prompts`, each with
    /// `listChanged`, as far as it has them) and `completions` if they are on. Fails on an extension whose identifier has no
    /// prefix, or whose settings are no object (`basic/versioning` of 2026-07-28).
    pub fn capabilities(mut self, capabilities: &[u8]) -> Result<Self, ConfigError> {
        self.capabilities = Some(declared(capabilities)?);
        Ok(self)
    }
    /// Whether the application completes arguments: it is asked, and `completions` is declared. Off by default, and
    /// without effect beside [`capabilities`](Self::capabilities).
    #[must_use]
    pub fn completions(mut self, on: bool) -> Self {
        self.completions = on;
        self
    }
    /// What the engine lists by itself. Without one, list requests go to the application.
    #[must_use]
    pub fn catalog(mut self, catalog: Arc<Catalog>) -> Self {
        self.catalog = Some(catalog);
        self
    }
    /// Items of a page at most. The default, 1000, is more than most services have, because some clients read one page
    /// alone and each further one costs a round trip. A page is at most half of `Limits::message_bytes` anyhow.
    #[must_use]
    pub fn page_size(mut self, items: usize) -> Self {
        self.page_size = items;
        self
    }
    /// How long and by whom lists of the catalog and the answer to `server/discover` may be kept; not at all by default.
    #[must_use]
    pub fn list_cache(mut self, hint: CacheHint) -> Self {
        self.list_cache = hint;
        self
    }
    /// The revisions spoken. Fails if there are none.
    pub fn revisions(mut self, revisions: &[Revision]) -> Result<Self, ConfigError> {
        self.revisions =
            revisions.iter().fold(RevisionSet::EMPTY, |set, revision| set.union(RevisionSet::one(*revision)));
        if self.revisions.is_empty() {
            return Err(ConfigError::new("revisions", "must name at least one"));
        }
        Ok(self)
    }
    /// Bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Keys that seal cursors and state, shared by the instances of a service. Without them, one from the seed.
    #[must_use]
    pub fn seal_keys(mut self, keys: SealKeys) -> Self {
        self.keys = Some(keys);
        self
    }
    /// Kinds of results (`resultType`) that an extension defines, for those that the engine does not know; it knows `task`
    /// of `io.modelcontextprotocol/tasks`. May be said once for each extension. Fails on a kind of the protocol itself.
    pub fn result_types(mut self, extension: &str, result_types: &[&str]) -> Result<Self, ConfigError> {
        self.result_types.add(extension, result_types)?;
        Ok(self)
    }
    /// Deliver requests and notices that no revision knows, instead of refusing or dropping them.
    #[must_use]
    pub fn unknown_methods(mut self, deliver: bool) -> Self {
        self.unknown_methods = deliver;
        self
    }
    /// Whether the peer is told when the state of a task changes, besides being answered when it asks; it is by default.
    #[must_use]
    pub fn task_notices(mut self, on: bool) -> Self {
        self.task_notices = on;
        self
    }
    /// Whether every result of the modern era says who answered; it does by default (`basic/index` of 2026-07-28). The
    /// handshake of the legacy era says so anyhow.
    #[must_use]
    pub fn server_info(mut self, on: bool) -> Self {
        self.server_info = on;
        self
    }
    /// Keep a trace: `true` or [`Tracing::Full`] with all payloads, [`Tracing::Redacted`] without. In JSON `true`, `"full"`
    /// or `"redacted"`. Off by default.
    #[must_use]
    pub fn trace(mut self, tracing: impl Into<Tracing>) -> Self {
        self.trace = tracing.into();
        self
    }
    /// Keep an audit ([`crate::audit`]): a record without payload of every request. Off by default.
    #[must_use]
    pub fn audit(mut self, on: bool) -> Self {
        self.audit = on;
        self
    }
    /// The capabilities that are declared.
    pub(crate) fn declared(&self) -> String {
        if let Some(capabilities) = &self.capabilities {
            return String::from(&**capabilities);
        }
        let of_catalog = self.catalog.iter().flat_map(|catalog| catalog.capabilities());
        let members: Vec<&str> = of_catalog.chain(self.completions.then_some("\"completions\":{}")).collect();
        format!("{{{}}}", members.join(","))
    }
    /// The legacy revision that is answered to a client that asks for none of ours.
    pub(crate) fn preferred_legacy(&self) -> Option<Revision> {
        self.revisions.intersection(RevisionSet::of(Era::Legacy)).newest_first().next()
    }
    /// Whether a revision of this era is spoken.
    pub(crate) fn speaks(&self, era: Era) -> bool {
        !self.revisions.intersection(RevisionSet::of(era)).is_empty()
    }
    /// `["2026-07-28"]`: the revisions of an era, newest first, as JSON.
    pub(crate) fn versions(&self, era: Era) -> String {
        let mut list = String::from("[");
        for revision in self.revisions.intersection(RevisionSet::of(era)).newest_first() {
            let comma = if list.len() > 1 { "," } else { "" };
            let _ = write!(list, "{comma}\"{}\"", revision.name());
        }
        list.push(']');
        list
    }
    /// `_meta` members of every result in the revisions that have them, if any.
    pub(crate) fn result_meta(&self) -> String {
        if !self.server_info {
            return String::new();
        }
        format!("\"io.modelcontextprotocol/serverInfo\":{}", self.info)
    }
}

/// What a client is and wants.
pub struct ClientConfig {
    pub(crate) info: Box<str>,
    pub(crate) capabilities: Box<str>,
    /// In order of preference.
    pub(crate) revisions: Vec<Revision>,
    pub(crate) probe: bool,
    pub(crate) cache: bool,
    pub(crate) result_types: ResultTypes,
    pub(crate) limits: Limits,
    pub(crate) trace: Tracing,
    pub(crate) audit: bool,
    pub(crate) task_notices: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientFields<'a> {
    #[serde(borrow)]
    info: Option<&'a RawValue>,
    #[serde(borrow)]
    capabilities: Option<&'a RawValue>,
    revisions: Option<Vec<String>>,
    probe: Option<bool>,
    cache: Option<bool>,
    #[serde(default)]
    result_types: BTreeMap<String, Vec<String>>,
    limits: Option<Limits>,
    #[serde(default)]
    trace: Tracing,
    #[serde(default)]
    audit: bool,
    task_notices: Option<bool>,
}

impl ClientConfig {
    /// A client of this name and version that speaks every revision, newest first, and probes for the era.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            info: named(name, version),
            capabilities: "{}".into(),
            revisions: RevisionSet::all().newest_first().collect(),
            probe: true,
            cache: true,
            result_types: ResultTypes::default(),
            limits: Limits::default(),
            trace: Tracing::Off,
            audit: false,
            task_notices: true,
        }
    }
    /// From JSON, with the names of the methods below; `info` is required, durations in `limits` are milliseconds.
    pub fn from_json(text: &[u8]) -> Result<Self, ConfigError> {
        let taken: Taken = |text| serde_json::from_str::<ClientFields<'_>>(text).map(drop);
        let fields: ClientFields<'_> = fields(text, taken)?;
        let mut config = Self::new("", "");
        config.info = implementation(fields.info.map_or("null", RawValue::get).as_bytes())?;
        if let Some(capabilities) = fields.capabilities {
            config = config.capabilities(capabilities.get().as_bytes())?;
        }
        if let Some(names) = fields.revisions {
            config = config.revisions(&revisions(&names)?)?;
        }
        config.probe = fields.probe.unwrap_or(true);
        config.cache = fields.cache.unwrap_or(true);
        config.result_types = result_types(&fields.result_types)?;
        config.limits = fields.limits.unwrap_or_default();
        config.limits.check()?;
        config.trace = fields.trace;
        config.audit = fields.audit;
        config.task_notices = fields.task_notices.unwrap_or(true);
        Ok(config)
    }
    /// The whole `clientInfo` object.
    pub fn info(mut self, info: &[u8]) -> Result<Self, ConfigError> {
        self.info = implementation(info)?;
        Ok(self)
    }
    /// The capabilities to declare; none by default. Fails as [`ServerConfig::capabilities`] does.
    pub fn capabilities(mut self, capabilities: &[u8]) -> Result<Self, ConfigError> {
        self.capabilities = declared(capabilities)?;
        Ok(self)
    }
    /// The revisions spoken, in order of preference. One alone is pinned. Fails if there are none.
    pub fn revisions(mut self, revisions: &[Revision]) -> Result<Self, ConfigError> {
        if revisions.is_empty() {
            return Err(ConfigError::new("revisions", "must name at least one"));
        }
        self.revisions = revisions.to_vec();
        Ok(self)
    }
    /// Whether to ask `server/discover` first where both eras are spoken; otherwise `initialize` at once.
    #[must_use]
    pub fn probe(mut self, probe: bool) -> Self {
        self.probe = probe;
        self
    }
    /// Whether results are kept for as long as their server allows, and calls answered from them; on by default. A server
    /// that gives no `ttlMs` allows nothing (`server/utilities/caching`).
    #[must_use]
    pub fn cache(mut self, keep: bool) -> Self {
        self.cache = keep;
        self
    }
    /// As [`ServerConfig::result_types`]: a result of another kind is no valid answer.
    pub fn result_types(mut self, extension: &str, result_types: &[&str]) -> Result<Self, ConfigError> {
        self.result_types.add(extension, result_types)?;
        Ok(self)
    }
    /// Bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Whether the peer is told when the state of a task changes, besides being answered when it asks; it is by default.
    #[must_use]
    pub fn task_notices(mut self, on: bool) -> Self {
        self.task_notices = on;
        self
    }
    /// Keep a trace: `true` or [`Tracing::Full`] with all payloads, [`Tracing::Redacted`] without. In JSON `true`, `"full"`
    /// or `"redacted"`. Off by default.
    #[must_use]
    pub fn trace(mut self, tracing: impl Into<Tracing>) -> Self {
        self.trace = tracing.into();
        self
    }
    /// Keep an audit ([`crate::audit`]): a record without payload of every request and every question. Off by default.
    #[must_use]
    pub fn audit(mut self, on: bool) -> Self {
        self.audit = on;
        self
    }
    /// The preferred revision of an era.
    pub(crate) fn preferred(&self, era: Era) -> Option<Revision> {
        self.revisions.iter().copied().find(|revision| revision.era() == era)
    }
    /// The preferred one of the revisions of an era that a list of names holds.
    pub(crate) fn mutual(&self, era: Era, names: Json<'_>) -> Option<Revision> {
        self.revisions.iter().copied().find(|revision| {
            revision.era() == era
                && names.elements().any(|name| name.as_str().is_some_and(|name| name == revision.name()))
        })
    }
}
