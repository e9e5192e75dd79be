"""Where the emulator's own files are."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path


@cache
def package_folder() -> Path:
    """Return the folder of the emulator's own headers and sources."""
    return Path(str(resources.files("aieloom.emulator")))
