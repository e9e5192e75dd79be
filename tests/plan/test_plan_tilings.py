"""Retiling by YAML alone: legal tilings plan within every rule, illegal ones are refused each by its own rule."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.hardware.mmul import MmulMode
from aieloom.hardware.registers import register_files
from aieloom.plan.gemm import best_first, usable_modes
from aieloom.plan.types import ArrayPart
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType
from tests.designs import ESPCN, FILE, line_of, network_of, plan_of, refusal

CONV1 = "tile: [16, 16, 64], mmul: [4, 2, 4], buffers: single, plio: 128"
CONV2 = "tile: [8, 576, 8], mmul: [4, 2, 4], buffers: single, plio: 64"
CONV3 = "tile: [4, 288, 16], mmul: [4, 2, 4], buffers: single, plio: 64"
BASE = plan_of(ESPCN)


def retiled(text: str = ESPCN, **mapping: str) -> str:
    """Return `text` with other mappings for some convolutions; an empty one leaves all to the planner."""
    for name, value in mapping.items():
        text, count = re.subn(rf"(?m)^  {name}: \{{engine: aie.*\}}$", f"  {name}: {{{value}}}", text)
        assert count == 1
    return text


def in_use(plan: ArrayPart, layer: str) -> tuple[int, int, int]:
    found = next(la for la in plan.aie if la.name == layer)
    return found.grid.cores, found.grid.passes, found.grid.rounds


def check_invariants(plan: ArrayPart) -> None:
    """What every plan must hold, counted here from the plan's parts and the VC1902's figures alone."""
    cores = Counter(k.tile for la in plan.aie for k in la.kernels)
    assert max(cores.values()) == 1
    assert len(cores) == plan.cores
    blocks: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for la in plan.aie:
        sizes = {n.role: n.bytes for n in la.draft.needs} | {"stack": 2080}
        for k in la.kernels:
            col, row = k.tile
            beside = (col - 1, row) if row % 2 == 0 else (col + 1, row)
            reach = {k.tile, beside, (col, row + 1), (col, row - 1)}
            assert 0 <= col < 50
            assert 0 <= row < 8
            for role, a in ((role, a) for role, places in k.blocks.items() for a in places):
                assert a.tile in reach
                assert a.offset % 32 == 0
                blocks.setdefault(a.tile, []).append((a.offset, a.offset + sizes[role]))
    check_blocks(blocks)
    check_streams(plan)
    assert not [c for c in plan.checks if c.used > c.limit]


def check_blocks(blocks: dict[tuple[int, int], list[tuple[int, int]]]) -> None:
    for spans in blocks.values():
        ordered = sorted(spans)
        assert all(a[1] <= b[0] for a, b in pairwise(ordered))
        assert ordered[-1][1] <= 32768


def check_streams(plan: ArrayPart) -> None:
    for is_input, limit in ((True, 8), (False, 6)):
        used: Counter[int] = Counter()
        for p in plan.plios:
            if p.is_input == is_input:
                used[p.column] += 2 if p.bits == 128 else 1
        assert max(used.values()) <= limit
        assert all(6 <= column <= 44 for column in used)
    names = [p.name for p in plan.plios]
    assert len(set(names)) == len(names)
    ends = Counter(e for c in plan.connections for e in (c.source, c.target))
    assert set(ends.values()) == {1}
    assert {e for e in ends if e.startswith("ai_engine_0.")} == {f"ai_engine_0.{n}" for n in names}


def test_espcn_has_the_published_figures() -> None:
    plan = BASE
    assert [len(la.kernels) for la in plan.aie] == [16, 128, 16]
    assert (plan.cores, plan.tiles_in_use) == (160, 288)
    count = Counter((p.layer, p.is_input) for p in plan.plios)
    assert [count[name, True] for name in ("conv1", "conv2", "conv3")] == [4, 32, 16]
    assert [count[name, False] for name in ("conv1", "conv2", "conv3")] == [16, 128, 16]
    assert {p.bits for p in plan.plios if p.layer == "conv1"} == {128}
    assert {p.bits for p in plan.plios if p.layer != "conv1"} == {64}
    check_invariants(plan)


WIDE = "mmul: [4, 2, 4], buffers: single"
SHORT = CONV1.replace("16, 64", "8, 64")
LEGAL = {
    "conv1 in 1 pass, more channels": ("conv1", "tile: [32, 26, 32], mmul: [4, 2, 4], plio: 64", (16, 1, 1)),
    "conv1 in 4 passes, other mmul": ("conv1", "tile: [16, 8, 64], mmul: [4, 4, 2]", (16, 4, 1)),
    "conv1 in ping-pong": ("conv1", SHORT.replace("single", "ping_pong"), (16, 4, 1)),
    "conv2 K split over 2": ("conv2", f"tile: [8, 288, 8], {WIDE}", (128, 2, 1)),
    "conv2 K split over 4, ping-pong": ("conv2", "tile: [8, 144, 16], buffers: ping_pong", (64, 4, 1)),
    "conv2 with mmul 2x4x4": ("conv2", "tile: [8, 576, 8], mmul: [2, 4, 4], buffers: single", (128, 1, 1)),
    "conv2 in rounds": ("conv2", "tile: [8, 288, 8], mmul: [4, 4, 2], groups: 8", (32, 2, 4)),
    "conv2 of uneven pixels": ("conv2", f"tile: [12, 192, 12], {WIDE}", (66, 3, 1)),
    "conv2 on four rows": (
        "conv2",
        f"tile: [8, 144, 16], {WIDE}, place: {{col: 8, row: 2, cols: 16, rows: 4}}",
        (64, 4, 1),
    ),
    "conv2 far to the right": ("conv2", CONV2 + ", place: {col: 18, cols: 32, rows: 8}", (128, 1, 1)),
    "conv3 by mmul 2x2x2": ("conv3", "tile: [4, 288, 16], mmul: [2, 2, 2]", (16, 1, 1)),
    "conv3 split, ping-pong": (
        "conv3",
        "tile: [4, 144, 16], mmul: [4, 4, 2], buffers: ping_pong",
        (16, 2, 1),
    ),
    "conv3 in 4 passes, wide": ("conv3", f"tile: [4, 72, 64], {WIDE}, plio: 128", (4, 4, 1)),
    "conv3 on narrow streams": ("conv3", f"tile: [4, 288, 16], {WIDE}, plio: 32", (16, 1, 1)),
    "conv3 high at the right": ("conv3", CONV3 + ", place: {col: 42, row: 4, cols: 4, rows: 4}", (16, 1, 1)),
    "conv3 left to the planner": ("conv3", "", (1, 1, 13)),
}


@pytest.mark.parametrize("case", LEGAL)
def test_other_legal_tilings_plan(case: str) -> None:
    layer, mapping, wanted = LEGAL[case]
    plan = plan_of(retiled(**{layer: mapping}))
    assert in_use(plan, layer) == wanted
    check_invariants(plan)
    for other in plan.aie:
        if other.name != layer:
            assert other.draft == next(la.draft for la in BASE.aie if la.name == other.name)


def test_places_are_where_the_user_put_them() -> None:
    place = "place: {col: 42, row: 4, cols: 4, rows: 4}"
    plan = plan_of(retiled(conv3=f"{CONV3}, {place}"))
    tiles = {k.tile for k in plan.aie[2].kernels}
    assert tiles == {(c, r) for c in range(42, 46) for r in range(4, 8)}


# mapping, rule, line of which part, words with the numbers, words of the remedy
ILLEGAL = {
    "mmul": (
        "conv1",
        CONV1.replace("[4, 2, 4]", "[4, 4, 4]"),
        "gemm-1",
        "aie has no aie::mmul of shape [4, 4, 4]",
        "use one of: [4, 2, 4], [2, 2, 2]",
    ),
    "K off the mmul": (
        "conv2",
        CONV2.replace("576", "575"),
        "gemm-2",
        "K = 575 is no multiple of the mmul's 2",
        "use [8, 574, 8] or [8, 576, 8]",
    ),
    "M off the mmul": (
        "conv2",
        CONV2.replace("[8, 576", "[6, 576"),
        "gemm-2",
        "M = 6 is no multiple of the mmul's 4",
        "use [4, 576, 8] or [8, 576, 8]",
    ),
    "K beyond the whole": (
        "conv2",
        CONV2.replace("576", "580"),
        "gemm-2",
        "K = 580 is more than the whole K = 576",
        "use [8, 576, 8]",
    ),
    "too many groups": (
        "conv2",
        CONV2 + ", groups: 33",
        "gemm-3",
        "33 groups, but N = 256 has only 32 tiles of 8 pixels",
        "use at most 32",
    ),
    "memory of two tiles": (
        "conv2",
        CONV2.replace("[8, 576", "[16, 576"),
        "mem-1",
        "needs output 1 x 512 + bias 1 x 256 + input 1 x 18432 + weights 1 x 36864 B beside 2080 B",
        "nearest legal tiles: [12, 576, 8], [8, 576, 8]",
    ),
    "ping-pong too large": (
        "conv2",
        CONV2.replace("single", "ping_pong"),
        "mem-1",
        "output 2 x 256 + bias 1 x 128 + input 2 x 18432 + weights 1 x 18432 B",
        "nearest legal tiles: [8, 288, 8], [8, 144, 8]",
    ),
    "too many cores": (
        "conv2",
        CONV2.replace("[8, 576, 8]", "[4, 96, 4]"),
        "core-1",
        "asks for 8 x 64 = 512 cores, vck190 has 400",
        "use groups: 50 or fewer",
    ),
    "too many channels": (
        "conv2",
        CONV2.replace("plio: 64", "plio: 128"),
        "plio-1",
        "need 88 channels into and 304 out of the array",
        "use plio_out: 64 on 'conv2' or groups: 16 on 'conv2' or larger tiles",
    ),
    "place beyond the array": (
        "conv2",
        CONV2 + ", place: {col: 40, row: 0, cols: 32, rows: 8}",
        "place-1",
        "32x8 tiles at column 40, row 0 leaves the array",
        "use place: {col: 18, row: 0, cols: 32, rows: 8}",
    ),
    "place too small": (
        "conv2",
        CONV2 + ", place: {col: 4, row: 0, cols: 16, rows: 8}",
        "place-1",
        "128 kernels of 2 tile(s) each do not fit into 16x8 tiles",
        "use place: {col: 4, row: 0, cols: 32, rows: 8}",
    ),
    "clock of a PL kernel": (
        "tanh1",
        "engine: pl, clock_mhz: 600",
        "clk-1",
        "pl_tanh1: MHz of the PL clock: 600, at most 500",
        "use at most 500 MHz",
    ),
}


@pytest.mark.parametrize("case", ILLEGAL)
def test_illegal_tilings_are_refused_by_their_rule(case: str) -> None:
    layer, mapping, rule, words, remedy = ILLEGAL[case]
    text = re.sub(rf"(?m)^  {layer}: \{{.*\}}$", f"  {layer}: {{{mapping}}}", ESPCN)
    problem, fix = refusal(text).splitlines()
    assert problem.startswith(f"{FILE}:{line_of(text, f'  {layer}: ')}: [{rule}] ")
    assert words in problem
    assert fix.startswith("  fix: ")
    assert remedy in fix


@pytest.mark.parametrize(
    ("case", "layer"),
    [("memory of two tiles", "conv2"), ("ping-pong too large", "conv2"), ("too many cores", "conv2")],
)
def test_the_nearest_tiles_that_are_named_are_legal(case: str, layer: str) -> None:
    _, mapping, _, _, _ = ILLEGAL[case]
    fix = refusal(retiled(**{layer: mapping})).splitlines()[1]
    tiles = re.findall(r"\[\d+, \d+, \d+\]", fix)
    assert len(tiles) >= 2
    for tile in tiles:
        plan = plan_of(retiled(**{layer: re.sub(r"tile: \[[^]]*\]", f"tile: {tile}", mapping)}))
        check_invariants(plan)


def test_the_places_and_shapes_that_are_named_are_legal() -> None:
    for case in ("place beyond the array", "place too small"):
        layer, mapping, _, _, _ = ILLEGAL[case]
        fix = refusal(retiled(**{layer: mapping})).splitlines()[1]
        place = re.search(r"place: \{[^}]*\}", fix)
        assert place
        check_invariants(plan_of(retiled(**{layer: re.sub(r"place: \{[^}]*\}", place[0], mapping)})))


def test_layers_on_the_same_tiles_are_refused_once_with_a_free_place() -> None:
    text = retiled(
        conv1=CONV1 + ", place: {col: 10, cols: 4, rows: 4}",
        conv2=CONV2 + ", place: {col: 12, cols: 32, rows: 8}",
    )
    problem, fix = refusal(text).splitlines()
    assert (
        problem
        == f"{FILE}:{line_of(text, '  conv2: ')}: [place-2] conv2: tiles shared with conv1, first (12, 0): 8, at most 0"
    )
    place = re.search(r"place: \{[^}]*\}", fix)
    assert place
    good = retiled(conv1=CONV1 + ", place: {col: 10, cols: 4, rows: 4}", conv2=f"{CONV2}, {place[0]}")
    check_invariants(plan_of(good))


def test_streams_that_cannot_leave_are_refused_at_once() -> None:
    """Columns beyond the PL interface's last one, 44: 4 streams west in each of 9 rows."""
    text = retiled(
        conv2="tile: [8, 144, 8], mmul: [4, 2, 4], buffers: single, place: {col: 34, cols: 16, rows: 8}",
    )
    problem, fix = refusal(text).splitlines()
    assert "[route-1]" in problem
    assert "at most 36" in problem
    assert "spread the layers" in fix


