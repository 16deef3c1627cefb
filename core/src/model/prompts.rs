//! Prompts (`server/prompts`).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    ContentBlock, Icon, InputRequiredOr, InputResponses, Map, MetaObject, Notification, NotificationParams,
    Number, PaginatedRequestParams, Request, RequestMetaObject, Response, ResultMetaObject, ResultType, Role,
    meta::CacheScope,
};

objects! {
    /// An argument of a prompt.
    PromptArgument {
        /// What it is given by.
        "name" => name: Cow<'a, str>,
    } optional {
        /// A name for people; from 2025-06-18.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// Whether it must be given; absent is no.
        "required" => required: bool,
    }

    /// A prompt, or a template of one.
    Prompt {
        /// What it is got by.
        "name" => name: Cow<'a, str>,
    } optional {
        /// A name for people; from 2025-06-18.
        "title" => title: Cow<'a, str>,
        /// What it is for.
        "description" => description: Cow<'a, str>,
        /// What it can be filled with.
        "arguments" => arguments: Vec<PromptArgument<'a>>,
        /// Pictures for it; from 2025-11-25.
        "icons" => icons: Vec<Icon<'a>>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// One message of a prompt.
    PromptMessage {
        /// Who says it.
        "role" => role: Role<'a>,
        /// What is said.
        "content" => content: ContentBlock<'a>,
    } optional {}

    /// One page of the prompts.
    ListPromptsResult {
        /// The prompts.
        "prompts" => prompts: Vec<Prompt<'a>>,
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

    /// Which prompt.
    GetPromptRequestParams {
        /// The prompt.
        "name" => name: Cow<'a, str>,
    } optional {
        /// Its arguments.
        "arguments" => arguments: Map<'a, Cow<'a, str>>,
        /// Answers to the questions of an earlier round; from 2026-07-28.
        "inputResponses" => input_responses: InputResponses<'a>,
        /// What the server gave with those questions, unchanged; from 2026-07-28.
        "requestState" => request_state: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// A prompt, filled.
    GetPromptResult {
        /// Its messages.
        "messages" => messages: Vec<PromptMessage<'a>>,
    } optional {
        /// What it is for.
        "description" => description: Cow<'a, str>,
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }
}

/// `prompts/list`.
pub type ListPromptsRequest<'a> = Request<'a, Option<PaginatedRequestParams<'a>>>;
/// The response to `prompts/list`.
pub type ListPromptsResultResponse<'a> = Response<'a, ListPromptsResult<'a>>;
/// `prompts/get`.
pub type GetPromptRequest<'a> = Request<'a, GetPromptRequestParams<'a>>;
/// The response to `prompts/get`.
pub type GetPromptResultResponse<'a> = Response<'a, InputRequiredOr<'a, GetPromptResult<'a>>>;
/// `notifications/prompts/list_changed`.
pub type PromptListChangedNotification<'a> = Notification<'a, Option<NotificationParams<'a>>>;

impl<'a> PromptMessage<'a> {
    /// A text of the user.
    pub fn user(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(Role::User, ContentBlock::text(text))
    }
    /// A text of the model.
    pub fn assistant(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(Role::Assistant, ContentBlock::text(text))
    }
}
