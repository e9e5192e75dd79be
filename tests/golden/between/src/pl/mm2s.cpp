@@ sha256: 659d9d49841c3f994b8e0b9dda6426fa309f7e04897d4ec95a90f94d87fd85d8
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 16 in mm2s.cpp.j2, mm2s.cpp, s2mm.cpp
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out.write(word);
@@ same: 5 in mm2s.cpp.j2
