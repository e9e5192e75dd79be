"""`weights: stream` in chains of layers: whom the streams serve, where the tables lie, what is refused, what stays as it is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aieloom.errors import CannotFit
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.plan.rules import check
from aieloom.plan.types import ArrayPart
from aieloom.search.goal import Goal
from aieloom.search.linked import linked_designs
from aieloom.spec.device import load_device
from aieloom.units.types import Address
from tests.designs import edited, network_of
from tests.strategies.chained.designs import CHAIN, TWO_PORTS, as_bfloat16, bfloat16_plan


def streams_of(plan: ArrayPart, layer: str) -> list[tuple[int, ...]]:
    return [p.kernels for p in plan.plios if p.weights and p.layer == layer]


def test_the_cores_of_all_bands_share_a_part_s_stream() -> None:
    text = edited(CHAIN, "cores: 4, bands: 2}", "cores: 4, bands: 2, weights: stream}")
    plan, compiled = bfloat16_plan(text), bfloat16_plan(CHAIN)
    assert streams_of(plan, "conv1") == [(0, 2), (1, 3)] and streams_of(plan, "conv2") == []
    assert [(m.name, m.streams) for m in plan.weights] == [("weights_conv1", 2)]
    # 8 outputs x 4 positions x 2 rows of patches x 8 taps of 2 B, then 8 biases x 4 pixels of 4 B, on 8 B words
    assert plan.weights[0].words == (8 * 4 * 2 * 8 * 2 + 8 * 4 * 4) // 8
    assert [c.target for c in plan.connections if "weights" in c.source] == [
        "ai_engine_0.conv1_weights_0",
        "ai_engine_0.conv1_weights_1",
    ]
    assert [n.role for n in plan.aie[0].draft.needs] == ["in[1]", "in[0]", "out[0]"]
    assert {t.output for t in plan.aie[0].draft.templates} == {
        "src/aie/conv1_kernel.h",
        "src/aie/conv1.cc",
        "src/aie/conv1_graph.h",
    }
    assert any(
        "each stream is for the cores of its part in all 2 bands" in line for line in plan.aie[0].draft.why
    )
    assert plan.cost.stages == compiled.cost.stages, "the tables come before the first image"
    assert plan.buffers == compiled.buffers


def test_a_core_with_two_image_streams_keeps_its_table_in_the_memory_beside_it() -> None:
    plan = bfloat16_plan(TWO_PORTS)
    layer = plan.aie[1]
    assert layer.grid.in_ports == 2 and layer.draft.memory.memories == 2
    for core in layer.kernels:
        own, beside = core.blocks["in[0]"][0].tile, core.blocks["in[2]"][0].tile
        assert own == core.blocks["in[1]"][0].tile == core.tile
        assert beside in plan.device.reach(core.tile)[1:]
    assert [(c.used, c.limit) for c in plan.checks if c.rule == "dma-1"] == [(2, 2)]
    assert any("lie in the memory beside the core's" in line for line in layer.draft.why)


def test_three_streams_into_one_tile_are_refused() -> None:
    plan = bfloat16_plan(TWO_PORTS)
    layer = plan.aie[1]
    crowded = tuple(
        replace(k, blocks=k.blocks | {"in[2]": (Address(*k.tile, 40_000),)}) for k in layer.kernels
    )
    bent = replace(plan, aie=(plan.aie[0], replace(layer, kernels=crowded)))
    with pytest.raises(CannotFit, match=r"\[dma-1\].*S2MM channels: 3, at most 2"):
        check(bent, network_of(TWO_PORTS).spec)


def test_a_table_that_no_memory_holds_is_refused_with_its_numbers() -> None:
    text = edited(CHAIN, "out_channels: 24, kernel: 3, padding: 1}", "out_channels: 256, kernel: 3}")
    text = edited(text, "cores: 3}", "cores: 1, weights: stream}")
    with pytest.raises(CannotFit, match=r"\[mem-1\] layer 'conv2': .* weights and bias 1 x 77824 ") as e:
        bfloat16_plan(text)
    assert "use more cores:" in str(e.value)
    beside = edited(TWO_PORTS, "out_channels: 8,", "out_channels: 320,")
    with pytest.raises(CannotFit, match=r"weights and bias 1 x 66560 .* the first in a neighbour's") as e:
        bfloat16_plan(beside)
    assert "use more cores:" in str(e.value)


def test_tables_that_find_no_channel_of_the_interface_are_refused() -> None:
    text = edited(TWO_PORTS, "out_channels: 16", "out_channels: 48").replace("cores: 8, bands: 4", "cores: 6")
    text = edited(text, "out_channels: 8", "out_channels: 48").replace("cores: 1", "cores: 6")
    plan = bfloat16_plan(text)
    assert [len(streams_of(plan, name)) for name in ("one", "two")] == [6, 6]
    assert all(p.column in plan.device.plio_column_list for p in plan.plios)
    # 18 copies of 12 tables and an image are 234 channels
    with pytest.raises(CannotFit, match=r"\[plio-1\] the streams need 234 channels into .* has 224 ") as e:
        bfloat16_plan(text.replace("input:", "copies: 18\ninput:"))
    assert "the weights of 'one' take 6 in" in str(e.value)
    assert "fix: use weights: constant or fewer cores on 'one'" in str(e.value)


def test_what_is_said_of_weights_stays_whatever_the_planner_tries() -> None:
    text = CHAIN[: CHAIN.index("mapping:")] + "mapping:\n  conv2: {weights: stream}\n"
    network = as_bfloat16(network_of(text))
    device = load_device("vek280")
    tried = list(linked_designs(network, device, REGISTRY, ("conv1", "conv2", "fc"), Goal()))
    assert tried
    for _, plan in tried:
        assert [bool(la.draft.streamed) for la in plan.aie] == [False, True, False]
    # a board without memory tiles gets matrix products: the weights still come over a stream
    other = edited(CHAIN, "cores: 3}", "cores: 3, weights: stream}")
    plan = bfloat16_plan(other, float32_on="vck190")
    assert [(la.draft.strategy, bool(la.draft.streamed)) for la in plan.aie] == [
        ("im2col_gemm", False),
        ("im2col_gemm", True),
        ("im2col_gemm", False),
    ]
    assert make_plan(network, device, REGISTRY).aie[1].draft.streamed
