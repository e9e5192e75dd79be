"""A source's kernels: cycles of each block, counters in its code, and what the counts of a run come to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from aieloom.emulator.symbols import demangle
from aieloom.emulator.timed.dag import Builder
from aieloom.emulator.timed.ir import Function, Places, Types, parse_function
from aieloom.emulator.timed.lower import Lowered
from aieloom.emulator.timed.module import Module
from aieloom.emulator.timed.operations import Operations
from aieloom.emulator.timed.policy import FunctionCost, Study, cost_of
from aieloom.paths import package_folder
from aieloom.schedule.lists import Bound
from aieloom.schedule.machine import Op, machine_of
from aieloom.spec.architecture import Architecture

_OBJECT = re.compile(r'%"?(class|struct)\.(?!adf::|aie::)')  # the first parameter of a member function
COUNTS, CLOCK = "aieloom_block_counts", "aieloom_clock"


@dataclass(frozen=True, slots=True)
class Source:
    """A source's functions with their costs, and the places of their blocks among the counters."""

    module: Module
    functions: Mapping[str, Function]
    costs: Mapping[str, FunctionCost]
    first: Mapping[str, int]  # of each function's blocks among the counters
    size: int


def study(lowered: Lowered, architecture: Architecture) -> Source:
    """Schedule every block of a source's functions."""
    module, machine = Module(lowered.text), machine_of(architecture)
    types, places = Types(lowered.text), Places(module, str(package_folder() / "include"))
    operations = Operations(lowered.facts, demangle(lowered.facts), types.size, machine)
    functions, costs, first, size = {}, {}, {}, 0
    for name, definition in module.definitions.items():
        function = parse_function(definition)
        functions[name] = function
        builder = Builder(function, types, operations, machine)
        costs[name] = cost_of(function, Study(builder, machine, module.nodes, places.line))
        first[name] = size
        size += len(function.blocks)
    return Source(module, functions, costs, first, size)


def with_counters(source: Source) -> str:
    """Return the module's text with each block counted, and the core's clock moved on by the point's cycles.

    Where words pass streams the cycles are spread: what comes before each has gone by when it passes, as in the schedule.
    """
    changes = {}
    of = f"[{source.size} x i64]"
    for name, function in source.functions.items():
        lines = list(function.definition.body)
        for k, (label, block) in reversed(list(enumerate(function.blocks.items()))):
            n = source.first[name] + k
            cycles, words = source.costs[name].cycles["point"][label], source.costs[name].words[label]
            passed = [int(word.share * cycles) for word in words]  # before each
            for m in reversed(range(len(words))):
                until = passed[m + 1] if m + 1 < len(words) else cycles
                lines[words[m].line + 1 : words[m].line + 1] = _moved_on(f"{n}.{m}", until - passed[m])
            at = block.first_line + 1
            while at < len(lines) and (" = phi " in lines[at] or " = landingpad" in lines[at]):
                at += 1
            lines[at:at] = [
                f"  %aieloom.n{n} = load i64, i64* getelementptr ({of}, {of}* @{COUNTS}, i64 0, i64 {n})",
                f"  %aieloom.m{n} = add i64 %aieloom.n{n}, 1",
                f"  store i64 %aieloom.m{n}, i64* getelementptr ({of}, {of}* @{COUNTS}, i64 0, i64 {n})",
                *_moved_on(str(n), passed[0] if passed else cycles),
            ]
        changes[name] = "\n".join((function.definition.stronger().head, *lines, "}"))
    more = (
        f"@{COUNTS} = global {of} zeroinitializer",
        f"@{COUNTS}_size = constant i64 {source.size}",
        "" if f"@{CLOCK} =" in str(source.module.rewritten({})) else f"@{CLOCK} = global i64 0",
    )
    return source.module.rewritten(changes, more)


def _moved_on(name: str, cycles: int) -> list[str]:
    """Return the lines that move the core's clock on."""
    if not cycles:
        return []
    return [
        f"  %aieloom.t{name} = load i64, i64* @{CLOCK}",
        f"  %aieloom.u{name} = add i64 %aieloom.t{name}, {cycles}",
        f"  store i64 %aieloom.u{name}, i64* @{CLOCK}",
    ]


def total(source: Source, name: str, counts: Sequence[int], way: str) -> int:
    """Return a function's cycles in a run under a policy, or at the point."""
    cycles, first = source.costs[name].cycles[way], source.first[name]
    return sum(counts[first + k] * cycles[label] for k, label in enumerate(source.functions[name].blocks))


class LoopTable(TypedDict):
    """A loop as the table has it."""

    header: int
    lines: Sequence[int]
    length: int
    intervals: dict[str, int]
    point: str
    why: str
    marked: bool
    by: str
    luck: list[str]
    accesses: Sequence[tuple[int, str]]


class FunctionTable(TypedDict):
    """A function: its blocks' numbers from `first` on, their cycles under each policy."""

    first: int
    parameters: Sequence[str]
    is_member: bool
    cycles: dict[str, list[int]]
    unknown: list[str]
    crowded: list[int]
    loops: list[LoopTable]


class KernelTable(TypedDict):
    """What stands beside a kernel's object."""

    size: int
    bank_bytes: int
    functions: dict[str, FunctionTable]


def save(source: Source, architecture: Architecture, path: Path) -> None:
    """Keep what the report needs beside the library."""
    functions: dict[str, FunctionTable] = {}
    for name, cost in source.costs.items():
        blocks = list(source.functions[name].blocks)
        functions[name] = {
            "first": source.first[name],
            "parameters": source.functions[name].parameters,
            "is_member": bool(_OBJECT.match(source.functions[name].definition.parameters)),
            "cycles": {way: [by[label] for label in blocks] for way, by in cost.cycles.items()},
            "unknown": sorted(cost.unknown),
            "crowded": [cost.crowded[label] for label in blocks],
            "loops": [
                {
                    "header": blocks.index(c.header),
                    "lines": c.lines,
                    "length": c.length,
                    "intervals": dict(c.intervals),
                    "point": c.point,
                    "why": c.why,
                    "marked": c.is_marked,
                    "by": _binding(c.bounds["alias-strict"], c.ops),
                    "luck": list(c.luck),
                    "accesses": c.accesses,
                }
                for c in cost.loops
            ],
        }
    bank_bytes = machine_of(architecture).bank_bytes
    table: KernelTable = {"size": source.size, "bank_bytes": bank_bytes, "functions": functions}
    path.write_text(json.dumps(table), encoding="utf-8")


def _binding(found: Bound, ops: Sequence[Op]) -> str:
    if found.by_registers > max(found.by_circle, found.by_units):
        return f"the {found.file} registers"
    if found.by_circle > found.by_units:
        names = dict.fromkeys(ops[i].name for i in found.circle if ops[i].unit != "none")
        return "the recurrence through " + (", ".join(names) or "its addresses")
    return f"the {found.unit.split()[0] if found.unit else 'loop'} unit"
