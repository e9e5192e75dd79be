"""Layers on the processor: what the host program computes before, between and behind the subgraphs of the device.

They compute in float32, whatever the array's type is: elements are made of their results where these enter the array
(the nearest, as of the network's input), and what leaves the array is read as what its elements mean. Nothing is
rounded to elements between two layers on the processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from aieloom.network.tensor import TensorType
from aieloom.pl.steps import Detailed, PlStep
from aieloom.spec.lines import KeyPath
from aieloom.spec.network import INPUT

WHOLE = "whole"  # beside logic.ELEMENTWISE and logic.REORDER: a function of whole tensors


@dataclass(frozen=True, slots=True, kw_only=True)
class PsStep(Detailed):
    """What one layer on the processor does.

    ELEMENTWISE and REORDER are as on programmable logic. WHOLE is `void F(const float* x, ..., float* y)`: the inputs,
    the trained tensors `weights`, the result, each in order of channel, row and column.
    """

    layer: str
    layer_index: int
    op: str
    at: KeyPath
    kind: str  # ELEMENTWISE, REORDER or WHOLE
    function: str
    folder: str  # of templates
    template: str
    detail: object
    x: TensorType
    y: TensorType
    operations: int  # of one image
    why: tuple[str, ...]
    reason: str = ""  # why it is on the processor: the planner writes it
    inputs: tuple[str, ...] = ()  # the layers that it reads, or INPUT: the planner writes them
    others: tuple[TensorType, ...] = ()  # types of the inputs behind the first, x
    weights: tuple[str, ...] = ()  # its trained tensors, in the order of the function's arguments
    logic: ClassVar[None] = None
    lines: ClassVar[None] = None  # no part of an image is enough
    passes: ClassVar[None] = None
    beats: ClassVar[str] = ""
    bram36: ClassVar[int] = 0  # it takes nothing of the logic

    @property
    def host(self) -> PsStep:
        """Itself: a layer on the processor."""
        return self


Function = PlStep | PsStep  # a layer whose C++ function is called


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """The layers between two subgraphs of the device, in order of evaluation; `stage` is what the cost model calls them."""

    stage: str
    steps: tuple[PsStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorPlan:
    """The layers on the processor: a segment before each subgraph of the device, and one behind the last."""

    segments: tuple[Segment, ...]

    @property
    def steps(self) -> tuple[PsStep, ...]:
        """All of them, in order of evaluation."""
        return tuple(step for segment in self.segments for step in segment.steps)


BEFORE, AFTER = "host_before", "host_after"


class Passage(Protocol):
    """What of a network the device computes between two segments: from one tensor to another."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def sends(self) -> str:
        """The tensor that goes to the device."""
        ...

    @property
    def receives(self) -> str:
        """The tensor that comes back."""
        ...

    @property
    def x(self) -> TensorType:
        """What is sent."""
        ...


def processor_plan(steps: Sequence[PsStep], subgraphs: Sequence[Passage]) -> ProcessorPlan:
    """Return the layers on the processor: each as early as what it reads is there."""
    ready = {INPUT: 0, **{s.receives: number for number, s in enumerate(subgraphs, 1)}}
    found: list[list[PsStep]] = [[] for _ in range(len(subgraphs) + 1)]
    for step in steps:
        ready[step.layer] = max(ready[name] for name in step.inputs)
        found[ready[step.layer]].append(step)
    names = (BEFORE, *(f"{BEFORE}_{s.name}" for s in subgraphs[1:]), AFTER)
    segments = (Segment(stage=n, steps=tuple(s)) for n, s in zip(names, found, strict=True))
    return ProcessorPlan(segments=tuple(segments))
