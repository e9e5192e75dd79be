@@ sha256: ecde6e0448c46fc669c8e2526889ce73600fdc3f8b19c57ec16a9f3e39a59f72
// weights_one.cpp: memory to 2 streams of 64 bits.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 6 in mm2s.cpp.j2
constexpr int kBits = 64;  // width of a stream
constexpr int kMemoryBits = 128;  // width of the memory port: 2 x 64
constexpr int kTogether = 2;  // stream words of a memory word
constexpr int kBeats = 1;  // memory words for a word of each stream: 2 / 2
@@ same: 6 in mm2s.cpp.j2
extern "C" void weights_one(const ap_uint<kMemoryBits>* memory, int size, int iterations, hls::stream<Word> out[2]) {
@@ same: 9 in mm2s.cpp.j2
#pragma HLS pipeline II=1
@@ same: 8 in mm2s.cpp.j2
        out[j].write(word);
@@ same: 5 in mm2s.cpp.j2
