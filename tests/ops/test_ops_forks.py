"""Streaming PL kernels at forks and joins: alone, whole systems with bounded queues, and where no bank is used twice."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import AieloomError
from aieloom.layout.nest import PADDING
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import FORK, MERGE, LinePart
from aieloom.pl.lines.banks import Access, Banks, skewed
from aieloom.pl.streams import TiledStreams, by_row
from aieloom.plan.types import ArrayPart
from aieloom.simulation.events import Simulation, Tokens
from aieloom.simulation.of_lines import LineKernel
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.quantize import QuantizeSpec
from tests.designs import plan_of
from tests.ops.kernels import check
from tests.ops.networks import design_of_yaml, network_yaml
from tests.ops.residual import RESIDUAL
from tests.ops.streamed import BRANCHES, all_streaming, asks, random_streaming
from tests.ops.system import check as check_system
from tests.quantize.kernels import BFLOAT16, INT16, integer_design

STREAMED = all_streaming(BRANCHES)
# Lanes of direct convolutions to lanes of others, into rows, and from rows: at a fork, a join, before a pool.
LANES = """\
name: lanes
target: {target}
weights: w.safetensors
input: {{name: x, shape: [3, 8, 16]}}
layers:
  - {{name: c1, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: c2, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: sum, op: add, inputs: [c2, c1]}}
  - {{name: c3, op: conv2d, out_channels: 8, kernel: 3, stride: 2, padding: 1}}
  - {{name: c4, op: conv2d, out_channels: 8, kernel: 1, stride: 2, inputs: [sum]}}
  - {{name: both, op: add, inputs: [c3, c4]}}
  - {{name: pool, op: max_pool, kernel: 2}}
  - {{name: c5, op: conv2d, out_channels: 4, kernel: 1}}
mapping:
  c1: {{strategy: direct, pl: streaming}}
  c2: {{strategy: direct}}
  sum: {{strategy: streaming}}
  c3: {{strategy: direct}}
  both: {{strategy: streaming}}
"""


def around_rows(plan: ArrayPart) -> list[PlKernel]:
    return [g for g in plan.pl if g.lines and not g.part]


def test_forks_and_joins_stream() -> None:
    plan = plan_of(STREAMED)
    assert [g.name for g in plan.pl if not g.lines] == []
    found = {g.name: (len(g.inlets), len(g.outlets)) for g in around_rows(plan)}
    assert found == {
        "pl_c0_to_c1_and_a1": (1, 2), "pl_a1_r1_p1": (2, 3), "pl_c2_to_all_and_u1": (1, 2), "pl_t3": (1, 2),
        "pl_all": (3, 1), "pl_a2_m2": (2, 1), "pl_d1_mean": (2, 1),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_every_queue_at_a_join_or_a_fork_holds_an_image(seed: int) -> None:
    text = random_streaming(seed)
    assert text is not None
    plan = plan_of(text)
    for kernel in around_rows(plan):
        assert kernel.lines is not None
        moves = {m.kind: m for m in kernel.lines.moves}
        queues = {q.name: q for q in kernel.lines.images}
        before = [queues.pop(name) for name in moves[MERGE].takes] if kernel.join else []
        behind = [queues.pop(name) for name in moves[FORK].gives] if len(kernel.outlets) > 1 else []
        assert queues == {}
        assert len(before) == (len(kernel.inlets) if kernel.join else 0)
        assert len(behind) == (len(kernel.outlets) if len(kernel.outlets) > 1 else 0)
        for inlet, queue in zip(kernel.inlets, before, strict=False):
            assert queue.depth >= queue.images * by_row(inlet.x).words and queue.images == inlet.depth
        assert all(q.depth >= by_row(kernel.y).words for q in behind)
        assert kernel.bram36 >= sum(q.bram36 for q in kernel.lines.images)
    run = simulate_plan(plan)
    assert all(a < b for a, b in pairwise(run.ends_us))


def test_a_skip_with_image_buffers_beside_it_keeps_their_images() -> None:
    """Between fork and join lie a softmax's two frame buffers: as many images wait at the join."""
    rows = [
        "  - {name: c, op: conv2d, out_channels: 2, kernel: 1}",
        "  - {name: soft, op: softmax}",
        "  - {name: sum, op: add, inputs: [soft, c]}",
    ]
    plan = plan_of(
        network_yaml((2, 4, 4), rows) + "mapping:\n  c: {pl: streaming}\n  sum: {strategy: streaming}\n"
    )
    join = next(g for g in plan.pl if g.join)
    assert [i.depth for i in join.inlets] == [1, 3]


