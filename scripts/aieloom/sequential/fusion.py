"""What steps become for engines and vector units: which a unit takes, what a product does beside its own, folded images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from aieloom.layout.channel_words import LANES, words_of
from aieloom.layout.grid import Window
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType
from aieloom.plan.processor import Function
from aieloom.sequential.engine import Element
from aieloom.sequential.lowering import on_processor
from aieloom.sequential.steps import ConvStep, Mode, Step, SumBehind, products_of
from aieloom.sequential.vector import (
    BLOCK_WORDS,
    MOST_WEIGHTS,
    Operation,
    VectorForm,
    float_bits,
    moved_form,
    vector_form,
)
from aieloom.spec.network import INPUT, NetworkSpec
from aieloom.spec.types import DataType


def vector_forms(spec: NetworkSpec, steps: tuple[Step, ...], element: Element) -> dict[str, VectorForm]:
    """Return the layers that the vector unit takes, and how: all that it can compute and the user left to it."""
    found: dict[str, VectorForm] = {}
    for step in steps:
        called = step.called
        if called is None or on_processor(step.layer, spec):
            continue
        form = vector_form(called, element) or moved_form(called, element)
        if form is not None:
            found[step.layer] = form
    return found


def with_bfloat16(steps: tuple[Step, ...], network: Network) -> tuple[Step, ...]:
    """Return the steps of a network in bfloat16 with that type where units or engines take them.

    They compute in float32 and round what they give; a layer on the processor is given float32, and gives it.
    """
    forms = vector_forms(network.spec, steps, "float32")

    def cast(tensor: TensorType) -> TensorType:
        return replace(tensor, dtype=DataType.BFLOAT16)

    def typed(step: Any) -> Any:
        return replace(step, x=cast(step.x), y=cast(step.y), others=tuple(map(cast, step.others)))

    attends = {s.layer for s in steps if s.part_of != s.layer or (s.product and s.product.heads)}
    return tuple(typed(s) if s.layer in attends | forms.keys() else s for s in steps)


def depthwise_forms(steps: tuple[Step, ...]) -> dict[str, VectorForm]:
    """Return the depthwise layers whose weights a vector unit holds, and how it is told of them."""
    found: dict[str, VectorForm] = {}
    for step in products_of(steps):
        if step.mode is not Mode.DEPTHWISE:
            continue
        requant = step.requant
        words = words_of(step.y.shape[0])
        form = VectorForm(
            operation=Operation.DEPTHWISE,
            kernel=step.window.kernel,
            stride=step.window.stride,
            padding=step.window.padding,
            zeros=(step.x.zero, 0, step.y.zero),
            shifts=(0, 0, requant.shift if requant else 0),
            low=requant.low if requant else float_bits(step.low),
            high=requant.high if requant else float_bits(step.high),
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
    at = {s.gives: i for i, s in enumerate(steps)} | {INPUT: -1}
    readers = Counter(name for s in steps for name in s.inputs)
    made, gone = list(steps), set()
    for i, step in enumerate(steps):
        form = forms.get(step.layer)
        if form is None or form.operation not in (Operation.ADD, Operation.BOUNDS):
            continue
        called = step.called
        assert called
        if form.operation is Operation.BOUNDS:
            (name,) = step.inputs
            bounded = _with_bounds(made[at[name]], called, form) if readers[name] == 1 else None
            if bounded:
                made[at[name]] = bounded
                at[step.layer] = at[name]
                gone.add(i)
            continue
        first, second = step.inputs
        name, other = (first, second) if at[first] > at[second] else (second, first)
        product = made[at[name]].product
        if first == second or readers[name] != 1 or product is None:
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
        behind = SumBehind(step=called, form=form, first=name == first, made=product.y)
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


def _with_bounds(step: Step, behind: Function, form: VectorForm) -> ConvStep | None:
    """Return a product whose sum has the bounds of the float32 relu or clip behind it; None of one without a sum."""
    product = step.product
    if product is None or product.sum is None or product.sum.bounds or behind.y != step.y:
        return None
    form = replace(product.sum.form, low=form.low, high=form.high)
    return replace(product, gives=behind.layer, sum=replace(product.sum, form=form, bounds=behind))


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
        at = {s.gives: i for i, s in enumerate(made)}
        first, second = sorted(at.get(name, -1) for name in step.inputs)
        if first < 0 or second != first + 1 or any(readers[name] != 1 for name in step.inputs):
            continue
        a, b = made[first], made[second]
        if a.product and b.product and a.x.elements < b.x.elements and a.gives not in b.inputs:
            made[first], made[second] = b, a
    return tuple(made)


def with_folded_input(steps: tuple[Step, ...], takes: Callable[[ConvStep], bool]) -> tuple[Step, ...]:
    """Return the steps with the images folded for a first convolution of few channels that strides.

    As many rows and columns as it strides become channels of one pixel, in the word that a pixel's few channels would fill with
    zeros: the convolution has a stride of one then, and fewer taps. 7 x 7 of 3 channels by 2 are 49 words, folded 16.
    """
    return tuple(_folded(p) if (p := s.product) and _folds(p) and takes(p) else s for s in steps)


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
            padding=(padding[0], padding[1]),
        ),
        origin=step,
    )


def _is_made(steps: list[Step], name: str, wanted: TensorType) -> bool:
    """Tell whether a tensor is in memory as it is wanted: of that shape and those elements."""
    return any(s.gives == name and s.y == wanted for s in steps)
