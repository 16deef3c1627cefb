"""An engine that keeps what goes through it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcp_sansio import Blocked

if TYPE_CHECKING:
    from mcp_sansio import ClientConnection, ServerConnection


class Recorder:
    """Stands in the place of a connection, passes everything on, and keeps the bytes and the times."""

    def __init__(self, engine: ClientConnection | ServerConnection) -> None:
        self._engine = engine
        self.received = b""
        self.sent = b""
        self.times: list[int] = []
        self.entries: list[str] = []
        self.blocked = asyncio.Event()
        """A command found no room."""
        self.full = asyncio.Event()
        """The engine wanted no more input."""

    def receive_data(self, data: bytes, now: int) -> None:
        self._seen("receive_data", (data, now))
        self.received += data
        self._engine.receive_data(data, now)

    def data_to_send(self, max_bytes: int | None = None) -> bytes:
        data = self._engine.data_to_send(max_bytes)
        self.sent += data
        return data

    def __getattr__(self, name: str) -> Any:
        entry = getattr(self._engine, name)
        if not callable(entry):
            if name == "wants_read" and not entry:
                self.full.set()
            return entry

        def call(*arguments: Any, **options: Any) -> Any:
            self._seen(name, arguments)
            try:
                return entry(*arguments, **options)
            except Blocked:
                self.blocked.set()
                raise

        return call

    def _seen(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.entries.append(name)
        if arguments:
            self.times.append(arguments[-1])


def in_place_of(kind: type[ClientConnection | ServerConnection], made: list[Recorder]) -> Any:
    """A constructor that makes recorders of connections of a kind, and keeps them."""

    def make(*arguments: Any, **options: Any) -> Recorder:
        made.append(Recorder(kind(*arguments, **options)))
        return made[-1]

    return make
