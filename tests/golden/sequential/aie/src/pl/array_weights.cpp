// array_weights.cpp: the engine on the array.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 4 x 2 chains of 3 cores on the array: 128 pixels x 64 output channels, 192 of K a pass; 7,680 GOP/s at 1250 MHz at most
// 10 movers in the logic: 960 DSP, 237200 LUT, 72 UltraRAM blocks, modelled
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

#include <cstdint>

namespace {

constexpr int kLanes = 16;  // channels of a word of device memory
constexpr int kRows = 4;  // rows of chains
constexpr int kParts = 3;  // cores of a chain: parts of K
constexpr int kColumns = 2;  // columns of chains
constexpr int kTileM = 32;  // pixels of a core's tile
constexpr int kTileN = 32;  // output channels of a core's tile
constexpr int kBlockM = 2;  // pixels of an mmul
constexpr int kBlockN = 8;  // output channels of an mmul
constexpr int kTileWords = 4;  // words of K of a core's tile
constexpr int kTailWords = 2;  // stream words that say whether a pass is the last
constexpr int kWeightWords = 128;  // stream words of a core's tile of weights
constexpr int kLineWords = 4096;  // words of the input that a band sees, at most
constexpr int kCacheWords = 4096;  // words of weights of a part of K, at most
constexpr int kMostTogether = 16;  // tiles of output channels that share loads, at most
constexpr int kSumInterval = 2;  // cycles of a word with a sum
constexpr int kBanks = 32;  // of a tile of sums: 16 neighbouring channels lie in as many

using Word = ap_uint<128>;  // kLanes weights in the order in which a core takes them
using Packet = ap_axiu<128, 0, 0, 0>;

using Control = ap_axiu<32, 0, 0, 0>;

/// A product, as the sequencer sends it.
struct Layer {
  int opcode;                        // 0: there is no other
  int images, height, width, words;  // of the input; words of a pixel
  int out_height, out_width, out_words;
  int kernel_y, kernel_x, stride_y, stride_x, top, left;
  int groups, tap_words, group_words;  // words of a tap that a group sees; of a pixel that it makes
  int passes, rows, bands, tiles;      // over K; rows of the output of a band; bands of an image; tiles of a group's output channels
  int x_at, w_at, channels_at, y_at;   // words from the beginning of a buffer
  int outside, zero, shift, low, high;
  int together;  // tiles of output channels that share a load of the input: their weights are kept at the same time
  int sum;       // with another tensor: 0 none, 1 the product is the first of the two, 2 the second
  int other_at;
  int zero_a, zero_b, zero_y;                      // of the sum
  int a_low, a_high, b_low, b_high, multiplier_y;  // of 64 bits the halves
  int shift_a, shift_b, shift_y, sum_low, sum_high;
  int unused[2];
};

constexpr int kNumbers = sizeof(Layer) / sizeof(int);

/// Takes a product from the sequencer.
Layer take(hls::stream<Control>& control) {
  union {
    Layer layer;
    int number[kNumbers];
  } both;
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    both.number[i] = control.read().data.to_int();
  }
  return both.layer;
}

/// Rounds of a layer: in each every row of chains has a band of an image, or none.
int rounds_of(const Layer& l) { return (l.images * l.bands + kRows - 1) / kRows; }

/// Sets of a group's tiles, and the tiles of one: the last may have fewer.
int sets_of(const Layer& l) { return (l.tiles + l.together - 1) / l.together; }

int tiles_of(const Layer& l, int set) {
  const int left = l.tiles - set * l.together;
  return left < l.together ? left : l.together;
}

/// Blocks of kTileM pixels of a band.
int blocks_of(const Layer& l) { return (l.rows * l.out_width + kTileM - 1) / kTileM; }

/// Pixels of a band of an image: the last may have fewer rows; 0 where there is none.
int pixels_of(const Layer& l, int band) {
  const int first = band % l.bands * l.rows;
  const int rows = l.out_height - first < l.rows ? l.out_height - first : l.rows;
  return band < l.images * l.bands ? rows * l.out_width : 0;
}

using Cache = Word[kParts][kCacheWords];  // weights of a set of tiles, part of K by part

/// Reads the weights of tiles of output channels.
void load_set(const Word* w, const Layer& l, int first, int tiles, int unit, Cache& cache) {
  const int words = l.passes * kWeightWords;
  for (int tile = 0; tile < tiles; ++tile) {
    const std::int64_t from = l.w_at + (std::int64_t(first + tile) * kColumns + unit) * kParts * words;
    for (int part = 0; part < kParts; ++part) {
      for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
        cache[part][tile * words + i] = w[from + std::int64_t(part) * words + i];
      }
    }
  }
}

/// Sends them for every block of pixels of all images: in each round one tile's for all blocks, then the next one's.
void send_set(const Cache& cache, const Layer& l, int tiles, hls::stream<Packet> out[kParts]) {
  const int rounds = rounds_of(l);
  const int blocks = blocks_of(l);
  const int words = l.passes * kWeightWords;
  for (int round = 0; round < rounds; ++round) {
    for (int tile = 0; tile < tiles; ++tile) {
      for (int block = 0; block < blocks; ++block) {
        for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
          for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
            Packet packet;
            packet.data = cache[part][tile * words + i];
            packet.keep = -1;
            packet.last = i % kWeightWords == kWeightWords - 1;
            out[part].write(packet);
          }
        }
      }
    }
  }
}

/// A set of tiles of output channels: while it is sent the next one's weights are loaded.
void set_of(const Word* w, const Layer& l, int first, int tiles, int unit, hls::stream<Packet> out[kParts]) {
#pragma HLS dataflow
  static Cache cache;
#pragma HLS array_partition variable=cache type=complete dim=1
#pragma HLS bind_storage variable=cache type=ram_s2p impl=uram
  load_set(w, l, first, tiles, unit, cache);
  send_set(cache, l, tiles, out);
}

}  // namespace

/// The weights of column `unit` of chains, product after product.
extern "C" void array_weights(const ap_uint<128>* w, int unit, hls::stream<Control>& control, hls::stream<Packet> out[kParts]) {
#pragma HLS interface m_axi port=w offset=slave bundle=w max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
#pragma HLS interface s_axilite port=unit bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=control
#pragma HLS interface axis port=out
  for (Layer l = take(control); l.opcode != 0; l = take(control)) {
    const int sets = sets_of(l);
    for (int set = 0; set < l.groups * sets; ++set) {
      set_of(w, l, set / sets * l.tiles + set % sets * l.together, tiles_of(l, set % sets), unit, out);
    }
  }
}
