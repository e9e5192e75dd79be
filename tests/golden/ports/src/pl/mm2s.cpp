// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

namespace {

constexpr int kBits = 128;  // width of a stream
constexpr int kMemoryBits = 128;  // width of the memory port: 1 x 128
constexpr int kTogether = 1;  // stream words of a memory word
constexpr int kBeats = 1;  // memory words for a word of each stream: 1 / 1

using Word = ap_axiu<kBits, 0, 0, 0>;

}  // namespace

/// Memory to streams: `iterations` images of `size` words for each stream. Word i of all streams lies together.
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem max_read_burst_length=64 num_read_outstanding=16
#pragma HLS interface s_axilite port=memory bundle=control
#pragma HLS interface s_axilite port=size bundle=control
#pragma HLS interface s_axilite port=iterations bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=out
  const int words = size * iterations;
  int word_of_image = 0;
  for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
    const bool last = word_of_image == size - 1;
    for (int beat = 0; beat < kBeats; ++beat) {
      const ap_uint<kMemoryBits> together = memory[i * kBeats + beat];
      for (int j = 0; j < kTogether; ++j) {
        Word word;
        word.data = together.range(kBits * j + kBits - 1, kBits * j);
        word.keep = -1;
        word.last = last;
        out.write(word);
      }
    }
    word_of_image = last ? 0 : word_of_image + 1;
  }
}
