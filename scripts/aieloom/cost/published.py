"""The published ESPCN design: its mapping on the cores, its PL kernels that copy whole frames one loop after another.

Facts: thesis by A. Tzomaka (2022), ch. 4-5: im2col matmul on 160 cores in fp32 (per core 16x16x64, 8x576x8,
4x288x16), tanh by table, im2col and tiling in PL at 260 MHz, movers at 312.5 MHz. Each PL function of that
design walks over a frame at one element a cycle and hands a copy to the next; nothing overlaps within one
image. No parameter here is fitted to the design's own two figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.cost.kernels import Gemm, Values, gemm_kernel
from aieloom.cost.machine import DEFAULT_AIE_MHZ, STREAM_BYTES, Shape

DEPTH = 20  # stages of a pipelined loop: what an HLS loop of this kind takes to fill (estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlLoop:
    """One pipelined loop: a trip starts every `ii` cycles, the first result leaves after `depth`."""

    name: str
    trips: int
    ii: int = 1
    depth: int = DEPTH

    @property
    def cycles(self) -> int:
        """Cycles from first to last."""
        return self.depth + self.ii * self.trips


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLoops:
    """A PL kernel as its loops: in dataflow they overlap image after image, else they follow one another."""

    name: str
    loops: Sequence[PlLoop]
    dataflow: bool
    clock_mhz: float

    @property
    def interval_us(self) -> float:
        """Microseconds between two images."""
        cycles = [loop.cycles for loop in self.loops]
        return (max(cycles) if self.dataflow else sum(cycles)) / self.clock_mhz

    @property
    def latency_us(self) -> float:
        """Microseconds of one image, first word in to last word out, when every loop needs the one before whole."""
        return sum(loop.cycles for loop in self.loops) / self.clock_mhz


PL_MHZ = 260.0
MOVER_MHZ = 312.5
PIXELS = 16 * 16
PUBLISHED_LATENCY_US, PUBLISHED_FPS = 3700.0, 518.0  # thesis by A. Tzomaka (2022); one image, host timer


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedLayer:
    """A layer of the design: channels in and out, kernel, and the product of one core."""

    name: str
    inputs: int
    outputs: int
    kernel: int
    core: tuple[int, int, int]
    follows: str  # what the PL does to its result

    @property
    def taps(self) -> int:
        """Rows of the im2col matrix."""
        return self.inputs * self.kernel**2


LAYERS = (
    PublishedLayer(name="conv1", inputs=1, outputs=64, kernel=5, core=(16, 16, 64), follows="tanh"),
    PublishedLayer(name="conv2", inputs=64, outputs=32, kernel=3, core=(8, 576, 8), follows="tanh"),
    PublishedLayer(name="conv3", inputs=32, outputs=4, kernel=3, core=(4, 288, 16), follows="shuffle"),
)


def published_pl_kernels() -> list[KernelLoops]:
    """Return the PL kernels: one before each layer that gathers and tiles, its source being the layer before."""
    kernels = []
    before = [PlLoop(name="read", trips=PIXELS)]
    for layer in LAYERS:
        matrix = layer.taps * PIXELS
        gather = [PlLoop(name=step, trips=matrix) for step in ("im2col", "tile", "write")]
        kernels.append(
            KernelLoops(name=f"to_{layer.name}", loops=[*before, *gather], dataflow=False, clock_mhz=PL_MHZ)
        )
        result = layer.outputs * PIXELS
        before = [PlLoop(name=step, trips=result) for step in ("read", "untile", layer.follows)]
    kernels.append(KernelLoops(name="to_memory", loops=before, dataflow=False, clock_mhz=PL_MHZ))
    return kernels


def core_us(p: Values, layer: PublishedLayer) -> float:
    """Return microseconds of one core: its input streamed in, the product, its result streamed out."""
    m, k, n = layer.core
    block = Shape(m=4, k=2, n=4, issue=4)
    product = Gemm(
        m=m,
        k=k,
        n=n,
        shape=block,
        rows=2 if m > 4 else 1,  # as its source has it; that two of four blocks are spilled is not counted
        cols=2,
        a_bytes=4,
        b_bytes=4,
    )
    words = (k * n + m * n) * 4 / STREAM_BYTES
    return (gemm_kernel(p, "aie", product).cycles + words + p["iteration"]) / DEFAULT_AIE_MHZ


def published_times(p: Values) -> tuple[float, float]:
    """Return latency and interval of the published design in microseconds."""
    kernels = published_pl_kernels()
    movers = (PIXELS + 4 * PIXELS) / MOVER_MHZ
    latency = sum(k.latency_us for k in kernels) + sum(core_us(p, layer) for layer in LAYERS) + movers
    return latency, max(k.interval_us for k in kernels)
