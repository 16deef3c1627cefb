"""What a peer can't do: the one table, each row asserted as what the peer does instead."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from checks import (
    EXIT_SECONDS,
    LEAST_PROGRESS,
    Check,
    Mismatch,
    Run,
    cancellation,
    check_cancel_seen,
    check_exit,
    equal,
    first,
    late_messages,
    progress_on_wire,
    require,
    revision_on_wire,
)
from programs import Cell, Script, tools_script
from transcript import Side, Start


@dataclass(frozen=True)
class Quirk:
    """A step that a peer can't do as the others do."""

    side: Side
    peers: tuple[str, ...]
    """Names of programs, or beginnings of them."""
    step: str
    instead: str
    reason: str
    check: Check
    script: Callable[[Path], Script] | None = None
    """What another run goes through, when the step would spoil the others."""

    def concerns(self, cell: Cell) -> bool:
        """Whether the program on its side of the cell is one of the peers."""
        program = cell.client if self.side == "client" else cell.server
        return not program.ours and program.name.startswith(self.peers)


SDK_CLIENTS = ("npm sdk 1.12.0", "npm sdk 1.17.0", "npm sdk 1.32.2")
NPM_CLIENTS = (*SDK_CLIENTS, "npm client 2.4.0 default", "npm client 2.4.0 auto")


def reports_no_revision(run: Run) -> None:
    revision_on_wire(run)
    equal("revision reported", run.report("connect")["revision"], None)


def reports_no_exit_status(run: Run) -> None:
    check_exit(run)
    equal("exit status reported", run.report("close")["server_exit"], None)


def delivers_first_progress_only(run: Run) -> None:
    values = progress_on_wire(run)
    require(len(values) >= LEAST_PROGRESS, f"progress notices on the tap: {values}")
    reported = run.report("progress")["values"]
    equal("progress reported", reported, values[: len(reported)])


def leaves_the_call_unanswered(run: Run) -> None:
    check_cancel_seen(run)
    equal("messages for the cancelled call", [str(message) for message in late_messages(run.conversation)], [])
    equal("outcome reported", run.report("cancel")["outcome"], "unanswered")


def terminates_the_server(run: Run) -> None:
    start = run.conversation
    equal("signals to the server", [mark.value for mark in start.signals], [signal.SIGTERM])
    before = start.end_of_input is not None and start.end_of_input.position < start.signals[0].position
    require(not before, "the input ended before the signal")
    check_terminated(start)


def check_terminated(start: Start) -> None:
    """The server exited soon after SIGTERM, by itself or of the signal."""
    if start.exit is None:
        raise Mismatch("the server never exited")
    require(start.exit.value in (0, -signal.SIGTERM, 128 + signal.SIGTERM), f"its exit status: {start.exit.value}")
    seconds = start.exit.time - start.signals[0].time
    require(seconds <= EXIT_SECONDS, f"the server exited {seconds:.2f} s after SIGTERM")


def probes_in_a_process_of_its_own(run: Run) -> None:
    equal("starts of the server", len(run.starts), 2)
    probe = run.starts[0]
    equal("requests of the probe", [message.method for message in probe.sent("client")], ["server/discover"])
    first("probe", probe.exchanges("server/discover"))
    equal("signals to the probed server", [mark.value for mark in probe.signals], [signal.SIGTERM])
    check_terminated(probe)


def dies_of_the_probe(run: Run) -> None:
    equal("starts of the server", len(run.starts), 2)
    probed = run.starts[0]
    sent = [message.method for message in probed.sent("client")]
    equal("the first message", sent[:1], ["server/discover"])
    require(set(sent[1:]) <= {"initialize"}, f"messages after the probe: {sent[1:]}")
    equal("answers to the probe", list(probed.sent("server")), [])
    equal("signals to the probed server", probed.signals, [])
    equal("exit status of the probed server", probed.exit and probed.exit.value, 1)
    methods = [message.method for message in run.conversation.sent("client")]
    equal("the first message of the second start", methods[:1], ["initialize"])


def sends_no_progress(run: Run) -> None:
    equal("progress on the tap", progress_on_wire(run), [])
    equal("progress reported", run.report("progress")["values"], [])


def dies_of_the_cancellation(run: Run) -> None:
    _, notice = cancellation(run)
    after = [message for message in run.conversation.sent("server") if message.position > notice.position]
    equal("messages of the server after the notice", after, [])
    equal("exit status of the server", run.conversation.exit and run.conversation.exit.value, 1)


