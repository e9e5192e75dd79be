@@ sha256: 659d9d49841c3f994b8e0b9dda6426fa309f7e04897d4ec95a90f94d87fd85d8
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 9
constexpr int kBeats = 1;  // memory words for a word of each stream: 1 / 1

using Word = ap_axiu<kBits, 0, 0, 0>;
@@ same: 3
/// Memory to streams: `iterations` images of `size` words for each stream. Word i of all streams lies together.
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9
#pragma HLS pipeline II=1
@@ same: 8
        out.write(word);
@@ same: 5
