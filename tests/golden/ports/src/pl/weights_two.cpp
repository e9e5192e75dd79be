@@ sha256: 71d6d8d1c4e53a77cfb963239eec4dda67c5ebf4672054eceba6f5d5d2130eda
// weights_two.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 16 in mm2s.cpp.j2, mm2s.cpp, s2mm.cpp
extern "C" void weights_two(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out.write(word);
@@ same: 5 in mm2s.cpp.j2
