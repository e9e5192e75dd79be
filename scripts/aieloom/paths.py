"""Where the emulator's own files are, where what is kept between runs lies, how a file is written whole, and JSON read.

The standard library alone: scripts/build_hook.py runs what uses this while pip installs.
"""

from __future__ import annotations

import json
import os
import secrets
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

PUBLIC = 0o666  # as `open` has it: less what the umask takes away
PRIVATE = 0o600  # what is run again without being looked at: nobody else's to read or write


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


def settings_folder() -> Path:
    """Return where a user's own settings are kept."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "aieloom"


def read_json(path: Path) -> object:
    """Return what a file of JSON holds; None of one that is not there, or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def json_object(path: Path) -> dict[str, Any]:
    """Return the object that a file of JSON holds; an empty one where it holds none."""
    found = read_json(path)
    return found if isinstance(found, dict) else {}


def write_whole(path: Path, data: bytes, *, mode: int = PRIVATE) -> None:
    """Write a file under a temporary name and rename it: what is interrupted leaves the old one.

    `mode` is `PUBLIC` of what a user works with, which the umask narrows as it does every program's files.

    Raises:
        OSError: the place cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    name = path.parent / f".{path.name}.{secrets.token_hex(8)}"
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        name.replace(path)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
