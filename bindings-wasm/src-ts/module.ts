/** The module in a browser, and wherever else `fetch` reaches it. */

/** Loads and compiles it. */
export function compileModule(): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(fetch(new URL("../pkg/mcp_sansio_wasm_bg.wasm", import.meta.url)));
}
