"""What timed runs need: clang 14, which not every machine has."""

from __future__ import annotations

import pytest

from aieloom.emulator.timed.lower import find_clang
from aieloom.errors import ToolError


def need_clang() -> None:
    """Skip the test where there is none."""
    try:
        find_clang()
    except ToolError:
        pytest.skip("there is no clang 14 on this machine")
