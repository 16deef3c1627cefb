"""Beyond tool calls, through the binding: both roles, without I/O, in virtual time."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from mcp_sansio import (
    ClientConnection,
    ConfigError,
    ConnectionClosed,
    LocalProtocolError,
    RemoteError,
    ServerConnection,
    events,
)
from pair import INFO, MILLISECOND, SEED, TOOL, Pair, call_tool, initialize, line, lines, make_client, make_server, one

MODERN = {"revisions": ["2026-07-28"]}
LEGACY = {"revisions": ["2025-11-25"]}
ERAS = [pytest.param(MODERN, id="modern"), pytest.param(LEGACY, id="legacy")]
CATALOG: dict[str, Any] = {
    "tools": [TOOL],
    "resources": [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b", "name": "b"}],
    "resourceTemplates": [{"uriTemplate": "file:///notes/{name}", "name": "notes"}],
    "prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}],
    "completions": True,
}
SUBSCRIBABLE = {"tools": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True}}
TASKS: dict[str, Any] = {"tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}, "tools": {}}
QUESTION_TASKS: dict[str, Any] = {"tasks": {"requests": {"elicitation": {"create": {}}}}, "elicitation": {}}
UNIX_MILLIS = 1_764_000_000_000
DONE = '{"content": []}'


def connect(era: dict[str, Any], server: dict[str, Any], **client: Any) -> Pair:
    pair = Pair(make_server(**server), make_client(**era, **client))
    pair.server.set_wall_clock(UNIX_MILLIS, pair.now)
    pair.client.set_wall_clock(UNIX_MILLIS, pair.now)
    pair.connect().take()
    return pair


def completed(pair: Pair, call: int) -> dict[str, Any]:
    outcome = one(pair.take()[1], events.Completed)
    assert outcome.call == call
    result: dict[str, Any] = json.loads(outcome.result)
    return result


def asked(pair: Pair) -> events.Request:
    return one(pair.take()[0], events.Request)


@pytest.mark.parametrize("era", ERAS)
def test_resources_prompts_and_completion(era: dict[str, Any]) -> None:
    pair = connect(era, CATALOG)
    call = pair.client.list_all("resources/list", None, pair.now)
    assert [resource["name"] for resource in completed(pair, call)["resources"]] == ["a", "b"]

    call = pair.client.call("resources/read", '{"uri": "file:///notes/a%20b"}', pair.now)
    request = asked(pair)
    assert (request.name, request.template) == ("file:///notes/a%20b", "file:///notes/{name}")
    assert json.loads(request.variables or "") == {"name": "a%20b"}
    assert (request.round, request.task) == (0, None)
    contents = {"contents": [{"uri": "file:///notes/a%20b", "text": "a note"}]}
    pair.server.respond(request.handle, json.dumps(contents), pair.now)
    assert completed(pair, call)["contents"] == contents["contents"]

    pair.client.call("resources/read", '{"uri": "file:///notes/none"}', pair.now)
    pair.server.respond_not_found(asked(pair).handle, pair.now)
    error = one(pair.take()[1], events.Failed).error
    assert isinstance(error, RemoteError)
    assert error.number == (-32602 if era is MODERN else -32002)

    call = pair.client.call("prompts/get", '{"name": "greet", "arguments": {"who": "Ada"}}', pair.now)
    request = asked(pair)
    assert (request.name, json.loads(request.arguments or "")) == ("greet", {"who": "Ada"})
    pair.server.respond(request.handle, '{"messages": []}', pair.now)
    assert completed(pair, call)["messages"] == []

    reference = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": "A"}}
    call = pair.client.call("completion/complete", json.dumps(reference), pair.now)
    pair.server.respond(asked(pair).handle, '{"completion": {"values": ["Ada"]}}', pair.now)
    assert completed(pair, call)["completion"]["values"] == ["Ada"]


@pytest.mark.parametrize("era", ERAS)
def test_changes_reach_those_who_asked(era: dict[str, Any]) -> None:
    pair = connect(era, CATALOG | {"capabilities": SUBSCRIBABLE})
    call = pair.client.subscribe(pair.now, tools=True, prompts=True, uris=["file:///a"])
    at_server, at_client = pair.take()
    watched = one(at_server, events.Watched)
    assert (watched.uri, watched.wanted) == ("file:///a", True)
    subscribed = one(at_client, events.Subscribed)
    assert (subscribed.call, subscribed.again) == (call, False)
    assert json.loads(subscribed.filter) == {"toolsListChanged": True, "resourceSubscriptions": ["file:///a"]}
    assert json.loads(subscribed.missing) == {"promptsListChanged": True}

    pair.server.publish("resource", pair.now, uri="file:///a/part", concerns="file:///a")
    pair.server.publish("resource", pair.now, uri="file:///b")
    pair.server.publish("tools", pair.now)
    told = [event for event in pair.take()[1] if isinstance(event, events.Notification)]
    assert [(event.call, event.method) for event in told] == [
        (call, "notifications/resources/updated"),
        (call, "notifications/tools/list_changed"),
    ]
    assert json.loads(told[0].params or "")["uri"] == "file:///a/part"

    pair.client.cancel(call, pair.now)
    at_server, at_client = pair.take()
    assert one(at_client, events.Failed).call == call
    watched = one(at_server, events.Watched)
    assert (watched.uri, watched.wanted) == ("file:///a", False)


def test_changes_and_subscriptions_that_cannot_be() -> None:
    pair = connect(MODERN, CATALOG)
    for what, uri in (("resource", None), ("weather", None), ("weather", "file:///a")):
        with pytest.raises(LocalProtocolError, match="a change is of"):
            pair.server.publish(what, pair.now, uri=uri)  # type: ignore[arg-type]
    with pytest.raises(LocalProtocolError, match="asks for nothing"):
        pair.client.subscribe(pair.now)


@pytest.mark.parametrize("era", ERAS)
def test_a_server_is_asked_whether_it_lives(era: dict[str, Any]) -> None:
    pair = connect(era, CATALOG)
    call = pair.client.probe(pair.now)
    completed(pair, call)


def test_what_may_be_kept_is_answered_from_the_cache_for_its_principal() -> None:
    def read(**options: Any) -> events.Completed:
        pair.client.call("resources/read", '{"uri": "file:///a"}', pair.now, **options)
        at_server, at_client = pair.take()
        if not at_server:
            return one(at_client, events.Completed)
        handle = one(at_server, events.Request).handle
        pair.server.respond(handle, '{"contents": []}', pair.now, ttl_ms=1000)
        return one(pair.take()[1], events.Completed)

    pair = connect(MODERN, CATALOG)
    pair.client.set_principal("ada")
    assert [read().cached, read().cached, read(fresh=True).cached] == [False, True, False]
    pair.client.set_principal("bob")
    assert [read().cached, read().cached] == [False, True]
    pair.advance(1000 * MILLISECOND)
    assert read().cached is False
    pair = connect(MODERN, CATALOG, cache=False)
    assert [read().cached, read().cached] == [False, False]
    with pytest.raises(ConfigError, match="principal"):
        pair.client.set_principal("x" * 257)
    with pytest.raises(ConfigError, match="principal"):
        ClientConnection(json.dumps({"info": INFO}), principal="x" * 257)


def test_lists_depend_on_the_groups_and_cursors_on_the_principal_and_the_keys() -> None:
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("all", "staff", "more")]
    config = {"info": INFO, "tools": tools, "visible_to": {"tools": {"staff": ["staff"]}}, "page_size": 1}

    def served(
        principal: str, groups: list[str], key: int, cursor: str | None = None, seed: bytes = SEED
    ) -> dict[str, Any]:
        keys = {"seal_keys": [base64.b64encode(bytes([key] * 32)).decode()]}
        server = ServerConnection(json.dumps(config | keys), principal=principal, groups=groups, seed=seed)
        initialize(server)
        params = {} if cursor is None else {"cursor": cursor}
        server.receive_data(line(id=1, method="tools/list", params=params), 0)
        (answer,) = lines(server.data_to_send())
        found: dict[str, Any] = answer
        return found

    first = served("ada", ["staff"], 1)["result"]
    cursor = first["nextCursor"]
    assert served("ada", ["staff"], 1, cursor, bytes([9] * 32))["result"]["tools"][0]["name"] == "staff"
    assert "error" in served("ada", ["staff"], 2, cursor)
    assert "error" in served("bob", ["staff"], 1, cursor)
    cursor = served("ada", [], 1)["result"]["nextCursor"]
    assert served("ada", [], 1, cursor)["result"]["tools"][0]["name"] == "more"
    with pytest.raises(ConfigError, match="seal_keys"):
        make_server(seal_keys=["short"])
    with pytest.raises(ConfigError, match="principal"):
        ServerConnection(json.dumps({"info": INFO}), principal="x" * 257)


def test_the_catalog_is_remarked_on() -> None:
    remarks = json.loads(make_server(tools=[{"name": "bare", "inputSchema": {"type": "object"}}]).lint())
    assert {"code", "place", "text"} == set(remarks[0])
    assert "tools[0]" in remarks[0]["place"]
    tool = {
        "name": "whole",
        "description": "Takes nothing",
        "inputSchema": {"type": "object", "additionalProperties": False},
    }
    assert json.loads(make_server(tools=[tool]).lint()) == []


FORM = {"message": "How old?", "requestedSchema": {"type": "object", "properties": {"age": {"type": "integer"}}}}
QUESTIONS = {"age": {"method": "elicitation/create", "params": FORM}, "where": {"method": "roots/list"}}
ANSWERS = {"elicitation/create": {"action": "accept", "content": {"age": 36}}, "roots/list": {"roots": []}}


@pytest.mark.parametrize("era", ERAS)
def test_questions_are_answered_and_the_request_comes_again(era: dict[str, Any]) -> None:
    pair = connect(era, {}, capabilities={"elicitation": {}, "roots": {}})
    call = pair.client.call_tool("echo", '{"text": "x"}', pair.now)
    first = asked(pair)
    assert (first.round, first.answers, first.state) == (0, None, None)
    pair.server.respond_input_required(first.handle, json.dumps(QUESTIONS), pair.now, state=b"\x00\xff")
    questions = [event for event in pair.take()[1] if isinstance(event, events.Input)]
    assert {question.method for question in questions} == set(ANSWERS)
    for question in questions:
        assert question.call == (call if era is MODERN else None)
        pair.client.answer(question.handle, json.dumps(ANSWERS[question.method]), pair.now)

    second = asked(pair)
    assert second.handle != first.handle
    assert (second.round, second.name, second.arguments) == (1, "echo", '{"text": "x"}')
    answers = json.loads(second.answers or "")
    assert (answers["age"]["content"], answers["where"]["roots"]) == ({"age": 36}, [])
    assert second.state == b"\x00\xff"
    assert json.loads(second.failed or "") == json.loads(second.elicitations or "") == {}
    assert second.previous == (None if era is MODERN else first.handle)
    assert len(second.nonce or "") == (32 if era is MODERN else 0)
    pair.server.respond(second.handle, DONE, pair.now)
    assert completed(pair, call)["content"] == []


def test_an_answer_that_failed_is_told_with_its_reason() -> None:
    pair = connect(LEGACY, {}, capabilities={"roots": {}})
    pair.client.call_tool("echo", "{}", pair.now)
    where = {"where": {"method": "roots/list"}}
    pair.server.respond_input_required(asked(pair).handle, json.dumps(where), pair.now)
    pair.client.answer_error(one(pair.take()[1], events.Input).handle, 7, "not today", pair.now)
    request = asked(pair)
    assert (request.answers, request.state) == ("{}", None)
    assert json.loads(request.failed or "") == {
        "where": {"code": "call.rpc", "error": {"code": 7, "message": "not today"}}
    }


def test_a_user_sent_to_a_page_is_named() -> None:
    pair = connect(LEGACY, {}, capabilities={"elicitation": {"url": {}}})
    pair.client.call_tool("echo", "{}", pair.now)
    params = {"mode": "url", "message": "Log in", "url": "https://example.com/in", "elicitationId": "e1"}
    question = {"login": {"method": "elicitation/create", "params": params}}
    pair.server.respond_input_required(asked(pair).handle, json.dumps(question), pair.now)
    pair.client.answer(one(pair.take()[1], events.Input).handle, '{"action": "accept"}', pair.now)
    assert json.loads(asked(pair).elicitations or "") == {"login": "e1"}


def test_questions_that_cannot_be_asked() -> None:
    pair = connect(MODERN, {}, capabilities={"roots": {}})
    pair.client.call_tool("echo", "{}", pair.now)
    request = asked(pair)
    for questions in ("[]", '{"x": {"method": "no/such"}}', "{}"):
        with pytest.raises(LocalProtocolError) as refused:
            pair.server.respond_input_required(request.handle, questions, pair.now)
        assert refused.value.code == "send.invalid"
    pair.server.respond_input_required(request.handle, json.dumps(QUESTIONS), pair.now)
    at_server, at_client = pair.take()
    over = one(at_server, events.Over)
    assert (over.request, over.reason) == (request.handle, "over.input")
    assert isinstance(one(at_client, events.Failed).error, RemoteError)


def test_methods_are_named_by_what_they_are_for() -> None:
    with pytest.raises(LocalProtocolError) as refused:
        make_client().method_for("complete")
    assert refused.value.code == "send.not_ready"
    client = connect(LEGACY, {}).client
    named = {
        "list_tools": "tools/list",
        "list_resources": "resources/list",
        "list_templates": "resources/templates/list",
        "list_prompts": "prompts/list",
        "read_resource": "resources/read",
        "get_prompt": "prompts/get",
        "complete": "completion/complete",
    }
    assert {purpose: client.method_for(purpose) for purpose in named} == named  # type: ignore[arg-type]
    with pytest.raises(LocalProtocolError, match="no purpose"):
        client.method_for("fly")  # type: ignore[arg-type]


def test_a_call_runs_as_a_task() -> None:
    pair = connect(LEGACY, {"capabilities": TASKS, "tools": [TOOL | {"execution": {"taskSupport": "optional"}}]})
    call = pair.client.call_tool("echo", "{}", pair.now, task="followed", task_ttl_ms=60_000)
    at_server, at_client = pair.take()
    request, begun = one(at_server, events.Request), one(at_client, events.Task)
    assert begun.call == call
    state = json.loads(begun.state)
    assert (state["taskId"], state["status"], state["ttl"]) == (request.task, "working", 60_000)
    assert state["createdAt"].startswith("2025-11-24T")
    assert begun.immediate is None

    pair.server.task_status(request.handle, "halfway", pair.now)
    assert json.loads(one(pair.take()[1], events.Task).state)["statusMessage"] == "halfway"
    pair.server.respond(request.handle, DONE, pair.now)
    assert completed(pair, call)["content"] == []

    call = pair.client.call_tool("echo", "{}", pair.now, task="detached")
    at_server, at_client = pair.take()
    created = json.loads(one(at_client, events.Completed).result)
    assert created["task"]["taskId"] == one(at_server, events.Request).task


def test_two_tasks_in_one_drain_keep_their_ids() -> None:
    server = make_server(capabilities=TASKS, tools=[TOOL | {"execution": {"taskSupport": "optional"}}])
    server.set_wall_clock(UNIX_MILLIS, 0)
    initialize(server)

    def task(number: int) -> bytes:
        return line(id=number, method="tools/call", params={"name": "echo", "arguments": {}, "task": {}})

    server.receive_data(task(1) + call_tool(2) + task(3), 0)
    requests = [event for event in server.events_received() if isinstance(event, events.Request)]
    made = {answer["result"]["task"]["taskId"] for answer in lines(server.data_to_send()) if "result" in answer}
    assert requests[1].task is None
    assert {requests[0].task, requests[2].task} == made
    assert len(made) == 2


def test_how_a_call_becomes_a_task_is_said_right() -> None:
    pair = connect(LEGACY, {"capabilities": TASKS})
    with pytest.raises(ValueError, match="followed"):
        pair.client.call_tool("echo", "{}", pair.now, task="maybe")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="goes with `task`"):
        pair.client.call("tools/call", '{"name": "echo"}', pair.now, task_ttl_ms=1)


def test_a_question_runs_as_a_task_and_tells_its_progress() -> None:
    pair = connect(LEGACY, {}, capabilities=QUESTION_TASKS)
    form = '{"message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}}'
    call = pair.server.call("elicitation/create", form, pair.now, progress=True, task="followed")
    at_server, at_client = pair.take()
    question = one(at_client, events.Input)
    assert json.loads(one(at_server, events.Task).state)["taskId"] == question.task
    assert pair.client.progress(question.handle, 1, pair.now, total=2, message="reading") is True
    pair.client.task_status(question.handle, "thinking", pair.now)
    at_server, _ = pair.take()
    assert json.loads(one(at_server, events.Progress).params)["message"] == "reading"
    assert json.loads(one(at_server, events.Task).state)["statusMessage"] == "thinking"
    pair.client.answer(question.handle, '{"action": "decline"}', pair.now)
    at_server, _ = pair.take()
    outcome = one(at_server, events.Completed)
    assert (outcome.call, json.loads(outcome.result)["action"]) == (call, "decline")


def test_an_application_that_fails_says_nothing_of_it() -> None:
    pair = connect(LEGACY, {}, capabilities={"roots": {}})
    pair.server.call("roots/list", None, pair.now)
    pair.client.answer_internal_error(one(pair.take()[1], events.Input).handle, pair.now)
    error = one(pair.take()[0], events.Failed).error
    assert isinstance(error, RemoteError)
    assert (error.number, error.message) == (-32603, "Internal error")


def test_results_of_an_extension_have_their_kind() -> None:
    extension = "com.example/streams"
    both = {"capabilities": {"tools": {}, "extensions": {extension: {}}}, "result_types": {extension: ["stream"]}}
    pair = connect(MODERN, both, **both)
    call = pair.client.call_tool("echo", "{}", pair.now)
    pair.server.respond_extension(asked(pair).handle, "stream", '{"at": 1}', pair.now)
    outcome = one(pair.take()[1], events.Completed)
    assert (outcome.call, outcome.kind, json.loads(outcome.result)["at"]) == (call, "stream", 1)
    call = pair.client.call_tool("echo", "{}", pair.now)
    request = asked(pair)
    with pytest.raises(LocalProtocolError):
        pair.server.respond_extension(request.handle, "other", "{}", pair.now)
    pair.server.respond(request.handle, DONE, pair.now)
    assert one(pair.take()[1], events.Completed).kind is None


def test_a_subscription_ends_with_the_connection() -> None:
    pair = connect(MODERN, CATALOG)
    call = pair.client.subscribe(pair.now, tools=True)
    one(pair.take()[1], events.Subscribed)
    pair.client.connection_lost(pair.now)
    failed = one(pair.take()[1], events.Failed)
    assert failed.call == call
    assert isinstance(failed.error, ConnectionClosed)
