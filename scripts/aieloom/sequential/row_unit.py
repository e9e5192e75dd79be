"""Layers of whole rows, and the unit in the logic that computes them: layer_norm, affine, softmax; of floats functions too.

A row is a pixel's channels (a token's features), or a head's share of them. The unit goes over each row three times: its sum,
squares and largest element; what of these each element becomes; and its element. All three passes of neighbouring rows overlap,
so that a row takes as many cycles as it has words; one of floats (float_rows.py) makes LANES / `interval` elements a cycle. The
unit also lays out keys and values as the engine reads weights (heads.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES, words_of
from aieloom.layout.expression import index
from aieloom.layout.nest import Layout, Table, axis
from aieloom.network.layers import Layer, Parameters
from aieloom.network.scaled import MOST_ELEMENTS
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops.affine.integer import IntegerAffine
from aieloom.ops.attention.integer import POWERS, counting, shared
from aieloom.ops.layer_norm.integer import IntegerNorm
from aieloom.plan.processor import Function
from aieloom.sequential import float_rows
from aieloom.sequential.engine import DTYPES, Element
from aieloom.sequential.float_rows import FloatRow, float_row
from aieloom.spec.board import Board
from aieloom.spec.types import FLOATS
from aieloom.units.types import LayerStep

NAME = "row_unit"
ROW_MASTERS = 1  # of the network on chip, of a unit: it reads w, then x, and writes y
PORTS = ("x", "w", "y")
HEADER_BYTES = 16  # before what a layer of integers multiplies by: shift or steps, epsilon; of floats a word
RECORD_BYTES = 8  # of a channel: factor and offset
# a square, a normalised value (19 x 17 bits), a factor (19 x 16), a share (23 x 28) [operators.yaml]
LANE_DSP = 8
LANE_LUT = 2_200  # eight subtractions of a quotient of 8 bits, sums, shifts, comparisons [U]
CONTROL_LUT = 16_000  # addresses, ports, a root and a quotient of 32 bits for each row [U]
# rows between the passes, one in 16 bits and one in 32: blocks of 512 x 72 bits for so many words
FIFO_BRAM = 16
POWERS_BRAM = 10  # the table of exponentials, twice for four lanes [U]
SHARE = 3  # of a board's LUTs and DSP slices a unit takes a third at most
# Of a lane of floats: some 25 products and 20 sums of the exponential and a function, at 3 and 2 slices [operators.yaml], and
# their LUTs with a quotient and a function's choices [U].
FLOAT_LANE_DSP = 25 * 3 + 20 * 2
FLOAT_LANE_LUT = 25 * 325 + 20 * 424 + 1_500
FLOAT_ROW_LUT = 6_000  # two quotients and a root for each row [U]
INTERVALS = (
    4,
    8,
    16,
)  # cycles of a word of floats: at 4 it is about what a memory port gives; sums take turns
BRAM_BITS = 36 * 1024


class RowOperation(IntEnum):
    """What the unit does; the numbers of the command list."""

    NORM = 0
    AFFINE = 1
    SHARES = 2  # of a softmax
    LAY_OUT = 3  # heads, as the engine reads weights: what a command of columns asks for
    GELU = 4  # functions of floats
    GELU_TANH = 5
    SILU = 6
    SIGMOID = 7
    TANH = 8


FLOAT_OPERATIONS = {
    "layer_norm": RowOperation.NORM,
    "affine": RowOperation.AFFINE,
    "softmax": RowOperation.SHARES,
    "gelu": RowOperation.GELU,
    "gelu_tanh": RowOperation.GELU_TANH,
    "silu": RowOperation.SILU,
    "sigmoid": RowOperation.SIGMOID,
    "tanh": RowOperation.TANH,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The softmax of attention: heads of `keys` elements, each filled up to whole words."""

    heads: int
    keys: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RowForm:
    """A layer as the unit's numbers."""

    operation: RowOperation
    groups: int  # rows of a pixel
    words: int  # of a row
    valid: int  # elements of a row; the words are filled up
    each: bool = False  # every pixel has factors of its own
    masked: bool = False  # shares of those elements alone whose mask, a row for each image, does not mean 0
    zeros: tuple[int, int] = (0, 0)  # of input and result; of shares of the mask and the result


