"""What the rules say of a kernel, and what its loops reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.hls_lint import channels, constructs, interfaces, memories, regions, schedules
from tools.hls_lint.kernel import Kernel, Loop
from tools.hls_lint.rules import Finding, Rule, Said
from tools.hls_lint.source import Source

CLOCK = 312.5  # MHz, where none is told
ON_THE_TREE: tuple[Rule[Source], ...] = (
    *(constructs.constructs, constructs.unions, constructs.cxx17, constructs.loops),
    *(channels.channels, channels.stream_arrays, channels.task_arrays, channels.side_channels),
    *(regions.dataflow, regions.free_running, interfaces.pragmas, interfaces.interface),
)
ON_THE_IR: tuple[Rule[Kernel], ...] = (
    *(schedules.left, schedules.dividers, schedules.recurrences, schedules.exits, schedules.nests),
    *(schedules.depths, memories.memory, memories.ports),
)

RULES: dict[str, Rule[Any]] = {r.key: r for r in ON_THE_TREE} | {r.key: r for r in ON_THE_IR}


@dataclass(frozen=True, slots=True)
class Reached:
    """What a pipelined loop reaches: the interval between turns, and the steps of one."""

    function: str
    line: int
    asked: int
    ii: int
    depth: int


class Checked:
    """A kernel and all that the rules say of it."""

    def __init__(self, path: Path, mhz: float = CLOCK) -> None:
        self.path, self.source = path, Source(path)
        self.kernel = Kernel(self.source, mhz)

    @property
    def on_the_tree(self) -> list[Finding]:
        """What the syntax tree shows."""
        broken = [Finding("parse", d.location.line, d.spelling) for d in self.source.errors]
        return self._sorted([*broken, *(f for r in ON_THE_TREE for f in _found(r, r(self.source)))])

    @property
    def on_the_ir(self) -> list[Finding]:
        """What LLVM IR shows; pragmas whose loops have gone there are told as notes."""
        if not self.kernel.text:
            return [Finding("ir", 0, self.kernel.errors[:300])]
        left = {loop.line for loop in self.kernel.loops}
        own = [
            p.line for p in self.source.marked("pipeline") if self.source.is_own(p.line)
        ]  # of headers one may use a part
        gone = [line for line in own if line not in left]
        text = "no loop is left here (one turn, or unrolled)"
        notes = [Finding("ir-gone", line, text, is_note=True) for line in gone]
        return self._sorted([*notes, *(f for r in ON_THE_IR for f in _found(r, r(self.kernel)))])

    @property
    def findings(self) -> list[Finding]:
        """All of them."""
        return self.on_the_tree + self.on_the_ir

    def _sorted(self, found: Sequence[Finding]) -> list[Finding]:
        return sorted({replace(f, function=self._function(f.line)) for f in found})

    def _function(self, line: int) -> str:
        at = self.source.function_at(line)
        return at.spelling if at is not None else ""

    @property
    def reached(self) -> list[Reached]:
        """What the pipelined loops reach."""
        return [
            Reached(self._function(x.line), x.line, x.ii, interval(self.kernel, x), x.time.depth)
            for x in self.kernel.loops
        ]


def _found(r: Rule[Any], said: Said) -> list[Finding]:
    return [Finding(r.key, line, text, is_note=r.is_note(text)) for line, text in said]


def interval(k: Kernel, loop: Loop) -> int:
    """Return the interval that ports, memories and ways round leave; a way that is tight keeps what is asked."""
    worst = loop.time.round()
    ways = [worst.ns] if worst is not None and worst.ns >= schedules.ROUGH * loop.ii * k.budget else []
    ways += [ns for _, ns in memories.through_memory(k, loop)]
    ports = [memories.needed_for(k, *each) for each in memories.accesses(k, loop)]
    return max([loop.ii, *map(loop.time.cycles, ways), *ports])
