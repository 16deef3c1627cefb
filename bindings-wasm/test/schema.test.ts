/** JSON Schema where the engine has no validator: the corpus that the engine's own validator is held to as well. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { SchemaCheck, SchemaError } from "mcp-sansio-wasm/shared";

interface Case {
  name: string;
  schema: unknown;
  value?: unknown;
  valid?: boolean;
  path?: string | string[];
  refused?: string | string[];
}

/** A case names one path, or each of those that the specification allows. */
const isAmong = (path: string, allowed: string | string[] | undefined): boolean =>
  path === allowed || (Array.isArray(allowed) && allowed.includes(path));

const seconds = (began: number): number => (performance.now() - began) / 1000;

/** R-SCH-001, R-SCH-003, R-SCH-004, R-SCH-005, R-SCH-006, R-SCH-007, R-SCH-008 */
test("the corpus is judged right", async () => {
  const corpus = await readFile(new URL("../../../tests/schemas/corpus.jsonl", import.meta.url), "utf8");
  const cases = corpus.trim().split("\n").map((line) => JSON.parse(line) as Case);
  assert.ok(cases.length >= 120);
  const judge = ({ schema, value, valid, path, refused }: Case): string | undefined => {
    try {
      const check = new SchemaCheck(schema);
      if (refused !== undefined) return "compiled";
      const [first, ...more] = check.violations(value);
      if (first === undefined) return valid === true ? undefined : "fits";
      if (valid === false && isAmong(first.path, path)) return undefined;
      return `does not fit: ${JSON.stringify([first, ...more])}`;
    } catch (error) {
      if (error instanceof SchemaError && isAmong(error.path, refused)) return undefined;
      return String(error);
    }
  };
  const wrong = cases.map((one) => [one.name, judge(one)]).filter(([, verdict]) => verdict !== undefined);
  assert.deepEqual(wrong, []);
});

/** R-SCH-008 */
test("alternatives within alternatives end", () => {
  const branch = (title: string): unknown => ({ title, properties: { left: { $ref: "#/$defs/e" } } });
  const began = performance.now();
  for (const alternatives of ["anyOf", "oneOf"]) {
    const branches = ["a", "b", "c", "d"].map(branch);
    const check = new SchemaCheck({ $ref: "#/$defs/e", $defs: { e: { type: "object", [alternatives]: branches } } });
    for (const levels of [2, 20, 120]) {
      let value: unknown = "no object";
      for (let level = 0; level < levels; level += 1) value = { left: value };
      assert.notDeepEqual(check.violations(value), []);
    }
  }
  assert.ok(seconds(began) < 20);
});

/** R-SCH-008 */
test("the sizes of schemas and of what is compared are bounded", () => {
  assert.throws(() => new SchemaCheck({ description: "x".repeat(256 * 1024) }), SchemaError);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, place) => [String(place), {}]));
  assert.throws(() => new SchemaCheck({ properties: many }), SchemaError);
  assert.throws(() => new SchemaCheck(undefined), SchemaError);
  const began = performance.now();
  const unique = new SchemaCheck({ properties: { list: { uniqueItems: true } } });
  assert.equal(unique.violations({ list: Array.from({ length: 200_000 }, (_, place) => place) }).length, 1);
  assert.deepEqual(unique.violations({ list: Array.from({ length: 2000 }, (_, place) => place) }), []);
  assert.ok(seconds(began) < 20);
});

test("values that nest deeper than the stack of the runtime do not fit", () => {
  let value: unknown = {};
  for (let level = 0; level < 100_000; level += 1) value = { a: value };
  assert.equal(new SchemaCheck({ additionalProperties: { $ref: "#" } }).violations(value).length, 1);
});

test("violations are few, short, and without the texts of the value", () => {
  const check = new SchemaCheck({
    properties: { a: { type: "integer" }, b: { enum: ["x"] }, c: { pattern: "^x$" } },
    additionalProperties: { maxLength: 1 },
  });
  const value: Record<string, string> = { a: "SECRET", b: "SECRET", c: "SECRET" };
  for (let place = 0; place < 1000; place += 1) value[`m${String(place)}`] = "SECRET";
  assert.equal(check.violations(value).length, 8);
  const misfit = check.misfit(value, "arguments") ?? "";
  assert.ok(misfit.length < 2500);
  assert.doesNotMatch(misfit, /SECRET/);
});

/** The schema of a tool is the application's: it is read, never written to. */
test("a schema may be frozen, and stays as it is", () => {
  const schema = Object.freeze({ $id: "urn:x", format: "email", items: Object.freeze({ $ref: "#" }) });
  assert.deepEqual(new SchemaCheck(schema).violations([[]]), []);
  assert.deepEqual(schema, { $id: "urn:x", format: "email", items: { $ref: "#" } });
});

/** R-TOL-019 */
test("results are held against an output schema", () => {
  const check = new SchemaCheck({ type: "object", required: ["n"] });
  assert.equal(check.resultMisfit({ structuredContent: { n: 1 } }), undefined);
  assert.equal(check.resultMisfit({ structuredContent: {}, isError: true }), undefined);
  assert.match(check.resultMisfit({}) ?? "", /^structuredContent: /);
  assert.match(check.resultMisfit({ structuredContent: null }) ?? "", /^structuredContent: /);
});
