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
  /** Calls that await the peer's answer; 1,024. */
  readonly calls?: number;
  /** Events that are not yet delivered; 1,024. */
  readonly events?: number;
  /** Bytes of output that the channel has not taken; 8 MiB. */
  readonly outputBytes?: number;
  /** Bytes of all that waits; 16 MiB. */
  readonly sessionBytes?: number;
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
  /** Milliseconds in which requests may still be answered after the peer's last word; 5,000. */
  readonly drain?: number;
  /** Milliseconds between keep-alive pings, in the legacy era; `null`, none, by default. */
  readonly pingInterval?: number | null;
  /** Milliseconds that a keep-alive ping waits for its answer; 10,000. */
  readonly pingTimeout?: number;
  /** Unanswered keep-alive pings in a row that end the connection; 3. */
  readonly pingFailures?: number;
  /** Messages of the trace that wait; the oldest go first; 1,024. */
  readonly trace?: number;
}

/** Options of a server or client. */
export interface CommonOptions extends Implementation, Hooks {
  /** Capabilities to declare, beyond those that follow from the rest. */
  readonly capabilities?: JsonObject;
  /** Revisions to speak; a client prefers the first. By default all that the engine knows. */
  readonly revisions?: readonly string[];
  /** Bounds other than the defaults. */
  readonly limits?: Limits;
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
    trace: options.trace,
  };
}

/** The same object with its keys as the engine spells them. */
export function snakeCase(object: object): JsonObject {
  const spell = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [spell(key), value as unknown]));
}
