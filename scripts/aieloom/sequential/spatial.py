"""A part of the network whose layers have cores and kernels of their own, in a design whose other layers run in turn.

Its images stream through a graph on the array, as those of a design that is spatial as a whole: the same plan, kernels and
movers. For the host program it is one command: it lays a batch out as the part's movers read it, starts them, and lays
out what they give, pixel by pixel, as the engines read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from aieloom.emit.files import FileTree
from aieloom.emit.names import WEIGHTS_HEADER, output_names
from aieloom.emit.project import render as rendered
from aieloom.errors import CannotFit
from aieloom.network.layers import Parameters
from aieloom.network.tensor import TensorType
from aieloom.plan.nets import nets_of
from aieloom.plan.route import route
from aieloom.plan.types import ArrayPart
from aieloom.spec.device import Device
from aieloom.units.types import LayerStep, Use, logic_use

OP = "spatial"
CORES = "cores"  # the unit that its layers are as one
RULE = "hybrid-1"
OURS = (
    "src/aie/",
    "src/pl/",
    "src/include/aieloom/pl/",
    WEIGHTS_HEADER,
)  # of a spatial design's files: host program and system are the whole design's


@dataclass(frozen=True, slots=True, kw_only=True)
class SpatialStep(LayerStep):
    """A part from the tensor `inputs[0]` to that of `layer`, the last of its `layers`."""

    layer: str
    layers: tuple[str, ...]
    inputs: tuple[str, ...]
    x: TensorType
    y: TensorType
    plan: ArrayPart
    unit: ClassVar[str] = CORES
    called: ClassVar[None] = None

    @property
    def op(self) -> str:
        """What it is, where layers have their operator."""
        return OP

    @property
    def masters(self) -> int:
        """Masters of the network on chip."""
        return len(self.plan.movers) * self.plan.copies

    @property
    def why(self) -> tuple[str, ...]:
        """How it runs."""
        cost = self.plan.cost
        return (
            f"{', '.join(self.layers)}: {self.plan.cores} cores of their own in columns {self.columns}",
            f"an image every {cost.interval_us:,.2f} us, {cost.latency_us:,.1f} us from memory to memory, slowest "
            f"{cost.bottleneck} ({cost.produced_by})",
        )

    @property
    def columns(self) -> str:
        """Columns of the array in which its cores lie."""
        found = {col for la in self.plan.all_aie for col, _ in la.tiles}
        return f"{min(found)} to {max(found)}"

    @property
    def leaves(self) -> Device:
        """What it leaves to the engine on the array: the columns to the right of its cores, buffers and streams, and the logic.

        Raises:
            CannotFit: no column of the interface is left.
        """
        plan = self.plan
        tiles = [tile for la in plan.all_aie for tile in la.tiles] + [b.tile for b in plan.buffers]
        taken = 1 + max((*(col for col, _ in tiles), *(p.column for p in plan.plios)))
        if taken > plan.device.array.plio_columns[1]:
            text = f"layers with cores of their own have all columns of the interface up to {taken - 1}"
            raise CannotFit(rule=RULE, text=text, remedy="give fewer layers cores of their own")
        use = self._use
        names = ("dsp", "lut", "ff", "bram36", "uram288")
        return plan.device.beside(taken, {name: getattr(use, name) for name in names}, self.masters)

    def crosses(self, other: ArrayPart) -> bool:
        """Tell whether its streams and another graph's find no ways through the switches together."""
        return not route(self.plan.device, (*nets_of(self.plan), *nets_of(other))).feasible

    @property
    def _use(self) -> Use:
        return logic_use((*self.plan.pl, *self.plan.movers))

    @property
    def dsp(self) -> int:
        """DSP slices of its kernels."""
        return self._use.dsp

    @property
    def lut(self) -> int:
        """LUTs of its kernels and movers."""
        return self._use.lut

    @property
    def ff(self) -> int:
        """Flip-flops of its kernels and movers."""
        return self._use.ff

    @property
    def bram(self) -> int:
        """Block RAMs of its kernels and movers."""
        return self._use.bram36

    @property
    def uram(self) -> int:
        """UltraRAM blocks of its kernels."""
        return self._use.uram288


def sources_of(step: SpatialStep, parameters: Mapping[str, Parameters]) -> FileTree:
    """Return the part's kernels, graph and movers, and the weights that the host program sends it."""
    return {name: text for name, text in rendered(step.plan, parameters).items() if name.startswith(OURS)}


def source_names(step: SpatialStep) -> tuple[str, ...]:
    """Return the files that `sources_of` makes, without making them."""
    return tuple(name for name in output_names(step.plan) if name.startswith(OURS))
