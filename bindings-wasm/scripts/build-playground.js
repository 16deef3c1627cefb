// Bundles the page and the worker of the playground, each alone, into build/playground/.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = fileURLToPath(new URL("..", import.meta.url));
const out = `${here}build/playground`;

rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/pkg`, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["playground/page.ts", "playground/worker.ts"],
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  sourcemap: true,
  metafile: true,
});
// Which sources each bundle is made of.
writeFileSync(`${here}build/playground.json`, JSON.stringify(metafile, null, 2));
for (const name of ["index.html", "style.css"]) copyFileSync(`${here}playground/${name}`, `${out}/${name}`);
copyFileSync(`${here}pkg/mcp_sansio_wasm_bg.wasm`, `${out}/pkg/mcp_sansio_wasm_bg.wasm`);
