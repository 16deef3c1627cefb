"""Starts the server that the arguments name, with the official SDK, and has it greet somebody."""

from __future__ import annotations

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client


async def main() -> None:
    """Prints what the tool `greet` says."""
    command, *args = sys.argv[1:]
    parameters = StdioServerParameters(command=command, args=args)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        result = await session.call_tool("greet", {"name": "Ada"})
        print(result.content[0].text)


asyncio.run(main())
