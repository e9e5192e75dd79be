// arithmetic.h: two tensors joined place by place, on the processor.
#pragma once

namespace aieloom::host {

template <char kSign>
float joined(float a, float b) {
  static_assert(kSign == '+' || kSign == '-' || kSign == '*' || kSign == '/', "there is no such operation");
  if constexpr (kSign == '+') return a + b;
  if constexpr (kSign == '-') return a - b;
  if constexpr (kSign == '*') return a * b;
  return a / b;
}

/// The second has the length 1 where its step is 0.
template <class T>
void arithmetic(const float* a, const float* b, float* results) {
  for (int channel = 0; channel < T::kChannels; ++channel) {
    for (int y = 0; y < T::kHeight; ++y) {
      for (int x = 0; x < T::kWidth; ++x) {
        *results++ = joined<T::kSign>(*a++, b[channel * T::kStepChannel + y * T::kStepY + x * T::kStepX]);
      }
    }
  }
}

}  // namespace aieloom::host
