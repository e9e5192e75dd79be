"""Quasi-affine expressions of loop indices: sums, products, quotients and remainders with constants, and what they can be.

What is built is simplified at once by the intervals of its parts: `(8 * i + j) // 8` with j below 8 is `i`. Quotients are
rounded down, and are printed as C++ only where nothing is negative, so that both languages agree.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
# of indices by name, and of named expressions, once known, by identity
Values = MutableMapping[str | int, Integers]


class Expression:
    """A number that follows from loop indices."""

    @property
    def interval(self) -> tuple[int, int]:
        """The least and the largest value that it can have, as far as its parts tell."""
        raise NotImplementedError

    def value(self, given: Values) -> Integers:
        """Return its values for those of the indices; those of named parts are entered as they are met."""
        raise NotImplementedError

    def where(self, given: Mapping[str, Expression]) -> Expression:
        """Return the expression with others in place of indices."""
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Expression, ...]:
        """What it is made of."""
        return ()

    def __add__(self, other: Expression | int) -> Expression:
        return _sum(self, expression(other))

    def __sub__(self, other: Expression | int) -> Expression:
        return _difference(self, expression(other))

    def __mul__(self, factor: Expression | int) -> Expression:
        return _product(self, expression(factor))

    def __floordiv__(self, divisor: Expression | int) -> Expression:
        return _quotient(self, expression(divisor))

    def __mod__(self, divisor: Expression | int) -> Expression:
        return _remainder(self, expression(divisor))

    def within(self, count: int) -> bool:
        """Tell whether it is never negative and always below `count`."""
        low, high = self.interval
        return low >= 0 and high < count


@dataclass(frozen=True)
class Constant(Expression):
    """A number; in generated code by its name, if it has one, with `note` beside its definition."""

    number: int
    name: str = ""
    note: str = ""

    @property
    def interval(self) -> tuple[int, int]:
        """The number itself."""
        return self.number, self.number

    def value(self, given: Values) -> Integers:  # noqa: ARG002
        """Return the number."""
        return np.array(self.number, np.int64)

    def where(self, given: Mapping[str, Expression]) -> Expression:  # noqa: ARG002
        """Return the number."""
        return self


@dataclass(frozen=True)
class Index(Expression):
    """The index of a loop: 0, 1, ... below `count`."""

    name: str
    count: Constant

    @property
    def interval(self) -> tuple[int, int]:
        """The first and the last step."""
        return 0, self.count.number - 1

    def value(self, given: Values) -> Integers:
        """Return what is given for it."""
        return given[self.name]

    def where(self, given: Mapping[str, Expression]) -> Expression:
        """Return what is given for it, or itself."""
        return given.get(self.name, self)


@dataclass(frozen=True)
class Named(Expression):
    """An expression with a name, which generated code computes once; `below` is known of it where it matters, or None."""

    name: str
    meaning: Expression
    below: int | None = None

    @property
    def interval(self) -> tuple[int, int]:
        """Those of what it means, as far as they matter."""
        low, high = self.meaning.interval
        return low, high if self.below is None else min(high, self.below - 1)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """What it means."""
        return (self.meaning,)

    def value(self, given: Values) -> Integers:
        """Return the values of what it means, computed once."""
        if id(self) not in given:
            given[id(self)] = self.meaning.value(given)
        return given[id(self)]

    def where(self, given: Mapping[str, Expression]) -> Expression:
        """Return what it means with others in place of indices, by its name."""
        return named(self.name, self.meaning.where(given), self.below)


@dataclass(frozen=True)
class Operation(Expression):
    """Two expressions and a sign; with `*`, `/` (rounded down) and `%` (never negative) the second is a constant."""

    left: Expression
    sign: str
    right: Expression

    @cached_property
    def interval(self) -> tuple[int, int]:
        """The least and the largest value that it can have, as far as its parts tell."""
        (a, b), (c, d) = self.left.interval, self.right.interval
        match self.sign:
            case "+":
                return a + c, b + d
            case "-":
                return a - d, b - c
            case "*":
                return min(a * c, b * c), max(a * c, b * c)
            case "/":
                return a // c, b // c
        return 0, c - 1

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Both."""
        return self.left, self.right

    @property
    def by(self) -> int:
        """The constant of a product, quotient or remainder."""
        return self.right.interval[0]

    def value(self, given: Values) -> Integers:
        """Return its values for those of the indices."""
        return _VALUES[self.sign](self.left.value(given), self.right.value(given))

    def where(self, given: Mapping[str, Expression]) -> Expression:
        """Return the expression with others in place of indices."""
        return _MADE[self.sign](self.left.where(given), self.right.where(given))


def expression(value: Expression | int) -> Expression:
    """Return a number as an expression."""
    return value if isinstance(value, Expression) else Constant(value)


