/** A server and a client of this package, over a real `MessageChannel`, in every revision. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { CallError, Client, type ClientOptions, Server, type ServerOptions, ToolError, codeOf, connect, serve } from "mcp-sansio-wasm";

import { ManualClock, deferred } from "./support.js";

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const UNICODE = "Grüße, 世界! \u{1F469}\u200D\u{1F680} \u0000 \"quoted\" \\ \u2028";

const cycle: Record<string, unknown> = { content: [] };
cycle["cycle"] = cycle;
/** What a handler may not return. */
const unusable = new Map<string, unknown>([
  ["nothing", undefined],
  ["null", null],
  ["texts", ["one", "two"]],
  ["no block", { content: [{ text: "no type" }] }],
  ["cycle", cycle],
  ["engine's member", { content: [], resultType: "other" }],
]);

interface Pair {
  readonly server: Server;
  readonly client: Client;
  readonly errors: unknown[];
  readonly served: { session?: Awaited<ReturnType<typeof serve>> };
}

async function pair(
  server: Partial<ServerOptions>,
  client: Partial<ClientOptions>,
  tools: (server: Server) => void,
): Promise<Pair> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const made: Pair = {
    server: new Server({ name: "s", version: "1", onError, ...server }),
    client: new Client({ name: "c", version: "1", onError, ...client }),
    errors,
    served: {},
  };
  tools(made.server);
  const { port1, port2 } = new MessageChannel();
  const serving = serve(made.server, port1);
  await connect(made.client, port2);
  made.served.session = await serving;
  return made;
}

async function end({ client, served }: Pair): Promise<void> {
  assert.equal(await client.close(), "close.local");
  assert.equal(await served.session?.closed, "close.peer");
}

test("a schema that can't be used is an error of `tool`", () => {
  const server = new Server({ name: "s", version: "1" });
  const inputSchema = { type: "object", $ref: "https://example.com/x" };
  assert.throws(() => server.tool("a", { inputSchema }, () => ""), {
    code: "config.invalid",
    message: /^a\.inputSchema\/\$ref: .*nothing is fetched/,
  });
});

