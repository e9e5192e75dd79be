// gru.h: a gated recurrent unit, on the processor.
#pragma once

#include <cstddef>
#include <vector>

#include "exact.h"

namespace aieloom::host {

/// kSteps steps; sums of products in order, each rounded; functions and h in float64, rounded once. With a bias of the new gate
/// the reset gate comes behind the product (PyTorch's linear_before_reset), else before it.
template <class T>
void gru(const float* x, const float* weight, const float* bias, float* y) {
  constexpr std::size_t kHidden = T::kHidden;
  constexpr std::size_t kSteps = T::kSteps;
  std::vector<float> h(kHidden, 0.0F);
  std::vector<float> seen(kHidden);
  std::vector<double> gates(T::kGates);
  const auto product = [weight](std::size_t gate, const std::vector<float>& of) {
    float sum = 0.0F;
    for (std::size_t k = 0; k < kHidden; ++k) sum += weight[gate * kHidden + k] * of[k];
    return sum;
  };
  for (std::size_t step = 0; step < kSteps; ++step) {
    const std::size_t t = T::kReverse ? kSteps - 1 - step : step;
    for (std::size_t gate = 0; gate < 2 * kHidden; ++gate) {
      gates[gate] = exact::sigmoid(static_cast<double>(x[gate * kSteps + t] + product(gate, h)));
    }
    for (std::size_t j = 0; j < kHidden; ++j) seen[j] = static_cast<float>(gates[j] * static_cast<double>(h[j]));
    for (std::size_t j = 0; j < kHidden; ++j) {
      const std::size_t gate = 2 * kHidden + j;
      const double made = bias == nullptr ? static_cast<double>(product(gate, seen))
                                          : gates[j] * static_cast<double>(product(gate, h) + bias[j]);
      gates[gate] = exact::tanh(static_cast<double>(x[gate * kSteps + t]) + made);
    }
    for (std::size_t j = 0; j < kHidden; ++j) {
      const double z = gates[kHidden + j];
      h[j] = static_cast<float>((1.0 - z) * gates[2 * kHidden + j] + z * static_cast<double>(h[j]));
      y[j * kSteps + t] = h[j];
    }
  }
}

template <class T>
void gru(const float* x, const float* weight, float* y) {
  gru<T>(x, weight, nullptr, y);
}

}  // namespace aieloom::host
