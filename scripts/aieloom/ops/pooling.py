"""Pools: each output is a fold over a window of its channel, on programmable logic; what max and average share.

The window's taps are visited row by row, left to right. A tap outside the image is minus infinity to a maximum; to
an average it is 0, and counts in the divisor unless `count_include_pad: false`. An average starts at 0, adds tap
after tap in float32, each sum rounded, and divides once: the reference does the same operations in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Generic, TypeVar

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.operator import Reach, Span
from aieloom.network.quantisation import float_multiplier_of, float_quotient, to_even
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import TINY, UNIT, Form, OnLogic, PlMapping
from aieloom.pl.steps import Lines, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.quantize import Scales
from aieloom.spec.types import Sides, Spatial, SpatialPadding, pair, sides_of

MAX_II = 2  # cycles of a float comparison and selection that depend on the last (estimate)
FURTHEST = 2.0**16  # between the scales of an average's elements: sums times the quotient are below 2^63
UNSIGNED = 128  # from elements with a sign to those without
FLOAT_DSP, FLOAT_LUT = 7, 2600  # of a float32 product, two sums and two quotients (estimates)
MEAN_DSP = 4  # of a product of 64 bits (estimate)
SUM_II = 4  # cycles of a float addition that depends on the last (estimate)


class PoolSpec(LayerSpec):
    """A window that moves over each channel."""

    kernel: Spatial = Field(description="the window: one number, or [vertical, horizontal]")
    stride: Spatial | None = Field(
        default=None, description="one number, or [vertical, horizontal]; the kernel when left out"
    )
    padding: SpatialPadding | Sides = Field(
        default=0, description="around the input: one number, [y, x], or [top, left, bottom, right]"
    )

    @property
    def steps(self) -> tuple[int, int]:
        """The stride, [vertical, horizontal]."""
        return pair(self.kernel if self.stride is None else self.stride)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What the templates print: sizes of the input, the output and the window."""

    channels: int
    height: int
    width: int
    out_height: int
    out_width: int
    kernel_y: int
    kernel_x: int
    stride_y: int
    stride_x: int
    top: int
    left: int
    count_padding: bool
    ii: int
    count: int  # an average's divisor where all windows have the same; 0 where they do not
    reciprocal: float | None  # of the count where it is a power of two: a product by it is the quotient
    zero: int = 0  # of integers: the element that lies outside the image

    def taps(self) -> Iterator[tuple[int, int]]:
        """Yield (dy, dx) of each tap in the order in which it is visited."""
        return ((dy, dx) for dy in range(self.kernel_y) for dx in range(self.kernel_x))

    def tap(self, x: Values, dy: int, dx: int, outside: float) -> Values:
        """Return what all windows see at tap (dy, dx) of `x` `(batch, channels, height, width)`."""
        rows, inside_y = self._places(self.out_height, self.stride_y, dy - self.top, self.height)
        cols, inside_x = self._places(self.out_width, self.stride_x, dx - self.left, self.width)
        inside = inside_y[:, None] & inside_x
        return np.where(inside, x[:, :, rows][:, :, :, cols], x.dtype.type(outside))

    def counts(self) -> Values:
        """Return the divisor of each output pixel of an average."""
        ones = np.ones((1, 1, self.height, self.width))
        outside = 1.0 if self.count_padding else 0.0
        counts: Values = np.sum([self.tap(ones, *t, outside) for t in self.taps()], axis=0)
        return counts

    @staticmethod
    def _places(count: int, stride: int, shift: int, size: int) -> tuple[Values, Values]:
        place = np.arange(count) * stride + shift
        return np.clip(place, 0, size - 1), (place >= 0) & (place < size)


