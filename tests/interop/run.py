"""The interop matrix: real clients with real servers over stdio, and a tap between them.

``run.py setup`` installs the peers; ``run.py`` runs the matrix and exits with 0 if every cell passed.
"""

import argparse
import asyncio
import re
import sys

from cell import Outcome, run_cell
from environments import SetupError, install
from programs import CELLS, OUR_CLIENTS, OUR_SERVERS, Cell, cells, official_cells
from quirks import QUIRKS

AT_A_TIME = 2


async def run_cells(selected: list[Cell], at_a_time: int) -> list[Outcome]:
    """Run the cells, a few at a time, and return their outcomes in the given order."""
    free = asyncio.Semaphore(at_a_time)

    async def run(cell: Cell) -> Outcome:
        async with free:
            outcome = await run_cell(cell)
        verdict = "ok  " if outcome.passed else "FAIL"
        print(f"{verdict} {outcome.seconds:5.1f} s  {cell.name}  ({cell.revision})", flush=True)
        return outcome

    return await asyncio.gather(*map(run, selected))


def matrix(outcomes: list[Outcome]) -> str:
    """A table of peers by our programs, for each direction."""
    lines: list[str] = []
    for title, ours, pick_peer, pick_ours in (
        ("clients of others on our servers", OUR_SERVERS, "client", "server"),
        ("our clients on servers of others", OUR_CLIENTS, "server", "client"),
    ):
        rows: dict[tuple[str, str], dict[str, Outcome]] = {}
        for outcome in outcomes:
            peer, own = getattr(outcome.cell, pick_peer), getattr(outcome.cell, pick_ours)
            if own.ours:
                rows.setdefault((peer.name, outcome.cell.revision), {})[own.name] = outcome
        if not rows:
            continue
        names = [program.name for program in ours]
        lines += ["", f"{title:34} {'revision':10}  " + "  ".join(f"{name:6}" for name in names)]
        for (peer_name, revision), row in rows.items():
            marks = ["-" if name not in row else "ok" if row[name].passed else "FAIL" for name in names]
            lines.append(f"{peer_name:34} {revision:10}  " + "  ".join(f"{mark:6}" for mark in marks).rstrip())
    return "\n".join(lines)


def report(outcomes: list[Outcome]) -> bool:
    """Print the matrix, what failed and the count; true if every cell passed."""
    if table := matrix(outcomes):
        print(table)
    for outcome in outcomes:
        if not outcome.passed:
            print(f"\n{outcome.cell.name}: {outcome.folder}")
            for mismatch in outcome.mismatches:
                print(f"  {mismatch}")
    for outcome in outcomes:
        if outcome.peer_faults:
            print(f"{outcome.cell.name}: {len(outcome.peer_faults)} messages of the peer fit no schema, the first one:")
            print(f"  {outcome.peer_faults[0][:200]}")
    passed = sum(outcome.passed for outcome in outcomes)
    print(f"\n{passed} of {len(outcomes)} cells")
    return passed == len(outcomes)


def print_quirks() -> None:
    """What the peers can't do."""
    for quirk in QUIRKS:
        print(f"{', '.join(name.strip() for name in quirk.peers)} ({quirk.side}), {quirk.step}: {quirk.instead}")
        print(f"    {quirk.reason}")


def selected_cells(pattern: str, *, official: bool) -> list[Cell]:
    """The cells that the command line asks for."""
    table = official_cells() if official else cells()
    if not official and len(table) != CELLS:
        sys.exit(f"the table has {len(table)} cells, not {CELLS}")
    selected = [cell for cell in table if re.search(pattern, cell.name)]
    if not selected:
        sys.exit(f"no cell matches {pattern!r}")
    return selected


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", nargs="?", choices=["run", "setup", "list", "quirks"], default="run")
    parser.add_argument("--only", metavar="PATTERN", default="", help="cells whose name matches the expression")
    parser.add_argument("--official", action="store_true", help="peers with peers, without our programs")
    parser.add_argument("--jobs", type=int, default=AT_A_TIME, help="cells at a time")
    options = parser.parse_args()

    passed = True
    if options.action == "setup":
        try:
            asyncio.run(install())
        except SetupError as error:
            sys.exit(str(error))
    elif options.action == "quirks":
        print_quirks()
    elif options.action == "list":
        for cell in selected_cells(options.only, official=options.official):
            print(f"{cell.name}  ({cell.revision})")
    else:
        selected = selected_cells(options.only, official=options.official)
        passed = report(asyncio.run(run_cells(selected, options.jobs)))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
