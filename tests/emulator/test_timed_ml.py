"""AIE-ML's own ways to say a product and a walk over a buffer, as AMD's MNIST tutorial (AIE-ML 08) has them: values and intervals."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import aieloom
from aieloom.emulator.program import Result
from tests.clang_14 import need_clang

KERNELS = """
#include <adf.h>
#include "aie_api/aie.hpp"
#define LOOP(N) for (unsigned i = 0; i < N; ++i) chess_prepare_for_pipelining
using namespace adf;
// Vectors of two halves, each from memory, by iterators that look ahead.
#define HALVES(NAME, BEGIN) \\
  void NAME(input_buffer<bfloat16>& in, output_buffer<bfloat16>& out) { \\
    auto a = aie::BEGIN<16>(in); \\
    auto b = aie::BEGIN<16>(in); \\
    b += 1; \\
    auto y = aie::begin_vector<16>(out); \\
    aie::vector<bfloat16, 32> x, z; \\
    LOOP(64) { \\
      x.insert(0, *(a + 0)); \\
      x.insert(1, *(b + 0)); \\
      z.insert(0, *(a + 2)); \\
      z.insert(1, *(b + 2)); \\
      a += 4; \\
      b += 4; \\
      x = aie::max(x, z); \\
      *y++ = aie::max(x.extract<16>(0), x.extract<16>(1)); \\
    } \\
  }
HALVES(apart, begin_restrict_vector)
HALVES(plain, begin_vector)
// Two products into one accumulator, which AIE-ML's intrinsics have last; columns of 4 by the shuffle's name of the guide.
void products(input_buffer<bfloat16>& in, output_buffer<bfloat16>& out) {
  auto a = aie::begin_restrict_vector<16>(in);
  auto y = aie::begin_vector<16>(out);
  aie::vector<bfloat16, 32> x;
  aie::accum<accfloat, 16> sum = aie::zeros<accfloat, 16>();
  LOOP(16) {
    x.insert(0, *a++);
    x.insert(1, *a++);
    sum = mac_4x8_8x4(x, shuffle(x, shuffle_T16_4x8), sum);
    sum = mac_4x8_8x4(x, shuffle(x, shuffle_T16_4x8), sum);
  }
  aie::vector<bfloat16, 16> last;
  last = sum;
  for (int i = 0; i < 64; ++i) *y++ = last;
}
__attribute__((section(".data"))) alignas(32) bfloat16 unused[16] = {};  // in this order clang 14 refuses it, later ones do not
// A product of its own each time: mul() writes sums and reads none.
void matrices(input_buffer<bfloat16>& in, output_buffer<bfloat16>& out) {
  auto a = aie::begin_restrict_vector<32>(in);
  auto y = aie::begin_restrict_vector<16>(out);
  LOOP(64) {
    aie::mmul<4, 8, 4, bfloat16, bfloat16> product;
    auto x = *a++;
    product.mul(x, *a++);
    *y++ = product.to_vector<bfloat16>();
  }
}
"""
GRAPH = """
#include <adf.h>
using namespace adf;
void apart(input_buffer<bfloat16>& in, output_buffer<bfloat16>& out);
void plain(input_buffer<bfloat16>& in, output_buffer<bfloat16>& out);
void products(input_buffer<bfloat16>& in, output_buffer<bfloat16>& out);
void matrices(input_buffer<bfloat16>& in, output_buffer<bfloat16>& out);
class Four : public graph {
 public:
  input_plio in[4];
  output_plio out[4];
  kernel k[4];
  void add(int i, kernel made, std::string n) {
    k[i] = made;
    source(k[i]) = "kernels.cc";
    runtime<ratio>(k[i]) = 0.9;
    in[i] = input_plio::create("x_" + n, plio_32_bits, "x.txt");
    out[i] = output_plio::create("y_" + n, plio_32_bits, "y" + n + ".txt");
    connect(in[i].out[0], k[i].in[0]);
    connect(k[i].out[0], out[i].in[0]);
    dimensions(k[i].in[0]) = {4096};
    dimensions(k[i].out[0]) = {1024};
  }
  Four() {
    add(0, kernel::create(apart), "apart");
    add(1, kernel::create(plain), "plain");
    add(2, kernel::create(products), "products");
    add(3, kernel::create(matrices), "matrices");
  }
};
Four g;
int main() { g.init(); g.run(1); g.end(); }
"""
X = np.random.default_rng(1).integers(-1, 2, 4096).astype(ml_dtypes.bfloat16)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The four kernels in a timed run."""
    need_clang()
    folder = tmp_path_factory.mktemp("ml")
    (folder / "kernels.cc").write_text(KERNELS)
    (folder / "graph.cpp").write_text(GRAPH)
    np.savetxt(folder / "x.txt", X.astype(np.float32).reshape(-1, 2), fmt="%g")
    result = aieloom.emulate(folder / "graph.cpp", arch="aie-ml", data=folder, out=folder / "out", timed=True)
    assert result.cycles is not None and result.code == 0, result.stderr
    return result


def output(done: Result, name: str) -> np.ndarray:
    """A kernel's output; every bfloat16 is a float32."""
    return np.fromstring((done.out / f"y{name}.txt").read_text(), dtype=np.float32, sep=" ")


def interval(done: Result, name: str) -> int:
    """Cycles from an iteration to the next of a kernel's marked loop."""
    assert done.cycles
    (kernel,) = (k for k in done.cycles.kernels if k.function == name)
    return next(loop.interval for loop in kernel.loops if loop.is_marked)


def test_a_part_that_is_put_into_a_vector_is_loaded(done: Result) -> None:
    # Four loads an iteration, two a cycle; one store. Distinct buffers are apart, so that no store waits for the next load.
    x = X.astype(np.float32).reshape(64, 4, 16)
    for name in ("apart", "plain"):
        assert interval(done, name) == 2
        assert np.array_equal(output(done, name), x.max(1).ravel())


def test_a_product_waits_for_the_sum_that_it_adds_to_and_no_longer(done: Result) -> None:
    # A sum of floats is read again 4 cycles after it began [TD2 II_VMACf: written in 6, read in 3], two in an iteration.
    assert interval(done, "products") == 8


def test_the_products_are_those_of_matrices(done: Result) -> None:
    a = X[:512].astype(np.float32).reshape(16, 4, 8)
    sum_ = 2 * np.einsum("nik,njk->ij", a, a)  # the shuffle transposes
    expected = np.tile(sum_.astype(ml_dtypes.bfloat16).ravel(), 64)
    assert np.array_equal(output(done, "products"), expected.astype(np.float32))


def test_sums_that_a_product_writes_are_no_operand_of_float32(done: Result) -> None:
    # Four loads of 32 bytes an iteration, two a cycle [AM020], one product; sums of floats are not split as float32 operands are.
    assert interval(done, "matrices") == 2
    a, b = X.astype(np.float32).reshape(64, 2, 32).swapaxes(0, 1)
    expected = (a.reshape(64, 4, 8) @ b.reshape(64, 8, 4)).astype(ml_dtypes.bfloat16).astype(np.float32)
    assert np.array_equal(output(done, "matrices"), expected.ravel())
