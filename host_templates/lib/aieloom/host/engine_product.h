// engine_product.h: one matrix product on the matrix engine in the logic.
#pragma once

#include "xrt.h"

#include <cstddef>
#include <string>
#include <vector>

#include "engine.h"

namespace aieloom::host {

/// `Cut` has the types of elements, the product's sizes, kAlpha and kBeta, and whether A or B lie transposed, kTransposedA and kTransposedB.
template <class Traits, class Cut>
class EngineProduct {
  using Element = typename Cut::Element;
  using Result = typename Cut::Result;

 public:
  explicit EngineProduct(const std::string& xclbin) : device_(0), engine_(device_, device_.load_xclbin(xclbin)) {}

  void run(const std::vector<Element>& a, const std::vector<Element>& b, const std::vector<Result>& c,
           std::vector<Result>& result) {
    constexpr std::size_t m = Cut::kM;
    constexpr std::size_t n = Cut::kN;
    constexpr std::size_t k = Cut::kK;
    engine_.multiply(
        m, n, k, [&a](std::size_t i, std::size_t at) { return a[Cut::kTransposedA ? at * m + i : i * k + at]; },
        [&b](std::size_t at, std::size_t j) { return b[Cut::kTransposedB ? j * k + at : at * n + j]; }, Cut::kAlpha,
        Cut::kBeta, [&c](std::size_t i, std::size_t j) { return c[i * n + j]; },
        [&result](std::size_t i, std::size_t j, Result value) { result[i * n + j] = value; });
  }

  /// What the device took.
  double seconds() const { return engine_.seconds(); }

 private:
  xrt::device device_;
  Engine<Traits> engine_;
};

}  // namespace aieloom::host
