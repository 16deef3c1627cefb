/** What both roles tell whoever watches a connection. */
import { type BatchRecord, Code } from "./engine.js";

/** The peer broke a rule; the engine has dealt with it. */
export interface Fault {
  /** Stable, `fault.*`. */
  readonly code: string;
  /** The page of the spec whose rule it is. */
  readonly page: string;
  /** What to tell a developer. */
  readonly detail: string;
}

/** A message that passed, for a person or a log. */
export interface TraceEntry {
  /** Which way it went. */
  readonly direction: "received" | "sent";
  /** When, in nanoseconds of the connection's clock. */
  readonly at: number;
  /** The message as it was on the wire. */
  readonly message: string;
  /** The revision it belongs to, where that is known. */
  readonly revision: string | undefined;
}

/** A notice of the peer. */
export interface Notification {
  /** Its method. */
  readonly method: string;
  /** Its params. */
  readonly params: unknown;
}

/** Hooks of a connection. What one of them throws goes to `onError`. */
export interface Hooks {
  /** The peer broke a rule. */
  readonly onFault?: (fault: Fault) => void;
  /** A message passed; only with the option `trace`. */
  readonly onTrace?: (entry: TraceEntry) => void;
  /** The peer sent a notice that is not about one call or request. */
  readonly onNotification?: (notification: Notification) => void;
  /** Something failed that no caller can be told of: a handler, a hook. By default it goes to `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Tells `hooks` of a failure. */
export function report({ onError }: Hooks, error: unknown): void {
  try {
    if (onError === undefined) console.error(error);
    else onError(error);
  } catch (failure) {
    console.error(failure);
  }
}

/** Runs code of the application, whose failure must not stop the caller. */
export function shielded<T>(hooks: Hooks, run: ((argument: T) => void) | undefined, argument: T): void {
  try {
    run?.(argument);
  } catch (error) {
    report(hooks, error);
  }
}

/** Passes on the records that are the same in both roles. */
export function observe(record: BatchRecord, hooks: Hooks): void {
  switch (record.code) {
    case Code.Fault:
      shielded(hooks, hooks.onFault, faultOf(record));
      break;
    case Code.Trace:
      // The hook is for messages: not for commands, events and the deadline.
      if (record.number > 1) break;
      shielded(hooks, hooks.onTrace, {
        direction: record.number === 0 ? "received" : "sent",
        at: record.handle,
        message: record.text(0) ?? "",
        revision: record.text(1),
      });
      break;
    case Code.Notification:
      shielded(hooks, hooks.onNotification, notificationOf(record));
      break;
  }
}

/** A record of {@link Code.Fault}. */
export function faultOf(record: BatchRecord): Fault {
  return { code: record.text(0) ?? "", page: record.text(1) ?? "", detail: record.text(2) ?? "" };
}

/** A record of {@link Code.Notification}. */
export function notificationOf(record: BatchRecord): Notification {
  return { method: record.text(0) ?? "", params: record.json(1) };
}
