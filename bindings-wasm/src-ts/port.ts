/** MCP over a `MessagePort`: each message is one string of JSON text. */
import type { Link, LinkEvents } from "./driver.js";

/** What a link uses of a `MessagePort`, which browsers, workers and Node all have. */
export interface Port {
  postMessage(message: string): void;
  addEventListener(type: "message" | "messageerror" | "close", listener: (event: Event) => void): void;
  removeEventListener(type: "message" | "messageerror" | "close", listener: (event: Event) => void): void;
  start(): void;
  close(): void;
}

/**
 * A link over a port. It listens from its construction on, and keeps what arrives before it is opened: construct it
 * as soon as the port is there, before anything is awaited.
 *
 * The end of the peer is the port's `close` event. A runtime without that event leaves a peer that vanishes to the
 * time limits of calls.
 */
export class PortLink implements Link {
  readonly messages = true;
  readonly #port: Port;
  readonly #early: ((events: LinkEvents) => void)[] = [];
  #events: LinkEvents | undefined;

  /** Takes the port over: nobody else may use it from now on. */
  constructor(port: Port) {
    this.#port = port;
    port.addEventListener("message", this.#onMessage);
    port.addEventListener("messageerror", this.#onMessage);
    port.addEventListener("close", this.#onClose);
    port.start();
  }

  open(events: LinkEvents): void {
    queueMicrotask(() => {
      this.#events = events;
      for (const tell of this.#early.splice(0)) tell(events);
    });
  }

  send(text: string): boolean {
    this.#port.postMessage(text);
    return true;
  }

  close(): void {
    this.#port.removeEventListener("message", this.#onMessage);
    this.#port.removeEventListener("messageerror", this.#onMessage);
    this.#port.removeEventListener("close", this.#onClose);
    this.#port.close();
  }

  #tell(tell: (events: LinkEvents) => void): void {
    if (this.#events === undefined) this.#early.push(tell);
    else tell(this.#events);
  }

  readonly #onMessage = (event: Event): void => {
    const data: unknown = "data" in event ? event.data : undefined;
    // What is no text can't be JSON either: the engine deals with it as with any other garbage.
    const text = typeof data === "string" ? data : "";
    this.#tell((events) => {
      events.received(text);
    });
  };

  readonly #onClose = (): void => {
    this.#tell((events) => {
      events.closed();
    });
  };
}
