/**
 * The payloads of the protocol as types, one for each name in the schemas of all five revisions. A member that one of
 * the revisions lacks, or lets out, is optional; a word may be another than those listed, and an object may have other
 * members. Made by `tests/types/generate.py`.
 */

/** Any word that no revision lists. */
export type OtherWord = string & Record<never, never>;

/** `Annotated` of 2024-11-05: `server/tools`. */
export interface Annotated {
  annotations?: Annotations;
  [member: string]: unknown;
}

/** `Annotations` of 2025-03-26 to 2026-07-28: `server/tools`. */
export interface Annotations {
  audience?: Role[];
  lastModified?: string;
  priority?: number;
  [member: string]: unknown;
}

/** `AudioContent` of 2025-03-26 to 2026-07-28: `server/tools`. */
export interface AudioContent {
  data: string;
  mimeType: string;
  type: "audio";
  _meta?: MetaObject;
  annotations?: Annotations;
  [member: string]: unknown;
}

/** `BaseMetadata` of 2025-06-18 to 2026-07-28: `basic`. */
export interface BaseMetadata {
  name: string;
  title?: string;
  [member: string]: unknown;
}

/** `BlobResourceContents` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface BlobResourceContents {
  blob: string;
  uri: string;
  _meta?: MetaObject;
  mimeType?: string;
  [member: string]: unknown;
}

/** `BooleanSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`. */
export interface BooleanSchema {
  type: "boolean";
  default?: boolean;
  description?: string;
  title?: string;
  [member: string]: unknown;
}

/** `CacheableResult` of 2026-07-28: `server/utilities/caching`. */
export interface CacheableResult {
  cacheScope: "private" | "public" | OtherWord;
  resultType: string;
  ttlMs: number;
  _meta?: ResultMetaObject;
  [member: string]: unknown;
}

/** `CallToolRequest` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface CallToolRequest {
  method: "tools/call";
  params: CallToolRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `CallToolRequestParams` of 2025-11-25 to 2026-07-28: `server/tools`. */
export interface CallToolRequestParams {
  name: string;
  arguments?: Record<string, unknown>;
  _meta?: RequestMetaObject;
  inputResponses?: InputResponses;
  requestState?: string;
  task?: TaskMetadata;
  [member: string]: unknown;
}

/** `CallToolResult` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface CallToolResult {
  content: ContentBlock[];
  _meta?: ResultMetaObject;
  isError?: boolean;
  resultType?: string;
  structuredContent?: unknown;
  [member: string]: unknown;
}

/** `CallToolResultResponse` of 2026-07-28: `server/tools`. */
export interface CallToolResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: InputRequiredResult | CallToolResult;
  [member: string]: unknown;
}

/** `CancelTaskRequest` of 2025-11-25: `basic/utilities/tasks`. */
export interface CancelTaskRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/cancel";
  params: CancelTaskRequestParams;
  [member: string]: unknown;
}

/** A part of `CancelTaskRequest`: `basic/utilities/tasks`. */
export interface CancelTaskRequestParams {
  taskId: string;
  [member: string]: unknown;
}

/** `CancelTaskResult` of 2025-11-25: `basic/utilities/tasks`. */
export interface CancelTaskResult {
  createdAt: string;
  lastUpdatedAt: string;
  status: TaskStatus;
  taskId: string;
  ttl: number | null;
  _meta?: Record<string, unknown>;
  pollInterval?: number;
  statusMessage?: string;
  [member: string]: unknown;
}

