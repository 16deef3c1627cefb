/** The functions of this package that need its module, for whatever way a runtime has to load it. */
import type { Client } from "./client.js";
import type { Engine } from "./engine.js";
import { type Port, PortLink } from "./port.js";
import type { Server, ServerSession } from "./server.js";
import { instantiate } from "./wasm.js";

/** What {@link runtime} makes. */
export interface Runtime {
  /** The engine, loaded once. */
  readonly loadEngine: () => Promise<Engine>;
  /** Serves the client at the other end of `port`, which is listened to from now on, while the module still loads. */
  readonly serve: (server: Server, port: Port) => Promise<ServerSession>;
  /** Connects `client` to the server at the other end of `port`, and resolves when it is known. */
  readonly connect: (client: Client, port: Port, remembered?: string) => Promise<void>;
}

/** `compile` loads and compiles the module. */
export function runtime(compile: () => Promise<WebAssembly.Module>): Runtime {
  let loading: Promise<Engine> | undefined;
  const load = async (): Promise<Engine> => {
    try {
      return instantiate(await compile());
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  const loadEngine = (): Promise<Engine> => (loading ??= load());
  return {
    loadEngine,
    serve: (server, port) => server.connect(new PortLink(port), loadEngine()),
    connect: (client, port, remembered) => client.connect(new PortLink(port), loadEngine(), remembered),
  };
}
