"""The event simulation against pipelines worked out by hand, and a plan's trace."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import pytest

from aieloom.cost.machine import cascade_cycles, plio_cycles
from aieloom.cost.published import DEPTH, KernelLoops, PlLoop
from aieloom.plan.cost import summarise
from aieloom.plan.types import ArrayPart, StageCost
from aieloom.report.summary import performance
from aieloom.report.timeline import trace
from aieloom.simulation.events import Process, SimulatedRun, Simulation, Stuck, Tokens
from aieloom.simulation.of_plan import simulate_plan
from tests.designs import ESPCN, SMALL, edited, plan_of
from tests.ops.networks import design_of_yaml, random_yaml

IMAGES = 5


def two_stages(first: float, second: float, places: int) -> list[float]:
    """Return when each of some tokens leaves two stages with a buffer of `places` between them."""
    sim, ends = Simulation(), []
    free, full = Tokens("free", places), Tokens("full")

    def producer() -> Process:
        for _ in range(IMAGES):
            yield free
            yield first
            sim.give(full)

    def consumer() -> Process:
        for _ in range(IMAGES):
            yield full
            yield second
            sim.give(free)
            ends.append(sim.now)

    sim.start("producer", producer())
    sim.start("consumer", consumer())
    sim.run((free, full))
    return ends


@pytest.mark.parametrize(("first", "second"), [(3.0, 5.0), (5.0, 3.0), (4.0, 4.0)])
def test_two_buffers_overlap_and_one_does_not(first: float, second: float) -> None:
    """Ping-pong: the slower stage sets the pace; one buffer: each waits for the other."""
    slow = max(first, second)
    assert two_stages(first, second, 2) == [first + second + i * slow for i in range(IMAGES)]
    assert two_stages(first, second, 1) == [(i + 1) * (first + second) for i in range(IMAGES)]


def test_who_waits_for_ever_is_named() -> None:
    sim, never = Simulation(), Tokens("a buffer that nobody fills")

    def hungry() -> Process:
        yield never

    sim.start("reader", hungry())
    with pytest.raises(Stuck, match="reader for a buffer that nobody fills"):
        sim.run((never,))


def test_waiting_processes_go_in_the_order_they_came() -> None:
    sim, tokens, served = Simulation(), Tokens("t"), []

    def eater(name: str) -> Process:
        yield tokens
        served.append(name)

    def feeder() -> Process:
        yield 1.0
        for _ in range(3):
            sim.give(tokens)

    for name in "bca":
        sim.start(name, eater(name))
    sim.start("feeder", feeder())
    sim.run()
    assert served == ["b", "c", "a"]


def test_a_pipeline_with_two_ways_takes_the_longer() -> None:
    """Latencies add up along the longer way, and the slowest stage sets the rate."""

    def stage(name: str, interval: float, latency: float, *after: str) -> StageCost:
        return StageCost(
            name=name, kind="pl", interval_us=interval, latency_us=latency, cycles=1, clock_mhz=1, after=after
        )

    group = [
        stage("in", 1, 2),
        stage("short", 4, 5, "in"),
        stage("long", 3, 9, "in"),
        stage("out", 2, 2, "short", "long"),
    ]
    found = summarise([group])
    assert (found.interval_us, found.latency_us, found.bottleneck) == (4, 13, "short")
    alone = summarise(
        [[stage(s.name, s.interval_us, s.latency_us)] for s in group]
    )  # one group after another
    assert (alone.interval_us, alone.latency_us) == (10, 9)


def test_edges_have_the_documented_rates() -> None:
    """A 128-bit PLIO at 312.5 MHz fills one 32-bit stream at 1250 MHz; a 64-bit one half of it [AM009]."""
    assert plio_cycles(4096, bits=128, pl_mhz=312.5, aie_mhz=1250) == 1024
    assert plio_cycles(4096, bits=64, pl_mhz=312.5, aie_mhz=1250) == 2048
    assert plio_cycles(4096, bits=128, pl_mhz=500, aie_mhz=1250) == 1024, "the array's stream bounds it"
    assert cascade_cycles(1, accumulator_bits=768, arch="aie") == 2, (
        "a 768-bit value takes two cycles [UG1079]"
    )


def test_pl_loops_in_dataflow_overlap() -> None:
    loops = [PlLoop(name="a", trips=100), PlLoop(name="b", trips=50, ii=4)]
    serial, flow = (KernelLoops(name="k", loops=loops, dataflow=f, clock_mhz=100) for f in (False, True))
    assert serial.interval_us == serial.latency_us == flow.latency_us == (100 + 200 + 2 * DEPTH) / 100
    assert flow.interval_us == (200 + DEPTH) / 100


@pytest.fixture(scope="module")
def espcn() -> ArrayPart:
    return plan_of(ESPCN)


@pytest.fixture(scope="module")
def run(espcn: ArrayPart) -> SimulatedRun:
    return simulate_plan(espcn)


def test_every_block_of_every_image_passes(espcn: ArrayPart, run: SimulatedRun) -> None:
    images = len(run.ends_us)
    lanes = Counter(s.lane for s in run.slices)
    for layer in espcn.aie:
        grid = layer.grid
        for group in range(grid.groups):
            assert (
                lanes[f"aie/{layer.name} group {group} ({grid.parts} cores)"]
                == images * grid.rounds * grid.passes
            )
        for core in range(grid.cores):
            assert lanes[f"stream/{layer.name} out {core}"] == images * grid.rounds
    assert len(run.starts_us) == images


def test_nothing_is_done_twice_at_once(run: SimulatedRun) -> None:
    lanes: dict[str, list[tuple[float, float]]] = {}
    for s in run.slices:
        assert s.duration > 0 and s.start >= 0
        lanes.setdefault(s.lane, []).append((s.start, s.start + s.duration))
    for lane, spans in lanes.items():
        assert all(a[1] <= b[0] + 1e-9 for a, b in pairwise(sorted(spans))), lane
    assert all(share <= 1 + 1e-6 for share in run.busy.values())


def test_contention_never_makes_it_faster(espcn: ArrayPart, run: SimulatedRun) -> None:
    assert run.interval_us >= max(s.interval_us for s in espcn.cost.stages) * 0.999
    assert 0.5 * espcn.cost.latency_us < run.latency_us <= espcn.cost.latency_us * 1.05
    busiest = max(run.busy, key=lambda lane: run.busy[lane])
    assert espcn.cost.bottleneck in busiest


def test_a_faster_clock_of_the_bottleneck_helps(espcn: ArrayPart) -> None:
    assert espcn.cost.bottleneck == "pl_tanh1"
    quick = ESPCN.replace("clock_mhz: 260", "clock_mhz: 300")
    assert simulate_plan(plan_of(quick)).interval_us < simulate_plan(espcn).interval_us


def test_one_image_alone_has_its_latency(espcn: ArrayPart, run: SimulatedRun) -> None:
    alone = simulate_plan(espcn, images=1)
    assert alone.latency_us == pytest.approx(run.latency_us)
    assert alone.interval_us == alone.latency_us
    with pytest.raises(ValueError, match="at least one"):
        simulate_plan(espcn, images=0)


def test_single_buffers_are_not_faster_than_two() -> None:
    single, double = (
        simulate_plan(
            plan_of(edited(SMALL, "tile: [8, 18, 12]", f"tile: [8, 18, 12], groups: 1, buffers: {b}"))
        )
        for b in ("single", "ping_pong")
    )
    assert single.latency_us > double.latency_us
    assert single.interval_us >= double.interval_us - 1e-9


def test_the_trace_is_what_the_viewers_read(espcn: ArrayPart, run: SimulatedRun) -> None:
    text = trace(run, espcn.project, espcn.cost.produced_by)
    assert text == trace(simulate_plan(espcn), espcn.project, espcn.cost.produced_by), (
        "the same plan gives the same bytes"
    )
    document = json.loads(text)
    assert document["otherData"]["kind"] == "modelled, not measured"
    assert document["otherData"]["produced_by"].startswith("aieloom cost model")
    named = {(e["pid"], e["tid"]) for e in document["traceEvents"] if e["name"] == "thread_name"}
    slices = [e for e in document["traceEvents"] if e["ph"] == "X"]
    assert len(slices) == len(run.slices)
    assert {(e["pid"], e["tid"]) for e in slices} == named
    assert all(isinstance(e["ts"], float) and e["dur"] >= 0 for e in slices)
    titles = {e["args"]["name"] for e in document["traceEvents"] if e["ph"] == "M"}
    assert {"AI Engine groups", "PL kernels", "streams", "mm2s", "s2mm", "pl_tanh1 write"} <= titles


def test_the_summary_says_what_the_simulation_showed(espcn: ArrayPart, run: SimulatedRun) -> None:
    found = performance(espcn)
    assert found["latency_us"] == pytest.approx(run.latency_us, abs=1e-3)
    assert found["rates"]["array"]["images_per_s"] == pytest.approx(1e6 / run.interval_us, abs=0.1)
    assert found["throughput_fps"] == found["rates"]["system"]["images_per_s"] < 1e6 / run.interval_us
    assert "event simulation" in found["produced_by"] and "by schedules" in found["produced_by"]
    assert found["kind"] == "modelled, not measured"
    assert max(s["utilisation"] for s in found["per_layer"]) == 1.0


def test_networks_of_all_operators_run_through() -> None:
    """Random chains, windows between frame buffers and tiled inputs among them: no process waits for ever."""
    plans = [d.plan for seed in range(24) if (d := design_of_yaml(random_yaml(seed)))]
    assert len(plans) > 10
    assert any(g.frames and g.frames.stages for p in plans for g in p.pl) and any(
        p.subgraphs[0].host_im2col for p in plans
    )
    for plan in plans:
        run = simulate_plan(plan)
        slowest = max(s.interval_us for s in plan.cost.stages if s.kind != "aie")
        assert run.interval_us >= 0.9 * slowest, plan.cost
        assert 0 < run.latency_us <= 1.6 * plan.cost.latency_us
        assert all(share <= 1 + 1e-6 for share in run.busy.values())
        windows = [s.window.layer for g in plan.pl if g.frames for s in g.frames.stages]
        lanes = {s.lane.partition(" ")[2] for s in run.slices if s.lane.startswith("pl/")}
        assert set(windows) <= lanes
