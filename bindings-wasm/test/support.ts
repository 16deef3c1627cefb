/** What the tests of this package share. */
import {
  type Batch,
  type Clock,
  type Connection,
  type Link,
  type LinkEvents,
  RECORD_SIZE,
} from "mcp-sansio-wasm/shared";

/** A clock that stands until it is moved. */
export class ManualClock implements Clock {
  time = 0;
  #timers: { at: number; fire: () => void }[] = [];

  now(): number {
    return this.time;
  }
  wall(): number {
    return 1e12 + this.time;
  }
  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.time + ms, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }
  /** When the armed timers fire. */
  get armed(): number[] {
    return this.#timers.map(({ at }) => at);
  }
  /** Lets time pass, and fires what is due in its order. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.fire();
    }
    this.time = end;
  }
}

/** What a fake machine says in one record. */
export interface Said {
  code: number;
  number?: number;
  handle?: number;
  related?: number;
  texts?: (string | undefined)[];
}

/** A batch as an engine would make it. */
export function batchOf(said: Said[], rest: { timeout?: number; more?: boolean } = {}): Batch {
  let text = " ";
  const records = new Float64Array(said.length * RECORD_SIZE);
  said.forEach((record, index) => {
    const at = index * RECORD_SIZE;
    records.set([record.code, record.number ?? 0, record.handle ?? 0, record.related ?? 0], at);
    record.texts?.forEach((part, place) => {
      if (part === undefined) return;
      records.set([text.length, text.length + part.length], at + 4 + 2 * place);
      text += part;
    });
  });
  return { text, records, timeout: rest.timeout, more: rest.more ?? false };
}

/** A machine that says what a test makes it say, and keeps what it was told. */
export class FakeConnection implements Connection {
  /** What it was told, each as its name and arguments. */
  readonly told: unknown[][] = [];
  /** What the next drains bring. */
  batches: Batch[] = [];
  /** What is said only while the link has room. */
  output: Said[] = [];
  timeout: number | undefined;
  reads = true;
  over = false;
  freed = false;
  /** Called by each fact and command. */
  react: (name: string) => void = () => undefined;

  #tell(...what: [name: string, ...rest: unknown[]]): void {
    this.told.push(what);
    this.react(what[0]);
  }
  handleData(now: number, data: Uint8Array): void {
    this.#tell("data", now, new TextDecoder().decode(data));
  }
  handleMessage(now: number, message: string): void {
    this.#tell("message", now, message);
  }
  handleEof(now: number): void {
    this.#tell("eof", now);
  }
  handleClosed(now: number): void {
    this.#tell("closed", now);
  }
  handleTimeout(now: number): void {
    this.#tell("timeout", now);
  }
  nextTimeout(): number | undefined {
    return this.timeout;
  }
  wantsRead(): boolean {
    return this.reads;
  }
  isOver(): boolean {
    return this.over && this.batches.length === 0 && this.output.length === 0;
  }
  drain(): Batch {
    const output = this.output.splice(0);
    if (output.length > 0) return batchOf(output, { more: true });
    return this.drainEvents();
  }
  drainEvents(): Batch {
    const next = this.batches.shift();
    if (next !== undefined) return { ...next, more: next.more || this.batches.length > 0 };
    return batchOf([], this.timeout === undefined ? {} : { timeout: this.timeout });
  }
  call(now: number, method: string): number {
    this.#tell("call", now, method);
    return 1;
  }
  cancel(now: number, call: number): void {
    this.#tell("cancel", now, call);
  }
  notify(now: number, method: string): void {
    this.#tell("notify", now, method);
  }
  close(now: number, drainMs: number): void {
    this.#tell("close", now, drainMs);
  }
  setWallClock(now: number, unixMillis: number): void {
    this.#tell("wall", now, unixMillis);
  }
  taskOf(): string | undefined {
    return undefined;
  }
  taskStatus(now: number): void {
    this.#tell("task", now);
  }
  stats(): string {
    return "{}";
  }
  free(): void {
    this.freed = true;
  }
}

/** A link whose other end is the test. */
export class FakeLink implements Link {
  readonly messages = true;
  readonly sent: string[] = [];
  events: LinkEvents | undefined;
  /** How many more sends find room. */
  room = Infinity;
  paused = false;
  closed = false;

  open(events: LinkEvents): void {
    this.events = events;
  }
  send(text: string): boolean {
    this.sent.push(text);
    this.room -= 1;
    return this.room > 0;
  }
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
  close(): void {
    this.closed = true;
  }
  /** Reports a message. */
  receive(text: string): void {
    this.events?.received(text);
  }
}

/** A promise and what settles it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
