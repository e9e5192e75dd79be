// Bands of what a row's store sends: as windows mmul by mmul for every tile, or folded; each is asked for once.
#include "engine/row_load.h"

using namespace aieloom::pl;
using namespace aieloom::pl::row;

struct Small {
  using LineStorage = Uram;
  using Folded = FoldsBands;
  using Trained = Untrained;
  static constexpr int kParts = 2, kTileM = 8, kTileWords = 2, kBlockM = 4, kTailWords = 2, kLineWords = 128, kBandPixels = 32, kPlaces = 8;
  static constexpr int kFoldInterval = 1;
};
struct InBram : Small {
  using LineStorage = Bram;
};
struct Weighted : Small {
  struct Finished {
    static std::int8_t of(std::int32_t sum, const IntegerChannel& c, const IntegerFinish&) { return static_cast<std::int8_t>(sum + c.bias); }
  };
  using Trained = Depthwise;
  static constexpr int kMostWords = 2, kMostWeights = 32;
};

extern "C" void top(hls::stream<Control>& control, hls::stream<LinePacket>& in, hls::stream<Control>& ask, hls::stream<LinePacket>& made,
                    hls::stream<LinePacket> out[2]) {
  load<Small>(control, in, ask, made, out);
}

unsigned element(int y, int x, int channel) { return static_cast<unsigned>(y * 37 + x * 11 + channel * 5) & 0x7FU; }

template <class T>
void loaded(hls::stream<LinePacket>&, hls::stream<Control>& control, hls::stream<LinePacket>& in, hls::stream<Control>& ask,
            hls::stream<LinePacket>& made, hls::stream<LinePacket> (&out)[2]) {
  load<T>(control, in, ask, made, out);
}
template <>
void loaded<Weighted>(hls::stream<LinePacket>& weights, hls::stream<Control>& control, hls::stream<LinePacket>& in, hls::stream<Control>& ask,
                      hls::stream<LinePacket>& made, hls::stream<LinePacket> (&out)[2]) {
  load<Weighted>(weights, control, in, ask, made, out);
}

