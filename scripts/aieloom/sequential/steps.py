"""Layers as steps of a network that runs one after another: products for the engine, the rest for the processor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from aieloom.errors import CannotFit, Problem
from aieloom.layout.grid import Window
from aieloom.network.layers import Layer, Network, Requant
from aieloom.network.tensor import TensorType
from aieloom.ops.attention.integer import IntegerAttention
from aieloom.ops.batch_matmul import BatchMatmulSpec, sizes_of
from aieloom.ops.batch_matmul.columns import columns_step
from aieloom.pl.steps import ELEMENTWISE, REORDER, PlStep
from aieloom.plan.integer import integer_step
from aieloom.plan.on_processor import processor_step
from aieloom.plan.operators import TurnOperator
from aieloom.plan.processor import PsStep
from aieloom.reference.forward import forward
from aieloom.sequential.engine import LANES, Element, words_of
from aieloom.sequential.heads import HeadProduct, HeadShape, attention_parts
from aieloom.sequential.recurrent import RecurrentStep
from aieloom.sequential.row_unit import RowStep, row_step
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.vector import (
    BLOCK_WORDS,
    MOST_WEIGHTS,
    Operation,
    VectorForm,
    moved_form,
    vector_form,
)
from aieloom.spec.network import INPUT, NetworkSpec
from aieloom.spec.types import DataType

RULE = "sequential-1"
PRODUCTS = ("conv2d", "dense", "matmul")
ACTIVATIONS = "batch_matmul"  # the product of two activations
BOUNDS = ("relu", "clip")  # what the engine does to float32 sums on their way to memory
WHY = "the engine multiplies; other layers are the processor's"


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

    step: PlStep | PsStep
    form: VectorForm
    first: bool  # the product is the first of the two
    made: TensorType  # what the product is
    bounds: PlStep | PsStep | None = None  # the float32 relu or clip behind it


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
    low: float
    high: float
    others: tuple[TensorType, ...] = ()
    sum: SumBehind | None = None  # then the second input is the other tensor, and y what the sum is
    origin: ConvStep | None = None  # what it is of a network whose input is not folded (with_folded_input)
    sets: int = 0  # of a product of two activations, the second of which is the other: pairs of matrices, one for each head
    heads: HeadProduct | None = (
        None  # of one on the array, whose heads lie side by side: the second is the other
    )
    order: AddOrder | None = None  # of floats on the array

    @property
    def made(self) -> TensorType:
        """What the product itself is."""
        return self.sum.made if self.sum else self.y

    @property
    def products(self) -> int:
        """Multiplications of an image that the layer's definition has."""
        if self.heads:
            return self.heads.heads * self.y.pixels * self.heads.columns * self.heads.depth
        return self.y.elements * unfolded(self).window.taps // self.groups

    @property
    def fold(self) -> tuple[int, int]:
        """Rows and columns of the image that are channels of one pixel of x."""
        return self.origin.window.stride if self.origin else (1, 1)

    @property
    def engine_groups(self) -> int:
        """Groups that the engine goes through."""
        return self.groups if self.mode is Mode.GROUPS else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewStep:
    """A layer that gives its values another shape, and leaves them where they lie in device memory."""

    step: PlStep | PsStep

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
    def others(self) -> tuple[TensorType, ...]:
        """None."""
        return ()

    @property
    def why(self) -> tuple[str, ...]:
        """Why it costs nothing."""
        return (f"{self.op}: values are read as they lie, {self.x} as {self.y}",)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStep:
    """A processor's results as the elements that a quantised model rounds them to: nearest, halves to even, saturated."""

    layer: str
    x: TensorType
    y: TensorType
    inputs: tuple[str, ...]
    op: str = "rounded"
    others: tuple[TensorType, ...] = ()

    @property
    def why(self) -> tuple[str, ...]:
        """What it does."""
        return (f"{self.x} as {self.y}: the model quantises what {self.inputs[0]} gives",)


Step = RoundStep | ConvStep | PlStep | PsStep | RowStep | RecurrentStep | ViewStep | SpatialStep


def trained_name(step: Step) -> str:
    """Return the layer whose trained tensors a step reads: its own, or that which it is a part of."""
    if isinstance(step, RowStep):
        return step.part_of
    return step.heads.part_of if isinstance(step, ConvStep) and step.heads else step.layer


def gives(step: Step) -> str:
    """Return the tensor that a step makes."""
    return step.gives if isinstance(step, ConvStep) else step.layer


