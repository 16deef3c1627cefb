/** What a server offers besides tools, and what its client makes of it, in both eras. */
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  Client,
  type ClientOptions,
  EngineError,
  InputRequired,
  NotFoundError,
  type Question,
  RequestError,
  Server,
  type ServerOptions,
  type TaskChange,
  type Watch,
  connect,
  serve,
} from "mcp-sansio-wasm";

import { deferred } from "./support.js";

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
};

/** A server with something of everything. */
function library(options: Partial<ServerOptions> = {}): Server {
  const server = new Server({ name: "library", version: "1", capabilities, onError: () => undefined, ...options });
  const books = ["a", "b", "c"].map((name) => ({ uri: `book://${name}`, name, mimeType: "text/plain" }));
  server.offer({
    resources: books,
    resourceTemplates: [{ uriTemplate: "page://{book}/{n}", name: "page" }],
    prompts: [{ name: "summary", arguments: [{ name: "book", required: true }] }],
  });
  server.onRequest("resources/read", ({ name = "", template, variables }, { keep }) => {
    if (name === "book://b") throw new NotFoundError("it was lent");
    if (name === "book://c") throw new Error("the secret reason");
    keep(60_000, true);
    const text = template === undefined ? "the whole book" : `${template} ${JSON.stringify(variables)}`;
    return { contents: [{ uri: name, text }] };
  });
  server.onRequest("prompts/get", ({ name, params }) => {
    const { arguments: args } = params as { arguments: { book: string } };
    if (args.book === "none") throw new RequestError(7, "there is no such book", { book: args.book });
    return { messages: [{ role: "user", content: { type: "text", text: `${String(name)} of ${args.book}` } }] };
  });
  server.onRequest("completion/complete", ({ params }) => {
    const { argument } = params as { argument: { name: string; value: string } };
    const values = ["alpha", "beta", "gamma"].filter((value) => value.startsWith(argument.value));
    return { completion: { values } };
  });
  return server;
}

async function pair(server: Server, options: Partial<ClientOptions>) {
  const client = new Client({ name: "reader", version: "1", ...options });
  const { port1, port2 } = new MessageChannel();
  const serving = serve(server, port1);
  await connect(client, port2);
  const session = await serving;
  const end = async (): Promise<void> => {
    await client.close();
    await session.closed;
  };
  return { client, session, end };
}

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`${revision}: lists of everything, whole`, async () => {
    const { client, end } = await pair(library({ pageSize: 1 }), { revisions: [revision] });
    assert.deepEqual((await client.listResources()).map(({ uri }) => uri), ["book://a", "book://b", "book://c"]);
    assert.deepEqual((await client.listResourceTemplates()).map(({ name }) => name), ["page"]);
    assert.deepEqual((await client.listPrompts()).map(({ name }) => name), ["summary"]);
    assert.deepEqual(await client.listTools(), []);
    const all = (await client.listAll("resources/list")) as { resources: unknown[]; nextCursor?: string };
    assert.deepEqual([all.resources.length, all.nextCursor], [3, undefined]);
    await end();
  });

  test(`${revision}: resources are read, by their URI or a template`, async () => {
    const { client, end } = await pair(library(), { revisions: [revision] });
    const text = async (uri: string): Promise<unknown> => (await client.readResource(uri)).contents[0]?.["text"];
    assert.equal(await text("book://a"), "the whole book");
    assert.equal(await text("page://a%20b/7"), 'page://{book}/{n} {"book":"a%20b","n":"7"}');
    const notFound = { code: "call.rpc", rpcCode: revision < "2026" ? -32002 : -32602 };
    await assert.rejects(client.readResource("book://b"), notFound);
    await assert.rejects(client.readResource("book://z"), notFound);
    const refused = await client.readResource("book://c").catch((error: unknown) => error);
    assert.doesNotMatch(String(refused), /secret/);
    await end();
  });

  test(`${revision}: prompts are got, and arguments completed`, async () => {
    const { client, end } = await pair(library(), { revisions: [revision] });
    const { messages } = await client.getPrompt("summary", { book: "alpha" });
    assert.deepEqual(messages[0]?.content, { type: "text", text: "summary of alpha" });
    const refused = { code: "call.rpc", rpcCode: 7, message: /no such book/, data: { book: "none" } };
    await assert.rejects(client.getPrompt("summary", { book: "none" }), refused);
    await assert.rejects(client.getPrompt("summary"), { code: "call.rpc", rpcCode: -32602 });
    const ref = { type: "ref/prompt" as const, name: "summary" };
    const { values } = await client.complete({ ref, argument: { name: "book", value: "be" } });
    assert.deepEqual(values, ["beta"]);
    await end();
  });

  test(`${revision}: whoever subscribed is told of changes, until that is over`, async () => {
    const watches: Watch[] = [];
    const server = library({ onWatched: (watch) => watches.push(watch) });
    const { client, end } = await pair(server, { revisions: [revision] });
    const changes: string[] = [];
    let heard = deferred();
    const wish = { tools: true, uris: ["book://a"] };
    const subscription = client.subscribe(wish, {
      onChange: ({ method, params }) => {
        changes.push(`${method} ${String((params as { uri?: string } | undefined)?.uri)}`);
        heard.resolve();
      },
    });
    const { honoured, again } = await subscription.begun;
    assert.deepEqual([honoured, again], [{ toolsListChanged: true, resourceSubscriptions: ["book://a"] }, false]);
    server.publish({ uri: "book://b" });
    server.publish({ uri: "book://a" });
    await heard.promise;
    heard = deferred();
    server.tool("new", {}, () => "");
    await heard.promise;
    assert.deepEqual(changes, [
      "notifications/resources/updated book://a",
      "notifications/tools/list_changed undefined",
    ]);
    subscription.close();
    assert.equal(await subscription.ended, undefined);
    server.publish({ uri: "book://a" });
    await client.probe();
    assert.equal(changes.length, 2);
    assert.deepEqual(watches, [{ uri: "book://a", wanted: true }, { uri: "book://a", wanted: false }]);
    await end();
  });

  test(`${revision}: a handler asks the client, and goes on with the answers`, async () => {
    const server = library();
    server.tool("greet", {}, (_, { answers }) => {
      if (answers === undefined) {
        const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
        const params = { mode: "form", message: "Who are you?", requestedSchema };
        return new InputRequired({ who: { method: "elicitation/create", params } }, { asked: "世界" });
      }
      const { action, content } = answers.results["who"] as { action: string; content?: { name: string } };
      return `${String(answers.round)} ${action} ${String(content?.name)} ${JSON.stringify(answers.state)}`;
    });
    const asked: Question[] = [];
    const { client, end } = await pair(server, {
      revisions: [revision],
      capabilities: { elicitation: {} },
      onInput: (question) => {
        asked.push(question);
        return { action: "accept", content: { name: "Ada" } };
      },
    });
    const { content } = await client.callTool("greet");
    assert.deepEqual(content, [{ type: "text", text: '1 accept Ada {"asked":"世界"}' }]);
    assert.deepEqual(asked.map(({ method }) => method), ["elicitation/create"]);
    await end();

    const incapable = await pair(server, { revisions: [revision] });
    const refused = await incapable.client.callTool("greet").then(({ isError }) => isError, (error: unknown) => error);
    assert.ok(refused === true || (refused instanceof EngineError && refused.code === "call.rpc"));
    await incapable.end();
  });
}

