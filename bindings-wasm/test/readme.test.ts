/** The examples of the README: checked by the compiler, and run where they say. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { inChromium, serveFolder } from "./chromium.js";

const root = new URL("../../", import.meta.url);
const folder = new URL("build/readme/", root);
const path = (name: string): string => fileURLToPath(new URL(name, folder));
let expected: string;

before(async () => {
  const readme = await readFile(new URL("README.md", root), "utf8");
  await rm(folder, { recursive: true, force: true });
  await mkdir(new URL("pkg/", folder), { recursive: true });
  const blocks = [...readme.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)];
  assert.deepEqual(
    blocks.map(([, name]) => name),
    ["worker.ts", "page.ts", "by-hand.ts"],
  );
  for (const [, name = "", code = ""] of blocks) await writeFile(new URL(name, folder), code);
  [, expected = ""] = /^```text\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const outdir = fileURLToPath(folder);
  await build({ entryPoints: ["worker.ts", "page.ts"].map(path), outdir, bundle: true, format: "esm", target: "es2022" });
  await build({ entryPoints: [path("by-hand.ts")], outdir });
  await copyFile(new URL("pkg/mcp_sansio_wasm_bg.wasm", root), path("pkg/mcp_sansio_wasm_bg.wasm"));
});

test("they compile", () => {
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const files = ["worker.ts", "page.ts", "by-hand.ts"].map(path);
  execFileSync(process.execPath, [tsc, "--ignoreConfig", ...options, ...files], { stdio: "inherit" });
});

test("the page and the worker say in Chromium what the README says", async () => {
  await writeFile(new URL("index.html", folder), '<!doctype html><link rel="icon" href="data:," /><script type="module" src="page.js"></script>');
  const { server, address } = await serveFolder(folder);
  try {
    await inChromium(async (context) => {
      const page = await context.newPage();
      const lines: string[] = [];
      page.on("console", (line) => lines.push(line.text()));
      const last = page.waitForEvent("console", (line) => line.text().endsWith(" words"));
      await page.goto(address);
      await last;
      assert.equal(`${lines.join("\n")}\n`, expected);
    });
  } finally {
    server.close();
  }
});

test("the engine runs by hand in Node", () => {
  const printed = execFileSync(process.execPath, [path("by-hand.js")], { encoding: "utf8" });
  assert.match(printed, /^to send: \d+ characters\ncall handleTimeout at \d+ ns\n$/);
});
