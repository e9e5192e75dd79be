@@ sha256: b657ce594d73c1f8e8dbce78048b4ec02ca63d254e165e2381d68ce444567fb2
// mm2s_second.cpp: memory to 1 stream of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 4 in mover.cpp.j2
/// Memory to streams: `iterations` images of `size` words for each.
extern "C" void mm2s_second(
    const ap_uint<64>* memory, int size, int iterations, Port<64> &out) {
@@ same: 8 in mm2s.cpp
