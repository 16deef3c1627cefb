/** What every driver owes its engine and its peer, on byte streams. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";

import { Client, type Notification, Server, StreamLink, ToolError } from "mcp-sansio";

import { recorded } from "./recorder.js";
import { deferred, native } from "./support.js";

/** A pipe that keeps what passes. */
class Tap extends PassThrough {
  readonly passed: Uint8Array[] = [];

  constructor(options?: { highWaterMark: number }) {
    super(options);
    this.on("data", (chunk: Uint8Array) => this.passed.push(chunk));
  }
}

function joined(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString("latin1");
}

function example(): Server {
  const server = new Server({ name: "example", version: "1" });
  server.tool("echo", {}, ({ text }) => String(text));
  server.tool("fail", {}, () => {
    throw new ToolError("it failed");
  });
  server.tool("count", {}, async (_, { progress }) => {
    for (const value of [1, 2, 3]) {
      progress(value, 3, `step ${String(value)}`);
      await Promise.resolve();
    }
    return "counted";
  });
  server.tool("wait", {}, (_, { signal }) => {
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  });
  return server;
}

const name = { name: "client", version: "1" };

for (const revision of ["2025-03-26", "2026-07-28"]) {
  test(`every byte of a conversation of ${revision} passes through the engine, and nothing else reads it`, async () => {
    const toServer = new Tap();
    const toClient = new Tap();
    const ours = recorded(native);
    const theirs = recorded(native);
    const notices: Notification[] = [];
    const server = example();
    const session = await server.connect(new StreamLink(toServer, toClient), theirs.engine);
    const client = new Client({ ...name, revisions: [revision], onNotification: (notice) => notices.push(notice) });
    await client.connect(new StreamLink(toClient, toServer), ours.engine);

    assert.equal(client.revision, revision);
    assert.equal(client.serverInfo?.name, "example");
    assert.deepEqual((await client.listTools()).map((tool) => tool.name), ["echo", "fail", "count", "wait"]);
    const text = "héé 漢 🦀".repeat(1000);
    assert.deepEqual((await client.callTool("echo", { text })).content, [{ type: "text", text }]);
    assert.equal((await client.callTool("fail")).isError, true);
    const values: number[] = [];
    await client.callTool("count", {}, { onProgress: ({ progress }) => values.push(progress) });
    assert.deepEqual(values, [1, 2, 3]);
    const abort = new AbortController();
    const waiting = client.callTool("wait", {}, { signal: abort.signal });
    abort.abort();
    await assert.rejects(waiting, { code: "call.cancelled" });
    await assert.rejects(client.callTool("absent"), { code: "call.rpc" });
    server.removeTool("wait");
    await client.callTool("echo", { text: "after" });
    if (revision === "2025-03-26") assert.equal(notices.length, 1);
    assert.equal(await client.close(), "close.local");
    assert.equal(await session.closed, "close.peer");

    assert.equal(joined(toServer.passed), joined(ours.recording.output));
    assert.equal(joined(toServer.passed), joined(theirs.recording.input));
    assert.equal(joined(toClient.passed), joined(theirs.recording.output));
    assert.equal(joined(toClient.passed), joined(ours.recording.input));
    assert.equal(joined(toServer.passed).includes("jsonrpc"), false);
    for (const { times } of [ours.recording, theirs.recording]) {
      assert.deepEqual(times, [...times].sort((a, b) => a - b));
    }
  });
}

test("answers of many handlers leave in one piece, in the order of the engine", async () => {
  const toServer = new PassThrough();
  const toClient = new Tap();
  const { engine, recording } = recorded(native);
  await example().connect(new StreamLink(toServer, toClient), engine);
  const { engine: other } = recorded(native);
  const client = new Client({ ...name, revisions: ["2026-07-28"] });
  await client.connect(new StreamLink(toClient, toServer), other);
  const before = toClient.passed.length;
  const texts = Array.from({ length: 64 }, (_, index) => String(index));
  const results = await Promise.all(texts.map((text) => client.callTool("echo", { text })));
  assert.deepEqual(results.map(({ content }) => content[0]?.text), texts);
  assert.equal(toClient.passed.length, before + 1);
  assert.equal(joined(toClient.passed), joined(recording.output));
  await client.close();
});

