"""Digests of files: what decides whether a result is up to date is content, and nothing else.

A file's date and size say nothing: `cp -p`, `rsync -t`, `tar` and container layers keep both while the content changes.
Inode and status-change time (ctime) are the kernel's and no program can set them, but their clock ticks only every few
milliseconds, so that a file written twice in one tick looks the same; and some file systems (FAT, network shares) report the
date that a program set in the place of ctime. So inputs are read every time (a gigabyte takes about two seconds, a network's
files milliseconds). Only files of the installation, hundreds of headers that every unit reads, are remembered, within one
process, and only when they had long been still.

The standard library alone, as paths.py.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_BLOCK = 1 << 20  # bytes
# Many ticks of any file system's clock; FAT's, the coarsest, ticks every two seconds
STILL_NS = 2_000_000_000

_known: dict[tuple[int, ...], str] = {}


def text_digest(*parts: str) -> str:
    """Return a digest of texts in order."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", errors="surrogateescape")
        found.update(f"{len(data)}:".encode() + data)
    return found.hexdigest()


def bytes_digest(data: bytes) -> str:
    """Return what `file_digest` returns of a file with this content."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """Return the digest of a file, which need not fit into memory.

    Raises:
        OSError: it cannot be read.
    """
    found = hashlib.sha256()
    with path.open("rb") as f:
        while block := f.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def digest_if_there(path: Path) -> str:
    """Return the digest of a file; empty for one that cannot be read, or is a pipe, which would keep its reader waiting."""
    if not path.is_file():
        return ""
    try:
        return file_digest(path)
    except OSError:
        return ""


def named_digest(files: Iterable[tuple[str, Path]]) -> str:
    """Return one digest of files with the names by which they count; one that cannot be read is there as missing."""
    return text_digest(*(part for name, path in files for part in (name, digest_if_there(path))))


def stamp_of(stat: os.stat_result) -> tuple[int, ...]:
    """Return what no program can keep when it changes a file: inode and ctime, with the size."""
    return stat.st_ino, stat.st_size, stat.st_ctime_ns


def is_still(stat: os.stat_result, since_ns: int | None = None) -> bool:
    """Tell whether a file was still so long before a moment (now) that any change since has given it another stamp."""
    return 0 <= stat.st_ctime_ns < (time.time_ns() if since_ns is None else since_ns) - STILL_NS


def installed_digest(path: str) -> str:
    """Return the digest of a file of the installation: a header of the system or of aieloom, read once in a process.

    Raises:
        OSError: it cannot be read.
    """
    stat = os.stat(path)  # noqa: PTH116 - asked for hundreds of headers a unit: a Path would take most of the time
    key = (stat.st_dev, *stamp_of(stat))
    digest = _known.get(key)
    if digest is None:
        digest = file_digest(Path(path))
        if is_still(stat):
            _known[key] = digest
    return digest


@cache
def code_digest() -> str:
    """Return a digest of aieloom's own files: with other ones it plans, generates and evaluates again.

    Its modules, boards, tables of costs and products, templates of the report. What the emulator compiles is known by what
    the compiler reads (emulator/readings.py).
    """
    found = hashlib.sha256()
    for name, path in _own_files(str(Path(__file__).parent)):
        with open(path, "rb") as f:  # noqa: PTH123 - hundreds of files at each start: a Path costs as much as reading one
            data = f.read()
        found.update(f"{len(name)}:{name}{len(data)}:".encode() + data)
    return found.hexdigest()


_COMPILED = ("emulator/include", "emulator/src", "emulator/prebuilt")  # what compilers read


def _own_files(package: str) -> Iterator[tuple[str, str]]:
    """Yield the files below the package by name and path, in order."""
    for folder, below, names in os.walk(package):
        inside = folder[len(package) :].replace(os.sep, "/").lstrip("/")
        below[:] = sorted(b for b in below if b != "__pycache__" and f"{inside}/{b}" not in _COMPILED)
        yield from ((f"{inside}/{name}", f"{folder}/{name}") for name in sorted(names))
