/** A client of one server. */
import {
  ClientSession,
  type Question,
  type ServerFacts,
  type Start,
  type SubscriptionState,
  connectionOf,
} from "./client-session.js";
import type { Link } from "./driver.js";
import { type Engine, EngineError, codeOf } from "./engine.js";
import type { Notification } from "./observe.js";
import type { CommonOptions, Implementation, JsonObject } from "./options.js";
import { CallError, type RequestOptions, requireString } from "./requests.js";
import type * as types from "./types.js";

/** Options of a client. */
export interface ClientOptions extends CommonOptions {
  /** Whether to find out the server's era first, which is the default; false opens with a handshake at once. */
  readonly probe?: boolean;
  /** Answers a question of the server (elicitation, sampling, roots) with its result. Declare the capability too. */
  readonly onInput?: (question: Question) => types.InputResponse | Promise<types.InputResponse>;
  /** Whether results are kept for as long as the server allows; by default they are. */
  readonly cache?: boolean;
  /** Whom calls are made for, so that private results are kept for them alone; by default, nobody in particular. */
  readonly principal?: string;
}

/** What to be told of. */
export interface SubscriptionWish {
  /** Changes of the list of tools. */
  readonly tools?: boolean;
  /** Changes of the list of prompts. */
  readonly prompts?: boolean;
  /** Changes of the list of resources. */
  readonly resources?: boolean;
  /** Resources whose changes are wanted. */
  readonly uris?: readonly string[];
}

/** A subscription. It outlives interruptions: the server is asked for it again. */
export interface Subscription {
  /** Resolves when it is in force for the first time; rejects if it never is. */
  readonly begun: Promise<SubscriptionState>;
  /** Resolves when it is over for good, with the reason if that is not `close`. Never rejects. */
  readonly ended: Promise<EngineError | undefined>;
  /** Ends it. */
  readonly close: () => void;
}

/** What is called with what comes of a subscription. */
export interface SubscriptionHooks {
  /** Something changed. */
  readonly onChange: (change: Notification) => void;
  /** It is in force, for the first time or again. */
  readonly onSubscribed?: (state: SubscriptionState) => void;
}

/** What is to be completed. */
export interface CompletionWish {
  /** The prompt or resource template that has the argument. */
  readonly ref: types.CompleteRequestParams["ref"];
  /** The argument, as far as it is known. */
  readonly argument: types.CompleteRequestParamsArgument;
  /** The values of other arguments, where the revision has that. */
  readonly context?: types.CompleteRequestParamsContext;
}

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
  get serverCapabilities(): types.ServerCapabilities {
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
  async listTools(options: RequestOptions = {}): Promise<types.Tool[]> {
    return ((await this.#list("list_tools", options)) as types.ListToolsResult).tools;
  }

  /** All resources of the server, as {@link Client.listTools} says. */
  async listResources(options: RequestOptions = {}): Promise<types.Resource[]> {
    return ((await this.#list("list_resources", options)) as types.ListResourcesResult).resources;
  }

  /** All resource templates of the server, as {@link Client.listTools} says. */
  async listResourceTemplates(options: RequestOptions = {}): Promise<types.ResourceTemplate[]> {
    return ((await this.#list("list_templates", options)) as types.ListResourceTemplatesResult).resourceTemplates;
  }

  /** All prompts of the server, as {@link Client.listTools} says. */
  async listPrompts(options: RequestOptions = {}): Promise<types.Prompt[]> {
    return ((await this.#list("list_prompts", options)) as types.ListPromptsResult).prompts;
  }

  /**
   * Makes a request for each page of any list, and returns the last page with the items of all of them. `params` is
   * without `cursor`.
   *
   * @throws as {@link Client.listTools}.
   */
  async listAll(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<unknown> {
    requireString("the method", method);
    const text = params && JSON.stringify(params);
    return this.#live.request((connection, now, given) => connection.listAll(now, method, text, given), options);
  }

  /**
   * Reads a resource.
   *
   * @throws as {@link Client.callTool}.
   */
  async readResource(uri: string, options: RequestOptions = {}): Promise<types.ReadResourceResult> {
    requireString("the URI", uri);
    return (await this.#ask("read_resource", { uri }, options)) as types.ReadResourceResult;
  }

  /**
   * Gets a prompt, with the values of its arguments.
   *
   * @throws as {@link Client.callTool}.
   */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<types.GetPromptResult> {
    requireString("the prompt's name", name);
    return (await this.#ask("get_prompt", { name, arguments: args }, options)) as types.GetPromptResult;
  }

  /**
   * Asks how an argument of a prompt or of a resource template may go on.
   *
   * @throws as {@link Client.callTool}.
   */
  async complete(wish: CompletionWish, options: RequestOptions = {}): Promise<types.CompleteResultCompletion> {
    return ((await this.#ask("complete", wish, options)) as types.CompleteResult).completion;
  }

  /** Subscribes to changes, until the subscription or the connection is closed. */
  subscribe(wish: SubscriptionWish, hooks: SubscriptionHooks): Subscription {
    const stop = new AbortController();
    const { tools = false, prompts = false, resources = false, uris = [] } = wish;
    let begin!: (state: SubscriptionState) => void;
    let fail!: (error: unknown) => void;
    const begun = new Promise<SubscriptionState>((resolve, reject) => {
      begin = resolve;
      fail = reject;
    });
    // Whoever waits for it sees why; `ended` says it to the others.
    begun.catch(() => undefined);
    const onSubscribed = (state: SubscriptionState): void => {
      begin(state);
      hooks.onSubscribed?.(state);
    };
    const outcome = this.#live.follow(
      (connection, now) => connection.subscribe(now, tools, prompts, resources, [...uris]),
      { signal: stop.signal },
      { onChange: hooks.onChange, onSubscribed },
    );
    const over = (reason: unknown): EngineError | undefined => {
      fail(reason);
      if (stop.signal.aborted) return undefined;
      return reason instanceof EngineError ? reason : new EngineError("engine.failed", "the subscription failed", { cause: reason });
    };
    const ended = outcome.then(() => over(new CallError("call.closed", "the server ended the subscription")), over);
    const close = (): void => {
      stop.abort();
    };
    return { begun, ended, close };
  }

  /**
   * Asks whether the server lives.
   *
   * @throws as {@link Client.callTool}.
   */
  async probe(): Promise<void> {
    await this.#live.request((connection, now) => connection.probe(now), {});
  }

  /** Whom calls are made for from now on: private results that are kept are another's. */
  setPrincipal(principal: string | undefined): void {
    this.#live.setPrincipal(principal);
  }

  /**
   * Calls a tool. A tool that failed has a result with `isError`.
   *
   * @throws {@link CallError}; {@link EngineError} `send.invalid` for an argument or option that can't work.
   */
  async callTool(name: string, args: JsonObject = {}, options: RequestOptions = {}): Promise<types.CallToolResult> {
    requireString("the tool's name", name);
    const text = JSON.stringify(args);
    const result = await this.#live.request(
      (connection, now, given) => connection.callTool(now, name, text, given),
      options,
    );
    return result as types.CallToolResult;
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

  #list(purpose: string, options: RequestOptions): Promise<unknown> {
    const start: Start = (connection, now, given) =>
      connection.listAll(now, connection.methodFor(purpose), undefined, given);
    return this.#live.request(start, options);
  }

  #ask(purpose: string, params: object, options: RequestOptions): Promise<unknown> {
    const text = JSON.stringify(params);
    const start: Start = (connection, now, given) => connection.call(now, connection.methodFor(purpose), text, given);
    return this.#live.request(start, options);
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
