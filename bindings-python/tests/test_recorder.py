"""Every byte of a conversation passes through the engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import mcp_sansio._child
import mcp_sansio._server
from io_tools import PYTHON, run, served
from mcp_sansio import Client, ClientConnection, Context, Server, ServerConnection
from pair import line
from recorder import Recorder, in_place_of

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples/server.py"


def test_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Recorder] = []
    monkeypatch.setattr(mcp_sansio._server, "ServerConnection", in_place_of(ServerConnection, made))
    server = Server("test", "1")

    @server.tool()
    async def step(context: Context, times: int) -> str:
        for value in range(times):
            await context.progress(value + 1)
        return "🦀" * times

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.send(line(id=1, method="tools/list"), b"no json\n")
            peer.call_tool(2, "step", {"times": 5}, _meta={"progressToken": "t"})
            await peer.answer(2)
            peer.end()
            await peer.rest()
            (recorder,) = made
            assert recorder.received == peer.sent
            assert recorder.sent == peer.received
            assert len(recorder.sent) > 500

    run(test())


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25", "2026-07-28"])
def test_of_a_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, revision: str) -> None:
    made: list[Recorder] = []
    monkeypatch.setattr(mcp_sansio._child, "ClientConnection", in_place_of(ClientConnection, made))
    kept_input, kept_output = tmp_path / "in", tmp_path / "out"
    command = [PYTHON, str(HERE / "tap.py"), str(kept_input), str(kept_output), PYTHON, str(EXAMPLE)]

    async def test() -> None:
        async with Client.stdio(command, revisions=[revision]) as client:
            assert client.revision == revision
            assert len(await client.list_tools()) == 5
            assert (await client.call_tool("echo", {"text": "héé 漢 🦀"})).text == "héé 漢 🦀"
            values: list[float] = []
            await client.call_tool("count", {"n": 3}, on_progress=lambda value, *_rest: values.append(value))
            assert values == [1, 2, 3]
            begun = asyncio.Event()
            waiting = asyncio.create_task(client.call_tool("wait", on_progress=lambda *_rest: begun.set()))
            await begun.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert client.exit_status == 0

    run(test())
    (recorder,) = made
    assert recorder.sent == kept_input.read_bytes()
    assert recorder.received == kept_output.read_bytes()
    assert len(recorder.received) > 1000
