"""Buffer descriptors of memory tiles: their loops walk as the tiling parameters say, and each field's limit is a rule."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aieloom.errors import CannotFit
from aieloom.plan.memory_tiles.rules import Descriptor, descriptor_of, pool_need
from aieloom.plan.rules import check
from aieloom.plan.shared_buffers import Access, SharedBuffer, Traversal
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType
from tests.designs import network_of
from tests.strategies.chained.designs import CHAIN, bfloat16_plan
from tests.strategies.chained.walks import Ints, walk

TILE = load_device("vek280").memory_tile
assert TILE is not None
FACTS = TILE.descriptor


def hardware(descriptor: Descriptor, start: int, memory: Ints) -> list[int]:
    """Return the words that a DMA sends: the slowest loop outside, zeros before and after each run [AM029]."""

    def run(loops: tuple[int, ...], at: int) -> list[int]:
        if not loops:
            return [int(memory[at])]
        loop = descriptor.loops[loops[-1]]
        inner = math.prod(
            descriptor.loops[i].before + descriptor.loops[i].wrap + descriptor.loops[i].after
            for i in loops[:-1]
        )
        found = [0] * (loop.before * inner)
        for step in range(loop.wrap):
            found += run(loops[:-1], at + step * loop.step)
        return found + [0] * (loop.after * inner)

    return run(tuple(range(len(descriptor.loops))), start)


@st.composite
def accesses(draw: st.DrawFn) -> tuple[SharedBuffer, Access]:
    """Return a buffer of bytes and a reader with tiles, traversals and zeros as they come, in whole words."""
    rank = draw(st.integers(1, 4))
    dimensions = (4 * draw(st.integers(1, 4)), *(draw(st.integers(1, 5)) for _ in range(rank - 1)))
    padded = draw(st.booleans())
    tile, offset, traversal = [], [], list[Traversal]()
    for d, extent in enumerate(dimensions):
        unit = 4 if d == 0 else 1
        size = unit * draw(st.integers(1, extent // unit))
        first = unit * draw(st.integers(-2 if padded else 0, (extent - size) // unit + (2 if padded else 0)))
        tile.append(size)
        offset.append(first)
        room = (extent - max(first, 0) - size) // unit
        if room > 0 and first >= 0 and draw(st.booleans()):
            stride = unit * draw(st.integers(1, room))
            wrap = draw(st.integers(1, (extent - first - size) // stride + 1))
            traversal.append(Traversal(dimension=d, stride=stride, wrap=wrap))
    order = draw(st.permutations(traversal))
    access = Access(
        layer="a", kernels=(0,), port=0, tile=tuple(tile), offset=tuple(offset), traversal=tuple(order),
        boundary=dimensions if padded else (),
    )  # fmt: skip
    buffer = SharedBuffer(
        name="b", dtype=DataType.INT8, dimensions=dimensions, writers=(), readers=(access,), copies=1,
        before="x", after="y",
    )  # fmt: skip
    return buffer, access


@settings(max_examples=150)
@given(accesses())
def test_a_descriptor_sends_what_the_tiling_parameters_say(pair: tuple[SharedBuffer, Access]) -> None:
    buffer, access = pair
    for d, extent in enumerate(buffer.dimensions):  # something of the buffer is read in every dimension
        assume(access.offset[d] < extent and access.offset[d] + access.tile[d] > 0)
    found = descriptor_of(buffer, access, FACTS)
    assume(not found.unpadded)
    bytes_ = np.arange(1, math.prod(buffer.dimensions) + 1, dtype=np.int64)
    wanted = walk(buffer, access, bytes_).reshape(-1, 4)
    strides = [math.prod(buffer.dimensions[:d]) for d in range(len(buffer.dimensions))]
    start = sum(max(0, o) * s for o, s in zip(access.offset, strides, strict=True)) // 4
    sent = hardware(found, start, bytes_.reshape(-1, 4)[:, 0])
    assert sent == list(wanted[:, 0]), "the first byte of each word, in order"


@given(st.lists(st.integers(1, 20), max_size=6), st.lists(st.integers(1, 20), max_size=6))
def test_pools_are_shared_out_best(writers: list[int], readers: list[int]) -> None:
    """Every legal way to give ports to channels, tried: even channels take the first pool, odd ones the second."""
    assert TILE is not None

    def sums(ports: list[int]) -> set[int]:
        places = itertools.permutations(range(6), len(ports))
        return {sum(n for n, channel in zip(ports, p, strict=True) if channel % 2 == 0) for p in places}

    total = sum(writers) + sum(readers)
    best = min(max(a + b, total - a - b) for a in sums(writers) for b in sums(readers))
    assert pool_need(TILE, writers, readers) == best


def broken(access: Access, dimensions: tuple[int, ...]) -> dict[str, str]:
    """Return the rules that a chain breaks whose first buffer is read so, each with its message."""
    plan = bfloat16_plan(CHAIN)
    reader = replace(access, layer="conv1", kernels=plan.buffers[0].readers[0].kernels)
    write = replace(plan.buffers[0].writers[0], tile=dimensions, offset=(0,) * len(dimensions), traversal=())
    first = replace(plan.buffers[0], dimensions=dimensions, writers=(write,), readers=(reader,))
    try:
        check(replace(plan, buffers=(first, *plan.buffers[1:])), network_of(CHAIN).spec)
    except CannotFit as e:
        return {p.rule: f"{p.line}: {p.text}; {p.remedy}" for p in e.problems}
    return {}


def read(tile: tuple[int, ...], traversal: tuple[tuple[int, int, int], ...] = (), left: int = 0) -> Access:
    loops = tuple(Traversal(dimension=d, stride=s, wrap=w) for d, s, w in traversal)
    return Access(
        layer="", kernels=(), port=0, tile=tile, offset=(-left, *(0 for _ in tile[1:])), traversal=loops
    )


# rule: a legal access and its buffer, one that is a step beyond, the numbers of the message
LIMITS = {
    "memtile-5": (
        read((4, 2, 2, 2), ((0, 4, 2),)),
        read((4, 2, 2, 2), ((0, 4, 2), (1, 3, 2))),
        (8, 8, 8, 8),
        "address dimensions of a memory tile's DMA: 6, at most 5",
    ),
    "memtile-6": (read((4, 2)), read((3, 2)), (8, 4), "extents of no whole 4-byte words: 1, at most 0"),
    "memtile-7": (
        read((2 * 1024, 2)),
        read((2 * 1031, 2)),
        (2 * 1040, 2),
        "steps of an inner address dimension: 1031, at most 1024",
    ),
}


@pytest.mark.parametrize("rule", LIMITS)
def test_a_step_beyond_a_field_is_refused_by_its_rule(rule: str) -> None:
    good, bad, dimensions, words = LIMITS[rule]
    assert rule not in broken(good, dimensions)
    message = broken(bad, dimensions)[rule]
    line = next(i for i, row in enumerate(CHAIN.splitlines(), 1) if "  conv1: {" in row)
    assert message.startswith(f"{line}: ")
    assert words in message
    assert "use fewer cores: or bands:" in message


def test_a_step_is_at_most_what_its_field_holds() -> None:
    for words, refused in ((131072, False), (131073, True)):
        found = broken(read((2, 1), ((1, 1, 2),)), (2 * words, 2))
        assert ("memtile-8" in found) == refused
    assert "4-byte words of an address step: 131073, at most 131072" in found["memtile-8"]


def test_iterations_are_at_most_64() -> None:
    def five_loops(outer: int) -> Access:
        return read((2, 1, 1, 1, 1), ((0, 4, 2), (1, 2, 2), (2, 2, 2), (3, 2, 2), (4, 2, outer)))

    big = (8, 4, 4, 4, 130)
    assert "memtile-7" not in broken(five_loops(64), big)
    assert "iterations of a buffer descriptor: 65, at most 64" in broken(five_loops(65), big)["memtile-7"]


@pytest.mark.parametrize(("dimension", "limit"), [(0, 63), (1, 31), (2, 15), (3, 0)])
@pytest.mark.parametrize("side", ["before", "after"])
def test_zeros_are_at_most_what_their_field_holds(dimension: int, limit: int, side: str) -> None:
    """Words in dimension 0, runs in the others; a fourth dimension gets none."""
    dimensions, tile = (8, 4, 4, 4), [4, 2, 2, 2]
    for zeros in (limit, limit + 1):
        size = 2 * zeros if dimension == 0 else zeros
        inside = tile[dimension]
        widened = tuple(n + size if d == dimension else n for d, n in enumerate(tile))
        offset = tuple(-size if d == dimension and side == "before" else 0 for d in range(4))
        boundary = tuple(
            (inside if side == "after" else n) if d == dimension else n for d, n in enumerate(dimensions)
        )
        access = replace(read(widened), offset=offset, boundary=boundary)
        found = broken(access, dimensions).get("memtile-9", "")
        words = f"address dimension {dimension}: {limit + 1}, at most {limit}"
        assert (words in found) == (zeros > limit), found


def test_pools_of_descriptors_are_24_and_24() -> None:
    """Two ports with 24 copies each take one pool each; three such ports have none for the third."""
    plan = bfloat16_plan(CHAIN)
    first = plan.buffers[0]
    small = replace(first.readers[0], tile=(8, 1, 1), offset=(0, 0, 0), boundary=())
    write = replace(first.writers[0], tile=(8, 1, 1), offset=(0, 0, 0), traversal=())
    for readers, copies, used in ((1, 24, 0), (2, 24, 48), (1, 25, 25)):
        buffer = replace(
            first, dimensions=(8, 1, 1), writers=(write,), readers=(small,) * readers, copies=copies
        )
        try:
            check(replace(plan, buffers=(buffer, *plan.buffers[1:])), network_of(CHAIN).spec)
            message = ""
        except CannotFit as e:
            message = "".join(p.text for p in e.problems if p.rule == "memtile-3")
        pattern = rf"even or odd channels: {used}, at most 24"
        assert bool(re.search(pattern, message)) == bool(used), message