def vector_forms(spec: NetworkSpec, steps: tuple[Step, ...], element: Element) -> dict[str, VectorForm]:
    """Return the layers that the vector unit takes, and how: all that it can compute and the user left to it."""
    found: dict[str, VectorForm] = {}
    for step in steps:
        if not isinstance(step, PlStep | PsStep) or on_processor(step.layer, spec):
            continue
        form = vector_form(step, element) or moved_form(step)
        if form is not None:
            found[step.layer] = form
    return found


def with_bfloat16(steps: tuple[Step, ...], network: Network) -> tuple[Step, ...]:
    """Return the steps of a network in bfloat16 with that type where the vector unit takes them.

    It computes in float32 and rounds what it gives; a layer on the processor is given float32, and gives it.
    """
    layers = {layer.name: layer for layer in network.layers}
    forms = vector_forms(network.spec, steps, "float32")

    def typed(step: Step) -> Step:
        layer = layers.get(step.layer)
        if layer is None or layer.y.dtype is not DataType.BFLOAT16 or not isinstance(step, PlStep | PsStep):
            return step
        cast = replace(step, x=layer.x, y=layer.y, others=layer.others)
        return cast if step.layer in forms else step

    return tuple(map(typed, steps))


def depthwise_forms(steps: tuple[Step, ...]) -> dict[str, VectorForm]:
    """Return the depthwise layers of integers whose weights a vector unit holds, and how it is told of them."""
    found: dict[str, VectorForm] = {}
    for step in steps:
        if not isinstance(step, ConvStep) or step.mode is not Mode.DEPTHWISE or step.requant is None:
            continue
        words = words_of(step.y.shape[0])
        form = VectorForm(
            operation=Operation.DEPTHWISE,
            kernel=step.window.kernel,
            stride=step.window.stride,
            padding=step.window.padding,
            zeros=(step.x.zero, 0, step.y.zero),
            shifts=(0, 0, step.requant.shift),
            low=step.requant.low,
            high=step.requant.high,
        )
        if words <= BLOCK_WORDS and form.taps * words <= MOST_WEIGHTS:
            found[step.layer] = form
    return found


def with_sums(
    steps: tuple[Step, ...], forms: Mapping[str, VectorForm], takes: Callable[[ConvStep], bool]
) -> tuple[Step, ...]:
    """Return the steps with additions in the products before them that nobody else reads, where `takes` says that these can.

    Of two such products the later one takes the addition: the other tensor is in memory then. In float32 the addition takes the
    bounds of a relu or clip that alone reads it.
    """
    at = {gives(s): i for i, s in enumerate(steps)} | {INPUT: -1}
    readers = Counter(name for s in steps for name in s.inputs)
    made, gone = list(steps), set()
    for i, step in enumerate(steps):
        form = forms.get(step.layer)
        if form is None or form.operation not in (Operation.ADD, Operation.BOUNDS):
            continue
        assert isinstance(step, PlStep | PsStep)
        if form.operation is Operation.BOUNDS:
            (name,) = step.inputs
            bounded = _with_bounds(made[at[name]], step, form) if readers[name] == 1 else None
            if bounded:
                made[at[name]] = bounded
                at[step.layer] = at[name]
                gone.add(i)
            continue
        first, second = step.inputs
        name, other = (first, second) if at[first] > at[second] else (second, first)
        product = made[at[name]]
        if first == second or readers[name] != 1 or not isinstance(product, ConvStep):
            continue
        types = (step.x, *step.others)
        other_type = types[step.inputs.index(other)]
        alike = product.y == types[step.inputs.index(name)] and product.y.shape == step.y.shape
        if (
            product.sum
            or product.heads
            or not alike
            or not takes(product)
            or at[other] >= at[name]
            or not _is_made(made, other, other_type)
        ):
            continue
        behind = SumBehind(step=step, form=form, first=name == first, made=product.y)
        made[at[name]] = replace(
            product,
            y=step.y,
            gives=step.layer,
            inputs=(*product.inputs, other),
            others=(other_type,),
            sum=behind,
        )
        at[step.layer] = at[name]
        gone.add(i)
    return tuple(s for i, s in enumerate(made) if i not in gone)


def _with_bounds(step: Step, behind: PlStep | PsStep, form: VectorForm) -> ConvStep | None:
    """Return a product whose sum has the bounds of the float32 relu or clip behind it; None of one without a sum."""
    if not isinstance(step, ConvStep) or step.sum is None or step.sum.bounds or behind.y != step.y:
        return None
    whole = replace(step.sum, form=replace(step.sum.form, low=form.low, high=form.high), bounds=behind)
    return replace(step, gives=behind.layer, sum=whole)


