// pad.h: a border around an image, on the processor.
#pragma once

#include <algorithm>

namespace aieloom::host {

template <class T>
void pad(const float* image, float* results) {
  std::fill_n(results, T::kChannels * T::kOutHeight * T::kOutWidth, float{T::kValue});
  for (int line = 0; line < T::kChannels * T::kHeight; ++line) {
    const int row = line / T::kHeight * T::kOutHeight + line % T::kHeight + T::kTop;
    std::copy_n(image + line * T::kWidth, int{T::kWidth}, results + row * T::kOutWidth + T::kLeft);
  }
}

}  // namespace aieloom::host