@pytest.mark.integration
def test_kernels_at_forks_and_joins_give_the_references_bits(tmp_path: Path) -> None:
    check([STREAMED], tmp_path)


@pytest.mark.integration
def test_lanes_at_forks_and_joins_give_the_references_elements(tmp_path: Path) -> None:
    check([LANES.format(target="vck190")], tmp_path, lambda text: integer_design(text, QuantizeSpec()))


@pytest.mark.slow
def test_kernels_at_forks_and_joins_give_the_references_elements(tmp_path: Path) -> None:
    kinds = {
        STREAMED: QuantizeSpec(),
        all_streaming(RESIDUAL).replace("name: random", "name: wide"): INT16,
        STREAMED.replace("vck190", "vek280"): BFLOAT16,
        LANES.format(target="vek280").replace("name: lanes", "name: brains"): BFLOAT16,
    }
    check(list(kinds), tmp_path, lambda text: integer_design(text, kinds[text]))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 120, 30))
def test_many_branches_give_the_references_bits(first: int, tmp_path: Path) -> None:
    texts = [random_streaming(seed) for seed in range(first, first + 30)]
    check([t for t in texts if t], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("spec", [QuantizeSpec(), INT16, BFLOAT16], ids=["int8", "int16", "bfloat16"])
def test_many_branches_give_the_references_elements(spec: QuantizeSpec, tmp_path: Path) -> None:
    board = "vek280" if spec is BFLOAT16 else "vck190"
    texts = [
        text.replace("vck190", board)
        for seed in range(300, 320)
        if (text := random_streaming(seed)) and " op: sub" not in text and " op: mul" not in text
    ]
    check(texts, tmp_path, lambda text: integer_design(text, spec))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400, 412))
def test_systems_some_of_whose_kernels_stream_run_to_the_bit(seed: int, tmp_path: Path) -> None:
    """Queues as deep as their pragmas say; forks and joins with frame buffers beside streaming ones."""
    text = random_streaming(seed, share=(0.4, 0.7, 1.0)[seed % 3])
    if text is None:
        pytest.skip("the device has no room for this one")
    check_system(tmp_path, text, 4)


@pytest.mark.slow
def test_a_residual_network_streams_to_the_bit(tmp_path: Path) -> None:
    check_system(tmp_path, all_streaming(RESIDUAL), 5)


