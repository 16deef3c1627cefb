// A server on npm `@modelcontextprotocol/server` 2.4.0.
import { McpServer } from "../../interop/peers/node_modules/@modelcontextprotocol/server/dist/index.mjs";
import { serveStdio } from "../../interop/peers/node_modules/@modelcontextprotocol/server/dist/stdio.mjs";
import { z } from "../../interop/peers/node_modules/zod/index.js";

serveStdio(() => {
  const server = new McpServer({ name: "echo", version: "1" });
  server.registerTool(
    "echo",
    { description: "Answer with the text", inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  return server;
});
