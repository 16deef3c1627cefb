/** A server: what it offers, and the connections that serve it. */
import type { Link } from "./driver.js";
import { type Engine, EngineError } from "./engine.js";
import type { RequestHandler, ToolHandler, ToolOptions } from "./handlers.js";
import { type CommonOptions, type JsonObject, commonConfig, snakeCase } from "./options.js";
import { SchemaCheck, SchemaError } from "./schema.js";
import { type Change, type Offer, ServerSession, type Tool } from "./server-session.js";
import type * as types from "./types.js";

/** Options of a server. */
export interface ServerOptions extends CommonOptions {
  /** To whom the connections belong; by default, nobody in particular. What is sealed is good for them alone. */
  readonly principal?: string;
  /** The groups that they are in: what is visible to others is not offered. */
  readonly groups?: readonly string[];
  /** Keys of 32 bytes in base64 that seal cursors and state, shared by the instances of a service; the first one seals. */
  readonly sealKeys?: readonly string[];
  /** How to use the server, for the model. */
  readonly instructions?: string;
  /** Items in one page of a list; 1000 by default. */
  readonly pageSize?: number;
  /** How long a client may keep the lists, and whether all its users may share them. */
  readonly listCache?: { readonly ttlMs: number; readonly public?: boolean };
  /** Whether a handler completes arguments; false by default. */
  readonly completions?: boolean;
  /** Whether requests that no revision knows go to their handlers, instead of being refused; false by default. */
  readonly unknownMethods?: boolean;
  /** The first subscriber of a resource came, or the last one went. */
  readonly onWatched?: (watch: Watch) => void;
}

/** A client subscribed to a resource as the first one, or the last one is gone. */
export interface Watch {
  /** The resource. */
  readonly uri: string;
  /** Whether its changes are wanted from now on. */
  readonly wanted: boolean;
}

/** What a server has besides tools. */
export interface Lists {
  /** Resources. */
  readonly resources?: readonly types.Resource[];
  /** Templates of the URIs of further resources. */
  readonly resourceTemplates?: readonly types.ResourceTemplate[];
  /** Prompts. */
  readonly prompts?: readonly types.Prompt[];
  /** For whom some of it is: the groups that see a tool, a prompt (by name) or a resource (by URI). All see the others. */
  readonly visibleTo?: Readonly<Partial<Record<"tools" | "resources" | "resourceTemplates" | "prompts", Groups>>>;
}

/** Groups by what they see. */
export type Groups = Readonly<Record<string, readonly string[]>>;

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
  readonly #handlers = new Map<string, RequestHandler>();
  #lists: Lists = {};
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
    this.#replaceCatalog();
    return this;
  }

  /**
   * Replaces the lists of resources, resource templates and prompts: the engine answers requests for them, and checks
   * what other requests name. Clients that are connected are told. Handlers for what is in them are added by
   * {@link Server.onRequest}.
   */
  offer(lists: Lists): this {
    this.#lists = lists;
    this.#replaceCatalog();
    return this;
  }

  /**
   * Answers the requests of a method, in the spec's words, that the engine does not answer itself.
   *
   * A thrown {@link NotFoundError} says that what was named does not exist, a {@link RequestError} is passed on. Anything
   * else that is thrown goes to `onError`, and the client is told nothing of it.
   */
  onRequest(method: string, handler: RequestHandler): this {
    this.#handlers.set(method, handler);
    return this;
  }

  /** Tells the clients that asked for it that something changed. */
  publish(change: Change): void {
    for (const session of this.#sessions) session.publish(change);
  }

  /** Takes a tool away. Clients that are connected are told. */
  removeTool(name: string): boolean {
    const removed = this.#tools.delete(name);
    if (removed) this.#replaceCatalog();
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
      const offer: Offer = { tool: (name) => this.#tools.get(name), handler: (method) => this.#handlers.get(method) };
      const session = new ServerSession(loaded, this.#config(), link, this.#options, offer);
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
      ...this.#catalog(),
      page_size: options.pageSize,
      list_cache: options.listCache && snakeCase(options.listCache),
      completions: options.completions,
      seal_keys: options.sealKeys,
      unknown_methods: options.unknownMethods,
    });
  }

  #catalog(): JsonObject {
    const { resources, resourceTemplates, prompts, visibleTo } = this.#lists;
    const tools = Array.from(this.#tools.values(), (tool) => tool.definition);
    return { tools, resources, resourceTemplates, prompts, visible_to: visibleTo };
  }

  #replaceCatalog(): void {
    if (this.#sessions.size === 0) return;
    const catalog = JSON.stringify(this.#catalog());
    for (const session of this.#sessions) session.setCatalog(catalog);
  }
}
