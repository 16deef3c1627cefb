//! Sampling: a server asks the client's model (`client/sampling`).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    MetaObject, Number, Object, OneOrMany, Request, RequestMetaObject, ResultMetaObject, ResultType, Role,
    SamplingMessageContentBlock, TaskMetadata, Tool,
};

words! {
    /// Whose context the client adds to the messages.
    IncludeContext {
        /// Nobody's; the meaning of an absent member.
        None = "none",
        /// That of the server which asks.
        ThisServer = "thisServer",
        /// That of all servers.
        AllServers = "allServers",
    }

    /// Whether the model uses tools; from 2025-11-25.
    ToolChoiceMode {
        /// As it sees fit; the meaning of an absent member.
        Auto = "auto",
        /// At least one.
        Required = "required",
        /// None.
        None = "none",
    }

    /// Why the model stopped. Any other word is allowed.
    StopReason {
        /// It had said all.
        EndTurn = "endTurn",
        /// It came to one of the given sequences.
        StopSequence = "stopSequence",
        /// It came to the limit of tokens.
        MaxTokens = "maxTokens",
        /// It wants to use tools; from 2025-11-25.
        ToolUse = "toolUse",
    }
}

objects! {
    /// Whether the model uses tools; from 2025-11-25.
    ToolChoice {} optional {
        /// Whether.
        "mode" => mode: ToolChoiceMode<'a>,
    }

    /// A wish for a model.
    ModelHint {} optional {
        /// A model's name or a part of it.
        "name" => name: Cow<'a, str>,
    }

    /// Wishes for a model. Priorities are from 0 to 1.
    ModelPreferences {} optional {
        /// Models, the preferred ones first.
        "hints" => hints: Vec<ModelHint<'a>>,
        /// How much it should be cheap.
        "costPriority" => cost_priority: Number<'a>,
        /// How much it should be fast.
        "speedPriority" => speed_priority: Number<'a>,
        /// How much it should be clever.
        "intelligencePriority" => intelligence_priority: Number<'a>,
    }

    /// A message to a model or by it.
    SamplingMessage {
        /// Who says it.
        "role" => role: Role<'a>,
        /// What is said: one block up to 2025-06-18, one or more since.
        "content" => content: OneOrMany<SamplingMessageContentBlock<'a>>,
    } optional {
        /// Metadata; from 2025-11-25.
        "_meta" => meta: MetaObject<'a>,
    }

    /// What the model is asked.
    CreateMessageRequestParams {
        /// The conversation.
        "messages" => messages: Vec<SamplingMessage<'a>>,
        /// Tokens that may be made at most.
        "maxTokens" => max_tokens: Number<'a>,
    } optional {
        /// Which model.
        "modelPreferences" => model_preferences: ModelPreferences<'a>,
        /// The system prompt; the client may change it.
        "systemPrompt" => system_prompt: Cow<'a, str>,
        /// Whose context is added.
        "includeContext" => include_context: IncludeContext<'a>,
        /// The model's temperature.
        "temperature" => temperature: Number<'a>,
        /// What ends the text.
        "stopSequences" => stop_sequences: Vec<Cow<'a, str>>,
        /// For the provider of the model.
        "metadata" => metadata: Object<'a>,
        /// Tools that the model may use; from 2025-11-25.
        "tools" => tools: Vec<Tool<'a>>,
        /// Whether it uses them; from 2025-11-25.
        "toolChoice" => tool_choice: ToolChoice<'a>,
        /// That it is to be a task; 2025-11-25 alone.
        "task" => task: TaskMetadata<'a>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// What the model said.
    CreateMessageResult {
        /// Who says it: the model.
        "role" => role: Role<'a>,
        /// What is said: one block up to 2025-06-18, one or more since.
        "content" => content: OneOrMany<SamplingMessageContentBlock<'a>>,
        /// Which model.
        "model" => model: Cow<'a, str>,
    } optional {
        /// Why it stopped, if known.
        "stopReason" => stop_reason: StopReason<'a>,
        /// What kind of result it is, where it is a result of its own.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }
}

/// `sampling/createMessage`.
pub type CreateMessageRequest<'a> = Request<'a, CreateMessageRequestParams<'a>>;
