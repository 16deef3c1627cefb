/** Servers and clients as processes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { promisify } from "node:util";

import { type ClientOptions, type ServerCommand, StdioClient, inheritedVariables } from "mcp-sansio";

import { deferred, file } from "./support.js";

const run = promisify(execFile);
const node = process.execPath;
const clients: StdioClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

/** A client of a program of these tests, what that writes to standard error, and how to wait for a part of it. */
async function start(program: string, server: Partial<ServerCommand> = {}, options: Partial<ClientOptions> = {}) {
  let stderr = "";
  let waiting: { text: string; resolve: (value: undefined) => void } | undefined;
  const client = await StdioClient.connect(
    {
      command: node,
      args: [file(program)],
      stderr: (text) => {
        stderr += text;
        if (waiting !== undefined && stderr.includes(waiting.text)) waiting.resolve(undefined);
      },
      ...server,
    },
    { name: "test", version: "1", ...options },
  );
  clients.push(client);
  const written = async (text: string): Promise<void> => {
    const { promise, resolve } = deferred<undefined>();
    waiting = { text, resolve };
    if (!stderr.includes(text)) await promise;
  };
  return { client, written, stderr: () => stderr };
}

const misbehaving = "test/programs/server.mjs";

for (const engine of ["native", "wasm"]) {
  test(`a server with the ${engine} engine is listed, called, and goes at the end of its input`, async () => {
    const { client, stderr } = await start("examples/server.mjs", { env: { MCP_SANSIO_ENGINE: engine } });
    assert.equal(client.revision, "2026-07-28");
    const tools = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ["echo", "fail", "count", "wait"]);
    const text = "héé 漢 🦀";
    assert.deepEqual((await client.callTool("echo", { text })).content, [{ type: "text", text }]);
    assert.equal((await client.callTool("echo", { text: 1 })).isError, true);
    assert.equal((await client.callTool("fail")).isError, true);
    const values: number[] = [];
    await client.callTool("count", { n: 3 }, { onProgress: ({ progress }) => values.push(progress) });
    assert.deepEqual(values, [1, 2, 3]);
    await client.close();
    assert.deepEqual(await client.exited, { code: 0, signal: null });
    assert.equal(stderr(), "");
  });
}

test("a server cancels what still runs 1,500 ms after the end of its input, and exits with 0", async () => {
  const { client, stderr } = await start("examples/server.mjs", { patience: 10_000 });
  const waiting = client.callTool("wait");
  await client.callTool("echo", { text: "in order" });
  const began = performance.now();
  const closed = client.close();
  await assert.rejects(waiting, { code: "call.cancelled" });
  await closed;
  assert.deepEqual(await client.exited, { code: 0, signal: null });
  assert.equal(stderr(), "cancelled wait\n");
  assert.ok(performance.now() - began < 2000);
});

test("a handler that can't be stopped does not keep the process", async () => {
  const { client, written } = await start(misbehaving, { patience: 10_000, env: { DRAIN: "50" } });
  const call = client.callTool("unstoppable");
  call.catch(() => undefined);
  await written("running");
  await client.close();
  assert.deepEqual(await client.exited, { code: 0, signal: null });
});

test("at SIGTERM a server finishes what runs, refuses what is new, and exits with 0", async () => {
  const { client, written } = await start(misbehaving);
  const { pid } = JSON.parse(textOf(await client.callTool("environment"))) as { pid: number };
  const call = client.callTool("until-sigterm");
  await written("running");
  process.kill(pid, "SIGTERM");
  assert.equal(textOf(await call), "finished");
  assert.equal(await client.closed, "close.peer");
  await written("ended: close.local");
  assert.deepEqual(await client.exited, { code: 0, signal: null });
});

test("what tools print does not end up in the protocol", async () => {
  const faults: unknown[] = [];
  const { client, written } = await start(misbehaving, {}, { onFault: (fault) => faults.push(fault) });
  assert.equal(textOf(await client.callTool("chatter")), "quiet");
  for (const text of ["log\n", "info\n", "{ dir: true }\n", "'table'", "raw\n", "error\n"]) await written(text);
  await client.close();
  assert.deepEqual(faults, []);
});

test("a server's standard error is drained, even if nobody wants it", async () => {
  const failing = (): never => {
    throw new Error("a hook that fails");
  };
  for (const stderr of ["ignore", failing] as const) {
    const errors: unknown[] = [];
    const { client } = await start(misbehaving, { stderr }, { onError: (error) => errors.push(error) });
    assert.equal(textOf(await client.callTool("flood")), "flooded");
    assert.equal(errors.length > 0, stderr === failing);
  }
});

test("a server gets the variables that are safe to pass on, and those it is given", async () => {
  process.env.SECRET_OF_THE_HOST = "secret";
  const { client } = await start(misbehaving, { env: { GIVEN: "given" } });
  const seen = JSON.parse(textOf(await client.callTool("environment"))) as Record<string, string>;
  assert.equal(seen.GIVEN, "given");
  assert.equal(seen.PATH, process.env.PATH);
  const names = new Set([...inheritedVariables, "GIVEN", "pid"]);
  assert.deepEqual(Object.keys(seen).filter((name) => !names.has(name)), []);
  await client.close();
});

test("a server that dies of the question for its era is started once more", async () => {
  const { client, stderr } = await start("test/programs/old-server.mjs");
  assert.equal(client.revision, "2024-11-05");
  assert.equal(stderr(), "started\nstarted\n");
  await client.close();
  assert.deepEqual(await client.exited, { code: 0, signal: null });
});

