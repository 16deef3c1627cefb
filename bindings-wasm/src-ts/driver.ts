/** The loop between one machine of the engine and one channel of the host. */
import { type BatchRecord, Code, type Connection, type Engine, EngineError, codeOf, recordsOf, typed } from "./engine.js";

/**
 * One channel to one peer, as a host brings it: a `MessagePort`, a child process's pipes.
 *
 * The driver opens it once. From then on the link reports what happens through its {@link LinkEvents}, never from
 * within `send`, `pause`, `resume` or `close`.
 */
export interface Link {
  /** Whether it carries whole messages, instead of a byte stream. */
  readonly messages: boolean;
  /** Begins to report events, those that came before included. */
  open(events: LinkEvents): void;
  /** Sends one message, or bytes of a stream. False: take no more until `writable` is reported. */
  send(text: string): boolean;
  /** Leave input in the pipe from now on. Absent where `send` never returns false. */
  pause?(): void;
  /** Read on. */
  resume?(): void;
  /** Lets what was sent go out, then closes. Also called instead of `open`, if no connection could be made. */
  close(): void;
}

/** What a link reports. */
export interface LinkEvents {
  /** A message, or bytes of a stream. */
  received(input: string | Uint8Array): void;
  /** The peer says no more, but still reads. */
  ended(): void;
  /** Nothing can be written any more. */
  closed(): void;
  /** There is room again after `send` returned false. */
  writable(): void;
}

/** Time, as the host sees it. Tests bring their own. */
export interface Clock {
  /** Milliseconds since an origin that stays the same; never runs back. */
  now(): number;
  /** Milliseconds since 1970. */
  wall(): number;
  /** Calls `fire` after about `ms` milliseconds; the function that comes back takes that back. */
  after(ms: number, fire: () => void): () => void;
}

/** The clock of every JavaScript runtime. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** What a driver tells the layer above. */
export interface Owner {
  /** A record that is neither output nor a message. It must not throw. */
  deliver(record: BatchRecord): void;
  /** The end: nothing is delivered any more. `failure` if the engine itself failed. */
  ended(failure?: EngineError): void;
}

/** Text taken from the engine at once. */
const DRAIN_BYTES = 256 * 1024;
/** What a timer of JavaScript can wait at most; beyond it fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
const NANOS = 1e6;

/**
 * Drives a machine over a link: gives it the facts, writes what it says, arms its one timer, and delivers the rest.
 * Each fact ends with a drain; commands of one turn share the drain, and with it the write, that ends the turn.
 * Commands may be given from within `deliver`: they run at once, and what they bring about is taken by the drain that
 * is under way, so that nothing is written out of order.
 */
export class Driver<C extends Connection> {
  readonly #connection: C;
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #owner: Owner;
  readonly #forget: (() => void) | undefined;
  #draining = false;
  #again = false;
  #soon = false;
  #writable = true;
  #paused = false;
  #closed = false;
  #ended = false;
  #deadline: number | undefined;
  #disarm: (() => void) | undefined;

  /** Opens the link. */
  constructor(engine: Engine, connection: C, link: Link, clock: Clock, owner: Owner) {
    this.#connection = connection;
    this.#link = link;
    this.#clock = clock;
    this.#owner = owner;
    connection.setWallClock(this.#now(), Math.floor(clock.wall()));
    this.#forget = engine.onLost?.((failure) => {
      this.#fail(failure);
    });
    link.open({
      received: (input) => {
        this.#fact((now) => {
          if (typeof input === "string") connection.handleMessage(now, input);
          else connection.handleData(now, input);
        });
      },
      ended: () => {
        this.#fact((now) => {
          connection.handleEof(now);
        });
      },
      closed: () => {
        this.#writable = true;
        this.#fact((now) => {
          connection.handleClosed(now);
        });
      },
      writable: () => {
        this.#writable = true;
        if (!this.#ended) this.#drain();
      },
    });
  }

  /** Whether the machine has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Gives a command to the machine. What comes of it is taken before this turn ends.
   *
   * @throws {@link EngineError} what the engine refused; `send.closed` after the end.
   */
  command<T>(run: (connection: C, now: number) => T): T {
    if (this.#ended) throw new EngineError("send.closed", "the connection has ended");
    try {
      return typed(() => run(this.#connection, this.#now()));
    } catch (error) {
      if (codeOf(error) === "engine.failed") this.#fail(error);
      throw error;
    } finally {
      this.#drainSoon();
    }
  }

  /** As `command`, for an answer to what may be over by now: that race is normal, and the answer is dropped. */
  answer(run: (connection: C, now: number) => void): void {
    if (this.#ended) return;
    try {
      this.command(run);
    } catch (error) {
      if (codeOf(error) !== "send.over" && !this.ended) throw error;
    }
  }

  #now(): number {
    return Math.floor(this.#clock.now() * NANOS);
  }

  #fact(tell: (now: number) => void): void {
    if (this.#ended) return;
    try {
      tell(this.#now());
    } catch (error) {
      this.#fail(error);
    }
    this.#drain();
  }

  #drainSoon(): void {
    if (this.#draining) this.#again = true;
    if (this.#draining || this.#soon) return;
    this.#soon = true;
    queueMicrotask(() => {
      this.#soon = false;
      this.#drain();
    });
  }

  #drain(): void {
    this.#again = true;
    if (this.#draining || this.#ended) return;
    this.#draining = true;
    try {
      let deadline: number | null | undefined;
      while (this.#again) {
        const writable = this.#writable;
        const batch = writable ? this.#connection.drain(DRAIN_BYTES) : this.#connection.drainEvents(DRAIN_BYTES);
        this.#again = batch.more;
        for (const record of recordsOf(batch)) this.#dispatch(record);
        deadline = batch.timeout;
        if (this.ended) return;
      }
      this.#arm(deadline ?? undefined);
      this.#throttle();
      if (this.#closed && this.#connection.isOver()) this.#end();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#draining = false;
    }
  }

  #dispatch(record: BatchRecord): void {
    switch (record.code) {
      case Code.Send:
      case Code.Output:
        if (!this.#link.send(record.text(0) ?? "")) this.#writable = false;
        break;
      case Code.Closed:
        this.#closed = true;
        this.#owner.deliver(record);
        break;
      default:
        this.#owner.deliver(record);
    }
  }

  #arm(deadline: number | undefined): void {
    if (deadline === this.#deadline) return;
    this.#disarm?.();
    this.#disarm = undefined;
    this.#deadline = deadline;
    if (deadline === undefined) return;
    const ms = Math.ceil(deadline / NANOS - this.#clock.now());
    this.#disarm = this.#clock.after(Math.min(Math.max(ms, 0), LONGEST_TIMER), () => {
      this.#deadline = undefined;
      this.#disarm = undefined;
      this.#fact((now) => {
        this.#connection.handleTimeout(now);
      });
    });
  }

  #throttle(): void {
    const paused = !this.#writable && !this.#connection.wantsRead();
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (paused) this.#link.pause?.();
    else this.#link.resume?.();
  }

  #end(failure?: EngineError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#disarm?.();
    this.#forget?.();
    this.#link.close();
    if (failure === undefined) this.#connection.free?.();
    this.#owner.ended(failure);
  }

  #fail(error: unknown): void {
    const failure =
      error instanceof EngineError
        ? error
        : new EngineError(codeOf(error) ?? "engine.failed", "the engine failed", { cause: error });
    this.#end(failure);
  }
}
