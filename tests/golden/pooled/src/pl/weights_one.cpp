@@ sha256: a42b2acc23f7b43ba442bff2735fd66acfc82145c26acae377cd23bbe074557c
// weights_one.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 16 in mm2s.cpp.j2, mm2s.cpp, s2mm.cpp
extern "C" void weights_one(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out.write(word);
@@ same: 5 in mm2s.cpp.j2
