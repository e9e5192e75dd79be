"""The three rates of a design: sums made by hand from the device's figures, and what no rate may break."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from aieloom.flow.opening import open_project
from aieloom.pl.kernel import PlKernel
from aieloom.plan import subgraphs
from aieloom.plan.graph import Graph, Piece
from aieloom.plan.rates import BATCH_BYTES, Rates, batch_images, rate_lines
from aieloom.plan.tolerance import golden_tolerance
from aieloom.plan.types import ArrayPart
from aieloom.report.summary import published_lines
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.spec.board import Margin
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from tests.designs import ROOT, SMALL, STREAMED, TWO_COPIES, plan_of
from tests.ops.networks import design_of_yaml, random_yaml
from tests.strategies.chained.designs import bfloat16_plan
from tests.tiles.networks import ESPCN as IN_TILES

THREE = """\
name: three
target: vck190
weights: w.safetensors
input: {{name: x, shape: [4, 1, 1]}}
layers:
  - {{name: first, op: dense, out_features: 4}}
  - {{name: middle, op: dense, out_features: 4}}
  - {{name: last, op: dense, out_features: 2}}
mapping: {{{}: {{engine: ps}}}}
"""


def held_to(plan: ArrayPart, **facts: int) -> Rates:
    """Return a plan's rates on a board whose memory differs."""
    memory = plan.device.memory.model_copy(update=facts)
    return modelled_rates(replace(plan, device=plan.device.model_copy(update={"memory": memory})))


def some_plans() -> list[ArrayPart]:
    return [d.plan for seed in range(40, 52) if (d := design_of_yaml(random_yaml(seed)))]


def test_no_rate_is_above_the_one_before_it() -> None:
    plans = some_plans()
    assert len(plans) > 4
    for plan in plans:
        rates = modelled_rates(plan)
        assert rates.array.interval_us == pytest.approx(simulate_plan(plan).interval_us)
        assert rates.array.interval_us <= rates.memory.interval_us < rates.system.interval_us
        assert all(r.leaves_out and r.bottleneck for r in rates.all)
        assert rates.host.images >= 1
        assert [line.split()[0] for line in rate_lines(rates)][:3] == [
            f"{r.images_per_s:,.0f}" for r in rates.all
        ]


def test_a_batch_has_an_image_for_each_copy_but_of_images_in_tiles_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a buffer has no room for more; the copies of a design share an image's tiles."""
    monkeypatch.setattr("aieloom.plan.rates.BATCH_BYTES", 1)
    tiled = plan_of(IN_TILES.replace("layers:", "copies: 2\nlayers:", 1))
    assert (batch_images(plan_of(SMALL)), batch_images(plan_of(TWO_COPIES)), batch_images(tiled)) == (1, 2, 1)


def test_a_slow_port_or_bank_sets_the_rate_and_is_named() -> None:
    plan = next(
        p for p in some_plans() if len(p.subgraphs) == 1 and p.copies == p.tiles == 1 and not p.processor
    )
    mm2s, s2mm = plan.subgraphs[0].mm2s, plan.subgraphs[0].s2mm
    read = mm2s.words * mm2s.streams * mm2s.bits // 8
    written = s2mm.words * s2mm.streams * s2mm.bits // 8
    slow = held_to(plan, read_mb_s=1)
    assert slow.memory.interval_us == pytest.approx(read) and "port of mm2s" in slow.memory.bottleneck
    slow = held_to(plan, write_mb_s=1)
    assert slow.memory.interval_us == pytest.approx(written) and "port of s2mm" in slow.memory.bottleneck
    slow = held_to(plan, bank_mb_s=1)
    bank = "LPDDR" if read > written else "DDR"  # spread, as one bank would hold the design up
    assert slow.memory.interval_us == pytest.approx(max(read, written))
    assert slow.memory.bottleneck.endswith(f"bank {bank}")
    facts = plan.device.platform.model_copy(update={"memory_tags": ("ONE",)})
    plan = replace(plan, device=plan.device.model_copy(update={"platform": facts}))
    slow = held_to(plan, bank_mb_s=1)
    assert slow.memory.interval_us == pytest.approx(read + written) and "bank ONE" in slow.memory.bottleneck


