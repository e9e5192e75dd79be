"""Constants of an ONNX graph, with the scales of those that were integers.

onnx's reference evaluator knows QuantizeLinear and DequantizeLinear of the newest opsets alone, so they are computed here
[ONNX operator specifications].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Values

if TYPE_CHECKING:
    import onnx

SHOWN = 1 << 10  # values of a constant whose numbers shapes may follow from: sizes, borders, scales
QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"


class Constants(dict[str, Values]):
    """Constants by name; `scales` are those of constants that were integers before they were dequantised."""

    def __init__(self, known: Mapping[str, Values]) -> None:
        super().__init__(known)
        self.scales: dict[str, Values] = {}

    def keep_scale(self, node: onnx.NodeProto) -> None:
        """Note what an evaluated node says of its result's integers; a transposition keeps them."""
        if node.op_type == DEQUANTIZE:
            self.scales[node.output[0]] = self[node.input[1]].reshape(-1)
        elif node.op_type == "Transpose" and node.input[0] in self.scales:
            self.scales[node.output[0]] = self.scales[node.input[0]]


def initializer(values: Values, name: str) -> onnx.TensorProto:
    """Return a constant as a model has it for the inference of shapes; of many values their type and shape alone.

    Each round of inference copies the model: without the weights, which nobody reads there.
    """
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    if values.size <= SHOWN:
        return numpy_helper.from_array(np.asarray(values, order="C"), name)
    kind = helper.np_dtype_to_tensor_dtype(values.dtype)
    return TensorProto(name=name, data_type=kind, dims=values.shape)


def rescaled(node: onnx.NodeProto, constants: Mapping[str, Values]) -> Values | None:
    """Return the result of a QuantizeLinear or DequantizeLinear of constants; None for another node, or by blocks."""
    attributes = {a.name: a.i for a in node.attribute}
    if node.op_type not in (QUANTIZE, DEQUANTIZE) or attributes.get("block_size", 0):
        return None
    x, scale = constants[node.input[0]], constants[node.input[1]]
    zero = constants[node.input[2]] if len(node.input) > 2 and node.input[2] else np.zeros((), np.uint8)
    scale, point = (_along(v, x.ndim, attributes.get("axis", 1)) for v in (scale, zero))
    if node.op_type == DEQUANTIZE:
        floats: Values = ((x.astype(np.int64) - point.astype(np.int64)) * scale).astype(np.float32)
        return floats
    limits = np.iinfo(zero.dtype)
    steps = np.rint(x / scale) + point.astype(np.int64)
    integers: Values = np.clip(steps, limits.min, limits.max).astype(zero.dtype)
    return integers


def _along(values: Values, rank: int, axis: int) -> Values:
    """Return one value, or values along `axis`, to broadcast against a tensor of `rank` dimensions."""
    if values.size == 1:
        return values.reshape(())
    shape = [1] * rank
    shape[axis] = -1
    return values.reshape(shape)
