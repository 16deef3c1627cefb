/** Both roles through the addon, on virtual time. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Code, RECORD_SIZE, TOOL_CALL, codeOf, loadEngine } from "mcp-sansio";

import { MS, Pair, type Seen, clientMachine, feed, native, only, serverMachine, take } from "./support.js";

const echo = { name: "echo", inputSchema: { type: "object" } };
const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

for (const revision of revisions) {
  test(`a conversation of ${revision}`, () => {
    const pair = new Pair({ revisions: [revision] }, { tools: [echo] });
    pair.client.start(pair.now);
    const ready = only(pair.exchange().client, Code.Ready);
    assert.equal(ready.texts[0], revision);

    pair.client.listTools(pair.now, undefined, {});
    const listed = only(pair.exchange().client, Code.Completed);
    const page = JSON.parse(listed.texts[0] ?? "") as { tools: { name: string }[] };
    assert.deepEqual(page.tools.map(({ name }) => name), ["echo"]);

    const call = pair.client.callTool(pair.now, "echo", '{"text":"héé 漢 🦀"}', { progress: true });
    const request = only(pair.exchange().server, Code.Request);
    assert.equal(request.related, TOOL_CALL, "the arguments are checked");
    assert.deepEqual(
      [request.texts[0], request.texts[1], request.texts[2], request.texts[4]],
      ["tools/call", revision, "echo", '{"text":"héé 漢 🦀"}'],
    );

    assert.equal(pair.server.progress(pair.now, request.handle, 1, 3, "🦀"), true);
    assert.equal(pair.server.progress(pair.now, request.handle, 1), false);
    const progress = only(pair.exchange().client, Code.Progress);
    assert.equal(progress.handle, call);
    assert.equal((JSON.parse(progress.texts[0] ?? "") as { progress: number }).progress, 1);

    pair.server.respond(pair.now, request.handle, '{"content":[{"type":"text","text":"🦀 漢"}]}', 0, false);
    const completed = only(pair.exchange().client, Code.Completed);
    assert.equal(completed.handle, call);
    assert.match(completed.texts[0] ?? "", /"text":"🦀 漢"/);

    pair.client.close(pair.now, 0);
    assert.equal(only(pair.exchange().client, Code.Closed).texts[0], "close.local");
    assert.equal(pair.client.isOver(), true);
    pair.server.handleEof(pair.now);
    assert.equal(only(take(pair.server).events, Code.Closed).texts[0], "close.peer");
    assert.equal(pair.server.isOver(), true);
  });
}

test("a call that is taken back ends on both sides, and the next one works", () => {
  const pair = new Pair({}, { tools: [echo] });
  pair.client.start(pair.now);
  pair.exchange();
  const call = pair.client.callTool(pair.now, "echo", undefined, {});
  const request = only(pair.exchange().server, Code.Request);
  pair.client.cancel(pair.now, call, "enough");
  const { client, server } = pair.exchange();
  assert.deepEqual(only(client, Code.Failed).texts[0], "call.cancelled");
  assert.deepEqual([only(server, Code.Over).handle, only(server, Code.Over).texts[0]], [request.handle, "over.cancelled"]);
  assert.throws(
    () => {
      pair.server.respond(pair.now, request.handle, "{}", 0, false);
    },
    { code: "send.over" },
  );
  pair.client.callTool(pair.now, "echo", "{}", {});
  const again = only(pair.exchange().server, Code.Request);
  pair.server.respondToolError(pair.now, again.handle, "no");
  assert.match(only(pair.exchange().client, Code.Completed).texts[0] ?? "", /"isError":true/);
});

test("every way to answer reaches the client", () => {
  const pair = new Pair({}, { tools: [echo] });
  pair.client.start(pair.now);
  pair.exchange();
  const answered = (answer: (request: number) => void): string => {
    pair.client.callTool(pair.now, "echo", "{}", {});
    answer(only(pair.exchange().server, Code.Request).handle);
    const outcome = pair.exchange().client.filter(({ code }) => code === Code.Completed || code === Code.Failed);
    return outcome.map(({ number, texts }) => `${String(number)} ${texts[0] ?? ""} ${texts[2] ?? ""}`).join();
  };
  const { server, now } = pair;
  assert.match(
    answered((request) => {
      server.respondError(now, request, 7, "no", '{"why":1}');
    }),
    /^7 call\.rpc \{"why":1\}$/,
  );
  assert.match(
    answered((request) => {
      server.respondInvalidArguments(now, request, "no");
    }),
    /"isError":true/,
  );
  assert.match(
    answered((request) => {
      server.respondInternalError(now, request);
    }),
    /^-32603 call\.rpc/,
  );
  assert.match(
    answered((request) => {
      server.respondUnsupported(now, request);
    }),
    /^-32601 call\.rpc/,
  );
});

test("a server asks a legacy client, which answers in every way", () => {
  const capabilities = { roots: {} };
  const pair = new Pair({ revisions: ["2025-11-25"], capabilities }, { tools: [echo] });
  pair.client.start(pair.now);
  pair.exchange();
  const ask = (answer: (input: number) => void): string => {
    pair.server.call(pair.now, "roots/list", undefined, {});
    answer(only(pair.exchange().client, Code.Input).handle);
    const [outcome] = pair.exchange().server;
    return `${String(outcome?.number)} ${outcome?.texts[0] ?? ""}`;
  };
  const { client, now } = pair;
  assert.match(
    ask((input) => {
      client.answer(now, input, '{"roots":[]}');
    }),
    /\{"roots":\[\]\}/,
  );
  assert.match(
    ask((input) => {
      client.answerError(now, input, -1, "no");
    }),
    /^-1 call\.rpc/,
  );
  assert.match(
    ask((input) => {
      client.answerUnsupported(now, input);
    }),
    /^-32601/,
  );
  assert.match(
    ask((input) => {
      client.answerInternalError(now, input);
    }),
    /^-32603/,
  );
});

test("notices and logs pass, and a changed list of tools is told", () => {
  const capabilities = { tools: { listChanged: true }, logging: {} };
  const roots = { roots: { listChanged: true } };
  const pair = new Pair({ revisions: ["2025-11-25"], capabilities: roots }, { tools: [echo], capabilities });
  pair.client.start(pair.now);
  pair.exchange();
  assert.equal(pair.server.log(pair.now, 0, "error", "here", '"text"'), true);
  assert.equal(only(pair.exchange().client, Code.Notification).texts[0], "notifications/message");
  pair.server.setCatalog(pair.now, '{"tools":[]}');
  assert.equal(only(pair.exchange().client, Code.Notification).texts[0], "notifications/tools/list_changed");
  pair.client.notify(pair.now, "notifications/roots/list_changed", "{}");
  assert.equal(only(pair.exchange().server, Code.Notification).texts[0], "notifications/roots/list_changed");
});

const templates = [{ uriTemplate: "page://{book}/{n}", name: "page" }];
const library = {
  resources: [{ uri: "book://a", name: "a" }],
  resourceTemplates: templates,
  prompts: [{ name: "summary" }],
  completions: true,
};

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`${revision}: a request says which template its URI matches`, () => {
    const pair = new Pair({ revisions: [revision] }, library);
    pair.client.start(0);
    pair.exchange();
    const read = (uri: string): Seen => {
      pair.client.call(0, pair.client.methodFor("read_resource"), JSON.stringify({ uri }), {});
      return only(pair.exchange().server, Code.Request);
    };
    const plain = read("book://a");
    assert.deepEqual([plain.texts[2], plain.texts[6], plain.texts[7]], ["book://a", undefined, undefined]);
    pair.server.respondNotFound(0, plain.handle);
    const missing = only(pair.exchange().client, Code.Failed).number;
    assert.equal(missing, revision < "2026" ? -32002 : -32602);
    const page = read("page://a%20b/7");
    assert.deepEqual([page.texts[6], page.texts[7]], ["page://{book}/{n}", '{"book":"a%20b","n":"7"}']);
    pair.server.respond(0, page.handle, '{"contents":[]}', 1000, true);
    assert.equal(only(pair.exchange().client, Code.Completed).number, 0);
  });

  test(`${revision}: changes are told to who subscribed, and nobody else`, () => {
    const capabilities = { prompts: { listChanged: true }, resources: { subscribe: true } };
    const pair = new Pair({ revisions: [revision] }, { ...library, capabilities });
    pair.client.start(0);
    pair.exchange();
    const call = pair.client.subscribe(0, false, true, false, ["book://a"]);
    const begun = pair.exchange();
    const watched = only(begun.server, Code.Watched);
    assert.deepEqual([watched.number, watched.texts[0]], [1, "book://a"]);
    const subscribed = only(begun.client, Code.Subscribed);
    assert.deepEqual(
      [subscribed.handle, subscribed.number, ...subscribed.texts.slice(0, 2)],
      [call, 0, '{"promptsListChanged":true,"resourceSubscriptions":["book://a"]}', "{}"],
    );
    pair.server.publish(0, "resource", "book://b");
    pair.server.publish(0, "resource", "book://a/1", "book://a");
    pair.server.publish(0, "prompts");
    const told = pair.exchange().client;
    assert.deepEqual(told.map(({ code, related }) => [code, related]), [[Code.Notification, call], [Code.Notification, call]]);
    assert.equal((JSON.parse(told[0]?.texts[1] ?? "") as { uri: string }).uri, "book://a/1");
    pair.client.cancel(0, call);
    assert.equal(only(pair.exchange().server, Code.Watched).number, 0);
    assert.throws(() => { pair.server.publish(0, "books"); }, { code: "send.invalid" });
  });

  test(`${revision}: questions within a request, and their answers`, () => {
    const pair = new Pair({ revisions: [revision], capabilities: { roots: {} } }, { tools: [echo] });
    pair.client.start(0);
    pair.exchange();
    const call = pair.client.callTool(0, "echo", "{}", {});
    const first = only(pair.exchange().server, Code.Request).handle;
    pair.server.respondInputRequired(0, first, '{"r":{"method":"roots/list"}}', new TextEncoder().encode("🦀"));
    const input = only(pair.exchange().client, Code.Input);
    assert.equal(input.texts[0], "roots/list");
    pair.client.answer(0, input.handle, '{"roots":[]}');
    const { server } = pair.exchange();
    const request = only(server, Code.Request);
    const answers = only(server, Code.Answers);
    assert.ok(server.indexOf(answers) < server.indexOf(request));
    const previous = revision < "2026" ? first : 0;
    assert.deepEqual([answers.handle, answers.related, answers.number], [request.handle, previous, 1]);
    assert.deepEqual(answers.texts.slice(0, 3), ['{"r":{"roots":[]}}', "8J+mgA==", "{}"]);
    pair.server.respond(0, request.handle, '{"content":[]}', 0, false);
    assert.equal(only(pair.exchange().client, Code.Completed).handle, call);
  });
}

test("a task tells its state, and a result its kind", () => {
  const tasks = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const long = { ...echo, name: "long", execution: { taskSupport: "required" } };
  const pair = new Pair({ revisions: ["2025-11-25"] }, { tools: [long], capabilities: tasks });
  pair.server.setWallClock(0, 1_764_066_600_000);
  pair.client.start(0);
  pair.exchange();
  const call = pair.client.callTool(0, "long", "{}", { task: { ttlMs: 60_000 } });
  const { client, server } = pair.exchange();
  const request = only(server, Code.Request);
  const made = only(client, Code.Task);
  const task = JSON.parse(made.texts[0] ?? "") as Record<string, unknown>;
  assert.deepEqual([made.handle, task.ttl, task.createdAt], [call, 60_000, "2025-11-25T10:30:00.000Z"]);
  assert.equal(pair.server.taskOf(request.handle), task.taskId);
  pair.server.taskStatus(0, request.handle, "half of it");
  const told = JSON.parse(only(pair.exchange().client, Code.Task).texts[0] ?? "") as Record<string, unknown>;
  assert.equal(told.statusMessage, "half of it");

  const streams = { extensions: { "com.example/streams": {} } };
  const types = { result_types: { "com.example/streams": ["stream"] } };
  const extended = new Pair({ capabilities: streams, ...types }, { tools: [echo], capabilities: { tools: {}, ...streams }, ...types });
  extended.client.start(0);
  extended.exchange();
  extended.client.callTool(0, "echo", "{}", {});
  const { handle } = only(extended.exchange().server, Code.Request);
  extended.server.respondExtension(0, handle, "stream", '{"at":1}');
  assert.equal(only(extended.exchange().client, Code.Completed).texts[1], "stream");
});

test("what is kept is for one principal, unless a fresh answer is wanted; and a server is asked whether it lives", () => {
  const pair = new Pair({}, { tools: [echo], list_cache: { ttl_ms: 1000, public: false } });
  pair.client.start(0);
  pair.exchange();
  const list = (options: object): number => {
    pair.client.listAll(0, "tools/list", undefined, options);
    return only(pair.exchange().client, Code.Completed).number;
  };
  assert.deepEqual([list({}), list({}), list({ fresh: true })], [0, 1, 0]);
  pair.client.setPrincipal("ada");
  assert.deepEqual([list({}), list({})], [0, 1]);
  const probe = pair.client.probe(0);
  assert.equal(only(pair.exchange().client, Code.Completed).handle, probe);
  assert.throws(() => { pair.client.setPrincipal("a".repeat(300)); }, { code: "config.invalid" });
});

test("groups see what is for them", () => {
  const seen = (groups?: string[]): string[] => {
    const config = JSON.stringify({ info: { name: "s", version: "1" }, tools: [echo], visible_to: { tools: { echo: ["staff"] } } });
    const pair = new Pair({}, {});
    const server = new native.ServerConnection(config, new Uint8Array(32), false, "ada", groups);
    const both = Object.assign(pair, { server });
    both.client.start(0);
    both.exchange();
    both.client.listTools(0, undefined, {});
    const page = only(both.exchange().client, Code.Completed).texts[0] ?? "";
    return (JSON.parse(page) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  assert.deepEqual([seen(), seen(["guests"]), seen(["staff"])], [[], [], ["echo"]]);
});

test("a question has progress, while it rises", () => {
  const pair = new Pair({ revisions: ["2025-11-25"], capabilities: { roots: {} } }, {});
  pair.client.start(0);
  pair.exchange();
  const call = pair.server.call(0, "roots/list", undefined, { progress: true });
  const { handle } = only(pair.exchange().client, Code.Input);
  assert.deepEqual([1, 1].map((value) => pair.client.progress(0, handle, value)), [true, false]);
  assert.equal(only(pair.exchange().server, Code.Progress).handle, call);
});

test("a catalog has remarks made on it", () => {
  const remarks = JSON.parse(serverMachine({ tools: [echo] }).lint()) as { code: string; place: string; text: string }[];
  assert.ok(remarks.length > 0 && remarks.every(({ code, place, text }) => code !== "" && place !== "" && text !== ""));
});

test("ranges count UTF-16 units, over all records of a drain", () => {
  const machine = serverMachine({ tools: [echo] });
  feed(machine, 0, '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"🦀é漢","version":"1"}}}\n');
  const line = (id: number, text: string): string =>
    `{"jsonrpc":"2.0","id":${String(id)},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"}}}\n`;
  feed(machine, 0, line(1, "a🦀漢") + line(2, "é") + line(3, "plain"));
  const { events, output } = take(machine);
  assert.match(output, /"protocolVersion":"2025-11-25"/);
  assert.equal(only(events, Code.Ready).texts[1], '{"name":"🦀é漢","version":"1"}');
  const requests = events.filter(({ code }) => code === Code.Request);
  assert.deepEqual(
    requests.map(({ texts }) => texts[4]),
    ['{"text":"a🦀漢"}', '{"text":"é"}', '{"text":"plain"}'],
  );
});

test("a drain stops at its bound and says that there is more", () => {
  const machine = serverMachine({ tools: [echo] });
  const line = '{"jsonrpc":"2.0","id":"x"}garbage\n';
  feed(machine, 0, line.repeat(3));
  const first = machine.drainEvents(1);
  assert.equal(first.more, true);
  assert.equal(first.records.length, RECORD_SIZE);
});

test("output stays in the machine until it is asked for", () => {
  const client = clientMachine();
  client.start(0);
  assert.equal(client.drainEvents(1 << 16).records.length, 0);
  assert.notEqual(take(client).output, "");
});

test("deadlines are nanoseconds, and only fire when they are due", () => {
  const client = clientMachine({ limits: { probe: 100 } });
  client.start(5 * MS);
  assert.equal(take(client).timeout, 105 * MS);
  assert.equal(client.nextTimeout(), 105 * MS);
  client.handleTimeout(104 * MS);
  assert.equal(take(client).output, "");
  client.handleTimeout(105 * MS);
  assert.notEqual(take(client).output, "");
});

test("what is refused is thrown with its stable code", () => {
  const refusals: [string, () => unknown][] = [
    ["config.invalid", () => serverMachine({ limits: { no_such_limit: 1 } })],
    ["config.invalid", () => clientMachine({ revisions: ["1999-01-01"] })],
    ["config.invalid", () => new native.ServerConnection("{}", new Uint8Array(31), false)],
    ["send.unknown_handle", () => { serverMachine().respond(0, 77, "{}", 0, false); }],
    ["send.unknown_handle", () => { clientMachine().cancel(0, 2 ** 53); }],
    ["send.unknown_handle", () => { clientMachine().cancel(0, NaN); }],
    ["send.unknown_handle", () => { clientMachine().cancel(0, -1); }],
    ["send.not_ready", () => clientMachine().callTool(0, "echo", "{}", {})],
    ["send.invalid", () => { serverMachine().respond(0, 1, "{", 0, false); }],
    ["send.invalid", () => { serverMachine().handleMessage(0, "{}"); }],
  ];
  for (const [code, refused] of refusals) {
    assert.throws(refused, (error) => codeOf(error) === code && error instanceof Error && error.message !== "");
  }
});

test("arguments of the wrong kind are refused, and the machine lives on", () => {
  const machine = serverMachine();
  const wrong = machine as unknown as Record<string, (...args: unknown[]) => void>;
  assert.throws(() => wrong.handleData?.(0, "text"));
  assert.throws(() => wrong.respond?.(0, 1, {}, 0, false));
  assert.throws(() => wrong.drain?.("much"));
  assert.throws(() => new (native.ServerConnection as unknown as new () => object)());
  feed(machine, 0, "garbage\n");
  assert.equal(only(take(machine).events, Code.Fault).texts[0], "fault.parse");
});

test("the addon and the WebAssembly module have the same methods", async () => {
  const wasm = await loadEngine("wasm");
  const methods = (type: new (...args: never[]) => object): string[] => {
    const names: string[] = [];
    let at = type.prototype as object;
    while (at !== Object.prototype) {
      names.push(...Object.getOwnPropertyNames(at));
      at = Object.getPrototypeOf(at) as object;
    }
    // How wasm-bindgen gives memory back; the garbage collector does it for the addon.
    return [...new Set(names)].filter((name) => name !== "free" && !name.startsWith("__")).sort();
  };
  assert.deepEqual(methods(native.ServerConnection), methods(wasm.ServerConnection));
  assert.deepEqual(methods(native.ClientConnection), methods(wasm.ClientConnection));
});
