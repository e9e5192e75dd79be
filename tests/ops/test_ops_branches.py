"""Networks with branches: what the planner makes of them, the event simulation, and whole systems in the emulator."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.errors import CannotFit
from aieloom.network.layers import Bounds
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops import REGISTRY
from aieloom.ops.integer_pairs import integer_sum
from aieloom.pl.kernel import PlKernel
from aieloom.pl.streams import RasterStream, TiledStreams
from aieloom.plan.rules import check
from aieloom.plan.rules_streams import crowded_logic
from aieloom.plan.types import ArrayPart
from aieloom.report.graph import graph
from aieloom.search.streaming import streamed
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.types import DataType
from tests.designs import ROOT, design_of, network_of, plan_of, refusal
from tests.ops.networks import design_of_yaml, network_yaml, random_graph_yaml
from tests.ops.residual import RESIDUAL
from tests.ops.system import check as check_system
from tests.quantize.kernels import integer_design

PLAN = plan_of(RESIDUAL)


CONV = "  - {name: c, op: conv2d, out_channels: 1, kernel: 1}"


def kernel(plan: ArrayPart, name: str) -> PlKernel:
    return next(g for g in plan.pl if g.name == name)


def test_kernels_begin_at_joins_and_behind_forks() -> None:
    assert [g.name for g in PLAN.pl] == [
        "pl_input_to_c0", "pl_r0", "pl_r1", "pl_a1_ra1", "pl_r3", "pl_a2_ra2", "pl_mean", "pl_most", "pl_both", "pl_fc_to_output",
    ]  # fmt: skip
    fork, join = kernel(PLAN, "pl_r0"), kernel(PLAN, "pl_a1_ra1")
    assert [(o.port, o.reader, o.reader_port) for o in fork.outlets] == [
        ("out0", "c1", ""),
        ("out1", "pl_a1_ra1", "in1"),
    ]
    assert [(i.port, i.producer) for i in join.inlets] == [("in0", "c2"), ("in1", "pl_r0")]
    assert isinstance(join.inlets[0].streams, TiledStreams)
    assert isinstance(join.inlets[1].streams, RasterStream)
    assert join.inlets[1].streams.words == 4 * 8 * 8 * 4 // 16


def test_the_shorter_branch_waits_as_many_images_as_the_longer_one_has_buffers_more() -> None:
    """From r0 to a1 the long way has pl_r1's buffer more, and two each of c1 and c2, which take an image a call: five.

    A ping-pong covers one of them: 4 images more. From ra1 to a2 it has pl_r3's and c4's more than c5's way.
    """
    depths = {(g.name, i.producer): i.depth for g in PLAN.pl if g.join for i in g.inlets}
    assert depths == {
        ("pl_a1_ra1", "c2"): 2, ("pl_a1_ra1", "pl_r0"): 6, ("pl_a2_ra2", "c4"): 2, ("pl_a2_ra2", "c5"): 4,
        ("pl_both", "pl_most"): 2, ("pl_both", "pl_mean"): 2,
    }  # fmt: skip


def test_inlets_are_taken_in_the_order_in_which_they_are_sent() -> None:
    """pl_r0 stands before pl_r1, which feeds c2: its image is read first, or it could wait for r0's other reader."""
    assert {g.name: g.read_order for g in PLAN.pl if g.join} == {
        "pl_a1_ra1": (1, 0), "pl_a2_ra2": (1, 0), "pl_both": (1, 0)
    }  # fmt: skip


def test_kernels_are_connected_with_each_other() -> None:
    links = {(c.source, c.target): c.bits for c in PLAN.connections}
    assert links["pl_r0_1.out1", "pl_a1_ra1_1.in1"] == 128
    assert links["pl_a2_ra2_1.out0", "pl_mean_1.in"] == 128
    assert links["ai_engine_0.c5_out_0", "pl_a2_ra2_1.in1"] == next(
        p.bits for p in PLAN.plios if p.layer == "c5"
    )
    ends = [e for c in PLAN.connections for e in (c.source, c.target)]
    assert len(ends) == len(set(ends))


