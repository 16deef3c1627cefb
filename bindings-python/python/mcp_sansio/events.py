"""What a connection tells its application: small frozen classes for `match`.

Payloads are the peer's JSON text as it came; `json.loads` decodes them.
"""

from __future__ import annotations

from typing import TypeAlias

from ._core import (
    Audit,
    Closed,
    Completed,
    Failed,
    Fault,
    Input,
    InputOver,
    Notification,
    Over,
    Progress,
    Ready,
    Request,
    Subscribed,
    Task,
    Trace,
    Watched,
    Writable,
)

Event: TypeAlias = (
    Ready
    | Request
    | Subscribed
    | Task
    | Over
    | Completed
    | Failed
    | Progress
    | Input
    | InputOver
    | Notification
    | Fault
    | Writable
    | Closed
    | Trace
    | Audit
    | Watched
)
"""Any of them."""

__all__ = [
    "Audit",
    "Closed",
    "Completed",
    "Event",
    "Failed",
    "Fault",
    "Input",
    "InputOver",
    "Notification",
    "Over",
    "Progress",
    "Ready",
    "Request",
    "Subscribed",
    "Task",
    "Trace",
    "Watched",
    "Writable",
]
