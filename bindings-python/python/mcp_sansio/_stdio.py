"""The server's end of the pipes: file descriptors 0 and 1, whatever they are."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import io
import os
import stat
import sys
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._driver import Reader, Writer

_READ_BYTES = 256 * 1024


class Ends(Protocol):
    """Who is told what the pipes do."""

    def receive_data(self, data: bytes) -> None:
        """Input came."""

    def receive_eof(self) -> None:
        """Input ended."""

    def connection_lost(self) -> None:
        """Output can't be written any more."""

    def pause_writing(self) -> None:
        """The pipe is full."""

    def resume_writing(self) -> None:
        """The pipe has room."""


class _Input(asyncio.Protocol):
    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._ended = False

    def data_received(self, data: bytes) -> None:
        self._ends.receive_data(data)

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - either way nothing comes
        self._end()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._ends.receive_eof()


class _Output(asyncio.BaseProtocol):
    def __init__(self, ends: Ends, gone: asyncio.Event) -> None:
        self._ends = ends
        self._gone = gone

    def pause_writing(self) -> None:
        self._ends.pause_writing()

    def resume_writing(self) -> None:
        self._ends.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - either way nothing goes
        self._gone.set()
        self._ends.connection_lost()


class _FileReader:
    """Reads what never blocks and can't be waited for: a file, the null device."""

    def __init__(self, descriptor: int, ends: Ends) -> None:
        self._descriptor = descriptor
        self._ends = ends
        self._loop = asyncio.get_running_loop()
        self._next: asyncio.Handle | None = self._loop.call_soon(self._read)

    def _read(self) -> None:
        self._next = self._loop.call_soon(self._read)
        data = os.read(self._descriptor, _READ_BYTES)
        if data:
            self._ends.receive_data(data)
        else:
            self.pause_reading()
            self._ends.receive_eof()

    def pause_reading(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def resume_reading(self) -> None:
        if self._next is None:
            self._next = self._loop.call_soon(self._read)

    def close(self) -> None:
        self.pause_reading()
        os.close(self._descriptor)


class _FileWriter:
    """Writes to what never blocks and can't be waited for."""

    def __init__(self, descriptor: int, ends: Ends, gone: asyncio.Event) -> None:
        self._descriptor = descriptor
        self._ends = ends
        self._gone = gone

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            asyncio.get_running_loop().call_soon(self._ends.connection_lost)

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        if not self._gone.is_set():
            self._gone.set()
            os.close(self._descriptor)

    def abort(self) -> None:
        self.close()


def _can_wait(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


async def open_writer(descriptor: int, ends: Ends) -> tuple[Writer, asyncio.Event]:
    """Takes over a descriptor; the event is set when it is closed, all written or its reader gone."""
    gone = asyncio.Event()
    if not _can_wait(descriptor):
        return _FileWriter(descriptor, ends, gone), gone
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(descriptor, "wb", 0)
    transport, _ = await loop.connect_write_pipe(lambda: _Output(ends, gone), pipe)
    return transport, gone


async def open_reader(descriptor: int, ends: Ends) -> Reader:
    """Takes over a descriptor and begins to read."""
    if not _can_wait(descriptor):
        return _FileReader(descriptor, ends)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: _Input(ends), os.fdopen(descriptor, "rb", 0))
    return transport


@contextlib.contextmanager
def _by_line(stream: TextIO | None) -> Iterator[None]:
    # As standard error does: what a tool prints is seen when it is printed.
    if not isinstance(stream, io.TextIOWrapper) or stream.line_buffering:
        yield
        return
    stream.reconfigure(line_buffering=True)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            stream.reconfigure(line_buffering=False)


def _flush() -> None:
    # There is none where the application took it away.
    if sys.stdout is not None:
        sys.stdout.flush()


@contextlib.contextmanager
def standard_descriptors() -> Iterator[tuple[int, int]]:
    """Takes standard input and output for the protocol alone; raises `OSError` if this process has none.

    Until it is left, whatever else in this process writes to standard output reaches standard error, and whatever
    else reads standard input finds it empty: tools, their libraries and their child processes too.
    """
    for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output")):
        if stream is None:
            # It was closed at the start, and its number may be another file's by now.
            raise OSError(errno.EBADF, f"standard {name} is closed: a server on stdio needs a client at its other end")
    _flush()
    kept = [(standard, os.dup(standard), os.get_blocking(standard)) for standard in (0, 1)]
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null if sys.__stderr__ is None else 2, 1)
    os.close(null)
    stdin, stdout = (os.dup(copy) for _, copy, _ in kept)
    try:
        with _by_line(sys.stdout):
            yield stdin, stdout
    finally:
        with contextlib.suppress(OSError):
            _flush()
        for standard, copy, was_blocking in kept:
            # The mode belongs to the pipe or terminal, which others may share.
            os.set_blocking(copy, was_blocking)
            os.dup2(copy, standard)
            os.close(copy)
