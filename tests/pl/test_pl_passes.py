"""A softmax's cycles: three loops over a frame buffer with their pipelines' depths, and tasks that never run empty."""

from __future__ import annotations

import pytest

from aieloom.ops.depths import ADD_DEPTH, DIV_DEPTH, EXP_DEPTH, READ_DEPTH
from aieloom.ops.pooling import SUM_II
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import LineStage
from aieloom.pl.lines.part import reader_cycles
from aieloom.simulation.of_plan import simulate_plan
from tests.designs import plan_of, refusal
from tests.ops.networks import network_yaml

FC = "  - {{name: fc, op: dense, out_features: {}}}"
SHARES = "  - {name: shares, op: softmax}"
FRAME = "mapping: {shares: {strategy: frame}}\n"


def head(classes: int, mapping: str = "") -> str:
    return network_yaml((2, 3, 3), [FC.format(classes), SHARES]) + mapping


def kernel(text: str) -> PlKernel:
    (made,) = (g for g in plan_of(text).pl if g.steps)
    return made


def stage_of(made: PlKernel) -> LineStage:
    assert made.part
    (stage,) = made.part.tasks.stages
    return stage


@pytest.mark.parametrize("classes", [5, 10, 100])
def test_each_loop_over_the_image_buffer_runs_empty(classes: int) -> None:
    made = kernel(head(classes, FRAME))
    assert not made.part
    power = READ_DEPTH + ADD_DEPTH + EXP_DEPTH
    assert made.cycles == 3 * SUM_II * classes + 5 + power + ADD_DEPTH + power + DIV_DEPTH
    assert made.latency_cycles > made.cycles
    assert f"({SUM_II} x {classes} + {power + DIV_DEPTH}) = {made.cycles} cycles" in " ".join(made.why)


@pytest.mark.parametrize("classes", [1, 5, 10, 100, 1000])
def test_the_chain_of_tasks_takes_an_image_in_the_time_of_its_longest(classes: int) -> None:
    made = kernel(head(classes))
    assert made.part
    stage = stage_of(made)
    assert stage.cycles == max(sum(stage.bands), SUM_II * classes)
    assert made.cycles == max(stage.cycles, reader_cycles(made.part.tasks), made.part.tasks.writer_cycles)
    assert stage.step.passes
    assert stage.delay == sum(t.depth for t in stage.step.passes.tasks) + SUM_II * classes
    assert made.latency_cycles > reader_cycles(made.part.tasks) + stage.delay
    said = " ".join(made.why)
    assert f"{stage.cycles} cycles an image in its longest task" in said
    assert f"II={SUM_II}" in said


def test_queues_hold_two_images_and_lie_in_block_ram_when_they_are_long() -> None:
    short, long = stage_of(kernel(head(10))), stage_of(kernel(head(1000)))
    assert [q.depth for q in short.queues] == [52, 32, 32, 52, 32]
    assert {q.storage for q in short.queues} == {"lutram"}
    assert [q.bram36 for q in long.queues] == [2, 0, 0, 2, 0]


def test_the_simulation_has_the_stages_interval_and_delay() -> None:
    """A wide head is its design's slowest stage: images come one sum behind the other."""
    text = network_yaml((40, 1, 1), ["  - {name: pre, op: relu}", SHARES, FC.format(4)]).replace(
        "vck190", "vek280"
    )
    text += "mapping: {pre: {strategy: streaming}}\n"
    made, run = kernel(text), simulate_plan(plan_of(text))
    stage = stage_of(made)
    assert made.cycles == stage.cycles == 40 * SUM_II
    assert run.interval_us == pytest.approx(stage.cycles / made.clock_mhz, rel=0.02)
    assert run.latency_us > stage.delay / made.clock_mhz


def test_the_planner_takes_the_faster_unless_the_user_says() -> None:
    assert kernel(head(5)).part
    assert kernel(head(5)).cycles < kernel(head(5, FRAME)).cycles
    several = network_yaml((3, 4, 4), ["  - {name: c, op: conv2d, out_channels: 3, kernel: 1}", SHARES])
    assert not kernel(several).lines
    inner = network_yaml((2, 3, 3), [FC.format(5), SHARES, "  - {name: last, op: dense, out_features: 3}"])
    assert not kernel(inner).lines


def test_all_channels_come_on_one_way() -> None:
    text = head(8, "mapping: {fc: {tile: [4, 18, 4]}, shares: {strategy: streaming, readers: 2}}\n")
    said = refusal(text)
    assert "[stream-2]" in said
    assert "2 readers, but layer 'shares' takes all channels one after another" in said
    one = kernel(text.replace("readers: 2", "readers: 1")).part
    assert one
    assert (one.tasks.readers, one.tasks.together) == (1, 1)
