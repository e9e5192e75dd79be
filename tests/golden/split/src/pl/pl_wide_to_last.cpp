// pl_wide_to_last.cpp: no layer on programmable logic, 6x3x7 float32 to 6x3x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// image buffer: 126 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 256 cycles; one word a cycle out: 36 cycles
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

#include <cstdint>

namespace {

constexpr int kInBits = 32;  // width of an input stream
constexpr int kInLanes = 1;  // values of a word: 32 / 32
constexpr int kInValues = 256;  // of an image: 4 streams x 64 words x 1
constexpr int kInStreams = 4;  // 2 groups x 2 parts
constexpr int kInRounds = 2;  // tiles that each core works on, one after another
constexpr int kInGroups = 2;  // cores along the pixels
constexpr int kInParts = 2;  // cores along the channels
constexpr int kInTileM = 4;  // channels of a tile
constexpr int kInTileN = 8;  // pixels of a tile
constexpr int kInTile = 32;  // values of a tile: 4 x 8
constexpr int kInBlockRows = 4;  // channels of an mmul block
constexpr int kInBlockCols = 4;  // pixels of an mmul block
constexpr int kInRowTiles = 1;  // 4 / 4
constexpr int kInColTiles = 2;  // 8 / 4
constexpr int kInChannels = 6;  // of the image that arrives
constexpr int kInPixels = 21;  // 3 x 7
constexpr int kLanes = 4;  // values of an output word, copies of the image buffer
constexpr int kInSize = 126;  // 6x3x7 float32
constexpr int kInCopies = 4;  // of the image buffer that takes it
constexpr int kMapHeight = 3;  // of the image from which the result is gathered, 6x3x7 float32
constexpr int kMapWidth = 7;  // of that image
constexpr int kMapSize = 126;  // values of that image
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutStreams = 1;  // one for each group of cores
constexpr int kOutRounds = 6;  // tiles that each group works on, one after another
constexpr int kOutGroups = 1;  // cores along the pixels
constexpr int kOutPasses = 1;  // tiles along K = 6
constexpr int kOutTileK = 6;  // rows of a tile: inputs of one output
constexpr int kOutTileN = 4;  // columns of a tile: output pixels
constexpr int kOutBlockRows = 2;  // rows of an mmul block
constexpr int kOutBlockCols = 2;  // columns of an mmul block
constexpr int kOutColTiles = 2;  // 4 / 2
constexpr int kOutDepth = 3;  // 6 / 2
constexpr int kOutBlockWords = 1;  // 2 x 2 / 4
constexpr int kOutTileWords = 6;  // 1 x 6 x 4 / 4
constexpr int kNextHeight = 3;  // of the convolution's input
constexpr int kNextWidth = 7;  // of the convolution's input
constexpr int kOutWidth = 7;  // of the convolution's output
constexpr int kOutPixels = 21;  // 3 x 7
constexpr int kKernelWidth = 1;  // kernel 1 x 1
constexpr int kKernelArea = 1;  // 1 x 1
constexpr int kTaps = 6;  // inputs of one output: 6 x 1 x 1
constexpr int kStrideY = 1;  // stride
constexpr int kStrideX = 1;  // stride
constexpr int kPaddingY = 0;  // padding
constexpr int kPaddingX = 0;  // padding

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

/// Where the image buffer holds the value that leaves as (channel, y, x).
int source_of(int channel, int y, int x) {
  return (channel * kMapHeight + y) * kMapWidth + x;
}

/// Reads one stream after another, a tile from each, and passes on the values in their words.
void read(hls::stream<InWord> in[4], hls::stream<float>& values) {
  for (int round = 0; round < kInRounds; ++round) {
    for (int s = 0; s < kInStreams; ++s) {
#pragma HLS unroll
      InWord word;
      for (int i = 0; i < kInTile; ++i) {
#pragma HLS pipeline II=1
        const int lane = i % kInLanes;
        if (lane == 0) {
          word = in[s].read();
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
    results.write(value);
  }
}

/// Gathers the im2col matrix of the next layer in the order of its tiles: [round][group][pass][nt][kt][k][n].
void gather(const float map[kLanes][kMapSize], hls::stream<ap_uint<kOutBits>>& words) {
  for (int tile = 0; tile < kOutRounds * kOutGroups; ++tile) {
    for (int pass = 0; pass < kOutPasses; ++pass) {
      for (int nt = 0; nt < kOutColTiles; ++nt) {
        for (int kt = 0; kt < kOutDepth; ++kt) {
          for (int w = 0; w < kOutBlockWords; ++w) {
#pragma HLS pipeline II=1
            ap_uint<kOutBits> word = 0;
            for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
              const int element = w * kLanes + lane;  // of a block of kOutBlockRows x kOutBlockCols
              const int k = pass * kOutTileK + kt * kOutBlockRows + element / kOutBlockCols;
              const int pixel = tile * kOutTileN + nt * kOutBlockCols + element % kOutBlockCols;
              const int channel = k / kKernelArea;
              const int tap = k % kKernelArea;
              const int y = pixel / kOutWidth * kStrideY + tap / kKernelWidth - kPaddingY;
              const int x = pixel % kOutWidth * kStrideX + tap % kKernelWidth - kPaddingX;
              const bool inside =
                  k < kTaps && pixel < kOutPixels && 0 <= y && y < kNextHeight && 0 <= x && x < kNextWidth;
              const float value = inside ? map[lane][source_of(channel, y, x)] : 0.0F;
              word.range(32 * lane + 31, 32 * lane) = as_bits(value);
            }
            words.write(word);
          }
        }
      }
    }
  }
}

/// Writes one stream after another, a tile to each.
void write(hls::stream<ap_uint<kOutBits>>& words, hls::stream<OutWord> &out) {
  for (int round = 0; round < kOutRounds; ++round) {
    for (int s = 0; s < kOutStreams; ++s) {
#pragma HLS unroll
      for (int i = 0; i < kOutTileWords; ++i) {
#pragma HLS pipeline II=1
        OutWord word;
        word.data = words.read();
        word.keep = -1;
        word.last = i == kOutTileWords - 1;
        out.write(word);
      }
    }
  }
}

}  // namespace

extern "C" void pl_wide_to_last(hls::stream<InWord> in[4], hls::stream<OutWord> &out) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
#pragma HLS dataflow
  hls::stream<float> values("values");
#pragma HLS stream variable=values depth=16
  hls::stream<float> results("results");
#pragma HLS stream variable=results depth=16
  float map[kLanes][126];  // one image; a copy for each value of an output word
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
