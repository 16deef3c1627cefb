"""A server on PyPI ``mcp`` 1.30.0, in its ``FastMCP`` style."""

import sys
from typing import Any

import anyio
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.session import ServerSession
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    TextContent,
)
from pydantic import AnyUrl, BaseModel

server = FastMCP("peer-mcp-1.30.0")
ToolContext = Context[ServerSession, Any, Any]


class Name(BaseModel):
    """What `ask` asks for."""

    name: str


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


@server.tool()
async def ask(ctx: ToolContext) -> str:
    """Ask for a name."""
    answer = await ctx.elicit("Who?", Name)
    return f"got {answer.data.name}" if answer.action == "accept" else answer.action


@server.tool()
async def sample(ctx: ToolContext) -> str:
    """Ask the model for a word."""
    question = SamplingMessage(role="user", content=TextContent(type="text", text="Say a word"))
    answer = await ctx.session.create_message([question], max_tokens=10)
    return f"got {answer.content.text}" if isinstance(answer.content, TextContent) else ""


@server.tool()
async def roots(ctx: ToolContext) -> str:
    """Ask for the first root."""
    return f"got {(await ctx.session.list_roots()).roots[0].uri}"


@server.tool()
async def log(ctx: ToolContext) -> str:
    """Log a line."""
    await ctx.warning("loud")
    return "logged"


@server.tool()
async def touch(ctx: ToolContext) -> str:
    """Say that the text changed."""
    await ctx.session.send_resource_updated(AnyUrl("test://text"))
    return "touched"


@server.resource("test://text", mime_type="text/plain")
def text_resource() -> str:
    """A text."""
    return "héé 漢 🦀"


@server.resource("test://blob", mime_type="application/octet-stream")
def blob_resource() -> bytes:
    """Bytes."""
    return b"\xfb\xff\xbf\xfe\xff"


@server.resource("test://item/{number}", mime_type="text/plain")
def item_resource(number: str) -> str:
    """One of many."""
    return f"item {number}"


@server.prompt()
def greet(who: str) -> str:
    """Greet somebody."""
    return f"Hello {who}"


@server.completion()
async def complete(
    ref: PromptReference | ResourceTemplateReference,  # noqa: ARG001
    argument: CompletionArgument,
    context: CompletionContext | None,  # noqa: ARG001
) -> Completion:
    """Complete a name."""
    return Completion(values=[name for name in ("Ada", "Alan", "Grace") if name.startswith(argument.value)])


server.run()
