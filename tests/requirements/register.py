"""Says, by area, how many requirements that an engine can enforce are named by a test.

`register.py [--least N] [--missing [AREA…]]`: the register is `tests/requirements.jsonl`; a test names an id such as
`R-BAS-001` in its comment, a recorded case in its `requirements`. An id that the register lacks, one that a comment
names twice, and fewer than N named ones are failures.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REGISTER = ROOT / "tests" / "requirements.jsonl"
SOURCES = ("core/tests", "tests", "bindings-*/test*", "fuzz/fuzz_targets", "fuzz/src")
KINDS = {".rs", ".py", ".ts", ".mjs", ".jsonl"}
NOT_OURS = {"node_modules", "target", ".venvs", "requirements", "requirements.jsonl"}
ID = re.compile(r"\bR-[A-Z]{3}-\d{3}\b")
COMMENT = re.compile(r'\s*(//|#|\*|/\*|""")')
HTTP = {"streamable-http", "http+sse"}


@dataclass(frozen=True)
class Requirement:
    """One row of the register."""

    id: str
    statement: str
    needs_http: bool

    @property
    def area(self) -> str:
        """`BAS` of `R-BAS-001`."""
        return self.id[2:5]


def rows() -> Iterator[tuple[Requirement, bool]]:
    """Each requirement, and whether an engine can enforce it."""
    for line in REGISTER.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        requirement = Requirement(row["id"], row["statement"], row["transport"] in HTTP)
        yield requirement, "engine" in row["enforceable"]


def sources() -> Iterator[Path]:
    """All test sources."""
    for pattern in SOURCES:
        for folder in sorted(ROOT.glob(pattern)):
            for path in sorted(folder.rglob("*")):
                if path.suffix in KINDS and not NOT_OURS.intersection(path.relative_to(ROOT).parts):
                    yield path


def comments(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The ids of each comment with its first line; a line that is no comment stands by itself."""
    start, ids = 0, list[str]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = ID.findall(line)
        if COMMENT.match(line):
            start = start or number
            ids += found
            continue
        if ids:
            yield start, ids
        start, ids = 0, []
        if found:
            yield number, found
    if ids:
        yield start, ids


def table(title: str, wanted: list[Requirement], named: set[str]) -> str:
    """One line an area: how many there are, and how many are named."""
    areas: dict[str, list[bool]] = defaultdict(list)
    for requirement in wanted:
        areas[requirement.area].append(requirement.id in named)
    lines = [f"{area}  {sum(marks):4} of {len(marks):3}" for area, marks in sorted(areas.items())]
    every = [mark for marks in areas.values() for mark in marks]
    return "\n".join([title, *lines, f"all  {sum(every):4} of {len(every):3}"])


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least", type=int, default=0, help="how many must be named")
    parser.add_argument("--missing", nargs="*", metavar="AREA", help="list those that no test names")
    options = parser.parse_args()

    known = {requirement.id for requirement, _ in rows()}
    engine = [requirement for requirement, enforceable in rows() if enforceable]
    wrong: list[str] = []
    named: set[str] = set()
    for path in sources():
        for line, ids in comments(path):
            place = f"{path.relative_to(ROOT)}:{line}"
            wrong += [f"{place}: the register has no {unknown}" for unknown in sorted({*ids} - known)]
            wrong += [f"{place}: {twice} is named twice" for twice, count in Counter(ids).items() if count > 1]
            named.update(ids)

    for needs_http in (False, True):
        group = [requirement for requirement in engine if requirement.needs_http == needs_http]
        print(table("over HTTP" if needs_http else "over stdio and any message channel", group, named), end="\n\n")
        if options.missing is not None:
            for requirement in group:
                if requirement.id not in named and (not options.missing or requirement.area in options.missing):
                    print(f"{requirement.id}  {requirement.statement}")
            print()
    proven = sum(requirement.id in named for requirement in engine)
    print(f"{proven} of {len(engine)} requirements that an engine can enforce are named by a test")
    if proven < options.least:
        wrong.append(f"fewer than {options.least}, which were named before")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
