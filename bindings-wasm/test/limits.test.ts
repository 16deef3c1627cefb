/** Every limit, hit once through this binding. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Code, type Connection, TASK } from "mcp-sansio-wasm";

import { MS, acceptClient, acceptModern, callEcho, engine, initialize, makeClient, makeServer, message, one, take } from "./machine.js";

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

limit("subscriptions", () => {
  const resources = ["a", "b"].map((name) => ({ uri: `file:///${name}`, name }));
  const server = makeServer({ resources, capabilities: { resources: { subscribe: true } }, limits: { subscriptions: 1 } });
  initialize(server);
  const subscribe = (id: number, uri: string): void => {
    server.handleMessage(0, message({ id, method: "resources/subscribe", params: { uri } }));
  };
  subscribe(1, "file:///a");
  subscribe(2, "file:///b");
  const { sent, events } = take(server);
  assert.deepEqual(sent.map(({ id, error }) => [id, error?.code]), [[1, undefined], [2, -32603]]);
  const watched = one(events, Code.Watched);
  assert.deepEqual([watched.number, watched.text(0)], [1, "file:///a"]);
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

/** How often a server is asked for the same list, which may be kept. */
function questions(limits: object): number {
  const client = makeClient({ limits });
  acceptModern(client);
  let asked = 0;
  for (const cached of [0, 1]) {
    client.listTools(0, undefined, {});
    const { sent, events } = take(client);
    for (const { id } of sent) {
      asked += 1;
      const result = { resultType: "complete", tools: [], ttlMs: 1000, cacheScope: "public" };
      client.handleMessage(0, message({ id, result }));
      events.push(...take(client).events);
    }
    assert.equal(one(events, Code.Completed).number, Math.min(cached, 2 - asked));
  }
  return asked;
}

limit("cache_bytes", () => {
  assert.deepEqual([questions({}), questions({ cache_bytes: 10 })], [1, 2]);
});

/** The code with which a list of two pages fails; `undefined` if it does not. */
function gather(limits: object): string | undefined {
  const client = makeClient({ limits });
  acceptModern(client);
  client.listAll(0, client.methodFor("list_tools"), undefined, {});
  for (const page of [{ tools: [{ name: "one" }], nextCursor: "more" }, { tools: [{ name: "two" }] }]) {
    const { sent, events } = take(client);
    if (sent.length === 0) return one(events, Code.Failed).text(0);
    const result = { resultType: "complete", ttlMs: 0, cacheScope: "private", ...page };
    client.handleMessage(0, message({ id: sent[0]?.id, result }));
  }
  const { tools } = one(take(client).events, Code.Completed).json(0) as { tools: unknown[] };
  assert.equal(tools.length, 2);
  return undefined;
}

limit("list_pages", () => {
  assert.deepEqual([gather({ list_pages: 2 }), gather({ list_pages: 1 })], [undefined, "call.invalid_result"]);
});

limit("list_bytes", () => {
  assert.deepEqual([gather({}), gather({ list_bytes: 10 })], [undefined, "call.invalid_result"]);
});

/** The waits in milliseconds before a server that ends each subscription is asked again. */
function waits(limits: object): number[] {
  const client = makeClient({ limits });
  acceptModern(client);
  client.subscribe(0, true, false, false, []);
  const waited: number[] = [];
  for (let now = 0; ; ) {
    const { sent, events } = take(client);
    const [listen] = sent;
    if (listen === undefined) {
      one(events, Code.Completed);
      return waited;
    }
    const _meta = { "io.modelcontextprotocol/subscriptionId": listen.id };
    const params = { _meta, notifications: { toolsListChanged: true } };
    client.handleMessage(now, message({ method: "notifications/subscriptions/acknowledged", params }));
    const again = waited.length > 0 ? 1 : 0;
    assert.equal(one(take(client).events, Code.Subscribed).number, again);
    client.handleMessage(now, message({ id: listen.id, result: { resultType: "complete" } }));
    const next = client.nextTimeout();
    if (next == null) continue;
    waited.push((next - now) / MS);
    now = next;
    client.handleTimeout(now);
  }
}

limit("listen_attempts", () => {
  assert.equal(waits({ listen_attempts: 3 }).length, 3);
});

