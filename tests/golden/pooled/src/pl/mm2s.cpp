@@ sha256: 96a49ead08fdeb976e9ae05726673a9fee0528a8a75e58b5e3c9e9be6e0f3dbe
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 16 in mm2s.cpp.j2, mm2s.cpp, s2mm.cpp
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out.write(word);
@@ same: 5 in mm2s.cpp.j2
