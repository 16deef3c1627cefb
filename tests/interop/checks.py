"""What must be seen in a cell: one check a step, on what the tap kept and on what the client reported.

A check returns nothing or raises `Mismatch`. A step that a peer can't do has another check, in `quirks.py`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from features import MESSAGE, Step, has
from programs import Cell, Script
from transcript import Exchange, Message, Start

EXIT_SECONDS = 1.5
"""The longest that a server may take from the end of its input to its exit."""
DRAIN_SECONDS = 1.0
"""Our servers let what runs at the end of their input go on for longer than this."""
LEAST_PROGRESS = 3
"""The fewest notices that a call with progress must give."""
CANCELLED = "call.cancelled"


class Mismatch(Exception):
    """Something other than what must be seen."""


@dataclass(frozen=True)
class Run:
    """One run of a client through a script."""

    cell: Cell
    script: Script
    reports: list[dict[str, Any]]
    client_status: int
    starts: list[Start]

    @property
    def conversation(self) -> Start:
        """The start that the steps went to: the last one."""
        if not self.starts:
            raise Mismatch("the server was never started")
        return self.starts[-1]

    def report(self, step: str) -> dict[str, Any]:
        """What the client printed for a step."""
        for report in self.reports:
            if report.get("step") == step:
                return report
        raise Mismatch(f"step {step} not reported")

    def calls(self, step: str) -> list[Exchange]:
        """The calls on the wire that have the tool and the arguments of a step."""
        wanted = self.script[step]
        return [
            exchange
            for exchange in self.conversation.exchanges("tools/call")
            if exchange.request.params.get("name") == wanted["name"]
            and (exchange.request.params.get("arguments") or {}) == wanted["arguments"]
        ]


Check = Callable[[Run], None]


def require(condition: bool, message: str) -> None:
    """Raise `Mismatch` unless the condition holds."""
    if not condition:
        raise Mismatch(message)


def equal(what: str, seen: object, wanted: object) -> None:
    """Raise `Mismatch` unless both are equal."""
    require(seen == wanted, f"{what}: {seen!r}, not {wanted!r}")


def first(step: str, exchanges: list[Exchange]) -> tuple[Exchange, Message]:
    """The first exchange and its response."""
    require(bool(exchanges), f"no request of step {step} on the tap")
    response = exchanges[0].response
    if response is None:
        raise Mismatch(f"no response to step {step}: {exchanges[0].request}")
    return exchanges[0], response


def text_of(result: dict[str, Any]) -> str:
    """The text of the result of a tool."""
    return "".join(item.get("text", "") for item in result.get("content", []))


def check_steps(run: Run) -> None:
    """The client went through all steps of the script, in order, and exited with 0."""
    expected = ["connect", "list"]
    expected += [step for step in ("echo", "fail", "progress", "cancel") if step in run.script]
    expected += ["after_cancel"] if "cancel" in run.script else []
    expected += ["more"] * len(run.cell.more) + (["asked"] if run.cell.more else [])
    equal("steps reported", [report["step"] for report in run.reports], [*expected, "close"])
    equal("exit status of the client", run.client_status, 0)


def check_starts(run: Run) -> None:
    """The client started the server once."""
    equal("starts of the server", len(run.starts), 1)


def check_probe(run: Run) -> None:
    """The first message is a probe, if the client is one that probes."""
    if not run.starts:
        raise Mismatch("the server was never started")
    methods = [message.method for message in run.starts[0].sent("client")]
    equal("whether it began with server/discover", methods[:1] == ["server/discover"], run.cell.client.probes)


def revision_on_wire(run: Run) -> str:
    """The revision that the conversation has: from the answer to `initialize`, or from each modern request."""
    discovered = [
        version
        for start in run.starts
        for exchange in start.exchanges("server/discover")
        if exchange.response
        for version in exchange.response.result.get("supportedVersions", [])
    ]
    requests = [message for message in run.conversation.sent("client") if message.is_request]
    modern = {request.modern_revision for request in requests if request.method != "server/discover"}
    handshakes = run.conversation.exchanges("initialize")
    if handshakes:
        _, response = first("connect", handshakes)
        equal("revisions of requests beside an initialize", modern, {None})
        equal("initialize requests", len(handshakes), 1)
        equal("initialized notices", len(run.conversation.notices("notifications/initialized", "client")), 1)
        return str(response.result.get("protocolVersion"))
    require(len(modern) == 1 and None not in modern, f"requests without initialize name the revisions {modern}")
    (revision,) = modern
    require(revision in discovered, f"modern requests of {revision}, but server/discover gave {discovered}")
    return str(revision)


def check_revision(run: Run) -> None:
    """The revision on the wire is that of the table."""
    equal("revision on the tap", revision_on_wire(run), run.cell.revision)


def check_connect(run: Run) -> None:
    """The client knows the revision that is on the wire."""
    equal("revision reported", run.report("connect")["revision"], revision_on_wire(run))


def check_list(run: Run) -> None:
    """All tools of the script are listed, and the client got all that were sent."""
    pages = run.conversation.exchanges("tools/list")
    first("list", pages)
    listed = [tool["name"] for page in pages if page.response for tool in page.response.result.get("tools", [])]
    equal("tools reported", run.report("list")["tools"], listed)
    missing = {step["name"] for step in run.script.values()} - set(listed)
    require(not missing, f"tools not listed: {sorted(missing)}")


def check_echo(run: Run) -> None:
    """The text came back as it was sent, on the wire and to the client."""
    call, response = first("echo", run.calls("echo"))
    expected = run.script["echo"]["expect"]
    equal("the first call of a tool", run.conversation.exchanges("tools/call")[0].request.id, call.request.id)
    require(not response.result.get("isError"), f"the echo failed: {response}")
    equal("text on the tap", text_of(response.result), expected)
    equal("text reported", run.report("echo")["text"], expected)


def check_fail(run: Run) -> None:
    """The failing tool gave a result with `isError`."""
    _, response = first("fail", run.calls("fail"))
    equal("isError on the tap", response.result.get("isError"), True)
    equal("isError reported", run.report("fail")["isError"], True)


def progress_on_wire(run: Run) -> list[float]:
    """The values with the token of the progress step, which must rise and come before its result."""
    call, response = first("progress", run.calls("progress"))
    token = call.request.progress_token
    require(token is not None, f"no progress token: {call.request}")
    require(response.error is None, f"the call with progress failed: {response}")
    notices = [
        notice
        for notice in run.conversation.notices("notifications/progress", "server")
        if notice.progress_token == token and notice.position > call.request.position
    ]
    require(all(notice.position < response.position for notice in notices), "progress after the result")
    values = [notice.params["progress"] for notice in notices]
    require(all(a < b for a, b in pairwise(values)), f"progress doesn't rise: {values}")
    return values


def check_progress(run: Run) -> None:
    """At least three notices with the call's token came in order before its result, and the client got them."""
    values = progress_on_wire(run)
    require(len(values) >= LEAST_PROGRESS, f"progress notices on the tap: {values}")
    equal("progress reported", run.report("progress")["values"], values)


