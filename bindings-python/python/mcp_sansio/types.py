"""The payloads of the protocol as types, one for each name in the schemas of all five revisions.

They are dictionaries as `json` makes and takes them. A member that one of the revisions lacks, or lets out, is
`NotRequired`; a word may be another than those listed, and an object may have members that are not. Made by
`tests/types/generate.py`.
"""

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

__all__ = [
    "Annotated",
    "Annotations",
    "AudioContent",
    "BaseMetadata",
    "BlobResourceContents",
    "BooleanSchema",
    "CacheableResult",
    "CallToolRequest",
    "CallToolRequestParams",
    "CallToolResult",
    "CallToolResultResponse",
    "CancelTaskRequest",
    "CancelTaskRequestParams",
    "CancelTaskResult",
    "CancelledNotification",
    "CancelledNotificationParams",
    "ClientCapabilities",
    "ClientCapabilitiesElicitation",
    "ClientCapabilitiesRoots",
    "ClientCapabilitiesSampling",
    "ClientCapabilitiesTasks",
    "ClientCapabilitiesTasksRequests",
    "ClientCapabilitiesTasksRequestsElicitation",
    "ClientCapabilitiesTasksRequestsSampling",
    "ClientNotification",
    "ClientRequest",
    "ClientResult",
    "CompleteRequest",
    "CompleteRequestParams",
    "CompleteRequestParamsArgument",
    "CompleteRequestParamsContext",
    "CompleteResult",
    "CompleteResultCompletion",
    "CompleteResultResponse",
    "ContentBlock",
    "CreateMessageRequest",
    "CreateMessageRequestParams",
    "CreateMessageResult",
    "CreateTaskResult",
    "Cursor",
    "DiscoverRequest",
    "DiscoverResult",
    "DiscoverResultResponse",
    "ElicitRequest",
    "ElicitRequestFormParams",
    "ElicitRequestFormParamsRequestedSchema",
    "ElicitRequestParams",
    "ElicitRequestURLParams",
    "ElicitResult",
    "ElicitationCompleteNotification",
    "ElicitationCompleteNotificationParams",
    "EmbeddedResource",
    "EmptyResult",
    "EnumSchema",
    "Error",
    "GetPromptRequest",
    "GetPromptRequestParams",
    "GetPromptResult",
    "GetPromptResultResponse",
    "GetTaskPayloadRequest",
    "GetTaskPayloadRequestParams",
    "GetTaskPayloadResult",
    "GetTaskRequest",
    "GetTaskRequestParams",
    "GetTaskResult",
    "HeaderMismatchError",
    "HeaderMismatchErrorError",
    "Icon",
    "Icons",
    "ImageContent",
    "Implementation",
    "InitializeRequest",
    "InitializeRequestParams",
    "InitializeResult",
    "InitializedNotification",
    "InputRequest",
    "InputRequests",
    "InputRequiredResult",
    "InputResponse",
    "InputResponseRequestParams",
    "InputResponses",
    "InternalError",
    "InvalidParamsError",
    "InvalidRequestError",
    "JSONArray",
    "JSONObject",
    "JSONRPCBatchRequest",
    "JSONRPCBatchResponse",
    "JSONRPCError",
    "JSONRPCErrorResponse",
    "JSONRPCMessage",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResponse",
    "JSONRPCResultResponse",
    "JSONValue",
    "LegacyTitledEnumSchema",
    "ListPromptsRequest",
    "ListPromptsResult",
    "ListPromptsResultResponse",
    "ListResourceTemplatesRequest",
    "ListResourceTemplatesResult",
    "ListResourceTemplatesResultResponse",
    "ListResourcesRequest",
    "ListResourcesResult",
    "ListResourcesResultResponse",
    "ListRootsRequest",
    "ListRootsResult",
    "ListTasksRequest",
    "ListTasksResult",
    "ListToolsRequest",
    "ListToolsResult",
    "ListToolsResultResponse",
    "LoggingLevel",
    "LoggingMessageNotification",
    "LoggingMessageNotificationParams",
    "MetaObject",
    "MethodNotFoundError",
    "MissingRequiredClientCapabilityError",
    "MissingRequiredClientCapabilityErrorError",
    "MissingRequiredClientCapabilityErrorErrorData",
    "ModelHint",
    "ModelPreferences",
    "MultiSelectEnumSchema",
    "Notification",
    "NotificationMetaObject",
    "NotificationParams",
    "NumberSchema",
    "PaginatedRequest",
    "PaginatedRequestParams",
    "PaginatedResult",
    "ParseError",
    "PingRequest",
    "PrimitiveSchemaDefinition",
    "ProgressNotification",
    "ProgressNotificationParams",
    "ProgressToken",
    "Prompt",
    "PromptArgument",
    "PromptListChangedNotification",
    "PromptMessage",
    "PromptReference",
    "ReadResourceRequest",
    "ReadResourceRequestParams",
    "ReadResourceResult",
    "ReadResourceResultResponse",
    "RelatedTaskMetadata",
    "Request",
    "RequestId",
    "RequestMetaObject",
    "RequestParams",
    "Resource",
    "ResourceContents",
    "ResourceLink",
    "ResourceListChangedNotification",
    "ResourceReference",
    "ResourceRequestParams",
    "ResourceTemplate",
    "ResourceTemplateReference",
    "ResourceUpdatedNotification",
    "ResourceUpdatedNotificationParams",
    "Result",
    "ResultMetaObject",
    "ResultType",
    "Role",
    "Root",
    "RootsListChangedNotification",
    "SamplingMessage",
    "SamplingMessageContentBlock",
    "ServerCapabilities",
    "ServerCapabilitiesPrompts",
    "ServerCapabilitiesResources",
    "ServerCapabilitiesTasks",
    "ServerCapabilitiesTasksRequests",
    "ServerCapabilitiesTasksRequestsTools",
    "ServerCapabilitiesTools",
    "ServerNotification",
    "ServerRequest",
    "ServerResult",
    "SetLevelRequest",
    "SetLevelRequestParams",
    "SingleSelectEnumSchema",
    "StringSchema",
    "SubscribeRequest",
    "SubscribeRequestParams",
    "SubscriptionFilter",
    "SubscriptionsAcknowledgedNotification",
    "SubscriptionsAcknowledgedNotificationParams",
    "SubscriptionsListenRequest",
    "SubscriptionsListenRequestParams",
    "SubscriptionsListenResult",
    "SubscriptionsListenResultMetaObject",
    "SubscriptionsListenResultResponse",
    "Task",
    "TaskAugmentedRequestParams",
    "TaskMetadata",
    "TaskStatus",
    "TaskStatusNotification",
    "TaskStatusNotificationParams",
    "TextContent",
    "TextResourceContents",
    "TitledMultiSelectEnumSchema",
    "TitledMultiSelectEnumSchemaItems",
    "TitledMultiSelectEnumSchemaItemsAnyOfItem",
    "TitledSingleSelectEnumSchema",
    "TitledSingleSelectEnumSchemaOneOfItem",
    "Tool",
    "ToolAnnotations",
    "ToolChoice",
    "ToolExecution",
    "ToolListChangedNotification",
    "ToolResultContent",
    "ToolUseContent",
    "URLElicitationRequiredError",
    "URLElicitationRequiredErrorError",
    "URLElicitationRequiredErrorErrorData",
    "UnsubscribeRequest",
    "UnsubscribeRequestParams",
    "UnsupportedProtocolVersionError",
    "UnsupportedProtocolVersionErrorError",
    "UnsupportedProtocolVersionErrorErrorData",
    "UntitledMultiSelectEnumSchema",
    "UntitledMultiSelectEnumSchemaItems",
    "UntitledSingleSelectEnumSchema",
]


