"""Symmetric sliding products by what AMD's intrinsics do: instructions of so many lanes and columns, the centre tap in the last.

The shapes are those of the reference's tables (UG1529, sliding_mul_sym_ops: native lanes and points), the places of the operands those of UG1078
(full lane addressing scheme, partial pre-adding, upshifting). The filters below are the other judge: a symmetric filter gives what the plain one gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.errors import ToolError
from tests.conformance import native
from tests.conformance.aie_api.lane_values import Array

# coefficients and data: sums of 48 or 80 bits -> native lanes (one or two shapes), pairs of data that an instruction adds in all its lanes
NATIVE: dict[tuple[str, str, int], tuple[tuple[int, ...], int]] = {
    ("int16", "int16", 48): ((8, 16), 32),
    ("int16", "int32", 48): ((8, 16), 16),
    ("int32", "int16", 48): ((8, 16), 16),
    ("int16", "cint16", 48): ((4, 8), 16),
    ("cint16", "int16", 48): ((4, 8), 16),
    ("cint16", "cint16", 48): ((4, 8), 8),
    ("cint16", "int32", 48): ((4, 8), 8),
    ("int32", "cint16", 48): ((4, 8), 8),
    ("cint32", "int16", 48): ((4, 8), 8),
    ("int16", "cint32", 48): ((4, 8), 8),
    ("cint32", "cint16", 48): ((4,), 4),
    ("int32", "int16", 80): ((8,), 16),
    ("int32", "int32", 80): ((4, 8), 8),
    ("int32", "cint16", 80): ((4,), 8),
    ("int16", "cint32", 80): ((4,), 8),
    ("cint16", "cint32", 80): ((4,), 4),
    ("cint32", "int32", 80): ((2, 4), 4),
    ("int32", "cint32", 80): ((2, 4), 4),
    ("cint32", "cint32", 80): ((2,), 2),
}
BITS = {"int16": 16, "int32": 32, "cint16": 32, "cint32": 64}
TWO_SHAPES_WITH_CENTRE = (
    (48, {16, 32}),
    (80, {32, 64}),
)  # one operand complex, its numbers as long as the other's


@dataclass(frozen=True)
class Shape:
    """One instantiation of sliding_mul_sym_ops, with its starts."""

    c: str
    d: str
    bits: int
    lanes: int
    points: int
    steps: tuple[int, int, int]  # CoeffStep, DataStepX, DataStepY
    starts: tuple[int, int, int]  # of the coefficients, the left and the right data

    @property
    def centre(self) -> bool:
        return self.points % 2 == 1

    def instruction(self) -> tuple[int, int]:
        """Return the lanes and columns of an instruction, as the API chooses them."""
        shapes, macs = NATIVE[self.c, self.d, self.bits]
        if self.c == self.d == "int16":
            return self.lanes, macs // self.lanes
        few, many = shapes[0], shapes[-1]
        taps = (self.points + 1) // 2
        mixed = {BITS[self.c], BITS[self.d]} in [w for b, w in TWO_SHAPES_WITH_CENTRE if b == self.bits]
        both = not self.centre or (mixed and self.c.startswith("c") != self.d.startswith("c"))
        chosen = few if not both or taps % (macs // few) == 0 or self.lanes == few else many
        return chosen, macs // chosen

    def in_cpp(self) -> str:
        tag = f"{'c' if 'c' in self.c + self.d else ''}acc{self.bits}"
        cs, ls, rs = self.starts
        sizes = f"{256 // BITS[self.c]}, {512 // BITS[self.d]}"
        kinds = f"{self.c}, {self.d}, {tag}, {self.lanes}, {self.points}, {', '.join(map(str, self.steps))}"
        return f"  filter<{kinds}, {sizes}>({cs}, {ls}, {rs});"


def shapes(seed: int, each: int) -> list[Shape]:
    """Return random shapes that the API takes, for every pair of types as many with and without a centre tap."""
    rng, found = np.random.default_rng(seed), []
    for (c, d, bits), (lanes, macs) in NATIVE.items():
        for n in range(each):
            short = c == d == "int16"
            points = 2 * int(rng.integers(1, 7)) + (n % 2 if not short else 0)
            chosen = int(rng.choice(lanes)) * (int(rng.integers(1, 3)) if "c" in c + d else 1)
            reach = 15 // (min(chosen, lanes[-1]) - 1)
            steps = (
                int(rng.integers(1, 3)),
                *((1, 1) if short else (int(rng.integers(1, 3)), int(rng.integers(1, min(reach, 4) + 1)))),
            )
            starts = tuple(int(x) for x in rng.integers(0, 8, 3))
            assert macs
            found.append(Shape(c, d, bits, chosen, points, steps, starts))  # type: ignore[arg-type]
    return found


def sums(
    s: Shape, c: Array, sides: tuple[Array, Array], starts: tuple[int, int, int], sign: int = 1
) -> Array:
    """Return what the instructions give: lanes with offsets, columns with steps, y backwards, the centre without y."""
    lanes, columns = s.instruction()
    x, y = sides
    number = -(-(s.points // 2 + s.centre) // columns)
    zstep, xstep, across = s.steps
    zstart, xstart, ystart = starts
    found = np.zeros(s.lanes, dtype=object)
    for lane in range(s.lanes):
        group, within = divmod(lane, lanes)
        offset = within * across % 16 if not s.c == s.d == "int16" else within
        base = lanes * group * across + offset
        for i in range(number):
            for column in range(columns):
                step = columns * i + column
                factor = c[(zstart + step * zstep) % c.size]
                if s.centre and i + 1 == number and column + 1 == columns:
                    middle = (s.points // 2 - 1) * xstep + 1
                    found[lane] += factor * x[(xstart + base + middle) % x.size]
                else:
                    pair = (
                        x[(xstart + base + step * xstep) % x.size]
                        + sign * y[(ystart + base - step * xstep) % y.size]
                    )
                    found[lane] += factor * pair
    return found


PROGRAM = """
#include <aie_api/aie.hpp>
#include <cstdint>
#include "support.h"
namespace {
template <typename Acc>
void give_sums(const Acc& acc) {
  for (unsigned l = 0; l < Acc::size(); ++l) {
    if constexpr (requires { acc.at(l).real; }) {
      give(static_cast<std::int64_t>(acc.at(l).real));
      give(static_cast<std::int64_t>(acc.at(l).imag));
    } else {
      give(static_cast<std::int64_t>(acc.at(l)));
      give(std::int64_t{0});
    }
  }
}
template <typename TC, typename TD, typename Tag, unsigned Lanes, unsigned Points, int CS, int DSX, int DSY, unsigned NC, unsigned ND>
void filter(unsigned cs, unsigned ls, unsigned rs) {
  const auto c = aie::load_v<NC>(take<TC>(NC));
  const auto left = aie::load_v<ND>(take<TD>(ND)), right = aie::load_v<ND>(take<TD>(ND));
  using Ops = aie::sliding_mul_sym_ops<Lanes, Points, CS, DSX, DSY, TC, TD, Tag>;
  constexpr bool antisymmetric = !std::is_same_v<Tag, acc80> && !std::is_same_v<Tag, cacc80>;
  give_sums(Ops::mul_sym(c, cs, left, ls));
  if constexpr (Points % 2 == 0) {
    give_sums(Ops::mac_sym(Ops::mul_sym(c, cs, left, ls), c, cs, left, ls, rs));
  }
  if constexpr (Points % 2 == 0 || Ops::columns_per_mul > 1) {
    give_sums(Ops::mac_sym(aie::op_sub(Ops::mul_sym(c, cs, left, ls)), c, cs, left, ls, right, rs));
    if constexpr (antisymmetric) {
      give_sums(Ops::mul_antisym(c, cs, left, ls, right, rs));
    }
  }
  if constexpr (antisymmetric) {
    give_sums(Ops::mul_antisym(c, cs, left, ls));
  }
}
}  // namespace
int main() {
ROWS
}
"""


def vector(rng: np.random.Generator, kind: str, bits: int) -> tuple[Array, bytes]:
    """Return a vector of so many bits, as Python's numbers, and its bytes."""
    width = 16 if kind.endswith("16") else 32
    parts = rng.integers(-(2**15), 2**15, bits // width)  # short enough that no sum leaves 48 bits
    data = parts.astype(f"int{width}").tobytes()
    if kind.startswith("c"):
        return np.array([complex(r, i) for r, i in parts.reshape(-1, 2)], dtype=object), data
    return parts.astype(object), data


@pytest.mark.integration
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_pair_of_types_by_its_instructions(seed: int) -> None:
    chosen, rng = shapes(seed, 2 if seed == 1 else 8), np.random.default_rng(seed)
    data, expected = b"", list[Array]()
    for s in chosen:
        (c, one), (x, two), (y, three) = (vector(rng, s.c, 256), vector(rng, s.d, 512), vector(rng, s.d, 512))
        data += one + two + three
        cs, ls, _ = s.starts
        after = ls + (s.points - (s.steps[1] if s.centre else 1)) * s.steps[1]
        first = sums(s, c, (x, x), (cs, ls, after))
        expected.append(first)
        if not s.centre:
            expected.append(first + sums(s, c, (x, x), s.starts))
        if not s.centre or s.instruction()[1] > 1:
            expected.append(first - sums(s, c, (x, y), s.starts))
            if s.bits == 48:
                expected.append(sums(s, c, (x, y), s.starts, -1))
        if s.bits == 48:
            expected.append(sums(s, c, (x, x), (cs, ls, after), -1))
    text = PROGRAM.replace("ROWS", "\n".join(s.in_cpp() for s in chosen))
    found = np.frombuffer(native.run(text, "aie", data), dtype=np.int64).reshape(-1, 2)
    want = np.array([[complex(v).real, complex(v).imag] for row in expected for v in row]).astype(np.int64)
    np.testing.assert_array_equal(found, want)


HALF_BAND = """
#include <aie_api/aie.hpp>
#include <cstdint>
#include "support.h"
template <typename TC, typename TD, unsigned Lanes, unsigned Points, int DS>
void filter() {
  constexpr unsigned NC = 32 / sizeof(TC), ND = 64 / sizeof(TD);
  const auto c = aie::load_v<NC>(take<TC>(NC));
  const auto x = aie::load_v<ND>(take<TD>(ND)), y = aie::load_v<ND>(take<TD>(ND));
  auto acc = aie::sliding_mul_sym_uct<Lanes, Points, 1, DS>(c, 1, x, 2, 3);
  acc = aie::sliding_mac_sym_uct<Lanes, Points, 1, DS>(acc, c, 0, x, 1, y, 5, 0);
  acc = aie::sliding_mac_antisym_uct<Lanes, Points, 1, DS>(acc, c, 2, x, 3, y, 4, 1);
  for (unsigned l = 0; l < Lanes; ++l) {
    if constexpr (sizeof(TD) == 4) {
      give(static_cast<std::int64_t>(acc.at(l).real));
      give(static_cast<std::int64_t>(acc.at(l).imag));
    } else {
      give(static_cast<std::int64_t>(acc.at(l)));
      give(std::int64_t{0});
    }
  }
}
int main() {
ROWS
}
"""
# coefficients, data, columns, points, DataStep
HALF_BANDS = [
    ("int16", "cint16", 4, 8, 1),
    ("int16", "cint16", 4, 6, 2),
    ("int32", "cint16", 2, 4, 3),
    ("cint16", "cint16", 2, 6, 1),
    ("cint32", "cint16", 1, 6, 2),
    ("int16", "int16", 4, 12, 1),
    ("int32", "int16", 2, 4, 1),
]


def test_half_bands_take_their_centre_from_the_right_side() -> None:
    rng, data, expected, rows = np.random.default_rng(3), b"", list[complex](), list[str]()
    for kind, of, columns, points, step in HALF_BANDS:
        (c, one), (x, two), (y, three) = (vector(rng, k, b) for k, b in ((kind, 256), (of, 512), (of, 512)))
        data += one + two + three
        half = 4 if of == "cint16" else 8
        taps = -(-(points // 2) // columns) * columns  # whole instructions
        sums, tops = [0] * half, [0] * half
        calls = ((1, 2, 2 + (points - 1) * step, 1, x, 8), (0, 1, 5, 1, y, 1), (2, 3, 4, -1, y, 2))
        for cs, ls, rs, sign, right, scale in calls:
            for lane in range(half):
                for p in range(taps):
                    far = right[(rs + (lane - p) * step) % right.size]
                    sums[lane] += c[(cs + p) % c.size] * (x[(ls + (lane + p) * step) % x.size] + sign * far)
                tops[lane] += scale * right[(rs + (lane - (points // 2 - 1)) * step) % right.size]
        expected += [*map(complex, sums), *map(complex, tops)]
        rows.append(f"  filter<{kind}, {of}, {2 * half}, {points}, {step}>();")
    text = HALF_BAND.replace("ROWS", "\n".join(rows))
    found = np.frombuffer(native.run(text, "aie", data), dtype=np.int64).reshape(-1, 2)
    np.testing.assert_array_equal(found[:, 0] + 1j * found[:, 1], expected)


C16 = "aie::vector<int16, 16> c; aie::vector<"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"{C16}int16, 32> x; aie::sliding_mul_sym<8, 7>(c, 0, x, 0)", "no instruction with a centre tap"),
        (f"{C16}cint16, 32> x; aie::sliding_mul_sym<4, 7>(c, 0, x, 0, 6)", "an even number of points"),
        (f"{C16}cint16, 32> x; aie::sliding_mul_sym<4, 8>(c, 0, x, 0, x, 6)", "at most 512 bits"),
        (
            "aie::vector<cint16, 8> c; aie::vector<cint32, 8> x; aie::sliding_mul_sym<4, 7>(c, 0, x, 0, x, 6)",
            "instructions of two columns",
        ),
        (f"{C16}int32, 16> x; aie::sliding_mul_antisym<8, 4, 1, 1, 1, acc80>(c, 0, x, 0)", "sums of 80 bits"),
        (f"{C16}cint16, 32> x; aie::sliding_mul_sym<4, 8, 1, 1, 6>(c, 0, x, 0)", "beyond the 16 places"),
        (f"{C16}cint16, 32> x; aie::sliding_mul<4, 9>(c, 0, x, 0)", "would be left out"),
        (f"{C16}int16, 32> x; aie::sliding_mul<8, 4, 1, 3>(c, 0, x, 0)", "by an even DataStepX"),
        (f"{C16}cint32, 8> x; aie::sliding_mul_sym_uct<8, 4>(c, 0, x, 0, 3)", "data of cint16"),
        (f"{C16}cint16, 16> x; aie::sliding_mul_sym_uct<4, 4>(c, 0, x, 0, 3)", "8 lanes of complex data"),
    ],
)
def test_what_has_no_instruction_is_refused(text: str, part: str) -> None:
    *declared, call = text.split("; ")
    program = (
        f"#include <aie_api/aie.hpp>\nint main() {{ {'; '.join(declared)}; auto r = {call}; (void)r; }}\n"
    )
    with pytest.raises(ToolError, match=part):
        native.build(program, "aie")


# A decimation by 3, as AMD's filter library calls the API, and by the plain product.
DECIMATION = """
#include <adf.h>
#include <aie_api/aie.hpp>
constexpr int kOut = 32, kIn = 3 * kOut + 48;
template <int Taps>
inline constexpr int kHalf[Taps / 2 + 1] = {};
#define TAPS(N, ...) template <> inline constexpr int kHalf<N>[N / 2 + 1] = {__VA_ARGS__}
TAPS(9, 3, -7, 11, 200, 317);
TAPS(12, 5, -9, 2, 40, -77, 123, 0);
TAPS(15, -3, 8, 1, -20, 44, 90, 210, 333);
TAPS(27, 1, -2, 3, -5, 8, -13, 21, -34, 55, -89, 144, 233, 377, 610);
template <int Taps>
inline int tap(int i) { return i >= Taps ? 0 : kHalf<Taps>[i < Taps - 1 - i ? i : Taps - 1 - i]; }
using In = adf::input_buffer<cint16, adf::extents<kIn>>;
using Out = adf::output_buffer<cint16, adf::extents<kOut>>;
"""
DECIMATION_KERNELS = """
#include "decimation.h"
using Acc = aie::accum<cacc48, 4>;
template <int Taps>
void plain(In& in, Out& out) {
  constexpr int first = Taps > 16 ? 16 : (Taps + 3) / 4 * 4, rest = (Taps - first + 3) / 4 * 4;
  aie::vector<int16, 16> low = aie::zeros<int16, 16>(), high = low;
  for (int i = 0; i < 16; ++i) { low.set(i < first ? tap<Taps>(i) : 0, i); high.set(tap<Taps>(16 + i), i); }
  for (int o = 0; o < kOut; o += 4) {
    const cint16* p = in.data() + 3 * o;
    Acc acc = aie::sliding_mul<4, first, 1, 1, 3>(low, 0, aie::load_unaligned_v<32>(p), 0);
    if constexpr (rest > 0) acc = aie::sliding_mac<4, rest, 1, 1, 3>(acc, high, 0, aie::load_unaligned_v<32>(p + 16), 0);
    aie::store_v(out.data() + o, acc.to_vector<cint16>(11));
  }
}
template <int Taps>
void symmetric(In& in, Out& out) {
  aie::vector<int16, 16> c = aie::zeros<int16, 16>();
  constexpr int columns = (Taps / 2 + Taps % 2 + 3) / 4 * 4;
  for (int i = 0; i < Taps / 2; ++i) c.set(tap<Taps>(i), Taps > 16 && i == Taps / 2 - 1 ? columns - 2 : i);
  if (Taps % 2 == 1) c.set(tap<Taps>(Taps / 2), columns - 1);
  for (int o = 0; o < kOut; o += 4) {
    const cint16* p = in.data() + 3 * o;
    Acc acc;
    if constexpr (Taps > 16) {  // two registers of data, three whole instructions and one with the centre tap
      const auto op = [&](int at) { return aie::load_unaligned_v<16>(p + at); };
      using Pairs = aie::sliding_mul_sym_ops<4, 8, 1, 1, 3, int16, cint16, cacc48>;
      acc = Pairs::mul_sym(c, 0, op(0), 0, op(23), 3);
      acc = Pairs::mac_sym(acc, c, 4, op(4), 0, op(19), 3);
      acc = Pairs::mac_sym(acc, c, 8, op(8), 0, op(15), 3);
      acc = aie::sliding_mul_sym_ops<4, 7, 1, 1, 3, int16, cint16, cacc48>::mac_sym(acc, c, 12, op(10), 0, op(14), 2);
    } else {
      acc = aie::sliding_mul_sym_ops<4, Taps, 1, 1, 3, int16, cint16, cacc48>::mul_sym(c, 0, aie::load_unaligned_v<32>(p), 0);
    }
    aie::store_v(out.data() + o, acc.to_vector<cint16>(11));
  }
}
"""
DECIMATION_GRAPH = """
#include "decimation.h"
template <int Taps> void plain(In& in, Out& out);
template <int Taps> void symmetric(In& in, Out& out);
class Graph : public adf::graph {
 public:
  adf::kernel k[8];
  adf::input_plio in;
  adf::output_plio out[8];
  Graph() {
    in = adf::input_plio::create(adf::plio_32_bits, "x.txt");
    k[0] = adf::kernel::create(plain<9>), k[1] = adf::kernel::create(symmetric<9>);
    k[2] = adf::kernel::create(plain<12>), k[3] = adf::kernel::create(symmetric<12>);
    k[4] = adf::kernel::create(plain<15>), k[5] = adf::kernel::create(symmetric<15>);
    k[6] = adf::kernel::create(plain<27>), k[7] = adf::kernel::create(symmetric<27>);
    for (int i = 0; i < 8; ++i) {
      adf::source(k[i]) = "decimation.cc";
      adf::runtime<adf::ratio>(k[i]) = 0.9;
      out[i] = adf::output_plio::create(adf::plio_32_bits, "y" + std::to_string(i) + ".txt");
      adf::connect(in.out[0], k[i].in[0]);
      adf::connect(k[i].out[0], out[i].in[0]);
    }
  }
};
Graph graph;
int main() { graph.init(); graph.run(1); graph.end(); }
"""
HALVES = {
    9: [3, -7, 11, 200, 317],
    12: [5, -9, 2, 40, -77, 123],
    15: [-3, 8, 1, -20, 44, 90, 210, 333],
    27: [1, -2, 3, -5, 8, -13, 21, -34, 55, -89, 144, 233, 377, 610],
}


@pytest.mark.integration
def test_a_decimation_by_the_symmetric_form_is_that_by_the_plain_one(tmp_path: Path) -> None:
    """The pair of graphs that AMD's filter library demands to agree, of 9, 12, 15 and 27 taps, and NumPy beside them."""
    for name, text in (
        ("decimation.h", "#pragma once" + DECIMATION),
        ("decimation.cc", DECIMATION_KERNELS),
        ("g.cpp", DECIMATION_GRAPH),
    ):
        (tmp_path / name).write_text(text)
    x = np.random.default_rng(4).integers(-4000, 4000, (144, 2))
    (tmp_path / "x.txt").write_text("".join(f"{r} {i}\n" for r, i in x))
    done = aieloom.emulate(tmp_path / "g.cpp", includes=[tmp_path], data=tmp_path, out=tmp_path)
    assert (done.code, done.stderr) == (0, "")
    for number, (taps, half) in enumerate(HALVES.items()):
        whole = np.array(half + half[: taps // 2][::-1])
        want = np.array([whole @ x[3 * o : 3 * o + taps] for o in range(32)]) >> 11
        plain, symmetric = (
            np.loadtxt(tmp_path / f"y{2 * number + k}.txt", dtype=np.int64).reshape(-1, 2) for k in (0, 1)
        )
        np.testing.assert_array_equal(plain, want, err_msg=f"{taps} taps, plain")
        np.testing.assert_array_equal(symmetric, want, err_msg=f"{taps} taps, symmetric")
