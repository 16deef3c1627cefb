/** What every JavaScript runtime shares, without an engine: bring one that satisfies {@link Engine}. */
export * from "./client.js";
export * from "./driver.js";
export * from "./engine.js";
export * from "./observe.js";
export type { CommonOptions, Implementation, JsonObject, Limits } from "./options.js";
export * from "./port.js";
export * from "./schema.js";
export * from "./server.js";
export type * as types from "./types.js";
