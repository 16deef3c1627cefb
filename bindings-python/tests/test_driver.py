"""The contract that every driver of the engine keeps, point by point."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import mcp_sansio._child
import mcp_sansio._server
from io_tools import PYTHON, run, served
from mcp_sansio import (
    Client,
    ClientConnection,
    Context,
    EngineFailed,
    Server,
    ServerConnection,
    SyncContext,
)
from mcp_sansio._server import DRAIN_MS
from pair import INFO, call_tool, line, lines
from recorder import Recorder, in_place_of

HERE = Path(__file__).parent
EXAMPLE = [PYTHON, str(HERE.parent / "examples/server.py")]
OPENING = line(
    id="open", method="initialize", params={"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}
)


def waiting_server(**limits: int) -> tuple[Server, asyncio.Event, list[str]]:
    """A server with a tool that waits; what became of it is in the list."""
    server = Server("test", "1", limits=limits)
    begun = asyncio.Event()
    fates: list[str] = []

    @server.tool()
    async def wait() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            fates.append("cancelled")
            raise
        return "never"

    return server, begun, fates


# Take-and-write is one critical section; the clock is read in it.


def test_threads_neither_reorder_the_stream_nor_turn_back_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Recorder] = []
    monkeypatch.setattr(mcp_sansio._server, "ServerConnection", in_place_of(ServerConnection, made))
    server = Server("test", "1")
    threads, steps = 8, 50

    @server.tool()
    def count(context: SyncContext) -> str:
        for step in range(1, steps + 1):
            context.progress(step)
        return "done"

    async def test() -> None:
        async with served(server) as (peer, _):
            for number in range(threads):
                peer.call_tool(number, "count", _meta={"progressToken": f"t{number}"})
            seen: dict[str, list[float]] = {f"t{number}": [] for number in range(threads)}
            answered = 0
            while answered < threads:
                message = await peer.receive()
                if "method" in message:
                    seen[message["params"]["progressToken"]].append(message["params"]["progress"])
                else:
                    answered += 1
                    assert len(seen[f"t{message['id']}"]) == steps
            assert all(values == list(range(1, steps + 1)) for values in seen.values())

    run(test())
    (recorder,) = made
    assert recorder.entries.count("progress") == threads * steps
    assert recorder.times == sorted(recorder.times)


def test_one_write_carries_all_answers_of_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Recorder] = []
    monkeypatch.setattr(mcp_sansio._server, "ServerConnection", in_place_of(ServerConnection, made))
    server = Server("test", "1")

    @server.tool()
    async def echo() -> None: ...

    async def test() -> None:
        async with served(server) as (peer, _):
            (recorder,) = made
            before = recorder.entries.count("events_received")
            peer.send(b"".join(call_tool(number) for number in range(64)))
            for number in range(64):
                assert (await peer.receive())["id"] == number
            assert recorder.entries.count("respond") == 64
            assert recorder.entries.count("events_received") - before < 6

    run(test())


# The end of input is not the end of the connection.


def test_at_the_end_of_input_what_runs_is_answered() -> None:
    server = Server("test", "1")
    go_on = asyncio.Event()

    @server.tool()
    async def work() -> str:
        await go_on.wait()
        return "done"

    async def test() -> None:
        async with served(server) as (peer, serving):
            peer.call_tool(1, "work")
            peer.end()
            await asyncio.sleep(0)
            assert not serving.done()
            go_on.set()
            (answer,) = await peer.rest()
            assert answer["result"]["content"][0]["text"] == "done"

    run(test())


def test_after_the_end_of_input_what_runs_too_long_is_cancelled() -> None:
    server, begun, fates = waiting_server(drain=50)

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "wait")
            await begun.wait()
            peer.end()
            await peer.rest()

    run(test())
    assert fates == ["cancelled"]


def test_when_nobody_reads_any_more_what_runs_is_cancelled_at_once() -> None:
    server, begun, fates = waiting_server(drain=3_600_000)

    async def test() -> None:
        async with served(server) as (peer, serving):
            peer.call_tool(1, "wait")
            await begun.wait()
            peer.leave()
            await serving

    run(test())
    assert fates == ["cancelled"]


# Backlog is left where it is counted.


def test_a_client_that_does_not_read_holds_the_handler_back(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Recorder] = []
    monkeypatch.setattr(mcp_sansio._server, "ServerConnection", in_place_of(ServerConnection, made))
    server = Server("test", "1", limits={"output_bytes": 200_000})
    steps, message = 2000, "x" * 1000
    done: list[int] = []

    @server.tool()
    async def talk(context: Context) -> str:
        for step in range(1, steps + 1):
            await context.progress(step, steps, message)
            done.append(step)
        return "said it all"

    async def test() -> None:
        async with served(server) as (peer, _):
            (recorder,) = made
            peer.stop_reading()
            peer.call_tool(1, "talk", _meta={"progressToken": 1})
            await recorder.blocked.wait()
            assert len(done) < steps
            # The pipe and its transport hold a little; the rest is in the engine, which has no room for more.
            assert len(recorder.sent) < 500_000
            assert not recorder.is_over
            peer.go_on_reading()
            assert (await peer.answer(1))["result"]["content"][0]["text"] == "said it all"
            assert len(done) == steps

    run(test())


def test_input_waits_in_the_pipe_while_the_engine_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Recorder] = []
    monkeypatch.setattr(mcp_sansio._server, "ServerConnection", in_place_of(ServerConnection, made))
    server = Server("test", "1", limits={"output_bytes": 50_000})
    pings = 20_000

    async def test() -> None:
        async with served(server) as (peer, _):
            (recorder,) = made
            peer.stop_reading()
            text = b"".join(line(id=number, method="ping") for number in range(pings))
            feeding = asyncio.create_task(asyncio.to_thread(peer.send, text))
            await recorder.full.wait()
            assert not feeding.done()
            assert len(recorder.received) < len(text)
            peer.go_on_reading()
            for number in range(pings):
                assert (await peer.receive())["id"] == number
            await feeding

    run(test())


def test_a_client_that_reads_nothing_does_not_keep_the_server() -> None:
    server = Server("test", "1")

    @server.tool()
    async def much() -> str:
        return "x" * 1_000_000

    async def test() -> None:
        async with served(server) as (peer, serving):
            peer.stop_reading()
            peer.call_tool(1, "much")
            peer.end()
            await serving

    run(test())


# `Over` is ignored: `test_server.py` has the handler that answers after its request is over.
# The lock is held for one engine call, and for no callback.


def test_callbacks_may_use_the_connection_from_every_thread() -> None:
    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            connection = client._connected().connection
            inner: list[asyncio.Task[Any]] = []

            def on_progress(*_progress: object) -> None:
                thread = threading.Thread(target=connection.stats)
                thread.start()
                thread.join(20)
                assert not thread.is_alive()
                inner.append(asyncio.ensure_future(client.call_tool("echo", {"text": "from within"})))

            await client.call_tool("count", on_progress=on_progress)
            assert [(await task).text for task in inner] == ["from within"] * 3

    run(test())


# A child's standard error is drained: `test_client.py`. Nothing is left running.


def test_nothing_is_left() -> None:
    def descriptors() -> set[str]:
        return {entry.name for entry in Path("/proc/self/fd").iterdir()}

    async def test() -> None:
        before, tasks = descriptors(), asyncio.all_tasks()
        async with Client.stdio(EXAMPLE, stderr=lambda _line: None) as client:
            pid = client._connected()._transport.get_pid()
            calls = [asyncio.create_task(client.call_tool("wait")) for _ in range(3)]
            await client.call_tool("echo", {"text": ""})
            closing = time.monotonic()
        # The calls were taken back, so the server had nothing to finish.
        assert time.monotonic() - closing < DRAIN_MS / 1000
        failures = await asyncio.gather(*calls, return_exceptions=True)
        assert [getattr(failure, "code", None) for failure in failures] == ["call.cancelled"] * 3
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == tasks
        assert descriptors() == before

    run(test())
    assert threading.active_count() == 1


def test_a_server_that_is_cancelled_leaves_nothing() -> None:
    server, begun, fates = waiting_server()

    async def test() -> None:
        async def talk() -> None:
            async with served(server) as (peer, serving):
                peer.call_tool(1, "wait")
                await begun.wait()
                serving.cancel()
                await serving

        tasks = asyncio.all_tasks()
        with pytest.raises(asyncio.CancelledError):
            await talk()
        assert fates == ["cancelled"]
        assert asyncio.all_tasks() == tasks

    run(test())


# A bug in the engine ends the conversation, and nothing waits for it.


class Broken(Recorder):
    """An engine that fails once it is told to."""

    broken = False

    def receive_data(self, data: bytes, now: int) -> None:
        if self.broken:
            raise EngineFailed("the engine failed")
        super().receive_data(data, now)


def test_when_the_engine_fails_every_call_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_sansio._child, "ClientConnection", lambda config: Broken(ClientConnection(config)))

    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            calls = [asyncio.create_task(client.call_tool("echo", {"text": ""})) for _ in range(3)]
            monkeypatch.setattr(Broken, "broken", True)
            for call in calls:
                with pytest.raises(EngineFailed):
                    await call

    run(test())


def test_when_the_engine_fails_the_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_sansio._server, "ServerConnection", lambda config: Broken(ServerConnection(config)))
    server, begun, fates = waiting_server()

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "wait")
            await begun.wait()
            monkeypatch.setattr(Broken, "broken", True)
            peer.send(line(id=2, method="ping"))
            await peer.rest()

    with pytest.raises(EngineFailed):
        run(test())
    assert fates == ["cancelled"]


# The process: what it reads and writes, and how it ends.


def program(body: str, *, end: str = "server.run()") -> list[str]:
    text = f"""
