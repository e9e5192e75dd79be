// log_softmax.h: logarithms of the shares of the channels of each pixel, on the processor.
#pragma once

#include "exact.h"

namespace aieloom::host {

/// Values less the largest and the logarithm of the sum of exponentials; float64, rounded once.
template <class T>
void log_softmax(const float* x, float* y) {
  for (int pixel = 0; pixel < T::kPixels; ++pixel) {
    double best = x[pixel];
    for (int channel = 1; channel < T::kChannels; ++channel) {
      const double value = x[channel * T::kPixels + pixel];
      best = value > best ? value : best;
    }
    double sum = 0.0;
    for (int channel = 0; channel < T::kChannels; ++channel) {
      sum += exact::exp(x[channel * T::kPixels + pixel] - best);
    }
    const double log_of_sum = exact::log(sum);
    for (int channel = 0; channel < T::kChannels; ++channel) {
      const int place = channel * T::kPixels + pixel;
      y[place] = static_cast<float>((x[place] - best) - log_of_sum);
    }
  }
}

}  // namespace aieloom::host
