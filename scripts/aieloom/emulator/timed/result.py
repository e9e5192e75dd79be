"""What a timed run comes to: cycles of each kernel, in a range, and the loops that they hang on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aieloom.emulator.symbols import demangle
from aieloom.emulator.timed.banks import Bank, Places, read_places, stalls
from aieloom.emulator.timed.compile import costs_of
from aieloom.emulator.timed.kernels import FunctionTable, KernelTable, LoopTable
from aieloom.emulator.timed.operations import qualified
from aieloom.emulator.timed.policy import POLICIES
from aieloom.emulator.timed.times import Times, read_times

MUCH = 0.05  # of a kernel's cycles: less is not worth a word


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopCycles:
    """An innermost loop: source lines, iterations in all calls, cycles from one to the next, and what sets them."""

    lines: tuple[int, ...]
    iterations: int
    interval: int
    length: int
    bound_by: str
    policy: str
    why: str
    is_marked: bool
    luck: tuple[str, ...]  # what of it the compiler may find or not: registers, aliasing
    cycles: int  # of all calls at the point
    least: int
    most: int
    stalls: float  # cycles of all calls that accesses to one bank wait for each other


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCycles:
    """A kernel of the graph: cycles of a call that waits for nobody; `bank_stalls`, at memory banks, are not in them."""

    name: str
    function: str
    spelling: str  # with its template's arguments
    source: str
    calls: int
    cycles: float
    least: float
    most: float
    bank_stalls: float
    crowded: float  # more cycles, if what has no register in straight code is stored in cycles of its own
    loops: tuple[LoopCycles, ...]
    guessed: tuple[str, ...]  # routines and operations without a public number
    column: int
    row: int

    @property
    def decides(self) -> LoopCycles | None:
        """The loop on which most of the range hangs; none where the range is a point."""
        wide = max(self.loops, key=lambda loop: loop.most - loop.least, default=None)
        return wide if wide and wide.most > wide.least else None

    @property
    def luck(self) -> tuple[str, ...]:
        """What the compiler's luck decides in the kernel's slowest loop, or in its straight code: registers, aliasing."""
        found = self.slowest.luck if self.slowest else ()
        is_crowded = self.crowded > MUCH * self.cycles and "registers" not in found
        return (*(("registers",) if is_crowded else ()), *found)

    @property
    def slowest(self) -> LoopCycles | None:
        """The loop in which most cycles go by."""
        return max(self.loops, key=lambda loop: loop.cycles, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycles:
    """A timed run: what each kernel's own code takes, and where the time of the whole goes."""

    kernels: tuple[KernelCycles, ...]
    times: Times


def read_cycles(table: Path, program: Path, kernels_list: Path) -> Cycles:
    """Read the counters that a run left, with the cycles of the blocks that stand beside the kernels' objects.

    Args:
        table: what the run wrote, a line for each kernel.
        program: the folder in which the program was built.
        kernels_list: the libraries by kernel source (src/kernels.cpp reads it too).
    """
    libraries = dict(line.split("\t")[:2] for line in kernels_list.read_text(encoding="utf-8").splitlines())
    rows = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()]
    users: dict[str, list[list[str]]] = {}
    for row in rows:
        users.setdefault(row[3], []).append(row)
    costs: dict[str, KernelTable] = {
        source: json.loads(costs_of((program / library).with_suffix(".o")).read_text(encoding="utf-8"))
        for source, library in libraries.items()
    }
    times = table.with_name(f"{table.name}.times")
    places = read_places(times)
    return Cycles(
        kernels=tuple(
            _kernel(row, costs[row[1]], users[row[3]], places.get(row[0], {}))
            for row in rows
            if row[1] in costs
        ),
        times=read_times(times),
    )