def test_the_latency_is_that_of_the_longest_way() -> None:
    stages = {s.name: s for s in PLAN.cost.stages}
    assert stages["pl_a1_ra1"].after == ("c2", "pl_r0")
    assert stages["c5"].after == ("pl_a1_ra1",)
    beside = {"c5", min("pl_mean", "pl_most", key=lambda n: stages[n].latency_us)}
    longest = sum(s.latency_us for n, s in stages.items() if n not in beside)
    assert PLAN.cost.latency_us == pytest.approx(longest)


LONG = network_yaml(
    (2, 12, 12),
    [
        "  - {name: first, op: conv2d, out_channels: 2, kernel: 1}",
        *(f"  - {{name: p{i}, op: max_pool, kernel: 3, stride: 1, padding: 1}}" for i in range(5)),
        "  - {name: sum, op: add, inputs: [p4, first]}",
    ],
)


def with_depth(plan: ArrayPart, depth: int) -> ArrayPart:
    """Return the plan with another depth of the shorter branch of `sum`."""
    kernels = [
        replace(g, inlets=(g.inlets[0], replace(g.inlets[1], depth=depth))) if g.name == "pl_sum" else g
        for g in plan.pl
    ]
    return replace(plan, pl=tuple(kernels))


def test_the_depth_is_enough_for_full_speed_and_a_ping_pong_is_not() -> None:
    """Five pools of equal time: the event simulation keeps their rate at the planned depth, and not with two images."""
    plan = plan_of(LONG)
    depth = kernel(plan, "pl_sum").inlets[1].depth
    assert depth == 2 + 6  # a buffer before each of the pools, and their kernel's last
    images = 24
    full = simulate_plan(with_depth(plan, 50), images).ends_us[-1]
    assert simulate_plan(plan, images).ends_us[-1] == pytest.approx(full)
    assert simulate_plan(with_depth(plan, 2), images).ends_us[-1] > 1.2 * full


def test_a_join_that_shows_values_at_several_places_cannot_stream() -> None:
    rows = [
        CONV,
        "  - {name: mean, op: global_avg_pool}",
        "  - {name: scaled, op: mul, inputs: [c, mean]}",
    ]
    text = network_yaml((1, 4, 4), rows) + "mapping:\n  scaled: {strategy: streaming}\n"
    said = refusal(text)
    assert "[stream-1] layer 'scaled' (mul) shows values of one input at several places of the other" in said
    assert "use strategy: frame" in said


# A pool in lines on the longer way to a join, behind a fork.
WAYS = (
    network_yaml(
        (2, 32, 32),
        [
            "  - {name: r0, op: relu}",
            "  - {name: c1, op: conv2d, out_channels: 2, kernel: 3, padding: 1}",
            "  - {name: r1, op: relu}",
            "  - {name: p1, op: max_pool, kernel: 3, stride: 1, padding: 1}",
            "  - {name: c2, op: conv2d, out_channels: 2, kernel: 3, padding: 1}",
            "  - {name: a1, op: add, inputs: [c2, r0]}",
        ],
    )
    + "mapping:\n  c1: {tile: [2, 18, 32], mmul: [2, 2, 2]}\n  r1: {strategy: streaming}\n"
    "  c2: {tile: [2, 18, 32], mmul: [2, 2, 2]}\n"
)
RESIDUAL_WAYS = (
    RESIDUAL.replace("[3, 8, 8]", "[3, 32, 32]").replace("kernel: 4, inputs", "kernel: 16, inputs")
    + "mapping:\n  r1: {strategy: streaming}\n  r3: {strategy: streaming}\n"
)


@pytest.mark.integration
def test_a_streaming_kernel_beside_a_skip_runs_to_the_bit(tmp_path: Path) -> None:
    assert [g.name for g in plan_of(WAYS).pl if g.part and g.steps] == ["pl_r1_p1"]
    check_system(tmp_path, WAYS, 3)


@pytest.mark.slow
def test_streaming_kernels_in_a_residual_network_run_to_the_bit(tmp_path: Path) -> None:
    assert [g.name for g in plan_of(RESIDUAL_WAYS).pl if g.part and g.steps] == ["pl_r1", "pl_r3"]
    check_system(tmp_path, RESIDUAL_WAYS, 3)


