"""The reader of models that say their layers, imported when one is read: other projects do without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aieloom.network.readers.onnx_import import OnnxNetwork


def read_model(path: Path, *, shown_as: str) -> OnnxNetwork:
    """Return a model's layers and trained tensors; see onnx_import.read_onnx.

    Raises:
        SpecError: it is no model, or has nodes that cannot be taken.
    """
    from aieloom.network.readers.onnx_import import read_onnx  # noqa: PLC0415

    return read_onnx(path, shown_as=shown_as)
