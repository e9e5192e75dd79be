"""Projects of integers for tests: network.yaml, seeded weights and calibration inputs in a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from aieloom.network.layers import infer_shapes
from aieloom.ops import REGISTRY
from aieloom.spec.load import load_network
from tests.designs import stored_of

Values = NDArray[np.float32]


def write_project(folder: Path, text: str, quantize: str = "", seed: int = 1) -> Path:
    """Write a project whose layers are those of `text`, quantised by the keys `quantize`."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = ", ".join(k for k in ("calibration: calib.npz", quantize) if k)
    (folder / "network.yaml").write_text(f"{text}quantize: {{{keys}}}\n")
    network = infer_shapes(load_network(folder, REGISTRY), REGISTRY)
    flat = stored_of(network, seed)
    flat |= {n: np.abs(v) + np.float32(0.5) for n, v in flat.items() if n.endswith("running_var")}
    (folder / "w.safetensors").write_bytes(save(flat))
    np.savez(folder / "calib.npz", x=inputs(network.x.outside, 64))
    return folder


def inputs(shape: tuple[int, ...], count: int, seed: int = 0) -> Values:
    """Return seeded inputs; some lie beyond what calibration sees when they are scaled up."""
    return np.random.default_rng(seed).normal(0, 1, (count, *shape)).astype(np.float32)
