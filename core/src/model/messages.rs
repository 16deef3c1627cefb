//! Messages, and which of them each side sends (`basic/index`).
use alloc::borrow::Cow;

use super::{
    CallToolRequest, CancelTaskRequest, CancelledNotification, CompleteRequest, CreateMessageRequest,
    DiscoverRequest, ElicitRequest, ElicitationCompleteNotification, EmptyResult, GetPromptRequest,
    GetTaskPayloadRequest, GetTaskRequest, InitializeRequest, InitializedNotification, JSONRPCErrorResponse,
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListRootsRequest,
    ListTasksRequest, ListToolsRequest, LoggingMessageNotification, Object, OneOrMany,
    PaginatedRequestParams, PingRequest, ProgressNotification, PromptListChangedNotification,
    ReadResourceRequest, RequestId, ResourceListChangedNotification, ResourceUpdatedNotification,
    RootsListChangedNotification, SetLevelRequest, SubscribeRequest, SubscriptionsAcknowledgedNotification,
    SubscriptionsListenRequest, TaskStatusNotification, ToolListChangedNotification, UnsubscribeRequest,
    codec::{having, tagged},
};

objects! {
    /// A request. `P` is its params, or an `Option`.
    Request<P> {
        /// The method.
        "method" => method: Cow<'a, str>,
        /// What is asked.
        "params" => params: P,
    } optional {
        /// `2.0`; absent from a question in a result.
        "jsonrpc" => jsonrpc: Cow<'a, str>,
        /// What it is answered by; absent from a question in a result.
        "id" => id: RequestId<'a>,
    }

    /// A notice. `P` is its params, or an `Option`.
    Notification<P> {
        /// The method.
        "method" => method: Cow<'a, str>,
        /// What is said.
        "params" => params: P,
    } optional {
        /// `2.0`.
        "jsonrpc" => jsonrpc: Cow<'a, str>,
    }

    /// The response to a request that succeeded.
    Response<R>("jsonrpc" = "2.0") {
        /// The request.
        "id" => id: RequestId<'a>,
        /// Its result.
        "result" => result: R,
    } optional {}
}

/// Any request.
pub type JSONRPCRequest<'a> = Request<'a, Option<Object<'a>>>;
/// Any notice.
pub type JSONRPCNotification<'a> = Notification<'a, Option<Object<'a>>>;
/// Any response to a request that succeeded.
pub type JSONRPCResultResponse<'a> = Response<'a, EmptyResult<'a>>;
/// Any response. Up to 2025-06-18 it is one to a request that succeeded.
pub type JSONRPCResponse<'a> = JSONRPCMessage<'a>;
/// A batch of requests and notices; 2025-03-26 alone.
pub type JSONRPCBatchRequest<'a> = OneOrMany<JSONRPCMessage<'a>>;
/// A batch of responses; 2025-03-26 alone.
pub type JSONRPCBatchResponse<'a> = OneOrMany<JSONRPCMessage<'a>>;
/// A request for a page of any list.
pub type PaginatedRequest<'a> = Request<'a, Option<PaginatedRequestParams<'a>>>;

