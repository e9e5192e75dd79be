"""Pipelined loops against the interval that they ask for."""

from __future__ import annotations

import re
from collections import Counter

from clang.cindex import CursorKind as Kind

from tools.hls_lint.delays import DIVIDERS, cost, is_power_of_two
from tools.hls_lint.indices import constant
from tools.hls_lint.kernel import UNCERTAINTY, Kernel, Loop
from tools.hls_lint.rules import Said, rule
from tools.hls_lint.source import Node, Source
from tools.hls_lint.timing import Round

ROUGH = 1.6  # what ways must be longer than, in periods, before delays that are known to 30 % show a fault
SHORT = 8  # steps whose loss at each entry of a loop is not told
SETTLE = 32  # kSettle of endless tasks that do not say their own
TIGHT = "tight (within what the delays are known to): "


@rule(
    "ir-left",
    "loop that stays inside a pipelined one",
    "UG1399: a loop is pipelined only if no loop is left in it; clang -O2 could not unroll it either",
)
def left(k: Kernel) -> Said:
    """Find natural loops inside marked ones."""
    for loop in k.loops:
        for head, inner in loop.f.loops.items():
            if head != loop.time.head and inner < loop.time.body:
                lines = (op.line for b in inner for op in loop.f.ops[b] if op.line)
                yield loop.line, f"a loop near line {min(lines, default=loop.line)} is not unrolled"


def divider_is_note(text: str) -> bool:
    """Tell whether a divider is one of a loop that ends: it costs logic and steps, but no interval."""
    return not text.endswith("in an endless task")


@rule(
    "ir-divider",
    "division or remainder by no power of two",
    "names of AMD's cores in published reports: N bits take N + 3 cycles; quotients by constants are products, remainders not",
    divider_is_note,
)
def dividers(k: Kernel) -> Said:
    """Count them by line."""
    for loop in k.loops:
        found: Counter[tuple[int, str, str, int]] = Counter()
        for op in loop.time.inside:
            if op.op in DIVIDERS and not is_power_of_two(op):
                by = constant(op)
                found[op.line, op.op, "run time" if by is None else str(by), cost(loop.f, op, k.kind)[0]] += 1
        for (at, name, by_what, cycles), n in sorted(found.items()):
            times, where = f", {n} times" * (n > 1), ", in an endless task" * loop.is_endless
            yield loop.line, f"{name} by {by_what} at line {at}: {cycles} cycles{times}{where}"


def recurrence_is_note(text: str) -> bool:
    """Tell whether a way is longer than its interval by no more than the delays are uncertain."""
    return text.startswith(TIGHT)


@rule(
    "ir-recurrence",
    "loop-carried way that is longer than the interval that is asked for",
    "UG1399: the interval is raised until dependences hold, or the clock is missed where it is given",
    recurrence_is_note,
)
def recurrences(k: Kernel) -> Said:
    """Compare the ways round with the intervals."""
    for loop in k.loops:
        worst = loop.time.round()
        if worst is not None and worst.ns > loop.ii * k.budget:
            yield loop.line, _round_text(k, loop, worst)


def _round_text(k: Kernel, loop: Loop, worst: Round) -> str:
    given = loop.ii * k.budget
    cores = Counter(op.op for op in worst.way).most_common(6)
    names = sorted({re.sub(r"(\.i|\.sroa.*)+$", "", name) for name in worst.between})
    lines = sorted({op.line for op in worst.way if op.line})[:8]
    mhz = 1000 / (worst.ns / loop.ii / (1 - UNCERTAINTY))
    return (
        (TIGHT if worst.ns < ROUGH * given else "")
        + f"II={loop.ii} asked, {loop.time.cycles(worst.ns)} needed at this clock, or {mhz:.0f} MHz "
        + f"({worst.ns:.1f} ns of {given:.1f} a turn): {' and '.join(names)} through "
        + f"{', '.join(f'{n} {c}' for c, n in cores)}, lines {lines}"
    )


@rule(
    "ir-exit",
    "loop whose exit test comes later than the interval",
    "HLS 'Unable to schedule the loop exit test in the first pipeline iteration'",
)
def exits(k: Kernel) -> Said:
    """Compare the times of exit tests with the intervals."""
    for loop in k.loops:
        times, given = loop.time.late(), loop.ii * k.budget
        for block in loop.f.exits(loop.time.body):
            test = loop.f.ops[block][-1]
            late = max((times.get(a, 0.0) for a in test.args), default=0.0)
            if late > ROUGH * given:
                yield (
                    loop.line,
                    f"the exit test of line {test.line} is known after {late:.1f} ns, {given:.1f} at this II",
                )


def entered_again(s: Source, loop: Node) -> str:
    """Return why a pipelined loop drains at each entry in the loop around it; "" where it does not."""
    start, end = loop.extent.start.offset, loop.extent.end.offset
    around = [o for o in s.loops if o.extent.start.offset < start and o.extent.end.offset >= end]
    if not around or s.has(loop, "pipeline") is None or loop.kind != Kind.FOR_STMT:
        return ""
    outer, bound = max(around, key=lambda o: o.extent.start.offset), s.bound(loop)
    if bound is not None and not s.is_constant(bound):
        return f"bound {s.text_of(bound)}"
    inside = [
        o for o in s.loops if outer.extent.start.offset < o.extent.start.offset < outer.extent.end.offset
    ]
    beside = [o for o in inside if not start <= o.extent.start.offset <= end and not s.is_unrolled(o)]
    return "no bound" if bound is None else "other loops beside it" if beside else ""


@rule(
    "ir-nest",
    "pipelined loop that is entered again and again, and not flattened: bounds that are not constant, or loops beside it",
    "UG1399, loop_flatten: perfect nests with constant inner bounds; else the pipeline drains at each entry",
)
def nests(k: Kernel) -> Said:
    """Say what is lost at each entry."""
    depth = {loop.line: loop.time.depth for loop in k.loops}
    for loop in k.s.loops:
        why, pragma = entered_again(k.s, loop), k.s.has(loop, "pipeline")
        if why and pragma is not None and depth.get(pragma.line, 0) >= SHORT:
            yield pragma.line, f"{depth[pragma.line]} steps are lost at each entry: {why}"


@rule(
    "ir-depth",
    "endless task that does not flush, and may be deeper than its kSettle or has an interval of more than 1",
    "UG1399: last words stay in a pipeline that stalls; tasks flush pipelines of II=1 by default, and any with style=flp",
)
def depths(k: Kernel) -> Said:
    """Compare depths with what the code takes for granted."""
    pragmas = {p.line: p for p in k.s.marked("pipeline")}
    for loop in (x for x in k.loops if x.is_endless):
        if pragmas[loop.line].options.get("style") == "flp":
            continue
        limit = _settle(k.s, loop.line)
        if loop.time.depth > 0.75 * limit:
            yield loop.line, f"about {loop.time.depth} steps deep, {limit} are taken for granted"
        yield loop.line, "an endless loop without style=flp"


def _settle(s: Source, line: int) -> int:
    """Return the steps that an endless loop takes for granted."""
    text = "\n".join(s.lines)
    own = re.search(r"Quiet<(\w+)>", "\n".join(s.lines[max(0, line - 12) : line]))
    given = re.search(rf"constexpr int {own[1]} = (\d+);", text) if own else None
    return int(given[1]) if given else SETTLE
