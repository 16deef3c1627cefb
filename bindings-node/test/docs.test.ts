/** The examples of the documentation, as their readers would run them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";

import { file } from "./support.js";

/** The examples in the comments of a source file. */
function examplesIn(source: string): string[] {
  const blocks = readFileSync(file(source), "utf8").matchAll(/^ \* ```ts\n(.*?)^ \* ```$/gms);
  return Array.from(blocks, ([, code]) => String(code).replaceAll(/^ \* ?/gm, ""));
}

const documents = {
  comments: [...examplesIn("src-ts/server.ts"), ...examplesIn("src-ts/client.ts")],
  README: Array.from(readFileSync(file("README.md"), "utf8").matchAll(/^```js\n(.*?)^```$/gms), ([, code]) => code ?? ""),
};

for (const [name, examples] of Object.entries(documents)) {
  test(`the server of the ${name} greets the client of the ${name}`, async () => {
    const [server, client, ...others] = examples;
    assert.ok(server !== undefined && client !== undefined && others.length === 0);
    const directory = file(`build/docs/${name}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/server.mjs`, server);
    writeFileSync(`${directory}/client.mjs`, client);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["client.mjs"], { cwd: directory });
    assert.equal(stdout, "greet Greets someone\n[ { type: 'text', text: 'Hello, 世界!' } ]\n");
    assert.equal(stderr, "");
  });
}
