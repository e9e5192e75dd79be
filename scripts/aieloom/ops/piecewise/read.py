"""The functions of the table in models, those whose rows say an operator of ONNX."""

from __future__ import annotations

from aieloom.ops.function import read_as_rows
from aieloom.ops.piecewise import FUNCTIONS

read_as_rows(FUNCTIONS)
