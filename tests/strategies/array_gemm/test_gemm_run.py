"""Matrix products on the emulated array, to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.cli import main
from aieloom.cost.machine import access_count
from aieloom.emulator.program import emulate
from aieloom.flow.gemm.run import run, write_design
from aieloom.plan.cascade import FIRST, LAST
from aieloom.plan.gemm import find_mode, gemm_of
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.reference import operands, reference
from aieloom.strategies.array_gemm.types import PlacedProduct
from aieloom.strategies.array_gemm.view import ALONE, link_kinds
from aieloom.strategies.array_gemm.whole import whole
from tests.cost.counted import BEAT_LANES, COUNTING, counted, totals
from tests.cost.loops import StreamedLink, streamed_link
from tests.strategies.array_gemm.plans import plan_of


def _tiles(plan: PlacedProduct, which: str, matrix: np.ndarray) -> dict[str, np.ndarray]:
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


def _modelled(plan: PlacedProduct) -> dict[str, tuple[float, ...]]:
    """Return one call's operations of each class of kernels, in the order of `counted`."""
    cut, request, device = plan.cut, plan.request, plan.device
    mode = find_mode(device, request.dtype, cut.mmul)
    gemm = gemm_of(plan.array.aie[0].grid, mode, request.dtype)
    lanes, links = cut.mmul[0] * cut.mmul[2], cut.grid[1]
    found = {}
    for kind in link_kinds(links):
        link = StreamedLink(
            first=kind in (ALONE, FIRST),
            last=kind in (ALONE, LAST),
            flattened=plan.flattened,
            beats=-(-lanes // BEAT_LANES[device.architecture][mode.accumulator]),
            sums=access_count(lanes, 4),
            stores=access_count(lanes, request.out.bytes),
            separate=plan.separate_sums,
        )
        nodes = streamed_link(gemm, cut.times[1], link)
        products = cut.times[1] * gemm.m * gemm.k * gemm.n
        found[f"Gemm{kind.capitalize()}"] = totals(nodes, products)
    return found


def _run_array(plan: PlacedProduct, folder: Path) -> None:
    """Run the array alone on the first block; compare its results with the reference, its counts with the model."""
    write_design(whole(plan), folder)
    a, b = operands(plan)
    (folder / "data").mkdir()
    per_line = plan.plio_bits // (8 * plan.request.dtype.bytes)
    for name, values in (_tiles(plan, "a", a) | _tiles(plan, "b", b)).items():
        lines = [" ".join(map(str, line)) for line in values.reshape(-1, per_line).tolist()]
        (folder / "data" / f"{name}.txt").write_text("\n".join(lines) + "\n")
    aie, arch = folder / "src" / "aie", plan.device.architecture.value
    done = emulate(
        aie / "graph.cpp", includes=[aie], arch=arch, data=folder, out=folder / "out", defines=COUNTING
    )
    assert done.code == 0, done.stderr
    wanted = reference(plan, a, b)
    (m, _, n), (tm, _, tn), (x_all, _, z_all) = plan.cut.mmul, plan.cut.tile, plan.cut.grid
    for x in range(x_all):
        for z in range(z_all):
            text = (folder / "out" / "data" / f"c_{x * z_all + z}.txt").read_text()
            blocks = (
                np.array([float(v) for v in text.split()])
                .astype(wanted.dtype)
                .reshape(tm // m, tn // n, m, n)
            )
            tile = wanted[x * tm : (x + 1) * tm, z * tn : (z + 1) * tn]
            found = blocks.transpose(0, 2, 1, 3).reshape(tm, tn)[: tile.shape[0], : tile.shape[1]]
            np.testing.assert_array_equal(found, tile)
    assert counted(done.stdout) == {kind: (1, *ops) for kind, ops in _modelled(plan).items()}


@pytest.mark.integration
def test_the_array_alone_multiplies_a_block(tmp_path: Path) -> None:
    """Chains of three cores, two passes, two rows of the array, 8-bit integers; what is beyond the matrix is zero."""
    plan = plan_of(14, 90, 15, dtype="int8", tile=(8, 16, 16), grid=(2, 3, 2))
    assert plan.cut.times == (1, 2, 1)
    assert plan.flattened
    _run_array(plan, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("types", "shift", "tile", "grid"),
    [
        ("vck190 int8 int8", 9, (8, 16, 16), (2, 2, 2)),
        ("vck190 int8 int16", 3, (8, 48, 16), (1, 2, 2)),
        ("vck190 float32 float32", 0, (8, 8, 8), (2, 3, 1)),
        ("vck190 float32 float32", 0, (8, 90, 8), (2, 1, 1)),
        ("vek280 int8 int32", 0, (8, 16, 16), (2, 3, 2)),
        ("vek280 bfloat16 float32", 0, (16, 16, 16), (1, 2, 2)),
    ],
)
def test_arrays_of_all_types_count_what_the_model_says(
    types: str, shift: int, tile: tuple[int, int, int], grid: tuple[int, int, int], tmp_path: Path
) -> None:
    target, dtype, out = types.split()
    plan = plan_of(14, 90, 15, target, dtype, out=DataType(out), shift=shift, tile=tile, grid=grid)
    _run_array(plan, tmp_path)


@pytest.mark.integration
def test_the_command_runs_where_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its default folder, a relative and an absolute one; both runs are of the same objects."""
    monkeypatch.chdir(tmp_path)
    for words in ((), ("--out", "in/here"), ("--out", str(tmp_path / "there"))):
        assert main(["gemm", "16", "16", "16", "--cores", "1", "--run", *words]) == 0
    for folder in ("gemm_16x16x16", "in/here", "there"):
        assert (tmp_path / folder / "emu" / "gemm_host").is_file()
        assert not list((tmp_path / folder / "emu").glob("run-*"))


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
    assert run(whole(plan), tmp_path).different == 0


@pytest.mark.slow
@pytest.mark.parametrize(("target", "dtype"), [("vck190", "float32"), ("vck190", "int8"), ("vek280", "int8")])
def test_a_product_over_the_whole_array_runs_to_the_bit(target: str, dtype: str, tmp_path: Path) -> None:
    """More than 280 cores of a board in one design: host, movers, array."""
    plan = plan_of(300, 1500, 1000, target, dtype, grid=(4, 5, 20) if target == "vck190" else (8, 4, 9))
    assert plan.cut.cores >= 280
    assert run(whole(plan), tmp_path).different == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "dtype"), [((416, 512, 192), "int8"), ((320, 384, 320), "int8"), ((320, 96, 320), "float32")]
)
def test_arrays_as_large_as_maxevas_run_to_the_bit(
    size: tuple[int, int, int], dtype: str, tmp_path: Path
) -> None:
    """The sizes of MaxEVA's public configurations; floats on 10 x 10 chains of 4, of which four lie around the edge."""
    plan = plan_of(*size, dtype=dtype, grid=(10, 4, 10) if dtype == "float32" else None)
    assert run(whole(plan), tmp_path).different == 0
