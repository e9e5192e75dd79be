// What layers do with images that are kept whole: each reads maps and gives its results in order of channel, row and
// column.
//
//   map, or a map of each input --> fold_map, softmax_map, join_maps ... --> [results]
//
// A map is Value[copies][values]. No types of HLS: programs on the processor use them too. II=1, of a fold kTapCycles, of
// sums kSumCycles.
#pragma once

#include "exponential.h"
#include "folds.h"
#include "reorder.h"

namespace aieloom {
namespace pl {

/// The shape of an image that is kept.
template <int kOfChannels, int kOfHeight, int kOfWidth>
struct Image {
  static constexpr int kChannels = kOfChannels, kHeight = kOfHeight, kWidth = kOfWidth;
  static constexpr int kPixels = kHeight * kWidth, kValues = kChannels * kPixels;
  static int place(int channel, int y, int x) { return channel * kPixels + y * kWidth + x; }
};

/// A map as a layer sees it: `Reorder` makes its place one of the image that is kept.
template <class Kept, class Reorder = InPlace>
struct Read {
  template <class Value>
  static Value at(const Value (&map)[1][Kept::kValues], int channel, int y, int x) {
#pragma HLS inline
    Reorder::from(channel, y, x);
    return map[0][Kept::place(channel, y, x)];
  }
};

/// Folds each window, row by row. Traits S: kChannels, kHeight, kWidth, kOutHeight, kOutWidth, kKernelY,
/// kKernelX, kStrideY, kStrideX, kTop, kLeft, kTapCycles.
template <class S, class Fold, class Seen, class Queue, class Value, int kSize>
void fold_map(Queue& results, const Value (&map)[1][kSize]) {
  static_assert(S::kTapCycles > 0, "a place takes a cycle at least");
  for (int channel = 0; channel < S::kChannels; ++channel) {
    for (int y = 0; y < S::kOutHeight; ++y) {
      for (int x = 0; x < S::kOutWidth; ++x) {
        Fold window;
        for (int dy = 0; dy < S::kKernelY; ++dy) {
          for (int dx = 0; dx < S::kKernelX; ++dx) {
#pragma HLS pipeline II=S::kTapCycles
            const int row = y * S::kStrideY + dy - S::kTop;
            const int column = x * S::kStrideX + dx - S::kLeft;
            const bool inside = 0 <= row && row < S::kHeight && 0 <= column && column < S::kWidth;
            window.take(inside ? Seen::at(map, channel, row, column) : Value(0), inside);
          }
        }
        results.write(window.result());
      }
    }
  }
}

/// The largest value of each pixel, and its channels' exponentials added in their order. Traits S: kChannels, kHeight,
/// kWidth, kLargestCycles, kSumCycles.
template <class S, class Values, class Seen, class Value, int kSize>
void sum_channels(const Value (&map)[1][kSize], Value (&best)[S::kHeight * S::kWidth],
                  float (&sum)[S::kHeight * S::kWidth]) {
#pragma HLS inline
  constexpr int kPixels = S::kHeight * S::kWidth;
  static_assert(S::kLargestCycles > 0 && S::kSumCycles > 0, "a comparison and a sum take a cycle at least");
  for (int pixel = 0; pixel < kPixels; ++pixel) {
#pragma HLS pipeline II=1
    best[pixel] = Seen::at(map, 0, pixel / S::kWidth, pixel % S::kWidth);
    sum[pixel] = 0.0F;
  }
  for (int channel = 1; channel < S::kChannels; ++channel) {
    for (int pixel = 0; pixel < kPixels; ++pixel) {
#pragma HLS pipeline II=S::kLargestCycles
      const Value value = Seen::at(map, channel, pixel / S::kWidth, pixel % S::kWidth);
      best[pixel] = Values::is_above(value, best[pixel]) ? value : best[pixel];
    }
  }
  for (int channel = 0; channel < S::kChannels; ++channel) {
    for (int pixel = 0; pixel < kPixels; ++pixel) {
#pragma HLS pipeline II=S::kSumCycles
      const Value value = Seen::at(map, channel, pixel / S::kWidth, pixel % S::kWidth);
      sum[pixel] += Values::power_of(value, best[pixel]);
    }
  }
}

/// The softmax over the channels of each pixel.
template <class S, class Values, class Seen, class Queue, class Value, int kSize>
void softmax_map(Queue& results, const Value (&map)[1][kSize]) {
  constexpr int kPixels = S::kHeight * S::kWidth;
  Value best[kPixels];
  float sum[kPixels];
  sum_channels<S, Values, Seen>(map, best, sum);
  for (int channel = 0; channel < S::kChannels; ++channel) {
    for (int pixel = 0; pixel < kPixels; ++pixel) {
#pragma HLS pipeline II=S::kSumCycles
      const Value value = Seen::at(map, channel, pixel / S::kWidth, pixel % S::kWidth);
      results.write(Values::share_of(Values::power_of(value, best[pixel]), sum[pixel]));
    }
  }
}

/// Its logarithm: values less the largest and the logarithm of the sum of exponentials.
template <class S, class Seen, class Queue, int kSize>
void log_softmax_map(Queue& results, const float (&map)[1][kSize]) {
  constexpr int kPixels = S::kHeight * S::kWidth;
  float best[kPixels];
  float sum[kPixels];
  sum_channels<S, FloatShares, Seen>(map, best, sum);
  for (int pixel = 0; pixel < kPixels; ++pixel) {
#pragma HLS pipeline II=1
    sum[pixel] = logarithm(sum[pixel]);
  }
  for (int channel = 0; channel < S::kChannels; ++channel) {
    for (int pixel = 0; pixel < kPixels; ++pixel) {
#pragma HLS pipeline II=1
      const float value = Seen::at(map, channel, pixel / S::kWidth, pixel % S::kWidth);
      results.write((value - best[pixel]) - sum[pixel]);
    }
  }
}

/// Values that are not above 0 times the slope of their channel, S::at(channel).
template <class S, class Seen, class Queue, int kSize>
void prelu_map(Queue& results, const float (&map)[1][kSize]) {
  for (int channel = 0; channel < S::kChannels; ++channel) {
    for (int y = 0; y < S::kHeight; ++y) {
      for (int x = 0; x < S::kWidth; ++x) {
#pragma HLS pipeline II=1
        const float value = Seen::at(map, channel, y, x);
        results.write(value > 0.0F ? value : value * S::at(channel));
      }
    }
  }
}

/// Joins two images place by place; the second may have one value along an axis, from which kStepChannel, kStepY, kStepX
/// go no further. Traits S: kChannels, kHeight, kWidth, and these.
template <class S, class Function, class Queue, class Value, int kFirst, int kSecond>
void join_maps(Queue& results, const Value (&first)[1][kFirst], const Value (&second)[1][kSecond]) {
  for (int channel = 0; channel < S::kChannels; ++channel) {
    for (int y = 0; y < S::kHeight; ++y) {
      for (int x = 0; x < S::kWidth; ++x) {
#pragma HLS pipeline II=1
        const int place = (channel * S::kHeight + y) * S::kWidth + x;
        const int other = channel * S::kStepChannel + y * S::kStepY + x * S::kStepX;
        results.write(Function::of(first[0][place], second[0][other]));
      }
    }
  }
}

/// Passes the channels of one image after those of another, with a function of each image's values.
template <class... Functions>
struct JoinMaps {
  template <class Queue>
  static void pass(Queue&) {}
};
template <class Function, class... Functions>
struct JoinMaps<Function, Functions...> {
  template <class Queue, class Value, int kSize, class... Maps>
  static void pass(Queue& results, const Value (&map)[1][kSize], const Maps&... maps) {
#pragma HLS inline
    for (int i = 0; i < kSize; ++i) {
#pragma HLS pipeline II=1
      results.write(Function::of(map[0][i]));
    }
    JoinMaps<Functions...>::pass(results, maps...);
  }
};
template <class... Functions, class Queue, class... Maps>
void join_channels(Queue& results, const Maps&... maps) {
  JoinMaps<Functions...>::pass(results, maps...);
}

}  // namespace pl
}  // namespace aieloom
