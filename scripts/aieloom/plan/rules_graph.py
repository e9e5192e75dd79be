"""Design rules of branches: what meets in a PL kernel arrives, and waits where it holds up nobody. See plan.graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from aieloom.pl.ends import PING_PONG, Inlet
from aieloom.pl.kernel import PlKernel
from aieloom.plan.finding import Finding, Rule
from aieloom.plan.types import ArrayPart
from aieloom.spec.lines import KeyPath


def branches(plan: ArrayPart) -> Iterator[Finding]:
    """skip-1: a branch keeps as many images as pass the buffers of the longest branch beside it, and a ping-pong more."""
    before = _senders(plan)
    for g in plan.pl:
        ways = [_longest(plan, before, i.producer) for i in g.inlets]
        for inlet, way in zip(g.inlets, ways, strict=True):
            if len(ways) > 1:
                needed = max(ways) - way + (1 if g.lines else PING_PONG)
                yield Finding(
                    rule="skip-1",
                    what=f"images to keep of what {inlet.producer} sends, of {inlet.depth} that there is room for",
                    used=needed,
                    limit=inlet.depth,
                    where=g.name,
                    at=_at(g),
                    remedy="report this: aieloom chose the depth",
                )


def order(plan: ArrayPart) -> Iterator[Finding]:
    """skip-2: inlets are taken in the order of their senders, and of these' outlets."""
    numbers = {g.name: i for i, g in enumerate(plan.pl)}
    places = {
        (o.reader, o.reader_port): (numbers[g.name], p) for g in plan.pl for p, o in enumerate(g.outlets)
    }

    def sender(g: PlKernel, inlet: Inlet) -> tuple[int, int]:
        """Return the kernel that sends what an inlet takes, and its outlet; a streaming kernel passes on another's."""
        number, place = places.get((inlet.producer, ""), places.get((g.name, inlet.port), (-1, 0)))
        before = plan.pl[number]
        alone = number >= 0 and len(before.inlets) == len(before.outlets) == 1
        return sender(before, before.inlets[0]) if alone and before.lines else (number, place)

    for g in plan.pl:
        sent = [sender(g, g.inlets[k]) for k in g.read_order]
        wrong = sum(b < a for a, b in pairwise(sent)) + sum(n >= numbers[g.name] for n, _ in sent)
        if len(sent) > 1:
            yield Finding(
                rule="skip-2",
                what="inputs taken before what is sent earlier",
                used=wrong,
                limit=0,
                where=g.name,
                at=_at(g),
                remedy="report this: aieloom chose the order",
            )


def _at(g: PlKernel) -> KeyPath:
    return g.steps[0].at if g.steps else ("layers",)


def _senders(plan: ArrayPart) -> Mapping[str, tuple[str, ...]]:
    """Return by kernel or layer who sends to it."""
    found: dict[str, tuple[str, ...]] = {g.name: tuple(i.producer for i in g.inlets) for g in plan.pl}
    return found | {o.reader: (g.name,) for g in plan.pl for o in g.outlets if o.reader not in found}


def _longest(plan: ArrayPart, before: Mapping[str, tuple[str, ...]], end: str) -> int:
    """Return how many frame buffers lie on the longest way from memory to behind kernel or layer `end`."""
    buffers = {g.name: 1 + len(g.frames.stages) if g.frames else 0 for g in plan.pl}
    found: dict[str, int] = {}
    waiting = [end]
    while waiting:
        name = waiting[-1]
        open_ends = [b for b in before.get(name, ()) if b not in found]
        if open_ends:
            waiting += open_ends
        else:
            waiting.pop()
            found[name] = buffers.get(name, 0) + max((found[b] for b in before.get(name, ())), default=0)
    return found[end]


GRAPH_RULES: tuple[Rule, ...] = (branches, order)
