"""What the templates of a part with line buffers print of layers that see neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from aieloom.cpp_text import Constant, View, index_bits, joined
from aieloom.emit.kernel.elements import type_of
from aieloom.emit.kernel.tasks import (
    QueueView,
    call_view,
    counters_view,
    tables_of,
)
from aieloom.emit.steps import step_view
from aieloom.pl.line_store import LineStage, LineTasks
from aieloom.pl.lines.memory import FIFO_DEPTH
from aieloom.pl.lines.schedule import SETTLE_CYCLES
from aieloom.pl.lines.shape import Level
from aieloom.pl.steps import BEATS, RESULTS, Passes, PlStep

FUNCTION_DEPTH = 32  # cycles of a function of a value at most (estimate)
_NEXT = counters_view(("round", "kOutHeight"), ("channel", "kSetChannels"), ("beat", "kOutBeats"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BeatView:
    """What lies in a beat, and where it goes: to a fold, passes, a window's line buffer, or a writer's.

    A window's may be `wrapped`: a beat may go on in the next row. A writer's banks may be `skewed`.
    """

    fold: bool = False
    passes: bool = False
    window: bool = False
    wrapped: bool = False
    skewed: bool = False
    by_row: bool = False  # each writer knows where it keeps a row of the image


def _pipeline_depth(functions: Sequence[PlStep], stage: LineStage) -> int:
    """Return more steps than the pipeline is deep of a task that folds a stage's windows, then does functions (estimate)."""
    lines = stage.step.lines
    folds = lines.kernel[0] * lines.kernel[1] * lines.cycles if lines else 0
    return SETTLE_CYCLES + folds + FUNCTION_DEPTH * len(functions)


def line_level(level: Level, beat: BeatView) -> View:
    """Return how beats for the writers are made behind layers that see neighbours."""
    return View(
        result="Line",  # the type of a beat
        make="beat_of_line",  # the function that makes one
        functions=tuple(step_view(s) for s in level.functions),  # of each value
        tables=tables_of(level.functions),
        beat=beat,
    )


def stage_views(
    plan: LineTasks,
    levels: Sequence[Level],
    source: Sequence[Constant],
    asked: Set[str],
    *,
    out: Sequence[str],
    part: str,
) -> tuple[View, ...]:
    """Return the stages in the order of the data.

    The readers stand in the first one's namespace: `source` are their constants, `asked` those of the image that they
    use. `out` are the queues behind the last stage, one for each way; `part` is where all stand.
    """
    found = []
    for number, stage in enumerate(plan.stages):
        behind = plan.stages[number + 1].step.layer if number + 1 < len(plan.stages) else ""
        queues = [f"{part}_to_{behind}[{w}]" for w in range(plan.ways)] if behind else out
        view = _stage(plan, number, levels, behind=behind, queues=queues, part=part)
        if number == 0:
            constants = (*source, *_constants(plan, stage, asked, levels[number + 1]))
            view = view.but(constants=constants, arrival=True)
        found.append(view)
    return tuple(found)


def _stage(
    plan: LineTasks, number: int, levels: Sequence[Level], *, behind: str, queues: Sequence[str], part: str
) -> View:
    """Return stage `number`, which sends to the one called `behind`, or to the writers, by `queues`."""
    stage, level, behind_it = plan.stages[number], levels[number], levels[number + 1]
    layer, passes, tag = stage.step.layer, stage.step.passes is not None, f"{part}_"
    view = step_view(stage.step)
    return View(
        what=f"{layer}: its passes over the channels"
        if passes
        else f"{layer}: what it keeps of what a way brings",
        space=f"{layer}_lines",
        queue=f"{tag}to_{layer}",  # of the beats that it takes
        constants=_constants(plan, stage, frozenset(), behind_it),
        beat=BeatView(
            fold=stage.whole,
            passes=passes,
            window=not stage.whole and not passes and not stage.wraps,
            wrapped=stage.wraps,
        ),
        result="Beat",
        make=f"{layer}_beat",
        functions=tuple(step_view(s) for s in level.functions),
        tables=tables_of(level.functions),
        step=view,
        fold="" if passes else view.fold,  # the struct that folds a window
        ii=stage.take_cycles,
        storage=stage.storage,
        needs=joined((*stage.needs, stage.needs[0])),
        room=joined((*stage.room, stage.room[0])),
        next=_NEXT,
        pipeline=_pipeline_depth(behind_it.functions, stage),  # steps in which its last result has left
        to=f"{behind}_lines::Beat" if behind else "Line",  # the type of beats that it sends
        to_make=f"{behind}_lines::{behind}_beat" if behind else "beat_of_line",  # and what makes them
        ways=()
        if passes
        else tuple(range(len(queues))),  # each of which has a task of its own; () of passes, which are tasks
        queues=(
            QueueView(
                type=f"{part}::{layer}_lines::Beat",
                name=f"{tag}to_{layer}",
                size=f"[{part}::kWays]",
                depth=FIFO_DEPTH,
            ),
            *_between(stage, tag),
        ),
        calls=tuple(_calls(stage, part, queues)),
        arrival=False,  # the readers are here too
    )


def _between(stage: LineStage, tag: str) -> Iterator[QueueView]:
    """Yield the queues between a stage's passes."""
    passes = stage.step.passes
    for queue, made in zip(passes.queues if passes else (), stage.queues, strict=True):
        yield QueueView(
            type="float" if queue.is_float else type_of(stage.step.x),
            name=f"{tag}{made.name}",
            what=made.what,
            depth=made.depth,
            storage=made.storage,
        )


