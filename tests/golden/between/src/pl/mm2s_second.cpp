@@ sha256: ef46da5ecf41f3670aa1b23f2cdd880a3a50dbdd01e26fb5c3df00b4d0d893e8
// mm2s_second.cpp: memory to 1 stream of 64 bits.
@@ same: 17
extern "C" void mm2s_second(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 24
