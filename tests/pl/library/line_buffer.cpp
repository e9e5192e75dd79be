// A ring of rows in skewed banks: what is stored is found, with the border, in each image's place.
#include "line_buffer.h"

#include <cstring>

using namespace aieloom::pl;

struct Lines : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 6, kHeight = 3, kWidth = 10, kPaddingX = 1;
  static constexpr int kTogether = 2, kSetChannels = 3, kBeat = 4, kBeatApart = 3;
  static constexpr int kRows = 3, kBanks = 4, kStep = 3;
  static constexpr int kOutBits = 32, kPixels = 2, kWordApart = 3, kZero = 77;
};
using R = Ring<Lines>;

static_assert(R::kCopies == 2 && R::kColumns == 3 && R::kDepth == 27, "3 rows of 3 channels of 3 words in a bank");
static_assert(R::bank_of(0) == R::bank_of(2) && R::bank_of(3) == (R::bank_of(0) + 1) % 4, "steps of 3 columns");
static_assert(R::serves(4, 3, 0, 3, 1) && R::serves(2, 3, -1, 8, 1), "lanes 3 columns apart");
static_assert(!R::serves(2, 1, 0, 2, 1), "neighbours lie in one bank");

// Rows of 13 neighbours in as many banks, of which a word has 5.
struct Odd : Elements<Int16>, LineTraits {
  static constexpr int kChannels = 1, kHeight = 2, kWidth = 26, kPaddingX = 2, kSetChannels = 1, kBeat = 13;
  static constexpr int kRows = 2, kBanks = 13, kOutBits = 80, kPixels = 5;
};
static_assert(Ring<Odd>::serves(13, 1, 0, 26, 13) && Ring<Odd>::serves(5, 1, -2, 28, 1),
    "a number of banks that divides a row");

bool odd() {
  using R2 = Ring<Odd>;
  static R2::Line line;
  for (int x = 0; x < 26; x += 13) {
    Beat<Odd> beat;
    for (int i = 0; i < 13; ++i) {
      beat.value[0][i] = static_cast<std::int16_t>(300 * (x + i));
    }
    beat.keep[0] = true;
    beat.number = 0;
    beat.column = x;
    R2::store(line, beat, 1, 0);
  }
  for (int left = -2; left < 24; ++left) {
    std::int16_t found[5];
    R2::row_of(line, 0, 0, 1, left, true, 0, found);
    for (int i = 0; i < 5; ++i) {
      if (found[i] != (0 <= left + i && left + i < 26 ? 300 * (left + i) : 0)) {
        return false;
      }
    }
  }
  return true;
}

int value_at(int channel, int y, int x) { return (channel * 37 + y * 11 + x * 5) % 251 - 125; }

int main() {
  if (!odd()) {
    return 2;
  }
  static R::Line line;
  std::memset(line, 99, sizeof line);
  for (int place : {0, 14}) {  // an image may begin anywhere in the ring
    for (int y = 0; y < 3; ++y) {
      for (int number = 0; number < 3; ++number) {
        for (int column = 0; column < 3; ++column) {
          Beat<Lines> beat;
          for (int way = 0; way < 2; ++way) {
            for (int i = 0; i < 4; ++i) {
              beat.value[way][i] = static_cast<std::int8_t>(value_at(2 * number + way, y, column + 3 * i));
            }
            beat.keep[way] = true;
          }
          beat.row = y;
          beat.number = number;
          beat.column = column;
          R::store(line, beat, y, place);
          beat.value[0][0] = 55;
          R::store(line, beat, -1, place);  // a row that is not kept
        }
      }
    }
    for (int channel = 0; channel < 6; ++channel) {
      for (int y = 0; y < 3; ++y) {
        for (int left = -1; left < 9; ++left) {
          for (int copy = 0; copy < 2; ++copy) {
            std::int8_t found[2], none[2];
            R::row_of(line, copy, channel, y, left, true, place, found);
            R::row_of(line, copy, channel, y, left, false, place, none);
            for (int i = 0; i < 2; ++i) {
              const int x = left + 3 * i;
              const int wanted = 0 <= x && x < 10 ? value_at(channel, y, x) : 77;
              if (found[i] != wanted || none[i] != 77) {
                return 1;
              }
            }
          }
        }
      }
    }
  }
  return 0;
}
