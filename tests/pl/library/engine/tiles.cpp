// Tiles of sums from three chains: mmul after mmul as cores give them, and words of a pixel with the channels' own numbers.
#include "engine/tiles.h"

using namespace aieloom::pl;

struct Biased {  // the low bits of sum, bias and multiplier, so that each is told apart
  static std::int8_t of(std::int32_t sum, const IntegerChannel& c, const IntegerFinish& f) {
    return static_cast<std::int8_t>(sum + c.bias + 3 * c.multiplier + f.zero);
  }
};
struct Small {
  using Values = Integers;
  using Finished = Biased;
  static constexpr int kColumns = 3, kTileM = 8, kTileN = 32, kBlockM = 4, kBlockN = 8, kMostTogether = 2;
};

int sum_of(int column, int pixel, int channel) { return column * 1000 + pixel * 37 + channel * 11; }

int main() {
  static hls::stream<TilePacket> in[3];
  for (int z = 0; z < 3; ++z) {
    for (int pixel = 0; pixel < 8; pixel += 4) {  // an mmul of 4 pixels x 8 channels: four words of two pixels each
      for (int channel = 0; channel < 32; channel += 8) {
        for (int m = 0; m < 4; ++m) {
          for (int n = 0; n < 8; n += 4) {
            TilePacket packet;
            for (int i = 0; i < 4; ++i) {
              packet.data.range(32 * i + 31, 32 * i) = static_cast<unsigned>(sum_of(z, pixel + m, channel + n + i));
            }
            in[z].write(packet);
          }
        }
      }
    }
  }
  static TilesOf<Small>::Tiles tiles;
  receive<Small>(in, tiles);
  static IntegerChannel channels[96];
  for (int c = 0; c < 96; ++c) {
    channels[c] = {c, c * c, 0, 0};
  }
  const IntegerFinish f = {7, 0, -128, 127};
  for (int pixel = 0; pixel < 8; ++pixel) {
    for (int word = 0; word < 6; ++word) {
      const Word<std::int8_t> made = word_of<Small>(tiles, channels, f, pixel, word);
      for (int q = 0; q < 16; ++q) {
        const int c = 16 * word + q;
        if (made.lane[q] != static_cast<std::int8_t>(sum_of(c / 32, pixel, c % 32) + c + 3 * c * c + 7)) {
          return 1;
        }
      }
    }
  }
  return in[0].empty() && in[1].empty() && in[2].empty() ? 0 : 2;
}
