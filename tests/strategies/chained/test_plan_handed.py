"""Chains of layers of one core each: neighbours that share a buffer, in place of memory tiles and DMA."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.emit.project import render
from aieloom.plan.types import ArrayPart
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.device import Tile
from aieloom.spec.quantize import QuantizeSpec
from aieloom.strategies.chained.grid import ChainGrid
from tests.designs import network_of, weights_of
from tests.quantize.kernels import BFLOAT16 as SETTINGS
from tests.quantize.kernels import integer_design, run_array
from tests.strategies.chained.checks import BFLOAT16, check
from tests.strategies.chained.designs import bfloat16_plan


def mlp(features: int, sizes: list[int], mapping: dict[str, str] | None = None) -> str:
    """Return dense layers after each other, relu between them, all in one chain."""
    layers, lines = [], []
    for i, size in enumerate(sizes, 1):
        layers += [f"  - {{name: fc{i}, op: dense, out_features: {size}}}", f"  - {{name: act{i}, op: relu}}"]
        lines.append(f"  fc{i}: {{strategy: chained{(mapping or {}).get(f'fc{i}', '')}}}")
    head = (
        f"name: mlp\ntarget: vek280\nweights: w.safetensors\ninput: {{name: x, shape: [{features}, 1, 1]}}\n"
    )
    return head + "layers:\n" + "\n".join(layers) + "\nmapping:\n" + "\n".join(lines) + "\n"


def handed(plan: ArrayPart) -> list[str]:
    return [la.name for la in plan.all_aie if isinstance(la.grid, ChainGrid) and la.grid.handed]


def memories(core: Tile) -> set[Tile]:
    """Return the memories that a core of AIE-ML reaches: its own, above, below and to its west [UG1603]."""
    col, row = core
    return {(col, row), (col, row + 1), (col, row - 1), (col - 1, row)}


def check_shared(plan: ArrayPart) -> None:
    """Every core that is handed its input reaches the other's buffer, and has none itself; no tile has two kernels."""
    layers = {la.name: la for la in plan.all_aie}
    for name in handed(plan):
        (core,), (before,) = layers[name].kernels, layers[layers[name].draft.inputs[0]].kernels
        assert {a.tile for a in before.blocks["out[0]"]} <= memories(core.tile)
        assert "in[0]" not in core.blocks
        assert not [b for b in plan.buffers if b.after == name]
    tiles = [k.tile for la in plan.all_aie for k in la.kernels]
    assert len(set(tiles)) == len(tiles)


def test_dense_layers_of_one_core_each_stand_above_each_other() -> None:
    plan = bfloat16_plan(mlp(16, [64, 32, 32, 5]))
    assert handed(plan) == ["fc2", "fc3", "fc4"]
    assert [b.name for b in plan.buffers] == ["fc1_input"], "the PL's image still comes through a memory tile"
    check_shared(plan)
    assert len({la.kernels[0].tile[0] for la in plan.aie}) == 1
    network = network_of(mlp(16, [64, 32, 32, 5]))
    graph = render(plan, weights_of(network))["src/aie/graph.h"]
    assert "adf::connect<>(fc1_.out[0], fc2_.in[0]);" in graph


def test_a_long_chain_turns_at_the_array_s_edge() -> None:
    plan = bfloat16_plan(mlp(8, [8] * 21))
    assert len(handed(plan)) == 20
    check_shared(plan)
    assert len({la.kernels[0].tile[0] for la in plan.aie}) == 3, "8 rows: three columns"


def test_shared_memory_saves_the_way_through_a_memory_tile() -> None:
    beside, apart = (
        bfloat16_plan(mlp(16, [64, 32, 5], places))
        for places in (
            {},
            {f"fc{i}": f", place: {{col: {3 * i}, row: 0, cols: 1, rows: 1}}" for i in (1, 2, 3)},
        )
    )
    assert (handed(beside), handed(apart)) == (["fc2", "fc3"], [])
    assert beside.cost.latency_us < 0.8 * apart.cost.latency_us
    assert simulate_plan(beside).latency_us < 0.8 * simulate_plan(apart).latency_us
    assert [b.name for b in apart.buffers] == ["fc1_input", "fc2_input", "fc3_input"]


@pytest.mark.parametrize(
    ("place", "shared"), [((4, 1), True), ((5, 0), True), ((3, 0), False), ((4, 2), False)]
)
def test_places_that_the_mapping_says_are_kept(place: Tile, shared: bool) -> None:
    """Above and to the east a core reaches (4, 0); from the west and from two rows above it does not."""
    spots = {
        f"fc{i}": f", place: {{col: {c}, row: {r}, cols: 1, rows: 1}}"
        for i, (c, r) in ((1, (4, 0)), (2, place))
    }
    plan = bfloat16_plan(mlp(16, [64, 5], spots))
    assert handed(plan) == (["fc2"] if shared else [])
    assert [la.kernels[0].tile for la in plan.aie] == [(4, 0), place]
    check_shared(plan)


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"fc2": ", cores: 2"}, ["fc4"]),
        ({"fc2": ", buffers: single"}, ["fc2", "fc4"]),
        ({"fc3": ", weights: stream"}, ["fc2", "fc3", "fc4"]),
    ],
)
def test_more_cores_and_single_buffers_go_through_memory_tiles(
    mapping: dict[str, str], expected: list[str]
) -> None:
    plan = bfloat16_plan(mlp(16, [64, 32, 32, 5], mapping))
    assert handed(plan) == expected
    check_shared(plan)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 70), min_size=1, max_size=18), st.integers(1, 60), st.integers(0, 3))
def test_any_mlp_shares_buffers_of_neighbours(sizes: list[int], features: int, wide: int) -> None:
    mapping = {f"fc{i}": ", cores: 2" for i, n in enumerate(sizes, 1) if i % 4 == wide and 8 < n <= 16}
    plan = bfloat16_plan(mlp(features, sizes, mapping))
    check_shared(plan)
    assert len(handed(plan)) >= len(sizes) - 1 - 2 * len(mapping)


@pytest.mark.integration
def test_neighbours_that_share_a_buffer_give_the_references_bits(tmp_path: Path) -> None:
    """The array alone, with the counts of every kernel."""
    design = integer_design(mlp(16, [24, 17, 9, 5], {"fc3": ", weights: stream"}), SETTINGS)
    assert handed(design.plan) == ["fc2", "fc3", "fc4"]
    run_array(design, tmp_path, least=10)


@pytest.mark.slow
@pytest.mark.parametrize("scales", ["multiplier", "multiplier16", "power_of_two"])
def test_integers_that_are_handed_on_give_the_references_bits(scales: str, tmp_path: Path) -> None:
    settings = QuantizeSpec.model_validate({"scales": scales, "symmetric": True})
    design = integer_design(mlp(30, [40, 24, 33, 6]), settings)
    assert handed(design.plan)
    run_array(design, tmp_path, least=10)


@pytest.mark.slow
def test_a_whole_system_of_neighbours_runs_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, mlp(16, [64, 32, 32, 5]).replace("mapping:\n", BFLOAT16 + "mapping:\n"), 0.05)


def test_copies_of_a_chain_share_buffers_too() -> None:
    plan = bfloat16_plan(mlp(16, [32, 32, 5]) + "copies: 3\n")
    assert len(handed(plan)) == 2 * 3
    check_shared(plan)
    assert np.unique([la.kernels[0].tile for la in plan.all_aie], axis=0).shape[0] == 9
