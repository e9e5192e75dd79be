"""What operators of a TensorFlow Lite model become: nodes and constants of ONNX, tensors that flow, windows.

Facts: schema.fbs; padding by lite/kernels/padding.h.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_build import Nodes
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.tflite_file import LiteModel, LiteOperator, LiteTensor

TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)
NO, RELU, RELU_N1, RELU6 = 0, 1, 2, 3  # of ActivationFunctionType
SAME = 0  # of Padding
INTEGERS = {np.dtype(np.int8): "int8", np.dtype(np.uint8): "uint8"}


@dataclass(frozen=True, slots=True)
class Flow:
    """A tensor that flows: its name, and of features that were an image that one's (height, width, channels).

    `plain`: an image whose axes are as the file has them, (n, channels, height, width).
    """

    name: str
    image: tuple[int, int, int] | None = None
    plain: bool = False


@dataclass(slots=True)
class Builder(Nodes):
    """Takes the operators in order."""

    lite: LiteModel
    scales: dict[str, Values] = field(default_factory=dict)
    flows: dict[int, Flow] = field(default_factory=dict)
    values: dict[int, Values] = field(default_factory=dict)  # constants that operators made

    def constant(self, name: str, values: Any) -> str:
        """Add a constant; return its name, which says nothing of layers."""
        return Nodes.constant(self, f"{name}.{len(self.constants)}", values)

    def tensor(self, op: LiteOperator, index: int) -> LiteTensor:
        """Return the tensor that input `index` is.

        Raises:
            Refused: it is absent.
        """
        if not self.has(op, index):
            raise Refused(f"has no input {index}", "convert the model again")
        return self.lite.tensors[op.inputs[index]]

    @staticmethod
    def has(op: LiteOperator, index: int) -> bool:
        """Tell whether an operator has input `index`."""
        return index < len(op.inputs) and op.inputs[index] >= 0

    def value(self, op: LiteOperator, index: int, what: str) -> Values:
        """Return the constant that input `index` is.

        Raises:
            Refused: it is none.
        """
        data = self.values.get(op.inputs[index]) if self.has(op, index) else None
        data = self.tensor(op, index).data if data is None else data
        if data is None:
            raise Refused(f"its {what} is no constant", "convert the model with its weights inside")
        return data

    def flow(self, op: LiteOperator, index: int = 0) -> Flow:
        """Return what flows into input `index`.

        Raises:
            Refused: nothing does.
        """
        found = self.flows.get(op.inputs[index]) if self.has(op, index) else None
        if found is None:
            text = f"its input {index} does not depend on the model's input, or is the result of a node that is refused"
            raise Refused(text, "put constants into weights")
        return found

    def activated(self, name: str, kind: int) -> str:
        """Return `name` behind a fused activation."""
        if kind == NO:
            return name
        if kind == RELU:
            return self.node("Relu", [name])
        bounds = {RELU6: (0.0, 6.0), RELU_N1: (-1.0, 1.0)}
        if kind not in bounds:
            raise Refused(f"has the fused activation {kind}", "use ReLU or ReLU6, or a layer of its own")
        low, high = (self.constant("bound", np.array(b, np.float32)) for b in bounds[kind])
        return self.node("Clip", [name, low, high])

    def given(self, op: LiteOperator, name: str, image: tuple[int, int, int] | None = None) -> None:
        """Let `name` be an operator's first result, rounded to what that means."""
        at = op.outputs[0]
        self.flows[at] = Flow(self.rounded(name, self.lite.tensors[at]), image)

    def rounded(self, name: str, tensor: LiteTensor) -> str:
        """Return `name` behind QuantizeLinear and DequantizeLinear where the tensor has elements."""
        meaning = self.meaning(tensor)
        if not meaning:
            return name
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [name, *meaning]), *meaning])

    def meaning(self, tensor: LiteTensor) -> list[str]:
        """Return the constants of a tensor's scale and zero point; none of floats.

        Raises:
            Refused: it has elements of other types.
        """
        if tensor.dtype == np.float32:
            return []
        if tensor.dtype not in INTEGERS or tensor.scales.size != 1:
            kind = "an unknown type" if tensor.dtype is None else str(tensor.dtype)
            text = f"'{tensor.name}' is of {kind} with {tensor.scales.size} scales"
            raise Refused(text, "float32, and int8 or uint8 with one scale, are supported")
        low, high = np.iinfo(tensor.dtype).min, np.iinfo(tensor.dtype).max
        if not low <= int(tensor.zeros.reshape(-1)[0]) <= high:
            raise Refused(f"'{tensor.name}' has the zero point {tensor.zeros}", "convert it again")
        scale = self.constant(f"{tensor.name}/scale", tensor.scales.reshape(()))
        zero = self.constant(f"{tensor.name}/zero", tensor.zeros.astype(tensor.dtype).reshape(()))
        return [scale, zero]

    def as_in_file(self, flow: Flow, shape: tuple[int, ...]) -> str:
        """Return a flow's values in the order of the file's axes."""
        if flow.image is not None:
            height, width, channels = flow.image
            sizes = self.constant("sizes", np.array([1, channels, height, width], np.int64))
            turned = self.node("Transpose", [self.node("Reshape", [flow.name, sizes])], perm=TO_NHWC)
            return self.node("Reshape", [turned, self.constant("sizes", np.array(shape, np.int64))])
        if len(shape) != 4 or flow.plain or 1 in (shape[3], shape[1] * shape[2]):
            return flow.name
        return self.node("Transpose", [flow.name], perm=TO_NHWC)


def options_of(op: LiteOperator) -> Any:
    """Return an operator's options.

    Raises:
        Refused: it has none.
    """
    if op.options is None:
        raise Refused("has no options", "convert the model again")
    return op.options


def _sides(size: int, reach: int, stride: int, out: int) -> tuple[int, int]:
    """Return the border before and behind an axis [padding.h: ComputePaddingWithOffset]."""
    total = max(0, (out - 1) * stride + reach - size)
    return total // 2, total - total // 2


def window_of(
    b: Builder, op: LiteOperator, kernel: tuple[int, int], dilation: tuple[int, int]
) -> dict[str, Any]:
    """Return the attributes of a window that moves over the first input."""
    options, x = options_of(op), b.tensor(op, 0).shape
    y = b.lite.tensors[op.outputs[0]].shape
    if len(x) != 4 or len(y) != 4:
        raise Refused(f"reads {x} and gives {y}", "images are supported: (n, height, width, channels)")
    strides = (options.StrideH(), options.StrideW())
    if min(*kernel, *strides, *dilation) < 1:
        raise Refused(f"has strides {strides} and dilations {dilation}", "convert the model again")
    same = options.Padding() == SAME
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    sides = [_sides(x[1 + i], reach[i], strides[i], y[1 + i]) if same else (0, 0) for i in (0, 1)]
    pads = [sides[0][0], sides[1][0], sides[0][1], sides[1][1]]
    return {"kernel_shape": list(kernel), "strides": list(strides), "pads": pads}
