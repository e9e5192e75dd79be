"""Tensors as values of another, by strides: what reshapes, transposes and slices make of it without moving anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

Shape = tuple[int, ...]
Part = tuple[int, int]  # size, stride
Dim = tuple[Part, ...]  # of one axis, the slowest first; none of an axis of length 1


@dataclass(frozen=True, slots=True)
class View:
    """A tensor as values of another, `of`, counted from `offset` on along each axis by its parts.

    `of` is laid out as rows or as an image, `shape` (batch first): its values are counted as that shape has them.
    """

    of: str
    shape: Shape
    image: bool
    dims: tuple[Dim, ...]
    offset: int = 0

    @property
    def seen(self) -> Shape:
        """The shape that the model's file gives it."""
        return tuple(prod(n for n, _ in dim) for dim in self.dims)

    @property
    def parts(self) -> list[Part]:
        """All axes' parts, neighbours that are one taken together."""
        found: list[Part] = []
        for size, stride in (p for dim in self.dims for p in dim):
            if found and found[-1][1] == stride * size:
                found[-1] = (found[-1][0] * size, stride)
            else:
                found.append((size, stride))
        return found

    @property
    def in_order(self) -> bool:
        """Whether it has all values of `of` in their order."""
        count = prod(self.shape)
        return self.offset == 0 and self.parts == ([(count, 1)] if count > 1 else [])

    def reshaped(self, shape: Shape) -> View | None:
        """Return it under another shape; None where an axis would need more than strides."""
        rest, found = self.parts, list[Dim]()
        for length in reversed(shape):
            dim, left = list[Part](), length
            while left > 1:
                size, stride = rest.pop()
                taken = min(size, left)
                if size % taken or left % taken:
                    return None
                if taken < size:
                    rest.append((size // taken, stride * taken))
                dim.insert(0, (taken, stride))
                left //= taken
            found.insert(0, tuple(dim))
        return replace(self, dims=tuple(found))

    def transposed(self, order: list[int]) -> View:
        """Return it with its axes in another order."""
        return replace(self, dims=tuple(self.dims[i] for i in order))

    def sliced(self, axis: int, start: int, count: int, step: int) -> View | None:
        """Return every `step`-th of an axis; None where the axis has several parts."""
        dim = self.dims[axis]
        if len(dim) > 1:
            stride = dim[0][1]
            inner = prod(n for n, _ in dim[1:])
            if step != 1 or start % inner or count % inner:
                return None
            new: Dim = ((count // inner, stride), *dim[1:]) if count > inner else dim[1:]
            offset = self.offset + start // inner * stride
        else:
            stride = dim[0][1] if dim else 0
            new, offset = (((count, stride * step),) if count > 1 else ()), self.offset + start * stride
        return replace(self, dims=(*self.dims[:axis], new, *self.dims[axis + 1 :]), offset=offset)

    def dropped(self, axis: int) -> View:
        """Return it without an axis of length 1."""
        return replace(self, dims=(*self.dims[:axis], *self.dims[axis + 1 :]))


def view_of(name: str, stored: Shape, seen: Shape, *, image: bool) -> View:
    """Return a tensor as it lies; `stored` is its shape as nodes see it, `seen` that of the model's file."""
    strides = [prod(seen[i + 1 :]) for i in range(len(seen))]
    dims = tuple(((n, s),) if n > 1 else () for n, s in zip(seen, strides, strict=True))
    return View(name, stored, image, dims)
