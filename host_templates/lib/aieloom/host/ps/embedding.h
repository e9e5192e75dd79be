// embedding.h: for each number its row of a table, on the processor.
#pragma once

#include <cstddef>

namespace aieloom::host {

/// A number beyond the table takes its end, NaN the first row.
template <class T>
void embedding(const float* x, const float* weight, float* y) {
  constexpr float kHighest = static_cast<float>(T::kLast);
  constexpr std::size_t kCount = T::kCount;
  constexpr std::size_t kFeatures = T::kFeatures;
  for (std::size_t i = 0; i < kCount; ++i) {
    const float held = x[i] > 0.0F ? (x[i] < kHighest ? x[i] : kHighest) : 0.0F;
    const float* const row = weight + static_cast<std::size_t>(held) * kFeatures;
    for (std::size_t k = 0; k < kFeatures; ++k) y[k * kCount + i] = row[k];
  }
}

}  // namespace aieloom::host
