"""The rate of a design, three times: its array alone, with its movers and the device's memory, and with the host program.

Each figure is at most the one before it. The first is the event simulation's, in which memory gives a mover a word in each
cycle. The second holds a mover to what a port of the board was seen to carry, and all ports of a bank to what the bank
does. The third adds what the processor does: it brings images to the device's buffers and results from them while the
device works on another batch, and starts the movers for each batch. See docs/evidence/rates.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aieloom.pl.movers import MoverPlan
from aieloom.plan.banks import Port, banks_of
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.types import ArrayPart
from aieloom.spec.board import MemoryFacts
from aieloom.spec.types import DataType
from aieloom.words import plural

BATCH_BYTES = 4 << 20  # of a buffer: so many images that starting a batch is little beside it
MOVERS = 2  # of a subgraph: from memory and back
HOST = "the host program"
SYNCS = 2  # of a batch: its images before it starts, its results behind it


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Time between two images, what sets it, and what it leaves out."""

    what: str
    interval_us: float
    bottleneck: str
    leaves_out: str

    @property
    def images_per_s(self) -> float:
        """Images a second."""
        return 1e6 / self.interval_us


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCount:
    """What the host program does: for each image, for each batch, once a run.

    `copied_bytes` are moved in blocks; `moved_elements` one by one, where the program tiles images itself. Images come as the
    device's elements; those of float32 values are converted as well, `converted_elements` for each image.
    """

    images: int  # of a batch
    copied_bytes: int
    moved_elements: int
    converted_elements: int
    kernel_starts: int
    syncs: int
    graph_starts: int
    run_starts: int  # of kernels that keep whole images, once a run as the graph
    image_us: float
    batch_us: float
    run_us: float
    conversion_us: float  # of an image of float32 values
    overlaps: bool  # images are brought while the device works; else before it does
    share: float  # of the device's time that it adds

    @property
    def text(self) -> str:
        """The count for people."""
        moved = f", {self.moved_elements:,} elements tiled one by one" if self.moved_elements else ""
        kernels = f", {plural(self.run_starts, 'kernel start')}" if self.run_starts else ""
        return (
            f"the host program, for an image: {self.copied_bytes:,} bytes copied{moved} ({self.image_us:.3g} us, "
            f"{'while' if self.overlaps else 'before'} the device works); for a batch of {self.images:,}: "
            f"{self.kernel_starts} kernel starts, {self.syncs} synchronisations ({self.batch_us:.0f} us); once: "
            f"{self.graph_starts} graph start{kernels} ({self.run_us:.0f} us); "
            f"its own cost {self.share:.1%} of the device's time"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What layers on the processor cost beside their own work.

    Values are copied to the device and back, and every further subgraph of the device is started and synchronised: for each
    image of a batch, and for the first one.
    """

    interval_us: float
    latency_us: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The three figures. `memory` is the one that stands alone where there is room for one."""

    array: Rate
    memory: Rate
    system: Rate
    host: HostCount

    @property
    def all(self) -> tuple[Rate, Rate, Rate]:
        """The three, the most optimistic first."""
        return self.array, self.memory, self.system


def batch_images(plan: ArrayPart) -> int:
    """Return the images of a batch: as many as a buffer holds, at least one for each copy of the design."""
    most = max(max(_image_bytes(plan, s)) for s in plan.subgraphs)
    return max(plan.copies if not plan.frame else 1, BATCH_BYTES // most)


def rates_of(plan: ArrayPart, subgraphs_us: Sequence[float], processor_us: float = 0.0) -> Rates:
    """Return the three figures.

    `subgraphs_us` is, for each subgraph, the simulated time between two inputs of one copy of the design (tiles of an
    image, or images); `processor_us` what layers on the processor take of an image.
    """
    share = plan.tiles / plan.copies
    alone = [us * share for us in subgraphs_us]
    bounds = [_memory_us(plan, s) for s in plan.subgraphs]
    limited = [max((own, plan.cost.bottleneck), bound) for own, bound in zip(alone, bounds, strict=True)]
    array = Rate(
        what="the array",
        interval_us=sum(alone) + processor_us,
        bottleneck=plan.cost.bottleneck,
        leaves_out="memory that makes movers wait, and the host program",
    )
    held = [name for (us, name), own in zip(limited, alone, strict=True) if us > own]
    device = sum(us for us, _ in limited) + processor_us
    host, interval = _hosted(plan, device)
    crossing = crossing_of(plan, host)
    memory = Rate(
        what="with its movers and the device's memory" + (", and the processor's turns" if crossing else ""),
        interval_us=device + (crossing.interval_us if crossing else 0),
        bottleneck=held[0] if held else array.bottleneck,
        leaves_out="the host program, and what else uses the memory",
    )
    started = "starts of the graph and of kernels" if host.run_starts else "graph's start"
    own = host.image_us if host.overlaps else host.image_us + host.batch_us / host.images
    waits = own > memory.interval_us
    system = Rate(
        what="end to end with the host program",
        interval_us=interval,
        bottleneck=HOST if waits else memory.bottleneck,
        leaves_out=f"the {started} ({host.run_us:.0f} us a run), and the conversion of images to the input's type"
        + (f" ({host.conversion_us:.3g} us for an image of float32)" if host.converted_elements else ""),
    )
    return Rates(array=array, memory=memory, system=system, host=host)


def least_interval_us(plan: ArrayPart) -> float:
    """Return the least time between two images that memory and the host program allow, however fast the array is."""
    return rates_of(plan, [0.0] * len(plan.subgraphs)).system.interval_us


def _image_bytes(plan: ArrayPart, subgraph: Subgraph) -> tuple[int, int]:
    """Return the bytes of an image and of its result as memory holds them."""
    if plan.frame:
        return plan.x.bytes, plan.y.bytes
    return subgraph.mm2s.image_bytes, subgraph.s2mm.image_bytes


def banks(plan: ArrayPart) -> dict[str, str]:
    """Return the bank that each mover's port is connected to; tables of weights are read once, and count for nothing."""
    tags, facts = plan.device.platform.memory_tags, plan.device.memory
    found = {mover.name: tags[0] for mover in plan.weights}
    for s in plan.subgraphs:
        ends = (s.mm2s, s.s2mm)
        ports = (port_us(facts, m.image_bytes, reads=m.reads_memory) for m in ends)
        us = max(*ports, *(stage.interval_us for stage in plan.cost.stages if stage.name in _stages(s)))
        placed = [Port(m.name, m.reads_memory, m.image_bytes) for m in ends]
        found |= banks_of(tags, placed, room=facts.bank_mb_s * us / plan.copies)
    return found


def _stages(subgraph: Subgraph) -> frozenset[str]:
    """Return the names of what works on a subgraph's images."""
    return frozenset((*subgraph.layers, *subgraph.kernels, subgraph.mm2s.name, subgraph.s2mm.name))


def port_us(facts: MemoryFacts, size: float, *, reads: bool) -> float:
    """Return the least time in which a mover's memory port carries so many bytes."""
    return size / min(facts.port_mb_s, facts.read_mb_s if reads else facts.write_mb_s)


def _memory_us(plan: ArrayPart, subgraph: Subgraph) -> tuple[float, str]:
    """Return the least time of an image that memory allows, and what sets it: a port, or a bank with all its ports."""
    facts, placed = plan.device.memory, banks(plan)
    carried: dict[str, int] = {}
    bounds = []

    def add(mover: MoverPlan) -> None:
        size = mover.image_bytes * plan.tiles
        bounds.append(
            (
                port_us(facts, size / plan.copies, reads=mover.reads_memory),
                f"the memory port of {mover.name}",
            )
        )
        carried[placed[mover.name]] = carried.get(placed[mover.name], 0) + size

    add(subgraph.mm2s)
    add(subgraph.s2mm)
    return max(
        *bounds, *((size / facts.bank_mb_s, f"the memory bank {bank}") for bank, size in carried.items())
    )


def host_of(plan: ArrayPart) -> HostCount:
    """Return what the host program does, whatever the device's pace."""
    return _hosted(plan, math.inf)[0]


def crossing_of(plan: ArrayPart, host: HostCount) -> Crossing | None:
    """Return what it costs that a network's layers are on both sides; None where none is on the processor.

    Nothing of this is hidden behind the device's work, which takes turns with the processor's: a network that is on the
    device alone has its images brought meanwhile, and is started once a batch whatever it computes.
    """
    if plan.processor is None:
        return None
    again = host.batch_us * (1 - 1 / len(plan.subgraphs))
    return Crossing(interval_us=host.image_us + again / host.images, latency_us=host.image_us + again)


def _hosted(plan: ArrayPart, device: float) -> tuple[HostCount, float]:
    """Return the host program's count, and the time between two images with it; the device takes `device` us for one."""
    facts, n = plan.device.processor, batch_images(plan)
    sizes = [_image_bytes(plan, s) for s in plan.subgraphs]
    tiled = [s for s in plan.subgraphs if s.host_im2col]
    elements = sum(s.mm2s.image_bytes // s.x.dtype.bytes for s in tiled)
    copied = sum(a + b for a, b in sizes) - sum(s.mm2s.image_bytes for s in tiled)
    converted = 0 if plan.elements is DataType.FLOAT32 else plan.x.elements + plan.y.elements
    each = facts.cycles_per_operation / facts.mhz
    image_us = copied / facts.copy_mb_s + elements * each
    starts = MOVERS * len(plan.subgraphs) * plan.copies
    batch_us = starts * facts.kernel_start_us + SYNCS * len(plan.subgraphs) * facts.sync_us
    overlaps = plan.processor is None
    interval = (max(device, image_us) if overlaps else device + image_us) + batch_us / n
    count = HostCount(
        images=n,
        copied_bytes=copied,
        moved_elements=elements,
        converted_elements=converted,
        kernel_starts=starts,
        syncs=SYNCS * len(plan.subgraphs),
        graph_starts=1,
        run_starts=run_starts(plan),
        image_us=image_us,
        batch_us=batch_us,
        run_us=facts.graph_start_us + run_starts(plan) * facts.kernel_start_us,
        conversion_us=converted * each,
        overlaps=overlaps,
        share=interval / device - 1,
    )
    return count, interval


def run_starts(plan: ArrayPart) -> int:
    """Return the kernels that the host program starts beside the graph for each run: those that keep whole images."""
    return plan.copies * sum(kernel.frames is not None for kernel in plan.pl)


def rate_lines(rates: Rates) -> Iterator[str]:
    """Yield the three figures for people, and the host program's count."""
    for rate in rates.all:
        yield f"{rate.images_per_s:,.0f} images/s {rate.what}: bound by {rate.bottleneck}; leaves out {rate.leaves_out}"
    yield rates.host.text
