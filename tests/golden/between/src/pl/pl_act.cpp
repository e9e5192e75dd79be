// pl_act.cpp: act on programmable logic, 4x4x4 float32 to 4x4x4 float32.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// image buffer: 64 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 64 cycles; one word a cycle out: 16 cycles
// relu: negative values become 0
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

#include <cstdint>

namespace {

constexpr int kInBits = 64;  // width of an input stream
constexpr int kInLanes = 2;  // values of a word: 64 / 32
constexpr int kInValues = 64;  // of an image: 1 streams x 32 words x 2
constexpr int kInStreams = 1;  // 1 groups x 1 parts
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 1;  // cores along the pixels
constexpr int kInParts = 1;  // cores along the channels
constexpr int kInTileM = 4;  // channels of a tile
constexpr int kInTileN = 16;  // pixels of a tile
constexpr int kInTile = 64;  // values of a tile: 4 x 16
constexpr int kInBlockRows = 4;  // channels of an mmul block
constexpr int kInBlockCols = 4;  // pixels of an mmul block
constexpr int kInRowTiles = 1;  // 4 / 4
constexpr int kInColTiles = 4;  // 16 / 4
constexpr int kInChannels = 4;  // of the image that arrives
constexpr int kInPixels = 16;  // 4 x 4
constexpr int kLanes = 4;  // values of an output word, copies of the image buffer
constexpr int kInSize = 64;  // 4x4x4 float32
constexpr int kInCopies = 4;  // of the image buffer that takes it
constexpr int kMapHeight = 4;  // of the image from which the result is gathered, 4x4x4 float32
constexpr int kMapWidth = 4;  // of that image
constexpr int kMapSize = 64;  // values of that image
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutWords = 16;  // of an image
constexpr int kOutValues = 64;  // 4x4x4 float32
constexpr int kOutHeight = 4;  // of the result
constexpr int kOutWidth = 4;  // of the result

using InWord = ap_axiu<kInBits, 0, 0, 0>;
using OutWord = ap_axiu<kOutBits, 0, 0, 0>;

float as_float(ap_uint<32> bits) {
  union {
    std::uint32_t u;
    float f;
  } both;
  both.u = bits.to_uint();
  return both.f;
}

ap_uint<32> as_bits(float value) {
  union {
    std::uint32_t u;
    float f;
  } both;
  both.f = value;
  return both.u;
}

/// relu: negative values become 0.
float act_value(float x) { return x < 0.0F ? 0.0F : x; }

/// Where the image buffer holds the value that leaves as (channel, y, x).
int source_of(int channel, int y, int x) {
  return (channel * kMapHeight + y) * kMapWidth + x;
}

/// Reads one stream after another, a tile from each, and passes on the values in their words.
void read(hls::stream<InWord> &in, hls::stream<float>& values) {
  for (int round = 0; round < kInRounds; ++round) {
    for (int s = 0; s < kInStreams; ++s) {
#pragma HLS unroll
      InWord word;
      for (int i = 0; i < kInTile; ++i) {
#pragma HLS pipeline II=1
        const int lane = i % kInLanes;
        if (lane == 0) {
          word = in.read();
        }
        values.write(as_float(word.data.range(32 * lane + 31, 32 * lane)));
      }
    }
  }
}

/// Puts the values of output tiles into the image buffer; what lies outside the image is padding.
void untile(hls::stream<float>& results, float map[kInCopies][kInSize]) {
  for (int round = 0; round < kInRounds; ++round) {
    for (int group = 0; group < kInGroups; ++group) {
      for (int part = 0; part < kInParts; ++part) {
        for (int mt = 0; mt < kInRowTiles; ++mt) {
          for (int nt = 0; nt < kInColTiles; ++nt) {
            for (int row = 0; row < kInBlockRows; ++row) {
              for (int col = 0; col < kInBlockCols; ++col) {
#pragma HLS pipeline II=1
                const float value = results.read();
                const int channel = part * kInTileM + mt * kInBlockRows + row;
                const int pixel = (round * kInGroups + group) * kInTileN + nt * kInBlockCols + col;
                if (channel < kInChannels && pixel < kInPixels) {
                  for (int lane = 0; lane < kInCopies; ++lane) {
#pragma HLS unroll
                    map[lane][channel * kInPixels + pixel] = value;
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

/// Computes each value as it passes.
void compute(hls::stream<float>& values, hls::stream<float>& results) {
  for (int i = 0; i < kInValues; ++i) {
#pragma HLS pipeline II=1
    float value = values.read();
    value = act_value(value);
    results.write(value);
  }
}

/// Gathers the result in plain order, channel, row, column; the last word is filled up with zeros.
void gather(const float map[kLanes][kMapSize], hls::stream<ap_uint<kOutBits>>& words) {
  for (int w = 0; w < kOutWords; ++w) {
#pragma HLS pipeline II=1
    ap_uint<kOutBits> word = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      const int element = w * kLanes + lane;
      const int channel = element / (kOutHeight * kOutWidth);
      const int y = element / kOutWidth % kOutHeight;
      const int x = element % kOutWidth;
      const float value = element < kOutValues ? map[lane][source_of(channel, y, x)] : 0.0F;
      word.range(32 * lane + 31, 32 * lane) = as_bits(value);
    }
    words.write(word);
  }
}

/// Writes the words of one image.
void write(hls::stream<ap_uint<kOutBits>>& words, hls::stream<OutWord> &out) {
  for (int i = 0; i < kOutWords; ++i) {
#pragma HLS pipeline II=1
    OutWord word;
    word.data = words.read();
    word.keep = -1;
    word.last = i == kOutWords - 1;
    out.write(word);
  }
}

}  // namespace

extern "C" void pl_act(hls::stream<InWord> &in, hls::stream<OutWord> &out) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
#pragma HLS dataflow
  hls::stream<float> values("values");
#pragma HLS stream variable=values depth=16
  hls::stream<float> results("results");
#pragma HLS stream variable=results depth=16
  float map[kLanes][64];  // one image; a copy for each value of an output word
#pragma HLS array_partition variable=map dim=1 complete
#pragma HLS bind_storage variable=map type=ram_2p impl=bram
  hls::stream<ap_uint<kOutBits>> words("words");
#pragma HLS stream variable=words depth=16

  read(in, values);
  compute(values, results);
  untile(results, map);
  gather(map, words);
  write(words, out);
}
