@@ sha256: 5f698a5953bb6ce9416053a72d00dc2c186033b643a5abdcb454ca4dc29baf6c
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 10

using Word = ap_axiu<kBits, 0, 0, 0>;
@@ same: 3
/// Memory to streams: `iterations` images of `size` words for each stream. Word i of all streams lies together.
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9
#pragma HLS pipeline II=1
@@ same: 8
        out.write(word);
@@ same: 5