unions! {
    /// Any message. A line of 2025-03-26 may be a batch: `OneOrMany<JSONRPCMessage>`.
    JSONRPCMessage by message_kind => {
        /// A request.
        "request" => Request(JSONRPCRequest<'a>),
        /// A notice.
        "notification" => Notification(JSONRPCNotification<'a>),
        /// A response to a request that succeeded.
        "result" => Result(JSONRPCResultResponse<'a>),
        /// A response to one that failed.
        "error" => Error(JSONRPCErrorResponse<'a>),
    }

    /// A request that a client sends.
    ClientRequest by tagged("method") => {
        /// Begins a session.
        "initialize" => Initialize(InitializeRequest<'a>),
        /// Asks whether the server is there.
        "ping" => Ping(PingRequest<'a>),
        /// Asks what the server is and can do.
        "server/discover" => Discover(DiscoverRequest<'a>),
        /// Lists the resources.
        "resources/list" => ListResources(ListResourcesRequest<'a>),
        /// Lists the templates of resources.
        "resources/templates/list" => ListResourceTemplates(ListResourceTemplatesRequest<'a>),
        /// Reads a resource.
        "resources/read" => ReadResource(ReadResourceRequest<'a>),
        /// Wants to hear of changes of a resource.
        "resources/subscribe" => Subscribe(SubscribeRequest<'a>),
        /// No longer wants to.
        "resources/unsubscribe" => Unsubscribe(UnsubscribeRequest<'a>),
        /// Wants to hear of changes.
        "subscriptions/listen" => SubscriptionsListen(SubscriptionsListenRequest<'a>),
        /// Lists the prompts.
        "prompts/list" => ListPrompts(ListPromptsRequest<'a>),
        /// Gets a prompt.
        "prompts/get" => GetPrompt(GetPromptRequest<'a>),
        /// Lists the tools.
        "tools/list" => ListTools(ListToolsRequest<'a>),
        /// Calls a tool.
        "tools/call" => CallTool(CallToolRequest<'a>),
        /// Says how severe log messages must be.
        "logging/setLevel" => SetLevel(SetLevelRequest<'a>),
        /// Asks for completions of an argument.
        "completion/complete" => Complete(CompleteRequest<'a>),
        /// Asks how far a task is.
        "tasks/get" => GetTask(GetTaskRequest<'a>),
        /// Waits for the result of a task.
        "tasks/result" => GetTaskPayload(GetTaskPayloadRequest<'a>),
        /// Cancels a task.
        "tasks/cancel" => CancelTask(CancelTaskRequest<'a>),
        /// Lists the tasks.
        "tasks/list" => ListTasks(ListTasksRequest<'a>),
    }

    /// A request that a server sends; up to 2025-11-25.
    ServerRequest by tagged("method") => {
        /// Asks whether the client is there.
        "ping" => Ping(PingRequest<'a>),
        /// Asks the model.
        "sampling/createMessage" => CreateMessage(CreateMessageRequest<'a>),
        /// Asks for the roots.
        "roots/list" => ListRoots(ListRootsRequest<'a>),
        /// Asks the user.
        "elicitation/create" => Elicit(ElicitRequest<'a>),
        /// Asks how far a task is.
        "tasks/get" => GetTask(GetTaskRequest<'a>),
        /// Waits for the result of a task.
        "tasks/result" => GetTaskPayload(GetTaskPayloadRequest<'a>),
        /// Cancels a task.
        "tasks/cancel" => CancelTask(CancelTaskRequest<'a>),
        /// Lists the tasks.
        "tasks/list" => ListTasks(ListTasksRequest<'a>),
    }

    /// A notice that a client sends.
    ClientNotification by tagged("method") => {
        /// It is ready.
        "notifications/initialized" => Initialized(InitializedNotification<'a>),
        /// A request is no longer wanted.
        "notifications/cancelled" => Cancelled(CancelledNotification<'a>),
        /// How far a request is.
        "notifications/progress" => Progress(ProgressNotification<'a>),
        /// The roots changed.
        "notifications/roots/list_changed" => RootsListChanged(RootsListChangedNotification<'a>),
        /// The status of a task changed.
        "notifications/tasks/status" => TaskStatus(TaskStatusNotification<'a>),
    }

    /// A notice that a server sends.
    ServerNotification by tagged("method") => {
        /// A request is no longer wanted.
        "notifications/cancelled" => Cancelled(CancelledNotification<'a>),
        /// How far a request is.
        "notifications/progress" => Progress(ProgressNotification<'a>),
        /// A message of the log.
        "notifications/message" => LoggingMessage(LoggingMessageNotification<'a>),
        /// A resource changed.
        "notifications/resources/updated" => ResourceUpdated(ResourceUpdatedNotification<'a>),
        /// The list of resources changed.
        "notifications/resources/list_changed" => ResourceListChanged(ResourceListChangedNotification<'a>),
        /// The list of prompts changed.
        "notifications/prompts/list_changed" => PromptListChanged(PromptListChangedNotification<'a>),
        /// The list of tools changed.
        "notifications/tools/list_changed" => ToolListChanged(ToolListChangedNotification<'a>),
        /// Which changes the client will hear of.
        "notifications/subscriptions/acknowledged" =>
            SubscriptionsAcknowledged(SubscriptionsAcknowledgedNotification<'a>),
        /// The status of a task changed.
        "notifications/tasks/status" => TaskStatus(TaskStatusNotification<'a>),
        /// What happened on a page has come to its end.
        "notifications/elicitation/complete" => ElicitationComplete(ElicitationCompleteNotification<'a>),
    }
}

fn message_kind(json: crate::json::Json<'_>) -> Option<Cow<'_, str>> {
    let kind = having(&["method", "error", "result"])(json)?;
    Some(match &*kind {
        "method" if json.member("id").is_some() => "request".into(),
        "method" => "notification".into(),
        _ => kind,
    })
}
