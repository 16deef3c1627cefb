/** A server that a host starts as a child process. */
import { Console } from "node:console";
import type { Readable, Writable } from "node:stream";

import { Server as SharedServer, type ServerOptions } from "mcp-sansio-wasm/shared";

import { loadEngine } from "./engine.js";
import { StreamLink } from "./stream-link.js";

/** Milliseconds that running handlers get at the end. Official clients kill a server after 2,000. */
const DRAIN_MS = 1500;
/** Milliseconds that the last output, and code that runs after `stdio`, get before the process exits. */
const EXIT_MS = 250;
const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Where to serve, other than on the process's own streams. */
export interface ServerStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * A server. Give it tools, then serve one client on this process's standard streams.
 *
 * ```ts
 * import { Server } from "mcp-sansio";
 *
 * const server = new Server({ name: "greeter", version: "1.0.0" });
 * const inputSchema = { type: "object", properties: { who: { type: "string" } }, required: ["who"] };
 * server.tool("greet", { description: "Greets someone", inputSchema }, ({ who }) => `Hello, ${String(who)}!`);
 * await server.stdio();
 * ```
 */
export class Server extends SharedServer {
  readonly #drain: number;

  /** As the shared one, but running handlers get 1,500 ms at the end of input, unless `limits.drain` says otherwise. */
  constructor(options: ServerOptions) {
    const drain = options.limits?.drain ?? DRAIN_MS;
    super({ ...options, limits: { ...options.limits, drain } });
    this.#drain = drain;
  }

  /**
   * Serves the client at the other end of this process's standard input and output, and resolves at the end with its
   * reason, as {@link ServerSession.closed} does. At the end of input, and at SIGTERM or SIGINT, what runs may finish
   * within `limits.drain`; then it is cancelled.
   *
   * On the process's own streams, `console` and `process.stdout` write to standard error from now on, since standard
   * output belongs to the protocol; and shortly after the end the process exits, even if something still keeps it busy.
   *
   * @throws {@link EngineError} `config.invalid` if the options or a tool's definition can't work.
   */
  async stdio(streams?: ServerStreams): Promise<string> {
    if (streams !== undefined) return this.#serve(new StreamLink(streams.input, streams.output));
    const link = new StreamLink(process.stdin, process.stdout);
    Object.defineProperty(process, "stdout", { value: process.stderr });
    Object.assign(console, new Console(process.stderr, process.stderr));
    const reason = await this.#serve(link);
    if (reason === "engine.failed") process.exitCode = 1;
    setTimeout(() => process.exit(), EXIT_MS).unref();
    await link.flushed;
    return reason;
  }

  async #serve(link: StreamLink): Promise<string> {
    const session = await this.connect(link, loadEngine());
    const stop = (): void => {
      void session.close(this.#drain);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    const reason = await session.closed;
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
    return reason;
  }
}
