"""Models that say their layers: their reader, imported when one is read, and whether they are of integers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aieloom.network.readers import SUFFIXES

if TYPE_CHECKING:
    from aieloom.network.readers.onnx_import import OnnxNetwork


def read_model(path: Path, *, shown_as: str) -> OnnxNetwork:
    """Return a model's layers and trained tensors; see onnx_import.read_onnx.

    Raises:
        SpecError: it is no model, or has nodes that cannot be taken.
    """
    from aieloom.network.readers.onnx_import import read_onnx  # noqa: PLC0415

    return read_onnx(path, shown_as=shown_as)


def is_quantised_model(weights: Path) -> bool:
    """Tell whether a weights file is a model of integers, ONNX's or TensorFlow Lite's."""
    return (
        weights.suffix in SUFFIXES
        and weights.is_file()
        and read_model(weights, shown_as=weights.name).is_quantised
    )


def rounding_layers(weights: Path) -> frozenset[str]:
    """Return the layers for whose results a quantised ONNX model states elements; none of another file."""
    if not is_quantised_model(weights):
        return frozenset()
    return frozenset(read_model(weights, shown_as=weights.name).quants)
