"""Where the emulator's own files are, and where what is kept between runs lies."""

from __future__ import annotations

import os
from functools import cache
from importlib import resources
from pathlib import Path


@cache
def package_folder() -> Path:
    """Return the folder of the emulator's own headers and sources."""
    return Path(str(resources.files("aieloom.emulator")))


def cache_folder() -> Path:
    """Return where objects and arrays are kept: $AIELOOM_CACHE, or the user's cache folder."""
    base = os.environ.get("AIELOOM_CACHE")
    if base:
        return Path(base)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aieloom"