/** `CancelledNotification` of 2024-11-05 to 2026-07-28: `basic/utilities/cancellation, basic/patterns/cancellation`. */
export interface CancelledNotification {
  method: "notifications/cancelled";
  params: CancelledNotificationParams;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `CancelledNotificationParams` of 2025-11-25 to 2026-07-28: `basic/utilities/cancellation, basic/patterns/cancellation`. */
export interface CancelledNotificationParams {
  reason?: string;
  requestId?: RequestId;
  _meta?: NotificationMetaObject;
  [member: string]: unknown;
}

/** `ClientCapabilities` of 2024-11-05 to 2026-07-28: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilities {
  elicitation?: ClientCapabilitiesElicitation;
  experimental?: Record<string, Record<string, unknown>>;
  extensions?: Record<string, Record<string, unknown>>;
  roots?: ClientCapabilitiesRoots;
  sampling?: ClientCapabilitiesSampling;
  tasks?: ClientCapabilitiesTasks;
  [member: string]: unknown;
}

/** A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilitiesElicitation {
  form?: Record<string, unknown>;
  url?: Record<string, unknown>;
  [member: string]: unknown;
}

/** A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilitiesRoots {
  listChanged?: boolean;
  [member: string]: unknown;
}

/** A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilitiesSampling {
  context?: Record<string, unknown>;
  tools?: Record<string, unknown>;
  [member: string]: unknown;
}

/** A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilitiesTasks {
  cancel?: Record<string, unknown>;
  list?: Record<string, unknown>;
  requests?: ClientCapabilitiesTasksRequests;
  [member: string]: unknown;
}

/** A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilitiesTasksRequests {
  elicitation?: ClientCapabilitiesTasksRequestsElicitation;
  sampling?: ClientCapabilitiesTasksRequestsSampling;
  [member: string]: unknown;
}

/** A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilitiesTasksRequestsElicitation {
  create?: Record<string, unknown>;
  [member: string]: unknown;
}

/** A part of `ClientCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ClientCapabilitiesTasksRequestsSampling {
  createMessage?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `ClientNotification` of 2024-11-05 to 2026-07-28: `basic`. */
export type ClientNotification =
  | CancelledNotification
  | InitializedNotification
  | ProgressNotification
  | RootsListChangedNotification
  | TaskStatusNotification;

/** `ClientRequest` of 2024-11-05 to 2026-07-28: `basic`. */
export type ClientRequest =
  | InitializeRequest
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
  | SubscriptionsListenRequest;

/** `ClientResult` of 2024-11-05 to 2026-07-28: `basic`. */
export type ClientResult =
  | Result
  | CreateMessageResult
  | ListRootsResult
  | ElicitResult
  | GetTaskResult
  | GetTaskPayloadResult
  | CancelTaskResult
  | ListTasksResult;

/** `CompleteRequest` of 2024-11-05 to 2026-07-28: `server/utilities/completion`. */
export interface CompleteRequest {
  method: "completion/complete";
  params: CompleteRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `CompleteRequestParams` of 2025-11-25 to 2026-07-28: `server/utilities/completion`. */
export interface CompleteRequestParams {
  argument: CompleteRequestParamsArgument;
  ref: PromptReference | ResourceTemplateReference | ResourceReference;
  context?: CompleteRequestParamsContext;
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** A part of `CompleteRequestParams`: `server/utilities/completion`. */
export interface CompleteRequestParamsArgument {
  name: string;
  value: string;
  [member: string]: unknown;
}

/** A part of `CompleteRequestParams`: `server/utilities/completion`. */
export interface CompleteRequestParamsContext {
  arguments?: Record<string, string>;
  [member: string]: unknown;
}

/** `CompleteResult` of 2024-11-05 to 2026-07-28: `server/utilities/completion`. */
export interface CompleteResult {
  completion: CompleteResultCompletion;
  _meta?: ResultMetaObject;
  resultType?: string;
  [member: string]: unknown;
}

/** A part of `CompleteResult`: `server/utilities/completion`. */
export interface CompleteResultCompletion {
  values: string[];
  hasMore?: boolean;
  total?: number;
  [member: string]: unknown;
}

/** `CompleteResultResponse` of 2026-07-28: `server/utilities/completion`. */
export interface CompleteResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: CompleteResult;
  [member: string]: unknown;
}

/** `ContentBlock` of 2025-06-18 to 2026-07-28: `server/tools`. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** `CreateMessageRequest` of 2024-11-05 to 2026-07-28: `client/sampling`. */
export interface CreateMessageRequest {
  method: "sampling/createMessage";
  params: CreateMessageRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `CreateMessageRequestParams` of 2025-11-25 to 2026-07-28: `client/sampling`. */
export interface CreateMessageRequestParams {
  maxTokens: number;
  messages: SamplingMessage[];
  includeContext?: "allServers" | "none" | "thisServer" | OtherWord;
  metadata?: Record<string, unknown>;
  modelPreferences?: ModelPreferences;
  stopSequences?: string[];
  systemPrompt?: string;
  temperature?: number;
  toolChoice?: ToolChoice;
  tools?: Tool[];
  _meta?: RequestMetaObject;
  task?: TaskMetadata;
  [member: string]: unknown;
}

/** `CreateMessageResult` of 2024-11-05 to 2026-07-28: `client/sampling`. */
export interface CreateMessageResult {
  content: TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent | SamplingMessageContentBlock[];
  model: string;
  role: Role;
  _meta?: MetaObject;
  stopReason?: string;
  [member: string]: unknown;
}

/** `CreateTaskResult` of 2025-11-25: `basic/utilities/tasks`. */
export interface CreateTaskResult {
  task: Task;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `Cursor` of 2024-11-05 to 2026-07-28: `server/utilities/pagination`. */
export type Cursor = string;

/** `DiscoverRequest` of 2026-07-28: `basic/lifecycle, basic/versioning`. */
export interface DiscoverRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "server/discover";
  params: RequestParams;
  [member: string]: unknown;
}

/** `DiscoverResult` of 2026-07-28: `basic/lifecycle, basic/versioning`. */
export interface DiscoverResult {
  cacheScope: "private" | "public" | OtherWord;
  capabilities: ServerCapabilities;
  resultType: string;
  supportedVersions: string[];
  ttlMs: number;
  _meta?: ResultMetaObject;
  instructions?: string;
  [member: string]: unknown;
}

/** `DiscoverResultResponse` of 2026-07-28: `basic/lifecycle, basic/versioning`. */
export interface DiscoverResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: DiscoverResult;
  [member: string]: unknown;
}

/** `ElicitRequest` of 2025-06-18 to 2026-07-28: `client/elicitation`. */
export interface ElicitRequest {
  method: "elicitation/create";
  params: ElicitRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `ElicitRequestFormParams` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export interface ElicitRequestFormParams {
  message: string;
  requestedSchema: ElicitRequestFormParamsRequestedSchema;
  mode?: "form";
  _meta?: RequestMetaObject;
  task?: TaskMetadata;
  [member: string]: unknown;
}

/** A part of `ElicitRequestFormParams`: `client/elicitation`. */
export interface ElicitRequestFormParamsRequestedSchema {
  properties: Record<string, PrimitiveSchemaDefinition>;
  type: "object";
  required?: string[];
  "$schema"?: string;
  [member: string]: unknown;
}

/** `ElicitRequestParams` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export type ElicitRequestParams = ElicitRequestURLParams | ElicitRequestFormParams;

/** `ElicitRequestURLParams` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export interface ElicitRequestURLParams {
  message: string;
  mode: "url";
  url: string;
  _meta?: RequestMetaObject;
  elicitationId?: string;
  task?: TaskMetadata;
  [member: string]: unknown;
}

/** `ElicitResult` of 2025-06-18 to 2026-07-28: `client/elicitation`. */
export interface ElicitResult {
  action: "accept" | "cancel" | "decline" | OtherWord;
  content?: Record<string, string | number | boolean | string[]>;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `ElicitationCompleteNotification` of 2025-11-25: `client/elicitation`. */
export interface ElicitationCompleteNotification {
  jsonrpc: "2.0";
  method: "notifications/elicitation/complete";
  params: ElicitationCompleteNotificationParams;
  [member: string]: unknown;
}

/** A part of `ElicitationCompleteNotification`: `client/elicitation`. */
export interface ElicitationCompleteNotificationParams {
  elicitationId: string;
  [member: string]: unknown;
}

/** `EmbeddedResource` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface EmbeddedResource {
  resource: TextResourceContents | BlobResourceContents;
  type: "resource";
  _meta?: MetaObject;
  annotations?: Annotations;
  [member: string]: unknown;
}

/** `EmptyResult` of 2024-11-05 to 2026-07-28: `basic`. */
export type EmptyResult = Result;

/** `EnumSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`. */
export type EnumSchema =
  | UntitledSingleSelectEnumSchema
  | TitledSingleSelectEnumSchema
  | UntitledMultiSelectEnumSchema
  | TitledMultiSelectEnumSchema
  | LegacyTitledEnumSchema;

/** `Error` of 2025-11-25 to 2026-07-28: `basic`. */
export interface Error {
  code: number;
  message: string;
  data?: unknown;
  [member: string]: unknown;
}

/** `GetPromptRequest` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface GetPromptRequest {
  method: "prompts/get";
  params: GetPromptRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `GetPromptRequestParams` of 2025-11-25 to 2026-07-28: `server/prompts`. */
export interface GetPromptRequestParams {
  name: string;
  arguments?: Record<string, string>;
  _meta?: RequestMetaObject;
  inputResponses?: InputResponses;
  requestState?: string;
  [member: string]: unknown;
}

/** `GetPromptResult` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface GetPromptResult {
  messages: PromptMessage[];
  _meta?: ResultMetaObject;
  description?: string;
  resultType?: string;
  [member: string]: unknown;
}

/** `GetPromptResultResponse` of 2026-07-28: `server/prompts`. */
export interface GetPromptResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: InputRequiredResult | GetPromptResult;
  [member: string]: unknown;
}

/** `GetTaskPayloadRequest` of 2025-11-25: `basic/utilities/tasks`. */
export interface GetTaskPayloadRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/result";
  params: GetTaskPayloadRequestParams;
  [member: string]: unknown;
}

/** A part of `GetTaskPayloadRequest`: `basic/utilities/tasks`. */
export interface GetTaskPayloadRequestParams {
  taskId: string;
  [member: string]: unknown;
}

/** `GetTaskPayloadResult` of 2025-11-25: `basic/utilities/tasks`. */
export interface GetTaskPayloadResult {
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `GetTaskRequest` of 2025-11-25: `basic/utilities/tasks`. */
export interface GetTaskRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/get";
  params: GetTaskRequestParams;
  [member: string]: unknown;
}

/** A part of `GetTaskRequest`: `basic/utilities/tasks`. */
export interface GetTaskRequestParams {
  taskId: string;
  [member: string]: unknown;
}

/** `GetTaskResult` of 2025-11-25: `basic/utilities/tasks`. */
export interface GetTaskResult {
  createdAt: string;
  lastUpdatedAt: string;
  status: TaskStatus;
  taskId: string;
  ttl: number | null;
  _meta?: Record<string, unknown>;
  pollInterval?: number;
  statusMessage?: string;
  [member: string]: unknown;
}

/** `HeaderMismatchError` of 2026-07-28: `basic`. */
export interface HeaderMismatchError {
  error: HeaderMismatchErrorError;
  jsonrpc: "2.0";
  id?: RequestId;
  [member: string]: unknown;
}

/** A part of `HeaderMismatchError`: `basic`. */
export interface HeaderMismatchErrorError {
  code: -32020;
  message: string;
  data?: unknown;
  [member: string]: unknown;
}

/** `Icon` of 2025-11-25 to 2026-07-28: `basic`. */
export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: "dark" | "light" | OtherWord;
  [member: string]: unknown;
}

/** `Icons` of 2025-11-25 to 2026-07-28: `basic`. */
export interface Icons {
  icons?: Icon[];
  [member: string]: unknown;
}

/** `ImageContent` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface ImageContent {
  data: string;
  mimeType: string;
  type: "image";
  _meta?: MetaObject;
  annotations?: Annotations;
  [member: string]: unknown;
}

/** `Implementation` of 2024-11-05 to 2026-07-28: `basic/lifecycle, basic/versioning`. */
export interface Implementation {
  name: string;
  version: string;
  description?: string;
  icons?: Icon[];
  title?: string;
  websiteUrl?: string;
  [member: string]: unknown;
}

/** `InitializeRequest` of 2024-11-05 to 2025-11-25: `basic/lifecycle, basic/versioning`. */
export interface InitializeRequest {
  method: "initialize";
  params: InitializeRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `InitializeRequestParams` of 2025-11-25: `basic/lifecycle, basic/versioning`. */
export interface InitializeRequestParams {
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
  protocolVersion: string;
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** `InitializeResult` of 2024-11-05 to 2025-11-25: `basic/lifecycle, basic/versioning`. */
export interface InitializeResult {
  capabilities: ServerCapabilities;
  protocolVersion: string;
  serverInfo: Implementation;
  _meta?: Record<string, unknown>;
  instructions?: string;
  [member: string]: unknown;
}

/** `InitializedNotification` of 2024-11-05 to 2025-11-25: `basic/lifecycle, basic/versioning`. */
export interface InitializedNotification {
  method: "notifications/initialized";
  jsonrpc?: "2.0";
  params?: NotificationParams;
  [member: string]: unknown;
}

/** `InputRequest` of 2026-07-28: `basic/patterns/mrtr`. */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;

/** `InputRequests` of 2026-07-28: `basic/patterns/mrtr`. */
export type InputRequests = Record<string, InputRequest>;

/** `InputRequiredResult` of 2026-07-28: `basic/patterns/mrtr`. */
export interface InputRequiredResult {
  resultType: string;
  _meta?: ResultMetaObject;
  inputRequests?: InputRequests;
  requestState?: string;
  [member: string]: unknown;
}

/** `InputResponse` of 2026-07-28: `basic/patterns/mrtr`. */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/** `InputResponseRequestParams` of 2026-07-28: `basic/patterns/mrtr`. */
export interface InputResponseRequestParams {
  _meta: RequestMetaObject;
  inputResponses?: InputResponses;
  requestState?: string;
  [member: string]: unknown;
}

/** `InputResponses` of 2026-07-28: `basic/patterns/mrtr`. */
export type InputResponses = Record<string, InputResponse>;

/** `InternalError` of 2026-07-28: `basic`. */
export interface InternalError {
  code: -32603;
  message: string;
  data?: unknown;
  [member: string]: unknown;
}

/** `InvalidParamsError` of 2026-07-28: `basic`. */
export interface InvalidParamsError {
  code: -32602;
  message: string;
  data?: unknown;
  [member: string]: unknown;
}

/** `InvalidRequestError` of 2026-07-28: `basic`. */
export interface InvalidRequestError {
  code: -32600;
  message: string;
  data?: unknown;
  [member: string]: unknown;
}

/** `JSONArray` of 2026-07-28: `basic`. */
export type JSONArray = unknown[];

/** `JSONObject` of 2026-07-28: `basic`. */
export type JSONObject = Record<string, unknown>;

/** `JSONRPCBatchRequest` of 2025-03-26: `basic`. */
export type JSONRPCBatchRequest = (JSONRPCRequest | JSONRPCNotification)[];

/** `JSONRPCBatchResponse` of 2025-03-26: `basic`. */
export type JSONRPCBatchResponse = (JSONRPCResponse | JSONRPCError)[];

/** `JSONRPCError` of 2024-11-05 to 2025-06-18: `basic`. */
export interface JSONRPCError {
  error: Error;
  id: RequestId;
  jsonrpc: "2.0";
  [member: string]: unknown;
}

/** `JSONRPCErrorResponse` of 2025-11-25 to 2026-07-28: `basic`. */
export interface JSONRPCErrorResponse {
  error: Error;
  jsonrpc: "2.0";
  id?: RequestId;
  [member: string]: unknown;
}

/** `JSONRPCMessage` of 2024-11-05 to 2026-07-28: `basic`. */
export type JSONRPCMessage =
  | JSONRPCRequest
  | JSONRPCNotification
  | JSONRPCResponse
  | JSONRPCError
  | (JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError)[];

/** `JSONRPCNotification` of 2024-11-05 to 2026-07-28: `basic`. */
export interface JSONRPCNotification {
  jsonrpc: "2.0";
  method: string;
  params?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `JSONRPCRequest` of 2024-11-05 to 2026-07-28: `basic`. */
export interface JSONRPCRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: string;
  params?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `JSONRPCResponse` of 2024-11-05 to 2026-07-28: `basic`. */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/** `JSONRPCResultResponse` of 2025-11-25 to 2026-07-28: `basic`. */
export interface JSONRPCResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: Result;
  [member: string]: unknown;
}

/** `JSONValue` of 2026-07-28: `basic`. */
export type JSONValue = unknown;

/** `LegacyTitledEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export interface LegacyTitledEnumSchema {
  enum: string[];
  type: "string";
  description?: string;
  enumNames?: string[];
  title?: string;
  default?: string;
  [member: string]: unknown;
}

/** `ListPromptsRequest` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface ListPromptsRequest {
  method: "prompts/list";
  id?: RequestId;
  jsonrpc?: "2.0";
  params?: PaginatedRequestParams;
  [member: string]: unknown;
}

/** `ListPromptsResult` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface ListPromptsResult {
  prompts: Prompt[];
  _meta?: ResultMetaObject;
  cacheScope?: "private" | "public" | OtherWord;
  nextCursor?: string;
  resultType?: string;
  ttlMs?: number;
  [member: string]: unknown;
}

/** `ListPromptsResultResponse` of 2026-07-28: `server/prompts`. */
export interface ListPromptsResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: ListPromptsResult;
  [member: string]: unknown;
}

/** `ListResourceTemplatesRequest` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ListResourceTemplatesRequest {
  method: "resources/templates/list";
  id?: RequestId;
  jsonrpc?: "2.0";
  params?: PaginatedRequestParams;
  [member: string]: unknown;
}

/** `ListResourceTemplatesResult` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ListResourceTemplatesResult {
  resourceTemplates: ResourceTemplate[];
  _meta?: ResultMetaObject;
  cacheScope?: "private" | "public" | OtherWord;
  nextCursor?: string;
  resultType?: string;
  ttlMs?: number;
  [member: string]: unknown;
}

/** `ListResourceTemplatesResultResponse` of 2026-07-28: `server/resources`. */
export interface ListResourceTemplatesResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: ListResourceTemplatesResult;
  [member: string]: unknown;
}

/** `ListResourcesRequest` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ListResourcesRequest {
  method: "resources/list";
  id?: RequestId;
  jsonrpc?: "2.0";
  params?: PaginatedRequestParams;
  [member: string]: unknown;
}

/** `ListResourcesResult` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ListResourcesResult {
  resources: Resource[];
  _meta?: ResultMetaObject;
  cacheScope?: "private" | "public" | OtherWord;
  nextCursor?: string;
  resultType?: string;
  ttlMs?: number;
  [member: string]: unknown;
}

/** `ListResourcesResultResponse` of 2026-07-28: `server/resources`. */
export interface ListResourcesResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: ListResourcesResult;
  [member: string]: unknown;
}

