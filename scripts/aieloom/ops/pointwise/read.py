"""The functions of the tables in models: ONNX's nodes and PyTorch's calls of the names that their rows say."""

from __future__ import annotations

from aieloom.ops.function import read_as_rows
from aieloom.ops.pointwise import FUNCTIONS, TABULATED

read_as_rows({**FUNCTIONS, **TABULATED})
