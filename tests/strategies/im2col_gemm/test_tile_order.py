"""The order of a tile's blocks is a line of layout/grid.py: with another line all kernels and the host follow, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emit.project import render
from aieloom.layout.grid import TileGrid
from tests.designs import design_of
from tests.ops.system import check
from tests.quantize.designs import check as check_quantised

# tiles that the host makes, a kernel with frame buffers (K in passes), one with line buffers (chains of cores)
ORDERED = """\
name: ordered
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 8, 8]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: second, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: bound, op: relu}
  - {name: third, op: conv2d, out_channels: 4, kernel: 3}
mapping:
  first: {strategy: im2col_gemm, tile: [8, 32, 16]}
  act: {strategy: frame}
  second: {strategy: im2col_gemm, tile: [8, 24, 16]}
  bound: {strategy: streaming}
  third: {strategy: im2col_gemm, cascade: 3}
"""


@pytest.fixture
def _exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a tile lie one row of K after another, those of weights one column after another."""
    streams, weights = (TileGrid.__dict__[name].func for name in ("input", "weights"))
    monkeypatch.setattr(TileGrid, "input", property(lambda grid: streams(grid).inside("nt", 2)))
    monkeypatch.setattr(TileGrid, "weights", property(lambda grid: weights(grid).inside("mt", 2)))


@pytest.mark.usefixtures("_exchanged")
def test_what_is_printed_has_the_order_of_the_layout() -> None:
    design = design_of(ORDERED)
    files = render(design.plan, design.parameters)
    for name in ("act", "bound"):  # the kernel with frame buffers, and the one with line buffers
        assert "kColumnsInside = true;" in files[f"src/pl/pl_{name}.cpp"]
    for core in (files[f"src/aie/{name}.cc"] for name in ("first", "second", "third")):
        assert "= in + (nb + 0) * Mmul::size_B;" in core and "kInStep = kColTiles * Mmul::size_B;" in core
        assert (
            "= weights + (mb + 0) * Mmul::size_A;" in core
            and "kWeightStep = kRowTiles * Mmul::size_A;" in core
        )


@pytest.mark.slow
@pytest.mark.usefixtures("_exchanged")
@pytest.mark.parametrize("integers", [False, True])
def test_another_order_of_blocks_runs_to_the_bit(integers: bool, tmp_path: Path) -> None:
    if integers:
        check_quantised(tmp_path, ORDERED, "activations: int8, weights: int8", images=2)
    else:
        check(tmp_path, ORDERED, 2)
