"""Writes the payload types of the Python and the TypeScript package from the schemas of all five revisions.

`generate.py SPEC`: the folder that has `<revision>/schema.json` of each. `--check` compares and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING

import schemas
from schemas import Array, Const, Map, Member, Object, Plain, Ref, Type, Union, Words

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "bindings-python/python/mcp_sansio/types.py"
TYPESCRIPT = ROOT / "bindings-wasm/src-ts/types.ts"
WIDTH = 120

# The page of a type, by the first pattern that its name has.
PAGES = (
    ("Initialize|ClientCapabilities|ServerCapabilities|Implementation|Discover", "basic/lifecycle, basic/versioning"),
    ("Elicit|PrimitiveSchema|StringSchema|NumberSchema|BooleanSchema|EnumSchema|EnumOption", "client/elicitation"),
    ("Sampling|CreateMessage|Model|ToolChoice|ToolUse|ToolResultContent", "client/sampling"),
    ("Task", "basic/utilities/tasks"),
    ("Tool", "server/tools"),
    ("Completion|Complete|Reference", "server/utilities/completion"),
    ("Subscription", "basic/patterns/subscriptions"),
    ("Resource", "server/resources"),
    ("Prompt", "server/prompts"),
    ("Root", "client/roots"),
    ("Logging|SetLevel", "server/utilities/logging"),
    ("Progress", "basic/utilities/progress, basic/patterns/progress"),
    ("Cancelled", "basic/utilities/cancellation, basic/patterns/cancellation"),
    ("Ping", "basic/utilities/ping"),
    ("Input", "basic/patterns/mrtr"),
    ("Paginated|Cursor", "server/utilities/pagination"),
    ("Cacheable", "server/utilities/caching"),
    ("Content|Annotat|Role", "server/tools"),
    ("", "basic"),
)


def page(name: str) -> str:
    """The page of a type."""
    return next(page for pattern, page in PAGES if re.search(pattern, name))


@dataclass(frozen=True)
class Writer:
    """One of the languages."""

    plain: dict[str, str]
    array: Callable[[list[str]], str]
    map: str
    const: Callable[[str | int], str]
    words: Callable[[tuple[str, ...]], list[str]]

    def parts(self, one: Type) -> list[str]:  # noqa: PLR0911 - one a shape
        """The alternatives of a type."""
        match one:
            case Ref(name):
                return [name]
            case Plain(kind):
                return [self.plain[kind]]
            case Const(value):
                return [self.const(value)]
            case Words(words):
                return self.words(words)
            case Array(items):
                return [self.array(self.parts(items))]
            case Map(values):
                return [self.map.format(self.one(values))]
            case Union(parts):
                return list(dict.fromkeys(text for part in parts for text in self.parts(part)))
            case Object(_, name):
                return [name]

    def one(self, one: Type) -> str:
        """A type on one line."""
        return " | ".join(self.parts(one))


def python(types: dict[str, Type], said: Callable[[str], str]) -> str:
    """The Python module."""
    writer = Writer(
        plain={
            "any": "Any",
            "string": "str",
            "integer": "int",
            "number": "float",
            "boolean": "bool",
            "null": "None",
        },
        array=lambda parts: f"list[{' | '.join(parts)}]",
        map="dict[str, {}]",
        const=lambda value: f"Literal[{json.dumps(value)}]",
        words=lambda words: [f"Literal[{', '.join(map(json.dumps, words))}]", "str"],
    )

    def wrapped(head: str, one: Type, tail: str = "", indent: str = "") -> str:
        line = f"{indent}{head}{writer.one(one)}{tail}"
        if len(line) <= WIDTH:
            return line
        parts = f"\n{indent}    | ".join(writer.parts(one))
        return f"{indent}{head}(\n{indent}    {parts}\n{indent}){tail}"

    def member(one: Member, head: str, tail: str, indent: str) -> str:
        if one.required:
            return wrapped(head, one.type, tail, indent)
        line = f"{indent}{head}NotRequired[{writer.one(one.type)}]{tail}"
        if len(line) <= WIDTH:
            return line
        parts = f"\n{indent}    | ".join(writer.parts(one.type))
        return f"{indent}{head}NotRequired[\n{indent}    {parts}\n{indent}]{tail}"

    def declared(name: str, one: Type) -> str:
        doc = f'"""{said(name)}"""'
        if isinstance(one, Ref):
            return f"class {name}({one.name}):\n    {doc}\n"
        if not isinstance(one, Object):
            return f"{wrapped(f'{name}: TypeAlias = ', one)}\n{doc}\n"
        if all(each.key.isidentifier() and not iskeyword(each.key) for each in one.members):
            lines = "".join(member(each, f"{each.key}: ", "", "    ") + "\n" for each in one.members)
            return f"class {name}(TypedDict):\n    {doc}\n\n{lines}"
        lines = "".join(member(each, f"{json.dumps(each.key)}: ", ",", "        ") + "\n" for each in one.members)
        return f'{name} = TypedDict(\n    "{name}",\n    {{\n{lines}    }},\n)\n{doc}\n'

    declarations = {name: declared(name, one) for name, one in types.items()}
    body = "\n\n" + "\n\n".join(declarations.values())
    names = "".join(f'    "{name}",\n' for name in sorted(declarations))
    return f'''"""The payloads of the protocol as types, one for each name in the schemas of all five revisions.

