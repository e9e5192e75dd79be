"""Quantised ONNX models as whole emulated systems: to the bit the integer reference, and onnxruntime's results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.plan.types import array_of
from tests.heavy import onnx
from tests.qonnx.compare import YAML, by_onnxruntime, last_scale
from tests.qonnx.graphs import Graph, Tensor

UNSIGNED = {"int8": np.int8, "uint8": np.uint8}


class Net(Graph):
    """A graph with seeded scales that suit its values."""

    def fit(self, t: Tensor, dtype: str = "uint8") -> Tensor:
        values = self.floats(t.name)
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        scale = max(high - low, 1e-3) / 250
        least = 0 if dtype == "uint8" else -128
        return self.rounded(
            t, scale, int(np.clip(round(least - low / scale), least, least + 255)), UNSIGNED[dtype]
        )

    def weight(self, *shape: int, spread: float = 3.0) -> str:
        scale = self.random.uniform(1, spread, shape[0]).astype(np.float32) / 100 / np.float32(spread)
        scale[0] = scale[1:].max() * np.float32(1000 if spread > 100 else 1)
        names = [
            self.constant(self.random.integers(-63, 64, shape).astype(np.int8)),
            self.constant(scale),
            self.constant(np.zeros(shape[0], np.int8)),
        ]
        return self.node("DequantizeLinear", names, axis=0)


def mixed(seed: int, spread: float) -> tuple[onnx.ModelProto, Net]:
    """Return convolutions, joins of three kinds, averages, a border and constants, in both signs."""
    g = Net((1, 3, 6, 6), np.random.default_rng(seed))
    x = g.fit(g.tensor("x"))
    a = g.fit(
        g.add("Relu", [g.add("Conv", [x.name, g.weight(4, 3, 3, 3, spread=spread)], pads=[1] * 4).name])
    )
    b = g.fit(g.add("Conv", [x.name, g.weight(4, 3, 1, 1)]), "int8")
    total = g.fit(g.add("Add", [a.name, b.name]), "int8")
    less = g.fit(g.add("Sub", [total.name, a.name]))
    product = g.fit(g.add("Mul", [less.name, b.name]), "int8")
    border = [g.constant(np.array([0, 0, 1, 0, 0, 0, 0, 2], np.int64)), g.constant(np.float32(-0.7))]
    wide = g.fit(g.add("Pad", [product.name, *border]))
    pooled = g.fit(
        g.add(
            "AveragePool",
            [wide.name],
            kernel_shape=[3, 2],
            pads=[1, 1, 0, 0],
            strides=[1, 2],
            count_include_pad=0,
        )
    )
    shifted = g.fit(
        g.add("Add", [pooled.name, g.constant(g.random.normal(0, 1, (1, 4, 1, 1)).astype(np.float32))]),
        "int8",
    )
    turned = g.add("Transpose", [shifted.name], perm=[0, 2, 3, 1])
    turned = g.fit(turned)
    mean = g.fit(g.add("Flatten", [g.add("GlobalAveragePool", [turned.name]).name]), "int8")
    last = g.fit(g.add("Gemm", [mean.name, g.weight(5, mean.shape[1])], transB=1))
    return g.model(last), g


@pytest.mark.slow
@pytest.mark.parametrize(("target", "spread"), [("vek280", 3.0), ("vck190", 1e4)])
def test_the_emulated_design_is_the_integer_reference_and_onnxruntimes(
    target: str, spread: float, tmp_path: Path
) -> None:
    model, g = mixed(5, spread)
    onnx.save(model, tmp_path / "net.onnx")
    (tmp_path / "network.yaml").write_text(YAML.replace("vek280", target))
    design = aieloom.design(tmp_path, build=tmp_path / "build")
    assert any(la.draft.requant and la.draft.requant.left for la in array_of(design.plan).aie) == (
        spread > 100
    )
    x = np.random.default_rng(2).normal(0, 1, (40, *g.shape[1:])).astype(np.float32)
    y = design.emulate(x)
    assert np.array_equal(y, design.reference(x))
    theirs = by_onnxruntime(model, x)
    steps = np.rint(np.abs(y.reshape(len(x), -1) - theirs) / last_scale(model))
    assert (steps == 0).mean() >= 0.98
    assert len(np.unique(theirs)) > 20
