"""ap_fixed against exact fractions: formats of results, and every quantisation and overflow mode [UG1399]."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest

from tests.conformance.hls.programs import HERE, Program, build


@dataclass(frozen=True, slots=True)
class Format:
    """ap_fixed<w, i> or ap_ufixed<w, i>, with its modes."""

    w: int
    i: int
    signed: bool = True
    q: str = "AP_TRN"
    o: str = "AP_WRAP"
    n: int = 0

    @property
    def f(self) -> int:
        """Bits behind the point."""
        return self.w - self.i

    def range(self) -> tuple[int, int]:
        """The least and the largest of its whole numbers."""
        return (-(1 << (self.w - 1)), (1 << (self.w - 1)) - 1) if self.signed else (0, (1 << self.w) - 1)

    def value(self, bits: int) -> Fraction:
        """The value of a whole number's bits."""
        return Fraction(bits) * Fraction(2) ** -self.f

    def cpp(self) -> str:
        """The type in C++."""
        return f"ap_{'' if self.signed else 'u'}fixed<{self.w}, {self.i}, {self.q}, {self.o}, {self.n}>"


def rounded(x: Fraction, mode: str) -> int:
    """A number to a whole one, by the words of the manual's table of quantisation modes."""
    floor = math.floor(x)
    tie = x - floor == Fraction(1, 2)
    if mode == "AP_TRN":
        return floor
    if mode == "AP_TRN_ZERO":
        return math.trunc(x)
    if not tie:
        return round(x)
    ceiling = floor + 1
    return {
        "AP_RND": ceiling,
        "AP_RND_ZERO": ceiling if x < 0 else floor,
        "AP_RND_MIN_INF": floor,
        "AP_RND_INF": floor if x < 0 else ceiling,
        "AP_RND_CONV": floor if floor % 2 == 0 else ceiling,
    }[mode]


def overflowed(value: int, to: Format) -> int:
    """A whole number into a format, by the words of the manual's table of overflow modes."""
    low, high = to.range()
    if to.o == "AP_SAT_SYM" and to.signed:
        low = -high
    if low <= value <= high:
        return value
    if to.o in ("AP_SAT", "AP_SAT_SYM"):
        return low if value < 0 else high
    if to.o == "AP_SAT_ZERO":
        return 0
    return _wrapped(value, to)


def _wrapped(value: int, to: Format) -> int:
    """AP_WRAP and AP_WRAP_SM on the digits of the number in two's complement, the top first (IEEE 1666, 7.10.9)."""
    digits = [value >> k & 1 for k in reversed(range(to.w + 1))]
    deleted, kept = digits[0], digits[1:]
    sign = int(value < 0)
    if to.o == "AP_WRAP" and to.n:
        kept = [sign, *[1 - sign] * (to.n - 1), *kept[to.n :]] if to.signed else [1] * to.n + kept[to.n :]
    elif to.o == "AP_WRAP_SM" and to.n == 0:
        kept = [deleted, *(d if deleted == kept[0] else 1 - d for d in kept[1:])]
    elif to.o == "AP_WRAP_SM":
        fixed = [sign, *[1 - sign] * (to.n - 1)]
        flip = fixed[-1] ^ kept[to.n - 1]
        kept = [*fixed, *(d ^ flip for d in kept[to.n :])]
    plain = int("".join(map(str, kept)), 2)
    return plain - (1 << to.w) if to.signed and kept[0] else plain


def put(x: Fraction, to: Format) -> int:
    """The bits of a value in a format."""
    return overflowed(rounded(x * Fraction(2) ** to.f, to.q), to)


PAIRS = (
    (Format(8, 4), Format(8, 4)),
    (Format(6, 3, False), Format(9, 2)),
    (Format(16, 6, False), Format(22, 14)),
    (Format(12, -2), Format(10, 13, False)),
    (Format(33, 1), Format(32, 16, False)),
    (Format(70, 40), Format(64, 20)),
    (Format(24, 24), Format(5, 2, False)),
)
ROUNDINGS = ("AP_RND", "AP_RND_ZERO", "AP_RND_MIN_INF", "AP_RND_INF", "AP_RND_CONV", "AP_TRN", "AP_TRN_ZERO")
OVERFLOWS = (
    ("AP_SAT", 0),
    ("AP_SAT_ZERO", 0),
    ("AP_SAT_SYM", 0),
    ("AP_WRAP", 0),
    ("AP_WRAP", 1),
    ("AP_WRAP", 3),
    ("AP_WRAP_SM", 0),
    ("AP_WRAP_SM", 1),
)
SOURCE = Format(10, 6)
CASTS = (
    *((Format(6, 4, s, q, "AP_SAT"), SOURCE) for q, s in product(ROUNDINGS, (True, False))),
    *(
        (Format(5, 3, s, "AP_RND_CONV", o, n), SOURCE)
        for (o, n), s in product(OVERFLOWS, (True, False))
        if s or o != "AP_WRAP_SM"
    ),
    (Format(8, 9, True, "AP_RND_INF", "AP_SAT"), SOURCE),
    (Format(4, 20, True, "AP_RND"), SOURCE),
    (Format(90, 30, True, "AP_RND_ZERO", "AP_SAT_SYM"), Format(140, 40)),
)
FIRST_CAST = 100


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    def plain(f: Format) -> str:
        return f.cpp().replace(", ", " COMMA ")

    types = "".join(f"PAIR({i}, {plain(a)}, {plain(b)})\n" for i, (a, b) in enumerate(PAIRS))
    types += "".join(f"CAST({FIRST_CAST + i}, {plain(b)}, {plain(a)})\n" for i, (b, a) in enumerate(CASTS))
    return build(tmp_path_factory.mktemp("fixed"), HERE / "fixed_ops.cpp", types=types)


