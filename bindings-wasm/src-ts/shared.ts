/** What every JavaScript runtime shares, without an engine: bring one that satisfies {@link Engine}. */
export * from "./client.js";
export type { Question, ServerFacts, SubscriptionState } from "./client-session.js";
export * from "./driver.js";
export * from "./engine.js";
export {
  type InputAnswers,
  type InputQuestion,
  InputRequired,
  type LogLevel,
  NotFoundError,
  type RequestContext,
  RequestError,
  type RequestHandler,
  type ServerRequest,
  ToolError,
  type ToolHandler,
  type ToolOptions,
  type ToolOutcome,
} from "./handlers.js";
export * from "./observe.js";
export type { CommonOptions, Implementation, JsonObject, Limits, Rate, Rates } from "./options.js";
export * from "./port.js";
export {
  CallError,
  type CallErrorDetails,
  type Progress,
  type RequestOptions,
  type TaskChange,
  type TaskRequest,
} from "./requests.js";
export * from "./schema.js";
export * from "./server.js";
export { type Change, ServerSession } from "./server-session.js";
export type * as types from "./types.js";
