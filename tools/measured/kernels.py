"""Kernels of papers as loop nests that no design of ours has: convolutions over rows, element-wise passes, scalar code."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cost.kernels import Kernel, Values
from aieloom.cost.loops import Issue, Loop, Ops

FP_ACCUMULATE = 2.0  # an fp32 accumulator takes the next product every second cycle [UG1079]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowConvolution:
    """A convolution that keeps rows in registers and walks along the width, `vectors` vectors to an output row."""

    outputs: int  # vectors of outputs: channels x rows x vectors of a row
    rows: int  # kernel rows for each: input channels of the group x kernel height
    width: int  # kernel width
    stride: int
    style: str  # key of the parameters: conv.fp32 | conv.int8
    streamed: bool


def row_convolution(p: Values, c: RowConvolution) -> Kernel:
    """Return the kernel: per vector of outputs, per kernel row: enter, then one MAC step per tap of the row."""
    per_tap = p[f"{c.style}.tap"] * (p[f"{c.style}.stride"] if c.stride > 1 else 1.0)
    per_row = p[f"{c.style}.row"] * (p[f"{c.style}.stride"] if c.stride > 1 else 1.0)
    per_row += p[f"{c.style}.row_stream"] if c.streamed else 0.0
    row = Loop(trips=c.rows, body=(Ops(macs=c.width),), each=per_row)
    each = p[f"{c.style}.output_stream" if c.streamed else f"{c.style}.output_window"]
    nest = Loop(trips=c.outputs, body=(row,), each=each)
    return Kernel(nodes=(nest,), issue=Issue(mac=per_tap), call=p["call"])


def scalar_nest(p: Values, *, outputs: float, macs: float, style: str) -> Kernel:
    """Return scalar code: so many steps for each output, each with its address arithmetic and loads."""
    nest = Loop(trips=outputs, body=(Ops(scalars=macs),), each=p[f"{style}.output"])
    return Kernel(nodes=(nest,), issue=Issue(scalar=p[f"{style}.mac"]), call=p["call"])


def flat(p: Values, *, trips: float, each: float) -> Kernel:
    """Return one loop whose trips cost `each` cycles."""
    return Kernel(nodes=(Loop(trips=trips, body=(), each=each),), issue=Issue(), call=p["call"])