def cancellation(run: Run) -> tuple[Exchange, Message]:
    """The cancelled call and its notice, the only one."""
    streams = [listen.request.id for listen in run.conversation.exchanges("subscriptions/listen")]
    notices = [
        notice
        for notice in run.conversation.notices("notifications/cancelled", "client")
        if json.dumps(notice.params.get("requestId")) not in streams
    ]
    equal("cancelled notices of calls", len(notices), 1)
    for call in run.calls("cancel"):
        if json.dumps(notices[0].params.get("requestId")) == call.request.id:
            require(call.request.position < notices[0].position, "a call cancelled before it was made")
            return call, notices[0]
    raise Mismatch(f"the notice names no call of the step: {notices[0]}")


def late_messages(start: Start) -> list[Message]:
    """What was sent for a call after the notice that cancelled it, by either side."""
    late: list[Message] = []
    for notice in start.notices("notifications/cancelled", "client"):
        request_id = json.dumps(notice.params.get("requestId"))
        requests = [message for message in start.sent("client") if message.is_request and message.id == request_id]
        tokens = {request.progress_token for request in requests} - {None}
        late += [
            message
            for message in start.messages
            if message.position > notice.position
            and (
                (message.id == request_id and (message.is_request == (message.sender == "client")))
                or (message.method == "notifications/progress" and message.progress_token in tokens)
                or (message.sender == "client" and json.dumps(message.params.get("requestId")) == request_id)
            )
        ]
    return late


def check_cancel_seen(run: Run) -> None:
    """The handler saw the cancellation, and not the end of the input."""
    _, notice = cancellation(run)
    seen = [mark for mark in run.conversation.stderr if "cancelled wait" in mark.value]
    equal("lines 'cancelled wait' on the server's stderr", len(seen), 1)
    end = run.conversation.end_of_input
    require(notice.position < seen[0].position, "the handler ended before its call was cancelled")
    by_itself = end is None or seen[0].time < end.time + DRAIN_SECONDS
    require(by_itself, "the handler was cancelled by the end of input")


def check_cancel(run: Run) -> None:
    """The notice is on the tap, the handler saw it, and nothing more comes for that call."""
    check_cancel_seen(run)
    equal("messages for the cancelled call", [str(message) for message in late_messages(run.conversation)], [])
    equal("outcome reported", run.report("cancel")["outcome"], CANCELLED)


def check_after_cancel(run: Run) -> None:
    """The next call works."""
    _, notice = cancellation(run)
    later = [call for call in run.calls("echo") if call.request.position > notice.position]
    _, response = first("after_cancel", later)
    equal("text on the tap", text_of(response.result), run.script["echo"]["expect"])
    equal("text reported", run.report("after_cancel")["text"], run.script["echo"]["expect"])


