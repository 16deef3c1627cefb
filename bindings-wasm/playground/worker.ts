/** The server of the playground, alone in a worker. Each message of the page brings the port of one client. */
import { Server, ToolError, serve } from "mcp-sansio-wasm";

let interruptions = 0;

function tick(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 50);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}

const server = new Server({
  name: "playground",
  version: "0.1.0",
  instructions: "A few tools that run in a worker of this page.",
});

server.tool(
  "greet",
  {
    description: "Greets someone, in any script.",
    inputSchema: { type: "object", properties: { who: { type: "string", default: "世界" } }, required: ["who"] },
  },
  ({ who }: { who: string }) => `Hello, ${who}!`,
);

server.tool(
  "countdown",
  {
    description: "Counts down, reports its progress, and can be cancelled.",
    inputSchema: {
      type: "object",
      properties: { from: { type: "integer", minimum: 1, default: 20 } },
      required: ["from"],
    },
  },
  async ({ from }: { from: number }, { signal, progress }) => {
    try {
      for (let left = from; left > 0; left -= 1) {
        await tick(signal);
        progress(from - left + 1, from, `${String(left - 1)} left`);
      }
    } catch (error) {
      interruptions += 1;
      throw error;
    }
    return "Lift-off!";
  },
);

server.tool(
  "interruptions",
  { description: "How many countdowns were cancelled." },
  () => `${String(interruptions)} cancelled`,
);

server.tool("fail", { description: "Fails, with a text for the model." }, () => {
  throw new ToolError("This tool always fails.");
});

addEventListener("message", ({ ports }: MessageEvent) => {
  for (const port of ports) void serve(server, port);
});
