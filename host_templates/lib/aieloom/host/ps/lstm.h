// lstm.h: a long short-term memory, on the processor.
#pragma once

#include <cstddef>
#include <vector>

#include "exact.h"

namespace aieloom::host {

/// kSteps steps; sums of products in order, each rounded; functions and the cell in float64, rounded once.
template <class T>
void lstm(const float* x, const float* weight, float* y) {
  constexpr std::size_t kHidden = T::kHidden;
  constexpr std::size_t kSteps = T::kSteps;
  std::vector<float> h(kHidden, 0.0F);
  std::vector<float> c(kHidden, 0.0F);
  std::vector<double> gates(T::kGates);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const std::size_t t = T::kReverse ? kSteps - 1 - step : step;
    for (std::size_t gate = 0; gate < gates.size(); ++gate) {
      float sum = 0.0F;
      for (std::size_t k = 0; k < kHidden; ++k) sum += weight[gate * kHidden + k] * h[k];
      gates[gate] = static_cast<double>(x[gate * kSteps + t] + sum);
    }
    for (std::size_t j = 0; j < kHidden; ++j) {
      const double i = exact::sigmoid(gates[j]);
      const double f = exact::sigmoid(gates[kHidden + j]);
      const double g = exact::tanh(gates[2 * kHidden + j]);
      const double o = exact::sigmoid(gates[3 * kHidden + j]);
      c[j] = static_cast<float>(f * static_cast<double>(c[j]) + i * g);
      h[j] = static_cast<float>(o * exact::tanh(static_cast<double>(c[j])));
      y[j * kSteps + t] = h[j];
    }
  }
}

}  // namespace aieloom::host