def test_all_layers_illegal_at_once_are_all_reported() -> None:
    text = retiled(conv1=CONV1.replace("[4, 2, 4]", "[4, 4, 4]"), conv2=CONV2.replace("576", "575"))
    rules = re.findall(r"\[([a-z]+-\d)\]", refusal(text))
    assert rules == ["gemm-1", "gemm-2"]


def test_movers_too_fast_and_two_clocks_for_one_kernel() -> None:
    fast = ESPCN + "movers: {clock_mhz: 700}\n"
    problem, _ = refusal(fast).splitlines()
    assert problem.startswith(
        f"{FILE}:{line_of(fast, 'movers:')}: [clk-1] mm2s: MHz of the PL clock: 700, at most 500"
    )
    two = ESPCN.replace(
        "  - {name: tanh2, op: tanh}", "  - {name: tanh2, op: tanh}\n  - {name: again, op: tanh}"
    )
    two = two.replace("  shuffle:", "  again: {clock_mhz: 200}\n  shuffle:")
    problem, fix = refusal(two).splitlines()
    assert problem.startswith(
        f"{FILE}:{line_of(two, '  again: ')}: [clk-2] 'tanh2' asks for 260 MHz and 'again' for 200"
    )
    assert "use 260 for both" in fix


def test_an_image_that_no_memory_holds_is_refused() -> None:
    text = retiled(ESPCN.replace("[1, 16, 16]", "[1, 128, 128]"), conv1="", conv2="", conv3="")
    problem, _ = refusal(text).splitlines()
    assert problem.startswith(f"{FILE}:{line_of(text, 'input:')}: [pl-1] ")
    assert "URAM288" in problem