Role: TypeAlias = Literal["assistant", "user"] | str
"""`Role` of 2024-11-05 to 2026-07-28: `server/tools`."""


class Annotations(TypedDict):
    """`Annotations` of 2025-03-26 to 2026-07-28: `server/tools`."""

    audience: NotRequired[list[Role]]
    lastModified: NotRequired[str]
    priority: NotRequired[float]


class Annotated(TypedDict):
    """`Annotated` of 2024-11-05: `server/tools`."""

    annotations: NotRequired[Annotations]


MetaObject: TypeAlias = dict[str, Any]
"""`MetaObject` of 2026-07-28: `basic`."""


class AudioContent(TypedDict):
    """`AudioContent` of 2025-03-26 to 2026-07-28: `server/tools`."""

    data: str
    mimeType: str
    type: Literal["audio"]
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[Annotations]


class BaseMetadata(TypedDict):
    """`BaseMetadata` of 2025-06-18 to 2026-07-28: `basic`."""

    name: str
    title: NotRequired[str]


class BlobResourceContents(TypedDict):
    """`BlobResourceContents` of 2024-11-05 to 2026-07-28: `server/resources`."""

    blob: str
    uri: str
    _meta: NotRequired[MetaObject]
    mimeType: NotRequired[str]


class BooleanSchema(TypedDict):
    """`BooleanSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`."""

    type: Literal["boolean"]
    default: NotRequired[bool]
    description: NotRequired[str]
    title: NotRequired[str]


class Icon(TypedDict):
    """`Icon` of 2025-11-25 to 2026-07-28: `basic`."""

    src: str
    mimeType: NotRequired[str]
    sizes: NotRequired[list[str]]
    theme: NotRequired[Literal["dark", "light"] | str]


class Implementation(TypedDict):
    """`Implementation` of 2024-11-05 to 2026-07-28: `basic/lifecycle, basic/versioning`."""

    name: str
    version: str
    description: NotRequired[str]
    icons: NotRequired[list[Icon]]
    title: NotRequired[str]
    websiteUrl: NotRequired[str]


ResultMetaObject = TypedDict(
    "ResultMetaObject",
    {
        "io.modelcontextprotocol/serverInfo": NotRequired[Implementation],
    },
)
"""`ResultMetaObject` of 2026-07-28: `basic`."""


class CacheableResult(TypedDict):
    """`CacheableResult` of 2026-07-28: `server/utilities/caching`."""

    cacheScope: Literal["private", "public"] | str
    resultType: str
    ttlMs: int
    _meta: NotRequired[ResultMetaObject]


ProgressToken: TypeAlias = str | int
"""`ProgressToken` of 2024-11-05 to 2026-07-28: `basic/utilities/progress, basic/patterns/progress`."""


class ClientCapabilitiesElicitation(TypedDict):
    """A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`."""

    form: NotRequired[dict[str, Any]]
    url: NotRequired[dict[str, Any]]


class ClientCapabilitiesRoots(TypedDict):
    """A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`."""

    listChanged: NotRequired[bool]


class ClientCapabilitiesSampling(TypedDict):
    """A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`."""

    context: NotRequired[dict[str, Any]]
    tools: NotRequired[dict[str, Any]]


class ClientCapabilitiesTasksRequestsElicitation(TypedDict):
    """A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`."""

    create: NotRequired[dict[str, Any]]


class ClientCapabilitiesTasksRequestsSampling(TypedDict):
    """A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`."""

    createMessage: NotRequired[dict[str, Any]]


class ClientCapabilitiesTasksRequests(TypedDict):
    """A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`."""

    elicitation: NotRequired[ClientCapabilitiesTasksRequestsElicitation]
    sampling: NotRequired[ClientCapabilitiesTasksRequestsSampling]


class ClientCapabilitiesTasks(TypedDict):
    """A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`."""

    cancel: NotRequired[dict[str, Any]]
    list: NotRequired[dict[str, Any]]
    requests: NotRequired[ClientCapabilitiesTasksRequests]


class ClientCapabilities(TypedDict):
    """`ClientCapabilities` of 2024-11-05 to 2026-07-28: `basic/lifecycle, basic/versioning`."""

    elicitation: NotRequired[ClientCapabilitiesElicitation]
    experimental: NotRequired[dict[str, dict[str, Any]]]
    extensions: NotRequired[dict[str, dict[str, Any]]]
    roots: NotRequired[ClientCapabilitiesRoots]
    sampling: NotRequired[ClientCapabilitiesSampling]
    tasks: NotRequired[ClientCapabilitiesTasks]


LoggingLevel: TypeAlias = Literal["alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"] | str
"""`LoggingLevel` of 2024-11-05 to 2026-07-28: `server/utilities/logging`."""


RequestMetaObject = TypedDict(
    "RequestMetaObject",
    {
        "progressToken": NotRequired[ProgressToken],
        "io.modelcontextprotocol/clientCapabilities": NotRequired[ClientCapabilities],
        "io.modelcontextprotocol/clientInfo": NotRequired[Implementation],
        "io.modelcontextprotocol/logLevel": NotRequired[LoggingLevel],
        "io.modelcontextprotocol/protocolVersion": NotRequired[str],
    },
)
"""`RequestMetaObject` of 2026-07-28: `basic`."""


class TextContent(TypedDict):
    """`TextContent` of 2024-11-05 to 2026-07-28: `server/tools`."""

    text: str
    type: Literal["text"]
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[Annotations]


class ImageContent(TypedDict):
    """`ImageContent` of 2024-11-05 to 2026-07-28: `server/tools`."""

    data: str
    mimeType: str
    type: Literal["image"]
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[Annotations]


class ToolUseContent(TypedDict):
    """`ToolUseContent` of 2025-11-25 to 2026-07-28: `client/sampling`."""

    id: str
    input: dict[str, Any]
    name: str
    type: Literal["tool_use"]
    _meta: NotRequired[MetaObject]


class ResourceLink(TypedDict):
    """`ResourceLink` of 2025-06-18 to 2026-07-28: `server/resources`."""

    name: str
    type: Literal["resource_link"]
    uri: str
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[Annotations]
    description: NotRequired[str]
    icons: NotRequired[list[Icon]]
    mimeType: NotRequired[str]
    size: NotRequired[int]
    title: NotRequired[str]


class TextResourceContents(TypedDict):
    """`TextResourceContents` of 2024-11-05 to 2026-07-28: `server/resources`."""

    text: str
    uri: str
    _meta: NotRequired[MetaObject]
    mimeType: NotRequired[str]


class EmbeddedResource(TypedDict):
    """`EmbeddedResource` of 2024-11-05 to 2026-07-28: `server/resources`."""

    resource: TextResourceContents | BlobResourceContents
    type: Literal["resource"]
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[Annotations]


ContentBlock: TypeAlias = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
"""`ContentBlock` of 2025-06-18 to 2026-07-28: `server/tools`."""


class ToolResultContent(TypedDict):
    """`ToolResultContent` of 2025-11-25 to 2026-07-28: `client/sampling`."""

    content: list[ContentBlock]
    toolUseId: str
    type: Literal["tool_result"]
    _meta: NotRequired[MetaObject]
    isError: NotRequired[bool]
    structuredContent: NotRequired[Any]


SamplingMessageContentBlock: TypeAlias = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent
"""`SamplingMessageContentBlock` of 2025-11-25 to 2026-07-28: `client/sampling`."""


class CreateMessageResult(TypedDict):
    """`CreateMessageResult` of 2024-11-05 to 2026-07-28: `client/sampling`."""

    content: (
        TextContent
        | ImageContent
        | AudioContent
        | ToolUseContent
        | ToolResultContent
        | list[SamplingMessageContentBlock]
    )
    model: str
    role: Role
    _meta: NotRequired[MetaObject]
    stopReason: NotRequired[str]


