"""How many AXI streams one loop of a PL kernel serves, and what is said where that is more than logic chooses among well.

A loop at II=1 waits for each of its streams, and sends to or takes from any of them in a cycle: one handshake that fans out
over all, and a choice of a word of each. AMD's own switch for AXI streams has at most 16 interfaces a side [PG085, Switch
Properties]; a kernel with more in one loop may not close at its clock. Processes of kernels with frame buffers share them;
readers of streaming kernels are as many as keep below it where the channels allow.
"""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.pl.streams import MOST_STREAMS, TiledStreams, shares_of
from aieloom.plan.types import ArrayPart


def served(kernel: PlKernel) -> int:
    """Return the most streams that one loop of a kernel between layers serves."""
    if kernel.lines:  # each stream that leaves has a task of its own
        return max((_read(p.inlet) // p.tasks.readers for p in kernel.lines.parts), default=1)
    ends: tuple[Inlet | Outlet, ...] = (*kernel.inlets, *kernel.outlets)
    shares = [shares_of(end.streams.streams) for end in ends]
    # a process for each, and the one that has their order
    return max(max(len(s), *map(len, s)) for s in shares)


def _read(inlet: Inlet) -> int:
    return inlet.streams.streams if isinstance(inlet.streams, TiledStreams) else 1


def crowded_loops(plan: ArrayPart) -> Iterator[str]:
    """Yield a line for each kernel of the programmable logic with a loop of too many streams."""
    for kernel in plan.pl:
        many = served(kernel)
        if many > MOST_STREAMS:
            yield f"{_crowded(kernel.name, many, kernel.clock_mhz)}; readers: of more would share them"
    yield from movers(plan.movers)


def movers(kernels: tuple[MoverPlan, ...]) -> Iterator[str]:
    """Yield a line for each mover with too many streams."""
    for mover in kernels:
        if mover.streams > MOST_STREAMS:
            yield f"{_crowded(mover.name, mover.streams, mover.clock_mhz)}; fewer rows or columns of chains have fewer"


def _crowded(name: str, streams: int, mhz: float) -> str:
    most = f"more than the {MOST_STREAMS} of AMD's switch (PG085)"
    return f"{name} serves {streams} AXI streams in one loop, {most}: it may not close at {mhz:g} MHz"
