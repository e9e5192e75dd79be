@@ sha256: b60daa7fd0d62c2744fab82a02d3caeea73d6a7218e10b8191cb330ec4a1661a
// s2mm_second.cpp: memory from 1 stream of 128 bits.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 16 in s2mm.cpp.j2, s2mm.cpp
extern "C" void s2mm_second(ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &in) {
@@ same: 8 in s2mm.cpp.j2
#pragma HLS pipeline II=1
@@ same: 3 in s2mm.cpp.j2
        together.range(kBits * j + kBits - 1, kBits * j) = in.read().data;
@@ same: 5 in s2mm.cpp.j2
