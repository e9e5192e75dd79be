"""Memories in pipelined loops: ports, and values that go round through them."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator

from tools.hls_lint.delays import cost
from tools.hls_lint.indices import residues
from tools.hls_lint.ir import Op
from tools.hls_lint.kernel import Kernel, Loop
from tools.hls_lint.rules import Said, rule

RAMS = ("ram", "uram")
Place = tuple[str, ...]  # "load" or "store", and the indices


def through_memory(k: Kernel, loop: Loop) -> Iterator[tuple[str, float]]:
    """Yield the memories of a loop that a turn writes and the next one may read, and the ns from read to write."""
    f, t = loop.f, loop.time
    stores: defaultdict[str, list[Op]] = defaultdict(list)
    for op in t.inside:
        if op.op == "store" and k.kind(f, op.pointer) in RAMS:
            stores[f.base(op.pointer)[0]].append(op)
    for base, into in stores.items():
        name = k.name(base)
        if name in k.free and "intra" not in k.free[name]:
            continue
        loads = (o for o in t.inside if o.op == "load" and f.base(o.pointer)[0] == base)
        yield name, max((_from_read_to_write(k, loop, load, into) for load in loads), default=0.0)


def _from_read_to_write(k: Kernel, loop: Loop, load: Op, stores: list[Op]) -> float:
    f, t = loop.f, loop.time
    core, ns = cost(f, load, k.kind)
    times = t.late(load.name, core * k.budget + ns)
    at = f.base(load.pointer)[1]
    moves = any(t.counts(i) for i in at)  # by a counter of this loop: the next turn is elsewhere
    meeting = (s for s in stores if s.args and not (moves and f.base(s.pointer)[1] == at))
    return max((times.get(s.args[0], 0.0) for s in meeting), default=0.0)


@rule(
    "ir-memory",
    "value that goes round through a memory",
    "UG1399, memory dependences: read, compute and write back must fit the II unless `dependence` says otherwise",
)
def memory(k: Kernel) -> Said:
    """Compare the ways with what the intervals allow."""
    for loop in k.loops:
        for name, ns in through_memory(k, loop):
            need = loop.time.cycles(ns)
            if need > loop.ii:
                text = f"{need} needed if neighbouring turns meet in {name}"
                yield loop.line, f"II={loop.ii} asked, {text} ({ns:.1f} ns from read to write)"


def accesses(k: Kernel, loop: Loop) -> Iterator[tuple[str, int, int]]:
    """Yield the memories of a loop with the most reads and writes of one bank in a turn."""
    f = loop.f
    found: defaultdict[str, dict[Place, str]] = defaultdict(dict)
    for op in loop.time.inside:
        for way, pointer in op.accesses():
            if k.kind(f, pointer) in RAMS:
                base, indices = f.base(pointer)
                one = k.reshaped[k.name(base)]  # dimensions whose elements are one word
                size = len(k.sizes(f, base))  # fields of a struct are memories of their own
                place = ("0" if d in one else index for d, index in enumerate(indices[:size], 1))
                found[base].setdefault((way, *place), op.block)
    for base, places in found.items():
        yield k.name(base), *_busiest(k, loop, base, places)


def _busiest(k: Kernel, loop: Loop, base: str, places: dict[Place, str]) -> tuple[int, int]:
    """Return reads and writes of the bank that has most; of an index its known bits count."""
    name = k.name(base)
    sizes = list(enumerate(k.sizes(loop.f, base), 1))
    split = [(d, k.cyclic.get((name, d)) or n) for d, n in sizes if d in k.partition[name]]
    banks = {
        place: [residues(loop.f, place[d], n) if len(place) > d else set(range(n)) for d, n in split]
        for place in places
    }
    worst = (0, 0)
    for bank in itertools.product(*(range(n) for _, n in split)):
        counts = {"load": Counter[str](), "store": Counter[str]()}
        for place, each in banks.items():
            if all(b in known for b, known in zip(bank, each, strict=True)):
                counts[place[0]][places[place]] += 1
        if sum(counts["load"].values()) + sum(counts["store"].values()) > 1:
            here = (loop.time.most(counts["load"]), loop.time.most(counts["store"]))
            worst = max(worst, here, key=lambda c: (max(c), sum(c)))
    return worst


def needed_for(k: Kernel, name: str, reads: int, writes: int) -> int:
    """Return the interval that a memory's ports allow."""
    is_simple = "s2p" in k.storage.get(name, {}).get("type", "")  # one port to read, one to write
    return max(reads, writes) if is_simple else math.ceil((reads + writes) / 2)


@rule(
    "ir-ports",
    "more accesses to a memory in a cycle than it has ports",
    "UG1399: two ports at most; HLS 200-885 'Unable to schedule load operation due to limited memory ports'",
)
def ports(k: Kernel) -> Said:
    """Compare accesses with ports."""
    for loop in k.loops:
        for name, reads, writes in accesses(k, loop):
            need = needed_for(k, name, reads, writes)
            if need > loop.ii:
                kind = k.storage.get(name, {}).get("type", "") or "two ports"
                text = f"{name} ({kind}) has {reads} reads and {writes} writes of one memory in a turn"
                yield loop.line, f"II={loop.ii} asked, {need} needed: {text}"