def pool_of(spec: PoolSpec, x: TensorType, *, count_padding: bool, ii: int) -> Pool:
    """Return the pool of a layer whose input is `x`.

    Raises:
        ShapeError: the window does not fit, or padding is so wide that a window would see nothing else.
    """
    _, height, width = x.shape
    ky, kx = pair(spec.kernel)
    sy, sx = spec.steps
    top, left, bottom, right = sides_of(spec.padding)
    padded = (height + top + bottom, width + left + right)
    if ky > padded[0] or kx > padded[1]:
        raise ShapeError(
            f"a window of {ky}x{kx} does not fit into {padded[0]}x{padded[1]} (input with padding)",
            f"use a kernel of at most {padded[0]}x{padded[1]}",
        )
    if max(top, bottom) >= ky or max(left, right) >= kx:
        raise ShapeError(
            f"padding {[top, left, bottom, right]} (top, left, bottom, right) is not below the kernel {ky}x{kx}: "
            "a window would lie outside the image",
            "use less padding, or an op: pad before it",
        )
    out_height, out_width = (padded[0] - ky) // sy + 1, (padded[1] - kx) // sx + 1
    ends = (out_height - 1) * sy + ky - top, (out_width - 1) * sx + kx - left
    is_inside = top == left == 0 and ends[0] <= height and ends[1] <= width
    count = ky * kx if count_padding or is_inside else 0
    return Pool(
        **x.sizes,
        out_height=out_height,
        out_width=out_width,
        kernel_y=ky,
        kernel_x=kx,
        stride_y=sy,
        stride_x=sx,
        top=top,
        left=left,
        count_padding=count_padding,
        count=count,
        reciprocal=1 / count if count.bit_count() == 1 else None,
        ii=ii,
    )


SpecT = TypeVar("SpecT", bound=LayerSpec)