def test_a_network_without_aie_layers_is_refused() -> None:
    text = ESPCN[: ESPCN.index("layers:")] + "layers:\n  - {name: t, op: tanh}\n"
    assert f"{FILE}:{line_of(text, 'layers:')}: [aie-1] no layer runs on AI Engines" in refusal(text)


def test_more_layers_than_columns_are_refused_briefly() -> None:
    layers = "".join(f"  - {{name: c{i}, op: conv2d, out_channels: 4, kernel: 1}}\n" for i in range(60))
    problem, fix = refusal(ESPCN[: ESPCN.index("layers:")] + "layers:\n" + layers).splitlines()
    assert "[place-1]" in problem
    assert "60 columns" in problem
    assert "and 56 more layers" in problem
    assert fix


def test_a_layer_named_as_anothers_file_has_files_of_its_own() -> None:
    for name in ("conv1_graph", "conv1_kernel", "conv1_weights"):
        plan = plan_of(re.sub(r"\bconv2\b", name, ESPCN))
        files = [use.output for layer in plan.all_aie for use in layer.draft.templates]
        files += ["src/aie/graph.h", "src/aie/graph.cpp"]
        assert len({file.lower() for file in files}) == len(files)


OTHERS = {
    "24x40 input": ("[1, 16, 16]", "[1, 24, 40]"),
    "3 input channels": ("[1, 16, 16]", "[3, 16, 16]"),
    "kernel 7": ("kernel: 5, padding: 2", "kernel: 7, padding: 3"),
    "kernel 1": ("kernel: 5, padding: 2", "kernel: 1"),
    "kernel of two sizes": ("kernel: 5, padding: 2", "kernel: [3, 5], padding: [1, 2]"),
    "stride 2": ("kernel: 5, padding: 2", "kernel: 5, padding: 2, stride: 2"),
    "upscale 3": (
        "4, kernel: 3, padding: 1}\n  - {name: shuffle, op: pixel_shuffle, upscale: 2}",
        "9, kernel: 3, padding: 1}\n  - {name: shuffle, op: pixel_shuffle, upscale: 3}",
    ),
    "upscale 4": (
        "4, kernel: 3, padding: 1}\n  - {name: shuffle, op: pixel_shuffle, upscale: 2}",
        "16, kernel: 3, padding: 1}\n  - {name: shuffle, op: pixel_shuffle, upscale: 4}",
    ),
    "no bias": ("kernel: 5, padding: 2", "kernel: 5, padding: 2, bias: false"),
    "AIE-ML": ("target: vck190", "target: vek280"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_networks_plan_by_themselves(case: str) -> None:
    old, new = OTHERS[case]
    assert old in ESPCN
    text = ESPCN[: ESPCN.index("mapping:")].replace(old, new)
    plan, network = plan_of(text), network_of(text)
    assert plan.y == network.y
    assert not [c for c in plan.checks if c.used > c.limit]
    if case != "AIE-ML":
        check_invariants(plan)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 4),
    st.integers(1, 10),
    st.integers(1, 10),
    st.integers(1, 24),
    st.sampled_from([(1, 0), (3, 1), (3, 0), (5, 2)]),
    st.integers(1, 2),
    st.sampled_from([32, 64, 128]),
)
def test_any_small_network_plans_within_the_rules(  # noqa: PLR0917
    c: int, h: int, w: int, out: int, kernel: tuple[int, int], stride: int, plio: int
) -> None:
    size, padding = kernel
    if min(h, w) + 2 * padding < size:
        return
    text = f"""
name: any
target: vck190
weights: w.pt
input: {{name: x, shape: [{c}, {h}, {w}]}}
layers:
  - {{name: a, op: conv2d, out_channels: {out}, kernel: {size}, padding: {padding}, stride: {stride}}}
  - {{name: t, op: tanh}}
  - {{name: b, op: conv2d, out_channels: 4, kernel: 1}}
  - {{name: s, op: pixel_shuffle, upscale: 2}}
mapping:
  a: {{plio: {plio}}}
  b: {{plio: {plio}}}
"""
    check_invariants(plan_of(text))


