/** What a server's handlers get, return and throw. */
import { type BatchRecord, EngineError, type ServerConnection, TASK } from "./engine.js";
import type { JsonObject } from "./options.js";
import type * as types from "./types.js";

/** What a tool says of itself, beside its name. Further members (`icons`, `_meta`…) are passed on. */
export interface ToolOptions {
  /** Its name, for people. */
  readonly title?: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** A JSON Schema of its arguments, whose `type` is `object`; anything by default. */
  readonly inputSchema?: JsonObject;
  /** A JSON Schema of its `structuredContent`. */
  readonly outputSchema?: JsonObject;
  /** Hints about what it does, as the spec describes them. */
  readonly annotations?: JsonObject;
  readonly [member: string]: unknown;
}

/** What the handler of a tool may return: one text, blocks of content, a whole result, or questions. */
export type ToolOutcome = string | readonly types.ContentBlock[] | types.CallToolResult | InputRequired;

/** A question to the client: elicitation, sampling, roots. */
export interface InputQuestion {
  /** Which kind, in the spec's words. */
  readonly method: string;
  /** What is asked. */
  readonly params?: object;
}

/**
 * Returned by a handler that needs answers of the client first. The handler is called again with them, in every revision:
 * they are in `context.answers`, and so is `state`.
 */
export class InputRequired {
  /** The questions, by a key of the handler's choice. */
  readonly questions: Readonly<Record<string, InputQuestion>>;
  /** Any JSON value. The client may hold it meanwhile, sealed, so that it can neither read nor change it. */
  readonly state: unknown;

  /** `questions`: at least one, by key. */
  constructor(questions: Readonly<Record<string, InputQuestion>>, state?: unknown) {
    this.questions = questions;
    this.state = state;
  }
}

/** What the client answered to the questions of the round before. */
export interface InputAnswers {
  /** How often this request has asked. */
  readonly round: number;
  /** The results, by key. A key that is neither here nor in `failed` was not answered: ask again. */
  readonly results: Readonly<Record<string, types.InputResponse>>;
  /** Why there will be no answer, by key. */
  readonly failed: Readonly<Record<string, { readonly code: string; readonly error?: types.Error }>>;
  /** As it was given with the questions. */
  readonly state: unknown;
  /** The ids of the questions that sent the user to a URL, by key, where the revision has them. */
  readonly elicitations: Readonly<Record<string, string>>;
}

/** Severities of log notices, least severe first. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** What a handler has at hand, beside what is asked. */
export interface RequestContext {
  /** Aborted when nobody waits for the result any more. Its `reason` has the code why: `over.cancelled`… */
  readonly signal: AbortSignal;
  /** The revision that this request came in. */
  readonly revision: string;
  /** The request's `_meta`. */
  readonly meta: JsonObject | undefined;
  /** Tells the caller how far it is. False: not sent, because nobody asked, `value` did not rise, or there is no room. */
  readonly progress: (value: number, total?: number, message?: string) => boolean;
  /** Logs to the caller. False: not sent, because nobody asked for this level or there is no room. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => boolean;
  /** What the client answered, if the handler returned an {@link InputRequired} before. */
  readonly answers: InputAnswers | undefined;
  /** Whether the request runs as a task. */
  readonly isTask: boolean;
  /** Says how the task is getting on, for a person to read. False: not sent, because there is no task or no room. */
  readonly status: (message: string) => boolean;
  /** How long the result may be kept, in milliseconds, and whether all users may share it; by default not at all. */
  readonly keep: (ttlMs: number, shared?: boolean) => void;
}

/** Runs a tool. It should stop when `context.signal` is aborted. */
export type ToolHandler<A = JsonObject> = (args: A, context: RequestContext) => ToolOutcome | Promise<ToolOutcome>;

