"""Matrix products over the array: cuts, places, rules, figures; no compiler."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aieloom.cli import main
from aieloom.errors import CannotFit
from aieloom.flow.gemm.files import render_gemm
from aieloom.pl.streams import MOST_STREAMS
from aieloom.plan.gemm import find_mode
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.cost import pass_cycles
from aieloom.strategies.array_gemm.grid import array_grid
from aieloom.strategies.array_gemm.place import chains_in_all, columns, layouts
from aieloom.strategies.array_gemm.plan import make_gemm, planned
from aieloom.strategies.array_gemm.reference import reference
from aieloom.strategies.array_gemm.types import PlacedProduct, Request
from aieloom.strategies.array_gemm.whole import whole
from tests.masters import masters_of_files
from tests.strategies.array_gemm.plans import plan_of

SIZES = [(1, 1, 1), (7, 300, 3), (64, 64, 64), (1000, 20, 3000), (3, 5000, 3), (2048, 2048, 2048)]


@pytest.mark.parametrize(
    ("target", "dtype"),
    [("vck190", "float32"), ("vck190", "int8"), ("vek280", "int8"), ("vek280", "bfloat16")],
)
@pytest.mark.parametrize("size", [SIZES[1], SIZES[5]])
def test_products_of_any_size_are_planned(size: tuple[int, int, int], target: str, dtype: str) -> None:
    plan = plan_of(*size, target, dtype)
    check(plan)
    assert all(c.used <= c.limit for c in plan.checks)


@pytest.mark.parametrize("size", SIZES)
def test_small_flat_and_long_products_are_planned(size: tuple[int, int, int]) -> None:
    check(plan_of(*size, cores=40))


def check(plan: PlacedProduct) -> None:
    """Every element of A, B and C has a core; chains lie along the cascade; streams feed one row or column of tiles."""
    cut, (x_all, y_all, z_all) = plan.cut, plan.cut.grid
    for size, tile, grid, times in zip(cut.size, cut.tile, cut.grid, cut.times, strict=True):
        assert tile * grid * times >= size
        assert (times - 1) * tile * grid < size
    assert len({c.tile for c in plan.cores}) == len(plan.cores) == x_all * y_all * z_all
    assert Counter((c.x, c.z) for c in plan.cores) == {
        (x, z): y_all for x in range(x_all) for z in range(z_all)
    }
    for before, after in zip(plan.cores, plan.cores[1:], strict=False):
        if after.link:
            assert after.tile == plan.device.cascade_next(before.tile)
    first = next(layouts(plan.device, cut))
    straight = first.straight and first.cores == plan.cores
    for plio in plan.array.plios:
        fed = [plan.cores[i] for i in plio.kernels]
        if plio.name.startswith("a"):
            assert len({(c.x, c.part) for c in fed}) == 1
            assert len(fed) == z_all
        elif plio.name.startswith("b"):
            assert len({(c.z, c.part) for c in fed}) == 1
            assert len(fed) == x_all
            if straight:
                assert len({c.tile[0] for c in fed}) <= -(-x_all // 8) or y_all == 1
        else:
            assert [c.link for c in fed] == [y_all - 1]


def test_the_number_of_cores_is_kept() -> None:
    for cores in (1, 7, 100):
        assert plan_of(64, 256, 96, cores=cores).cut.cores <= cores


@pytest.mark.parametrize("grid", [(4, 5, 20), (10, 4, 10)])
def test_four_hundred_cores_can_be_asked_for(grid: tuple[int, int, int]) -> None:
    """In rows of 50, and with four chains around the edge."""
    plan = plan_of(2048, 2080, 1920, dtype="int8", grid=grid)
    assert plan.cut.cores == 400
    check(plan)


@given(
    st.sampled_from(["vck190", "vek280"]),
    st.integers(1, 12),
    st.integers(1, 60),
    st.integers(1, 60),
)
def test_chains_of_any_grid_lie_along_the_cascade(target: str, y: int, x: int, z: int) -> None:
    """Each chain once, each core on a tile of its own near the PL interface, each link where the one before leads to."""
    device = load_device(target)
    most = chains_in_all(device, y)
    assume(most > 0)
    x = min(x, most)
    z = min(z, most // x)
    mode = find_mode(device, DataType.INT8, (4, 8, 4))
    cut = array_grid((4 * x, 8 * y, 4 * z), (4, 8, 4), mode, (x, y, z))
    found = list(layouts(device, cut))
    assert found
    for layout in found:
        cores = layout.cores
        assert [(c.x, c.z, c.link) for c in cores] == list(product(range(x), range(z), range(y)))
        assert len({c.tile for c in cores}) == len(cores)
        assert {c.tile[0] for c in cores} <= set(columns(device))
        for before, after in pairwise(cores):
            assert not after.link or after.tile == device.cascade_next(before.tile)
        parts = Counter((c.x, c.z, c.part) for c in cores)
        assert set(parts.values()) == {1}
        assert {c.part for c in cores} == set(range(y))


@given(st.integers(0, 44), st.sampled_from([(2, 2, 2), (4, 3, 2), (8, 4, 4), (8, 4, 8), (8, 2, 8)]))
def test_beside_another_graph_a_grid_has_places_or_is_refused(taken: int, grid: tuple[int, int, int]) -> None:
    """Engines of layers in turn beside layers with cores of their own: MobileNetV2's ended in a traceback."""
    device = load_device("vck190").beside(taken, {}, 0)
    x, y, z = grid
    request = Request(m=16 * x, k=32 * y, n=16 * z, dtype=DataType.INT8, out=DataType.INT32)
    cut = array_grid(
        (16 * x, 32 * y, 16 * z), (16, 32, 16), find_mode(device, DataType.INT8, (4, 8, 4)), grid
    )
    if x * z > chains_in_all(device, y):
        with pytest.raises(CannotFit, match="places for"):
            planned(device, request, cut, 128)
    else:
        for layout in layouts(device, cut):
            assert min(c.tile[0] for c in layout.cores) >= taken


