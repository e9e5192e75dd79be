"""What a graph's members are called and where they lie in it: C++ programs keep no names, their debugging information does.

Hosts name run-time parameters by the path of members, `gr.sub.k[1].in[0]` [UG1079, Run-Time Parameter Support Summary];
the runtime (src/xrt/members.cpp) follows such a path through the graph in memory with the table that is written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from aieloom.emulator.symbols import said_by
from aieloom.paths import write_whole

MEMBERS = ".members"  # beside the program
DEBUG = "-g"  # what objects with names are compiled with
_ENTRY = re.compile(r"^ <(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)")
_NULL = re.compile(r"^ <\d+><[0-9a-f]+>: Abbrev Number: 0")
_ATTRIBUTE = re.compile(r"^    <[0-9a-f]+>   DW_AT_(\w+) *: *(.*)$")
_KEPT = frozenset(
    ("name", "type", "byte_size", "data_member_location", "upper_bound", "count", "specification")
)
_INDIRECT = re.compile(r"^\(.*?(?:string|offset): 0x[0-9a-f]+\): ")
_THROUGH = frozenset(("typedef", "const_type", "volatile_type"))
_RECORDS = frozenset(("structure_type", "class_type"))


@dataclass(slots=True)
class _Entry:
    """One entry of the debugging information: its tag, attributes as text, entries below it, and its namespace or class."""

    tag: str
    scope: str
    values: dict[str, str] = field(default_factory=dict)
    below: list[_Entry] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.values.get("name", "")

    def number(self, key: str) -> int:
        return int(self.values.get(key, "0").split()[0], 0)


class _Table:
    """The types that objects of some classes are made of, a line each; see src/xrt/members.cpp for the lines' form."""

    def __init__(self, entries: dict[str, _Entry]) -> None:
        self._entries = entries
        self.lines: list[str] = []
        self._numbers: dict[str, int] = {}

    def add(self, at: str) -> int:
        """Return the number of the type at an offset; 0 for what no path leads through."""
        entry = self._entries.get(at)
        while entry is not None and entry.tag in _THROUGH:
            at = _target(entry)
            entry = self._entries.get(at)
        if entry is None or at in self._numbers:
            return self._numbers.get(at, 0)
        if entry.tag not in (*_RECORDS, "array_type", "pointer_type"):
            return 0
        self._numbers[at] = number = len(self.lines) + 1
        self.lines.append("")
        self.lines[number - 1] = self._line(entry)
        return number

    def _line(self, entry: _Entry) -> str:
        if entry.tag == "pointer_type":
            return f"pointer\t{self.add(_target(entry))}"
        if entry.tag == "array_type":
            counts = [str(_count(e)) for e in entry.below if e.tag == "subrange_type"]
            return "\t".join(("array", str(self.add(_target(entry))), *counts))
        kind = _kind(entry)
        words = [kind, str(entry.number("byte_size"))]
        if kind == "vector":
            elements = (_target(e) for e in entry.below if e.tag == "template_type_param")
            words.append(str(self.add(next(elements, ""))))
        elif kind == "record":
            for part in entry.below:
                if part.tag in ("member", "inheritance") and "data_member_location" in part.values:
                    name = part.name if part.tag == "member" else ""
                    words.append(f"{name}:{part.number('data_member_location')}:{self.add(_target(part))}")
        return "\t".join(words)


def _kind(entry: _Entry) -> str:
    full = f"{entry.scope}{entry.name}"
    if full == "adf::kernel":
        return "kernel"
    if full.startswith("adf::port<"):
        return "port"
    return "vector" if entry.scope == "std::" and entry.name.startswith("vector<") else "record"


def _target(entry: _Entry) -> str:
    found = re.match(r"<0x([0-9a-f]+)", entry.values.get("type", ""))
    return found[1] if found else ""


def _count(entry: _Entry) -> int:
    if "count" in entry.values:
        return entry.number("count")
    return entry.number("upper_bound") + 1 if "upper_bound" in entry.values else 0


def write_members(objects: Iterable[Path], target: Path) -> None:
    """Write the table of what variables of the objects consist of; without debugging information it is empty.

    Raises:
        ToolError: binutils cannot read an object.
    """
    rows: list[str] = []
    for obj in objects:
        entries = _entries(obj)
        table = _Table(entries)
        variables = [e for e in entries.values() if e.tag == "variable" and not e.scope and e.name]
        roots = [f"variable\t{e.name}\t{number}" for e in variables if (number := table.add(_target(e)))]
        rows += [f"object\t{obj.name}", *table.lines, *roots]
    write_whole(target, "".join(f"{row}\n" for row in rows).encode())


def _entries(obj: Path) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    above: list[_Entry] = []
    last: _Entry | None = None
    for line in said_by("readelf", "--debug-dump=info", str(obj)).splitlines():
        if found := _ENTRY.match(line):
            depth = int(found[1])
            del above[depth:]
            scope = _scope(above[-1]) if above else ""
            last = entries[found[2]] = _Entry(found[3], scope)
            if above:
                above[-1].below.append(last)
            above += [last] * (depth + 1 - len(above))
        elif (found := _ATTRIBUTE.match(line)) and last is not None and found[1] in _KEPT:
            last.values[found[1]] = _INDIRECT.sub("", found[2]).strip()
        elif _NULL.match(line):
            last = None
    return entries


def _scope(above: _Entry) -> str:
    named = above.tag in ("namespace", *_RECORDS) and above.name
    inside = above.tag in ("subprogram", "lexical_block")
    return f"{above.scope}{above.name}::" if named else "(function)::" if inside else above.scope