class PoolOperator(OnLogic[SpecT], Generic[SpecT]):
    """Base of the pools; `pool` says which window, the type `fold` how it is folded."""

    fold = ""
    keeps_quantisation = True  # an average or a maximum is a value between those it sees

    def pool(self, spec: SpecT, x: TensorType) -> Pool:
        """Return the layer's window over `x`."""
        raise NotImplementedError

    def reach(self, spec: SpecT) -> Reach | None:
        """Return the window."""
        if not isinstance(spec, PoolSpec):
            return None
        ky, kx = pair(spec.kernel)
        sy, sx = spec.steps
        top, left, _, _ = sides_of(spec.padding)
        return Span(ky, sy, top), Span(kx, sx, left)

    def infer(self, spec: SpecT, x: TensorType) -> TensorType:
        """Return `(channels, out_height, out_width)`.

        Raises:
            ShapeError: the window does not fit.
        """
        pool = self.pool(spec, x)
        return TensorType((pool.channels, pool.out_height, pool.out_width), x.dtype)

    def form(self, spec: SpecT, at: Layer) -> Form:
        """Return the process that folds the windows."""
        pool = self.pool(spec, at.x)
        taps = pool.kernel_y * pool.kernel_x
        cycles = at.y.elements * taps * pool.ii
        pace = f"one tap in {pool.ii} cycles = {cycles} cycles"
        return Form(
            pool,
            f"{at.op}: {at.y.elements} outputs x {taps} taps, {pace}",
            template="maps/fold_map",
            dsp=4,
            lut=1200,
            cycles=cycles,
            lines=_lines(pool, self.fold, dsp=2, lut=150),
        )

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the process that folds the windows.

        Raises:
            CannotFit: scales of elements are too far apart for 64 bits.
        """
        x, y = at.x.quant, at.y.quant
        if x and y and not 1 / FURTHEST < float_quotient(x.scale, by=y.scale) < FURTHEST:
            text = (
                f"layer '{at.name}': its result's scale {y.scale:g} is too far from its input's {x.scale:g}"
            )
            raise CannotFit(spec.problem("quant-3", at.index, text, "calibrate on typical inputs"))
        return super().plan_pl(spec, at, mapping)


def average(pool: Pool, x: Values) -> Values:
    """Return the averages: taps added in order, then one division, in the precision of `x`."""
    total = np.zeros((*x.shape[:2], pool.out_height, pool.out_width), x.dtype)
    for tap in pool.taps():
        total += pool.tap(x, *tap, 0.0)
    result: Values = total / pool.counts().astype(x.dtype)
    return result


def _lines(pool: Pool, fold: str, *, dsp: int, lut: int) -> Lines:
    """Return what a pool sees of lines; `dsp` and `lut` are estimates of what one tap takes."""
    return Lines(
        kernel=(pool.kernel_y, pool.kernel_x),
        stride=(pool.stride_y, pool.stride_x),
        before=(pool.top, pool.left),
        up=(1, 1),
        fold=fold,
        cycles=pool.ii,
        dsp=dsp,
        lut=lut,
    )


def integer_pool(step: PlStep, fold: str, ii: int = 1) -> PlStep:
    """Return a pool's step on elements: one tap in `ii` cycles, folded by the type `fold`."""
    pool = replace(step.read(Pool), zero=step.x.zero, ii=ii)
    taps = pool.kernel_y * pool.kernel_x
    cycles = step.y.elements * taps * ii
    pace = "one a cycle" if ii == 1 else f"one in {ii} cycles"
    why = (f"{step.op}: {step.y.elements} outputs x {taps} taps, {pace}",)
    lines = _lines(pool, fold, dsp=0, lut=30)
    return replace(step, detail=pool, dsp=0, lut=400, cycles=cycles, why=why, lines=lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatPool(Pool):
    """ONNX's average of elements: what they mean, added in order, by the count and the result's scale, in float32.

    The zero point of the elements without sign, 128 (`shift`) above ours, is added before the one rounding, halves to even, as
    onnxruntime does. So exact halves, which averages at one scale often are, are decided as there [measured, tests/qonnx].
    """

    scale: float
    scale_y: float
    zero_y: float
    shift: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactPool(Pool):
    """ONNX's average of an image: sum * multiplier / 2^shift, a float32 quotient of scales and count, rounded once."""

    multiplier: int
    shift: int
    zero_y: int


def _exact_average(pool: ExactPool, x: Values) -> Values:
    """Return the averages of whole images at the result's scale."""
    total = (x.astype(np.int64) - pool.zero).sum(axis=(2, 3), keepdims=True)
    return _saturated(to_even(total * pool.multiplier, pool.shift) + pool.zero_y, x)


def _float_average(pool: FloatPool, x: Values) -> Values:
    """Return the averages of elements at the result's scale; what means 0 lies outside the image."""
    meant = (x.astype(np.int64) - pool.zero).astype(np.float32) * np.float32(pool.scale)
    share = average(pool, meant) / np.float32(pool.scale_y) + np.float32(pool.zero_y)
    return _saturated(np.rint(share).astype(np.int64) - pool.shift, x)


def _saturated(values: Values, x: Values) -> Values:
    found: Values = np.clip(values, np.iinfo(x.dtype).min, np.iinfo(x.dtype).max).astype(x.dtype)
    return found


class AveragePool(PoolOperator[SpecT], Generic[SpecT]):
    """Base of the pools that average."""

    fold = "folds/AverageFloat"
    processor_template = "ps/avg_pool.h"

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the averages."""
        return average(plan.read(Pool), x)

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the pool of elements."""
        if step.scaling is not Scales.ONNX:
            return integer_pool(step, "folds/AverageElement")
        x, y = step.x.means, step.y.means
        whole = step.op == "global_avg_pool"
        made = integer_pool(step, f"folds/Onnx{'Mean' if whole else 'Average'}", ii=1 if whole else SUM_II)
        known = {field.name: getattr(made.read(Pool), field.name) for field in fields(Pool)}
        if whole:
            divisor = float(np.float32(y.scale) * np.float32(step.x.pixels))
            multiplier, shift = float_multiplier_of(float_quotient(x.scale, by=divisor))
            detail: Pool = ExactPool(**known, multiplier=multiplier, shift=shift, zero_y=y.zero_point)
            why = "the sum times a float32 quotient of the scales, exactly, rounded once, halves to even (ONNX's definition)"
            return replace(made, detail=detail, why=(f"{made.why[0]}; {why}",), dsp=MEAN_DSP)
        zero = float(y.zero_point + UNSIGNED)
        detail = FloatPool(**known, scale=x.scale, scale_y=y.scale, zero_y=zero, shift=UNSIGNED)
        why = "summed and scaled in float32, rounded once, halves to even (ONNX's definition, onnxruntime's order)"
        return replace(made, detail=detail, why=(f"{made.why[0]}; {why}",), dsp=FLOAT_DSP, lut=FLOAT_LUT)

    def integer(self, plan: PlStep, x: Values) -> Values:
        """Return the averages of elements, halves away from zero; `pool.zero` lies outside the image."""
        pool = plan.read(Pool)
        if isinstance(pool, ExactPool):
            return _exact_average(pool, x)
        if isinstance(pool, FloatPool):
            return _float_average(pool, x)
        outside = pool.zero if pool.count_padding else 0
        wide = x.astype(np.int64)
        total = np.sum([pool.tap(wide, *tap, outside) for tap in pool.taps()], axis=0)
        count = pool.counts().astype(np.int64)
        average = (np.abs(total) + count // 2) // count
        signed: Values = np.where(total < 0, -average, average).astype(x.dtype)
        return signed

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return the average deviations."""
        return average(plan.read(Pool), deviation)

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return how far rounding may move the averages."""
        pool = plan.read(Pool)
        taps = pool.kernel_y * pool.kernel_x
        return average(pool, np.abs(x).astype(np.float64)) * UNIT * (taps + 1) * 1.001 + TINY
