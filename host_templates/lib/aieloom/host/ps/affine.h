// affine.h: a factor and an offset for each value or channel, as far as there are, on the processor.
#pragma once

namespace aieloom::host {

/// Value i has those of i / kRepeats.
template <class T>
void affine(const float* x, const float* weight, const float* bias, float* y) {
  for (int i = 0; i < T::kSize; ++i) {
    float value = x[i];
    if (weight != nullptr) value = value * weight[i / T::kRepeats];
    if (bias != nullptr) value = value + bias[i / T::kRepeats];
    y[i] = value;
  }
}

/// The same with one of them.
template <class T>
void affine(const float* x, const float* numbers, float* y) {
  affine<T>(x, T::kScales ? numbers : nullptr, T::kScales ? nullptr : numbers, y);
}

}  // namespace aieloom::host
