// Windows of a band: the largest, averages with and without what lies outside, depthwise sums, each folded tap by tap here.
#include "engine/row_fold.h"

using namespace aieloom::pl;
using namespace aieloom::pl::row;

struct LowBits {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& c, const IntegerFinish& f) { return static_cast<std::int8_t>(sum + c.bias + f.zero); }
};
struct Small {
  using Finished = LowBits;
  using Trained = Depthwise;
  static constexpr int kParts = 3, kLineWords = 256, kBandPixels = 64, kPlaces = 8, kFoldInterval = 1, kMostWords = 4, kMostWeights = 64;
};

extern "C" void top(const Layer& l, int group, int band, const Lines<Small>& lines, const Corners<Small>& corners, hls::stream<LinePacket>& weights,
                    hls::stream<LinePacket>& made) {
  static row::Trained<Small> trained;
  trained.take(weights, l);
  FoldsBands::fold<Small>(lines, corners, trained, l, group, band, made);
}

std::int8_t element(int y, int x, int channel) { return static_cast<std::int8_t>(y * 37 + x * 11 + channel * 5); }
std::int8_t weight(int tap, int channel) { return static_cast<std::int8_t>(tap * 3 + channel - 20); }

int checked(const Layer& l, int group, int band) {
  static Lines<Small> lines;
  static Corners<Small> corners;
  static hls::stream<LinePacket> weights, made;
  const int first = band * l.rows * l.stride_y - l.top, taps = l.kernel_y * l.kernel_x;
  for (int row = 0; row < (l.rows - 1) * l.stride_y + l.kernel_y; ++row) {
    for (int x = 0; x < l.width; ++x) {
      for (int word = 0; word < l.tap_words; ++word) {
        for (auto& part : lines) {
          for (int q = 0; q < 16; ++q) {
            const int channel = (group * l.tap_words + word) * 16 + q;
            part[(row * l.width + x) * l.tap_words + word].range(8 * q + 7, 8 * q) = element(first + row, x, channel) & 0xFF;
          }
        }
      }
    }
  }
  for (int pixel = 0; pixel < pixels_of(l, band); ++pixel) {
    corners[pixel] = {pixel / l.out_width * l.stride_y, pixel % l.out_width * l.stride_x - l.left};
  }
  if (l.operation == kDepthwise) {
    for (int channel = 0; channel < l.words * 16; ++channel) {
      LinePacket packet;
      packet.data = static_cast<unsigned>(7 * channel);  // the bias
      weights.write(packet);
    }
    for (int i = 0; i < taps * l.words; ++i) {
      LinePacket packet;
      for (int q = 0; q < 16; ++q) {
        packet.data.range(8 * q + 7, 8 * q) = weight(i / l.words, i % l.words * 16 + q) & 0xFF;
      }
      weights.write(packet);
    }
  }
  top(l, group, band, lines, corners, weights, made);
  for (int pixel = 0; pixel < pixels_of(l, band); ++pixel) {
    for (int word = 0; word < l.tap_words; ++word) {
      const LinePacket packet = made.read();
      for (int q = 0; q < 16; ++q) {
        const int channel = (group * l.tap_words + word) * 16 + q;
        int largest = -128, sum = 0, there = 0;
        for (int tap = 0; tap < taps; ++tap) {
          const int y = first + pixel / l.out_width * l.stride_y + tap / l.kernel_x, x = pixel % l.out_width * l.stride_x - l.left + tap % l.kernel_x;
          const bool inside = 0 <= y && y < l.height && 0 <= x && x < l.width;
          const int outside = l.operation == kMaximum ? -128 : l.counts_padding != 0 ? l.zero_a : 0;
          const int value = inside ? element(y, x, channel) : outside;
          there += inside ? 1 : 0;
          largest = value > largest ? value : largest;
          sum += l.operation == kDepthwise ? value * weight(tap, channel) : value;
        }
        const int count = l.counts_padding != 0 ? taps : there > 0 ? there : 1;
        const int average = (2 * (sum < 0 ? -sum : sum) + count) / (2 * count) * (sum < 0 ? -1 : 1);  // halves away from zero
        const int end = sum + 7 * channel + l.zero_y;
        const int wanted = l.operation == kMaximum ? largest : l.operation == kAverage ? average : end;
        if (packet.data.range(8 * q + 7, 8 * q).to_uint() != (static_cast<unsigned>(wanted) & 0xFF)) {
          return 1;
        }
      }
    }
  }
  return made.empty() && weights.empty() ? 0 : 2;
}

int main() {
  Layer l = {};
  l.opcode = kFold;
  l.height = 7;
  l.width = 6;
  l.words = 4;
  l.out_height = 4;
  l.out_width = 3;
  l.kernel_y = 3;
  l.kernel_x = 2;
  l.stride_y = 2;
  l.stride_x = 2;
  l.top = 1;
  l.left = 1;
  l.groups = 2;
  l.tap_words = 2;
  l.rows = 3;
  l.bands = 2;
  l.zero_a = -9;
  l.zero_y = 6;
  for (int operation : {kMaximum, kAverage, kDepthwise}) {
    for (l.counts_padding = 0; l.counts_padding < 2; ++l.counts_padding) {
      l.operation = operation;
      for (int band = 0; band < 2; ++band) {
        const int found = checked(l, 1, band);
        if (found != 0) {
          return found + 10 * operation;
        }
      }
    }
  }
  return 0;
}