/** `ListRootsRequest` of 2024-11-05 to 2026-07-28: `client/roots`. */
export interface ListRootsRequest {
  method: "roots/list";
  params?: RequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `ListRootsResult` of 2024-11-05 to 2026-07-28: `client/roots`. */
export interface ListRootsResult {
  roots: Root[];
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `ListTasksRequest` of 2025-11-25: `basic/utilities/tasks`. */
export interface ListTasksRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/list";
  params?: PaginatedRequestParams;
  [member: string]: unknown;
}

/** `ListTasksResult` of 2025-11-25: `basic/utilities/tasks`. */
export interface ListTasksResult {
  tasks: Task[];
  _meta?: Record<string, unknown>;
  nextCursor?: string;
  [member: string]: unknown;
}

/** `ListToolsRequest` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface ListToolsRequest {
  method: "tools/list";
  id?: RequestId;
  jsonrpc?: "2.0";
  params?: PaginatedRequestParams;
  [member: string]: unknown;
}

/** `ListToolsResult` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface ListToolsResult {
  tools: Tool[];
  _meta?: ResultMetaObject;
  cacheScope?: "private" | "public" | OtherWord;
  nextCursor?: string;
  resultType?: string;
  ttlMs?: number;
  [member: string]: unknown;
}

/** `ListToolsResultResponse` of 2026-07-28: `server/tools`. */
export interface ListToolsResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: ListToolsResult;
  [member: string]: unknown;
}

