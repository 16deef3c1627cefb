"""Steps beyond the tools: what a client that takes them is told to do, and what must come of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Step = dict[str, Any]
"""A `call` of a method with `params` and, in the modern era, a `log` level; URIs to `subscribe` to; or a notice to
`wait` for. `expect` is what the result, the filter or the notice must have; for an error, its code.
`asks` is the question that the server has."""

TEXT = "héé 漢 🦀"
BLOB = "+/+//v8="
CAPABILITIES: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}
ANSWERS: dict[str, Any] = {
    "elicitation/create": {"action": "accept", "content": {"name": "Ada"}},
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": "blue"},
        "model": "script",
        "stopReason": "endTurn",
    },
    "roots/list": {"roots": [{"uri": "file:///srv/data", "name": "data"}]},
}
UPDATED = "notifications/resources/updated"
MESSAGE = "notifications/message"


def call(method: str, params: Step, expect: Step) -> Step:
    """A call and what its result must have."""
    return {"call": method, "params": params, "expect": expect}


def tool(name: str, text: str, arguments: Step | None = None) -> Step:
    """A call of a tool that answers with this text."""
    expect = {"content": [{"type": "text", "text": text}]}
    return call("tools/call", {"name": name, "arguments": arguments or {}}, expect)


def read(uri: str, member: str, value: str) -> Step:
    """The content of a resource."""
    return call("resources/read", {"uri": uri}, {"contents": [{"uri": uri, member: value}]})


def refused(uri: str, code: int) -> Step:
    """A resource that must not be given."""
    return call("resources/read", {"uri": uri}, {"error": code})


def files(folder: Path, *, modern: bool) -> tuple[Step, ...]:
    """The steps for a server of the files in a folder: it gives one of them, and none outside."""
    inside = folder / "package.json"
    code = -32602 if modern else -32002
    return (
        read(inside.as_uri(), "text", inside.read_text(encoding="utf-8")),
        refused(f"{folder.as_uri()}/..%2FREADME.md", code),
        refused((folder.parent / "README.md").as_uri(), code),
    )


def wait(method: str, **params: object) -> Step:
    """A notice."""
    return {"wait": method, "expect": params}


def of_programs(*, modern: bool, logs: bool, watches: bool, asks: bool = True) -> tuple[Step, ...]:
    """The steps for the servers of the matrix; the README has what those offer."""
    level: list[Step] = []
    if logs and modern:
        level = [{**tool("log", "logged"), "log": "warning"}, wait(MESSAGE, level="warning", data="loud")]
    elif logs:
        level = [
            call("logging/setLevel", {"level": "warning"}, {}),
            tool("log", "logged"),
            wait(MESSAGE, level="warning", data="loud"),
        ]
    asking = [
        {**tool("ask", "got Ada"), "asks": "elicitation/create"},
        {**tool("sample", "got blue"), "asks": "sampling/createMessage"},
        {**tool("roots", "got file:///srv/data"), "asks": "roots/list"},
    ]
    watching: list[Step] = [
        {"subscribe": ["test://text"], "expect": {"resourceSubscriptions": ["test://text"]}},
        tool("touch", "touched"),
        wait(UPDATED, uri="test://text"),
    ]
    return (
        call("resources/list", {}, {"resources": [{"uri": "test://text"}, {"uri": "test://blob"}]}),
        call("resources/templates/list", {}, {"resourceTemplates": [{"uriTemplate": "test://item/{number}"}]}),
        read("test://text", "text", TEXT),
        read("test://blob", "blob", BLOB),
        read("test://item/7", "text", "item 7"),
        call("prompts/list", {}, {"prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]}),
        call(
            "prompts/get",
            {"name": "greet", "arguments": {"who": "Ada"}},
            {"messages": [{"role": "user", "content": {"type": "text", "text": "Hello Ada"}}]},
        ),
        call(
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": "A"}},
            {"completion": {"values": ["Ada", "Alan"]}},
        ),
        *(asking if asks else []),
        *level,
        *(watching if watches else []),
    )


def of_everything() -> tuple[Step, ...]:
    """The steps for `server-everything`. It logs each subscription."""
    text, blob = "demo://resource/dynamic/text/1", "demo://resource/dynamic/blob/1"
    completable = {"type": "ref/prompt", "name": "completable-prompt"}
    return (
        call("resources/list", {}, {"resources": [{"mimeType": "text/markdown"}]}),
        call(
            "resources/templates/list",
            {},
            {"resourceTemplates": [{"uriTemplate": "demo://resource/dynamic/text/{resourceId}"}]},
        ),
        call("resources/read", {"uri": text}, {"contents": [{"uri": text, "mimeType": "text/plain"}]}),
        call("resources/read", {"uri": blob}, {"contents": [{"uri": blob}]}),
        call("prompts/list", {}, {"prompts": [{"name": "args-prompt"}, {"name": "completable-prompt"}]}),
        call(
            "prompts/get",
            {"name": "args-prompt", "arguments": {"city": "Berlin"}},
            {"messages": [{"content": {"text": "What's weather in Berlin?"}}]},
        ),
        call(
            "completion/complete",
            {
                "ref": completable,
                "argument": {"name": "name", "value": "A"},
                "context": {"arguments": {"department": "Engineering"}},
            },
            {"completion": {"values": ["Alice"]}},
        ),
        {**tool("trigger-elicitation-request", "User inputs:\n- Name: Ada"), "asks": "elicitation/create"},
        {
            **call(
                "tools/call", {"name": "trigger-sampling-request", "arguments": {"prompt": "a word"}}, {"content": [{}]}
            ),
            "asks": "sampling/createMessage",
        },
        {
            **call("tools/call", {"name": "get-roots-list", "arguments": {}}, {"content": [{"type": "text"}]}),
            "asks": "roots/list",
        },
        call("logging/setLevel", {"level": "info"}, {}),
        {"subscribe": [text], "expect": {"resourceSubscriptions": [text]}},
        wait(MESSAGE, level="info"),
        call("tools/call", {"name": "toggle-subscriber-updates", "arguments": {}}, {}),
        wait(UPDATED, uri=text),
        call("tools/call", {"name": "toggle-subscriber-updates", "arguments": {}}, {}),
    )


def has(seen: object, wanted: object) -> bool:
    """Whether a value has everything that is wanted: members of objects, elements of arrays in any place."""
    if isinstance(wanted, Mapping):
        return isinstance(seen, Mapping) and all(key in seen and has(seen[key], wanted[key]) for key in wanted)
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        elements = seen if isinstance(seen, list) else []
        return all(any(has(element, one) for element in elements) for one in wanted)
    return seen == wanted
