"""What the table computes."""

from __future__ import annotations

from aieloom.ops.lut import index_of
from aieloom.ops.lut import look_up as hardware

__all__ = ["hardware", "index_of"]
