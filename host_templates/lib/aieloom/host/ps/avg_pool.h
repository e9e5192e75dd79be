// avg_pool.h: the average of each window, on the processor.
#pragma once

namespace aieloom::host {

/// Sums in order of row and column; outside the image lies 0, which counts where kCountPadding says so.
template <class T>
void avg_pool(const float* image, float* results) {
  for (int channel = 0; channel < T::kChannels; ++channel) {
    for (int y = 0; y < T::kOutHeight; ++y) {
      for (int x = 0; x < T::kOutWidth; ++x) {
        float sum = 0.0F;
        int count = 0;
        for (int dy = 0; dy < T::kKernelY; ++dy) {
          for (int dx = 0; dx < T::kKernelX; ++dx) {
            const int row = y * T::kStrideY + dy - T::kTop;
            const int column = x * T::kStrideX + dx - T::kLeft;
            const bool inside = 0 <= row && row < T::kHeight && 0 <= column && column < T::kWidth;
            sum += inside ? image[(channel * T::kHeight + row) * T::kWidth + column] : 0.0F;
            count += inside || T::kCountPadding ? 1 : 0;
          }
        }
        *results++ = sum / static_cast<float>(count);
      }
    }
  }
}

}  // namespace aieloom::host
