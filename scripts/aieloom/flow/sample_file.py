"""A file of samples: the arrays of an .npz archive, `x` as a network's input."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.network.inputs import taken_record
from aieloom.network.layers import Network

_HEADER_BYTES = 10_000  # of an array: its type and shape


def read_samples(file: Path, network: Network) -> dict[str, Values]:
    """Return the arrays of an .npz file; `x` as the network's input `(n, channels, height, width)`, in real values.

    Of a network with several inputs `x` is the record of all, made of the arrays by their names.

    Raises:
        SpecError: it cannot be read, has not all of them, or one of another shape or with values that are no finite numbers.
    """
    found: dict[str, Values] = {**_arrays(file)}
    inputs = network.spec.graph_inputs
    names = [i.name for i in inputs] if len(inputs) > 1 else ["x"]
    missing = [name for name in names if name not in found]
    if missing:
        said = ", ".join(found) or "none"
        remedy = f"save it by np.savez(file, {', '.join(f'{name}=...' for name in names)})"
        raise _problem(file, f"has no array '{missing[0]}', only {said}", remedy)
    given = {name: found[name] for name in names} if len(inputs) > 1 else found["x"]
    x = taken_record(given, network.x, inputs, file=file.name)
    if not np.isfinite(x).all():
        said = " or ".join(f"'{name}'" for name in names)
        raise _problem(file, f"{said} has NaN or infinite values", "leave those samples out")
    return {**found, "x": x}


def _arrays(file: Path) -> dict[str, NDArray[np.generic]]:
    if file.exists() and not file.is_file():  # reading a pipe would wait for its writer for ever
        raise _problem(
            file, "is no file that can be read (a folder, a pipe or a device)", "name an .npz file"
        )
    try:
        with zipfile.ZipFile(file) as archive:
            return {name.removesuffix(".npy"): _array(archive, name) for name in archive.namelist()}
    except (
        Exception
    ) as e:  # damaged archives raise many kinds: BadZipFile, EOFError, zlib.error, KeyError ...
        text = f"is no readable .npz file: {str(e).splitlines()[0] if str(e) else type(e).__name__}"
        raise _problem(file, text, "make it again (doit train)") from e


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[np.generic]:
    """Return an array; one that claims to be larger than what is there is refused before memory is taken for it."""
    with archive.open(name) as f:
        found = np.lib.format.read_array(f, allow_pickle=False, max_header_size=_HEADER_BYTES)
    return cast(NDArray[np.generic], found)


def _problem(file: Path, text: str, remedy: str) -> SpecError:
    return SpecError(rule="data", file=file.name, text=text, remedy=remedy)
