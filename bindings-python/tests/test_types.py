"""The payload types: mypy checks that they take real payloads, pydantic that they say so."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from mcp_sansio import events, types
from pair import call_tool, initialize, lines, make_server, one

ROOT = Path(__file__).parents[2]


def test_the_engine_takes_a_typed_result() -> None:
    block: types.ContentBlock = {"type": "text", "text": "4", "annotations": {"audience": ["user"], "priority": 0.5}}
    result: types.CallToolResult = {"content": [block], "structuredContent": {"sum": 4}, "isError": False}
    server = make_server()
    initialize(server)
    server.receive_data(call_tool(1, a=2), 0)
    request = one(server.events_received(), events.Request)
    server.respond(request.handle, json.dumps(result), now=0)
    (answer,) = lines(server.data_to_send())
    response: types.JSONRPCResultResponse = answer
    assert response["result"] == result


def test_content_is_told_apart_by_its_type() -> None:
    prompt: types.GetPromptResult = {
        "messages": [
            {"role": "user", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}},
            {"role": "a role of a later revision", "content": {"type": "text", "text": "hi"}},
        ]
    }
    said = []
    for message in prompt["messages"]:
        content = message["content"]
        if content["type"] == "text":
            said.append(content["text"])
        elif content["type"] == "image":
            said.append(content["mimeType"])
    assert said == ["image/png", "hi"]


def test_one_type_covers_all_revisions() -> None:
    legacy: types.CallToolRequestParams = {"name": "add", "_meta": {"progressToken": 1}}
    modern: types.CallToolRequestParams = {
        "name": "add",
        "arguments": {"a": 1},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        },
        "inputResponses": {"q": {"action": "accept", "content": {"age": 7.5, "tags": ["a"]}}},
        "requestState": "s",
    }
    adapter = TypeAdapter(types.CallToolRequestParams)
    assert adapter.validate_python(legacy) == legacy
    assert adapter.validate_python(modern) == modern
    with pytest.raises(ValidationError):
        adapter.validate_python({"arguments": {}})


@pytest.mark.parametrize("name", types.__all__)
def test_each_type_is_whole(name: str) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(types, name))
    assert adapter.json_schema() is not None


def _examples() -> list[Path]:
    named = os.environ.get("MCP_SPEC_DIR", "none")
    return [] if named == "none" else sorted((ROOT / named / "2026-07-28" / "examples").glob("*/*.json"))


@pytest.mark.skipif(not _examples(), reason="MCP_SPEC_DIR names no folder with the protocol's examples")
def test_the_published_examples_have_their_types() -> None:
    for path in _examples():
        example = json.loads(path.read_text("utf-8"))
        adapter: TypeAdapter[Any] = TypeAdapter(getattr(types, path.parent.name))
        assert adapter.validate_python(example, strict=True) == example, path
