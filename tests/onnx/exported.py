"""ONNX models as PyTorch exports them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from tests.heavy import nn, torch

Shape = tuple[int, ...]


def export(
    model: nn.Module, shape: Shape, opset: int, path: Path
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Write a model with an open batch; return an input for it."""
    x = np.random.default_rng(2).normal(size=(1, *shape)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that needs no further package calls itself old
        axes = {"x": {0: "batch"}}
        torch.onnx.export(
            model.eval(), (torch.from_numpy(x),), path, dynamo=False, opset_version=opset, input_names=["x"],
            dynamic_axes=axes,
        )  # fmt: skip
    return x
