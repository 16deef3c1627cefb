/** The engine as a WebAssembly module. */
import {
  ClientConnection as RawClientConnection,
  ServerConnection as RawServerConnection,
  initSync,
} from "../pkg/mcp_sansio_wasm.js";
import { type Engine, EngineError } from "./engine.js";

/** Makes the engine of a compiled module. A module can be instantiated once in each realm. */
export function instantiate(module: WebAssembly.Module): Engine {
  initSync({ module });
  const death = new AbortController();
  return {
    ServerConnection: guarded(RawServerConnection, death),
    ClientConnection: guarded(RawClientConnection, death),
    lost: death.signal,
  };
}

type Class = new (config: string, seed: Uint8Array, messages: boolean) => object;

/** Whether the module itself gave up: a trap, or its stack was exhausted. Then its memory can't be trusted any more. */
function isFatal(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

/**
 * The same class, but a fatal failure in any of its calls is the end of every connection of the module: it is thrown
 * as `engine.failed`, there and from then on everywhere.
 */
function guarded<C extends Class>(raw: C, death: AbortController): C {
  const enter = <T>(run: () => T): T => {
    death.signal.throwIfAborted();
    try {
      return run();
    } catch (error) {
      if (!isFatal(error)) throw error;
      const failure = new EngineError("engine.failed", "the engine failed and can't be used any more", { cause: error });
      death.abort(failure);
      throw failure;
    }
  };
  class Guarded extends (raw as Class) {}
  const prototype = raw.prototype as Record<string, (...args: unknown[]) => unknown>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method = prototype[name];
    if (name === "constructor" || method === undefined) continue;
    Object.defineProperty(Guarded.prototype, name, {
      value(this: object, ...args: unknown[]) {
        return enter(() => Reflect.apply(method, this, args));
      },
    });
  }
  return new Proxy(Guarded, {
    construct: (target, args, newTarget) => enter(() => Reflect.construct(target, args, newTarget) as object),
  }) as C;
}
