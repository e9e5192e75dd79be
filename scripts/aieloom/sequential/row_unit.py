"""Layers of whole rows in integers, and the unit in the logic that computes them: layer_norm, affine, the softmax of attention.

A row is a pixel's channels (a token's features), or a head's share of them. The unit goes over each row three times: its sum,
squares and largest element; what of these each element becomes; and its element. All three passes of neighbouring rows overlap,
so that a row takes as many cycles as it has words. It also lays out keys and values as the array reads weights (columns.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.affine.integer import IntegerAffine
from aieloom.ops.attention.integer import POWERS, IntegerAttention, counting, shared
from aieloom.ops.layer_norm.integer import IntegerNorm
from aieloom.ops.registry import REGISTRY
from aieloom.sequential.engine import LANES, words_of
from aieloom.spec.board import Board

NAME = "row_unit"
PORTS = ("x", "w", "y")
HEADER_BYTES = 16  # before what a layer multiplies by: shift or steps, epsilon
RECORD_BYTES = 8  # of a channel: factor and offset
LANE_DSP = (
    8  # a square, a normalised value (19 x 17 bits), a factor (19 x 16), a share (23 x 28) [operators.yaml]
)
LANE_LUT = 2_200  # eight subtractions of a quotient of 8 bits, sums, shifts, comparisons [U]
CONTROL_LUT = 16_000  # addresses, ports, a root and a quotient of 32 bits for each row [U]
FIFO_BRAM = (
    26  # rows between the passes, once in 16 bits, and the table of exponentials, twice for four lanes [U]
)
SHARE = 3  # of a board's LUTs and DSP slices a unit takes a third at most
WORD_BITS = 8 * LANES
BRAM_BITS = 36 * 1024


class RowOperation(IntEnum):
    """What the unit does; the numbers of the command list."""

    NORM = 0
    AFFINE = 1
    SHARES = 2  # of a softmax


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
class RowStep:
    """A layer on the row unit; `part_of` is the layer whose trained integers it reads."""

    layer: str
    op: str
    x: TensorType
    y: TensorType
    inputs: tuple[str, ...]
    form: RowForm
    detail: IntegerNorm | IntegerAffine | Shares
    part_of: str
    why: tuple[str, ...]
    others: tuple[TensorType, ...] = ()

    @property
    def table_bytes(self) -> int:
        """Bytes of what it reads beside its input."""
        if self.form.operation is RowOperation.SHARES:
            return HEADER_BYTES + 4 * POWERS
        pixels = self.y.pixels if self.form.each else 1
        return HEADER_BYTES + pixels * self.form.words * LANES * RECORD_BYTES


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


def shares_step(layer: Layer, detail: IntegerAttention, scores: TensorType, name: str) -> RowStep:
    """Return the softmax of an attention layer, which reads its scores."""
    form = RowForm(
        operation=RowOperation.SHARES,
        groups=detail.heads,
        words=words_of(detail.keys),
        valid=detail.keys,
        masked=detail.zero_mask is not None,
        zeros=(detail.zero_mask or 0, detail.shares.zero_point),
    )
    y = TensorType(scores.shape, scores.dtype, detail.shares, rows=True)
    return RowStep(
        layer=f"{layer.name}_shares",
        op="softmax",
        x=scores,
        y=y,
        inputs=(name, *layer.inputs[3:]),
        form=form,
        detail=Shares(heads=detail.heads, keys=detail.keys),
        part_of=layer.name,
        why=(
            f"softmax: {detail.rows} x {detail.heads} rows of {detail.keys} scores, exponentials of a table",
            *(f"keys whose '{mask}' is 0 have no share" for mask in layer.inputs[3:]),
        ),
        others=layer.others[2:],
    )


def computed_rows(step: RowStep, trained: Parameters, given: Sequence[Values]) -> Values:
    """Return what a step makes of elements `(n, channels, rows, 1)`, of shares beside a mask; what fills words is no share."""
    if not isinstance(step.detail, Shares):
        operator: Any = REGISTRY[step.op]
        found: Values = operator.in_turn(step.detail, trained, tuple(given))
        return found
    x, *mask = given
    heads, keys = step.detail.heads, step.detail.keys
    scores = x.reshape(len(x), heads, -1, x.shape[2])
    y = np.full(scores.shape, step.form.zeros[1], np.int8)
    y[:, :, :keys] = shared(scores[:, :, :keys], trained, counting(tuple(mask), step.form.zeros[0]))
    return y.reshape(x.shape)


def packed_rows(step: RowStep, trained: Parameters) -> bytes:
    """Return what the unit reads beside the input: a header, then a table, or factors and offsets pixel by pixel."""
    if step.form.operation is RowOperation.SHARES:
        header = np.array([int(trained["steps"][0]), 0, 0, 0], "<i4")
        return header.tobytes() + np.asarray(trained["powers"], "<i4").tobytes()
    epsilon = int(trained["epsilon"][0]) if "epsilon" in trained else 0
    low, high = epsilon & 0xFFFFFFFF, epsilon >> 32
    header = np.array([int(trained["shift"][0]), low - (low >> 31 << 32), high, 0], "<i8").astype("<i4")
    channels = step.x.shape[0]
    pixels = step.y.pixels if step.form.each else 1
    records = np.zeros((pixels, step.form.words * LANES, 2), "<i4")
    for i, name in enumerate(("factor", "offset")):
        records[:, :channels, i] = np.asarray(trained[name]).reshape(channels, pixels).T
    return header.tobytes() + records.tobytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowUnit:
    """The units beside an engine: each has a share of a layer's images."""

    units: int
    most_words: int  # of a row
    held_words: int  # of keys or values of a head; 0 where there is no attention
    most_sums: int  # of these

    @property
    def dsp(self) -> int:
        """DSP slices of all."""
        return self.units * LANES * LANE_DSP

    @property
    def lut(self) -> int:
        """LUTs of all."""
        return self.units * (LANES * LANE_LUT + CONTROL_LUT)

    @property
    def bram(self) -> int:
        """Block RAMs of all: rows between passes, factors and offsets, what is laid out as columns."""
        scales = LANES * -(-self.most_words * 8 * RECORD_BYTES // BRAM_BITS)
        held = LANES * 2 * -(-(self.held_words // LANES) * WORD_BITS // (2 * BRAM_BITS))
        return self.units * (FIFO_BRAM + scales + held)


def has_room(board: Board) -> bool:
    """Tell whether a board's logic has room for a row unit: it takes no more than a SHARE of its LUTs and DSP slices."""
    logic = board.logic
    one = RowUnit(units=1, most_words=1, held_words=0, most_sums=0)
    return SHARE * one.lut <= logic.usable_fraction * logic.lut and SHARE * one.dsp <= logic.dsp
