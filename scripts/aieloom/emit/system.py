"""What the linker's system.cfg prints: compute units, their streams, their memory banks, their clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aieloom.cpp_text import joined
from aieloom.plan.clocks import origin
from aieloom.plan.rates import banks
from aieloom.plan.types import Connection, Plan
from aieloom.plan.wire import AIE
from aieloom.spec.board import Board
from aieloom.spec.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitView:
    """A kernel with its compute units: several have the linker's names, `<kernel>_1` and so on [UG1393 connectivity.nk]."""

    kernel: str
    units: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView:
    """A memory port and the bank it is connected to."""

    port: str
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockView:
    """A clock and the compute units that run on it."""

    hz: int
    units: str
    origin: str  # which clock of the platform it is, or is derived from


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemView:
    """system.cfg."""

    kernels: tuple[UnitView, ...]
    connections: tuple[Connection, ...]
    memory: tuple[MemoryView, ...]
    clocks: tuple[ClockView, ...]

    @property
    def has_array(self) -> bool:
        """Whether part of the system is on the array, which the host program then starts."""
        return any(AIE in (c.source.partition(".")[0], c.target.partition(".")[0]) for c in self.connections)


def system_view(plan: Plan) -> SystemView:
    """Return what is linked of a design whose layers have cores and kernels of their own."""
    mhz = {unit.name: unit.clock_mhz for unit in plan.units}
    names = list(mhz)
    tags = banks(plan)
    numbers = range(1, plan.copies + 1)
    units = "1:{0}_1" if plan.copies == 1 else str(plan.copies)
    return SystemView(
        kernels=tuple(UnitView(kernel=n, units=units.format(n)) for n in names),
        connections=plan.connections,
        memory=tuple(
            MemoryView(port=f"{m.name}_{i}.memory", tag=tags[m.name]) for i in numbers for m in plan.movers
        ),
        clocks=tuple(
            ClockView(
                hz=round(f * 1e6),
                units=joined([f"{n}_{i}" for n in names if mhz[n] == f for i in numbers], ","),
                origin=origin(plan.device, f),
            )
            for f in dict.fromkeys(mhz[n] for n in names)
        ),
    )


def joined_systems(one: SystemView, other: SystemView) -> SystemView:
    """Return what is linked of two groups of compute units side by side; those of one clock stand together."""
    clocks: dict[tuple[int, str], str] = {}
    for clock in (*one.clocks, *other.clocks):
        key = (clock.hz, clock.origin)
        clocks[key] = f"{clocks[key]},{clock.units}" if key in clocks else clock.units
    return SystemView(
        kernels=(*one.kernels, *other.kernels),
        connections=(*one.connections, *other.connections),
        memory=(*one.memory, *other.memory),
        clocks=tuple(ClockView(hz=hz, units=units, origin=where) for (hz, where), units in clocks.items()),
    )


def system_of_units(
    units: Mapping[str, Sequence[str]],
    memory: Iterable[tuple[str, str]],
    connections: tuple[Connection, ...] = (),
    *,
    clock_mhz: float,
    clock_origin: str,
) -> SystemView:
    """Return what is linked of compute units on one clock: `units` of each kernel, `memory` as pairs of port and bank."""
    clock = ClockView(
        hz=round(clock_mhz * 1e6),
        units=joined([unit for names in units.values() for unit in names], ","),
        origin=clock_origin,
    )
    return SystemView(
        kernels=tuple(
            UnitView(kernel=kernel, units=f"{len(names)}:{','.join(names)}")
            for kernel, names in units.items()
        ),
        connections=connections,
        memory=tuple(MemoryView(port=port, tag=tag) for port, tag in memory),
        clocks=(clock,),
    )


def system_of_logic(
    board: Board, banks_of_ports: Mapping[str, Mapping[str, int]], *, clock_mhz: float
) -> SystemView:
    """Return what is linked of kernels in the logic, a unit each.

    Args:
        board: with or without an array; where it has banks of memory by name, ports are connected to them.
        banks_of_ports: by kernel and memory port, the number of the bank, modulo what the board has: -1 is the last.
        clock_mhz: of all units.
    """
    tags = board.platform.memory_tags if isinstance(board, Device) else ()
    memory = (
        (f"{kernel}_1.{port}", tags[bank % len(tags)])
        for kernel, ports in banks_of_ports.items()
        for port, bank in ports.items()
        if tags
    )
    units = {kernel: (f"{kernel}_1",) for kernel in banks_of_ports}
    return system_of_units(
        units, memory, clock_mhz=clock_mhz, clock_origin=board.clocks.source.splitlines()[0]
    )
