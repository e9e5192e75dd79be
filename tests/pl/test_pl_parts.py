"""Streaming PL kernels: their schedule on a model of their memories, each read and written at most once a cycle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aieloom.errors import CannotFit
from aieloom.flow.opening import open_project
from aieloom.layout.nest import PADDING
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import LinePart
from aieloom.pl.lines.part import reader_cycles
from aieloom.pl.streams import TiledStreams
from aieloom.plan.rules import check
from aieloom.plan.types import ArrayPart
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.device import Device
from aieloom.units.types import logic_use
from tests.designs import ESPCN, ROOT, network_of, plan_of, refusal
from tests.ops.kernels import APART, CHAINS, NEIGHBOURS, STREAMS
from tests.ops.lines import PARTS, PLACES
from tests.pl.streams import FAST, IMAGES, Index, arrivals, sent, way_of


def tiled(text: str) -> list[PlKernel]:
    return [g for g in plan_of(text).pl if g.part and isinstance(g.sink, TiledStreams)]


def after_a_layer(text: str) -> PlKernel:
    """Return the first kernel that reads a layer on the array: one may tile the input before."""
    return next(g for g in tiled(text) if g.steps)


def brought(part: LinePart, way: int) -> Index:
    """Return what reaches the writers on a way."""
    stages = part.tasks.stages
    return sent(stages[-1], part.tasks, way) if stages else arrivals(part, way)


def rows_in_ring(part: LinePart, writer: int) -> Index:
    """Return where each row of the image lies in a writer's ring; -1: it keeps no such row."""
    plan = part.tasks
    return np.array(plan.own_rows[writer] if plan.own_rows else np.arange(part.holds.shape[1]) % plan.rows)


def place(part: LinePart, flat: Index, writer: int) -> tuple[Index, Index, Index]:
    """Return the way's number, bank and address of values that a writer keeps, as the template's `beat_of` computes them."""
    _, height, width = part.holds.shape
    plan = part.tasks
    assert isinstance(part.outlet.streams, TiledStreams)
    step = plan.step
    channel, y, x = flat // (height * width), flat // width % height, flat % width
    across = x // step
    way, share = way_of(plan, channel)
    row = rows_in_ring(part, writer)[y]
    address = (row * plan.channels + share) * plan.columns
    return way, across % plan.banks, address + across // plan.banks * step + x % step


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(g.part, id=g.name, marks=[pytest.mark.slow] if text is FAST else [])
        for text in (*STREAMS, FAST, PLACES, PARTS, CHAINS, APART, NEIGHBOURS)
        for g in tiled(text)
    ],
)
def test_every_word_finds_its_values_and_no_memory_is_used_twice_in_a_cycle(part: LinePart) -> None:
    plan, sink = part.tasks, part.outlet.streams
    assert isinstance(sink, TiledStreams)
    beats = [brought(part, w) for w in range(plan.ways)]
    assert {len(b) for b in beats} == {plan.beats}
    for beat in beats:  # the values of a beat go into different banks
        inside = beat[(beat != PADDING).all(axis=1)]
        _, bank, address = place(part, inside, 0)
        assert (np.sort(bank, axis=1) == bank).all()
        assert all(len(set(row)) == plan.beat for row in bank.tolist())
        assert (address == address[:, :1]).all()
    assert list(plan.needs) == sorted(plan.needs)
    assert list(plan.room) == sorted(plan.room)
    for writer in range(sink.streams) if plan.own_rows else [sink.streams - 1]:
        words = (
            sink.grid.inputs(sink.window)
            .at(stream=writer)
            .flat()
            .reshape(sink.grid.rounds, -1, part.outlet.lanes)
        )
        assert len(words) == len(plan.needs)
        assert plan.needs[-1] == plan.beats, "an image is taken in whole"
        for wanted in words:
            each = wanted.reshape(-1, plan.copies, plan.pixels)
            inside = each != PADDING
            bank = place(part, np.where(inside, each, 0), writer)[1]
            banks = np.where(inside, bank, -1 - np.arange(plan.pixels))  # outside nothing is read
            assert (np.diff(np.sort(banks, axis=2), axis=2) != 0).all()
        for upto in (plan.needs, plan.room):  # whatever comes meanwhile
            check_rounds(part, beats, words, upto, writer)


