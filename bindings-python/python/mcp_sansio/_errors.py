"""What can go wrong, each with the engine's stable code.

A class has the code that the engine gives to its kind; a kind without a class of its own is raised as the
nearest base, with its own `code`.
"""

from __future__ import annotations

import json
from typing import Any


class McpError(Exception):
    """The base of all errors of this package."""

    code: str = ""
    """The engine's stable code, such as `send.blocked` or `call.timeout`."""


class ConfigError(McpError):
    """A configuration that can't work; the text says which member and what to do."""

    code = "config.invalid"


class EngineFailed(McpError):
    """A bug in the engine was caught; the connection is dead."""

    code = "engine.failed"


class LocalProtocolError(McpError):
    """A command that the engine refused: nothing was sent and nothing changed."""


class Blocked(LocalProtocolError):
    """The output is full: wait for `Writable`, or for the pipe to be read."""

    code = "send.blocked"


class AlreadyOver(LocalProtocolError):
    """The request or call ended before the command came: a normal race, to be ignored."""

    code = "send.over"


class CallError(McpError):
    """Why a call has no result."""


class RemoteError(CallError):
    """The peer answered with an error."""

    code = "call.rpc"
    number: int
    """The peer's error number."""
    message: str
    """The peer's words."""
    data: str | None
    """What the peer added, as JSON text."""

    def __init__(self, message: str, number: int = 0, data: str | None = None) -> None:
        """Holds the parts of the peer's error."""
        super().__init__(message)
        self.message = message
        self.number = number
        self.data = data

    def decoded_data(self) -> Any:  # noqa: ANN401 - whatever the peer sent
        """Decodes `data`; `None` where there is none."""
        return None if self.data is None else json.loads(self.data)


class CallTimeout(CallError, TimeoutError):
    """No answer came in time; the peer was told where the revision allows it."""

    code = "call.timeout"


class CallCancelled(CallError):
    """The call was taken back."""

    code = "call.cancelled"


class ConnectionClosed(CallError, ConnectionError):
    """The connection ended without the answer."""

    code = "call.closed"
    delivered: bool
    """Whether the peer may have seen the call; if not, a repeat is safe."""

    def __init__(self, message: str, *, delivered: bool = False) -> None:
        """Holds whether a repeat is safe."""
        super().__init__(message)
        self.delivered = delivered


class InvalidResult(CallError):
    """The peer answered with something that the revision does not allow."""

    code = "call.invalid_result"


class InputFailed(CallError):
    """A question that the call asked was refused, or asked too often."""

    code = "call.input"


class AuthRequired(CallError):
    """The peer wants credentials."""

    code = "call.auth_required"


class ConnectFailed(McpError, ConnectionError):
    """No conversation came about; the code is the engine's reason, such as `close.handshake`."""

    exit_status: int | None = None
    """The exit status of a server that went by itself; negative: the signal that ended it."""


class ToolError(Exception):
    """Raised by a tool: its text is the tool's answer, marked as an error, for the model to read."""


class NotFound(Exception):
    """Raised by a handler of requests: what the request names does not exist."""


class RequestError(Exception):
    """Raised by a handler of requests: its number, text and data are the answer, for the client to read."""

    def __init__(self, number: int, message: str, data: object = None) -> None:
        """Holds the parts of the error; those that the specification reserves can't be sent."""
        super().__init__(message)
        self.number = number
        self.message = message
        self.data = data


_COMMANDS = {kind.code: kind for kind in (ConfigError, EngineFailed, Blocked, AlreadyOver)}
_OUTCOMES = {kind.code: kind for kind in (CallTimeout, CallCancelled, InvalidResult, InputFailed, AuthRequired)}


def refused(code: str, message: str) -> McpError:
    """Makes the exception for an entry of the engine that was refused."""
    error = _COMMANDS.get(code, LocalProtocolError)(message)
    error.code = code
    return error


def outcome(code: str, message: str, number: int, data: str | None, delivered: bool) -> CallError:  # noqa: FBT001 - called by position
    """Makes the exception for the outcome of a call."""
    error: CallError
    if code == RemoteError.code:
        error = RemoteError(message, number, data)
    elif code == ConnectionClosed.code:
        error = ConnectionClosed(message, delivered=delivered)
    else:
        error = _OUTCOMES.get(code, CallError)(message)
    error.code = code
    return error
