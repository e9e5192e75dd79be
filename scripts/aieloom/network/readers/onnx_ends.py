"""ONNX models whose input or output is integers, as converters from TensorFlow Lite write them: real values inside.

The DequantizeLinear that reads such an input is left out, and the input is what it gave: real values. A result that
QuantizeLinear makes stays where it is; what its integers mean is said. Whoever has integers changes them at the ends.
Facts: ONNX operator specifications of QuantizeLinear and DequantizeLinear.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Values
from aieloom.spec.network import IntegersSpec

if TYPE_CHECKING:
    import onnx

SCALE, ZERO = 1, 2  # inputs of both operators


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """What the integers of a model's input and of its output mean; None where they are floats."""

    given: IntegersSpec | None = None
    made: IntegersSpec | None = None


def in_reals(model: onnx.ModelProto) -> Ends:
    """Make an input of integers one of real values, and say what the integers of both ends mean.

    An input that is read by anything but one scale's DequantizeLinear is left as it is.
    """
    return Ends(given=_given(model), made=_made(model))


def _given(model: onnx.ModelProto) -> IntegersSpec | None:
    import onnx  # noqa: PLC0415 - only models need it

    graph = model.graph
    known = {t.name for t in graph.initializer}
    inputs = [i for i in graph.input if i.name not in known]
    if len(inputs) != 1:
        return None
    (given,) = inputs
    readers = [n for n in graph.node if given.name in n.input]
    if not readers or any(n.op_type != "DequantizeLinear" or n.input[0] != given.name for n in readers):
        return None
    constants = dict(_constants(graph))
    said = {_meaning(n, constants, given.type.tensor_type.elem_type) for n in readers}
    if len(said) != 1:
        return None
    (integers,) = said
    if integers is not None:
        given.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
        for node in readers:
            node.op_type = "Identity"
            del node.input[1:]
            del node.attribute[:]
    return integers


def _made(model: onnx.ModelProto) -> IntegersSpec | None:
    graph = model.graph
    if len(graph.output) != 1:
        return None
    (made,) = graph.output
    last = next((n for n in graph.node if made.name in n.output), None)
    if last is None or last.op_type != "QuantizeLinear":
        return None
    return _meaning(last, dict(_constants(graph)), made.type.tensor_type.elem_type)


def _meaning(node: onnx.NodeProto, constants: dict[str, Values], kind: int) -> IntegersSpec | None:
    """Return what a node's scale and zero point say of elements of a type; None where that is not 8 bits with one scale."""
    import onnx  # noqa: PLC0415

    types = onnx.TensorProto.DataType
    dtype = {int(types.UINT8): "uint8", int(types.INT8): "int8"}.get(kind)
    scale = constants.get(node.input[SCALE])
    has_zero = len(node.input) > ZERO and node.input[ZERO]
    zero = constants.get(node.input[ZERO]) if has_zero else np.zeros((), np.uint8)
    if dtype is None or scale is None or zero is None or scale.size != 1 or zero.size != 1:
        return None
    value = float(scale.reshape(-1)[0])
    if not 0 < value < float("inf"):
        return None
    return IntegersSpec.model_validate(
        {"dtype": dtype, "scale": value, "zero_point": int(zero.reshape(-1)[0])}
    )


def _constants(graph: onnx.GraphProto) -> Iterator[tuple[str, Values]]:
    """Yield the constants that a scale or a zero point may be."""
    import onnx  # noqa: PLC0415

    for tensor in graph.initializer:
        if not tensor.dims or max(tensor.dims) == 1:
            yield tensor.name, onnx.numpy_helper.to_array(tensor)
    for node in graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value" and (not attribute.t.dims or max(attribute.t.dims) == 1):
                    yield node.output[0], onnx.numpy_helper.to_array(attribute.t)
