"""What such a design computes, to the bit: integers exactly, float32 in the engine's order of accumulation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES
from aieloom.network.elements import meaning, to_bfloat16, to_elements
from aieloom.network.layers import Parameters, weight_matrix
from aieloom.network.quantisation import requantise
from aieloom.network.tensor import TensorType
from aieloom.ops.batch_matmul.columns import weights_of
from aieloom.plan.processor import Function, PsStep
from aieloom.products.reference import gathered
from aieloom.reference.evaluated import Elements, Evaluated, of_steps
from aieloom.reference.forward import Passing, forward
from aieloom.sequential.array import tap_words
from aieloom.sequential.heads import float_operands, multiplied, side_by_side
from aieloom.sequential.recurrent import RecurrentStep, computed_recurrence
from aieloom.sequential.row_unit import RowStep, computed_rows
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.steps import ConvStep, HeadProduct, Mode, RoundStep, Step, ViewStep
from aieloom.sequential.weights import matrix_of
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType

CACHE_VALUES = 1 << 15  # float32 sums that are added to at a time: what stays in a first-level cache


def reference(steps: Sequence[Step], parameters: Mapping[str, Parameters], x: Values) -> NDArray[np.float32]:
    """Return what the design makes of `x` `(n, channels, height, width)`; of integers, what they mean."""
    (last,) = deque(evaluated(steps, parameters, x), maxlen=1)
    return np.asarray(last.made.meaning, np.float32)


def evaluated(steps: Sequence[Step], parameters: Mapping[str, Parameters], x: Values) -> Iterator[Evaluated]:
    """Yield what each step is given and makes of it, for `x` `(n, channels, height, width)`.

    What a quantised model rounds a layer on the processor to is what that layer makes; steps of a part whose layers have cores
    of their own are yielded each.
    """
    made: dict[str, TensorType] = {INPUT: replace(steps[0].taken, dtype=DataType.FLOAT32, quant=None)}
    passing = Passing(steps, np.asarray(x, np.float32))
    rounded = {step.layer: step.inputs[0] for step in steps if step.rounds}
    before: Evaluated | None = None
    for step in steps:
        taken = passing.take(step)
        values = taken if len(step.inputs) > 1 else (taken,)
        types = (step.taken, *step.others)
        given = tuple(
            Elements(values=_changed(v, made[n], t), type=t)
            for v, n, t in zip(values, step.inputs, types, strict=True)
        )
        inputs = tuple(rounded.get(n, n) for n in step.inputs)
        for found in PARTS.get(step.unit, _whole)(step, parameters, inputs, given):
            if before and step.layer in rounded:
                before = replace(before, made=found.made)
                continue
            if before:
                yield before
            before = found
        assert before
        passing.put(step.gives, before.made.values)
        made[step.gives] = step.y
    if before:
        yield before


def _spatial(
    step: SpatialStep,
    parameters: Mapping[str, Parameters],
    inputs: tuple[str, ...],
    given: tuple[Elements, ...],
) -> Iterator[Evaluated]:
    """Yield what each layer of a part with cores of its own makes."""
    for inner in of_steps(step.plan.steps, parameters, given[0].values):
        yield replace(inner, inputs=tuple(inputs[0] if n == INPUT else n for n in inner.inputs))


def _whole(
    step: Step, parameters: Mapping[str, Parameters], inputs: tuple[str, ...], given: tuple[Elements, ...]
) -> Iterator[Evaluated]:
    """Yield what a step makes."""
    y = result_of(step, parameters, [g.values for g in given])
    ends = tuple(dict.fromkeys((step.layer, step.gives)))
    yield Evaluated(layers=ends, inputs=inputs, given=given, made=Elements(values=y, type=step.y))


def _changed(values: Values, made: TensorType, wanted: TensorType) -> Values:
    if made.dtype is not wanted.dtype:
        values = meaning(values, made) if wanted.dtype is DataType.FLOAT32 else to_elements(values, wanted)
    return values.reshape(len(values), *wanted.shape)


def convolution(step: ConvStep, trained: Parameters, x: Values) -> Values:
    """Return a layer's results, image after image."""
    one = _integers if step.requant else _in_order if step.order else _floats
    return np.stack([one(step, trained, image[None]).reshape(step.y.shape) for image in x])


