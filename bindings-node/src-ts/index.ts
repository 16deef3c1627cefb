/** The Model Context Protocol for Node. */
export * from "mcp-sansio-wasm/shared";
export { type Exit, type ServerCommand, StdioClient, inheritedVariables } from "./client.js";
export { type EngineKind, loadEngine } from "./engine.js";
export { Server, type ServerStreams } from "./server.js";
export { StreamLink } from "./stream-link.js";
