"""A server and a client that talk without I/O, in virtual time."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from mcp_sansio import ClientConnection, ServerConnection
from mcp_sansio.events import Event

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
SEED = bytes(32)
TOOL = {"name": "echo", "description": "Echoes.", "inputSchema": {"type": "object"}}
INFO = {"name": "test", "version": "1"}

E = TypeVar("E", bound=Event)


def make_server(*, messages: bool = False, **config: Any) -> ServerConnection:
    return ServerConnection(json.dumps({"info": INFO, "tools": [TOOL]} | config), messages=messages, seed=SEED)


def make_client(*, messages: bool = False, **config: Any) -> ClientConnection:
    return ClientConnection(json.dumps({"info": INFO} | config), messages=messages, seed=SEED)


def line(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | members).encode() + b"\n"


def lines(data: bytes) -> list[Any]:
    return [json.loads(text) for text in data.splitlines()]


def one(events: list[Event], kind: type[E]) -> E:
    """The only event of its kind."""
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, events
    return found[0]


def initialize(server: ServerConnection, revision: str = "2025-11-25", **capabilities: Any) -> None:
    """Opens a legacy session by hand and takes what it gives."""
    params = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": INFO}
    server.receive_data(line(id="open", method="initialize", params=params), 0)
    server.receive_data(line(method="notifications/initialized"), 0)
    server.events_received()
    server.data_to_send()


def call_tool(number: int | str, **arguments: Any) -> bytes:
    return line(id=number, method="tools/call", params={"name": "echo", "arguments": arguments})


def open_client(client: ClientConnection, revision: str = "2025-11-25") -> None:
    """Completes the handshake of a legacy client by hand."""
    client.start(0)
    (opening,) = lines(client.data_to_send())
    result = {"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": INFO}
    client.receive_data(line(id=opening["id"], result=result), 0)
    client.events_received()
    client.data_to_send()


class Pair:
    """Both ends, connected."""

    def __init__(self, server: ServerConnection, client: ClientConnection) -> None:
        self.server, self.client = server, client
        self.now = SECOND
        self.at_server: list[Event] = []
        self.at_client: list[Event] = []

    def settle(self) -> None:
        """Carries bytes both ways until nobody says more."""
        while True:
            asked, answered = self.client.data_to_send(), self.server.data_to_send()
            self.at_server += self.server.events_received()
            self.at_client += self.client.events_received()
            if not asked and not answered:
                return
            self.server.receive_data(asked, self.now)
            self.client.receive_data(answered, self.now)

    def advance(self, nanoseconds: int) -> None:
        """Lets time pass at both ends."""
        self.now += nanoseconds
        self.server.handle_timeout(self.now)
        self.client.handle_timeout(self.now)
        self.settle()

    def connect(self) -> Pair:
        self.client.start(self.now)
        self.settle()
        return self

    def take(self) -> tuple[list[Event], list[Event]]:
        """What happened since the last time, at the server and at the client."""
        self.settle()
        taken = self.at_server, self.at_client
        self.at_server, self.at_client = [], []
        return taken
