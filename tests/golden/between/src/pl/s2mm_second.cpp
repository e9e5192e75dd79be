@@ sha256: b60daa7fd0d62c2744fab82a02d3caeea73d6a7218e10b8191cb330ec4a1661a
// s2mm_second.cpp: memory from 1 stream of 128 bits.
@@ same: 17
extern "C" void s2mm_second(ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &in) {
@@ same: 18
