/** A client that starts its server as a child process. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import {
  Client,
  type ClientOptions,
  EngineError,
  type Hooks,
  type LinkEvents,
  report,
  shielded,
} from "mcp-sansio-wasm/shared";

import { loadEngine } from "./engine.js";
import { StreamLink } from "./stream-link.js";

/** Milliseconds that a server gets to exit after the end of its input, and again after SIGTERM. */
const PATIENCE_MS = 2000;
/** Milliseconds that the end of a server's output is waited for after it has exited, or reads no more. */
const LINGER_MS = 250;

/** How to start a server. */
export interface ServerCommand {
  /** The program. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Variables beside the {@link inheritedVariables} of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Its working directory; this process's by default. */
  readonly cwd?: string | URL;
  /** Where its standard error goes: to this process's (the default), nowhere, or to a function, as it comes. */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void);
  /** Milliseconds that it gets to exit after the end of its input, and again after SIGTERM; 2,000 by default. */
  readonly patience?: number;
}

/** How a server's process ended. */
export interface Exit {
  /** Its status; `null` if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The variables that every server gets. Others may be secrets, and are for the caller to pass on. */
export const inheritedVariables: readonly string[] =
  process.platform === "win32"
    ? ["APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROGRAMFILES", "SYSTEMROOT"]
        .concat(["TEMP", "TMP", "USERNAME", "USERPROFILE"])
    : ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/**
 * A client of a server that it starts.
 *
 * ```ts
 * import { StdioClient } from "mcp-sansio";
 *
 * const server = { command: "node", args: ["server.mjs"] };
 * const client = await StdioClient.connect(server, { name: "host", version: "1.0.0" });
 * for (const { name, description } of await client.listTools()) console.log(name, description);
 * const { content } = await client.callTool("greet", { who: "世界" }, { timeout: 10_000 });
 * console.log(content);
 * await client.close();
 * ```
 */
export class StdioClient extends Client {
  readonly #processes: ServerProcess[] = [];

  /**
   * Starts a server, and resolves when it is known. `remembered` is the revision of an earlier connection to the same
   * server. A server that dies of the question for its era is started once more, without the question.
   *
   * @throws what `spawn` says if the program can't be started; {@link EngineError} as {@link Client.connect} says.
   * Whatever was started has exited by then; of a server that did so by itself, the message says how.
   */
  static async connect(server: ServerCommand, options: ClientOptions, remembered?: string): Promise<StdioClient> {
    const client = new StdioClient(options);
    const start = async (): Promise<StreamLink> => {
      const started = await ServerProcess.start(server, options);
      client.#processes.push(started);
      return started;
    };
    try {
      await client.connect(start, loadEngine(), remembered);
    } catch (error) {
      const exit = await client.#allExited();
      const terminated = client.#processes.at(-1)?.terminated ?? true;
      if (terminated || !(error instanceof EngineError) || error.code !== "close.peer") throw error;
      const how = exit.signal === null ? `exited with status ${String(exit.code)}` : `was ended by ${exit.signal}`;
      throw new EngineError(error.code, `the server ${how} before it answered; ${error.message}`, { cause: error });
    }
    return client;
  }

  /** How the server's process ended. Resolves when it has, and all of its output was read. */
  get exited(): Promise<Exit> {
    return this.#allExited();
  }

  /** Ends the connection as {@link Client.close} does, and resolves when the server has exited. */
  override async close(drainMs = 0): Promise<string> {
    const reason = await super.close(drainMs);
    await this.#allExited();
    return reason;
  }

  async #allExited(): Promise<Exit> {
    const exits = await Promise.all(this.#processes.map((process) => process.exited));
    return exits.at(-1) ?? { code: null, signal: null };
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable | null>;

/** A server's process, and the link over its standard streams. */
class ServerProcess extends StreamLink {
  readonly exited: Promise<Exit>;
  readonly #child: Child;
  readonly #patience: number;

  static async start(server: ServerCommand, hooks: Hooks): Promise<ServerProcess> {
    const { command, args = [], cwd, stderr = "inherit", patience = PATIENCE_MS } = server;
    const inherited = inheritedVariables.map((name) => [name, process.env[name]] as const);
    const child = spawn(command, args, {
      cwd,
      env: { ...Object.fromEntries(inherited), ...server.env },
      stdio: ["pipe", "pipe", typeof stderr === "function" ? "pipe" : stderr],
    }) as Child;
    await once(child, "spawn");
    child.on("error", (error) => {
      report(hooks, error);
    });
    if (typeof stderr === "function") {
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        shielded(hooks, stderr, text);
      });
    }
    return new ServerProcess(child, patience);
  }

  private constructor(child: Child, patience: number) {
    super(child.stdout, child.stdin);
    this.#child = child;
    this.#patience = patience;
    this.exited = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        resolve({ code, signal });
      });
    });
  }

  /** Whether a signal from here told it to exit. */
  get terminated(): boolean {
    return this.#child.killed;
  }

  /** A server's input breaks when it dies, maybe before its last words were read: its output decides. */
  override open(events: LinkEvents): void {
    super.open({
      ...events,
      closed: () => {
        setTimeout(() => {
          events.closed();
        }, LINGER_MS).unref();
      },
    });
  }

  /** Ends the server's input, and sees to it that the server exits. Until then its output is read, and dropped. */
  override close(): void {
    const child = this.#child;
    this.output.end();
    this.input.resume();
    const terminate = setTimeout(() => child.kill("SIGTERM"), this.#patience);
    const kill = setTimeout(() => child.kill("SIGKILL"), 2 * this.#patience);
    const stopped = (): void => {
      clearTimeout(terminate);
      clearTimeout(kill);
      // Processes that the server leaves behind may hold its output open.
      const linger = setTimeout(() => {
        this.input.destroy();
        child.stderr?.destroy();
      }, LINGER_MS);
      void this.exited.then(() => {
        clearTimeout(linger);
      });
    };
    if (child.exitCode === null && child.signalCode === null) child.once("exit", stopped);
    else stopped();
  }
}
