"""The Model Context Protocol on an engine without I/O.

A server is functions with type hints (`server.py`):

    from mcp_sansio import Context, Server, ToolError

    server = Server("weather", "1.0")

    @server.tool()
    async def forecast(context: Context, city: str, days: int = 1) -> list[str]:
        '''Says what the weather will be.'''
        if city == "Atlantis":
            raise ToolError(f"{city} is under water")
        for day in range(days):
            await context.progress(day + 1, days)
        return [f"{city}, day {day + 1}: sunny" for day in range(days)]

    server.run()

A client starts it and calls them (`client.py`):

    import asyncio
    import sys

    from mcp_sansio import CallTimeout, Client

    async def main() -> None:
        async with Client.stdio([sys.executable, "server.py"]) as client:
            print(client.revision, [tool.name for tool in await client.list_tools()])
            result = await client.call_tool(
                "forecast",
                {"city": "Bern", "days": 2},
                timeout=10,
                on_progress=lambda value, total, message: print(f"{value} of {total}"),
            )
            print(result.text)
            failed = await client.call_tool("forecast", {"city": "Atlantis"})
            print(failed.is_error, failed.text)

    asyncio.run(main())

It prints:

    2026-07-28 ['forecast']
    1 of 2
    2 of 2
    Bern, day 1: sunny
    Bern, day 2: sunny
    True Atlantis is under water

Below both is the engine, `ServerConnection` and `ClientConnection`: bytes and the time in, bytes and events out. It
brings no I/O and no clock, so it runs under any loop, in threads, or in a test that makes its own time. Here `CALL` is
the line of a client that wants to know what 1 and 2 make:

    >>> from mcp_sansio import ServerConnection, events
    >>> tool = '{"name": "add", "inputSchema": {"type": "object"}}'
    >>> server = ServerConnection('{"info": {"name": "sum", "version": "1"}, "tools": [%s]}' % tool)
    >>> server.receive_data(CALL, now=0)
    >>> for event in server.events_received():
    ...     match event:
    ...         case events.Request(is_tool_call=True) as request:
    ...             numbers = json.loads(request.arguments)
    ...             text = str(numbers["a"] + numbers["b"])
    ...             result = {"content": [{"type": "text", "text": text}]}
    ...             server.respond(request.handle, json.dumps(result), now=1_000_000)
    >>> print(json.loads(server.data_to_send())["result"]["content"])
    [{'type': 'text', 'text': '3'}]

What a host of it owes: take and write in one critical section (`data_to_send`), call `handle_timeout` at
`next_timeout`, stop reading while `wants_read` is false, tell the end of input (`receive_eof`) from the end of the
connection (`connection_lost`), say the wall clock (`set_wall_clock`) before tasks or state are dated by it, and ignore
`AlreadyOver`. Times are nanoseconds of one clock, `time.monotonic_ns()`.
"""

from __future__ import annotations

from . import events, types
from ._client import Client, Subscription
from ._content import Media, Questions, Tool, ToolResult
from ._context import Context, SyncContext
from ._core import ClientConnection, ServerConnection
from ._errors import (
    AlreadyOver,
    AuthRequired,
    Blocked,
    CallCancelled,
    CallError,
    CallTimeout,
    ConfigError,
    ConnectFailed,
    ConnectionClosed,
    EngineFailed,
    InputFailed,
    InvalidResult,
    LocalProtocolError,
    McpError,
    NotFound,
    RemoteError,
    RequestError,
    ToolError,
)
from ._server import Server

__all__ = [
    "AlreadyOver",
    "AuthRequired",
    "Blocked",
    "CallCancelled",
    "CallError",
    "CallTimeout",
    "Client",
    "ClientConnection",
    "ConfigError",
    "ConnectFailed",
    "ConnectionClosed",
    "Context",
    "EngineFailed",
    "InputFailed",
    "InvalidResult",
    "LocalProtocolError",
    "McpError",
    "Media",
    "NotFound",
    "Questions",
    "RemoteError",
    "RequestError",
    "Server",
    "ServerConnection",
    "Subscription",
    "SyncContext",
    "Tool",
    "ToolError",
    "ToolResult",
    "events",
    "types",
]