They are dictionaries as `json` makes and takes them. A member that one of the revisions lacks, or lets out, is
`NotRequired`; a word may be another than those listed, and an object may have members that are not. Made by
`tests/types/generate.py`.
"""

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

__all__ = [
{names}]
{body}'''


def typescript(types: dict[str, Type], said: Callable[[str], str]) -> str:
    """The TypeScript module."""
    writer = Writer(
        plain={
            "any": "unknown",
            "string": "string",
            "integer": "number",
            "number": "number",
            "boolean": "boolean",
            "null": "null",
        },
        array=lambda parts: f"{parts[0]}[]" if len(parts) == 1 else f"({' | '.join(parts)})[]",
        map="Record<string, {}>",
        const=json.dumps,
        words=lambda words: [*map(json.dumps, words), "OtherWord"],
    )

    def wrapped(head: str, one: Type) -> str:
        line = f"{head}{writer.one(one)};"
        if len(line) <= WIDTH:
            return line
        return f"{head.rstrip()}\n  | " + "\n  | ".join(writer.parts(one)) + ";"

    def declared(name: str, one: Type) -> str:
        doc = f"/** {said(name)} */"
        if not isinstance(one, Object):
            return f"{doc}\n{wrapped(f'export type {name} = ', one)}\n"
        lines = "".join(
            f"  {each.key if each.key.isidentifier() else json.dumps(each.key)}"
            f"{'' if each.required else '?'}: {writer.one(each.type)};\n"
            for each in one.members
        )
        return f"{doc}\nexport interface {name} {{\n{lines}  [member: string]: unknown;\n}}\n"

    body = "\n".join(declared(name, types[name]) for name in sorted(types))
    return f"""/**
 * The payloads of the protocol as types, one for each name in the schemas of all five revisions. A member that one of
 * the revisions lacks, or lets out, is optional; a word may be another than those listed, and an object may have other
 * members. Made by `tests/types/generate.py`.
 */

/** Any word that no revision lists. */
export type OtherWord = string & Record<never, never>;

{body}"""


def main() -> None:
    """Writes or compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", type=Path)
    parser.add_argument("--check", action="store_true", help="fail if the files are not what would be written")
    arguments = parser.parse_args()

    types, revisions = schemas.read(arguments.spec)

    def said(name: str) -> str:
        if name not in revisions:
            whole = max((known for known in revisions if name.startswith(known)), key=len)
            return f"A part of `{whole}`: `{page(whole)}`."
        first, last = revisions[name][0], revisions[name][-1]
        return f"`{name}` of {first if first == last else f'{first} to {last}'}: `{page(name)}`."

    stale = []
    for path, text in ((PYTHON, python(types, said)), (TYPESCRIPT, typescript(types, said))):
        if not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(ROOT)))
            if not arguments.check:
                path.write_text(text)
    if stale and arguments.check:
        sys.exit(f"not as the schemas say: {', '.join(stale)}; run tests/types/generate.py")


if __name__ == "__main__":
    main()
