"""A layer of a circuit as a process of its own, and how its products are folded into cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from aieloom.layout.grid import Window
from aieloom.sequential.engine import FINISH_DSP
from aieloom.sequential.steps import ConvStep, Step
from aieloom.sequential.vector import VectorForm
from aieloom.units.plan import Plan
from aieloom.units.types import Cause

NAME = "circuit"
MODEL = "model of the circuit; nothing of it is measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A layer's process: `lanes` output channels from `depth` input channels a cycle."""

    step: Step = field(metadata={"printed": False})
    window: Window | VectorForm = field(metadata={"printed": False})  # the places of an element of y
    cycles: int  # of an image
    lanes: int = 1
    depth: int = 1
    weights: int = 0  # constants, in bytes

    @property
    def product(self) -> ConvStep | None:
        """The layer, where it is one that multiplies."""
        return self.step.product

    @property
    def products(self) -> int:
        """Products of a cycle; 0 of a layer that multiplies nothing."""
        return self.lanes * self.depth if self.weights else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """What the kernel is made of: a process for each layer, between one that loads an image and one that stores a result."""

    cycles: Mapping[Cause, int]  # of an image, where it is loaded, in the slowest layer, where it is stored
    latency: int  # cycles from an image's first element to its last result

    @property
    def interval(self) -> int:
        """Cycles from image to image: each process has another one."""
        return max(self.cycles.values())


def ways(layer: Fold) -> Iterator[Fold]:
    """Yield a layer's process with each of the numbers of products that it can have a cycle."""
    inputs = layer.product.window.channels if layer.product else 1
    whole = layer.cycles * layer.lanes * layer.depth
    for n, d in product(_widths(layer.step.y.shape[0]), _widths(inputs)):
        yield replace(layer, lanes=n, depth=d, cycles=whole // (n * d))


def folded(smallest: Fold, wanted: int) -> Fold:
    """Return a layer's smallest process, by products and what finishes sums, of at most `wanted` cycles; else its fastest."""
    fast = (way for way in ways(smallest) if way.cycles <= wanted)
    fewest = min(fast, key=lambda w: (w.lanes * (w.depth + FINISH_DSP["int8"]), w.lanes), default=None)
    return fewest or max(ways(smallest), key=lambda w: w.lanes * w.depth)


def _widths(channels: int) -> Iterator[int]:
    """Yield how many channels are taken at once: all, or a power of two, so that it is seen which memories they lie in."""
    return (d for d in range(1, channels + 1) if channels % d == 0 and (d & (d - 1) == 0 or d == channels))


def folds(plan: Plan) -> tuple[Fold, ...]:
    """Return the processes of a circuit's layers, in order."""
    return tuple(task.read(Fold) for task in plan.tasks)
