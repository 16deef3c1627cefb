/** Every limit of the engine, reached once through the addon. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Code, TASK } from "mcp-sansio";

import { MS, Pair, type Seen, clientMachine, feed, only, readRepository, serverMachine, take } from "./support.js";

const tools = [{ name: "echo", inputSchema: { type: "object" } }];

function initialize(revision: string): string {
  const client = '{"name":"peer","version":"1"}';
  const params = `{"protocolVersion":"${revision}","capabilities":{},"clientInfo":${client}}`;
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  return `{"jsonrpc":"2.0","id":"i","method":"initialize","params":${params}}\n${initialized}\n`;
}

function callOf(id: number | string, text = ""): string {
  const params = `{"name":"echo","arguments":{"text":"${text}"},"_meta":{"progressToken":0}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}\n`;
}

/** A server with a client that has said hello. */
function serving(limits: object, revision = "2025-11-25") {
  const machine = serverMachine({ tools, limits });
  feed(machine, 0, initialize(revision));
  take(machine);
  return machine;
}

/** A client and a server, with the client ready to call. */
function connected(limits: object, revisions = ["2026-07-28"]): Pair {
  const pair = new Pair({ limits, revisions }, { tools });
  pair.client.start(0);
  pair.exchange();
  return pair;
}

function codes(events: readonly Seen[]): number[] {
  return events.map(({ code }) => code);
}

function fault(events: readonly Seen[]): string | undefined {
  return only(events, Code.Fault).texts[0];
}

/** What comes of gathering a list of three pages. */
function gather(limits: object): Seen {
  const many = ["a", "b", "c"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const pair = new Pair({ limits }, { tools: many, page_size: 1 });
  pair.client.start(0);
  pair.exchange();
  pair.client.listAll(0, pair.client.methodFor("list_tools"), undefined, {});
  const [outcome, ...others] = pair.exchange().client;
  assert.ok(outcome !== undefined && others.length === 0);
  return outcome;
}

/** The waits in milliseconds after which a client asks again for a subscription that its server ends. */
function silences(limits: object): number[] {
  const { client, server } = connected(limits);
  client.subscribe(0, true, false, false, []);
  let { output } = take(client);
  feed(server, 0, output);
  feed(client, 0, take(server).output);
  only(take(client).events, Code.Subscribed);
  const waited: number[] = [];
  for (let now = 0; ; ) {
    const { id } = JSON.parse(output) as { id: number };
    feed(client, now, `{"jsonrpc":"2.0","id":${String(id)},"error":{"code":-32603,"message":"no"}}\n`);
    const { events, timeout } = take(client);
    if (timeout === undefined) {
      only(events, Code.Failed);
      return waited;
    }
    waited.push((timeout - now) / MS);
    now = timeout;
    client.handleTimeout(now);
    ({ output } = take(client));
  }
}

const rootsPlease = '{"roots":{"method":"roots/list"}}';

/** A modern client that has roots, and calls a server of these limits. */
function asking(limits: object): Pair {
  const pair = new Pair({ capabilities: { roots: {} } }, { tools, limits });
  pair.server.setWallClock(0, 1_764_066_600_000);
  pair.client.start(0);
  pair.exchange();
  pair.client.callTool(0, "echo", "{}", {});
  return pair;
}

/** The errors with which a client of these limits answers so many questions for its model. */
function sampled(limits: object, count = 1): number[] {
  const pair = new Pair({ revisions: ["2025-11-25"], capabilities: { sampling: {} }, limits }, {});
  pair.client.start(0);
  pair.exchange();
  const messages = [{ role: "user", content: { type: "text", text: "How many are there?" } }];
  const params = JSON.stringify({ messages, maxTokens: 10 });
  for (let asked = 0; asked < count; asked += 1) pair.server.call(0, "sampling/createMessage", params, {});
  const { client, server } = pair.exchange();
  const refused = server.filter(({ code }) => code === Code.Failed);
  assert.equal(client.filter(({ code }) => code === Code.Input).length, count - refused.length);
  return refused.map(({ number }) => number);
}

/** A client and a server that makes tasks of calls. */
function withTasks(limits: object): Pair {
  const long = { name: "long", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } };
  const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const pair = new Pair({ revisions: ["2025-11-25"] }, { tools: [long], capabilities, limits });
  pair.server.setWallClock(0, 1_764_066_600_000);
  pair.client.start(0);
  pair.exchange();
  return pair;
}

