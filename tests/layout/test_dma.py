"""Dimensions of a DMA visit what the loops of their layout do, however they are joined, split and counted in words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.layout.dma import Dimension, in_words, merged, split, walk
from aieloom.layout.expression import Constant, Expression, Index, expression, index
from aieloom.layout.nest import PADDING, Axis, Layout, axis

FEW = st.integers(1, 5)


def visited(dimensions: Iterable[Dimension], first: int = 0) -> list[int]:
    """Return the places in the order in which a DMA comes to them, PADDING for a zero: a dimension inside another [AM029]."""
    found = [first]
    for d in reversed(list(dimensions)):
        assert min(d.wrap, d.before, d.after) >= 0
        before, after = [PADDING] * d.before, [PADDING] * d.after
        runs = (
            [PADDING] * d.wrap if at == PADDING else [at + step * d.step for step in range(d.wrap)]
            for at in found
        )
        found = [place for run in runs for place in (*before, *run, *after)]
    return found


@st.composite
def places(draw: st.DrawFn, loops: tuple[Index, ...]) -> Expression:
    """Return a sum of indices by small numbers; most of them are left out, most of the others are counted once."""
    found = expression(draw(st.integers(-2, 2)))
    for loop in draw(st.permutations(loops)):
        found += loop * draw(st.sampled_from((0, 0, 0, 1, 1, 1, 2, -1)))
    return found


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Return a layout of loops of any number of steps, one too; its axes and limits cut off what they do."""
    loops = tuple(index(name, draw(st.sampled_from((1, 1, 2, 3, 4)))) for name in "abcd"[: draw(FEW)])
    axes, limits = (
        tuple(axis(name, draw(places(loops)), draw(st.integers(1, 7))) for name in names[: draw(st.integers(low, 2))])
        for names, low in (("yx", 1), ("zw", 0))
    )  # fmt: skip
    return Layout(loops, axes, limits)


def is_along_one_loop(layout: Layout, bound: Axis) -> bool:
    """Tell whether a place goes on by one a step along one loop and by nothing along the others."""
    grid = np.indices(layout.shape)
    at = np.broadcast_to(
        bound.place.value({i.name: g for i, g in zip(layout.loops, grid, strict=True)}), layout.shape
    )
    moves = [{int(n) for n in np.diff(at, axis=number).flat} for number in range(len(layout.loops))]
    return sorted(m for of in moves for m in of if m) == [1]


@given(layouts())
def test_a_walk_comes_to_what_its_layout_s_loops_do(layout: Layout) -> None:
    flat, found = layout.flat().tolist(), walk(layout)
    apart = sum(not is_along_one_loop(layout, b) for b in layout.bounds)
    if set(flat) != {PADDING}:
        assert found.unpadded == apart
    elif not apart:
        assert found.unpadded, "nothing is left beside which zeros could be"
    if not found.unpadded:
        assert visited(found.dimensions, found.first) == flat
        assert all(d.wrap != 1 or d.padded for d in found.dimensions[1:]), "what never turns is no dimension"


def test_a_limit_may_lie_along_any_loop_beside_those_of_one_step() -> None:
    """Two rows of zeros above and one below, one column at the left; a loop of one step that would move both is none."""
    once, row, column = index("once", 1), index("row", 6), index("column", 3)
    y, x = once + row - 2, once * 2 + column - 1
    found = walk(Layout((row, once, column), (axis("y", y, 3), axis("x", x, 5))))
    assert found.dimensions == (
        Dimension(wrap=2, step=1, before=1, after=0),
        Dimension(wrap=3, step=5, before=2, after=1),
    )
    assert (found.first, found.unpadded) == (0, 0)


def test_one_step_between_zeros_is_a_dimension_and_one_of_the_fastest_loop_too() -> None:
    last, only, first, run = (
        index(name, n) for name, n in (("last", 2), ("only", 3), ("first", 2), ("run", 1))
    )
    axes = (axis("z", last, 1), axis("y", only - 1, 1), axis("x", first - 1, 1), axis("w", run, 1))
    assert [(d.wrap, d.before, d.after) for d in walk(Layout((last, only, first, run), axes)).dimensions] == [
        (1, 0, 0),
        (1, 1, 0),
        (1, 1, 1),
        (1, 0, 1),
    ]


