// A ring of rows in skewed banks: what is stored is found, with the border, in each image's place.
#include "line_buffer.h"

#include <cstring>

using namespace aieloom::pl;

struct Lines {
  using Element = Int8;
  using Storage = Lutram;
  static constexpr bool kOwnRows = false;
  static constexpr int kChannels = 6, kHeight = 3, kWidth = 10, kPaddingX = 1;
  static constexpr int kReaders = 1, kTogether = 2, kSetChannels = 3, kBeat = 4, kBeatApart = 3;
  static constexpr int kRows = 3, kBanks = 4, kStep = 3, kSkew = 0;
  static constexpr int kOutBits = 32, kPixels = 2, kWordApart = 3, kZero = 77;
};
using R = Ring<Lines>;

static_assert(R::kCopies == 2 && R::kColumns == 3 && R::kDepth == 27, "3 rows of 3 channels of 3 words in a bank");
static_assert(R::bank_of(0) == R::bank_of(2) && R::bank_of(3) == (R::bank_of(0) + 1) % 4, "steps of 3 columns");
static_assert(R::serves(4, 3, 0, 3, 1) && R::serves(2, 3, -1, 8, 1), "lanes 3 columns apart");
static_assert(!R::serves(2, 1, 0, 2, 1), "neighbours lie in one bank");

int value_at(int channel, int y, int x) { return (channel * 37 + y * 11 + x * 5) % 251 - 125; }

int main() {
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
          R::store(line, beat, y, true, place);
          beat.value[0][0] = 55;
          R::store(line, beat, y, false, place);  // a row that is not kept
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