/** Thrown by a handler whose tool failed in a way that the model should read: its text becomes the tool's result. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** A request other than the call of a tool. */
export interface ServerRequest {
  /** Its method, in the spec's words. */
  readonly method: string;
  /** What it names: a resource's URI, a prompt. */
  readonly name: string | undefined;
  /** Its params. */
  readonly params: unknown;
  /** The template of the catalog that its URI matches. */
  readonly template: string | undefined;
  /** What the variables of the template stand for. Percent-encoding is kept. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/** Answers a request with its result. It should stop when `context.signal` is aborted. */
export type RequestHandler = (
  request: ServerRequest,
  context: RequestContext,
) => types.Result | InputRequired | Promise<types.Result | InputRequired>;

/** Thrown by a handler that finds nothing by the name that it was asked for. */
export class NotFoundError extends Error {
  override readonly name = "NotFoundError";
}

/** Thrown by a handler to answer with an error that the peer sees as it is. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** Its number. */
  readonly code: number;
  /** What it adds. */
  readonly data: unknown;

  /** `code`: a number that the spec leaves to applications; `message`: for a person. */
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Says something about a request. False: it was not sent. */
export type Say = (connection: ServerConnection, now: number) => boolean;

/** A request whose handler runs, and what the handler has at hand. Most of it is seldom looked at, and made when it is. */
export class Running implements RequestContext {
  readonly #record: BatchRecord;
  readonly #answers: BatchRecord | undefined;
  readonly #tell: (say: Say) => boolean;
  #controller: AbortController | undefined;
  #reason: EngineError | undefined;
  cache = { ttlMs: 0, shared: false };

  constructor(record: BatchRecord, answers: BatchRecord | undefined, tell: (say: Say) => boolean) {
    this.#record = record;
    this.#answers = answers;
    this.#tell = tell;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
  get revision(): string {
    return this.#record.text(1) ?? "";
  }
  get meta(): JsonObject | undefined {
    return this.#record.json(5) as JsonObject | undefined;
  }
  get progress(): RequestContext["progress"] {
    const request = this.#record.handle;
    return (value, total, message) =>
      this.#tell((connection, now) => connection.progress(now, request, value, total, message));
  }
  get log(): RequestContext["log"] {
    const request = this.#record.handle;
    return (level, data, logger) => {
      const text = JSON.stringify(data);
      return this.#tell((connection, now) => connection.log(now, request, level, logger, text));
    };
  }

  get answers(): InputAnswers | undefined {
    return this.#answers && answersOf(this.#answers);
  }
  get isTask(): boolean {
    return (this.#record.related & TASK) !== 0;
  }
  get status(): RequestContext["status"] {
    const request = this.#record.handle;
    return (message) =>
      this.isTask &&
      this.#tell((connection, now) => {
        connection.taskStatus(now, request, message);
        return true;
      });
  }
  get keep(): RequestContext["keep"] {
    return (ttlMs, shared = false) => {
      this.cache = { ttlMs, shared };
    };
  }

  get over(): boolean {
    return this.#reason !== undefined;
  }
  end(reason: EngineError): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** State as bytes, and back from the base64 of a record. */
export const stateBytes = (state: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(state));

function stateOf(base64: string): unknown {
  const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}

function answersOf(record: BatchRecord): InputAnswers {
  const state = record.text(1);
  return {
    round: record.number,
    results: record.json(0) as InputAnswers["results"],
    failed: record.json(2) as InputAnswers["failed"],
    state: state === undefined ? undefined : stateOf(state),
    elicitations: record.json(4) as InputAnswers["elicitations"],
  };
}

/** What a request's record says. */
export function requestOf(record: BatchRecord): ServerRequest {
  return {
    method: record.text(0) ?? "",
    name: record.text(2),
    params: record.json(3),
    template: record.text(6),
    variables: record.json(7) as Readonly<Record<string, unknown>> | undefined,
  };
}

function isBlock(value: unknown): value is types.ContentBlock {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isContent(value: unknown): value is types.ContentBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

/** Handlers in plain JavaScript return what they like. */
export function resultOf(outcome: unknown): types.CallToolResult {
  if (typeof outcome === "string") return { content: [{ type: "text", text: outcome }] };
  if (isContent(outcome)) return { content: outcome };
  if (isContent((outcome as Partial<types.CallToolResult> | null | undefined)?.content)) {
    return outcome as types.CallToolResult;
  }
  throw new TypeError("a handler returns a string, an array of content blocks, or { content }");
}
