/**
 * No TypeScript reads or writes what is on the wire: with a recorder in the engine's place every byte passes through
 * it, and with one that scrambles the wire everything goes on working.
 */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

import {
  type Batch,
  Client,
  Code,
  type Connection,
  type ConnectionConstructor,
  type Engine,
  type Port,
  PortLink,
  Server,
  ToolError,
  loadEngine,
  recordsOf,
} from "mcp-sansio-wasm";

import { type Said, batchOf, deferred } from "./support.js";

type Way = "in" | "out";
type Codec = (text: string) => string;

/** An engine whose machines report what passes, and encode what they say. */
function recorded(engine: Engine, record: (way: Way, text: string) => void, encode: Codec, decode: Codec): Engine {
  const rewritten = (batch: Batch): Batch => {
    const said: Said[] = [];
    for (const entry of recordsOf(batch)) {
      const texts = [0, 1, 2, 3, 4, 5, 6, 7].map((place) => entry.text(place));
      if (entry.code === Code.Send) {
        texts[0] = encode(texts[0] ?? "");
        record("out", texts[0]);
      }
      said.push({ code: entry.code, number: entry.number, handle: entry.handle, related: entry.related, texts });
    }
    const { timeout, more } = batch;
    return { ...batchOf(said), timeout, more };
  };
  const recording = <C extends Connection>(Raw: ConnectionConstructor<C>): ConnectionConstructor<C> => {
    class Recording extends (Raw as ConnectionConstructor<Connection>) {
      override handleMessage(now: number, message: string): void {
        record("in", message);
        super.handleMessage(now, decode(message));
      }
      override drain(maxBytes: number): Batch {
        return rewritten(super.drain(maxBytes));
      }
      override drainEvents(maxBytes: number): Batch {
        return rewritten(super.drainEvents(maxBytes));
      }
    }
    return Recording as unknown as ConnectionConstructor<C>;
  };
  return {
    ServerConnection: recording(engine.ServerConnection),
    ClientConnection: recording(engine.ClientConnection),
  };
}

/** A port that reports what passes. */
function tapped(port: MessagePort, tap: (way: Way, text: string) => void): Port {
  port.addEventListener("message", (event: MessageEvent<string>) => {
    tap("in", event.data);
  });
  return {
    postMessage: (message) => {
      tap("out", message);
      port.postMessage(message);
    },
    addEventListener: (type, listener) => {
      port.addEventListener(type, listener);
    },
    removeEventListener: (type, listener) => {
      port.removeEventListener(type, listener);
    },
    start: () => {
      port.start();
    },
    close: () => {
      port.close();
    },
  };
}

/** One conversation with everything in it. */
async function converse(revision: string, serverEngine: Engine, clientEngine: Engine, ports: [Port, Port]): Promise<void> {
  const started = deferred();
  const server = new Server({ name: "s", version: "1", pageSize: 2, onError: () => undefined });
  server.tool("echo", {}, ({ text }) => String(text));
  server.tool("steps", {}, (_, { progress }) => [1, 2, 3].map((step) => progress(step, 3)).join());
  server.tool("refuses", {}, () => {
    throw new ToolError("no");
  });
  server.tool("breaks", {}, () => {
    throw new Error("no");
  });
  server.tool("waits", {}, (_, { signal }) => {
    started.resolve();
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        resolve("");
      });
    });
  });
  const client = new Client({ name: "c", version: "1", revisions: [revision] });
  const [session] = await Promise.all([
    server.connect(new PortLink(ports[0]), serverEngine),
    client.connect(new PortLink(ports[1]), clientEngine),
  ]);
  assert.equal(client.revision, revision);
  assert.equal((await client.listTools()).length, 5);
  assert.deepEqual((await client.callTool("echo", { text: "世界" })).content, [{ type: "text", text: "世界" }]);
  const steps: number[] = [];
  await client.callTool("steps", {}, { onProgress: ({ progress }) => steps.push(progress) });
  assert.deepEqual(steps, [1, 2, 3]);
  assert.equal((await client.callTool("refuses")).isError, true);
  assert.equal((await client.callTool("breaks")).isError, true);
  await assert.rejects(client.callTool("nothing"), { code: "call.rpc" });
  const controller = new AbortController();
  const call = client.callTool("waits", {}, { signal: controller.signal });
  await started.promise;
  controller.abort();
  await assert.rejects(call, { code: "call.cancelled" });
  await client.close();
  await session.closed;
}

const plain: Codec = (text) => text;
const reversed: Codec = (text) => Array.from(text).reverse().join("");

for (const revision of ["2025-11-25", "2026-07-28"]) {
  for (const [name, encode] of Object.entries({ plain, reversed })) {
    test(`${revision}: a recorder in the engine's place sees every byte (${name})`, async () => {
      const engine = await loadEngine();
      const { port1, port2 } = new MessageChannel();
      const seen = { server: [] as string[], client: [] as string[] };
      const wire = { server: [] as string[], client: [] as string[] };
      const keep = (list: string[]) => (way: Way, text: string) => void list.push(`${way} ${text}`);
      await converse(
        revision,
        recorded(engine, keep(seen.server), encode, encode),
        recorded(engine, keep(seen.client), encode, encode),
        [tapped(port1, keep(wire.server)), tapped(port2, keep(wire.client))],
      );
      for (const side of ["server", "client"] as const) {
        assert.ok(wire[side].length > 12);
        assert.deepEqual(
          seen[side].filter((line) => line.startsWith("in")),
          wire[side].filter((line) => line.startsWith("in")),
        );
        assert.deepEqual(
          seen[side].filter((line) => line.startsWith("out")),
          wire[side].filter((line) => line.startsWith("out")),
        );
      }
      const isJson = (line: string): boolean => {
        try {
          JSON.parse(line.replace(/^(in|out) /, ""));
          return true;
        } catch {
          return false;
        }
      };
      assert.equal(wire.client.every(isJson), name === "plain");
      assert.equal(wire.client.some(isJson), name === "plain");
    });
  }
}

test("the modules name no envelope, method or error code", async () => {
  const folder = new URL("../../dist/", import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".js"));
  assert.ok(files.length > 8);
  for (const file of files) {
    const source = await readFile(new URL(file, folder), "utf8");
    const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    const wire = /jsonrpc|["'`](?:(?:[a-z]+\/)+[a-zA-Z_]+|ping|initialize)["'`]|-32\d{3}/.exec(code)?.[0];
    assert.equal(wire, undefined, file);
  }
});
