"""The plan of a kernel of the programmable logic: inlets, steps with the memories between them, outlets.

What it keeps of an image decides how it works. With frame buffers (`FrameStore`) its processes hand on whole images, in
dataflow. With line buffers (`LineStore`) its tasks hand on a few values a cycle and keep the rows that windows still need.
Several inlets meet in a join, its first step; several outlets are a fork. One inlet and one outlet are the case of one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from aieloom.network.tensor import TensorType
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.line_store import LinePart, LineStore
from aieloom.pl.steps import JOIN, PlStep
from aieloom.pl.storage import BRAM_SHARE, Figures
from aieloom.pl.streams import Streams

# Flip-flops for each LUT of logic (estimates), as AMD's designs for the VCK190 report: an FFT in HLS 1.6, a product's movers in
# HLS 2.0 [Vitis-Tutorials, AI Engine design tutorials 06 and 10, resources].
FF_PER_LUT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameStage:
    """A WINDOW or JOIN step with the frame buffer that it reads; a JOIN reads those of all inlets."""

    window: PlStep
    holds: TensorType  # what the buffer holds, as its producer gave it
    storage: str  # bram | uram


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameStore:
    """Frame buffers: those that stages read, and before each outlet one from which the result is gathered."""

    stages: tuple[FrameStage, ...]
    holds: TensorType  # what the last ones hold


@dataclass(frozen=True, slots=True, kw_only=True)
class PlKernel(Figures):
    """A kernel between layers on the array, other kernels and memory, image after image."""

    name: str
    steps: tuple[PlStep, ...]
    inlets: tuple[Inlet, ...]
    outlets: tuple[Outlet, ...]
    read_order: tuple[int, ...]  # the inlets in the order of those who send them: see plan.graph
    x: TensorType  # what arrives at the first inlet, before the steps
    y: TensorType  # what leaves
    store: FrameStore | LineStore
    clock_mhz: float

    @property
    def output(self) -> str:
        """Its source file, below the build folder."""
        return f"src/pl/{self.name}.cpp"

    @property
    def frames(self) -> FrameStore | None:
        """Its frame buffers; None where it keeps lines."""
        return self.store if isinstance(self.store, FrameStore) else None

    @property
    def lines(self) -> LineStore | None:
        """Its line buffers; None where it keeps whole images."""
        return self.store if isinstance(self.store, LineStore) else None

    @property
    def part(self) -> LinePart | None:
        """What keeps all its lines, where one part does all its work; else None."""
        return self.store.only if isinstance(self.store, LineStore) else None

    @property
    def ff(self) -> int:
        """Flip-flops (estimate)."""
        return FF_PER_LUT * (self.lut - self.lutram)

    @property
    def source(self) -> Streams:
        """The streams of the first inlet."""
        return self.inlets[0].streams

    @property
    def sink(self) -> Streams:
        """The streams of the first outlet."""
        return self.outlets[0].streams

    @property
    def storage(self) -> str:
        """Memory of the first outlet's buffer."""
        return self.outlets[0].storage

    @property
    def join(self) -> PlStep | None:
        """Its join, if it has one."""
        return self.steps[0] if self.steps and self.steps[0].kind == JOIN else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A kernel before its buffers are: what enters, what is done, and where the result goes."""

    name: str
    steps: tuple[PlStep, ...]
    inlets: tuple[Inlet, ...]
    outlets: tuple[Outlet, ...]  # with the storage still open
    read_order: tuple[int, ...]
    clock_mhz: float
    bram_share: float = BRAM_SHARE  # 0: all its frame buffers are UltraRAM
    nearly: float = 1.0  # times the fewest cycles that it may take for less memory, where it keeps lines

    @property
    def x(self) -> TensorType:
        """What arrives at the first inlet."""
        return self.inlets[0].x

    @property
    def y(self) -> TensorType:
        """What leaves."""
        return self.steps[-1].y if self.steps else self.x

    @property
    def join(self) -> PlStep | None:
        """Its join, if it has one."""
        return self.steps[0] if self.steps and self.steps[0].kind == JOIN else None

    def kernel(
        self,
        store: FrameStore | LineStore,
        figures: Figures,
        *,
        inlets: tuple[Inlet, ...],
        outlets: tuple[Outlet, ...],
    ) -> PlKernel:
        """Return the kernel with what it keeps and takes; its inlets and outlets are those of the sketch with their buffers."""
        taken = {field.name: getattr(figures, field.name) for field in fields(Figures)}
        return PlKernel(
            name=self.name,
            steps=self.steps,
            inlets=inlets,
            outlets=outlets,
            read_order=self.read_order,
            x=self.x,
            y=self.y,
            store=store,
            clock_mhz=self.clock_mhz,
            **taken,
        )
