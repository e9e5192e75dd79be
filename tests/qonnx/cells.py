"""A table of every operator by scales, zero points and signedness: `python -m tests.qonnx.cells` writes docs/quantised-onnx.md.

A cell is a small model of that operator between two QuantizeLinear, compared value by value with the definition and with
onnxruntime's CPU provider.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from aieloom.errors import SpecError
from tests.heavy import onnx
from tests.qonnx.compare import by_aieloom, by_definition, by_onnxruntime, last_scale, planned
from tests.qonnx.graphs import Graph, Tensor

FILE = "docs/quantised-onnx.md"
ROOT = Path(__file__).parents[2]
SIGNS = {"int8": np.int8, "uint8": np.uint8}
COLUMNS = tuple(
    (a, b, kind) for a in SIGNS for b in SIGNS for kind in ("calibrated", "same scale", "half the scale")
)


class Cell(Graph):
    """A graph whose tensors have a given scale, as a part of what suits their values."""

    def fit(
        self, t: Tensor, sign: str, scale: float | None = None, share: float = 1.0
    ) -> tuple[Tensor, float]:
        values = self.floats(t.name)
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        scale = float(np.float32(scale or max(high - low, 1e-3) / 251 * share))
        least = 0 if sign == "uint8" else -128
        return self.rounded(
            t, scale, int(np.clip(round(least - low / scale), least, least + 255)), SIGNS[sign]
        ), scale

    def weight(self, *shape: int, axis: int = 0) -> str:
        scale = (
            self.random.uniform(0.5, 2, shape[axis]) / 64 / np.sqrt(np.prod(shape) / shape[axis])
        ).astype(np.float32)
        integers = self.random.integers(-63, 64, shape).astype(np.int8)
        names = [self.constant(integers), self.constant(scale), self.constant(np.zeros(len(scale), np.int8))]
        return self.node("DequantizeLinear", names, axis=axis)

    def floats_of(self, *shape: int) -> str:
        return self.constant(np.float32(self.random.normal(0, 1, shape)))


Make = Callable[[Cell, Tensor], Tensor]


def _window(op: str, **keys: Any) -> Make:
    return lambda g, t: g.add(op, [t.name], **keys)


def _pad(value: float) -> Make:
    def make(g: Cell, t: Tensor) -> Tensor:
        sides = g.constant(np.array([0, 0, 1, 0, 0, 0, 0, 2], np.int64))
        return g.add("Pad", [t.name, sides, g.constant(np.float32(value))])

    return make


def _join(op: str, **keys: Any) -> Make:
    def make(g: Cell, t: Tensor) -> Tensor:
        other, _ = g.fit(g.add("Tanh", [t.name]), "int8")
        return g.add(op, [t.name, other.name], **keys)

    return make


def _moved(op: str, then: str, **keys: Any) -> Make:
    def make(g: Cell, t: Tensor) -> Tensor:
        return g.add(then, [g.add(op, [t.name], **keys).name])

    return make


def _resize(g: Cell, t: Tensor) -> Tensor:
    scales = g.constant(np.array([1, 1, 2, 2], np.float32))
    keys = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return g.add("Resize", [t.name, "", scales], **keys)


def _clip(g: Cell, t: Tensor) -> Tensor:
    return g.add("Clip", [t.name, g.constant(np.float32(0)), g.constant(np.float32(1))])


OPERATORS: dict[str, Make] = {
    "Conv": lambda g, t: g.add("Conv", [t.name, g.weight(4, 4, 3, 3)], pads=[1, 1, 1, 1]),
    "Conv, Relu": lambda g, t: g.add("Relu", [g.add("Conv", [t.name, g.weight(4, 4, 3, 3)]).name]),
    "Conv, depthwise": lambda g, t: g.add("Conv", [t.name, g.weight(4, 1, 3, 3)], group=4, strides=[2, 2]),
    "Conv, dilated": lambda g, t: g.add(
        "Conv", [t.name, g.weight(3, 4, 2, 2)], dilations=[2, 2], kernel_shape=[2, 2]
    ),
    "ConvTranspose": lambda g, t: g.add(
        "ConvTranspose",
        [t.name, g.weight(4, 3, 4, 4, axis=1)],
        strides=[2, 2],
        pads=[1] * 4,
        kernel_shape=[4, 4],
    ),
    "Flatten, Gemm": lambda g, t: g.add(
        "Gemm", [g.add("Flatten", [t.name]).name, g.weight(5, 144)], transB=1
    ),
    "Flatten, MatMul": lambda g, t: g.add(
        "MatMul", [g.add("Flatten", [t.name]).name, g.weight(144, 5, axis=1)]
    ),
    "Add, a constant for each channel": lambda g, t: g.add("Add", [t.name, g.floats_of(1, 4, 1, 1)]),
    "Add, a number": lambda g, t: g.add("Add", [t.name, g.constant(np.float32(0.37))]),
    "Mul, a number": lambda g, t: g.add("Mul", [t.name, g.constant(np.float32(-0.37))]),
    "Add": _join("Add"),
    "Sub": _join("Sub"),
    "Mul": _join("Mul"),
    "Concat": _join("Concat", axis=1),
    "MaxPool": _window("MaxPool", kernel_shape=[2, 2], strides=[2, 2]),
    "AveragePool": _window("AveragePool", kernel_shape=[2, 3], strides=[1, 2]),
    "AveragePool, padded": _window("AveragePool", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    "GlobalAveragePool": _window("GlobalAveragePool"),
    "GlobalAveragePool, Flatten": _moved("GlobalAveragePool", "Flatten"),
    "Pad, 0": _pad(0.0),
    "Pad, 5.26": _pad(5.26),
    "Transpose": _window("Transpose", perm=[0, 2, 3, 1]),
    "Flatten": _window("Flatten"),
    "DepthToSpace": _window("DepthToSpace", blocksize=2),
    "Resize": _resize,
    "Relu": _window("Relu"),
    "Clip": _clip,
    "LeakyRelu": _window("LeakyRelu"),
    "Sigmoid": _window("Sigmoid"),
    "Tanh": _window("Tanh"),
    "Softmax": _window("Softmax", axis=1),
    "QuantizeLinear": lambda _g, t: t,
}
WITHIN = {
    "AveragePool": "exact halves: float32 sums, decided as by onnxruntime's QLinearAveragePool",
    "AveragePool, padded": "exact halves: float32 sums, decided as by onnxruntime's QLinearAveragePool",
    "Add, a constant for each channel": "the constant is a bias, in steps of 1/64 to 1/127 element",
    "Softmax": "exponentials are float32 polynomials",
}
HALVES = "quotients of scales are float32, as onnxruntime's: a half may be decided otherwise"


@dataclass(frozen=True)
class Found:
    """A cell: the share of values equal to the definition and to onnxruntime, the furthest, or why it is refused."""

    defined: float = 0.0
    runtime: float = 0.0
    apart: int = 0
    refused: str = ""

    def text(self) -> str:
        if self.refused:
            return "refused"
        if self.apart == 0:
            return "exact"
        return f"{100 * self.defined:.2f} %"


def cell(name: str, column: tuple[str, str, str]) -> Found:
    """Compare one operator at one choice of signedness and scales."""
    before, after, kind = column
    g = Cell((1, 4, 6, 6), np.random.default_rng(3))
    t, scale = g.fit(g.tensor("x"), before)
    if name not in PRODUCTS:  # something for the AI Engines
        t, scale = g.fit(g.add("Conv", [t.name, g.weight(4, 4, 1, 1)]), before)
    given = {"calibrated": None, "same scale": scale, "half the scale": scale / 2}[kind]
    y, _ = g.fit(OPERATORS[name](g, t), after, given)
    model: onnx.ModelProto = g.model(y)
    x = np.random.default_rng(5).normal(0, 1.2, (6, 4, 6, 6)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        try:
            ours = by_aieloom(planned(model, Path(folder)), x)
        except SpecError as e:
            return Found(refused=str(e.problems[0].text))
    wanted, _ = by_definition(model, x)
    unit = last_scale(model)
    off = np.rint(np.abs(ours - wanted) / unit)
    same = np.rint(np.abs(ours - by_onnxruntime(model, x, optimised=True)) / unit) == 0  # as users have it
    return Found(float((off == 0).mean()), float(same.mean()), int(off.max()))


PRODUCTS = tuple(n for n in OPERATORS if n.startswith(("Conv", "Flatten, ")))
HEAD = """\
# Quantised ONNX models, operator by operator

