"""Gaps, movers, connections and costs of a chain: what lies between the layers, against numbers by hand."""

from __future__ import annotations

import pytest

from aieloom.pl.streams import RasterStream, TiledStreams
from tests.designs import ESPCN, SMALL, plan_of

PLAN = plan_of(ESPCN)


def test_gaps_stand_between_the_convolutions() -> None:
    assert [g.name for g in PLAN.pl] == ["pl_tanh1", "pl_tanh2", "pl_shuffle"]
    first, _, last = PLAN.pl
    assert isinstance(first.source, TiledStreams)
    assert (first.source.streams, first.source.bits, first.source.words) == (16, 128, 16 * 64 // 4)
    assert isinstance(first.sink, TiledStreams)
    assert (first.sink.streams, first.sink.bits, first.sink.words) == (32, 64, 576 * 8 // 2)
    assert (first.outlets[0].lanes, first.x.shape, first.y.shape) == (2, (64, 16, 16), (64, 16, 16))
    assert isinstance(last.sink, RasterStream)
    assert (last.sink.bits, last.sink.words) == (128, 32 * 32 // 4)
    assert (last.x.shape, last.y.shape) == ((4, 16, 16), (1, 32, 32))


def test_the_host_tiles_the_input_of_a_first_convolution() -> None:
    (subgraph,) = PLAN.subgraphs
    mm2s, s2mm, host = subgraph.mm2s, subgraph.s2mm, subgraph.host_im2col
    assert host is not None
    assert (host.streams, host.words) == (4, 2 * 16 * 64 // 4)
    assert (mm2s.streams, mm2s.bits, mm2s.memory_bits, mm2s.words) == (4, 128, 512, 512)
    assert (s2mm.streams, s2mm.memory_bits, s2mm.words) == (1, 128, 256)


def test_a_first_layer_on_the_pl_gets_plain_images() -> None:
    text = SMALL.replace("layers:\n", "layers:\n  - {name: before, op: tanh}\n")
    plan = plan_of(text)
    assert plan.subgraphs[0].host_im2col is None
    assert [g.name for g in plan.pl] == ["pl_before", "pl_act", "pl_shuffle"]
    assert isinstance(plan.pl[0].source, RasterStream)
    assert plan.subgraphs[0].mm2s.words == 2 * 6 * 6 // 4
    assert plan.connections[0].source == "mm2s_1.out"
    assert plan.connections[0].target == "pl_before_1.in"


def test_a_last_convolution_is_carried_by_a_kernel_of_its_own() -> None:
    text = SMALL.replace("  - {name: shuffle, op: pixel_shuffle, upscale: 2}\n", "")
    plan = plan_of(text)
    assert plan.pl[-1].name == "pl_second_to_output"
    assert plan.pl[-1].steps == ()
    assert plan.connections[-1].target == "s2mm_1.in"


def test_every_stream_is_connected_from_memory_to_memory() -> None:
    links = {(c.source, c.target): c.bits for c in PLAN.connections}
    assert len(links) == 4 + 16 + 32 + 128 + 16 + 16 + 1
    assert links["mm2s_1.out_3", "ai_engine_0.conv1_in_3"] == 128
    assert links["ai_engine_0.conv2_out_127", "pl_tanh2_1.in_127"] == 64
    assert links["pl_tanh2_1.out_15", "ai_engine_0.conv3_in_15"] == 64
    assert links["pl_shuffle_1.out", "s2mm_1.in"] == 128


def test_plio_clocks_are_those_of_the_kernels_beyond() -> None:
    clocks = {(p.layer, p.is_input): p.clock_mhz for p in PLAN.plios}
    assert clocks["conv1", True] == 312.5
    assert set(clocks.values()) == {312.5, 260.0}


def test_the_slowest_stage_sets_the_rate_and_latencies_add_up() -> None:
    """pl_tanh1 gathers 32 streams of 2304 words, one a cycle, 4 cycles between streams, at 260 MHz."""
    cost = PLAN.cost
    assert cost.bottleneck == "pl_tanh1"
    cycles = 32 * 576 * 8 // 2 + 32 * 4
    assert next(s for s in cost.stages if s.name == "pl_tanh1").cycles == cycles
    assert cost.interval_us == pytest.approx(cycles / 260)
    assert cost.throughput_fps == pytest.approx(260e6 / cycles)
    assert cost.latency_us == pytest.approx(sum(s.latency_us for s in cost.stages))
    assert cost.latency_us >= cost.interval_us
    names = ["mm2s", "conv1", "pl_tanh1", "conv2", "pl_tanh2", "conv3", "pl_shuffle", "s2mm"]
    assert [s.name for s in cost.stages] == names


def test_ping_pong_overlaps_transfers_with_computation() -> None:
    single = plan_of(SMALL.replace("mmul: [4, 2, 4]}\n  act", "mmul: [4, 2, 4], buffers: single}\n  act"))
    double = plan_of(SMALL.replace("mmul: [4, 2, 4]}\n  act", "mmul: [4, 2, 4], buffers: ping_pong}\n  act"))
    one, two = (next(s for s in p.cost.stages if s.name == "first") for p in (single, double))
    assert two.interval_us < one.interval_us
    assert two.latency_us == one.latency_us


def test_the_image_buffer_has_a_copy_for_each_lane_and_doubles_in_dataflow() -> None:
    """64 x 16 x 16 floats are 16 block RAMs of 1K x 32; x 2 lanes x 2; tanh's table is one more."""
    assert PLAN.pl[0].storage == "bram"
    assert PLAN.pl[0].bram36 == 16 * 2 * 2 + 1
    large = plan_of(ESPCN[: ESPCN.index("mapping:")].replace("[1, 16, 16]", "[1, 32, 64]"))
    assert large.pl[0].storage == "uram"
    assert large.pl[0].uram288 == 64 * 32 * 64 // 4096 * 2 * 2
