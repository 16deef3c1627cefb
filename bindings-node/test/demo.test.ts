/** The demo, from a file of this repository to what its reader sees. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";

import { file } from "./support.js";

async function demo(...args: string[]): Promise<string> {
  const env = { ...process.env, ONCE: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [file("examples/demo.mjs"), ...args], { env });
  return stdout;
}

test("the demo finds what was just written to a file of this repository", { timeout: 60_000 }, async () => {
  mkdirSync(file("build"), { recursive: true });
  const path = "bindings-node/build/note.txt";
  writeFileSync(file("build/note.txt"), "nothing yet\n");
  assert.match(await demo("漢 🦀", path), /^ {4}no line contains `漢 🦀`$/m);
  writeFileSync(file("build/note.txt"), "nothing yet\nhéé 漢 🦀\n");
  const seen = await demo("漢 🦀", path);
  assert.match(seen, /^ {4}bindings-node\/build\/note\.txt:2: héé 漢 🦀$/m);
  assert.match(seen, /^ {4}example-python .* speaks 2026-07-28$/m);
  assert.match(seen, /ms {2}→ server {2}2026-07-28 {2}.*"search"/);
  assert.match(seen, /^ {4}3 of 3: step 3$/m);
  assert.match(seen, /^ {4}failed: this tool fails$/m);
  assert.match(seen, /^ {4}call\.cancelled$/m);
  assert.match(seen, /^The server exited with status 0$/m);
  assert.match(seen, /^ {4}answers with status 200$/m);
});
