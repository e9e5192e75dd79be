"""Operators: found by name, each with its models; pixel_shuffle against PyTorch."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.ops import REGISTRY
from aieloom.ops.registry import Registry
from aieloom.ops.reorder import PixelShuffle
from aieloom.pl.steps import PlStep
from tests.designs import plan_of
from tests.heavy import torch


def test_all_operators_are_registered_with_their_models() -> None:
    assert {"conv2d", "dense", "max_pool", "pixel_shuffle", "relu", "softmax", "tanh"} <= set(REGISTRY)
    assert list(REGISTRY) == sorted(REGISTRY)
    for name in REGISTRY:
        assert REGISTRY[name].name == name
        assert "op" in REGISTRY[name].layer_model.model_fields
        assert "engine" in REGISTRY[name].mapping_model.model_fields


@pytest.mark.parametrize("name", REGISTRY)
def test_layers_go_to_the_searchs_processes(name: str) -> None:
    for model in (REGISTRY[name].layer_model, REGISTRY[name].mapping_model):
        assert pickle.loads(pickle.dumps(model)) is model


def test_a_second_operator_of_a_name_is_refused() -> None:
    registry = Registry()
    registry.add(REGISTRY["tanh"])
    with pytest.raises(ValueError, match="two operators are called 'tanh'"):
        registry.add(REGISTRY["tanh"])
    with pytest.raises(KeyError):
        registry["conv2d"]


def shuffle_step(c: int, h: int, w: int, r: int) -> PlStep:
    plan = plan_of(
        f"name: s\ntarget: vck190\nweights: w.pt\ninput: {{name: x, shape: [1, {h}, {w}]}}\n"
        f"layers:\n  - {{name: c, op: conv2d, out_channels: {c * r * r}, kernel: 1}}\n"
        f"  - {{name: s, op: pixel_shuffle, upscale: {r}}}\n"
    )
    return next(s for g in plan.pl for s in g.steps)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(1, 3))
def test_pixel_shuffle_is_pytorchs(c: int, h: int, w: int, r: int, batch: int) -> None:
    step, operator = shuffle_step(c, h, w, r), PixelShuffle()
    x = np.random.default_rng(0).normal(size=(batch, c * r * r, h, w)).astype(np.float32)
    y = torch.pixel_shuffle(torch.from_numpy(x), r).numpy()
    assert np.array_equal(operator.hardware(step, {}, x), y)
    assert np.array_equal(operator.spread(step, {}, x), y)
    assert not operator.rounding(step, {}, x).any()