def _calls(stage: LineStage, part: str, out: Sequence[str]) -> Iterator[View]:
    """Yield a stage's tasks: one on each way, or its passes, the last of which sends to `out`."""
    layer, passes = stage.step.layer, stage.step.passes
    name, space = f"{part}_task_{layer}", f"{part}::{layer}_lines::"
    for way, queue in enumerate(() if passes else out):
        yield call_view(f"{name}_{way}", f"{space}window_{way}", [f"{part}_to_{layer}[{way}]", queue])
    ends = {BEATS: f"{part}_to_{layer}[0]", RESULTS: out[0]}
    for task in passes.tasks if passes else ():
        queues = [ends.get(q, f"{part}_{layer}_{q}") for q in (*task.takes, *task.gives)]
        yield call_view(f"{name}_{task.name}", f"{space}{task.name}", queues)


def _constants(plan: LineTasks, stage: LineStage, asked: Set[str], behind: Level) -> tuple[Constant, ...]:
    """Return a stage's constants; `asked` are those of the image that the readers in its namespace use."""
    if stage.step.passes:
        return (*_of_passes(stage, stage.step.passes, behind), *_image(stage, asked))
    common = (
        Constant("kBeat", stage.beat, "neighbouring values that come together"),
        Constant("kOutBeat", stage.out_beat, "neighbouring results that leave together"),
        Constant("kChannels", stage.step.x.shape[0], str(stage.step.x)),
        Constant("kAddressBits", index_bits(stage.depth), f"for {stage.depth} words"),
    )
    asked = asked | ({"kBeats"} if stage.whole else {"kBeats", "kInHeight", "kInWidth"})
    more = () if stage.whole else (*_memory(plan, stage), *_window(stage))
    return (*common, *_image(stage, asked), *more)


def _image(stage: LineStage, asked: Set[str]) -> Iterator[Constant]:
    """Yield the constants of the image that comes that are `asked` for."""
    _, height, width = stage.step.x.shape
    found = (
        Constant("kBeats", sum(stage.bands), "of an image on each way"),
        Constant("kInHeight", height, "of the image that comes"),
        Constant("kInWidth", width, "of the image that comes"),
    )
    return (c for c in found if c.name in asked)


def _of_passes(stage: LineStage, passes: Passes, behind: Level) -> Iterator[Constant]:
    """Yield the constants of a stage's passes; the last one does the functions behind the stage."""
    yield Constant("kBeat", stage.beat, "values that come together")
    yield Constant("kChannels", stage.step.x.shape[0], str(stage.step.x))
    for number, task in enumerate(passes.tasks):
        more = FUNCTION_DEPTH * len(behind.functions) if number + 1 == len(passes.tasks) else 0
        steps = 2 * task.depth + SETTLE_CYCLES + more
        yield Constant(
            f"k{task.name.title()}Depth",
            steps,
            f"more steps than the pipeline of `{task.name}` is deep (estimate)",
        )


def _memory(plan: LineTasks, stage: LineStage) -> tuple[Constant, ...]:
    kept, (_, height, width) = stage.rows // stage.row_banks, stage.step.y.shape
    width_in = stage.step.x.shape[2]
    return (
        Constant("kOutHeight", height, f"rows of the result, {stage.step.y}"),
        Constant("kOutBeats", width // stage.out_beat, f"of a row of {width} results"),
        Constant("kMost", max(stage.room), "beats that may have come since an image's first"),
        Constant("kTurn", stage.turn, "words of a bank from an image's first row to the next one's"),
        Constant("kRowBanks", stage.row_banks, "rows that a window sees lie in different banks"),
        Constant("kBanks", stage.banks, "and so do the columns that a beat's windows see"),
        Constant("kRows", kept, f"rows of a bank: {stage.rows} of the image in all"),
        Constant("kColumns", stage.columns, "words of a bank for a row"),
        Constant("kDepth", stage.depth, f"words of a bank: {plan.channels} x {kept} x {stage.columns}"),
        Constant("kRowBits", index_bits(stage.row_banks), f"for {stage.row_banks} row(s)"),
        Constant("kColumnBits", index_bits(width_in), f"for {width_in} columns")
        if stage.wraps
        else Constant("kBankBits", index_bits(stage.banks), f"for {stage.banks} bank(s)"),
    )


def _window(stage: LineStage) -> tuple[Constant, ...]:
    lines = stage.step.lines
    assert lines is not None
    (top, left), banks = lines.before, (stage.row_banks, stage.banks)
    return (
        Constant("kKernelY", lines.kernel[0], "places that a result sees"),
        Constant("kKernelX", lines.kernel[1], "places that a result sees"),
        Constant("kStrideY", lines.stride[0], "rows from one window to the next"),
        Constant("kStrideX", lines.stride[1], "columns from one window to the next"),
        Constant("kTop", top, "rows above the image that the first windows see"),
        Constant("kLeft", left, "columns left of the image that the first windows see"),
        Constant("kUpY", lines.up[0], "times that each window's result is shown"),
        Constant("kUpX", lines.up[1], "times that each window's result is shown"),
        Constant("kShiftY", -(-top // banks[0]) * banks[0], "keeps rows above the image positive"),
        Constant("kShiftX", -(-left // banks[1]) * banks[1], "keeps columns left of the image positive"),
    )
