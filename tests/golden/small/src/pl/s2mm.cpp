@@ sha256: 51408a6fd0ed8503ddb86f8f1a24d5b32937f06f4d897f3fd99e61bf82c7827c
// s2mm.cpp: memory from 1 stream of 128 bits.
@@ same: 7
constexpr int kBits = 128;  // width of a stream
constexpr int kMemoryBits = 128;  // width of the memory port: 1 x 128
constexpr int kTogether = 1;  // stream words of a memory word
constexpr int kBeats = 1;  // memory words for a word of each stream: 1 / 1
@@ same: 5
/// Streams to memory: `iterations` images of `size` words from each stream. Word i of all streams lies together.
extern "C" void s2mm(ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &in) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem max_write_burst_length=64 num_write_outstanding=16
@@ same: 4
#pragma HLS interface axis port=in
  const int words = size * iterations;
  for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
    for (int beat = 0; beat < kBeats; ++beat) {
      ap_uint<kMemoryBits> together = 0;
      for (int j = 0; j < kTogether; ++j) {
        together.range(kBits * j + kBits - 1, kBits * j) = in.read().data;
      }
      memory[i * kBeats + beat] = together;
@@ same: 3
