"""An order of elements: a nest of loops, and the place in an array that each of its iterations has.

    Layout(loops=(i, j), axes=(Axis("row", 8 * i + j, 20), Axis("column", i, 3)))

is one element after another, `j` fastest, of an array `[row][column]`. A place outside the array is padding: the element is
there, but holds nothing of the array. So a matrix cut into tiles, the lines that a window sees, and the words of a stream are
each one value, from which tables (`gather`), loops of generated code (aieloom.layout.cpp) and the steps of a DMA
(aieloom.layout.dma) follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aieloom.layout.expression import Constant, Expression, Index, Integers, Values, expression, named

PADDING = -1  # the place of an element that lies outside the array
PIECE = 1 << 20  # places that are computed at once, about
Element = TypeVar("Element", bound=np.generic)


@dataclass(frozen=True)
class Axis:
    """A dimension of an array: the place along it, which is padding where it is negative or not below `size`."""

    name: str
    place: Expression
    size: Constant

    @property
    def is_inside(self) -> bool:
        """Whether no place is padding, as far as intervals tell."""
        return self.place.within(self.size.number)


def axis(name: str, place: Expression | int, size: int | Constant) -> Axis:
    """Return an axis whose place has its name."""
    return Axis(name, named(name, expression(place)), size if isinstance(size, Constant) else Constant(size))


@dataclass(frozen=True)
class Layout:
    """Loops from the slowest to the fastest, axes from the outermost, and further limits beyond which there is padding."""

    loops: tuple[Index, ...]
    axes: tuple[Axis, ...]
    limits: tuple[Axis, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Steps of each loop."""
        return tuple(i.count.number for i in self.loops)

    @property
    def elements(self) -> int:
        """Elements in all."""
        return math.prod(self.shape)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The array's shape."""
        return tuple(a.size.number for a in self.axes)

    @property
    def bounds(self) -> tuple[Axis, ...]:
        """What tells padding: limits and axes that have something outside."""
        return tuple(a for a in (*self.limits, *self.axes) if not a.is_inside)

    def at(self, **places: int) -> Layout:
        """Return the part of the order where these loops are at these steps."""
        return self.where({name: Constant(place) for name, place in places.items()})

    def where(self, given: Mapping[str, Expression], loops: tuple[Index, ...] | None = None) -> Layout:
        """Return the order with expressions in place of indices; without `loops`, of those that are left."""
        left = tuple(i for i in self.loops if i.name not in given) if loops is None else loops

        def put(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
            return tuple(replace(a, place=a.place.where(given)) for a in axes)

        return Layout(left, put(self.axes), put(self.limits))

    def simplified(self) -> Layout:
        """Return the order without loops of one step and without limits that hold anyway."""
        made = self.where({i.name: Constant(0) for i in self.loops if i.count.number == 1})
        return replace(made, limits=tuple(a for a in made.limits if not a.is_inside))

    def ordered(self, *names: str) -> Layout:
        """Return the elements in the order of other loops: those named, then the others as they are."""
        first = {i.name: i for i in self.loops if i.name in names}
        others = tuple(i for i in self.loops if i.name not in names)
        return replace(self, loops=(*(first[n] for n in names), *others))

    def inside(self, name: str, last: int) -> Layout:
        """Return the elements in the order with a loop moved inwards, so that `last` loops are faster."""
        others = [i for i in self.loops if i.name != name]
        own = next(i for i in self.loops if i.name == name)
        at = len(others) - last
        return replace(self, loops=(*others[:at], own, *others[at:]))

    def then(self, array: Layout) -> Layout:
        """Return the order in the array that `array` makes up this one's array from: its loops are this one's axes.

        Raises:
            ValueError: they are not, in name or size.
        """
        if [(i.name, n) for i, n in zip(array.loops, array.shape, strict=True)] != [
            (a.name, n) for a, n in zip(self.axes, self.sizes, strict=True)
        ]:
            text = f"axes {[a.name for a in self.axes]} {self.sizes} are not loops {[i.name for i in array.loops]}"
            raise ValueError(f"{text} {array.shape}")
        inner = array.where({a.name: a.place for a in self.axes}, loops=())
        return Layout(self.loops, inner.axes, (*self.limits, *self.axes, *inner.limits))

    def words(self, lanes: int) -> Layout:
        """Return the order with its fastest loops as `word` and `lane`: as many as fill words of so many elements.

        Where all of them do not, the last word is filled up with padding.
        """
        lane = Index("lane", Constant(lanes, "Lanes", "elements of a word"))
        count, fused, outer = 1, list[Index](), list(self.loops)
        while outer and count % lanes:
            loop = outer.pop()
            steps, need = loop.count.number, lanes // math.gcd(count, lanes)
            if steps % need == 0 and steps > need:  # a part of the loop fills words
                size = f"{loop.count.name}Words" if loop.count.name else ""
                outer.append(Index(loop.name, Constant(steps // need, size, f"{steps} / {need}")))
                loop = Index(loop.name, lane.count if need == lanes else Constant(need))
            fused.append(loop)
            count *= loop.count.number
        word = Index("word", Constant(-(-count // lanes), "Words", f"{count} / {lanes}"))
        element = named("element", word * lane.count + lane)
        rest, given = element, dict[str, Expression]()
        for loop in fused:
            cut = [i for i in outer if i.name == loop.name]
            if cut:
                given[loop.name] = cut[0] * loop.count + rest
            elif loop is fused[-1]:
                given[loop.name] = named(loop.name, rest, loop.count.number)
            else:
                given[loop.name] = rest % loop.count
            rest = rest // loop.count
        made = self.where(given, loops=(*outer, word, lane))
        filled = () if count % lanes == 0 else (Axis("element", element, Constant(count)),)
        return replace(made, limits=(*filled, *made.limits))

    def places(self) -> tuple[Integers, ...]:
        """Return each element's place along each axis, those of padding too."""
        values = self._values()
        return tuple(np.broadcast_to(a.place.value(values), self.shape).ravel() for a in self.axes)

    def flat(self) -> Integers:
        """Return each element's place in the array, its axes one after another, or PADDING."""
        values, bounds = self._values(), self.bounds
        place = np.zeros((), np.int64)
        for a in self.axes:
            place = place * a.size.number + a.place.value(values)
        for bound in bounds:
            at = bound.place.value(values)
            place = np.where((at >= 0) & (at < bound.size.number), place, PADDING)
        return np.broadcast_to(place, self.shape).ravel()

    def _values(self) -> Values:
        grid = np.ogrid[tuple(slice(0, n) for n in self.shape)] if self.loops else ()
        return {i.name: np.asarray(g, np.int64) for i, g in zip(self.loops, grid, strict=True)}

    def gather(self, array: NDArray[Element], outside: ArrayLike = 0) -> NDArray[Element]:
        """Return the elements `(..., elements)` of arrays `(..., *sizes)`; `outside`, or an element's own, for padding."""
        batch = array.shape[: array.ndim - len(self.sizes)]
        if array.shape != (*batch, *self.sizes):
            raise ValueError(f"an array of shape {array.shape} does not end in {self.sizes}")
        flat = array.reshape(*batch, -1)
        found = np.empty((*flat.shape[:-1], self.elements), array.dtype)
        found[:] = outside
        begin = 0
        for piece in self._pieces():
            places = piece.flat()
            part = found[..., begin : begin + len(places)]
            np.copyto(part, np.take(flat, places, axis=-1), where=places != PADDING)
            begin += len(places)
        return found

    def _pieces(self) -> Iterator[Layout]:
        """Yield the order in parts, one after another, whose places take little memory."""
        steps = self.loops[0].count.number if self.loops else 1
        if self.elements <= PIECE or self.elements // steps < PIECE >> 8:
            yield self
        else:
            for step in range(steps):
                yield from self.at(**{self.loops[0].name: step})._pieces()


def plain(name: str, sizes: Mapping[str, int | Constant]) -> Layout:
    """Return an array's elements in the order of its axes; loops are called `name` and the axis."""
    loops = tuple(
        Index(f"{name}{key}", n if isinstance(n, Constant) else Constant(n)) for key, n in sizes.items()
    )
    return Layout(loops, tuple(Axis(key, i, i.count) for key, i in zip(sizes, loops, strict=True)))


@dataclass(frozen=True, slots=True)
class Table:
    """Values `(..., *order.sizes)` by the name of their destination; without an order they stand there as they are.

    Where the order has padding, `outside` stands: one value, or one for each element.
    """

    name: str
    values: NDArray[Any]
    order: Layout | None = None
    outside: NDArray[Any] | float = 0

    @property
    def elements(self) -> NDArray[Any]:
        """The elements `(..., order.elements)` as their reader finds them."""
        return self.order.gather(self.values, self.outside) if self.order else self.values
