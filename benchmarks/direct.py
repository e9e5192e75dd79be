"""Convolutions by im2col and directly, side by side by the cost model: the table in docs/search.md.

    python -m benchmarks.direct

Every layer alone on one core with all its output channels, at the cut that is best by the model, 64-bit streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aieloom.cost.parameters import model_name
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.layout.grid import TileGrid
from aieloom.ops import REGISTRY
from aieloom.ops.conv2d import Conv2d
from aieloom.ops.product import Conv2dMapping
from aieloom.plan.cost import array_cycles, stream_cycles
from aieloom.plan.layer_streams import input_words
from aieloom.spec.types import Buffers
from aieloom.strategies import cut_of

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = (("resnet8", "vck190"), ("resnet8", "vek280"), ("mnist", "vek280"))
STRATEGIES = ("im2col_gemm", "direct")
BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cut:
    """A layer on one core, by the model."""

    interval: float  # AIE cycles of an image, the core and its streams side by side
    kernel: float  # of them, what the kernel takes
    words: int  # of an image, into the core
    mmul: tuple[int, int, int]
    tile: tuple[int, int, int]


def cuts(project: Project, name: str, strategy: str) -> Iterator[Cut]:
    """Yield every cut of a layer that fits one core's own memory."""
    network, device = project.planned, project.array.device
    layer = next(la for la in network.layers if la.name == name)
    operator, dtype = REGISTRY["conv2d"], layer.x.dtype
    assert isinstance(operator, Conv2d)
    mapping = Conv2dMapping.model_validate({"strategy": strategy, "plio": BITS})
    gemm = cut_of(operator.product(network.spec, device, layer, mapping))

    def stream(elements: int) -> float:
        return stream_cycles(device, elements * dtype.bytes, BITS, device.clocks.default_pl_mhz)

    for mode in gemm.modes():
        for tile in gemm.tilings(mode):
            grid: TileGrid = gemm.grid(mode, tile, 1)
            if grid.parts > 1 or gemm.odd_words(tile, BITS):
                continue
            for buffers in Buffers:
                memory = gemm.kept(grid, buffers)
                if memory and memory.memories == 1:
                    kernel = gemm.cycles(mode, grid) + gemm.conflicts(mode, grid, buffers, memory)
                    times = (stream(grid.in_elements), stream(grid.out_elements))
                    interval, _ = array_cycles(grid, buffers, kernel, *times)
                    words = input_words(grid, dtype, BITS)
                    yield Cut(
                        interval=interval,
                        kernel=kernel * grid.rounds,
                        words=words,
                        mmul=mode.shape,
                        tile=tile,
                    )


def rows() -> Iterator[str]:
    """Yield the table as Markdown."""
    yield "| project, board | layer | words in | kernel, cycles | core and streams, cycles | tile, mmul of direct |"
    yield "|---|---|---|---|---|---|"
    for name, target in PROJECTS:
        project = open_project(ROOT / "projects" / name, target=target)
        for layer in (la for la in project.array.aie if la.draft.op == "conv2d"):
            found = [min(cuts(project, layer.name, s), default=None) for s in STRATEGIES]
            im2col, direct = found
            if im2col is None or direct is None:
                continue  # no core alone holds all its channels
            pairs = (
                (im2col.words, direct.words),
                (im2col.kernel, direct.kernel),
                (im2col.interval, direct.interval),
            )
            cells = " | ".join(f"{a:,.0f} / {b:,.0f}" for a, b in pairs)
            how = f"{list(direct.tile)}, {list(direct.mmul)}"
            dtype = layer.draft.dtype.value
            yield f"| {name}, {target}, {dtype} | {layer.name} | {cells} | {how} |"
    yield ""
    yield f"im2col / direct; modelled by {model_name()}, kernel calls by schedules of their code."


def main() -> None:
    """Print the table."""
    for line in rows():
        print(line)


if __name__ == "__main__":
    main()