Made by `python -m tests.qonnx.cells`. Each cell compares aieloom's integers, which the emulated design equals to the bit, with ONNX's
definition in exact rational numbers (tests/qonnx/definition.py): `exact`, or the share of values that are equal, the others one element
off. Columns: signedness of the input's and the result's elements, and the result's scale: as calibration finds it, the
input's, or half of it. The last but one column is the least share equal to onnxruntime {version}'s CPU provider.

"""
TAIL = """
What is refused, each with a message: float weights between QuantizeLinear; a float result that some readers round and others
do not, or to different scales; averages, and functions inside of the network, that no QuantizeLinear follows; a border of a value that is no element
and that nothing rounds; BatchNormalization of integer weights; 16-bit and block-wise elements; layers on the processor between
which the model has elements.

A model whose input or output is integers, as converters from TensorFlow Lite write them, is taken as it is: `aieloom.Session` takes and gives those integers; samples of a
project that have that type mean what the model's DequantizeLinear says, floats are real values (tests/qonnx/test_qonnx_ends.py: a published network of uint8).

onnxruntime's own operators (domain com.microsoft: QGemm, QLinearAdd, QLinearMul, QLinearConcat, QLinearAveragePool, QLinearGlobalAveragePool,
QLinearLeakyRelu, QLinearSigmoid, QLinearReduceMean, QLinearSoftmax), which `quantize_static(quant_format=QuantFormat.QOperator)` writes, are read as the float
operator between DequantizeLinear and QuantizeLinear that they are by definition; tests/qonnx/test_qonnx_contrib.py holds each beside onnxruntime's kernel of it.

