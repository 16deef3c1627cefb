/** The package in Node, where the module is a file. */
import { readFile } from "node:fs/promises";

import { runtime } from "./runtime.js";

export * from "./shared.js";

const url = new URL("../pkg/mcp_sansio_wasm_bg.wasm", import.meta.url);

export const { loadEngine, serve, connect } = runtime(async () => WebAssembly.compile(await readFile(url)));
