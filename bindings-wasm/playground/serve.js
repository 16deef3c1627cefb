// `node playground/serve.js [port]`: serves the built playground on this machine and prints its address.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const built = new URL("../build/playground/", import.meta.url);
const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".map": "application/json",
  ".wasm": "application/wasm",
};

async function answer(folder, request, response) {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  // A URL's path has its dots resolved, so it can't leave the folder.
  const file = new URL(`.${pathname === "/" ? "/index.html" : pathname}`, folder);
  const type = types[extname(file.pathname)];
  const body = type === undefined ? undefined : await readFile(file).catch(() => undefined);
  if (body === undefined) response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
  else response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);
}

/** Serves a folder, or the playground; resolves with the server and its address when it listens. */
export function servePlayground(port = 0, folder = built) {
  const server = createServer((request, response) => {
    answer(folder, request, response).catch((error) => response.destroy(error));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      resolve({ server, address: `http://127.0.0.1:${server.address().port}/` });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await servePlayground(Number(process.argv[2] ?? 0));
  console.log(`playground: ${address}`);
}
