/** A server in a worker of Node, on the port that it is given. */
import { workerData } from "node:worker_threads";

import { type Port, Server, serve } from "mcp-sansio-wasm";

const server = new Server({ name: "s", version: "1" });
server.tool("waits", {}, (_, { progress }) => {
  progress(1);
  return new Promise(() => undefined);
});
await serve(server, workerData as Port);
