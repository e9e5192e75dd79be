@@ sha256: ee142c6d0558fc59aa321d5633235acbd22264397f387eb14de7cd6dd5e7eb0e
// mm2s_second.cpp: memory to 1 stream of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 4 in mover.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void mm2s_second(
    const ap_uint<64>* memory, int size, int iterations, hls::stream<ap_axiu<64, 0, 0, 0>> &out) {
@@ same: 8 in mm2s.cpp
