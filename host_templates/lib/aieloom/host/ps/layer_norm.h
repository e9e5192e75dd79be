// layer_norm.h: sets of values to mean 0 and variance 1, scaled, on the processor.
#pragma once

#include <cmath>

namespace aieloom::host {

/// kSets of kCount values, kStride apart; sums in float64 in their order, results rounded once.
template <class T>
void layer_norm(const float* x, const float* weight, const float* bias, float* y) {
  constexpr double kValues = static_cast<double>(T::kCount);
  for (int set = 0; set < T::kSets; ++set) {
    const int first = set * T::kSetStep;
    double sum = 0.0;
    for (int i = 0; i < T::kCount; ++i) sum += x[first + i * T::kStride];
    const double mean = sum / kValues;
    double squares = 0.0;
    for (int i = 0; i < T::kCount; ++i) {
      const double centred = x[first + i * T::kStride] - mean;
      squares += centred * centred;
    }
    const double deviation = std::sqrt(squares / kValues + T::kEps);
    for (int i = 0; i < T::kCount; ++i) {
      const int place = first + i * T::kStride;
      double value = (x[place] - mean) / deviation * weight[i];
      if (bias != nullptr) value = value + bias[i];
      y[place] = static_cast<float>(value);
    }
  }
}

template <class T>
void layer_norm(const float* x, const float* weight, float* y) {
  layer_norm<T>(x, weight, nullptr, y);
}

}  // namespace aieloom::host
