"""A server on PyPI `mcp` 2.3.0, without its log."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo", log_level="ERROR")


@server.tool(structured_output=False)
def echo(text: str) -> str:
    """Answer with the text."""
    return text


server.run()
