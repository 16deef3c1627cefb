/**
 * The border between the engine and JavaScript. The native addon and the WebAssembly module both satisfy
 * {@link Engine}; nothing else crosses, so everything above this file runs on either.
 *
 * Times are nanoseconds since an origin of the host's choice, handles are numbers below 2^53, JSON is text.
 * Whatever an engine refuses is thrown as an `Error` with a stable `code`, of which {@link typed} makes an
 * {@link EngineError}.
 */

/** An engine: the two roles. */
export interface Engine {
  /** A server on one channel. */
  readonly ServerConnection: ServerConstructor;
  /** A client on one channel. */
  readonly ClientConnection: ConnectionConstructor<ClientConnection>;
  /**
   * Tells when every connection of this engine has failed at once; the function that comes back takes that back.
   * Absent where the failure of one can't take others along.
   */
  readonly onLost?: (tell: (failure: EngineError) => void) => () => void;
}

/**
 * Makes a machine. `config` is the JSON configuration of the role, `seed` 32 bytes of fresh entropy that are never
 * used again, `messages` whether the channel carries whole messages instead of a byte stream.
 */
export type ConnectionConstructor<C extends Connection> = new (
  config: string,
  seed: Uint8Array,
  messages: boolean,
) => C;

/** As {@link ConnectionConstructor}, and to whom the channel belongs, with the groups that they are in. */
export type ServerConstructor = new (
  config: string,
  seed: Uint8Array,
  messages: boolean,
  principal?: string,
  groups?: string[],
) => ServerConnection;

/** What both roles have. The `handle…` facts say what happened; the other methods are commands. */
export interface Connection {
  /** Bytes of a stream arrived. */
  handleData(now: number, data: Uint8Array): void;
  /** One message of a message channel arrived. */
  handleMessage(now: number, message: string): void;
  /** The peer says no more, but still reads. */
  handleEof(now: number): void;
  /** Nothing can be written any more. */
  handleClosed(now: number): void;
  /** Fires what is due. */
  handleTimeout(now: number): void;
  /** The next deadline. */
  nextTimeout(): number | null | undefined;
  /** False while more input should stay in the pipe. */
  wantsRead(): boolean;
  /** Everything was taken, `Code.Closed` too: the channel may be closed. */
  isOver(): boolean;
  /** Takes what is to be done, at most about `maxBytes` of text and at least one record, if there is one. */
  drain(maxBytes: number): Batch;
  /** As `drain`, but leaves what is to be sent queued: for a channel that has no room now. */
  drainEvents(maxBytes: number): Batch;
  /** Starts a request to the peer and returns its handle. `params`: a JSON object. */
  call(now: number, method: string, params: string | undefined, options: CallOptions): number;
  /** Takes a call back. */
  cancel(now: number, call: number, reason?: string): void;
  /** Sends a notice that belongs to no request. `params`: a JSON object. */
  notify(now: number, method: string, params?: string): void;
  /** Refuses new work, lets what runs finish for `drainMs` milliseconds, then ends. */
  close(now: number, drainMs: number): void;
  /**
   * Tells the wall clock: that it is `unixMillis` since 1970 now. Whatever expires needs it, before the conversation
   * begins.
   */
  setWallClock(now: number, unixMillis: number): void;
  /** The id of the task that a live request or question runs as. */
  taskOf(handle: number): string | null | undefined;
  /** Says how the task that a request or question runs as is getting on, for a person to read. */
  taskStatus(now: number, handle: number, message: string): void;
  /** Counters, as a JSON object. */
  stats(): string;
  /** Gives the machine's memory back, where the garbage collector does not see it. Nothing may be called after. */
  free?(): void;
}

