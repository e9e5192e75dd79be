// batch_matmul.h: a matrix product for each head, on the processor.
#pragma once

#include <algorithm>

namespace aieloom::host {

/// kHeads products of kRows rows of kDepth and kColumns columns, sums in order of depth.
template <class T>
void batch_matmul(const float* a, const float* b, float* y) {
  for (int column = 0; column < T::kColumns; ++column) {
    for (int head = 0; head < T::kHeads; ++head) {
      float* const sums = y + (column * T::kHeads + head) * T::kRows;
      std::fill_n(sums, int{T::kRows}, 0.0F);
      for (int k = 0; k < T::kDepth; ++k) {
        const float value = b[head * T::kBHead + k * T::kBDepth + column * T::kBColumn] * T::kFactor;
        const float* const left = a + (k * T::kHeads + head) * T::kRows;
        for (int row = 0; row < T::kRows; ++row) sums[row] += value * left[row];
      }
    }
  }
}

}  // namespace aieloom::host
