"""The JSON that a model's file describes its layers in, bounded before it is read: some MB of zip can hold GB of text."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from typing import Any

MOST = 1 << 24  # bytes; descriptions of networks of thousands of layers have 5 MB

Refuse = Callable[[str], Exception]  # makes the refusal of the file of a text


def json_of(archive: zipfile.ZipFile, name: str, refuse: Refuse) -> Any:
    """Return what a member of an archive says.

    Raises:
        Exception: what `refuse` gives, where it is too large.
    """
    size = archive.getinfo(name).file_size  # zipfile reads no more than this
    _check(size, name, refuse)
    return json.loads(archive.read(name))


def parsed(text: str, name: str, refuse: Refuse) -> Any:
    """Return what a text says.

    Raises:
        Exception: what `refuse` gives, where it is too large.
    """
    _check(len(text), name, refuse)
    return json.loads(text)


def _check(size: int, name: str, refuse: Refuse) -> None:
    if size > MOST:
        raise refuse(f"describes its layers in {size} bytes ({name}), of which at most {MOST} are read")