limit("listen_backoff", () => {
  const [first = 0, second = 0] = waits({ listen_attempts: 2, listen_backoff: 40 });
  assert.ok(first >= 20 && first < 40 && second >= 40 && second < 80, `${String(first)}, ${String(second)}`);
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

const roots = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": { roots: {} } };

/** A server that was asked once in the modern era, by a client that has roots to tell of. */
function asked(limits: object) {
  const server = makeServer({ limits });
  server.setWallClock(0, 1_764_066_600_000);
  server.handleMessage(0, callEcho(1, {}, roots));
  return { server, request: one(take(server).events, Code.Request).handle };
}

const rootsPlease = JSON.stringify({ roots: { method: "roots/list" } });

/** Comes again with an answer to questions; the code of the error that is answered, or else the records. */
function again(server: ReturnType<typeof makeServer>, now = 0) {
  const [asking] = take(server).sent as { result?: { requestState?: string } }[];
  const answers = { inputResponses: { roots: { roots: [] } }, requestState: asking?.result?.requestState };
  const params = { name: "echo", arguments: {}, _meta: roots, ...answers };
  server.handleMessage(now, message({ id: 2, method: "tools/call", params }));
  const { sent, events } = take(server);
  return { error: sent[0]?.error?.code, events };
}

limit("input_timeout", () => {
  const client = makeClient({ probe: false, capabilities: { roots: {} }, limits: { input_timeout: 50 } });
  acceptClient(client);
  client.handleMessage(0, message({ id: 1, method: "roots/list" }));
  const { handle } = one(take(client).events, Code.Input);
  client.handleTimeout(50 * MS);
  const { sent, events } = take(client);
  assert.equal(one(events, Code.InputOver).handle, handle);
  assert.deepEqual([sent[0]?.id, sent[0]?.error?.code], [1, -32603]);
});

limit("input_rounds", () => {
  const { server, request } = asked({ input_rounds: 1 });
  server.respondInputRequired(0, request, rootsPlease, new Uint8Array([0, 255]));
  const { events } = again(server);
  const answers = one(events, Code.Answers);
  assert.deepEqual([answers.number, answers.text(0), answers.text(1)], [1, '{"roots":{"roots":[]}}', "AP8="]);
  const next = one(events, Code.Request).handle;
  assert.equal(answers.handle, next);
  server.respondInputRequired(0, next, rootsPlease);
  const refused = take(server);
  assert.deepEqual([refused.sent[0]?.id, refused.sent[0]?.error?.code], [2, -32603]);
  assert.equal(one(refused.events, Code.Over).handle, next);
});

limit("input_questions", () => {
  const { server, request } = asked({ input_questions: 1 });
  const two = JSON.stringify({ one: { method: "roots/list" }, two: { method: "roots/list" } });
  assert.throws(() => { server.respondInputRequired(0, request, two); }, { code: "send.invalid", message: /input_questions/ });
});

limit("state_bytes", () => {
  const { server, request } = asked({ state_bytes: 3 });
  const refused = { code: "send.invalid", message: /state_bytes/ };
  assert.throws(() => { server.respondInputRequired(0, request, rootsPlease, new Uint8Array(4)); }, refused);
});

limit("state_ttl", () => {
  const outcome = (ms: number) => {
    const { server, request } = asked({ state_ttl: 50 });
    server.respondInputRequired(0, request, rootsPlease, new Uint8Array(1));
    return again(server, ms * MS).error;
  };
  assert.deepEqual([outcome(49), outcome(51)], [undefined, -32602]);
});

/** The errors with which a client of these limits answers so many questions for its model. */
function sampled(limits: object, count = 1): (number | undefined)[] {
  const client = makeClient({ probe: false, capabilities: { sampling: {} }, limits });
  acceptClient(client);
  const messages = [{ role: "user", content: { type: "text", text: "How many are there?" } }];
  for (let id = 0; id < count; id += 1) {
    client.handleMessage(0, message({ id, method: "sampling/createMessage", params: { messages, maxTokens: 10 } }));
  }
  const { sent, events } = take(client);
  assert.equal(events.filter(({ code }) => code === Code.Input).length, count - sent.length);
  return sent.map(({ error }) => error?.code);
}

limit("open_questions", () => {
  assert.deepEqual(sampled({ open_questions: 2 }, 3), [-32603]);
});

limit("sampling_tokens", () => {
  assert.deepEqual([sampled({ sampling_tokens: 10 }), sampled({ sampling_tokens: 9 })], [[], [-32602]]);
});

limit("sampling_bytes", () => {
  assert.deepEqual([sampled({ sampling_bytes: 500 }), sampled({ sampling_bytes: 50 })], [[], [-32602]]);
});

const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
const longTool = { name: "long", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } };

/** The answers to calls as tasks, one each. */
function tasks(limits: object, calls: object[]) {
  const server = makeServer({ tools: [longTool], capabilities, limits });
  server.setWallClock(0, 1_764_066_600_000);
  initialize(server);
  calls.forEach((task, id) => {
    server.handleMessage(0, message({ id, method: "tools/call", params: { name: "long", task } }));
  });
  const { sent, events } = take(server);
  return { server, events, answers: sent as { error?: { code: number }; result?: { task: Record<string, unknown> } }[] };
}

limit("tasks", () => {
  const { server, answers, events } = tasks({ tasks: 1 }, [{}, {}]);
  assert.deepEqual(answers.map(({ error }) => error?.code), [undefined, -32603]);
  const request = one(events, Code.Request);
  assert.equal(server.taskOf(request.handle), answers[0]?.result?.task["taskId"]);
  assert.equal(request.related & TASK, TASK);
});

limit("task_ttl", () => {
  const { server, answers } = tasks({ task_ttl: 50 }, [{ ttl: 1000 }, { ttl: 20 }]);
  assert.deepEqual(answers.map(({ result }) => result?.task["ttl"]), [50, 20]);
  server.handleTimeout(50 * MS);
  assert.equal(take(server).events.filter(({ code }) => code === Code.Over).length, 2);
});

limit("task_poll", () => {
  const [made] = tasks({ task_poll: 30 }, [{}]).answers;
  assert.equal(made?.result?.task["pollInterval"], 30);
});

limit("rates", () => {
  const server = ready({ rates: { calls: { per_second: 1, burst: 1 } } });
  for (const id of [1, 2]) server.handleMessage(0, callEcho(id));
  const { sent, events } = take(server);
  one(events, Code.Request);
  assert.deepEqual([sent[0]?.id, sent[0]?.error?.code], [2, -32603]);
  server.handleMessage(1000 * MS, callEcho(3));
  one(take(server).events, Code.Request);
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
