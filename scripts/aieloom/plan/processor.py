"""Layers on the processor: what the host program computes before it sends images and behind what it receives.

They compute in float32, whatever the array's type is: elements are made of their results where these enter the array
(the nearest, as of the network's input), and what leaves the array is read as what its elements mean. Nothing is
rounded to elements between two layers on the processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aieloom.model.tensor import TensorType
from aieloom.spec.lines import KeyPath

WHOLE = "whole"  # beside logic.ELEMENTWISE and logic.REORDER: a function of whole tensors


@dataclass(frozen=True, slots=True, kw_only=True)
class PsStep:
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
    detail: Any
    x: TensorType
    y: TensorType
    operations: int  # of one image
    why: tuple[str, ...]
    reason: str = ""  # why it is on the processor: the planner writes it
    inputs: tuple[str, ...] = ()  # the layers that it reads, or INPUT: the planner writes them
    others: tuple[TensorType, ...] = ()  # types of the inputs behind the first, x
    weights: tuple[str, ...] = ()  # its trained tensors, in the order of the function's arguments

    @property
    def name(self) -> str:
        """The layer's name."""
        return self.layer


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorPlan:
    """The layers on the processor, and the one tensor that goes to the device and the one that comes back."""

    before: tuple[PsStep, ...]  # in order of evaluation: what the sent tensor is made of
    after: tuple[PsStep, ...]
    sends: str  # a layer of `before`, or INPUT
    receives: str  # the layer on the device whose result comes back
    x: TensorType  # as the device takes it
    y: TensorType  # as the device gives it

    @property
    def steps(self) -> tuple[PsStep, ...]:
        """All of them."""
        return (*self.before, *self.after)