@dataclass(frozen=True, slots=True, kw_only=True)
class RowStep(LayerStep):
    """A layer on the row unit; `part_of` is the layer whose trained integers it reads."""

    layer: str
    op: str
    x: TensorType
    y: TensorType
    inputs: tuple[str, ...]
    form: RowForm
    detail: IntegerNorm | IntegerAffine | Shares | FloatRow
    part_of: str = field()  # not LayerStep's
    why: tuple[str, ...]
    others: tuple[TensorType, ...] = ()
    unit: ClassVar[str] = NAME
    called: ClassVar[None] = None

    @property
    def words(self) -> int:
        """Words of a row."""
        return self.form.words

    @property
    def table_bytes(self) -> int:
        """Bytes of what it reads beside its input."""
        if isinstance(self.detail, FloatRow):
            scaled = self.form.operation in (RowOperation.NORM, RowOperation.AFFINE)
            return self.head_bytes + (self._records_bytes if scaled else 0)
        if self.form.operation is RowOperation.SHARES:
            return HEADER_BYTES + 4 * POWERS
        return HEADER_BYTES + self._records_bytes

    @property
    def head_bytes(self) -> int:
        """Bytes of a header of floats: a word."""
        return LANES * self.x.dtype.bytes

    @property
    def factor_pixels(self) -> int:
        """Pixels that have factors of their own."""
        return self.y.pixels if self.form.each else 1

    @property
    def _records_bytes(self) -> int:
        return self.factor_pixels * self.form.words * LANES * RECORD_BYTES


def filled(channels: int) -> int:
    """Return channels filled up to whole words."""
    return words_of(channels) * LANES


def row_step(layer: Layer, detail: Any) -> RowStep:
    """Return the step of a layer_norm or affine layer of integers."""
    channels = layer.x.shape[0]
    words = words_of(channels)
    if isinstance(detail, IntegerNorm):
        form = RowForm(
            operation=RowOperation.NORM, groups=1, words=words, valid=channels, zeros=(0, detail.zero)
        )
        why = f"layer_norm: {layer.x.pixels} rows of {channels} elements, integers throughout"
    else:
        assert isinstance(detail, IntegerAffine)
        form = RowForm(
            operation=RowOperation.AFFINE,
            groups=1,
            words=words,
            valid=channels,
            each=detail.each,
            zeros=(detail.zero_x, detail.zero),
        )
        why = f"affine: a factor and an offset for each {'element' if detail.each else 'channel'}"
    return RowStep(
        layer=layer.name,
        op=layer.op,
        x=layer.x,
        y=layer.y,
        inputs=layer.inputs,
        form=form,
        detail=detail,
        part_of=layer.name,
        why=(why,),
    )


def float_row_step(step: Function, layer: Layer, element: Element) -> RowStep | None:
    """Return a layer of floats on the processor as one on the unit, of its elements; None where it has no form."""
    row, dtype = float_row(layer), DTYPES[element]
    if row is None or row.channels > MOST_ELEMENTS or not {layer.x.dtype, layer.y.dtype} <= set(FLOATS):
        return None
    channels = row.channels
    what = (
        f"{layer.x.pixels} rows of {channels} elements"
        if row.op not in float_rows.FUNCTIONS
        else f"{layer.x.elements} elements"
    )
    return RowStep(
        layer=layer.name,
        op=layer.op,
        x=replace(layer.x, dtype=dtype),
        y=replace(layer.y, dtype=dtype),
        inputs=step.inputs,
        form=RowForm(
            operation=FLOAT_OPERATIONS[row.op],
            groups=1,
            words=words_of(channels),
            valid=channels,
            each=row.each,
        ),
        detail=row,
        part_of=layer.name,
        why=(f"{layer.op}: {what}, each operation rounded to float32",),
    )


def shares_step(
    layer: Layer, detail: Shares | FloatRow, scores: TensorType, shares: Quantisation | None, name: str
) -> RowStep:
    """Return the softmax of an attention layer, which reads its scores; `shares` is what integers mean."""
    y = TensorType(scores.shape, scores.dtype, shares, rows=True)
    keys, masks = detail.keys if isinstance(detail, Shares) else detail.channels, layer.xs[3:]
    form = RowForm(
        operation=RowOperation.SHARES,
        groups=detail.heads,
        words=words_of(keys),
        valid=keys,
        masked=bool(masks),
        zeros=(sum(mask.zero for mask in masks), y.zero),
    )
    return RowStep(
        layer=f"{layer.name}_shares",
        op="softmax",
        x=scores,
        y=y,
        inputs=(name, *layer.inputs[3:]),
        form=form,
        detail=detail,
        part_of=layer.name,
        why=(
            f"softmax: {scores.pixels} x {detail.heads} rows of {keys} scores"
            f"{', exponentials of a table' * isinstance(detail, Shares)}",
            *(f"keys whose '{mask}' is 0 have no share" for mask in layer.inputs[3:]),
        ),
        others=layer.others[2:],
    )


