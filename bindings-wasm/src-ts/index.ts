/** Servers and clients on the engine of this package, over ports. */
import { compileModule } from "#module";

import type { Client } from "./client.js";
import type { Engine } from "./engine.js";
import { type Port, PortLink } from "./port.js";
import type { Server } from "./server.js";
import type { ServerSession } from "./server-session.js";
import { instantiate } from "./wasm.js";

export * from "./shared.js";

let loading: Promise<Engine> | undefined;

async function load(): Promise<Engine> {
  try {
    return instantiate(await compileModule());
  } catch (error) {
    // So that a load that failed can be repeated.
    loading = undefined;
    throw error;
  }
}

/** The engine of this package: a WebAssembly module, loaded once. */
export function loadEngine(): Promise<Engine> {
  return (loading ??= load());
}

/**
 * Serves the client at the other end of `port`. The port is listened to from now on, while the engine may still load:
 * call this before anything is awaited.
 *
 * @throws {@link EngineError} `config.invalid` if the options or a tool's definition can't work.
 */
export function serve(server: Server, port: Port): Promise<ServerSession> {
  return server.connect(new PortLink(port), loadEngine());
}

/**
 * Connects `client` to the server at the other end of `port`, and resolves when the server is known. `remembered` is
 * the revision of an earlier connection to the same server: the era is not asked for again.
 *
 * @throws {@link EngineError} `config.invalid`, or why the connection ended: `close.handshake`, `close.peer`…
 */
export function connect(client: Client, port: Port, remembered?: string): Promise<void> {
  return client.connect(new PortLink(port), loadEngine(), remembered);
}
