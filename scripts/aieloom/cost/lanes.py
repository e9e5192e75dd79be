"""The kernel of a direct convolution by aie::mmul as a loop nest: what a counting build counts, and its cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aieloom.cost.generated import Epilogue
from aieloom.cost.kernels import Kernel, turn_cycles
from aieloom.cost.loops import Issue, Loop, Node, Ops


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """One call: in each pass `blocks` of sums in flight, each over the kernel's rows and the blocks of input channels."""

    passes: int
    blocks: int
    trips: int  # kernel rows x blocks of input channels
    taps: int  # kernel columns
    outputs: int  # blocks of output channels in flight
    pixels: int  # blocks of pixels in flight
    columns: int  # blocks of input pixels that a trip loads: those in flight share them from tap to tap
    weight_loads: int  # of 256 bits, of one mmul
    pixel_loads: int
    issue: float  # cycles of one mmul
    split: tuple[
        int, int
    ]  # cycles of splitting the weights and the pixels of one, where products are made of parts
    rows: int  # blocks of output channels in all
    row_blocks: int  # blocks of pixels in all
    end: Epilogue

    @property
    def sums(self) -> int:
        """Blocks of sums in flight."""
        return self.outputs * self.pixels

    @property
    def trip(self) -> Ops:
        """What a trip of the inner loop does; weights and pixels come over a load unit each."""
        weights = self.outputs * self.taps * self.weight_loads
        pixels = self.columns * self.pixel_loads
        splits = self.outputs * self.taps * self.split[0] + self.columns * self.split[1]
        return Ops(
            loads=weights + pixels,
            load_slots=max(weights, pixels),
            macs=self.sums * self.taps * self.issue + splits,
        )


def lane_kernel(p: Mapping[str, float], arch: str, d: Lanes) -> Kernel:
    """Return the kernel of one pass, scaling aside."""
    each = p[f"gemm.block.{arch}"] + turn_cycles(arch)
    return Kernel(nodes=(Loop(trips=d.blocks, body=(_inner(d),), each=each),), issue=Issue(), call=p["call"])


def _inner(d: Lanes) -> Loop:
    return Loop(trips=d.trips, body=(d.trip,), pipelined=True)


def generated_lanes(d: Lanes) -> tuple[Node, ...]:
    """Return one call of the generated kernel, loop by loop as its template writes it."""
    scale, words = d.end.ops, d.end.sum_accesses
    if d.passes == 1:
        block = (Ops(loads=d.outputs * words), _inner(d), scale.times(d.sums))
        return (Loop(trips=d.blocks, body=block),)
    held = d.sums * words
    start = Loop(trips=d.row_blocks, body=(Ops(stores=words),), pipelined=True)
    finish = Loop(trips=d.row_blocks, body=(Ops(loads=words), scale), pipelined=True)
    block = (Ops(loads=held), _inner(d), Ops(stores=held))
    return (
        Loop(trips=d.rows, body=(Ops(loads=words), start)),
        Loop(trips=d.passes, body=(Loop(trips=d.blocks, body=block),)),
        Loop(trips=d.rows, body=(finish,)),
    )
