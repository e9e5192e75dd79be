"""What the linker's system.cfg prints: compute units, their streams, their memory banks, their clocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aieloom.cpp_text import View, joined
from aieloom.plan.types import Connection
from aieloom.plan.wire import AIE
from aieloom.units.plan import Plan
from aieloom.units.types import Bank, End, Fifo, Logic, Plio


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemView:
    """system.cfg."""

    kernels: Mapping[str, str]  # with their number of compute units, and names [UG1393 connectivity.nk]
    connections: tuple[Connection, ...]
    memory: Mapping[str, str]  # the bank of each memory port
    clocks: tuple[View, ...]

    @property
    def has_array(self) -> bool:
        """Whether part of the system is on the array, which the host program then starts."""
        return any(AIE in (c.source.partition(".")[0], c.target.partition(".")[0]) for c in self.connections)


def system(plan: Plan) -> SystemView:
    """Return what is linked of any design: kernels with their units, streams, memory ports, clocks; all in the plan's order."""
    logic, copies = plan.in_logic, plan.schedule.copies

    def port(end: End) -> str:
        return f"{logic[end.unit].instances[end.instance]}.{end.port}"

    clocks: dict[tuple[int, str], list[str]] = {}
    for place in logic.values():
        clocks.setdefault((round(place.clock_mhz * 1e6), place.clock_origin), []).extend(place.instances)
    streams = []
    for link in plan.links:
        way, source, target = link.way, link.source, link.target
        if target and isinstance(way, Plio):
            array = f"{AIE}.{way.name}"
            ends = (port(source), array) if way.is_input else (array, port(target))
            streams.append(Connection(source=ends[0], target=ends[1], bits=link.bits))
        elif target and isinstance(way, Fifo):
            streams.append(
                Connection(source=port(source), target=port(target), bits=link.bits, depth=way.depth)
            )
    return SystemView(
        kernels={name: _units(place, copies) for name, place in logic.items()},
        connections=tuple(streams),
        memory={port(k.source): k.way.tag for k in plan.links if isinstance(k.way, Bank)},
        clocks=tuple(
            View(hz=hz, units=joined(units, ","), origin=where) for (hz, where), units in clocks.items()
        ),
    )


def _units(place: Logic, copies: int) -> str:
    """Return a kernel's compute units; those of copies have the names that the linker gives by itself."""
    count = len(place.instances)
    return str(count) if count == copies > 1 else f"{count}:{joined(place.instances, ',')}"