def larger_first(steps: tuple[Step, ...], forms: Mapping[str, VectorForm]) -> tuple[Step, ...]:
    """Return the steps with, of two products that an addition alone reads, the one of the larger input first.

    Its input is free then while the other is computed, whose addition takes the place of the first one's result.
    """
    readers = Counter(name for s in steps for name in s.inputs)
    made = list(steps)
    for step in steps:
        form = forms.get(step.layer)
        if form is None or form.operation is not Operation.ADD:
            continue
        at = {gives(s): i for i, s in enumerate(made)}
        first, second = sorted(at.get(name, -1) for name in step.inputs)
        if first < 0 or second != first + 1 or any(readers[name] != 1 for name in step.inputs):
            continue
        a, b = made[first], made[second]
        products = isinstance(a, ConvStep) and isinstance(b, ConvStep)
        if products and a.x.elements < b.x.elements and gives(a) not in b.inputs:
            made[first], made[second] = b, a
    return tuple(made)


def unfolded(step: ConvStep) -> ConvStep:
    """Return a product as the network defines it."""
    return step.origin or step


def with_folded_input(steps: tuple[Step, ...], takes: Callable[[ConvStep], bool]) -> tuple[Step, ...]:
    """Return the steps with the images folded for a first convolution of few channels that strides.

    As many rows and columns as it strides become channels of one pixel, in the word that a pixel's few channels would fill with
    zeros: the convolution has a stride of one then, and fewer taps. 7 x 7 of 3 channels by 2 are 49 words, folded 16.
    """
    return tuple(_folded(s) if isinstance(s, ConvStep) and _folds(s) and takes(s) else s for s in steps)


def _folds(step: ConvStep) -> bool:
    window = step.window
    rows, columns = window.stride
    return (
        step.inputs[0] == INPUT
        and step.mode is Mode.WHOLE
        and rows * columns > 1
        and window.channels * rows * columns <= LANES
        and window.height % rows == 0
        and window.width % columns == 0
        and window.out_height <= window.height // rows
        and window.out_width <= window.width // columns
    )


