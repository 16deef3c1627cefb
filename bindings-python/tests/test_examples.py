"""The example client against the example server, in every revision."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from io_tools import PYTHON

EXAMPLES = Path(__file__).parents[1] / "examples"
UNICODE = "héé 漢 🦀"
SCRIPT = {
    "echo": {"name": "echo", "arguments": {"text": UNICODE}, "expect": UNICODE},
    "fail": {"name": "fail", "arguments": {}},
    "progress": {"name": "count", "arguments": {"n": 4}},
    "cancel": {"name": "wait", "arguments": {}, "after": "first-progress"},
}


def play(*options: str, script: Any = SCRIPT) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [
        PYTHON,
        EXAMPLES / "client.py",
        *options,
        json.dumps(script),
        "--",
        PYTHON,
        EXAMPLES / "server.py",
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("options", "revision"),
    [
        ([], "2026-07-28"),
        (["--legacy"], "2025-11-25"),
        *(
            (["--revision", name], name)
            for name in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
        ),
    ],
)
def test_a_conversation(options: list[str], revision: str) -> None:
    ended = play(*options)
    assert (ended.returncode, ended.stderr) == (0, "cancelled wait\n")
    assert [json.loads(text) for text in ended.stdout.splitlines()] == [
        {"step": "connect", "revision": revision},
        {"step": "list", "tools": ["echo", "fail", "count", "wait", "search"]},
        {"step": "echo", "text": UNICODE},
        {"step": "fail", "isError": True},
        {"step": "progress", "values": [1, 2, 3, 4]},
        {"step": "cancel", "outcome": "call.cancelled"},
        {"step": "after_cancel", "text": UNICODE},
        {"step": "close", "server_exit": 0},
    ]


def test_a_call_that_is_cancelled_as_soon_as_it_is_sent() -> None:
    ended = play(script={"cancel": {"name": "wait", "arguments": {}, "after": "sent"}})
    assert ended.returncode == 0
    assert {"step": "cancel", "outcome": "call.cancelled"} in map(json.loads, ended.stdout.splitlines())


def test_an_answer_that_is_another_fails_the_run() -> None:
    ended = play(script={"echo": {**SCRIPT["echo"], "expect": "else"}})
    assert ended.returncode == 1
    assert "expected 'else'" in ended.stderr


def test_search_reads_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    script = {"echo": {"name": "search", "arguments": {"text": "needle"}}}

    def found() -> str:
        command: list[str | Path] = [PYTHON, EXAMPLES / "client.py", json.dumps(script), "--"]
        command += [PYTHON, EXAMPLES / "server.py", "--root", tmp_path]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        text: str = json.loads(ended.stdout.splitlines()[2])["text"]
        return text

    file.write_text("hay\na needle\n")
    assert found() == "notes.txt:2: a needle"
    file.write_text("hay\n")
    assert found() == "no line contains `needle`"
