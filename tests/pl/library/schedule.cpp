// What rounds need and what may come meanwhile, against numbers that were counted by hand.
#include "schedule.h"

using namespace aieloom::pl;

// 8 rows come in 4 bands of 2 rows, 10 beats each; a round sends a row and sees the one before and the one behind.
struct Bands {
  static constexpr int kBands = 4, kBeats = 40;
  static constexpr int beats_by(int band) { return 10 * (band + 1); }
  static constexpr int high(int band) { return 2 * band + 1; }
  static constexpr int reached(int band) { return high(band); }
};
struct Windows {
  static constexpr int kRounds = 8, kPlaces = 8;
  static constexpr int high(int round) { return round < 7 ? round + 1 : 7; }
  static constexpr int low(int round) { return round > 0 ? round - 1 : 0; }
  static constexpr int touched(int row) { return row; }
};
struct Five {
  static constexpr int kRows = 5;
};
struct Three {
  static constexpr int kRows = 3;
};

constexpr auto kFive = schedule<Five, Bands, Windows>();
static_assert(kFive.needs[0] == 10 && kFive.needs[1] == 20 && kFive.needs[2] == 20 && kFive.needs[3] == 30,
    "rows below it");
static_assert(kFive.needs[6] == 40 && kFive.needs[7] == 40, "an image in whole");
// Round 0 reads rows 0 and 1: rows 0 to 3 lie in 5 places, row 5 would replace row 0. Round 2 reads from row 1 on: row
// 5 may come.
static_assert(kFive.room[0] == 20 && kFive.room[1] == 20 && kFive.room[2] == 30, "rows that nobody reads any more");
// Round 7 reads from row 6 on: places 6 to 10, of which 8 and 9 are the next image's first rows.
static_assert(kFive.room[7] == 50, "the next image's rows");
static_assert(most_room(kFive) == 50 && fits(kFive), "it fits");
static_assert(!fits(schedule<Three, Bands, Windows>()),
    "three rows hold one band of what a window over two bands sees");

// The same rows where each band ends within a row, of which the next one brings the rest; two beats fill up the last.
struct Ragged {
  static constexpr int kBands = 4, kBeats = 42;
  static constexpr int beats_by(int band) { return band == 3 ? 42 : 10 * (band + 1); }
  static constexpr int high(int band) { return band == 3 ? 7 : 2 * band; }
  static constexpr int reached(int band) { return band == 3 ? 7 : 2 * band + 1; }
};
constexpr auto kRagged = schedule<Five, Ragged, Windows>();
static_assert(kRagged.needs[0] == 20 && kRagged.needs[1] == 20 && kRagged.needs[2] == 30 && kRagged.needs[7] == 42,
    "whole rows");
static_assert(kRagged.room[0] == 20 && kRagged.room[7] == 52, "what is begun takes its place");

int main() { return 0; }
