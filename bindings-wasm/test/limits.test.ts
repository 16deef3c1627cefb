/** Every limit, hit once through this binding. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Code, type Connection } from "mcp-sansio-wasm";

import { MS, acceptClient, callEcho, engine, initialize, makeClient, makeServer, message, one, take } from "./machine.js";

const covered = new Set<string>();

function limit(name: string, run: () => void | Promise<void>): void {
  covered.add(name);
  test(name, run);
}

function ready(limits: object) {
  const server = makeServer({ limits });
  initialize(server);
  return server;
}

function refusals(machine: Connection): unknown[] {
  return take(machine).sent.map(({ id, error }) => [id, error !== undefined]);
}

limit("message_bytes", () => {
  const server = ready({ message_bytes: 300 });
  server.handleMessage(0, callEcho(1, { text: "x".repeat(300) }));
  one(take(server).events, Code.Fault);
  server.handleMessage(0, callEcho(2));
  const request = one(take(server).events, Code.Request).handle;
  const large = JSON.stringify({ content: [], more: "x".repeat(300) });
  assert.throws(() => { server.respond(0, request, large, 0, false); }, { code: "send.too_large" });
  assert.deepEqual(refusals(server), [[2, true]]);
});

limit("depth", () => {
  const server = ready({ depth: 8 });
  server.handleMessage(0, callEcho(1, { deep: JSON.parse("[".repeat(10) + "]".repeat(10)) as unknown }));
  const { sent, events } = take(server);
  one(events, Code.Fault);
  assert.ok(sent[0]?.error !== undefined);
});

limit("id_bytes", () => {
  const server = ready({ id_bytes: 8 });
  server.handleMessage(0, callEcho("longlonglong"));
  server.handleMessage(0, callEcho("short"));
  const { sent, events } = take(server);
  one(events, Code.Fault);
  one(events, Code.Request);
  assert.equal(sent.length, 1);
  assert.doesNotMatch(JSON.stringify(sent), /longlonglong/);
});

limit("batch", () => {
  const server = makeServer({ limits: { batch: 2 } });
  initialize(server, "2025-03-26");
  const pings = [1, 2, 3].map((id) => message({ id, method: "ping" }));
  server.handleMessage(0, `[${pings.slice(0, 2).join()}]`);
  assert.equal((take(server).sent[0] as unknown as unknown[]).length, 2);
  server.handleMessage(0, `[${pings.join()}]`);
  const { sent, events } = take(server);
  assert.ok(sent.length === 1 && sent[0]?.error !== undefined);
  one(events, Code.Fault);
});

limit("requests", () => {
  const server = ready({ requests: 1 });
  server.handleMessage(0, callEcho(1));
  server.handleMessage(0, callEcho(2));
  const { sent, events } = take(server);
  one(events, Code.Request);
  assert.deepEqual([sent[0]?.id, sent[0]?.error?.code], [2, -32603]);
  assert.equal(server.wantsRead(), true);
});

limit("calls", () => {
  const client = makeClient({ probe: false, limits: { calls: 1 } });
  acceptClient(client);
  client.callTool(0, "echo", "{}", {});
  const call = take(client).sent.at(-1);
  assert.throws(() => client.callTool(0, "echo", "{}", {}), { code: "send.blocked" });
  client.handleMessage(0, message({ id: call?.id, result: { content: [] } }));
  one(take(client).events, Code.Writable);
  client.callTool(0, "echo", "{}", {});
});

limit("events", () => {
  const server = ready({ events: 2 });
  server.handleMessage(0, callEcho(1));
  assert.equal(server.wantsRead(), true);
  server.handleMessage(0, callEcho(2));
  assert.equal(server.wantsRead(), false);
  assert.equal(take(server).events.length, 2);
  assert.equal(server.wantsRead(), true);
  for (let id = 3; id < 9; id += 1) server.handleMessage(0, callEcho(id));
  assert.equal(one(take(server).events, Code.Closed).text(0), "close.overrun");
});

limit("output_bytes", () => {
  const server = ready({ output_bytes: 400 });
  server.handleMessage(0, callEcho(1, {}, { progressToken: 0 }));
  const request = one(take(server).events, Code.Request).handle;
  const chatter = (): void => {
    for (let value = 1; value < 100; value += 1) server.progress(0, request, value, undefined, "x".repeat(50));
  };
  assert.throws(chatter, { code: "send.blocked" });
  one(take(server).events, Code.Writable);
  assert.equal(server.progress(0, request, 100), true);
  for (let id = 0; server.wantsRead(); id += 1) server.handleMessage(0, message({ id: `p${String(id)}`, method: "ping" }));
  take(server);
  assert.equal(server.wantsRead(), true);
  for (let id = 0; id < 100; id += 1) server.handleMessage(0, message({ id: `q${String(id)}`, method: "ping" }));
  assert.equal(one(take(server).events, Code.Closed).text(0), "close.overrun");
});

limit("session_bytes", () => {
  const server = ready({ session_bytes: 1000 });
  server.handleMessage(0, callEcho(1, { text: "x".repeat(700) }));
  server.handleMessage(0, callEcho(2, { text: "x".repeat(700) }));
  const { sent, events } = take(server);
  one(events, Code.Request);
  assert.deepEqual([sent[0]?.id, sent[0]?.error?.code], [2, -32603]);
});

limit("error_replies", () => {
  const server = ready({ error_replies: 1 });
  for (let count = 0; count < 3; count += 1) server.handleMessage(0, "no JSON");
  const { sent, events } = take(server);
  assert.deepEqual([sent.length, events.length], [1, 3]);
  server.handleMessage(2000 * MS, "no JSON");
  assert.equal(take(server).sent.length, 1);
});

/** Milliseconds until a call ends, whose server makes progress every 10 ms or not at all. */
function lasts(limits: object, progress: boolean): number {
  const client = makeClient({ probe: false, limits });
  acceptClient(client);
  client.callTool(0, "echo", "{}", { progress: true });
  const call = take(client).sent.at(-1) as { params: { _meta: { progressToken: unknown } } } | undefined;
  const { progressToken } = call?.params._meta ?? {};
  for (let ms = 10; ms < 1000; ms += 10) {
    client.handleTimeout(ms * MS);
    const failed = take(client).events.find(({ code }) => code === Code.Failed);
    if (failed !== undefined) {
      assert.equal(failed.text(0), "call.timeout");
      return ms;
    }
    const params = { progressToken, progress: ms };
    if (progress) client.handleMessage(ms * MS, message({ method: "notifications/progress", params }));
  }
  return assert.fail("it never ended");
}

