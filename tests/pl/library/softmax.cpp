// The four tasks of a softmax, with powers of two in place of exponentials: every result is exact.
#include "softmax.h"

#include <hls_task.h>

#include "windows.h"

using namespace aieloom::pl;

struct Channels_ : Elements<Int8>, WindowTraits {
  static constexpr int kChannels = 5, kHeight = 1, kWidth = 1, kSetChannels = 6, kBeat = 1, kSumCycles = 4;
  static constexpr int kLargestDepth = 40, kPowersDepth = 60, kSumsDepth = 50, kSharesDepth = 60;
};
struct Negative {
  static std::int8_t of(std::int8_t value) { return static_cast<std::int8_t>(-value); }
};
struct Results : Elements<Int8, Negative>, LineTraits {
  static constexpr int kChannels = 5, kHeight = 1, kWidth = 1, kSetChannels = 6, kBeat = 1, kRows = 2;
};
struct Halves {
  static bool is_above(std::int8_t value, std::int8_t other) { return value > other; }
  static float power_of(std::int8_t value,
      std::int8_t largest) { return 1.0F / static_cast<float>(1 << (largest - value)); }
  static std::int8_t share_of(float power, float total) { return static_cast<std::int8_t>(power / total * 96.0F); }
};

extern "C" void top(hls::stream<Beat<Channels_>>& beats, hls::stream<Beat<Results>>& results) {
  hls_thread_local hls::stream<std::int8_t, 16> values;
  hls_thread_local hls::stream<std::int8_t, 2> largests;
  hls_thread_local hls::stream<float, 16> raised;
  hls_thread_local hls::stream<float, 16> kept;
  hls_thread_local hls::stream<float, 2> totals;
  hls_thread_local hls::task first(largest<Channels_, Halves>, beats, values, largests);
  hls_thread_local hls::task second(powers<Channels_, Halves>, values, largests, raised);
  hls_thread_local hls::task third(sums<Channels_>, raised, kept, totals);
  hls_thread_local hls::task fourth(shares<Channels_, Halves, Results>, kept, totals, results);
}

int main() {
  static hls::stream<Beat<Channels_>> beats;
  static hls::stream<Beat<Results>> results;
  // Distances from the largest of 1 0 1 2 2: powers of 2, 4, 2, 1, 1 quarters of 10; and so on. The sixth channel fills
  // up.
  const int given[4][6] =
      {{-3, -2, -3, -4, -4, 99}, {5, 5, 5, 5, 5, 99}, {-128, -128, -127, -128, -128, 99}, {7, 6, 5, 4, 3, 99}};
  const int quarters[4][5] = {{8, 16, 8, 4, 4}, {16, 16, 16, 16, 16}, {8, 8, 16, 8, 8}, {16, 8, 4, 2, 1}};
  for (const auto& image : given) {
    for (int channel = 0; channel < 6; ++channel) {
      Beat<Channels_> beat;
      beat.value[0][0] = static_cast<std::int8_t>(image[channel]);
      beat.keep[0] = channel < 5;
      beat.number = channel;
      beats.write(beat);
    }
  }
  top(beats, results);
  for (const auto& image : quarters) {
    const float total = static_cast<float>(image[0] + image[1] + image[2] + image[3] + image[4]);
    for (int channel = 0; channel < 5; ++channel) {
      const Beat<Results> beat = results.read();
      const int wanted = -static_cast<int>(static_cast<float>(image[channel]) / total * 96.0F);
      if (beat.value[0][0] != wanted || beat.number != channel || !beat.keep[0]) {
        return 1;
      }
    }
  }
  return results.empty() ? 0 : 2;
}
