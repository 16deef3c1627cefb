// client.mjs [--revision R] [--legacy] SCRIPT -- command arguments…
//
// Starts a stdio server and goes through the steps of SCRIPT, a JSON file or JSON text; prints a JSON object a step:
// { "echo": { name, arguments, expect }, "fail": { name, arguments }, "progress": { name, arguments },
//   "cancel": { name, arguments, after: "first-progress" | "sent" } }
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";

import { StdioClient, codeOf } from "mcp-sansio";

const end = process.argv.indexOf("--");
const [command, ...args] = process.argv.slice(end + 1);
const { values, positionals } = parseArgs({
  args: process.argv.slice(2, end),
  options: { revision: { type: "string" }, legacy: { type: "boolean" } },
  allowPositionals: true,
});
const [script] = positionals;
if (end < 0 || command === undefined || script === undefined) {
  console.error("usage: client.mjs [--revision R] [--legacy] SCRIPT -- command arguments…");
  process.exit(2);
}
const steps = JSON.parse(script.trimStart().startsWith("{") ? script : readFileSync(script, "utf8"));

function print(step, facts) {
  console.log(JSON.stringify({ step, ...facts }));
}

function call(step, options) {
  return client.callTool(step.name, step.arguments, options);
}

async function echo() {
  const { content } = await call(steps.echo);
  const [{ text }] = content;
  const { expect } = steps.echo;
  if (expect !== undefined && text !== expect) throw new Error(`expected ${expect}, got ${text}`);
  return text;
}

async function cancelled(step) {
  const abort = new AbortController();
  const firstProgress = step.after === "first-progress";
  const running = call(step, { signal: abort.signal, onProgress: () => firstProgress && abort.abort() });
  if (!firstProgress) {
    // The request has left by then.
    await setImmediate();
    abort.abort();
  }
  return running.then(() => "completed", codeOf);
}

const client = await StdioClient.connect(
  { command, args, env: process.env },
  {
    name: "example-client",
    version: "1.0.0",
    ...(values.legacy && { probe: false }),
    ...(values.revision && { revisions: [values.revision] }),
  },
);
print("connect", { revision: client.revision });
print("list", { tools: (await client.listTools()).map(({ name }) => name) });
if (steps.echo) print("echo", { text: await echo() });
if (steps.fail) print("fail", { isError: (await call(steps.fail)).isError === true });
if (steps.progress) {
  const values = [];
  await call(steps.progress, { onProgress: ({ progress }) => values.push(progress) });
  print("progress", { values });
}
if (steps.cancel) {
  print("cancel", { outcome: await cancelled(steps.cancel) });
  if (steps.echo) print("after_cancel", { text: await echo() });
}
await client.close();
print("close", { server_exit: (await client.exited).code });
