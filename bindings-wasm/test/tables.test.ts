/** What is written down twice says the same. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Code, TASK, TOOL_CALL, UNCHECKED } from "mcp-sansio-wasm/shared";

const root = new URL("../../../", import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), "utf8");

test("the codes of records are the engine's", async () => {
  const source = await read("core/src/embed/batch.rs");
  const [, members = ""] = /pub enum Code \{([^}]*)\}/.exec(source) ?? [];
  const codes = [...members.matchAll(/^ {4}(\w+) = (\d+),$/gm)].map(([, name, number]) => [name, Number(number)]);
  assert.ok(codes.length > 10);
  assert.deepEqual(Object.fromEntries(codes), { ...Code });
  assert.match(source, new RegExp(`const UNCHECKED: u64 = ${String(UNCHECKED)};`));
  assert.match(source, new RegExp(`const TOOL_CALL: u64 = ${String(TOOL_CALL)};`));
  assert.match(source, new RegExp(`const TASK: u64 = ${String(TASK)};`));
});

test("the limits are the engine's", async () => {
  const source = await read("core/src/limits.rs");
  const [, theirs = ""] = /pub struct Limits \{([^}]*)\n\}/.exec(source) ?? [];
  const [, ours = ""] = /interface Limits \{([^}]*)\n\}/.exec(await read("bindings-wasm/src-ts/options.ts")) ?? [];
  const names = [...theirs.matchAll(/pub (\w+):/g)].map(([, name = ""]) =>
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  assert.ok(names.length > 15);
  assert.deepEqual(
    [...ours.matchAll(/readonly (\w+)\?/g)].map(([, name]) => name),
    names,
  );
});

test("the module and its generator have the same version of wasm-bindgen", async () => {
  const version = async (path: string, crate: string): Promise<string | undefined> =>
    new RegExp(`name = "${crate}"\nversion = "([^"]+)"`).exec(await read(path))?.[1];
  const ours = await version("Cargo.lock", "wasm-bindgen");
  assert.ok(ours !== undefined);
  assert.equal(await version("bindings-wasm/generator/Cargo.lock", "wasm-bindgen-cli-support"), ours);
});

test("the package has the version of the workspace", async () => {
  const [, version] = /\[workspace\.package\]\nversion = "([^"]+)"/.exec(await read("Cargo.toml")) ?? [];
  const manifest = JSON.parse(await read("bindings-wasm/package.json")) as { version: string };
  assert.equal(manifest.version, version);
});