def index(name: str, count: int, size: str = "", note: str = "") -> Index:
    """Return the index `name` of a loop of `count` steps, which generated code calls `size`."""
    return Index(name, Constant(count, size, note))


def named(name: str, meaning: Expression, below: int | None = None) -> Expression:
    """Return an expression with a name; what is a name, an index or a number by itself needs none."""
    return meaning if isinstance(meaning, Constant | Index | Named) else Named(name, meaning, below)


def coefficients(of: Expression) -> dict[str, int] | None:
    """Return by how much each index moves an affine expression, its constant under ""; None where it is not affine."""
    found = {"": 0}
    for term, factor in _terms(of, 1):
        if isinstance(term, Operation):
            return None
        name, by = (term.name, factor) if isinstance(term, Index) else ("", factor * term.interval[0])
        found[name] = found.get(name, 0) + by
    return found


def is_constant(e: Expression, number: int) -> bool:
    """Tell whether an expression is a number, be it named."""
    return isinstance(e, Constant) and e.number == number


def meaning(e: Expression) -> Expression:
    """Return what an expression's name stands for."""
    return e.meaning if isinstance(e, Named) else e


def _terms(e: Expression, factor: int) -> Iterator[tuple[Expression, int]]:
    """Yield the terms of a sum, each with its factor."""
    e = meaning(e)
    if isinstance(e, Operation) and e.sign in "+-":
        yield from _terms(e.left, factor)
        yield from _terms(e.right, factor if e.sign == "+" else -factor)
    elif isinstance(e, Operation) and e.sign == "*":
        yield from _terms(e.left, factor * e.by)
    else:
        yield e, factor


def _known(a: Expression, b: Expression) -> bool:
    """Tell whether both are numbers without names."""
    return all(isinstance(e, Constant) and not e.name for e in (a, b))


def _sum(a: Expression, b: Expression) -> Expression:
    if is_constant(b, 0):
        return a
    if is_constant(a, 0):
        return b
    if _known(a, b):
        return Constant(a.interval[0] + b.interval[0])
    whole, rest = meaning(a), meaning(b)
    if isinstance(whole, Operation) and isinstance(rest, Operation) and (whole.sign, rest.sign) == ("*", "%"):
        of = meaning(whole.left)
        if (
            isinstance(of, Operation)
            and of.sign == "/"
            and of.left == rest.left
            and of.by == whole.by == rest.by
        ):
            return rest.left
    return Operation(a, "+", b)


def _difference(a: Expression, b: Expression) -> Expression:
    if is_constant(b, 0):
        return a
    return Constant(a.interval[0] - b.interval[0]) if _known(a, b) else Operation(a, "-", b)


def _product(a: Expression, factor: Expression) -> Expression:
    if is_constant(factor, 1):
        return a
    if is_constant(factor, 0) or is_constant(a, 0):
        return Constant(0)
    if is_constant(a, 1):
        return factor
    return Constant(a.interval[0] * factor.interval[0]) if _known(a, factor) else Operation(a, "*", factor)


def _divided(e: Expression, by: int) -> Expression | None:
    """Return a multiple of a number divided by it; None where `e` is not known to be one."""
    e = meaning(e)
    if isinstance(e, Constant):
        return None if e.number % by else Constant(e.number // by)
    if isinstance(e, Operation) and e.sign == "*":
        if e.by % by == 0:
            return e.left * (e.by // by)
        inner = _divided(e.left, by)
        return None if inner is None else inner * e.right
    return None


def _parted(e: Expression, by: int) -> tuple[Expression, Expression]:
    """Return `e / by` of the terms that are multiples of a number, and the sum of the others."""
    e = meaning(e)
    if isinstance(e, Operation) and e.sign in "+-":
        (a, b), (c, d) = _parted(e.left, by), _parted(e.right, by)
        return _MADE[e.sign](a, c), _MADE[e.sign](b, d)
    whole = _divided(e, by)
    return (Constant(0), e) if whole is None else (whole, Constant(0))


def _quotient(e: Expression, by: Expression) -> Expression:
    number = by.interval[0]
    low, high = (end // number for end in e.interval)
    if number == 1:
        return e
    if low == high:
        return Constant(low)
    whole, rest = _parted(e, number)
    return whole if rest.within(number) else Operation(e, "/", by)


def _remainder(e: Expression, by: Expression) -> Expression:
    number = by.interval[0]
    if number == 1:
        return Constant(0)
    if e.within(number):
        return e
    if isinstance(e, Constant):
        return Constant(e.number % number)
    rest = _parted(e, number)[1]
    return rest if rest.within(number) else Operation(e, "%", by)


_MADE: dict[str, Callable[[Expression, Expression], Expression]] = {
    "+": _sum, "-": _difference, "*": _product, "/": _quotient, "%": _remainder,
}  # fmt: skip
_VALUES: dict[str, Callable[[Integers, Integers], Integers]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
}  # fmt: skip
