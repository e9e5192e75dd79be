// reduce_mean.h: averages over axes, on the processor.
#pragma once

#include <cstddef>
#include <vector>

namespace aieloom::host {

/// kSize averages of kCount values each, summed in float64 in their order; the steps of axes that are averaged away are 0.
template <class T>
void reduce_mean(const float* x, float* y) {
  std::vector<double> sums(T::kSize, 0.0);
  for (int channel = 0; channel < T::kChannels; ++channel) {
    for (int row = 0; row < T::kHeight; ++row) {
      for (int column = 0; column < T::kWidth; ++column) {
        sums[static_cast<std::size_t>(channel * T::kStepChannel + row * T::kStepY + column * T::kStepX)] += *x++;
      }
    }
  }
  for (const double sum : sums) *y++ = static_cast<float>(sum / static_cast<double>(T::kCount));
}

}  // namespace aieloom::host
