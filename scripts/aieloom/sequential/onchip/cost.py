"""What the model says of layers whose tensors stay in the rows' stores.

All rows do the same at the same time, each with its own image. Of a set of tiles the slowest counts of what overlaps, band
after band: the cores' passes, the streams of windows and of sums, elements made, words in and out of the store's two ports. A
set's weights are loaded while those of the set before are used, a layer's first set while the layer before ends. Before
the first block stand a layer's numbers and the first band's load, behind the last one its sums, made and stored: where a
sequencer tells of a layer ahead, it begins while the one before it ends, as far as it does not wait for what that one makes.
Loops take the cycles that the lint of the HLS subset says they reach (reached.py). Nothing of it was measured on a board.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aieloom.errors import CannotFit, Problem
from aieloom.layout.channel_words import LANES
from aieloom.sequential.array import (
    MOVER_MHZ,
    STREAM_WORD,
    TILE_M,
    TILE_N,
    TRIED,
    asked,
    group_words,
    is_sized,
    placed,
    room_of,
)
from aieloom.sequential.cost import ARRAY, BANK, READS, done
from aieloom.sequential.onchip.engine import MEMORY, RowEngine, row_candidates, row_lines
from aieloom.sequential.onchip.split import RowSplit, row_splits, window_rows, window_view
from aieloom.sequential.reached import BRING_ROWS, SEND_BLOCK
from aieloom.sequential.steps import ConvStep, Step, products_of
from aieloom.sequential.vector import Operation, VectorForm
from aieloom.spec.device import Device
from aieloom.spec.network import ANY_SIZE, EngineSpec, Sequencer
from aieloom.strategies.array_gemm.plan import NAME
from aieloom.units.types import Turn, turn

STORE, MAKE, SEND, WEIGHTS, ENDS = (
    "a row's store",
    "sums made to elements",
    "windows sent to the array",
    "weights from the memory banks",
    "begins and ends of layers",
)
NUMBERS_CYCLES = 200  # a layer from the sequencer's memory to all movers, a token back [U]
TAKE_CYCLES = 60  # a layer's numbers, where they lie before the unit that takes them
BURST_CYCLES = 64  # to the first word of a burst from memory [UG1399 latency]
TABLE_CYCLES = 256  # of a sum's tables, made once a layer
FILL_CYCLES = 60  # a band's pipelines, handshakes of a dataflow region [U]
ABOUT = 1.03  # of engines about as fast the one with fewest cores is taken


def row_split(step: ConvStep, engine: RowEngine) -> RowSplit:
    """Return how a product is cut: bands, and tiles that share loads of the input, so that it takes the least time."""

    def total(split: RowSplit) -> float:
        made = _product(step, engine, split)
        return sum(made.us.values()) + made.edges.load / MOVER_MHZ

    return min(row_splits(step, engine), key=total)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edges:
    """How a layer begins and ends, in cycles of the movers."""

    setup: int  # from its numbers until words of x are taken
    load: int  # the first band's words
    whole: bool  # the first band is all of x
    send: int  # the first block's windows to the array
    prepare: int  # until sums are taken, from when those of the layer before are made
    passes: float  # from the first block's windows to its sums
    tail: float  # from the last window that is sent until all is stored

    def begin(self, before: _Edges, *, reads_it: bool) -> float:
        """Return the cycles from the last window of the layer before to the first block; `reads_it`: what that one made."""
        loaded: float = self.setup + self.load
        if reads_it and self.whole:
            loaded = max(loaded, before.tail + min(self.load, TILE_M))
        return max(loaded, before.tail + self.prepare - self.passes) + self.send


@dataclass(frozen=True, slots=True, kw_only=True)
class _Product:
    """The microseconds of a product for one image in every row, by what they go to, but for its begin and its first weights."""

    us: dict[str, float]
    edges: _Edges
    first: float  # in which its first set of weights is loaded
    last: float  # while its last set is used, and the next layer's first one may be loaded


def _product(step: ConvStep, engine: RowEngine, split: RowSplit) -> _Product:
    cycle = 1 / MOVER_MHZ
    window = (
        engine.depth // LANES * TILE_M + engine.mmul[0]
    )  # words that a block's pass sends, what tells included
    drain = TILE_M * TILE_N // 4
    tile_words, left = engine.tile_channels // LANES, group_words(step)
    pixels, groups = step.y.pixels, step.engine_groups
    found = dict.fromkeys((ARRAY, SEND, MAKE, STORE, WEIGHTS, ENDS), 0.0)
    blocks, load = sum(split.blocks), sum(split.seen)
    loads: list[float] = []
    uses: list[float] = []
    for number in range(-(-split.tiles // split.together)):
        tiles = min(split.together, split.tiles - number * split.together)
        words = [min(tile_words, left - (number * split.together + i) * tile_words) for i in range(tiles)]
        made = pixels * sum(words)
        times = {
            ARRAY: tiles * blocks * max(split.passes * engine.pass_us, drain * cycle),
            SEND: tiles * blocks * split.passes * window * cycle,
            MAKE: sum(blocks * max(drain, TILE_M * w + SEND_BLOCK) for w in words) * cycle,
            STORE: max(load + (made if step.sum else 0), made) * cycle,
        }
        slowest = max(times, key=lambda what: times[what])
        found[slowest] += groups * times[slowest]
        found[ENDS] += groups * tiles * len(split.blocks) * FILL_CYCLES * cycle
        loads.append(set_us(engine, split.passes, tiles))
        uses.append(times[slowest])
    last = min(tile_words, left)  # words of a pixel of the last block
    # All channels' numbers come by one port, a word a cycle, a set's before its sums are taken; the first set's: prepare.
    told = (groups * split.tiles - min(split.together, split.tiles)) * engine.tile_channels
    found[ENDS] += told * cycle
    waits = [max(0.0, load - use) for load, use in zip(loads[1:] + loads[:1], uses, strict=True)]
    found[WEIGHTS] += groups * sum(waits) - waits[-1]  # of the last group's last set the next layer tells
    edges = _Edges(
        setup=TAKE_CYCLES
        + split.passes * engine.depth // LANES * engine.parts,  # and where each word of a window lies
        load=split.seen[0],
        whole=len(split.seen) == 1,
        send=window,
        prepare=TAKE_CYCLES
        + (TABLE_CYCLES if step.sum else 0)
        + BURST_CYCLES
        + split.together * engine.tile_channels,
        passes=split.passes * engine.pass_us * MOVER_MHZ,
        tail=engine.pass_us * MOVER_MHZ + drain + TILE_M * last + SEND_BLOCK,
    )
    return _Product(us=found, edges=edges, first=loads[0], last=uses[-1])


def set_us(engine: RowEngine, passes: int, tiles: int) -> float:
    """Return the microseconds in which all columns get the weights of a set of tiles: each its port, and all banks' rates."""
    facts = engine.device.memory
    column = engine.parts * passes * tiles * engine.weight_words * STREAM_WORD
    in_a_bank = -(-engine.columns // len(engine.banks))
    return column * max(1 / (MOVER_MHZ * STREAM_WORD), 1 / facts.read_mb_s, in_a_bank / facts.bank_mb_s)


def row_costs(
    steps: Sequence[Step], forms: Mapping[str, VectorForm], engine: RowEngine, groups: int
) -> Iterator[Turn]:
    """Yield what the layers take one after another for `groups` images of every row; behind the last one follows the first.

    While a layer ends, and while rows fold windows, the next product's first weights are loaded, and the next layer begins:
    where a sequencer tells of it ahead, not where the host program does of one after another.
    """
    made: dict[object, tuple[RowSplit, _Product]] = {}

    def product(step: ConvStep) -> tuple[RowSplit, _Product]:
        alike = (step.window, step.y.shape, step.engine_groups, step.sum is None, step.layer in engine.whole)
        if alike not in made:
            split = row_split(step, engine)
            made[alike] = (split, _product(step, engine, split))
        return made[alike]

    is_told = engine.sequencer == "logic"
    *_, last = (p for p in products_of(steps) if p.layer not in forms)
    used = product(last)[1].last  # while weights may be loaded: in the group of images before
    before, result = _BROUGHT, ""
    for number, step in enumerate(steps):
        if step.layer in forms:
            us, edges = _windows(step, forms[step.layer], engine)
            used += sum(us.values())
            size = 0
        else:
            assert step.product
            split, times = product(step.product)
            edges = times.edges
            us = {**times.us, WEIGHTS: times.us[WEIGHTS] + max(0.0, times.first - (used if is_told else 0.0))}
            used = times.last
            tiles = step.product.engine_groups * split.tiles
            size = tiles * engine.columns * engine.parts * split.passes * engine.weight_words * STREAM_WORD
        if is_told:
            begin = edges.begin(before, reads_it=result in step.inputs)
            begin += edges.tail if number == len(steps) - 1 else 0
        else:
            begin = NUMBERS_CYCLES + edges.begin(_BROUGHT, reads_it=False) + edges.tail
        before, result = edges, step.gives
        us[ENDS] = us.get(ENDS, 0.0) + begin / MOVER_MHZ
        us = {what: groups * value for what, value in us.items() if value}
        yield done(step, MEMORY if step.layer in forms else NAME, us, groups * size)


_BROUGHT = _Edges(setup=0, load=0, whole=True, send=0, prepare=0, passes=0, tail=0)  # an image in the store


def _windows(step: Step, form: VectorForm, engine: RowEngine) -> tuple[dict[str, float], _Edges]:
    """Return the microseconds of a layer that rows fold themselves, for one image in every row, and how it begins and ends."""
    view = window_view(step, form, engine.line_words)
    rows = window_rows(view, engine.line_words)
    bands = -(-view.out[0] // rows)
    words = step.y.pixels * view.groups * view.words
    load = max(view.groups * sum(view.seen(b, rows) for b in range(bands)), words)
    steps = -(-form.taps // engine.parts)
    interval = 1 if form.operation is Operation.MAXIMUM else engine.fold_interval
    fold = words * max(steps, interval) + view.groups * bands * FILL_CYCLES
    weights = view.groups * view.words * (LANES + form.taps) if form.operation is Operation.DEPTHWISE else 0
    edges = _Edges(
        setup=TAKE_CYCLES + (BURST_CYCLES + weights if weights else 0),
        load=view.seen(0, rows),
        whole=bands * view.groups == 1,
        send=0,
        prepare=0,
        passes=0,
        tail=FILL_CYCLES,
    )
    return {FOLD if fold > load else STORE: max(fold, load) / MOVER_MHZ}, edges


FOLD = "windows that rows fold"
BRINGS, GIVES, COPY = (
    "images to rows",
    "results of rows",
    "copy",
)  # what moves between device memory and stores


def copy_cost(
    engine: RowEngine, *, words: int, name: str, groups: int, columns: int = 0, bursts: int = 1, rows: int = 0
) -> Turn:
    """Return what it takes to bring images to the rows' stores, or results back, for `groups` of every row.

    `words` of an image cross a port in so many `bursts`; in all `columns` of it become pixels, a row of `rows` at a time.
    """
    facts, image_bytes = engine.device.memory, words * LANES
    port = image_bytes * max(1 / (MOVER_MHZ * LANES), 1 / facts.read_mb_s)
    port += (bursts * BURST_CYCLES + columns + rows * BRING_ROWS) / MOVER_MHZ
    bank = engine.rows * image_bytes / facts.bank_mb_s
    us = {BANK if bank > port else READS: groups * max(port, bank), ENDS: groups * NUMBERS_CYCLES / MOVER_MHZ}
    return turn(MEMORY, us, name=name, op=COPY, bytes=groups * engine.rows * image_bytes)


def solve_rows(
    device: Device,
    steps: Sequence[Step],
    forms: Mapping[str, VectorForm],
    store_bytes: int,
    whole: frozenset[str],
    *,
    sized: EngineSpec = ANY_SIZE,
    sequencer: Sequencer = "logic",
) -> RowEngine:
    """Return the engine of least modelled time an image.

    Raises:
        CannotFit: the device has room for none.
    """
    products = [p for p in products_of(steps) if p.layer not in forms]
    lines = max(row_lines(s, forms.get(s.layer)) for s in steps)
    found = list(
        row_candidates(
            device,
            products,
            forms,
            store_words=-(-store_bytes // LANES),
            line_words=lines,
            whole=whole,
            sequencer=sequencer,
            room=room_of(device, sized),
        )
    )
    found = [e for e in found if is_sized(e, sized)]

    def total(engine: RowEngine) -> float:
        return sum(cost.total_us for cost in row_costs(steps, forms, engine, 1)) / engine.rows

    totals = {e: total(e) for e in found}
    enough = ABOUT * min(totals.values(), default=0.0)
    for engine in sorted(found, key=lambda e: (max(totals[e], enough), e.cores))[:TRIED]:
        plan = placed(engine)
        if plan:
            alone = replace(engine, gemm=plan, in_one_bank=True)
            return alone if total(alone) <= totals[engine] else replace(engine, gemm=plan)
    text = (
        f"{device.name} has no room for rows with {store_bytes:,} B of an image's tensors each{asked(sized)}"
    )
    raise CannotFit(Problem(rule="sequential-2", text=text, remedy="tensors lie in device memory then"))
