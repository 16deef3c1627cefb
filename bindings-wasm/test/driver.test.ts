/** What every driver owes its engine and its application, on a machine that says what the test wants. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { type BatchRecord, Code, Driver, type Engine, EngineError } from "mcp-sansio-wasm/shared";

import { FakeConnection, FakeLink, ManualClock, batchOf } from "./support.js";

function setUp(onLost?: Engine["onLost"]) {
  const connection = new FakeConnection();
  const link = new FakeLink();
  const clock = new ManualClock();
  const delivered: number[] = [];
  const ends: (EngineError | undefined)[] = [];
  const hooks: { deliver?: (record: BatchRecord) => void } = {};
  const engine = { onLost } as Engine;
  const driver = new Driver(engine, connection, link, clock, {
    deliver: (record) => {
      delivered.push(record.code);
      hooks.deliver?.(record);
    },
    ended: (failure) => ends.push(failure),
  });
  return { connection, link, clock, driver, delivered, ends, hooks };
}

const send = (text: string) => ({ code: Code.Send, texts: [text] });

test("time is whole nanoseconds, read at each entry, and the wall clock is told first", () => {
  const { connection, link, clock, driver } = setUp();
  clock.time = 1.5;
  link.receive("a");
  clock.time = 2.0000001;
  driver.command((machine, now) => {
    machine.notify(now, "n");
  });
  assert.deepEqual(connection.told, [
    ["wall", 0, 1e12],
    ["message", 1_500_000, "a"],
    ["notify", 2_000_000, "n"],
  ]);
});

test("bytes and messages, the end of input and a closed channel are told apart", () => {
  const { connection, link } = setUp();
  link.events?.received(new TextEncoder().encode("bytes"));
  link.events?.received("message");
  link.events?.ended();
  link.events?.closed();
  assert.deepEqual(
    connection.told.map(([name]) => name),
    ["wall", "data", "message", "eof", "closed"],
  );
});

test("output that a delivered event brings about is written after what was taken before", () => {
  const { connection, link, driver, hooks } = setUp();
  connection.batches = [batchOf([send("1"), { code: Code.Request, handle: 7 }, send("2")])];
  hooks.deliver = () => {
    connection.output.push(send("3"));
    driver.command((machine, now) => {
      machine.notify(now, "n");
    });
  };
  link.receive("in");
  assert.deepEqual(link.sent, ["1", "2", "3"]);
});

test("a batch that says there is more is followed by another", () => {
  const { connection, link, delivered } = setUp();
  connection.batches = [batchOf([{ code: Code.Request }], { more: true }), batchOf([{ code: Code.Over }])];
  link.receive("in");
  assert.deepEqual(delivered, [Code.Request, Code.Over]);
});

test("one timer is armed, for the latest deadline", () => {
  const { connection, link, clock } = setUp();
  connection.timeout = 5e6;
  link.receive("a");
  assert.deepEqual(clock.armed, [5]);
  link.receive("b");
  assert.deepEqual(clock.armed, [5]);
  connection.timeout = 3e6;
  link.receive("c");
  assert.deepEqual(clock.armed, [3]);
  connection.react = (name) => {
    if (name === "timeout") connection.timeout = undefined;
  };
  clock.advance(10);
  assert.deepEqual(connection.told.at(-1), ["timeout", 3_000_000]);
  assert.deepEqual(clock.armed, []);
});

test("a timer that fires early is armed again", () => {
  const { connection, link, clock } = setUp();
  connection.timeout = 5e6;
  let fire!: () => void;
  clock.after = (ms, callback) => {
    assert.equal(ms, 5 - clock.time);
    fire = callback;
    return () => assert.fail("it has fired");
  };
  link.receive("a");
  clock.time = 4;
  fire();
  assert.deepEqual(connection.told.at(-1), ["timeout", 4_000_000]);
  clock.time = 5;
  connection.timeout = undefined;
  fire();
  assert.deepEqual(connection.told.at(-1), ["timeout", 5_000_000]);
});

test("a deadline beyond what a timer can wait is waited for in parts", () => {
  const { connection, link, clock } = setUp();
  connection.timeout = 2 ** 33 * 1e6;
  link.receive("a");
  assert.deepEqual(clock.armed, [2 ** 31 - 1]);
});

test("a channel without room leaves output in the machine, and events go on", () => {
  const { connection, link, delivered } = setUp();
  link.room = 1;
  connection.output = [send("1")];
  link.receive("a");
  connection.output = [send("2")];
  connection.batches = [batchOf([{ code: Code.Over }])];
  link.receive("b");
  assert.deepEqual(link.sent, ["1"]);
  assert.deepEqual(delivered, [Code.Over]);
  link.room = Infinity;
  link.events?.writable();
  assert.deepEqual(link.sent, ["1", "2"]);
});

test("input stays in the pipe while the machine wants none", () => {
  const { connection, link } = setUp();
  link.room = 1;
  connection.output = [send("1")];
  connection.reads = false;
  link.receive("a");
  assert.equal(link.paused, true);
  link.room = Infinity;
  connection.reads = true;
  link.events?.writable();
  assert.equal(link.paused, false);
});

test("an answer to what is over is dropped, any other refusal is not", () => {
  const { driver } = setUp();
  const refuse = (code: string) => () => {
    throw new EngineError(code, "no");
  };
  driver.answer(refuse("send.over"));
  assert.throws(() => {
    driver.answer(refuse("send.too_large"));
  }, /no/);
  assert.throws(() => {
    driver.command(refuse("send.over"));
  }, /no/);
});

test("the end closes the link, frees the machine, disarms the timer, and is told once", () => {
  const { connection, link, clock, driver, delivered, ends } = setUp();
  connection.timeout = 5e6;
  link.receive("a");
  connection.over = true;
  connection.batches = [batchOf([send("bye"), { code: Code.Closed, texts: ["close.local"] }])];
  link.receive("b");
  assert.deepEqual(link.sent, ["bye"]);
  assert.deepEqual(delivered, [Code.Closed]);
  assert.deepEqual(ends, [undefined]);
  assert.equal(link.closed && connection.freed && driver.ended, true);
  assert.deepEqual(clock.armed, []);
  const told = connection.told.length;
  link.receive("late");
  link.events?.closed();
  link.events?.writable();
  driver.answer(() => assert.fail("the machine is gone"));
  assert.throws(() => driver.command(() => 0), { code: "send.closed" });
  assert.equal(connection.told.length, told);
  assert.equal(ends.length, 1);
});

test("the end waits for output that the channel has no room for", () => {
  const { connection, link, ends } = setUp();
  link.room = 1;
  connection.output = [send("1")];
  link.receive("a");
  connection.output = [send("2")];
  connection.over = true;
  connection.batches = [batchOf([{ code: Code.Closed, texts: ["close.local"] }])];
  link.receive("b");
  assert.equal(ends.length, 0);
  link.room = Infinity;
  link.events?.writable();
  assert.deepEqual(link.sent, ["1", "2"]);
  assert.equal(ends.length, 1);
});

test("an engine that fails in a fact ends the connection, and the machine is left alone", () => {
  const { connection, link, delivered, ends } = setUp();
  connection.react = () => {
    throw new EngineError("engine.failed", "it failed");
  };
  link.receive("a");
  assert.equal(ends[0]?.code, "engine.failed");
  assert.equal(link.closed, true);
  assert.equal(connection.freed, false);
  assert.deepEqual(delivered, []);
});

test("an engine that fails in a command ends the connection too", () => {
  const { connection, driver, ends } = setUp();
  connection.react = () => {
    throw new EngineError("engine.failed", "it failed");
  };
  const command = () => {
    driver.command((machine, now) => {
      machine.notify(now, "n");
    });
  };
  assert.throws(command, { code: "engine.failed" });
  assert.equal(ends[0]?.code, "engine.failed");
});

test("an engine that is lost ends its idle connections", () => {
  let lose!: (failure: EngineError) => void;
  let forgotten = false;
  const { link, ends } = setUp((tell) => {
    lose = tell;
    return () => {
      forgotten = true;
    };
  });
  lose(new EngineError("engine.failed", "another connection failed"));
  assert.equal(ends[0]?.message, "another connection failed");
  assert.equal(link.closed && forgotten, true);
});
