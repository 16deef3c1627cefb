// A server on npm `@modelcontextprotocol/sdk` 1.32.2.
import { McpServer } from "../../interop/peers/node_modules/sdk-1.32.2/dist/esm/server/mcp.js";
import { StdioServerTransport } from "../../interop/peers/node_modules/sdk-1.32.2/dist/esm/server/stdio.js";
import { z } from "../../interop/peers/node_modules/zod/index.js";

const server = new McpServer({ name: "echo", version: "1" });
server.registerTool("echo", { description: "Answer with the text", inputSchema: { text: z.string() } }, ({ text }) => ({
  content: [{ type: "text", text }],
}));
await server.connect(new StdioServerTransport());
