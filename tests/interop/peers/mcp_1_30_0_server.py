"""A server on PyPI ``mcp`` 1.30.0, in its ``FastMCP`` style."""

import sys
from typing import Any

import anyio
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.session import ServerSession

server = FastMCP("peer-mcp-1.30.0")
ToolContext = Context[ServerSession, Any, Any]


@server.tool()
def echo(text: str) -> str:
    """Return the text."""
    return text


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("failed as asked")


@server.tool()
async def count(n: int, ctx: ToolContext) -> str:
    """Count to n."""
    for value in range(1, n + 1):
        await ctx.report_progress(value, n)
    return f"counted to {n}"


@server.tool()
async def wait(ctx: ToolContext) -> str:
    """Run until cancelled."""
    try:
        await ctx.report_progress(1)
        await anyio.sleep_forever()
    finally:
        print("cancelled wait", file=sys.stderr, flush=True)
    return ""


server.run()
