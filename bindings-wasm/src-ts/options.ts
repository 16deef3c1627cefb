/** Options that both roles have, and the configuration that the engine takes. */
import type { Clock } from "./driver.js";
import type { Hooks } from "./observe.js";

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** Who an implementation says it is. */
export interface Implementation {
  /** Its name, for programs. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Its name, for people. */
  readonly title?: string;
  /** Where to read about it. */
  readonly websiteUrl?: string;
  /** Its icons, as the spec describes them. */
  readonly icons?: readonly JsonObject[];
}

/**
 * Bounds of one connection, all finite by default. At a limit a command is refused with `send.blocked`, a request too
 * many is answered with an error; whoever goes on regardless finds the connection closed with `close.overrun`.
 */
export interface Limits {
  /** Bytes of one message, in and out; 4 MiB. */
  readonly messageBytes?: number;
  /** Levels of nesting of one message; 128. */
  readonly depth?: number;
  /** Bytes of the peer's ids and progress tokens; 256. */
  readonly idBytes?: number;
  /** Members of one batch, in the revision that has batches; 50. */
  readonly batch?: number;
  /** Requests of the peer that await an answer; 256. */
  readonly requests?: number;
  /** Resources that a client may be subscribed to; 1,024. */
  readonly subscriptions?: number;
  /** Calls that await the peer's answer; 1,024. */
  readonly calls?: number;
  /** Events that are not yet delivered; 1,024. */
  readonly events?: number;
  /** Bytes of output that the channel has not taken; 8 MiB. */
  readonly outputBytes?: number;
  /** Bytes of all that waits; 16 MiB. */
  readonly sessionBytes?: number;
  /** Bytes of the results that a client keeps for as long as their server allows; 4 MiB. */
  readonly cacheBytes?: number;
  /** Pages of one list that a client gathers; 1,000. */
  readonly listPages?: number;
  /** Bytes of all the lists that a client is gathering; 16 MiB. */
  readonly listBytes?: number;
  /** How often in a row a client asks again for a subscription that its server ended; 8. */
  readonly listenAttempts?: number;
  /** Milliseconds before the first of these; it doubles up to 64 times this; 1,000. */
  readonly listenBackoff?: number;
  /** Answers to garbage in one second; 5. */
  readonly errorReplies?: number;
  /** Milliseconds that a call waits for a sign of life; 60,000. */
  readonly callSilence?: number;
  /** Milliseconds that a call may take in all; 600,000. */
  readonly callTotal?: number;
  /** Milliseconds that a client waits to learn the server's era; 5,000. */
  readonly probe?: number;
  /** Milliseconds that a client waits for the handshake; 30,000. */
  readonly handshake?: number;
  /** Milliseconds that a handler may take; `null`, for ever, by default. */
  readonly handler?: number | null;
  /** Milliseconds that the answer to a question may take; 600,000. */
  readonly inputTimeout?: number;
  /** How often one request may be answered with questions, or one call asked them; 8. */
  readonly inputRounds?: number;
  /** Questions of one round; 16. */
  readonly inputQuestions?: number;
  /** Bytes of the state that a handler keeps between two rounds; 64 KiB. */
  readonly stateBytes?: number;
  /** Milliseconds that such state is good, by the wall clock; 3,600,000. */
  readonly stateTtl?: number;
  /** Questions of the server that await an answer; 64. */
  readonly openQuestions?: number;
  /** The most tokens that a client is asked to let its model make; 1,000,000. */
  readonly samplingTokens?: number;
  /** Bytes of a question for the model; 4 MiB. */
  readonly samplingBytes?: number;
  /** Milliseconds in which requests may still be answered after the peer's last word; 5,000. */
  readonly drain?: number;
  /** Milliseconds between keep-alive pings, in the legacy era; `null`, none, by default. */
  readonly pingInterval?: number | null;
  /** Milliseconds that a keep-alive ping waits for its answer; 10,000. */
  readonly pingTimeout?: number;
  /** Unanswered keep-alive pings in a row that end the connection; 3. */
  readonly pingFailures?: number;
  /** Tasks of the peer that run or whose outcome is kept; 128. */
  readonly tasks?: number;
  /** Milliseconds that a task of the peer is kept at most; 3,600,000. */
  readonly taskTtl?: number;
  /** Milliseconds between two questions for the state of a task; 1,000. */
  readonly taskPoll?: number;
  /** How often one principal may have something done. */
  readonly rates?: Rates;
  /** Messages of the trace that wait; the oldest go first; 1,024. */
  readonly trace?: number;
}

/** So many at once, and so many a second in the long run. */
export interface Rate {
  /** How many more are allowed with each second. */
  readonly perSecond: number;
  /** How many may come at once; 0 lets nothing pass. */
  readonly burst: number;
}

/** How often one principal may have something done; `null`: as often as it likes. */
export interface Rates {
  /** Calls of tools; 1,000 a second, 10,000 at once. One more is answered with an error, and a hint when to try again. */
  readonly calls?: Rate | null;
  /** Every other request of a client, but for completion; 1,000 and 10,000. */
  readonly reads?: Rate | null;
  /** Completion; 200 and 1,000. */
  readonly completion?: Rate | null;
  /** What a server asks a client; 50 and 500. */
  readonly questions?: Rate | null;
  /** The peer's notices of progress, of logs and of the state of tasks; 2,000 and 20,000. One more is dropped. */
  readonly noticesIn?: Rate | null;
  /** Ours; 2,000 and 20,000. One more is not sent. */
  readonly noticesOut?: Rate | null;
}

/** Options of a server or client. */
export interface CommonOptions extends Implementation, Hooks {
  /** Capabilities to declare, beyond those that follow from the rest. */
  readonly capabilities?: JsonObject;
  /** Revisions to speak; a client prefers the first. By default all that the engine knows. */
  readonly revisions?: readonly string[];
  /** Bounds other than the defaults. */
  readonly limits?: Limits;
  /** The kinds of results (`resultType`) that an extension defines, by its identifier. */
  readonly resultTypes?: Readonly<Record<string, readonly string[]>>;
  /** Whether the peer is told when the state of a task changes; by default it is. */
  readonly taskNotices?: boolean;
  /** Report each message to `onTrace`. */
  readonly trace?: boolean;
  /** The clock, for tests. */
  readonly clock?: Clock;
  /** Where each connection's 32 bytes of fresh entropy come from. By default the runtime's secure source. */
  readonly seed?: () => Uint8Array;
}

/** 32 bytes that nobody can guess. */
export function randomSeed(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** The members of the engine's configuration that both roles have. */
export function commonConfig(options: CommonOptions): JsonObject {
  const { name, version, title, websiteUrl, icons } = options;
  return {
    info: { name, version, title, websiteUrl, icons },
    capabilities: options.capabilities,
    revisions: options.revisions,
    limits: options.limits && snakeCase(options.limits),
    result_types: options.resultTypes,
    task_notices: options.taskNotices,
    trace: options.trace,
  };
}

/** The same object with its keys, and those of the objects in it, as the engine spells them. */
export function snakeCase(object: object): JsonObject {
  const spell = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const spelt = (value: unknown): unknown => (typeof value === "object" && value !== null ? snakeCase(value) : value);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [spell(key), spelt(value)]));
}
