"""hls_math.h by Python's mathematics: of double, float, half, fixed-point and whole numbers, each in its own precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.conformance.hls.programs import Program, build

Of1 = Callable[[float], float]
Of2 = Callable[[float, float], float]
ONE: dict[str, Of1] = {
    **{
        name: getattr(math, name)
        for name in ("sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan")
    },
    **{
        name: getattr(math, name)
        for name in ("asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh", "erf", "erfc")
    },
    **{name: getattr(math, name) for name in ("lgamma", "floor", "ceil", "trunc", "fabs")},
    "tgamma": math.gamma,
    "abs": abs,
    "cbrt": lambda x: x ** (1 / 3),
    "exp2": lambda x: 2.0**x,
    "exp10": lambda x: 10.0**x,
    "recip": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sinpi": lambda x: math.sin(math.pi * x),
    "cospi": lambda x: math.cos(math.pi * x),
    "tanpi": lambda x: math.tan(math.pi * x),
    "asinpi": lambda x: math.asin(x) / math.pi,
    "acospi": lambda x: math.acos(x) / math.pi,
    "atanpi": lambda x: math.atan(x) / math.pi,
    "rint": round,
    "nearbyint": round,
    "round": lambda x: math.floor(x + 0.5),
}
TWO: dict[str, Of2] = {
    **{name: getattr(math, name) for name in ("pow", "atan2", "hypot", "fmod", "remainder", "copysign")},
    "powr": math.pow,
    "divide": lambda x, y: x / y,
    "fdim": lambda x, y: max(x - y, 0.0),
    "fmax": max,
    "fmin": min,
    "maxmag": lambda x, y: max(x, y, key=abs),
    "minmag": lambda x, y: min(x, y, key=abs),
}
X, Y = 0.6875, 0.40625  # exact in every format here
FIXED = tuple(n for n in ONE if n not in ("sin", "cos", "asin", "acos", "atan", "sinpi", "cospi"))
FRACTION = 12  # bits behind the point of ap_fixed<20, 8>
SOURCE = """\
#include <hls_math.h>
#include <cstdio>
int main() {
  const double d[2] = {%a, %a};
  const float f[2] = {%a, %a};
  const half h[2] = {half(d[0]), half(d[1])};
  const ap_fixed<20, 8> a[2] = {d[0], d[1]};
  static_cast<void>(h);
%s
}
"""


def _lines() -> str:
    lines = []
    for name in (*ONE, *TWO):
        for kind in "dfh":
            given = f"{kind}[0]" if name in ONE else f"{kind}[0], {kind}[1]"
            lines.append(f'  std::printf("{name} {kind} %a\\n", static_cast<double>(hls::{name}({given})));')
    lines += [f'  std::printf("{n} a %a\\n", hls::{n}(a[0]).to_double());' for n in FIXED]
    lines += [f'  std::printf("{n} i %d\\n", hls::{n}({i}));' for n, i in WHOLE]
    return "\n".join(lines)


WHOLE = (("sqrt", 26), ("cbrt", 63), ("exp", 3), ("log2", 9), ("recip", 3), ("abs", -7), ("round", 5))
OF_WHOLE = {"sqrt": 5, "cbrt": 3, "exp": 20, "log2": 3, "recip": 0, "abs": 7, "round": 5}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], float]:
    folder = tmp_path_factory.mktemp("math")
    numbers = [f"{v.hex()}" for v in (X, Y)]
    text = SOURCE.replace("%a, %a", ", ".join(numbers), 1).replace("%a, %a", ", ".join(numbers), 1)
    (folder / "values.cpp").write_text(text.replace("%s\n}", _lines() + "\n}"))
    program: Program = build(Path(folder) / "made", folder / "values.cpp")
    words = [line.split() for line in program.run([])]
    return {(name, kind): float.fromhex(v) if "0x" in v else float(v) for name, kind, v in words}


def exact(name: str) -> float:
    return float(ONE[name](X) if name in ONE else TWO[name](X, Y))


def test_doubles_and_floats_are_within_a_place(printed: dict[tuple[str, str], float]) -> None:
    for name in (*ONE, *TWO):
        wanted = exact(name)
        assert math.isclose(printed[name, "d"], wanted, rel_tol=1e-14, abs_tol=1e-16), name
        assert abs(np.float32(printed[name, "f"]) - np.float32(wanted)) <= np.spacing(
            np.float32(abs(wanted))
        ), name


def test_halves_are_rounded_once(printed: dict[tuple[str, str], float]) -> None:
    for name in (*ONE, *TWO):
        assert printed[name, "h"] == float(np.float16(exact(name))), name


def test_fixed_point_results_are_cut_downwards(printed: dict[tuple[str, str], float]) -> None:
    for name in FIXED:
        assert printed[name, "a"] == float(Fraction(math.floor(exact(name) * 2**FRACTION), 2**FRACTION)), name


def test_whole_numbers_give_whole_ones(printed: dict[tuple[str, str], float]) -> None:
    assert {name: printed[name, "i"] for name, _ in WHOLE} == OF_WHOLE
