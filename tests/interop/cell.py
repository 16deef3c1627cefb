"""Run one cell: the client's process, with the tap as the command of its server."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from checks import CHECKS, EXIT_SECONDS, Check, Mismatch, Run
from features import ANSWERS, CAPABILITIES
from programs import GATE, TARGET, Cell, Command, Script, tap_command
from quirks import QUIRKS
from transcript import Start, read_starts

SECONDS = 60
"""The longest that a client may take; the slowest probe takes ten."""
TAP_SECONDS = 1
"""The time that a tap may need beside its server."""
REMEDY = "`run.py setup` installs the peers, `make interop` builds ours too"
OUTPUT = TARGET / "interop"


@dataclass
class Outcome:
    """What came of a cell."""

    cell: Cell
    seconds: float = 0.0
    mismatches: list[str] = field(default_factory=list)
    peer_faults: list[str] = field(default_factory=list)
    """Messages of the peer that don't fit the schemas."""
    folder: Path = OUTPUT

    @property
    def passed(self) -> bool:
        """Whether everything was seen."""
        return not self.mismatches


def plan(cell: Cell, script: Script) -> list[tuple[str, Check]]:
    """The checks of a cell's first run: those of every step, or of the rows that the table has for it."""
    quirks = [quirk for quirk in QUIRKS if quirk.concerns(cell)]
    checks: list[tuple[str, Check]] = []
    for step, check in CHECKS.items():
        rows = [quirk for quirk in quirks if quirk.step == step]
        if rows:
            checks += [(step, quirk.check) for quirk in rows if quirk.script is None]
        elif step == "more":
            checks += [(step, check)] if cell.more else []
        elif step != "after_cancel" or "cancel" in script:
            checks.append((step, check))
    return checks


async def run_cell(cell: Cell) -> Outcome:
    """Run a cell and everything that must be seen in it."""
    outcome = Outcome(cell, folder=OUTPUT / cell.name.replace(" > ", "--").replace(" ", "-"))
    began = time.monotonic()
    shutil.rmtree(outcome.folder, ignore_errors=True)
    try:
        folder = outcome.folder / "run"
        folder.mkdir(parents=True)
        script = cell.server.script(folder)
        run = await run_client(cell, script, folder)
        verify(outcome, run, plan(cell, script))
        for quirk in QUIRKS:
            if quirk.script is not None and quirk.concerns(cell):
                folder = outcome.folder / f"run-{quirk.step}"
                folder.mkdir()
                run = await run_client(cell, quirk.script(folder), folder)
                verify(outcome, run, [(quirk.step, quirk.check)])
        check_schemas(outcome)
    except Mismatch as mismatch:
        outcome.mismatches.append(str(mismatch))
    outcome.seconds = time.monotonic() - began
    return outcome


def verify(outcome: Outcome, run: Run, checks: list[tuple[str, Check]]) -> None:
    """Note each check that fails."""
    for step, check in checks:
        try:
            check(run)
        except Mismatch as mismatch:
            outcome.mismatches.append(f"{step}: {mismatch}")


def arguments(command: Command) -> list[str]:
    """The command as text; a program that isn't there is a mismatch."""
    for part in command:
        if isinstance(part, Path) and not part.exists():
            raise Mismatch(f"missing: {part}; {REMEDY}")
    program = str(command[0])
    if shutil.which(program) is None:
        raise Mismatch(f"missing: {program}; {REMEDY}")
    return [str(part) for part in command]


def check_schemas(outcome: Outcome) -> None:
    """Note each message of ours that doesn't fit the schema of its revision, and count those of the peer."""
    sides = [side for side in ("client", "server") if getattr(outcome.cell, side).ours]
    taps = sorted(outcome.folder.glob("*/tap/*.jsonl"))
    for side in sides:
        gate = subprocess.run(arguments((GATE, side, *taps)), stdout=subprocess.PIPE, encoding="utf-8", check=False)
        for line in gate.stdout.splitlines():
            noted = outcome.mismatches if line.startswith("ours: ") else outcome.peer_faults
            noted.append(line)
        if gate.returncode > 1:
            raise Mismatch(f"the schema gate exited with {gate.returncode}")


async def run_client(cell: Cell, script: Script, folder: Path) -> Run:
    """Run the client through a script, and read what it and the tap say."""
    tap = folder / "tap"
    tap.mkdir()
    script_file = folder / "script.json"
    more = {"more": cell.more, "capabilities": CAPABILITIES, "answers": ANSWERS} if cell.more else {}
    script_file.write_text(json.dumps({**script, **more}, ensure_ascii=False), encoding="utf-8")
    server = arguments((*tap_command(tap), *cell.server.command(folder)))
    command = [*arguments(cell.client.command), str(script_file), "--", *server]
    output, errors = folder / "client.out", folder / "client.err"
    with output.open("wb") as stdout, errors.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
        )
        try:
            await asyncio.wait([asyncio.ensure_future(process.wait())], timeout=SECONDS)
            status = process.returncode
            starts = await ended_starts(tap)
        finally:
            kill_group(process.pid)
            await process.wait()
    running = kill_running(starts)
    if status is None:
        raise Mismatch(f"the client was still running after {SECONDS} s")
    if running:
        raise Mismatch(f"still running after the client's end: {running}")
    if status != 0 and not output.read_bytes():
        raise Mismatch(f"the client exited with {status}: {last_line(errors)}")
    return Run(cell, script, reports(output), status, starts)


async def ended_starts(tap: Path) -> list[Start]:
    """Read the starts when every server has exited, or has had its time; a client may leave before."""
    until = time.monotonic() + EXIT_SECONDS + TAP_SECONDS
    while True:
        starts = read_starts(tap)
        if all(start.exit is not None for start in starts) or time.monotonic() > until:
            return starts
        await asyncio.sleep(0.02)


def reports(output: Path) -> list[dict[str, object]]:
    """The lines that the client printed."""
    try:
        lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    except ValueError as error:
        raise Mismatch(f"the client printed something else than JSON lines: {error}") from error
    if not all(isinstance(line, dict) and "step" in line for line in lines):
        raise Mismatch("the client printed a line without a step")
    return lines


def last_line(errors: Path) -> str:
    """What a failed program said last."""
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing on standard error"


def kill_group(pid: int) -> None:
    """End what a client left in its group."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def kill_running(starts: list[Start]) -> list[int]:
    """End the servers that are still running, and tell which; some SDKs start them in a group of their own."""
    running = [pid for start in starts if start.exit is None for pid in (start.pid, start.tap) if pid is not None]
    for pid in running:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return running
