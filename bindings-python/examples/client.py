"""A stdio client that plays a script: `python client.py [--revision R] [--legacy] SCRIPT -- server command…`.

SCRIPT is JSON, or the name of a file of it: an object with the steps `echo`, `fail`, `progress` and `cancel`, each
`{"name": …, "arguments": {…}}`. `echo` may have `expect`, `cancel` may have `after` (`sent` or `first-progress`).
Each step prints one line of JSON; a step that does not go as it should ends with status 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mcp_sansio import CallError, Client, McpError, ToolResult

Step = dict[str, Any]


def say(step: str, **facts: object) -> None:
    """Prints one line."""
    print(json.dumps({"step": step, **facts}, ensure_ascii=False), flush=True)


async def echo(client: Client, step: Step, name: str) -> None:
    """Calls a tool that answers with its argument, and compares."""
    result = await client.call_tool(step["name"], step.get("arguments"))
    say(name, text=result.text)
    if "expect" in step and result.text != step["expect"]:
        raise SystemExit(f"{name}: expected {step['expect']!r}")


async def fail(client: Client, step: Step) -> None:
    """Calls a tool that fails."""
    try:
        result = await client.call_tool(step["name"], step.get("arguments"))
    except CallError as error:
        say("fail", error=error.code)
        return
    say("fail", isError=result.is_error)


async def progress(client: Client, step: Step) -> None:
    """Calls a tool that tells how far it is."""
    values: list[float] = []
    await client.call_tool(
        step["name"], step.get("arguments"), on_progress=lambda value, _total, _message: values.append(value)
    )
    say("progress", values=values)


async def cancel(client: Client, step: Step) -> None:
    """Calls a tool and takes the call back."""
    begun = asyncio.Event()

    async def call() -> ToolResult | CallError:
        try:
            return await client.call_tool(
                step["name"], step.get("arguments"), on_progress=lambda *_progress: begun.set()
            )
        except asyncio.CancelledError as cancelled:
            if isinstance(cancelled.__cause__, CallError):
                return cancelled.__cause__
            raise

    task = asyncio.create_task(call())
    if step.get("after") == "first-progress":
        await begun.wait()
    else:
        # The call goes out in this turn of the loop; its answer can't be here before the next.
        await asyncio.sleep(0)
    task.cancel()
    outcome = await task
    say("cancel", outcome=outcome.code if isinstance(outcome, CallError) else "result")


async def play(client: Client, script: dict[str, Step]) -> None:
    """Plays the steps that the script has."""
    say("connect", revision=client.revision)
    say("list", tools=[tool.name for tool in await client.list_tools()])
    if "echo" in script:
        await echo(client, script["echo"], "echo")
    if "fail" in script:
        await fail(client, script["fail"])
    if "progress" in script:
        await progress(client, script["progress"])
    if "cancel" in script:
        await cancel(client, script["cancel"])
        if "echo" in script:
            await echo(client, script["echo"], "after_cancel")


async def talk(client: Client, script: dict[str, Step]) -> None:
    """Connects, plays and closes."""
    async with client:
        await play(client, script)
    say("close", server_exit=client.exit_status)


def main() -> None:
    """Reads the arguments and runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--revision", help="speak this revision alone")
    parser.add_argument("--legacy", action="store_true", help="begin with the handshake, without a probe")
    parser.add_argument("script")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    text = options.script if options.script.lstrip().startswith("{") else Path(options.script).read_text("utf-8")
    revisions = None if options.revision is None else [options.revision]
    client = Client.stdio(options.command, name="example-python", revisions=revisions, probe=not options.legacy)
    try:
        asyncio.run(talk(client, json.loads(text)))
    except (McpError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
