/** A client against a server that the test plays, word by word. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { CallError, Client, type ClientOptions, EngineError, type Fault, type Question } from "mcp-sansio-wasm";

import { type Wire, engine, message } from "./machine.js";
import { FakeLink, ManualClock, deferred } from "./support.js";

const legacy: Partial<ClientOptions> = { probe: false, revisions: ["2025-11-25"] };

/** What the client sent since the last look. */
async function sent(link: FakeLink): Promise<Wire[]> {
  await turn();
  return link.sent.splice(0).map((text) => JSON.parse(text) as Wire);
}

function accept(link: FakeLink, opening: Wire | undefined): void {
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "played", version: "1" },
  };
  link.receive(message({ id: opening?.id, result }));
}

async function connected(options: Partial<ClientOptions> = {}): Promise<{ client: Client; link: FakeLink }> {
  const link = new FakeLink();
  const client = new Client({ name: "c", version: "1", ...legacy, ...options });
  const connecting = client.connect(link, engine);
  const [opening] = await sent(link);
  accept(link, opening);
  await connecting;
  await sent(link);
  return { client, link };
}

test("a server that dies of the question for its era is started once more, without the question", async () => {
  const links: FakeLink[] = [];
  const client = new Client({ name: "c", version: "1" });
  const connecting = client.connect(() => {
    const link = new FakeLink();
    links.push(link);
    return link;
  }, engine);
  await turn();
  const [first] = links;
  assert.ok(first !== undefined);
  const [probe] = await sent(first);
  first.events?.closed();
  await turn();
  const second = links[1];
  assert.ok(second !== undefined);
  const [opening] = await sent(second);
  accept(second, opening);
  await connecting;
  assert.deepEqual([probe?.method, opening?.method], ["server/discover", "initialize"]);
  assert.equal(client.revision, "2025-11-25");
  assert.equal(first.closed, true);
});

test("a link that can't be made again ends with the reason", async () => {
  const link = new FakeLink();
  const client = new Client({ name: "c", version: "1" });
  const connecting = client.connect(link, engine);
  await turn();
  link.events?.closed();
  await assert.rejects(connecting, { code: "close.probe_closed" });
  assert.equal(await client.closed, "close.probe_closed");
});

test("a server that dies twice is not started a third time", async () => {
  let starts = 0;
  const client = new Client({ name: "c", version: "1" });
  const connecting = client.connect(() => {
    starts += 1;
    const link = new FakeLink();
    setImmediate(() => {
      link.events?.closed();
    });
    return link;
  }, engine);
  await assert.rejects(connecting, { name: "EngineError" });
  assert.equal(starts, 2);
});

test("nothing is started for options that can't work", async () => {
  const client = new Client({ name: "c", version: "1", limits: { messageBytes: -1 } });
  const start = (): never => assert.fail("it was started");
  await assert.rejects(client.connect(start, engine), { code: "config.invalid" });
});

test("a remembered revision asks nothing again", async () => {
  const link = new FakeLink();
  const client = new Client({ name: "c", version: "1" });
  await client.connect(link, engine, "2026-07-28");
  assert.equal(client.revision, "2026-07-28");
  assert.deepEqual(await sent(link), []);
});

test("nothing is known and nothing can be called before the server is", async () => {
  const client = new Client({ name: "c", version: "1" });
  assert.throws(() => client.revision, { code: "send.not_ready" });
  await assert.rejects(client.callTool("echo"), { code: "send.not_ready" });
  const link = new FakeLink();
  const connecting = client.connect(link, engine);
  await turn();
  await assert.rejects(client.callTool("echo"), { code: "send.not_ready" });
  await assert.rejects(client.connect(new FakeLink(), engine), { code: "send.invalid" });
  link.events?.closed();
  await assert.rejects(connecting);
});

