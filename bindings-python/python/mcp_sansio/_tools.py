"""A function as a tool: its schema from its type hints, its arguments checked by them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import copy
import dataclasses
import functools
import inspect
import threading
import typing
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import pydantic.dataclasses
from pydantic import ConfigDict, TypeAdapter, ValidationError

from ._context import Context, SyncContext

if TYPE_CHECKING:
    from collections.abc import Callable

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Handler:
    """A function behind a tool's name."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None,
        title: str | None,
        description: str | None,
        annotations: dict[str, Any] | None,
    ) -> None:
        """Reads the function's signature; raises `TypeError` for one that can't be a tool."""
        self.name = name or function.__name__
        self._function = function
        self.is_async = inspect.iscoroutinefunction(function)
        self.context_name, fields = self._read_signature(function)
        arguments = dataclasses.make_dataclass(f"{self.name}_arguments", fields, kw_only=True)
        self._arguments = TypeAdapter(
            pydantic.dataclasses.dataclass(config=ConfigDict(extra="forbid", arbitrary_types_allowed=False))(arguments)
        )
        schema = self._arguments.json_schema()
        schema.pop("title", None)
        described = {
            "name": self.name,
            "title": title,
            "description": description if description is not None else inspect.getdoc(function),
            "inputSchema": schema,
            "annotations": annotations,
        }
        self.definition = {member: value for member, value in described.items() if value is not None}

    def _read_signature(self, function: Callable[..., Any]) -> tuple[str | None, list[tuple[str, Any, Any]]]:
        hints = typing.get_type_hints(function, include_extras=True)
        context_name = None
        fields: list[tuple[str, Any, Any]] = []
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind not in _BY_NAME:
                raise TypeError(f"{self.name}: arguments come by name, so `{parameter}` can't be one")
            hint = hints.get(parameter.name)
            if hint is None:
                raise TypeError(f"{self.name}: `{parameter.name}` needs a type hint")
            if hint in (Context, SyncContext):
                if (hint is Context) is not self.is_async:
                    raise TypeError(f"{self.name}: an `async` function takes `Context`, a plain one `SyncContext`")
                context_name = parameter.name
                continue
            fields.append((parameter.name, hint, _default(parameter.default)))
        return context_name, fields

    def check(self, arguments: str | None) -> dict[str, Any]:
        """Decodes and checks JSON arguments; raises `ValueError` with a text for the caller."""
        try:
            return vars(self._arguments.validate_json(arguments or "{}"))
        except ValidationError as error:
            lines = (
                f"{'.'.join(map(str, problem['loc'])) or 'arguments'}: {problem['msg']}"
                for problem in error.errors(include_url=False, include_input=False, include_context=False)
            )
            raise ValueError("\n".join(lines)) from None

    async def run(self, arguments: dict[str, Any]) -> object:
        """Calls the function: on the loop if it is `async`, in a thread of its own if it is not."""
        return await call(self._function, **arguments)


async def call(function: Callable[..., Any], *arguments: object, **named: object) -> object:
    """Calls a function: on the loop if it is `async`, in a thread of its own if it is not."""
    if inspect.iscoroutinefunction(function):
        outcome: object = await function(*arguments, **named)
        return outcome
    return await _in_thread(functools.partial(function, *arguments, **named))


def _default(value: Any) -> Any:  # noqa: ANN401 - any default, and what `field` says it returns
    if value is inspect.Parameter.empty:
        return dataclasses.field()
    if isinstance(value, Hashable):
        return dataclasses.field(default=value)
    return dataclasses.field(default_factory=functools.partial(copy.deepcopy, value))


async def _in_thread(function: Callable[[], object]) -> object:
    # A daemon thread: one that never ends must not keep the process.
    outcome: concurrent.futures.Future[object] = concurrent.futures.Future()
    work = functools.partial(contextvars.copy_context().run, function)
    threading.Thread(target=_settle, args=(outcome, work), daemon=True).start()
    return await asyncio.wrap_future(outcome)


def _settle(outcome: concurrent.futures.Future[object], work: Callable[[], object]) -> None:
    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(work())
    except StopIteration as error:
        # A future can't hold one: it becomes what a coroutine makes of it.
        stopped = RuntimeError("the function raised StopIteration")
        stopped.__cause__ = error
        outcome.set_exception(stopped)
    except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
        outcome.set_exception(error)
