"""Generated sources beside the files in tests/golden.

AIELOOM_REGEN=1 writes the golden files anew; look at the difference before you commit it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from aieloom.emit.files import FileTree
from aieloom.emit.project import render
from aieloom.model.network import Array, Network
from tests.designs import ROOT, SMALL, network_of, plan_of

GOLDEN = ROOT / "tests" / "golden"
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
    """Compare whole files; AIELOOM_REGEN=1 writes them."""
    if os.environ.get("AIELOOM_REGEN"):
        shutil.rmtree(folder, ignore_errors=True)
        for path, text in tree.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode())
    golden = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert sorted(tree) == sorted(golden), "AIELOOM_REGEN=1 writes them anew"
    different = [path for path, text in tree.items() if text.encode() != golden[path]]
    assert different == [], "AIELOOM_REGEN=1 writes them anew"