/** `LoggingLevel` of 2024-11-05 to 2026-07-28: `server/utilities/logging`. */
export type LoggingLevel =
  | "alert"
  | "critical"
  | "debug"
  | "emergency"
  | "error"
  | "info"
  | "notice"
  | "warning"
  | OtherWord;

/** `LoggingMessageNotification` of 2024-11-05 to 2026-07-28: `server/utilities/logging`. */
export interface LoggingMessageNotification {
  method: "notifications/message";
  params: LoggingMessageNotificationParams;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `LoggingMessageNotificationParams` of 2025-11-25 to 2026-07-28: `server/utilities/logging`. */
export interface LoggingMessageNotificationParams {
  data: unknown;
  level: LoggingLevel;
  logger?: string;
  _meta?: NotificationMetaObject;
  [member: string]: unknown;
}

/** `MetaObject` of 2026-07-28: `basic`. */
export type MetaObject = Record<string, unknown>;

/** `MethodNotFoundError` of 2026-07-28: `basic`. */
export interface MethodNotFoundError {
  code: -32601;
  message: string;
  data?: unknown;
  [member: string]: unknown;
}

/** `MissingRequiredClientCapabilityError` of 2026-07-28: `basic`. */
export interface MissingRequiredClientCapabilityError {
  error: MissingRequiredClientCapabilityErrorError;
  jsonrpc: "2.0";
  id?: RequestId;
  [member: string]: unknown;
}

/** A part of `MissingRequiredClientCapabilityError`: `basic`. */
export interface MissingRequiredClientCapabilityErrorError {
  code: -32021;
  data: MissingRequiredClientCapabilityErrorErrorData;
  message: string;
  [member: string]: unknown;
}

/** A part of `MissingRequiredClientCapabilityError`: `basic`. */
export interface MissingRequiredClientCapabilityErrorErrorData {
  requiredCapabilities: ClientCapabilities;
  [member: string]: unknown;
}

/** `ModelHint` of 2024-11-05 to 2026-07-28: `client/sampling`. */
export interface ModelHint {
  name?: string;
  [member: string]: unknown;
}

/** `ModelPreferences` of 2024-11-05 to 2026-07-28: `client/sampling`. */
export interface ModelPreferences {
  costPriority?: number;
  hints?: ModelHint[];
  intelligencePriority?: number;
  speedPriority?: number;
  [member: string]: unknown;
}

/** `MultiSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/** `Notification` of 2024-11-05 to 2026-07-28: `basic`. */
export interface Notification {
  method: string;
  params?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `NotificationMetaObject` of 2026-07-28: `basic`. */
export interface NotificationMetaObject {
  "io.modelcontextprotocol/subscriptionId"?: RequestId;
  [member: string]: unknown;
}

/** `NotificationParams` of 2025-11-25 to 2026-07-28: `basic`. */
export interface NotificationParams {
  _meta?: NotificationMetaObject;
  [member: string]: unknown;
}

/** `NumberSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`. */
export interface NumberSchema {
  type: "integer" | "number" | OtherWord;
  default?: number;
  description?: string;
  maximum?: number;
  minimum?: number;
  title?: string;
  [member: string]: unknown;
}

/** `PaginatedRequest` of 2024-11-05 to 2026-07-28: `server/utilities/pagination`. */
export interface PaginatedRequest {
  method: string;
  id?: RequestId;
  jsonrpc?: "2.0";
  params?: PaginatedRequestParams;
  [member: string]: unknown;
}

/** `PaginatedRequestParams` of 2025-11-25 to 2026-07-28: `server/utilities/pagination`. */
export interface PaginatedRequestParams {
  cursor?: string;
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** `PaginatedResult` of 2024-11-05 to 2026-07-28: `server/utilities/pagination`. */
export interface PaginatedResult {
  _meta?: ResultMetaObject;
  nextCursor?: string;
  resultType?: string;
  [member: string]: unknown;
}

/** `ParseError` of 2026-07-28: `basic`. */
export interface ParseError {
  code: -32700;
  message: string;
  data?: unknown;
  [member: string]: unknown;
}

/** `PingRequest` of 2024-11-05 to 2025-11-25: `basic/utilities/ping`. */
export interface PingRequest {
  method: "ping";
  id?: RequestId;
  jsonrpc?: "2.0";
  params?: RequestParams;
  [member: string]: unknown;
}

/** `PrimitiveSchemaDefinition` of 2025-06-18 to 2026-07-28: `client/elicitation`. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** `ProgressNotification` of 2024-11-05 to 2026-07-28: `basic/utilities/progress, basic/patterns/progress`. */
export interface ProgressNotification {
  method: "notifications/progress";
  params: ProgressNotificationParams;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `ProgressNotificationParams` of 2025-11-25 to 2026-07-28: `basic/utilities/progress, basic/patterns/progress`. */
export interface ProgressNotificationParams {
  progress: number;
  progressToken: ProgressToken;
  message?: string;
  total?: number;
  _meta?: NotificationMetaObject;
  [member: string]: unknown;
}

/** `ProgressToken` of 2024-11-05 to 2026-07-28: `basic/utilities/progress, basic/patterns/progress`. */
export type ProgressToken = string | number;

/** `Prompt` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface Prompt {
  name: string;
  _meta?: MetaObject;
  arguments?: PromptArgument[];
  description?: string;
  icons?: Icon[];
  title?: string;
  [member: string]: unknown;
}

/** `PromptArgument` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface PromptArgument {
  name: string;
  description?: string;
  required?: boolean;
  title?: string;
  [member: string]: unknown;
}

/** `PromptListChangedNotification` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface PromptListChangedNotification {
  method: "notifications/prompts/list_changed";
  jsonrpc?: "2.0";
  params?: NotificationParams;
  [member: string]: unknown;
}

/** `PromptMessage` of 2024-11-05 to 2026-07-28: `server/prompts`. */
export interface PromptMessage {
  content: ContentBlock;
  role: Role;
  [member: string]: unknown;
}

/** `PromptReference` of 2024-11-05 to 2026-07-28: `server/utilities/completion`. */
export interface PromptReference {
  name: string;
  type: "ref/prompt";
  title?: string;
  [member: string]: unknown;
}

/** `ReadResourceRequest` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ReadResourceRequest {
  method: "resources/read";
  params: ReadResourceRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `ReadResourceRequestParams` of 2025-11-25 to 2026-07-28: `server/resources`. */
export interface ReadResourceRequestParams {
  uri: string;
  _meta?: RequestMetaObject;
  inputResponses?: InputResponses;
  requestState?: string;
  [member: string]: unknown;
}

/** `ReadResourceResult` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ReadResourceResult {
  contents: (TextResourceContents | BlobResourceContents)[];
  _meta?: ResultMetaObject;
  cacheScope?: "private" | "public" | OtherWord;
  resultType?: string;
  ttlMs?: number;
  [member: string]: unknown;
}

/** `ReadResourceResultResponse` of 2026-07-28: `server/resources`. */
export interface ReadResourceResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: InputRequiredResult | ReadResourceResult;
  [member: string]: unknown;
}

/** `RelatedTaskMetadata` of 2025-11-25: `basic/utilities/tasks`. */
export interface RelatedTaskMetadata {
  taskId: string;
  [member: string]: unknown;
}

/** `Request` of 2024-11-05 to 2026-07-28: `basic`. */
export interface Request {
  method: string;
  params?: Record<string, unknown>;
  [member: string]: unknown;
}

/** `RequestId` of 2024-11-05 to 2026-07-28: `basic`. */
export type RequestId = string | number;

/** `RequestMetaObject` of 2026-07-28: `basic`. */
export interface RequestMetaObject {
  progressToken?: ProgressToken;
  "io.modelcontextprotocol/clientCapabilities"?: ClientCapabilities;
  "io.modelcontextprotocol/clientInfo"?: Implementation;
  "io.modelcontextprotocol/logLevel"?: LoggingLevel;
  "io.modelcontextprotocol/protocolVersion"?: string;
  [member: string]: unknown;
}

/** `RequestParams` of 2025-11-25 to 2026-07-28: `basic`. */
export interface RequestParams {
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** `Resource` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface Resource {
  name: string;
  uri: string;
  _meta?: MetaObject;
  annotations?: Annotations;
  description?: string;
  icons?: Icon[];
  mimeType?: string;
  size?: number;
  title?: string;
  [member: string]: unknown;
}

/** `ResourceContents` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ResourceContents {
  uri: string;
  _meta?: MetaObject;
  mimeType?: string;
  [member: string]: unknown;
}

/** `ResourceLink` of 2025-06-18 to 2026-07-28: `server/resources`. */
export interface ResourceLink {
  name: string;
  type: "resource_link";
  uri: string;
  _meta?: MetaObject;
  annotations?: Annotations;
  description?: string;
  icons?: Icon[];
  mimeType?: string;
  size?: number;
  title?: string;
  [member: string]: unknown;
}

/** `ResourceListChangedNotification` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ResourceListChangedNotification {
  method: "notifications/resources/list_changed";
  jsonrpc?: "2.0";
  params?: NotificationParams;
  [member: string]: unknown;
}

/** `ResourceReference` of 2024-11-05 to 2025-03-26: `server/utilities/completion`. */
export interface ResourceReference {
  type: "ref/resource";
  uri: string;
  [member: string]: unknown;
}

/** `ResourceRequestParams` of 2025-11-25 to 2026-07-28: `server/resources`. */
export interface ResourceRequestParams {
  uri: string;
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** `ResourceTemplate` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ResourceTemplate {
  name: string;
  uriTemplate: string;
  _meta?: MetaObject;
  annotations?: Annotations;
  description?: string;
  icons?: Icon[];
  mimeType?: string;
  title?: string;
  [member: string]: unknown;
}

/** `ResourceTemplateReference` of 2025-06-18 to 2026-07-28: `server/utilities/completion`. */
export interface ResourceTemplateReference {
  type: "ref/resource";
  uri: string;
  [member: string]: unknown;
}

/** `ResourceUpdatedNotification` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface ResourceUpdatedNotification {
  method: "notifications/resources/updated";
  params: ResourceUpdatedNotificationParams;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `ResourceUpdatedNotificationParams` of 2025-11-25 to 2026-07-28: `server/resources`. */
export interface ResourceUpdatedNotificationParams {
  uri: string;
  _meta?: NotificationMetaObject;
  [member: string]: unknown;
}

/** `Result` of 2024-11-05 to 2026-07-28: `basic`. */
export interface Result {
  _meta?: ResultMetaObject;
  resultType?: string;
  [member: string]: unknown;
}

/** `ResultMetaObject` of 2026-07-28: `basic`. */
export interface ResultMetaObject {
  "io.modelcontextprotocol/serverInfo"?: Implementation;
  [member: string]: unknown;
}

/** `ResultType` of 2026-07-28: `basic`. */
export type ResultType = string;

/** `Role` of 2024-11-05 to 2026-07-28: `server/tools`. */
export type Role = "assistant" | "user" | OtherWord;

/** `Root` of 2024-11-05 to 2026-07-28: `client/roots`. */
export interface Root {
  uri: string;
  _meta?: MetaObject;
  name?: string;
  [member: string]: unknown;
}

/** `RootsListChangedNotification` of 2024-11-05 to 2025-11-25: `client/roots`. */
export interface RootsListChangedNotification {
  method: "notifications/roots/list_changed";
  jsonrpc?: "2.0";
  params?: NotificationParams;
  [member: string]: unknown;
}

/** `SamplingMessage` of 2024-11-05 to 2026-07-28: `client/sampling`. */
export interface SamplingMessage {
  content: TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent | SamplingMessageContentBlock[];
  role: Role;
  _meta?: MetaObject;
  [member: string]: unknown;
}

/** `SamplingMessageContentBlock` of 2025-11-25 to 2026-07-28: `client/sampling`. */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** `ServerCapabilities` of 2024-11-05 to 2026-07-28: `basic/lifecycle, basic/versioning`. */
export interface ServerCapabilities {
  completions?: Record<string, unknown>;
  experimental?: Record<string, Record<string, unknown>>;
  extensions?: Record<string, Record<string, unknown>>;
  logging?: Record<string, unknown>;
  prompts?: ServerCapabilitiesPrompts;
  resources?: ServerCapabilitiesResources;
  tools?: ServerCapabilitiesTools;
  tasks?: ServerCapabilitiesTasks;
  [member: string]: unknown;
}

/** A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ServerCapabilitiesPrompts {
  listChanged?: boolean;
  [member: string]: unknown;
}

/** A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ServerCapabilitiesResources {
  listChanged?: boolean;
  subscribe?: boolean;
  [member: string]: unknown;
}

/** A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ServerCapabilitiesTasks {
  cancel?: Record<string, unknown>;
  list?: Record<string, unknown>;
  requests?: ServerCapabilitiesTasksRequests;
  [member: string]: unknown;
}

/** A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ServerCapabilitiesTasksRequests {
  tools?: ServerCapabilitiesTasksRequestsTools;
  [member: string]: unknown;
}

/** A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ServerCapabilitiesTasksRequestsTools {
  call?: Record<string, unknown>;
  [member: string]: unknown;
}

/** A part of `ServerCapabilities`: `basic/lifecycle, basic/versioning`. */
export interface ServerCapabilitiesTools {
  listChanged?: boolean;
  [member: string]: unknown;
}

/** `ServerNotification` of 2024-11-05 to 2026-07-28: `basic`. */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | ResourceListChangedNotification
  | ResourceUpdatedNotification
  | PromptListChangedNotification
  | ToolListChangedNotification
  | LoggingMessageNotification
  | TaskStatusNotification
  | ElicitationCompleteNotification
  | SubscriptionsAcknowledgedNotification;

/** `ServerRequest` of 2024-11-05 to 2025-11-25: `basic`. */
export type ServerRequest =
  | PingRequest
  | CreateMessageRequest
  | ListRootsRequest
  | ElicitRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | CancelTaskRequest
  | ListTasksRequest;

/** `ServerResult` of 2024-11-05 to 2026-07-28: `basic`. */
export type ServerResult =
  | Result
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
  | SubscriptionsListenResult;

/** `SetLevelRequest` of 2024-11-05 to 2025-11-25: `server/utilities/logging`. */
export interface SetLevelRequest {
  method: "logging/setLevel";
  params: SetLevelRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `SetLevelRequestParams` of 2025-11-25: `server/utilities/logging`. */
export interface SetLevelRequestParams {
  level: LoggingLevel;
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** `SingleSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/** `StringSchema` of 2025-06-18 to 2026-07-28: `client/elicitation`. */
export interface StringSchema {
  type: "string";
  default?: string;
  description?: string;
  format?: "date" | "date-time" | "email" | "uri" | OtherWord;
  maxLength?: number;
  minLength?: number;
  title?: string;
  [member: string]: unknown;
}

/** `SubscribeRequest` of 2024-11-05 to 2025-11-25: `basic`. */
export interface SubscribeRequest {
  method: "resources/subscribe";
  params: SubscribeRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `SubscribeRequestParams` of 2025-11-25: `basic`. */
export interface SubscribeRequestParams {
  uri: string;
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** `SubscriptionFilter` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionFilter {
  promptsListChanged?: boolean;
  resourceSubscriptions?: string[];
  resourcesListChanged?: boolean;
  toolsListChanged?: boolean;
  [member: string]: unknown;
}

/** `SubscriptionsAcknowledgedNotification` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionsAcknowledgedNotification {
  jsonrpc: "2.0";
  method: "notifications/subscriptions/acknowledged";
  params: SubscriptionsAcknowledgedNotificationParams;
  [member: string]: unknown;
}

/** `SubscriptionsAcknowledgedNotificationParams` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionsAcknowledgedNotificationParams {
  notifications: SubscriptionFilter;
  _meta?: NotificationMetaObject;
  [member: string]: unknown;
}

/** `SubscriptionsListenRequest` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionsListenRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "subscriptions/listen";
  params: SubscriptionsListenRequestParams;
  [member: string]: unknown;
}

/** `SubscriptionsListenRequestParams` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionsListenRequestParams {
  _meta: RequestMetaObject;
  notifications: SubscriptionFilter;
  [member: string]: unknown;
}

/** `SubscriptionsListenResult` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionsListenResult {
  _meta: SubscriptionsListenResultMetaObject;
  resultType: string;
  [member: string]: unknown;
}

/** `SubscriptionsListenResultMetaObject` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionsListenResultMetaObject {
  "io.modelcontextprotocol/subscriptionId": RequestId;
  "io.modelcontextprotocol/serverInfo"?: Implementation;
  [member: string]: unknown;
}

/** `SubscriptionsListenResultResponse` of 2026-07-28: `basic/patterns/subscriptions`. */
export interface SubscriptionsListenResultResponse {
  id: RequestId;
  jsonrpc: "2.0";
  result: SubscriptionsListenResult;
  [member: string]: unknown;
}

/** `Task` of 2025-11-25: `basic/utilities/tasks`. */
export interface Task {
  createdAt: string;
  lastUpdatedAt: string;
  status: TaskStatus;
  taskId: string;
  ttl: number | null;
  pollInterval?: number;
  statusMessage?: string;
  [member: string]: unknown;
}

/** `TaskAugmentedRequestParams` of 2025-11-25: `basic/utilities/tasks`. */
export interface TaskAugmentedRequestParams {
  _meta?: RequestMetaObject;
  task?: TaskMetadata;
  [member: string]: unknown;
}

/** `TaskMetadata` of 2025-11-25: `basic/utilities/tasks`. */
export interface TaskMetadata {
  ttl?: number;
  [member: string]: unknown;
}

/** `TaskStatus` of 2025-11-25: `basic/utilities/tasks`. */
export type TaskStatus = "cancelled" | "completed" | "failed" | "input_required" | "working" | OtherWord;

/** `TaskStatusNotification` of 2025-11-25: `basic/utilities/tasks`. */
export interface TaskStatusNotification {
  jsonrpc: "2.0";
  method: "notifications/tasks/status";
  params: TaskStatusNotificationParams;
  [member: string]: unknown;
}

/** `TaskStatusNotificationParams` of 2025-11-25: `basic/utilities/tasks`. */
export interface TaskStatusNotificationParams {
  createdAt: string;
  lastUpdatedAt: string;
  status: TaskStatus;
  taskId: string;
  ttl: number | null;
  _meta?: Record<string, unknown>;
  pollInterval?: number;
  statusMessage?: string;
  [member: string]: unknown;
}

/** `TextContent` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface TextContent {
  text: string;
  type: "text";
  _meta?: MetaObject;
  annotations?: Annotations;
  [member: string]: unknown;
}

/** `TextResourceContents` of 2024-11-05 to 2026-07-28: `server/resources`. */
export interface TextResourceContents {
  text: string;
  uri: string;
  _meta?: MetaObject;
  mimeType?: string;
  [member: string]: unknown;
}

/** `TitledMultiSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export interface TitledMultiSelectEnumSchema {
  items: TitledMultiSelectEnumSchemaItems;
  type: "array";
  default?: string[];
  description?: string;
  maxItems?: number;
  minItems?: number;
  title?: string;
  [member: string]: unknown;
}

/** A part of `TitledMultiSelectEnumSchema`: `client/elicitation`. */
export interface TitledMultiSelectEnumSchemaItems {
  anyOf: TitledMultiSelectEnumSchemaItemsAnyOfItem[];
  [member: string]: unknown;
}

/** A part of `TitledMultiSelectEnumSchema`: `client/elicitation`. */
export interface TitledMultiSelectEnumSchemaItemsAnyOfItem {
  const: string;
  title: string;
  [member: string]: unknown;
}

/** `TitledSingleSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export interface TitledSingleSelectEnumSchema {
  oneOf: TitledSingleSelectEnumSchemaOneOfItem[];
  type: "string";
  default?: string;
  description?: string;
  title?: string;
  [member: string]: unknown;
}

/** A part of `TitledSingleSelectEnumSchema`: `client/elicitation`. */
export interface TitledSingleSelectEnumSchemaOneOfItem {
  const: string;
  title: string;
  [member: string]: unknown;
}

/** `Tool` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface Tool {
  inputSchema: Record<string, unknown>;
  name: string;
  _meta?: MetaObject;
  annotations?: ToolAnnotations;
  description?: string;
  icons?: Icon[];
  outputSchema?: Record<string, unknown>;
  title?: string;
  execution?: ToolExecution;
  [member: string]: unknown;
}

/** `ToolAnnotations` of 2025-03-26 to 2026-07-28: `server/tools`. */
export interface ToolAnnotations {
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
  readOnlyHint?: boolean;
  title?: string;
  [member: string]: unknown;
}

/** `ToolChoice` of 2025-11-25 to 2026-07-28: `client/sampling`. */
export interface ToolChoice {
  mode?: "auto" | "none" | "required" | OtherWord;
  [member: string]: unknown;
}

/** `ToolExecution` of 2025-11-25: `server/tools`. */
export interface ToolExecution {
  taskSupport?: "forbidden" | "optional" | "required" | OtherWord;
  [member: string]: unknown;
}

/** `ToolListChangedNotification` of 2024-11-05 to 2026-07-28: `server/tools`. */
export interface ToolListChangedNotification {
  method: "notifications/tools/list_changed";
  jsonrpc?: "2.0";
  params?: NotificationParams;
  [member: string]: unknown;
}

/** `ToolResultContent` of 2025-11-25 to 2026-07-28: `client/sampling`. */
export interface ToolResultContent {
  content: ContentBlock[];
  toolUseId: string;
  type: "tool_result";
  _meta?: MetaObject;
  isError?: boolean;
  structuredContent?: unknown;
  [member: string]: unknown;
}

/** `ToolUseContent` of 2025-11-25 to 2026-07-28: `client/sampling`. */
export interface ToolUseContent {
  id: string;
  input: Record<string, unknown>;
  name: string;
  type: "tool_use";
  _meta?: MetaObject;
  [member: string]: unknown;
}

/** `URLElicitationRequiredError` of 2025-11-25: `client/elicitation`. */
export interface URLElicitationRequiredError {
  error: URLElicitationRequiredErrorError;
  jsonrpc: "2.0";
  id?: RequestId;
  [member: string]: unknown;
}

/** A part of `URLElicitationRequiredError`: `client/elicitation`. */
export interface URLElicitationRequiredErrorError {
  code: -32042;
  data: URLElicitationRequiredErrorErrorData;
  message: string;
  [member: string]: unknown;
}

/** A part of `URLElicitationRequiredError`: `client/elicitation`. */
export interface URLElicitationRequiredErrorErrorData {
  elicitations: ElicitRequestURLParams[];
  [member: string]: unknown;
}

/** `UnsubscribeRequest` of 2024-11-05 to 2025-11-25: `basic`. */
export interface UnsubscribeRequest {
  method: "resources/unsubscribe";
  params: UnsubscribeRequestParams;
  id?: RequestId;
  jsonrpc?: "2.0";
  [member: string]: unknown;
}

/** `UnsubscribeRequestParams` of 2025-11-25: `basic`. */
export interface UnsubscribeRequestParams {
  uri: string;
  _meta?: RequestMetaObject;
  [member: string]: unknown;
}

/** `UnsupportedProtocolVersionError` of 2026-07-28: `basic`. */
export interface UnsupportedProtocolVersionError {
  error: UnsupportedProtocolVersionErrorError;
  jsonrpc: "2.0";
  id?: RequestId;
  [member: string]: unknown;
}

/** A part of `UnsupportedProtocolVersionError`: `basic`. */
export interface UnsupportedProtocolVersionErrorError {
  code: -32022;
  data: UnsupportedProtocolVersionErrorErrorData;
  message: string;
  [member: string]: unknown;
}

/** A part of `UnsupportedProtocolVersionError`: `basic`. */
export interface UnsupportedProtocolVersionErrorErrorData {
  requested: string;
  supported: string[];
  [member: string]: unknown;
}

/** `UntitledMultiSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export interface UntitledMultiSelectEnumSchema {
  items: UntitledMultiSelectEnumSchemaItems;
  type: "array";
  default?: string[];
  description?: string;
  maxItems?: number;
  minItems?: number;
  title?: string;
  [member: string]: unknown;
}

/** A part of `UntitledMultiSelectEnumSchema`: `client/elicitation`. */
export interface UntitledMultiSelectEnumSchemaItems {
  enum: string[];
  type: "string";
  [member: string]: unknown;
}

/** `UntitledSingleSelectEnumSchema` of 2025-11-25 to 2026-07-28: `client/elicitation`. */
export interface UntitledSingleSelectEnumSchema {
  enum: string[];
  type: "string";
  default?: string;
  description?: string;
  title?: string;
  [member: string]: unknown;
}