def test_a_batch_is_as_many_images_as_a_buffer_holds() -> None:
    for plan in some_plans():
        most = max(m.words * m.streams * m.bits // 8 for s in plan.subgraphs for m in (s.mm2s, s.s2mm))
        images = modelled_rates(plan).host.images
        assert images == max(plan.copies, BATCH_BYTES // most)


def test_what_the_processor_takes_longer_for_than_the_device_sets_the_rate() -> None:
    plan = next(p for p in some_plans() if not p.processor)
    processor = plan.device.processor.model_copy(update={"copy_mb_s": 1, "cycles_per_operation": 10_000})
    slow = modelled_rates(replace(plan, device=plan.device.model_copy(update={"processor": processor})))
    assert slow.system.bottleneck == "the host program"
    assert slow.system.interval_us == pytest.approx(
        slow.host.image_us + slow.host.batch_us / slow.host.images
    )


def test_layers_on_the_processor_are_charged_what_crosses_to_the_device_and_back() -> None:
    """Copies of the values at both ends, and for each subgraph but the first two kernel starts and two synchronisations."""
    plans = [plan_of(THREE.format(name)) for name in ("last", "middle")]
    assert [len(p.subgraphs) for p in plans] == [1, 2]
    for plan in plans:
        facts = plan.device.processor
        free = facts.model_copy(update={"copy_mb_s": 1e12, "kernel_start_us": 0, "sync_us": 0})
        bare = replace(plan, device=plan.device.model_copy(update={"processor": free}))
        dear, cheap = modelled_rates(plan), modelled_rates(bare)
        again = (len(plan.subgraphs) - 1) * (2 * plan.copies * facts.kernel_start_us + 2 * facts.sync_us)
        copied = dear.host.copied_bytes / facts.copy_mb_s
        more = dear.memory.interval_us - cheap.memory.interval_us
        assert more == pytest.approx(copied + again / dear.host.images)
        assert simulate_plan(plan).latency_us - simulate_plan(bare).latency_us == pytest.approx(
            copied + again
        )
        assert dear.memory.interval_us < dear.system.interval_us
        assert "the processor's turns" in dear.memory.what


def test_kernels_that_keep_whole_images_start_once_a_run_with_the_graph() -> None:
    """Of each copy; kernels that keep lines run by themselves."""
    for text, starts in ((SMALL, 2), (TWO_COPIES, 4), (STREAMED, 0)):
        plan = plan_of(text)
        facts, host = plan.device.processor, modelled_rates(plan).host
        assert host.run_starts == starts
        assert host.run_us == facts.graph_start_us + starts * facts.kernel_start_us
        assert host.kernel_starts == 2 * plan.copies, "a batch's are its movers"
        assert (f", {starts} kernel starts (" in host.text) == (starts > 0)


def test_the_published_espcn_is_modelled_beside_ours_and_no_other_design_is(tmp_path: Path) -> None:
    plan = open_project(ROOT / "projects" / "espcn", build=tmp_path).array
    lines = "\n".join(published_lines(plan))
    loops = {
        "read": 64 * 256,
        "tanh": 64 * 256,
        "im2col": 576 * 256,
        "write": 576 * 256,
    }  # of what stands before conv2
    rate = 260e6 / (sum(3 * (n + 20) for n in (64 * 256, 576 * 256)))  # 20: the depth of a loop
    assert f"{rate:,.0f} images/s modelled, 518 measured" in lines
    assert all(f"{name} {trips + 20:,}" in lines for name, trips in loops.items())
    slow = max((g for g in plan.pl), key=lambda g: g.cycles / g.clock_mhz)
    assert f"{slow.name}, which" in lines and f"{slow.cycles:,} cycles" in lines
    assert not list(published_lines(open_project(ROOT / "projects" / "espcn-fast", build=tmp_path).array))


@pytest.mark.parametrize(
    ("project", "least", "most"), [("jet", 0, 0), ("mnist", 2 * 2**-8, 8 * 2**-8), ("espcn", 2e-5, 1e-4)]
)
def test_hardware_is_held_to_bits_of_integers_and_to_steps_of_floats(
    project: str, least: float, most: float, tmp_path: Path
) -> None:
    plan = open_project(ROOT / "projects" / project, build=tmp_path).array
    assert least <= golden_tolerance(plan) <= most


def test_a_network_whose_tiling_would_hold_the_device_up_is_tiled_by_logic(tmp_path: Path) -> None:
    for project, by_logic in (("espcn-fast", True), ("espcn", False), ("mnist", True), ("mnist_wide", True)):
        plan = open_project(ROOT / "projects" / project, build=tmp_path).array
        (subgraph,) = plan.subgraphs
        assert (subgraph.fed is None) == by_logic
        assert modelled_rates(plan).host.share < 0.1
        if by_logic:
            assert subgraph.mm2s.image_bytes == plan.x.bytes


def test_logic_tiles_only_where_its_kernels_and_movers_have_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two subgraphs have two movers each; they are so large here that a block RAM of a kernel's is a small part of all."""
    told, real = list[bool](), subgraphs._tiled_by_logic

    def asked(
        spec: NetworkSpec, device: Device, graphs: Sequence[Graph], *, slowest_us: float
    ) -> list[PlKernel] | None:
        def held_by(bram36: float) -> list[PlKernel] | None:
            whole = (Margin(from_mhz=0, lut=1, memory=1, dsp=1),)
            logic = device.logic.model_copy(update={"bram36": bram36, "uram288": 0, "margins": whole})
            return real(spec, device.model_copy(update={"logic": logic}), graphs, slowest_us=np.inf)

        need = sum(g.bram36 for g in held_by(10**6) or ()) + 4 * 200
        told.extend(held_by(n) is not None for n in (need, need - 1))
        return real(spec, device, graphs, slowest_us=slowest_us)

    monkeypatch.setattr(subgraphs, "_tiled_by_logic", asked)
    monkeypatch.setattr(subgraphs, "MOVER_BRAM36", 200)
    text = THREE.format("middle").replace("[4, 1, 1]", "[64, 1, 1]")
    assert len(plan_of(text).subgraphs) == 2
    assert told == [True, False]


def test_a_layer_on_cores_holds_an_image_up_by_two_of_its_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A join takes what came by the array later than what came beside it: by an input and an output buffer of each group."""
    graphs, real = list[Graph](), subgraphs._graph

    def made(pieces: Sequence[Piece], movers: tuple[str, str], *, tiled: bool) -> Graph:
        graphs.append(real(pieces, movers, tiled=tiled))
        return graphs[-1]

    monkeypatch.setattr(subgraphs, "_graph", made)
    second = next(la for la in plan_of(STREAMED).aie if la.name == "second")
    (join,) = (k for k, kernel in enumerate(graphs[0].kernels) if kernel.ins == ("second", "pool"))
    by_array, beside = (graphs[0].delays[join, port] for port in (0, 1))
    assert by_array - beside == Fraction(2, second.grid.rounds)


def test_an_image_that_a_stream_carries_as_it_is_is_copied() -> None:
    """A chain's dense layer takes its inputs in their order: nothing to tile; a convolution's border there is."""
    dense = """\
name: plain
target: vek280
weights: w.safetensors
input: {name: x, shape: [32, 1, 1]}
layers:
  - {name: first, op: dense, out_features: 16}
  - {name: second, op: dense, out_features: 8}
mapping:
  first: {strategy: chained}
  second: {strategy: chained}
"""
    (subgraph,) = bfloat16_plan(dense).subgraphs
    assert subgraph.fed and subgraph.host_im2col is None
    streams = subgraph.fed
    assert (streams.grid.inputs(streams.window).flat() == np.arange(32)).all()
    host = modelled_rates(bfloat16_plan(dense)).host
    assert (host.moved_elements, host.copied_bytes) == (0, 2 * (32 + 8))
    wide = dense.replace("[32, 1, 1]", "[4, 6, 6]").replace(
        "first, op: dense, out_features: 16", "first, op: conv2d, out_channels: 8, kernel: 3, padding: 1"
    )
    (subgraph,) = bfloat16_plan(wide).subgraphs
    assert not subgraph.plain
