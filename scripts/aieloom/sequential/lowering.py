"""A network's layers as steps that take turns: products for the engine, rows for their unit, the rest for the processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from aieloom.errors import CannotFit, Problem
from aieloom.layout.channel_words import LANES
from aieloom.layout.grid import Window
from aieloom.network.layers import Layer, Network
from aieloom.ops.attention import Attention, AttentionSpec
from aieloom.ops.attention.integer import IntegerAttention
from aieloom.ops.batch_matmul import BatchMatmulSpec, sizes_of
from aieloom.ops.batch_matmul.columns import columns_step
from aieloom.pl.steps import REORDER
from aieloom.plan.integer import integer_step
from aieloom.plan.on_processor import processor_step
from aieloom.plan.operators import ProductOperator, TurnOperator
from aieloom.plan.processor import Function
from aieloom.reference.forward import forward
from aieloom.sequential.engine import Element
from aieloom.sequential.heads import attention_parts, float_attention
from aieloom.sequential.row_unit import row_step
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.steps import ConvStep, Mode, RoundStep, Step, ViewStep
from aieloom.spec.network import GRAPH_INPUT, INPUT, NetworkSpec
from aieloom.spec.types import FLOATS, DataType

RULE = "sequential-1"
ACTIVATIONS = "batch_matmul"  # the product of two activations
BOUNDS = ("relu", "clip")  # what the engine does to float32 sums on their way to memory
WHY = "the engine multiplies; other layers are the processor's"


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
    network: Network,
    operators: Mapping[str, Any],
    spatial: SpatialStep | None = None,
    *,
    heads_apart: Callable[[Layer], str] | None = None,
) -> tuple[Step, ...]:
    """Return the layers in order of evaluation; those of `spatial` as that step, where the last of them stands.

    `heads_apart` says why an attention layer of floats is the processor's, nothing of one that an engine and the row unit take.

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
            if isinstance(operator, ProductOperator) and on_engine(layer, spec):
                behind = _bounds_behind(network, layer, apart)
                fused |= {behind.name: layer} if behind else {}
                steps.append(_conv(layer, operator, behind))
            elif whole := _whole_rows(layer, operator, spec, heads_apart):
                steps += whole
            else:
                steps.append(_other(layer, operator, spec, _why(layer, spec, heads_apart)))
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
        found.append(step if inputs == step.inputs else step.reading(inputs))
        layer = layers.get(step.gives)
        if layer:
            y = replace(step.y, dtype=DataType.INT8, quant=layer.rounded)
            found.append(RoundStep(layer=names[layer.name], x=step.y, y=y, inputs=(layer.name,)))
    return tuple(found) or steps


def _other(layer: Layer, operator: Any, spec: NetworkSpec, why: str) -> Step:
    """Return the step of a layer without trained weights for the engine."""
    if layer.op == ACTIVATIONS and on_engine(layer, spec):
        return _matmul(layer)
    made: Function
    if layer.x.quant and layer.y.quant and not on_processor(layer.name, spec):
        made = replace(
            integer_step(operator, spec, layer, spec.mapping[layer.name]),
            inputs=layer.inputs,
            others=layer.others,
        )
    else:
        made = processor_step(operator, spec, layer, why)
    seen = layer.op == GRAPH_INPUT or is_view(made)
    return ViewStep(step=made) if seen and not on_processor(layer.name, spec) else made


def is_view(step: Function) -> bool:
    """Tell whether a layer leaves every value where it lies in device memory: pixel after pixel, channel after channel."""
    if step.kind != REORDER or step.inputs[0] == INPUT or step.x.quant != step.y.quant:
        return False
    (channels, *_), (made, *_) = step.x.shape, step.y.shape
    if channels != made or step.x.pixels != step.y.pixels:
        return False
    places = np.arange(step.x.elements, dtype=np.float64).reshape(1, *step.x.shape)
    found = forward(step, {}, places)
    return bool(np.array_equal(found.reshape(channels, -1), places.reshape(channels, -1)))


def _whole_rows(
    layer: Layer, operator: Any, spec: NetworkSpec, heads_apart: Callable[[Layer], str] | None
) -> list[Step]:
    """Return the steps of a layer of whole rows, of integers or of attention in floats; none of another."""
    if on_processor(layer.name, spec):
        return []
    if isinstance(operator, TurnOperator) and layer.y.quant:
        detail = operator.turn(layer)
        if isinstance(detail, IntegerAttention):
            return [*attention_parts(layer, detail)]
        return [row_step(layer, detail)]
    if not _is_float_attention(layer) or heads_apart is None or heads_apart(layer):
        return []
    return [*attention_parts(layer, float_attention(layer))]


def _is_float_attention(layer: Layer) -> bool:
    return isinstance(layer.spec, AttentionSpec) and layer.y.dtype in FLOATS


def _why(layer: Layer, spec: NetworkSpec, heads_apart: Callable[[Layer], str] | None) -> str:
    """Return why a layer is the processor's."""
    if on_processor(layer.name, spec):
        return "network.yaml says engine: ps"
    if not _is_float_attention(layer):
        return WHY
    return (heads_apart(layer) if heads_apart else Attention().why_apart(layer)) or WHY


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


def _conv(layer: Layer, operator: ProductOperator, behind: Layer | None) -> ConvStep:
    window, groups = operator.window(layer.spec, layer.x), operator.groups(layer.spec)
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
    return ConvStep(
        layer=layer.name,
        op=layer.op,
        x=layer.x,
        y=layer.y,
        inputs=layer.inputs,
        gives=layer.name,
        window=Window(channels=sizes.depth, height=sizes.rows, width=1),
        mode=Mode.WHOLE,
        groups=1,
        has_bias=layer.requant is not None,
        requant=layer.requant,
        others=layer.others,
        sets=sizes.heads,
    )


def with_columns(steps: tuple[Step, ...], network: Network, out: int) -> tuple[Step, ...]:
    """Return the steps with one before each product of two activations, which lays out its second operand for the engine."""
    layers = {layer.name: layer for layer in network.layers}
    found: list[Step] = []
    for step in steps:
        product = step.product
        if product and product.sets:
            columns = columns_step(network.spec, layers[step.layer], out)
            found.append(columns)
            step = replace(product, inputs=(step.inputs[0], columns.layer), others=(columns.y,))  # noqa: PLW2901 - the same
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
