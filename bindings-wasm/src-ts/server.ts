/** A server: tools, and the connections that serve them. */
import { Driver, type Link, type Owner, systemClock } from "./driver.js";
import {
  type BatchRecord,
  Code,
  type Engine,
  EngineError,
  type ServerConnection,
  TOOL_CALL,
  UNCHECKED,
  codeOf,
  typed,
} from "./engine.js";
import { observe, report } from "./observe.js";
import { type CommonOptions, type JsonObject, commonConfig, randomSeed, snakeCase } from "./options.js";
import { SchemaCheck, SchemaError } from "./schema.js";

/** Options of a server. */
export interface ServerOptions extends CommonOptions {
  /** How to use the server, for the model. */
  readonly instructions?: string;
  /** Tools in one page of a list; 1000 by default. */
  readonly pageSize?: number;
  /** How long a client may keep the list of tools, and whether all its users may share it. */
  readonly listCache?: { readonly ttlMs: number; readonly public?: boolean };
}

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

/** One block of content. */
export interface ContentBlock {
  /** Its kind: `text`, `image`… The other members depend on it. */
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A tool's result. */
export interface ToolResult {
  /** For the model and for people. */
  readonly content: readonly ContentBlock[];
  /** For programs: what the tool's `outputSchema` describes. */
  readonly structuredContent?: unknown;
  /** The tool failed, and `content` says how. */
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/** What a handler may return: one text, blocks of content, or a whole result. */
export type ToolOutcome = string | readonly ContentBlock[] | ToolResult;

/** Severities of log notices, least severe first. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** What a handler has at hand, beside its arguments. */
export interface ToolContext {
  /** Aborted when nobody waits for the result any more. Its `reason` has the code why: `over.cancelled`… */
  readonly signal: AbortSignal;
  /** The revision that this call came in. */
  readonly revision: string;
  /** The call's `_meta`. */
  readonly meta: JsonObject | undefined;
  /** Tells the caller how far it is. False: not sent, because nobody asked, `value` did not rise, or there is no room. */
  readonly progress: (value: number, total?: number, message?: string) => boolean;
  /** Logs to the caller. False: not sent, because nobody asked for this level or there is no room. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => boolean;
}

/** Runs a tool. It should stop when `context.signal` is aborted. */
export type ToolHandler<A = JsonObject> = (args: A, context: ToolContext) => ToolOutcome | Promise<ToolOutcome>;

/** Thrown by a handler whose tool failed in a way that the model should read: its text becomes the tool's result. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

interface Tool {
  readonly definition: JsonObject;
  readonly handler: ToolHandler;
  readonly input: SchemaCheck;
  readonly output: SchemaCheck | undefined;
}

/** @throws {@link EngineError} `config.invalid` if the schema can't be used. */
function compiled(tool: string, member: string, schema: JsonObject): SchemaCheck {
  try {
    return new SchemaCheck(schema);
  } catch (error) {
    if (error instanceof SchemaError) throw new EngineError("config.invalid", `${tool}.${member}${error.message}`);
    throw error;
  }
}

/**
 * A server. Give it tools, then connect it to as many clients as there are links.
 *
 * ```ts
 * const server = new Server({ name: "greeter", version: "1.0.0" });
 * server.tool("greet", { description: "Greets someone" }, ({ who }) => `Hello, ${String(who)}!`);
 * ```
 */
export class Server {
  readonly #options: ServerOptions;
  readonly #tools = new Map<string, Tool>();
  readonly #sessions = new Set<ServerSession>();

  /** Nothing is checked before a connection is made. */
  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /**
   * Adds a tool, or replaces the one of that name. Clients that are connected are told.
   *
   * The arguments are checked against `inputSchema` before the handler is called, and what it returns against
   * `outputSchema`: JSON Schema 2020-12, or draft-07 where a schema declares it. A `$ref` leads into its own document,
   * and `format` is an annotation. A thrown {@link ToolError} becomes
   * a result with `isError` that the model reads. Anything else that is thrown, or returned but no
   * {@link ToolOutcome} or does not fit `outputSchema`, goes to `onError`; the result then has `isError` and says only
   * that the tool failed.
   *
   * @throws {@link EngineError} `config.invalid` if a schema can't be used.
   */
  tool<A = JsonObject>(name: string, options: ToolOptions, handler: ToolHandler<A>): this {
    const inputSchema = options.inputSchema ?? { type: "object" };
    this.#tools.set(name, {
      definition: { name, ...options, inputSchema },
      // The schema is what makes the arguments an `A`.
      handler: handler as ToolHandler<never> as ToolHandler,
      input: compiled(name, "inputSchema", inputSchema),
      output: options.outputSchema && compiled(name, "outputSchema", options.outputSchema),
    });
    this.#publish();
    return this;
  }