/** A server on one channel. An answer to a request that is over is refused with `send.over`, which is harmless. */
export interface ServerConnection extends Connection {
  /** Answers with a result, a JSON object. `ttlMs` and `shared` are the cache hint of cacheable methods. */
  respond(now: number, request: number, result: string, ttlMs: number, shared: boolean): void;
  /**
   * Answers with questions, a JSON object of `{"key": {"method": …, "params": …}}`, and with state that the handler wants
   * to see again. The same request comes again, after a `Code.Answers`.
   */
  respondInputRequired(now: number, request: number, questions: string, state?: Uint8Array): void;
  /** Answers with an error. `data`: any JSON value. */
  respondError(now: number, request: number, code: number, message: string, data?: string): void;
  /** Answers with a kind of result that a negotiated extension defines, a JSON object without the `resultType`. */
  respondExtension(now: number, request: number, resultType: string, result: string): void;
  /** Answers for a tool that failed with a text that the model may read. */
  respondToolError(now: number, request: number, text: string): void;
  /** Answers that the arguments do not fit the tool's schema. */
  respondInvalidArguments(now: number, request: number, text: string): void;
  /** Answers that what the request names does not exist: a resource, a prompt, a tool. */
  respondNotFound(now: number, request: number): void;
  /** Answers for a handler that failed in a way the peer need not know. */
  respondInternalError(now: number, request: number): void;
  /** Answers that the application does not offer what was asked for. */
  respondUnsupported(now: number, request: number): void;
  /** Progress of a request. False: not sent, because nobody asked for it or the value did not rise. */
  progress(now: number, request: number, progress: number, total?: number, message?: string): boolean;
  /** A log notice for a request, or for the session if `request` is 0. `data`: any JSON value. False: not sent. */
  log(now: number, request: number, level: string, logger: string | undefined, data: string): boolean;
  /**
   * Tells those who asked that something changed: the list of `tools`, `prompts` or `resources`, or the `resource` of
   * `uri`, which may be a part of the one that it `concerns`.
   */
  publish(now: number, what: string, uri?: string, concerns?: string): void;
  /** Remarks on the catalog: a JSON array of objects with `code`, `place` and `text`. */
  lint(): string;
  /** Replaces the catalog: a JSON object with any of `tools`, `resources`, `resourceTemplates`, `prompts`, `visible_to`. */
  setCatalog(now: number, catalog: string): void;
}

/** A client on one channel. */
export interface ClientConnection extends Connection {
  /** Begins. `remembered`: the revision of an earlier `Code.Ready` of the same server. */
  start(now: number, remembered?: string): void;
  /** Asks for the first page of the tools, or for the one that the `nextCursor` of a page names. */
  listTools(now: number, cursor: string | undefined, options: CallOptions): number;
  /** Calls a tool. `args`: a JSON object. */
  callTool(now: number, name: string, args: string | undefined, options: CallOptions): number;
  /** Starts a request for each page of a list, until it is whole. `params`: a JSON object without `cursor`. */
  listAll(now: number, method: string, params: string | undefined, options: CallOptions): number;
  /**
   * The name that the revision in use has for a purpose: `list_tools`, `list_resources`, `list_templates`,
   * `list_prompts`, `read_resource`, `get_prompt` or `complete`.
   */
  methodFor(purpose: string): string;
  /** Asks whether the server lives; a call whose result means nothing. */
  probe(now: number): number;
  /**
   * Subscribes to changes of the three lists and of the resources of these URIs, until the call that comes back is taken
   * back. `Code.Subscribed` follows; each change is a `Code.Notification` that is related to it.
   */
  subscribe(now: number, tools: boolean, prompts: boolean, resources: boolean, uris: string[]): number;
  /** Whom calls are made for from now on; without one, nobody in particular. Private results in the cache are another's. */
  setPrincipal(principal?: string): void;
  /** Progress of a question. False: not sent, because nobody asked for it or the value did not rise. */
  progress(now: number, input: number, progress: number, total?: number, message?: string): boolean;
  /** Answers a question of the server with a result, a JSON object. */
  answer(now: number, input: number, result: string): void;
  /** Answers a question with an error. */
  answerError(now: number, input: number, code: number, message: string): void;
  /** Answers a question that the application has no answer for. */
  answerUnsupported(now: number, input: number): void;
  /** Answers for an application that failed in a way the server need not know. */
  answerInternalError(now: number, input: number): void;
}

