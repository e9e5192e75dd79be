// Words of five streams, two in a memory word: each stream's in its order, the last of an image marked, and back in memory.
#include "movers.h"

using namespace aieloom::pl;

struct Five {
  static constexpr int kBits = 32, kStreams = 5, kMemoryBits = 64;
};
static_assert(Together<Five>::kBeats == 3, "5 streams, two in a word");

int main() {
  constexpr int kSize = 4, kImages = 3, kWords = kSize * kImages;
  static ap_uint<64> from[3 * kWords], to[3 * kWords];
  for (int i = 0; i < 3 * kWords; ++i) {
    from[i].range(31, 0) = static_cast<unsigned>(2 * i);
    from[i].range(63, 32) = static_cast<unsigned>(2 * i + 1);
  }
  static Port<32> s[5], copies[5];
  memory_to_streams<Five>(from, kSize, kImages, s[0], s[1], s[2], s[3], s[4]);
  for (int i = 0; i < kWords; ++i) {
    for (int stream = 0; stream < 5; ++stream) {
      const Axis<32> word = s[stream].read();
      if (word.data.to_uint() != static_cast<unsigned>(6 * i + stream) || word.last != (i % kSize == kSize - 1) || word.keep != 15) {
        return 1;
      }
      copies[stream].write(word);
    }
  }
  streams_to_memory<Five>(to, kSize, kImages, copies[0], copies[1], copies[2], copies[3], copies[4]);
  for (int i = 0; i < 3 * kWords; ++i) {
    const unsigned second = i % 3 == 2 ? 0U : static_cast<unsigned>(2 * i + 1);  // no sixth stream
    if (to[i].range(31, 0).to_uint() != static_cast<unsigned>(2 * i) || to[i].range(63, 32).to_uint() != second) {
      return 2;
    }
  }
  for (auto& stream : s) {
    if (!stream.empty()) {
      return 3;
    }
  }
  return 0;
}
