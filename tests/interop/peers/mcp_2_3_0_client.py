"""A client on PyPI ``mcp`` 2.3.0; ``--mode`` is the mode of its ``Client``: ``auto``, ``legacy`` or a revision."""

from contextlib import AsyncExitStack
from typing import Any

import anyio
from conversation import Answer, Answers, Notices, OnProgress, converse, options, report
from mcp import Client, MCPError, StdioServerParameters, types
from pydantic import BaseModel


def plain(value: BaseModel) -> Any:  # noqa: ANN401
    """A message or a result as it is on the wire."""
    return value.model_dump(by_alias=True, mode="json", exclude_none=True)


class Session:
    """The client of 2.3.0."""

    def __init__(self, client: Client, notices: Notices, stack: AsyncExitStack) -> None:
        self.revision = client.session.protocol_version
        self._client = client
        self._notices = notices
        self._stack = stack

    async def list_tools(self) -> list[str]:
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def call(self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None) -> Answer:
        result = await self._client.call_tool(name, arguments, progress_callback=on_progress)
        text = "".join(item.text for item in result.content if isinstance(item, types.TextContent))
        return Answer(text, result.is_error)

    async def step(self, step: dict[str, Any]) -> Any:  # noqa: ANN401
        if method := step.get("wait"):
            return await self._notices.wait(method)
        if uris := step.get("subscribe"):
            if self.revision == "2026-07-28":
                stream = await self._stack.enter_async_context(self._client.listen(resource_subscriptions=uris))
                return plain(stream.honored)
            for uri in uris:
                await self._client.subscribe_resource(uri)
            return {"resourceSubscriptions": uris}
        try:
            return plain(await self._result(step["call"], step["params"]))
        except MCPError as error:
            return {"error": error.code}

    async def _result(self, method: str, params: dict[str, Any]) -> BaseModel:
        client = self._client
        match method:
            case "resources/list":
                result: BaseModel = await client.list_resources()
            case "resources/templates/list":
                result = await client.list_resource_templates()
            case "resources/read":
                result = await client.read_resource(params["uri"])
            case "prompts/list":
                result = await client.list_prompts()
            case "prompts/get":
                result = await client.get_prompt(params["name"], params["arguments"])
            case "completion/complete":
                result = await client.complete(types.PromptReference(name=params["ref"]["name"]), params["argument"])
            case "logging/setLevel":
                result = await client.set_logging_level(params["level"])
            case _:
                result = await client.call_tool(params["name"], params["arguments"])
        return result

    async def cancel(self, scope: anyio.CancelScope, ended: anyio.Event) -> None:
        scope.cancel()
        await ended.wait()


async def main() -> None:
    """Converse with the server of the command line."""
    settings = options(default_mode="auto")
    server = StdioServerParameters(command=settings.server[0], args=settings.server[1:])
    script = settings.script
    answers, notices = Answers(script), Notices()

    async def sample(*_: object) -> types.CreateMessageResult:
        return types.CreateMessageResult.model_validate(answers.of("sampling/createMessage"))

    async def elicit(*_: object) -> types.ElicitResult:
        return types.ElicitResult.model_validate(answers.of("elicitation/create"))

    async def roots(*_: object) -> types.ListRootsResult:
        return types.ListRootsResult.model_validate(answers.of("roots/list"))

    async def told(message: object) -> None:
        if isinstance(message, BaseModel):
            notices.add(plain(message))

    callbacks: dict[str, Any] = {}
    if "more" in script:
        levels = [step["log"] for step in script["more"] if "log" in step]
        callbacks = {
            "sampling_callback": sample,
            "elicitation_callback": elicit,
            "list_roots_callback": roots,
            "message_handler": told,
            "log_level": levels[0] if levels else None,
        }
    async with Client(server, mode=settings.mode, **callbacks) as client, AsyncExitStack() as stack:
        await converse(Session(client, notices, stack), script, answers)
    report("close", server_exit=None)


anyio.run(main)
