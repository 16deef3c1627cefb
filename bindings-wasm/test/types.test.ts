/** The payload types take what travels, in both directions and from every revision. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, Server, connect, serve, type types } from "mcp-sansio-wasm";

const whole: types.CallToolResult = {
  content: [
    { type: "text", text: "4", annotations: { audience: ["user", "a role of a later revision"], priority: 0.5 } },
    { type: "image", data: "AA==", mimeType: "image/png" },
  ],
  structuredContent: { sum: 4 },
  "com.example/own": true,
};

const said = (block: types.ContentBlock): string => {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return block.mimeType;
    case "resource_link":
      return block.uri;
    case "resource":
      return "text" in block.resource ? String(block.resource.text) : block.resource.uri;
  }
};

test("a server answers with a typed result, which its client has as it was", async () => {
  const server = new Server({ name: "s", version: "1" });
  server.tool("whole", {}, () => whole);
  const { port1, port2 } = new MessageChannel();
  const serving = serve(server, port1);
  const client = new Client({ name: "c", version: "1" });
  await connect(client, port2);
  const { content, structuredContent } = await client.callTool("whole");
  assert.deepEqual({ content, structuredContent }, { content: whole.content, structuredContent: { sum: 4 } });
  assert.deepEqual(content.map(said), ["4", "image/png"]);
  await client.close();
  await (await serving).closed;
});

test("one type covers all revisions", () => {
  const legacy: types.CallToolRequestParams = { name: "add", _meta: { progressToken: 1 } };
  const modern: types.CallToolRequestParams = {
    name: "add",
    arguments: { a: 1 },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      traceparent: "00",
    },
    inputResponses: { q: { action: "accept", content: { age: 7.5, tags: ["a"] } } },
    requestState: "s",
  };
  // @ts-expect-error A call names its tool.
  const nameless: types.CallToolRequestParams = { arguments: {} };
  const task: types.Task = { taskId: "t", status: "working", createdAt: "", lastUpdatedAt: "", ttl: null };
  assert.deepEqual([legacy, modern].map(({ name }) => name), ["add", "add"]);
  assert.equal(nameless.name, undefined);
  assert.equal(task.ttl, null);
});
