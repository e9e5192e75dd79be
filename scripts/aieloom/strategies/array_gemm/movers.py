"""The kernels that carry A, B and C between memory and streams, each with a memory port of its own, and how fast they are.

One kernel serves no more streams than AMD's switch for them has interfaces (`MOST_STREAMS`): a matrix with more has several
compute units of one kernel, and a kernel `<name>_rest` for those that are left. So no loop's handshake fans out over
a hundred streams, and a matrix comes over as many ports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aieloom.pl.movers import MOVER_BRAM36, MoverPlan
from aieloom.pl.streams import MOST_STREAMS
from aieloom.plan.banks import Port, banks_of
from aieloom.plan.rates import port_us
from aieloom.spec.device import Device
from aieloom.strategies.array_gemm.cost import CLOCK_MHZ, side_by_side
from aieloom.strategies.array_gemm.grid import ArrayGrid
from aieloom.strategies.array_gemm.types import Request, Unit

MATRICES = ("a", "b", "c")
NAMES = ("load_a", "load_b", "store_c")


def units_of(
    device: Device, request: Request, cut: ArrayGrid, bits: int, *, block_us: float
) -> tuple[Unit, ...]:
    """Return the compute units, matrix after matrix, in the order of their streams, with their banks.

    `block_us` is what the array takes for a block of C.
    """
    found = [u for i in range(len(NAMES)) for u in _units(device, request, cut, bits, matrix=i)]
    ports = [Port(u.name, u.mover.reads_memory, _bytes(cut, u)) for u in found]
    facts = device.memory
    us = max(
        block_us,
        *(u.mover.cycles / u.mover.clock_mhz for u in found),
        *(port_us(facts, p.image_bytes, reads=p.reads_memory) for p in ports),
    )
    banks = banks_of(device.platform.memory_tags, ports, room=facts.bank_mb_s * us)
    return tuple(replace(u, bank=banks[u.name]) for u in found)


def _units(device: Device, request: Request, cut: ArrayGrid, bits: int, *, matrix: int) -> Iterator[Unit]:
    streams = cut.port_streams[matrix]
    for number, first in enumerate(range(0, streams, MOST_STREAMS), 1):
        own = min(MOST_STREAMS, streams - first)
        rest = own < min(MOST_STREAMS, streams)
        kernel = NAMES[matrix] + ("_rest" if rest else "")
        yield Unit(
            matrix=matrix,
            name=f"{kernel}_{1 if rest else number}",
            first=first,
            mover=_mover(device, request, cut, bits, matrix=matrix, kernel=kernel, streams=own),
            bank="",
        )


def _mover(
    device: Device, request: Request, cut: ArrayGrid, bits: int, *, matrix: int, kernel: str, streams: int
) -> MoverPlan:
    together, reads = side_by_side(device, streams, bits), matrix < 2
    words = cut.elements[matrix] * request.types[matrix].bytes * 8 // bits
    return MoverPlan(
        name=kernel,
        reads_memory=reads,
        streams=streams,
        bits=bits,
        memory_bits=together * bits,
        words=words,
        clock_mhz=CLOCK_MHZ,
        cycles=words * -(-streams // together) * (cut.times[1] if reads else 1),
        bram36=MOVER_BRAM36,
        lut=4000,
        task="memory_to_blocks" if reads else "blocks_to_memory",
    )


def _bytes(cut: ArrayGrid, unit: Unit) -> int:
    """Return the bytes that a unit carries for a block of C: all its passes over K, with what fills up memory words."""
    mover = unit.mover
    beats = mover.memory_bits // mover.bits
    words = mover.words * -(-mover.streams // beats) * beats
    return words * mover.bits // 8 * (cut.times[1] if mover.reads_memory else 1)


def stages_of(device: Device, cut: ArrayGrid, units: Sequence[Unit]) -> dict[str, tuple[float, float]]:
    """Return what each matrix' movers take for a block of C, in us: by themselves, and held to what ports and banks carry.

    A bank appears by its tag, with the second figure alone.
    """
    facts = device.memory
    found = dict.fromkeys(NAMES, (0.0, 0.0))
    carried: dict[str, int] = {}
    for unit in units:
        name, own = NAMES[unit.matrix], unit.mover.cycles / unit.mover.clock_mhz
        size = _bytes(cut, unit)
        carried[unit.bank] = carried.get(unit.bank, 0) + size
        held = max(own, port_us(facts, size, reads=unit.mover.reads_memory))
        found[name] = max(found[name][0], own), max(found[name][1], held)
    return found | {bank: (0.0, size / facts.bank_mb_s) for bank, size in carried.items()}
