//! The arguments of commands as JSON, and back.
use alloc::{borrow::Cow, boxed::Box, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

use base64ct::{Base64, Encoding};

use super::{TraceKind, TraceRecord};
use crate::{
    CallHandle, InputHandle, RequestHandle,
    error::{ConfigError, SendError},
    event::{CacheHint, Outcome, Question, Target},
    json::{Json, unescape},
    jsonrpc::write,
    session::{CallOptions, Catalog, Change, LogLevel, SubscriptionFilter, TaskOptions},
    time::{Instant, WallClock},
};

/// An argument of a command.
pub(crate) trait Argument {
    /// Appends its JSON. What appends nothing is absent.
    fn write(&self, out: &mut String);
}

/// What a command returns: the code, and the call that it began.
pub(crate) trait Done {
    fn outcome(&self) -> (&'static str, u64);
}

impl Done for () {
    fn outcome(&self) -> (&'static str, u64) {
        ("ok", 0)
    }
}
impl Done for bool {
    fn outcome(&self) -> (&'static str, u64) {
        ("ok", u64::from(*self))
    }
}
impl Done for CallHandle {
    fn outcome(&self) -> (&'static str, u64) {
        ("ok", self.as_u64())
    }
}
impl<T: Done> Done for Result<T, SendError> {
    fn outcome(&self) -> (&'static str, u64) {
        self.as_ref().map_or_else(|error| (error.code(), 0), T::outcome)
    }
}
impl Done for Result<(), ConfigError> {
    fn outcome(&self) -> (&'static str, u64) {
        self.as_ref().map_or_else(|error| (error.code(), 0), |()| ("ok", 0))
    }
}

/// Appends a member of an object whose brace is open, if it is there.
fn member(out: &mut String, key: &str, value: &impl Argument) {
    let before = out.len();
    if !out.ends_with('{') {
        out.push(',');
    }
    write::string(out, key);
    out.push(':');
    let start = out.len();
    value.write(out);
    if out.len() == start {
        out.truncate(before);
    }
}

macro_rules! object {
    ($out:ident, $($key:literal: $value:expr),* $(,)?) => {{
        $out.push('{');
        $( member($out, $key, $value); )*
        $out.push('}');
    }};
}

macro_rules! handles {
    ($($handle:ty),*) => { $( impl Argument for $handle {
        fn write(&self, out: &mut String) {
            write::integer(out, self.as_u64());
        }
    } )* };
}
handles!(RequestHandle, CallHandle, InputHandle);

impl<T: Argument> Argument for Option<T> {
    fn write(&self, out: &mut String) {
        if let Some(value) = self {
            value.write(out);
        }
    }
}
impl Argument for u64 {
    fn write(&self, out: &mut String) {
        write::integer(out, *self);
    }
}
/// A number that JSON lacks is `null`: the machine refuses all of them.
impl Argument for f64 {
    fn write(&self, out: &mut String) {
        if self.is_finite() { write::number(out, *self) } else { out.push_str("null") }
    }
}
impl Argument for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}
impl Argument for &str {
    fn write(&self, out: &mut String) {
        write::string(out, self);
    }
}
impl Argument for &[u8] {
    fn write(&self, out: &mut String) {
        write::string(out, &Base64::encode_string(self));
    }
}
/// As it was given but for the whitespace around it: limits count its bytes.
impl Argument for Json<'_> {
    fn write(&self, out: &mut String) {
        out.push_str(self.get().trim_matches([' ', '\t', '\n', '\r']));
    }
}
impl Argument for Instant {
    fn write(&self, out: &mut String) {
        write::integer(out, self.as_nanos());
    }
}
/// Nanoseconds, as far as an instant reaches.
impl Argument for Duration {
    fn write(&self, out: &mut String) {
        write::integer(out, u64::try_from(self.as_nanos()).unwrap_or(u64::MAX));
    }
}
impl Argument for LogLevel {
    fn write(&self, out: &mut String) {
        write::string(out, self.name());
    }
}
impl Argument for Target {
    fn write(&self, out: &mut String) {
        match self {
            Self::Channel => object!(out,),
            Self::Request(request) => object!(out, "request": request),
        }
    }
}
impl Argument for CacheHint {
    fn write(&self, out: &mut String) {
        object!(out, "ttl_ms": &u64::from(self.ttl_ms), "public": &self.public);
    }
}
impl Argument for Question<'_> {
    fn write(&self, out: &mut String) {
        object!(out, "key": &self.key, "method": &self.method, "params": &self.params);
    }
}
impl Argument for &[Question<'_>] {
    fn write(&self, out: &mut String) {
        list(out, self);
    }
}
impl Argument for &[&str] {
    fn write(&self, out: &mut String) {
        list(out, self);
    }
}
fn list(out: &mut String, all: &[impl Argument]) {
    out.push('[');
    for (place, one) in all.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        one.write(out);
    }
    out.push(']');
}

