/** Every limit of the engine, reached once through the addon. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Code } from "mcp-sansio";

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
      assert.deepEqual(take(machine).events, []);
    }
    machine.handleTimeout(210 * MS);
    assert.equal(only(take(machine).events, Code.Closed).texts[0], "close.keep_alive");
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
