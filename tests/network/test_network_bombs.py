"""Small files that would fill the memory: refused by what they say of themselves, before anything of it is read."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from aieloom.errors import SpecError
from aieloom.network.readers.keras_file import CONFIG, WEIGHTS, load_keras
from aieloom.network.readers.torch_archive import read_exported

LISTS = b"[" + b"[]," * (10 << 20) + b"[]]"  # 30 MB of text, 1 GB of lists


def keras(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(CONFIG, LISTS)
        archive.writestr(WEIGHTS, b"")


def exported(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("net/models/model.json", LISTS)


@pytest.mark.parametrize(
    ("name", "write", "read"), [("net.keras", keras, load_keras), ("net.pt2", exported, read_exported)]
)
def test_text_that_would_fill_the_memory_is_not_read(
    name: str, write: Callable[[Path], None], read: Callable[[Path, str], object], tmp_path: Path
) -> None:
    pytest.importorskip("h5py")
    pytest.importorskip("torch")
    path = tmp_path / name
    write(path)
    assert path.stat().st_size < 3_000_000
    tracemalloc.start()
    try:
        with pytest.raises(
            SpecError, match=r"describes its layers in \d+ bytes .* at most 16777216 are read"
        ):
            read(path, name)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
