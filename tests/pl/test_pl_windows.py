"""Layers of streaming PL kernels that see neighbours: their line buffers on a model of the memories, and their time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import CannotFit
from aieloom.layout.nest import PADDING
from aieloom.pl.line_store import LinePart, LineStage, LineTasks
from aieloom.simulation.of_plan import simulate_plan
from tests.designs import plan_of
from tests.ops.lines import PARTS, PLACES
from tests.pl.streams import IMAGES, Index, arrivals, channels_of, sent, way_of


def place(stage: LineStage, plan: LineTasks, way: int, flat: Index) -> tuple[Index, Index, Index]:
    """Return the banks (row, column) and the address of values, as `streaming_place_window.j2` computes them."""
    _, height, width = stage.step.x.shape
    channel, y, x = flat // (height * width), flat // width % height, flat % width
    ways, channel = way_of(plan, channel)
    assert (ways == way).all()
    kept = stage.rows // stage.row_banks
    address = (y // stage.row_banks % kept * plan.channels + channel) * stage.columns + x // stage.banks
    return y % stage.row_banks, x % stage.banks, address


def seen(stage: LineStage, plan: LineTasks, way: int, row: int) -> Index:
    """Return `(beats, places)`: the flat index of all that each beat of results of a row sees, by definition.

    PADDING stands for what is outside.
    """
    lines, (channels, height, width) = stage.step.lines, stage.step.x.shape
    assert lines is not None
    ours = [c for c in channels_of(plan, way) if c < channels]
    axes = (range(row, row + 1), ours, range(stage.step.y.shape[2]), *map(range, lines.kernel))
    rows, c, column, dy, dx = np.broadcast_arrays(*np.ix_(*axes))
    y = rows // lines.up[0] * lines.stride[0] - lines.before[0] + dy
    x = column // lines.up[1] * lines.stride[1] - lines.before[1] + dx
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    flat = np.where(inside, (c * height + y) * width + x, PADDING)
    return flat.reshape(-1, stage.out_beat * lines.kernel[0] * lines.kernel[1])


def windows(*texts: str) -> list[tuple[LinePart, str, int, int]]:
    """Return every stage with a line buffer: its part, its kernel's name, its number, a way."""
    return [
        (g.part, g.name, number, r)
        for text in texts
        for g in plan_of(text).pl
        if g.part
        for number, stage in enumerate(g.part.tasks.stages)
        for r in range(g.part.tasks.ways)
        if not stage.whole
    ]


@pytest.mark.parametrize(
    ("part", "number", "way"),
    [pytest.param(p, *at, id=f"{name}-{at[0]}-{at[1]}") for p, name, *at in windows(PLACES, PARTS)],
)
def test_every_window_finds_its_rows_and_no_memory_is_used_twice_in_a_cycle(
    part: LinePart, number: int, way: int
) -> None:
    check_stage(part, number, way)


SIZES, SHORT = st.integers(4, 20), st.integers(1, 4)


@st.composite
def pooled(draw: st.DrawFn) -> str:
    """Return a network with a pool, or a border and upsampling, between two convolutions that are cut at random."""
    channels, height, width = draw(st.integers(1, 14)), draw(SIZES), draw(SIZES)
    ky, kx = (min(draw(SHORT), size) for size in (height, width))
    stride = [draw(st.integers(1, 3)), draw(st.integers(1, 3))]
    sides = [draw(st.integers(0, k - 1)) for k in (ky, kx, ky, kx)]
    op = draw(st.sampled_from(["max_pool", "avg_pool"]))
    seen = f"- {{name: seen, op: {op}, kernel: [{ky}, {kx}], stride: {stride}, padding: {sides}}}"
    if draw(st.booleans()):
        seen = f"- {{name: seen, op: pad, padding: {sides}}}\n  - {{name: up, op: upsample, scale: {stride}}}"
    rows = draw(st.sampled_from([4, 8] if channels > 4 else [4]))
    tile = f"tile: [{rows}, 2, {4 * draw(st.integers(1, min(12, height * width // 8)))}], mmul: [4, 2, 4]"
    return f"""\
name: pooled
target: vck190
weights: w.pt
input: {{name: x, shape: [1, {height}, {width}]}}
layers:
  - {{name: first, op: conv2d, out_channels: {channels}, kernel: 1}}
  {seen}
  - {{name: second, op: conv2d, out_channels: 4, kernel: {draw(st.sampled_from([1, 3]))}, padding: 1}}
mapping:
  first: {{{tile}, groups: {draw(st.integers(1, 2))}, plio: {draw(st.sampled_from([64, 128]))}}}
  seen: {{strategy: streaming}}
"""


@pytest.mark.integration
@given(text=pooled())
@settings(max_examples=12, deadline=None, derandomize=True)
def test_windows_of_any_size_find_their_rows(text: str) -> None:
    check_all(text)


