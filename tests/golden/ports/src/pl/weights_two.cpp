@@ sha256: 4a3e81d3a0732538fe164551a288f393c788bd08e627c0011524c28e69093779
// weights_two.cpp: memory to 1 stream of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 4 in mover.cpp.j2
/// Memory to streams: `iterations` images of `size` words for each.
extern "C" void weights_two(
    const ap_uint<64>* memory, int size, int iterations, Port<64> &out) {
@@ same: 8 in mm2s.cpp
