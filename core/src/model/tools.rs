//! Tools (`server/tools`).
use alloc::{borrow::Cow, vec, vec::Vec};

use serde::Serialize;

use super::{
    ContentBlock, Icon, InputRequiredOr, InputResponses, MetaObject, Misfit, Model, Notification,
    NotificationParams, Number, Object, PaginatedRequestParams, Raw, Request, RequestMetaObject, Response,
    ResultMetaObject, ResultType, TaskMetadata, meta::CacheScope,
};

words! {
    /// Whether a tool can or must be called as a task (`basic/utilities/tasks` of 2025-11-25).
    TaskSupport {
        /// It cannot; the meaning of an absent member.
        Forbidden = "forbidden",
        /// It can.
        Optional = "optional",
        /// It must.
        Required = "required",
    }
}

objects! {
    /// How a tool is to be called; 2025-11-25 alone.
    ToolExecution {} optional {
        /// As a task or not.
        "taskSupport" => task_support: TaskSupport<'a>,
    }

    /// What a tool does to the world, in its server's words: not to be trusted unless the server is. From 2025-03-26.
    ToolAnnotations {} optional {
        /// A name for people; [`Tool::title`] goes before it.
        "title" => title: Cow<'a, str>,
        /// It changes nothing.
        "readOnlyHint" => read_only_hint: bool,
        /// It may destroy, not only add.
        "destructiveHint" => destructive_hint: bool,
        /// To repeat a call has no further effect.
        "idempotentHint" => idempotent_hint: bool,
        /// It deals with things outside of the server's own domain.
        "openWorldHint" => open_world_hint: bool,
    }

    /// A tool.
    Tool {
        /// What it is called by.
        "name" => name: Cow<'a, str>,
        /// The JSON Schema of its arguments, whose `type` is `object`.
        "inputSchema" => input_schema: Object<'a>,
    } optional {
        /// A name for people; from 2025-06-18.
        "title" => title: Cow<'a, str>,
        /// What it does, for the model.
        "description" => description: Cow<'a, str>,
        /// The JSON Schema of its structured results; from 2025-06-18.
        "outputSchema" => output_schema: Object<'a>,
        /// Hints.
        "annotations" => annotations: ToolAnnotations<'a>,
        /// Pictures for it; from 2025-11-25.
        "icons" => icons: Vec<Icon<'a>>,
        /// As a task or not; 2025-11-25 alone.
        "execution" => execution: ToolExecution<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// One page of the tools.
    ListToolsResult {
        /// The tools.
        "tools" => tools: Vec<Tool<'a>>,
    } optional {
        /// Where the next page begins, if there is one.
        "nextCursor" => next_cursor: Cow<'a, str>,
        /// Milliseconds that it may be kept; from 2026-07-28.
        "ttlMs" => ttl_ms: Number<'a>,
        /// Who may share what is kept; from 2026-07-28.
        "cacheScope" => cache_scope: CacheScope<'a>,
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// A call of a tool.
    CallToolRequestParams {
        /// The tool.
        "name" => name: Cow<'a, str>,
    } optional {
        /// Its arguments.
        "arguments" => arguments: Object<'a>,
        /// That it is to be a task; 2025-11-25 alone.
        "task" => task: TaskMetadata<'a>,
        /// Answers to the questions of an earlier round; from 2026-07-28.
        "inputResponses" => input_responses: InputResponses<'a>,
        /// What the server gave with those questions, unchanged; from 2026-07-28.
        "requestState" => request_state: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// What a tool returned.
    CallToolResult {
        /// For the model to read.
        "content" => content: Vec<ContentBlock<'a>>,
    } optional {
        /// As data: an object in 2025-06-18 and 2025-11-25, any value since.
        "structuredContent" => structured_content: Raw<'a>,
        /// Whether the tool failed; absent is no.
        "isError" => is_error: bool,
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }
}

/// `tools/list`.
pub type ListToolsRequest<'a> = Request<'a, Option<PaginatedRequestParams<'a>>>;
/// The response to `tools/list`.
pub type ListToolsResultResponse<'a> = Response<'a, ListToolsResult<'a>>;
/// `tools/call`.
pub type CallToolRequest<'a> = Request<'a, CallToolRequestParams<'a>>;
/// The response to `tools/call`.
pub type CallToolResultResponse<'a> = Response<'a, InputRequiredOr<'a, CallToolResult<'a>>>;
/// `notifications/tools/list_changed`.
pub type ToolListChangedNotification<'a> = Notification<'a, Option<NotificationParams<'a>>>;

impl ToolAnnotations<'_> {
    /// Whether it says that the tool changes nothing; else it may.
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }
    /// Whether it may destroy: of a tool that changes something, unless it says no.
    pub fn is_destructive(&self) -> bool {
        !self.is_read_only() && self.destructive_hint.unwrap_or(true)
    }
    /// Whether to repeat a call is safe: of a tool that changes something, only if it says so.
    pub fn is_idempotent(&self) -> bool {
        self.is_read_only() || self.idempotent_hint.unwrap_or(false)
    }
    /// Whether it deals with an open world; it does unless it says no.
    pub fn is_open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

impl Tool<'_> {
    /// What to show people: `title`, else that of the annotations, else the name.
    pub fn display_name(&self) -> &str {
        let annotated = self.annotations.as_ref().and_then(|annotations| annotations.title.as_deref());
        self.title.as_deref().or(annotated).unwrap_or(&self.name)
    }
}

impl<'a> CallToolResult<'a> {
    /// One text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }
    /// A failure of the tool, told to the model.
    pub fn error(text: impl Into<Cow<'a, str>>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }
    /// Data, and as its text for clients that read only that. Up to 2025-11-25 it must be an object.
    pub fn structured(value: &(impl Serialize + ?Sized)) -> Result<CallToolResult<'static>, Misfit> {
        let data = Raw::of(value).map_err(|error| Misfit::new(alloc::format!("{error}")))?;
        let text = ContentBlock::text(data.to_json());
        Ok(CallToolResult { structured_content: Some(data), ..CallToolResult::new(vec![text]) })
    }
}