def result_of(step: Step, parameters: Mapping[str, Parameters], given: Sequence[Values]) -> Values:
    """Return what a step makes of its inputs, as elements of its type."""
    y = computed(step, parameters.get(step.part_of, {}), given)
    return to_bfloat16(y) if step.y.dtype is DataType.BFLOAT16 else y


def computed(step: Step, trained: Parameters, given: Sequence[Values]) -> Values:
    """Return what a step makes of its inputs; layers with cores of their own have parameters of several layers instead."""
    return COMPUTED[step.unit](step, trained, given)


def _called(step: Function | RoundStep, trained: Parameters, given: Sequence[Values]) -> Values:
    """Return what the processor makes of a step's inputs."""
    if step.called is None:
        return to_elements(given[0], step.y)
    return forward(step.called, trained, tuple(given) if len(given) > 1 else given[0])


def _multiplied(step: ConvStep, trained: Parameters, given: Sequence[Values]) -> Values:
    """Return what an engine makes of a product's inputs."""
    if step.sets:
        return _products(step, trained, *given)
    if step.heads:
        return (
            multiplied(step.heads, step.y, trained, *given)
            if step.requant
            else _heads(step, step.heads, *given)
        )
    product = convolution(step if step.order else step.origin or step, trained, given[0])
    if step.sum is None:
        return product
    product = to_elements(product, step.sum.made) if step.requant is None else product
    both = forward(step.sum.step, {}, (product, given[1]) if step.sum.first else (given[1], product))
    return forward(step.sum.bounds, {}, both) if step.sum.bounds else both


def _products(step: ConvStep, trained: Parameters, x: Values, columns: Values) -> Values:
    """Return the products of all sets: each a layer whose weights are its columns."""
    depth, rows, m = step.window.channels, step.window.height, step.y.shape[0]
    weights = weights_of(step.sets, m, columns)[:, :, :depth]
    one = replace(step, y=replace(step.y, shape=(m, rows, 1)), others=(), sets=0)
    compute = _integers if step.requant else _floats
    made = np.stack(
        [
            [
                compute(one, {**trained, "weight": w.T}, part[None]).reshape(m, rows)
                for w, part in zip(
                    of_image, image.reshape(depth, step.sets, rows, 1).swapaxes(0, 1), strict=True
                )
            ]
            for of_image, image in zip(weights, x, strict=True)
        ]
    )
    return np.ascontiguousarray(made.swapaxes(1, 2)).reshape(len(x), *step.y.shape)


def _heads(step: ConvStep, heads: HeadProduct, x: Values, other: Values) -> Values:
    """Return the products of all heads in float32, sums in the engine's order."""
    a, b = float_operands(heads, x, other)
    once = step.order.parts * step.order.depth if step.order else heads.depth
    made = np.zeros((*a.shape[:2], heads.columns, a.shape[3]), np.float32)
    for place in np.ndindex(*a.shape[:2]):
        made[place] = _in_passes(b[place].T, a[place], once) + np.float32(0)
    return side_by_side(heads, step.y, made)


def _in_passes(weight: Values, columns: Values, once: int) -> Values:
    """Return weight `(m, k)` times columns `(k, n)`: `once` places of K from 0 on, product after product; then these sums."""
    total = np.zeros((len(weight), columns.shape[1]), np.float32)
    for begin in range(0, weight.shape[1], once):
        sums = np.zeros_like(total)
        _add_products(sums, weight[:, begin : begin + once].T, columns[begin : begin + once])
        total = sums if begin == 0 else total + sums
    return total


def _integers(step: ConvStep, trained: Parameters, x: Values) -> Values:
    """Return elements: float64 products and sums of integers below 2^31 are exact."""
    assert step.requant
    seen = gathered(step.window, x, step.x.zero)[0]
    area = step.window.kernel[0] * step.window.kernel[1]
    if step.mode is Mode.DEPTHWISE:
        by_channel = seen.reshape(step.window.channels, area, -1).astype(np.float64)
        weight = np.asarray(trained["weight"], np.float64).reshape(-1, 1, area)
        sums = (weight @ by_channel)[:, 0]
    else:
        weight = weight_matrix(np.asarray(trained["weight"]), step.window.taps).astype(np.float64)
        sums = weight @ seen.astype(np.float64)
    bias, multiplier, shift = (
        np.asarray(trained[n]).astype(np.int64)[:, None] for n in ("bias", "multiplier", "shift")
    )
    return requantise(sums.astype(np.int64) + bias, step.requant, multiplier, shift, step.y.dtype)


