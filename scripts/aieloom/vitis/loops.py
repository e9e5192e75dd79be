"""What the compilers say of loops: initiation intervals on the cores and in PL kernels, and registers that went to the stack.

The core compiler tells of each loop in Work/aie/COL_ROW/COL_ROW.log, where it was asked for with --verbose [UG1079, "Software
Pipelining of Loops"]; it schedules a loop several times, and the last time counts. The microcode, Release/COL_ROW.lst, moves
registers to the stack and back by instructions whose names end in .SPIL [AMD's Vitis tutorials, "AI Engine Development"]. HLS
tells of each loop in its log ("Pipelining result").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreLoop:
    """A loop of a core's program: cycles from trip to trip, and what they could not be less than."""

    file: str
    line: int
    cycles: int
    folded: int  # trips that overlap; 0: it is not pipelined
    resources: int | None  # least cycles of a trip by units and slots
    dependences: int | None  # and by what a trip needs of the one before

    @property
    def at(self) -> str:
        """Where it stands."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLoop:
    """A pipelined loop or function of a PL kernel: the initiation interval that was asked for and the one it has."""

    name: str
    asked: int | None
    found: int
    depth: int


_CORE = re.compile(
    r'HW do-loop #(?P<id>\d+) in "(?P<file>[^"]+)", line (?P<line>\d+): \(loop #\d+\) ?:(?: *(?P<cycles>\d+) cycles)?'
    r"|critical cycle of length (?P<dependences>\d+)"
    r"|minimum length due to resources: (?P<resources>\d+)"
    r"|folded over (?P<folded>\d+) iterations?",
    re.IGNORECASE,
)
_KERNEL = re.compile(
    r"Pipelining result : Target II = (NA|\d+), Final II = (\d+), Depth = (\d+), (?:loop|function) '([^']+)'"
)
_SPILL = re.compile(r"\b\w+\.SPIL\b", re.IGNORECASE)


def core_loops(log: str) -> tuple[CoreLoop, ...]:
    """Return the loops of a core's compilation, each as it was scheduled last."""
    found: dict[str, CoreLoop] = {}
    said: dict[str, int] = {}
    for m in _CORE.finditer(log):
        if m["id"] is None:
            said |= {what: int(m[what]) for what in ("dependences", "resources", "folded") if m[what]}
        elif m["cycles"] is None:  # what follows is of this loop
            said = {}
        else:
            found[m["id"]] = CoreLoop(
                file=re.split(r"[/\\]", m["file"])[-1],
                line=int(m["line"]),
                cycles=int(m["cycles"]),
                folded=said.get("folded", 0),
                resources=said.get("resources"),
                dependences=said.get("dependences"),
            )
    return tuple(sorted(found.values(), key=lambda loop: (loop.file, loop.line)))


def kernel_loops(log: str) -> tuple[KernelLoop, ...]:
    """Return the pipelined loops of a PL kernel's synthesis, each as it was told last."""
    found = {
        name: KernelLoop(
            name=name, asked=None if asked == "NA" else int(asked), found=int(final), depth=int(depth)
        )
        for asked, final, depth, name in _KERNEL.findall(log)
    }
    return tuple(found.values())


def spills(listing: str) -> int:
    """Return how many instructions of a core's microcode move registers to the stack or back."""
    return len(_SPILL.findall(listing))


def loops_of_core(work: Path, tile: tuple[int, int]) -> tuple[CoreLoop, ...]:
    """Return the loops of a core of a compiled graph; none where the compiler was not asked for them."""
    return core_loops(_text(_core(work, tile) / f"{tile[0]}_{tile[1]}.log"))


def spills_of_core(work: Path, tile: tuple[int, int]) -> int | None:
    """Return the spilling instructions of a core's microcode; None where there is no listing."""
    listing = _text(_core(work, tile) / "Release" / f"{tile[0]}_{tile[1]}.lst")
    return spills(listing) if listing else None


def _core(work: Path, tile: tuple[int, int]) -> Path:
    return work / "aie" / f"{tile[0]}_{tile[1]}"


def loops_of_kernel(folder: Path, kernel: str) -> tuple[KernelLoop, ...]:
    """Return the loops of a PL kernel that was synthesised below a folder."""
    logs = [p for p in sorted(folder.rglob("*.log")) if kernel in p.parts]
    return kernel_loops("\n".join(_text(log) for log in logs))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