import asyncio, os, subprocess, sys, time
from mcp_sansio import Server
server = Server("test", "1")

@server.tool()
async def act() -> str:
{body}
{end}
"""
    return [PYTHON, "-c", text]


def converse(
    command: list[str], *requests: bytes, **options: Any
) -> tuple[list[bytes], subprocess.CompletedProcess[bytes]]:
    ended = subprocess.run(
        command, input=OPENING + b"".join(requests), capture_output=True, timeout=30, check=False, **options
    )
    return ended.stdout.splitlines()[1:], ended


ACT = line(id=1, method="tools/call", params={"name": "act"})


def test_what_tools_print_does_not_reach_the_client() -> None:
    body = """
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run(["echo", "echoed"])
    return sys.stdin.read() + subprocess.run(["cat"], capture_output=True, text=True).stdout + "nothing"
"""
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    answers, ended = converse(program(body, end="server.run(); print('at last')"), ACT, env=buffered)
    assert ended.returncode == 0
    assert ended.stderr.split() == [b"printed", b"written", b"echoed"]
    answer, afterwards = answers
    assert json.loads(answer)["result"]["content"][0]["text"] == "nothing"
    assert afterwards == b"at last"


def without(descriptor: str, command: list[str]) -> list[str]:
    """The command, started with one of its standard descriptors closed."""
    return ["sh", "-c", f'exec "$@" {descriptor}', "sh", *command]


@pytest.mark.parametrize(("descriptor", "name"), [("<&-", "input"), (">&-", "output")])
def test_a_server_that_is_started_without_a_pipe_says_so(descriptor: str, name: str) -> None:
    _, ended = converse(without(descriptor, EXAMPLE))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(b"OSError: [Errno 9] standard %s is closed" % name.encode())


def test_a_server_needs_no_standard_error() -> None:
    body = """
    print("printed")
    os.write(1, b"written\\n")
    return "done"
