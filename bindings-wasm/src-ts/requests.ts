/** Requests to a server: their options, and how they fail. */
import { type BatchRecord, type CallOptions, EngineError, type TaskOptions } from "./engine.js";
import type { JsonObject } from "./options.js";
import type { LogLevel } from "./handlers.js";
import type * as types from "./types.js";

/** How far a call is. */
export interface Progress {
  /** Rises from notice to notice. */
  readonly progress: number;
  /** What it rises to, if that is known. */
  readonly total?: number;
  /** For people. */
  readonly message?: string;
}

/** Options of one request. */
export interface RequestOptions {
  /** Milliseconds without a sign of life after which it ends with `call.timeout`: above 0, and finite. */
  readonly timeout?: number;
  /** Milliseconds in all after which it ends with `call.timeout`, whatever its progress: above 0, and finite. */
  readonly totalTimeout?: number;
  /** Takes the request back when it is aborted: the server is told, and the call ends with `call.cancelled`. */
  readonly signal?: AbortSignal;
  /** Asks for progress, and is called with it. */
  readonly onProgress?: (progress: Progress) => void;
  /** The least severe log level wanted for this call, where the revision has that. */
  readonly logLevel?: LogLevel;
  /** Further members for `_meta`. */
  readonly meta?: JsonObject;
  /** Sends it as a task, which is followed to its outcome. */
  readonly task?: TaskRequest;
  /** Asks the server, even if an answer is kept from before. */
  readonly fresh?: boolean;
}

/** How a request is sent as a task. */
export interface TaskRequest {
  /** Milliseconds that the server is asked to keep it. */
  readonly ttl?: number;
  /** End the request with the task itself, as soon as it is made. */
  readonly detached?: boolean;
  /** Called when the task is made, with what its model may be told meanwhile, and when its state changes. */
  readonly onTask?: (change: TaskChange) => void;
}

/** What became of a task. */
export interface TaskChange {
  /** It and its state. */
  readonly task: types.Task;
  /** What the model may be told until there is an outcome. */
  readonly immediate: string | undefined;
}

/** A call without a result. `code`: `call.rpc`, `call.timeout`, `call.cancelled`, `call.closed`, `call.invalid_result`… */
export class CallError extends EngineError {
  override readonly name = "CallError";
  /** Of `call.rpc`: the number by which the server names its error. */
  readonly rpcCode: number | undefined;
  /** Of `call.rpc`: what the server adds to its error. */
  readonly data: unknown;
  /** Of `call.closed`: whether the server may have seen the call. If not, repeating it is safe. */
  readonly delivered: boolean | undefined;

  /** As {@link EngineError}, with what is known besides. */
  constructor(code: string, message: string, details: CallErrorDetails = {}) {
    super(code, message, details.cause === undefined ? undefined : { cause: details.cause });
    this.rpcCode = details.rpcCode;
    this.data = details.data;
    this.delivered = details.delivered;
  }
}

/** What is known of a failed call besides its code. */
export interface CallErrorDetails {
  /** See {@link CallError.rpcCode}. */
  readonly rpcCode?: number;
  /** See {@link CallError.data}. */
  readonly data?: unknown;
  /** See {@link CallError.delivered}. */
  readonly delivered?: boolean;
  /** What led to it here. */
  readonly cause?: unknown;
}

// Callers in plain JavaScript pass what they like, and the engines differ in what they make of it.

/** Refuses what is no string. */
export function requireString(what: string, value: unknown): void {
  if (typeof value !== "string") throw new EngineError("send.invalid", `${what} must be a string`);
}

function requireTime(option: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value > 0)) return;
  throw new EngineError("send.invalid", `the option ${option} must be a positive finite number of milliseconds`);
}

/** The same options as the engine takes them. */
export function callOptions(options: RequestOptions): CallOptions {
  requireTime("timeout", options.timeout);
  requireTime("totalTimeout", options.totalTimeout);
  requireTime("task.ttl", options.task?.ttl);
  return {
    ...(options.timeout !== undefined && { silenceMs: options.timeout }),
    ...(options.totalTimeout !== undefined && { totalMs: options.totalTimeout }),
    ...(options.onProgress !== undefined && { progress: true }),
    ...(options.logLevel !== undefined && { logLevel: options.logLevel }),
    ...(options.meta !== undefined && { meta: JSON.stringify(options.meta) }),
    ...(options.task !== undefined && { task: taskOptions(options.task) }),
    ...(options.fresh !== undefined && { fresh: options.fresh }),
  };
}

function taskOptions({ ttl, detached }: TaskRequest): TaskOptions {
  return { ...(ttl !== undefined && { ttlMs: ttl }), ...(detached !== undefined && { detached }) };
}

/** A record of {@link Code.Failed}. */
export function callError(record: BatchRecord): CallError {
  const code = record.text(0) ?? "call.closed";
  const message = record.text(1) ?? code;
  switch (code) {
    case "call.rpc":
      return new CallError(code, message, { rpcCode: record.number, data: record.json(2) });
    case "call.closed":
      return new CallError(code, message, { delivered: record.related === 1 });
    default:
      return new CallError(code, message);
  }
}
