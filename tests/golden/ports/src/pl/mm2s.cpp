@@ sha256: 19f9cddd375e9917ccef35b4cba8e6b2b435488b9382c55af890eb256bb98f12
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 16 in mm2s.cpp.j2, s2mm.cpp
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out.write(word);
@@ same: 5 in mm2s.cpp.j2
