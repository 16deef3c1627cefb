// demo.mjs [TEXT [PATH]]
//
// A Node host starts the Python example server, lists its tools, and calls them; one of them looks for TEXT in PATH, a
// file or folder of this repository. Prints the conversation as the engine saw it, then serves the browser page, or
// ends if ONCE is set. PYTHON names the interpreter that has the package.
import { fileURLToPath } from "node:url";

import { StdioClient, codeOf, loadEngine } from "mcp-sansio";

import { servePlayground } from "../../bindings-wasm/playground/serve.js";

const [text = "sansio", path = "README.md"] = process.argv.slice(2);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const began = performance.now();
const width = process.stdout.columns ?? 160;

function cut(line) {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

function title(line) {
  console.log(`\n${line}`);
}

function result(lines) {
  for (const line of lines) console.log(cut(`    ${line}`));
}

/** The message without what every message repeats. */
function gist(message) {
  return JSON.stringify(JSON.parse(message), (key, value) => (key === "_meta" ? "…" : value));
}

function trace({ at, direction, message, revision = "" }) {
  const time = (at / 1e6 - began).toFixed(1).padStart(8);
  const arrow = direction === "sent" ? "→ server" : "← server";
  console.log(cut(`${time} ms  ${arrow}  ${revision.padEnd(10)}  ${gist(message)}`));
}

function texts({ content, isError }) {
  const lines = content.flatMap((block) => (block.text ?? `(${block.type})`).split("\n"));
  return isError ? lines.map((line) => `failed: ${line}`) : lines;
}

async function converse(client) {
  title("Its tools");
  const tools = await client.listTools();
  result(tools.map(({ name, description }) => `${name}: ${description}`));

  title(`search: "${text}" in ${path}`);
  result(texts(await client.callTool("search", { text, path })));

  title("count: with progress");
  const onProgress = ({ progress, total, message }) => result([`${progress} of ${total}: ${message}`]);
  result(texts(await client.callTool("count", { n: 3 }, { onProgress })));

  title("fail: a failure that the model reads");
  result(texts(await client.callTool("fail")));

  title("wait: until it is taken back");
  const abort = new AbortController();
  const waiting = client.callTool("wait", {}, { signal: abort.signal, onProgress: () => abort.abort("seen enough") });
  result([await waiting.catch(codeOf)]);
}

const engine = (await loadEngine()).lost === undefined ? "native" : "WebAssembly";
console.log(`A host on Node ${process.version} with the ${engine} engine starts a server in Python`);
const client = await StdioClient.connect(
  {
    command: process.env.PYTHON ?? "python3",
    args: [fileURLToPath(new URL("../../bindings-python/examples/server.py", import.meta.url)), "--root", repository],
  },
  { name: "demo", version: "1.0.0", trace: true, onTrace: trace },
);
try {
  const { name, version } = client.serverInfo;
  result([`${name} ${version} speaks ${client.revision}`]);
  await converse(client);
} finally {
  await client.close();
}
title(`The server exited with status ${(await client.exited).code}`);

const { server, address } = await servePlayground();
title(`The same engine in a browser: ${address}`);
if (process.env.ONCE) {
  const { ok, status } = await fetch(address);
  result([`answers with status ${status}`]);
  if (!ok) process.exitCode = 1;
  server.closeAllConnections();
  server.close();
}
