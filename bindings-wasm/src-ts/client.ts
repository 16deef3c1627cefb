/** A client of one server. */
import { Driver, type Link, type Owner, systemClock } from "./driver.js";
import {
  type BatchRecord,
  type CallOptions,
  type ClientConnection,
  Code,
  type Engine,
  EngineError,
  codeOf,
  typed,
} from "./engine.js";
import { faultOf, observe, report, shielded } from "./observe.js";
import { type CommonOptions, type Implementation, type JsonObject, commonConfig, randomSeed } from "./options.js";
import type { LogLevel, ToolResult } from "./server.js";

/** Options of a client. */
export interface ClientOptions extends CommonOptions {
  /** Whether to find out the server's era first, which is the default; false opens with a handshake at once. */
  readonly probe?: boolean;
  /** Answers a question of the server (elicitation, sampling, roots) with its result. Declare the capability too. */
  readonly onInput?: (question: Question) => JsonObject | Promise<JsonObject>;
}

/** A question of the server. */
export interface Question {
  /** Which kind, in the spec's words. */
  readonly method: string;
  /** What is asked. */
  readonly params: unknown;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** A tool that a server offers. */
export interface ToolInfo {
  /** By which it is called. */
  readonly name: string;
  /** Its name, for people. */
  readonly title?: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** A JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** A JSON Schema of its `structuredContent`. */
  readonly outputSchema?: JsonObject;
  /** What the server claims about it. */
  readonly annotations?: JsonObject;
  readonly [member: string]: unknown;
}

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
}

/** Options of `listTools`. */
export interface ListOptions extends RequestOptions {
  /** Pages that are fetched at most; 1,000 by default. */
  readonly maxPages?: number;
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

/** What a server told of itself. */
export interface ServerFacts {
  /** The revision that is spoken. */
  readonly revision: string;
  /** Who it says it is. */
  readonly info: Implementation | undefined;
  /** What it can do. */
  readonly capabilities: JsonObject;
  /** How to use it, for the model. */
  readonly instructions: string | undefined;
}

type Start = (connection: ClientConnection, now: number, options: CallOptions) => number;

/**
 * A client. Connect it to one server at a time.
 *
 * ```ts
 * const client = new Client({ name: "page", version: "1.0.0" });
 * await client.connect(link, engine);
 * const result = await client.callTool("greet", { who: "世界" });
 * ```
 */
export class Client {
  readonly #options: ClientOptions;
  #session: ClientSession | undefined;

