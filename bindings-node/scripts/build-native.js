// Builds the addon and puts it where the package looks for it: native/<platform>-<architecture>.node.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const arguments_ = ["build", "--locked", "--release", "-p", "mcp-sansio-node", "--message-format", "json-render-diagnostics"];
const output = execFileSync("cargo", arguments_, { cwd: here, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });

const artifacts = output
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line))
  .filter(({ reason, target }) => reason === "compiler-artifact" && target.name === "mcp_sansio_node");
const library = artifacts.at(-1)?.filenames.find((name) => /\.(so|dylib|dll)$/.test(name));
if (library === undefined) throw new Error("cargo built no library of mcp-sansio-node");

mkdirSync(`${here}native`, { recursive: true });
copyFileSync(library, `${here}native/${process.platform}-${process.arch}.node`);
