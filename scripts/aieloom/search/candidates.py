"""What one layer on AI Engines could be: every tile, mmul, number of groups, buffers and stream width, with what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context

import numpy as np
from pydantic import ValidationError

from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.plan.build import cut
from aieloom.plan.gemm import IllegalTile
from aieloom.plan.operators import ProductOperator
from aieloom.plan.product import ProductCut
from aieloom.plan.route import interface_capacity
from aieloom.plan.strategy import own_keys
from aieloom.plan.types import ArrayPart
from aieloom.progress import at
from aieloom.search.figures import METRICS, Figures, Surroundings, present, with_weights
from aieloom.search.front import pareto
from aieloom.search.scope import Choice, Said
from aieloom.spec.types import Buffers
from aieloom.strategies import cut_of

# Prime factors of the numbers of pieces that are tried, level by level; () on the last but one: powers of two, then of four.
_FACTORS: tuple[tuple[int, ...] | None, ...] = (None, (3, 5), (3,), (), ())
LEVELS = len(_FACTORS)
_MODES = (99, 99, 4, 2, 2)  # ways to multiply, the best first
_LARGEST = 1 << 24


@cache
def pieces(level: int) -> frozenset[int] | None:
    """Return the numbers of pieces that a level tries; None when it tries all."""
    factors = _FACTORS[level]
    if factors is None:
        return None
    step = 4 if level == LEVELS - 1 else 2
    return frozenset(n * f for n in _powers(step) for f in (1, *factors))


def _powers(step: int) -> Iterator[int]:
    n = 1
    while n <= _LARGEST:
        yield n
        n *= step


def tries(level: int, count: int) -> bool:
    """Tell whether a level cuts a dimension into so many pieces."""
    known = pieces(level)
    return known is None or count in known


def modes(level: int) -> int:
    """Return how many ways to multiply a level tries."""
    return _MODES[level]


# Bits of streams that take the least logic before a layer: frame buffers have a copy for each value of a word.
NARROW = 32
COMBINATIONS = 10  # of groups, buffers and widths that a tiling has, about
PART = 400  # tilings that one process evaluates at a time
SERIAL = 2000  # fewer tilings than this are evaluated here: starting processes would take longer


@dataclass(frozen=True, kw_only=True)
class Space:
    """What is tried. An empty tuple of mmuls means all."""

    plio: tuple[int, ...] = (32, 64, 128)
    buffers: tuple[Buffers, ...] = (Buffers.PING_PONG, Buffers.SINGLE)
    mmul: tuple[Shape, ...] = ()
    keep: tuple[str, ...] = ()  # layers that stay as they are
    strategies: tuple[str, ...] = field(
        default_factory=own_keys
    )  # those with no mmul only when all mmuls are tried
    narrow_out: bool = True  # with 128-bit streams into the array also 64-bit ones out of it
    said: Mapping[str, Said] = field(default_factory=dict)  # by layer: keys that stay as they are
    most: int | None = None  # candidates of a layer, about; None: all there are
    rows: int | None = None  # of a direct convolution's tile by aie::mmul at most; None: as many as fit
    whole_rows: bool = (
        False  # of few cuts those with one row or another round number of them, however many pieces
    )

    @property
    def widths(self) -> tuple[tuple[int, int | None], ...]:
        """Widths of the streams into the array, and out of it where they differ."""
        narrow = self.narrow_out and {64, 128} <= set(self.plio)
        return (*((bits, None) for bits in self.plio), *([(128, 64)] if narrow else []))


@dataclass(frozen=True, kw_only=True)
class LayerFront:
    """The candidates of a layer that no other one of their strategy beats, with their figures, and how many were looked at."""

    name: str
    choices: tuple[Choice, ...]
    figures: Figures  # one row for each choice
    evaluated: int
    too_large: int  # do not fit into a kernel's memories

    def only(self, wanted: Sequence[bool]) -> LayerFront:
        """Return the front of the choices that are wanted; all of them, where none is."""
        kept = [i for i, w in enumerate(wanted) if w] or range(len(self.choices))
        return replace(self, choices=tuple(self.choices[i] for i in kept), figures=self.figures[list(kept)])


@dataclass(frozen=True, kw_only=True)
class Job:
    """A layer's candidates with one mmul: what one process evaluates at a time."""

    name: str
    gemm: ProductCut
    mode: MmulMode
    around: Surroundings
    space: Space
    level: int = 0  # of thinning
    few: tuple[tuple[Shape, int], ...] | None = None  # the tiles that are left of it

    @property
    def said(self) -> Said:
        """What stays as it is."""
        return self.space.said.get(self.name, {})

    @property
    def widths(self) -> tuple[tuple[int, int | None], ...]:
        """Widths of the streams that are tried."""
        if "plio" not in self.said:
            return self.space.widths
        return ((self.said["plio"], self.said.get("plio_out")),)

    @property
    def buffers(self) -> tuple[Buffers, ...]:
        """Buffers that are tried."""
        return (self.said["buffers"],) if "buffers" in self.said else self.space.buffers

    def cuts(self) -> Iterator[tuple[Shape, int]]:
        """Yield the tiles that are tried, each with its chain's length."""
        said = self.said
        if self.few is not None:
            yield from self.few
        else:
            chains = not (self.around.streamed or self.gemm.streamed)
            for tile, cascade in self.gemm.cuts(self.mode, chains=chains):
                if cascade == said.get("cascade", cascade) and not self._is_tall(tile):
                    yield tile, cascade

    def _is_tall(self, tile: Shape) -> bool:
        """Tell whether a direct convolution's tile has more rows than are tried."""
        rows = self.space.rows
        return rows is not None and self.gemm.tall and tile[2] > rows * self.gemm.window.out_width

    def thinned(self, level: int, cuts: Sequence[tuple[Shape, int]]) -> Job:
        """Return the job with those of its `cuts` that a level tries."""
        m, _, n = self.gemm.size
        few = tuple(
            (tile, cascade)
            for tile, cascade in cuts
            if tries(level, -(-m // tile[0]))
            and (tries(level, -(-n // tile[2])) or self._of_rows(level, tile))
        )
        return replace(self, level=level, few=few)

    def _of_rows(self, level: int, tile: Shape) -> bool:
        """Tell whether a level tries a tile because of the rows that it has."""
        rows, rest = divmod(tile[2], self.gemm.window.out_width)
        return self.space.whole_rows and not rest and tries(level, rows)

    def groups(self, tiles: int, most: int) -> Iterator[int]:
        """Yield the numbers of groups that are tried."""
        if "groups" in self.said:
            count = self.said["groups"]
            return iter([count] if count <= min(tiles, most) else [])
        return _group_counts(tiles, most, self.level)


@dataclass(slots=True)
class Found:
    """Candidates of a layer while they are collected."""

    choices: list[Choice] = field(default_factory=list)
    rows: list[tuple[float, ...]] = field(default_factory=list)
    evaluated: int = 0
    too_large: int = 0

    def add(self, other: Found) -> None:
        """Take in what another one found."""
        self.choices += other.choices
        self.rows += other.rows
        self.evaluated += other.evaluated
        self.too_large += other.too_large

    def figures(self) -> Figures:
        """Return the rows as an array."""
        return np.array(self.rows, dtype=np.float64).reshape(-1, len(METRICS))

    def thin(self) -> None:
        """Keep what no other candidate of its strategy beats."""
        figures = self.figures()
        of: dict[str, list[int]] = {}
        for i, c in enumerate(self.choices):
            of.setdefault(c.strategy, []).append(i)
        kept = sorted(rows[i] for rows in of.values() for i in pareto(figures[rows]))
        self.choices = [self.choices[i] for i in kept]
        self.rows = [self.rows[i] for i in kept]


Evaluator = Callable[[Sequence[Job]], Iterable[Found]]  # gives each job's result, in the order of the jobs


def layer_fronts(
    network: Network,
    plan: ArrayPart,
    operators: Operators,
    space: Space,
    *,
    workers: int | Evaluator = 1,
) -> Iterator[LayerFront]:
    """Yield each layer's candidates that no other one beats, in the order of the layers.

    A layer that is to stay as it is, or whose operator has no tilings to offer, has one candidate. `workers` are processes of
    this machine, or what evaluates elsewhere.
    """
    tile = cut(network, operators).network  # the layers' sizes are a tile's where images are cut
    jobs = [
        part
        for la in plan.aie
        for job in _jobs(tile, plan, la.name, operators, space)
        for part in _parts(job)
    ]
    found = {la.name: Found() for la in plan.aie}
    left = {la.name: sum(job.name == la.name for job in jobs) for la in plan.aie}
    waiting = [la.name for la in plan.aie]
    for job, part in _run(jobs, workers):
        found[job.name].add(part)
        left[job.name] -= 1
        at(f"{job.name}, {found[job.name].evaluated:,} cuts")
        while waiting and not left[waiting[0]]:
            yield _front(plan, waiting.pop(0), found)
    while waiting:
        yield _front(plan, waiting.pop(0), found)


def _parts(job: Job) -> Iterator[Job]:
    """Yield a job in parts of about the same size, so that many can work on it; together they find the same."""
    cuts = tuple(job.cuts())
    for first in range(0, len(cuts), PART):
        yield replace(job, few=cuts[first : first + PART])


def _run(jobs: Sequence[Job], workers: int | Evaluator) -> Iterator[tuple[Job, Found]]:
    """Yield every job's result in the order of the jobs, whoever did it."""
    if not isinstance(workers, int):
        yield from zip(jobs, workers(jobs), strict=True)
        return
    size = sum(1 for job in jobs for _ in job.cuts())
    if workers < 2 or len(jobs) < 2 or size < SERIAL:
        yield from ((job, evaluate(job)) for job in jobs)
        return
    # Processes start afresh, not as copies: the caller may have threads.
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=get_context("spawn")) as pool:
        yield from zip(jobs, pool.map(evaluate, jobs), strict=True)


def _front(plan: ArrayPart, name: str, parts: Mapping[str, Found]) -> LayerFront:
    found = parts[name]
    if not found.rows:
        choice, row = present(plan, next(la for la in plan.aie if la.name == name))
        found.choices, found.rows, found.evaluated = [choice], [row], 1
    found.thin()
    return LayerFront(
        name=name,
        choices=tuple(found.choices),
        figures=found.figures(),
        evaluated=found.evaluated,
        too_large=found.too_large,
    )


def _jobs(network: Network, plan: ArrayPart, name: str, operators: Operators, space: Space) -> Iterator[Job]:
    at = next(la for la in network.layers if la.name == name)
    operator = operators[at.op]
    if name in space.keep or not isinstance(operator, ProductOperator):
        return
    around = Surroundings.of(plan, next(la for la in plan.aie if la.name == name))
    said = space.said.get(name, {})
    mmul = (said["mmul"],) if "mmul" in said else space.mmul
    for strategy in space.strategies:
        if strategy != said.get("strategy", strategy):
            continue
        jobs = [
            Job(name=name, gemm=gemm, mode=mode, around=around, space=space)
            for gemm, mode in modes_of(network, plan, operator, at, strategy)
            if not mmul or (gemm.by_mmul and mode.shape in mmul)
        ]
        yield from jobs if space.most is None else _thinned(jobs, space.most // len(space.strategies))


def _thinned(jobs: Sequence[Job], most: int) -> Sequence[Job]:
    """Return the jobs, of the best ways to multiply, at the finest level with about so many candidates, or at the coarsest."""
    cuts = [tuple(job.cuts()) for job in jobs]
    thin: list[Job] = []
    for level in range(LEVELS):
        thin = [job.thinned(level, c) for job, c in zip(jobs[: modes(level)], cuts, strict=False)]
        if COMBINATIONS * sum(len(job.few or ()) for job in thin) <= most:
            break
    return thin


def modes_of(
    network: Network, plan: ArrayPart, operator: ProductOperator, at: Layer, strategy: str
) -> Iterator[tuple[ProductCut, MmulMode]]:
    """Yield a layer's ways to multiply by a strategy; none where the layer has it not."""
    try:
        written = network.spec.mapping[at.name]
        kept = {"weights": written.weights} if hasattr(written, "weights") else {}
        everything_open = type(written).model_validate({"strategy": strategy, **kept})
        gemm = cut_of(operator.product(network.spec, plan.device, at, everything_open))
        yield from ((gemm, mode) for mode in gemm.modes())
    except (ValidationError, IllegalTile):
        return


def evaluate(job: Job) -> Found:
    """Evaluate every candidate of a job; return those that no other one of them beats."""
    found, gemm, mode = Found(), job.gemm, job.mode
    device = job.around.device
    cores = device.array.cores
    most = min(cores, interface_capacity(device, is_input=False))
    mmul, strategy = mode.shape if gemm.by_mmul else None, gemm.key
    for tile, cascade in job.cuts():
        whole = gemm.grid(mode, tile, 1, cascade)
        fits = {b: gemm.kept(whole, b) for b in job.buffers}
        kernel = gemm.cycles(mode, whole) if any(fits.values()) else 0
        calls = {b: kernel + gemm.conflicts(mode, whole, b, m) for b, m in fits.items() if m}
        widths = [w for w in job.widths if not gemm.odd_words(tile, w[0])]
        chain = cascade if cascade > 1 else None
        for groups in job.groups(whole.rounds, min(most // whole.parts, cores // whole.cores)):
            grid = gemm.grid(mode, tile, groups, cascade)
            sides = [(w, job.around.sides(grid, *w)) for w in widths]
            for buffers, memory in fits.items():
                if memory is None or grid.cores * memory.memories > cores:
                    found.too_large += len(widths)
                    continue
                for (bits, out), side in sides:
                    found.choices.append(Choice(tile, mmul, groups, buffers, bits, out, strategy, chain))
                    row = job.around.figures(grid, buffers, side, calls[buffers], memory.memories)
                    found.rows.append(with_weights(row, grid.parts) if gemm.streamed else row)
                    found.evaluated += 1
    found.thin()
    return found


def _group_counts(tiles: int, most: int, level: int = 0) -> Iterator[int]:
    """Yield the numbers of groups that need fewer rounds than any smaller number does, as many as the level tries."""
    counts = dict.fromkeys(-(-tiles // rounds) for rounds in range(1, tiles + 1) if tries(level, rounds))
    return (count for count in counts if count <= most)