  /** Nothing is checked before a connection is made. */
  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Connects, and resolves when the server is known. A `link` that is a function is called once the options are known
   * to work, and maybe a second time: some servers die of the question for their era, and are started once more with
   * the question left out.
   *
   * `remembered` is the revision of an earlier connection to the same server: the era is not asked for again.
   *
   * @throws {@link EngineError} `config.invalid`, or why the connection ended: `close.handshake`, `close.peer`…
   */
  async connect(
    link: Link | (() => Link | Promise<Link>),
    engine: Engine | Promise<Engine>,
    remembered?: string,
  ): Promise<void> {
    if (this.#session?.ended === false) throw new EngineError("send.invalid", "this client is connected already");
    if (typeof link !== "function") {
      await this.#open(engine, link, this.#options, remembered);
      return;
    }
    // Nothing is started for options that can't work.
    connectionOf(await engine, this.#options, false).free?.();
    try {
      await this.#open(engine, await link(), this.#options, remembered);
    } catch (error) {
      if (codeOf(error) !== "close.probe_closed") throw error;
      await this.#open(engine, await link(), { ...this.#options, probe: false });
    }
  }

  /** The revision that is spoken. */
  get revision(): string {
    return this.#known.revision;
  }
  /** Who the server says it is. */
  get serverInfo(): Implementation | undefined {
    return this.#known.info;
  }
  /** What the server can do. */
  get serverCapabilities(): JsonObject {
    return this.#known.capabilities;
  }
  /** How to use the server, for the model. */
  get instructions(): string | undefined {
    return this.#known.instructions;
  }
  /** Resolves at the end with the code of its reason: `close.peer`…, or `engine.failed`. Never rejects. */
  get closed(): Promise<string> {
    return this.#live.closed;
  }

  /**
   * All tools of the server, over all pages.
   *
   * @throws {@link CallError} also `call.invalid_result`, if the pages don't end; {@link EngineError} `send.invalid`.
   */
  async listTools(options: ListOptions = {}): Promise<ToolInfo[]> {
    const session = this.#live;
    const tools: ToolInfo[] = [];
    const seen = new Set<string | undefined>();
    let cursor: string | undefined;
    do {
      if (seen.has(cursor) || seen.size >= (options.maxPages ?? 1000)) {
        throw new CallError("call.invalid_result", `the list of tools does not end after ${String(seen.size)} pages`);
      }
      seen.add(cursor);
      const at = cursor;
      const page = await session.request((connection, now, given) => connection.listTools(now, at, given), options);
      if (!isPage(page)) throw new CallError("call.invalid_result", "a page of the list of tools is no such page");
      tools.push(...page.tools);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return tools;
  }

  /**
   * Calls a tool. A tool that failed has a result with `isError`.
   *
   * @throws {@link CallError}; {@link EngineError} `send.invalid` for an argument or option that can't work.
   */
  async callTool(name: string, args: JsonObject = {}, options: RequestOptions = {}): Promise<ToolResult> {
    requireString("the tool's name", name);
    const text = JSON.stringify(args);
    const result = await this.#live.request(
      (connection, now, given) => connection.callTool(now, name, text, given),
      options,
    );
    return result as ToolResult;
  }

  /**
   * Makes any other request and returns its result.
   *
   * @throws {@link CallError}; {@link EngineError} `send.invalid` for an argument or option that can't work.
   */
  async call(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<unknown> {
    requireString("the method", method);
    const text = params && JSON.stringify(params);
    return this.#live.request((connection, now, given) => connection.call(now, method, text, given), options);
  }

  /** Sends a notice. */
  notify(method: string, params?: JsonObject): void {
    this.#live.notify(method, params);
  }

  /** Takes no new calls, lets those that run finish for `drainMs`, then ends. Resolves as `closed` does. */
  close(drainMs = 0): Promise<string> {
    return this.#live.close(drainMs);
  }

  /** Counters of the machine. */
  stats(): JsonObject {
    return this.#live.stats();
  }

  async #open(engine: Engine | Promise<Engine>, link: Link, options: ClientOptions, remembered?: string): Promise<void> {
    try {
      this.#session = new ClientSession(await engine, link, options);
    } catch (error) {
      link.close();
      throw error;
    }
    await this.#session.start(remembered);
  }

  get #live(): ClientSession {
    if (this.#session === undefined) throw new EngineError("send.not_ready", "this client is not connected yet");
    return this.#session;
  }

  get #known(): ServerFacts {
    const facts = this.#live.server;
    if (facts === undefined) throw new EngineError("send.not_ready", "the server is not known yet");
    return facts;
  }
}

function connectionOf(engine: Engine, options: ClientOptions, messages: boolean): ClientConnection {
  const config = JSON.stringify({ ...commonConfig(options), probe: options.probe });
  const seed = (options.seed ?? randomSeed)();
  return typed(() => new engine.ClientConnection(config, seed, messages));
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: CallError): void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** One connection of a client. */
class ClientSession {
  readonly closed: Promise<string>;
  server: ServerFacts | undefined;
  readonly #driver: Driver<ClientConnection>;
  readonly #options: ClientOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #questions = new Map<number, AbortController>();
  readonly #ready: Promise<void>;
  #isReady!: () => void;
  #isNotReady!: (error: EngineError) => void;
  #lastFault = "";
  #reason = "close.local";

  constructor(engine: Engine, link: Link, options: ClientOptions) {
    this.#options = options;
    const connection = connectionOf(engine, options, link.messages);
    this.#ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#isNotReady = reject;
    });
    // Whoever connects waits for it; if starting throws, that is what they see.
    this.#ready.catch(() => undefined);
    let finish!: (reason: string) => void;
    this.closed = new Promise((resolve) => {
      finish = resolve;
    });
    const owner: Owner = {
      deliver: (record) => {
        this.#deliver(record);
      },
      ended: (failure) => {
        if (failure !== undefined) report(options, failure);
        const end = failure ?? new EngineError(this.#reason, `the connection ended: ${this.#lastFault || this.#reason}`);
        this.#endAll(end);
        this.#isNotReady(end);
        finish(end.code);
      },
    };
    this.#driver = new Driver(engine, connection, link, options.clock ?? systemClock, owner);
  }

  get ended(): boolean {
    return this.#driver.ended;
  }

