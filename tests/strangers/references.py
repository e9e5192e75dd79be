"""What strangers' graphs compute, in NumPy, where their authors keep no output: written from their kernels' documentation.

Each takes the folder where the graph was run and the folder of its outputs, and returns in words how the first file
differs, with the number of files that were compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.strangers.compare import numbers

Numbers = NDArray[np.float64]
Compared = tuple[int, str]


def cint16(path: Path) -> NDArray[np.complex128]:
    """Return a file's complex numbers."""
    parts = np.array(numbers(path)).reshape(-1, 2)
    return np.asarray(parts[:, 0] + 1j * parts[:, 1])


def unequal(name: str, got: Numbers, want: Numbers) -> str:
    """Return how two rows of numbers differ, the shorter deciding, or nothing."""
    count = min(got.size, want.size)
    if count == 0:
        return f"{name} has {got.size} numbers, the reference {want.size}"
    wrong = np.nonzero(got[:count] != want[:count])[0]
    if wrong.size == 0:
        return ""
    first = int(wrong[0])
    return f"{name}: {wrong.size} of {count} numbers differ, the first is number {first}: {got[first]}, expected {want[first]}"


def filtered(x: NDArray[np.complex128], taps: Numbers, shift: int) -> Numbers:
    """Return a filter's output as integers of 16 bits, real and imaginary in turn: rounded down, saturated (DSPLib, UG1295)."""
    sums = np.convolve(x, taps)[: x.size]
    parts = np.stack([sums.real, sums.imag], axis=-1).ravel()
    return np.clip(np.floor(parts / 2.0**shift), -32768, 32767)


def symmetric_taps(half: Numbers) -> Numbers:
    """Return all coefficients of a filter of odd length from the first half and the centre."""
    return np.concatenate([half, half[-2::-1]])


def xup_dsplib(folder: Path, out: Path) -> Compared:
    """Return how the four filters of 129 taps of AMD's laboratory differ from convolutions (fir.hpp names the taps)."""
    text = (folder / "src" / "fir.hpp").read_text()
    taps = {
        m[1]: symmetric_taps(np.array([float(n) for n in re.findall(r"-?\d+", m[2])]))
        for m in re.finditer(r"(\w+)_taps = std::vector<int16>\s*\{([^}]*)\}", text)
    }
    pairs = {"DataOutFIR0": ("DataInFIR0", "bp"), "DataOutFIRLp": ("DataInFIR2", "lp")}
    pairs |= {"DataOutFIRHp": ("DataInFIR2", "hp"), "DataOutFIRSb": ("DataInFIR2", "sb")}
    for output, (given, kind) in pairs.items():
        want = filtered(cint16(folder / "data" / f"{given}.txt"), taps[kind], 15)
        text = unequal(output, np.array(numbers(out / f"{output}.txt")), want)
        if text:
            return 0, text
    return len(pairs), ""


REFERENCES: Mapping[str, Callable[[Path, Path], Compared]] = {"xup_dsplib": xup_dsplib}
