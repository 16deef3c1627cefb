"""A stdio server with a few tools: `python server.py [--root FOLDER_OR_FILE]`.

`search` looks below the root, which is the argument, the environment's `SEARCH_ROOT` or the current folder.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from mcp_sansio import Context, Server, ToolError

LEAST_STEPS = 3
MOST_LINES = 50

server = Server("example-python", "0.1.0", title="Example", instructions="`search` finds text in files.")
root = Path()


@server.tool()
async def echo(text: str) -> str:
    """Answers with the text."""
    return text


@server.tool()
async def fail() -> str:
    """Fails, always."""
    raise ToolError("this tool fails")


@server.tool()
async def count(context: Context, n: int = LEAST_STEPS) -> str:
    """Counts to n, at least to three, and tells each step."""
    last = max(n, LEAST_STEPS)
    for step in range(1, last + 1):
        await context.progress(step, last, f"step {step}")
    return f"counted to {last}"


@server.tool()
async def wait(context: Context) -> str:
    """Waits until it is cancelled."""
    await context.progress(1)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("cancelled wait", file=sys.stderr, flush=True)
        raise
    return "never"


@server.tool()
def search(text: str, path: str = "") -> str:
    """Finds the lines that contain a text, in a file or a folder below the root."""
    top = root.resolve()
    place = (top / path).resolve()
    if not place.is_relative_to(top) or not place.exists():
        raise ToolError(f"there is no `{path}` here")
    files = [place] if place.is_file() else sorted(file for file in place.rglob("*") if file.is_file())
    found: list[str] = []
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        name = file.relative_to(top) if file != top else file.name
        found += [f"{name}:{number}: {line}" for number, line in enumerate(lines, 1) if text in line]
        if len(found) >= MOST_LINES:
            break
    return "\n".join(found[:MOST_LINES]) or f"no line contains `{text}`"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=os.environ.get("SEARCH_ROOT", "."))
    root = Path(parser.parse_args().root)
    server.run()
