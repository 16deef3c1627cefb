"""The schemas of all revisions as one set of types.

A name is one type, whatever the revision: a member that one of the revisions with this type lacks or lets out is
optional, and a definition that an earlier revision wrote in place is the same type as the later one with a name.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")

# Members that hold a JSON Schema, which has more keywords than the protocol's schemas list.
JSON_SCHEMAS = ("inputSchema", "outputSchema")


@dataclass(frozen=True)
class Ref:
    """A definition."""

    name: str


@dataclass(frozen=True)
class Plain:
    """A type of JSON without parts, or `any`."""

    kind: str


@dataclass(frozen=True)
class Const:
    """One value."""

    value: str | int


@dataclass(frozen=True)
class Words:
    """Strings with a meaning. There may be others in later revisions."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Array:
    """Any number of them."""

    items: Type


@dataclass(frozen=True)
class Map:
    """An object with free keys."""

    values: Type


@dataclass(frozen=True)
class Union:
    """One of them."""

    parts: tuple[Type, ...]


@dataclass(frozen=True)
class Member:
    """A member of an object."""

    key: str
    type: Type
    required: bool


@dataclass(frozen=True)
class Object:
    """An object with named members; `name` is given once it is whole. An `open` one is said to have others."""

    members: tuple[Member, ...]
    name: str = field(default="", compare=False)
    open: bool = field(default=False, compare=False)


Type: TypeAlias = Ref | Plain | Const | Words | Array | Map | Union | Object

ANY = Plain("any")
FREE = Map(ANY)
# The definitions of any JSON refer to themselves.
JSON_VALUES: dict[str, Type] = {"JSONValue": ANY, "JSONObject": FREE, "JSONArray": Array(ANY)}


class Schema:
    """The definitions of one revision."""

    def __init__(self, path: Path) -> None:
        """Reads a `schema.json`."""
        whole = json.loads(path.read_text())
        self.raw: dict[str, Any] = whole.get("$defs") or whole["definitions"]

    def definitions(self) -> Iterator[tuple[str, Type]]:
        """All of them."""
        for name, schema in self.raw.items():
            yield name, JSON_VALUES.get(name) or self.parse(schema)

    def parse(self, schema: dict[str, Any]) -> Type:  # noqa: PLR0911 - one a shape
        """The type of a schema."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return JSON_VALUES.get(name) or Ref(name)
        if "anyOf" in schema:
            return Union(tuple(self.parse(part) for part in schema["anyOf"]))
        if "allOf" in schema:
            return self.whole(schema)
        if "const" in schema:
            return Const(schema["const"])
        if "enum" in schema:
            return Words(tuple(schema["enum"]))
        kinds = schema.get("type", "any")
        if isinstance(kinds, list):
            # Where a list has booleans, the published schema says `integer` for the `number` of its source.
            number = "number" if "boolean" in kinds else "integer"
            return Union(tuple(Plain(number if kind == "integer" else kind) for kind in kinds))
        if kinds == "array":
            return Array(self.parse(schema["items"]))
        if kinds == "object":
            return self.object(schema)
        return Plain(kinds)

    def object(self, schema: dict[str, Any]) -> Type:
        """An object, with its own members or with any."""
        if not schema.get("properties"):
            values = schema.get("additionalProperties")
            return Map(self.parse(values)) if isinstance(values, dict) else FREE
        required = schema.get("required", [])
        return Object(
            tuple(
                Member(key, FREE if key in JSON_SCHEMAS else self.parse(part), key in required)
                for key, part in schema["properties"].items()
            ),
            open="additionalProperties" in schema,
        )

    def whole(self, schema: dict[str, Any]) -> Type:
        """An object that is made of parts. A later part is more particular."""
        members: dict[str, Member] = {}
        for part in schema["allOf"]:
            target = self.raw[part["$ref"].rsplit("/", 1)[1]] if "$ref" in part else part
            parsed = self.parse(target)
            for member in parsed.members if isinstance(parsed, Object) else ():
                known = members.get(member.key)
                required = member.required or (known is not None and known.required)
                members[member.key] = Member(member.key, member.type, required)
        return Object(tuple(members.values()))


class Merger:
    """Makes one type of the versions of each name."""

    def __init__(self, versions: dict[str, list[Type]]) -> None:
        """`versions`: those of each definition, the oldest first."""
        self.versions = versions

    def run(self) -> dict[str, Type]:
        """The types by name."""
        while True:
            before = sum(map(len, self.versions.values()))
            merged = {name: self.merge(self.versions[name], at=name) for name in sorted(self.versions)}
            # What was written in place elsewhere has become a version of its definition.
            if before == sum(map(len, self.versions.values())):
                return merged

    def alternatives(self, name: str) -> set[str]:
        """The definitions that a definition leads to without a member between."""
        found: set[str] = set()
        for version in self.versions[name]:
            for part in flat([version]):
                if isinstance(part, Ref):
                    found |= {part.name} | self.alternatives(part.name)
        return found

    def home(self, version: Object | Map, names: Iterable[str]) -> str | None:
        """The definition that an object written in place is a version of."""
        keys = {member.key for member in version.members} if isinstance(version, Object) else set()
        for name in names:
            for candidate in (name, *sorted(self.alternatives(name))):
                shapes = self.versions[candidate]
                known = {member.key for shape in shapes if isinstance(shape, Object) for member in shape.members}
                if known and keys <= known:
                    return candidate
        return None

    def known(self, member: Member) -> Type:
        """A member's type: a definition, if it is written in place as a version of one."""
        if not isinstance(member.type, Object):
            return member.type
        if member.key == "_meta":
            # Only requests have metadata with members that are written in place.
            versions = self.versions[name := "RequestMetaObject"]
            if member.type not in versions:
                versions.append(member.type)
            return Ref(name)
        name = pascal(member.key)
        return Ref(name) if member.type in self.versions.get(name, ()) else member.type

    def merge(self, types: list[Type], at: str) -> Type:
        """One type for all of `types`. `at`: the definition or member whose types they are."""
        parts = list(dict.fromkeys(flat(types)))
        # A name for any object says no more than an object written in place.
        names = [part.name for part in parts if isinstance(part, Ref)]
        named = [name for name in names if self.versions[name] != [FREE]] or names
        parts = [FREE if isinstance(part, Ref) and part.name not in named else part for part in parts]
        if any(self.versions[name] == [FREE] for name in named):
            parts = [part for part in parts if part != FREE]
        elif named:
            parts = self.homed(parts, named)
        covered = {other for name in named for other in self.alternatives(name)}
        parts = [part for part in parts if not (isinstance(part, Ref) and part.name in covered)]
        parts = self.joined(parts, at)
        return parts[0] if len(parts) == 1 else Union(tuple(parts))

    def homed(self, parts: list[Type], named: list[str]) -> list[Type]:
        """Without the objects that are versions of a definition among `parts`."""
        kept: list[Type] = []
        for part in parts:
            home = self.home(part, named) if isinstance(part, Object) or part == FREE else None
            if home is None:
                kept.append(part)
                continue
            version = part if isinstance(part, Object) else Object(())
            if version not in self.versions[home]:
                self.versions[home].append(version)
            if not any(isinstance(part, Ref) for part in parts):
                kept.append(Ref(home))
        return kept

    def joined(self, parts: list[Type], at: str) -> list[Type]:
        """With one part a kind of JSON."""
        arrays = [part.items for part in parts if isinstance(part, Array)]
        words = [word for part in parts if isinstance(part, Words) for word in part.words]
        objects = [part for part in parts if isinstance(part, Object)]
        maps = [part.values for part in parts if isinstance(part, Map)]
        kept: list[Type] = [part for part in parts if isinstance(part, Ref | Plain | Const)]
        plain = {part.kind for part in kept if isinstance(part, Plain)}
        if "any" in plain:
            return [ANY]
        if "number" in plain:
            kept = [part for part in kept if part != Plain("integer")]
        if words and "string" not in plain:
            kept.append(Words(tuple(dict.fromkeys(words))))
        if objects and maps and all(one.open for one in objects):
            kept.append(FREE)
        elif objects:
            versions: list[Object] = [*objects, Object(())] if maps else objects
            kept.append(self.object(versions, at))
        elif maps:
            kept.append(Map(self.merge(maps, at + "Value")))
        if arrays:
            kept.append(Array(self.merge(arrays, at + "Item")))
        return kept

    def object(self, versions: list[Object], at: str) -> Type:
        """One object for all versions."""
        keys = dict.fromkeys(member.key for version in reversed(versions) for member in version.members)
        members = []
        for key in keys:
            found = [member for version in versions for member in version.members if member.key == key]
            required = len(found) == len(versions) and all(member.required for member in found)
            shapes = [self.known(member) for member in found]
            merged = self.merge(shapes, at=at + pascal(key))
            members.append(Member(key, merged, required))
        # Those that must be there come first.
        members.sort(key=lambda member: not member.required)
        return Object(tuple(members), name=at)


