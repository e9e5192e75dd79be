"""What the plan says of a matrix product on the cores: how it is cut, and where its data lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aieloom.plan.layout import TileGrid
from aieloom.plan.memory import MemoryMap
from aieloom.plan.requant import requant_note

if TYPE_CHECKING:
    from aieloom.ops.conv2d.im2col_gemm import Im2colGemm


def why_of(gemm: Im2colGemm, grid: TileGrid, memory: MemoryMap) -> tuple[str, ...]:
    """Return how the layer is cut and why it fits, a line for each fact."""
    m, k, n = gemm.size
    lines = [
        f"M x K x N = {m} x {k} x {n}: output channels x inputs of one output x output pixels",
        f"cut into {grid.parts} x {grid.passes * grid.cascade} x {grid.groups * grid.rounds} tiles of "
        f"{grid.tile_m} x {grid.tile_k} x {grid.tile_n}; "
        f"{grid.parts} x {grid.groups} = {grid.chains} {'cores' if grid.cascade == 1 else 'chains'}",
    ]
    if grid.cascade > 1:
        lines.append(f"each chain is {grid.cascade} cores: K is cut over them, sums pass along the cascade")
    lines += gemm.more(grid)
    if grid.passes > 1:
        where = "an array of 32-bit sums" if gemm.sums_apart else "the output buffer"
        lines.append(f"K in {grid.passes} passes, summed in {where}")
    if grid.rounds > 1:
        lines.append(f"each core works on {grid.rounds} tiles of an image, one after another")
    if memory.memories > 1:
        lines.append(
            f"{memory.used_bytes[0]} B in its own tile, {memory.used_bytes[1]} B in the one beside it: "
            f"together more than {gemm.device.tile.memory_bytes} B"
        )
    if gemm.streamed:
        lines.append("the weights come over streams, once: the cores of all groups share a part's")
    if gemm.layer.requant:
        lines.append(requant_note(gemm.layer.requant))
    return tuple(lines)
