// max_pool.h: the largest value of each window, on the processor.
#pragma once

#include <limits>

namespace aieloom::host {

/// NaN if a window has one; outside the image lies minus infinity.
template <class T>
void max_pool(const float* image, float* results) {
  for (int channel = 0; channel < T::kChannels; ++channel) {
    for (int y = 0; y < T::kOutHeight; ++y) {
      for (int x = 0; x < T::kOutWidth; ++x) {
        float best = -std::numeric_limits<float>::infinity();
        for (int dy = 0; dy < T::kKernelY; ++dy) {
          for (int dx = 0; dx < T::kKernelX; ++dx) {
            const int row = y * T::kStrideY + dy - T::kTop;
            const int column = x * T::kStrideX + dx - T::kLeft;
            if (row < 0 || row >= T::kHeight || column < 0 || column >= T::kWidth) continue;
            const float value = image[(channel * T::kHeight + row) * T::kWidth + column];
            best = value > best || value != value ? value : best;
          }
        }
        *results++ = best;
      }
    }
  }
}

}  // namespace aieloom::host
