"""A client on PyPI ``mcp`` 1.30.0, where cancelling a call sends nothing: the notice is sent by hand."""

from typing import Any

import anyio
from conversation import Answer, Answers, Notices, OnProgress, converse, options, report
from mcp import ClientSession, McpError, StdioServerParameters, stdio_client, types
from pydantic import AnyUrl, BaseModel


def plain(value: BaseModel) -> Any:  # noqa: ANN401
    """A message or a result as it is on the wire."""
    return value.model_dump(by_alias=True, mode="json", exclude_none=True)


class Session:
    """The session of 1.30.0."""

    def __init__(self, session: ClientSession, revision: str, notices: Notices) -> None:
        self.revision = revision
        self._session = session
        self._notices = notices
        self._newest = 0

    async def list_tools(self) -> list[str]:
        return [tool.name for tool in (await self._session.list_tools()).tools]

    async def call(self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None) -> Answer:
        if on_progress is not None:
            self._newest = self._session._request_id
        result = await self._session.call_tool(name, arguments, progress_callback=on_progress)
        text = "".join(item.text for item in result.content if isinstance(item, types.TextContent))
        return Answer(text, result.isError)

    async def step(self, step: dict[str, Any]) -> Any:  # noqa: ANN401
        if method := step.get("wait"):
            return await self._notices.wait(method)
        if uris := step.get("subscribe"):
            for uri in uris:
                await self._session.subscribe_resource(AnyUrl(uri))
            return {"resourceSubscriptions": uris}
        try:
            return plain(await self._result(step["call"], step["params"]))
        except McpError as error:
            return {"error": error.error.code}

    async def _result(self, method: str, params: dict[str, Any]) -> BaseModel:
        session = self._session
        match method:
            case "resources/list":
                result: BaseModel = await session.list_resources()
            case "resources/templates/list":
                result = await session.list_resource_templates()
            case "resources/read":
                result = await session.read_resource(AnyUrl(params["uri"]))
            case "prompts/list":
                result = await session.list_prompts()
            case "prompts/get":
                result = await session.get_prompt(params["name"], params["arguments"])
            case "completion/complete":
                ref = types.PromptReference(type="ref/prompt", name=params["ref"]["name"])
                result = await session.complete(ref, params["argument"])
            case "logging/setLevel":
                result = await session.set_logging_level(params["level"])
            case _:
                result = await session.call_tool(params["name"], params["arguments"])
        return result

    async def cancel(self, scope: anyio.CancelScope, ended: anyio.Event) -> None:
        params = types.CancelledNotificationParams(requestId=self._newest)
        notice = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self._session.send_notification(types.ClientNotification(notice))


async def main() -> None:
    """Converse with the server of the command line."""
    settings = options()
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
        if isinstance(message, types.ServerNotification):
            notices.add(plain(message))

    callbacks: dict[str, Any] = {}
    if "more" in script:
        callbacks = {
            "sampling_callback": sample,
            "elicitation_callback": elicit,
            "list_roots_callback": roots,
            "message_handler": told,
        }
    async with stdio_client(server) as (read, write), ClientSession(read, write, **callbacks) as client:
        session = Session(client, str((await client.initialize()).protocolVersion), notices)
        await converse(session, script, answers)
    report("close", server_exit=None)


anyio.run(main)
