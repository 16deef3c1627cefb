"""A server on PyPI ``mcp`` 2.3.0, in its ``MCPServer`` style."""

import sys

import anyio
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("peer-mcp-2.3.0")


@server.tool()
def echo(text: str) -> str:
    """Return the text."""
    return text


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("failed as asked")


@server.tool()
async def count(n: int, ctx: Context) -> str:
    """Count to n."""
    for value in range(1, n + 1):
        await ctx.report_progress(value, n)
    return f"counted to {n}"


@server.tool()
async def wait(ctx: Context) -> str:
    """Run until cancelled."""
    try:
        await ctx.report_progress(1)
        await anyio.sleep_forever()
    finally:
        print("cancelled wait", file=sys.stderr, flush=True)
    return ""


server.run()
