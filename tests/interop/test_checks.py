"""The checks pass a right conversation and fail each wrong one at the step where it is wrong."""

import json
import tempfile
import unittest
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from cell import Outcome, arguments, plan, verify
from checks import Mismatch, Run
from features import ANSWERS, MESSAGE, Step, call, has, wait
from programs import (
    CELLS,
    LEGACY,
    MODERN,
    OUR_SERVERS,
    PEER_CLIENTS,
    TEXT,
    Cell,
    Client,
    cells,
    tools_script,
)
from transcript import PROTOCOL_VERSION, read_start

Record = dict[str, Any]
STEPS = ("list", "echo", "fail", "progress", "cancel", "after_cancel")


def client_named(name: str) -> Client:
    return next(client for client in PEER_CLIENTS if client.name == name)


class Conversation:
    """The records of a tap and the reports of a client, right until something is changed."""

    def __init__(self, client: str, more: tuple[Step, ...] = ()) -> None:
        server = replace(OUR_SERVERS[0], more=lambda _: more)
        self.cell = Cell(client_named(client), server, client_named(client).revision)
        self.modern = self.cell.revision == MODERN
        self.script = tools_script("sent")
        self.status = 0
        self.extra_starts = 0
        self.records: list[Record] = [{"kind": "start", "tap": 1}, {"kind": "pid", "pid": 2}]
        self.reports: list[Record] = [
            {"step": "connect", "revision": self.cell.revision},
            {"step": "list", "tools": ["echo", "fail", "count", "wait"]},
            {"step": "echo", "text": TEXT},
            {"step": "fail", "isError": True},
            {"step": "progress", "values": [1, 2, 3, 4, 5]},
            {"step": "cancel", "outcome": "call.cancelled"},
            {"step": "after_cancel", "text": TEXT},
            {"step": "close", "server_exit": None},
        ]
        if self.modern:
            self.request(0, "server/discover", {})
            self.answer(0, {"supportedVersions": [MODERN], "capabilities": {}})
        else:
            self.request(0, "initialize", {"protocolVersion": self.cell.revision})
            self.answer(0, {"protocolVersion": self.cell.revision, "capabilities": {}})
            self.say("client", {"method": "notifications/initialized"})
        self.request(1, "tools/list", {})
        self.answer(1, {"tools": [{"name": name} for name in ("echo", "fail", "count", "wait")]})
        self.call(2, "echo", {"text": TEXT})
        self.answer(2, {"content": [{"type": "text", "text": TEXT}]})
        self.call(3, "fail", {})
        self.answer(3, {"content": [], "isError": True})
        self.call(4, "count", {"n": 5})
        for value in range(1, 6):
            self.progress(4, value)
        self.answer(4, {"content": []})
        self.call(5, "wait", {})
        self.cancel(5)
        self.records.append({"kind": "stderr", "line": "cancelled wait"})
        self.call(6, "echo", {"text": TEXT})
        self.answer(6, {"content": [{"type": "text", "text": TEXT}]})
        self.records += [{"kind": "client_eof"}, {"kind": "exit", "status": 0}]
        for time, record in enumerate(self.records):
            record["t"] = time / 100

    def say(self, sender: str, body: Record) -> None:
        self.records.append({"kind": sender, "line": {"jsonrpc": "2.0", **body}})

    def request(self, request_id: int, method: str, params: Record) -> None:
        meta: Record = {"progressToken": request_id}
        if self.modern:
            meta[PROTOCOL_VERSION] = MODERN
        self.say("client", {"id": request_id, "method": method, "params": {**params, "_meta": meta}})

    def call(self, request_id: int, name: str, arguments: Record) -> None:
        self.request(request_id, "tools/call", {"name": name, "arguments": arguments})

    def answer(self, request_id: int, result: Record) -> None:
        self.say("server", {"id": request_id, "result": result})

    def progress(self, token: object, value: float) -> None:
        self.say("server", {"method": "notifications/progress", "params": {"progressToken": token, "progress": value}})

    def cancel(self, request_id: int) -> None:
        self.say("client", {"method": "notifications/cancelled", "params": {"requestId": request_id}})

    def find(self, kind: str, **members: object) -> int:
        """The place of the first record of a kind whose message has these members."""
        return next(
            place
            for place, record in enumerate(self.records)
            if record["kind"] == kind and members.items() <= (record["line"] if members else {}).items()
        )

    def body(self, kind: str, **members: object) -> Record:
        body: Record = self.records[self.find(kind, **members)]["line"]
        return body

    def insert(self, place: int, kind: str, body: Record) -> None:
        time = self.records[place]["t"]
        self.records.insert(place, {"kind": kind, "line": {"jsonrpc": "2.0", **body}, "t": time})

    def move(self, place: int, to: int) -> None:
        record = self.records.pop(place)
        self.records.insert(to, record | {"t": self.records[to]["t"]})

    def failed_steps(self) -> set[str]:
        """The steps whose checks fail."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "start.jsonl"
            path.write_text("\n".join(json.dumps(self.as_text(record)) for record in self.records), encoding="utf-8")
            start = read_start(path)
        run = Run(self.cell, self.script, self.reports, self.status, [start] * (1 + self.extra_starts))
        outcome = Outcome(self.cell)
        verify(outcome, run, plan(self.cell, self.script))
        return {mismatch.split(":")[0] for mismatch in outcome.mismatches}

    @staticmethod
    def as_text(record: Record) -> Record:
        line = record.get("line")
        return record if line is None or isinstance(line, str) else record | {"line": json.dumps(line)}


Change = Callable[[Conversation], object]

WRONG: list[tuple[str, set[str], Change]] = [
    (
        "another revision",
        {"revision", "connect"},
        lambda c: c.body("server", id=0)["result"].update(protocolVersion=LEGACY[0]),
    ),
    (
        "no initialized notice",
        {"revision", "connect"},
        lambda c: c.records.pop(c.find("client", method="notifications/initialized")),
    ),
    (
        "a modern request",
        {"revision", "connect"},
        lambda c: c.body("client", id=2)["params"]["_meta"].update({PROTOCOL_VERSION: MODERN}),
    ),
    ("another revision reported", {"connect"}, lambda c: c.reports[0].update(revision=LEGACY[0])),
    ("another first message", {"probe"}, lambda c: c.insert(2, "client", {"method": "server/discover"})),
    ("a second start", {"starts"}, lambda c: setattr(c, "extra_starts", 1)),
    ("a tool not listed", {"list"}, lambda c: c.body("server", id=1)["result"]["tools"].pop()),
    ("a tool not reported", {"list"}, lambda c: c.reports[1]["tools"].pop()),
    ("another text", {"echo"}, lambda c: c.body("server", id=2)["result"].update(content=[{"text": "hee"}])),
    ("another text reported", {"echo"}, lambda c: c.reports[2].update(text="hee")),
    ("another argument", {"echo"}, lambda c: c.body("client", id=2)["params"]["arguments"].update(text="hee")),
    ("no failure", {"fail"}, lambda c: c.body("server", id=3)["result"].pop("isError")),
    ("no failure reported", {"fail"}, lambda c: c.reports[3].update(isError=False)),
    ("no token", {"progress", "wire"}, lambda c: c.body("client", id=4)["params"].pop("_meta")),
    (
        "a token of another type",
        {"progress", "wire"},
        lambda c: c.body("server", method="notifications/progress")["params"].update(progressToken="4"),
    ),
    (
        "equal progress",
        {"progress"},
        lambda c: c.body("server", method="notifications/progress")["params"].update(progress=2),
    ),
    ("progress not reported", {"progress"}, lambda c: c.reports[4]["values"].pop()),
    (
        "the result before its progress",
        {"progress", "wire"},
        lambda c: c.move(c.find("server", id=4), c.find("server", method="notifications/progress")),
    ),
    (
        "no cancelled notice",
        {"cancel", "after_cancel", "wire"},
        lambda c: c.records.pop(c.find("client", method="notifications/cancelled")),
    ),
    (
        "two cancelled notices",
        {"cancel", "after_cancel"},
        lambda c: c.insert(
            c.find("client", id=6), "client", {"method": "notifications/cancelled", "params": {"requestId": 5}}
        ),
    ),
    (
        "a notice for another id",
        {"cancel", "after_cancel", "wire"},
        lambda c: c.body("client", method="notifications/cancelled")["params"].update(requestId="5"),
    ),
    (
        "an answer to the cancelled call",
        {"cancel"},
        lambda c: c.insert(c.find("client", id=6), "server", {"id": 5, "result": {}}),
    ),
    (
        "an error for the cancelled call",
        {"cancel"},
        lambda c: c.insert(c.find("client", id=6), "server", {"id": 5, "error": {"code": 0}}),
    ),
    (
        "progress of the cancelled call",
        {"cancel"},
        lambda c: c.insert(
            c.find("client", id=6),
            "server",
            {"method": "notifications/progress", "params": {"progressToken": 5, "progress": 1}},
        ),
    ),
    ("a handler that saw nothing", {"cancel"}, lambda c: c.records.pop(c.find("stderr"))),
    ("a handler cancelled before", {"cancel"}, lambda c: c.move(c.find("stderr"), c.find("client", id=5))),
    (
        "a handler cancelled by the end",
        {"cancel"},
        lambda c: c.records[c.find("stderr")].update(t=c.records[-1]["t"] + 1),
    ),
    ("another outcome", {"cancel"}, lambda c: c.reports[5].update(outcome="call.timeout")),
    (
        "another text after the cancellation",
        {"after_cancel"},
        lambda c: c.body("server", id=6)["result"].update(content=[]),
    ),
    ("no call after the cancellation", {"after_cancel", "wire"}, lambda c: c.records.pop(c.find("client", id=6))),
    ("no end of input", {"close"}, lambda c: c.records.pop(c.find("client_eof"))),
    ("a signal", {"close"}, lambda c: c.records.insert(c.find("exit"), {"kind": "signal", "number": 15, "t": 1})),
    ("an exit status", {"close"}, lambda c: c.records[-1].update(status=1)),
    ("a late exit", {"close"}, lambda c: c.records[-1].update(t=c.records[-1]["t"] + 1.6)),
    ("no exit", {"close"}, lambda c: c.records.pop()),
    ("the client failed", {"steps"}, lambda c: setattr(c, "status", 1)),
    ("a step left out", {"steps", "fail"}, lambda c: c.reports.pop(3)),
    ("steps in another order", {"steps"}, lambda c: c.reports.insert(2, c.reports.pop(3))),
    ("a log line on stdout", {"wire"}, lambda c: c.records.insert(4, {"kind": "server", "line": "hello", "t": 0})),
    (
        "a line cut off",
        {"wire"},
        lambda c: c.records.insert(-1, {"kind": "server", "line": "{}", "unfinished": True, "t": 0}),
    ),
    ("two answers", {"wire"}, lambda c: c.insert(c.find("client", id=3), "server", {"id": 2, "result": {}})),
    (
        "an error to a call",
        {"fail", "wire"},
        lambda c: c.records[c.find("server", id=3)].update(
            line={"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": ""}}
        ),
    ),
    (
        "a request not answered",
        {"wire"},
        lambda c: c.insert(c.find("client_eof"), "client", {"id": 9, "method": "ping"}),
    ),
    (
        "a request of the server not answered",
        {"wire"},
        lambda c: c.insert(c.find("client_eof"), "server", {"id": 9, "method": "ping"}),
    ),
    ("an id in use", {"wire"}, lambda c: c.insert(c.find("server", id=2), "client", {"id": 2, "method": "ping"})),
]

WRONG_MODERN: list[tuple[str, set[str], Change]] = [
    (
        "modern requests after a failed probe",
        {"revision", "connect"},
        lambda c: c.records[c.find("server", id=0)].update(line={"jsonrpc": "2.0", "id": 0, "error": {"code": -32601}}),
    ),
    (
        "modern requests without a probe",
        {"probe", "revision", "connect"},
        lambda c: (c.records.pop(c.find("client", id=0)), c.records.pop(c.find("server", id=0))),
    ),
    (
        "a revision that was not offered",
        {"revision", "connect"},
        lambda c: c.body("server", id=0)["result"].update(supportedVersions=[LEGACY[3]]),
    ),
    (
        "a request that names no revision",
        {"revision", "connect"},
        lambda c: c.body("client", id=2)["params"]["_meta"].pop(PROTOCOL_VERSION),
    ),
]


MORE = (
    call("prompts/list", {}, {"prompts": [{"name": "greet"}]}) | {"asks": "roots/list"},
    wait(MESSAGE, data="loud"),
)
PROMPTS: Record = {"prompts": [{"name": "other"}, {"name": "greet"}]}
LOUD: Record = {"level": "warning", "data": "loud"}


class MoreConversation(Conversation):
    """A conversation with steps beyond the tools."""

    def __init__(self) -> None:
        super().__init__("mcp 2.3.0 legacy", MORE)
        close, end = self.reports.pop(), self.records[-2:]
        del self.records[-2:]
        self.reports += [{"step": "more", "result": result} for result in (PROMPTS, LOUD)]
        self.reports += [{"step": "asked", "methods": ["roots/list"]}, close]
        self.request(20, "prompts/list", {})
        self.answer(20, PROMPTS)
        self.say("server", {"method": MESSAGE, "params": dict(LOUD)})
        self.say("server", {"id": "q", "method": "roots/list", "params": {}})
        self.say("client", {"id": "q", "result": ANSWERS["roots/list"]})
        self.records += end
        for time, record in enumerate(self.records):
            record["t"] = time / 100


class More(unittest.TestCase):
    """The steps beyond the tools."""

    def test_the_right_conversation_passes(self) -> None:
        self.assertEqual(MoreConversation().failed_steps(), set())

    def test_each_wrong_conversation_fails(self) -> None:
        def change(act: Callable[[MoreConversation], object]) -> set[str]:
            conversation = MoreConversation()
            act(conversation)
            return conversation.failed_steps()

        def quiet(conversation: MoreConversation) -> None:
            conversation.body("server", method=MESSAGE)["params"]["data"] = "quiet"

        wrong: dict[str, Callable[[MoreConversation], object]] = {
            "a result without what it must have": lambda it: it.reports[7].update(result={"prompts": []}),
            "a result that was not on the wire": lambda it: it.body("server", id=20).update(result={"prompts": []}),
            "another notice": lambda it: it.reports[8].update(result={"data": "quiet"}),
            "a notice that was not on the wire": quiet,
            "a step that was left out": lambda it: it.reports.pop(8),
            "a question that was not asked": lambda it: it.reports[9].update(methods=[]),
        }
        for what, act in wrong.items():
            with self.subTest(what):
                self.assertIn("more", change(act))

    def test_what_a_value_has(self) -> None:
        self.assertTrue(has({"a": [{"b": 1, "c": 2}, 3], "d": 4}, {"a": [3, {"b": 1}]}))
        self.assertFalse(has({"a": [{"b": 1}]}, {"a": [{"b": 2}]}))
        self.assertFalse(has({"a": "text"}, {"a": ["t"]}))
        self.assertFalse(has({}, {"a": None}))


class Checks(unittest.TestCase):
    def test_a_right_conversation_passes(self) -> None:
        for client in ("rmcp 3.11 Initialize", "rmcp 3.11 Discover"):
            self.assertEqual(Conversation(client).failed_steps(), set(), client)

    def test_each_wrong_conversation_fails_where_it_is_wrong(self) -> None:
        for client, changes in (("rmcp 3.11 Initialize", WRONG), ("rmcp 3.11 Discover", WRONG_MODERN)):
            for name, steps, change in changes:
                with self.subTest(name):
                    conversation = Conversation(client)
                    change(conversation)
                    self.assertEqual(conversation.failed_steps(), steps)

    def test_a_peer_that_can_do_more_than_the_table_says_fails(self) -> None:
        for client, steps in (
            ("npm sdk 1.32.2", {"connect"}),
            ("mcp 1.30.0", {"cancel"}),
            ("npm client 2.4.0 auto", {"starts"}),
        ):
            with self.subTest(client):
                self.assertEqual(Conversation(client).failed_steps(), steps)


class Table(unittest.TestCase):
    def test_the_matrix_is_whole(self) -> None:
        table = cells()
        self.assertEqual(len({cell.name for cell in table}), CELLS)
        by_server = Counter((cell.server.name, cell.revision) for cell in table if cell.server.ours)
        clients = {"2024-11-05": 1, "2025-03-26": 1, "2025-06-18": 1, "2025-11-25": 5, MODERN: 3}
        wanted = {(server.name, revision): count for server in OUR_SERVERS for revision, count in clients.items()}
        self.assertEqual(by_server, wanted)
        by_client = Counter((cell.client.name, cell.revision) for cell in table if cell.client.ours)
        servers = {"2024-11-05": 2, "2025-03-26": 1, "2025-06-18": 1, "2025-11-25": 3, MODERN: 3}
        names = ("Rust", "Python", "Node")
        self.assertEqual(by_client, {(name, revision): count for name in names for revision, count in servers.items()})

    def test_a_program_that_is_not_there_is_a_mismatch(self) -> None:
        for command in ((Path("/nowhere/client"),), ("no-such-program",), ("python3", Path("/nowhere/client.py"))):
            with self.assertRaisesRegex(Mismatch, "missing"):
                arguments(command)


if __name__ == "__main__":
    unittest.main()