def test_a_tile_that_leaves_stream_words_part_full_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """No aie::mmul of today is so narrow: one of a single column is invented."""
    files = register_files(Architecture.AIE)
    narrow = MmulMode(
        shape=(4, 2, 1), accumulator="accfloat", issue_cycles=1, shuffles=False, files=files, sizes=(4, 4)
    )
    monkeypatch.setattr("aieloom.plan.product.find_mode", lambda *_: narrow)
    problem, fix = refusal(retiled(conv3="tile: [4, 18, 1], mmul: [4, 2, 1], plio: 128")).splitlines()
    assert (
        "[plio-2] layer 'conv3': tile [4, 18, 1]: its buffers do not fill whole 128-bit stream words"
        in problem
    )
    assert "plio: 32" in fix


@pytest.mark.parametrize(
    ("architecture", "dtype"),
    [("aie", "float32"), ("aie", "int8"), ("aie-ml", "int8"), ("aie-ml", "bfloat16")],
)
def test_of_equally_fast_products_that_comes_first_which_loads_less(architecture: str, dtype: str) -> None:
    """Elements that a step along K loads for each product: of as many blocks of C as the registers hold, two by two at most."""

    def loaded(mode: MmulMode) -> float:
        m, _, n = mode.shape
        held = [(r, c) for r in (1, 2) for c in (1, 2) if mode.fits(r, c)]
        rows, cols = min(held, key=lambda b: (-b[0] * b[1], max(b[0] * m, b[1] * n)))
        return (rows * m + cols * n) / (rows * m * cols * n)

    modes = best_first(usable_modes(Architecture(architecture), DataType(dtype)))
    assert len(modes) > 1
    for before, after in pairwise(modes):
        speeds = [math.prod(mode.shape) / mode.issue_cycles for mode in (before, after)]
        assert speeds[0] >= speeds[1]
        if speeds[0] == speeds[1] and bool(before.shuffles) == bool(after.shuffles):
            assert loaded(before) <= loaded(after) * (1 + 1e-9)