@pytest.mark.parametrize("first", [-3, -2, -1, 4, 5])
@pytest.mark.parametrize("rows", [1, 2])
def test_rows_of_which_all_are_zeros_are_no_dimension(first: int, rows: int) -> None:
    """A descriptor puts zeros beside what it reads, and reads something [AM029]: at least one row of four."""
    found = walk(
        Layout(
            (index("row", rows), index("x", 8)),
            (axis("y", index("row", rows) + first, 4), axis("x", index("x", 8), 8)),
        )
    )
    assert bool(found.unpadded) == (first + rows <= 0 or first >= 4)


def test_a_place_divided_is_no_walk() -> None:
    r = index("r", 4)
    with pytest.raises(ValueError, match="no steps along y"):
        walk(Layout((r,), (axis("y", r // 2, 2),)))


@st.composite
def dimensions(draw: st.DrawFn) -> list[Dimension]:
    """Return dimensions, some of which go on where the one inside them ends, some with zeros beside them."""
    found = list[Dimension]()
    for _ in range(draw(st.integers(1, 4))):
        goes_on = found[-1].wrap * found[-1].step if found else 1
        zeros = draw(st.sampled_from(((0, 0), (0, 0), (0, 0), (1, 0), (0, 2))))
        step = draw(st.sampled_from((goes_on, goes_on, goes_on + 1, 0)))
        least = 2 if found and not any(zeros) else 1  # what never turns is no dimension but a run of one
        wrap = draw(st.integers(least, 6))
        found.append(Dimension(wrap=wrap, step=step, before=zeros[0], after=zeros[1]))
    return found


@given(dimensions())
def test_joined_dimensions_come_to_the_same(apart: list[Dimension]) -> None:
    found = merged(apart)
    assert visited(found) == visited(apart)
    for inner, outer in pairwise(found):
        if not (inner.padded or outer.padded):
            assert outer.step != inner.wrap * inner.step, "none is left that another goes on with"
    assert len(found) == 1 or found[0].wrap > 1 or found[0].padded


@given(dimensions(), st.integers(1, 4))
def test_split_dimensions_come_to_the_same(whole: list[Dimension], most: int) -> None:
    found = split(whole, most)
    assert visited(found) == visited(whole)
    assert found[-1] == whole[-1], "the last one runs on"
    long = [d for d in found[:-1] if d.wrap > most]
    products = {a * b for a in range(1, most + 1) for b in range(1, most + 1)}
    assert all(d.padded or d.wrap not in products for d in long), "what may be cut in two is"


@given(st.sampled_from((1, 2, 4, 8)), st.data())
def test_words_are_those_that_elements_lie_in(size: int, data: st.DataObject) -> None:
    """Runs of whole words: of the first element of each word its word, of 8 bytes both."""
    apart = data.draw(dimensions())
    unit = max(1, 4 // size)
    first, *others = apart
    run = Dimension(wrap=unit * first.wrap, step=1, before=unit * first.before, after=unit * first.after)
    elements = [run, *(Dimension(wrap=d.wrap, step=d.step * unit, before=d.before, after=d.after) for d in others)]  # fmt: skip
    starts = visited(elements)[::unit]
    wanted = [
        PADDING if at == PADDING else at * size // 4 + part
        for at in starts
        for part in range(max(1, size // 4))
    ]
    assert visited(in_words(elements, size)) == wanted


def test_a_part_of_a_word_counts_as_one() -> None:
    """5 bytes are 2 words, and so are 7 and 6; what is above a run counts runs."""
    run, rows = Dimension(wrap=5, step=1, before=7, after=6), Dimension(wrap=3, step=9, before=1, after=2)
    assert in_words([run, rows], 1) == [
        Dimension(wrap=2, step=1, before=2, after=2),
        Dimension(wrap=3, step=3, before=1, after=2),
    ]


def test_a_tile_of_rows_is_two_dimensions() -> None:
    """Four rows of 24, every second of nine from the second row on: blocks of eight beside each other are one run."""
    r, c, e = index("r", 4), index("c", 3), index("e", 8)
    found = walk(Layout((r, c, e), (Axis("y", r * 2 + 1, Constant(9)), axis("x", c * 8 + e, 24))))
    assert found.first == 24
    assert [(d.wrap, d.step) for d in merged(found.dimensions)] == [(24, 1), (4, 48)]