def flat(types: Iterable[Type]) -> Iterator[Type]:
    """The types, with the parts of unions in their place."""
    for one in types:
        if isinstance(one, Union):
            yield from flat(one.parts)
        else:
            yield one


def pascal(key: str) -> str:
    """A member's key as a part of a type's name."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", key))


def children(one: Type) -> Iterator[Type]:
    """What a type is made of."""
    match one:
        case Union(parts):
            yield from parts
        case Array(inner) | Map(inner):
            yield inner
        case Object(members):
            yield from (member.type for member in members)
        case _:
            pass


def lifted(types: dict[str, Type]) -> dict[str, Type]:
    """With each object under a name of its own."""
    found: dict[str, Type] = {}

    def lift(one: Type) -> Type:
        match one:
            case Union(parts):
                return Union(tuple(map(lift, parts)))
            case Array(items):
                return Array(lift(items))
            case Map(values):
                return Map(lift(values))
            case Object(_, name):
                if name in types and name not in found:
                    message = f"two types have the name {name}"
                    raise SystemExit(message)
                found[name] = inside(one)
                return Ref(name)
            case _:
                return one

    def inside(one: Object) -> Object:
        members = (Member(member.key, lift(member.type), member.required) for member in one.members)
        return Object(tuple(members), one.name)

    for name, one in types.items():
        found[name] = inside(one) if isinstance(one, Object) else lift(one)
    return found


def ordered(types: dict[str, Type]) -> dict[str, Type]:
    """Each after those that it refers to, else by name."""
    done: dict[str, Type] = {}

    def visit(name: str) -> None:
        def walk(one: Type) -> None:
            if isinstance(one, Ref) and one.name not in done:
                visit(one.name)
            for child in children(one):
                walk(child)

        walk(types[name])
        done.setdefault(name, types[name])

    for name in sorted(types):
        visit(name)
    return done


def read(spec: Path) -> tuple[dict[str, Type], dict[str, list[str]]]:
    """The types, each after those that it refers to, and the revisions of each definition."""
    versions: dict[str, list[Type]] = {}
    revisions: dict[str, list[str]] = {}
    for revision in REVISIONS:
        for name, one in Schema(spec / revision / "schema.json").definitions():
            known = versions.setdefault(name, [])
            if one not in known:
                known.append(one)
            revisions.setdefault(name, []).append(revision)
    return ordered(lifted(Merger(versions).run())), revisions
