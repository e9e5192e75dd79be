"""Arrays of whatever element type: what a function of elements and of floats takes and gives."""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.typing import NDArray

Values: TypeAlias = NDArray[Any]