def check_rounds(
    part: LinePart, beats: list[Index], words: Index, upto: tuple[int, ...], writer: int
) -> None:
    """Send images one after another with `upto` beats taken before each round: every word finds its image's values."""
    plan = part.tasks
    held, taken = np.full((plan.ways, plan.banks, plan.depth), PADDING), 0
    for image in range(IMAGES):
        for wanted, most in zip(words, upto, strict=True):
            while taken < image * plan.beats + most:
                came, number = divmod(taken, plan.beats)
                store(part, [b[number] for b in beats], held, came, writer)
                taken += 1
            inside = wanted != PADDING
            way, bank, address = place(part, wanted[inside], writer)
            found = held[way, bank, (address + image * plan.turn) % plan.depth]
            assert (found == wanted[inside] + image * part.holds.elements).all()


def store(part: LinePart, values: list[Index], held: Index, image: int, writer: int) -> None:
    """Store a beat of each way, values of an image."""
    plan = part.tasks
    for w, beat in enumerate(values):
        flat = beat[beat != PADDING]
        _, height, width = part.holds.shape
        flat = flat[rows_in_ring(part, writer)[flat // width % height] >= 0]
        way, bank, address = place(part, flat, writer)
        assert (way == w).all()
        held[way, bank, (address + image * plan.turn) % plan.depth] = flat + image * part.holds.elements


def test_images_from_memory_come_in_beats_as_long_as_their_rows_allow() -> None:
    """Whatever the words that leave show: neighbours two columns apart, or two pixels of each row of K."""
    for text in (APART, NEIGHBOURS):
        (kernel,) = tiled(text)
        assert kernel.inlets[0].from_memory and kernel.part
        assert kernel.part.tasks.beat == 4, "20 columns, words of 4 floats"
    first, second = tiled(CHAINS)
    assert first.inlets[0].from_memory and not second.inlets[0].from_memory
    for kernel, links in ((first, 3), (second, 2)):
        assert isinstance(kernel.sink, TiledStreams) and kernel.sink.grid.cascade == links
        assert kernel.sink.streams == kernel.sink.grid.groups * links


def test_readers_default_to_the_fewest_that_are_nearly_as_fast_as_any() -> None:
    cycles: dict[int, int] = {}
    for readers in (1, 2, 4):
        kernel = after_a_layer(FAST.replace("readers: 4", f"readers: {readers}"))
        assert kernel.part
        assert kernel.part.tasks.readers == readers
        cycles[readers] = max(reader_cycles(kernel.part.tasks), kernel.part.tasks.writer_cycles)
        assert kernel.cycles == cycles[readers]
    chosen = after_a_layer(FAST.replace(", readers: 4", ""))
    assert chosen.part
    assert cycles[chosen.part.tasks.readers] <= 1.1 * min(cycles.values())
    assert all(cycles[n] > 1.1 * min(cycles.values()) for n in cycles if n < chosen.part.tasks.readers)


def test_line_buffers_hold_rows_and_cost_what_their_memories_take() -> None:
    rows = after_a_layer(FAST.replace("groups: 4", "groups: 2").replace("groups: 16", "groups: 4"))
    assert rows.part
    # Tiles of 4 x 8 pixels read 2 + 2 rows, and 4 more come meanwhile: 8 of the image's 16.
    assert rows.part.tasks.rows == 8
    assert rows.part.tasks.depth == 16 * 8 * 4  # channels of a reader x rows x 16 pixels in 4 banks
    memories = 4 * 4 * 4  # writers x readers x banks, half a block RAM each; a table is read twice a cycle
    assert rows.bram36 == memories // 2 + 4 * 2
    assert (rows.dsp, rows.uram288) == (4 * 4 * 4, 0)


def test_writers_keep_the_rows_that_their_tiles_see_and_no_others(project_plan: ArrayPart) -> None:
    first, second = (g for g in project_plan.pl if g.name in ("pl_tanh1", "pl_tanh2"))
    for kernel in (first, second):  # tiles of one row of 16, which see one more on each side
        assert kernel.part is not None
        rows = kernel.part.tasks.own_rows
        wanted = [
            {y for y in range(16) if any(abs(y - tile) <= 1 for tile in range(w, 16, len(rows)))}
            for w in range(len(rows))
        ]
        assert [{y for y, at in enumerate(r) if at >= 0} for r in rows] == wanted
    taken = logic_use((*project_plan.pl, *project_plan.movers))
    assert taken.bram36 < 0.1 * project_plan.device.logic.bram36, "tables, movers and what goes to memory"
    assert 0 < taken.lutram < taken.lut < 0.4 * project_plan.device.logic.lut


def test_flip_flops_and_luts_that_hold_lines_are_limited(project_plan: ArrayPart) -> None:
    logic = project_plan.device.logic
    little = replace(project_plan, device=with_logic(project_plan, ff=100_000))
    with pytest.raises(CannotFit, match=r"pl-1\].*FF \(estimate\): \d+, at most 100000"):
        check(little, network_of(ESPCN).spec)
    few = replace(project_plan, device=with_logic(project_plan, lut=logic.lut // 5))
    with pytest.raises(CannotFit, match=r"LUT that hold lines"):
        check(few, network_of(ESPCN).spec)


def with_logic(plan: ArrayPart, **figures: int) -> Device:
    return plan.device.model_copy(update={"logic": plan.device.logic.model_copy(update=figures)})


@pytest.fixture(scope="module")
def project_plan(tmp_path_factory: pytest.TempPathFactory) -> ArrayPart:
    """The plan of espcn-fast, whose kernels of 16 and 8 writers feed convolutions of one and of two rows a core."""
    return open_project(ROOT / "projects" / "espcn-fast", build=tmp_path_factory.mktemp("fast")).array


def test_a_streaming_design_outruns_the_frames_of_the_same_tiles() -> None:
    fast = simulate_plan(plan_of(FAST))
    frames = simulate_plan(
        plan_of(FAST.replace("strategy: streaming, readers: 4", "").replace("strategy: streaming", ""))
    )
    assert 10 * fast.interval_us < frames.interval_us
    assert fast.latency_us < frames.latency_us
    plan = plan_of(FAST)
    longest = max(s.interval_us for s in plan.cost.stages)
    assert longest * (1 - 1e-9) <= fast.interval_us < 1.2 * longest  # the stages overlap


def test_the_trace_has_a_lane_for_every_task() -> None:
    lanes = {s.lane for s in simulate_plan(plan_of(FAST)).slices}
    assert {f"pl/pl_tanh1 read {r}" for r in range(4)} | {
        f"pl/pl_tanh1 write {w}" for w in range(16)
    } <= lanes


@pytest.mark.parametrize(
    ("old", "new", "rule", "words"),
    [
        ("readers: 4", "readers: 3", "stream-2", "use one of 1, 2, 4"),
        (
            "{name: tanh1, op: tanh}",
            "{name: tanh1, op: softmax}",
            "stream-1",
            "goes over all channels of a pixel several times, which a streaming kernel does of images of one pixel; "
            "this one has 16x16",
        ),
        (
            "{name: tanh1, op: tanh}",
            "{name: tanh1, op: max_pool, kernel: 9, stride: 1, padding: 4}",
            "stream-1",
            "sees windows of 9x9 = 81 places, and a streaming kernel folds at most 64 in a cycle",
        ),
    ],
)
def test_what_cannot_stream_is_refused(old: str, new: str, rule: str, words: str) -> None:
    text = FAST.replace(old, new)
    if rule == "stream-1":
        text = text.replace("streaming, readers: 4", "streaming")
    said = refusal(text)
    assert f"[{rule}]" in said
    assert words in said


def test_a_reordering_before_a_convolution_is_refused() -> None:
    text = FAST.replace("{name: tanh2, op: tanh}", "{name: tanh2, op: pixel_shuffle, upscale: 1}")
    assert "[stream-1]" in refusal(text)


def test_wide_line_buffers_go_to_ultraram() -> None:
    text = (
        FAST.replace("groups: 16", "groups: 32")
        .replace("[16, 26, 16]", "[64, 26, 4]")
        .replace("readers: 4", "readers: 1")
    )
    kernel = after_a_layer(text.replace("plio: 128}\n  conv3", "plio: 64}\n  conv3"))
    assert kernel.part
    assert kernel.part.tasks.storage == "uram"
    assert kernel.uram288 > 0
    assert replace(kernel).bram36 < 32


def test_streams_out_of_the_array_may_be_narrower() -> None:
    plan = plan_of(FAST.replace("groups: 16, plio: 128", "groups: 32, plio: 128, plio_out: 64"))
    widths = {p.name: p.bits for p in plan.plios}
    assert (widths["conv2_in_31"], widths["conv2_out_127"]) == (128, 64)
    links = {(c.source, c.target): c.bits for c in plan.connections}
    assert links["pl_tanh1_1.out_31", "ai_engine_0.conv2_in_31"] == 128
    assert links["ai_engine_0.conv2_out_127", "pl_tanh2_1.in_127"] == 64
    assert "use plio_out: 64" in refusal(FAST.replace("groups: 16", "groups: 32"))


SKIP = """\
name: skip
target: vck190
weights: weights.pt
input: {name: x, shape: [4, 8, 16]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: early, op: relu}
  - {name: second, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: fork, op: relu}
  - {name: inner, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: beside, op: tanh}
  - {name: last, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: sum, op: add, inputs: [last, fork]}
  - {name: behind, op: conv2d, out_channels: 4, kernel: 1}
  - {name: late, op: relu}
mapping:
"""


@pytest.mark.parametrize("layer", ["early", "late"])
def test_a_streaming_kernel_may_stand_before_a_fork_and_behind_a_join(layer: str) -> None:
    plan = plan_of(f"{SKIP}  {layer}: {{strategy: streaming}}\n")
    assert [g.name for g in plan.pl if g.part and g.steps] == [f"pl_{layer}"]


def test_a_streaming_kernel_beside_a_skip_is_a_part_of_its_way() -> None:
    """The join takes the ways in the order in which the fork gives them: that through the streaming kernel first."""
    written = SKIP.removesuffix("mapping:\n")
    frames, streams = plan_of(written), plan_of(f"{SKIP}  beside: {{strategy: streaming}}\n")
    join, fork = (next(g for g in streams.pl if name in g.name) for name in ("sum", "fork"))
    assert [o.reader for o in fork.outlets] == ["inner", join.name]
    assert [i.producer for i in join.inlets] == ["last", fork.name]
    assert join.read_order == (0, 1)
    before = next(g for g in frames.pl if "sum" in g.name)
    assert before.read_order == (1, 0), "a kernel that takes a whole image first lets the skip go first"
    assert [i.depth for i in join.inlets] == [2, 3], (
        "no image waits in a streaming kernel: one does in layers"
    )
    assert [i.depth for i in before.inlets] == [2, 4]
    turned = tuple(replace(g, read_order=g.read_order[::-1]) for g in streams.pl)
    with pytest.raises(CannotFit, match=r"\[skip-2\] pl_sum: inputs taken before"):
        check(replace(streams, pl=turned), network_of(written).spec)


@pytest.mark.parametrize("layer", ["fork", "sum"])
def test_a_kernel_at_a_fork_or_a_join_streams(layer: str) -> None:
    plan = plan_of(f"{SKIP}  {layer}: {{strategy: streaming}}\n")
    assert [g.name for g in plan.pl if g.lines and g.steps] == [f"pl_{layer}"]
