/** A trap in the module is the end of every connection that it has. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, type ServerConnection, Server, connect, loadEngine, serve } from "mcp-sansio-wasm";

import { deferred } from "./support.js";

test("after a trap every connection of the module fails, and says so", async () => {
  const engine = await loadEngine();
  const errors: unknown[] = [];
  const aborted = deferred<unknown>();
  const started = deferred();
  const server = new Server({ name: "s", version: "1", onError: (error) => errors.push(error) });
  server.tool("waits", {}, (_, { signal }) => {
    started.resolve();
    signal.addEventListener("abort", () => {
      aborted.resolve(signal.reason);
    });
    return new Promise(() => undefined);
  });
  const { port1, port2 } = new MessageChannel();
  const client = new Client({ name: "c", version: "1", onError: (error) => errors.push(error) });
  const [session] = await Promise.all([serve(server, port1), connect(client, port2)]);
  const failed = assert.rejects(client.callTool("waits"), { name: "CallError", code: "engine.failed" });
  await started.promise;

  // A machine whose address lies outside the memory of the module.
  const config = JSON.stringify({ info: { name: "s", version: "1" } });
  const broken: ServerConnection & { __wbg_ptr?: number } = new engine.ServerConnection(config, new Uint8Array(32), true);
  broken.__wbg_ptr = 0xfffffff0;
  assert.throws(() => broken.drain(1), { code: "engine.failed" });

  await failed;
  assert.equal(((await aborted.promise) as { code: string }).code, "engine.failed");
  assert.equal(await client.closed, "engine.failed");
  assert.equal(await session.closed, "engine.failed");
  assert.equal(errors.length, 2);
  assert.ok(errors.every((error) => (error as Error).cause instanceof WebAssembly.RuntimeError));
  await assert.rejects(client.callTool("waits"), { code: "send.closed" });
  assert.throws(() => new engine.ServerConnection(config, new Uint8Array(32), true), { code: "engine.failed" });
  const { port1: other } = new MessageChannel();
  await assert.rejects(serve(server, other), { code: "engine.failed" });
});