"""
    (answer,), ended = converse(without("2>&-", program(body)), ACT)
    assert json.loads(answer)["result"]["content"][0]["text"] == "done"
    assert ended.returncode == 0


def test_an_application_may_have_no_stream_for_its_output() -> None:
    body = """
    print("printed")
    return "done"
"""
    (answer,), ended = converse(program(body, end="sys.stdout = None; server.run()"), ACT)
    assert json.loads(answer)["result"]["content"][0]["text"] == "done"
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_input_may_be_a_file_or_nothing(tmp_path: Path) -> None:
    script, output = tmp_path / "script", tmp_path / "output"
    script.write_bytes(OPENING + line(id=1, method="tools/call", params={"name": "echo", "arguments": {"text": "é"}}))
    with script.open("rb") as stdin, output.open("wb") as stdout:
        subprocess.run(EXAMPLE, stdin=stdin, stdout=stdout, check=True, timeout=30)
    assert lines(output.read_bytes())[1]["result"]["content"][0]["text"] == "é"
    assert subprocess.run(EXAMPLE, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=30).stdout == b""
    with Path("/dev/full").open("wb") as full, script.open("rb") as stdin:
        subprocess.run(EXAMPLE, stdin=stdin, stdout=full, check=True, timeout=30)


def test_many_lines_from_a_file_are_all_answered(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_bytes(OPENING + b"".join(line(id=number, method="ping") for number in range(30_000)))
    with script.open("rb") as stdin:
        ended = subprocess.run(EXAMPLE, stdin=stdin, capture_output=True, check=True, timeout=30)
    assert [answer["id"] for answer in lines(ended.stdout)[1:]] == list(range(30_000))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(number: signal.Signals) -> None:
    server = subprocess.Popen(EXAMPLE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(OPENING)
        server.stdin.flush()
        server.stdout.readline()
        server.send_signal(number)
        assert server.wait(30) == 0
        assert server.stderr.read() == b""


def test_a_signal_lets_what_runs_finish_and_nothing_begin() -> None:
    body = """
    print("begun", flush=True)
    await asyncio.to_thread(os.read, int(os.environ["GO_ON"]), 1)
    return "finished"

