// Three polynomials of the library, with every way of saying where their parts lie.
#include "include/polynomial.hpp"

#include <cstdio>

using namespace adf;
namespace poly = mill::math::aie;

std::vector<int16> quintic = {5, -3, 0, 2, -1, 1};

class Bench : public graph {
 public:
  poly::polynomial<int16, int16, 6, 2, 48> whole{quintic};
  poly::polynomial<int16, int16, 6, 1, 48, 2> shared{quintic};
  poly::polynomial<int16, int16, 4, 0, 32, 1, 1> told;
  port<input> factors;
  std::array<input_plio, 3> x;
  std::array<output_plio, 3> y;

  template <class POLYNOMIAL>
  void attach(int number, POLYNOMIAL& one, const std::string& name) {
    x[number] = input_plio::create("x of " + name, plio_32_bits, "data/" + name + "_x.txt");
    y[number] = output_plio::create("y of " + name, plio_32_bits, "data/" + name + "_y.txt");
    connect<>(x[number].out[0], one.x[0]);
    connect<>(one.y[0], y[number].in[0]);
  }

  Bench() {
    attach(0, whole, "whole");
    attach(1, shared, "shared");
    attach(2, told, "told");
    connect<parameter>(factors, told.factors[0]);

    location<PLIO>(x[0]) = shim(18, 1);
    location<PLIO>(y[0]) = shim(18);
    kernel& alone = *whole.first_kernel();
    location<kernel>(alone) = tile(18, 2);
    location<stack>(alone) = bank(18, 2, 0);
    location<buffer>(alone.in[0]) = {address(18, 2, 0x2800), address(18, 2, 0x4800)};
    location<buffer>(alone.out[0]) = {offset(0x6200), offset(0x7200)};
    kernel* both = shared.first_kernel();
    location<kernel>(both[0]) = bounding_box(27, 1, 29, 4);
    single_buffer(both[1].out[0]);
    location<graph>(told) = bounding_box(33, 2, 36, 5);
    num_buffers(told.first_kernel()->in[0]) = 1;
    stack_size(told.first_kernel()[0]) = 2400;
  }
};

Bench bench;

#if defined(__AIESIM__) || defined(__X86SIM__)
int main(void) {
  static int16 early[4] = {7, 0, -2, 1}, late[4] = {-3, 10, 1, -1};
  bench.init();
  bench.update(bench.factors, early, 4);
  bench.run(1);
  bench.wait();
  bench.update(bench.factors, late, 4);
  bench.run(2);
  bench.end();
  return 0;
}
#endif
