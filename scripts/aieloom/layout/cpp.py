"""A layout as C++: the loops of a nest, what is computed in it, where its elements lie, and the constants used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aieloom import cpp_text
from aieloom.layout.expression import Constant, Expression, Index, Named, Operation
from aieloom.layout.nest import Axis, Layout

INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopView:
    """A loop, or a counter, as templates print it."""

    name: str
    count: str
    indent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NestView:
    """A nest as templates print it: its loops, and in the innermost the numbers that follow, by name, and the place."""

    loops: tuple[LoopView, ...]
    indent: str  # of what stands in the innermost loop
    names: tuple[str, ...]  # definitions, each a line
    padded: bool  # whether a place may be padding; `inside` then tells
    place: str  # in the array, its axes one after another
    places: tuple[str, ...]  # along each axis
    constants: tuple[cpp_text.Constant, ...]

    def chosen(self, value: str, outside: str) -> str:
        """Return the C++ of a value where the place is none of padding, else of another."""
        return f"inside ? {value} : {outside}" if self.padded else value


def nest(
    layout: Layout, prefix: str = "k", indent: int = 1, unrolled: int = 0, *, by_axis: bool = False
) -> NestView:
    """Return a layout as a nest whose constants' names begin with `prefix`; `unrolled` loops are left to the template.

    Templates print the place in the array, or that along each axis: `by_axis`.

    Raises:
        ValueError: a number is divided that may be negative, which C++ rounds otherwise.
    """
    layout = layout.simplified()
    axes, bounds = layout.axes, layout.bounds
    place: Expression = Constant(0)
    for a in axes:
        place = place * a.size + a.place
    used = [*(b.place for b in bounds), *((a.place for a in axes) if by_axis else (place,))]
    kept = [(i.name, _text(i.count, prefix)) for i in layout.loops[: len(layout.loops) - unrolled]]
    sizes = [i.count for i in layout.loops] + [b.size for b in bounds if b.place.interval[1] >= b.size.number]
    inside = [text for b in bounds for text in _condition(b, prefix)]
    return NestView(
        loops=nested(kept, indent),
        indent=INDENT * (indent + len(kept)),
        names=(
            *(f"const int {n.name} = {_text(n.meaning, prefix)};" for n in _names(used)),
            *([f"const bool inside = {' && '.join(dict.fromkeys(inside))};"] if inside else ()),
        ),
        padded=bool(inside),
        place=_text(place, prefix),
        places=tuple(_text(a.place, prefix) for a in axes),
        constants=_constants([*sizes, *used], prefix),
    )


def nested(loops: Sequence[tuple[str, str]], indent: int = 1) -> tuple[LoopView, ...]:
    """Return loops of (name, count), each in the one before it."""
    return tuple(
        LoopView(name=name, count=count, indent=INDENT * (indent + depth))
        for depth, (name, count) in enumerate(loops)
    )


def stride(layout: Layout, name: str, block: str, prefix: str = "k") -> str:
    """Return what a loop's steps are multiplied by: how far apart they lie, the two fastest loops being a `block`."""
    loops = layout.loops[:-2]
    inner = loops[[i.name for i in loops].index(name) + 1 :]
    return " * ".join((*(_text(i.count, prefix) for i in inner), block))


def _condition(bound: Axis, prefix: str) -> Iterator[str]:
    low, high = bound.place.interval
    if low < 0:
        yield f"0 <= {_text(bound.place, prefix)}"
    if high >= bound.size.number:
        yield f"{_text(bound.place, prefix)} < {_text(bound.size, prefix)}"


def _names(used: Iterable[Expression]) -> list[Named]:
    """Return the named numbers, each behind those that it needs.

    Raises:
        ValueError: two have one name.
    """
    found = dict[str, Named]()

    def visit(e: Expression) -> None:
        for part in e.parts:
            visit(part)
        if isinstance(e, Named) and found.setdefault(e.name, e) != e:
            both = f"{_text(found[e.name].meaning, '')} and {_text(e.meaning, '')}"
            raise ValueError(f"two numbers are called {e.name}: {both}")

    for e in used:
        visit(e)
    return list(found.values())


def _constants(used: Iterable[Expression], prefix: str) -> tuple[cpp_text.Constant, ...]:
    """Return the named constants that expressions are printed with."""
    found = dict[str, Constant]()

    def visit(e: Expression) -> None:
        for part in e.parts:
            visit(part)
        if isinstance(e, Constant) and e.name:
            other = found.setdefault(e.name, e)
            if other.number != e.number:
                raise ValueError(f"two constants are called {e.name}: {other.number}, {e.number}")
            found[e.name] = other if other.note else e

    for e in used:
        visit(e)
    return tuple(cpp_text.Constant(f"{prefix}{c.name}", c.number, c.note) for c in found.values())


def _text(e: Expression, prefix: str, *, braces: bool = False) -> str:
    """Return an expression as C++; a sum in braces where it stands beside another sign than plus."""
    if isinstance(e, Constant):
        return f"{prefix}{e.name}" if e.name else str(e.number)
    if not isinstance(e, Operation):
        assert isinstance(e, Index | Named)
        return e.name
    if e.sign in "+-":
        text = f"{_text(e.left, prefix)} {e.sign} {_text(e.right, prefix, braces=e.sign == '-')}"
        return f"({text})" if braces else text
    if e.sign != "*" and e.left.interval[0] < 0:
        text = f"C++ rounds {_text(e.left, prefix)}, which may be {e.left.interval[0]}, otherwise than down"
        raise ValueError(text)
    return f"{_text(e.left, prefix, braces=True)} {e.sign} {_text(e.right, prefix)}"
