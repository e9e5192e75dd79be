@@ sha256: 71d6d8d1c4e53a77cfb963239eec4dda67c5ebf4672054eceba6f5d5d2130eda
// weights_two.cpp: memory to 1 stream of 64 bits.
@@ same: 17
extern "C" void weights_two(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &out) {
@@ same: 24
