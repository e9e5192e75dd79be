"""What a softmax's passes take: cycles of three loops over a frame buffer, tasks of a streaming kernel."""

from __future__ import annotations

from aieloom.ops.depths import (
    ADD_DEPTH,
    CHOOSE_DEPTH,
    CONVERT_DEPTH,
    DIV_DEPTH,
    EXP_DEPTH,
    MUL_DEPTH,
    READ_DEPTH,
    cycles_of,
)
from aieloom.ops.pooling import SUM_II
from aieloom.pl.steps import BEATS, RESULTS, Between, Pass, Passes

DSP = 44  # of one exponential, a subtraction, a sum, products (estimate)
LUT = 5200  # of one exponential, a division, conversions, four tasks (estimate)


def power_depth(*, integer: bool) -> int:
    """Return the cycles from a value to the exponential of its distance from the largest; of elements a product more."""
    return READ_DEPTH + (CONVERT_DEPTH + MUL_DEPTH if integer else ADD_DEPTH) + EXP_DEPTH


def share_depth(*, integer: bool) -> int:
    """Return the cycles from an exponential to its share, of elements with its scale."""
    return DIV_DEPTH + (MUL_DEPTH + ADD_DEPTH + CONVERT_DEPTH if integer else 0)


def frame_cycles(values: int, *, integer: bool) -> tuple[int, str]:
    """Return the cycles of three loops over a frame buffer, one behind the other, and the sum in words."""
    power = power_depth(integer=integer)
    loops = (
        (1 if integer else SUM_II, values, READ_DEPTH + CHOOSE_DEPTH),
        (SUM_II, values, power + ADD_DEPTH),
        (SUM_II, values, power + share_depth(integer=integer)),
    )
    return cycles_of(f"softmax: 3 passes over {values} values", loops)


def passes_of(*, integer: bool) -> Passes:
    """Return the tasks of a softmax over an image of one pixel."""
    return Passes(
        values="exponential/ElementShares" if integer else "exponential/FloatShares",
        tasks=(
            Pass(
                name="largest",
                takes=(BEATS,),
                gives=("values", "largests"),
                ii=1,
                depth=READ_DEPTH + CHOOSE_DEPTH,
                last=True,
                why="II=1, for values are compared as integers",
            ),
            Pass(
                name="powers",
                takes=("values", "largests"),
                gives=("raised",),
                ii=1,
                depth=power_depth(integer=integer),
                last=False,
                why="II=1, an exponential a cycle",
            ),
            Pass(
                name="sums",
                takes=("raised",),
                gives=("kept", "totals"),
                ii=SUM_II,
                depth=READ_DEPTH + ADD_DEPTH,
                last=True,
                why=f"II={SUM_II} (estimate), for a float is added to the sum before it",
            ),
            Pass(
                name="shares",
                takes=("kept", "totals"),
                gives=(RESULTS,),
                ii=1,
                depth=READ_DEPTH + share_depth(integer=integer),
                last=False,
                why="II=1, a division a cycle",
            ),
        ),
        queues=(
            Between(name="values", what="values, until their largest is known", is_float=False, each=True),
            Between(name="largests", what="the largest of each image", is_float=False, each=False),
            Between(name="raised", what="exponentials", is_float=True, each=False),
            Between(name="kept", what="exponentials, until their sum is known", is_float=True, each=True),
            Between(name="totals", what="the sum of each image", is_float=True, each=False),
        ),
        dsp=DSP,
        lut=LUT,
    )
