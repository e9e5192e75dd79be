// Bands of images as windows: every part of K gets the mmuls of its words, block after block of pixels, once for every tile, with lines in either memory.
#include "engine/array_load.h"

using namespace aieloom::pl;
using namespace aieloom::pl::array;

struct Small {
  using LineStorage = Uram;
  static constexpr int kRows = 2, kTileM = 8, kParts = 2, kWeightWords = 2, kCacheWords = 12, kBits = 8, kRowBits = 64, kBlockM = 4, kTileWords = 2;
  static constexpr int kTailWords = 2, kLineWords = 128;
};
struct InBram : Small {
  using LineStorage = Bram;
};
using Bits = LoadOf<Small>::Bits;

extern "C" void top(const Bits* x, int unit, hls::stream<Control>& control, hls::stream<Packet> out[2]) { load<Small>(x, unit, control, out); }

constexpr int kX = 4096;
unsigned char element(int word, int lane) { return static_cast<unsigned char>(word * 7 + lane * 31 + 3); }

/// What lane `lane` of word `n` of a pixel's window holds; words follow one another over the taps, and behind the last tap all is outside.
unsigned char wanted(const Layer& l, int band, int group, int pixel, int n, int lane) {
  const int tap = n / l.tap_words, image = band / l.bands;
  const int y = (band % l.bands * l.rows + pixel / l.out_width) * l.stride_y - l.top + tap / l.kernel_x;
  const int x = pixel % l.out_width * l.stride_x - l.left + tap % l.kernel_x;
  const bool inside = tap < l.kernel_y * l.kernel_x && pixel < pixels_of(l, band) && 0 <= y && y < l.height && 0 <= x && x < l.width;
  const int at = l.x_at + ((image * l.height + y) * l.width + x) * l.words + group * l.tap_words + n % l.tap_words;
  return inside ? element(at, lane) : static_cast<unsigned char>(l.outside);
}

template <class T>
int checked(const Layer& l, int unit) {
  static Bits x[kX];
  for (int i = 0; i < kX; ++i) {
    for (int lane = 0; lane < 16; ++lane) {
      x[i].range(8 * lane + 7, 8 * lane) = element(i, lane);
    }
  }
  static hls::stream<Control> control;
  const Layer end = {};
  for (const Layer& one : {l, end}) {
    for (int i = 0; i < kNumbers; ++i) {
      control.write(control_of(reinterpret_cast<const int*>(&one)[i]));
    }
  }
  static hls::stream<Packet> out[2];
  load<T>(x, unit, control, out);
  for (int set = 0; set < l.groups * sets_of(l); ++set) {
    for (int round = 0; round < rounds_of(l, T::kRows); ++round) {
      const int band = round * T::kRows + unit;
      for (int tile = 0; tile < tiles_of(l, set % sets_of(l)); ++tile) {
        for (int block = 0; block < blocks_of(l, round, T::kTileM); ++block) {
          for (int pass = 0; pass < l.passes; ++pass) {
            for (int part = 0; part < 2; ++part) {
              for (int m = 0; m < T::kTileM; m += T::kBlockM) {
                for (int k = 0; k < T::kTileWords; ++k) {
                  const int n = (pass * 2 + part) * T::kTileWords + k;
                  for (int half = 0; half < 16; half += 8) {  // 8 channels of two pixels in a stream word
                    for (int pair = 0; pair < T::kBlockM; pair += 2) {
                      const Packet packet = out[part].read();
                      for (int i = 0; i < 16; ++i) {
                        const int pixel = block * T::kTileM + m + pair + i / 8;
                        if (packet.data.range(8 * i + 7, 8 * i).to_uint() != wanted(l, band, set / sets_of(l), pixel, n, half + i % 8)) {
                          return 1;
                        }
                      }
                      if (packet.last) {
                        return 2;
                      }
                    }
                  }
                }
              }
              for (int i = 0; i < T::kTailWords; ++i) {
                const Packet packet = out[part].read();
                if (packet.data != ap_uint<128>(pass == l.passes - 1 ? 1 : 0) || packet.last != (i == T::kTailWords - 1)) {
                  return 3;
                }
              }
            }
          }
        }
      }
    }
  }
  return out[0].empty() && out[1].empty() && control.empty() ? 0 : 4;
}

int main() {
  Layer l = {};
  l.opcode = kProduct;
  l.images = 3;
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
  l.x_at = 5;
  l.outside = -4;
  for (int unit = 0; unit < 2; ++unit) {
    const int found = checked<Small>(l, unit);
    if (found != 0) {
      return found;
    }
  }
  return checked<InBram>(l, 1) * 10;
}
