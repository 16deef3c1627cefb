/** An engine in the engine's place, which keeps what passes. */
import { Code, type Connection, type ConnectionConstructor, type Engine, RECORD_SIZE, recordsOf } from "mcp-sansio";

/** What crossed the border between the engine and the layer above. */
export interface Recording {
  /** The bytes that went in. */
  readonly input: Uint8Array[];
  /** The bytes that came out. */
  readonly output: Uint8Array[];
  /** The names of the facts and commands, in order. */
  readonly entries: string[];
  /** The times that were told with them. */
  readonly times: number[];
}

/** Turns each ASCII character into another one, and back. */
function turned(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte < 128 ? byte ^ 1 : byte));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const questions = new Set(["drainEvents", "isOver", "wantsRead", "nextTimeout", "stats"]);

/**
 * The same engine, but what it reads and writes is turned, newlines included. Whoever reads a message above this
 * engine, or makes one, speaks another language than its peer.
 */
export function recorded(engine: Engine): { engine: Engine; recording: Recording } {
  const recording: Recording = { input: [], output: [], entries: [], times: [] };

  const drain = (machine: Connection, maxBytes: number): ReturnType<Connection["drain"]> => {
    const batch = machine.drain(maxBytes);
    let { text } = batch;
    for (const [index, record] of [...recordsOf(batch)].entries()) {
      if (record.code !== Code.Output) continue;
      const bytes = turned(encoder.encode(record.text(0)));
      recording.output.push(bytes);
      const start = batch.records[index * RECORD_SIZE + 4] ?? 0;
      const output = decoder.decode(bytes);
      text = text.slice(0, start) + output + text.slice(start + output.length);
    }
    return { ...batch, text };
  };
  const enter = (machine: Connection, name: string, args: unknown[]): unknown => {
    if (name === "drain") return drain(machine, Number(args[0]));
    if (!questions.has(name)) {
      recording.entries.push(name);
      recording.times.push(Number(args[0]));
    }
    if (name === "handleData") {
      const bytes = Uint8Array.from(args[1] as Uint8Array);
      recording.input.push(bytes);
      machine.handleData(Number(args[0]), turned(bytes));
      return undefined;
    }
    const method = Reflect.get(machine, name) as (...args: unknown[]) => unknown;
    return Reflect.apply(method, machine, args);
  };
  const wrap = <C extends Connection>(Machine: ConnectionConstructor<C>): ConnectionConstructor<C> =>
    new Proxy(Machine, {
      construct: (_, args: ConstructorParameters<typeof Machine>) =>
        new Proxy(new Machine(...args), {
          get: (machine, name) =>
            name in machine ? (...given: unknown[]) => enter(machine, String(name), given) : undefined,
        }),
    });
  return {
    recording,
    engine: { ServerConnection: wrap(engine.ServerConnection), ClientConnection: wrap(engine.ClientConnection) },
  };
}
