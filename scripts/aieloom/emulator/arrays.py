"""NumPy arrays instead of PLIO text files: what goes to an emulated program, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import SpecError

Array = NDArray[Any]
_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32")


def type_name(array: Array) -> str:
    """Return the emulator's name of an array's elements.

    Raises:
        SpecError: no PLIO carries such elements.
    """
    name = str(array.dtype)
    if name not in _TYPES:
        text = f"no PLIO carries elements of type {name}"
        raise SpecError(rule="plio-array", text=text, remedy=f"use one of: {', '.join(_TYPES)}")
    return name


def write_inputs(folder: Path, inputs: Mapping[str, Array]) -> None:
    """Leave the arrays, by their PLIO's logical name, where the emulated program looks for them."""
    (folder / "in").mkdir(parents=True, exist_ok=True)
    (folder / "out").mkdir(exist_ok=True)
    for name, array in inputs.items():
        array.astype(array.dtype.newbyteorder("<")).tofile(folder / "in" / f"{name}.{type_name(array)}")


def read_outputs(folder: Path) -> dict[str, Array]:
    """Return what each output PLIO gave, flat; complex elements as pairs, bfloat16 as float32."""
    found: dict[str, Array] = {}
    for file in sorted((folder / "out").iterdir()):
        name, _, kind = file.name.rpartition(".")
        found[name] = _read(file, kind)
    return found


def _read(file: Path, kind: str) -> Array:
    if kind.startswith("complex "):
        return _read(file, kind.removeprefix("complex ")).reshape(-1, 2)
    if kind == "bfloat16":
        bits = np.fromfile(file, "<u2").astype(np.uint32) << 16
        return bits.view(np.float32)
    return np.fromfile(file, np.dtype(kind).newbyteorder("<"))
