// softmax.h: shares of the channels of each pixel, on the processor.
#pragma once

#include "exponential.h"

namespace aieloom::host {

/// The largest value, the sum of exponentials in order of channels, the shares.
template <class T>
void softmax(const float* x, float* y) {
  for (int pixel = 0; pixel < T::kPixels; ++pixel) {
    float best = x[pixel];
    for (int channel = 1; channel < T::kChannels; ++channel) {
      const float value = x[channel * T::kPixels + pixel];
      best = value > best ? value : best;
    }
    float sum = 0.0F;
    for (int channel = 0; channel < T::kChannels; ++channel) {
      const int place = channel * T::kPixels + pixel;
      y[place] = exponential(x[place] - best);
      sum += y[place];
    }
    for (int channel = 0; channel < T::kChannels; ++channel) {
      const int place = channel * T::kPixels + pixel;
      y[place] = y[place] / sum;
    }
  }
}

}  // namespace aieloom::host
