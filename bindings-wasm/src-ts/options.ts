/** Options that both roles have, and the configuration that the engine takes. */
import type { Clock } from "./driver.js";
import type { Hooks } from "./observe.js";

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** Who an implementation says it is. Further members (`icons`…) are passed on. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly JsonObject[];
}

/** Bounds of one connection, in bytes, counts and milliseconds; each has a default. Documented at the engine's `Limits`. */
export interface Limits {
  readonly messageBytes?: number;
  readonly depth?: number;
  readonly idBytes?: number;
  readonly batch?: number;
  readonly requests?: number;
  readonly calls?: number;
  readonly events?: number;
  readonly outputBytes?: number;
  readonly sessionBytes?: number;
  readonly errorReplies?: number;
  readonly stateBytes?: number;
  readonly callSilence?: number;
  readonly callTotal?: number;
  readonly probe?: number;
  readonly handshake?: number;
  readonly handler?: number | null;
  readonly drain?: number;
  readonly pingInterval?: number | null;
  readonly pingTimeout?: number;
  readonly pingFailures?: number;
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
