/** Links over ports: what comes early is kept, what is no text is garbage, and ends are noticed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { type Transferable, Worker } from "node:worker_threads";

import { Client, type Fault, PortLink, Server, loadEngine, serve } from "mcp-sansio-wasm";

import { deferred } from "./support.js";

function makeServer(): Server {
  return new Server({ name: "s", version: "1" }).tool("echo", {}, ({ text }) => String(text));
}

test("a port that comes while the engine loads is kept, and what arrives on it", async () => {
  const loaded = deferred();
  const slow = loaded.promise.then(loadEngine);
  const { port1, port2 } = new MessageChannel();
  const session = makeServer().connect(new PortLink(port1), slow);
  const client = new Client({ name: "c", version: "1" });
  const connecting = client.connect(new PortLink(port2), loadEngine());
  // The first message has long crossed once another port's has.
  const other = new MessageChannel();
  await loadEngine();
  const crossed = once(other.port2, "message");
  other.port1.postMessage("");
  await crossed;
  other.port1.close();
  loaded.resolve();
  await connecting;
  assert.deepEqual((await client.callTool("echo", { text: "kept" })).content, [{ type: "text", text: "kept" }]);
  await client.close();
  await (await session).closed;
});

test("a peer that was gone before the engine was loaded is noticed", async () => {
  const loaded = deferred();
  const { port1, port2 } = new MessageChannel();
  const closed = once(port1, "close");
  const connecting = makeServer().connect(new PortLink(port1), loaded.promise.then(loadEngine));
  port2.close();
  await closed;
  loaded.resolve();
  assert.equal(await (await connecting).closed, "close.peer");
});

test("an engine that can't be loaded closes the port", async () => {
  const { port1, port2 } = new MessageChannel();
  const closed = once(port2, "close");
  // Node waits for a port only while somebody listens for messages.
  port2.addEventListener("message", () => assert.fail("nobody speaks"));
  await assert.rejects(makeServer().connect(new PortLink(port1), Promise.reject(new Error("no module"))), /no module/);
  await closed;
});

test("what is no text counts as garbage, and the conversation goes on", async () => {
  const faults: Fault[] = [];
  const server = new Server({ name: "s", version: "1", onFault: (fault) => faults.push(fault) });
  server.tool("echo", {}, ({ text }) => String(text));
  const { port1, port2 } = new MessageChannel();
  const session = await serve(server, port1);
  for (const garbage of [{ jsonrpc: "2.0" }, null, 7, new Uint8Array(3), { toString: 1 }]) port2.postMessage(garbage);
  const client = new Client({ name: "c", version: "1", onFault: () => undefined });
  await client.connect(new PortLink(port2), loadEngine());
  assert.equal((await client.callTool("echo", { text: "still here" })).content.length, 1);
  assert.deepEqual(
    faults.map(({ code }) => code),
    Array.from({ length: 5 }, () => "fault.parse"),
  );
  await client.close();
  await session.closed;
});

test("a worker that is terminated ends the calls that wait for it", async () => {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL("worker.js", import.meta.url), {
    workerData: port1,
    transferList: [port1 as unknown as Transferable],
  });
  const client = new Client({ name: "c", version: "1" });
  await client.connect(new PortLink(port2), loadEngine());
  const started = deferred();
  const call = client.callTool("waits", {}, { onProgress: () => { started.resolve(); } });
  const failed = assert.rejects(call, { code: "call.closed", delivered: true });
  await started.promise;
  await worker.terminate();
  await failed;
  assert.equal(await client.closed, "close.peer");
});
