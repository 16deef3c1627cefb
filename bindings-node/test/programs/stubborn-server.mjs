// A server that does not go at the end of its input, nor, with an argument, at SIGTERM.
import { Server } from "mcp-sansio";

if (process.argv.length > 2) process.on("SIGTERM", () => undefined);
setInterval(() => undefined, 1000);
process.exit = () => undefined;
await new Server({ name: "stubborn", version: "1.0.0" }).stdio();
