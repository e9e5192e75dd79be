"""What a design takes of the programmable logic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicUse:
    """What a design takes of programmable logic (estimates); `lutram` are LUTs that hold lines, among `lut`."""

    bram36: int
    uram288: int
    dsp: int
    lut: int
    lutram: int
    ff: int


def logic_use(kernels: Sequence[PlKernel], movers: Sequence[MoverPlan], copies: int) -> LogicUse:
    """Return what so many copies of these kernels take together."""
    return LogicUse(
        bram36=copies * (sum(g.bram36 for g in kernels) + sum(m.bram36 for m in movers)),
        uram288=copies * sum(g.uram288 for g in kernels),
        dsp=copies * sum(g.dsp for g in kernels),
        lut=copies * (sum(g.lut for g in kernels) + sum(m.lut for m in movers)),
        lutram=copies * sum(g.lutram for g in kernels),
        ff=copies * (sum(g.ff for g in kernels) + sum(m.ff for m in movers)),
    )
