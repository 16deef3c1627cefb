/** A pair of byte streams as a link. */
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";

import type { Link, LinkEvents } from "mcp-sansio-wasm/shared";

/** Reads from one stream and writes to another, one message a line. */
export class StreamLink implements Link {
  readonly messages = false;
  /** Resolves when the output has taken everything that was sent before {@link close}, or takes nothing any more. */
  readonly flushed: Promise<void>;
  protected readonly input: Readable;
  protected readonly output: Writable;

  /** Takes both streams over: nobody else may use them from now on. */
  constructor(input: Readable, output: Writable) {
    this.input = input;
    this.output = output;
    this.flushed = finished(output, { readable: false }).catch(() => undefined);
  }

  open(events: LinkEvents): void {
    const ended = (): void => {
      events.ended();
    };
    const closed = (): void => {
      events.closed();
    };
    this.input
      .on("data", (chunk: Uint8Array) => {
        events.received(chunk);
      })
      .on("end", ended)
      .on("error", ended)
      .on("close", ended);
    this.output
      .on("drain", () => {
        events.writable();
      })
      .on("error", closed)
      .on("close", closed);
  }

  send(text: string): boolean {
    return this.output.write(text);
  }

  pause(): void {
    this.input.pause();
  }

  resume(): void {
    this.input.resume();
  }

  close(): void {
    this.input.destroy();
    this.output.end();
  }
}
