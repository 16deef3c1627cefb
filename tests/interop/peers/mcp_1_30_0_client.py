"""A client on PyPI ``mcp`` 1.30.0, where cancelling a call sends nothing: the notice is sent by hand."""

from typing import Any

import anyio
from conversation import Answer, OnProgress, converse, options, report
from mcp import ClientSession, StdioServerParameters, stdio_client, types


class Session:
    """The session of 1.30.0."""

    def __init__(self, session: ClientSession, revision: str) -> None:
        self.revision = revision
        self._session = session
        self._newest = 0

    async def list_tools(self) -> list[str]:
        return [tool.name for tool in (await self._session.list_tools()).tools]

    async def call(self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None) -> Answer:
        if on_progress is not None:
            self._newest = self._session._request_id
        result = await self._session.call_tool(name, arguments, progress_callback=on_progress)
        text = "".join(item.text for item in result.content if isinstance(item, types.TextContent))
        return Answer(text, result.isError)

    async def cancel(self, scope: anyio.CancelScope, ended: anyio.Event) -> None:
        params = types.CancelledNotificationParams(requestId=self._newest)
        notice = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self._session.send_notification(types.ClientNotification(notice))


async def main() -> None:
    """Converse with the server of the command line."""
    settings = options()
    server = StdioServerParameters(command=settings.server[0], args=settings.server[1:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
        session = Session(client, str((await client.initialize()).protocolVersion))
        await converse(session, settings.script)
    report("close", server_exit=None)


anyio.run(main)
