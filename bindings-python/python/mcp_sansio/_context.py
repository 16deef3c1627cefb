"""What a tool's handler knows of the request that it serves."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pydantic_core

from ._errors import AlreadyOver

if TYPE_CHECKING:
    from ._core import ServerConnection
    from ._driver import Driver
    from .events import Request


class Context:
    """For an `async` handler; make a parameter of this type and it is passed in."""

    __slots__ = ("_cancelled", "_driver", "_request")

    def __init__(self, driver: Driver[ServerConnection], request: Request) -> None:
        """Belongs to one request."""
        self._driver = driver
        self._request = request
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more. The handler's task is cancelled then, too."""
        return self._cancelled

    @property
    def revision(self) -> str:
        """The revision of the protocol that the request speaks."""
        return self._request.revision

    @property
    def meta(self) -> dict[str, Any]:
        """What the request carries beside its arguments."""
        meta: dict[str, Any] = json.loads(self._request.meta or "{}")
        return meta

    async def progress(self, value: float, total: float | None = None, message: str | None = None) -> bool:
        """Tells how far it is, and waits while the output is full.

        False if it was not sent: the caller didn't ask for progress, or the value did not rise.
        """
        try:
            return await self._driver.do_with_room(
                self._driver.connection.progress, self._request.handle, value, total=total, message=message
            )
        except AlreadyOver:
            return False

    async def log(self, level: str, data: object, logger: str | None = None) -> bool:
        """Sends a log notice, `debug` to `emergency`, and waits while the output is full.

        False if nobody asked for it.
        """
        try:
            return await self._driver.do_with_room(
                self._driver.connection.log,
                self._request.handle,
                level,
                pydantic_core.to_json(data),
                logger=logger,
            )
        except AlreadyOver:
            return False

    def cancel(self) -> None:
        """Marks that the request is over."""
        self._cancelled = True


class SyncContext:
    """For a plain handler, which runs in a thread: the same, without `await`."""

    def __init__(self, context: Context, loop: asyncio.AbstractEventLoop) -> None:
        """Wraps the context of the request."""
        self._context = context
        self._loop = loop

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more: return soon, the thread can't be stopped."""
        return self._context.cancelled

    @property
    def revision(self) -> str:
        """The revision of the protocol that the request speaks."""
        return self._context.revision

    @property
    def meta(self) -> dict[str, Any]:
        """What the request carries beside its arguments."""
        return self._context.meta

    def progress(self, value: float, total: float | None = None, message: str | None = None) -> bool:
        """Tells how far it is, as `Context.progress`."""
        return asyncio.run_coroutine_threadsafe(self._context.progress(value, total, message), self._loop).result()

    def log(self, level: str, data: object, logger: str | None = None) -> bool:
        """Sends a log notice, as `Context.log`."""
        return asyncio.run_coroutine_threadsafe(self._context.log(level, data, logger), self._loop).result()
