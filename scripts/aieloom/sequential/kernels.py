"""The kernels in the logic of a design that runs layer by layer, as units, and their links to memory and to the array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from aieloom.plan.clocks import origin
from aieloom.plan.whole import cores_of, inside, wired
from aieloom.sequential import recurrent_unit as ru
from aieloom.sequential import row_unit
from aieloom.sequential import vector as vu
from aieloom.sequential.emit_array import ISSUER_PORTS, MEMORY_PORTS, connections, counts, trained_ports
from aieloom.sequential.engine import NAME, PORTS
from aieloom.sequential.onchip import emit as on_rows
from aieloom.sequential.plan import TAKEN, InTurn
from aieloom.strategies.array_gemm.plan import NAME as ARRAY
from aieloom.units.logic import clock_origin, tags_of
from aieloom.units.types import Bank, End, Link, Logic, Turn, Unit, Use


def units_of(design: InTurn) -> tuple[Unit, ...]:
    """Return the cores of an engine on the array, then the kernels in the logic."""
    cores = cores_of(design.graph) if design.graph else ()
    cores = (replace(unit, use=unit.use + _use(design.array)) for unit in cores)
    return (*cores, *_kernels(design))


def links_of(design: InTurn, units: tuple[Unit, ...], turns: Sequence[Turn]) -> Iterator[Link]:
    """Yield the streams, the memory ports, and the ways within the array; `turns` of a batch say what memory has to carry."""
    array = design.graph
    ways = on_rows.connections(design.staying) if design.staying else ()
    if design.array and not design.staying:
        ways = connections(design.array, _beside(design))
    yield from wired(ways, units, array.plios if array else ())
    yield from _memory(design, apart=not in_one_bank(design, turns))
    yield from inside(array) if array else ()


def in_one_bank(design: InTurn, turns: Sequence[Turn]) -> bool:
    """Whether weights lie in the bank of the tensors: where they have to, or where it carries all that a layer moves."""
    rate = design.engine.board.memory.bank_mb_s
    return design.reads_tensors_as_weights or all(turn.bytes <= rate * turn.total_us for turn in turns)


def _use(of: object) -> Use:
    return Use(**{what: getattr(of, name, 0) for what, name in TAKEN.items()})


def _beside(design: InTurn) -> dict[str, int]:
    """Return the compute units of the kernels beside an array's movers."""
    found = {vu.NAME: design.unit, row_unit.NAME: design.row_unit}
    return {name: unit.units if unit else 0 for name, unit in found.items()}


def _ports(design: InTurn) -> dict[str, tuple[str, ...]]:
    """Return the memory ports of each kernel, in the order in which the linker is told of them."""
    if design.staying:
        return on_rows.memory_ports(design.staying)
    array = design.array
    movers = {**MEMORY_PORTS, array.issuer: ISSUER_PORTS[array.sequencer]} if array else {}
    ports = {vu.NAME: vu.PORTS, row_unit.NAME: row_unit.PORTS, ru.NAME: ru.PORTS}
    there = {vu.NAME: design.unit, row_unit.NAME: design.row_unit, ru.NAME: design.recurrent}
    engine = {NAME: PORTS} if design.has_engine else {}
    return movers | engine | {name: ports[name] for name, unit in there.items() if unit}


def _instances(design: InTurn, kernel: str) -> tuple[str, ...]:
    if design.staying:
        return on_rows.unit_names(design.staying, kernel)
    numbers = {**counts(design.array), **_beside(design)} if design.array else {}
    return tuple(f"{kernel}_{i + 1}" for i in range(numbers.get(kernel, 1)))


def _kernels(design: InTurn) -> Iterator[Unit]:
    array, board = design.array, design.engine.board
    clock = origin(array.device, design.mhz) if array else clock_origin(board)
    bodies = {
        NAME: design.engine,
        vu.NAME: design.unit,
        row_unit.NAME: design.row_unit,
        ru.NAME: design.recurrent,
    }
    for kernel in _ports(design):
        body = bodies.get(kernel)
        place = Logic(instances=_instances(design, kernel), clock_mhz=design.mhz, clock_origin=clock)
        yield Unit(name=kernel, body=body, place=place, use=_use(body), lead="" if body else ARRAY)


def _memory(design: InTurn, *, apart: bool) -> Iterator[Link]:
    """Yield the memory ports; weights lie `apart` from tensors, where the board has two banks."""
    tags = tags_of(design.engine.board)
    for kernel, ports in _ports(design).items() if tags else ():
        trained = trained_ports(kernel) if apart else ()
        for number, port in product(range(len(_instances(design, kernel))), ports):
            tag = tags[-1 if port in trained else 0]
            tag = on_rows.bank_of(design.staying, kernel, number) if design.staying else tag
            yield Link(source=End(unit=kernel, port=port, instance=number), target=None, way=Bank(tag=tag))
