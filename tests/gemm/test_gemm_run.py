"""Matrix products on the emulated array, to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.emulator.program import emulate
from aieloom.gemm.reference import operands, reference
from aieloom.gemm.run import run, write_design
from aieloom.gemm.types import GemmPlan
from aieloom.spec.types import DataType
from tests.gemm.test_gemm_plan import plan_of


def _tiles(plan: GemmPlan, which: str, matrix: np.ndarray) -> dict[str, np.ndarray]:
    """Return the first block's streams of A or B, from the definition: tiles of mmul blocks, pass after pass."""
    cut = plan.cut
    (tm, tk, tn), (m, k, n), (x_all, y_all, z_all), ki = cut.tile, cut.mmul, cut.grid, cut.times[1]
    rows, row, along = (tm, m, x_all) if which == "a" else (tn, n, z_all)
    padded = np.zeros((along * rows, ki * y_all * tk), matrix.dtype)
    whole = matrix if which == "a" else matrix.T
    padded[: min(len(whole), len(padded)), : whole.shape[1]] = whole[: len(padded)]
    found = {}
    for i in range(along):
        for part in range(y_all):
            stream = []
            for p in range(ki):
                tile = padded[
                    i * rows : (i + 1) * rows, (p * y_all + part) * tk : (p * y_all + part + 1) * tk
                ]
                blocks = tile.reshape(rows // row, row, tk // k, k).transpose(0, 2, 1, 3)
                stream.append((blocks if which == "a" else blocks.transpose(0, 1, 3, 2)).ravel())
            found[f"{which}_{i * y_all + part}"] = np.concatenate(stream)
    return found


def test_the_array_alone_multiplies_a_block(tmp_path: Path) -> None:
    """Chains of three cores, two passes, two rows of the array, 8-bit integers; what is beyond the matrix is zero."""
    plan = plan_of(14, 90, 15, dtype="int8", tile=(8, 16, 8), grid=(2, 3, 2))
    assert plan.cut.times == (1, 2, 1)
    write_design(plan, tmp_path)
    a, b = operands(plan)
    (tmp_path / "data").mkdir()
    per_line = plan.plio_bits // 8
    for name, values in (_tiles(plan, "a", a) | _tiles(plan, "b", b)).items():
        lines = [" ".join(map(str, line)) for line in values.reshape(-1, per_line)]
        (tmp_path / "data" / f"{name}.txt").write_text("\n".join(lines) + "\n")
    aie = tmp_path / "src" / "aie"
    done = emulate(aie / "graph.cpp", includes=[aie], data=tmp_path, out=tmp_path / "out")
    assert done.code == 0, done.stderr
    c = reference(plan, a, b)
    m, _, n = plan.cut.mmul
    for x in range(2):
        for z in range(2):
            text = (tmp_path / "out" / "data" / f"c_{x * 2 + z}.txt").read_text()
            found = (
                np.array([int(v) for v in text.split()])
                .reshape(8 // m, 8 // n, m, n)
                .transpose(0, 2, 1, 3)
                .reshape(8, 8)
            )
            wanted = c[x * 8 : x * 8 + 8, z * 8 : z * 8 + 8]
            np.testing.assert_array_equal(found[: wanted.shape[0], : wanted.shape[1]], wanted)


CASES = [
    ("vck190 float32 float32", 0, (40, 70, 30), (8, 8, 8), (2, 3, 3)),
    ("vck190 int8 int32", 0, (40, 200, 50), (8, 32, 8), (3, 1, 2)),
    ("vck190 int8 int8", 9, (40, 200, 50), (8, 32, 16), (2, 2, 4)),
    ("vck190 int8 int16", 3, (40, 60, 50), (8, 32, 8), (2, 2, 4)),
    ("vek280 int8 int8", 9, (40, 200, 50), (8, 32, 16), (9, 2, 2)),
    ("vek280 bfloat16 bfloat16", 0, (40, 200, 50), (16, 16, 8), (2, 3, 4)),
    ("vek280 bfloat16 float32", 0, (40, 200, 50), (16, 16, 8), (2, 3, 4)),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_systems_multiply_to_the_bit(case: tuple[Any, ...], tmp_path: Path) -> None:
    """Rounds over M, N and K, sums kept in C and apart from it, chains and single cores, on both architectures."""
    types, shift, size, tile, grid = case
    target, dtype, out = types.split()
    m, k, n = size
    plan = plan_of(m, k, n, target, dtype, out=DataType(out), shift=shift, tile=tile, grid=grid)
    assert run(plan, tmp_path).different == 0


@pytest.mark.slow
@pytest.mark.parametrize(("target", "dtype"), [("vck190", "float32"), ("vck190", "int8"), ("vek280", "int8")])
def test_a_product_over_the_whole_array_runs_to_the_bit(target: str, dtype: str, tmp_path: Path) -> None:
    """More than 280 cores of a board in one design: host, movers, array."""
    plan = plan_of(300, 1500, 1000, target, dtype, grid=(4, 5, 20) if target == "vck190" else (8, 4, 9))
    assert plan.cut.cores >= 280
    assert run(plan, tmp_path).different == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "dtype"), [((416, 512, 192), "int8"), ((320, 384, 320), "int8"), ((320, 96, 320), "float32")]
)
def test_arrays_as_large_as_maxevas_run_to_the_bit(
    size: tuple[int, int, int], dtype: str, tmp_path: Path
) -> None:
    """The sizes of MaxEVA's public configurations; floats on 10 x 10 chains of 4, of which four lie around the edge."""
    plan = plan_of(*size, dtype=dtype, grid=(10, 4, 10) if dtype == "float32" else None)
    assert run(plan, tmp_path).different == 0
