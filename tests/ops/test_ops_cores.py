"""Random products on the cores alone: every AIE layer's own outputs, by its PLIO files, are the reference's to the bit.

A case is one layer: a random convolution or dense layer between random neighbours, with a random mapping where that is
legal. Cases share programs: a network of eight is generated, compiled and run as its graph is by x86simulator, each layer on
the input that the reference gives it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from aieloom.errors import AieloomError, CannotFit
from aieloom.flow.project import Project
from aieloom.network.tensor import TensorType
from aieloom.ops import REGISTRY
from aieloom.spec.types import DataType
from tests.ops.cores import check, written
from tests.ops.networks import MAKERS, Random, row

LAYERS = 8  # cases of a network
HEAD = "name: cores\ntarget: {target}\nweights: w.safetensors\ninput: {{name: x, shape: {shape}}}\nlayers:\n"
MAX_VALUES, MAX_WEIGHTS = 1500, 20_000  # of a layer
KINDS = {  # target and `quantize:`; None for float32
    "float32 on AIE": ("vck190", None),
    "int8 on AIE": ("vck190", "scales: multiplier"),
    "int8, 16-bit multipliers, on AIE": ("vck190", "scales: multiplier16, per_channel: false"),
    "int8 on AIE-ML": ("vek280", "scales: multiplier"),
    "bfloat16 on AIE-ML": ("vek280", "activations: bfloat16, weights: bfloat16"),
}


def products(random: Random) -> tuple[list[int], list[str]]:
    """Return an input's shape and rows of layers, `LAYERS` products among them."""
    shape = [int(random.integers(1, 7)), int(random.integers(6, 15)), int(random.integers(6, 15))]
    x, rows = TensorType((shape[0], shape[1], shape[2]), DataType.FLOAT32), list[str]()
    count = 0
    while count < LAYERS:
        op = str(random.choice(["conv2d", "conv2d", "conv2d", "dense"])) if x.elements > 12 else "dense"
        keys = MAKERS[op](random, x)
        if op == "dense":  # up to 96 outputs, so that a product may follow as large as this one
            keys = {"out_features": int(random.integers(3, 97)), "bias": bool(random.random() < 0.7)}
        assert keys is not None
        spec = REGISTRY[op].layer_model.model_validate({"name": "probe", "op": op, **keys})
        y = REGISTRY[op].infer(spec, x)
        if (
            y.elements > MAX_VALUES
            or y.elements < min(24, x.elements // 4)
            or y.shape[0] * x.elements > MAX_WEIGHTS
        ):
            continue
        rows.append(row(f"p{count}", op, keys))
        rows.append(row(f"a{count}", str(random.choice(["relu", "identity", "tanh"])), {}))
        x, count = y, count + 1
    return shape, rows


def mappings(random: Random) -> Iterator[dict[str, str]]:
    """Yield random keys for some layers' mappings, one layer a time."""
    for i in random.permutation(LAYERS):
        keys = {
            "plio": str(random.choice([32, 64, 128])),
            "buffers": str(random.choice(["single", "ping_pong"])),
            "groups": str(random.choice([1, 2])),
            "weights": "stream",
        }
        picked = random.permutation(list(keys))[: random.integers(1, 3)]
        yield {f"p{i}": ", ".join(f"{k}: {keys[k]}" for k in picked)}


def random_project(folder: Path, seed: int, target: str, quantize: str | None) -> tuple[Project, str] | None:
    """Return a project of `LAYERS` products and its text, with as many random mappings as are legal in four tries."""
    random = np.random.default_rng(seed)
    shape, rows = products(random)
    text = HEAD.format(target=target, shape=shape) + "\n".join(rows) + "\n"
    try:
        written(folder, text, quantize)
    except CannotFit:
        return None
    chosen: dict[str, str] = {}
    for _, more in zip(range(4), mappings(random), strict=False):
        tried = chosen | more
        lines = "".join(f"  {name}: {{{keys}}}\n" for name, keys in tried.items())
        try:
            written(folder, f"{text}mapping:\n{lines}", quantize)
        except AieloomError:
            continue
        chosen = tried
    if chosen:
        lines = "".join(f"  {name}: {{{keys}}}\n" for name, keys in chosen.items())
        text = f"{text}mapping:\n{lines}"
    return written(folder, text, quantize), text


def run(kind: str, seed: int, folder: Path) -> None:
    target, quantize = KINDS[kind]
    for attempt in range(20):  # some networks are too large for the device, or for its routing
        made = random_project(folder, 1000 * attempt + seed, target, quantize)
        if made is not None:
            assert check(*made, seed) == LAYERS
            return
    raise AssertionError("no network fitted")


@pytest.mark.slow  # a network of eight layers takes a minute
@pytest.mark.parametrize("kind", KINDS)
def test_random_layers_give_the_references_bits(kind: str, tmp_path: Path) -> None:
    """Five networks of eight products: forty cases."""
    run(kind, 7, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(100, 103))
def test_many_random_layers_give_the_references_bits(kind: str, seed: int, tmp_path: Path) -> None:
    """Fifteen networks of eight products: 120 cases."""
    run(kind, seed, tmp_path)
