"""A client and servers of every habit."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

import mcp_sansio._child
from io_tools import PYTHON, run
from mcp_sansio import (
    Blocked,
    CallTimeout,
    Client,
    ConnectFailed,
    ConnectionClosed,
    InvalidResult,
    RemoteError,
)
from mcp_sansio._driver import within

HERE = Path(__file__).parent
EXAMPLE = [PYTHON, str(HERE.parent / "examples/server.py")]
LEGACY = ["2025-11-25"]


def raw(habit: str, **options: Any) -> Client:
    return Client.stdio([PYTHON, str(HERE / "raw_server.py"), habit], **options)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_sansio._child, "CLOSE_SECONDS", 0.1)
    monkeypatch.setattr(mcp_sansio._child, "LAST_WORDS_SECONDS", 0.1)


def test_what_is_known_of_the_server() -> None:
    async def test() -> None:
        client = Client.stdio(EXAMPLE)
        with pytest.raises(RuntimeError, match="connect first"):
            _ = client.revision
        async with client:
            assert client.revision == "2026-07-28"
            assert client.server_info == {"name": "example-python", "version": "0.1.0", "title": "Example"}
            assert "tools" in client.capabilities
            assert client.instructions == "`search` finds text in files."
            assert client.exit_status is None
        assert client.exit_status == 0
        with pytest.raises(ConnectionClosed, match=r"close\.local"):
            await client.call_tool("echo", {"text": "late"})

    run(test())


def test_a_call_that_comes_while_the_connection_is_closed() -> None:
    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            closing = asyncio.create_task(client._connected().close())
            await asyncio.sleep(0)
            with pytest.raises(ConnectionClosed, match=r"close\.local"):
                await client.call_tool("echo", {"text": "late"})
            await closing

    run(test())


def test_results_and_errors() -> None:
    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            tools = {tool.name: tool for tool in await client.list_tools()}
            assert tools["echo"].description == "Answers with the text."
            assert tools["echo"].input_schema["required"] == ["text"]
            assert (await client.call_tool("echo", {"text": "hi"})).text == "hi"
            assert (await client.call_tool("fail")).is_error
            assert (await client.call("tools/call", {"name": "echo", "arguments": {"text": "by hand"}}))["content"]
            with pytest.raises(RemoteError) as refused:
                await client.call_tool("no such tool")
            assert refused.value.code == "call.rpc"
            assert refused.value.message

    run(test())


def test_a_call_may_take_its_time_and_no_more() -> None:
    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            with pytest.raises(CallTimeout):
                await client.call_tool("wait", timeout=0.05)
            assert (await client.call_tool("echo", {"text": "still there"})).text == "still there"

    run(test())


def test_a_call_that_finds_no_room_in_time_is_refused() -> None:
    async def test() -> None:
        async with Client.stdio(EXAMPLE, limits={"calls": 1}) as client:
            waiting = asyncio.create_task(client.call_tool("wait", timeout=20))
            await asyncio.sleep(0)
            with pytest.raises(Blocked):
                await client.call_tool("echo", {"text": "no"}, timeout=0.01)
            queued = asyncio.create_task(client.call_tool("echo", {"text": "later"}))
            await asyncio.sleep(0)
            waiting.cancel()
            assert (await queued).text == "later"

    run(test())


def test_cancelling_the_task_takes_the_call_back() -> None:
    lines: list[str] = []

    async def test() -> None:
        async with Client.stdio(EXAMPLE, stderr=lines.append) as client:
            begun = asyncio.Event()
            task = asyncio.create_task(client.call_tool("wait", on_progress=lambda *_progress: begun.set()))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert task.cancelled()
            assert (await client.call_tool("echo", {"text": "next"})).text == "next"

    run(test())
    assert lines == ["cancelled wait"]


def test_many_calls_at_once_get_their_own_answers() -> None:
    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            results = await asyncio.gather(*(client.call_tool("echo", {"text": str(n)}) for n in range(300)))
            assert [result.text for result in results] == [str(n) for n in range(300)]

    run(test())


def test_a_command_is_a_list() -> None:
    with pytest.raises(TypeError, match="a command is a list"):
        Client.stdio("python server.py")
    with pytest.raises(ValueError, match="names a program"):
        Client.stdio([])


def test_a_server_that_dies_of_the_probe_is_started_once_more(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with raw("dies-of-the-unknown") as client:
            assert client.revision == "2025-11-25"
            assert [tool.name for tool in await client.list_tools()] == ["tool0", "tool1", "tool2"]
        assert client.exit_status == 0

    run(test())
    assert caplog.records == []


def test_a_server_that_dies_at_once_is_not_started_for_ever(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    program = f"open({str(starts)!r}, 'a').write('x')"

    async def test() -> None:
        with pytest.raises(ConnectFailed) as failed:
            async with Client.stdio([PYTHON, "-c", program]):
                pytest.fail("there is nobody")
        assert failed.value.code.startswith("close.")

    run(test())
    assert starts.read_text() == "xx"


@pytest.mark.parametrize(
    ("end", "what", "status"),
    [
        ("sys.exit(2)", "the server exited with status 2 before it answered", 2),
        ("sys.stdin.readline(); sys.exit(3)", "the server exited with status 3 before it answered", 3),
        ("os.kill(os.getpid(), 9)", "the server was ended by signal 9 (Killed) before it answered", -9),
    ],
)
@pytest.mark.parametrize("probe", [True, False])
def test_how_a_server_ended_that_never_answered(end: str, what: str, status: int, probe: object) -> None:
    told: list[str] = []
    program = f"import os, signal, sys; print('my last words', file=sys.stderr, flush=True); {end}"

    async def test() -> None:
        with pytest.raises(ConnectFailed, match=re.escape(what)) as failed:
            async with Client.stdio([PYTHON, "-c", program], probe=bool(probe), stderr=told.append):
                pytest.fail("there is nobody")
        assert (failed.value.code, failed.value.exit_status) == ("close.peer", status)

    run(test())
    assert told == ["my last words"] * (2 if probe else 1)


@pytest.mark.usefixtures("impatient")
def test_a_server_that_had_to_be_ended_has_no_status_of_its_own() -> None:
    program = "import os, signal; os.close(1); signal.pause()"

    async def test() -> None:
        with pytest.raises(ConnectFailed, match="the server closed its output before it answered") as failed:
            async with Client.stdio([PYTHON, "-c", program]):
                pytest.fail("it says nothing")
        assert failed.value.exit_status is None

    run(test())


def test_a_server_that_refuses() -> None:
    async def test() -> None:
        with pytest.raises(ConnectFailed, match="refused `initialize`") as failed:
            async with raw("refuses", revisions=LEGACY):
                pytest.fail("it refused")
        assert failed.value.code == "close.handshake"

    run(test())


def test_a_server_that_is_not_there() -> None:
    async def test() -> None:
        with pytest.raises(FileNotFoundError):
            async with Client.stdio(["/no/such/server"]):
                pytest.fail("there is nobody")

    run(test())


def test_a_list_that_goes_in_circles_is_left() -> None:
    async def test() -> None:
        async with raw("circles", revisions=LEGACY) as client:
            with pytest.raises(InvalidResult, match="a cursor that was given before"):
                await client.list_tools()

    run(test())


def test_a_list_is_bounded() -> None:
    async def test() -> None:
        async with raw("fine", revisions=LEGACY, limits={"list_pages": 2}) as client:
            with pytest.raises(InvalidResult):
                await client.list_tools()

    run(test())


def test_a_result_that_is_none() -> None:
    async def test() -> None:
        async with raw("lists-nonsense", revisions=LEGACY) as client:
            with pytest.raises(InvalidResult) as failed:
                await client.list_tools()
            assert failed.value.code == "call.invalid_result"

    run(test())


def test_unknown_members_are_kept() -> None:
    async def test() -> None:
        async with raw("fine", revisions=LEGACY) as client:
            (tool, *_rest) = await client.list_tools()
            assert tool.model_extra == {"later": True}

    run(test())


def test_standard_error_is_drained_and_passed_on_by_lines() -> None:
    lines: list[str] = []

    async def test() -> None:
        async with raw("noisy", revisions=LEGACY, stderr=lines.append) as client:
            await client.call_tool("any")

    run(test())
    assert lines[0] == "line 0 é"
    assert lines[-1] == "no newline at the end"
    assert len(lines) == 20_001


def test_standard_error_may_go_to_a_file(tmp_path: Path) -> None:
    async def test() -> None:
        with (tmp_path / "err").open("wb") as file:
            async with raw("noisy", revisions=LEGACY, stderr=file) as client:
                await client.call_tool("any")

    run(test())
    assert (tmp_path / "err").read_text("utf-8").count("\n") == 20_000


def test_a_long_line_of_standard_error_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_sansio._child, "STDERR_LINE", 1000)
    pieces: list[str] = []

    async def test() -> None:
        program = "import sys; sys.stderr.write('x' * 100_000)"
        with pytest.raises(ConnectFailed):
            async with Client.stdio([PYTHON, "-c", program], stderr=pieces.append, probe=False):
                pytest.fail("there is nobody")

    run(test())
    assert "".join(pieces) == "x" * 100_000
    assert len(pieces) > 1


def test_a_stray_line_costs_nothing_but_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with raw("stray", revisions=LEGACY) as client:
            assert (await client.call_tool("any")).text == "after it"

    run(test())
    assert "the server broke a rule" in caplog.text


def test_a_server_that_crashes_ends_the_calls() -> None:
    async def test() -> None:
        async with raw("crashes", revisions=LEGACY) as client:
            with pytest.raises(ConnectionClosed) as failed:
                await client.call_tool("any")
            assert failed.value.delivered
            assert isinstance(failed.value, ConnectionError)
            for late in (client.call_tool("any"), client.list_tools(), client.call("ping"), client.notify("any")):
                with pytest.raises(ConnectionClosed, match=r"close\.peer") as failed:
                    await late
                assert (failed.value.code, failed.value.delivered) == ("call.closed", False)
        assert client.exit_status == -signal.SIGKILL

    run(test())


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("habit", "status"), [("stays-until-asked", -signal.SIGTERM), ("stays", -signal.SIGKILL), ("fine", 0)]
)
def test_a_server_that_stays_is_ended(habit: str, status: int) -> None:
    async def test() -> None:
        async with raw(habit, revisions=LEGACY) as client:
            pass
        assert client.exit_status == status

    run(test())


@pytest.mark.usefixtures("impatient")
def test_a_child_of_the_server_does_not_keep_us() -> None:
    async def test() -> None:
        async with raw("leaves-a-child", revisions=LEGACY, stderr=lambda _line: None) as client:
            await client.call_tool("any")
            group = client._connected()._transport.get_pid()
        assert client.exit_status == 0
        os.killpg(group, signal.SIGKILL)

    run(test())


@pytest.mark.usefixtures("impatient")
def test_nothing_is_left_when_the_task_is_cancelled_while_it_closes() -> None:
    async def test() -> None:
        closing = asyncio.Event()
        client = raw("stays", revisions=LEGACY)

        async def talk() -> None:
            async with client:
                closing.set()

        task = asyncio.create_task(talk())
        await closing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pid = client._connected()._transport.get_pid()
        assert await within(20, client._connected()._exited)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    run(test())


def test_environment_and_folder(tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("the needle")

    async def test() -> None:
        environment = {**os.environ, "SEARCH_ROOT": "."}
        async with Client.stdio(EXAMPLE, cwd=tmp_path, env=environment) as client:
            assert (await client.call_tool("search", {"text": "needle"})).text == "here.txt:1: the needle"
            assert (await client.call_tool("search", {"text": "x", "path": "../.."})).is_error

    run(test())


def test_notices_reach_the_application() -> None:
    told: list[tuple[str, Any]] = []
    program = f"""
import json, sys
sys.argv = ["", "fine"]
sys.path.insert(0, {str(HERE)!r})
import raw_server
raw_server.pages = lambda request, endless: (
    print(json.dumps({{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}}), flush=True),
    raw_server.answer(request, result={{"tools": []}}),
)
raw_server.main()
"""

    async def test() -> None:
        async with Client.stdio([PYTHON, "-c", program], revisions=LEGACY) as client:
            client.on_notification = lambda method, params: told.append((method, params))
            await client.list_tools()

    run(test())
    assert told == [("notifications/tools/list_changed", None)]


def test_a_callback_that_fails_is_logged_and_disturbs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_progress: object) -> None:
        raise ZeroDivisionError

    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            assert (await client.call_tool("count", on_progress=fail)).text == "counted to 3"

    run(test())
    assert caplog.text.count("a callback of the application failed") == 3


def test_arguments_can_be_models() -> None:
    async def test() -> None:
        async with Client.stdio(EXAMPLE) as client:
            path = Path("a/b")
            result = await client.call_tool("echo", {"text": path})
            assert result.text == str(path)
            assert json.loads(result.model_dump_json(by_alias=True))["isError"] is False

    run(test())