def _floats(step: ConvStep, trained: Parameters, x: Values) -> Values:
    """Return float32 sums: from 0 on, product after product in order of taps, of channels within a tap, then the bias."""
    window, m = step.window, step.y.shape[0]
    area = window.kernel[0] * window.kernel[1]
    seen = gathered(window, x)[0].reshape(window.channels, area, -1)
    weight = to_elements(np.asarray(trained["weight"], np.float32), step.x).reshape(m, -1, area)
    outputs, inputs = m // step.groups, weight.shape[1]
    total = np.zeros((m, seen.shape[2]), np.float32)
    if step.mode is Mode.DEPTHWISE:
        for tap in range(area):
            total += weight[:, 0, tap, None] * seen[:, tap]
    else:
        for g in range(step.groups):
            rows = slice(g * outputs, (g + 1) * outputs)
            columns = np.ascontiguousarray(seen[g * inputs : (g + 1) * inputs].transpose(1, 0, 2)).reshape(
                area * inputs, -1
            )
            _add_products(total[rows], weight[rows].transpose(2, 1, 0).reshape(area * inputs, -1), columns)
    return _bounded(step, trained, total)


def _in_order(step: ConvStep, trained: Parameters, x: Values) -> Values:
    """Return float32 sums as the array adds them: within a pass over K from 0 on, product after product; then the passes."""
    order = step.order
    assert order
    m, groups = step.y.shape[0], step.engine_groups
    columns = seen_columns(step, x)
    weight = to_elements(matrix_of(step, trained), step.x)
    once = order.parts * order.depth
    total = np.stack([_in_passes(weight[g].T, columns[g], once) for g in range(groups)])
    return _bounded(step, trained, total.reshape(m, -1))


def seen_columns(step: ConvStep, x: Values) -> Values:
    """Return what windows of an image see as `(groups, K, pixels)`: by taps, in each its channels filled up to whole words."""
    (rows, columns), window, groups = step.fold, step.window, step.engine_groups
    _, c, height, width = x.shape
    cut = x.reshape(1, c, height // rows, rows, width // columns, columns)
    image = cut.transpose(0, 3, 5, 1, 2, 4).reshape(1, window.channels, window.height, window.width)
    area = window.kernel[0] * window.kernel[1]
    _, out_height, out_width = step.y.shape
    around = gathered(window, np.ascontiguousarray(image)).reshape(-1, window.out_height, window.out_width)
    seen = around[:, :out_height, :out_width].reshape(groups, -1, area, out_height * out_width)
    whole = np.zeros((groups, area, tap_words(step) * LANES, seen.shape[3]), np.float32)
    whole[:, :, : seen.shape[1]] = seen.transpose(0, 2, 1, 3)
    return whole.reshape(groups, -1, seen.shape[3])


def _bounded(step: ConvStep, trained: Parameters, total: Values) -> Values:
    """Return sums with their bias, within the layer's bounds."""
    if step.has_bias and "bias" in trained:
        total += np.asarray(trained["bias"], np.float32)[:, None]
    else:
        total += np.float32(0)
    held = np.where(total < np.float32(step.low), np.float32(step.low), total)
    return np.where(held > np.float32(step.high), np.float32(step.high), held)


def _add_products(total: Values, weight: Values, columns: Values) -> None:
    """Add weight `(k, m)` times columns `(k, n)` to total `(m, n)`, in order of k, each operation rounded."""
    wide = min(columns.shape[1], 256)
    high = max(1, CACHE_VALUES // wide)
    for top in range(0, len(total), high):
        for left in range(0, columns.shape[1], wide):
            part = np.ascontiguousarray(total[top : top + high, left : left + wide])
            product = np.empty_like(part)
            rows = np.ascontiguousarray(weight[:, top : top + high, None])
            across = np.ascontiguousarray(columns[:, left : left + wide])
            for row, column in zip(rows, across, strict=True):
                np.multiply(row, column, out=product)
                np.add(part, product, out=part)
            total[top : top + high, left : left + wide] = part


# By the unit that a step is for.
COMPUTED: Mapping[str, Callable[..., Values]] = {
    ConvStep.unit: _multiplied,
    PsStep.unit: _called,
    RecurrentStep.unit: computed_recurrence,
    RowStep.unit: computed_rows,
    ViewStep.unit: lambda step, trained, given: forward(step.step, trained, given[0]),
}
PARTS: Mapping[str, Callable[..., Iterator[Evaluated]]] = {SpatialStep.unit: _spatial}
