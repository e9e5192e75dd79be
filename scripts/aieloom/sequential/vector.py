"""Layers that the vector unit computes: sums of two tensors, pools, functions by table, bounds; and their registers.

The unit stands in the logic beside the convolution engine. It reads words of LANES channels, one or two tensors at a time,
folds the taps of a window where there is one, and makes LANES / `interval` elements a cycle.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from aieloom.layout.channel_words import LANES
from aieloom.ops.integer_pairs import ExactSum, IntegerSum
from aieloom.ops.pad import Border
from aieloom.ops.piecewise import Bounds
from aieloom.ops.pooling import ExactPool, Pool
from aieloom.pl.steps import REORDER, ElementTable
from aieloom.plan.processor import Function
from aieloom.reference.forward import forward
from aieloom.sequential.engine import DTYPES, FINISH_DSP, FINISH_LUT, Element
from aieloom.spec.board import Board

NAME = "vector_unit"
PORTS = ("a", "b", "table", "y")
UNIT_MASTERS = 2  # of the network on chip, of a unit: what reads a writes y, what reads b has read the table
SHARE = 4  # the unit takes a quarter of a board's DSP slices and LUTs at most
CONTROL_LUT = 8_000  # addresses, registers, ports [U]
BLOCK_WORDS = 128  # words of a pixel whose folds are kept at a time: LUTs as memory
LANE_DSP: dict[Element, int] = {
    "int8": 12,
    "float32": 2,
    "bfloat16": 2,
}  # of a lane: three products of 32 bits (ops/add); a sum (operators.yaml)
LANE_LUT: dict[Element, int] = {
    "int8": 2_500,
    "float32": 2_000,
    "bfloat16": 2_100,
}  # of a lane: scalings, a quotient, comparisons, its folds [U]
# Until a sum in a memory can be added to again: it is read, gets one more (operators.yaml), and is written.
APART: dict[Element, int] = {"int8": 4, "float32": 10, "bfloat16": 10}
MEAN_DSP = FINISH_DSP["int8"]  # of a lane of int8 that adds nothing: one product, a mean's
LARGEST_TABLE = 256
MOST_WEIGHTS = 2048  # words of a depthwise layer's weights
# Of a lane: a product, and what makes an element of a sum; of floats a product and a sum (operators.yaml).
WEIGHTED_DSP: dict[Element, int] = {"int8": 1 + FINISH_DSP["int8"], "float32": 5, "bfloat16": 5}
WEIGHTED_LUT: dict[Element, int] = {"int8": FINISH_LUT["int8"], "float32": 750, "bfloat16": 750}
# Weights: 4 x 2, 8 or 4 of 512 x 72 bits; channels: 96 bits for each lane, of floats 32.
WEIGHTED_BRAM: dict[Element, int] = {"int8": 40, "float32": 48, "bfloat16": 32}


class Operation(IntEnum):
    """What the unit does; the numbers of the command list."""

    ADD = 0  # two tensors, place by place
    MAXIMUM = 1  # of a window
    AVERAGE = 2  # of a window: its sum by its count
    MEAN = 3  # of a window: its sum above the zero point times a multiplier (ONNX's integers)
    TABLE = 4  # a function of an int8 element
    BOUNDS = 5  # float32 values between two bounds
    DEPTHWISE = 6  # a convolution in which every channel sees itself alone


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorForm:
    """A layer as the unit's registers."""

    operation: Operation
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)  # above and to the left
    counts_padding: bool = True  # in an average's divisor
    zeros: tuple[int, int, int] = (0, 0, 0)  # of both inputs and the result
    multipliers: tuple[int, int, int] = (0, 0, 0)
    shifts: tuple[int, int, int] = (0, 0, 0)
    low: int = 0  # of float32 the bits of the number
    high: int = 0
    table: tuple[int, ...] = ()

    @property
    def taps(self) -> int:
        """Places of the input of an element of the result."""
        return self.kernel[0] * self.kernel[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorUnit:
    """The unit of a board: a word every `interval` cycles."""

    element: Element
    interval: int
    units: int = 1  # side by side: each has a share of a layer's images
    adds: bool = True  # some layer is an addition
    weighted: bool = False  # it has weights for depthwise layers

    @property
    def lanes(self) -> int:
        """Elements that one makes a cycle."""
        return LANES // self.interval

    @property
    def dsp(self) -> int:
        """DSP slices of all."""
        lane = LANE_DSP[self.element] if self.adds else MEAN_DSP
        return self.units * self.lanes * (lane + self.weighted * WEIGHTED_DSP[self.element])

    @property
    def lut(self) -> int:
        """LUTs of all."""
        lane = LANE_LUT[self.element] + self.weighted * WEIGHTED_LUT[self.element]
        return self.units * (self.lanes * lane + CONTROL_LUT)

    @property
    def bram(self) -> int:
        """Block RAMs of all: weights, and what channels need beside them."""
        return self.units * self.weighted * WEIGHTED_BRAM[self.element]

    @property
    def masters(self) -> int:
        """Masters of the network on chip."""
        return self.units * UNIT_MASTERS

    @property
    def apart(self) -> int:
        """Turns from a word's tap to its next one."""
        return -(-APART[self.element] // self.interval)

    def turns(self, words: int, taps: int) -> int:
        """Turns of a pixel's words: one each, but that no tap has less than `apart`."""
        if taps == 1:
            return words
        whole, rest = divmod(words, BLOCK_WORDS)
        return taps * (whole * BLOCK_WORDS + (max(rest, self.apart) if rest else 0))


def vector_units(board: Board, element: Element) -> tuple[VectorUnit, ...]:
    """Return the units that take no more than their share of a board's logic, the widest first; one lane is always there."""
    room, _ = board.rooms
    units = (VectorUnit(element=element, interval=interval) for interval in (1, 2, 4, 8, LANES))
    return tuple(
        unit
        for unit in units
        if unit.interval == LANES or (SHARE * unit.dsp <= room.dsp and SHARE * unit.lut <= room.lut)
    )


def vector_unit(board: Board, element: Element) -> VectorUnit:
    """Return the widest of them."""
    return vector_units(board, element)[0]


def vector_form(step: Function, element: Element) -> VectorForm | None:
    """Return what the unit is told of a layer; None of one that it cannot compute."""
    dtype = DTYPES[element]
    if any(t.dtype is not dtype for t in (step.x, *step.others, step.y)):
        return None
    return _of_integers(step.op, step.detail) if element == "int8" else _of_floats(step.op, step.detail)


def _of_integers(op: str, detail: object) -> VectorForm | None:
    if isinstance(detail, IntegerSum) and detail.sign == "+":
        return VectorForm(
            operation=Operation.ADD,
            zeros=(detail.zero_a, detail.zero_b, detail.zero),
            multipliers=(detail.a.multiplier, detail.b.multiplier, detail.y.multiplier),
            shifts=(detail.a.shift, detail.b.shift, detail.y.shift),
            low=detail.low,
            high=detail.high,
        )
    if isinstance(detail, ExactSum):
        return VectorForm(
            operation=Operation.ADD,
            zeros=(detail.zero_a, detail.zero_b, detail.zero),
            multipliers=(detail.a, detail.b, 0),
            shifts=(0, 0, detail.shift),
            low=detail.low,
            high=detail.high,
        )
    if isinstance(detail, ElementTable):
        return VectorForm(operation=Operation.TABLE, table=detail.values)
    if isinstance(detail, ExactPool):
        return _window(
            detail,
            Operation.MEAN,
            zeros=(detail.zero, 0, detail.zero_y),
            multipliers=(detail.multiplier, 0, 0),
            shifts=(0, 0, detail.shift),
        )
    if type(detail) is Pool:  # a FloatPool is ONNX's average in float32: the processor's
        kind = Operation.MAXIMUM if op == "max_pool" else Operation.AVERAGE
        return _window(detail, kind, zeros=(detail.zero, 0, 0))
    return None


def moved_form(step: Function, element: Element) -> VectorForm | None:
    """Return what the unit is told of a layer that moves elements: a border, or every so manyth pixel; None of another.

    It is an average of single places, with what lies outside around them; of floats they pass unbounded, with 0 around them.
    """
    if (step.x.dtype, step.y.dtype) != (DTYPES[element],) * 2:
        return None
    moves = VectorForm(operation=Operation.AVERAGE) if element == "int8" else PASSED
    if isinstance(step.detail, Border):
        value = step.detail.value
        if moves is PASSED and value != 0:
            return None
        padding = (step.detail.top, step.detail.left)
        return replace(moves, padding=padding, zeros=(int(value), 0, 0))
    stride = _picked(step)
    return replace(moves, stride=(stride, 1)) if stride else None


def _picked(step: Function) -> int | None:
    """Return the pixels from one that a layer picks to the next, where it picks from the first on; None of another layer."""
    if step.kind != REORDER or step.op != "rearrange" or step.x.shape[0] != step.y.shape[0]:
        return None
    if step.x.shape[2] != 1 or step.y.shape[2] != 1 or step.y.pixels >= step.x.pixels:
        return None
    places = np.broadcast_to(np.arange(step.x.pixels).reshape(1, 1, -1, 1), (1, *step.x.shape))
    whole = np.arange(step.x.elements).reshape(1, *step.x.shape)
    found = forward(step, {}, whole)[0, :, :, 0]
    pixels = forward(step, {}, places)[0, 0, :, 0]
    stride = int(pixels[1]) if len(pixels) > 1 else step.x.pixels
    if stride <= 0 or not np.array_equal(found, whole[0, :, : stride * len(pixels) : stride, 0]):
        return None
    return stride


def _of_floats(op: str, detail: object) -> VectorForm | None:
    if op == "add":
        return VectorForm(
            operation=Operation.ADD, low=float_bits(float("-inf")), high=float_bits(float("inf"))
        )
    if op in ("max_pool", "avg_pool", "global_avg_pool"):
        assert isinstance(detail, Pool)
        return _window(detail, Operation.MAXIMUM if op == "max_pool" else Operation.AVERAGE)
    if op == "relu":
        return VectorForm(operation=Operation.BOUNDS, low=float_bits(0.0), high=float_bits(float("inf")))
    if isinstance(detail, Bounds):
        low = float("-inf") if detail.low is None else detail.low
        high = float("inf") if detail.high is None else detail.high
        return VectorForm(operation=Operation.BOUNDS, low=float_bits(low), high=float_bits(high))
    return None


def _window(pool: Pool, operation: Operation, **registers: Any) -> VectorForm:
    return VectorForm(
        operation=operation,
        kernel=(pool.kernel_y, pool.kernel_x),
        stride=(pool.stride_y, pool.stride_x),
        padding=(pool.top, pool.left),
        counts_padding=pool.count_padding,
        **registers,
    )


def float_bits(value: float) -> int:
    """Return the bits of a float32 as an integer with a sign."""
    (bits,) = struct.unpack("<i", struct.pack("<f", value))
    return int(bits)


def word_bytes(element: Element) -> int:
    """Return the bytes of a word of device memory."""
    return LANES * DTYPES[element].bytes


PASSED = VectorForm(operation=Operation.BOUNDS, low=float_bits(float("-inf")), high=float_bits(float("inf")))
