"""What moves bytes and time between an engine and the event loop: the same for both roles.

All entries of the engine are made on the loop's thread, each with the clock read for it, and what it gives is
written there in the order it came: take-and-write is one critical section. Output stays in the engine, where its
limits count it, while the pipe is full.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ._errors import Blocked, EngineFailed
from .events import Closed, Event, Writable

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._core import ClientConnection, ServerConnection

CHUNK = 64 * 1024
"""Bytes of output that are handed to the pipe at a time."""
CLOCK_JUMP_NS = 1_000_000_000
"""How far the wall clock may stray from the one of the loop: it was set, or the machine slept."""

Connection = TypeVar("Connection", "ClientConnection", "ServerConnection")
Answer = TypeVar("Answer")


class Writer(Protocol):
    """Where output goes: a transport, or a file."""

    def write(self, data: bytes, /) -> None:
        """Takes all of `data`, now or later."""

    def close(self) -> None:
        """Closes after what was taken is written."""

    def abort(self) -> None:
        """Closes now."""

    def get_write_buffer_size(self) -> int:
        """Bytes that were taken and not yet written."""


class Reader(Protocol):
    """What brings input: a transport, or a file."""

    def pause_reading(self) -> None:
        """Brings nothing until `resume_reading`."""

    def resume_reading(self) -> None:
        """Brings input again."""

    def close(self) -> None:
        """Brings nothing any more."""


class Driver(Generic[Connection]):
    """One connection and its pipes."""

    def __init__(self, connection: Connection, deliver: Callable[[Event], None]) -> None:
        """Takes an unused connection, and where its events go."""
        self.connection: Connection = connection
        self.closed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done when the engine says `Closed`, with its reason; or when the engine failed, with the error."""
        self.flushed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when everything was handed to the pipe after that, or can't be any more."""
        self.written = 0
        """Bytes handed to the pipe."""
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._reader: Reader | None = None
        self._writer: Writer | None = None
        self._reading = True
        self._writable = True
        self._lost = False
        self._turn_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._room: list[asyncio.Future[None]] = []
        self._wall_offset = 0
        self._tell_wall_clock(time.monotonic_ns())

    def attach(self, *, reader: Reader | None = None, writer: Writer | None = None) -> None:
        """Connects a pipe, or both."""
        self._reader = reader or self._reader
        self._writer = writer or self._writer
        self.turn()

    # Facts.

    def receive_data(self, data: bytes) -> None:
        """Takes in bytes of the peer."""
        self._fact(self.connection.receive_data, data)

    def receive_eof(self) -> None:
        """Takes in that the peer says no more, but still reads."""
        self._fact(self.connection.receive_eof)

    def connection_lost(self) -> None:
        """Takes in that nothing can be read or written any more."""
        self._lost = True
        self._fact(self.connection.connection_lost)

    def pause_writing(self) -> None:
        """Takes in that the pipe is full."""
        self._writable = False

    def resume_writing(self) -> None:
        """Takes in that the pipe has room."""
        self._writable = True
        self.turn()

    # Commands.

    def do(self, command: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:  # noqa: ANN401 - the command's own
        """Runs a command of the connection now; raises what it raises."""
        # A refused command may have something to say too: an answer that is too large becomes an error.
        self._schedule()
        try:
            return command(*arguments, time.monotonic_ns(), **options)
        except EngineFailed as failure:
            self._fail(failure)
            raise

    async def do_with_room(
        self,
        command: Callable[..., Answer],
        *arguments: Any,  # noqa: ANN401 - the command's own
        patience: float | None = None,
        **options: Any,  # noqa: ANN401 - as above
    ) -> Answer:
        """Runs a command as `do`; where the output is full, it waits for room, at most `patience` seconds a time."""
        while True:
            try:
                return self.do(command, *arguments, **options)
            except Blocked:
                room = self._loop.create_future()
                self._room.append(room)
                done, _ = await asyncio.wait([room], timeout=patience)
                if not done:
                    raise

    def turn(self) -> None:
        """Writes, delivers, paces the reader and sets the timer."""
        self._turn_due = False
        connection = self.connection
        try:
            # First, because it makes room, which is an event.
            self._write()
            for event in connection.events_received():
                self._observe(event)
                self._deliver(event)
            self._pace()
            self._arm()
            if self.closed.done() and (self._lost or connection.is_over):
                self._flushed()
        except EngineFailed as failure:
            self._fail(failure)

    def stop(self) -> None:
        """Lets go of the loop; the pipes are the owner's."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._reader = self._writer = None

    # The parts of a turn.

    def _fact(self, entry: Callable[..., None], *given: bytes) -> None:
        now = time.monotonic_ns()
        try:
            self._tell_wall_clock(now)
            entry(*given, now)
        except EngineFailed as failure:
            self._fail(failure)
        else:
            self.turn()

    def _tell_wall_clock(self, now: int) -> None:
        wall = time.time_ns()
        if abs(wall - now - self._wall_offset) > CLOCK_JUMP_NS:
            self._wall_offset = wall - now
            self.connection.set_wall_clock(wall // 1_000_000, now)

    def _schedule(self) -> None:
        if not self._turn_due:
            self._turn_due = True
            self._loop.call_soon(self.turn)

    def _observe(self, event: Event) -> None:
        match event:
            case Writable():
                self._give_room()
            case Closed(reason=reason) if not self.closed.done():
                self.closed.set_result(reason)
                self._give_room()

    def _give_room(self) -> None:
        for room in self._room:
            if not room.done():
                room.set_result(None)
        self._room.clear()

    def _write(self) -> None:
        while self._writable and not self._lost and self._writer is not None:
            data = self.connection.data_to_send(CHUNK)
            if not data:
                return
            self._writer.write(data)
            self.written += len(data)

    def _pace(self) -> None:
        wanted = self.connection.wants_read or self.closed.done()
        if wanted == self._reading or self._reader is None:
            return
        self._reading = wanted
        if wanted:
            self._reader.resume_reading()
        else:
            self._reader.pause_reading()

    def _arm(self) -> None:
        deadline = self.connection.next_timeout()
        if deadline is None:
            return
        # A timer that is early costs one look; moving it for each call would cost more.
        delay = max(0.0, (deadline - time.monotonic_ns()) / 1e9)
        when = self._loop.time() + delay
        if self._timer is not None:
            if self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._fire)

    def _fire(self) -> None:
        self._timer = None
        self._fact(self.connection.handle_timeout)

    def _fail(self, failure: EngineFailed) -> None:
        if not self.closed.done():
            self.closed.set_exception(failure)
        self._flushed()
        self._give_room()

    def _flushed(self) -> None:
        if not self.flushed.done():
            self.flushed.set_result(None)


async def within(seconds: float, event: asyncio.Event) -> bool:
    """Waits for an event, but not longer; returns whether it came."""
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()