def test_a_row_of_aie_holds_more_chains_with_the_row_above() -> None:
    """50 columns: 12 chains of 4 and half of one, which the row above ends; rows of AIE-ML end without."""
    assert [chains_in_all(load_device("vck190"), n) for n in (3, 4, 5, 6)] == [132, 100, 80, 64]
    assert [chains_in_all(load_device("vek280"), n) for n in (3, 4, 5, 6)] == [96, 72, 56, 48]
    plan = plan_of(320, 384, 320, dtype="int8", tile=(32, 96, 32), grid=(10, 4, 10))
    around = [c.tile for c in plan.cores if c.tile[0] >= 48 and c.tile[1] < 2]
    assert around == [(48, 0), (49, 0), (49, 1), (48, 1)]


@pytest.mark.parametrize("grid", [(13, 4, 6), (10, 3, 10), (11, 4, 7), (11, 3, 9), (12, 4, 6), (12, 3, 8)])
def test_arrays_as_large_as_maxevas_are_as_fast_by_the_model(grid: tuple[int, int, int]) -> None:
    """MaxEVA cuts products over such grids of tiles of 32 x 128 x 32; its best has 77.01 TOP/s, on the first of them."""
    m, k, n = (t * g for t, g in zip((32, 128, 32), grid, strict=True))
    plan = plan_of(m, k, n, dtype="int8")
    assert plan.cost.steady_tera_ops >= 77.01
    assert plan.cut.times == (1, 1, 1)
    check(plan)


@pytest.mark.parametrize("size", [(416, 128, 192), (320, 96, 320)])
def test_float_arrays_as_large_as_maxevas_are_as_fast_by_the_model(size: tuple[int, int, int]) -> None:
    assert plan_of(*size).cost.steady_tera_ops >= 5.44


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"dtype": "bfloat16"}, ["matmul-1", "bfloat16", "float32, int8"]),
        ({"out": DataType.INT8}, ["matmul-1", "give no int8"]),
        ({"dtype": "int8", "shift": 3}, ["matmul-1", "shift"]),
        ({"dtype": "int8", "k": 1 << 18}, ["matmul-1", "131071"]),
        ({"grid": (9, 9, 9)}, ["matmul-2", "9 x 9 x 9"]),
        ({"grid": (10, 10, 4)}, ["route-1", "streams that must pass"]),
        ({"tile": (64, 65, 64)}, ["gemm-2", "K = 65"]),
        ({"tile": (64, 64, 64)}, ["mem-1", "32768"]),
    ],
)
def test_what_cannot_be_is_refused(more: dict[str, Any], words: list[str]) -> None:
    size = {"m": 512, "k": 2048, "n": 2048, **{k: v for k, v in more.items() if k == "k"}}
    with pytest.raises(CannotFit) as caught:
        plan_of(**size, **{k: v for k, v in more.items() if k != "k"})
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_the_same_request_gives_the_same_bytes() -> None:
    first, second = (render_gemm(whole(plan_of(96, 96, 96, cores=9))) for _ in range(2))
    assert first == second
    assert "gemm 96 96 96 --target vck190" in first["src/aie/graph.h"]


