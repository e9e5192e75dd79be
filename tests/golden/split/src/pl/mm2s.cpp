@@ sha256: 5f698a5953bb6ce9416053a72d00dc2c186033b643a5abdcb454ca4dc29baf6c
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 16 in mm2s.cpp.j2, s2mm.cpp
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out.write(word);
@@ same: 5 in mm2s.cpp.j2
