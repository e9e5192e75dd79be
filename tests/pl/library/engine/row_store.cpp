// Results of a row that owns an image: words of pixels in the order of its bands, tiles and pixels, with another tensor their sum by tables.
#include "engine/row_store.h"

using namespace aieloom::pl;
using namespace aieloom::pl::row;

struct LowBits {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& c, const IntegerFinish& f) {
    return static_cast<std::int8_t>(sum + c.bias + 2 * c.multiplier + 4 * c.shift + f.zero);
  }
};
struct Small {
  using Values = Integers;
  using Finished = LowBits;
  using Adder = SumTables<OnnxSum>;
  static constexpr int kColumns = 2, kTileM = 4, kTileN = 16, kBlockM = 4, kBlockN = 8, kMostTogether = 2;
};
struct Alone : Small {
  using Adder = NoTables;
};

extern "C" void top(hls::stream<TilePacket>& channels, hls::stream<Control>& control, hls::stream<TilePacket>& other, hls::stream<Control>& ask,
                    hls::stream<TilePacket>& made, hls::stream<TilePacket> in[2]) {
  store<Small>(channels, control, other, ask, made, in);
}

int sum_of(int group, int channel, int band, int pixel) { return group * 71 + channel * 13 + band * 29 + pixel * 3; }
int number_of_channel(int at, int which) { return at * 5 + which * 3; }
std::int8_t element(int at, int lane) { return static_cast<std::int8_t>(at * 3 + lane); }

template <class T>
int checked(const Layer& l) {
  static hls::stream<Control> control, ask;
  static hls::stream<TilePacket> channels, other, made, wanted, in[2];
  const Layer end = {};
  for (const Layer& one : {l, end}) {
    for (int i = 0; i < kNumbers; ++i) {
      control.write(control_of(reinterpret_cast<const int*>(&one)[i]));
    }
  }
  const IntegerScaling s = scaling_of<Integers>(l);
  unsigned asked = 0;
  int at = 0;       // words of the other tensor
  int told = 0;     // channels
  for (int set = 0; set < l.groups * sets_of(l); ++set) {
    const int group = set / sets_of(l), first = set % sets_of(l) * l.together, tiles = tiles_of(l, set % sets_of(l));
    const int begin = told;
    for (int c = 0; c < tiles * 32; ++c, ++told) {
      TilePacket packet;
      for (int which = 0; which < 3; ++which) {
        packet.data.range(32 * which + 31, 32 * which) = static_cast<unsigned>(number_of_channel(told, which));
      }
      channels.write(packet);
    }
    for (int band = 0; band < l.bands; ++band) {
      for (int tile = first; tile < first + tiles; ++tile) {
        const int words = l.group_words - tile * 2 < 2 ? l.group_words - tile * 2 : 2;
        for (int block = 0; block < blocks_of(l, band, 4); ++block) {
          for (int z = 0; z < 2; ++z) {
            for (int n = 0; n < 4 * 16; n += 4) {  // mmul after mmul of 4 x 8
              TilePacket packet;
              for (int i = 0; i < 4; ++i) {
                const int c = (tile * 2 + z) * 16 + n / 32 * 8 + (n + i) % 8, pixel = block * 4 + n % 32 / 8;
                packet.data.range(32 * i + 31, 32 * i) = static_cast<unsigned>(sum_of(group, c, band, pixel));
              }
              in[z].write(packet);
            }
          }
          const int left = pixels_of(l, band) - block * 4;
          asked += l.sum != 0 ? 1 : 0;
          for (int pixel = block * 4; pixel < block * 4 + (left < 4 ? left : 4); ++pixel) {
            for (int word = 0; word < words; ++word, ++at) {
              TilePacket beside, result;
              for (int q = 0; q < 16; ++q) {
                const int c = (tile * 2 + word) * 16 + q, own = begin + (tile - first) * 32 + word * 16 + q;
                const int numbers = number_of_channel(own, 0) + 2 * number_of_channel(own, 1) + 4 * number_of_channel(own, 2);
                const std::int8_t product = static_cast<std::int8_t>(sum_of(group, c, band, pixel) + numbers + l.zero);
                const std::int8_t with = element(at, q);
                const std::int8_t sum = l.sum == 1 ? OnnxSum::of(product, with, s) : OnnxSum::of(with, product, s);
                beside.data.range(8 * q + 7, 8 * q) = with & 0xFF;
                result.data.range(8 * q + 7, 8 * q) = (l.sum == 0 ? product : sum) & 0xFF;
              }
              wanted.write(result);
              if (l.sum != 0) {
                other.write(beside);
              }
            }
          }
        }
      }
    }
  }
  store<T>(channels, control, other, ask, made, in);
  if (made.size() != wanted.size() || ask.size() != asked) {
    return 1;
  }
  for (unsigned left = wanted.size(); left > 0; --left) {
    if (made.read().data != wanted.read().data) {
      return 2;
    }
  }
  for (; asked > 0; --asked) {
    ask.read();
  }
  return channels.empty() && other.empty() && in[0].empty() && in[1].empty() ? 0 : 3;
}

int main() {
  Layer l = {};
  l.opcode = kProduct;
  l.out_height = 5;
  l.out_width = 3;
  l.groups = 2;
  l.group_words = 5;
  l.out_words = 10;
  l.rows = 2;
  l.bands = 3;
  l.tiles = 3;
  l.together = 2;
  l.zero = 3;
  l.zero_a = -8;
  l.zero_b = 3;
  l.zero_y = 5;
  l.a_low = 4;
  l.b_low = 2;
  l.shift_y = 3;
  l.sum_low = -100;
  l.sum_high = 90;
  for (l.sum = 0; l.sum < 3; ++l.sum) {
    const int found = checked<Small>(l);
    if (found != 0) {
      return found + 10 * l.sum;
    }
  }
  l.sum = 0;
  return checked<Alone>(l);
}
