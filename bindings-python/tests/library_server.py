"""A server of everything beyond tools, for the tests of both sides."""

from __future__ import annotations

from typing import Any

from mcp_sansio import Context, NotFound, Questions, RequestError, Server, SyncContext

BOOKS = {"emma": "Emma Woodhouse, handsome, clever, and rich", "ulysses": "Stately, plump Buck Mulligan"}

server = Server("library", "1", capabilities={"completions": {}}, page_size=1, unknown_methods=True)
server.offer(
    resources=[{"uri": f"book:///{name}", "name": name} for name in BOOKS],
    resource_templates=[{"uriTemplate": "shelf:///{row}", "name": "shelf"}],
    prompts=[{"name": "review", "arguments": [{"name": "book", "required": True}]}, {"name": "blurb"}],
)


reads = 0


@server.on_request("library/reads")
async def count_reads(context: Context, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - of every handler
    return {"reads": reads}


@server.on_request("resources/read", ttl_ms=60_000)
async def read(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    global reads  # noqa: PLW0603 - what this server counts
    reads += 1
    if context.template is not None:
        return {"contents": [{"uri": params["uri"], "text": f"row {context.variables['row']}"}]}
    name = params["uri"].removeprefix("book:///")
    if name == "ulysses":
        raise NotFound
    return {"contents": [{"uri": params["uri"], "text": BOOKS[name]}]}


@server.on_request("prompts/get")
def get_prompt(context: SyncContext, params: dict[str, Any]) -> dict[str, Any]:
    match params["name"]:
        case "blurb":
            raise RequestError(4711, "no blurbs", {"until": "Monday"})
        case _ if params["arguments"]["book"] == "dracula":
            raise ZeroDivisionError
    text = f"Review {params['arguments']['book']} in {context.revision}"
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


@server.on_request("completion/complete")
async def complete(context: Context, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - of every handler
    begun = params["argument"]["value"]
    return {"completion": {"values": [name for name in BOOKS if name.startswith(begun)]}}


@server.tool()
async def borrow(context: Context, book: str) -> str | Questions:
    """Borrows a book, if the client confirms twice."""
    if context.round < 2:
        asked = {"message": f"Really {book}?", "requestedSchema": {"type": "object", "properties": {}}}
        state = (context.state or b"") + b"*"
        return Questions({"sure": {"method": "elicitation/create", "params": asked}}, state=state)
    return f"{context.answers['sure']['action']} {(context.state or b'').decode()} {book}"


@server.tool()
def renew(context: SyncContext) -> str | Questions:
    """Asks for the roots of the client."""
    if not context.round:
        return Questions({"roots": {"method": "roots/list"}})
    return str([root["uri"] for root in context.answers["roots"]["roots"]])


@server.tool()
async def write(book: str) -> str:
    """Writes a book, and says who watches."""
    server.publish("resource", uri=f"book:///{book}/1", concerns=f"book:///{book}")
    return " ".join(sorted(server.watched))


@server.tool()
async def trace(context: Context) -> str:
    """Logs, and tells the trace of the call."""
    await context.log("debug", "quiet")
    await context.log("error", "loud")
    return str(context.meta.get("traceparent"))


@server.tool()
async def extend() -> None:
    """Offers another prompt."""
    server.offer(prompts=[{"name": "summary"}])


if __name__ == "__main__":
    server.run()
