"""Chains of cores along the cascade: who has which part of K, where the chains lie, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aieloom.layout.grid import TileGrid
from aieloom.plan.cascade import cascades
from aieloom.plan.types import ArrayPart
from aieloom.report.floorplan import floorplan
from tests.designs import design_of, edited, plan_of, refusal

CHAINED = """\
name: chained
target: vck190
weights: w.safetensors
input: {name: x, shape: [5, 6, 6]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: fc, op: dense, out_features: 6}
mapping:
  first: {tile: [4, 16, 12], mmul: [4, 2, 4], cascade: 3}
  fc: {cascade: 4}
"""
WIDE = """\
name: wide
target: vck190
weights: w.safetensors
input: {name: x, shape: [6000, 1, 1]}
layers:
  - {name: fc, op: dense, out_features: 6}
"""


def test_a_product_over_chains_is_the_product() -> None:
    """Every core's weights times its stream, summed over each chain, is the whole product."""
    g = TileGrid(m=7, k=21, n=11, tile_m=4, tile_k=8, tile_n=4, mmul=(2, 4, 2), groups=2, cascade=3)
    assert (g.parts, g.passes, g.rounds, g.chains, g.in_streams, g.cores) == (2, 1, 2, 4, 6, 12)
    random = np.random.default_rng(3)
    a, b = random.integers(-9, 9, (7, 21)), random.integers(-9, 9, (21, 11))
    wide_a, wide_b = np.zeros((8, 24), int), np.zeros((24, 16), int)
    wide_a[:7, :21], wide_b[:21, :11] = a, b
    found = np.full((8, 16), -1)
    for group, part in g.streams():
        sums = np.zeros((g.rounds, 4, 4), int)
        for link in range(g.cascade):
            row, k = g.weights.at(part=part, link=link).places()
            weights = np.zeros((4, 24), int)
            weights[row - part * 4, k] = wide_a[row, k]
            k, pixel = g.input.at(stream=group * g.cascade + link).places()
            stream = np.zeros((24, 16), int)
            stream[k, pixel] = wide_b[k, pixel]
            for r in range(g.rounds):
                cols = (r * g.groups + group) * 4
                sums[r] += weights @ stream[:, cols : cols + 4]
        channel, pixel = g.output.at(stream=group * g.parts + part).places()
        for r in range(g.rounds):
            cols = (r * g.groups + group) * 4
            found[part * 4 : part * 4 + 4, cols : cols + 4] = sums[r]
        assert set(channel) == set(range(part * 4, part * 4 + 4))
        assert len(pixel) == g.rounds * 16
    np.testing.assert_array_equal(found[:7, :11], a @ b)


@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_chains_lie_in_the_direction_of_the_cascade(target: str) -> None:
    """Eastwards on AIE-ML [UG1603] and on even rows of AIE, westwards on odd rows of AIE [UG1079]."""
    text = edited(CHAINED, "vck190", target).replace("mmul: [4, 2, 4], ", "")
    plan = plan_of(text)
    rows = set()
    for layer in plan.aie:
        for before, after in zip(layer.kernels, layer.kernels[1:], strict=False):
            if after.link:
                (c0, r0), (c1, r1) = before.tile, after.tile
                assert r0 == r1
                assert c1 - c0 == (-1 if target == "vck190" and r0 % 2 else 1)
                rows.add(r0)
    assert {0, 1} <= rows
    assert not any(f.broken for f in cascades(plan))
    ins = [p for p in plan.plios if p.layer == "first" and p.is_input]
    assert [p.kernels for p in ins[:4]] == [(0, 3), (1, 4), (2, 5), (6, 9)]
    outs = [p for p in plan.plios if p.layer == "first" and not p.is_input]
    assert [p.kernels for p in outs[:3]] == [(2,), (5,), (8,)]


def _swapped(plan: ArrayPart) -> ArrayPart:
    first = plan.aie[0]
    a, b, *rest = first.kernels
    kernels = (replace(a, tile=b.tile), replace(b, tile=a.tile), *rest)
    return replace(plan, aie=(replace(first, kernels=kernels), *plan.aie[1:]))


def test_a_chain_against_the_cascade_breaks_the_rule() -> None:
    broken = [f for f in cascades(_swapped(plan_of(CHAINED))) if f.broken]
    assert {f.rule for f in broken} == {"cascade-1"}


def test_only_the_last_core_has_results_and_only_the_first_the_bias() -> None:
    chain = plan_of(CHAINED).aie[0].kernels[:3]
    assert ["out[0]" in k.blocks for k in chain] == [False, False, True]
    assert ["param[1]" in k.blocks for k in chain] == [True, False, False]


def test_k_too_long_for_a_core_is_cut_over_a_chain_unasked() -> None:
    """6000 weights of two outputs take 48,000 B, 3000 with as many inputs as well: a memory has 32,768."""
    (layer,) = plan_of(WIDE).aie
    assert layer.grid.cascade == 4
    assert layer.grid.passes == 1
    assert layer.grid.cascade * layer.grid.tile_k >= 6000
    files = design_of(WIDE).files()
    assert "connect<adf::cascade>" in files["src/aie/fc_graph.h"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("cascade: 3", "cascade: 2", ["cascade-2", "2 cores of K = 16 hold 32 of K = 45", "use K = 24"]),
        ("cascade: 3", "cascade: 4", ["cascade-2", "3 hold all of K = 45", "cascade: 3, or K = 12"]),
        ("cascade: 3", "cascade: 60", ["cascade-2", "60 cores", "50"]),
        ("cascade: 3", "cascade: 3, place: {col: 4, row: 0, cols: 2, rows: 8}", ["place-1", "6 chains of 3"]),
        ("cascade: 3", "cascade: 0", ["value", "greater than 0"]),
    ],
)
def test_chains_that_cannot_be_are_refused(old: str, new: str, words: list[str]) -> None:
    message = refusal(edited(CHAINED, old, new))
    for word in words:
        assert word in message, message


def test_the_floor_plan_shows_cascades() -> None:
    plan = plan_of(CHAINED)
    links = sum(k.link > 0 for la in plan.aie for k in la.kernels)
    assert floorplan(plan).count("stroke='#b00'") == 3 * links
