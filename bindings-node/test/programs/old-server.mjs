// A server of the first revision that dies of any method it doesn't know, as some do.
import { createInterface } from "node:readline";

console.error("started");
for await (const line of createInterface(process.stdin)) {
  const { id, method } = JSON.parse(line);
  if (method === "notifications/initialized") continue;
  if (method !== "initialize") process.exit(1);
  const result = { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old", version: "1" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
