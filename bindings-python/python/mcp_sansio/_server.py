"""A server on asyncio: functions as handlers, standard input and output as the pipe."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import logging
import signal
import threading
import weakref
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from pydantic_core import to_json

from . import _content, _stdio, _tools
from ._context import Context, SyncContext
from ._core import ServerConnection
from ._driver import Driver, within
from ._errors import AlreadyOver, LocalProtocolError, NotFound, RequestError, ToolError
from ._tools import Handler
from .events import Event, Fault, Over, Request, Watched

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from . import types
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

    `limits` are the engine's, by name, durations in milliseconds. `revisions` narrows what is spoken; by default all
    revisions are. Declared are `tools`, `logging`, what `offer` needs, and the `capabilities` that are given. With
    `unknown_methods`, `on_request` may be for methods that no revision knows.
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
        limits: Mapping[str, Any] | None = None,
        capabilities: types.ServerCapabilities | None = None,
        unknown_methods: bool = False,
    ) -> None:
        """Describes the server; nothing runs yet."""
        self._config: dict[str, Any] = {
            "info": {"name": name, "version": version} | ({} if title is None else {"title": title}),
            "limits": {"drain": DRAIN_MS} | dict(limits or {}),
            "unknown_methods": unknown_methods,
        }
        chosen = {"instructions": instructions, "revisions": revisions, "page_size": page_size}
        self._config |= {member: value for member, value in chosen.items() if value is not None}
        self._capabilities: dict[str, Any] = {"tools": {"listChanged": True}, "logging": {}} | dict(capabilities or {})
        self._handlers: dict[str, Handler] = {}
        self._methods: dict[str, _Method] = {}
        self._lists: dict[str, Any] = {}
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
            self._catalog_changed()
            return function

        return register

    def remove_tool(self, name: str) -> None:
        """Takes a tool away; raises `KeyError` if there is none of that name."""
        del self._handlers[name]
        self._catalog_changed()

    def offer(
        self,
        *,
        resources: Sequence[types.Resource] | None = None,
        resource_templates: Sequence[types.ResourceTemplate] | None = None,
        prompts: Sequence[types.Prompt] | None = None,
    ) -> None:
        """Lists resources, their templates and prompts; what was listed of a kind before is replaced.

        The engine answers requests for the lists and checks what others name; `on_request` handles what is left.
        Clients that are connected are told, but not of kinds that were not offered when they came.
        """
        given = {"resources": resources, "resourceTemplates": resource_templates, "prompts": prompts}
        self._lists |= {member: list(entries) for member, entries in given.items() if entries is not None}
        self._catalog_changed()

    def on_request(self, method: str, *, ttl_ms: int = 0, public: bool = False) -> Callable[[Function], Function]:
        """Has a function answer the requests of a method, in the spec's words: `@server.on_request("resources/read")`.

        It is called with a `Context` (a plain function, which runs in a thread, with a `SyncContext`) and the decoded
        params, and returns the result, a dict, or `Questions`. `NotFound` and `RequestError` are told to the client;
        any other exception is logged and answered in neutral words. `ttl_ms` says how long a client may keep the
        result, and `public` whether for everyone. Raises `ValueError` for a method that is taken.
        """

        def register(function: Function) -> Function:
            if method in self._methods:
                raise ValueError(f"there is a handler of `{method}` already")
            self._methods[method] = _Method(function, {"ttl_ms": ttl_ms, "public": public})
            return function

        return register

    def publish(
        self,
        what: Literal["tools", "prompts", "resources", "resource"],
        *,
        uri: str | None = None,
        concerns: str | None = None,
    ) -> None:
        """Tells the clients that asked that a list changed, or the `resource` of `uri`.

        That may be a part of the resource `concerns`. Call it in the event loop's thread.
        """
        for session in self._sessions:
            session.publish(what, uri, concerns)

    @property
    def watched(self) -> set[str]:
        """The resources that clients listen to: of others, changes needn't be published."""
        return {uri for session in self._sessions for uri in session.watched}

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
        connection = ServerConnection(to_json(self._config | self._catalog() | {"capabilities": self._declared()}))
        session = _Session(connection, self._handlers, self._methods, self._config["limits"]["drain"])
        self._sessions.add(session)
        try:
            await session.run(stdin, stdout)
        finally:
            self._sessions.discard(session)

    def _declared(self) -> dict[str, Any]:
        declared: dict[str, Any] = {}
        if "resources" in self._lists or "resourceTemplates" in self._lists:
            declared["resources"] = {"subscribe": True, "listChanged": True}
        if "prompts" in self._lists:
            declared["prompts"] = {"listChanged": True}
        return declared | self._capabilities

    def _catalog(self) -> dict[str, Any]:
        return self._lists | {"tools": [handler.definition for handler in self._handlers.values()]}

    def _catalog_changed(self) -> None:
        for session in self._sessions:
            session.set_catalog(to_json(self._catalog()))


class _Method(NamedTuple):
    function: Callable[..., Any]
    hint: Mapping[str, int]
    """How long its results may be kept, for the engine."""


def _asked(request: Request) -> str:
    """What a log calls it."""
    return f"tool `{request.name}`" if request.is_tool_call else f"handler of `{request.method}`"


