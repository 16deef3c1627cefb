"""The steps of the matrix, for client programs in Python; each SDK adds the `Session` it can offer.

Usage of each program: ``CLIENT [--mode MODE] SCRIPT -- SERVER [ARGUMENT…]``; the README beside the harness has the
contract of scripts and of the lines printed.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import anyio
from anyio.abc import TaskStatus

CANCELLED = "call.cancelled"
UNANSWERED = "unanswered"


class Answers:
    """Answers the questions of a server from the script, and remembers which there were."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.asked: list[str] = []
        self._answers = script.get("answers", {})

    def of(self, method: str) -> dict[str, Any]:
        """Return the answer to a question of this method."""
        self.asked.append(method)
        answer: dict[str, Any] = self._answers[method]
        return answer


class Notices:
    """What a server told, until somebody waits for it."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, Any]] = []
        self._more = anyio.Event()

    def add(self, notice: dict[str, Any]) -> None:
        """Take a notice as it was on the wire."""
        self._kept.append((notice["method"], notice.get("params") or {}))
        self._more.set()
        self._more = anyio.Event()

    async def wait(self, method: str) -> Any:  # noqa: ANN401
        """Return the params of the next notice of a method."""
        while True:
            for place, (kept, params) in enumerate(self._kept):
                if kept == method:
                    del self._kept[place]
                    return params
            await self._more.wait()


class OnProgress(Protocol):
    """Takes the progress of a call, as the callbacks of the SDKs do."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Take one notice."""
        ...


@dataclass(frozen=True)
class Answer:
    """What a tool answered."""

    text: str
    is_error: bool


@dataclass(frozen=True)
class Options:
    """The command line of a client program."""

    mode: str
    script: dict[str, Any]
    server: list[str]


class Session(Protocol):
    """An open session of an SDK."""

    @property
    def revision(self) -> str | None:
        """The negotiated revision, if the SDK tells it."""
        ...

    async def list_tools(self) -> list[str]:
        """Return the names of the tools."""
        ...

    async def call(self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None) -> Answer:
        """Call a tool; with `on_progress` its progress is asked for."""
        ...

    async def step(self, step: dict[str, Any]) -> Any:  # noqa: ANN401
        """Do one step of `more`, and return what came of it."""
        ...

    async def cancel(self, scope: anyio.CancelScope, ended: anyio.Event) -> None:
        """Cancel the newest call with progress, which runs in `scope` and sets `ended`; return after the notice."""
        ...


def options(default_mode: str = "default") -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default=default_mode)
    parser.add_argument("script")
    parser.add_argument("server", nargs="+")
    arguments = parser.parse_args()
    script = arguments.script
    text = script if script.startswith("{") else Path(script).read_text(encoding="utf-8")
    return Options(arguments.mode, json.loads(text), arguments.server)


def report(step: str, **fields: object) -> None:
    """Print the line of one step."""
    print(json.dumps({"step": step, **fields}, ensure_ascii=False), flush=True)


async def cancel_call(session: Session, script: dict[str, Any]) -> None:
    """Cancel a running call and make the next one."""
    step, echo = script["cancel"], script["echo"]
    progressed, ended = anyio.Event(), anyio.Event()
    outcome = UNANSWERED

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
        progressed.set()

    async def call(*, task_status: TaskStatus[anyio.CancelScope]) -> None:
        nonlocal outcome
        with anyio.CancelScope() as scope:
            task_status.started(scope)
            answer = await session.call(step["name"], step["arguments"], on_progress)
            outcome = f"answered: {answer.text}"
        ended.set()

    async with anyio.create_task_group() as tasks:
        scope: anyio.CancelScope = await tasks.start(call)
        if step["after"] == "first-progress":
            await progressed.wait()
        else:
            # A whole round trip later the handler has begun.
            await session.call(echo["name"], echo["arguments"])
        await session.cancel(scope, ended)
        if scope.cancelled_caught:
            outcome = CANCELLED
        next_answer = await session.call(echo["name"], echo["arguments"])
        scope.cancel()
    report("cancel", outcome=outcome)
    report("after_cancel", text=next_answer.text)


async def converse(session: Session, script: dict[str, Any], answers: Answers | None = None) -> None:
    """Go through the steps that the script has, up to the end of input."""
    report("connect", revision=session.revision)
    report("list", tools=await session.list_tools())
    if echo := script.get("echo"):
        report("echo", text=(await session.call(echo["name"], echo["arguments"])).text)
    if fail := script.get("fail"):
        report("fail", isError=(await session.call(fail["name"], fail["arguments"])).is_error)
    if counting := script.get("progress"):
        values: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
            values.append(progress)

        await session.call(counting["name"], counting["arguments"], on_progress)
        report("progress", values=values)
    if "cancel" in script:
        await cancel_call(session, script)
    for step in script.get("more", []):
        report("more", result=await session.step(step))
    if answers is not None and "more" in script:
        report("asked", methods=answers.asked)
