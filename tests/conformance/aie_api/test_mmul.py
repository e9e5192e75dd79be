"""aie::mmul: every legal shape on both architectures, against sums in Python integers and float32."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from aieloom.spec.architecture import Architecture
from tests.conformance import native
from tests.conformance.aie_api.lane_values import Array, bfloat16_to_float, operands, pack_nibbles, wrap

ARCHITECTURES = ("aie", "aie-ml")
BITS = {"acc48": 48, "acc80": 80, "acc32": 32, "acc64": 64}
Row = tuple[str, str, str, int, int, int, int]  # element types of A and B, accumulator, M, K, N, issue slots


@cache
def rows(arch: str) -> tuple[Row, ...]:
    """Every legal combination of types and shape."""
    found: list[Row] = []
    for entry in Architecture(arch).facts.mmul:
        for a, b in product(entry["a"], entry["b"]):
            for acc, shapes in entry["shapes"].items():
                accs = ("acc48", "acc80") if acc == "acc48_or_acc80" else (acc,)
                found += [(a, b, tag, m, k, n, issue) for tag in accs for m, k, n, issue, _ in shapes]
    return tuple(found)


def test_the_tables_of_shapes_are_complete() -> None:
    assert {arch: len(rows(arch)) for arch in ARCHITECTURES} == {"aie": 87, "aie-ml": 156}


@cache
def program(arch: str) -> str:
    """One program that runs all shapes: mul, mac twice, to_vector of the widest type that shows every bit."""
    calls = "".join(
        f"  shape<{m}, {k}, {n}, {a}, {b}, {tag}, {issue}>();\n" for a, b, tag, m, k, n, issue in rows(arch)
    )
    return (
        """