test("a call that runs as a task is followed to its outcome, and says how it gets on", async () => {
  const tasks = { requests: { tools: { call: {} } }, list: {}, cancel: {} };
  const server = library({ capabilities: { tools: {}, tasks }, limits: { taskPoll: 5 } });
  const execution = { taskSupport: "optional" };
  const go = deferred();
  server.tool("long", { execution }, async (_, { isTask, status }) => {
    await go.promise;
    return `${String(isTask)} ${String(status("done soon"))}`;
  });
  const { client, end } = await pair(server, { revisions: ["2025-11-25"] });
  const changes: TaskChange[] = [];
  const onTask = (change: TaskChange): void => {
    changes.push(change);
    go.resolve();
  };
  const { content } = await client.callTool("long", {}, { task: { ttl: 60_000, onTask } });
  assert.deepEqual(content, [{ type: "text", text: "true true" }]);
  assert.deepEqual([changes[0]?.task.status, changes[0]?.task.ttl], ["working", 60_000]);
  const detached = (await client.callTool("long", {}, { task: { detached: true } })) as { task?: { taskId: string } };
  assert.equal(typeof detached.task?.taskId, "string");
  const plain = await client.callTool("long");
  assert.deepEqual(plain.content, [{ type: "text", text: "false false" }]);
  await end();
});

test("results are kept for as long as they may be, for one principal alone", async () => {
  let read = 0;
  const server = library();
  server.onRequest("resources/read", ({ name = "" }, { keep }) => {
    read += 1;
    keep(60_000);
    return { contents: [{ uri: name, text: String(read) }] };
  });
  const { client, end } = await pair(server, { revisions: ["2026-07-28"], principal: "ada" });
  const text = async (fresh?: boolean): Promise<unknown> =>
    (await client.readResource("book://a", fresh === undefined ? {} : { fresh })).contents[0]?.["text"];
  assert.deepEqual([await text(), await text(), await text(true)], ["1", "1", "2"]);
  client.setPrincipal("grace");
  assert.equal(await text(), "3");
  await end();
});

test("groups see what is for them", async () => {
  const offered = async (groups: string[]): Promise<string[]> => {
    const server = new Server({ name: "s", version: "1", principal: "ada", groups });
    server.tool("shared", {}, () => "").tool("secret", {}, () => "");
    server.offer({ visibleTo: { tools: { secret: ["staff"] } } });
    const { client, end } = await pair(server, {});
    const tools = await client.listTools();
    await end();
    return tools.map(({ name }) => name);
  };
  assert.deepEqual([await offered([]), await offered(["staff"])], [["shared"], ["shared", "secret"]]);
});

test("instances that share their keys know each other's cursors", async () => {
  const pages = async (...keys: number[]): Promise<unknown> => {
    let cursor: unknown;
    for (const key of keys) {
      const sealKeys = [btoa(String.fromCharCode(...new Uint8Array(32).fill(key)))];
      const { client, end } = await pair(library({ pageSize: 2, sealKeys }), {});
      const asked = client.call("resources/list", cursor === undefined ? {} : { cursor });
      const page = await asked.catch((error: unknown) => error);
      cursor = page instanceof EngineError ? page.code : (page as { nextCursor?: string }).nextCursor;
      await end();
    }
    return cursor;
  };
  assert.deepEqual([await pages(1, 1), await pages(1, 2)], [undefined, "call.rpc"]);
});

test("a subscription to nothing is refused", async () => {
  const { client, end } = await pair(library(), {});
  const subscription = client.subscribe({}, { onChange: () => undefined });
  await assert.rejects(subscription.begun, { name: "EngineError", code: "send.invalid" });
  assert.equal((await subscription.ended)?.code, "send.invalid");
  await end();
});