const limits: Record<string, () => void> = {
  message_bytes() {
    const machine = serving({ message_bytes: 500 });
    feed(machine, 0, callOf(1, "x".repeat(500)) + callOf(2));
    const { output, events } = take(machine);
    assert.equal(fault(events), "fault.too_large");
    assert.match(output, /"error"/);
    const { handle } = only(events, Code.Request);
    assert.throws(
      () => {
        machine.respond(0, handle, JSON.stringify({ content: [{ type: "text", text: "x".repeat(500) }] }), 0, false);
      },
      { code: "send.too_large" },
    );
    assert.match(take(machine).output, /"id":2,"error"/);
  },
  depth() {
    const machine = serving({ depth: 6 });
    feed(machine, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(6)}1${"}".repeat(6)}}\n`);
    assert.equal(fault(take(machine).events), "fault.parse");
  },
  id_bytes() {
    const machine = serving({ id_bytes: 8 });
    feed(machine, 0, callOf("x".repeat(9)));
    assert.equal(fault(take(machine).events), "fault.id");
  },
  batch() {
    const machine = serving({ batch: 1 }, "2025-03-26");
    feed(machine, 0, `[${callOf(1).trim()},${callOf(2).trim()}]\n`);
    assert.equal(fault(take(machine).events), "fault.batch");
  },
  requests() {
    const machine = serving({ requests: 1 });
    feed(machine, 0, callOf(1) + callOf(2));
    const { output, events } = take(machine);
    only(events, Code.Request);
    assert.match(output, /"id":2,"error".*"too_many_requests","limit":1/);
    assert.equal(machine.wantsRead(), true);
  },
  subscriptions() {
    const resources = ["a", "b"].map((name) => ({ uri: `file:///${name}`, name }));
    const offers = { resources, capabilities: { resources: { subscribe: true } }, limits: { subscriptions: 1 } };
    const pair = new Pair({ revisions: ["2025-11-25"] }, offers);
    pair.client.start(0);
    pair.exchange();
    pair.client.subscribe(0, false, false, false, ["file:///a", "file:///b"]);
    const seen = pair.exchange();
    assert.deepEqual(only(seen.server, Code.Watched).texts[0], "file:///a");
    const subscribed = only(seen.client, Code.Subscribed);
    assert.deepEqual(
      subscribed.texts.slice(0, 2).map((text) => JSON.parse(text ?? "") as unknown),
      [{ resourceSubscriptions: ["file:///a"] }, { resourceSubscriptions: ["file:///b"] }],
    );
  },
  calls() {
    const { client } = connected({ calls: 1 });
    const call = client.callTool(0, "echo", "{}", {});
    assert.throws(() => client.callTool(0, "echo", "{}", {}), { code: "send.blocked" });
    client.cancel(0, call);
    assert.deepEqual(codes(take(client).events), [Code.Failed, Code.Writable]);
    client.callTool(0, "echo", "{}", {});
  },
  events() {
    const machine = serving({ events: 1 });
    feed(machine, 0, callOf(1));
    assert.equal(machine.wantsRead(), false);
    take(machine);
    assert.equal(machine.wantsRead(), true);
    // What comes in one piece waits; a host that feeds on regardless is ended.
    for (const id of [2, 3, 4]) feed(machine, 0, callOf(id));
    assert.equal(only(take(machine).events, Code.Closed).texts[0], "close.overrun");
  },
  output_bytes() {
    const machine = serving({ output_bytes: 150 });
    feed(machine, 0, callOf(1));
    const { handle } = only(take(machine).events, Code.Request);
    const fill = (): void => {
      for (let value = 1; value < 10; value += 1) machine.progress(0, handle, value);
    };
    assert.throws(fill, { code: "send.blocked" });
    machine.respond(0, handle, '{"content":[]}', 0, false);
    assert.equal(machine.drainEvents(1 << 16).records.length, 0);
    assert.deepEqual(codes(take(machine).events), [Code.Writable]);
    feed(machine, 0, '{"jsonrpc":"2.0","id":"p","method":"ping"}\n'.repeat(5));
    assert.equal(machine.wantsRead(), false);
    take(machine);
    assert.equal(machine.wantsRead(), true);
  },
  session_bytes() {
    const machine = serving({ session_bytes: 300 });
    feed(machine, 0, callOf(1) + callOf(2, "x".repeat(200)));
    const { output, events } = take(machine);
    only(events, Code.Request);
    assert.match(output, /"id":2,"error".*"session_bytes","limit":300/);
  },
  cache_bytes() {
    const cached = (limits: object): number[] => {
      const pair = new Pair({ limits }, { tools, list_cache: { ttl_ms: 1000, public: true } });
      pair.client.start(0);
      pair.exchange();
      return [1, 2].map(() => {
        pair.client.listTools(0, undefined, {});
        return only(pair.exchange().client, Code.Completed).number;
      });
    };
    assert.deepEqual([cached({}), cached({ cache_bytes: 10 })], [[0, 1], [0, 0]]);
  },
  list_pages() {
    assert.deepEqual(gather({ list_pages: 3 }).code, Code.Completed);
    assert.deepEqual(gather({ list_pages: 2 }).texts[0], "call.invalid_result");
  },
  list_bytes() {
    assert.deepEqual(gather({}).code, Code.Completed);
    assert.deepEqual(gather({ list_bytes: 10 }).texts[0], "call.invalid_result");
  },
  listen_attempts() {
    assert.equal(silences({ listen_attempts: 3 }).length, 3);
  },
  listen_backoff() {
    const [first = 0, second = 0] = silences({ listen_attempts: 2, listen_backoff: 40 });
    assert.ok(first >= 20 && first < 40 && second >= 40 && second < 80, `${String(first)}, ${String(second)}`);
  },
  error_replies() {
    const machine = serving({ error_replies: 1 });
    const replies = (now: number): number => {
      feed(machine, now, "garbage\ngarbage\n");
      const { output, events } = take(machine);
      assert.deepEqual(codes(events), [Code.Fault, Code.Fault]);
      return output.split("\n").length - 1;
    };
    assert.equal(replies(0), 1);
    assert.equal(replies(999 * MS), 0);
    assert.equal(replies(1000 * MS), 1);
  },
  call_silence() {
    const { client } = connected({ call_silence: 100 });
    client.callTool(0, "echo", "{}", {});
    take(client);
    client.handleTimeout(99 * MS);
    assert.deepEqual(take(client).events, []);
    client.handleTimeout(100 * MS);
    const { output, events } = take(client);
    assert.equal(only(events, Code.Failed).texts[0], "call.timeout");
    assert.match(output, /cancelled/);
  },
  call_total() {
    const pair = connected({ call_silence: 100, call_total: 150 });
    pair.client.callTool(0, "echo", "{}", { progress: true });
    const { handle } = only(pair.exchange().server, Code.Request);
    pair.now = 90 * MS;
    pair.server.progress(pair.now, handle, 1);
    only(pair.exchange().client, Code.Progress);
    pair.client.handleTimeout(149 * MS);
    assert.deepEqual(take(pair.client).events, []);
    pair.client.handleTimeout(150 * MS);
    assert.equal(only(take(pair.client).events, Code.Failed).texts[0], "call.timeout");
  },
  probe() {
    const client = clientMachine({ limits: { probe: 100 } });
    client.start(0);
    take(client);
    client.handleTimeout(100 * MS);
    assert.match(take(client).output, /"initialize"/);
  },
  handshake() {
    const client = clientMachine({ probe: false, limits: { handshake: 100 } });
    client.start(0);
    take(client);
    client.handleTimeout(100 * MS);
    assert.equal(only(take(client).events, Code.Closed).texts[0], "close.handshake");
  },
  handler() {
    const machine = serving({ handler: 100 });
    feed(machine, 0, callOf(1));
    take(machine);
    machine.handleTimeout(100 * MS);
    const { output, events } = take(machine);
    assert.equal(only(events, Code.Over).texts[0], "over.handler_timeout");
    assert.match(output, /"id":1,"error"/);
  },
  drain() {
    const machine = serving({ drain: 100 });
    feed(machine, 0, callOf(1));
    machine.handleEof(0);
    const { events, timeout } = take(machine);
    only(events, Code.Request);
    assert.equal(timeout, 100 * MS);
    machine.handleTimeout(100 * MS);
    assert.deepEqual(codes(take(machine).events), [Code.Over, Code.Closed]);
  },
  ping_interval() {
    const machine = serving({ ping_interval: 100 });
    machine.handleTimeout(99 * MS);
    assert.equal(take(machine).output, "");
    machine.handleTimeout(100 * MS);
    assert.match(take(machine).output, /"ping"/);
  },
  ping_timeout() {
    const machine = serving({ ping_interval: 100, ping_timeout: 10, ping_failures: 1 });
    machine.handleTimeout(100 * MS);
    assert.equal(take(machine).timeout, 110 * MS);
    machine.handleTimeout(110 * MS);
    assert.equal(only(take(machine).events, Code.Closed).texts[0], "close.keep_alive");
  },
  ping_failures() {
    const machine = serving({ ping_interval: 100, ping_timeout: 10, ping_failures: 2 });
    for (const at of [100, 110, 200]) {
      machine.handleTimeout(at * MS);
      assert.deepEqual(codes(take(machine).events), at === 110 ? [Code.Fault] : []);
    }
    machine.handleTimeout(210 * MS);
    assert.equal(only(take(machine).events, Code.Closed).texts[0], "close.keep_alive");
  },
  input_timeout() {
    const pair = new Pair({ revisions: ["2025-11-25"], capabilities: { roots: {} }, limits: { input_timeout: 50 } }, {});
    pair.client.start(0);
    pair.exchange();
    const asked = pair.server.call(0, "roots/list", undefined, {});
    const { handle } = only(pair.exchange().client, Code.Input);
    pair.now = 50 * MS;
    pair.client.handleTimeout(pair.now);
    const { client, server } = pair.exchange();
    assert.equal(only(client, Code.InputOver).handle, handle);
    assert.equal(only(server, Code.Failed).handle, asked);
  },
  input_rounds() {
    const pair = asking({ input_rounds: 1 });
    const ask = (request: number): void => {
      pair.server.respondInputRequired(0, request, rootsPlease, new Uint8Array([0, 255]));
    };
    ask(only(pair.exchange().server, Code.Request).handle);
    pair.client.answer(0, only(pair.exchange().client, Code.Input).handle, '{"roots":[]}');
    const { server } = pair.exchange();
    const answers = only(server, Code.Answers);
    const { handle } = only(server, Code.Request);
    assert.deepEqual(
      [answers.handle, answers.number, answers.texts[0], answers.texts[1]],
      [handle, 1, '{"roots":{"roots":[]}}', "AP8="],
    );
    ask(handle);
    const refused = pair.exchange();
    assert.equal(only(refused.server, Code.Over).handle, handle);
    assert.equal(only(refused.client, Code.Failed).number, -32603);
  },
  input_questions() {
    const pair = asking({ input_questions: 1 });
    const { handle } = only(pair.exchange().server, Code.Request);
    const two = '{"one":{"method":"roots/list"},"two":{"method":"roots/list"}}';
    const refused = { code: "send.invalid", message: /input_questions/ };
    assert.throws(() => { pair.server.respondInputRequired(0, handle, two); }, refused);
  },
  state_bytes() {
    const pair = asking({ state_bytes: 3 });
    const { handle } = only(pair.exchange().server, Code.Request);
    const refused = { code: "send.invalid", message: /state_bytes/ };
    assert.throws(() => { pair.server.respondInputRequired(0, handle, rootsPlease, new Uint8Array(4)); }, refused);
  },
  state_ttl() {
    const outcome = (ms: number): Seen[] => {
      const pair = asking({ state_ttl: 50 });
      const { handle } = only(pair.exchange().server, Code.Request);
      pair.server.respondInputRequired(0, handle, rootsPlease, new Uint8Array(1));
      const input = only(pair.exchange().client, Code.Input).handle;
      pair.now = ms * MS;
      pair.client.answer(pair.now, input, '{"roots":[]}');
      const { client, server } = pair.exchange();
      return [...client, ...server];
    };
    only(outcome(49), Code.Request);
    assert.equal(only(outcome(51), Code.Failed).number, -32602);
  },
  open_questions() {
    assert.deepEqual(sampled({ open_questions: 2 }, 3), [-32603]);
  },
  sampling_tokens() {
    assert.deepEqual([sampled({ sampling_tokens: 10 }), sampled({ sampling_tokens: 9 })], [[], [-32602]]);
  },
  sampling_bytes() {
    assert.deepEqual([sampled({ sampling_bytes: 500 }), sampled({ sampling_bytes: 50 })], [[], [-32602]]);
  },
  tasks() {
    const pair = withTasks({ tasks: 1 });
    const calls = [1, 2].map(() => pair.client.callTool(0, "long", "{}", { task: {} }));
    const { client, server } = pair.exchange();
    assert.equal(only(client, Code.Task).handle, calls[0]);
    const { handle, number } = only(client, Code.Failed);
    assert.deepEqual([handle, number], [calls[1], -32603]);
    const request = only(server, Code.Request);
    assert.equal(request.related & TASK, TASK);
    const task = JSON.parse(only(client, Code.Task).texts[0] ?? "") as { taskId: string };
    assert.equal(pair.server.taskOf(request.handle), task.taskId);
  },
  task_ttl() {
    const pair = withTasks({ task_ttl: 50 });
    const ttls = [1000, 20].map((ttlMs) => {
      pair.client.callTool(0, "long", "{}", { task: { ttlMs, detached: true } });
      const made = only(pair.exchange().client, Code.Completed).texts[0] ?? "";
      return (JSON.parse(made) as { task: { ttl: number } }).task.ttl;
    });
    assert.deepEqual(ttls, [50, 20]);
  },
  task_poll() {
    const pair = withTasks({ task_poll: 30 });
    pair.client.callTool(0, "long", "{}", { task: {} });
    const made = only(pair.exchange().client, Code.Task).texts[0] ?? "";
    assert.equal((JSON.parse(made) as { pollInterval: number }).pollInterval, 30);
  },
  rates() {
    const machine = serving({ rates: { calls: { per_second: 1, burst: 1 } } });
    feed(machine, 0, callOf(1) + callOf(2));
    const { output, events } = take(machine);
    only(events, Code.Request);
    assert.match(output, /"id":2,"error":\{"code":-32603/);
    feed(machine, 1000 * MS, callOf(3));
    only(take(machine).events, Code.Request);
  },
  trace() {
    const machine = serverMachine({ tools, trace: true, limits: { trace: 1 } });
    feed(machine, 0, "first\n");
    feed(machine, 7, "second\n");
    const entry = only(take(machine).events, Code.Trace);
    // Of two messages, two answers and two events the last is kept.
    assert.deepEqual([entry.handle, entry.number], [7, 3]);
    assert.equal((JSON.parse(machine.stats()) as { trace_dropped: number }).trace_dropped, 5);
  },
};

for (const [name, reach] of Object.entries(limits)) test(`the limit ${name}`, reach);

test("no limit is left out", () => {
  const fields = /pub struct Limits \{(.*?)\n\}/s.exec(readRepository("core/src/limits.rs"))?.[1] ?? "";
  const names = [...fields.matchAll(/^ {4}pub (\w+):/gm)].map(([, name]) => name);
  assert.ok(names.length > 10);
  assert.deepEqual(names.sort(), Object.keys(limits).sort());
});