template <class T>
int checked(const Layer& l) {
  static hls::stream<Control> control, ask;
  static hls::stream<LinePacket> weights, in, made, out[2];
  const Layer end = {};
  for (const Layer& one : {l, end}) {
    for (int i = 0; i < kNumbers; ++i) {
      control.write(control_of(reinterpret_cast<const int*>(&one)[i]));
    }
  }
  const int sets = l.groups * sets_of(l);
  for (int set = 0; set < sets; ++set) {
    for (int band = 0; band < l.bands; ++band) {
      const int first = band * l.rows * l.stride_y - l.top, last = first + (pixels_of(l, band) / l.out_width - 1) * l.stride_y + l.kernel_y;
      for (int y = first < 0 ? 0 : first; y < (last < l.height ? last : l.height); ++y) {
        for (int x = 0; x < l.width; ++x) {
          for (int word = 0; word < l.tap_words; ++word) {
            LinePacket packet;
            for (int q = 0; q < 16; ++q) {
              packet.data.range(8 * q + 7, 8 * q) = element(y, x, (set / sets_of(l) * l.tap_words + word) * 16 + q);
            }
            in.write(packet);
          }
        }
      }
    }
  }
  if (l.operation == kDepthwise) {  // weights of 1 and a bias of the channel's number
    for (int i = 0; i < l.words * 16 + l.words * l.kernel_y * l.kernel_x; ++i) {
      LinePacket packet;
      packet.data = i;
      for (int q = 0; q < (i < l.words * 16 ? 0 : 16); ++q) {
        packet.data.range(8 * q + 7, 8 * q) = 1;
      }
      weights.write(packet);
    }
  }
  loaded<T>(weights, control, in, ask, made, out);
  if (!in.empty() || !weights.empty() || ask.size() != static_cast<unsigned>(sets * l.bands)) {
    return 1;
  }
  for (int i = 0; i < sets * l.bands; ++i) {
    ask.read();
  }
  for (int set = 0; set < sets; ++set) {
    const int group = set / sets_of(l);
    for (int band = 0; band < l.bands; ++band) {
      const auto seen = [&](int pixel, int tap, int channel) {
        const int y = (band * l.rows + pixel / l.out_width) * l.stride_y - l.top + tap / l.kernel_x;
        const int x = pixel % l.out_width * l.stride_x - l.left + tap % l.kernel_x;
        const bool inside = tap < l.kernel_y * l.kernel_x && pixel < pixels_of(l, band) && 0 <= y && y < l.height && 0 <= x && x < l.width;
        return inside ? static_cast<int>(element(y, x, channel)) : l.opcode == kFold ? (l.operation == kMaximum ? -128 : 0) : l.outside;
      };
      for (int pixel = 0; pixel < (l.opcode == kFold ? pixels_of(l, band) : 0); ++pixel) {
        for (int word = 0; word < l.tap_words; ++word) {
          const LinePacket packet = made.read();
          for (int q = 0; q < 16; ++q) {
            const int channel = (group * l.tap_words + word) * 16 + q;
            int most = -128, sum = channel;
            for (int tap = 0; tap < l.kernel_y * l.kernel_x; ++tap) {
              most = seen(pixel, tap, channel) > most ? seen(pixel, tap, channel) : most;
              sum += seen(pixel, tap, channel);
            }
            const int wanted = l.operation == kMaximum ? most : sum;
            if (packet.data.range(8 * q + 7, 8 * q).to_uint() != (static_cast<unsigned>(wanted) & 0xFF)) {
              return 2;
            }
          }
        }
      }
      for (int tile = 0; tile < (l.opcode == kProduct ? tiles_of(l, set % sets_of(l)) : 0); ++tile) {
        for (int block = 0; block < blocks_of(l, band, T::kTileM); ++block) {
          for (int pass = 0; pass < l.passes; ++pass) {
            for (int part = 0; part < 2; ++part) {
              for (int n = 0; n < T::kTileM * T::kTileWords; ++n) {  // stream words: of 4 pixels two words of K, each as two pairs of pixels, twice
                const LinePacket packet = out[part].read();
                const int m = n / (T::kBlockM * T::kTileWords) * T::kBlockM, k = n / T::kBlockM % T::kTileWords, half = n / 2 % 2 * 8, pair = n % 2 * 2;
                const int word = (pass * 2 + part) * T::kTileWords + k;
                for (int i = 0; i < 16; ++i) {
                  const int channel = (group * l.tap_words + word % l.tap_words) * 16 + half + i % 8;
                  const int wanted = seen(block * T::kTileM + m + pair + i / 8, word / l.tap_words, channel);
                  if (packet.data.range(8 * i + 7, 8 * i).to_uint() != (static_cast<unsigned>(wanted) & 0xFF) || packet.last) {
                    return 3;
                  }
                }
              }
              for (int i = 0; i < T::kTailWords; ++i) {
                const LinePacket packet = out[part].read();
                if (packet.data != LineBits(pass == l.passes - 1 ? 1 : 0) || packet.last != (i == T::kTailWords - 1)) {
                  return 4;
                }
              }
            }
          }
        }
      }
    }
  }
  return made.empty() && out[0].empty() && out[1].empty() ? 0 : 5;
}

int main() {
  Layer l = {};
  l.opcode = kProduct;
  l.height = 7;
  l.width = 6;
  l.words = 2;
  l.out_height = 4;
  l.out_width = 3;
  l.kernel_y = 3;
  l.kernel_x = 3;
  l.stride_y = 2;
  l.stride_x = 2;
  l.top = 1;
  l.left = 1;
  l.groups = 2;
  l.tap_words = 1;
  l.passes = 3;
  l.rows = 3;
  l.bands = 2;
  l.tiles = 3;
  l.together = 2;
  l.outside = -4;
  const int products = checked<Small>(l) + 10 * checked<InBram>(l);
  l.opcode = kFold;
  l.operation = kMaximum;
  l.tiles = l.together = 1;
  const int pools = checked<Small>(l);
  l.operation = kDepthwise;
  return products + 100 * pools + 1000 * checked<Weighted>(l);
}