def check_exit(run: Run) -> None:
    """The server exits by itself with 0 soon after the end of its input."""
    end, end_of_process = run.conversation.end_of_input, run.conversation.exit
    if end is None:
        raise Mismatch("the input of the server never ended")
    if end_of_process is None:
        raise Mismatch("the server never exited")
    require(not run.conversation.signals, f"signals to the server: {run.conversation.signals}")
    equal("exit status of the server", end_of_process.value, 0)
    seconds = end_of_process.time - end.time
    require(seconds <= EXIT_SECONDS, f"the server exited {seconds:.2f} s after the end of its input")


def check_close(run: Run) -> None:
    """The server exits, and the client knows with which status."""
    check_exit(run)
    equal("exit status reported", run.report("close")["server_exit"], 0)


def check_wire(run: Run) -> None:
    """Every line is a message, every request has one response, and no error was sent but to a probe."""
    for start in run.starts:
        require(not start.malformed, f"not a message: {start.malformed}")
    late = late_messages(run.conversation)
    wrong = [step["params"] for step in run.cell.more if "error" in step["expect"]]
    unanswered: dict[tuple[str, str | None], Message] = {}
    for message in run.conversation.messages:
        other = "server" if message.sender == "client" else "client"
        if message in late:
            continue
        if message.is_request:
            require((message.sender, message.id) not in unanswered, f"an id in use: {message}")
            unanswered[message.sender, message.id] = message
        elif message.is_response:
            request = unanswered.pop((other, message.id), None)
            if request is None:
                raise Mismatch(f"a response to no request: {message}")
            may_fail = request.method == "server/discover" or any(has(request.params, params) for params in wrong)
            require(message.error is None or may_fail, f"an error: {message}")
        elif message.method == "notifications/progress":
            tokens = {request.progress_token for (sender, _), request in unanswered.items() if sender == other}
            require(message.progress_token in tokens, f"progress of no call: {message}")
        elif message.method == "notifications/cancelled":
            unanswered.pop((message.sender, json.dumps(message.params.get("requestId"))), None)
    require(not unanswered, f"requests without a response: {[str(request) for request in unanswered.values()]}")


def results_on_wire(run: Run, method: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of the calls that ask for this, with those of their retries."""
    return [
        exchange.response.result
        for exchange in run.conversation.exchanges(method)
        if exchange.response and has(exchange.request.params, params)
    ]


def check_more_step(run: Run, step: Step, seen: dict[str, Any]) -> None:
    """What came of a step is what was on the wire, and has what it must."""
    what = step.get("call") or step.get("wait") or "subscribe"
    if "error" in step["expect"]:
        # What it is called is another's own affair.
        require("error" in seen, f"{what}: {seen!r}, which is no error")
        calls = run.conversation.exchanges(step["call"])
        codes = [one.response.error["code"] for one in calls if one.response and one.response.error]
        require(step["expect"]["error"] in codes, f"{what}: errors on the tap: {codes}")
        return
    require(has(seen, step["expect"]), f"{what} {step.get('params', '')}: {seen!r}, not {step['expect']!r}")
    if "call" in step:
        on_wire: list[Any] = results_on_wire(run, step["call"], step["params"])
    elif "wait" in step:
        on_wire = [notice.params for notice in run.conversation.notices(step["wait"], "server")]
    else:
        methods = ("resources/subscribe", "subscriptions/listen")
        asked = [exchange for method in methods for exchange in run.conversation.exchanges(method)]
        uris = [uri for uri in step["subscribe"] if any(uri in json.dumps(one.request.params) for one in asked)]
        equal("URIs subscribed to", uris, step["subscribe"])
        return
    # A client of another may leave something out of what it hands on.
    kept = seen in on_wire if run.cell.client.ours else any(has(one, step["expect"]) for one in on_wire)
    require(kept, f"{what}: {seen!r} was not on the tap")


def questions_on_wire(run: Run) -> set[str]:
    """The methods of what the server asked, in requests of its own or in results."""
    requests = {message.method or "" for message in run.conversation.sent("server") if message.is_request}
    results = (message.result.get("inputRequests", {}) for message in run.conversation.sent("server"))
    return requests | {question["method"] for questions in results for question in questions.values()}


def check_more(run: Run) -> None:
    """Each step did what it must, and every kind of question was asked and answered; no log came unasked."""
    reports = [report["result"] for report in run.reports if report["step"] == "more"]
    equal("steps reported", len(reports), len(run.cell.more))
    for step, seen in zip(run.cell.more, reports, strict=True):
        check_more_step(run, step, seen)
    asked = set(run.report("asked")["methods"])
    equal("questions reported", asked, questions_on_wire(run))
    equal("questions answered", asked, {step["asks"] for step in run.cell.more if "asks" in step})
    logged = [notice.params.get("data") for notice in run.conversation.notices(MESSAGE, "server")]
    require("quiet" not in logged, "a log notice below the level")


CHECKS: dict[str, Check] = {
    "steps": check_steps,
    "starts": check_starts,
    "probe": check_probe,
    "revision": check_revision,
    "connect": check_connect,
    "list": check_list,
    "echo": check_echo,
    "fail": check_fail,
    "progress": check_progress,
    "cancel": check_cancel,
    "after_cancel": check_after_cancel,
    "more": check_more,
    "close": check_close,
    "wire": check_wire,
}
"""The steps of every cell."""