class Root(TypedDict):
    """`Root` of 2024-11-05 to 2026-07-28: `client/roots`."""

    uri: str
    _meta: NotRequired[MetaObject]
    name: NotRequired[str]


class ListRootsResult(TypedDict):
    """`ListRootsResult` of 2024-11-05 to 2026-07-28: `client/roots`."""

    roots: list[Root]
    _meta: NotRequired[dict[str, Any]]


class ElicitResult(TypedDict):
    """`ElicitResult` of 2025-06-18 to 2026-07-28: `client/elicitation`."""

    action: Literal["accept", "cancel", "decline"] | str
    content: NotRequired[dict[str, str | float | bool | list[str]]]
    _meta: NotRequired[dict[str, Any]]


InputResponse: TypeAlias = CreateMessageResult | ListRootsResult | ElicitResult
"""`InputResponse` of 2026-07-28: `basic/patterns/mrtr`."""


InputResponses: TypeAlias = dict[str, InputResponse]
"""`InputResponses` of 2026-07-28: `basic/patterns/mrtr`."""


class TaskMetadata(TypedDict):
    """`TaskMetadata` of 2025-11-25: `basic/utilities/tasks`."""

    ttl: NotRequired[int]


class CallToolRequestParams(TypedDict):
    """`CallToolRequestParams` of 2025-11-25 to 2026-07-28: `server/tools`."""

    name: str
    arguments: NotRequired[dict[str, Any]]
    _meta: NotRequired[RequestMetaObject]
    inputResponses: NotRequired[InputResponses]
    requestState: NotRequired[str]
    task: NotRequired[TaskMetadata]


RequestId: TypeAlias = str | int
"""`RequestId` of 2024-11-05 to 2026-07-28: `basic`."""


class CallToolRequest(TypedDict):
    """`CallToolRequest` of 2024-11-05 to 2026-07-28: `server/tools`."""

    method: Literal["tools/call"]
    params: CallToolRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class CallToolResult(TypedDict):
    """`CallToolResult` of 2024-11-05 to 2026-07-28: `server/tools`."""

    content: list[ContentBlock]
    _meta: NotRequired[ResultMetaObject]
    isError: NotRequired[bool]
    resultType: NotRequired[str]
    structuredContent: NotRequired[Any]


class SamplingMessage(TypedDict):
    """`SamplingMessage` of 2024-11-05 to 2026-07-28: `client/sampling`."""

    content: (
        TextContent
        | ImageContent
        | AudioContent
        | ToolUseContent
        | ToolResultContent
        | list[SamplingMessageContentBlock]
    )
    role: Role
    _meta: NotRequired[MetaObject]


class ModelHint(TypedDict):
    """`ModelHint` of 2024-11-05 to 2026-07-28: `client/sampling`."""

    name: NotRequired[str]


class ModelPreferences(TypedDict):
    """`ModelPreferences` of 2024-11-05 to 2026-07-28: `client/sampling`."""

    costPriority: NotRequired[float]
    hints: NotRequired[list[ModelHint]]
    intelligencePriority: NotRequired[float]
    speedPriority: NotRequired[float]


class ToolChoice(TypedDict):
    """`ToolChoice` of 2025-11-25 to 2026-07-28: `client/sampling`."""

    mode: NotRequired[Literal["auto", "none", "required"] | str]


class ToolAnnotations(TypedDict):
    """`ToolAnnotations` of 2025-03-26 to 2026-07-28: `server/tools`."""

    destructiveHint: NotRequired[bool]
    idempotentHint: NotRequired[bool]
    openWorldHint: NotRequired[bool]
    readOnlyHint: NotRequired[bool]
    title: NotRequired[str]


class ToolExecution(TypedDict):
    """`ToolExecution` of 2025-11-25: `server/tools`."""

    taskSupport: NotRequired[Literal["forbidden", "optional", "required"] | str]


class Tool(TypedDict):
    """`Tool` of 2024-11-05 to 2026-07-28: `server/tools`."""

    inputSchema: dict[str, Any]
    name: str
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[ToolAnnotations]
    description: NotRequired[str]
    icons: NotRequired[list[Icon]]
    outputSchema: NotRequired[dict[str, Any]]
    title: NotRequired[str]
    execution: NotRequired[ToolExecution]


class CreateMessageRequestParams(TypedDict):
    """`CreateMessageRequestParams` of 2025-11-25 to 2026-07-28: `client/sampling`."""

    maxTokens: int
    messages: list[SamplingMessage]
    includeContext: NotRequired[Literal["allServers", "none", "thisServer"] | str]
    metadata: NotRequired[dict[str, Any]]
    modelPreferences: NotRequired[ModelPreferences]
    stopSequences: NotRequired[list[str]]
    systemPrompt: NotRequired[str]
    temperature: NotRequired[float]
    toolChoice: NotRequired[ToolChoice]
    tools: NotRequired[list[Tool]]
    _meta: NotRequired[RequestMetaObject]
    task: NotRequired[TaskMetadata]


class CreateMessageRequest(TypedDict):
    """`CreateMessageRequest` of 2024-11-05 to 2026-07-28: `client/sampling`."""

    method: Literal["sampling/createMessage"]
    params: CreateMessageRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class RequestParams(TypedDict):
    """`RequestParams` of 2025-11-25 to 2026-07-28: `basic`."""

    _meta: NotRequired[RequestMetaObject]


class ListRootsRequest(TypedDict):
    """`ListRootsRequest` of 2024-11-05 to 2026-07-28: `client/roots`."""

    method: Literal["roots/list"]
    params: NotRequired[RequestParams]
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class ElicitRequestURLParams(TypedDict):
    """`ElicitRequestURLParams` of 2025-11-25 to 2026-07-28: `client/elicitation`."""

    message: str
    mode: Literal["url"]
    url: str
    _meta: NotRequired[RequestMetaObject]
    elicitationId: NotRequired[str]
    task: NotRequired[TaskMetadata]


class StringSchema(TypedDict):
    """`StringSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`."""

    type: Literal["string"]
    default: NotRequired[str]
    description: NotRequired[str]
    format: NotRequired[Literal["date", "date-time", "email", "uri"] | str]
    maxLength: NotRequired[int]
    minLength: NotRequired[int]
    title: NotRequired[str]


class NumberSchema(TypedDict):
    """`NumberSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`."""

    type: Literal["integer", "number"] | str
    default: NotRequired[float]
    description: NotRequired[str]
    maximum: NotRequired[float]
    minimum: NotRequired[float]
    title: NotRequired[str]


class UntitledSingleSelectEnumSchema(TypedDict):
    """`UntitledSingleSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`."""

    enum: list[str]
    type: Literal["string"]
    default: NotRequired[str]
    description: NotRequired[str]
    title: NotRequired[str]


class TitledSingleSelectEnumSchemaOneOfItem(TypedDict):
    """A part of `TitledSingleSelectEnumSchema`: `client/elicitation`."""

    const: str
    title: str


class TitledSingleSelectEnumSchema(TypedDict):
    """`TitledSingleSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`."""

    oneOf: list[TitledSingleSelectEnumSchemaOneOfItem]
    type: Literal["string"]
    default: NotRequired[str]
    description: NotRequired[str]
    title: NotRequired[str]


class UntitledMultiSelectEnumSchemaItems(TypedDict):
    """A part of `UntitledMultiSelectEnumSchema`: `client/elicitation`."""

    enum: list[str]
    type: Literal["string"]


class UntitledMultiSelectEnumSchema(TypedDict):
    """`UntitledMultiSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`."""

    items: UntitledMultiSelectEnumSchemaItems
    type: Literal["array"]
    default: NotRequired[list[str]]
    description: NotRequired[str]
    maxItems: NotRequired[int]
    minItems: NotRequired[int]
    title: NotRequired[str]


