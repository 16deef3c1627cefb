/** Machines of the real engine, spoken to in the wire's own words: for tests of the binding alone. */
import assert from "node:assert/strict";

import { type BatchRecord, Code, type Connection, loadEngine, recordsOf } from "mcp-sansio-wasm";

export const MS = 1e6;
export const engine = await loadEngine();

type Config = Record<string, unknown>;

/** A server on a message channel, with one tool. */
export function makeServer(config: Config = {}) {
  const whole = { info: { name: "s", version: "1" }, tools: [{ name: "echo", inputSchema: { type: "object" } }], ...config };
  return new engine.ServerConnection(JSON.stringify(whole), crypto.getRandomValues(new Uint8Array(32)), true);
}

/** A client on a message channel. */
export function makeClient(config: Config = {}) {
  const whole = { info: { name: "c", version: "1" }, ...config };
  return new engine.ClientConnection(JSON.stringify(whole), crypto.getRandomValues(new Uint8Array(32)), true);
}

export type Wire = Record<string, unknown> & { id?: unknown; method?: string; error?: { code: number } };

/** What a machine wants, in order: messages to send, and the rest. */
export function take(machine: Connection): { sent: Wire[]; events: BatchRecord[] } {
  const sent: Wire[] = [];
  const events: BatchRecord[] = [];
  for (let more = true; more; ) {
    const batch = machine.drain(1 << 20);
    for (const record of recordsOf(batch)) {
      if (record.code === Code.Send) sent.push(record.json(0) as Wire);
      else events.push(record);
    }
    more = batch.more;
  }
  return { sent, events };
}

/** The one record of a kind. */
export function one(events: BatchRecord[], code: number): BatchRecord {
  const [found, ...others] = events.filter((event) => event.code === code);
  assert.ok(found !== undefined && others.length === 0, `records ${events.map((event) => String(event.code)).join()}`);
  return found;
}

export function message(members: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...members });
}

export function callEcho(id: unknown, args: object = {}, meta?: object): string {
  return message({ id, method: "tools/call", params: { name: "echo", arguments: args, ...(meta && { _meta: meta }) } });
}

/** Opens a legacy session with a server. */
export function initialize(server: Connection, protocolVersion = "2025-11-25"): void {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } };
  server.handleMessage(0, message({ id: "hello", method: "initialize", params }));
  server.handleMessage(0, message({ method: "notifications/initialized" }));
  one(take(server).events, Code.Ready);
}

/** Plays the server of a modern client until it is ready. */
export function acceptModern(client: ReturnType<typeof makeClient>): void {
  client.start(0);
  const [probe] = take(client).sent;
  const result = {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "s", version: "1" },
    ttlMs: 0,
    cacheScope: "private",
  };
  client.handleMessage(0, message({ id: probe?.id, result }));
  one(take(client).events, Code.Ready);
}

/** Plays the server of a legacy session until the client is ready. */
export function acceptClient(client: ReturnType<typeof makeClient>): void {
  client.start(0);
  const [hello] = take(client).sent;
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  };
  client.handleMessage(0, message({ id: hello?.id, result }));
  one(take(client).events, Code.Ready);
}