@pytest.mark.parametrize(
    ("target", "dtype", "tile", "flattened"),
    [
        ("vck190", "int8", (32, 104, 32), True),
        (
            "vck190",
            "int8",
            (8, 456, 16),
            False,
        ),  # four copies of 57 x 4 instructions of 16 B are more than 16 KB
        ("vck190", "int8", (4, 104, 8), False),  # one block
        ("vck190", "float32", (16, 16, 16), False),
        ("vek280", "bfloat16", (16, 16, 16), True),
    ],
)
def test_register_blocks_overlap_where_the_code_fits(
    target: str, dtype: str, tile: tuple[int, int, int], flattened: bool
) -> None:
    """A flattened loop over K is in the code, in its estimated size, and in the modelled cycles."""
    plan = plan_of(*tile, target, dtype, tile=tile, grid=(1, 1, 1))
    assert plan.flattened is flattened
    text = render_gemm(whole(plan))["src/aie/gemm.cc"]
    assert ("chess_flatten_loop" in text) is flattened
    assert text.count("chess_prepare_for_pipelining") == 1
    assert plan.array.aie[0].draft.program_bytes <= plan.device.tile.program_bytes


def test_short_products_wait_for_their_stores() -> None:
    """A block of four mmuls of 2 x 8 x 8 has 8 stores; K = 8 has 4 instructions for it, K = 16 as many as stores."""
    device = load_device("vck190")
    mode = find_mode(device, DataType.INT8, (2, 8, 8))

    def work(k: int) -> int:
        return pass_cycles(device, (32, k, 32), mode, DataType.INT8, cascade=False)

    assert work(16) - work(8) <= 1
    assert work(24) - work(16) == 16 * 4