limit("call_silence", () => {
  assert.equal(lasts({ call_silence: 50, call_total: 200 }, false), 50);
});

limit("call_total", () => {
  assert.equal(lasts({ call_silence: 50, call_total: 200 }, true), 200);
});

limit("probe", () => {
  const client = makeClient({ limits: { probe: 50 } });
  client.start(0);
  const [probe] = take(client).sent;
  assert.equal(client.nextTimeout(), 50 * MS);
  client.handleTimeout(50 * MS);
  const [opening] = take(client).sent;
  assert.deepEqual([probe?.method, opening?.method], ["server/discover", "initialize"]);
});

limit("handshake", () => {
  const client = makeClient({ probe: false, limits: { handshake: 50 } });
  client.start(0);
  take(client);
  client.handleTimeout(50 * MS);
  assert.equal(one(take(client).events, Code.Closed).text(0), "close.handshake");
});

limit("handler", () => {
  const server = ready({ handler: 50 });
  server.handleMessage(0, callEcho(1));
  const request = one(take(server).events, Code.Request).handle;
  server.handleTimeout(50 * MS);
  const { sent, events } = take(server);
  const over = one(events, Code.Over);
  assert.deepEqual([over.handle, over.text(0)], [request, "over.handler_timeout"]);
  assert.deepEqual([sent[0]?.id, sent[0]?.error?.code], [1, -32603]);
  assert.throws(() => { server.respond(50 * MS, request, "{}", 0, false); }, { code: "send.over" });
});

limit("drain", () => {
  const server = ready({ drain: 50 });
  server.handleMessage(0, callEcho(1));
  const request = one(take(server).events, Code.Request).handle;
  server.handleEof(0);
  server.handleTimeout(49 * MS);
  assert.equal(take(server).events.length, 0);
  server.handleTimeout(50 * MS);
  const { events } = take(server);
  assert.equal(one(events, Code.Over).handle, request);
  one(events, Code.Closed);
  assert.equal(server.isOver(), true);
});

/** When a client pings a server that is deaf, and when it gives up, in milliseconds. */
function pings(limits: object): [pinged: number[], gaveUp: number] {
  const client = makeClient({
    probe: false,
    limits: { ping_interval: 50, ping_timeout: 10, ping_failures: 3, ...limits },
  });
  acceptClient(client);
  const pinged: number[] = [];
  for (let now = client.nextTimeout(); now != null; now = client.nextTimeout()) {
    client.handleTimeout(now);
    const { sent, events } = take(client);
    if (sent.some(({ id }) => id !== undefined)) pinged.push(now / MS);
    const closed = events.find(({ code }) => code === Code.Closed);
    if (closed === undefined) continue;
    assert.equal(closed.text(0), "close.keep_alive");
    return [pinged, now / MS];
  }
  return assert.fail("it never gave up");
}

limit("ping_interval", () => {
  assert.deepEqual(pings({ ping_interval: 20 }), [[20, 40, 60], 70]);
});

limit("ping_timeout", () => {
  assert.deepEqual(pings({ ping_timeout: 30 }), [[50, 100, 150], 180]);
});

limit("ping_failures", () => {
  assert.deepEqual(pings({ ping_failures: 1 }), [[50], 60]);
});

limit("trace", () => {
  const server = makeServer({ trace: true, limits: { trace: 2 } });
  for (const id of [0, 1, 2]) server.handleMessage(0, message({ id, method: "ping" }));
  const traced = take(server).events.filter(({ code }) => code === Code.Trace);
  assert.deepEqual(
    traced.map((record) => (record.json(0) as { id: number }).id),
    [1, 2],
  );
});

test("a line that is too long is dropped while it arrives", () => {
  const config = JSON.stringify({ info: { name: "s", version: "1" }, limits: { message_bytes: 100 } });
  const server = new engine.ServerConnection(config, new Uint8Array(32).fill(7), false);
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  for (let chunk = 0; chunk < 1000; chunk += 1) server.handleData(0, bytes("x".repeat(100)));
  const ping = message({ id: "世界", method: "ping" });
  server.handleData(0, bytes(`\n${ping}\n`));
  const lines: string[] = [];
  for (const record of take(server).events) if (record.code === Code.Output) lines.push(...(record.text(0) ?? "").trim().split("\n"));
  assert.equal(lines.length, 2);
  assert.equal((JSON.parse(lines[1] ?? "") as { id: string }).id, "世界");
});

test("each limit has a test", async () => {
  const source = await readFile(new URL("../../../core/src/limits.rs", import.meta.url), "utf8");
  const [, members = ""] = /pub struct Limits \{([^}]*)\n\}/.exec(source) ?? [];
  const limits = [...members.matchAll(/pub (\w+):/g)].map(([, name]) => name ?? "");
  assert.ok(limits.length > 15);
  assert.deepEqual(
    limits.filter((name) => !covered.has(name)),
    [],
  );
});
