/** A Chromium, and what the tests of the browser ask of it. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type BrowserContext, type Page, chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function installed(): string {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch {
      continue;
    }
  }
  throw new Error("no browser: install chromium, or put one on the PATH");
}

/** A web server of the package's own script, with its address. */
export interface Served {
  readonly server: Server;
  readonly address: string;
}

/** Serves a folder, or the playground. */
export async function serveFolder(folder?: URL): Promise<Served> {
  const script = (await import(new URL("../../playground/serve.js", import.meta.url).href)) as {
    servePlayground: (port?: number, folder?: URL) => Promise<Served>;
  };
  return script.servePlayground(0, folder);
}

/** Runs `use` in a fresh browser, which is gone afterwards. */
export async function inChromium(use: (context: BrowserContext) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "chromium-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: installed(),
    headless: true,
    args: FLAGS,
  });
  // What a test waits for takes milliseconds; a slow machine has some reserve.
  context.setDefaultTimeout(15_000);
  try {
    await use(context);
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The scripts that the page's own realm parses from now on, by address; those of its workers are not among them. */
export async function parsedScripts(context: BrowserContext, page: Page): Promise<Set<string>> {
  const scripts = new Set<string>();
  const session = await context.newCDPSession(page);
  session.on("Debugger.scriptParsed", ({ url }) => {
    if (url.startsWith("http")) scripts.add(url);
  });
  await session.send("Debugger.enable");
  return scripts;
}
