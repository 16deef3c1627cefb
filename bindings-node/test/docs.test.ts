/** The examples of the documentation, as their readers would run them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";

import { file } from "./support.js";

/** The one example in the comments of a source file. */
function exampleOf(source: string): string {
  const blocks = [...readFileSync(file(source), "utf8").matchAll(/^ \* ```ts\n(.*?)^ \* ```$/gms)];
  assert.equal(blocks.length, 1, source);
  return String(blocks[0]?.[1]).replaceAll(/^ \* ?/gm, "");
}

test("the server of the documentation greets the client of the documentation", async () => {
  const directory = file("build/docs");
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/server.mjs`, exampleOf("src-ts/server.ts"));
  writeFileSync(`${directory}/client.mjs`, exampleOf("src-ts/client.ts"));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["client.mjs"], { cwd: directory });
  assert.equal(stdout, "greet Greets someone\n[ { type: 'text', text: 'Hello, 世界!' } ]\n");
  assert.equal(stderr, "");
});