  start(remembered: string | undefined): Promise<void> {
    this.#driver.answer((connection, now) => {
      connection.start(now, remembered);
    });
    return this.#ready;
  }

  request(start: Start, options: RequestOptions): Promise<unknown> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new CallError("call.cancelled", "the call was cancelled before it was made", { cause: signal.reason }));
        return;
      }
      const given = callOptions(options);
      const call = this.#driver.command((connection, now) => {
        const handle = start(connection, now, given);
        // Registered before the drain, which may already bring the outcome.
        this.#pending.set(handle, { resolve, reject, onProgress: options.onProgress });
        return handle;
      });
      this.#watch(call, signal);
    });
  }

  notify(method: string, params: JsonObject | undefined): void {
    this.#driver.command((connection, now) => {
      connection.notify(now, method, params && JSON.stringify(params));
    });
  }

  close(drainMs: number): Promise<string> {
    this.#driver.answer((connection, now) => {
      connection.close(now, drainMs);
    });
    return this.closed;
  }

  stats(): JsonObject {
    return this.#driver.command((connection) => JSON.parse(connection.stats()) as JsonObject);
  }

  #watch(call: number, signal: AbortSignal | undefined): void {
    const pending = this.#pending.get(call);
    if (signal === undefined || pending === undefined) return;
    const cancel = (): void => {
      const reason: unknown = signal.reason;
      this.#driver.answer((connection, now) => {
        connection.cancel(now, call, typeof reason === "string" ? reason : undefined);
      });
    };
    const forget = (): void => {
      signal.removeEventListener("abort", cancel);
    };
    this.#pending.set(call, {
      onProgress: pending.onProgress,
      resolve: (result) => {
        forget();
        pending.resolve(result);
      },
      reject: (error) => {
        forget();
        pending.reject(error);
      },
    });
    signal.addEventListener("abort", cancel, { once: true });
  }

  #deliver(record: BatchRecord): void {
    switch (record.code) {
      case Code.Ready:
        this.server = {
          revision: record.text(0) ?? "",
          info: record.json(1) as Implementation | undefined,
          capabilities: (record.json(2) ?? {}) as JsonObject,
          instructions: record.json(3) as string | undefined,
        };
        this.#isReady();
        break;
      case Code.Completed:
        this.#take(record.handle)?.resolve(record.json(0));
        break;
      case Code.Failed:
        this.#take(record.handle)?.reject(callError(record));
        break;
      case Code.Progress:
        shielded(this.#options, this.#pending.get(record.handle)?.onProgress, record.json(0) as Progress);
        break;
      case Code.Input:
        void this.#ask(record);
        break;
      case Code.InputOver:
        this.#questions.get(record.handle)?.abort();
        this.#questions.delete(record.handle);
        break;
      case Code.Closed:
        this.#reason = record.text(0) ?? this.#reason;
        break;
      default:
        if (record.code === Code.Fault) this.#lastFault = faultOf(record).detail;
        observe(record, this.#options);
    }
  }

  async #ask(record: BatchRecord): Promise<void> {
    const input = record.handle;
    const { onInput } = this.#options;
    const controller = new AbortController();
    this.#questions.set(input, controller);
    let answer: (connection: ClientConnection, now: number) => void = (connection, now) => {
      connection.answerUnsupported(now, input);
    };
    if (onInput !== undefined) {
      try {
        const question = { method: record.text(0) ?? "", params: record.json(1), signal: controller.signal };
        const result = JSON.stringify(await onInput(question));
        answer = (connection, now) => {
          connection.answer(now, input, result);
        };
      } catch (error) {
        report(this.#options, error);
        answer = (connection, now) => {
          connection.answerInternalError(now, input);
        };
      }
    }
    this.#questions.delete(input);
    try {
      this.#driver.answer(answer);
    } catch (error) {
      report(this.#options, error);
    }
  }

  #take(call: number): Pending | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    return pending;
  }

  #endAll(end: EngineError): void {
    for (const pending of this.#pending.values()) {
      pending.reject(new CallError(end.code, end.message, { cause: end }));
    }
    this.#pending.clear();
    for (const controller of this.#questions.values()) controller.abort(end);
    this.#questions.clear();
  }
}

// Callers in plain JavaScript pass what they like, and the engines differ in what they make of it.

function requireString(what: string, value: unknown): void {
  if (typeof value !== "string") throw new EngineError("send.invalid", `${what} must be a string`);
}

function requireTime(option: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value > 0)) return;
  throw new EngineError("send.invalid", `the option ${option} must be a positive finite number of milliseconds`);
}

function callOptions(options: RequestOptions): CallOptions {
  requireTime("timeout", options.timeout);
  requireTime("totalTimeout", options.totalTimeout);
  return {
    ...(options.timeout !== undefined && { silenceMs: options.timeout }),
    ...(options.totalTimeout !== undefined && { totalMs: options.totalTimeout }),
    ...(options.onProgress !== undefined && { progress: true }),
    ...(options.logLevel !== undefined && { logLevel: options.logLevel }),
    ...(options.meta !== undefined && { meta: JSON.stringify(options.meta) }),
  };
}

function callError(record: BatchRecord): CallError {
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

interface Page {
  readonly tools: readonly ToolInfo[];
  readonly nextCursor?: string | null;
}

function isPage(value: unknown): value is Page {
  if (typeof value !== "object" || value === null || !("tools" in value) || !Array.isArray(value.tools)) return false;
  const cursor: unknown = "nextCursor" in value ? value.nextCursor : undefined;
  return cursor === undefined || cursor === null || typeof cursor === "string";
}
