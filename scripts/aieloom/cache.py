"""The cache between runs: bytes that are found again whole or not at all. The standard library alone."""

from __future__ import annotations

import contextlib
from pathlib import Path

from aieloom.digests import bytes_digest
from aieloom.paths import write_whole


def store(file: Path, data: bytes) -> None:
    """Store bytes in a file; a folder that cannot be written is no error."""
    with contextlib.suppress(OSError):
        write_whole(file, bytes_digest(data).encode() + b"\n" + data)


def load(file: Path) -> bytes | None:
    """Return what `store` left in a file; None of one that is not there, or whose content is not as it was."""
    try:
        name, _, data = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    return data if name == bytes_digest(data).encode() else None