struct ErrorOf<'a>(i32, &'a str, Option<Json<'a>>);

impl Argument for ErrorOf<'_> {
    fn write(&self, out: &mut String) {
        object!(out, "code": &f64::from(self.0), "message": &self.1, "data": &self.2);
    }
}
impl Argument for Outcome<'_> {
    fn write(&self, out: &mut String) {
        match *self {
            Self::Result { result, cache } => object!(out, "result": &result, "cache": &cache),
            Self::Extension { result_type, result } => {
                object!(out, "result_type": &result_type, "result": &result);
            }
            Self::InputRequired { questions, state } => {
                object!(out, "questions": &questions, "state": &state);
            }
            Self::Error { code, message, data } => object!(out, "error": &ErrorOf(code, message, data)),
        }
    }
}
impl Argument for TaskOptions {
    fn write(&self, out: &mut String) {
        object!(out, "ttl": &self.ttl, "wait": &self.wait);
    }
}
impl Argument for CallOptions<'_> {
    fn write(&self, out: &mut String) {
        object!(
            out,
            "silence": &self.silence,
            "total": &self.total,
            "progress": &self.progress,
            "log_level": &self.log_level,
            "meta": &self.meta,
            "task": &self.task,
            "fresh": &self.fresh,
        );
        #[cfg(feature = "schema")]
        if let Some(schema) = self.output {
            out.pop();
            member(out, "output", &Json::from_checked(schema.source()));
            out.push('}');
        }
    }
}
impl Argument for Change<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Self::Tools => object!(out, "kind": &"tools"),
            Self::Prompts => object!(out, "kind": &"prompts"),
            Self::Resources => object!(out, "kind": &"resources"),
            Self::Resource { uri, concerns } => object!(out, "uri": uri, "concerns": concerns),
        }
    }
}
impl Argument for SubscriptionFilter<'_> {
    fn write(&self, out: &mut String) {
        object!(
            out,
            "tools": &self.tools,
            "prompts": &self.prompts,
            "resources": &self.resources,
            "uris": &self.uris,
        );
    }
}
impl Argument for WallClock {
    fn write(&self, out: &mut String) {
        object!(out, "at": &self.at, "unix_millis": &self.unix_millis);
    }
}
impl Argument for Arc<Catalog> {
    fn write(&self, out: &mut String) {
        out.push_str(&self.to_json());
    }
}

/// A command that runs, and becomes a record when it is done.
pub(crate) struct Command {
    name: &'static str,
    arguments: String,
}

impl Command {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, arguments: String::new() }
    }
    pub(crate) fn argument(&mut self, key: &str, value: &impl Argument) {
        if self.arguments.is_empty() {
            self.arguments.push('{');
        }
        member(&mut self.arguments, key, value);
    }
    pub(crate) fn done(mut self, at: Instant, (outcome, handle): (&'static str, u64)) -> TraceRecord {
        if !self.arguments.is_empty() {
            self.arguments.push('}');
        }
        TraceRecord {
            handle,
            outcome: outcome.into(),
            text: self.arguments.into(),
            ..TraceRecord::new(at, TraceKind::Command, self.name)
        }
    }
}

/// The arguments of a recorded command.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a>(pub(crate) Json<'a>);