def _folded(step: ConvStep) -> ConvStep:
    window, (rows, columns) = step.window, step.window.stride
    padding = tuple(-(-p // s) for p, s in zip(window.padding, window.stride, strict=True))
    kernel = tuple(
        -(-(k + p * s - before) // s)
        for k, p, s, before in zip(window.kernel, padding, window.stride, window.padding, strict=True)
    )
    channels = window.channels * rows * columns
    height, width = window.height // rows, window.width // columns
    return replace(
        step,
        x=replace(step.x, shape=(channels, height, width)),
        window=Window(
            channels=channels,
            height=height,
            width=width,
            kernel=(kernel[0], kernel[1]),
            stride=(1, 1),
            padding=(padding[0], padding[1]),
        ),
        origin=step,
    )


def _is_made(steps: list[Step], name: str, wanted: TensorType) -> bool:
    """Tell whether a tensor is in memory as it is wanted: of that shape and those elements."""
    return any(gives(s) == name and s.y == wanted for s in steps)


def is_by_place(step: Step) -> bool:
    """Tell whether a layer on the processor makes each element of those at its place, and fills whole words.

    Its tensors are then taken as they lie in memory: their order is all the same.
    """
    if not isinstance(step, PlStep | PsStep) or (step.kind != ELEMENTWISE and step.op != "add"):
        return False
    types = (step.x, *step.others, step.y)
    return all(t.shape == step.y.shape for t in types) and step.y.shape[0] % LANES == 0


def element_of(network: Network) -> Element:
    """Return what the engine computes with.

    Raises:
        CannotFit: no engine has that type.
    """
    types = {t.dtype for la in network.layers for t in (la.x, la.y)} - {DataType.FLOAT32}
    if types <= {DataType.INT8}:
        return "int8" if types else "float32"
    if types <= {DataType.BFLOAT16}:
        return "bfloat16"
    spec = network.spec
    other = sorted(t.value for t in types - {DataType.INT8})[0]
    text = f"execution: sequential computes in int8, bfloat16 or float32, and the network is quantised to {other}"
    remedy = "write quantize: {activations: int8, weights: int8, ...}, or leave quantize: out"
    raise CannotFit(spec.source.problem(RULE, ("quantize",), text, remedy))


def steps_of(
    network: Network, operators: Mapping[str, Any], spatial: SpatialStep | None = None
) -> tuple[Step, ...]:
    """Return the layers in order of evaluation; those of `spatial` as that step, where the last of them stands.

    Raises:
        CannotFit: with a problem for every layer that has no form here.
    """
    spec = network.spec
    if spec.quantize and spec.quantize.overflow == "wrap":
        text = (
            f"execution: sequential saturates results, and quantize: says overflow: {spec.quantize.overflow}"
        )
        raise CannotFit(
            spec.source.problem(
                RULE, ("quantize", "overflow"), text, "leave overflow: out, or use execution: spatial"
            )
        )
    steps: list[Step] = []
    problems: list[Problem] = []
    apart = spatial.layers if spatial else ()
    fused: dict[str, Layer] = {}
    for layer in network.layers:
        if layer.name in apart or layer.name in fused:
            steps += [spatial] if spatial and layer.name == spatial.layer else []
            continue
        try:
            operator = operators[layer.op]
            if layer.op in PRODUCTS and on_engine(layer, spec):
                behind = _bounds_behind(network, layer, apart)
                fused |= {behind.name: layer} if behind else {}
                steps.append(_conv(layer, operator, behind))
            elif isinstance(operator, TurnOperator) and layer.y.quant and not on_processor(layer.name, spec):
                steps += _in_turn(layer, operator)
            else:
                steps.append(_other(layer, operator, spec))
        except CannotFit as e:
            problems += e.problems
    if problems:
        raise CannotFit(problems)
    return _with_rounded(tuple(steps), network)


def _with_rounded(steps: tuple[Step, ...], network: Network) -> tuple[Step, ...]:
    """Return the steps with one behind each layer whose float results a quantised model rounds, which all read instead."""
    layers = {layer.name: layer for layer in network.layers if layer.rounded}
    names = {name: f"{name}_rounded" for name in layers}
    found: list[Step] = []
    for step in steps if names else ():
        inputs = tuple(names.get(name, name) for name in step.inputs)
        found.append(step if inputs == step.inputs else _reading(step, inputs))
        layer = layers.get(gives(step))
        if layer:
            y = replace(step.y, dtype=DataType.INT8, quant=layer.rounded)
            found.append(RoundStep(layer=names[layer.name], x=step.y, y=y, inputs=(layer.name,)))
    return tuple(found) or steps


def _reading(step: Step, inputs: tuple[str, ...]) -> Step:
    """Return a step with other inputs."""
    if isinstance(step, ViewStep):
        return replace(step, step=replace(step.step, inputs=inputs))
    return replace(step, inputs=inputs)


def _other(layer: Layer, operator: Any, spec: NetworkSpec) -> Step:
    """Return the step of a layer without trained weights for the engine."""
    if layer.op == ACTIVATIONS and on_engine(layer, spec):
        return _matmul(layer)
    made: PlStep | PsStep
    if layer.x.quant and layer.y.quant and not on_processor(layer.name, spec):
        made = replace(
            integer_step(operator, spec, layer, spec.mapping[layer.name]),
            inputs=layer.inputs,
            others=layer.others,
        )
    else:
        made = processor_step(operator, spec, layer, WHY)
    return ViewStep(step=made) if is_view(made) and not on_processor(layer.name, spec) else made


def is_view(step: PlStep | PsStep) -> bool:
    """Tell whether a layer leaves every value where it lies in device memory: pixel after pixel, channel after channel."""
    if step.kind != REORDER or step.inputs[0] == INPUT or step.x.quant != step.y.quant:
        return False
    (channels, *_), (made, *_) = step.x.shape, step.y.shape
    if channels != made or step.x.pixels != step.y.pixels:
        return False
    places = np.arange(step.x.elements, dtype=np.float64).reshape(1, *step.x.shape)
    found = forward(step, {}, places)
    return bool(np.array_equal(found.reshape(channels, -1), places.reshape(channels, -1)))


def _in_turn(layer: Layer, operator: TurnOperator) -> list[Step]:
    """Return the steps of a layer of whole rows in integers."""
    detail = operator.turn(layer)
    if not isinstance(detail, IntegerAttention):
        return [row_step(layer, detail)]
    first, shares, second = attention_parts(layer, detail)
    return [_of_heads(first), shares, _of_heads(second)]


def _of_heads(p: HeadShape) -> ConvStep:
    return ConvStep(
        layer=p.layer,
        op=p.op,
        x=p.x,
        y=p.y,
        inputs=p.inputs,
        gives=p.layer,
        window=p.window,
        mode=Mode.GROUPS,
        groups=p.groups,
        has_bias=True,
        requant=p.requant,
        low=float("-inf"),
        high=float("inf"),
        others=p.others,
        heads=p.heads,
    )


def on_processor(name: str, spec: NetworkSpec) -> bool:
    """Tell whether network.yaml gives a layer to the processor."""
    mapping = spec.mapping[name]  # of what the processor alone has elsewhere, ps is no choice of the user's
    return mapping.runs_on == "ps" and "engine" in mapping.model_fields_set


def on_engine(layer: Layer, spec: NetworkSpec) -> bool:
    """Tell whether a product runs on the engine: not where the user or the quantiser left it to the processor in floats."""
    wanted = spec.quantize.dtype if spec.quantize else None
    if wanted is DataType.BFLOAT16:
        return not on_processor(layer.name, spec) and layer.y.dtype is wanted
    return not on_processor(layer.name, spec) and (wanted is not None) == (layer.requant is not None)


def _bounds_behind(network: Network, layer: Layer, apart: tuple[str, ...]) -> Layer | None:
    """Return the float32 relu or clip that alone reads a layer, unless it has a core of its own, as those `apart`."""
    readers = network.readers(layer.name)
    if len(readers) != 1 or readers[0].op not in BOUNDS or layer.requant or readers[0].name in apart:
        return None
    behind = readers[0]
    return None if on_processor(behind.name, network.spec) else behind


def _conv(layer: Layer, operator: Any, behind: Layer | None) -> ConvStep:
    window: Window = operator.window(layer.spec, layer.x)
    groups = getattr(layer.spec, "groups", 1)
    low, high = float("-inf"), float("inf")
    if behind:
        low = (
            0.0 if behind.op == "relu" else _number(behind.spec.min, low)  # type: ignore[attr-defined]
        )
        high = _number(getattr(behind.spec, "max", None), high)
    return ConvStep(
        layer=layer.name,
        op=layer.op,
        x=layer.x,
        y=layer.y,
        inputs=layer.inputs,
        gives=behind.name if behind else layer.name,
        window=window,
        mode=_mode(layer.x.shape[0], layer.y.shape[0], groups),
        groups=groups,
        has_bias=any(p.name == "bias" for p in layer.parameters) or layer.requant is not None,
        requant=layer.requant,
        low=low,
        high=high,
    )


def _matmul(layer: Layer) -> ConvStep:
    """Return a product of two activations: of each set a product whose weights are the second's rows or columns."""
    spec = layer.spec
    assert isinstance(spec, BatchMatmulSpec)
    sizes = sizes_of(spec, *layer.xs)
    window = Window(
        channels=sizes.depth, height=sizes.rows, width=1, kernel=(1, 1), stride=(1, 1), padding=(0, 0)
    )
    return ConvStep(
        layer=layer.name,
        op=layer.op,
        x=layer.x,
        y=layer.y,
        inputs=layer.inputs,
        gives=layer.name,
        window=window,
        mode=Mode.WHOLE,
        groups=1,
        has_bias=layer.requant is not None,
        requant=layer.requant,
        low=float("-inf"),
        high=float("inf"),
        others=layer.others,
        sets=sizes.heads,
    )


def with_columns(steps: tuple[Step, ...], network: Network, out: int) -> tuple[Step, ...]:
    """Return the steps with one before each product of two activations, which lays out its second operand for the engine."""
    layers = {layer.name: layer for layer in network.layers}
    found: list[Step] = []
    for step in steps:
        if isinstance(step, ConvStep) and step.sets:
            columns = columns_step(network.spec, layers[step.layer], out)
            found.append(columns)
            step = replace(step, inputs=(step.inputs[0], columns.layer), others=(columns.y,))  # noqa: PLW2901 - the same
        found.append(step)
    return tuple(found)


def _number(value: float | None, default: float) -> float:
    return default if value is None else float(value)


def _mode(inputs: int, outputs: int, groups: int) -> Mode:
    if groups == 1:
        return Mode.WHOLE
    if groups == inputs == outputs:
        return Mode.DEPTHWISE
    whole = inputs // groups % LANES == 0 and outputs // groups % LANES == 0
    return Mode.GROUPS if whole else Mode.FILLED
