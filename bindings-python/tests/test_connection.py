"""The engine through the binding: both roles, without I/O, in virtual time."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mcp_sansio import (
    AlreadyOver,
    CallCancelled,
    CallTimeout,
    ClientConnection,
    ConfigError,
    ConnectionClosed,
    LocalProtocolError,
    RemoteError,
    ServerConnection,
    events,
)
from pair import (
    INFO,
    MILLISECOND,
    SECOND,
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

if TYPE_CHECKING:
    from collections.abc import Callable

ERAS = [
    pytest.param({"revisions": ["2026-07-28"]}, id="modern"),
    pytest.param({"revisions": ["2025-11-25"]}, id="legacy"),
    pytest.param({}, id="probed"),
]
RESULT = '{"content":[{"type":"text","text":"héé 漢 🦀"}]}'


@pytest.fixture(params=ERAS)
def pair(request: pytest.FixtureRequest) -> Pair:
    pair = Pair(make_server(), make_client(**request.param)).connect()
    _, at_client = pair.take()
    ready = one(at_client, events.Ready)
    assert json.loads(ready.peer or "") == INFO
    return pair


def start_call(pair: Pair, **options: Any) -> tuple[int, events.Request]:
    call = pair.client.call_tool("echo", '{"text": "héé 漢 🦀"}', pair.now, **options)
    at_server, _ = pair.take()
    return call, one(at_server, events.Request)


def test_tools_are_listed(pair: Pair) -> None:
    call = pair.client.list_tools(pair.now)
    _, at_client = pair.take()
    completed = one(at_client, events.Completed)
    assert completed.call == call
    assert [tool["name"] for tool in json.loads(completed.result)["tools"]] == ["echo"]


def test_a_call_arrives_as_it_was_written_and_is_answered(pair: Pair) -> None:
    call, request = start_call(pair)
    assert request.is_tool_call
    assert not request.unchecked
    assert request.name == "echo"
    assert request.arguments == '{"text": "héé 漢 🦀"}'
    pair.server.respond(request.handle, RESULT, pair.now)
    _, at_client = pair.take()
    completed = one(at_client, events.Completed)
    assert completed.call == call
    assert json.loads(completed.result)["content"] == json.loads(RESULT)["content"]


def test_schemas_are_kept_on_both_sides() -> None:
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tool = {"name": "echo", "inputSchema": number, "outputSchema": number}
    pair = Pair(make_server(tools=[tool]), make_client()).connect()
    pair.take()
    call = pair.client.call_tool("echo", '{"n": "x"}', pair.now)
    at_server, at_client = pair.take()
    assert at_server == []
    assert "arguments/n" in one(at_client, events.Completed).result
    call = pair.client.call_tool("echo", '{"n": 1}', pair.now)
    at_server, _ = pair.take()
    request = one(at_server, events.Request)
    with pytest.raises(LocalProtocolError, match="/structuredContent/n") as refused:
        pair.server.respond(request.handle, '{"content":[],"structuredContent":{"n":0.5}}', pair.now)
    assert refused.value.code == "send.output_mismatch"
    pair.server.respond(request.handle, '{"content":[],"structuredContent":{"n":2}}', pair.now)
    _, at_client = pair.take()
    assert one(at_client, events.Completed).call == call
    with pytest.raises(ConfigError, match=r"tools\[0\].inputSchema/\$ref"):
        make_server(tools=[{"name": "a", "inputSchema": {"type": "object", "$ref": "https://example.com/x"}}])


def test_json_comes_as_str_or_bytes_and_nothing_else(pair: Pair) -> None:
    _, request = start_call(pair)
    with pytest.raises(TypeError, match="`str` or `bytes`"):
        pair.server.respond(request.handle, {}, pair.now)  # type: ignore[arg-type]
    pair.server.respond(request.handle, RESULT.encode(), pair.now)
    _, at_client = pair.take()
    one(at_client, events.Completed)


def test_answers_for_handlers_that_fail(pair: Pair) -> None:
    _, request = start_call(pair)
    pair.server.respond_tool_error(request.handle, "no such file", pair.now)
    _, at_client = pair.take()
    result = json.loads(one(at_client, events.Completed).result)
    assert result["isError"] is True
    assert result["content"][0]["text"] == "no such file"

    _, request = start_call(pair)
    pair.server.respond_invalid_arguments(request.handle, "text: missing", pair.now)
    _, at_client = pair.take()
    assert json.loads(one(at_client, events.Completed).result)["isError"] is True

    for answer in (pair.server.respond_internal_error, pair.server.respond_unsupported):
        _, request = start_call(pair)
        answer(request.handle, pair.now)
        _, at_client = pair.take()
        assert isinstance(one(at_client, events.Failed).error, RemoteError)


def test_an_error_of_the_peer_comes_with_its_parts(pair: Pair) -> None:
    call, request = start_call(pair)
    pair.server.respond_error(request.handle, 4711, "out of paper", pair.now, data='{"tray": 2}')
    _, at_client = pair.take()
    match one(at_client, events.Failed):
        case events.Failed(call=failed, error=RemoteError(code="call.rpc") as error):
            assert failed == call
            assert (error.number, error.message) == (4711, "out of paper")
            assert error.decoded_data() == {"tray": 2}
        case other:
            pytest.fail(f"{other!r}")


def test_progress_comes_in_order_and_only_if_it_was_asked_for_and_rises(pair: Pair) -> None:
    call, request = start_call(pair, progress=True)
    sent = [pair.server.progress(request.handle, value, pair.now, total=3.0, message="on") for value in (1, 2, 2, 3)]
    assert sent == [True, True, False, True]
    pair.server.respond(request.handle, RESULT, pair.now)
    _, at_client = pair.take()
    values = [json.loads(event.params)["progress"] for event in at_client if isinstance(event, events.Progress)]
    assert values == [1, 2, 3]
    assert isinstance(at_client[-1], events.Completed)
    assert all(event.call == call for event in at_client if isinstance(event, events.Progress))

    _, request = start_call(pair)
    assert pair.server.progress(request.handle, 1, pair.now) is False


def test_a_cancelled_call_is_over_at_both_ends(pair: Pair) -> None:
    call, request = start_call(pair)
    pair.client.cancel(call, pair.now, reason="changed my mind")
    at_server, at_client = pair.take()
    failed = one(at_client, events.Failed)
    assert failed.call == call
    assert isinstance(failed.error, CallCancelled)
    assert failed.error.code == "call.cancelled"
    over = one(at_server, events.Over)
    assert (over.request, over.reason) == (request.handle, "over.cancelled")
    with pytest.raises(AlreadyOver) as refused:
        pair.server.respond(request.handle, RESULT, pair.now)
    assert refused.value.code == "send.over"
    with pytest.raises(AlreadyOver):
        pair.client.cancel(call, pair.now)


def test_a_call_that_is_not_answered_times_out(pair: Pair) -> None:
    _, request = start_call(pair, silence_ms=1000, total_ms=5000)
    pair.advance(999 * MILLISECOND)
    assert pair.take() == ([], [])
    pair.advance(MILLISECOND)
    at_server, at_client = pair.take()
    error = one(at_client, events.Failed).error
    assert isinstance(error, CallTimeout)
    assert isinstance(error, TimeoutError)
    assert one(at_server, events.Over).request == request.handle


def test_a_lost_connection_ends_everything_once(pair: Pair) -> None:
    call, request = start_call(pair)
    pair.client.connection_lost(pair.now)
    pair.server.connection_lost(pair.now)
    at_server, at_client = pair.take()
    failed = one(at_client, events.Failed)
    assert isinstance(failed.error, ConnectionClosed)
    assert (failed.call, failed.error.delivered) == (call, True)
    assert one(at_server, events.Over).request == request.handle
    for end in (at_server, at_client):
        assert isinstance(end[-1], events.Closed)
        assert end[-1].reason == "close.peer"
    assert pair.server.is_over
    assert pair.client.is_over


def test_what_was_received_before_the_end_of_input_is_answered(pair: Pair) -> None:
    _, request = start_call(pair)
    pair.server.receive_eof(pair.now)
    assert not pair.server.is_over
    pair.server.respond(request.handle, RESULT, pair.now)
    at_server, at_client = pair.take()
    one(at_client, events.Completed)
    assert one(at_server, events.Closed).reason == "close.peer"
    assert pair.server.is_over


def test_close_drains_and_ends(pair: Pair) -> None:
    _, request = start_call(pair)
    pair.server.close(pair.now, drain_ms=1000)
    pair.server.respond(request.handle, RESULT, pair.now)
    at_server, at_client = pair.take()
    one(at_client, events.Completed)
    assert one(at_server, events.Closed).reason == "close.local"


def test_tools_are_replaced(pair: Pair) -> None:
    pair.server.set_catalog('{"tools": [{"name": "other", "inputSchema": {"type": "object"}}]}', pair.now)
    pair.client.list_tools(pair.now)
    _, at_client = pair.take()
    assert [tool["name"] for tool in json.loads(one(at_client, events.Completed).result)["tools"]] == ["other"]


def test_pages_follow_each_other() -> None:
    tools = [{"name": f"t{number}", "inputSchema": {"type": "object"}} for number in range(3)]
    pair = Pair(make_server(tools=tools, page_size=2), make_client()).connect()
    pair.take()
    pair.client.list_tools(pair.now)
    first = json.loads(one(pair.take()[1], events.Completed).result)
    pair.client.list_tools(pair.now, cursor=first["nextCursor"])
    second = json.loads(one(pair.take()[1], events.Completed).result)
    assert [tool["name"] for tool in first["tools"] + second["tools"]] == ["t0", "t1", "t2"]
    assert "nextCursor" not in second


def test_log_notices_reach_a_client_that_wants_them() -> None:
    server = make_server(capabilities={"tools": {}, "logging": {}})
    pair = Pair(server, make_client(revisions=["2026-07-28"])).connect()
    pair.take()
    _, request = start_call(pair, log_level="warning")
    assert pair.server.log(request.handle, "info", '"quiet"', pair.now) is False
    assert pair.server.log(request.handle, "error", '{"at": 1}', pair.now, logger="disk") is True
    _, at_client = pair.take()
    notice = one(at_client, events.Notification)
    assert json.loads(notice.params or "")["data"] == {"at": 1}
    with pytest.raises(LocalProtocolError, match="no log level"):
        pair.server.log(request.handle, "loud", "1", pair.now)


def test_a_command_that_cannot_be_is_refused(pair: Pair) -> None:
    commands: list[tuple[str, Callable[[], int]]] = [
        ("send.missing_capability", lambda: pair.client.call("resources/list", None, pair.now)),
        ("send.invalid", lambda: pair.client.call_tool("echo", "[]", pair.now)),
        ("send.invalid", lambda: pair.client.call_tool("echo", "{", pair.now)),
        ("send.invalid", lambda: pair.client.call("tools/list", "[]", pair.now)),
    ]
    for code, command in commands:
        with pytest.raises(LocalProtocolError) as refused:
            command()
        assert refused.value.code == code
    assert pair.take() == ([], [])


def test_any_method_can_be_called(pair: Pair) -> None:
    call = pair.client.call("tools/list", "{}", pair.now, meta='{"example.org/trace": "1"}')
    _, at_client = pair.take()
    assert one(at_client, events.Completed).call == call


def test_any_notice_can_be_sent() -> None:
    pair = Pair(make_server(), make_client(revisions=["2025-11-25"], capabilities={"roots": {"listChanged": True}}))
    pair.connect().take()
    pair.client.notify("notifications/roots/list_changed", None, pair.now)
    at_server, _ = pair.take()
    assert one(at_server, events.Notification).method == "notifications/roots/list_changed"


def test_a_question_is_answered() -> None:
    client = make_client(probe=False, capabilities={"roots": {}})
    open_client(client)
    question = line(id="q", method="roots/list")
    client.receive_data(question, 0)
    asked = one(client.events_received(), events.Input)
    assert asked.method == "roots/list"
    client.answer(asked.handle, '{"roots": []}', 0)
    assert lines(client.data_to_send())[0]["result"] == {"roots": []}
    client.receive_data(question, 0)
    client.answer_error(one(client.events_received(), events.Input).handle, 99, "no", 0)
    assert lines(client.data_to_send())[0]["error"] == {"code": 99, "message": "no"}
    client.receive_data(question, 0)
    client.answer_unsupported(one(client.events_received(), events.Input).handle, 0)
    assert "error" in lines(client.data_to_send())[0]
    client.receive_data(question, 0)
    withdrawn = one(client.events_received(), events.Input).handle
    client.receive_data(line(method="notifications/cancelled", params={"requestId": "q"}), 0)
    assert one(client.events_received(), events.InputOver).input == withdrawn


def test_a_server_asks_a_legacy_client() -> None:
    pair = Pair(make_server(), make_client(revisions=["2025-11-25"], capabilities={"roots": {}})).connect()
    pair.take()
    call = pair.server.call("roots/list", None, pair.now)
    _, at_client = pair.take()
    pair.client.answer(one(at_client, events.Input).handle, '{"roots": []}', pair.now)
    at_server, _ = pair.take()
    assert one(at_server, events.Completed).call == call


def test_garbage_is_a_fault_and_nothing_else() -> None:
    server = make_server()
    server.receive_data(b"no json\n", 0)
    fault = one(server.events_received(), events.Fault)
    assert fault.code.startswith("fault.")
    assert fault.page
    assert fault.replied == lines(server.data_to_send())[0]["error"]["code"]


def test_messages_instead_of_bytes() -> None:
    server, client = make_server(messages=True), make_client(messages=True)
    client.start(0)
    seen: list[events.Event] = []
    while messages := client.messages_to_send():
        for message in messages:
            server.receive_message(message, 0)
        for message in server.messages_to_send():
            client.receive_message(message.encode(), 0)
        seen += client.events_received()
    one(seen, events.Ready)
    with pytest.raises(LocalProtocolError):
        server.receive_data(b"{}\n", 0)
    with pytest.raises(LocalProtocolError):
        make_server().receive_message("{}", 0)


def test_a_conversation_cut_into_bytes_is_the_same_conversation() -> None:
    whole, cut = make_server(), make_server()
    text = call_tool(1, text="🦀") + b"\r\n" + call_tool(2) + line(id=3, method="ping")
    for server in (whole, cut):
        initialize(server)
    whole.receive_data(text, 0)
    for byte in text:
        cut.receive_data(bytes([byte]), 0)
    assert whole.data_to_send() == cut.data_to_send()
    assert list(map(repr, whole.events_received())) == list(map(repr, cut.events_received()))


def test_output_is_taken_in_portions_of_whole_lines() -> None:
    server = make_server()
    initialize(server)
    for number in range(10):
        server.receive_data(line(id=number, method="ping"), 0)
    portions = []
    while portion := server.data_to_send(100):
        portions.append(portion)
    assert len(portions) > 1
    assert all(portion.endswith(b"\n") for portion in portions)
    assert [answer["id"] for answer in lines(b"".join(portions))] == list(range(10))


def test_configurations_that_cannot_work() -> None:
    for config in ("", "[]", "{}", '{"info": {"name": "x", "version": "1"}, "limits": {"speed": 1}}'):
        with pytest.raises(ConfigError) as refused:
            ServerConnection(config)
        assert refused.value.code == "config.invalid"
        with pytest.raises(ConfigError):
            ClientConnection(config)
    with pytest.raises(ValueError, match="32 bytes"):
        ServerConnection(json.dumps({"info": INFO}), seed=b"short")


def test_a_handle_that_was_never_given_out_is_a_bug() -> None:
    server = make_server()
    with pytest.raises(LocalProtocolError) as refused:
        server.respond(99, RESULT, 0)
    assert refused.value.code == "send.unknown_handle"
    assert not isinstance(refused.value, AlreadyOver)


def test_commands_before_the_beginning_are_refused() -> None:
    with pytest.raises(LocalProtocolError) as refused:
        make_client().list_tools(0)
    assert refused.value.code == "send.not_ready"


def test_a_remembered_server_is_not_asked_again() -> None:
    client = make_client()
    client.start(0, remembered="2026-07-28")
    assert one(client.events_received(), events.Ready).revision == "2026-07-28"
    assert client.data_to_send() == b""


def test_events_match_and_do_not_show_payloads(pair: Pair) -> None:
    _, request = start_call(pair)
    assert "echo" in repr(request)
    assert "🦀" not in repr(request)
    match request:
        case events.Request(_, _, revision, "echo"):
            assert revision in {"2025-11-25", "2026-07-28"}
        case _:
            pytest.fail("the positions of a pattern")
    with pytest.raises(AttributeError):
        request.name = "other"  # type: ignore[misc]


def test_the_trace_holds_the_conversation() -> None:
    pair = Pair(make_server(trace=True), make_client()).connect()
    at_server, _ = pair.take()
    trace = [event for event in at_server if isinstance(event, events.Trace)]
    assert {event.sent for event in trace} == {True, False}
    assert all(json.loads(event.message)["jsonrpc"] == "2.0" and event.at == SECOND for event in trace)


def test_counters_count(pair: Pair) -> None:
    before = json.loads(pair.server.stats())
    start_call(pair)
    after = json.loads(pair.server.stats())
    assert before != after
    assert all(isinstance(value, int) for value in after.values())


def test_two_connections_never_share_their_entropy() -> None:
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in "ab"]
    config = json.dumps({"info": INFO, "page_size": 1, "tools": tools})
    cursors = set()
    for server in (ServerConnection(config), ServerConnection(config)):
        initialize(server)
        server.receive_data(line(id=1, method="tools/list"), 0)
        cursors.add(lines(server.data_to_send())[0]["result"]["nextCursor"])
    assert len(cursors) == 2


def test_threads_share_a_connection() -> None:
    server = make_server(limits={"events": 100_000, "requests": 100_000})
    initialize(server)
    threads, pings = 8, 500
    taken: list[bytes] = []
    done = threading.Event()

    def feed(thread: int) -> None:
        for number in range(pings):
            server.receive_data(line(id=f"{thread}-{number}", method="ping"), 0)

    def take() -> None:
        while not done.is_set():
            taken.append(server.data_to_send())
            server.events_received()

    taker = threading.Thread(target=take)
    feeders = [threading.Thread(target=feed, args=(number,)) for number in range(threads)]
    for thread in (taker, *feeders):
        thread.start()
    for thread in feeders:
        thread.join()
    done.set()
    taker.join()
    taken.append(server.data_to_send())
    answered = [answer["id"] for answer in lines(b"".join(taken))]
    assert sorted(answered) == sorted(f"{thread}-{number}" for thread in range(threads) for number in range(pings))
    for number in range(threads):
        mine = [identifier for identifier in answered if identifier.startswith(f"{number}-")]
        assert mine == [f"{number}-{ping}" for ping in range(pings)]


def test_a_result_that_does_not_fit_the_output_schema() -> None:
    client = make_client(probe=False)
    open_client(client)
    schema = json.dumps({"type": "object", "required": ["n"]})
    outcomes = []
    for structured in ({}, {"n": 1}):
        client.call_tool("echo", None, 0, output_schema=schema)
        (sent,) = lines(client.data_to_send())
        client.receive_data(line(id=sent["id"], result={"content": [], "structuredContent": structured}), 0)
        outcomes += client.events_received()
    failed, completed = outcomes
    assert isinstance(failed, events.Failed)
    assert failed.error.code == "call.invalid_result"
    assert isinstance(completed, events.Completed)
    with pytest.raises(LocalProtocolError, match=r"/type"):
        client.call_tool("echo", None, 0, output_schema='{"type": 7}')


def test_the_audit_has_each_request_without_its_payload() -> None:
    server = make_server(audit=True)
    initialize(server)
    server.receive_data(call_tool(1, text="secret") + line(id=2, method="no/such"), 0)
    (request,) = [event for event in server.events_received() if isinstance(event, events.Request)]
    server.respond(request.handle, '{"content": []}', 5)
    audits = [event for event in server.events_received() if isinstance(event, events.Audit)]
    assert [(audit.kind, audit.method, audit.name, audit.outcome) for audit in audits][-1] == (
        "request",
        "tools/call",
        "echo",
        "ok",
    )
    assert audits[-1].duration == 5
    assert "secret" not in repr(audits)