impl<'a> Arguments<'a> {
    fn object(self, key: &str) -> Option<Self> {
        self.0.member(key).filter(|value| value.is_object()).map(Self)
    }
    pub(crate) fn number(self, key: &str) -> Option<u64> {
        self.0.member(key)?.get().parse().ok()
    }
    pub(crate) fn float(self, key: &str) -> Option<f64> {
        let text = self.0.member(key)?.get();
        if text == "null" { Some(f64::NAN) } else { text.parse().ok() }
    }
    pub(crate) fn text(self, key: &str) -> Option<Cow<'a, str>> {
        self.0.member(key).and_then(|value| unescape(value.get()))
    }
    pub(crate) fn bytes(self, key: &str) -> Option<Vec<u8>> {
        Base64::decode_vec(&self.text(key)?).ok()
    }
    pub(crate) fn json(self, key: &str) -> Option<Json<'a>> {
        self.0.member(key)
    }
    fn flag(self, key: &str) -> bool {
        self.0.member(key).is_some_and(|value| value.get() == "true")
    }
    pub(crate) fn duration(self, key: &str) -> Option<Duration> {
        self.number(key).map(Duration::from_nanos)
    }
    pub(crate) fn level(self, key: &str) -> Option<LogLevel> {
        LogLevel::from_name(&self.text(key)?)
    }
    pub(crate) fn request(self) -> Option<RequestHandle> {
        self.number("request").map(RequestHandle::from_u64)
    }
    pub(crate) fn input(self) -> Option<InputHandle> {
        self.number("input").map(InputHandle::from_u64)
    }
    pub(crate) fn call(self) -> Option<CallHandle> {
        self.number("call").map(CallHandle::from_u64)
    }
    pub(crate) fn target(self) -> Option<Target> {
        let target = self.object("target")?;
        Some(target.request().map_or(Target::Channel, Target::Request))
    }
    pub(crate) fn clock(self) -> Option<WallClock> {
        let clock = self.object("clock")?;
        Some(WallClock {
            at: Instant::from_nanos(clock.number("at")?),
            unix_millis: clock.number("unix_millis")?,
        })
    }
    pub(crate) fn catalog(self) -> Option<Arc<Catalog>> {
        Catalog::from_json(self.json("catalog")?.get().as_bytes()).ok().map(Arc::new)
    }
    pub(crate) fn with_options<T>(self, then: impl FnOnce(CallOptions<'_>) -> T) -> Option<T> {
        let options = self.object("options")?;
        let task = options
            .object("task")
            .map(|task| TaskOptions::new().ttl(task.duration("ttl")).wait(task.flag("wait")));
        let all = CallOptions::new()
            .timeouts(options.duration("silence"), options.duration("total"))
            .progress(options.flag("progress"))
            .log_level(options.level("log_level"))
            .fresh(options.flag("fresh"))
            .meta(options.json("meta"))
            .task(task);
        #[cfg(feature = "schema")]
        {
            let output = options.json("output").map(crate::schema::Validator::compile);
            let output = output.transpose().ok()?.map(Arc::new);
            Some(then(all.output(output.as_ref())))
        }
        #[cfg(not(feature = "schema"))]
        Some(then(all))
    }
    pub(crate) fn with_change<T>(self, then: impl FnOnce(Change<'_>) -> T) -> Option<T> {
        let change = self.object("change")?;
        let (uri, concerns) = (change.text("uri"), change.text("concerns"));
        let change = match (uri.as_deref(), change.text("kind").as_deref()) {
            (Some(uri), _) => Change::Resource { uri, concerns: concerns.as_deref() },
            (None, Some("tools")) => Change::Tools,
            (None, Some("prompts")) => Change::Prompts,
            (None, Some("resources")) => Change::Resources,
            _ => return None,
        };
        Some(then(change))
    }
    pub(crate) fn with_filter<T>(self, then: impl FnOnce(SubscriptionFilter<'_>) -> T) -> Option<T> {
        let filter = self.object("filter")?;
        let uris = filter.json("uris")?.elements().map(Json::as_str).collect::<Option<Vec<_>>>()?;
        let uris: Vec<&str> = uris.iter().map(|uri| &**uri).collect();
        let (tools, prompts, resources) =
            (filter.flag("tools"), filter.flag("prompts"), filter.flag("resources"));
        Some(then(SubscriptionFilter { tools, prompts, resources, uris: &uris }))
    }
    pub(crate) fn with_outcome<T>(self, then: impl FnOnce(Outcome<'_>) -> T) -> Option<T> {
        let outcome = self.object("outcome")?;
        if let Some(error) = outcome.object("error") {
            let code = error.json("code")?.get().parse().ok()?;
            let (message, data) = (error.text("message")?, error.json("data"));
            return Some(then(Outcome::Error { code, message: &message, data }));
        }
        if let Some(asked) = outcome.json("questions") {
            let parts = asked.elements().map(|question| {
                let question = Arguments(question);
                Some((question.text("key")?, question.text("method")?, question.json("params")))
            });
            let parts = parts.collect::<Option<Vec<_>>>()?;
            let questions: Vec<_> =
                parts.iter().map(|(key, method, params)| Question { key, method, params: *params }).collect();
            let state: Option<Box<[u8]>> = outcome.bytes("state").map(Into::into);
            return Some(then(Outcome::InputRequired { questions: &questions, state: state.as_deref() }));
        }
        let result = outcome.json("result")?;
        if let Some(result_type) = outcome.text("result_type") {
            return Some(then(Outcome::Extension { result_type: &result_type, result }));
        }
        let cache = outcome.object("cache").and_then(|cache| {
            Some(CacheHint { ttl_ms: cache.number("ttl_ms")?.try_into().ok()?, public: cache.flag("public") })
        });
        Some(then(Outcome::Result { result, cache }))
    }
}
