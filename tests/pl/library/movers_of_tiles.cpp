// Images of 2 channels, 5 x 12, in tiles of 3 x 8 that overlap, by two kernels: each tile as it lies, and an image put together.
#include "movers_of_tiles.h"

using namespace aieloom::pl;

struct Tiles {
  static constexpr int kBits = 64, kMemoryBits = 32, kElementBits = 8, kChannels = 2, kHeight = 5, kRowBeats = 3;
  static constexpr int kTileHeight = 3, kTileBeats = 2, kRows = 2, kColumns = 2;
  static constexpr int kRowStep = 2, kLastRow = 2, kColumnStep = 4, kLastColumn = 4;
  static constexpr int kTileWords = 6, kRowsBefore = 1, kColumnsBefore = 4;
};

int main() {
  constexpr int kImages = 3, kAll = kImages * 2 * 5 * 3;
  static ap_uint<32> memory[kAll], back[kAll];
  for (int i = 0; i < kAll; ++i) {
    memory[i] = static_cast<unsigned>(i * 7919);
    back[i] = 0U;
  }
  for (int kernel = 0; kernel < 2; ++kernel) {
    static Port<64> tiles, copies;
    memory_to_tiles<Tiles>(memory, kImages, kernel, 2, tiles);
    for (int number = kernel; number < kImages * 4; number += 2) {
      for (int beat = 0; beat < 12; beat += 2) {
        const Axis<64> word = tiles.read();
        for (int half = 0; half < 2; ++half) {
          const int at = beat + half, channel = at / 6, y = at / 2 % 3 + number / 2 % 2 * 2, x = at % 2 + number % 2;
          const unsigned wanted = static_cast<unsigned>((((number / 4 * 2 + channel) * 5 + y) * 3 + x) * 7919);
          if (word.data.range(32 * half + 31, 32 * half).to_uint() != wanted || word.last != (beat == 10)) {
            return 1;
          }
        }
        copies.write(word);
      }
    }
    tiles_to_memory<Tiles>(back, kImages, kernel, 2, copies);
    if (!tiles.empty() || !copies.empty()) {
      return 2;
    }
  }
  for (int i = 0; i < kAll; ++i) {
    if (back[i] != memory[i]) {
      return 3;
    }
  }
  return 0;
}