class TitledMultiSelectEnumSchemaItemsAnyOfItem(TypedDict):
    """A part of `TitledMultiSelectEnumSchema`: `client/elicitation`."""

    const: str
    title: str


class TitledMultiSelectEnumSchemaItems(TypedDict):
    """A part of `TitledMultiSelectEnumSchema`: `client/elicitation`."""

    anyOf: list[TitledMultiSelectEnumSchemaItemsAnyOfItem]


class TitledMultiSelectEnumSchema(TypedDict):
    """`TitledMultiSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`."""

    items: TitledMultiSelectEnumSchemaItems
    type: Literal["array"]
    default: NotRequired[list[str]]
    description: NotRequired[str]
    maxItems: NotRequired[int]
    minItems: NotRequired[int]
    title: NotRequired[str]


class LegacyTitledEnumSchema(TypedDict):
    """`LegacyTitledEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`."""

    enum: list[str]
    type: Literal["string"]
    description: NotRequired[str]
    enumNames: NotRequired[list[str]]
    title: NotRequired[str]
    default: NotRequired[str]


EnumSchema: TypeAlias = (
    UntitledSingleSelectEnumSchema
    | TitledSingleSelectEnumSchema
    | UntitledMultiSelectEnumSchema
    | TitledMultiSelectEnumSchema
    | LegacyTitledEnumSchema
)
"""`EnumSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`."""


PrimitiveSchemaDefinition: TypeAlias = StringSchema | NumberSchema | BooleanSchema | EnumSchema
"""`PrimitiveSchemaDefinition` of 2025-06-18 to 2026-07-28: `client/elicitation`."""


ElicitRequestFormParamsRequestedSchema = TypedDict(
    "ElicitRequestFormParamsRequestedSchema",
    {
        "properties": dict[str, PrimitiveSchemaDefinition],
        "type": Literal["object"],
        "required": NotRequired[list[str]],
        "$schema": NotRequired[str],
    },
)
"""A part of `ElicitRequestFormParams`: `client/elicitation`."""


class ElicitRequestFormParams(TypedDict):
    """`ElicitRequestFormParams` of 2025-11-25 to 2026-07-28: `client/elicitation`."""

    message: str
    requestedSchema: ElicitRequestFormParamsRequestedSchema
    mode: NotRequired[Literal["form"]]
    _meta: NotRequired[RequestMetaObject]
    task: NotRequired[TaskMetadata]


ElicitRequestParams: TypeAlias = ElicitRequestURLParams | ElicitRequestFormParams
"""`ElicitRequestParams` of 2025-11-25 to 2026-07-28: `client/elicitation`."""


class ElicitRequest(TypedDict):
    """`ElicitRequest` of 2025-06-18 to 2026-07-28: `client/elicitation`."""

    method: Literal["elicitation/create"]
    params: ElicitRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


InputRequest: TypeAlias = CreateMessageRequest | ListRootsRequest | ElicitRequest
"""`InputRequest` of 2026-07-28: `basic/patterns/mrtr`."""


InputRequests: TypeAlias = dict[str, InputRequest]
"""`InputRequests` of 2026-07-28: `basic/patterns/mrtr`."""


class InputRequiredResult(TypedDict):
    """`InputRequiredResult` of 2026-07-28: `basic/patterns/mrtr`."""

    resultType: str
    _meta: NotRequired[ResultMetaObject]
    inputRequests: NotRequired[InputRequests]
    requestState: NotRequired[str]


class CallToolResultResponse(TypedDict):
    """`CallToolResultResponse` of 2026-07-28: `server/tools`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: InputRequiredResult | CallToolResult


class CancelTaskRequestParams(TypedDict):
    """A part of `CancelTaskRequest`: `basic/utilities/tasks`."""

    taskId: str


class CancelTaskRequest(TypedDict):
    """`CancelTaskRequest` of 2025-11-25: `basic/utilities/tasks`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    method: Literal["tasks/cancel"]
    params: CancelTaskRequestParams


TaskStatus: TypeAlias = Literal["cancelled", "completed", "failed", "input_required", "working"] | str
"""`TaskStatus` of 2025-11-25: `basic/utilities/tasks`."""


class CancelTaskResult(TypedDict):
    """`CancelTaskResult` of 2025-11-25: `basic/utilities/tasks`."""

    createdAt: str
    lastUpdatedAt: str
    status: TaskStatus
    taskId: str
    ttl: int | None
    _meta: NotRequired[dict[str, Any]]
    pollInterval: NotRequired[int]
    statusMessage: NotRequired[str]


NotificationMetaObject = TypedDict(
    "NotificationMetaObject",
    {
        "io.modelcontextprotocol/subscriptionId": NotRequired[RequestId],
    },
)
"""`NotificationMetaObject` of 2026-07-28: `basic`."""


class CancelledNotificationParams(TypedDict):
    """`CancelledNotificationParams` of 2025-11-25 to 2026-07-28: `basic/utilities/cancellation, basic/patterns/cancellation`."""

    reason: NotRequired[str]
    requestId: NotRequired[RequestId]
    _meta: NotRequired[NotificationMetaObject]


class CancelledNotification(TypedDict):
    """`CancelledNotification` of 2024-11-05 to 2026-07-28: `basic/utilities/cancellation, basic/patterns/cancellation`."""

    method: Literal["notifications/cancelled"]
    params: CancelledNotificationParams
    jsonrpc: NotRequired[Literal["2.0"]]


class NotificationParams(TypedDict):
    """`NotificationParams` of 2025-11-25 to 2026-07-28: `basic`."""

    _meta: NotRequired[NotificationMetaObject]


class InitializedNotification(TypedDict):
    """`InitializedNotification` of 2024-11-05 to 2025-11-25: `basic/lifecycle, basic/versioning`."""

    method: Literal["notifications/initialized"]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[NotificationParams]


class ProgressNotificationParams(TypedDict):
    """`ProgressNotificationParams` of 2025-11-25 to 2026-07-28: `basic/utilities/progress, basic/patterns/progress`."""

    progress: float
    progressToken: ProgressToken
    message: NotRequired[str]
    total: NotRequired[float]
    _meta: NotRequired[NotificationMetaObject]


class ProgressNotification(TypedDict):
    """`ProgressNotification` of 2024-11-05 to 2026-07-28: `basic/utilities/progress, basic/patterns/progress`."""

    method: Literal["notifications/progress"]
    params: ProgressNotificationParams
    jsonrpc: NotRequired[Literal["2.0"]]


class RootsListChangedNotification(TypedDict):
    """`RootsListChangedNotification` of 2024-11-05 to 2025-11-25: `client/roots`."""

    method: Literal["notifications/roots/list_changed"]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[NotificationParams]


class TaskStatusNotificationParams(TypedDict):
    """`TaskStatusNotificationParams` of 2025-11-25: `basic/utilities/tasks`."""

    createdAt: str
    lastUpdatedAt: str
    status: TaskStatus
    taskId: str
    ttl: int | None
    _meta: NotRequired[dict[str, Any]]
    pollInterval: NotRequired[int]
    statusMessage: NotRequired[str]


class TaskStatusNotification(TypedDict):
    """`TaskStatusNotification` of 2025-11-25: `basic/utilities/tasks`."""

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/tasks/status"]
    params: TaskStatusNotificationParams


ClientNotification: TypeAlias = (
    CancelledNotification
    | InitializedNotification
    | ProgressNotification
    | RootsListChangedNotification
    | TaskStatusNotification
)
"""`ClientNotification` of 2024-11-05 to 2026-07-28: `basic`."""


class InitializeRequestParams(TypedDict):
    """`InitializeRequestParams` of 2025-11-25: `basic/lifecycle, basic/versioning`."""

    capabilities: ClientCapabilities
    clientInfo: Implementation
    protocolVersion: str
    _meta: NotRequired[RequestMetaObject]