  /** Takes a tool away. Clients that are connected are told. */
  removeTool(name: string): boolean {
    const removed = this.#tools.delete(name);
    if (removed) this.#publish();
    return removed;
  }

  /**
   * Serves one client. The link may already hold messages, and go on to receive some, while `engine` loads.
   *
   * @throws {@link EngineError} `config.invalid` if the options or a tool's definition can't work.
   */
  async connect(link: Link, engine: Engine | Promise<Engine>): Promise<ServerSession> {
    try {
      const loaded = await engine;
      const session = new ServerSession(loaded, this.#config(), link, this.#options, (name) => this.#tools.get(name));
      this.#sessions.add(session);
      void session.closed.finally(() => this.#sessions.delete(session));
      return session;
    } catch (error) {
      link.close();
      throw error;
    }
  }

  #config(): string {
    const options = this.#options;
    return JSON.stringify({
      ...commonConfig(options),
      instructions: options.instructions,
      tools: this.#definitions(),
      page_size: options.pageSize,
      list_cache: options.listCache && snakeCase(options.listCache),
    });
  }

  #definitions(): JsonObject[] {
    return Array.from(this.#tools.values(), (tool) => tool.definition);
  }

  #publish(): void {
    if (this.#sessions.size === 0) return;
    const catalog = JSON.stringify({ tools: this.#definitions() });
    for (const session of this.#sessions) session.setCatalog(catalog);
  }
}

/** One client that is served. */
export class ServerSession {
  /** Resolves at the end with the code of its reason: `close.peer`…, or `engine.failed`. Never rejects. */
  readonly closed: Promise<string>;
  readonly #driver: Driver<ServerConnection>;
  readonly #options: ServerOptions;
  readonly #find: (name: string) => Tool | undefined;
  readonly #running = new Map<number, RunningCall>();
  #reason = "close.local";

  /** Made by {@link Server.connect}. */
  constructor(
    engine: Engine,
    config: string,
    link: Link,
    options: ServerOptions,
    find: (name: string) => Tool | undefined,
  ) {
    this.#options = options;
    this.#find = find;
    const seed = (options.seed ?? randomSeed)();
    const connection = typed(() => new engine.ServerConnection(config, seed, link.messages));
    let finish!: (reason: string) => void;
    this.closed = new Promise((resolve) => {
      finish = resolve;
    });
    const owner: Owner = {
      deliver: (record) => {
        this.#deliver(record);
      },
      ended: (failure) => {
        this.#abortAll(failure ?? new EngineError(this.#reason, "the connection ended"));
        if (failure !== undefined) report(options, failure);
        finish(failure?.code ?? this.#reason);
      },
    };
    this.#driver = new Driver(engine, connection, link, options.clock ?? systemClock, owner);
  }

  /** Refuses new calls, lets those that run finish for `drainMs`, then ends. Resolves as `closed` does. */
  close(drainMs = 0): Promise<string> {
    this.#driver.answer((connection, now) => {
      connection.close(now, drainMs);
    });
    return this.closed;
  }

  /** Sends a notice that belongs to no request. */
  notify(method: string, params?: JsonObject): void {
    this.#driver.command((connection, now) => {
      connection.notify(now, method, params && JSON.stringify(params));
    });
  }

  /** Counters of the machine. */
  stats(): JsonObject {
    return this.#driver.command((connection) => JSON.parse(connection.stats()) as JsonObject);
  }

  /** Made for {@link Server.tool}: replaces the catalog, a JSON object. */
  setCatalog(catalog: string): void {
    this.#driver.answer((connection, now) => {
      connection.setCatalog(now, catalog);
    });
  }

  #deliver(record: BatchRecord): void {
    switch (record.code) {
      case Code.Request:
        void this.#serve(record);
        break;
      case Code.Over:
        this.#running
          .get(record.handle)
          ?.end(new EngineError(record.text(0) ?? "over.cancelled", "nobody waits for this result any more"));
        this.#running.delete(record.handle);
        break;
      case Code.Closed:
        this.#reason = record.text(0) ?? this.#reason;
        break;
      default:
        observe(record, this.#options);
    }
  }

