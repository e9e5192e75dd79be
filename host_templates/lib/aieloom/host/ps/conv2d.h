// conv2d.h: sums of products over windows, as a convolution or a dense layer has them, on the processor.
#pragma once

namespace aieloom::host {

/// Every sum begins with the bias, then product after product in order of channel, row and column; outside the image lies 0.
template <class T>
void conv2d(const float* image, const float* weight, const float* bias, float* results) {
  constexpr int kInputs = T::kChannels / T::kGroups;  // channels of a group
  constexpr int kOutputs = T::kOutChannels / T::kGroups;
  constexpr int kOutHeight = (T::kHeight + 2 * T::kPadding[0] - T::kKernel[0]) / T::kStride[0] + 1;
  constexpr int kOutWidth = (T::kWidth + 2 * T::kPadding[1] - T::kKernel[1]) / T::kStride[1] + 1;
  for (int channel = 0; channel < T::kOutChannels; ++channel) {
    const float* const seen = image + channel / kOutputs * kInputs * T::kHeight * T::kWidth;
    for (int y = 0; y < kOutHeight; ++y) {
      for (int x = 0; x < kOutWidth; ++x) {
        const float* factor = weight + channel * kInputs * T::kKernel[0] * T::kKernel[1];
        float sum = bias == nullptr ? 0.0F : bias[channel];
        for (int input = 0; input < kInputs; ++input) {
          for (int dy = 0; dy < T::kKernel[0]; ++dy) {
            for (int dx = 0; dx < T::kKernel[1]; ++dx) {
              const int row = y * T::kStride[0] + dy - T::kPadding[0];
              const int column = x * T::kStride[1] + dx - T::kPadding[1];
              const bool inside = 0 <= row && row < T::kHeight && 0 <= column && column < T::kWidth;
              const float value = inside ? seen[(input * T::kHeight + row) * T::kWidth + column] : 0.0F;
              sum += *factor++ * value;
            }
          }
        }
        *results++ = sum;
      }
    }
  }
}

template <class T>
void conv2d(const float* image, const float* weight, float* results) {
  conv2d<T>(image, weight, nullptr, results);
}

}  // namespace aieloom::host
