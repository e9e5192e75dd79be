// prelu.h: values that are not above 0 times the slope of their channel, on the processor.
#pragma once

namespace aieloom::host {

template <class T>
void prelu(const float* x, const float* weight, float* y) {
  for (int channel = 0; channel < T::kChannels; ++channel) {
    const float slope = weight[channel];
    for (int pixel = 0; pixel < T::kPixels; ++pixel) {
      const int place = channel * T::kPixels + pixel;
      y[place] = x[place] > 0.0F ? x[place] : x[place] * slope;
    }
  }
}

}  // namespace aieloom::host
