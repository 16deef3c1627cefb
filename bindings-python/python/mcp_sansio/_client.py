"""A client on asyncio: a server as a child process, its standard input and output as the pipe."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from ._child import Child
from ._content import Tool, ToolList, ToolResult
from ._errors import ConnectFailed, InvalidResult
from .events import Subscribed

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from . import types
    from ._child import Listening, OnProgress, Stderr
    from .events import Input, Notification, Ready

_RESTART = "close.probe_closed"
Model = TypeVar("Model", bound=BaseModel)


class Subscription:
    """Changes that a server tells of; made by `Client.subscribe`."""

    def __init__(self, server: Child, listening: Listening) -> None:
        """Is in force."""
        self._server = server
        self._listening = listening

    @property
    def filter(self) -> types.SubscriptionFilter:
        """What the server tells of."""
        return cast("types.SubscriptionFilter", json.loads(self._listening.in_force.result().filter))

    @property
    def missing(self) -> types.SubscriptionFilter:
        """What was asked for beyond that and is not told; empty if nothing."""
        return cast("types.SubscriptionFilter", json.loads(self._listening.in_force.result().missing))

    async def wait(self) -> None:
        """Waits until it is over by itself, and raises why: `CallError`."""
        await asyncio.shield(self._listening.over)

    def close(self) -> None:
        """Ends it; once more does nothing."""
        self._server.cancel(self._listening.handle)


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
        self.on_input: Callable[[str, Any], Awaitable[Mapping[str, Any] | None]] | None = None
        """Answers a question of the server, of a kind that `capabilities` declares.

        It is given the method (`elicitation/create`, `sampling/createMessage`, `roots/list`) and the decoded params,
        and returns the result; `None` if there is no answer to such. It is cancelled when the question is taken back.
        """

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
        capabilities: types.ClientCapabilities | None = None,
        revisions: Sequence[str] | None = None,
        probe: bool = True,
        limits: Mapping[str, Any] | None = None,
    ) -> Client:
        """Describes a client of a server that is to be started: `command` is the program and its arguments, a list.

        `env` replaces the whole environment; `stderr` is `None` (the server's standard error is ours), a file, or
        a function that is given each line. `capabilities` say what the server may ask for, see `on_input`.
        `revisions` are those to speak, the best first: by default all. Without
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
            "capabilities": dict(capabilities or {}),
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
            child = await Child.start(self._command, config, self._notice, self._answer, **self._options)
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

    async def _answer(self, event: Input) -> bytes | None:
        answer = None if self.on_input is None else await self.on_input(event.method, json.loads(event.params or "{}"))
        return None if answer is None else to_json(answer)

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
    def capabilities(self) -> types.ServerCapabilities:
        """What the server can do."""
        return cast("types.ServerCapabilities", json.loads(self._ready().capabilities or "{}"))

    @property
    def instructions(self) -> str | None:
        """How the server wants to be used."""
        instructions: str | None = json.loads(self._ready().instructions or "null")
        return instructions

    @property
    def exit_status(self) -> int | None:
        """The server's exit status, once it is gone; negative: the signal that ended it."""
        return self._connected().exit_status

    async def list_all(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Any:  # noqa: ANN401 - the method's own
        """Makes a call of a list, such as `prompts/list`, for all of its pages; returns one result with all items.

        The limits `list_pages` and `list_bytes` bound it, and `timeout` all pages together.
        """
        return json.loads(await self._list(method, params, timeout))

    async def _list(self, method: str, params: Mapping[str, Any] | None, timeout: float | None) -> str:
        server = self._connected()
        json_params = None if params is None else to_json(params)
        return await server.call(server.connection.list_all, method, json_params, timeout=timeout)

    async def list_tools(self, *, timeout: float | None = None) -> list[Tool]:
        """Lists the server's tools, as `list_all`."""
        method = self._connected().connection.method_for("list_tools")
        return _decode(ToolList, await self._list(method, None, timeout)).tools

    async def list_prompts(self, *, timeout: float | None = None) -> list[types.Prompt]:
        """Lists the server's prompts, as `list_all`."""
        method = self._connected().connection.method_for("list_prompts")
        result: types.ListPromptsResult = await self.list_all(method, timeout=timeout)
        return result["prompts"]

    async def list_resources(self, *, timeout: float | None = None) -> list[types.Resource]:
        """Lists the server's resources, as `list_all`."""
        method = self._connected().connection.method_for("list_resources")
        result: types.ListResourcesResult = await self.list_all(method, timeout=timeout)
        return result["resources"]

    async def list_resource_templates(self, *, timeout: float | None = None) -> list[types.ResourceTemplate]:
        """Lists the server's templates of resources, as `list_all`."""
        method = self._connected().connection.method_for("list_templates")
        result: types.ListResourceTemplatesResult = await self.list_all(method, timeout=timeout)
        return result["resourceTemplates"]

    async def read(self, uri: str, *, timeout: float | None = None) -> types.ReadResourceResult:
        """Reads a resource; otherwise as `call_tool`."""
        method = self._connected().connection.method_for("read_resource")
        result: types.ReadResourceResult = await self.call(method, {"uri": uri}, timeout=timeout)
        return result

    async def get_prompt(
        self,
        name: str,
        arguments: Mapping[str, str] | None = None,
        *,
        timeout: float | None = None,
    ) -> types.GetPromptResult:
        """Gets a prompt; otherwise as `call_tool`."""
        method = self._connected().connection.method_for("get_prompt")
        params = {"name": name, "arguments": arguments or {}}
        result: types.GetPromptResult = await self.call(method, params, timeout=timeout)
        return result

    async def complete(
        self,
        ref: types.PromptReference | types.ResourceTemplateReference,
        argument: types.CompleteRequestParamsArgument,
        *,
        context: types.CompleteRequestParamsContext | None = None,
        timeout: float | None = None,
    ) -> types.CompleteResult:
        """Asks how the beginning of an argument, of a prompt or a template, may go on.

        `context` are the arguments that are known. Otherwise as `call_tool`.
        """
        method = self._connected().connection.method_for("complete")
        params = {"ref": ref, "argument": argument} | ({} if context is None else {"context": context})
        result: types.CompleteResult = await self.call(method, params, timeout=timeout)
        return result

    async def subscribe(
        self,
        on_change: Callable[[str | None, Any], None],
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: Sequence[str] = (),
    ) -> Subscription:
        """Subscribes to changes of the lists, and of the resources of these URIs; waits until that is in force.

        `on_change` is called with the method and the decoded params of each notice. The engine asks again if the
        server ends it; `on_change` is then called with `None` twice: changes may have been missed. Raises `CallError`
        if the server refuses, `LocalProtocolError` if nothing is asked for.
        """

        def deliver(event: Notification | Subscribed) -> None:
            if isinstance(event, Subscribed):
                on_change(None, None)
            else:
                on_change(event.method, json.loads(event.params or "null"))

        server = self._connected()
        listening = await server.subscribe(deliver, tools=tools, prompts=prompts, resources=resources, uris=list(uris))
        return Subscription(server, listening)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        log_level: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> ToolResult:
        """Calls a tool. A tool that failed gives a result with `is_error`; `CallError` is raised if there is none.

        `timeout` is in seconds, for the whole call. Without one a call may take 600 s, and 60 s without progress: the
        limits `call_total` and `call_silence`. `on_progress` is given the value, the total and the message of
        each notice. Cancelling the task takes the call back; the cause of the `CancelledError` is then the engine's
        outcome. `log_level` asks for log notices of the call, in revisions where each call says so; `meta` are further
        members of its `_meta`, a trace context for one. While the server reads nothing and the output is full, the call
        waits for room; `Blocked` is raised if there is none in time.
        """
        server = self._connected()
        text = await server.call(
            server.connection.call_tool,
            name,
            to_json(arguments or {}),
            timeout=timeout,
            on_progress=on_progress,
            log_level=log_level,
            meta=None if meta is None else to_json(meta),
        )
        return _decode(ToolResult, text)

    async def call(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        log_level: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - the method's own
        """Makes any call and returns its decoded result; otherwise as `call_tool`."""
        server = self._connected()
        text = await server.call(
            server.connection.call,
            method,
            None if params is None else to_json(params),
            timeout=timeout,
            on_progress=on_progress,
            log_level=log_level,
            meta=None if meta is None else to_json(meta),
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