LINES = ("conv2d", "conv2d", "conv2d", "relu", "tanh", "max_pool", "pad")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [315, 325, 349, 366, 410, 423, 432, 457])
def test_every_kernel_of_random_branches_streams_that_can(seed: int, tmp_path: Path) -> None:
    """Of networks one of whose kernels can, between two layers on the array, and which have a join."""
    text = random_graph_yaml(seed, LINES)
    design = design_of_yaml(text)
    assert design is not None
    found = streamed(design.network, design.plan.device, REGISTRY, pl=design.plan.pl)
    assert found is not None
    assert any(g.part for g in found[1].pl) and any(g.join for g in found[1].pl)
    asked = [n for n, m in found[0].spec.mapping.items() if getattr(m, "strategy", None) == "streaming"]
    check_system(
        tmp_path, text + "mapping:\n" + "".join(f"  {n}: {{strategy: streaming}}\n" for n in asked), 4
    )


def test_a_branch_that_cannot_wait_is_refused() -> None:
    plan, network = plan_of(LONG), network_of(LONG)
    with pytest.raises(
        CannotFit, match=r"network.yaml:12: \[skip-1\] pl_sum: images to keep .*: 8, at most 7"
    ):
        check(with_depth(plan, 7), network.spec)
    turned = tuple(replace(g, read_order=g.read_order[::-1]) for g in plan.pl)
    with pytest.raises(CannotFit, match=r"network.yaml:12: \[skip-2\] pl_sum: inputs taken before"):
        check(replace(plan, pl=turned), network.spec)


def test_a_deep_residual_network_is_planned_at_once() -> None:
    """Twenty blocks: ways double at each join, and must not be counted one by one."""
    rows, last = [CONV], "c"
    for i in range(20):
        rows.append(f"  - {{name: m{i}, op: max_pool, kernel: 1, inputs: [{last}]}}")
        rows.append(f"  - {{name: a{i}, op: add, inputs: [m{i}, {last}]}}")
        last = f"a{i}"
    plan = plan_of(network_yaml((1, 2, 2), rows))
    assert len(plan.pl) == 41
    assert {i.depth for g in plan.pl if g.join for i in g.inlets} == {2, 4}


def test_the_picture_shows_every_stage_once_and_every_way() -> None:
    picture = graph(PLAN)
    for stage in PLAN.cost.stages:
        assert picture.count(f">{stage.name}</text>") == 1
    assert picture.count("marker-end") == sum(len(s.after) for s in PLAN.cost.stages)
    boxes = [part for part in picture.split("<rect")[2:]]
    places = {tuple(box.split("'")[1:4:2]) for box in boxes}
    assert len(places) == len(PLAN.cost.stages)


def test_generated_joins_and_forks_declare_what_the_plan_says() -> None:
    files = design_of(RESIDUAL).files()
    join = files["src/pl/pl_a1_ra1.cpp"]
    assert "#pragma HLS stream variable=map_in1 type=pipo depth=6" in join
    called = (
        "FrameReader<From1, From1Turns, ",
        "FrameReader<From0, From0Turns, ",
        "join_maps<layers::a1_sizes, ",
    )
    assert sorted(called, key=join.index) == list(called)
    assert "FrameWriter<To1, To1Order, 1>::write_ports(words1, out1);" in files["src/pl/pl_r0.cpp"]


