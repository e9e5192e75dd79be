@@ sha256: 4870011924e86cdeb09e80fdfb5dcd4863ced2bace461b86644d2dd8b533d19d
// mm2s.cpp: memory to 3 streams of 64 bits.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
@@ same: 3
constexpr int kBits = 64;  // width of a stream
constexpr int kMemoryBits = 64;  // width of the memory port: 1 x 64
constexpr int kTogether = 1;  // stream words of a memory word
constexpr int kBeats = 3;  // memory words for a word of each stream: 3 / 1

using Word = ap_axiu<kBits, 0, 0, 0>;
@@ same: 3
/// Memory to streams: `iterations` images of `size` words for each stream. Word i of all streams lies together.
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> out[3]) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem max_read_burst_length=64 num_read_outstanding=16
#pragma HLS interface s_axilite port=memory bundle=control
#pragma HLS interface s_axilite port=size bundle=control
#pragma HLS interface s_axilite port=iterations bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=out
  const int words = size * iterations;
  int word_of_image = 0;
  for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=3
    const bool last = word_of_image == size - 1;
    for (int beat = 0; beat < kBeats; ++beat) {
      const ap_uint<kMemoryBits> together = memory[i * kBeats + beat];
      for (int j = 0; j < kTogether; ++j) {
        Word word;
        word.data = together.range(kBits * j + kBits - 1, kBits * j);
        word.keep = -1;
        word.last = last;
        out[beat * kTogether + j].write(word);
      }
    }
    word_of_image = last ? 0 : word_of_image + 1;
  }
}
