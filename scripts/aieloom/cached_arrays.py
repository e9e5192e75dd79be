"""Arrays in the cache, found again by what they were made of."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from aieloom.cache import load, store

Arrays = dict[str, NDArray[np.generic]]
_NAMES, _KEY = "names", "key"  # beside the arrays, which are 0, 1, ...: a tensor may have any name


def digest(*parts: bytes | str | NDArray[np.generic]) -> str:
    """Return a digest of texts, bytes and arrays (with their types and shapes) in order."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            head, body = f"{part.dtype.str}{part.shape}", np.ascontiguousarray(part).tobytes()
        else:
            head, body = "", part.encode() if isinstance(part, str) else part
        found.update(f"{head}:{len(body)}:".encode() + body)
    return found.hexdigest()


def cached_arrays(file: Path, key: str, make: Callable[[], Mapping[str, NDArray[np.generic]]]) -> Arrays:
    """Return the arrays of `file` when they were made of `key`; else make them, and store them there.

    Their order is kept. A file that is damaged is made again; a folder that cannot be written is no error.
    """
    known = load(file)
    if known is not None:
        another = contextlib.suppress(ValueError, KeyError, EOFError, BadZipFile)  # another version's
        with another, np.load(io.BytesIO(known), allow_pickle=False) as stored:
            if str(stored[_KEY]) == key:
                return {str(name): stored[str(i)] for i, name in enumerate(stored[_NAMES])}
    made = dict(make())
    store(file, _packed(key, made))
    return made


def _packed(key: str, arrays: Arrays) -> bytes:
    numbered = {str(i): a for i, a in enumerate(arrays.values())}
    every = {_KEY: np.array(key), _NAMES: np.array(list(arrays), dtype=np.str_), **numbered}
    packed = io.BytesIO()
    np.savez(packed, **every)  # type: ignore[arg-type]  # mypy takes a dictionary's values for every keyword
    return packed.getvalue()
