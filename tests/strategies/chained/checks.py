"""Chained layers in the emulator against the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save

import aieloom
from aieloom.api import DesignHandle
from aieloom.network.layers import infer_shapes
from aieloom.ops import REGISTRY
from aieloom.spec.load import load_network
from tests.designs import weights_of

BFLOAT16 = "quantize: {activations: bfloat16, weights: bfloat16}\n"


def design(folder: Path, text: str) -> DesignHandle:
    """Write a project with seeded weights and typical inputs, and open it."""
    (folder / "network.yaml").write_text(text)
    network = infer_shapes(load_network(folder, REGISTRY), REGISTRY)
    flat = {f"{name}.{k}": v for name, tensors in weights_of(network).items() for k, v in tensors.items()}
    (folder / "w.safetensors").write_bytes(save(flat))
    x = np.random.default_rng(2).normal(size=(40, *network.x.shape)).astype(np.float32)
    np.savez(folder / "calib.npz", x=x)
    return aieloom.design(folder)


def check(folder: Path, text: str, tolerance: float) -> None:
    made = design(folder, text)
    x = np.random.default_rng(1).normal(size=(3, *made.plan.x.shape)).astype(np.float32)
    y = made.emulate(x)
    assert np.array_equal(y, made.reference(x))
    assert np.abs(y - made.torch(x)).max() < tolerance
