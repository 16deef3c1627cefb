/** One connection of a server. */
import { Driver, type Link, type Owner, systemClock } from "./driver.js";
import { type BatchRecord, Code, type Engine, EngineError, type ServerConnection, TOOL_CALL, UNCHECKED, codeOf, typed } from "./engine.js";
import {
  InputRequired,
  NotFoundError,
  RequestError,
  type RequestHandler,
  Running,
  type Say,
  ToolError,
  type ToolHandler,
  requestOf,
  resultOf,
  stateBytes,
} from "./handlers.js";
import { observe, report, shielded } from "./observe.js";
import { type JsonObject, randomSeed } from "./options.js";
import type { SchemaCheck } from "./schema.js";
import type { ServerOptions } from "./server.js";

/** A tool that can be called. */
export interface Tool {
  readonly definition: JsonObject;
  readonly handler: ToolHandler;
  readonly input: SchemaCheck;
  readonly output: SchemaCheck | undefined;
}

/** Where a session finds who answers. */
export interface Offer {
  tool(name: string): Tool | undefined;
  handler(method: string): RequestHandler | undefined;
}

/** What changed: a list, or the content of a resource, which may be a part of the one that it `concerns`. */
export type Change = "tools" | "prompts" | "resources" | { readonly uri: string; readonly concerns?: string };

/** One client that is served. */
export class ServerSession {
  /** Resolves at the end with the code of its reason: `close.peer`…, or `engine.failed`. Never rejects. */
  readonly closed: Promise<string>;
  readonly #driver: Driver<ServerConnection>;
  readonly #options: ServerOptions;
  readonly #offer: Offer;
  readonly #running = new Map<number, Running>();
  /** Those that the next request brings along. */
  #answers: BatchRecord | undefined;
  #reason = "close.local";

  /** Made by {@link Server.connect}. */
  constructor(
    engine: Engine,
    config: string,
    link: Link,
    options: ServerOptions,
    offer: Offer,
  ) {
    this.#options = options;
    this.#offer = offer;
    const seed = (options.seed ?? randomSeed)();
    const { principal, groups } = options;
    const connection = typed(
      () => new engine.ServerConnection(config, seed, link.messages, principal, groups && [...groups]),
    );
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

  /** Made for {@link Server}: replaces the catalog, a JSON object. */
  setCatalog(catalog: string): void {
    this.#driver.answer((connection, now) => {
      connection.setCatalog(now, catalog);
    });
  }

  /** As {@link Server.publish}, for this client alone. */
  publish(change: Change): void {
    this.#driver.answer((connection, now) => {
      if (typeof change === "string") connection.publish(now, change);
      else connection.publish(now, "resource", change.uri, change.concerns);
    });
  }

  #deliver(record: BatchRecord): void {
    switch (record.code) {
      case Code.Request:
        void this.#serve(record, this.#answers);
        this.#answers = undefined;
        break;
      case Code.Answers:
        this.#answers = record;
        break;
      case Code.Over:
        this.#running
          .get(record.handle)
          ?.end(new EngineError(record.text(0) ?? "over.cancelled", "nobody waits for this result any more"));
        this.#running.delete(record.handle);
        break;
      case Code.Watched:
        shielded(this.#options, this.#options.onWatched, { uri: record.text(0) ?? "", wanted: record.number === 1 });
        break;
      case Code.Closed:
        this.#reason = record.text(0) ?? this.#reason;
        break;
      default:
        observe(record, this.#options);
    }
  }

  async #serve(record: BatchRecord, answers: BatchRecord | undefined): Promise<void> {
    const request = record.handle;
    const work = this.#workFor(record);
    if (work === undefined) this.#answer(request, unsupported);
    else if (!this.#answer(request, await this.#run(work, record, answers))) this.#answer(request, work.failed);
  }

  #workFor(record: BatchRecord): Work | undefined {
    const name = record.text(2);
    const tool = (record.related & TOOL_CALL) !== 0 && name !== undefined ? this.#offer.tool(name) : undefined;
    if (tool !== undefined) return { failed: toolFailed, run: (running) => callTool(tool, record, running) };
    const handler = this.#offer.handler(record.text(0) ?? "");
    return handler && { failed, run: (running) => handle(handler, record, running) };
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

  async #run(work: Work, record: BatchRecord, answers: BatchRecord | undefined): Promise<Answer> {
    const running = new Running(record, answers, (say) => this.#tell(say));
    this.#running.set(record.handle, running);
    try {
      return await work.run(running);
    } catch (error) {
      const answer = answerOf(error);
      if (answer !== undefined) return answer;
      if (!running.over) report(this.#options, error);
      return work.failed;
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

type Answer = (connection: ServerConnection, now: number, request: number) => void;

const unsupported: Answer = (connection, now, request) => {
  connection.respondUnsupported(now, request);
};

// The reason is for `onError` alone: it may hold secrets.
const failed: Answer = (connection, now, request) => {
  connection.respondInternalError(now, request);
};
const toolFailed: Answer = (connection, now, request) => {
  connection.respondToolError(now, request, "the tool failed");
};

/** What is done for a request, and the answer when that fails. */
interface Work {
  readonly failed: Answer;
  run(running: Running): Promise<Answer>;
}

async function callTool(tool: Tool, record: BatchRecord, running: Running): Promise<Answer> {
  const args = record.json(4) ?? {};
  const unchecked = (record.related & UNCHECKED) !== 0;
  const misfit = unchecked ? tool.input.misfit(args, "arguments") : undefined;
  if (misfit !== undefined) {
    return (connection, now, request) => {
      connection.respondInvalidArguments(now, request, misfit);
    };
  }
  const outcome = await tool.handler(args as JsonObject, running);
  if (outcome instanceof InputRequired) return questionsAnswer(outcome);
  const whole = resultOf(outcome);
  const wrong = unchecked ? tool.output?.resultMisfit(whole) : undefined;
  if (wrong !== undefined) {
    throw new EngineError("send.output_mismatch", `the result does not fit the tool's \`outputSchema\`: ${wrong}`);
  }
  return resultAnswer(whole, running);
}

async function handle(handler: RequestHandler, record: BatchRecord, running: Running): Promise<Answer> {
  const outcome = await handler(requestOf(record), running);
  return outcome instanceof InputRequired ? questionsAnswer(outcome) : resultAnswer(outcome, running);
}

function questionsAnswer({ questions, state }: InputRequired): Answer {
  const text = JSON.stringify(questions);
  const bytes = state === undefined ? undefined : stateBytes(state);
  return (connection, now, request) => {
    connection.respondInputRequired(now, request, text, bytes);
  };
}

function resultAnswer(result: JsonObject, { cache }: Running): Answer {
  const text = JSON.stringify(result);
  return (connection, now, request) => {
    connection.respond(now, request, text, cache.ttlMs, cache.shared);
  };
}

/** The answer for what a handler threw on purpose. */
function answerOf(error: unknown): Answer | undefined {
  if (error instanceof ToolError) {
    return (connection, now, request) => {
      connection.respondToolError(now, request, error.message);
    };
  }
  if (error instanceof NotFoundError) {
    return (connection, now, request) => {
      connection.respondNotFound(now, request);
    };
  }
  if (error instanceof RequestError) {
    const data = error.data === undefined ? undefined : JSON.stringify(error.data);
    return (connection, now, request) => {
      connection.respondError(now, request, error.code, error.message, data);
    };
  }
  return undefined;
}
