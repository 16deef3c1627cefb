/** The package in a browser, and wherever else `fetch` reaches the module. */
import { runtime } from "./runtime.js";

export * from "./shared.js";

const url = new URL("../pkg/mcp_sansio_wasm_bg.wasm", import.meta.url);

export const { loadEngine, serve, connect } = runtime(() => WebAssembly.compileStreaming(fetch(url)));