class InitializeRequest(TypedDict):
    """`InitializeRequest` of 2024-11-05 to 2025-11-25: `basic/lifecycle, basic/versioning`."""

    method: Literal["initialize"]
    params: InitializeRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class PingRequest(TypedDict):
    """`PingRequest` of 2024-11-05 to 2025-11-25: `basic/utilities/ping`."""

    method: Literal["ping"]
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[RequestParams]


class PaginatedRequestParams(TypedDict):
    """`PaginatedRequestParams` of 2025-11-25 to 2026-07-28: `server/utilities/pagination`."""

    cursor: NotRequired[str]
    _meta: NotRequired[RequestMetaObject]


class ListResourcesRequest(TypedDict):
    """`ListResourcesRequest` of 2024-11-05 to 2026-07-28: `server/resources`."""

    method: Literal["resources/list"]
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[PaginatedRequestParams]


class ListResourceTemplatesRequest(TypedDict):
    """`ListResourceTemplatesRequest` of 2024-11-05 to 2026-07-28: `server/resources`."""

    method: Literal["resources/templates/list"]
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[PaginatedRequestParams]


class ReadResourceRequestParams(TypedDict):
    """`ReadResourceRequestParams` of 2025-11-25 to 2026-07-28: `server/resources`."""

    uri: str
    _meta: NotRequired[RequestMetaObject]
    inputResponses: NotRequired[InputResponses]
    requestState: NotRequired[str]


class ReadResourceRequest(TypedDict):
    """`ReadResourceRequest` of 2024-11-05 to 2026-07-28: `server/resources`."""

    method: Literal["resources/read"]
    params: ReadResourceRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class SubscribeRequestParams(TypedDict):
    """`SubscribeRequestParams` of 2025-11-25: `basic`."""

    uri: str
    _meta: NotRequired[RequestMetaObject]


class SubscribeRequest(TypedDict):
    """`SubscribeRequest` of 2024-11-05 to 2025-11-25: `basic`."""

    method: Literal["resources/subscribe"]
    params: SubscribeRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class UnsubscribeRequestParams(TypedDict):
    """`UnsubscribeRequestParams` of 2025-11-25: `basic`."""

    uri: str
    _meta: NotRequired[RequestMetaObject]


class UnsubscribeRequest(TypedDict):
    """`UnsubscribeRequest` of 2024-11-05 to 2025-11-25: `basic`."""

    method: Literal["resources/unsubscribe"]
    params: UnsubscribeRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class ListPromptsRequest(TypedDict):
    """`ListPromptsRequest` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    method: Literal["prompts/list"]
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[PaginatedRequestParams]


class GetPromptRequestParams(TypedDict):
    """`GetPromptRequestParams` of 2025-11-25 to 2026-07-28: `server/prompts`."""

    name: str
    arguments: NotRequired[dict[str, str]]
    _meta: NotRequired[RequestMetaObject]
    inputResponses: NotRequired[InputResponses]
    requestState: NotRequired[str]


class GetPromptRequest(TypedDict):
    """`GetPromptRequest` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    method: Literal["prompts/get"]
    params: GetPromptRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class ListToolsRequest(TypedDict):
    """`ListToolsRequest` of 2024-11-05 to 2026-07-28: `server/tools`."""

    method: Literal["tools/list"]
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[PaginatedRequestParams]


class SetLevelRequestParams(TypedDict):
    """`SetLevelRequestParams` of 2025-11-25: `server/utilities/logging`."""

    level: LoggingLevel
    _meta: NotRequired[RequestMetaObject]


class SetLevelRequest(TypedDict):
    """`SetLevelRequest` of 2024-11-05 to 2025-11-25: `server/utilities/logging`."""

    method: Literal["logging/setLevel"]
    params: SetLevelRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class CompleteRequestParamsArgument(TypedDict):
    """A part of `CompleteRequestParams`: `server/utilities/completion`."""

    name: str
    value: str


class PromptReference(TypedDict):
    """`PromptReference` of 2024-11-05 to 2026-07-28: `server/utilities/completion`."""

    name: str
    type: Literal["ref/prompt"]
    title: NotRequired[str]


class ResourceTemplateReference(TypedDict):
    """`ResourceTemplateReference` of 2025-06-18 to 2026-07-28: `server/utilities/completion`."""

    type: Literal["ref/resource"]
    uri: str


class ResourceReference(TypedDict):
    """`ResourceReference` of 2024-11-05 to 2025-03-26: `server/utilities/completion`."""

    type: Literal["ref/resource"]
    uri: str


class CompleteRequestParamsContext(TypedDict):
    """A part of `CompleteRequestParams`: `server/utilities/completion`."""

    arguments: NotRequired[dict[str, str]]


class CompleteRequestParams(TypedDict):
    """`CompleteRequestParams` of 2025-11-25 to 2026-07-28: `server/utilities/completion`."""

    argument: CompleteRequestParamsArgument
    ref: PromptReference | ResourceTemplateReference | ResourceReference
    context: NotRequired[CompleteRequestParamsContext]
    _meta: NotRequired[RequestMetaObject]


class CompleteRequest(TypedDict):
    """`CompleteRequest` of 2024-11-05 to 2026-07-28: `server/utilities/completion`."""

    method: Literal["completion/complete"]
    params: CompleteRequestParams
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]


class GetTaskRequestParams(TypedDict):
    """A part of `GetTaskRequest`: `basic/utilities/tasks`."""

    taskId: str


class GetTaskRequest(TypedDict):
    """`GetTaskRequest` of 2025-11-25: `basic/utilities/tasks`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    method: Literal["tasks/get"]
    params: GetTaskRequestParams


class GetTaskPayloadRequestParams(TypedDict):
    """A part of `GetTaskPayloadRequest`: `basic/utilities/tasks`."""

    taskId: str


class GetTaskPayloadRequest(TypedDict):
    """`GetTaskPayloadRequest` of 2025-11-25: `basic/utilities/tasks`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    method: Literal["tasks/result"]
    params: GetTaskPayloadRequestParams


class ListTasksRequest(TypedDict):
    """`ListTasksRequest` of 2025-11-25: `basic/utilities/tasks`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    method: Literal["tasks/list"]
    params: NotRequired[PaginatedRequestParams]


class DiscoverRequest(TypedDict):
    """`DiscoverRequest` of 2026-07-28: `basic/lifecycle, basic/versioning`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    method: Literal["server/discover"]
    params: RequestParams


class SubscriptionFilter(TypedDict):
    """`SubscriptionFilter` of 2026-07-28: `basic/patterns/subscriptions`."""

    promptsListChanged: NotRequired[bool]
    resourceSubscriptions: NotRequired[list[str]]
    resourcesListChanged: NotRequired[bool]
    toolsListChanged: NotRequired[bool]


class SubscriptionsListenRequestParams(TypedDict):
    """`SubscriptionsListenRequestParams` of 2026-07-28: `basic/patterns/subscriptions`."""

    _meta: RequestMetaObject
    notifications: SubscriptionFilter