for (const revision of REVISIONS) {
  test(`${revision}: who is there, list, call, failures`, async () => {
    const made = await pair({ title: "The server", instructions: UNICODE }, { revisions: [revision] }, (server) => {
      server.tool(
        "echo",
        {
          description: "Says it again",
          inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        },
        ({ text }: { text: string }) => text,
      );
      server.tool("blocks", {}, () => [{ type: "text", text: "one" }, { type: "text", text: "two" }]);
      server.tool("whole", {}, () => ({ content: [], structuredContent: { a: 1 }, isError: false }));
      server.tool("refuses", {}, () => {
        throw new ToolError(UNICODE);
      });
      server.tool("breaks", {}, () => {
        throw new Error("the secret reason");
      });
      for (const [name, value] of unusable) server.tool(name, {}, () => value as string);
    });
    const { client, errors } = made;
    assert.equal(client.revision, revision);
    assert.equal(client.serverInfo?.name, "s");
    assert.equal(client.instructions, UNICODE);
    assert.ok("tools" in client.serverCapabilities);

    const tools = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["echo", "blocks", "whole", "refuses", "breaks", ...unusable.keys()],
    );
    assert.deepEqual(tools[0]?.inputSchema["required"], ["text"]);
    assert.deepEqual(tools[1]?.inputSchema, { type: "object" });

    const echoed = await client.callTool("echo", { text: UNICODE });
    assert.deepEqual(echoed.content, [{ type: "text", text: UNICODE }]);
    assert.equal((await client.callTool("blocks")).content.length, 2);
    const structured = revision < "2025-06-18" ? undefined : { a: 1 };
    assert.deepEqual((await client.callTool("whole")).structuredContent, structured);

    const refused = await client.callTool("refuses");
    assert.equal(refused.isError, true);
    assert.deepEqual(refused.content, [{ type: "text", text: UNICODE }]);

    for (const name of ["breaks", ...unusable.keys()]) {
      const failure = await client.callTool(name);
      assert.equal(failure.isError, true);
      assert.deepEqual(failure.content, [{ type: "text", text: "the tool failed" }]);
    }
    assert.equal(String(errors.shift()), "Error: the secret reason");
    assert.match(String(errors.pop()), /resultType/);
    assert.match(String(errors.pop()), /circular/);
    assert.deepEqual(
      errors.map(String),
      Array(4).fill("TypeError: a handler returns a string, an array of content blocks, or { content }"),
    );

    const unknown = await client.callTool("no such tool").catch((error: unknown) => error);
    assert.ok(unknown instanceof CallError && unknown.code === "call.rpc");
    await end(made);
  });

  test(`${revision}: arguments that do not fit`, async () => {
    const inputSchema = {
      type: "object",
      properties: { n: { type: "integer", minimum: 1 }, list: { type: "array", items: { type: "string" } } },
      required: ["n"],
    };
    const made = await pair({}, { revisions: [revision] }, (server) => {
      server.tool("strict", { inputSchema }, () => "called");
    });
    const misfit = async (args: Record<string, unknown>): Promise<string> => {
      try {
        const result = await made.client.callTool("strict", args);
        assert.equal(result.isError, true);
        return String(result.content[0]?.["text"]);
      } catch (error) {
        assert.ok(error instanceof CallError && error.code === "call.rpc");
        return error.message;
      }
    };
    assert.match(await misfit({}), /"n"/);
    assert.match(await misfit({ n: 0 }), /arguments\/n: /);
    assert.match(await misfit({ n: 1, list: ["a", 2] }), /arguments\/list\/1: /);
    assert.deepEqual((await made.client.callTool("strict", { n: 1 })).content, [{ type: "text", text: "called" }]);
    await end(made);
  });

  test(`${revision}: results that do not fit`, async () => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const made = await pair({}, { revisions: [revision] }, (server) => {
      server.tool("number", { outputSchema }, ({ n }) => ({ content: [], structuredContent: { n } }));
    });
    assert.equal((await made.client.callTool("number", { n: 1 })).isError, undefined);
    const result = await made.client.callTool("number", { n: "SECRET" });
    assert.equal(result.isError, true);
    assert.doesNotMatch(JSON.stringify(result), /SECRET/);
    assert.deepEqual(made.errors.map(codeOf), ["send.output_mismatch"]);
    await end(made);
  });

  test(`${revision}: progress in order, before the result`, async () => {
    const made = await pair({}, { revisions: [revision] }, (server) => {
      server.tool("steps", {}, (_, { progress }) => {
        const sent = [progress(1, 3, "one"), progress(1), progress(2, 3), progress(3, 3, UNICODE)];
        return sent.join();
      });
    });
    const seen: unknown[] = [];
    const result = await made.client.callTool("steps", {}, { onProgress: (step) => seen.push([step.progress, step.total]) });
    assert.deepEqual(seen, [
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    assert.deepEqual(result.content, [{ type: "text", text: "true,false,true,true" }]);
    const unasked = await made.client.callTool("steps");
    assert.deepEqual(unasked.content, [{ type: "text", text: "false,false,false,false" }]);
    await end(made);
  });

  test(`${revision}: a call is taken back on the wire, and the next one works`, async () => {
    const started = deferred();
    const stopped = deferred<unknown>();
    const messages: string[] = [];
    const trace = { trace: true, onTrace: ({ message }: { message: string }) => messages.push(message) };
    const made = await pair(trace, { revisions: [revision] }, (server) => {
      server.tool("waits", {}, (_, { signal }) => {
        started.resolve();
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            stopped.resolve(signal.reason);
            resolve("nobody reads this");
          });
        });
      });
      server.tool("works", {}, () => "fine");
    });
    const controller = new AbortController();
    const call = made.client.callTool("waits", {}, { signal: controller.signal });
    await started.promise;
    controller.abort("no more wanted");
    await assert.rejects(call, { name: "CallError", code: "call.cancelled" });
    assert.equal(((await stopped.promise) as { code: string }).code, "over.cancelled");
    assert.equal((await made.client.callTool("works")).content.length, 1);
    assert.equal(messages.filter((message) => message.includes("no more wanted")).length, 1);
    assert.equal(messages.filter((message) => message.includes("nobody reads this")).length, 0);

    const late = made.client.callTool("works", {}, { signal: AbortSignal.abort() });
    await assert.rejects(late, { code: "call.cancelled" });
    await end(made);
  });

  test(`${revision}: a list of many pages, and tools that come and go`, async () => {
    const changed = deferred();
    const hooks = { onNotification: () => { changed.resolve(); } };
    const made = await pair({ pageSize: 2 }, { revisions: [revision], ...hooks }, (server) => {
      for (let n = 0; n < 7; n += 1) server.tool(`tool ${String(n)}`, {}, () => "");
    });
    assert.equal((await made.client.listTools()).length, 7);
    made.server.removeTool("tool 0");
    if (revision !== "2026-07-28") await changed.promise;
    assert.equal((await made.client.listTools()).length, 6);
    assert.equal(made.server.removeTool("tool 0"), false);
    await end(made);
  });
}

