"""Ends of pipes for the tests of the I/O layer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from pair import INFO, line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from mcp_sansio import Server

T = TypeVar("T")

PATIENCE = 30.0
"""Seconds after which a test that waits for something that doesn't come is given up."""
PYTHON = sys.executable


def run(test: Coroutine[Any, Any, T]) -> T:
    async def bounded() -> T:
        return await asyncio.wait_for(test, PATIENCE)

    return asyncio.run(bounded())


class Peer:
    """A client made of raw lines, at the other ends of a server's pipes."""

    def __init__(self, reader: asyncio.StreamReader, read_end: asyncio.ReadTransport, write_end: int) -> None:
        self._reader = reader
        self._read_end = read_end
        self._write_end = write_end
        self.sent = b""
        self.received = b""

    def send(self, *messages: bytes) -> None:
        data = b"".join(messages)
        self.sent += data
        os.write(self._write_end, data)

    def call_tool(self, number: int, name: str, arguments: dict[str, Any] | None = None, **params: Any) -> None:
        self.send(line(id=number, method="tools/call", params={"name": name, "arguments": arguments or {}} | params))

    async def receive(self) -> Any:
        text = await self._reader.readline()
        self.received += text
        assert text, "the server ended its output"
        return json.loads(text)

    async def answer(self, number: int) -> Any:
        """The answer to a request; what comes before it is passed over."""
        while True:
            message = await self.receive()
            if message.get("id") == number:
                return message

    async def rest(self) -> list[Any]:
        """What comes until the end of the server's output."""
        text = await self._reader.read()
        self.received += text
        return [json.loads(each) for each in text.splitlines()]

    async def initialize(self, revision: str = "2025-11-25") -> None:
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": INFO}
        self.send(line(id="open", method="initialize", params=params))
        await self.receive()
        self.send(line(method="notifications/initialized"))

    def end(self) -> None:
        """Says no more, and still reads."""
        if self._write_end >= 0:
            os.close(self._write_end)
            self._write_end = -1

    def leave(self) -> None:
        """Reads no more."""
        self._read_end.close()

    def stop_reading(self) -> None:
        self._read_end.pause_reading()

    def go_on_reading(self) -> None:
        self._read_end.resume_reading()


@contextlib.asynccontextmanager
async def served(server: Server) -> AsyncIterator[tuple[Peer, asyncio.Task[None]]]:
    """Runs a server on pipes in this process; at the end of the block it must end by itself."""
    (its_input, our_output), (our_input, its_output) = os.pipe(), os.pipe()
    serving = asyncio.create_task(server.run_pipes(its_input, its_output))
    reader = asyncio.StreamReader(limit=1 << 24)
    loop = asyncio.get_running_loop()
    read_end, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(our_input, "rb", 0)
    )
    peer = Peer(reader, read_end, our_output)
    try:
        await peer.initialize()
        yield peer, serving
        peer.end()
        await serving
    finally:
        peer.end()
        peer.leave()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
