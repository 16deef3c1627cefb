"""A server on asyncio: functions as tools, standard input and output as the pipe."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import threading
import weakref
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_core import to_json

from . import _content, _stdio
from ._context import Context, SyncContext
from ._core import ServerConnection
from ._driver import Driver, within
from ._errors import AlreadyOver, LocalProtocolError, ToolError
from ._tools import Handler
from .events import Event, Fault, Over, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ._driver import Writer

Function = TypeVar("Function", bound="Callable[..., Any]")

DRAIN_MS = 1500
"""How long work may go on after the end of input or SIGTERM: clients kill a server after two seconds."""
CLEANUP_SECONDS = 0.2
"""How long cancelled handlers are waited for after that."""
UNREAD_SECONDS = 0.3
"""How long the client may read nothing of what is left for it."""

_NEUTRAL = "the tool failed"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_log = logging.getLogger("mcp_sansio")


class Server:
    """What a server offers.

    `limits` are the engine's, by name, durations in milliseconds. `revisions` narrows what is spoken;
    by default all revisions are.
    """

    def __init__(
        self,
        name: str,
        version: str,
        *,
        title: str | None = None,
        instructions: str | None = None,
        revisions: Sequence[str] | None = None,
        page_size: int | None = None,
        limits: Mapping[str, int | None] | None = None,
    ) -> None:
        """Describes the server; nothing runs yet."""
        self._config: dict[str, Any] = {
            "info": {"name": name, "version": version} | ({} if title is None else {"title": title}),
            "capabilities": {"tools": {"listChanged": True}, "logging": {}},
            "limits": {"drain": DRAIN_MS} | dict(limits or {}),
        }
        chosen = {"instructions": instructions, "revisions": revisions, "page_size": page_size}
        self._config |= {member: value for member, value in chosen.items() if value is not None}
        self._handlers: dict[str, Handler] = {}
        self._sessions: weakref.WeakSet[_Session] = weakref.WeakSet()

    def tool(
        self,
        name: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        annotations: dict[str, Any] | None = None,
    ) -> Callable[[Function], Function]:
        """Makes a tool of a function: `@server.tool()`.

        The input schema comes from the type hints, the name and the description from the function's. A plain
        function runs in a thread. A parameter hinted `Context` (`SyncContext` in a plain function) is passed in.

        A `str` that is returned is a text; a `dict`, model or dataclass is structured content and its text; a list
        is an item each; a `ToolResult` is itself; anything else is its JSON as a text. A `ToolError` that is raised
        is an answer for the model, any other exception is logged and answered in neutral words, `SystemExit` too.
        Raises `TypeError` for a function that can't be a tool and `ValueError` for a name that is taken.
        """
        if callable(name):
            raise TypeError("write `@server.tool()`, with parentheses")

        def register(function: Function) -> Function:
            handler = Handler(function, name=name, title=title, description=description, annotations=annotations)
            if handler.name in self._handlers:
                raise ValueError(f"there is a tool `{handler.name}` already")
            self._handlers[handler.name] = handler
            self._tools_changed()
            return function

        return register

    def remove_tool(self, name: str) -> None:
        """Takes a tool away; raises `KeyError` if there is none of that name."""
        del self._handlers[name]
        self._tools_changed()

    def run(self) -> None:
        """Serves standard input and output until the client leaves or SIGTERM comes: a server's whole program."""
        asyncio.run(self.run_stdio())

    async def run_stdio(self) -> None:
        """Serves standard input and output until the client leaves or SIGTERM or SIGINT comes.

        At the end of input, or at a signal, what runs may finish for 1.5 s; then it is cancelled. While it runs,
        `print` goes to standard error. Raises `OSError` if the process was started without one of the two.
        """
        with _stdio.standard_descriptors() as (stdin, stdout):
            await self.run_pipes(stdin, stdout)

    async def run_pipes(self, stdin: int, stdout: int) -> None:
        """Serves two file descriptors, as `run_stdio`, and closes them."""
        connection = ServerConnection(to_json(self._config | {"tools": self._definitions()}))
        session = _Session(connection, self._handlers, self._config["limits"]["drain"])
        self._sessions.add(session)
        try:
            await session.run(stdin, stdout)
        finally:
            self._sessions.discard(session)

    def _definitions(self) -> list[dict[str, Any]]:
        return [handler.definition for handler in self._handlers.values()]

    def _tools_changed(self) -> None:
        for session in self._sessions:
            session.set_catalog(to_json({"tools": self._definitions()}))


