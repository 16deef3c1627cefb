"""Every limit, hit once through this binding."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_sansio import Blocked, CallTimeout, LocalProtocolError, ServerConnection, events
from pair import (
    MILLISECOND,
    SECOND,
    TOOL,
    Pair,
    call_tool,
    initialize,
    line,
    lines,
    make_client,
    make_server,
    one,
    open_client,
)

LIMITS = Path(__file__).parents[2] / "core/src/limits.rs"


def test_message_bytes() -> None:
    server = make_server(limits={"message_bytes": 300})
    initialize(server)
    server.receive_data(call_tool(1, text="x" * 300) + call_tool(2), 0)
    received = server.events_received()
    one(received, events.Fault)
    request = one(received, events.Request)
    server.data_to_send()
    with pytest.raises(LocalProtocolError) as refused:
        server.respond(request.handle, json.dumps({"content": [], "more": "x" * 300}), 0)
    assert refused.value.code == "send.too_large"
    (answer,) = lines(server.data_to_send())
    assert (answer["id"], "error" in answer) == (2, True)


def test_depth() -> None:
    server = make_server(limits={"depth": 8})
    initialize(server)
    deep = "[" * 10 + "]" * 10
    server.receive_data(call_tool(1, deep=0).replace(b'{"deep": 0}', b'{"deep": %s}' % deep.encode()), 0)
    one(server.events_received(), events.Fault)
    assert "error" in lines(server.data_to_send())[0]


def test_id_bytes() -> None:
    server = make_server(limits={"id_bytes": 8})
    initialize(server)
    server.receive_data(call_tool("long" * 3) + call_tool("short"), 0)
    received = server.events_received()
    one(received, events.Fault)
    one(received, events.Request)
    (answer,) = lines(server.data_to_send())
    assert "longlong" not in json.dumps(answer)


def test_batch() -> None:
    server = make_server(limits={"batch": 2})
    initialize(server, "2025-03-26")
    pings = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(3)]
    server.receive_data(json.dumps(pings[:2]).encode() + b"\n", 0)
    assert len(lines(server.data_to_send())[0]) == 2
    server.receive_data(json.dumps(pings).encode() + b"\n", 0)
    (refusal,) = lines(server.data_to_send())
    assert "error" in refusal
    one(server.events_received(), events.Fault)


def test_requests() -> None:
    server = make_server(limits={"requests": 1})
    initialize(server)
    server.receive_data(call_tool(1) + call_tool(2), 0)
    one(server.events_received(), events.Request)
    (refusal,) = lines(server.data_to_send())
    assert (refusal["id"], "error" in refusal) == (2, True)
    assert server.wants_read


def test_calls() -> None:
    pair = Pair(make_server(), make_client(limits={"calls": 1})).connect()
    pair.take()
    pair.client.call_tool("echo", "{}", pair.now)
    with pytest.raises(Blocked) as refused:
        pair.client.call_tool("echo", "{}", pair.now)
    assert refused.value.code == "send.blocked"
    at_server, _ = pair.take()
    pair.server.respond(one(at_server, events.Request).handle, '{"content": []}', pair.now)
    _, at_client = pair.take()
    one(at_client, events.Writable)
    pair.client.call_tool("echo", "{}", pair.now)


def test_events() -> None:
    server = make_server(limits={"events": 2})
    initialize(server)
    server.receive_data(call_tool(1), 0)
    assert server.wants_read
    server.receive_data(call_tool(2), 0)
    assert not server.wants_read
    assert len(server.events_received()) == 2
    assert server.wants_read
    for number in range(3, 9):
        server.receive_data(call_tool(number), 0)
    assert one(server.events_received(), events.Closed).reason == "close.overrun"


def test_output_bytes() -> None:
    server = make_server(limits={"output_bytes": 400})
    initialize(server)
    server.receive_data(line(id=1, method="tools/call", params={"name": "echo", "_meta": {"progressToken": 0}}), 0)
    handle = one(server.events_received(), events.Request).handle
    steps = iter(range(100))
    with pytest.raises(Blocked):
        all(server.progress(handle, step, 0, message="x" * 50) for step in steps)
    assert next(steps) > 1
    server.data_to_send()
    one(server.events_received(), events.Writable)
    assert server.progress(handle, 100, 0)

    fed = 0
    while server.wants_read:
        server.receive_data(line(id=f"p{fed}", method="ping"), 0)
        fed += 1
    assert fed > 1
    server.data_to_send()
    assert server.wants_read
    for number in range(100):
        server.receive_data(line(id=f"q{number}", method="ping"), 0)
    assert one(server.events_received(), events.Closed).reason == "close.overrun"


def test_session_bytes() -> None:
    server = make_server(limits={"session_bytes": 1000})
    initialize(server)
    server.receive_data(call_tool(1, text="x" * 700) + call_tool(2, text="x" * 700), 0)
    one(server.events_received(), events.Request)
    (refusal,) = lines(server.data_to_send())
    assert (refusal["id"], "error" in refusal) == (2, True)


def test_error_replies() -> None:
    server = make_server(limits={"error_replies": 1})
    initialize(server)
    server.receive_data(b"no json\n" * 3, 0)
    assert len([event for event in server.events_received() if isinstance(event, events.Fault)]) == 3
    assert len(lines(server.data_to_send())) == 1
    server.receive_data(b"no json\n", 2 * SECOND)
    assert len(lines(server.data_to_send())) == 1


def _call_until_timeout(limits: dict[str, int], *, progress: bool) -> int:
    pair = Pair(make_server(), make_client(limits=limits)).connect()
    pair.take()
    pair.client.call_tool("echo", "{}", pair.now, progress=True)
    at_server, _ = pair.take()
    handle = one(at_server, events.Request).handle
    for elapsed in range(1, 100):
        if progress:
            pair.server.progress(handle, elapsed, pair.now)
            pair.settle()
        pair.advance(10 * MILLISECOND)
        _, at_client = pair.take()
        if failed := [event for event in at_client if isinstance(event, events.Failed)]:
            assert isinstance(failed[0].error, CallTimeout)
            return elapsed * 10
    pytest.fail("it never timed out")


def test_call_silence() -> None:
    assert _call_until_timeout({"call_silence": 50, "call_total": 200}, progress=False) == 50


def test_call_total() -> None:
    assert _call_until_timeout({"call_silence": 50, "call_total": 200}, progress=True) == 200


def test_probe() -> None:
    client = make_client(limits={"probe": 50})
    client.start(0)
    (probe,) = lines(client.data_to_send())
    assert client.next_timeout() == 50 * MILLISECOND
    client.handle_timeout(50 * MILLISECOND)
    (opening,) = lines(client.data_to_send())
    assert opening["method"] != probe["method"]


def test_handshake() -> None:
    client = make_client(probe=False, limits={"handshake": 50})
    client.start(0)
    client.data_to_send()
    client.handle_timeout(50 * MILLISECOND)
    assert one(client.events_received(), events.Closed).reason == "close.handshake"


def test_handler() -> None:
    server = make_server(limits={"handler": 50})
    initialize(server)
    server.receive_data(call_tool(1), 0)
    handle = one(server.events_received(), events.Request).handle
    server.handle_timeout(50 * MILLISECOND)
    over = one(server.events_received(), events.Over)
    assert (over.request, over.reason) == (handle, "over.handler_timeout")
    assert "error" in lines(server.data_to_send())[0]


def test_drain() -> None:
    server = make_server(limits={"drain": 50})
    initialize(server)
    server.receive_data(call_tool(1), 0)
    handle = one(server.events_received(), events.Request).handle
    server.receive_eof(0)
    server.handle_timeout(49 * MILLISECOND)
    assert server.events_received() == []
    server.handle_timeout(50 * MILLISECOND)
    received = server.events_received()
    assert one(received, events.Over).request == handle
    one(received, events.Closed)


def _pings_of_a_deaf_server(**limits: int) -> tuple[list[int], int]:
    """When the client pinged, and when it gave up, in milliseconds."""
    client = make_client(probe=False, limits={"ping_interval": 50, "ping_timeout": 10, "ping_failures": 3} | limits)
    open_client(client)
    pinged: list[int] = []
    while (now := client.next_timeout()) is not None:
        client.handle_timeout(now)
        if any("id" in message for message in lines(client.data_to_send())):
            pinged.append(now // MILLISECOND)
        if closed := [event for event in client.events_received() if isinstance(event, events.Closed)]:
            assert closed[0].reason == "close.keep_alive"
            return pinged, now // MILLISECOND
    pytest.fail("it never gave up")


def test_ping_interval() -> None:
    assert _pings_of_a_deaf_server(ping_interval=20) == ([20, 40, 60], 70)


def test_ping_timeout() -> None:
    assert _pings_of_a_deaf_server(ping_timeout=30) == ([50, 100, 150], 180)


def test_ping_failures() -> None:
    assert _pings_of_a_deaf_server(ping_failures=1) == ([50], 60)


def test_subscriptions() -> None:
    capabilities: dict[str, Any] = {"resources": {"subscribe": True}}
    resources = [{"uri": f"file:///{number}", "name": str(number)} for number in (1, 2)]
    server = make_server(limits={"subscriptions": 1}, capabilities=capabilities, resources=resources)
    initialize(server)
    for number in (1, 2):
        server.receive_data(line(id=number, method="resources/subscribe", params={"uri": f"file:///{number}"}), 0)
    one(server.events_received(), events.Watched)
    taken, refused = lines(server.data_to_send())
    assert ("result" in taken, "error" in refused) == (True, True)


def test_cache_bytes() -> None:
    def cached(limit: int) -> bool:
        server = make_server(resources=[{"uri": "file:///a", "name": "a"}])
        pair = Pair(server, make_client(revisions=["2026-07-28"], limits={"cache_bytes": limit})).connect()
        pair.take()
        pair.client.call("resources/read", '{"uri": "file:///a"}', pair.now)
        request = one(pair.take()[0], events.Request)
        text = {"contents": [{"uri": "file:///a", "text": "x" * 500}]}
        pair.server.respond(request.handle, json.dumps(text), pair.now, ttl_ms=1000)
        pair.take()
        pair.client.call("resources/read", '{"uri": "file:///a"}', pair.now)
        at_server, _ = pair.take()
        return not at_server

    assert cached(10_000)
    assert not cached(500)


def _list_all(**limits: int) -> str:
    """The outcome of a list of three pages."""
    tools = [TOOL | {"name": f"t{number}", "description": "x" * 100} for number in range(3)]
    pair = Pair(make_server(tools=tools, page_size=1), make_client(limits=limits)).connect()
    pair.take()
    pair.client.list_all("tools/list", None, pair.now)
    outcome = pair.take()[1][-1]
    assert isinstance(outcome, (events.Completed, events.Failed))
    return "whole" if isinstance(outcome, events.Completed) else outcome.error.code


def test_list_pages() -> None:
    assert _list_all(list_pages=3) == "whole"
    assert _list_all(list_pages=2) == "call.invalid_result"


def test_list_bytes() -> None:
    assert _list_all(list_bytes=2000) == "whole"
    assert _list_all(list_bytes=300) == "call.invalid_result"


def _asks_again(**limits: int) -> list[int]:
    """When a client listens again to a server that ends each subscription at once, in milliseconds."""
    client = make_client(revisions=["2026-07-28"], limits=limits)
    client.start(0, remembered="2026-07-28")
    client.events_received()
    client.subscribe(0, tools=True)
    asked: list[int] = []
    now = 0
    while True:
        for listen in lines(client.data_to_send()):
            asked.append(now // MILLISECOND)
            of = {"_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]}}
            told = {"notifications": {"toolsListChanged": True}} | of
            client.receive_data(line(method="notifications/subscriptions/acknowledged", params=told), now)
            client.receive_data(line(id=listen["id"], result={"resultType": "complete"} | of), now)
        if any(isinstance(event, (events.Completed, events.Failed)) for event in client.events_received()):
            return asked
        due = client.next_timeout()
        assert due is not None
        now = due
        client.handle_timeout(now)


def test_listen_attempts() -> None:
    assert len(_asks_again(listen_attempts=0)) == 1
    assert len(_asks_again(listen_attempts=3)) == 4


def test_listen_backoff() -> None:
    _, again = _asks_again(listen_attempts=1, listen_backoff=50)
    assert 25 <= again <= 50
    _, again = _asks_again(listen_attempts=1, listen_backoff=5000)
    assert 2500 <= again <= 5000


def _server_with_tasks(**limits: int) -> ServerConnection:
    capabilities: dict[str, Any] = {"tools": {}, "tasks": {"list": {}, "requests": {"tools": {"call": {}}}}}
    tool = TOOL | {"execution": {"taskSupport": "optional"}}
    server = make_server(capabilities=capabilities, tools=[tool], limits=limits)
    server.set_wall_clock(1_764_000_000_000, 0)
    initialize(server)
    return server


def _as_task(server: ServerConnection, number: int) -> Any:
    params = {"name": "echo", "arguments": {}, "task": {}}
    server.receive_data(line(id=number, method="tools/call", params=params), 0)
    (answer,) = lines(server.data_to_send())
    return answer


def test_tasks() -> None:
    server = _server_with_tasks(tasks=1)
    assert "result" in _as_task(server, 1)
    assert _as_task(server, 2)["error"]["code"] == -32603


def test_task_ttl() -> None:
    server = _server_with_tasks(task_ttl=50)
    assert _as_task(server, 1)["result"]["task"]["ttl"] == 50
    request = one(server.events_received(), events.Request)
    assert server.next_timeout() == 50 * MILLISECOND
    server.handle_timeout(50 * MILLISECOND)
    over = one(server.events_received(), events.Over)
    assert (over.request, over.reason) == (request.handle, "over.expired")


def test_task_poll() -> None:
    assert _as_task(_server_with_tasks(task_poll=1500), 1)["result"]["task"]["pollInterval"] == 1500


ROOTS = '{"where": {"method": "roots/list"}}'
NO_ROOTS = '{"roots": []}'


def _called(era: str, server: dict[str, int], client: dict[str, int] | None = None) -> tuple[Pair, events.Request]:
    """A call of a client that tells its roots."""
    ends = make_server(limits=server), make_client(revisions=[era], capabilities={"roots": {}}, limits=client or {})
    for end in ends:
        end.set_wall_clock(1_764_000_000_000, SECOND)
    pair = Pair(*ends).connect()
    pair.take()
    pair.client.call_tool("echo", "{}", pair.now)
    return pair, one(pair.take()[0], events.Request)


def test_input_timeout() -> None:
    pair, request = _called("2025-11-25", {"input_timeout": 50})
    pair.server.respond_input_required(request.handle, ROOTS, pair.now)
    one(pair.take()[1], events.Input)
    pair.advance(49 * MILLISECOND)
    assert pair.take()[0] == []
    pair.advance(MILLISECOND)
    again = one(pair.take()[0], events.Request)
    assert json.loads(again.failed or "")["where"]["code"] == "call.timeout"


def test_input_rounds() -> None:
    for era in ("2025-11-25", "2026-07-28"):
        pair, request = _called(era, {"input_rounds": 1})
        pair.server.respond_input_required(request.handle, ROOTS, pair.now, state=b"s")
        pair.client.answer(one(pair.take()[1], events.Input).handle, NO_ROOTS, pair.now)
        again = one(pair.take()[0], events.Request)
        pair.server.respond_input_required(again.handle, ROOTS, pair.now, state=b"s")
        at_server, at_client = pair.take()
        assert one(at_server, events.Over).reason == "over.input"
        one(at_client, events.Failed)


def test_input_questions() -> None:
    pair, request = _called("2026-07-28", {"input_questions": 1})
    two = '{"a": {"method": "roots/list"}, "b": {"method": "roots/list"}}'
    with pytest.raises(LocalProtocolError):
        pair.server.respond_input_required(request.handle, two, pair.now)
    pair.server.respond_input_required(request.handle, ROOTS, pair.now)


def test_state_bytes() -> None:
    pair, request = _called("2026-07-28", {"state_bytes": 4})
    with pytest.raises(LocalProtocolError):
        pair.server.respond_input_required(request.handle, ROOTS, pair.now, state=b"12345")
    pair.server.respond_input_required(request.handle, ROOTS, pair.now, state=b"1234")


def test_state_ttl() -> None:
    def comes_again(late: int) -> bool:
        pair, request = _called("2026-07-28", {"state_ttl": 1000})
        pair.server.respond_input_required(request.handle, ROOTS, pair.now, state=b"s")
        question = one(pair.take()[1], events.Input)
        pair.advance(late * MILLISECOND)
        pair.client.answer(question.handle, NO_ROOTS, pair.now)
        at_server, _ = pair.take()
        return any(isinstance(event, events.Request) for event in at_server)

    assert comes_again(500)
    assert not comes_again(2000)


def test_open_questions() -> None:
    client = make_client(probe=False, capabilities={"roots": {}}, limits={"open_questions": 1})
    open_client(client)
    for number in (1, 2):
        client.receive_data(line(id=number, method="roots/list"), 0)
    one(client.events_received(), events.Input)
    (refusal,) = lines(client.data_to_send())
    assert (refusal["id"], refusal["error"]["data"]["reason"]) == (2, "open_questions")


def _is_sampled(limits: dict[str, int], tokens: int) -> bool:
    client = make_client(probe=False, capabilities={"sampling": {}}, limits=limits)
    open_client(client)
    message = {"role": "user", "content": {"type": "text", "text": "x" * 100}}
    params = {"messages": [message], "maxTokens": tokens}
    client.receive_data(line(id=1, method="sampling/createMessage", params=params), 0)
    asked = [event for event in client.events_received() if isinstance(event, events.Input)]
    refused = ["error" in answer for answer in lines(client.data_to_send())]
    assert len(asked) + len(refused) == 1
    return bool(asked)


def test_sampling_tokens() -> None:
    assert _is_sampled({"sampling_tokens": 10}, 10)
    assert not _is_sampled({"sampling_tokens": 10}, 11)


def test_sampling_bytes() -> None:
    assert _is_sampled({"sampling_bytes": 1000}, 1)
    assert not _is_sampled({"sampling_bytes": 100}, 1)


CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}, "completions": {}, "logging": {}}
READ = line(id=1, method="resources/list")
COMPLETE = line(
    id=2,
    method="completion/complete",
    params={"ref": {"type": "ref/resource", "uri": "file:///{x}"}, "argument": {"name": "x", "value": ""}},
)


def _limited(name: str) -> dict[str, Any]:
    return {"rates": {name: {"per_second": 1, "burst": 1}}}


def _passing(limited: str) -> list[str]:
    """Which of two calls, two reads and two completions reach the application where one class may pass once."""
    server = make_server(capabilities=CAPABILITIES, limits=_limited(limited))
    initialize(server)
    for message in (call_tool(0), READ, COMPLETE):
        for number in (1, 2):
            server.receive_data(line(**(json.loads(message) | {"id": f"{number}-{message!r}"})), 0)
    errors = [answer["error"] for answer in lines(server.data_to_send())]
    assert [(error["code"], error["data"]["class"]) for error in errors] == [(-32603, limited)]
    return [event.method for event in server.events_received() if isinstance(event, events.Request)]


def test_rates_calls() -> None:
    assert _passing("calls") == ["tools/call", *["resources/list"] * 2, *["completion/complete"] * 2]


def test_rates_reads() -> None:
    assert _passing("reads") == [*["tools/call"] * 2, "resources/list", *["completion/complete"] * 2]


def test_rates_completion() -> None:
    assert _passing("completion") == [*["tools/call"] * 2, *["resources/list"] * 2, "completion/complete"]


def test_rates_questions() -> None:
    client = make_client(probe=False, capabilities={"roots": {}}, limits=_limited("questions"))
    open_client(client)
    for number in (1, 2):
        client.receive_data(line(id=number, method="roots/list"), 0)
    one(client.events_received(), events.Input)
    (refusal,) = lines(client.data_to_send())
    assert (refusal["id"], refusal["error"]["data"]["class"]) == (2, "questions")


def _progress_notices(**sides: dict[str, Any]) -> tuple[list[bool], int]:
    """Two notices of progress: which the server sent, and how many came to the client's application."""
    pair = Pair(make_server(limits=sides.get("server", {})), make_client(limits=sides.get("client", {}))).connect()
    pair.take()
    pair.client.call_tool("echo", "{}", pair.now, progress=True)
    handle = one(pair.take()[0], events.Request).handle
    sent = [pair.server.progress(handle, value, pair.now) for value in (1, 2)]
    _, at_client = pair.take()
    return sent, sum(isinstance(event, events.Progress) for event in at_client)


def test_rates_notices_in() -> None:
    assert _progress_notices() == ([True, True], 2)
    assert _progress_notices(client=_limited("notices_in")) == ([True, True], 1)


def test_rates_notices_out() -> None:
    assert _progress_notices(server=_limited("notices_out")) == ([True, False], 1)


def test_trace() -> None:
    server = make_server(trace=True, limits={"trace": 2})
    server.receive_data(b"".join(line(id=number, method="ping") for number in range(3)), 0)
    traced = [json.loads(event.message)["id"] for event in server.events_received() if isinstance(event, events.Trace)]
    # The answers are not in it before they are taken.
    assert traced == [1, 2]


def _members(structure: str) -> set[str]:
    found = re.search(rf"pub struct {structure} \{{(.*?)\n\}}", LIMITS.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return set(re.findall(r"pub (\w+):", found[1]))


def test_each_limit_has_a_test() -> None:
    limits = _members("Limits") - {"rates"} | {f"rates_{name}" for name in _members("Rates")}
    tested = {name.removeprefix("test_") for name, _ in inspect.getmembers(sys.modules[__name__], inspect.isfunction)}
    assert len(limits) > 30
    assert limits <= tested, limits - tested