@pytest.mark.slow
def test_a_queue_that_holds_too_little_is_a_deadlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longer way takes a whole image before it gives anything: the emulator holds queues to their pragmas."""
    from aieloom.emit import project  # noqa: PLC0415 - patched below

    rows = [
        "  - {name: c, op: conv2d, out_channels: 2, kernel: 1}",
        "  - {name: soft, op: softmax}",
        "  - {name: sum, op: add, inputs: [soft, c]}",
    ]
    text = (
        network_yaml((1, 128, 128), rows) + "mapping:\n  c: {pl: streaming}\n  sum: {strategy: streaming}\n"
    )
    check_system(tmp_path, text, 3)
    whole = project.render

    shortened: list[int] = []

    def short(*given: object, **named: object) -> dict[str, str]:
        files = dict(whole(*given, **named))  # type: ignore[arg-type]
        for name, source in files.items():
            if isinstance(source, str) and name.startswith("src/pl/"):
                files[name], queues = re.subn(
                    r"(Row<\d+>, )\d+(> (?:joining|forked)_\d)", r"\g<1>8\2", source
                )
                shortened.append(queues)
        return files

    monkeypatch.setattr(project, "render", short)
    with pytest.raises(AieloomError, match=r"deadlock|wait"):
        check_system(tmp_path, text, 3)
    assert sum(shortened) == 4, "two queues of the fork and two of the join"


@given(
    width=st.integers(2, 48),
    written=st.sampled_from([1, 2, 4, 8]),
    read=st.sampled_from([2, 4, 8, 16]),
    stride=st.integers(1, 3),
)
@settings(max_examples=80, deadline=None)
def test_skewed_banks_serve_rows_and_lanes(width: int, written: int, read: int, stride: int) -> None:
    apart = -(-width // read) * stride
    row = Access.neighbours(written, width)
    lanes = Access.lanes(read, apart, read, range(-2, apart + 2))
    found = skewed(width, row, lanes)
    if found is None:
        return
    for access in (row, lanes):
        for first in access.firsts:
            columns = [x for i in range(access.count) if 0 <= (x := first + i * access.apart) < width]
            assert len({found.of(x) for x in columns}) == len(columns)
    places = {
        (found.of(x), x // found.step // found.banks * found.step + x % found.step) for x in range(width)
    }
    assert len(places) == width, "no two columns share a place"


def test_banks_that_do_not_serve_are_told() -> None:
    assert not Banks(4, 4, 0).serves(Access.neighbours(2, 16), 16)
    assert Banks(4, 4, 1).serves(Access.neighbours(2, 16), 16)


def _skewed_parts(plan: ArrayPart) -> list[LinePart]:
    parts = [p for g in plan.pl if g.lines for p in g.lines.parts]
    return [p for p in parts if p.tasks.skew is not None]


@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_words_of_lanes_read_every_bank_once(target: str) -> None:
    plan = integer_design(LANES.format(target=target), QuantizeSpec()).plan
    found = _skewed_parts(plan)
    ends = [tuple(isinstance(e.streams, TiledStreams) for e in (p.inlet, p.outlet)) for p in found]
    assert any(sink for _, sink in ends) and (True, False) in ends
    for part in found:
        made = part.tasks
        assert made.skew is not None
        width, sink = part.holds.shape[2], part.outlet.streams
        banks = Banks(made.banks, made.step, made.skew)
        flat = np.arange(part.y.elements)
        if isinstance(sink, TiledStreams):
            flat = sink.grid.inputs(sink.window).at(stream=0).flat()
        for word in flat.reshape(-1, made.copies, made.pixels).reshape(-1, made.pixels).tolist():
            columns = [banks.of(place % width) for place in word if place != PADDING]
            assert len(columns) == len(set(columns))


def test_queues_of_a_simulation_hold_the_rows_of_their_images() -> None:
    """Of images of 8 rows 8, of two 16, of images of 4 rows 4; of a short queue two."""
    rooms = dict[str, int]()

    def tokens(name: str, count: int = 0) -> Tokens:
        if name.startswith("room"):
            rooms[name.removeprefix("room for a row of ")] = count
        return Tokens(name, count)

    for kernel in around_rows(plan_of(LANES.format(target="vck190"))):
        assert kernel.lines is not None
        LineKernel(
            sim=Simulation(), images=1, kernel=kernel, store=kernel.lines, tokens=tokens,
            start_part=lambda *_: None,
            ports={**{i.port: None for i in kernel.inlets}, **{o.port: None for o in kernel.outlets}},
        ).start()  # fmt: skip
    assert rooms == {
        "joined of pl_c1_to_c2_and_sum": 2, "forked_0 of pl_c1_to_c2_and_sum": 8, "forked_1 of pl_c1_to_c2_and_sum": 8,
        "joining_0 of pl_sum": 8, "joining_1 of pl_sum": 16, "joined of pl_sum": 2,
        "forked_0 of pl_sum": 8, "forked_1 of pl_sum": 8,
        "joining_0 of pl_both_pool": 4, "joining_1 of pl_both_pool": 4, "joined of pl_both_pool": 2,
    }  # fmt: skip


def test_a_kernel_without_a_layer_streams_where_the_layer_before_asks() -> None:
    rows = [f"  - {{name: c{i}, op: conv2d, out_channels: 4, kernel: 3, padding: 1}}" for i in range(2)]
    text = network_yaml((2, 6, 6), rows)
    plan = plan_of(text + "mapping:\n  c0: {pl: streaming}\n")
    assert [(g.name, g.lines is not None) for g in plan.pl if g.name != "pl_input_to_c0"] == [
        ("pl_c0_to_c1", True),
        ("pl_c1_to_output", False),
    ]
    assert asks(plan_of(text)) == "mapping:\n  c0: {pl: streaming}\n  c1: {pl: streaming}\n"
    assert design_of_yaml(text) is not None