test("a server that dies in the middle ends the calls that run", async () => {
  const { client, written } = await start(misbehaving);
  const call = client.callTool("unstoppable");
  await written("running");
  const { pid } = JSON.parse(textOf(await client.callTool("environment"))) as { pid: number };
  process.kill(pid, "SIGKILL");
  await assert.rejects(call, { code: "call.closed", delivered: true });
  assert.equal(await client.closed, "close.peer");
  assert.deepEqual(await client.exited, { code: null, signal: "SIGKILL" });
});

test("a server that stays is terminated, and killed if need be", async () => {
  for (const [args, signal] of [[[], "SIGTERM"], [["deaf"], "SIGKILL"]] as const) {
    const program = file("test/programs/stubborn-server.mjs");
    const { client } = await start("", { args: [program, ...args], patience: 100 });
    assert.equal(await client.close(), "close.local");
    assert.deepEqual(await client.exited, { code: null, signal });
  }
});

test("a process that a server leaves behind holds nobody up", async () => {
  const command = `sleep 5 & exec ${node} ${file(misbehaving)}`;
  const { client, written } = await start("", { command: "sh", args: ["-c", command] });
  const began = performance.now();
  await client.close();
  await written("ended: close.peer");
  assert.deepEqual(await client.exited, { code: 0, signal: null });
  assert.ok(performance.now() - began < 4000);
});

test("a program that can't be started, or is no server, is said to be so", async () => {
  await assert.rejects(start("", { command: "/no/such/program" }), { code: "ENOENT" });
  await assert.rejects(start("", { args: ["--eval", ""] }), { code: "close.peer" });
  await assert.rejects(start("", { args: ["--eval", ""] }, { probe: false }), { code: "close.peer" });
});

test("what a server says last is read, though its input is broken by then", async () => {
  for (let round = 0; round < 10; round += 1) {
    const faults: string[] = [];
    const server = { command: "sh", args: ["-c", "echo config file missing; exit 1"] };
    const started = start("", server, { onFault: ({ code }) => faults.push(code) });
    await assert.rejects(started, { code: "close.peer", message: /not JSON/ });
    assert.deepEqual(faults, ["fault.parse", "fault.parse"]);
  }
});

test("of a server that exits before it answers, the error says how", async () => {
  const ends = [
    ["exit 2", /^the server exited with status 2 before it answered; /],
    ["kill -KILL $$", /^the server was ended by SIGKILL before it answered; /],
  ] as const;
  for (const [command, message] of ends) {
    const server = { command: "sh", args: ["-c", command] };
    for (const probe of [true, false]) await assert.rejects(start("", server, { probe }), { code: "close.peer", message });
  }
  const closesOutput = { command: "sh", args: ["-c", "exec 1>&-; exec sleep 60"], patience: 50 };
  await assert.rejects(start("", closesOutput), { code: "close.peer", message: /^the connection ended/ });
});

test("a server that reads no more, and stays, ends the connection", async () => {
  const { promise: deaf, resolve } = deferred<undefined>();
  const stderr = (): void => {
    resolve(undefined);
  };
  const server = { command: "sh", args: ["-c", "exec 0<&-; echo deaf >&2; exec sleep 60"], stderr, patience: 100 };
  const client = await StdioClient.connect(server, { name: "test", version: "1" }, "2026-07-28");
  clients.push(client);
  await deaf;
  await assert.rejects(client.callTool("any"), { code: "call.closed" });
  assert.equal(await client.closed, "close.peer");
});

test("no server is started for options that can't work", async () => {
  const options = { limits: { messageBytes: -1 } };
  await assert.rejects(start("", { command: "/no/such/program" }, options), { code: "config.invalid" });
});

test("a host that is done exits, and leaves nothing running", { timeout: 20_000 }, async () => {
  const host = file("test/programs/host.mjs");
  const { stdout, stderr } = await run(node, [host, node, file(misbehaving)]);
  assert.equal(stdout, "");
  assert.match(stderr, /^log$/m);
  assert.match(stderr, /ended: close\.peer/);
  assert.equal((await run(node, [host, "/no/such/program"])).stdout, "ENOENT\n");
  assert.match((await run(node, [host, node, "--eval", ""])).stdout, /^close\./);
});

test("without the addon, or with one that can't be loaded, the engine is WebAssembly", async () => {
  const directory = mkdtempSync(join(tmpdir(), "mcp-sansio-"));
  try {
    for (const part of ["dist", "package.json"]) cpSync(file(part), join(directory, part), { recursive: true });
    symlinkSync(file("node_modules"), join(directory, "node_modules"));
    const program = join(directory, "which.mjs");
    writeFileSync(
      program,
      'import { loadEngine } from "mcp-sansio"; console.log((await loadEngine()).onLost === undefined ? "native" : "wasm");',
    );
    const absent = await run(node, [program]);
    assert.deepEqual([absent.stdout, absent.stderr], ["wasm\n", ""]);
    mkdirSync(join(directory, "native"));
    writeFileSync(join(directory, "native", `${process.platform}-${process.arch}.node`), "no addon");
    const broken = await run(node, [program]);
    assert.equal(broken.stdout, "wasm\n");
    assert.match(broken.stderr, /can't be loaded, so WebAssembly is used/);
    const unknown = run(node, [program], { env: { ...process.env, MCP_SANSIO_ENGINE: "other" } });
    await assert.rejects(unknown, /"other" is neither native nor wasm/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function textOf(result: { content: readonly { type: string; [member: string]: unknown }[] }): string {
  return String(result.content[0]?.text);
}
