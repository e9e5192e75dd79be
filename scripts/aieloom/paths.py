"""Where the emulator's own files are, where what is kept between runs lies, and how a file is written whole or not at all.

The standard library alone: scripts/build_hook.py runs what uses this while pip installs.
"""

from __future__ import annotations

import os
import tempfile
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


def write_whole(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file under a temporary name and rename it: what is interrupted leaves the old one.

    Raises:
        OSError: the place cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
