/** The module in Node, where it is a file. */
import { readFile } from "node:fs/promises";

/** Loads and compiles it. */
export async function compileModule(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(new URL("../pkg/mcp_sansio_wasm_bg.wasm", import.meta.url)));
}
