// Convolutions of several images, strides, groups and sets, and depthwise ones, in int8 and in floats, by their definition.
#include "engine/conv_engine.h"

#include <cmath>

using namespace aieloom::pl;

struct LowBits {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& c, const IntegerFinish& f) { return static_cast<std::int8_t>(sum + c.bias + f.zero); }
};
struct Small {
  using Values = Integers;
  using Finished = LowBits;
  static constexpr int kPixels = 2, kOut = 32, kRounds = 4, kTurns = 3, kDepth = 2, kWordChannels = 1;
};
struct OfFloats : Small {
  using Values = Floats;
  using Finished = FloatFinish<Floats>;
  static constexpr int kTurns = 4, kDepth = 5, kWordChannels = 4;
};
struct Shape {
  int sets, images, height, width, words, out_height, out_width, group_words, tap_words, set_words, kernel_y, kernel_x, stride_y, stride_x, top, left,
      groups, depthwise;
};

extern "C" void top(const Word<std::int8_t>* x, const Word<std::int8_t>* w, const IntegerChannel* channels, Word<std::int8_t>* y, const Shape& s) {
  conv::engine<Small>(x, w, channels, y, 1, 2, 3, 4, s.sets, s.images, s.height, s.width, s.words, s.out_height, s.out_width, s.group_words, s.tap_words,
                      s.set_words, s.kernel_y, s.kernel_x, s.stride_y, s.stride_x, s.top, s.left, s.groups, s.depthwise, -3, 7, 0, -128, 127);
}

constexpr int kMost = 8192;
int given(int i) { return (i * 2654435761U >> 7) % 15 - 7; }

template <class T, class Run>
int checked(const Shape& s, Run run) {
  using V = typename T::Values;
  using Element = typename V::Element;
  static Word<Element> x[kMost], w[kMost], y[kMost];
  static Channel<typename V::Sum> channels[kMost];
  for (int i = 0; i < kMost; ++i) {
    for (int q = 0; q < 16; ++q) {
      x[i].lane[q] = static_cast<Element>(given(16 * i + q));
      w[i].lane[q] = static_cast<Element>(given(16 * i + q + 77777));
      y[i].lane[q] = 99;
    }
    channels[i] = {static_cast<typename V::Sum>(given(i)), 0, 0, 0};
  }
  run(x, w, channels, y, s);
  constexpr int kOutWords = T::kOut / 16;
  const int taps = s.kernel_y * s.kernel_x, tiles = (s.group_words + kOutWords - 1) / kOutWords;
  const int tap_weights = s.depthwise != 0 ? kOutWords : s.tap_words * 16 * kOutWords;
  const int set_weights = s.groups * tiles * taps * tap_weights;
  for (int set = 0; set < s.sets; ++set) {
    for (int n = 0; n < s.images * s.out_height * s.out_width; ++n) {
      for (int c = 0; c < s.groups * s.group_words * 16; ++c) {
        const int group = c / (s.group_words * 16), own = c % (s.group_words * 16), tile = own / T::kOut, lane = own % T::kOut;
        double sum = 0;
        for (int tap = 0; tap < taps; ++tap) {
          const int row = n / s.out_width % s.out_height * s.stride_y - s.top + tap / s.kernel_x;
          const int column = n % s.out_width * s.stride_x - s.left + tap % s.kernel_x, image = n / (s.out_height * s.out_width);
          const bool inside = 0 <= row && row < s.height && 0 <= column && column < s.width;
          const int pixel = 1 + (((set * s.images + image) * s.height + row) * s.width + column) * s.words;
          const int weights = 2 + set * (s.set_words != 0 ? s.set_words : set_weights) + ((group * tiles + tile) * taps + tap) * tap_weights;
          for (int i = 0; i < (s.depthwise != 0 ? 1 : s.tap_words * 16); ++i) {
            const int at = s.depthwise != 0 ? own : group * s.tap_words * 16 + i;
            const double value = inside ? x[pixel + at / 16].lane[at % 16] : -3;
            sum += value * w[weights + i * kOutWords + lane / 16].lane[lane % 16];
          }
        }
        const int channel = 3 + set * s.set_words * T::kWordChannels + (group * tiles + tile) * T::kOut + lane;
        const Element wanted = T::Finished::of(static_cast<typename V::Sum>(sum), channels[channel], {7, 0, -128, 127});
        const int at = 4 + ((set * s.images * s.out_height * s.out_width + n) * s.groups + group) * s.group_words + own / 16;
        if (y[at].lane[c % 16] != wanted) {
          return 1;
        }
      }
    }
  }
  return 0;
}

int main() {
  const Shape shapes[] = {
      {1, 2, 5, 6, 3, 3, 3, 3, 3, 0, 3, 3, 2, 2, 1, 1, 1, 0},   // strides, a last tile of one word
      {1, 1, 4, 5, 4, 4, 5, 1, 2, 0, 3, 1, 1, 1, 1, 0, 2, 0},   // groups
      {2, 3, 1, 1, 2, 1, 1, 2, 2, 0, 1, 1, 1, 1, 0, 0, 1, 0},   // products, weights one behind the other
      {2, 1, 1, 7, 1, 1, 7, 1, 1, 48, 1, 1, 1, 1, 0, 0, 1, 0},  // each set with channels of its own behind its weights
      {1, 2, 5, 4, 3, 5, 4, 3, 3, 0, 3, 3, 1, 1, 1, 1, 1, 1},   // depthwise
  };
  for (const Shape& s : shapes) {
    if (checked<Small>(s, top) != 0) {
      return 1 + static_cast<int>(&s - shapes);
    }
    const auto floats = [](const Word<float>* x, const Word<float>* w, const Channel<float>* channels, Word<float>* y, const Shape& f) {
      conv::engine<OfFloats>(x, w, channels, y, 1, 2, 3, 4, f.sets, f.images, f.height, f.width, f.words, f.out_height, f.out_width, f.group_words,
                             f.tap_words, f.set_words, f.kernel_y, f.kernel_x, f.stride_y, f.stride_x, f.top, f.left, f.groups, f.depthwise, -3, 7, 0,
                             -128.0F, 127.0F);
    };
    if (checked<OfFloats>(s, floats) != 0) {
      return 11 + static_cast<int>(&s - shapes);
    }
  }
  return 0;
}
