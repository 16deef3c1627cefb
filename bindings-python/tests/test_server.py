"""What a server makes of functions."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
import threading
from datetime import date  # noqa: TC003 - read from the hints at run time
from decimal import Decimal  # noqa: TC003 - as above
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field

from io_tools import run, served
from mcp_sansio import Context, Media, Server, SyncContext, ToolError, ToolResult
from pair import line


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


@dataclasses.dataclass
class Place:
    name: str
    height: int


class Person(BaseModel):
    name: str
    age: int = Field(ge=0)


RETURNS = [
    ("a word", {"content": [text("a word")]}),
    (None, {"content": []}),
    ([], {"content": []}),
    (["a", "b"], {"content": [text("a"), text("b")]}),
    ([1, {"x": 2}], {"content": [text("1"), text('{"x":2}')]}),
    ({"x": 2}, {"content": [text('{"x":2}')], "structuredContent": {"x": 2}}),
    ("NaN", {"content": [text("NaN")]}),
    (42, {"content": [text("42")]}),
    (
        Place("Rigi", 1798),
        {"content": [text('{"name":"Rigi","height":1798}')], "structuredContent": {"name": "Rigi", "height": 1798}},
    ),
    (Media(b"\x00\xff", "image/png"), {"content": [{"type": "image", "data": "AP8=", "mimeType": "image/png"}]}),
    (
        [Media(b"", "audio/wav", "audio"), "below"],
        {"content": [{"type": "audio", "data": "", "mimeType": "audio/wav"}, text("below")]},
    ),
    (
        [{"type": "resource_link", "uri": "a:b", "name": "b"}],
        {"content": [{"type": "resource_link", "uri": "a:b", "name": "b"}]},
    ),
    (ToolResult(content=[text("no")], is_error=True), {"content": [text("no")], "isError": True}),
]


@pytest.mark.parametrize(("value", "result"), RETURNS)
def test_what_a_handler_returns_is_the_result(value: object, result: object) -> None:
    server = Server("test", "1")

    @server.tool()
    async def give() -> Any:
        return value

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "give")
            assert (await peer.answer(1))["result"] == result

    run(test())


def test_the_schema_comes_from_the_hints() -> None:
    server = Server("test", "1")

    @server.tool(title="Greeter", annotations={"readOnlyHint": True})
    async def greet(
        context: Context,
        person: Person,
        words: Annotated[list[str], Field(description="What to say.")],
        times: int = 1,
    ) -> str:
        """Greets."""
        return f"{context.revision} {person.name} {words} {times}"

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.send(line(id=1, method="tools/list"))
            (tool,) = (await peer.answer(1))["result"]["tools"]
            assert (tool["name"], tool["title"], tool["description"]) == ("greet", "Greeter", "Greets.")
            assert tool["annotations"] == {"readOnlyHint": True}
            schema = tool["inputSchema"]
            assert (schema["type"], schema["required"]) == ("object", ["person", "words"])
            assert set(schema["properties"]) == {"person", "words", "times"}
            assert schema["properties"]["words"]["description"] == "What to say."
            assert schema["properties"]["times"]["default"] == 1
            peer.call_tool(2, "greet", {"person": {"name": "Ada", "age": 36}, "words": ["hi"]})
            assert (await peer.answer(2))["result"]["content"] == [text("2025-11-25 Ada ['hi'] 1")]

    run(test())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, '"n" is a required property'),
        ({"n": "many"}, 'arguments/n: is not of type "integer"'),
        ({"n": 1, "m": 2}, "'m' was unexpected"),
        ({"n": 1, "day": "yesterday"}, "day: Input should be a valid date"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], problem: str) -> None:
    server = Server("test", "1")

    @server.tool()
    async def square(n: int, day: date | None = None) -> int:
        return n * n if day is None else 0

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "square", arguments)
            result = (await peer.answer(1))["result"]
            assert result["isError"] is True
            assert problem in result["content"][0]["text"]
            peer.call_tool(2, "square", {"n": 3})
            assert (await peer.answer(2))["result"]["content"] == [text("9")]

    run(test())


def test_what_pydantic_says_in_schemas_is_understood() -> None:
    server = Server("test", "1")

    @server.tool()
    async def add(amounts: list[Decimal], to: Place, more: dict[str, Person] | None = None) -> str:
        return f"{sum(amounts)} {to.name} {len(more or {})}"

    async def test() -> None:
        async with served(server) as (peer, _):
            arguments = {
                "amounts": ["1.5", 2],
                "to": {"name": "x", "height": 1},
                "more": {"a": {"name": "b", "age": 3}},
            }
            peer.call_tool(1, "add", arguments)
            assert (await peer.answer(1))["result"]["content"] == [text("3.5 x 1")]
            peer.call_tool(2, "add", {**arguments, "more": {"a": {"name": "b", "age": -1}}})
            assert "arguments/more" in (await peer.answer(2))["result"]["content"][0]["text"]

    run(test())


def test_a_default_is_never_shared() -> None:
    server = Server("test", "1")

    @server.tool()
    async def collect(word: str, words: list[str] = []) -> list[str]:  # noqa: B006 - what the test is about
        words.append(word)
        return words

    async def test() -> None:
        async with served(server) as (peer, _):
            for number, word in enumerate("ab"):
                peer.call_tool(number, "collect", {"word": word})
                assert (await peer.answer(number))["result"]["content"] == [text(word)]

    run(test())


def test_errors_of_tools_are_for_the_model_and_others_are_not(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("test", "1")

    @server.tool()
    async def known() -> None:
        raise ToolError("the file is locked")

    @server.tool()
    async def unknown() -> None:
        raise OSError("password: 1234")

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "known")
            assert (await peer.answer(1))["result"] == {"content": [text("the file is locked")], "isError": True}
            peer.call_tool(2, "unknown")
            answer = await peer.answer(2)
            assert answer["result"]["isError"] is True
            assert "1234" not in json.dumps(answer)

    run(test())
    assert [record.getMessage() for record in caplog.records] == ["the tool `unknown` failed"]


class Panic(BaseException):
    """As extension modules raise."""


@pytest.mark.parametrize("end", [SystemExit(2), Panic("1234"), StopIteration()], ids=repr)
@pytest.mark.parametrize("plain", [False, True])
def test_whatever_a_tool_raises_the_server_goes_on(
    end: BaseException,
    plain: object,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = Server("test", "1")

    def leave() -> None:
        raise end

    async def leave_async() -> None:
        raise end

    server.tool(name="leave")(leave if plain else leave_async)

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "leave")
            assert (await peer.answer(1))["result"] == {"content": [text("the tool failed")], "isError": True}
            peer.send(line(id=2, method="ping"))
            await peer.answer(2)

    run(test())
    assert [record.getMessage() for record in caplog.records] == ["the tool `leave` failed"]


def test_a_validator_that_fails_is_a_tool_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("test", "1")

    @server.tool()
    async def check(n: Annotated[int, AfterValidator(sys.exit)]) -> int:
        return n

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "check", {"n": 1})
            assert (await peer.answer(1))["result"] == {"content": [text("the tool failed")], "isError": True}

    run(test())
    assert [record.getMessage() for record in caplog.records] == ["the tool `check` failed"]


def test_a_result_that_the_engine_refuses_is_still_answered(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("test", "1", limits={"message_bytes": 1000})

    @server.tool()
    async def much() -> str:
        return "x" * 2000

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "much")
            assert "error" in await peer.answer(1)

    run(test())
    assert [record.getMessage() for record in caplog.records] == ["the answer of the tool `much` was refused"]


NAN = float("nan")


@pytest.mark.parametrize(
    "value",
    [
        NAN,
        float("-inf"),
        {"x": [NAN]},
        ["a", NAN],
        [{"type": "text", "text": "a", "_meta": {"x": NAN}}],
        ToolResult(structured_content={"x": NAN}),
        object(),
        {"x": object()},
    ],
)
def test_a_result_that_is_no_json_is_a_tool_that_failed(value: object, caplog: pytest.LogCaptureFixture) -> None:
    server = Server("test", "1")

    @server.tool()
    async def give() -> Any:
        return value

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "give")
            assert (await peer.answer(1))["result"] == {"content": [text("the tool failed")], "isError": True}

    run(test())
    assert [record.getMessage() for record in caplog.records] == ["the tool `give` failed"]


def test_plain_functions_run_in_threads_with_a_context_of_their_own() -> None:
    server = Server("test", "1")
    barrier = threading.Barrier(2, timeout=20)

    @server.tool()
    def meet(context: SyncContext) -> str:
        assert threading.current_thread() is not threading.main_thread()
        barrier.wait()
        context.progress(1, 2, "met")
        return context.revision

    async def test() -> None:
        async with served(server) as (peer, _):
            for number in (1, 2):
                peer.call_tool(number, "meet", _meta={"progressToken": number})
            messages = [await peer.receive() for _ in range(4)]
            notices = [message["params"] for message in messages if "method" in message]
            assert sorted(notice["progressToken"] for notice in notices) == [1, 2]
            assert all(notice["message"] == "met" for notice in notices)
            assert sum("result" in message for message in messages) == 2

    run(test())


def test_a_plain_function_learns_that_it_is_cancelled() -> None:
    server = Server("test", "1")
    begun, ended = threading.Event(), threading.Event()

    @server.tool()
    def work(context: SyncContext) -> None:
        begun.set()
        while not context.cancelled:
            context.progress(1)
        assert context.progress(2) is False
        ended.set()

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "work")
            assert await asyncio.to_thread(begun.wait, 20)
            peer.send(line(method="notifications/cancelled", params={"requestId": 1}))
            assert await asyncio.to_thread(ended.wait, 20)

    run(test())


def test_a_handler_is_cancelled_with_its_request_and_says_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("test", "1")
    begun = asyncio.Event()
    seen: list[bool] = []

    @server.tool()
    async def stubborn(context: Context) -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append(context.cancelled)
            assert await context.progress(1) is False
        return "I finish anyway"

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "stubborn", _meta={"progressToken": 1})
            await begun.wait()
            peer.send(line(method="notifications/cancelled", params={"requestId": 1}), line(id=2, method="ping"))
            assert (await peer.receive())["id"] == 2
            peer.end()
            assert await peer.rest() == []

    run(test())
    assert seen == [True]
    assert caplog.records == []


def test_a_handler_that_cancels_itself_is_answered() -> None:
    server = Server("test", "1")

    @server.tool()
    async def give_up() -> None:
        raise asyncio.CancelledError

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "give_up")
            assert (await peer.answer(1))["result"]["isError"] is True

    run(test())


def test_tools_come_and_go_while_it_runs() -> None:
    server = Server("test", "1")

    @server.tool()
    async def first() -> None: ...

    async def test() -> None:
        async with served(server) as (peer, _):

            @server.tool(name="second")
            async def other() -> str:
                return "here"

            assert "method" in await peer.receive()
            peer.call_tool(1, "second")
            assert (await peer.answer(1))["result"]["content"] == [text("here")]
            server.remove_tool("second")
            peer.call_tool(2, "second")
            assert "error" in await peer.answer(2)

    run(test())
    with pytest.raises(KeyError):
        server.remove_tool("second")


def test_log_and_meta() -> None:
    server = Server("test", "1")

    @server.tool()
    async def look(context: Context) -> list[object]:
        return [await context.log("error", {"at": 1}), context.meta["example.org/x"]]

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.call_tool(1, "look", _meta={"example.org/x": "y"})
            assert (await peer.receive())["params"] == {"level": "error", "data": {"at": 1}}
            assert (await peer.answer(1))["result"]["content"] == [text("true"), text("y")]
            peer.send(line(id=2, method="logging/setLevel", params={"level": "alert"}))
            await peer.answer(2)
            peer.call_tool(3, "look", _meta={"example.org/x": "y"})
            assert (await peer.receive())["result"]["content"] == [text("false"), text("y")]

    run(test())


def test_functions_that_cannot_be_tools() -> None:
    server = Server("test", "1")

    async def rest(*words: str) -> None: ...
    async def unhinted(word) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001
    async def wrong(context: SyncContext) -> None: ...
    def blocking(context: Context) -> None: ...

    for function, problem in (
        (rest, "by name"),
        (unhinted, "type hint"),
        (wrong, "`Context`"),
        (blocking, "`SyncContext`"),
    ):
        with pytest.raises(TypeError, match=problem):
            server.tool()(function)
    with pytest.raises(TypeError, match="parentheses"):
        server.tool(rest)  # type: ignore[arg-type]

    @server.tool(name="taken")
    async def one() -> None: ...

    with pytest.raises(ValueError, match="already"):
        server.tool(name="taken")(one)


def test_a_broken_rule_is_logged_and_the_conversation_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("test", "1")

    async def test() -> None:
        async with served(server) as (peer, _):
            peer.send(b"no json\n", line(id=1, method="ping"))
            await peer.answer(1)

    run(test())
    assert "the client broke a rule" in caplog.text


def test_the_server_describes_itself() -> None:
    server = Server("test", "1.2", title="Test", instructions="Use it.", revisions=["2025-06-18"], page_size=1)
    for name in "ab":

        @server.tool(name=name)
        async def nothing() -> None: ...

    async def test() -> None:
        async with served(server) as (peer, _):
            opening = json.loads(peer.received)["result"]
            assert opening["protocolVersion"] == "2025-06-18"
            assert opening["serverInfo"] == {"name": "test", "version": "1.2", "title": "Test"}
            assert opening["instructions"] == "Use it."
            peer.send(line(id=1, method="tools/list"))
            page = (await peer.answer(1))["result"]
            assert [tool["name"] for tool in page["tools"]] == ["a"]
            assert page["nextCursor"]

    run(test())
