"""Cores of the budget that a design leaves idle, and why: the figures of those that take more."""

from __future__ import annotations

from collections.abc import Sequence

from aieloom.plan.types import ArrayPart


def spare_cores(plan: ArrayPart, given: int | None, more: Sequence[float] | None) -> tuple[str, ...]:
    """Return a remark on cores of the budget that are not taken; () where all are, or none was given.

    `more` are the intervals, in us, of designs that were found within the budget and take more cores; None: there was nothing
    to choose.
    """
    taken = plan.cores
    if given is None or taken >= given:
        return ()
    if more is None:
        why = "network.yaml says how every layer is cut"
    elif more:
        why = f"of {len(more)} designs that take more, the fastest gives an image in {min(more):.4g} us"
    else:
        why = "no design that was found takes more: further cores would wait for the others, or find no part of a layer"
    from aieloom.simulation.of_plan import modelled_rates  # noqa: PLC0415 - most designs have no budget of cores

    rate = modelled_rates(plan).system
    here = f"this one gives an image in {rate.interval_us:.4g} us, for which {rate.bottleneck} is the slowest"
    return (f"{taken} of the budget's {given} cores: {why}; {here}",)
