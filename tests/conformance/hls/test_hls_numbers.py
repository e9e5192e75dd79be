"""ap_float against exact fractions rounded once, hls::FIR against a convolution, hls::fft against NumPy's."""

from __future__ import annotations

import math
import random
import struct
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from tests.conformance.hls.programs import HERE, Program, build


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return build(tmp_path_factory.mktemp("numbers"), HERE / "numbers.cpp")


@dataclass(frozen=True, slots=True)
class Format:
    """ap_float<w, e>: bits as IEEE 754 lays them, no denormalised numbers, one NaN [UG1399, PG060]."""

    w: int
    e: int

    @property
    def fraction(self) -> int:
        return self.w - self.e - 1

    @property
    def bias(self) -> int:
        return (1 << (self.e - 1)) - 1

    def value(self, bits: int) -> Fraction | float:
        """The number of some bits; a float for infinities and NaN, and for zeros, which have signs."""
        sign = -1 if bits >> (self.w - 1) else 1
        exponent = bits >> self.fraction & ((1 << self.e) - 1)
        fraction = bits & ((1 << self.fraction) - 1)
        if exponent == 0:
            return math.copysign(0.0, sign)
        if exponent == (1 << self.e) - 1:
            return math.nan if fraction else sign * math.inf
        return (
            sign
            * Fraction(fraction + (1 << self.fraction))
            * Fraction(2) ** (exponent - self.bias - self.fraction)
        )

    def bits(self, x: Fraction | float) -> int:
        """The bits of a number, rounded to nearest, ties to even; too small is zero, too large infinite."""
        top = (1 << self.e) - 1
        if isinstance(x, float) and math.isnan(x):
            return top << self.fraction | 1 << (self.fraction - 1)
        negative = math.copysign(1, x) < 0 if isinstance(x, float) else x < 0
        sign = int(negative) << (self.w - 1)
        if isinstance(x, float) and (math.isinf(x) or x == 0):
            return sign | (top << self.fraction if x else 0)
        size = abs(Fraction(x))
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > size
        units = round(size / Fraction(2) ** (exponent - self.fraction))  # Python's round: ties to even
        if units == 2 << self.fraction:
            exponent, units = exponent + 1, 1 << self.fraction
        if exponent > self.bias:
            return sign | top << self.fraction
        if exponent < 1 - self.bias:
            return sign
        return sign | (exponent + self.bias) << self.fraction | (units - (1 << self.fraction))


FORMATS = {
    "half": Format(16, 5),
    "bfloat16": Format(16, 8),
    "odd": Format(18, 5),
    "float": Format(32, 8),
    "double": Format(64, 11),
}
Number = Fraction | float


def exact(operation: str, a: Number, b: Number, c: Number) -> Number:
    """The operation's result before rounding, by IEEE 754's rules for zeros and infinities."""
    if any(isinstance(x, float) and math.isnan(x) for x in ((a, b, c) if operation == "fma" else (a, b))):
        return math.nan
    if operation == "add":
        return plus(a, b)
    if operation == "sub":
        return plus(a, -b)
    if operation == "mul":
        return times(a, b)
    if operation == "fma":
        return plus(times(a, b), c)
    return over(a, b)


def is_finite(x: Number) -> bool:
    return isinstance(x, Fraction) or x == 0


