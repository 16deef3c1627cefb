"""The Model Context Protocol on an engine without I/O.

A server is functions with type hints, a client starts it and calls them:

    >>> server = Server("greeter", "1.0")
    >>> @server.tool()
    ... async def greet(name: str) -> str:
    ...     '''Greets somebody.'''
    ...     return f"Hello, {name}!"
"""

from __future__ import annotations

from . import events
from ._client import Client
from ._content import Media, Tool, ToolResult
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
    RemoteError,
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
    "RemoteError",
    "Server",
    "ServerConnection",
    "SyncContext",
    "Tool",
    "ToolError",
    "ToolResult",
    "events",
]
