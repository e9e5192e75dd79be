"""Dilated and transposed convolutions as plain ones: the same products and sums, with zeros where a kernel has gaps.

A dilated kernel is a larger one with zeros between its weights. A transposed convolution of stride s gives each of the s x s
places that an input pixel grows to by a plain convolution of its own; all are one convolution of s * s times the channels,
behind which a pixel_shuffle puts them in place. Zeros add nothing, in floats and in integers.
Facts: ONNX operator specifications of Conv and ConvTranspose; PyTorch's torch.nn.ConvTranspose2d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.refused import Refused
from aieloom.spec.types import MAX_ELEMENTS

Pair = tuple[int, int]


def dilated(weight: Values, dilation: Sequence[int]) -> Values:
    """Return a kernel with `dilation` - 1 zeros between its weights.

    `weight` is `(..., height, width)`; so is what is returned, (height - 1) * dilation + 1 high.

    Raises:
        Refused: that would fill the memory.
    """
    (dy, dx), (height, width) = dilation, weight.shape[-2:]
    if (dy, dx) == (1, 1):
        return weight
    whole = (*weight.shape[:-2], (height - 1) * dy + 1, (width - 1) * dx + 1)
    if prod(whole) > MAX_ELEMENTS:  # Python's integers: no array is made to find out
        text = f"with its dilations {[dy, dx]} has a kernel of {whole}, {prod(whole)} values; at most {MAX_ELEMENTS} are taken"
        raise Refused(text, "use smaller dilations")
    wide = np.zeros(whole, weight.dtype)
    wide[..., ::dy, ::dx] = weight
    return wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """A transposed convolution as a plain one of stride 1 and a shuffle of its channels.

    `weight` is `(outputs * upscale * upscale, inputs / groups, height, width)`, `padding` [top, left, bottom, right].
    """

    weight: Values
    padding: tuple[int, int, int, int]
    upscale: int


@dataclass(frozen=True, slots=True)
class _Axis:
    """One axis of a transposed convolution: output s * m + r sees input m - j through tap s * j + r + begin."""

    stride: int
    kernel: int
    begin: int
    first: int  # the least j
    last: int  # the largest

    @property
    def taps(self) -> int:
        return self.last - self.first + 1

    def tap(self, phase: int, place: int) -> int | None:
        """Return the tap that `phase` has at a place of the plain kernel; None where it has a zero."""
        at = self.stride * (self.last - place) + phase + self.begin
        return at if 0 <= at < self.kernel else None


def transposed(
    weight: Values, *, stride: Pair, begin: Pair, groups: int, x: Sequence[int], y: Sequence[int]
) -> Phases:
    """Return the plain convolution that gives a transposed one.

    `weight` is `(inputs, outputs / groups, height, width)`, dilated already; `begin` what is cut off at the top and at the
    left; `x` and `y` are height and width of input and output.

    Raises:
        Refused: the strides differ, or the output is no whole number of times the input's pixels.
    """
    if stride[0] != stride[1]:
        raise Refused(
            f"has the strides {list(stride)}; equal ones are supported", "use one stride for both axes"
        )
    s, kernel = stride[0], weight.shape[2:]
    axes = [_Axis(s, k, p, -((s - 1 + p) // s), (k - 1 - p) // s) for k, p in zip(kernel, begin, strict=True)]
    ends = [size // s - given - axis.first for size, given, axis in zip(y, x, axes, strict=True)]
    if any(size % s for size in y) or min(*ends, axes[0].last, axes[1].last) < 0:
        text = f"makes {y[0]} x {y[1]} pixels of {x[0]} x {x[1]} by a stride of {s}"
        raise Refused(
            text, "choose padding and output_padding so that the output is the stride times the input"
        )
    shaped = weight.reshape(groups, -1, *weight.shape[1:])  # group, input, output, height, width
    plain = np.zeros(
        (groups, shaped.shape[2], s, s, shaped.shape[1], axes[0].taps, axes[1].taps), weight.dtype
    )
    for phase in np.ndindex(s, s):
        for place in np.ndindex(axes[0].taps, axes[1].taps):
            row, column = (axis.tap(r, q) for axis, r, q in zip(axes, phase, place, strict=True))
            if row is not None and column is not None:
                plain[:, :, phase[0], phase[1], :, place[0], place[1]] = shaped[
                    :, :, :, row, column
                ].transpose(0, 2, 1)
    return Phases(
        weight=plain.reshape(-1, shaped.shape[1], axes[0].taps, axes[1].taps),
        padding=(axes[0].last, axes[1].last, ends[0], ends[1]),
        upscale=s,
    )
