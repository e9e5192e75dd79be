"""Where the oracles' sources lie: AIELOOM_ORACLES names a folder of checkouts, `bash scripts/oracles` makes one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

HERE = Path(__file__).parent


def pins() -> dict[str, dict[str, Any]]:
    """Return pins.yaml."""
    return cast("dict[str, dict[str, Any]]", yaml.safe_load((HERE / "pins.yaml").read_text(encoding="utf-8")))


def checkout(name: str) -> Path:
    """Return the folder of a checkout; skip the test, and say how to get it, where there is none."""
    pin, folder = pins()[name], os.environ.get("AIELOOM_ORACLES")
    if not folder:
        pytest.skip(f"needs {pin['what']}: bash scripts/oracles DIR, then AIELOOM_ORACLES=DIR")
    found = Path(folder).resolve() / name
    if not (found / pin["marker"]).is_file():
        pytest.skip(f"AIELOOM_ORACLES={folder} has no {name}/{pin['marker']}: bash scripts/oracles {folder}")
    return found