def tflite_sum(a: int, b: int, scales: tuple[float, float, float], zeros: tuple[int, int, int]) -> int:
    """TensorFlow Lite's quantised ADD in whole numbers, from its published definition, one element."""

    def quantised(real: float) -> tuple[int, int]:
        fraction, exponent = np.frexp(real)
        q = int(np.floor(fraction * 2.0**31 + 0.5))
        return (q // 2, int(exponent) + 1) if q == 1 << 31 else (q, int(exponent))

    def scaled(value: int, real: float) -> int:
        q, exponent = quantised(real)
        product = value * q
        nudge = 1 << 30 if product >= 0 else 1 - (1 << 30)
        high = abs(product + nudge) // (1 << 31) * (1 if product + nudge >= 0 else -1)  # towards zero
        mask = (1 << -exponent) - 1
        threshold = (mask >> 1) + (1 if high < 0 else 0)
        return (high >> -exponent) + (1 if (high & mask) > threshold else 0)

    widest = 2 * max(scales[0], scales[1])
    total = sum(
        scaled((v - z) << 20, s / widest) for v, z, s in zip((a, b), zeros[:2], scales[:2], strict=True)
    )
    return max(-128, min(127, scaled(total, widest / ((1 << 20) * scales[2])) + zeros[2]))


def test_sums_of_elements_are_tensorflow_lites() -> None:
    rows = [CONV, "  - {name: s, op: add, inputs: [c, x]}"]
    network = network_of(network_yaml((1, 1, 1), rows))
    random, operator = np.random.default_rng(5), aieloom.ops.REGISTRY["add"]
    a, b = (v.ravel().astype(np.int8) for v in np.meshgrid(np.arange(-128, 128, 15), np.arange(-128, 128, 7)))
    for _ in range(12):
        scales = tuple(float(np.float32(s)) for s in np.exp(random.uniform(-6, 1, 3)))
        scales = (*scales[:2], max(scales[2], 0.3 * max(scales[:2])))
        zeros = tuple(int(z) for z in random.integers(-128, 128, 3))
        x, other, y = (
            TensorType((1, 1, 1), DataType.INT8, Quantisation(scale=s, zero_point=z))
            for s, z in zip(scales, zeros, strict=True)
        )
        at = replace(network.layers[1], x=x, others=(other,), y=y)
        step = replace(plan_of(LONG).pl[-1].steps[0], detail=integer_sum(network.spec, at))
        found = operator.integer(step, (a, b))  # type: ignore[attr-defined]
        wanted = [tflite_sum(int(p), int(q), scales, zeros) for p, q in zip(a, b, strict=True)]  # type: ignore[arg-type]
        assert found.tolist() == wanted
        bounded = integer_sum(network.spec, replace(at, bounds=Bounds(-3, 40)))
        held = operator.integer(replace(step, detail=bounded), (a, b))  # type: ignore[attr-defined]
        assert held.tolist() == np.clip(wanted, -3, 40).tolist()
    tiny = replace(at, y=TensorType((1, 1, 1), DataType.INT8, Quantisation(scale=1e-12, zero_point=0)))
    with pytest.raises(CannotFit, match=r"\[quant-3\] layer 's': its result's scale 1e-12 is below"):
        integer_sum(network.spec, tiny)


@pytest.mark.slow
def test_a_residual_network_runs_to_the_bit(tmp_path: Path) -> None:
    check_system(tmp_path, RESIDUAL, 4)


WIDE_ROWS = 2010  # rows of 7 columns, which come in two lanes, leave in words of 7, each value from a copy


@pytest.mark.integration
@pytest.mark.usefixtures("much")
@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[] if s == WIDE_ROWS else [pytest.mark.slow]) for s in range(2000, 2012)]
)
def test_random_branches_run_to_the_bit(seed: int, tmp_path: Path) -> None:
    text = random_graph_yaml(seed)
    if design_of_yaml(text) is None:
        pytest.skip("the device has no room for this one")
    check_system(tmp_path, text, 3)


@pytest.mark.parametrize("seed", range(25))
def test_the_simulation_never_gets_stuck(seed: int) -> None:
    design = design_of_yaml(random_graph_yaml(3000 + seed))
    if design is None:
        pytest.skip("the device has no room for this one")
    run = simulate_plan(design.plan)
    assert all(a < b for a, b in pairwise(run.ends_us))
    assert run.latency_us > 0


def test_short_block_ram_moves_as_few_kernels_as_need_be_to_ultraram() -> None:
    """resnet8 fits the VCK190's block RAM; the VEK280 has half of it, and less UltraRAM than all buffers would take."""
    text = (ROOT / "projects" / "resnet8" / "network.yaml").read_text(encoding="utf-8")
    text += "mapping: {shares: {strategy: frame}}\n"
    plenty, short = (
        integer_design(text.replace("target: vck190", f"target: {t}")).plan for t in ("vck190", "vek280")
    )
    assert not any(g.uram288 for g in plenty.pl)
    # the largest; any other would take more UltraRAM than the margin, so block RAM is what is warned of
    assert [g.name for g in short.pl if g.uram288] == ["pl_conv0_to_conv1_and_sum2"]
    (said,) = crowded_logic(short)
    assert "489 of 600 block RAMs (82%), more than the 420" in said
    used = {c.what: (c.used, c.limit) for c in short.checks if c.rule == "pl-1"}
    assert all(use <= limit for use, limit in used.values())
