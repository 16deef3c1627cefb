/** What a server offers besides tools, over byte streams and on either engine. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";

import { Client, type ClientOptions, InputRequired, NotFoundError, Server, StreamLink, loadEngine } from "mcp-sansio";

import { deferred } from "./support.js";

const capabilities = {
  tools: {},
  prompts: {},
  resources: { subscribe: true, listChanged: true },
  completions: {},
  tasks: { requests: { tools: { call: {} } } },
};

function library(): Server {
  const server = new Server({ name: "library", version: "1", capabilities, limits: { taskPoll: 5 } });
  server.offer({
    resources: [{ uri: "book://a", name: "a" }, { uri: "book://b", name: "b" }],
    resourceTemplates: [{ uriTemplate: "page://{book}/{n}", name: "page" }],
    prompts: [{ name: "summary", arguments: [{ name: "book", required: true }] }],
  });
  server.onRequest("resources/read", ({ name = "", variables }) => {
    if (name === "book://b") throw new NotFoundError("it was lent");
    return { contents: [{ uri: name, text: JSON.stringify(variables ?? "whole") }] };
  });
  server.onRequest("prompts/get", ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: String(name) } }],
  }));
  server.onRequest("completion/complete", () => ({ completion: { values: ["alpha"] } }));
  server.tool("ask", {}, (_, { answers }) =>
    answers === undefined
      ? new InputRequired({ roots: { method: "roots/list" } }, ["世界"])
      : JSON.stringify([answers.results, answers.state]),
  );
  server.tool("long", { execution: { taskSupport: "optional" } }, (_, { isTask }) => String(isTask));
  return server;
}

for (const kind of ["native", "wasm"] as const) {
  const pair = async (options: Partial<ClientOptions>) => {
    const engine = await loadEngine(kind);
    const server = library();
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    const session = await server.connect(new StreamLink(toServer, toClient), engine);
    const client = new Client({ name: "reader", version: "1", ...options });
    await client.connect(new StreamLink(toClient, toServer), engine);
    const end = async (): Promise<void> => {
      await client.close();
      await session.closed;
    };
    return { server, client, end };
  };

  for (const revision of ["2025-11-25", "2026-07-28"]) {
    test(`${kind}, ${revision}: resources, prompts and completion`, async () => {
      const { client, end } = await pair({ revisions: [revision] });
      assert.deepEqual((await client.listResources()).map(({ uri }) => uri), ["book://a", "book://b"]);
      const all = (await client.listAll("prompts/list")) as { prompts: unknown[] };
      assert.equal(all.prompts.length, 1);
      const text = async (uri: string): Promise<unknown> => (await client.readResource(uri)).contents[0]?.text;
      assert.deepEqual([await text("book://a"), await text("page://a/7")], ['"whole"', '{"book":"a","n":"7"}']);
      await assert.rejects(client.readResource("book://b"), { rpcCode: revision < "2026" ? -32002 : -32602 });
      const { messages } = await client.getPrompt("summary", { book: "a" });
      assert.deepEqual(messages[0]?.content, { type: "text", text: "summary" });
      const ref = { type: "ref/prompt" as const, name: "summary" };
      const { values } = await client.complete({ ref, argument: { name: "book", value: "al" } });
      assert.deepEqual(values, ["alpha"]);
      await end();
    });

    test(`${kind}, ${revision}: a subscription hears what is published`, async () => {
      const { server, client, end } = await pair({ revisions: [revision] });
      const heard = deferred<unknown>();
      const onChange = ({ params }: { params: unknown }): void => {
        heard.resolve(params);
      };
      const subscription = client.subscribe({ uris: ["book://a"] }, { onChange });
      assert.deepEqual((await subscription.begun).honoured, { resourceSubscriptions: ["book://a"] });
      server.publish({ uri: "book://a" });
      assert.equal(((await heard.promise) as { uri: string }).uri, "book://a");
      subscription.close();
      assert.equal(await subscription.ended, undefined);
      await end();
    });

    test(`${kind}, ${revision}: a handler asks the client`, async () => {
      const onInput = () => ({ roots: [{ uri: "file:///a" }] });
      const { client, end } = await pair({ revisions: [revision], capabilities: { roots: {} }, onInput });
      const { content } = await client.callTool("ask");
      const text = JSON.stringify([{ roots: { roots: [{ uri: "file:///a" }] } }, ["世界"]]);
      assert.deepEqual(content, [{ type: "text", text }]);
      await end();
    });
  }

  test(`${kind}: a call as a task`, async () => {
    const { client, end } = await pair({ revisions: ["2025-11-25"] });
    const states: string[] = [];
    const { content } = await client.callTool("long", {}, { task: { onTask: ({ task }) => states.push(task.status) } });
    assert.deepEqual(content, [{ type: "text", text: "true" }]);
    assert.ok(states.length > 0);
    await end();
  });
}