  async #serve(record: BatchRecord): Promise<void> {
    const request = record.handle;
    const name = record.text(2);
    const tool = (record.related & TOOL_CALL) !== 0 && name !== undefined ? this.#find(name) : undefined;
    if (tool === undefined) this.#answer(request, unsupported);
    else if (!this.#answer(request, await this.#run(tool, record))) this.#answer(request, failed);
  }

  /** False: the engine refused the answer. */
  #answer(request: number, answer: Answer): boolean {
    try {
      this.#driver.answer((connection, now) => {
        answer(connection, now, request);
      });
      return true;
    } catch (error) {
      report(this.#options, error);
      return false;
    }
  }

  async #run(tool: Tool, record: BatchRecord): Promise<Answer> {
    const running = new RunningCall(record, (say) => this.#tell(say));
    this.#running.set(record.handle, running);
    try {
      const args = record.json(4) ?? {};
      const unchecked = (record.related & UNCHECKED) !== 0;
      const misfit = unchecked ? tool.input.misfit(args, "arguments") : undefined;
      if (misfit !== undefined) {
        return (connection, now, request) => {
          connection.respondInvalidArguments(now, request, misfit);
        };
      }
      const outcome = await tool.handler(args as JsonObject, running);
      const whole = resultOf(outcome);
      const wrong = unchecked ? tool.output?.resultMisfit(whole) : undefined;
      if (wrong !== undefined) {
        throw new EngineError("send.output_mismatch", `the result does not fit the tool's \`outputSchema\`: ${wrong}`);
      }
      const result = JSON.stringify(whole);
      return (connection, now, request) => {
        connection.respond(now, request, result, 0, false);
      };
    } catch (error) {
      if (error instanceof ToolError) {
        return (connection, now, request) => {
          connection.respondToolError(now, request, error.message);
        };
      }
      if (!running.over) report(this.#options, error);
      return failed;
    } finally {
      this.#running.delete(record.handle);
    }
  }

  /** Says something about a request that may be over, or that there may be no room for. */
  #tell(say: Say): boolean {
    let sent = false;
    try {
      this.#driver.answer((connection, now) => {
        sent = say(connection, now);
      });
    } catch (error) {
      if (codeOf(error) !== "send.blocked") throw error;
    }
    return sent;
  }

  #abortAll(reason: EngineError): void {
    for (const running of this.#running.values()) running.end(reason);
    this.#running.clear();
  }
}

type Say = (connection: ServerConnection, now: number) => boolean;

/** A call whose handler runs, and what the handler has at hand. Most of it is seldom looked at, and made when it is. */
class RunningCall implements ToolContext {
  readonly #record: BatchRecord;
  readonly #tell: (say: Say) => boolean;
  #controller: AbortController | undefined;
  #reason: EngineError | undefined;

  constructor(record: BatchRecord, tell: (say: Say) => boolean) {
    this.#record = record;
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
  get progress(): ToolContext["progress"] {
    const request = this.#record.handle;
    return (value, total, message) =>
      this.#tell((connection, now) => connection.progress(now, request, value, total, message));
  }
  get log(): ToolContext["log"] {
    const request = this.#record.handle;
    return (level, data, logger) => {
      const text = JSON.stringify(data);
      return this.#tell((connection, now) => connection.log(now, request, level, logger, text));
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

type Answer = (connection: ServerConnection, now: number, request: number) => void;

const unsupported: Answer = (connection, now, request) => {
  connection.respondUnsupported(now, request);
};

/** The reason is for `onError` alone: it may hold secrets. */
const failed: Answer = (connection, now, request) => {
  connection.respondToolError(now, request, "the tool failed");
};

function isBlock(value: unknown): value is ContentBlock {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isContent(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

/** Handlers in plain JavaScript return what they like. */
function resultOf(outcome: unknown): ToolResult {
  if (typeof outcome === "string") return { content: [{ type: "text", text: outcome }] };
  if (isContent(outcome)) return { content: outcome };
  if (isContent((outcome as Partial<ToolResult> | null | undefined)?.content)) return outcome as ToolResult;
  throw new TypeError("a handler returns a string, an array of content blocks, or { content }");
}
