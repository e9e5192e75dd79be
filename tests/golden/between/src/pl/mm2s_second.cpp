@@ sha256: ef46da5ecf41f3670aa1b23f2cdd880a3a50dbdd01e26fb5c3df00b4d0d893e8
// mm2s_second.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 16 in mm2s.cpp.j2, mm2s.cpp, s2mm.cpp
extern "C" void mm2s_second(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out.write(word);
@@ same: 5 in mm2s.cpp.j2
