// Images of one pixel: each channel is the first of a row of four columns, on one stream and on several.
#include "movers_of_pixels.h"

using namespace aieloom::pl;

struct One {
  static constexpr int kBits = 64, kMemoryWords = 2, kElementBits = 8, kColumns = 4;
};
struct Two : One {
  static constexpr int kStreams = 2;
};

/// Whether a word has channels from `first` on.
bool is(const Axis<64>& word, int first, bool last) {
  bool same = word.last == last && word.keep == 255;
  for (int i = 0; i < 8; ++i) {
    const unsigned wanted = i % 4 == 0 ? static_cast<unsigned>(first + i / 4) : 0U;
    same = same && word.data.range(8 * i + 7, 8 * i).to_uint() == wanted;
  }
  return same;
}

int main() {
  constexpr int kImages = 3, kSent = 7;  // 14 of 16 channels: the eighth word is filling
  static ap_uint<64> memory[4 * kImages];
  for (int i = 0; i < 4 * kImages * 8; ++i) {
    memory[i / 8].range(i % 8 * 8 + 7, i % 8 * 8) = static_cast<unsigned>(i + 1);
  }
  static Port<64> out, outs[2];
  memory_to_pixel<One>(memory, kSent, kImages, out);
  for (int i = 0; i < kImages * kSent; ++i) {
    if (!is(out.read(), i / kSent * 16 + i % kSent * 2 + 1, i % kSent == kSent - 1)) {
      return 1;
    }
  }
  memory_to_pixels<Two>(memory, 8, kImages, outs);
  for (int i = 0; i < kImages * 8; ++i) {
    for (int s = 0; s < 2; ++s) {
      if (!is(outs[s].read(), i / 8 * 32 + s * 16 + i % 8 * 2 + 1, i % 8 == 7)) {
        return 2;
      }
    }
  }
  return out.empty() && outs[0].empty() && outs[1].empty() ? 0 : 3;
}