#include <aie_api/aie.hpp>
#include "support.h"
template <unsigned M, unsigned K, unsigned N, typename A, typename B, typename Tag, unsigned Issue>
[[gnu::noinline]] void shape() {
  using Mm = aie::mmul<M, K, N, A, B, Tag>;
  static_assert(aie::detail::MmulTraits<M, K, N, A, B, Tag>::shape.issue == Issue);
  static_assert(Mm::size_A == M * K && Mm::size_B == K * N && Mm::size_C == M * N);
  static_assert(std::is_same_v<typename Mm::accum_tag, Tag>);
  constexpr unsigned divisor = aie::detail::is_nibble<B> ? 2 : 1;
  const A* a = take<A>(3 * Mm::size_A);
  const B* b = take<B>(3 * Mm::size_B / divisor);
  Mm c;
  for (unsigned i = 0; i < 3; ++i) {
    const auto va = aie::load_v<Mm::size_A>(a + i * Mm::size_A);
    const auto vb = aie::load_v<Mm::size_B>(b + i * Mm::size_B / divisor);
    if (i == 0) {
      c.mul(va, vb);
    } else {
      c.mac(va, vb);
    }
  }
  const typename Mm::accum_type sums = c;
  for (unsigned i = 0; i < Mm::size_C; ++i) {
    give(sums.at(i));
  }
}
int main() {
"""
        + calls
        + "}\n"
    )


def expected(row: Row, a: Array, b: Array) -> Array:
    """Sums of the three products: exact integers cut to the accumulator's width, or float32 rounded step by step."""
    _, _, tag, m, k, n, _ = row
    a, b = a.reshape(3, m, k), b.reshape(3, k, n)
    if tag != "accfloat":
        total = sum(a[i].astype(object) @ b[i].astype(object) for i in range(3))
        return wrap(np.asarray(total, dtype=object), BITS[tag])
    total32 = np.zeros((m, n), dtype=np.float32)
    for i in range(3):
        for step in range(k):
            total32 = total32 + a[i, :, step, None] * b[i, None, step, :]
    return total32


def values(kind: str, raw: Array) -> Array:
    return bfloat16_to_float(raw) if kind == "bfloat16" else raw


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_mmul_every_legal_shape(arch: str) -> None:
    rng = np.random.default_rng(20)
    chosen = []
    data = b""
    for row in rows(arch):
        a = operands(rng, row[0], 3 * row[3] * row[4])
        b = operands(rng, row[1], 3 * row[4] * row[5])
        chosen.append((row, values(row[0], a), values(row[1], b)))
        data += a.tobytes() + (pack_nibbles(b) if row[1] in {"int4", "uint4"} else b.tobytes())
    out = native.run(program(arch), arch, data)
    at = 0
    for row, a, b in chosen:
        want = expected(row, a, b).ravel()
        size = {"acc48": 8, "acc64": 8, "acc80": 16}.get(row[2], 4)
        part = out[at : at + want.size * size]
        at += len(part)
        if row[2] == "accfloat":
            got = np.frombuffer(part, dtype=np.float32)
            np.testing.assert_array_equal(got, want, err_msg=str(row))
        else:
            ints = [
                int.from_bytes(part[i : i + size], "little", signed=True) for i in range(0, len(part), size)
            ]
            assert ints == want.tolist(), row
    assert at == len(out)


SPARSE = {
    ("int8", "int8", 8, 16, 8),
    ("int8", "int8", 4, 16, 16),
    ("int16", "int8", 2, 16, 8),
    ("int16", "int8", 4, 16, 8),
    ("int16", "int16", 2, 8, 8),
    ("int16", "int16", 4, 8, 8),
    ("int16", "int16", 2, 8, 16),
    ("bfloat16", "bfloat16", 4, 16, 4),
    ("bfloat16", "bfloat16", 4, 16, 8),
}


def illegal(arch: str) -> list[tuple[str, str, int, int, int]]:
    """Every shape of powers of two up to 8x32x16 that has vectors but is not in the table; a sample of it."""
    legal = {(a, b, m, k, n) for a, b, _, m, k, n, _ in rows(arch)}
    legal |= SPARSE if arch == "aie-ml" else set()  # as types; a dense B is refused, see test_sparse.py
    pairs = sorted({(a, b) for a, b, *_ in legal if not a.startswith("u") and not b.startswith("u")})
    bits = {"float": 32, "bfloat16": 16, "int4": 4, "int8": 8, "int16": 16, "int32": 32}
    found = []
    for a, b in pairs:
        for m, k, n in product((1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4, 8, 16)):
            if m * k * bits[a] >= 128 and k * n * bits[b] >= 128 and (a, b, m, k, n) not in legal:
                found.append((a, b, m, k, n))
    return found[:: len(found) // 100 + 1]


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_mmul_illegal_shape_is_refused_naming_the_legal_ones(arch: str) -> None:
    cases = illegal(arch)
    assert len(cases) > 50
    lines = ["#include <aie_api/aie.hpp>"]
    lines += [f"aie::mmul<{m}, {k}, {n}, {a}, {b}> x{i};" for i, (a, b, m, k, n) in enumerate(cases)]
    found = native.refusals("\n".join(lines) + "\n", arch)
    for i, (a, b, m, k, n) in enumerate(cases):
        text = " ".join(found.get(i + 2, []))
        assert "[aie-mmul]" in text, (a, b, m, k, n)
        for legal_a, legal_b, _, *shape, _ in rows(arch):
            if (legal_a, legal_b) == (a, b):
                assert "x".join(map(str, shape)) in text, (a, b, m, k, n)


@pytest.mark.parametrize(
    ("arch", "types", "words"),
    [
        ("aie", "4, 8, 4, int8, int8, acc80", "no accumulator of that width"),
        ("aie", "4, 4, 4, int16, int16, acc80", "no accumulator of that width"),
        ("aie", "2, 2, 2, int32, int32, acc48", "no accumulator of that width"),
        ("aie", "4, 4, 4, int8, int32", "cannot multiply matrices of these element types"),
        ("aie", "4, 8, 4, uint16, int8", "no vectors of these element types"),
        ("aie-ml", "4, 8, 8, int8, int8, acc64", "no accumulator of that width"),
        ("aie-ml", "4, 2, 8, int16, int16, acc64", "no accumulator of that width"),
        ("aie-ml", "4, 8, 4, bfloat16, float", "cannot multiply matrices of these element types"),
    ],
)
def test_mmul_types_and_accumulators_that_do_not_exist(arch: str, types: str, words: str) -> None:
    found = native.refusals(f"#include <aie_api/aie.hpp>\naie::mmul<{types}> x;\n", arch)
    assert words in " ".join(found[2])


def test_mmul_on_aie_ml_widens_acc32_where_only_acc64_exists() -> None:
    text = """
#include <aie_api/aie.hpp>
static_assert(std::is_same_v<aie::mmul<4, 4, 4, int16, int16, acc32>::accum_tag, acc64>);
static_assert(std::is_same_v<aie::mmul<4, 4, 4, int16, int16>::accum_tag, acc64>);
static_assert(std::is_same_v<aie::mmul<4, 2, 8, int16, int16>::accum_tag, acc32>);
int main() {}
"""
    assert native.run(text, "aie-ml") == b""


START = """
#include <aie_api/aie.hpp>
#include "support.h"
int main() {
  aie::mmul<4, 2, 4, float> c;
  c.mac(aie::broadcast<float, 8>(1.0f), aie::broadcast<float, 8>(2.0f));
  give(c.to_vector<float>().get(0));
}
"""


def test_mmul_mac_before_mul_is_refused_on_aie_under_sanitize() -> None:
    text = START.replace("aie::broadcast<float, 8>", "same")
    text = text.replace(
        "int main",
        "static aie::vector<float, 8> same(float x) { return aie::vector<float, 8>(x, x, x, x, x, x, x, x); }\nint main",
    )
    outcome = native.execute(text, "aie", defines=("AIELOOM_SANITIZE",))
    assert outcome.code == native.REFUSED
    assert "[aie-mmul-undefined]" in outcome.errors
    assert "start with mul()" in outcome.errors


ALIGN = """
#include <aie_api/aie.hpp>
#include "support.h"
int main(int count, char** values) {
  const float* p = take<float>(64);
  const int offset = count > 1 ? std::atoi(values[1]) : 0;
  give(aie::load_v<8>(p + offset));
}
"""


@pytest.mark.parametrize(
    ("arch", "offset", "allowed"),
    [("aie", 4, True), ("aie", 2, False), ("aie-ml", 8, True), ("aie-ml", 4, False)],
)
def test_load_v_needs_an_aligned_address(arch: str, offset: int, allowed: bool) -> None:
    outcome = native.execute(ALIGN, arch, np.arange(64, dtype=np.float32).tobytes(), (str(offset),))
    if allowed:
        assert np.frombuffer(outcome.output, dtype=np.float32).tolist() == list(range(offset, offset + 8))
    else:
        assert outcome.code == native.REFUSED
        assert "[aie-align] aie::load_v: the address must be a multiple of" in outcome.errors


# Complex elements: an example of every pair of types, with the shape that its row of the reference has last [AIE API,
# matrix multiplication modes for complex types].
COMPLEX = {
    "aie": [
        ("int16", "cint16", 4, 4, 1),
        ("int16", "cint32", 4, 4, 1),
        ("cint16", "int16", 4, 4, 4),
        ("cint16", "cint16", 4, 2, 4),
        ("cint16", "int32", 2, 8, 2),
        ("cint16", "cint32", 4, 2, 1),
        ("int32", "cint16", 4, 4, 1),
        ("int32", "cint32", 2, 4, 2),
        ("cint32", "int16", 4, 4, 2),
        ("cint32", "cint16", 4, 4, 1),
        ("cint32", "int32", 1, 2, 2),
        ("cint32", "cint32", 2, 2, 1),
        ("float", "cfloat", 4, 2, 1),
        ("cfloat", "float", 2, 4, 1),
        ("cfloat", "cfloat", 2, 2, 4),
    ],
    "aie-ml": [
        ("cint16", "int16", 2, 4, 8),
        ("cint16", "cint16", 1, 4, 8),
        ("cint32", "cint16", 2, 2, 8),
        ("cint32", "cint32", 1, 2, 8),
    ],
}
NUMBERS = {"16": np.int16, "32": np.int32, "float": np.float32}


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_complex_matrices(arch: str) -> None:
    rng = np.random.default_rng(71)
    calls, given, want = "", b"", b""
    for a, b, m, k, n in COMPLEX[arch]:
        result = "cfloat" if "float" in a + b else "cint32"
        calls += f"""{{
  const auto x = aie::load_v<{m * k}>(take<{a}>({m * k})), u = aie::load_v<{m * k}>(take<{a}>({m * k}));
  const auto y = aie::load_v<{k * n}>(take<{b}>({k * n})), v = aie::load_v<{k * n}>(take<{b}>({k * n}));
  aie::mmul<{m}, {k}, {n}, {a}, {b}> c;
  c.mul(x, y);
  c.mac(u, v);
  give(c.to_vector<{result}>(0));
}}
"""
        total = np.zeros((m, n), dtype=np.complex128)
        factors = [
            _numbers(rng, kind, size) for size, kind in ((m * k, a), (m * k, a), (k * n, b), (k * n, b))
        ]
        for left, right in zip(factors[:2], factors[2:], strict=True):
            total += left.reshape(m, k) @ right.reshape(k, n)
        given += b"".join(_bytes(v, kind) for v, kind in zip(factors, (a, a, b, b), strict=True))
        want += _bytes(total.ravel(), result)
    text = f'#include <aie_api/aie.hpp>\n#include "support.h"\nint main() {{\n{calls}}}\n'
    assert native.run(text, arch, given) == want


def _numbers(rng: np.random.Generator, kind: str, count: int) -> Array:
    """Return small whole numbers: every sum is exact, in float32 too."""
    real, imaginary = rng.integers(-200, 201, (2, count)).astype(np.float64)
    return np.asarray(real + 1j * imaginary * kind.startswith("c"))


def _bytes(values: Array, kind: str) -> bytes:
    number = next(t for name, t in NUMBERS.items() if kind.endswith(name))
    parts = np.stack([values.real, values.imag], axis=-1) if kind.startswith("c") else values.real
    return bytes(parts.astype(number).tobytes())


def test_complex_shapes_that_do_not_exist_are_refused() -> None:
    for arch, kinds in (
        ("aie", "2, 2, 8, cint16, cint16"),
        ("aie-ml", "2, 2, 2, cint16, cint16"),
        ("aie-ml", "4, 2, 4, float, cfloat"),
    ):
        said = native.refusals(
            f"#include <aie_api/aie.hpp>\nint main() {{ aie::mmul<{kinds}> c; (void)c; }}", arch
        )
        assert any("aie::mmul: this architecture" in text for lines in said.values() for text in lines)