class SubscriptionsListenRequest(TypedDict):
    """`SubscriptionsListenRequest` of 2026-07-28: `basic/patterns/subscriptions`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    method: Literal["subscriptions/listen"]
    params: SubscriptionsListenRequestParams


ClientRequest: TypeAlias = (
    InitializeRequest
    | PingRequest
    | ListResourcesRequest
    | ListResourceTemplatesRequest
    | ReadResourceRequest
    | SubscribeRequest
    | UnsubscribeRequest
    | ListPromptsRequest
    | GetPromptRequest
    | ListToolsRequest
    | CallToolRequest
    | SetLevelRequest
    | CompleteRequest
    | GetTaskRequest
    | GetTaskPayloadRequest
    | CancelTaskRequest
    | ListTasksRequest
    | DiscoverRequest
    | SubscriptionsListenRequest
)
"""`ClientRequest` of 2024-11-05 to 2026-07-28: `basic`."""


class Result(TypedDict):
    """`Result` of 2024-11-05 to 2026-07-28: `basic`."""

    _meta: NotRequired[ResultMetaObject]
    resultType: NotRequired[str]


class GetTaskResult(TypedDict):
    """`GetTaskResult` of 2025-11-25: `basic/utilities/tasks`."""

    createdAt: str
    lastUpdatedAt: str
    status: TaskStatus
    taskId: str
    ttl: int | None
    _meta: NotRequired[dict[str, Any]]
    pollInterval: NotRequired[int]
    statusMessage: NotRequired[str]


class GetTaskPayloadResult(TypedDict):
    """`GetTaskPayloadResult` of 2025-11-25: `basic/utilities/tasks`."""

    _meta: NotRequired[dict[str, Any]]


class Task(TypedDict):
    """`Task` of 2025-11-25: `basic/utilities/tasks`."""

    createdAt: str
    lastUpdatedAt: str
    status: TaskStatus
    taskId: str
    ttl: int | None
    pollInterval: NotRequired[int]
    statusMessage: NotRequired[str]


class ListTasksResult(TypedDict):
    """`ListTasksResult` of 2025-11-25: `basic/utilities/tasks`."""

    tasks: list[Task]
    _meta: NotRequired[dict[str, Any]]
    nextCursor: NotRequired[str]


ClientResult: TypeAlias = (
    Result
    | CreateMessageResult
    | ListRootsResult
    | ElicitResult
    | GetTaskResult
    | GetTaskPayloadResult
    | CancelTaskResult
    | ListTasksResult
)
"""`ClientResult` of 2024-11-05 to 2026-07-28: `basic`."""


class CompleteResultCompletion(TypedDict):
    """A part of `CompleteResult`: `server/utilities/completion`."""

    values: list[str]
    hasMore: NotRequired[bool]
    total: NotRequired[int]


class CompleteResult(TypedDict):
    """`CompleteResult` of 2024-11-05 to 2026-07-28: `server/utilities/completion`."""

    completion: CompleteResultCompletion
    _meta: NotRequired[ResultMetaObject]
    resultType: NotRequired[str]


class CompleteResultResponse(TypedDict):
    """`CompleteResultResponse` of 2026-07-28: `server/utilities/completion`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: CompleteResult


class CreateTaskResult(TypedDict):
    """`CreateTaskResult` of 2025-11-25: `basic/utilities/tasks`."""

    task: Task
    _meta: NotRequired[dict[str, Any]]


Cursor: TypeAlias = str
"""`Cursor` of 2024-11-05 to 2026-07-28: `server/utilities/pagination`."""


class ServerCapabilitiesPrompts(TypedDict):
    """A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`."""

    listChanged: NotRequired[bool]


class ServerCapabilitiesResources(TypedDict):
    """A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`."""

    listChanged: NotRequired[bool]
    subscribe: NotRequired[bool]


class ServerCapabilitiesTools(TypedDict):
    """A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`."""

    listChanged: NotRequired[bool]


class ServerCapabilitiesTasksRequestsTools(TypedDict):
    """A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`."""

    call: NotRequired[dict[str, Any]]


class ServerCapabilitiesTasksRequests(TypedDict):
    """A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`."""

    tools: NotRequired[ServerCapabilitiesTasksRequestsTools]


class ServerCapabilitiesTasks(TypedDict):
    """A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`."""

    cancel: NotRequired[dict[str, Any]]
    list: NotRequired[dict[str, Any]]
    requests: NotRequired[ServerCapabilitiesTasksRequests]


class ServerCapabilities(TypedDict):
    """`ServerCapabilities` of 2024-11-05 to 2026-07-28: `basic/lifecycle, basic/versioning`."""

    completions: NotRequired[dict[str, Any]]
    experimental: NotRequired[dict[str, dict[str, Any]]]
    extensions: NotRequired[dict[str, dict[str, Any]]]
    logging: NotRequired[dict[str, Any]]
    prompts: NotRequired[ServerCapabilitiesPrompts]
    resources: NotRequired[ServerCapabilitiesResources]
    tools: NotRequired[ServerCapabilitiesTools]
    tasks: NotRequired[ServerCapabilitiesTasks]


class DiscoverResult(TypedDict):
    """`DiscoverResult` of 2026-07-28: `basic/lifecycle, basic/versioning`."""

    cacheScope: Literal["private", "public"] | str
    capabilities: ServerCapabilities
    resultType: str
    supportedVersions: list[str]
    ttlMs: int
    _meta: NotRequired[ResultMetaObject]
    instructions: NotRequired[str]


class DiscoverResultResponse(TypedDict):
    """`DiscoverResultResponse` of 2026-07-28: `basic/lifecycle, basic/versioning`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: DiscoverResult


class ElicitationCompleteNotificationParams(TypedDict):
    """A part of `ElicitationCompleteNotification`: `client/elicitation`."""

    elicitationId: str


class ElicitationCompleteNotification(TypedDict):
    """`ElicitationCompleteNotification` of 2025-11-25: `client/elicitation`."""

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/elicitation/complete"]
    params: ElicitationCompleteNotificationParams


class EmptyResult(Result):
    """`EmptyResult` of 2024-11-05 to 2026-07-28: `basic`."""


class Error(TypedDict):
    """`Error` of 2025-11-25 to 2026-07-28: `basic`."""

    code: int
    message: str
    data: NotRequired[Any]


class PromptMessage(TypedDict):
    """`PromptMessage` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    content: ContentBlock
    role: Role


class GetPromptResult(TypedDict):
    """`GetPromptResult` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    messages: list[PromptMessage]
    _meta: NotRequired[ResultMetaObject]
    description: NotRequired[str]
    resultType: NotRequired[str]


class GetPromptResultResponse(TypedDict):
    """`GetPromptResultResponse` of 2026-07-28: `server/prompts`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: InputRequiredResult | GetPromptResult


class HeaderMismatchErrorError(TypedDict):
    """A part of `HeaderMismatchError`: `basic`."""

    code: Literal[-32020]
    message: str
    data: NotRequired[Any]


class HeaderMismatchError(TypedDict):
    """`HeaderMismatchError` of 2026-07-28: `basic`."""

    error: HeaderMismatchErrorError
    jsonrpc: Literal["2.0"]
    id: NotRequired[RequestId]


class Icons(TypedDict):
    """`Icons` of 2025-11-25 to 2026-07-28: `basic`."""

    icons: NotRequired[list[Icon]]


class InitializeResult(TypedDict):
    """`InitializeResult` of 2024-11-05 to 2025-11-25: `basic/lifecycle, basic/versioning`."""

    capabilities: ServerCapabilities
    protocolVersion: str
    serverInfo: Implementation
    _meta: NotRequired[dict[str, Any]]
    instructions: NotRequired[str]


class InputResponseRequestParams(TypedDict):
    """`InputResponseRequestParams` of 2026-07-28: `basic/patterns/mrtr`."""

    _meta: RequestMetaObject
    inputResponses: NotRequired[InputResponses]
    requestState: NotRequired[str]


class InternalError(TypedDict):
    """`InternalError` of 2026-07-28: `basic`."""

    code: Literal[-32603]
    message: str
    data: NotRequired[Any]


class InvalidParamsError(TypedDict):
    """`InvalidParamsError` of 2026-07-28: `basic`."""

    code: Literal[-32602]
    message: str
    data: NotRequired[Any]