@pytest.mark.slow
@given(text=pooled())
@settings(max_examples=400, deadline=None)
def test_many_windows_find_their_rows(text: str) -> None:
    check_all(text)


def check_all(text: str) -> None:
    try:
        found = windows(text)
    except CannotFit as e:
        assert {p.rule for p in e.problems} <= {"plio-1", "mem-1", "place-1"}, text
        return
    made = [g.part.tasks for g in plan_of(text).pl if g.part]
    assert found or any(stage.whole for s in made for stage in s.stages)
    for part, _, number, way in found:
        check_stage(part, number, way)


def check_stage(part: LinePart, number: int, way: int) -> None:
    plan = part.tasks
    stage = plan.stages[number]
    beats = arrivals(part, way) if number == 0 else sent(plan.stages[number - 1], plan, way)
    assert beats.shape == (sum(stage.bands), stage.beat)
    for beat in beats:
        flat = beat[beat != PADDING]
        row, bank, _ = place(stage, plan, way, flat)
        assert len(set((row * stage.banks + bank).tolist())) == flat.size, "two values for one bank"
    rows = [seen(stage, plan, way, row) for row in range(stage.step.y.shape[1])]
    for wanted in rows:
        for beat in wanted:
            flat = np.unique(beat[beat != PADDING])
            row, bank, _ = place(stage, plan, way, flat)
            assert len(set((row * stage.banks + bank).tolist())) == flat.size, (
                "two places of a bank in a cycle"
            )
    assert len(rows) == len(stage.needs)
    assert stage.needs[-1] == len(beats), "an image is taken in whole"
    assert len(rows) * stage.round_beats == len(sent(stage, plan, way))
    for upto in (stage.needs, stage.room):  # whatever comes meanwhile
        check_rounds(stage, plan, way, beats=beats, rows=rows, upto=upto)


def check_rounds(
    stage: LineStage,
    plan: LineTasks,
    way: int,
    *,
    beats: Index,
    rows: list[Index],
    upto: tuple[int, ...],
) -> None:
    """Send images one after another with `upto` beats taken before each row: every window finds its image's values."""
    held, taken = np.full((stage.row_banks, stage.banks, stage.depth), PADDING), 0
    size = stage.step.x.elements
    for image in range(IMAGES):
        for wanted, most in zip(rows, upto, strict=True):
            while taken < image * len(beats) + most:
                came, number = divmod(taken, len(beats))
                flat = beats[number][beats[number] != PADDING]
                row, bank, address = place(stage, plan, way, flat)
                held[row, bank, (address + came * stage.turn) % stage.depth] = flat + came * size
                taken += 1
            flat = wanted[wanted != PADDING]
            row, bank, address = place(stage, plan, way, flat)
            assert (
                held[row, bank, (address + image * stage.turn) % stage.depth] == flat + image * size
            ).all()


def test_a_pool_streams_faster_than_frames_and_the_simulation_agrees() -> None:
    fast, slow = plan_of(PARTS), plan_of(PARTS.replace("strategy: streaming, readers: 4", "clock_mhz: 260"))
    pools = [next(s for s in p.cost.stages if "pool" in s.name) for p in (fast, slow)]
    assert 4 * pools[0].interval_us < pools[1].interval_us
    run = simulate_plan(fast)
    longest = max(s.interval_us for s in fast.cost.stages)
    assert longest <= run.interval_us < 1.2 * longest  # the stages overlap
    lanes = {s.lane for s in run.slices}
    assert {f"pl/pl_act_pool pool {r}" for r in range(4)} <= lanes
    # An image alone takes its stages' latencies at most, which assume that nothing of a stage overlaps the next.
    alone = simulate_plan(fast, images=1).latency_us
    assert alone <= fast.cost.latency_us


def test_what_the_plan_says_of_a_pool() -> None:
    pool = next(g for g in plan_of(PARTS).pl if "pool" in g.name)
    assert pool.part is not None
    (stage,) = pool.part.tasks.stages
    # Values come in fours, so that 8 results of 16 values must leave in pairs; two windows of 2 columns see 4.
    assert (stage.beat, stage.out_beat) == (4, 2)
    assert (stage.row_banks, stage.banks, stage.columns) == (3, 4, 4)
    # It takes and sends at once, image after image: as long as what comes, or what leaves.
    least = max(sum(stage.bands), len(stage.needs) * stage.round_beats)
    assert least <= stage.cycles <= 1.1 * least
    text = "\n".join(pool.why)
    assert "pool: 4 task(s), 2 result(s) of 3x2 places a cycle each (II=1, for each row and column" in text


def test_folds_of_whole_images_keep_a_value_for_each_channel() -> None:
    last = plan_of(PLACES).pl[-1]
    assert last.part is not None
    (stage,) = last.part.tasks.stages
    assert stage.whole and stage.depth == 4
    assert stage.take_cycles == 4 * 2 + 1, "two float additions one after another, and the fold's way back"
    assert "because a channel's fold must be back before its next value" in "\n".join(last.why)
