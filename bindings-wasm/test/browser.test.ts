/** The playground in a real Chromium: the wasm client in the page, the wasm server in a module worker. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import type { Page } from "playwright-core";

import { type Served, inChromium, parsedScripts, serveFolder } from "./chromium.js";

const folder = new URL("../../", import.meta.url);

let served: Served;

before(async () => {
  served = await serveFolder();
});

after(() => {
  served.server.close();
});

/** The sources that a bundle is made of. */
async function sources(bundle: string): Promise<string[]> {
  const meta = JSON.parse(await readFile(new URL("build/playground.json", folder), "utf8")) as {
    outputs: Record<string, { inputs: Record<string, unknown> }>;
  };
  return Object.keys(meta.outputs[`build/playground/${bundle}`]?.inputs ?? {});
}

async function call(page: Page, tool: string, args?: object): Promise<void> {
  await page.locator("#tool").selectOption(tool);
  if (args !== undefined) await page.locator("#arguments").fill(JSON.stringify(args));
  await page.locator("#call").click();
}

async function result(page: Page): Promise<string> {
  await page.locator("#result:not(:empty)").waitFor();
  return page.locator("#result").innerText();
}

interface Shown {
  readonly way: string;
  readonly message: { id?: unknown; method?: string; params?: Record<string, unknown>; result?: unknown };
}

/** What the page shows of the conversation. */
async function conversation(page: Page): Promise<Shown[]> {
  const items = await page.locator("#conversation li").all();
  return Promise.all(
    items.map(async (item) => ({
      way: (await item.getAttribute("class")) ?? "",
      message: JSON.parse(await item.locator("pre").innerText()) as Shown["message"],
    })),
  );
}

for (const [revision, opening] of [
  ["2025-11-25", "initialize"],
  ["2026-07-28", "server/discover"],
] as const) {
  test(`${revision} in Chromium`, async () => {
    await inChromium(async (context) => {
      const page = await context.newPage();
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (line) => {
        if (line.type() === "error") problems.push(line.text());
      });
      const scripts = await parsedScripts(context, page);
      const workerBegan = page.waitForEvent("worker");
      await page.goto(`${served.address}?revision=${revision}`);
      const worker = await workerBegan;
      await page.getByText(`connected to playground, revision ${revision}`).waitFor();

      // Who serves, and who holds what.
      assert.deepEqual(
        await worker.evaluate(() => [self.constructor.name, location.pathname, typeof document]),
        ["DedicatedWorkerGlobalScope", "/worker.js", "undefined"],
      );
      const engine = `${served.address}pkg/mcp_sansio_wasm_bg.wasm`;
      assert.deepEqual([...scripts], [`${served.address}page.js`, engine]);
      assert.ok((await sources("page.js")).includes("dist/client.js"));
      assert.ok(!(await sources("page.js")).some((source) => /server|worker/.test(source)));
      assert.ok((await sources("worker.js")).includes("dist/server.js"));
      assert.ok(!(await sources("worker.js")).includes("dist/client.js"));
      const loaded = (): string[] => performance.getEntriesByType("resource").map(({ name }) => name);
      assert.ok((await page.evaluate(loaded)).includes(engine));
      assert.ok((await worker.evaluate(loaded)).includes(engine));

      // List, and a call with Unicode.
      assert.deepEqual(await page.locator("#tool option").allInnerTexts(), [
        "greet",
        "countdown",
        "interruptions",
        "fail",
      ]);
      const who = "Grüße, 世界 \u{1F469}\u200D\u{1F680} \"\\ שלום";
      await call(page, "greet", { who });
      assert.equal(await result(page), `Hello, ${who}!`);

      // A tool that fails.
      await call(page, "fail");
      assert.equal(await result(page), "This tool always fails.");
      assert.equal(await page.locator("#result").getAttribute("class"), "failed");

      // Progress, in order.
      await call(page, "countdown", { from: 4 });
      assert.equal(await result(page), "Lift-off!");
      assert.deepEqual(await page.locator("#progress li").allInnerTexts(), [
        "1 of 4: 3 left",
        "2 of 4: 2 left",
        "3 of 4: 1 left",
        "4 of 4: 0 left",
      ]);

      // A call that is cancelled: its handler saw it, and the next call works.
      await call(page, "countdown", { from: 1_000_000 });
      await page.locator("#progress li").first().waitFor();
      await page.locator("#cancel").click();
      assert.match(await result(page), /^call\.cancelled: /);
      await call(page, "interruptions");
      assert.equal(await result(page), "1 cancelled");

      // What was shown is what was said.
      const shown = await conversation(page);
      assert.equal(shown[0]?.message.method, opening);
      assert.equal(shown.some(({ message: { method } }) => method === "tools/list"), true);
      const countdowns = shown.filter(({ message: { params } }) => params?.["name"] === "countdown");
      const cancelled = countdowns.at(-1)?.message.id;
      const notice = shown.findIndex(({ message: { method } }) => method === "notifications/cancelled");
      assert.equal(shown[notice]?.message.params?.["requestId"], cancelled);
      assert.equal(shown[notice]?.message.params?.["reason"], "cancelled by the user");
      assert.equal(shown.slice(notice).some(({ way, message: { id } }) => way === "received" && id === cancelled), false);
      const first = countdowns[0]?.message;
      const token = (first?.params?.["_meta"] as { progressToken?: unknown } | undefined)?.progressToken;
      assert.ok(token !== undefined);
      const ofFirst = shown.filter(({ message: { params } }) => params?.["progressToken"] === token);
      assert.deepEqual(
        ofFirst.map(({ way, message: { params } }) => [way, params?.["progress"]]),
        [1, 2, 3, 4].map((step) => ["received", step]),
      );
      const answered = shown.findIndex(({ message }) => message.id === first?.id && message.result !== undefined);
      assert.ok(shown.findIndex((entry) => entry === ofFirst[3]) < answered);
      assert.deepEqual(problems, []);
    });
  });
}

test("without a choice the newest revision is spoken, and peers that share none part", async () => {
  await inChromium(async (context) => {
    const page = await context.newPage();
    await page.goto(served.address);
    await page.getByText("connected to playground, revision 2026-07-28").waitFor();
    await page.goto(`${served.address}?revision=1999-01-01`);
    await page.getByText("not connected: config.invalid").waitFor();
  });
});
