"""Tools and their results, as servers give them and clients get them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pydantic_core
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class _Wire(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True)


class Tool(_Wire):
    """A tool of a server; members that have no field here are in `model_extra`."""

    name: str
    title: str | None = None
    description: str | None = None
    input_schema: dict[str, Any] = Field(default_factory=dict)
    """JSON Schema of the arguments."""
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] | None = None


class ToolList(_Wire):
    """All tools of a server."""

    tools: list[Tool]


class ToolResult(_Wire):
    """What a tool answered. A handler may return one, to say all of it."""

    content: list[dict[str, Any]] = Field(default_factory=list)
    """Content blocks: https://modelcontextprotocol.io/specification, `server/tools`."""
    structured_content: Any = None
    """The same as data."""
    is_error: bool = False
    """Whether the tool failed; then the content says why, for the model to read."""

    @property
    def text(self) -> str:
        """The text blocks, one below the other."""
        return "\n".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")


@dataclass(frozen=True)
class Media:
    """A picture or a sound, as an item of a tool's result."""

    data: bytes
    mime_type: str
    kind: Literal["image", "audio"] = "image"

    def block(self) -> dict[str, Any]:
        """Makes the content block."""
        return {"type": self.kind, "data": base64.b64encode(self.data).decode(), "mimeType": self.mime_type}


@dataclass(frozen=True)
class Questions:
    """What the client is asked first, as a handler's result: the request then comes again, with the answers."""

    questions: Mapping[str, Mapping[str, Any]]
    """By a key of the handler's own: `{"method": "elicitation/create", "params": {...}}`."""
    state: bytes | None = None
    """What the handler wants to see again. It is sealed, but the client can read it."""


def to_json(value: object) -> bytes:
    """Makes JSON; raises `ValueError` for what is none, such as NaN."""
    text, _ = _json(value)
    return text


def _json(value: object) -> tuple[bytes, Any]:
    # pydantic writes NaN and the infinities, which JSON has not: the check is to read it.
    text = pydantic_core.to_json(value)
    return text, pydantic_core.from_json(text, allow_inf_nan=False)


def _block(item: object) -> object:
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if isinstance(item, Media):
        return item.block()
    if isinstance(item, Mapping) and "type" in item:
        return item
    text, _ = _json(item)
    return {"type": "text", "text": text.decode()}


def encode(value: object) -> bytes:
    """Makes the result of a tool from what its handler returned.

    A `str` is one text; a list or tuple is several items, each a `str`, a `Media`, a content block (a dict with a
    `type`) or data; `None` is nothing; a `ToolResult` is itself; anything else is data, as the text of it and,
    where it is an object, as structured content. Raises `ValueError` for what is no JSON, such as NaN.
    """
    if isinstance(value, str):
        result: dict[str, object] = {"content": [_block(value)]}
    elif value is None:
        result = {"content": []}
    elif isinstance(value, ToolResult):
        result = value.model_dump(by_alias=True, exclude_unset=True)
        result.setdefault("content", [])
    elif isinstance(value, Media):
        result = {"content": [_block(value)]}
    elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        result = {"content": [_block(item) for item in value]}
    else:
        text, data = _json(value)
        result = {"content": [{"type": "text", "text": text.decode()}]}
        if isinstance(data, dict):
            result["structuredContent"] = data
    encoded, _ = _json(result)
    return encoded
