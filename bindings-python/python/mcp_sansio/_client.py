"""A client on asyncio: a server as a child process, its standard input and output as the pipe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from ._child import Child
from ._content import Tool, ToolPage, ToolResult
from ._errors import ConnectFailed, InvalidResult

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ._child import OnProgress, Stderr
    from .events import Notification, Ready

MAX_TOOLS = 10_000
"""How many tools of one server are listed."""

_RESTART = "close.probe_closed"
Model = TypeVar("Model", bound=BaseModel)


class Client:
    """A client of one server; `async with Client.stdio([...]) as client:` connects it and closes it."""

    def __init__(self, command: Sequence[str], options: dict[str, Any], config: dict[str, Any]) -> None:
        """Use `Client.stdio`."""
        self._command = command
        self._options = options
        self._config = config
        self._child: Child | None = None
        self._known: Ready
        self.on_notification: Callable[[str, Any], None] | None = None
        """Called with the method and the decoded params of each notice of the server."""

    @classmethod
    def stdio(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        stderr: Stderr = None,
        name: str = "mcp-sansio",
        version: str = "0",
        revisions: Sequence[str] | None = None,
        probe: bool = True,
        limits: Mapping[str, int | None] | None = None,
    ) -> Client:
        """Describes a client of a server that is to be started: `command` is the program and its arguments, a list.

        `env` replaces the whole environment; `stderr` is `None` (the server's standard error is ours), a file, or
        a function that is given each line. `revisions` are those to speak, the best first: by default all. Without
        `probe` the conversation begins with the handshake of the older revisions. `limits` are the engine's, by
        name, durations in milliseconds. Raises `TypeError` for a command that is one string, `ValueError` for an
        empty one.
        """
        if isinstance(command, str):
            raise TypeError('a command is a list: `["python", "server.py"]`')
        if not command:
            raise ValueError("a command names a program at least")
        config: dict[str, Any] = {
            "info": {"name": name, "version": version},
            "probe": probe,
            "limits": dict(limits or {}),
        }
        if revisions is not None:
            config["revisions"] = list(revisions)
        return cls(list(command), {"env": env, "cwd": cwd, "stderr": stderr}, config)

    async def __aenter__(self) -> Self:
        """Starts the server and waits until it is known.

        Raises `OSError` if it can't be started and `ConnectFailed` if no conversation comes about.
        """
        probe = self._config["probe"]
        while True:
            config = to_json(self._config | {"probe": probe})
            child = await Child.start(self._command, config, self._notice, **self._options)
            try:
                self._known = await child.open()
            except ConnectFailed as failure:
                if probe and failure.code == _RESTART:
                    # Some servers die of a method that they don't know.
                    probe = False
                    continue
                raise
            self._child = child
            return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the connection and waits until the server is gone; one that doesn't go is ended."""
        if self._child is not None:
            await self._child.close()

    def _connected(self) -> Child:
        if self._child is None:
            raise RuntimeError("connect first: `async with Client.stdio(...) as client`")
        return self._child

    def _ready(self) -> Ready:
        self._connected()
        return self._known

    def _notice(self, event: Notification) -> None:
        if self.on_notification is not None:
            self.on_notification(event.method, json.loads(event.params or "null"))

    @property
    def revision(self) -> str:
        """The revision of the protocol that is spoken."""
        return self._ready().revision

    @property
    def server_info(self) -> dict[str, Any] | None:
        """The server's description of itself."""
        info: dict[str, Any] | None = json.loads(self._ready().peer or "null")
        return info

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the server can do."""
        capabilities: dict[str, Any] = json.loads(self._ready().capabilities or "{}")
        return capabilities

    @property
    def instructions(self) -> str | None:
        """How the server wants to be used."""
        instructions: str | None = json.loads(self._ready().instructions or "null")
        return instructions

    @property
    def exit_status(self) -> int | None:
        """The server's exit status, once it is gone; negative: the signal that ended it."""
        return self._connected().exit_status

    async def list_tools(self, *, timeout: float | None = None) -> list[Tool]:
        """Lists the server's tools, all pages. `timeout` is for each page, otherwise as in `call_tool`."""
        server = self._connected()
        tools: list[Tool] = []
        cursors: set[str | None] = set()
        cursor: str | None = None
        while cursor not in cursors:
            cursors.add(cursor)
            text = await server.call(server.connection.list_tools, cursor=cursor, timeout=timeout)
            page = _decode(ToolPage, text)
            tools += page.tools
            if len(tools) > MAX_TOOLS:
                raise InvalidResult(f"the server lists more than {MAX_TOOLS} tools")
            if page.next_cursor is None:
                break
            cursor = page.next_cursor
        return tools

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> ToolResult:
        """Calls a tool. A tool that failed gives a result with `is_error`; `CallError` is raised if there is none.

        `timeout` is in seconds, for the whole call. Without one a call may take 600 s, and 60 s without progress: the
        limits `call_total` and `call_silence`. `on_progress` is given the value, the total and the message of
        each notice. Cancelling the task takes the call back; the cause of the `CancelledError` is then the engine's
        outcome. While the server reads nothing and the output is full, the call waits for room; `Blocked` is raised
        if there is none in time.
        """
        server = self._connected()
        text = await server.call(
            server.connection.call_tool,
            name,
            to_json(arguments or {}),
            timeout=timeout,
            on_progress=on_progress,
        )
        return _decode(ToolResult, text)

    async def call(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:  # noqa: ANN401 - the method's own
        """Makes any call and returns its decoded result; otherwise as `call_tool`."""
        server = self._connected()
        text = await server.call(
            server.connection.call,
            method,
            None if params is None else to_json(params),
            timeout=timeout,
            on_progress=on_progress,
        )
        return json.loads(text)

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Sends a notice; raises `ConnectionClosed` after the end of the connection."""
        server = self._connected()
        json_params = None if params is None else to_json(params)
        await server.notify(method, json_params)


def _decode(model: type[Model], text: str) -> Model:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise InvalidResult(f"not what the specification says: {error}") from error
