"""The signal program's data and its golden results from NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parent / "signal"
Ints = NDArray[np.int64]

BLOCK, TAPS, SHIFT, PEAK, RUNS = 64, 32, 6, 16, 2
FACTORS = (3, 5)
PACKET_IDS = (0, 1, 1, 0)


def header(packet_id: int, row: int = 0, col: int = 0) -> int:
    """UG1079 Packet Processing: id 4..0, source row 20..16, column 27..21, odd parity in bit 31."""
    word = packet_id | row << 16 | col << 21
    return word | (1 << 31 if bin(word).count("1") % 2 == 0 else 0)


def samples() -> Ints:
    """Return the receiver's samples."""
    return np.random.default_rng(1).integers(-1500, 1500, RUNS * BLOCK)


def packets() -> Ints:
    """Return the detectors' blocks, in the order of PACKET_IDS."""
    return np.random.default_rng(2).integers(-100000, 100000, (len(PACKET_IDS), PEAK))


def packet_lines() -> list[str]:
    """Return the packet file."""
    lines: list[str] = []
    for packet_id, block in zip(PACKET_IDS, packets(), strict=True):
        words = [str(v) for v in block]
        lines += [str(header(packet_id)), *words[:-1], "TLAST", words[-1]]
    return lines


def write_inputs(folder: Path) -> None:
    """Write the input files below `folder`/data."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    rows = [" ".join(map(str, r)) for r in samples().reshape(-1, 4)]
    (folder / "data" / "samples.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "data" / "packets.txt").write_text("\n".join(packet_lines()) + "\n", encoding="utf-8")


def golden_filtered() -> tuple[Ints, int]:
    """Return the filtered samples, and how many were clipped before the filter."""
    scaled = samples() * np.repeat(FACTORS, BLOCK)
    inside = np.clip(scaled, -3000, 3000)
    x = inside.copy()
    x[0] += 1  # the initialisation function's mark
    t = np.arange(TAPS)
    taps = (t + 1) * (TAPS - t) // 4 - 20
    sums = np.convolve(x, taps)[: len(x)]
    rounded = np.sign(sums) * ((np.abs(sums) + (1 << (SHIFT - 1))) >> SHIFT)
    return np.clip(rounded, -(1 << 15), (1 << 15) - 1), int((scaled != inside).sum())


def golden_packets() -> dict[int, list[tuple[int, int]]]:
    """Return what comes back for each id: peak and place, halved for id 1."""
    found: dict[int, list[tuple[int, int]]] = {0: [], 1: []}
    for packet_id, block in zip(PACKET_IDS, packets(), strict=True):
        best, at = int(block.max()), int(block.argmax())
        found[packet_id].append((best, at) if packet_id == 0 else (int(best / 2), at // 2))
    return found