def plus(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b or 0.0
    if is_finite(a) and is_finite(b):
        return a if isinstance(a, Fraction) else b if isinstance(b, Fraction) else a + b
    return float(a if not is_finite(a) else 0) + float(b if not is_finite(b) else 0)


def signs(a: Number, b: Number) -> float:
    return math.copysign(1, a) * math.copysign(1, b)


def times(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    if is_finite(a) and is_finite(b):
        return math.copysign(0.0, signs(a, b))
    return math.nan if a == 0 or b == 0 else math.copysign(math.inf, signs(a, b))


def over(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    if (a == 0 and b == 0) or (not is_finite(a) and not is_finite(b)):
        return math.nan
    return math.copysign(0.0 if a == 0 or not is_finite(b) else math.inf, signs(a, b))


def operands(f: Format, chance: random.Random) -> int:
    """Bits of all kinds: special ones, neighbours in exponent, extremes, anything."""
    kind = chance.randrange(6)
    sign, fraction = chance.getrandbits(1) << (f.w - 1), chance.getrandbits(f.fraction)
    top = (1 << f.e) - 1
    if kind == 0:
        return sign | chance.choice(
            (0, 1, top << f.fraction, top << f.fraction | 1, (top - 1) << f.fraction | fraction)
        )
    if kind in {1, 2}:
        near = f.bias + chance.randint(-3, 3)
        return (
            sign
            | near << f.fraction
            | chance.choice((fraction, 0, (1 << f.fraction) - 1, 1, 1 << (f.fraction - 1)))
        )
    if kind == 3:
        return sign | chance.randint(1, f.fraction + 4) << f.fraction | fraction
    return sign | chance.randint(1, top - 1) << f.fraction | fraction


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div", "fma"])
def test_ap_float_rounds_each_result_once(program: Program, name: str, operation: str) -> None:
    f, chance = FORMATS[name], random.Random(operation)
    rows = [tuple(operands(f, chance) for _ in range(3)) for _ in range(3000)]
    said = program.run([name, *(f"{operation} {a:x} {b:x} {c:x}" for a, b, c in rows)])
    wanted = [f.bits(exact(operation, *map(f.value, row))) for row in rows]
    wrong = [(row, made, w) for row, made, w in zip(rows, said, wanted, strict=True) if int(made, 16) != w]
    assert not wrong, wrong[:3]


@pytest.mark.parametrize("name", FORMATS)
def test_ap_float_roots_order_and_doubles(program: Program, name: str) -> None:
    f, chance = FORMATS[name], random.Random(name)
    rows = [(operands(f, chance), operands(f, chance)) for _ in range(2000)]
    roots = program.run([name, *(f"sqrt {a:x} 0 0" for a, _ in rows)])
    for (a, _), root in zip(rows, map(lambda text: int(text, 16), roots), strict=True):
        x, y = f.value(a), f.value(root)
        if isinstance(x, Fraction) and x > 0:
            assert isinstance(y, Fraction)
            unit = f.value(root + 1) - y  # y is nearest: sqrt(x) lies within half a unit of it
            assert (y - unit / 2) ** 2 <= x <= (y + unit / 2) ** 2
        else:
            assert root == f.bits(
                math.nan if isinstance(x, Fraction) or x == -math.inf or math.isnan(x) else x
            )
    ordered = program.run([name, *(f"compare {a:x} {b:x} 0" for a, b in rows)])
    for (a, b), text in zip(rows, ordered, strict=True):
        x, y = f.value(a), f.value(b)
        assert text == "".join(str(int(t)) for t in (x < y, x <= y, x == y, x != y, x >= y, x > y))
    doubles = [operands(FORMATS["double"], chance) for _ in range(2000)]
    made = program.run([name, *(f"from {d:x} 0 0" for d in doubles)])
    for d, text in zip(doubles, made, strict=True):
        value = struct.unpack("<d", struct.pack("<Q", d))[0]
        is_small = d >> 52 & 0x7FF == 0  # a double may be denormalised, and is a number then
        assert int(text, 16) == f.bits(Fraction(value) if is_small and value else FORMATS["double"].value(d))


TAPS = np.array([0.125, -2, 3.5, 40, 3.5, -2, 0.125, 1, 2, 3, -4, 5.25, 6, -7]).reshape(2, 7)
QUANTISED = np.round(np.array([0.3, -0.3, 1.1, 0.06, 0.0624, -5.01, 2]) * 8) / 8  # 3 bits behind the point


@pytest.mark.parametrize(
    ("name", "up", "down"), [("plain", 1, 1), ("up", 3, 1), ("down", 1, 4), ("rounded", 1, 1)]
)
def test_fir_is_a_convolution_that_goes_on_from_frame_to_frame(
    program: Program, name: str, up: int, down: int
) -> None:
    rng = np.random.default_rng(5)
    sets = [0, 1, 1, 0] if name != "rounded" else [0, 0, 0, 0]
    quarters = rng.integers(-32768, 32768, (len(sets), 24))
    lines = [f"{s} {' '.join(map(str, frame))}" for s, frame in zip(sets, quarters, strict=True)]
    made = np.array([float(x) for x in program.run([name, *lines])]).reshape(len(sets), -1)
    stuffed = np.zeros(quarters.size * up)
    stuffed[::up] = quarters.ravel() / 4
    taps = TAPS if name != "rounded" else QUANTISED[None]
    whole = np.array(
        [np.convolve(stuffed, t)[: stuffed.size] for t in taps]
    )  # every set over the whole input
    per_frame = whole.reshape(len(taps), len(sets), -1)[
        :, :, down - 1 :: down
    ]  # the last of each `down` is kept
    assert np.array_equal(made, np.array([per_frame[s, i] for i, s in enumerate(sets)]))


def test_fft_forwards_and_backwards(program: Program) -> None:
    rng = np.random.default_rng(6)
    x = (rng.standard_normal(64) + 1j * rng.standard_normal(64)).astype(np.complex64)
    lines = [f"{v.real:.9g} {v.imag:.9g}" for v in x]
    rows = np.array([[float(np.float32(t)) for t in line.split()] for line in program.run(["fft", *lines])])
    made = (rows[:, 0] + 1j * rows[:, 1]).reshape(2, 64)
    order = [int(f"{i:06b}"[::-1], 2) for i in range(64)]
    inverse = np.fft.ifft(x.astype(complex)) * 64  # direction 0 is the inverse transform, unscaled
    forward = np.fft.fft(x.astype(complex))
    for got, wanted in ((made[0], inverse[order]), (made[1], forward)):
        # Both are computed in double: float32's half unit, and what cancels in double.
        for part in (np.real, np.imag):
            error = np.abs(part(got) - part(wanted))
            assert np.all(error <= np.spacing(np.abs(part(wanted)).astype(np.float32)) * 0.5001 + 1e-13), (
                error
            )


def test_what_a_filter_or_a_transform_has_not(program: Program) -> None:
    frame = "0 " * 24
    assert (
        "[hls-fir] hls::FIR: set 2 of 2 sets of coefficients"
        in program.run(["plain", f"2 {frame}"], code=97)[0]
    )
    assert (
        "[hls-fft] hls::fft: a cyclic prefix of 16 samples is not emulated"
        in program.run(["prefix"], code=97)[0]
    )
