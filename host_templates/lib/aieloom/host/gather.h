// gather.h: layers on the processor that give values other places.
#pragma once

namespace aieloom::host {

/// Gives each place of a result the element that `source` makes the input's (channel, y, x) of.
template <int kChannels, int kHeight, int kWidth, int kFromHeight, int kFromWidth, class T, class Source>
void gather(const T* from, T* to, Source source) {
  for (int i = 0; i < kChannels; ++i) {
    for (int j = 0; j < kHeight; ++j) {
      for (int k = 0; k < kWidth; ++k) {
        int channel = i;
        int y = j;
        int x = k;
        source(channel, y, x);
        *to++ = from[(channel * kFromHeight + y) * kFromWidth + x];
      }
    }
  }
}

}  // namespace aieloom::host
