// A stdio server whose tools answer, fail, report progress, and wait to be cancelled.
import { Server, ToolError } from "mcp-sansio";

const server = new Server({ name: "example-server", version: "1.0.0" });

server.tool(
  "echo",
  {
    description: "Answers with the same text",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  ({ text }) => text,
);

server.tool("fail", { description: "Always fails" }, () => {
  throw new ToolError("this tool always fails");
});

server.tool(
  "count",
  {
    description: "Counts to n, with a progress notice for each number",
    inputSchema: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] },
  },
  ({ n }, { progress }) => {
    for (let i = 1; i <= n; i += 1) progress(i, n);
    return `counted to ${n}`;
  },
);

server.tool("wait", { description: "Runs until it is cancelled" }, (_, { signal }) => {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      console.error("cancelled wait");
      reject(signal.reason);
    });
  });
});

await server.stdio();
