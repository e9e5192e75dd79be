// argmax.h: the number of the largest channel of each pixel, on the processor.
#pragma once

namespace aieloom::host {

/// The first of the largest; NaN is larger than any number.
template <class T>
void argmax(const float* x, float* y) {
  for (int pixel = 0; pixel < T::kPixels; ++pixel) {
    float best = x[pixel];
    int found = 0;
    for (int channel = 1; channel < T::kChannels; ++channel) {
      const float value = x[channel * T::kPixels + pixel];
      if (value > best || (value != value && best == best)) {
        best = value;
        found = channel;
      }
    }
    y[pixel] = static_cast<float>(found);
  }
}

}  // namespace aieloom::host