def answers_the_cancelled_call(run: Run) -> None:
    call, _ = cancellation(run)
    check_cancel_seen(run)
    late = late_messages(run.conversation)
    equal("who sent what is late", [message.sender for message in late], ["server"])
    equal("the call it answers", late[0].id, call.request.id)
    equal("its error", late[0].error, {"code": 0, "message": "Request cancelled"})
    equal("outcome reported", run.report("cancel")["outcome"], "call.cancelled")


def goes_on_after_the_cancellation(run: Run) -> None:
    cancellation(run)
    late = late_messages(run.conversation)
    require(bool(late), "nothing came after the cancellation")
    equal("what came", {(message.sender, message.method) for message in late}, {("server", "notifications/progress")})
    equal("outcome reported", run.report("cancel")["outcome"], "call.cancelled")


def has_nothing_to_cancel(run: Run) -> None:
    tools = run.report("list")["tools"]
    equal("tools", sorted(tools), list(FILESYSTEM_TOOLS))
    equal("cancelled notices", run.conversation.notices("notifications/cancelled", "client"), [])


FILESYSTEM_TOOLS = (
    "create_directory",
    "directory_tree",
    "edit_file",
    "get_file_info",
    "list_allowed_directories",
    "list_directory",
    "list_directory_with_sizes",
    "move_file",
    "read_file",
    "read_media_file",
    "read_multiple_files",
    "read_text_file",
    "search_files",
    "write_file",
)

QUIRKS = (
    Quirk(
        "client",
        SDK_CLIENTS,
        "connect",
        "reports no revision; the tap alone tells it",
        "over stdio the SDK has no way to ask for the revision",
        reports_no_revision,
    ),
    Quirk(
        "client",
        ("mcp ", "npm ", "rmcp "),
        "close",
        "reports no exit status; the tap alone tells it",
        "the SDKs own the process and tell nothing about its end",
        reports_no_exit_status,
    ),
    Quirk(
        "client",
        ("npm sdk 1.12.0", "npm sdk 1.17.0"),
        "close",
        "sends SIGTERM and doesn't end the input; in the other run the program ends the input in its place",
        "closing its transport aborts the process",
        terminates_the_server,
        script=lambda _: {"echo": tools_script("sent")["echo"], "close": {"by": "sdk"}},
    ),
    Quirk(
        "client",
        NPM_CLIENTS,
        "progress",
        "may deliver only the first of the notices to the application; the tap has all",
        "notices are delivered a microtask later than a result that came in the same read, which removes their handler",
        delivers_first_progress_only,
    ),
    Quirk(
        "client",
        ("mcp 1.0.0", "mcp 1.30.0"),
        "cancel",
        "sends the notice by hand, and the call never returns",
        "cancelling the task sends nothing, and a cancelled request is rightly not answered",
        leaves_the_call_unanswered,
    ),
    Quirk(
        "client",
        ("npm client 2.4.0 auto",),
        "starts",
        "starts the server twice: the first is asked server/discover, then gets SIGTERM",
        "the probe runs in a process of its own; the second start begins in the era that it found",
        probes_in_a_process_of_its_own,
    ),
    Quirk(
        "server",
        ("mcp 1.0.0",),
        "starts",
        "dies of the probe with status 1 at its next input, and is started once more",
        "a method that it doesn't know ends its read loop",
        dies_of_the_probe,
    ),
    Quirk(
        "server",
        ("mcp 1.0.0",),
        "progress",
        "sends no progress",
        "its types drop `_meta`, so no tool sees a token",
        sends_no_progress,
    ),
    Quirk(
        "server",
        ("mcp 1.0.0",),
        "cancel",
        "dies of the notice with status 1",
        "it doesn't know the type of the notice, which ends its read loop",
        dies_of_the_cancellation,
        script=lambda _: {step: call for step, call in tools_script("sent").items() if step in ("echo", "cancel")},
    ),
    Quirk(
        "server",
        ("mcp 1.30.0",),
        "cancel",
        "answers the cancelled call with the error 0 `Request cancelled`",
        "it answers every request; for the client that is a late response",
        answers_the_cancelled_call,
    ),
    Quirk(
        "server",
        ("server-everything",),
        "cancel",
        "goes on with its progress notices, and sends no result",
        "the tool doesn't look at its abort signal",
        goes_on_after_the_cancellation,
    ),
    Quirk(
        "server",
        ("server-filesystem",),
        "progress",
        "sends no progress, also to a call with a token",
        "none of its tools reports progress",
        sends_no_progress,
    ),
    Quirk(
        "server",
        ("server-filesystem",),
        "cancel",
        "isn't asked: these are all of its tools",
        "none of its tools runs long enough to be cancelled",
        has_nothing_to_cancel,
    ),
)