class _Session:
    """One client."""

    def __init__(self, connection: ServerConnection, handlers: Mapping[str, Handler], drain_ms: int) -> None:
        self._connection = connection
        self._drain_ms = drain_ms
        self._handlers = handlers
        self._driver = Driver(connection, self._deliver)
        self._running: dict[int, tuple[asyncio.Task[None], Context]] = {}
        self._loop = asyncio.get_running_loop()

    def set_catalog(self, catalog: bytes) -> None:
        self._driver.do(self._connection.set_catalog, catalog)

    async def run(self, stdin: int, stdout: int) -> None:
        driver = self._driver
        writer, written = await _stdio.open_writer(stdout, driver)
        driver.attach(writer=writer)
        reader = await _stdio.open_reader(stdin, driver)
        driver.attach(reader=reader)
        try:
            with self._signals():
                await asyncio.shield(driver.closed)
        finally:
            reader.close()
            if not driver.closed.done():
                driver.do(self._connection.close)
                await asyncio.wait([driver.closed], timeout=CLEANUP_SECONDS)
            driver.flushed.add_done_callback(lambda _flushed: writer.close())
            if handlers := [task for task, _ in self._running.values()]:
                await asyncio.wait(handlers, timeout=CLEANUP_SECONDS)
            await self._until_written(writer, written)
            driver.stop()

    async def _until_written(self, writer: Writer, written: asyncio.Event) -> None:
        before = None
        while (left := (self._driver.written, writer.get_write_buffer_size())) != before:
            before = left
            if await within(UNREAD_SECONDS, written):
                return
        writer.abort()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            # Signals go to the main thread, where the application may have its own ideas.
            yield
            return
        for number in _SIGNALS:
            self._loop.add_signal_handler(number, self._terminate)
        try:
            yield
        finally:
            self._restore_signals()

    def _restore_signals(self) -> None:
        for number in _SIGNALS:
            self._loop.remove_signal_handler(number)

    def _terminate(self) -> None:
        # A second signal does what it does without us.
        self._restore_signals()
        self._driver.do(self._connection.close, drain_ms=self._drain_ms)

    # Events.

    def _deliver(self, event: Event) -> None:
        match event:
            case Request():
                self._request(event)
            case Over(request=request):
                self._over(request)
            case Fault(code=code, detail=detail, page=page):
                _log.warning("the client broke a rule: %s (%s, see %s)", detail, code, page)

    def _request(self, request: Request) -> None:
        handler = self._handlers.get(request.name or "") if request.is_tool_call else None
        if handler is None:
            self._answer(request.method, self._connection.respond_unsupported, request.handle)
            return
        try:
            arguments = handler.check(request.arguments)
        except ValueError as error:
            self._answer(handler.name, self._connection.respond_invalid_arguments, request.handle, str(error))
            return
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - a validator of the application's, and the client waits
            self._fail(handler, request.handle)
            return
        context = Context(self._driver, request)
        if handler.context_name is not None:
            arguments[handler.context_name] = context if handler.is_async else SyncContext(context, self._loop)
        task = self._loop.create_task(self._serve(handler, request.handle, arguments, context))
        self._running[request.handle] = task, context

    async def _serve(self, handler: Handler, request: int, arguments: dict[str, Any], context: Context) -> None:
        connection = self._connection
        try:
            result = _content.encode(await handler.run(arguments))
        except ToolError as error:
            self._answer(handler.name, connection.respond_tool_error, request, str(error))
        except asyncio.CancelledError:
            if not context.cancelled:
                # By the handler's own doing: the client still waits.
                self._answer(handler.name, connection.respond_tool_error, request, _NEUTRAL)
            raise
        except (KeyboardInterrupt, GeneratorExit):
            # Not the handler's: a signal, or an event loop that is gone.
            raise
        except BaseException:  # noqa: BLE001 - the application's: `sys.exit` in a tool ends the tool, not the server
            self._fail(handler, request)
        else:
            self._answer(handler.name, connection.respond, request, result)
        finally:
            del self._running[request]

    def _fail(self, handler: Handler, request: int) -> None:
        _log.exception("the tool `%s` failed", handler.name)
        self._answer(handler.name, self._connection.respond_tool_error, request, _NEUTRAL)

    def _answer(self, asked: str, respond: Callable[..., None], request: int, *answer: str | bytes) -> None:
        try:
            self._driver.do(respond, request, *answer)
        except AlreadyOver:
            pass
        except LocalProtocolError:
            _log.exception("the answer of `%s` was refused", asked)
            with contextlib.suppress(LocalProtocolError):
                self._driver.do(self._connection.respond_internal_error, request)

    def _over(self, request: int) -> None:
        if request in self._running:
            task, context = self._running[request]
            context.cancel()
            task.cancel()
