"""The engine on the array whose rows of chains each own an image: its tensors lie in the row's store, in UltraRAM.

A row has three kernels. `row_memory` holds the store: it sends the rows of x that a band's windows see, takes what is made, and
sends the other tensor of a sum. `row_load` makes windows of what it is sent, for the row's chains or for a pool or a depthwise
layer that it folds itself. `row_store` makes elements of sums. Weights are read once for as many images as there are rows;
their movers are those of the engine whose tensors lie in device memory, their ports spread over all banks of memory. What
channels need beside weights, and depthwise weights, all rows want alike: `row_tables` reads it once and sends it to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aieloom.layout.channel_words import LANES
from aieloom.sequential.array import (
    DEPTHS,
    MOVER_LUT,
    STREAM_WORD,
    TILE_N,
    URAM_WORDS,
    ArrayEngine,
    group_words,
    masters_of,
    passes_of,
    tap_words,
)
from aieloom.sequential.engine import BRAM_BITS, BRAM_WORDS, FINISH_LUT
from aieloom.sequential.steps import ConvStep, Step
from aieloom.sequential.vector import VectorForm
from aieloom.spec.board import LogicRoom
from aieloom.spec.device import Device
from aieloom.spec.network import Sequencer
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.search import modes

LOAD, STORE, MEMORY, TABLES = "row_load", "row_store", "row_memory", "row_tables"
GRIDS = tuple((x, y, z) for x in (4, 5, 6, 7, 8, 10, 12, 14, 16) for y in (2, 3, 4, 5) for z in (4, 6, 8))
MOST_WHOLE = 1024  # words of inputs times words of outputs of a layer all of whose weights are one set
BAND_PIXELS = 1024  # of a band of the output, at most
LINES = (1024, 1536, 2048, 3072, 4096)  # words of the input that a band sees
CACHES = (1, 2)  # times what one tile's weights want
ROW_WORDS = 64  # of a row of an image of which pixels are made while it is brought
MOST_TAPS = 256  # of a window that a row folds itself
MOST_WORDS = 128  # of a pixel of a depthwise layer
MOST_WEIGHTS = 2048  # words of its weights
LOAD_LUT, STORE_LUT = 6_000, 6_000  # addresses without divisions [U]
TABLES_LUT = 6_000  # a layer's numbers, a memory port, a register for each row [U]
MEMORY_LUT = 6_000  # the store's addresses and ports [U]
SUM_TABLE_LUT = 256  # of a lane: two tables of 256 numbers of 32 bits in LUTs, 64 a LUT [AM005]
FINISH_DSP = 4  # of a lane: 32 x 32 bits of multipliers of 27 x 24 [AM004]
SUM_DSP, SUM_LUT = 4, 700  # the same for a sum behind it, its roundings [U]
FOLD_LUT = 400  # of a lane: comparisons and sums of a cycle's taps [U]
FOLD_INTERVAL = 8  # cycles of a word whose folds are multiplied: averages, of which there are few
DEPTHWISE_INTERVAL = 3  # of a depthwise layer: 9 taps in as many cycles where a chain has 4 cores, 3 cores


@dataclass(frozen=True, kw_only=True)
class RowEngine(ArrayEngine):
    """A grid whose rows of chains own images, for the layers of one network."""

    store_words: int  # of 16 channels: a row's store
    places: int  # words of K of a part, of the deepest layer
    sums: bool  # some product has a sum behind it
    folds: bool  # some layer is a pool
    weighted: bool  # some layer is depthwise
    whole: frozenset[str]  # layers all of whose weights are one set, since they overwrite their input
    in_one_bank: bool = False  # weights lie where images do: one bank carries both as fast as all banks

    @property
    def banks(self) -> tuple[str, ...]:
        """The banks of device memory that its ports are connected to: images and results are in the first."""
        tags = self.device.platform.memory_tags
        return tags[:1] if self.in_one_bank else tags

    @property
    def units(self) -> int:
        """Movers."""
        return 3 * self.rows + self.columns + 1

    @property
    def masters(self) -> int:
        """Masters of the network on chip: one of a row, of a column, of what all rows are told, of what issues layers."""
        return self.rows + self.columns + 1 + (self.sequencer == "logic")

    @property
    def fold_interval(self) -> int:
        """Cycles of a word whose folds are multiplied."""
        return DEPTHWISE_INTERVAL if self.weighted else FOLD_INTERVAL

    @property
    def on_uram(self) -> tuple[bool, bool]:
        """Whether lines and weights lie in UltraRAM: where block RAM ends, weights first."""
        share = self.device.rooms[0].bram36
        if self._lines_bram + self._cache_bram <= share:
            return False, False
        return (False, True) if self._lines_bram <= share else (True, self._cache_bram > share)

    @property
    def _lines_bram(self) -> int:
        return 2 * self.rows * self.parts * _bram(self.line_words)

    @property
    def _cache_bram(self) -> int:
        return 2 * self.columns * self.parts * _bram(self.cache_words)

    @property
    def bram(self) -> int:
        """Block RAMs: two of every mover's memory that lies there, and what depthwise layers are multiplied by."""
        lines, cache = self.on_uram
        weighted = self.rows * (_bram(MOST_WEIGHTS) + LANES * 2) if self.weighted else 0
        others = self.rows * _bram(2 * LANES * TILE_N) if self.sums else 0
        return (0 if lines else self._lines_bram) + (0 if cache else self._cache_bram) + weighted + others

    @property
    def uram(self) -> int:
        """UltraRAM blocks: the stores, and what block RAM has no room for."""
        lines, cache = self.on_uram
        found = self.rows * _uram(self.store_words)
        found += 2 * self.rows * self.parts * _uram(self.line_words) if lines else 0
        return found + (2 * self.columns * self.parts * _uram(self.cache_words) if cache else 0)

    @property
    def dsp(self) -> int:
        """DSP slices: a word of elements or of sums a cycle; of folds every `fold_interval`."""
        lane = FINISH_DSP + (SUM_DSP if self.sums else 0)
        lane += -(-FINISH_DSP // self.fold_interval) if self.folds or self.weighted else 0
        return self.rows * LANES * (lane + (self.parts if self.weighted else 0))

    @property
    def lut(self) -> int:
        """LUTs of the movers."""
        lane = FINISH_LUT["int8"] + (SUM_TABLE_LUT + SUM_LUT if self.sums else 0)
        if self.folds or self.weighted:
            lane += FOLD_LUT + -(-2 * FINISH_LUT["int8"] // self.fold_interval)
        row = LOAD_LUT + STORE_LUT + MEMORY_LUT + LANES * lane
        return self.columns * MOVER_LUT + TABLES_LUT + self.rows * row

    def why(self) -> tuple[str, ...]:
        """Return what it is made of, in words."""
        first, _ = super().why()
        lines, cache = ("UltraRAM" if u else "block RAM" for u in self.on_uram)
        return (
            first,
            f"each row of chains owns an image: {self.store_words * LANES:,} B of UltraRAM for its tensors, which stay there; "
            f"weights are read once for {self.rows} images",
            f"{self.units} movers in the logic: {self.dsp} DSP, {self.lut} LUT, {self.uram} UltraRAM blocks, {self.bram} block "
            f"RAMs (lines in {lines}, weights in {cache}), modelled",
        )


def _bram(words: int) -> int:
    """Return the block RAMs of words of 16 channels."""
    return -(-LANES * 8 // BRAM_BITS) * -(-words // BRAM_WORDS)


def _uram(words: int) -> int:
    """Return the UltraRAM blocks of words of 16 channels: two side by side."""
    return 2 * -(-words // URAM_WORDS)


def fits(engine: RowEngine, room: LogicRoom) -> bool:
    """Tell whether so much of the logic has what the movers take; nothing stands beside."""
    return (
        engine.dsp <= room.dsp
        and engine.bram <= room.bram36
        and engine.uram <= room.uram288
        and engine.lut <= room.lut
        and engine.masters <= masters_of(engine.device)
    )


def row_candidates(
    device: Device,
    products: Sequence[ConvStep],
    forms: Mapping[str, VectorForm],
    *,
    store_words: int,
    line_words: int,
    whole: frozenset[str],
    sequencer: Sequencer,
    room: LogicRoom,
) -> Iterator[RowEngine]:
    """Yield the engines for which there is so much `room`; `line_words`: what one row of the output sees, at most."""
    mode = modes(device, DataType.INT8)
    weighted = any(form.operation.name == "DEPTHWISE" for form in forms.values())
    for grid in GRIDS if mode else ():
        x, y, z = grid
        if x * y * z > device.array.core_rows * device.array.columns:
            continue
        for depth in (d for d in DEPTHS["int8"] if d % mode[0].shape[1] == 0):
            passes = max(passes_of(s, y, depth) for s in products)
            tile = depth * TILE_N // STREAM_WORD
            held = [_set_words(s, grid, depth) for s in products if s.layer in whole]
            found = (
                RowEngine(
                    device=device,
                    element="int8",
                    grid=grid,
                    depth=depth,
                    line_words=lines,
                    cache_words=-(-max(times * passes * tile, *held, 0) // BRAM_WORDS) * BRAM_WORDS,
                    mmul=mode[0].shape,
                    store_words=-(-store_words // URAM_WORDS) * URAM_WORDS,
                    places=1 << (passes * depth // LANES - 1).bit_length(),
                    sums=any(s.sum for s in products),
                    folds=bool(forms),
                    weighted=weighted,
                    whole=whole,
                    sequencer=sequencer,
                )
                for lines in reversed(LINES)
                if lines >= line_words
                for times in reversed(CACHES)
            )
            largest = next(
                (e for e in found if fits(e, room)), None
            )  # more lines and more weights never take longer
            if largest:
                yield largest


def _set_words(step: ConvStep, grid: tuple[int, int, int], depth: int) -> int:
    """Return the words of a part of K of all weights of a layer in a column."""
    tiles = -(-group_words(step) * LANES // (grid[2] * TILE_N))
    return tiles * passes_of(step, grid[1], depth) * depth * TILE_N // STREAM_WORD


def row_lines(step: Step, form: VectorForm | None) -> int:
    """Return the words of the input that a row of a layer's output sees."""
    if form:
        return form.kernel[0] * step.x.shape[2]  # its channels are taken a word at a time where they have to
    assert step.product
    return step.product.window.kernel[0] * step.x.shape[2] * tap_words(step.product)
