"""Why a design won, in words: what it is limited by, what it takes, what the runner-ups lack."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.pl.frames import beats_read
from aieloom.plan.rates import rate_lines
from aieloom.plan.types import ArrayPart
from aieloom.search.choose import Outcome
from aieloom.search.default import spare_cores
from aieloom.search.figures import METRICS
from aieloom.search.mapped import Mapped
from aieloom.search.merge import limits
from aieloom.simulation.of_plan import modelled_rates, simulate_plan

RUNNERS_UP = 8
_EQUAL = 1e-6


def why_lines(outcome: Outcome) -> Iterator[str]:
    """Yield the explanation."""
    best, before = outcome.winner, outcome.written
    plan = best.plan
    yield f"{plan.project} on {plan.device.name}: {outcome.goal.text}"
    yield f"Every figure is modelled by {plan.cost.produced_by}; interval and latency by its event simulation."
    yield "Whether PL kernels close timing at their clocks only the link tells."
    yield ""
    yield f"{'':<10} {Mapped.head}"
    yield f"{'winner':<10} {best.line}"
    yield f"{'written':<10} {before.line}"
    yield ""
    yield "What network.yaml says is the best." if best.written else "The winner's layers (mapping.yaml):"
    for layer in plan.aie:
        yield f"  {layer.name}: {'; '.join(layer.draft.why[:2])}; {layer.draft.buffers.value}, {layer.draft.plio_bits}-bit PLIO"
    yield from _whole_lines(plan)
    yield ""
    yield from _limit_lines(best.plan)
    yield ""
    yield "How much of the device it takes:"
    yield from _use_lines(outcome)
    if outcome.ways:
        yield ""
        yield "Other ways to divide the work" + (f" ({outcome.label} won):" if outcome.label else ":")
        yield from (f"  {line}" for line in outcome.ways)
    if outcome.clocks:
        yield ""
        yield "With other PL clocks:"
        yield from (f"  {line}" for line in outcome.clocks)
    yield ""
    yield "Runner-ups, and what they lack:"
    yield f"  {Mapped.head}"
    for other in outcome.designs[1 : 1 + RUNNERS_UP]:
        yield f"  {other.line}  {_lacks(other, best)}{' (as written)' if other.written else ''}"
    yield ""
    yield from _count_lines(outcome)


def _whole_lines(plan: ArrayPart) -> Iterator[str]:
    """Yield what the design is as a whole: copies, tiles, layers on the processor."""
    if plan.copies > 1:
        each = f"{plan.copies} copies of {plan.cores // plan.copies} cores"
        yield f"  {each}: each takes its share of the images, so the rate is {plan.copies} times one's"
    if plan.frame:
        yield from (f"  {line}" for line in plan.frame.why)
    for step in plan.processor.steps if plan.processor else ():
        yield f"  {step.name} on the processor: {'; '.join(step.why)}"


def _limit_lines(plan: ArrayPart) -> Iterator[str]:
    name = plan.cost.bottleneck
    stages = sorted(plan.cost.stages, key=lambda s: -s.interval_us)
    yield "Its rate:"
    yield from (f"  {line}" for line in rate_lines(modelled_rates(plan)))
    yield f"What limits it: {name}, alone {stages[0].interval_us:.3f} us for an image" + _kernel_text(
        plan, name
    )
    others = ", ".join(f"{s.name} {s.interval_us:.3f} us" for s in stages[1:4])
    yield f"  next: {others}"
    busy = sorted(simulate_plan(plan).busy.items(), key=lambda item: (-round(item[1], 6), item[0]))[:3]
    yield f"  busiest in the simulation: {', '.join(f'{lane} {share:.0%}' for lane, share in busy)}"


def _kernel_text(plan: ArrayPart, name: str) -> str:
    kernel = next((g for g in plan.pl if g.name == name), None)
    if kernel is None:
        return ""
    if kernel.part:
        many = f"{kernel.part.tasks.readers} readers, {kernel.sink.streams} writers"
        return f": {many} side by side, {kernel.cycles} cycles at {kernel.clock_mhz:g} MHz"
    if kernel.lines:
        slow = max(((p.cycles, p.name) for p in kernel.lines.parts), default=(kernel.cycles, kernel.name))
        return f": streaming, its part {slow[1]} takes {slow[0]} cycles at {kernel.clock_mhz:g} MHz"
    busiest = max(kernel.outlets, key=lambda o: o.streams.words * o.streams.streams).streams
    written = busiest.words * busiest.streams
    read = max(beats_read(i.streams.words, i.streams.streams, i.streams.bits, i.dtype) for i in kernel.inlets)
    folds = [(s.window.cycles, s.window.layer) for s in (kernel.frames.stages if kernel.frames else ())]
    most, layer = max(folds, default=(0, ""))
    if most >= max(written, read):
        return f": {layer} takes {most} cycles at {kernel.clock_mhz:g} MHz"
    if written >= read:
        return (
            f": it writes {written} words of {busiest.bits} bits, one a cycle at {kernel.clock_mhz:g} MHz"
            + (", the widest there are" if busiest.bits == 128 else "")
        )
    return f": it reads {read} values, one a cycle at {kernel.clock_mhz:g} MHz"


def _use_lines(outcome: Outcome) -> Iterator[str]:
    d = outcome.winner
    budget = outcome.goal.budget
    if d.row is None:
        yield f"  {d.plan.cores} cores, {d.plan.tiles_in_use} tiles, {d.plio} streams"
    else:
        for m, limit in limits(d.plan.device, budget).items():
            used = outcome.front.figures[d.row, m]
            yield f"  {METRICS[m]}: {used:g} of {limit:g}"
    more = [other.interval_us for other in outcome.designs if other.plan.cores > d.plan.cores]
    yield from (f"  {line}" for line in spare_cores(d.plan, budget.aie_cores, more))


def _lacks(other: Mapped, best: Mapped) -> str:
    """Return in which figures a design is worse than the winner."""
    found = []
    for name, a, b in (
        ("slower", other.interval_us, best.interval_us),
        ("more latency", other.latency_us, best.latency_us),
    ):
        if a > b * (1 + _EQUAL):
            found.append(f"{a / b - 1:.1%} {name}")
    if other.plan.copies != best.plan.copies:
        found.append(f"{other.plan.copies} in place of {best.plan.copies} copies")
    for name, x, y in (
        ("cores", other.plan.cores, best.plan.cores),
        ("tiles", other.plan.tiles_in_use, best.plan.tiles_in_use),
        ("streams", other.plio, best.plio),
    ):
        if x > y:
            found.append(f"{x - y} more {name if x - y > 1 else name[:-1]}")
    return ", ".join(found) or "nothing; it comes second by the order of the figures"


def _count_lines(outcome: Outcome) -> Iterator[str]:
    yield "How it was found:"
    for layer in outcome.front.layers:
        yield (
            f"  {layer.name}: {layer.evaluated:,} candidates evaluated, {layer.too_large:,} did not fit into memories "
            f"or array; {len(layer.choices):,} that none beats"
        )
    total = sum(la.evaluated for la in outcome.front.layers)
    planned = sum(fate == "planned" for fate in outcome.fates.values())
    refused = ", ".join(f"{rule} {count}" for rule, count in outcome.refused.items()) or "none"
    yield f"  {total:,} candidates in all; {len(outcome.front.figures)} designs of them on the front, all simulated"
    yield f"  {planned} designs planned, {outcome.over} of those and of the written one over the budget"
    yield f"  refused by design rules: {refused}"