@server.tool()
async def quick() -> None: ...
"""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        program(body),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[read_end],
        env={**os.environ, "GO_ON": str(read_end)},
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(OPENING + ACT)
        server.stdin.flush()
        assert server.stderr.readline() == b"begun\n"
        server.send_signal(signal.SIGTERM)
        server.stdout.readline()
        for number in range(2, 1000):
            server.stdin.write(line(id=number, method="tools/call", params={"name": "quick"}))
            server.stdin.flush()
            if "error" in json.loads(server.stdout.readline()):
                break
        else:
            pytest.fail("the signal was not noticed")
        os.write(write_end, b"x")
        assert json.loads(server.stdout.readline())["result"]["content"][0]["text"] == "finished"
        assert server.wait(30) == 0
    os.close(read_end)
    os.close(write_end)


def test_a_server_ends_by_itself_before_clients_lose_patience() -> None:
    begun = time.monotonic()
    _, ended = converse(program("    await asyncio.Event().wait()"), ACT)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert time.monotonic() - begun > DRAIN_MS / 1000


def test_a_thread_that_never_ends_does_not_keep_the_server() -> None:
    text = """
import time
from mcp_sansio import Server
server = Server("test", "1", limits={"drain": 50})

@server.tool()
def act() -> None:
    while True:
        time.sleep(1)
server.run()
"""
    _, ended = converse([sys.executable, "-c", text], ACT)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_the_program_goes_on_after_the_server() -> None:
    end = """
server.run()
print("output is mine again:", sys.stdin.read() == "")
"""
    _, ended = converse(program("    return 'x'", end=end))
    assert ended.stdout.splitlines()[-1] == b"output is mine again: True"


def test_the_mode_of_a_shared_pipe_is_restored() -> None:
    (its_input, our_output), (our_input, its_output) = os.pipe(), os.pipe()
    os.close(our_output)
    subprocess.run(EXAMPLE, stdin=its_input, stdout=its_output, check=True, timeout=30)
    assert os.get_blocking(its_input)
    assert os.get_blocking(its_output)
    for descriptor in (its_input, our_input, its_output):
        os.close(descriptor)


def test_a_server_in_a_thread_leaves_signals_alone() -> None:
    server = Server("test", "1")
    outcome: list[Any] = []

    async def talk() -> None:
        async with served(server) as (peer, _):
            peer.send(line(id=1, method="ping"))
            outcome.append(await peer.answer(1))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=run, args=(talk(),))
    thread.start()
    thread.join(30)
    assert outcome
    assert signal.getsignal(signal.SIGTERM) == before


# The wall clock is told, and told again when it strays.


def test_the_wall_clock_is_told_when_it_strays(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Recorder] = []
    monkeypatch.setattr(mcp_sansio._server, "ServerConnection", in_place_of(ServerConnection, made))
    strayed, real = 0, time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + strayed)

    async def test() -> None:
        nonlocal strayed
        async with served(Server("test", "1")) as (peer, _):
            for number, seconds in enumerate((0, 0, 3600, 3600, -3600)):
                strayed = seconds * 1_000_000_000
                peer.send(line(id=number, method="ping"))
                await peer.answer(number)

    run(test())
    assert made[0].entries.count("set_wall_clock") == 3
