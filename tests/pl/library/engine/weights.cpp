// Weights of two layers for a column of chains, whether the next is told ahead or not: each tile's for every block of pixels, all parts side by side.
#include "engine/array_layer.h"
#include "engine/row_layer.h"
#include "engine/weights.h"

using namespace aieloom::pl;

template <class SomeLayer, int kTold>
struct Small {
  using Layer = SomeLayer;
  using CacheStorage = Bram;
  static constexpr int kRows = 2, kTileM = 4, kParts = 2, kColumns = 3, kWeightWords = 3, kCacheWords = 12, kAhead = kTold;
};
using Apart = Small<array::Layer, 0>;
using Ahead = Small<row::Layer, 1>;

extern "C" void top(const weights::Bits* w, int unit, hls::stream<Control>& control, hls::stream<weights::Packet> out[2]) {
  weights::bring<Apart>(w, unit, control, out);
}

template <class T, int kNumbers>
bool is_brought(typename T::Layer (&layers)[3]) {
  static weights::Bits w[4096];
  for (int i = 0; i < 4096; ++i) {
    w[i] = i;
  }
  static hls::stream<Control> control;
  for (const auto& l : layers) {
    for (int i = 0; i < kNumbers; ++i) {
      control.write(control_of(reinterpret_cast<const int*>(&l)[i]));
    }
  }
  static hls::stream<weights::Packet> out[2];
  constexpr int kUnit = 1;
  weights::bring<T>(w, kUnit, control, out);
  for (int n = 0; n < 2; ++n) {
    const auto& l = layers[n];
    const int words = l.passes * T::kWeightWords;
    for (int set = 0; set < l.groups * sets_of(l); ++set) {
      const int group = set / sets_of(l), first = set % sets_of(l) * l.together;
      for (int round = 0; round < rounds_of(l, T::kRows); ++round) {
        for (int tile = first; tile < l.tiles && tile < first + l.together; ++tile) {
          for (int block = 0; block < blocks_of(l, round, T::kTileM); ++block) {
            for (int i = 0; i < words; ++i) {
              for (int part = 0; part < 2; ++part) {
                // in memory: group, tile, column, part, pass, word
                const int at = l.w_at + ((((group * l.tiles + tile) * T::kColumns + kUnit) * 2 + part) * words) + i;
                const weights::Packet packet = out[part].read();
                if (packet.data != weights::Bits(at) || packet.last != (i % T::kWeightWords == T::kWeightWords - 1)) {
                  return false;
                }
              }
            }
          }
        }
      }
    }
  }
  return out[0].empty() && out[1].empty() && control.empty();
}

template <class Layer>
void describe(Layer (&layers)[3]) {
  for (Layer& l : layers) {
    l = {};
  }
  layers[0].opcode = layers[1].opcode = kProduct;
  layers[0].images = 3;
  layers[0].out_height = layers[1].out_height = 5;
  layers[0].out_width = layers[1].out_width = 3;
  layers[0].groups = 2;
  layers[0].passes = 2;
  layers[0].rows = 2;
  layers[0].bands = 3;
  layers[0].tiles = 3;
  layers[0].together = 2;
  layers[0].w_at = 17;
  layers[1].images = layers[1].groups = layers[1].passes = layers[1].bands = layers[1].tiles = layers[1].together = 1;
  layers[1].rows = 5;
  layers[1].w_at = 900;
}

int main() {
  static array::Layer apart[3];
  describe(apart);
  if (!is_brought<Apart, array::kNumbers>(apart)) {
    return 1;
  }
  static row::Layer ahead[3];
  describe(ahead);
  return is_brought<Ahead, row::kNumbers>(ahead) ? 0 : 2;
}
