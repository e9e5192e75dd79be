"""NaN and infinities through every float operator: PyTorch's answer from the reference, the reference's from the kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from aieloom.network.tensor import TensorType
from aieloom.ops import REGISTRY
from aieloom.reference.forward import evaluate
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import DataType
from tests.designs import plan_of
from tests.heavy import torch
from tests.ops.kernels import check
from tests.ops.lines import STREAMED, streamed
from tests.ops.networks import JOINS, MAKERS, PRODUCTS, PS_MAKERS, network_yaml, row
from tests.ops.not_finite import ENDS, Values, ends_image

UNARY = sorted(
    op
    for op in {*MAKERS, *PS_MAKERS} - {*JOINS, *PRODUCTS, "batch_norm"}
    if not issubclass(REGISTRY[op].layer_model, ParametricLayerSpec) and REGISTRY[op].arity[0] == 1
)
SHAPE = (3, 4, 5)
CONV = "  - {name: last, op: conv2d, out_channels: 2, kernel: 1}"


def keys_of(op: str, seed: int) -> dict[str, Any]:
    maker = {**MAKERS, **PS_MAKERS}[op]
    return maker(np.random.default_rng(seed), TensorType(SHAPE, DataType.FLOAT32)) or {}


@lru_cache(maxsize=256)
def step_of(op: str, seed: int) -> Any:
    """Return the step of a layer of `op`, on programmable logic where it can be."""
    return plan_of(network_yaml(SHAPE, [row("l", op, keys_of(op, seed)), CONV])).steps[0]


def by_pytorch(op: str, forward: Callable[[Any], Any], x: Any) -> Values:
    """Return PyTorch's answer; of gelu an element at a time: its vectors of AVX-512 make NaN of infinity, its scalars infinity."""
    if op == "gelu":
        y = torch.stack([forward(v.reshape(1, 1, 1, 1)).reshape(()) for v in x.flatten()]).reshape(x.shape)
    else:
        y = forward(x)
    values: Values = y.numpy()
    return values


images = arrays.arrays(np.float32, (2, *SHAPE), elements=st.sampled_from(ENDS), fill=st.nothing())


@pytest.mark.parametrize("op", UNARY)
@settings(max_examples=15, deadline=None)
@given(x=images, seed=st.integers(0, 2))
def test_the_reference_carries_what_pytorch_carries(op: str, x: Values, seed: int) -> None:
    keys = keys_of(op, seed)
    step = step_of(op, seed)
    layer = REGISTRY[op].layer_model.model_validate({"name": "l", "op": op, **keys})
    with np.errstate(all="ignore"):
        _, _, y = next(evaluate([step], {}, x))
    assert step.op == op
    operator: Any = REGISTRY[op]
    wanted = by_pytorch(op, partial(operator.torch_forward, layer, {}), torch.from_numpy(x))
    np.testing.assert_array_equal(np.isnan(y), np.isnan(wanted), err_msg=str(keys))
    infinite = np.isinf(wanted)
    np.testing.assert_array_equal(y[infinite], wanted[infinite])
    if op == "argmax":
        np.testing.assert_array_equal(y, wanted)


COMPARING = ("avg_pool", "clip", "leaky_relu", "max_pool", "relu", "sigmoid", "softmax", "tanh")
LAYERS = {op: keys_of(op, 3) for op in COMPARING}


@pytest.mark.integration
def test_kernels_carry_what_the_reference_carries(tmp_path: Path) -> None:
    texts = [network_yaml(SHAPE, [row("l", op, keys), CONV]) for op, keys in LAYERS.items()]
    lines = [
        streamed(SHAPE, [row("l", op, LAYERS[op]), CONV], {"l": STREAMED})
        for op in ("tanh", "sigmoid", "max_pool")
    ]
    head = streamed((6, 1, 1), [row("l", "softmax", {}), CONV], {"l": STREAMED})
    with np.errstate(all="ignore"):
        check([*texts, *lines, head], tmp_path, image_of=ends_image)
