"""Weights that a kernel on the tile beside a core takes: where tables and images lie, what is refused, the array to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.errors import SpecError
from aieloom.plan.nets import nets_of
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.report.floorplan import floorplan
from aieloom.report.memorymap import memory_map
from aieloom.spec.quantize import QuantizeSpec
from tests.designs import edited, network_of
from tests.quantize.kernels import BFLOAT16, integer_design, run_array
from tests.strategies.chained.checks import BFLOAT16 as QUANTIZE
from tests.strategies.chained.checks import check
from tests.strategies.chained.designs import CHAIN, bfloat16_plan

FED = edited(CHAIN, "bands: 2}", "bands: 2, weights: feeder}").replace(
    "fc: {strategy: chained}", "fc: {strategy: chained, weights: feeder}"
)

# `wide`'s images are too large for its own memory beside its results: they come into its feeder's
LARGE = """\
name: large
target: vek280
weights: w.safetensors
input: {name: x, shape: [8, 30, 24]}
layers:
  - {name: wide, op: conv2d, out_channels: 16, kernel: 3}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: last, op: conv2d, out_channels: 8, kernel: 3}
mapping:
  wide: {strategy: chained, cores: 1, weights: feeder, buffers: ping_pong, place: {col: 10, row: 0, cols: 2, rows: 1}}
  pool: {strategy: chained, place: {col: 11, row: 1, cols: 1, rows: 1}}
  last: {strategy: chained, weights: stream, place: {col: 13, row: 0, cols: 1, rows: 1}}
"""


def layer_of(plan: ArrayPart, name: str) -> AieLayerPlan:
    return next(la for la in plan.aie if la.name == name)


def test_each_core_has_a_feeder_beside_it() -> None:
    plan = bfloat16_plan(FED)
    conv1, conv2, fc = plan.aie
    assert [len(la.feeders) for la in plan.aie] == [4, 0, 1]
    for layer in (conv1, fc):
        assert layer.feeders == tuple((k.tile[0] - 1, k.tile[1]) for k in layer.kernels)
        assert all(k.blocks["in[1]"][0].tile == f for k, f in zip(layer.kernels, layer.feeders, strict=True))
    assert plan.cores == 4 + 3 + 1 + 4 + 1
    assert [p.name for p in plan.plios if p.weights] == ["conv1_weights_0", "conv1_weights_1", "fc_weights_0"]
    ends = {n.name: n.sinks for n in nets_of(plan)}
    assert ends["conv1_weights_0"] == tuple(conv1.feeders[i] for i in (0, 2)), (
        "a part's feeders in both bands"
    )
    assert conv2.draft.fed_role == "" and conv1.draft.fed_role == "in[1]"


def test_images_that_a_core_has_no_room_for_come_into_its_feeders_memory() -> None:
    plan = bfloat16_plan(LARGE)
    wide, pool = layer_of(plan, "wide"), layer_of(plan, "pool")
    assert {a.tile for a in wide.kernels[0].blocks["in[0]"]} == set(wide.feeders) == {(10, 0)}
    assert {a.tile for a in wide.kernels[0].blocks["out[0]"]} == {(11, 0)}
    assert pool.draft.handed, "its core stands above the one of two tiles"
    to_core = next(n for n in nets_of(plan) if n.name == "wide_input out 0")
    assert to_core.sinks == ((10, 0),), "the DMA of the feeder's tile takes the images"
    alone = edited(
        LARGE, "weights: feeder, buffers: ping_pong, place: {col: 10", "weights: stream, place: {col: 10"
    )
    assert layer_of(bfloat16_plan(alone), "wide").draft.buffers.value == "single"


def test_feeders_are_shown() -> None:
    plan = bfloat16_plan(FED)
    assert "feeder of conv1[3]: its weights" in floorplan(plan)
    assert any("a kernel on the tile beside each core copies them" in line for line in plan.aie[2].draft.why)
    assert memory_map(plan, plan.aie[2]).count("stack, heap, tools: ") == 2


def test_a_feeder_belongs_to_a_chain() -> None:
    text = edited(FED, "fc: {strategy: chained, weights: feeder}", "fc: {weights: feeder}")
    with pytest.raises(SpecError, match="weights: feeder is of strategy: chained; use weights: stream"):
        network_of(text)


def test_another_target_sends_the_same_weights_by_dma() -> None:
    plan = bfloat16_plan(FED, float32_on="vck190")
    assert [bool(la.draft.streamed) for la in plan.aie] == [True, False, True]
    assert not [la for la in plan.aie if la.feeders]


@pytest.mark.slow
def test_an_array_with_feeders_gives_the_references_bits(tmp_path: Path) -> None:
    """Two bands that share streams, and the counts of every kernel."""
    run_array(integer_design(FED, BFLOAT16), tmp_path, least=10)


@pytest.mark.slow
def test_a_whole_system_with_feeders_runs_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, FED.replace("mapping:\n", QUANTIZE + "mapping:\n"), 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("quantize", [BFLOAT16, QuantizeSpec.model_validate({"symmetric": True})])
def test_an_array_whose_images_pass_a_feeders_memory_gives_the_references_bits(
    quantize: QuantizeSpec, tmp_path: Path
) -> None:
    run_array(integer_design(LARGE, quantize), tmp_path, least=10)
