"""The network with shapes and trained tensors: what all later stages read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.network.operator import AnyOperator, Operators
from aieloom.network.tensor import ParameterType, Quantisation, TensorType, tensor_of
from aieloom.spec.lines import KeyPath
from aieloom.spec.network import INPUT, InputSpec, LayerSpec, NetworkSpec
from aieloom.spec.quantize import Scales
from aieloom.spec.types import MAX_ELEMENTS, MAX_TILED_ELEMENTS, DataType

Array = NDArray[np.float32]
Tensor = NDArray[Any]  # trained (float32) or quantised (int8, int32)
DTYPES = (DataType.FLOAT32,)  # what kernels and references are written for

Parameters = Mapping[str, Tensor]  # a layer's tensors by their short names: weight, bias


class ShapeError(Exception):
    """A layer cannot take its input: `problem` with the numbers, `remedy` what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class Requant:
    """How 32-bit sums become elements: scaled, rounded, the zero point added, kept between `low` and `high`.

    `multiplier`: TensorFlow Lite's 32-bit multiplier and shift, one of each for a channel. `multiplier16`: its 16-bit
    multiplier, at the common `shift`. `power_of_two`: shifted by `shift`, halves up, the zero point inside the bias.
    `onnx`: times the channel's integer multiplier, shifted by the common `shift`, halves to even: one rounding.
    """

    scaling: Scales
    low: int
    high: int
    zero_point: int
    shift: int  # of power_of_two, multiplier16 and onnx
    left: bool  # of multiplier and onnx: some channel is shifted left first
    wrap: bool  # a result beyond the range keeps its low bits
    bias_shift: int = 0  # of int16, whose sums are wider than a bias: it counts 2^bias_shift of their units


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the largest element that an integer layer gives: a relu or clip is part of it."""

    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer with the types of its input, output and trained tensors."""

    index: int
    spec: LayerSpec
    x: TensorType
    y: TensorType
    parameters: tuple[ParameterType, ...]
    inputs: tuple[str, ...]  # the layers that it reads, INPUT for the network's input
    others: tuple[TensorType, ...] = ()  # types of the inputs behind the first, x
    requant: Requant | None = None  # of an integer layer with weights: how its sums become elements
    bounds: Bounds | None = None  # of an integer sum
    inner: tuple[Quantisation, ...] = ()  # of an integer layer: what tensors inside it mean (ops/attention)
    # Of a float layer of a quantised model: the elements that its results are rounded to
    rounded: Quantisation | None = None

    @property
    def name(self) -> str:
        """The layer's unique name."""
        return self.spec.name

    @property
    def op(self) -> str:
        """Its operator's name."""
        return self.spec.op

    @property
    def xs(self) -> tuple[TensorType, ...]:
        """The types of all inputs."""
        return (self.x, *self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A network whose shapes are known; layers in order of evaluation, each reading some above it, the last the output."""

    spec: NetworkSpec
    layers: tuple[Layer, ...]
    # Its user's shape of the input, where no layer has that: see no_ops
    outer_x: tuple[int, int, int] | None = None
    outer_y: tuple[int, int, int] | None = None  # and of the output

    @property
    def x(self) -> TensorType:
        """The network's input."""
        return replace(self.layers[0].x, outer=self.outer_x)

    @property
    def y(self) -> TensorType:
        """The network's output."""
        return replace(self.layers[-1].y, outer=self.outer_y)

    @property
    def values(self) -> int:
        """How many values an image has in all layers' outputs."""
        return sum(layer.y.elements for layer in self.layers)

    def readers(self, name: str) -> tuple[Layer, ...]:
        """Return the layers that read the result of layer `name`, or the network's input (INPUT)."""
        return tuple(layer for layer in self.layers if name in layer.inputs)


def infer_shapes(spec: NetworkSpec, operators: Operators) -> Network:
    """Give every layer its input's and output's type.

    Raises:
        SpecError: a layer cannot take what the layers that it reads give.
    """
    for number, given in enumerate(spec.graph_inputs):
        _check_input(spec, given, spec.at_input(number))
    x = tensor_of(spec.input.shape, spec.input.dtype)
    _check_size(spec, "all inputs together" if spec.inputs else "the input", x, ("inputs",))
    layers: list[Layer] = []
    types = {INPUT: x}
    for index, layer in enumerate(spec.layers):
        inputs = spec.inputs_of(index)
        made = _layer(spec, index, operators[layer.op], tuple(types[name] for name in inputs))
        layers.append(replace(made, inputs=inputs))
        types[layer.name] = made.y
    return Network(spec=spec, layers=tuple(layers))


def _check_input(spec: NetworkSpec, given: InputSpec, at: KeyPath) -> None:
    """Refuse an input of a type that layers do not compute in, or that is too large.

    Raises:
        SpecError: with the type, or the numbers.
    """
    what = f"the input '{given.name}'" if spec.inputs else "the input"
    if given.dtype not in DTYPES:
        known = ", ".join(d.value for d in DTYPES)
        text = f"{what} is {given.dtype.value}, but layers compute in {known} so far"
        raise SpecError(spec.source.problem("dtype", (*at, "dtype"), text, f"use dtype: {DTYPES[0].value}"))
    _check_size(spec, what, tensor_of(given.shape, given.dtype), (*at, "shape"))


def _check_size(spec: NetworkSpec, what: str, tensor: TensorType, at: KeyPath) -> None:
    """Refuse a tensor of more values than anything here is made for, before anything is computed of it.

    Raises:
        SpecError: with the numbers.
    """
    most = MAX_TILED_ELEMENTS if spec.tiles else MAX_ELEMENTS
    if tensor.elements > most:
        text = f"{what} is {_times(tensor.outside)} = {tensor.elements} values, at most {most}"
        remedy = (
            "make it smaller"
            if spec.tiles
            else "make it smaller, or cut images by tiles: (docs/large-images.md)"
        )
        raise SpecError(spec.source.problem("shape", at, text, remedy))


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _layer(spec: NetworkSpec, index: int, operator: AnyOperator, xs: tuple[TensorType, ...]) -> Layer:
    """Return a layer of inputs `xs`, whose names are not in it yet."""
    layer, x = spec.layers[index], xs[0]
    try:
        y = operator.infer_join(layer, xs)
    except ShapeError as e:
        text = f"layer '{layer.name}' gets {' and '.join(map(str, xs))}: {e.problem}"
        raise SpecError(spec.problem("shape", index, text, e.remedy)) from e
    at = spec.at_layer(index)
    _check_size(spec, f"the result of layer '{layer.name}'", y, at)
    parameters = operator.parameters(layer, x)
    for p in parameters:
        if prod(p.shape) > MAX_ELEMENTS:
            values = f"{_times(p.shape)} = {prod(p.shape)} values"
            text = f"layer '{layer.name}' needs a {p.name} of {values}, at most {MAX_ELEMENTS}"
            raise SpecError(spec.source.problem("shape", at, text, "make the layer smaller"))
    return Layer(index=index, spec=layer, x=x, y=y, parameters=parameters, inputs=(), others=xs[1:])


def weight_matrix(weight: Values, taps: int) -> Values:
    """Return weights `(out, in / groups, ...)` as `(out, taps)`: channel after channel, zeros between the groups.

    A depthwise convolution is the extreme: as many groups as channels. The cores then multiply by zeros as well, K stays the
    channels times the kernel's area; that is the price of having one kernel for all.
    """
    outputs = len(weight)
    flat = weight.reshape(outputs, -1)
    groups = taps // flat.shape[1]
    if groups == 1:
        return flat
    whole = np.zeros((outputs, taps), weight.dtype)
    rows, width = outputs // groups, flat.shape[1]
    for g in range(groups):
        block = slice(g * rows, (g + 1) * rows)
        whole[block, g * width : (g + 1) * width] = flat[block]
    return whole
