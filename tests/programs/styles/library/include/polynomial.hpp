// The library's graph: a polynomial in one kernel or in two, its factors fixed or told while it runs.
#ifndef MILL_POLYNOMIAL_HPP
#define MILL_POLYNOMIAL_HPP
#include <adf.h>

#include <array>
#include <type_traits>
#include <vector>

#include "horner.hpp"

namespace mill::math::aie {

using namespace adf;

struct nothing {};
template <class direction, unsigned N = 1, bool PRESENT = true>
using ports = std::conditional_t<PRESENT, std::array<port<direction>, N>, nothing>;

/// N factors on blocks of BLOCK values, divided by 2^DOWN, in KERNELS kernels; TOLD = 1: factors by a parameter.
template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN, unsigned BLOCK, unsigned KERNELS = 1,
          unsigned TOLD = 0>
class polynomial : public graph {
  static_assert(KERNELS == 1 || (KERNELS == 2 && N % 2 == 0), "two kernels share an even number of factors");
  static constexpr unsigned SHARE = N / KERNELS;
  template <Role ROLE>
  using kernel_class = horner<ROLE, VALUE, FACTOR, SHARE, DOWN>;
  using Factors = std::vector<FACTOR>;

  kernel stages[KERNELS];

  void wire() {
    for (kernel& stage : stages) {
      headers(stage) = {"horner.hpp"};
      source(stage) = "horner.cpp";
      runtime<ratio>(stage) = 0.45;
      dimensions(stage.in[0]) = {BLOCK};
      dimensions(stage.out[0]) = {BLOCK};
    }
    connect<>(x[0], stages[0].in[0]);
    connect<>(stages[KERNELS - 1].out[0], y[0]);
  }

 public:
  ports<input> x;
  ports<input, 1, (TOLD == 1)> factors;
  ports<output> y;

  kernel* first_kernel() { return stages; }

  template <unsigned IS_TOLD = TOLD, typename std::enable_if<(IS_TOLD == 1)>::type* = nullptr>
  polynomial() {
    stages[0] = kernel::create_object<kernel_class<Role::told>>();
    connect<parameter>(factors[0], async(stages[0].in[1]));
    wire();
  }

  polynomial(const Factors& given) {
    if constexpr (KERNELS == 2) {
      const auto middle = given.begin() + SHARE;
      stages[0] = kernel::create_object<kernel_class<Role::lower>>(Factors(given.begin(), middle));
      stages[1] = kernel::create_object<kernel_class<Role::upper>>(Factors(middle, given.end()));
      connect<>(stages[0].out[0], stages[1].in[0]);
      connect<cascade>(stages[0].out[1], stages[1].in[1]);
      location<kernel>(stages[1]) =
          location<kernel>(stages[0]) + relative_offset({.col_offset = 1, .row_offset = 0});
    } else {
      stages[0] = kernel::create_object<kernel_class<Role::whole>>(given);
    }
    wire();
  }
};

}  // namespace mill::math::aie

#endif  // MILL_POLYNOMIAL_HPP