def _kernel(
    row: Sequence[str], costs: KernelTable, sharing: Sequence[Sequence[str]], places: Places
) -> KernelCycles:
    kernel, source, symbol, _, calls_text, column, place, counts_text = row
    counts, calls = list(map(int, counts_text.split())), int(calls_text)
    functions = {n: f for n, f in costs["functions"].items() if not n.startswith("_GLOBAL__")}
    if len(sharing) > 1:
        functions = _own(functions, symbol, [r[2] for r in sharing])
    of_library = sum(int(r[4]) for r in sharing if len(sharing) == 1 or r[2] == symbol) or 1
    by_way = {
        w: sum(_sum(f["cycles"][w], f, counts) for f in functions.values()) for w in (*POLICIES, "point")
    }
    own = _of_symbol(symbol, list(functions))
    loops = [
        _loop(f, loop, counts, _banks(f, places, costs["bank_bytes"]) if name in own else {})
        for name, f in functions.items()
        for loop in f["loops"]
    ]
    used = [f for f in functions.values() if any(_counts(f, counts))]
    spelling = _spelling(symbol, [n for n, f in functions.items() if any(_counts(f, counts))])
    return KernelCycles(
        name=kernel,
        function=qualified(spelling),
        spelling=spelling,
        source=source,
        calls=calls,
        cycles=by_way["point"] / of_library,
        least=min(by_way.values()) / of_library,
        most=max(by_way.values()) / of_library,
        bank_stalls=sum(loop.stalls for loop in loops) / of_library,
        crowded=sum(_sum(f["crowded"], f, counts) for f in functions.values()) / of_library,
        loops=tuple(loop for loop in loops if loop.iterations),
        guessed=tuple(sorted({u for f in used for u in f["unknown"]})),
        column=int(column),
        row=int(place),
    )


def _spelling(symbol: str, used: Sequence[str]) -> str:
    """Return a kernel's function as C++ spells it; of a class, the instance that ran."""
    own = _of_symbol(symbol, used)
    return demangle([own[0] if own else symbol])[own[0] if own else symbol]


def _of_symbol(symbol: str, names: Sequence[str]) -> list[str]:
    """Return which of some functions are a kernel's own: the function, or instances of the member that it names."""
    spelled = demangle([symbol, *names])
    return [n for n in names if n == symbol or qualified(spelled[n]) == symbol]


def _own(
    functions: Mapping[str, FunctionTable], symbol: str, others: Sequence[str]
) -> dict[str, FunctionTable]:
    """Return the functions of one kernel among those that share a library on their tile."""
    spelled = demangle(functions)
    theirs = {o for o in others if o != symbol}

    def is_of(name: str, wanted: str) -> bool:
        return name == wanted or spelled[name].startswith(f"{wanted}(")

    return {n: f for n, f in functions.items() if not any(is_of(n, o) for o in theirs)}


def _counts(function: FunctionTable, counts: Sequence[int]) -> Sequence[int]:
    first = function["first"]
    return counts[first : first + len(function["cycles"]["point"])]


def _sum(by_block: Sequence[int], function: FunctionTable, counts: Sequence[int]) -> int:
    """Return what a run's blocks come to."""
    return sum(n * c for n, c in zip(_counts(function, counts), by_block, strict=True))


def _banks(function: FunctionTable, places: Places, bank_bytes: int) -> dict[str, list[frozenset[Bank]]]:
    """Return the banks of a kernel function's parameters; a member function's first one is its object."""
    names, first = function["parameters"], int(function["is_member"])
    return {
        names[argument + first]: [place.banks(bank_bytes) for place in of]
        for argument, of in places.items()
        if argument + first < len(names)
    }


def _loop(
    function: FunctionTable,
    loop: LoopTable,
    counts: Sequence[int],
    banks: Mapping[str, Sequence[frozenset[Bank]]],
) -> LoopCycles:
    iterations = counts[function["first"] + loop["header"]]
    by_way = {w: iterations * n for w, n in loop["intervals"].items()}
    return LoopCycles(
        lines=tuple(loop["lines"]),
        iterations=iterations,
        interval=loop["intervals"][loop["point"]],
        length=loop["length"],
        bound_by=loop["by"],
        policy=loop["point"],
        why=loop["why"],
        is_marked=loop["marked"],
        luck=tuple(loop["luck"]),
        cycles=by_way[loop["point"]],
        least=min(by_way.values()),
        most=max(by_way.values()),
        stalls=iterations * stalls(loop["accesses"], banks),
    )
