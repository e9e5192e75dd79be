"""Orders of elements against plain nested loops, and what is printed of them against their tables."""

from __future__ import annotations

import operator
import shutil
import subprocess
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.layout.cpp import nest
from aieloom.layout.expression import Expression, Index, index, named
from aieloom.layout.nest import PADDING, Axis, Layout, axis, plain

Meaning = Callable[[Mapping[str, int]], int]
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
LOOPS = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(
    lambda counts: tuple(index(name, n) for name, n in zip("abcd", counts, strict=False))
)


@st.composite
def expressions(draw: st.DrawFn, loops: tuple[Index, ...], depth: int = 3) -> tuple[Expression, Meaning]:
    """Return an expression of indices, and what it means in plain Python."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        loop = draw(st.sampled_from(loops))
        return loop, lambda at: at[loop.name]
    left, means = draw(expressions(loops, depth - 1))
    sign = draw(st.sampled_from(sorted(OPERATORS)))
    does = OPERATORS[sign]
    if sign in "+-" and draw(st.booleans()):
        right, also = draw(expressions(loops, depth - 1))
        return does(left, right), lambda at: does(means(at), also(at))
    number = draw(st.integers(1, 7))
    return does(left, number), lambda at: does(means(at), number)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_expressions_are_simplified_without_another_value(data: st.DataObject) -> None:
    loops = data.draw(LOOPS)
    found, means = data.draw(expressions(loops))
    low, high = found.interval
    values = found.value({i.name: np.arange(i.count.number) for i in loops}) if len(loops) == 1 else None
    for at in product(*(range(i.count.number) for i in loops)):
        env = {i.name: step for i, step in zip(loops, at, strict=True)}
        wanted = means(env)
        assert int(found.value({k: np.array(v) for k, v in env.items()})) == wanted
        assert low <= wanted <= high
        if values is not None:
            assert int(np.broadcast_to(values, (loops[0].count.number,))[at[0]]) == wanted


@st.composite
def layouts(draw: st.DrawFn) -> tuple[Layout, list[tuple[Meaning, int]]]:
    """Return a layout of two axes with what the places and a limit mean."""
    loops = draw(LOOPS)
    made = [draw(expressions(loops)) for _ in range(3)]
    sizes = [draw(st.integers(1, 12)) for _ in range(3)]
    row, column, limit = (axis(n, e, s) for n, (e, _), s in zip("yxz", made, sizes, strict=True))
    return Layout(loops, (row, column), (limit,)), [(m, s) for (_, m), s in zip(made, sizes, strict=True)]


def by_loops(layout: Layout, means: list[tuple[Meaning, int]]) -> list[int]:
    """The definition: loop by loop, the place in [y][x], or PADDING where any is not within its size."""
    found = []
    for at in product(*(range(n) for n in layout.shape)):
        env = {i.name: step for i, step in zip(layout.loops, at, strict=True)}
        places = [m(env) for m, _ in means]
        inside = all(0 <= p < size for p, (_, size) in zip(places, means, strict=True))
        found.append(places[0] * means[1][1] + places[1] if inside else PADDING)
    return found


@settings(max_examples=150, deadline=None)
@given(layouts(), st.integers(1, 8))
def test_a_layout_is_its_loops_and_its_words_are_the_same_elements(
    pair: tuple[Layout, list[tuple[Meaning, int]]], lanes: int
) -> None:
    layout, means = pair
    wanted = by_loops(layout, means)
    assert layout.flat().tolist() == layout.simplified().flat().tolist() == wanted
    words = layout.words(lanes)
    filled = words.flat().tolist()
    assert filled == wanted + [PADDING] * (-len(wanted) % lanes)
    assert words.shape[-1] == lanes
    array = np.arange(100, 100 + layout.sizes[0] * layout.sizes[1]).reshape(1, *layout.sizes)
    got = layout.gather(array, outside=-7)
    assert got.tolist() == [[-7 if p == PADDING else 100 + p for p in wanted]]
    own = -np.arange(1, 1 + layout.elements)  # padding of each element's own
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("aieloom.layout.nest.PIECE", 3)
        got = layout.gather(array, outside=own)
    assert got.tolist() == [[-1 - i if p == PADDING else 100 + p for i, p in enumerate(wanted)]]
    first = layout.loops[0]
    parts = [layout.at(**{first.name: step}).flat() for step in range(first.count.number)]
    assert np.concatenate(parts).tolist() == wanted
    last = layout.ordered(*(i.name for i in reversed(layout.loops)))
    assert last.flat().tolist() == layout.flat().reshape(layout.shape).T.ravel().tolist()


def test_a_layout_in_a_layout_is_a_layout() -> None:
    """Rows of blocks of 2 x 3, of a matrix that is the lower left of another one, turned."""
    i, k, a, b = index("i", 4), index("k", 2), index("a", 2), index("b", 3)
    blocks = Layout((i, k, a, b), (axis("row", i * 2 + a, 7), axis("column", k * 3 + b, 6)))
    row, column = index("row", 7), index("column", 6)
    turned = Layout((row, column), (Axis("x", column, index("", 6).count), axis("y", row + 3, 9)))
    array = np.arange(54).reshape(6, 9)
    wanted = [
        array[3 * k + b, 2 * i + a + 3] if 2 * i + a < 6 else -1
        for i, k, a, b in product(range(4), range(2), range(2), range(3))
    ]
    assert blocks.then(turned).gather(array, -1).tolist() == wanted
    with pytest.raises(ValueError, match="are not loops"):
        turned.then(blocks)


def examples() -> dict[str, Layout]:
    """Return layouts with all that is printed: names, constants, limits on both sides, words with a rest."""
    image = plain("", {"channel": 3, "y": 5, "x": 7})
    i, j, w = index("i", 6, "Rows", "of the image"), index("j", 4), index("w", 3)
    y = named("first", i * 2) - 3
    place = named("number", j * 3 + w)
    seen = Layout(
        (i, j, w), (axis("y", y + w, 9), axis("x", place // 5 * 5 + place % 5, 11)), (axis("z", i - 1, 4),)
    )
    return {"plain": image, "words": image.words(4), "seen": seen, "seen_in_words": seen.words(8)}


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_printed_loops_give_the_layout(tmp_path: Path) -> None:
    text, wanted = ["#include <cstdio>"], []
    for name, layout in examples().items():
        found = nest(layout, prefix=f"k{name}")
        text += [f"constexpr int {c.name} = {c.value};  // {c.note}" for c in found.constants]
        text += [f"void {name}() {{"]
        text += [
            f"{i.indent}for (int {i.name} = 0; {i.name} < {i.count}; ++{i.name}) {{" for i in found.loops
        ]
        text += [*found.names, f'std::printf("%d\\n", {found.chosen(found.place, "-1")});']
        text += ["}" * len(found.loops), "}"]
        wanted += layout.flat().tolist()
    text += [f"int main() {{ {' '.join(f'{name}();' for name in examples())} }}"]
    (tmp_path / "loops.cpp").write_text("\n".join(text))
    subprocess.run(["g++", "-Wall", "-Werror", "-o", tmp_path / "loops", tmp_path / "loops.cpp"], check=True)
    out = subprocess.run([tmp_path / "loops"], check=True, capture_output=True, text=True).stdout
    assert [int(line) for line in out.split()] == wanted


def test_an_image_in_words_needs_no_division() -> None:
    found = nest(examples()["words"])
    assert found.names == ("const int element = word * kLanes + lane;", "const bool inside = element < 105;")
    assert found.chosen(found.place, "0") == "inside ? element : 0"


def test_two_numbers_of_one_name_are_refused() -> None:
    i, j = index("i", 9), index("j", 9)
    with pytest.raises(ValueError, match=r"two numbers are called n: i \+ 1 and j \+ 1"):
        nest(Layout((i, j), (axis("y", named("n", i + 1) * 2, 99), axis("x", named("n", j + 1) * 2, 99))))


def test_what_c_rounds_otherwise_is_refused() -> None:
    i = index("i", 9)
    with pytest.raises(ValueError, match=r"C\+\+ rounds i - 4"):
        nest(Layout((i,), (axis("y", (i - 4) // 2, 9),)))


def test_an_array_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 2\) does not end in \(2, 3\)"):
        plain("", {"y": 2, "x": 3}).gather(np.zeros((3, 2)))
