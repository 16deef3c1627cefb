"""A client on PyPI ``mcp`` 2.3.0; ``--mode`` is the mode of its ``Client``: ``auto``, ``legacy`` or a revision."""

from typing import Any

import anyio
from conversation import Answer, OnProgress, converse, options, report
from mcp import Client, StdioServerParameters, types


class Session:
    """The client of 2.3.0."""

    def __init__(self, client: Client) -> None:
        self.revision = client.session.protocol_version
        self._client = client

    async def list_tools(self) -> list[str]:
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def call(self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None) -> Answer:
        result = await self._client.call_tool(name, arguments, progress_callback=on_progress)
        text = "".join(item.text for item in result.content if isinstance(item, types.TextContent))
        return Answer(text, result.is_error)

    async def cancel(self, scope: anyio.CancelScope, ended: anyio.Event) -> None:
        scope.cancel()
        await ended.wait()


async def main() -> None:
    """Converse with the server of the command line."""
    settings = options(default_mode="auto")
    server = StdioServerParameters(command=settings.server[0], args=settings.server[1:])
    async with Client(server, mode=settings.mode) as client:
        await converse(Session(client), settings.script)
    report("close", server_exit=None)


anyio.run(main)
