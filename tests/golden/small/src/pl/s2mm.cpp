@@ sha256: 51408a6fd0ed8503ddb86f8f1a24d5b32937f06f4d897f3fd99e61bf82c7827c
// s2mm.cpp: memory from 1 stream of 128 bits.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 6 in s2mm.cpp.j2
constexpr int kBits = 128;  // width of a stream
constexpr int kMemoryBits = 128;  // width of the memory port: 1 x 128
constexpr int kTogether = 1;  // stream words of a memory word
constexpr int kBeats = 1;  // memory words for a word of each stream: 1 / 1
@@ same: 6 in s2mm.cpp.j2
extern "C" void s2mm(ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> &in) {
@@ same: 8 in s2mm.cpp.j2
#pragma HLS pipeline II=1
@@ same: 3 in s2mm.cpp.j2
        together.range(kBits * j + kBits - 1, kBits * j) = in.read().data;
@@ same: 5 in s2mm.cpp.j2