/** Options of one call. */
export interface CallOptions {
  /** Milliseconds that the call waits for a sign of life: its answer, or progress. */
  silenceMs?: number;
  /** Milliseconds that the call may take in all. */
  totalMs?: number;
  /** Ask for progress. */
  progress?: boolean;
  /** The least severe log level wanted for this call, where the revision has that (`debug`…). */
  logLevel?: string;
  /** Members for `_meta`: a JSON object. */
  meta?: string;
  /** Send it as a task. */
  task?: TaskOptions;
  /** Ask the server, whatever the cache has. */
  fresh?: boolean;
}

/** How a call is sent as a task. */
export interface TaskOptions {
  /** Milliseconds that the peer is asked to keep it. */
  ttlMs?: number;
  /** Complete the call as soon as the task is made, instead of following the task to its outcome. */
  detached?: boolean;
}

/** What came out of one drain: one text and, for each record, {@link RECORD_SIZE} numbers. */
export interface Batch {
  /** All texts, one after the other. */
  readonly text: string;
  /** Code, number, handle, related, and eight ranges of `text` in UTF-16 code units. */
  readonly records: Float64Array;
  /** The next deadline after it. */
  readonly timeout?: number | null | undefined;
  /** Stopped at the bound: drain again. */
  readonly more: boolean;
}

/** Numbers in one record. */
export const RECORD_SIZE = 20;

/** What a record is: the table of the engine's `embed::Code`, where each is described. */
export const Code = {
  Send: 1,
  Output: 2,
  Ready: 10,
  Request: 11,
  Over: 12,
  Completed: 13,
  Failed: 14,
  Progress: 15,
  Input: 16,
  InputOver: 17,
  Notification: 18,
  Fault: 19,
  Writable: 20,
  Closed: 21,
  Watched: 22,
  Task: 23,
  Subscribed: 24,
  Answers: 25,
  Trace: 30,
  Audit: 31,
} as const;

/** In `related` of a request: its arguments were not checked against the schema that the tool has. */
export const UNCHECKED = 1;
/** In `related` of a request: it calls a tool. */
export const TOOL_CALL = 2;
/** In `related` of a request: it runs as a task, whose id `taskOf` tells. */
export const TASK = 4;

/** One record of a {@link Batch}. Its texts are cut when they are looked at. */
export class BatchRecord {
  readonly #batch: Batch;
  readonly #at: number;

  /** The record number `index` of `batch`. */
  constructor(batch: Batch, index: number) {
    this.#batch = batch;
    this.#at = index * RECORD_SIZE;
  }
  /** A value of {@link Code}. */
  get code(): number {
    return this.#field(0);
  }
  /** A small number. */
  get number(): number {
    return this.#field(1);
  }
  /** What it is about. */
  get handle(): number {
    return this.#field(2);
  }
  /** What that belongs to; 0 = none. */
  get related(): number {
    return this.#field(3);
  }
  /** The text at `index`, 0 to 7; `undefined` if it is absent. */
  text(index: number): string | undefined {
    const start = this.#field(4 + 2 * index);
    const end = this.#field(5 + 2 * index);
    return end === 0 ? undefined : this.#batch.text.slice(start, end);
  }
  /** The JSON value at `index`; `undefined` if it is absent. */
  json(index: number): unknown {
    const text = this.text(index);
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  }
  #field(offset: number): number {
    return this.#batch.records[this.#at + offset] ?? 0;
  }
}

/** The records of a batch, in order. */
export function* recordsOf(batch: Batch): Generator<BatchRecord, void, undefined> {
  for (let index = 0; index * RECORD_SIZE < batch.records.length; index += 1) yield new BatchRecord(batch, index);
}

/** What the engine, or the layer above it, refused or ended. `code` is stable: `send.blocked`, `config.invalid`… */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
  /** The stable code. */
  readonly code: string;

  /** `code`: stable; `message`: for a person. */
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Runs what may be refused by an engine, and throws that as an {@link EngineError}. */
export function typed<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || error instanceof EngineError) throw error;
    throw new EngineError(code, (error as Error).message, { cause: error });
  }
}

/** The stable code of whatever was thrown; `undefined` if it has none. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
