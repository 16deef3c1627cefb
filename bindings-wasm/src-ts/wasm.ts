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
  const fate = new Fate();
  return {
    ServerConnection: guarded(RawServerConnection, fate),
    ClientConnection: guarded(RawClientConnection, fate),
    onLost: (tell) => fate.watch(tell),
  };
}

/** Whether the module itself gave up: a trap, or its stack was exhausted. Then its memory can't be trusted any more. */
function isFatal(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

/** What all connections of the module share: its first fatal failure. */
class Fate {
  readonly #watchers = new Set<(failure: EngineError) => void>();
  #failure: EngineError | undefined;

  /** Calls into the module, unless it failed. */
  enter<T>(run: () => T): T {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return run();
    } catch (error) {
      if (!isFatal(error)) throw error;
      const failure = new EngineError("engine.failed", "the engine failed and can't be used any more", { cause: error });
      this.#failure = failure;
      for (const tell of [...this.#watchers]) tell(failure);
      throw failure;
    }
  }
  watch(tell: (failure: EngineError) => void): () => void {
    this.#watchers.add(tell);
    return () => {
      this.#watchers.delete(tell);
    };
  }
}

type Class = new (config: string, seed: Uint8Array, messages: boolean) => object;

/**
 * The same class, but a fatal failure in any of its calls is the end of every connection of the module: it is thrown
 * as `engine.failed`, there and from then on everywhere.
 */
function guarded<C extends Class>(raw: C, fate: Fate): C {
  class Guarded extends (raw as Class) {}
  const prototype = raw.prototype as Record<string, (...args: unknown[]) => unknown>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method = prototype[name];
    if (name === "constructor" || method === undefined) continue;
    Object.defineProperty(Guarded.prototype, name, {
      value(this: object, ...args: unknown[]) {
        return fate.enter(() => Reflect.apply(method, this, args));
      },
    });
  }
  return new Proxy(Guarded, {
    construct: (target, args, newTarget) => fate.enter(() => Reflect.construct(target, args, newTarget) as object),
  }) as C;
}