How it rounds. A sum of 32 bits times the float32 number (x_scale * w_scale) / y_scale, which is a 24-bit integer over a power of two: the cores
multiply with that integer (grown by up to 7 bits, so that all channels have one shift; where they are further apart the sum is shifted left
first) and shift by `conv_even`, so that nothing but the one rounding is lost. onnxruntime rounds the same product to float32 before: that
decides otherwise only within 2^-16 of a half.

Add, Sub and Mul. The quotients of the inputs' scales and the result's are float32 numbers too. Where such a quotient is none, and many sums
lie at halves, these are decided by what is lost: of .02 + .05 -> .04, whose quotients are 1/2 and nearly 5/4, 90.4 % of all 65,536 pairs
are the exact definition's, the others one element off (tests/qonnx/test_qonnx_cells.py); onnxruntime's float32 decides them in a third way.

onnxruntime itself is not exact everywhere. On processors without VNNI its kernels of uint8 by int8 saturate pairs of products at 16 bits
(its documentation advises `reduce_range`; weights here have 7 bits for that). Its fused additions and averages add the
zero point before they round, so that halves go the other way where the zero point is odd; its softmax is an integer table;
two QuantizeLinear in a row (the row `QuantizeLinear`) it makes one of. Without optimisation it computes the nodes as they stand.
"""


def table() -> str:
    groups = [(a, b) for a in SIGNS for b in SIGNS]
    lines = [
        HEAD.format(version=version("onnxruntime"))
        + "| operator | "
        + " | ".join(f"{a} to {b}" for a, b in groups)
        + " | onnxruntime | why not exact |",
        "|---" * (len(groups) + 3) + "|",
    ]
    for name in OPERATORS:
        found = {c: cell(name, c) for c in COLUMNS}
        cells = [
            ", ".join(dict.fromkeys(found[c].text() for c in COLUMNS if c[:2] == group)) for group in groups
        ]
        apart = max(f.apart for f in found.values())
        assert apart <= 1, (name, apart)
        least = min((f.runtime for f in found.values() if not f.refused), default=0.0)
        why = "" if apart == 0 else WITHIN.get(name, HALVES)
        lines.append(f"| {name} | {' | '.join(cells)} | {100 * least:.1f} % | {why} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n" + TAIL


def main() -> int:
    """Write the table."""
    (ROOT / FILE).write_text(table(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