def test_ports_of_memory_are_powers_of_two_wide_whatever_the_streams() -> None:
    """Other widths HLS would pad [UG1448 214-233]: seven streams of 128 bits take two memory words of four."""
    plan = plan_of(28, 512, 8, dtype="int8", tile=(4, 512, 8), grid=(7, 1, 1))
    assert [(m.streams, m.memory_bits // m.bits) for m in plan.movers] == [(7, 4), (1, 1), (7, 4)]
    assert plan.movers[0].cycles == 2 * plan.movers[0].words
    files = render_gemm(whole(plan))
    assert "kStreams = 7, kMemoryBits = 512, " in files["src/pl/load_a.cpp"]
    assert "kLastA = 8;" in files["src/host/gemm_host.cpp"]


@pytest.mark.parametrize(
    ("grid", "units"),
    [((10, 4, 10), [16, 16, 8, 16, 16, 8, 16, 16, 16, 16, 16, 16, 4]), ((4, 4, 1), [16, 4, 4])],
)
def test_no_mover_serves_more_streams_than_a_switch_has(grid: tuple[int, int, int], units: list[int]) -> None:
    """A matrix with more comes over as many memory ports, and its banks where one would hold the array up."""
    plan = plan_of(2048, 2048, 2048, dtype="int8", grid=grid)
    assert [u.mover.streams for u in plan.units] == units
    assert max(units) <= MOST_STREAMS
    cfg = render_gemm(whole(plan))["src/system.cfg"]
    for matrix, streams in zip("abc", plan.cut.port_streams, strict=True):
        assert all(len(re.findall(rf"ai_engine_0\.{matrix}_{i}\b", cfg)) == 1 for i in range(streams))
        assert f"ai_engine_0.{matrix}_{streams}" not in cfg
    assert len(re.findall(r"^stream_connect=", cfg, re.MULTILINE)) == sum(plan.cut.port_streams)
    ports = dict(re.findall(r"^sp=(\w+)\.memory:(\w+)$", cfg, re.MULTILINE))
    assert ports == {u.name: u.bank for u in plan.units}
    assert set(ports.values()) == ({"DDR", "LPDDR"} if plan.cut.cores > 16 else {"DDR"})
    assert {ports[n] for n in ports if n.startswith("store_c")} == {"DDR"}


def test_three_rates_of_a_product_each_at_most_the_one_before() -> None:
    """The second by what a board's ports and banks carry: sums made by hand from what a block of C moves."""
    plan = plan_of(2048, 2048, 2048, dtype="int8", grid=(10, 4, 10))
    array, memory, system = (r.interval_us for r in plan.cost.rates)
    assert array <= memory < system
    (mi, ki, ni), facts = plan.cut.times, plan.device.memory
    a, b, c = (e * n for e, n in zip(plan.cut.elements, plan.cut.port_streams, strict=True))
    moved = mi * ni * (ki * (a + b) + 4 * c)  # bytes: int8 in, int32 out; each stream fills its words
    assert memory >= moved / (2 * facts.bank_mb_s), "two banks carry no more"
    assert memory >= mi * ni * 4 * c / facts.bank_mb_s, "C is in one of them"
    each = plan.device.processor.cycles_per_operation / plan.device.processor.mhz
    assert system - memory >= 3 * 2048 * 2048 * each


def test_the_reference_of_integers_saturates_and_rounds_halves_up() -> None:
    plan = plan_of(1, 2, 3, dtype="int8", out=DataType.INT8, shift=2)
    a, b = np.array([[1, 100]], np.int8), np.array([[6, -6, 0], [0, 0, 100]], np.int8)
    assert reference(plan, a, b).tolist() == [[2, -1, 127]]  # 6/4 and -6/4 are halves


def test_floats_are_summed_in_the_order_of_the_chains() -> None:
    """On odd rows of AIE chains take the parts of K from the last to the first."""
    plan = plan_of(16, 8, 4, tile=(8, 4, 4), grid=(2, 2, 1))
    assert [c.part for c in plan.cores] == [0, 1, 1, 0]
    a, b = np.zeros((16, 8), np.float32), np.ones((8, 4), np.float32)
    a[:, 0], a[:, 4], a[:, 5] = 2.0**24, 1.0, 1.0
    c = reference(plan, a, b)
    assert c[0, 0] == 2.0**24  # 2^24 + 1 + 1, each rounded
    assert c[8, 0] == 2.0**24 + 2  # 1 + 1 + 2^24


def test_published_throughputs_are_reached_by_the_model() -> None:
    """MaxEVA: 5.44 TFLOP/s and 77.01 TOP/s on VC1902; GAMA: 82 % of VE2802's int8 peak of 194.6 TOP/s."""
    assert plan_of(4096, 4096, 4096).cost.steady_tera_ops >= 5.44
    assert plan_of(4096, 4096, 4096, dtype="int8").cost.steady_tera_ops >= 77.01
    gama = plan_of(512, 864, 576, "vek280", "int8", out=DataType.INT8, shift=8)
    assert gama.cost.steady_tera_ops >= 0.82 * 304 * 256 * 2 * 1250e6 / 1e12


def test_the_command_refuses_and_writes(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gemm", "0", "4", "4"]) == 2
    assert "m = 0" in capsys.readouterr().err
    assert main(["gemm", "30", "40", "50", "--cores", "6", "--out", str(tmp_path / "g")]) == 0
    assert "modelled" in capsys.readouterr().out
    names = {f.relative_to(tmp_path / "g").as_posix() for f in (tmp_path / "g").rglob("*") if f.is_file()}
    assert {"plan.json", "src/system.cfg", "src/pl/load_a.cpp", "report/floorplan.svg"} <= names


@pytest.mark.parametrize(("grid", "needed"), [((10, 4, 10), True), ((1, 1, 1), False)])
def test_many_streams_in_a_column_ask_for_a_register_threshold(
    grid: tuple[int, int, int], needed: bool
) -> None:
    """Two streams of 128 bits a column have registers at the array's boundary; above 156.25 MHz more need the option."""
    plan = plan_of(2048, 2048, 2048, dtype="int8", grid=grid)
    columns = Counter(p.column for p in plan.array.plios if p.is_input)
    assert (max(columns.values()) > 2) == needed
    tree = render_gemm(whole(plan))
    assert ("src/aie.cfg" in tree) == needed
    if needed:
        assert "[aie]\npl-register-threshold=312.5\n" in tree["src/aie.cfg"]


def test_movers_take_no_more_masters_than_the_network_on_chip_has() -> None:
    """A grid that asks for more ports is refused with the numbers, and where none is asked for one with fewer is planned."""
    board = load_device("vck190")
    platform = board.platform.model_copy(update={"noc_masters": 9})
    few = board.model_copy(update={"platform": platform})
    request = Request(m=2048, k=2048, n=2048, dtype=DataType.FLOAT32, out=DataType.FLOAT32)
    most = make_gemm(board, request)
    ports = masters_of_files(render_gemm(whole(most)))
    assert ports == len(most.units) > 9
    assert {c.rule: (c.used, c.limit) for c in most.checks}["noc-1"] == (ports, 28)
    with pytest.raises(CannotFit, match=f"m_axi ports.*: {ports}, at most 9") as refused:
        make_gemm(few, replace(request, grid=most.cut.grid, tile=most.cut.tile))
    assert {p.rule for p in refused.value.problems} == {"noc-1"}
    assert "smaller grid" in refused.value.problems[0].remedy
    assert masters_of_files(render_gemm(whole(make_gemm(few, request)))) <= 9