test("arguments and options that can't work are refused by name, and nothing is sent", async () => {
  const { client, link } = await connected();
  for (const value of [0, -1, NaN, Infinity, "5", null, 5n]) {
    for (const option of ["timeout", "totalTimeout"]) {
      const options = { [option]: value };
      const refused = { name: "EngineError", code: "send.invalid", message: new RegExp(`option ${option} must`) };
      await assert.rejects(client.callTool("echo", {}, options), refused);
      await assert.rejects(client.listTools(options), refused);
      await assert.rejects(client.call("ping", {}, options), refused);
    }
  }
  for (const name of [undefined, null, 5, {}]) {
    await assert.rejects(client.callTool(name as string), { code: "send.invalid", message: /the tool's name must/ });
    await assert.rejects(client.call(name as string), { code: "send.invalid", message: /the method must/ });
  }
  assert.deepEqual(await sent(link), []);
});

test("an error of the server comes with its number and data", async () => {
  const { client, link } = await connected();
  const call = client.callTool("echo", { a: 1 }, { meta: { "example.org/trace": 7 } });
  const [request] = await sent(link);
  assert.deepEqual(request?.["params"], { name: "echo", arguments: { a: 1 }, _meta: { "example.org/trace": 7 } });
  link.receive(message({ id: request["id"], error: { code: -32050, message: "Überlastet \u{1F62E}", data: { n: 1 } } }));
  const error = await call.catch((reason: unknown) => reason);
  assert.ok(error instanceof CallError);
  assert.deepEqual([error.code, error.rpcCode, error.data], ["call.rpc", -32050, { n: 1 }]);
  assert.match(error.message, /Überlastet \u{1F62E}/u);
});

test("any other request and notice", async () => {
  const { client, link } = await connected({ capabilities: { roots: { listChanged: true } } });
  const call = client.call("tools/list", { cursor: "x" });
  const [request] = await sent(link);
  assert.deepEqual([request?.method, request?.["params"]], ["tools/list", { cursor: "x" }]);
  link.receive(message({ id: request?.id, result: { tools: [], extra: 1.5 } }));
  assert.deepEqual(await call, { tools: [], extra: 1.5 });
  client.notify("notifications/roots/list_changed");
  assert.equal((await sent(link))[0]?.method, "notifications/roots/list_changed");
  const { client: incapable } = await connected();
  const refused = (): void => {
    incapable.notify("notifications/roots/list_changed");
  };
  assert.throws(refused, (error) => error instanceof EngineError && error.code === "send.missing_capability");
});

for (const [name, page] of Object.entries({
  "that repeats its cursor": { tools: [], nextCursor: "again" },
  "without tools": { nextCursor: "x" },
  "with a cursor that is no text": { tools: [], nextCursor: 7 },
})) {
  test(`a list of tools ${name} is refused`, async () => {
    const { client, link } = await connected();
    let outcome: unknown;
    const listing = client.listTools().catch((error: unknown) => {
      outcome = error;
    });
    for (let pages = 0; outcome === undefined; pages += 1) {
      assert.ok(pages < 5);
      for (const { id } of await sent(link)) link.receive(message({ id, result: page }));
    }
    await listing;
    assert.ok(outcome instanceof CallError && outcome.code === "call.invalid_result");
  });
}

const question = message({ id: "q1", method: "elicitation/create", params: { message: "世界?", requestedSchema: {} } });

test("a question of the server is answered by the application", async () => {
  const seen: Question[] = [];
  const { link } = await connected({
    capabilities: { elicitation: {} },
    onInput: (asked) => {
      seen.push(asked);
      return { action: "decline" };
    },
  });
  link.receive(question);
  const [answer] = await sent(link);
  assert.deepEqual([seen[0]?.method, (seen[0]?.params as { message: string }).message], ["elicitation/create", "世界?"]);
  assert.deepEqual([answer?.id, answer?.["result"]], ["q1", { action: "decline" }]);
});

test("a question that the application fails to answer is refused without the reason", async () => {
  const errors: unknown[] = [];
  const { link } = await connected({
    capabilities: { elicitation: {} },
    onError: (error) => errors.push(error),
    onInput: () => Promise.reject(new Error("the secret reason")),
  });
  link.receive(question);
  const [answer] = await sent(link);
  assert.deepEqual([answer?.id, answer?.error?.code], ["q1", -32603]);
  assert.doesNotMatch(JSON.stringify(answer), /secret/);
  assert.match(String(errors[0]), /secret/);
});

test("a question that nobody answers is refused", async () => {
  const { link } = await connected({ capabilities: { elicitation: {} } });
  link.receive(question);
  const [answer] = await sent(link);
  assert.deepEqual([answer?.id, answer?.error?.code], ["q1", -32601]);
});

test("a question that the server takes back is aborted, and not answered", async () => {
  const asked = deferred<Question>();
  const go = deferred();
  const { link } = await connected({
    capabilities: { elicitation: {} },
    onInput: async (given) => {
      asked.resolve(given);
      await go.promise;
      return { action: "decline" };
    },
  });
  link.receive(question);
  const { signal } = await asked.promise;
  link.receive(message({ method: "notifications/cancelled", params: { requestId: "q1" } }));
  assert.equal(signal.aborted, true);
  go.resolve();
  assert.deepEqual(await sent(link), []);
});

test("a hook that throws disturbs nobody", async () => {
  const errors: unknown[] = [];
  const hook = (): never => {
    throw new Error("in the hook");
  };
  const { client, link } = await connected({
    onError: (error) => errors.push(error),
    onFault: hook,
    onNotification: hook,
    onTrace: hook,
    trace: true,
  });
  const traced = errors.length;
  assert.ok(traced > 0);
  const call = client.callTool("echo", {}, { onProgress: hook });
  const [request] = await sent(link);
  const { progressToken } = (request?.["params"] as { _meta: { progressToken: unknown } })._meta;
  link.receive(message({ method: "notifications/progress", params: { progressToken, progress: 1 } }));
  link.receive("garbage");
  link.receive(message({ method: "notifications/message", params: { level: "info", data: 1 } }));
  link.receive(message({ id: request?.id, result: { content: [] } }));
  assert.deepEqual(await call, { content: [] });
  assert.ok(errors.length >= traced + 3);
  assert.ok(errors.every((error) => String(error) === "Error: in the hook"));
});

test("what the server did wrong is told", async () => {
  const faults: Fault[] = [];
  const { link } = await connected({ onFault: (fault) => faults.push(fault) });
  link.receive("garbage");
  link.receive(message({ id: 77, result: {} }));
  await turn();
  assert.equal(faults[0]?.code, "fault.parse");
  assert.ok(faults.every(({ code, page, detail }) => code.startsWith("fault.") && page !== "" && detail !== ""));
});

test("a call that is told of nothing more ends at its time, by the clock that was given", async () => {
  const clock = new ManualClock();
  const { client, link } = await connected({ clock, limits: { callSilence: 1000 } });
  const call = client.callTool("echo");
  const failed = assert.rejects(call, { code: "call.timeout" });
  const [request] = await sent(link);
  assert.deepEqual(clock.armed, [1000]);
  clock.advance(1000);
  await failed;
  const [notice] = await sent(link);
  assert.equal((notice?.["params"] as { requestId: unknown }).requestId, request?.id);
});

test("seeds are asked for, one for each connection", async () => {
  let asked = 0;
  const seed = (): Uint8Array => {
    asked += 1;
    return new Uint8Array(32).fill(asked);
  };
  await connected({ seed });
  assert.equal(asked, 1);
  const client = new Client({ name: "c", version: "1", seed: () => new Uint8Array(31) });
  const link = new FakeLink();
  await assert.rejects(client.connect(link, engine), { code: "config.invalid", message: /seed/ });
  assert.equal(link.closed, true);
});
