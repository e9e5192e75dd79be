@@ sha256: 4870011924e86cdeb09e80fdfb5dcd4863ced2bace461b86644d2dd8b533d19d
// mm2s.cpp: memory to 3 streams of 64 bits.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 6 in mm2s.cpp.j2
constexpr int kBits = 64;  // width of a stream
constexpr int kMemoryBits = 64;  // width of the memory port: 1 x 64
constexpr int kTogether = 1;  // stream words of a memory word
constexpr int kBeats = 3;  // memory words for a word of each stream: 3 / 1
@@ same: 6 in mm2s.cpp.j2
extern "C" void mm2s(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> out[3]) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=3
@@ same: 8 in mm2s.cpp.j2
        out[beat * kTogether + j].write(word);
@@ same: 5 in mm2s.cpp.j2