class InvalidRequestError(TypedDict):
    """`InvalidRequestError` of 2026-07-28: `basic`."""

    code: Literal[-32600]
    message: str
    data: NotRequired[Any]


JSONArray: TypeAlias = list[Any]
"""`JSONArray` of 2026-07-28: `basic`."""


JSONObject: TypeAlias = dict[str, Any]
"""`JSONObject` of 2026-07-28: `basic`."""


class JSONRPCRequest(TypedDict):
    """`JSONRPCRequest` of 2024-11-05 to 2026-07-28: `basic`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    method: str
    params: NotRequired[dict[str, Any]]


class JSONRPCNotification(TypedDict):
    """`JSONRPCNotification` of 2024-11-05 to 2026-07-28: `basic`."""

    jsonrpc: Literal["2.0"]
    method: str
    params: NotRequired[dict[str, Any]]


JSONRPCBatchRequest: TypeAlias = list[JSONRPCRequest | JSONRPCNotification]
"""`JSONRPCBatchRequest` of 2025-03-26: `basic`."""


class JSONRPCResultResponse(TypedDict):
    """`JSONRPCResultResponse` of 2025-11-25 to 2026-07-28: `basic`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: Result


class JSONRPCErrorResponse(TypedDict):
    """`JSONRPCErrorResponse` of 2025-11-25 to 2026-07-28: `basic`."""

    error: Error
    jsonrpc: Literal["2.0"]
    id: NotRequired[RequestId]


JSONRPCResponse: TypeAlias = JSONRPCResultResponse | JSONRPCErrorResponse
"""`JSONRPCResponse` of 2024-11-05 to 2026-07-28: `basic`."""


class JSONRPCError(TypedDict):
    """`JSONRPCError` of 2024-11-05 to 2025-06-18: `basic`."""

    error: Error
    id: RequestId
    jsonrpc: Literal["2.0"]


JSONRPCBatchResponse: TypeAlias = list[JSONRPCResponse | JSONRPCError]
"""`JSONRPCBatchResponse` of 2025-03-26: `basic`."""


JSONRPCMessage: TypeAlias = (
    JSONRPCRequest
    | JSONRPCNotification
    | JSONRPCResponse
    | JSONRPCError
    | list[JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError]
)
"""`JSONRPCMessage` of 2024-11-05 to 2026-07-28: `basic`."""


JSONValue: TypeAlias = Any
"""`JSONValue` of 2026-07-28: `basic`."""


class PromptArgument(TypedDict):
    """`PromptArgument` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    name: str
    description: NotRequired[str]
    required: NotRequired[bool]
    title: NotRequired[str]


class Prompt(TypedDict):
    """`Prompt` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    name: str
    _meta: NotRequired[MetaObject]
    arguments: NotRequired[list[PromptArgument]]
    description: NotRequired[str]
    icons: NotRequired[list[Icon]]
    title: NotRequired[str]


class ListPromptsResult(TypedDict):
    """`ListPromptsResult` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    prompts: list[Prompt]
    _meta: NotRequired[ResultMetaObject]
    cacheScope: NotRequired[Literal["private", "public"] | str]
    nextCursor: NotRequired[str]
    resultType: NotRequired[str]
    ttlMs: NotRequired[int]


class ListPromptsResultResponse(TypedDict):
    """`ListPromptsResultResponse` of 2026-07-28: `server/prompts`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: ListPromptsResult


class ResourceTemplate(TypedDict):
    """`ResourceTemplate` of 2024-11-05 to 2026-07-28: `server/resources`."""

    name: str
    uriTemplate: str
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[Annotations]
    description: NotRequired[str]
    icons: NotRequired[list[Icon]]
    mimeType: NotRequired[str]
    title: NotRequired[str]


class ListResourceTemplatesResult(TypedDict):
    """`ListResourceTemplatesResult` of 2024-11-05 to 2026-07-28: `server/resources`."""

    resourceTemplates: list[ResourceTemplate]
    _meta: NotRequired[ResultMetaObject]
    cacheScope: NotRequired[Literal["private", "public"] | str]
    nextCursor: NotRequired[str]
    resultType: NotRequired[str]
    ttlMs: NotRequired[int]


class ListResourceTemplatesResultResponse(TypedDict):
    """`ListResourceTemplatesResultResponse` of 2026-07-28: `server/resources`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: ListResourceTemplatesResult


class Resource(TypedDict):
    """`Resource` of 2024-11-05 to 2026-07-28: `server/resources`."""

    name: str
    uri: str
    _meta: NotRequired[MetaObject]
    annotations: NotRequired[Annotations]
    description: NotRequired[str]
    icons: NotRequired[list[Icon]]
    mimeType: NotRequired[str]
    size: NotRequired[int]
    title: NotRequired[str]


class ListResourcesResult(TypedDict):
    """`ListResourcesResult` of 2024-11-05 to 2026-07-28: `server/resources`."""

    resources: list[Resource]
    _meta: NotRequired[ResultMetaObject]
    cacheScope: NotRequired[Literal["private", "public"] | str]
    nextCursor: NotRequired[str]
    resultType: NotRequired[str]
    ttlMs: NotRequired[int]


class ListResourcesResultResponse(TypedDict):
    """`ListResourcesResultResponse` of 2026-07-28: `server/resources`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: ListResourcesResult


class ListToolsResult(TypedDict):
    """`ListToolsResult` of 2024-11-05 to 2026-07-28: `server/tools`."""

    tools: list[Tool]
    _meta: NotRequired[ResultMetaObject]
    cacheScope: NotRequired[Literal["private", "public"] | str]
    nextCursor: NotRequired[str]
    resultType: NotRequired[str]
    ttlMs: NotRequired[int]


class ListToolsResultResponse(TypedDict):
    """`ListToolsResultResponse` of 2026-07-28: `server/tools`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: ListToolsResult


class LoggingMessageNotificationParams(TypedDict):
    """`LoggingMessageNotificationParams` of 2025-11-25 to 2026-07-28: `server/utilities/logging`."""

    data: Any
    level: LoggingLevel
    logger: NotRequired[str]
    _meta: NotRequired[NotificationMetaObject]


class LoggingMessageNotification(TypedDict):
    """`LoggingMessageNotification` of 2024-11-05 to 2026-07-28: `server/utilities/logging`."""

    method: Literal["notifications/message"]
    params: LoggingMessageNotificationParams
    jsonrpc: NotRequired[Literal["2.0"]]


class MethodNotFoundError(TypedDict):
    """`MethodNotFoundError` of 2026-07-28: `basic`."""

    code: Literal[-32601]
    message: str
    data: NotRequired[Any]


class MissingRequiredClientCapabilityErrorErrorData(TypedDict):
    """A part of `MissingRequiredClientCapabilityError`: `basic`."""

    requiredCapabilities: ClientCapabilities


class MissingRequiredClientCapabilityErrorError(TypedDict):
    """A part of `MissingRequiredClientCapabilityError`: `basic`."""

    code: Literal[-32021]
    data: MissingRequiredClientCapabilityErrorErrorData
    message: str


class MissingRequiredClientCapabilityError(TypedDict):
    """`MissingRequiredClientCapabilityError` of 2026-07-28: `basic`."""

    error: MissingRequiredClientCapabilityErrorError
    jsonrpc: Literal["2.0"]
    id: NotRequired[RequestId]


MultiSelectEnumSchema: TypeAlias = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema
"""`MultiSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`."""


class Notification(TypedDict):
    """`Notification` of 2024-11-05 to 2026-07-28: `basic`."""

    method: str
    params: NotRequired[dict[str, Any]]


class PaginatedRequest(TypedDict):
    """`PaginatedRequest` of 2024-11-05 to 2026-07-28: `server/utilities/pagination`."""

    method: str
    id: NotRequired[RequestId]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[PaginatedRequestParams]


class PaginatedResult(TypedDict):
    """`PaginatedResult` of 2024-11-05 to 2026-07-28: `server/utilities/pagination`."""

    _meta: NotRequired[ResultMetaObject]
    nextCursor: NotRequired[str]
    resultType: NotRequired[str]


class ParseError(TypedDict):
    """`ParseError` of 2026-07-28: `basic`."""

    code: Literal[-32700]
    message: str
    data: NotRequired[Any]


class PromptListChangedNotification(TypedDict):
    """`PromptListChangedNotification` of 2024-11-05 to 2026-07-28: `server/prompts`."""

    method: Literal["notifications/prompts/list_changed"]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[NotificationParams]


class ReadResourceResult(TypedDict):
    """`ReadResourceResult` of 2024-11-05 to 2026-07-28: `server/resources`."""

    contents: list[TextResourceContents | BlobResourceContents]
    _meta: NotRequired[ResultMetaObject]
    cacheScope: NotRequired[Literal["private", "public"] | str]
    resultType: NotRequired[str]
    ttlMs: NotRequired[int]


class ReadResourceResultResponse(TypedDict):
    """`ReadResourceResultResponse` of 2026-07-28: `server/resources`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: InputRequiredResult | ReadResourceResult


