/** The engine of this process: the native addon, or the WebAssembly module where there is none. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { type Engine, EngineError } from "mcp-sansio-wasm/shared";

/** Which engine runs. They behave the same; the addon is faster. */
export type EngineKind = "native" | "wasm";

const addon = fileURLToPath(new URL(`../native/${process.platform}-${process.arch}.node`, import.meta.url));
const loading = new Map<EngineKind | undefined, Promise<Engine>>();

/**
 * Loads the engine, once. By default that is the native addon, or the WebAssembly module if this platform has none;
 * the environment variable `MCP_SANSIO_ENGINE` (`native` or `wasm`) decides otherwise.
 *
 * @throws {@link EngineError} `config.invalid` for another name; what the loader says if the engine can't be loaded.
 */
export function loadEngine(kind = process.env.MCP_SANSIO_ENGINE): Promise<Engine> {
  if (kind !== undefined && kind !== "native" && kind !== "wasm") {
    return Promise.reject(new EngineError("config.invalid", `MCP_SANSIO_ENGINE: "${kind}" is neither native nor wasm`));
  }
  let engine = loading.get(kind);
  if (engine === undefined) {
    engine = load(kind);
    loading.set(kind, engine);
  }
  return engine;
}

async function load(kind: EngineKind | undefined): Promise<Engine> {
  if (kind === "native") return native();
  if (kind === undefined && existsSync(addon)) {
    try {
      return native();
    } catch (error) {
      process.emitWarning(`${addon} can't be loaded, so WebAssembly is used: ${String(error)}`, "McpSansioWarning");
    }
  }
  const wasm = await import("mcp-sansio-wasm");
  return wasm.loadEngine();
}

function native(): Engine {
  return createRequire(import.meta.url)(addon) as Engine;
}
