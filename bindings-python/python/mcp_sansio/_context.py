"""What a handler knows of the request that it serves."""

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

    @property
    def template(self) -> str | None:
        """The resource template that the URI of the request matches."""
        return self._request.template

    @property
    def variables(self) -> dict[str, Any]:
        """What the variables of that stand for; percent-encoding is kept, so that no escape passes for a slash."""
        variables: dict[str, Any] = json.loads(self._request.variables or "{}")
        return variables

    @property
    def answers(self) -> dict[str, Any]:
        """The client's answers to the `Questions` of the round before, by key; one that is missing was not answered."""
        answers: dict[str, Any] = json.loads(self._request.answers or "{}")
        return answers

    @property
    def state(self) -> bytes | None:
        """The state that was given with them."""
        return self._request.state

    @property
    def round(self) -> int:
        """0 the first time; n after n rounds of questions."""
        return self._request.round

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

    @property
    def template(self) -> str | None:
        """As `Context.template`."""
        return self._context.template

    @property
    def variables(self) -> dict[str, Any]:
        """As `Context.variables`."""
        return self._context.variables

    @property
    def answers(self) -> dict[str, Any]:
        """As `Context.answers`."""
        return self._context.answers

    @property
    def state(self) -> bytes | None:
        """As `Context.state`."""
        return self._context.state

    @property
    def round(self) -> int:
        """As `Context.round`."""
        return self._context.round

    def progress(self, value: float, total: float | None = None, message: str | None = None) -> bool:
        """Tells how far it is, as `Context.progress`."""
        return asyncio.run_coroutine_threadsafe(self._context.progress(value, total, message), self._loop).result()

    def log(self, level: str, data: object, logger: str | None = None) -> bool:
        """Sends a log notice, as `Context.log`."""
        return asyncio.run_coroutine_threadsafe(self._context.log(level, data, logger), self._loop).result()
