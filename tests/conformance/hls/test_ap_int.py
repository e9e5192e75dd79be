"""ap_int against Python's integers: values and the documented result widths [UG1399]."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.conformance.hls.programs import HERE, Program, build

Type = tuple[int, bool]  # width, signed

# Around every border of the storage, and all four combinations of signs.
PAIRS: tuple[tuple[Type, Type], ...] = (
    ((1, False), (1, True)),
    ((7, True), (9, False)),
    ((8, False), (8, False)),
    ((16, True), (16, True)),
    ((31, True), (33, False)),
    ((32, False), (32, True)),
    ((63, False), (2, True)),
    ((64, True), (64, True)),
    ((64, False), (64, True)),
    ((65, True), (12, False)),
    ((100, False), (128, True)),
    ((128, True), (128, False)),
    ((129, False), (64, True)),
    ((200, True), (300, True)),
    ((1024, False), (37, True)),
    ((2048, True), (2048, False)),
)


def fit(value: int, kind: Type) -> int:
    """Return a value's low bits read as `kind`."""
    width, signed = kind
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def quotient(a: int, b: int) -> int:
    """C's division, towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def expected(a: int, ta: Type, b: int, tb: Type, shift: int) -> Iterator[tuple[str, int, bool, int]]:
    """What the program prints for one case, from the manual's tables."""
    (wa, sa), (wb, sb) = ta, tb
    common = max(wa + (sb and not sa), wb + (sa and not sb))
    signed = sa or sb
    yield "a", wa, sa, a
    yield "+", common + 1, signed, a + b
    yield "-", common + 1, True, a - b
    yield "*", wa + wb, signed, a * b
    if b:
        yield "/", wa + sb, signed, quotient(a, b)
        yield "%", min(wa, wb + (not sb and sa)), sa, a - b * quotient(a, b)
    for name, value in (("&", a & b), ("|", a | b), ("^", a ^ b)):
        yield name, common, signed, fit(value, (common, signed))
    yield "~", wa, sa, fit(~a, ta)
    yield "neg", wa + 1, True, -a
    yield "<<", wa, sa, fit(a << shift, ta)
    yield ">>", wa, sa, fit(a >> shift, ta)
    yield "concat", wa + wb, False, fit(a, (wa, False)) << wb | fit(b, (wb, False))
    yield "assign", wb, sb, fit(a, tb)
    relations = (a == b, a != b, a < b, a > b, a <= b, a >= b)
    yield "compare", 6, False, sum(int(holds) << i for i, holds in enumerate(relations))
    yield "int", 32, True, fit(a, (32, True))
    yield "uint64", 64, False, fit(a, (64, False))
    yield from _bits(a, ta, b, shift % wa)


def _bits(a: int, ta: Type, b: int, at: int) -> Iterator[tuple[str, int, bool, int]]:
    wa, sa = ta
    plain = fit(a, (wa, False))
    text = f"{plain:0{wa}b}"
    yield "range", wa, False, plain >> at
    yield "turned", wa, False, int(text[: wa - at][::-1], 2)
    yield "insert", wa, sa, fit(plain & ((1 << at) - 1) | b << at, ta)
    yield "flip", wa, sa, fit(a ^ 1 << at, ta)
    yield "update", wa, sa, fit(fit(a + b, ta) << 1, ta)
    yield "reduce", 3, False, ("0" not in text) | ("1" in text) << 1 | (text.count("1") % 2) << 2
    yield "count", 16, False, wa - plain.bit_length()
    yield "rotate", wa, sa, fit(plain >> at | plain << (wa - at), ta)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    def name(kind: Type) -> str:
        return f"ap_{'' if kind[1] else 'u'}int<{kind[0]}>"

    types = "".join(f"PAIR({i}, {name(a)}, {name(b)})\n" for i, (a, b) in enumerate(PAIRS))
    return build(tmp_path_factory.mktemp("int"), HERE / "int_ops.cpp", types=types)


def _values(kind: Type, rng: random.Random) -> list[int]:
    width, signed = kind
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    few = rng.getrandbits(min(width, 20))
    return [
        low,
        high,
        0,
        fit(1, kind),
        fit(-1, kind),
        fit(few, kind),
        *(rng.randint(low, high) for _ in range(4)),
    ]


def test_operators_and_widths(program: Program) -> None:
    rng = random.Random(1)
    cases = []
    for number, (ta, tb) in enumerate(PAIRS):
        for a in _values(ta, rng):
            b = rng.choice(_values(tb, rng))
            cases.append((number, a, b, rng.randrange(0, ta[0] + 3)))
    printed = iter(program.run([f"{n} {a} {b} {s}" for n, a, b, s in cases]))
    for number, a, b, shift in cases:
        ta, tb = PAIRS[number]
        got: dict[str, tuple[str, str, str]] = {}
        for line in printed:
            if line == "end":
                break
            what, width, signed, value = line.split(" ")
            got[what] = (width, signed, value)
        where = f"{ta} {a} with {tb} {b}, shift {shift}"
        for what, bits, is_signed, exact in expected(a, ta, b, tb, shift):
            assert got.pop(what) == (str(bits), str(int(is_signed)), str(exact)), f"{what}: {where}"
        assert (
            float.fromhex(got.pop("double")[2]) == float(a) if a.bit_length() < 1024 else got.pop("double")
        ), where
        assert (got.pop("hex")[2], got.pop("bin")[2]) == (shown(a, ta, 16), shown(a, ta, 2)), where
        assert not got


def shown(value: int, kind: Type, radix: int) -> str:
    """The text of a number as AMD's class prints it, by what its program of all widths printed.

    A prefix; a minus in radix 16; else a zero bit in front where the number has one to spare; beyond 64 bits capitals, and a whole
    zero digit.
    """
    width, _ = kind
    bits = bin(abs(value) if value < 0 and radix == 16 else fit(value, (width, False)))[2:]
    spare = value >= 0 and len(bits) < width
    if value == 0:
        return "0" if width > 64 else {2: "0b0", 16: "0x0"}[radix]
    if width <= 64:
        bits = "0" * spare + bits
    digits = bits if radix == 2 else f"{int(bits, 2):0{-(-len(bits) // 4)}x}"
    if width > 64:
        digits = "0" * spare + digits.upper()
    return ("-" if value < 0 and radix == 16 else "") + {2: "0b", 16: "0x"}[radix] + digits


REFUSALS = {
    "channel": "[hls-axis] get_user() of a word that has no user",
    "index": "[ap-range] bit 8 of a number of 8 bits",
    "range": "[ap-range] bit -1 of a number of 8 bits",
    "zero": "[ap-divide] an ap_int is divided by zero",
    "text": "[ap-string] '12Z' is not a number in radix 10",
    "nan": "[ap-float] a number that is infinite or not a number",
}


@pytest.fixture(scope="module")
def behaviour(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return build(tmp_path_factory.mktemp("behaviour"), HERE / "int_behaviour.cpp")


@pytest.mark.parametrize("what", REFUSALS)
def test_refusals(behaviour: Program, what: str) -> None:
    said = behaviour.run([what], code=97)
    assert REFUSALS[what] in said[0]
    assert said[1].startswith("  fix: ")


def test_behaviour_in_expressions(behaviour: Program) -> None:
    """What int_behaviour.cpp prints, worked out by hand beside each line there."""
    assert behaviour.run(["all"]) == ["ok"]
