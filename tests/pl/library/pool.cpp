// The average of each channel of images in rows, halves away from zero.
#include "pool.h"

#include <cmath>

using namespace aieloom::pl;

struct Image {
  using Element = Int8;
  static constexpr int kChannels = 5, kHeight = 4, kWidth = 8, kBits = 32, kTakeCycles = 2;
};
struct Results {
  using Element = Int8;
  static constexpr bool kOwnRows = false;
  static constexpr int kChannels = 5, kHeight = 1, kWidth = 1, kRows = 2;
  static constexpr int kReaders = 1, kTogether = 1, kSetChannels = 5, kBeat = 1, kOutGroups = 2;
};

int main() {
  static hls::stream<Row<32>> rows;
  static hls::stream<Beat<Results>> results[2];
  for (int image = 0; image < 3; ++image) {
    int sum[5] = {};
    unsigned seed = 5U + static_cast<unsigned>(image);
    for (int i = 0; i < 4 * 5 * 2; ++i) {
      Row<32> row;
      for (int lane = 0; lane < 4; ++lane) {
        seed = seed * 1664525U + 1013904223U;
        // channel 0 is the least of all, 1 the largest; 2 and 3 are halves above and below zero
        const int shown[5] = {-128, 127, i == 2 * 2 ? 4 : 0, i == 3 * 2 ? -4 : 0, static_cast<int>(seed >> 24) - 128};
        const int value = shown[i / 2 % 5];
        put_lane<Int8>(row, lane, static_cast<std::int8_t>(value));
        sum[i / 2 % 5] += value;
      }
      rows.write(row);
    }
    if (sum[2] != 16 || sum[3] != -16) {
      return 1;
    }
    pool_image<Image, Average<Int8, 32>, Results>(rows, results);
    for (auto& queue : results) {
      for (int channel = 0; channel < 5; ++channel) {
        const Beat<Results> beat = queue.read();
        const int wanted = static_cast<int>(std::round(sum[channel] / 32.0));
        if (beat.number != channel || !beat.keep[0] || beat.value[0][0] != wanted) {
          return 2;
        }
      }
    }
  }
  return 0;
}
