/** One connection of a client. */
import type { ClientOptions } from "./client.js";
import { Driver, type Link, type Owner, systemClock } from "./driver.js";
import { type BatchRecord, type CallOptions, type ClientConnection, Code, type Engine, EngineError, typed } from "./engine.js";
import { type Notification, faultOf, notificationOf, observe, report, shielded } from "./observe.js";
import { type Implementation, type JsonObject, commonConfig, randomSeed } from "./options.js";
import { CallError, type Progress, type RequestOptions, type TaskChange, callError, callOptions } from "./requests.js";
import type * as types from "./types.js";

/** What a server told of itself. */
export interface ServerFacts {
  /** The revision that is spoken. */
  readonly revision: string;
  /** Who it says it is. */
  readonly info: Implementation | undefined;
  /** What it can do. */
  readonly capabilities: types.ServerCapabilities;
  /** How to use it, for the model. */
  readonly instructions: string | undefined;
}

/** A question of the server. */
export interface Question {
  /** Which kind, in the spec's words. */
  readonly method: string;
  /** What is asked. */
  readonly params: unknown;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
  /** The id of the task that it runs as, if it does. */
  readonly task: string | undefined;
}

/** Gives the command that starts a call. */
export type Start = (connection: ClientConnection, now: number, options: CallOptions) => number;

/** Makes the machine of a client. */
export function connectionOf(engine: Engine, options: ClientOptions, messages: boolean): ClientConnection {
  const config = JSON.stringify({ ...commonConfig(options), probe: options.probe, cache: options.cache });
  const seed = (options.seed ?? randomSeed)();
  return typed(() => {
    const connection = new engine.ClientConnection(config, seed, messages);
    if (options.principal !== undefined) connection.setPrincipal(options.principal);
    return connection;
  });
}

/** What may come of a call before its outcome. */
export interface CallHooks {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onTask?: ((change: TaskChange) => void) | undefined;
  readonly onSubscribed?: ((state: SubscriptionState) => void) | undefined;
  readonly onChange?: ((change: Notification) => void) | undefined;
}

/** A subscription that is in force. */
export interface SubscriptionState {
  /** What the server tells of. */
  readonly honoured: types.SubscriptionFilter;
  /** What was asked for, but is not told of. */
  readonly missing: types.SubscriptionFilter;
  /** It was interrupted, and changes may have been missed. */
  readonly again: boolean;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: CallError): void;
  readonly hooks: CallHooks;
}

/** One connection of a client. */
export class ClientSession {
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
    return this.follow(start, options, { onProgress: options.onProgress, onTask: options.task?.onTask });
  }

  /** As `request`, and `hooks` are told of what comes before the outcome. */
  follow(start: Start, options: RequestOptions, hooks: CallHooks): Promise<unknown> {
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
        this.#pending.set(handle, { resolve, reject, hooks });
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

  setPrincipal(principal: string | undefined): void {
    this.#driver.command((connection) => {
      connection.setPrincipal(principal);
    });
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
      hooks: pending.hooks,
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
          capabilities: (record.json(2) ?? {}) as types.ServerCapabilities,
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
        shielded(this.#options, this.#hooks(record.handle).onProgress, record.json(0) as Progress);
        break;
      case Code.Task:
        shielded(this.#options, this.#hooks(record.handle).onTask, {
          task: record.json(0) as types.Task,
          immediate: record.json(1) as string | undefined,
        });
        break;
      case Code.Subscribed:
        shielded(this.#options, this.#hooks(record.handle).onSubscribed, {
          honoured: record.json(0) as types.SubscriptionFilter,
          missing: record.json(1) as types.SubscriptionFilter,
          again: record.number === 1,
        });
        break;
      case Code.Notification: {
        const { onChange } = this.#hooks(record.related);
        if (onChange === undefined) observe(record, this.#options);
        else shielded(this.#options, onChange, notificationOf(record));
        break;
      }
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
        const { signal } = controller;
        const question = { method: record.text(0) ?? "", params: record.json(1), signal, task: record.text(2) };
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

  #hooks(call: number): CallHooks {
    return this.#pending.get(call)?.hooks ?? {};
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
