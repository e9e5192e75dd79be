"""The cache between runs: bytes that are found again whole or not at all, and a limit that holds all that is kept.

An entry is a file or folder `KIND/DIGEST`; its newest date tells when it was used last, as many file systems keep none of
reading. Who writes says so (`kept`), who finds does (`used`); when all processes together have written a sixteenth of the
limit, what was used longest ago goes, but what is locked. Who finds nothing makes it again. The standard library alone.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from aieloom.digests import bytes_digest
from aieloom.paths import cache_folder, write_whole
from aieloom.progress import broken, quiet

LIMIT, DEFAULT = "AIELOOM_CACHE_LIMIT", 1 << 30  # bytes
LARGE = 100 << 20  # bytes whose removal is told
GROWN = ".grown"  # a file with a byte for each block that was written since all was looked at, and one
_KINDS = "answers|csim|exported|headers|kernels|manifests|modules|objects|programs|search|sessions|tensors|versions"
_ENTRY = re.compile(rf"(?:{_KINDS})/\.?[0-9a-f]{{20}}[^/]*")  # nothing else in the folder is aieloom's
_SIZE = re.compile(r"(\d+)([KMGT]?)(?:I?B)?", re.IGNORECASE)
_BLOCK = 4096  # bytes
_mine: dict[Path, int] = {}  # open folders that this process has locked to its end


def store(file: Path, data: bytes) -> None:
    """Store bytes in a file; a folder that cannot be written is no error."""
    with suppress(OSError):
        write_whole(file, bytes_digest(data).encode() + b"\n" + data)
        kept(file)


def load(file: Path) -> bytes | None:
    """Return what `store` left in a file; None of one that is not there, or whose content is not as it was."""
    try:
        name, _, data = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    used(file)
    return data if name == bytes_digest(data).encode() else None


def used(file: Path) -> Path | None:
    """Say that the entry which a file is, or is in, is used now, and return it; outside of the cache there is none."""
    root = cache_folder().absolute()
    found = _ENTRY.match(str(file.absolute()).removeprefix(f"{root}/"))
    entry, now = root / found[0] if found else None, time.time_ns()  # the kernel's date is milliseconds old
    with suppress(OSError):
        if entry:
            os.utime(entry, ns=(now, now))
    return entry


def kept(file: Path) -> None:
    """Say that a file was written; now and then the cache is brought below its limit. Nobody's work fails for that."""
    said = _SIZE.fullmatch(os.environ.get(LIMIT, "").strip())
    limit = int(said[1]) << 10 * " KMGT".index(said[2].upper() or " ") if said else DEFAULT
    if not used(file) or not limit:
        return
    with suppress(OSError), (cache_folder() / GROWN).open("ab", buffering=0) as grown:
        blocks = grown.write(bytes(-(-file.stat().st_size // _BLOCK)))
        if grown.tell() == blocks or grown.tell() * _BLOCK > limit // 16:  # looked at never, or long ago
            fcntl.flock(grown, fcntl.LOCK_EX | fcntl.LOCK_NB)  # one process looks
            grown.truncate(1)
            _prune(cache_folder().absolute(), limit)


def hold(file: Path) -> None:
    """Keep the entry that a file is in, where it is there, from being removed until this process ends."""
    entry = used(file)
    with suppress(OSError):
        if entry and entry not in _mine:
            handle = os.open(entry, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(handle, fcntl.LOCK_SH)
            _mine[entry] = handle


def _prune(root: Path, limit: int) -> None:
    """Remove what was used longest ago until three quarters of the limit are left, if it is nearly reached."""
    entries, removed = [], 0
    for entry in root.glob("*/*"):
        with suppress(OSError):  # what vanishes meanwhile
            if _ENTRY.fullmatch(str(entry.relative_to(root))):
                inside = (f"{at}/{name}" for at, folders, files in os.walk(entry) for name in folders + files)
                stats = [entry.lstat(), *map(os.lstat, inside)]
                size = sum(-(-s.st_size // _BLOCK) for s in stats) * _BLOCK
                entries.append((max(s.st_mtime_ns for s in stats), size, entry))
    total = sum(size for _, size, _ in entries)
    for _, size, entry in sorted(entries) if total > limit - limit // 16 else ():
        if total - removed > limit // 4 * 3 and _remove(entry):
            removed += size
    if removed >= LARGE and not quiet():
        broken()
        sys.stderr.write(f"{root} was full ({LIMIT}): {removed >> 20} MB used longest ago are removed\n")


def _remove(entry: Path) -> bool:
    """Remove an entry at once, unless somebody has it or what is in it locked; return whether it is gone."""
    with suppress(OSError), ExitStack() as locks:
        for path in (entry, *entry.rglob("*")):
            if path.is_dir() or path.name == ".lock":  # of runs; of builds and headers
                locks.callback(os.close, handle := os.open(path, os.O_RDONLY | os.O_CLOEXEC))
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        gone = entry.with_name(f".{entry.name[-64:]}.{time.time_ns()}")
        entry.rename(gone)  # nobody finds half of it
        (shutil.rmtree if gone.is_dir() else os.unlink)(gone)
        return True
    return False