def _logic(a: int, fa: Format, b: int, fb: Format, to: Format) -> Iterator[tuple[str, Format, int]]:
    """The bits side by side at a common point."""
    x, y = a << (to.f - fa.f), b << (to.f - fb.f)
    for name, bits in (("&", x & y), ("|", x | y), ("^", x ^ y)):
        yield name, to, overflowed(bits, to)


def expected(a: int, fa: Format, b: int, fb: Format) -> Iterator[tuple[str, Format, int]]:
    """What the program prints for one pair, from the manual's formats."""
    x, y = fa.value(a), fb.value(b)
    whole = max(fa.i + (fb.signed and not fa.signed), fb.i + (fa.signed and not fb.signed))
    behind = max(fa.f, fb.f)
    signed = fa.signed or fb.signed
    for name, exact, to in (
        ("+", x + y, Format(whole + 1 + behind, whole + 1, signed)),
        ("-", x - y, Format(whole + 1 + behind, whole + 1)),
        ("*", x * y, Format(fa.w + fb.w, fa.i + fb.i, signed)),
        ("neg", -x, Format(fa.w + 1, fa.i + 1)),
        ("int", x + 5, _sum(fa, Format(32, 32))),
        ("ap_int", 6 * x, Format(3 + fa.w, 3 + fa.i, fa.signed)),
    ):
        bits = exact * Fraction(2) ** to.f
        assert bits.denominator == 1  # these formats hold every result
        yield name, to, int(bits)
    if b:
        to = Format(fb.signed + fa.w + max(fb.f, 0), fb.signed + fa.i + fb.f, signed)
        yield "/", to, math.trunc(x / y * Fraction(2) ** to.f)
    yield from _logic(a, fa, b, fb, Format(whole + behind, whole, signed))
    yield "~", fa, overflowed(~a, fa)
    yield "<<", fa, overflowed(a << 2, fa)
    yield ">>", fa, a >> 3
    yield "update", fa, put(x + y, fa)
    yield "++", fa, put(x + 1, fa)


def _sum(fa: Format, fb: Format) -> Format:
    whole = max(fa.i + (fb.signed and not fa.signed), fb.i + (fa.signed and not fb.signed)) + 1
    return Format(whole + max(fa.f, fb.f), whole, fa.signed or fb.signed)


def _bits(f: Format, rng: random.Random) -> list[int]:
    low, high = f.range()
    return [low, high, 0, 1, *(rng.randint(low, high) for _ in range(5))]


def _results(lines: Iterator[str]) -> dict[str, tuple[str, str, str, str]]:
    got: dict[str, tuple[str, str, str, str]] = {}
    for line in lines:
        if line == "end":
            break
        what, w, i, s, value = line.split(" ")
        got[what] = (w, i, s, value)
    return got


@pytest.mark.integration
def test_operators_and_formats(program: Program) -> None:
    rng = random.Random(2)
    cases = [(n, a, rng.choice(_bits(fb, rng))) for n, (fa, fb) in enumerate(PAIRS) for a in _bits(fa, rng)]
    printed = iter(program.run([f"op {n} {a} {b}" for n, a, b in cases]))
    for n, a, b in cases:
        fa, fb = PAIRS[n]
        got = _results(printed)
        where = f"{fa.cpp()} {a}, {fb.cpp()} {b}"
        for what, to, bits in expected(a, fa, b, fb):
            assert got.pop(what) == (str(to.w), str(to.i), str(int(to.signed)), str(bits)), f"{what}: {where}"
        x, y = fa.value(a), fb.value(b)
        relations = (x == y, x != y, x < y, x > y, x <= y, x >= y)
        assert int(got.pop("compare")[3]) == sum(int(holds) << i for i, holds in enumerate(relations)), where
        whole = overflowed(math.trunc(x), Format(32, 32))
        assert int(got.pop("to_int")[3]) == whole, where
        assert int(got.pop("ap_int_of")[3]) == overflowed(math.trunc(x), Format(12, 12)), where
        assert float.fromhex(got.pop("to_double")[3]) == float(x), where
        assert Fraction(got.pop("decimal")[3]) == x, where
        assert not got


def test_every_mode_of_conversion(program: Program) -> None:
    rng = random.Random(3)
    cases = []
    for n, (to, source) in enumerate(CASTS):
        low, high = source.range()
        every = range(low, high + 1) if source.w <= 10 else [*_bits(source, rng), *_bits(source, rng)]
        cases += [(n, to, source, bits) for bits in every]
    printed = program.run([f"cast {FIRST_CAST + n} {bits}" for n, _, _, bits in cases])
    assert len(printed) == len(cases)
    for (_, to, source, bits), got in zip(cases, printed, strict=True):
        assert int(got) == put(source.value(bits), to), f"{source.value(bits)} into {to.cpp()}"


@pytest.mark.integration
def test_doubles_go_through_the_same_modes(program: Program) -> None:
    rng = random.Random(4)
    values = [
        0.0,
        0.125,
        -0.125,
        0.375,
        -0.375,
        5.5,
        1e-300,
        -1e-300,
        5e-324,
        1e300,
        -1e300,
        2.0**52 + 1,
        0.1,
        -0.1,
    ]
    values += [rng.uniform(-40, 40) for _ in range(20)]
    cases = [
        (n, to, x)
        for n, (to, _) in enumerate(CASTS)
        for x in values
        if to.o[:7] != "AP_WRAP" or abs(x) < 1e200
    ]
    printed = program.run([f"double {FIRST_CAST + n} {x.hex()}" for n, _, x in cases])
    for (_, to, x), got in zip(cases, printed, strict=True):
        assert int(got) == put(Fraction(x), to), f"{x!r} into {to.cpp()}"
