"""The steps of a network that runs one after another: what each computes, on what, and the tensor that it makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

from aieloom.layout.channel_words import LANES
from aieloom.layout.grid import Window
from aieloom.network.layers import Requant
from aieloom.network.tensor import TensorType
from aieloom.pl.steps import ELEMENTWISE
from aieloom.plan.processor import Function
from aieloom.sequential.engine import NAME
from aieloom.sequential.recurrent import RecurrentStep
from aieloom.sequential.row_unit import RowStep, filled
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.vector import VectorForm
from aieloom.spec.network import GRAPH_INPUT
from aieloom.units.types import VIEW, LayerStep, Task


class Mode(Enum):
    """How a layer's channels meet on the engine."""

    WHOLE = "whole"  # every output channel sees every input channel
    GROUPS = "groups"  # groups of whole words
    DEPTHWISE = "depthwise"  # every channel sees itself
    FILLED = "filled"  # groups that are no whole words: as WHOLE, with zeros between them


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOrder:
    """In which order the array adds floats: K in passes of `parts` x `depth`, whose sums are added one after another."""

    parts: int
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SumBehind:
    """An addition of another tensor to a product, on the product's way to memory."""

    step: Function
    form: VectorForm
    first: bool  # the product is the first of the two
    made: TensorType  # what the product is
    bounds: Function | None = None  # the float32 relu or clip behind it


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadProduct:
    """Of every head: rows of the first operand's channels times columns made of the second one's."""

    product: int  # SCORES or MIX of heads.py
    heads: int
    first: int  # channel with which the first operand begins
    width: int  # its channels of a head, whole words
    other_first: int  # channel with which the second operand begins
    other_width: int  # its channels of a head, whole words
    tokens: int  # its rows
    transposed: bool  # its rows are columns of the product
    zero: int  # of the first operand
    zero_y: int
    part_of: str

    @property
    def columns(self) -> int:
        """Columns of a head's product."""
        return self.tokens if self.transposed else self.other_width

    @property
    def depth(self) -> int:
        """Places of K that count."""
        return self.other_width if self.transposed else self.tokens

    @property
    def held_words(self) -> int:
        """Words of the second operand of a head, in banks of 16 rows."""
        return filled(self.tokens) * self.other_width // LANES


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvStep:
    """A convolution or product on the engine, with the bounds that a float32 relu or clip behind it has."""

    layer: str
    op: str
    x: TensorType
    y: TensorType
    inputs: tuple[str, ...]
    gives: str  # the tensor that it makes: its own, or that of what is fused into it
    window: Window
    mode: Mode
    groups: int
    has_bias: bool
    requant: Requant | None
    low: float = float("-inf")
    high: float = float("inf")
    others: tuple[TensorType, ...] = ()
    sum: SumBehind | None = None  # then the second input is the other tensor, and y what the sum is
    origin: ConvStep | None = None  # what it is of a network whose input is not folded (with_folded_input)
    sets: int = 0  # of a product of two activations, the second of which is the other: pairs of matrices, one for each head
    heads: HeadProduct | None = None  # of attention, heads side by side: the second operand is the other
    order: AddOrder | None = None  # of floats on the array
    unit: ClassVar[str] = NAME
    called: ClassVar[None] = None
    rounds: ClassVar[bool] = False
    why: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[int] = 0

    @property
    def product(self) -> ConvStep:
        """Itself: what an engine multiplies."""
        return self

    @property
    def part_of(self) -> str:
        """The layer whose trained tensors it reads."""
        return self.heads.part_of if self.heads else self.layer

    @property
    def taken(self) -> TensorType:
        """What it reads first, as the network has it."""
        return (self.origin or self).x

    def reading(self, inputs: tuple[str, ...]) -> ConvStep:
        """Return it with other inputs."""
        return replace(self, inputs=inputs)

    @property
    def made(self) -> TensorType:
        """What the product itself is."""
        return self.sum.made if self.sum else self.y

    @property
    def products(self) -> int:
        """Multiplications of an image that the layer's definition has."""
        if self.heads:
            return self.heads.heads * self.y.pixels * self.heads.columns * self.heads.depth
        return self.y.elements * (self.origin or self).window.taps // self.groups

    @property
    def fold(self) -> tuple[int, int]:
        """Rows and columns of the image that are channels of one pixel of x."""
        return self.origin.window.stride if self.origin else (1, 1)

    @property
    def engine_groups(self) -> int:
        """Groups that the engine goes through."""
        return self.groups if self.mode is Mode.GROUPS else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewStep(LayerStep):
    """A layer that gives its values another shape, and leaves them where they lie in device memory; or an input of several.

    Such an input's values are brought as each reader wants them, as those of a network's only input are.
    """

    step: Function
    unit: ClassVar[str] = VIEW

    @property
    def layer(self) -> str:
        """Its name."""
        return self.step.layer

    @property
    def op(self) -> str:
        """Its operator."""
        return self.step.op

    @property
    def x(self) -> TensorType:
        """What it reads."""
        return self.step.x

    @property
    def y(self) -> TensorType:
        """What it gives."""
        return self.step.y

    @property
    def inputs(self) -> tuple[str, ...]:
        """The layer that it reads."""
        return self.step.inputs

    @property
    def called(self) -> Function | None:
        """One of several inputs, as the processor takes it out of all of them for its layer alone."""
        return self.step if self.op == GRAPH_INPUT else None

    def reading(self, inputs: tuple[str, ...]) -> ViewStep:
        """Return it with other inputs."""
        return replace(self, step=self.step.reading(inputs))

    @property
    def why(self) -> tuple[str, ...]:
        """Why it costs nothing."""
        if self.called:
            return (f"input of the network, {self.y}: brought with the images, as its readers want it",)
        return (f"{self.op}: values are read as they lie, {self.x} as {self.y}",)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStep(LayerStep):
    """A processor's results as the elements that a quantised model rounds them to: nearest, halves to even, saturated."""

    layer: str
    x: TensorType
    y: TensorType
    inputs: tuple[str, ...]
    op: str = "rounded"
    others: tuple[TensorType, ...] = ()
    called: ClassVar[None] = None
    rounds: ClassVar[bool] = True

    @property
    def why(self) -> tuple[str, ...]:
        """What it does."""
        return (f"{self.x} as {self.y}: the model quantises what {self.inputs[0]} gives",)


Step = RoundStep | ConvStep | Function | RowStep | RecurrentStep | ViewStep | SpatialStep


def products_of(steps: Iterable[Step]) -> tuple[ConvStep, ...]:
    """Return what engines multiply."""
    return tuple(s.product for s in steps if s.product)


def task_of(step: Step, unit: str, form: object) -> Task:
    """Return a step as what a unit does, which knows `form` of it."""
    return Task(
        name=step.layer,
        layers=tuple(dict.fromkeys((step.layer, step.gives))),
        op=step.op,
        xs=(step.x, *step.others),
        y=step.y,
        inputs=step.inputs,
        unit=unit,
        form=form,
    )


def is_by_place(step: Function) -> bool:
    """Tell whether a layer on the processor makes each element of those at its place, and fills whole words.

    Its tensors are then taken as they lie in memory: their order is all the same.
    """
    if step.kind != ELEMENTWISE and step.op != "add":
        return False
    types = (step.x, *step.others, step.y)
    return all(t.shape == step.y.shape for t in types) and step.y.shape[0] % LANES == 0