test("the end of input and a broken output are told apart", async () => {
  const ended = recorded(native);
  const input = new PassThrough();
  const session = await example().connect(new StreamLink(input, new PassThrough().resume()), ended.engine);
  input.end();
  assert.equal(await session.closed, "close.peer");
  assert.deepEqual(ended.recording.entries, ["setWallClock", "handleEof"]);

  const broken = recorded(native);
  const output = new PassThrough();
  const other = await example().connect(new StreamLink(new PassThrough(), output), broken.engine);
  output.destroy(new Error("EPIPE"));
  assert.equal(await other.closed, "close.peer");
  assert.deepEqual(broken.recording.entries[1], "handleClosed");
});

test("what was asked before the end of input is still answered", async () => {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const release = deferred<string>();
  const server = new Server({ name: "slow", version: "1" });
  const started = deferred<undefined>();
  server.tool("slow", {}, () => {
    started.resolve(undefined);
    return release.promise;
  });
  const session = await server.connect(new StreamLink(toServer, toClient), native);
  let output = "";
  toClient.setEncoding("utf8").on("data", (text: string) => (output += text));
  const meta = { protocolVersion: "2026-07-28", clientCapabilities: {} };
  const keys = Object.entries(meta).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]);
  const params = { name: "slow", arguments: {}, _meta: Object.fromEntries(keys) as object };
  toServer.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  await started.promise;
  release.resolve("late");
  assert.equal(await session.closed, "close.peer");
  assert.match(output, /"text":"late"/);
});

test("arguments and options that can't work are refused by name", async () => {
  const toServer = new Tap();
  const toClient = new PassThrough();
  await example().connect(new StreamLink(toServer, toClient), native);
  const client = new Client(name);
  await client.connect(new StreamLink(toClient, toServer), native);
  const before = toServer.passed.length;
  for (const value of [0, -1, NaN, Infinity, "5", null]) {
    const options = { timeout: value as number };
    const refused = { name: "EngineError", code: "send.invalid", message: /option timeout must/ };
    await assert.rejects(client.callTool("echo", {}, options), refused);
    await assert.rejects(client.listTools(options), refused);
  }
  await assert.rejects(client.callTool(5 as unknown as string), { code: "send.invalid", message: /the tool's name must/ });
  assert.equal(toServer.passed.length, before);
  await client.close();
});

test("an answer to a call that is over is dropped", async () => {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const errors: unknown[] = [];
  const server = new Server({ name: "stubborn", version: "1", onError: (error) => errors.push(error) });
  const started = deferred<undefined>();
  const release = deferred<string>();
  server.tool("stubborn", {}, () => {
    started.resolve(undefined);
    return release.promise;
  });
  server.tool("echo", {}, () => "echo");
  await server.connect(new StreamLink(toServer, toClient), native);
  const client = new Client({ ...name, onFault: (fault) => errors.push(fault) });
  await client.connect(new StreamLink(toClient, toServer), native);
  const abort = new AbortController();
  const call = client.callTool("stubborn", {}, { signal: abort.signal });
  await started.promise;
  abort.abort();
  await assert.rejects(call, { code: "call.cancelled" });
  await client.callTool("echo");
  release.resolve("too late");
  await client.callTool("echo");
  assert.deepEqual(errors, []);
  await client.close();
});

test("a peer that does not read is not written to, and not read from once the engine is full", async () => {
  const toServer = new PassThrough({ highWaterMark: 64 });
  const toClient = new PassThrough({ highWaterMark: 64 });
  const server = new Server({ name: "full", version: "1", limits: { outputBytes: 1000 } });
  const session = await server.connect(new StreamLink(toServer, toClient), native);
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  let fed = 0;
  const feedUntilHeld = async (): Promise<void> => {
    for (; fed < 1000 && toServer.write(ping); fed += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  await feedUntilHeld();
  assert.ok(fed > 10 && fed < 100, `${String(fed)} messages were taken`);
  assert.ok(toClient.readableLength < 1000);
  let answers = 0;
  toClient.setEncoding("utf8").on("data", (text: string) => (answers += text.split("\n").length - 1));
  toServer.end();
  assert.equal(await session.closed, "close.peer");
  assert.equal(answers, fed + 1);
});
