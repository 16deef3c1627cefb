"""A server on PyPI ``mcp`` 1.0.0, in the one style it has."""

import sys
from typing import Any

import anyio
from mcp import types
from mcp.server import Server, stdio_server

server = Server("peer-mcp-1.0.0")

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TOOLS = [
    types.Tool(
        name="echo",
        description="Return the text.",
        inputSchema={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    ),
    types.Tool(name="fail", description="Fail.", inputSchema=NOTHING),
    types.Tool(
        name="count",
        description="Count to n.",
        inputSchema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    ),
    types.Tool(name="wait", description="Run until cancelled.", inputSchema=NOTHING),
]


# The decorators of 1.0.0 have no types.
@server.list_tools()  # type: ignore[no-untyped-call,untyped-decorator]
async def list_tools() -> list[types.Tool]:
    """List the tools of the matrix."""
    return TOOLS


@server.call_tool()  # type: ignore[no-untyped-call,untyped-decorator]
async def call_tool(name: str, arguments: dict[str, Any]) -> list[types.TextContent]:
    """Run one tool. No progress: this version drops ``_meta`` and with it the token."""
    if name == "echo":
        text = arguments["text"]
    elif name == "fail":
        raise ValueError("failed as asked")
    elif name == "count":
        text = f"counted to {arguments['n']}"
    elif name == "wait":
        try:
            await anyio.sleep_forever()
        finally:
            print("cancelled wait", file=sys.stderr, flush=True)
    else:
        raise ValueError(f"unknown tool {name}")
    return [types.TextContent(type="text", text=text)]


async def main() -> None:
    """Serve until the end of input."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