def computed_rows(step: RowStep, trained: Parameters, given: Sequence[Values]) -> Values:
    """Return what a step makes of elements `(n, channels, rows, 1)`, of shares beside a mask; what fills words is no share."""
    if isinstance(step.detail, FloatRow):
        with np.errstate(all="ignore"):  # infinities are the model's own
            return float_rows.computed(step.detail, trained, *given)
    if not isinstance(step.detail, Shares):
        return step.detail.of(trained, *given)
    x, *mask = given
    heads, keys = step.detail.heads, step.detail.keys
    scores = x.reshape(len(x), heads, -1, x.shape[2])
    y = np.full(scores.shape, step.form.zeros[1], np.int8)
    y[:, :, :keys] = shared(scores[:, :, :keys], trained, counting(tuple(mask), step.form.zeros[0]))
    return y.reshape(x.shape)


def row_tables(step: RowStep, trained: Parameters) -> Iterator[Table]:
    """Yield what the unit reads beside the input: a header, then a table, or factors and offsets pixel by pixel."""
    records: tuple[Values, ...] = ()
    if isinstance(step.detail, FloatRow):
        header = np.zeros(step.head_bytes // 4, "<f4")
        header[:2] = step.detail.eps, step.detail.factor
        if step.form.operation in (RowOperation.NORM, RowOperation.AFFINE):
            records = float_rows.factors(step.detail, trained)
    elif step.form.operation is RowOperation.SHARES:
        header = np.array([int(trained["steps"][0]), 0, 0, 0], "<i4")
    else:
        epsilon = int(trained["epsilon"][0]) if "epsilon" in trained else 0
        low, high = epsilon & 0xFFFFFFFF, epsilon >> 32
        header = np.array([int(trained["shift"][0]), low - (low >> 31 << 32), high, 0], "<i8").astype("<i4")
        records = trained["factor"], trained["offset"]
    yield Table("table", header)
    if records:
        pixel, channel = index("pixel", step.factor_pixels), index("channel", step.form.words * LANES)
        number, channels = index("number", len(records)), step.x.shape[0]
        sizes = {"number": len(records), "channel": channels, "pixel": step.factor_pixels}
        order = Layout(
            (pixel, channel, number), tuple(axis(i.name, i, sizes[i.name]) for i in (number, channel, pixel))
        )
        values = np.stack([np.reshape(found, (channels, -1)) for found in records]).astype(header.dtype)
        yield Table("table", values, order)
    elif "powers" in trained:
        yield Table("table", np.asarray(trained["powers"], "<i4"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowUnit:
    """The units beside an engine: each has a share of a layer's images."""

    units: int
    most_words: int  # of a row
    held_words: int = 0  # of keys or values of a head; 0 where there is no attention
    most_sums: int = 0  # of these
    element: Element = "int8"
    interval: int = 1  # cycles of a word

    @property
    def masters(self) -> int:
        """Masters of the network on chip."""
        return ROW_MASTERS * self.units

    @property
    def lanes(self) -> int:
        """Elements that one makes a cycle."""
        return LANES // self.interval

    @property
    def word_bytes(self) -> int:
        """Bytes of a word of device memory."""
        return LANES * DTYPES[self.element].bytes

    @property
    def dsp(self) -> int:
        """DSP slices of all."""
        return self.units * self.lanes * (LANE_DSP if self.element == "int8" else FLOAT_LANE_DSP)

    @property
    def lut(self) -> int:
        """LUTs of all."""
        if self.element == "int8":
            return self.units * (LANES * LANE_LUT + CONTROL_LUT)
        return self.units * (self.lanes * FLOAT_LANE_LUT + FLOAT_ROW_LUT + CONTROL_LUT)

    @property
    def bram(self) -> int:
        """Block RAMs of all: rows between passes, factors and offsets, what is laid out as columns."""
        scales = LANES * -(-self.most_words * 8 * RECORD_BYTES // BRAM_BITS)
        held = LANES * 2 * -(-(self.held_words // LANES) * 8 * self.word_bytes // (2 * BRAM_BITS))
        deep = -(-(2 * self.most_words + 64) // 512)  # blocks for the words between two passes
        if self.element != "int8":  # of 16 floats: 8 blocks of 512 x 72 bits
            return self.units * (4 * 8 * deep + scales + held)
        return self.units * (FIFO_BRAM * deep + POWERS_BRAM + scales + held)


def has_room(board: Board, *, integers: bool) -> bool:
    """Tell whether a board's logic has room for a row unit of integers, or of floats."""
    one = RowUnit(units=1, most_words=1)
    return _fits(one, board) if integers else bool(widths(replace(one, element="float32"), board))


def widths(one: RowUnit, board: Board) -> tuple[RowUnit, ...]:
    """Return units of floats that take no more than their share of a board, the widest first."""
    return tuple(u for u in (replace(one, interval=n) for n in INTERVALS) if _fits(u, board))


def _fits(one: RowUnit, board: Board) -> bool:
    """Tell whether a unit takes no more than a SHARE of a board's LUTs and DSP slices."""
    room, _ = board.rooms
    return SHARE * one.lut <= room.lut and SHARE * one.dsp <= room.dsp
