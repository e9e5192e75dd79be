"""What float operations take in the programmable logic, in cycles, for the estimates of kernels.

Depths are estimates for Vitis HLS on Versal at about 300 MHz. Each float addition and multiplication is a DSPFP32 there, whose
multiplier and adder have registers before, within and behind them [AM004, DSPFP32 Unisim Primitive], 3 or 4 in all; division
and conversions are made of LUTs. No table of the vendor's lists what the tool takes for this part: its Bind Op report says it.
"""

from __future__ import annotations

from collections.abc import Sequence

from aieloom.ops.pooling import SUM_II

ADD_DEPTH = SUM_II  # of a float addition or subtraction, in cycles (estimate)
MUL_DEPTH = 4  # of a float multiplication (estimate)
CONVERT_DEPTH = 6  # of a float to an integer or back (estimate)
CHOOSE_DEPTH = 2  # of a comparison and a selection of floats (estimate)
DIV_DEPTH = 28  # of a float division: a cycle for each of 24 bits, 4 to unpack and to round (estimate)
READ_DEPTH = 3  # of a read from a frame buffer or a queue (estimate)
TERMS = 7  # of the exponential's polynomial: a multiplication and an addition each
_WHOLE = CHOOSE_DEPTH + MUL_DEPTH + ADD_DEPTH + 2 * CONVERT_DEPTH  # x / ln 2 as an integer and back
_REST = MUL_DEPTH + 2 * ADD_DEPTH  # what is left of x
EXP_DEPTH = _WHOLE + _REST + TERMS * (MUL_DEPTH + ADD_DEPTH) + MUL_DEPTH


def cycles_of(what: str, loops: Sequence[tuple[int, int, int]]) -> tuple[int, str]:
    """Return the cycles of loops over a frame buffer (II, values, depth), one behind the other, and the sum in words."""
    cycles = sum(ii * count + depth for ii, count, depth in loops)
    said = " + ".join(f"({ii} x {count} + {depth})" for ii, count, depth in loops)
    return cycles, (
        f"{what}, each runs empty before the next begins: {said} = {cycles} cycles "
        "(II x values + depth of the pipeline; depths are estimates)"
    )
