"""A server on PyPI ``mcp`` 2.3.0, in its ``MCPServer`` style."""

import sys
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel

server = MCPServer("peer-mcp-2.3.0")


class Name(BaseModel):
    """What `ask` asks for."""

    name: str


def name_of_user() -> Elicit[Name]:
    """Ask the user."""
    return Elicit("Who?", Name)


def word_of_model() -> Sample:
    """Ask the model."""
    return Sample([SamplingMessage(role="user", content=TextContent(text="Say a word"))], max_tokens=10)


def roots_of_client() -> ListRoots:
    """Ask for the roots."""
    return ListRoots()


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


@server.tool()
def ask(answer: Annotated[Name, Resolve(name_of_user)]) -> str:
    """Ask for a name."""
    return f"got {answer.name}"


@server.tool()
def sample(answer: Annotated[CreateMessageResult, Resolve(word_of_model)]) -> str:
    """Ask the model for a word."""
    return f"got {answer.content.text}"


@server.tool()
def roots(answer: Annotated[ListRootsResult, Resolve(roots_of_client)]) -> str:
    """Ask for the first root."""
    return f"got {answer.roots[0].uri}"


@server.tool()
async def log(ctx: Context) -> str:
    """Log at two levels."""
    await ctx.log("debug", "quiet")
    await ctx.log("warning", "loud")
    return "logged"


@server.tool()
async def touch(ctx: Context) -> str:
    """Say that the text changed."""
    await ctx.notify_resource_updated("test://text")
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
