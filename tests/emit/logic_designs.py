"""Designs that together print every template of pl_templates: kernels of each kind, in each type of elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from aieloom.emit.project import render
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from aieloom.spec.quantize import QuantizeSpec
from tests.designs import ROOT, Design
from tests.emit.golden import sources
from tests.emit.host_designs import DESIGNS as HOSTS
from tests.hls_lint.kernels import FOLDERS, SPATIAL
from tests.ops.kernels import CHOSEN
from tests.ops.networks import MAKERS, design_of_yaml, random_yaml
from tests.quantize.designs import EVERY, JOINED
from tests.quantize.kernels import INT16, integer_design
from tests.sequential import networks

Tree = Mapping[str, str | bytes]
Make = Callable[[Path], Tree]
ONNX = "quantize: {activations: int8, weights: int8, scales: onnx, calibration: calib.npz}\n"
BFLOAT16 = "quantize: {activations: bfloat16, weights: bfloat16}\n"
INTEGERS = ONNX.replace("scales: onnx, ", "")
# In turn on the array, with a depthwise layer and without a sum.
APART = """\
name: apart
target: vck190
weights: weights.safetensors
execution: sequential
engine: aie
input: {name: x, shape: [3, 14, 12]}
layers:
  - {name: conv, op: conv2d, out_channels: 40, kernel: 3, stride: 2, padding: 1}
  - {name: apart, op: conv2d, out_channels: 40, kernel: 3, padding: 1, groups: 40}
  - {name: scale, op: affine, over: channels}
  - {name: flat, op: flatten}
  - {name: fc, op: dense, out_features: 10}
"""
APART_SHAPES = {
    "conv.weight": (40, 3, 3, 3),
    "apart.weight": (40, 1, 3, 3),
    "scale.weight": (40,),
    "fc.weight": (10, 40 * 7 * 6),
}
UNSCALED = APART.replace("  - {name: scale, op: affine, over: channels}\n", "")
UNSCALED_SHAPES = {name: shape for name, shape in APART_SHAPES.items() if name != "scale.weight"}
# Rows of chains without anything that they fold or add.
PLAIN = """\
name: plain
target: vck190
weights: weights.safetensors
execution: sequential
engine: aie
input: {name: x, shape: [3, 46, 38]}
layers:
  - {name: conv, op: conv2d, out_channels: 64, kernel: 3}
  - {name: act, op: relu}
  - {name: half, op: conv2d, out_channels: 64, kernel: 3, stride: 2, padding: 1}
  - {name: flat, op: flatten}
  - {name: fc, op: dense, out_features: 10}
"""
PLAIN_SHAPES = {
    "conv.weight": (64, 3, 3, 3),
    "half.weight": (64, 64, 3, 3),
    "fc.weight": (10, 64 * 22 * 18),
}


def _planned(design: Design | None) -> Tree:
    assert design is not None
    return render(design.plan, design.parameters)


def _text(text: str) -> Make:
    return lambda _: sources(text)


def _floats(text: str) -> Make:
    return lambda _: _planned(design_of_yaml(text))


def _project(name: str) -> Make:
    return _opened(lambda _: ROOT / "projects" / name)


def _integers(text: str, settings: QuantizeSpec = QuantizeSpec()) -> Make:  # noqa: B008 - frozen
    return lambda _: _planned(integer_design(text, settings))


def _opened(written: Callable[[Path], Path]) -> Make:
    return lambda folder: design_of(open_any(written(folder), build=folder / "build")).render()


def _in_turn(text: str) -> Make:
    return lambda folder: design_of(networks.opened(folder, text)).render()


def _with_weights(text: str, shapes: Mapping[str, tuple[int, ...]], image: tuple[int, ...]) -> Make:
    def written(folder: Path) -> Path:
        random = np.random.default_rng(3)
        tensors = {n: random.normal(0, 0.1, s).astype(np.float32) for n, s in shapes.items()}
        tensors |= {n.replace("weight", "bias"): np.zeros(s[0], np.float32) for n, s in shapes.items()}
        save_file(tensors, folder / "weights.safetensors")
        np.savez(folder / "calib.npz", x=random.normal(0, 1, (8, *image)).astype(np.float32))
        (folder / "network.yaml").write_text(text)
        return folder

    return _opened(written)


DESIGNS: dict[str, Make] = {
    **{name: _text(SPATIAL[name]) for name in ("espcn", "joined", "places")},
    **{f"chosen{i}": _floats(CHOSEN[i]) for i in (0, 2)},
    **{f"random{seed}": _floats(random_yaml(seed, tuple(MAKERS))) for seed in (2, 3, 4, 28)},
    "every_int16": _integers(EVERY.format(target="vck190"), INT16),
    "every_onnx": _integers(EVERY.format(target="vck190") + ONNX, QuantizeSpec(scales="onnx")),
    "joined_integers": _integers(JOINED),
    "joined_onnx": _integers(JOINED + ONNX, QuantizeSpec(scales="onnx")),
    **{name: _project(name) for name in ("xor", "autoencoder")},
    **{f"folder_{name}": _opened(FOLDERS[name]) for name in ("rows", "circuit")},
    **{
        f"in_turn_{scales}": _in_turn(networks.quantised(scales) + "engine: pl\n")
        for scales in ("power_of_two", "multiplier16", "onnx")
    },
    "apart_bfloat16": _with_weights(
        UNSCALED.replace("vck190", "vek280") + BFLOAT16, UNSCALED_SHAPES, (3, 14, 12)
    ),
    "apart": _with_weights(UNSCALED, UNSCALED_SHAPES, (3, 14, 12)),
    "apart_integers": _with_weights(APART + INTEGERS, APART_SHAPES, (3, 14, 12)),
    "plain": _with_weights(PLAIN + INTEGERS, PLAIN_SHAPES, (3, 46, 38)),
    **{
        name: HOSTS[name]
        for name in (
            *("tiles", "product_on_the_array", "product_in_the_logic", "units_of_floats"),
            *("in_turn_issued_by_the_host", "rows_issued_by_the_host", "rows_without_tables"),
        )
    },
}
