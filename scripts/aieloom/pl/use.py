"""What kernels in the programmable logic take of it together."""

from __future__ import annotations

from collections.abc import Sequence

from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.units.types import Use


def logic_use(kernels: Sequence[PlKernel], movers: Sequence[MoverPlan], copies: int) -> Use:
    """Return what so many copies of these take of the logic together (estimates)."""
    both: tuple[PlKernel | MoverPlan, ...] = (*kernels, *movers)
    return Use(
        bram36=copies * sum(k.bram36 for k in both),
        uram288=copies * sum(g.uram288 for g in kernels),
        dsp=copies * sum(g.dsp for g in kernels),
        lut=copies * sum(k.lut for k in both),
        lutram=copies * sum(g.lutram for g in kernels),
        ff=copies * sum(k.ff for k in both),
    )
