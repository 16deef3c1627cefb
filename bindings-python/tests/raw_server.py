"""Servers made of raw lines that behave badly, each in one way: `raw_server.py HABIT`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

NOISE = 20_000
"""Lines of standard error: more than any pipe holds."""


def answer(request: dict[str, Any], **outcome: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **outcome}), flush=True)


def initialized(request: dict[str, Any]) -> None:
    revision = request["params"]["protocolVersion"]
    described = {"name": "raw", "version": "1"}
    answer(
        request,
        result={"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": described},
    )


def pages(request: dict[str, Any], *, endless: bool) -> None:
    number = int(request.get("params", {}).get("cursor", "0"))
    tools = [{"name": f"tool{number}", "inputSchema": {"type": "object"}, "later": True}]
    follow = {"nextCursor": str((number + 1) % 3)} if endless or number < 2 else {}
    answer(request, result={"tools": tools} | follow)


def serve(habit: str) -> None:
    for text in sys.stdin:
        request = json.loads(text)
        match habit, request.get("method"):
            case "dies-of-the-unknown", method if method not in {
                "initialize",
                "notifications/initialized",
                "tools/list",
            }:
                sys.exit(1)
            case "refuses", "initialize":
                answer(request, error={"code": -32602, "message": "not today"})
            case _, "initialize":
                initialized(request)
            case "circles", "tools/list":
                pages(request, endless=True)
            case "lists-nonsense", "tools/list":
                answer(request, result={"tools": [{"title": 1}]})
            case _, "tools/list":
                pages(request, endless=False)
            case "noisy", "tools/call":
                for number in range(NOISE):
                    print(f"line {number} é", file=sys.stderr)
                sys.stderr.write("no newline at the end")
                sys.stderr.flush()
                answer(request, result={"content": []})
            case "stray", "tools/call":
                print("a log line on standard output", flush=True)
                answer(request, result={"content": [{"type": "text", "text": "after it"}]})
            case "crashes", "tools/call":
                os.kill(os.getpid(), signal.SIGKILL)
            case "leaves-a-child", "tools/call":
                subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
                answer(request, result={"content": []})
            case _, "server/discover":
                answer(request, error={"code": -32601, "message": "unknown"})


def main() -> None:
    habit = sys.argv[1]
    if habit == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve(habit)
    if habit in {"stays", "stays-until-asked"}:
        while True:
            signal.pause()


if __name__ == "__main__":
    main()
