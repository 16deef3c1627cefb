"""What a tap kept, as messages."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Side = Literal["client", "server"]
PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"


@dataclass(frozen=True)
class Message:
    """One JSON-RPC message; `position` orders everything that a start kept."""

    position: int
    time: float
    sender: Side
    body: dict[str, Any]

    @property
    def method(self) -> str | None:
        """The method of a request or a notice."""
        return self.body.get("method")

    @property
    def params(self) -> dict[str, Any]:
        """The params, empty when absent."""
        return self.body.get("params") or {}

    @property
    def id(self) -> str | None:
        """The id as JSON text, so that `7` and `"7"` differ."""
        return json.dumps(self.body["id"]) if "id" in self.body else None

    @property
    def is_request(self) -> bool:
        """Whether it has a method and an id."""
        return self.method is not None and self.id is not None

    @property
    def is_notice(self) -> bool:
        """Whether it has a method and no id."""
        return self.method is not None and self.id is None

    @property
    def is_response(self) -> bool:
        """Whether it has no method."""
        return self.method is None

    @property
    def error(self) -> dict[str, Any] | None:
        """The error of a response."""
        return self.body.get("error")

    @property
    def result(self) -> dict[str, Any]:
        """The result of a response, empty for an error."""
        return self.body.get("result") or {}

    @property
    def progress_token(self) -> str | None:
        """The token that a request asks progress with, or that a progress notice has, as JSON text."""
        holder = self.params.get("_meta") or {} if self.is_request else self.params
        return json.dumps(holder["progressToken"]) if "progressToken" in holder else None

    @property
    def modern_revision(self) -> str | None:
        """The revision that a request of the modern era names."""
        revision: str | None = (self.params.get("_meta") or {}).get(PROTOCOL_VERSION)
        return revision

    def __str__(self) -> str:
        """The sender and the text."""
        return f"{self.sender}: {json.dumps(self.body, ensure_ascii=False)}"


@dataclass(frozen=True)
class Exchange:
    """A request with its response, if one came."""

    request: Message
    response: Message | None


@dataclass(frozen=True)
class Mark:
    """Anything else with its place and time: a line on standard error, a signal, an end."""

    position: int
    time: float
    value: Any = None


@dataclass
class Start:
    """One start of the server's command."""

    tap: int
    pid: int | None = None
    messages: list[Message] = field(default_factory=list)
    stderr: list[Mark] = field(default_factory=list)
    signals: list[Mark] = field(default_factory=list)
    end_of_input: Mark | None = None
    exit: Mark | None = None
    malformed: list[str] = field(default_factory=list)

    def sent(self, sender: Side) -> Iterator[Message]:
        """The messages of one side."""
        return (message for message in self.messages if message.sender == sender)

    def exchanges(self, method: str, sender: Side = "client") -> list[Exchange]:
        """The requests of one method with their responses."""
        return [
            Exchange(request, self._response(request))
            for request in self.sent(sender)
            if request.is_request and request.method == method
        ]

    def notices(self, method: str, sender: Side) -> list[Message]:
        """The notices of one method."""
        return [message for message in self.sent(sender) if message.is_notice and message.method == method]

    def _response(self, request: Message) -> Message | None:
        for message in self.messages:
            if (
                message.position > request.position
                and message.sender != request.sender
                and message.is_response
                and message.id == request.id
            ):
                return message
        return None


def read_start(path: Path) -> Start:
    """Read one file of a tap."""
    start = Start(tap=0)
    for position, text in enumerate(path.read_text(encoding="utf-8").splitlines()):
        record = json.loads(text)
        kind, time = record["kind"], record["t"]
        if kind == "start":
            start.tap = record["tap"]
        elif kind == "pid":
            start.pid = record["pid"]
        elif kind in ("client", "server"):
            body = _parse(record["line"])
            if body is None or record.get("unfinished"):
                start.malformed.append(f"{kind}: {record['line']}")
            else:
                start.messages.append(Message(position, time, kind, body))
        elif kind == "stderr":
            start.stderr.append(Mark(position, time, record["line"]))
        elif kind == "signal":
            start.signals.append(Mark(position, time, record["number"]))
        elif kind == "client_eof":
            start.end_of_input = Mark(position, time)
        elif kind == "exit":
            start.exit = Mark(position, time, record["status"])
    return start


def read_starts(directory: Path) -> list[Start]:
    """Read what a tap kept, in the order of the starts."""
    return [read_start(path) for path in sorted(directory.glob("*.jsonl"))]


def _parse(line: str) -> dict[str, Any] | None:
    try:
        line.encode("utf-8")
        body = json.loads(line)
    except ValueError:
        return None
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        return None
    is_response = ("result" in body) != ("error" in body)
    return body if isinstance(body.get("method"), str) != is_response else None
