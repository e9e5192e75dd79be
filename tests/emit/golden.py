"""Generated sources beside the files in tests/golden.

A golden file begins with the digest of the whole text and shows of it what no golden file before has: a line `@@ same: 12` stands
for 12 lines that are written elsewhere in tests/golden. AIELOOM_REGEN=1 writes them anew, in one process (without -n), as later
folders leave out what earlier ones have; look at the difference before you commit it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from aieloom.emit.files import FileTree
from aieloom.emit.project import render
from aieloom.network.layers import Array, Network
from tests.designs import ROOT, SMALL, network_of, plan_of

GOLDEN = ROOT / "tests" / "golden"
FOLDERS = (
    "small",
    "split",
    "between",
    "streamed",
    "wrapped",
    "ports",
    "sequential",
    "attention",
)  # in the order of the tests that write them
DIGEST, LEFT_OUT = "@@ sha256: ", "@@ same: "
RUN = 3  # lines: shorter runs are shown wherever they stand
# K split over passes, tiles in rounds, ping-pong and single buffers, a plain input stream, uneven edges, no bias
SPLIT = """\
name: split
target: vck190
weights: weights.pt
input: {name: x, shape: [1, 5, 7]}
layers:
  - {name: start, op: tanh}
  - {name: wide, op: conv2d, out_channels: 6, kernel: [3, 5], padding: [1, 2], stride: [2, 1]}
  - {name: last, op: conv2d, out_channels: 3, kernel: 1, bias: false}
mapping:
  start: {lut: {entries: 16, range: [-2, 2]}, clock_mhz: 250}
  wide: {tile: [4, 8, 8], mmul: [4, 2, 4], groups: 2, buffers: ping_pong, plio: 32}
  last: {tile: [4, 6, 4], mmul: [2, 2, 2], groups: 1, buffers: single, plio: 128}
movers: {clock_mhz: 300}
"""
# the processor between two stretches of the device, and behind them a reader of what the first one gave
BETWEEN = """\
name: between
target: vck190
weights: weights.pt
input: {name: x, shape: [2, 4, 4]}
layers:
  - {name: first, op: conv2d, out_channels: 4, kernel: 1}
  - {name: soft, op: gelu}
  - {name: second, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: sum, op: add, inputs: [act, first]}
mapping:
  first: {tile: [4, 2, 16], mmul: [4, 2, 4]}
  second: {tile: [4, 36, 16], mmul: [4, 2, 4]}
"""
DESIGNS = {"small": SMALL, "split": SPLIT, "between": BETWEEN}


def plain_weights(network: Network) -> dict[str, dict[str, Array]]:
    """Return weights by arithmetic alone: sixty-fourths, the same on every machine."""
    found: dict[str, dict[str, Array]] = {}
    for layer in network.layers:
        for p in layer.parameters:
            values = (np.arange(np.prod(p.shape)) * 7919 % 101 - 50) / np.float32(64)
            found.setdefault(layer.name, {})[p.name] = values.reshape(p.shape).astype(np.float32)
    return found


def sources(text: str) -> FileTree:
    return render(plan_of(text), plain_weights(network_of(text)))


def compare(tree: Mapping[str, str], folder: Path) -> None:
    """Compare files byte by byte with a folder of tests/golden; AIELOOM_REGEN=1 writes them."""
    if os.environ.get("AIELOOM_REGEN"):
        shutil.rmtree(folder, ignore_errors=True)
        known = _runs_before(folder)
        for path, text in sorted(tree.items()):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(_kept(text, known), encoding="utf-8")
            known |= _runs(text.splitlines())
    stored = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    assert sorted(tree) == sorted(stored), "AIELOOM_REGEN=1 writes them anew"
    different = [path for path, text in tree.items() if not _is_kept(text, stored[path])]
    assert different == [], "AIELOOM_REGEN=1 writes them anew"


def _runs(lines: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(lines[i : i + RUN]) for i in range(len(lines) - RUN + 1)}


def _runs_before(folder: Path) -> set[tuple[str, ...]]:
    """Return the runs of lines of the folders that are written before."""
    top = next(f for f in (folder, *folder.parents) if f.parent == GOLDEN)
    before = [GOLDEN / name for name in FOLDERS[: FOLDERS.index(top.name)]]
    files = (f for other in before for f in other.rglob("*") if f.is_file())
    return {run for f in files for run in _runs(f.read_text(encoding="utf-8").splitlines())}


def _kept(text: str, known: set[tuple[str, ...]]) -> str:
    """Return the text without its runs of lines that other golden files have, and a digest of all of it."""
    lines = text.splitlines()
    shown = [True] * len(lines)
    for i in range(len(lines) - RUN + 1):
        if tuple(lines[i : i + RUN]) in known:
            shown[i : i + RUN] = [False] * RUN
    digest = hashlib.sha256(text.encode()).hexdigest()
    parts = [f"{DIGEST}{digest}"]
    for is_shown, run in groupby(zip(lines, shown, strict=True), key=lambda pair: pair[1]):
        own = [line for line, _ in run]
        parts += own if is_shown else [f"{LEFT_OUT}{len(own)}"]
    return "\n".join(parts) + "\n"


def _is_kept(text: str, file: Path) -> bool:
    """Tell whether a file is of this text: its digest is, and its lines are where it has them."""
    lines, at = text.splitlines(), 0
    head, *body = file.read_text(encoding="utf-8").splitlines()
    for line in body:
        if line.startswith(LEFT_OUT):
            at += int(line.removeprefix(LEFT_OUT))
        elif lines[at : at + 1] != [line]:
            return False
        else:
            at += 1
    return at == len(lines) and head == f"{DIGEST}{hashlib.sha256(text.encode()).hexdigest()}"
