"""A client on PyPI ``mcp`` 1.0.0, whose API has neither progress nor cancellation: both are made from its parts."""

from typing import Any, cast

import anyio
from conversation import Answer, OnProgress, converse, options, report
from mcp import ClientSession, StdioServerParameters, stdio_client, types
from mcp.shared.exceptions import McpError
from pydantic import RootModel


class RawRequest(RootModel[dict[str, Any]]):
    """A request as it goes on the wire: the typed ones drop ``_meta``."""


class Session:
    """The session of 1.0.0 with the progress of its calls."""

    def __init__(self, session: ClientSession, revision: str) -> None:
        self.revision = revision
        self._session = session
        self._progress: dict[str | int, OnProgress] = {}
        self._newest = 0

    async def list_tools(self) -> list[str]:
        return [tool.name for tool in (await self._session.list_tools()).tools]

    async def call(self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None) -> Answer:
        if on_progress is None:
            result = await self._session.call_tool(name, arguments)
        else:
            self._newest = token = self._session._request_id
            self._progress[token] = on_progress
            params = {"name": name, "arguments": arguments, "_meta": {"progressToken": token}}
            request = cast("types.ClientRequest", RawRequest({"method": "tools/call", "params": params}))
            result = await self._session.send_request(request, types.CallToolResult)
        text = "".join(item.text for item in result.content if isinstance(item, types.TextContent))
        return Answer(text, result.isError)

    async def cancel(self, scope: anyio.CancelScope, ended: anyio.Event) -> None:
        notice = types.JSONRPCNotification(
            jsonrpc="2.0", method="notifications/cancelled", params={"requestId": self._newest}
        )
        await self._session._write_stream.send(types.JSONRPCMessage(notice))

    async def read_incoming(self) -> None:
        """Deliver progress; an unread message would stop the session."""
        async for message in self._session.incoming_messages:
            if isinstance(message, Exception):
                raise message
            if isinstance(message, types.ServerNotification) and isinstance(message.root, types.ProgressNotification):
                params = message.root.params
                await self._progress[params.progressToken](params.progress, params.total, None)


async def main() -> None:
    """Converse with the server of the command line."""
    settings = options()
    server = StdioServerParameters(command=settings.server[0], args=settings.server[1:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
        try:
            session = Session(client, str((await client.initialize()).protocolVersion))
        except McpError as error:
            raise SystemExit(f"initialize failed: {error}") from error
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.read_incoming)
            await converse(session, settings.script)
            tasks.cancel_scope.cancel()
    report("close", server_exit=None)


anyio.run(main)
