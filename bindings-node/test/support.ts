/** What the tests of this package share. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { type ClientConnection, Code, type Connection, type ServerConnection, loadEngine, recordsOf } from "mcp-sansio";

export const native = await loadEngine("native");

/** The path of a file of this package. */
export function file(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** A text of the repository. */
export function readRepository(path: string): string {
  return readFileSync(file(`../${path}`), "utf8");
}

export const MS = 1e6;
const info = { name: "test", version: "1" };
const seed = new Uint8Array(32);

export function serverMachine(config: object = {}): ServerConnection {
  return new native.ServerConnection(JSON.stringify({ info, ...config }), seed, false);
}

export function clientMachine(config: object = {}): ClientConnection {
  return new native.ClientConnection(JSON.stringify({ info, ...config }), seed, false);
}

/** A record as a test compares it. */
export interface Seen {
  readonly code: number;
  readonly number: number;
  readonly handle: number;
  readonly related: number;
  readonly texts: readonly (string | undefined)[];
}

/** Everything that a machine has to say now. */
export interface Taken {
  readonly output: string;
  readonly events: readonly Seen[];
  readonly timeout: number | undefined;
}

export function take(machine: Connection): Taken {
  let output = "";
  const events: Seen[] = [];
  for (;;) {
    const batch = machine.drain(1 << 16);
    for (const record of recordsOf(batch)) {
      const { code, number, handle, related } = record;
      if (code === Code.Output) output += record.text(0) ?? "";
      else events.push({ code, number, handle, related, texts: [0, 1, 2, 3, 4, 5, 6, 7].map((index) => record.text(index)) });
    }
    if (!batch.more) return { output, events, timeout: batch.timeout ?? undefined };
  }
}

export function feed(machine: Connection, now: number, text: string): void {
  machine.handleData(now, new TextEncoder().encode(text));
}

/** The one event with this code. */
export function only(events: readonly Seen[], code: number): Seen {
  const found = events.filter((event) => event.code === code);
  const [event] = found;
  if (event === undefined || found.length > 1) {
    throw new Error(`expected one event ${String(code)} in ${JSON.stringify(events)}`);
  }
  return event;
}

/** A client and a server of which each gets what the other says. */
export class Pair {
  now = 0;
  readonly client: ClientConnection;
  readonly server: ServerConnection;

  constructor(client: object, server: object) {
    this.client = clientMachine(client);
    this.server = serverMachine(server);
  }

  /** Lets both speak until neither has anything to say. */
  exchange(): { client: Seen[]; server: Seen[] } {
    const seen = { client: [] as Seen[], server: [] as Seen[] };
    for (;;) {
      const fromClient = take(this.client);
      const fromServer = take(this.server);
      seen.client.push(...fromClient.events);
      seen.server.push(...fromServer.events);
      if (fromClient.output === "" && fromServer.output === "") return seen;
      if (fromClient.output !== "") feed(this.server, this.now, fromClient.output);
      if (fromServer.output !== "") feed(this.client, this.now, fromServer.output);
    }
  }
}

/** A promise and what fulfils it. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