class RelatedTaskMetadata(TypedDict):
    """`RelatedTaskMetadata` of 2025-11-25: `basic/utilities/tasks`."""

    taskId: str


class Request(TypedDict):
    """`Request` of 2024-11-05 to 2026-07-28: `basic`."""

    method: str
    params: NotRequired[dict[str, Any]]


class ResourceContents(TypedDict):
    """`ResourceContents` of 2024-11-05 to 2026-07-28: `server/resources`."""

    uri: str
    _meta: NotRequired[MetaObject]
    mimeType: NotRequired[str]


class ResourceListChangedNotification(TypedDict):
    """`ResourceListChangedNotification` of 2024-11-05 to 2026-07-28: `server/resources`."""

    method: Literal["notifications/resources/list_changed"]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[NotificationParams]


class ResourceRequestParams(TypedDict):
    """`ResourceRequestParams` of 2025-11-25 to 2026-07-28: `server/resources`."""

    uri: str
    _meta: NotRequired[RequestMetaObject]


class ResourceUpdatedNotificationParams(TypedDict):
    """`ResourceUpdatedNotificationParams` of 2025-11-25 to 2026-07-28: `server/resources`."""

    uri: str
    _meta: NotRequired[NotificationMetaObject]


class ResourceUpdatedNotification(TypedDict):
    """`ResourceUpdatedNotification` of 2024-11-05 to 2026-07-28: `server/resources`."""

    method: Literal["notifications/resources/updated"]
    params: ResourceUpdatedNotificationParams
    jsonrpc: NotRequired[Literal["2.0"]]


ResultType: TypeAlias = str
"""`ResultType` of 2026-07-28: `basic`."""


class ToolListChangedNotification(TypedDict):
    """`ToolListChangedNotification` of 2024-11-05 to 2026-07-28: `server/tools`."""

    method: Literal["notifications/tools/list_changed"]
    jsonrpc: NotRequired[Literal["2.0"]]
    params: NotRequired[NotificationParams]


class SubscriptionsAcknowledgedNotificationParams(TypedDict):
    """`SubscriptionsAcknowledgedNotificationParams` of 2026-07-28: `basic/patterns/subscriptions`."""

    notifications: SubscriptionFilter
    _meta: NotRequired[NotificationMetaObject]


class SubscriptionsAcknowledgedNotification(TypedDict):
    """`SubscriptionsAcknowledgedNotification` of 2026-07-28: `basic/patterns/subscriptions`."""

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/subscriptions/acknowledged"]
    params: SubscriptionsAcknowledgedNotificationParams


ServerNotification: TypeAlias = (
    CancelledNotification
    | ProgressNotification
    | ResourceListChangedNotification
    | ResourceUpdatedNotification
    | PromptListChangedNotification
    | ToolListChangedNotification
    | LoggingMessageNotification
    | TaskStatusNotification
    | ElicitationCompleteNotification
    | SubscriptionsAcknowledgedNotification
)
"""`ServerNotification` of 2024-11-05 to 2026-07-28: `basic`."""


ServerRequest: TypeAlias = (
    PingRequest
    | CreateMessageRequest
    | ListRootsRequest
    | ElicitRequest
    | GetTaskRequest
    | GetTaskPayloadRequest
    | CancelTaskRequest
    | ListTasksRequest
)
"""`ServerRequest` of 2024-11-05 to 2025-11-25: `basic`."""


SubscriptionsListenResultMetaObject = TypedDict(
    "SubscriptionsListenResultMetaObject",
    {
        "io.modelcontextprotocol/subscriptionId": RequestId,
        "io.modelcontextprotocol/serverInfo": NotRequired[Implementation],
    },
)
"""`SubscriptionsListenResultMetaObject` of 2026-07-28: `basic/patterns/subscriptions`."""


class SubscriptionsListenResult(TypedDict):
    """`SubscriptionsListenResult` of 2026-07-28: `basic/patterns/subscriptions`."""

    _meta: SubscriptionsListenResultMetaObject
    resultType: str


ServerResult: TypeAlias = (
    Result
    | InitializeResult
    | ListResourcesResult
    | ListResourceTemplatesResult
    | ReadResourceResult
    | ListPromptsResult
    | GetPromptResult
    | ListToolsResult
    | CallToolResult
    | CompleteResult
    | GetTaskResult
    | GetTaskPayloadResult
    | CancelTaskResult
    | ListTasksResult
    | InputRequiredResult
    | DiscoverResult
    | SubscriptionsListenResult
)
"""`ServerResult` of 2024-11-05 to 2026-07-28: `basic`."""


SingleSelectEnumSchema: TypeAlias = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema
"""`SingleSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`."""


class SubscriptionsListenResultResponse(TypedDict):
    """`SubscriptionsListenResultResponse` of 2026-07-28: `basic/patterns/subscriptions`."""

    id: RequestId
    jsonrpc: Literal["2.0"]
    result: SubscriptionsListenResult


class TaskAugmentedRequestParams(TypedDict):
    """`TaskAugmentedRequestParams` of 2025-11-25: `basic/utilities/tasks`."""

    _meta: NotRequired[RequestMetaObject]
    task: NotRequired[TaskMetadata]


class URLElicitationRequiredErrorErrorData(TypedDict):
    """A part of `URLElicitationRequiredError`: `client/elicitation`."""

    elicitations: list[ElicitRequestURLParams]


class URLElicitationRequiredErrorError(TypedDict):
    """A part of `URLElicitationRequiredError`: `client/elicitation`."""

    code: Literal[-32042]
    data: URLElicitationRequiredErrorErrorData
    message: str


class URLElicitationRequiredError(TypedDict):
    """`URLElicitationRequiredError` of 2025-11-25: `client/elicitation`."""

    error: URLElicitationRequiredErrorError
    jsonrpc: Literal["2.0"]
    id: NotRequired[RequestId]


class UnsupportedProtocolVersionErrorErrorData(TypedDict):
    """A part of `UnsupportedProtocolVersionError`: `basic`."""

    requested: str
    supported: list[str]


class UnsupportedProtocolVersionErrorError(TypedDict):
    """A part of `UnsupportedProtocolVersionError`: `basic`."""

    code: Literal[-32022]
    data: UnsupportedProtocolVersionErrorErrorData
    message: str


class UnsupportedProtocolVersionError(TypedDict):
    """`UnsupportedProtocolVersionError` of 2026-07-28: `basic`."""

    error: UnsupportedProtocolVersionErrorError
    jsonrpc: Literal["2.0"]
    id: NotRequired[RequestId]