class _Session:
    """One client."""

    def __init__(
        self,
        connection: ServerConnection,
        handlers: Mapping[str, Handler],
        methods: Mapping[str, _Method],
        drain_ms: int,
    ) -> None:
        self._connection = connection
        self._drain_ms = drain_ms
        self._handlers = handlers
        self._methods = methods
        self.watched: set[str] = set()
        self._driver = Driver(connection, self._deliver)
        self._running: dict[int, tuple[asyncio.Task[None], Context]] = {}
        self._loop = asyncio.get_running_loop()

    def set_catalog(self, catalog: bytes) -> None:
        self._driver.do(self._connection.set_catalog, catalog)

    def publish(self, what: str, uri: str | None, concerns: str | None) -> None:
        self._driver.do(self._connection.publish, what, uri=uri, concerns=concerns)

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
            case Watched(uri=uri, wanted=wanted):
                (self.watched.add if wanted else self.watched.discard)(uri)
            case Fault(code=code, detail=detail, page=page):
                _log.warning("the client broke a rule: %s (%s, see %s)", detail, code, page)

    def _request(self, request: Request) -> None:
        context = Context(self._driver, request)
        if request.is_tool_call and (handler := self._handlers.get(request.name or "")):
            self._call_tool(handler, request, context)
        elif method := self._methods.get(request.method):
            given = context if inspect.iscoroutinefunction(method.function) else SyncContext(context, self._loop)
            params = json.loads(request.params or "{}")
            self._start(request, context, _tools.call(method.function, given, params), **method.hint)
        else:
            self._answer(_asked(request), self._connection.respond_unsupported, request.handle)

    def _call_tool(self, handler: Handler, request: Request, context: Context) -> None:
        try:
            arguments = handler.check(request.arguments)
        except ValueError as error:
            self._answer(_asked(request), self._connection.respond_invalid_arguments, request.handle, str(error))
            return
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - a validator of the application's, and the client waits
            self._fail(request)
            return
        if handler.context_name is not None:
            arguments[handler.context_name] = context if handler.is_async else SyncContext(context, self._loop)
        self._start(request, context, handler.run(arguments))

    def _start(self, request: Request, context: Context, work: Awaitable[object], **hint: int) -> None:
        task = self._loop.create_task(self._serve(request, context, work, hint))
        self._running[request.handle] = task, context

    async def _serve(
        self, request: Request, context: Context, work: Awaitable[object], hint: Mapping[str, int]
    ) -> None:
        try:
            answer = self._encoded(request, await work, hint)
        except asyncio.CancelledError:
            if not context.cancelled:
                # By the handler's own doing: the client still waits.
                self._give_up(request)
            raise
        except (KeyboardInterrupt, GeneratorExit):
            # Not the handler's: a signal, or an event loop that is gone.
            raise
        except BaseException as error:  # noqa: BLE001 - the application's: `sys.exit` in a tool ends the tool, not the server
            self._refuse(request, error)
        else:
            answer()
        finally:
            del self._running[request.handle]

    def _encoded(self, request: Request, value: object, hint: Mapping[str, int]) -> Callable[[], None]:
        """The answer that is made of what a handler returned; raises `ValueError` for what is no JSON."""
        connection, handle, asked = self._connection, request.handle, _asked(request)
        if isinstance(value, _content.Questions):
            questions = _content.to_json(value.questions)
            return partial(self._answer, asked, connection.respond_input_required, handle, questions, state=value.state)
        result = _content.encode(value) if request.is_tool_call else _content.to_json(value)
        return partial(self._answer, asked, connection.respond, handle, result, **hint)

    def _refuse(self, request: Request, error: BaseException) -> None:
        connection, handle, asked = self._connection, request.handle, _asked(request)
        match error:
            case ToolError() if request.is_tool_call:
                self._answer(asked, connection.respond_tool_error, handle, str(error))
            case NotFound():
                self._answer(asked, connection.respond_not_found, handle)
            case RequestError(number=number, message=message, data=data):
                json_data = None if data is None else to_json(data)
                self._answer(asked, connection.respond_error, handle, number, message, data=json_data)
            case _:
                self._fail(request)

    def _fail(self, request: Request) -> None:
        _log.exception("the %s failed", _asked(request))
        self._give_up(request)

    def _give_up(self, request: Request) -> None:
        if request.is_tool_call:
            self._answer(_asked(request), self._connection.respond_tool_error, request.handle, _NEUTRAL)
        else:
            self._answer(_asked(request), self._connection.respond_internal_error, request.handle)

    def _answer(
        self, asked: str, respond: Callable[..., None], request: int, *answer: object, **options: object
    ) -> None:
        try:
            self._driver.do(respond, request, *answer, **options)
        except AlreadyOver:
            pass
        except LocalProtocolError:
            _log.exception("the answer of the %s was refused", asked)
            with contextlib.suppress(LocalProtocolError):
                self._driver.do(self._connection.respond_internal_error, request)

    def _over(self, request: int) -> None:
        if request in self._running:
            task, context = self._running[request]
            context.cancel()
            task.cancel()
