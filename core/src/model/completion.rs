//! Completion of arguments (`server/utilities/completion`).
use alloc::{borrow::Cow, vec::Vec};

use super::{Map, Number, Request, RequestMetaObject, Response, ResultMetaObject, ResultType, codec::tagged};

objects! {
    /// An argument of a prompt is completed.
    PromptReference("type" = "ref/prompt") {
        /// The prompt.
        "name" => name: Cow<'a, str>,
    } optional {
        /// Its name for people; from 2025-06-18.
        "title" => title: Cow<'a, str>,
    }

    /// A variable of a resource template is completed. Up to 2025-03-26 its name is `ResourceReference`.
    ResourceTemplateReference("type" = "ref/resource") {
        /// The template.
        "uri" => uri: Cow<'a, str>,
    } optional {}

    /// What is completed.
    CompletionArgument {
        /// The argument or variable.
        "name" => name: Cow<'a, str>,
        /// What was typed so far.
        "value" => value: Cow<'a, str>,
    } optional {}

    /// What is known already; from 2025-06-18.
    CompletionContext {} optional {
        /// The arguments or variables that are filled.
        "arguments" => arguments: Map<'a, Cow<'a, str>>,
    }

    /// What is to be completed.
    CompleteRequestParams {
        /// Of what.
        "ref" => reference: CompletionReference<'a>,
        /// Which argument.
        "argument" => argument: CompletionArgument<'a>,
    } optional {
        /// What is known already; from 2025-06-18.
        "context" => context: CompletionContext<'a>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// Suggestions.
    Completion {
        /// They themselves: 100 at most.
        "values" => values: Vec<Cow<'a, str>>,
    } optional {
        /// How many there are in all.
        "total" => total: Number<'a>,
        /// Whether there are more than these.
        "hasMore" => has_more: bool,
    }

    /// Suggestions, as a result.
    CompleteResult {
        /// The suggestions.
        "completion" => completion: Completion<'a>,
    } optional {
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }
}

unions! {
    /// Of what an argument is completed.
    CompletionReference by tagged("type") => {
        /// Of a prompt.
        "ref/prompt" => Prompt(PromptReference<'a>),
        /// Of a resource template.
        "ref/resource" => Resource(ResourceTemplateReference<'a>),
    }
}

/// The name that [`ResourceTemplateReference`] had up to 2025-03-26.
pub type ResourceReference<'a> = ResourceTemplateReference<'a>;
/// `completion/complete`.
pub type CompleteRequest<'a> = Request<'a, CompleteRequestParams<'a>>;
/// The response to `completion/complete`.
pub type CompleteResultResponse<'a> = Response<'a, CompleteResult<'a>>;
