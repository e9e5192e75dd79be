// Results of a row of chains: pixels of its bands go where they belong in memory, with another tensor their sum, and a token tells that they lie there.
#include "engine/array_store.h"

using namespace aieloom::pl;
using namespace aieloom::pl::array;

struct LowBits {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& c, const IntegerFinish&) { return static_cast<std::int8_t>(sum + c.bias); }
};
struct Difference {  // which of two tensors is the first one is seen
  static std::int8_t of(std::int8_t first, std::int8_t second, const IntegerScaling& s) { return static_cast<std::int8_t>(first - second + s.zero); }
};
struct Small {
  using Values = Integers;
  using Finished = LowBits;
  using Sums = Difference;
  static constexpr int kRows = 2, kColumns = 2, kTileM = 4, kTileN = 16, kBlockM = 4, kBlockN = 8, kMostTogether = 2, kSumInterval = 1;
};
using Channels = IntegerChannel;
using Bytes = Word<std::int8_t>;

extern "C" void top(const Channels* channels, const Bytes* other, Bytes* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done,
                    hls::stream<TilePacket> in[2]) {
  store<Small>(channels, other, y, unit, control, done, in);
}

constexpr int kWords = 2048, kUnit = 1;
int sum_of(int group, int channel, int band, int pixel) { return group * 71 + channel * 13 + band * 29 + pixel * 3; }

int checked(const Layer& l) {
  static Channels channels[512];
  static Bytes other[kWords], y[kWords], wanted[kWords];
  for (int i = 0; i < 512; ++i) {
    channels[i] = {i * 5, 0, 0, 0};
  }
  for (int i = 0; i < kWords; ++i) {
    for (int q = 0; q < 16; ++q) {
      other[i].lane[q] = static_cast<std::int8_t>(i * 3 + q);
      y[i].lane[q] = wanted[i].lane[q] = 99;
    }
  }
  static hls::stream<Control> control, done;
  static hls::stream<TilePacket> in[2];
  const Layer end = {};
  for (const Layer& one : {l, end}) {
    for (int i = 0; i < kNumbers; ++i) {
      control.write(control_of(reinterpret_cast<const int*>(&one)[i]));
    }
  }
  for (int set = 0; set < l.groups * sets_of(l); ++set) {
    const int group = set / sets_of(l), first = set % sets_of(l) * l.together;
    for (int round = 0; round < rounds_of(l, Small::kRows); ++round) {
      const int band = round * Small::kRows + kUnit, image = band / l.bands;
      for (int tile = first; tile < first + tiles_of(l, set % sets_of(l)); ++tile) {
        for (int block = 0; block < blocks_of(l, round, Small::kTileM); ++block) {
          for (int z = 0; z < 2; ++z) {
            for (int channel = 0; channel < 16; channel += 8) {
              for (int m = 0; m < 4; ++m) {
                for (int n = 0; n < 8; n += 4) {
                  TilePacket packet;
                  for (int i = 0; i < 4; ++i) {
                    const int c = (tile * 2 + z) * 16 + channel + n + i, pixel = block * 4 + m;
                    packet.data.range(32 * i + 31, 32 * i) = static_cast<unsigned>(sum_of(group, c, band, pixel));
                    const int place = (image * l.out_height + band % l.bands * l.rows) * l.out_width + pixel;
                    if (pixel < pixels_of(l, band) && c / 16 < l.group_words) {
                      const int at = place * l.out_words + group * l.group_words + c / 16;
                      const int bias = channels[l.channels_at + group * l.tiles * 32 + c].bias;
                      const std::int8_t product = static_cast<std::int8_t>(sum_of(group, c, band, pixel) + bias);
                      const std::int8_t beside = other[l.other_at + at].lane[c % 16];
                      const int sum = l.sum == 1 ? product - beside : beside - product;
                      wanted[l.y_at + at].lane[c % 16] = static_cast<std::int8_t>(l.sum == 0 ? product : sum + l.zero_y);
                    }
                  }
                  in[z].write(packet);
                }
              }
            }
          }
        }
      }
    }
  }
  top(channels, other, y, kUnit, control, done, in);
  for (int i = 0; i < kWords; ++i) {
    for (int q = 0; q < 16; ++q) {
      if (y[i].lane[q] != wanted[i].lane[q]) {
        return 1;
      }
    }
  }
  return done.size() == 1 && number_of(done.read()) == 1 && in[0].empty() && in[1].empty() ? 0 : 2;
}

int main() {
  Layer l = {};
  l.opcode = kProduct;
  l.images = 2;
  l.out_height = 5;
  l.out_width = 3;
  l.groups = 2;
  l.group_words = 5;
  l.out_words = 10;
  l.rows = 2;
  l.bands = 3;
  l.tiles = 3;
  l.together = 2;
  l.channels_at = 4;
  l.y_at = 6;
  l.other_at = 20;
  l.zero_y = 9;
  for (l.sum = 0; l.sum < 3; ++l.sum) {
    const int found = checked(l);
    if (found != 0) {
      return found + 10 * l.sum;
    }
  }
  l.sum = l.channels_at = 0;
  l.groups = l.tiles = 1;
  l.group_words = l.out_words = 2;  // a tile makes all words of a pixel
  return checked(l);
}
