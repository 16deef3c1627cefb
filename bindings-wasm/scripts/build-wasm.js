// Builds the module into pkg/: compiled for size, wrapped by the generator, optimized. Prints its size.
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const target = "wasm32-unknown-unknown";
const profile = "release-wasm";

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: "inherit" });
}

run("cargo", ["build", "--locked", "-p", "mcp-sansio-wasm", "--profile", profile, "--target", target], root);

const built = `${root}target/${target}/${profile}/mcp_sansio_wasm.wasm`;
const generator = ["run", "--locked", "--quiet", "--target-dir", `${root}target/generator`];
run("cargo", [...generator, "--manifest-path", "generator/Cargo.toml", "--", built, "pkg"], here);

const module = `${here}pkg/mcp_sansio_wasm_bg.wasm`;
run("npx", ["--no-install", "wasm-opt", "-Oz", "--strip-producers", module, "-o", `${module}.small`], here);
renameSync(`${module}.small`, module);

const bytes = readFileSync(module);
console.log(`wasm: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} with gzip -9`);
