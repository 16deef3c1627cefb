// A server whose tools misbehave as hosts have to expect.
import { Server } from "mcp-sansio";

const server = new Server({ name: "misbehaving", version: "1.0.0", limits: { drain: Number(process.env.DRAIN ?? 1500) } });

server.tool("chatter", {}, () => {
  console.log("log");
  console.info("info");
  console.dir({ dir: true });
  console.table([["table"]]);
  process.stdout.write("raw\n");
  console.error("error");
  return "quiet";
});

server.tool("flood", {}, async () => {
  await new Promise((resolve) => process.stderr.write("x".repeat(1 << 20), resolve));
  return "flooded";
});

server.tool("until-sigterm", {}, () => {
  console.error("running");
  return new Promise((resolve) => process.once("SIGTERM", () => resolve("finished")));
});

server.tool("unstoppable", {}, () => {
  console.error("running");
  setInterval(() => undefined, 1000);
  return new Promise(() => undefined);
});

server.tool("environment", {}, () => JSON.stringify({ pid: process.pid, ...process.env }));

console.error(`ended: ${await server.stdio()}`);