test("a list of more pages than are allowed is refused", async () => {
  const made = await pair({ pageSize: 2 }, { limits: { listPages: 3 } }, (server) => {
    for (let n = 0; n < 7; n += 1) server.tool(`tool ${String(n)}`, {}, () => "");
  });
  await assert.rejects(made.client.listTools(), { code: "call.invalid_result" });
  await end(made);
});

test("a call that is silent for too long ends; progress keeps it alive, but not for ever", async () => {
  const clock = new ManualClock();
  let step!: (value: number) => void;
  const made = await pair({}, { clock }, (server) => {
    server.tool("slow", {}, (_, { signal, progress }) => {
      step = progress;
      progress(1);
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve("late");
        });
      });
    });
  });
  /** Seconds after which the call ends, if it makes progress at the beginning and in second 20. */
  const lasts = async (limits: { timeout: number; totalTimeout?: number }): Promise<number> => {
    let heard = deferred();
    const onProgress = (): void => {
      heard.resolve();
    };
    const began = clock.time;
    let ended = NaN;
    const call = made.client.callTool("slow", {}, { ...limits, onProgress }).catch((error: unknown) => {
      assert.ok(error instanceof CallError && error.code === "call.timeout");
      ended = (clock.time - began) / 1000;
    });
    await heard.promise;
    for (let second = 1; second < 100 && Number.isNaN(ended); second += 1) {
      clock.advance(1000);
      await turn();
      if (second !== 20) continue;
      heard = deferred();
      step(2);
      await heard.promise;
    }
    await call;
    return ended;
  };
  assert.equal(await lasts({ timeout: 10_000 }), 10);
  assert.equal(await lasts({ timeout: 30_000 }), 50);
  assert.equal(await lasts({ timeout: 30_000, totalTimeout: 40_000 }), 40);
  await end(made);
});

test("a server that ends fails what its client waits for", async () => {
  const made = await pair({}, {}, (server) => {
    server.tool("waits", {}, () => new Promise(() => undefined));
  });
  const call = made.client.callTool("waits");
  const failed = assert.rejects(call, { code: "call.closed", delivered: true });
  assert.match((await made.served.session?.close()) ?? "", /^close\./);
  await failed;
  assert.equal(await made.client.closed, "close.peer");
  await assert.rejects(made.client.callTool("waits"), { code: "send.closed" });
});

test("a closing server lets what runs finish", async () => {
  const go = deferred();
  const made = await pair({}, {}, (server) => {
    server.tool("finishes", {}, async () => {
      await go.promise;
      return "finished";
    });
  });
  const call = made.client.callTool("finishes");
  await made.client.listTools();
  const closed = made.served.session?.close(10_000);
  go.resolve();
  assert.deepEqual((await call).content, [{ type: "text", text: "finished" }]);
  assert.equal(await closed, "close.local");
});

test("logs reach a client that wants them", async () => {
  const notices: unknown[] = [];
  const made = await pair(
    { capabilities: { logging: {}, tools: {} } },
    { revisions: ["2026-07-28"], onNotification: ({ params }) => notices.push(params) },
    (server) => {
      server.tool("talks", {}, (_, { log }) => {
        const sent = [log("debug", "not wanted"), log("error", { seen: UNICODE }, "logger")];
        return sent.join();
      });
    },
  );
  const { content } = await made.client.callTool("talks", {}, { logLevel: "warning" });
  assert.deepEqual(content, [{ type: "text", text: "false,true" }]);
  assert.equal(notices.length, 1);
  assert.deepEqual((notices[0] as { data: unknown }).data, { seen: UNICODE });
  await end(made);
});

test("a configuration that can't work is refused with its member", async () => {
  const one = new MessageChannel();
  const server = new Server({ name: "s", version: "1", revisions: ["1999-01-01"] });
  await assert.rejects(serve(server, one.port1), { code: "config.invalid", message: /revisions/ });
  const other = new MessageChannel();
  const client = new Client({ name: "c", version: "1", limits: { messageBytes: -1 } });
  await assert.rejects(connect(client, other.port2), { code: "config.invalid" });
});

test("peers without a revision in common part with a reason", async () => {
  const server = new Server({ name: "s", version: "1", revisions: ["2024-11-05"] });
  const client = new Client({ name: "c", version: "1", revisions: ["2025-11-25"] });
  const { port1, port2 } = new MessageChannel();
  const session = await serve(server, port1);
  await assert.rejects(connect(client, port2), { code: "close.handshake" });
  await session.closed;
});
