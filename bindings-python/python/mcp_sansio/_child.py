"""A server process and the connection to it."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import logging
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from ._core import ClientConnection
from ._driver import Driver, within
from ._errors import AlreadyOver, CallError, ConnectFailed, ConnectionClosed, LocalProtocolError, McpError
from .events import Closed, Completed, Event, Failed, Fault, Input, InputOver, Notification, Progress, Ready, Subscribed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Stderr: TypeAlias = int | IO[Any] | Callable[[str], None] | None
OnProgress: TypeAlias = Callable[[float, float | None, str | None], None]
OnNotification: TypeAlias = Callable[[Notification], None]
OnInput: TypeAlias = Callable[[Input], Awaitable[bytes | None]]
OnChange: TypeAlias = Callable[[Notification | Subscribed], None]
Answer = TypeVar("Answer")

CLOSE_SECONDS = 2.0
"""How long a server may take to go after the end of its input, and again after SIGTERM."""
LAST_WORDS_SECONDS = 0.5
"""How long the pipes of a server that is gone are read: its children may hold them open."""
STDERR_LINE = 64 * 1024
"""Characters of a line of standard error after which it is passed on in pieces."""

_AFTER_THE_END = "send.closed"
_LEFT = ("close.peer", "close.probe_closed")
_log = logging.getLogger("mcp_sansio")


class _Call:
    __slots__ = ("failure", "on_progress", "outcome", "subscription")

    def __init__(self, outcome: asyncio.Future[str], on_progress: OnProgress | None = None) -> None:
        self.outcome = outcome
        self.on_progress = on_progress
        self.failure: McpError | None = None
        self.subscription: Listening | None = None

    def succeed(self, result: str) -> None:
        if not self.outcome.done():
            self.outcome.set_result(result)

    def fail(self, failure: McpError) -> None:
        self.failure = failure
        if not self.outcome.done():
            self.outcome.set_exception(failure)


class Listening:
    """A subscription, from its beginning."""

    def __init__(self, handle: int, over: asyncio.Future[str], on_change: OnChange) -> None:
        """Belongs to one call."""
        self.handle = handle
        self.in_force: asyncio.Future[Subscribed] = over.get_loop().create_future()
        """What the server honours."""
        self.over = over
        """Done, with the reason as its error, when nothing is told any more."""
        self._on_change = on_change

    def deliver(self, event: Notification | Subscribed) -> None:
        """Tells the application, but for the beginning."""
        if isinstance(event, Subscribed) and not self.in_force.done():
            self.in_force.set_result(event)
        else:
            self._on_change(event)


class Child(asyncio.SubprocessProtocol):
    """One start of a server."""

    def __init__(
        self,
        config: bytes,
        on_notification: OnNotification,
        on_input: OnInput,
        on_stderr: Callable[[str], None] | None,
    ) -> None:
        """Makes the connection; `start` makes the process."""
        self._loop = asyncio.get_running_loop()
        self.connection = ClientConnection(config)
        self.driver = Driver(self.connection, self._deliver)
        self.driver.closed.add_done_callback(self._on_closed)
        self.ready: asyncio.Future[Ready] = self._loop.create_future()
        """What is known of the server, once it is; or a `ConnectFailed`: `open` waits for it."""
        self._calls: dict[int, _Call] = {}
        self._questions: dict[int, asyncio.Task[None]] = {}
        self._on_notification = on_notification
        self._on_input = on_input
        self._on_stderr = on_stderr
        self._stderr_text = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._last_fault = ""
        self._ended_by_us = False
        self._exited = asyncio.Event()
        self._stderr_ended = asyncio.Event()
        self._transport: asyncio.SubprocessTransport

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        config: bytes,
        on_notification: OnNotification,
        on_input: OnInput,
        *,
        stderr: Stderr,
        env: Mapping[str, str] | None,
        cwd: str | os.PathLike[str] | None,
    ) -> Child:
        """Starts the process and the conversation; raises `OSError`."""
        on_stderr = stderr if callable(stderr) else None
        transport, self = await asyncio.get_running_loop().subprocess_exec(
            lambda: cls(config, on_notification, on_input, on_stderr),
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if callable(stderr) else stderr,
            env=env,
            cwd=cwd,
            # The terminal's signals are for us to act on, and ours are for the server's children too.
            start_new_session=True,
        )
        self._transport = transport
        if on_stderr is None:
            self._stderr_ended.set()
        self.driver.attach(
            reader=cast("asyncio.ReadTransport", transport.get_pipe_transport(1)),
            writer=cast("asyncio.WriteTransport", transport.get_pipe_transport(0)),
        )
        self.driver.do(self.connection.start)
        return self

    @property
    def exit_status(self) -> int | None:
        """The exit status, once there is one."""
        return self._transport.get_returncode()

    async def open(self) -> Ready:
        """Waits until the server is known; ends it and raises `ConnectFailed` if no conversation comes about."""
        try:
            return await self.ready
        except BaseException as failure:
            # Until then it is not known how the process ended.
            await self.close()
            if isinstance(failure, ConnectFailed) and failure.code in _LEFT:
                raise self._left(failure.code) from None
            raise

    def _left(self, code: str) -> ConnectFailed:
        status = None if self._ended_by_us else self.exit_status
        if status is None:
            what = "closed its output"
        elif status < 0:
            what = f"was ended by signal {-status} ({signal.strsignal(-status)})"
        else:
            what = f"exited with status {status}"
        failure = ConnectFailed(f"the server {what} before it answered ({self._why(code)})")
        failure.code = code
        failure.exit_status = status
        return failure

    def _why(self, code: str) -> str:
        return f"{code}: {self._last_fault}" if self._last_fault else code

    async def call(
        self,
        begin: Callable[..., int],
        *arguments: str | bytes | None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        **options: Any,  # noqa: ANN401 - the call's own
    ) -> str:
        """Makes a call by a command of the connection, and waits for its result."""
        if timeout is not None:
            options["silence_ms"] = options["total_ms"] = max(1, round(timeout * 1000))
        if on_progress is not None:
            options["progress"] = True
        handle = await self._send(begin, *arguments, patience=timeout, **options)
        call = self._calls[handle] = _Call(self._loop.create_future(), on_progress)
        try:
            return await call.outcome
        except asyncio.CancelledError as cancelled:
            self.cancel(handle)
            raise cancelled from call.failure

    async def subscribe(self, on_change: OnChange, **of: Any) -> Listening:  # noqa: ANN401 - the connection's own
        """Subscribes, and waits until that is in force; raises `CallError` if it is refused."""
        handle = await self._send(self.connection.subscribe, **of)
        call = self._calls[handle] = _Call(self._loop.create_future())
        # It is the application's choice whether to ask how it ended.
        call.outcome.add_done_callback(lambda over: over.cancelled() or over.exception())
        listening = call.subscription = Listening(handle, call.outcome, on_change)
        try:
            ends: list[asyncio.Future[Any]] = [listening.in_force, listening.over]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.cancel(handle)
            raise
        if not listening.in_force.done():
            await listening.over
        return listening

    def cancel(self, handle: int) -> None:
        """Takes a call back, and tells its outcome at once."""
        with contextlib.suppress(McpError):
            self.driver.do(self.connection.cancel, handle)
        self.driver.turn()

    async def notify(self, method: str, params: bytes | None) -> None:
        """Sends a notice."""
        await self._send(self.connection.notify, method, params)

    async def _send(self, command: Callable[..., Answer], *arguments: str | bytes | None, **options: Any) -> Answer:  # noqa: ANN401 - the command's own
        try:
            return await self.driver.do_with_room(command, *arguments, **options)
        except LocalProtocolError as refused:
            if refused.code != _AFTER_THE_END:
                raise
            # For the application it is one thing whether the end came before the call or during it. What the engine
            # has not told yet is our own `close`.
            closed = self.driver.closed
            reason = closed.result() if closed.done() else "close.local"
            raise ConnectionClosed(f"the connection has ended ({reason})") from None

    async def close(self) -> None:
        """Ends the conversation, then the process: end of input, SIGTERM, SIGKILL."""
        try:
            if not self.driver.closed.done():
                self.driver.do(self.connection.close)
                await asyncio.wait([self.driver.closed], timeout=CLOSE_SECONDS)
            stdin = self._transport.get_pipe_transport(0)
            if stdin is not None:
                stdin.close()
            for number in (signal.SIGTERM, signal.SIGKILL):
                if await within(CLOSE_SECONDS, self._exited):
                    break
                self._signal(number)
            await self._exited.wait()
            await within(LAST_WORDS_SECONDS, self._stderr_ended)
        finally:
            self._signal(signal.SIGKILL)
            self._transport.close()
            self.driver.stop()

    def _signal(self, number: signal.Signals) -> None:
        if self.exit_status is None:
            self._ended_by_us = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._transport.get_pid(), number)

    # What the process does.

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Takes in the server's output."""
        if fd == 1:
            self.driver.receive_data(data)
        else:
            self._stderr(self._decode(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - either way it is gone
        """Takes in that a pipe is at its end."""
        if fd == 1:
            self.driver.receive_eof()
        elif fd == 0:
            self._lost_soon()
        else:
            self._stderr(self._decode(b"", final=True) + "\n" if self._stderr_text else "")
            self._stderr_ended.set()

    def process_exited(self) -> None:
        """Takes in that the process is gone."""
        self._exited.set()
        self._lost_soon()

    def pause_writing(self) -> None:
        """Takes in that the server reads slowly."""
        self.driver.pause_writing()

    def resume_writing(self) -> None:
        """Takes in that the server has read."""
        self.driver.resume_writing()

    def _lost_soon(self) -> None:
        # What the server wrote before is still in the pipe, and its end says it sooner.
        self._loop.call_later(LAST_WORDS_SECONDS, self.driver.connection_lost)

    def _stderr(self, text: str) -> None:
        *lines, self._stderr_text = (self._stderr_text + text).split("\n")
        if len(self._stderr_text) > STDERR_LINE:
            lines.append(self._stderr_text)
            self._stderr_text = ""
        for line in lines:
            self._tell(self._on_stderr, line)

    # What the engine says.

    def _deliver(self, event: Event) -> None:
        match event:
            case Completed() | Failed() | Progress():
                self._deliver_of_call(event)
            case Notification(call=call) | Subscribed(call=call):
                self._deliver_of_subscription(call, event)
            case Input(handle=handle):
                self._questions[handle] = self._loop.create_task(self._answer(event))
            case InputOver(input=handle) if handle in self._questions:
                self._questions[handle].cancel()
            case Ready() if not self.ready.done():
                self.ready.set_result(event)
            case Fault(detail=detail, code=code, page=page):
                self._last_fault = detail
                _log.warning("the server broke a rule: %s (%s, see %s)", detail, code, page)
            case Closed(reason=reason) if not self.ready.done():
                failure = ConnectFailed(f"no conversation with the server: {self._why(reason)}")
                failure.code = reason
                self.ready.set_exception(failure)

    def _deliver_of_call(self, event: Completed | Failed | Progress) -> None:
        match event:
            case Completed(call=handle, result=result):
                self._calls.pop(handle).succeed(result)
            case Failed(call=handle, error=error):
                self._calls.pop(handle).fail(error)
            case Progress(call=handle, params=params):
                progress = json.loads(params)
                told = progress["progress"], progress.get("total"), progress.get("message")
                self._tell(self._calls[handle].on_progress, *told)

    def _deliver_of_subscription(self, handle: int | None, event: Notification | Subscribed) -> None:
        call = None if handle is None else self._calls.get(handle)
        if call is not None and call.subscription is not None:
            self._tell(call.subscription.deliver, event)
        elif isinstance(event, Notification):
            self._tell(self._on_notification, event)

    async def _answer(self, question: Input) -> None:
        connection, handle = self.connection, question.handle
        try:
            answer = await self._on_input(question)
            if answer is None:
                self.driver.do(connection.answer_unsupported, handle)
            else:
                self.driver.do(connection.answer, handle, answer)
        except AlreadyOver:
            pass
        except Exception:  # noqa: BLE001 - the application's, and the server waits
            _log.exception("the answer to `%s` failed", question.method)
            self._give_up(handle)
        except asyncio.CancelledError:
            self._give_up(handle)
            raise
        finally:
            del self._questions[handle]

    def _give_up(self, question: int) -> None:
        with contextlib.suppress(McpError):
            self.driver.do(self.connection.answer_internal_error, question)

    def _on_closed(self, closed: asyncio.Future[str]) -> None:
        for question in self._questions.values():
            question.cancel()
        failure = closed.exception()
        if failure is None:
            return
        if not self.ready.done():
            self.ready.set_exception(failure)
        for call in self._calls.values():
            call.fail(cast("CallError", failure))
        self._calls.clear()

    def _tell(self, callback: Callable[..., None] | None, *arguments: object) -> None:
        if callback is None:
            return
        try:
            callback(*arguments)
        except Exception:  # noqa: BLE001 - the application's, and the conversation goes on
            _log.exception("a callback of the application failed")
